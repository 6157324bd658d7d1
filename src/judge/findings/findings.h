/*
 * Findings show a reviewer what to look at, in a run or in the changes since a
 * snapshot.
 *
 * A rule is one row of the table in rules.c. A finding has subjects, a sentence and
 * facts. Every format prints the same sentence. Each fact has a key for programs. A
 * policy may set the level and the budget of a rule, and may ignore findings for a
 * stated reason. Findings within a budget remain visible as information.
 */
#pragma once

#include "change/compare/compare.h"
#include "change/compare/exports.h"
#include "explain/cost/cost.h"
#include "explain/diff/diff.h"
#include "explain/pattern/pattern.h"

/* -------------------------------------------------------------------- the policy */

/* The policy of a merge gate sets levels and budgets of rules, and ignores findings for
 * a stated reason. judge/gate/policy_ini.c reads it from an INI file:
 *
 *     [new-reformat]
 *     level = error
 *     ms = 0.05
 *
 *     [ignore stem]
 *     rule = lost-fusion
 *     node = /stem/conv?
 *     reason = the stem is rewritten in the next release
 *     expires = 2026-12-31
 *
 * Without a file, every rule has the defaults of its row in the table. */

/** What a policy may set for a rule; bits of a mask. */
enum {
    FSD_BUDGET_COUNT = 1,
    FSD_BUDGET_MS = 2,
    FSD_BUDGET_SHARE = 4,
    FSD_SETS_NOISE = 8,
    FSD_SETS_WORDS = 16,
    FSD_SETS_BLOCKS = 32, /**< the required fusion of a pattern's blocks */
    FSD_SETS_TYPES = 64,  /**< the required types and their share of the work */
    FSD_SETS_BYTES = 128  /**< the allowed bytes of each kind of memory */
};

/** The allowed maximum; negative: unlimited. */
struct fsd_budget {
    double count, ms, share; /**< share: 0 to 1, of the engine's time */
};

struct fsd_policy_rule {
    int level; /**< enum fsd_severity or FSD_OFF */
    struct fsd_budget budget;
    bool own_budget;
    bool asked; /**< the policy has a section for the rule */
};

struct fsd_policy_ignore {
    const char *label, *rule, *node, *reason; /**< node: a glob of names; "*" matches
                                                   any node */
    const char *owner;                        /**< the person to ask; NULL: not
                                                   stated */
    unsigned expires; /**< the last day on which the ignore is valid, such as 20260131;
                           0: the ignore never expires */
    uint32_t line;
};

/** A word of a list in the policy: the name of an operator, or a glob for nodes. */
struct fsd_policy_word {
    const char *text;
    uint32_t line; /**< line in the policy's file; 0: the default policy */
};

typedef FSD_VEC(struct fsd_policy_word) fsd_policy_words;

/** Kinds of an engine's memory. */
enum fsd_memory_kind {
    FSD_MEMORY_ACTIVATIONS, /**< peak memory of the tensors between layers */
    FSD_MEMORY_WEIGHTS,
    FSD_MEMORY_SCRATCH,    /**< only a log states FSD_MEMORY_SCRATCH and
                                FSD_MEMORY_PERSISTENT */
    FSD_MEMORY_PERSISTENT, /**< in device memory */
    FSD__MEMORY_COUNT
};

/** The unit of work in which the `share` of a promise is measured. */
enum fsd_work { FSD_WORK_MACS, FSD_WORK_MS, FSD_WORK_BYTES, FSD_WORK_NODES };

/** A requirement of the policy on the build itself, independent of earlier builds: all
 *  blocks of a pattern are fused, most of the work runs in certain types, or memory is
 *  limited. */
struct fsd_promise {
    uint32_t rule; /**< the number of the rule that the section names, for
                        fsd_rule_at() */
    uint32_t line;
    enum fsd_pattern pattern;
    int fused;              /**< the required enum fsd_fused; FSD_OFF: not required */
    uint64_t types;         /**< a bit for each enum fsd_dtype; 0: not required */
    fsd_policy_words scope; /**< globs for nodes; empty: all nodes */
    double least;           /**< the minimum number of blocks in the model */
    double share;           /**< the least share of the work that must run in
                                 `types`, 0 to 1 */
    enum fsd_work by;
    double bytes[FSD__MEMORY_COUNT]; /**< indexed by enum fsd_memory_kind: the maximum
                                          number of bytes; negative: unlimited */
};

