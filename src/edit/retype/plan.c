/*
 * Chooses the type of each node. Nodes are visited in the order of the file, because
 * the type of a data-movement node depends on the type of its input. A node that cannot
 * change its type keeps the types of its inputs and outputs, with Casts around it.
 */
#include "edit/retype/retype.h"
#include "model/graph/graph.h"
#include "model/onnx/edits.h"

enum fsd_dtype fsd_own_type(const struct fsd_graph *g, fsd_id tensor)
{
    return fsd_tensor_form(g, tensor)->type;
}

/* The type of a node in the model: the type of its first float output or, without such
 * an output, of its first float input. */
static enum fsd_dtype own_type(const struct fsd_graph *g, fsd_id node)
{
    const struct fsd_node *n = &g->nodes.at[node];

    for (uint32_t i = 0; i < n->out.n + n->in.n; i++) {
        uint32_t port = i < n->out.n ? n->out.at + i : n->in.at + i - n->out.n;
        fsd_id tensor = g->ports.at[port].tensor;

        if (fsd_is_float(fsd_own_type(g, tensor)))
            return fsd_own_type(g, tensor);
    }
    return FSD_DTYPE_UNKNOWN;
}

/* The type in which the engine runs the node. TF32 becomes FP32, because no tensor has
 * the type TF32. */
static enum fsd_dtype chosen_type(const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_node_result *r = &d->nodes[fsd_merged_into(d, node)];

    return r->realised == FSD_TF32 ? FSD_FP32 : r->realised;
}

/* The planned type of the node's first float input that is run data
 * (fsd_is_run_data()); own_type() if there is no such input. */
static enum fsd_dtype type_before(const struct fsd_retype *p, fsd_id node)
{
    const struct fsd_graph *g = p->d->model;
    struct fsd_span in = g->nodes.at[node].in;

    FSD_EACH_OF (tensor, g->ports, in, tensor)
        if (fsd_is_run_data(p->d->facts, tensor) && fsd_is_float(p->made[tensor]))
            return p->made[tensor];
    return own_type(g, node);
}

static bool moves(const struct fsd_diff *d, fsd_id node)
{
    return d->facts->traits[node] & (FSD_OP_VIEW | FSD_OP_COPIES | FSD_OP_COMMUTES);
}

static struct fsd_retyped_node lost(struct fsd_retyped_node r, enum fsd_dtype type,
                                    const char *why)
{
    return (struct fsd_retyped_node){FSD_RETYPED_LOST, r.chosen, type, why};
}

/* The type that the node should get, even if its operator does not support it. */
static struct fsd_retyped_node wanted(const struct fsd_retype *p, fsd_id node)
{
    const struct fsd_diff *d = p->d;
    enum fsd_dtype own = own_type(d->model, node);
    struct fsd_retyped_node r = {FSD_RETYPED_NOT, chosen_type(d, node), own, NULL};

    if (own == FSD_DTYPE_UNKNOWN || d->model->nodes.at[node].flags & FSD_NODE_CALL ||
        d->facts->traits[node] &
            (FSD_OP_QDQ | FSD_OP_CONSTANT | FSD_OP_CONTROL | FSD_OP_CASTS))
        return r;
    switch (d->nodes[node].fate) {
    case FSD_FATE_FOLDED:
    case FSD_FATE_DEAD:
    case FSD_FATE_OUTSIDE:
        return r;
    case FSD_FATE_UNEXPLAINED:
        return lost(r, own, "no layer is known to compute the node");
    case FSD_FATE_LAYER:
    case FSD_FATE_MERGED:
        break;
    case FSD_FATE_IDENTITY:
    case FSD_FATE_ABSORBED:
    case FSD__FATE_COUNT:
    default:
        r.what = FSD_RETYPED_FOLLOWS;
        r.type = type_before(p, node);
        return r;
    }
    if (fsd_is_float(r.chosen)) {
        r.what = FSD_RETYPED_SET;
        r.type = r.chosen;
    } else if (fsd_dtype_is_quantized(r.chosen) && fsd_dtype_rank(r.chosen)) {
        r.what = FSD_RETYPED_QUANTIZED;
    } else if (moves(d, node) || (r.chosen && !fsd_dtype_rank(r.chosen))) {
        r.what = FSD_RETYPED_FOLLOWS;
        r.type = type_before(p, node);
    } else {
        r = lost(r, own,
                 r.chosen ? "a Cast cannot produce this type"
                          : "the engine does not state the type of the node");
    }
    return r;
}

/* The type that the node gets, or the reason why the node keeps its type. */
static struct fsd_retyped_node decide(const struct fsd_retype *p, fsd_id node,
                                      struct fsd_op_floats *floats)
{
    const struct fsd_graph *g = p->d->model;
    struct fsd_retyped_node r = wanted(p, node);
    enum fsd_dtype own = own_type(g, node);
    bool takes = fsd_op_takes(g, node, r.type, floats);
    const char *why = NULL;

    if (!fsd_onnx_can_edit(g, node))
        why = "the node is in the body of a function, and all calls share this body";
    else if (!takes)
        why = p->d->facts->traits[node] & FSD_OP_STANDARD
                  ? "the operator does not support this type at the model's opset"
                  : "it is unknown which types the operator supports";
    if (why)
        *floats = (struct fsd_op_floats){0, 0};
    if (why && r.what == FSD_RETYPED_SET && r.type != own)
        return lost(r, own, why);
    if (why)
        r.type = own;
    if (r.what == FSD_RETYPED_SET && r.type == own && why)
        r.what = FSD_RETYPED_NOT;
    return r;
}

