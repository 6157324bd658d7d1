/*
 * The table of what builders refuse. Each row is a reason, with its source; to add a
 * reason, add a row.
 *
 * Rows for RTX were measured with the versions 1.4 to 1.7 on ONNX's own test models,
 * and on one small model for each type, operator and compute capability. `why` states
 * the reason that RTX gives. Rows for the other families come from the parser's list of
 * operators, and hold for all versions of the parser. An operator without a row is not
 * always supported: fsd_lint_import() returns whether the builder has an importer.
 */
#include "judge/lint/row.h"
#include "model/graph/graph.h"

#define MEASURED "measured: TensorRT for RTX 1.7.1"
#define LISTED   "onnx-tensorrt, docs/operators.md; " MEASURED
#define T(type)  (UINT64_C(1) << FSD_##type)

#define STRANGE                                                                        \
    (T(STRING) | T(COMPLEX64) | T(COMPLEX128) | T(UINT16) | T(UINT32) | T(UINT64) |    \
     T(INT16) | T(UINT4) | T(FP8E8M0) | T(FP8E5M2) | T(FP8E5M2FNUZ) | T(FP8E4M3FNUZ) | \
     T(INT2) | T(UINT2))
#define NARROW (T(FP8) | T(FP4) | T(INT4) | T(UINT4))

#define QDQ                                                                            \
    " QuantizeLinear DequantizeLinear TRT_FP8QuantizeLinear TRT_FP8DequantizeLinear "  \
    "TRT_INT4QuantizeLinear TRT_INT4DequantizeLinear "

