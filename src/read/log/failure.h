/*
 * The reasons for failed builds: the error messages of a log, and the meaning of each
 * message.  The meaning follows from the forms in which TensorRT 8 to 11 and TensorRT
 * for RTX write messages.
 */
#pragma once

#include "base/base.h"
#include "model/graph/history.h"

struct fsd_log_line;

/* ------------------------------------------------------------------------- messages */

/*
 * The messages of a failed build attempt have several forms.  The parser describes a
 * node in several lines, some of which have no prefix:
 *
 *     [E] While parsing node number 5 [DFT -> "t"]:
 *     [E] --- Begin node ---
 *     Node name: N                              (until TensorRT 9: name: "N")
 *     [E] --- End node ---
 *     [E] ERROR: onnxOpCheckers.cpp:998 In function checkFallbackPluginImporter:
 *     [6] REASON
 *
 * Or the parser describes an input.  In this example, the name of the input is x:
 *
 *     [E] ERROR: x:992 In function importInput:
 *     [8] REASON
 *
 * If the failure is about the whole model, the message has the parser's own source file
 * in place of x (MODEL.cpp:945).
 *
 * The builder prints one line, which may contain the name of a node:
 *
 *     [E] IBuilder::buildSerializedNetwork: Error Code 1: Myelin ([pass.cpp:337: f]
 *     Cannot compile operation 'N' for Turing (SM75): FP32 GEMM is not supported. ...)
 *
 * Or the builder prints several lines, up to the closing parenthesis:
 *
 *     [E] IBuilder::buildSerializedNetwork: Error Code 1: Myelin ([shape.cpp:175: f]
 *     Error during shape inference of
 *     o = mul(a, N_shape_U6_cast_BF16), name=N_shape_U8_mul
 *     Error is:
 *     Input 0's element type (float) differs from input 1's element type (bf16).)
 */

struct fsd_log_failure {
    bool by_parser;           /**< true: the parser reported the failure; false: the
                                   builder reported it */
    struct fsd_slice node;    /**< the name of the node, or of the input if the parser
                                   refuses an input; empty: unknown, or no name */
    struct fsd_slice op;      /**< the operator and output of the node, "DFT -> "t"";
                                   empty: the failure is not a parser's record of a
                                   node */
    struct fsd_slice where;   /**< the function that reports the error; empty if the
                                   builder reported the failure */
    struct fsd_slice reason;  /**< the reason, up to the end of its last line */
    struct fsd_slice parsing; /**< the last node that was parsed before the failure,
                                   "NAME [Op]"; empty: not stated */
    uint64_t line;
    uint32_t attempt; /**< the number of the build attempt, from 0 */
    uint64_t code;    /**< the number of the parser's error code, "[8]"; 0: none */
    bool raised;      /**< the failure is an exception in the program that calls the
                           builder */
    bool in_use;      /**< an earlier line shows that the engine is finished, so the
                           error comes from the use of the engine */
};

typedef FSD_VEC(struct fsd_log_failure) fsd_log_failures;

/** The state that is kept from one line to the next. */
struct fsd_log_failing {
    fsd_log_failures *out;
    fsd_log_failures *skipped; /**< at most FSD_MOST_SKIPPED skipped tactics, with their
                                    reasons.  If the list is full, each further tactic
                                    replaces the last entry */
    struct fsd_slice parsing;  /**< the last parsed node; see struct fsd_log_failure */
    uint32_t attempt;
    bool in_use; /**< a line showed that the attempt led to an engine */
};

enum { FSD_MOST_SKIPPED = 64 };

/* -------------------------------------------------------------- layers of a network */

/** Two bounds for the number of layers that the parser added to the network.  `least`
 *  does not count a layer that the parser may have removed again; `most` does.  Neither
 *  counts layers without a name. */
struct fsd_log_count {
    uint32_t least, most;
};

/** A node that the parser has read.  `before` and `behind` count the layers of the
 *  network before and after the parser added the layers of this node. */
struct fsd_log_parsed {
    fsd_sym head; /**< "NAME [Op]" */
    uint32_t attempt;
    uint64_t begins, ends; /**< the numbers of the first and the last line about the
                                node; `ends` is 0 if the log lacks the last line */
    struct fsd_log_count before, behind;
};

typedef FSD_VEC(struct fsd_log_parsed) fsd_log_parsed_vec;

/** The nodes that the parser read and the layers that it added, as a log states
 * them. */
