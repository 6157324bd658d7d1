/* Shows the history of nodes or layers, sentence by sentence; for two nodes, also the
 * reason why the builder fused them or did not. explain/diff/explain.c finds the
 * sentences. */
#include "base/base.h"
#include "explain/diff/explain.h"
#include "judge/findings/cite.h"
#include "judge/lint/fusion.h"
#include "judge/lint/splits.h"
#include "model/graph/graph.h"
#include "report/phrase/phrase.h"
#include "report/view/view.h"

/* clang-format off */
#define LINE_ROW(has, set, when, t) \
    set(t, TEXT,  topic, line->topic, "topic") \
    when(t, COUNT, line, line->line, line->line, "line of the log") \
    set(t, NAME,  text, line->text, "text", .sentence = true)
FSD_RECORD(line_row, LINE_ROW)

#define ITEM_ROW(has, set, when, t) \
    set(t, COUNT, index, id, "number") \
    set(t, NAME,  name, fsd_text(d->names, g->nodes.at[id].name), NULL) \
    set(t, NAME,  called, \
        layer ? fsd_layer_name_of(d, id) : fsd_called_node(arena, d, id), "name", \
        .aside = true, .brief = true) \
    set(t, ROWS,  story, story_of(&tale), "story", .of = &line_row_record)
FSD_RECORD(item_row, ITEM_ROW)

#define ANSWER(has, set, when, t) \
    has(t, ROWS,   nodes,  "Nodes", .of = &item_row_record) \
    has(t, ROWS,   layers, "Layers", .of = &item_row_record) \
    has(t, RECORD, pair,   NULL, .of = &item_row_record) \
    has(t, ROWS,   both,   "Both together", .of = &item_row_record, .aside = true)
FSD_RECORD(answer, ANSWER)
/* clang-format on */

static const struct fsd_rows *story_of(const struct fsd_tale *tale)
{
    struct fsd_rows *rows = fsd_rows_new(tale->arena, &line_row_record,
                                         "  {topic:-9}{text}<  (log line {line})>\n");

    FSD_EACH (const struct fsd_line, line, tale->lines)
        FSD_ADD(rows, line_row, LINE_ROW);
    return rows;
}

static void say(struct fsd_tale *tale, const char *topic, const char *text)
{
    fsd_vec_push(tale->arena, &tale->lines,
                 (struct fsd_line){.topic = topic, .text = text});
}

/* A node of a split block. Several layers compute the nodes of a split block. */
struct member {
    fsd_id node;
    uint32_t block;
};

/* All blocks of a run, and the nodes of the split blocks, sorted by node. */
struct split_blocks {
    const struct fsd_blocks *all;
    FSD_VEC(struct member) members;
};

static struct split_blocks split_blocks_of(struct fsd_arena *arena,
                                           const struct fsd_diff *d)
{
    struct split_blocks split = {.all = fsd_blocks_of(arena, d)};

    for (uint32_t i = 0; i < split.all->list.n; i++) {
        const struct fsd_block *b = &split.all->list.at[i];

        for (uint32_t k = 0; b->fused == FSD_FUSED_SPLIT && k < b->nodes.n; k++)
            fsd_vec_push(arena, &split.members,
                         (struct member){split.all->pool.at[b->nodes.at + k], i});
    }
    split.members.n = fsd_sort_once(split.members.at, split.members.n,
                                    sizeof *split.members.at, fsd_by_pair);
    return split;
}

