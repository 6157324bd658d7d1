/*
 * Derives the kind of a layer (compute, reformat, copy, ...) from TensorRT's LayerType,
 * Origin, name and tactic.  Their meanings changed between TensorRT 8.0 and 11.  The
 * LayerType alone is not enough: a Reformat may be TensorRT's own, or a Q/DQ, Slice or
 * Cast of the model.  Only this folder knows TensorRT's words; other folders use the
 * facts that are set here.
 */
#include "model/graph/graph.h"
#include "read/trt/grammar.h"
#include "read/trt/trt.h"
#include "host/files.h"

/* The LayerTypes of layers that do not compute.  The case of letters does not matter:
 * TensorRT 11 writes "noop" for "NoOp".  A NoOp may be a reformat that needs no kernel,
 * or a Reshape or Cast of the model.  Its Metadata does not show which of these it
 * is. */
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
    {"TrainStation", FSD_KIND_SYNC}, /* waits for sizes that depend on data */
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

/* The LayerTypes of Myelin's kernels that count loops or compute sizes.  These kernels
 * process one element at a time.  Kernels that compute nodes have other types ("kgen",
 * "gemm", ...). */
static const struct {
    const char *type;
    enum fsd_kind kind;
} myelin_types[] = {
    {"add", FSD_KIND_SYNC},          {"mul", FSD_KIND_SYNC},
    {"div", FSD_KIND_SYNC},          {"cast", FSD_KIND_SYNC},
    {"reshape", FSD_KIND_SYNC},      {"copy", FSD_KIND_COPY},
    {"custom_layer", FSD_KIND_NOOP},
};

/* Whether layers of this type copy sizes between host and device: ShapeHostToDevice,
 * DeviceToShapeHost. */
static bool copies_to_host(const char *type)
{
    return strstr(type, "Host") && strstr(type, "Device");
}

/* Returns the kind of a layer that states no type, according to its name. */
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

/* Returns the kind of a layer, according to its type, its provider, its name (l->form)
 * and, for a Reformat, its Origin.  TensorRT states the Origin since 8.2.  The Origin
 * shows what a Reformat is:
 *
 *     REFORMAT        a reformat that TensorRT added
 *     QDQ             an unfused QuantizeLinear or DequantizeLinear of the model
 *     SLICE           a copy of a part of a tensor: into a Concat, or out of a tensor
 *     CAST, IDENTITY  the node of the model with this operator */
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
    if (!strcmp(type, "COPY")) /* the type in a line such as "[GpuLayer] COPY: N";
                                  a kernel of the type "copy", in lower case, may
                                  compute */
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

/* Whether an unfused Q or DQ may be a layer of this type: a Scale (TensorRT 8.0), a
 * Reformat (8.2 and later), or a pointwise or generated kernel.  A convolution is never
 * an unfused Q or DQ, even if its name contains the name of a Q. */
static bool may_quantize(const char *type)
{
    static const char *const starts[] = {
        "Reformat",  "Scale",       "NoOp", "Quantize", "Dequantize",
        "PointWise", "ElementWise", "kgen", "fusion",   "DynamicQuantize"};

    for (size_t i = 0; i < FSD_COUNT_OF(starts); i++)
        if (!strncasecmp(type, starts[i], strlen(starts[i])))
            return true;
    return !*type; /* a list of names states no types: each layer may be a Q or DQ */
}

static bool says_any(const char *text, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}

/* Whether the name is only "(Unnamed Layer* 0) [Identity]" or similar: an application
 * added the layer to the network without a name. */
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
    /* Words that show that a kernel multiplies without tensor cores. "int8x4", "_idp"
     * and "dp4a" stand for an instruction that computes four INT8 products, "fp16x2"
     * and "hfma2" for one that computes two FP16 products. */
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
    /* A depthwise kernel cannot use tensor cores, so it is not marked as scalar. */
    layer->scalar =
        says_any(tactic, scalar, FSD_COUNT_OF(scalar)) && !strstr(tactic, "depthwise");
    /* The kernel rounds FP32 inputs to TF32 if its name states so; otherwise this is
     * unknown. */
    layer->rounds_to = strstr(tactic, "tf32") ? FSD_TF32 : FSD_DTYPE_UNKNOWN;
    layer->computes_in = fsd_trt_computes_in(layer, tactic);
    /* The builder also adds layers that serve another layer.  The name of an added
     * layer contains the name of the served layer.  A layer with a plain name is
     * therefore a layer of the network. */
    layer->of_network =
        node->name && layer->form == FSD_NAME_PLAIN &&
        layer->provider == FSD_PROVIDER_BUILDER &&
        (layer->kind == FSD_KIND_NOOP ||
         ((layer->kind == FSD_KIND_REFORMAT || layer->kind == FSD_KIND_COPY) &&
          is_unnamed_layer(fsd_text(names, node->name))));
}
