/* What a rule gets, and how it reports findings.  Only src/judge/findings. */
#ifndef FSD_FINDINGS_FINDER_H
#define FSD_FINDINGS_FINDER_H

#include "base/base.h"
#include "judge/findings/findings.h"

#include <stdio.h>

struct fsd_finder {
    const struct fsd_diff *d; /**< FSD_NEEDS_RUN, FSD_NEEDS_LINT; of a case it may be
                                   NULL */
    const struct fsd_state *build; /**< of a case */
    const struct fsd_lint *lint;   /**< FSD_NEEDS_LINT */
    const struct fsd_compare *c;   /**< FSD_NEEDS_CHANGE, FSD_NEEDS_EXPORTS */
    const struct fsd_policy *policy;
    unsigned today;
    const struct fsd_rule *rule; /**< that is asked */
    struct fsd_findings *found;
    struct fsd_arena *scratch;

    struct fsd_finding now; /**< the finding in the making; `file` and `line` may be
                                 set */
    FILE *out;              /**< its sentence goes here */
    double count, ms;       /**< its part of the budget; default 1 and 0 */
    bool untimed;           /**< its ms are not known */
    bool note;              /**< it is information, though its rule warns */
    const char *skipped;    /**< set if the rule could not be evaluated: the reason */
    bool asked;  /**< the policy requires the rule: if it cannot be evaluated, that is a
                      finding */
    double base; /**< the whole that a share refers to; 0: unknown */

    uint32_t reread; /**< findings of earlier rules that are no changes: the same files,
                          read by another version */

    /* Kept by find.c. */
    struct fsd_print print;
    double sum_count, sum_ms;
    bool any_untimed;
    uint32_t *used; /**< by ignore: findings that match it, even of rules that are
                         off */
    uint32_t *took; /**< by ignore: findings that it removed */
    bool off;       /**< the policy turns the rule off: its findings are only counted */
};

/** Opens a finding.  Until it is closed, these are added to it: subjects (all layers,
 *  then nodes, then tensors), facts, and the text printed to f->out. */
void fsd_finding_open(struct fsd_finder *f);
/** Keeps it, unless the policy ignores it. */
void fsd_finding_close(struct fsd_finder *f);

void fsd_about_layer(struct fsd_finder *f, fsd_id layer);
void fsd_about_node(struct fsd_finder *f, fsd_id node);
void fsd_about_tensor(struct fsd_finder *f, fsd_id tensor);
/** A node of a compared state. */
void fsd_about_state_node(struct fsd_finder *f, const struct fsd_state *s, fsd_id node);
/** The nodes that the layer computes by a link of its own. */
void fsd_about_computed(struct fsd_finder *f, fsd_id layer);

/** A node's name, "#12 (Conv)" if it has none. */
const char *fsd_called(const struct fsd_finder *f, fsd_id node);

/** @param key  a literal */
void fsd_fact_number(struct fsd_finder *f, const char *key, uint64_t number);
void fsd_fact_text(struct fsd_finder *f, const char *key, const char *text);

/** Prints "a, b, c and 4 more" of the open finding's subjects. */
void fsd_put_subjects(struct fsd_finder *f, struct fsd_span subjects);
/** Prints ", 0.1234 ms" if the time is known. */
void fsd_put_took(struct fsd_finder *f, double ms);

/** By layer: whether it computes a constant at every inference.  rules/constant.c */
const bool *fsd_constant_layers(struct fsd_arena *arena, const struct fsd_diff *d);

/** Some layers of a run, as a part of the engine.  rules/recomputed.c */
struct fsd_cost_part {
    uint32_t layers, unknown; /**< of unknown bytes */
    int64_t bytes;            /**< of the others */
    double ms, share;         /**< as far as they are known; of the engine, from 0 */
};
void fsd_add_cost(const struct fsd_diff *d, struct fsd_cost_part *cost, fsd_id layer);
/** Prints ": 19.1 MB, 37.7 % of all bytes", or the same of times; adds the facts. */
void fsd_put_cost(struct fsd_finder *f, const struct fsd_cost_part *cost);

/* Rules on a run, by file. */
/* rules/mapping.c */
fsd_find_fn fsd_find_misfit, fsd_find_unmade, fsd_find_no_model, fsd_find_conflicts,
    fsd_find_unexplained, fsd_find_two_engines, fsd_find_unmapped, fsd_find_names_only,
    fsd_find_remarks;
/* rules/precision.c */
/** The place of a quantizer, as `which` of fsd_find_standing(). */
enum { FSD_BETWEEN, FSD_AT_INPUT, FSD_AT_OUTPUT };
fsd_find_fn fsd_find_standing, fsd_find_wider, fsd_find_islands, fsd_find_fp32_left,
    fsd_find_no_tensor_cores, fsd_find_io_types;
