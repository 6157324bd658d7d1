/*
 * What lint finds in the model, where it explains a layer of the engine: a quantizer
 * that was left standing, a change of type, mostly because a branch beside it has no
 * quantizer.  Only findings that the engine's dump confirms are cited.
 */
#ifndef FSD_FINDINGS_CITE_H
#define FSD_FINDINGS_CITE_H

#include "findings/findings.h"

/** Adds to the findings of a run what lint proposes at its layers that move data, and
 *  at the findings about these.  Nothing where there is no model, no such layer
 *  changes a type, or it is not known which builder made the engine. */
void fsd_cite_in_run(struct fsd_findings *found, const struct fsd_diff *d);

/** The same for findings on a changed build: on what was inserted, and on nodes and
 *  edges that are wider than before. */
void fsd_cite_in_case(struct fsd_findings *found, const struct fsd_case *before_gate);

/** Prints "add a Q/DQ pair on MaxPool_12 -> Add_36 (input 1), with the scale of
 *  QuantizeLinear_15: layer 6 computes Add_36 and reads fp16 (lint qdq/residual)".
 *  @param n  at least 1; further edits stand beside the first one. */
void fsd_put_cites(const struct fsd_cite *cites, uint32_t n, FILE *out);

/** Prints "add 8 Q/DQ pairs, 3 with a scale to calibrate (lint qdq/residual)".
 *  @param cites  of one rule and one action, no edit twice
 *  @param n  at least 1 */
void fsd_put_cites_sum(const struct fsd_cite *const *cites, uint32_t n, bool brief,
                       FILE *out);

/** What is cited of a layer; empty where nothing is.  Needs the run's findings. */
struct fsd_span fsd_layer_cites(const struct fsd_diff *d, fsd_id layer);

/** Whether both propose one edit, though maybe for two rules. */
bool fsd_cites_same_edit(const struct fsd_cite *a, const struct fsd_cite *b);

/** What should be done about a layer that moves data: what is cited of it, else
 *  fsd_put_advice().  Needs the run's findings. */
void fsd_put_remedy(const struct fsd_diff *d, fsd_id layer, FILE *out);

#endif
