/*
 * Where the patterns are in a model.
 *
 * A form of a pattern is an expression, read from its last node towards its inputs:
 *
 *     Add?(c, Mul?(c, Div(Sub(x, ReduceMean(x)), ...)))
 *
 * A capital begins an operator, `|` another one that will do, `@` all that
 * ops/table.inc says are known as that word; `?` may be left out, and
 * then its last operand stands in its place.  `c` is a constant, any other small letter
 * a tensor that is none, the same one wherever the letter stands; `b=` names what
 * follows.  `*` goes through whatever works element by element (scales, masks) to the
 * only such operator behind it.  Operands that are not listed are not looked at.  Of
 * symmetric operators either order will do.  Quantizers, casts, views and
 * transpositions may stand anywhere between, and are kept as passed.
 */
#include "base/id.h"
#include "pattern/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 64, MOST_ARGS = 3, MOST_CHOICES = 12, LETTERS = 26 };

/* Steps that one walk may take: a block is a neighbourhood. */
enum { WALK = 64, ANCESTORS = 1024 };

/* A match on its way. */
struct attempt {
    const struct fsd_facts *facts;
    const struct fsd_graph *g;
    const bool *passing;    /* by node: is_passed(), which every step asks */
    fsd_id letter[LETTERS]; /* tensors; FSD_NONE */
    fsd_id nodes[MOST_NODES], passed[MOST_NODES];
    uint32_t n, n_passed;
    fsd_id end, either; /* of a residual */
    /* Which order of operands is tried, by symmetric operator met: all of them in turn,
     * since which letter is which may show much later. */
    bool flipped[MOST_CHOICES];
    uint32_t met, chosen;
};

typedef bool holds_fn(struct attempt *a);

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

/* Of forms that fit one node the first one counts; a node is in one block of a pattern.
 */
static const struct form {
    enum fsd_pattern pattern;
    const char *text;
    holds_fn *holds; /* what no expression tells; NULL: nothing */
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

/* ------------------------------------------------------------------- expressions */

/* The head of an expression, taken apart. */
struct expr {
    char letter; /* 0: none */
    bool walks, optional;
    const char *names; /* "Div|Mul"; empty: only a letter */
    size_t length;
    const char *args[MOST_ARGS];
    uint32_t n_args;
};

static struct expr take_apart(const char *text)
{
    struct expr e = {0};
    int depth = 0;

    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): arguments are texts */
    if (*text >= 'a' && *text <= 'z') {
        e.letter = *text++;
        if (*text != '=')
            return e;
        text++;
    }
    e.walks = *text == '*';
    e.names = text += e.walks;
    e.length = strcspn(text, "?(,)");
    text += e.length;
    e.optional = *text == '?';
    text += e.optional;
    if (*text != '(')
        return e;
    for (; *text; text++) {
        if ((*text == '(' && !depth++) || (*text == ',' && depth == 1))
            e.args[e.n_args++] = text + 1 + strspn(text + 1, " ");
        if (*text == ')' && !--depth)
            break;
    }
    return e;
}

static bool is_word(const char *list, size_t length, const char *word)
{
    size_t n = strlen(word);

    for (const char *at = list; at < list + length; at += strcspn(at, "|, )") + 1)
        if (!strncmp(at, word, n) && (at + n == list + length || at[n] == '|'))
            return true;
    return false;
}

/* As is_word(), with what operators are known as. */
static bool is_op(const char *list, size_t length, const char *op)
{
    char known[32] = "@";

    if (is_word(list, length, op))
        return true;
    if (!memchr(list, '@', length) || !fsd_op_known_as(op))
        return false;
    snprintf(known + 1, sizeof known - 1, "%s", fsd_op_known_as(op));
    return is_word(list, length, known);
}

/* ------------------------------------------------------------------------- nodes */

static const char *op_of(const struct fsd_graph *g, fsd_id node)
{
    return fsd_text(g->names, g->nodes.at[node].op);
}

/* Of a known domain: who defines a "Gelu" of his own may mean anything. */
static bool is_named(const struct attempt *a, fsd_id node, const struct expr *e)
{
    return (a->facts->traits[node] & FSD_OP_STANDARD) &&
           is_op(e->names, e->length, op_of(a->g, node));
}

