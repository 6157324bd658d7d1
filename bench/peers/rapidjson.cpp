// What RapidJSON's document takes to read a file in place and to free it again.
#include "whole.h"

#include <rapidjson/document.h>

int main(int argc, char **argv)
{
    whole file = read_whole(argc > 1 ? argv[1] : "");
    rapidjson::Document root;

    return root.ParseInsitu(file.bytes).HasParseError() ? 2 : 0;
}
