/* Functions that passes share.  Only src/match includes this. */
#pragma once

#include "match/match.h"

/** Adds evidence to the link, and creates the link if it does not exist.  Links may
 *  come in any order and repeatedly; match.c sorts and joins them. */
void fsd_match_link(struct fsd_match *m, fsd_id layer, fsd_id node, unsigned by);

/** Sorts and joins the links and rebuilds both indexes; match.c calls it after each
 *  pass. */
void fsd_match_index(struct fsd_match *m);

/** How likely it is that a layer computes its unit's nodes: 2 for a layer that
 *  computes, 1 for a layer that may compute (a NoOp can be a Reshape), 0 for a layer
 *  that never does (a constant, a reformat for another layer). */
int fsd_layer_works(const struct fsd_graph *engine, fsd_id layer);

/** Whether the layer forwards one tensor with its value unchanged.  The builder's own
 *  reformats do so; names or Origin show which reformats are its own. */
bool fsd_layer_forwards(const struct fsd_graph *engine, fsd_id layer);

/** Fills m->runs, after all links are known.  runs.c has the rules. */
void fsd_match_find_runs(struct fsd_match *m);

/** Finds the layers in which views of units with several layers dissolved, after all
 *  links are known. */
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

/** Fills m->counterpart from exact names, then through reformats; counterpart.c has the
 *  rules. */
void fsd_match_counterparts(struct fsd_match *m);

/** If no name fits, fills m->counterpart and m->inferred from weights, sizes and paths;
 *  infer.c has the rules. */
void fsd_match_infer(struct fsd_match *m);

/** Whether an engine tensor with the form `engine` cannot come from a model tensor with
 *  the form `model`.  A size that is fixed in the model is fixed in its engine, and
 *  equal.  A dynamic size may have been fixed for the build.  Exporters write the sizes
 *  of one run for an `output` whose input is dynamic: then the engine's size may be
 *  dynamic where the model's is fixed. */
bool fsd_match_sizes_differ(const struct fsd_match *m, const struct fsd_form *engine,
                            const struct fsd_form *model, bool output);

/** The number of elements of a node's constant weight; negative if it is unknown. */
int64_t fsd_match_weight_count(const struct fsd_match *m, fsd_id node);

/** Whether the sizes of an engine input may be those of a model input. */
bool fsd_match_sizes_fit(const struct fsd_match *m, fsd_id engine, fsd_id model);

/** Fills m->unit from m->counterpart. */
void fsd_match_units(struct fsd_match *m);
