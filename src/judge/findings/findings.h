/*
 * Findings: what a reviewer should look at, in a run or in the changes since a
 * snapshot.
 *
 * A rule is one row of the table in rules.c.  A finding has a sentence, which every
 * format prints alike, keyed facts for programs, and its subjects.  A policy may set a
 * rule's level and budget, and may ignore findings, with a reason. Findings within a
 * budget become information, so that they remain visible.
 */
#pragma once

#include "change/compare/compare.h"
#include "change/compare/exports.h"
#include "explain/cost/cost.h"
#include "explain/diff/diff.h"
#include "explain/pattern/pattern.h"

/* -------------------------------------------------------------------- the policy */

/* The policy of a merge gate: rules have levels and budgets, and findings may be
 * ignored, with a reason.  The policy is read from an INI file
 * (judge/gate/policy_ini.c):
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
    FSD_SETS_BYTES = 128  /**< how many bytes of which kind of memory are allowed */
};

/** The allowed maximum; negative: unlimited. */
struct fsd_budget {
    double count, ms, share; /**< share: 0 to 1, of the engine's time */
};

struct fsd_policy_rule {
    int level; /**< enum fsd_severity or FSD_OFF */
    struct fsd_budget budget;
    bool own_budget;
    bool asked; /**< the policy has a section for it */
};

struct fsd_policy_ignore {
    const char *label, *rule, *node, *reason; /**< node: a glob; "*" matches any */
    const char *owner;                        /**< the person to ask; NULL: not
                                                   stated */
    unsigned expires; /**< the last valid day, as 20260131; 0: never expires */
    uint32_t line;
};

/** A word of the policy's key int8-required: the name of an operator, or a glob for
 *  nodes. */
struct fsd_policy_word {
    const char *text;
    uint32_t line; /**< line in the policy's file; 0: the default policy */
};

typedef FSD_VEC(struct fsd_policy_word) fsd_policy_words;

/** Kinds of an engine's memory. */
enum fsd_memory_kind {
    FSD_MEMORY_ACTIVATIONS, /**< the largest amount of data between layers at one
                                 time */
    FSD_MEMORY_WEIGHTS,
    FSD_MEMORY_SCRATCH,    /**< only in logs, like the next kind */
    FSD_MEMORY_PERSISTENT, /**< on the device */
    FSD__MEMORY_COUNT
};

/** The amount of which a share is a fraction. */
enum fsd_work { FSD_WORK_MACS, FSD_WORK_MS, FSD_WORK_BYTES, FSD_WORK_NODES };

/** A requirement of the policy on the build itself, independent of earlier builds: all
 *  blocks of a pattern are fused, or most of the work runs in certain types.
 *
 *     [expect attention]             [precision-required]
 *     fused = whole                  type = fp16, bf16
 *     min = 12                       share = 95% */
struct fsd_promise {
    uint32_t rule; /**< number of the rule of its section, as for fsd_rule_at() */
    uint32_t line;
    enum fsd_pattern pattern;
    int fused;              /**< the required enum fsd_fused; FSD_OFF: any */
    uint64_t types;         /**< bits indexed by enum fsd_dtype; 0: any */
    fsd_policy_words scope; /**< globs for nodes; empty: all nodes */
    double least;           /**< the least number of blocks */
    double share;           /**< 0 to 1: the least share of the work in these types */
    enum fsd_work by;
    double bytes[FSD__MEMORY_COUNT]; /**< the most bytes; negative: unlimited */
};

