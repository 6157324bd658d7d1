/* Shows the contents of a layer: its nodes by name scope and by operator. If only the
 * nodes of a whole region of layers are known, shows the nodes of the region. */
#include "base/base.h"
#include "explain/cost/cost.h"
#include "explain/cost/scope.h"
#include "model/graph/graph.h"
#include "report/record/records.h"
#include "report/view/view.h"

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

    FSD_EACH_OF (node, d->match->links, d->match->of_layer[layer], node)
        fsd_vec_push(arena, &m.nodes, node);
    if (m.nodes.n || region == FSD_NONE)
        return m;
    m.of_region = true;
    FSD_EACH_ID (node, d->match->pool, d->match->regions.at[region].nodes)
        fsd_vec_push(arena, &m.nodes, node);
    return m;
}

FSD_ORDERED(by_name, struct group, fsd_order(x->name, y->name),
            fsd_order(x->first, y->first))

FSD_ORDERED(by_first, struct group, fsd_order(x->first, y->first))

/* Groups the nodes of `m` by scope. If `scope_of` is NULL, groups them by operator. The
 * groups are sorted by their first nodes. */
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
    fsd_vec_sort(&all, by_name);
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
    fsd_vec_sort(&out, by_first);
    return out;
}

/* ------------------------------------------------------------------------- rows */

/* clang-format off */
#define GROUP_ROW(has, set, when, t) \
    set(t, NAME,  name, fsd_text(names, g->name), NULL) \
    set(t, NAME,  called, g->name ? fsd_text(names, g->name) : "(no scope)", \
        FSD_ASIDE) \
    set(t, COUNT, nodes, g->nodes, NULL) \
    set(t, MS,    ms, g->ms, NULL)
FSD_RECORD(group_row, GROUP_ROW)
/* clang-format on */

static const struct fsd_rows *group_rows(struct fsd_arena *arena,
                                         const group_vec *groups,
                                         const struct fsd_intern *names)
{
    struct fsd_rows *rows =
        fsd_rows_new(arena, &group_row_record, "  {nodes:6}  {called}<  {ms!}>\n");

    FSD_EACH (const struct group, g, *groups)
        FSD_ADD(rows, group_row, GROUP_ROW);
    return rows;
}

/* clang-format off */
#define NODE_ROW(has, set, when, t) \
    set(t, COUNT, index, node, "node") \
    set(t, NAME,  called, fsd_called_node(arena, d, node), "node's name") \
    set(t, NAME,  op, fsd_text(d->names, d->model->nodes.at[node].op), "op") \
    set(t, NAME,  scope, fsd_text(scopes->names, scopes->of[node]), "scope") \
    when(t, TEXT,  fate, r->fate != FSD_FATE_LAYER, fsd_fate_name(r->fate), "fate") \
    set(t, MS,    ms, d->cost->nodes[node].ms, "node's ms")
FSD_RECORD(node_row, NODE_ROW)
/* clang-format on */

static struct fsd_rows *node_rows(struct fsd_arena *arena, const struct fsd_diff *d,
                                  const struct fsd_scopes *scopes,
                                  const struct members *m)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &node_row_record,
                                         "  {index:6}  {called:.64}  {op}<  {fate}>\n");

    for (uint32_t i = 0; i < m->nodes.n; i++) {
        fsd_id node = m->nodes.at[i];
        const struct fsd_node_result *r = &d->nodes[node];
        FSD_ADD(rows, node_row, NODE_ROW);
    }
    return rows;
}

