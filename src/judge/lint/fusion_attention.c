/*
 * The conditions of the rules on attention.
 *
 *     Q [.., S, D] --+
 *     K [.., D, T] --MatMul--(scale, mask)--Softmax--P [.., S, T]--MatMul--
 *     V [.., T, E] ------------------------------------------------+
 *
 * An unknown size satisfies no condition.
 */
#include "judge/lint/fusion.h"
#include "base/base.h"
#include "model/graph/graph.h"
#include "model/ops/ids.h"

enum {
    NARROW_HEAD = 8, /* head sizes up to NARROW_HEAD are not fused */
    WIDE = 256,      /* head sizes above WIDE are not fused */
    LEAST = 16,      /* the smallest documented head size */
    MULTIPLE = 8,    /* all documented head sizes are multiples of this */
    LONGEST = 512,   /* maximum number of keys in INT8 */
    SHORTEST = 32,   /* minimum number of keys in FP8 */
    SMALLER = 32,    /* SMALLER and LARGER: the head sizes for which
                      fsd_attention_computes_between() is true */
    LARGER = 64,
    STEPS = 16 /* maximum number of data-movement nodes that a walk passes */
};

int64_t fsd_attention_size(const struct fsd_measured_block *m, fsd_id tensor,
                           uint32_t back)
{
    const struct fsd_shape *x = fsd_shape_of(m->sizes, tensor);
    int64_t number;

    if (!x->ranked || back >= x->rank || x->dims[x->rank - 1 - back] < 0 ||
        !fsd_amount_number(m->sizes->amounts, x->dims[x->rank - 1 - back], &number))
        return -1;
    return number;
}

void fsd_attention_read(struct fsd_measured_block *m)
{
    const struct fsd_graph *g = m->facts->g;

    m->first = m->softmax = m->last = m->q = m->k = m->p = m->v = FSD_NONE;
    for (uint32_t i = 0; i < m->n; i++) {
        if (fsd_node_is(g, m->nodes[i], FSD_ONNX_MatMul)) {
            m->first = fsd_id_or(m->first, m->nodes[i]);
            m->last = m->nodes[i];
        } else if (fsd_node_is(g, m->nodes[i], FSD_ONNX_Softmax)) {
            m->softmax = m->nodes[i];
        }
    }
    if (m->first == m->last || m->softmax == FSD_NONE) {
        m->first = m->softmax = m->last = FSD_NONE;
        return;
    }
    m->q = fsd_node_in_tensor(g, m->first, 0);
    m->k = fsd_node_in_tensor(g, m->first, 1);
    m->p = fsd_node_in_tensor(g, m->last, 0);
    m->v = fsd_node_in_tensor(g, m->last, 1);
}

/* The element type of a node's output. */
static enum fsd_dtype type_of(const struct fsd_measured_block *m, fsd_id node)
{
    const struct fsd_graph *g = m->facts->g;
    fsd_id out = fsd_node_out_tensor(g, node, 0);

    return out == FSD_NONE ? FSD_DTYPE_UNKNOWN : fsd_tensor_form(g, out)->type;
}

fsd_id fsd_attention_dequantized(const struct fsd_measured_block *m, fsd_id tensor)
{
    const struct fsd_graph *g = m->facts->g;

    for (int steps = 0; steps < STEPS; steps++) {
        fsd_id node = fsd_tensor_producer(g, tensor);
        unsigned traits = fsd_traits_of(m->facts, node);

        if (traits & FSD_OP_DEQUANTIZE)
            return node;
        if (node == FSD_NONE || !(traits & (FSD_OP_VIEW | FSD_OP_COPIES)) ||
            traits & FSD_OP_PARTS)
            break;
        tensor = fsd_node_in_tensor(g, node, 0);
    }
    return FSD_NONE;
}

