/* Determines which layers of an engine compute each block of the model, and whether one
 * layer computes the whole block. */
#include "base/base.h"
#include "explain/pattern/pattern.h"
#include "model/graph/graph.h"

#define NAMED(pattern, word) word,
static const char *const pattern_names[] = {FSD_PATTERNS(NAMED)};

const char *fsd_pattern_name(enum fsd_pattern pattern)
{
    return pattern_names[pattern];
}

enum fsd_pattern fsd_pattern_find(const char *name)
{
    unsigned i = 0;

    while (i < FSD__PATTERN_COUNT && strcmp(pattern_names[i], name) != 0)
        i++;
    return (enum fsd_pattern)i;
}

const char *fsd_fused_name(enum fsd_fused fused)
{
    static const char *const names[] = {"whole", "split", "elsewhere", "unknown"};

    return names[fused];
}

/* Working data for all blocks; `block` is the current block. */
struct judge {
    const struct fsd_diff *d;
    struct fsd_blocks *blocks;
    struct fsd_block *block;
    uint32_t *mark, listed; /* `mark`: indexed by layer: number of the last list to
                               which the layer was added; `listed`: number of the
                               current list, from 1 */
    fsd_id *of[FSD__PATTERN_COUNT]; /* for each pattern, indexed by node: index of its
                                       block, plus 1; 0 if it is in no block */
    struct fsd_span *movers;        /* indexed by block: its span of `moves` */
    FSD_VEC(uint64_t)
    moves; /* for each layer that moves a tensor from one
                                       node of a block to another: block << 32 | layer;
                                       sorted */
};

static bool computes(const struct fsd_diff *d, fsd_id layer)
{
    enum fsd_kind kind = d->layers[layer].kind;

    return fsd_kind_computes(kind) || kind == FSD_KIND_QUANTIZE;
}

static void list_layer(struct judge *j, struct fsd_span *span, fsd_id layer)
{
    if (j->mark[layer] == j->listed)
        return;
    j->mark[layer] = j->listed;
    if (!span->n)
        span->at = j->blocks->pool.n;
    fsd_vec_push(j->blocks->arena, &j->blocks->pool, layer);
    span->n++;
}

static void in_order(struct judge *j, struct fsd_span span)
{
    if (span.n) /* without elements, the pool may not exist */
        fsd_sort(&j->blocks->pool.at[span.at], span.n, sizeof(fsd_id), fsd_by_id);
}

/* Whether one of the layers that compute the node multiplies. */
static bool is_multiplied(const struct judge *j, fsd_id node)
{
    const struct fsd_match *m = j->d->match;

    for (uint32_t i = 0; i < m->of_node[node].n; i++)
        if (m->engine->layers.at[fsd_match_of_node(m, node, i)->layer].multiplies)
            return true;
    return false;
}

/* Adds the layers that compute the node to the block; false if they are unknown.  If
 * only the region of the node is known, the region must have a single layer.  If a
 * projection of a qkv block has a layer that multiplies, its other layers are left out:
 * in INT8, these compute its bias and its quantization, and would make the block look
 * split although one kernel computes all products. */
static bool list_of_node(struct judge *j, fsd_id node)
{
    const struct fsd_match *m = j->d->match;
    bool products = j->block->pattern == FSD_PATTERN_QKV && is_multiplied(j, node);
    uint32_t listed = 0;
    fsd_id region;

    for (uint32_t i = 0; i < m->of_node[node].n; i++) {
        fsd_id layer = fsd_match_of_node(m, node, i)->layer;

        if (!computes(j->d, layer) ||
            (products && !m->engine->layers.at[layer].multiplies))
            continue;
        list_layer(j, &j->block->layers, layer);
        listed++;
    }
    if (listed || (region = m->region_of_node[node]) == FSD_NONE)
        return listed || m->of_node[node].n; /* also true if all of the node's layers
                                                only move data */
    if (m->regions.at[region].layers.n != 1)
        return false;
    list_layer(j, &j->block->layers, m->pool.at[m->regions.at[region].layers.at]);
    return true;
}

static bool has_node(const struct judge *j, fsd_id node)
{
    const struct fsd_block *b = j->block;

    return node != FSD_NONE &&
           j->of[b->pattern][node] == (fsd_id)(b - j->blocks->list.at) + 1;
}

/* Whether the node is inside the block: the block contains all its consumers, and the
 * producer of at least one input.  The layer of such a node may be unknown.  But if one
 * kernel computes all other nodes of the block, only this kernel can compute the
 * node. */
static bool is_enclosed(const struct judge *j, fsd_id node)
{
    const struct fsd_graph *g = j->d->model;
    const struct fsd_tensor *out = fsd_graph_tensor(g, fsd_node_out_tensor(g, node, 0));
    bool inside = false;

    FSD_EACH_OF (tensor, g->ports, g->nodes.at[node].in, tensor)
        inside |= has_node(j, fsd_tensor_producer(g, tensor));
    FSD_EACH_ID (reader, g->links, out->consumers)
        inside &= has_node(j, reader);
    return inside && out->consumers.n && !(out->flags & FSD_TENSOR_OUTPUT);
}

