/* What cJSON takes to read a file and free it again. */
#include "whole.h"

#include <cjson/cJSON.h>

int main(int argc, char **argv)
{
    struct whole file = read_whole(argc > 1 ? argv[1] : "");
    cJSON *root = cJSON_ParseWithLength(file.bytes, file.size);

    if (!root)
        return 2;
    cJSON_Delete(root);
    return 0;
}
