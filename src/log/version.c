#define _GNU_SOURCE /* memmem */
#include "log/version.h"

#include <stdio.h>
#include <string.h>

enum { HEAD = 1 << 16, MOST = 1000000 };

/* The number behind `at`, up to the bracket; 0 when there is none. */
static unsigned number(const char *at, const char *end)
{
    unsigned n = 0;

    while (at < end && *at >= '0' && *at <= '9' && n < MOST)
        n = n * 10 + (unsigned)(*at++ - '0');
    return at < end && *at == ']' ? n : 0;
}

bool fsd_log_version(const struct fsd_file *file, char out[32])
{
    static const char word[] = "[TensorRT v";
    const char *s = (const char *)file->bytes;
    size_t n = file->size < HEAD ? file->size : HEAD;
    const char *at = n ? memmem(s, n, word, sizeof word - 1) : NULL;
    unsigned v = at ? number(at + sizeof word - 1, s + n) : 0;

    if (v < 1000)
        return false;
    if (v < 10000)
        snprintf(out, 32, "TensorRT %u.%u.%u", v / 1000, v / 100 % 10, v % 100);
    else
        snprintf(out, 32, "TensorRT %u.%u.%u", v / 10000, v / 100 % 100, v % 100);
    return true;
}
