/* The rules, in the order of reports. */
#include "findings/finder.h"
#include "lint/lint.h"

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

/* Compiled regions round inside of their kernels: there a quantizer parts nothing. */
#define NOT_RTX (FSD_TRT8 | FSD_TRT10 | FSD_TRT11)

/* A budget: the first one is already too much. */
#define NONE_MORE .budget = {0, -1, -1}

/* Levels of changes are such that what costs time or precision on its own fails; what
 * often comes with a wanted change warns. */
static const struct fsd_rule rules[] = {
    {"mapping/misfit", FSD_WARNING,
     "Names, sizes, types or quantizers are not those of the model, which may be "
     "another one.",
     RUN, .find = fsd_find_misfit, .about_inputs = true,
     .why = "Everything below rests on names that two files share.",
     .fix = "Give the model that the engine was built from."},
    {"mapping/no-model", FSD_INFO,
     "No model was given, so that only what the engine names is known of it.", RUN,
     .find = fsd_find_no_model,
     .why = "Shapes, weights and nodes that left no name are not known.",
     .fix = "Give the ONNX model, or a log that holds the parser's lines."},
    {"mapping/conflict", FSD_WARNING,
     "Two pieces of evidence put a node into layers that cannot both compute it.", RUN,
     .find = fsd_find_conflicts,
     .why = "One of the two links is wrong, and with it what is told of both.",
     .fix =
         "Look at both layers with `where`; unique names of nodes end most conflicts."},
    {"mapping/unexplained", FSD_WARNING,
     "No layer mentions these nodes and nothing proves what became of them.", RUN,
     .find = fsd_find_unexplained,
     .why = "A node that nobody computes may be lost, or only not told of.",
     .fix = "Give the build's verbose log (--log), or dump the engine in detail."},
    {"mapping/unmade-output", FSD_WARNING,
     "Outputs of the model are made by no layer, which may be missing in the dump.",
     RUN, .find = fsd_find_unmade, .about_inputs = true,
     .why =
         "A dump or log that was cut between two layers looks like a smaller engine.",
     .fix = "Dump the engine again, or give the whole log."},
    {"mapping/unmapped-layer", FSD_WARNING,
     "A layer that computes something was linked to no node.", RUN,
     .find = fsd_find_unmapped,
     .why = "What it computes is not counted where it belongs.",
     .fix = "Dump the engine in detail, with Metadata, or give the build's log."},
    {"mapping/names-only", FSD_INFO,
     "The dump holds layer names only, so tensors and precisions are not known.", RUN,
     .find = fsd_find_names_only,
     .why = "Types, layouts, bytes and most links need tensors.",
     .fix = "Build and dump the engine with detailed profiling verbosity."},
    {"quantize/standing", FSD_WARNING,
     "A QuantizeLinear or DequantizeLinear was left standing as a layer of its own.",
     RUN, .find = fsd_find_standing,
     .why = "It reads and writes a whole tensor to change its type.",
     .fix = "Quantize every branch that its reader reads, so that what makes the "
            "tensor writes "
            "the narrow type itself."},
    {"quantize/at-input", FSD_INFO,
     "A QuantizeLinear stands at a network input, where one is needed.", RUN,
     .find = fsd_find_standing, FSD_AT_INPUT,
     .why = "It is needed where a network is fed wide data.",
     .fix = "Hand over quantized data to save it; else let it be."},
    {"quantize/at-output", FSD_INFO,
     "A QuantizeLinear or DequantizeLinear stands at a network output, where one is "
     "needed.",
     RUN, .find = fsd_find_standing, FSD_AT_OUTPUT,
     .why = "The network returns data in another type than the layer before writes.",
     .fix = "Make the quantized tensor the network output to save the layer; else keep "
            "it."},
    {"quantize/separate-kernel", FSD_WARNING,
     "Kernels of their own scale, activate and quantize what other kernels computed; "
     "information where no Conv or GEMM kernel of the engine writes a quantized type.",
     RUN, .find = fsd_find_requantizing,
     .why = "The product writes 32 or 16 bits an element, and a second kernel reads "
            "them to write 8: it takes memory traffic and a launch.",
     .fix = "Where other kernels of the engine quantize themselves, compare the "
            "quantizers behind both. Where none does, the builder has no such kernel: "
            "measure the engine in FP16 beside it."},
    {"fusion/epilogue-unfused", FSD_WARNING,
     "Biases, BatchNormalizations, activations or residual additions run outside the "
     "kernel of their Conv or GEMM; information where no like kernel does them itself.",
     RUN, .find = fsd_find_unfused,
     .why = "The result of the product is written and read once more.",
     .fix = "Compare what stands around the two layers that the finding names: other "
            "readers of the tensor, its type, a quantizer between."},
    {"fusion/recomputed", FSD_INFO, "Several kernels compute the same node whole.", RUN,
     .find = fsd_find_recomputed,
     .why = "It is computed, and its inputs are read, once for each of them.",
     .fix = "Where its readers take different types, quantize all branches alike."},
    {"precision/wider", FSD_WARNING,
     "Nodes run in a wider type than the model asks for.", RUN, .find = fsd_find_wider,
     .why = "It takes the time and memory that the model meant to save.",
     .fix = "`explain --node` tells what kept it wide: a missing scale, a kernel that "
            "is not there, an operator between. Where products write the wider type, "
            "remove the Q/DQ pairs between them and these nodes, so that both fuse."},
    {"precision/island", FSD_WARNING,
     "A stretch runs in a wider type than what is before and behind it.", RUN,
     .find = fsd_find_islands,
     .why = "Data is widened and narrowed again on the way in and out.",
     .fix = "Quantize, or give the narrow type to, what stands in the island."},
    {"precision/fp32-left", FSD_INFO,
     "Layers run in fp32 in an engine that runs others in a narrower type.", RUN,
     .find = fsd_find_fp32_left,
     .why = "It may be the slowest part of a narrow engine.",
     .fix = "Allow a narrower type where accuracy allows it."},
    {"precision/no-tensor-cores", FSD_INFO,
     "A layer that multiplies matrices got a kernel that uses no tensor cores.", RUN,
     .find = fsd_find_no_tensor_cores, .why = "Such a kernel is several times slower.",
     .fix = "Bring channels to a multiple of 8 (16-bit) or 32 (8-bit), or use a "
            "narrower type."},
    {"precision/io-type", FSD_INFO,
     "A network input or output has another type in the engine than in the model.", RUN,
     .find = fsd_find_io_types,
     .why = "Who feeds the engine has to hand over that type.",
     .fix = "Set the formats of inputs and outputs when building, if it is not meant."},
    {"precision/fp16-range", FSD_INFO,
     "Normalizations, softmaxes, exponentials, powers or reductions of 1,024 elements "
     "and more run in FP16, and no Cast to FP32 is shown.",
     RUN, .find = fsd_find_fp16_range, .keep = FSD_FP32,
     .why =
         "FP16 ends at 65,504 and has 11 bits: squares and exponentials overflow, and "
         "small terms of a long sum are lost.",
     .fix = "Where the outputs are wrong, keep these nodes in FP32: "
            "`names --finding precision/fp16-range --as autocast` lists them."},
    {"precision/rounded-integers", FSD_INFO,
     "Nodes that compute integers, as positions or indices, run in a float of 16 bits.",
     RUN, .find = fsd_find_rounded_integers, .keep = FSD_FP32,
     .why = "FP16 holds integers exactly up to 2,048, BF16 up to 256: larger positions "
            "are rounded.",
     .fix = "Keep these nodes in FP32 or in integers: "
            "`names --finding precision/rounded-integers --as autocast` lists them."},
    {"constant/not-folded", FSD_WARNING,
     "Layers compute values at every inference that never change.", RUN,
     .find = fsd_find_not_folded,
     .why =
         "All inputs of their nodes are constant, and TensorRT did not fold them: each "
         "layer is a kernel launch, and its result is read from memory.",
     .fix = "Fold the constants in the model before the build: `polygraphy surgeon "
            "sanitize --fold-constants`, or an exporter's constant folding."},
    {"inserted/round-trip", FSD_WARNING,
     "Layers one behind another change a tensor and change it back.", RUN,
     .find = fsd_find_chains, true, .why = "All of its layers could go.",
     .fix = "Find what asks for the form in between: `explain --layer`."},
    {"inserted/chain", FSD_INFO, "Layers one behind another only move the same data.",
     RUN, .find = fsd_find_chains,
     .why = "Each of its layers reads and writes the tensor once.",
     .fix = "See the advice of `reformats`."},
    {"inserted/reformat", FSD_INFO,
     "The builder inserted a layer that changes a tensor's type or layout.", RUN,
     .find = fsd_find_inserted, FSD_KIND_REFORMAT,
     .why = "It reads and writes a whole tensor and computes nothing.",
     .fix = "See the advice of `reformats`, which says what would save it."},
    {"inserted/copy", FSD_INFO, "The builder inserted a layer that copies a tensor.",
     RUN, .find = fsd_find_inserted, FSD_KIND_COPY,
     .why = "It reads and writes a whole tensor and computes nothing.",
     .fix = "See the advice of `reformats`, which says what would save it."},
    {"log/other-build", FSD_WARNING,
     "The build log is not that of the engine dump, so that it proves nothing.", LOG,
     .find = fsd_find_other_build, .about_inputs = true,
     .why = "What the log says is of another engine, and was not used.",
     .fix = "Give the log of the build that made this engine."},
    {"log/other-model", FSD_WARNING,
     "The parser read nodes, as its log says, that the model does not have.", LOG,
     .find = fsd_find_other_model, .about_inputs = true,
     .why = "What the log says may be of another model.",
     .fix = "Give the log of the build of this model."},
    {"log/too-large", FSD_WARNING,
     "The log's steps were not all followed: they are too large, or their names nest "
     "too deep.",
     LOG, .find = fsd_find_log_cut, .why = "Some evidence from the log is missing.",
     .fix = "Give the engine's detailed dump beside it."},
    {"log/missing-scale", FSD_WARNING,
     "A tensor had no scale, so its layers fell back to a wider type.", LOG,
     .find = fsd_find_log_warnings, .why = "The layers around it run wider than asked.",
     .fix = "Calibrate that tensor, or put a Q/DQ pair on it."},
    {"log/fusion-disabled", FSD_WARNING,
     "The builder could not compile fused kernels: driver and nvrtc do not fit.", LOG,
     .find = fsd_find_log_warnings,
     .why = "Whole classes of fusions are missing from the engine.",
     .fix = "Install a driver and a compiler library of versions that fit each other."},
    {"log/workspace", FSD_WARNING,
     "Some tactics were not tried for want of workspace memory.", LOG,
     .find = fsd_find_log_warnings, .why = "Faster kernels may have been left out.",
     .fix = "Raise the workspace limit of the build."},
    {"log/constraint", FSD_WARNING,
     "A layer's precision or device constraint was not obeyed.", LOG,
     .find = fsd_find_log_warnings, .why = "The layer does not run as it was told to.",
     .fix = "Take the constraint back, or find a type that has a kernel."},
    {"log/calibrator", FSD_WARNING, "A calibrator was given and not used.", LOG,
     .find = fsd_find_log_warnings,
     .why = "Ranges come from the model's own Q/DQ instead.",
     .fix = "Leave the calibrator out, or the Q/DQ."},
    {"log/fp4", FSD_WARNING,
     "The device does not accelerate the FP4 the model asks for.", LOG,
     .find = fsd_find_log_warnings, .why = "The type saves memory and no time there.",
     .fix = "Build for a device that has it, or use FP8."},
    {"log/memcpy", FSD_WARNING,
     "The session copies tensors between the host and a device.", LOG,
     .find = fsd_find_log_warnings,
     .why = "Each copy waits for the device; nodes on another provider cause them.",
     .fix = "Find the nodes on the CPU with `skipped`, and replace their operators or "
            "move them to the border of the model."},
    {"input/remark", FSD_INFO, "Something in an input was readable but surprising.",
     RUN, .find = fsd_find_remarks,
     .why = "It was read all the same; what is odd may be a slip.",
     .fix = "Look at the place that the remark names."},

    {"engine-stale", FSD_ERROR,
     "The model changed and the engine did not: it was not built of this model.",
     CHANGE, fsd_find_stale, false, COUNT, NONE_MORE,
     .why = "The engine answers for a model that is no more.",
     .fix = "Build the engine again, of this model."},
    {"engine-unchanged", FSD_INFO,
     "The model's file changed, its nodes and the engine did not.", CHANGE,
     fsd_find_stale, true, 0, .budget = {-1, -1, -1},
     .why = "New weights must be in the engine, and a dump does not show them.",
     .fix = "Make sure that the engine was built, or refitted, after the model was "
            "exported."},
    {"build-differs", FSD_INFO,
     "It was built by another version, for another GPU or with other options: what "
     "most "
     "differences come from.",
     CHANGE, fsd_find_built, false, 0, .budget = {-1, -1, -1}, .of_same = true,
     .why = "Most differences of engines come from there.",
     .fix = "Compare builds of one version for one GPU with the same options."},
    {"build-unknown", FSD_INFO,
     "The build does not tell its GPU or options, as its log would.", CHANGE,
     fsd_find_built, true, 0, .budget = {-1, -1, -1}, .of_same = true,
     .why = "That it was built alike is not known.",
     .fix =
         "Give the build's log (--log), as it was given when the snapshot was taken."},
    {"variant", FSD_INFO,
     "Nodes are computed as another of the builds that the snapshot holds has them.",
     CHANGE, fsd_find_variants, 0, 0, .budget = {-1, -1, -1}, .of_same = true,
     .why = "Builds of one model vary though nothing changed; all that were recorded "
            "pass.",
     .fix =
         "Nothing, or take the snapshot again without the build (`snapshot --also`)."},
    {"lost-fusion", FSD_ERROR, "Nodes that one layer computed are computed by several.",
     CHANGE, fsd_find_regrouped, FSD_HAPPENED_LOST, COUNT | MS, NONE_MORE,
     .why = "Each layer more writes its result to memory and reads it back.",
     .fix =
         "See what came between (`explain --node A --node B`): another type, a Q/DQ, a "
         "second reader of the tensor, an output of the network."},
    {"regrouped", FSD_WARNING,
     "Nodes are fused otherwise than before, neither more nor less.", CHANGE,
     fsd_find_regrouped, FSD_HAPPENED_REGROUPED, COUNT | MS, NONE_MORE,
     .why = "Neither better nor worse by itself; the times tell.",
     .fix = "Compare the times of both builds with --profile."},
    {"undecided-fusion", FSD_ERROR,
     "Layers differ, but one build does not tell which of them computes which node.",
     CHANGE, fsd_find_regrouped, FSD_HAPPENED_OPAQUE, COUNT | MS, NONE_MORE,
     .why = "What cannot be seen cannot be shown to be as before.",
     .fix = "Dump both builds in detail, or give their logs."},
    {"precision-widened", FSD_ERROR,
     "A node runs, or a tensor between layers is kept, in a wider type than before.",
     CHANGE, fsd_find_widened, 0, COUNT, NONE_MORE,
     .why = "It takes the time and memory that the type was to save.",
     .fix = "`explain --node` tells what keeps it wide; Q/DQ that were moved or lost "
            "are the "
            "usual cause."},
    {"precision-unknown", FSD_ERROR,
     "The build does not tell the type of a node or a tensor of which it was known.",
     CHANGE, fsd_find_lost_facts, FSD_FACT_TYPE, COUNT, NONE_MORE,
     .why = "A type that is not told may be a wider one.",
     .fix = "Dump the engine in detail, with the shapes that are run (--shape)."},
    {"layout-unknown", FSD_ERROR,
     "The build does not tell the layout of a tensor of which it was known.", CHANGE,
     fsd_find_lost_facts, FSD_FACT_LAYOUT, COUNT, NONE_MORE,
     .why = "A layout that is not told may need a Reformat.",
     .fix = "Dump the engine in detail."},
    {"shape-unknown", FSD_ERROR,
     "The build does not tell the shape of an input or output of which it was known.",
     CHANGE, fsd_find_lost_facts, FSD_FACT_SHAPE, COUNT, NONE_MORE,
     .why = "Who feeds the engine relies on the shape.",
     .fix = "Dump the engine in detail."},
    {"facts-unknown", FSD_WARNING,
     "The build's dump has no tensors or no Metadata, or the build is a snapshot by an "
     "older version, so that less is known of it.",
     CHANGE, fsd_find_told_less, 0, COUNT, NONE_MORE,
     .why = "Findings rest on less than when the snapshot was taken.",
     .fix = "Build and dump with the verbosity of then."},
    {"layout-changed", FSD_WARNING, "A tensor lies otherwise in memory than before.",
     CHANGE, fsd_find_layouts, 0, COUNT, NONE_MORE,
     .why = "Another layout is another kernel, often with a Reformat beside it.",
     .fix = "Compare the times of both builds with --profile."},
    {"kernel-changed", FSD_WARNING,
     "A kernel has other sizes, weights, operations, parameters or nodes, or is "
     "another "
     "kind of layer, than before.",
     CHANGE, fsd_find_changed_kernels, 0, COUNT, NONE_MORE,
     .why = "The engine computes the same nodes by other means.",
     .fix =
         "Look at the layer (`explain --node`); what was changed in the model or the "
         "build explains it."},
    {"fell-back-to-cpu", FSD_ERROR,
     "A kernel runs on the CPU, or it is not known where, and ran on another provider "
     "before.",
     CHANGE, fsd_find_fallbacks, 0, COUNT, NONE_MORE,
     .why = "The runtime found no kernel on the device: it computes slower, and copies "
            "to the host and back.",
     .fix = "Look for the operator, type or opset that the provider does not support; "
            "the session's log (`skipped`) lists placements."},
    {"provider-changed", FSD_WARNING,
     "Another execution provider runs a kernel than before, or it is not known which.",
     CHANGE, fsd_find_providers, 0, COUNT, NONE_MORE,
     .why = "Another provider has other kernels, times and numerics.",
     .fix = "Compare the sessions' providers, their order and their options."},
    {"source-changed", FSD_WARNING,
     "A kernel reads what other nodes write than before, and than the model says.",
     CHANGE, fsd_find_unasked, 0, COUNT, NONE_MORE,
     .why = "Either the engine computes something else, or its dump is not to be "
            "trusted.",
     .fix = "Build and dump again; compare the outputs with those of the model."},
    {"lost-kernel", FSD_ERROR,
     "A kernel is gone, and no other one does more than before.", CHANGE,
     fsd_find_counted_kernels, FSD_KERNEL_REMOVED, COUNT, NONE_MORE,
     .why = "What it computed may be missing in the engine or in its dump.",
     .fix = "Dump the whole engine again, in detail."},
    {"new-kernel", FSD_ERROR, "A kernel is there once more than before.", CHANGE,
     fsd_find_counted_kernels, FSD_KERNEL_ADDED, COUNT, NONE_MORE,
     .why = "Nodes are computed twice, or in more steps than before.",
     .fix = "See which layers compute the node (`where --node`) and what reads each."},
    {"new-reformat", FSD_ERROR,
     "The builder inserted a layer that it did not need before.", CHANGE,
     fsd_find_new_moves, false, COUNT | MS | SHARE, NONE_MORE,
     .why = "It reads and writes a whole tensor and computes nothing.",
     .fix = "`reformats` says why it is there and what would save it."},
    {"new-standing-quantize", FSD_ERROR,
     "A QuantizeLinear or DequantizeLinear is a layer of its own that was not before.",
     CHANGE, fsd_find_new_moves, true, COUNT | MS | SHARE, NONE_MORE,
     .why = "It reads and writes a whole tensor to change its type.",
     .fix = "Quantize every branch that its reader reads."},
    {"new-layer", FSD_WARNING,
     "A node that cost nothing before is computed by a layer.", CHANGE,
     fsd_find_presences, 2, COUNT, NONE_MORE,
     .why =
         "A Cast, a Reshape or a Transpose that was erased is free; a layer reads and "
         "writes its tensor.",
     .fix =
         "See what became of it (`explain --node`): another type or layout around it, "
         "or an order of operators that the builder cannot undo."},
    {"unexplained-node", FSD_ERROR, "It is no longer known what became of a node.",
     CHANGE, fsd_find_presences, false, COUNT, NONE_MORE,
     .why = "What it computes may be lost, or only not told of.",
     .fix = "Give the build's log (--log), or dump the engine in detail."},
    {"io-changed", FSD_ERROR,
     "An input or output of the engine was added, removed, or has another name, shape, "
     "type or format.",
     CHANGE, fsd_find_ports, 0, COUNT, NONE_MORE,
     .why = "A program that was right before binds the wrong thing.",
     .fix = "Export with the names, shapes and types that callers know; else change "
            "these, too."},
    {"profile-changed", FSD_ERROR,
     "An optimization profile takes other sizes of an input than before.", CHANGE,
     fsd_find_bindings, 1, COUNT, NONE_MORE,
     .why =
         "Sizes that a caller uses may be refused, or be slower than those tuned for.",
     .fix = "Build with the minimum, optimum and maximum shapes of before, or take the "
            "snapshot again."},
    {"latency", FSD_ERROR,
     "The layers take longer together than before, by more than noise explains.",
     CHANGE, fsd_find_slower, 0, MS | SHARE | FSD_SETS_NOISE, .budget = {-1, -1, 0.05},
     .of_same = true, .why = "It is what a user waits for.",
     .fix = "`compare` with profiles of both builds says which layers the time went "
            "to; take "
            "three profiles or more of each, on an idle device with fixed clocks."},
    {"layer-count", FSD_WARNING, "The engine has more layers than before.", CHANGE,
     fsd_find_more_layers, 0, COUNT, NONE_MORE,
     .why = "More layers are more launches and more memory traffic.",
     .fix = "The other findings say which they are."},
    {"coverage-dropped", FSD_ERROR,
     "A smaller share of the computing layers is mapped to nodes, so that the check "
     "sees less.",
     CHANGE, fsd_find_less_coverage, 0, SHARE, .budget = {-1, -1, 0},
     .why = "What is mapped to no node is not checked.",
     .fix = "Dump the engine in detail, with Metadata, or give the build's log."},
    {"model-changed", FSD_INFO,
     "A node has no counterpart in the other model, or could not be aligned.", CHANGE,
     fsd_find_presences, true, COUNT, NONE_MORE,
     .why = "Nodes of one model only cannot be compared.",
     .fix = "Nothing, where the model was meant to change."},
    {"improved", FSD_INFO,
     "The build is better than the snapshot, which would let it get worse again.",
     CHANGE, fsd_find_better, 0, 0, .budget = {-1, -1, -1},
     .why = "A snapshot that is worse than the build lets it get worse unseen.",
     .fix = "`check --update`, and commit the snapshot."},
    {"snapshot-older", FSD_INFO,
     "An older version wrote the snapshot, which does not hold all that is compared.",
     CHANGE, fsd_find_older, false, 0, .budget = {-1, -1, -1}, .of_same = true,
     .why = "What the snapshot does not hold cannot be missed.",
     .fix = "`check --update`, and commit the snapshot."},
    {"snapshot-reread", FSD_INFO,
     "This version reads the same model and engine otherwise than the older one that "
     "wrote "
     "the snapshot.",
     CHANGE, fsd_find_older, true, 0, .budget = {-1, -1, -1}, .of_same = true,
     .why = "Neither model nor engine changed, so that this is no change of the build.",
     .fix = "`check --update`, and commit the snapshot."},
    {"max-reformats", FSD_OFF,
     "There are more inserted layers than the policy allows at all.", CASE,
     fsd_find_inserted_total, 0, COUNT | MS | SHARE, NONE_MORE,
     .why = "They read and write whole tensors and compute nothing.",
     .fix = "`reformats` lists them, worst first, with what would save each."},
    {"int8-required", FSD_OFF,
     "A node that the policy wants in INT8 runs in another type.", CASE,
     fsd_find_not_int8, 0, COUNT | FSD_SETS_WORDS, NONE_MORE,
     .why = "The model was quantized so that these run in INT8.",
     .fix =
         "`names --not int8` lists them; `explain --node` says what keeps one wide."},
    {"expect", FSD_OFF,
     "A block of the model that the policy expects in one kernel is not, or not in the "
     "type that it expects.",
     CASE, fsd_find_unexpected, 0, FSD_SETS_BLOCKS, NONE_MORE,
     .why = "The pattern is one of which a fast kernel is known.",
     .fix = "The finding says in which layers its nodes are and what stands between "
            "them."},
    {"precision-required", FSD_OFF,
     "Less of the work than the policy requires is done in the types that it requires.",
     CASE, fsd_find_not_in_types, 0, FSD_SETS_TYPES, NONE_MORE,
     .why = "An engine that is silently wide costs several times as much.",
     .fix = "`names --not TYPE` lists the nodes; strongly typed builds take the "
            "model's types."},
    {"memory", FSD_OFF, "The engine needs more memory than the policy allows.", CASE,
     fsd_find_too_large, 0, FSD_SETS_BYTES, NONE_MORE,
     .why = "What does not fit beside the rest of a device's work does not run.",
     .fix =
         "`memory` lists the layers and the largest tensors; smaller batches, narrower "
         "types and a workspace limit need less."},
    /* Lint: what the model says before its build. */
    {"build/refused", FSD_ERROR,
     "The builder does not take an operator, a type or an attribute.", LINT,
     .find = fsd_lint_refused, .proves = FSD_PROVES_BUILT,
     .why =
         "The parser or the compiler ends the build at the first of these; the rest of "
         "the model is not looked at.",
     .fix =
         "Replace the operator, export with another opset, or leave it to a plugin or "
         "to the code around the engine.",
     .source = "the table in src/lint/refusals.c, each row with its own source"},
    {"build/not-known", FSD_INFO,
     "It is not known whether the builder takes an operator.", LINT,
     .find = fsd_lint_not_known,
     .why = "An operator that nobody tried, or of a domain of its own, is not said to "
            "work.",
     .fix = "Try it, and add a row to src/lint/refusals.c or a plugin to the build.",
     .source = "the table in src/lint/refusals.c"},
    {"build/ceil-mode", FSD_WARNING,
     "A pool with ceil_mode gives more than in ONNX: its last window starts in the "
     "padding.",
     LINT, .find = fsd_lint_ceil_mode,
     .why =
         "ONNX leaves out a window that would start in the padding behind the data: "
         "opset 22 says so, ONNX Runtime and onnx's reference do so at every opset.  "
         "TensorRT rounds the number of windows up and keeps it: the "
         "engine's tensor is larger, and what follows fails to build or computes with "
         "a row that the model does not have.",
     .fix = "Set ceil_mode to 0 and the padding behind the data to what ONNX's windows "
            "need, which the finding states.",
     .source = "NvInfer.h, PaddingMode kEXPLICIT_ROUND_UP; measured: TensorRT for RTX "
               "1.7.1, 4,080 pools"},
    {"qdq/residual", FSD_ERROR,
     "A residual addition has quantizers on no branch, or on both.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE,
     .why =
         "A quantized convolution takes the addition behind it into its own kernel "
         "when the other branch comes in INT8. A branch without a quantizer keeps the "
         "sum, and all that reads it, in 16 or 32 bits; one behind the convolution as "
         "well parts the two.",
     .fix =
         "Put one Q/DQ pair on the skip branch, with the scale of the quantizer that "
         "reads the block's input, and none between the convolution and the addition.",
     .source =
         "the TensorRT developer guide, Q/DQ placement; NVIDIA Model-Optimizer pull "
         "requests 425 and 2024; TensorRT issue 2204"},
    {"qdq/open-sum", FSD_WARNING,
     "A residual addition has its quantizer, and nothing quantizes the sum.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE, .builders = NOT_RTX,
     .why =
         "The kernel that takes an INT8 branch into a convolution writes INT8. Where "
         "the sum stays wide, as before the pooling at the end of a network, the "
         "quantizer of the branch is left standing.",
     .fix = "Quantize the sum: put a Q/DQ pair before what reads it.",
     .source = "profiles of a QAT ResNet-18 by trt-engine-explorer, TensorRT 8.4"},
    {"qdq/one-sided", FSD_WARNING,
     "An operator reads quantized data or quantized weights, but not both.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE,
     .why =
         "A kernel that multiplies in INT8 needs both sides so; with one, the other is "
         "dequantized and the operator runs wide.",
     .fix = "Quantize the other side, or neither.",
     .source = "the TensorRT developer guide, Q/DQ placement; TensorRT issue 3197"},
    {"qdq/inside-conv", FSD_WARNING,
     "A quantizer stands between an operator and the activation or normalization "
     "it is fused with.",
     LINT, .find = fsd_lint_places, .proves = FSD_PROVES_STANDS, .builders = NOT_RTX,
     .why =
         "Builders fuse a convolution with its normalization and activation, and "
         "quantize what comes out; a pair in between makes two layers with wide data "
         "between them.",
     .fix = "Move the pair behind the activation.",
     .source = "the TensorRT developer guide, Q/DQ placement; TensorRT issue 2592"},
    {"qdq/island", FSD_WARNING,
     "An operator without a quantizer stands between quantized ones.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE,
     .why = "Quantizers cannot be moved over an average: its input stays wide, so that "
            "the operator before writes 16 or 32 bits, and data is converted there and "
            "back.",
     .fix = "Put a Q/DQ pair before it.",
     .source = "the TensorRT developer guide, Q/DQ placement; TensorRT issue 2976"},
    {"qdq/silu", FSD_WARNING, "A quantizer stands inside a SiLU.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_STANDS, .builders = NOT_RTX,
     .why = "Sigmoid and multiplication are one with the convolution before them only "
            "while nothing stands in between.",
     .fix =
         "Leave the SiLU whole; where it must be quantized, give all three quantizers "
         "one scale.",
     .source =
         "zmurder, notes on quantization in practice; pytorch/TensorRT issue 3678"},
    {"qdq/pad", FSD_WARNING, "A quantizer stands between a Pad and its convolution.",
     LINT, .find = fsd_lint_places, .proves = FSD_PROVES_STANDS, .builders = NOT_RTX,
     .why = "A convolution takes the padding before it into itself only when nothing "
            "stands in between.",
     .fix = "Put the pair before the Pad, or give the convolution its pads.",
     .source = "TensorRT issue 2592"},
    {"qdq/deconv", FSD_WARNING, "A quantized ConvTranspose has no INT8 kernel.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE,
     .builders = FSD_TRT8 | FSD_TRT10 | FSD_RTX,
     .why = "TensorRT 8 and 10 have none for it together with a normalization, an "
            "activation or a Concat behind, TensorRT for RTX none at all: data and "
            "weights are widened, and it runs in FP32.",
     .fix = "Fold the normalization into its weights, or do not quantize it.",
     .source = "yolov7_qat guidance, NVIDIA-AI-IOT; TensorRT issue 2597; measured: "
               "TensorRT for RTX 1.7.1, six kinds of it"},
    {"qdq/no-gain", FSD_WARNING,
     "A quantizer stands before an operator that gains nothing by it.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_STANDS, .builders = NOT_RTX,
     .why =
         "A softmax, a normalization, a mask or a bias has no narrow kernel: what is "
         "rounded to 8 bits is widened again at once, and precision and a conversion "
         "are lost. In an attention or a normalization it cuts the region that would "
         "be one kernel.",
     .fix = "Exclude the operator from quantization.",
     .source =
         "NVIDIA Model-Optimizer, nodes that it excludes; TensorRT issue 4397; "
         "measured: TensorRT for RTX 1.7.1 takes such quantizers into its kernels"},
    {"qdq/attention", FSD_WARNING,
     "Quantizers in an attention keep it from being one kernel.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE,
     .why =
         "Fused attention multiplies twice in one type. Both products must be "
         "quantized or neither, and in INT8 there are kernels for heads of 16, 32 and "
         "64 and at most 512 positions only.",
     .fix = "Exclude both products from quantization, or use FP8.",
     .source = "TensorRT issues 4167 and 3724; the transformers' fused attention, "
               "TensorRT documentation"},
    {"qdq/small-product", FSD_INFO, "A quantized product is too small to gain by it.",
     LINT, .find = fsd_lint_places,
     .why =
         "Fewer than 16 columns or summands fill no tile of the matrix units, and the "
         "conversions around the product cost more than it saves.",
     .fix = "Exclude it from quantization.",
     .source = "NVIDIA Model-Optimizer, nodes that it excludes"},
    {"qdq/useless", FSD_WARNING, "A Q/DQ pair feeds nothing that computes.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_STANDS,
     .why = "It rounds, and stays as a layer of its own, or in the kernel before; that "
            "the result is transposed or reshaped first changes nothing.",
     .fix = "Delete it.", .source = "the TensorRT developer guide, Q/DQ placement"},
    {"qdq/after", FSD_WARNING,
     "Quantizers stand behind operators, not before those that run narrow.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_STANDS,
     .why = "A pair whose reader does not run narrow is a conversion there and back. "
            "Exporters that quantize what each operator makes have many.",
     .fix =
         "Let the exporter quantize the inputs of Conv, Gemm and MatMul only, and one "
         "branch of residual additions.",
     .source =
         "the TensorRT developer guide, Q/DQ placement; ONNX Runtime, quantization for "
         "TensorRT"},
    {"scale/one-tensor", FSD_WARNING, "Two quantizers of one tensor have other scales.",
     LINT, .find = fsd_lint_two_scales, .which = 0, .proves = FSD_PROVES_TWICE,
     .why = "Equal quantizers of one tensor are merged; unlike ones are two layers.",
     .fix = "Let them share a scale.",
     .source = "the TensorRT developer guide, Q/DQ placement; log of a QAT ResNet-18, "
               "HorizontalMergeQNodes"},
    {"scale/moved", FSD_WARNING,
     "A quantizer before and one behind an operator that moves data have other "
     "scales.",
     LINT, .find = fsd_lint_two_scales, .which = 1, .proves = FSD_PROVES_TWICE,
     .why =
         "A quantizer moves over a MaxPool, a Transpose or a Slice to its brother, and "
         "is merged with it when the scales are the same.",
     .fix = "Let them share a scale.", .source = "yolov7_qat, find_quantizer_pairs"},
    {"scale/concat", FSD_WARNING,
     "The branches of a Concat are quantized with other scales than what it makes.",
     LINT, .find = fsd_lint_two_scales, .which = 2, .proves = FSD_PROVES_STANDS,
     .builders = NOT_RTX,
     .why = "The quantizer behind a Concat is copied to each branch; one that already "
            "stands there with another scale leaves two, and a conversion each.",
     .fix = "Give all of them the greatest scale.",
     .source = "yolov7_qat: 180 to 207 queries a second"},
    {"scale/concat-inputs", FSD_WARNING,
     "The inputs of a Concat hold quantized data of several scales.", LINT,
     .find = fsd_lint_concat_inputs, .proves = FSD_PROVES_WIDE,
     .why = "Data of one scale is written where the Concat wants it; the others are "
            "quantized anew and copied.",
     .fix = "Give all of them the greatest scale.", .source = "yolov7_qat guidance"},
    {"scale/weight-axis", FSD_WARNING,
     "Scales of weights do not lie along the output channels.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE,
     .why =
         "A kernel scales what it sums up, which it can do for an output channel only.",
     .fix =
         "Set axis: 0 for Conv, 1 for ConvTranspose, for Gemm 0 with transB, else 1.",
     .source = "the TensorRT developer guide, explicit quantization"},
    {"scale/weights", FSD_INFO, "Weights have one scale for all output channels.", LINT,
     .find = fsd_lint_places,
     .why =
         "The channel with the greatest weights takes the steps of all others; kernels "
         "scale each output channel at no cost.",
     .fix = "Quantize weights per channel (per_channel=True, axis 0 of Conv).",
     .source = "the TensorRT developer guide, explicit quantization"},
    {"scale/data", FSD_WARNING, "A quantizer of data has several scales.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE,
     .why = "Kernels multiply data of one scale; with several it is dequantized first.",
     .fix = "Use one scale for data.",
     .source = "the TensorRT developer guide, explicit quantization"},
    {"scale/axis-moved", FSD_WARNING,
     "Scales lie along an axis that the next operator moves.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE,
     .why =
         "A quantizer with a scale a channel cannot move over what mixes the channels, "
         "so that data stays wide there.",
     .fix = "Use one scale, or quantize behind the operator.",
     .source = "the TensorRT developer guide, Q/DQ placement"},
    {"scale/zero-point", FSD_ERROR, "A zero point is not 0.", LINT,
     .find = fsd_lint_places,
     .why = "TensorRT quantizes symmetrically and refuses the model.",
     .fix = "Quantize symmetrically (ActivationSymmetric, WeightSymmetric).",
     .source = "onnx-tensorrt, docs/operators.md; measured: TensorRT for RTX 1.7.1"},
    {"scale/bad", FSD_ERROR, "A scale is 0, negative, infinite or no number.", LINT,
     .find = fsd_lint_places,
     .why =
         "Nothing can be rounded with it: the parser refuses it, or all that comes out "
         "is 0 or no number.",
     .fix = "Calibrate the tensor; exclude what has no range.",
     .source = "onnx-tensorrt; measured: TensorRT for RTX 1.7.1"},
    {"scale/block", FSD_WARNING, "Blocks of scales do not fit the type or the axis.",
     LINT, .find = fsd_lint_places,
     .why =
         "Blocked types are read in blocks of one size: 16 for NVFP4, 32 for MXFP8; a "
         "rest has no scale.",
     .fix = "Quantize with that block size, along an axis that is a multiple of it.",
     .source =
         "ONNX operator specification, opset 21 and 23; the TensorRT developer guide, "
         "block quantization"},
    {"scale/unknown", FSD_INFO,
     "Scales cannot be read, and were compared with nothing.", LINT,
     .find = fsd_lint_places,
     .why = "Scales that are computed, too many, or in a file that is absent equal "
            "nothing and differ from nothing.",
     .fix = "Keep scales in the model's file.", .source = "this program's limits"},
    {"channels/alignment", FSD_INFO, "Channels fill no whole vector of their type.",
     LINT, .find = fsd_lint_channels,
     .why = "Tensor cores read 32 channels of INT8 and 8 of FP16 at once; the rest is "
            "padded, and between kernels of other paddings data is moved.",
     .fix = "Make channels a multiple, where the network is still to be trained.",
     .source =
         "trt-engine-explorer's checks; TensorRT issue 4039; NVIDIA Model-Optimizer"},
    {"cast/round-trip", FSD_WARNING, "A tensor is cast to another type and back.", LINT,
     .find = fsd_lint_places,
     .why = "The second cast brings back the type, not what the first one lost.",
     .fix = "Remove both, or keep the type of what stands around.",
     .source = "this program"},
    {"cast/fp16-range", FSD_INFO,
     "Nodes are FP16 in the model that may leave its range or lose small terms in it.",
     LINT, .find = fsd_lint_places, .builders = FSD_STRONG,
     .why =
         "A strongly typed builder computes them in FP16, which ends at 65,504 and has "
         "11 bits: a normalization or a power squares, and a long sum loses what is "
         "small.",
     .fix = "Where outputs are wrong, let them compute in FP32 between Casts: "
            "`lint --fix=cast/fp16-range`. A Cast in an attention may part its kernel.",
     .source = "this program; measured: TensorRT for RTX 1.7.1 computes a softmax of "
               "FP16 without a Cast"},
    {"precision/fp32-rest", FSD_INFO,
     "Operators are left in FP32 beside quantized ones.", LINT, .find = fsd_lint_places,
     .proves = FSD_PROVES_WIDE, .builders = FSD_STRONG,
     .why =
         "A strongly typed builder chooses no type: what is not quantized runs as it "
         "is exported, mostly FP32, with a conversion at each border.",
     .fix = "Export the rest in FP16 or BF16 (AutoCast).",
     .source = "TensorRT 11 migration guide; ultralytics issue 26159"},
    {"size/dynamic", FSD_INFO,
     "A size that only a run knows keeps a kernel from taking in what stands beside "
     "it.",
     LINT, .find = fsd_lint_padded, .which = 0, .proves = FSD_PROVES_APART,
     .builders = FSD_RTX,
     .why =
         "Products are computed in whole vectors of summands and of columns. Where "
         "one of these sizes is open, kernels of their own pad what is read and cut "
         "what is made; and a convolution takes the padding before it only of a "
         "picture whose size is known. An open batch, open rows, the length of an "
         "attention in 16 bits and an open picture of convolutions without a Pad cost "
         "nothing.",
     .fix =
         "Export that axis with a fixed size, or an attention in FP16 or BF16; put the "
         "padding into the convolution's pads.",
     .source =
         "measured: TensorRT for RTX 1.7.1, each network with fixed and with open "
         "sizes; of other builders it is not known"},
    {"size/odd", FSD_INFO,
     "A product over an odd number of summands, or into an odd number of columns.",
     LINT, .find = fsd_lint_padded, .which = 1, .proves = FSD_PROVES_APART,
     .builders = FSD_RTX,
     .why =
         "It is computed in pairs: kernels of their own pad what is read and no stored "
         "weight, and cut what is made. Odd rows and batches, a single column, and an "
         "attention in 16 bits cost nothing.",
     .fix = "Pad tokens, windows or classes to an even number in the model.",
     .source = "measured: TensorRT for RTX 1.7.1, thirty products of FP32 and FP16; of "
               "other builders it is not known"},
    {"fusion/missed", FSD_WARNING,
     "Operators that a builder fuses are layers apart, and nothing in the model "
     "says why.",
     BUILT, .find = fsd_lint_missed_fusion, .builders = NOT_RTX,
     .why =
         "Convolution, normalization and ReLU, and a residual addition behind, are one "
         "layer where the conditions of the fusion catalogue hold.",
     .fix =
         "Look at the types on both sides, and at who else reads the tensor between.",
     .source = "TensorRT fusion catalogue"},
    {"engine/symptom", FSD_INFO,
     "A finding on the engine, and the rule on the model that explains it.", BUILT,
     .find = fsd_lint_symptoms,
     .why = "What stands in an engine was put there by the model, mostly.",
     .fix = "See the rule that is named.", .source = "this program"},
    /* Last, when it is known which ignores were of use. */
    {"policy", FSD_WARNING,
     "An ignore of the policy has expired, or a word of it matches nothing.", CASE,
     fsd_find_stale_policy, 0, 0, .budget = {-1, -1, -1},
     .why = "A gate that asks for nothing passes everything.",
     .fix = "Change the line of the policy that the finding names."},
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
        p->rules[i] =
            (struct fsd_policy_rule){rules[i].level, rules[i].budget, false, false};
    p->noise = 0.02;
    p->noise_cap = 0.1;
    return p;
}

void fsd_policy_free(struct fsd_policy *policy)
{
    if (policy)
        fsd_arena_free(policy->arena);
}
