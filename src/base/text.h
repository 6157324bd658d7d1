/* Text helpers that know nothing of formats: UTF-8 and safe printing. */
#ifndef FSD_BASE_TEXT_H
#define FSD_BASE_TEXT_H

#include "base/slice.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** The length in bytes (1 to 4) of the valid UTF-8 character at s, 0 when the bytes
 *  there are none; n is what is left. */
size_t fsd_utf8_len(const unsigned char *s, size_t n);

/** The code point of a valid character. */
uint32_t fsd_utf8_code(const unsigned char *s, size_t len);

/** Writes the code point in UTF-8.  @return its length in bytes (1 to 4), 0 when no
 *  character has this code. */
size_t fsd_utf8_put(uint32_t code, char out[4]);

/** True for characters that change what is displayed without being visible: controls,
 * bidirectional marks, line separators, and codes that are no characters (U+FFFE, which
 *  XML cannot contain either). */
bool fsd_code_is_hidden(uint32_t code);

/** How many bytes at the front need no escape in text and in JSON: all of nearly all
 *  names. */
size_t fsd_plain_run(const char *s, size_t n);

/** Prints valid UTF-8 such that all of it is visible: hidden characters become
 *  "\\u{1f}", everything else is printed as it is. */
void fsd_put_safe(FILE *out, const char *s);

/** Moves as much from the front of `text` as has room into a JSON string, escaped;
 *  returns the bytes used.  With at least FSD_JSON_ROOM bytes it moves some. */
size_t fsd_escape_json(struct fsd_slice *text, char *ready, size_t room);
enum { FSD_JSON_ROOM = 16 };

/** "x.onnx" of "models/x.onnx": what is behind the last slash. */
const char *fsd_base_name(const char *path);

/** Prints one word of a shell's command line, quoted if necessary. */
void fsd_put_shell_word(FILE *out, const char *word);

/** The digits of a number, at the end of `room`.  Most numbers of a report are small
 *  integers, for which this takes a tenth of a format's time. */
enum { FSD_DIGITS = 21 };
const char *fsd_digits(uint64_t number, char room[FSD_DIGITS]);

/** A name, shortened for lists: a layer of thousands of nodes has all their names in
 *  its own, and repeating it for each node would be quadratic.  Of a name beyond
 *  FSD_BRIEF bytes the front, written to `room`: "Conv_1 + Con...". */
enum { FSD_BRIEF = 2048, FSD_BRIEF_ROOM = FSD_BRIEF + 4 };
const char *fsd_brief(const char *name, char room[FSD_BRIEF_ROOM]);

/** "1 layer", "2 layers". */
void fsd_put_noun(FILE *out, uint64_t n, const char *noun);

/** "38.5 MB" of 38500000 and " B", decimal prefixes; "-" of a negative number; `term`
 *  is printed instead where it is not NULL. */
void fsd_put_scaled(int64_t n, const char *term, const char *unit, FILE *out);
/** The columns of `s` on a terminal when printed by fsd_put_safe(): an East Asian wide
 *  character takes two, a combining mark none. */
size_t fsd_safe_width(const char *s);

/** Prints `s` so, in at most `width` columns: the middle of a longer one is left out.
 *  A width below 8 is unlimited.  Returns the columns used. */
size_t fsd_put_fitted(FILE *out, const char *s, size_t width);

/** Runners of CI jobs execute lines of a job's log: "::error::x" behind blanks, and
 *  "##[error]x" or "##vso[x]" anywhere.  Prints lines of which none is a command: the
 *  character that would make it one is printed by `escape`, the format of an unsigned
 *  number: "\\u{%x}" in text, "\\u%04x" in JSON, "&#%u;" in XML. */
void fsd_put_escaped(FILE *out, const char *lines, const char *escape);

/** True when a runner would execute a command in the line. */
bool fsd_is_command(const char *line);

#endif