struct fsd_policy {
    struct fsd_arena *arena;
    const char *path;              /**< "" for the default policy */
    struct fsd_policy_rule *rules; /**< indexed by the rule's number, as fsd_rule_at()
                                        takes it */
    double noise;     /**< if the total time grows by less than this share, the build is
                           never reported as slower */
    double noise_cap; /**< maximum of the measured noise, as a share of the total
                           time */
    fsd_policy_words operators; /**< for the rule int8-required: operators, or globs for
                                     nodes */
    fsd_policy_words except;    /**< for the rule int8-required: globs for nodes that
                                     are exempt */
    FSD_VEC(struct fsd_policy_ignore) ignores;
    FSD_VEC(struct fsd_promise) promises;
};

/** A policy with the defaults of all rules; it owns its arena. */
struct fsd_policy *fsd_policy_new(void);
void fsd_policy_free(struct fsd_policy *policy); /**< may be NULL */

/* --------------------------------------------------------------------- the rules */

struct fsd_finder;
struct fsd_lint; /* see judge/lint/lint.h */
typedef void fsd_find_fn(struct fsd_finder *f);

/** What a rule needs; bits of a mask. A rule is evaluated only if all that it needs is
 *  there. */
enum {
    FSD_NEEDS_RUN = 1,
    FSD_NEEDS_CHANGE = 2,  /**< two builds and their comparison */
    FSD_NEEDS_LOG = 4,     /**< the run's build log */
    FSD_NEEDS_CASE = 8,    /**< a build to be checked, with or without a snapshot */
    FSD_NEEDS_LINT = 16,   /**< a model before its build: lint */
    FSD_NEEDS_ENGINE = 32, /**< for lint: an engine that was built from the model */
    FSD_NEEDS_EXPORTS = 64 /**< two models, compared without engines */
};

enum {
    FSD_OFF = -1
}; /**< the level of a rule that is evaluated only if the policy
                            sets another level */

struct fsd_rule {
    const char *id;  /**< the name of the rule in a policy and in reports */
    int level;       /**< default level: enum fsd_severity or FSD_OFF */
    const char *doc; /**< one sentence: the meaning of the rule's findings */
    unsigned needs;
    fsd_find_fn *find;
    int which;                /**< selects what `find` reports if several rules share
                                   this function */
    unsigned settable;        /**< what a policy may set in addition to the level; bits
                                   of a mask */
    struct fsd_budget budget; /**< the default budget */
    bool of_same;             /**< for rules on changes: the findings are kept even if
                                   only the version of this program changed since the
                                   snapshot (fsd_compare.reread) */
    bool about_inputs; /**< the rule checks whether the inputs belong together; every
                            command reports the findings of such a rule */
    /* For rules of lint. */
    unsigned builders; /**< bits of enum fsd_family: the builders to which the rule
                            applies; 0: all */
    unsigned notes;    /**< bits of enum fsd_family: the builders for which findings are
                            only information, without edits */
    enum fsd_proves {
        FSD_PROVES_NOTHING,
        FSD_PROVES_WIDE,   /**< a layer that computes the finding's first node reads or
                                writes higher precision */
        FSD_PROVES_STANDS, /**< a layer computes one of the finding's quantizers */
        FSD_PROVES_TWICE,  /**< the tensor that the finding's first quantizer reads is
                                quantized several times: the layers that compute it
                                write several quantized tensors. If they write none:
                                like FSD_PROVES_STANDS */
        FSD_PROVES_APART,  /**< several layers compute the finding's nodes */
        FSD_PROVES_BUILT   /**< the finding says that the builder refuses the model. An
                                engine of the model refutes this, so the finding is
                                withdrawn */
    } proves;              /**< what an engine must show to confirm a finding */
    bool slow; /**< the rule reports lost time, not an error. If an edit of the model
                    causes findings of this rule, the edit is applied nevertheless */
    const char *why, *fix, *source; /**< NULL: not documented yet */
    enum fsd_dtype keep;            /**< the type that the next build should use for the
                              finding's nodes (report/view/names.c prints it);
                              FSD_DTYPE_UNKNOWN: for each node, the type in which it
                              runs already */
};

/** "error", "warning", "info" or "off". */
const char *fsd_level_name(int level);

/** Rule i, NULL after the last. A rule's number never changes. */
const struct fsd_rule *fsd_rule_at(unsigned i);

/* ------------------------------------------------------------------ the findings */

/** A subject of a finding: a layer, a node or a tensor. */
struct fsd_about {
    fsd_id id;        /**< number of the layer, node or tensor in the run's graph, or in
                           a state of a comparison */
    const char *name; /**< "#12 (Conv)" for an unnamed node */
};

struct fsd_fact {
    const char *key; /**< a literal */
    uint64_t number;
    const char *text; /**< if not NULL, used instead of `number` */
};

