/*
 * The merge gate: the policy, which the gate reads, and the verdict, which the reports
 * print. A verdict is about one run, or about the changes since a snapshot. It has
 * findings, and a table that is printed above the findings. All strings are valid UTF-8
 * without escapes; the writer adds the escapes.
 */
#pragma once

#include "base/base.h"
#include "judge/findings/brief.h"
#include "judge/findings/findings.h"

/** Whether the file is a policy: the first line that is neither blank nor a comment
 *  begins a section of a policy. */
bool fsd_policy_sniff(const char *path);

/** Reads a policy.
 *  @param[out] out NULL on failure; the caller frees it with fsd_policy_free()
 *  @param path NULL: the default policy
 *  @return FSD_OK; FSD_E_IO; FSD_E_FORMAT, with the line, for an unknown rule or key,
 *          an invalid value, or an ignore without a rule or a reason */
enum fsd_status fsd_policy_read(struct fsd_policy **out, const char *path,
                                struct fsd_error *err);

/** "count 0, share 5%": the budgets that a policy may set for the rule, with their
 *  defaults; NULL if there are none. */
const char *fsd_rule_budgets(struct fsd_arena *arena, const struct fsd_rule *rule);

/** How the user can accept the rule's findings, as a sentence. */
const char *fsd_rule_accept(struct fsd_arena *arena, const struct fsd_rule *rule);

/** A row of the table above the findings. */
struct fsd_verdict_row {
    const char *what, *before, *now; /**< `before` is NULL in a verdict on a single
                                          build */
};

/** A root cause of findings: a change of the model or of the builder. */
struct fsd_root_cause {
    unsigned kind;    /**< internal to cause.c */
    const char *what; /**< "8 Q/DQ pairs are gone from the model, in front of ..." */
    const char *todo; /**< the advice, a sentence */
    double ms;        /**< if `timed`: milliseconds by which the regions of the cause's
                           nodes became slower */
    uint64_t bytes;   /**< bytes read and written by layers that were inserted at the
                           cause's nodes; 0: unknown */
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
    const char *name;           /**< for a check: model and label, to be used in titles;
                                     else NULL */
    double ms[2];               /**< milliseconds of the old and the new build;
                                     negative: unknown */
    const char *snapshot;       /**< the snapshot's path; NULL: there is only one
                                     build */
    enum fsd_severity fails_at; /**< the lowest level that is a JUnit failure */
    bool accepts;               /**< the snapshot is rewritten, so nothing fails */
    bool failed;                /**< a finding has at least the level `fails_at`, and is
                                     not accepted */
    FSD_VEC(struct fsd_verdict_row)
    about; /**< the compared inputs, and their versions */
    FSD_VEC(struct fsd_verdict_row) rows;
    FSD_VEC(struct fsd_root_cause)
    causes;             /**< for a check that did not pass: its causes, the most
                             expensive first */
    uint32_t *cause_of; /**< indexed by finding: its cause; FSD_NONE: none, or
                             several */
    const char
        *says[3]; /**< three sentences: what changed, what it costs, what to do; NULL:
                       no causes */
    struct fsd_account account; /**< for a check with a snapshot: what both builds were
                                     made from */
    bool saves;                 /**< says[1] states a gain, not a loss */
    struct fsd_brief brief;     /**< the summary at the top of the report; empty for a
                                     model alone */
    const char *command;        /**< the command that repeats the check; NULL:
                                     unknown */
    const char *accept; /**< the command that rewrites the snapshot; NULL: there is
                             nothing to accept */
    const struct fsd_findings *findings;
    struct fsd_policy *policy; /**< a policy that fsd_verdict_free() frees; NULL:
                                    none */
};

/** The three sentences of `says` as one text, which lives as long as the verdict. None
 *  of the three may be NULL. */
const char *fsd_verdict_sentences(const struct fsd_verdict *v);
/** The cause of finding i; NULL if the cause is unknown, or there may be several. */
const struct fsd_root_cause *fsd_verdict_cause_of(const struct fsd_verdict *v,
                                                  uint32_t i);

/** The verdict of a run, without a judgement. The run must outlive the verdict. */
struct fsd_verdict *fsd_verdict_of_run(const struct fsd_diff *d);

