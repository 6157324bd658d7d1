/*
 * A model as Python: the network that TensorRT's API defines, or pseudo code like
 * PyTorch's.
 *
 *     nodes, in an order in which each can be computed
 *       -> runs of nodes of one module (runs.c)
 *         -> lines, each a statement or a comment (block.c, statement.c by table.inc)
 *           -> functions: runs whose lines are the same but for names (fold.c)
 *             -> the file (print.c)
 *
 * A line is the program's own text with holes for names of the model and numbers of the
 * engine; the content of a hole is a `slot`.  No other text of a file reaches the
 * program, and slots are written as Python literals or in comments, so no name can
 * become code.  Runs are equal if their lines are, ignoring holes.
 */
#pragma once

#include "edit/run.h"

/** The kind of a slot, and how the texts of several runs are merged. */
enum fsd_slot_kind {
    FSD_SLOT_STRING, /**< a literal; if runs differ, made from the function's
                          parameters */
    FSD_SLOT_LAYER,  /**< in comments: "layers 3, 7, 12" */
    FSD_SLOT_RANGE,  /**< in comments: a number, or "0.01 to 0.02" */
    FSD_SLOT_FIRST   /**< in comments: the text of the first run */
};

struct fsd_slot {
    enum fsd_slot_kind kind;
    const char *text;
};

/** Marks a hole in a text; names never contain it. */
#define FSD_HOLE '\1'

/** A text with holes that is being written. */
struct fsd_code_words {
    struct fsd_arena *arena;
    FSD_VEC(char) text;
    FSD_VEC(struct fsd_slot) slots;
};

