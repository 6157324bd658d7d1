/* Writes statements of TensorRT's API that no template can express, because they depend
 * on several attributes, or because TensorRT accepts only some forms of the
 * operator. */
#include "base/base.h"
#include "edit/code/code.h"
#include "model/graph/graph.h"

#include <math.h>

static const struct fsd_attr *attr_of(const struct fsd_code *c, fsd_id node,
                                      const char *name)
{
    return fsd_node_attr(c->g, &c->g->nodes.at[node], name);
}

/* The numbers of an attribute; NULL if it is absent. */
static const int64_t *ints_of(const struct fsd_code *c, fsd_id node, const char *name,
                              uint32_t *n)
{
    const struct fsd_attr *attr = attr_of(c, node, name);

    *n = attr && attr->kind == FSD_ATTR_INTS ? attr->list.n : 0;
    return *n ? &c->g->ints.at[attr->list.at] : NULL;
}

static const char *text_of(const struct fsd_code *c, fsd_id node, const char *name,
                           const char *otherwise)
{
    const struct fsd_attr *attr = attr_of(c, node, name);

    return attr && attr->kind == FSD_ATTR_STRING ? fsd_text(c->g->names, attr->s)
                                                 : otherwise;
}

static const struct fsd_shape *shape_of(const struct fsd_code *c, fsd_id node,
                                        uint32_t input)
{
    return fsd_shape_of(c->sizes, fsd_node_in_tensor(c->g, node, input));
}

static bool all_are(const int64_t *at, uint32_t n, int64_t value)
{
    for (uint32_t i = 0; i < n; i++)
        if (at[i] != value)
            return false;
    return true;
}

/* -------------------------------------------------------- convolutions and poolings */

static void put_setting(const char *name, const int64_t *at, uint32_t n,
                        struct fsd_code_words *w)
{
    fsd_words_printf(w, ", %s=", name);
    fsd_code_tuple(at, n, w);
}

static void put_padding(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    const char *mode = text_of(c, node, "auto_pad", "NOTSET");
    uint32_t n;
    const int64_t *pads = ints_of(c, node, "pads", &n);

    if (!strcmp(mode, "SAME_UPPER") || !strcmp(mode, "SAME_LOWER")) {
        /* These modes round sizes up, with or without ceil_mode. */
        fsd_words_printf(w, ", padding_mode=trt.PaddingMode.%s", mode);
        return;
    }
    if (pads && !all_are(pads, n, 0)) {
        if (!memcmp(pads, pads + n / 2, n / 2 * sizeof *pads)) {
            put_setting("padding_nd", pads, n / 2, w);
        } else {
            put_setting("pre_padding", pads, n / 2, w);
            put_setting("post_padding", pads + n / 2, n / 2, w);
        }
    }
    if (fsd_node_int(c->g, node, "ceil_mode", 0))
        fsd_words_put(w, ", padding_mode=trt.PaddingMode.EXPLICIT_ROUND_UP");
}

static void put_window(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    uint32_t n;
    const int64_t *at = ints_of(c, node, "strides", &n);

    if (at && !all_are(at, n, 1))
        put_setting("stride_nd", at, n, w);
    put_padding(c, node, w);
    at = ints_of(c, node, "dilations", &n);
    if (at && !all_are(at, n, 1))
        put_setting("dilation_nd", at, n, w);
    if (fsd_node_int(c->g, node, "group", 1) != 1)
        fsd_words_printf(w, ", num_groups=%lld",
                         (long long)fsd_node_int(c->g, node, "group", 1));
}

/* Writes the kernel of a convolution: a constant kernel as weights, a computed kernel
 * as a tensor. */
static void put_kernel(struct fsd_code *c, fsd_id node, uint32_t input,
                       struct fsd_code_words *w)
{
    fsd_id weight = fsd_code_weight(c, fsd_node_in_tensor(c->g, node, input));

    if (weight == FSD_NONE) {
        fsd_code_operand(c, node, input, w);
        return;
    }
    fsd_words_put(w, "weights(");
    fsd_words_slot(w, FSD_SLOT_STRING,
                   fsd_text(c->g->names, c->g->tensors.at[weight].name));
    fsd_words_put(w, ")");
}