enum fsd_action {
    FSD_INSERT_PAIR,
    FSD_REMOVE_PAIR,
    FSD_SET_SCALE,
    FSD_MOVE_PAIR,
    FSD_SCALE_FIRST,
    FSD_REPEAT_HEADS,
    FSD_PAD_INPUT,
    FSD_SLICE_OUTPUT,
    FSD_INSERT_CAST,
    FSD_MAKE_SYMMETRIC,
    FSD_SPREAD_SCALE,
    FSD_ADD_DIMENSION,
    FSD_STORE_CONSTANT,
    FSD_UNMARK_OUTPUT,
    FSD__ACTION_COUNT
};

/** The name of an action, such as "insert-pair". cite.c also has a phrase for each
 *  action. */
const char *fsd_action_name(enum fsd_action action);

/** An edit of the model, which edit/fix/fix.c or a script can apply. */
struct fsd_edit {
    enum fsd_action action;
    const char *tensor; /**< the tensor that is quantized or cast */
    fsd_id node;        /**< the node that reads the tensor, or a quantizer */
    const char *name;
    fsd_id to; /**< for FSD_MOVE_PAIR: the node before which the pair is moved; else
                    FSD_NONE */
    const char *to_name;
    uint32_t input;
    const char *like, *scale_tensor; /**< `like`: the quantizer whose scale to use.
                                          `scale_tensor`: the tensor with this scale.
                                          If both are NULL, an edit that needs a scale
                                          uses `scale`. If that is 0, the scale must be
                                          measured */
    double scale;                    /**< the scale if it is one number; 0: there are
                                          several scales, or the scale is unknown */
    const char *type;                /**< such as "int8"; NULL: unchanged */
    uint32_t axis;                   /**< number of the axis, counted from the end: the
                                          last axis is 0 */
    int64_t size;                    /**< the new size of the axis; 0: no size
                                          changes */
    const char *effect;              /**< the effect on the values of tensors */
    bool on_request; /**< the edit costs time or changes types, so it is applied only if
                          the user names its rule */
    bool together;   /**< the edit is applied together with all other edits of its
                          finding, or not at all */
};

/** An edit that lint proposes. The edit is cited at a layer that the edit would
 *  improve (cite.h). */
struct fsd_cite {
    const char *rule; /**< the rule of lint that proposes the edit */
    const struct fsd_edit *edit;
    const char *feeds; /**< for a pair to insert: "MaxPool_12 -> Add_36 (input 1)" */
    const char *shown; /**< what the dump shows: "layer 6 computes `Add_36` and reads
                            fp16" */
};

struct fsd_finding {
    uint32_t rule;              /**< an index in fsd_findings.rules */
    enum fsd_severity severity; /**< FSD_INFO if the findings of its rule are within the
                                     budget */
    const char *message;        /**< one sentence in one line, without a full stop */
    struct fsd_span layers, nodes,
        tensors;           /**< spans of fsd_findings.subjects. `tensors`: tensors of
                                the engine */
    struct fsd_span facts; /**< a span of fsd_findings.facts */
    struct fsd_span edits; /**< a span of fsd_findings.edits */
    struct fsd_span cites; /**< a span of fsd_findings.cites: lint's edits that would
                                remove the finding's cause */
    const char *todo;      /**< the first cite as text, then ", and 2 more edits" if
                                there are other cites; NULL: there are no cites */
    const char *proof;     /**< for lint: whether the engine shows what the finding
                                predicts: "confirmed", "withdrawn" or "undecided"; NULL:
                                not checked */
    const char *file;      /**< the file in which the finding is reported; NULL: the
                                model */
    uint32_t line;         /**< line in that file, from 1; 0: unknown */
    uint32_t move;         /**< for a finding about a new move: the move's number in the
                                new state, plus 1; else 0 */
    bool widens;           /**< for a change: the finding's nodes, or the edge between
                                them, have a higher precision than before */
    bool listed;           /**< for lint: the finding applies to each of its nodes
                                separately */
    bool of_dump;          /**< the finding reports that the whole dump lacks a kind of
                                fact, such as types */
    double ms;             /**< for a change: milliseconds by which the change makes the
                                build slower; 0: unknown, or not slower */
    uint32_t nth;          /**< number of the finding, in the order in which rules found
                                the findings */
    uint64_t fingerprint;  /**< unique among the findings, and the same in the next
                                run */
};

/** A rule that was evaluated, with or without findings. */
struct fsd_outcome {
    const struct fsd_rule *rule;
    int level;
    uint32_t found, ignored;
    const char *measured, *budget; /**< "3", "0.11 ms"; NULL: none */
    const char *skipped;           /**< why the rule could not be evaluated; NULL: it
                                        was evaluated */
    uint32_t off; /**< number of findings that are not reported because the policy turns
                       the rule off */
};

/** An ignore of the policy that removed findings, and the number of these findings. The
 *  ignore has not expired. */
struct fsd_ignored {
    const struct fsd_policy_ignore *by;
    uint32_t n;
};

