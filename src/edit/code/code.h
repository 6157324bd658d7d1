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
 * A line is text of our own, with holes where a name of the model, or a number of the
 * engine, stands: a `slot`.  Nothing else of what files say reaches the program's text,
 * and slots are written as literals of Python or in comments; so no name can become
 * code.  Runs are the same when their lines are, holes aside.
 */
#ifndef FSD_CODE_CODE_H
#define FSD_CODE_CODE_H

#include "edit/run.h"

/** What stands in a hole, and how the texts of several runs are written as one. */
enum fsd_slot_kind {
    FSD_SLOT_STRING, /**< a literal; where runs differ, of the function's parameters */
    FSD_SLOT_LAYER,  /**< in comments: "layers 3, 7, 12" */
    FSD_SLOT_RANGE,  /**< in comments: a number, or "0.01 to 0.02" */
    FSD_SLOT_FIRST   /**< in comments: that of the first run */
};

struct fsd_slot {
    enum fsd_slot_kind kind;
    const char *text;
};

/** In a text where a hole is; names never stand in texts. */
#define FSD_HOLE '\1'

/** Text with holes under way. */
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

/** A statement with the comment behind it; without a statement, a comment alone. */
struct fsd_code_line {
    const char *text, *note; /* each may be "" */
    struct fsd_span slots;   /* in the block's: those of the text, then of the note */
};

/** Variables of one function. */
struct fsd_scope_names {
    struct fsd_intern *used;
    fsd_sym *of;              /* by tensor; 0: none */
    uint32_t *stamp;          /* by tensor: of which function `of` is */
    FSD_VEC(uint32_t) counts; /* by word used: how often */
    uint32_t now;
};

/** A run of nodes as lines. */
struct fsd_code_block {
    fsd_id_vec nodes;
    fsd_sym module;          /* in fsd_code.modules; 0: none */
    bool function;           /* else its lines stand in define() */
    fsd_id_vec reads, makes; /* tensors: parameters and results of a function */
    FSD_VEC(fsd_sym) read_as, made_as; /* in the function; in fsd_code.words */
    FSD_VEC(struct fsd_code_line) lines;
    FSD_VEC(struct fsd_slot) slots;
    uint32_t like, next; /* the first block with the same lines; the next; FSD_NONE */
};

/** A program under way. */
struct fsd_code {
    struct fsd_arena *arena;
    const struct fsd_diff *d;
    const struct fsd_graph *g;     /* the model */
    const struct fsd_sizes *sizes; /* of the model alone: true of any input */
    bool torch;
    bool engine; /* one is there */
    const char *path;
    fsd_id_vec inputs, outputs; /* tensors */
    bool *taken;                /* by node: asked for */
    bool *stated;               /* by node: has a statement */
    fsd_id_vec order;           /* of stated nodes */
    bool *numbers;      /* by tensor: known, and no node in the part produces it */
    const char *why;    /* why the node under way cannot be expressed; NULL */
    uint32_t *block_of; /* by node: in `blocks` */
    struct fsd_code_block *block;  /* under way */
    struct fsd_scope_names *names; /* of the function under way: local or top */
    struct fsd_intern *words;      /* identifiers */
    struct fsd_intern *modules;    /* names */
    FSD_VEC(struct fsd_code_block) blocks;
    struct fsd_scope_names local, top;
    uint32_t lines; /* how long it is */
};

/* statement.c */

/** The stem of the name of the variable that holds the node's output. */
const char *fsd_code_stem(const struct fsd_code *c, fsd_id node);
/** Bits: inputs whose numbers stand in the statement where they are known. */
uint32_t fsd_code_literal_inputs(const struct fsd_code *c, fsd_id node);
/** The right side of the node's statement; sets c->why where there is none. */
void fsd_code_statement(struct fsd_code *c, fsd_id node, struct fsd_code_words *w);
/** Numbers of a small tensor of integers, true of any input of the model. */
bool fsd_code_ints(const struct fsd_code *c, fsd_id tensor, int64_t *out, uint32_t *n);
/** The initializer, or output of a Constant, that a tensor is; FSD_NONE. */
fsd_id fsd_code_weight(const struct fsd_code *c, fsd_id tensor);
static inline bool fsd_code_is_weight(const struct fsd_code *c, fsd_id tensor)
{
    return fsd_code_weight(c, tensor) != FSD_NONE;
}
/** The name of a node in TensorRT's layers: its own, else by what it makes. */
const char *fsd_code_node_name(const struct fsd_code *c, fsd_id node);
/** A type as TensorRT's Python spells it, "trt.float32"; NULL: it has none. */
const char *fsd_code_type(enum fsd_dtype type);