void fsd_words_put(struct fsd_code_words *w, const char *text);
void fsd_words_printf(struct fsd_code_words *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void fsd_words_slot(struct fsd_code_words *w, enum fsd_slot_kind kind,
                    const char *text);

/** A statement followed by a comment; without a statement, only a comment. */
struct fsd_code_line {
    const char *text, *note; /* each may be "" */
    struct fsd_span slots;   /* in the block's slots: those of the text, then of the
                                note */
};

/** The variables of one function. */
struct fsd_scope_names {
    struct fsd_intern *used;
    fsd_sym *of;              /* indexed by tensor; 0: none */
    uint32_t *stamp;          /* indexed by tensor: the function for which `of` is
                                 valid */
    FSD_VEC(uint32_t) counts; /* indexed by used word: how often it is used */
    uint32_t now;
};

/** A block of the program: a run of nodes, written as lines. */
struct fsd_code_block {
    fsd_id_vec nodes;
    fsd_sym module;          /* name in fsd_code.modules; 0: none */
    bool function;           /* false: its lines are part of define() */
    fsd_id_vec reads, makes; /* tensors: parameters and results of a function */
    FSD_VEC(fsd_sym) read_as, made_as; /* names in the function; in fsd_code.words */
    FSD_VEC(struct fsd_code_line) lines;
    FSD_VEC(struct fsd_slot) slots;
    uint32_t like, next; /* like: the first block with the same lines; next: the next
                            such block; FSD_NONE */
};

/** A program that is being written. */
struct fsd_code {
    struct fsd_arena *arena;
    const struct fsd_diff *d;
    const struct fsd_graph *g;     /* the model */
    const struct fsd_sizes *sizes; /* from the model alone, so that they hold for any
                                      input */
    bool torch;
    bool engine; /* the run has an engine */
    const char *path;
    fsd_id_vec inputs, outputs; /* tensors */
    bool *taken;                /* indexed by node: it is requested */
    bool *stated;               /* indexed by node: it has a statement */
    fsd_id_vec order;           /* the stated nodes, in an order in which they can be
                                   computed */
    bool *numbers;      /* indexed by tensor: its numbers are known, and no node in the
                           part produces it */
    const char *why;    /* the reason why the current node cannot be expressed; NULL */
    uint32_t *block_of; /* indexed by node: the index of its block in `blocks` */
    struct fsd_code_block *block;  /* the current block */
    struct fsd_scope_names *names; /* variables of the current function, or of
                                      define() */
    struct fsd_intern *words;      /* identifiers */
    struct fsd_intern *modules;    /* names of modules */
    FSD_VEC(struct fsd_code_block) blocks;
    struct fsd_scope_names local, top;
    uint32_t lines; /* number of lines */
};

/* statement.c */

/** The stem of the name of the variable that holds the node's output. */
const char *fsd_code_stem(const struct fsd_code *c, fsd_id node);
/** Bits: inputs whose numbers are written into the statement if they are known. */
uint32_t fsd_code_literal_inputs(const struct fsd_code *c, fsd_id node);
/** Writes the right side of the node's statement; sets c->why if it cannot be
 *  expressed. */
void fsd_code_statement(struct fsd_code *c, fsd_id node, struct fsd_code_words *w);
/** The numbers of a small integer tensor, if they are the same for any input of the
 *  model. */
bool fsd_code_ints(const struct fsd_code *c, fsd_id tensor, int64_t *out, uint32_t *n);
/** The initializer, or output of a Constant, with the tensor's value; FSD_NONE. */
fsd_id fsd_code_weight(const struct fsd_code *c, fsd_id tensor);
static inline bool fsd_code_is_weight(const struct fsd_code *c, fsd_id tensor)
{
    return fsd_code_weight(c, tensor) != FSD_NONE;
}
/** The name of a node in TensorRT's layers: its own, else derived from its output. */
const char *fsd_code_node_name(const struct fsd_code *c, fsd_id node);
/** A type as TensorRT's Python API spells it, "trt.float32"; NULL: it has none. */
const char *fsd_code_type(enum fsd_dtype type);

/** Writes one operand: a variable, or a weight by its name. */
void fsd_code_operand(struct fsd_code *c, fsd_id node, uint32_t input,
                      struct fsd_code_words *w);
/** Writes a template of table.inc. */
void fsd_code_template(struct fsd_code *c, fsd_id node, const char *text,
                       struct fsd_code_words *w);
/** Whether the statement returns a tuple of all outputs. */
bool fsd_code_makes_all(const struct fsd_code *c, fsd_id node);
/** Writes sizes in Python: "(1, 3)". */
void fsd_code_tuple(const int64_t *at, uint32_t n, struct fsd_code_words *w);
/** numpy's name of a type, "float32"; NULL: it has none. */
const char *fsd_code_numpy_type(enum fsd_dtype type);

/* operators.c: operators that fit no template */
typedef void fsd_code_fn(struct fsd_code *c, fsd_id node, struct fsd_code_words *w);
/** The function that a row names after '='. */
fsd_code_fn *fsd_code_by_name(const char *word);

/* block.c */

/** Writes the lines of all blocks. */
void fsd_code_write_blocks(struct fsd_code *c);
/** The variable of a tensor; 0 if it has none. */
fsd_sym fsd_code_variable_of(const struct fsd_scope_names *names, fsd_id tensor);
/** Creates a variable with a new name, for `tensor`; FSD_NONE: for no tensor. */
fsd_sym fsd_code_variable(struct fsd_code *c, struct fsd_scope_names *names,
                          const char *stem, fsd_id tensor);
/** The name of a parameter of the current function, for a tensor that a different
 * function produces. */
const char *fsd_code_parameter(struct fsd_code *c, fsd_id tensor);

/* words.c */

/** A Python identifier: "layer1.0" as "layer1_0". */
const char *fsd_code_identifier(struct fsd_arena *arena, const char *text);
/** A class name with '_' before each word: "Bert_Layer". */
const char *fsd_code_snake(struct fsd_arena *arena, const char *class);
/** The last part of a module's path, preceded by its parent if it is only a number:
 *  "layer1.0". */
const char *fsd_code_leaf(const char *path);

/* runs.c */

/** The stated nodes in an order in which they can be computed.
 *  @return FSD_E_FORMAT if there is no such order */
enum fsd_status fsd_code_order(struct fsd_code *c, struct fsd_error *err);
/** Splits the nodes into blocks. */
void fsd_code_runs(struct fsd_code *c, const struct fsd_scopes *scopes);

/* fold.c */

/** Finds equal blocks, and counts the program's lines. */
void fsd_code_fold(struct fsd_code *c);
/** Equal blocks, in order. */
struct fsd_code_group {
    FSD_VEC(const struct fsd_code_block *) blocks;
    uint32_t *parameter;       /* indexed by slot: its parameter, plus 1; 0: all blocks
                                  have the same text */
    uint32_t *before, *behind; /* indexed by slot: bytes that all texts share at the
                                  front and at the end */
    FSD_VEC(const char **)
    parameters;             /* indexed by parameter and block: the
                                          parameter's text */
    FSD_VEC(uint32_t) uses; /* indexed by parameter: number of holes that it fills */
    uint32_t named; /* number of parameters that are arguments; the others are rows of a
                       table */
    FSD_VEC(const char *) keys; /* indexed by parameter: the key of its row */
    fsd_sym name;
};
/** Returns the group of equal blocks whose first block is `first`.
 * @param first a block that is the first of its group */
struct fsd_code_group fsd_code_group_of(struct fsd_code *c, uint32_t first);

/* print.c */

void fsd_code_print(struct fsd_code *c, FILE *out);

/* helpers.c */

/** Whether the head of the programs defines the word. */
bool fsd_code_is_helper(const char *word);
/** Prints the head of a program, with the functions that its text calls.
 *  @param calls  the program's text, which calls the functions
 *  @param rtx    imports TensorRT for RTX. */
void fsd_code_print_helpers(struct fsd_arena *arena, const char *calls, bool rtx,
                            FILE *out);

/* code.c */

/** The options of a program. */
struct fsd_code_wish {
    const struct fsd_cut_options *part; /**< NULL: the whole model */
    bool torch;                         /**< pseudo code instead of TensorRT's API */
    bool engine;                        /**< the run has an engine */
    unsigned depth; /**< number of parts of a name that make a module; 0: the shortest
                         program */
};

/** Writes the model as a program.
 *  @return FSD_E_ARG like fsd_cut_new(); FSD_E_FORMAT for a cycle; FSD_E_WRITE */
enum fsd_status fsd_code_put(const struct fsd_diff *d, const struct fsd_code_wish *wish,
                             FILE *out, struct fsd_error *err);
