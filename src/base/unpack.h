/* What gzip, xz or zstd packed, as the bytes that it was. */
#ifndef FSD_BASE_UNPACK_H
#define FSD_BASE_UNPACK_H

#include "base/file.h"

#include <stdbool.h>
#include <stdio.h>

/** True when the file begins as one of them does. */
bool fsd_is_packed(const struct fsd_file *file);

/** Writes what was packed, piece by piece, so that neither side need be in memory.
 *  Streams that stand behind one another are one, as for the programs themselves.
 *  @return FSD_OK; FSD_E_FORMAT when the file is damaged or cut; FSD_E_LIMIT when it
 *          holds far more than its size can mean (a few bytes can stand for a full
 *          disk); FSD_E_IO. */
enum fsd_status fsd_unpack(const struct fsd_file *file, FILE *out,
                           struct fsd_error *err);

#endif
