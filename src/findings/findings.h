/*
 * Findings: what a reviewer should look at.  A rule is one row of the table in rules.c:
 * its id (what a user types to ignore it), its severity, what finds it and what phrases
 * it.  A finding carries facts; every writer prints the same phrase.
 */
#ifndef FSD_FINDINGS_FINDINGS_H
#define FSD_FINDINGS_FINDINGS_H

#include "cost/cost.h"
#include "diff/diff.h"

#include <stdio.h>

/** One number a finding carries. */
struct fsd_fact {
    const char *key; /**< a literal */
    uint64_t number;
    fsd_sym text; /**< used instead when not 0 */
};

struct fsd_rule;

struct fsd_finding {
    const struct fsd_rule *rule;
    struct fsd_span layers, nodes,
        tensors;           /**< in fsd_findings.subjects; tensors: engine's */
    struct fsd_span facts; /**< in fsd_findings.facts */
};

struct fsd_findings {
    struct fsd_arena *arena;
    FSD_VEC(struct fsd_finding) list;
    FSD_VEC(fsd_id) subjects;
    FSD_VEC(struct fsd_fact) facts;
    uint32_t by_severity[FSD__SEVERITY_COUNT];
};

struct fsd_rule {
    const char *id;
    enum fsd_severity severity;
    const char *doc; /**< one sentence: what it means when it fires */
    void (*run)(const struct fsd_diff *d, struct fsd_findings *out,
                const struct fsd_rule *rule);
    void (*phrase)(const struct fsd_diff *d, const struct fsd_finding *f, FILE *out);
};

/** The i-th rule, NULL past the last. */
const struct fsd_rule *fsd_rule_at(unsigned i);
/** Whether it says how well the inputs fit each other, which every verb tells. */
bool fsd_rule_is_about_inputs(const struct fsd_rule *rule);

/** All findings of a run. */
const struct fsd_findings *fsd_find(const struct fsd_diff *d);

/** Writes the phrase of a finding: a fsd_put_fn. */
void fsd_put_finding(const struct fsd_diff *d, uint32_t finding, FILE *out);

/* ------------------------------------------------------------- for rule files */

/** Opens a finding; the subjects and facts that follow are its. */
void fsd_finding_new(struct fsd_findings *out, const struct fsd_rule *rule);
/** Add subjects: all layers first, then nodes, then tensors. */
void fsd_finding_layer(struct fsd_findings *out, fsd_id layer);
void fsd_finding_node(struct fsd_findings *out, fsd_id node);
void fsd_finding_tensor(struct fsd_findings *out, fsd_id tensor);
void fsd_finding_number(struct fsd_findings *out, const char *key, uint64_t number);
void fsd_finding_text(struct fsd_findings *out, const char *key, fsd_sym text);

/** "a, b, c and 4 more" of a finding's nodes. */
void fsd_put_node_list(const struct fsd_diff *d, struct fsd_span nodes, FILE *out);

#endif
