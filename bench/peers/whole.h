/* A file in memory, as a peer that parses needs it; it is never freed. */
#ifndef FSD_BENCH_WHOLE_H
#define FSD_BENCH_WHOLE_H

#include <stdio.h>
#include <stdlib.h>

struct whole {
    char *bytes;
    size_t size;
};

static struct whole read_whole(const char *path)
{
    struct whole file = {NULL, 0};
    FILE *in = fopen(path, "rb");
    long size;

    if (!in || fseek(in, 0, SEEK_END) || (size = ftell(in)) < 0)
        exit(2);
    rewind(in);
    file.size = (size_t)size;
    file.bytes = (char *)malloc(file.size + 1);
    if (!file.bytes || fread(file.bytes, 1, file.size, in) != file.size)
        exit(2);
    file.bytes[file.size] = 0;
    fclose(in);
    return file;
}

#endif