static bool is_passed(const struct fsd_facts *facts, fsd_id node)
{
    fsd_sym op = facts->g->nodes.at[node].op;

    return (facts->traits[node] & (FSD_OP_VIEW | FSD_OP_QDQ | FSD_OP_CASTS)) ||
           op == FSD_ONNX_Identity || op == FSD_ONNX_Dropout ||
           op == FSD_ONNX_Transpose;
}

static bool is_elementwise(const struct attempt *a, fsd_id node)
{
    return (a->facts->traits[node] & FSD_OP_ELEMENTWISE) != 0;
}

/* A layer of the network in the user's sense: a product with constant weights. */
static bool is_weighted(const struct attempt *a, fsd_id node)
{
    fsd_id weight = fsd_node_in_tensor(a->g, node, 1);

    return (a->facts->traits[node] & FSD_OP_WEIGHTED) && weight != FSD_NONE &&
           a->facts->constant[weight];
}

static bool is_constant(const struct attempt *a, fsd_id tensor)
{
    return tensor == FSD_NONE || a->facts->constant[tensor];
}

/* Who makes the tensor, seen through what is passed; FSD_NONE: nobody.  A maker stands
 * before its readers, or the file goes round in a circle. */
static fsd_id maker_of(const struct attempt *a, fsd_id *tensor)
{
    fsd_id node = fsd_tensor_producer(a->g, *tensor);

    while (node != FSD_NONE && a->passing[node] &&
           fsd_node_in_tensor(a->g, node, 0) != FSD_NONE) {
        fsd_id in = fsd_node_in_tensor(a->g, node, 0);
        fsd_id maker = fsd_tensor_producer(a->g, in);

        if (maker != FSD_NONE && maker >= node)
            break;
        *tensor = in;
        node = maker;
    }
    return node;
}

static void add(fsd_id *list, uint32_t *n, fsd_id node)
{
    for (uint32_t i = 0; i < *n; i++)
        if (list[i] == node)
            return;
    if (*n < MOST_NODES)
        list[(*n)++] = node;
}

/* Keeps what maker_of() went through. */
static void keep_passed(struct attempt *a, fsd_id from, fsd_id to)
{
    for (fsd_id t = from; t != to;) {
        fsd_id node = fsd_tensor_producer(a->g, t);

        add(a->passed, &a->n_passed, node);
        t = fsd_node_in_tensor(a->g, node, 0);
    }
}

/* ---------------------------------------------------------------------- matching */

static bool flip(struct attempt *a)
{
    if (a->met == a->chosen && a->chosen < MOST_CHOICES)
        a->flipped[a->chosen++] = false;
    return a->met < a->chosen && a->flipped[a->met++];
}

/* The next choice of orders: the last one that has not been turned is. */
static bool turn(struct attempt *a)
{
    a->chosen = a->met;
    while (a->chosen && a->flipped[a->chosen - 1])
        a->chosen--;
    if (!a->chosen)
        return false;
    a->flipped[a->chosen - 1] = true;
    return true;
}

static const fsd_id not_one = FSD_NONE - 1;

/* The only node of that name behind the tensor, through elementwise ones, which are
 * kept where they lead there; not_one: several, or too far. */
static fsd_id walk(struct attempt *a, fsd_id tensor, const struct expr *e,
                   uint32_t *steps)
{
    fsd_id at = tensor, node, found = FSD_NONE;

    if (is_constant(a, tensor) || (node = maker_of(a, &at)) == FSD_NONE)
        return FSD_NONE;
    if (is_named(a, node, e)) {
        found = node;
    } else if (!is_elementwise(a, node)) {
        return FSD_NONE;
    } else if (!(*steps)--) {
        *steps = 0;
        return not_one;
    } else {
        for (uint32_t i = 0; i < a->g->nodes.at[node].in.n; i++) {
            fsd_id other = walk(a, fsd_node_in_tensor(a->g, node, i), e, steps);

            if (other != FSD_NONE)
                found = found == FSD_NONE || found == other ? other : not_one;
        }
        if (found == FSD_NONE)
            return FSD_NONE;
        add(a->nodes, &a->n, node);
    }
    keep_passed(a, tensor, at);
    return found;
}

