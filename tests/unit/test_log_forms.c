/* What single error messages of a build mean: forms of TensorRT 8 to 11, of TensorRT
 * for RTX and of the ONNX parser, each with its class and with what it names. */
#include "read/log/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define BUILD      "IBuilder::buildSerializedNetwork: Error Code "
#define DIMENSIONS "ITensor::getDimensions: Error Code 4: API Usage Error "
#define TYPES      " In validateTypes at /_src/optimizer/common/nodes/node.cpp:40)"

struct row {
    const char *message, *is, *said;
    uint64_t code; /* of the parser; 0: the builder's */
};

static const struct row rows[] = {
    /* No kernel. */
    {"10: [optimizer.cpp::computeCosts::3869] Error Code 10: Internal Error (Could not "
     "find any implementation for node {ForeignNode[/n2/Transpose.../n7/Add]}.)",
     "internal, by tactic", "node={ForeignNode[/n2/Transpose.../n7/Add]}", 0},
    {"10: Could not find any implementation for node {ForeignNode[(Unnamed Layer* "
     "1247) "
     "[Shuffle].../l.7/Transpose_2 + /l.7/Reshape_4]}.",
     "internal, by tactic",
     "node={ForeignNode[(Unnamed Layer* 1247) [Shuffle].../l.7/Transpose_2 + "
     "/l.7/Reshape_4]}",
     0},
    {BUILD "10: Internal Error (Could not find any implementation for node "
           "{ForeignNode[a.../bb/Reshape_4 + /bb/Transpose_4]}. In computeCosts at "
           "optimizer/common/tactic/optimizer.cpp:4115)",
     "internal, by tactic", "node={ForeignNode[a.../bb/Reshape_4 + /bb/Transpose_4]}",
     0},
    {"Error[10]: [optimizer.cpp::computeCosts::2033] Error Code 10: Internal Error "
     "(Could not find any implementation for node Conv_0 + Relu_1.)",
     "internal, by tactic", "node=Conv_0 + Relu_1", 0},
    {"[tacticSupply.cpp::getSupportedFormats::48] Error Code 2: Internal Error "
     "(Assertion !layerImpls.empty() failed. /NonMaxSuppression_1 has no runners that "
     "implement it In getSupportedFormats at /_src/optimizer/tacticSupply.cpp:48)",
     "operator", "node=/NonMaxSuppression_1", 0},

    /* Memory. */
    {"Skipping tactic 0 due to insuficient memory on requested size of 29147520 "
     "detected for tactic 0.",
     "memory", "bytes=29147520", 0},
    {"UNSUPPORTED_STATE: Skipping tactic 0 due to insufficient memory on requested "
     "size "
     "of 3835900160 detected for tactic 0x0000000000000000.",
     "memory", "bytes=3835900160", 0},
    {"Skipping tactic 0x0000000000000000 due to Myelin error: autotuning: CUDA error 2 "
     "allocating 6443238909-byte buffer: out of memory",
     "memory", "bytes=6443238909", 0},
    {"[virtualMemoryBuffer.cpp::nvinfer1::StdVirtualMemoryBufferImpl::resizePhysical::"
     "154] Error Code 2: OutOfMemory (Requested size was 2833252352 bytes.)",
     "memory", "bytes=2833252352", 0},
    {"Requested amount of GPU memory (268435456 bytes) could not be allocated. There "
     "may not be enough free memory for allocation to succeed.",
     "memory", "bytes=268435456", 0},
    {"Tactic Device request: 1000MB Available: 680MB. Device memory is insufficient to "
     "use tactic.",
     "memory", "mib=1000", 0},
    {"1: [defaultAllocator.cpp::allocate::20] Error Code 1: Cuda Runtime (out of "
     "memory)",
     "memory", "", 0},

    {"2: [builder.cpp::f::1] Error Code 2: Internal Error (Internal error: plugin node "
     "/nms requires 536870912 bytes of scratch space, but only 16777216 is available.)",
     "memory", "node=/nms bytes=536870912", 0},
    {"10: [optimizer.cpp::computeCosts::1853] Error Code 10: Internal Error (Could not "
     "find any implementation for node Conv_0 due to insufficient workspace. See "
     "verbose "
     "log for requested sizes.)",
     "memory", "node=Conv_0", 0},

    /* Types. */
    {"2: [graphOptimizer.cpp::processNodes::1] Error Code 2: Internal Error (Assertion "
     "!n->candidateRequirements.empty() failed. no supported formats)",
     "type", "", 0},
    {DIMENSIONS
     "(addmix: ElementWiseOperation SUM must have same input types. But they "
     "are of types Float and Half." TYPES,
     "type", "node=addmix type=Float type=Half", 0},
    {DIMENSIONS
     "(mmix: IMatrixMultiplyLayer must have same input types. `A` is of type "
     "Float and `B` is of type Half." TYPES,
     "type", "type=Float type=Half", 0},
    {DIMENSIONS "(cmix: IConvolutionLayer `input` and `bias` must be of same type. "
                "`input` is of type Half but `bias` is of type Float." TYPES,
     "type", "type=Half type=Float", 0},
    {DIMENSIONS "(lnmix: INormalizationLayer `input` and `scale` must have identical "
                "types. `input` type is Half and `scale` type is Float." TYPES,
     "type", "type=Half type=Float", 0},
    {DIMENSIONS
     "(wmix: ISelectLayer must have `thenInput` and `elseInput` of same types "
     "but has Half and Float." TYPES,
     "type", "type=Half type=Float", 0},
    {DIMENSIONS "(convi: input has type Int64 but must have type Float, Half. In "
                "checkType at /_src/optimizer/common/nodeBase.cpp:456)",
     "type", "node=convi type=Int64", 0},
    {DIMENSIONS
     "(a8: ElementWiseOperation SUM requires inputs with type kFLOAT, kHALF. "
     "But type is UInt8." TYPES,
     "type", "node=a8 type=UInt8", 0},
    {"2: [optimizer.cpp::symbolicFormat::1] Error Code 2: Internal Error (/n5/Relu "
     "requires bool I/O but node can not be handled by Myelin.)",
     "type", "node=/n5/Relu", 0},
    {"9: Skipping tactic 0x0 due to exception [autotuner.cpp:get_best_tactics:1520] "
     "Autotuner: no tactics to implement operation: 1379: fc: "
     "/n3/MatMul_output_0'_before"
     "_bias.1-(bf16[1,32,16][]so[], mem_prop=0) | /n2/out.1-(bf16[1,32,16][])",
     "type", "tensor=/n3/MatMul_output_0'_before_bias.1 type=bf16", 0},
    {"Skipping tactic 0x0 due to Myelin error: Autotuner: no tactics to implement "
     "operation",
     "type", "", 0},
    {"Assertion failed: convertDtype(onnxDtype.elem_type(), &trtDtype) && \"Failed to "
     "convert ONNX date type to TensorRT data type.\"",
     "type", "", 8},
    {BUILD
     "1: Myelin ([shape.cpp:175: f] Error during shape inference of o = mul(a, b), "
     "name=N_shape_U8_mul Error is: Input 0's element type (float) differs from "
     "input 1's element type (bf16).)",
     "type", "type=float type=bf16", 0},
    {"WeightsContext.cpp:322: ONNX initializer w1 cannot be imported into TensorRT!",
     "type", "tensor=w1", 0},
    {"Found unsupported datatype (8) when importing initializer: w", "type",
     "size=8 tensor=w", 11},

    /* Shapes. */
    {"4: [layers.cpp::estimateOutputDims::1944] Error Code 4: Internal Error (/n7/Add: "
     "all concat input tensors must have the same dimensions except on the "
     "concatenation "
     "axis (0), but dimensions mismatched at index 1. Input 0 shape: [128,80,80], "
     "Input "
     "1 shape: [128,160,160])",
     "shape", "node=/n7/Add axis=0 size=[128,80,80] size=[128,160,160])", 0},
    {BUILD "4: API Usage Error (/Split_1: out of bounds slice, input dimensions = "
           "[2,16], start = [0,8], size = [2,9], stride = [1,1]. In validate at "
           "/_src/optimizer/api/layers/sliceLayer.cpp:332)",
     "shape", "node=/Split_1 size=[2,16]", 0},
    {"Assertion failed: static_cast<int32_t>(onnxPadding.size()) == padAxesSize * 2: "
     "Length of pads input must be twice the length of axes input.",
     "shape", "", 6},
    {"[convolutionLayer.cpp::f::1] Error Code: 3: /up/ConvTranspose:kernel weights has "
     "count 900 but 864 was expected",
     "shape", "node=/up/ConvTranspose size=900 size=864", 0},
    {DIMENSIONS "(mm: last dimension of input0 = 11 and second to last dimension of "
                "input1 = 16 but must match. In validate at /_src/x.cpp:192)",
     "shape", "node=mm size=11 size=16", 0},
    {"ITensor::getDimensions: Error Code 4: Shape Error (reshape wildcard -1 has no "
     "integer solution. Reshaping [4,8] to [5,-1]. In operator() at /_src/x.cpp:4633)",
     "shape", "size=[4,8] size=[5,-1]", 0},
    {"Error Code: 9: Skipping tactic 0x0 due to exception [shape.cpp:~f:136] Error "
     "during "
     "shape inference of /n4/Add_out = add(/n3/MatMul_out, c)",
     "shape", "tensor=/n4/Add_out", 0},
    {"9: [graph.cpp::computeInputExecutionUses::555] Error Code 9: Internal Error "
     "(/n8/Sigmoid: IUnaryLayer cannot be used to compute a shape tensor)",
     "shape", "node=/n8/Sigmoid", 0},
    {"9: [myelinBuilderUtils.cpp::getMyelinSupportType::1105] Error Code 9: Internal "
     "Error (Less_726 requires foreign node optimizations incompatible with "
     "data-dependent shapes, so treating as error.)",
     "shape", "node=Less_726", 0},
    {BUILD
     "4: API Usage Error ((Unnamed Layer* 9) [Recurrence]: IRecurrenceLayer must "
     "have inputs with same shape. First input x has shape [2] and second input so "
     "has shape [4]. In validateRecurrence at /_src/recurrenceLayer.cpp:54)",
     "shape",
     "node=(Unnamed Layer* 9) [Recurrence] tensor=x size=[2] tensor=so size=[4]", 0},
    {"../builder/symbolicDims.cpp (649) - Assertion Error in fromSymbolic: 0 (x must "
     "be "
     "build-time constant)",
     "shape", "", 0},
    {"2: [elementWiseRunner.cpp::ElementWiseRunner::118] Error Code 2: Internal Error "
     "(Assertion z.d[i] == broadcast(x.d[i], y.d[i]) || isSlotReference(z.d[i]) "
     "failed. )",
     "shape", "", 0},
    {"Assertion failed: (axis >= 0 && axis <= nbDims): Axis must be in the range [0, "
     "nbDims (2)]. Provided axis is: 5",
     "shape", "axis=5", 8},

    /* Profiles. */
    {"4: [network.cpp::validate::3062] Error Code 4: Internal Error (Network has "
     "dynamic "
     "or shape inputs, but no optimization profile has been defined.)",
     "profile", "", 0},
    {BUILD "4: API Usage Error (Optimization profile 0 is missing values for shape "
           "input tensor sizes. In validate at /_src/optimizer/api/network.cpp:4081)",
     "profile", "profile=0 tensor=sizes", 0},
    {"4: [network.cpp::validate::3640] Error Code 4: Internal Error (x: for dimension "
     "number 2 in profile 0 does not match network definition (got min=768, opt=768, "
     "max=768), expected min=opt=max=1024).)",
     "profile", "tensor=x axis=2 profile=0", 0},
    {"4: [shapeCompiler.cpp::evaluateShapeChecks::822] Error Code 4: Internal Error "
     "(kOPT "
     "values for profile 0 violate shape constraints: condition '==' violated. "
     "/n7/Add: "
     "dimensions not compatible for elementwise)",
     "profile, of values", "profile=0 node=/n7/Add", 0},
    {"4: [shapeCompiler.cpp::evaluateShapeChecks::1276] Error Code 4: Internal Error "
     "(kOPT values for profile 0 violate shape constraints: IShuffleLayer "
     "/n2/Transpose: "
     "reshaping failed for tensor: x reshape would change volume 13095936 to 6547968)",
     "profile, of values", "profile=0 node=/n2/Transpose", 0},
    {BUILD "4: API Usage Error (Dimension mismatch for tensor x and profile 0. At "
           "dimension axis 1, profile has min=8, opt=9, max=9 but tensor has 8. In "
           "validate at /_src/optimizer/api/network.cpp:4054)",
     "profile", "tensor=x profile=0 axis=1", 0},
    {"4: [network.cpp::validate::2973] Error Code 4: Internal Error (input: dynamic "
     "input "
     "is missing dimensions in profile 0.)",
     "profile", "tensor=input profile=0", 0},
    {"IOptimizationProfile::isValid: Error Code 4: API Usage Error (Invalid "
     "optimization "
     "profiles for input tensors x, please ensure that they satisfy MIN<=OPT<=MAX.)",
     "profile", "tensor=x", 0},

    /* Quantizers. */
    {BUILD "4: API Usage Error (Quantized constant (w) is only allowed before DQ or "
           "PLUGIN_V2 or kPLUGIN_V3 node.)",
     "q/dq", "tensor=w", 0},
    {"Assertion failed: shiftIsAllZeros(zeroPoint): Non-zero zero point is not "
     "supported.",
     "q/dq", "", 6},
    {"Assertion failed: K == scaleSize: The number of scales is not equal to the "
     "number "
     "of output channels.",
     "q/dq", "", 6},
    {"Assertion failed: scaleDims.d[axis] > 0 && inputDims.d[axis] % "
     "scaleDims.d[axis] == 0: The quantization axis must divide into whole blocks. "
     "Input dimension 0 = 64, scale dimension = 3.",
     "q/dq", "", 6},
    {"Missing scale and zero-point for tensor conv1, expect fall back to non-int8",
     "q/dq", "tensor=conv1", 0},

    /* Hardware. */
    {BUILD
     "1: Myelin ([pass.cpp:1500: run_passes] Cannot compile for target(s) sm86, "
     "because the model contains HW-specific datatypes: fp8_e4m3. In compileGraph "
     "at /_src/optimizer/myelin/codeGenerator.cpp:2012)",
     "hardware", "sm=sm86 type=fp8_e4m3", 0},
    {BUILD "1: Myelin ([pass.cpp:337: check_turing_op_compatibility] Cannot compile "
           "operation '/fc/Gemm' for Turing (SM75): FP32 GEMM is not supported)",
     "hardware", "node=/fc/Gemm sm=75 type=FP32", 0},
    {"9: [standardEngineBuilder.cpp::initialize::1] Error Code 9: Internal Error "
     "(Networks with FP8 Q/DQ layers require hardware with FP8 support.)",
     "hardware", "type=FP8", 0},
    {"Error Code 6: API Usage Error (Target GPU SM 61 is not supported by this "
     "TensorRT "
     "release.)",
     "hardware", "sm=61", 0},

    {"1: [caskUtils.cpp::f::1] CUDA error: no kernel image is available for execution "
     "on "
     "the device",
     "hardware", "", 0},

    /* Plugins and operators. */
    {"9: [pluginV2Builder.cpp::reportPluginError::24] Error Code 9: Internal Error "
     "(/n6/MatMul: could not find any supported formats consistent with input/output "
     "data "
     "types)",
     "plugin", "node=/n6/MatMul", 0},
    {"creator && \"Plugin not found, are the plugin name, version, and namespace "
     "correct?\"",
     "plugin", "", 6},
    {"getPluginCreator could not find plugin: grid_sampler version: 1", "plugin",
     "plugin=grid_sampler", 0},
    {"Assertion failed: creator && getPluginCreatorVersion(creator) == "
     "CreatorVersion::kV3ONE: NonZero plugin creator version 1 was not found in plugin "
     "registry.",
     "plugin", "plugin=NonZero", 8},
    {"false", "operator", "", 8},
    {"Unsupported reduction type", "operator", "", 9},
    {"(dilations[i] == 1) && \"This version of TensorRT does not support dilations "
     "other "
     "than 1.\"",
     "operator", "", 8},
    {BUILD "4: API Usage Error (ITopKLayer topk: topk: K exceeds the maximum value "
           "allowed (3840). In processCheck at /_src/graphShapeAnalyzer.cpp:1066)",
     "operator", "node=ITopKLayer topk: topk", 0},

    /* Models. */
    {"Assertion failed: toposort(graph.node(), &topoOrder, subgraphOuterDeps): Failed "
     "to "
     "sort the model topologically.",
     "model", "", 5},
    {"Assertion failed: (ctx->tensors().count(inputName)): Node input was not "
     "registered.",
     "model", "", 5},
    {"Assertion failed: tensors.count(input_name)", "model", "", 5},
    {"Trying to access weights or a null tensor!", "model", "", 1},
    {"Failed to import initializer: In node -1 with name:  and operator:  "
     "(importInitializers): UNSUPPORTED_NODE: Assertion failed: "
     "ctx->getWeightsContext().convertOnnxWeights(initializer, &weights): Failed to "
     "import initializer: w",
     "model", "tensor=w", 5},
    {"(deserializeOnnxModel): MODEL_DESERIALIZE_FAILED: Assertion failed: "
     "model->ParseFromCodedStream(&codedInput): Failed to parse the ONNX model.",
     "model", "", 0},
    {BUILD "4: API Usage Error (Network must have at least one output. In validate at "
           "/_src/optimizer/api/network.cpp:3810)",
     "model", "", 0},
    {"4: [network.cpp::validate::1] Error Code 4: Internal Error (Repeated layer name: "
     "Conv_0 (layers must have distinct names))",
     "model", "node=Conv_0", 0},

    /* Options and the environment. */
    {"[codeGenerator.cpp::createMyelinGraph::1203] Error Code 2: Internal Error "
     "(Assertion mContext.maxScratchSize > 0 failed. Compiling this graph requires "
     "workspace memory greater than 0.)",
     "option", "", 0},
    {BUILD "1: Myelin ([myelin_graph.h:1295: attachExceptionMsgToGraph] "
           "MyelinCheckException: graph_jit.cpp:278: CHECK(status == CUDA_SUCCESS) "
           "failed.)",
     "option", "", 0},
    {"4: [network.cpp::validate::1] Error Code 4: Internal Error (DLA is enabled but "
     "layer conv is not supported on DLA and falling back to GPU is not enabled.)",
     "option", "node=conv", 0},
    {BUILD "6: API Usage Error (Unable to load library: libnvinfer_lean.so.1: "
           "libnvinfer_lean.so.1: cannot open shared object file)",
     "environment", "library=libnvinfer_lean.so.1", 0},
    {"1: [raiiMyelinGraph.h::RAIIMyelinGraph::24] Error Code 1: Myelin (Compiled "
     "against "
     "cuBLASLt 11.9.2.0 but running against cuBLASLt 11.2.1.0.)",
     "environment", "library=cuBLASLt 11.9.2.0", 0},
    {"1: [virtualMemoryBuffer.cpp::resizePhysical::140] Error Code 1: Cuda Driver "
     "(invalid argument)",
     "environment", "", 0},
    {"2: [ltWrapper.cpp::setupHeuristic::327] Error Code 2: Internal Error (Assertion "
     "cublasStatus == CUBLAS_STATUS_SUCCESS failed.)",
     "environment", "", 0},
    {"1: No Myelin Error exists", "environment", "", 0},
    {"6: [runtime.cpp::nvinfer1::Runtime::Runtime::1] CUDA initialization failure with "
     "error: 35",
     "environment", "", 0},

    {"6: The engine plan file is not compatible: Serialization assertion "
     "stdVersionRead "
     "== serializationVersion failed.",
     "environment", "", 0},
    {"INetworkDefinition::addInput: Error Code 3: API Usage Error (Parameter check "
     "failed, condition: isValid(name).)",
     "option", "", 0},

    /* The builder itself, and echoes. */
    {BUILD
     "1: Myelin ([myelin_graph.h:attachExceptionMsgToGraph:1139] "
     "MyelinCheckException: gvn.cpp:318: CHECK(graph().ssa_validation()) failed.)",
     "internal", "", 0},
    {"2: [checkSanity.cpp::checkSanity::148] Error Code 2: Internal Error (Assertion "
     "isIOGraph || tensorInfo.tensors.size() == g.tensors.size() failed. )",
     "internal", "", 0},
    {"2: [builder.cpp::buildSerializedNetwork::743] Error Code 2: Internal Error "
     "(Assertion engine != nullptr failed. )",
     "internal, an echo", "", 0},
    {"2: [builder.cpp::buildSerializedNetwork::609] Error Code 2: Internal Error "
     "(Assertion enginePtr != nullptr failed. )",
     "internal, an echo", "", 0},
    {"Engine could not be created from network", "internal, an echo", "", 0},
    {"a message of no known form", "internal, unknown", "", 0},
};

