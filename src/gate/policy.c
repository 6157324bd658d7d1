#include "gate/policy.h"
#include "model/word.h"

#include <string.h>

/* Levels are such that what costs time or precision on its own fails; what often comes
 * with a wanted change warns. */
const struct fsd_gate_default fsd_gate_defaults[FSD__GATE_COUNT] = {
    [FSD_GATE_LOST_FUSION] = {"lost-fusion",
                              "Nodes that one layer computed are computed by several.",
                              "error", FSD_BUDGET_COUNT | FSD_BUDGET_MS, 0, -1, -1},
    [FSD_GATE_REGROUPED] = {"regrouped",
                            "Nodes are fused otherwise than before, neither more nor "
                            "less.",
                            "warning", FSD_BUDGET_COUNT | FSD_BUDGET_MS, 0, -1, -1},
    [FSD_GATE_OPAQUE] = {"undecided-fusion",
                         "Layers differ, but one build does not tell which of them "
                         "computes which node.",
                         "warning", FSD_BUDGET_COUNT | FSD_BUDGET_MS, 0, -1, -1},
    [FSD_GATE_WIDENED] = {"precision-widened",
                          "A node runs, or a tensor between layers is kept, in a wider "
                          "type than before.",
                          "error", FSD_BUDGET_COUNT, 0, -1, -1},
    [FSD_GATE_NEW_REFORMAT] = {"new-reformat",
                               "The builder inserted a layer that it did not need "
                               "before.",
                               "error",
                               FSD_BUDGET_COUNT | FSD_BUDGET_MS | FSD_BUDGET_SHARE, 0,
                               -1, -1},
    [FSD_GATE_NEW_QUANTIZE] = {"new-standing-quantize",
                               "A QuantizeLinear or DequantizeLinear is a layer of its "
                               "own that was not before.",
                               "error",
                               FSD_BUDGET_COUNT | FSD_BUDGET_MS | FSD_BUDGET_SHARE, 0,
                               -1, -1},
    [FSD_GATE_UNEXPLAINED] = {"unexplained-node",
                              "It is no longer known what became of a node.", "warning",
                              FSD_BUDGET_COUNT, 0, -1, -1},
    [FSD_GATE_IO] = {"io-changed",
                     "An input or output of the engine was added, removed, or has "
                     "another name, shape, type or format.",
                     "error", FSD_BUDGET_COUNT, 0, -1, -1},
    [FSD_GATE_LATENCY] = {"latency",
                          "The layers take longer together than before, by more than "
                          "noise explains.",
                          "error", FSD_BUDGET_MS | FSD_BUDGET_SHARE, -1, -1, 0.05},
    [FSD_GATE_LAYER_COUNT] = {"layer-count", "The engine has more layers than before.",
                              "warning", FSD_BUDGET_COUNT, 0, -1, -1},
    [FSD_GATE_COVERAGE] =
        {"coverage-dropped",
         "A smaller share of the computing layers is mapped to nodes, "
         "so that the check sees less.",
         "error", FSD_BUDGET_SHARE, -1, -1, 0},
    [FSD_GATE_MODEL] = {"model-changed",
                        "A node has no counterpart in the other model, or could not be "
                        "aligned.",
                        "info", FSD_BUDGET_COUNT, 0, -1, -1},
    [FSD_GATE_MAX_REFORMATS] = {"max-reformats",
                                "There are more inserted layers than the policy allows "
                                "at all.",
                                "off",
                                FSD_BUDGET_COUNT | FSD_BUDGET_MS | FSD_BUDGET_SHARE, 0,
                                -1, -1},
    [FSD_GATE_INT8] = {"int8-required",
                       "A node that the policy wants in INT8 runs in another type.",
                       "off", FSD_BUDGET_COUNT, 0, -1, -1},
    [FSD_GATE_POLICY] =
        {"policy",
         "An ignore of the policy has expired, or a word of it matches nothing.",
         "warning", 0, -1, -1, -1},
};

void fsd_policy_free(struct fsd_policy *policy)
{
    if (policy)
        fsd_arena_free(policy->arena);
}

bool fsd_policy_matches(const char *glob, const char *name)
{
    return fsd_word_fits(glob, name);
}