/* The type to which a tensor is quantized; FSD_DTYPE_UNKNOWN if it is not quantized. */
static enum fsd_dtype quantized_to(const struct fsd_measured_block *m, fsd_id tensor)
{
    const struct fsd_graph *g = m->facts->g;
    fsd_id dq = fsd_attention_dequantized(m, tensor);

    return dq == FSD_NONE ? FSD_DTYPE_UNKNOWN
                          : fsd_tensor_form(g, fsd_node_in_tensor(g, dq, 0))->type;
}

/* One bit for each of Q, K, P and V that is quantized. */
enum { Q = 1, K = 2, P = 4, V = 8, ALL = 15 };

static unsigned quantized(const struct fsd_measured_block *m)
{
    const fsd_id tensors[] = {m->q, m->k, m->p, m->v};
    unsigned which = 0;

    for (unsigned i = 0; i < FSD_COUNT_OF(tensors); i++)
        which |= (unsigned)(quantized_to(m, tensors[i]) != FSD_DTYPE_UNKNOWN) << i;
    return which;
}

/* Whether Q, K, P and V are all quantized to that type. */
static bool is_all(const struct fsd_measured_block *m, enum fsd_dtype type)
{
    return quantized(m) == ALL && quantized_to(m, m->q) == type;
}

/* --------------------------------------------------------------- what no edit cures */

/* Whether the builder fuses the node with the product before it looks for an
 * attention. */
static bool is_kept_with_product(const struct fsd_graph *g, fsd_id node)
{
    static const enum fsd_op_id kept[] = {
        FSD_ONNX_Tanh, FSD_ONNX_Relu, FSD_ONNX_Sigmoid, FSD_ONNX_Erf,
        FSD_ONNX_Elu,  FSD_ONNX_Mish, FSD_ONNX_Pow};

    for (unsigned i = 0; i < FSD_COUNT_OF(kept); i++)
        if (fsd_node_is(g, node, kept[i]))
            return true;
    return false;
}

bool fsd_attention_is_scored_otherwise(struct fsd_measured_block *m)
{
    const struct fsd_graph *g = m->facts->g;

    for (uint32_t i = 0; i < m->n; i++) {
        fsd_id node = m->nodes[i];

        if (node > m->first && node < m->softmax && is_kept_with_product(g, node)) {
            m->text[0] = fsd_text(m->names, g->nodes.at[node].op);
            return true;
        }
    }
    return false;
}

bool fsd_attention_is_across(struct fsd_measured_block *m)
{
    const struct fsd_graph *g = m->facts->g;
    const struct fsd_shape *x =
        fsd_shape_of(m->sizes, fsd_node_in_tensor(g, m->softmax, 0));
    int64_t axis =
        fsd_node_int(g, m->softmax, "axis", fsd_graph_opset(g) < 13 ? 1 : -1);

    m->number[0] = axis;
    return x->ranked && axis != -1 && axis != x->rank - 1;
}

/* The larger one of the head sizes of keys and values. */
static int64_t larger_head(const struct fsd_measured_block *m)
{
    int64_t key = fsd_attention_size(m, m->q, 0),
            value = fsd_attention_size(m, m->v, 0);

    return key > value ? key : value;
}

bool fsd_attention_is_wide(struct fsd_measured_block *m)
{
    m->number[0] = larger_head(m);
    return m->number[0] > WIDE;
}

/* Whether the scores are a single matrix: all sizes before the last two are 1. */
bool fsd_attention_is_single(struct fsd_measured_block *m)
{
    fsd_id scores = fsd_node_out_tensor(m->facts->g, m->first, 0);
    const struct fsd_shape *x = fsd_shape_of(m->sizes, scores);

    for (uint32_t i = 2; x->ranked && i < x->rank; i++)
        if (fsd_attention_size(m, scores, i) != 1)
            return false;
    return x->ranked;
}

bool fsd_attention_is_of_one_token(struct fsd_measured_block *m)
{
    fsd_id scores = fsd_node_out_tensor(m->facts->g, m->first, 0);

    return fsd_attention_size(m, scores, 0) == 1 &&
           fsd_attention_size(m, scores, 1) == 1;
}

