/* The words of a snapshot's lines.  Only snapshot_*.c. */
#ifndef FSD_COMPARE_SNAPSHOT_WORDS_H
#define FSD_COMPARE_SNAPSHOT_WORDS_H

#include "compare/snapshot.h"

enum word_kind { WORD_END, WORD_BARE, WORD_QUOTED, WORD_MARK };

struct word {
    enum word_kind kind;
    bool port;    /* "@" stood before it */
    char *text;   /* decoded, in the scratch arena */
    uint32_t out; /* "#n" stood behind it; else 0 */
};

struct fsd_snapshot_reader {
    struct fsd_state *s;
    struct fsd_arena *scratch;
    const char *name;          /* of the file */
    const char *at, *line_end; /* of what is left of the line */
    const char *begin, *next_line, *end;
    const char *line_begin;
    uint32_t line, format;
    struct word word;                       /* the current one */
    fsd_id *node_of, *input_of, *output_of; /* by name; FSD_NONE */
    uint32_t n_names;
    struct fsd_snapshot_lines *lines;
    bool ended;
    struct fsd_error *err;
    enum fsd_status status;
};

/* All of these return false after a complaint, and the first complaint stays. */

/** Fails the reading with the current word as what was found. */
bool fsd_snapshot_complain(struct fsd_snapshot_reader *r, const char *expected);

/** Goes on to the next line that has words, and to the first of them; false at the end
 *  too. */
bool fsd_snapshot_next_line(struct fsd_snapshot_reader *r);
/** Goes on to the next word of the line. */
bool fsd_snapshot_next(struct fsd_snapshot_reader *r);

bool fsd_snapshot_is_mark(const struct fsd_snapshot_reader *r, const char *mark);
bool fsd_snapshot_is_name(const struct fsd_snapshot_reader *r);
bool fsd_snapshot_skip_mark(struct fsd_snapshot_reader *r, const char *mark);

/** "xxh128:" and 32 digits, the low half first. */
bool fsd_snapshot_take_hash(struct fsd_snapshot_reader *r, uint64_t out[2]);
/** Of the lines before this one, each ended by a line feed alone. */
void fsd_snapshot_hash_above(const struct fsd_snapshot_reader *r, uint64_t out[2]);

#endif
