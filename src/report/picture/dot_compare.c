/*
 * The drawing of a comparison as a graph of cgraph's.
 *
 *     digraph  >  cluster_old  >  o12, om3, oi0, ot0      groups, moves, inputs,
 * outputs >  cluster_new  >  n12, nm3, ...
 *
 * A tie keeps groups that share nodes in one rank, so that the builds can be read side
 * by side.
 */
#include "report/picture/dot_compare.h"
#include "report/picture/compare_label.h"
#include "report/picture/dot_attr.h"
#include "report/picture/dot_graph.h"

#include <string.h>

enum { MANY_WIRES = 200 };

enum node_attr {
    N_LABEL,
    N_TOOLTIP,
    N_SHAPE,
    N_STYLE,
    N_FILL,
    N_COLOR,
    N_WIDTH,
    N__COUNT
};
enum edge_attr {
    E_LABEL,
    E_ID,
    E_COLOR,
    E_STYLE,
    E_WIDTH,
    E_ARROW,
    E_MINLEN,
    E_WEIGHT,
    E__COUNT
};
enum cluster_attr { C_LABEL, C_ID, C_STYLE, C_FILL, C_COLOR, C__COUNT };

struct maker {
    const struct fsd_compare_drawing *w;
    bool wire_labels;
    Agraph_t *root, *sides[2];
    Agsym_t *node[N__COUNT], *edge[E__COUNT], *cluster[C__COUNT];
    Agnode_t **marks; /* by mark */
    bool *told;       /* by region: a mark says what happened */
    struct fsd_dot_text text;
};

static void declare_all(struct maker *m)
{
    static const char *const node[] = {
        "label", "\\N",     "tooltip",        "",          "shape",
        "box",   "style",   "rounded,filled", "fillcolor", "#ffffff",
        "color", "#999999", "penwidth",       "1"};
    static const char *const edge[] = {
        "label",    "",  "id",        "\\T_\\H", "color",  "#777777", "style",  "",
        "penwidth", "1", "arrowhead", "normal",  "minlen", "1",       "weight", "1"};
    static const char *const cluster[] = {
        "label", "", "id", "", "style", "", "fillcolor", "#ffffff", "color", "#bbbbbb"};

    fsd_dot_declare(m->root, AGNODE, node, m->node, N__COUNT);
    fsd_dot_declare(m->root, AGEDGE, edge, m->edge, E__COUNT);
    fsd_dot_declare(m->root, AGRAPH, cluster, m->cluster, C__COUNT);
    agattr(m->root, AGNODE, fsd_dot_str("id"), fsd_dot_str("\\N"));
}

/* ------------------------------------------------------------------------ marks */

static void mark_name(const struct fsd_mark *mark, char out[32])
{
    static const char *const kinds[] = {"", "m", "i", "t"};

    snprintf(out, 32, "%c%s%u", mark->new ? 'n' : 'o', kinds[mark->kind], mark->id);
}

/* The new build's first group of a region says what happened; of a region that it does
 * not have, the old one's. */
static bool tells(struct maker *m, const struct fsd_mark *mark)
{
    if (mark->kind != FSD_MARK_GROUP || m->told[mark->region])
        return false;
    if (!mark->new && m->w->c->regions.at[mark->region].new_groups.n)
        return false;
    return m->told[mark->region] = true;
}

static void add_mark(struct maker *m, fsd_id id)
{
    const struct fsd_mark *mark = &m->w->marks.at[id];
    struct fsd_look look = fsd_mark_look(m->w, mark);
    char name[32];
    Agnode_t *node;

    mark_name(mark, name);
    m->marks[id] = node = agnode(m->sides[mark->new], name, 1);
    fsd_dot_set(node, m->node[N_SHAPE], look.shape);
    fsd_dot_set(node, m->node[N_STYLE], look.style);
    fsd_dot_set(node, m->node[N_FILL], look.fill);
    fsd_dot_set(node, m->node[N_COLOR], look.line);
    fsd_dot_set(node, m->node[N_WIDTH], look.width);
    fsd_put_mark_label(m->w, mark, tells(m, mark), fsd_dot_text_begin(&m->text));
    fsd_dot_text_set(&m->text, m->root, node, m->node[N_LABEL], true);
    fsd_put_mark_tip(m->w, mark, fsd_dot_text_begin(&m->text));
    fsd_dot_text_set(&m->text, m->root, node, m->node[N_TOOLTIP], false);
}

