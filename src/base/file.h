/* A whole input as bytes: mapped where the system can, read where it must (standard
 * input).  Only regular files and standard input are read: a directory, FIFO or
 * device is refused, since reading it may block or never end. */
#ifndef FSD_BASE_FILE_H
#define FSD_BASE_FILE_H

#include "base/status.h"
#include <stddef.h>

struct fsd_file {
    const char *name; /* as the user gave it, borrowed */
    const unsigned char *bytes;
    size_t size;
    void *map;  /* the mapping, NULL when the bytes were read */
    void *heap; /* the buffer, NULL when the bytes are mapped */
};

/** Opens `path` ("-" is standard input) of at most `limit` bytes.  Close it with
 *  fsd_file_close() whatever is returned. */
enum fsd_status fsd_file_open(struct fsd_file *out, const char *path, uint64_t limit,
                              struct fsd_error *err);
void fsd_file_close(struct fsd_file *file);

/** Tells the system that the bytes before `offset` will not be read again, so that
 *  a scan of a large mapping does not keep its pages. */
void fsd_file_release(const struct fsd_file *file, size_t offset);

#endif