/* Sets `layers`, `unknown`, `opaque` and `fused` of the block.
 * @param swap true: judges the block with the node `either` in place of the node `end`;
 *        only for a residual that has both */
static void judge_layers(struct judge *j, bool swap)
{
    const struct fsd_diff *d = j->d;
    struct fsd_block *b = j->block;
    bool enclosed = true;

    b->unknown = FSD_NONE;
    b->layers = (struct fsd_span){0};
    j->listed++;
    for (uint32_t i = 0; i < b->nodes.n; i++) {
        fsd_id own = j->blocks->pool.at[b->nodes.at + i],
               node = fsd_merged_into(d, own);
        enum fsd_fate fate;

        if (swap && own == b->end)
            own = node = b->either;
        fate = d->nodes[node].fate;
        if ((fate == FSD_FATE_UNEXPLAINED || fate == FSD_FATE_OUTSIDE ||
             (fate == FSD_FATE_LAYER && !list_of_node(j, node)))) {
            b->unknown = fsd_id_or(b->unknown, own);
            enclosed &= is_enclosed(j, own);
        }
    }
    in_order(j, b->layers);
    if (b->layers.n == 1 && enclosed)
        b->unknown = FSD_NONE;
    b->opaque = FSD_NONE;
    if (b->layers.n == 1 && d->layers[j->blocks->pool.at[b->layers.at]].opaque)
        b->opaque = j->blocks->pool.at[b->layers.at];
    b->fused = b->layers.n > 1 ? FSD_FUSED_SPLIT
               : b->unknown != FSD_NONE || b->opaque != FSD_NONE || !b->layers.n
                   ? FSD_FUSED_UNKNOWN
                   : FSD_FUSED_WHOLE;
    if (b->fused == FSD_FUSED_UNKNOWN)
        b->unknown = fsd_id_or(b->unknown, b->anchor);
}

/* Decides whether the block is fused.  The builder may fuse the Add of a residual with
 * either path, so a residual is split only if its Add is fused with neither path. */
static void judge_fusion(struct judge *j)
{
    struct fsd_block *b = j->block;
    bool split;

    judge_layers(j, false);
    split = b->fused == FSD_FUSED_SPLIT;
    if (b->fused == FSD_FUSED_WHOLE || b->either == FSD_NONE)
        return;
    judge_layers(j, true);
    if (b->fused != FSD_FUSED_WHOLE && !(split && b->fused == FSD_FUSED_UNKNOWN))
        judge_layers(j, false);
}

/* Whether the layer computes a node that is outside the block.  Nodes that only move
 * data and do not quantize are ignored. */
static bool has_more(const struct judge *j, fsd_id layer)
{
    const struct fsd_match *m = j->d->match;

    FSD_EACH_OF (node, m->links, m->of_layer[layer], node) {
        unsigned traits = j->d->facts->traits[node];

        if (!has_node(j, node) &&
            (!(traits & FSD_OP_MOVES) || traits & FSD_OP_QUANTIZE))
            return true;
    }
    return false;
}

/* Whether the layer computes the Add of a residual or the activation behind the Add.
 * These are the nodes of the block from number b->joint on. */
static bool computes_closing(const struct judge *j, fsd_id layer)
{
    const struct fsd_block *b = j->block;

    FSD_EACH_ID (node, j->blocks->pool, b->nodes)
        if (node >= b->joint &&
            fsd_match_has(j->d->match, layer, fsd_merged_into(j->d, node)))
            return true;
    return false;
}

/* Finds a split residual whose Add needs no kernel of its own.  The Add runs in a
 * kernel that is needed anyway: with the next normalization, with the next quantizer,
 * or in the second kernel of an INT8 product. */
static void judge_elsewhere(struct judge *j)
{
    const struct fsd_diff *d = j->d;
    struct fsd_block *b = j->block;
    fsd_id end, found = FSD_NONE;

    if (b->pattern != FSD_PATTERN_RESIDUAL || b->fused != FSD_FUSED_SPLIT)
        return;
    end = fsd_merged_into(d, b->end);
    FSD_EACH_ID (layer, j->blocks->pool, b->layers) {
        if (!computes_closing(j, layer))
            continue;
        if (!has_more(j, layer) && !fsd_match_has(d->match, layer, end))
            return;
        found = fsd_id_or(found, layer);
    }
    if (found != FSD_NONE) {
        b->fused = FSD_FUSED_ELSEWHERE;
        b->elsewhere = found;
    }
}

static void judge_between(struct judge *j, struct fsd_span movers)
{
    const struct fsd_match *m = j->d->match;
    struct fsd_block *b = j->block;

    FSD_EACH_ID (node, j->blocks->pool, b->passed)
        for (uint32_t k = 0; k < m->of_node[node].n; k++)
            list_layer(j, &b->between, fsd_match_of_node(m, node, k)->layer);
    for (uint32_t i = 0; i < movers.n; i++)
        list_layer(j, &b->between, (fsd_id)j->moves.at[movers.at + i]);
    in_order(j, b->between);
}

