/*
 * Proves that quantizers cancel each other:
 *
 *     q --DequantizeLinear s--> Reshape --> QuantizeLinear s --> q, in another shape
 *     q --DequantizeLinear s--> Div 2 --> QuantizeLinear s/2 --> q
 *
 * A DQ and a Q cancel each other if the Q outputs the integers that the DQ reads.  The
 * nodes between them may only move data or multiply by a number.  The scale of the Q
 * must be the scale of the DQ times these numbers.  The builder eliminates a Q if it
 * and all DQ nodes before it cancel each other.  The builder eliminates a DQ if it and
 * all Q nodes behind it cancel each other.  The builder eliminates a multiplication if
 * the DQ before it and all Q nodes behind it cancel each other.  Only per-tensor scales
 * are considered.
 */
#include "explain/diff/step.h"
#include "model/graph/graph.h"

#include <math.h>

enum { VISITS = 256 }; /* maximum number of nodes that are visited for a quantizer */

/* The largest relative difference of scales that count as equal; one of them may have
 * been rounded to FP32. */
#define NEAR 1e-6

struct quantizer {
    double scale;
    fsd_id zero; /* fsd_facts.value of its zero point; FSD_NONE if the zero point is
                    0 */
    enum fsd_dtype type;
};

static bool one_number(const struct fsd_graph *g, fsd_id tensor, double *number)
{
    const struct fsd_value *value = fsd_tensor_value(g, tensor);
    enum fsd_dtype type = fsd_tensor_form(g, tensor)->type;
    double more;

    return value && fsd_element_number(value, type, 0, number) &&
           !fsd_element_number(value, type, 1, &more);
}

static bool read_quantizer(const struct fsd_match *m, fsd_id node, struct quantizer *q)
{
    const struct fsd_graph *g = m->model;
    bool quantizes = m->facts->traits[node] & FSD_OP_QUANTIZE;
    fsd_id zero = fsd_node_in_tensor(g, node, 2);
    fsd_id scale = fsd_node_in_tensor(g, node, 1);
    double number = 0;

    if (!one_number(g, scale, &q->scale) ||
        (zero != FSD_NONE && !one_number(g, zero, &number)))
        return false;
    q->zero = number == 0 ? FSD_NONE : m->facts->value[zero];
    q->type = zero != FSD_NONE
                  ? fsd_tensor_form(g, zero)->type
                  : fsd_tensor_form(g, quantizes ? fsd_node_out_tensor(g, node, 0)
                                                 : fsd_node_in_tensor(g, node, 0))
                        ->type;
    return true;
}

static bool moves_data(const struct fsd_match *m, fsd_id node)
{
    enum fsd_same same = (enum fsd_same)m->facts->same[node];

    return (same != FSD_SAME_NOT && same != FSD_SAME_ZERO && same != FSD_SAME_ONE) ||
           (m->facts->traits[node] & FSD_OP_COPIES &&
            !fsd_node_is(m->model, node, FSD_ONNX_Concat));
}

/* Whether the node multiplies or divides its data by one number.  Sets *data to the
 * index of the input with the data, and *factor to the number by which the data is
 * multiplied. */
static bool scales(const struct fsd_match *m, fsd_id node, uint32_t *data,
                   double *factor)
{
    bool divides = fsd_node_is(m->model, node, FSD_ONNX_Div);

    if (!divides && !fsd_node_is(m->model, node, FSD_ONNX_Mul))
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        fsd_id by = fsd_node_in_tensor(m->model, node, 1 - i);

        if ((divides && i) || !one_number(m->model, by, factor) || !(*factor > 0))
            continue;
        *data = i;
        *factor = divides ? 1 / *factor : *factor;
        return true;
    }
    return false;
}

static bool is_equal(const struct quantizer *from, double factor,
                     const struct quantizer *to)
{
    return from->type == to->type && from->zero == to->zero &&
           fabs(from->scale * factor - to->scale) <= NEAR * to->scale;
}

