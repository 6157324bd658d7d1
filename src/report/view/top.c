/*
 * Lists the most expensive layers or nodes, or groups of them. They are ranked by time.
 * If times are unknown, they are ranked by bytes or multiply-adds, and the text states
 * this. With --rank-by, layers or nodes are ranked by a column of external numbers.
 */
#include "base/base.h"
#include "explain/cost/cost.h"
#include "explain/cost/scope.h"
#include "judge/findings/cite.h"
#include "explain/pattern/pattern.h"
#include "model/graph/graph.h"
#include "report/record/records.h"
#include "report/view/view.h"

enum { SHOWN = 10 };

/* A ranked item: a layer, a node, or several layers or nodes with the same name. */
struct item {
    const char *name;
    fsd_id id;           /* the layer or node, or the first of several */
    uint32_t members;    /* number of layers or nodes in the item */
    double ms;           /* negative: unknown */
    int64_t bytes, macs; /* negative: unknown for all members */
    double weight;       /* the value by which items are ranked; negative: unknown */
};

typedef FSD_VEC(struct item) item_vec;

struct ranking {
    struct fsd_arena *arena;
    const struct fsd_diff *d;
    uint32_t column; /* items are ranked by this column of the external numbers
                        (--values); FSD_NONE: they are not ranked by external numbers */
    item_vec items;
    const char *by;   /* the quantity by which items are ranked */
    const char *unit; /* the unit of the ranking: "ms", "bytes", "multiply-adds", or the
                         name of `column` */
    double total;     /* sum of the items' weights; for times: the profile's total */
    uint32_t unknown; /* number of items whose weight is unknown */
};

/* ------------------------------------------------------------------------ the bases */

static void add_to(struct item *item, double ms, int64_t bytes, int64_t macs)
{
    item->members++;
    if (ms >= 0)
        item->ms = (item->ms < 0 ? 0 : item->ms) + ms;
    if (bytes >= 0)
        item->bytes = (item->bytes < 0 ? 0 : item->bytes) + bytes;
    if (macs >= 0)
        item->macs = (item->macs < 0 ? 0 : item->macs) + macs;
}

static struct item *new_item(struct ranking *r, const char *name, fsd_id id)
{
    struct item item = {name, id, 0, -1, -1, -1, -1};

    fsd_vec_push(r->arena, &r->items, item);
    return &r->items.at[r->items.n - 1];
}

static void by_layers(struct ranking *r)
{
    const struct fsd_diff *d = r->d;

    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        add_to(new_item(r, fsd_text(d->names, d->engine->nodes.at[i].name), i),
               fsd_layer_ms(d, i), d->cost->layers[i].bytes, d->cost->layers[i].macs);
}

static void by_nodes(struct ranking *r)
{
    const struct fsd_diff *d = r->d;

    for (fsd_id i = 0; i < d->model->nodes.n; i++)
        if (d->nodes[i].fate == FSD_FATE_LAYER)
            add_to(new_item(r, fsd_phrase_of(r->arena, d, i, fsd_put_node_name), i),
                   d->cost->nodes[i].ms, -1, d->cost->nodes[i].macs);
}

/* Makes an item for each type or kernel of layers.
 * @param word returns the type or the kernel of a layer */
static void by_word(struct ranking *r,
                    fsd_sym (*word)(const struct fsd_graph *, fsd_id))
{
    const struct fsd_diff *d = r->d;
    uint32_t *item_of =
        FSD_NEW(r->arena, uint32_t, fsd_intern_count(d->names)); /* indexed by symbol:
                                                                    item index + 1; 0:
                                                                    no item yet */

    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        fsd_sym sym = word(d->engine, i);

        if (!item_of[sym]) {
            new_item(r, sym ? fsd_text(d->names, sym) : "(not stated)", i);
            item_of[sym] = r->items.n;
        }
        add_to(&r->items.at[item_of[sym] - 1], fsd_layer_ms(d, i),
               d->cost->layers[i].bytes, d->cost->layers[i].macs);
    }
}

