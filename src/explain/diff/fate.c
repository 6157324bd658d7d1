/*
 * Finds the outcome of each node.  The strongest evidence comes first: a link to a
 * layer.  For other nodes the outcome must be proved, mostly from the model.  A node
 * with neither a link nor a proof is "unexplained".
 */
#include "explain/diff/step.h"
#include "model/graph/graph.h"

static struct fsd_node_result result(enum fsd_fate fate, const char *why)
{
    return (struct fsd_node_result){
        .fate = fate, .why = why, .other = FSD_NONE, .near_layer = FSD_NONE};
}

/* Whether the builder folded the node.  Constant inputs prove only that the builder
 * could fold the node; `runs` shows that the builder did not. */
static bool is_folded(const struct fsd_match *m, fsd_id node)
{
    return m->facts->folded[node] && !m->runs[node];
}

/* ---------------------------------------------------------------- quantizers */

static bool ports_quantized(const struct fsd_graph *e, struct fsd_span ports)
{
    for (uint32_t i = 0; i < ports.n; i++)
        if (fsd_dtype_is_quantized(fsd_port_form(e, &e->ports.at[ports.at + i])->type))
            return true;
    return false;
}

static bool layer_is_quantized(const struct fsd_match *m, fsd_id layer)
{
    const struct fsd_node *n = &m->engine->nodes.at[layer];
    const struct fsd_layer *l = &m->engine->layers.at[layer];

    return ports_quantized(m->engine, n->in) || ports_quantized(m->engine, n->out) ||
           ports_quantized(m->engine, l->constants) ||
           fsd_dtype_is_quantized(l->weights_type);
}

static struct fsd_node_result linked_quantizer(const struct fsd_match *m,
                                               const struct fsd_layer_result *layers,
                                               fsd_id node)
{
    bool narrow = false, fused = false, typed = false;

    for (uint32_t i = 0; i < m->of_node[node].n; i++) {
        fsd_id layer = fsd_match_of_node(m, node, i)->layer;

        fused |= (fsd_match_of_node(m, node, i)->by & FSD_BY_LOG) != 0;

        if (layers[layer].kind == FSD_KIND_QUANTIZE && fsd_quantizes_as(m, layer, node))
            return result(FSD_FATE_LAYER, "it runs as a layer of its own");
        narrow |= layer_is_quantized(m, layer);
        typed |= m->engine->nodes.at[layer].in.n || m->engine->nodes.at[layer].out.n;
    }
    if (is_folded(m, node) && (m->facts->traits[node] & FSD_OP_QUANTIZE))
        return result(FSD_FATE_FOLDED, "quantizes a constant");
    if (!narrow && is_folded(m, node))
        return result(FSD_FATE_FOLDED, "all its inputs are constant");
    if (narrow)
        return result(FSD_FATE_ABSORBED,
                      "the layer reads or writes the quantized type");
    if (fused && !m->engine->detailed)
        return result(FSD_FATE_ABSORBED, "fused into the layer, as the log states");
    return result(FSD_FATE_LAYER,
                  typed ? "computed inside the layer, which is not quantized"
                        : "computed inside the layer, whose types are unknown");
}

static bool in_region(const struct fsd_match *m, fsd_id node)
{
    return m->region_of_node[node] != FSD_NONE;
}

/* -------------------------------------------------------------------- joints */

/* Whether the node is a Concat, and layers write its inputs directly into its output.
 * In the engine, several layers must write the tensor that holds the output or its
 * quantized form.  At least one of these layers must be neither an inserted layer nor a
 * copy. */