/* clang-format off */
#define LAYER_ROW(has, set, when, t) \
    FSD_LAYER_ID(set, t, index, NULL) \
    FSD_LAYER_CALLED(set, t, "name") \
    set(t, TYPE,   precision, d->layers[layer].precision, "precision", .aside = true) \
    set(t, MS,     ms, fsd_layer_ms(d, layer), "ms") \
    set(t, BYTES,  bytes, fsd_amount_cell(d, d->cost->layers[layer].bytes), "bytes") \
    set(t, MACS,   macs, fsd_amount_cell(d, d->cost->layers[layer].macs), \
        "multiply-adds") \
    set(t, FLAG,   opaque, d->layers[layer].opaque, "opaque", .if_true = true, \
        .behind = true, \
        .about = "the engine does not state which kernels compute the layer's nodes") \
    set(t, RECORD, clauses, clauses, FSD_ASIDE, .of = &fsd_layer_record) \
    set(t, FLAG,   of_region, m.of_region, "of a region") \
    set(t, COUNT,  n, m.nodes.n, FSD_ASIDE) \
    set(t, IDS,    nodes, fsd_ids(m.nodes.at, m.nodes.n), NULL) \
    set(t, ROWS,   by_operator, group_rows(arena, &ops, d->names), NULL, \
        .of = &group_row_record) \
    set(t, ROWS,   by_scope, group_rows(arena, &by_scope, scopes->names), NULL, \
        .of = &group_row_record) \
    set(t, ROWS,   listed, fsd_rows_first(nodes, most), FSD_ASIDE, \
        .of = &node_row_record) \
    set(t, COUNT,  unlisted, nodes->at.n > most ? nodes->at.n - most : 0, FSD_ASIDE) \
    set(t, ROWS,   members, nodes, "nodes", .aside = true, .of = &node_row_record)
FSD_RECORD(layer_row, LAYER_ROW)
/* clang-format on */

static const char layer_text[] =
    "layer {index} {called:.88}\n"
    "  {sort}{clauses}\n"
    "  {n|node|nodes}<{of_region!} of the layer's region; other layers of this region "
    "may compute some of these nodes>\n"
    "<  by operator\n{by_operator!}><  by scope\n{by_scope!}>"
    "<  nodes\n{listed!}><  and {unlisted!} more (--all shows them)\n>";

/* clang-format off */
#define ANSWER(has, set, when, t) \
    set(t, ROWS, layers, layers, "Layers and their nodes", .of = &layer_row_record)
FSD_RECORD(answer, ANSWER)
/* clang-format on */

static void fill_layer(struct fsd_arena *arena, struct layer_row *row,
                       const struct fsd_request *request,
                       const struct fsd_scopes *scopes,
                       const struct fsd_run_source *from, fsd_id layer)
{
    const struct fsd_diff *d = request->d;
    struct members m = members_of(arena, d, layer);
    group_vec ops = grouped(arena, d, &m, NULL);
    group_vec by_scope = grouped(arena, d, &m, scopes->of);
    struct fsd_rows *nodes = node_rows(arena, d, scopes, &m);
    uint32_t most = request->all ? UINT32_MAX : SHOWN;
    void *clauses = fsd_record_new(arena, &fsd_layer_record);

    fsd_fill_layer(arena, clauses, from, layer);
    FSD_FILL(row, LAYER_ROW);
}

enum fsd_status fsd_view_inside(struct fsd_sheet *sheet,
                                const struct fsd_request *request)
{
    struct fsd_scopes scopes =
        fsd_cost_scopes(sheet->arena, request->d, request->q->depth);
    const struct fsd_run_source *from = fsd_run_source_of(sheet->arena, request->d);
    struct fsd_rows *layers = fsd_rows_new(sheet->arena, &layer_row_record, layer_text);
    fsd_id_vec ids = {0};
    struct answer *root;
    enum fsd_status status =
        fsd_pick_words(sheet->arena, request, FSD_PICK_LAYERS, &ids);

    if (status != FSD_OK)
        return status;
    layers->between = "\n";
    for (uint32_t i = 0; i < ids.n; i++)
        fill_layer(sheet->arena, fsd_rows_add(layers), request, &scopes, from,
                   ids.at[i]);
    root =
        fsd_sheet_begin(sheet, "fusiondiff-inside/1", &answer_record, NULL, "{layers}");
    FSD_FILL(root, ANSWER);
    return FSD_OK;
}
