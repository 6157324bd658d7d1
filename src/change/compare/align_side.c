/*
 * Computes Weisfeiler-Leman colors of nodes. Two nodes have equal colors if their
 * subgraphs in one direction are equal. An aligned node is an exception: it always has
 * the color of its counterpart. A difference therefore changes the colors of nodes only
 * up to the next aligned node, and the next round can align more nodes.
 */
#include "change/compare/parts.h"
#include "model/ops/ops.h"

enum { RADIUS = 4 };

bool fsd_align_is_core(const struct fsd_align_side *side, fsd_id node)
{
    return side->s->nodes.at[node].role == FSD_ROLE_CORE &&
           (!side->product || side->product[node] == node);
}

/* The node that produces a tensor; FSD_NONE if no node does. If this node is the Add of
 * a product, the product's MatMul is returned instead. */
static fsd_id source_node(const struct fsd_align_side *side, struct fsd_producer from)
{
    fsd_id node = fsd_origin_node(from.at);

    return node == FSD_NONE || !side->product ? node : side->product[node];
}

/* ------------------------------------------------------------------------ setup */

static uint32_t slot(const struct fsd_align_side *side, fsd_id node, uint32_t i)
{
    return side->commutes[node] ? 0 : i;
}

/* Visits each use of a core node's output as an input of a core node. The caller calls
 * the function twice. The first call, without `put`, counts the uses. The second call,
 * with `put`, stores them. */
static void walk_uses(struct fsd_align_side *side, bool put)
{
    const struct fsd_state *s = side->s;

    for (fsd_id i = 0; i < s->nodes.n; i++) {
        const struct fsd_state_node *n = &s->nodes.at[i];

        for (uint32_t k = 0; fsd_align_is_core(side, i) && k < n->core_in.n; k++) {
            struct fsd_producer from = s->sources.at[n->core_in.at + k];
            fsd_id node = source_node(side, from);

            if (node == FSD_NONE)
                continue;
            if (put)
                side->use[side->uses[node].at + side->uses[node].n] =
                    (struct fsd_use){i, slot(side, i, k), from.out};
            side->uses[node].n++;
        }
    }
}

static struct fsd_lists list_ends(const struct fsd_align_side *side,
                                  struct fsd_arena *scratch)
{
    const struct fsd_state *s = side->s;
    fsd_id *node = FSD_NEW(scratch, fsd_id, s->outputs.n);

    for (uint32_t i = 0; i < s->outputs.n; i++)
        node[i] = source_node(side, s->outputs.at[i].core_from);
    return fsd_lists_new(scratch, node, sizeof *node, s->outputs.n, s->nodes.n);
}

static uint32_t place(struct fsd_span *spans, uint32_t n)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < n; i++) {
        spans[i].at = at;
        at += spans[i].n;
        spans[i].n = 0;
    }
    return at;
}

/* @param answers indexed by the symbol of an operator: YES or NO; 0: not set yet */
static bool is_symmetric(const struct fsd_state *s, fsd_sym op, uint8_t *answers)
{
    enum { NO = 1, YES };

    if (!answers[op])
        answers[op] = fsd_op_is_symmetric(fsd_text(s->names, op)) ? YES : NO;
    return answers[op] == YES;
}

