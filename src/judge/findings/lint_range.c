/*
 * Finds nodes whose values FP16 cannot hold, because they may exceed its range or
 * because sums lose small terms, and all nodes that such values reach.
 *
 *     x --> Pow --> ReduceMean --> Add --> Sqrt --> Div      RMSNorm
 *           |------------- in FP32 --------------------|
 *
 * This is one pass over the nodes in order. A square, an exponential, a long sum or a
 * matrix product may exceed the range. Values computed from the result may exceed it,
 * too, until a node makes them small again: a division by such a value, a softmax, or a
 * factor below 1. A Cast to FP16 before that node would overflow. All nodes up to it
 * are in the finding, each with an edit; between two of them no Cast is needed.
 *
 * Measured values of tensors (--values) have priority. If the values of a tensor use at
 * most half of the range, the tensor counts as within the range; the other half is left
 * for other inputs. A tensor beyond the range exceeds it, whatever its node. Measured
 * values do not show lost terms.
 */
#include "base/base.h"
#include "explain/values/values.h"
#include "judge/findings/lint.h"
#include "model/graph/graph.h"
#include "model/graph/half.h"
#include "model/ops/ids.h"

#include <math.h>

enum { FAR = 16, LONG_SUM = 256 };

/* How large the values of a tensor may be. */
enum size {
    SMALL,   /* within the range, like all values that the model stores in FP16 */
    LARGE,   /* beyond the range */
    SCORE,   /* like LARGE, but before a softmax: a scaled-down SCORE is still a
                SCORE, whereas a scaled-down LARGE is SMALL */
    INVERSE, /* the reciprocal of a large value */
};

struct spread {
    const struct fsd_lint *l;
    const double *measured; /* indexed by tensor: the largest absolute value; NaN:
                               unknown. NULL: no values are known */
    uint8_t *of;            /* indexed by tensor: enum size */
    uint8_t *far;           /* indexed by tensor: the distance from the node that caused
                               the large values, in nodes */
    bool *scores;           /* indexed by node: the node is a product whose result
                               reaches a softmax */
    bool *members;          /* indexed by node */
};

static bool is(const struct spread *s, fsd_id node, fsd_sym op)
{
    return fsd_node_is(s->l->g, node, op);
}

static bool is_half(const struct spread *s, fsd_id tensor)
{
    return tensor != FSD_NONE && fsd_tensor_form(s->l->g, tensor)->type == FSD_FP16;
}

/* The number that a constant input holds; NaN if the input is no constant, or not a
 * single number. */
static double stored_at(const struct fsd_lint *l, fsd_id node, uint32_t input)
{
    fsd_id tensor = fsd_node_in_tensor(l->g, node, input);
    uint32_t n = 0;
    const double *at = tensor != FSD_NONE && l->facts->constant[tensor]
                           ? fsd_op_numbers(l->arena, l->g, tensor, &n)
                           : NULL;

    return at && n == 1 ? at[0] : (double)NAN;
}

double fsd_lint_factor(const struct fsd_lint *l, fsd_id node)
{
    double first;

    if (fsd_node_is(l->g, node, FSD_ONNX_Div))
        return 1 / stored_at(l, node, 1);
    if (!fsd_node_is(l->g, node, FSD_ONNX_Mul))
        return (double)NAN;
    first = stored_at(l, node, 0);
    return isnan(first) ? stored_at(l, node, 1) : first;
}

/* Whether the tensor is a single number that is known before the run, such as the
 * square root of a size. */
static bool is_one_number(const struct fsd_lint *l, fsd_id tensor)
{
    return tensor != FSD_NONE && fsd_is_build_constant(l->facts, tensor) &&
           fsd_shape_count(l->sizes->amounts, fsd_shape_of(l->sizes, tensor)) == 1;
}

/* Whether the node scales down its input. An unknown factor is assumed to be below 1,
 * like the factor that exporters compute from the head size. */
static bool makes_smaller(const struct fsd_lint *l, fsd_id node)
{
    const struct fsd_graph *g = l->g;
    double factor = fsd_lint_factor(l, node);

    return isnan(factor) ? (fsd_node_is(g, node, FSD_ONNX_Mul) &&
                            is_one_number(l, fsd_node_in_tensor(g, node, 0))) ||
                               ((fsd_node_is(g, node, FSD_ONNX_Mul) ||
                                 fsd_node_is(g, node, FSD_ONNX_Div)) &&
                                is_one_number(l, fsd_node_in_tensor(g, node, 1)))
                         : fabs(factor) < 1;
}