/* Whether `q` cancels all DQ nodes before the tensor.  `factor` is the product of all
 * multiplications between the tensor and `q`. */
static bool comes_from(const struct fsd_match *m, const struct quantizer *q,
                       fsd_id tensor, double factor, int *steps)
{
    const struct fsd_graph *g = m->model;
    fsd_id node = fsd_tensor_producer(g, tensor);
    struct quantizer made;
    uint32_t data = 0;
    double by;

    if (node == FSD_NONE || --*steps < 0)
        return false;
    if (m->facts->traits[node] & FSD_OP_DEQUANTIZE)
        return read_quantizer(m, node, &made) && is_equal(&made, factor, q);
    if (fsd_node_is(g, node, FSD_ONNX_Concat)) {
        struct fsd_span in = g->nodes.at[node].in;

        for (uint32_t i = 0; i < in.n; i++)
            if (!comes_from(m, q, g->ports.at[in.at + i].tensor, factor, steps))
                return false;
        return in.n > 0;
    }
    if (scales(m, node, &data, &by))
        factor *= by;
    else if (!moves_data(m, node))
        return false;
    return comes_from(m, q, fsd_node_in_tensor(g, node, data), factor, steps);
}

/* Whether the DQ `from` cancels all Q nodes behind the tensor.  `factor` is the product
 * of all multiplications between `from` and the tensor.  False if a path from the
 * tensor does not lead to a Q. */
static bool goes_back(const struct fsd_match *m, const struct quantizer *from,
                      fsd_id tensor, double factor, int *steps)
{
    const struct fsd_graph *g = m->model;
    const struct fsd_tensor *t = fsd_graph_tensor(g, tensor);
    struct fsd_span to =
        t->flags & FSD_TENSOR_OUTPUT ? (struct fsd_span){0, 0} : t->consumers;
    FSD_EACH_ID (node, g->links, to) {
        struct quantizer q;
        uint32_t data;
        double by = 1;

        if (--*steps < 0)
            return false;
        if (m->facts->traits[node] & FSD_OP_QUANTIZE) {
            if (!read_quantizer(m, node, &q) || !is_equal(from, factor, &q))
                return false;
        } else if (!(scales(m, node, &data, &by) || moves_data(m, node) ||
                     fsd_node_is(g, node, FSD_ONNX_Concat)) ||
                   !goes_back(m, from, fsd_node_out_tensor(g, node, 0), factor * by,
                              steps))
            return false;
    }
    return to.n > 0;
}

/* Sets `from` to the DQ from which the data of `node` comes.  `node` must be a node
 * that multiplies, or the DQ itself.  Sets *factor to the product of all
 * multiplications behind the DQ, including that of `node`.  False if `node` is another
 * kind of node, or if there is no such DQ. */
static bool find_before(const struct fsd_match *m, fsd_id node, struct quantizer *from,
                        double *factor)
{
    uint32_t data = 0;
    double by;

    *factor = 1;
    for (int steps = 0; steps < VISITS && node != FSD_NONE; steps++, data = 0) {
        if (m->facts->traits[node] & FSD_OP_DEQUANTIZE)
            return read_quantizer(m, node, from);
        if (scales(m, node, &data, &by))
            *factor *= by;
        else if (!steps || !moves_data(m, node))
            return false;
        node = fsd_node_in_producer(m->model, node, data);
    }
    return false;
}

bool fsd_cancels(const struct fsd_match *m, fsd_id node)
{
    const struct fsd_graph *g = m->model;
    struct quantizer q;
    int steps = VISITS;
    double factor;

    if (m->facts->traits[node] & FSD_OP_QUANTIZE)
        return read_quantizer(m, node, &q) &&
               comes_from(m, &q, fsd_node_in_tensor(g, node, 0), 1, &steps);
    return find_before(m, node, &q, &factor) &&
           goes_back(m, &q, fsd_node_out_tensor(g, node, 0), factor, &steps);
}
