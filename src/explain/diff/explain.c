/* Writes the sentences about a node or about a layer. */
#include "base/base.h"
#include "explain/diff/diff.h"
#include "explain/diff/tale.h"
#include "model/graph/graph.h"

enum { MOST_NODES = 64, MOST_PEERS = 8 };

static void put_by(unsigned by, FILE *out)
{
    if (by)
        fputs(" by ", out);
    fsd_put_evidence(by, out);
}

/* Prints "0 `Conv_1 + Relu_2`". */
static void put_layer(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    fprintf(out, "%u ", layer);
    fsd_quote_layer(d, layer, out);
}

void fsd_tale_layer(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id layer,
                    unsigned by)
{
    const struct fsd_layer *l = &d->engine->layers.at[layer];
    const struct fsd_layer_result *r = &d->layers[layer];
    FILE *out;

    out = fsd_tale_start(tale, "layer", 0);
    put_layer(d, layer, out);
    fprintf(out, " (%s%s%s)", fsd_kind_name(r->kind), r->inserted ? ", cause " : "",
            r->inserted ? fsd_cause_name(d->reasons[layer].cause) : "");
    put_by(by, out);
    if (r->precision != FSD_DTYPE_UNKNOWN)
        fprintf(out, "; runs in %s", fsd_dtype_name(r->precision));
    if (r->opaque)
        fputs("; the engine does not state the kernels and precisions of this region",
              out);
    if (l->tactic || l->tactic_value)
        fprintf(out, ", tactic %s",
                fsd_text(d->names, l->tactic ? l->tactic : l->tactic_value));
    if (fsd_layer_ms(d, layer) >= 0)
        fprintf(out, ", %.4f ms", fsd_layer_ms(d, layer));
    if (l->ran_by)
        fprintf(out, ", on %s", fsd_text(d->names, l->ran_by));
    if (l->ran_with)
        fprintf(out, ", output sizes %s", fsd_text(d->names, l->ran_with));
    fsd_tale_finish(tale);
    fsd_tale_rivals(tale, d, layer);
    fsd_tale_cost(tale, d, layer);
}

static void describe_around(struct fsd_tale *tale, const struct fsd_diff *d,
                            fsd_id near, bool before)
{
    const struct fsd_graph *e = d->engine;
    struct fsd_span ports = before ? e->nodes.at[near].in : e->nodes.at[near].out;
    uint32_t n_shown = 0;

    for (uint32_t i = 0; i < ports.n; i++) {
        struct fsd_span who = fsd_port_peers(e, ports.at + i, before);

        for (uint32_t k = 0; k < who.n && n_shown < MOST_NODES; k++) {
            fsd_id layer = e->links.at[who.at + k];
            FILE *out;

            if (!d->layers[layer].inserted)
                continue;
            out = fsd_tale_start(tale, before ? "before" : "behind", 0);
            n_shown++;
            fputs("layer ", out);
            put_layer(d, layer, out);
            fprintf(out, " was inserted (cause: %s)",
                    fsd_cause_name(d->reasons[layer].cause));
            fsd_tale_finish(tale);
            fsd_tale_cost(tale, d, layer);
        }
    }
}

/* Lists the producers of the layer's inputs or, without `before`, the consumers of its
 * outputs, each once. */
static void describe_peers(struct fsd_tale *tale, const struct fsd_diff *d,
                           fsd_id layer, bool before)
{
    const struct fsd_graph *e = d->engine;
    struct fsd_span ports = before ? e->nodes.at[layer].in : e->nodes.at[layer].out;
    FSD_VEC(fsd_id) peers = {0};
    FILE *out;

    for (uint32_t i = 0; i < ports.n; i++) {
        struct fsd_span who = fsd_port_peers(e, ports.at + i, before);

        for (uint32_t k = 0; k < who.n; k++)
            fsd_vec_push(tale->arena, &peers, e->links.at[who.at + k]);
    }
    if (!peers.at)
        return;
    peers.n = fsd_sort_once(peers.at, peers.n, sizeof *peers.at, fsd_by_id);
    out = fsd_tale_start(tale, before ? "from" : "to", 0);
    for (uint32_t i = 0; i < peers.n && i < MOST_PEERS; i++) {
        fputs(i ? ", " : "", out);
        fsd_put_end(d, peers.at[i], true, out);
    }
    if (peers.n > MOST_PEERS)
        fprintf(out, " and %u more", peers.n - MOST_PEERS);
    fsd_tale_finish(tale);
}

