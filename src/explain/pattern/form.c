/*
 * Matches expressions (form.h) to a model by recursive descent.  The text is parsed
 * again at each node, because it has only a few words and most nodes do not match the
 * first word.
 *
 * A symmetric operator matches with its operands in either order.  After a failed
 * attempt, turn() selects the next combination of these orders.
 */
#include "explain/pattern/form.h"
#include "model/graph/graph.h"

enum { MOST_ARGS = 3 };

/* ------------------------------------------------------------------- expressions */

/* The parsed head of an expression: everything before its arguments. */
struct expr {
    char letter; /* 0 if there is none */
    bool walks, optional;
    const char *names; /* "Div|Mul"; NULL if the expression is only a letter */
    size_t length;
    const char *rest; /* the text after the head */
};

struct arguments {
    const char *at[MOST_ARGS];
    uint32_t n;
    const char *reader; /* the expression behind ">"; NULL if there is none */
};

static struct expr head_of(const char *text)
{
    struct expr e = {0};

    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): arguments are texts */
    if (*text >= 'a' && *text <= 'z') {
        e.letter = *text++;
        if (*text != '=')
            return e;
        text++;
    }
    e.walks = *text == '*';
    e.names = text += e.walks;
    e.length = strcspn(text, "?(,) ");
    text += e.length;
    e.optional = *text == '?';
    e.rest = text + e.optional;
    return e;
}

/* Parses the arguments behind the head.  head_of() does not do this, because most nodes
 * do not match the head, so that the arguments are not needed. */
static struct arguments arguments_of(const struct expr *e)
{
    struct arguments args = {.n = 0};
    const char *text = e->rest;
    int depth = 0;

    for (; *text == '(' || depth; text++) {
        if ((*text == '(' && !depth++) || (*text == ',' && depth == 1))
            args.at[args.n++] = text + 1 + strspn(text + 1, " ");
        depth -= *text == ')';
    }
    if (!strncmp(text, " > ", 3))
        args.reader = text + 3;
    return args;
}

/* The last argument of an optional expression, such as x in "Mul?(c, x)".  If the model
 * lacks the operator, the tensor must match this argument instead of the whole
 * expression. */
static const char *inner_of(const struct expr *e)
{
    struct arguments args = arguments_of(e);

    return args.at[args.n - 1];
}

static bool is_word(const char *list, size_t length, const char *word)
{
    size_t n = strlen(word);

    for (const char *at = list, *end = list + length, *bar; at;
         at = bar ? bar + 1 : NULL) {
        bar = memchr(at, '|', (size_t)(end - at));
        if ((size_t)((bar ? bar : end) - at) == n && !memcmp(at, word, n))
            return true;
    }
    return false;
}

/* Whether a list such as "Div|Mul" or "@gelu" contains the name of the operator, or "@"
 * with the operator's `known_as`. */
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

static bool is_named(const struct fsd_facts *facts, fsd_id node, const char *names,
                     size_t length)
{
    const struct fsd_graph *g = facts->g;

    return (fsd_traits_of(facts, node) & FSD_OP_STANDARD) &&
           is_op(names, length, fsd_text(g->names, g->nodes.at[node].op));
}

bool fsd_form_is(const struct fsd_facts *facts, fsd_id node, const char *names)
{
    return is_named(facts, node, names, strlen(names));
}

/* The loop ends even if the file has a cycle: a producer must have a lower number than
 * its consumer. */
fsd_id fsd_form_producer(const struct fsd_attempt *a, fsd_id *tensor)
{
    fsd_id node = fsd_tensor_producer(a->g, *tensor);

    while (node != FSD_NONE && a->passing && a->passing[node] &&
           fsd_node_has_in(a->g, node, 0)) {
        fsd_id in = fsd_node_in_tensor(a->g, node, 0);
        fsd_id producer = fsd_tensor_producer(a->g, in);

        if (producer != FSD_NONE && producer >= node)
            break;
        *tensor = in;
        node = producer;
    }
    return node;
}

void fsd_form_add(fsd_id *list, uint32_t *n, fsd_id node)
{
    if (*n < FSD_FIT_NODES && !fsd_ids_have(list, *n, node))
        list[(*n)++] = node;
}

/* Adds to `passed` all nodes through which fsd_form_producer() went back from tensor
 * `from` to tensor `to`. */
static void keep_passed(struct fsd_attempt *a, fsd_id from, fsd_id to)
{
    for (fsd_id t = from; t != to;) {
        fsd_id node = fsd_tensor_producer(a->g, t);

        fsd_form_add(a->passed, &a->n_passed, node);
        t = fsd_node_in_tensor(a->g, node, 0);
    }
}

/* ---------------------------------------------------------------------- matching */

static bool flip(struct fsd_attempt *a)
{
    if (a->met == a->chosen && a->chosen < FSD_FIT_CHOICES)
        a->flipped[a->chosen++] = false;
    return a->met < a->chosen && a->flipped[a->met++];
}

/* Selects the next combination of operand orders, as in binary counting: swaps the
 * operands of the last symmetric operator that is not swapped yet, and forgets the
 * orders of all operators behind it.  False if all combinations were tried. */
static bool turn(struct fsd_attempt *a)
{
    a->chosen = a->met;
    while (a->chosen && a->flipped[a->chosen - 1])
        a->chosen--;
    if (!a->chosen)
        return false;
    a->flipped[a->chosen - 1] = true;
    return true;
}

/* Looks back from the tensor through elementwise nodes for the only node whose operator
 * is listed in `e`.  Adds the elementwise nodes on the path to `nodes`.  FSD_NONE if
 * there is no such node; FSD_SEVERAL if there are several or the walk is too long. */
