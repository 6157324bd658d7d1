/*
 * Writes a model as Python: as calls of TensorRT's API that define the network, or as
 * pseudo code like PyTorch's.
 *
 *     nodes, in an order in which each can be computed
 *       -> runs of nodes of one module (runs.c)
 *         -> lines, each a statement or a comment (block.c, statement.c by table.inc)
 *           -> functions: runs whose lines differ only in names (fold.c)
 *             -> the file (print.c)
 *
 * A line is text of this library with holes. A `slot` fills a hole, for example with a
 * name of the model or a number of the engine. Text of an input file reaches the
 * program only in slots. Slots are written as Python literals or in comments, so no
 * name can become code. Runs are equal if their lines without the slots are equal.
 */
#pragma once

#include "edit/run.h"

/** The kind of a slot. It determines how the texts of several runs are merged. */
enum fsd_slot_kind {
    FSD_SLOT_STRING, /**< a string literal; if the text differs between runs, the
                          literal uses a parameter of the function */
    FSD_SLOT_LAYER,  /**< in comments: "layers 3, 7, 12" */
    FSD_SLOT_RANGE,  /**< in comments: a number, or "0.01 to 0.02" */
    FSD_SLOT_FIRST   /**< in comments: the text of the first run */
};

struct fsd_slot {
    enum fsd_slot_kind kind;
    const char *text;
};

/** The character that marks a hole in a text. Names never contain it. */
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

/** A statement followed by a comment, or only a comment. */
struct fsd_code_line {
    const char *text, *note; /* each may be "" */
    struct fsd_span slots;   /* a span of the block's slots: first the slots of the
                                text, then the slots of the note */
};

/** The names of the variables of one function. */
struct fsd_scope_names {
    struct fsd_intern *used;
    fsd_sym *of;     /* indexed by tensor: the name of its variable; 0: none */
    uint32_t *stamp; /* indexed by tensor: the value of `now` when `of` was set. If
                        `now` has changed since then, the tensor has no variable */
    FSD_VEC(uint32_t)
    counts; /* indexed by symbol of `used`: how often the word is
                                 used */
    uint32_t now;
};

/** A block of the program: a run of nodes, written as lines. */
struct fsd_code_block {
    fsd_id_vec nodes;
    fsd_sym module;          /* name in fsd_code.modules; 0: none */
    bool function;           /* the block is a function; false: its lines are part of
                                define() */
    fsd_id_vec reads, makes; /* tensors: parameters and results of a function */
    FSD_VEC(fsd_sym)
    read_as, made_as; /* the names of `reads` and `makes` in the
                                          function, symbols of fsd_code.words */
    FSD_VEC(struct fsd_code_line) lines;
    FSD_VEC(struct fsd_slot) slots;
    uint32_t like, next; /* like: the first block with equal lines; next: the next block
                            with equal lines, or FSD_NONE */
};

/** A program that is being written. */
struct fsd_code {
    struct fsd_arena *arena;
    const struct fsd_diff *d;
    const struct fsd_graph *g;     /* the model */
    const struct fsd_sizes *sizes; /* sizes that hold for any input: they come from the
                                      model alone, not from the engine */
    bool torch;
    bool engine; /* the run has an engine */
    const char *path;
    fsd_id_vec inputs, outputs; /* tensors */
    bool *taken;                /* indexed by node: the node is requested */
    bool *stated;               /* indexed by node: the node has a statement */
    fsd_id_vec order;           /* the nodes with a statement, in an order in which they
                                   can be computed */
    bool *numbers;      /* indexed by tensor: the tensor's numbers are known, and no
                           requested node produces the tensor */
    const char *why;    /* why the current node cannot be expressed; NULL: it can */
    uint32_t *block_of; /* indexed by node: the index of its block in `blocks` */
    struct fsd_code_block *block;  /* the current block */
    struct fsd_scope_names *names; /* the variables of the current function, or of
                                      define(): `local` or `top` */
    struct fsd_intern *words;      /* identifiers */
    struct fsd_intern *modules;    /* names of modules */
    FSD_VEC(struct fsd_code_block) blocks;
    struct fsd_scope_names local, top;
    uint32_t lines; /* number of lines */
};

/* statement.c */

/** The word from which the variables for the node's outputs get their names. */
const char *fsd_code_stem(const struct fsd_code *c, fsd_id node);
/** Returns a bit mask of inputs. If the numbers of such an input are known, the node's
 *  statement contains the numbers instead of a variable. */
uint32_t fsd_code_literal_inputs(const struct fsd_code *c, fsd_id node);
/** Writes the right side of the node's statement. Sets c->why if the node cannot be
 *  expressed. */
void fsd_code_statement(struct fsd_code *c, fsd_id node, struct fsd_code_words *w);
/** Gets the numbers of a small integer tensor.
 *  @param out at least FSD_INTS numbers
 *  @return false if the rank or a number is unknown, or if a number depends on a
 *          dynamic size */
bool fsd_code_ints(const struct fsd_code *c, fsd_id tensor, int64_t *out, uint32_t *n);
/** The tensor that stores the value of `tensor`: an initializer, or the output of a
 *  Constant; FSD_NONE if there is none. */
fsd_id fsd_code_weight(const struct fsd_code *c, fsd_id tensor);
static inline bool fsd_code_is_weight(const struct fsd_code *c, fsd_id tensor)
{
    return fsd_code_weight(c, tensor) != FSD_NONE;
}
/** The name that the program gives to the TensorRT layers of the node: the name of the
 *  node or, if the node has no name, "node_of_X" for its output X. */
const char *fsd_code_node_name(const struct fsd_code *c, fsd_id node);
/** A type as TensorRT's Python API spells it, such as "trt.float32"; NULL if TensorRT
 *  has no such type. */