static void each_form(void **state)
{
    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(rows); i++) {
        const struct fsd_log_failure failure = {.by_parser = rows[i].code > 0,
                                                .code = rows[i].code,
                                                .reason =
                                                    fsd_slice_of(rows[i].message)};
        struct fsd_log_said said = fsd_log_failure_said(&failure);
        char is[60], names[400] = "";

        snprintf(is, sizeof is, "%s%s%s%s%s", fsd_failure_class_name(said.is),
                 said.known ? "" : ", unknown", said.echo ? ", an echo" : "",
                 said.by_tactic ? ", by tactic" : "",
                 said.of_values ? ", of values" : "");
        for (unsigned k = 0; k < said.n; k++) {
            size_t at = strlen(names);

            snprintf(names + at, sizeof names - at, "%s%s=%.*s", k ? " " : "",
                     fsd_said_name(said.at[k].what), (int)said.at[k].text.n,
                     said.at[k].text.s);
        }
        if (strcmp(is, rows[i].is) != 0 || strcmp(names, rows[i].said) != 0)

            print_error("%s\n", rows[i].message);
        assert_string_equal(is, rows[i].is);
        assert_string_equal(names, rows[i].said);
    }
}

static void sentences(void **state)
{
    static const struct {
        const char *message, *sentence;
    } cases[] = {
        {DIMENSIONS
         "(mm: last dimension of input0 = 11 and second to last dimension of "
         "input1 = 16 but must match. In validate at /_src/x.cpp:192)",
         "mm: last dimension of input0 = 11 and second to last dimension of input1 = "
         "16 "
         "but must match."},
        {BUILD "1: Myelin ([pass.cpp:337: f] Cannot compile operation 'a' for Turing "
               "(SM75): FP32 GEMM is not supported. In g at /_src/h.cpp:2012)",
         "Cannot compile operation 'a' for Turing (SM75): FP32 GEMM is not supported."},
        {"Invalid Node - c\n" DIMENSIONS "(c: why In f at /_src/g.cpp:1)", "c: why"},
        {"Assertion failed: K == scaleSize: why", "K == scaleSize: why"},
        {"10: Could not find any implementation for node a.",
         "Could not find any implementation for node a."},
        {"9: Skipping tactic 0x0 due to exception [a.cpp:b:1520] Autotuner: no",
         "Autotuner: no"},
        {"Skipping tactic 0 due to insufficient memory on requested size of 7 detected",
         "insufficient memory on requested size of 7 detected"}};

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(cases); i++) {
        const struct fsd_log_failure failure = {.reason =
                                                    fsd_slice_of(cases[i].message)};
        struct fsd_slice got = fsd_log_failure_sentence(&failure);
        char text[400];

        snprintf(text, sizeof text, "%.*s", (int)got.n, got.s);
        assert_string_equal(text, cases[i].sentence);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_form),
                                       cmocka_unit_test(sentences)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
