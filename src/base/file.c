/*
 * Opens inputs.  They can be regular files, standard input, bytes that the caller has
 * in memory (fsd_use_memory()), or files that the caller's own functions read
 * (fsd_use_readers()).  Most bytes of a large model are weights, which readers skip.  A
 * file can therefore be read on demand, in windows of 64 KiB, into addresses reserved
 * for the whole file:
 *
 *     file      [node][weights ..................................][node] ...
 *     addresses [ 64 KiB ]                                 [ 64 KiB ]
 *
 * With fsd_map_files(), files are mapped instead.  If another program truncates a
 * mapped file, the system raises SIGBUS when a thread reads a lost page.  The signal
 * handler then replaces the page with zeros and marks the mapping as lost.  Readers
 * continue to the end without checks of their own, and fsd_file_done() turns the mark
 * into an error.  The thread that read the page receives the signal, so each thread
 * keeps its own list of mappings.
 */
#include "base/base.h"
#include "base/open.h"
#include "host/files.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

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

/* ----------------------------------------------------- the memory of a file's bytes */

enum { WINDOW = 1 << 16 };

struct fsd_mapping {
    struct fsd_cleanup cleanup; /* must be the first member */
    unsigned char *bytes;
    size_t size;
    bool heap;          /* the bytes were allocated with malloc() */
    int fd;             /* open descriptor, to read windows, or to copy bytes of a large
                           mapped file; -1: none */
    bool *there;        /* indexed by window: whether it has been read */
    volatile bool lost; /* another program truncated the file before all bytes were
                           read */
    const struct fsd_file_reader *reader; /* the caller's function, which reads windows
                                             in place of `fd`; may be NULL */
    struct fsd_mapping *next;
};

/* The mappings of this thread.  SIGBUS goes to the thread that reads a lost page, and
 * the signal handler reads this variable.  This access must not allocate memory.  The
 * TLS model "initial-exec" ensures this; with other models, an access may allocate. */
static _Thread_local struct fsd_mapping *mapped
    __attribute__((tls_model("initial-exec")));
static atomic_bool maps;

void fsd_map_files(bool wanted)
{
    maps = wanted && FSD_HOST_MAPS;
}

/* Marks the mapping that contains `at` as lost, and returns its end; NULL if no mapping
 * contains `at`.  The signal handler (fsd_host_on_lost()) calls this function and then
 * replaces the bytes up to the end by zeros. */
static unsigned char *lose(const unsigned char *at)
{
    for (struct fsd_mapping *map = mapped; map; map = map->next) {
        unsigned char *end = map->bytes + map->size;

        if (at < map->bytes || at >= end)
            continue;
        map->lost = true;
        return end;
    }
    return NULL;
}

static void drop(struct fsd_cleanup *cleanup)
{
    struct fsd_mapping *map = (struct fsd_mapping *)cleanup, **at = &mapped;

    while (*at && *at != map)
        at = &(*at)->next;
    if (*at)
        *at = map->next;
    fsd_cleanup_drop(cleanup);
    if (map->heap)
        free(map->bytes);
    else if (map->bytes)
        fsd_host_free(map->bytes, map->size);
    if (map->fd >= 0)
        close(map->fd);
    free(map->there);
    free(map);
}

/* Reserves addresses for `size` bytes of a file.  `fd` is -1 if there is no descriptor
 * yet.  Returns false, with errno set, if the system cannot reserve them. */
static bool hold(struct fsd_file *out, int fd, size_t size)
{
    struct fsd_mapping *map = calloc(1, sizeof *map);
    void *bytes = !map      ? NULL
                  : fd >= 0 ? fsd_host_map(fd, size)
                            : fsd_host_reserve(size);

    if (!bytes) {
        free(map);
        return false;
    }
    *map = (struct fsd_mapping){.bytes = bytes, .size = size, .fd = -1};
    fsd_cleanup_add(&map->cleanup, drop);
    out->map = map;
    out->bytes = bytes;
    return true;
}

/* ------------------------------------------------------------------------ windows */

