/* The input of a rule's function, and how the function reports findings. Only files of
 * src/judge/findings include this. */
#pragma once

#include "base/base.h"
#include "judge/findings/findings.h"

struct fsd_finder {
    const struct fsd_diff *d;      /**< for FSD_NEEDS_RUN and FSD_NEEDS_LINT; NULL if a
                                   struct fsd_case has no run */
    const struct fsd_state *build; /**< for a case */
    const struct fsd_lint *lint;   /**< for FSD_NEEDS_LINT */
    const struct fsd_compare *c;   /**< for FSD_NEEDS_CHANGE and FSD_NEEDS_EXPORTS */
    const struct fsd_policy *policy;
    unsigned today;
    const struct fsd_rule *rule; /**< the rule that is evaluated */
    struct fsd_findings *found;
    struct fsd_arena *scratch;

    struct fsd_finding now; /**< the open finding; a rule may set `file` and `line` */
    FILE *out;              /**< receives the finding's sentence */
    double count, ms;       /**< the finding adds these numbers to the rule's count and
                                 milliseconds; initially 1 and 0 */
    bool untimed;           /**< the finding's milliseconds are unknown */
    bool note;              /**< the finding is information, though its rule warns */
    const char *skipped;    /**< why the rule cannot be evaluated; set by the rule's
                                 function */
    bool confirmable;       /**< only evaluate rules whose findings an engine
                           can confirm */
    bool asked;  /**< the policy has a section for the rule. If such a rule cannot be
                      evaluated, a finding reports this */
    double base; /**< the total milliseconds of the build. A budget's `share` is a share
                           of this total; 0: unknown */

    uint32_t reread; /**< number of findings that find.c removed because
                          fsd_compare.reread is set: they report changes, but only the
                          version of this program changed. Rules with
                          fsd_rule.of_same keep their findings */

    /* Used by find.c only. */
    struct fsd_print print;
    double sum_count, sum_ms;
    bool any_untimed;
    uint32_t *used; /**< indexed by ignore: number of findings that match the ignore,
                         even findings of rules that are off */
    uint32_t *took; /**< indexed by ignore: number of findings that the ignore
                         removed */
    bool off;       /**< the policy turns the rule off: its findings are only counted */
};

/** Opens a finding. Until it is closed, the rule adds subjects (all layers, then nodes,
 *  then tensors) and facts, and prints the sentence to f->out. */
void fsd_finding_open(struct fsd_finder *f);
/** Adds the open finding to the list, unless the policy ignores it. */
void fsd_finding_close(struct fsd_finder *f);

void fsd_about_layer(struct fsd_finder *f, fsd_id layer);
void fsd_about_node(struct fsd_finder *f, fsd_id node);
void fsd_about_tensor(struct fsd_finder *f, fsd_id tensor);
/** Adds a node of a compared state as a subject. */
void fsd_about_state_node(struct fsd_finder *f, const struct fsd_state *s, fsd_id node);
/** Adds as subjects the layer's nodes that have the fate FSD_FATE_LAYER. */
void fsd_about_computed(struct fsd_finder *f, fsd_id layer);

/** The name of a node, or "#12 (Conv)" if it has none. */
const char *fsd_called(const struct fsd_finder *f, fsd_id node);

/** @param key a literal */
void fsd_fact_number(struct fsd_finder *f, const char *key, uint64_t number);
void fsd_fact_text(struct fsd_finder *f, const char *key, const char *text);

/** Prints subjects of the open finding as "`a`, `b`, `c` and 4 more". */
void fsd_put_subjects(struct fsd_finder *f, struct fsd_span subjects);
/** Prints ", 0.1234 ms" if the time is known. */
void fsd_put_took(struct fsd_finder *f, double ms);

/** Returns an array indexed by layer: whether the layer computes a constant at every
 *  inference. Defined in rules/constant.c. */
const bool *fsd_constant_layers(struct fsd_arena *arena, const struct fsd_diff *d);

/** The cost of some layers of a run, also as a share of the engine's cost. */
struct fsd_cost_part {
    uint32_t layers, unknown; /**< unknown: number of these layers whose bytes are
                                   unknown */
    int64_t bytes;            /**< bytes of the layers whose bytes are known */
    double ms, share;         /**< sums over the layers whose values are known. `ms`:
                                   milliseconds. `share`: share of the engine, 0 to 1 */
};
void fsd_add_cost(const struct fsd_diff *d, struct fsd_cost_part *cost, fsd_id layer);
/** Prints the cost, and adds its numbers as facts. The cost is printed as time if times
 *  are known, else as bytes: ": 19.1 MB, 37.7 % of all bytes". rules/recomputed.c */
void fsd_put_cost(struct fsd_finder *f, const struct fsd_cost_part *cost);

/* Rules on a run, by file. */
/* rules/mapping.c */
fsd_find_fn fsd_find_misfit, fsd_find_unmade, fsd_find_no_model, fsd_find_conflicts,
    fsd_find_unexplained, fsd_find_two_engines, fsd_find_unmapped, fsd_find_names_only,
    fsd_find_remarks;
