/* Rules on layers whose precision differs from the precision that the model requests,
 * or from the precision of neighboring layers, and on unfused quantizers. */
#include "base/base.h"
#include "judge/findings/finder.h"
#include "model/graph/graph.h"

/* ----------------------------------------------------------------------- standing */

/* FSD_AT_INPUT, FSD_AT_OUTPUT or FSD_BETWEEN for the quantizer that `layer` computes. A
 * quantizer at an input or output of the network is needed, because the application
 * determines the type of the input or output. */
static int place_of(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_graph *e = d->engine;
    const struct fsd_flow *flow = &d->flows->of[layer];
    fsd_id read = fsd_node_in_tensor(e, layer, 0);
    bool at_output = flow->readers.n > 0 && !flow->cut;

    if (fsd_tensor_is(e, read, FSD_TENSOR_INPUT))
        return FSD_AT_INPUT;
    for (uint32_t i = 0; i < flow->readers.n; i++)
        at_output &= fsd_reader_is_output(&d->flows->readers.at[flow->readers.at + i]);
    return at_output ? FSD_AT_OUTPUT : FSD_BETWEEN;
}

/* Whether the node is an unfused quantizer. A kernel that pads data for a Conv also
 * names the Conv's quantizers. These are fused with the Conv, so they do not count. */
static bool stands(const struct fsd_diff *d, fsd_id node)
{
    return (d->facts->traits[node] & FSD_OP_QDQ) &&
           d->nodes[node].fate == FSD_FATE_LAYER;
}

/* Adds as subjects the layer's unfused quantizers or, if none is known, all nodes of
 * the layer. Returns the first node. */
static fsd_id add_standing(struct fsd_finder *f, fsd_id layer)
{
    const struct fsd_match *m = f->d->match;
    fsd_id first = FSD_NONE;
    bool any = false;

    FSD_EACH_OF (node, m->links, m->of_layer[layer], node)
        any |= stands(f->d, node);
    FSD_EACH_OF (node, m->links, m->of_layer[layer], node) {
        if (any && !stands(f->d, node))
            continue;
        fsd_about_node(f, node);
        first = fsd_id_or(first, node);
    }
    return first;
}

/* Reports unfused quantizers for which place_of() returns f->rule->which. */
void fsd_find_standing(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;

    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        const struct fsd_form *in = fsd_layer_form_in(d->engine, i);
        const struct fsd_form *out = fsd_layer_form_out(d->engine, i);
        fsd_id node;

        if (d->layers[i].kind != FSD_KIND_QUANTIZE || place_of(d, i) != f->rule->which)
            continue;
        fsd_finding_open(f);
        fsd_about_layer(f, i);
        node = add_standing(f, i);
        if (node != FSD_NONE)
            fsd_quote_node(d, node, f->out);
        else
            fsd_quote_layer(d, i, f->out);
        fprintf(f->out, " runs unfused, as layer %u", i);
        if (in && out)
            fprintf(f->out, " (%s -> %s)", fsd_dtype_name(in->type),
                    fsd_dtype_name(out->type));
        if (fsd_layer_has_edge(d, i)) {
            fputs(", on the edge ", f->out);
            fsd_quote_edge(d, i, f->out);
        }
        fsd_put_took(f, fsd_layer_ms(d, i));
        fsd_finding_close(f);
    }
}

/* ------------------------------------------------ higher precision than requested */

/* Traits of nodes for which precision does not matter: quantizers, Casts, views, and
 * computations of sizes. */
enum { NO_PRECISION = FSD_OP_QDQ | FSD_OP_CASTS | FSD_OP_VIEW | FSD_OP_SHAPE };

/* A cause of higher precision than requested. All nodes with one cause are one
 * finding. */
struct cause {
    enum fsd_dtype asked, runs;
    bool behind_product; /* the result of reads_products() */
};

/* Whether all inputs of the layer with a higher precision than `asked` are outputs of
 * products that ran in `asked`. False if there is no such input. A low-precision
 * product accumulates in higher precision. If another kernel scales and quantizes the
 * result, the product writes it in this higher precision. */
