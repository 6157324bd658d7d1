/* What `collect` is made of: the command as it is run, and the running of it. */
#ifndef FSD_CLI_COLLECT_H
#define FSD_CLI_COLLECT_H

#include <fusiondiff/fusiondiff.h>
#include <limits.h>
#include <stdbool.h>

enum { MOST_COMMAND = 4096, MOST_EXPORTS = 3 };

/** A file that the command writes, and the one of the directory that it becomes. */
struct exported {
    const char *option; /**< trtexec's, with its '=': a literal */
    const char *name;   /**< "layers.json" */
    const char *asked; /**< where the user's own words have it written; NULL: nowhere */
    char word[PATH_MAX + 64]; /**< the option that was added; "" where none was */
};

struct collect_command {
    const char *words[MOST_COMMAND + 1]; /**< as it is run; ends with NULL */
    unsigned n;
    const char *model; /**< among its words, an ONNX model; NULL: none is */
    bool trtexec;
    struct exported exports[MOST_EXPORTS]; /**< layers, profile, times */
};

/** The words of the user with what trtexec lacks to write its layers, its profile and a
 *  verbose log into `folder`, as far as its --help lists such options.
 *  @param given,n  the user's words, at least one; borrowed.
 *  @return FSD_E_ARG where there are too many. */
enum fsd_status complete_command(struct collect_command *out, const char *const *given,
                                 unsigned n, const char *folder, struct fsd_error *err);

/** Runs the command, prints its output, and writes it to the file `path`.
 *  FUSIONDIFF_COLLECT is `folder` in its environment.
 *  @param status  set to its exit status, or to 128 and the signal that ended it.
 *  @param ended_by set to that signal, or to one that this program received and
 *         forwarded; 0: none.
 *  @return FSD_E_IO where it could not be started; FSD_E_WRITE where the log could not
 *          be written. */
enum fsd_status run_command(const char *const *words, const char *folder,
                            const char *path, int *status, int *ended_by,
                            struct fsd_error *err);

/** What a command prints, both streams, at most size - 1 bytes; "" where it cannot be
 *  run. */
void read_command(const char *const *words, char *text, size_t size);

#endif
