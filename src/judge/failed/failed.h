/*
 * A failed build: its class, the failing nodes of the model, the values in the error
 * message, and what to try. These facts are concluded from the log's messages
 * (read/log/failure.h), the model, and lint's findings in the model. A failed build has
 * no engine, so it is not a run but a subject of its own.
 */
#pragma once

#include "judge/findings/findings.h"
#include "match/pick.h"
#include "judge/lint/lint.h"
#include "model/graph/history.h"
#include "model/graph/vocab.h"
#include "read/log/failure.h"

/** The evidence by which the nodes of a failure were found, the most reliable first. */
enum fsd_failed_by {
    FSD_FAILED_BY_RECORD, /**< the parser's error record states the node */
    FSD_FAILED_BY_NAME,   /**< the message has the node's name, or a name derived from
                               it */
    FSD_FAILED_BY_REGION, /**< the message names the two ends of a region, and the node
                               is on a path between them */
    FSD_FAILED_BY_LAYER,  /**< the message has the number of a layer without a name */
    FSD_FAILED_BY_TENSOR, /**< the node produces or reads a tensor that the message
                               names */
    FSD_FAILED_BY_ORDER,  /**< the parser read the node last */
    FSD_FAILED_BY_KIND,   /**< the node's operator is of the kind that the message
                               names; at most FSD_FAILED_PART nodes */
    FSD_FAILED_BY_TYPE,   /**< the node has a tensor of a type that the message names */
    FSD_FAILED_BY_LINT,   /**< lint finds that builders refuse the node */
    FSD_FAILED_BY_NOTHING,
    FSD__FAILED_BY_COUNT
};

/** The evidence as text: "the parser states it". */
const char *fsd_failed_by_text(enum fsd_failed_by value);
/** The evidence as one word: "record". */
const char *fsd_failed_by_name(enum fsd_failed_by value);

/** A value of the message. */
struct fsd_failed_value {
    const char *what; /**< from fsd_said_name(): "bytes" */
    const char *text;
};

/** Something that the user should try. */
struct fsd_failed_try {
    const char *text;
    const char *command; /**< a command for a shell; NULL: none */
};

/** The maximum number of candidates for the node that added a layer without a name. If
 *  there are more, the node counts as unknown. */
enum { FSD_FAILED_PART = 10 };

struct fsd_failed {
    struct fsd_arena *arena;
    const struct fsd_history *history;
    const struct fsd_graph *model; /**< the given model, else the network that the log
                                        states; without nodes if neither is known */
    const struct fsd_diff *run; /**< a run of the model alone; NULL: no model was given,
                                     or it could not be read */
    const char *no_model;       /**< why the model could not be read; NULL: it could be
                                     read */
    const char *model_path, *log_path; /**< paths; model_path is NULL if no model was
                                            given */
    const struct fsd_lint *lint; /**< lint of the model for the builder of the log; NULL
                                      without a run */
    const struct fsd_findings *findings; /**< the findings of lint; NULL without a
                                              run */

    enum fsd_failure_class is;
    const struct fsd_log_failure *first; /**< the error */
    const char *message;                 /**< the error message in one line */
    const char *because; /**< the reason for the error, from a skipped tactic or from
                              an earlier line of the log; NULL: none */
    const char *named;   /**< the layer that the message names; NULL: none */
    enum fsd_failed_by by;
    fsd_id_vec nodes; /**< the failing nodes of the model, the likeliest first; nodes of
                           a region in the order of the file */
    fsd_id_vec part;  /**< the nodes to cut out, all or some of `nodes` */
    fsd_id_vec others;             /**< other nodes that the parser rejects */
    FSD_VEC(const char *) tensors; /**< tensors that the message names */
    FSD_VEC(struct fsd_failed_value) values;
    FSD_VEC(uint32_t)
    found; /**< indices in findings->list: lint's findings at the failing nodes, or
                about the fault that the message states */
    FSD_VEC(struct fsd_failed_try)
    tries;                  /**< in the order in which the user should try
                                               them */
    const char *target;     /**< the builder, "rtx-1.7:sm75" */
    const char *conclusion; /**< one sentence */
};

/** Returns the target of the build as far as the log states it: "rtx-1.7:sm75". The
 *  compute capability is from the first error or, if that states none, from another
 *  line of the log. fsd_target_read() accepts the returned word.
 *  @param h the history of a log with at least one failure */
const char *fsd_failed_target(struct fsd_arena *arena, const struct fsd_history *h);

/** The caller sets these members of `f`: arena, history, model, run, no_model, the
 *  paths, lint, findings, target. This function sets all other members.
 *  @param f f->history must be the history of a log with at least one failure
 *  @param vocab the vocabulary of the model */
void fsd_failed_conclude(struct fsd_failed *f, const struct fsd_vocab *vocab);

/* ------------------------------------------------------------ inside judge/failed */

/** Whether `nodes` has several nodes, and it is unknown which one of them failed. */
static inline bool fsd_failed_is_of_several(const struct fsd_failed *f)
{
    return f->nodes.n > 1 &&
           (f->by == FSD_FAILED_BY_LAYER || f->by == FSD_FAILED_BY_KIND);
}

/** Finds the nodes and tensors of the failure.  place.c */
void fsd_failed_find_place(struct fsd_failed *f, const struct fsd_vocab *vocab,
                           const struct fsd_log_said *said);

/** Appends the nodes that may have added a layer such as "(Unnamed Layer* 9)
 *  [Recurrence]", in the order of parsing. If there are more than FSD_FAILED_PART,
 *  appends none. unnamed.c
 *  @param name the layer's name, and any text after it
 *  @return FSD_FAILED_BY_LAYER or, if the log does not list layers, FSD_FAILED_BY_KIND;
 *          FSD_FAILED_BY_NOTHING: none was appended */
enum fsd_failed_by fsd_failed_find_unnamed(const struct fsd_failed *f,
                                           const struct fsd_vocab *vocab,
                                           struct fsd_slice name, fsd_id_vec *nodes);

/** Chooses which of `nodes` to cut out. place.c */
void fsd_failed_choose_part(struct fsd_failed *f);

/** Adds to f->tries what the user should try. tries.c */
void fsd_failed_add_tries(struct fsd_failed *f);

/** Adds the values of a message to f->values, except names. value.c */
void fsd_failed_take_values(struct fsd_failed *f, const struct fsd_log_said *said);
/** Returns the i-th object that a message names, as a text. */
const char *fsd_failed_said_value(struct fsd_arena *arena,
                                  const struct fsd_log_said *said, unsigned i);
/** Returns the text of the first value of that kind; NULL: there is none. */
const char *fsd_failed_value(const struct fsd_failed *f, enum fsd_said what);
