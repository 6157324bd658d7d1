/*
 * Reads an optimized model of ONNX Runtime as an engine.  A session writes this ONNX
 * file if SessionOptions.optimized_model_filepath is set.  The file does not state its
 * writer, but it imports the domain com.microsoft.nchwc, which no exporter does.  Its
 * nodes are the layers.  Their names show the nodes of the model:
 *
 *     X                          the node X, and nodes that were fused into it
 *     X/MatMulAddFusion, fused X, X_token_7       fused from X and other nodes
 *     T_nchwc                    the producer of tensor T, converted to blocks
 *     T_q, T_dq                  a Q or DQ inserted at the tensor T
 *     ReorderOutput, Transpose_token_3, Gelu      the name shows no node; tensors do
 *
 * If a tensor has the name of a tensor of the model, both have the same value.  A
 * tensor in blocks of channels has a new name (reorder_token_N), but the name of its
 * producer, T_nchwc, shows the model's tensor T.  If a Conv has a fourth input, it also
 * computes the Add after T.  If a Conv has the attribute `activation`, it also computes
 * the next activation.  The name of the Conv is still T_nchwc.
 */
#include "base/file_type.h"
#include "model/graph/graph.h"
#include "model/onnx/onnx.h"
#include "model/ops/ops.h"
#include "read/ort/ort.h"
#include "host/files.h"

struct reading {
    struct fsd_graph *g;         /* the engine */
    const struct fsd_graph *src; /* the graph of the optimized model */
    const struct fsd_vocab *vocab;
    fsd_id *tensor_of; /* indexed by tensor of `src`: the engine's tensor; FSD_NONE: a
                          constant, or not yet read */
    /* The nodes inside node n of the main graph, at any depth: first_inside[n], then
     * next_inside[i] after i, until FSD_NONE.  NULL: no body or no model. */
    fsd_id *first_inside, *next_inside;
    const struct fsd_history *log; /* a log that is a list of assigned nodes; NULL:
                                           there is none */
    uint32_t *place_of;            /* indexed by symbol of a node's name: its index
                                           in the list of assigned nodes, plus 1 */
};

/* ---------------------------------------------------------- recognizing such a file */

/* Whether the model has an EPContext node.  Only sessions write such models. */
static bool has_context(const struct fsd_file *file)
{
    static const char op[] = "\x22\x09\x45PContext"; /* NodeProto.op_type */

    return fsd_file_has(file, op);
}

static enum fsd_claim sniff(const struct fsd_file *file, enum fsd_input input)
{
    bool read = input == FSD_INPUT_ENGINE || input == FSD_INPUT_LOG;

    if (!read && input != FSD_INPUT_PROFILE)
        return FSD_CLAIM_NONE;
    if (fsd_ort_is_assignment(file)) /* the list is also accepted as an engine, so that
                                        the error can state the kind of the file */
        return read ? FSD_CLAIM_SURE : FSD_CLAIM_NONE;
    if (input == FSD_INPUT_LOG) /* the log may also contain messages of TensorRT, if a
                                   provider uses it */
        return fsd_ort_is_session(file) ? FSD_CLAIM_MAYBE : FSD_CLAIM_NONE;
    if (fsd_ort_is_profile(file)) /* the profile is also accepted as an engine, so that
                                     the error can state the kind of the file */
        return FSD_CLAIM_SURE;
    return input == FSD_INPUT_ENGINE && fsd_file_type_of(file) == FSD_FILETYPE_ONNX &&
                   (fsd_onnx_imports(file, "com.microsoft.nchwc") ||
                    (fsd_onnx_imports(file, "com.microsoft") && has_context(file)))
               ? FSD_CLAIM_SURE
               : FSD_CLAIM_NONE;
}

/* ------------------------------------------------------------------- what a node is */

static const char *text(const struct reading *r, fsd_sym sym)
{
    return fsd_text(r->g->names, sym);
}

static bool is_blocked(const struct reading *r, const struct fsd_node *n)
{
    return !strcmp(text(r, n->domain), "com.microsoft.nchwc");
}

static bool is_channels_last(const struct reading *r, const struct fsd_node *n)
{
    const struct fsd_attr *attr = fsd_node_attr(r->src, n, "channels_last");

    return attr && attr->i == 1;
}

static bool is_quantizer(const struct fsd_node *n)
{
    return n->op == FSD_ONNX_QuantizeLinear || n->op == FSD_ONNX_DequantizeLinear;
}