static const struct fsd_refusal_row refusals[] = {
    /* Reasons in the graph. */
    {NULL, FSD_ANY_BUILDER, .holds = fsd_refused_makes_again,
     .is = {"another node outputs a tensor with the same name: rename one of the two "
            "tensors",
            MEASURED}},
    {NULL, FSD_ANY_BUILDER, .holds = fsd_refused_reads_nothing,
     .is = {"it reads an undefined tensor: no node output, input or initializer has "
            "the tensor's name",
            MEASURED}},
    {NULL, FSD_ANY_BUILDER, .holds = fsd_refused_is_cyclic,
     .is = {"it is on a cycle: its input is computed from its output", MEASURED}},

    /* Operators that are never supported. */
    {" BitShift Compress ConcatFromSequence ConvInteger Det DynamicQuantizeLinear "
     "MatMulInteger MaxRoiPool MaxUnpool Multinomial NegativeLogLikelihoodLoss "
     "QLinearConv QLinearMatMul SequenceAt SequenceConstruct SequenceEmpty "
     "SequenceErase SequenceInsert SequenceLength SoftmaxCrossEntropyLoss "
     "SplitToSequence StringNormalizer TfIdfVectorizer Unique ",
     FSD_ANY_BUILDER, .is = {"the parser rejects the operator", LISTED}},
    {" AffineGrid Bernoulli BitwiseAnd BitwiseNot BitwiseOr BitwiseXor CenterCropPad "
     "Col2Im DFT DistCollective ImageDecoder MelWeightMatrix Optional "
     "OptionalGetElement OptionalHasElement RegexFullMatch SequenceMap StringConcat "
     "StringSplit ",
     FSD_RTX, .is = {"the parser rejects the operator", MEASURED}},
    {" BitCast CausalConvWithState CumProd DeformConv GroupQueryAttention "
     "LinearAttention NonZero SwiGLU ",
     FSD_RTX,
     .is = {"the parser needs a plugin that TensorRT for RTX does not have", MEASURED}},
    {" RoiAlign ", FSD_RTX,
     .is = {"the parser replaces the operator by a plugin, which needs a CUDA driver "
            "during the build",
            MEASURED " without a GPU"}},
    {" NonMaxSuppression ", FSD_RTX,
     .is = {"no kernel implements the operator", MEASURED}},
    {" Swish ", FSD_RTX, .until = 104,
     .is = {"the parser does not know the operator",
            "measured: TensorRT for RTX 1.4.0"}},
    {" MultiHeadAttention ", FSD_RTX, .until = 105,
     .is = {"the parser does not know the operator",
            "measured: TensorRT for RTX 1.4.0, 1.5.0"}},

    /* Types of tensors. */
    {NULL, FSD_RTX, .holds = fsd_refused_has_a_type, .types = STRANGE,
     .is = {"the builder does not support the data type of an input or "
            "output",
            MEASURED}},
    {NULL, FSD_RTX, .holds = fsd_refused_reads_list,
     .is = {"its first input is a network input of type sequence or "
            "optional",
            MEASURED}},
    {" Cast CastLike ", FSD_RTX, .holds = fsd_refused_has_a_type, .types = NARROW,
     .is = {"only quantizers may read or write FP8, FP4 and INT4 tensors", MEASURED}},
    {" Add Cast Gather Reshape ", FSD_RTX,
     .op = {FSD_ONNX_Conv, FSD_ONNX_Gemm, FSD_ONNX_MatMul, FSD_ONNX_Mul},
     .holds = fsd_refused_reads_stored, .types = T(INT8),
     .is = {"only DequantizeLinear may read an INT8 constant", MEASURED}},
    {" Reshape Expand ConstantOfShape Range ", FSD_RTX,
     .holds = fsd_refused_sizes_in_half, .types = T(FP16) | T(BF16),
     .is = {"a size of its output is computed in FP16 or BF16 from dynamic sizes: "
            "compute this size in FP32 or INT64",
            MEASURED}},
    {NULL, FSD_RTX, .holds = fsd_refused_mixes_types,
     .types = T(FP32) | T(FP16) | T(BF16),
     .is = {"its inputs have different floating-point types: cast them to one type",
            MEASURED}},
    {" MatMul Gemm Conv Add Sub Mul Div ", FSD_ANY_BUILDER,
     .holds = fsd_refused_contradicts,
     .is = {"the shapes of its inputs do not match", MEASURED}},
    {" Concat ", FSD_ANY_BUILDER, .holds = fsd_refused_joins_unlike,
     .is = {"its inputs differ in size along an axis other than the concatenation axis",
            MEASURED}},
    {NULL, FSD_ANY_BUILDER,
     .op = {FSD_ONNX_ArgMax, FSD_ONNX_ArgMin, FSD_ONNX_Concat, FSD_ONNX_Gather,
            FSD_ONNX_GatherElements, FSD_ONNX_Hardmax, FSD_ONNX_LayerNormalization,
            FSD_ONNX_LogSoftmax, FSD_ONNX_Softmax, FSD_ONNX_Split, FSD_ONNX_TopK},
     .holds = fsd_refused_axis_is_outside, .attr = "axis",
     .is = {"its axis is out of range for its input", MEASURED}},
    {NULL, FSD_ANY_BUILDER,
     .op = {FSD_ONNX_ReduceL1, FSD_ONNX_ReduceL2, FSD_ONNX_ReduceLogSum,
            FSD_ONNX_ReduceLogSumExp, FSD_ONNX_ReduceMax, FSD_ONNX_ReduceMean,
            FSD_ONNX_ReduceMin, FSD_ONNX_ReduceProd, FSD_ONNX_ReduceSum,
            FSD_ONNX_ReduceSumSquare, FSD_ONNX_Squeeze, FSD_ONNX_Unsqueeze},
     .holds = fsd_refused_axes_are_outside, .attr = "axes", .number = 1,
     .is = {"one of its axes is out of range for its input", MEASURED}},
    {NULL, FSD_ANY_BUILDER, .op = {FSD_ONNX_Slice},
     .holds = fsd_refused_axes_are_outside, .attr = "axes", .number = 3,
     .is = {"one of its axes is out of range for its input", MEASURED}},
    {NULL, FSD_ANY_BUILDER, .op = {FSD_ONNX_Squeeze},
     .holds = fsd_refused_squeezes_data,
     .is = {"it removes an axis with more than one element", MEASURED}},
    {NULL, FSD_ANY_BUILDER, .op = {FSD_ONNX_Transpose},
     .holds = fsd_refused_is_no_order,
     .is = {"perm has an axis twice, or an axis that is out of range for its input",
            MEASURED}},
    {NULL, FSD_ANY_BUILDER, .op = {FSD_ONNX_Reshape},
     .holds = fsd_refused_changes_volume,
     .is = {"its new shape and its input have different numbers of elements",
            MEASURED}},
    {NULL, FSD_ANY_BUILDER, .op = {FSD_ONNX_Gemm}, .holds = fsd_refused_adds_unlike,
     .is = {"its third input does not broadcast to its output", MEASURED}},
    {NULL, FSD_ANY_BUILDER, .op = {FSD_ONNX_LayerNormalization},
     .holds = fsd_refused_scales_unlike,
     .is = {"its scale does not broadcast to its input", MEASURED}},
    {NULL, FSD_ANY_BUILDER, .op = {FSD_ONNX_BatchNormalization},
     .holds = fsd_refused_counts_channels, .number = 4,
     .is = {"the length of one of its parameters differs from the channel count of "
            "its input",
            MEASURED}},
    {NULL, FSD_ANY_BUILDER, .op = {FSD_ONNX_Conv}, .holds = fsd_refused_biases_unlike,
     .is = {"the length of its bias differs from the number of its output channels",
            MEASURED}},
    {NULL, FSD_ANY_BUILDER, .op = {FSD_ONNX_Tile}, .holds = fsd_refused_repeats_more,
     .is = {"it has more repeats than its input has axes", MEASURED}},
    {NULL, FSD_ANY_BUILDER, .op = {FSD_ONNX_Pad}, .holds = fsd_refused_pads_other,
     .is = {"it does not have two pad values for each axis", MEASURED}},
    {NULL, FSD_ANY_BUILDER, .op = {FSD_ONNX_Split}, .holds = fsd_refused_parts_exceed,
     .is = {"its outputs together have more elements than its input", MEASURED}},
    {NULL, FSD_ANY_BUILDER, .op = {FSD_ONNX_QuantizeLinear, FSD_ONNX_DequantizeLinear},
     .holds = fsd_refused_has_unlike_scales,
     .is = {"it has several scales, but neither one per element of the quantized axis "
            "nor one per block along this axis",
            MEASURED}},
    {NULL, FSD_ANY_BUILDER, .op = {FSD_ONNX_InstanceNormalization},
     .holds = fsd_refused_counts_channels, .number = 2,
     .is = {"the length of one of its parameters differs from the channel count of "
            "its input",
            MEASURED}},
    {NULL, FSD_ANY_BUILDER, .op = {FSD_ONNX_CumSum},
     .holds = fsd_refused_axes_are_outside, .attr = "", .number = 1,
     .is = {"its axis is out of range for its input", MEASURED}},
    {NULL, FSD_ANY_BUILDER, .op = {FSD_ONNX_Unsqueeze},
     .holds = fsd_refused_adds_axis_twice,
     .is = {"it adds two axes at the same position", MEASURED}},
    {NULL, FSD_RTX,
     .op = {FSD_ONNX_Add, FSD_ONNX_Sub, FSD_ONNX_Mul, FSD_ONNX_Div, FSD_ONNX_Max,
            FSD_ONNX_Min, FSD_ONNX_Equal, FSD_ONNX_Greater, FSD_ONNX_Mean, FSD_ONNX_Sum,
            FSD_ONNX_Concat, FSD_ONNX_MatMul},
     .holds = fsd_refused_mixes_numbers,
     .types = T(FP32) | T(FP16) | T(BF16) | T(INT32) | T(INT64),
     .is = {"its inputs have different types: cast them to one type", MEASURED}},
    {NULL, FSD_RTX,
     .op = {FSD_ONNX_Add, FSD_ONNX_Sub, FSD_ONNX_Mul, FSD_ONNX_Div, FSD_ONNX_Max,
            FSD_ONNX_Min},
     .holds = fsd_refused_has_type_at, .types = T(BOOL),
     .is = {"BOOL is not supported", MEASURED}},
    {NULL, FSD_RTX, .op = {FSD_ONNX_Where}, .holds = fsd_refused_has_type_at,
     .types = T(FP32) | T(FP16) | T(BF16) | T(INT32) | T(INT64),
     .is = {"its condition is not BOOL", MEASURED}},
    {NULL, FSD_RTX, .op = {FSD_ONNX_Gather, FSD_ONNX_GatherElements},
     .holds = fsd_refused_has_type_at, .number = 1,
     .types = T(FP32) | T(FP16) | T(BF16) | T(BOOL),
     .is = {"its indices are not INT32 or INT64", MEASURED}},
    {NULL, FSD_RTX, .op = {FSD_ONNX_If, FSD_ONNX_Loop},
     .holds = fsd_refused_changes_type,
     .is = {"the outputs of the two branches of an If differ in type, or an iteration "
            "of a Loop changes the type of a loop-carried value",
            MEASURED}},
    {NULL, FSD_RTX, .op = {FSD_ONNX_And, FSD_ONNX_Or, FSD_ONNX_Xor, FSD_ONNX_Not},
     .holds = fsd_refused_reads_type, .types = T(FP32) | T(FP16) | T(BF16),
     .is = {"only BOOL is supported", MEASURED}},
    {" If ", FSD_RTX, .holds = fsd_refused_has_unlike_sizes,
     .is = {"it is inside a branch of another If, and the outputs of its own branches "
            "differ in size",
            MEASURED}},
    {" DequantizeLinear ", FSD_ANY_BUILDER, .holds = fsd_refused_takes_type,
     .types = T(INT32),
     .is = {"its input is INT32 (for example, a quantized bias); only FP8, FP4, INT4 "
            "and INT8 are supported",
            LISTED}},
    {" DequantizeLinear ", FSD_RTX, .holds = fsd_refused_weighs, .types = T(UINT8),
     .is = {"it reads a UINT8 constant: store weights as INT8, and other constants as "
            "floats",
            MEASURED, .wants = FSD_WANTS_TYPE}},
    {NULL, FSD_RTX, .holds = fsd_refused_inside, .types = T(UINT8),
     .is = {"the builder does not support UINT8 between layers", MEASURED}},
    {" Clip ", FSD_RTX, .holds = fsd_refused_reads_plain, .types = T(UINT8),
     .is = {"UINT8 is not supported", MEASURED}},
    {" Clip ", FSD_RTX, .holds = fsd_refused_lacks_a_bound, .types = T(INT8),
     .is = {"its first input is INT8, and its second input (min) or third input "
            "(max) has an empty name",
            MEASURED}},
    {" Clip ", FSD_RTX, .holds = fsd_refused_computes_a_bound,
     .types = T(INT8) | T(UINT8),
     .is = {"its 8-bit bounds are not initializers", MEASURED}},
    {" DequantizeLinear ", FSD_RTX, .holds = fsd_refused_is_scalar,
     .types = T(INT8) | T(FP8),
     .is = {"it reads a scalar constant: give this constant one dimension of size 1",
            MEASURED, .wants = FSD_WANTS_DIMENSION}},
    {" DequantizeLinear ", FSD_RTX, .holds = fsd_refused_is_not_stored,
     .types = T(INT8),
     .is = {"its input must be an initializer, but is computed from constants",
            MEASURED}},
    {" MatMul Gemm Conv ", FSD_RTX, .holds = fsd_refused_mixes,
     .is =
         {"no kernel supports the combination of the quantized types of its first two "
          "inputs",
          MEASURED, .wants = FSD_WANTS_FLOATS}},
    {" Conv ", FSD_RTX, .holds = fsd_refused_has_open_channels,
     .is = {"the channel count of its weights is dynamic", MEASURED}},
    {" Gemm ", FSD_RTX, .holds = fsd_refused_is_no_matrix,
     .is = {"one of the two inputs that it multiplies is not a matrix", MEASURED}},
    {" Gemm ", FSD_RTX, .holds = fsd_refused_is_left_empty, .number = 2,
     .is = {"its third input has an empty name: remove this input from the node",
            MEASURED}},
    {" ConvTranspose GRU ", FSD_RTX, .holds = fsd_refused_reads_type, .types = T(BF16),
     .is = {"no kernel supports BF16", MEASURED}},
    {" Range ", FSD_RTX, .holds = fsd_refused_reads_type, .types = T(FP16) | T(BF16),
     .is = {"only FP32, INT32 and INT64 are supported", MEASURED}},
    {" Range ", FSD_RTX, .holds = fsd_refused_counts_data, .number = 0x7,
     .types = T(FP32),
     .is = {"the size of its output depends on an FP32 input of the network",
            MEASURED}},
    {" OneHot ", FSD_RTX, .holds = fsd_refused_counts_data, .number = 0x2,
     .types = T(FP32),
     .is = {"the size of its output depends on an FP32 input of the network",
            MEASURED}},
    {" RandomNormal RandomNormalLike RandomUniform RandomUniformLike ", FSD_RTX,
     .holds = fsd_refused_is_asked_for, .attr = "dtype", .types = T(FP64) | T(BF16),
     .is = {"only FP32 and FP16 are supported", MEASURED}},
    {" Mod ", FSD_RTX, .holds = fsd_refused_reads_type, .types = T(INT8),
     .is = {"INT8 is not supported", MEASURED}},
    {" Add And Div Equal Greater Less Max Mean Min Mul Or Pow Sub Sum Xor ",
     FSD_ANY_BUILDER, .holds = fsd_refused_is_pre_7,
     .is = {"the parser does not support the broadcasting rules of opsets below 7",
            MEASURED}},
    {" Gemm ", FSD_ANY_BUILDER, .holds = fsd_refused_adds_no_matrix,
     .is = {"the parser does not support the broadcasting rules of opsets below 7",
            MEASURED}},
    {" PRelu ", FSD_ANY_BUILDER, .holds = fsd_refused_has_other_slope,
     .is = {"the parser does not support the broadcasting rules of opsets below 7",
            MEASURED}},
    {" MatMul ", FSD_RTX, .holds = fsd_refused_is_row_of_many,
     .is = {"it multiplies a vector by a batch of matrices", MEASURED}},
    {" TensorScatter ", FSD_RTX, .holds = fsd_refused_rank_is_not, .number = 4,
     .is = {"the cache must have four dimensions", MEASURED}},
    {" If ", FSD_RTX, .holds = fsd_refused_has_unlike_branches,
     .is = {"the outputs of its branches have different ranks", MEASURED}},
    {" AveragePool ", FSD_RTX, .holds = fsd_refused_averages_padding,
     .is =
         {"ceil_mode adds a last window that covers only padding; the average excludes "
          "padding, so the sum would be divided by 0",
          MEASURED}},
    {" Split ", FSD_RTX, .holds = fsd_refused_splits_too_much,
     .is = {"each output but the last has the input's size divided by the number of "
            "outputs, rounded up; together, these outputs exceed the input",
            MEASURED}},

    /* Compute capabilities. */
    {" MatMul Gemm Einsum LSTM GRU RNN ", FSD_RTX, .below_sm = 80,
     .holds = fsd_refused_multiplies, .types = T(FP32) | T(FP64),
     .is = {"Turing does not support this FP32 matrix product", MEASURED " for sm75"}},
    {" Conv ConvTranspose ", FSD_RTX, .below_sm = 80, .holds = fsd_refused_is_spatial,
     .types = T(FP32),
     .is = {"Turing does not support this FP32 3-D convolution", MEASURED " for sm75"}},
    {NULL, FSD_RTX, .below_sm = 80, .holds = fsd_refused_has_a_type, .types = T(BF16),
     .is = {"the device does not support BF16", MEASURED " for sm75"}},
    {NULL, FSD_RTX, .below_sm = 80, .holds = fsd_refused_has_a_type,
     .types = T(INT4) | T(UINT4),
     .is = {"the device does not support INT4", MEASURED " for sm75"}},
    {NULL, FSD_RTX, .below_sm = 89, .holds = fsd_refused_has_a_type, .types = T(FP8),
     .is = {"the device does not support FP8", MEASURED " for sm75, sm80, sm86"}},
    {NULL, FSD_RTX, .below_sm = 100, .holds = fsd_refused_has_a_type, .types = T(FP4),
     .is = {"the device does not support FP4", MEASURED " for sm75 to sm89"}},

    /* Versions. */
    {QDQ, FSD_RTX, .until = 104,
     .is = {"TensorRT for RTX 1.4 folds quantizers on the GPU: a build without a GPU "
            "fails",
            "measured: TensorRT for RTX 1.4.0 without a GPU"}},
    {" Conv ConvTranspose ", FSD_RTX, .until = 106, .holds = fsd_refused_runs_narrow,
     .types = T(INT8),
     .is = {"TensorRT for RTX up to 1.6 does not support INT8 convolutions",
            "measured: TensorRT for RTX 1.4.0, 1.5.0, 1.6.1"}},
    {" GRU ", FSD_RTX, .until = 104, .holds = fsd_refused_reads_type, .types = T(FP16),
     .is = {"TensorRT converts the node into layers with outputs of different "
            "types",
            "measured: TensorRT for RTX 1.4.0"}},

    /* Quantizers. */
    {QDQ, FSD_ANY_BUILDER, .holds = fsd_refused_has_zero_point,
     .is = {"its zero point is not 0", LISTED}},
    {QDQ, FSD_ANY_BUILDER, .holds = fsd_refused_has_bad_scale,
     .is = {"its scale is not positive", MEASURED}},
    {" QuantizeLinear DequantizeLinear ", FSD_RTX, .holds = fsd_refused_is_computed,
     .number = 2, .types = T(INT8) | T(UINT8) | T(INT4) | T(FP4),
     .is = {"the zero point is not an initializer", MEASURED}},

    /* Attributes. */
    {" AveragePool MaxPool LpPool ", FSD_RTX, .holds = fsd_refused_number_is_not,
     .attr = "dilations", .number = 1,
     .is = {"only pools without dilation are supported", MEASURED}},
    {" LpPool GlobalLpPool LpNormalization ", FSD_RTX,
     .holds = fsd_refused_number_is_not, .attr = "p", .number = 2, .words = " 1 ",
     .is = {"only L1 and L2 are supported", MEASURED}},
    {" BatchNormalization ", FSD_RTX, .holds = fsd_refused_number_is_not,
     .attr = "training_mode", .is = {"training mode is not supported", MEASURED}},
    {" LayerNormalization MaxPool Attention BatchNormalization ", FSD_ANY_BUILDER,
     .holds = fsd_refused_gives_more, .number = 1,
     .is = {"only its first output is supported", LISTED}},
    {" Attention ", FSD_RTX, .holds = fsd_refused_number_is_not, .attr = "softcap",
     .is = {"softcap is not supported", MEASURED}},
    {" Attention ", FSD_RTX, .holds = fsd_refused_number_is_not,
     .attr = "softmax_precision",
     .is = {"softmax_precision is not supported", MEASURED}},
    {" Resize ", FSD_ANY_BUILDER, .holds = fsd_refused_word_is,
     .attr = "coordinate_transformation_mode",
     .words = " tf_crop_and_resize half_pixel_symmetric ",
     .is = {"its coordinate_transformation_mode is not supported", LISTED}},
    {" Resize ", FSD_RTX, .holds = fsd_refused_number_is_not, .attr = "antialias",
     .is = {"antialiasing is not supported", MEASURED}},
    {" Resize ", FSD_RTX, .holds = fsd_refused_word_is, .number = 1,
     .attr = "keep_aspect_ratio_policy", .words = " stretch ",
     .is = {"only keep_aspect_ratio_policy \"stretch\" is supported", MEASURED}},
    {" ScatterElements ScatterND ", FSD_RTX, .holds = fsd_refused_word_is, .number = 1,
     .attr = "reduction", .words = " none ",
     .is = {"only reduction \"none\" is supported", MEASURED}},
    {" TensorScatter ", FSD_RTX, .holds = fsd_refused_word_is, .number = 1,
     .attr = "mode", .words = " linear ",
     .is = {"only the linear mode is supported", MEASURED}},

    /* Inputs that must be known before the build. */
    {" ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin "
     "ReduceProd ReduceSum ReduceSumSquare ",
     FSD_RTX, .holds = fsd_refused_is_not_weights, .number = 1,
     .is = {"its axes must be an initializer, but are computed", MEASURED}},
    {" Squeeze Unsqueeze ", FSD_RTX, .holds = fsd_refused_is_computed, .number = 1,
     .is = {"its axes must be known at build time, but are computed at run time",
            MEASURED}},
    {" Dropout ", FSD_RTX, .holds = fsd_refused_is_computed, .number = 2,
     .is = {"training_mode is not an initializer", MEASURED}},
    {" STFT ", FSD_RTX, .holds = fsd_refused_is_computed, .number = 1,
     .is = {"frame_step is not an initializer", MEASURED}},
    {" Resize ", FSD_RTX, .holds = fsd_refused_is_given, .number = 2, .types = T(FP32),
     .is = {"its scales are an input of the network", MEASURED}},
    {" Upsample Resize ", FSD_RTX, .holds = fsd_refused_is_given, .number = 1,
     .types = T(FP32), .is = {"its scales are an input of the network", MEASURED}},
    {" TopK ", FSD_ANY_BUILDER, .holds = fsd_refused_is_too_many, .number = 1,
     .is = {"K is above 3840", LISTED}},
    {" Attention ", FSD_RTX, .holds = fsd_refused_is_no_kernel, .number = 16,
     .types = T(FP32),
     .is = {"the attention is FP32 or has a head size below 16; no kernel supports "
            "this, and the builder does not decompose the node",
            MEASURED}},
    {" Attention ", FSD_RTX, .holds = fsd_refused_is_short_mask,
     .is = {"its mask has fewer columns than there are keys", MEASURED}},
    {" Attention ", FSD_RTX, .holds = fsd_refused_is_masked_twice,
     .is = {"it has both a mask and is_causal", MEASURED}},
    {" Attention ", FSD_RTX, .until = 106, .holds = fsd_refused_is_no_kernel,
     .types = T(FP32),
     .is = {"TensorRT for RTX up to 1.6 does not support attention in FP32",
            "measured: TensorRT for RTX 1.4.0, 1.6.1"}},
    {" Attention ", FSD_RTX, .holds = fsd_refused_is_wide, .number = 256,
     .is = {"no kernel supports a head size above 256, and the builder does not "
            "decompose the node",
            MEASURED}},
    {" Attention ", FSD_RTX, .holds = fsd_refused_has_other_mask, .number = 3,
     .is = {"its mask does not broadcast to the shape (batch, heads, queries, "
            "keys)",
            MEASURED}},
    {" MultiHeadAttention ", FSD_RTX, .holds = fsd_refused_has_other_mask, .number = 5,
     .is = {"its bias does not broadcast to the shape (batch, heads, queries, "
            "keys)",
            MEASURED}},
    {" MultiHeadAttention ", FSD_RTX, .holds = fsd_refused_is_there, .number = 0xd8,
     .is = {"a projection bias, a padding mask, and past keys and values are not "
            "supported",
            MEASURED}},
    {" MultiHeadAttention ", FSD_RTX, .holds = fsd_refused_lacks_one, .number = 0x7,
     .is = {"queries, keys and values must be three separate inputs", MEASURED}},
    {" MultiHeadAttention ", FSD_RTX, .holds = fsd_refused_a_rank_is_not, .number = 3,
     .is = {"queries, keys and values must have three dimensions", MEASURED}},
    {" MultiHeadAttention ", FSD_RTX, .holds = fsd_refused_gives_more, .number = 1,
     .is = {"only its first output is supported", MEASURED}},
    {" MultiHeadAttention ", FSD_RTX, .holds = fsd_refused_has_attr,
     .attr = "mask_filter_value",
     .is = {"mask_filter_value is not supported", MEASURED}},
    {" Attention MultiHeadAttention ", FSD_RTX, .holds = fsd_refused_is_uneven,
     .is = {"the heads of the keys and the heads of the values differ in size",
            MEASURED}},
    {" GridSample ", FSD_RTX, .until = 104, .holds = fsd_refused_is_spatial,
     .types = T(FP32) | T(FP16) | T(BF16),
     .is = {"TensorRT for RTX 1.4 does not support three spatial dimensions",
            "measured: TensorRT for RTX 1.4.0"}},
    {" Celu ", FSD_RTX, .holds = fsd_refused_reads_type, .types = T(FP16) | T(BF16),
     .is = {"TensorRT converts the node into layers with outputs of different "
            "ranks",
            MEASURED}},
    {" LSTM GRU RNN ", FSD_ANY_BUILDER, .holds = fsd_refused_is_lopsided,
     .is = {"both directions must have the same activations", LISTED}},
    {" Mod ", FSD_RTX, .holds = fsd_refused_is_inexact,
     .types = T(FP32) | T(FP16) | T(BF16) | T(FP64),
     .is = {"floating-point types are supported only with fmod = 1", MEASURED}},
    {" MatMul Relu ", FSD_RTX, .holds = fsd_refused_reads_type, .types = T(INT32),
     .is = {"INT32 is not supported", MEASURED}},
    {" Add Sub Mul Div Max Min Mod Greater Less GreaterOrEqual LessOrEqual MaxPool ",
     FSD_RTX, .holds = fsd_refused_reads_plain, .types = T(UINT8),
     .is = {"UINT8 is not supported", MEASURED}},
    {" Cast ", FSD_RTX, .until = 104, .holds = fsd_refused_has_a_type, .types = T(INT8),
     .is = {"TensorRT for RTX 1.4 folds casts to INT8 on the GPU: a build without a "
            "GPU fails",
            "measured: TensorRT for RTX 1.4.0 without a GPU"}},
};