static void read_window(struct fsd_mapping *map, size_t i)
{
    size_t at = i * WINDOW, end = map->size - at < WINDOW ? map->size : at + WINDOW;

    map->there[i] = true;
    map->lost |= !fsd_host_commit(map->bytes + at, end - at);
    if (map->reader) {
        /* The parentheses prevent the expansion of read(), which is a macro on
         * Windows. */
        map->lost |= !map->lost && !(map->reader->read)(map->reader->payload, at,
                                                        map->bytes + at, end - at);
        return;
    }
    while (at < end && !map->lost) {
        ssize_t got = pread(map->fd, map->bytes + at, end - at, (off_t)at);

        if (got < 0 && errno == EINTR)
            continue;
        map->lost |= got <= 0;
        at = got <= 0 ? end : at + (size_t)got;
    }
}

void fsd_file_read(const struct fsd_file *file, size_t at, size_t n)
{
    size_t end = n < file->size - at ? at + n : file->size;

    for (size_t i = at / WINDOW; i * WINDOW < end; i++)
        if (!file->map->there[i])
            read_window(file->map, i);
}

static void end_sparse(struct fsd_file *file, size_t size)
{
    file->size = size;
    file->sparse = false;
    file->map->reader = NULL;
    if (file->map->fd >= 0)
        close(file->map->fd);
    file->map->fd = -1;
}

void fsd_file_read_all(struct fsd_file *file)
{
    if (!file->sparse)
        return;
    fsd_file_read(file, 0, file->size);
    end_sparse(file, file->size);
}

void fsd_file_cut(struct fsd_file *file, size_t size)
{
    if (!file->sparse || file->size <= size)
        return;
    fsd_file_read(file, 0, size);
    end_sparse(file, size);
}

bool fsd_file_has(const struct fsd_file *file, const char *word)
{
    enum { STEP = 1 << 22 };
    size_t n = strlen(word), released = 0;

    for (size_t at = 0; at < file->size; at += STEP) {
        size_t left = file->size - at, size = left < STEP + n ? left : STEP + n;

        if (memmem(fsd_file_at(file, at, size), size, word, n))
            return true;
        fsd_file_release_behind(file, at, &released);
    }
    return false;
}

/* ------------------------------------------------------------------------ opening */

/* Reads a pipe, which has no size, until it ends or exceeds the limit. */
static enum fsd_status read_stream(struct fsd_file *out, int fd, uint64_t limit,
                                   struct fsd_error *err)
{
    struct fsd_mapping *map = calloc(1, sizeof *map);
    size_t cap = 1 << 16;

    if (!map)
        return fsd_fail_memory(err, out->name);
    *map = (struct fsd_mapping){.heap = true, .fd = -1, .bytes = malloc(cap)};
    fsd_cleanup_add(&map->cleanup, drop);
    out->map = map;
    while (map->bytes) {
        ssize_t got = read(fd, map->bytes + map->size, cap - map->size);
        unsigned char *larger;

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_errno(err, out->name, "read");
        map->size += (size_t)got;
        if (map->size > limit)
            return fsd_file_over_limit(err, out->name, limit);
        if (got == 0) {
            out->bytes = map->bytes;
            out->size = map->size;
            return FSD_OK;
        }
        if (map->size < cap)
            continue;
        larger = realloc(map->bytes, cap *= 2);
        if (!larger)
            break;
        map->bytes = larger;
    }
    return fsd_fail_memory(err, out->name);
}

static bool map_file(struct fsd_file *out, int fd, size_t size)
{
    if (!hold(out, fd, size))
        return false;
    if (!maps)
        return true;
    fsd_host_on_lost(lose);
    out->map->next = mapped;
    mapped = out->map;
    return true;
}

enum fsd_status fsd_file_own(struct fsd_file *out, unsigned char *bytes, size_t size,
                             struct fsd_error *err)
{
    struct fsd_mapping *map = calloc(1, sizeof *map);

    if (!map) {
        free(bytes);
        return fsd_fail_memory(err, out->name);
    }
    *map = (struct fsd_mapping){.heap = true, .fd = -1, .bytes = bytes, .size = size};
    fsd_cleanup_add(&map->cleanup, drop);
    out->map = map;
    out->bytes = bytes ? bytes : (const unsigned char *)"";
    out->size = size;
    return FSD_OK;
}

