/* Finds which exporter placed the quantizers of a model. Exporters choose different
 * places and names. */
#include "judge/lint/lint.h"
#include "model/graph/graph.h"

/* The signs that show an exporter: the producer that the file states, the domain of an
 * operator, or a part of a quantizer's name. */
static const struct sign {
    enum { PRODUCER, DOMAIN, NAME } of;
    const char *piece;
    const char *style;
    bool after_operators; /* by default, the exporter quantizes the outputs of
                             operators */
    bool weights_behind;  /* the exporter keeps the type of constants, and adds a Q/DQ
                             pair after each */
} signs[] = {
    {DOMAIN, "trt", "NVIDIA ModelOpt"},
    {PRODUCER, "modelopt", "NVIDIA ModelOpt"},
    {NAME, "export_handler", "Brevitas"},
    {NAME, "brevitas", "Brevitas"},
    {PRODUCER, "nncf", "NNCF"},
    {NAME, "nncf", "NNCF"},
    {NAME, "FakeQuantize", "NNCF"},
    /* ModelOpt calls ONNX Runtime's quantizer, so the file states ONNX Runtime as its
     * producer. */
    {PRODUCER, "onnx.quantize", "NVIDIA ModelOpt, or ONNX Runtime for TensorRT",
     .weights_behind = true},
    {PRODUCER, "onnx.quantize", "ONNX Runtime static quantization", true},
    {NAME, "_input_quantizer", "pytorch-quantization"},
    {NAME, "_weight_quantizer", "pytorch-quantization"},
    {NAME, "node_quantize_per", "PyTorch dynamo export"},
    {NAME, "node_QuantizeLinear", "PyTorch dynamo export"},
    {PRODUCER, "pytorch", "PyTorch export (pytorch-quantization and similar tools)"},
};

/* Whether a Q reads a constant. */
static bool quantizes_weights(const struct fsd_lint *l)
{
    for (uint32_t i = 0; i < l->quantizers.n; i++)
        if (l->quantizers.at[i].quantizes &&
            l->facts->constant[l->quantizers.at[i].data])
            return true;
    return false;
}

static const char *text_of(const struct fsd_lint *l, const struct sign *sign,
                           fsd_id node)
{
    const struct fsd_node *n = &l->g->nodes.at[node];

    return fsd_text(l->g->names, sign->of == PRODUCER ? l->g->producer
                                 : sign->of == DOMAIN ? n->domain
                                                      : n->name);
}

/* Whether the node shows the sign. A domain must be equal to the sign; a producer or
 * name must contain the sign. */
static bool shows(const struct fsd_lint *l, const struct sign *sign, fsd_id node)
{
    const char *text = text_of(l, sign, node);

    return sign->of == DOMAIN ? !strcmp(text, sign->piece)
                              : strstr(text, sign->piece) != NULL;
}

static bool computes(const struct fsd_lint *l, fsd_id tensor)
{
    fsd_id producer = fsd_tensor_producer(l->g, tensor);

    return producer != FSD_NONE &&
           !(l->facts->traits[producer] & (FSD_OP_QDQ | FSD_OP_VIEW | FSD_OP_CONSTANT));
}

/* Whether an operator that runs in low precision consumes the output of the Q/DQ
 * pair. */
static bool feeds_narrow(const struct fsd_lint *l, const struct fsd_quantizer *q)
{
    fsd_id dq = fsd_tensor_only_reader(l->g, fsd_node_out_tensor(l->g, q->node, 0));
    fsd_id reader = fsd_tensor_only_reader(l->g, fsd_node_out_tensor(l->g, dq, 0));

    return fsd_traits_of(l->facts, reader) & FSD_OP_WEIGHTED;
}

void fsd_lint_see_style(struct fsd_lint *l)
{
    struct fsd_style_seen *seen = &l->style;

    for (size_t s = 0; s < FSD_COUNT_OF(signs) && !seen->name; s++)
        for (uint32_t i = 0; i < l->quantizers.n; i++)
            if (shows(l, &signs[s], l->quantizers.at[i].node) &&
                (!signs[s].weights_behind || quantizes_weights(l))) {
                seen->name = signs[s].style;
                seen->sign = text_of(l, &signs[s], l->quantizers.at[i].node);
                seen->after_operators = signs[s].after_operators;
                break;
            }
    FSD_EACH (const struct fsd_quantizer, q, l->quantizers) {
        if (!q->quantizes || l->facts->constant[q->data])
            continue;
        if (seen->type == FSD_DTYPE_UNKNOWN && fsd_dtype_bits(q->type) == 8)
            seen->type = q->type;
        seen->quantizers++;
        seen->after += computes(l, q->data);
        seen->before += feeds_narrow(l, q);
    }
}
