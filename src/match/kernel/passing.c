/*
 * Finds the nodes that need no step in a kernel's name.  There are three kinds.  Some
 * nodes only move data: a kernel may do this while it reads.  Other nodes scale data by
 * constants before or behind a product: the builder folds them into the product's
 * weights.  The third kind are nodes that no layer has to compute (fsd_match.gone).
 */
#include "match/kernel/replay.h"

bool fsd_is_product(const struct replay *r, fsd_id node)
{
    return (r->m->facts->traits[node] & FSD_OP_WEIGHTED) != 0;
}

fsd_id fsd_data_input(const struct replay *r, fsd_id node)
{
    const struct fsd_node *n = fsd_graph_node(r->g, node);
    fsd_id data = FSD_NONE;

    for (uint32_t i = 0; i < n->in.n; i++) {
        fsd_id t = fsd_data_in(r, node, i);

        if (t == FSD_NONE)
            continue;
        if (data != FSD_NONE && data != t)
            return FSD_NONE;
        data = t;
    }
    return data;
}

bool fsd_only_moves(const struct replay *r, fsd_id node)
{
    if (fsd_node_is(r->g, node, FSD_ONNX_Gather) && !fsd_has_data(r, node))
        return false;
    return r->m->facts->traits[node] & FSD_OP_MOVES || r->m->gone[node];
}

/* Whether the node scales or shifts data by constants, so that the builder may fold it
 * into the weights of a product before or behind it. */
static bool scales(const struct replay *r, fsd_id node)
{
    static const fsd_sym ops[] = {FSD_ONNX_Mul, FSD_ONNX_Div, FSD_ONNX_Add,
                                  FSD_ONNX_Sub, FSD_ONNX_BatchNormalization};

    for (size_t i = 0; i < FSD_COUNT_OF(ops); i++)
        if (fsd_node_is(r->g, node, ops[i]))
            return fsd_has_data(r, node);
    return false;
}

/* Whether the node is a product that computes with integers.  The weight of such a
 * product is quantized too, so that a DQ produces it. */
static bool takes_integers(const struct replay *r, fsd_id node)
{
    fsd_id weight = fsd_node_in_tensor(r->g, node, 1);

    return fsd_is_product(r, node) && fsd_tensor_producer(r->g, weight) != FSD_NONE;
}

/* Whether `is` holds for all readers of the tensor, looking through at most `far` nodes
 * that only move data. */
static bool reads_only(const struct replay *r, fsd_id tensor, int far,
                       bool is(const struct replay *r, fsd_id node))
{
    struct fsd_span readers = fsd_tensor_consumers(r->g, tensor);

    FSD_EACH_ID (node, r->g->links, readers) {
        fsd_id out = fsd_node_out_tensor(r->g, node, 0);

        if (!is(r, node) &&
            (!fsd_only_moves(r, node) || !far || !reads_only(r, out, far - 1, is)))
            return false;
    }
    return readers.n > 0;
}

/* Whether only integer products read the result of the node or of its duplicates. */
static bool feeds_integers(const struct replay *r, fsd_id node)
{
    fsd_id same = r->m->facts->first_duplicate[node];

    for (; same != FSD_NONE; same = r->nodes[same].next_duplicate)
        if (!reads_only(r, fsd_node_out_tensor(r->g, same, 0), 3, takes_integers))
            return false;
    return true;
}

fsd_id fsd_before_passing(const void *replay, fsd_id node)
{
    const struct replay *r = replay;

    return r->nodes[node].passes ? fsd_data_input(r, node) : FSD_NONE;
}

static fsd_id before_scaled(const void *replay, fsd_id node)
{
    return fsd_only_moves(replay, node) || scales(replay, node)
               ? fsd_data_input(replay, node)
               : FSD_NONE;
}

/* False for a BatchNormalization behind a Gemm, because builders do not fold the
 * BatchNormalization into the weights of the Gemm. */
bool fsd_behind_product(const struct replay *r, fsd_id node)
{
    fsd_id by = fsd_tensor_producer(
        r->g, fsd_walk_back(r->g, fsd_data_input(r, node), before_scaled, r));

    if (fsd_node_is(r->g, by, FSD_ONNX_Gemm))
        return !fsd_node_is(r->g, node, FSD_ONNX_BatchNormalization);
    return fsd_traits_of(r->m->facts, by) & FSD_OP_WEIGHTED ||
           fsd_node_is(r->g, by, FSD_ONNX_InstanceNormalization);
}

