/*
 * Finds whether the model requires the data movement of a kernel that computes a
 * Transpose or views.
 *
 *     [1,32,32,8] linear  --Transpose 0,3,1,2-->  [1,8,32,32] channels last
 *
 * In this example, the elements have the same order in memory before and after the
 * kernel.  So the kernel is a plain copy, or a part of a change of layout, and the
 * model does not require the movement.  If the nodes only reshape, or only move axes
 * of size 1, the model does not require the movement, either.
 */
#include "explain/diff/step.h"
#include "model/graph/graph.h"
#include "model/ops/ids.h"

/* The axes of a tensor in the order of memory, the outermost first, without axes of
 * size 1. */
struct order {
    uint32_t n;
    uint8_t at[FSD_LAYOUT_AXES];
};

static bool order_of(const struct fsd_graph *e, const struct fsd_form *form,
                     struct order *out)
{
    const struct fsd_layout *l = &form->layout;
    uint32_t n = form->dims.n;

    out->n = 0;
    if (n > FSD_LAYOUT_AXES ||
        (l->order == FSD_ORDER_PERMUTED        ? l->rank != n
         : l->order == FSD_ORDER_CHANNELS_LAST ? l->axis >= n
                                               : l->order != FSD_ORDER_LINEAR))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t axis = i;

        if (l->order == FSD_ORDER_PERMUTED)
            axis = l->axes[i];
        else if (l->order == FSD_ORDER_CHANNELS_LAST)
            axis = i + 1 == n ? l->axis : i + (i >= l->axis);
        if (e->dims.at[form->dims.at + axis].size != 1)
            out->at[out->n++] = (uint8_t)axis;
    }
    return true;
}

/* The axis of a Transpose's input that becomes axis i of its output; UINT32_MAX if the
 * permutation is invalid for axis i. */
static uint32_t came_from(const struct fsd_graph *g, const struct fsd_attr *perm,
                          uint32_t i)
{
    int64_t from = g->ints.at[perm->list.at + i];

    return from >= 0 && from < perm->list.n ? (uint32_t)from : UINT32_MAX;
}

/* Whether the layouts of the layer's only input and only output, and the permutation,
 * prove that the layer does not change the order of elements in memory. */
static bool leaves_order(const struct fsd_match *m, fsd_id layer,
                         const struct fsd_attr *perm)
{
    const struct fsd_graph *e = m->engine;
    const struct fsd_node *n = &e->nodes.at[layer];
    const struct fsd_form *in, *out;
    struct order before, after;

    if (n->in.n != 1 || n->out.n != 1)
        return false;
    in = fsd_port_form(e, &e->ports.at[n->in.at]);
    out = fsd_port_form(e, &e->ports.at[n->out.at]);
    if (in->dims.n != perm->list.n || out->dims.n != perm->list.n ||
        !order_of(e, in, &before) || !order_of(e, out, &after) || before.n != after.n)
        return false;
    for (uint32_t i = 0; i < perm->list.n; i++) {
        uint32_t from = came_from(m->model, perm, i);

        if (from >= in->dims.n ||
            e->dims.at[in->dims.at + from].size != e->dims.at[out->dims.at + i].size)
            return false;
    }
    for (uint32_t i = 0; i < after.n; i++)
        if (came_from(m->model, perm, after.at[i]) != before.at[i])
            return false;
    return true;
}

/* Whether the Transpose moves only axes of size 1, so that it is a view. */
static bool moves_ones(const struct fsd_graph *g, fsd_id node,
                       const struct fsd_attr *perm)
{
    const struct fsd_form *form = fsd_tensor_form(g, fsd_node_in_tensor(g, node, 0));
    uint32_t last = 0;

    if (!form->ranked || form->dims.n != perm->list.n)
        return false;
    for (uint32_t i = 0; i < perm->list.n; i++) {
        uint32_t from = came_from(g, perm, i);

        if (from >= form->dims.n)
            return false;
        if (g->dims.at[form->dims.at + from].size == 1)
            continue;
        if (from < last)
            return false;
        last = from;
    }
    return true;
}

/* Whether all steps of the kernel are known, and each is a Reshape.  A Transpose among
 * its nodes then moves only axes of size 1, even if the model does not state the
 * sizes. */
static bool only_reshapes(const struct fsd_graph *e, fsd_id layer)
{
    const struct fsd_layer *l = &e->layers.at[layer];

    return l->steps.n && l->more_steps == FSD_STEPS_ARE_ALL &&
           fsd_layer_count(e, layer, FSD_ONNX_Reshape) == l->steps.n;
}

bool fsd_asks_for_order(const struct fsd_match *m, fsd_id layer, fsd_id node)
{
    const struct fsd_attr *perm =
        fsd_node_attr(m->model, &m->model->nodes.at[node], "perm");
    uint32_t n = 0;

    if (!perm || perm->kind != FSD_ATTR_INTS)
        return true;
    if (moves_ones(m->model, node, perm) || only_reshapes(m->engine, layer))
        return false;
    FSD_EACH_OF (other, m->links, m->of_layer[layer], node)
        n += !(m->facts->traits[other] & FSD_OP_VIEW);
    return n > 1 || !leaves_order(m, layer, perm);
}

bool fsd_moves_unasked(const struct fsd_match *m, const struct fsd_layer_result *r,
                       fsd_id layer)
{
    uint32_t n = m->of_layer[layer].n;

    if (r->inserted || r->forwards || !n ||
        (r->kind != FSD_KIND_REFORMAT && r->kind != FSD_KIND_COPY))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        fsd_id node = fsd_match_of_layer(m, layer, i)->node;
        unsigned traits = m->facts->traits[node];

        if (!(traits & FSD_OP_VIEW) &&
            (!(traits & FSD_OP_COPIES) || fsd_asks_for_order(m, layer, node)))
            return false;
    }
    return true;
}