bool fsd_file_map_ahead(struct fsd_file *out, int fd, size_t most)
{
    return FSD_HOST_MAPS && map_file(out, fd, most);
}

static enum fsd_status measure(struct fsd_file *out, int fd, uint64_t limit,
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
    return FSD_OK;
}

/* Reserves addresses for the whole file, and reads the first window, because every
 * reader needs it.  Then the mapping owns the descriptor.
 * @param reader  the caller's function, which reads the file in place of `fd`; may be
 * NULL */
static enum fsd_status begin_windows(struct fsd_file *out, int fd,
                                     const struct fsd_file_reader *reader,
                                     struct fsd_error *err)
{
    if (!hold(out, -1, out->size))
        return fsd_fail_memory(err, out->name);
    out->map->there = calloc(out->size / WINDOW + 1, sizeof *out->map->there);
    if (!out->map->there)
        return fsd_fail_memory(err, out->name);
    out->map->fd = fd;
    out->map->reader = reader;
    out->sparse = true;
    fsd_file_read(out, 0, WINDOW);
    return FSD_OK;
}

enum fsd_status fsd_file_map(struct fsd_file *out, int fd, uint64_t limit,
                             struct fsd_error *err)
{
    enum fsd_status status = measure(out, fd, limit, err);

    if (status != FSD_OK || !out->size)
        return status;
    if (FSD_HOST_MAPS)
        return map_file(out, fd, out->size) ? status
                                            : fail_errno(err, out->name, "map");
    status = begin_windows(out, fd, NULL, err);
    if (status == FSD_OK)
        fsd_file_read(out, 0, out->size);
    if (out->map)
        out->map->fd = -1; /* the caller owns the descriptor */
    out->sparse = false;
    return status;
}

/* Maps a file.  The descriptor of a large file stays open for fsd_file_copy().  The
 * descriptor of a small file is closed, because a model may have more files of weights
 * than a process may have descriptors. */
static enum fsd_status map_and_keep(struct fsd_file *out, int fd, uint64_t limit,
                                    struct fsd_error *err)
{
    enum { LARGE = 1 << 24, MOST = 256 };
    enum fsd_status status = fsd_file_map(out, fd, limit, err);

    if (status == FSD_OK && out->map && out->size >= LARGE && fd < MOST)
        out->map->fd = fd;
    return status;
}

/* Reserves addresses for a file whose bytes the caller's function reads. */
static enum fsd_status begin_reader(struct fsd_file *out,
                                    const struct fsd_file_reader *reader,
                                    uint64_t limit, struct fsd_error *err)
{
    if (reader->size > limit || reader->size > SIZE_MAX)
        return fsd_file_over_limit(err, out->name, limit);
    out->size = (size_t)reader->size;
    out->bytes = (const unsigned char *)"";
    return out->size ? begin_windows(out, -1, reader, err) : FSD_OK;
}

static _Thread_local const struct fsd_memory *in_memory;
static _Thread_local size_t n_in_memory;

void fsd_use_memory(const struct fsd_memory *files, size_t n)
{
    in_memory = files;
    n_in_memory = files ? n : 0;
}

static _Thread_local const struct fsd_file_reader *readers;
static _Thread_local size_t n_readers;

void fsd_use_readers(const struct fsd_file_reader *files, size_t n)
{
    readers = files;
    n_readers = files ? n : 0;
}

static const struct fsd_file_reader *find_reader(const char *path)
{
    for (size_t i = 0; i < n_readers; i++)
        if (!strcmp(readers[i].path, path))
            return &readers[i];
    return NULL;
}

static const struct fsd_memory *find_in_memory(const char *path)
{
    for (size_t i = 0; i < n_in_memory; i++)
        if (!strcmp(in_memory[i].path, path))
            return &in_memory[i];
    return NULL;
}

/* Opens a file without decompressing it.
 * @param of  the file that names this file; NULL: the user named it */
