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
    const char *name; /* as the user gave it, borrowed */
    const unsigned char *bytes;
    size_t size;
    struct fsd_mapping *map;   /* of the bytes; NULL: they are the caller's, or none */
    bool sparse;               /* not all bytes have been read: see fsd_file_at() */
    struct fsd_coming *coming; /* what is still being unpacked; NULL: nothing is */
};

/** Opens `path` ("-" is standard input) of at most `limit` bytes.  Close it, in the
 * same thread, with fsd_file_done() or fsd_file_close(), whatever is returned.
 *
 *  Another program may cut a file while it is mapped (fsd_map_files()); looking at what
 *  is gone raises SIGBUS.  The first mapping sets a handler that puts zeros there, so
 *  that the reader comes to its end, and fsd_file_done() tells.  Signals of other
 *  origin go on to the handler that was there before. */
enum fsd_status fsd_file_open(struct fsd_file *out, const char *path, uint64_t limit,
                              struct fsd_error *err);
void fsd_file_close(struct fsd_file *file);

/** The same of a file that may be packed by gzip, xz or zstd: its bytes are what was
 *  packed, so that no reader need know. */
enum fsd_status fsd_file_open_unpacked(struct fsd_file *out, const char *path,
                                       uint64_t limit, struct fsd_error *err);

/** The same of the beginning only, to tell what a file is: of one that is packed no
 *  more is unpacked than any reader looks at for that. */
enum fsd_status fsd_file_open_beginning(struct fsd_file *out, const char *path,
                                        uint64_t limit, struct fsd_error *err);

/** The same for a reader that asks for what it looks at, by fsd_file_at(), and steps
 *  over the rest: that is not read.  So are the first 64 KiB, of any file. */
enum fsd_status fsd_file_open_sparse(struct fsd_file *out, const char *path,
                                     uint64_t limit, struct fsd_error *err);

/** The same for a reader that goes through the file from its beginning to its end: of
 *  one that is packed, `size` is that of a beginning, in which a reader finds its
 *  words, and the rest is unpacked while that is read.  fsd_file_reach() tells how far
 *  it is; fsd_file_complete() comes before anything else is done with the file. */
enum fsd_status fsd_file_open_coming(struct fsd_file *out, const char *path,
                                     uint64_t limit, struct fsd_error *err);

/** Reads bytes of the file that have not been read yet, if any. */
void fsd_file_read(const struct fsd_file *file, size_t at, size_t n);

/** Bytes of the file; n may be more than it has. */
static inline const unsigned char *fsd_file_at(const struct fsd_file *file, size_t at,
                                               size_t n)
{
    if (file->sparse)
        fsd_file_read(file, at, n);
    return file->bytes + at;
}

/** Whether the bytes have that word anywhere. */
bool fsd_file_has(const struct fsd_file *file, const char *word);

/** Waits until more than n bytes are there to be looked at, or all are.
 *  @return  how many are. */
size_t fsd_file_reach(const struct fsd_file *file, size_t n);

/** Waits for what is still being unpacked; `size` is that of the whole then.
 *  @return  as fsd_unpack() does. */
enum fsd_status fsd_file_complete(struct fsd_file *file, struct fsd_error *err);

/** Closes the file when all of it that matters has been looked at.
 *  @param status  what came of reading it.
 *  @return  FSD_E_IO, with `err` filled, when bytes were lost meanwhile: whatever was
 *           made of them is void; else `status`. */
enum fsd_status fsd_file_done(struct fsd_file *file, enum fsd_status status,
                              struct fsd_error *err);

/** Tells the system that the bytes before `offset` will not be read again for now, so
 *  that a scan of a large mapping, or of a sparse file, does not keep its pages. */
void fsd_file_release(const struct fsd_file *file, size_t offset);

/** The same on the way, in steps that are worth the call.
 *  @param released  of the way: 0 at its begin; it may go back. */
void fsd_file_release_behind(const struct fsd_file *file, size_t offset,
                             size_t *released);

/** True when the file begins as gzip, xz or zstd begin what they packed. */
bool fsd_is_packed(const struct fsd_file *file);

/** Is told how many bytes have been written so far.
 *  @return  false: no more are wanted. */
typedef bool fsd_reached_fn(void *payload, uint64_t n);

/** Writes the first `first` bytes of what was packed, or all (UINT64_MAX), piece by
 *  piece, so that neither side need be in memory.  Streams that stand behind one
 *  another are one, as for the programs themselves.
 *  @param out      a descriptor.
 *  @param reached  called after each piece; may be NULL.
 *  @return FSD_OK; FSD_E_FORMAT when the file is damaged or cut; FSD_E_LIMIT when it
 *          holds far more than its size can mean (a few bytes can stand for a full
 *          disk); FSD_E_IO. */
enum fsd_status fsd_unpack(const struct fsd_file *file, int out, uint64_t first,
                           fsd_reached_fn *reached, void *payload,
                           struct fsd_error *err);

/** The most bytes that a packed file may hold. */
uint64_t fsd_unpacked_most(const struct fsd_file *file);

/* ------------------------------------------------- of file.c, for who opens files */

/** Maps a regular file of at most `limit` bytes, which has no name, so that nobody cuts
 *  it. */
enum fsd_status fsd_file_map(struct fsd_file *out, int fd, uint64_t limit,
                             struct fsd_error *err);

/** fsd_file_open_sparse() of what is not packed, or opened as it is. */
enum fsd_status fsd_file_begin(struct fsd_file *out, const char *path, uint64_t limit,
                               struct fsd_error *err);

/** Of a sparse file: only its beginning is wanted, or all of it. */
void fsd_file_cut(struct fsd_file *file, size_t size);
void fsd_file_read_all(struct fsd_file *file);

/** Maps so many bytes of a file that has not got them yet: what is written to it is
 *  seen, and what is not there must not be looked at.  False when the system cannot. */
bool fsd_file_map_ahead(struct fsd_file *out, int fd, size_t most);

/** To be called in another thread than the file's own before it looks at the bytes. */
void fsd_file_watch(const struct fsd_file *file);

/** Ends what is still being unpacked. */
void fsd_file_abandon(struct fsd_file *file);

enum fsd_status fsd_file_over_limit(struct fsd_error *err, const char *path,
                                    uint64_t limit);

#endif
