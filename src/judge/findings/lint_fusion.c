/*
 * Finds blocks that the builder will not compute as one kernel. The fusion rules that
 * apply to a block (judge/lint/fusion.c) state the reasons. Edits are proposed only if
 * there is an edit for each of these rules.
 *
 * For an attention, Casts change the type of its two products, and of the nodes between
 * the Softmax and the second product. Scale and mask stay in FP32. The type is FP16
 * under two conditions, else BF16:
 * - The queries or keys are scaled before the first product, or an edit can move a
 *   constant scale there. Otherwise scores may exceed the FP16 range (cast/fp16-range).
 * - There are no nodes between the Softmax and the second product, or the builder has
 *   FP16 kernels for the head size (type_for()).
 */
#include "base/base.h"
#include "judge/findings/lint.h"
#include "judge/lint/fusion.h"
#include "model/graph/graph.h"

#include <math.h>

enum { LEAST_HEAD = 16, DEEPER = 8, BF16_OPSET = 13, BF16_SM = 80 };

/* ---------------------------------------------------------------------------- types */

/* The node that scales the scores and does nothing else; FSD_NONE if there is none. */
static fsd_id scale_behind(const struct fsd_lint *l, fsd_id product)
{
    fsd_id node = fsd_tensor_only_reader(l->g, fsd_node_out_tensor(l->g, product, 0));
    double factor = node == FSD_NONE ? (double)NAN : fsd_lint_factor(l, node);

    return fabs(factor) < 1 && !fsd_tensor_is(l->g, fsd_node_out_tensor(l->g, node, 0),
                                              FSD_TENSOR_OUTPUT)
               ? node
               : FSD_NONE;
}

static bool has_bf16(const struct fsd_lint *l)
{
    return fsd_graph_opset(l->g) >= BF16_OPSET &&
           (!l->target.sm || l->target.sm >= BF16_SM);
}

/* Whether there are nodes between the Softmax and the product with the values. */
static bool any_between(const struct fsd_measured_block *m)
{
    bool any = false;

    for (uint32_t i = 0; i < m->n; i++)
        any |= fsd_attention_has_between(m, m->nodes[i]);
    return any;
}

/* The 16-bit type for the products; NULL if neither FP16 nor BF16 is possible. If there
 * are nodes between the Softmax and the product with the values, FP16 is possible for
 * two head sizes only, because the builder has no kernels for other sizes. */
static const char *type_for(const struct fsd_lint *l,
                            const struct fsd_measured_block *m)
{
    bool fits = fsd_attention_computes_between(fsd_attention_size(m, m->q, 0)) ||
                !any_between(m);

    return fits && (fsd_lint_is_scaled_first(l, m->first) ||
                    scale_behind(l, m->first) != FSD_NONE)
               ? "fp16"
           : has_bf16(l) ? "bf16"
                         : NULL;
}

static void cast(struct fsd_finder *f, fsd_id product, const char *type,
                 const char *effect)
{
    fsd_edit_of_block(f, (struct fsd_edit){.action = FSD_INSERT_CAST,
                                           .node = product,
                                           .type = type,
                                           .effect = effect});
}

static void scale_first(struct fsd_finder *f, fsd_id product, fsd_id scale)
{
    fsd_edit_of_block(
        f, (struct fsd_edit){
               .action = FSD_SCALE_FIRST,
               .node = product,
               .to = scale,
               .to_name = fsd_called(f, scale),
               .scale = fsd_lint_factor(f->lint, scale),
               .effect = "rounds the scaled queries instead of the scaled scores; the "
                         "scores stay within the range of FP16"});
}

/* Proposes casts for the product with the values, and for all nodes between the Softmax
 * and this product. An example of such a node is a Where for completely masked rows. If
 * there are such nodes and the type is BF16, the Softmax is cast, too. Otherwise, the
 * builder would not recognize the attention. */
static void cast_behind(struct fsd_finder *f, const struct fsd_measured_block *m,
                        const char *type)
{
    const char *effect = fsd_printed(
        f->found->arena, "rounds the inputs and the output of the attention to %s",
        strcmp(type, "fp16") ? "BF16" : "FP16");

    if (any_between(m) && strcmp(type, "fp16") != 0)
        cast(f, m->softmax, type, effect);
    for (uint32_t i = 0; i < m->n; i++)
        if (m->nodes[i] > m->softmax && m->nodes[i] <= m->last)
            cast(f, m->nodes[i], type, effect);
}