/* The index in `members` of the first entry whose node is `node` or a later node. */
static uint32_t first_member(const struct split_blocks *split, fsd_id node)
{
    uint32_t low = 0, high = split->members.n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): it has some */
        if (split->members.at[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* For each split block that contains all of these nodes, states why it is not one
 * kernel. */
static void say_blocks(struct fsd_tale *tale, const struct fsd_diff *d,
                       const struct split_blocks *split, const fsd_id *nodes,
                       uint32_t n)
{
    const struct fsd_blocks *all = split->all;

    for (uint32_t i = first_member(split, *nodes);
         i < split->members.n && split->members.at[i].node == *nodes; i++) {
        const struct fsd_block *b = &all->list.at[split->members.at[i].block];
        fsd_block_reasons why = {0};
        bool whole = true;

        for (uint32_t k = 1; k < n; k++)
            whole &= fsd_ids_have(&all->pool.at[b->nodes.at], b->nodes.n, nodes[k]);
        if (!whole)
            continue;
        fsd_block_reasons_in(tale->arena, d, all, b, &why);
        say(tale, "block",
            fsd_printed(tale->arena, "the %s of `%s` is not one kernel: %s",
                        fsd_pattern_name((enum fsd_pattern)b->pattern),
                        fsd_called_node(tale->arena, d, b->anchor),
                        fsd_block_reasons_text(tale->arena, &why)));
        say(tale, "runs", fsd_block_stands(tale->arena, d, all, b));
    }
}

/* A data-movement layer: "dtype+layout: fp32 chw -> fp16 chw32, on the edge MaxPool_12
 * -> Conv_22". */
static const char *movement_of(struct fsd_arena *arena, const struct fsd_diff *d,
                               fsd_id layer)
{
    const char *word = fsd_mover_word(d, layer);
    const char *forms = fsd_change_of(arena, d, layer);
    const char *edge =
        d->flows->of[layer].there ? fsd_phrase_of(arena, d, layer, fsd_put_edge) : NULL;

    return fsd_printed(arena, "%s%s%s%s%s%s", *word ? word : "data movement",
                       forms ? ": " : "", forms ? forms : "",
                       edge ? ", on the edge " : "", edge ? edge : "",
                       d->reasons[layer].requested ? "; the model requires this "
                                                     "layer"
                                                   : "");
}

/* States why a data-movement layer exists, and which change of the model removes it. */
static void say_why(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id layer)
{
    struct fsd_arena *arena = tale->arena;
    const char *remedy;
    double ms;

    if (d->cost->layers[layer].spent != FSD_SPENT_MOVEMENT &&
        d->cost->layers[layer].spent != FSD_SPENT_REQUESTED)
        return;
    say(tale, "why", movement_of(arena, d, layer));
    remedy = fsd_phrase_of(arena, d, layer, fsd_put_remedy);
    if (!remedy)
        return;
    if (!fsd_has_remedy(arena, d, layer)) {
        say(tale, "reason", remedy);
        return;
    }
    say(tale, "to do", remedy);
    ms = fsd_layer_ms(d, layer) * fsd_cost_saved(d, layer);
    if (ms > 0)
        say(tale, "gain",
            fsd_printed(
                arena,
                "may save %.4f ms, estimated from the measured time of the layer", ms));
}

/* States which changes of the model split the layer. */
static void say_ways(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_split_way *way;

    for (uint32_t i = 0; (way = fsd_split_way_at(d, layer, i)); i++)
        say(tale, "to split",
            fsd_printed(tale->arena, "%s: in tests, %s; %s", way->way, way->seen,
                        way->also));
}

/* The layer that computes both nodes; FSD_NONE if no layer does. */
static fsd_id layer_of_both(const struct fsd_diff *d, fsd_id one, fsd_id other)
{
    for (uint32_t i = 0; i < d->match->of_node[one].n; i++) {
        fsd_id layer = fsd_match_of_node(d->match, one, i)->layer;

        if (fsd_match_has(d->match, layer, other))
            return layer;
    }
    return FSD_NONE;
}

static void fill_item(struct fsd_arena *arena, struct item_row *row,
                      const struct fsd_diff *d, const struct split_blocks *split,
                      bool layer, fsd_id id)
{
    const struct fsd_graph *g = layer ? d->engine : d->model;
    struct fsd_tale tale = {.arena = arena};

    if (layer) {
        say_why(&tale, d, id);
        fsd_explain_layer(&tale, d, id);
        say_ways(&tale, d, id);
    } else {
        fsd_explain_node(&tale, d, id);
        say_blocks(&tale, d, split, &id, 1);
    }
    FSD_FILL(row, ITEM_ROW);
}

static struct fsd_rows *pair_of(struct fsd_arena *arena, const struct fsd_diff *d,
                                const struct split_blocks *split, fsd_id one,
                                fsd_id other)
{
    const fsd_id nodes[] = {one, other};
    struct fsd_rows *pair =
        fsd_rows_new(arena, &item_row_record, "nodes {called}\n{story}");
    struct item_row *row = fsd_rows_add(pair);
    struct fsd_tale tale = {.arena = arena};
    struct fsd_print called;
    fsd_id layer;

    fsd_put_node_name(d, one, fsd_print_open(&called));
    fputs(" and ", called.out);
    fsd_put_node_name(d, other, called.out);
    row->called = fsd_print_take(&called, arena);
    fsd_explain_pair(&tale, d, one, other);
    say_blocks(&tale, d, split, nodes, 2);
    if ((layer = layer_of_both(d, one, other)) != FSD_NONE)
        say_ways(&tale, d, layer);
    row->story = story_of(&tale);
    return pair;
}

enum fsd_status fsd_view_explain(struct fsd_sheet *sheet,
                                 const struct fsd_request *request)
{
    struct fsd_arena *arena = sheet->arena;
    const struct fsd_diff *d = request->d;
    bool layers = request->q->layers;
    struct split_blocks split = {NULL, {NULL, 0, 0}};
    struct fsd_rows *items = fsd_rows_new(arena, &item_row_record,
                                          layers ? "layer {index} {called}\n{story}"
                                                 : "node {index} {called}\n{story}");
    fsd_id_vec ids = {0};
    enum fsd_status status =
        fsd_pick_words(arena, request, layers ? FSD_PICK_LAYERS : FSD_PICK_NODES, &ids);
    struct answer *root;

    if (status != FSD_OK)
        return status;
    items->between = "\n";
    if (!layers)
        split = split_blocks_of(arena, d);
    for (uint32_t i = 0; i < ids.n; i++)
        fill_item(arena, fsd_rows_add(items), d, &split, layers, ids.at[i]);
    root = fsd_sheet_begin(sheet, "fusiondiff-explain/1", &answer_record, NULL,
                           "<{both}\n><{nodes}><{layers}>");
    *(layers ? &root->layers : &root->nodes) = items;
    if (ids.n == 2 && !layers) {
        root->both = pair_of(arena, d, &split, ids.at[0], ids.at[1]);
        root->pair = root->both->at.at[0];
    }
    return FSD_OK;
}
