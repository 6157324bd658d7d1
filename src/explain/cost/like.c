/*
 * Finds dynamic sizes of the engine's tensors.  An engine tensor may have no
 * counterpart in the model.  The search then looks for a model tensor with the same
 * sizes.  In most cases, this is an output of a node that the tensor's producer
 * computes:
 *
 *     kernel   Conv_3  ->  __mye12 [-1,16,-1,-1]  ->  kernel  Conv_7
 *     model    Conv_3  ->  c [batch,16,h/2,w/2]   ->  Conv_7
 *
 * The fixed sizes of both tensors must be equal.  If several model tensors fit, they
 * must give the same dynamic sizes.  Exception: if a kernel writes several products
 * side by side into one tensor, the output of the first product is taken: it has as
 * many rows, but fewer columns.  The sizes of a tensor remain unknown if several
 * kernels write parts of it, or if it is a slice that the steps of a loop use.
 */
#include "explain/cost/cost.h"
#include "model/graph/graph.h"

enum { STEPWISE = FSD_OP_CONTROL | FSD_OP_RECURRENT };

struct search {
    const struct fsd_match *m;
    const struct fsd_layer_result *layers;
    const struct fsd_cost *c;
    const fsd_id *like;            /* indexed by engine tensor: the model tensor found
                                      so far; FSD_NONE if there is none */
    const struct fsd_sizes *model; /* sizes that the model alone states */
    const struct fsd_form *form;   /* form of the engine tensor for which the search
                                      runs */
    fsd_id found;
    bool several;
    bool loose;    /* the search is less strict: consider_layer() skips fewer tensors,
                      and fits() accepts a form with one padded size */
    uint32_t seen; /* number of candidates, including those that do not fit */
};

/* The product of the form's sizes with the indices i..end-1; -1 if one is unknown. */
static int64_t product(const struct search *s, uint32_t i, uint32_t end)
{
    int64_t n = 1;

    for (; i < end; i++)
        n = fsd_times(
            s->c->amounts, n,
            fsd_sizes_dim(s->c->sizes, s->m->engine->dims.at[s->form->dims.at + i]));
    return n;
}

/* Whether `size` is the product of the first few sizes of the shape.  With `last`:
 * whether `size` is the product of the last few sizes. */
static bool is_end_of(const struct search *s, const struct fsd_shape *shape,
                      int64_t size, bool last)
{
    int64_t n = 1;

    for (uint32_t i = 0; i < shape->rank && n != size; i++)
        n = fsd_times(s->c->amounts, n, shape->dims[last ? shape->rank - 1 - i : i]);
    return n == size;
}

/* Whether the form may be a view of the shape.  `open` is the index of the form's only
 * unknown size.  The sizes of the form before `open` must have the same product as the
 * first sizes of the shape.  The sizes behind `open` must have the same product as the
 * last sizes of the shape.  If both products are 1, the result is false, because any
 * shape would fit. */
static bool is_view(const struct search *s, const struct fsd_shape *shape,
                    uint32_t open)
{
    int64_t before = product(s, 0, open),
            behind = product(s, open + 1, s->form->dims.n);

    return (before != 1 || behind != 1) && is_end_of(s, shape, before, false) &&
           is_end_of(s, shape, behind, true);
}

static uint32_t count_open(const struct fsd_graph *engine, const struct fsd_cost *c,
                           const struct fsd_form *form)
{
    uint32_t open = 0;

    for (uint32_t i = 0; i < form->dims.n; i++)
        open += fsd_sizes_dim(c->sizes, engine->dims.at[form->dims.at + i]) == -1;
    return open;
}

/* How many axes the form and the shape both have behind the batch axes: 2 for [8,n,n]
 * and [2,4,n,n].  The one with the lower rank is assumed to have one batch axis. */
static uint32_t beside_batches(const struct fsd_form *form,
                               const struct fsd_shape *shape)
{
    uint32_t n = form->dims.n < shape->rank ? form->dims.n : shape->rank;

    return n ? n - 1 : 0;
}

/* The product of all sizes of the shape except the last `beside` sizes.  This is the
 * number of the shape's batches or rows. */
