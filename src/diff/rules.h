/*
 * Findings: what a reviewer should look at.  A rule is one row of the table in rules.c:
 * its id (what a user types to ignore it), its severity, what finds it and what phrases
 * it.  A finding carries facts; every writer prints the same phrase.
 */
#ifndef FSD_DIFF_RULES_H
#define FSD_DIFF_RULES_H

#include "diff/diff.h"

#include <stdio.h>

struct fsd_rule {
    const char *id;
    enum fsd_severity severity;
    const char *doc; /**< one sentence: what it means when it fires */
    void (*run)(struct fsd_diff *d, const struct fsd_rule *rule);
    void (*phrase)(const struct fsd_diff *d, const struct fsd_finding *f, FILE *out);
};

/** The i-th rule, NULL past the last. */
const struct fsd_rule *fsd_rule_at(unsigned i);
/** Whether it says how well the inputs fit each other, which every verb tells. */
bool fsd_rule_is_about_inputs(const struct fsd_rule *rule);

/* -------------------------------------------------------------------- phrases */

/** Writes a phrase about one finding, node, layer or event, without a newline.  Names
 *  stand in it as they came: the writer escapes the whole. */
typedef void fsd_put_fn(const struct fsd_diff *d, fsd_id id, FILE *out);

void fsd_put_finding(const struct fsd_diff *d, uint32_t finding, FILE *out);
/** The name a report uses: the node's own, or "#12 (Conv)" for an unnamed node. */
void fsd_put_node_name(const struct fsd_diff *d, fsd_id node, FILE *out);
void fsd_put_layer_name(const struct fsd_diff *d, fsd_id layer, FILE *out);
/** "merged: computes the same as another node: Relu_6" */
void fsd_put_fate(const struct fsd_diff *d, fsd_id node, FILE *out);
/** What the build log says, as a sentence without its end; nothing when there is no log
 *  or `event` is FSD_NONE. */
void fsd_put_said(const struct fsd_diff *d, uint32_t event, FILE *out);

/* ------------------------------------------------------------- for rule files */

/** Opens a finding; the subjects and facts that follow are its. */
void fsd_finding_new(struct fsd_diff *d, const struct fsd_rule *rule);
/** Add subjects: all layers first, then nodes, then tensors. */
void fsd_finding_layer(struct fsd_diff *d, fsd_id layer);
void fsd_finding_node(struct fsd_diff *d, fsd_id node);
void fsd_finding_tensor(struct fsd_diff *d, fsd_id tensor);
void fsd_finding_number(struct fsd_diff *d, const char *key, uint64_t number);
void fsd_finding_text(struct fsd_diff *d, const char *key, fsd_sym text);

/** "a, b, c and 4 more" of a finding's nodes. */
void fsd_put_node_list(const struct fsd_diff *d, struct fsd_span nodes, FILE *out);

#endif
