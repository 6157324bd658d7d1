/* A word on stderr for who waits: only on a terminal, only after a second. */
#ifndef FSD_CLI_PROGRESS_H
#define FSD_CLI_PROGRESS_H

#include <fusiondiff/fusiondiff.h>

/** Sets `options->progress`; does nothing when stderr is no terminal. */
void show_progress(struct fsd_options *options);

/** Says that a stage of the program's own begins. */
void progress_stage(const char *stage);

/** Wipes what was said. */
void end_progress(void);

#endif
