/* One escape per format, for names and messages that an input may have chosen.  All
 * take valid UTF-8 and first do the same as fsd_put_safe(), so that no control
 * character or line end is printed. */
#pragma once

#include <stdio.h>

/** Text and attribute values of XML 1.0. */
void fsd_put_xml(FILE *out, const char *s);

/** Markdown in the dialect of GitHub and GitLab: nothing in `s` acts as markup, a link,
 *  a mention or HTML.  For use inside <code>, where a mention has no effect. */
void fsd_put_markdown(FILE *out, const char *s);

/** A sentence of a report: text in backquotes becomes <code>, all else is text.  If an
 *  input may have chosen words outside of backquotes, the whole sentence is in <code>.
 */
void fsd_put_markdown_sentence(FILE *out, const char *s);

/** A cell of CSV, quoted if necessary.  A cell that a spreadsheet would read as a
 *  formula (it begins with =, +, - or @, also full-width or after blanks) gets a
 *  leading apostrophe, which makes it text. */
void fsd_put_csv(FILE *out, const char *s);

/** The message of a GitHub workflow command. */
void fsd_put_github(FILE *out, const char *s);
/** The value of a property of a GitHub workflow command: "file", "title". */
void fsd_put_github_property(FILE *out, const char *s);

/** A path as a URI reference, after RFC 3986. */
void fsd_put_uri(FILE *out, const char *s);
