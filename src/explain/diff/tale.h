/* Functions that the files of the story share.  Only for explain*.c. */
#pragma once

#include "explain/diff/explain.h"

/** Begins a sentence; returns the stream for its text.
 *  @param line line of the log; 0: not from the log */
FILE *fsd_tale_start(struct fsd_tale *tale, const char *topic, uint64_t line);
void fsd_tale_finish(struct fsd_tale *tale);
/** Adds a sentence that is a string literal. */
void fsd_tale_say(struct fsd_tale *tale, const char *topic, const char *text);

/* explain_log.c; without a log these functions add nothing. */

/** Adds a sentence if the log belongs to a different build. */
void fsd_tale_refused(struct fsd_tale *tale, const struct fsd_diff *d);
/** The parser's line of a node, with its inputs and outputs. */
void fsd_tale_parsed(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id node);
/** All events of a node, except tries that had an effect, because the effect is
 *  listed. */
void fsd_tale_events(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id node);
void fsd_tale_event(struct fsd_tale *tale, const struct fsd_diff *d, uint32_t event,
                    const char *topic);
const char *fsd_topic_of(enum fsd_event_kind kind);
/** Whether a pass tried a layer and the log shows no effect. */
bool fsd_is_idle_try(const struct fsd_history *h, uint32_t event);
/** The kernels that the builder timed for a layer, the fastest first. */
void fsd_tale_rivals(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id layer);
/** The event that inserted a layer, and its measured time. */
void fsd_tale_cost(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id layer);

/* explain.c */

/** Describes a layer.
 *  @param by the evidence that the layer computes the node of the story; 0: there is no
 *         such node */
void fsd_tale_layer(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id layer,
                    unsigned by);

/** advice.c: prints "layer 3 (Conv_13 + 2)" as an end of an edge, with names in
 *  backquotes if `quote`. */
void fsd_put_end(const struct fsd_diff *d, fsd_id layer, bool quote, FILE *out);
