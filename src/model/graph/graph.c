/*
 * Builds a graph, and answers general questions about it.  The graph has no pointers:
 * nodes, tensors and ports are indices into arrays, and lists are spans of one pool.  A
 * graph of a million nodes therefore takes a few allocations. fsd_graph_finish()
 * collects the producers and consumers of each tensor by a counting sort, in ascending
 * order, so that binary searches find them. fsd_graph_order() sorts the nodes
 * topologically, even if the file does not list them so, and even if several layers
 * write one tensor in place.
 */
#include "model/graph/graph.h"

const struct fsd_graph *fsd_graph_at(struct fsd_arena *arena, const struct fsd_graph *g,
                                     const char *path)
{
    struct fsd_graph *copy = FSD_NEW(arena, struct fsd_graph, 1);

    *copy = *g;
    copy->path = path;
    return copy;
}

struct fsd_graph *fsd_graph_new(struct fsd_arena *arena, struct fsd_intern *names)
{
    struct fsd_graph *g = FSD_NEW(arena, struct fsd_graph, 1);

    g->arena = arena;
    g->names = names;
    g->kind = g->file = "";
    fsd_graph_add_scope(g, (struct fsd_scope){.kind = FSD_SCOPE_MAIN,
                                              .parent = FSD_NONE,
                                              .owner = FSD_NONE});
    return g;
}

/* Tensors of different scopes may have the same name, for example in the bodies of a
 * function that is called many times.  These tensors form a chain, newest first.
 * Readers finish one scope before they open the next, so the wanted tensor is nearly
 * always at the front of the chain. */
fsd_id fsd_graph_find(const struct fsd_graph *g, fsd_sym name, fsd_id scope)
{
    fsd_id id = name < g->by_name.n ? g->by_name.at[name] : FSD_NONE;

    while (id != FSD_NONE && g->tensors.at[id].scope != scope)
        id = g->tensors.at[id].next_same_name;
    return id;
}

fsd_id fsd_graph_only(const struct fsd_graph *g, fsd_sym name)
{
    fsd_id t = fsd_graph_find(g, name, 0);

    if (t != FSD_NONE || !name || name >= g->by_name.n)
        return t;
    t = g->by_name.at[name];
    return fsd_graph_tensor(g, t)->next_same_name == FSD_NONE ? t : FSD_NONE;
}

bool fsd_graph_is_rtx(const struct fsd_graph *engine)
{
    return strstr(fsd_text(engine->names, engine->producer), "RTX") != NULL;
}

fsd_id *fsd_graph_nodes_by_name(struct fsd_arena *arena, const struct fsd_graph *g)
{
    fsd_id *of = fsd_ids_new(arena, fsd_intern_count(g->names));

    for (fsd_id i = g->nodes.n; i-- > 0;)
        if (g->nodes.at[i].name)
            of[g->nodes.at[i].name] = i;
    return of;
}

struct fsd_lists fsd_graph_by_scope(struct fsd_arena *arena, const struct fsd_graph *g)
{
    return fsd_lists_new(arena, g->nodes.n ? &g->nodes.at->scope : NULL,
                         sizeof *g->nodes.at, g->nodes.n, g->scopes.n);
}

struct fsd_lists fsd_graph_bodies(struct fsd_arena *arena, const struct fsd_graph *g)
{
    return fsd_lists_new(arena, &g->scopes.at->owner, sizeof *g->scopes.at, g->scopes.n,
                         g->nodes.n);
}

fsd_id fsd_graph_resolve(const struct fsd_graph *g, fsd_sym name, fsd_id scope)
{
    while (scope != FSD_NONE) {
        fsd_id id = fsd_graph_find(g, name, scope);
        const struct fsd_scope *s = &g->scopes.at[scope];

        if (id != FSD_NONE)
            return id;
        scope = s->kind == FSD_SCOPE_SUBGRAPH ? s->parent : FSD_NONE;
    }
    return FSD_NONE;
}

