/*
 * A drawing as a graph of cgraph's.
 *
 *     digraph  >  cluster_model   >  m0  >  m1, m2, ...  >  cluster_l12  >  n30, n31
 *              >  cluster_engine  >  e0  >  e1, e2, ...                  >  l12
 *
 * Names are made from the numbers of nodes, layers and tensors ("n30", "l12"), never
 * from the model's names, so they are valid and stay the same between runs.  The plain
 * subgraphs m0, e0, ... mean nothing: writing looks every node up in every sibling
 * subgraph, so siblings must be few.
 */
#include "report/picture/dot.h"
#include "report/picture/dot_attr.h"
#include "report/picture/dot_graph.h"
#include "report/picture/label.h"

#include <graphviz/cgraph.h>
#include <string.h>

enum { SIBLINGS = 20, MANY_BOXES = 8000 };

/* Attributes as cgraph wants them: declared once, set by symbol. */
enum node_attr {
    N_LABEL,
    N_TOOLTIP,
    N_ID,
    N_SHAPE,
    N_STYLE,
    N_FILL,
    N_COLOR,
    N_WIDTH,
    N_HEIGHT,
    N__COUNT
};
enum edge_attr {
    E_LABEL,
    E_TOOLTIP,
    E_ID,
    E_COLOR,
    E_STYLE,
    E_WIDTH,
    E_LTAIL,
    E_ARROW,
    E_CONSTRAINT,
    E_MINLEN,
    E_WEIGHT,
    E__COUNT
};
enum cluster_attr { C_LABEL, C_TOOLTIP, C_ID, C_STYLE, C_FILL, C_COLOR, C__COUNT };

struct maker {
    const struct fsd_drawing *w;
    struct fsd_dot_style style;
    bool tips; /* on wires and clusters: no two are alike, which costs cgraph most */
    Agraph_t *root, *sides[FSD__SIDE_COUNT];
    Agraph_t *outer[FSD__SIDE_COUNT], *inner[FSD__SIDE_COUNT]; /* buckets */
    unsigned buckets[FSD__SIDE_COUNT], put[FSD__SIDE_COUNT];
    Agsym_t *node[N__COUNT], *edge[E__COUNT], *cluster[C__COUNT];
    Agnode_t *anchors[FSD__SIDE_COUNT];
    Agnode_t **boxes;    /* by box */
    Agraph_t **clusters; /* by engine box */
    struct fsd_dot_text text;
    uint32_t *members; /* by engine box: model boxes in its cluster */
};

/* ------------------------------------------------------------------- attributes */

/* The first wire's looks are the default: mostly they are those of nearly all. */
static enum fsd_dtype first_type(const struct fsd_drawing *w)
{
    enum fsd_dtype from = FSD_DTYPE_UNKNOWN, to;

    if (w->wires.n)
        fsd_wire_types(w, &w->wires.at[0], &from, &to);
    return from;
}

static void declare_all(struct maker *m)
{
    static const char *const node[] = {
        "label",     "\\N",     "tooltip", "",        "id",
        "\\N",       "shape",   "box",     "style",   "rounded,filled",
        "fillcolor", "#ffffff", "color",   "#555555", "penwidth",
        "1",         "height",  "0.3"};
    enum fsd_dtype type = first_type(m->w);
    const char *const edge[] = {
        "label",      "",        "tooltip",   "",
        "id",         "\\T_\\H", "color",     fsd_type_color(type),
        "style",      "",        "penwidth",  fsd_type_width(type),
        "ltail",      "",        "arrowhead", "normal",
        "constraint", "true",    "minlen",    "1",
        "weight",     "1"};
    static const char *const cluster[] = {"label",     "",        "tooltip", "",
                                          "id",        "",        "style",   "",
                                          "fillcolor", "#ffffff", "color",   "#555555"};

    fsd_dot_declare(m->root, AGNODE, node, m->node, N__COUNT);
    fsd_dot_declare(m->root, AGEDGE, edge, m->edge, E__COUNT);
    fsd_dot_declare(m->root, AGRAPH, cluster, m->cluster, C__COUNT);
}

/* ------------------------------------------------------------------------ boxes */

