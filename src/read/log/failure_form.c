/*
 * The forms of error messages, one row per form, in TensorRT's own words.  A row states
 * the class of the failure, and the places at which a message has a name or a number.
 * The form of a message is the first row that matches anywhere in it, so rows with more
 * words come before rows with fewer.  The last rows are single words, for messages that
 * match no other row.
 *
 *     "Requested size was {bytes} bytes"       a place: any text, or a whole number
 *     "I*Layer {node}: * shape tensor"         a star: any text
 *     "for node {node}.$"                      a dollar: the end
 *
 * Sources: builds of TensorRT for RTX 1.4 to 1.7 that were made to fail, onnx-tensorrt
 * and trtexec, and threads about TensorRT 8 to 11.
 */
#include "read/log/log.h"

enum { STEPS_MOST = 1 << 15, TEXT_MOST = 4096 };

FSD_NAMES(fsd_failure_class_name, enum fsd_failure_class, FSD__FAILS_COUNT, "operator",
          "plugin", "type", "shape", "profile", "q/dq", "hardware", "model", "option",
          "memory", "environment", "internal")
FSD_NAMES(fsd_said_name, enum fsd_said, FSD__SAID_COUNT, "node", "tensor", "bytes",
          "mib", "type", "sm", "size", "profile", "axis", "library", "plugin")

/* ------------------------------------------------------------------------ the table */

/* The bits of form.also.  They set `echo`, `by_tactic` and `of_values` of struct
 * fsd_log_said. */
enum { ECHO = 1, BY_TACTIC = 2, OF_VALUES = 4 };

struct form {
    const char *pattern;
    enum fsd_failure_class is;
    unsigned also;
};

