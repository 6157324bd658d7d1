/* Declares the passes and the functions that they share.  Only src/match includes this
 * file. */
#pragma once

#include "match/match.h"

/** Adds the evidence `by` to the link of `layer` and `node`, or creates this link.
 *  Passes may add links in any order and repeatedly: fsd_match_index() sorts and joins
 *  them. */
void fsd_match_link(struct fsd_match *m, fsd_id layer, fsd_id node, unsigned by);

/** Sorts and joins the links and rebuilds both indexes; match.c calls it after each
 *  pass. */
void fsd_match_index(struct fsd_match *m);

/** How likely it is that the layer computes nodes: 2 for a layer that computes, 1 for a
 *  layer that may compute (a NoOp can be a Reshape), 0 for a layer that never computes
 *  (a constant, or a reformat for another layer). */
int fsd_layer_works(const struct fsd_graph *engine, fsd_id layer);

/** Whether the layer forwards one tensor with its value unchanged.  Reformats that the
 *  builder inserted do this.  Their names or their Origin show that the builder
 *  inserted them. */
bool fsd_layer_forwards(const struct fsd_graph *engine, fsd_id layer);

/** Fills m->runs by the rules in runs.c.  All links must be known. */
void fsd_match_find_runs(struct fsd_match *m);

/** Updates m->dissolved_in for each view whose unit has several layers.  All links must
 *  be known. */
void fsd_match_place_views(struct fsd_match *m);

/* The passes, one per file. */
void fsd_pass_metadata(struct fsd_match *m);
void fsd_pass_name(struct fsd_match *m);
void fsd_pass_log(struct fsd_match *m);
void fsd_pass_steps(struct fsd_match *m);
void fsd_pass_tensor(struct fsd_match *m);
void fsd_pass_chain(struct fsd_match *m);
void fsd_pass_repeated(struct fsd_match *m);
void fsd_pass_span(struct fsd_match *m);
void fsd_pass_body(struct fsd_match *m);
void fsd_pass_loop(struct fsd_match *m);
void fsd_pass_region(struct fsd_match *m);
void fsd_pass_conflict(struct fsd_match *m);
void fsd_pass_choice(struct fsd_match *m);

/** Fills m->counterpart by the rules in counterpart.c: first from exact names, then
 *  from the counterparts at the other side of reformats. */
void fsd_match_counterparts(struct fsd_match *m);

/** If no name fits, fills m->counterpart from weights, sizes and paths, by the rules in
 *  infer.c, and sets m->inferred. */
void fsd_match_infer(struct fsd_match *m);

/** Whether the sizes of an engine tensor contradict those of its model tensor.  If a
 *  size is fixed in the model, it must be the same in the engine.  If it is dynamic in
 *  the model, the engine may have any size.  False if ranks are unknown or differ.
 *  @param output whether the tensor is an output.  If so, a size that is fixed in the
 *         model may be dynamic in the engine, because exporters write the sizes of one
 *         run even if the input is dynamic. */
bool fsd_match_sizes_differ(const struct fsd_match *m, const struct fsd_form *engine,
                            const struct fsd_form *model, bool output);

/** The number of elements of a node's constant weight; negative if the number is
 *  unknown. */
int64_t fsd_match_weight_count(const struct fsd_match *m, fsd_id node);

/** Whether the engine input `engine` has sizes that the model input `model` may
 *  have. */
bool fsd_match_sizes_fit(const struct fsd_match *m, fsd_id engine, fsd_id model);

/** Fills m->unit from m->counterpart. */
void fsd_match_units(struct fsd_match *m);
