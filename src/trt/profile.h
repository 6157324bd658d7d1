/* Times that trtexec writes as JSON: --exportProfile and --exportTimes. */
#ifndef FSD_TRT_PROFILE_H
#define FSD_TRT_PROFILE_H

#include "base/file.h"
#include "model/profile.h"

/** Appends every profile of the file; a file may hold several, one list behind another.
 *  @param names where the layers' names go; most are the engine's.
 *  @return FSD_OK; FSD_E_FORMAT with the byte where the file is damaged, or when it is
 *          something else (a trace, a dump of layers); FSD_E_LIMIT. */
enum fsd_status fsd_profile_read(struct fsd_arena *arena, struct fsd_intern *names,
                                 const struct fsd_file *file, fsd_profile_vec *out,
                                 struct fsd_error *err);

/** Reads the file of --exportTimes; errors as above. */
enum fsd_status fsd_times_read(struct fsd_arena *arena, const struct fsd_file *file,
                               struct fsd_run_times *out, struct fsd_error *err);

#endif
