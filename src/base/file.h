/* A whole input as bytes: mapped where the system can, read where it must (standard
 * input).  Only regular files and standard input are read: a directory, FIFO or
 * device is refused, since reading it may block or never end. */
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
    struct fsd_mapping *map; /* NULL when the bytes were read */
    void *heap;              /* the buffer, NULL when the bytes are mapped */
};

/** Opens `path` ("-" is standard input) of at most `limit` bytes.  Close it, in the
 * same thread, with fsd_file_done() or fsd_file_close(), whatever is returned.
 *
 *  Another program may cut a file while it is mapped; looking at what is gone raises
 *  SIGBUS.  The first mapping sets a handler that puts zeros there, so that the reader
 *  comes to its end, and fsd_file_done() tells.  Signals of other origin go on to the
 *  handler that was there before. */
enum fsd_status fsd_file_open(struct fsd_file *out, const char *path, uint64_t limit,
                              struct fsd_error *err);
void fsd_file_close(struct fsd_file *file);

/** The same of a file that may be packed by gzip, xz or zstd: its bytes are what was
 *  packed, so that no reader need know. */
enum fsd_status fsd_file_open_unpacked(struct fsd_file *out, const char *path,
                                       uint64_t limit, struct fsd_error *err);

/** The same of the beginning only, to tell what a file is: of one that is packed no more
 *  is unpacked than any reader looks at for that. */
enum fsd_status fsd_file_open_beginning(struct fsd_file *out, const char *path,
                                        uint64_t limit, struct fsd_error *err);

/** Closes the file when all of it that matters has been looked at.
 *  @param status  what came of reading it.
 *  @return  FSD_E_IO, with `err` filled, when bytes were lost meanwhile: whatever was
 *           made of them is void; else `status`. */
enum fsd_status fsd_file_done(struct fsd_file *file, enum fsd_status status,
                              struct fsd_error *err);

/** Tells the system that the bytes before `offset` will not be read again, so that
 *  a scan of a large mapping does not keep its pages. */
void fsd_file_release(const struct fsd_file *file, size_t offset);

/** The same on the way, in steps that are worth the call.
 *  @param released  of the way: 0 at its begin; it may go back. */
void fsd_file_release_behind(const struct fsd_file *file, size_t offset,
                             size_t *released);

/** True when the file begins as gzip, xz or zstd begin what they packed. */
bool fsd_is_packed(const struct fsd_file *file);

/** Writes the first `first` bytes of what was packed, or all (UINT64_MAX), piece by
 *  piece, so that neither side need be in memory.  Streams that stand behind one another
 *  are one, as for the programs themselves.
 *  @return FSD_OK; FSD_E_FORMAT when the file is damaged or cut; FSD_E_LIMIT when it
 *          holds far more than its size can mean (a few bytes can stand for a full
 *          disk); FSD_E_IO. */
enum fsd_status fsd_unpack(const struct fsd_file *file, FILE *out, uint64_t first,
                           struct fsd_error *err);

#endif