static bool reads_products(const struct fsd_diff *d, fsd_id layer, enum fsd_dtype asked)
{
    const struct fsd_graph *e = d->engine;
    const struct fsd_node *n = &e->nodes.at[layer];
    bool any = false;

    for (uint32_t i = 0; i < n->in.n; i++) {
        enum fsd_dtype type = fsd_port_form(e, fsd_node_in(e, n, i))->type;
        struct fsd_span producers = fsd_port_peers(e, n->in.at + i, true);

        if (fsd_dtype_rank(type) <= fsd_dtype_rank(asked))
            continue;
        any = producers.n > 0;
        for (uint32_t k = 0; k < producers.n && any; k++) {
            fsd_id producer = e->links.at[producers.at + k];

            any = e->layers.at[producer].multiplies &&
                  d->layers[producer].precision == asked;
        }
        if (!any)
            return false;
    }
    return any;
}

/* Whether the link's layer runs the link's node in higher precision than the model
 * requests. If so, sets `cause`. False if a precision is unknown. */
static bool is_wider(const struct fsd_diff *d, uint32_t link, struct cause *cause)
{
    const struct fsd_link *l = &d->match->links.at[link];
    enum fsd_dtype asked = d->nodes[l->node].requested;
    int rank = fsd_dtype_rank(asked);

    if (d->layers[l->layer].kind != FSD_KIND_COMPUTE || !rank ||
        fsd_dtype_rank(d->computed[link]) <= rank ||
        fsd_dtype_rank(d->nodes[l->node].realised) <= rank ||
        (d->facts->traits[l->node] & NO_PRECISION))
        return false;
    *cause =
        (struct cause){asked, d->computed[link], reads_products(d, l->layer, asked)};
    return true;
}

static bool is_of(const struct fsd_diff *d, uint32_t link, struct cause cause)
{
    struct cause other;

    return is_wider(d, link, &other) && other.asked == cause.asked &&
           other.runs == cause.runs && other.behind_product == cause.behind_product;
}

static void report_wider(struct fsd_finder *f, struct cause cause)
{
    const struct fsd_match *m = f->d->match;
    const char *asked = fsd_dtype_name(cause.asked), *runs = fsd_dtype_name(cause.runs);
    bool *reported = FSD_NEW(f->scratch, bool, f->d->model->nodes.n);
    double ms = f->d->times->profiles ? 0 : -1;
    fsd_id last = FSD_NONE;

    fsd_finding_open(f);
    for (uint32_t i = 0; i < m->links.n; i++)
        if (m->links.at[i].layer != last && is_of(f->d, i, cause)) {
            last = m->links.at[i].layer;
            fsd_about_layer(f, last);
            ms += fsd_larger(0, fsd_layer_ms(f->d, last));
        }
    for (uint32_t i = 0; i < m->links.n; i++)
        if (!reported[m->links.at[i].node] && is_of(f->d, i, cause)) {
            reported[m->links.at[i].node] = true;
            fsd_about_node(f, m->links.at[i].node);
        }
    fsd_fact_text(f, "asked", asked);
    fsd_fact_text(f, "runs", runs);
    if (f->now.layers.n == 1)
        fprintf(f->out, "layer %u runs ", last);
    else
        fprintf(f->out, "%u layers run ", f->now.layers.n);
    fsd_put_subjects(f, f->now.nodes);
    fprintf(f->out, " in %s", runs);
    fsd_put_took(f, ms);
    fprintf(f->out, "; the model requests %s", asked);
    if (cause.behind_product)
        fprintf(f->out, ", but the %s Conv and GEMM layers before %s write %s", asked,
                f->now.layers.n == 1 ? "this layer" : "these layers", runs);
    fsd_finding_close(f);
}

/* Reports each cause in one finding, which lists all its nodes. */
void fsd_find_wider(struct fsd_finder *f)
{
    bool reported[FSD__DTYPE_COUNT][FSD__DTYPE_COUNT][2] = {{{false}}};
    struct cause cause;

    for (uint32_t i = 0; i < f->d->match->links.n; i++) {
        if (!is_wider(f->d, i, &cause) ||
            reported[cause.asked][cause.runs][cause.behind_product])
            continue;
        reported[cause.asked][cause.runs][cause.behind_product] = true;
        report_wider(f, cause);
    }
}

