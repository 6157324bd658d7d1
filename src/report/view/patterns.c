/*
 * Shows the blocks of a model that users expect as one kernel: attention,
 * normalizations, activations and others. States which blocks are completely fused. For
 * each other block, states the layers that compute it and the layers between these. If
 * most blocks of the same pattern have another outcome, states the difference.
 */
#include "base/base.h"
#include "explain/cost/cost.h"
#include "judge/lint/fusion.h"
#include "model/graph/graph.h"
#include "report/view/view.h"

enum { SHOWN = 12, FEW = 8 };

/* clang-format off */
#define REASON_ROW(has, set, when, t) \
    set(t, TEXT,  rule, r->rule->id, "rule") \
    set(t, TEXT,  found, r->found, "found") \
    set(t, TEXT,  border, r->rule->border, "border") \
    set(t, TEXT,  edit, r->edit, "edit") \
    set(t, TEXT,  support, r->rule->support, "support") \
    set(t, TEXT,  source, r->rule->source, "source") \
    set(t, TEXT,  says, fsd_block_reason_text(arena, r), FSD_ASIDE)
FSD_RECORD(reason_row, REASON_ROW)
/* clang-format on */

static const char reason_text[] = "          not one kernel: {says:.200}\n";

/* clang-format off */
#define BLOCK_ROW(has, set, when, t) \
    set(t, TEXT,  pattern, fsd_pattern_name((enum fsd_pattern)b->pattern), "pattern", \
        .always = true) \
    set(t, COUNT, node, b->anchor, "node", .always = true) \
    set(t, NAME,  called, fsd_called_node(arena, d, b->anchor), "ends in") \
    set(t, NAME,  scope, fsd_text(d->names, d->model->nodes.at[b->anchor].module), \
        "scope") \
    set(t, TEXT,  fused, fsd_fused_name((enum fsd_fused)b->fused), "fused", \
        .always = true) \
    when(t, TYPE,  type, b->type, b->type, "runs in") \
    set(t, IDS,   nodes, fsd_ids(&all->pool.at[b->nodes.at], b->nodes.n), FSD_ALWAYS) \
    set(t, IDS,   layers, fsd_ids(&all->pool.at[b->layers.at], b->layers.n), \
        FSD_ALWAYS) \
    set(t, IDS,   between, fsd_ids(&all->pool.at[b->between.at], b->between.n), NULL) \
    set(t, COUNT, opaque, fsd_count_id(b->opaque), "in opaque layer", \
        .behind = true, \
        .about = "the region that computes the block; the engine does not state the " \
                 "kernels of this region") \
    set(t, COUNT, elsewhere, fsd_count_id(b->elsewhere), "fused in", \
        .behind = true, \
        .about = "for a residual: the layer that computes both the Add and other " \
                 "nodes") \
    set(t, MS,    ms, block_ms(d, all, b), "ms") \
    when(t, NAME,  untold, b->unknown != FSD_NONE && b->opaque == FSD_NONE, \
        fsd_called_node(arena, d, b->unknown), "no layer known for") \
    when(t, NAME,  stands, *where, where, "computed by", .aside = true) \
    set(t, TEXT,  unlike, different, "difference from the other blocks") \
    set(t, TEXT,  reason, reason, "reason", .behind = true, \
        .about = "for a block that is split: the decisive reason, one of `reasons`") \
    set(t, ROWS,  reasons, reasons, NULL, .of = &reason_row_record, \
        .about = "for a block that is split: the builder's rules that apply") \
    set(t, TEXT,  no_reason, no_reason, FSD_ASIDE)
FSD_RECORD(block_row, BLOCK_ROW)
/* clang-format on */

static const char block_text[] =
    "  {+}{fused:-10}{/}<{scope!:.40}  >{called:.80}<  {ms!}>\n"
    "<          {stands:.88}\n>"
    "<          it is not known which layer computes {untold:.60}\n>"
    "<          layer {opaque} is a region whose kernels the engine does not state\n>"
    "<          the Add runs in layer {elsewhere}, together with adjacent nodes\n>"
    "<          {unlike}\n><{reasons}><          not one kernel: {no_reason}\n>";

