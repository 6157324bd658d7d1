/* What is inside a layer: its nodes by name scope and by operator.  A layer of a
 * region, of which it is not known who computes what, shows the nodes of the region. */
#include "base/id.h"
#include "base/print.h"
#include "cost/cost.h"
#include "cost/scope.h"
#include "report/view/view.h"
#include "report/text/phrase.h"

#include <stdlib.h>

enum { SHOWN = 40 };

struct members {
    fsd_id_vec nodes;
    bool of_region;
};

struct group {
    fsd_sym name;
    uint32_t nodes, first;
    double ms;
};
typedef FSD_VEC(struct group) group_vec;

static struct members members_of(struct fsd_arena *arena, const struct fsd_diff *d,
                                 fsd_id layer)
{
    struct members m = {0};
    fsd_id region = d->match->region_of_layer[layer];

    for (uint32_t i = 0; i < d->match->of_layer[layer].n; i++)
        fsd_vec_push(arena, &m.nodes, fsd_match_of_layer(d->match, layer, i)->node);
    if (m.nodes.n || region == FSD_NONE)
        return m;
    m.of_region = true;
    for (uint32_t i = 0; i < d->match->regions.at[region].nodes.n; i++)
        fsd_vec_push(arena, &m.nodes,
                     d->match->pool.at[d->match->regions.at[region].nodes.at + i]);
    return m;
}

static int by_name(const void *a, const void *b)
{
    const struct group *x = a, *y = b;

    return x->name != y->name ? fsd_order(x->name, y->name)
                              : fsd_order(x->first, y->first);
}

static int by_first(const void *a, const void *b)
{
    const struct group *x = a, *y = b;

    return fsd_order(x->first, y->first);
}

/* One group a name, in the order of their first nodes. */
static group_vec grouped(struct fsd_arena *arena, const struct fsd_diff *d,
                         const struct members *m, const fsd_sym *scope_of)
{
    group_vec all = {0}, out = {0};

    for (uint32_t i = 0; i < m->nodes.n; i++) {
        fsd_id node = m->nodes.at[i];
        struct group one = {scope_of ? scope_of[node] : d->model->nodes.at[node].op, 1,
                            i, d->cost->nodes[node].ms};

        fsd_vec_push(arena, &all, one);
    }
    if (all.n)
        qsort(all.at, all.n, sizeof *all.at, by_name);
    for (uint32_t i = 0; i < all.n; i++) {
        struct group *last = out.n ? &out.at[out.n - 1] : NULL;

        if (!last || last->name != all.at[i].name) {
            fsd_vec_push(arena, &out, all.at[i]);
            continue;
        }
        last->nodes++;
        if (all.at[i].ms > 0)
            last->ms = (last->ms > 0 ? last->ms : 0) + all.at[i].ms;
    }
    if (out.n)
        qsort(out.at, out.n, sizeof *out.at, by_first);
    return out;
}

/* ------------------------------------------------------------------------- rows */

enum { GROUP_NAME, GROUP_CALLED, GROUP_NODES, GROUP_MS };

static const struct fsd_column group_columns[] = {
    [GROUP_NAME] = {"name", NULL, FSD_CELL_NAME},
    [GROUP_CALLED] = {"called", NULL, FSD_CELL_NAME, true},
    [GROUP_NODES] = {"nodes", NULL, FSD_CELL_COUNT},
    [GROUP_MS] = {"ms", NULL, FSD_CELL_MS},
};

static struct fsd_cell group_rows(struct fsd_arena *arena, const group_vec *groups,
                                  const struct fsd_intern *names)
{
    struct fsd_rows rows = FSD_ROWS(group_columns, "  {nodes:6}  {called}<  {ms!}>\n");

    for (uint32_t i = 0; i < groups->n; i++) {
        const struct group *g = &groups->at[i];
        struct fsd_cell *row = fsd_rows_add(arena, &rows);

        row[GROUP_NAME] = fsd_cell_text(fsd_text(names, g->name));
        row[GROUP_CALLED] = g->name ? row[GROUP_NAME] : fsd_cell_text("(no scope)");
        row[GROUP_NODES] = fsd_cell_count(g->nodes);
        row[GROUP_MS] = fsd_cell_ms(g->ms);
    }
    return fsd_cell_rows(arena, &rows, UINT32_MAX);
}

enum { NODE_INDEX, NODE_CALLED, NODE_OP, NODE_SCOPE, NODE_FATE, NODE_MS };