static const struct form forms[] = {
    /* Forms of messages that follow from an earlier error. */
    {"Assertion engine != nullptr failed", FSD_FAILS_INTERNAL, ECHO},
    {"Assertion enginePtr != nullptr failed", FSD_FAILS_INTERNAL, ECHO},
    {"Engine could not be created from network", FSD_FAILS_INTERNAL, ECHO},
    {"Building engine failed", FSD_FAILS_INTERNAL, ECHO},
    {"Failed to create engine from model", FSD_FAILS_INTERNAL, ECHO},
    {"Engine set up failed", FSD_FAILS_INTERNAL, ECHO},
    {"Build serialized network failed", FSD_FAILS_INTERNAL, ECHO},
    {"Invalid Engine. Please ensure", FSD_FAILS_INTERNAL, ECHO},
    {"Network validation failed", FSD_FAILS_MODEL, ECHO},
    {"Parsing model failed", FSD_FAILS_MODEL, ECHO},
    {"Failed to parse onnx file", FSD_FAILS_MODEL, ECHO},
    {"Failure while parsing ONNX file", FSD_FAILS_MODEL, ECHO},
    {"In node * (parseGraph): INVALID_NODE: Invalid Node - {node}", FSD_FAILS_OPERATOR,
     ECHO},
    {"engine build returned None", FSD_FAILS_INTERNAL, ECHO},
    {"In catchCudaError at *CUDA driver version is insufficient", FSD_FAILS_ENVIRONMENT,
     ECHO},

    /* The builder found no kernel.  BY_TACTIC: the lines about skipped tactics before
     * the message state the reason. */
    {"Could not find any implementation for node {node} due to insufficient workspace",
     FSD_FAILS_MEMORY, 0},
    {"Could not find any implementation for node {node}. In ", FSD_FAILS_INTERNAL,
     BY_TACTIC},
    {"Could not find any implementation for node {node}.)", FSD_FAILS_INTERNAL,
     BY_TACTIC},
    {"Could not find any implementation for node {node}.$", FSD_FAILS_INTERNAL,
     BY_TACTIC},
    {"Could not find any implementation for node {node}", FSD_FAILS_INTERNAL,
     BY_TACTIC},

    /* Options. */
    {"requires workspace memory greater than 0", FSD_FAILS_OPTION, 0},
    {"graph_jit.cpp*CHECK(status == CUDA_SUCCESS)", FSD_FAILS_OPTION, 0},
    {"DLA is enabled but layer {node} is not supported on DLA and falling back to GPU",
     FSD_FAILS_OPTION, 0},
    {"DLA layer {node} is not supported on DLA and falling back to GPU is not enabled",
     FSD_FAILS_OPTION, 0},
    {"is not supported on DLA and falling back to GPU is not enabled", FSD_FAILS_OPTION,
     0},
    {"Int8 precision has been set for a layer or layer output, but int8 is not "
     "configured",
     FSD_FAILS_OPTION, 0},
    {"precision has been set for a layer or layer output, but * is not configured",
     FSD_FAILS_OPTION, 0},
    {"strongly typed", FSD_FAILS_OPTION, 0},
    {"stronglyTyped", FSD_FAILS_OPTION, 0},
    {"STRONGLY_TYPED", FSD_FAILS_OPTION, 0},
    {"kREFIT", FSD_FAILS_OPTION, 0},
    {"not refittable", FSD_FAILS_OPTION, 0},
    {"refit", FSD_FAILS_OPTION, 0},
    {"kVERSION_COMPATIBLE", FSD_FAILS_OPTION, 0},
    {"BuilderFlag::k", FSD_FAILS_OPTION, 0},
    {"Weight streaming", FSD_FAILS_OPTION, 0},

    /* Memory. */
    {"plugin node {node} requires {bytes} bytes of scratch space", FSD_FAILS_MEMORY, 0},
    {"requires {bytes} bytes of scratch space", FSD_FAILS_MEMORY, 0},
    {"insufficient memory on requested size of {bytes} detected", FSD_FAILS_MEMORY, 0},
    {"insuficient memory on requested size of {bytes} detected", FSD_FAILS_MEMORY, 0},
    {"autotuning: CUDA error 2 allocating {bytes}-byte buffer", FSD_FAILS_MEMORY, 0},
    {"allocating {bytes}-byte buffer", FSD_FAILS_MEMORY, 0},
    {"Requested size was {bytes} bytes", FSD_FAILS_MEMORY, 0},
    {"Requested amount of GPU memory ({bytes} bytes) could not be allocated",
     FSD_FAILS_MEMORY, 0},
    {"Requested amount of memory ({bytes} bytes) could not be allocated",
     FSD_FAILS_MEMORY, 0},
    {"Device request: {mib}MB Available: *MB. Device memory is insufficient",
     FSD_FAILS_MEMORY, 0},
    {"Device memory is insufficient to use tactic", FSD_FAILS_MEMORY, 0},
    {"Tactic Device request: {mib}MB", FSD_FAILS_MEMORY, 0},
    {"Try increasing the workspace size", FSD_FAILS_MEMORY, 0},
    {"workspace size", FSD_FAILS_MEMORY, 0},
    {"out of memory", FSD_FAILS_MEMORY, 0},
    {"OutOfMemory", FSD_FAILS_MEMORY, 0},
    {"bad_alloc", FSD_FAILS_MEMORY, 0},

    /* Hardware. */
    {"Cannot compile for target(s) {sm}, because the model contains HW-specific "
     "datatypes: {type}. In",
     FSD_FAILS_HARDWARE, 0},
    {"Cannot compile for target(s) {sm}, because the model contains HW-specific "
     "datatypes: {type}.",
     FSD_FAILS_HARDWARE, 0},
    {"Cannot compile for target(s) {sm}", FSD_FAILS_HARDWARE, 0},
    {"Cannot compile operation '{node}' for * (SM{sm}): {type} * not supported",
     FSD_FAILS_HARDWARE, 0},
    {"Cannot compile operation '{node}' for * (SM{sm})", FSD_FAILS_HARDWARE, 0},
    {"Cannot compile operation '{node}'", FSD_FAILS_HARDWARE, 0},
    {"Networks with {type} Q/DQ layers require hardware with", FSD_FAILS_HARDWARE, 0},
    {"require hardware with {type} support", FSD_FAILS_HARDWARE, 0},
    {"requires hardware with {type} support", FSD_FAILS_HARDWARE, 0},
    {"hardware with", FSD_FAILS_HARDWARE, 0},
    {"Target GPU SM {sm} is not supported", FSD_FAILS_HARDWARE, 0},
    {"SM {sm} is not supported", FSD_FAILS_HARDWARE, 0},
    {"is not supported on SM{sm}", FSD_FAILS_HARDWARE, 0},
    {"is not supported on SM {sm}", FSD_FAILS_HARDWARE, 0},
    {"compute capability", FSD_FAILS_HARDWARE, 0},
    {"platform does not support {type}", FSD_FAILS_HARDWARE, 0},
    {"not supported on this platform", FSD_FAILS_HARDWARE, 0},
    {"platform doesn't support", FSD_FAILS_HARDWARE, 0},
    {"no kernel image is available", FSD_FAILS_HARDWARE, 0},
    {"nsupported SM", FSD_FAILS_HARDWARE, 0},
    {"Turing", FSD_FAILS_HARDWARE, 0},
    {"no DLA", FSD_FAILS_HARDWARE, 0},
    {"DLA core", FSD_FAILS_HARDWARE, 0},

    /* Environment. */
    {"Compiled against {library} but running against", FSD_FAILS_ENVIRONMENT, 0},
    {"was linked against {library} but loaded", FSD_FAILS_ENVIRONMENT, 0},
    {"Unable to load library: {library}: ", FSD_FAILS_ENVIRONMENT, 0},
    {"Unable to load library: {library})", FSD_FAILS_ENVIRONMENT, 0},
    {"Unable to load library", FSD_FAILS_ENVIRONMENT, 0},
    {"Could not load library {library}", FSD_FAILS_ENVIRONMENT, 0},
    {"cannot open shared object file", FSD_FAILS_ENVIRONMENT, 0},
    {"No Myelin Error exists", FSD_FAILS_ENVIRONMENT, 0},
    {"Status == CUBLAS_STATUS", FSD_FAILS_ENVIRONMENT, 0},
    {"Status == CUDNN_STATUS", FSD_FAILS_ENVIRONMENT, 0},
    {"CUBLAS_STATUS", FSD_FAILS_ENVIRONMENT, 0},
    {"CUDNN_STATUS", FSD_FAILS_ENVIRONMENT, 0},
    {"CUDA driver version is insufficient", FSD_FAILS_ENVIRONMENT, 0},
    {"CUDA initialization failure", FSD_FAILS_ENVIRONMENT, 0},
    {"Error Code 1: Cuda", FSD_FAILS_ENVIRONMENT, 0},
    {"Error Code 1: Cudnn", FSD_FAILS_ENVIRONMENT, 0},
    {"Error Code 1: Cublas", FSD_FAILS_ENVIRONMENT, 0},
    {"no CUDA-capable device", FSD_FAILS_ENVIRONMENT, 0},
    {"incompatible device", FSD_FAILS_ENVIRONMENT, 0},
    {"Cuda failure", FSD_FAILS_ENVIRONMENT, 0},
    {"Cuda Error in", FSD_FAILS_ENVIRONMENT, 0},
    {"CUDA error", FSD_FAILS_ENVIRONMENT, 0},
    {"cudaError", FSD_FAILS_ENVIRONMENT, 0},
    {"No space left on device", FSD_FAILS_ENVIRONMENT, 0},
    {"Serialization assertion", FSD_FAILS_ENVIRONMENT, 0},
    {"Error Code 1: Serialization", FSD_FAILS_ENVIRONMENT, 0},

    /* Profiles. */
    {"no optimization profile has been defined", FSD_FAILS_PROFILE, 0},
    {"Dimension mismatch for tensor {tensor} and profile {profile}. At dimension axis "
     "{axis},",
     FSD_FAILS_PROFILE, 0},
    {"Invalid optimization profiles for input tensors {tensor}, please",
     FSD_FAILS_PROFILE, 0},
    {"{tensor}: for dimension number {axis} in profile {profile} does not match",
     FSD_FAILS_PROFILE, 0},
    {"profile {profile} is missing values for shape input tensor {tensor}. ",
     FSD_FAILS_PROFILE, 0},
    {"{tensor}: optimization profile is missing values for shape input",
     FSD_FAILS_PROFILE, 0},
    {"{tensor}: dynamic input is missing dimensions in profile {profile}.",
     FSD_FAILS_PROFILE, 0},
    {"{tensor}: kMIN dimensions in profile {profile}", FSD_FAILS_PROFILE, 0},
    {"for profile {profile} violate shape constraints: condition '*' violated. "
     "{node}: ",
     FSD_FAILS_PROFILE, OF_VALUES},
    {"for profile {profile} violate shape constraints: I*Layer {node}: ",
     FSD_FAILS_PROFILE, OF_VALUES},
    {"for profile {profile} violate shape constraints: {node}: ", FSD_FAILS_PROFILE,
     OF_VALUES},
    {"for profile {profile} violate shape constraints", FSD_FAILS_PROFILE, OF_VALUES},
    {"Input dimensions with this name have different constant values",
     FSD_FAILS_PROFILE, 0},
    {"contradictory IOptimizationProfile", FSD_FAILS_PROFILE, 0},
    {"IElementWiseLayer {node}: * dimensions not compatible for elementwise. In "
     "processCheck",
     FSD_FAILS_PROFILE, OF_VALUES},
    {"MIN<=OPT<=MAX", FSD_FAILS_PROFILE, 0},
    {"optimization profile", FSD_FAILS_PROFILE, 0},
    {"OptimizationProfile", FSD_FAILS_PROFILE, 0},
    {"optimizationProfile", FSD_FAILS_PROFILE, 0},
    {"profile->isValid()", FSD_FAILS_PROFILE, 0},
    {"in profile {profile}", FSD_FAILS_PROFILE, 0},

    /* Quantizers. */
    {"Quantized constant ({tensor}) is only allowed before", FSD_FAILS_QDQ, 0},
    {"Non-zero zero point is not supported", FSD_FAILS_QDQ, 0},
    {"Scale coefficients must all be positive", FSD_FAILS_QDQ, 0},
    {"The number of scales is not equal", FSD_FAILS_QDQ, 0},
    {"The quantization axis must divide into whole blocks", FSD_FAILS_QDQ, 0},
    {"Missing scale and zero-point for tensor {tensor},", FSD_FAILS_QDQ, 0},
    {"zero point", FSD_FAILS_QDQ, 0},
    {"zero-point", FSD_FAILS_QDQ, 0},
    {"zeroPoint", FSD_FAILS_QDQ, 0},
    {"IQuantizeLayer {node}: ", FSD_FAILS_QDQ, 0},
    {"IDequantizeLayer {node}: ", FSD_FAILS_QDQ, 0},
    {"IDynamicQuantizeLayer", FSD_FAILS_QDQ, 0},
    {"QuantizeLayer", FSD_FAILS_QDQ, 0},
    {"alibration", FSD_FAILS_QDQ, 0},
    {"Q/DQ", FSD_FAILS_QDQ, 0},
    {"scaleAllPositive", FSD_FAILS_QDQ, 0},
    {"quantization scale", FSD_FAILS_QDQ, 0},

    /* Plugins. */
    {"{node}: could not find any supported formats consistent with input/output data "
     "types",
     FSD_FAILS_PLUGIN, 0},
    {"getPluginCreator could not find plugin: {plugin} version", FSD_FAILS_PLUGIN, 0},
    {"getPluginCreator could not find plugin {plugin} version", FSD_FAILS_PLUGIN, 0},
    {"Cannot find plugin: {plugin}, version", FSD_FAILS_PLUGIN, 0},
    {"::kV3ONE: {plugin} plugin creator version", FSD_FAILS_PLUGIN, 0},
    {"plugin != nullptr: {plugin} plugin was not found", FSD_FAILS_PLUGIN, 0},
    {"No importer registered for op: {plugin}.", FSD_FAILS_PLUGIN, 0},
    {"No importer registered for op: {plugin}", FSD_FAILS_PLUGIN, 0},
    {"not found in plugin node", FSD_FAILS_PLUGIN, 0},
    {"Plugin not found", FSD_FAILS_PLUGIN, 0},
    {"plugin", FSD_FAILS_PLUGIN, 0},
    {"Plugin", FSD_FAILS_PLUGIN, 0},

    /* Types. */
    {"{node}: * must have same input types. But they are of types {type} and {type}. ",
     FSD_FAILS_TYPE, 0},
    {"{node}: * must have same input types. But they are of types {type} and {type}.",
     FSD_FAILS_TYPE, 0},
    {"must have same input types. `A` is of type {type} and `B` is of type {type}.",
     FSD_FAILS_TYPE, 0},
    {"must be of same type. `input` is of type {type} but `bias` is of type {type}.",
     FSD_FAILS_TYPE, 0},
    {"must have identical types. `input` type is {type} and `scale` type is {type}.",
     FSD_FAILS_TYPE, 0},
    {"of same types but has {type} and {type}.", FSD_FAILS_TYPE, 0},
    {"of same type. First input is of type {type} but second input is of type {type}.",
     FSD_FAILS_TYPE, 0},
    {"must have same input types", FSD_FAILS_TYPE, 0},
    {"{node}: * requires inputs with type *. But type is {type}.", FSD_FAILS_TYPE, 0},
    {"{node}: input has type {type} but must have type", FSD_FAILS_TYPE, 0},
    {"{node} requires bool I/O", FSD_FAILS_TYPE, 0},
    {"with type {type}.", FSD_FAILS_TYPE, 0},
    {"Failed to convert ONNX dat* type", FSD_FAILS_TYPE, 0},
    {"ONNX initializer {tensor} cannot be imported", FSD_FAILS_TYPE, 0},
    {"Found unsupported datatype ({size}) when importing initializer: {tensor}",
     FSD_FAILS_TYPE, 0},
    {"element type ({type}) differs from * element type ({type}).", FSD_FAILS_TYPE, 0},
    {"no tactics to implement operation: *: *: {tensor}-({type}[", FSD_FAILS_TYPE, 0},
    {"no tactics to implement operation", FSD_FAILS_TYPE, 0},
    {"o supported formats", FSD_FAILS_TYPE, 0},
    {"candidateRequirements", FSD_FAILS_TYPE, 0},
    {"convertDtype(", FSD_FAILS_TYPE, 0},
    {"of same type", FSD_FAILS_TYPE, 0},
    {"identical types", FSD_FAILS_TYPE, 0},
    {"same type", FSD_FAILS_TYPE, 0},
    {"data type", FSD_FAILS_TYPE, 0},
    {"datatype", FSD_FAILS_TYPE, 0},
    {"DataType", FSD_FAILS_TYPE, 0},
    {"element type", FSD_FAILS_TYPE, 0},
    {"input types", FSD_FAILS_TYPE, 0},
    {"is of type", FSD_FAILS_TYPE, 0},
    {"have type", FSD_FAILS_TYPE, 0},
    {"must be Int", FSD_FAILS_TYPE, 0},
    {"must be INT", FSD_FAILS_TYPE, 0},
    {"must be Float", FSD_FAILS_TYPE, 0},
    {"UNSUPPORTED_NODE_DATATYPE", FSD_FAILS_TYPE, 0},

    /* Damaged models. */
    {"convertOnnxWeights(*Failed to import initializer: {tensor}", FSD_FAILS_MODEL, 0},
    {"Failed to import initializer: {tensor}", FSD_FAILS_MODEL, 0},
    {"Failed to open file: {library}", FSD_FAILS_MODEL, 0},
    {"Failed to map file to memory: {library}", FSD_FAILS_MODEL, 0},
    {"external weights offset/length out of range for file: {library} (",
     FSD_FAILS_MODEL, 0},
    {"Failed to open file", FSD_FAILS_MODEL, 0},
    {"Could not open file", FSD_FAILS_MODEL, 0},
    {"Failed to sort", FSD_FAILS_MODEL, 0},
    {"Node input was not registered", FSD_FAILS_MODEL, 0},
    {"ensors().count(", FSD_FAILS_MODEL, 0},
    {"tensors.count(", FSD_FAILS_MODEL, 0},
    {"access weights or a null tensor", FSD_FAILS_MODEL, 0},
    {"Network must have at least one output", FSD_FAILS_MODEL, 0},
    {"MODEL_DESERIALIZE_FAILED", FSD_FAILS_MODEL, 0},
    {"Failed to parse the ONNX model", FSD_FAILS_MODEL, 0},
    {"ParseFromCodedStream", FSD_FAILS_MODEL, 0},
    {"Error parsing message", FSD_FAILS_MODEL, 0},
    {"Repeated layer name: {node} (", FSD_FAILS_MODEL, 0},
    {"Repeated tensor name: {tensor} (", FSD_FAILS_MODEL, 0},
    {"Repeated ", FSD_FAILS_MODEL, 0},
    {"Graph contains a cycle", FSD_FAILS_MODEL, 0},
    {"raphOutputs", FSD_FAILS_MODEL, 0},
    {"DecodeError", FSD_FAILS_MODEL, 0},

    /* Operators. */
    {"Assertion !layerImpls.empty() failed. {node} has no runners that implement it",
     FSD_FAILS_OPERATOR, 0},
    {"{node}: K exceeds the maximum value allowed", FSD_FAILS_OPERATOR, 0},
    {"K exceeds the maximum value allowed", FSD_FAILS_OPERATOR, 0},
    {"Unsupported reduction type", FSD_FAILS_OPERATOR, 0},
    {"This version of TensorRT only support", FSD_FAILS_OPERATOR, 0},
    {"This version of TensorRT does not support", FSD_FAILS_OPERATOR, 0},
    {"TensorRT only supports", FSD_FAILS_OPERATOR, 0},
    {"TensorRT does not support", FSD_FAILS_OPERATOR, 0},
    {"transformationMode ==", FSD_FAILS_OPERATOR, 0},
    {"Unsupported operator", FSD_FAILS_OPERATOR, 0},
    {"unsupported operator", FSD_FAILS_OPERATOR, 0},
    {"dilations", FSD_FAILS_OPERATOR, 0},

    {"DLA", FSD_FAILS_HARDWARE, 0},

    /* Shapes. */
    {"Error during shape inference of {tensor} = ", FSD_FAILS_SHAPE, 0},
    {"Error during shape inference of", FSD_FAILS_SHAPE, 0},
    {"I*Layer {node}: reshaping failed for tensor: {tensor} reshape would change "
     "volume {size} to {size}",
     FSD_FAILS_SHAPE, 0},
    {"reshaping failed for tensor: {tensor} ", FSD_FAILS_SHAPE, 0},
    {"reshape would change volume {size} to {size}", FSD_FAILS_SHAPE, 0},
    {"Reshaping {size} to {size}.", FSD_FAILS_SHAPE, 0},
    {"{node}: all concat input tensors must have the same dimensions except on the "
     "concatenation axis ({axis}), * Input 0 shape: {size}, Input 1 shape: {size}",
     FSD_FAILS_SHAPE, 0},
    {"{node}: out of bounds slice, input dimensions = {size}, ", FSD_FAILS_SHAPE, 0},
    {"Length of pads input must be", FSD_FAILS_SHAPE, 0},
    {"Error Code: 3: {node}:kernel weights has count {size} but {size} was expected",
     FSD_FAILS_SHAPE, 0},
    {"kernel weights has count", FSD_FAILS_SHAPE, 0},
    {"{node}: last dimension of input0 = {size} and second to last dimension of input1 "
     "= {size} but must match",
     FSD_FAILS_SHAPE, 0},
    {"{node}: IUnaryLayer cannot be used to compute a shape tensor", FSD_FAILS_SHAPE,
     0},
    {"{node}: I*Layer cannot be used to compute a shape tensor", FSD_FAILS_SHAPE, 0},
    {"{tensor}: dimension {axis} never exceeds", FSD_FAILS_SHAPE, 0},
    {"{node}: * must have inputs with same shape. First input {tensor} has shape "
     "{size} and second input {tensor} has shape {size}.",
     FSD_FAILS_SHAPE, 0},
    {"IConditionalOutputLayer {node}: Must have inputs with equal ranks",
     FSD_FAILS_SHAPE, 0},
    {"{node} requires foreign node optimizations incompatible with data-dependent "
     "shapes",
     FSD_FAILS_SHAPE, 0},
    {"Number of dimensions ({size}) is not in the valid range", FSD_FAILS_SHAPE, 0},
    {"Axis must be in the range * Provided axis is: {axis}", FSD_FAILS_SHAPE, 0},
    {"x must be build-time constant", FSD_FAILS_SHAPE, 0},
    {"failed to broadcast", FSD_FAILS_SHAPE, 0},
    {"broadcast", FSD_FAILS_SHAPE, 0},
    {"nbDims", FSD_FAILS_SHAPE, 0},
    {"ONNX dimensions", FSD_FAILS_SHAPE, 0},
    {"dimension", FSD_FAILS_SHAPE, 0},
    {"hape", FSD_FAILS_SHAPE, 0},
    {"volume", FSD_FAILS_SHAPE, 0},
    {" rank", FSD_FAILS_SHAPE, 0},
    {" axis", FSD_FAILS_SHAPE, 0},
    {"channel", FSD_FAILS_SHAPE, 0},

    /* Single words that indicate an unsupported operator. */
    {"not support", FSD_FAILS_OPERATOR, 0},
    {"nsupported", FSD_FAILS_OPERATOR, 0},
    {"not implemented", FSD_FAILS_OPERATOR, 0},
    {"Parameter check failed", FSD_FAILS_OPTION, 0},

    /* Words of internal errors of the builder. */
    {"MyelinCheckException: ", FSD_FAILS_INTERNAL, 0},
    {"NVRTC Compilation failure", FSD_FAILS_INTERNAL, 0},
    {"Error Code 1: Myelin", FSD_FAILS_INTERNAL, 0},
    {"Internal Error (Assertion ", FSD_FAILS_INTERNAL, 0},
    {"Assertion Error in ", FSD_FAILS_INTERNAL, 0},
    {"CHECK(", FSD_FAILS_INTERNAL, 0},
};

