/*
 * Prints advice on a data-movement layer.  The advice depends on the cause of the
 * layer, and names something that a user can change: a builder flag or an edge of the
 * model.  If there are two remedies, the safer remedy comes first.
 */
#include "explain/diff/step.h"
#include "explain/diff/tale.h"
#include "model/graph/graph.h"
#include "read/engine/reader.h"

enum { READER_DISTANCE = 4, LISTED = 4 };

bool fsd_layer_is_free(const struct fsd_diff *d, fsd_id layer)
{
    return d->reasons[layer].cause == FSD_CAUSE_FREE ||
           d->layers[layer].kind == FSD_KIND_NOOP || fsd_layer_ms(d, layer) == 0;
}

const char *fsd_mover_word(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_layer_result *r = &d->layers[layer];

    if (d->reasons[layer].cause != FSD_CAUSE_NONE)
        return fsd_cause_name(d->reasons[layer].cause);
    return r->kind == FSD_KIND_QUANTIZE ? "quantize" : "";
}

const char *fsd_layer_forms(const struct fsd_diff *d, fsd_id layer,
                            char out[FSD_FORMS_ROOM])
{
    static const char arrow[] = " -> ";
    const struct fsd_form *in = fsd_layer_form_in(d->engine, layer),
                          *made = fsd_layer_form_out(d->engine, layer);
    size_t n;

    *out = '\0';
    if (!in || !made)
        return out;
    n = strlen(fsd_form_text(in, out));
    if (in->type == made->type && fsd_layout_same(in->layout, made->layout))
        return out;
    memcpy(out + n, arrow, sizeof arrow);
    fsd_form_text(made, out + n + sizeof arrow - 1);
    return out;
}

/* ------------------------------------------------------------------------ edges */

/* With `quote`, prints the name in backquotes, for a sentence.  A column of edges needs
 * no backquotes. */
static void put_node(const struct fsd_diff *d, fsd_id node, bool quote, FILE *out)
{
    (quote ? fsd_quote_node : fsd_put_node_name)(d, node, out);
}

static void put_name(const struct fsd_diff *d, fsd_sym name, bool quote, FILE *out)
{
    fputs(quote ? "`" : "", out);
    fsd_put_brief(d, name, out);
    fputs(quote ? "`" : "", out);
}

/* Prints a layer at an end of an edge, with its first node and the number of its other
 * nodes: "layer 3 (Conv_13 + 2)". */
void fsd_put_end(const struct fsd_diff *d, fsd_id layer, bool quote, FILE *out)
{
    uint32_t n = 0;

    fprintf(out, "layer %u", layer);
    FSD_EACH_OF (node, d->match->links, d->match->of_layer[layer], node) {
        if (d->nodes && d->nodes[node].fate != FSD_FATE_LAYER)
            continue;
        if (!n++) {
            fputs(" (", out);
            put_node(d, node, quote, out);
        }
    }
    if (n > 1)
        fprintf(out, " + %u", n - 1);
    fputs(n ? ")" : "", out);
}

static void put_start(const struct fsd_diff *d, const struct fsd_flow *flow, bool quote,
                      FILE *out)
{
    if (flow->producer != FSD_NONE) {
        put_node(d, flow->producer, quote, out);
    } else if (flow->model_tensor != FSD_NONE) {
        const struct fsd_tensor *t = &d->model->tensors.at[flow->model_tensor];

        fputs(t->flags & FSD_TENSOR_INPUT      ? "network input "
              : t->flags & FSD_TENSOR_CONSTANT ? "constant "
                                               : "tensor ",
              out);
        put_name(d, t->name, quote, out);
    } else if (flow->source != FSD_NONE) {
        fsd_put_end(d, flow->source, quote, out);
    } else {
        fsd_id first = fsd_node_in_tensor(d->engine, flow->head, 0);

        if (fsd_tensor_is(d->engine, first, FSD_TENSOR_INPUT)) {
            fputs("network input ", out);
            put_name(d, d->engine->tensors.at[first].name, quote, out);
        } else {
            fputs("?", out);
        }
    }
}

