/* A port of a layer or a node: a tensor, and the type and layout in which the layer or
 * node reads or writes this tensor. */
#include "explain/cost/cost.h"
#include "model/graph/graph.h"
#include "report/record/records.h"

/* clang-format off */
#define PORT(has, set, when, t) \
    when(t, NAME, name, port->tensor != FSD_NONE && \
        (g == d->engine || g->tensors.at[port->tensor].name), \
        fsd_text(d->names, g->tensors.at[port->tensor].name), NULL) \
    set(t, TYPE,  type, form->type, FSD_ALWAYS) \
    when(t, TEXT,  layout, *fsd_layout_name(form->layout, layout), \
        fsd_arena_strndup(arena, layout, strlen(layout)), NULL) \
    set(t, SIZES, dims, form->ranked ? stated_dims(arena, d, g, form->dims) \
        : inferred_dims(arena, d, g == d->model ? port->tensor : FSD_NONE), NULL) \
    when(t, SIZES, sizes, g == d->engine, sizes_of_run(arena, d, port, form), NULL, \
        .about = "the sizes in the run, if `dims` has dynamic sizes") \
    set(t, NAME,  format, fsd_text_or_null(d, form->raw), NULL, \
        .about = "type and layout as the engine dump writes them")
FSD_RECORD_SHARED(port, PORT)
/* clang-format on */

static struct fsd_size_cell size_of_amount(const struct fsd_diff *d, int64_t amount)
{
    return (struct fsd_size_cell){amount, fsd_amount_text(d->cost->amounts, amount)};
}

static struct fsd_size_list stated_dims(struct fsd_arena *arena,
                                        const struct fsd_diff *d,
                                        const struct fsd_graph *g, struct fsd_span dims)
{
    struct fsd_size_cell *at = FSD_NEW(arena, struct fsd_size_cell, dims.n);

    for (uint32_t i = 0; i < dims.n; i++) {
        struct fsd_dim dim = g->dims.at[dims.at + i];
        bool named = dim.size < 0 && dim.name;

        at[i] = (struct fsd_size_cell){dim.size,
                                       named ? fsd_text(d->names, dim.name) : NULL};
    }
    return (struct fsd_size_list){true, dims.n, at};
}

/* The sizes of a tensor, inferred from the rest of the model. The model itself does not
 * state these sizes. */
static struct fsd_size_list inferred_dims(struct fsd_arena *arena,
                                          const struct fsd_diff *d, fsd_id tensor)
{
    const struct fsd_shape *shape =
        tensor == FSD_NONE ? NULL : fsd_shape_of(d->cost->sizes, tensor);
    struct fsd_size_cell *at;

    if (!shape || !shape->ranked)
        return (struct fsd_size_list){0};
    at = FSD_NEW(arena, struct fsd_size_cell, FSD_SHAPE_RANK);
    for (uint32_t i = 0; i < shape->rank; i++)
        at[i] = size_of_amount(d, shape->dims[i]);
    return (struct fsd_size_list){true, shape->rank, at};
}

/* The sizes of the tensor at `port`, as numbers or terms. Unset if the engine states
 * all sizes as numbers. Also unset if a size is unknown. */
static struct fsd_size_list sizes_of_run(struct fsd_arena *arena,
                                         const struct fsd_diff *d,
                                         const struct fsd_port *port,
                                         const struct fsd_form *form)
{
    struct fsd_size_cell *at = FSD_NEW(arena, struct fsd_size_cell, FSD_SHAPE_RANK);
    bool open = false;

    if (form->dims.n > FSD_SHAPE_RANK)
        return (struct fsd_size_list){0};
    for (uint32_t i = 0; i < form->dims.n; i++) {
        int64_t size = fsd_port_size(d->engine, d->cost, port, form, i);

        if (size == -1)
            return (struct fsd_size_list){0};
        open |= d->engine->dims.at[form->dims.at + i].size < 0;
        at[i] = size_of_amount(d, size);
    }
    return (struct fsd_size_list){open, form->dims.n, at};
}

const struct fsd_rows *fsd_ports_of(struct fsd_arena *arena, const struct fsd_diff *d,
                                    const struct fsd_graph *g, struct fsd_span ports)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &fsd_port_record, "");

    FSD_EACH_IN (const struct fsd_port, port, g->ports, ports) {
        const struct fsd_form *form = fsd_port_form(g, port);
        char layout[16];

        FSD_ADD(rows, port, PORT);
    }
    return rows;
}
