/* A whole input as bytes: read, or mapped where the program wants that.  Only regular
 * files and standard input are read: a directory, FIFO or device is refused, since
 * reading it may block or never end. */
#ifndef FSD_BASE_FILE_H
#define FSD_BASE_FILE_H

#include "base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct fsd_file {
    const char *name; /* as given by the user, borrowed */
    const unsigned char *bytes;
    size_t size;
    struct fsd_mapping *map;   /* the mapping of the bytes; NULL: they belong to the
                                  caller, or there are none */
    bool sparse;               /* some bytes may not have been read: see
                                  fsd_file_at() */
    struct fsd_coming *coming; /* a decompression in progress; NULL: there is none */
    void (*abandon)(struct fsd_file *); /* cancels it; NULL: nothing has to be */
};

/** Opens `path` ("-" is standard input) of at most `limit` bytes.  Close it, in the
 *  same thread, with fsd_file_done() or fsd_file_close(), whatever is returned.
 *
 *  Another program may truncate a file while it is mapped (fsd_map_files()); reading a
 *  lost page raises SIGBUS.  The first mapping sets a handler that maps zeros there, so
 * that the reader comes to its end, and fsd_file_done() fails.  Signals of other origin
 *  are passed to the previous handler. */
enum fsd_status fsd_file_open(struct fsd_file *out, const char *path, uint64_t limit,
                              struct fsd_error *err);
void fsd_file_close(struct fsd_file *file);

/** The same for a file that may be compressed with gzip, xz or zstd: its bytes are the
 *  decompressed ones, so that no reader need know. */
enum fsd_status fsd_file_open_decompressed(struct fsd_file *out, const char *path,
                                           uint64_t limit, struct fsd_error *err);

/** The same for the beginning only, to recognize the type of a file: of a compressed
 *  one no more is decompressed than readers look at for that. */
enum fsd_status fsd_file_open_beginning(struct fsd_file *out, const char *path,
                                        uint64_t limit, struct fsd_error *err);

/** The same for a reader that requests by fsd_file_at() what it reads, and skips the
 *  rest, which is not read.  The first 64 KiB are always read. */
enum fsd_status fsd_file_open_sparse(struct fsd_file *out, const char *path,
                                     uint64_t limit, struct fsd_error *err);

/** The same for a reader that reads the file from beginning to end: of a compressed
 *  one, `size` is that of a beginning, which suffices to recognize the file, and the
 *  rest is decompressed in the meantime.  fsd_file_reach() waits for more;
 *  fsd_file_complete() must be called before anything else is done with the file. */
enum fsd_status fsd_file_open_coming(struct fsd_file *out, const char *path,
                                     uint64_t limit, struct fsd_error *err);

/** Reads those of the bytes that have not been read yet. */
void fsd_file_read(const struct fsd_file *file, size_t at, size_t n);

/** Bytes of the file; n may exceed its size. */
static inline const unsigned char *fsd_file_at(const struct fsd_file *file, size_t at,
                                               size_t n)
{
    if (file->sparse)
        fsd_file_read(file, at, n);
    return file->bytes + at;
}

/** Whether the bytes contain the word. */
bool fsd_file_has(const struct fsd_file *file, const char *word);

/** Waits until more than n bytes are available, or all are.  @return how many are. */
size_t fsd_file_reach(const struct fsd_file *file, size_t n);

/** Waits for the end of a decompression; `size` is that of the whole then.  @return as
 *  fsd_decompress(). */
enum fsd_status fsd_file_complete(struct fsd_file *file, struct fsd_error *err);

/** Closes the file after the last read.
 *  @param status the result of reading it.
 *  @return FSD_E_IO, with `err` filled, if bytes were lost meanwhile, so that
 *         all that was read is invalid; else `status`. */
enum fsd_status fsd_file_done(struct fsd_file *file, enum fsd_status status,
                              struct fsd_error *err);

/** Tells the system that the bytes before `offset` will not be read again soon, so that
 *  a scan of a large mapping, or of a sparse file, does not keep its pages. */
void fsd_file_release(const struct fsd_file *file, size_t offset);

/** The same during a scan, in steps large enough for a system call.
 *  @param released how far it was released: 0 at the beginning; it may go back. */
void fsd_file_release_behind(const struct fsd_file *file, size_t offset,
                             size_t *released);

/** True when the file begins like a gzip, xz or zstd file. */
bool fsd_is_compressed(const struct fsd_file *file);

/** Called with the number of bytes written so far.
 *  @return false: stop. */
typedef bool fsd_reached_fn(void *payload, uint64_t n);

/** Decompresses the first `first` bytes, or all (UINT64_MAX), piece by piece, so that
 *  neither side need be in memory.  Concatenated streams are one, as for gzip, xz and
 *  zstd themselves.
 *  @param out      a descriptor.
 *  @param reached  called after each piece; may be NULL.
 *  @return FSD_OK; FSD_E_FORMAT if the file is damaged or truncated; FSD_E_LIMIT
 *         if its contents are far larger than those of real files of its size (a few
 *         bytes can expand to a full disk); FSD_E_IO. */
enum fsd_status fsd_decompress(const struct fsd_file *file, int out, uint64_t first,
                               fsd_reached_fn *reached, void *payload,
                               struct fsd_error *err);

/** The limit on the decompressed size of a file. */
uint64_t fsd_decompressed_most(const struct fsd_file *file);

/* ------------------------------------------------- of file.c, for who opens files */

/** Maps a regular file of at most `limit` bytes that has no name, so that no other
 *  program can truncate it. */
enum fsd_status fsd_file_map(struct fsd_file *out, int fd, uint64_t limit,
                             struct fsd_error *err);

/** fsd_file_open_sparse() without decompression. */
enum fsd_status fsd_file_begin(struct fsd_file *out, const char *path, uint64_t limit,
                               struct fsd_error *err);

/** Reads a sparse file up to `size`, which becomes its size. */
void fsd_file_cut(struct fsd_file *file, size_t size);
void fsd_file_read_all(struct fsd_file *file);

/** Maps `most` bytes of a file that is still empty: bytes written to it appear there,
 *  and bytes not yet written must not be read.  False if the system cannot. */
bool fsd_file_map_ahead(struct fsd_file *out, int fd, size_t most);

/** Must be called by another thread than the file's own before it reads the bytes. */
void fsd_file_watch(const struct fsd_file *file);

enum fsd_status fsd_file_over_limit(struct fsd_error *err, const char *path,
                                    uint64_t limit);

#endif