static bool is_written_in_place(const struct fsd_match *m,
                                const struct fsd_layer_result *layers, fsd_id node)
{
    const struct fsd_graph *e = m->engine;
    fsd_id out = fsd_node_out_tensor(m->model, node, 0);

    if (out == FSD_NONE || !fsd_node_is(m->model, node, FSD_ONNX_Concat))
        return false;
    for (fsd_id t = 0; t < e->tensors.n; t++) {
        struct fsd_span by = e->tensors.at[t].producers;
        bool copied = true;

        if (by.n < 2 ||
            fsd_id_at(m->facts->root, m->counterpart[t]) != m->facts->root[out])
            continue;
        for (uint32_t i = 0; i < by.n; i++) {
            const struct fsd_layer_result *r = &layers[e->links.at[by.at + i]];

            copied &= r->inserted || r->kind == FSD_KIND_COPY;
        }
        if (!copied)
            return true;
    }
    return false;
}

/* The maximum number of nodes on a path.  It is low, because join_reader() follows
 * every branch, and lies_between() calls it for many nodes.  A walk along a single
 * path, such as fsd_walk_on(), has a limit of 64. */
enum { FAR = 8 };

/* Whether the node only moves data or changes its type, so that a kernel can perform it
 * while the kernel reads or writes. */
static bool may_dissolve(const struct fsd_match *m, fsd_id node)
{
    return (m->facts->traits[node] & FSD_OP_MOVES) != 0;
}

/* Whether the layer is a generated kernel that computes the node. */
static bool is_kernel_of(const struct fsd_match *m, fsd_id layer, fsd_id node)
{
    return m->engine->layers.at[layer].provider == FSD_PROVIDER_COMPILER &&
           fsd_match_has(m, layer, node);
}

enum join { APART, JOINED, VIEWED };

/* Layer `reader` reads an engine tensor that another layer writes at the port
 * `written`.  In the model, a path of nodes leads from tensor `made` to tensor
 * `wanted`.
 * @return VIEWED if the path only changes the view: the two ports differ in sizes or
 *         strides, the written port has the sizes of `made`, and the read port has the
 *         sizes of `wanted`.  Else JOINED: a layer may compute a part of the path */
static enum join join_by(const struct fsd_match *m, const struct fsd_port *written,
                         fsd_id reader, fsd_id made, fsd_id wanted)
{
    const struct fsd_graph *e = m->engine;
    struct fsd_span in = e->nodes.at[reader].in;

    FSD_EACH_IN (const struct fsd_port, read, e->ports, in)
        if (read->tensor == written->tensor &&
            !fsd_forms_alike(e, fsd_port_form(e, read), fsd_port_form(e, written)) &&

            fsd_sizes_alike(e, fsd_port_form(e, written), m->model,
                            fsd_tensor_form(m->model, made), true) &&
            fsd_sizes_alike(e, fsd_port_form(e, read), m->model,
                            fsd_tensor_form(m->model, wanted), true))
            return VIEWED;
    return JOINED;
}

enum { COPIES = 4 };

/* Whether a kernel of node `reader` reads the output at `port`.  Up to `far` layers may
 * be in between.  Each of them must copy or reformat quantized data, keep the type of
 * the data, and have no nodes.  If the result is true, no layer computes the quantizers
 * between `port` and `reader`. */
static bool is_read_as_is(const struct fsd_match *m, uint32_t port, fsd_id reader,
                          int far)
{
    const struct fsd_graph *e = m->engine;
    struct fsd_span to = fsd_port_peers(e, port, false);
    bool found = false;

    for (uint32_t i = 0; i < to.n && !found; i++) {
        fsd_id layer = e->links.at[to.at + i];
        const struct fsd_node *n = &e->nodes.at[layer];
        enum fsd_kind kind = e->layers.at[layer].kind;

        found = is_kernel_of(m, layer, reader);
        if (found || !far || m->of_layer[layer].n || !ports_quantized(e, n->in) ||
            (kind != FSD_KIND_COPY && kind != FSD_KIND_REFORMAT))
            continue;
        for (uint32_t k = 0; k < n->out.n && k < COPIES && !found; k++)
            found = fsd_port_form(e, fsd_node_out(e, n, k))->type ==
                        fsd_port_form(e, fsd_node_in(e, n, 0))->type &&
                    is_read_as_is(m, n->out.at + k, reader, far - 1);
    }
    return found;
}