/* Recursion ends: an expression is never deeper than its text. */
static bool fits(struct attempt *a, const char *text, fsd_id tensor)
{
    struct expr e = take_apart(text);
    uint32_t n = a->n, n_passed = a->n_passed, steps = WALK, n_in;
    fsd_id at = tensor, node;
    bool turned, all = true;

    if (e.letter == 'c')
        return tensor != FSD_NONE && is_constant(a, tensor);
    if (is_constant(a, tensor))
        return false;
    if (e.walks) {
        node = walk(a, tensor, &e, &steps);
        if (node == FSD_NONE || node == not_one)
            return false;
        tensor = at = fsd_node_out_tensor(a->g, node, 0);
    }
    node = maker_of(a, &at);
    if (e.letter) {
        fsd_id *letter = &a->letter[e.letter - 'a'];

        if (*letter == FSD_NONE)
            *letter = at;
        if (!e.names)
            return *letter == at;
    }
    if (node != FSD_NONE && is_named(a, node, &e)) {
        n_in = a->g->nodes.at[node].in.n;
        turned = e.n_args == 2 && n_in == 2 && fsd_op_is_symmetric(op_of(a->g, node)) &&
                 flip(a);
        add(a->nodes, &a->n, node);
        keep_passed(a, tensor, at);
        for (uint32_t i = 0; i < e.n_args && all; i++)
            all =
                fits(a, e.args[i], fsd_node_in_tensor(a->g, node, turned ? 1 - i : i));
        if (all)
            return true;
    }
    a->n = n;
    a->n_passed = n_passed;
    return e.optional && fits(a, e.args[e.n_args - 1], tensor);
}

static bool fits_node(struct attempt *a, const struct form *form, fsd_id node)
{
    fsd_id out = fsd_node_out_tensor(a->g, node, 0);

    if (out == FSD_NONE || fsd_tensor_producer(a->g, out) != node)
        return false;
    a->chosen = 0;
    do {
        a->met = a->n = a->n_passed = 0;
        a->end = a->either = FSD_NONE;
        for (int i = 0; i < LETTERS; i++)
            a->letter[i] = FSD_NONE;
        if (fits(a, form->text, out) && a->nodes[0] == node && a->n < MOST_NODES &&
            a->n_passed < MOST_NODES && (!form->holds || form->holds(a)))
            return true;
    } while (turn(a));
    return false;
}

/* ----------------------------------------------------- what no expression tells */

static fsd_id letter(const struct attempt *a, char name)
{
    return a->letter[name - 'a'];
}

static bool has(const fsd_id *list, uint32_t n, fsd_id node)
{
    while (n && list[n - 1] != node)
        n--;
    return n > 0;
}

/* Nothing inside is read from outside: else it has to be written to memory anyhow. */
static bool is_closed(struct attempt *a)
{
    for (uint32_t i = 1; i < a->n + a->n_passed; i++) {
        fsd_id node = i < a->n ? a->nodes[i] : a->passed[i - a->n];
        fsd_id out = fsd_node_out_tensor(a->g, node, 0);
        const struct fsd_tensor *t = &a->g->tensors.at[out];

        if (t->flags & FSD_TENSOR_OUTPUT)
            return false;
        for (uint32_t k = 0; k < t->consumers.n; k++) {
            fsd_id reader = a->g->links.at[t->consumers.at + k];

            if (!has(a->nodes, a->n, reader) && !has(a->passed, a->n_passed, reader))
                return false;
        }
    }
    return true;
}

/* The weighted node that a tensor is of, through its bias, and through what takes a
 * part of it. */
static fsd_id weighted_behind(const struct attempt *a, fsd_id tensor)
{
    static const char parts[] = "Add|Split|Slice|Gather";

    for (uint32_t steps = 0; steps < WALK && !is_constant(a, tensor); steps++) {
        fsd_id node = maker_of(a, &tensor), in[2];

        if (node == FSD_NONE || is_weighted(a, node))
            return node;
        if (!is_word(parts, sizeof parts - 1, op_of(a->g, node)))
            return FSD_NONE;
        in[0] = fsd_node_in_tensor(a->g, node, 0);
        in[1] = fsd_node_in_tensor(a->g, node, 1);
        if (!is_constant(a, in[0]) && !is_constant(a, in[1]))
            return FSD_NONE;
        tensor = is_constant(a, in[0]) ? in[1] : in[0];
    }
    return FSD_NONE;
}

