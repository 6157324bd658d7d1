/* Escapes lines for CI jobs.  The runner of a CI job reads all output, and must not
 * find a command in it. */
#pragma once

#include "base/base.h"

/** Prints lines, with workflow commands escaped.  The runner of a CI job executes such
 *  commands if they are in the job's output: "::error::x" at the beginning of a line or
 *  after blanks, "##[error]x" or "##vso[x]" anywhere in a line.  The function replaces
 *  the first character of a command by the character's code.
 *  @param escape  the printf format of the code, an unsigned number: "\\u{%x}" in text,
 *         "\\u%04x" in JSON, "&#%u;" in XML
 *  @param json  true: the lines are JSON.  A line of JSON never begins with
 *         "::error::x", because JSON quotes all names */
void fsd_put_escaped(FILE *out, const char *lines, const char *escape, bool json);

/** Whether the runner of a CI job would execute a command in the line. */
bool fsd_is_command(const char *line);

/** A stream that forwards each complete line, with workflow commands escaped: see
 *  fsd_put_escaped(). */
struct fsd_lines {
    FILE *to;
    const char *escape;
    bool json; /**< the lines are JSON: see fsd_put_escaped() */
    /** Changes the lines before they are forwarded; may be NULL. */
    void (*edit)(FILE *out, char *lines, size_t width);
    size_t width;
    struct fsd_print print; /**< the incomplete line */
};

/** Opens the stream of `lines`, whose `print` need not be set. */
FILE *fsd_lines_open(struct fsd_lines *lines);
void fsd_lines_close(struct fsd_lines *lines);