/* --------------------------------------------------------------- what an edit cures */

/* Whether a tensor inside the block is an output of the network. */
bool fsd_attention_is_shown(struct fsd_measured_block *m)
{
    const struct fsd_graph *g = m->facts->g;

    for (uint32_t i = 0; i < m->n + m->n_passed; i++) {
        fsd_id node = i < m->n ? m->nodes[i] : m->passed[i - m->n];
        fsd_id out = fsd_node_out_tensor(g, node, 0);

        if (node < m->first || node >= m->last ||
            !fsd_tensor_is(g, out, FSD_TENSOR_OUTPUT))
            continue;
        m->text[0] = fsd_tensor_name(g, out);
        return true;
    }
    return false;
}

/* Whether the attention computes in FP32, which no kernel supports. If Q, K, P and V
 * are all quantized, the attention computes in 8 bits, even if the data before its
 * quantizers is in FP32. */
bool fsd_attention_is_fp32(struct fsd_measured_block *m)
{
    return type_of(m, m->first) == FSD_FP32 && quantized(m) != ALL;
}

/* Whether the head size is too small for a fused kernel. The function returns false for
 * FP8, because the builder itself pads small heads in FP8. */
bool fsd_attention_is_narrow(struct fsd_measured_block *m)
{
    if (is_all(m, FSD_FP8))
        return false;
    m->number[0] = fsd_attention_size(m, m->q, 0);
    return m->number[0] >= 1 && m->number[0] <= NARROW_HEAD;
}

bool fsd_attention_is_uneven(struct fsd_measured_block *m)
{
    m->number[0] = fsd_attention_size(m, m->q, 0);
    m->number[1] = fsd_attention_size(m, m->v, 0);
    return m->number[0] > 0 && m->number[1] > 0 && m->number[0] != m->number[1];
}

/* Whether the builder itself repeats a single head of keys or values. The builder does
 * this for all types if two conditions hold: the batch is dynamic or larger than one,
 * and only the Softmax computes between the two products. */
static bool is_repeated(const struct fsd_measured_block *m)
{
    const struct fsd_graph *g = m->facts->g;
    fsd_id scores = fsd_node_out_tensor(g, m->first, 0), behind;
    fsd_id node = fsd_tensor_producer(g, fsd_node_in_tensor(g, m->softmax, 0));

    for (int steps = 0; node != m->first && steps < STEPS; steps++) {
        if (!(fsd_traits_of(m->facts, node) &
              (FSD_OP_VIEW | FSD_OP_COPIES | FSD_OP_CASTS)))
            return false;
        node = fsd_tensor_producer(g, fsd_node_in_tensor(g, node, 0));
    }
    behind = fsd_attention_changes(m);
    return node == m->first && fsd_shape_of(m->sizes, scores)->rank == 4 &&
           fsd_attention_size(m, scores, 3) != 1 &&
           (behind == FSD_NONE || (fsd_traits_of(m->facts, behind) & FSD_OP_QDQ));
}

/* Whether K or V has a single head, which the product broadcasts to the heads of Q. */
bool fsd_attention_is_broadcast(struct fsd_measured_block *m)
{
    m->number[0] = fsd_attention_size(m, m->q, 2);
    return m->number[0] > 1 && !is_repeated(m) &&
           (fsd_attention_size(m, m->k, 2) == 1 || fsd_attention_size(m, m->v, 2) == 1);
}

/* Whether only one of the two products runs in 8 bits, because only one has two
 * quantized operands. */
bool fsd_attention_is_half_quantized(struct fsd_measured_block *m)
{
    unsigned which = quantized(m);
    bool first = (which & (Q | K)) == (Q | K), second = (which & (P | V)) == (P | V);

    m->text[0] = first ? "scores" : "output";
    return first != second;
}

