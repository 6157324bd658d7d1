/* Reads and writes the words of a snapshot's lines.  Only this folder includes this
 * file. */
#pragma once

#include "base/base.h"

enum word_kind { WORD_END, WORD_BARE, WORD_QUOTED, WORD_MARK };

struct word {
    enum word_kind kind;
    bool port;        /* whether "@" is before it */
    const char *text; /* decoded; valid until the next line */
    uint32_t out;     /* the number n if "#n" follows the word; else 0 */
};

/* Iterates over the lines of a text, and over the words of a line. */
struct words {
    struct fsd_arena *scratch;
    const char *name;                                 /* name of the file */
    const char *begin, *line_begin, *next_line, *end; /* positions in the text */
    const char *at, *line_end;                        /* the rest of the line */
    char *decoded;                                    /* memory for the decoded words of
                                                         a line */
    size_t decoded_size, decoded_used;
    uint32_t line;
    struct word word; /* the current word */
    struct fsd_error *err;
    enum fsd_status status;
};

/* All functions that return bool return false after an error.  The first error is
 * kept. */

/** Sets the error "expected X, found Y", and returns false.  X is `expected`, and Y is
 *  the current word. */
bool fsd_words_complain(struct words *w, const char *expected);

/** Returns to the beginning of the text. */
void fsd_words_rewind(struct words *w);
/** Advances to the first word of the next line that has words; false at the end of the
 *  text or after an error. */
bool fsd_words_next_line(struct words *w);
/** Advances to the next word of the line. */
bool fsd_words_next(struct words *w);

bool fsd_words_at_mark(const struct words *w, const char *mark);
/** Whether the current word is the bare word `own`. */
bool fsd_words_at_own(const struct words *w, const char *own);
/** Whether the current word is a name, bare or quoted, with or without "@". */
bool fsd_words_at_name(const struct words *w);

bool fsd_words_take_count(struct words *w, uint32_t *out);
bool fsd_words_take_amount(struct words *w, int64_t *out);
/** Reads "~" and three times in milliseconds; without "~", sets unknown times. */
bool fsd_words_take_spread(struct words *w, struct fsd_spread *out);
/** Reads "xxh128:" and 32 hexadecimal digits. */
bool fsd_words_take_hash(struct words *w, uint64_t out[2]);
/** Sets `out` to the hash of all lines above the current line, with LF as line ends. */
void fsd_words_hash_above(const struct words *w, uint64_t out[2]);

/** Prints a name, with quotes and escapes if it would be ambiguous without them. */
void fsd_put_name(const char *name, FILE *out);
void fsd_put_hash(const uint64_t hash[2], FILE *out);
