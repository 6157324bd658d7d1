/*
 * The grammar of snapshots.  Each line is a list of words, which state the fields of a
 * record (a C struct). grammar.c has a row for each field, with its type and its
 * offset, for both reading and writing.  Only this folder includes this file.
 */
#pragma once

#include "change/state/state.h"

/* A set of keywords, indexed by number.  An empty keyword is written as "-". */
struct vocabulary {
    unsigned count;
    const char *(*name)(unsigned);
    const char *expected;
};

enum type {
    VERSION,
    HASH,         /* uint64_t[2] */
    SEAL,         /* uint64_t[2]: the hash of all lines above this one */
    SYM,          /* fsd_sym */
    COUNT,        /* uint32_t */
    AMOUNT,       /* int64_t, not negative */
    OWN,          /* uint8_t: number of a keyword */
    FLAG,         /* bool: whether the word is present */
    FORM,         /* struct fsd_state_form: "fp16/chw32" */
    SPREAD,       /* struct fsd_spread: milliseconds; may be missing */
    SOURCE,       /* struct fsd_producer */
    ORIGINS,      /* struct fsd_origins */
    DESTINATIONS, /* struct fsd_destinations */
    SOURCES,      /* struct fsd_span; all types below are spans, too */
    NODES,
    ROW,     /* fsd_variant.nodes; a variant replaces the groups of these nodes */
    MEMBERS, /* the nodes of the line's group */
    TENSORS,
    READS,  /* tensors, each followed by its origin */
    BORDERS /* borders, each with the mark "<" or ">" before it */
};

enum line_kind {
    LINE_TOOL,
    LINE_MODEL,
    LINE_ENGINE,
    LINE_LAYERS,
    LINE_BUILT,
    LINE_TIMES,
    LINE_RUNS,
    LINE_INPUT,
    LINE_OUTPUT,
    LINE_BINDING,
    LINE_NODE,
    LINE_GROUP,
    LINE_MOVE,
    LINE_KERNEL, /* a kernel of the group or move above */
    LINE_ALSO,
    LINE_FATE,
    LINE_VARIANT,
    LINE_END,
    LINE__COUNT
};

/** The order of lines: a line may follow a line of lower rank.  It may also follow a
 *  line of the same rank, unless `once` is set. */
struct line_rank {
    const char *word;
    uint8_t rank;
    bool once;
    enum { OF_FIRST, OF_ANY, OF_OTHERS } of; /**< builds that may have the line */
};
extern const struct line_rank fsd_line_ranks[LINE__COUNT];

/** A line of a build other than the first: the outcome (fate) of a node that has
 *  another outcome in the first build. */
struct fate_line {
    struct fsd_producer node;
    uint8_t fate, precision;
};

struct field {
    enum line_kind line;
    enum type type;
    size_t at;                      /* offset of the member in the record, in bytes */
    const char *expected;           /* for a symbol: the expected text in error
                                       messages */
    const char *mark;               /* the mark that stands before the field.  For FLAG:
                                       the word itself */
    const struct vocabulary *words; /* for OWN: the keywords */
    bool optional;
    bool outputs;  /* for BORDERS: whether they are outputs of the group */
    bool cleared;  /* for FLAG: true if the word sets the member to false */
    uint8_t since; /* number of the first format with this field */
};
extern const struct field fsd_grammar[], *const fsd_grammar_end;
extern const struct vocabulary fsd_dtype_words;
