/*
 * What a merge gate asks for: a rule has a level and a budget, a finding may be ignored
 * for a reason.  Read from an INI file (gate/policy_ini.c):
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
 * Without a file every rule is as its row says.
 */
#ifndef FSD_FINDINGS_POLICY_H
#define FSD_FINDINGS_POLICY_H

#include "base/vec.h"

#include <stdbool.h>

/** What a policy may set of a rule; bits of a mask. */
enum {
    FSD_BUDGET_COUNT = 1,
    FSD_BUDGET_MS = 2,
    FSD_BUDGET_SHARE = 4,
    FSD_SETS_NOISE = 8,
    FSD_SETS_WORDS = 16
};

/** The most that is allowed; negative: any. */
struct fsd_budget {
    double count, ms, share; /**< share: from 0 to 1, of the engine's time */
};

struct fsd_policy_rule {
    int level; /**< enum fsd_severity or FSD_OFF */
    struct fsd_budget budget;
    bool own_budget;
};

struct fsd_policy_ignore {
    const char *label, *rule, *node, *reason; /**< node: a glob, "*" for any */
    unsigned expires; /**< the last day, as 20260131; 0: never */
    uint32_t line;
};

/** A word of int8-required: the name of an operator, or a glob of nodes. */
struct fsd_policy_word {
    const char *text;
    uint32_t line; /**< 0: of the default policy */
};

typedef FSD_VEC(struct fsd_policy_word) fsd_policy_words;

struct fsd_policy {
    struct fsd_arena *arena;
    const char *path;              /**< "" for the default one */
    struct fsd_policy_rule *rules; /**< by number, as fsd_rule_at() counts */
    double noise; /**< share of the total time that is never called slower */
    fsd_policy_words operators; /**< of int8-required */
    fsd_policy_words except;    /**< globs of nodes, of the same */
    FSD_VEC(struct fsd_policy_ignore) ignores;
};

/** A policy that leaves every rule as its row says, in an arena of its own. */
struct fsd_policy *fsd_policy_new(void);
void fsd_policy_free(struct fsd_policy *policy); /**< may be NULL */

/** True when a name is what a policy calls it: the same, or matched by the glob. */
bool fsd_policy_matches(const char *glob, const char *name);

#endif