const char *fsd_code_type(enum fsd_dtype type);

/** Writes an operand: a variable, or a weight by its name. */
void fsd_code_operand(struct fsd_code *c, fsd_id node, uint32_t input,
                      struct fsd_code_words *w);
/** Writes a template of table.inc, with its placeholders filled for the node. */
void fsd_code_template(struct fsd_code *c, fsd_id node, const char *text,
                       struct fsd_code_words *w);
/** Whether the right side of the node's statement returns a tuple of all outputs. If
 *  not, it returns the first output. */
bool fsd_code_makes_all(const struct fsd_code *c, fsd_id node);
/** Writes a number with enough digits for Python to read the same single-precision
 *  value. A number that is not finite is written as a call: float("-inf"). */
void fsd_code_number(double number, struct fsd_code_words *w);
/** Writes sizes in Python: "(1, 3)". */
void fsd_code_tuple(const int64_t *at, uint32_t n, struct fsd_code_words *w);
/** numpy's name of a type, such as "float32"; NULL if numpy has no such type. */
const char *fsd_code_numpy_type(enum fsd_dtype type);

/* operators.c: operators that fit no template */
typedef void fsd_code_fn(struct fsd_code *c, fsd_id node, struct fsd_code_words *w);
/** The function for the word that follows '=' in a row of table.inc. */
fsd_code_fn *fsd_code_by_name(const char *word);

/* block.c */

/** Writes the lines of all blocks. */
void fsd_code_write_blocks(struct fsd_code *c);
/** The name of a tensor's variable; 0 if the tensor has no variable. */
fsd_sym fsd_code_variable_of(const struct fsd_scope_names *names, fsd_id tensor);
/** Makes a new name for a variable. If `tensor` is not FSD_NONE, the variable stands
 *  for `tensor`. */
fsd_sym fsd_code_variable(struct fsd_code *c, struct fsd_scope_names *names,
                          const char *stem, fsd_id tensor);
/** Returns a Python expression for a tensor that the current function does not produce:
 *  - a call of constant() if the numbers of the tensor are known;
 *  - "None" if the current block is not a function;
 *  - otherwise the name of a parameter, which is added to the function. */
const char *fsd_code_parameter(struct fsd_code *c, fsd_id tensor);

/* words.c */

/** The text as a Python identifier: "layer1_0" for "layer1.0". */
const char *fsd_code_identifier(struct fsd_arena *arena, const char *text);
/** A class name with '_' between its words: "Bert_Layer" for "BertLayer". */
const char *fsd_code_snake(struct fsd_arena *arena, const char *class);
/** The last part of the path of a module or class: the text after the last '/'. If the
 *  path has no '/', the text after the last '.' that is not before a digit: "layer1.0"
 *  for "encoder.layer1.0". If there is no such '.', the whole path. */
const char *fsd_code_leaf(const char *path);

/* runs.c */

/** Sets c->order: the nodes with a statement, in an order in which they can be
 *  computed.
 *  @return FSD_E_FORMAT if there is no such order */
enum fsd_status fsd_code_order(struct fsd_code *c, struct fsd_error *err);
/** Divides the nodes of c->order into blocks. */
void fsd_code_runs(struct fsd_code *c, const struct fsd_scopes *scopes);

/* fold.c */

/** Finds equal blocks, and counts the program's lines. */
void fsd_code_fold(struct fsd_code *c);
/** A group of equal blocks. `blocks` has them in the order of the program. */
struct fsd_code_group {
    FSD_VEC(const struct fsd_code_block *) blocks;
    uint32_t *parameter;       /* indexed by slot: the parameter that fills the hole,
                                  as 1 + its index in `parameters`; 0: none */
    uint32_t *before, *behind; /* indexed by slot: number of bytes that the texts of all
                                  blocks share at the front, and at the end */
    FSD_VEC(const char **)
    parameters;             /* indexed by parameter, then by block: the text of the
                               parameter */
    FSD_VEC(uint32_t) uses; /* indexed by parameter: number of holes that it fills */
    uint32_t named; /* the first `named` parameters are arguments of the function; the
                       other parameters are rows of a table */
    FSD_VEC(const char *)
    keys; /* indexed by parameter: the key of its row in the
                                   table */
    fsd_sym name;
};
/** Returns the group of all blocks that are equal to a block.
 *  @param first the index of the first of these blocks in c->blocks */
struct fsd_code_group fsd_code_group_of(struct fsd_code *c, uint32_t first);

/* print.c */

void fsd_code_print(struct fsd_code *c, FILE *out);

/* helpers.c */

/** Whether the head of a program defines the word. */
bool fsd_code_is_helper(const char *word);
/** Prints the head of a program, with the helper functions that the program calls.
 *  @param calls the text of the program, which calls the helper functions
 *  @param rtx whether to import TensorRT for RTX */
void fsd_code_print_helpers(struct fsd_arena *arena, const char *calls, bool rtx,
                            FILE *out);

/* code.c */

/** The options of a program. */
struct fsd_code_wish {
    const struct fsd_cut_options *part; /**< NULL: the whole model */
    bool torch;                         /**< pseudo code instead of TensorRT's API */
    bool engine;                        /**< the run has an engine */
    unsigned depth; /**< the first `depth` parts of a node's name are its module; 0: the
                         depth that gives the shortest program */
};

/** Writes the model as a program.
 *  @return FSD_E_ARG like fsd_cut_new(); FSD_E_FORMAT for a cycle; FSD_E_WRITE */
enum fsd_status fsd_code_put(const struct fsd_diff *d, const struct fsd_code_wish *wish,
                             FILE *out, struct fsd_error *err);
