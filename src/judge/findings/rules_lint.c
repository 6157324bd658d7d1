/* The table of lint rules, which read a model before its build. The last rule is on the
 * policy. */
#include "judge/findings/finder.h"
#include "judge/lint/lint.h"

enum { LINT = FSD_NEEDS_LINT, BUILT = FSD_NEEDS_LINT | FSD_NEEDS_ENGINE };
/* All builders but TensorRT for RTX. In a compiled region of RTX, one kernel can
 * compute a quantizer and the operators before and after it, so the quantizer does not
 * separate these operators. */
#define NOT_RTX (FSD_TRT8 | FSD_TRT10 | FSD_TRT11)

/* What applies the edits that the rules below propose. */
#define EDIT_LIST     "the edit list of `lint -f json`"
#define FIX           FSD_IF_EDIT("`lint --fix`", EDIT_LIST)
#define FIX_RANGE     FSD_IF_EDIT("`lint --fix=cast/fp16-range`", EDIT_LIST)
#define FIX_ATTENTION FSD_IF_EDIT("Run `lint --fix=fusion/attention` to apply", "Apply")
#define FIXED         FSD_IF_EDIT("written by `--fix`", "with these edits")

static const struct fsd_rule lint_rules[] = {
    {"build/refused", FSD_ERROR,
     "The builder does not support an operator, a type or an attribute.", LINT,
     .find = fsd_lint_refused, .proves = FSD_PROVES_BUILT,
     .why = "The parser or the compiler stops the build at the first unsupported node "
            "and does not check the rest of the model.",
     .fix = "Apply " FIX " where it proposes an edit; otherwise replace the "
            "operator, export with another opset, use a plugin, or compute the "
            "operator outside the engine.",
     .source =
         "rtx: measured for fusiondiff with TensorRT for RTX 1.7.1 (for each row of "
         "src/judge/lint/refusals.c, the builder refused one model and built a "
         "similar model); trt8, trt10, trt11: reported by users (each row names its "
         "source)"},
    {"build/absent-weights", FSD_INFO,
     "A file with weights of the model is missing or too short.", LINT,
     .find = fsd_lint_absent,
     .why = "The parser fails to read the weight files that the model names.",
     .fix = "Put the file into the folder of the model, under the name that the "
            "model states. A clone without Git LFS has only a pointer: fetch the file.",
     .source =
         "any builder: by definition of external data in ONNX; TensorRT for RTX "
         "1.7.1 says \"Failed to open file\", or \"Unexpected size for the external "
         "weights\""},
    {"build/not-known", FSD_INFO,
     "It is unknown whether the builder supports an operator, or whether the operator "
     "works for all sizes of an input.",
     LINT, .find = fsd_lint_not_known,
     .why = "The operator was never tested with this builder, belongs to a custom "
            "domain, or is too new for this version of fusiondiff. The finding also "
            "appears if two dynamic axes of an input have the same name.",
     .fix = "Try to build the model, or add a plugin that computes the operator. Give "
            "each dynamic axis its own name.",
     .source = "any builder: the table in src/judge/lint/refusals.c has no row for "
               "the operator"},
    {"build/ceil-mode", FSD_WARNING,
     "A pooling operator with ceil_mode has a larger output in TensorRT than in ONNX.",
     LINT, .find = fsd_lint_ceil_mode,
     .why = "ONNX omits a window that would start in the padding after the data: "
            "opset 22 specifies this, and ONNX Runtime and the ONNX reference omit "
            "such windows at every opset. TensorRT keeps the window, so the output "
            "tensor is larger in the engine. The next layers then either fail to "
            "build, or process an extra row that the model does not have.",
     .fix = "Set ceil_mode to 0, and set the padding after the data to the value that "
            "the finding states.",
     .source = "rtx: measured for fusiondiff, TensorRT for RTX 1.7.1, 4,080 pooling "
               "nodes; trt8, trt10, trt11: documented by NVIDIA, NvInfer.h, "
               "PaddingMode kEXPLICIT_ROUND_UP"},
    {"qdq/residual", FSD_ERROR,
     "A residual addition has quantizers on neither branch, or on both.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE,
     .why = "If the skip branch is INT8, TensorRT fuses the addition into the "
            "quantized convolution of the other branch. If the skip branch has no "
            "quantizer, the sum and all its consumers stay in 16 or 32 bits. A "
            "quantizer between the convolution and the addition prevents the fusion.",
     .fix = "Add one Q/DQ pair on the skip branch, with the scale of the quantizer "
            "at the block's input. Remove each pair between the convolution and the "
            "addition.",
     .source =
         "rtx: measured for fusiondiff, 23 models, 67 builds: after the fix, 22 models "
         "move fewer bytes (up to 20 %) and no model moves more; the rule excludes "
         "convolutions on the skip branch, and convolutions whose weights all have one "
         "scale (the fix would cause up to 16 % more bytes); trt8, trt10, "
         "trt11: documented by NVIDIA, "
         "the TensorRT developer guide, Q/DQ placement; reported by users, NVIDIA "
         "Model-Optimizer pull requests 425 and 2024, TensorRT issue 2204"},
    {"qdq/open-sum", FSD_WARNING,
     "An input of a residual addition is quantized, but the sum is not.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE, .builders = NOT_RTX,
     .why = "One INT8 kernel can compute the convolution and the addition only if the "
            "sum is quantized. If the sum stays in higher precision, for example "
            "before the last pooling of a network, the quantizer of the skip branch "
            "runs as a layer of its own.",
     .fix = "Quantize the sum: add a Q/DQ pair before its consumers.",
     .source = "trt8, trt10, trt11: reported by users (profiles of a QAT ResNet-18 by "
               "trt-engine-explorer, TensorRT 8.4); not for rtx: measured for "
               "fusiondiff (11 models, 22 builds): after the fix, 1 model moves fewer "
               "bytes, and 1 model moves more"},
    {"qdq/one-sided", FSD_WARNING,
     "An operator reads quantized data or quantized weights, but not both.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE,
     .why = "An INT8 kernel needs two quantized inputs. If only one input is "
            "quantized, TensorRT dequantizes this input and runs the operator in "
            "higher precision.",
     .fix = "Quantize both inputs or neither input.",
     .source = "rtx: measured for fusiondiff, 11 models, 32 builds: after the fix, 10 "
               "models move fewer bytes (median 14 %, up to 38 %), and no model moves "
               "more; trt8, trt10, trt11: documented by NVIDIA, the TensorRT developer "
               "guide, Q/DQ placement; reported by users, TensorRT issue 3197"},
    {"qdq/inside-conv", FSD_WARNING,
     "A quantizer separates an operator from its activation or normalization.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_STANDS, .builders = NOT_RTX,
     .why = "Builders fuse a convolution with its normalization and activation and "
            "quantize the result. A Q/DQ pair between these operators splits them into "
            "two layers with a higher-precision tensor in between.",
     .fix = "Move the pair after the activation.",
     .source =
         "trt8, trt10, trt11: documented by NVIDIA, the TensorRT developer guide, Q/DQ "
         "placement; reported by users, TensorRT issue 2592; not for rtx: measured for "
         "fusiondiff (9 models, 27 builds): without the pairs, 8 models move as many "
         "bytes as before; 1 model, which rule qdq/silu reports, moves fewer bytes"},
    {"qdq/island", FSD_WARNING,
     "An operator without a quantizer is between quantized operators.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE,
     .why = "TensorRT cannot move a quantizer across an operator that averages or "
            "normalizes. If the input of this operator has no quantizer, the input "
            "stays in higher precision: the preceding operator writes 16 or 32 bits "
            "per element, and extra layers convert the data before and after the "
            "averaging or normalizing operator.",
     .fix = "Add a Q/DQ pair before the operator without a quantizer.",
     .source =
         "rtx: measured for fusiondiff, 42 models, 106 builds: after the fix, 21 "
         "models move fewer bytes (up to 25 %), and no model moves more; the rule "
         "excludes operators before an FP8 quantizer, because the fix makes 2 of 8 "
         "such models move 5 % more bytes (20 builds); trt8, trt10, trt11: documented "
         "by NVIDIA, the TensorRT developer guide, Q/DQ placement; reported by users, "
         "TensorRT issue 2976"},
    {"qdq/silu", FSD_WARNING, "A quantizer is inside a SiLU.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_STANDS,
     .why = "TensorRT fuses Sigmoid and Mul with the convolution before them only if "
            "nothing is in between.",
     .fix = "Remove the quantizers inside the SiLU. If you must quantize the SiLU, "
            "give all quantizers inside it the same scale.",
     .source = "rtx: measured for fusiondiff, 3 models, 9 builds: after the fix, 2 "
               "models move fewer bytes (10 and 25 %), and no model moves more; trt8, "
               "trt10, trt11: reported by users (zmurder's notes on quantization; "
               "pytorch/TensorRT issue 3678)"},
    {"qdq/pad", FSD_WARNING, "A quantizer is between a Pad and its convolution.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_STANDS, .builders = NOT_RTX,
     .why =
         "TensorRT fuses the Pad into the convolution only if nothing is in between.",
     .fix = "Move the pair before the Pad, or use the convolution's own `pads`.",
     .source = "trt8, trt10, trt11: reported by users, TensorRT issue 2592; not for "
               "rtx: measured for fusiondiff, 1 model, 2 builds: after the fix, the "
               "model moves as many bytes as before"},
    {"qdq/deconv", FSD_WARNING, "A quantized ConvTranspose has no INT8 kernel.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE,
     .builders = FSD_TRT8 | FSD_TRT10 | FSD_RTX,
     .why = "TensorRT 8 and 10 have no INT8 kernel for a ConvTranspose if a "
            "normalization, activation or Concat follows. TensorRT for RTX has no INT8 "
            "kernel for any ConvTranspose. The builder dequantizes the data and "
            "weights, and the operator runs in FP32.",
     .fix = "Fold the normalization into the weights of the operator, or do not "
            "quantize the operator.",
     .source =
         "rtx: measured for fusiondiff, TensorRT for RTX 1.7.1, six kinds of this "
         "operator; trt8, trt10: reported by users, yolov7_qat guidance by "
         "NVIDIA-AI-IOT and TensorRT issue 2597"},
    {"qdq/no-gain", FSD_WARNING,
     "A quantizer precedes an operator that gains nothing from quantization.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_STANDS, .builders = NOT_RTX,
     .why = "Softmax, normalizations, masks and biases have no low-precision kernel: "
            "the engine rounds the data to 8 bits and immediately converts it back, "
            "which costs accuracy and time. Inside an attention or a "
            "normalization, the quantizer splits the kernel.",
     .fix = "Exclude the operator from quantization.",
     .source = "trt8, trt10, trt11: documented by NVIDIA (Model-Optimizer excludes "
               "these nodes) and reported by users (TensorRT issue 4397); not for rtx: "
               "measured for fusiondiff (2 models, 6 builds): without the pairs, 1 "
               "model moves 8 % fewer bytes, and 1 model moves 63 % more"},
    {"qdq/attention", FSD_WARNING,
     "Quantizers inside an attention prevent the fused attention kernel.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE,
     .why = "Fused attention computes both matrix products in one type, so you must "
            "quantize both products or neither product. INT8 kernels exist only "
            "for attentions with head size 16, 32 or "
            "64 and with at most 512 keys.",
     .fix = "Exclude both products from quantization, or use FP8.",
     .source =
         "rtx: measured for fusiondiff, 1 model, 2 builds: after the fix, the model "
         "moves 19 % fewer bytes; trt8, trt10, trt11: documented by NVIDIA, fused "
         "attention; reported by users, TensorRT issues 4167 and 3724"},
    {"qdq/small-product", FSD_INFO,
     "A quantized matrix product is too small to gain from INT8.", LINT,
     .find = fsd_lint_places,
     .why = "A matrix product does not fill a tile of the tensor cores if its inner "
            "dimension (K) or its number of columns (N) is less than 16. The "
            "conversions before and after such a "
            "product cost more time than INT8 saves.",
     .fix = "Exclude this matrix product from quantization.",
     .source = "any builder: documented by NVIDIA, the nodes that Model-Optimizer "
               "excludes"},
    {"qdq/useless", FSD_WARNING, "A Q/DQ pair feeds no operator that computes.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_STANDS, .notes = FSD_RTX,
     .why = "The pair only rounds a tensor, in a layer of its own or in the preceding "
            "kernel. This is also true if a Transpose or Reshape follows the pair.",
     .fix = "Remove the pair. With TensorRT for RTX, the removal saves nothing.",
     .source =
         "rtx: measured for fusiondiff, 22 models, 47 builds: without the pair, no "
         "model moves fewer bytes, and 4 models move more bytes (up to 9 %), so for "
         "rtx, the finding has the level info; trt8, trt10, trt11: documented by "
         "NVIDIA, the TensorRT developer guide, Q/DQ placement"},
    {"qdq/after", FSD_WARNING,
     "A quantizer after an operator feeds only operators that run in higher precision.",
     LINT, .find = fsd_lint_places, .proves = FSD_PROVES_STANDS, .builders = NOT_RTX,
     .why = "If the consumer of a pair does not run in low precision, the pair only "
            "rounds the tensor. Exporters that quantize the output of each "
            "operator add many such pairs.",
     .fix = "Configure the exporter to quantize only the inputs of Conv, Gemm and "
            "MatMul, and one branch of each residual addition.",
     .source =
         "trt8, trt10, trt11: documented by NVIDIA, the TensorRT developer guide, Q/DQ "
         "placement; ONNX Runtime, quantization for TensorRT; not for rtx: measured "
         "for fusiondiff (41 models, 82 builds): without the pairs, 1 model moves "
         "fewer bytes (rule qdq/silu reports this model), and 9 models move more bytes "
         "(up to 28 %); in each of the 9 models, a removed pair was on a skip branch"},
    {"scale/one-tensor", FSD_WARNING,
     "Two quantizers of one tensor have different scales.", LINT,
     .find = fsd_lint_two_scales, .which = 0, .proves = FSD_PROVES_TWICE,
     .why = "TensorRT merges equal quantizers of one tensor; different quantizers "
            "become two layers.",
     .fix = "Use one scale for both quantizers.",
     .source =
         "rtx: measured for fusiondiff, 6 models, 17 builds: after the fix, 5 models "
         "move fewer bytes (up to 17 %), and no model moves more; trt8, trt10, trt11: "
         "documented by NVIDIA, the TensorRT developer guide, Q/DQ placement; the pass "
         "HorizontalMergeQNodes in the log of a QAT ResNet-18"},
    {"scale/moved", FSD_WARNING,
     "The quantizers before and after a data-movement operator have different "
     "scales.",
     LINT, .find = fsd_lint_two_scales, .which = 1, .proves = FSD_PROVES_TWICE,
     .why = "TensorRT moves a quantizer across a MaxPool, Transpose or Slice. If the "
            "quantizer on the other side has the same scale, TensorRT merges both "
            "quantizers.",
     .fix = "Use one scale for both quantizers.",
     .source =
         "rtx: measured for fusiondiff, 12 models, 25 builds: after the fix, 7 models "
         "move fewer bytes (up to 4 %), and no model moves more; trt8, trt10, trt11: "
         "documented by NVIDIA, the function find_quantizer_pairs of yolov7_qat"},
    {"scale/concat", FSD_WARNING,
     "The quantizer on a branch of a Concat has a different scale than the quantizer "
     "after the Concat.",
     LINT, .find = fsd_lint_two_scales, .which = 2, .proves = FSD_PROVES_STANDS,
     .why = "If a quantizer follows a Concat, TensorRT copies this quantizer to each "
            "branch. If a branch already has a quantizer with a different scale, the "
            "branch then has two quantizers, and the engine converts the data between "
            "both scales.",
     .fix = "Use one scale for the quantizers of all inputs and of the output: the "
            "largest of their current scales.",
     .source = "rtx: measured for fusiondiff, 14 models, 41 builds: after the fix, 12 "
               "models move fewer bytes (INT8 1 %, FP8 up to 11 %), and no model "
               "moves more; trt8, trt10, trt11: documented by NVIDIA, yolov7_qat: the "
               "change increases the throughput from 180 to 207 queries per second"},
    {"scale/concat-inputs", FSD_WARNING,
     "The inputs of a Concat are quantized with different scales.", LINT,
     .find = fsd_lint_concat_inputs, .proves = FSD_PROVES_WIDE,
     .why = "If an input and the output have the same scale, the layer that computes "
            "the input writes directly into the output. Otherwise, TensorRT "
            "requantizes and copies this input.",
     .fix = "Use one scale for the quantizers of all inputs and of the output: the "
            "largest of their current scales.",
     .source =
         "rtx: measured for fusiondiff, 1 model, 2 builds: after the fix, the model "
         "moves 22 % fewer bytes; if a quantizer follows the Concat, the fix gains "
         "nothing (16 models, 44 builds: no model moves fewer bytes, 2 models move "
         "more); trt8, trt10, trt11: documented by NVIDIA, yolov7_qat guidance"},
    {"scale/weight-axis", FSD_WARNING,
     "The scales of weights are not along the output channels.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE,
     .why = "A kernel multiplies each sum of an output channel by one weight scale, "
            "so it cannot apply scales along another axis.",
     .fix = "Set the `axis` of the weight quantizer to 0 for Conv and for Gemm with "
            "transB, and to 1 for ConvTranspose and for Gemm without transB.",
     .source = "rtx: measured for fusiondiff, 1 model, 2 builds: after the fix, the "
               "model moves 28 % fewer bytes; trt8, trt10, trt11: documented by "
               "NVIDIA, the TensorRT developer guide, explicit quantization"},
    {"scale/weights", FSD_INFO, "Weights have one scale for all output channels.", LINT,
     .find = fsd_lint_places,
     .why = "The channel with the largest weights determines the step size of all "
            "other channels, although kernels can apply a scale per output channel at "
            "no cost.",
     .fix = "Quantize weights per channel (per_channel=True, axis 0 for Conv).",
     .source = "any builder: documented by NVIDIA, the TensorRT developer guide, "
               "explicit quantization; rtx: measured for fusiondiff, 35 models, 70 "
               "builds: with one scale for all channels, 14 models move more bytes (up "
               "to 9 %) or have one more layer, and 21 models move the same bytes as "
               "with one scale per channel; the 14 models have a convolution before an "
               "addition"},
    {"scale/bias", FSD_INFO,
     "The scale of a bias is not the product of the input scale and the weight scale.",
     LINT, .find = fsd_lint_places,
     .why = "Kernels add the bias to sums. The scale of these sums is the product of "
            "the input scale and the weight scale. If the bias has a different scale, "
            "ONNX Runtime runs a convolution in FP32 (since version 1.27), and adds a "
            "wrong bias in a fused matrix multiplication.",
     .fix = "Quantize the bias with the product of both scales, or keep the bias in "
            "FP32 without quantizers.",
     .source = "any builder: measured for fusiondiff, ONNX Runtime 1.16 to 1.32"},
    {"scale/data", FSD_WARNING, "A quantizer of activations has several scales.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE,
     .why = "INT8 kernels read activations with a single scale. If activations have "
            "several scales, TensorRT dequantizes the activations before the operator.",
     .fix = "Use one scale per activation tensor.",
     .source = "rtx: measured for fusiondiff, 1 model, 2 builds: after the fix, the "
               "model moves 28 % fewer bytes; trt8, trt10, trt11: documented by "
               "NVIDIA, the TensorRT developer guide, explicit quantization"},
    {"scale/axis-moved", FSD_WARNING,
     "The scales of a quantizer are along an axis that the next operator moves.", LINT,
     .find = fsd_lint_places, .proves = FSD_PROVES_WIDE,
     .why = "TensorRT cannot move a quantizer with several scales across an operator "
            "that moves the axis of these scales, so the operator runs in higher "
            "precision.",
     .fix = "Use a single scale, or quantize after the operator.",
     .source = "any builder: documented by NVIDIA, the TensorRT developer guide, "
               "Q/DQ placement"},
    {"scale/zero-point", FSD_ERROR, "A zero point is not 0.", LINT,
     .find = fsd_lint_places,
     .why = "TensorRT supports only symmetric quantization, so it refuses the model.",
     .fix =
         "Quantize symmetrically (ActivationSymmetric, WeightSymmetric), or apply " FIX
         ", which sets symmetric scales.",
     .source =
         "rtx: measured for fusiondiff, TensorRT for RTX 1.7.1: the builder refuses 27 "
         "models, and builds all of them after " FIX "; trt8, trt10, "
         "trt11: documented by NVIDIA, onnx-tensorrt, docs/operators.md"},
    {"scale/bad", FSD_ERROR, "A scale is 0, negative, infinite or NaN.", LINT,
     .find = fsd_lint_places,
     .why =
         "Either the parser refuses such a scale, or the engine quantizes every value "
         "to 0 or NaN.",
     .fix = "Calibrate the tensor. If calibration finds no range of values, do not "
            "quantize the tensor.",
     .source =
         "rtx: measured for fusiondiff, TensorRT for RTX 1.7.1; trt8, trt10, trt11: "
         "documented by NVIDIA, onnx-tensorrt"},
    {"scale/block", FSD_WARNING,
     "The block size of scales does not fit the type or the axis.", LINT,
     .find = fsd_lint_places,
     .why = "Blocked types have a fixed block size: 16 for NVFP4, 32 for MXFP8. An "
            "incomplete block has no scale.",
     .fix = "Use the block size of the type, along an axis whose size is a multiple of "
            "this block size.",
     .source = "any builder: the ONNX operator specification, opset 21 and 23; "
               "documented by NVIDIA, the TensorRT developer guide, block "
               "quantization"},
    {"scale/unknown", FSD_INFO,
     "fusiondiff could not read some scales and did not compare them.", LINT,
     .find = fsd_lint_places,
     .why = "fusiondiff cannot compare scales if nodes compute them, if the external "
            "file with the scales is missing, or if a quantizer has too many scales.",
     .fix = "Store the scales in the model file.",
     .source = "any builder: limits of fusiondiff itself"},
    {"channels/alignment", FSD_INFO,
     "A channel count is not a multiple of the vector width of the data type.", LINT,
     .find = fsd_lint_channels, .builders = NOT_RTX,
     .why =
         "Tensor cores read 32 INT8 channels or 8 FP16 channels at once. TensorRT pads "
         "the channels to whole vectors, and copies the data between two kernels if "
         "their padding differs.",
     .fix = "If you can still train the network, use a channel count that is a "
            "multiple of the vector width.",
     .source = "trt8, trt10, trt11: reported by users, trt-engine-explorer and "
               "TensorRT issue 4039; documented by NVIDIA, Model-Optimizer; not for "
               "rtx: measured for fusiondiff, TensorRT for RTX does not pad the "
               "channels of the tensors"},
    {"cast/round-trip", FSD_WARNING, "A tensor is cast to another type and back.", LINT,
     .find = fsd_lint_places,
     .why = "The second Cast restores the type, but not the lost precision.",
     .fix = "Remove both Casts, so that the tensor keeps its type.",
     .source = "any builder: by definition of the types"},
    {"cast/fp16-range", FSD_INFO,
     "FP16 nodes of the model may exceed the range of FP16 or lose small terms.", LINT,
     .find = fsd_lint_fp16_range, .builders = FSD_STRONG,
     .why = "A strongly typed build computes these nodes in FP16. FP16 has 11 "
            "significant bits, and its largest number is 65,504: powers, and squares "
            "inside normalizations, may overflow, and long sums lose small terms.",
     .fix = "If the outputs are inaccurate, compute these nodes in FP32: " FIX_RANGE
            " adds the Casts before and after these nodes. A "
            "Cast inside an attention may split the kernel of the attention. If you "
            "pass the tensors of an FP32 run (--values), fusiondiff decides from these "
            "values which nodes exceed the range.",
     .source =
         "rtx: measured for fusiondiff: TensorRT for RTX 1.7.1 computes a softmax in "
         "FP16 without a Cast; models that overflow in FP16 were run with the ONNX "
         "reference and with ONNX Runtime, before and after the fix; trt11: by "
         "definition of strongly typed networks"},
    {"precision/fp32-rest", FSD_INFO, "Operators of a quantized model remain in FP32.",
     LINT, .find = fsd_lint_places, .proves = FSD_PROVES_WIDE, .builders = FSD_STRONG,
     .why = "A strongly typed build does not choose types: unquantized operators run "
            "in the exported type, mostly FP32, and the engine converts data before "
            "and after them.",
     .fix = "Export the unquantized operators in FP16 or BF16 (AutoCast).",
     .source = "rtx: measured for fusiondiff, 1 model, 2 builds; trt11: documented by "
               "NVIDIA, TensorRT 11 migration guide; reported by users, ultralytics "
               "issue 26159"},
    {"size/dynamic", FSD_INFO,
     "A dynamic dimension prevents the fusion of adjacent operators.", LINT,
     .find = fsd_lint_padded, .which = 0, .proves = FSD_PROVES_APART,
     .builders = FSD_RTX,
     .why =
         "Kernels compute whole vectors along the inner dimension (K) and the columns "
         "(N) of a matrix product. If K or N is dynamic, separate kernels pad the "
         "inputs and slice the output. The kernel of a convolution includes the "
         "preceding Pad only if the image size is static. Other dynamic sizes cost "
         "nothing: the batch size, the number of rows, the sequence length of a "
         "16-bit attention, and the image size of a convolution without a Pad.",
     .fix = "Export the dynamic axis with a fixed size. If the axis must stay dynamic, "
            "export attention in FP16 or BF16, and replace a Pad by the `pads` of the "
            "convolution.",
     .source = "rtx: measured for fusiondiff, TensorRT for RTX 1.7.1, each network "
               "with fixed and with dynamic sizes; not known for other builders"},
    {"size/odd", FSD_INFO,
     "The inner dimension (K) or the number of columns (N) of a matrix product is odd.",
     LINT, .find = fsd_lint_padded, .which = 1, .proves = FSD_PROVES_APART,
     .builders = FSD_RTX,
     .why =
         "Kernels read and write two elements at a time along the inner dimension (K) "
         "and the columns (N). If K or N is odd, separate kernels pad the inputs "
         "(except stored weights) and slice the output. There is no such cost for "
         "an odd number of rows or batches, for a single column, and for a 16-bit "
         "attention.",
     .fix = "In the model, pad the number of tokens, windows or classes to an even "
            "number.",
     .source = "rtx: measured for fusiondiff, TensorRT for RTX 1.7.1, thirty products "
               "of FP32 and FP16; not known for other builders"},
    {"fusion/attention", FSD_INFO,
     "The builder will not compute an attention in one kernel.", LINT,
     .find = fsd_lint_attention, .proves = FSD_PROVES_APART,
     .builders = FSD_RTX | FSD_TRT10 | FSD_TRT11, .slow = true,
     .why = "If one kernel computes an attention, it does not write the scores to "
            "memory. The builder has such a kernel only for certain types, head sizes "
            "and forms: docs/reference/fusion.md lists all conditions, and how often "
            "each condition was observed.",
     .fix = FIX_ATTENTION
     " the edits that `lint -f json` "
     "lists for this rule. If a finding names an edit that `lint -f json` does "
     "not list, make this edit by hand. If a finding names no edit, no helpful "
     "change of the model is known.",
     .source =
         "rtx: measured for fusiondiff, TensorRT for RTX 1.7.1, 300 blocks that "
         "differ in one factor each, the attentions of 40 models, and 24 models " FIXED
         "; trt10, trt11: documented by NVIDIA, "
         "Inference Library, Fused Attention"},
    {"fusion/missed", FSD_WARNING,
     "The builder did not fuse operators that it normally fuses; no reason is known.",
     BUILT, .find = fsd_lint_missed_fusion, .builders = NOT_RTX,
     .why = "TensorRT computes a convolution, normalization, ReLU and residual "
            "addition in one layer if the conditions of NVIDIA's fusion catalog hold.",
     .fix = "Check the types of both layers, and the other consumers of the tensor "
            "between them.",
     .source = "trt8, trt10, trt11: documented by NVIDIA, TensorRT fusion catalog"},
    {"engine/symptom", FSD_INFO,
     "A rule about the model explains a finding about the engine.", BUILT,
     .find = fsd_lint_symptoms,
     .why = "Most findings about an engine have their cause in the structure of the "
            "model.",
     .fix = "Follow the advice of the rule that the finding names. If a finding names "
            "no rule, no helpful change of the model is known.",
     .source = "any builder: see the sources of the rules that the finding names"},
    /* This rule is last, because only then it is known which ignores had an effect. */
    {"policy", FSD_WARNING,
     "An ignore entry of the policy has expired, or a name in the policy matches "
     "nothing.",
     FSD_NEEDS_CASE, fsd_find_stale_policy, 0, 0, .budget = {-1, -1, -1},
     .why = "An entry that matches nothing has no effect on the check.",
     .fix = "Correct the line of the policy that the finding names."},
};

const struct fsd_rule *fsd_lint_rule_at(unsigned i)
{
    enum { N = FSD_COUNT_OF(lint_rules) };

    return i < N ? &lint_rules[i] : fsd_export_rule_at(i - N);
}
