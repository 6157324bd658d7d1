/*
 * Derives the kind of a layer (compute, reformat, copy, ...) from TensorRT's LayerType,
 * Origin, name and tactic, whose meanings have changed from 8.0 to 11.  The layer type
 * alone does not suffice: a Reformat may be TensorRT's own, or a Q/DQ, Slice or Cast of
 * the model.  Only this folder knows these words; other folders use the neutral facts
 * that are set here.
 */
#include "model/graph/graph.h"
#include "read/trt/grammar.h"
#include "read/trt/trt.h"
#include "host/files.h"

/* LayerType values that do not compute, in any case ("NoOp", TensorRT 11: "noop"). A
 * NoOp proves nothing about a node: a reformat that turned out free is one, and so is a
 * Reshape or Cast of the model, with Metadata or without. */
static const struct {
    const char *type;
    enum fsd_kind kind;
} types[] = {
    {"NoOp", FSD_KIND_NOOP},
    {"Reformat", FSD_KIND_REFORMAT},
    {"MyelinReformat", FSD_KIND_REFORMAT},
    {"Constant", FSD_KIND_CONSTANT},
    {"Myelin", FSD_KIND_FOREIGN},
    {"DLA", FSD_KIND_FOREIGN},
    {FSD_TRT_DRY_RUN, FSD_KIND_FOREIGN},
    {"shape_call", FSD_KIND_SHAPE},
    {"TrainStation", FSD_KIND_SYNC}, /* waits for sizes that the data decides */
    {"FinishNvmRegions", FSD_KIND_NOOP},
    {"signal", FSD_KIND_SYNC},
    {"wait", FSD_KIND_SYNC},
    {"Quantize", FSD_KIND_QUANTIZE},
    {"Dequantize", FSD_KIND_QUANTIZE},
    {"DynamicQuantize", FSD_KIND_QUANTIZE},
    {"memset", FSD_KIND_SYNC},
    {"jmp", FSD_KIND_SYNC},
    {"cjmp", FSD_KIND_SYNC},
};

/* Myelin counts loops and computes sizes with kernels for one element; kernels that
 * compute have other types ("kgen", "gemm", ...). */
static const struct {
    const char *type;
    enum fsd_kind kind;
} myelin_types[] = {
    {"add", FSD_KIND_SYNC},          {"mul", FSD_KIND_SYNC},
    {"div", FSD_KIND_SYNC},          {"cast", FSD_KIND_SYNC},
    {"reshape", FSD_KIND_SYNC},      {"copy", FSD_KIND_COPY},
    {"custom_layer", FSD_KIND_NOOP},
};

/* ShapeHostToDevice, DeviceToShapeHost: sizes that TensorRT copies between host and
 * device. */
static bool copies_to_host(const char *type)
{
    return strstr(type, "Host") && strstr(type, "Device");
}

/* The kind of a layer of which only the name is known. */
static enum fsd_kind kind_by_name(const char *name)
{
    static const struct {
        const char *begin;
        enum fsd_kind kind;
    } own[] = {{"[ShapeHostToDeviceCopy", FSD_KIND_SHAPE},
               {"[DeviceToShapeHostCopy", FSD_KIND_SHAPE},
               {"[trainStation", FSD_KIND_SYNC}};

    for (size_t i = 0; i < FSD_COUNT_OF(own); i++)
        if (!strncmp(name, own[i].begin, strlen(own[i].begin)))
            return own[i].kind;
    return FSD_KIND_COMPUTE;
}

bool fsd_trt_is_own_type(const char *type)
{
    return copies_to_host(type) || !strcmp(type, "TrainStation") ||
           !strcmp(type, "FinishNvmRegions");
}

/* The kind of a layer by its type and, for a Reformat, its Origin.  Since TensorRT 8.2,
 * Origin states what a Reformat does: only REFORMAT is TensorRT's own.  A QDQ is an
 * unfused QuantizeLinear or DequantizeLinear of the model.  A SLICE copies a part of a
 * tensor, into a Concat or out of a larger tensor.  CAST and IDENTITY are the model's
 * nodes with these operators. */
static enum fsd_kind kind_of(const struct fsd_layer *l, const char *type,
                             enum fsd_trt_origin origin)
{
    bool compiled = l->provider == FSD_PROVIDER_COMPILER;
    enum fsd_kind kind = FSD_KIND_COMPUTE;
    size_t i = 0;

    while (i < FSD_COUNT_OF(types) && strcasecmp(types[i].type, type) != 0)
        i++;
    if (i < FSD_COUNT_OF(types))
        kind = types[i].kind;
    if (!strcmp(type, "COPY")) /* the type in the list of kinds; a kernel called "copy"
                                  may compute */
        kind = FSD_KIND_COPY;
    if (copies_to_host(type))
        kind = FSD_KIND_SHAPE;
    for (i = 0; compiled && i < FSD_COUNT_OF(myelin_types); i++)
        if (!strcmp(myelin_types[i].type, type))
            kind = myelin_types[i].kind;

