/* Where reports go: standard output, or a file that appears whole or not at all. */
#ifndef FSD_CLI_OUTPUT_H
#define FSD_CLI_OUTPUT_H

#include "cli/options.h"

/** Refuses an output that is one of the inputs. */
enum fsd_status check_outputs(const struct command_line *line, struct fsd_error *err);

/** Writes one report, or the dump when there is no run; to a file by way of a temporary
 *  one beside it that is renamed.
 *  @param diff NULL for a dump. */
enum fsd_status write_output(const struct command_line *line,
                             const struct output *output, const struct fsd_diff *diff,
                             struct fsd_error *err);

#endif
