/*
 * Fills the sizes of all tensors from several sources, one after the other.  A source
 * only fills sizes that are still unknown, so the caller (explain/cost/shape.c) adds
 * the most trusted source first.
 *
 * A size is a number, an amount that depends on dynamic sizes (amount.h), or -1
 * (unknown).  A number replaces a dynamic size.
 *
 * A rule of an operator derives all sizes of a tensor at once.  If one of them
 * contradicts a known size of the tensor, all of them are ignored.
 *
 * A model from a log has no attributes.  If a rule needs an attribute, it has no result
 * for such a model, because the default value would be a guess.
 */
#include "model/ops/rule.h"
#include "base/base.h"

#include <inttypes.h>
#include <stdlib.h>

/* Groups the nodes by scope.  Allocates `items` only if the graph has sequences or
 * optionals. */
static void list_scopes(struct fsd_sizes *s)
{
    const struct fsd_graph *g = s->g;

    s->bodies = fsd_graph_bodies(s->arena, g);
    s->in_scope = fsd_graph_by_scope(s->arena, g);
    for (fsd_id i = 0; i < g->nodes.n && !s->items; i++)
        if (fsd_op_traits(g, i) & FSD_OP_LISTS)
            s->items = FSD_NEW(s->arena, struct fsd_shape, g->tensors.n);
}

struct fsd_sizes *fsd_sizes_new(struct fsd_arena *arena, const struct fsd_graph *g)
{
    struct fsd_sizes *s = FSD_NEW(arena, struct fsd_sizes, 1);

    s->g = g;
    s->arena = arena;
    s->amounts = fsd_amounts_new(arena, g->names);
    s->shapes = FSD_NEW(arena, struct fsd_shape, g->tensors.n);
    s->n_dim_sizes = fsd_intern_count(g->names);
    s->dim_sizes = FSD_NEW(arena, int64_t, s->n_dim_sizes);
    s->ints_of = FSD_NEW(arena, fsd_id, g->tensors.n);
    list_scopes(s);
    fsd_ints_of_constants(s);
    return s;
}

/* ---------------------------------------------------------- functions for the rules */

/* Returns an attribute of the node; NULL if it is absent.  A model from a log has no
 * attributes, so a rule that asks for one can only guess. */
const struct fsd_attr *fsd_case_attr(const struct fsd_op_case *c, const char *name)
{
    *c->guessed |= c->g->lacks_attributes;
    return fsd_node_attr(c->g, &c->g->nodes.at[c->node], name);
}

const int64_t *fsd_case_ints(const struct fsd_op_case *c, const char *name, uint32_t *n)
{
    const struct fsd_attr *attr = fsd_case_attr(c, name);

    *n = attr && attr->kind == FSD_ATTR_INTS ? attr->list.n : 0;
    return *n ? c->g->ints.at + attr->list.at : NULL;
}

const char *fsd_case_word(const struct fsd_op_case *c, const char *name)
{
    const struct fsd_attr *attr = fsd_case_attr(c, name);

    return attr && attr->kind == FSD_ATTR_STRING ? fsd_text(c->g->names, attr->s) : "";
}

int64_t fsd_axis(int64_t axis, uint32_t rank)
{
    axis += axis < 0 ? (int64_t)rank : 0;
    return axis < 0 || axis >= (int64_t)rank ? -1 : axis;
}

int64_t fsd_shape_count(struct fsd_amounts *t, const struct fsd_shape *shape)
{
    int64_t n = shape->ranked ? 1 : -1;

    for (uint32_t i = 0; i < shape->rank; i++)
        n = fsd_times(t, n, shape->dims[i]);
    return n;
}

const struct fsd_shape *fsd_shape_of(const struct fsd_sizes *s, fsd_id tensor)
{
    static const struct fsd_shape unknown = {0};

    return tensor == FSD_NONE ? &unknown : &s->shapes[tensor];
}

bool fsd_shape_is_full(const struct fsd_shape *shape)
{
    for (uint32_t i = 0; i < shape->rank; i++)
        if (shape->dims[i] < 0)
            return false;
    return shape->ranked;
}

/* ------------------------------------------------------------- the user's sizes */

static enum fsd_status bad_shape(struct fsd_error *err, const char *word,
                                 const char *why)
{
    return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                    "expected a shape such as images=1x3x224x224, found '%s': %s", word,
                    why);
}

static bool read_sizes(const char *s, struct fsd_shape *out)
{
    out->rank = 0;
    for (;;) {
        char *end;
        long long size = *s >= '0' && *s <= '9' ? strtoll(s, &end, 10) : -1;

        if (size < 1 || size > INT32_MAX || out->rank == FSD_SHAPE_RANK)
            return false;
        out->dims[out->rank++] = size;
        if (!*end)
            return true;
        if (*end != 'x' && *end != ',')
            return false;
        s = end + 1;
    }
}