static int64_t count_before(const struct fsd_cost *c, const struct fsd_shape *shape,
                            uint32_t beside)
{
    int64_t n = 1;

    for (uint32_t i = 0; i + beside < shape->rank; i++)
        n = fsd_times(c->amounts, n, shape->dims[i]);
    return n;
}

static int64_t rows_of(const struct fsd_cost *c, const struct fsd_shape *shape)
{
    return count_before(c, shape, 1);
}

/* The i-th size of a form with several unknown sizes, derived from the shape.  The form
 * and the shape are assumed to differ only in the batch axes. */
static int64_t batched_size(const struct fsd_graph *engine, const struct fsd_cost *c,
                            const struct fsd_form *form, uint32_t i,
                            const struct fsd_shape *shape)
{
    const struct fsd_dim *dims = &engine->dims.at[form->dims.at];
    uint32_t beside = beside_batches(form, shape), last = form->dims.n - 1 - i;
    int64_t others = 1;

    if (last < beside)
        return shape->dims[shape->rank - 1 - last];
    for (uint32_t k = 0; k + beside < form->dims.n; k++)
        if (k != i)
            others = fsd_times(c->amounts, others, fsd_sizes_dim(c->sizes, dims[k]));
    return fsd_over(c->amounts, count_before(c, shape, beside), others);
}

/* Whether `columns` is the number of columns of all heads of the shape together, as in
 * [2,n,64] for [2,4,n,16]. */
static bool joins_heads(const struct fsd_cost *c, int64_t columns,
                        const struct fsd_shape *shape)
{
    enum { BATCH, HEADS, ROWS, COLUMNS, RANK };

    return shape->rank == RANK &&
           fsd_times(c->amounts, shape->dims[HEADS], shape->dims[COLUMNS]) == columns;
}

/* Whether an engine tensor with the last size `columns` may hold the outputs of several
 * products side by side.  `shape` is the shape of one of these outputs, which must have
 * fewer columns.  If the tensor may instead be a view of `shape`, the result is false.
 * `columns` is then the product of the last few sizes of `shape`, or the number of
 * columns of all its heads (joins_heads()). */
static bool is_joined(const struct fsd_cost *c, int64_t columns,
                      const struct fsd_shape *shape)
{
    int64_t n = 1;

    for (uint32_t i = shape->rank; i-- > 0 && n != columns;)
        n = fsd_times(c->amounts, n, shape->dims[i]);
    return shape->rank && columns > shape->dims[shape->rank - 1] && n != columns &&
           !joins_heads(c, columns, shape);
}

int64_t fsd_cost_open_size(const struct fsd_graph *engine, const struct fsd_cost *c,
                           const struct fsd_form *form, uint32_t i,
                           const struct fsd_shape *shape)
{
    const struct fsd_dim *dims = &engine->dims.at[form->dims.at];
    uint32_t n = form->dims.n;
    int64_t others = 1, columns = fsd_sizes_dim(c->sizes, dims[n - 1]);
    bool joined;

    if (shape->rank == n)
        return shape->dims[i];
    if (count_open(engine, c, form) > 1)
        return batched_size(engine, c, form, i, shape);
    joined = i + 1 < n && columns > 0 && is_joined(c, columns, shape);
    for (uint32_t k = 0; k + joined < n; k++)
        if (k != i)
            others = fsd_times(c->amounts, others, fsd_sizes_dim(c->sizes, dims[k]));
    return fsd_over(c->amounts,
                    joined ? rows_of(c, shape) : fsd_shape_count(c->amounts, shape),
                    others);
}

/* Whether a form with several unknown sizes fits a shape of a different rank:
 * - The batch axes must have the same product.  If the form's product is unknown, it
 *   fits, too.
 * - There must be an axis behind the batch axes (beside_batches()).  Each size there
 *   must be equal in both, or unknown in the form and in `alone`.
 * @param alone the shape with only the sizes that the model itself states */
