/*
 * The blocks of a model that users look for in an engine (attention, normalizations,
 * activations, ...): which were fused whole, and of the others what computes them, what
 * stands between, and how they differ from the rest of their kind.
 */
#include "base/print.h"
#include "cost/cost.h"
#include "pattern/pattern.h"
#include "report/view/view.h"

enum { SHOWN = 12, FEW = 8 };

enum {
    PATTERN,
    NODE,
    CALLED,
    SCOPE,
    FUSED,
    TYPE,
    NODES,
    LAYERS,
    BETWEEN,
    MS,
    UNTOLD,
    STANDS,
    UNLIKE
};

static const struct fsd_column block_columns[] = {
    [PATTERN] = {"pattern", "pattern", FSD_CELL_TEXT},
    [NODE] = {"node", "node", FSD_CELL_COUNT},
    [CALLED] = {"called", "ends in", FSD_CELL_NAME},
    [SCOPE] = {"scope", "scope", FSD_CELL_NAME},
    [FUSED] = {"fused", "fused", FSD_CELL_TEXT},
    [TYPE] = {"type", "runs in", FSD_CELL_TYPE},
    [NODES] = {"nodes", NULL, FSD_CELL_IDS},
    [LAYERS] = {"layers", NULL, FSD_CELL_IDS},
    [BETWEEN] = {"between", NULL, FSD_CELL_IDS},
    [MS] = {"ms", "ms", FSD_CELL_MS},
    [UNTOLD] = {"untold", "not known of", FSD_CELL_NAME},
    [STANDS] = {"stands", "computed by", FSD_CELL_NAME, true},
    [UNLIKE] = {"unlike", "unlike the others", FSD_CELL_TEXT},
};

static const char block_text[] =
    "  {+}{fused:-8}{/}<{scope!:.40}  >{called:.80}<  {ms!}>\n"
    "<          {stands:.88}\n><          it is not known what computes {untold:.60}\n>"
    "<          {unlike}\n>";

enum { NAME, COUNT, WHOLE, SPLIT, UNKNOWN, ALL_MS, LISTED, MORE };

static const struct fsd_column kind_columns[] = {
    [NAME] = {"pattern", "pattern", FSD_CELL_TEXT},
    [COUNT] = {"blocks", "blocks", FSD_CELL_COUNT},
    [WHOLE] = {"whole", "whole", FSD_CELL_COUNT},
    [SPLIT] = {"split", "split", FSD_CELL_COUNT},
    [UNKNOWN] = {"unknown", "unknown", FSD_CELL_COUNT},
    [ALL_MS] = {"ms", "ms", FSD_CELL_MS},
    [LISTED] = {"listed", NULL, FSD_CELL_ROWS, true, FSD_INSIDE(block_columns)},
    [MORE] = {"more", NULL, FSD_CELL_COUNT, true},
};

static const char kind_text[] =
    "\n{*}{pattern:-12}{/} {blocks}: {whole} whole<, {split!} split>"
    "<, {unknown!} not known><  {ms!}>\n{listed}"
    "<  and {more!|block|blocks} more of the same kind (--all)\n>";

enum { N, SPLIT_N, UNKNOWN_N, NO_EDGES, PATTERNS, BLOCKS };

static const struct fsd_column columns[] = {
    [N] = {"n", NULL, FSD_CELL_COUNT},
    [SPLIT_N] = {"split", NULL, FSD_CELL_COUNT},
    [UNKNOWN_N] = {"unknown", NULL, FSD_CELL_COUNT},
    [NO_EDGES] = {"no_edges", NULL, FSD_CELL_TEXT, true},
    [PATTERNS] = {"patterns", "Patterns", FSD_CELL_ROWS, FSD_INSIDE(kind_columns)},
    [BLOCKS] = {"blocks", "Blocks", FSD_CELL_ROWS, FSD_INSIDE(block_columns)},
};

static double block_ms(const struct fsd_diff *d, const struct fsd_blocks *all,
                       const struct fsd_block *b)
{
    double ms = -1;

    for (uint32_t i = 0; i < b->nodes.n; i++) {
        double own = d->cost->nodes[all->pool.at[b->nodes.at + i]].ms;

        if (own >= 0)
            ms = (ms < 0 ? 0 : ms) + own;
    }
    return ms;
}