/* Whether a channels-last layer produces (if `producer` is true) or consumes the
 * tensor.  The function looks past at most `depth` - 1 Q and DQ to find the layer. */
static bool meets_channels_last(const struct reading *r, fsd_id tensor, bool producer,
                                unsigned depth)
{
    struct fsd_span near = {0, 0};

    if (tensor != FSD_NONE && depth)
        near = producer ? r->src->tensors.at[tensor].producers
                        : r->src->tensors.at[tensor].consumers;
    for (uint32_t i = 0; i < near.n; i++) {
        const struct fsd_node *n = &r->src->nodes.at[r->src->links.at[near.at + i]];
        struct fsd_span behind = producer ? n->in : n->out;

        if (is_channels_last(r, n))
            return true;
        if (is_quantizer(n) && behind.n &&
            meets_channels_last(r, r->src->ports.at[behind.at].tensor, producer,
                                depth - 1))
            return true;
    }
    return false;
}

/* Whether the session inserted this Transpose.  A session inserts a Transpose only
 * beside a layer that it converts to channels-last.  If the Transpose has a name of the
 * model, it comes from the model. */
static bool is_layout_transpose(const struct reading *r, const struct fsd_node *n)
{
    enum { FAR = 4 };
    const char *name = text(r, n->name);

    if (n->op != FSD_ONNX_Transpose || n->in.n != 1 || n->out.n != 1 ||
        (r->vocab && fsd_vocab_find(r->vocab, name, strlen(name))))
        return false;
    return meets_channels_last(r, fsd_node_in(r->src, n, 0)->tensor, true, FAR) ||
           meets_channels_last(r, fsd_node_out(r->src, n, 0)->tensor, false, FAR);
}

/* Returns the kind of a layer with the operator `op`.  `kinds` has the operators of
 * ONNX Runtime that do not compute; a layer with any other operator computes. */
static enum fsd_kind kind_of_own(const char *op)
{
    static const struct {
        const char *op;
        enum fsd_kind kind;
    } kinds[] = {{"ReorderInput", FSD_KIND_REFORMAT},
                 {"ReorderOutput", FSD_KIND_REFORMAT},
                 {"MemcpyToHost", FSD_KIND_COPY},
                 {"MemcpyFromHost", FSD_KIND_COPY},
                 {"EPContext", FSD_KIND_FOREIGN}};

    for (size_t i = 0; i < FSD_COUNT_OF(kinds); i++)
        if (!strcmp(op, kinds[i].op))
            return kinds[i].kind;
    return FSD_KIND_COMPUTE;
}

static enum fsd_kind kind_of(const struct reading *r, const struct fsd_node *n)
{
    /* With `channels_last`, the reorder also computes a Transpose of the model.
     */
    if (is_blocked(r, n) && is_channels_last(r, n))
        return FSD_KIND_COMPUTE;
    if (is_layout_transpose(r, n))
        return FSD_KIND_REFORMAT;
    switch (n->op) {
    case FSD_ONNX_Cast:
        return FSD_KIND_REFORMAT;
    case FSD_ONNX_QuantizeLinear:
    case FSD_ONNX_DequantizeLinear:
        return FSD_KIND_QUANTIZE;
    case FSD_ONNX_Constant:
        return FSD_KIND_CONSTANT;
    case FSD_ONNX_Identity:
    case FSD_ONNX_Reshape:
    case FSD_ONNX_Flatten:
    case FSD_ONNX_Squeeze:
    case FSD_ONNX_Unsqueeze:
        return FSD_KIND_NOOP;
    case FSD_ONNX_Shape:
    case FSD_ONNX_Size:
        return FSD_KIND_SHAPE;
    default:
        return kind_of_own(text(r, n->op));
    }
}

static bool multiplies(const char *op)
{
    return strstr(op, "Conv") || strstr(op, "Gemm") || strstr(op, "MatMul") ||
           strstr(op, "Attention");
}

/* ---------------------------------------------------------------------------- names */

/* Removes the text that a graph transformer added before or after a name.  Returns
 * false if there is none. */