/* How the kernels of the nodes `producer` and `reader` are joined.  The result is APART
 * unless one kernel computes both nodes, or a kernel of `reader` reads the output of a
 * kernel of `producer`.
 * @param producer FSD_NONE: the inputs of the network take its place
 * @param reader FSD_NONE: the outputs of the network take its place */
static enum join join_of(const struct fsd_match *m, fsd_id producer, fsd_id reader,
                         fsd_id wanted, bool quantized)
{
    const struct fsd_graph *e = m->engine;
    fsd_id made = fsd_node_out_tensor(m->model, producer, 0);
    fsd_id ends = fsd_id_or(producer, reader);

    if (producer != FSD_NONE && reader != FSD_NONE && !m->of_node[reader].n)
        return APART; /* skips the loop below over all layers of `producer`:
                         there may be a thousand */
    for (uint32_t i = 0; i < fsd_match_links_of(m, ends).n; i++) {
        fsd_id layer = fsd_match_of_node(m, ends, i)->layer;
        struct fsd_span ports =
            ends == producer ? e->nodes.at[layer].out : e->nodes.at[layer].in;

        if (!is_kernel_of(m, layer, ends) ||
            (quantized && !layer_is_quantized(m, layer)))
            continue;
        if (producer != FSD_NONE && reader != FSD_NONE &&
            is_kernel_of(m, layer, reader))
            return JOINED;
        for (uint32_t k = 0; k < ports.n; k++) {
            fsd_id t = e->ports.at[ports.at + k].tensor;
            struct fsd_span to = fsd_port_peers(e, ports.at + k, false);

            if (t == FSD_NONE)
                continue;
            if (producer == FSD_NONE || reader == FSD_NONE) {
                if (e->tensors.at[t].flags & (FSD_TENSOR_INPUT | FSD_TENSOR_OUTPUT))
                    return JOINED;
                continue;
            }
            for (uint32_t c = 0; c < to.n; c++)
                if (is_kernel_of(m, e->links.at[to.at + c], reader))
                    return join_by(m, &e->ports.at[ports.at + k],
                                   e->links.at[to.at + c], made, wanted);
            if (quantized && is_read_as_is(m, ports.at + k, reader, COPIES))
                return JOINED;
        }
    }
    return APART;
}

/* -------------------------------------------------------------------- doubts */

struct doubts {
    fsd_id *shown;   /* indexed by the first node of a group of duplicates: a node of
                        this group that has a layer; FSD_NONE if there is none */
    bool *merged;    /* indexed by node: whether it is proved that the builder replaced
                        the node by an equal node that has a layer */
    bool *mentioned; /* indexed by symbol: whether several nodes have this name, and a
                        layer mentions it */
    const struct fsd_sizes *sizes; /* the sizes of the model; NULL if the engine has no
                                      jumps: every inference then runs all layers */
    struct fsd_branches branches;
};

/* Whether a kernel of node `reader` computes node `other`, or reads the output of
 * `other`.  False if an input of any kernel of `reader` comes from a layer without a
 * known node. */
static bool has_available(const struct fsd_match *m, fsd_id other, fsd_id reader)
{
    const struct fsd_graph *e = m->engine;

    for (uint32_t i = 0; i < m->of_node[reader].n; i++) {
        const struct fsd_node *n = &e->nodes.at[fsd_match_of_node(m, reader, i)->layer];

        for (uint32_t k = 0; k < n->in.n; k++) {
            struct fsd_span producers = fsd_port_peers(e, n->in.at + k, true);

            FSD_EACH_ID (writer, e->links, producers)
                if (!m->of_layer[writer].n)
                    return false;
        }
    }
    return join_of(m, other, reader, FSD_NONE, false) != APART;
}

