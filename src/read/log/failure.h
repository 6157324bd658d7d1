/*
 * Why an attempt to build failed: the error messages of a log, and the meaning of a
 * message, derived from the forms in which TensorRT 8 to 11 and TensorRT for RTX write
 * it.
 */
#pragma once

#include "base/base.h"
#include "model/graph/history.h"

struct fsd_log_line;

/* ------------------------------------------------------------------------- messages */

/*
 * Why an attempt to build failed.  The parser describes a node in several lines, some
 * of which have no prefix,
 *
 *     [E] While parsing node number 5 [DFT -> "t"]:
 *     [E] --- Begin node ---
 *     Node name: N                              until TensorRT 9:   name: "N"
 *     [E] --- End node ---
 *     [E] ERROR: onnxOpCheckers.cpp:998 In function checkFallbackPluginImporter:
 *     [6] REASON
 *
 * or it describes an input, x, or only names its own source file (MODEL.cpp:945),
 *
 *     [E] ERROR: x:992 In function importInput:
 *     [8] REASON
 *
 * and the builder prints one line, which may contain the node:
 *
 *     [E] IBuilder::buildSerializedNetwork: Error Code 1: Myelin ([pass.cpp:337: f]
 *     Cannot compile operation 'N' for Turing (SM75): FP32 GEMM is not supported. ...)
 *
 * or several lines, up to the closing parenthesis:
 *
 *     [E] IBuilder::buildSerializedNetwork: Error Code 1: Myelin ([shape.cpp:175: f]
 *     Error during shape inference of
 *     o = mul(a, N_shape_U6_cast_BF16), name=N_shape_U8_mul
 *     Error is:
 *     Input 0's element type (float) differs from input 1's element type (bf16).)
 */

struct fsd_log_failure {
    bool by_parser;           /**< true: the parser reported it; false: the builder */
    struct fsd_slice node;    /**< empty: unknown, or the node has no name */
    struct fsd_slice op;      /**< "DFT -> "t"", only from the parser; empty: the parser
                                 refuses the model, or the input that `node` names */
    struct fsd_slice where;   /**< the function that reports the error; only from the
                                 parser */
    struct fsd_slice reason;  /**< up to the end of the last line of the reason */
    struct fsd_slice parsing; /**< "NAME [Op]": the last node parsed before the failure;
                                   empty: not stated */
    uint64_t line;
    uint32_t attempt; /**< the number of the build attempt, from 0 */
    uint64_t code;    /**< the parser's code, "[8]"; 0: none */
    bool raised;      /**< an exception in the program that runs the builder */
    bool in_use;      /**< the line follows one that shows the engine, so the error
                           comes from the engine's use */
};

typedef FSD_VEC(struct fsd_log_failure) fsd_log_failures;

/** The state kept from line to line. */
struct fsd_log_failing {
    fsd_log_failures *out;
    fsd_log_failures *skipped; /**< skipped tactics with the reason; at most
                                    FSD_MOST_SKIPPED, after which each further one
                                    replaces the last */
    struct fsd_slice parsing;  /**< see struct fsd_log_failure */
    uint32_t attempt;
    bool in_use; /**< a line has shown that the attempt led to an engine */
};

enum { FSD_MOST_SKIPPED = 64 };

/* -------------------------------------------------------------- layers of a network */

/** How many layers the parser has added to the network, as far as its lines show.  A
 *  layer that the parser registers and leaves out again may be counted; a layer without
 *  a name is not counted. */
struct fsd_log_count {
    uint32_t least, most;
};

/** A node that the parser has read, with the numbers of layers before the node's first
 *  layer and after its last one. */
struct fsd_log_parsed {
    fsd_sym head; /**< "NAME [Op]" */
    uint32_t attempt;
    uint64_t begins, ends; /**< lines; `ends` is 0 when the log ends within the node */
    struct fsd_log_count before, behind;
};

typedef FSD_VEC(struct fsd_log_parsed) fsd_log_parsed_vec;

/** The nodes and layers of the parser, as a log states them. */
struct fsd_log_adding {
    fsd_log_parsed_vec nodes; /**< in the order of parsing */
    struct fsd_log_count now; /**< the layers so far of the attempt that is being
                                   read */
    bool helpers; /**< since TensorRT 9: the parser also registers the layers that no
                       node of the model requested */
};

/** Counts "Registering layer: L for ONNX node: N" and "Registering layer: L required by
 *  ONNX-TRT".
 *  @param text  behind "Registering layer: " */