static bool peel(const char **s, size_t *n)
{
    static const char *const ends[] = {"Fusion", "/duplicated", "_new_reshape"};
    static const char fused[] = "fused ";
    size_t digits = 0, len = *n;

    if (len > sizeof fused && !memcmp(*s, fused, sizeof fused - 1)) {
        *s += sizeof fused - 1;
        *n -= sizeof fused - 1;
        return true;
    }
    while (digits < len && (*s)[len - 1 - digits] >= '0' &&
           (*s)[len - 1 - digits] <= '9')
        digits++;
    if (digits && len > digits + 7 && !memcmp(*s + len - digits - 7, "_token_", 7)) {
        *n = len - digits - 7;
        return true;
    }
    len -= len && (*s)[len - 1] == '/';
    for (size_t i = 0; i < FSD_COUNT_OF(ends); i++) {
        size_t k = strlen(ends[i]);

        if (len <= k || memcmp(*s + len - k, ends[i], k) != 0)
            continue;
        len -= k;
        while (!i && len && (*s)[len] != '/') /* X/MatMulAddFusion */
            len--;
        *n = len;
        return len > 0;
    }
    return false;
}

/* Returns the model's tensor T for a name like "T_nchwc", "T_bn_nchwc", "T_q" or
 * "T_dq"; FSD_NONE if there is none. */
static fsd_id tensor_before(const struct reading *r, const char *s, size_t n,
                            const char *const *ends)
{
    for (; r->vocab && *ends; ends++) {
        size_t k = strlen(*ends);
        const struct fsd_meaning *what = n > k && !memcmp(s + n - k, *ends, k)
                                             ? fsd_vocab_find(r->vocab, s, n - k)
                                             : NULL;

        if (what && what->tensor != FSD_NONE)
            return what->tensor;
    }
    return FSD_NONE;
}

static fsd_id blocked_tensor(const struct reading *r, const struct fsd_node *n)
{
    static const char *const ends[] = {"_bn_nchwc", "_nchwc", NULL};

    return is_blocked(r, n) ? tensor_before(r, text(r, n->name),
                                            fsd_text_len(r->g->names, n->name), ends)
                            : FSD_NONE;
}

static void mention(struct reading *r, unsigned by, enum fsd_mention_role role,
                    const char *s, size_t n, const struct fsd_meaning *what)
{
    fsd_mention_add(r->g, r->vocab, (struct fsd_mention){.by = by, .role = role}, s, n,
                    what);
}

/* Adds a mention of the model's node with the name `s`.  If there is none, also tries
 * `s` without the text that the session added.  Returns false if no node fits. */
static bool mention_origin(struct reading *r, unsigned by, const char *s, size_t len)
{
    do {
        const struct fsd_meaning *what =
            r->vocab ? fsd_vocab_find(r->vocab, s, len) : NULL;

        if (what && what->nodes.n) {
            mention(r, by, FSD_MENTION_COMPUTES, s, len, what);
            return true;
        }
    } while (peel(&s, &len));
    return false;
}

/* Whether the session generated the name.  A generated name begins with the operator of
 * its node, or has another known form. */
static bool is_generated(const struct reading *r, const struct fsd_node *n,
                         const char *s, size_t len)
{
    static const char *const heads[] = {"gemm_input_", "gemm_output_",
                                        "InsertedPrecisionFreeCast_"};
    static const char *const quantizer_ends[] = {"_q", "_dq", NULL};
    const char *op = text(r, n->op);

    for (size_t i = 0; i < FSD_COUNT_OF(heads); i++)
        if (!strncmp(s, heads[i], strlen(heads[i])))
            return true;
    if (tensor_before(r, s, len, quantizer_ends) != FSD_NONE)
        return true;
    return !strncmp(s, op, strlen(op)) || (len > 7 && memmem(s, len, "_token_", 7));
}

static void read_name(struct reading *r, const struct fsd_node *n)
{
    const char *whole = text(r, n->name);
    size_t all = fsd_text_len(r->g->names, n->name);
    fsd_id tensor = blocked_tensor(r, n), producer;

    if (!all || mention_origin(r, FSD_BY_NAME, whole, all))
        return;
    producer =
        tensor == FSD_NONE ? FSD_NONE : fsd_tensor_producer(r->vocab->model, tensor);
    if (producer != FSD_NONE) {
        struct fsd_mention made = {.by = FSD_BY_NAME,
                                   .role = FSD_MENTION_COMPUTES,
                                   .text = r->vocab->model->tensors.at[tensor].name,
                                   .node = producer,
                                   .tensor = FSD_NONE,
                                   .among = 1};

        fsd_vec_push(r->g->arena, &r->g->mentions, made);
        return;
    }
    mention(r, FSD_BY_NAME,
            is_generated(r, n, whole, all) ? FSD_MENTION_HELPER : FSD_MENTION_UNKNOWN,
            whole, all, NULL);
}

