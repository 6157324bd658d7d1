/*
 * Finds the blocks of a model.  Each pattern has one or more forms (form.h), and some
 * forms have a condition in C because no form can express it.  Quantizers, casts, views
 * and transpositions may occur anywhere between the operators of a form.
 */
#include "base/base.h"
#include "explain/pattern/form.h"
#include "explain/pattern/pattern.h"
#include "model/graph/graph.h"

#include <stdlib.h>

enum { ANCESTORS = 1024 };

typedef bool holds_fn(struct fsd_attempt *a);

/* --------------------------------------------------------------------- the forms */

#define CONV    "BatchNormalization?(Conv|ConvTranspose)"
#define ACT     "@activation"
#define MOMENT  "Add(c, ReduceMean(Pow|Mul(x)))"
#define SPREAD  "Sqrt(Add(c, ReduceMean(Pow|Mul(Sub(x, ReduceMean(x))))))"
#define CENTRED "Sub(x, ReduceMean(x))"
#define ERF     "Add(c, Erf(Div|Mul(x, c)))"
#define TANH    "Add(c, Tanh(Mul(c, Add(x, Mul(c, Pow|Mul(x))))))"
#define TANH_2  "Add(c, Tanh(Mul(c, Mul(x, Add(c, Mul(c, Pow|Mul(x)))))))"
#define HALVED(of)                                                                     \
    {FSD_PATTERN_GELU, "Mul(c, Mul(x, " of "))", NULL},                                \
        {FSD_PATTERN_GELU, "Mul(x, Mul(c, " of "))", NULL},                            \
    {                                                                                  \
        FSD_PATTERN_GELU, "Mul(Mul(x, c), " of ")", NULL                               \
    }

static holds_fn is_closed, is_gate, is_skip;

/* If several forms fit at a node, the first form counts.  A node is in at most one
 * block of a pattern. */
static const struct form {
    enum fsd_pattern pattern;
    const char *text;
    holds_fn *holds; /* a further condition that must hold; NULL if there is none */
} forms[] = {
    {FSD_PATTERN_ATTENTION, "MatMul(*Softmax(*MatMul(q, k)), v)", NULL},
    {FSD_PATTERN_ATTENTION, "@attention(q, k, v)", NULL},
    {FSD_PATTERN_ATTENTION, "@attention", NULL},
    {FSD_PATTERN_LAYERNORM, "@layernorm", NULL},
    {FSD_PATTERN_LAYERNORM, "Add?(c, Mul?(c, Div(" CENTRED ", " SPREAD ")))", NULL},
    {FSD_PATTERN_LAYERNORM,
     "Add?(c, Mul?(c, Mul(" CENTRED ", Reciprocal(" SPREAD "))))", NULL},
    {FSD_PATTERN_RMSNORM, "@rmsnorm", NULL},
    {FSD_PATTERN_RMSNORM, "Mul?(c, Mul(x, Reciprocal(Sqrt(" MOMENT "))))", NULL},
    {FSD_PATTERN_RMSNORM, "Mul?(c, Mul(x, Div(c, Sqrt(" MOMENT "))))", NULL},
    {FSD_PATTERN_RMSNORM, "Mul?(c, Mul(x, Pow(" MOMENT ", c)))", NULL},
    {FSD_PATTERN_RMSNORM, "Mul?(c, Div(x, Sqrt(" MOMENT ")))", NULL},
    {FSD_PATTERN_GELU, "@gelu", NULL},
    HALVED(ERF),
    HALVED(TANH),
    HALVED(TANH_2),
    {FSD_PATTERN_SWIGLU, "Mul(u, Mul(g, Sigmoid(g)))", is_gate},
    {FSD_PATTERN_SWIGLU, "Mul(u, Swish(g))", is_gate},
    {FSD_PATTERN_CONV_BN_ACT, "Mul(b=" CONV ", Sigmoid|HardSigmoid(b))", is_closed},
    {FSD_PATTERN_CONV_BN_ACT, ACT "|Sigmoid|HardSigmoid(" CONV ")", is_closed},
    {FSD_PATTERN_CONV_BN_ACT, "BatchNormalization(Conv|ConvTranspose)", is_closed},
    {FSD_PATTERN_RESIDUAL,
     ACT "?(Add(b=Add?(c, BatchNormalization?(Conv|ConvTranspose|MatMul|Gemm)), s))",
     is_skip},
};