/* Prints the edge of a layer without known consumers: the layer or tensor that the
 * layer's name mentions, or else the nodes that are linked to the layer. */
static void put_named_edge(const struct fsd_diff *d, fsd_id layer, bool quote,
                           FILE *out)
{
    const struct fsd_layer *l = &d->engine->layers.at[layer];
    uint32_t n = d->match->of_layer[layer].n;

    FSD_EACH_IN (const struct fsd_mention, m, d->engine->mentions, l->mentions) {
        if (m->role == FSD_MENTION_COPIES && m->tensor != FSD_NONE) {
            fputs("tensor ", out);
            put_name(d, d->model->tensors.at[m->tensor].name, quote, out);
            fputs(" -> ", out);
            break;
        }
        if (m->role == FSD_MENTION_SERVES) {
            fprintf(out, "%s %u of ", l->output ? "output" : "input", l->port);
            put_name(d, m->text, quote, out);
            return;
        }
        if (m->role == FSD_MENTION_WRAPS && !n) {
            fputs("beside ", out);
            put_name(d, m->text, quote, out);
            return;
        }
    }
    if (d->layers[layer].kind == FSD_KIND_QUANTIZE)
        return; /* the layer itself computes these nodes */
    for (uint32_t i = 0; i < n && i < LISTED; i++) {
        fputs(i ? ", " : "for ", out);
        put_node(d, fsd_match_of_layer(d->match, layer, i)->node, quote, out);
    }
    if (!n)
        fputs("?", out);
}

static void put_edge(const struct fsd_diff *d, fsd_id layer, bool quote, FILE *out)
{
    const struct fsd_flow *flow = &d->flows->of[layer];
    const struct fsd_node *n = &d->engine->nodes.at[layer];
    uint32_t more;

    if (!flow->there)
        return;
    if (!n->in.n && !n->out.n && flow->model_tensor == FSD_NONE) {
        put_named_edge(d, layer, quote, out);
        return;
    }
    put_start(d, flow, quote, out);
    fputs(" -> ", out);
    for (uint32_t i = 0; i < flow->readers.n && i < LISTED; i++) {
        const struct fsd_reader *reader = &d->flows->readers.at[flow->readers.at + i];

        if (i)
            fputs(", ", out);
        if (fsd_reader_is_output(reader)) {
            fputs("network output ", out);
            put_name(d, reader->output, quote, out);
        } else if (reader->node == FSD_NONE) {
            fsd_put_end(d, reader->layer, quote, out);
        } else {
            put_node(d, reader->node, quote, out);
            fprintf(out, " (input %u)", reader->input);
        }
    }
    if (!flow->readers.n)
        fputs("nothing", out);
    more = flow->readers.n > LISTED ? flow->readers.n - LISTED : 0;
    if (more || flow->cut)
        fprintf(out, " and %s%u more", flow->cut ? "at least " : "", more + flow->cut);
}

void fsd_put_edge(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    put_edge(d, layer, false, out);
}

bool fsd_layer_has_edge(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_node *n = &d->engine->nodes.at[layer];
    const struct fsd_flow *flow = &d->flows->of[layer];

    return flow->there && (n->in.n || n->out.n || flow->model_tensor != FSD_NONE ||
                           d->layers[layer].kind != FSD_KIND_QUANTIZE);
}

void fsd_quote_edge(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    put_edge(d, layer, true, out);
}

/* --------------------------------------------------------------------------- advice */

/* Each function below returns whether its advice proposes a change.  Advice that only
 * states a reason saves no time. */

/* The type of `layer`, which is beside a chain of data-movement layers.
 * @param writes true: `layer` is before the chain, and its outputs are checked; false:
 *        `layer` is behind the chain, and its inputs are checked
 * @param own the type at this end of the chain
 * @return `own` if one of the checked ports has the type `own` or an unknown type; else
 *         the type of the first port */
