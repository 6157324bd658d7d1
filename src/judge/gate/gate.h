/*
 * The merge gate: the policy that it reads, and the verdict that reports print:
 * findings with a table above them, for one run or for the changes since a snapshot.
 * All strings are valid UTF-8, not escaped: the writer does that.
 */
#pragma once

#include "base/base.h"
#include "judge/findings/brief.h"
#include "judge/findings/findings.h"

/** Whether the file's first line that is not blank or a comment opens a section of a
 *  policy. */
bool fsd_policy_sniff(const char *path);

/** @param out  NULL on failure; free it with fsd_policy_free().
 *  @param path NULL: the default policy.
 *  @return FSD_OK; FSD_E_IO; FSD_E_FORMAT with the line, for an unknown rule or
 *         key, an invalid value, an ignore without a rule or a reason. */
enum fsd_status fsd_policy_read(struct fsd_policy **out, const char *path,
                                struct fsd_error *err);

/** "count 0, share 5%": the budgets of a rule that a policy may set, with their
 *  defaults; NULL if there are none. */
const char *fsd_rule_budgets(struct fsd_arena *arena, const struct fsd_rule *rule);

/** What the user can do to accept the rule's findings, in words. */
const char *fsd_rule_accept(struct fsd_arena *arena, const struct fsd_rule *rule);

/** A line of the table above the findings. */
struct fsd_verdict_row {
    const char *what, *before, *now; /**< before: NULL in a verdict on a single build */
};

/** A root cause of findings: a change of the model or of the builder. */
struct fsd_root_cause {
    unsigned kind;    /**< internal to cause.c */
    const char *what; /**< "8 Q/DQ pairs are gone from the model, in front of ..." */
    const char *todo; /**< the advice, a sentence */
    double ms;        /**< how much slower the regions of its nodes became, if
                           `timed` */
    uint64_t bytes;   /**< bytes that the layers inserted at its nodes read and write;
                           0: unknown */
    bool timed;
    uint32_t findings, errors, warnings;
};

struct fsd_verdict {
    struct fsd_arena *arena;
    const char *title;   /**< "diff" or "check" */
    const char *verdict; /**< "passed", "failed", "accepted"; NULL: there is no
                              judgement */
    const char *model, *engine;
    const char *label;          /**< the build's label; "": none */
    const char *name;           /**< for a check: model and label, for titles; else
                                     NULL */
    double ms[2];               /**< old and new time; negative: unknown */
    const char *snapshot;       /**< NULL: there is only one build */
    enum fsd_severity fails_at; /**< the level of a JUnit failure */
    bool accepts;               /**< the snapshot is rewritten: nothing fails */
    bool failed;                /**< a finding is at or above the level that fails */
    FSD_VEC(struct fsd_verdict_row)
    about; /**< the compared inputs, and their versions */
    FSD_VEC(struct fsd_verdict_row) rows;
    FSD_VEC(struct fsd_root_cause)
    causes;             /**< for a check that did not pass: its causes, the most
                             expensive first */
    uint32_t *cause_of; /**< indexed by finding: its cause; FSD_NONE: none, or
                             several */
    const char
        *says[3]; /**< what changed, what it costs, what to do; NULL: no causes */
    struct fsd_account account; /**< what the builds were made from; for a check with a
                                     snapshot */
    bool saves;                 /**< says[1] is a gain */
    struct fsd_brief brief;     /**< the summary at the top of the report; empty for a
                                     model alone */
    const char *command;        /**< the command that repeats the check; NULL:
                                     unknown */
    const char *accept; /**< the command that rewrites the snapshot; NULL: there is
                             nothing to accept */
    const struct fsd_findings *findings;
    struct fsd_policy *policy; /**< a policy that is freed with the verdict; NULL */
};

/** The sentences of `says`, which must not be NULL, as one text that lives as long as
 *  the verdict. */
const char *fsd_verdict_sentences(const struct fsd_verdict *v);
/** The cause of finding i; NULL if it is unknown, or there may be several. */
const struct fsd_root_cause *fsd_verdict_cause_of(const struct fsd_verdict *v,
                                                  uint32_t i);