/* Whether the builder uses the output of node `other` in place of `tensor`, the output
 * of an equal node.  There are two proofs:
 * - A layer reads the output of `other` instead of `tensor`.
 * - `tensor` is no output of the network.  It has consumers, but none of them needs it:
 *   each is merged, or has a kernel that computes `other` or reads its output
 *   (has_available()), or is a Concat into which a layer copies this output
 *   (fsd_is_copied_to_part()). */
static bool is_replaced(const struct fsd_match *m, const bool *merged, fsd_id tensor,
                        fsd_id other)
{
    const struct fsd_tensor *t = &m->model->tensors.at[tensor];

    if (m->replaced[tensor])
        return true;
    FSD_EACH_ID (reader, m->model->links, t->consumers)
        if (!merged[reader] && !has_available(m, other, reader) &&
            !fsd_is_copied_to_part(m, other, reader))
            return false;
    return t->consumers.n > 0 && !(t->flags & FSD_TENSOR_OUTPUT);
}

/* Whether the builder replaced all used outputs of `node`: the outputs that other nodes
 * read, and the outputs of the network.  False if `node` has no such output. */
static bool are_replaced(const struct fsd_match *m, const bool *merged, fsd_id node,
                         fsd_id other)
{
    const struct fsd_graph *g = m->model;
    bool any = false;

    FSD_EACH_OF (out, g->ports, g->nodes.at[node].out, tensor) {
        bool unread = !fsd_graph_tensor(g, out)->consumers.n &&
                      !fsd_tensor_is(g, out, FSD_TENSOR_OUTPUT);

        if (out == FSD_NONE || (unread && !m->replaced[out]))
            continue;
        if (!is_replaced(m, merged, out, other))
            return false;
        any = true;
    }
    return any;
}

static struct doubts find_doubts(const struct fsd_match *m,
                                 const struct fsd_layer_result *layers,
                                 struct fsd_arena *scratch)
{
    struct doubts x = {fsd_ids_new(scratch, m->model->nodes.n),
                       FSD_NEW(scratch, bool, m->model->nodes.n),
                       FSD_NEW(scratch, bool, fsd_intern_count(m->model->names)),
                       m->engine->jumps ? fsd_sizes_of_model(scratch, m->model) : NULL,
                       fsd_find_branches(scratch, m, layers)};

    for (fsd_id i = 0; i < m->model->nodes.n; i++) {
        fsd_id first = m->facts->first_duplicate[i];

        if (fsd_match_maps_node(m, i))
            x.shown[first] = fsd_id_or(x.shown[first], i);
    }
    /* In reverse order: whether a node is merged depends on its consumers, and ONNX
     * lists nodes before their consumers. */
    for (fsd_id i = m->model->nodes.n; i-- > 0;) {
        fsd_id other = x.shown[m->facts->first_duplicate[i]];

        x.merged[i] = other != FSD_NONE && other != i && !m->of_node[i].n &&
                      are_replaced(m, x.merged, i, other);
    }
    FSD_EACH (const struct fsd_mention, named, m->engine->mentions)
        if (named->among > 1 && named->node != FSD_NONE &&
            named->role != FSD_MENTION_SERVES)
            x.mentioned[m->model->nodes.at[named->node].name] = true;
    x.mentioned[0] = false; /* symbol 0 is no name */
    return x;
}

/* ------------------------------------------------------------------- between */

/* The greatest `enum join` of `producer` with a consumer of the tensor.  A consumer
 * that has no layers and may dissolve is skipped: the consumers of its first output
 * count instead.  At most `far` consumers are skipped in a row.  If the tensor is an
 * output of the network, only this output counts as its consumer, and a `producer` of
 * FSD_NONE is APART from it. */
