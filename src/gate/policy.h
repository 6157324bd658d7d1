/*
 * What a merge gate asks for: a rule has a level and a budget, a finding may be ignored
 * for a reason.  Read from an INI file:
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
 * Without a file every rule has its default.
 */
#ifndef FSD_GATE_POLICY_H
#define FSD_GATE_POLICY_H

#include "base/status.h"
#include "base/vec.h"

#include <stdbool.h>

/** The rules, in the order of reports. */
enum fsd_gate_rule {
    FSD_GATE_LOST_FUSION,
    FSD_GATE_REGROUPED,
    FSD_GATE_OPAQUE,
    FSD_GATE_WIDENED,
    FSD_GATE_NEW_REFORMAT,
    FSD_GATE_NEW_QUANTIZE,
    FSD_GATE_UNEXPLAINED,
    FSD_GATE_IO,
    FSD_GATE_LATENCY,
    FSD_GATE_LAYER_COUNT,
    FSD_GATE_COVERAGE,
    FSD_GATE_MODEL,
    FSD_GATE_MAX_REFORMATS,
    FSD_GATE_INT8,
    FSD_GATE_POLICY, /**< the policy's own: ignores that expired or are not used */
    FSD__GATE_COUNT
};

/** What a budget counts in; bits of a mask. */
enum { FSD_BUDGET_COUNT = 1, FSD_BUDGET_MS = 2, FSD_BUDGET_SHARE = 4 };

struct fsd_gate_default {
    const char *id, *doc; /**< one sentence: what it means when it fires */
    const char *level;
    unsigned budgets;        /**< that may be set */
    double count, ms, share; /**< negative: no such budget */
};

extern const struct fsd_gate_default fsd_gate_defaults[FSD__GATE_COUNT];

struct fsd_policy_rule {
    int level;               /**< enum fsd_severity; -1: off */
    double count, ms, share; /**< the most that is allowed; negative: any.  Share: from
                                0 to 1, of the engine's time */
    bool own_budget;
};

struct fsd_policy_ignore {
    const char *label, *rule, *node,
        *reason;      /**< rule, node: "*" for any; node: a glob */
    unsigned expires; /**< the last day, as 20260131; 0: never */
    uint32_t line;
    uint32_t used; /**< findings that it ignored */
};

/** A word of int8-required: the name of an operator, or a glob of nodes. */
struct fsd_policy_word {
    const char *text;
    uint32_t line; /**< 0: of the default policy */
};

struct fsd_policy {
    struct fsd_arena *arena;
    const char *path; /**< "" for the default one */
    struct fsd_policy_rule rules[FSD__GATE_COUNT];
    double noise; /**< share of the total time that is never called slower */
    FSD_VEC(struct fsd_policy_word) operators; /**< of FSD_GATE_INT8 */
    FSD_VEC(struct fsd_policy_word) except;    /**< globs of nodes, of the same */
    FSD_VEC(struct fsd_policy_ignore) ignores;
};

/** @param out  NULL on failure; free it with fsd_policy_free().
 *  @param path NULL: the default policy.
 *  @return FSD_OK; FSD_E_IO; FSD_E_FORMAT with the line, for an unknown rule or key, a
 *          value that is none, an ignore without a rule or a reason. */
enum fsd_status fsd_policy_read(struct fsd_policy **out, const char *path,
                                struct fsd_error *err);
void fsd_policy_free(struct fsd_policy *policy); /**< may be NULL */

/** True when a name is what a policy calls it: the same, or matched by the glob. */
bool fsd_policy_matches(const char *glob, const char *name);

#endif