static bool is_batched(const struct search *s, const struct fsd_shape *shape,
                       const struct fsd_shape *alone)
{
    const struct fsd_dim *dims = &s->m->engine->dims.at[s->form->dims.at];
    uint32_t n = s->form->dims.n, beside = beside_batches(s->form, shape);
    int64_t batches = 1;

    for (uint32_t k = 0; k < beside; k++) {
        int64_t size = fsd_sizes_dim(s->c->sizes, dims[n - 1 - k]);

        if (size == -1 ? alone->dims[shape->rank - 1 - k] >= 0
                       : size != shape->dims[shape->rank - 1 - k])
            return false;
    }
    for (uint32_t i = 0; i + beside < n; i++) {
        int64_t size = fsd_sizes_dim(s->c->sizes, dims[i]);

        if (size == -1)
            return beside > 0;
        batches = fsd_times(s->c->amounts, batches, size);
    }
    return beside && batches == count_before(s->c, shape, beside);
}

/* Whether `size` is `from` rounded up to a vector width, because the builder pads axes
 * that do not fill a vector. */
static bool is_padded(int64_t size, int64_t from)
{
    for (int64_t width = 2; from > 0 && width <= 32; width *= 2)
        if (size > from && size == (from + width - 1) / width * width)
            return true;
    return false;
}

/* Whether the model tensor fits the form.  If the ranks are equal, the sizes must be
 * equal; in loose mode, one size may be padded.  If the ranks differ, the form must fit
 * by is_view() or is_batched(). */
static bool fits(const struct search *s, fsd_id tensor)
{
    const struct fsd_dim *dims = &s->m->engine->dims.at[s->form->dims.at];
    const struct fsd_shape *shape = fsd_shape_of(s->c->sizes, tensor),
                           *alone = fsd_shape_of(s->model, tensor);
    uint32_t n = s->form->dims.n, open = n, several = 0, padded = 0;
    bool same = true;

    if (!shape->ranked || fsd_shape_count(s->c->amounts, shape) == -1)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        int64_t size = fsd_sizes_dim(s->c->sizes, dims[i]);

        if (size == -1) {
            several += open < n;
            open = i;
            /* The engine does not fix this size, so the model must not fix it. */
            same = same && (alone->rank != n || alone->dims[i] < 0);
        } else if (shape->rank == n && size != shape->dims[i]) {
            same = same && s->loose && !padded++ && is_padded(size, shape->dims[i]);
        }
    }
    if (shape->rank == n)
        return same;
    return open < n && !fsd_shape_is_full(alone) &&
           (several ? is_batched(s, shape, alone) : is_view(s, shape, open));
}

/* Whether the unknown sizes of the form have the same values if they are derived from
 * `a` and from `b`. */
static bool agree(const struct search *s, const struct fsd_shape *a,
                  const struct fsd_shape *b)
{
    const struct fsd_dim *dims = &s->m->engine->dims.at[s->form->dims.at];
    bool same = true;

    for (uint32_t i = 0; same && i < s->form->dims.n; i++)
        same = fsd_sizes_dim(s->c->sizes, dims[i]) != -1 ||
               fsd_cost_open_size(s->m->engine, s->c, s->form, i, a) ==
                   fsd_cost_open_size(s->m->engine, s->c, s->form, i, b);
    return same;
}

static void consider(struct search *s, fsd_id tensor)
{
    const struct fsd_shape *shape = fsd_shape_of(s->c->sizes, tensor);

    if (s->m->facts->constant[tensor])
        return;
    s->seen++;
    if (!fits(s, tensor))
        return;
    if (s->found == FSD_NONE)
        s->found = tensor;
    else
        s->several |= !agree(s, shape, fsd_shape_of(s->c->sizes, s->found));
}

/* Considers the outputs of the layer's nodes or, with `reads`, their inputs.  Skips
 * nodes with a body and recurrent nodes.  Unless `s->loose` is set, also skips:
 * - nodes that several layers compute;
 * - outputs that only nodes of the layer read;
 * - inputs that nodes of the layer compute. */
