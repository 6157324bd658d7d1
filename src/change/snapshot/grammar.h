/*
 * The grammar of snapshots: each line is a list of words that hold the fields of a
 * record. grammar.c has one row per field, with its type and offset, which both reading
 * and writing follow.  Only this folder includes it.
 */
#pragma once

#include "change/state/state.h"

/* A set of keywords, indexed by number; an empty keyword is written "-". */
struct vocabulary {
    unsigned count;
    const char *(*name)(unsigned);
    const char *expected;
};

enum type {
    VERSION,
    HASH,         /* uint64_t[2] */
    SEAL,         /* the hash of the lines above, in the same form */
    SYM,          /* fsd_sym */
    COUNT,        /* uint32_t */
    AMOUNT,       /* int64_t, not negative */
    OWN,          /* uint8_t: a keyword of a vocabulary */
    FLAG,         /* bool: the word is present or not */
    FORM,         /* struct fsd_state_form: "fp16/chw32" */
    SPREAD,       /* struct fsd_spread: milliseconds; left out on request */
    SOURCE,       /* struct fsd_producer */
    ORIGINS,      /* struct fsd_origins */
    DESTINATIONS, /* struct fsd_destinations */
    SOURCES,      /* struct fsd_span, as are the types below */
    NODES,
    ROW,     /* nodes of whole groups, which a variant replaces */
    MEMBERS, /* the nodes of the line's group */
    TENSORS,
    READS,  /* tensors, each with its origin */
    BORDERS /* borders, each with its mark */
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
    LINE_KERNEL, /* belongs to the group or move above it */
    LINE_ALSO,
    LINE_FATE,
    LINE_VARIANT,
    LINE_END,
    LINE__COUNT
};

/** A line may follow a line of lower rank, or of its own rank unless it may occur only
 *  once. */
struct line_rank {
    const char *word;
    uint8_t rank;
    bool once;
    enum { OF_FIRST, OF_ANY, OF_OTHERS } of; /**< builds that may have it */
};
extern const struct line_rank fsd_line_ranks[LINE__COUNT];

/** A node whose fate differs from that in the first build. */
struct fate_line {
    struct fsd_producer node;
    uint8_t fate, precision;
};

struct field {
    enum line_kind line;
    enum type type;
    size_t at;                      /* offset in its record */
    const char *expected;           /* for a symbol: what messages expect */
    const char *mark;               /* the mark before the field; for a flag, the flag
                                       itself */
    const struct vocabulary *words; /* the keywords, for OWN */
    bool optional;
    bool outputs;  /* the borders are those of outputs */
    bool cleared;  /* the flag clears the member instead of setting it */
    uint8_t since; /* the first format with this field */
};
extern const struct field fsd_grammar[], *const fsd_grammar_end;
extern const struct vocabulary fsd_dtype_words;
