/* The functions that several files of ONNX Runtime's reader use. */
#pragma once

#include "read/engine/reader.h"

/* --------------------------------------------------------------------- profile.c */

/** Whether the file begins like the profile of a session. */
bool fsd_ort_is_profile(const struct fsd_file *file);

/** Appends the only profile in the file. Implements read_profile() of struct
 * fsd_engine_reader. */
enum fsd_status fsd_ort_profile_read(struct fsd_arena *arena, struct fsd_intern *names,
                                     const struct fsd_file *file, fsd_profile_vec *out,
                                     struct fsd_error *err);

/* ------------------------------------------------------------------ assignment.c */

/** Whether the file begins like a list of the nodes of each execution provider
 * (assignment.c). */
bool fsd_ort_is_assignment(const struct fsd_file *file);

/** Reads a list of the nodes of each execution provider into an empty history. Stores
 * nothing if the list is damaged. */
void fsd_ort_assignment_read(struct fsd_history *h, const struct fsd_file *file);

/* --------------------------------------------------------------------- session.c */

/** Whether the file is the log of a session. */
bool fsd_ort_is_session(const struct fsd_file *file);

/** Reads the log of a session. Implements read_log() of struct fsd_engine_reader. */
void fsd_ort_session_read(struct fsd_history *h, const struct fsd_file *file);