static enum join join_reader(const struct fsd_match *m, fsd_id producer, fsd_id tensor,
                             bool quantized, int far)
{
    const struct fsd_tensor *t = &m->model->tensors.at[tensor];
    enum join best = APART;

    if (t->flags & FSD_TENSOR_OUTPUT)
        return producer == FSD_NONE ? APART
                                    : join_of(m, producer, FSD_NONE, tensor, quantized);
    FSD_EACH_ID (reader, m->model->links, t->consumers) {
        fsd_id out = fsd_node_out_tensor(m->model, reader, 0);
        enum join join = join_of(m, producer, reader, tensor, quantized);

        if (join == APART && far && out != FSD_NONE && !m->of_node[reader].n &&
            may_dissolve(m, reader))
            join = join_reader(m, producer, out, quantized, far - 1);
        best = join > best ? join : best;
    }
    return best;
}

/* Whether and how the kernels before and behind the node are joined.  If they are, no
 * layer is between them, and the fate of the node is "dissolved": the node only
 * determines strides, shapes and types at the ports of these kernels. */
static enum join lies_between(const struct fsd_match *m, fsd_id node)
{
    bool quantized = m->facts->traits[node] & FSD_OP_QDQ;
    fsd_id out = fsd_node_out_tensor(m->model, node, 0), producer = node;

    if (out == FSD_NONE || !may_dissolve(m, node) || in_region(m, node))
        return APART;
    for (int far = 0; far < FAR; far++) {
        fsd_id in = fsd_node_in_tensor(m->model, producer, 0);

        if (!fsd_is_data(m->facts, in))
            return APART;
        producer = fsd_tensor_producer(m->model, in);
        if (producer == FSD_NONE || m->of_node[producer].n ||
            !may_dissolve(m, producer))
            break;
    }
    return join_reader(m, producer, out, quantized, FAR);
}

/* ------------------------------------------------------------------- enclosed */

enum { AROUND = 32 };

/* A search from a node without a layer, either back or forward.  It continues at each
 * node without layers (`queue`), and ends at each node with layers (`found`). */
struct around {
    fsd_id queue[AROUND], found[AROUND];
    uint32_t n_queue, n_found;
    bool lost; /* whether some of these nodes are unknown, or there are too many */
};

static void add_around(const struct fsd_match *m, struct around *a, fsd_id node)
{
    bool linked = m->of_node[node].n > 0;
    fsd_id *list = linked ? a->found : a->queue;
    uint32_t *n = linked ? &a->n_found : &a->n_queue;

    if (fsd_ids_have(list, *n, node))
        return;
    a->lost |= *n == AROUND || in_region(m, node);
    if (!a->lost)
        list[(*n)++] = node;
}

static void add_producers(const struct fsd_match *m, struct around *a, fsd_id node)
{
    const struct fsd_node *n = &m->model->nodes.at[node];

    for (uint32_t i = 0; i < n->in.n && !a->lost; i++) {
        fsd_id tensor = fsd_node_in(m->model, n, i)->tensor, producer;

        if (!fsd_is_run_data(m->facts, tensor))
            continue;
        producer = fsd_tensor_producer(m->model, tensor);
        if (producer == FSD_NONE)
            a->lost = true;
        else
            add_around(m, a, producer);
    }
}

static void add_readers(const struct fsd_match *m, struct around *a, fsd_id node)
{
    const struct fsd_node *n = &m->model->nodes.at[node];

    for (uint32_t i = 0; i < n->out.n && !a->lost; i++) {
        const struct fsd_tensor *t =
            fsd_graph_tensor(m->model, fsd_node_out(m->model, n, i)->tensor);

        a->lost |= (t->flags & FSD_TENSOR_OUTPUT) != 0;
        for (uint32_t k = 0; k < t->consumers.n && !a->lost; k++)
            add_around(m, a, m->model->links.at[t->consumers.at + k]);
    }
}

static bool look_around(const struct fsd_match *m, struct around *a, fsd_id node,
                        bool back)
{
    *a = (struct around){.queue = {node}, .n_queue = 1};
    for (uint32_t at = 0; at < a->n_queue && !a->lost; at++)
        if (back)
            add_producers(m, a, a->queue[at]);
        else
            add_readers(m, a, a->queue[at]);
    return !a->lost && a->n_found;
}

