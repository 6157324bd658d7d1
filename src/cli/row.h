/* Options as rows: what an option is called, what it takes, and which member of the
 * command line it fills.  The parser, --help, the manual and completion read them. */
#ifndef FSD_CLI_ROW_H
#define FSD_CLI_ROW_H

#include "cli/options.h"

#include <argp.h>
#include <float.h>
#include <stddef.h>

/** What only one option takes; ends with a message where that is wrong. */
typedef void take_fn(struct command_line *line, char *arg, struct argp_state *state);

enum takes {
    TAKES_FLAG,
    TAKES_WORD,
    TAKES_WORDS,
    TAKES_CHOICE,
    TAKES_ONE_OF,
    TAKES_NUMBER,
    TAKES_AMOUNT,
    TAKES_DAY
};

struct option_row {
    const char *name; /* NULL: it has only a letter */
    const char *arg;  /* as --help shows it; NULL: it takes none */
    const char *doc;
    enum takes takes;
    size_t at, n_at;      /* offsets in struct command_line */
    double least, most;   /* of numbers */
    const char *expected; /* the bounds in words, for messages */
    const char *words;    /* what is chosen from, or only offered to be completed */
    unsigned room;        /* of a list */
    take_fn *take;        /* NULL: the member is filled */
    int group;            /* in a help; 0: GROUP_USUAL */
    char letter;
    bool optional; /* its argument */
    bool alias;    /* another name of the row before it */
    bool hidden;
};

enum { GROUP_USUAL = 3 };

/* The offset of a member; does not compile where that has another type. */
#define FSD_AT(member, type)                                                           \
    (offsetof(struct command_line, member) +                                           \
     0 * sizeof(&((struct command_line *)0)->member == (type *)0))
#define FSD_ROOM(list)                                                                 \
    (sizeof((struct command_line *)0)->list / sizeof *((struct command_line *)0)->list)

/* What stands behind the text of a row. */
#define FLAG(member) TAKES_FLAG, FSD_AT(member, bool)
#define WORD(member) TAKES_WORD, FSD_AT(member, const char *)
/* At most as many words as `list` has room for. */
#define WORDS(list, n)                                                                 \
    TAKES_WORDS, offsetof(struct command_line, list), FSD_AT(n, unsigned),             \
        .room = FSD_ROOM(list)
/* The index of one of the words, as an enum may have it; or that word. */
#define CHOICE(member, choices)                                                        \
    TAKES_CHOICE,                                                                      \
        offsetof(struct command_line, member) +                                        \
            0 * sizeof(_Generic(((struct command_line *)0)->member, int : 1,           \
                                unsigned : 1)),                                        \
        .words = (choices)
#define ONE_OF(member, choices)                                                        \
    TAKES_ONE_OF, FSD_AT(member, const char *), .words = (choices)
#define NUMBER(member, least, most, expected)                                          \
    TAKES_NUMBER, FSD_AT(member, unsigned), 0, least, most, expected
#define AMOUNT(member, least, most, expected)                                          \
    TAKES_AMOUNT, FSD_AT(member, double), 0, least, most, expected
#define ABOVE_0            DBL_TRUE_MIN
#define DAY(member)        TAKES_DAY, FSD_AT(member, unsigned)
#define TAKEN_BY(function) .take = (function)

/** Fills the member of a row, or prints a message and exits. */
void take_value(const struct option_row *row, struct command_line *line, char *arg,
                struct argp_state *state);
/** The number that an option called `name` takes, of the bounds that are `expected`. */
unsigned parse_number(const char *name, const char *arg, double least, double most,
                      const char *expected, struct argp_state *state);

/** The tables of a verb's options: its own (0), of all verbs (1), of those that take
 *  one build (2); each is ended by a row of zeros.  options.c */
enum { OPTION_TABLES = 3 };
const struct option_row *option_rows(const struct verb *verb, unsigned table);
bool is_row(const struct option_row *row); /* and not that of zeros */

#endif