/* clang-format off */
#define KIND_ROW(has, set, when, t) \
    set(t, TEXT,  pattern, fsd_pattern_name(pattern), "pattern") \
    set(t, COUNT, blocks, n, "blocks") \
    set(t, COUNT, whole, by[FSD_FUSED_WHOLE], "whole") \
    set(t, COUNT, split, by[FSD_FUSED_SPLIT], "split") \
    set(t, COUNT, elsewhere, by[FSD_FUSED_ELSEWHERE], "elsewhere") \
    set(t, COUNT, unknown, by[FSD_FUSED_UNKNOWN], "unknown") \
    set(t, MS,    ms, ms, "ms") \
    set(t, ROWS,  listed, listed, FSD_ASIDE, .of = &block_row_record) \
    set(t, COUNT, more, more, FSD_ASIDE)
FSD_RECORD(kind_row, KIND_ROW)
/* clang-format on */

static const char kind_text[] =
    "\n{*}{pattern:-12}{/} {blocks|block|blocks}: {whole} whole<, "
    "{elsewhere!} fused elsewhere><, {split!} "
    "split><, {unknown!} unknown><  {ms!}>\n{listed}<  and "
    "{more!|more block|more blocks} "
    "(--all shows them)\n>";

/* clang-format off */
#define ANSWER(has, set, when, t) \
    set(t, COUNT, n, all->list.n, NULL) \
    set(t, COUNT, split, by[FSD_FUSED_SPLIT], NULL) \
    set(t, COUNT, unknown, by[FSD_FUSED_UNKNOWN], NULL) \
    has(t, TEXT,  no_edges, FSD_ASIDE) \
    set(t, ROWS,  patterns, kinds, "Patterns", .of = &kind_row_record) \
    set(t, ROWS,  blocks, blocks, "Blocks", .of = &block_row_record)
FSD_RECORD(answer, ANSWER)
/* clang-format on */

