/* The rules, in the order of reports. */
#include "findings/finder.h"

enum {
    RUN = FSD_NEEDS_RUN,
    LOG = FSD_NEEDS_RUN | FSD_NEEDS_LOG,
    CHANGE = FSD_NEEDS_CHANGE,
    CASE = FSD_NEEDS_CASE,
    COUNT = FSD_BUDGET_COUNT,
    MS = FSD_BUDGET_MS,
    SHARE = FSD_BUDGET_SHARE
};

/* A budget: the first one is already too much. */
#define NONE_MORE .budget = {0, -1, -1}

/* Levels of changes are such that what costs time or precision on its own fails; what
 * often comes with a wanted change warns. */
static const struct fsd_rule rules[] = {
    {"mapping/misfit", FSD_WARNING,
     "Names in the engine are not those of the model, so that it may be another one.",
     RUN, .find = fsd_find_misfit, .about_inputs = true},
    {"mapping/no-model", FSD_INFO,
     "No model was given, so that only what the engine names is known of it.", RUN,
     .find = fsd_find_no_model},
    {"mapping/conflict", FSD_WARNING,
     "Two pieces of evidence put a node into layers that cannot both compute it.", RUN,
     .find = fsd_find_conflicts},
    {"mapping/unexplained", FSD_WARNING,
     "No layer mentions these nodes and nothing proves what became of them.", RUN,
     .find = fsd_find_unexplained},
    {"mapping/unmapped-layer", FSD_WARNING,
     "A layer that computes something was linked to no node.", RUN,
     .find = fsd_find_unmapped},
    {"mapping/names-only", FSD_INFO,
     "The dump holds layer names only, so tensors and precisions are not known.", RUN,
     .find = fsd_find_names_only},
    {"quantize/standing", FSD_WARNING,
     "A QuantizeLinear or DequantizeLinear was left standing as a layer of its own.",
     RUN, .find = fsd_find_standing},
    {"quantize/at-input", FSD_INFO,
     "A QuantizeLinear stands at a network input, where one is needed.", RUN,
     .find = fsd_find_standing, true},
    {"precision/wider", FSD_WARNING,
     "Nodes run in a wider type than the model asks for.", RUN, .find = fsd_find_wider},
    {"precision/island", FSD_WARNING,
     "A stretch runs in a wider type than what is before and behind it.", RUN,
     .find = fsd_find_islands},
    {"precision/fp32-left", FSD_INFO,
     "Layers run in fp32 in an engine that runs others in a narrower type.", RUN,
     .find = fsd_find_fp32_left},
    {"precision/no-tensor-cores", FSD_INFO,
     "A layer that multiplies matrices got a kernel that uses no tensor cores.", RUN,
     .find = fsd_find_no_tensor_cores},
    {"precision/io-type", FSD_INFO,
     "A network input or output has another type in the engine than in the model.", RUN,
     .find = fsd_find_io_types},
    {"inserted/round-trip", FSD_WARNING,
     "Layers one behind another change a tensor and change it back.", RUN,
     .find = fsd_find_chains, true},
    {"inserted/chain", FSD_INFO, "Layers one behind another only move the same data.",
     RUN, .find = fsd_find_chains},
    {"inserted/reformat", FSD_INFO,
     "The builder inserted a layer that changes a tensor's type or layout.", RUN,
     .find = fsd_find_inserted, FSD_KIND_REFORMAT},
    {"inserted/copy", FSD_INFO, "The builder inserted a layer that copies a tensor.",
     RUN, .find = fsd_find_inserted, FSD_KIND_COPY},
    {"log/other-build", FSD_WARNING,
     "The build log is not that of the engine dump, so that it proves nothing.", LOG,
     .find = fsd_find_other_build, .about_inputs = true},
    {"log/other-model", FSD_WARNING,
     "The parser read nodes, as its log says, that the model does not have.", LOG,
     .find = fsd_find_other_model, .about_inputs = true},
    {"log/too-large", FSD_WARNING,
     "The log's steps were not all followed: they are too large, or their names nest "
     "too deep.",
     LOG, .find = fsd_find_log_cut},
    {"log/missing-scale", FSD_WARNING,
     "A tensor had no scale, so its layers fell back to a wider type.", LOG,
     .find = fsd_find_log_warnings},
    {"log/fusion-disabled", FSD_WARNING,
     "The builder could not compile fused kernels: driver and nvrtc do not fit.", LOG,
     .find = fsd_find_log_warnings},
    {"log/workspace", FSD_WARNING,
     "Some tactics were not tried for want of workspace memory.", LOG,
     .find = fsd_find_log_warnings},
    {"log/constraint", FSD_WARNING,
     "A layer's precision or device constraint was not obeyed.", LOG,
     .find = fsd_find_log_warnings},
    {"log/calibrator", FSD_WARNING, "A calibrator was given and not used.", LOG,
     .find = fsd_find_log_warnings},
    {"log/fp4", FSD_WARNING,
     "The device does not accelerate the FP4 the model asks for.", LOG,
     .find = fsd_find_log_warnings},
    {"input/remark", FSD_INFO, "Something in an input was readable but surprising.",
     RUN, .find = fsd_find_remarks},

    {"engine-stale", FSD_ERROR,
     "The model changed and the engine did not: it was not built of this model.", CHANGE,
     fsd_find_stale, false, COUNT, NONE_MORE},
    {"engine-unchanged", FSD_INFO,
     "The model's file changed, its nodes and the engine did not.", CHANGE,
     fsd_find_stale, true, 0, .budget = {-1, -1, -1}},
    {"build-differs", FSD_INFO,
     "It was built by another version, for another GPU or with other options: what most "
     "differences come from.",
     CHANGE, fsd_find_built, false, 0, .budget = {-1, -1, -1}},
    {"build-unknown", FSD_INFO,
     "The build does not tell its GPU or options, as its log would.", CHANGE,
     fsd_find_built, true, 0, .budget = {-1, -1, -1}},
    {"lost-fusion", FSD_ERROR, "Nodes that one layer computed are computed by several.",
     CHANGE, fsd_find_regrouped, FSD_HAPPENED_LOST, COUNT | MS, NONE_MORE},
    {"regrouped", FSD_WARNING,
     "Nodes are fused otherwise than before, neither more nor less.", CHANGE,
     fsd_find_regrouped, FSD_HAPPENED_REGROUPED, COUNT | MS, NONE_MORE},
    {"undecided-fusion", FSD_ERROR,
     "Layers differ, but one build does not tell which of them computes which node.",
     CHANGE, fsd_find_regrouped, FSD_HAPPENED_OPAQUE, COUNT | MS, NONE_MORE},
    {"precision-widened", FSD_ERROR,
     "A node runs, or a tensor between layers is kept, in a wider type than before.",
     CHANGE, fsd_find_widened, 0, COUNT, NONE_MORE},
    {"precision-unknown", FSD_ERROR,
     "The build does not tell the type of a node or a tensor of which it was known.",
     CHANGE, fsd_find_lost_facts, FSD_FACT_TYPE, COUNT, NONE_MORE},
    {"layout-unknown", FSD_ERROR,
     "The build does not tell the layout of a tensor of which it was known.", CHANGE,
     fsd_find_lost_facts, FSD_FACT_LAYOUT, COUNT, NONE_MORE},
    {"shape-unknown", FSD_ERROR,
     "The build does not tell the shape of an input or output of which it was known.",
     CHANGE, fsd_find_lost_facts, FSD_FACT_SHAPE, COUNT, NONE_MORE},
    {"new-reformat", FSD_ERROR,
     "The builder inserted a layer that it did not need before.", CHANGE,
     fsd_find_new_moves, false, COUNT | MS | SHARE, NONE_MORE},
    {"new-standing-quantize", FSD_ERROR,
     "A QuantizeLinear or DequantizeLinear is a layer of its own that was not before.",
     CHANGE, fsd_find_new_moves, true, COUNT | MS | SHARE, NONE_MORE},
    {"unexplained-node", FSD_ERROR, "It is no longer known what became of a node.",
     CHANGE, fsd_find_presences, false, COUNT, NONE_MORE},
    {"io-changed", FSD_ERROR,
     "An input or output of the engine was added, removed, or has another name, shape, "
     "type or format.",
     CHANGE, fsd_find_ports, 0, COUNT, NONE_MORE},
    {"latency", FSD_ERROR,
     "The layers take longer together than before, by more than noise explains.",
     CHANGE, fsd_find_slower, 0, MS | SHARE | FSD_SETS_NOISE, .budget = {-1, -1, 0.05}},
    {"layer-count", FSD_WARNING, "The engine has more layers than before.", CHANGE,
     fsd_find_more_layers, 0, COUNT, NONE_MORE},
    {"coverage-dropped", FSD_ERROR,
     "A smaller share of the computing layers is mapped to nodes, so that the check "
     "sees less.",
     CHANGE, fsd_find_less_coverage, 0, SHARE, .budget = {-1, -1, 0}},
    {"model-changed", FSD_INFO,
     "A node has no counterpart in the other model, or could not be aligned.", CHANGE,
     fsd_find_presences, true, COUNT, NONE_MORE},
    {"max-reformats", FSD_OFF,
     "There are more inserted layers than the policy allows at all.", CASE,
     fsd_find_inserted_total, 0, COUNT | MS | SHARE, NONE_MORE},
    {"int8-required", FSD_OFF,
     "A node that the policy wants in INT8 runs in another type.", CASE,
     fsd_find_not_int8, 0, COUNT | FSD_SETS_WORDS, NONE_MORE},
    {"expect", FSD_OFF,
     "A block of the model that the policy expects in one kernel is not, or not in the "
     "type that it expects.",
     CASE, fsd_find_unexpected, 0, FSD_SETS_BLOCKS, NONE_MORE},
    {"precision-required", FSD_OFF,
     "Less of the work than the policy requires is done in the types that it requires.",
     CASE, fsd_find_not_in_types, 0, FSD_SETS_TYPES, NONE_MORE},
    /* Last, when it is known which ignores were of use. */
    {"policy", FSD_WARNING,
     "An ignore of the policy has expired, or a word of it matches nothing.", CASE,
     fsd_find_stale_policy, 0, 0, .budget = {-1, -1, -1}},
};

const struct fsd_rule *fsd_rule_at(unsigned i)
{
    return i < FSD_COUNT_OF(rules) ? &rules[i] : NULL;
}

const char *fsd_level_name(int level)
{
    return level == FSD_OFF ? "off" : fsd_severity_name((enum fsd_severity)level);
}

/* ----------------------------------------------------------------- policies */

struct fsd_policy *fsd_policy_new(void)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_policy *p = FSD_NEW(arena, struct fsd_policy, 1);
    uint32_t n = FSD_COUNT_OF(rules);

    p->arena = arena;
    p->path = "";
    p->rules = FSD_NEW(arena, struct fsd_policy_rule, n);
    for (uint32_t i = 0; i < n; i++)
        p->rules[i] = (struct fsd_policy_rule){rules[i].level, rules[i].budget, false,
                                               false};
    p->noise = 0.02;
    p->noise_cap = 0.1;
    return p;
}

void fsd_policy_free(struct fsd_policy *policy)
{
    if (policy)
        fsd_arena_free(policy->arena);
}
