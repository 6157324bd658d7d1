/* What yajl takes to read a file, and to keep nothing of it: the least that a program
 * of callbacks can take. */
#include "whole.h"

#include <yajl/yajl_parse.h>

static int seen(void *payload)
{
    (void)payload;
    return 1;
}

static int seen_bool(void *payload, int value)
{
    (void)value;
    return seen(payload);
}

static int seen_number(void *payload, const char *digits, size_t n)
{
    (void)digits, (void)n;
    return seen(payload);
}

static int seen_text(void *payload, const unsigned char *text, size_t n)
{
    (void)text, (void)n;
    return seen(payload);
}

int main(int argc, char **argv)
{
    static const yajl_callbacks all = {.yajl_null = seen,
                                       .yajl_boolean = seen_bool,
                                       .yajl_number = seen_number,
                                       .yajl_string = seen_text,
                                       .yajl_start_map = seen,
                                       .yajl_map_key = seen_text,
                                       .yajl_end_map = seen,
                                       .yajl_start_array = seen,
                                       .yajl_end_array = seen};
    struct whole file = read_whole(argc > 1 ? argv[1] : "");
    yajl_handle parser = yajl_alloc(&all, NULL, NULL);
    yajl_status status =
        yajl_parse(parser, (const unsigned char *)file.bytes, file.size);

    if (status == yajl_status_ok)
        status = yajl_complete_parse(parser);
    yajl_free(parser);
    return status == yajl_status_ok ? 0 : 2;
}
