/*
 * One row for each ONNX operator: output types, the rule for shapes, traits that matter
 * for fusion, multiply-adds, and when it does nothing.  Everything that the program
 * knows of an operator is in its row, so that adding one touches no other file;
 * tests/ops checks the rows against onnx's own schemas.  Rows are sorted by name, for
 * binary search; an operator without a row is not an error, it only has no traits.
 */
#include "ops/rule.h"

#include <stdlib.h>
#include <string.h>

/* What type an output has. */
enum type {
    NOTHING, /* not told, or no tensor */
    IN0,     /* that of this input */
    IN1,
    IN2,
    IN3,
    IN4,
    IN5,
    IN6,
    IN7,
    ANY_IN, /* all inputs have one type: the first that is known */
    TO_BOOL,
    TO_FP32,
    TO_FP4,
    TO_FP8,
    TO_INT4,
    TO_INT64,
    TO_INT32,
    TO_STRING,
    TO_UINT8,
    BY_TO,          /* the attribute `to` */
    BY_DTYPE,       /* the attribute `dtype`, else fp32 */
    BY_DTYPE_IN,    /* the attribute `dtype`, else that of input 0 */
    BY_DTYPE_INT32, /* the attribute `dtype`, else int32 */
    BY_OUTPUT,      /* the attribute `output_datatype`, else fp32 */
    BY_ZERO,        /* QuantizeLinear */
    BY_ZERO_8,      /* that of input 8, a zero point; fp32 where it is left out */
    BY_SCALE,       /* DequantizeLinear */
    BY_VALUE,       /* ConstantOfShape */
    BY_VALUES,      /* LabelEncoder: the attribute that lists what it makes */
    BY_ITEM,        /* of input 0, a sequence or an optional, or a tensor itself */
    BY_LABELS,      /* a classifier's first output: the attribute that lists classes */
    BY_STASH        /* LayerNormalization's statistics: the attribute `stash_type` */
};

/* What a product along an axis of two, three or four elements is computed as. */
#define PRODUCTS                                                                       \
    "Mul Mul Add|Slice Slice Mul Mul Add|Mul Mul Mul Add Add|"                         \
    "Slice Slice Slice Mul Mul Mul Add Add|Mul Mul Mul Mul Add Add Add|"               \
    "Slice Slice Slice Slice Mul Mul Mul Mul Add Add Add"

/* A reduction along an axis of up to four elements, taken one by one; of two behind
 * each other, and of the longer sums of five and six, below. */
#define UP_TO_4(op)                                                                    \
    "Slice Slice " op "|Slice Slice " op " Slice " op "|"                              \
    "Slice Slice " op " Slice " op " Slice " op
#define SUM_OF_5 "Slice Slice Add Slice Add Slice Add Slice Add"
#define SUM_OF_6 SUM_OF_5 " Slice Add"

/* In strcmp's order.  Which operators a Q or DQ may cross: TensorRT's Q/DQ propagation
 * ("Swapping MaxPool_12 with QuantizeLinear_15", 8.4).  Quantizers live in other
 * domains too: com.microsoft's take more types, trt's are what ModelOpt writes for FP8,
 * INT4, NVFP4 and MXFP8, which exporters also leave in the default one. */