/* "n30", "l12"; an input's or output's tensor by its number. */
static void box_name(const struct fsd_drawing *w, fsd_id box, char out[32])
{
    static const char *const prefixes[][4] = {{"n", "mi", "mo", "mt"},
                                              {"l", "ei", "eo", "et"}};
    const struct fsd_box *b = &w->boxes.at[box];

    snprintf(out, 32, "%s%u", prefixes[b->side][b->kind], w->items.at[b->items.at]);
}

static Agraph_t *new_bucket(struct maker *m, Agraph_t *parent, enum fsd_side side)
{
    char name[32];

    snprintf(name, sizeof name, "%c%u", side == FSD_SIDE_MODEL ? 'm' : 'e',
             m->buckets[side]++);
    return agsubg(parent, name, 1);
}

/* Where the next cluster or free box of a side goes: two levels of buckets. */
static Agraph_t *bucket(struct maker *m, enum fsd_side side)
{
    unsigned n = m->put[side]++;

    if (n % (SIBLINGS * SIBLINGS) == 0)
        m->outer[side] = new_bucket(m, m->sides[side], side);
    if (n % SIBLINGS == 0)
        m->inner[side] = new_bucket(m, m->outer[side], side);
    return m->inner[side];
}

static void dress_cluster(struct maker *m, fsd_id layer_box, Agraph_t *cluster)
{
    const struct fsd_box *box = &m->w->boxes.at[layer_box];
    fsd_id layer = m->w->items.at[box->items.at];
    char id[32];

    snprintf(id, sizeof id, "of_l%u", layer); /* no escape gives a cluster's name */
    fsd_dot_set(cluster, m->cluster[C_ID], id);
    fsd_dot_set(cluster, m->cluster[C_STYLE], "rounded,filled");
    fsd_dot_set(cluster, m->cluster[C_FILL], fsd_cluster_fill(box->tint));
    fsd_dot_set(cluster, m->cluster[C_COLOR], fsd_cluster_line(box->tint));
    fsd_dot_set(cluster, m->cluster[C_LABEL], "");
    if (!m->tips)
        return;
    fsd_put_box_tip(m->w, box, fsd_dot_text_begin(&m->text));
    fsd_dot_text_set(&m->text, m->root, cluster, m->cluster[C_TOOLTIP], false);
}

static Agraph_t *cluster_of(struct maker *m, fsd_id layer_box)
{
    char name[48];

    if (!m->clusters[layer_box]) {
        snprintf(name, sizeof name, "cluster_l%u",
                 m->w->items.at[m->w->boxes.at[layer_box].items.at]);
        m->clusters[layer_box] = agsubg(bucket(m, FSD_SIDE_MODEL), name, 1);
        dress_cluster(m, layer_box, m->clusters[layer_box]);
    }
    return m->clusters[layer_box];
}

static void dress_box(struct maker *m, fsd_id id, Agnode_t *node)
{
    const struct fsd_box *box = &m->w->boxes.at[id];
    struct fsd_look look = fsd_box_look(m->w, box);
    bool clustered = box->side == FSD_SIDE_MODEL && box->cluster != FSD_NONE &&
                     m->members[box->cluster] > 1 && *look.fill != '\0' &&
                     !strstr(look.style, "dashed");

    fsd_dot_set(node, m->node[N_SHAPE], look.shape);
    fsd_dot_set(node, m->node[N_STYLE], look.style);
    fsd_dot_set(node, m->node[N_FILL], clustered ? "#ffffff" : look.fill);
    fsd_dot_set(node, m->node[N_COLOR], look.line);
    fsd_dot_set(node, m->node[N_WIDTH], look.width);
    fsd_put_box_label(m->w, box, fsd_dot_text_begin(&m->text));
    fsd_dot_text_set(&m->text, m->root, node, m->node[N_LABEL], true);
    fsd_put_box_tip(m->w, box, fsd_dot_text_begin(&m->text));
    fsd_dot_text_set(&m->text, m->root, node, m->node[N_TOOLTIP], false);
}

static void add_box(struct maker *m, fsd_id id)
{
    const struct fsd_box *box = &m->w->boxes.at[id];
    bool clustered = box->cluster != FSD_NONE && m->members[box->cluster] > 1;
    Agraph_t *home = clustered ? cluster_of(m, box->cluster) : bucket(m, box->side);
    char name[32];

    box_name(m->w, id, name);
    m->boxes[id] = agnode(home, name, 1);
    dress_box(m, id, m->boxes[id]);
}

/* ------------------------------------------------------------------------ wires */