/* -------------------------------------------------------------------------- tensors */

/* Returns the first output of the only consumer of `tensor` with the operator `op`;
 * FSD_NONE if there is none, or several.  If the tensor has more than MOST_READERS
 * consumers, returns FSD_NONE without a search, which would take quadratic time. */
enum { MOST_READERS = 64 };

static fsd_id behind(const struct fsd_graph *m, fsd_id tensor, fsd_sym op)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the model has the tensor */
    struct fsd_span readers = m->tensors.at[tensor].consumers;
    fsd_id found = FSD_NONE;

    for (uint32_t i = 0; i < readers.n && readers.n <= MOST_READERS; i++) {
        fsd_id node = m->links.at[readers.at + i];

        if (!fsd_node_is(m, node, op))
            continue;
        if (found != FSD_NONE)
            return FSD_NONE;
        found = node;
    }
    return fsd_node_out_tensor(m, found, 0);
}

/* Returns the model's tensor for the output of `n`, which is in blocks of channels;
 * FSD_NONE if unknown.  If the operator of `n` is in com.microsoft.nchwc, the name of
 * `n` shows the tensor: see the beginning of this file.  Otherwise, the tensor is the
 * first output of the model's only node with this name, if the operators are equal. */
static fsd_id blocked_value(const struct reading *r, const struct fsd_node *n)
{
    const struct fsd_graph *m = r->vocab ? r->vocab->model : NULL;
    const struct fsd_attr *attr = fsd_node_attr(r->src, n, "activation");
    const struct fsd_meaning *what;
    fsd_id value = blocked_tensor(r, n), producer;

    if (m && !is_blocked(r, n)) {
        what = fsd_vocab_find(r->vocab, text(r, n->name),
                              fsd_text_len(r->g->names, n->name));
        producer =
            what && what->nodes.n == 1 ? r->vocab->pool.at[what->nodes.at] : FSD_NONE;
        return fsd_node_is(m, producer, n->op) ? fsd_node_out_tensor(m, producer, 0)
                                               : FSD_NONE;
    }
    if (value != FSD_NONE && n->in.n > 3 &&
        fsd_node_in(r->src, n, 3)->tensor != FSD_NONE)
        value = behind(m, value, FSD_ONNX_Add);
    producer = fsd_tensor_producer(m, value);
    if (producer != FSD_NONE && attr && attr->s && !fsd_node_is(m, producer, attr->s))
        value = behind(m, value, attr->s);
    return value;
}

/* Returns the name T for a name like "InsertedPrecisionFreeCast_T"; 0 for another name.
 * A tensor with such a name is the model's tensor T, converted to FP32. */
static fsd_sym cast_value(const struct reading *r, fsd_sym name)
{
    static const char head[] = "InsertedPrecisionFreeCast_";
    const char *s = text(r, name);

    return strncmp(s, head, sizeof head - 1) != 0
               ? 0
               : fsd_intern_str(r->g->names, s + sizeof head - 1);
}

static fsd_id tensor_of(struct reading *r, fsd_id src)
{
    const struct fsd_tensor *t = &r->src->tensors.at[src];
    struct fsd_form form = *fsd_tensor_form(r->src, src);
    fsd_id id = r->tensor_of[src];

    if (id != FSD_NONE)
        return id;
    id = r->tensor_of[src] = fsd_graph_add_tensor(r->g, t->name, 0);
    form.layout.order = FSD_ORDER_LINEAR;
    r->g->tensors.at[id].form = fsd_graph_add_form(
        r->g, form, form.dims.n ? &r->src->dims.at[form.dims.at] : NULL, form.dims.n);
    r->g->tensors.at[id].flags =
        t->flags & (FSD_TENSOR_INPUT | FSD_TENSOR_OUTPUT | FSD_TENSOR_CONSTANT);
    r->g->tensors.at[id].alias = cast_value(r, t->name);
    return id;
}

/* Returns the output type of an operator that only sessions use, and for which ONNX has
 * no rule.  A quantized operator (QLinear..., QGemm) has a zero point for its output.
 * This zero point is the last 8-bit constant among the inputs, and its type is the
 * output type.  A QGemm without a zero point for its output outputs FP32.  Any other
 * operator outputs the type of its first input. */