static enum fsd_dtype type_at(const struct fsd_diff *d, fsd_id layer, bool writes,
                              enum fsd_dtype own)
{
    const struct fsd_node *n = fsd_graph_node(d->engine, layer);
    struct fsd_span ports = writes ? n->out : n->in;
    enum fsd_dtype first = own;
    for (uint32_t i = 0; i < ports.n; i++) {
        enum fsd_dtype type =
            fsd_port_form(d->engine, &d->engine->ports.at[ports.at + i])->type;

        if (type == own || type == FSD_DTYPE_UNKNOWN)
            return own;
        first = i ? first : type;
    }
    return first;
}

/* Advice for an edge whose type changes.  If one type is quantized, the advice is to
 * quantize both sides of the edge or neither.  If both types are floats, the text gives
 * the reason: the model specifies the types, or the builder kept the type of one
 * operator, or the builder has no kernel for this operator in the other type. */
static bool advise_type(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    const struct fsd_flow *flow = &d->flows->of[layer];
    const struct fsd_form *in = fsd_layer_form_in(d->engine, layer),
                          *made = fsd_layer_form_out(d->engine, layer);
    const struct fsd_reader *reader =
        flow->readers.n ? &d->flows->readers.at[flow->readers.at] : NULL;
    enum fsd_dtype from, to;

    if (!in || !made)
        return false;
    if (flow->producer == FSD_NONE || !reader || reader->node == FSD_NONE) {
        fprintf(out,
                "run the operators on both sides in one type: one side uses %s and the "
                "other %s",
                fsd_dtype_name(in->type), fsd_dtype_name(made->type));
        return true;
    }
    if (fsd_dtype_is_quantized(in->type) || fsd_dtype_is_quantized(made->type)) {
        fputs("quantize both ", out);
        fsd_quote_node(d, flow->producer, out);
        fputs(" and ", out);
        fsd_quote_node(d, reader->node, out);
        fputs(", or neither", out);
        return true;
    }
    from = type_at(d, flow->source, true, in->type);
    to = type_at(d, reader->layer, false, made->type);
    fsd_quote_node(d, flow->producer, out);
    fprintf(out, " writes %s and its consumer reads %s", fsd_dtype_name(from),
            fsd_dtype_name(to));
    if (from == to) {
        fputs(
            ", too: between these operators, the builder converts the data to another "
            "type and back",
            out);
        return false;
    }
    fprintf(out, ": %s",
            d->engine->strongly_typed
                ? "the model specifies these types; change its Casts, or use ModelOpt "
                  "AutoCast, so that both operators have one type"
                : "the builder kept one of these operators in its type, or has no "
                  "kernel for it in the type of the other operator");
    return d->engine->strongly_typed;
}

/* A node of another layer that reads the tensor unquantized, directly or through nodes
 * without a layer; FSD_NONE if there is none.
 * @param read set to the tensor that the node reads */
static fsd_id unquantized_reader(const struct fsd_diff *d, fsd_id layer, fsd_id tensor,
                                 int far, fsd_id *read)
{
    const struct fsd_graph *m = d->model;
    struct fsd_span readers = fsd_tensor_consumers(m, far ? tensor : FSD_NONE);
    fsd_id found = FSD_NONE;
    for (uint32_t i = 0; i < readers.n && i < LISTED && found == FSD_NONE; i++) {
        fsd_id node = m->links.at[readers.at + i];

        if ((d->facts->traits[node] & FSD_OP_QDQ) ||
            fsd_match_has(d->match, layer, node))
            continue;
        if (d->nodes[node].fate != FSD_FATE_LAYER) {
            found = unquantized_reader(d, layer, fsd_node_out_tensor(m, node, 0),
                                       far - 1, read);
            continue;
        }
        found = node;
        *read = tensor;
    }
    return found;
}

/* Prints why `layer` writes a precision above 8 bits: "layer 21 writes fp32, because
 * GlobalAveragePool_294 reads Relu_293 unquantized".  A single such consumer suffices,
 * because the layer writes one type for all its consumers.  Returns false if there is
 * no such consumer, or if the output is not known to have such a precision. */