struct fsd_policy {
    struct fsd_arena *arena;
    const char *path;              /**< "" for the default policy */
    struct fsd_policy_rule *rules; /**< indexed by number of the rule, as for
                                        fsd_rule_at() */
    double noise;     /**< a difference of less than this share of the total time is
                           never reported as slower */
    double noise_cap; /**< the largest share of the total time that measured noise may
                           explain */
    fsd_policy_words operators; /**< for int8-required */
    fsd_policy_words except;    /**< globs for nodes, for int8-required */
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

/** What a rule requires; it is evaluated only if all of these exist. */
enum {
    FSD_NEEDS_RUN = 1,
    FSD_NEEDS_CHANGE = 2,  /**< two builds and their comparison */
    FSD_NEEDS_LOG = 4,     /**< the run's build log */
    FSD_NEEDS_CASE = 8,    /**< a build to be checked, with or without a snapshot */
    FSD_NEEDS_LINT = 16,   /**< a model before its build: lint */
    FSD_NEEDS_ENGINE = 32, /**< for lint: an engine that was built from the model */
    FSD_NEEDS_EXPORTS = 64 /**< two models, compared without engines */
};

enum { FSD_OFF = -1 }; /**< a level: evaluated only if the policy requires it */

struct fsd_rule {
    const char *id;  /**< the name by which a user sets or ignores it */
    int level;       /**< default level: enum fsd_severity or FSD_OFF */
    const char *doc; /**< one sentence: the meaning of its findings */
    unsigned needs;
    fsd_find_fn *find;
    int which;                /**< for rules that share `find`: the kind to look for */
    unsigned settable;        /**< what a policy may set in addition to the level */
    struct fsd_budget budget; /**< the default budget */
    bool of_same;             /**< for rules on changes: it may have findings even if
                                   the snapshot is of the same files */
    bool about_inputs; /**< it checks how well the inputs fit each other; every verb
                            reports it */
    /* For rules of lint. */
    unsigned builders; /**< bits of enum fsd_family: the builders for which it holds; 0:
                            any */
    unsigned notes;    /**< the builders for which it is only information, without
                            proposals */
    enum fsd_proves {
        FSD_PROVES_NOTHING,
        FSD_PROVES_WIDE,   /**< a layer of its first node reads or writes higher
                                precision */
        FSD_PROVES_STANDS, /**< a layer computes one of its quantizers */
        FSD_PROVES_TWICE,  /**< the input of its quantizers is written twice in low
                                precision */
        FSD_PROVES_APART,  /**< more than one layer computes its nodes */
        FSD_PROVES_BUILT   /**< no confirmation: the engine could be built */
    } proves;              /**< what an engine must show to confirm a finding */
    bool slow; /**< it reports lost time, not an error.  An edit may cause such a
                    finding if the user named the edit's rule */
    const char *why, *fix, *source; /**< NULL: not documented yet */
    enum fsd_dtype keep; /**< the type in which its nodes must stay; unknown: their
                              current type */
};

/** "error", "warning", "info" or "off". */
const char *fsd_level_name(int level);

/** Rule i, NULL after the last. A rule's number never changes. */
const struct fsd_rule *fsd_rule_at(unsigned i);

/* ------------------------------------------------------------------ the findings */

/** A subject of a finding. */
struct fsd_about {
    fsd_id id;        /**< in the run's graph, or in the state of a comparison */
    const char *name; /**< "#12 (Conv)" for an unnamed node */
};

struct fsd_fact {
    const char *key; /**< a literal */
    uint64_t number;
    const char *text; /**< used instead of the number if not NULL */
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

/** The name of an action, such as "insert-pair"; cite.c has its other words. */
const char *fsd_action_name(enum fsd_action action);

/** One change of the model, which edit/fix/fix.c or a script can apply. */
struct fsd_edit {
    enum fsd_action action;
    const char *tensor; /**< the tensor that is quantized or cast */
    fsd_id node;        /**< the node whose input the tensor is, or the quantizer */
    const char *name;
    fsd_id to; /**< for FSD_MOVE_PAIR: the node that then consumes the pair; or
                    FSD_NONE */
    const char *to_name;
    uint32_t input;
    const char *like, *scale_tensor; /**< the quantizer with the scale to use, and the
                                          tensor with that scale; NULL: measure the
                                          scale, or use `scale` */
    double scale;                    /**< the scale as a number; 0: several numbers, or
                                          unknown */
    const char *type;                /**< such as "int8"; NULL: unchanged */
    uint32_t axis;                   /**< counted from the last axis, which is 0 */
    int64_t size;                    /**< the new size of the axis; 0: no size
                                          changes */
    const char *effect;              /**< the effect on the values */
    bool on_request; /**< it costs time or changes types: applied only if its rule is
                          named */
    bool together;   /**< applied together with all others of its finding, or not at
                          all */
};

/** An edit that lint proposes, and how it affects a layer according to the dump
 *  (cite.h). */
struct fsd_cite {
    const char *rule; /**< the rule of lint that proposes it */
    const struct fsd_edit *edit;
    const char *feeds; /**< for a pair to insert: "MaxPool_12 -> Add_36 (input 1)" */
    const char *shown; /**< what the dump shows: "layer 6 computes Add_36 and reads
                            fp16" */
};

struct fsd_finding {
    uint32_t rule;              /**< in fsd_findings.rules */
    enum fsd_severity severity; /**< info if its rule's findings are within the
                                     budget */
    const char *message;        /**< one sentence in one line, without a full stop */
    struct fsd_span layers, nodes,
        tensors;           /**< in fsd_findings.subjects; tensors are the engine's */
    struct fsd_span facts; /**< in fsd_findings.facts */
    struct fsd_span edits; /**< in fsd_findings.edits */
    struct fsd_span cites; /**< in fsd_findings.cites: lint's proposals about the
                                finding's cause */
    const char *todo;      /**< the first of the cites as text, and the number of the
                                others; NULL: there are none */
    const char *proof;     /**< "confirmed", "withdrawn", "undecided": the engine's
                                verdict on a prediction; NULL: not checked */
    const char *file;      /**< the file in which it is reported; NULL: the model */
    uint32_t line;         /**< line in that file, from 1; 0: unknown */
    uint32_t move;         /**< for a change: 1 + the move of the new state that it is
                                about */
    bool widens;           /**< for a change: the precision of its nodes, or of their
                                edge, is higher */
    bool listed;           /**< for lint: the finding applies to each of its nodes
                                alike */
    bool of_dump;          /**< it is about a fact that the whole dump lacks */
    double ms;             /**< for a change: how much slower it makes the build; 0:
                                unknown, or not slower */
    uint32_t nth;          /**< its number in the order in which the rules found it */
    uint64_t fingerprint;  /**< unique, and the same in the next run */
};

/** A rule that was evaluated, with or without findings. */
struct fsd_outcome {
    const struct fsd_rule *rule;
    int level;
    uint32_t found, ignored;
    const char *measured, *budget; /**< "3", "0.11 ms"; NULL: none */
    const char *skipped;           /**< why it could not be evaluated; NULL: it was
                                        evaluated */
    uint32_t off; /**< number of findings that the policy suppressed by turning the rule
                       off */
};

/** An ignore of the policy that is in force and removed findings. */
struct fsd_ignored {
    const struct fsd_policy_ignore *by;
    uint32_t n;
};

struct fsd_findings {
    struct fsd_arena *arena;
    FSD_VEC(struct fsd_outcome) rules;
    FSD_VEC(struct fsd_finding)
    list; /**< sorted by rule; for a case, the worst
                                           first */
    FSD_VEC(struct fsd_about) subjects;
    FSD_VEC(struct fsd_fact) facts;
    FSD_VEC(struct fsd_edit) edits;
    FSD_VEC(struct fsd_ignored) ignores; /**< sorted as in the policy */
    FSD_VEC(struct fsd_cite) cites;
    struct fsd_span *cites_of; /**< for a run, indexed by layer; NULL: there are no
                                    cites */
    FSD_VEC(struct fsd_cite)
    proposed; /**< for a run: pairs that would let a layer read lower precision */
    uint32_t by_severity[FSD__SEVERITY_COUNT], ignored, off;
};

/** A copy in another arena, independent of the run. keep.c */
struct fsd_findings *fsd_findings_keep(struct fsd_arena *arena,
                                       const struct fsd_findings *from);

/** How much of a difference between times noise explains. */
struct fsd_noise {
    double band; /**< milliseconds */
    enum fsd_noise_by {
        FSD_NOISE_POLICY,     /**< the policy's share of the old time */
        FSD_NOISE_UNMEASURED, /**< the same, because one side was measured less than
                                   three times */
        FSD_NOISE_MEASURED,   /**< twice the standard deviation of the side that varies
                                   more */
        FSD_NOISE_CAPPED      /**< the policy's limit, which is lower than the measured
                                   noise */
    } by;
};
/** The times of two builds: of whole runs, or sums of their layers' times. */
struct fsd_timing {
    bool known; /**< for both builds */
    bool runs;
    double before, after;
    double spread;         /**< twice the standard deviation of the side that varies
                                more */
    uint32_t n_old, n_new; /**< number of measured runs or profiles */
};
struct fsd_timing fsd_timing_of_layers(const struct fsd_compare *c);
/** The times of whole runs if both builds have them, else those of layers. */
struct fsd_timing fsd_timing_of(const struct fsd_compare *c);
struct fsd_noise fsd_noise_of(const struct fsd_timing *timing,
                              const struct fsd_policy *policy);
/** Prints "0.0200 ms (the policy's share: 1 and 2 profiles are too few to measure
 *  it)". */
void fsd_put_noise(const struct fsd_timing *timing, struct fsd_noise noise, FILE *out);

/** Evaluates all rules about a run.
 *  @param out d->findings, set before the first rule is evaluated, so that a rule can
 *          read the results of earlier rules.  In the run's arena.
 *  @param cites whether to cite lint's edits, which requires evaluating all rules of
 *  lint. */
void fsd_find(const struct fsd_findings **out, const struct fsd_diff *d, bool cites);

/** All findings of lint in the model of a run, which may have no engine; in the run's
 *  arena.  With an engine, the findings of the run are traced to the findings of
 *  lint. */
const struct fsd_findings *fsd_find_lint(const struct fsd_diff *d,
                                         const struct fsd_lint *lint,
                                         const struct fsd_policy *policy,
                                         unsigned today);

/** The findings of lint that an engine may confirm, and whose edits the findings of its
 *  run therefore cite; in the run's arena. */
const struct fsd_findings *fsd_find_lint_confirmable(const struct fsd_diff *d,
                                                     const struct fsd_lint *lint);

/** A build that a merge gate checks. */
struct fsd_case {
    const struct fsd_state *build;
    const struct fsd_diff *run;  /**< the run of the state; NULL: the state is a
                                      snapshot */
    const struct fsd_lint *lint; /**< lint of its model; NULL: lint is not run */
    const struct fsd_compare *c; /**< the comparison with its snapshot; NULL: there is
                                      no snapshot */
    const struct fsd_policy *policy;
    bool compared;  /**< two builds are compared: the run is used only for advice and is
                         not reported itself */
    unsigned today; /**< such as 20260131, for ignores that expire; 0: none expires */
};

/** All findings of a case, in the caller's arena; their names belong to the case's
 *  states. */
const struct fsd_findings *fsd_find_case(struct fsd_arena *arena,
                                         const struct fsd_case *before_gate);

/** The changes between two exports (`c->exports`), in the caller's arena; their names
 *  belong to the exports. */
const struct fsd_findings *fsd_find_exports(struct fsd_arena *arena,
                                            const struct fsd_compare *c);
