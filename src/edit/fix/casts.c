/*
 * Makes nodes compute in another type, between Casts: in FP32 if they may overflow in
 * FP16, or in FP16 or BF16 if a builder then fuses them into one kernel.
 *
 *     in FP16:  x --> Pow --> ReduceMean --> Sqrt --> y
 *     in FP32:  x --> Cast --> Pow --> ReduceMean --> Sqrt --> Cast --> y
 *
 * There is no Cast between two nodes of one type, and no Cast that reverses a Cast of
 * the model.
 */
#include "base/base.h"
#include "edit/fix/apply.h"
#include "model/graph/graph.h"
#include "edit/onnx/declared.h"

/* The maximum number of removed nodes in a row that a search goes through. Without a
 * maximum, the search would never end on a cycle of removed nodes. */
enum { MOST_REMOVED = 8 };

/* ---------------------------------------------------------------------------- types */

/* type_to() is the type in which the node will compute, type_from() the type in which
 * it computes now. */
static enum fsd_dtype type_to(const struct fsd_edit *e)
{
    static const enum fsd_dtype types[] = {FSD_FP32, FSD_FP16, FSD_BF16};

    for (size_t i = 0; i < FSD_COUNT_OF(types); i++)
        if (!strcmp(fsd_dtype_name(types[i]), e->type))
            return types[i];
    return FSD_DTYPE_UNKNOWN;
}

static enum fsd_dtype type_from(const struct fsd_edit *e)
{
    return type_to(e) == FSD_FP32 ? FSD_FP16 : FSD_FP32;
}

static bool is_of(const struct fsd_graph *g, uint32_t port, enum fsd_dtype type)
{
    return g->ports.at[port].tensor != FSD_NONE &&
           fsd_port_form(g, &g->ports.at[port])->type == type;
}

const char *fsd_fix_refuse_cast(struct fsd_fixes *f, const struct fsd_edit *e)
{
    const struct fsd_graph *g = f->lint->g;
    const struct fsd_node *n = &g->nodes.at[e->node];
    bool set = false, any = false;

    for (uint32_t i = n->in.at; i < n->in.at + n->in.n; i++) {
        set |= f->set[i];
        any |= is_of(g, i, type_from(e));
    }
    return set                        ? "another edit changes an input of the node"
           : any                      ? NULL
           : type_from(e) == FSD_FP16 ? "the node has no FP16 input"
                                      : "the node has no FP32 input";
}

void fsd_fix_set_type(struct fsd_apply *a, const struct fsd_fix *fix)
{
    a->cast_to[fix->edit->node] = (uint8_t)type_to(fix->edit);
}

/* --------------------------------------------------------------------------- inputs */

static bool is_cast_to(const struct fsd_apply *a, fsd_id node, enum fsd_dtype to)
{
    return node != FSD_NONE && a->cast_to[node] == to;
}

/* Whether the node is a Cast of the model to this type. */
static bool casts_to(const struct fsd_apply *a, fsd_id node, enum fsd_dtype to)
{
    return fsd_node_is(a->g, node, FSD_ONNX_Cast) &&
           fsd_tensor_form(a->g, fsd_node_out_tensor(a->g, node, 0))->type == to;
}

const char *fsd_fix_typed_name(struct fsd_apply *a, fsd_id tensor, enum fsd_dtype to)
{
    fsd_id maker, before;

    tensor = fsd_fix_held(a, tensor);
    maker = fsd_tensor_producer(a->g, tensor);
    before = fsd_node_in_tensor(a->g, maker, 0);

    if (is_cast_to(a, maker, to)) {
        if (!a->typed[tensor])
            a->typed[tensor] =
                fsd_onnx_new_name(a->edits, fsd_printed(a->f->arena, "%s_%s",
                                                        fsd_tensor_name(a->g, tensor),
                                                        fsd_dtype_name(to)));
        return a->typed[tensor];
    }
    return maker != FSD_NONE && before != FSD_NONE &&
                   fsd_node_is(a->g, maker, FSD_ONNX_Cast) &&
                   fsd_tensor_form(a->g, before)->type == to
               ? fsd_fix_name_of(a, before)
               : NULL;
}

/* The output of the last Cast that was inserted for the tensor. NULL if there is no
 * such Cast, if it is in a graph other than `scope`, or if it casts to a type other
 * than `to`. */