static enum fsd_dtype own_type(const struct fsd_graph *g, const struct fsd_node *n)
{
    const char *op = fsd_text(g->names, n->op);
    bool gemm = !strcmp(op, "QGemm");
    enum fsd_dtype type = FSD_DTYPE_UNKNOWN;

    if (!gemm && strncmp(op, "QLinear", 7) != 0)
        return n->in.n ? fsd_port_form(g, fsd_node_in(g, n, 0))->type : type;
    FSD_EACH_OF (t, g->ports, n->in, tensor)
        if (fsd_tensor_is(g, t, FSD_TENSOR_CONSTANT) &&
            fsd_dtype_is_quantized(fsd_tensor_form(g, t)->type))
            type = fsd_tensor_form(g, t)->type;
    return gemm && n->in.n < 9 ? FSD_FP32 : type;
}

/* Completes the types of tensors.  The loader of ONNX files cannot infer types after an
 * operator that only sessions use; this function can. */
static void fill_types(struct fsd_graph *g)
{
    for (fsd_id id = 0; id < g->nodes.n; id++) {
        const struct fsd_node *n = &g->nodes.at[id];
        bool own = !strncmp(fsd_text(g->names, n->domain), "com.microsoft", 13);

        for (uint32_t i = 0; i < n->out.n; i++) {
            fsd_id t = fsd_node_out(g, n, i)->tensor;

            if (t == FSD_NONE || fsd_tensor_form(g, t)->type)
                continue;
            if (g->tensors.at[t].form == FSD_NONE)
                g->tensors.at[t].form =
                    fsd_graph_add_form(g, (struct fsd_form){0}, NULL, 0);
            g->forms.at[g->tensors.at[t].form].type = !own ? fsd_op_type(g, id, i)
                                                      : i  ? FSD_DTYPE_UNKNOWN
                                                           : own_type(g, n);
        }
    }
}

/* Returns the memory order of a layer's outputs.  FSD_ORDER_VECTORIZED means blocks of
 * channels.  If an operator of ONNX's own domain reads blocks, it also outputs blocks:
 * for example, a Concat copies whole blocks.  A block has 8 or 16 channels.  The number
 * depends on the machine that wrote the file, and the file does not state it. */
static enum fsd_order order_of(const struct reading *r, const struct fsd_node *n,
                               const struct fsd_node *layer)
{
    enum fsd_order in = FSD_ORDER_LINEAR;

    if (is_blocked(r, n))
        return strcmp(text(r, n->op), "ReorderOutput") ? FSD_ORDER_VECTORIZED
                                                       : FSD_ORDER_LINEAR;
    if (is_channels_last(r, n))
        return FSD_ORDER_CHANNELS_LAST;
    if (layer->in.n)
        in = fsd_port_form(r->g, fsd_node_in(r->g, layer, 0))->layout.order;
    if (is_layout_transpose(r, n))
        return in == FSD_ORDER_LINEAR ? FSD_ORDER_CHANNELS_LAST : FSD_ORDER_LINEAR;
    return in == FSD_ORDER_VECTORIZED || is_quantizer(n) ? in : FSD_ORDER_LINEAR;
}

/* --------------------------------------------------------------------------- layers */

static void add_ports(struct reading *r, struct fsd_span from, struct fsd_span *to,
                      bool constants)
{
    to->at = r->g->ports.n;
    FSD_EACH_OF (src, r->src->ports, from, tensor) {
        bool constant = fsd_tensor_is(r->src, src, FSD_TENSOR_CONSTANT);
        struct fsd_port port = {FSD_NONE, FSD_NONE};

        if (src == FSD_NONE || constant != constants)
            continue;
        port.tensor = tensor_of(r, src);
        port.form = r->g->tensors.at[port.tensor].form;
        fsd_vec_push(r->g->arena, &r->g->ports, port);
        to->n++;
    }
}

