/* What Jansson takes to read a file and free it again. */
#include <jansson.h>

int main(int argc, char **argv)
{
    json_t *root = argc > 1 ? json_load_file(argv[1], JSON_ALLOW_NUL, NULL) : NULL;

    if (!root)
        return 2;
    json_decref(root);
    return 0;
}