struct fsd_log_adding {
    fsd_log_parsed_vec nodes; /**< in the order of parsing */
    struct fsd_log_count now; /**< the number of layers so far in the current attempt */
    bool helpers; /**< the parser also registers layers that no node of the model
                       requested (since TensorRT 9) */
};

/** Counts the layer L of the line "Registering layer: L for ONNX node: N" or
 *  "Registering layer: L required by ONNX-TRT".
 *  @param text  the text after "Registering layer: " */
void fsd_log_add_layer(struct fsd_log_adding *a, struct fsd_slice text);

/** Returns the nodes that the parser read and the layers that it added, from the log of
 *  `h`.  The result is empty if the log is not TensorRT's. */
const struct fsd_log_adding *fsd_log_adding_of(const struct fsd_history *h);

/** Reads a line: adds a failure to `f->out`, or extends the last one. */
void fsd_log_failure_line(struct fsd_arena *arena, const struct fsd_log_line *line,
                          struct fsd_log_failing *f);

/** Searches `failure->reason` for the longest name of a parsed node, or of a layer of
 * such a node.  Sets `failure->node` to the name of this node.  Does nothing if the
 * parser reported the failure. */
void fsd_log_failure_name(struct fsd_log_failure *failure, const struct fsd_history *h);

/** Fills `err` with a message about the result of fsd_log_first_failure().
 *  @param failures  must not be empty
 *  @return FSD_E_FORMAT */
enum fsd_status fsd_log_fail(const fsd_log_failures *failures,
                             const struct fsd_file *file, struct fsd_error *err);

/** Returns the failure that caused the other failures.  The function looks for a
 *  parser's record of a node, then for a parser's message about an input or the model,
 *  then for a builder's message that follows from no other message, and then for an
 *  exception.  It returns the first failure of the first kind that it finds.  If it
 *  finds none of these, it returns failures->at[0].
 *  @param failures  must not be empty */
const struct fsd_log_failure *fsd_log_first_failure(const fsd_log_failures *failures);

/** Returns the first failure that shows that the builder could not finish an engine;
 *  NULL if there is none.  Exceptions, and errors in the use of the finished engine, do
 *  not count.
 *  @param attempt  only failures of this build attempt count
 *  @param engine  the number of the line at which the first list of the engine's layers
 *         begins; only failures on later lines count */
const struct fsd_log_failure *fsd_log_failure_of(const fsd_log_failures *failures,
                                                 uint32_t attempt, uint64_t engine);

/** These functions return the failures of a log, and the tactics that the builder
 *  skipped.  The results are empty if the reader of another builder read the log. */
const fsd_log_failures *fsd_log_failures_of(const struct fsd_history *h);
const fsd_log_failures *fsd_log_skipped_of(const struct fsd_history *h);

/** Copies the texts of the failures so that they outlive the file. */
void fsd_log_failures_keep(struct fsd_history *h, fsd_log_failures *failures);

/* ---------------------------------------------------------------------------- forms */

/** The classes of reasons why a build fails.  Each failure has exactly one class. */
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

/** Returns the name of the class: "operator", "q/dq". */
const char *fsd_failure_class_name(enum fsd_failure_class value);

/** The form of a message (failure_form.c) is a pattern with places, such as "{bytes}".
 *  A place stands for a name or a number in the message.  These are the kinds of
 *  places. */
enum fsd_said {
    FSD_SAID_NODE,   /**< the name of a layer or a region; the name of a layer may be
                          the joined names of several nodes */
    FSD_SAID_TENSOR, /**< the name of a tensor, or of several, separated by ", " */
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

/** Returns the name of a value: "node", "bytes". */
const char *fsd_said_name(enum fsd_said value);

enum { FSD_SAID_MOST = 12 };

/** The meaning of a message, according to its form. */
struct fsd_log_said {
    enum fsd_failure_class is;
    bool known;     /**< the class is known: a form matches the message, or the parser's
                         error code states the class */
    bool echo;      /**< the error follows from another error */
    bool by_tactic; /**< the lines about skipped tactics before the message state the
                         reason */
    bool of_values; /**< the error is caused by sizes in an optimization profile, not by
                         sizes in the model */
    struct {
        enum fsd_said what;
        struct fsd_slice text;
    } at[FSD_SAID_MOST];
    unsigned n;
};

/** Returns the meaning of a message.  The texts in the result are slices of
 * `failure`. */
struct fsd_log_said fsd_log_failure_said(const struct fsd_log_failure *failure);

/** Returns the text of a message without codes, functions of the builder, and source
 *  files. */
struct fsd_slice fsd_log_failure_sentence(const struct fsd_log_failure *failure);