static void describe_output(struct reading *r, const struct fsd_node *n,
                            const struct fsd_node *layer)
{
    fsd_id src = fsd_node_out(r->src, n, 0)->tensor;
    enum fsd_order order = order_of(r, n, layer);
    fsd_id id = tensor_of(r, src); /* this call may move the arrays into which the
                                      pointers below point, so it comes first */
    struct fsd_tensor *t = &r->g->tensors.at[id];
    struct fsd_layout *layout = &r->g->forms.at[t->form].layout;
    fsd_id value;

    layout->order = (uint8_t)order;
    layout->axis = order == FSD_ORDER_LINEAR ? 0 : 1;
    value = order == FSD_ORDER_VECTORIZED ? blocked_value(r, n) : FSD_NONE;
    if (value != FSD_NONE)
        t->alias = r->vocab->model->tensors.at[value].name;
}

/* Searches the model for the nodes that produce (if `makes` is true) or consume the
 * tensors at `ports`.  Returns the number of their group of `provider`; 0 if there is
 * none; FSD_NONE if there are several.  Skips tensors with more than MOST_READERS such
 * nodes. */
static uint32_t part_at(const struct reading *r, struct fsd_span ports, bool makes,
                        fsd_sym provider)
{
    const struct fsd_graph *m = r->vocab->model;
    uint32_t part = 0;

    FSD_EACH_OF (in_file, r->src->ports, ports, tensor) {
        fsd_id t;
        struct fsd_span nodes;

        t = in_file == FSD_NONE
                ? FSD_NONE
                : fsd_graph_find(m, r->src->tensors.at[in_file].name, 0);
        if (t == FSD_NONE)
            continue;
        nodes = makes ? m->tensors.at[t].producers : m->tensors.at[t].consumers;
        for (uint32_t k = 0; k < nodes.n && nodes.n <= MOST_READERS; k++) {
            fsd_sym name = m->nodes.at[m->links.at[nodes.at + k]].name;
            const struct fsd_placement *place =
                name && r->place_of[name] ? &r->log->places.at[r->place_of[name] - 1]
                                          : NULL;

            if (!place || place->provider != provider || place->part == part)
                continue;
            if (part)
                return FSD_NONE;
            part = place->part;
        }
    }
    return part;
}

/* Returns the number of the group of assigned nodes that the partition `n` computes; 0
 * or FSD_NONE if it is unknown.  The producers of the partition's outputs show the
 * group.  If they do not, the consumers of its inputs may: the list may have a producer
 * under another name if the producer was fused before the assignment. */
static uint32_t part_of(const struct reading *r, const struct fsd_node *n, fsd_sym by)
{
    uint32_t part = r->log && r->vocab ? part_at(r, n->out, true, by) : 0;

    return part || !r->log || !r->vocab ? part : part_at(r, n->in, false, by);
}

/* Reads a layer that a provider compiled.  The list of assigned nodes shows the nodes
 * of the layer; the name of the layer does not. */
static void read_context(struct reading *r, const struct fsd_node *n,
                         struct fsd_layer *layer)
{
    const struct fsd_attr *source = fsd_node_attr(r->src, n, "source");
    const struct fsd_history *h = r->log;
    uint32_t part;

    layer->sealed = true;
    layer->ran_by = source ? source->s : 0;
    part = part_of(r, n, layer->ran_by);
    for (uint32_t i = 0; part && i < h->places.n; i++)
        if (h->places.at[i].part == part)
            mention_origin(r, FSD_BY_LOG, text(r, h->places.at[i].name),
                           fsd_text_len(r->g->names, h->places.at[i].name));
    mention(r, FSD_BY_NAME, FSD_MENTION_HELPER, text(r, n->name),
            fsd_text_len(r->g->names, n->name), NULL);
}

/* Whether the layer is a Q or DQ that has the name of exactly one Q or DQ of the model.
 * Such a layer computes only that node, and no quantizer next to it. */
static bool is_named_quantizer(const struct reading *r, const struct fsd_node *n,
                               const struct fsd_layer *layer)
{
    const struct fsd_mention *mention;

    if (!is_quantizer(n) || r->g->mentions.n != layer->mentions.at + 1)
        return false;
    mention = &r->g->mentions.at[layer->mentions.at];
    return mention->role == FSD_MENTION_COMPUTES && mention->among == 1 &&
           fsd_node_is(r->vocab->model, mention->node, n->op);
}

/* Returns the model's node for `n`, a node in a body of the optimized model.  Finds it
 * by the name of `n` or, if not exactly one node has this name, by the name of the
 * first output.  FSD_NONE: none was found, or it is not in a body. */
