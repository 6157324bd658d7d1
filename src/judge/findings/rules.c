/* The rules, in the order of reports. */
#include "judge/findings/finder.h"
#include "judge/lint/lint.h"

enum {
    RUN = FSD_NEEDS_RUN,
    LOG = FSD_NEEDS_RUN | FSD_NEEDS_LOG,
    CHANGE = FSD_NEEDS_CHANGE,
    CASE = FSD_NEEDS_CASE,
    LINT = FSD_NEEDS_LINT,
    BUILT = FSD_NEEDS_LINT | FSD_NEEDS_ENGINE,
    COUNT = FSD_BUDGET_COUNT,
    MS = FSD_BUDGET_MS,
    SHARE = FSD_BUDGET_SHARE
};
/* Compiled regions round inside their kernels: there a quantizer separates nothing. */
#define NOT_RTX (FSD_TRT8 | FSD_TRT10 | FSD_TRT11)
/* A budget: the first finding already exceeds it. */
#define NONE_MORE .budget = {0, -1, -1}

/* Rules on changes: those that cost time or precision fail, those that come with
 * intended changes warn. */
static const struct fsd_rule rules[] = {
    {"mapping/misfit", FSD_WARNING,
     "Names, sizes, types or quantizers in the engine contradict the model: it may be "
     "another model.",
     RUN, .find = fsd_find_misfit, .about_inputs = true,
     .why = "All links between layers and nodes rest on names that both files share.",
     .fix = "Pass the model that the engine was built from."},
    {"mapping/no-model", FSD_INFO,
     "No model was given: only the nodes that the engine names are known.", RUN,
     .find = fsd_find_no_model,
     .why = "Shapes, weights and nodes that the engine does not name are unknown.",
     .fix = "Pass the ONNX model, or a build log that contains the parser's lines."},
    {"mapping/conflict", FSD_WARNING,
     "Two pieces of evidence place a node in layers that cannot both compute it.", RUN,
     .find = fsd_find_conflicts,
     .why = "One of the two links is wrong, and so is what the report states about "
            "that layer.",
     .fix =
         "Inspect both layers with `where`. Unique node names resolve most conflicts."},
    {"mapping/two-engines", FSD_WARNING, "Two engines compute the same node.", RUN,
     .find = fsd_find_two_engines, .why = "The engines repeat the node's work.",
     .fix = "Pass the engines of one partition, or move the cut to another tensor."},
    {"mapping/unexplained", FSD_WARNING,
     "No layer mentions these nodes, and nothing proves what became of them.", RUN,
     .find = fsd_find_unexplained,
     .why = "A node without a layer may be missing in the engine, or only in its dump.",
     .fix = "Pass the verbose build log (--log), or dump the engine with detailed "
            "profiling verbosity."},
    {"mapping/unmade-output", FSD_WARNING,
     "No layer produces these outputs of the model: the dump may be incomplete.", RUN,
     .find = fsd_find_unmade, .about_inputs = true,
     .why = "A dump or log that was cut off between two layers looks like a smaller "
            "engine.",
     .fix = "Dump the engine again, or pass the whole log."},
    {"mapping/unmapped-layer", FSD_WARNING, "A computing layer is linked to no node.",
     RUN, .find = fsd_find_unmapped,
     .why = "Its time, bytes and precision cannot be attributed to the nodes that it "
            "computes.",
     .fix = "Dump the engine with detailed profiling verbosity, which adds Metadata, "
            "or pass the build log."},
    {"mapping/names-only", FSD_INFO,
     "The dump holds layer names only: tensors and precisions are unknown.", RUN,
     .find = fsd_find_names_only,
     .why = "Types, layouts, bytes and most links are read from the tensors.",
     .fix = "Build the engine with detailed profiling verbosity and dump it again."},
    {"quantize/standing", FSD_WARNING,
     "A QuantizeLinear or DequantizeLinear runs as a layer of its own.", RUN,
     .find = fsd_find_standing,
     .why = "It reads and writes a whole tensor only to change its type.",
     .fix = "Quantize every input of the consumer, so that the producer can write the "
            "quantized type itself."},
    {"quantize/at-input", FSD_INFO,
     "A QuantizeLinear runs as a layer at a network input, where one is required.", RUN,
     .find = fsd_find_standing, FSD_AT_INPUT,
     .why = "The network is fed data of higher precision than its first layer reads.",
     .fix = "Feed quantized data to save the layer; otherwise keep it."},
    {"quantize/at-output", FSD_INFO,
     "A QuantizeLinear or DequantizeLinear runs as a layer at a network output, where "
     "one is required.",
     RUN, .find = fsd_find_standing, FSD_AT_OUTPUT,
     .why = "The network returns another type than its last layer writes.",
     .fix = "Make the quantized tensor the network output to save the layer; otherwise "
            "keep it."},
    {"quantize/separate-kernel", FSD_WARNING,
     "Separate kernels scale, activate and quantize what other kernels computed.", RUN,
     .find = fsd_find_requantizing,
     .why = "The Conv or GEMM writes 16 or 32 bits per element, and a second kernel "
            "reads them to write 8: extra memory traffic and a kernel launch. Only "
            "information where no Conv or GEMM kernel of the engine writes a quantized "
            "type.",
     .fix = "Where other kernels of the engine quantize their own output, compare the "
            "quantizers behind both. Where none does, the builder has no such kernel: "
            "compare with a build in FP16."},
    {"fusion/epilogue-unfused", FSD_WARNING,
     "Bias, BatchNormalization, activation or residual addition runs outside the "
     "kernel of its Conv or GEMM.",
     RUN, .find = fsd_find_unfused,
     .why = "The output of the Conv or GEMM is written to memory and read once more. "
            "Only information where no similar kernel of the engine includes the "
            "operation.",
     .fix = "Compare the two layers that the finding names: other consumers of the "
            "tensor, its type, a quantizer in between."},
    {"fusion/recomputed", FSD_INFO,
     "Several kernels each compute the same node in full.", RUN,
     .find = fsd_find_recomputed,
     .why = "The node is computed, and its inputs are read, once per kernel.",
     .fix = "Where its consumers read different types, quantize all branches alike."},
    {"precision/wider", FSD_WARNING,
     "Nodes run in higher precision than the model requests.", RUN,
     .find = fsd_find_wider,
     .why = "They take the time and memory that the model was meant to save.",
     .fix =
         "`explain --node` states the reason: a missing scale, a missing kernel, an "
         "operator in between. Where Conv or GEMM kernels write the higher precision, "
         "remove the Q/DQ pairs between them and these nodes, so that they fuse."},
    {"precision/island", FSD_WARNING,
     "A segment runs in higher precision than the layers before and after it.", RUN,
     .find = fsd_find_islands,
     .why =
         "Data is converted to the higher precision at its start and back at its end.",
     .fix = "Quantize the operators of the segment, or allow the lower precision for "
            "them."},
    {"precision/fp32-left", FSD_INFO,
     "Layers run in FP32 in an engine whose other layers run in lower precision.", RUN,
     .find = fsd_find_fp32_left, .why = "They may be the slowest part of the engine.",
     .fix = "Allow lower precision where accuracy permits."},
    {"precision/no-tensor-cores", FSD_INFO,
     "A matrix multiplication or convolution runs without tensor cores.", RUN,
     .find = fsd_find_no_tensor_cores, .why = "Such a kernel is several times slower.",
     .fix = "Align channels to a multiple of 8 (16-bit types) or 32 (8-bit types), or "
            "use lower precision."},
    {"precision/io-type", FSD_INFO,
     "A network input or output has another type in the engine than in the model.", RUN,
     .find = fsd_find_io_types,
     .why = "The application must bind buffers of the engine's type.",
     .fix = "Set the input and output formats of the build, unless this is intended."},
    {"precision/fp16-range", FSD_INFO,
     "Normalization, Softmax, Exp, Pow or a reduction over at least 1,024 elements "
     "runs in FP16 without a visible Cast to FP32.",
     RUN, .find = fsd_find_fp16_range, .keep = FSD_FP32,
     .why = "FP16 ends at 65,504 and has 11 significant bits: squares and exponentials "
            "overflow, and long sums lose small terms.",
     .fix = "If the outputs are inaccurate, keep these nodes in FP32: `names --finding "
            "precision/fp16-range --as autocast` lists them."},
    {"precision/rounded-integers", FSD_INFO,
     "Nodes that compute integers, such as indices, run in a 16-bit float type.", RUN,
     .find = fsd_find_rounded_integers, .keep = FSD_FP32,
     .why = "FP16 represents integers exactly up to 2,048, BF16 up to 256: larger "
            "values are rounded.",
     .fix = "Keep these nodes in FP32 or in an integer type: `names --finding "
            "precision/rounded-integers --as autocast` lists them."},
    {"constant/not-folded", FSD_WARNING,
     "Layers compute the same constant values at every inference.", RUN,
     .find = fsd_find_not_folded,
     .why = "All inputs of their nodes are constant, and TensorRT did not fold them: "
            "each layer costs a kernel launch and memory traffic.",
     .fix = "Fold constants before the build, for example with `polygraphy surgeon "
            "sanitize --fold-constants` or in the exporter."},
    {"inserted/round-trip", FSD_WARNING,
     "Consecutive layers convert a tensor to another type or layout and back.", RUN,
     .find = fsd_find_chains, true,
     .why = "Without them the tensor would be the same: all of them could be removed.",
     .fix = "Find the layer that requires the form in between: `explain --layer`."},
    {"inserted/chain", FSD_INFO, "Consecutive layers only move the same data.", RUN,
     .find = fsd_find_chains, .why = "Each of them reads and writes the whole tensor.",
     .fix = "Follow the advice of `reformats`."},
    {"inserted/reformat", FSD_INFO,
     "The builder inserted a layer that changes a tensor's type or layout.", RUN,
     .find = fsd_find_inserted, FSD_KIND_REFORMAT,
     .why = "It reads and writes a whole tensor and computes nothing.",
     .fix =
         "Follow the advice of `reformats`, which states what would remove the layer."},
    {"inserted/copy", FSD_INFO, "The builder inserted a layer that copies a tensor.",
     RUN, .find = fsd_find_inserted, FSD_KIND_COPY,
     .why = "It reads and writes a whole tensor and computes nothing.",
     .fix =
         "Follow the advice of `reformats`, which states what would remove the layer."},
    {"log/other-build", FSD_WARNING,
     "The build log belongs to another engine than the dump and is not used.", LOG,
     .find = fsd_find_other_build, .about_inputs = true,
     .why = "What the log states about its engine may not hold for this one.",
     .fix = "Pass the log of the build that produced this engine."},
    {"log/other-model", FSD_WARNING,
     "The log lists parsed nodes that the model does not have, or lacks nodes of it.",
     LOG, .find = fsd_find_other_model, .about_inputs = true,
     .why = "The log may belong to another model.",
     .fix = "Pass the log of the build of this model."},
    {"log/too-large", FSD_WARNING,
     "Some steps of the log exceed a limit and were not followed.", LOG,
     .find = fsd_find_log_cut, .why = "Evidence from these steps is missing.",
     .fix = "Pass the engine's detailed dump together with the log."},
    {"log/missing-scale", FSD_WARNING,
     "A tensor has no scale, so the layers around it fell back to higher precision.",
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
     .why =
         "The layer runs in another precision, or on another device, than requested.",
     .fix = "Remove the constraint, or request a type for which a kernel exists."},
    {"log/calibrator", FSD_WARNING,
     "A calibrator was given, and TensorRT did not use it.", LOG,
     .find = fsd_find_log_warnings,
     .why = "TensorRT takes dynamic ranges from the Q/DQ nodes of the model instead.",
     .fix = "Remove either the calibrator or the Q/DQ nodes."},
    {"log/fp4", FSD_WARNING,
     "The device does not accelerate FP4, which the model requests.", LOG,
     .find = fsd_find_log_warnings, .why = "There FP4 saves memory, but no time.",
     .fix = "Build for a device with FP4 support, or use FP8."},
    {"log/dla-fallback", FSD_WARNING,
     "Layers that were requested on the DLA run on the GPU.", LOG,
     .find = fsd_find_log_fallbacks,
     .why = "Each change of the device copies tensors and synchronizes, and the GPU is "
            "not free for other work.",
     .fix = "Change these layers so that the DLA supports them (NVIDIA's DLA Supported "
            "Layers and Restrictions), or move them to the beginning or end of the "
            "model."},
    {"log/memcpy", FSD_WARNING, "The session copies tensors between host and device.",
     LOG, .find = fsd_find_log_warnings,
     .why = "Each copy synchronizes with the device. Nodes that run on another "
            "provider cause it.",
     .fix = "List the nodes on the CPU with `skipped`. Replace their operators, or "
            "move them to the beginning or end of the model."},
    {"input/remark", FSD_INFO, "Part of an input file was readable but unexpected.",
     RUN, .find = fsd_find_remarks,
     .why = "The file was read anyway; the oddity may be a mistake in it.",
     .fix = "Check the position that the remark names."},

    {"engine-stale", FSD_ERROR,
     "The model changed and the engine did not: it was not built from this model.",
     CHANGE, fsd_find_stale, false, COUNT, NONE_MORE,
     .why = "The engine computes what the previous model computed.",
     .fix = "Rebuild the engine from this model."},
    {"engine-unchanged", FSD_INFO,
     "The model file changed, but its nodes and the engine did not.", CHANGE,
     fsd_find_stale, true, 0, .budget = {-1, -1, -1},
     .why = "If the weights changed, the engine must be rebuilt or refitted; a dump "
            "does not show weights.",
     .fix = "Make sure that the engine was built or refitted after the model was "
            "exported."},
    {"build-differs", FSD_INFO,
     "The build used another version, GPU or options than the snapshot's build.",
     CHANGE, fsd_find_built, false, 0, .budget = {-1, -1, -1}, .of_same = true,
     .why = "Most differences between engines come from these.",
     .fix = "Compare builds of the same version, for the same GPU, with the same "
            "options."},
    {"build-unknown", FSD_INFO,
     "The GPU or the options of the build are unknown; its log would state them.",
     CHANGE, fsd_find_built, true, 0, .budget = {-1, -1, -1}, .of_same = true,
     .why = "It is not known whether both builds used the same GPU and options.",
     .fix = "Pass the build log (--log), as when the snapshot was taken."},
    {"variant", FSD_INFO,
     "The nodes are computed as in another recorded build of the snapshot.", CHANGE,
     fsd_find_variants, 0, 0, .budget = {-1, -1, -1}, .of_same = true,
     .why = "Repeated builds of one model vary although nothing changed; all recorded "
            "variants pass.",
     .fix =
         "Nothing; or take the snapshot again without that build (`snapshot --also`)."},
    {"lost-fusion", FSD_ERROR, "Several layers compute nodes that one layer computed.",
     CHANGE, fsd_find_regrouped, FSD_HAPPENED_LOST, COUNT | MS, NONE_MORE,
     .why = "Each additional layer writes its output to memory and reads it back.",
     .fix = "See what separates the nodes (`explain --node A --node B`): another type, "
            "a Q/DQ, a second consumer of the tensor, a network output."},
    {"regrouped", FSD_WARNING,
     "Layers group nodes differently than before, neither more nor less fused.", CHANGE,
     fsd_find_regrouped, FSD_HAPPENED_REGROUPED, COUNT | MS, NONE_MORE,
     .why = "This is neither better nor worse in itself; measured times decide.",
     .fix = "Compare the times of both builds with --profile."},
    {"undecided-fusion", FSD_ERROR,
     "Layers differ, and in one build it is unknown which layer computes which node.",
     CHANGE, fsd_find_regrouped, FSD_HAPPENED_OPAQUE, COUNT | MS, NONE_MORE,
     .why = "It cannot be shown that the fusions are as before.",
     .fix = "Dump both builds with detailed profiling verbosity, or pass their logs."},
    {"precision-widened", FSD_ERROR,
     "A node runs, or a tensor between layers is stored, in higher precision than "
     "before.",
     CHANGE, fsd_find_retyped, FSD_WIDTH_WIDENED, COUNT, NONE_MORE,
     .why = "It takes the time and memory that the lower precision saved.",
     .fix = "`explain --node` states the reason. Moved or lost Q/DQ nodes are the "
            "usual cause."},
    {"precision-changed", FSD_ERROR,
     "A node runs, or a tensor between layers is stored, in another type of the same "
     "width.",
     CHANGE, fsd_find_retyped, FSD_WIDTH_RETYPED, COUNT, NONE_MORE,
     .why = "FP8 and INT8, or FP16 and BF16, differ in range and rounding: the engine "
            "computes other values.",
     .fix = "Compare the precision flags of both builds and the types of the model's "
            "quantizers and Casts."},
    {"precision-unknown", FSD_ERROR,
     "The precision of a node or tensor was known before and is unknown now.", CHANGE,
     fsd_find_lost_facts, FSD_FACT_TYPE, COUNT, NONE_MORE,
     .why = "An unknown precision may be a higher one.",
     .fix = "Dump the engine with detailed profiling verbosity, with the shapes that "
            "are run (--shape)."},
    {"layout-unknown", FSD_ERROR,
     "The layout of a tensor was known before and is unknown now.", CHANGE,
     fsd_find_lost_facts, FSD_FACT_LAYOUT, COUNT, NONE_MORE,
     .why = "An unknown layout may need a Reformat.",
     .fix = "Dump the engine with detailed profiling verbosity."},
    {"shape-unknown", FSD_ERROR,
     "The shape of an input or output was known before and is unknown now.", CHANGE,
     fsd_find_lost_facts, FSD_FACT_SHAPE, COUNT, NONE_MORE,
     .why = "Applications that run the engine rely on the shape.",
     .fix = "Dump the engine with detailed profiling verbosity."},
    {"facts-unknown", FSD_WARNING,
     "The dump lacks tensors or Metadata, or an older version wrote the snapshot.",
     CHANGE, fsd_find_less_info, 0, COUNT, NONE_MORE,
     .why = "The findings rest on less information than when the snapshot was taken.",
     .fix = "Build and dump with the same verbosity as for the snapshot."},
    {"layout-changed", FSD_WARNING, "A tensor has another memory layout than before.",
     CHANGE, fsd_find_layouts, 0, COUNT, NONE_MORE,
     .why = "Another layout means another kernel, often with a Reformat next to it.",
     .fix = "Compare the times of both builds with --profile."},
    {"kernel-changed", FSD_WARNING,
     "A kernel has other sizes, weights, operations, parameters or nodes, or another "
     "layer type, than before.",
     CHANGE, fsd_find_changed_kernels, 0, COUNT, NONE_MORE,
     .why = "The engine computes the same nodes with another kernel.",
     .fix = "Inspect the layer (`explain --node`). A change of the model or of the "
            "build options explains it."},
    {"fell-back-to-cpu", FSD_ERROR,
     "A kernel ran on another provider, and now runs on the CPU or an unknown one.",
     CHANGE, fsd_find_fallbacks, 0, COUNT, NONE_MORE,
     .why = "The runtime found no kernel on the device. The CPU is slower, and tensors "
            "are copied to the host and back.",
     .fix = "Look for the operator, type or opset that the provider does not support; "
            "the session log lists placements (`skipped`)."},
    {"provider-changed", FSD_WARNING,
     "A kernel runs on another execution provider than before, or on an unknown one.",
     CHANGE, fsd_find_providers, 0, COUNT, NONE_MORE,
     .why = "Another provider has other kernels, times and numerics.",
     .fix = "Compare the providers of both sessions, their order and their options."},
    {"operator-changed", FSD_ERROR, "A node computes another operator than before.",
     CHANGE, fsd_find_edits, FSD_EDIT_OPERATOR, COUNT, NONE_MORE,
     .why = "The model computes something else; fusions with the node may differ.",
     .fix = "Run `check --update` if the model was changed on purpose."},
    {"attribute-changed", FSD_WARNING, "A node has another attribute than before.",
     CHANGE, fsd_find_edits, FSD_EDIT_ATTRIBUTE, COUNT, NONE_MORE,
     .why = "The node computes another result, or works on other sizes.",
     .fix = "Run `check --update` if the model was changed on purpose."},
    {"value-changed", FSD_INFO,
     "A scale, a zero point or another short constant has another value.", CHANGE,
     fsd_find_values, 0, COUNT, .budget = {-1, -1, -1},
     .why = "A calibration or training changes values; the engine is to be built anew.",
     .fix = "Build the engine from the model that is deployed."},
    {"scales-unequal", FSD_ERROR,
     "Quantizers that had one scale have several, or a scale is 0.", CHANGE,
     fsd_find_unequal_scales, 0, COUNT, NONE_MORE,
     .why =
         "Between unequal scales data is quantized again, and a Concat or Add of them "
         "is not fused as before. A scale of 0 maps every value to 0.",
     .fix =
         "Calibrate the tensors together, so that their quantizers share one scale."},
    {"source-changed", FSD_WARNING,
     "A node or a kernel reads another node's output than before.", CHANGE,
     fsd_find_unasked, 0, COUNT, NONE_MORE,
     .why = "Either the model was rewired, or the engine computes something else, or "
            "its dump is wrong.",
     .fix = "Run `check --update` if the model was rewired on purpose; else build and "
            "dump again, and compare the outputs with those of the model."},
    {"lost-kernel", FSD_ERROR,
     "A kernel is gone, and no other kernel does more than before.", CHANGE,
     fsd_find_counted_kernels, FSD_KERNEL_REMOVED, COUNT, NONE_MORE,
     .why = "What it computed may be missing in the engine, or only in its dump.",
     .fix = "Dump the whole engine again with detailed profiling verbosity."},
    {"new-kernel", FSD_ERROR, "A kernel appears more often than before.", CHANGE,
     fsd_find_counted_kernels, FSD_KERNEL_ADDED, COUNT, NONE_MORE,
     .why = "Nodes are computed twice, or in more steps than before.",
     .fix = "List the layers that compute the node (`where --node`) and the consumers "
            "of each."},
    {"new-reformat", FSD_ERROR,
     "The builder inserted a data-movement layer that was not there before.", CHANGE,
     fsd_find_new_moves, false, COUNT | MS | SHARE, NONE_MORE,
     .why = "It reads and writes a whole tensor and computes nothing.",
     .fix = "`reformats` states why it is there and what would remove it."},
    {"new-standing-quantize", FSD_ERROR,
     "A QuantizeLinear or DequantizeLinear now runs as a layer of its own.", CHANGE,
     fsd_find_new_moves, true, COUNT | MS | SHARE, NONE_MORE,
     .why = "It reads and writes a whole tensor only to change its type.",
     .fix = "Quantize every input of the consumer."},
    {"new-layer", FSD_WARNING, "A layer now computes a node that needed none before.",
     CHANGE, fsd_find_presences, 2, COUNT, NONE_MORE,
     .why = "A Cast, Reshape or Transpose that the builder removes is free; a layer "
            "reads and writes its tensor.",
     .fix = "See the outcome of the node (`explain --node`): another type or layout "
            "around it, or an operator order that the builder cannot simplify."},
    {"left-engine", FSD_ERROR, "A node that an engine computed is in no engine now.",
     CHANGE, fsd_find_presences, 3, COUNT, NONE_MORE, .why = "The framework runs it.",
     .fix = "Find out why the partitioner excludes it: its operator, type or size."},
    {"unexplained-node", FSD_ERROR,
     "The outcome of a node was known before and is unknown now.", CHANGE,
     fsd_find_presences, false, COUNT, NONE_MORE,
     .why = "The node may be missing in the engine, or only in its dump.",
     .fix = "Pass the build log (--log), or dump the engine with detailed profiling "
            "verbosity."},
    {"io-changed", FSD_ERROR,
     "An input or output of the engine was added or removed, or has another name, "
     "shape, type or format.",
     CHANGE, fsd_find_ports, 0, COUNT, NONE_MORE,
     .why = "Applications that bind the previous inputs and outputs fail or compute "
            "with wrong data.",
     .fix = "Export with the names, shapes and types that the applications expect, or "
            "change the applications as well."},
    {"profile-changed", FSD_ERROR,
     "An optimization profile has other sizes for an input than before.", CHANGE,
     fsd_find_bindings, 1, COUNT, NONE_MORE,
     .why = "TensorRT may refuse sizes that an application uses, or run them more "
            "slowly than those it was tuned for.",
     .fix = "Build with the previous minimum, optimum and maximum shapes, or take the "
            "snapshot again."},
    {"latency", FSD_ERROR,
     "The layers together take longer than before, by more than noise explains.",
     CHANGE, fsd_find_slower, 0, MS | SHARE | FSD_SETS_NOISE, .budget = {-1, -1, 0.05},
     .of_same = true, .why = "The latency that users see grows by as much.",
     .fix = "`compare` with profiles of both builds shows which layers became slower. "
            "Take at least three profiles of each build, on an idle device with locked "
            "clocks."},
    {"layer-count", FSD_WARNING, "The engine has more layers than before.", CHANGE,
     fsd_find_more_layers, 0, COUNT, NONE_MORE,
     .why = "More layers mean more kernel launches and more memory traffic.",
     .fix = "The other findings name the layers."},
    {"coverage-dropped", FSD_ERROR,
     "A smaller share of the computing layers is mapped to nodes than before.", CHANGE,
     fsd_find_less_coverage, 0, SHARE, .budget = {-1, -1, 0},
     .why = "The check does not cover unmapped layers.",
     .fix = "Dump the engine with detailed profiling verbosity, which adds Metadata, "
            "or pass the build log."},
    {"model-changed", FSD_INFO,
     "A node has no counterpart in the other model, or could not be aligned.", CHANGE,
     fsd_find_presences, true, COUNT, NONE_MORE,
     .why = "A node that only one model has cannot be compared.",
     .fix = "Nothing, if the model was changed on purpose."},
    {"improved", FSD_INFO, "The build is better than the snapshot.", CHANGE,
     fsd_find_better, 0, 0, .budget = {-1, -1, -1},
     .why = "Until the snapshot is updated, the build may get worse again without a "
            "finding.",
     .fix = "Run `check --update` and commit the snapshot."},
    {"snapshot-older", FSD_INFO,
     "An older version wrote the snapshot, without facts that this one compares.",
     CHANGE, fsd_find_older, false, 0, .budget = {-1, -1, -1}, .of_same = true,
     .why = "Changes of facts that the snapshot lacks go unnoticed.",
     .fix = "Run `check --update` and commit the snapshot."},
    {"snapshot-reread", FSD_INFO,
     "The version that wrote the snapshot read the same model and engine differently.",
     CHANGE, fsd_find_older, true, 0, .budget = {-1, -1, -1}, .of_same = true,
     .why = "Neither model nor engine changed: this is not a change of the build.",
     .fix = "Run `check --update` and commit the snapshot."},
    {"max-reformats", FSD_OFF,
     "The engine has more inserted layers than the policy allows.", CASE,
     fsd_find_inserted_total, 0, COUNT | MS | SHARE, NONE_MORE,
     .why = "They read and write whole tensors and compute nothing.",
     .fix =
         "`reformats` lists them, most expensive first, with what would remove each."},
    {"int8-required", FSD_OFF,
     "A node that the policy requires in INT8 runs in another type.", CASE,
     fsd_find_not_int8, 0, COUNT | FSD_SETS_WORDS, NONE_MORE,
     .why = "The model was quantized so that these nodes run in INT8.",
     .fix = "`names --not int8` lists the nodes; `explain --node` states why one runs "
            "in higher precision."},
    {"expect", FSD_OFF,
     "A block that the policy requires is split, or runs in another type.", CASE,
     fsd_find_unexpected, 0, FSD_SETS_BLOCKS, NONE_MORE,
     .why = "TensorRT has a fast fused kernel for this pattern.",
     .fix = "The finding lists the layers of the block and what separates them."},
    {"precision-required", FSD_OFF,
     "Less of the work than the policy requires runs in the required types.", CASE,
     fsd_find_not_in_types, 0, FSD_SETS_TYPES, NONE_MORE,
     .why = "An engine that silently runs in higher precision is several times slower.",
     .fix = "`names --not TYPE` lists the nodes. Strongly typed builds use the model's "
            "types."},
    {"memory", FSD_OFF, "The engine needs more memory than the policy allows.", CASE,
     fsd_find_too_large, 0, FSD_SETS_BYTES, NONE_MORE,
     .why =
         "An engine that does not fit into the memory left on the device cannot run.",
     .fix = "`memory` lists the layers and the largest tensors. Smaller batches, lower "
            "precision and a workspace limit reduce it."},
    /* Rules of lint: what the model shows before its build. */
    {"build/refused", FSD_ERROR,
     "The builder does not support an operator, a type or an attribute.", LINT,
     .find = fsd_lint_refused, .proves = FSD_PROVES_BUILT,
     .why = "The parser or the compiler stops the build at the first of these and does "
            "not check the rest of the model.",
     .fix = "Replace the operator, export with another opset, use a plugin, or compute "
            "it outside the engine.",
     .source = "the table in src/judge/lint/refusals.c, each row with its own source"},
    {"build/not-known", FSD_INFO,
     "It is unknown whether the builder supports an operator.", LINT,
     .find = fsd_lint_not_known,
     .why = "The operator was never tested with this builder, or belongs to a custom "
            "domain.",
     .fix = "Try the build, or add a plugin that computes the operator.",
     .source = "the table in src/judge/lint/refusals.c"},
    {"build/ceil-mode", FSD_WARNING,
     "A pooling operator with ceil_mode has a larger output in TensorRT than in ONNX.",
     LINT, .find = fsd_lint_ceil_mode,
     .why = "ONNX omits a window that would start in the padding behind the data: "
            "opset 22 specifies this, and ONNX Runtime and the ONNX reference do so at "
            "every opset. TensorRT rounds the number of windows up and keeps the last "
            "one: the engine's tensor is larger, and what follows fails to build or "
            "computes with a row that the model does not have.",
     .fix = "Set ceil_mode to 0 and the padding behind the data to the value that the "
            "finding states.",
     .source = "NvInfer.h, PaddingMode kEXPLICIT_ROUND_UP; measured: TensorRT for RTX "
               "1.7.1, 4,080 pools"},
    {"qdq/residual", FSD_ERROR,
     "A residual addition has quantizers on neither branch, or on both.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE,
     .why = "TensorRT fuses the addition into a quantized convolution if the other "
            "branch is INT8. If that branch has no quantizer, the sum and all its "
            "consumers stay in 16 or 32 bits. A second quantizer behind the "
            "convolution prevents the fusion.",
     .fix = "Add one Q/DQ pair on the skip branch, with the scale of the quantizer at "
            "the block's input, and none between the convolution and the addition.",
     .source =
         "the TensorRT developer guide, Q/DQ placement; NVIDIA Model-Optimizer pull "
         "requests 425 and 2024; TensorRT issue 2204"},
    {"qdq/open-sum", FSD_WARNING,
     "A residual addition has its quantizer, but nothing quantizes the sum.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE, .builders = NOT_RTX,
     .why = "The fused kernel of convolution and addition writes INT8. If the sum "
            "stays in higher precision, as before the pooling at the end of a network, "
            "the quantizer of the branch runs as a layer of its own.",
     .fix = "Quantize the sum: add a Q/DQ pair before its consumers.",
     .source = "profiles of a QAT ResNet-18 by trt-engine-explorer, TensorRT 8.4"},
    {"qdq/one-sided", FSD_WARNING,
     "An operator reads quantized data or quantized weights, but not both.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE,
     .why = "An INT8 kernel needs both inputs quantized. With one, TensorRT "
            "dequantizes it and runs the operator in higher precision.",
     .fix = "Quantize the other input, or neither.",
     .source = "the TensorRT developer guide, Q/DQ placement; TensorRT issue 3197"},
    {"qdq/inside-conv", FSD_WARNING,
     "A quantizer separates an operator from its activation or normalization.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_STANDS, .builders = NOT_RTX,
     .why = "Builders fuse a convolution with its normalization and activation and "
            "quantize the result. A pair in between makes two layers with a "
            "higher-precision tensor between them.",
     .fix = "Move the pair behind the activation.",
     .source = "the TensorRT developer guide, Q/DQ placement; TensorRT issue 2592"},
    {"qdq/island", FSD_WARNING,
     "An operator without a quantizer stands between quantized operators.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE,
     .why = "Quantizers cannot move across an average. Its input stays in higher "
            "precision, so the operator before it writes 16 or 32 bits, and data is "
            "converted there and back.",
     .fix = "Add a Q/DQ pair before it.",
     .source = "the TensorRT developer guide, Q/DQ placement; TensorRT issue 2976"},
    {"qdq/silu", FSD_WARNING, "A quantizer stands inside a SiLU.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_STANDS, .builders = NOT_RTX,
     .why = "TensorRT fuses Sigmoid and Mul with the convolution before them only if "
            "nothing stands in between.",
     .fix = "Remove the quantizers inside the SiLU. If it must be quantized, give all "
            "three quantizers one scale.",
     .source =
         "zmurder, notes on quantization in practice; pytorch/TensorRT issue 3678"},
    {"qdq/pad", FSD_WARNING, "A quantizer stands between a Pad and its convolution.",
     LINT, .find = fsd_lint_places, .proves = FSD_PROVES_STANDS, .builders = NOT_RTX,
     .why = "TensorRT fuses the Pad into the convolution only if nothing stands in "
            "between.",
     .fix = "Move the pair before the Pad, or use the convolution's own `pads`.",
     .source = "TensorRT issue 2592"},
    {"qdq/deconv", FSD_WARNING, "A quantized ConvTranspose has no INT8 kernel.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE,
     .builders = FSD_TRT8 | FSD_TRT10 | FSD_RTX,
     .why = "TensorRT 8 and 10 have no INT8 kernel for it together with a "
            "normalization, an activation or a Concat behind it; TensorRT for RTX has "
            "none at all. Data and weights are dequantized, and it runs in FP32.",
     .fix = "Fold the normalization into its weights, or do not quantize it.",
     .source = "yolov7_qat guidance, NVIDIA-AI-IOT; TensorRT issue 2597; measured: "
               "TensorRT for RTX 1.7.1, six kinds of it"},
    {"qdq/no-gain", FSD_WARNING,
     "A quantizer stands before an operator that gains nothing from it.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_STANDS, .builders = NOT_RTX,
     .why = "Softmax, normalizations, masks and biases have no low-precision kernel: "
            "data is rounded to 8 bits and converted back at once, which costs "
            "accuracy and a conversion. Inside an attention or a normalization it "
            "splits what would be one kernel.",
     .fix = "Exclude the operator from quantization.",
     .source =
         "NVIDIA Model-Optimizer, nodes that it excludes; TensorRT issue 4397; "
         "measured: TensorRT for RTX 1.7.1 takes such quantizers into its kernels"},
    {"qdq/attention", FSD_WARNING,
     "Quantizers inside an attention prevent the fused attention kernel.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE,
     .why = "Fused attention computes both matrix products in one type: both must be "
            "quantized, or neither. INT8 kernels exist only for head sizes 16, 32 and "
            "64 and at most 512 positions.",
     .fix = "Exclude both products from quantization, or use FP8.",
     .source = "TensorRT issues 4167 and 3724; the transformers' fused attention, "
               "TensorRT documentation"},
    {"qdq/small-product", FSD_INFO,
     "A quantized matrix product is too small to gain from INT8.", LINT,
     .find = fsd_lint_places,
     .why = "Fewer than 16 columns or summands do not fill a tile of the tensor cores, "
            "and the conversions around the product cost more than it saves.",
     .fix = "Exclude it from quantization.",
     .source = "NVIDIA Model-Optimizer, nodes that it excludes"},
    {"qdq/useless", FSD_WARNING, "A Q/DQ pair feeds no operator that computes.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_STANDS,
     .why = "It rounds its input and runs as a layer of its own or in the kernel "
            "before it. A Transpose or Reshape behind it changes nothing about that.",
     .fix = "Remove it.", .source = "the TensorRT developer guide, Q/DQ placement"},
    {"qdq/after", FSD_WARNING,
     "Quantizers stand behind operators, not before the operators that run in low "
     "precision.",
     LINT, .find = fsd_lint_places, .proves = FSD_PROVES_STANDS,
     .why = "A pair whose consumer does not run in low precision is a conversion there "
            "and back. Exporters that quantize the output of each operator add many.",
     .fix = "Configure the exporter to quantize the inputs of Conv, Gemm and MatMul "
            "only, and one branch of each residual addition.",
     .source =
         "the TensorRT developer guide, Q/DQ placement; ONNX Runtime, quantization for "
         "TensorRT"},
    {"scale/one-tensor", FSD_WARNING,
     "Two quantizers of one tensor have different scales.", LINT,
     .find = fsd_lint_two_scales, .which = 0, .proves = FSD_PROVES_TWICE,
     .why = "TensorRT merges equal quantizers of one tensor; different ones become two "
            "layers.",
     .fix = "Use one scale for both.",
     .source = "the TensorRT developer guide, Q/DQ placement; log of a QAT ResNet-18, "
               "HorizontalMergeQNodes"},
    {"scale/moved", FSD_WARNING,
     "A data-movement operator has different scales before and behind it.", LINT,
     .find = fsd_lint_two_scales, .which = 1, .proves = FSD_PROVES_TWICE,
     .why = "TensorRT moves a quantizer across a MaxPool, Transpose or Slice and "
            "merges it with the quantizer there if their scales are equal.",
     .fix = "Use one scale for both.", .source = "yolov7_qat, find_quantizer_pairs"},
    {"scale/concat", FSD_WARNING,
     "The branches of a Concat are quantized with other scales than its output.", LINT,
     .find = fsd_lint_two_scales, .which = 2, .proves = FSD_PROVES_STANDS,
     .builders = NOT_RTX,
     .why = "TensorRT copies the quantizer behind a Concat to each branch. A quantizer "
            "that already stands there with another scale makes two, and a conversion "
            "each.",
     .fix = "Give all of them the greatest scale.",
     .source = "yolov7_qat: 180 to 207 queries a second"},
    {"scale/concat-inputs", FSD_WARNING,
     "The inputs of a Concat are quantized with different scales.", LINT,
     .find = fsd_lint_concat_inputs, .proves = FSD_PROVES_WIDE,
     .why = "Inputs that have the scale of the output are written in place; the others "
            "are requantized and copied.",
     .fix = "Give all of them the greatest scale.", .source = "yolov7_qat guidance"},
    {"scale/weight-axis", FSD_WARNING,
     "The scales of weights are not along the output channels.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE,
     .why = "A kernel applies weight scales to its sums, which it can do per output "
            "channel only.",
     .fix = "Set `axis` to 0 for Conv, to 1 for ConvTranspose, and for Gemm to 0 with "
            "transB, else to 1.",
     .source = "the TensorRT developer guide, explicit quantization"},
    {"scale/weights", FSD_INFO, "Weights have one scale for all output channels.", LINT,
     .find = fsd_lint_places,
     .why = "The channel with the greatest weights determines the step size of all "
            "others; kernels scale each output channel at no cost.",
     .fix = "Quantize weights per channel (per_channel=True, axis 0 for Conv).",
     .source = "the TensorRT developer guide, explicit quantization"},
    {"scale/bias", FSD_INFO,
     "The scale of a bias is not the product of the scales of input and weights.", LINT,
     .find = fsd_lint_places,
     .why = "Kernels add the bias to sums that have this product as their scale: ONNX "
            "Runtime runs such a convolution in FP32 since 1.27, and adds a wrong bias "
            "in a fused matrix multiplication.",
     .fix = "Quantize the bias with that scale, or keep it in FP32 without quantizers.",
     .source = "measured: ONNX Runtime 1.16 to 1.32"},
    {"scale/data", FSD_WARNING, "A quantizer of activations has several scales.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE,
     .why = "INT8 kernels read activations with a single scale; with several, TensorRT "
            "dequantizes them first.",
     .fix = "Use one scale per activation tensor.",
     .source = "the TensorRT developer guide, explicit quantization"},
    {"scale/axis-moved", FSD_WARNING,
     "Scales are along an axis that the next operator moves.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE,
     .why = "A per-channel quantizer cannot move across an operator that mixes the "
            "channels, so its data stays in higher precision there.",
     .fix = "Use a single scale, or quantize behind the operator.",
     .source = "the TensorRT developer guide, Q/DQ placement"},
    {"scale/zero-point", FSD_ERROR, "A zero point is not 0.", LINT,
     .find = fsd_lint_places,
     .why = "TensorRT supports symmetric quantization only and refuses the model.",
     .fix = "Quantize symmetrically (ActivationSymmetric, WeightSymmetric).",
     .source = "onnx-tensorrt, docs/operators.md; measured: TensorRT for RTX 1.7.1"},
    {"scale/bad", FSD_ERROR, "A scale is 0, negative, infinite or NaN.", LINT,
     .find = fsd_lint_places,
     .why = "The parser refuses it, or every quantized value becomes 0 or NaN.",
     .fix = "Calibrate the tensor; exclude tensors without a range.",
     .source = "onnx-tensorrt; measured: TensorRT for RTX 1.7.1"},
    {"scale/block", FSD_WARNING,
     "The block size of scales does not fit the type or the axis.", LINT,
     .find = fsd_lint_places,
     .why = "Blocked types have one block size: 16 for NVFP4, 32 for MXFP8. A "
            "remainder has no scale.",
     .fix = "Quantize with that block size, along an axis that is a multiple of it.",
     .source =
         "ONNX operator specification, opset 21 and 23; the TensorRT developer guide, "
         "block quantization"},
    {"scale/unknown", FSD_INFO, "Scales could not be read and were not compared.", LINT,
     .find = fsd_lint_places,
     .why = "Scales that are computed, too many, or in a missing external file can be "
            "neither equal nor different.",
     .fix = "Store the scales in the model file.", .source = "this program's limits"},
    {"channels/alignment", FSD_INFO,
     "The channel count is not a multiple of the vector width of its type.", LINT,
     .find = fsd_lint_channels,
     .why = "Tensor cores read 32 channels of INT8 or 8 of FP16 at once. The remainder "
            "is padded, and data moves between kernels of different padding.",
     .fix = "Use a multiple of the vector width, if the network can still be trained.",
     .source =
         "trt-engine-explorer's checks; TensorRT issue 4039; NVIDIA Model-Optimizer"},
    {"cast/round-trip", FSD_WARNING, "A tensor is cast to another type and back.", LINT,
     .find = fsd_lint_places,
     .why = "The second Cast restores the type, but not the precision that the first "
            "one lost.",
     .fix = "Remove both, or keep the type of the surrounding nodes.",
     .source = "this program"},
    {"cast/fp16-range", FSD_INFO,
     "FP16 nodes of the model may exceed its range or lose small terms.", LINT,
     .find = fsd_lint_places, .builders = FSD_STRONG,
     .why = "A strongly typed build computes them in FP16, which ends at 65,504 and "
            "has 11 significant bits: normalizations and powers square their input, "
            "and long sums lose small terms.",
     .fix = "If the outputs are inaccurate, compute these nodes in FP32 between Casts: "
            "`lint --fix=cast/fp16-range`. A Cast inside an attention may split its "
            "kernel.",
     .source = "this program; measured: TensorRT for RTX 1.7.1 computes a softmax of "
               "FP16 without a Cast"},
    {"precision/fp32-rest", FSD_INFO,
     "Operators remain in FP32 next to quantized ones.", LINT, .find = fsd_lint_places,
     .proves = FSD_PROVES_WIDE, .builders = FSD_STRONG,
     .why = "A strongly typed build does not choose types: what is not quantized runs "
            "in the exported type, mostly FP32, with a conversion at each border.",
     .fix = "Export the rest in FP16 or BF16 (AutoCast).",
     .source = "TensorRT 11 migration guide; ultralytics issue 26159"},
    {"size/dynamic", FSD_INFO,
     "A dynamic dimension prevents fusion with adjacent operators.", LINT,
     .find = fsd_lint_padded, .which = 0, .proves = FSD_PROVES_APART,
     .builders = FSD_RTX,
     .why = "Kernels compute products in whole vectors of summands and of columns. If "
            "one of these sizes is dynamic, separate kernels pad the inputs and slice "
            "the output; and a convolution absorbs the Pad before it only if the image "
            "size is static. A dynamic batch, dynamic rows, the sequence length of a "
            "16-bit attention, and a dynamic image size of convolutions without a Pad "
            "cost nothing.",
     .fix = "Export that axis with a fixed size, or the attention in FP16 or BF16; "
            "replace the Pad by the convolution's `pads`.",
     .source =
         "measured: TensorRT for RTX 1.7.1, each network with fixed and with open "
         "sizes; of other builders it is not known"},
    {"size/odd", FSD_INFO,
     "A matrix product has an odd number of summands or of columns.", LINT,
     .find = fsd_lint_padded, .which = 1, .proves = FSD_PROVES_APART,
     .builders = FSD_RTX,
     .why = "Kernels compute products in pairs: separate kernels pad inputs that are "
            "not stored weights and slice the output. Odd rows and batches, a single "
            "column, and a 16-bit attention cost nothing.",
     .fix = "Pad tokens, windows or classes to an even number in the model.",
     .source = "measured: TensorRT for RTX 1.7.1, thirty products of FP32 and FP16; of "
               "other builders it is not known"},
    {"fusion/missed", FSD_WARNING,
     "Operators that the builder normally fuses are not fused, without a known reason.",
     BUILT, .find = fsd_lint_missed_fusion, .builders = NOT_RTX,
     .why = "Convolution, normalization and ReLU, and a residual addition behind them, "
            "are one layer where the conditions of the fusion catalog hold.",
     .fix = "Check the types on both sides, and the other consumers of the tensor in "
            "between.",
     .source = "TensorRT fusion catalogue"},
    {"engine/symptom", FSD_INFO,
     "A finding about the engine that a rule about the model explains.", BUILT,
     .find = fsd_lint_symptoms,
     .why =
         "The structure of the model causes most of what a report finds in the engine.",
     .fix = "Follow the rule that the finding names.", .source = "this program"},
    /* Last, when it is known which ignores had an effect. */
    {"policy", FSD_WARNING,
     "An ignore entry of the policy has expired, or one of its words matches nothing.",
     CASE, fsd_find_stale_policy, 0, 0, .budget = {-1, -1, -1},
     .why = "An entry that matches nothing checks nothing.",
     .fix = "Correct the line of the policy that the finding names."},
};

const struct fsd_rule *fsd_rule_at(unsigned i)
{
    enum { N = FSD_COUNT_OF(rules) }; /* the rules on exports follow */
    return i < N ? &rules[i] : fsd_export_rule_at(i - N);
}

const char *fsd_level_name(int level)
{
    return level == FSD_OFF ? "off" : fsd_severity_name((enum fsd_severity)level);
}