/* rules/hazard.c */
fsd_find_fn fsd_find_fp16_range, fsd_find_rounded_integers;
/* rules/constant.c */
fsd_find_fn fsd_find_not_folded;
/* rules/fusion.c */
fsd_find_fn fsd_find_requantizing, fsd_find_unfused;
/* rules/recomputed.c */
fsd_find_fn fsd_find_recomputed;
/* rules/inserted.c */
fsd_find_fn fsd_find_chains, fsd_find_inserted;
/* rules/log.c */
fsd_find_fn fsd_find_other_build, fsd_find_other_model, fsd_find_log_cut,
    fsd_find_log_warnings, fsd_find_log_fallbacks;

/* Of a change. */
/* rules/change.c: one region, edge, node or port. */
fsd_find_fn fsd_find_regrouped, fsd_find_retyped, fsd_find_narrowed_range,
    fsd_find_new_moves, fsd_find_presences, fsd_find_ports;
/** How many nodes that rule finds. */
uint32_t fsd_count_narrowed_range(const struct fsd_compare *c);
/* rules/kernel.c: kernels, and what the engine reads and writes. */
fsd_find_fn fsd_find_retyped_kernels, fsd_find_lost_kernel_facts, fsd_find_layouts,
    fsd_find_changed_kernels, fsd_find_edits, fsd_find_unasked,
    fsd_find_counted_kernels, fsd_find_bindings;

/* rules/values.c: short constants of nodes that both models have. */
fsd_find_fn fsd_find_values, fsd_find_unequal_scales;

/* rules/provider.c: which execution provider runs a kernel. */
fsd_find_fn fsd_find_fallbacks, fsd_find_providers;

/** "gemm of `MatMul_3 + Add_4`"; the finding is about these nodes (rules/kernel.c). */
void fsd_put_kernel(struct fsd_finder *f, const struct fsd_kernel_change *k, bool new);
/** Kernels with another fused activation (rules/kernel.c). */
void fsd_report_activations(struct fsd_finder *f);
/** Moves that realise other nodes than before (rules/change.c). */
void fsd_report_other_nodes(struct fsd_finder *f);
/** Kernels that are gone because their nodes are proved to need none. */
uint32_t fsd_count_saved_kernels(const struct fsd_compare *c);
/** Kernels or jumps of the new build read a tensor that no layer writes, and a layer
 *  of the old one did. */
bool fsd_lacks_writers(const struct fsd_compare *c);
/* rules/unknown.c: a fact that is no longer stated. */
fsd_find_fn fsd_find_lost_facts, fsd_find_less_info;
/* rules/build.c: how it was built, and which builds of the snapshot it equals. */
fsd_find_fn fsd_find_built, fsd_find_variants, fsd_find_older;
/* rules/stale.c: an engine of another model. */
fsd_find_fn fsd_find_stale;
/** rules_lint.c: the i-th rule of lint, then those on two exports; NULL past the last.
 */
const struct fsd_rule *fsd_lint_rule_at(unsigned i);
/** rules_export.c: the i-th rule about two exports, NULL past the last. */
const struct fsd_rule *fsd_export_rule_at(unsigned i);
/* rules/slower.c: times. */
fsd_find_fn fsd_find_slower, fsd_find_slower_groups;
/** Prints "`Conv_3 + Relu_4`", the first group of a region that the new build has
 *  (rules/change.c). */
void fsd_put_region(const struct fsd_finder *f, const struct fsd_region_diff *r);
/** The finding is about the nodes of the region's new groups, by which an ignore
 *  matches it. */
void fsd_about_new_groups(struct fsd_finder *f, const struct fsd_region_diff *r);
/* rules/total.c: the whole build. */
fsd_find_fn fsd_find_more_layers, fsd_find_less_coverage, fsd_find_better,
    fsd_find_inserted_total, fsd_find_not_int8;
/* rules/promise.c: a policy's requirements of any build. */
fsd_find_fn fsd_find_unexpected, fsd_find_not_in_types, fsd_find_too_large;
/* rules/policy.c: the policy's own. */
fsd_find_fn fsd_find_stale_policy;

/* Of a model, before its build. */
/* lint_rows.c: what the rows of place.h describe. */
fsd_find_fn fsd_lint_places;
/* lint_products.c: products of matrices. */
fsd_find_fn fsd_lint_padded;
/* lint_scale.c: scales of several quantizers. */
fsd_find_fn fsd_lint_two_scales, fsd_lint_concat_inputs;
/* lint_range.c: what 16 bits cannot hold. */
fsd_find_fn fsd_lint_fp16_range;
/* lint_build.c: what a builder refuses, or does badly. */
fsd_find_fn fsd_lint_refused, fsd_lint_absent, fsd_lint_not_known, fsd_lint_channels;
/* lint_pool.c: sizes that a builder gives otherwise than ONNX. */
fsd_find_fn fsd_lint_ceil_mode;
/* lint_fusion.c */
fsd_find_fn fsd_lint_attention;
/* lint_engine.c: what the engine shows. */
fsd_find_fn fsd_lint_missed_fusion, fsd_lint_symptoms;

#endif