static enum fsd_status begin(struct fsd_file *out, const char *path, const char *of,
                             uint64_t limit, struct fsd_error *err)
{
    const struct fsd_memory *memory = find_in_memory(path);
    const struct fsd_file_reader *reader = find_reader(path);
    enum fsd_status status;
    int fd;

    memset(out, 0, sizeof *out);
    out->name = path;
    if (memory) {
        out->bytes = memory->bytes;
        out->size = memory->size;
        return out->size > limit ? fsd_file_over_limit(err, path, limit) : FSD_OK;
    }
    if (reader)
        return begin_reader(out, reader, limit, err);
    if (!of && !strcmp(path, "-")) {
        out->name = "standard input";
        return fsd_opened_note(STDIN_FILENO)
                   ? read_stream(out, STDIN_FILENO, limit, err)
                   : fsd_fail_memory(err, out->name);
    }
    /* O_NONBLOCK, because open() would wait for a writer of a FIFO. */
    fd = of ? fsd_open_beside(path, of) : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && of && errno == EXDEV)
        return fsd_fail(
            err, FSD_E_IO, path, FSD_POS_NONE, 0,
            "expected a file in the folder, found a link that leads out of the folder");
    if (fd < 0)
        return fail_errno(err, path, "open");
    if (!fsd_opened_note(fd))
        status = fsd_fail_memory(err, path);
    else if (maps)
        status = map_and_keep(out, fd, limit, err);
    else if ((status = measure(out, fd, limit, err)) == FSD_OK && out->size)
        status = begin_windows(out, fd, NULL, err);
    if (!out->map || out->map->fd != fd)
        close(fd);
    return status;
}

enum fsd_status fsd_file_begin(struct fsd_file *out, const char *path, uint64_t limit,
                               struct fsd_error *err)
{
    return begin(out, path, NULL, limit, err);
}

enum fsd_status fsd_file_open(struct fsd_file *out, const char *path, uint64_t limit,
                              struct fsd_error *err)
{
    enum fsd_status status = begin(out, path, NULL, limit, err);

    if (status == FSD_OK)
        fsd_file_read_all(out);
    return status;
}

enum fsd_status fsd_file_open_beside(struct fsd_file *out, const char *path,
                                     const char *of, struct fsd_error *err)
{
    enum fsd_status status = begin(out, path, of, UINT64_MAX, err);

    if (status == FSD_OK)
        fsd_file_read_all(out);
    return status;
}

void fsd_file_watch(const struct fsd_file *file)
{
    mapped = file->map;
}

void fsd_file_close(struct fsd_file *file)
{
    if (file->abandon)
        file->abandon(file);
    if (file->map)
        drop(&file->map->cleanup);
    memset(file, 0, sizeof *file);
}

size_t fsd_file_copy(const struct fsd_file *file, size_t at, size_t n, FILE *out)
{
    int to = fileno(out);
    off_t begin;
    uint64_t copied;

    if (!file->map || file->map->fd < 0 || file->map->there || to < 0 || fflush(out))
        return 0;
    begin = ftello(out);
    copied = fsd_host_copy(file->map->fd, at, to, n);
    if (copied) /* stdio does not know that the system call has moved the position */
        fseeko(out, begin + (off_t)copied, SEEK_SET);
    return (size_t)copied;
}

enum fsd_status fsd_file_there(const struct fsd_file *file, enum fsd_status status,
                               struct fsd_error *err)
{
    if (file->map && file->map->lost)
        return fsd_fail(err, FSD_E_IO, file->name, FSD_POS_NONE, 0,
                        "expected %zu bytes, found that the file was truncated or "
                        "became unreadable while it was read",
                        file->size);
    return status;
}

enum fsd_status fsd_file_done(struct fsd_file *file, enum fsd_status status,
                              struct fsd_error *err)
{
    status = fsd_file_there(file, status, err);
    fsd_file_close(file);
    return status;
}

/* Only mapped bytes and windows are released.  A file that was read as a whole keeps
 * its memory, because it cannot be read again. */
void fsd_file_release(const struct fsd_file *file, size_t offset)
{
    const struct fsd_mapping *map = file->map;
    size_t unit = file->sparse ? WINDOW : fsd_host_page();

    if (!map || map->heap || offset < unit || (!file->sparse && map->there))
        return;
    fsd_host_release(map->bytes, offset - offset % unit);
    if (file->sparse)
        memset(map->there, 0, offset / unit * sizeof *map->there);
}
