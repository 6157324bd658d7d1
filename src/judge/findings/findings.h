/*
 * Findings: what a reviewer should look at, in a run or in what changed since a
 * snapshot.
 *
 * A rule is one row of the table in rules.c.  A finding has a sentence, which every
 * format prints alike, keyed facts for programs, and its subjects.  A policy may set a
 * rule's level and budget and ignore findings for a reason; findings within a budget
 * stay as information, so that they remain visible.
 */
#ifndef FSD_FINDINGS_FINDINGS_H
#define FSD_FINDINGS_FINDINGS_H

#include "change/compare/compare.h"
#include "change/compare/exports.h"
#include "explain/cost/cost.h"
#include "explain/diff/diff.h"
#include "explain/pattern/pattern.h"

/* -------------------------------------------------------------------- the policy */

/* The policy of a merge gate: a rule has a level and a budget, a finding may be ignored
 * for a reason.  Read from an INI file (judge/gate/policy_ini.c):
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
 * Without a file every rule has the defaults of its row. */

/** What a policy may set for a rule; bits of a mask. */
enum {
    FSD_BUDGET_COUNT = 1,
    FSD_BUDGET_MS = 2,
    FSD_BUDGET_SHARE = 4,
    FSD_SETS_NOISE = 8,
    FSD_SETS_WORDS = 16,
    FSD_SETS_BLOCKS = 32, /**< what is expected of a pattern's blocks */
    FSD_SETS_TYPES = 64,  /**< which types are required of which share */
    FSD_SETS_BYTES = 128  /**< how many bytes of which memory are allowed */
};

/** The most that is allowed; negative: unlimited. */
struct fsd_budget {
    double count, ms, share; /**< share: from 0 to 1, of the engine's time */
};

struct fsd_policy_rule {
    int level; /**< enum fsd_severity or FSD_OFF */
    struct fsd_budget budget;
    bool own_budget;
    bool asked; /**< the policy has a section for it */
};

struct fsd_policy_ignore {
    const char *label, *rule, *node, *reason; /**< node: a glob, "*" for any */
    const char *owner;                        /**< whom to ask; NULL: not stated */
    unsigned expires; /**< the last day, as 20260131; 0: never */
    uint32_t line;
};

/** A word of int8-required: the name of an operator, or a glob of nodes. */
struct fsd_policy_word {
    const char *text;
    uint32_t line; /**< 0: of the default policy */
};

typedef FSD_VEC(struct fsd_policy_word) fsd_policy_words;

/** Memory of an engine. */
enum fsd_memory_kind {
    FSD_MEMORY_ACTIVATIONS, /**< between layers, at once */
    FSD_MEMORY_WEIGHTS,
    FSD_MEMORY_SCRATCH,    /**< only in logs, like the next one */
    FSD_MEMORY_PERSISTENT, /**< on the device */
    FSD__MEMORY_COUNT
};

/** What a share is of. */
enum fsd_work { FSD_WORK_MACS, FSD_WORK_MS, FSD_WORK_BYTES, FSD_WORK_NODES };

/** What a policy requires of the build itself, whatever was before: that all blocks of
 *  a pattern are fused, or that most of the work is done in certain types.
 *
 *     [expect attention]             [precision-required]
 *     fused = whole                  type = fp16, bf16
 *     min = 12                       share = 95% */
struct fsd_promise {
    uint32_t rule; /**< the rule of its section, by number as in fsd_rule_at() */
    uint32_t line;
    enum fsd_pattern pattern;
    int fused;              /**< the required enum fsd_fused; FSD_OFF: any */
    uint64_t types;         /**< bits by enum fsd_dtype; 0: any */
    fsd_policy_words scope; /**< globs of nodes; none: all */
    double least;           /**< blocks that there are */
    double share;           /**< from 0 to 1: the share of the work in these types */
    enum fsd_work by;
    double bytes[FSD__MEMORY_COUNT]; /**< at most; negative: any */
};

struct fsd_policy {
    struct fsd_arena *arena;
    const char *path;              /**< "" for the default one */
    struct fsd_policy_rule *rules; /**< by number as in fsd_rule_at() */
    double noise;     /**< share of the total time that is never reported as slower */
    double noise_cap; /**< share of it that measured noise may explain at most */
    fsd_policy_words operators; /**< of int8-required */
    fsd_policy_words except;    /**< globs of nodes, likewise */
    FSD_VEC(struct fsd_policy_ignore) ignores;
    FSD_VEC(struct fsd_promise) promises;
};

/** A policy with the defaults of all rules, in an arena of its own. */
struct fsd_policy *fsd_policy_new(void);
void fsd_policy_free(struct fsd_policy *policy); /**< may be NULL */

/* --------------------------------------------------------------------- the rules */

struct fsd_finder;
struct fsd_lint; /* judge/lint/lint.h */
typedef void fsd_find_fn(struct fsd_finder *f);