/* clang-format off */
static const struct fsd_op ops[] = {
    {"Abs", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE},
    {"Acos", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE},
    {"Acosh", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE},
    {"Adagrad", IN2, IN2, .shape = fsd_shape_updated, .traits = FSD_OP_OUTPUTS,
     .domains = FSD_DOMAIN_TRAINING},
    {"Adam", IN2, IN2, .shape = fsd_shape_updated, .traits = FSD_OP_OUTPUTS,
     .variant = 'a', .domains = FSD_DOMAIN_TRAINING},
    {"Add", ANY_IN, .shape = fsd_shape_elementwise,
     .traits = FSD_OP_BARE | FSD_OP_SYMMETRIC,
     .ints = fsd_ints_arithmetic, .variant = '+',
     .same = FSD_SAME_ZERO, .holds = fsd_same_sum, .lowerings = "Sub"},
    {"AffineGrid", IN0, .shape = fsd_shape_affine_grid, .shape_operands = 0x2},
    {"And", TO_BOOL, .shape = fsd_shape_elementwise,
     .traits = FSD_OP_BARE | FSD_OP_SYMMETRIC},
    {"ArgMax", TO_INT64, .shape = fsd_shape_arg},
    {"ArgMin", TO_INT64, .shape = fsd_shape_arg},
    {"ArrayFeatureExtractor", IN0, .shape = fsd_shape_features,
     .domains = FSD_DOMAIN_ML},
    {"Asin", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE},
    {"Asinh", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE},
    {"Atan", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE},
    {"Atanh", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE},
    {"Attention", IN0, IN1, .shape = fsd_shape_attention, .traits = FSD_OP_OUTPUTS,
     .macs = fsd_macs_attention, .known_as = "attention",
     .lowerings = "MatMul ReduceMax Sub Exp ReduceSum Div MatMul"},
    {"Attention", IN0, .shape = fsd_shape_attention, .traits = FSD_OP_WEIGHTED,
     .macs = fsd_macs_attention, .variant = 'p', .domains = FSD_DOMAIN_MICROSOFT,
     .known_as = "attention"},
    {"AveragePool", IN0, .shape = fsd_shape_pool, .same = FSD_SAME_WINDOW,
     .holds = fsd_same_pool,
     .lowerings = "ReduceMean|ReduceSum Mul"},
    {"BatchNormalization", IN0, IN3, .shape = fsd_shape_statistics,
     .traits = FSD_OP_OUTPUTS,
     .lowerings = "Mul Add|Add|Add Mul Mul Add"}, /* last: behind what is no product */
    {"Bernoulli", BY_DTYPE_IN, .shape = fsd_shape_same, .traits = FSD_OP_RANDOM},
    {"BiasGelu", IN0, .shape = fsd_shape_same, .domains = FSD_DOMAIN_MICROSOFT,
     .known_as = "gelu"},
    {"Binarizer", IN0, .shape = fsd_shape_same, .domains = FSD_DOMAIN_ML},
    {"BitCast", BY_TO, .shape = fsd_shape_same},
    {"BitShift", ANY_IN, .shape = fsd_shape_elementwise},
    {"BitwiseAnd", ANY_IN, .shape = fsd_shape_elementwise, .traits = FSD_OP_SYMMETRIC},
    {"BitwiseNot", IN0, .shape = fsd_shape_same},
    {"BitwiseOr", ANY_IN, .shape = fsd_shape_elementwise, .traits = FSD_OP_SYMMETRIC},
    {"BitwiseXor", ANY_IN, .shape = fsd_shape_elementwise, .traits = FSD_OP_SYMMETRIC},
    {"BlackmanWindow", BY_OUTPUT, .shape = fsd_shape_window, .shape_operands = 0x1},
    {"Cast", BY_TO, .shape = fsd_shape_same, .traits = FSD_OP_CASTS,
     .ints = fsd_ints_cast, .same = FSD_SAME_CAST, .holds = fsd_same_cast},
    {"CastLike", IN1, .shape = fsd_shape_same, .traits = FSD_OP_CASTS},
    {"CastMap", NOTHING, .traits = FSD_OP_LISTS, .domains = FSD_DOMAIN_ML},
    {"CategoryMapper", NOTHING, .shape = fsd_shape_same, .domains = FSD_DOMAIN_ML},
    {"CausalConvWithState", IN0, IN0, .shape = fsd_shape_causal_conv,
     .traits = FSD_OP_OUTPUTS, .macs = fsd_macs_conv},
    {"Ceil", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE},
    {"Celu", IN0, .shape = fsd_shape_same, .known_as = "activation"},
    {"CenterCropPad", IN0, .shape = fsd_shape_center_crop, .shape_operands = 0x2},
    {"Clip", IN0, .shape = fsd_shape_same, .known_as = "activation",
     .lowerings = "Max Min|Min Max|Max|Min"},
    {"Col2Im", IN0, .shape = fsd_shape_col2im, .shape_operands = 0x6},
    {"Compress", IN0, .shape = fsd_shape_chosen, .shape_operands = 0x2},
    {"Concat", ANY_IN, .shape = fsd_shape_concat,
     .traits = FSD_OP_COMMUTES | FSD_OP_MOVES, .ints = fsd_ints_concat,
     .same = FSD_SAME_SINGLE, .holds = fsd_same_single},
    {"ConcatFromSequence", BY_ITEM, .shape = fsd_shape_joined, .traits = FSD_OP_LISTS},
    {"Constant", NOTHING, .traits = FSD_OP_CONSTANT},
    {"ConstantOfShape", BY_VALUE, .shape = fsd_shape_filled, .shape_operands = 0x1,
     .ints = fsd_ints_fill, .lowerings = "Expand"},
    {"Conv", ANY_IN, .shape = fsd_shape_conv, .traits = FSD_OP_WEIGHTED,
     .macs = fsd_macs_conv,
     .lowerings = "Conv Add|Conv Mul Add|Conv Mul|" /* Mul: of integers, to floats */
     "MatMul Add|MatMul|"                           /* without a window */
     PRODUCTS},
    {"ConvInteger", TO_INT32, .shape = fsd_shape_conv, .macs = fsd_macs_conv},
    {"ConvTranspose", ANY_IN, .shape = fsd_shape_conv_transpose,
     .traits = FSD_OP_WEIGHTED, .macs = fsd_macs_conv, .variant = 't'},
    {"Cos", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE},
    {"Cosh", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE},
    {"CumProd", IN0, .shape = fsd_shape_same},
    {"CumSum", IN0, .shape = fsd_shape_same},
    {"DFT", IN0, .shape = fsd_shape_dft, .traits = FSD_OP_OPAQUE,
     .shape_operands = 0x6},
    {"DeformConv", ANY_IN, .shape = fsd_shape_conv, .macs = fsd_macs_conv},
    {"DepthToSpace", IN0, .shape = fsd_shape_blocks, .traits = FSD_OP_COMMUTES,
     .variant = '*', .lowerings = "Transpose"},
    {"DequantizeLinear", BY_SCALE, .shape = fsd_shape_same,
     .traits = FSD_OP_DEQUANTIZE, .domains = FSD_DOMAIN_QDQ, .lowerings = "Cast Mul"},
    {"Det", IN0, .shape = fsd_shape_det},
    {"DictVectorizer", NOTHING, .traits = FSD_OP_LISTS, .domains = FSD_DOMAIN_ML},
    /* It gives what other devices send. */
    {"DistCollective", IN0, .traits = FSD_OP_RANDOM, .domains = FSD_DOMAIN_BUILDER},
    {"Div", ANY_IN, .shape = fsd_shape_elementwise,
     .ints = fsd_ints_arithmetic, .variant = '/',
     .same = FSD_SAME_ONE, .holds = fsd_same_quotient, .traits = FSD_OP_BARE,
     .lowerings = "Mul|Div Mul"},
    {"Dropout", IN0, .shape = fsd_shape_same, .traits = FSD_OP_OUTPUTS,
     .same = FSD_SAME_DROPOUT, .holds = fsd_same_dropout},
    {"DynamicQuantizeLinear", TO_UINT8, .shape = fsd_shape_quantized,
     .traits = FSD_OP_OUTPUTS},
    {"DynamicQuantizeMatMul", TO_FP32, .shape = fsd_shape_matmul,
     .macs = fsd_macs_matmul, .domains = FSD_DOMAIN_MICROSOFT},
    {"Einsum", ANY_IN, .shape = fsd_shape_einsum, .macs = fsd_macs_einsum},
    {"Elu", IN0, .shape = fsd_shape_same, .known_as = "activation"},
    {"Equal", TO_BOOL, .shape = fsd_shape_elementwise,
     .traits = FSD_OP_BARE | FSD_OP_SYMMETRIC,
     .ints = fsd_ints_arithmetic, .variant = '='},
    {"Erf", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE},
    {"Exp", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE},
    {"Expand", IN0, .shape = fsd_shape_expand, .traits = FSD_OP_BARE | FSD_OP_COMMUTES,
     .shape_operands = 0x2},
    {"EyeLike", BY_DTYPE_IN, .shape = fsd_shape_same},
    {"FastGelu", IN0, .shape = fsd_shape_same, .domains = FSD_DOMAIN_MICROSOFT,
     .known_as = "gelu"},
    {"FeatureVectorizer", TO_FP32, .shape = fsd_shape_columns,
     .domains = FSD_DOMAIN_ML},
    {"Flatten", IN0, .shape = fsd_shape_flatten,
     .traits = FSD_OP_VIEW | FSD_OP_COMMUTES, .same = FSD_SAME_VIEW},
    {"FlexAttention", IN0, .shape = fsd_shape_attention, .macs = fsd_macs_attention,
     .domains = FSD_DOMAIN_PREVIEW},
    {"Floor", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE},
    {"FusedConv", ANY_IN, .shape = fsd_shape_conv, .traits = FSD_OP_WEIGHTED,
     .macs = fsd_macs_conv, .domains = FSD_DOMAIN_MICROSOFT},
    {"FusedGemm", ANY_IN, .shape = fsd_shape_matmul, .traits = FSD_OP_WEIGHTED,
     .macs = fsd_macs_matmul, .variant = 'f', .domains = FSD_DOMAIN_MICROSOFT},
    {"FusedMatMul", ANY_IN, .shape = fsd_shape_matmul, .traits = FSD_OP_WEIGHTED,
     .macs = fsd_macs_matmul, .variant = 'f', .domains = FSD_DOMAIN_MICROSOFT},
    {"GRU", IN0, IN0, .shape = fsd_shape_recurrent,
     .traits = FSD_OP_OUTPUTS | FSD_OP_RECURRENT,
     .macs = fsd_macs_recurrent},
    {"Gather", IN0, .shape = fsd_shape_gather, .traits = FSD_OP_COMMUTES,
     .ints = fsd_ints_gather, .lowerings = "Slice"},
    {"GatherElements", IN0, .shape = fsd_shape_second, .lowerings = "Gather"},
    {"GatherND", IN0, .shape = fsd_shape_gather_nd, .lowerings = "Gather"},
    {"Gelu", IN0, .shape = fsd_shape_same, .known_as = "gelu",
     .lowerings = "Mul Erf Add Mul Mul|Div Erf Add Mul Mul"},
    {"Gelu", IN0, .shape = fsd_shape_same, .domains = FSD_DOMAIN_MICROSOFT,
     .known_as = "gelu"},
    {"Gemm", ANY_IN, .shape = fsd_shape_matmul, .traits = FSD_OP_WEIGHTED,
     .macs = fsd_macs_matmul, .variant = 'f',
     .lowerings = "MatMul Add|MatMul Mul Add|MatMul Mul|MatMul|Mul ReduceSum Add|"
     "Mul ReduceSum|" PRODUCTS},
    {"GlobalAveragePool", IN0, .shape = fsd_shape_global_pool,
     .lowerings = "ReduceMean|AveragePool"},
    {"GlobalLpPool", IN0, .shape = fsd_shape_global_pool},
    {"GlobalMaxPool", IN0, .shape = fsd_shape_global_pool,
     .lowerings = "ReduceMax|MaxPool"},
    {"Gradient", IN0, IN0, .shape = fsd_shape_gradient,
     .traits = FSD_OP_OUTPUTS | FSD_OP_OPAQUE, .domains = FSD_DOMAIN_TRAINING},
    {"Greater", TO_BOOL, .shape = fsd_shape_elementwise, .traits = FSD_OP_BARE},
    {"GreaterOrEqual", TO_BOOL, .shape = fsd_shape_elementwise, .traits = FSD_OP_BARE,
     .lowerings = "Less Not"},
    {"GridSample", IN0, .shape = fsd_shape_grid_sample},
    {"GroupNormalization", IN0, .shape = fsd_shape_same,
     .lowerings = "InstanceNormalization Mul Add"},
    {"HammingWindow", BY_OUTPUT, .shape = fsd_shape_window, .shape_operands = 0x1},
    {"HannWindow", BY_OUTPUT, .shape = fsd_shape_window, .shape_operands = 0x1},
    {"HardSigmoid", IN0, .shape = fsd_shape_same,
     .lowerings = "Mul Add Max Min|Mul Add Min Max"},
    {"HardSwish", IN0, .shape = fsd_shape_same, .known_as = "activation",
     .lowerings = "Mul Add Max Min Mul|Mul Add Min Max Mul"},
    {"Hardmax", IN0, .shape = fsd_shape_same},
    {"Identity", IN0, .shape = fsd_shape_same, .items = fsd_items_same,
     .traits = FSD_OP_BARE | FSD_OP_COMMUTES,
     .ints = fsd_ints_first, .same = FSD_SAME_IDENTITY},
    {"If", NOTHING, .traits = FSD_OP_CONTROL | FSD_OP_OPAQUE},
    {"ImageDecoder", TO_UINT8, .shape = fsd_shape_image, .shape_operands = 0x1},
    {"Imputer", IN0, .shape = fsd_shape_same, .domains = FSD_DOMAIN_ML},
    {"InstanceNormalization", IN0, .shape = fsd_shape_same,
     .lowerings = "ReduceMean Sub Mul ReduceMean Add Sqrt Div Mul Mul Add|"
     "ReduceMean Sub Mul ReduceMean Add Sqrt Div Mul Add|"
     "ReduceMean Sub Mul ReduceMean Add Sqrt Div Mul"},
    {"IsInf", TO_BOOL, .shape = fsd_shape_same},
    {"IsNaN", TO_BOOL, .shape = fsd_shape_same, .traits = FSD_OP_BARE},
    {"LRN", IN0, .shape = fsd_shape_same},
    {"LSTM", IN0, IN0, .shape = fsd_shape_recurrent,
     .traits = FSD_OP_OUTPUTS | FSD_OP_RECURRENT,
     .macs = fsd_macs_recurrent},
    {"LabelEncoder", BY_VALUES, .shape = fsd_shape_same, .domains = FSD_DOMAIN_ML},
    {"LayerNormalization", IN0, BY_STASH, .shape = fsd_shape_normalized,
     .traits = FSD_OP_OUTPUTS, .known_as = "layernorm",
     .lowerings = "ReduceMean Sub Mul ReduceMean Add Sqrt Div Mul Mul Add|"
                  "ReduceMean Sub Mul ReduceMean Add Sqrt Div Mul Mul|"
                  "ReduceMean Sub Mul ReduceMean Add Sqrt Div Mul"},
    {"LeakyRelu", IN0, .shape = fsd_shape_same, .known_as = "activation",
     .lowerings = "Mul Less Where|Mul Max"},
    {"Less", TO_BOOL, .shape = fsd_shape_elementwise, .traits = FSD_OP_BARE},
    {"LessOrEqual", TO_BOOL, .shape = fsd_shape_elementwise, .traits = FSD_OP_BARE,
     .lowerings = "Greater Not"},
    {"LinearAttention", IN0, IN3, .shape = fsd_shape_linear_attention,
     .traits = FSD_OP_OUTPUTS | FSD_OP_OPAQUE},
    {"LinearClassifier", BY_LABELS, TO_FP32, .shape = fsd_shape_classes,
     .traits = FSD_OP_OUTPUTS, .variant = 'c', .domains = FSD_DOMAIN_ML},
    {"LinearRegressor", TO_FP32, .shape = fsd_shape_targets, .variant = 'r',
     .domains = FSD_DOMAIN_ML},
    {"Log", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE},
    {"LogSoftmax", IN0, .shape = fsd_shape_same,
     .lowerings = "ReduceMax Sub Exp ReduceSum Log Sub|"
     "ReduceMax Sub Exp ReduceSum Div Mul Log"},
    {"Loop", NOTHING, .traits = FSD_OP_CONTROL | FSD_OP_OPAQUE},
    {"LpNormalization", IN0, .shape = fsd_shape_same},
    {"LpPool", IN0, .shape = fsd_shape_pool},
    {"MatMul", ANY_IN, .shape = fsd_shape_matmul,
     .traits = FSD_OP_BARE | FSD_OP_WEIGHTED,
     .macs = fsd_macs_matmul,
     .lowerings = "Cast Mul Cast MatMul|" /* of weights kept narrow, */
     "Expand Cast Mul Cast MatMul|"       /* a scale a block */
     "Mul ReduceSum|" PRODUCTS "|"
     "MatMul Mul"}, /* of integers: brought to floats */
    {"MatMulInteger", TO_INT32, .shape = fsd_shape_matmul, .macs = fsd_macs_matmul},
    {"MatMulIntegerToFloat", IN2, .shape = fsd_shape_matmul, .macs = fsd_macs_matmul,
     .domains = FSD_DOMAIN_MICROSOFT},
    {"MatMulNBits", IN0, .shape = fsd_shape_matmul_bits, .macs = fsd_macs_matmul,
     .domains = FSD_DOMAIN_MICROSOFT},
    {"Max", ANY_IN, .shape = fsd_shape_elementwise,
     .traits = FSD_OP_BARE | FSD_OP_SYMMETRIC,
     .same = FSD_SAME_SINGLE, .holds = fsd_same_single},
    {"MaxPool", IN0, TO_INT64, .shape = fsd_shape_pool, .same = FSD_SAME_WINDOW,
     .holds = fsd_same_pool, .traits = FSD_OP_COMMUTES | FSD_OP_OUTPUTS},
    {"MaxRoiPool", IN0, .shape = fsd_shape_roi},
    {"MaxUnpool", IN0, .shape = fsd_shape_unpool, .shape_operands = 0x4},
    {"Mean", ANY_IN, .shape = fsd_shape_elementwise,
     .traits = FSD_OP_BARE | FSD_OP_SYMMETRIC,
     .same = FSD_SAME_SINGLE, .holds = fsd_same_single,
     .lowerings = "Add Mul|Add Div"},
    {"MeanVarianceNormalization", IN0, .shape = fsd_shape_same},
    {"MelWeightMatrix", BY_OUTPUT, .shape = fsd_shape_mel, .shape_operands = 0x3},
    {"Min", ANY_IN, .shape = fsd_shape_elementwise,
     .traits = FSD_OP_BARE | FSD_OP_SYMMETRIC,
     .same = FSD_SAME_SINGLE, .holds = fsd_same_single},
    {"Mish", IN0, .shape = fsd_shape_same, .known_as = "activation"},
    {"Mod", ANY_IN, .shape = fsd_shape_elementwise,
     .ints = fsd_ints_arithmetic, .variant = '%'},
    {"Momentum", IN2, IN2, .shape = fsd_shape_updated, .traits = FSD_OP_OUTPUTS,
     .domains = FSD_DOMAIN_TRAINING},
    {"Mul", ANY_IN, .shape = fsd_shape_elementwise,
     .traits = FSD_OP_BARE | FSD_OP_SYMMETRIC,
     .ints = fsd_ints_arithmetic, .variant = '*',
     .same = FSD_SAME_ONE, .holds = fsd_same_product, .lowerings = "Div"},
    {"MultiHeadAttention", IN0, .shape = fsd_shape_attention,
     .macs = fsd_macs_attention, .variant = 'm', .domains = FSD_DOMAIN_MICROSOFT,
     .known_as = "attention"},
    {"Multinomial", BY_DTYPE_INT32, .shape = fsd_shape_multinomial,
     .traits = FSD_OP_RANDOM},
    {"Neg", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE},
    {"NegativeLogLikelihoodLoss", IN0, .shape = fsd_shape_loss},
    {"NonMaxSuppression", TO_INT64, .shape = fsd_shape_boxes, .shape_operands = 0x1f},
    {"NonZero", TO_INT64, .shape = fsd_shape_non_zero, .shape_operands = 0x1},
    {"Normalizer", TO_FP32, .shape = fsd_shape_same, .domains = FSD_DOMAIN_ML},
    {"Not", TO_BOOL, .shape = fsd_shape_same, .traits = FSD_OP_BARE},
    {"OneHot", IN2, .shape = fsd_shape_one_hot, .shape_operands = 0x2},
    {"OneHotEncoder", TO_FP32, .shape = fsd_shape_categories,
     .domains = FSD_DOMAIN_ML},
    {"Optional", NOTHING, .items = fsd_items_optional, .traits = FSD_OP_LISTS},
    {"OptionalGetElement", BY_ITEM, .shape = fsd_shape_optional,
     .traits = FSD_OP_LISTS},
    {"OptionalHasElement", TO_BOOL, .shape = fsd_shape_scalar},
    {"Or", TO_BOOL, .shape = fsd_shape_elementwise,
     .traits = FSD_OP_BARE | FSD_OP_SYMMETRIC},
    {"PRelu", IN0, .shape = fsd_shape_same, .known_as = "activation",
     .lowerings = "Mul Less Where"},
    {"Pad", IN0, .shape = fsd_shape_pad, .shape_operands = 0xa, .same = FSD_SAME_PAD,
     .holds = fsd_same_pad},
    {"Pow", IN0, .shape = fsd_shape_elementwise, .traits = FSD_OP_BARE,
     .lowerings = "Mul|Mul Mul|Sqrt"},
    {"QGemm", BY_ZERO_8, .shape = fsd_shape_matmul, .traits = FSD_OP_QLINEAR,
     .macs = fsd_macs_matmul, .variant = 'f', .domains = FSD_DOMAIN_MICROSOFT},
    {"QLinearAdd", IN0, .shape = fsd_shape_elementwise, .traits = FSD_OP_QLINEAR,
     .domains = FSD_DOMAIN_MICROSOFT},
    {"QLinearAveragePool", IN0, .shape = fsd_shape_pool,
     .domains = FSD_DOMAIN_MICROSOFT},
    {"QLinearConcat", IN1, .shape = fsd_shape_concat, .variant = 'q',
     .domains = FSD_DOMAIN_MICROSOFT},
    {"QLinearConv", IN7, .shape = fsd_shape_conv, .traits = FSD_OP_QLINEAR,
     .macs = fsd_macs_conv},
    {"QLinearConv", IN7, .shape = fsd_shape_conv, .traits = FSD_OP_QLINEAR,
     .macs = fsd_macs_conv, .domains = FSD_DOMAIN_MICROSOFT},
    {"QLinearGlobalAveragePool", IN0, .shape = fsd_shape_global_pool,
     .domains = FSD_DOMAIN_MICROSOFT},
    {"QLinearLeakyRelu", IN0, .shape = fsd_shape_same, .domains = FSD_DOMAIN_MICROSOFT},
    {"QLinearMatMul", IN7, .shape = fsd_shape_matmul, .traits = FSD_OP_QLINEAR,
     .macs = fsd_macs_matmul},
    {"QLinearMul", IN0, .shape = fsd_shape_elementwise, .traits = FSD_OP_QLINEAR,
     .domains = FSD_DOMAIN_MICROSOFT},
    {"QLinearSigmoid", IN0, .shape = fsd_shape_same, .domains = FSD_DOMAIN_MICROSOFT},
    {"QLinearSoftmax", IN0, .shape = fsd_shape_same, .domains = FSD_DOMAIN_MICROSOFT},
    {"QuantizeLinear", BY_ZERO, .shape = fsd_shape_same, .traits = FSD_OP_QUANTIZE,
     .domains = FSD_DOMAIN_QDQ,
     .lowerings = "Mul Min Max Round|Mul Round Min Max|Div Min Max Round|"
     "Min Max Round|Mul Cast"}, /* last: to FP8, which rounds and saturates itself */
    {"QuickGelu", IN0, .shape = fsd_shape_same, .domains = FSD_DOMAIN_MICROSOFT,
     .known_as = "gelu"},
    {"RMSNormalization", IN1, .shape = fsd_shape_same, .known_as = "rmsnorm",
     .lowerings = "Mul ReduceMean Add Sqrt Div Mul Mul|"
     "Mul ReduceMean Add Sqrt Div Mul"},
    {"RNN", IN0, IN0, .shape = fsd_shape_recurrent,
     .traits = FSD_OP_OUTPUTS | FSD_OP_RECURRENT,
     .macs = fsd_macs_recurrent},
    {"RandomNormal", BY_DTYPE, .shape = fsd_shape_attr, .traits = FSD_OP_RANDOM},
    {"RandomNormalLike", BY_DTYPE_IN, .shape = fsd_shape_same, .traits = FSD_OP_RANDOM},
    {"RandomUniform", BY_DTYPE, .shape = fsd_shape_attr, .traits = FSD_OP_RANDOM},
    {"RandomUniformLike", BY_DTYPE_IN, .shape = fsd_shape_same,
     .traits = FSD_OP_RANDOM},
    {"Range", ANY_IN, .shape = fsd_shape_range, .shape_operands = 0x7},
    {"Reciprocal", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE,
     .lowerings = "Div"},
    {"ReduceL1", IN0, .shape = fsd_shape_reduce, .shape_operands = 0x2,
     .lowerings = "Abs ReduceSum"},
    {"ReduceL2", IN0, .shape = fsd_shape_reduce, .shape_operands = 0x2,
     .lowerings = "Mul ReduceSum Sqrt"},
    {"ReduceLogSum", IN0, .shape = fsd_shape_reduce, .shape_operands = 0x2,
     .lowerings = "ReduceSum Log"},
    {"ReduceLogSumExp", IN0, .shape = fsd_shape_reduce, .shape_operands = 0x2,
     .lowerings = "ReduceMax Sub Exp ReduceSum Log Add"},
    {"ReduceMax", IN0, .shape = fsd_shape_reduce, .shape_operands = 0x2,
     .lowerings = UP_TO_4("Max")},
    {"ReduceMean", IN0, .shape = fsd_shape_reduce, .shape_operands = 0x2,
     .lowerings = "Slice Slice Add Mul|Slice Slice Add Div|"
     "Slice Slice Add Slice Add Div|Slice Slice Add Slice Add Slice Add Div"},
    {"ReduceMin", IN0, .shape = fsd_shape_reduce, .shape_operands = 0x2,
     .lowerings = UP_TO_4("Min")},
    {"ReduceProd", IN0, .shape = fsd_shape_reduce, .shape_operands = 0x2,
     .lowerings = UP_TO_4("Mul")},
    {"ReduceSum", IN0, .shape = fsd_shape_reduce, .shape_operands = 0x2,
     .lowerings = UP_TO_4("Add") "|" SUM_OF_5 "|" SUM_OF_6},
    {"ReduceSumSquare", IN0, .shape = fsd_shape_reduce, .shape_operands = 0x2,
     .lowerings = "Mul ReduceSum"},
    {"RegexFullMatch", TO_BOOL, .shape = fsd_shape_same},
    {"Relu", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE,
     .known_as = "activation", .lowerings = "Max"},
    {"Reshape", IN0, .shape = fsd_shape_reshape,
     .traits = FSD_OP_VIEW | FSD_OP_COMMUTES, .shape_operands = 0x2,
     .ints = fsd_ints_first, .same = FSD_SAME_VIEW},
    {"Resize", IN0, .shape = fsd_shape_resize, .shape_operands = 0xe},
    {"ReverseSequence", IN0, .shape = fsd_shape_same},
    {"RoiAlign", IN0, .shape = fsd_shape_roi},
    {"RotaryEmbedding", IN0, .shape = fsd_shape_same},
    {"RotaryEmbedding", IN0, .shape = fsd_shape_same, .domains = FSD_DOMAIN_MICROSOFT},
    {"Round", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE},
    {"STFT", IN0, .shape = fsd_shape_stft, .traits = FSD_OP_OPAQUE,
     .shape_operands = 0xa},
    {"SVMClassifier", BY_LABELS, TO_FP32, .shape = fsd_shape_classes,
     .traits = FSD_OP_OUTPUTS, .domains = FSD_DOMAIN_ML},
    {"SVMRegressor", TO_FP32, .shape = fsd_shape_targets, .variant = 's',
     .domains = FSD_DOMAIN_ML},
    {"Scaler", TO_FP32, .shape = fsd_shape_same, .domains = FSD_DOMAIN_ML},
    {"Scan", NOTHING, .traits = FSD_OP_CONTROL | FSD_OP_OPAQUE},
    {"Scatter", IN0, .shape = fsd_shape_same},
    {"ScatterElements", IN0, .shape = fsd_shape_same, .lowerings = "ScatterND"},
    {"ScatterND", IN0, .shape = fsd_shape_same},
    {"Selu", IN0, .shape = fsd_shape_same, .known_as = "activation"},
    {"SequenceAt", BY_ITEM, .shape = fsd_shape_item, .traits = FSD_OP_LISTS},
    {"SequenceConstruct", NOTHING, .items = fsd_items_construct,
     .traits = FSD_OP_LISTS},
    {"SequenceEmpty", NOTHING, .traits = FSD_OP_LISTS},
    {"SequenceErase", NOTHING, .items = fsd_items_same, .traits = FSD_OP_LISTS},
    {"SequenceInsert", NOTHING, .items = fsd_items_insert, .traits = FSD_OP_LISTS},
    {"SequenceLength", TO_INT64, .shape = fsd_shape_scalar},
    {"SequenceMap", NOTHING, .traits = FSD_OP_CONTROL | FSD_OP_OPAQUE},
    {"Shape", TO_INT64, .shape = fsd_shape_shape, .traits = FSD_OP_SHAPE,
     .ints = fsd_ints_shape},
    {"Shrink", IN0, .shape = fsd_shape_same},
    {"Sigmoid", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE},
    {"Sign", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE},
    {"SimplifiedLayerNormalization", IN0, .shape = fsd_shape_same,
     .domains = FSD_DOMAIN_MICROSOFT, .known_as = "rmsnorm",
     .lowerings = "Mul ReduceMean Add Sqrt Div Mul Mul"},
    {"Sin", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE},
    {"Sinh", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE},
    {"Size", TO_INT64, .shape = fsd_shape_scalar, .traits = FSD_OP_SHAPE,
     .ints = fsd_ints_size},
    {"SkipLayerNormalization", IN0, .shape = fsd_shape_same,
     .domains = FSD_DOMAIN_MICROSOFT, .known_as = "layernorm"},
    {"SkipSimplifiedLayerNormalization", IN0, .shape = fsd_shape_same,
     .domains = FSD_DOMAIN_MICROSOFT},
    {"Slice", IN0, .shape = fsd_shape_slice, .traits = FSD_OP_COMMUTES | FSD_OP_MOVES,
     .shape_operands = 0x1e, .ints = fsd_ints_slice},
    {"Softmax", IN0, .shape = fsd_shape_same,
     .lowerings = "ReduceMax Sub Exp ReduceSum Div Mul|"
     "ReduceMax Sub Exp ReduceSum Div|"
     "Slice Slice Max Sub Exp Slice Slice Add Div Mul|"
     "Slice Slice Max Sub Exp Slice Slice Add Div|"
     "Slice Slice Max Slice Max Sub Exp Slice Slice Add Slice Add Div Mul|"
     "Slice Slice Max Slice Max Sub Exp Slice Slice Add Slice Add Div|"
     "Slice Slice Max Slice Max Slice Max Sub Exp "
     "Slice Slice Add Slice Add Slice Add Div Mul|"
     "Slice Slice Max Slice Max Slice Max Sub Exp "
     "Slice Slice Add Slice Add Slice Add Div|"
     "ReduceMax Sub Exp " SUM_OF_5 " Div Mul|ReduceMax Sub Exp " SUM_OF_5 " Div|"
     "ReduceMax Sub Exp " SUM_OF_6 " Div Mul|ReduceMax Sub Exp " SUM_OF_6 " Div"},
    {"SoftmaxCrossEntropyLoss", IN0, IN0, .shape = fsd_shape_loss,
     .traits = FSD_OP_OUTPUTS},
    {"Softplus", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE,
     .known_as = "activation"},
    {"Softsign", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE},
    {"SpaceToDepth", IN0, .shape = fsd_shape_blocks, .traits = FSD_OP_COMMUTES,
     .variant = '/', .lowerings = "Transpose"},
    {"Split", IN0, IN0, .shape = fsd_shape_split,
     .traits = FSD_OP_COMMUTES | FSD_OP_OUTPUTS | FSD_OP_MOVES, .shape_operands = 0x2,
     .lowerings = "Slice"},
    {"SplitToSequence", NOTHING, .items = fsd_items_split, .traits = FSD_OP_LISTS},
    {"Sqrt", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE},
    {"Squeeze", IN0, .shape = fsd_shape_squeeze,
     .traits = FSD_OP_VIEW | FSD_OP_COMMUTES, .shape_operands = 0x2,
     .ints = fsd_ints_first, .same = FSD_SAME_VIEW},
    {"StringConcat", TO_STRING, .shape = fsd_shape_elementwise},
    {"StringNormalizer", TO_STRING, .shape = fsd_shape_strings,
     .shape_operands = 0x1},
    {"StringSplit", TO_STRING, TO_INT64, .shape = fsd_shape_string_split,
     .traits = FSD_OP_OUTPUTS, .shape_operands = 0x1},
    {"Sub", ANY_IN, .shape = fsd_shape_elementwise,
     .ints = fsd_ints_arithmetic, .variant = '-', .traits = FSD_OP_BARE},
    {"Sum", ANY_IN, .shape = fsd_shape_elementwise,
     .traits = FSD_OP_BARE | FSD_OP_SYMMETRIC,
     .same = FSD_SAME_SINGLE, .holds = fsd_same_single, .lowerings = "Add"},
    {"SwiGLU", ANY_IN, .shape = fsd_shape_same},
    {"Swish", IN0, .shape = fsd_shape_same, .known_as = "activation"},
    {"TRT_Attention", IN0, .shape = fsd_shape_same, .traits = FSD_OP_OPAQUE,
     .domains = FSD_DOMAIN_BUILDER},
    {"TRT_FP4DynamicQuantize", TO_FP4, .shape = fsd_shape_same,
     .traits = FSD_OP_QUANTIZE, .domains = FSD_DOMAIN_QDQ,
     .lowerings = "DynamicQuantizeLinear"},
    {"TRT_FP8DequantizeLinear", IN1, .shape = fsd_shape_same,
     .traits = FSD_OP_DEQUANTIZE, .domains = FSD_DOMAIN_QDQ},
    {"TRT_FP8QuantizeLinear", TO_FP8, .shape = fsd_shape_same,
     .traits = FSD_OP_QUANTIZE, .domains = FSD_DOMAIN_QDQ},
    {"TRT_INT4DequantizeLinear", IN1, .shape = fsd_shape_same,
     .traits = FSD_OP_DEQUANTIZE, .domains = FSD_DOMAIN_QDQ},
    {"TRT_INT4QuantizeLinear", TO_INT4, .shape = fsd_shape_same,
     .traits = FSD_OP_QUANTIZE, .domains = FSD_DOMAIN_QDQ},
    {"TRT_KVCacheUpdate", IN0, .shape = fsd_shape_same, .domains = FSD_DOMAIN_BUILDER},
    {"TRT_MXFP8DequantizeLinear", BY_SCALE, .shape = fsd_shape_same,
     .traits = FSD_OP_DEQUANTIZE, .domains = FSD_DOMAIN_QDQ,
     .lowerings = "Cast Expand Cast Mul Cast"},
    {"TRT_MXFP8DynamicQuantize", TO_FP8, .shape = fsd_shape_same,
     .traits = FSD_OP_QUANTIZE, .domains = FSD_DOMAIN_QDQ,
     .lowerings = "DynamicQuantizeLinear"},
    {"TRT_MoE", IN0, .shape = fsd_shape_same, .traits = FSD_OP_OPAQUE,
     .domains = FSD_DOMAIN_BUILDER},
    {"Tan", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE},
    {"Tanh", IN0, .shape = fsd_shape_same, .traits = FSD_OP_BARE,
     .known_as = "activation"},
    {"TensorScatter", IN0, .shape = fsd_shape_same},
    {"TfIdfVectorizer", TO_FP32, .shape = fsd_shape_terms},
    {"ThresholdedRelu", IN0, .shape = fsd_shape_same},
    {"Tile", IN0, .shape = fsd_shape_tile, .traits = FSD_OP_BARE | FSD_OP_COMMUTES,
     .shape_operands = 0x2, .lowerings = "Expand"},
    {"TopK", IN0, TO_INT64, .shape = fsd_shape_top_k, .traits = FSD_OP_OUTPUTS,
     .shape_operands = 0x2},
    {"Transpose", IN0, .shape = fsd_shape_transpose, .traits = FSD_OP_COMMUTES,
     .ints = fsd_ints_transpose, .same = FSD_SAME_PERM, .holds = fsd_same_transpose},
    {"TreeEnsemble", IN0, .shape = fsd_shape_targets, .domains = FSD_DOMAIN_ML},
    {"TreeEnsembleClassifier", BY_LABELS, TO_FP32, .shape = fsd_shape_classes,
     .traits = FSD_OP_OUTPUTS, .variant = 'c', .domains = FSD_DOMAIN_ML},
    {"TreeEnsembleRegressor", TO_FP32, .shape = fsd_shape_targets,
     .domains = FSD_DOMAIN_ML},
    {"Trilu", IN0, .shape = fsd_shape_same},
    {"Unique", IN0, TO_INT64, .shape = fsd_shape_chosen, .traits = FSD_OP_OUTPUTS,
     .shape_operands = 0x1},
    {"Unsqueeze", IN0, .shape = fsd_shape_unsqueeze,
     .traits = FSD_OP_VIEW | FSD_OP_COMMUTES, .shape_operands = 0x2,
     .ints = fsd_ints_first, .same = FSD_SAME_VIEW},
    {"Upsample", IN0, .shape = fsd_shape_resize, .shape_operands = 0x2},
    {"Where", IN1, .shape = fsd_shape_elementwise, .ints = fsd_ints_where,
     .traits = FSD_OP_BARE},
    {"Xor", TO_BOOL, .shape = fsd_shape_elementwise,
     .traits = FSD_OP_BARE | FSD_OP_SYMMETRIC},
    {"ZipMap", NOTHING, .traits = FSD_OP_LISTS, .domains = FSD_DOMAIN_ML},
};
/* clang-format on */