/* A Mul of a tensor with a gate is anything, unless both are halves of one layer. */
static bool is_gate(struct attempt *a)
{
    return weighted_behind(a, letter(a, 'u')) != FSD_NONE &&
           weighted_behind(a, letter(a, 'g')) != FSD_NONE;
}

/* Whether a tensor, or one of the same value, is an ancestor of a node.  Nodes stand in
 * an order in which makers come first, so that what stands before the tensor's own
 * maker need not be looked at.
 */
static bool is_ancestor(const struct attempt *a, fsd_id tensor, fsd_id node)
{
    const fsd_id *value = a->facts->value;
    fsd_id maker = fsd_tensor_producer(a->g, value[tensor]), todo[WALK],
           seen[ANCESTORS];
    uint32_t n = 0, n_seen = 0;

    todo[n++] = node;
    while (n) {
        fsd_id at = todo[--n];

        for (uint32_t i = 0; i < a->g->nodes.at[at].in.n; i++) {
            fsd_id in = fsd_node_in_tensor(a->g, at, i), made;

            if (in != FSD_NONE && value[in] == value[tensor])
                return true;
            made = in == FSD_NONE ? FSD_NONE : fsd_tensor_producer(a->g, in);
            if (made == FSD_NONE || is_constant(a, in) ||
                (maker != FSD_NONE && made <= maker) || has(seen, n_seen, made))
                continue;
            if (n == WALK || n_seen == ANCESTORS)
                return false;
            seen[n_seen++] = todo[n++] = made;
        }
    }
    return false;
}

/* The shorter way is what the longer one began with, or a projection of it. */
static bool is_skip(struct attempt *a)
{
    fsd_id skip = letter(a, 's'), other = skip, projection;
    static const char names[] = "Conv|ConvTranspose|MatMul|Gemm";
    static const struct expr weighted = {.names = names, .length = sizeof names - 1};

    for (uint32_t i = 0; i < a->n; i++)
        if (is_named(a, a->nodes[i], &weighted))
            a->end = a->nodes[i];
    if (a->end == FSD_NONE || !is_weighted(a, a->end) || !is_closed(a))
        return false;
    if (is_ancestor(a, skip, a->end))
        return true;
    projection = maker_of(a, &other);
    if (projection != FSD_NONE &&
        (!strcmp(op_of(a->g, projection), "BatchNormalization") ||
         !strcmp(op_of(a->g, projection), "Add")))
        projection = weighted_behind(a, fsd_node_in_tensor(a->g, projection, 0));
    if (projection == FSD_NONE || !is_weighted(a, projection))
        return false;
    other = fsd_node_in_tensor(a->g, projection, 0);
    maker_of(a, &other);
    a->either = projection;
    return is_ancestor(a, other, a->end);
}

/* --------------------------------------------------------------------------- qkv */

/* The only layer of the network that a tensor comes from, through whatever does not
 * multiply matrices: rotations, heads that are split and repeated. */
static fsd_id projection_of(const struct attempt *a, fsd_id tensor, uint32_t *steps)
{
    fsd_id node, found = FSD_NONE;

    if (is_constant(a, tensor) || !*steps || (node = maker_of(a, &tensor)) == FSD_NONE)
        return FSD_NONE;
    --*steps;
    if (a->facts->traits[node] & (FSD_OP_WEIGHTED | FSD_OP_SHAPE))
        return is_weighted(a, node) ? node : FSD_NONE;
    for (uint32_t i = 0; i < a->g->nodes.at[node].in.n; i++) {
        fsd_id other = projection_of(a, fsd_node_in_tensor(a->g, node, i), steps);

        if (other != FSD_NONE)
            found = found == FSD_NONE || found == other ? other : not_one;
    }
    return found;
}

/* Makes the attempt one of the projections of its attention; false when they are not of
 * one tensor. */
