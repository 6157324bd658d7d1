/* What the files of ONNX Runtime's reader share. */
#ifndef FSD_ORT_ORT_H
#define FSD_ORT_ORT_H

#include "read/engine/reader.h"

/* --------------------------------------------------------------------- profile.c */

/** True for a session's profile, by its beginning. */
bool fsd_ort_is_profile(const struct fsd_file *file);

/** Appends the one profile of the file: the read_profile() of an fsd_engine_reader. */
enum fsd_status fsd_ort_profile_read(struct fsd_arena *arena, struct fsd_intern *names,
                                     const struct fsd_file *file, fsd_profile_vec *out,
                                     struct fsd_error *err);

/* ------------------------------------------------------------------ assignment.c */

/** True for a list of the nodes that each provider took, by its beginning. */
bool fsd_ort_is_assignment(const struct fsd_file *file);

/** Reads such a list into an empty history; nothing of one that is damaged. */
void fsd_ort_assignment_read(struct fsd_history *h, const struct fsd_file *file);

/* --------------------------------------------------------------------- session.c */

/** True for the log of a session. */
bool fsd_ort_is_session(const struct fsd_file *file);

/** Reads what a session's log reports: the read_log() of an fsd_engine_reader. */
void fsd_ort_session_read(struct fsd_history *h, const struct fsd_file *file);

#endif
