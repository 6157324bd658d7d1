/* Picks the subject of a report: the layers and nodes of a finding or of a change. */
#include "base/base.h"
#include "model/graph/graph.h"
#include "edit/issue/issue.h"

#include <inttypes.h>

/* The maximum number of layers in a report. A report must stay small. */
enum { MOST_LAYERS = 8 };

static void add_once(struct fsd_arena *arena, fsd_id_vec *list, fsd_id id)
{
    if (!fsd_ids_have(list->at, list->n, id))
        fsd_vec_push(arena, list, id);
}

/* The node itself, or the node of the main graph that contains it. */
static fsd_id main_node(const struct fsd_graph *g, fsd_id node)
{
    while (g->nodes.at[node].scope)
        node = g->scopes.at[g->nodes.at[node].scope].owner;
    return node;
}

/* ------------------------------------------------------------------------- findings */

static double ms_of(const struct fsd_diff *d, const struct fsd_finding *f)
{
    double sum = 0;

    FSD_EACH_OF (subject, d->findings->subjects, f->layers, id) {
        double ms = fsd_layer_ms(d, subject);

        sum += ms > 0 ? ms : 0;
    }
    return sum;
}

/* The slowest layer of a finding; the first one if none was measured. */
static fsd_id slowest(const struct fsd_diff *d, const struct fsd_finding *f)
{
    const struct fsd_about *layers = &d->findings->subjects.at[f->layers.at];
    fsd_id found = layers->id;

    for (uint32_t i = 1; i < f->layers.n; i++)
        if (fsd_layer_ms(d, layers[i].id) > fsd_layer_ms(d, found))
            found = layers[i].id;
    return found;
}

static bool is_worse(const struct fsd_diff *d, const struct fsd_finding *f,
                     const struct fsd_finding *than)
{
    if (!than || f->severity != than->severity)
        return !than || f->severity > than->severity;
    return ms_of(d, f) > ms_of(d, than);
}

static bool is_named(const struct fsd_diff *d, const struct fsd_finding *f,
                     const char *word)
{
    char fingerprint[20];

    snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, f->fingerprint);
    return !word || !strcmp(word, fingerprint) ||
           !strcmp(word, d->findings->rules.at[f->rule].rule->id);
}

enum fsd_status fsd_issue_pick_finding(struct fsd_issue_subject *s,
                                       struct fsd_arena *arena,
                                       const struct fsd_diff *d, const char *word,
                                       struct fsd_error *err)
{
    const struct fsd_findings *all = d->findings;
    const struct fsd_finding *worst = NULL;

    FSD_EACH (const struct fsd_finding, f, all->list)
        if (is_named(d, f, word) && f->layers.n + f->nodes.n && is_worse(d, f, worst))
            worst = f;
    if (!worst)
        return fsd_fail(err, FSD_E_ARG, d->engine->path, FSD_POS_NONE, 0,
                        "expected a finding%s%.100s to report, found none: select a "
                        "part of the engine by --layer or --node",
                        word ? " of " : "", word ? word : "");
    s->finding = worst;
    if (worst->layers.n > MOST_LAYERS) {
        s->n_alike = worst->layers.n;
        add_once(arena, &s->layers, slowest(d, worst));
        return FSD_OK;
    }
    FSD_EACH_OF (subject, all->subjects, worst->layers, id)
        add_once(arena, &s->layers, subject);
    for (uint32_t i = 0; i < worst->nodes.n; i++)
        add_once(arena, &s->nodes,
                 main_node(d->model, all->subjects.at[worst->nodes.at + i].id));
    return FSD_OK;
}

/* -------------------------------------------------------------------------- changes */

static fsd_id region_of(const struct fsd_compare *c, bool new, uint32_t of_layer)
{
    if (of_layer == FSD_NONE)
        return FSD_NONE;
    if (of_layer & FSD_LAYER_MOVES)
        return fsd_compare_region_of_move(c, new, of_layer & ~FSD_LAYER_MOVES);
    return (new ? c->new_region : c->old_region)[of_layer];
}

/* Whether one of the region's groups in the new build contains the node. */
static bool has_node(const struct fsd_compare *c, const struct fsd_region_diff *r,
                     fsd_id node)
{
    for (uint32_t i = 0; i < r->new_groups.n; i++) {
        const struct fsd_group *g =
            &c->new->groups.at[c->pool.at[r->new_groups.at + i]];

        FSD_EACH_ID (other, c->new->refs, g->nodes)
            if (c->new->number_of[other] == node)
                return true;
    }
    return false;
}