enum fsd_status fsd_sizes_bind(struct fsd_sizes *s, const char *word,
                               struct fsd_error *err)
{
    const char *sign = strrchr(word, '=');
    struct fsd_shape sizes = {0};
    const struct fsd_form *form;
    fsd_id tensor = FSD_NONE;
    fsd_sym name;

    if (!sign || !read_sizes(sign + 1, &sizes))
        return bad_shape(
            err, word,
            "write each size as an integer of at least 1, with 'x' between the sizes");
    name = fsd_intern_find(s->g->names, word, (size_t)(sign - word));
    if (name != FSD_NONE)
        tensor = fsd_graph_find(s->g, name, 0);
    if (tensor == FSD_NONE || !(s->g->tensors.at[tensor].flags & FSD_TENSOR_INPUT))
        return bad_shape(err, word, "the model has no input of that name");
    form = fsd_tensor_form(s->g, tensor);
    if (form->ranked && form->dims.n != sizes.rank)
        return bad_shape(err, word, "the model's input has a different rank");
    for (uint32_t i = 0; i < sizes.rank && form->ranked; i++) {
        struct fsd_dim dim = s->g->dims.at[form->dims.at + i];

        if (dim.size >= 0 && dim.size != sizes.dims[i])
            return bad_shape(
                err, word,
                "in the model, one of these dimensions has a different fixed size");
        if (dim.size < 0 && dim.name && s->dim_sizes[dim.name] &&
            s->dim_sizes[dim.name] != sizes.dims[i])
            return bad_shape(err, word,
                             "the shapes give two different sizes to the same dynamic "
                             "dimension");
        if (dim.size < 0 && dim.name)
            s->dim_sizes[dim.name] = sizes.dims[i];
    }
    s->shapes[tensor] = sizes;
    s->shapes[tensor].ranked = true;
    return FSD_OK;
}

static int64_t named_size(const struct fsd_sizes *s, fsd_sym name)
{
    return name && name < s->n_dim_sizes && s->dim_sizes[name] ? s->dim_sizes[name]
                                                               : -1;
}

/* Returns the value of a term as an amount. */
static int64_t term_size(const struct fsd_sizes *s, fsd_id term)
{
    const struct fsd_term *t = &s->g->terms.at[term];
    int64_t a, b, x, y;

    if (t->is == FSD_TERM_NUMBER)
        return fsd_amount_of(s->amounts, t->number);
    if (t->is == FSD_TERM_NAME) {
        a = named_size(s, t->name);
        return a < 0 ? fsd_amount_named(s->amounts, t->name) : a;
    }
    a = term_size(s, t->a);
    b = term_size(s, t->b);
    if (a == -1 || b == -1)
        return -1;
    if (t->is == FSD_TERM_PLUS)
        return fsd_plus(s->amounts, a, b);
    if (t->is == FSD_TERM_TIMES)
        return fsd_times(s->amounts, a, b);
    if (!fsd_amount_number(s->amounts, b, &y))
        return -1;
    if (t->is == FSD_TERM_CEIL)
        return fsd_over(s->amounts, fsd_plus(s->amounts, a, y - 1), y);
    if (!fsd_amount_number(s->amounts, a, &x))
        return -1;
    return (t->is == FSD_TERM_MOST) == (x > y) ? a : b;
}

int64_t fsd_sizes_dim(const struct fsd_sizes *s, struct fsd_dim dim)
{
    int64_t size;

    if (dim.size >= 0)
        return dim.size;
    if (!dim.term)
        return named_size(s, dim.name);
    size = term_size(s, dim.term - 1);
    return size < 0 ? -1 : size;
}

void fsd_sizes_bind_dim(struct fsd_sizes *s, struct fsd_dim dim, int64_t size)
{
    if (dim.size < 0 && dim.name && dim.name < s->n_dim_sizes && size > 0 &&
        !s->dim_sizes[dim.name])
        s->dim_sizes[dim.name] = size;
}

/* ------------------------------------------------------------------- the shapes */

static void complete(const struct fsd_sizes *s, struct fsd_shape *shape,
                     const struct fsd_graph *from, const struct fsd_form *form)
{
    if (!form->ranked || form->dims.n > FSD_SHAPE_RANK)
        return;
    if (shape->ranked && shape->rank != form->dims.n)
        return;
    for (uint32_t i = 0; i < form->dims.n; i++)
        if (!shape->ranked || shape->dims[i] < 0)
            shape->dims[i] = fsd_sizes_dim(s, from->dims.at[form->dims.at + i]);
    shape->rank = (uint8_t)form->dims.n;
    shape->ranked = true;
}

