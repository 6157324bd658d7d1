/* Parts of file.c, for those who open files in a way of their own. */
#pragma once

#include "base/base.h"

/** Gives a file these bytes, allocated with malloc(), which the file frees, even if
 *  this function fails. */
enum fsd_status fsd_file_own(struct fsd_file *out, unsigned char *bytes, size_t size,
                             struct fsd_error *err);

/** fsd_file_open_sparse() without decompression. */
enum fsd_status fsd_file_begin(struct fsd_file *out, const char *path, uint64_t limit,
                               struct fsd_error *err);

/** Reads a sparse file up to `size`, which becomes its size. */
void fsd_file_cut(struct fsd_file *file, size_t size);
void fsd_file_read_all(struct fsd_file *file);

/** Maps `most` bytes of a file that is still empty: bytes that are written to the file
 *  later appear in the mapping, and bytes that are not yet written must not be read.
 *  Returns false if the system cannot map them. */
bool fsd_file_map_ahead(struct fsd_file *out, int fd, size_t most);

/** A thread that did not open the file must call this before it reads the bytes. */
void fsd_file_watch(const struct fsd_file *file);

/** Adds a file to the list of fsd_opened_record(); false if memory runs out. */
bool fsd_opened_note(int fd);
bool fsd_opened_note_path(const char *path);
enum fsd_status fsd_file_over_limit(struct fsd_error *err, const char *path,
                                    uint64_t limit);
