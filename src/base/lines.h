/* Escapes lines for CI jobs.  The runner of a CI job reads all output, and must not
 * find a command in it. */
#pragma once

#include "base/base.h"

/** Prints lines, with workflow commands escaped.  The runner of a CI job executes
 *  commands in the job's log: "::error::x" after blanks, and "##[error]x" or "##vso[x]"
 *  anywhere in a line.  The function escapes the character that makes a line a command.
 *  @param escape  the format of that character's code, an unsigned number: "\\u{%x}"
 *  in text, "\\u%04x" in JSON, "&#%u;" in XML
 *  @param json  true: the lines are JSON.  JSON quotes all names, so no line can begin
 *  with the name "::error::x" */
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
