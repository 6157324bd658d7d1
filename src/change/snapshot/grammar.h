/*
 * The grammar of snapshots: lines of words, where a line has the fields of a record.
 * Each field has one row in grammar.c with its type and its place, which both reading
 * and writing follow.  Only this folder includes it.
 */
#ifndef FSD_SNAPSHOT_GRAMMAR_H
#define FSD_SNAPSHOT_GRAMMAR_H

#include "change/state/state.h"

/* A set of keywords by number; the empty one is "-". */
struct vocabulary {
    unsigned count;
    const char *(*name)(unsigned);
    const char *expected;
};

enum type {
    VERSION,
    HASH,         /* uint64_t[2] */
    SEAL,         /* the same, of the lines above */
    SYM,          /* fsd_sym */
    COUNT,        /* uint32_t */
    AMOUNT,       /* int64_t, not negative */
    OWN,          /* uint8_t: a word of ours */
    FLAG,         /* bool: said or not */
    FORM,         /* struct fsd_state_form: "fp16/chw32" */
    SPREAD,       /* struct fsd_spread: milliseconds, if requested */
    SOURCE,       /* struct fsd_producer */
    ORIGINS,      /* struct fsd_origins */
    DESTINATIONS, /* struct fsd_destinations */
    SOURCES,      /* struct fsd_span, as the rest */
    NODES,
    ROW,     /* nodes of whole groups, which a variant replaces */
    MEMBERS, /* the nodes of the line's group */
    TENSORS,
    READS,  /* tensors, each with its source */
    BORDERS /* each has its mark */
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
    LINE_KERNEL, /* of the group or move above it */
    LINE_ALSO,
    LINE_FATE,
    LINE_VARIANT,
    LINE_END,
    LINE__COUNT
};

/** A line may follow one of its own rank or less, unless it may occur once only. */
struct line_rank {
    const char *word;
    uint8_t rank;
    bool once;
    enum { OF_FIRST, OF_ANY, OF_OTHERS } of; /**< builds below whose heads it may be */
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
    size_t at;                      /* in its record */
    const char *expected;           /* of a symbol */
    const char *mark;               /* the mark before it; of a flag, the flag itself */
    const struct vocabulary *words; /* of a word of ours */
    bool optional;
    bool outputs;  /* borders are those of outputs */
    bool cleared;  /* by the flag */
    uint8_t since; /* the first format that has it */
};
extern const struct field fsd_grammar[], *const fsd_grammar_end;
extern const struct vocabulary fsd_dtype_words;

#endif