/* ------------------------------------------------------ higher-precision segments */

static void add_ms(struct fsd_finder *f, double ms)
{
    if (ms >= 0)
        fsd_fact_text(f, "ms", fsd_printed(f->found->arena, "%.4f", ms));
}

/* A name for `layer`, the first or last layer of a segment: the name of one of the
 * layer's nodes or, if the layer has no node, the name of the layer. */
static const char *border_name(const struct fsd_finder *f, fsd_id layer)
{
    const struct fsd_match *m = f->d->match;

    return m->of_layer[layer].n
               ? fsd_called(f, fsd_match_of_layer(m, layer, 0)->node)
               : fsd_text(f->d->names, f->d->engine->nodes.at[layer].name);
}

/* Prints "layers 1 to 3 run" or "5 of the layers 1 to 8 run". */
static void put_segment(FILE *out, const struct fsd_island *island)
{
    if (island->layers.n != island->exit - island->entry + 1)
        fprintf(out, "%u of the ", island->layers.n);
    fprintf(out, "layers %u to %u run", island->entry, island->exit);
}

/* Reports segments of higher precision. Each border of a segment costs a conversion,
 * and the layers in the segment take the time and memory of the higher precision. The
 * borders show the user what to change in the model. */
void fsd_find_islands(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;

    FSD_EACH (const struct fsd_island, island, d->islands->list) {
        const char *type = fsd_dtype_name(island->type);

        if (!island->nodes.n) /* the segment has only data-movement layers, which are
                                 reported as unfused quantizers and chains */
            continue;
        fsd_finding_open(f);
        FSD_EACH_ID (layer, d->islands->pool, island->layers)
            fsd_about_layer(f, layer);
        FSD_EACH_ID (node, d->islands->pool, island->nodes)
            fsd_about_node(f, node);
        fsd_fact_text(f, "type", type);
        fsd_fact_number(f, "entry_layer", island->entry);
        fsd_fact_number(f, "exit_layer", island->exit);
        fsd_fact_number(f, "entries", island->entries);
        fsd_fact_number(f, "exits", island->exits);
        fsd_fact_text(f, "entry", border_name(f, island->entry));
        fsd_fact_text(f, "exit", border_name(f, island->exit));
        add_ms(f, island->ms);
        put_segment(f->out, island);
        fprintf(f->out,
                " in precisions up to %s, higher than before and after these "
                "layers: ",
                type);
        fsd_put_subjects(f, f->now.nodes);
        fsd_put_took(f, island->ms);
        fsd_finding_close(f);
    }
}

/* -------------------------------------------------------------------- left in FP32 */

/* Whether the link's layer runs the link's node in FP32, and the model requests no
 * lower precision for this node. */
static bool is_left(const struct fsd_diff *d, uint32_t link)
{
    fsd_id node = d->match->links.at[link].node;
    int asked = fsd_dtype_rank(d->nodes[node].requested);

    return d->nodes[node].fate == FSD_FATE_LAYER && d->computed[link] == FSD_FP32 &&
           !(d->facts->traits[node] & NO_PRECISION) &&
           (!asked || asked >= fsd_dtype_rank(FSD_FP32));
}

/* Whether is_left() holds for one of the layer's links. If the layer has no links:
 * whether the layer's precision is FP32. */
static bool has_left(const struct fsd_diff *d, fsd_id layer)
{
    struct fsd_span links = d->match->of_layer[layer];
    bool any = !links.n && d->layers[layer].precision == FSD_FP32;

    for (uint32_t i = 0; i < links.n && !any; i++)
        any = is_left(d, links.at + i);
    return any && d->layers[layer].kind == FSD_KIND_COMPUTE;
}

/* Adds as subjects the nodes that is_left() finds in the `n` layers in `left`, each
 * once. */
