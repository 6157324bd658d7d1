/*
 * Why an attempt to build failed: the error messages of a log, and what single messages
 * mean, by the forms that TensorRT 8 to 11 and TensorRT for RTX have for them.
 */
#ifndef FSD_LOG_FAILURE_H
#define FSD_LOG_FAILURE_H

#include "base/base.h"
#include "model/graph/history.h"

#include <stdbool.h>

struct fsd_log_line;

/* ------------------------------------------------------------------------- messages */

/*
 * Why an attempt to build failed.  The parser states a node, in several lines of which
 * some have no prefix,
 *
 *     [E] While parsing node number 5 [DFT -> "t"]:
 *     [E] --- Begin node ---
 *     Node name: N                              until TensorRT 9:   name: "N"
 *     [E] --- End node ---
 *     [E] ERROR: onnxOpCheckers.cpp:998 In function checkFallbackPluginImporter:
 *     [6] REASON
 *
 * or of an input, x, or of nothing (MODEL.cpp:945),
 *
 *     [E] ERROR: x:992 In function importInput:
 *     [8] REASON
 *
 * and the builder in one line, in which the node may stand:
 *
 *     [E] IBuilder::buildSerializedNetwork: Error Code 1: Myelin ([pass.cpp:337: f]
 *     Cannot compile operation 'N' for Turing (SM75): FP32 GEMM is not supported. ...)
 *
 * or in several, up to the end of its parentheses:
 *
 *     [E] IBuilder::buildSerializedNetwork: Error Code 1: Myelin ([shape.cpp:175: f]
 *     Error during shape inference of
 *     o = mul(a, N_shape_U6_cast_BF16), name=N_shape_U8_mul
 *     Error is:
 *     Input 0's element type (float) differs from input 1's element type (bf16).)
 */

struct fsd_log_failure {
    bool by_parser;         /**< else the builder */
    struct fsd_slice node;  /**< empty: unknown, or it has no name */
    struct fsd_slice op;    /**< "DFT -> "t""; the parser's only; empty: it refuses all,
                                  or the input that `node` names */
    struct fsd_slice where; /**< the function that refuses; the parser's only */
    struct fsd_slice reason;  /**< up to the end of its last line */
    struct fsd_slice parsing; /**< "NAME [Op]": what was parsed last before; empty: not
                                   stated */
    uint64_t line;
    uint32_t attempt; /**< to build, from 0 */
    uint64_t code;    /**< of the parser, "[8]"; 0: none */
    bool raised;      /**< an exception of the program that runs the builder */
    bool in_use;      /**< behind a line that shows the engine, which is used then */
};

typedef FSD_VEC(struct fsd_log_failure) fsd_log_failures;

/** What must be remembered from line to line. */
struct fsd_log_failing {
    fsd_log_failures *out;
    fsd_log_failures *skipped; /**< tactics, with the reason; at most FSD_MOST_SKIPPED,
                                    the last replaces those beyond */
    struct fsd_slice parsing;  /**< as in struct fsd_log_failure */
    uint32_t attempt;
    bool in_use; /**< a line has shown that the attempt led to an engine */
};

enum { FSD_MOST_SKIPPED = 64 };

/** Reads a line; `f->out` grows, or its last entry does. */
void fsd_log_failure_line(struct fsd_arena *arena, const struct fsd_log_line *line,
                          struct fsd_log_failing *f);

/** Finds the node that the builder's reason names, or a layer of which, among those
 *  that were parsed. */
void fsd_log_failure_name(struct fsd_log_failure *failure, const struct fsd_history *h);

/** Fills `err` with the first that the parser has, or else the builder.
 *  @param failures not empty. */
enum fsd_status fsd_log_fail(const fsd_log_failures *failures,
                             const struct fsd_file *file, struct fsd_error *err);

/** The failure that caused the others: the parser's record of a node, of an input, else
 *  the first message that is no echo of another one.
 *  @param failures not empty. */
const struct fsd_log_failure *fsd_log_first_failure(const fsd_log_failures *failures);

/** The failure of an attempt that has listed an engine; NULL: it has none.  An error
 *  behind the engine's layers means that the builder could not finish it, unless a line
 *  before the error shows the engine.
 *  @param engine  where its first list begins, as a number of a line. */
const struct fsd_log_failure *fsd_log_failure_of(const fsd_log_failures *failures,
                                                 uint32_t attempt, uint64_t engine);

/** The failures of a log, and the tactics that were skipped in it; none for a log of
 *  another reader. */
const fsd_log_failures *fsd_log_failures_of(const struct fsd_history *h);
const fsd_log_failures *fsd_log_skipped_of(const struct fsd_history *h);

/** Makes the texts of the failures outlive the file. */
void fsd_log_failures_keep(struct fsd_history *h, fsd_log_failures *failures);

/* ---------------------------------------------------------------------------- forms */

/** What a build fails of, exactly one. */
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

/** What a message names, by the place that its form has for it. */
enum fsd_said {
    FSD_SAID_NODE,   /**< a layer: nodes, joined, or a region */
    FSD_SAID_TENSOR, /**< a tensor, or several with ", " between them */
    FSD_SAID_BYTES,  /**< requested */
    FSD_SAID_MIB,    /**< the same in MiB */
    FSD_SAID_TYPE,
    FSD_SAID_SM,   /**< "89", "sm89" */
    FSD_SAID_SIZE, /**< a shape, or one size */
    FSD_SAID_PROFILE,
    FSD_SAID_AXIS,
    FSD_SAID_LIBRARY,
    FSD_SAID_PLUGIN,
    FSD__SAID_COUNT
};

/** "node", "bytes" */
const char *fsd_said_name(enum fsd_said value);

enum { FSD_SAID_MOST = 12 };

/** A message by its form. */
struct fsd_log_said {
    enum fsd_failure_class is;
    bool known;     /**< a form fits, or the parser's code states the class */
    bool echo;      /**< it follows from another error */
    bool by_tactic; /**< why is stated by the skipped tactics before it */
    bool of_values; /**< with the sizes of a profile, not those of the model */
    struct {
        enum fsd_said what;
        struct fsd_slice text;
    } at[FSD_SAID_MOST];
    unsigned n;
};

/** The meaning of a message.  Its names are slices of `failure`. */
struct fsd_log_said fsd_log_failure_said(const struct fsd_log_failure *failure);

/** The sentence of a message: without codes, and without the builder's own functions
 *  and files. */
struct fsd_slice fsd_log_failure_sentence(const struct fsd_log_failure *failure);

#endif
