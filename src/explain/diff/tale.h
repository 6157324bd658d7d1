/* Functions by which explain*.c write the sentences of a tale.  Only these files
 * include this file. */
#pragma once

#include "explain/diff/explain.h"

/** Begins a sentence; returns the stream for its text.
 *  @param line line number in the log; 0 if the sentence is not from the log */
FILE *fsd_tale_start(struct fsd_tale *tale, const char *topic, uint64_t line);
void fsd_tale_finish(struct fsd_tale *tale);
/** Adds the sentence `text`, a string literal. */
void fsd_tale_say(struct fsd_tale *tale, const char *topic, const char *text);

/* The functions of explain_log.c.  Without a log, they add nothing. */

/** Adds a sentence if the log belongs to a different build. */
void fsd_tale_refused(struct fsd_tale *tale, const struct fsd_diff *d);
/** Adds a sentence about the node in the model, with its inputs and outputs. */
void fsd_tale_parsed(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id node);
/** Adds all events of a node, except tries that had an effect: the effect is an event
 *  too. */
void fsd_tale_events(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id node);
void fsd_tale_event(struct fsd_tale *tale, const struct fsd_diff *d, uint32_t event,
                    const char *topic);
const char *fsd_topic_of(enum fsd_event_kind kind);
/** Whether `event` states that a pass tried a layer, and the log shows no effect of
 *  this try. */
bool fsd_is_idle_try(const struct fsd_history *h, uint32_t event);
/** Adds the kernels that the builder timed for a layer, the fastest first. */
void fsd_tale_rivals(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id layer);
/** Adds the event that inserted a layer, and the measured time of the layer. */
void fsd_tale_cost(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id layer);

/* explain.c */

/** Adds a description of a layer.
 *  @param by mask of the evidence that the layer computes the node of the tale; 0 if
 *         the tale is not about a node */
void fsd_tale_layer(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id layer,
                    unsigned by);

/** advice.c: prints the layer at one end of an edge, such as "layer 3 (Conv_13 + 2)".
 *  If `quote`, names are in backquotes. */
void fsd_put_end(const struct fsd_diff *d, fsd_id layer, bool quote, FILE *out);