static fsd_sym type_of(const struct fsd_graph *e, fsd_id layer)
{
    return e->nodes.at[layer].op;
}

static fsd_sym tactic_of(const struct fsd_graph *e, fsd_id layer)
{
    return e->layers.at[layer].tactic;
}

static void by_types(struct ranking *r)
{
    by_word(r, type_of);
}

static void by_tactics(struct ranking *r)
{
    by_word(r, tactic_of);
}

static void by_scopes(struct ranking *r)
{
    const struct fsd_diff *d = r->d;
    struct fsd_scopes scopes = fsd_cost_scopes(r->arena, d, 0);
    fsd_module_vec modules = fsd_cost_modules(r->arena, d, &scopes).list;
    int64_t *macs = FSD_NEW(r->arena, int64_t, fsd_intern_count(scopes.names));

    for (fsd_id i = 0; i < d->model->nodes.n; i++)
        if (d->cost->nodes[i].macs > 0 && d->nodes[i].fate == FSD_FATE_LAYER)
            macs[scopes.of[i]] += d->cost->nodes[i].macs;
    FSD_EACH (const struct fsd_module, m, modules) {
        struct item *item = new_item(
            r, m->name ? fsd_text(scopes.names, m->name) : "(no scope)", FSD_NONE);

        add_to(item, m->ms < 0 ? -1 : m->ms + m->reformat_ms, -1, macs[m->name]);
        item->members = m->layers;
    }
}

/* Makes an item for each pattern. A node may belong to several patterns, so the items
 * do not add up to the total. */
static void by_patterns(struct ranking *r)
{
    const struct fsd_diff *d = r->d;
    const struct fsd_blocks *blocks = fsd_blocks_of(r->arena, d);
    uint32_t item_of[FSD__PATTERN_COUNT] = {0}; /* item + 1; 0: none */

    FSD_EACH (const struct fsd_block, b, blocks->list) {
        struct item *item;

        if (!item_of[b->pattern]) {
            new_item(r, fsd_pattern_name((enum fsd_pattern)b->pattern), b->pattern);
            item_of[b->pattern] = r->items.n;
        }
        item = &r->items.at[item_of[b->pattern] - 1];
        FSD_EACH_ID (node, blocks->pool, b->nodes) {
            add_to(item, d->cost->nodes[node].ms, -1, d->cost->nodes[node].macs);
            item->members--; /* add_to() counted a node, but `members` counts blocks */
        }
        item->members++;
    }
}

#define LAYERS "layers"
#define NODES  "nodes"

static const struct basis {
    const char *by, *what; /* by: value of --by; what: the items, "layer types" */
    void (*fill)(struct ranking *r);
    bool single;   /* each item is a single layer */
    bool computed; /* items consist of nodes. Their bytes are unknown, because bytes are
                      known only for whole layers */
} bases[] = {
    {LAYERS, "layers", by_layers, true, false},
    {NODES, "nodes", by_nodes, false, true},
    {"scopes", "scopes", by_scopes, false, true},
    {"patterns", "patterns", by_patterns, false, true},
    {"types", "layer types", by_types, false, false},
    {"tactics", "tactics", by_tactics, false, false},
};

/* ------------------------------------------------------------------------- ranking */

FSD_ORDERED(by_weight, struct item, fsd_falling(x->weight, y->weight),
            fsd_falling((double)x->bytes, (double)y->bytes),
            x->id != y->id ? fsd_order(x->id, y->id) : strcmp(x->name, y->name))

/* The row of a layer or node in the external numbers; FSD_NONE: none. */
static uint32_t row_of(const struct ranking *r, const struct basis *basis, fsd_id id)
{
    const struct fsd_values *v = r->d->values;

    return !v || id == FSD_NONE        ? FSD_NONE
           : basis->single             ? v->of_layer[id]
           : !strcmp(basis->by, NODES) ? v->of_node[id]
                                       : FSD_NONE;
}

/* Returns the weight of a layer or node: the absolute value of its external number.
 * For the cosine between two tensors, it is 1 minus the cosine, so that a tensor with
 * the opposite direction has the greatest weight. -1: the number is unknown. */