static bool propose_casts(struct fsd_finder *f, const struct fsd_measured_block *m)
{
    const struct fsd_lint *l = f->lint;
    const char *type = type_for(l, m);
    bool half = type && !strcmp(type, "fp16"),
         scaled = fsd_lint_is_scaled_first(l, m->first);
    fsd_id scale = scale_behind(l, m->first);

    if (!type || (!half && fsd_attention_changes(m) != FSD_NONE))
        return false;
    if (half && !scaled)
        scale_first(f, m->first, scale);
    cast(f, m->first, type,
         half ? "rounds the inputs and the output of the attention to FP16"
         : scaled || scale != FSD_NONE
             ? "rounds the inputs and the output of the attention to BF16"
             : "rounds the inputs and the output of the attention to BF16 (not to "
               "FP16, because unscaled scores may exceed the range of FP16)");
    cast_behind(f, m, type);
    return true;
}

/* ---------------------------------------------------------------------------- sizes */

static void pad(struct fsd_finder *f, fsd_id node, uint32_t input, uint32_t axis,
                int64_t from, int64_t to)
{
    if (from < to)
        fsd_edit_of_block(f, (struct fsd_edit){.action = FSD_PAD_INPUT,
                                               .node = node,
                                               .input = input,
                                               .axis = axis,
                                               .size = to,
                                               .effect = "adds zeros"});
}

/* Proposes to pad the head size with zeros. Zeros appended to Q and K add nothing to
 * the scores. Zeros appended to V add elements to the output; an edit removes these
 * elements. */
static bool propose_pads(struct fsd_finder *f, const struct fsd_measured_block *m)
{
    int64_t key = fsd_attention_size(m, m->q, 0),
            value = fsd_attention_size(m, m->v, 0);
    int64_t size = key > value ? key : value;

    if (key < 0 || value < 0 || fsd_attention_size(m, m->k, 1) != key)
        return false;
    size = size < LEAST_HEAD ? LEAST_HEAD : size;
    pad(f, m->first, 0, 0, key, size);
    pad(f, m->first, 1, 1, key, size);
    pad(f, m->last, 1, 0, value, size);
    if (value < size)
        fsd_edit_of_block(
            f,
            (struct fsd_edit){
                .action = FSD_SLICE_OUTPUT,
                .node = m->last,
                .size = value,
                .effect =
                    "removes the output elements that the padding of the input adds"});
    return true;
}

static void repeat(struct fsd_finder *f, const struct fsd_measured_block *m,
                   fsd_id node, fsd_id tensor)
{
    if (fsd_attention_size(m, tensor, 2) == 1)
        fsd_edit_of_block(
            f, (struct fsd_edit){.action = FSD_REPEAT_HEADS,
                                 .node = node,
                                 .input = 1,
                                 .axis = 2,
                                 .size = fsd_attention_size(m, m->q, 2),
                                 .effect = "repeats the head that the matrix product "
                                           "broadcasts"});
}

static bool propose_heads(struct fsd_finder *f, const struct fsd_measured_block *m)
{
    repeat(f, m, m->first, m->k);
    repeat(f, m, m->last, m->v);
    return true;
}

/* Proposes to pad the summed axis of another product that also reads the queries. The
 * builder then does not merge this product with the attention's first product. */
static bool propose_depths(struct fsd_finder *f, const struct fsd_measured_block *m)
{
    struct fsd_span readers = fsd_tensor_consumers(f->lint->g, m->q);
    int64_t depth = fsd_attention_size(m, m->q, 0);

    for (uint32_t i = 0; depth >= 0 && i < readers.n; i++) {
        fsd_id node = f->lint->g->links.at[readers.at + i];

        if (!fsd_attention_is_merged_with(m, node))
            continue;
        pad(f, node, 0, 0, depth, depth + DEEPER);
        pad(f, node, 1, 1, depth, depth + DEEPER);
    }
    return depth >= 0;
}

/* -------------------------------------------------------------- outputs, quantizers */

static void unmark(struct fsd_finder *f, fsd_id node)
{
    fsd_edit_of_block(f,
                      (struct fsd_edit){.action = FSD_UNMARK_OUTPUT,
                                        .node = node,
                                        .effect = "removes one output of the network"});
}

static bool propose_unmarking(struct fsd_finder *f, const struct fsd_measured_block *m)
{
    const struct fsd_graph *g = f->lint->g;

    for (uint32_t i = 0; i < m->n + m->n_passed; i++) {
        fsd_id node = i < m->n ? m->nodes[i] : m->passed[i - m->n];

        if (node >= m->first && node < m->last &&
            fsd_tensor_is(g, fsd_node_out_tensor(g, node, 0), FSD_TENSOR_OUTPUT))
            unmark(f, node);
    }
    return true;
}