bool fsd_lint_is_scaled_first(const struct fsd_lint *l, fsd_id product)
{
    for (uint32_t i = 0; i < 2; i++) {
        fsd_id node = fsd_tensor_producer(l->g, fsd_node_in_tensor(l->g, product, i));

        for (int steps = 0; node != FSD_NONE && steps < FAR; steps++) {
            if (makes_smaller(l, node))
                return true;
            if (!(l->facts->traits[node] & FSD_OP_MOVES) &&
                !fsd_node_is(l->g, node, FSD_ONNX_Pad))
                break;
            node = fsd_tensor_producer(l->g, fsd_node_in_tensor(l->g, node, 0));
        }
    }
    return false;
}

/* Whether the node multiplies by a constant that makes its input smaller. */
static bool scales_down(const struct spread *s, fsd_id node)
{
    return fabs(fsd_lint_factor(s->l, node)) < 1;
}

/* How many elements the node reduces to one; 0: unknown. */
static int64_t reduced_by(const struct fsd_lint *l, fsd_id node)
{
    int64_t before = fsd_shape_count(
        l->sizes->amounts, fsd_shape_of(l->sizes, fsd_node_in_tensor(l->g, node, 0)));
    int64_t after = fsd_shape_count(
        l->sizes->amounts, fsd_shape_of(l->sizes, fsd_node_out_tensor(l->g, node, 0)));

    return before > 0 && after > 0 ? before / after : 0;
}

static bool is_square(const struct spread *s, fsd_id node)
{
    const struct fsd_graph *g = s->l->g;

    if (is(s, node, FSD_ONNX_Pow))
        return !(stored_at(s->l, node, 1) <= 1);
    return is(s, node, FSD_ONNX_Mul) &&
           fsd_node_in_tensor(g, node, 0) == fsd_node_in_tensor(g, node, 1);
}

/* Whether the result of a MatMul may exceed the range because the model scales it down
 * only afterwards:
 *   - If the result reaches a softmax: yes if the model scales down no operand before
 *     the product.
 *   - Otherwise: yes if the second operand is not constant, and the only reader of the
 *     result scales it down. */
static bool is_large_product(const struct spread *s, fsd_id node)
{
    const struct fsd_graph *g = s->l->g;
    fsd_id out = fsd_node_out_tensor(g, node, 0), next = fsd_tensor_only_reader(g, out);

    if (!is(s, node, FSD_ONNX_MatMul))
        return false;
    if (s->scores[node])
        return !fsd_lint_is_scaled_first(s->l, node);
    return !s->l->facts->constant[fsd_node_in_tensor(g, node, 1)] && next != FSD_NONE &&
           scales_down(s, next);
}

/* Whether a node may exceed the range or lose small terms, although its inputs are
 * within the range.
 * @param[out] made the size of the output's values */
static bool leaves(const struct spread *s, fsd_id node, enum size *made)
{
    unsigned traits = s->l->facts->traits[node];
    bool sum = is(s, node, FSD_ONNX_ReduceSum);

    *made = s->scores[node] ? SCORE : LARGE;
    if (is(s, node, FSD_ONNX_Exp) || is_square(s, node) || is_large_product(s, node))
        return true;
    if (traits & FSD_OP_REDUCES) {
        *made = sum ? LARGE : SMALL;
        return reduced_by(s->l, node) >= (sum ? LONG_SUM : FSD_LONG_REDUCTION);
    }
    *made = SMALL;
    return (traits & FSD_OP_SENSITIVE) && !is(s, node, FSD_ONNX_Pow);
}

static enum size of_input(const struct spread *s, fsd_id node, uint32_t input)
{
    fsd_id tensor = fsd_node_in_tensor(s->l->g, node, input);

    return tensor == FSD_NONE ? SMALL : (enum size)s->of[tensor];
}

/* Whether the node computes with the values of an input that is not SMALL, so that
 * the finding may include the node. True also for nodes that make the values SMALL
 * again. False for casts, quantizers and weighted operators such as a MatMul, and for
 * operators whose effect on large values is unknown.
 * @param in the size of the input's values; not SMALL
 * @param[out] made the size of the output's values */
static bool carries(const struct spread *s, fsd_id node, enum size in, enum size *made)
{
    unsigned traits = s->l->facts->traits[node];

    *made = in;
    if (traits & (FSD_OP_CASTS | FSD_OP_QDQ | FSD_OP_WEIGHTED))
        return false;
    if (is(s, node, FSD_ONNX_Reciprocal) ||
        (is(s, node, FSD_ONNX_Pow) && stored_at(s->l, node, 1) < 0))
        *made = INVERSE;
    else if ((is(s, node, FSD_ONNX_Div) && of_input(s, node, 1) != SMALL) ||
             (is(s, node, FSD_ONNX_Mul) && in == INVERSE) ||
             (in == LARGE && scales_down(s, node)) || is(s, node, FSD_ONNX_Log) ||
             is(s, node, FSD_ONNX_Sigmoid) || is(s, node, FSD_ONNX_Tanh) ||
             ((traits & FSD_OP_SENSITIVE) && !(traits & FSD_OP_BARE)))
        *made = SMALL;
    return traits & (FSD_OP_BARE | FSD_OP_MOVES | FSD_OP_REDUCES | FSD_OP_SENSITIVE |
                     FSD_OP_ELEMENTWISE | FSD_OP_ACTIVATION);
}