/* Whether the kernel computes all nodes in `of` or reads their outputs.  False if the
 * kernel also reads the output of a compute layer without known nodes: this layer might
 * compute a node between the nodes in `of` and the kernel. */
static bool reads_all(const struct fsd_match *m, fsd_id layer, const struct around *of)
{
    const struct fsd_graph *e = m->engine;
    const struct fsd_node *n = &e->nodes.at[layer];
    bool there[AROUND];

    if (e->layers.at[layer].provider != FSD_PROVIDER_COMPILER)
        return false;
    for (uint32_t i = 0; i < of->n_found; i++)
        there[i] = fsd_match_has(m, layer, of->found[i]);
    for (uint32_t k = 0; k < n->in.n; k++) {
        struct fsd_span by = fsd_port_peers(e, n->in.at + k, true);

        FSD_EACH_ID (producer, e->links, by) {
            if (!m->of_layer[producer].n &&
                e->layers.at[producer].kind == FSD_KIND_COMPUTE)
                return false;
            for (uint32_t i = 0; i < of->n_found; i++)
                there[i] |= fsd_match_has(m, producer, of->found[i]);
        }
    }
    for (uint32_t i = 0; i < of->n_found; i++)
        if (!there[i])
            return false;
    return true;
}

/* Whether the layer has a step that may compute the node, or may have steps that it
 * does not list. */
static bool may_compute(const struct fsd_match *m, fsd_id layer, fsd_id node)
{
    const struct fsd_layer *l = &m->engine->layers.at[layer];
    const char *op = fsd_text(m->model->names, m->model->nodes.at[node].op);
    const char *others = fsd_op_lowerings(op);

    if (!l->steps.n || l->more_steps != FSD_STEPS_ARE_ALL)
        return true;
    for (uint32_t i = 0; i < l->steps.n; i++) {
        const char *step =
            fsd_text(m->engine->names, m->engine->links.at[l->steps.at + i]);

        if (!strcmp(step, op) || strstr(others, step))
            return true;
    }
    return false;
}

static bool any_may_compute(const struct fsd_match *m, const struct around *a,
                            fsd_id node)
{
    for (uint32_t i = 0; i < a->n_found; i++)
        for (uint32_t k = 0; k < m->of_node[a->found[i]].n; k++)
            if (may_compute(m, fsd_match_of_node(m, a->found[i], k)->layer, node))
                return true;
    return false;
}

/* Whether one of the layers around the node must compute the node.  `producers` and
 * `readers` are the nearest nodes with layers before and behind it.  Three conditions
 * must hold:
 * - The node is no Q or DQ.
 * - Each reader has a kernel that computes all producers or reads their outputs.  Then
 *   no other layer can compute the node.
 * - The node only moves data or changes its type (may_dissolve()), or a layer of a
 *   producer or reader has a step that may compute the node. */
static bool is_enclosed(const struct fsd_match *m, fsd_id node)
{
    struct around producers, readers;

    if (in_region(m, node) || m->facts->traits[node] & FSD_OP_QDQ ||
        !look_around(m, &producers, node, true) ||
        !look_around(m, &readers, node, false))
        return false;
    if (!may_dissolve(m, node) && !any_may_compute(m, &producers, node) &&
        !any_may_compute(m, &readers, node))
        return false;
    for (uint32_t i = 0; i < readers.n_found; i++) {
        bool reads = false;

        for (uint32_t k = 0; k < m->of_node[readers.found[i]].n && !reads; k++)
            reads = reads_all(m, fsd_match_of_node(m, readers.found[i], k)->layer,
                              &producers);
        if (!reads)
            return false;
    }
    return true;
}

static struct fsd_node_result in_its_region(const struct fsd_match *m, fsd_id node)
{
    const struct fsd_region *r = &m->regions.at[m->region_of_node[node]];
    bool quantized = false, standing = false;

