/* Functions of file.c for other files that open inputs: compressed.c and opened.c. */
#pragma once

#include "base/base.h"

/** Makes `bytes`, which were allocated with malloc(), the contents of `out`. From then
 *  on, `out` owns them, and fsd_file_close() frees them. After a failure, they are
 *  already freed. */
enum fsd_status fsd_file_own(struct fsd_file *out, unsigned char *bytes, size_t size,
                             struct fsd_error *err);

/** Opens a file like fsd_file_open_sparse(), but does not decompress it. */
enum fsd_status fsd_file_begin(struct fsd_file *out, const char *path, uint64_t limit,
                               struct fsd_error *err);

/** Reads the first `size` bytes of a sparse file, and drops the others: the file then
 * ends there. */
void fsd_file_cut(struct fsd_file *file, size_t size);
void fsd_file_read_all(struct fsd_file *file);

/** Maps `most` bytes of a file that is still empty. Bytes that are written to the file
 *  later appear in the mapping; the caller must not read a byte before it is written.
 *  Returns false if the system cannot map the file. */
bool fsd_file_map_ahead(struct fsd_file *out, int fd, size_t most);

/** Adds the file to the mappings of this thread. A thread that did not open the file
 * must call this function before it reads the bytes. */
void fsd_file_watch(const struct fsd_file *file);

/** Adds a file to the list of opened files that fsd_opened_record() set for this
 * thread. Returns false if memory runs out. */
bool fsd_opened_note(int fd);
bool fsd_opened_note_path(const char *path);
enum fsd_status fsd_file_over_limit(struct fsd_error *err, const char *path,
                                    uint64_t limit);