static fsd_id walk(struct fsd_attempt *a, fsd_id tensor, const struct expr *e,
                   uint32_t *steps)
{
    fsd_id at = tensor, node, found = FSD_NONE;

    if (fsd_form_is_constant(a, tensor) ||
        (node = fsd_form_producer(a, &at)) == FSD_NONE)
        return FSD_NONE;
    if (is_named(a->facts, node, e->names, e->length)) {
        found = node;
    } else if (!(a->facts->traits[node] & FSD_OP_ELEMENTWISE)) {
        return FSD_NONE;
    } else if (!(*steps)--) {
        *steps = 0;
        return FSD_SEVERAL;
    } else {
        FSD_EACH_OF (t, a->g->ports, a->g->nodes.at[node].in, tensor) {
            fsd_id other = walk(a, t, e, steps);

            found = fsd_id_both(found, other);
        }
        if (found == FSD_NONE)
            return FSD_NONE;
        fsd_form_add(a->nodes, &a->n, node);
    }
    keep_passed(a, tensor, at);
    return found;
}

/* Whether the node before *tensor matches the head of the expression.  Sets *node to
 * this node, and *tensor to the output of this node.  If the head is a "%word", *tensor
 * itself may match; *node is then FSD_NONE. */
static bool leads(const struct fsd_attempt *a, const struct expr *e, fsd_id *tensor,
                  fsd_id *node)
{
    if (*e->names != '%') {
        *node = fsd_form_producer(a, tensor);
        return is_named(a->facts, *node, e->names, e->length);
    }
    *node = FSD_NONE;
    if (!a->word || !a->word(a, e->names + 1, e->length - 1, *tensor, node))
        return false;
    if (*node != FSD_NONE)
        *tensor = fsd_node_out_tensor(a->g, *node, 0);
    return true;
}

static bool fits(struct fsd_attempt *a, const char *text, fsd_id tensor);

/* Matches the operands of `node` to the arguments of the expression, and the only
 * consumer of `node` to the expression behind ">".  `node` matches the head already. */
static bool fits_around(struct fsd_attempt *a, const struct expr *e, fsd_id node)
{
    const char *op = fsd_text(a->g->names, a->g->nodes.at[node].op);
    struct arguments args = arguments_of(e);
    bool turned = args.n == 2 && a->g->nodes.at[node].in.n == 2 &&
                  fsd_op_is_symmetric(op) && flip(a);
    fsd_id out = fsd_node_out_tensor(a->g, node, 0), reader;

    for (uint32_t i = 0; i < args.n; i++)
        if (!fits(a, args.at[i], fsd_node_in_tensor(a->g, node, turned ? 1 - i : i)))
            return false;
    if (!args.reader)
        return true;
    reader = fsd_tensor_only_reader(a->g, out);
    return reader != FSD_NONE &&
           fits(a, args.reader, fsd_node_out_tensor(a->g, reader, 0));
}

/* Matches the expression `text` to the tensor.  The recursion ends, because each call
 * gets a shorter text. */
static bool fits(struct fsd_attempt *a, const char *text, fsd_id tensor)
{
    struct expr e = head_of(text);
    uint32_t n = a->n, n_passed = a->n_passed, steps = FSD_FIT_WALK;
    fsd_id at = tensor, node;
    bool led = false;

    if (e.letter == 'c')
        return tensor != FSD_NONE && fsd_form_is_constant(a, tensor);
    if (a->passing && fsd_form_is_constant(a, tensor))
        return false;
    if (e.walks) {
        node = walk(a, tensor, &e, &steps);
        if (node == FSD_NONE || node == FSD_SEVERAL)
            return false;
        tensor = at = fsd_node_out_tensor(a->g, node, 0);
    }
    if (e.names)
        led = leads(a, &e, &at, &node);
    else
        fsd_form_producer(a, &at);
    if (e.letter) {
        fsd_id *letter = &a->letter[e.letter - 'a'];

        *letter = fsd_id_or(*letter, at);
        if (!e.names)
            return *letter == at;
    }
    if (led) {
        if (node == FSD_NONE)
            return true;
        fsd_form_add(a->nodes, &a->n, node);
        if (a->passing)
            keep_passed(a, tensor, at);
        if (fits_around(a, &e, node))
            return true;
    }
    a->n = n;
    a->n_passed = n_passed;
    return e.optional && !(led && *e.names == '%') && fits(a, inner_of(&e), tensor);
}

bool fsd_form_fits(struct fsd_attempt *a, const char *form, fsd_id node,
                   bool (*holds)(struct fsd_attempt *a))
{
    fsd_id out = fsd_node_out_tensor(a->g, node, 0);

    if (fsd_tensor_producer(a->g, out) != node)
        return false;
    a->chosen = 0;
    do {
        a->met = a->n = a->n_passed = 0;
        a->end = a->either = a->joint = FSD_NONE;
        for (int i = 0; i < FSD_FIT_LETTERS; i++)
            a->letter[i] = FSD_NONE;
        if (fits(a, form, out) && a->nodes[0] == node && a->n < FSD_FIT_NODES &&
            a->n_passed < FSD_FIT_NODES && (!holds || holds(a)))
            return true;
    } while (turn(a));
    return false;
}

bool fsd_form_may_end(const char *form, const char *op)
{
    struct expr e = head_of(form);

    return (e.names && (*e.names == '%' || is_op(e.names, e.length, op))) ||
           (e.optional && fsd_form_may_end(inner_of(&e), op));
}
