/*
 * Adds boxes and lines to a drawing, sorts the lines, and removes duplicates.
 */
#include "report/picture/drawing.h"
#include "base/base.h"

fsd_id fsd_drawing_add_box(struct fsd_drawing *w, struct fsd_box box, fsd_id item)
{
    box.items = (struct fsd_span){w->items.n, 1};
    box.cluster = FSD_NONE;
    fsd_vec_push(w->arena, &w->items, item);
    fsd_vec_push(w->arena, &w->boxes, box);
    return w->boxes.n - 1;
}

void fsd_drawing_add_item(struct fsd_drawing *w, fsd_id item)
{
    fsd_vec_push(w->arena, &w->items, item);
    w->boxes.at[w->boxes.n - 1].items.n++;
}

/* Drops lines from or to boxes that are not drawn (FSD_NONE), so that no caller needs
 * to check. Also drops lines from a box to itself. */
void fsd_drawing_add_line(struct fsd_drawing *w, enum fsd_line_kind kind,
                          struct fsd_line line)
{
    if (line.from != line.to && line.from != FSD_NONE && line.to != FSD_NONE)
        fsd_vec_push(w->arena, &w->lines[kind], line);
}

/* Compares all properties of two lines. Otherwise drawings could differ between
 * machines, because qsort() may put equal lines in any order. */
FSD_ORDERED(order_lines, struct fsd_line, fsd_order(x->rank, y->rank),
            fsd_order(x->from, y->from), fsd_order(x->to, y->to),
            fsd_order(x->what, y->what), fsd_order(x->to_port, y->to_port),
            fsd_order(x->type[0], y->type[0]), fsd_order(x->loose, y->loose))

void fsd_drawing_sort_lines(struct fsd_drawing *w, enum fsd_line_kind kind)
{
    fsd_lines *lines = &w->lines[kind];

    lines->n = fsd_sort_once(lines->at, lines->n, sizeof *lines->at, order_lines);
}

uint32_t fsd_drawing_weight(const struct fsd_drawing *w)
{
    return w->boxes.n + w->lines[FSD_WIRE].n + w->lines[FSD_TIE].n;
}

/* ------------------------------------------------------------------------- ranks */

/* The minimum number of ranks from the first box of a line down to the second;
 * negative: the line does not affect the ranks. */
static int length_of(enum fsd_line_kind kind, const struct fsd_line *line)
{
    return kind != FSD_TIE ? 1 : line->part ? -1 : 0;
}

/* Returns the rank of each box: the length of the longest path to it. In a cycle, the
 * lines that lead back to its first box do not count, because Graphviz reverses one
 * line of each cycle. */
static uint32_t *ranks_of(const struct fsd_drawing *w, struct fsd_arena *arena)
{
    uint32_t *rank = FSD_NEW(arena, uint32_t, w->boxes.n);
    uint32_t *before =
        FSD_NEW(arena, uint32_t, w->boxes.n); /* by box: the number of incoming
                                                 lines that were not yet
                                                 followed */
    uint32_t *start = FSD_NEW(arena, uint32_t, w->boxes.n + 2), n = 0, done = 0;
    struct edge {
        fsd_id to;
        uint32_t length;
    } * edges;
    fsd_id *ready = FSD_NEW(arena, fsd_id, w->boxes.n);

    for (int kind = 0; kind < FSD__LINE_COUNT; kind++)
        n += w->lines[kind].n;
    edges = FSD_NEW(arena, struct edge, n);
    for (int put = 0; put < 2; put++) {
        for (int kind = 0; kind < FSD__LINE_COUNT; kind++)
            FSD_EACH (const struct fsd_line, line, w->lines[kind]) {
                int length = length_of((enum fsd_line_kind)kind, line);

                if (length < 0)
                    continue;
                if (put)
                    edges[start[line->from + 1]++] =
                        (struct edge){line->to, (uint32_t)length};
                else
                    start[line->from + 2]++;
                before[line->to] += !put;
            }
        for (uint32_t b = 2; !put && b < w->boxes.n + 2; b++)
            start[b] += start[b - 1];
    }
    n = 0;
    for (fsd_id b = 0; b < w->boxes.n; b++)
        if (!before[b])
            ready[n++] = b;
    for (fsd_id ring = 0; done < w->boxes.n; done++) {
        fsd_id b;

        while (done == n) { /* if only cycles are left, begin with the first box */
            if (before[ring]) {
                before[ring] = 0;
                ready[n++] = ring;
            }
            ring++;
        }
        b = ready[done];
        for (uint32_t i = start[b]; i < start[b + 1]; i++) {
            fsd_id to = edges[i].to;

            if (!before[to])
                continue; /* the rank of the box `to` is final */
            if (rank[b] + edges[i].length > rank[to])
                rank[to] = rank[b] + edges[i].length;
            if (!--before[to])
                ready[n++] = to;
        }
    }
    return rank;
}

uint64_t fsd_drawing_span(const struct fsd_drawing *w)
{
    FSD_SCRATCH(scratch);
    const uint32_t *rank = ranks_of(w, scratch);
    uint64_t span = 0;

    for (int kind = 0; kind < FSD__LINE_COUNT; kind++)
        for (uint32_t i = 0; i < w->lines[kind].n; i++) {
            uint32_t a = rank[w->lines[kind].at[i].from],
                     b = rank[w->lines[kind].at[i].to];

            span += a > b ? a - b : b - a;
        }
    return span;
}

const struct fsd_picture *fsd_wanted_picture(const struct fsd_style *style)
{
    static const struct fsd_picture everything = {0};

    return style->picture ? style->picture : &everything;
}