static void put_layers(const struct fsd_diff *d, const struct fsd_blocks *all,
                       struct fsd_span layers, FILE *out)
{
    for (uint32_t i = 0; i < layers.n && i < FEW; i++) {
        fsd_id layer = all->pool.at[layers.at + i];
        const char *type = fsd_text(d->names, d->engine->nodes.at[layer].op);

        fprintf(out, "%s%u %s", i ? ", " : "", layer,
                *type ? type : fsd_kind_name(d->layers[layer].kind));
    }
    if (layers.n > FEW)
        fprintf(out, " and %u more", layers.n - FEW);
}

/* "layers 3 gemm, 5 kgen; between: 4 Reformat" */
static const char *stands(struct fsd_arena *arena, const struct fsd_diff *d,
                          const struct fsd_blocks *all, const struct fsd_block *b)
{
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);

    if (b->layers.n) {
        fputs(b->layers.n == 1 ? "layer " : "layers ", out);
        put_layers(d, all, b->layers, out);
    }
    if (b->between.n) {
        fputs("; between them ", out);
        put_layers(d, all, b->between, out);
    }
    return fsd_print_take(&print, arena);
}

static bool same_fate(const struct fsd_block *a, const struct fsd_block *b)
{
    return a->fused == b->fused && a->layers.n == b->layers.n &&
           a->between.n == b->between.n && a->type == b->type;
}

/* How most blocks of a pattern came out, if more than half and three did alike. */
struct usual {
    const struct fsd_block *like;
    uint32_t n;
};

static struct usual usual_of(const struct fsd_blocks *all, enum fsd_pattern pattern)
{
    struct usual vote = {NULL, 0}, most;
    uint32_t n = 0;

    for (uint32_t i = 0; i < all->list.n; i++) {
        const struct fsd_block *b = &all->list.at[i];

        if (b->pattern != pattern)
            continue;
        n++;
        if (!vote.n)
            vote.like = b;
        vote.n += same_fate(b, vote.like) ? 1 : -1u;
    }
    most = (struct usual){vote.like, 0};
    for (uint32_t i = 0; i < all->list.n; i++)
        most.n += all->list.at[i].pattern == pattern &&
                  same_fate(&all->list.at[i], vote.like);
    if (most.n < 3 || 2 * most.n <= n)
        most.like = NULL;
    return most;
}

static const char *unlike(struct fsd_arena *arena, const struct fsd_block *b,
                          const struct usual *usual)
{
    const struct fsd_block *o = usual->like;

    if (!o || b->fused == FSD_FUSED_WHOLE || same_fate(b, o))
        return NULL; /* what is whole is as it should be */
    if (b->fused != o->fused || b->layers.n != o->layers.n)
        return fsd_printed(arena, "the other %u are %s, of %u %s", usual->n,
                           fsd_fused_name((enum fsd_fused)o->fused), o->layers.n,
                           o->layers.n == 1 ? "layer" : "layers");
    if (b->between.n != o->between.n)
        return fsd_printed(arena, "the other %u have %u layers between", usual->n,
                           o->between.n);
    return fsd_printed(arena, "the other %u run in %s", usual->n,
                       o->type ? fsd_dtype_name(o->type) : "several types");
}

static struct fsd_cell *add_block(struct fsd_arena *arena, struct fsd_rows *rows,
                                  const struct fsd_diff *d,
                                  const struct fsd_blocks *all,
                                  const struct fsd_block *b, const struct usual *usual)
{
    struct fsd_cell *row = fsd_rows_add(arena, rows);
    const char *where = stands(arena, d, all, b);
    const char *different = unlike(arena, b, usual);

    row[PATTERN] = fsd_cell_text(fsd_pattern_name((enum fsd_pattern)b->pattern));
    row[NODE] = fsd_cell_count(b->anchor);
    row[CALLED] = fsd_cell_phrase(arena, d, b->anchor, fsd_put_node_name);
    row[SCOPE] = fsd_cell_sym(d, d->model->nodes.at[b->anchor].module);
    row[FUSED] = fsd_cell_text(fsd_fused_name((enum fsd_fused)b->fused));
    if (b->type)
        row[TYPE] = fsd_cell_count(b->type);
    row[NODES] = fsd_cell_ids(&all->pool.at[b->nodes.at], b->nodes.n);
    row[LAYERS] = fsd_cell_ids(&all->pool.at[b->layers.at], b->layers.n);
    row[BETWEEN] = fsd_cell_ids(&all->pool.at[b->between.at], b->between.n);
    row[MS] = fsd_cell_ms(block_ms(d, all, b));
    if (b->unknown != FSD_NONE)
        row[UNTOLD] = fsd_cell_phrase(arena, d, b->unknown, fsd_put_node_name);
    if (*where)
        row[STANDS] = fsd_cell_text(where);
    row[UNLIKE] = fsd_cell_text(different);
    return row;
}