void fsd_align_side_init(struct fsd_align_side *side, struct fsd_arena *scratch,
                         const struct fsd_state *s, bool is_new, fsd_id *product)
{
    uint32_t n = s->nodes.n;
    uint8_t *answers = FSD_NEW(scratch, uint8_t, fsd_intern_count(s->names));

    *side =
        (struct fsd_align_side){.s = s,
                                .new = is_new,
                                .counterpart = fsd_ids_new(scratch, n),
                                .in_counterpart = fsd_ids_new(scratch, s->inputs.n),
                                .out_counterpart = fsd_ids_new(scratch, s->outputs.n),
                                .contested = FSD_NEW(scratch, bool, n),
                                .commutes = FSD_NEW(scratch, bool, n),
                                .level = FSD_NEW(scratch, uint32_t, n),
                                .counted = fsd_align_counted(scratch, s),
                                .label = FSD_NEW(scratch, uint64_t, n),
                                .from = FSD_NEW(scratch, uint64_t, n),
                                .to = FSD_NEW(scratch, uint64_t, n),
                                .near = FSD_NEW(scratch, uint64_t, n),
                                .plain = FSD_NEW(scratch, uint64_t, n),
                                .alone = FSD_NEW(scratch, bool, n),
                                .uses = FSD_NEW(scratch, struct fsd_span, n),
                                .product = product,
                                .bias = fsd_ids_new(scratch, n)};
    side->ends = list_ends(side, scratch);
    for (fsd_id i = 0; product && i < n; i++)
        if (product[i] != i)
            side->bias[product[i]] = i;
    for (fsd_id i = 0; i < n; i++) {
        fsd_sym op = s->nodes.at[i].op;

        side->commutes[i] = is_symmetric(s, op, answers);
        side->label[i] = fsd_hash_mix(fsd_state_hash(s, op),
                                      fsd_state_hash(s, s->nodes.at[i].traits));
        if (fsd_align_is_product(side, i))
            side->label[i] = fsd_align_product_label(side, i);
    }
    walk_uses(side, false);
    side->use = FSD_NEW(scratch, struct fsd_use, place(side->uses, n));
    walk_uses(side, true);

    for (fsd_id i = 0; i < n; i++) /* file order is topological */
        for (uint32_t k = 0; k < s->nodes.at[i].core_in.n; k++) {
            fsd_id at = source_node(side, s->sources.at[s->nodes.at[i].core_in.at + k]);

            if (at != FSD_NONE && side->level[at] >= side->level[i])
                side->level[i] = side->level[at] + 1;
        }
}

static bool is_aligned(const struct fsd_align_side *side, fsd_id node)
{
    return side->counterpart[node] != FSD_NONE;
}

/* ----------------------------------------------------------------------- colors */

enum { ALONE = FSD_COLOR_OUTPUT + 1 };

/* A node, input or output without a counterpart gets a color that nothing on the other
 * side has. */
uint64_t fsd_align_color_of(const struct fsd_align_side *side, enum fsd_color_what what,
                            uint32_t i)
{
    const fsd_id *counterpart = what == FSD_COLOR_NODE    ? side->counterpart
                                : what == FSD_COLOR_INPUT ? side->in_counterpart
                                                          : side->out_counterpart;

    if (counterpart[i] == FSD_NONE)
        return fsd_hash_mix(fsd_hash_mix(ALONE + side->new, what), i);
    return fsd_hash_mix(what, side->new ? counterpart[i] : i);
}

/* The sum of the colors of a node's inputs. If the order of the inputs matters, the
 * color of each input includes the input's number (slot()). Constants are left out: one
 * exporter writes them as initializers, another as nodes. */
static uint64_t color_before(const struct fsd_align_side *side, const uint64_t *color,
                             fsd_id node)
{
    struct fsd_span in = side->s->nodes.at[node].core_in;
    uint64_t sum = 0;

    for (uint32_t k = 0; k < in.n; k++) {
        struct fsd_producer from = side->s->sources.at[in.at + k];
        fsd_id before = source_node(side, from);
        uint64_t hash;

        if (!fsd_is_origin(from.at))
            continue;
        hash = before == FSD_NONE ? fsd_align_color_of(side, FSD_COLOR_INPUT,
                                                       fsd_origin_input(from.at))
                                  : fsd_hash_mix(color[before], from.out);
        sum += fsd_hash_mix(hash, slot(side, node, k));
    }
    return sum;
}

static uint64_t color_behind(const struct fsd_align_side *side, const uint64_t *color,
                             fsd_id node)
{
    uint64_t sum = 0;

    for (uint32_t k = 0; k < side->uses[node].n; k++) {
        const struct fsd_use *use = &side->use[side->uses[node].at + k];

        sum += fsd_hash_mix(fsd_hash_mix(color[use->node], use->slot), use->out);
    }
    for (uint32_t k = 0; k < side->ends.of[node].n; k++) {
        uint32_t i = fsd_list_at(&side->ends, node, k);

        sum += fsd_hash_mix(fsd_align_color_of(side, FSD_COLOR_OUTPUT, i),
                            side->s->outputs.at[i].core_from.out);
    }
    return sum;
}