/** Prints one operand: a variable, a weight by its name. */
void fsd_code_operand(struct fsd_code *c, fsd_id node, uint32_t input,
                      struct fsd_code_words *w);
/** Prints a template of table.inc. */
void fsd_code_template(struct fsd_code *c, fsd_id node, const char *text,
                       struct fsd_code_words *w);
/** True where the statement makes a tuple of all outputs. */
bool fsd_code_makes_all(const struct fsd_code *c, fsd_id node);
/** Sizes as Python has them: "(1, 3)". */
void fsd_code_tuple(const int64_t *at, uint32_t n, struct fsd_code_words *w);
/** "float32"; NULL: numpy has none. */
const char *fsd_code_numpy_type(enum fsd_dtype type);

/* operators.c: what does not fit a template. */
typedef void fsd_code_fn(struct fsd_code *c, fsd_id node, struct fsd_code_words *w);
/** The function that a row names behind '='. */
fsd_code_fn *fsd_code_by_name(const char *word);

/* block.c */

/** The lines of all blocks. */
void fsd_code_write_blocks(struct fsd_code *c);
/** The variable that a tensor is; 0. */
fsd_sym fsd_code_variable_of(const struct fsd_scope_names *names, fsd_id tensor);
/** A new variable that no other of them is; it becomes `tensor`, if that is one. */
fsd_sym fsd_code_variable(struct fsd_code *c, struct fsd_scope_names *names,
                          const char *stem, fsd_id tensor);
/** What a tensor is called that other functions make: a parameter of this one. */
const char *fsd_code_parameter(struct fsd_code *c, fsd_id tensor);

/* words.c */

/** An identifier of Python: "layer1.0" as "layer1_0". */
const char *fsd_code_identifier(struct fsd_arena *arena, const char *text);
/** A class's name with a sign before each word: "Bert_Layer". */
const char *fsd_code_snake(struct fsd_arena *arena, const char *class);
/** The last part of a module's path that is more than a number: "layer1.0". */
const char *fsd_code_leaf(const char *path);

/* runs.c */

/** The stated nodes in an order in which they can be computed.
 *  @return FSD_E_FORMAT where there is none. */
enum fsd_status fsd_code_order(struct fsd_code *c, struct fsd_error *err);
/** Cuts them into blocks. */
void fsd_code_runs(struct fsd_code *c, const struct fsd_scopes *scopes);

/* fold.c */

/** Finds equal blocks, and counts the program's lines. */
void fsd_code_fold(struct fsd_code *c);
/** The blocks that are the same, in order. */
struct fsd_code_group {
    FSD_VEC(const struct fsd_code_block *) blocks;
    uint32_t *parameter;       /* by slot: which, plus 1; 0: all blocks have one text */
    uint32_t *before, *behind; /* by slot: bytes that all have in common */
    FSD_VEC(const char **) parameters; /* by block: what it is in each */
    FSD_VEC(uint32_t) uses;            /* by parameter: holes */
    uint32_t named; /* the first parameters are arguments, others stand in a table */
    FSD_VEC(const char *) keys; /* by parameter: its row in the table */
    fsd_sym name;
};
/** @param first  a block that is like itself. */
struct fsd_code_group fsd_code_group_of(struct fsd_code *c, uint32_t first);

/* print.c */

void fsd_code_print(struct fsd_code *c, FILE *out);

/* helpers.c */

/** True where the head of the programs defines the word. */
bool fsd_code_is_helper(const char *word);
/** Prints the head of a program, with the functions that its text calls.
 *  @param calls  all of the program's own text.
 *  @param rtx    imports TensorRT for RTX. */
void fsd_code_print_helpers(struct fsd_arena *arena, const char *calls, bool rtx,
                            FILE *out);

/* code.c */

/** What is written, and how. */
struct fsd_code_wish {
    const struct fsd_cut_options *part; /**< NULL: all of the model */
    bool torch;                         /**< pseudo code */
    bool engine;                        /**< the run has one */
    unsigned depth; /**< parts of names that make a module; 0: what is shortest */
};

/** Writes the model as a program.
 *  @return FSD_E_ARG as fsd_cut_new(), FSD_E_FORMAT for a cycle, FSD_E_WRITE. */
enum fsd_status fsd_code_put(const struct fsd_diff *d, const struct fsd_code_wish *wish,
                             FILE *out, struct fsd_error *err);

#endif
