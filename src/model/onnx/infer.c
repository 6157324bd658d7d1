/*
 * Completes types and shapes that a model does not state, in passes over its nodes.
 * The type of an output follows from the operator's row in model/ops/table.inc; a shape
 * is completed only if the operator keeps the shape of its first input.  The full shape
 * inference is in model/ops/sizes.c, which also knows sizes from the user and the
 * engine.  This file infers facts that are needed before sizes.c runs, such as the type
 * of a Relu's output.
 */
#include "model/graph/graph.h"
#include "model/onnx/parts.h"
#include "model/ops/ids.h"
#include "model/ops/ops.h"

/* Completes the type and the shape of a tensor.  Tensors may share a form, so the
 * tensor gets a new form.  The new form shares the dimensions of `shape`, so that a
 * long chain of operators needs little memory. */
static bool learn(struct fsd_graph *g, fsd_id tensor, enum fsd_dtype type,
                  const struct fsd_form *shape)
{
    struct fsd_form form = *fsd_tensor_form(g, tensor);
    bool new_type = !form.type && type;
    bool new_shape = !form.ranked && shape && shape->ranked;

    if (!new_type && !new_shape)
        return false;
    if (new_type)
        form.type = type;
    if (new_shape) {
        form.ranked = true;
        form.dims = shape->dims;
    }
    fsd_vec_push(g->arena, &g->forms, form);
    g->tensors.at[tensor].form = g->forms.n - 1;
    return true;
}

/* The inputs of a function get the types and shapes of the inputs of the calling
 * node. */
static void infer_formals(struct fsd_graph *g, const struct fsd_scope *scope)
{
    for (uint32_t i = 0; i < scope->inputs.n; i++) {
        struct fsd_tensor *formal = &g->tensors.at[g->links.at[scope->inputs.at + i]];
        fsd_id actual = fsd_node_in_tensor(g, scope->owner, i);

        if (actual == FSD_NONE)
            continue;
        formal->form = fsd_id_or(formal->form, g->tensors.at[actual].form);
        formal->item = fsd_id_or(formal->item, g->tensors.at[actual].item);
        formal->value = g->tensors.at[actual].value;
    }
}

/* Infers types for nodes with bodies: an output of the node has the type of the
 * corresponding output of the body.  The first output of a Loop's body is the
 * condition, which the Loop does not output.  Returns true if it infers a type. */
static bool infer_owners(struct fsd_graph *g)
{
    bool learnt = false;

    for (fsd_id s = g->scopes.n; s-- > 1;) {
        struct fsd_scope scope = g->scopes.at[s];
        uint32_t first = fsd_node_is(g, scope.owner, FSD_ONNX_Loop);

        for (uint32_t k = first; k < scope.outputs.n; k++) {
            fsd_id made = fsd_node_out_tensor(g, scope.owner, k - first);
            fsd_id from = g->links.at[scope.outputs.at + k];

            if (made != FSD_NONE)
                learnt |= learn(g, made, fsd_tensor_form(g, from)->type, NULL);
        }
    }
    return learnt;
}

static void infer_nodes(struct fsd_graph *g)
{
    fsd_id scope = 0;

    for (fsd_id i = 0; i < g->nodes.n; i++) {
        if (g->nodes.at[i].scope != scope) {
            scope = g->nodes.at[i].scope;
            if (g->scopes.at[scope].kind == FSD_SCOPE_FUNCTION)
                infer_formals(g, &g->scopes.at[scope]);
        }
        for (uint32_t k = 0; k < g->nodes.at[i].out.n; k++) {
            fsd_id out = fsd_node_out_tensor(g, i, k), in = fsd_node_in_tensor(g, i, 0);

            if (out == FSD_NONE)
                continue;
            if (!k && fsd_op_keeps_items(g, i))
                g->tensors.at[out].item =
                    fsd_id_or(g->tensors.at[out].item, fsd_graph_tensor(g, in)->item);
            learn(g, out, fsd_op_type(g, i, k),
                  !k && fsd_op_keeps_shape(g, i) ? fsd_tensor_form(g, in) : NULL);
        }
    }
}

/* infer_nodes() infers types in a body from types outside of it.  infer_owners() infers
 * types outside of a body from the outputs of the body.  Each new type may determine
 * the types of other nodes, so all nodes are visited again, at most MOST times. */
void fsd_onnx_infer(struct fsd_graph *g)
{
    enum { MOST = 16 };

    infer_nodes(g);
    for (unsigned i = 0; i < MOST && infer_owners(g); i++)
        infer_nodes(g);
}