fsd_id fsd_graph_add_tensor(struct fsd_graph *g, fsd_sym name, fsd_id scope)
{
    struct fsd_tensor tensor = {.name = name,
                                .scope = scope,
                                .form = FSD_NONE,
                                .item = FSD_NONE,
                                .value = FSD_NONE,
                                .bound = FSD_NONE,
                                .optimum = FSD_NONE};

    while (g->by_name.n <= name)
        fsd_vec_push(g->arena, &g->by_name, FSD_NONE);
    tensor.next_same_name = g->by_name.at[name];
    g->by_name.at[name] = g->tensors.n;
    fsd_vec_push(g->arena, &g->tensors, tensor);
    return g->tensors.n - 1;
}

fsd_id fsd_graph_add_form(struct fsd_graph *g, struct fsd_form form,
                          const struct fsd_dim *dims, uint32_t n)
{
    form.dims = (struct fsd_span){g->dims.n, n};
    for (uint32_t i = 0; i < n; i++)
        fsd_vec_push(g->arena, &g->dims, dims[i]);
    fsd_vec_push(g->arena, &g->forms, form);
    return g->forms.n - 1;
}

/* ------------------------------------------------------------------ finishing */

/* Sorts the producers or the consumers by tensor, by a counting sort: counts them,
 * allocates the spans, and fills the spans. */
static void index_uses(struct fsd_graph *g, bool producers)
{
    if (!producers)
        g->uses_at = g->links.n;
    for (int fill = 0; fill < 2; fill++) {
        for (fsd_id i = 0; i < g->nodes.n; i++) {
            struct fsd_span ports = producers ? g->nodes.at[i].out : g->nodes.at[i].in;

            for (uint32_t p = ports.at; p < ports.at + ports.n; p++) {
                fsd_id tensor = g->ports.at[p].tensor;
                struct fsd_span *span;

                if (tensor == FSD_NONE)
                    continue;
                span = producers ? &g->tensors.at[tensor].producers
                                 : &g->tensors.at[tensor].consumers;
                if (fill)
                    g->links.at[span->at + span->n] = i;
                if (fill && !producers)
                    g->use_input[span->at + span->n - g->uses_at] = p - ports.at;
                span->n++;
            }
        }
        for (fsd_id t = 0; t < g->tensors.n && !fill; t++) {
            struct fsd_span *span =
                producers ? &g->tensors.at[t].producers : &g->tensors.at[t].consumers;

            for (span->at = g->links.n; span->n; span->n--)
                fsd_vec_push(g->arena, &g->links, FSD_NONE);
        }
        if (!producers && !fill)
            g->use_input = FSD_NEW(g->arena, uint32_t, g->links.n - g->uses_at);
    }
}

void fsd_graph_list_borders(struct fsd_graph *g)
{
    struct fsd_span *const lists[] = {&g->scopes.at[0].inputs,
                                      &g->scopes.at[0].outputs};
    static const uint8_t flags[] = {FSD_TENSOR_INPUT, FSD_TENSOR_OUTPUT};

    for (size_t k = 0; k < FSD_COUNT_OF(lists); k++) {
        *lists[k] = (struct fsd_span){g->links.n, 0};
        for (fsd_id i = 0; i < g->tensors.n; i++)
            if (g->tensors.at[i].flags & flags[k]) {
                fsd_vec_push(g->arena, &g->links, i);
                lists[k]->n++;
            }
    }
}

void fsd_graph_finish(struct fsd_graph *g)
{
    index_uses(g, true);
    index_uses(g, false);
    fsd_graph_find_peers(g);
}

/* -------------------------------------------------------------------- reading */

const struct fsd_attr *fsd_node_attr(const struct fsd_graph *g,
                                     const struct fsd_node *node, const char *name)
{
    FSD_EACH_IN (const struct fsd_attr, attr, g->attrs, node->attrs)
        if (!strcmp(fsd_text(g->names, attr->name), name))
            return attr;
    return NULL;
}