/* rules/precision.c */
/** Values of the rule's `which`: the place of the quantizers that fsd_find_standing()
 *  reports. */
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

/* Rules on a change. */
/* rules/change.c: each finding is about one region, edge, node or port. */
fsd_find_fn fsd_find_regrouped, fsd_find_retyped, fsd_find_narrowed_range,
    fsd_find_new_moves, fsd_find_presences, fsd_find_ports;
/** The number of nodes that fsd_find_narrowed_range() finds. */
uint32_t fsd_count_narrowed_range(const struct fsd_compare *c);
/* rules/kernel.c: kernels, and the inputs and outputs of the engine. */
fsd_find_fn fsd_find_retyped_kernels, fsd_find_lost_kernel_facts, fsd_find_layouts,
    fsd_find_changed_kernels, fsd_find_edits, fsd_find_unasked,
    fsd_find_counted_kernels, fsd_find_bindings;

/* rules/values.c: short constants of nodes that both models have. */
fsd_find_fn fsd_find_values, fsd_find_unequal_scales;

/* rules/provider.c: which execution provider runs a kernel. */
fsd_find_fn fsd_find_fallbacks, fsd_find_providers;

/** Prints "gemm of `MatMul_3 + Add_4`", and adds these nodes as subjects.
 *  rules/kernel.c */
void fsd_put_kernel(struct fsd_finder *f, const struct fsd_kernel_change *k, bool new);
/** Reports kernels with a different fused activation (rules/kernel.c). */
void fsd_report_activations(struct fsd_finder *f);
/** Reports each struct fsd_move that computes other nodes than in the old build, unless
 *  its `kind` or `inserted` changed, too (rules/change.c). */
void fsd_report_other_nodes(struct fsd_finder *f);
/** The number of removed kernels whose nodes are proved to need no kernel. */
uint32_t fsd_count_saved_kernels(const struct fsd_compare *c);
/** Whether a kernel or a conditional jump of the new build reads a tensor that no layer
 *  writes, although a layer of the old build wrote this tensor. */
bool fsd_lacks_writers(const struct fsd_compare *c);
/* rules/unknown.c: facts that the new build does not state. */
fsd_find_fn fsd_find_lost_facts, fsd_find_less_info;
/* rules/build.c: how the engine was built, and which other builds of the snapshot it
 * resembles. */
fsd_find_fn fsd_find_built, fsd_find_variants, fsd_find_older;
/* rules/stale.c: an engine of a different model. */
fsd_find_fn fsd_find_stale;
/** Rule i of two tables: first the rules of lint (rules_lint.c), then the rules on two
 *  exports. NULL after the last rule on two exports. */
const struct fsd_rule *fsd_lint_rule_at(unsigned i);
/** Rule i about two exports, in rules_export.c; NULL after the last. */
const struct fsd_rule *fsd_export_rule_at(unsigned i);
/* rules/slower.c: times. */
fsd_find_fn fsd_find_slower, fsd_find_slower_groups;
/** Prints the first group of a region in the new build: "`Conv_3 + Relu_4`".
 *  rules/change.c */
void fsd_put_region(const struct fsd_finder *f, const struct fsd_region_diff *r);
/** Adds as subjects the nodes of the region's new groups, so that an ignore can match
 *  the finding. */
void fsd_about_new_groups(struct fsd_finder *f, const struct fsd_region_diff *r);
/* rules/total.c: the whole build. */
fsd_find_fn fsd_find_more_layers, fsd_find_less_coverage, fsd_find_better,
    fsd_find_inserted_total, fsd_find_not_int8;
/* rules/promise.c: a policy's requirements on any build. */
fsd_find_fn fsd_find_unexpected, fsd_find_not_in_types, fsd_find_too_large;
/* rules/policy.c: the rule on the policy itself. */
fsd_find_fn fsd_find_stale_policy;

/* Rules on a model before its build. */
/* lint_rows.c: the places that the rows of place.h describe. */
fsd_find_fn fsd_lint_places;
/* lint_products.c: matrix products. */
fsd_find_fn fsd_lint_padded;
/* lint_scale.c: scales of several quantizers. */
fsd_find_fn fsd_lint_two_scales, fsd_lint_concat_inputs;
/* lint_range.c: values that 16-bit floats cannot hold. */
fsd_find_fn fsd_lint_fp16_range;
/* lint_build.c: nodes that a builder refuses, or handles badly. */
fsd_find_fn fsd_lint_refused, fsd_lint_absent, fsd_lint_not_known, fsd_lint_channels;
/* lint_pool.c: pools whose sizes differ between a builder and ONNX. */
fsd_find_fn fsd_lint_ceil_mode;
/* lint_fusion.c */
fsd_find_fn fsd_lint_attention;
/* lint_engine.c: facts that the engine shows. */
fsd_find_fn fsd_lint_missed_fusion, fsd_lint_symptoms;