static bool blame_reader(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    const struct fsd_form *made = fsd_layer_form_out(d->engine, layer);
    uint32_t n = made && fsd_dtype_rank(made->type) > fsd_dtype_rank(FSD_INT8)
                     ? d->match->of_layer[layer].n
                     : 0;

    for (uint32_t i = n; i-- > 0;) {
        fsd_id node = fsd_match_of_layer(d->match, layer, i)->node;
        fsd_id read = FSD_NONE, reader;

        if (d->facts->traits[node] & FSD_OP_QDQ)
            continue;
        reader = unquantized_reader(d, layer, fsd_node_out_tensor(d->model, node, 0),
                                    READER_DISTANCE, &read);
        if (reader == FSD_NONE)
            continue;
        fprintf(out, "layer %u writes %s, because ", layer, fsd_dtype_name(made->type));
        fsd_quote_node(d, reader, out);
        fputs(" reads ", out);
        fsd_quote_node(d, fsd_tensor_producer(d->model, read), out);
        fputs(" unquantized: add a Q/DQ pair between these nodes", out);
        return true;
    }
    return false;
}

/* Whether the layer also computes a QuantizeLinear.  A floating-point input of such a
 * layer is no reason for a floating-point output. */
static bool computes_quantizer(const struct fsd_diff *d, fsd_id layer)
{
    FSD_EACH_OF (node, d->match->links, d->match->of_layer[layer], node)
        if (d->facts->traits[node] & FSD_OP_QUANTIZE)
            return true;
    return false;
}

static bool advise_bias(const struct fsd_diff *d, fsd_id node, FILE *out)
{
    struct fsd_bias_misfit misfit;

    if (node == FSD_NONE || !fsd_bias_widens(d, node, &misfit))
        return false;
    fputs("give the bias of ", out);
    fsd_quote_node(d, node, out);
    fprintf(out,
            " the scale %.6g (the product of the scales of input and weights) "
            "instead of %.6g",
            misfit.should, misfit.is);
    return true;
}

/* Advice for a Q that runs as a layer of its own.  `source` is the layer whose output
 * the Q quantizes.  The inputs and consumers of `source` show why `source` does not
 * write the quantized type itself. */
static bool advise_narrowing(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    fsd_id source = d->flows->of[layer].source;
    const struct fsd_form *in = fsd_layer_form_in(d->engine, layer),
                          *made = fsd_layer_form_out(d->engine, layer);
    const struct fsd_form *written = fsd_layer_form_out(d->engine, source);
    struct fsd_widths r = {FSD_DTYPE_UNKNOWN, 0, 0, 0};

    if (written)
        r = fsd_layer_widths(d->engine, source, false);
    if (advise_bias(d, d->flows->of[layer].producer, out))
        return true;
    if (r.wide && !r.narrow && !r.unknown && !computes_quantizer(d, source)) {
        fsd_put_end(d, source, true, out);
        fprintf(out, " reads an input in %s: quantize that input as well",
                fsd_dtype_name(r.widest));
        return true;
    }
    if (written && d->products->of[source] && d->products->none_quantizes) {
        fsd_put_end(d, source, true, out);
        fprintf(out,
                " writes %s, like each of the %u quantized Conv and GEMM kernels: this "
                "is the builder's choice",
                fsd_dtype_name(written->type), d->products->narrow);
        return false;
    }
    if (blame_reader(d, source, out))
        return true;
    if (written && d->layers[source].kind == FSD_KIND_QUANTIZE) {
        fsd_put_end(d, source, true, out);
        fprintf(
            out,
            " writes %s, which this layer requantizes: give both quantizers one scale",
            fsd_dtype_name(written->type));
        return true;
    }
    if (!written || !fsd_dtype_rank(written->type) ||
        fsd_dtype_is_quantized(written->type)) {
        fprintf(out,
                "its input is %s: quantize every input of the producer, so that the "
                "producer writes %s itself",
                fsd_dtype_name(in->type), fsd_dtype_name(made->type));
        return true;
    }
    fsd_put_end(d, source, true, out);
    if (r.wide && (r.narrow || r.unknown))
        fprintf(out,
                " reads %s next to quantized data: quantize that input, so that the "
                "layer writes %s itself",
                fsd_dtype_name(r.widest), fsd_dtype_name(made->type));
    else
        fprintf(out, " writes %s: the builder did not fuse the quantizer into it",
                fsd_dtype_name(written->type));
    return r.wide && (r.narrow || r.unknown);
}

