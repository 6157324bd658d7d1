/*
 * Finds the counterpart of an engine's tensor: the model's tensor whose value the
 * engine's tensor holds.
 *
 * Usually, the counterpart is the tensor of the same name.  There are two exceptions.
 *
 * If a Q is behind an operator such as a MaxPool, the builder may move the Q before
 * this operator.  The engine then uses the names of the model for other values:
 *
 *     model    a -> MaxPool -> b -> Q -> c          b is a float
 *     engine   a -> Q -> "b" -> MaxPool -> "c"      "b" is int8 and holds Q(a)
 *
 * The sign is that "b" is quantized in the engine, but a float in the model.  The
 * counterpart of the engine's "b" is then "a", the model's tensor before the operator.
 * This was seen with MaxPool.
 *
 * The builder may also move a DQ behind an operator.  In the engine, the tensor with
 * the name of the DQ's output is then quantized.  The counterpart of this engine tensor
 * is the model's tensor behind the operator.
 *
 * If a layer forwards its input unchanged, its input and output hold the same value.
 * So an output without a counterpart gets the counterpart of the input.  Afterwards, an
 * input that still has no counterpart gets the counterpart of the output.
 */
#include "match/pass.h"
#include "model/graph/graph.h"

enum { FAR = 4 }; /* maximum number of operators across which a Q is followed */

static bool is_quantized(const struct fsd_facts *f, fsd_id tensor)
{
    fsd_id node = fsd_tensor_producer(f->g, tensor);

    if (fsd_traits_of(f, node) & FSD_OP_QDQ)
        return f->traits[node] & FSD_OP_QUANTIZE;
    return fsd_dtype_is_quantized(fsd_tensor_form(f->g, tensor)->type);
}

/* The only non-constant input of the node; FSD_NONE if there are several. */
static fsd_id data_input(const struct fsd_facts *f, fsd_id node)
{
    const struct fsd_node *n = &f->g->nodes.at[node];
    fsd_id data = FSD_NONE;

    FSD_EACH_OF (t, f->g->ports, n->in, tensor) {
        if (!fsd_is_data(f, t))
            continue;
        if (data != FSD_NONE)
            return FSD_NONE;
        data = t;
    }
    return data;
}

static fsd_id consumer(const struct fsd_graph *g, fsd_id tensor, uint32_t i)
{
    return g->links.at[g->tensors.at[tensor].consumers.at + i];
}

/* The Q that reads the tensor, directly or behind operators that commute with a Q;
 * FSD_NONE if there is none. */
static fsd_id find_quantizer(const struct fsd_facts *f, fsd_id tensor)
{
    for (int far = 0; far < FAR; far++) {
        const struct fsd_tensor *t = &f->g->tensors.at[tensor];
        fsd_id next = FSD_NONE;

        for (uint32_t i = 0; i < t->consumers.n; i++) {
            fsd_id node = consumer(f->g, tensor, i);

            if (f->traits[node] & FSD_OP_QUANTIZE)
                return node;
            if ((f->traits[node] & FSD_OP_COMMUTES) && data_input(f, node) == tensor)
                next = fsd_node_out_tensor(f->g, node, 0);
        }
        if (next == FSD_NONE)
            return FSD_NONE;
        tensor = next;
    }
    return FSD_NONE;
}

/* `tensor` is the output of a DQ, but the engine's tensor of the same name is
 * quantized.  If the only consumer of `tensor` commutes with a DQ, the builder moved
 * the DQ behind this consumer.  Returns the consumer's output in that case; else
 * `tensor`. */
static fsd_id after_moved_dq(const struct fsd_facts *f, fsd_id tensor)
{
    fsd_id next;

    if (f->g->tensors.at[tensor].consumers.n != 1)
        return tensor;
    next = consumer(f->g, tensor, 0);
    if (!(f->traits[next] & FSD_OP_COMMUTES) || data_input(f, next) != tensor)
        return tensor;
    return fsd_node_out_tensor(f->g, next, 0);
}

/* Corrects the counterpart of a quantized engine tensor that has the name of a float
 * tensor of the model. */
static void follow_swap(struct fsd_match *m, fsd_id e)
{
    const struct fsd_facts *f = m->facts;
    fsd_id tensor = m->counterpart[e], node = fsd_tensor_producer(f->g, tensor);
    fsd_id quantizer, before;

    if (node == FSD_NONE)
        return;
    if (f->traits[node] & FSD_OP_DEQUANTIZE) {
        m->counterpart[e] = after_moved_dq(f, tensor);
        return;
    }
    quantizer = find_quantizer(f, tensor);
    before = data_input(f, node);
    if (!(f->traits[node] & FSD_OP_COMMUTES) || quantizer == FSD_NONE ||
        before == FSD_NONE)
        return;
    m->counterpart[e] = before;
    m->moved_q[e] = quantizer;
}

static void name_counterparts(struct fsd_match *m)
{
    for (fsd_id e = 0; e < m->engine->tensors.n; e++) {
        const struct fsd_tensor *tensor = &m->engine->tensors.at[e];
        fsd_id t = fsd_graph_only(m->model, tensor->name);

        if (t == FSD_NONE && tensor->alias)
            t = fsd_graph_only(m->model, tensor->alias);
        m->counterpart[e] = t;
        if (fsd_is_data(m->facts, t) && !is_quantized(m->facts, t) &&
            fsd_dtype_is_quantized(fsd_tensor_form(m->engine, e)->type))
            follow_swap(m, e);
    }
}