static bool is_passed(const struct fsd_facts *facts, fsd_id node)
{
    fsd_sym op = facts->g->nodes.at[node].op;

    return (facts->traits[node] & (FSD_OP_VIEW | FSD_OP_QDQ | FSD_OP_CASTS)) ||
           op == FSD_ONNX_Identity || op == FSD_ONNX_Dropout ||
           op == FSD_ONNX_Transpose;
}

/* Whether the node is a product with constant weights, such as a linear layer or a
 * convolution. */
static bool is_weighted(const struct fsd_attempt *a, fsd_id node)
{
    fsd_id weight = fsd_node_in_tensor(a->g, node, 1);

    return (a->facts->traits[node] & FSD_OP_WEIGHTED) &&
           fsd_is_constant(a->facts, weight);
}

/* ----------------------------------------- conditions that no expression states */

static fsd_id letter(const struct fsd_attempt *a, char name)
{
    return a->letter[name - 'a'];
}

/* Whether no node outside the block, and no output of the network, needs a tensor
 * inside the block.  A tensor that is needed outside must be written to memory, so one
 * kernel for the block would save little. */
static bool is_closed(struct fsd_attempt *a)
{
    for (uint32_t i = 1; i < a->n + a->n_passed; i++) {
        fsd_id node = i < a->n ? a->nodes[i] : a->passed[i - a->n];
        fsd_id out = fsd_node_out_tensor(a->g, node, 0);
        const struct fsd_tensor *t = &a->g->tensors.at[out];

        if (t->flags & FSD_TENSOR_OUTPUT)
            return false;
        FSD_EACH_ID (reader, a->g->links, t->consumers)
            if (!fsd_ids_have(a->nodes, a->n, reader) &&
                !fsd_ids_have(a->passed, a->n_passed, reader))
                return false;
    }
    return true;
}

/* The product with constant weights from which a tensor comes; FSD_NONE if there is
 * none.  Looks back through biases, and through nodes that take a part of a tensor. */
static fsd_id weighted_behind(const struct fsd_attempt *a, fsd_id tensor)
{
    for (uint32_t steps = 0; steps < FSD_FIT_WALK && !fsd_form_is_constant(a, tensor);
         steps++) {
        fsd_id node = fsd_form_producer(a, &tensor), in[2];

        if (node == FSD_NONE || is_weighted(a, node))
            return node;
        if (!fsd_form_is(a->facts, node, "Add|Split|Slice|Gather"))
            return FSD_NONE;
        in[0] = fsd_node_in_tensor(a->g, node, 0);
        in[1] = fsd_node_in_tensor(a->g, node, 1);
        if (!fsd_form_is_constant(a, in[0]) && !fsd_form_is_constant(a, in[1]))
            return FSD_NONE;
        tensor = fsd_form_is_constant(a, in[0]) ? in[1] : in[0];
    }
    return FSD_NONE;
}

/* Whether both factors of the Mul are results of products with weights.  Otherwise the
 * Mul need not be the gate of a SwiGLU. */
static bool is_gate(struct fsd_attempt *a)
{
    return weighted_behind(a, letter(a, 'u')) != FSD_NONE &&
           weighted_behind(a, letter(a, 'g')) != FSD_NONE;
}

/* Whether the node depends on the tensor or on a tensor of the same value.  Producers
 * have lower numbers than consumers, so nodes before the tensor's producer are not
 * visited. */
static bool is_ancestor(const struct fsd_attempt *a, fsd_id tensor, fsd_id node)
{
    const fsd_id *value = a->facts->value;
    fsd_id producer = fsd_tensor_producer(a->g, value[tensor]), todo[FSD_FIT_WALK],
           seen[ANCESTORS];
    uint32_t n = 0, n_seen = 0;

    todo[n++] = node;
    while (n) {
        fsd_id at = todo[--n];

        FSD_EACH_OF (in, a->g->ports, a->g->nodes.at[at].in, tensor) {
            fsd_id made;

            if (fsd_id_at(value, in) == value[tensor])
                return true;
            made = fsd_tensor_producer(a->g, in);
            if (made == FSD_NONE || fsd_form_is_constant(a, in) ||
                (producer != FSD_NONE && made <= producer) ||
                fsd_ids_have(seen, n_seen, made))
                continue;
            if (n == FSD_FIT_WALK || n_seen == ANCESTORS)
                return false;
            seen[n_seen++] = todo[n++] = made;
        }
    }
    return false;
}