/* Visits nodes in file order, which is topological. If a damaged model lists a producer
 * after its consumer, the producer's color is still 0 when the consumer is visited. */
void fsd_align_color_from(struct fsd_align_side *side)
{
    memset(side->from, 0, side->s->nodes.n * sizeof *side->from);
    for (fsd_id i = 0; i < side->s->nodes.n; i++)
        side->from[i] =
            is_aligned(side, i)
                ? fsd_align_color_of(side, FSD_COLOR_NODE, i)
                : fsd_hash_mix(side->label[i], color_before(side, side->from, i));
}

void fsd_align_color_to(struct fsd_align_side *side)
{
    memset(side->to, 0, side->s->nodes.n * sizeof *side->to);
    for (fsd_id i = side->s->nodes.n; i-- > 0;)
        side->to[i] =
            is_aligned(side, i)
                ? fsd_align_color_of(side, FSD_COLOR_NODE, i)
                : fsd_hash_mix(side->label[i], color_behind(side, side->to, i));
}

void fsd_align_color_near(struct fsd_align_side *side, struct fsd_arena *scratch)
{
    uint32_t n = side->s->nodes.n;
    uint64_t *last = FSD_NEW(scratch, uint64_t, n);

    for (fsd_id i = 0; i < n; i++)
        side->near[i] = is_aligned(side, i)
                            ? fsd_align_color_of(side, FSD_COLOR_NODE, i)
                            : side->label[i];
    for (int r = 0; r < RADIUS; r++) {
        memcpy(last, side->near, n * sizeof *last);
        for (fsd_id i = 0; i < n; i++)
            if (!is_aligned(side, i))
                side->near[i] = fsd_hash_mix(
                    fsd_hash_mix(side->label[i], color_before(side, last, i)),
                    color_behind(side, last, i));
    }
}

void fsd_align_color_plain(struct fsd_align_side *side, struct fsd_arena *scratch)
{
    uint32_t n = side->s->nodes.n, rows = 0;
    struct fsd_hash_row *row = FSD_NEW(scratch, struct fsd_hash_row, n);

    fsd_align_color_near(side, scratch);
    for (fsd_id i = 0; i < n; i++) {
        side->plain[i] = side->near[i];
        if (fsd_align_is_core(side, i))
            row[rows++] = (struct fsd_hash_row){side->near[i], i, false};
    }
    fsd_hash_rows_sort(row, rows);
    for (uint32_t i = 0, k; i < rows; i = k) {
        k = fsd_hash_rows_end(row, rows, i);
        side->alone[row[i].id] = k - i == 1;
    }
}

uint64_t fsd_align_around(const struct fsd_align_side *side, fsd_id node)
{
    struct fsd_span in = side->s->nodes.at[node].core_in, uses = side->uses[node];
    uint64_t before = 0, behind = 0;

    for (uint32_t k = 0; k < in.n; k++) {
        struct fsd_producer from = side->s->sources.at[in.at + k];
        fsd_id at = source_node(side, from);

        if (at != FSD_NONE && is_aligned(side, at))
            before += fsd_hash_mix(
                fsd_hash_mix(fsd_align_color_of(side, FSD_COLOR_NODE, at), from.out),
                slot(side, node, k));
    }
    for (uint32_t k = 0; k < uses.n; k++) {
        const struct fsd_use *use = &side->use[uses.at + k];

        if (is_aligned(side, use->node))
            behind += fsd_hash_mix(
                fsd_hash_mix(fsd_align_color_of(side, FSD_COLOR_NODE, use->node),
                             use->slot),
                use->out);
    }
    if (!before || !behind)
        return 0;
    return fsd_hash_mix(fsd_hash_mix(side->label[node], before), behind);
}