static void put_conv(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    bool transposed = fsd_node_is(c->g, node, FSD_ONNX_ConvTranspose);
    const struct fsd_shape *kernel = shape_of(c, node, 1);
    bool row = kernel->rank == 3;
    int64_t maps;
    uint32_t n;

    if (!kernel->ranked || !fsd_shape_is_full(kernel) || kernel->rank < 3 ||
        kernel->rank > 5 || fsd_amount_is_open(c->sizes->amounts, kernel->dims[0])) {
        c->why = "the kernel's sizes are not fixed, or its rank is not 3, 4 or 5";
        return;
    }
    if (transposed && (ints_of(c, node, "output_shape", &n) ||
                       (ints_of(c, node, "output_padding", &n) &&
                        !all_are(ints_of(c, node, "output_padding", &n), n, 0)))) {
        c->why = "output_shape is set, or output_padding is not 0";
        return;
    }
    maps = transposed ? kernel->dims[1] * fsd_node_int(c->g, node, "group", 1)
                      : kernel->dims[0];
    fsd_code_template(c, node,
                      row ? "row_convolution(@, $0, " : "node(@, convolution($0, ", w);
    fsd_words_printf(w, "%lld, ", (long long)maps);
    fsd_code_tuple(kernel->dims + 2, kernel->rank - 2u, w);
    fsd_words_put(w, ", ");
    put_kernel(c, node, 1, w);
    if (fsd_node_has_in(c->g, node, 2)) {
        fsd_words_put(w, ", ");
        put_kernel(c, node, 2, w);
    }
    fsd_words_put(w, transposed ? ", add=\"add_deconvolution_nd\"" : "");
    fsd_words_put(w, row ? "" : ")");
    put_window(c, node, w);
    fsd_words_put(w, ")");
}

static void put_pool(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    bool average = !fsd_node_is(c->g, node, FSD_ONNX_MaxPool);
    fsd_id places = fsd_node_out_tensor(c->g, node, 1);
    uint32_t n;
    const int64_t *dilations = ints_of(c, node, "dilations", &n);

    if (dilations && !all_are(dilations, n, 1))
        c->why = "TensorRT does not support pooling with dilation";
    else if (fsd_graph_tensor(c->g, places)->consumers.n)
        c->why = "TensorRT does not output the indices of the pooled elements";
    else if (!ints_of(c, node, "kernel_shape", &n) || n < 2 || n > 3)
        c->why = "the window does not have 2 or 3 axes";
    if (c->why)
        return;
    fsd_code_template(c, node, "node(@, network.add_pooling_nd($0, trt.PoolingType.",
                      w);
    fsd_words_put(w, average ? "AVERAGE" : "MAX");
    fsd_code_template(c, node, ", !kernel_shape!)", w);
    put_window(c, node, w);
    if (average && fsd_node_int(c->g, node, "count_include_pad", 0))
        fsd_words_put(w, ", average_count_excludes_padding=False");
    fsd_words_put(w, ")");
}

/* ---------------------------------------------------------------------- elementwise */

static void put_elementwise(struct fsd_code *c, fsd_id node, const char *operation,
                            struct fsd_code_words *w)
{
    uint32_t n = c->g->nodes.at[node].in.n;

    if (n == 2) {
        fsd_code_template(c, node, "elementwise(@, $*, ", w);
        fsd_words_printf(w, "Op.%s)", operation);
    } else {
        fsd_code_template(c, node, "chain(@, [$*], ", w);
        fsd_words_printf(w, "Op.%s)", operation);
    }
}

/* Defines a function for each elementwise operation. A row of table.inc calls such a
 * function by a template like "=SUM". */