const struct fsd_op *fsd_ops(uint32_t *n)
{
    *n = FSD_COUNT_OF(ops);
    return ops;
}

/* The first row of that name, and the one behind a row, of the same; NULL: none. */
static const struct fsd_op *first_of(const char *name)
{
    const struct fsd_op *op =
        bsearch(name, ops, FSD_COUNT_OF(ops), sizeof *ops, fsd_by_name);

    while (op && op > ops && !strcmp(op[-1].name, name))
        op--;
    return op;
}

static const struct fsd_op *next_of(const struct fsd_op *op)
{
    bool more = op + 1 < ops + FSD_COUNT_OF(ops) && !strcmp(op[1].name, op->name);

    return more ? op + 1 : NULL;
}

static const struct fsd_op *find(const char *name, unsigned domain)
{
    for (const struct fsd_op *op = first_of(name); op; op = next_of(op))
        if (domain & (op->domains ? op->domains : FSD_DOMAIN_ONNX))
            return op;
    return NULL;
}

const struct fsd_op *fsd_op_of(const struct fsd_graph *g, fsd_id node)
{
    static const struct {
        const char *name;
        enum fsd_domain domain;
    } domains[] = {{"com.microsoft", FSD_DOMAIN_MICROSOFT},
                   {"trt", FSD_DOMAIN_TRT},
                   {"ai.onnx.ml", FSD_DOMAIN_ML},
                   {"ai.onnx.preview.training", FSD_DOMAIN_TRAINING},
                   {"ai.onnx.preview", FSD_DOMAIN_PREVIEW}};
    const struct fsd_node *n = &g->nodes.at[node];
    const char *domain = fsd_text(g->names, n->domain);
    unsigned in = fsd_is_onnx_domain(domain) ? FSD_DOMAIN_ONNX : 0;

    for (size_t i = 0; i < FSD_COUNT_OF(domains) && !in; i++)
        in = strcmp(domain, domains[i].name) ? 0 : domains[i].domain;
    return n->flags & FSD_NODE_CALL ? NULL : find(fsd_text(g->names, n->op), in);
}

