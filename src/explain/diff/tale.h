/* The sentences of a story, and what the files of the story share.  Only explain*.c. */
#ifndef FSD_DIFF_TALE_H
#define FSD_DIFF_TALE_H

#include "explain/diff/explain.h"

/** Begins a sentence; returns where to print it.
 *  @param line of the log; 0: not from the log */
FILE *fsd_tale_start(struct fsd_tale *tale, const char *topic, uint64_t line);
void fsd_tale_finish(struct fsd_tale *tale);
/** A sentence that is a literal. */
void fsd_tale_say(struct fsd_tale *tale, const char *topic, const char *text);

/* explain_log.c; without a log these add nothing. */

/** States that the log is not of this build, if so. */
void fsd_tale_refused(struct fsd_tale *tale, const struct fsd_diff *d);
/** The parser's line of a node, with its inputs and outputs. */
void fsd_tale_parsed(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id node);
/** All events of a node, except tries that had an effect. */
void fsd_tale_events(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id node);
void fsd_tale_event(struct fsd_tale *tale, const struct fsd_diff *d, uint32_t event,
                    const char *topic);
const char *fsd_topic_of(enum fsd_event_kind kind);
/** Whether a pass tried a layer and the log shows no effect. */
bool fsd_is_idle_try(const struct fsd_history *h, uint32_t event);
/** The kernels that the builder timed for a layer, fastest first. */
void fsd_tale_rivals(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id layer);
/** The step that inserted a layer, and its measured time. */
void fsd_tale_cost(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id layer);

/* explain.c */

/** @param by the evidence that it computes the node of the story; 0: there is no
 *         such node */
void fsd_tale_layer(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id layer,
                    unsigned by);

/** "layer 3 (Conv_13 + 2)", as at the end of an edge, with names in backquotes on
 *  request.  advice.c */
void fsd_put_end(const struct fsd_diff *d, fsd_id layer, bool quote, FILE *out);

#endif