bool fsd_is_left_to_run(const struct replay *r, fsd_id node)
{
    fsd_id out = fsd_node_out_tensor(r->g, node, 0);

    for (uint32_t i = 0; i < fsd_graph_node(r->g, node)->in.n; i++) {
        fsd_id by = fsd_node_in_producer(r->g, node, i);

        if (fsd_graph_node(r->g, by)->op == r->g->nodes.at[node].op)
            return false;
    }
    return fsd_is_at_run(r, out);
}

static bool generates(const struct replay *r, fsd_id node)
{
    const struct fsd_facts *f = r->m->facts;
    const struct fsd_node *n = &r->g->nodes.at[node];

    for (uint32_t i = 0; i < n->in.n; i++)
        if (fsd_data_in(r, node, i) != FSD_NONE)
            return false;
    return f->live[node] && (!f->folded[node] || fsd_is_left_to_run(r, node)) &&
           !f->size[node];
}

/* Whether any product kernel reads quantized data.  If none does, separate kernels
 * dequantize all data, as on a device without integer products. */
static bool has_integer_products(const struct replay *r)
{
    const struct fsd_graph *e = r->m->engine;

    for (fsd_id i = 0; i < e->layers.n; i++) {
        const struct fsd_node *n = &e->nodes.at[i];
        bool product = fsd_layer_count(e, i, FSD_ONNX_Conv) ||
                       fsd_layer_count(e, i, FSD_ONNX_MatMul);

        for (uint32_t k = 0; k < n->in.n && product; k++)
            if (fsd_dtype_is_quantized(fsd_port_form(e, fsd_node_in(e, n, k))->type))
                return true;
    }
    return false;
}

void fsd_goes_on_by(struct replay *r, fsd_id node)
{
    FSD_EACH_OF (t, r->g->ports, r->g->nodes.at[node].in, tensor)
        if (t != FSD_NONE)
            r->tensors[t].goes_on = true;
}

/* Sets `spread` of the outputs if each input is constant or has `spread` set.  Called
 * only for nodes that need no step, in the order of the model, so that `spread` of the
 * inputs is final. */
static void note_spread(struct replay *r, fsd_id node)
{
    const struct fsd_node *n = &r->g->nodes.at[node];

    for (uint32_t i = 0; i < n->in.n; i++) {
        fsd_id t = fsd_data_in(r, node, i);

        if (t != FSD_NONE && !r->tensors[t].spread)
            return;
    }
    FSD_EACH_OF (out, r->g->ports, n->out, tensor)
        if (out != FSD_NONE && !fsd_stays_constant(r, out))
            r->tensors[out].spread = true;
}

void fsd_replay_passing(struct replay *r)
{
    bool integers = has_integer_products(r);

    for (fsd_id i = 0; i < r->g->nodes.n; i++) {
        fsd_id out = fsd_node_out_tensor(r->g, i, 0);

        r->nodes[i].passes = fsd_only_moves(r, i);
        if (integers && fsd_node_is(r->g, i, FSD_ONNX_DequantizeLinear) &&
            feeds_integers(r, i))
            r->lowerings->of[i].n = 0;
        r->nodes[i].generates = generates(r, i);
        if (r->nodes[i].generates)
            fsd_vec_push(r->scratch, &r->generators, i);
        if (r->nodes[i].passes || !scales(r, i) || out == FSD_NONE)
            continue;
        r->nodes[i].folds =
            fsd_behind_product(r, i) || ((fsd_node_is(r->g, i, FSD_ONNX_Mul) ||
                                          fsd_node_is(r->g, i, FSD_ONNX_Div)) &&
                                         reads_only(r, out, 3, fsd_is_product));
        r->nodes[i].passes = r->nodes[i].folds;
    }
    for (fsd_id i = 0; i < r->g->nodes.n; i++)
        if (r->nodes[i].passes) {
            fsd_goes_on_by(r, i);
            note_spread(r, i);
        }
}