void fsd_log_add_layer(struct fsd_log_adding *a, struct fsd_slice text);

/** The nodes and layers in the log from which the history was read; empty if another
 *  reader read the log. */
const struct fsd_log_adding *fsd_log_adding_of(const struct fsd_history *h);

/** Reads a line: adds a failure to `f->out`, or extends the last one. */
void fsd_log_failure_line(struct fsd_arena *arena, const struct fsd_log_line *line,
                          struct fsd_log_failing *f);

/** Finds the parsed node that the builder's reason names, or whose layer it names. */
void fsd_log_failure_name(struct fsd_log_failure *failure, const struct fsd_history *h);

/** Fills `err` with the first failure of the parser, or else of the builder.
 *  @param failures must not be empty */
enum fsd_status fsd_log_fail(const fsd_log_failures *failures,
                             const struct fsd_file *file, struct fsd_error *err);

/** The failure that caused the others: the parser's record of a node or of an input,
 *  else the first message that does not follow from another one.
 *  @param failures must not be empty */
const struct fsd_log_failure *fsd_log_first_failure(const fsd_log_failures *failures);

/** The failure of an attempt that has listed an engine; NULL if there is none.  An
 *  error after the engine's layers means that the builder could not finish the engine,
 *  unless a line before the error shows the engine.
 *  @param engine the number of the line where the engine's first list begins */
const struct fsd_log_failure *fsd_log_failure_of(const fsd_log_failures *failures,
                                                 uint32_t attempt, uint64_t engine);

/** The failures of a log, and the tactics that the builder skipped; empty if another
 *  reader read the log. */
const fsd_log_failures *fsd_log_failures_of(const struct fsd_history *h);
const fsd_log_failures *fsd_log_skipped_of(const struct fsd_history *h);

/** Copies the texts of the failures so that they outlive the file. */
void fsd_log_failures_keep(struct fsd_history *h, fsd_log_failures *failures);

/* ---------------------------------------------------------------------------- forms */

/** The reason why a build fails: exactly one per failure. */
enum fsd_failure_class {
    FSD_FAILS_OPERATOR,
    FSD_FAILS_PLUGIN,
    FSD_FAILS_TYPE,
    FSD_FAILS_SHAPE,
    FSD_FAILS_PROFILE,
    FSD_FAILS_QDQ,
    FSD_FAILS_HARDWARE,
    FSD_FAILS_MODEL,
    FSD_FAILS_OPTION,
    FSD_FAILS_MEMORY,
    FSD_FAILS_ENVIRONMENT,
    FSD_FAILS_INTERNAL,
    FSD__FAILS_COUNT
};

/** "operator", "q/dq" */
const char *fsd_failure_class_name(enum fsd_failure_class value);

/** The kind of thing that a message names at a place of its form. */
enum fsd_said {
    FSD_SAID_NODE,   /**< a layer: its nodes, joined, or a region */
    FSD_SAID_TENSOR, /**< a tensor, or several, separated by ", " */
    FSD_SAID_BYTES,  /**< the requested number of bytes */
    FSD_SAID_MIB,    /**< the requested memory in MiB */
    FSD_SAID_TYPE,
    FSD_SAID_SM,   /**< a compute capability: "89", "sm89" */
    FSD_SAID_SIZE, /**< a shape, or one dimension */
    FSD_SAID_PROFILE,
    FSD_SAID_AXIS,
    FSD_SAID_LIBRARY,
    FSD_SAID_PLUGIN,
    FSD__SAID_COUNT
};

/** "node", "bytes" */
const char *fsd_said_name(enum fsd_said value);

enum { FSD_SAID_MOST = 12 };

/** A message and what its form states. */
struct fsd_log_said {
    enum fsd_failure_class is;
    bool known;     /**< a form matches, or the parser's code states the class */
    bool echo;      /**< the error follows from another one */
    bool by_tactic; /**< the skipped tactics before the message state the reason */
    bool of_values; /**< the sizes of a profile cause the error, not the sizes in the
                         model */
    struct {
        enum fsd_said what;
        struct fsd_slice text;
    } at[FSD_SAID_MOST];
    unsigned n;
};

/** The meaning of a message.  Its names are slices of `failure`. */
struct fsd_log_said fsd_log_failure_said(const struct fsd_log_failure *failure);

/** The sentence of a message without codes and without the builder's functions and
 *  source files. */
struct fsd_slice fsd_log_failure_sentence(const struct fsd_log_failure *failure);