/* Whether all consumers quantize the output, directly or after data movement. */
static bool is_output_quantized(const struct fsd_measured_block *m)
{
    const struct fsd_graph *g = m->facts->g;
    fsd_id out = fsd_node_out_tensor(g, m->last, 0), reader;

    for (int steps = 0; steps < STEPS; steps++) {
        reader = fsd_tensor_only_reader(g, out);
        if (reader == FSD_NONE ||
            !(m->facts->traits[reader] & (FSD_OP_VIEW | FSD_OP_COPIES)))
            break;
        out = fsd_node_out_tensor(g, reader, 0);
    }
    for (uint32_t i = 0; i < fsd_tensor_consumers(g, out).n; i++)
        if (!(fsd_traits_of(m->facts,
                            g->links.at[fsd_tensor_consumers(g, out).at + i]) &
              FSD_OP_QUANTIZE))
            return false;
    return !fsd_tensor_is(g, out, FSD_TENSOR_OUTPUT);
}

bool fsd_attention_is_int8_otherwise(struct fsd_measured_block *m)
{
    fsd_id scores = fsd_node_out_tensor(m->facts->g, m->first, 0);
    int64_t head = fsd_attention_size(m, m->q, 0),
            keys = fsd_attention_size(m, scores, 0),
            queries = fsd_attention_size(m, scores, 1);

    if (!is_all(m, FSD_INT8) || head < 0)
        return false;
    m->number[0] = head;
    m->text[0] = keys < 0 ? "a dynamic number of keys"
                          : fsd_printed(m->arena, "%d keys", (int)keys);
    m->text[1] = queries == 1             ? "one query"
                 : is_output_quantized(m) ? "several queries"
                                          : "an unquantized output";
    return (head != 16 && head != 32 && head != 64) || keys > LONGEST || queries == 1 ||
           !is_output_quantized(m);
}

/* Whether the attention is in FP8, but the FP8 kernel does not support it: the number
 * of keys is dynamic or less than SHORTEST, or the output is FP32 and is not quantized.
 * False for a single query, because another kernel computes such an attention. */
bool fsd_attention_is_fp8_otherwise(struct fsd_measured_block *m)
{
    fsd_id scores = fsd_node_out_tensor(m->facts->g, m->first, 0);
    const struct fsd_shape *x = fsd_shape_of(m->sizes, scores);
    int64_t keys = fsd_attention_size(m, scores, 0);

    if (!is_all(m, FSD_FP8) || !x->ranked || fsd_attention_size(m, scores, 1) == 1)
        return false;
    m->text[0] = keys < 0 ? "a dynamic number of keys"
                          : fsd_printed(m->arena, "%d keys", (int)keys);
    if (keys >= 0 ? keys < SHORTEST
                  : fsd_amount_is_open(m->sizes->amounts, x->dims[x->rank - 1]))
        return true;
    m->text[0] = "an unquantized FP32 output";
    return type_of(m, m->first) == FSD_FP32 && !is_output_quantized(m);
}

/* Whether the tensor is a constant of one element. */
static bool is_number(const struct fsd_measured_block *m, fsd_id tensor)
{
    const struct fsd_shape *x = fsd_shape_of(m->sizes, tensor);

    for (uint32_t i = 0; x->ranked && i < x->rank; i++)
        if (fsd_attention_size(m, tensor, i) != 1)
            return false;
    return x->ranked && fsd_is_constant(m->facts, tensor);
}

/* If the node multiplies or divides a tensor by a number: the index of the input with
 * the tensor; -1 for any other node. */
static int scale_input(const struct fsd_measured_block *m, fsd_id node)
{
    const struct fsd_graph *g = m->facts->g;
    bool multiplies = fsd_node_is(g, node, FSD_ONNX_Mul);

    if (!multiplies && !fsd_node_is(g, node, FSD_ONNX_Div))
        return -1;
    return is_number(m, fsd_node_in_tensor(g, node, 1))                 ? 1
           : multiplies && is_number(m, fsd_node_in_tensor(g, node, 0)) ? 0
                                                                        : -1;
}

