/* The rules of lint: what a model shows before its build; and, last, that on the
 * policy. */
#include "judge/findings/finder.h"
#include "judge/lint/lint.h"

enum {
    CASE = FSD_NEEDS_CASE,
    LINT = FSD_NEEDS_LINT,
    BUILT = FSD_NEEDS_LINT | FSD_NEEDS_ENGINE
};
/* Compiled regions round inside their kernels: there a quantizer separates nothing. */
#define NOT_RTX (FSD_TRT8 | FSD_TRT10 | FSD_TRT11)

static const struct fsd_rule rules[] = {
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

const struct fsd_rule *fsd_lint_rule_at(unsigned i)
{
    enum { N = FSD_COUNT_OF(rules) };

    return i < N ? &rules[i] : fsd_export_rule_at(i - N);
}