static fsd_id body_node_of(const struct reading *r, const struct fsd_node *n)
{
    const struct fsd_graph *m = r->vocab->model;
    fsd_id out = n->out.n ? fsd_node_out(r->src, n, 0)->tensor : FSD_NONE,
           node = FSD_NONE;
    const struct fsd_meaning *what =
        n->name ? fsd_vocab_find(r->vocab, text(r, n->name),
                                 fsd_text_len(r->g->names, n->name))
                : NULL;

    if (what && what->nodes.n == 1)
        node = r->vocab->pool.at[what->nodes.at];
    if (node == FSD_NONE && out != FSD_NONE) {
        fsd_sym name = r->src->tensors.at[out].name;

        what = fsd_vocab_find(r->vocab, text(r, name), fsd_text_len(r->g->names, name));
        if (what)
            node = fsd_tensor_producer(m, what->tensor);
    }
    return node != FSD_NONE && m->nodes.at[node].scope ? node : FSD_NONE;
}

/* Adds mentions of the nodes in the bodies of an If or a Loop.  The If or Loop is one
 * layer, which contains these nodes. */
static void read_bodies(struct reading *r, const struct fsd_node *n)
{
    fsd_id first = r->first_inside ? r->first_inside[n - r->src->nodes.at] : FSD_NONE;

    for (fsd_id i = first; i != FSD_NONE; i = r->next_inside[i]) {
        fsd_id node = body_node_of(r, &r->src->nodes.at[i]);
        struct fsd_mention inside = {.by = FSD_BY_NAME,
                                     .role = FSD_MENTION_COMPUTES,
                                     .node = node,
                                     .tensor = FSD_NONE,
                                     .among = 1};

        if (node == FSD_NONE)
            continue;
        inside.text = r->src->nodes.at[i].name;
        fsd_vec_push(r->g->arena, &r->g->mentions, inside);
    }
}

static void add_layer(struct reading *r, const struct fsd_node *n)
{
    struct fsd_graph *g = r->g;
    struct fsd_node node = {
        .name = n->name, .op = n->op, .domain = n->domain, .where = n->where};
    struct fsd_layer layer = {.kind = kind_of(r, n),
                              .base_name = n->name,
                              .profile = -1,
                              .multiplies = multiplies(text(r, n->op)),
                              .lists_constants = true,
                              .mentions.at = g->mentions.n};
    int64_t most = -1;

    layer.provider =
        layer.kind == FSD_KIND_FOREIGN ? FSD_PROVIDER_COMPILER : FSD_PROVIDER_BUILDER;
    layer.forwards = layer.kind == FSD_KIND_COPY ||
                     (layer.kind == FSD_KIND_REFORMAT &&
                      (n->op != FSD_ONNX_Cast || cast_value(r, n->name)));
    if (layer.kind == FSD_KIND_FOREIGN)
        read_context(r, n, &layer);
    else
        read_name(r, n);
    layer.alone = is_named_quantizer(r, n, &layer);
    read_bodies(r, n);
    layer.mentions.n = g->mentions.n - layer.mentions.at;
    add_ports(r, n->in, &layer.constants, true);
    add_ports(r, n->in, &node.in, false);
    if (n->out.n && fsd_node_out(r->src, n, 0)->tensor != FSD_NONE)
        describe_output(r, n, &node);
    add_ports(r, n->out, &node.out, false);
    for (uint32_t i = 0; i < layer.constants.n; i++) {
        const struct fsd_form *form =
            fsd_port_form(g, &g->ports.at[layer.constants.at + i]);

        if (fsd_form_count(g, form) > most) {
            most = fsd_form_count(g, form);
            layer.weights_type = form->type;
        }
    }
    fsd_graph_add_node(g, node);
    fsd_vec_push(g->arena, &g->layers, layer);
}

static int64_t version_of_domain(const struct fsd_graph *g, const char *domain)
{
    for (uint32_t i = 0; i < g->opsets.n; i++)
        if (!strcmp(fsd_text(g->names, g->opsets.at[i].domain), domain))
            return g->opsets.at[i].version;
    return 0;
}

/* Returns the version of ONNX Runtime that wrote the file, or a range of versions.  The
 * file does not state the version, but its imports show it.  A session adds an import
 * of each domain that the model does not import.  The opset of this import is the
 * newest one that this version of ONNX Runtime knows. */
