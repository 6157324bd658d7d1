/*
 * Opens files that may be compressed.  A log may be larger than the memory, so the
 * decompressed bytes go to a temporary file, which has no name and exists as long as
 * its mapping.  Readers read this file like any other.
 *
 * A reader that reads the file once from beginning to end need not wait for all bytes.
 * The temporary file is mapped before it has any bytes, with the largest possible size,
 * and a thread fills it:
 *
 *     compressed file -> thread -> [ there ......|............ to come ............ ]
 *                                        reader
 */
#include "base/base.h"
#include "base/open.h"

#include <errno.h>
#include <stdlib.h>

enum {
    BEGINNING = 1 << 17, /* bytes; readers search the first half for keywords */
    STACK = 1 << 20,     /* bytes of the thread's stack; no decoder needs even a tenth
                            of them. The whole stack counts toward a memory limit */
    STRIDE = 1 << 22     /* bytes between two wake-ups of the waiting reader; each
                            wake-up takes time */
};

static enum fsd_status decompress(struct fsd_file *out, struct fsd_file *compressed,
                                  FILE *to, uint64_t limit, uint64_t first,
                                  struct fsd_error *err)
{
    enum fsd_status status =
        fsd_decompress(compressed, fileno(to), first, NULL, NULL, err);

    return status == FSD_OK ? fsd_file_map(out, fileno(to), limit, err) : status;
}

/* Decompresses into memory, on a system without temporary files. */
static enum fsd_status decompress_in_memory(struct fsd_file *out,
                                            struct fsd_file *compressed, uint64_t limit,
                                            uint64_t first, struct fsd_error *err)
{
    unsigned char *bytes;
    size_t size;
    enum fsd_status status =
        fsd_decompress_to_memory(compressed, first, &bytes, &size, err);

    if (status == FSD_OK && size > limit) {
        free(bytes);
        return fsd_file_over_limit(err, compressed->name, limit);
    }
    return status == FSD_OK ? fsd_file_own(out, bytes, size, err) : status;
}

/* ------------------------------------------------------ decompression in a thread */

struct fsd_coming {
    struct fsd_file compressed;
    FILE *to;
    uint64_t limit, most; /* the caller's limit and the limit of the decompression, in
                             bytes */
    fsd_thread thread;
    fsd_lock lock;
    fsd_event moved;
    uint64_t written, there; /* `written`: number of bytes that the thread has written;
                                `there`: the value of `written` that the thread last
                                reported to the reader */
    bool done;               /* the thread has written all bytes, or an error
                                occurred */
    bool unwanted;           /* the reader does not need the remaining bytes */
    enum fsd_status status;
    struct fsd_error err;
};

static bool report_reached(void *payload, uint64_t n)
{
    struct fsd_coming *c = payload;
    bool wanted;

    c->written = n;
    if (n > STRIDE && n - c->there < STRIDE)
        return true;
    fsd_lock_take(&c->lock);
    c->there = n;
    wanted = !c->unwanted;
    fsd_event_wake(&c->moved, false);
    fsd_lock_give(&c->lock);
    return wanted;
}

static void *decompress_beside(void *payload)
{
    struct fsd_coming *c = payload;
    struct fsd_error err = {0};
    enum fsd_status status;

    fsd_file_watch(&c->compressed);
    status =
        fsd_decompress(&c->compressed, fileno(c->to), c->most, report_reached, c, &err);
    fsd_lock_take(&c->lock);
    c->status = status;
    c->err = err;
    c->there = c->written;
    c->done = true;
    fsd_event_wake(&c->moved, false);
    fsd_lock_give(&c->lock);
    return NULL;
}

/* Waits for the end of the decompressing thread, and returns its status. */
static enum fsd_status end_coming(struct fsd_file *file, struct fsd_error *err)
{
    struct fsd_coming *c = file->coming;
    enum fsd_status status;

    fsd_thread_join(c->thread);
    file->coming = NULL;
    file->size = (size_t)c->there;
    if (c->status != FSD_OK && err)
        *err = c->err;
    status = c->status == FSD_OK && c->there > c->limit
                 ? fsd_file_over_limit(err, file->name, c->limit)
                 : c->status;
    status = fsd_file_done(&c->compressed, status, err);
    fclose(c->to);
    free(c);
    return status;
}

