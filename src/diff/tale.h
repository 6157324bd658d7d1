/* Sentences of a story, and what its files tell each other.  Only explain*.c. */
#ifndef FSD_DIFF_TALE_H
#define FSD_DIFF_TALE_H

#include "diff/explain.h"

/** Begins a sentence; returns where to print it.
 *  @param line  of the log; 0: not from there. */
FILE *fsd_tale_start(struct fsd_tale *tale, const char *topic, uint64_t line);
void fsd_tale_finish(struct fsd_tale *tale);
/** A sentence that is a literal. */
void fsd_tale_say(struct fsd_tale *tale, const char *topic, const char *text);

/* explain_log.c: they tell nothing without a log. */

/** That the log is not of this build, if so. */
void fsd_tell_refused(struct fsd_tale *tale, const struct fsd_diff *d);
/** The parser's line of a node, with what it reads and makes. */
void fsd_tell_parsed(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id node);
/** All events of a node, but the tries that came to something. */
void fsd_tell_events(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id node);
void fsd_tell_event(struct fsd_tale *tale, const struct fsd_diff *d, uint32_t event,
                    const char *topic);
const char *fsd_topic_of(enum fsd_event_kind kind);
/** True when a pass looked at a layer and the log tells of nothing that came of it. */
bool fsd_is_idle_try(const struct fsd_history *h, uint32_t event);
/** The kernels that were timed for a layer, the fastest first. */
void fsd_tell_rivals(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id layer);
/** Which step inserted a layer, and what was measured for it. */
void fsd_tell_cost(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id layer);

/* explain.c */

/** @param by  the evidence that it computes the node told of; 0: none is meant. */
void fsd_tell_layer(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id layer,
                    unsigned by);

#endif
