#include "trt/kind.h"

#include <string.h>
#include <strings.h>

/* LayerType values that are not computing, in any case ("NoOp", TensorRT 11: "noop").
 */
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
    {"shape_call", FSD_KIND_SHAPE},
    {"ShapeHostToDevice", FSD_KIND_SHAPE},
    {"DeviceToShapeHost", FSD_KIND_SHAPE},
    {"signal", FSD_KIND_SYNC},
    {"wait", FSD_KIND_SYNC},
    {"Quantize", FSD_KIND_QUANTIZE},
    {"Dequantize", FSD_KIND_QUANTIZE},
};

static enum fsd_kind by_type(const char *type)
{
    for (size_t i = 0; i < FSD_COUNT_OF(types); i++)
        if (!strcasecmp(types[i].type, type))
            return types[i].kind;
    return FSD_KIND_COMPUTE;
}

/* Origin says what a Reformat does (formats seen from TensorRT 8.2 on). */
static enum fsd_kind by_origin(enum fsd_origin origin)
{
    switch (origin) {
    case FSD_ORIGIN_QDQ:
        return FSD_KIND_QUANTIZE;
    case FSD_ORIGIN_SLICE:
    case FSD_ORIGIN_IDENTITY:
        return FSD_KIND_COPY;
    case FSD_ORIGIN_NONE:
    case FSD_ORIGIN_REFORMAT:
    case FSD_ORIGIN_CAST:
    case FSD_ORIGIN_OTHER:
        break;
    }
    return FSD_KIND_REFORMAT;
}

static enum fsd_kind kind_of(const struct fsd_layer *l, const char *type)
{
    enum fsd_kind kind = by_type(type);

    if (kind == FSD_KIND_REFORMAT) {
        kind = by_origin(l->origin);
        if (kind == FSD_KIND_REFORMAT && l->form == FSD_NAME_COPY)
            kind = FSD_KIND_COPY;
    }
    if (kind == FSD_KIND_COMPUTE) {
        if (l->form == FSD_NAME_REFORMAT)
            kind = FSD_KIND_REFORMAT;
        else if (l->form == FSD_NAME_FOREIGN || l->form == FSD_NAME_DLA)
            kind = FSD_KIND_FOREIGN;
        else if (l->form == FSD_NAME_COPY)
            kind = FSD_KIND_COPY;
    }
    return kind;
}

/* What a Q or DQ left standing has been seen as: Scale (8.0), Reformat (8.2 and later),
 * a pointwise or generated kernel.  A convolution never is, whatever its name holds. */
static bool may_quantize(const char *type)
{
    static const char *const starts[] = {"Reformat",    "Scale",      "NoOp",
                                         "Quantize",    "Dequantize", "PointWise",
                                         "ElementWise", "kgen",       "fusion"};

    for (size_t i = 0; i < FSD_COUNT_OF(starts); i++)
        if (!strncasecmp(type, starts[i], strlen(starts[i])))
            return true;
    return !*type; /* names only: not known */
}

void fsd_trt_kinds(struct fsd_graph *g)
{
    for (fsd_id i = 0; i < g->layers.n; i++) {
        const char *type = fsd_text(g->names, g->nodes.at[i].op);

        g->layers.at[i].kind = kind_of(&g->layers.at[i], type);
        g->layers.at[i].may_quantize = may_quantize(type);
        g->layers.at[i].plugin = !strncasecmp(type, "Plugin", 6);
    }
}