static bool advise_quantizer(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    const struct fsd_flow *flow = &d->flows->of[layer];
    const struct fsd_reader *reader =
        flow->readers.n ? &d->flows->readers.at[flow->readers.at] : NULL;
    const struct fsd_form *in = fsd_layer_form_in(d->engine, layer),
                          *made = fsd_layer_form_out(d->engine, layer);
    fsd_id tensor = fsd_node_in_tensor(d->engine, layer, 0);
    bool widens = in && made && fsd_dtype_rank(made->type) > fsd_dtype_rank(in->type);
    bool given = !widens && fsd_tensor_is(d->engine, tensor, FSD_TENSOR_INPUT);

    if (given && made && fsd_dtype_is_quantized(made->type) &&
        !fsd_accepts_format(d->engine, made->type, "chw",
                            in && in->ranked ? in->dims.n : 1, true)) {
        fprintf(out, "the builder accepts no network input in %s",
                fsd_dtype_name(made->type));
        return false;
    }

    if (in && made && in->type == made->type && fsd_dtype_rank(in->type) &&
        !fsd_dtype_is_quantized(in->type)) {
        fprintf(out,
                "remove the Q/DQ pair: the layer reads and writes %s, and only rounds "
                "the values",
                fsd_dtype_name(in->type));
        return true;
    }
    if (given) {
        fputs("quantize the network input ", out);
        put_name(d, d->engine->tensors.at[tensor].name, true, out);
        fprintf(out, " in the caller and pass %s data",
                made && fsd_dtype_is_quantized(made->type) ? fsd_dtype_name(made->type)
                                                           : "quantized");
    } else if (widens && reader && fsd_reader_is_output(reader))
        fprintf(out,
                "the network output is %s: make the quantized tensor the network "
                "output, which removes this layer",
                fsd_dtype_name(made->type));
    else if (widens && !(reader && (advise_bias(d, reader->node, out) ||
                                    blame_reader(d, reader->layer, out))))
        fprintf(out,
                "its consumer reads %s: quantize all inputs of that operator, with one "
                "scale if it concatenates them",
                fsd_dtype_name(made->type));
    else
        return widens || (in && made && advise_narrowing(d, layer, out));
    return true;
}

/* ------------------------------------------------------------- parts of a tensor */

/* Returns the number of channels in a vector if the channels of the form do not fill
 * the last vector; else 0.  Sets `channels` to the number of channels of the form, or
 * to -1 if this number is unknown. */
static int64_t unfilled(const struct fsd_diff *d, const struct fsd_form *form,
                        int64_t *channels)
{
    const struct fsd_layout *l = &form->layout;
    int64_t to = l->width > 1 ? l->width : l->pad;

    *channels =
        l->axis < form->dims.n ? d->engine->dims.at[form->dims.at + l->axis].size : -1;
    return to > 1 && *channels > 0 && *channels % to ? to : 0;
}

/* The Concat for which the layer copies a tensor; FSD_NONE if the
 * builder joins tensors that the model does not join. */
static fsd_id concat_of(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_flow *flow = &d->flows->of[layer];
    struct fsd_span readers;

    FSD_EACH_OF (node, d->match->links, d->match->of_layer[layer], node)
        if (fsd_node_is(d->model, node, FSD_ONNX_Concat))
            return node;
    readers = fsd_tensor_consumers(d->model, flow->model_tensor);
    FSD_EACH_ID (node, d->model->links, readers)
        if (fsd_node_is(d->model, node, FSD_ONNX_Concat))
            return node;
    return FSD_NONE;
}

