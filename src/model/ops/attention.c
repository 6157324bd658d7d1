/*
 * Attention operators: the shapes of their outputs, and their multiply-adds.
 *
 * For each query, each head computes a sum over all keys, including the past keys (the
 * cache).  Several query heads may share a key/value head, but each query head has its
 * own products.  With a causal mask, a kernel may skip about half of the products.  The
 * operator's definition includes all of them, so all are counted.
 */
#include "model/ops/rule.h"

/* The sizes of an attention node, as amounts; -1: unknown. */
struct attention {
    int64_t batch, queries, keys; /* `keys` includes the past keys */
    int64_t across;  /* the number of elements of a query, all heads together; also the
                        multiply-adds of the product of one query and one key */
    int64_t along;   /* the number of elements of a value, all heads together; also the
                        multiply-adds to add one value to the weighted sum */
    int64_t last;    /* the last dimension of the output */
    int64_t project; /* the multiply-adds of the projection to queries, keys and
                        values */
};

static int64_t at(const struct fsd_shape *x, uint32_t i)
{
    return i < x->rank ? x->dims[i] : -1;
}

/* Adds the length of the past keys to `keys`, if input i has them.  The past keys have
 * the shape batch x heads x length x size. */
static int64_t with_past(const struct fsd_op_case *c, uint32_t i, uint32_t rank,
                         int64_t keys)
{
    const struct fsd_shape *past = fsd_shape_in(c, i);

    if (!fsd_case_has(c, i))
        return keys;
    return past->rank == rank ? fsd_plus(c->t, keys, past->dims[rank - 2]) : -1;
}

static struct attention onnx(const struct fsd_op_case *c)
{
    const struct fsd_shape *q = fsd_shape_in(c, 0), *k = fsd_shape_in(c, 1),
                           *v = fsd_shape_in(c, 2);
    int64_t heads = fsd_case_size(c, "q_num_heads", -1);
    int64_t shared = fsd_case_size(c, "kv_num_heads", heads);
    bool apart = q->rank == 4; /* the heads are a dimension of their own */
    struct attention a = {.batch = at(q, 0),
                          .queries = at(q, apart ? 2 : 1),
                          .keys = at(k, apart ? 2 : 1)};

    if (q->rank < 3 || q->rank > 4 || k->rank != q->rank || v->rank != q->rank)
        return (struct attention){-1, -1, -1, -1, -1, -1, -1};
    a.keys = with_past(c, 4, 4, a.keys);
    if (apart) {
        a.across = fsd_times(c->t, at(q, 1), at(q, 3));
        a.last = at(v, 3);
        a.along = fsd_times(c->t, at(q, 1), a.last);
    } else {
        a.across = at(q, 2);
        a.last = fsd_over(c->t, fsd_times(c->t, at(v, 2), heads), shared);
        a.along = a.last;
    }
    return a;
}

/* The sizes of com.microsoft's Attention.  One input and one weight produce the
 * queries, keys and values together. */
static struct attention packed(const struct fsd_op_case *c)
{
    const struct fsd_shape *x = fsd_shape_in(c, 0), *w = fsd_shape_in(c, 1);
    int64_t all = at(w, 1), buffer = fsd_case_int(c, "past_present_share_buffer", 0);
    struct attention a = {.batch = at(x, 0), .queries = at(x, 1)};
    uint32_t n;
    const int64_t *sizes = fsd_case_ints(c, "qkv_hidden_sizes", &n);

    a.keys = buffer ? -1 : with_past(c, 4, 5, at(x, 1));
    a.across = n == 3 ? fsd_size(sizes[0]) : fsd_over(c->t, all, 3);
    a.along = a.last = n == 3 ? fsd_size(sizes[2]) : a.across;
    a.project = fsd_times(c->t, fsd_times(c->t, a.batch, a.queries),
                          fsd_times(c->t, at(x, 2), all));
    return a;
}

/* The sizes of com.microsoft's MultiHeadAttention.  Its inputs are queries, keys and
 * values.  One tensor of the shape batch x length x heads x parts x size may hold the
 * queries, keys and values (3 parts), or only the keys and values (2 parts). */
static struct attention multi_head(const struct fsd_op_case *c)
{
    const struct fsd_shape *q = fsd_shape_in(c, 0), *k = fsd_shape_in(c, 1),
                           *v = fsd_shape_in(c, 2);
    struct attention a = {.batch = at(q, 0), .queries = at(q, 1), .across = at(q, 2)};
    const struct fsd_shape *pack = q->rank == 5 ? q : k;

