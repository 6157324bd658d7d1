#include "cost/shape.h"
#include "base/status.h"
#include "base/text.h"
#include "cost/cost.h"
#include "cost/shape_rule.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t fsd_shape_count(const struct fsd_diff *d, const struct fsd_shape *shape)
{
    int64_t n = shape->ranked ? 1 : -1;

    for (uint32_t i = 0; i < shape->rank; i++)
        n = fsd_times(d->cost->amounts, n, shape->dims[i]);
    return n;
}

int64_t fsd_dim_size(const struct fsd_diff *d, struct fsd_dim dim)
{
    if (dim.size >= 0)
        return dim.size;
    if (dim.name && dim.name < d->cost->n_dim_sizes && d->cost->dim_sizes[dim.name])
        return d->cost->dim_sizes[dim.name];
    return -1;
}

const struct fsd_shape *fsd_shape_of(const struct fsd_diff *d, fsd_id tensor)
{
    static const struct fsd_shape unknown = {0};

    return tensor == FSD_NONE ? &unknown : &d->cost->shapes[tensor];
}

bool fsd_node_is_microsoft(const struct fsd_diff *d, fsd_id node, const char *op)
{
    const struct fsd_node *n = &d->model->nodes.at[node];

    return !(n->flags & FSD_NODE_CALL) && !strcmp(fsd_text(d->names, n->op), op) &&
           !strcmp(fsd_text(d->names, n->domain), "com.microsoft");
}

const int64_t *fsd_node_ints(const struct fsd_graph *g, fsd_id node, const char *name,
                             uint32_t *n)
{
    const struct fsd_attr *attr = fsd_node_attr(g, &g->nodes.at[node], name);

    *n = attr && attr->kind == FSD_ATTR_INTS ? attr->list.n : 0;
    return *n ? g->ints.at + attr->list.at : NULL;
}

int64_t fsd_node_int(const struct fsd_graph *g, fsd_id node, const char *name,
                     int64_t otherwise)
{
    const struct fsd_attr *attr = fsd_node_attr(g, &g->nodes.at[node], name);

    return attr && attr->kind == FSD_ATTR_INT ? attr->i : otherwise;
}

int64_t fsd_size(int64_t number)
{
    return number < 0 || number > INT64_C(1) << 62 ? -1 : number;
}

int64_t fsd_node_size(const struct fsd_graph *g, fsd_id node, const char *name,
                      int64_t otherwise)
{
    return fsd_size(fsd_node_int(g, node, name, otherwise));
}

/* ------------------------------------------------------------- the user's sizes */

static enum fsd_status bad_shape(struct fsd_error *err, const char *word,
                                 const char *why)
{
    return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                    "expected a shape as images=1x3x224x224, found '%s': %s", word,
                    why);
}