/** The verdict of a run, without a judgement. The run must outlive it. */
struct fsd_verdict *fsd_verdict_of_run(const struct fsd_diff *d);

/** The verdict of a model, and of the engine built from it, if there is one. */
struct fsd_lint;
struct fsd_verdict *fsd_verdict_of_lint(const struct fsd_diff *d,
                                        const struct fsd_lint *lint,
                                        const struct fsd_findings *findings,
                                        const char *command);

/** The verdict of a case. The case and all its parts must outlive it.
 *  @param accepts the findings are accepted.
 *  @param command the command that repeats the check. */
struct fsd_verdict *fsd_verdict_of_case(const struct fsd_case *before_gate,
                                        bool accepts, const char *command);

/** The verdict of a comparison of two builds or two exports, with the default policy
 *  and without a judgement. The comparison must outlive it.
 *  @param run the run of the new build, for lint's advice on its model; NULL:
 *          unknown */
struct fsd_verdict *fsd_verdict_of_comparison(const struct fsd_compare *c,
                                              const struct fsd_diff *run);
struct fsd_verdict *fsd_verdict_of_exports(const struct fsd_compare *c);

/** The three sentences of the verdict of a comparison, as texts in `arena`.
 *  @param run as for fsd_verdict_of_comparison()
 *  @return false if there are none */
bool fsd_comparison_says(const struct fsd_compare *c, const struct fsd_diff *run,
                         struct fsd_arena *arena, const char *says[3]);

/** A copy that does not depend on the compared objects, except on the case's policy.
 *  keep.c */
struct fsd_verdict *fsd_verdict_keep(const struct fsd_verdict *from);

void fsd_verdict_free(struct fsd_verdict *v); /**< may be NULL */

/** Groups the findings of a check by cause, ranks the causes and writes the sentences
 *  on them.  cause.c */
void fsd_verdict_find_causes(struct fsd_verdict *v, const struct fsd_case *before_gate);

/** Prints "the layers read and write 41.2 kB, before 28.9 kB (+42.5 %)". cost.c
 *  @param inserted  bytes of layers that only the new build has; 0: unknown
 *  @return false, and prints nothing, if no bytes are known */
bool fsd_put_bytes_of_change(const struct fsd_compare *c, uint64_t inserted, FILE *out);

/** The first of the most severe findings; NULL if there is no warning or error. */
const struct fsd_finding *fsd_verdict_worst(const struct fsd_verdict *v);

/** One of several builds that a gate checks. */
struct fsd_judged {
    const char *name;  /**< "model.onnx sm86": unique in the list */
    const char *label; /**< "" if it has none */
    const char *model; /**< the path of the model as given, or the engine's path if
                            there is no model.  If another build has the same model, the
                            engine's path is added */
    const char *engine;
    const char *verdict;         /**< the verdict of `v`, or "error" */
    const struct fsd_verdict *v; /**< NULL: the build could not be checked, because of
                                      `error` */
    const struct fsd_error *error;
};

/** The verdicts to print: one, or those of a list of builds. */
struct fsd_verdicts {
    struct fsd_judged *at;
    uint32_t n;
    bool accepts;                    /**< snapshots are rewritten */
    bool list;                       /**< a list, even of one build: each has a name */
    uint32_t passed, failed, errors; /**< passed: includes accepted */
    const char *verdict;             /**< the worst of all */
};

/** How much slower the build is, in ms, rounded to the nanosecond.
 *  @return false if a time is unknown. */
bool fsd_judged_change(const struct fsd_judged *j, double *ms);

/** The verdicts for a single verdict. Only a check has a name, from its model and
 *  label.
 *  @param room must live as long as the result is used. */
struct fsd_verdicts fsd_verdicts_of_one(struct fsd_judged *room,
                                        const struct fsd_verdict *v);

/** Assigns names to the builds of a list, and counts them.  Set in each build its
 *  verdict `v` or, if it has no verdict, `error`, `label`, `model` and `engine`.
 *  @param at borrowed. */
struct fsd_verdicts fsd_verdicts_of(struct fsd_arena *arena, struct fsd_judged *at,
                                    uint32_t n);
