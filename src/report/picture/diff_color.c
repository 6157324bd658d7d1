/* The meanings of the colors of layers and their nodes. By default, a color shows which
 * nodes belong to a layer. Other colorings show a fact about the layer. */
#include "base/base.h"
#include "model/graph/graph.h"
#include "report/picture/drawing.h"
#include "explain/values/values.h"

static unsigned by_precision(const struct fsd_diff *d, fsd_id layer)
{
    static const unsigned by_rank[] = {5, 6, 4, 3, 1, 1};
    enum fsd_dtype type = d->layers[layer].precision;

    return type == FSD_DTYPE_UNKNOWN ? 0 : by_rank[fsd_dtype_rank(type)];
}

static unsigned by_time(const struct fsd_diff *d, fsd_id layer)
{
    double ms = fsd_layer_ms(d, layer), total = d->times->total;

    return !(ms > 0) || !(total > 0) ? 0
           : ms >= total / 20        ? 4
           : ms >= total / 100       ? 2
                                     : 1;
}

static unsigned by_kind(const struct fsd_diff *d, fsd_id layer)
{
    static const uint8_t of[FSD__KIND_COUNT] = {
        [FSD_KIND_COMPUTE] = 1,  [FSD_KIND_FOREIGN] = 6,  [FSD_KIND_QUANTIZE] = 4,
        [FSD_KIND_COPY] = 2,     [FSD_KIND_REFORMAT] = 2, [FSD_KIND_NOOP] = 5,
        [FSD_KIND_CONSTANT] = 5, [FSD_KIND_SHAPE] = 5,    [FSD_KIND_SYNC] = 5};

    return of[d->layers[layer].kind];
}

/* Prefixes of the names of execution providers. The tint of a provider is its index
 * plus 1. All providers that are not in this list share the next tint. */
static const char *const providers[] = {"CPU", "CUDA", "Tensorrt", "OpenVINO", "Dml"};

static unsigned by_provider(const struct fsd_diff *d, fsd_id layer)
{
    const char *by = fsd_text(d->names, d->engine->layers.at[layer].ran_by);
    unsigned i = 0;

    while (i < FSD_COUNT_OF(providers) &&
           strncmp(by, providers[i], strlen(providers[i])) != 0)
        i++;
    return *by ? i + 1 : 0;
}

/* The tint of a number: 1 for a small value, 2 if it exceeds `some`, 4 if it exceeds
 * `most`; 0: unknown. */
static unsigned graded(double number, double some, double most)
{
    return isnan(number) ? 0 : number > most ? 4 : number > some ? 2 : 1;
}

static unsigned by_error(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_values *v = d->values;
    uint32_t row =
        v && v->numbers->of != FSD_NUMBERS_OF_TABLE ? v->of_layer[layer] : FSD_NONE;

    if (row == FSD_NONE)
        return 0;
    return fsd_row_is_over(v, row)
               ? 4
               : graded(fsd_number_of(v->numbers, row, FSD_ERROR_L2_REL), v->limit / 10,
                        v->limit);
}

static unsigned by_value(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_values *v = d->values;

    return v ? graded(fabs(fsd_number_of(v->numbers, v->of_layer[layer], 0)),
                      v->greatest / 10, v->greatest / 2)
             : 0;
}

static const struct fsd_coloring colorings[] = {
    {"fusion", NULL, {NULL}},
    {"precision",
     by_precision,
     {"not stated", "32 bits", NULL, "16 bits", "8 bits", "integers", "4 bits"}},
    {"time",
     by_time,
     {"no time", "less", "1 % of a run's time or more", NULL,
      "5 % of a run's time or more"}},
    {"kind",
     by_kind,
     {NULL, "compute", "reformat, copy", NULL, "quantize", "others", "foreign"}},
    {"provider",
     by_provider,
     {"unknown", "CPU", "CUDA", "Tensorrt", "OpenVINO", "Dml", "others"}},
    {"error",
     by_error,
     {"not measured", "error up to a tenth of the limit", "error up to the limit", NULL,
      "error above the limit"}},
    {"values",
     by_value,
     {"no value", "less", "a tenth of the greatest value or more", NULL,
      "half of the greatest value or more"}},
};

enum fsd_status fsd_coloring_find(const char *name, const struct fsd_coloring **out,
                                  struct fsd_error *err)
{
    *out = colorings;
    for (size_t i = 0; i < FSD_COUNT_OF(colorings) && name; i++)
        if (!strcmp(colorings[i].name, name)) {
            *out = &colorings[i];
            return FSD_OK;
        }
    return name ? fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                           "expected --color-by precision, time, kind, provider, "
                           "error, values or fusion, found '%.80s'",
                           name)
                : FSD_OK;
}