#define ELEMENTWISE(name)                                                              \
    static void put_##name(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)  \
    {                                                                                  \
        put_elementwise(c, node, #name, w);                                            \
    }
#define ELEMENTWISE_WORDS(has)                                                         \
    has(SUM) has(PROD) has(MAX) has(MIN) has(SUB) has(DIV) has(POW) has(AND) has(OR)   \
        has(XOR) has(EQUAL) has(GREATER) has(LESS)
ELEMENTWISE_WORDS(ELEMENTWISE)

static void put_modulo(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    fsd_id tensor = fsd_node_in_tensor(c->g, node, 0);
    enum fsd_dtype type = fsd_tensor_form(c->g, tensor)->type;

    if (fsd_node_int(c->g, node, "fmod", 0) || (type != FSD_INT64 && type != FSD_INT32))
        c->why = "fmod is set, or the inputs are not INT32 or INT64";
    else
        fsd_code_template(c, node, "modulo(@, $0, $1)", w);
}

/* --------------------------------------------------------------------- quantization */

/* Checks that a zero point is 0, because TensorRT's quantization has no zero point. If
 * the value is not known here, block.c writes a statement that checks the value. */
static void expect_zero(struct fsd_code *c, fsd_id node)
{
    fsd_id zero = fsd_code_weight(c, fsd_node_in_tensor(c->g, node, 2));
    const struct fsd_value *value = fsd_tensor_value(c->g, zero);

    for (uint64_t i = 0; value && value->bytes && i < value->size; i++)
        if (value->bytes[i])
            c->why = "the zero point is not 0, and TensorRT supports only 0";
}

static void put_scaled(struct fsd_code *c, fsd_id node, const char *add,
                       struct fsd_code_words *w)
{
    const struct fsd_shape *scale = shape_of(c, node, 1);
    fsd_id quantized = strcmp(add, "quantize") != 0
                           ? fsd_node_in_tensor(c->g, node, 0)
                           : fsd_node_out_tensor(c->g, node, 0);
    enum fsd_dtype type = fsd_tensor_form(c->g, quantized)->type;

    expect_zero(c, node);
    if (type != FSD_INT8 && type != FSD_FP8 && type != FSD_INT4)
        c->why = fsd_printed(c->arena, "TensorRT does not quantize to %s",
                             fsd_dtype_name(type));
    if (c->why)
        return;
    fsd_words_printf(w, "%s(", add);
    fsd_code_template(c, node, "@, $0, $1, &", w);
    if (scale->ranked && scale->rank == 1) /* a scale of a higher rank has one
                                              number for each block, and no axis */
        fsd_code_template(c, node, ", axis=!axis=1!", w);
    fsd_words_put(w, ")");
}

static void put_quantize(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    put_scaled(c, node, "quantize", w);
}

static void put_dequantize(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    put_scaled(c, node, "dequantize", w);
}

/* ------------------------------------------------------------------- normalizations */

static void put_batch_norm(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    bool weights = true;

    for (uint32_t i = 1; i < 5; i++)
        weights &= fsd_code_is_weight(c, fsd_node_in_tensor(c->g, node, i));
    if (!weights || fsd_node_int(c->g, node, "training_mode", 0)) {
        c->why = "the mean and variance are not constant";
        return;
    }
    fsd_code_template(c, node, "batch_norm(@, $0", w);
    for (uint32_t i = 1; i < 5; i++) {
        fsd_id weight = fsd_code_weight(c, fsd_node_in_tensor(c->g, node, i));

        fsd_words_put(w, ", ");
        fsd_words_slot(w, FSD_SLOT_STRING,
                       fsd_text(c->g->names, c->g->tensors.at[weight].name));
    }
    fsd_code_template(c, node, ", epsilon=!epsilon=1e-05!)", w);
}

static void put_layer_norm(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    const struct fsd_shape *x = shape_of(c, node, 0);
    int64_t axis = fsd_axis(fsd_node_int(c->g, node, "axis", -1), x->rank);
    int64_t axes[FSD_SHAPE_RANK];
    fsd_id more = fsd_node_out_tensor(c->g, node, 1);
    uint32_t n = 0;

    if (!x->ranked || fsd_graph_tensor(c->g, more)->consumers.n) {
        c->why = "the rank of the input is unknown, or a node reads the output Mean";
        return;
    }
    for (; axis >= 0 && axis < x->rank; axis++)
        axes[n++] = axis;
    fsd_code_template(c, node,
                      !fsd_node_has_in(c->g, node, 2)
                          ? "normalization(@, $0, $1, None, "
                          : "normalization(@, $0, $1, $2, ",
                      w);
    fsd_code_tuple(axes, n, w);
    fsd_code_template(c, node, ", epsilon=!epsilon=1e-05!)", w);
}

/* Writes a group normalization. Before opset 21, scale and bias have a number per
 * group. TensorRT's parser repeats this number for each channel of the group. The
 * written program cannot do so, so the node is not expressed. */
static void put_group_norm(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    if (fsd_graph_opset(c->g) < 21)
        c->why = "below opset 21, scale and bias are per group, not per channel";
    else
        fsd_code_template(c, node,
                          "channel_norm(@, $0, $1, $2, epsilon=!epsilon=1e-05!, "
                          "groups=!num_groups!)",
                          w);
}

/* -------------------------------------------------------------------------- others */

static void put_gelu(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    fsd_code_template(c, node, "activation(@, $0, Act.", w);
    fsd_words_put(w, strcmp(text_of(c, node, "approximate", "none"), "tanh")
                         ? "GELU_ERF)"
                         : "GELU_TANH)");
}

static void put_softmax(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    bool old = fsd_graph_opset(c->g) < 13;
    const struct fsd_shape *x = shape_of(c, node, 0);
    int64_t axis = fsd_node_int(c->g, node, "axis", old ? 1 : -1);

    if (old && !(x->ranked && (axis == -1 || axis == x->rank - 1))) {
        c->why = "below opset 13, this operator normalizes several axes together";
        return;
    }
    fsd_code_template(c, node, "softmax(@, $0, axis=", w);
    fsd_words_printf(w, "%lld%s)", (long long)axis,
                     fsd_node_is(c->g, node, FSD_ONNX_LogSoftmax) ? ", log=True" : "");
}

static void put_shape(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    if (attr_of(c, node, "start") || attr_of(c, node, "end"))
        c->why = "only a part of the shape is requested";
    else
        fsd_code_template(c, node, "node(@, network.add_shape($0))", w);
}

static void put_filled(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    const struct fsd_attr *attr = attr_of(c, node, "value");
    int64_t sizes[FSD_INTS];
    enum fsd_dtype type;
    double value = 0;
    uint32_t n;

    if (!fsd_code_ints(c, fsd_node_in_tensor(c->g, node, 0), sizes, &n) ||
        (attr && (attr->kind != FSD_ATTR_TENSOR || attr->value == FSD_NONE ||
                  !fsd_element_number(&c->g->values.at[attr->value],
                                      c->g->forms.at[attr->form].type, 0, &value)))) {
        c->why = "the sizes or the value of the output are unknown";
        return;
    }
    type = attr ? c->g->forms.at[attr->form].type : FSD_FP32;
    if (!fsd_code_numpy_type(type)) {
        c->why = fsd_printed(c->arena, "the program cannot make constants of type %s",
                             fsd_dtype_name(type));
        return;
    }
    fsd_code_template(c, node, "filled(@, ", w);
    fsd_code_tuple(sizes, n, w);
    fsd_words_put(w, ", ");
    if (type == FSD_INT64) /* a double would round large values */
        fsd_words_printf(
            w, "%lld",
            (long long)fsd_element_bits(&c->g->values.at[attr->value], 8, 0));
    else if (isfinite(value))
        fsd_words_printf(w, type == FSD_FP32 ? "%.9g" : "%.17g", value);
    else
        fsd_code_number(value, w);
    fsd_words_printf(w, ", \"%s\")", fsd_code_numpy_type(type));
}

static void put_split(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    fsd_code_template(c, node, "split(@, $0, {split:!split!|%1}", w);
    fsd_code_template(c, node, ", axis=!axis=0!, count=", w);
    fsd_words_printf(w, "%u)", c->g->nodes.at[node].out.n);
}

static void put_scatter(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    fsd_code_template(
        c, node,
        "node(@, network.add_scatter($0, $1, $2, trt.ScatterMode.ELEMENT), "
        "axis=!axis=0!)",
        w);
}

/* Whether the model stores the numbers of the input, and there are some. */
static bool has_numbers(const struct fsd_code *c, fsd_id node, uint32_t input)
{
    const struct fsd_value *value = fsd_tensor_value(
        c->g, fsd_code_weight(c, fsd_node_in_tensor(c->g, node, input)));

    return value && value->bytes && value->size;
}

/* Writes a Resize. Its scales must be stored in the model. Its sizes are written as
 * numbers if they are known, else as a variable. */
static void put_resize(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    if (!strcmp(text_of(c, node, "keep_aspect_ratio_policy", "stretch"), "stretch") &&
        !attr_of(c, node, "axes") && !fsd_node_int(c->g, node, "antialias", 0))
        fsd_code_template(c, node, "resize(@, $0", w);
    else
        c->why = "the operator resizes only some axes, antialiases, or keeps the "
                 "aspect ratio";
    if (has_numbers(c, node, 2))
        fsd_code_template(c, node, ", scales=#2", w);
    fsd_code_template(
        c, node,
        "{3:, shape=%3}{mode:, mode=!mode!}{coordinate_transformation_mode:, "
        "place=!coordinate_transformation_mode!}{nearest_mode:, "
        "rounding=!nearest_mode!}"
        "{cubic_coeff_a#-0.75:, coefficient=!cubic_coeff_a!}{exclude_outside#0:, "
        "outside=!exclude_outside!})",
        w);
}

/* Writes an Upsample. Its scales are weights or, before opset 9, an attribute. */
static void put_upsample(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    if (attr_of(c, node, "scales") || has_numbers(c, node, 1))
        fsd_code_template(c, node,
                          "resize(@, $0, scales={scales:!scales!|#1}{mode:, "
                          "mode=!mode!}, place='asymmetric', rounding='floor')",
                          w);
    else
        c->why = "the scales are unknown";
}

/* Writes an LSTM, GRU or RNN as a loop, as TensorRT's ONNX parser does. */
static void put_recurrent(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    bool lstm = fsd_node_is(c->g, node, FSD_ONNX_LSTM);
    uint32_t last = c->g->nodes.at[node].in.n;

    if (attr_of(c, node, "activations") || attr_of(c, node, "clip"))
        c->why = "the activations are not the defaults, or clip is set";
    else if (fsd_node_int(c->g, node, "layout", 0) ||
             fsd_node_int(c->g, node, "input_forget", 0))
        c->why = "the attribute layout or input_forget is not 0";
    else if (fsd_node_has_in(c->g, node, 4) || (lstm && fsd_node_has_in(c->g, node, 7)))
        c->why = "the operator has sequence lengths or peepholes";
    if (c->why)
        return;
    fsd_code_template(c, node, lstm ? "lstm(@, $0, $1, $2" : "", w);
    if (!lstm)
        fsd_code_template(c, node,
                          fsd_node_is(c->g, node, FSD_ONNX_GRU) ? "gru(@, $0, $1, $2"
                                                                : "rnn(@, $0, $1, $2",
                          w);
    fsd_code_template(c, node,
                      last > 3 ? "{3:, bias=$3}{5:, first=$5}{6:, cell=$6}" : "", w);
    fsd_code_template(c, node,
                      "{direction:, direction=!direction!}{linear_before_reset#0:, "
                      "after=True})",
                      w);
}

fsd_code_fn *fsd_code_by_name(const char *word)
{
#define ELEMENTWISE_ROW(name) {#name, put_##name},
    static const struct {
        const char *word;
        fsd_code_fn *fn;
    } functions[] = {ELEMENTWISE_WORDS(ELEMENTWISE_ROW){"conv", put_conv},
                     {"pool", put_pool},
                     {"modulo", put_modulo},
                     {"quantize", put_quantize},
                     {"dequantize", put_dequantize},
                     {"batch_norm", put_batch_norm},
                     {"layer_norm", put_layer_norm},
                     {"group_norm", put_group_norm},
                     {"gelu", put_gelu},
                     {"softmax", put_softmax},
                     {"shape", put_shape},
                     {"filled", put_filled},
                     {"split", put_split},
                     {"scatter_elements", put_scatter},
                     {"resize", put_resize},
                     {"upsample", put_upsample},
                     {"recurrent", put_recurrent}};

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(word, functions[i].word))
            return functions[i].fn;
    return NULL;
}