    if (q->rank == 5)
        a.across = fsd_times(c->t, at(q, 2), at(q, 4));
    if (pack->rank == 5) {
        a.keys = at(pack, 1);
        a.along = fsd_times(c->t, at(pack, 2), at(pack, 4));
    } else if (k->rank == 4) {
        a.keys = at(k, 2);
        a.along = fsd_times(c->t, at(v, 1), at(v, 3));
    } else {
        a.keys = at(k, 1);
        a.along = at(v, 2);
    }
    a.keys = with_past(c, 6, 4, a.keys);
    a.last = a.along;
    return a;
}

static struct attention attention_of(const struct fsd_op_case *c)
{
    return c->op->variant == 'p'   ? packed(c)
           : c->op->variant == 'm' ? multi_head(c)
                                   : onnx(c);
}

/* The shape of the second or third output of ONNX's Attention: all keys or all values,
 * including the past ones. */
static struct fsd_shape present(const struct fsd_op_case *c)
{
    const struct fsd_shape *x = fsd_shape_in(c, c->out);
    int64_t heads = fsd_case_size(c, "kv_num_heads", -1);
    struct attention a = onnx(c);

    if (x->rank == 3)
        return (struct fsd_shape){
            true, 4, {a.batch, heads, a.keys, fsd_over(c->t, x->dims[2], heads)}};
    if (x->rank == 4)
        return (struct fsd_shape){true, 4, {a.batch, x->dims[1], a.keys, x->dims[3]}};
    return (struct fsd_shape){0};
}

/* The shape of the fourth output of ONNX's Attention: the products of queries and keys
 * for each head. */
static struct fsd_shape products(const struct fsd_op_case *c)
{
    const struct fsd_shape *q = fsd_shape_in(c, 0);
    struct attention a = onnx(c);
    int64_t heads = q->rank == 4 ? q->dims[1] : fsd_case_size(c, "q_num_heads", -1);

    return (struct fsd_shape){
        q->rank == 3 || q->rank == 4, 4, {a.batch, heads, a.queries, a.keys}};
}

bool fsd_shape_attention(const struct fsd_op_case *c, struct fsd_shape *out)
{
    *out = *fsd_shape_in(c, 0);
    if (out->rank != 3 && out->rank != 4)
        return false;
    if (c->out)
        *out = c->op->variant ? (struct fsd_shape){0}
               : c->out < 3   ? present(c)
                              : products(c);
    else
        out->dims[out->rank - 1] = attention_of(c).last;
    return out->ranked;
}

/* Linear attention outputs its result and a recurrent state.  The state is one matrix
 * per head, which replaces a list of past keys. */
bool fsd_shape_linear_attention(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *q = fsd_shape_in(c, 0), *k = fsd_shape_in(c, 1),
                           *v = fsd_shape_in(c, 2);
    int64_t heads = fsd_case_size(c, "q_num_heads", -1);
    int64_t shared = fsd_case_size(c, "kv_num_heads", -1);
    int64_t value = fsd_over(c->t, at(v, 2), shared);

    if (q->rank != 3 || k->rank != 3 || v->rank != 3)
        return false;
    *out = *q;
    out->dims[2] = fsd_times(c->t, heads, value);
    if (c->out)
        *out = (struct fsd_shape){
            true, 4, {q->dims[0], shared, fsd_over(c->t, at(k, 2), shared), value}};
    return true;
}

/* The first output has the shape of the input.  The second output is the state for the
 * next step: the last K - 1 positions of the input, if the kernel has K positions. */
bool fsd_shape_causal_conv(const struct fsd_op_case *c, struct fsd_shape *out)
{
    const struct fsd_shape *w = fsd_shape_in(c, 1);

    *out = *fsd_shape_in(c, 0);
    if (out->rank != 3)
        return false;
    if (c->out)
        out->dims[2] =
            w->rank == 3 ? fsd_plus(c->t, w->dims[2], fsd_amount_of(c->t, -1)) : -1;
    return true;
}

/* Counts the multiply-adds of the products of queries and keys, of the weighted sums of
 * values, and of the projection. */
int64_t fsd_macs_attention(const struct fsd_op_case *c)
{
    struct attention a = attention_of(c);
    int64_t pairs = fsd_times(c->t, fsd_times(c->t, a.batch, a.queries), a.keys);

    return fsd_plus(c->t, a.project,
                    fsd_times(c->t, pairs, fsd_plus(c->t, a.across, a.along)));
}