void fsd_sizes_take_form(struct fsd_sizes *s, fsd_id tensor,
                         const struct fsd_graph *from, const struct fsd_form *form)
{
    complete(s, &s->shapes[tensor], from, form);
}

bool fsd_sizes_take_input(struct fsd_sizes *s, fsd_id tensor, const int64_t *sizes,
                          uint32_t n)
{
    const struct fsd_form *asked = fsd_tensor_form(s->g, tensor);
    struct fsd_shape *shape = &s->shapes[tensor];

    fsd_sizes_take_form(s, tensor, s->g, asked);
    if (n > FSD_SHAPE_RANK || fsd_shape_is_full(shape) ||
        (shape->ranked && shape->rank != n))
        return false;
    for (uint32_t k = 0; shape->ranked && k < n; k++)
        if (shape->dims[k] >= 0 && shape->dims[k] != sizes[k])
            return false;
    for (uint32_t k = 0; asked->dims.n == n && k < n; k++)
        fsd_sizes_bind_dim(s, s->g->dims.at[asked->dims.at + k], sizes[k]);
    *shape = (struct fsd_shape){.ranked = true, .rank = (uint8_t)n};
    memcpy(shape->dims, sizes, n * sizeof *sizes);
    return fsd_shape_is_full(shape);
}

/* Adds the sizes in `by`, which a rule derived, to `shape`.  If one of them contradicts
 * a known size, all of them are ignored. */
static void merge(struct fsd_shape *shape, const struct fsd_shape *by)
{
    if (!shape->ranked)
        *shape = *by;
    if (shape->rank != by->rank)
        return;
    for (uint32_t i = 0; i < by->rank; i++)
        if (shape->dims[i] >= 0 && by->dims[i] >= 0 && shape->dims[i] != by->dims[i])
            return;
    /* A number is better than a dynamic size, which is better than an unknown size. */
    for (uint32_t i = 0; i < by->rank; i++)
        if (by->dims[i] >= 0 || (by->dims[i] != -1 && shape->dims[i] == -1))
            shape->dims[i] = by->dims[i];
}

void fsd_shape_learn(struct fsd_sizes *s, fsd_id tensor, const struct fsd_shape *shape)
{
    if (tensor != FSD_NONE && shape->ranked && !fsd_shape_is_full(&s->shapes[tensor]))
        merge(&s->shapes[tensor], shape);
}

struct fsd_shape fsd_shape_common(const struct fsd_shape *a, const struct fsd_shape *b)
{
    struct fsd_shape out = {.ranked = a->ranked && b->ranked && a->rank == b->rank};

    for (; out.ranked && out.rank < a->rank; out.rank++)
        out.dims[out.rank] =
            a->dims[out.rank] == b->dims[out.rank] ? a->dims[out.rank] : -1;
    return out;
}

/* Computes a shape by a rule.  Returns false if `rule` is NULL or cannot derive the
 * shape. */
static bool shape_by_rule(const struct fsd_op_case *c, fsd_shape_fn *rule,
                          struct fsd_shape *out)
{
    *out = (struct fsd_shape){0};
    *c->guessed = false;
    if (!rule || (c->out && !(c->op->traits & FSD_OP_OUTPUTS)) || !rule(c, out) ||
        *c->guessed)
        return false;
    for (uint32_t k = 0; k < out->rank; k++)
        if (out->dims[k] < 0 && !fsd_amount_is_open(c->t, out->dims[k]))
            out->dims[k] = -1; /* a negative number is not a size */
    return true;
}

/* Applies the rules to all outputs of one node. */
static void take_node(struct fsd_sizes *s, fsd_id node)
{
    bool guessed;
    struct fsd_op_case c = {s,    s->amounts, s->g,    fsd_op_of(s->g, node),
                            node, 0,          &guessed};
    struct fsd_shape shape;

    if (!c.op)
        return;
    fsd_ints_by_rule(s, &c);
    for (; c.out < s->g->nodes.at[node].out.n; c.out++) {
        fsd_id out = fsd_node_out_tensor(s->g, node, c.out);

        if (out == FSD_NONE)
            continue;
        if (!fsd_shape_is_full(&s->shapes[out]) &&
            shape_by_rule(&c, c.op->shape, &shape))
            merge(&s->shapes[out], &shape);
        if (s->items && shape_by_rule(&c, c.op->items, &shape))
            s->items[out] = shape;
    }
}

/* Applies the rules to the nodes of a scope and, recursively, to the bodies of these
 * nodes.  Readers limit the depth of nested bodies. */