/** What a rule needs; it is evaluated only if all of it exists. */
enum {
    FSD_NEEDS_RUN = 1,
    FSD_NEEDS_CHANGE = 2,  /**< two builds, compared */
    FSD_NEEDS_LOG = 4,     /**< the run's build log */
    FSD_NEEDS_CASE = 8,    /**< a build before the gate, with or without a snapshot */
    FSD_NEEDS_LINT = 16,   /**< a model, before its build: lint */
    FSD_NEEDS_ENGINE = 32, /**< and what was built of it */
    FSD_NEEDS_EXPORTS = 64 /**< two models, compared without engines */
};

enum { FSD_OFF = -1 }; /**< a level: only evaluated if the policy asks */

struct fsd_rule {
    const char *id;  /**< by which a user sets or ignores it */
    int level;       /**< enum fsd_severity or FSD_OFF, unless a policy sets another */
    const char *doc; /**< one sentence: what it means when it fires */
    unsigned needs;
    fsd_find_fn *find;
    int which;         /**< for the rules that share `find`: which kind it looks for */
    unsigned settable; /**< what a policy may set besides the level */
    struct fsd_budget budget; /**< unless a policy sets one */
    bool of_same;             /**< of a change: possible for the same files, too */
    bool about_inputs; /**< it checks how well the inputs fit each other: every verb
                            reports it */
    /* Of lint. */
    unsigned builders; /**< the builders for which it holds, enum fsd_family; 0: any */
    unsigned notes;    /**< those for which it is information, and proposes nothing */
    enum fsd_proves {
        FSD_PROVES_NOTHING,
        FSD_PROVES_WIDE,   /**< a layer of its first node reads or writes higher
                                precision */
        FSD_PROVES_STANDS, /**< a layer computes one of its quantizers */
        FSD_PROVES_TWICE,  /**< the input of its quantizers is written twice in low
                                precision */
        FSD_PROVES_APART,  /**< more than one layer computes its nodes */
        FSD_PROVES_BUILT   /**< nothing was built */
    } proves;              /**< what an engine must show to confirm a finding */
    bool
        slow; /**< it says what takes time, not what is wrong: an edit that its rule was
                    named for may bring it */
    const char *why, *fix, *source; /**< NULL: not written yet */
    enum fsd_dtype keep; /**< the type in which its nodes must stay; unknown: as they
                              run */
};

/** "error", "warning", "info", "off" */
const char *fsd_level_name(int level);

/** The i-th rule, NULL past the last; its number does not change. */
const struct fsd_rule *fsd_rule_at(unsigned i);

/* ------------------------------------------------------------------ the findings */

/** What a finding is about. */
struct fsd_about {
    fsd_id id;        /**< in the run's graph, or in the state of a comparison */
    const char *name; /**< "#12 (Conv)" for an unnamed node */
};