static uint32_t bit(uint32_t mask, uint32_t i)
{
    return mask >> (i < 31 ? i : 31) & 1;
}

/* Sets the types in which the node reads and produces tensors. */
static void apply(struct fsd_retype *p, fsd_id node, enum fsd_dtype type,
                  struct fsd_op_floats floats)
{
    const struct fsd_graph *g = p->d->model;
    const struct fsd_node *n = &g->nodes.at[node];
    bool casts = fsd_node_is(g, node, FSD_ONNX_Cast);

    for (uint32_t i = 0; i < n->in.n; i++) {
        fsd_id tensor = g->ports.at[n->in.at + i].tensor;

        if (!fsd_is_float(fsd_own_type(g, tensor)))
            continue;
        p->read[n->in.at + i] = casts                   ? p->made[tensor]
                                : bit(floats.inputs, i) ? type
                                                        : fsd_own_type(g, tensor);
    }
    for (uint32_t i = 0; i < n->out.n; i++) {
        fsd_id tensor = g->ports.at[n->out.at + i].tensor;

        if (tensor != FSD_NONE && fsd_is_float(p->made[tensor]) &&
            bit(floats.outputs, i))
            p->made[tensor] = type;
    }
}

/* ---------------------------------------------------------------------------- casts */

/* Whether a Cast of the model makes the FP32 tensor from a tensor of type `to`. A
 * consumer that needs the type `to` then needs no new Cast: it can read the input of
 * the model's Cast. */
static bool undoes(const struct fsd_retype *p, fsd_id tensor, enum fsd_dtype to)
{
    const struct fsd_graph *g = p->d->model;
    fsd_id producer = fsd_tensor_producer(g, tensor);
    fsd_id before = fsd_node_in_tensor(g, producer, 0);

    return fsd_node_is(g, producer, FSD_ONNX_Cast) && before != FSD_NONE &&
           p->made[tensor] == FSD_FP32 && p->made[before] == to && to != FSD_FP32;
}

static void need(struct fsd_retype *p, uint8_t *needed, fsd_id tensor,
                 enum fsd_dtype to)
{
    const struct fsd_graph *g = p->d->model;
    fsd_id producer = fsd_tensor_producer(g, tensor);
    uint8_t bit = (uint8_t)(1 << (to == FSD_FP32 ? 0 : to == FSD_FP16 ? 1 : 2));

    if (to == p->made[tensor] || needed[tensor] & bit)
        return;
    needed[tensor] |= bit;
    if (undoes(p, tensor, to)) {
        p->same[tensor] = fsd_node_in_tensor(g, producer, 0);
        return;
    }
    fsd_vec_push(p->arena, &p->casts,
                 ((struct fsd_retyped_cast){
                     tensor, to,
                     (g->tensors.at[tensor].flags & FSD_TENSOR_CONSTANT) ||
                         fsd_node_is(g, producer, FSD_ONNX_Constant)}));
}

static void find_casts(struct fsd_retype *p)
{
    const struct fsd_graph *g = p->d->model;
    uint8_t *needed = FSD_NEW(p->arena, uint8_t, g->tensors.n + 1);

    for (fsd_id t = 0; t < g->tensors.n; t++)
        if (p->kept[t] && fsd_is_float(p->made[t]))
            need(p, needed, t, fsd_own_type(g, t));
    for (fsd_id i = 0; i < g->nodes.n; i++) {
        struct fsd_span in = g->nodes.at[i].in;

        for (uint32_t k = 0; fsd_onnx_can_edit(g, i) && k < in.n; k++)
            if (p->read[in.at + k])
                need(p, needed, g->ports.at[in.at + k].tensor, p->read[in.at + k]);
    }
}

/* Finds outputs of graphs. The output of a body may be a tensor of the enclosing
 * graph. */
static void find_kept(struct fsd_retype *p)
{
    const struct fsd_graph *g = p->d->model;

    for (fsd_id t = 0; t < g->tensors.n; t++) {
        p->made[t] = fsd_own_type(g, t);
        p->same[t] = FSD_NONE;
        p->kept[t] = g->tensors.at[t].flags & FSD_TENSOR_OUTPUT;
    }
    for (fsd_id s = 1; s < g->scopes.n; s++)
        FSD_EACH_ID (output, g->links, g->scopes.at[s].outputs)
            p->kept[output] = true;
}

struct fsd_retype *fsd_retype_new(struct fsd_arena *arena, const struct fsd_diff *d)
{
    struct fsd_retype *p = FSD_NEW(arena, struct fsd_retype, 1);
    const struct fsd_graph *g = d->model;

    p->arena = arena;
    p->d = d;
    p->nodes = FSD_NEW(arena, struct fsd_retyped_node, g->nodes.n + 1);
    p->made = FSD_NEW(arena, enum fsd_dtype, g->tensors.n + 1);
    p->read = FSD_NEW(arena, enum fsd_dtype, g->ports.n + 1);
    p->kept = FSD_NEW(arena, bool, g->tensors.n + 1);
    p->same = FSD_NEW(arena, fsd_id, g->tensors.n + 1);
    find_kept(p);
    for (fsd_id i = 0; i < g->nodes.n; i++) {
        struct fsd_op_floats floats = {0, 0};

        p->nodes[i] = decide(p, i, &floats);
        apply(p, i, p->nodes[i].type, floats);
        p->count[p->nodes[i].what]++;
    }
    find_casts(p);
    return p;
}