unsigned fsd_op_traits(const struct fsd_graph *g, fsd_id node)
{
    const struct fsd_op *op = fsd_op_of(g, node);

    if (!op)
        return 0;
    return op->traits | FSD_OP_STANDARD |
           (op->traits & (FSD_OP_CONTROL | FSD_OP_LISTS) ? 0 : FSD_OP_SHAPED);
}

const char *fsd_op_lowerings(const char *name)
{
    for (const struct fsd_op *op = first_of(name); op; op = next_of(op))
        if (op->lowerings)
            return op->lowerings;
    return "";
}

const char *fsd_op_known_as(const char *name)
{
    for (const struct fsd_op *op = first_of(name); op; op = next_of(op))
        if (op->known_as)
            return op->known_as;
    return NULL;
}

bool fsd_op_is_symmetric(const char *name)
{
    const struct fsd_op *op = find(name, FSD_DOMAIN_ONNX);

    return op && op->traits & FSD_OP_SYMMETRIC;
}

uint32_t fsd_op_shape_inputs(const struct fsd_graph *g, fsd_id node)
{
    const struct fsd_op *op = fsd_op_of(g, node);

    return op ? op->shape_operands : 0;
}

bool fsd_op_keeps_shape(const struct fsd_graph *g, fsd_id node)
{
    const struct fsd_op *op = fsd_op_of(g, node);

    return op &&
           (op->shape == fsd_shape_same || op->shape == fsd_shape_quantized ||
            op->shape == fsd_shape_normalized || op->shape == fsd_shape_statistics);
}