static fsd_id input_named(const struct fsd_graph *g, const char *s, size_t n)
{
    fsd_sym name = fsd_intern_find(g->names, s, n);
    fsd_id tensor = name == FSD_NONE ? FSD_NONE : fsd_graph_find(g, name, 0);

    return tensor != FSD_NONE && (g->tensors.at[tensor].flags & FSD_TENSOR_INPUT)
               ? tensor
               : FSD_NONE;
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

static enum fsd_status bind(const struct fsd_diff *d, struct fsd_cost *c,
                            const char *word, struct fsd_error *err)
{
    const char *sign = strrchr(word, '=');
    struct fsd_shape sizes = {0};
    const struct fsd_form *form;
    fsd_id tensor;

    if (!sign || !read_sizes(sign + 1, &sizes))
        return bad_shape(err, word, "sizes from 1, with 'x' between them");
    tensor = input_named(d->model, word, (size_t)(sign - word));
    if (tensor == FSD_NONE)
        return bad_shape(err, word, "the model has no input of that name");
    form = fsd_tensor_form(d->model, tensor);
    if (form->ranked && form->dims.n != sizes.rank)
        return bad_shape(err, word, "the model's input has another rank");
    for (uint32_t i = 0; i < sizes.rank && form->ranked; i++) {
        struct fsd_dim dim = d->model->dims.at[form->dims.at + i];

        if (dim.size >= 0 && dim.size != sizes.dims[i])
            return bad_shape(err, word, "the model's input has another size there");
        if (dim.size < 0 && dim.name && d->cost->dim_sizes[dim.name] &&
            d->cost->dim_sizes[dim.name] != sizes.dims[i])
            return bad_shape(err, word, "a dimension has two sizes");
        if (dim.size < 0 && dim.name)
            c->dim_sizes[dim.name] = sizes.dims[i];
    }
    c->shapes[tensor] = sizes;
    c->shapes[tensor].ranked = true;
    return FSD_OK;
}

enum fsd_status fsd_cost_bind_shapes(const struct fsd_diff *d, struct fsd_cost *c,
                                     const char *const *shapes, unsigned n,
                                     struct fsd_error *err)
{
    enum fsd_status status = FSD_OK;

    c->shapes = FSD_NEW(d->arena, struct fsd_shape, d->model->tensors.n);
    c->n_dim_sizes = fsd_intern_count(d->names);
    c->dim_sizes = FSD_NEW(d->arena, int64_t, c->n_dim_sizes);
    for (unsigned i = 0; i < n && status == FSD_OK; i++)
        status = bind(d, c, shapes[i], err);
    return status;
}

/* ------------------------------------------------------------------- the shapes */

static bool is_full(const struct fsd_shape *shape)
{
    for (uint32_t i = 0; i < shape->rank; i++)
        if (shape->dims[i] < 0)
            return false;
    return shape->ranked;
}

static void take_form(const struct fsd_diff *d, const struct fsd_graph *g,
                      const struct fsd_form *form, struct fsd_shape *shape)
{
    if (!form->ranked || form->dims.n > FSD_SHAPE_RANK)
        return;
    if (shape->ranked && shape->rank != form->dims.n)
        return;
    for (uint32_t i = 0; i < form->dims.n; i++)
        if (!shape->ranked || shape->dims[i] < 0)
            shape->dims[i] = fsd_dim_size(d, g->dims.at[form->dims.at + i]);
    shape->rank = (uint8_t)form->dims.n;
    shape->ranked = true;
}

/* An engine built for one size of an open dimension tells it at the network's inputs.
 */
static void bind_by_engine(const struct fsd_diff *d, struct fsd_cost *c)
{
    for (fsd_id i = 0; i < d->engine->tensors.n; i++) {
        const struct fsd_form *built = fsd_tensor_form(d->engine, i), *asked;
        fsd_id twin = d->match->twin[i];

        if (!(d->engine->tensors.at[i].flags & FSD_TENSOR_INPUT) || twin == FSD_NONE)
            continue;
        asked = fsd_tensor_form(d->model, twin);
        for (uint32_t k = 0; built->ranked && asked->ranked &&
                             built->dims.n == asked->dims.n && k < asked->dims.n;
             k++) {
            struct fsd_dim open = d->model->dims.at[asked->dims.at + k];
            int64_t size = d->engine->dims.at[built->dims.at + k].size;

            if (open.size < 0 && open.name && open.name < c->n_dim_sizes && size > 0 &&
                !c->dim_sizes[open.name])
                c->dim_sizes[open.name] = size;
        }
    }
}

/* A weight's form is the initializer's, whatever stands between. */
static void take_model(const struct fsd_diff *d, struct fsd_cost *c)
{
    for (fsd_id i = 0; i < d->model->tensors.n; i++)
        take_form(d, d->model, fsd_tensor_form(d->model, i), &c->shapes[i]);
}

/* What the engine shows of a tensor may be a flattened form of it: only the sizes of an
 * equal rank are taken, and unranked tensors only where nothing else knows. */
static void take_engine(const struct fsd_diff *d, struct fsd_cost *c, bool unranked)
{
    for (fsd_id i = 0; i < d->engine->tensors.n; i++) {
        fsd_id twin = d->match->twin[i];

        if (twin != FSD_NONE && !is_full(&c->shapes[twin]) &&
            c->shapes[twin].ranked != unranked)
            take_form(d, d->engine, fsd_tensor_form(d->engine, i), &c->shapes[twin]);
    }
}

/* The better of two sizes: a number, then an open one, then none. */
static int64_t better(int64_t size, int64_t other)
{
    return size >= 0 || other == -1 || (size != -1 && other < 0) ? size : other;
}

/* A rule that contradicts what is known is not believed in the rest either. */
static bool agree(const struct fsd_shape *a, const struct fsd_shape *b)
{
    for (uint32_t i = 0; i < a->rank && i < b->rank; i++)
        if (a->dims[i] >= 0 && b->dims[i] >= 0 && a->dims[i] != b->dims[i])
            return false;
    return a->rank == b->rank;
}

static void merge(struct fsd_shape *shape, const struct fsd_shape *by)
{
    if (!shape->ranked)
        *shape = *by;
    else if (agree(shape, by))
        for (uint32_t i = 0; i < by->rank; i++)
            shape->dims[i] = better(shape->dims[i], by->dims[i]);
}

static void take_rules(struct fsd_shaping *s)
{
    const struct fsd_graph *g = s->d->model;

    for (fsd_id i = 0; i < g->nodes.n; i++) {
        fsd_ints_by_rule(s, i);
        for (uint32_t k = 0; k < g->nodes.at[i].out.n; k++) {
            fsd_id out = fsd_node_out_tensor(g, i, k);
            struct fsd_shape shape;

            if (out != FSD_NONE && !is_full(&s->c->shapes[out]) &&
                fsd_shape_by_rule(s, i, k, &shape))
                merge(&s->c->shapes[out], &shape);
        }
    }
}

/* ---------------------------------------------------------------------- open sizes */

static bool is_network_input(const struct fsd_graph *g, fsd_id tensor)
{
    return (g->tensors.at[tensor].flags & FSD_TENSOR_INPUT) &&
           !g->tensors.at[tensor].scope;
}

/* The i-th size of a tensor as the model names it; of a network's input that it does
 * not name, by its place: "image[2]". */
static fsd_sym name_of(const struct fsd_diff *d, fsd_id tensor, uint32_t i)
{
    const struct fsd_form *form = fsd_tensor_form(d->model, tensor);
    fsd_sym name = d->model->dims.at[form->dims.at + i].name;
    char *text = NULL;
    size_t size = 0;
    FILE *out = name || !is_network_input(d->model, tensor)
                    ? NULL
                    : open_memstream(&text, &size);

    if (!out)
        return name;
    fprintf(out, "%s[%u]", fsd_text(d->names, d->model->tensors.at[tensor].name), i);
    if (fclose(out) == 0)
        name = fsd_intern_add(d->names, text, size);
    free(text);
    return name;
}

/* Which names the sizes of the network's inputs have. */
static bool *names_of_inputs(const struct fsd_diff *d)
{
    bool *is_one = FSD_NEW(d->arena, bool, d->cost->n_dim_sizes);

    for (fsd_id i = 0; i < d->model->tensors.n; i++) {
        const struct fsd_form *form = fsd_tensor_form(d->model, i);

        for (uint32_t k = 0; is_network_input(d->model, i) && k < form->dims.n; k++)
            is_one[d->model->dims.at[form->dims.at + k].name] = true;
    }
    return is_one;
}

/* Gives sizes that nothing tells their names; with `of_inputs` only those of the
 * network's inputs, so that what follows from them is told in these. */
static void take_names(struct fsd_shaping *s, const bool *of_inputs)
{
    const struct fsd_diff *d = s->d;

    for (fsd_id i = 0; i < d->model->tensors.n; i++) {
        const struct fsd_form *form = fsd_tensor_form(d->model, i);
        struct fsd_shape *shape = &s->c->shapes[i];

        if (!form->ranked || form->dims.n != shape->rank)
            continue;
        for (uint32_t k = 0; k < shape->rank; k++) {
            fsd_sym name = shape->dims[k] == -1 ? name_of(d, i, k) : 0;

            if (name &&
                (!of_inputs || is_network_input(d->model, i) || of_inputs[name]))
                shape->dims[k] = fsd_amount_named(s->t, name);
        }
    }
}

void fsd_cost_shapes(const struct fsd_diff *d, struct fsd_cost *c)
{
    struct fsd_shaping s = {.d = d, .c = c, .t = c->amounts};

    s.ints_of = FSD_NEW(d->arena, fsd_id, d->model->tensors.n);
    fsd_ints_of_constants(&s);
    bind_by_engine(d, c);
    take_model(d, c);
    take_engine(d, c, false);
    take_names(&s, names_of_inputs(d));
    take_rules(&s);
    take_engine(d, c, true);
    take_rules(&s);
    take_names(&s, NULL);
    take_rules(&s);
}

void fsd_shapes_dump(const struct fsd_diff *d, FILE *out)
{
    for (fsd_id i = 0; i < d->model->tensors.n; i++) {
        const struct fsd_shape *shape = &d->cost->shapes[i];

        fprintf(out, "%u ", d->model->tensors.at[i].scope);
        fsd_put_safe(out, fsd_text(d->names, d->model->tensors.at[i].name));
        putc(' ', out);
        putc(shape->ranked ? '[' : '?', out);
        for (uint32_t k = 0; k < shape->rank; k++) {
            const char *open = fsd_amount_text(d->cost->amounts, shape->dims[k]);

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