static double block_ms(const struct fsd_diff *d, const struct fsd_blocks *all,
                       const struct fsd_block *b)
{
    double ms = -1;

    FSD_EACH_ID (node, all->pool, b->nodes) {
        double own = d->cost->nodes[node].ms;

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

const char *fsd_block_stands(struct fsd_arena *arena, const struct fsd_diff *d,
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

/* Whether one kernel computes the whole block. The Add of a residual may instead run in
 * a kernel of another block (FSD_FUSED_ELSEWHERE). */
static bool is_fused(const struct fsd_block *b)
{
    return b->fused == FSD_FUSED_WHOLE || b->fused == FSD_FUSED_ELSEWHERE;
}

static bool same_fate(const struct fsd_block *a, const struct fsd_block *b)
{
    return a->fused == b->fused && a->layers.n == b->layers.n &&
           a->between.n == b->between.n && a->type == b->type;
}

/* The usual outcome of a pattern's blocks. `n` is the number of blocks with this
 * outcome: at least three, and more than half. `like` is one of these blocks; NULL:
 * there is no usual outcome. */
struct usual {
    const struct fsd_block *like;
    uint32_t n;
};

static struct usual usual_of(const struct fsd_blocks *all, enum fsd_pattern pattern)
{
    struct usual vote = {NULL, 0}, most;
    uint32_t n = 0;

    FSD_EACH (const struct fsd_block, b, all->list) {
        if (b->pattern != pattern)
            continue;
        n++;
        if (!vote.n)
            vote.like = b;
        vote.n += same_fate(b, vote.like) ? 1 : -1u;
    }
    most = (struct usual){vote.like, 0};
    FSD_EACH (const struct fsd_block, b, all->list)
        most.n += most.like && b->pattern == pattern && same_fate(b, most.like);
    if (most.n < 3 || 2 * most.n <= n)
        most.like = NULL;
    return most;
}

static const char *unlike(struct fsd_arena *arena, const struct fsd_block *b,
                          const struct usual *usual)
{
    const struct fsd_block *o = usual->like;

    if (!o || is_fused(b) || same_fate(b, o))
        return NULL; /* a fused block needs no advice */
    if (b->fused != o->fused || b->layers.n != o->layers.n)
        return fsd_printed(arena, "each of the other %u blocks is %s and runs in %u %s",
                           usual->n, fsd_fused_name((enum fsd_fused)o->fused),
                           o->layers.n, o->layers.n == 1 ? "layer" : "layers");
    if (b->between.n != o->between.n)
        return fsd_printed(arena,
                           "in each of the other %u blocks, the number of other "
                           "layers between the block's own layers is %u",
                           usual->n, o->between.n);
    return fsd_printed(arena, "the other %u blocks run in %s", usual->n,
                       o->type ? fsd_dtype_name(o->type) : "several types");
}

static const struct fsd_rows *reason_rows(struct fsd_arena *arena,
                                          const fsd_block_reasons *why)
{
    struct fsd_rows *rows = fsd_rows_new(arena, &reason_row_record, reason_text);

    FSD_EACH (const struct fsd_block_reason, r, *why)
        FSD_ADD(rows, reason_row, REASON_ROW);
    return rows;
}

static struct block_row *add_block(struct fsd_arena *arena, struct fsd_rows *rows,
                                   const struct fsd_diff *d,
                                   const struct fsd_blocks *all,
                                   const struct fsd_block *b, const struct usual *usual)
{
    struct block_row *row = fsd_rows_add(rows);
    const char *no_reason = NULL, *reason = NULL;
    const struct fsd_rows *reasons = NULL;
    const char *where = fsd_block_stands(arena, d, all, b);
    const char *different = unlike(arena, b, usual);

    if (b->fused == FSD_FUSED_SPLIT) {
        fsd_block_reasons why = {0};

        fsd_block_reasons_in(arena, d, all, b, &why);
        reasons = reason_rows(arena, &why);
        no_reason = why.n ? NULL : FSD_NO_REASON;
        reason = why.n ? fsd_block_reason_text(arena, &why.at[0]) : no_reason;
    }
    FSD_FILL(row, BLOCK_ROW);
    return row;
}

static void add_kind(struct fsd_arena *arena, struct fsd_rows *kinds,
                     struct fsd_rows *blocks, const struct fsd_request *request,
                     const struct fsd_blocks *all, enum fsd_pattern pattern)
{
    struct usual usual = usual_of(all, pattern);
    struct fsd_rows *listed = fsd_rows_new(arena, &block_row_record, block_text);
    const struct fsd_block *shown[SHOWN];
    uint32_t by[FSD__FUSED_COUNT] = {0}, n = 0, more = 0, n_shown = 0;
    double ms = -1;

    FSD_EACH (const struct fsd_block, b, all->list) {
        struct block_row *block;
        double own = block_ms(request->d, all, b);
        bool first = !is_fused(b) && n_shown < SHOWN;

        if (b->pattern != pattern)
            continue;
        block = add_block(arena, blocks, request->d, all, b, &usual);
        n++;
        by[b->fused]++;
        if (own >= 0)
            ms = (ms < 0 ? 0 : ms) + own;
        /* Without --all, lists no fused blocks, and of the others only the first with
         * each outcome (at most SHOWN). */
        for (uint32_t k = 0; k < n_shown && first; k++)
            first = !same_fate(b, shown[k]);
        if (first)
            shown[n_shown++] = b;
        if (first || request->all)
            fsd_vec_push(arena, &listed->at, block);
        else
            more += !is_fused(b);
    }
    if (n)
        FSD_ADD(kinds, kind_row, KIND_ROW);
}

enum fsd_status fsd_view_patterns(struct fsd_sheet *sheet,
                                  const struct fsd_request *request)
{
    struct fsd_arena *arena = sheet->arena;
    const struct fsd_blocks *all = fsd_blocks_of(arena, request->d);
    struct fsd_rows *kinds = fsd_rows_new(arena, &kind_row_record, kind_text),
                    *blocks = fsd_rows_new(arena, &block_row_record, "");
    uint32_t by[FSD__FUSED_COUNT] = {0};
    struct answer *root;

    for (int p = 0; p < FSD__PATTERN_COUNT; p++)
        add_kind(arena, kinds, blocks, request, all, (enum fsd_pattern)p);
    for (uint32_t i = 0; i < all->list.n; i++)
        by[all->list.at[i].fused]++;
    root =
        fsd_sheet_begin(sheet, "fusiondiff-patterns/1", &answer_record,
                        "{n|block|blocks} of known patterns<, {split!} fused partly or "
                        "not at all><, {unknown!} with unknown fusion><: {no_edges}>\n",
                        "{patterns}");
    if (request->d->model->named_only)
        root->no_edges =
            "blocks are recognized by the edges of a MODEL, and no MODEL was given";
    FSD_FILL(root, ANSWER);
    return FSD_OK;
}