static double value_weight(const struct ranking *r, const struct basis *basis,
                           fsd_id id)
{
    const struct fsd_numbers *n = r->d->numbers;
    double number = fsd_number_of(n, row_of(r, basis, id), r->column);

    if (n->of != FSD_NUMBERS_OF_TABLE && r->column == FSD_ERROR_COSINE)
        number = 1 - number; /* the smallest cosine is the worst; by rounding, a
                                cosine may be slightly above 1 */
    return isnan(number) ? -1 : fabs(number);
}

static void rank(struct ranking *r, const struct basis *basis)
{
    bool valued = r->column != FSD_NONE, timed = !valued && r->d->times->profiles;

    r->unit = valued            ? r->d->numbers->columns[r->column]
              : timed           ? "ms"
              : basis->computed ? "multiply-adds"
                                : "bytes";
    FSD_EACH (struct item, item, r->items) {
        item->weight = valued            ? value_weight(r, basis, item->id)
                       : timed           ? item->ms
                       : basis->computed ? (double)item->macs
                                         : (double)item->bytes;
        r->unknown += item->weight < 0;
        r->total += item->weight > 0 ? item->weight : 0;
    }
    if (timed)
        r->total = r->d->times->total; /* the profile also has times that belong to no
                                          layer */
    fsd_vec_sort(&r->items, by_weight);
}

/* --------------------------------------------------------------------------- advice */

/* The most severe finding on each layer, indexed by layer; NULL: none. */
static const struct fsd_finding **gravest(struct fsd_arena *arena,
                                          const struct fsd_diff *d)
{
    const struct fsd_findings *all = d->findings;
    const struct fsd_finding **of =
        FSD_NEW(arena, const struct fsd_finding *, d->engine->nodes.n);

    FSD_EACH (const struct fsd_finding, f, all->list)
        FSD_EACH_OF (subject, all->subjects, f->layers, id) {
            const struct fsd_finding **best = &of[subject];

            if (!*best || f->severity > (*best)->severity)
                *best = f;
        }
    return of;
}

/* ----------------------------------------------------------------------------- rows */

/* clang-format off */
#define ITEM_ROW(has, set, when, t) \
    set(t, COUNT,  rank, i + 1, "rank") \
    when(t, COUNT, layer, layer, id, "layer") \
    when(t, COUNT, node, basis->fill == by_nodes, id, "node") \
    set(t, NAME,   name, item->name, "name") \
    when(t, NAME,  type, layer && d->engine->nodes.at[id].op, \
        fsd_text(d->names, d->engine->nodes.at[id].op), "type") \
    when(t, TEXT,  precision, layer && d->layers[id].precision != FSD_DTYPE_UNKNOWN, \
        fsd_dtype_name(d->layers[id].precision), "runs in") \
    when(t, NAME,  tactic, layer && layer->tactic, fsd_text(d->names, layer->tactic), \
        "kernel") \
    when(t, NAME,  nodes, unnamed, fsd_phrase_of(arena, d, id, fsd_put_nodes_of), \
        "nodes") \
    when(t, COUNT, members, !layer, item->members, "layers") \
    set(t, MS,     ms, item->ms, "ms") \
    set(t, BYTES,  bytes, fsd_amount_cell(d, cost ? cost->bytes : item->bytes), \
        "bytes") \
    set(t, MACS,   macs, fsd_amount_cell(d, cost ? cost->macs : item->macs), \
        "multiply-adds") \
    when(t, SHARE, share, !valued, item->weight / r->total, "share") \
    when(t, SHARE, cumulative_share, !valued, sum / r->total, "sum of shares") \
    when(t, NUMBER, gb_s, layer && item->ms > 0 && item->bytes >= 0, \
        (double)item->bytes / item->ms / 1e6, "GB/s") \
    when(t, NUMBER, top_s, layer && item->ms > 0 && item->macs > 0, \
        2 * (double)item->macs / item->ms / 1e9, "TOP/s") \
    when(t, TEXT,  bound, roof.known, roof.by_memory ? "memory" : "arithmetic", \
        "bound by") \
    when(t, SHARE, roofline_share, roof.known && roof.reached >= 0, roof.reached, \
        "of its roofline") \
    has(t, NAME,   first,  "what to do first", .sentence = true) \
    when(t, TEXT,  spent, no_compute, fsd_spent_name(cost->spent), "class", \
        .about = "the purpose of a layer that does not compute") \
    when(t, TEXT,  words, no_compute, fsd_spent_words(cost->spent), FSD_ASIDE) \
    has(t, NAME,   fix,    FSD_ASIDE) \
    set(t, FACTS,  values, fsd_facts_of_row(arena, d->values, numbers_at), "", \
        .behind = true, .about = "numbers from --values, by column") \
    set(t, TEXT,   numbers, fsd_text_of_row(arena, d->values, numbers_at), FSD_ASIDE) \
    has(t, ROWS,   cites,  NULL, .of = &fsd_cite_record)
