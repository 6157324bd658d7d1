#include "findings/findings.h"
#include "findings/rule_list.h"

static const struct fsd_rule rules[] = {
    {"mapping/misfit", FSD_WARNING,
     "Names in the engine are not those of the model, so that it may be another one.",
     fsd_find_misfit, fsd_phrase_misfit},
    {"mapping/conflict", FSD_WARNING,
     "Two pieces of evidence put a node into layers that cannot both compute it.",
     fsd_find_conflicts, fsd_phrase_conflict},
    {"mapping/unexplained", FSD_WARNING,
     "No layer mentions these nodes and nothing proves what became of them.",
     fsd_find_unexplained, fsd_phrase_unexplained},
    {"mapping/unmapped-layer", FSD_WARNING,
     "A layer that computes something was linked to no node.", fsd_find_unmapped,
     fsd_phrase_unmapped},
    {"mapping/names-only", FSD_INFO,
     "The dump holds layer names only, so tensors and precisions are not known.",
     fsd_find_names_only, fsd_phrase_names_only},
    {"quantize/standing", FSD_WARNING,
     "A QuantizeLinear or DequantizeLinear was left standing as a layer of its own.",
     fsd_find_standing, fsd_phrase_standing},
    {"quantize/at-input", FSD_INFO,
     "A QuantizeLinear stands at a network input, where one is needed.",
     fsd_find_standing_at_input, fsd_phrase_standing},
    {"precision/wider", FSD_WARNING,
     "Nodes run in a wider type than the model asks for.", fsd_find_wider,
     fsd_phrase_wider},
    {"precision/island", FSD_WARNING,
     "A stretch runs in a wider type than what is before and behind it.",
     fsd_find_islands, fsd_phrase_island},
    {"precision/fp32-left", FSD_INFO,
     "Layers run in fp32 in an engine that runs others in a narrower type.",
     fsd_find_fp32_left, fsd_phrase_fp32_left},
    {"precision/no-tensor-cores", FSD_INFO,
     "A layer that multiplies matrices got a kernel that uses no tensor cores.",
     fsd_find_no_tensor_cores, fsd_phrase_no_tensor_cores},
    {"precision/io-type", FSD_INFO,
     "A network input or output has another type in the engine than in the model.",
     fsd_find_io_types, fsd_phrase_io_type},
    {"inserted/round-trip", FSD_WARNING,
     "Layers one behind another change a tensor and change it back.",
     fsd_find_round_trips, fsd_phrase_chain},
    {"inserted/chain", FSD_INFO, "Layers one behind another only move the same data.",
     fsd_find_chains, fsd_phrase_chain},
    {"inserted/reformat", FSD_INFO,
     "The builder inserted a layer that changes a tensor's "
     "type or layout.",
     fsd_find_reformats, fsd_phrase_inserted},
    {"inserted/copy", FSD_INFO, "The builder inserted a layer that copies a tensor.",
     fsd_find_copies, fsd_phrase_inserted},
    {"log/other-build", FSD_WARNING,
     "The build log is not that of the engine dump, so that it proves nothing.",
     fsd_find_other_build, fsd_phrase_other_build},
    {"log/other-model", FSD_WARNING,
     "The parser read nodes, as its log says, that the model does not have.",
     fsd_find_other_model, fsd_phrase_other_model},
    {"log/too-large", FSD_WARNING,
     "The log's steps were not all followed: they are too large, or their names nest "
     "too deep.",
     fsd_find_log_cut, fsd_phrase_log_cut},
    {"log/missing-scale", FSD_WARNING,
     "A tensor had no scale, so its layers fell back to a wider type.",
     fsd_find_log_warnings, fsd_phrase_log_warning},
    {"log/fusion-disabled", FSD_WARNING,
     "The builder could not compile fused kernels: driver and nvrtc do not fit.",
     fsd_find_log_warnings, fsd_phrase_log_warning},
    {"log/workspace", FSD_WARNING,
     "Some tactics were not tried for want of workspace memory.", fsd_find_log_warnings,
     fsd_phrase_log_warning},
    {"log/constraint", FSD_WARNING,
     "A layer's precision or device constraint was not obeyed.", fsd_find_log_warnings,
     fsd_phrase_log_warning},
    {"log/calibrator", FSD_WARNING, "A calibrator was given and not used.",
     fsd_find_log_warnings, fsd_phrase_log_warning},
    {"log/fp4", FSD_WARNING,
     "The device does not accelerate the FP4 the model asks for.",
     fsd_find_log_warnings, fsd_phrase_log_warning},
    {"input/remark", FSD_INFO, "Something in an input was readable but surprising.",
     fsd_find_remarks, fsd_phrase_remark},
};

const struct fsd_rule *fsd_rule_at(unsigned i)
{
    return i < FSD_COUNT_OF(rules) ? &rules[i] : NULL;
}

const struct fsd_findings *fsd_find(const struct fsd_diff *d)
{
    struct fsd_findings *out = FSD_NEW(d->arena, struct fsd_findings, 1);

    out->arena = d->arena;
    for (size_t i = 0; i < FSD_COUNT_OF(rules); i++)
        rules[i].run(d, out, &rules[i]);
    return out;
}

bool fsd_rule_is_about_inputs(const struct fsd_rule *rule)
{
    return rule->run == fsd_find_misfit || rule->run == fsd_find_other_build ||
           rule->run == fsd_find_other_model;
}