static void abandon(struct fsd_file *file)
{
    struct fsd_coming *c = file->coming;

    if (!c)
        return;
    fsd_lock_take(&c->lock);
    c->unwanted = true;
    fsd_lock_give(&c->lock);
    end_coming(file, NULL);
}

/* Starts a thread that decompresses into `to`.  end_coming() waits for the thread, and
 * closes `to`.  Returns false, with `to` still open and no thread running, if memory
 * runs out, or if the system cannot map `to` or start a thread. */
static bool begin_coming(struct fsd_file *out, const struct fsd_file *compressed,
                         FILE *to, uint64_t limit)
{
    struct fsd_coming *c = calloc(1, sizeof *c);

    if (!c)
        return false;
    *c = (struct fsd_coming){.compressed = *compressed,
                             .limit = limit,
                             .most = fsd_decompressed_most(compressed),
                             .lock = FSD_LOCK_INIT,
                             .moved = FSD_EVENT_INIT,
                             .to = to};
    if (c->most > limit)
        c->most = limit + 1;
    if (fsd_file_map_ahead(out, fileno(to), (size_t)c->most) &&
        fsd_thread_start(&c->thread, decompress_beside, c, STACK, true)) {
        out->coming = c;
        out->abandon = abandon;
        out->size = fsd_file_reach(out, BEGINNING);
        return true;
    }
    fsd_file_close(out);
    out->name = compressed->name;
    free(c);
    return false;
}

size_t fsd_file_reach(const struct fsd_file *file, size_t n)
{
    struct fsd_coming *c = file->coming;
    size_t there;

    if (!c)
        return file->size;
    fsd_lock_take(&c->lock);
    while (c->there <= n && !c->done)
        fsd_event_wait(&c->moved, &c->lock);
    there = (size_t)c->there;
    fsd_lock_give(&c->lock);
    return there;
}

enum fsd_status fsd_file_complete(struct fsd_file *file, struct fsd_error *err)
{
    return file->coming ? end_coming(file, err) : FSD_OK;
}

/* ------------------------------------------------------------------------- opening */

/* What the reader needs. ALL: all bytes at once; COMING: all bytes in sequence, as they
 * arrive; PARTS: bytes at some places; START: only the beginning. */
enum need { ALL, COMING, PARTS, START };

static enum fsd_status open_compressed(struct fsd_file *out, const char *path,
                                       uint64_t limit, enum need need,
                                       struct fsd_error *err)
{
    enum fsd_status status = fsd_file_begin(out, path, limit, err);
    struct fsd_file compressed;
    FILE *to;

    if (status == FSD_OK && need == START && !fsd_is_compressed(out))
        fsd_file_cut(out, BEGINNING);
    else if (status == FSD_OK && (need != PARTS || fsd_is_compressed(out)))
        fsd_file_read_all(out);
    if (status != FSD_OK || !fsd_is_compressed(out))
        return status;
    compressed = *out;
    memset(out, 0, sizeof *out);
    out->name = compressed.name;
    to = fsd_host_temporary();
    if (!to && errno == ENOSYS)
        status = decompress_in_memory(out, &compressed, limit,
                                      need == START ? BEGINNING : UINT64_MAX, err);
    else if (!to)
        status = fsd_fail(err, FSD_E_IO, compressed.name, FSD_POS_NONE, 0,
                          "cannot decompress to a temporary file: %s", strerror(errno));
    else if (need != COMING || !begin_coming(out, &compressed, to, limit))
        status = decompress(out, &compressed, to, limit,
                            need == START ? BEGINNING : UINT64_MAX, err);
    if (to && !out->coming)
        fclose(to);
    return out->coming ? FSD_OK : fsd_file_done(&compressed, status, err);
}

enum fsd_status fsd_file_open_decompressed(struct fsd_file *out, const char *path,
                                           uint64_t limit, struct fsd_error *err)
{
    return open_compressed(out, path, limit, ALL, err);
}

enum fsd_status fsd_file_open_beginning(struct fsd_file *out, const char *path,
                                        uint64_t limit, struct fsd_error *err)
{
    return open_compressed(out, path, limit, START, err);
}

enum fsd_status fsd_file_open_sparse(struct fsd_file *out, const char *path,
                                     uint64_t limit, struct fsd_error *err)
{
    return open_compressed(out, path, limit, PARTS, err);
}

enum fsd_status fsd_file_open_coming(struct fsd_file *out, const char *path,
                                     uint64_t limit, struct fsd_error *err)
{
    return open_compressed(out, path, limit, COMING, err);
}
