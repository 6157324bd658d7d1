/* Where the engine runs in another type than the model asks for, or than its own
 * neighbours do; quantizers that were left standing. */
#include "base/spread.h"
#include "base/text.h"
#include "findings/finder.h"

/* ----------------------------------------------------------------------- standing */

/* Which: those at a network input, where one is needed, or all others. */
void fsd_find_standing(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;

    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        const struct fsd_form *in = fsd_layer_form_in(d->engine, i);
        const struct fsd_form *out = fsd_layer_form_out(d->engine, i);
        fsd_id read = fsd_node_in_tensor(d->engine, i, 0);
        bool at_input =
            read != FSD_NONE && (d->engine->tensors.at[read].flags & FSD_TENSOR_INPUT);

        if (d->layers[i].kind != FSD_KIND_QUANTIZE || at_input != (bool)f->rule->which)
            continue;
        fsd_finding_open(f);
        fsd_about_layer(f, i);
        for (uint32_t k = 0; k < d->match->of_layer[i].n; k++)
            fsd_about_node(f, fsd_match_of_layer(d->match, i, k)->node);
        if (f->now.nodes.n)
            fsd_put_node_name(d, fsd_match_of_layer(d->match, i, 0)->node, f->out);
        else
            fsd_put_layer_name(d, i, f->out);
        fprintf(f->out, " stands alone as layer %u", i);
        if (in && out)
            fprintf(f->out, " (%s -> %s)", fsd_dtype_name(in->type),
                    fsd_dtype_name(out->type));
        fputs(", ", f->out);
        fsd_put_edge(d, i, f->out);
        fsd_put_took(f, fsd_layer_ms(d, i));
        fsd_finding_close(f);
    }
}

/* -------------------------------------------------------------------------- wider */

/* One finding a layer, with all its nodes that were asked to be narrower. */
void fsd_find_wider(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;

    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        fsd_id first = FSD_NONE;

        for (uint32_t k = 0; k < d->match->of_layer[i].n; k++) {
            fsd_id node = fsd_match_of_layer(d->match, i, k)->node;
            int asked = fsd_dtype_rank(d->nodes[node].requested);

            if (d->layers[i].kind != FSD_KIND_COMPUTE || !asked ||
                fsd_dtype_rank(d->nodes[node].realised) <= asked ||
                (d->facts->traits[node] & FSD_OP_QDQ))
                continue;
            if (first == FSD_NONE) {
                fsd_finding_open(f);
                fsd_about_layer(f, i);
                first = node;
            }
            fsd_about_node(f, node);
        }
        if (first == FSD_NONE)
            continue;
        fsd_put_subjects(f, f->now.nodes);
        fprintf(f->out, " asked for %s, layer %u runs %s",
                fsd_dtype_name(d->nodes[first].requested), i,
                fsd_dtype_name(d->layers[i].precision));
        fsd_finding_close(f);
    }
}

/* ------------------------------------------------------------------------ islands */

static void add_ms(struct fsd_finder *f, double ms)
{
    if (ms >= 0)
        fsd_fact_text(f, "ms", fsd_printed(f->found->arena, "%.4f", ms));
}

/* What an island begins or ends with: a node where it is known. */
static const char *border_name(const struct fsd_finder *f, fsd_id layer)
{
    const struct fsd_match *m = f->d->match;

    return m->of_layer[layer].n
               ? fsd_called(f, fsd_match_of_layer(m, layer, 0)->node)
               : fsd_text(f->d->names, f->d->engine->nodes.at[layer].name);
}

/* Each border costs a conversion, and what is between them the wider type's time and
 * memory; where it is entered and left tells what to change in the model. */
void fsd_find_islands(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;

    for (uint32_t i = 0; i < d->islands->list.n; i++) {
        const struct fsd_island *island = &d->islands->list.at[i];
        const char *type = fsd_dtype_name(island->type);

        if (!island->nodes.n) /* only movers: told as standing quantizers and chains */
            continue;
        fsd_finding_open(f);
        for (uint32_t k = 0; k < island->layers.n; k++)
            fsd_about_layer(f, d->islands->pool.at[island->layers.at + k]);
        for (uint32_t k = 0; k < island->nodes.n; k++)
            fsd_about_node(f, d->islands->pool.at[island->nodes.at + k]);
        fsd_fact_text(f, "type", type);
        fsd_fact_number(f, "entry_layer", island->entry);
        fsd_fact_number(f, "exit_layer", island->exit);
        fsd_fact_number(f, "entries", island->entries);
        fsd_fact_number(f, "exits", island->exits);
        fsd_fact_text(f, "entry", border_name(f, island->entry));
        fsd_fact_text(f, "exit", border_name(f, island->exit));
        add_ms(f, island->ms);
        fprintf(f->out,
                "data up to %s wide between narrower data, from layer %u to layer %u, "
                "in ",
                type, island->entry, island->exit);
        fsd_put_noun(f->out, island->layers.n, "layer");
        fputs(": ", f->out);
        fsd_put_subjects(f, f->now.nodes);
        fsd_put_took(f, island->ms);
        fsd_finding_close(f);
    }
}

/* -------------------------------------------------------------------- left in FP32 */