FSD_RECORD(item_row, ITEM_ROW)
/* clang-format on */

static const char layer_text[] =
    "{share:6.1} {cumulative_share:6.1}  <{ms:8}  >layer {layer}  <{type}  "
    "><{precision}><  {words}>\n"
    "               {name:.80}\n"
    "               <{nodes:.72}\n               ><{tactic:.72}\n               >"
    "{bytes}<, {macs!} multiply-adds>< at {gb_s:.1} GB/s><, {top_s:.1} TOP/s>"
    "<; bound by {bound}><, {roofline_share:.0} % of its roofline>\n"
    "<               values: {numbers}\n>"
    "<               first: {first}\n><               fix:   {fix}\n>";
static const char group_text[] =
    "{share:6.1} {cumulative_share:6.1}  <{ms:8}  >{members:5}  "
    "{name:.60}<  {bytes}><  {macs!} multiply-adds>\n";

/* Templates of items that have external numbers. The first template is for a node, the
 * second one for a layer. */
static const char *const valued_texts[] = {
    "{rank:4}  {name:.80}<  ({nodes:.40})>\n      {numbers}\n",
    "{rank:4}  layer {layer}<  {type}><  {precision}><  {ms}>\n"
    "      {name:.80}\n<      {nodes:.72}\n>      {numbers}\n",
};

/* clang-format off */
#define SPENT_ROW(has, set, when, t) \
    set(t, TEXT,  spent, fsd_spent_name((enum fsd_spent)i), "class") \
    set(t, COUNT, layers, sum->layers, "layers") \
    set(t, MS,    ms, sum->ms, "ms") \
    when(t, BYTES, bytes, sum->unknown < sum->layers, fsd_amount_cell(d, sum->bytes), \
        "bytes") \
    when(t, SHARE, share, sum->share >= 0, sum->share, "share", \
        .about = "share of all time or, if times are unknown, of all known bytes") \
    set(t, COUNT, unknown, sum->unknown, "of unknown bytes", .about = "number of " \
                                                                      "layers whose " \
                                                                      "bytes are " \
                                                                      "unknown") \
    set(t, TEXT,  words, fsd_spent_words((enum fsd_spent)i), FSD_ASIDE)
FSD_RECORD(spent_row, SPENT_ROW)
/* clang-format on */

static const char spent_text[] =
    "{share:6.1} %  {words}: {layers|layer|layers}"
    "<, {ms}><, {bytes}><; the bytes of {unknown!|layer|layers} "
    "are unknown>\n";

