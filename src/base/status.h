/* Fills the caller's error struct.  Every message says what was expected and what was
 * found; file and position have fields of their own. */
#ifndef FSD_BASE_STATUS_H
#define FSD_BASE_STATUS_H

#include <fusiondiff/fusiondiff.h>

/** Fills `err` (which may be NULL) and returns `status`, so that a failing function
 *  can end with `return fsd_fail(...)`.
 *  @param file  the input's name as the user gave it; may be NULL. */
enum fsd_status fsd_fail(struct fsd_error *err, enum fsd_status status,
                         const char *file, enum fsd_pos_unit unit, uint64_t pos,
                         const char *format, ...) __attribute__((format(printf, 6, 7)));

/** The same for lack of memory.
 *  @param file the one that was being read; may be NULL. */
enum fsd_status fsd_fail_memory(struct fsd_error *err, const char *file);

/** The end of every writer: FSD_E_WRITE if the stream had an error. */
enum fsd_status fsd_flush(FILE *out, struct fsd_error *err);

#endif
