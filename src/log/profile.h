/* Layer times that trtexec --dumpProfile prints into its console log. */
#ifndef FSD_LOG_PROFILE_H
#define FSD_LOG_PROFILE_H

#include "base/file.h"
#include "model/profile.h"

/** Appends a profile for each table in the log; a cut table has the rows that are
 * there.
 *  @param names where the layers' names go.
 *  @return FSD_OK, also when there is none; FSD_E_LIMIT. */
enum fsd_status fsd_log_profile_read(struct fsd_arena *arena, struct fsd_intern *names,
                                     const struct fsd_file *file, fsd_profile_vec *out,
                                     struct fsd_error *err);

#endif
