/* What json-c takes to read a file and free it again. */
#include "whole.h"

#include <json-c/json.h>

int main(int argc, char **argv)
{
    struct whole file = read_whole(argc > 1 ? argv[1] : "");
    struct json_object *root = json_tokener_parse(file.bytes);

    if (!root)
        return 2;
    json_object_put(root);
    return 0;
}