    for (uint32_t i = 0; (m->facts->traits[node] & FSD_OP_QDQ) && i < r->layers.n;
         i++) {
        fsd_id layer = m->pool.at[r->layers.at + i];
        const struct fsd_node *n = &m->engine->nodes.at[layer];

        quantized |= layer_is_quantized(m, layer);
        /* A layer without a known node may be an unfused Q or DQ if either its inputs
         * or its outputs are quantized, but not both. */
        standing |= !m->of_layer[layer].n && ports_quantized(m->engine, n->in) !=
                                                 ports_quantized(m->engine, n->out);
    }
    if (quantized && !standing)
        return result(FSD_FATE_ABSORBED,
                      "its region reads or writes the quantized type");
    return result(FSD_FATE_LAYER,
                  r->equal
                      ? "computed by one of several equivalent layers of its region"
                      : "computed by one of the layers of its region");
}

static struct fsd_node_result merged(const struct fsd_match *m, const struct doubts *x,
                                     fsd_id node)
{
    struct fsd_node_result r =
        result(FSD_FATE_MERGED, "computes the same value as another node");

    r.other = x->shown[m->facts->first_duplicate[node]];
    return r;
}

/* The outcome of a node that, according to the log, the builder removed. */
static struct fsd_node_result by_log(const struct fsd_match *m, fsd_id node)
{
    static const struct {
        enum fsd_fate fate;
        const char *why;
    } of[] = {
        [FSD_LEFT_ERASED] = {FSD_FATE_IDENTITY,
                             "its layer was erased, as the log states"},
        [FSD_LEFT_MERGED] = {FSD_FATE_MERGED,
                             "removed as a duplicate, as the log states"},
        [FSD_LEFT_IN_PLACE] = {FSD_FATE_IDENTITY,
                               "its consumers read the sliced part of its input "
                               "directly, as the log states"},
    };
    const struct fsd_leaving *left = &m->story->left[node];
    struct fsd_node_result r = result(of[left->how].fate, of[left->how].why);

    r.other = left->other;
    r.near_layer = m->dissolved_in[node];
    return r;
}

/* The outcome of a node without a known layer, if it can be proved; else
 * "unexplained". */
static struct fsd_node_result proved(const struct fsd_match *m,
                                     const struct fsd_layer_result *layers,
                                     const struct doubts *x, fsd_id node)
{
    enum join join;
    const struct fsd_facts *f = m->facts;
    struct fsd_node_result r;
    const char *why;

    if (f->size[node])
        return result(FSD_FATE_ABSORBED,
                      "it only computes sizes, which the engine knows without a layer");
    if (f->same[node] != FSD_SAME_NOT) {
        r = result(FSD_FATE_IDENTITY, fsd_same_text(f->same[node]));
        r.near_layer = m->dissolved_in[node];
        return r;
    }
    if (fsd_match_left(m, node))
        return x->merged[node] ? merged(m, x, node) : by_log(m, node);
    if (m->in_weights[node])
        return result(
            FSD_FATE_ABSORBED,
            "the builder merged its factor into the weights of a convolution or matrix "
            "multiplication");
    if (is_written_in_place(m, layers, node))
        return result(FSD_FATE_IDENTITY, "its inputs are written directly into its "
                                         "output");
    join = lies_between(m, node);
    if (join != APART && f->traits[node] & FSD_OP_QDQ)
        return result(FSD_FATE_ABSORBED,
                      "the layers around it read or write the quantized type");
    if (join == VIEWED)
        return result(FSD_FATE_IDENTITY,
                      "it only changes strides or shapes: the layers before and "
                      "after it use the same data");
    if (join == JOINED)
        return result(FSD_FATE_LAYER, "computed by one of the layers around it");
    if (x->merged[node])
        return merged(m, x, node);
    if (in_region(m, node))
        return in_its_region(m, node);
    why = fsd_why_of_control(m, x->sizes, node);
    if (why)
        return result(FSD_FATE_ABSORBED, why);
    why = fsd_why_of_fixed_sizes(m, node);
    if (why)
        return result(FSD_FATE_FOLDED, why);
    if (fsd_op_adds_zeros(m->model, node))
        return result(FSD_FATE_IDENTITY, fsd_same_text(FSD_SAME_ZERO));
    if (fsd_cancels(m, node))
        return result(FSD_FATE_IDENTITY,
                      f->traits[node] & FSD_OP_QDQ
                          ? "it cancels a quantizer of the same scale"
                          : "the scales of the adjacent quantizers include its factor");
    if (is_enclosed(m, node))
        return result(FSD_FATE_LAYER, "computed by one of the layers around it");
    return result(FSD_FATE_UNEXPLAINED, "no layer mentions it, and fusiondiff cannot "
                                        "prove why");
}

