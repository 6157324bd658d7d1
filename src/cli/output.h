/* Where reports go: standard output, or a file that appears whole or not at all. */
#ifndef FSD_CLI_OUTPUT_H
#define FSD_CLI_OUTPUT_H

#include "cli/options.h"

/** Refuses an output that is one of the inputs of n builds. */
enum fsd_status check_outputs(const struct command_line *line,
                              const struct fsd_options *inputs, unsigned n,
                              struct fsd_error *err);

/** A closed pipe and a file over its limit become errors like any other; who ends the
 *  program leaves no temporary file behind. */
void prepare_ends(void);

/** Ends the program so, where there is no memory to be had. */
_Noreturn void end_without_memory(void);

/** Where a report goes, and how; `format` is never NULL. */
struct sink {
    const char *format;
    const struct fsd_style *style;
    FILE *out;
    struct fsd_error *err;
};

/** Prints one report. */
typedef enum fsd_status print_fn(const void *payload, const struct sink *to);

/** Closes what was written to `path`, once all of it is on the disk.
 *  @param status  how the writing went; comes back where that was not well */
enum fsd_status close_kept(FILE *out, const char *path, enum fsd_status status,
                           struct fsd_error *err);

/** Brings the name of a file to the disk. */
enum fsd_status sync_folder(const char *path, struct fsd_error *err);

/** Writes every output of the command line; a file by way of a temporary one beside it
 *  that is renamed. */
enum fsd_status write_outputs(const struct command_line *line, print_fn *print,
                              const void *payload, struct fsd_error *err);

/** The same of a verb that makes a model: outputs that end in .onnx are models, the
 *  others reports; where there are only models, a report goes to standard output. */
enum fsd_status write_models(const struct command_line *line, print_fn *print_model,
                             print_fn *print_report, const void *payload,
                             struct fsd_error *err);

/** The same for a report with a verdict: if all of it went to files, a line on standard
 *  error states the verdict, so that the user has more than an exit status. */
enum fsd_status write_judgement(const struct command_line *line, print_fn *print,
                                const void *payload, struct fsd_error *err);

#endif