bool fsd_attention_has_between(const struct fsd_measured_block *m, fsd_id node)
{
    return node > m->softmax && node < m->last;
}

bool fsd_attention_computes_between(int64_t head)
{
    return head == SMALLER || head == LARGER;
}

/* Whether a node is between the Softmax and the quantizer of the Softmax's output. A
 * multiplication by a number does not count, because the builder moves it away. */
bool fsd_attention_is_masked_behind(struct fsd_measured_block *m)
{
    if (quantized(m) != ALL)
        return false;
    for (uint32_t i = m->n; i-- > 0;)
        if (fsd_attention_has_between(m, m->nodes[i]) &&
            scale_input(m, m->nodes[i]) < 0) {
            m->text[0] = fsd_text(m->names, m->facts->g->nodes.at[m->nodes[i]].op);
            return true;
        }
    return false;
}

/* Whether the builder removes the node. The builder removes a Cast. It also removes the
 * IsNaN and the Where of Where(IsNaN(x), 0, x), because a Softmax outputs no NaN. */
static bool is_removed(const struct fsd_measured_block *m, fsd_id node)
{
    const struct fsd_graph *g = m->facts->g;
    fsd_id asks = fsd_tensor_producer(g, fsd_node_in_tensor(g, node, 0));

    return fsd_node_is(g, node, FSD_ONNX_IsNaN) ||
           m->facts->traits[node] & FSD_OP_CASTS ||
           (fsd_node_is(g, node, FSD_ONNX_Where) &&
            fsd_node_is(g, asks, FSD_ONNX_IsNaN));
}

fsd_id fsd_attention_changes(const struct fsd_measured_block *m)
{
    for (uint32_t i = m->n; i-- > 0;)
        if (fsd_attention_has_between(m, m->nodes[i]) &&
            scale_input(m, m->nodes[i]) < 0 && !is_removed(m, m->nodes[i]))
            return m->nodes[i];
    return FSD_NONE;
}

/* Returns why no attention kernel can compute operators (other than masks) between the
 * Softmax and the product with V of this block. NULL if a kernel can, if there is a
 * single query, or if a size is unknown. */
static const char *beyond_changed(const struct fsd_measured_block *m)
{
    fsd_id scores = fsd_node_out_tensor(m->facts->g, m->first, 0);
    const struct fsd_shape *x = fsd_shape_of(m->sizes, scores);
    int64_t head = fsd_attention_size(m, m->q, 0),
            keys = fsd_attention_size(m, scores, 0),
            queries = fsd_attention_size(m, scores, 1);

    if (!x->ranked || queries == 1)
        return NULL;
    for (uint32_t i = 0; i < x->rank; i++)
        if (fsd_amount_is_open(m->sizes->amounts, x->dims[i]))
            return "the sizes are dynamic";
    return type_of(m, m->first) == FSD_BF16 ? "the attention is BF16"
           : head > 0 && !fsd_attention_computes_between(head)
               ? fsd_printed(m->arena, "the head size is %d", (int)head)
           : keys > 0 && queries > 0 && (keys != queries || keys > LONGEST)
               ? fsd_printed(m->arena, "there are %d queries and %d keys", (int)queries,
                             (int)keys)
               : NULL;
}

bool fsd_attention_is_changed(struct fsd_measured_block *m)
{
    fsd_id node = fsd_attention_changes(m);

    if (node == FSD_NONE || (m->facts->traits[node] & FSD_OP_QDQ))
        return false;
    m->text[0] = fsd_text(m->names, m->facts->g->nodes.at[node].op);
    m->text[1] = fsd_node_is(m->facts->g, node, FSD_ONNX_Relu)
                     ? "no kernel supports this operator there"
                     : beyond_changed(m);
    return m->text[1] != NULL;
}

