#include "report/picture/drawing.h"
#include "base/id.h"

#include <stdlib.h>
#include <string.h>

fsd_id *fsd_none_of(struct fsd_arena *arena, uint32_t n)
{
    fsd_id *ids = FSD_NEW(arena, fsd_id, n);

    if (n)
        memset(ids, 0xff, n * sizeof *ids);
    return ids;
}

fsd_id fsd_drawing_add_box(struct fsd_drawing *w, struct fsd_box box, fsd_id item)
{
    box.items = (struct fsd_span){w->items.n, 1};
    box.cluster = FSD_NONE;
    fsd_vec_push(w->arena, &w->items, item);
    fsd_vec_push(w->arena, &w->boxes, box);
    return w->boxes.n - 1;
}

void fsd_drawing_add_wire(struct fsd_drawing *w, struct fsd_wire wire)
{
    if (wire.from != wire.to && wire.from != FSD_NONE && wire.to != FSD_NONE)
        fsd_vec_push(w->arena, &w->wires, wire);
}

static int order_wires(const void *x, const void *y)
{
    const struct fsd_wire *a = x, *b = y;
    int from = fsd_order(a->from, b->from), to = fsd_order(a->to, b->to);
    int what = fsd_order(a->what, b->what), port = fsd_order(a->to_port, b->to_port);

    return from   ? from
           : to   ? to
           : what ? what
           : port ? port
                  : fsd_order(a->type[0], b->type[0]);
}

void fsd_drawing_sort_wires(struct fsd_drawing *w)
{
    w->wires.n =
        fsd_sort_once(w->wires.at, w->wires.n, sizeof *w->wires.at, order_wires);
}

uint32_t fsd_sort_once(void *at, uint32_t n, size_t size,
                       int (*order)(const void *, const void *))
{
    char *items = at;
    uint32_t kept = 0;

    if (n)
        qsort(at, n, size, order);
    for (uint32_t i = 0; i < n; i++)
        if (!kept || order(items + (kept - 1) * size, items + i * size) != 0)
            memmove(items + kept++ * size, items + i * size, size);
    return kept;
}

uint32_t fsd_drawing_weight(const struct fsd_drawing *w)
{
    return w->boxes.n + w->wires.n + w->ties.n;
}