static void remove_pair(struct fsd_finder *f, fsd_id quantizer)
{
    fsd_edit_of_block(f, (struct fsd_edit){.action = FSD_REMOVE_PAIR,
                                           .node = quantizer,
                                           .effect = "the tensor is no longer rounded "
                                                     "and clipped"});
}

/* Proposes to remove the Q/DQ pairs that the products read. A pair that several inputs
 * share is removed once. */
static bool propose_unquantized(struct fsd_finder *f,
                                const struct fsd_measured_block *m)
{
    const struct fsd_lint *l = f->lint;
    const fsd_id tensors[] = {m->q, m->k, m->p, m->v};
    fsd_id removed[FSD_COUNT_OF(tensors)];
    uint32_t n = 0;

    for (uint32_t i = 0; i < FSD_COUNT_OF(tensors); i++) {
        fsd_id dq = fsd_attention_dequantized(m, tensors[i]);
        const struct fsd_quantizer *q = fsd_lint_q_of(l, fsd_lint_quantizer(l, dq));
        bool again = false;

        if (dq != FSD_NONE && !q)
            return false;
        for (uint32_t k = 0; k < n && q; k++)
            again |= removed[k] == q->node;
        if (!q || again)
            continue;
        removed[n++] = q->node;
        remove_pair(f, q->node);
    }
    return n > 0;
}

/* --------------------------------------------------------------------------- blocks */

static bool is_fp32(const struct fsd_lint *l, fsd_id product)
{
    return fsd_tensor_form(l->g, fsd_node_out_tensor(l->g, product, 0))->type ==
           FSD_FP32;
}

/* Proposes all edits that the rules require, each once, in an order in which a script
 * can apply them. If one of the rules has no edit, proposes none. */
static void propose_edit(struct fsd_finder *f, const struct fsd_measured_block *m,
                         const fsd_block_reasons *why)
{
    static bool (*const makes[])(struct fsd_finder * f,
                                 const struct fsd_measured_block *m) = {
        [FSD_CURE_UNMARK] = propose_unmarking,
        [FSD_CURE_UNQUANTIZE] = propose_unquantized,
        [FSD_CURE_REPEAT] = propose_heads,
        [FSD_CURE_PADS] = propose_pads,
        [FSD_CURE_CASTS] = propose_casts,
        [FSD_CURE_APART] = propose_depths};
    unsigned asked = 0;
    bool made = true;

    for (uint32_t i = 0; i < why->n; i++)
        asked |= 1u << why->at[i].rule->cure;
    if (asked & 1u << FSD_CURE_UNQUANTIZE && is_fp32(f->lint, m->first))
        asked |= 1u << FSD_CURE_CASTS;
    if (asked & 1u << FSD_CURE_NONE)
        return;
    for (unsigned i = 0; i < FSD_COUNT_OF(makes); i++)
        if (makes[i] && asked & 1u << i)
            made &= makes[i](f, m);
    if (!made)
        fsd_edits_drop(f);
}

static void report(struct fsd_finder *f, const struct fsd_blocks *all,
                   const struct fsd_block *b, const fsd_block_reasons *why)
{
    const struct fsd_lint *l = f->lint;
    struct fsd_measured_block m =
        fsd_block_measure(f->found->arena, all, b, l->facts, l->sizes);

    fsd_finding_open(f);
    FSD_EACH_ID (node, all->pool, b->nodes)
        fsd_about_node(f, node);
    fprintf(f->out, "the %s of `%s` will not be one kernel: %s",
            fsd_pattern_name((enum fsd_pattern)b->pattern), fsd_called(f, b->anchor),
            fsd_block_reasons_text(f->scratch, why));
    fsd_fact_text(f, "fusion", why->at[0].rule->id);
    if (why->at[0].edit)
        fsd_fact_text(f, "edit", why->at[0].edit);
    propose_edit(f, &m, why);
    fsd_lint_close(f);
}

void fsd_lint_attention(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;
    const char *builder = fsd_families_text(f->scratch, l->target.family);
    const struct fsd_blocks *all = fsd_blocks_of_model(f->scratch, l->facts);

    FSD_EACH (const struct fsd_block, b, all->list) {
        fsd_block_reasons why = {0};

        if (b->pattern != FSD_PATTERN_ATTENTION)
            continue;
        fsd_block_reasons_of(f->found->arena, all, b, l->facts, l->sizes, builder,
                             &why);
        if (why.n)
            report(f, all, b, &why);
    }
}
