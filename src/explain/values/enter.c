/*
 * Finds where errors begin, and how the first error grows.  Tensors are visited in
 * data-flow order: each tensor comes behind the tensors on which it depends.
 *
 *     x 0.0001 --Conv_1--> a (not measured) --Relu_2--> b 0.08 --Conv_3--> c 0.12
 *
 * With a limit of 0.01, b is an entry: b is over the limit, and no measured tensor
 * before b is over the limit.  The suspects of b are the nodes between b and
 * the nearest measured tensors before b: Conv_1 and Relu_2. c is not an entry, because
 * the error of b explains the error of c.
 */
#include "model/graph/graph.h"
#include "model/ops/ids.h"
#include "explain/values/values.h"

/* The maximum number of entries for which suspects are searched.  Reports do not print
 * the suspects of more entries. */
enum { DETAILED = 16 };

struct search {
    const struct fsd_match *m;
    const struct fsd_graph *g;
    const struct fsd_flows *flows;
    const uint32_t *of_tensor;
    struct fsd_values *v;
    struct fsd_arena *scratch;
    bool *tainted;   /* indexed by tensor: whether it is over the limit or, if it was
                        not measured, depends on a tensor that is over the limit */
    uint32_t *seen;  /* indexed by node: number of the last search that visited the
                        node, from 1 */
    uint32_t search; /* number of the current search */
    FSD_VEC(fsd_id) stack;
};

static bool converts(fsd_sym op)
{
    return op == FSD_ONNX_Cast || op == FSD_ONNX_CastLike ||
           op == FSD_ONNX_QuantizeLinear || op == FSD_ONNX_DequantizeLinear ||
           op == FSD_ONNX_DynamicQuantizeLinear;
}

/* ------------------------------------------------------------------------- suspects */

static void push_once(struct search *s, fsd_id node)
{
    if (node == FSD_NONE || s->seen[node] == s->search)
        return;
    s->seen[node] = s->search;
    fsd_vec_push(s->scratch, &s->stack, node);
}

/* Fills `stack` with `node` and with all nodes between `node` and the nearest measured
 * tensors before it.  Sorts `stack`. */
static void find_suspects(struct search *s, fsd_id node)
{
    s->search++;
    s->stack.n = 0;
    push_once(s, node);
    for (uint32_t i = 0; i < s->stack.n; i++) {
        fsd_id at = s->stack.at[i];

        FSD_EACH_OF (t, s->g->ports, s->g->nodes.at[at].in, tensor)
            if (fsd_id_at(s->of_tensor, t) == FSD_NONE)
                push_once(s, fsd_tensor_producer(s->g, t));
    }
    fsd_vec_sort(&s->stack, fsd_by_id);
}

static void keep(struct search *s, struct fsd_span *in, fsd_id id)
{
    if (!in->n)
        in->at = s->v->pool.n;
    fsd_vec_push(s->m->arena, &s->v->pool, id);
    in->n++;
}

/* Adds the layers of all suspects to the entry, each once, in the order of the
 * engine. */
static void keep_layers(struct search *s, struct fsd_entry *entry)
{
    FSD_VEC(fsd_id) layers = {0};

    for (uint32_t i = 0; i < s->stack.n; i++)
        for (uint32_t k = 0; k < s->m->of_node[s->stack.at[i]].n; k++)
            fsd_vec_push(s->scratch, &layers,
                         fsd_match_of_node(s->m, s->stack.at[i], k)->layer);
    layers.n = fsd_sort_once(layers.at, layers.n, sizeof *layers.at, fsd_by_id);
    for (uint32_t i = 0; i < layers.n; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): there are n layers */
        keep(s, &entry->layers, layers.at[i]);
}

/* Adds to entry->behind the Casts and quantizers that are suspects or directly before a
 * suspect, even several in a row.  Those before a suspect count even if their measured
 * error is within the limit, because the next layer may amplify a small rounding
 * error. */
static void keep_behind(struct search *s, struct fsd_entry *entry)
{
    uint32_t n = s->stack.n;

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < s->g->nodes.at[s->stack.at[i]].in.n; k++)
            for (fsd_id at = fsd_node_in_producer(s->g, s->stack.at[i], k);
                 at != FSD_NONE && s->seen[at] != s->search &&
                 converts(s->g->nodes.at[at].op);
                 at = fsd_node_in_producer(s->g, at, 0))
                push_once(s, at);
    for (uint32_t i = 0; i < s->stack.n; i++)
        if (converts(s->g->nodes.at[s->stack.at[i]].op))
            keep(s, &entry->behind, s->stack.at[i]);
}

static bool changes_type(const struct fsd_graph *engine, fsd_id layer)
{
    const struct fsd_form *in = fsd_layer_form_in(engine, layer);
    const struct fsd_form *out = fsd_layer_form_out(engine, layer);

    return in && out && in->type != out->type;
}

/* Adds to the entry the data-movement layers that convert the type of a suspect's
 * input. */
static void keep_moved(struct search *s, struct fsd_entry *entry)
{
    for (fsd_id layer = 0; layer < s->m->engine->nodes.n; layer++) {
        const struct fsd_flow *flow = &s->flows->of[layer];
        bool read = false;

        if (!flow->there || !changes_type(s->m->engine, layer))
            continue;
        FSD_EACH_OF (node, s->flows->readers, flow->readers, node)
            read |= fsd_id_at(s->seen, node) == s->search;
        if (read)
            keep(s, &entry->moved, layer);
    }
}

