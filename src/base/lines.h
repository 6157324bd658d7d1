/* Lines that the runner of a CI job may read: none of them may be a command to it. */
#pragma once

#include "base/base.h"

/** Runners of CI jobs execute lines of a job's log: "::error::x" after blanks, and
 *  "##[error]x" or "##vso[x]" anywhere.  Prints the lines so that none is a command:
 *  the character that would make a line a command is printed with `escape`, a format
 *  for its code as an unsigned number: "\\u{%x}" in text, "\\u%04x" in JSON, "&#%u;" in
 *  XML.
 *  @param json no line begins with a name, so that only the second form occurs */
void fsd_put_escaped(FILE *out, const char *lines, const char *escape, bool json);

/** Whether a runner would execute a command in the line. */
bool fsd_is_command(const char *line);

/** A stream that forwards each complete line, with workflow commands escaped: see
 *  fsd_put_escaped(). */
struct fsd_lines {
    FILE *to;
    const char *escape;
    bool json; /**< no line begins with a name */
    /** Changes the lines before they are forwarded; may be NULL. */
    void (*edit)(FILE *out, char *lines, size_t width);
    size_t width;
    struct fsd_print print; /**< the incomplete line */
};

/** Opens the stream of `lines`, whose `print` need not be set. */
FILE *fsd_lines_open(struct fsd_lines *lines);
void fsd_lines_close(struct fsd_lines *lines);