static void color_wire(struct maker *m, const struct fsd_wire *wire, Agedge_t *edge)
{
    enum fsd_dtype from, to;
    char color[32];

    fsd_wire_types(m->w, wire, &from, &to);
    snprintf(color, sizeof color,
             strcmp(fsd_type_color(from), fsd_type_color(to)) ? "%s;0.5:%s" : "%s",
             fsd_type_color(from), fsd_type_color(to));
    fsd_dot_set(edge, m->edge[E_COLOR], color);
    fsd_dot_set(edge, m->edge[E_WIDTH], fsd_type_width(from));
}

/* Within a fused layer no tensor is written: what it would be there is in the tooltip.
 */
static bool wants_label(const struct maker *m, const struct fsd_wire *wire)
{
    const struct fsd_box *from = &m->w->boxes.at[wire->from];
    const struct fsd_box *to = &m->w->boxes.at[wire->to];
    enum fsd_dtype a, b;

    if (from->kind != FSD_BOX_ITEMS || to->kind != FSD_BOX_ITEMS)
        return false; /* the tensor's own box says it */
    fsd_wire_types(m->w, wire, &a, &b);
    if (a != b)
        return true;
    return m->style.wire_labels &&
           (!m->tips || from->cluster == FSD_NONE || from->cluster != to->cluster);
}

static void add_wire(struct maker *m, const struct fsd_wire *wire)
{
    Agedge_t *edge = agedge(m->root, m->boxes[wire->from], m->boxes[wire->to], NULL, 1);
    fsd_dot_set(edge, m->edge[E_WEIGHT],
                m->w->boxes.at[wire->from].side == FSD_SIDE_MODEL ? "2" : "1");
    color_wire(m, wire, edge);
    if (wants_label(m, wire)) {
        fsd_put_wire_label(m->w, wire, fsd_dot_text_begin(&m->text));
        fsd_dot_text_set(&m->text, m->root, edge, m->edge[E_LABEL], false);
    }
    if (m->tips) {
        fsd_put_wire_tip(m->w, wire, fsd_dot_text_begin(&m->text));
        fsd_dot_text_set(&m->text, m->root, edge, m->edge[E_TOOLTIP], false);
    }
}

/* From the cluster to its layer, which it keeps beside it. */
static void add_tie(struct maker *m, const struct fsd_tie *tie)
{
    const struct fsd_drawing *w = m->w;
    fsd_id layer = w->items.at[w->boxes.at[tie->engine].items.at];
    Agedge_t *edge =
        agedge(m->root, m->boxes[tie->model], m->boxes[tie->engine], NULL, 1);
    char tail[48];

    fsd_dot_set(edge, m->edge[E_COLOR],
                fsd_cluster_line(w->boxes.at[tie->engine].tint));
    fsd_dot_set(edge, m->edge[E_WIDTH], "2");
    fsd_dot_set(edge, m->edge[E_STYLE],
                tie->region ? "dotted"
                : tie->part ? "dashed"
                            : "bold");
    fsd_dot_set(edge, m->edge[E_ARROW], "none");
    if (tie->part || tie->region)
        fsd_dot_set(edge, m->edge[E_TOOLTIP],
                    tie->region ? "computed by a group of layers, this among them"
                                : "computed in part by this layer");
    if (tie->part) {
        fsd_dot_set(edge, m->edge[E_CONSTRAINT], "false");
    } else {
        fsd_dot_set(edge, m->edge[E_MINLEN], "0");
        fsd_dot_set(edge, m->edge[E_WEIGHT], "3");
    }
    if (!tie->part && m->clusters[tie->engine]) {
        snprintf(tail, sizeof tail, "cluster_l%u", layer);
        fsd_dot_set(edge, m->edge[E_LTAIL], tail);
    }
}

static void add_thread(struct maker *m, const struct fsd_thread *thread)
{
    Agedge_t *edge =
        agedge(m->root, m->boxes[thread->from], m->boxes[thread->to], NULL, 1);

    fsd_dot_set(edge, m->edge[E_COLOR], "#999999");
    fsd_dot_set(edge, m->edge[E_WIDTH], "1.5");
    fsd_dot_set(edge, m->edge[E_STYLE], "dotted");
    fsd_dot_set(edge, m->edge[E_ARROW], "none");
    fsd_dot_set(edge, m->edge[E_TOOLTIP], "what leads there is not shown or not known");
}