/* If a quantized product runs in floating point because of its bias, adds a sentence
 * that states this. */
static void describe_bias(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id node)
{
    struct fsd_bias_misfit misfit;

    if (!fsd_bias_widens(d, node, &misfit))
        return;
    fputs(fsd_bias_misfit_text(tale->arena, &misfit), fsd_tale_start(tale, "why", 0));
    fsd_tale_finish(tale);
}

static void describe_outcome(struct fsd_tale *tale, const struct fsd_diff *d,
                             fsd_id node)
{
    const struct fsd_node_result *r = &d->nodes[node];
    bool asked = r->requested != FSD_DTYPE_UNKNOWN;
    FILE *out = fsd_tale_start(tale, "outcome", 0);

    fsd_put_fate(d, node, out);
    if (r->near_layer != FSD_NONE)
        fprintf(out, " (at layer %u)", r->near_layer);
    if (d->match->region_of_node[node] != FSD_NONE)
        fprintf(out, "; in region %u", d->match->region_of_node[node]);
    if (asked)
        fprintf(out, "; requested %s", fsd_dtype_name(r->requested));
    if (r->realised != FSD_DTYPE_UNKNOWN)
        fprintf(out, "%s runs in %s", asked ? "," : ";", fsd_dtype_name(r->realised));
    fsd_tale_finish(tale);
}

/* Adds the outcome first, because it is the conclusion.  Then adds the reasons: the
 * node in the model, the changes that the builder made according to the log, and the
 * node's layers. */
void fsd_explain_node(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id node)
{
    describe_outcome(tale, d, node);
    describe_bias(tale, d, node);
    fsd_tale_parsed(tale, d, node);
    fsd_tale_events(tale, d, node);
    for (uint32_t i = 0; i < d->match->of_node[node].n && i < MOST_NODES; i++) {
        const struct fsd_link *link = fsd_match_of_node(d->match, node, i);

        fsd_tale_layer(tale, d, link->layer, link->by);
        describe_around(tale, d, link->layer, true);
        describe_around(tale, d, link->layer, false);
    }
    fsd_tale_refused(tale, d);
}

/* Adds the events of all nodes of the layer, each once. */
static void describe_layer_events(struct fsd_tale *tale, const struct fsd_diff *d,
                                  fsd_id layer)
{
    const struct fsd_story *s = d->story;
    FSD_VEC(uint32_t) events = {0};

    for (uint32_t i = 0; s && i < d->match->of_layer[layer].n; i++) {
        struct fsd_span scenes =
            s->of_node[fsd_match_of_layer(d->match, layer, i)->node];

        for (uint32_t k = 0; k < scenes.n; k++)
            fsd_vec_push(tale->arena, &events, s->scenes.at[scenes.at + k].event);
    }
    events.n = fsd_sort_once(events.at, events.n, sizeof *events.at, fsd_by_id);
    for (uint32_t i = 0; i < events.n; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): there are n events */
        enum fsd_event_kind kind = d->history->events.at[events.at[i]].kind;

        if (kind != FSD_EVENT_TRY && kind != FSD_EVENT_REGISTER)
            fsd_tale_event(tale, d, events.at[i], fsd_topic_of(kind));
    }
}

void fsd_explain_layer(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id layer)
{
    fsd_tale_layer(tale, d, layer, 0);
    FSD_EACH_IN (const struct fsd_link, link, d->match->links,
                 d->match->of_layer[layer]) {
        FILE *out = fsd_tale_start(tale, "node", 0);

        fprintf(out, "%u ", link->node);
        fsd_quote_node(d, link->node, out);
        fprintf(out, " (%s)", fsd_text(d->names, d->model->nodes.at[link->node].op));
        put_by(link->by, out);
        fsd_tale_finish(tale);
    }
    describe_peers(tale, d, layer, true);
    describe_peers(tale, d, layer, false);
    describe_layer_events(tale, d, layer);
    describe_around(tale, d, layer, true);
    describe_around(tale, d, layer, false);
    fsd_tale_refused(tale, d);
}