/* The parser's error codes, from onnx-tensorrt's NvOnnxParser.h. */
static const struct parser_code {
    uint64_t code;
    enum fsd_failure_class is;
} parser_codes[] = {
    {2, FSD_FAILS_MEMORY},   {3, FSD_FAILS_MODEL},    {4, FSD_FAILS_MODEL},
    {5, FSD_FAILS_MODEL},    {6, FSD_FAILS_OPERATOR}, {7, FSD_FAILS_OPERATOR},
    {8, FSD_FAILS_OPERATOR}, {9, FSD_FAILS_OPERATOR}, {10, FSD_FAILS_OPERATOR},
    {11, FSD_FAILS_TYPE},    {12, FSD_FAILS_SHAPE},   {13, FSD_FAILS_SHAPE},
    {14, FSD_FAILS_OPTION},
};

/* -------------------------------------------------------------------------- fitting */

/* The state of matching a message with a form.  `steps` is the number of steps that are
 * left.  It is limited, because fits_any() tries each length of the text at a place or
 * star. */
struct fit {
    struct fsd_log_said said;
    unsigned steps;
};

static bool is_number(enum fsd_said what)
{
    return what == FSD_SAID_BYTES || what == FSD_SAID_MIB || what == FSD_SAID_PROFILE ||
           what == FSD_SAID_AXIS;
}