static const struct fsd_column node_columns[] = {
    [NODE_INDEX] = {"index", "node", FSD_CELL_COUNT},
    [NODE_CALLED] = {"called", "node's name", FSD_CELL_NAME},
    [NODE_OP] = {"op", "op", FSD_CELL_NAME},
    [NODE_SCOPE] = {"scope", "scope", FSD_CELL_NAME},
    [NODE_FATE] = {"fate", "fate", FSD_CELL_TEXT},
    [NODE_MS] = {"ms", "node's ms", FSD_CELL_MS},
};

static struct fsd_rows node_rows(struct fsd_arena *arena, const struct fsd_diff *d,
                                 const struct fsd_scopes *scopes,
                                 const struct members *m)
{
    struct fsd_rows rows =
        FSD_ROWS(node_columns, "  {index:6}  {called:.64}  {op}<  {fate}>\n");

    for (uint32_t i = 0; i < m->nodes.n; i++) {
        fsd_id node = m->nodes.at[i];
        const struct fsd_node_result *r = &d->nodes[node];
        struct fsd_cell *row = fsd_rows_add(arena, &rows);

        row[NODE_INDEX] = fsd_cell_count(node);
        row[NODE_CALLED] = fsd_cell_phrase(arena, d, node, fsd_put_node_name);
        row[NODE_OP] = fsd_cell_sym(d, d->model->nodes.at[node].op);
        row[NODE_SCOPE] = fsd_cell_text(fsd_text(scopes->names, scopes->of[node]));
        if (r->fate != FSD_FATE_LAYER)
            row[NODE_FATE] = fsd_cell_text(fsd_fate_name(r->fate));
        row[NODE_MS] = fsd_cell_ms(d->cost->nodes[node].ms);
    }
    return rows;
}

enum {
    INDEX,
    NAME,
    CALLED,
    KIND,
    SORT,
    PRECISION,
    MS,
    GAP,
    BYTES,
    BIAS,
    MACS,
    PER_BYTE,
    BOUND,
    ROOF,
    REACHED,
    OF_REGION,
    NODE_COUNT,
    NODES,
    BY_OPERATOR,
    BY_SCOPE,
    TOLD,
    UNTOLD,
    MEMBERS
};

static const struct fsd_column layer_columns[] = {
    [INDEX] = {"index", "layer", FSD_CELL_COUNT},
    [NAME] = {"name", NULL, FSD_CELL_NAME},
    [CALLED] = {"called", "name", FSD_CELL_NAME, true, true},
    [KIND] = {"kind", "kind", FSD_CELL_TEXT},
    [SORT] = {"sort", NULL, FSD_CELL_NAME, true},
    [PRECISION] = {"precision", "precision", FSD_CELL_TYPE, true},
    [MS] = {"ms", "ms", FSD_CELL_MS},
    [GAP] = {"gap", NULL, FSD_CELL_NAME, true},
    [BYTES] = {"bytes", "bytes", FSD_CELL_BYTES},
    [BIAS] = {"bias", NULL, FSD_CELL_BYTES, true},
    [MACS] = {"macs", "multiply-adds", FSD_CELL_MACS},
    [PER_BYTE] = {"per_byte", NULL, FSD_CELL_NUMBER, true},
    [BOUND] = {"bound", NULL, FSD_CELL_TEXT, true},
    [ROOF] = {"roof", NULL, FSD_CELL_MS, true},
    [REACHED] = {"reached", NULL, FSD_CELL_SHARE, true},
    [OF_REGION] = {"of_region", "of a region", FSD_CELL_FLAG},
    [NODE_COUNT] = {"n", NULL, FSD_CELL_COUNT, true},
    [NODES] = {"nodes", NULL, FSD_CELL_IDS},
    [BY_OPERATOR] = {"by_operator", NULL, FSD_CELL_ROWS, FSD_INSIDE(group_columns)},
    [BY_SCOPE] = {"by_scope", NULL, FSD_CELL_ROWS, FSD_INSIDE(group_columns)},
    [TOLD] = {"told", NULL, FSD_CELL_ROWS, true, FSD_INSIDE(node_columns)},
    [UNTOLD] = {"untold", NULL, FSD_CELL_COUNT, true},
    [MEMBERS] = {"members", "nodes", FSD_CELL_ROWS, true, FSD_INSIDE(node_columns)},
};

static const char layer_text[] =
    "layer {index} {called:.88}\n"
    "  {sort}<, runs in {precision!}><, {ms}>"
    "<, bytes unknown for want of the shape of {gap}>"
    "<, {bytes}< and a bias of {bias!}>><, {macs!} multiply-adds>"
    "<, {per_byte!:0.1} for each byte>"
    "<\n  {bound} takes the time: at the peaks {roof}<, {reached:0.0} % reached>>\n"
    "  {n|node|nodes}<{of_region!} of its region, whose other layers compute them "
    "too>\n"
    "<  by operator\n{by_operator!}><  by scope\n{by_scope!}>"
    "<  nodes\n{told!}><  and {untold!} more (--all shows them)\n>";