static void about_left(struct fsd_finder *f, const fsd_id *left, uint32_t n)
{
    const struct fsd_match *m = f->d->match;
    bool *reported = FSD_NEW(f->scratch, bool, f->d->model->nodes.n);

    for (uint32_t i = 0; i < n; i++) {
        struct fsd_span links = m->of_layer[left[i]];

        for (uint32_t k = links.at; k < links.at + links.n; k++)
            if (is_left(f->d, k) && !reported[m->links.at[k].node]) {
                reported[m->links.at[k].node] = true;
                fsd_about_node(f, m->links.at[k].node);
            }
    }
}

/* Reports layers that compute in FP32 while other layers compute in lower precision.
 * All are one finding. Layers of segments are left out, because they are reported
 * already. */
void fsd_find_fp32_left(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;
    bool *reported = FSD_NEW(f->scratch, bool, d->engine->nodes.n), any_narrow = false;
    double ms = d->times->profiles ? 0 : -1;
    fsd_id *left = FSD_NEW(f->scratch, fsd_id, d->engine->nodes.n);
    uint32_t n = 0;

    for (uint32_t i = 0; i < d->islands->list.n; i++) {
        struct fsd_span layers = d->islands->list.at[i].layers;

        for (uint32_t k = 0; k < layers.n; k++)
            reported[d->islands->pool.at[layers.at + k]] = true;
    }
    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        int rank = fsd_dtype_rank(d->layers[i].precision);
        enum fsd_kind kind = d->layers[i].kind;

        any_narrow |=
            fsd_kind_computes(kind) && rank && rank < fsd_dtype_rank(FSD_FP32);
        if (!reported[i] && has_left(d, i))
            left[n++] = i;
    }
    if (!n || !any_narrow)
        return;
    fsd_finding_open(f);
    for (uint32_t i = 0; i < n; i++) {
        fsd_about_layer(f, left[i]);
        ms += fsd_larger(0, fsd_layer_ms(d, left[i]));
    }
    about_left(f, left, n);
    add_ms(f, ms);
    fprintf(f->out, "%u layer%s in fp32%s", n, n == 1 ? " still runs" : "s still run",
            f->now.nodes.n ? ": " : "");
    fsd_put_subjects(f, f->now.nodes);
    fsd_put_took(f, ms);
    fsd_finding_close(f);
}

/* ----------------------------------------------------------- without tensor cores */

/* Reports kernels whose names show that they use no tensor cores. Nothing shows why the
 * builder selected them. */
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

/* The types of an input or output of the network. `asked`: in the model. `built`: in
 * the engine. */
struct outside {
    enum fsd_dtype asked, built;
    bool input;
};

/* Whether the tensor's type differs from its type in the model; false if one of the two
 * is unknown. */
static bool io_changed(const struct fsd_diff *d, fsd_id tensor, struct outside *io)
{
    const struct fsd_tensor *t = &d->engine->tensors.at[tensor];
    fsd_id model = fsd_graph_find(d->model, t->name, 0);

    if (model == FSD_NONE)
        model = d->match->counterpart[tensor];
    if (!(t->flags & (FSD_TENSOR_INPUT | FSD_TENSOR_OUTPUT)) || model == FSD_NONE)
        return false;
    *io = (struct outside){fsd_tensor_form(d->model, model)->type,
                           fsd_tensor_form(d->engine, tensor)->type,
                           t->flags & FSD_TENSOR_INPUT};
    return io->asked && io->built && io->asked != io->built;
}

/* Reports inputs and outputs whose type differs from the model's. Inputs and outputs
 * with the same change are one finding: if the type of one output differs, the types of
 * all outputs often do. */
void fsd_find_io_types(struct fsd_finder *f)
{
    bool reported[FSD__DTYPE_COUNT][FSD__DTYPE_COUNT][2] = {{{false}}};
    struct outside io, other;

    for (fsd_id i = 0; i < f->d->engine->tensors.n; i++) {
        const char *asked, *built;

        if (!io_changed(f->d, i, &io) || reported[io.asked][io.built][io.input])
            continue;
        reported[io.asked][io.built][io.input] = true;
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