/* The largest measured absolute value of the node's outputs; NaN if none was
 * measured. */
static double measured_of(const struct spread *s, fsd_id node)
{
    const struct fsd_graph *g = s->l->g;
    double most = (double)NAN;

    for (uint32_t i = 0; s->measured && i < g->nodes.at[node].out.n; i++) {
        fsd_id tensor = fsd_node_out_tensor(g, node, i);

        if (tensor != FSD_NONE)
            most = fmax(most, s->measured[tensor]); /* if one argument is NaN, fmax()
                                                       returns the other */
    }
    return most;
}

static void look_at(struct spread *s, fsd_id node)
{
    double measured = measured_of(s, node);
    bool within = measured <= FSD_HALF_MOST / 2, beyond = measured > FSD_HALF_MOST;
    const struct fsd_graph *g = s->l->g;
    struct fsd_span in = g->nodes.at[node].in, out = g->nodes.at[node].out;
    enum size largest = SMALL, made = SMALL;
    uint8_t far = 0;

    for (uint32_t i = 0; i < in.n; i++) {
        fsd_id tensor = fsd_node_in_tensor(g, node, i);
        enum size size = of_input(s, node, i);

        if (tensor == FSD_NONE || size == SMALL)
            continue;
        largest = size > largest ? size : largest;
        far = s->far[tensor] > far ? s->far[tensor] : far;
    }
    s->members[node] = (leaves(s, node, &made) && (made == SMALL || !within)) || beyond;
    if (beyond)
        made = s->scores[node] ? SCORE : LARGE;
    if (s->members[node])
        far = 0;
    if (largest != SMALL && far < FAR && carries(s, node, largest, &made))
        s->members[node] = true;
    if (within && made != INVERSE)
        made = SMALL;
    for (uint32_t i = 0; i < out.n && s->members[node]; i++) {
        fsd_id tensor = fsd_node_out_tensor(g, node, i);

        if (!is_half(s, tensor))
            continue;
        s->of[tensor] = (uint8_t)made;
        s->far[tensor] = (uint8_t)(far + 1);
    }
}

/* Proposes to compute the node in FP32: a Cast before each FP16 input, and a Cast back
 * after each output. */
static void propose_casts(struct fsd_finder *f, fsd_id node)
{
    fsd_edit_add(f, (struct fsd_edit){.action = FSD_INSERT_CAST,
                                      .tensor = fsd_lint_tensor(
                                          f, fsd_node_in_tensor(f->lint->g, node, 0)),
                                      .node = node,
                                      .name = fsd_called(f, node),
                                      .type = "fp32",
                                      .effect = "computes the node in FP32",
                                      .on_request = true});
}

/* Operators such as LayerNormalization, which ONNX defines to compute in FP32
 * (stash_type), are not reported. */
void fsd_lint_fp16_range(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;
    uint32_t n = l->g->nodes.n, found = 0;
    double most = 0;
    struct spread s = {.l = l,
                       .measured = fsd_largest_values(f->scratch, l->g, f->d->numbers),
                       .of = FSD_NEW(f->scratch, uint8_t, l->g->tensors.n + 1),
                       .far = FSD_NEW(f->scratch, uint8_t, l->g->tensors.n + 1),
                       .scores = FSD_NEW(f->scratch, bool, n + 1),
                       .members = FSD_NEW(f->scratch, bool, n + 1)};

    for (fsd_id i = 0; i < n; i++)
        if (is(&s, i, FSD_ONNX_Softmax))
            fsd_set_at(s.scores, fsd_lint_product_before(l, i));
    for (fsd_id i = 0; i < n; i++) {
        if (!is_half(&s, fsd_node_in_tensor(l->g, i, 0)) || l->facts->folded[i])
            continue;
        look_at(&s, i);
        if (!s.members[i])
            continue;
        most = fmax(most, measured_of(&s, i));
        if (!found++)
            fsd_finding_open(f);
        fsd_about_node(f, i);
        propose_casts(f, i);
    }
    if (!found)
        return;
    f->now.listed = true;
    fprintf(f->out, "%u FP16 node%s compute%s values that ", found, fsd_plural(found),
            found == 1 ? "s" : "");
    if (most > FSD_HALF_MOST)
        fprintf(f->out, "exceed the range of FP16 (measured: up to %.4g)", most);
    else
        fputs("may exceed the range of FP16", f->out);
    fputs(", or sums that may lose small terms: ", f->out);
    fsd_put_subjects(f, f->now.nodes);
    fsd_lint_close(f);
}