static void consider_layer(struct search *s, fsd_id layer, bool reads)
{
    const struct fsd_match *m = s->m;

    FSD_EACH_OF (node, m->links, m->of_layer[layer], node) {
        const struct fsd_node *n = &m->model->nodes.at[node];

        if ((!s->loose && m->of_node[node].n != 1) || m->facts->traits[node] & STEPWISE)
            continue;
        for (uint32_t k = 0; k < (reads ? n->in.n : n->out.n); k++) {
            fsd_id t = reads ? fsd_node_in_tensor(m->model, node, k)
                             : fsd_node_out_tensor(m->model, node, k);
            fsd_id by = fsd_tensor_producer(m->model, t);

            if (t != FSD_NONE &&
                (s->loose || (reads ? by == FSD_NONE || !fsd_match_has(m, layer, by)
                                    : fsd_match_read_outside(m, layer, t))))
                consider(s, t);
        }
    }
}

/* Whether the form fits the shape.  The last size of the form is not examined.  If the
 * ranks are equal, the other sizes of the form must be equal to those of the shape, or
 * unknown.  If the ranks differ, exactly one of the other sizes must be unknown. */
static bool fits_rows(const struct search *s, const struct fsd_shape *shape)
{
    const struct fsd_dim *dims = &s->m->engine->dims.at[s->form->dims.at];
    uint32_t n = s->form->dims.n, open = 0;
    bool same = true;

    for (uint32_t i = 0; i + 1 < n; i++) {
        int64_t size = fsd_sizes_dim(s->c->sizes, dims[i]);

        open += size == -1;
        same = same && (size == -1 || (i < shape->rank && size == shape->dims[i]));
    }
    return shape->rank == n ? same : open == 1;
}

/* The output of the layer's first product, if the form can hold the outputs of all
 * products of the layer side by side; else FSD_NONE.  These outputs must fit
 * (fits_rows()) and have equally many rows.  Their columns must add up to the form's
 * last size. */
static fsd_id find_joined(const struct search *s, fsd_id layer)
{
    const struct fsd_match *m = s->m;
    const struct fsd_graph *e = m->engine;
    uint32_t n = s->form->dims.n;
    int64_t columns =
        n ? fsd_sizes_dim(s->c->sizes, e->dims.at[s->form->dims.at + n - 1]) : -1;
    int64_t sum = 0, rows = 0;
    fsd_id found = FSD_NONE;

    FSD_EACH_OF (node, m->links, m->of_layer[layer], node) {
        fsd_id out = fsd_node_out_tensor(m->model, node, 0);
        const struct fsd_shape *shape = fsd_shape_of(s->c->sizes, out);

        if (!(m->facts->traits[node] & FSD_OP_WEIGHTED))
            continue;
        if (!shape->rank || shape->dims[shape->rank - 1] < 0 || !fits_rows(s, shape) ||
            rows_of(s->c, shape) == -1 || (rows && rows != rows_of(s->c, shape)))
            return FSD_NONE;
        rows = rows_of(s->c, shape);
        sum += shape->dims[shape->rank - 1];
        found = fsd_id_or(found, out);
    }
    return sum == columns ? found : FSD_NONE;
}

/* Searches the tensors that the producer's nodes pass to other layers, and then the
 * tensors that the consumers' nodes get from other layers. */
static void search_border(struct search *s, fsd_id e, fsd_id producer)
{
    const struct fsd_match *m = s->m;
    const struct fsd_tensor *t = &m->engine->tensors.at[e];
    fsd_id in = fsd_node_in_tensor(m->engine, producer, 0);

    consider_layer(s, producer, false);
    /* The producer may join several products, which then write parts of the tensor. */
    if (m->engine->nodes.at[producer].out.n == 1 && s->seen > 1) {
        s->found = find_joined(s, producer);
        s->several &= s->found == FSD_NONE;
        return;
    }
    if (s->layers[producer].inserted && fsd_id_at(s->like, in) != FSD_NONE &&
        m->engine->nodes.at[producer].in.n == 1)
        consider(s, s->like[in]); /* the output of a reformat has the sizes of its
                                     input */
    for (uint32_t i = 0; s->found == FSD_NONE && i < t->consumers.n; i++)
        consider_layer(s, m->engine->links.at[t->consumers.at + i], true);
}