/* -------------------------------------------------------------------------- all */

static void add_sides(struct maker *m)
{
    static const char *const names[] = {"cluster_model", "cluster_engine"};
    static const char *const labels[] = {"ONNX model", "engine"};
    static const char *const anchors[] = {"model", "engine"};

    for (int side = 0; side < FSD__SIDE_COUNT; side++) {
        m->sides[side] = agsubg(m->root, fsd_dot_str(names[side]), 1);
        fsd_dot_set(m->sides[side], m->cluster[C_LABEL], labels[side]);
        fsd_dot_set(m->sides[side], m->cluster[C_STYLE], "rounded,filled");
        fsd_dot_set(m->sides[side], m->cluster[C_FILL], "#fcfcfc");
        fsd_dot_set(m->sides[side], m->cluster[C_COLOR], "#bbbbbb");
        fsd_dot_set(m->sides[side], m->cluster[C_ID],
                    side ? "side_engine" : "side_model");
    }
    fsd_dot_side_by_side(m->root, m->sides, anchors, m->anchors);
}

static void add_hidden(struct maker *m, Agnode_t *from, Agnode_t *to,
                       const char *weight)
{
    Agedge_t *edge = agedge(m->root, from, to, NULL, 1);

    fsd_dot_set(edge, m->edge[E_STYLE], "invis");
    fsd_dot_set(edge, m->edge[E_WEIGHT], weight);
}

/* Below the anchors, which would be in the way of the ties in their rank. */
static void hang_heads(struct maker *m)
{
    const struct fsd_drawing *w = m->w;
    bool *led_to = FSD_NEW(w->arena, bool, w->boxes.n);

    for (uint32_t i = 0; i < w->wires.n; i++)
        led_to[w->wires.at[i].to] = true;
    for (uint32_t i = 0; i < w->threads.n; i++)
        led_to[w->threads.at[i].to] = true;
    for (fsd_id b = 0; b < w->boxes.n; b++)
        if (!led_to[b])
            add_hidden(m, m->anchors[w->boxes.at[b].side], m->boxes[b], "0");
}

static void count_members(struct maker *m)
{
    for (fsd_id b = 0; b < m->w->boxes.n; b++)
        if (m->w->boxes.at[b].cluster != FSD_NONE)
            m->members[m->w->boxes.at[b].cluster]++;
}

static void fill(struct maker *m)
{

    fsd_dot_defaults(m->root, m->style.wire_labels);
    declare_all(m);
    fsd_put_legend(m->w, fsd_dot_text_begin(&m->text));
    fsd_dot_text_set(&m->text, m->root, m->root, m->cluster[C_LABEL], true);
    add_sides(m);
    count_members(m);
    for (fsd_id b = 0; b < m->w->boxes.n; b++)
        add_box(m, b);
    for (uint32_t i = 0; i < m->w->wires.n; i++)
        add_wire(m, &m->w->wires.at[i]);
    for (uint32_t i = 0; i < m->w->ties.n; i++)
        add_tie(m, &m->w->ties.at[i]);
    for (uint32_t i = 0; i < m->w->threads.n; i++)
        add_thread(m, &m->w->threads.at[i]);
    for (uint32_t i = 0; i < m->w->holds.n; i++)
        add_hidden(m, m->boxes[m->w->holds.at[i].from], m->boxes[m->w->holds.at[i].to],
                   "0");
    hang_heads(m);
}

struct Agraph_s *fsd_dot_graph(const struct fsd_drawing *w, struct fsd_dot_style style)
{
    struct maker m = {.w = w, .style = style, .tips = w->boxes.n <= MANY_BOXES};

    m.root = fsd_dot_open(w->arena);
    m.boxes = FSD_NEW(w->arena, Agnode_t *, w->boxes.n);
    m.clusters = FSD_NEW(w->arena, Agraph_t *, w->boxes.n);
    m.members = FSD_NEW(w->arena, uint32_t, w->boxes.n);
    if (m.root && fsd_dot_text_open(&m.text))
        fill(&m);
    fsd_dot_text_close(&m.text);
    return m.root;
}

void fsd_dot_write(const struct fsd_drawing *w, FILE *out)
{
    struct fsd_dot_style style = {.wire_labels = true};
    Agraph_t *g = fsd_dot_graph(w, style);

    if (!g)
        return;
    agwrite(g, out);
    fsd_dot_close(g);
}
