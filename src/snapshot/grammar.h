/*
 * What a snapshot is made of: lines of words, and a line is fields of a record.  Each
 * field has one row in grammar.c that tells its type and where it is kept, and both
 * reading and writing follow it.  Only this room.
 */
#ifndef FSD_SNAPSHOT_GRAMMAR_H
#define FSD_SNAPSHOT_GRAMMAR_H

#include "compare/state.h"

/* Words of our own, by their number; the empty one is "-". */
struct vocabulary {
    unsigned count;
    const char *(*name)(unsigned);
    const char *expected;
};

enum type {
    VERSION,
    HASH,    /* uint64_t[2] */
    SEAL,    /* the same, of the lines above */
    SYM,     /* fsd_sym */
    COUNT,   /* uint32_t */
    OWN,     /* uint8_t: a word of ours */
    FLAG,    /* bool: said or not */
    FORM,    /* struct fsd_state_form: "fp16/chw32" */
    SPREAD,  /* struct fsd_spread: milliseconds, where they are wanted */
    SOURCE,  /* struct fsd_producer */
    SOURCES, /* struct fsd_span, as the rest */
    REFS,
    NODES,
    ROW,     /* nodes of whole groups, of which a variant tells */
    MEMBERS, /* the nodes of the group that the line tells of */
    TENSORS,
    BORDERS /* each has its mark */
};

enum line_kind {
    LINE_TOOL,
    LINE_MODEL,
    LINE_ENGINE,
    LINE_LAYERS,
    LINE_BUILT,
    LINE_TIMES,
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

/** A line may follow one of its own rank or less, where it is not to stand once only.
 */
struct line_rank {
    const char *word;
    uint8_t rank;
    bool once;
    enum {
        OF_FIRST,
        OF_ANY,
        OF_OTHERS
    } of; /**< builds below whose heads it may stand */
};
extern const struct line_rank fsd_line_ranks[LINE__COUNT];

/** What became of a node that has another fate than in the first build. */
struct fate_line {
    struct fsd_producer node;
    uint8_t fate, precision;
};

struct field {
    enum line_kind line;
    enum type type;
    size_t at;                      /* in its record */
    const char *expected;           /* of a symbol */
    const char *mark;               /* that stands before it; of a flag: the flag */
    const struct vocabulary *words; /* of a word of ours */
    bool optional;
    bool outputs;  /* ports are outputs; borders are those handed on */
    bool cleared;  /* by the flag */
    uint8_t since; /* the format that has it first */
};
extern const struct field fsd_grammar[], *const fsd_grammar_end;
extern const struct vocabulary fsd_dtype_words;

#endif
