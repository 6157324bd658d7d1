#include "cost/attention.h"
#include "cost/amount.h"
#include "cost/shape.h"

static const struct fsd_shape *in(const struct fsd_diff *d, fsd_id node, uint32_t i)
{
    return fsd_shape_of(d, fsd_node_in_tensor(d->model, node, i));
}

static int64_t at(const struct fsd_shape *x, uint32_t i)
{
    return i < x->rank ? x->dims[i] : -1;
}

/* Adds the length of a past, batch x heads x length x size, where there is one. */
static int64_t with_past(const struct fsd_diff *d, fsd_id node, uint32_t i,
                         uint32_t rank, int64_t keys)
{
    const struct fsd_shape *past = in(d, node, i);

    if (fsd_node_in_tensor(d->model, node, i) == FSD_NONE)
        return keys;
    return past->rank == rank ? fsd_plus(d->cost->amounts, keys, past->dims[rank - 2])
                              : -1;
}

/* Heads of keys and values may serve several heads of queries: each query head has its
 * own product all the same. */
static struct fsd_attention onnx(const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_shape *q = in(d, node, 0), *k = in(d, node, 1),
                           *v = in(d, node, 2);
    int64_t heads = fsd_node_size(d->model, node, "q_num_heads", -1);
    int64_t shared = fsd_node_size(d->model, node, "kv_num_heads", heads);
    bool apart = q->rank == 4; /* the heads have a dimension */
    struct fsd_attention a = {.batch = at(q, 0),
                              .queries = at(q, apart ? 2 : 1),
                              .keys = at(k, apart ? 2 : 1)};

    if (q->rank < 3 || q->rank > 4 || k->rank != q->rank || v->rank != q->rank)
        return (struct fsd_attention){-1, -1, -1, -1, -1, -1, -1};
    a.keys = with_past(d, node, 4, 4, a.keys);
    if (apart) {
        a.across = fsd_times(d->cost->amounts, at(q, 1), at(q, 3));
        a.last = at(v, 3);
        a.along = fsd_times(d->cost->amounts, at(q, 1), a.last);
    } else {
        a.across = at(q, 2);
        a.last = fsd_over(d->cost->amounts,
                          fsd_times(d->cost->amounts, at(v, 2), heads), shared);
        a.along = a.last;
    }
    return a;
}

/* One input and one weight, which make queries, keys and values together. */
static struct fsd_attention packed(const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_shape *x = in(d, node, 0), *w = in(d, node, 1);
    int64_t all = at(w, 1), buffer;
    struct fsd_attention a = {.batch = at(x, 0), .queries = at(x, 1), .keys = at(x, 1)};
    uint32_t n;
    const int64_t *sizes = fsd_node_ints(d->model, node, "qkv_hidden_sizes", &n);

    buffer = fsd_node_int(d->model, node, "past_present_share_buffer", 0);
    a.keys = buffer ? -1 : with_past(d, node, 4, 5, a.keys);
    a.across = n == 3 ? fsd_size(sizes[0]) : fsd_over(d->cost->amounts, all, 3);
    a.along = a.last = n == 3 ? fsd_size(sizes[2]) : a.across;
    a.project =
        fsd_times(d->cost->amounts, fsd_times(d->cost->amounts, a.batch, a.queries),
                  fsd_times(d->cost->amounts, at(x, 2), all));
    return a;
}

/* Queries, keys and values; all three, or the last two, may come in one tensor of
 * batch x length x heads x parts x size. */
static struct fsd_attention multi_head(const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_shape *q = in(d, node, 0), *k = in(d, node, 1),
                           *v = in(d, node, 2);
    struct fsd_attention a = {
        .batch = at(q, 0), .queries = at(q, 1), .across = at(q, 2)};
    const struct fsd_shape *pack = q->rank == 5 ? q : k;

    if (q->rank == 5)
        a.across = fsd_times(d->cost->amounts, at(q, 2), at(q, 4));
    if (pack->rank == 5) {
        a.keys = at(pack, 1);
        a.along = fsd_times(d->cost->amounts, at(pack, 2), at(pack, 4));
    } else if (k->rank == 4) {
        a.keys = at(k, 2);
        a.along = fsd_times(d->cost->amounts, at(v, 1), at(v, 3));
    } else {
        a.keys = at(k, 1);
        a.along = at(v, 2);
    }
    a.keys = with_past(d, node, 6, 4, a.keys);
    a.last = a.along;
    return a;
}

struct fsd_attention fsd_attention_of(const struct fsd_diff *d, fsd_id node)
{
    if (fsd_node_is(d->model, node, "Attention"))
        return onnx(d, node);
    if (fsd_node_is_microsoft(d, node, "Attention"))
        return packed(d, node);
    if (fsd_node_is_microsoft(d, node, "MultiHeadAttention"))
        return multi_head(d, node);
    return (struct fsd_attention){-1, -1, -1, -1, -1, -1, -1};
}

int64_t fsd_attention_macs(const struct fsd_diff *d, fsd_id node)
{
    struct fsd_attention a = fsd_attention_of(d, node);
    int64_t pairs = fsd_times(d->cost->amounts,
                              fsd_times(d->cost->amounts, a.batch, a.queries), a.keys);

    return fsd_plus(d->cost->amounts, a.project,
                    fsd_times(d->cost->amounts, pairs,
                              fsd_plus(d->cost->amounts, a.across, a.along)));
}