/* Whether the matched Add belongs to a residual: x + f(x), or p(x) + f(x) with a
 * projection p.  Sets `end` to the last product in f, `joint` to the Add, and `either`
 * to the product in p. */
static bool is_skip(struct fsd_attempt *a)
{
    fsd_id skip = letter(a, 's'), other = skip, projection;

    for (uint32_t i = 0; i < a->n; i++)
        if (fsd_form_is(a->facts, a->nodes[i], "Conv|ConvTranspose|MatMul|Gemm"))
            a->end = a->nodes[i];
    if (a->end == FSD_NONE || !is_weighted(a, a->end) || !is_closed(a))
        return false;
    /* `nodes` lists the last node first, so the activation, if there is one, is before
     * the Add. */
    a->joint = a->nodes[!fsd_form_is(a->facts, a->nodes[0], "Add")];
    if (is_ancestor(a, skip, a->end))
        return true;
    projection = fsd_form_producer(a, &other);
    if (fsd_form_is(a->facts, projection, "BatchNormalization|Add"))
        projection = weighted_behind(a, fsd_node_in_tensor(a->g, projection, 0));
    if (projection == FSD_NONE || !is_weighted(a, projection))
        return false;
    other = fsd_node_in_tensor(a->g, projection, 0);
    fsd_form_producer(a, &other);
    a->either = projection;
    return is_ancestor(a, other, a->end);
}

/* --------------------------------------------------------------------------- qkv */

/* The product with constant weights from which a tensor comes; FSD_NONE if there is
 * none, FSD_SEVERAL if there are several.  Skips nodes that are no products, such as
 * nodes that rotate, split or repeat heads. */
static fsd_id projection_of(const struct fsd_attempt *a, fsd_id tensor, uint32_t *steps)
{
    fsd_id node, found = FSD_NONE;

    if (fsd_form_is_constant(a, tensor) || !*steps ||
        (node = fsd_form_producer(a, &tensor)) == FSD_NONE)
        return FSD_NONE;
    --*steps;
    if (a->facts->traits[node] & (FSD_OP_WEIGHTED | FSD_OP_SHAPE))
        return is_weighted(a, node) ? node : FSD_NONE;
    FSD_EACH_OF (t, a->g->ports, a->g->nodes.at[node].in, tensor) {
        fsd_id other = projection_of(a, t, steps);

        found = fsd_id_both(found, other);
    }
    return found;
}

/* The attempt has matched an attention.  Replaces its nodes by the nodes of the qkv
 * block: the three projections that produce queries, keys and values.  False if a
 * projection is not found, or if the projections do not read the same tensor. */
static bool take_projections(struct fsd_attempt *a)
{
    static const char of[] = "qkv";
    fsd_id made[3], source = FSD_NONE;

    for (int i = 0; i < 3; i++) {
        uint32_t steps = 4 * FSD_FIT_WALK;
        fsd_id tensor = letter(a, of[i]), data;

        made[i] = projection_of(a, tensor, &steps);
        if (made[i] == FSD_NONE || made[i] == FSD_SEVERAL || !steps)
            return false;
        data = fsd_node_in_tensor(a->g, made[i], 0);
        fsd_form_producer(a, &data);
        if (i && data != source)
            return false;
        source = data;
    }
    a->n = a->n_passed = 0;
    for (int i = 0; i < 3; i++)
        fsd_form_add(a->nodes, &a->n, made[i]);
    return true;
}

/* ----------------------------------------------------------------------- the list */

static struct fsd_span keep(struct fsd_blocks *blocks, fsd_id *nodes, uint32_t n)
{
    struct fsd_span span = {blocks->pool.n, n};