/* Layers that compute in FP32, where another computes in a narrower type, and are no
 * part of an island, which has been told.  One finding for all. */
void fsd_find_fp32_left(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;
    bool *told = FSD_NEW(f->scratch, bool, d->engine->nodes.n), any_narrow = false;
    double ms = d->times->profiles ? 0 : -1;
    fsd_id *left = FSD_NEW(f->scratch, fsd_id, d->engine->nodes.n);
    uint32_t n = 0;

    for (uint32_t i = 0; i < d->islands->list.n; i++) {
        struct fsd_span layers = d->islands->list.at[i].layers;

        for (uint32_t k = 0; k < layers.n; k++)
            told[d->islands->pool.at[layers.at + k]] = true;
    }
    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        int rank = fsd_dtype_rank(d->layers[i].precision);

        if (d->layers[i].kind != FSD_KIND_COMPUTE &&
            d->layers[i].kind != FSD_KIND_FOREIGN)
            continue;
        any_narrow |= rank && rank < 4;
        if (rank >= 4 && !told[i])
            left[n++] = i;
    }
    if (!n || !any_narrow)
        return;
    fsd_finding_open(f);
    for (uint32_t i = 0; i < n; i++) {
        fsd_about_layer(f, left[i]);
        ms += fsd_larger(0, fsd_layer_ms(d, left[i]));
    }
    for (uint32_t i = 0; i < n; i++)
        fsd_about_computed(f, left[i]);
    add_ms(f, ms);
    fprintf(f->out, "%u layer%s in fp32%s", n, n == 1 ? " still runs" : "s still run",
            f->now.nodes.n ? ": " : "");
    fsd_put_subjects(f, f->now.nodes);
    fsd_put_took(f, ms);
    fsd_finding_close(f);
}

/* ----------------------------------------------------------- without tensor cores */

/* A kernel's name tells that it works on scalars; why the builder took it, nothing
 * does. */
void fsd_find_no_tensor_cores(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;

    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        const char *tactic = fsd_text(d->names, d->engine->layers.at[i].tactic);

        if (d->layers[i].kind != FSD_KIND_COMPUTE || d->cost->layers[i].macs == 0 ||
            !d->engine->layers.at[i].scalar)
            continue;
        fsd_finding_open(f);
        fsd_about_layer(f, i);
        fsd_about_computed(f, i);
        fsd_fact_text(f, "tactic", tactic);
        fprintf(f->out, "layer %u runs %s without tensor cores%s", i,
                fsd_dtype_name(d->layers[i].precision), f->now.nodes.n ? ": " : "");
        fsd_put_subjects(f, f->now.nodes);
        fsd_put_took(f, fsd_layer_ms(d, i));
        fprintf(f->out, " (%s)", tactic);
        fsd_finding_close(f);
    }
}

/* ------------------------------------------------------------------- types outside */

/* A network input or output, and its type in the model and in the engine. */
struct outside {
    enum fsd_dtype asked, built;
    bool input;
};

/* False when its type is the model's, or one of the two is not known. */
static bool io_changed(const struct fsd_diff *d, fsd_id tensor, struct outside *io)
{
    const struct fsd_tensor *t = &d->engine->tensors.at[tensor];
    fsd_id model = fsd_graph_find(d->model, t->name, 0);

    if (model == FSD_NONE)
        model = d->match->twin[tensor];
    if (!(t->flags & (FSD_TENSOR_INPUT | FSD_TENSOR_OUTPUT)) || model == FSD_NONE)
        return false;
    *io = (struct outside){fsd_tensor_form(d->model, model)->type,
                           fsd_tensor_form(d->engine, tensor)->type,
                           t->flags & FSD_TENSOR_INPUT};
    return io->asked && io->built && io->asked != io->built;
}

/* One finding a change, of all that changed as the first one did: where one output has
 * another type, often all have. */
void fsd_find_io_types(struct fsd_finder *f)
{
    bool told[FSD__DTYPE_COUNT][FSD__DTYPE_COUNT][2] = {{{false}}};
    struct outside io, other;

    for (fsd_id i = 0; i < f->d->engine->tensors.n; i++) {
        const char *asked, *built;

        if (!io_changed(f->d, i, &io) || told[io.asked][io.built][io.input])
            continue;
        told[io.asked][io.built][io.input] = true;
        asked = fsd_dtype_name(io.asked);
        built = fsd_dtype_name(io.built);
        fsd_finding_open(f);
        for (fsd_id k = i; k < f->d->engine->tensors.n; k++)
            if (io_changed(f->d, k, &other) && other.asked == io.asked &&
                other.built == io.built && other.input == io.input)
                fsd_about_tensor(f, k);
        fsd_fact_text(f, "model", asked);
        fsd_fact_text(f, "engine", built);
        if (f->now.tensors.n > 1)
            fprintf(f->out, "%u network %ss are %s in the model and %s in the engine: ",
                    f->now.tensors.n, io.input ? "input" : "output", asked, built);
        else
            fprintf(f->out, "network %s ", io.input ? "input" : "output");
        fsd_put_subjects(f, f->now.tensors);
        if (f->now.tensors.n == 1)
            fprintf(f->out, " is %s in the model and %s in the engine", asked, built);
        fsd_finding_close(f);
    }
}