enum { LAYERS };

static const struct fsd_column columns[] = {
    [LAYERS] = {"layers", "Layers and their nodes", FSD_CELL_ROWS,
                FSD_INSIDE(layer_columns)},
};

static void fill_cost(struct fsd_cell *row, const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_layer_cost *r = &d->cost->layers[layer];
    struct fsd_roofline roof = fsd_cost_roofline(d, layer);
    fsd_id gap = fsd_cost_gap(d, layer);

    row[MS] = fsd_cell_ms(fsd_layer_ms(d, layer));
    if (gap != FSD_NONE)
        row[GAP] = fsd_cell_sym(d, d->engine->tensors.at[gap].name);
    row[BYTES] = fsd_cell_amount(d, r->bytes);
    if (r->traffic.bias > 0)
        row[BIAS] = fsd_cell_amount(d, r->traffic.bias);
    row[MACS] = fsd_cell_amount(d, r->macs);
    if (roof.per_byte > 0)
        row[PER_BYTE] = fsd_cell_number(roof.per_byte);
    if (!roof.known || roof.per_byte < 0)
        return;
    row[BOUND] = fsd_cell_text(roof.by_memory ? "memory" : "arithmetic");
    row[ROOF] = fsd_cell_ms(roof.ms);
    row[REACHED] = fsd_cell_ms(roof.reached);
}

static void fill_layer(struct fsd_arena *arena, struct fsd_cell *row,
                       const struct fsd_asked *asked, const struct fsd_scopes *scopes,
                       fsd_id layer)
{
    const struct fsd_diff *d = asked->d;
    struct members m = members_of(arena, d, layer);
    group_vec ops = grouped(arena, d, &m, NULL);
    group_vec by_scope = grouped(arena, d, &m, scopes->of);
    struct fsd_rows nodes = node_rows(arena, d, scopes, &m);
    uint32_t most = asked->all ? UINT32_MAX : SHOWN;

    row[INDEX] = fsd_cell_count(layer);
    row[NAME] = fsd_cell_sym(d, d->engine->nodes.at[layer].name);
    row[CALLED] = fsd_cell_layer_name(d, layer);
    row[KIND] = fsd_cell_text(fsd_kind_name(d->layers[layer].kind));
    row[SORT] = fsd_cell_phrase(arena, d, layer, fsd_put_layer_kind);
    row[PRECISION] = fsd_cell_count(d->layers[layer].precision);
    fill_cost(row, d, layer);
    row[OF_REGION] = fsd_cell_count(m.of_region);
    row[NODE_COUNT] = fsd_cell_count(m.nodes.n);
    row[NODES] = fsd_cell_ids(m.nodes.at, m.nodes.n);
    row[BY_OPERATOR] = group_rows(arena, &ops, d->names);
    row[BY_SCOPE] = group_rows(arena, &by_scope, scopes->names);
    row[TOLD] = fsd_cell_rows(arena, &nodes, most);
    row[UNTOLD] = fsd_cell_count(nodes.at.n > most ? nodes.at.n - most : 0);
    row[MEMBERS] = fsd_cell_rows(arena, &nodes, UINT32_MAX);
}

enum fsd_status fsd_view_inside(struct fsd_sheet *sheet, const struct fsd_asked *asked,
                                struct fsd_error *err)
{
    struct fsd_scopes scopes = fsd_cost_scopes(sheet->arena, asked->d, asked->q->depth);
    struct fsd_rows layers = FSD_ROWS(layer_columns, layer_text);
    fsd_id_vec ids = {0};
    enum fsd_status status =
        fsd_pick_words(sheet->arena, asked, FSD_PICK_LAYERS, &ids, err);

    if (status != FSD_OK)
        return status;
    layers.between = "\n";
    for (uint32_t i = 0; i < ids.n; i++)
        fill_layer(sheet->arena, fsd_rows_add(sheet->arena, &layers), asked, &scopes,
                   ids.at[i]);
    sheet->schema = "fusiondiff-inside/1";
    sheet->root = FSD_ROWS(columns, "{layers}");
    fsd_rows_add(sheet->arena, &sheet->root)[LAYERS] =
        fsd_cell_rows(sheet->arena, &layers, UINT32_MAX);
    return FSD_OK;
}