struct fsd_fact {
    const char *key; /**< a literal */
    uint64_t number;
    const char *text; /**< used instead when not NULL */
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

/** "insert-pair"; cite.c has what else is said of each. */
const char *fsd_action_name(enum fsd_action action);

/** One thing to change in the model, for src/api/fix.c or a script to apply. */
struct fsd_edit {
    enum fsd_action action;
    const char *tensor; /**< the tensor that is quantized, or cast */
    fsd_id node;        /**< the node whose input it is, or the quantizer */
    const char *name;
    fsd_id to; /**< of FSD_MOVE_PAIR: the node that then consumes the pair; or
                    FSD_NONE */
    const char *to_name;
    uint32_t input;
    const char *like, *scale_tensor; /**< the quantizer with the scale to use, and that
                                          scale; NULL: to be measured, or `scale` */
    double scale;                    /**< by value; 0: not a single one, or unknown */
    const char *type;                /**< "int8"; NULL: as it is */
    uint32_t axis;                   /**< counted from the last one, which is 0 */
    int64_t size;                    /**< that the axis gets; 0: no size changes */
    const char *effect;              /**< in numbers */
    bool on_request; /**< it costs time, or changes types: applied only if its rule is
                          named */
    bool together;   /**< applied with all others of its finding, or not at all */
};

/** An edit that lint proposes, and why it matters to a layer according to the dump
 *  (cite.h). */
struct fsd_cite {
    const char *rule; /**< of the finding of lint that proposes it */
    const struct fsd_edit *edit;
    const char *feeds; /**< of a pair to insert, "MaxPool_12 -> Add_36 (input 1)" */
    const char *shown; /**< "layer 6 computes Add_36 and reads fp16" */
};

struct fsd_finding {
    uint32_t rule;              /**< in fsd_findings.rules */
    enum fsd_severity severity; /**< info if its rule is within its budget */
    const char *message;        /**< its sentence, one line without a full stop */
    struct fsd_span layers, nodes,
        tensors;           /**< in fsd_findings.subjects; tensors: the engine's */
    struct fsd_span facts; /**< in fsd_findings.facts */
    struct fsd_span edits; /**< in fsd_findings.edits */
    struct fsd_span cites; /**< in fsd_findings.cites: lint's proposals about its
                                cause */
    const char *todo;      /**< the first of these, and how many more; NULL: none */
    const char *proof;     /**< "confirmed", "withdrawn", "undecided": the engine's
                                verdict on a prediction; NULL: not checked */
    const char *file;      /**< the file it is reported in; NULL: the model */
    uint32_t line;         /**< in it, from 1; 0: unknown */
    uint32_t move;         /**< of a change: 1 + the move of the new state it is
                                about */
    bool widens;           /**< of a change: its nodes, or their edge, have a higher
                                precision */
    bool listed;           /**< of lint: it is about each of its nodes alike */
    bool of_dump;          /**< it is about a fact that the whole dump does not state */
    double ms;             /**< of a change: how much slower it makes the build; 0:
                                unknown, or no slower */
    uint32_t nth;          /**< in the order in which they were found */
    uint64_t fingerprint;  /**< the same in the next run, and unique */
};

/** A rule that was evaluated, with or without findings. */
struct fsd_outcome {
    const struct fsd_rule *rule;
    int level;
    uint32_t found, ignored;
    const char *measured, *budget; /**< "3", "0.11 ms"; NULL: it has none */
    const char *skipped;           /**< why it could not be evaluated; NULL: it was */
    uint32_t off; /**< findings that the policy suppressed by turning it off */
};

/** An ignore of the policy that is in force, and removed findings. */
struct fsd_ignored {
    const struct fsd_policy_ignore *by;
    uint32_t n;
};

struct fsd_findings {
    struct fsd_arena *arena;
    FSD_VEC(struct fsd_outcome) rules;
    FSD_VEC(struct fsd_finding) list; /**< by rule; those of a case the worst first */
    FSD_VEC(struct fsd_about) subjects;
    FSD_VEC(struct fsd_fact) facts;
    FSD_VEC(struct fsd_edit) edits;
    FSD_VEC(struct fsd_ignored) ignores; /**< in the policy's order */
    FSD_VEC(struct fsd_cite) cites;
    struct fsd_span *cites_of; /**< of a run, by layer; NULL: there are no cites */
    FSD_VEC(struct fsd_cite)
    proposed; /**< of a run: pairs through which a layer would read lower precision */
    uint32_t by_severity[FSD__SEVERITY_COUNT], ignored, off;
};

/** A copy in another arena, which the run need not outlive.  keep.c */
struct fsd_findings *fsd_findings_keep(struct fsd_arena *arena,
                                       const struct fsd_findings *from);

/** How much of a difference of times noise explains. */
struct fsd_noise {
    double band; /**< milliseconds */
    enum fsd_noise_by {
        FSD_NOISE_POLICY,     /**< the policy's share of the time before */
        FSD_NOISE_UNMEASURED, /**< the same, since a side was measured less than three
                                   times */
        FSD_NOISE_MEASURED, /**< two standard deviations of the side that varies more */
        FSD_NOISE_CAPPED    /**< less than that: the policy's limit */
    } by;
};
/** The times of two builds: of whole runs, or the sums of their layers'. */
struct fsd_timing {
    bool known; /**< of both builds */
    bool runs;
    double before, after;
    double spread;         /**< two deviations of the side that varies more */
    uint32_t n_old, n_new; /**< runs, or profiles, that were measured */
};
struct fsd_timing fsd_timing_of_layers(const struct fsd_compare *c);
/** Of whole runs where both builds have them, else of layers. */
struct fsd_timing fsd_timing_of(const struct fsd_compare *c);
struct fsd_noise fsd_noise_of(const struct fsd_timing *timing,
                              const struct fsd_policy *policy);
/** "0.0200 ms (the policy's share: 1 and 2 profiles are too few to measure it)" */
void fsd_put_noise(const struct fsd_timing *timing, struct fsd_noise noise, FILE *out);

/** Asks all rules about a run.
 *  @param out d->findings, which is set before the first rule is evaluated:
 *         there, a rule finds the results of earlier rules.  In the run's arena.
 *  @param cites  lint's edits as well, for which all its rules are asked. */
void fsd_find(const struct fsd_findings **out, const struct fsd_diff *d, bool cites);

/** All findings in the model of a run, which may have no engine, in its arena.  With an
 *  engine the findings of the run are traced to these. */
const struct fsd_findings *fsd_find_lint(const struct fsd_diff *d,
                                         const struct fsd_lint *lint,
                                         const struct fsd_policy *policy,
                                         unsigned today);

/** A build before the gate. */
struct fsd_case {
    const struct fsd_state *build;
    const struct fsd_diff *run;  /**< the run of the state; NULL: it is a snapshot */
    const struct fsd_lint *lint; /**< of its model; NULL: lint is not run */
    const struct fsd_compare *c; /**< the comparison with its snapshot; NULL: there is
                                      none */
    const struct fsd_policy *policy;
    bool compared;  /**< two builds are compared: the run serves advice alone, and is
                         not reported itself */
    unsigned today; /**< 20260131, for ignores that expire; 0: none expires */
};

/** All findings of a case, in an arena that the caller frees; names are those of its
 *  states. */
const struct fsd_findings *fsd_find_case(struct fsd_arena *arena,
                                         const struct fsd_case *before_gate);

/** What changed between two exports (`c->exports`), in an arena that the caller frees;
 *  names are those of the exports. */
const struct fsd_findings *fsd_find_exports(struct fsd_arena *arena,
                                            const struct fsd_compare *c);

#endif