static const char *producer_of(const struct reading *r)
{
    static const char ml[] = "ai.onnx.ml";
    const struct fsd_graph *m = r->vocab ? r->vocab->model : NULL;

    if (!m || m->named_only || version_of_domain(m, ml))
        return "ONNX Runtime";
    switch (version_of_domain(r->src, ml)) {
    case 3:
        return "ONNX Runtime 1.16 or earlier";
    case 4:
        return "ONNX Runtime 1.17";
    case 5:
        return "ONNX Runtime 1.18 or later";
    default:
        return "ONNX Runtime";
    }
}

/* Fills r->first_inside and r->next_inside, if there are bodies and a model. */
static void index_bodies(struct reading *r)
{
    const struct fsd_graph *src = r->src;

    if (!r->vocab || src->scopes.n < 2)
        return;
    r->first_inside = fsd_ids_new(r->g->arena, src->nodes.n);
    r->next_inside = fsd_ids_new(r->g->arena, src->nodes.n);
    for (fsd_id i = src->nodes.n; i-- > 0 && src->nodes.at[i].scope;) {
        fsd_id owner = i;

        while (src->nodes.at[owner].scope)
            owner = src->scopes.at[src->nodes.at[owner].scope].owner;
        r->next_inside[i] = r->first_inside[owner];
        r->first_inside[owner] = i;
    }
}

static void take_parts(struct reading *r, const struct fsd_history *log)
{
    if (!log || !log->assigned)
        return;
    r->log = log;
    r->place_of = FSD_NEW(r->g->arena, uint32_t, fsd_intern_count(r->g->names));
    for (uint32_t i = 0; i < log->places.n; i++)
        r->place_of[log->places.at[i].name] = i + 1;
}

static void read_log(struct fsd_history *h, const struct fsd_file *file)
{
    if (fsd_ort_is_assignment(file))
        fsd_ort_assignment_read(h, file);
    else
        fsd_ort_session_read(h, file);
}

/* Reads the optimized model into an empty graph.  The nodes in the bodies of an If or a
 * Loop are no layers; the If or Loop is the layer. */
static enum fsd_status load(struct fsd_graph *g, const struct fsd_source *source,
                            struct fsd_error *err)
{
    struct fsd_graph *src = fsd_graph_new(g->arena, g->names);
    struct reading r = {.g = g, .src = src, .vocab = source->vocab};
    enum fsd_status status;

    if (fsd_ort_is_assignment(source->file))
        return fsd_engine_refuse(source->file, err,
                                 "ONNX Runtime's list of the nodes that each provider "
                                 "runs; pass this list with --log, and pass the "
                                 "session's optimized model as ENGINE");
    if (fsd_ort_is_profile(source->file))
        return fsd_engine_refuse(
            source->file, err,
            "a profile of ONNX Runtime; pass this profile with --profile, and pass "
            "the session's optimized model as ENGINE");
    status = fsd_onnx_load(src, source->file, err);
    if (status != FSD_OK)
        return status;
    fill_types(src);
    take_parts(&r, source->beside);
    index_bodies(&r);
    g->kind = "ort-onnx";
    g->detailed = true;
    g->producer = fsd_intern_str(g->names, producer_of(&r));
    memcpy(g->hash, src->hash, sizeof g->hash);
    r.tensor_of = fsd_ids_new(g->arena, src->tensors.n);
    for (fsd_id i = 0; i < src->nodes.n && !src->nodes.at[i].scope; i++)
        add_layer(&r, &src->nodes.at[i]);
    g->in_bodies = src->nodes.n - g->nodes.n;
    fsd_graph_list_borders(g);
    fsd_graph_finish(g);
    return FSD_OK;
}

static const char *const reads[] = {
    "optimized models for the CPU (ONNX Runtime 1.12 to 1.32)",
    "profiles of sessions (ONNX Runtime 1.12 to 1.32)",
    "verbose logs of sessions (ONNX Runtime 1.12 to 1.32)", NULL};

static const char words[] =
    "cpu execution provider onnxruntime tensorrt rtx cuda openvino nnapi coreml qnn "
    "rocm migraphx xnnpack acl azure vitis ai snpe rk npu js web webgpu dml dnnl "
    "reorder nchwc fused conv kernel time ";

const struct fsd_engine_reader fsd_reader_ort = {
    .name = "ONNX Runtime",
    .reads = reads,
    .sniff = sniff,
    .load = load,
    .read_log = read_log,
    .read_profile = fsd_ort_profile_read,
    .words = words,
};
