/* The table of rules on runs, on changes and on a policy's requirements, in the order
 * of reports. The rules of lint (rules_lint.c) and on two exports (rules_export.c)
 * follow in other tables. */
#include "judge/findings/finder.h"
#include "judge/lint/lint.h"

enum {
    RUN = FSD_NEEDS_RUN,
    LOG = FSD_NEEDS_RUN | FSD_NEEDS_LOG,
    CHANGE = FSD_NEEDS_CHANGE,
    CASE = FSD_NEEDS_CASE,
    COUNT = FSD_BUDGET_COUNT,
    MS = FSD_BUDGET_MS,
    SHARE = FSD_BUDGET_SHARE
};
/* A budget of 0 findings. A single finding exceeds this budget. */
#define NONE_MORE .budget = {0, -1, -1}

/* A rule on changes is an error if the change costs time or precision, and a warning if
 * the change may be intended. */
static const struct fsd_rule rules[] = {
    {"mapping/misfit", FSD_WARNING,
     "Names, sizes, types or quantizers in the engine contradict the model, so the "
     "engine may have been built from another model.",
     RUN, .find = fsd_find_misfit, .about_inputs = true,
     .why = "fusiondiff links layers to nodes by the names that both files share.",
     .fix = "Pass the model that the engine was built from."},
    {"mapping/no-model", FSD_INFO,
     "No model was given: only the nodes that the engine names are known.", RUN,
     .find = fsd_find_no_model,
     .why = "Shapes, weights and all nodes that the engine does not name are unknown.",
     .fix = "Pass the ONNX model, or a build log that contains the parser's lines."},
    {"mapping/conflict", FSD_WARNING,
     "Metadata or a layer's name places a node in one layer, but the tensors of the "
     "layers place the node in another layer.",
     RUN, .find = fsd_find_conflicts,
     .why = "One of these two pieces of evidence is wrong, so the report may link "
            "the node to the wrong layer.",
     .fix =
         "Inspect both layers with `where`. Unique node names resolve most conflicts."},
    {"mapping/two-engines", FSD_WARNING, "Two engines compute the same node.", RUN,
     .find = fsd_find_two_engines, .why = "Computing the node twice costs time.",
     .fix =
         "Pass only engines from one partitioning of the model. If two engines of one "
         "partitioning share the node, partition the model at a different tensor."},
    {"mapping/unexplained", FSD_WARNING,
     "No layer contains these nodes, and no evidence shows that the builder removed "
     "them.",
     RUN, .find = fsd_find_unexplained,
     .why = "Either the engine does not compute these nodes, or the dump does not show "
            "the layers that compute them.",
     .fix = "Pass the verbose build log (--log), or dump the engine with detailed "
            "profiling verbosity."},
    {"mapping/unmade-output", FSD_WARNING,
     "No layer produces these outputs of the model: the dump may be incomplete.", RUN,
     .find = fsd_find_unmade, .about_inputs = true,
     .why = "A dump or log without its last layers looks like the dump or log of a "
            "smaller engine.",
     .fix = "Dump the engine again, or pass the complete log."},
    {"mapping/unmapped-layer", FSD_WARNING, "A computing layer is linked to no node.",
     RUN, .find = fsd_find_unmapped,
     .why = "fusiondiff cannot attribute the time, bytes and precision of this layer "
            "to nodes.",
     .fix = "Dump the engine with detailed profiling verbosity, which adds Metadata, "
            "or pass the build log."},
    {"mapping/names-only", FSD_INFO,
     "The dump holds layer names only: tensors and precisions are unknown.", RUN,
     .find = fsd_find_names_only,
     .why = "fusiondiff reads types, layouts, bytes and most links from the tensors of "
            "the layers.",
     .fix = "Build the engine with detailed profiling verbosity and dump it again."},
    {"quantize/standing", FSD_WARNING,
     "A QuantizeLinear or DequantizeLinear runs as a layer of its own.", RUN,
     .find = fsd_find_standing,
     .why = "This layer reads and writes a whole tensor only to change the type.",
     .fix = "Quantize every input of the next layer. Then the layer before the "
            "quantizer can write the quantized type itself."},
    {"quantize/at-input", FSD_INFO,
     "A QuantizeLinear runs as a layer at a network input, where a quantizer is "
     "necessary.",
     RUN, .find = fsd_find_standing, FSD_AT_INPUT,
     .why =
         "The application passes data of higher precision than the next layer reads.",
     .fix = "To remove the layer, pass quantized data to the network. Otherwise, no "
            "action is needed."},
    {"quantize/at-output", FSD_INFO,
     "A QuantizeLinear or DequantizeLinear runs as a layer at a network output, where "
     "this layer is necessary.",
     RUN, .find = fsd_find_standing, FSD_AT_OUTPUT,
     .why = "The network output and the layer before the quantizer have different "
            "types.",
     .fix = "To remove the layer, make the quantized tensor the network output. "
            "Otherwise, no action is needed."},
    {"quantize/separate-kernel", FSD_WARNING,
     "Separate kernels apply scale, activation and quantization to the outputs of "
     "other kernels.",
     RUN, .find = fsd_find_requantizing,
     .why =
         "The convolution or GEMM writes 16 or 32 bits per element, and a second "
         "kernel converts the elements to 8 bits, which costs memory traffic and a "
         "kernel launch. The finding is only a note if no convolution or GEMM kernel "
         "of the engine writes a quantized type.",
     .fix =
         "Look for convolution or GEMM kernels of the engine that write a quantized "
         "type. If there are any, compare the quantizers in these kernels with the "
         "quantizers that run in separate kernels. Otherwise, compare the times with "
         "the times of an FP16 build."},
    {"fusion/epilogue-unfused", FSD_WARNING,
     "Bias, BatchNormalization, activation or residual addition runs outside the "
     "kernel of its convolution or GEMM.",
     RUN, .find = fsd_find_unfused,
     .why = "The convolution or GEMM writes its output to memory, and another kernel "
            "reads this output. The finding is only a note if no similar kernel of the "
            "engine includes the operation.",
     .fix =
         "If the finding names two layers, look for differences in their types, in the "
         "consumers of their outputs, and in the quantizers between the convolution or "
         "GEMM and the operation."},
    {"fusion/recomputed", FSD_INFO, "Several kernels compute the same node completely.",
     RUN, .find = fsd_find_recomputed,
     .why = "Each of these kernels reads the inputs of the node and computes the node.",
     .fix = "If the consumers of the node read different types, quantize the inputs "
            "of all consumers in the same way."},
    {"precision/wider", FSD_WARNING,
     "Nodes run in higher precision than the model requests.", RUN,
     .find = fsd_find_wider, .why = "Higher precision takes more time and memory.",
     .fix =
         "Run `explain --node`, which states the reason, such as a missing scale, "
         "a missing kernel or an operator between the quantizer and the node. If "
         "a convolution or GEMM kernel before a node writes data in higher precision, "
         "remove the Q/DQ pair between the kernel and the node. Then the kernel "
         "can include the node."},
    {"precision/island", FSD_WARNING,
     "A segment of the engine runs in higher precision than the data before and after "
     "the segment.",
     RUN, .find = fsd_find_islands,
     .why = "Layers convert the data to the higher precision before the segment and "
            "back after it.",
     .fix = "Quantize the operators of the segment, or allow a lower precision for "
            "these operators."},
    {"precision/fp32-left", FSD_INFO,
     "Some layers run in FP32, although other layers of the engine run in lower "
     "precision.",
     RUN, .find = fsd_find_fp32_left,
     .why = "These layers may be the slowest part of the engine.",
     .fix = "Allow lower precision where accuracy permits."},
    {"precision/no-tensor-cores", FSD_INFO,
     "A matrix multiplication or convolution runs without tensor cores.", RUN,
     .find = fsd_find_no_tensor_cores,
     .why = "Kernels without tensor cores are several times slower.",
     .fix = "Align channels to a multiple of 8 (16-bit types) or 32 (8-bit types), or "
            "use lower precision."},
    {"precision/io-type", FSD_INFO,
     "A network input or output has a different type in the engine than in the model.",
     RUN, .find = fsd_find_io_types,
     .why = "The application must bind buffers of the engine's type.",
     .fix = "If the application needs the model's type, set the input and output "
            "formats of the build."},
    {"precision/fp16-range", FSD_INFO,
     "A normalization, Softmax, Exp or Pow, or a reduction over at least 1,024 "
     "elements, runs in FP16 without a visible Cast to FP32.",
     RUN, .find = fsd_find_fp16_range, .keep = FSD_FP32,
     .why = "The largest FP16 number is 65,504, and FP16 numbers have 11 significant "
            "bits: squares and exponentials can overflow, and long sums can lose small "
            "terms.",
     .fix = "If the outputs are inaccurate, keep these nodes in FP32: `names --finding "
            "precision/fp16-range --as autocast` lists them."},
    {"precision/rounded-integers", FSD_INFO,
     "Nodes that compute integers, such as indices, run in a 16-bit float type.", RUN,
     .find = fsd_find_rounded_integers, .keep = FSD_FP32,
     .why = "FP16 represents integers exactly up to 2,048, and BF16 up to 256. Larger "
            "integers are rounded.",
     .fix = "Keep these nodes in FP32 or in an integer type: `names --finding "
            "precision/rounded-integers --as autocast` lists them."},
    {"constant/not-folded", FSD_WARNING,
     "Layers compute the same constant values at every inference.", RUN,
     .find = fsd_find_not_folded,
     .why = "TensorRT did not fold these constants, so each layer costs a kernel "
            "launch and memory traffic.",
     .fix = "Fold constants before the build, for example with `polygraphy surgeon "
            "sanitize --fold-constants` or in the exporter."},
    {"inserted/round-trip", FSD_WARNING,
     "Consecutive layers convert a tensor to another type or layout and back.", RUN,
     .find = fsd_find_chains, true,
     .why = "The tensor is the same before and after these layers, so none of these "
            "layers is needed.",
     .fix = "Use `explain --layer` to find the layer that requires the other type or "
            "layout."},
    {"inserted/chain", FSD_INFO, "Consecutive layers only move the same data.", RUN,
     .find = fsd_find_chains,
     .why = "Each of these layers reads and writes the whole tensor.",
     .fix = "Follow the advice of `reformats`."},
    {"inserted/reformat", FSD_INFO,
     "The builder inserted a layer that changes a tensor's type or layout.", RUN,
     .find = fsd_find_inserted, FSD_KIND_REFORMAT,
     .why = "This layer reads and writes a whole tensor and computes nothing.",
     .fix = "Follow the advice of `reformats`, which names the change of the model "
            "that would remove the layer."},
    {"inserted/copy", FSD_INFO, "The builder inserted a layer that copies a tensor.",
     RUN, .find = fsd_find_inserted, FSD_KIND_COPY,
     .why = "This layer reads and writes a whole tensor and computes nothing.",
     .fix = "Follow the advice of `reformats`, which names the change of the model "
            "that would remove the layer."},
    {"log/other-build", FSD_WARNING,
     "The build log belongs to a different engine than the dump and is not used.", LOG,
     .find = fsd_find_other_build, .about_inputs = true,
     .why = "The log describes another engine and may be wrong for this engine.",
     .fix = "Pass the log of the build that produced this engine."},
    {"log/other-model", FSD_WARNING,
     "According to the log, the parser read nodes that the model lacks, or did not "
     "read all nodes of the model.",
     LOG, .find = fsd_find_other_model, .about_inputs = true,
     .why = "The log may belong to a different model.",
     .fix = "Pass the log of the build of this model."},
    {"log/too-large", FSD_WARNING,
     "The log exceeds a limit of fusiondiff, so fusiondiff ignores some steps of the "
     "log.",
     LOG, .find = fsd_find_log_cut, .why = "Evidence from these steps is missing.",
     .fix = "Pass the engine's detailed dump together with the log."},
    {"log/missing-scale", FSD_WARNING,
     "A tensor has no scale, so the layers that write or read the tensor fell back to "
     "higher precision.",
     LOG, .find = fsd_find_log_warnings, .why = "These layers do not run in INT8.",
     .fix = "Calibrate the tensor, or add a Q/DQ pair on it."},
    {"log/fusion-disabled", FSD_WARNING,
     "The driver and NVRTC are incompatible, so TensorRT compiled no fused kernels.",
     LOG, .find = fsd_find_log_warnings,
     .why = "Whole classes of fusions are missing from the engine.",
     .fix = "Install a driver and an NVRTC library whose versions are compatible."},
    {"log/workspace", FSD_WARNING,
     "TensorRT skipped tactics because they need more workspace memory than allowed.",
     LOG, .find = fsd_find_log_warnings,
     .why = "A faster kernel may be among the skipped tactics.",
     .fix = "Raise the workspace limit of the build."},
    {"log/constraint", FSD_WARNING,
     "TensorRT did not obey a precision or device constraint of a layer.", LOG,
     .find = fsd_find_log_warnings,
     .why = "The layer runs in a different precision, or on a different device, than "
            "requested.",
     .fix = "Remove the constraint, or request a type for which a kernel exists."},
    {"log/calibrator", FSD_WARNING,
     "A calibrator was given, and TensorRT did not use it.", LOG,
     .find = fsd_find_log_warnings,
     .why = "TensorRT takes dynamic ranges from the Q/DQ nodes of the model instead.",
     .fix = "Remove either the calibrator or the Q/DQ nodes."},
    {"log/fp4", FSD_WARNING,
     "The device does not accelerate FP4, which the model requests.", LOG,
     .find = fsd_find_log_warnings,
     .why = "On this device, FP4 saves memory, but no time.",
     .fix = "Build for a device with FP4 support, or use FP8."},
    {"log/dla-fallback", FSD_WARNING,
     "Layers run on the GPU, although the build requested the DLA.", LOG,
     .find = fsd_find_log_fallbacks,
     .why = "Each transfer between DLA and GPU copies tensors and synchronizes, and "
            "the GPU has less time for other work.",
     .fix = "Change these layers so that the DLA supports them (see NVIDIA's page 'DLA "
            "Supported Layers and Restrictions'), or move these layers to the "
            "beginning or end of the model."},
    {"log/memcpy", FSD_WARNING,
     "The ONNX Runtime session copies tensors between host "
     "and device.",
     LOG, .find = fsd_find_log_warnings,
     .why = "Each copy synchronizes with the device. Nodes that run on the CPU "
            "cause these copies.",
     .fix = "Use `skipped` to list the nodes that run on the CPU. Replace their "
            "operators, or move these nodes to the beginning or end of the model."},
    {"input/remark", FSD_INFO, "Part of an input file was readable but unexpected.",
     RUN, .find = fsd_find_remarks,
     .why =
         "fusiondiff read the file anyway, but the unexpected part may be a mistake.",
     .fix = "Check the position in the file that the finding names."},

    {"engine-stale", FSD_ERROR,
     "The model changed, but the engine did not: the engine was not built from this "
     "model.",
     CHANGE, fsd_find_stale, false, COUNT, NONE_MORE,
     .why = "The engine still computes the previous version of the model.",
     .fix = "Rebuild the engine from this model."},
    {"engine-unchanged", FSD_INFO,
     "The model file changed, but neither the nodes of the model nor the engine "
     "changed.",
     CHANGE, fsd_find_stale, true, 0, .budget = {-1, -1, -1},
     .why = "A dump does not show weights. If the weights changed, the engine must "
            "be rebuilt or refitted.",
     .fix = "Make sure that the engine was built or refitted after the model was "
            "exported."},
    {"build-differs", FSD_INFO,
     "The build used a different builder version, GPU or set of options than the "
     "snapshot's build.",
     CHANGE, fsd_find_built, false, 0, .budget = {-1, -1, -1}, .of_same = true,
     .why =
         "Most differences between engines come from a different builder version, GPU "
         "or set of options.",
     .fix =
         "Compare builds by the same builder version, for the same GPU, with the same "
         "options."},
    {"build-unknown", FSD_INFO,
     "The GPU or the options of the build are unknown, because no build log was given.",
     CHANGE, fsd_find_built, true, 0, .budget = {-1, -1, -1}, .of_same = true,
     .why = "It is not known whether both builds used the same GPU and options.",
     .fix = "Pass the build log (--log), as you did for the snapshot."},
    {"variant", FSD_INFO,
     "For these nodes, the new build is closer to an additional build of the snapshot "
     "(--also) than to the first build.",
     CHANGE, fsd_find_variants, 0, 0, .budget = {-1, -1, -1}, .of_same = true,
     .why = "Builds of one model can differ although nothing changed, so the check "
            "accepts every recorded build.",
     .fix = "No action is needed. To reject this variant, take the snapshot again "
            "without the --also option that names this build."},
    {"lost-fusion", FSD_ERROR,
     "Several layers compute nodes that one layer computed before.", CHANGE,
     fsd_find_regrouped, FSD_HAPPENED_LOST, COUNT | MS, NONE_MORE,
     .why = "Each layer writes its output to memory, and the next layer reads it back.",
     .fix = "Run `explain --node A --node B`, which shows what separates the nodes: a "
            "different type, a Q/DQ node, a second consumer of the tensor or a network "
            "output."},
    {"regrouped", FSD_WARNING,
     "The layers compute different groups of nodes than before, but on the whole no "
     "fusion was lost or gained.",
     CHANGE, fsd_find_regrouped, FSD_HAPPENED_REGROUPED, COUNT | MS, NONE_MORE,
     .why = "Different groups can be faster or slower; only measured times show this.",
     .fix = "Compare the times of both builds with --profile."},
    {"undecided-fusion", FSD_ERROR,
     "The layers differ, but for at least one build, fusiondiff does not know which "
     "layer computes which node.",
     CHANGE, fsd_find_regrouped, FSD_HAPPENED_OPAQUE, COUNT | MS, NONE_MORE,
     .why = "The dumps do not show whether the fusions are the same as before.",
     .fix = "Dump both builds with detailed profiling verbosity, or pass their logs."},
    {"precision-widened", FSD_ERROR,
     "A node or a tensor between layers has a higher precision than before.", CHANGE,
     fsd_find_retyped, FSD_WIDTH_WIDENED, COUNT, NONE_MORE,
     .why = "Higher precision takes more time and memory.",
     .fix = "Run `explain --node`, which states the reason. Moved or lost Q/DQ "
            "nodes are the usual cause."},
    {"precision-changed", FSD_ERROR,
     "A node or a tensor between layers changed to a different type of the same "
     "width.",
     CHANGE, fsd_find_retyped, FSD_WIDTH_RETYPED, COUNT, NONE_MORE,
     .why = "FP8 and INT8, or FP16 and BF16, differ in range and rounding: the engine "
            "computes different values.",
     .fix = "Compare the precision flags of both builds and the types of the model's "
            "quantizers and Casts."},
    {"range-narrowed", FSD_WARNING,
     "A normalization, exponential or power runs in FP16, but ran in a type with a "
     "larger range before.",
     CHANGE, fsd_find_narrowed_range, 0, COUNT, NONE_MORE,
     .why = "The largest FP16 number is 65,504: a larger square or exponential becomes "
            "Inf.",
     .fix = "Compare the outputs of both builds, or keep these nodes in FP32 by Casts "
            "in the model.",
     .keep = FSD_FP32},
    {"precision-unknown", FSD_ERROR,
     "The precision of a node or tensor was known before and is unknown now.", CHANGE,
     fsd_find_lost_facts, FSD_FACT_TYPE, COUNT, NONE_MORE,
     .why = "The unknown precision may be higher than before.",
     .fix = "Dump the engine with detailed profiling verbosity, and pass the shapes "
            "of the run (--shape)."},
    {"layout-unknown", FSD_ERROR,
     "The layout of a tensor was known before and is unknown now.", CHANGE,
     fsd_find_lost_facts, FSD_FACT_LAYOUT, COUNT, NONE_MORE,
     .why = "A changed layout may cost an additional Reformat.",
     .fix = "Dump the engine with detailed profiling verbosity."},
    {"shape-unknown", FSD_ERROR,
     "The shape of an input or output was known before and is unknown now.", CHANGE,
     fsd_find_lost_facts, FSD_FACT_SHAPE, COUNT, NONE_MORE,
     .why = "Applications that run the engine rely on the shape.",
     .fix = "Dump the engine with detailed profiling verbosity."},
    {"facts-unknown", FSD_WARNING,
     "The dump of this build lacks tensors or Metadata, or this build was passed as a "
     "snapshot that an older fusiondiff wrote.",
     CHANGE, fsd_find_less_info, 0, COUNT, NONE_MORE,
     .why = "The check has less information about this build than about the build of "
            "the snapshot.",
     .fix = "Build and dump with the same verbosity as for the snapshot."},
    {"layout-changed", FSD_WARNING,
     "A tensor has a different memory layout than before.", CHANGE, fsd_find_layouts, 0,
     COUNT, NONE_MORE,
     .why = "A different layout means a different kernel, often with an additional "
            "Reformat.",
     .fix = "Compare the times of both builds with --profile."},
    {"kernel-changed", FSD_WARNING,
     "A kernel has a different layer type or different sizes, weights, operations, "
     "parameters or nodes than before.",
     CHANGE, fsd_find_changed_kernels, 0, COUNT, NONE_MORE,
     .why = "The engine computes the same nodes with a different kernel.",
     .fix = "Inspect the layer by `explain --node`, and look for a change of the "
            "model or of the build options that explains the difference."},
    {"fell-back-to-cpu", FSD_ERROR,
     "A kernel that ran on another provider now runs on the CPU or on an unknown "
     "provider.",
     CHANGE, fsd_find_fallbacks, 0, COUNT, NONE_MORE,
     .why = "The runtime found no kernel on the device. The CPU is slower, and tensors "
            "are copied to the host and back.",
     .fix = "Find the operator, type or opset that the provider does not support; "
            "`skipped` shows the placements from the session log."},
    {"provider-changed", FSD_WARNING,
     "A kernel runs on a different execution provider than before, or on an unknown "
     "provider.",
     CHANGE, fsd_find_providers, 0, COUNT, NONE_MORE,
     .why = "Providers differ in kernels, times and numerics.",
     .fix = "Compare the providers of both sessions, their order and their options."},
    {"operator-changed", FSD_ERROR, "A node is a different operator than before.",
     CHANGE, fsd_find_edits, FSD_EDIT_OPERATOR, COUNT, NONE_MORE,
     .why = "The model computes different results, and the fusions of the node may "
            "differ.",
     .fix = "Run `check --update` if the model was changed on purpose."},
    {"attribute-changed", FSD_WARNING, "A node has a different attribute than before.",
     CHANGE, fsd_find_edits, FSD_EDIT_ATTRIBUTE, COUNT, NONE_MORE,
     .why = "The node computes different results or different sizes.",
     .fix = "Run `check --update` if the model was changed on purpose."},
    {"value-changed", FSD_INFO,
     "A scale, a zero point or another short constant has a different value.", CHANGE,
     fsd_find_values, 0, COUNT, .budget = {-1, -1, -1},
     .why = "Calibration or training changes these values; the engine must be rebuilt.",
     .fix = "Build the engine from the model that is deployed."},
    {"scales-unequal", FSD_ERROR,
     "Quantizers that shared one scale now have different scales, or a scale is now 0.",
     CHANGE, fsd_find_unequal_scales, 0, COUNT, NONE_MORE,
     .why = "If an operator joins tensors with different scales, the engine "
            "requantizes data, and may no longer fuse the operator. A quantizer with "
            "the scale 0 loses all values.",
     .fix =
         "Calibrate the tensors together, so that their quantizers share one scale."},
    {"source-changed", FSD_WARNING,
     "A node or a kernel reads the output of a different node than before.", CHANGE,
     fsd_find_unasked, 0, COUNT, NONE_MORE,
     .why = "Either the connections in the model were changed, or the engine computes "
            "different results, or the dump is wrong.",
     .fix = "Run `check --update` if the connections were changed on purpose. "
            "Otherwise, build and dump again, and compare the outputs of the engine "
            "with the outputs of the model."},
    {"lost-kernel", FSD_ERROR,
     "A kernel is gone, and no other kernel computes its operations.", CHANGE,
     fsd_find_counted_kernels, FSD_KERNEL_REMOVED, COUNT, NONE_MORE,
     .why = "Either the engine does not compute these operations, or the dump does not "
            "list the kernel.",
     .fix = "Dump the whole engine again with detailed profiling verbosity."},
    {"new-kernel", FSD_ERROR,
     "For the same nodes, the engine contains a kernel that it did not contain "
     "before.",
     CHANGE, fsd_find_counted_kernels, FSD_KERNEL_ADDED, COUNT, NONE_MORE,
     .why = "The engine computes nodes twice, or in more steps than before.",
     .fix = "Run `where` to list the layers that compute the node, and "
            "compare the consumers of these layers."},
    {"new-reformat", FSD_ERROR,
     "The builder inserted a data-movement layer that was not there before.", CHANGE,
     fsd_find_new_moves, false, COUNT | MS | SHARE, NONE_MORE,
     .why = "This layer reads and writes a whole tensor and computes nothing.",
     .fix = "Run `reformats`, which states the reason for the layer and the change "
            "of the model that would remove the layer."},
    {"new-standing-quantize", FSD_ERROR,
     "A QuantizeLinear or DequantizeLinear now runs as a layer of its own.", CHANGE,
     fsd_find_new_moves, true, COUNT | MS | SHARE, NONE_MORE,
     .why = "This layer reads and writes a whole tensor only to change the type.",
     .fix = "Quantize every input of the next layer."},
    {"new-layer", FSD_WARNING,
     "A layer now computes a node that needed no layer "
     "before.",
     CHANGE, fsd_find_presences, 2, COUNT, NONE_MORE,
     .why = "If the builder removes a Cast, Reshape or Transpose, the node costs "
            "nothing. If a layer computes the node, the layer reads and writes a "
            "whole tensor.",
     .fix = "Run `explain --node`, which states the outcome of the node. Possible "
            "causes are a different type or layout next to the node, or an operator "
            "order that the builder cannot simplify."},
    {"left-engine", FSD_ERROR,
     "An engine computed the node before, and no engine "
     "computes it now.",
     CHANGE, fsd_find_presences, 3, COUNT, NONE_MORE,
     .why = "The framework runs the node instead.",
     .fix = "Check whether the partitioner excludes the node because of its operator, "
            "type or size."},
    {"unexplained-node", FSD_ERROR,
     "The outcome of a node was known before and is unknown now.", CHANGE,
     fsd_find_presences, false, COUNT, NONE_MORE,
     .why =
         "Either the engine does not compute the node, or the dump does not show the "
         "layer that computes it.",
     .fix = "Pass the build log (--log), or dump the engine with detailed profiling "
            "verbosity."},
    {"io-changed", FSD_ERROR,
     "An input or output of the engine was added or removed, or has a different name, "
     "shape, type or format.",
     CHANGE, fsd_find_ports, 0, COUNT, NONE_MORE,
     .why = "Applications that bind the previous inputs and outputs fail or compute "
            "wrong results.",
     .fix = "Export the model with the names, shapes and types that the applications "
            "expect, or adapt the applications."},
    {"profile-changed", FSD_ERROR,
     "An optimization profile has different sizes for an input than before.", CHANGE,
     fsd_find_bindings, 1, COUNT, NONE_MORE,
     .why = "The engine may refuse sizes that an application uses, or run slower "
            "because it was not tuned for these sizes.",
     .fix = "Build with the previous minimum, optimum and maximum shapes, or take the "
            "snapshot again."},
    {"latency", FSD_ERROR,
     "The layers together take longer than before, and noise does not explain the "
     "difference.",
     CHANGE, fsd_find_slower, 0, MS | SHARE | FSD_SETS_NOISE, .budget = {-1, -1, 0.05},
     .of_same = true, .why = "The latency of the application grows by this difference.",
     .fix = "Run `compare` with profiles of both builds to see which layers became "
            "slower. Take at least three profiles of each build, on an idle "
            "device with locked clocks."},
    {"slower-group", FSD_ERROR,
     "The layers of one group take at least 1.5 times as long as before, and noise "
     "does not explain the difference; if noise was not measured, the limit is 1.9 "
     "times.",
     CHANGE, fsd_find_slower_groups, 0, COUNT | MS | SHARE, NONE_MORE, .of_same = true,
     .why =
         "The total time hides a slower group of layers if other groups became faster.",
     .fix = "Run `compare`, which shows the other changes in the group, such as its "
            "kernel, its types and the adjacent layers."},
    {"layer-count", FSD_WARNING, "The engine has more layers than before.", CHANGE,
     fsd_find_more_layers, 0, COUNT, NONE_MORE,
     .why = "More layers mean more kernel launches and more memory traffic.",
     .fix = "See the other findings, which name the additional layers."},
    {"coverage-dropped", FSD_ERROR,
     "fusiondiff maps a smaller share of the computing layers to nodes than before.",
     CHANGE, fsd_find_less_coverage, 0, SHARE, .budget = {-1, -1, 0},
     .why = "The check cannot judge layers that are not mapped to nodes.",
     .fix = "Dump the engine with detailed profiling verbosity, which adds Metadata, "
            "or pass the build log."},
    {"model-changed", FSD_INFO,
     "A node has no counterpart in the other model, or the counterpart is uncertain.",
     CHANGE, fsd_find_presences, true, COUNT, NONE_MORE,
     .why = "fusiondiff cannot compare a node that only one of the models has.",
     .fix = "If the model was changed on purpose, no action is needed."},
    {"improved", FSD_INFO, "The build is better than the snapshot.", CHANGE,
     fsd_find_better, 0, 0, .budget = {-1, -1, -1},
     .why = "Without an update of the snapshot, the check accepts the loss of this "
            "improvement in a later build.",
     .fix = "Run `check --update` and commit the snapshot."},
    {"snapshot-older", FSD_INFO,
     "The snapshot was written by an older fusiondiff and lacks some facts that this "
     "version compares.",
     CHANGE, fsd_find_older, false, 0, .budget = {-1, -1, -1}, .of_same = true,
     .why = "The check cannot find changes of facts that the snapshot lacks.",
     .fix = "Run `check --update` and commit the snapshot."},
    {"snapshot-reread", FSD_INFO,
     "This fusiondiff version interprets the same model and engine differently than "
     "the version that wrote the snapshot.",
     CHANGE, fsd_find_older, true, 0, .budget = {-1, -1, -1}, .of_same = true,
     .why = "Neither the model nor the engine changed. Only the version of fusiondiff "
            "changed.",
     .fix = "Run `check --update` and commit the snapshot."},
    {"max-reformats", FSD_OFF,
     "The engine has more inserted layers than the policy allows.", CASE,
     fsd_find_inserted_total, 0, COUNT | MS | SHARE, NONE_MORE,
     .why = "Inserted layers read and write whole tensors and compute nothing.",
     .fix = "Run `reformats`, which lists these layers, the most expensive first, "
            "with the change that would remove each layer."},
    {"int8-required", FSD_OFF,
     "A node that the policy requires in INT8 runs in a different type.", CASE,
     fsd_find_not_int8, 0, COUNT | FSD_SETS_WORDS, NONE_MORE,
     .why = "The model was quantized so that these nodes run in INT8.",
     .fix = "List the nodes by `names --not int8`; `explain --node` states why a "
            "node runs in higher precision."},
    {"expect", FSD_OFF,
     "The policy requires that a block runs as one kernel or in certain types, and "
     "the engine does not satisfy this.",
     CASE, fsd_find_unexpected, 0, FSD_SETS_BLOCKS, NONE_MORE,
     .why = "TensorRT has a fast fused kernel for the pattern of this block.",
     .fix = "Remove the nodes and type changes between the layers of the block; the "
            "finding names these layers."},
    {"precision-required", FSD_OFF,
     "The share of the work that runs in the required types is below the policy's "
     "minimum.",
     CASE, fsd_find_not_in_types, 0, FSD_SETS_TYPES, NONE_MORE,
     .why = "An engine that silently runs in higher precision is several times slower.",
     .fix = "List the nodes by `names --not TYPE`. In a strongly typed build, "
            "change the types in the model."},
    {"memory", FSD_OFF, "The engine needs more memory than the policy allows.", CASE,
     fsd_find_too_large, 0, FSD_SETS_BYTES, NONE_MORE,
     .why = "An engine cannot run if it needs more memory than is free on the device.",
     .fix =
         "Run `memory`, which lists the layers and the largest tensors. To reduce the "
         "memory, use a smaller batch size, lower precision or a workspace limit."},
};

const struct fsd_rule *fsd_rule_at(unsigned i)
{
    enum { N = FSD_COUNT_OF(rules) };

    return i < N ? &rules[i] : fsd_lint_rule_at(i - N);
}

const char *fsd_level_name(int level)
{
    return level == FSD_OFF ? "off" : fsd_severity_name((enum fsd_severity)level);
}