/* Whether the model has several engines whose nodes are all known, and none of them
 * computes the node. */
static bool is_outside(const struct fsd_parts *parts, fsd_id node)
{
    return parts && parts->known && parts->of_node[node] == FSD_NONE;
}

static struct fsd_node_result unlinked(const struct fsd_match *m,
                                       const struct fsd_parts *parts,
                                       const struct fsd_layer_result *layers,
                                       const struct doubts *x, fsd_id node)
{
    if (!m->facts->live[node])
        return result(FSD_FATE_DEAD, "reaches no output of the model");
    if (is_outside(parts, node))
        return result(FSD_FATE_OUTSIDE, "no engine computes its part of the model");
    if (is_folded(m, node))
        return result(FSD_FATE_FOLDED, m->facts->traits[node] & FSD_OP_CONSTANT
                                           ? "Constant"
                                           : "all its inputs are constant");
    if (fsd_node_is(m->model, node, FSD_ONNX_If) &&
        fsd_node_in_tensor(m->model, node, 0) != FSD_NONE &&
        fsd_is_build_constant(m->facts, fsd_node_in_tensor(m->model, node, 0)))
        return result(FSD_FATE_FOLDED,
                      "its condition is known when the engine is built");
    if (fsd_is_left_out(m, &x->branches, node))
        return result(FSD_FATE_FOLDED, "the builder left out its branch: the engine "
                                       "always computes another branch of the If");
    if (x->mentioned[m->model->nodes.at[node].name] && !in_region(m, node))
        return result(FSD_FATE_UNEXPLAINED,
                      "a layer has its name, but other nodes have the same name");
    return proved(m, layers, x, node);
}

const struct fsd_node_result *fsd_diff_nodes(const struct fsd_match *m,
                                             const struct fsd_parts *parts,
                                             const struct fsd_layer_result *layers,
                                             const enum fsd_dtype *computed)
{
    FSD_SCRATCH(scratch);
    struct doubts x = find_doubts(m, layers, scratch);
    struct fsd_node_result *nodes =
        FSD_NEW(m->arena, struct fsd_node_result, m->model->nodes.n);

    for (fsd_id i = 0; i < m->model->nodes.n; i++) {
        struct fsd_node_result *r = &nodes[i];

        if (!m->of_node[i].n)
            *r = unlinked(m, parts, layers, &x, i);
        else if (m->facts->traits[i] & FSD_OP_QDQ)
            *r = linked_quantizer(m, layers, i);
        else if (is_folded(m, i))
            *r = result(FSD_FATE_FOLDED, "all its inputs are constant");
        else
            *r = result(FSD_FATE_LAYER,
                        m->runs[i] ? "every inference recomputes its constant value"
                                   : "");
        fsd_add_log_to_node(m, i, r);
        r->requested = fsd_requested(m, i);
        if (r->fate == FSD_FATE_LAYER)
            r->realised = fsd_realised(m, layers, computed, r->requested, i);
    }
    return nodes;
}
