/* One escaping function per format, for names and messages that an input may have
 * chosen. Each requires valid UTF-8 and first applies fsd_put_safe(), so that it prints
 * no control character and no line end. */
#pragma once

#include <stdio.h>

/** Text and attribute values of XML 1.0. */
void fsd_put_xml(FILE *out, const char *s);

/** Markdown of GitHub and GitLab: `s` cannot act as markup, a link or HTML. Call this
 * function only inside <code>, where a mention has no effect. */
void fsd_put_markdown(FILE *out, const char *s);

/** A sentence of a report, in Markdown: text in backquotes becomes <code>. If an input
 * may have chosen words outside of backquotes, the whole sentence becomes <code>. */
void fsd_put_markdown_sentence(FILE *out, const char *s);

/** A cell of CSV, quoted if necessary. A spreadsheet would read a cell that begins with
 * =, +, - or @ (also full-width or after blanks) as a formula. Such a cell gets a
 * leading apostrophe, which makes it text. */
void fsd_put_csv(FILE *out, const char *s);

/** The message of a GitHub workflow command. */
void fsd_put_github(FILE *out, const char *s);
/** The value of a property of a GitHub workflow command: "file", "title". */
void fsd_put_github_property(FILE *out, const char *s);

/** A path as a URI reference (RFC 3986). */
void fsd_put_uri(FILE *out, const char *s);
