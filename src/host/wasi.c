/*
 * The host for WebAssembly with WASI: one thread, no signals, no maps of files, no
 * temporary files. Memory grows on demand, so reserved bytes are always available.
 */
#include "host/files.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

FILE *fsd_host_temporary(void)
{
    errno = ENOSYS;
    return NULL;
}

bool fsd_host_random(void *at, size_t n)
{
    return !getentropy(at, n);
}

unsigned fsd_processors(void)
{
    return 1;
}

char *fsd_host_variable(const char *name)
{
    (void)name;
    return NULL;
}

struct fsd_host_outcome fsd_host_run(const struct fsd_host_command *command)
{
    (void)command;
    return (struct fsd_host_outcome){0};
}

void *fsd_host_reserve(size_t n)
{
    return malloc(n ? n : 1); /* new pages take no memory until they are written */
}

bool fsd_host_commit(void *at, size_t n)
{
    (void)at, (void)n;
    return true;
}

void fsd_host_free(void *at, size_t n)
{
    (void)n;
    free(at);
}

void fsd_host_release(void *at, size_t n)
{
    (void)at, (void)n;
}

size_t fsd_host_page(void)
{
    return 1 << 16;
}

/* Replaces strchr() of Zig's C library, which computes the length of the whole text
 * first: a loop over the lines of a text took quadratic time. */
char *strchr(const char *s, int c)
{
    for (;; s++) {
        if (*s == (char)c)
            return (char *)(uintptr_t)s;
        if (!*s)
            return NULL;
    }
}