/* Whether two inputs of the Concat are dequantized with different scales. */
static bool has_several_scales(const struct fsd_diff *d, fsd_id concat)
{
    const struct fsd_graph *m = d->model;
    fsd_id first = FSD_NONE;

    for (uint32_t i = 0; concat != FSD_NONE && i < m->nodes.at[concat].in.n; i++) {
        fsd_id by = fsd_node_in_producer(m, concat, i);
        fsd_id scale = by == FSD_NONE || !(d->facts->traits[by] & FSD_OP_DEQUANTIZE)
                           ? FSD_NONE
                           : fsd_node_in_tensor(m, by, 1);

        if (scale == FSD_NONE)
            continue;
        if (first != FSD_NONE && d->facts->value[scale] != first)
            return true;
        first = d->facts->value[scale];
    }
    return false;
}

/* Whether a pooling produces the data of the copy, and the builder for RTX built the
 * engine.  Pooling kernels for RTX cannot write into a part of another tensor. */
static bool is_pooled(const struct fsd_diff *d, fsd_id layer)
{
    fsd_id node = d->flows->of[layer].producer;

    return node != FSD_NONE && fsd_graph_is_rtx(d->engine) &&
           (fsd_node_is(d->model, node, FSD_ONNX_MaxPool) ||
            fsd_node_is(d->model, node, FSD_ONNX_AveragePool));
}

/* Whether the copied tensor is an output of the network, and a product kernel writes
 * it.  If the tensor were no output of the network, the kernel would write it directly
 * into the output of the Concat, even if several layers read the tensor. */
static bool copies_product_output(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_flow *flow = &d->flows->of[layer];

    return flow->source != FSD_NONE && d->engine->layers.at[flow->source].multiplies &&
           (fsd_tensor_is(d->model, flow->model_tensor, FSD_TENSOR_OUTPUT) ||
            fsd_tensor_is(d->engine, fsd_node_in_tensor(d->engine, layer, 0),
                          FSD_TENSOR_OUTPUT));
}

/* `layer` copies a part out of a tensor and converts it.  Returns the number of layers,
 * including `layer`, that copy parts out of this tensor and convert them to the same
 * type.  Returns 0 if `layer` does not change the type. */
static uint32_t converted_parts(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_graph *e = d->engine;
    const struct fsd_form *in = fsd_layer_form_in(e, layer),
                          *made = fsd_layer_form_out(e, layer);
    struct fsd_span readers = {0, 0};
    uint32_t n = 0;

    if (in && made && in->type != made->type && e->nodes.at[layer].in.n == 1)
        readers = fsd_port_peers(e, e->nodes.at[layer].in.at, false);
    FSD_EACH_ID (other, e->links, readers) {
        const struct fsd_form *own = fsd_layer_form_out(e, other);

        n += d->reasons[other].cause == FSD_CAUSE_SLICE && own &&
             own->type == made->type;
    }
    return n;
}

static bool advise_conversions(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    uint32_t n = converted_parts(d, layer);
    fsd_id tensor = fsd_node_in_tensor(d->engine, layer, 0);

    if (n < 2)
        return false;
    fputs("convert ", out);
    put_name(d, d->engine->tensors.at[tensor].name, true, out);
    fprintf(out,
            " to %s once, before it is sliced: the builder now converts each of the %u "
            "slices separately",
            fsd_dtype_name(fsd_layer_form_out(d->engine, layer)->type), n);
    return true;
}

/* Advice for a layer that copies a part of a tensor.  With `written`, the layer copies
 * an input of a Concat into the output of the Concat.  Without `written`, the layer
 * copies a part out of a tensor, for example for a Slice.  States only reasons that the
 * dump shows for this layer. */