static bool is_asked(const struct fsd_issue_subject *s, const struct fsd_compare *c,
                     fsd_id region)
{
    for (uint32_t i = 0; i < s->layers.n; i++)
        if (region_of(c, true, c->new->of_layer[s->layers.at[i]]) == region)
            return true;
    for (uint32_t i = 0; i < s->nodes.n; i++)
        if (has_node(c, &c->regions.at[region], s->nodes.at[i]))
            return true;
    return false;
}

static void add_layers(struct fsd_arena *arena, fsd_id_vec *list,
                       const struct fsd_compare *c, bool new, fsd_id region,
                       uint32_t n_layers)
{
    const struct fsd_state *s = new ? c->new : c->old;

    for (fsd_id l = 0; s->of_layer && l < n_layers; l++)
        if (region_of(c, new, s->of_layer[l]) == region)
            add_once(arena, list, l);
}

enum fsd_status fsd_issue_pick_region(struct fsd_issue_subject *s,
                                      struct fsd_arena *arena,
                                      const struct fsd_compare *c,
                                      const struct fsd_diff *old,
                                      const struct fsd_diff *d, struct fsd_error *err)
{
    bool asked = s->layers.n + s->nodes.n > 0;

    s->region = FSD_NONE;
    for (uint32_t i = 0; i < c->regions.n && s->region == FSD_NONE; i++)
        if (asked ? is_asked(s, c, c->order[i]) : c->regions.at[c->order[i]].differs)
            s->region = c->order[i];
    if (s->region == FSD_NONE)
        return fsd_fail(err, FSD_E_ARG, d->engine->path, FSD_POS_NONE, 0,
                        "expected fusions that differ from those in %.200s, found %s",
                        c->old->model_path,
                        asked ? "none at the selected layers or nodes" : "none");
    for (uint32_t i = 0; i < c->regions.at[s->region].new_groups.n; i++) {
        const struct fsd_group *g =
            &c->new->groups.at[c->pool.at[c->regions.at[s->region].new_groups.at + i]];

        FSD_EACH_ID (node, c->new->refs, g->nodes)
            add_once(arena, &s->nodes, main_node(d->model, c->new->number_of[node]));
    }
    add_layers(arena, &s->layers, c, true, s->region, d->engine->nodes.n);
    if (old)
        add_layers(arena, &s->old_layers, c, false, s->region, old->engine->nodes.n);
    return FSD_OK;
}

/* --------------------------------------------------------------------- nodes around */

static void add_nodes_of(struct fsd_issue_subject *s, struct fsd_arena *arena,
                         const struct fsd_diff *d, fsd_id layer)
{
    FSD_EACH_OF (node, d->match->links, d->match->of_layer[layer], node)
        add_once(arena, &s->nodes, main_node(d->model, node));
}

/* Adds to s->nodes the producers and consumers of the data that the layer moves. */
static void add_nodes_around(struct fsd_issue_subject *s, struct fsd_arena *arena,
                             const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_flow *f = &d->flows->of[layer];

    if (!f->there)
        return;
    if (f->producer != FSD_NONE)
        add_once(arena, &s->nodes, main_node(d->model, f->producer));
    FSD_EACH_OF (node, d->flows->readers, f->readers, node)
        if (node != FSD_NONE)
            add_once(arena, &s->nodes, main_node(d->model, node));
}

/* Adds the nodes of a kernel. The nodes of a region are left out, because a region may
 * be a whole network. */
static void add_kernel(struct fsd_issue_subject *s, struct fsd_arena *arena,
                       const struct fsd_diff *d, fsd_id layer)
{
    if (d->layers[layer].opaque)
        return;
    FSD_EACH_OF (node, d->match->links, d->match->of_layer[layer], node)
        add_once(arena, &s->around, main_node(d->model, node));
}

static void add_kernels_of(struct fsd_issue_subject *s, struct fsd_arena *arena,
                           const struct fsd_diff *d, fsd_id node)
{
    for (uint32_t l = 0; node != FSD_NONE && l < d->match->of_node[node].n; l++)
        add_kernel(s, arena, d, fsd_match_of_node(d->match, node, l)->layer);
}

/* Adds each Concat that reads the output of `node` and that no layer computes, and the
 * kernels before and after the Concat. Whether the builder inserts the copying layer
 * depends on all inputs of the Concat, and on their places in its output.
 * @param node the producer of the data that a layer copies */
