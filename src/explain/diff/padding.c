/*
 * Finds layers that pad data for a product, or that cut off the padding of its result.
 *
 *     [192,32,49] --> MoveConc --> [192,32,50] --> gemm      pads
 *     gemm --> [4,10] --> Slic --> [4,9]                     cuts off
 *
 * A kernel for a Conv or a GEMM needs aligned sizes.  One copy pads its operand, and
 * another copy cuts the padding off its result.  Such a copy has one input and one
 * output.  A copy is recognized by at least one of two signs:
 * - The copy is beside the product, and the sizes of its input and output are close.
 * - The copy is linked to a product, and its name has a Concat or Slice step that no
 *   node of the model explains.  Because the copy has only one input, its Concat can
 *   only add constants.
 *
 * The advice is to choose a size that needs no padding.  The author of the model can
 * choose only the sizes of tensors between two products.  If no product is before a
 * tensor, the network's inputs determine its size, for example the three channels of an
 * image.  If no product is behind a tensor, the network's outputs determine its size.
 */
#include "explain/diff/step.h"
#include "model/graph/graph.h"
#include "model/ops/ids.h"

enum { ALIGNED = 16, SEEN = 64 };

static const struct fsd_padding open_sizes = {.given = -1, .taken = -1};

/* Whether a Conv or GEMM kernel consumes the layer's output or, with `before`, produces
 * its input. */
static bool is_beside_product(const struct fsd_graph *e, fsd_id layer, bool before)
{
    struct fsd_span ports = before ? e->nodes.at[layer].in : e->nodes.at[layer].out;
    struct fsd_span beside = fsd_port_peers(e, ports.at, before);

    for (uint32_t i = 0; i < beside.n; i++)
        if (e->layers.at[e->links.at[beside.at + i]].multiplies)
            return true;
    return false;
}

/* Whether the layer is linked to a product, and to no node that joins, repeats, pads or
 * takes parts of tensors. */
static bool serves_product(const struct fsd_match *m, fsd_id layer)
{
    bool any = false;

    FSD_EACH_OF (node, m->links, m->of_layer[layer], node) {
        unsigned traits = m->facts->traits[node];

        if (traits & FSD_OP_PARTS || fsd_node_is(m->model, node, FSD_ONNX_Pad) ||
            fsd_node_is(m->model, node, FSD_ONNX_Expand) ||
            fsd_node_is(m->model, node, FSD_ONNX_Tile))
            return false;
        any |= (traits & FSD_OP_WEIGHTED) != 0;
    }
    return any;
}

/* Sets *axis to the only axis in which two forms of the same rank have different sizes;
 * false if there is no such axis or more than one, or if one of the sizes is
 * unknown. */
static bool differ_in_one(const struct fsd_graph *e, const struct fsd_form *in,
                          const struct fsd_form *out, uint32_t *axis)
{
    uint32_t found = 0;

    if (!in->ranked || in->dims.n != out->dims.n)
        return false;
    for (uint32_t i = 0; i < in->dims.n; i++) {
        int64_t a = e->dims.at[in->dims.at + i].size,
                b = e->dims.at[out->dims.at + i].size;

        if (a == b)
            continue;
        if (a <= 0 || b <= 0)
            return false;
        found++;
        *axis = i;
    }
    return found == 1;
}

bool fsd_layer_pads(const struct fsd_match *m, fsd_id layer,
                    struct fsd_padding *padding)
{
    const struct fsd_graph *e = m->engine;
    const struct fsd_form *in = fsd_layer_form_in(e, layer),
                          *out = fsd_layer_form_out(e, layer);
    const struct fsd_node *n = &e->nodes.at[layer];
    struct fsd_padding found = open_sizes;
    bool joins, cuts, serves;
    int64_t a, b;

    if (n->in.n != 1 || n->out.n != 1)
        return false;
    joins = fsd_layer_count(e, layer, FSD_ONNX_Concat) == 1;
    cuts = fsd_layer_count(e, layer, FSD_ONNX_Slice) == 1;
    serves = (joins || cuts) && serves_product(m, layer);
    if (!differ_in_one(e, in, out, &found.axis)) {
        if (fsd_form_count(e, in) >= 0 && fsd_form_count(e, out) >= 0)
            return false;
        found.cuts = cuts;
        if (!serves || joins == cuts)
            return false;
    } else {
        a = e->dims.at[in->dims.at + found.axis].size;
        b = e->dims.at[out->dims.at + found.axis].size;
        found = (struct fsd_padding){.given = a < b ? a : b,
                                     .taken = a < b ? b : a,
                                     .axis = found.axis,
                                     .cuts = b < a};
        if (!(serves && (found.cuts ? cuts : joins)) &&
            (found.taken - found.given >= ALIGNED ||
             !is_beside_product(e, layer, found.cuts)))
            return false;
    }
    if (padding)
        *padding = found;
    return true;
}

/* --------------------------------------------------------------- whose size it is */

struct queue {
    fsd_id tensors[SEEN];
    uint32_t n;
};

static void push(struct queue *q, fsd_id tensor, bool *cut)
{
    for (uint32_t i = 0; i < q->n; i++)
        if (q->tensors[i] == tensor)
            return;
    if (q->n < SEEN)
        q->tensors[q->n++] = tensor;
    else
        *cut = true;
}

static bool is_product(const struct fsd_diff *d, fsd_id node)
{
    return (d->facts->traits[node] & FSD_OP_WEIGHTED) != 0;
}

/* Whether a path without a product leads from an input of the network to the tensor;
 * also true if the search reaches its limit. */