static bool take_projections(struct attempt *a)
{
    static const char of[] = "qkv";
    fsd_id made[3], source = FSD_NONE;

    for (int i = 0; i < 3; i++) {
        uint32_t steps = 4 * WALK;
        fsd_id tensor = letter(a, of[i]), data;

        made[i] = tensor == FSD_NONE ? FSD_NONE : projection_of(a, tensor, &steps);
        if (made[i] == FSD_NONE || made[i] == not_one || !steps)
            return false;
        data = fsd_node_in_tensor(a->g, made[i], 0);
        maker_of(a, &data);
        if (i && data != source)
            return false;
        source = data;
    }
    a->n = a->n_passed = 0;
    for (int i = 0; i < 3; i++)
        add(a->nodes, &a->n, made[i]);
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

/* A bit a pattern; but what a layernorm does once the mean is gone is an rmsnorm. */
static uint16_t bit_of(enum fsd_pattern pattern)
{
    return (uint16_t)(1u << (pattern == FSD_PATTERN_RMSNORM ? FSD_PATTERN_LAYERNORM
                                                            : pattern));
}

/* Unless a node of it is in another block of the pattern. */
static void add_block(struct fsd_blocks *blocks, uint16_t *used, struct attempt *a,
                      enum fsd_pattern pattern, fsd_id anchor)
{
    uint16_t bit = bit_of(pattern);
    struct fsd_block block = {.pattern = (uint8_t)pattern,
                              .anchor = anchor,
                              .end = a->end,
                              .either = a->either};

    for (uint32_t i = 0; i < a->n; i++)
        if (used[a->nodes[i]] & bit)
            return;
    for (uint32_t i = 0; i < a->n; i++)
        used[a->nodes[i]] |= bit;
    block.nodes = keep(blocks, a->nodes, a->n);
    block.passed = keep(blocks, a->passed, a->n_passed);
    fsd_vec_push(blocks->arena, &blocks->list, block);
}

static int by_place(const void *x, const void *y)
{
    const struct fsd_block *a = x, *b = y;
    int pattern = fsd_order(a->pattern, b->pattern);

    return pattern ? pattern : fsd_order(a->anchor, b->anchor);
}

static bool may_end(const char *text, const char *op)
{
    struct expr e = take_apart(text);

    return (e.names && is_op(e.names, e.length, op)) ||
           (e.optional && may_end(e.args[e.n_args - 1], op));
}

enum { ASKED = 1u << FSD_COUNT_OF(forms) };
_Static_assert(FSD_COUNT_OF(forms) < 31, "a bit a form, and one more");

/* The forms that a node of this operator may be the last of, a bit each.  Nearly all
 * nodes are that of no or of few forms; asked once for each operator. */
static uint32_t forms_ended_by(uint32_t *known, const struct fsd_graph *g, fsd_id node)
{
    uint32_t *forms_of = &known[g->nodes.at[node].op];

    for (size_t i = 0; !(*forms_of & ASKED) && i < FSD_COUNT_OF(forms); i++)
        *forms_of |= (uint32_t)may_end(forms[i].text, op_of(g, node)) << i;
    return *forms_of |= ASKED;
}

/* From the last node on, so that a form is met at its end before it is at a part of it.
 */
void fsd_blocks_find(struct fsd_blocks *blocks, const struct fsd_facts *facts)
{
    const struct fsd_graph *g = facts->g;
    struct fsd_arena *scratch = fsd_arena_new();
    uint16_t *used = FSD_NEW(scratch, uint16_t, g->nodes.n);
    bool *passing = FSD_NEW(scratch, bool, g->nodes.n);
    uint32_t *known = FSD_NEW(scratch, uint32_t, fsd_intern_count(g->names));
    struct attempt *a = FSD_NEW(scratch, struct attempt, 1);

    for (fsd_id node = 0; node < g->nodes.n; node++)
        passing[node] = is_passed(facts, node);
    a->facts = facts;
    a->g = g;
    a->passing = passing;
    for (fsd_id node = g->nodes.n; node-- > 0;)
        for (size_t i = 0; i < FSD_COUNT_OF(forms); i++) {
            if (passing[node] || !facts->live[node])
                break;
            if (!(forms_ended_by(known, g, node) >> i & 1) ||
                used[node] & bit_of(forms[i].pattern) || !fits_node(a, &forms[i], node))
                continue;
            add_block(blocks, used, a, forms[i].pattern, node);
            if (forms[i].pattern == FSD_PATTERN_ATTENTION && take_projections(a))
                add_block(blocks, used, a, FSD_PATTERN_QKV, node);
        }
    fsd_arena_free(scratch);
    if (blocks->list.n)
        qsort(blocks->list.at, blocks->list.n, sizeof *blocks->list.at, by_place);
}