static void judge_type(struct judge *j)
{
    const struct fsd_diff *d = j->d;
    struct fsd_block *b = j->block;
    bool any = false;

    for (int products = 1; products >= 0 && !b->typed.n; products--) {
        b->typed.at = j->blocks->pool.n;
        FSD_EACH_ID (node, j->blocks->pool, b->nodes) {
            if (d->nodes[fsd_merged_into(d, node)].fate != FSD_FATE_LAYER ||
                (products &&
                 !(d->facts->traits[node] & (FSD_OP_WEIGHTED | FSD_OP_OPAQUE))))
                continue;
            fsd_vec_push(j->blocks->arena, &j->blocks->pool, node);
            b->typed.n++;
        }
    }
    for (uint32_t i = 0; i < b->typed.n; i++) {
        fsd_id node = fsd_merged_into(d, j->blocks->pool.at[b->typed.at + i]);
        enum fsd_dtype type = d->nodes[node].realised;

        b->type = !any || b->type == type ? type : FSD_DTYPE_UNKNOWN;
        any = true;
    }
}

/* ----------------------------------------------------------------- data movement */

/* Finds the layers that move a tensor from one node of a block to another node of the
 * block.  Goes over the layers only once, not once for each block. */
static void find_movers(struct judge *j, struct fsd_arena *scratch)
{
    const struct fsd_flows *flows = j->d->flows;

    for (fsd_id layer = 0; layer < j->d->engine->nodes.n; layer++) {
        const struct fsd_flow *f = &flows->of[layer];

        if (!f->there || f->producer == FSD_NONE)
            continue;
        for (int p = 0; p < FSD__PATTERN_COUNT; p++) {
            fsd_id block = j->of[p][f->producer];
            bool inside = false;

            for (uint32_t i = 0; block && i < f->readers.n; i++) {
                fsd_id reader = flows->readers.at[f->readers.at + i].node;

                inside |= fsd_id_at(j->of[p], reader) == block;
            }
            if (inside)
                fsd_vec_push(scratch, &j->moves, (uint64_t)(block - 1) << 32 | layer);
        }
    }
    fsd_vec_sort(&j->moves, fsd_by_number);
    for (uint32_t i = 0; i < j->moves.n; i++) {
        struct fsd_span *span = &j->movers[j->moves.at[i] >> 32];

        if (!span->n++)
            span->at = i;
    }
}

enum { ALL_PATTERNS = (1 << FSD__PATTERN_COUNT) - 1 };

static struct fsd_blocks *blocks_of(struct fsd_arena *arena, const struct fsd_diff *d,
                                    uint16_t patterns)
{
    struct fsd_blocks *blocks = FSD_NEW(arena, struct fsd_blocks, 1);
    FSD_SCRATCH(scratch);
    struct judge j = {.d = d, .blocks = blocks};

    blocks->arena = arena;
    fsd_blocks_find(blocks, d->facts, patterns);
    j.mark = FSD_NEW(scratch, uint32_t, d->engine->nodes.n);
    j.movers = FSD_NEW(scratch, struct fsd_span, blocks->list.n);
    for (int p = 0; p < FSD__PATTERN_COUNT; p++)
        j.of[p] = FSD_NEW(scratch, fsd_id, d->model->nodes.n);
    for (uint32_t i = 0; i < blocks->list.n; i++) {
        const struct fsd_block *b = &blocks->list.at[i];

        FSD_EACH_ID (node, blocks->pool, b->nodes)
            j.of[b->pattern][node] = i + 1;
        FSD_EACH_ID (node, blocks->pool, b->passed)
            j.of[b->pattern][node] = i + 1;
    }
    find_movers(&j, scratch);
    for (uint32_t i = 0; i < blocks->list.n; i++) {
        j.block = &blocks->list.at[i];
        j.block->elsewhere = FSD_NONE;
        judge_fusion(&j);
        judge_elsewhere(&j);
        judge_between(&j, j.movers[i]);
        judge_type(&j);
    }
    return blocks;
}

struct fsd_blocks *fsd_blocks_of(struct fsd_arena *arena, const struct fsd_diff *d)
{
    return blocks_of(arena, d, ALL_PATTERNS);
}

struct fsd_blocks *fsd_blocks_of_pattern(struct fsd_arena *arena,
                                         const struct fsd_diff *d,
                                         enum fsd_pattern pattern)
{
    return blocks_of(arena, d, (uint16_t)(1 << pattern));
}

const struct fsd_blocks *fsd_blocks_of_model(struct fsd_arena *arena,
                                             const struct fsd_facts *facts)
{
    struct fsd_blocks *blocks = FSD_NEW(arena, struct fsd_blocks, 1);

    blocks->arena = arena;
    fsd_blocks_find(blocks, facts, ALL_PATTERNS);
    return blocks;
}
