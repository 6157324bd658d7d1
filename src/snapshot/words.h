/* The words of a snapshot's lines, read and written.  Only this room. */
#ifndef FSD_SNAPSHOT_WORDS_H
#define FSD_SNAPSHOT_WORDS_H

#include "base/spread.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum word_kind { WORD_END, WORD_BARE, WORD_QUOTED, WORD_MARK };

struct word {
    enum word_kind kind;
    bool port;        /* "@" stood before it */
    const char *text; /* decoded; until the next line, when it is the reader's */
    uint32_t out;     /* "#n" stood behind it; else 0 */
};

/* Goes through the lines of a text, and through the words of a line. */
struct words {
    struct fsd_arena *scratch;
    const char *name;                                 /* of the file */
    const char *begin, *line_begin, *next_line, *end; /* in the text */
    const char *at, *line_end;                        /* of what is left of the line */
    char *decoded;                                    /* the words of the line */
    size_t decoded_size, decoded_used;
    uint32_t line;
    struct word word; /* the current one */
    struct fsd_error *err;
    enum fsd_status status;
};

/* All that return bool do so false after a complaint, and the first complaint stays. */

/** Fails the reading with the current word as what was found. */
bool fsd_words_complain(struct words *w, const char *expected);

/** Back to the begin of the text. */
void fsd_words_rewind(struct words *w);
/** Goes on to the next line that has words, and to the first of them; false at the end
 *  too. */
bool fsd_words_next_line(struct words *w);
/** Goes on to the next word of the line. */
bool fsd_words_next(struct words *w);

bool fsd_words_at_mark(const struct words *w, const char *mark);
/** The bare word. */
bool fsd_words_at_own(const struct words *w, const char *own);
/** A name, bare or quoted; it may be a port's. */
bool fsd_words_at_name(const struct words *w);

bool fsd_words_take_count(struct words *w, uint32_t *out);
/** "~" and the milliseconds; none where that mark does not stand. */
bool fsd_words_take_spread(struct words *w, struct fsd_spread *out);
/** "xxh128:" and 32 digits. */
bool fsd_words_take_hash(struct words *w, uint64_t out[2]);
/** Of the lines before this one, each ended by a line feed alone. */
void fsd_words_hash_above(const struct words *w, uint64_t out[2]);

/** A name as it stands where that cannot be misread, else in quotes. */
void fsd_put_name(const char *name, FILE *out);
void fsd_put_hash(const uint64_t hash[2], FILE *out);

#endif