struct fsd_findings {
    struct fsd_arena *arena;
    FSD_VEC(struct fsd_outcome) rules;
    FSD_VEC(struct fsd_finding)
    list; /**< sorted by rule; findings of a case are sorted by severity */
    FSD_VEC(struct fsd_about) subjects;
    FSD_VEC(struct fsd_fact) facts;
    FSD_VEC(struct fsd_edit) edits;
    FSD_VEC(struct fsd_ignored) ignores; /**< sorted as in the policy */
    FSD_VEC(struct fsd_cite) cites;
    struct fsd_span *cites_of; /**< for a run, indexed by layer: spans of `cites`; NULL:
                                    there are none */
    FSD_VEC(struct fsd_cite)
    proposed; /**< for a run: Q/DQ pairs that would let a layer read lower precision */
    uint32_t by_severity[FSD__SEVERITY_COUNT], ignored, off;
};

/** Copies the findings into `arena`, so that the run can be freed. keep.c */
struct fsd_findings *fsd_findings_keep(struct fsd_arena *arena,
                                       const struct fsd_findings *from);

/** The largest difference between two times that counts as noise. */
struct fsd_noise {
    double band; /**< milliseconds */
    enum fsd_noise_by {
        FSD_NOISE_POLICY,     /**< `noise` of the policy, as a share of the old time */
        FSD_NOISE_UNMEASURED, /**< `noise` of the policy, because one build was measured
                                   fewer than three times */
        FSD_NOISE_MEASURED,   /**< twice the standard deviation of the times; the larger
                                   value of the two builds */
        FSD_NOISE_CAPPED      /**< `noise_cap` of the policy, which is lower than the
                                   measured noise */
    } by;
};
/** The times of two builds, in milliseconds. If `runs` is set, these are times of whole
 *  runs; else they are sums of layer times. */
struct fsd_timing {
    bool known; /**< both times are known */
    bool runs;
    double before, after;
    double spread;         /**< twice the standard deviation of the times; the larger
                                value of the two builds */
    uint32_t n_old, n_new; /**< number of measured runs or profiles of each build */
};
struct fsd_timing fsd_timing_of_layers(const struct fsd_compare *c);
/** The times of whole runs if both builds have them, else the times of layers. */
struct fsd_timing fsd_timing_of(const struct fsd_compare *c);
struct fsd_noise fsd_noise_of(const struct fsd_timing *timing,
                              const struct fsd_policy *policy);
/** Prints "0.0200 ms (assumed by the policy, because 1 profile before and 2 now are too
 *  few to measure noise)". */
void fsd_put_noise(const struct fsd_timing *timing, struct fsd_noise noise, FILE *out);

/** Evaluates all rules about a run. The findings are allocated in the run's arena.
 *  @param out the address of d->findings. *out is set before the first rule is
 *          evaluated, so that each rule can read the findings of earlier rules
 *  @param cites whether to cite lint's edits. If so, the function also evaluates the
 *          rules of lint whose findings an engine may confirm */
void fsd_find(const struct fsd_findings **out, const struct fsd_diff *d, bool cites);

/** All findings of lint in the model of a run, allocated in the run's arena. The run
 *  may have no engine. If the run has an engine, lint also reports which of these
 *  findings explain findings of the run. */
const struct fsd_findings *fsd_find_lint(const struct fsd_diff *d,
                                         const struct fsd_lint *lint,
                                         const struct fsd_policy *policy,
                                         unsigned today);

/** The findings of lint that an engine may confirm, allocated in the run's arena.
 *  Findings of the run cite only edits of these findings. */
const struct fsd_findings *fsd_find_lint_confirmable(const struct fsd_diff *d,
                                                     const struct fsd_lint *lint);

/** A build that a merge gate checks. */
struct fsd_case {
    const struct fsd_state *build;
    const struct fsd_diff *run;  /**< the run of `build`; NULL: `build` is a snapshot */
    const struct fsd_lint *lint; /**< lint of the model; NULL: lint is not run */
    const struct fsd_compare *c; /**< the comparison with the snapshot; NULL: there is
                                      none */
    const struct fsd_policy *policy;
    bool compared;  /**< for fsd_verdict_of_comparison(): rules on a run are not
                         evaluated, and `run` serves only for advice */
    unsigned today; /**< the current date, such as 20260131, by which ignores expire; 0:
                         no ignore expires */
};

/** All findings of a case, allocated in the caller's arena. The states of
 *  the case own the names in the findings. */
const struct fsd_findings *fsd_find_case(struct fsd_arena *arena,
                                         const struct fsd_case *before_gate);

/** The changes between two exports (`c->exports`) as findings, allocated in the
 *  caller's arena. The exports own the names in the findings. */
const struct fsd_findings *fsd_find_exports(struct fsd_arena *arena,
                                            const struct fsd_compare *c);