/* Reads a place such as "{bytes}" at the front of a pattern, and returns the rest of
 * the pattern. */
static const char *read_place(const char *pattern, enum fsd_said *what)
{
    const char *end = strchr(pattern, '}');

    for (unsigned i = 0; i < FSD__SAID_COUNT; i++) {
        const char *name = fsd_said_name((enum fsd_said)i);

        if (strlen(name) == (size_t)(end - pattern) - 1 &&
            !strncmp(pattern + 1, name, strlen(name)))
            *what = (enum fsd_said)i;
    }
    return end + 1;
}

static bool fits(struct fit *fit, struct fsd_slice text, const char *pattern);

/* Finds the text that a place or a star stands for: the part of `text` before the first
 * match of `rest`.
 * @param rest  the form after the place or star
 * @param digits  true: the found text must be a whole number
 * @param least  the minimum length of the found text
 * @param length  receives the length of the found text */
static bool fits_any(struct fit *fit, struct fsd_slice text, const char *rest,
                     bool digits, size_t least, size_t *length)
{
    for (size_t n = 0; n <= text.n; n++) {
        if (n >= least &&
            (!*rest || *rest == '{' || *rest == '*' ||
             (n < text.n && text.s[n] == *rest)) &&
            fits(fit, fsd_slice_from(text, n), rest)) {
            *length = n;
            return true;
        }
        if (n == text.n || (digits && !fsd_is_digit(text.s[n])) || fit->steps == 0)
            break;
    }
    return false;
}

