/* Declares tensors for the lists of a model's inputs and outputs. Types and sizes come
 * from the model, from the rules of operators, and from the engine. */
#include "edit/onnx/declared.h"
#include "model/graph/graph.h"

struct fsd_onnx_info fsd_tensor_info(struct fsd_arena *arena, const struct fsd_diff *d,
                                     fsd_id tensor)
{
    const struct fsd_graph *g = d->model;
    const struct fsd_form *form = fsd_tensor_form(g, tensor);
    const struct fsd_shape *shape = fsd_shape_of(d->cost->sizes, tensor);
    bool is_ranked = form->ranked && (!shape->ranked || shape->rank == form->dims.n);
    struct fsd_onnx_info info = {.name = fsd_text(g->names, g->tensors.at[tensor].name),
                                 .type = fsd_dtype_onnx(form->type),
                                 .ranked = shape->ranked || form->ranked};
    const char **names;
    int64_t *sizes;

    info.rank = is_ranked ? form->dims.n : shape->ranked ? shape->rank : 0;
    info.sizes = sizes = FSD_NEW(arena, int64_t, info.rank + 1);
    info.names = names = FSD_NEW(arena, const char *, info.rank + 1);
    for (uint32_t i = 0; i < info.rank; i++) {
        int64_t size = shape->ranked ? shape->dims[i] : -1;

        sizes[i] = size >= 0 ? size : -1;
        if (!is_ranked)
            continue;
        if (sizes[i] < 0)
            sizes[i] = g->dims.at[form->dims.at + i].size;
        names[i] = fsd_text(g->names, g->dims.at[form->dims.at + i].name);
    }
    return info;
}
