/*
 * Adds boxes and lines to a drawing, and sorts lines by everything that distinguishes
 * them, once each.  Sorting is what makes pictures the same bytes on every machine,
 * since qsort() may leave equal lines in any order.  A line to a box that is not shown
 * is dropped here, so that no caller needs to check.
 */
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

/* A line within a box is hidden by it, and one of a box that is not drawn has no end.
 */
void fsd_drawing_add_line(struct fsd_drawing *w, enum fsd_line_kind kind,
                          struct fsd_line line)
{
    if (line.from != line.to && line.from != FSD_NONE && line.to != FSD_NONE)
        fsd_vec_push(w->arena, &w->lines[kind], line);
}

/* By all that tells two lines apart, so that a drawing is the same on every machine:
 * qsort() may put equal ones in any order. */
static int order_lines(const void *x, const void *y)
{
    const struct fsd_line *a = x, *b = y;
    const uint32_t keys[][2] = {{a->rank, b->rank},       {a->from, b->from},
                                {a->to, b->to},           {a->what, b->what},
                                {a->to_port, b->to_port}, {a->type[0], b->type[0]},
                                {a->loose, b->loose}};
    int order = 0;

    for (size_t i = 0; i < FSD_COUNT_OF(keys) && !order; i++)
        order = fsd_order(keys[i][0], keys[i][1]);
    return order;
}

/* One of each that are equal; returns how many are left. */
static uint32_t sort_once(void *at, uint32_t n, size_t size,
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

void fsd_drawing_sort_lines(struct fsd_drawing *w, enum fsd_line_kind kind)
{
    fsd_lines *lines = &w->lines[kind];

    lines->n = sort_once(lines->at, lines->n, sizeof *lines->at, order_lines);
}

uint32_t fsd_drawing_weight(const struct fsd_drawing *w)
{
    return w->boxes.n + w->lines[FSD_WIRE].n + w->lines[FSD_TIE].n;
}
