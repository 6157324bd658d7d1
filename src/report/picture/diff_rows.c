/*
 * Rows of the engine that are not too wide.  Dot puts all that is equally far from the
 * input side by side: thirty heads of a detector would make a picture of thirty
 * columns, with ties across all of them.  So boxes take their rows in the order of
 * execution, and one whose row is full goes to the next.
 */
#include "report/picture/drawing.h"

enum { WIDEST = 8 };

struct rows {
    struct fsd_drawing *w;
    uint32_t *row;         /* by box: the first that it may be in */
    uint32_t *taken;       /* by row */
    fsd_id *first;         /* by row: its first box */
    uint32_t wire, thread; /* those of earlier boxes are before */
};

static void push_down(struct rows *r, fsd_id to, uint32_t row)
{
    if (r->row[to] < row)
        r->row[to] = row;
}

/* What a box leads to comes below it. */
static void pass_on(struct rows *r, fsd_id from)
{
    const struct fsd_drawing *w = r->w;

    for (; r->wire < w->wires.n && w->wires.at[r->wire].from <= from; r->wire++)
        push_down(r, w->wires.at[r->wire].to, r->row[w->wires.at[r->wire].from] + 1);
    for (; r->thread < w->threads.n && w->threads.at[r->thread].from <= from;
         r->thread++)
        push_down(r, w->threads.at[r->thread].to,
                  r->row[w->threads.at[r->thread].from] + 1);
}

static void place(struct rows *r, fsd_id box)
{
    uint32_t row = r->row[box];

    while (r->taken[row] == WIDEST)
        row++;
    if (row > r->row[box])
        fsd_vec_push(r->w->arena, &r->w->holds,
                     ((struct fsd_thread){r->first[row - 1], box}));
    if (!r->taken[row]++)
        r->first[row] = box;
    r->row[box] = row;
}

void fsd_drawing_hold_rows(struct fsd_drawing *w)
{
    struct rows r = {.w = w,
                     .row = FSD_NEW(w->arena, uint32_t, w->boxes.n),
                     .taken = FSD_NEW(w->arena, uint32_t, w->boxes.n + 1),
                     .first = FSD_NEW(w->arena, fsd_id, w->boxes.n + 1)};

    for (fsd_id b = 0; b < w->boxes.n; b++) {
        if (w->boxes.at[b].side == FSD_SIDE_ENGINE &&
            w->boxes.at[b].kind == FSD_BOX_ITEMS)
            place(&r, b);
        pass_on(&r, b);
    }
}