static void add_concats(struct fsd_issue_subject *s, struct fsd_arena *arena,
                        const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_graph *g = d->model;
    struct fsd_span readers, behind;

    if (node == FSD_NONE || g->nodes.at[node].scope)
        return;
    readers = fsd_tensor_consumers(g, fsd_node_out_tensor(g, node, 0));
    FSD_EACH_ID (concat, g->links, readers) {
        if (!fsd_node_is(g, concat, FSD_ONNX_Concat) || g->nodes.at[concat].scope ||
            d->match->of_node[concat].n)
            continue;
        add_once(arena, &s->around, concat);
        for (uint32_t k = 0; k < g->nodes.at[concat].in.n; k++)
            add_kernels_of(s, arena, d, fsd_node_in_producer(g, concat, k));
        behind = fsd_tensor_consumers(g, fsd_node_out_tensor(g, concat, 0));
        FSD_EACH_ID (next, g->links, behind)
            add_kernels_of(s, arena, d, next);
    }
}

/* Adds to `list` the producers of the layer's inputs and the consumers of its
 * outputs. */
static void add_beside(struct fsd_arena *arena, const struct fsd_graph *e, fsd_id layer,
                       fsd_id_vec *list)
{
    struct fsd_span ports[] = {e->nodes.at[layer].in, e->nodes.at[layer].out};

    for (unsigned side = 0; side < 2; side++)
        for (uint32_t k = 0; k < ports[side].n; k++) {
            struct fsd_span peers = fsd_port_peers(e, ports[side].at + k, side == 0);

            FSD_EACH_ID (peer, e->links, peers)
                add_once(arena, list, peer);
        }
}

/* Adds the next two computing layers before a layer, and the next two after it. Layers
 * that only move data are not counted. The second layer on each side is added because
 * the builder might otherwise choose another kernel for the first. */
static void add_neighbors(struct fsd_issue_subject *s, struct fsd_arena *arena,
                          const struct fsd_diff *d, fsd_id layer)
{
    enum { FAR = 4, RINGS = 2 };
    fsd_id_vec at = {0};
    FSD_VEC(uint8_t) ring = {0};

    fsd_vec_push(arena, &at, layer);
    fsd_vec_push(arena, &ring, 0);
    for (uint32_t i = 0; i < at.n; i++) {
        bool computes = i && d->match->of_layer[at.at[i]].n;
        uint32_t next = ring.at[i] + (computes ? (uint32_t)FAR : 1);

        if (next >= RINGS * FAR)
            continue;
        add_beside(arena, d->engine, at.at[i], &at);
        while (ring.n < at.n)
            fsd_vec_push(arena, &ring, (uint8_t)next);
    }
    for (uint32_t i = 0; i < at.n; i++)
        add_kernel(s, arena, d, at.at[i]);
}

void fsd_issue_complete(struct fsd_issue_subject *s, struct fsd_arena *arena,
                        const struct fsd_diff *d)
{
    uint32_t asked = s->nodes.n;

    for (uint32_t i = 0; i < s->layers.n; i++)
        add_nodes_of(s, arena, d, s->layers.at[i]);
    for (uint32_t i = 0; i < s->layers.n; i++)
        add_nodes_around(s, arena, d, s->layers.at[i]);
    for (uint32_t i = 0; i < asked && !s->layers.n; i++)
        for (uint32_t k = 0; k < d->match->of_node[s->nodes.at[i]].n; k++)
            add_once(arena, &s->layers,
                     fsd_match_of_node(d->match, s->nodes.at[i], k)->layer);
    fsd_vec_sort(&s->layers, fsd_by_id);
    fsd_vec_sort(&s->nodes, fsd_by_id);
    fsd_vec_sort(&s->old_layers, fsd_by_id);
}

/* Adds s->nodes to s->around. Then adds each node that reads the first output of a node
 * in s->around, if no layer computes the reading node: for example, a view. Without
 * such nodes, the part would have outputs inside its kernels. */
static void add_views(struct fsd_issue_subject *s, struct fsd_arena *arena,
                      const struct fsd_diff *d)
{
    const struct fsd_graph *g = d->model;

    for (uint32_t i = 0; i < s->nodes.n; i++)
        add_once(arena, &s->around, s->nodes.at[i]);
    for (uint32_t i = 0; i < s->around.n; i++) {
        struct fsd_span readers =
            fsd_tensor_consumers(g, fsd_node_out_tensor(g, s->around.at[i], 0));

        FSD_EACH_ID (node, g->links, readers)
            if (!g->nodes.at[node].scope && !d->match->of_node[node].n &&
                d->match->region_of_node[node] == FSD_NONE)
                add_once(arena, &s->around, node);
    }
}

void fsd_issue_surround(struct fsd_issue_subject *s, struct fsd_arena *arena,
                        const struct fsd_diff *d)
{
    for (uint32_t i = 0; i < s->layers.n; i++) {
        const struct fsd_flow *flow = &d->flows->of[s->layers.at[i]];

        add_neighbors(s, arena, d, s->layers.at[i]);
        if (flow->there)
            add_concats(s, arena, d, flow->producer);
    }
    if (s->around.n)
        add_views(s, arena, d);
}