/* The operators for which RTX 1.7 has an importer. */
static const char imported[] =
    " Abs Acos Acosh Add And ArgMax ArgMin Asin Asinh Atan Atanh Attention"
    " AveragePool BatchNormalization BlackmanWindow Cast CastLike"
    " CausalConvWithState Ceil Celu Clip Concat Constant ConstantOfShape Conv"
    " ConvTranspose Cos Cosh CumSum DepthToSpace DequantizeLinear Div Dropout Einsum"
    " Elu Equal Erf Exp Expand EyeLike Flatten Floor GRU Gather GatherElements"
    " GatherND Gelu Gemm GlobalAveragePool GlobalLpPool GlobalMaxPool Greater"
    " GreaterOrEqual GridSample GroupNormalization GroupQueryAttention HammingWindow"
    " HannWindow HardSigmoid HardSwish Hardmax Identity If InstanceNormalization"
    " IsInf IsNaN LRN LSTM LayerNormalization LeakyRelu Less LessOrEqual"
    " LinearAttention Log LogSoftmax Loop LpNormalization LpPool MatMul MatMulNBits"
    " Max MaxPool Mean MeanVarianceNormalization Min Mish Mod Mul MultiHeadAttention"
    " Neg NonMaxSuppression NonZero Not OneHot Or PRelu Pad Pow QMoE QuantizeLinear"
    " RMSNormalization RNN RandomNormal RandomNormalLike RandomUniform"
    " RandomUniformLike Range Reciprocal ReduceL1 ReduceL2 ReduceLogSum"
    " ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum"
    " ReduceSumSquare Relu Reshape Resize ReverseSequence RoiAlign RotaryEmbedding"
    " Round STFT Scan Scatter ScatterElements ScatterND Selu Shape Shrink Sigmoid"
    " Sign SimplifiedLayerNormalization Sin Sinh Size"
    " SkipSimplifiedLayerNormalization Slice Softmax Softplus Softsign SpaceToDepth"
    " Split Sqrt Squeeze Sub Sum Swish TRT_Attention TRT_AveragePool"
    " TRT_BlockDequantize TRT_BlockQuantize TRT_Conv TRT_Deconv TRT_DynamicQuantize"
    " TRT_FP4DynamicQuantize"
    " TRT_FP8DequantizeLinear TRT_FP8QuantizeLinear TRT_INT4DequantizeLinear"
    " TRT_FloorDiv TRT_Gather TRT_INT4QuantizeLinear TRT_KVCacheUpdate"
    " TRT_MXFP8DequantizeLinear TRT_MXFP8DynamicQuantize TRT_MXFP8QuantizeLinear"
    " TRT_MatMul TRT_MaxAverageBlendPool TRT_MaxPool TRT_MoE TRT_QuantizedAttention"
    " TRT_RaggedSoftmax TRT_Resize TRT_Scale TRT_Shuffle TRT_Slice TRT_TopK_Min Tan"
    " Tanh TensorScatter"
    " ThresholdedRelu Tile TopK Transpose Trilu Unsqueeze Upsample Where Xor"
    " ";

