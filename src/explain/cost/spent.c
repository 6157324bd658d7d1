/*
 * Classifies the work of each layer, and sums time and bytes by class.  Data movement
 * and requantization are separate classes.
 *
 *     Conv int8 -> fp32    MulAddReluMulMinMaxRounCast fp32 -> int8    Conv int8 -> ...
 *                          requantization
 *
 * A kernel requantizes if its input is floats that another kernel computed, its output
 * has a quantized type, and all its operations are known and elementwise.  The epilogue
 * of the previous kernel could have performed these operations.  Two similar kinds of
 * kernels do not requantize.  A normalization or an average that writes INT8 needs a
 * kernel anyway.  A kernel that quantizes an input of the network has no previous
 * kernel.
 */
#include "explain/cost/cost.h"
#include "model/graph/graph.h"

enum { STEPS = 64 };

const char *fsd_spent_name(enum fsd_spent value)
{
    static const char *const names[] = {"compute", "requantization", "movement",
                                        "requested_movement", "nothing"};

    return names[value];
}

const char *fsd_spent_words(enum fsd_spent value)
{
    static const char *const words[] = {"compute", "requantization", "data movement",
                                        "data movement that the model requires",
                                        "no work"};

    return words[value];
}

/* --------------------------------------------------------------- what requantizes */

static bool moves(enum fsd_kind kind)
{
    return kind == FSD_KIND_REFORMAT || kind == FSD_KIND_COPY || kind == FSD_KIND_NOOP;
}

/* Whether a layer computed the data at the port.  Data-movement layers do not count:
 * the search continues at their inputs.  If no layer computed the data, it is an input
 * of the network or a weight. */
static bool is_made(const struct fsd_match *m, const struct fsd_layer_result *layers,
                    uint32_t port)
{
    for (int steps = 0; steps < STEPS; steps++) {
        struct fsd_span by = fsd_port_peers(m->engine, port, true);
        struct fsd_span in;

        if (!by.n)
            return false;
        for (uint32_t i = 0; i < by.n; i++)
            if (!moves(layers[m->engine->links.at[by.at + i]].kind))
                return true;
        in = m->engine->nodes.at[m->engine->links.at[by.at]].in;
        if (!in.n)
            return false;
        port = in.at;
    }
    return false;
}

static bool writes_quantized(const struct fsd_graph *e, fsd_id layer)
{
    struct fsd_span out = e->nodes.at[layer].out;

    for (uint32_t i = 0; i < out.n; i++)
        if (fsd_dtype_is_quantized(fsd_port_form(e, &e->ports.at[out.at + i])->type))
            return true;
    return false;
}

/* Whether the layer reads floating-point data that another layer computed. */
static bool reads_wide(const struct fsd_match *m, const struct fsd_layer_result *layers,
                       fsd_id layer)
{
    const struct fsd_graph *e = m->engine;
    struct fsd_span in = e->nodes.at[layer].in;

    for (uint32_t i = 0; i < in.n; i++)
        if (fsd_dtype_rank(fsd_port_form(e, &e->ports.at[in.at + i])->type) >=
                fsd_dtype_rank(FSD_FP16) &&
            is_made(m, layers, in.at + i))
            return true;
    return false;
}

/* Whether the epilogue of a product kernel could perform all steps of the layer or, if
 * some steps are unknown, all nodes of the layer. */
bool fsd_cost_is_epilogue(const struct fsd_match *m, fsd_id layer)
{
    const struct fsd_layer *l = &m->engine->layers.at[layer];
    bool has_steps = l->steps.n && l->more_steps == FSD_STEPS_ARE_ALL, any = has_steps;

    for (uint32_t i = 0; has_steps && i < l->steps.n; i++)
        if (!fsd_step_is_epilogue(m->engine->links.at[l->steps.at + i]))
            return false;
    FSD_EACH_OF (node, m->links, m->of_layer[layer], node) {
        unsigned traits = m->facts->traits[node];

        if (!(traits & FSD_OP_STANDARD) || traits & (FSD_OP_RECURRENT | FSD_OP_CONTROL))
            return false;
        if (!has_steps && !(traits & (FSD_OP_QDQ | FSD_OP_WEIGHTED)) &&
            !fsd_step_is_epilogue(m->model->nodes.at[node].op))
            return false;
        any = true;
    }
    return any;
}

