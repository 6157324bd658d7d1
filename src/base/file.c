#define _DEFAULT_SOURCE /* madvise: posix_madvise ignores DONTNEED in glibc */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static enum fsd_status fail_errno(struct fsd_error *err, const char *path,
                                  const char *doing)
{
    return fsd_fail(err, FSD_E_IO, path, FSD_POS_NONE, 0, "cannot %s: %s", doing,
                    strerror(errno));
}

static enum fsd_status over_limit(struct fsd_error *err, const char *path,
                                  uint64_t limit)
{
    return fsd_fail(err, FSD_E_LIMIT, path, FSD_POS_NONE, 0,
                    "expected at most %llu bytes, found more",
                    (unsigned long long)limit);
}

/* A pipe has no size: read until it ends or grows over the limit. */
static enum fsd_status read_stream(struct fsd_file *out, int fd, uint64_t limit,
                                   struct fsd_error *err)
{
    size_t cap = 1 << 16, used = 0;
    unsigned char *buffer = malloc(cap);

    while (buffer) {
        ssize_t got = read(fd, buffer + used, cap - used);

        out->heap = buffer;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_errno(err, out->name, "read");
        used += (size_t)got;
        if (used > limit)
            return over_limit(err, out->name, limit);
        if (got == 0) {
            out->bytes = buffer;
            out->size = used;
            return FSD_OK;
        }
        if (used == cap) {
            unsigned char *larger = realloc(buffer, cap *= 2);

            if (!larger)
                break;
            buffer = larger;
        }
    }
    return fsd_fail(err, FSD_E_LIMIT, out->name, FSD_POS_NONE, 0, "out of memory");
}

static enum fsd_status map_file(struct fsd_file *out, int fd, uint64_t limit,
                                struct fsd_error *err)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return fail_errno(err, out->name, "read");
    if (!S_ISREG(st.st_mode))
        return fsd_fail(err, FSD_E_IO, out->name, FSD_POS_NONE, 0,
                        "expected a regular file, found a %s",
                        S_ISDIR(st.st_mode) ? "directory" : "pipe or device");
    if ((uint64_t)st.st_size > limit)
        return over_limit(err, out->name, limit);
    out->size = (size_t)st.st_size;
    out->bytes = (const unsigned char *)"";
    if (!out->size)
        return FSD_OK;
    out->map = mmap(NULL, out->size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (out->map == MAP_FAILED) {
        out->map = NULL;
        return fail_errno(err, out->name, "map");
    }
    out->bytes = out->map;
    return FSD_OK;
}

enum fsd_status fsd_file_open(struct fsd_file *out, const char *path, uint64_t limit,
                              struct fsd_error *err)
{
    enum fsd_status status;
    int fd;

    memset(out, 0, sizeof *out);
    out->name = path;
    if (!strcmp(path, "-")) {
        out->name = "standard input";
        return read_stream(out, STDIN_FILENO, limit, err);
    }
    /* O_NONBLOCK: opening a FIFO that nobody writes must not hang. */
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fail_errno(err, path, "open");
    status = map_file(out, fd, limit, err);
    close(fd);
    return status;
}

void fsd_file_close(struct fsd_file *file)
{
    if (file->map)
        munmap(file->map, file->size);
    free(file->heap);
    memset(file, 0, sizeof *file);
}

void fsd_file_release(const struct fsd_file *file, size_t offset)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (file->map && offset >= page)
        madvise(file->map, offset - offset % page, MADV_DONTNEED);
}