bool fsd_op_keeps_items(const struct fsd_graph *g, fsd_id node)
{
    const struct fsd_op *op = fsd_op_of(g, node);

    return op && op->items == fsd_items_same;
}

/* ------------------------------------------------------------------------ types */

static enum fsd_dtype input_type(const struct fsd_graph *g, fsd_id node, uint32_t i)
{
    return fsd_tensor_form(g, fsd_node_in_tensor(g, node, i))->type;
}

static enum fsd_dtype type_attr(const struct fsd_graph *g, fsd_id node,
                                const char *name, enum fsd_dtype otherwise)
{
    const struct fsd_attr *attr = fsd_node_attr(g, &g->nodes.at[node], name);

    return attr && attr->kind == FSD_ATTR_INT && attr->i ? fsd_dtype_numbered(attr->i)
                                                         : otherwise;
}

/* A zero point that is left out means `otherwise`; one whose type is not known says
 * nothing. */
static enum fsd_dtype zero_type(const struct fsd_graph *g, fsd_id node, uint32_t i,
                                enum fsd_dtype otherwise)
{
    return fsd_node_in_tensor(g, node, i) == FSD_NONE ? otherwise
                                                      : input_type(g, node, i);
}

/* What a LabelEncoder makes of a label: fp32 where it lists nothing. */
static enum fsd_dtype values_type(const struct fsd_graph *g,
                                  const struct fsd_node *node)
{
    const struct fsd_attr *tensor = fsd_node_attr(g, node, "values_tensor");

    if (tensor && tensor->form != FSD_NONE)
        return g->forms.at[tensor->form].type;
    if (fsd_node_attr(g, node, "values_int64s"))
        return FSD_INT64;
    return fsd_node_attr(g, node, "values_strings") ? FSD_STRING : FSD_FP32;
}

