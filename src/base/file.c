/*
 * Opening inputs: a regular file is mapped, standard input is read to its end, and a
 * file that the caller holds in memory (fsd_use_memory()) is taken from there.
 *
 * Another program may truncate a file while it is mapped, and touching a lost page
 * raises SIGBUS.  The handler puts zero pages there and marks the mapping as lost:
 * readers reach their end without any checks of their own, and fsd_file_done() turns
 * the mark into an error.  The signal comes to the thread that touched the page, so
 * each thread keeps its own list of mappings.
 */
#define _DEFAULT_SOURCE /* madvise: posix_madvise ignores DONTNEED in glibc */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
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

enum fsd_status fsd_file_over_limit(struct fsd_error *err, const char *path,
                                    uint64_t limit)
{
    return fsd_fail(err, FSD_E_LIMIT, path, FSD_POS_NONE, 0,
                    "expected at most %llu bytes, found more",
                    (unsigned long long)limit);
}

/* ------------------------------------------------ files that are cut while mapped */

struct fsd_mapping {
    unsigned char *bytes;
    size_t size;
    volatile bool lost; /* some of the bytes were gone when they were looked at */
    struct fsd_mapping *next;
};

/* SIGBUS comes to the thread that looked, so each has a list of its own.  It must be
 * there without allocating: the handler reads it. */
static _Thread_local struct fsd_mapping *mapped
    __attribute__((tls_model("initial-exec")));
static struct sigaction before;

static void on_bus_error(int number, siginfo_t *info, void *context)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *at = info->si_addr, *from = at - (uintptr_t)at % page;

    for (struct fsd_mapping *map = mapped; map; map = map->next) {
        unsigned char *end = map->bytes + map->size;

        if (at < map->bytes || at >= end)
            continue;
        map->lost = true;
        /* Zeros for all that may be gone: they end every reader's loops. */
        if (mmap(from, (size_t)(end - from), PROT_READ,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED)
            return;
    }
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, info, context);
    else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
        before.sa_handler(number);
    else
        sigaction(number, &before, NULL); /* and it comes again */
}

static void set_handler(void)
{
    struct sigaction action = {.sa_sigaction = on_bus_error,
                               .sa_flags = SA_SIGINFO | SA_NODEFER};

    sigaction(SIGBUS, &action, &before);
}

/* NULL, with errno set, when the system cannot. */
static struct fsd_mapping *map_bytes(int fd, size_t size)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct fsd_mapping *map = malloc(sizeof *map);
    void *bytes = map ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;

    if (bytes == MAP_FAILED) {
        free(map);
        return NULL;
    }
    pthread_once(&once, set_handler);
    *map = (struct fsd_mapping){bytes, size, false, mapped};
    mapped = map;
    return map;
}

/* ------------------------------------------------------------------------ opening */

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
            return fsd_file_over_limit(err, out->name, limit);
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

bool fsd_file_map_ahead(struct fsd_file *out, int fd, size_t most)
{
    out->map = map_bytes(fd, most);
    out->bytes = out->map ? out->map->bytes : NULL;
    return out->map != NULL;
}

enum fsd_status fsd_file_map(struct fsd_file *out, int fd, uint64_t limit,
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
        return fsd_file_over_limit(err, out->name, limit);
    out->size = (size_t)st.st_size;
    out->bytes = (const unsigned char *)"";
    if (!out->size)
        return FSD_OK;
    out->map = map_bytes(fd, out->size);
    if (!out->map)
        return fail_errno(err, out->name, "map");
    out->bytes = out->map->bytes;
    return FSD_OK;
}

/* -------------------------------------------------------------------- opening */

static _Thread_local const struct fsd_memory *in_memory;
static _Thread_local size_t n_in_memory;

void fsd_use_memory(const struct fsd_memory *files, size_t n)
{
    in_memory = files;
    n_in_memory = n;
}

enum fsd_status fsd_file_open(struct fsd_file *out, const char *path, uint64_t limit,
                              struct fsd_error *err)
{
    enum fsd_status status;
    int fd;

    memset(out, 0, sizeof *out);
    out->name = path;
    for (size_t i = 0; i < n_in_memory; i++) {
        if (strcmp(in_memory[i].path, path) != 0)
            continue;
        out->bytes = in_memory[i].bytes;
        out->size = in_memory[i].size;
        return out->size > limit ? fsd_file_over_limit(err, path, limit) : FSD_OK;
    }
    if (!strcmp(path, "-")) {
        out->name = "standard input";
        return read_stream(out, STDIN_FILENO, limit, err);
    }
    /* O_NONBLOCK: opening a FIFO that nobody writes must not hang. */
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fail_errno(err, path, "open");
    status = fsd_file_map(out, fd, limit, err);
    close(fd);
    return status;
}

void fsd_file_watch(const struct fsd_file *file)
{
    mapped = file->map;
}

void fsd_file_close(struct fsd_file *file)
{
    struct fsd_mapping **at = &mapped;

    fsd_file_abandon(file);
    while (*at && *at != file->map)
        at = &(*at)->next;
    if (file->map && *at)
        *at = file->map->next;
    if (file->map)
        munmap(file->map->bytes, file->map->size);
    free(file->map);
    free(file->heap);
    memset(file, 0, sizeof *file);
}

enum fsd_status fsd_file_done(struct fsd_file *file, enum fsd_status status,
                              struct fsd_error *err)
{
    if (file->map && file->map->lost)
        status = fsd_fail(err, FSD_E_IO, file->name, FSD_POS_NONE, 0,
                          "expected %zu bytes, found that the file was cut, or could "
                          "not be read on, while it was read",
                          file->size);
    fsd_file_close(file);
    return status;
}

void fsd_file_release_behind(const struct fsd_file *file, size_t offset,
                             size_t *released)
{
    enum { STEP = 1 << 22 };

    if (offset >= *released && offset - *released <= STEP)
        return;
    if (offset > *released)
        fsd_file_release(file, offset);
    *released = offset;
}

void fsd_file_release(const struct fsd_file *file, size_t offset)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (file->map && offset >= page)
        madvise(file->map->bytes, offset - offset % page, MADV_DONTNEED);
}