static bool fits_place(struct fit *fit, struct fsd_slice text, const char *pattern)
{
    enum fsd_said what = FSD_SAID_NODE;
    const char *rest = read_place(pattern, &what);
    unsigned at = fit->said.n;
    size_t n;

    if (at == FSD_SAID_MOST)
        return false;
    fit->said.n++;
    if (!fits_any(fit, text, rest, is_number(what), 1, &n)) {
        fit->said.n = at;
        return false;
    }
    fit->said.at[at].what = what;
    fit->said.at[at].text = (struct fsd_slice){text.s, *rest ? n : text.n};
    return true;
}

static bool fits(struct fit *fit, struct fsd_slice text, const char *pattern)
{
    size_t n;

    for (; *pattern; pattern++) {
        if (fit->steps == 0)
            return false;
        fit->steps--;
        if (*pattern == '{')
            return fits_place(fit, text, pattern);
        if (*pattern == '*')
            return fits_any(fit, text, pattern + 1, false, 0, &n);
        if (*pattern == '$')
            return !text.n;
        if (!text.n || *text.s != *pattern)
            return false;
        text = fsd_slice_from(text, 1);
    }
    return true;
}

/* If the text has the words "Error Code", as in "Error Code 1: Myelin (...", returns
 * the text after the first " (". Otherwise, or if there is no " (", returns the whole
 * text. A form that begins with a place must match at the beginning of the result. */