static bool requantizes(const struct fsd_match *m,
                        const struct fsd_layer_result *layers, fsd_id layer)
{
    return layers[layer].kind == FSD_KIND_COMPUTE &&
           !m->engine->layers.at[layer].multiplies &&
           writes_quantized(m->engine, layer) && reads_wide(m, layers, layer) &&
           fsd_cost_is_epilogue(m, layer);
}

static enum fsd_spent spent_on(const struct fsd_match *m,
                               const struct fsd_layer_result *layers,
                               const struct fsd_flows *flows,
                               const struct fsd_reason *reasons, double ms,
                               fsd_id layer)
{
    enum fsd_kind kind = layers[layer].kind;

    if (kind == FSD_KIND_NOOP || kind == FSD_KIND_SYNC || kind == FSD_KIND_SHAPE ||
        (kind == FSD_KIND_CONSTANT && !(ms > 0)))
        return FSD_SPENT_NOTHING;
    if (reasons[layer].requested || flows->of[layer].there || moves(kind))
        return ms == 0                    ? FSD_SPENT_NOTHING
               : reasons[layer].requested ? FSD_SPENT_REQUESTED
                                          : FSD_SPENT_MOVEMENT;
    return requantizes(m, layers, layer) ? FSD_SPENT_REQUANTIZE : FSD_SPENT_COMPUTE;
}

/* --------------------------------------------------------------------------- sums */

static void add_to(struct fsd_spent_sum *sum, int64_t bytes, double ms)
{
    sum->layers++;
    if (bytes >= 0)
        sum->bytes += bytes;
    else
        sum->unknown++;
    if (ms >= 0)
        sum->ms += ms;
}

/* The share of a class or layer with `bytes` and `ms`; negative if unknown.  Without
 * times, the share is also unknown if most layers have unknown bytes, because the few
 * known bytes do not represent the engine. */
static double share_of(const struct fsd_cost *c, const struct fsd_measured *times,
                       int64_t bytes, double ms)
{
    if (times->profiles)
        return times->total > 0 && ms >= 0 ? ms / times->total : -1;
    if (c->all.unknown > c->all.layers / 2)
        return -1;
    return c->all.bytes && bytes >= 0 ? (double)bytes / (double)c->all.bytes : -1;
}

void fsd_cost_spent(const struct fsd_match *m, const struct fsd_measured *times,
                    const struct fsd_layer_result *layers,
                    const struct fsd_flows *flows, const struct fsd_reason *reasons,
                    struct fsd_cost *c)
{
    c->all.ms = times->profiles ? 0 : -1;
    for (int i = 0; i < FSD__SPENT_COUNT; i++)
        c->spent[i].ms = c->all.ms;
    for (fsd_id i = 0; i < m->engine->nodes.n; i++) {
        struct fsd_layer_cost *r = &c->layers[i];
        double ms = times->of[i].median;

        r->spent = spent_on(m, layers, flows, reasons, ms, i);
        add_to(&c->spent[r->spent], r->bytes, ms);
        add_to(&c->all, r->bytes, ms);
    }
    for (int i = 0; i < FSD__SPENT_COUNT; i++)
        c->spent[i].share = share_of(c, times, c->spent[i].bytes, c->spent[i].ms);
    c->all.share = share_of(c, times, c->all.bytes, c->all.ms);
}

double fsd_cost_share(const struct fsd_diff *d, fsd_id layer)
{
    return share_of(d->cost, d->times, d->cost->layers[layer].bytes,
                    fsd_layer_ms(d, layer));
}