static const char *cast_before(const struct fsd_apply *a, fsd_id tensor, fsd_id scope,
                               enum fsd_dtype to)
{
    const struct fsd_fix_cast *cast = &a->cast[tensor];

    return cast->scope == scope && cast->to == to ? cast->name : NULL;
}

static void cast_input(struct fsd_apply *a, const struct fsd_edit *e, uint32_t i)
{
    fsd_id node = e->node, tensor = fsd_node_in_tensor(a->g, node, i);
    fsd_id scope = a->g->nodes.at[node].scope;
    enum fsd_dtype to = type_to(e);
    bool own = a->reads[a->g->nodes.at[node].in.at + i] != NULL;
    const char *name = own ? NULL : fsd_fix_typed_name(a, tensor, to), *made;

    if (!name && !own)
        name = cast_before(a, tensor, scope, to);
    if (name) {
        fsd_fix_set_input(a, node, i, name);
        return;
    }
    made = fsd_fix_new_read(a, e, i, "in");
    fsd_fix_insert_at(
        a, node, i,
        &(struct fsd_onnx_new_node){.op = fsd_text(a->g->names, FSD_ONNX_Cast),
                                    .name = made,
                                    .inputs = {fsd_fix_read_at(a, node, i)},
                                    .output = made,
                                    .to = fsd_dtype_onnx(to)});
    if (!own)
        a->cast[tensor] = (struct fsd_fix_cast){made, scope, (uint8_t)to};
}

/* -------------------------------------------------------------------------- outputs */

/* Whether a Cast must produce the tensor in its old type. True if the tensor is an
 * output of a graph, if it has no consumers, or if a consumer needs the old type. A
 * consumer does not need the old type in two cases:
 * - It will compute in the type `to`.
 * - It is a Cast of the model to the type `to`, and can be edited. This function then
 *   makes the Cast read `name`.
 * If a consumer is removed, its output is examined in the same way instead. Also true
 * if more than MOST_REMOVED removed nodes follow each other.
 * @param name the name of the tensor in the type `to`
 * @param depth number of removed nodes between the renamed output and `tensor` */
static bool is_cast_needed(struct fsd_apply *a, fsd_id tensor, const char *name,
                           enum fsd_dtype to, int depth)
{
    struct fsd_span readers = a->g->tensors.at[tensor].consumers;
    bool needed = fsd_fix_is_output(a, tensor) || !readers.n || depth > MOST_REMOVED;

    for (uint32_t k = 0; k < readers.n && depth <= MOST_REMOVED; k++) {
        fsd_id reader = a->g->links.at[readers.at + k];

        if (a->dropped[reader])
            needed |= is_cast_needed(a, fsd_node_out_tensor(a->g, reader, 0), name, to,
                                     depth + 1);
        else if (casts_to(a, reader, to) && fsd_onnx_can_edit(a->g, reader))
            fsd_fix_set_input(a, reader, 0, name);
        else if (!is_cast_to(a, reader, to))
            needed = true;
    }
    return needed;
}

/* Renames the node's output. If other consumers need its old type, a Cast produces the
 * tensor under its old name. */
static void cast_output(struct fsd_apply *a, const struct fsd_edit *e, uint32_t i)
{
    fsd_id node = e->node, out = fsd_node_out_tensor(a->g, node, i);
    const char *name = fsd_fix_typed_name(a, out, type_to(e));

    if (!a->sliced[out])
        fsd_onnx_set_output(a->edits, node, i, name);
    if (is_cast_needed(a, out, name, type_to(e), 0))
        fsd_onnx_append_node(a->edits, node,
                             &(struct fsd_onnx_new_node){
                                 .op = fsd_text(a->g->names, FSD_ONNX_Cast),
                                 .name = fsd_printed(a->f->arena, "%s_cast", name),
                                 .inputs = {name},
                                 .output = fsd_tensor_name(a->g, out),
                                 .to = fsd_dtype_onnx(type_from(e))});
}

void fsd_fix_insert_casts(struct fsd_apply *a, const struct fsd_fix *fix)
{
    const struct fsd_edit *e = fix->edit;
    const struct fsd_node *n = &a->g->nodes.at[e->node];

    for (uint32_t i = 0; i < n->in.n; i++)
        if (is_of(a->g, n->in.at + i, type_from(e)))
            cast_input(a, e, i);
    for (uint32_t i = 0; i < n->out.n; i++)
        if (is_of(a->g, n->out.at + i, type_from(e)))
            cast_output(a, e, i);
}