/* clang-format off */
#define ANSWER(has, set, when, t) \
    set(t, TEXT,  by, basis->by, NULL) \
    set(t, TEXT,  unit, r->unit, NULL) \
    set(t, TEXT,  what, basis->what, FSD_ASIDE) \
    set(t, COUNT, shown, rows->at.n, NULL) \
    set(t, COUNT, of, r->items.n, NULL) \
    has(t, MS,    run_ms,              NULL, .about = "time of a whole run") \
    has(t, MS,    total_ms,            NULL, .about = "time of all layers") \
    has(t, SHARE, share,               NULL) \
    has(t, COUNT, not_ranked,          NULL) \
    has(t, MACS,  macs_not_attributed, NULL) \
    has(t, TEXT,  untimed,             FSD_ASIDE) \
    has(t, TEXT,  units,               FSD_ASIDE) \
    has(t, TEXT,  ranked_by,           FSD_ASIDE) \
    has(t, COUNT, unvalued,            FSD_ASIDE) \
    has(t, ROWS,  items,               "Ranked items", .of = &item_row_record) \
    has(t, ROWS,  spent,               "What layers are for", .of = &spent_row_record)
FSD_RECORD(answer, ANSWER)
/* clang-format on */

static const char head[] =
    "<{untimed}, so the ranking and the percentages are by {unit}, not by time: "
    "><ranked by {ranked_by}: >the first {shown} of {of} {what}< take {share:.1} %>< "
    "of {total_ms}><, the time of all layers; a run takes {run_ms}><; {not_ranked!} of "
    "the {what} cannot be ranked: their {units} are unknown><; {unvalued!} of the "
    "{what} have no value><; {macs_not_attributed!} multiply-adds are attributed to no "
    "layer>";

/* Templates, indexed by whether times are known and by whether each item is a single
 * layer. */
static const char *const texts[2][2] = {
    {"\n\n{*}     %    sum      n  name\n{/}{items}<\n{spent!}>",
     "\n\n{*}     %    sum  layer\n{/}{items}<\n{spent!}>"},
    {"\n\n{*}     %    sum        ms      n  name\n{/}{items}<\n{spent!}>",
     "\n\n{*}     %    sum        ms  layer\n{/}{items}<\n{spent!}>"},
};

/* Fills the row of the i-th item.
 * @param sum the weights of this item and the items before it
 * @param about the most severe finding on each layer */
static void fill_item(struct item_row *row, const struct ranking *r,
                      const struct basis *basis, uint32_t i, double sum,
                      const struct fsd_finding *const *about)
{
    struct fsd_arena *arena = r->arena;
    const struct fsd_diff *d = r->d;
    const struct item *item = &r->items.at[i];
    fsd_id id = item->id;
    bool valued = r->column != FSD_NONE;
    uint32_t numbers_at = row_of(r, basis, id);
    const struct fsd_layer *layer = basis->single ? &d->engine->layers.at[id] : NULL;
    const struct fsd_layer_cost *cost = layer ? &d->cost->layers[id] : NULL;
    struct fsd_roofline roof = {0};
    bool no_compute =
        cost && cost->spent != FSD_SPENT_COMPUTE && cost->spent != FSD_SPENT_NOTHING;
    /* The layer's name does not list its nodes: a compiler generated the layer, or it
     * stands for a whole region. */
    bool unnamed = layer && (layer->provider == FSD_PROVIDER_COMPILER ||
                             d->layers[id].kind == FSD_KIND_FOREIGN);

    if (layer)
        roof = fsd_cost_roofline(d, id);
    FSD_FILL(row, ITEM_ROW);
    if (layer && d->flows->of[id].there) {
        row->first = fsd_phrase_of(arena, d, id, fsd_put_remedy);
        row->cites = fsd_cites_of_layer(arena, d, id);
    } else if (layer && about[id]) {
        row->first = about[id]->message;
        row->fix = about[id]->todo;
    }
}

static struct fsd_rows *rows_of(struct ranking *r, const struct basis *basis,
                                uint32_t most, double *sum)
{
    bool valued = r->column != FSD_NONE;
    struct fsd_rows *rows = fsd_rows_new(r->arena, &item_row_record,
                                         valued          ? valued_texts[basis->single]
                                         : basis->single ? layer_text
                                                         : group_text);
    const struct fsd_finding **about = gravest(r->arena, r->d);

    for (uint32_t i = 0; i < r->items.n && i < most && r->items.at[i].weight > 0; i++) {
        *sum += r->items.at[i].weight;
        fill_item(fsd_rows_add(rows), r, basis, i, *sum, about);
    }
    return rows;
}