static enum fsd_dtype item_type(const struct fsd_graph *g, fsd_id tensor)
{
    fsd_id item = tensor == FSD_NONE ? FSD_NONE : g->tensors.at[tensor].item;

    return item == FSD_NONE ? fsd_tensor_form(g, tensor)->type : g->forms.at[item].type;
}

enum fsd_dtype fsd_op_type(const struct fsd_graph *g, fsd_id node, uint32_t i)
{
    static const enum fsd_dtype fixed[] = {FSD_BOOL,  FSD_FP32,   FSD_FP4,
                                           FSD_FP8,   FSD_INT4,   FSD_INT64,
                                           FSD_INT32, FSD_STRING, FSD_UINT8};
    const struct fsd_op *op = fsd_op_of(g, node);
    unsigned type = !op ? NOTHING : i ? op->types : op->type;
    enum fsd_dtype found = FSD_DTYPE_UNKNOWN;
    const struct fsd_attr *value;

    if (type >= IN0 && type <= IN7)
        return input_type(g, node, type - IN0);
    if (type >= TO_BOOL && type <= TO_UINT8)
        return fixed[type - TO_BOOL];
    switch (type) {
    case ANY_IN:
        for (uint32_t k = 0; !found && k < g->nodes.at[node].in.n; k++)
            found = input_type(g, node, k);
        return found;
    case BY_TO:
        return type_attr(g, node, "to", FSD_DTYPE_UNKNOWN);
    case BY_DTYPE:
        return type_attr(g, node, "dtype", FSD_FP32);
    case BY_DTYPE_IN:
        return type_attr(g, node, "dtype", input_type(g, node, 0));
    case BY_DTYPE_INT32:
        return type_attr(g, node, "dtype", FSD_INT32);
    case BY_OUTPUT:
        return type_attr(g, node, "output_datatype", FSD_FP32);
    case BY_ZERO:
        return zero_type(g, node, 2, type_attr(g, node, "output_dtype", FSD_UINT8));
    case BY_ZERO_8:
        return zero_type(g, node, 8, FSD_FP32);
    case BY_SCALE:
        return type_attr(g, node, "output_dtype", input_type(g, node, 1));
    case BY_VALUES:
        return values_type(g, &g->nodes.at[node]);
    case BY_ITEM:
        return item_type(g, fsd_node_in_tensor(g, node, 0));
    case BY_LABELS:
        return fsd_node_attr(g, &g->nodes.at[node], "classlabels_strings") ? FSD_STRING
                                                                           : FSD_INT64;
    case BY_STASH:
        return type_attr(g, node, "stash_type", FSD_FP32);
    case BY_VALUE:
        value = fsd_node_attr(g, &g->nodes.at[node], "value");
        if (!value)
            return FSD_FP32;
        return value->form == FSD_NONE ? found : g->forms.at[value->form].type;
    default:
        return found;
    }
}
