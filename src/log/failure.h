/*
 * Why an attempt to build failed.  The parser says so of a node, in a record of lines
 * of which some have no prefix,
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
 */
#ifndef FSD_LOG_FAILURE_H
#define FSD_LOG_FAILURE_H

#include "base/arena.h"
#include "base/status.h"
#include "base/vec.h"
#include "log/lines.h"
#include "model/history.h"

struct fsd_log_failure {
    bool by_parser;         /**< else the builder */
    struct fsd_slice node;  /**< empty: unknown, or it has no name */
    struct fsd_slice op;    /**< "DFT -> "t""; the parser's only; empty: it refuses all,
                                  or the input that `node` names */
    struct fsd_slice where; /**< the function that refuses; the parser's only */
    struct fsd_slice reason; /**< up to the end of its last line */
    uint64_t line;
};

typedef FSD_VEC(struct fsd_log_failure) fsd_log_failures;

/** Reads a line; `out` grows, or its last entry does. */
void fsd_log_failure_line(struct fsd_arena *arena, const struct fsd_log_line *line,
                          fsd_log_failures *out);

/** Finds the node that the builder's reason names, or a layer of which, among those
 *  that were parsed. */
void fsd_log_failure_name(struct fsd_log_failure *failure, const struct fsd_history *h);

/** Fills `err` with the first that the parser has, or else the builder.
 *  @param failures not empty. */
enum fsd_status fsd_log_fail(const fsd_log_failures *failures,
                             const struct fsd_file *file, struct fsd_error *err);

#endif
