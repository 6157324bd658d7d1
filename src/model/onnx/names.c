/*
 * Finds the tensor that a name means, while bodies are read (parts.h explains how).
 * Each name has one current tensor, in `newest`.  A new tensor with the same name hides
 * the current one: the new tensor becomes current, and `hidden` records the older one.
 * At the end of a scope, the older tensors become current again, in reverse order.
 * Without these arrays, each use of a name would need a search through all enclosing
 * scopes, which takes quadratic time in nested bodies.
 */
#include "model/graph/graph.h"
#include "model/onnx/parts.h"

void fsd_onnx_names_open(struct fsd_onnx_names *names, fsd_id scope)
{
    const struct fsd_scope *s = &names->g->scopes.at[scope];
    fsd_id frame = s->kind == FSD_SCOPE_SUBGRAPH ? names->frame.at[s->parent] : scope;

    fsd_vec_push(names->g->arena, &names->frame, frame);
}

fsd_id fsd_onnx_names_add(struct fsd_onnx_names *names, fsd_sym name, fsd_id scope)
{
    struct fsd_arena *arena = names->g->arena;
    fsd_id id = fsd_graph_add_tensor(names->g, name, scope);

    while (names->newest.n <= name)
        fsd_vec_push(arena, &names->newest, FSD_NONE);
    fsd_vec_push(arena, &names->hidden, names->newest.at[name]);
    if (name)
        names->newest.at[name] = id;
    return id;
}

fsd_id fsd_onnx_names_find(const struct fsd_onnx_names *names, fsd_sym name,
                           fsd_id scope)
{
    fsd_id id = name < names->newest.n ? names->newest.at[name] : FSD_NONE;

    if (id == FSD_NONE)
        return FSD_NONE;
    return names->frame.at[names->g->tensors.at[id].scope] == names->frame.at[scope]
               ? id
               : FSD_NONE;
}

fsd_id fsd_onnx_names_own(const struct fsd_onnx_names *names, fsd_sym name,
                          fsd_id scope)
{
    fsd_id id = fsd_onnx_names_find(names, name, scope);

    return id != FSD_NONE && names->g->tensors.at[id].scope == scope ? id : FSD_NONE;
}

void fsd_onnx_names_close(struct fsd_onnx_names *names, fsd_id from, fsd_id to)
{
    while (to-- > from)
        names->newest.at[names->g->tensors.at[to].name] = names->hidden.at[to];
}