    if (kind == FSD_KIND_REFORMAT && origin == FSD_TRT_ORIGIN_QDQ)
        return FSD_KIND_QUANTIZE;
    if (kind == FSD_KIND_REFORMAT &&
        (origin == FSD_TRT_ORIGIN_SLICE || origin == FSD_TRT_ORIGIN_IDENTITY))
        return FSD_KIND_COPY;
    if (kind == FSD_KIND_COMPUTE && l->form == FSD_NAME_SERVES)
        return FSD_KIND_REFORMAT;
    if ((kind == FSD_KIND_COMPUTE || kind == FSD_KIND_REFORMAT) &&
        (l->form == FSD_NAME_COPIES || l->form == FSD_NAME_WRAPS))
        return FSD_KIND_COPY;
    if (kind == FSD_KIND_COMPUTE &&
        (l->form == FSD_NAME_REGION || l->provider == FSD_PROVIDER_DEVICE))
        return FSD_KIND_FOREIGN;
    return kind;
}

/* The types that unfused Q or DQ layers have had: Scale (8.0), Reformat (8.2 and
 * later), a pointwise or generated kernel.  A convolution does not quantize, whatever
 * its name contains. */
static bool may_quantize(const char *type)
{
    static const char *const starts[] = {
        "Reformat",  "Scale",       "NoOp", "Quantize", "Dequantize",
        "PointWise", "ElementWise", "kgen", "fusion",   "DynamicQuantize"};

    for (size_t i = 0; i < FSD_COUNT_OF(starts); i++)
        if (!strncasecmp(type, starts[i], strlen(starts[i])))
            return true;
    return !*type; /* a list of names states no types */
}

static bool says_any(const char *text, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}

/* "(Unnamed Layer* 0) [Identity]" and nothing else: a layer that an application adds to
 * a network without naming it. */
static bool is_unnamed_layer(const char *name)
{
    struct fsd_scan scan = {.s = name, .n = strlen(name)};
    size_t at = 0;

    return fsd_scan_skip_unnamed(&scan, &at) && at == scan.n;
}

void fsd_trt_facts(const struct fsd_intern *names, const struct fsd_node *node,
                   enum fsd_trt_origin origin, struct fsd_layer *layer)
{
    static const char *const multiply[] = {"gemm",           "Gemm",
                                           "onvolution",     "ONVOLUTION",
                                           "MatrixMultiply", "MATRIX_MULTIPLY",
                                           "FULLY_CONNECTED"};
    /* Kernels that multiply without tensor cores: on CUDA cores, one product at a time
     * (simt, ffma, scudnn, sgemm), or by the four-way INT8 instruction (int8x4,
     * idp). */
    static const char *const scalar[] = {"simt", "ffma", "scudnn", "sgemm", "int8x4",
                                         "_idp", "dp4a", "fp16x2", "hfma2"};
    const char *type = fsd_text(names, node->op);
    const char *tactic = fsd_text(names, layer->tactic);

    layer->kind = kind_of(layer, type, origin);
    if (!*type && layer->kind == FSD_KIND_COMPUTE)
        layer->kind = kind_by_name(fsd_text(names, node->name));
    if (!strncasecmp(type, "Plugin", 6) && layer->provider != FSD_PROVIDER_DEVICE)
        layer->provider = FSD_PROVIDER_PLUGIN;
    if (!strcmp(type, "FinishNvmRegions"))
        layer->provider = FSD_PROVIDER_DEVICE;
    layer->forwards =
        layer->form == FSD_NAME_SERVES || origin == FSD_TRT_ORIGIN_REFORMAT;
    layer->slices = origin == FSD_TRT_ORIGIN_SLICE;
    layer->may_quantize = may_quantize(type);
    layer->multiplies = says_any(type, multiply, FSD_COUNT_OF(multiply));
    layer->transposed =
        strstr(type, "econvolution") != NULL || !strcmp(type, "DECONVOLUTION");
    /* A depthwise kernel cannot use tensor cores. */
    layer->scalar =
        says_any(tactic, scalar, FSD_COUNT_OF(scalar)) && !strstr(tactic, "depthwise");
    /* With FP32 tensors the kernel may or may not round to TF32. */
    layer->rounds_to = strstr(tactic, "tf32") ? FSD_TF32 : FSD_DTYPE_UNKNOWN;
    layer->computes_in = fsd_trt_computes_in(layer, tactic);
    /* The name of a layer that the builder adds contains the name of the layer that it
     * serves. */
    layer->of_network =
        node->name && layer->form == FSD_NAME_PLAIN &&
        layer->provider == FSD_PROVIDER_BUILDER &&
        (layer->kind == FSD_KIND_NOOP ||
         ((layer->kind == FSD_KIND_REFORMAT || layer->kind == FSD_KIND_COPY) &&
          is_unnamed_layer(fsd_text(names, node->name))));
}