static void take_scope(struct fsd_sizes *s, fsd_id scope)
{
    for (uint32_t i = 0; i < s->in_scope.of[scope].n; i++) {
        fsd_id node = fsd_list_at(&s->in_scope, scope, i);

        take_node(s, node);
        for (uint32_t k = 0; k < s->bodies.of[node].n; k++) {
            fsd_body_enter(s, node, fsd_list_at(&s->bodies, node, k));
            take_scope(s, fsd_list_at(&s->bodies, node, k));
        }
        if (s->bodies.of[node].n)
            fsd_body_leave(s, node);
    }
}

void fsd_sizes_take_rules(struct fsd_sizes *s)
{
    for (fsd_id i = 0; s->items && i < s->g->tensors.n; i++)
        if (s->g->tensors.at[i].item != FSD_NONE)
            complete(s, &s->items[i], s->g, &s->g->forms.at[s->g->tensors.at[i].item]);
    for (fsd_id i = 0; i < s->g->scopes.n; i++)
        if (s->g->scopes.at[i].owner == FSD_NONE)
            take_scope(s, i);
}

/* ---------------------------------------------------------------------- open sizes */

static bool is_network_input(const struct fsd_graph *g, fsd_id tensor)
{
    return (g->tensors.at[tensor].flags & FSD_TENSOR_INPUT) &&
           !g->tensors.at[tensor].scope;
}

/* Returns the value of a term as an amount; -1 if it is a negative number, which cannot
 * be a size. */
static int64_t open_size(const struct fsd_sizes *s, fsd_id term)
{
    int64_t size = term_size(s, term), number;

    return fsd_amount_number(s->amounts, size, &number) && number < 0 ? -1 : size;
}

void fsd_sizes_take_names(struct fsd_sizes *s, bool inputs_only)
{
    bool *of_inputs = FSD_NEW(s->arena, bool, s->n_dim_sizes); /* indexed by symbol */

    for (fsd_id i = 0; i < s->g->tensors.n; i++) {
        const struct fsd_form *form = fsd_tensor_form(s->g, i);

        for (uint32_t k = 0; is_network_input(s->g, i) && k < form->dims.n; k++)
            of_inputs[s->g->dims.at[form->dims.at + k].name] = true;
    }
    for (fsd_id i = 0; i < s->g->tensors.n; i++) {
        const struct fsd_form *form = fsd_tensor_form(s->g, i);
        struct fsd_shape *shape = &s->shapes[i];

        if (!form->ranked || form->dims.n != shape->rank)
            continue;
        for (uint32_t k = 0; k < shape->rank; k++) {
            const struct fsd_dim *dim = &s->g->dims.at[form->dims.at + k];
            fsd_sym name = dim->name;

            if (shape->dims[k] == -1 && dim->term)
                shape->dims[k] = open_size(s, dim->term - 1);
            if (shape->dims[k] != -1 || (inputs_only && !of_inputs[name]))
                continue;
            /* An unnamed size gets a name from its position: "image[2]". */
            if (!name && is_network_input(s->g, i))
                name = fsd_intern_str(
                    s->g->names,
                    fsd_printed(s->arena, "%s[%u]",
                                fsd_text(s->g->names, s->g->tensors.at[i].name), k));
            if (name)
                shape->dims[k] = fsd_amount_named(s->amounts, name);
        }
    }
}

void fsd_sizes_dump(const struct fsd_sizes *s, FILE *out)
{
    for (fsd_id i = 0; i < s->g->tensors.n; i++) {
        const struct fsd_shape *shape = &s->shapes[i];

        fprintf(out, "%u ", s->g->tensors.at[i].scope);
        fsd_put_safe(out, fsd_text(s->g->names, s->g->tensors.at[i].name));
        putc(' ', out);
        putc(shape->ranked ? '[' : '?', out);
        for (uint32_t k = 0; k < shape->rank; k++) {
            const char *open = fsd_amount_text(s->amounts, shape->dims[k]);

            fputs(k ? ", " : "", out);
            if (open)
                fsd_put_safe(out, open);
            else if (shape->dims[k] < 0)
                putc('?', out);
            else
                fprintf(out, "%" PRId64, shape->dims[k]);
        }
        fputs(shape->ranked ? "]\n" : "\n", out);
    }
}

void fsd_sizes_take_model(struct fsd_sizes *s)
{
    for (fsd_id i = 0; i < s->g->tensors.n; i++)
        fsd_sizes_take_form(s, i, s->g, fsd_tensor_form(s->g, i));
    fsd_sizes_take_names(s, true);
    fsd_sizes_take_rules(s);
}

const struct fsd_sizes *fsd_sizes_of_model(struct fsd_arena *arena,
                                           const struct fsd_graph *g)
{
    struct fsd_sizes *s = fsd_sizes_new(arena, g);

    fsd_sizes_take_model(s);
    return s;
}