static struct fsd_slice behind_head(struct fsd_slice text)
{
    const char *open = fsd_slice_find(text, " (");
    struct fsd_slice rest = text;

    if (fsd_slice_find(text, "Error Code") && open)
        rest = fsd_slice_from(text, (size_t)(open - text.s) + 2);
    return rest;
}

/* Whether the form matches anywhere in the message.  A form that begins with a place
 * must match at the beginning of behind_head(text). */
static bool fits_somewhere(struct fit *fit, struct fsd_slice text, const char *pattern)
{
    if (*pattern == '{')
        return fits(fit, behind_head(text), pattern);
    for (size_t i = 0; i < text.n; i++) {
        fit->said.n = 0;
        if (text.s[i] == *pattern && fits(fit, fsd_slice_from(text, i), pattern))
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------------ sentences */

/* Whether the text begins with a source file and a line: "/path/file.cpp:12". */
static bool begins_with_file(struct fsd_slice text)
{
    const char *space = memchr(text.s, ' ', text.n);
    struct fsd_slice word = {text.s, space ? (size_t)(space - text.s) : text.n};

    return fsd_slice_find(word, ".cpp:") || fsd_slice_find(word, ".h:");
}

/* Returns the message without " In function at /path/file.cpp:12" at its end.  TensorRT
 * 10 appends this text once or more. */
static struct fsd_slice without_place(struct fsd_slice text)
{
    const char *in = fsd_slice_find(text, " In ");

    while (in) {
        struct fsd_slice rest =
            fsd_slice_from(text, (size_t)(in - text.s) + strlen(" In "));
        struct fsd_slice function = rest, place;

        if (fsd_slice_split_at(&function, " at ", &place) &&
            !memchr(function.s, ' ', function.n) && begins_with_file(place))
            return (struct fsd_slice){text.s, (size_t)(in - text.s)};
        in = fsd_slice_find(rest, " In ");
    }
    return text;
}

/* Returns the text without the function at its front: "[pass.cpp:337: f] ",
 * "[optimizer.cpp::f::2011] ". */
static struct fsd_slice without_function(struct fsd_slice text)
{
    struct fsd_slice rest = text, behind;

    return fsd_slice_take(&rest, "[") && fsd_slice_split_at(&rest, "] ", &behind) &&
                   fsd_slice_find(rest, ":")
               ? behind
               : text;
}

/* Returns the reason without the text at its front, such as "10: " or "Skipping tactic
 * 0x0 due to ".
 */
static struct fsd_slice without_tactic(struct fsd_slice text)
{
    struct fsd_slice rest = text, behind;
    uint64_t code;

    if (fsd_slice_take_number(&rest, 99, &code) && fsd_slice_take(&rest, ": "))
        text = rest;
    rest = text;
    if (fsd_slice_find(text, "Skipping tactic ") &&
        fsd_slice_split_at(&rest, " due to ", &behind)) {
        text = behind;
        fsd_slice_take(&text, "exception ");
    }
    return text;
}

/* Whether the text closes more parentheses than it opens.  The last parenthesis then
 * belongs to "Error Code 4: API Usage Error (...)". */
static bool closes_more(struct fsd_slice text)
{
    int depth = 0;

    for (size_t i = 0; i < text.n; i++)
        depth += (text.s[i] == '(') - (text.s[i] == ')');
    return depth < 0;
}

struct fsd_slice fsd_log_failure_sentence(const struct fsd_log_failure *f)
{
    struct fsd_slice text = f->reason, line;

    if (fsd_slice_begins(text, "Invalid Node - ") &&
        fsd_slice_split_at(&text, "\n", &line))
        text = line;
    if (fsd_slice_split_at(&text, "\n", &line) && !text.n)
        text = line;
    text = without_function(without_tactic(behind_head(text)));
    text = fsd_slice_trim(without_place(text));
    if (closes_more(text))
        fsd_slice_drop(&text, ")");
    fsd_slice_take(&text, "Assertion failed: ");
    return fsd_slice_trim(text);
}

/* ---------------------------------------------------------------------- the meaning */

static void take_form(struct fsd_log_said *said, const struct form *form)
{
    said->is = form->is;
    said->known = true;
    said->echo = form->also & ECHO;
    said->by_tactic = form->also & BY_TACTIC;
    said->of_values = form->also & OF_VALUES;
}

struct fsd_log_said fsd_log_failure_said(const struct fsd_log_failure *f)
{
    struct fit fit = {.steps = 0};
    struct fsd_slice text = f->reason;

    text.n = text.n < TEXT_MOST ? text.n : TEXT_MOST;
    fit.said.is = f->by_parser ? FSD_FAILS_OPERATOR : FSD_FAILS_INTERNAL;
    for (size_t i = 0; i < FSD_COUNT_OF(forms); i++) {
        fit.steps = STEPS_MOST;
        fit.said.n = 0;
        if (fits_somewhere(&fit, text, forms[i].pattern)) {
            take_form(&fit.said, &forms[i]);
            return fit.said;
        }
    }
    fit.said.n = 0;
    for (size_t i = 0; i < FSD_COUNT_OF(parser_codes); i++)
        if (f->by_parser && parser_codes[i].code == f->code) {
            fit.said.is = parser_codes[i].is;
            fit.said.known = true;
        }
    return fit.said;
}
