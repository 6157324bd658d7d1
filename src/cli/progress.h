/* Words on stderr beside the report: a bar with what is done, for who waits (only on a
 * terminal, only after a second), and notes. */
#ifndef FSD_CLI_PROGRESS_H
#define FSD_CLI_PROGRESS_H

#include <fusiondiff/fusiondiff.h>

/** Sets `options->note`, and `options->progress` when stderr is a terminal; neither,
 *  and no note is ever printed, where all shall be `quiet`. */
void show_progress(struct fsd_options *options, bool quiet);

/** Says that a stage of the program's own begins. */
void progress_stage(const char *stage);

/** How much of the stage is done. */
void progress_count(unsigned done, unsigned of);

/** A fsd_note_fn. */
void print_note(void *payload, const char *message);
/** A text as a terminal may see it, in `out`: nothing in it is obeyed.  What is longer
 *  than an error's message is cut.
 *  @return `out` */
const char *quoted(const char *text, char out[static sizeof(struct fsd_error)]);
/** What may hold names of files, so, on standard error. */
void put_quoted(const char *text);

/** Wipes what was said. */
void end_progress(void);

#endif
