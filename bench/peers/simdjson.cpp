// What simdjson's DOM parser takes to read a file.
#include <simdjson.h>

int main(int argc, char **argv)
{
    simdjson::dom::parser parser;
    simdjson::dom::element root;

    return argc > 1 && !parser.load(argv[1]).get(root) ? 0 : 2;
}