static void add_kind(struct fsd_arena *arena, struct fsd_rows *kinds,
                     struct fsd_rows *blocks, const struct fsd_asked *asked,
                     const struct fsd_blocks *all, enum fsd_pattern pattern)
{
    struct usual usual = usual_of(all, pattern);
    struct fsd_rows listed = FSD_ROWS(block_columns, block_text);
    const struct fsd_block *shown[SHOWN];
    uint32_t by[3] = {0}, n = 0, more = 0, n_shown = 0;
    double ms = -1;
    struct fsd_cell *row;

    for (uint32_t i = 0; i < all->list.n; i++) {
        const struct fsd_block *b = &all->list.at[i];
        double own = block_ms(asked->d, all, b);
        bool new = b->fused != FSD_FUSED_WHOLE &&n_shown < SHOWN;

        if (b->pattern != pattern)
            continue;
        row = add_block(arena, blocks, asked->d, all, b, &usual);
        n++;
        by[b->fused]++;
        if (own >= 0)
            ms = (ms < 0 ? 0 : ms) + own;
        /* Of those that came out alike the first stands for all. */
        for (uint32_t k = 0; k < n_shown && new; k++)
            new = !same_fate(b, shown[k]);
        if (new)
            shown[n_shown++] = b;
        if (new || asked->all)
            fsd_vec_push(arena, &listed.at, row);
        else
            more += b->fused != FSD_FUSED_WHOLE;
    }
    if (!n)
        return;
    row = fsd_rows_add(arena, kinds);
    row[NAME] = fsd_cell_text(fsd_pattern_name(pattern));
    row[COUNT] = fsd_cell_count(n);
    row[WHOLE] = fsd_cell_count(by[FSD_FUSED_WHOLE]);
    row[SPLIT] = fsd_cell_count(by[FSD_FUSED_SPLIT]);
    row[UNKNOWN] = fsd_cell_count(by[FSD_FUSED_UNKNOWN]);
    row[ALL_MS] = fsd_cell_ms(ms);
    row[LISTED] = fsd_cell_rows(arena, &listed, UINT32_MAX);
    row[MORE] = fsd_cell_count(more);
}

enum fsd_status fsd_view_patterns(struct fsd_sheet *sheet,
                                  const struct fsd_asked *asked, struct fsd_error *err)
{
    struct fsd_arena *arena = sheet->arena;
    const struct fsd_blocks *all = fsd_blocks_of(arena, asked->d);
    struct fsd_rows kinds = FSD_ROWS(kind_columns, kind_text),
                    blocks = FSD_ROWS(block_columns, "");
    uint32_t by[3] = {0};
    struct fsd_cell *root;

    (void)err;
    for (int p = 0; p < FSD__PATTERN_COUNT; p++)
        add_kind(arena, &kinds, &blocks, asked, all, (enum fsd_pattern)p);
    for (uint32_t i = 0; i < all->list.n; i++)
        by[all->list.at[i].fused]++;
    sheet->schema = "fusiondiff-patterns/1";
    sheet->head =
        "{n|block|blocks} of known patterns<, {split!} fused in part or not at "
        "all><, of {unknown!} it is not known><: {no_edges}>\n";
    sheet->root = FSD_ROWS(columns, "{patterns}");
    root = fsd_rows_add(arena, &sheet->root);
    if (asked->d->model->named_only)
        root[NO_EDGES] = fsd_cell_text(
            "they are told by edges, and no MODEL was given that would have them");
    root[N] = fsd_cell_count(all->list.n);
    root[SPLIT_N] = fsd_cell_count(by[FSD_FUSED_SPLIT]);
    root[UNKNOWN_N] = fsd_cell_count(by[FSD_FUSED_UNKNOWN]);
    root[PATTERNS] = fsd_cell_rows(arena, &kinds, UINT32_MAX);
    root[BLOCKS] = fsd_cell_rows(arena, &blocks, UINT32_MAX);
    return FSD_OK;
}
