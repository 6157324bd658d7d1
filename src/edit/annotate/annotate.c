/*
 * Writes the outcome of each node into the node's metadata, which model viewers show.
 * If several layers compute a node, one entry lists all of them: "12 x; 13 y".
 */
#include "edit/annotate/annotate.h"
#include "base/base.h"
#include "model/graph/graph.h"
#include "model/onnx/edits.h"

struct notes {
    const struct fsd_diff *d;
    struct fsd_onnx_edits *edits;
    struct fsd_arena *arena;
    uint32_t *last_of; /* indexed by layer: 1 + the last node whose text lists the
                          layer; 0: no text lists the layer yet */
    fsd_id node;
};

static void put(const struct notes *n, const char *key, const char *value)
{
    if (*value)
        fsd_onnx_set_property(n->edits, n->node,
                              fsd_printed(n->arena, "fusiondiff.%s", key), value);
}

/* Adds a layer to both texts, unless it is already listed for this node. */
static void add_layer(struct notes *n, fsd_id layer, bool first, FILE *layers,
                      FILE *kinds)
{
    const struct fsd_graph *engine = n->d->engine;
    const char *before = first ? "" : "; ";

    if (n->last_of[layer] == n->node + 1)
        return;
    n->last_of[layer] = n->node + 1;
    fprintf(layers, "%s%u %s", before, layer,
            fsd_text(engine->names, engine->nodes.at[layer].name));
    fprintf(kinds, "%s%s", before, fsd_kind_name(n->d->layers[layer].kind));
}

/* Prints the layers of a node; for a call, the layers of all nodes in the function. */
static unsigned put_layers(struct notes *n, fsd_id *nodes, uint32_t count)
{
    const struct fsd_match *m = n->d->match;
    struct fsd_print layers, kinds;
    unsigned by = 0;
    FILE *l = fsd_print_open(&layers), *k = fsd_print_open(&kinds);

    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < m->of_node[nodes[i]].n; j++) {
            const struct fsd_link *link = fsd_match_of_node(m, nodes[i], j);

            add_layer(n, link->layer, !by, l, k);
            by |= link->by;
        }
    put(n, "layer", fsd_print_take(&layers, n->arena));
    put(n, "kind", fsd_print_take(&kinds, n->arena));
    return by;
}

static const char *evidence_text(const struct notes *n, unsigned by)
{
    struct fsd_print print;

    fsd_put_evidence(by, fsd_print_open(&print));
    return fsd_print_take(&print, n->arena);
}

static void put_type(const struct notes *n, const char *key, enum fsd_dtype type)
{
    put(n, key, type == FSD_DTYPE_UNKNOWN ? "" : fsd_dtype_name(type));
}

static void annotate(struct notes *n, fsd_id *nodes, uint32_t count)
{
    const struct fsd_node_result *result = &n->d->nodes[n->node];
    double ms = -1;
    unsigned by;

    put(n, "fate", fsd_fate_name(result->fate));
    put(n, "why", result->why ? result->why : "");
    by = put_layers(n, nodes, count);
    put_type(n, "requested", result->requested);
    put_type(n, "realised", result->realised);
    for (uint32_t i = 0; i < count; i++)
        if (n->d->cost->nodes[nodes[i]].ms >= 0)
            ms = (ms < 0 ? 0 : ms) + n->d->cost->nodes[nodes[i]].ms;
    put(n, "ms", ms < 0 ? "" : fsd_printed(n->arena, "%.6g", ms));
    put(n, "evidence", evidence_text(n, by));
}

/* Whether the node is in the body of a function. The file has the body once for all
 * calls, so its nodes are annotated at the calls. */
static bool is_called(const struct fsd_graph *g, fsd_id node)
{
    return !fsd_onnx_can_edit(g, node);
}

/* The node itself; for a node in the body of a function, the call of the function. This
 * call is a node of the file, not of another function's body. */
static fsd_id call_of(const struct fsd_graph *g, fsd_id node)
{
    while (is_called(g, node))
        node = g->scopes.at[g->nodes.at[node].scope].owner;
    return node;
}

struct fsd_onnx_edits *fsd_annotate_model(struct fsd_arena *arena,
                                          const struct fsd_diff *d)
{
    const struct fsd_graph *g = d->model;
    struct notes n = {.d = d,
                      .edits = fsd_onnx_edits_new(arena, g),
                      .arena = arena,
                      .last_of = FSD_NEW(arena, uint32_t, d->engine->nodes.n + 1)};
    fsd_id *next = fsd_ids_new(arena, g->nodes.n + 1); /* indexed by node: the next node
                                                          of the same call */
    fsd_id *nodes = FSD_NEW(arena, fsd_id, g->nodes.n + 1);

    for (fsd_id i = g->nodes.n; i-- > 0;) {
        fsd_id call = call_of(g, i);

        if (call != i) {
            next[i] = next[call];
            next[call] = i;
        }
    }
    for (n.node = 0; n.node < g->nodes.n; n.node++) {
        uint32_t count = 0;

        for (fsd_id i = n.node; !is_called(g, n.node) && i != FSD_NONE; i = next[i])
            nodes[count++] = i;
        if (count)
            annotate(&n, nodes, count);
    }
    n.node = FSD_NONE;
    put(&n, "engine", d->engine->path ? d->engine->path : "");
    put(&n, "builder", fsd_text(d->names, d->engine->producer));
    put(&n, "version", FSD_VERSION);
    return n.edits;
}