static bool advise_part(const struct fsd_diff *d, fsd_id layer, bool written, FILE *out)
{
    const struct fsd_form *in = fsd_layer_form_in(d->engine, layer),
                          *made = fsd_layer_form_out(d->engine, layer);
    const struct fsd_form *forms[] = {in, made};
    const char *between = ": ";
    bool chosen = fsd_size_is_chosen(d, d->flows->of[layer].model_tensor), proposes;
    int64_t to = 0, channels = 0;
    fsd_id concat = written ? concat_of(d, layer) : FSD_NONE;

    if (!written && advise_conversions(d, layer, out))
        return true;
    for (size_t i = 0; i < FSD_COUNT_OF(forms) && !to && chosen; i++)
        to = forms[i] ? unfilled(d, forms[i], &channels) : 0;
    fputs(!written ? "the builder copies a part of a tensor before a layer reads it"
          : concat == FSD_NONE ? "the builder joins tensors for one kernel"
                               : "the builder copies an input of ",
          out);
    if (concat != FSD_NONE) {
        fsd_quote_node(d, concat, out);
        fputs(" to its place in the output", out);
    }
    if (to) {
        fprintf(out, "%suse a multiple of %lld channels instead of %lld", between,
                (long long)to, (long long)channels);
        between = ", and ";
    }
    if (written && in && fsd_dtype_is_quantized(in->type) &&
        has_several_scales(d, concat)) {
        fprintf(out, "%suse one scale for all inputs", between);
        between = ", and ";
    }
    if (written && copies_product_output(d, layer)) {
        fprintf(out, "%sdo not make the copied tensor a network output", between);
        between = ", and ";
    }
    proposes = *between == ',';
    if (written && is_pooled(d, layer)) {
        fprintf(out, "%spooling kernels cannot write into a part of another tensor",
                between);
        between = ", and ";
    }
    if (in && made && in->type != made->type) {
        fprintf(out, "%sthe type changes from %s to %s", between,
                fsd_dtype_name(in->type), fsd_dtype_name(made->type));
        between = ", and ";
    }
    if (in && made && in->layout.order != FSD_ORDER_UNKNOWN &&
        made->layout.order != FSD_ORDER_UNKNOWN &&
        !fsd_layout_same(in->layout, made->layout)) {
        char from[16], into[16];

        fsd_layout_name(in->layout, from);
        fsd_layout_name(made->layout, into);
        fprintf(out, "%sthe layout changes from %s to %s", between, from, into);
        between = "";
    }
    if (!strcmp(between, ": "))
        fputs("; the dump does not show why", out);
    return proposes;
}

/* Prints why the layout changes: the channels do not fill a vector, or the consumer has
 * no fast kernel for the producer's layout. */
static bool advise_layout(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    const struct fsd_flow *flow = &d->flows->of[layer];
    const struct fsd_form *in = fsd_layer_form_in(d->engine, layer),
                          *made = fsd_layer_form_out(d->engine, layer);
    const struct fsd_form *forms[] = {in, made};
    bool chosen = fsd_size_is_chosen(d, flow->model_tensor);

    for (size_t i = 0; i < FSD_COUNT_OF(forms) && in && made && chosen; i++) {
        int64_t channels, to = unfilled(d, forms[i], &channels);

        if (to) {
            fprintf(out,
                    "%lld channels do not fill vectors of %lld channels: choose a "
                    "multiple of the vector size",
                    (long long)channels, (long long)to);
            return true;
        }
    }
    if (!flow->readers.n ||
        fsd_reader_is_output(&d->flows->readers.at[flow->readers.at]))
        return false;
    fsd_put_end(d, d->flows->readers.at[flow->readers.at].layer, true, out);
    fputs(" has no kernel for the layout that ", out);
    if (flow->source == FSD_NONE) /* the source is several layers or unknown */
        fputs("is", out);
    else
        fsd_put_end(d, flow->source, true, out);
    fprintf(
        out,
        " %s, or only slower kernels; another operator or type may have such a kernel",
        flow->source == FSD_NONE ? "written" : "writes");
    return false;
}

/* Advice that depends on the cause alone. */
static const char *const plain_advice[FSD__CAUSE_COUNT] = {
    [FSD_CAUSE_SCALE] =
        "give the quantizers around this layer the larger of their two scales",
    [FSD_CAUSE_PLUGIN] =
        "let the plugin support more formats (supportsFormatCombination)",
    [FSD_CAUSE_DLA] =
        ("data crosses between GPU and DLA: avoid layers that fall back to "
         "the GPU, and use DLA formats for network inputs and outputs"),
};

