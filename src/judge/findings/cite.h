/*
 * Cites the edits that lint proposes for the model. Each edit is cited at the layers
 * that it would improve: unfused quantizers, and layers that change a type. The cause
 * of such layers is mostly a parallel branch without a quantizer. Edits are cited only
 * if the engine's dump confirms lint's finding.
 */
#pragma once

#include "judge/findings/findings.h"

/** Cites lint's edits at the data-movement layers of a run, and in the findings about
 *  such layers. Does nothing without a model, if no such layer changes a type, or if
 *  the builder of the engine is unknown. */
void fsd_cite_in_run(struct fsd_findings *found, const struct fsd_diff *d);

/** Cites lint's edits in findings on a changed build: on inserted layers, and on nodes
 *  and edges of higher precision than before. */
void fsd_cite_in_case(struct fsd_findings *found, const struct fsd_case *before_gate);

/** Prints "add a Q/DQ pair on MaxPool_12 -> Add_36 (input 1), with the scale of
 *  QuantizeLinear_15: layer 6 computes Add_36 and reads fp16 (lint qdq/residual)".
 *  @param n number of cites, at least 1; all are printed */
void fsd_put_cites(const struct fsd_cite *cites, uint32_t n, FILE *out);

/** Prints "add 8 Q/DQ pairs, and calibrate the scales of 3 of the pairs (lint
 *  qdq/residual)".
 *  @param cites cites of one rule and one action, each edit once
 *  @param n at least 1
 *  @param brief false: if n is 1, the advice names the nodes */
void fsd_put_cites_sum(const struct fsd_cite *const *cites, uint32_t n, bool brief,
                       FILE *out);

/** The cites of a layer; empty if there are none. Requires the run's findings. */
struct fsd_span fsd_layer_cites(const struct fsd_diff *d, fsd_id layer);

/** Whether both cites are of the same edit, even if two rules propose it. */
bool fsd_cites_same_edit(const struct fsd_cite *a, const struct fsd_cite *b);

/** Prints what to do about a data-movement layer: the layer's cites or, if there are
 *  none, the text of fsd_put_advice(). Requires the run's findings. */
void fsd_put_remedy(const struct fsd_diff *d, fsd_id layer, FILE *out);

/** Whether fsd_put_remedy() proposes a change. False if it only states a reason. */
bool fsd_has_remedy(struct fsd_arena *arena, const struct fsd_diff *d, fsd_id layer);