static bool is_given(const struct fsd_diff *d, fsd_id tensor)
{
    const struct fsd_graph *m = d->model;
    struct queue q = {.n = 0};
    bool cut = false;

    push(&q, tensor, &cut);
    for (uint32_t at = 0; at < q.n; at++) {
        fsd_id producer = fsd_tensor_producer(m, q.tensors[at]);

        if (fsd_tensor_is(m, q.tensors[at], FSD_TENSOR_INPUT))
            return true;
        if (producer == FSD_NONE || is_product(d, producer) ||
            d->facts->folded[producer] ||
            (d->facts->traits[producer] & (FSD_OP_RECURRENT | FSD_OP_SHAPE)))
            continue;
        for (uint32_t i = 0; i < m->nodes.at[producer].in.n; i++)
            if (fsd_node_has_in(m, producer, i))
                push(&q, fsd_node_in_tensor(m, producer, i), &cut);
    }
    return cut;
}

/* Whether a path without a product leads from the tensor to an output of the network;
 * also true if the search reaches its limit. */
static bool is_result(const struct fsd_diff *d, fsd_id tensor)
{
    const struct fsd_graph *m = d->model;
    struct queue q = {.n = 0};
    bool cut = false;

    push(&q, tensor, &cut);
    for (uint32_t at = 0; at < q.n; at++) {
        struct fsd_span uses = m->tensors.at[q.tensors[at]].consumers;

        if (fsd_tensor_is(m, q.tensors[at], FSD_TENSOR_OUTPUT))
            return true;
        for (uint32_t i = 0; i < uses.n && i < SEEN; i++) {
            fsd_id node = m->links.at[uses.at + i];

            if (is_product(d, node) || (d->facts->traits[node] & FSD_OP_RECURRENT))
                continue;
            for (uint32_t k = 0; k < m->nodes.at[node].out.n; k++)
                if (fsd_node_has_out(m, node, k))
                    push(&q, fsd_node_out_tensor(m, node, k), &cut);
        }
        cut |= uses.n > SEEN;
    }
    return cut;
}

bool fsd_size_is_chosen(const struct fsd_diff *d, fsd_id tensor)
{
    return tensor != FSD_NONE && !d->model->named_only && !is_given(d, tensor) &&
           !is_result(d, tensor);
}

/* The product for which the layer pads data, or whose result the layer cuts; FSD_NONE
 * if there is none. */
static fsd_id product_of(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_flow *flow = &d->flows->of[layer];

    FSD_EACH_OF (node, d->match->links, d->match->of_layer[layer], node)
        if (is_product(d, node))
            return node;
    if (flow->there && flow->producer != FSD_NONE && is_product(d, flow->producer))
        return flow->producer;
    for (uint32_t i = 0; flow->there && i < flow->readers.n; i++) {
        fsd_id node = d->flows->readers.at[flow->readers.at + i].node;

        if (node != FSD_NONE && is_product(d, node))
            return node;
    }
    return FSD_NONE;
}

/* If the padding is in the channels of a grouped convolution, converts the sizes to the
 * sizes of one group. */
static void by_group(const struct fsd_diff *d, fsd_id product, struct fsd_padding *p)
{
    int64_t groups = fsd_node_int(d->model, product, "group", 1);

    if (groups > 1 && p->axis == 1 && p->given % groups == 0 &&
        p->taken % groups == 0) {
        p->given /= groups;
        p->taken /= groups;
    }
}

bool fsd_padding_choice(const struct fsd_diff *d, fsd_id layer,
                        struct fsd_padding_choice *choice)
{
    struct fsd_padding p;
    fsd_id product;
    int64_t given;

    if (!fsd_layer_pads(d->match, layer, &p) || p.given < 0)
        return false;
    product = product_of(d, layer);
    if (product == FSD_NONE || d->model->named_only ||
        (is_given(d, fsd_node_in_tensor(d->model, product, 0)) && !p.cuts) ||
        (p.cuts && is_result(d, fsd_node_out_tensor(d->model, product, 0))))
        return false;
    given = p.given;
    by_group(d, product, &p);
    *choice = (struct fsd_padding_choice){.product = product,
                                          .given = p.given,
                                          .taken = p.taken,
                                          .of_group = p.given != given};
    return true;
}

/* If one element of padding makes an odd size even, any even size needs no padding. The
 * text then names no size, because the padded size may be impossible: a window of 7 by
 * 7 has 49 tokens and cannot have 50, but another window can have an even number. */
void fsd_put_padding_choice(const struct fsd_padding_choice *choice, FILE *out)
{
    if (choice->given % 2 && choice->given > 1 && choice->taken == choice->given + 1)
        fputs("choose an even number of ", out);
    else
        fprintf(out, "choose %lld ", (long long)choice->taken);
    fprintf(out, "%s instead of %lld",
            choice->of_group ? "channels per group" : "elements",
            (long long)choice->given);
}

bool fsd_advise_padding(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    struct fsd_padding p;
    struct fsd_padding_choice choice;

    if (!fsd_layer_pads(d->match, layer, &p))
        return false;
    if (fsd_padding_choice(d, layer, &choice)) {
        fsd_put_padding_choice(&choice, out);
        fputs(" where ", out);
        fsd_quote_node(d, choice.product, out);
        fputs(p.cuts ? " writes the data: its kernel writes padding, and this layer "
                       "removes it"
                     : " reads the data: its kernel needs such a size",
              out);
        return true;
    }
    if (p.given < 0)
        fputs("the kernel of a convolution or matrix multiplication needs an aligned "
              "size; the dump does not state the size",
              out);
    else
        fprintf(out,
                "the kernel of a convolution or matrix multiplication needs %lld "
                "elements, but the data or the result has %lld",
                (long long)p.taken, (long long)p.given);
    return false;
}
