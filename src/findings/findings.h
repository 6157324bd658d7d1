/*
 * Findings: what a reviewer should look at, in a run or in what changed since a
 * snapshot.
 *
 * A rule is one row of the table in rules.c.  A finding has its sentence, which every
 * format prints alike, keyed facts for those who compute, and what it is about.  A
 * policy may set a rule's level and budget and ignore findings for a reason; what stays
 * within a budget is kept as information, so that what is let through is seen.
 */
#ifndef FSD_FINDINGS_FINDINGS_H
#define FSD_FINDINGS_FINDINGS_H

#include "compare/compare.h"
#include "cost/cost.h"
#include "diff/diff.h"
#include "findings/policy.h"

struct fsd_snapshot_lines;
struct fsd_finder;
typedef void fsd_find_fn(struct fsd_finder *f);

/** What a rule looks at: it is asked where there is all that it needs. */
enum {
    FSD_NEEDS_RUN = 1,
    FSD_NEEDS_CHANGE = 2, /**< two builds, compared */
    FSD_NEEDS_LOG = 4     /**< the run's build log */
};

enum { FSD_OFF = -1 }; /**< a level: asked for by a policy only */

struct fsd_rule {
    const char *id;  /**< what a user types to set or ignore it */
    int level;       /**< enum fsd_severity or FSD_OFF, unless a policy sets another */
    const char *doc; /**< one sentence: what it means when it fires */
    unsigned needs;
    fsd_find_fn *find;
    int which; /**< of the several alike that `find` looks for: a kind, true or false */
    unsigned settable;        /**< what a policy may set beside the level */
    struct fsd_budget budget; /**< unless a policy sets one */
    bool about_inputs; /**< says how well the inputs fit each other: every verb tells */
};

/** "error", "warning", "info", "off" */
const char *fsd_level_name(int level);

/** The i-th rule, NULL past the last; its number for good. */
const struct fsd_rule *fsd_rule_at(unsigned i);

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

struct fsd_finding {
    uint32_t rule;              /**< in fsd_findings.rules */
    enum fsd_severity severity; /**< info where its rule is within its budget */
    const char *message;        /**< its sentence, one line without an end */
    struct fsd_span layers, nodes,
        tensors;           /**< in fsd_findings.subjects; tensors: the engine's */
    struct fsd_span facts; /**< in fsd_findings.facts */
    const char *file;      /**< that a reviewer sees; NULL: the model */
    uint32_t line;         /**< in it, from 1; 0: not known */
    uint64_t fingerprint;  /**< the same in the next run; no other finding has it */
};

/** A rule that was asked, with or without findings. */
struct fsd_outcome {
    const struct fsd_rule *rule;
    int level;
    uint32_t found, ignored;
    const char *measured, *budget; /**< "3", "0.11 ms"; NULL: it has none */
};

struct fsd_findings {
    struct fsd_arena *arena;
    FSD_VEC(struct fsd_outcome) rules;
    FSD_VEC(struct fsd_finding) list; /**< by rule */
    FSD_VEC(struct fsd_about) subjects;
    FSD_VEC(struct fsd_fact) facts;
    uint32_t by_severity[FSD__SEVERITY_COUNT], ignored;
};

/** All findings of a run, in its arena. */
const struct fsd_findings *fsd_find(const struct fsd_diff *d);

/** All findings of a change, in an arena that the caller frees; names are those of the
 *  compared states.
 *  @param lines of the snapshot that is the old state.
 *  @param today 20260131, for ignores that expire; 0: none has. */
const struct fsd_findings *fsd_find_changes(struct fsd_arena *arena,
                                            const struct fsd_compare *c,
                                            const struct fsd_snapshot_lines *lines,
                                            const struct fsd_policy *policy,
                                            unsigned today);

#endif