/* The classes of time with their sums, if the layers belong to more than one class. */
static struct fsd_rows *spent_rows(struct fsd_arena *arena, const struct fsd_diff *d)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &spent_row_record, spent_text);

    for (int i = 0; i < FSD_SPENT_NOTHING; i++) {
        const struct fsd_spent_sum *sum = &d->cost->spent[i];

        if (sum->layers)
            FSD_ADD(rows, spent_row, SPENT_ROW);
    }
    if (rows->at.n < 2)
        rows->at.n = 0;
    return rows;
}

/* Finds the requested column of the external numbers. */
static enum fsd_status find_column(struct ranking *r, const struct basis *basis,
                                   const char *name, struct fsd_error *err)
{
    const struct fsd_numbers *n = r->d->numbers;

    r->column = name && n ? fsd_number_column(n, name) : FSD_NONE;
    if (!name)
        return FSD_OK;
    if (!n)
        return fsd_fail(
            err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
            "--rank-by COLUMN needs a table with this column, passed with --values");
    if (r->column == FSD_NONE)
        return fsd_fail(err, FSD_E_ARG, n->paths[n->paths[1] != NULL], FSD_POS_NONE, 0,
                        "expected a column to rank by, such as '%.80s', found '%.80s'",
                        n->columns[0], name);
    if (!basis->single && strcmp(basis->by, NODES) != 0)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "--rank-by ranks layers or nodes, not %s", basis->by);
    return FSD_OK;
}

static void fill_answer(struct ranking *r, const struct basis *basis,
                        const struct fsd_rows *rows, double sum, struct answer *root)
{
    bool valued = r->column != FSD_NONE, timed = !valued && r->d->times->profiles;

    FSD_FILL(root, ANSWER);
    if (valued) {
        root->ranked_by = r->unit;
        root->unvalued = fsd_count(r->unknown);
    } else {
        root->units = r->unit;
    }
    if (timed)
        root->total_ms = fsd_real_ms(r->total);
    if (timed)
        root->run_ms = fsd_real_ms(r->d->times->run.median);
    else if (!valued)
        root->untimed = "no profile was given";
    if (r->total > 0 && !valued)
        root->share = fsd_real(sum / r->total);
    root->not_ranked = fsd_count(r->unknown);
    if (basis->single && !valued && r->d->cost->unattributed)
        root->macs_not_attributed = fsd_amount_cell(r->d, r->d->cost->unattributed);
    root->items = rows;
    if (!valued && (timed || !basis->computed)) { /* items are ranked by time or by
                                                     bytes, which spent_rows() sums
                                                     up */
        root->spent = spent_rows(r->arena, r->d);
    }
}

enum fsd_status fsd_view_top(struct fsd_sheet *sheet, const struct fsd_request *request)
{
    struct ranking r = {.arena = sheet->arena, .d = request->d};
    const char *by = request->q->by ? request->q->by : LAYERS;
    const struct basis *basis = bases, *end = bases + FSD_COUNT_OF(bases);
    uint32_t most = request->q->top ? request->q->top
                    : request->all  ? UINT32_MAX
                                    : SHOWN;
    bool timed = request->d->times->profiles;
    enum fsd_status status;
    struct fsd_rows *rows;
    double sum = 0;

    while (basis < end && strcmp(basis->by, by) != 0)
        basis++;
    if (basis == end)
        return fsd_fail(request->err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected --by layers, nodes, scopes, patterns, types or "
                        "tactics, found '%.80s'",
                        by);
    status = find_column(&r, basis, request->q->rank_by, request->err);
    if (status != FSD_OK)
        return status;
    basis->fill(&r);
    rank(&r, basis);
    rows = rows_of(&r, basis, most, &sum);
    fill_answer(&r, basis, rows, sum,
                fsd_sheet_begin(sheet, "fusiondiff-top/1", &answer_record, head,
                                r.column != FSD_NONE ? "\n\n{items}"
                                                     : texts[timed][basis->single]));
    return FSD_OK;
}
