/*
 * Puts fuzz input into an anonymous file in memory, one for the whole run, since the
 * functions under test open paths: a file on disk for each of a million inputs would be
 * most of the time.
 */
#define _GNU_SOURCE /* memfd_create */
#include "support_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void check(bool holds)
{
    if (!holds)
        abort();
}

const char *fuzz_file_put(struct fuzz_file *file, const uint8_t *data, size_t size)
{
    if (!file->fd)
        file->fd = memfd_create("fuzz", 0);
    check(file->fd > 0 && !ftruncate(file->fd, 0));
    check(pwrite(file->fd, data, size, 0) == (ssize_t)size);
    snprintf(file->path, sizeof file->path, "/proc/self/fd/%d", file->fd);
    return file->path;
}