    qsort(nodes, n, sizeof *nodes, fsd_by_id);
    for (uint32_t i = 0; i < n; i++)
        fsd_vec_push(blocks->arena, &blocks->pool, nodes[i]);
    return span;
}

/* The bit of a pattern. layernorm and rmsnorm share one bit, because a part of a
 * layernorm is an rmsnorm. */
static uint16_t bit_of(enum fsd_pattern pattern)
{
    return (uint16_t)(1u << (pattern == FSD_PATTERN_RMSNORM ? FSD_PATTERN_LAYERNORM
                                                            : pattern));
}

/* Adds the block, unless one of its nodes is already in a block of the pattern. */
static void add_block(struct fsd_blocks *blocks, uint16_t *used, struct fsd_attempt *a,
                      enum fsd_pattern pattern, fsd_id anchor)
{
    uint16_t bit = bit_of(pattern);
    struct fsd_block block = {.pattern = (uint8_t)pattern,
                              .anchor = anchor,
                              .end = a->end,
                              .either = a->either,
                              .joint = a->joint};

    for (uint32_t i = 0; i < a->n; i++)
        if (used[a->nodes[i]] & bit)
            return;
    for (uint32_t i = 0; i < a->n; i++)
        used[a->nodes[i]] |= bit;
    block.nodes = keep(blocks, a->nodes, a->n);
    block.passed = keep(blocks, a->passed, a->n_passed);
    fsd_vec_push(blocks->arena, &blocks->list, block);
}

FSD_ORDERED(by_place, struct fsd_block, fsd_order(x->pattern, y->pattern),
            fsd_order(x->anchor, y->anchor))

enum { ASKED = 1u << FSD_COUNT_OF(forms) };
_Static_assert(FSD_COUNT_OF(forms) < 31, "one bit for each form, and one more");

/* Bit i of the result is set if forms[i] may end with this node's operator.  The bit
 * ASKED is always set.  `known` is indexed by operator and keeps the results, so that
 * each is computed only once. */
static uint32_t forms_ended_by(uint32_t *known, const struct fsd_graph *g, fsd_id node)
{
    uint32_t *forms_of = &known[g->nodes.at[node].op];

    for (size_t i = 0; !(*forms_of & ASKED) && i < FSD_COUNT_OF(forms); i++)
        *forms_of |= (uint32_t)fsd_form_may_end(
                         forms[i].text, fsd_text(g->names, g->nodes.at[node].op))
                     << i;
    return *forms_of |= ASKED;
}

/* Visits the nodes in reverse order, so that a whole form is found before a part of
 * it. */
void fsd_blocks_find(struct fsd_blocks *blocks, const struct fsd_facts *facts,
                     uint16_t patterns)
{
    const struct fsd_graph *g = facts->g;
    FSD_SCRATCH(scratch);
    uint16_t *used = FSD_NEW(scratch, uint16_t, g->nodes.n);
    bool *passing = FSD_NEW(scratch, bool, g->nodes.n);
    uint32_t *known = FSD_NEW(scratch, uint32_t, fsd_intern_count(g->names));
    struct fsd_attempt *a = FSD_NEW(scratch, struct fsd_attempt, 1);

    for (fsd_id node = 0; node < g->nodes.n; node++)
        passing[node] = is_passed(facts, node);
    a->facts = facts;
    a->g = g;
    a->passing = passing;
    for (fsd_id node = g->nodes.n; node-- > 0;)
        for (size_t i = 0; i < FSD_COUNT_OF(forms); i++) {
            if (passing[node] || !facts->live[node])
                break;
            if (!(patterns & bit_of(forms[i].pattern)) ||
                !(forms_ended_by(known, g, node) >> i & 1) ||
                used[node] & bit_of(forms[i].pattern) ||
                !fsd_form_fits(a, forms[i].text, node, forms[i].holds))
                continue;
            add_block(blocks, used, a, forms[i].pattern, node);
            if (forms[i].pattern == FSD_PATTERN_ATTENTION &&
                patterns & bit_of(FSD_PATTERN_QKV) && take_projections(a))
                add_block(blocks, used, a, FSD_PATTERN_QKV, node);
        }
    fsd_vec_sort(&blocks->list, by_place);
}