static bool is_of(const struct fsd_refusal_row *r, fsd_sym op, const char *name)
{
    for (size_t i = 0; i < FSD_COUNT_OF(r->op) && r->op[i]; i++)
        if (r->op[i] == op)
            return true;
    return r->ops ? fsd_list_has(r->ops, name) : !r->op[0];
}

static bool concerns(const struct fsd_target *t, const struct fsd_refusal_row *r,
                     fsd_sym op, const char *name)
{
    return (r->families & t->family) && is_of(r, op, name) &&
           (!r->until || (t->version && t->version <= r->until)) &&
           (!r->below_sm || (t->sm && t->sm < r->below_sm));
}

static void add_rows(struct fsd_lint *l, fsd_sym op)
{
    struct fsd_refusal_rows found = {
        .op = op, .imported = fsd_list_has(imported, fsd_text(l->g->names, op))};

    for (size_t i = 0; i < FSD_COUNT_OF(refusals); i++)
        if (concerns(&l->target, &refusals[i], op, fsd_text(l->g->names, op)))
            fsd_vec_push(l->arena, &found.rows, &refusals[i]);
    fsd_vec_push(l->arena, &l->refusals, found);
}

void fsd_lint_find_refusals(struct fsd_lint *l)
{
    l->refusals_of = FSD_NEW(l->arena, uint32_t, l->g->nodes.n);
    for (fsd_id i = 0; i < l->g->nodes.n; i++) {
        fsd_sym op = l->g->nodes.at[i].op;
        uint32_t k = 0;

        while (k < l->refusals.n && l->refusals.at[k].op != op)
            k++;
        if (k == l->refusals.n)
            add_rows(l, op);
        l->refusals_of[i] = k;
    }
}

