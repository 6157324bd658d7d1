/* What passes share to add links.  Only src/match includes this. */
#ifndef FSD_MATCH_PASS_H
#define FSD_MATCH_PASS_H

#include "match/match.h"

/** Adds evidence to the link, which is created if it does not exist.  Links may come in
 *  any order and repeatedly; match.c sorts and joins them. */
void fsd_match_link(struct fsd_match *m, fsd_id layer, fsd_id node, unsigned by);

/** Sorts and joins the links and rebuilds both indexes; match.c calls it after each
 *  pass. */
void fsd_match_index(struct fsd_match *m);

/** How likely a layer computes its unit's nodes: 2 for layers that compute, 1 for those
 * that may (a NoOp can be a Reshape), 0 for those that never do (a reformat for another
 *  layer, a constant). */
int fsd_layer_works(const struct fsd_graph *engine, fsd_id layer);

/** True if the layer forwards one tensor with its value unchanged: the builder's own
 *  reformats, by their names or their Origin. */
bool fsd_layer_forwards(const struct fsd_graph *engine, fsd_id layer);

/** Fills m->runs, after all links are known.  runs.c has the rules. */
void fsd_match_find_runs(struct fsd_match *m);

/** Finds the layers in which views of units with several layers dissolved, after all
 *  links are known. */
void fsd_match_place_views(struct fsd_match *m);

/* The passes, one a file. */
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

/** Fills m->counterpart: by exact names first, then through reformats; counterpart.c
 *  has the rules. */
void fsd_match_counterparts(struct fsd_match *m);

/** Where no name fits, fills m->counterpart and m->inferred by weights, sizes and
 *  paths: infer.c. */
void fsd_match_infer(struct fsd_match *m);

/** Whether no engine with the one form is built from a model with the other.  A size
 *  that is fixed in the model is fixed in its engine, and equal.  An open one may have
 *  been fixed for the build.  Exporters write the sizes of one run for an `output`
 *  whose input is open: there the engine's may be open where the model's is fixed. */
bool fsd_match_sizes_differ(const struct fsd_match *m, const struct fsd_form *engine,
                            const struct fsd_form *model, bool output);

/** Elements of a node's constant weight; negative if unknown. */
int64_t fsd_match_weight_count(const struct fsd_match *m, fsd_id node);

/** True where the sizes of an engine's input may be those of the model's. */
bool fsd_match_sizes_fit(const struct fsd_match *m, fsd_id engine, fsd_id model);

/** Fills m->unit from m->counterpart. */
void fsd_match_units(struct fsd_match *m);

#endif