/* The last of the layers that compute the node; FSD_NONE if none is known. */
static fsd_id layer_of(const struct search *s, fsd_id node)
{
    uint32_t n = fsd_match_links_of(s->m, node).n;

    return n ? fsd_match_of_node(s->m, node, n - 1)->layer : FSD_NONE;
}

static struct fsd_entry entry_of(struct search *s, fsd_id tensor, bool detailed)
{
    struct fsd_entry entry = {.row = s->of_tensor[tensor],
                              .tensor = tensor,
                              .node = fsd_tensor_producer(s->g, tensor)};

    entry.layer = layer_of(s, entry.node);
    if (!detailed || entry.node == FSD_NONE)
        return entry;
    find_suspects(s, entry.node);
    for (uint32_t i = 0; i < s->stack.n; i++)
        keep(s, &entry.suspects, s->stack.at[i]);
    keep_layers(s, &entry);
    keep_behind(s, &entry);
    keep_moved(s, &entry);
    return entry;
}

/* -------------------------------------------------------------------------- entries */

static void look_at_tensor(struct search *s, fsd_id t, bool tainted)
{
    uint32_t row = s->of_tensor[t];
    bool over = row != FSD_NONE && fsd_row_is_over(s->v, row);
    struct fsd_values *v = s->v;

    s->tainted[t] = row == FSD_NONE ? tainted : over;
    v->over += over;
    if (over && !tainted) {
        struct fsd_entry entry = entry_of(s, t, v->entries.n < DETAILED);

        fsd_vec_push(s->m->arena, &v->entries, entry);
    }
    if (over && v->numbers->rows.at[row].fresh && !v->has_nan) {
        v->has_nan = true;
        v->nan = entry_of(s, t, true);
    }
}

static void look_at_node(struct search *s, fsd_id node)
{
    const struct fsd_node *n = &s->g->nodes.at[node];
    bool tainted = false;

    for (uint32_t i = 0; i < n->in.n; i++) {
        tainted |= fsd_true_at(s->tainted, fsd_node_in_tensor(s->g, node, i));
    }
    FSD_EACH_OF (t, s->g->ports, n->out, tensor)
        if (t != FSD_NONE)
            look_at_tensor(s, t, tainted);
}

/* --------------------------------------------------------------------------- growth */

/* Searches the nearest measured tensors behind `tensor`, and returns the tensor with
 * the largest error; FSD_NONE if there is none. */
static fsd_id next_behind(struct search *s, fsd_id tensor)
{
    fsd_id worst = FSD_NONE;
    double most = -1;

    s->stack.n = 0;
    fsd_vec_push(s->scratch, &s->stack, tensor); /* in this function, `stack` has
                                                    tensors, not nodes */
    for (uint32_t i = 0; i < s->stack.n; i++) {
        struct fsd_span readers = s->g->tensors.at[s->stack.at[i]].consumers;

        FSD_EACH_ID (node, s->g->links, readers) {
            if (s->seen[node] == s->search)
                continue;
            s->seen[node] = s->search;
            FSD_EACH_OF (t, s->g->ports, s->g->nodes.at[node].out, tensor) {
                uint32_t row = fsd_id_at(s->of_tensor, t);
                double error = fsd_number_of(s->v->numbers, row, FSD_ERROR_L2_REL);

                if (t != FSD_NONE && row == FSD_NONE)
                    fsd_vec_push(s->scratch, &s->stack, t);
                if (row != FSD_NONE && error > most) {
                    most = error;
                    worst = t;
                }
            }
        }
    }
    return worst;
}

/* Fills `growth` with the path of the first error.  The path begins at the first entry.
 * From each tensor, it continues at the next measured tensor with the largest error. */
static void follow(struct search *s)
{
    fsd_id t = s->v->entries.n ? s->v->entries.at[0].tensor : FSD_NONE;

    s->search++;
    while (t != FSD_NONE) {
        struct fsd_growth step = {s->of_tensor[t],
                                  layer_of(s, fsd_tensor_producer(s->g, t))};

        fsd_vec_push(s->m->arena, &s->v->growth, step);
        t = next_behind(s, t);
    }
}

void fsd_values_enter(struct fsd_values *v, const struct fsd_match *m,
                      const struct fsd_flows *flows, const uint32_t *of_tensor)
{
    const struct fsd_graph *g = m->model;
    FSD_SCRATCH(scratch);
    struct search s = {.m = m,
                       .g = g,
                       .flows = flows,
                       .of_tensor = of_tensor,
                       .v = v,
                       .scratch = scratch};
    fsd_id *order = fsd_graph_order(s.scratch, g);

    s.tainted = FSD_NEW(s.scratch, bool, g->tensors.n);
    s.seen = FSD_NEW(s.scratch, uint32_t, g->nodes.n);
    for (fsd_id t = 0; t < g->tensors.n; t++)
        if (of_tensor[t] != FSD_NONE && !g->tensors.at[t].producers.n)
            look_at_tensor(&s, t, false);
    for (uint32_t i = 0; i < g->nodes.n; i++)
        look_at_node(&s, order[i]);
    follow(&s);
}

bool fsd_row_is_over(const struct fsd_values *v, uint32_t row)
{
    const struct fsd_numbers *n = v->numbers;

    return n->of != FSD_NUMBERS_OF_TABLE &&
           (n->rows.at[row].fresh ||
            fsd_number_of(n, row, FSD_ERROR_L2_REL) > v->limit);
}
