/* Where the engine runs in another type than the model asks for, or than its own
 * neighbours do; quantizers that were left standing. */
#include "base/text.h"
#include "findings/finder.h"

/* ----------------------------------------------------------------------- standing */

static bool reads_network_input(const struct fsd_diff *d, fsd_id layer)
{
    fsd_id in = fsd_node_in_tensor(d->engine, layer, 0);

    return in != FSD_NONE && (d->engine->tensors.at[in].flags & FSD_TENSOR_INPUT);
}

/* Which: those at a network input, where one is needed, or all others. */
void fsd_find_standing(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;

    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        const struct fsd_form *in = fsd_layer_form_in(d, i);
        const struct fsd_form *out = fsd_layer_form_out(d, i);

        if (d->layers[i].kind != FSD_KIND_QUANTIZE ||
            reads_network_input(d, i) != (bool)f->rule->which)
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

static bool runs_wider(const struct fsd_diff *d, fsd_id node)
{
    int asked = fsd_dtype_rank(d->nodes[node].requested);
    int runs = fsd_dtype_rank(d->nodes[node].realised);

    return asked && runs > asked && !(d->facts->traits[node] & FSD_OP_QDQ);
}

/* One finding a layer, with all its nodes that were asked to be narrower. */
void fsd_find_wider(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;

    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        fsd_id first = FSD_NONE;

        for (uint32_t k = 0; k < d->match->of_layer[i].n; k++) {
            fsd_id node = fsd_match_of_layer(d->match, i, k)->node;

            if (d->layers[i].kind != FSD_KIND_COMPUTE || !runs_wider(d, node))
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

static bool computes(const struct fsd_diff *d, fsd_id layer)
{
    return d->layers[layer].kind == FSD_KIND_COMPUTE ||
           d->layers[layer].kind == FSD_KIND_FOREIGN;
}

/* By layer: it computes in FP32 and is no part of an island, which has been told; and
 * another layer computes in a narrower type.  Returns how many. */
static uint32_t mark_fp32_left(const struct fsd_diff *d, bool *left)
{
    bool any_narrow = false;
    uint32_t n = 0;

    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        int rank = fsd_dtype_rank(d->layers[i].precision);

        left[i] = computes(d, i) && rank >= 4;
        any_narrow |= computes(d, i) && rank && rank < 4;
    }
    for (uint32_t i = 0; i < d->islands->list.n; i++) {
        struct fsd_span layers = d->islands->list.at[i].layers;

        for (uint32_t k = 0; k < layers.n; k++)
            left[d->islands->pool.at[layers.at + k]] = false;
    }
    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        n += left[i];
    return any_narrow ? n : 0;
}

/* One finding for all. */
void fsd_find_fp32_left(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;
    uint32_t layers = d->engine->nodes.n;
    bool *left = FSD_NEW(f->scratch, bool, layers);
    uint32_t n = mark_fp32_left(d, left);
    double ms = d->times->profiles ? 0 : -1;

    if (!n)
        return;
    fsd_finding_open(f);
    for (fsd_id i = 0; i < layers; i++)
        if (left[i]) {
            fsd_about_layer(f, i);
            ms += fsd_layer_ms(d, i) > 0 ? fsd_layer_ms(d, i) : 0;
        }
    for (fsd_id i = 0; i < layers; i++)
        if (left[i])
            fsd_about_computed(f, i);
    add_ms(f, ms);
    fprintf(f->out, "%u layer%s in fp32", n, n == 1 ? " still runs" : "s still run");
    if (f->now.nodes.n)
        fputs(": ", f->out);
    fsd_put_subjects(f, f->now.nodes);
    fsd_put_took(f, ms);
    fsd_finding_close(f);
}

/* ----------------------------------------------------------- without tensor cores */

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
        fprintf(f->out, "layer %u runs %s without tensor cores", i,
                fsd_dtype_name(d->layers[i].precision));
        if (f->now.nodes.n)
            fputs(": ", f->out);
        fsd_put_subjects(f, f->now.nodes);
        fsd_put_took(f, fsd_layer_ms(d, i));
        fprintf(f->out, " (%s)", tactic);
        fsd_finding_close(f);
    }
}

/* ------------------------------------------------------------------- types outside */

/* How a network input or output changed its type. */
struct io_change {
    enum fsd_dtype asked, built;
    bool input;
};

/* False when its type is the model's, or one of the two is not known. */
static bool io_changed(const struct fsd_diff *d, fsd_id tensor,
                       struct io_change *change)
{
    const struct fsd_tensor *t = &d->engine->tensors.at[tensor];
    fsd_id model = fsd_graph_find(d->model, t->name, 0);

    if (model == FSD_NONE)
        model = d->match->twin[tensor];
    if (!(t->flags & (FSD_TENSOR_INPUT | FSD_TENSOR_OUTPUT)) || model == FSD_NONE)
        return false;
    change->input = t->flags & FSD_TENSOR_INPUT;
    change->asked = fsd_tensor_form(d->model, model)->type;
    change->built = fsd_tensor_form(d->engine, tensor)->type;
    return change->asked && change->built && change->asked != change->built;
}

/* All that changed as the first one did. */
static void tell_io_types(struct fsd_finder *f, fsd_id first, struct io_change as)
{
    const char *word = as.input ? "input" : "output";
    const char *asked = fsd_dtype_name(as.asked), *built = fsd_dtype_name(as.built);
    uint32_t n;

    fsd_finding_open(f);
    for (fsd_id i = first; i < f->d->engine->tensors.n; i++) {
        struct io_change change;

        if (io_changed(f->d, i, &change) && change.asked == as.asked &&
            change.built == as.built && change.input == as.input)
            fsd_about_tensor(f, i);
    }
    fsd_fact_text(f, "model", asked);
    fsd_fact_text(f, "engine", built);
    n = f->now.tensors.n;
    if (n == 1) {
        fprintf(f->out, "network %s ", word);
        fsd_put_subjects(f, f->now.tensors);
        fprintf(f->out, " is %s in the model and %s in the engine", asked, built);
    } else {
        fprintf(f->out, "%u network %ss are %s in the model and %s in the engine: ", n,
                word, asked, built);
        fsd_put_subjects(f, f->now.tensors);
    }
    fsd_finding_close(f);
}

/* One finding a change: where one output has another type, often all have. */
void fsd_find_io_types(struct fsd_finder *f)
{
    bool done[FSD__DTYPE_COUNT][FSD__DTYPE_COUNT][2] = {{{false}}};

    for (fsd_id i = 0; i < f->d->engine->tensors.n; i++) {
        struct io_change change;
        bool *told;

        if (!io_changed(f->d, i, &change))
            continue;
        told = &done[change.asked][change.built][change.input];
        if (!*told)
            tell_io_types(f, i, change);
        *told = true;
    }
}