const struct fsd_refusal *fsd_lint_refusal(const struct fsd_lint *l, fsd_id node)
{
    const struct fsd_refusal_rows *of = &l->refusals.at[l->refusals_of[node]];

    if (l->g->nodes.at[node].flags & FSD_NODE_CALL)
        return NULL;
    for (uint32_t i = 0; i < of->rows.n; i++)
        if (!of->rows.at[i]->holds || of->rows.at[i]->holds(l, of->rows.at[i], node))
            return &of->rows.at[i]->is;
    return NULL;
}

const struct fsd_refusal fsd_lint_no_importer = {
    "the parser does not know the operator, and TensorRT for RTX has no plugins",
    MEASURED};

/* Whether the target has an importer. The parser chooses the importer by the operator's
 * name alone, in any domain. */
enum fsd_import fsd_lint_import(const struct fsd_lint *l, fsd_id node)
{
    const struct fsd_node *n = &l->g->nodes.at[node];

    if ((n->flags & FSD_NODE_CALL) || l->refusals.at[l->refusals_of[node]].imported)
        return l->target.family == FSD_RTX || (n->flags & FSD_NODE_CALL) ||
                       (l->facts->traits[node] & FSD_OP_STANDARD)
                   ? FSD_IMPORTED
                   : FSD_IMPORT_UNKNOWN;
    return l->target.family == FSD_RTX ? FSD_IMPORT_NONE : FSD_IMPORT_UNKNOWN;
}