/* Gives the engine tensor `to` the counterpart of `from`, unless `to` is settled or has
 * a counterpart that comes earlier in the model.  The earliest counterpart is correct,
 * because the model computes the later ones from it. */
static bool give(struct fsd_match *m, const bool *settled, fsd_id from, fsd_id to)
{
    if (settled[to] || !fsd_match_holds(m, from) ||
        m->counterpart[to] <= m->counterpart[from])
        return false;
    m->counterpart[to] = m->counterpart[from];
    m->moved_q[to] = m->moved_q[from];
    return true;
}

/* Whether the layer reads or writes only a part of a tensor.  Its input and its output
 * then have different values. */
static bool forwards_part(const struct fsd_graph *e, fsd_id layer)
{
    const struct fsd_node *n = &e->nodes.at[layer];

    return fsd_port_is_part(e, n->in.at) || fsd_port_is_part(e, n->out.at);
}

static bool forward(struct fsd_match *m, const bool *settled, bool back, fsd_id layer)
{
    fsd_id in = fsd_node_in_tensor(m->engine, layer, 0);
    fsd_id out = fsd_node_out_tensor(m->engine, layer, 0);

    if (!fsd_layer_forwards(m->engine, layer) || in == FSD_NONE || out == FSD_NONE ||
        forwards_part(m->engine, layer))
        return false;
    return give(m, settled, in, out) || (back && give(m, settled, out, in));
}

/* For each layer that forwards a tensor, gives the output the counterpart of the input.
 * With `back`, also gives the input the counterpart of the output.  Tensors that have a
 * counterpart at the start keep it.  The engine lists chains of reformats in order, so
 * one sweep forward and one sweep back find nearly all counterparts. */
static void forward_all(struct fsd_match *m, bool back)
{
    bool *settled = FSD_NEW(m->arena, bool, m->engine->tensors.n), changed = true;
    uint32_t n = m->engine->layers.n;

    for (fsd_id e = 0; e < m->engine->tensors.n; e++)
        settled[e] = fsd_match_holds(m, e);
    for (int sweep = 0; changed && sweep < 8; sweep++) {
        changed = false;
        for (fsd_id i = 0; i < n; i++)
            changed |= forward(m, settled, back, i);
        for (fsd_id i = n; i-- > 0;)
            changed |= forward(m, settled, back, i);
    }
}

void fsd_match_counterparts(struct fsd_match *m)
{
    name_counterparts(m);
    forward_all(m, false);
    forward_all(m, true);
}

void fsd_match_bind_sizes(const struct fsd_match *m, struct fsd_sizes *s)
{
    for (fsd_id i = 0; i < m->engine->tensors.n; i++) {
        const struct fsd_form *built = fsd_tensor_form(m->engine, i), *asked;
        if (!(m->engine->tensors.at[i].flags & FSD_TENSOR_INPUT))
            continue;
        asked = fsd_tensor_form(m->model, m->counterpart[i]);
        for (uint32_t k = 0; built->ranked && asked->ranked &&
                             built->dims.n == asked->dims.n && k < asked->dims.n;
             k++)
            fsd_sizes_bind_dim(s, m->model->dims.at[asked->dims.at + k],
                               m->engine->dims.at[built->dims.at + k].size);
    }
}

struct fsd_sizes *fsd_match_sizes(const struct fsd_match *m, struct fsd_arena *arena)
{
    struct fsd_sizes *s = fsd_sizes_new(arena, m->model);

    fsd_match_bind_sizes(m, s);
    fsd_sizes_take_model(s);
    return s;
}

bool fsd_match_is_weight(const struct fsd_match *m, const struct fsd_port *port)
{
    const struct fsd_tensor *t = fsd_graph_tensor(m->engine, port->tensor);
    return port->tensor != FSD_NONE && !t->producers.n &&
           !(t->flags & (FSD_TENSOR_INPUT | FSD_TENSOR_BINDING)) &&
           !fsd_is_data(m->facts, m->counterpart[port->tensor]);
}

const struct fsd_form *fsd_match_binding_form(const struct fsd_match *m, fsd_id tensor)
{
    const struct fsd_graph *engine = m->engine;
    const struct fsd_tensor *t = &engine->tensors.at[tensor];

    return fsd_graph_form(engine, fsd_id_or(t->bound, t->form));
}

bool fsd_match_sizes_differ(const struct fsd_match *m, const struct fsd_form *engine,
                            const struct fsd_form *model, bool output)
{
    if (!engine->ranked || !model->ranked || engine->dims.n != model->dims.n)
        return false;
    for (uint32_t i = 0; i < model->dims.n; i++) {
        int64_t size = m->model->dims.at[model->dims.at + i].size;
        int64_t built = m->engine->dims.at[engine->dims.at + i].size;

        if (size >= 0 && size != built && !(output && built < 0))
            return true;
    }
    return false;
}

bool fsd_match_sizes_fit(const struct fsd_match *m, fsd_id engine, fsd_id model)
{
    const struct fsd_form *built = fsd_match_binding_form(m, engine);
    const struct fsd_form *asked = fsd_tensor_form(m->model, model);

    return built->ranked && asked->ranked && built->dims.n == asked->dims.n &&
           !fsd_match_sizes_differ(m, built, asked, false);
}

int64_t fsd_match_weight_count(const struct fsd_match *m, fsd_id node)
{
    fsd_id weight = fsd_node_in_tensor(m->model, node, 1);

    return !fsd_is_constant(m->facts, weight)
               ? -1
               : fsd_form_count(m->model, fsd_tensor_form(m->model, weight));
}
