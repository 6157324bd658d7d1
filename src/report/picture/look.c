/* Colours and shapes.  Pale fills after Paul Tol's schemes, lines after Okabe and Ito:
 * apart for colour-blind readers too; what a colour says, a word, a dash or a width
 * says as well. */
#include "report/picture/label.h"

#include <string.h>

/* Neighbours in an engine never share a colour. */
static const char *const fills[] = {"#bbccee", "#eeeebb", "#ccddaa",
                                    "#ffcccc", "#cceeff", "#e6d3ee"};
static const char *const lines[] = {"#4a6fa5", "#99992e", "#6b8e3a",
                                    "#b05c5c", "#2e86a8", "#83609c"};

const char *fsd_cluster_fill(unsigned tint)
{
    return tint ? fills[(tint - 1) % FSD_COUNT_OF(fills)] : "#f7f7f7";
}

const char *fsd_cluster_line(unsigned tint)
{
    return tint ? lines[(tint - 1) % FSD_COUNT_OF(lines)] : "#777777";
}

const char *fsd_type_color(enum fsd_dtype type)
{
    static const char *const by_rank[] = {"#777777", "#882255", "#cc3399",
                                          "#009e73", "#0072b2", "#0072b2"};

    return type == FSD_DTYPE_UNKNOWN ? "#aaaaaa" : by_rank[fsd_dtype_rank(type)];
}

const char *fsd_type_width(enum fsd_dtype type)
{
    static const char *const by_rank[] = {"1", "1.2", "1.2", "1.7", "2.4", "2.8"};

    return by_rank[fsd_dtype_rank(type)];
}

static bool all_vanished(const struct fsd_drawing *w, const struct fsd_box *box)
{
    for (uint32_t i = 0; i < box->items.n; i++)
        if (!fsd_node_vanished(w->d, w->items.at[box->items.at + i]))
            return false;
    return true;
}

static bool all_inserted(const struct fsd_drawing *w, const struct fsd_box *box)
{
    for (uint32_t i = 0; i < box->items.n; i++)
        if (!w->d->layers[w->items.at[box->items.at + i]].inserted)
            return false;
    return true;
}

static struct fsd_look model_look(const struct fsd_drawing *w,
                                  const struct fsd_box *box)
{
    unsigned tint;

    if (all_vanished(w, box))
        return (struct fsd_look){"box", "rounded,filled,dashed", "#f4f4f4", "#999999",
                                 "1"};
    if (box->cluster == FSD_NONE)
        return (struct fsd_look){"box", "rounded,filled,bold", "#ffffff", "#cc0000",
                                 "2"};
    tint = w->boxes.at[box->cluster].tint;
    return (struct fsd_look){"box", "rounded,filled", fsd_cluster_fill(tint),
                             fsd_cluster_line(tint), "1"};
}

struct fsd_look fsd_box_look(const struct fsd_drawing *w, const struct fsd_box *box)
{
    if (box->kind != FSD_BOX_ITEMS)
        return (struct fsd_look){"oval", "filled", "#ffffff", "#555555", "1"};
    if (box->side == FSD_SIDE_MODEL)
        return model_look(w, box);
    if (all_inserted(w, box))
        return (struct fsd_look){"box", "filled,bold", "#fff1e0", "#d55e00", "2.5"};
    return (struct fsd_look){"box", "filled", fsd_cluster_fill(box->tint),
                             fsd_cluster_line(box->tint), "1.5"};
}

static enum fsd_dtype type_at(const struct fsd_graph *g, fsd_id port, fsd_id tensor)
{
    return port == FSD_NONE ? fsd_tensor_form(g, tensor)->type
                            : fsd_port_form(g, &g->ports.at[port])->type;
}

void fsd_wire_types(const struct fsd_drawing *w, const struct fsd_wire *wire,
                    enum fsd_dtype *from, enum fsd_dtype *to)
{
    const struct fsd_graph *g =
        w->boxes.at[wire->from].side == FSD_SIDE_MODEL ? w->d->model : w->d->engine;

    *from = type_at(g, wire->from_port, wire->tensor);
    *to = type_at(g, wire->to_port, wire->tensor);
    if (wire->from_port == FSD_NONE)
        *from = *to;
    if (wire->to_port == FSD_NONE)
        *to = *from;
}