struct fsd_lint;
/** The verdict on a model, and on the engine built from it, if there is one. */
struct fsd_verdict *fsd_verdict_of_lint(const struct fsd_diff *d,
                                        const struct fsd_lint *lint,
                                        const struct fsd_findings *findings,
                                        const char *command);

/** The verdict of a case. The case and all its parts must outlive the verdict.
 *  @param accepts whether the findings are accepted
 *  @param command the command that repeats the check */
struct fsd_verdict *fsd_verdict_of_case(const struct fsd_case *before_gate,
                                        bool accepts, const char *command);

/** The verdict of a comparison of two builds or two exports, with the default policy
 *  and without a judgement. The comparison must outlive the verdict.
 *  @param run the run of the new build, for lint's advice on its model; NULL:
 *          unknown */
struct fsd_verdict *fsd_verdict_of_comparison(const struct fsd_compare *c,
                                              const struct fsd_diff *run);
struct fsd_verdict *fsd_verdict_of_exports(const struct fsd_compare *c);

/** Sets `says` to the three sentences of the comparison's verdict (fsd_verdict.says).
 *  @param arena owns the sentences
 *  @param run as for fsd_verdict_of_comparison()
 *  @return false if there are no sentences */
bool fsd_comparison_says(const struct fsd_compare *c, const struct fsd_diff *run,
                         struct fsd_arena *arena, const char *says[3]);

/** A copy of a verdict. The copy may outlive the compared builds, but not the policy of
 *  the case (fsd_case.policy). keep.c */
struct fsd_verdict *fsd_verdict_keep(const struct fsd_verdict *from);

void fsd_verdict_free(struct fsd_verdict *v); /**< may be NULL */

/** Groups the findings of a check by cause, ranks the causes, and writes the sentences
 *  of `says`. cause.c */
void fsd_verdict_find_causes(struct fsd_verdict *v, const struct fsd_case *before_gate);

/** Prints "the layers read and write 41.2 kB, previously 28.9 kB (+42.5 %)". cost.c
 *  @param inserted bytes that the inserted layers read and write; 0: unknown
 *  @return false, and prints nothing, if no bytes are known */
bool fsd_put_bytes_of_change(const struct fsd_compare *c, uint64_t inserted, FILE *out);

/** The first finding of the highest severity; NULL if there is neither warning nor
 *  error. */
const struct fsd_finding *fsd_verdict_worst(const struct fsd_verdict *v);

/** One of several builds that a gate checks. */
struct fsd_judged {
    const char *name;  /**< "model.onnx sm86": unique in the list */
    const char *label; /**< "" if the build has no label */
    const char *model; /**< the path of the model as given; without a model, the path of
                            the engine. If `name` would not be unique, fsd_verdicts_of()
                            appends the engine's path or a number here, because `name`
                            begins with `model` */
    const char *engine;
    const char *verdict;         /**< v->verdict, or "error" if `v` is NULL */
    const struct fsd_verdict *v; /**< NULL: the build could not be checked, because of
                                      `error` */
    const struct fsd_error *error;
};

/** The verdicts to print: one verdict, or the verdicts of a list of builds. */
struct fsd_verdicts {
    struct fsd_judged *at;
    uint32_t n;
    bool accepts;                    /**< snapshots are rewritten */
    bool list;                       /**< the builds come from a list. Each build then
                                          has a name, even if the list has only one
                                          build */
    uint32_t passed, failed, errors; /**< number of builds; `passed` includes accepted
                                          builds */
    const char *verdict;             /**< the worst verdict of all builds */
};

/** Sets *ms to the milliseconds by which the build became slower, rounded to the
 *  nanosecond.
 *  @return false if a time is unknown */
bool fsd_judged_change(const struct fsd_judged *j, double *ms);

/** A list with a single verdict. The `name` of its build is v->name, and may be NULL.
 *  @param room must live as long as the result is used */
struct fsd_verdicts fsd_verdicts_of_one(struct fsd_judged *room,
                                        const struct fsd_verdict *v);

/** Names the builds of a list, and counts their verdicts. The caller sets `label`,
 *  `model` and `engine` of each build, and the verdict `v` or, if the build could not
 *  be checked, `error`.
 *  @param at borrowed */
struct fsd_verdicts fsd_verdicts_of(struct fsd_arena *arena, struct fsd_judged *at,
                                    uint32_t n);