/* Whether P is quantized, V is not, and no attention kernel computes the quantizers of
 * P (beyond_changed()). Because V is not quantized, the product of P and V does not run
 * in 8 bits, and the quantizers only round P. */
bool fsd_attention_is_rounded(struct fsd_measured_block *m)
{
    if ((quantized(m) & (P | V)) != P)
        return false;
    m->text[0] = beyond_changed(m);
    return m->text[0] != NULL;
}

/* The node that computes a tensor. Data movement and scaling by a number between that
 * node and the tensor are skipped. FSD_NONE: the tensor is an input of the network.
 * @param scaled set to true if the tensor is scaled */
static fsd_id computed_by(const struct fsd_measured_block *m, fsd_id tensor,
                          bool *scaled)
{
    const struct fsd_graph *g = m->facts->g;
    fsd_id node = fsd_tensor_producer(g, tensor);

    for (int steps = 0; node != FSD_NONE && steps < STEPS; steps++) {
        int scale = scale_input(m, node);

        if (scale < 0 && (!(m->facts->traits[node] & (FSD_OP_VIEW | FSD_OP_COPIES)) ||
                          m->facts->traits[node] & FSD_OP_PARTS))
            break;
        *scaled |= scale >= 0;
        node = fsd_tensor_producer(g, fsd_node_in_tensor(g, node, scale == 0));
    }
    return node;
}

/* Whether the builder can fold the scale of the keys into `node`, which computes the
 * keys before they are scaled. `node` must be an elementwise operator with at least two
 * inputs. The type must be FP16, which the caller checks. */
static bool is_foldable(const struct fsd_measured_block *m, fsd_id node)
{
    return fsd_node_has_in(m->facts->g, node, 1) &&
           m->facts->traits[node] & FSD_OP_ELEMENTWISE;
}

/* Whether the builder merges `node` with the first product, because `node` multiplies
 * the same queries. The operands must have three axes, and none of them may be an input
 * of the network. The type must not be FP32. If the keys are scaled, the builder must
 * be able to fold the scale. */
bool fsd_attention_is_merged_with(const struct fsd_measured_block *m, fsd_id node)
{
    const struct fsd_graph *g = m->facts->g;
    fsd_id keys, other = fsd_node_in_tensor(g, node, 1);
    enum fsd_dtype type = type_of(m, m->first);
    bool scaled = false, apart = false;

    if (node == m->first || !fsd_node_is(g, node, FSD_ONNX_MatMul) ||
        fsd_node_in_tensor(g, node, 0) != m->q || type == FSD_FP32 ||
        fsd_shape_of(m->sizes, m->q)->rank != 3 ||
        fsd_shape_of(m->sizes, other)->rank != 3)
        return false;
    keys = computed_by(m, m->k, &scaled);
    return keys != FSD_NONE &&
           (!scaled || (type == FSD_FP16 && is_foldable(m, keys))) &&
           computed_by(m, m->q, &apart) != FSD_NONE &&
           (fsd_is_constant(m->facts, other) ||
            computed_by(m, other, &apart) != FSD_NONE);
}

bool fsd_attention_shares_queries(struct fsd_measured_block *m)
{
    const struct fsd_graph *g = m->facts->g;
    struct fsd_span readers = fsd_tensor_consumers(g, m->q);

    FSD_EACH_ID (node, g->links, readers) {
        if (!fsd_attention_is_merged_with(m, node))
            continue;
        m->text[0] = g->nodes.at[node].name ? fsd_text(m->names, g->nodes.at[node].name)
                                            : "another product";
        return true;
    }
    return false;
}

/* --------------------------------------------------------------- what is documented */

bool fsd_attention_is_beyond_documented(struct fsd_measured_block *m)
{
    int64_t head = larger_head(m);

    m->number[0] = head;
    return head > 0 && (head < LEAST || head > WIDE || head % MULTIPLE);
}