int64_t fsd_node_int(const struct fsd_graph *g, fsd_id node, const char *name,
                     int64_t otherwise)
{
    const struct fsd_attr *attr = fsd_node_attr(g, &g->nodes.at[node], name);

    return attr && attr->kind == FSD_ATTR_INT ? attr->i : otherwise;
}

const struct fsd_value *fsd_tensor_value(const struct fsd_graph *g, fsd_id tensor)
{
    const struct fsd_value *value =
        fsd_graph_value(g, fsd_graph_tensor(g, tensor)->value);

    return value && value->bytes ? value : NULL;
}

uint64_t fsd_element_bits(const struct fsd_value *value, unsigned width, uint64_t i)
{
    uint64_t bits = 0;

    for (unsigned k = width; k-- > 0;)
        bits = bits << 8 | value->bytes[i * width + k];
    return bits;
}

bool fsd_element_number(const struct fsd_value *value, enum fsd_dtype type, uint64_t i,
                        double *out)
{
    unsigned width = fsd_dtype_bits(type) / 8;

    return value && value->bytes && width && width <= 8 && i < value->size / width &&
           fsd_dtype_number(type, fsd_element_bits(value, width, i), out);
}

bool fsd_is_onnx_domain(const char *domain)
{
    return !*domain || !strcmp(domain, "ai.onnx");
}

int64_t fsd_graph_opset(const struct fsd_graph *g)
{
    for (uint32_t i = 0; i < g->opsets.n; i++)
        if (fsd_is_onnx_domain(fsd_text(g->names, g->opsets.at[i].domain)))
            return g->opsets.at[i].version;
    return 0;
}

bool fsd_node_is(const struct fsd_graph *g, fsd_id node, fsd_sym op)
{
    const struct fsd_node *n = fsd_graph_node(g, node);

    return n->op == op && fsd_is_onnx_domain(fsd_text(g->names, n->domain));
}

fsd_id fsd_tensor_producer(const struct fsd_graph *g, fsd_id tensor)
{
    struct fsd_span producers = fsd_graph_tensor(g, tensor)->producers;

    return producers.n == 1 ? g->links.at[producers.at] : FSD_NONE;
}

fsd_id fsd_tensor_only_reader(const struct fsd_graph *g, fsd_id tensor)
{
    const struct fsd_tensor *t = fsd_graph_tensor(g, tensor);

    return t->consumers.n == 1 && !(t->flags & FSD_TENSOR_OUTPUT)
               ? g->links.at[t->consumers.at]
               : FSD_NONE;
}

/* Returns the position of the first link to `node` in a span of ascending links, or the
 * position where it would be. */