bool fsd_put_advice(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    const struct fsd_node *n = &d->engine->nodes.at[layer];
    enum fsd_cause cause = d->reasons[layer].cause;

    if (fsd_layer_is_free(d, layer))
        return false;
    if (d->layers[layer].kind == FSD_KIND_QUANTIZE)
        return advise_quantizer(d, layer, out);
    if (cause == FSD_CAUSE_PADDING)
        return fsd_advise_padding(d, layer, out);
    if (cause == FSD_CAUSE_IO)
        return fsd_advise_io(d, layer, out);
    if (cause == FSD_CAUSE_DTYPE || cause == FSD_CAUSE_DTYPE_LAYOUT)
        return advise_type(d, layer, out);
    if (cause == FSD_CAUSE_LAYOUT)
        return advise_layout(d, layer, out);
    if (cause == FSD_CAUSE_CONCAT || cause == FSD_CAUSE_SLICE)
        return advise_part(d, layer,
                           cause == FSD_CAUSE_CONCAT &&
                               !(n->in.n && fsd_port_is_part(d->engine, n->in.at)),
                           out);
    if (cause == FSD_CAUSE_UNKNOWN && !n->in.n && !n->out.n)
        fputs("only the name of this layer is known: build with "
              "--profilingVerbosity=detailed to see what it converts",
              out);
    if (cause == FSD_CAUSE_FOREIGN)
        fputs("the builder compiles the region before or after this edge as a whole, "
              "and the region needs a different format",
              out);
    if (!plain_advice[cause])
        return false;
    fputs(plain_advice[cause], out);
    return true;
}

/* Returns the time of the layer's fastest kernel that reads the format at its first
 * input, in milliseconds.  With `output`, the kernel must write the format at its first
 * output instead.  Negative if the log has no time of such a kernel.
 * @param format its first `n` bytes are the format
 * @param any set to true if the log states formats for a kernel of the layer */
static double timed_in(const struct fsd_diff *d, fsd_sym layer, bool output,
                       const char *format, size_t n, bool *any)
{
    const struct fsd_history *h = d->history;
    double best = -1;

    for (uint32_t i = fsd_history_rivals(h, layer); i != FSD_NONE;
         i = h->rivals.at[i].next) {
        const struct fsd_rival *r = &h->rivals.at[i];
        const char *at =
            r->formats && r->build == h->build ? fsd_text(h->names, r->formats) : "";

        if (output)
            at = strstr(at, " -> ") ? strstr(at, " -> ") + 4 : "";
        *any |= *at != '\0';
        if (!strncmp(at, format, n) && strchr(" ,", at[n]) &&
            (best < 0 || r->ms < best))
            best = r->ms;
    }
    return best;
}

/* Prints the shortest times that the builder measured with and without the Reformat, if
 * the log has them.  Example: the layer "Reformatted Input Tensor 0 to X" converts
 * "Float(..) to Half(..)".  With this layer, X runs a kernel that reads Half.  Without
 * it, X would run a kernel that reads Float.  The log has the times of both kernels. */
void fsd_put_timed(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    const struct fsd_layer *l = &d->engine->layers.at[layer];
    const struct fsd_event *e = fsd_diff_event(d, d->reasons[layer].event);
    const char *change, *to;
    double with, without;
    bool any = false;

    if (!e || !l->served || l->port || e->kind != FSD_EVENT_REFORMAT)
        return;
    change = fsd_text(d->history->names, e->text);
    to = strstr(change, ") to ");
    if (!to)
        return;
    without = timed_in(d, l->served, l->output, l->output ? to + 5 : change,
                       l->output ? strlen(to + 5) : (size_t)(to + 1 - change), &any);
    with = timed_in(d, l->served, l->output, l->output ? change : to + 5,
                    l->output ? (size_t)(to + 1 - change) : strlen(to + 5), &any);
    if (!any || with < 0)
        return;
    fprintf(out, "its %s takes %g ms", l->output ? "producer" : "consumer", with);
    if (without < 0)
        fputs(", but the log has no time of a kernel that works without the "
              "conversion",
              out);
    else
        fprintf(out, ", and would take %g ms without the conversion", without);
}