/* ---------------------------------------------------------------- wires and ties */

static void add_wire(struct maker *m, const struct fsd_mark_wire *wire)
{
    Agedge_t *edge = agedge(m->root, m->marks[wire->from], m->marks[wire->to], NULL, 1);
    enum fsd_dtype type = (enum fsd_dtype)wire->form.type;

    fsd_dot_set(edge, m->edge[E_COLOR], fsd_type_color(type));
    fsd_dot_set(edge, m->edge[E_WIDTH], fsd_type_width(type));
    fsd_dot_set(edge, m->edge[E_WEIGHT], "2");
    if (!m->wire_labels)
        return;
    fsd_put_mark_wire_label(m->w, wire, fsd_dot_text_begin(&m->text));
    fsd_dot_text_set(&m->text, m->root, edge, m->edge[E_LABEL], false);
}

static void add_tie(struct maker *m, const struct fsd_mark_tie *tie)
{
    const struct fsd_region_diff *r = &m->w->c->regions.at[tie->region];
    Agedge_t *edge = agedge(m->root, m->marks[tie->old], m->marks[tie->new], NULL, 1);

    fsd_dot_set(edge, m->edge[E_COLOR], fsd_region_look(r).line);
    fsd_dot_set(edge, m->edge[E_STYLE], r->differs ? "bold" : "dotted");
    fsd_dot_set(edge, m->edge[E_ARROW], "none");
    fsd_dot_set(edge, m->edge[E_MINLEN], "0");
    fsd_dot_set(edge, m->edge[E_WEIGHT], "3");
}

/* -------------------------------------------------------------------------- all */

static void add_sides(struct maker *m)
{
    static const char *const names[] = {"cluster_old", "cluster_new"};
    static const char *const labels[] = {"old build", "new build"};
    static const char *const anchors[] = {"old", "new"};
    Agnode_t *ends[2];

    for (int side = 0; side < 2; side++) {
        m->sides[side] = agsubg(m->root, fsd_dot_str(names[side]), 1);
        fsd_dot_set(m->sides[side], m->cluster[C_LABEL], labels[side]);
        fsd_dot_set(m->sides[side], m->cluster[C_STYLE], "rounded,filled");
        fsd_dot_set(m->sides[side], m->cluster[C_FILL], "#fcfcfc");
        fsd_dot_set(m->sides[side], m->cluster[C_ID], side ? "side_new" : "side_old");
    }
    fsd_dot_side_by_side(m->root, m->sides, anchors, ends);
}

static void fill(struct maker *m)
{
    const struct fsd_compare_drawing *w = m->w;

    fsd_dot_defaults(m->root, m->wire_labels);
    declare_all(m);
    fsd_put_compare_legend(w, fsd_dot_text_begin(&m->text));
    fsd_dot_text_set(&m->text, m->root, m->root, m->cluster[C_LABEL], true);
    add_sides(m);
    for (fsd_id i = 0; i < w->marks.n; i++)
        add_mark(m, i);
    for (uint32_t i = 0; i < w->wires.n; i++)
        add_wire(m, &w->wires.at[i]);
    for (uint32_t i = 0; i < w->ties.n; i++)
        add_tie(m, &w->ties.at[i]);
}

static Agraph_t *new_graph(const struct fsd_compare_drawing *w, bool wire_labels)
{
    struct maker m = {.w = w, .wire_labels = wire_labels};

    m.root = fsd_dot_open(w->arena);
    m.marks = FSD_NEW(w->arena, Agnode_t *, w->marks.n);
    m.told = FSD_NEW(w->arena, bool, w->c->regions.n);
    if (m.root && fsd_dot_text_open(&m.text))
        fill(&m);
    fsd_dot_text_close(&m.text);
    return m.root;
}

void fsd_compare_dot_write(const struct fsd_compare_drawing *w, FILE *out)
{
    Agraph_t *g = new_graph(w, true);

    if (!g)
        return;
    agwrite(g, out);
    fsd_dot_close(g);
}

bool fsd_compare_dot_layout(const struct fsd_compare_drawing *w, const char *format,
                            FILE *out)
{
    return fsd_dot_render(new_graph(w, w->wires.n <= MANY_WIRES), format, out);
}
