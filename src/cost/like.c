/*
 * Open sizes of the engine's tensors.  One that bears no name of the model's is as
 * large as what its maker's nodes hand on:
 *
 *     kernel   Conv_3  ->  __mye12 [-1,16,-1,-1]  ->  kernel  Conv_7
 *     model    Conv_3  ->  c [batch,16,h/2,w/2]   ->  Conv_7
 *
 * It is that tensor only if its fixed sizes allow it, and only if no other tensor that
 * could be meant has other sizes; what several kernels make together is left open.
 */
#include "cost/cost.h"

struct search {
    const struct fsd_diff *d;
    const struct fsd_cost *c;
    const struct fsd_form *form; /* of the engine's tensor */
    fsd_id found;
    bool several;
    uint32_t seen; /* that could be meant, whatever their sizes */
};

/* The product of the engine's sizes from `i` to `end`; -1 when one is open. */
static int64_t product(const struct search *s, uint32_t i, uint32_t end)
{
    int64_t n = 1;

    for (; i < end; i++)
        n = fsd_times(
            s->c->amounts, n,
            fsd_sizes_dim(s->c->sizes, s->d->engine->dims.at[s->form->dims.at + i]));
    return n;
}

/* The product of some of the first, or the last, sizes of a shape. */
static bool is_end_of(const struct search *s, const struct fsd_shape *shape,
                      int64_t size, bool last)
{
    int64_t n = 1;

    for (uint32_t i = 0; i < shape->rank && n != size; i++)
        n = fsd_times(s->c->amounts, n, shape->dims[last ? shape->rank - 1 - i : i]);
    return n == size;
}

/* With one size open: what stands before and behind it are the shape's own ends.  Ends
 * of one are any shape's. */
static bool is_view(const struct search *s, const struct fsd_shape *shape,
                    uint32_t open)
{
    int64_t before = product(s, 0, open),
            behind = product(s, open + 1, s->form->dims.n);

    return (before != 1 || behind != 1) && is_end_of(s, shape, before, false) &&
           is_end_of(s, shape, behind, true);
}

/* As a whole, or flattened or unflattened with one size open. */
static bool fits(const struct search *s, const struct fsd_shape *shape)
{
    const struct fsd_dim *dims = &s->d->engine->dims.at[s->form->dims.at];
    uint32_t n = s->form->dims.n, open = n, several = 0;
    bool same = shape->rank == n;

    if (!shape->ranked || fsd_shape_count(s->c->amounts, shape) == -1)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        int64_t size = fsd_sizes_dim(s->c->sizes, dims[i]);

        if (size == -1) {
            several += open < n;
            open = i;
        }
        same = same && (size == -1 || size == shape->dims[i]);
    }
    return same || (open < n && !several && is_view(s, shape, open));
}

static bool is_alike(const struct fsd_shape *a, const struct fsd_shape *b)
{
    bool same = a->rank == b->rank;

    for (uint32_t i = 0; same && i < a->rank; i++)
        same = a->dims[i] == b->dims[i];
    return same;
}

static void consider(struct search *s, fsd_id tensor)
{
    const struct fsd_shape *shape = fsd_shape_of(s->c->sizes, tensor);

    if (s->d->facts->constant[tensor])
        return;
    s->seen++;
    if (!fits(s, shape))
        return;
    if (s->found == FSD_NONE)
        s->found = tensor;
    else
        s->several |= !is_alike(shape, fsd_shape_of(s->c->sizes, s->found));
}

static bool is_read_elsewhere(const struct fsd_diff *d, fsd_id tensor, fsd_id layer)
{
    const struct fsd_tensor *t = &d->model->tensors.at[tensor];

    for (uint32_t i = 0; i < t->consumers.n; i++)
        if (!fsd_match_has(d->match, layer, d->model->links.at[t->consumers.at + i]))
            return true;
    return t->flags & FSD_TENSOR_OUTPUT;
}

/* What the layer's own nodes hand on, or, when it reads the tensor, what they need. */
static void consider_layer(struct search *s, fsd_id layer, bool reads)
{
    const struct fsd_diff *d = s->d;

    for (uint32_t i = 0; i < d->match->of_layer[layer].n; i++) {
        fsd_id node = fsd_match_of_layer(d->match, layer, i)->node;
        const struct fsd_node *n = &d->model->nodes.at[node];

        if (d->match->of_node[node].n != 1)
            continue;
        for (uint32_t k = 0; k < (reads ? n->in.n : n->out.n); k++) {
            fsd_id t = reads ? fsd_node_in_tensor(d->model, node, k)
                             : fsd_node_out_tensor(d->model, node, k);
            fsd_id by = t == FSD_NONE ? FSD_NONE : fsd_tensor_producer(d->model, t);

            if (t != FSD_NONE &&
                (reads ? by == FSD_NONE || !fsd_match_has(d->match, layer, by)
                       : is_read_elsewhere(d, t, layer)))
                consider(s, t);
        }
    }
}

static fsd_id find_like(const struct fsd_diff *d, const struct fsd_cost *c, fsd_id e)
{
    const struct fsd_tensor *t = &d->engine->tensors.at[e];
    struct search s = {d, c, fsd_tensor_form(d->engine, e), FSD_NONE, false, 0};
    fsd_id maker = fsd_tensor_producer(d->engine, e), in;

    if (!s.form->ranked || t->producers.n != 1)
        return FSD_NONE;
    consider_layer(&s, maker, false);
    /* Joined products write parts of one tensor. */
    if (s.seen > d->engine->nodes.at[maker].out.n)
        return FSD_NONE;
    in = fsd_node_in_tensor(d->engine, maker, 0);
    if (d->layers[maker].inserted && in != FSD_NONE && c->like[in] != FSD_NONE &&
        d->engine->nodes.at[maker].in.n == 1)
        consider(&s, c->like[in]); /* a reformat hands on what it reads */
    for (uint32_t i = 0; s.found == FSD_NONE && i < t->consumers.n; i++)
        consider_layer(&s, d->engine->links.at[t->consumers.at + i], true);
    return s.several ? FSD_NONE : s.found;
}

void fsd_cost_like(const struct fsd_diff *d, struct fsd_cost *c)
{
    const struct fsd_graph *e = d->engine;

    c->like = FSD_NEW(d->arena, fsd_id, e->tensors.n);
    for (fsd_id t = 0; t < e->tensors.n; t++)
        c->like[t] = d->match->twin[t];
    for (fsd_id layer = 0; layer < e->nodes.n; layer++)
        for (uint32_t i = 0; i < e->nodes.at[layer].out.n; i++) {
            fsd_id t = fsd_node_out_tensor(e, layer, i);

            if (t != FSD_NONE && c->like[t] == FSD_NONE &&
                fsd_form_count(e, fsd_tensor_form(e, t)) < 0)
                c->like[t] = find_like(d, c, t);
        }
}