/* Searches all outputs of the producer's nodes, and all inputs of the consumers' nodes.
 * Several layers may compute one node.  The tensors between these layers are not in the
 * model, but most of them have the sizes of an input or output of the node.  The form
 * must have a fixed size above 1: without one, too many tensors would fit. */
static void search_within(struct search *s, fsd_id e, fsd_id producer)
{
    const struct fsd_graph *g = s->m->engine;
    const struct fsd_tensor *t = &g->tensors.at[e];
    bool any = false;

    for (uint32_t i = 0; i < s->form->dims.n; i++)
        any |= g->dims.at[s->form->dims.at + i].size > 1;
    if (!any)
        return;
    s->loose = true;
    consider_layer(s, producer, false);
    FSD_EACH_ID (reader, g->links, t->consumers)
        consider_layer(s, reader, true);
}

static fsd_id find_like(const struct fsd_match *m,
                        const struct fsd_layer_result *layers, const struct fsd_cost *c,
                        const struct fsd_sizes *model, const fsd_id *like, fsd_id e)
{
    struct search s = {.m = m,
                       .layers = layers,
                       .c = c,
                       .like = like,
                       .model = model,
                       .form = fsd_tensor_form(m->engine, e),
                       .found = FSD_NONE};
    struct search again = s;
    fsd_id producer = fsd_tensor_producer(m->engine, e);

    if (!s.form->ranked || m->engine->tensors.at[e].producers.n != 1)
        return FSD_NONE;
    search_border(&s, e, producer);
    if (s.found != FSD_NONE || s.several)
        return s.several ? FSD_NONE : s.found;
    search_within(&again, e, producer);
    return again.several ? FSD_NONE : again.found;
}

/* Whether the layer may read or write slices of tensors: it is a step of a loop, or a
 * generated kernel without a known node. */
static bool takes_parts(const struct fsd_match *m, fsd_id layer)
{
    struct fsd_span nodes = m->of_layer[layer];
    bool parts =
        !nodes.n && m->engine->layers.at[layer].provider == FSD_PROVIDER_COMPILER;

    for (uint32_t i = 0; i < nodes.n && !parts; i++)
        parts = m->facts->traits[fsd_match_of_layer(m, layer, i)->node] & STEPWISE;
    return parts;
}

static void drop_other_ranks(const struct fsd_match *m, struct fsd_cost *c,
                             struct fsd_span ports)
{
    for (uint32_t i = ports.at; i < ports.at + ports.n; i++)
        if (fsd_shape_of(c->sizes, c->like[i])->rank !=
            fsd_port_form(m->engine, &m->engine->ports.at[i])->dims.n)
            c->like[i] = FSD_NONE;
}

void fsd_cost_like(const struct fsd_match *m, const struct fsd_layer_result *layers,
                   struct fsd_cost *c)
{
    const struct fsd_graph *e = m->engine;
    FSD_SCRATCH(scratch);
    fsd_id *like = FSD_NEW(scratch, fsd_id, e->tensors.n); /* as c->like, but
                                                              indexed by tensor */
    const struct fsd_sizes *model = NULL;

    c->like = FSD_NEW(m->arena, fsd_id, e->ports.n);
    for (fsd_id t = 0; t < e->tensors.n; t++)
        like[t] = m->counterpart[t];
    for (fsd_id layer = 0; layer < e->nodes.n; layer++) {
        const struct fsd_node *n = &e->nodes.at[layer];

        FSD_EACH_OF (t, e->ports, n->out, tensor)
            if (t != FSD_NONE && like[t] == FSD_NONE &&
                fsd_form_count(e, fsd_tensor_form(e, t)) < 0) {
                model = model ? model : fsd_sizes_of_model(scratch, m->model);
                like[t] = find_like(m, layers, c, model, like, t);
            }
    }
    for (uint32_t i = 0; i < e->ports.n; i++)
        c->like[i] = fsd_id_at(like, e->ports.at[i].tensor);
    for (fsd_id layer = 0; layer < e->nodes.n; layer++)
        if (takes_parts(m, layer)) {
            drop_other_ranks(m, c, e->nodes.at[layer].in);
            drop_other_ranks(m, c, e->nodes.at[layer].out);
        }
}
