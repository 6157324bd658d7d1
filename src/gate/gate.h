/*
 * The merge gate: the policy it reads, and the verdict that its formats print: findings
 * with a few lines on top, of one run or of what changed since a snapshot.  All strings
 * are valid UTF-8, and as they are: the writer escapes them.
 */
#ifndef FSD_GATE_GATE_H
#define FSD_GATE_GATE_H

#include "base/status.h"
#include "findings/brief.h"
#include "findings/findings.h"

/** True when a file's first line that says something opens a section of a policy. */
bool fsd_policy_sniff(const char *path);

/** @param out  NULL on failure; free it with fsd_policy_free().
 *  @param path NULL: the default policy.
 *  @return FSD_OK; FSD_E_IO; FSD_E_FORMAT with the line, for an unknown rule or key, a
 *          value that is none, an ignore without a rule or a reason. */
enum fsd_status fsd_policy_read(struct fsd_policy **out, const char *path,
                                struct fsd_error *err);

/** A line of the table on top. */
struct fsd_verdict_row {
    const char *what, *before, *now; /**< before: NULL in a verdict on one build */
};

/** What findings come from: what changed in the model or in the builder. */
struct fsd_root_cause {
    unsigned kind;    /**< of cause.c's own */
    const char *what; /**< "8 Q/DQ pairs are gone from the model, in front of ..." */
    const char *todo; /**< a sentence */
    double ms;        /**< that the regions of its nodes are slower, where `timed` */
    uint64_t bytes;   /**< read and written by layers inserted there; 0: not known */
    bool timed;
    uint32_t findings, errors, warnings;
};

struct fsd_verdict {
    struct fsd_arena *arena;
    const char *title;   /**< "diff" or "check" */
    const char *verdict; /**< "passed", "failed", "accepted"; NULL: nothing is judged */
    const char *model, *engine;
    const char *label;          /**< what the build is for; "": nobody says */
    const char *name;           /**< of a check: model and label, for titles; NULL */
    double ms[2];               /**< before and now; negative: not known */
    const char *snapshot;       /**< NULL: one build only */
    enum fsd_severity fails_at; /**< JUnit's failure */
    bool accepts;               /**< the snapshot is rewritten: nothing fails */
    bool failed;                /**< a finding is as bad as that */
    FSD_VEC(struct fsd_verdict_row) about; /**< what was looked at, and versions */
    FSD_VEC(struct fsd_verdict_row) rows;
    FSD_VEC(struct fsd_root_cause)
    causes;             /**< of a check that does not pass whole: the
                                           most expensive first */
    uint32_t *cause_of; /**< by finding: its cause; FSD_NONE: of no single one */
    const char
        *says[3]; /**< what changed, what it costs, what to do; NULL: no causes */
    struct fsd_brief brief; /**< what the report begins with; empty for a model */
    const char *command;    /**< that asks for it again; NULL: not known */
    const char *accept; /**< the one that rewrites the snapshot; NULL: there is nothing
                              to accept */
    const struct fsd_findings *findings;
    struct fsd_policy *policy; /**< its own, which is freed with it; NULL */
};

/** The sentences of `says`, which has some, in one text; it lives as long as the
 *  verdict. */
const char *fsd_verdict_sentences(const struct fsd_verdict *v);
/** The cause of the i-th finding; NULL: none is known, or several may be. */
const struct fsd_root_cause *fsd_verdict_cause_of(const struct fsd_verdict *v,
                                                  uint32_t i);

/** On a run: nothing is judged.  Needs the run as long as it lives. */
struct fsd_verdict *fsd_verdict_of_run(const struct fsd_diff *d);

/** On a model, and what was built of it, if anything. */
struct fsd_lint;
struct fsd_verdict *fsd_verdict_of_lint(const struct fsd_diff *d,
                                        const struct fsd_lint *lint,
                                        const struct fsd_findings *findings,
                                        const char *command);

/** On a case, all of which must outlive it.
 *  @param accepts what is found is accepted.
 *  @param command the one that asks for it. */
struct fsd_verdict *fsd_verdict_of_case(const struct fsd_case *before_gate,
                                        bool accepts, const char *command);

/** On what changed between two builds, or two exports, by the default policy: nothing
 *  is judged.  Needs what is compared as long as it lives. */
struct fsd_verdict *fsd_verdict_of_comparison(const struct fsd_compare *c);
struct fsd_verdict *fsd_verdict_of_exports(const struct fsd_exports *e);

void fsd_verdict_free(struct fsd_verdict *v); /**< may be NULL */

/** Groups the findings of a check by cause, ranks the causes and says what they come
 *  to.  cause.c */
void fsd_verdict_find_causes(struct fsd_verdict *v, const struct fsd_case *before_gate);

/** The first of the most severe findings; NULL: none is a warning or an error. */
const struct fsd_finding *fsd_verdict_worst(const struct fsd_verdict *v);

/** One build of several before the gate. */
struct fsd_judged {
    const char *name;  /**< "model.onnx sm86": no other build of the list has it */
    const char *label; /**< "" where it has none */
    const char *model; /**< as it was given, the engine where that is all; and the
                              engine where that tells it from another build */
    const char *engine;
    const char *verdict;         /**< as of the verdict, or "error" */
    const struct fsd_verdict *v; /**< NULL: it could not be checked, for this: */
    const struct fsd_error *error;
};

/** What the writers print: one verdict, or those of a list of builds. */
struct fsd_verdicts {
    struct fsd_judged *at;
    uint32_t n;
    bool accepts; /**< snapshots are rewritten */
    bool list;    /**< of a list, be it of one build: each is called by its name */
    uint32_t passed, failed, errors; /**< passed: or accepted */
    const char *verdict;             /**< of all: the worst */
};

/** How much slower the build is, to the nanosecond.
 *  @return false where a time is not known. */
bool fsd_judged_change(const struct fsd_judged *j, double *ms);

/** One verdict alone; only a check has a name, by its model and label.
 *  @param room  as long as the result is used. */
struct fsd_verdicts fsd_verdicts_of_one(struct fsd_judged *room,
                                        const struct fsd_verdict *v);

/** Names and counts the builds of a list, each with its verdict `v`, or with `error`,
 *  `label`, `model` and `engine`.
 *  @param at  borrowed. */
struct fsd_verdicts fsd_verdicts_of(struct fsd_arena *arena, struct fsd_judged *at,
                                    uint32_t n);

#endif