static uint32_t place_of(const struct fsd_graph *g, struct fsd_span links, fsd_id node)
{
    uint32_t low = 0, high = links.n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (g->links.at[links.at + middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t fsd_node_input_of(const struct fsd_graph *g, fsd_id node, fsd_id tensor)
{
    struct fsd_span uses = fsd_tensor_consumers(g, tensor);
    uint32_t at = place_of(g, uses, node); /* the node's first use of the tensor, if the
                                              node reads it */

    return at < uses.n && g->links.at[uses.at + at] == node
               ? g->use_input[uses.at + at - g->uses_at]
               : FSD_NONE;
}

struct fsd_span fsd_port_peers(const struct fsd_graph *g, uint32_t port, bool producers)
{
    fsd_id tensor = g->ports.at[port].tensor;

    if (tensor != FSD_NONE && fsd_port_has_own_peers(g, port))
        return g->peers[port].nodes;
    return producers ? fsd_graph_tensor(g, tensor)->producers
                     : fsd_graph_tensor(g, tensor)->consumers;
}

fsd_id fsd_port_producer(const struct fsd_graph *g, uint32_t port)
{
    struct fsd_span by = fsd_port_peers(g, port, true);

    return by.n == 1 ? g->links.at[by.at] : FSD_NONE;
}

/* The state of the topological sort.  A node waits for the producers of its inputs.  A
 * tensor that is written in place has several producers.  Each of them waits for the
 * previous one in the file.  A consumer of the tensor waits for the last producer that
 * precedes it in the file: if nodes 2 and 5 write the tensor, consumer 3 reads the
 * output of node 2, and consumer 7 reads the output of node 5. */
struct waiting {
    const struct fsd_graph *g;
    uint32_t *awaited; /* indexed by node */
    uint32_t *settled; /* indexed by tensor: 1 plus the id of the last producer
                          that settle() handled; 0: none */
    fsd_id *order;
    uint32_t n;
};

static void await(struct waiting *w, fsd_id node, bool begins)
{
    w->awaited[node] += begins ? 1 : UINT32_MAX;
    if (!begins && !w->awaited[node])
        w->order[w->n++] = node;
}

/* Calls await() for each node that waits for the producer at index `place` of the
 * tensor's producers.  `begins` is true if the wait begins, false if it ends. */
static void await_producer(struct waiting *w, fsd_id tensor, uint32_t place,
                           bool begins)
{
    const struct fsd_graph *g = w->g;
    struct fsd_span producers = g->tensors.at[tensor].producers;
    struct fsd_span readers = g->tensors.at[tensor].consumers;
    const fsd_id *of = &g->links.at[producers.at];
    fsd_id producer = of[place], next;
    bool alone = of[0] == of[producers.n - 1]; /* whether only one node writes the
                                                  tensor; the ids in the list ascend */

    while (place < producers.n && of[place] == producer)
        place++;
    next = place < producers.n ? of[place] : FSD_NONE;
    if (next != FSD_NONE)
        await(w, next, begins);
    for (uint32_t k = alone ? 0 : place_of(g, readers, producer + 1); k < readers.n;
         k++) {
        fsd_id reader = g->links.at[readers.at + k];

        if (!alone && reader > next)
            break;
        if (reader != producer)
            await(w, reader, begins);
    }
}

static void settle(struct waiting *w, fsd_id node)
{
    const struct fsd_node *n = &w->g->nodes.at[node];

    FSD_EACH_OF (t, w->g->ports, n->out, tensor) {
        if (t == FSD_NONE || w->settled[t] == node + 1)
            continue;
        w->settled[t] = node + 1;
        await_producer(w, t, place_of(w->g, w->g->tensors.at[t].producers, node),
                       false);
    }
}

fsd_id *fsd_graph_order(struct fsd_arena *arena, const struct fsd_graph *g)
{
    uint32_t n = g->nodes.n;
    struct waiting w = {.g = g,
                        .awaited = FSD_NEW(arena, uint32_t, n),
                        .settled = FSD_NEW(arena, uint32_t, g->tensors.n),
                        .order = FSD_NEW(arena, fsd_id, n)};

    for (fsd_id t = 0; t < g->tensors.n; t++) {
        struct fsd_span producers = g->tensors.at[t].producers;

        for (uint32_t k = 0; k < producers.n; k++)
            if (!k ||
                g->links.at[producers.at + k] != g->links.at[producers.at + k - 1])
                await_producer(&w, t, k, true);
    }
    for (fsd_id i = 0; i < n; i++)
        if (!w.awaited[i])
            w.order[w.n++] = i;
    for (uint32_t at = 0; at < w.n; at++)
        settle(&w, w.order[at]);
    for (fsd_id i = 0; i < n; i++)
        if (w.awaited[i])
            w.order[w.n++] = i;
    return w.order;
}

uint32_t fsd_layer_count(const struct fsd_graph *engine, fsd_id layer, fsd_sym step)
{
    struct fsd_span steps = engine->layers.at[layer].steps;
    uint32_t n = 0;

    for (uint32_t i = 0; i < steps.n; i++)
        n += engine->links.at[steps.at + i] == step;
    return n;
}
