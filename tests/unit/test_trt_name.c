/*
 * The grammar of layer names, against a model whose node names contain every separator
 * of that grammar: a name is split only where the parts are known, and an unknown one
 * is kept.
 */
#include "read/engine/reader.h"
#include "read/trt/name.h"
#include "trt_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

static const char *const nodes[] = {
    "Conv_1",
    "Conv_12",
    "Conv_34",
    "Add_42",
    "Relu_43",
    "Clip_16",
    "QuantizeLinear_7",
    "Gemm_48",
    "Softmax_9",
    "/classifier/classifier.4/Gemm",
    "/a/Conv",
    "/a/Conv + /b/Relu", /* a name that holds every separator there is */
    "x, y",
    "p || q",
    "dots...more",
    "br]}acket",
    "paren)(",
    "twice",
    "twice",
    "node_linear_1",
    "-", /* unnamed: node_of_t20 */
    "639",
    "counter_5",
    "counter",
    "a.b",
    "a_b",
    "[CONVOLUTION]-[aten_ops.convolution.default]-[/f/0/convolution]",
    "MatMul-9",
    "reshape_before_MatMul-9x",
    "QuantLinearNode__838",
};
static const char *const constants[] = {"conv1.weight", "fc.bias", "fc.weight",
                                        "onnx::Mul_4392", "a constant + it"};

static const struct {
    const char *name, *form, *mentions;
} cases[] = {
    {"Conv_34 + Add_42 + Relu_43", "plain",
     "computes Conv_34, computes Add_42, computes Relu_43"},
    {"Conv_1", "plain", "computes Conv_1"},
    {"Conv_12", "plain", "computes Conv_12"},
    {"Conv_1 || Conv_12 + Relu_43", "plain",
     "computes Conv_1, computes Conv_12, computes Relu_43"},
    {"Conv_123", "plain", "unknown Conv_123"},
    {"Conv", "plain", "unknown Conv"},
    {"xConv_1", "plain", "unknown xConv_1"},
    {"conv1.weight + QuantizeLinear_7 + Conv_1", "plain",
     "constant conv1.weight, computes QuantizeLinear_7, computes Conv_1"},
    {"conv1.weight + QuantizeLinear_7_quantize_scale_node + Conv_1", "plain",
     "constant conv1.weight, computes QuantizeLinear_7, computes Conv_1"},
    /* point-wise */
    {"PWN(Clip_16)", "plain", "computes Clip_16"},
    {"Conv_12 + PWN(Clip_16)", "plain", "computes Conv_12, computes Clip_16"},
    {"PWN(PWN(Clip_16), Add_42)", "plain", "computes Clip_16, computes Add_42"},
    {"PWN(onnx::Mul_4392 + (Unnamed Layer* 20) [Shuffle], Add_42)", "plain",
     "constant onnx::Mul_4392, helper (Unnamed Layer* 20) [Shuffle], computes Add_42"},
    {"fusedPointwiseNode(Clip_16, Add_42)", "plain",
     "computes Clip_16, computes Add_42"},
    {"PWN(nobody, Add_42)", "plain", "unknown nobody, computes Add_42"},
    {"PWN(x, y, Add_42)", "plain", "computes x, y, computes Add_42"},
    {"PWN(paren)()", "plain", "computes paren)("},
    {"PWN(Clip_16", "plain", "computes Clip_16"},
    {"PWN(Clip_16)more + Conv_1", "plain",
     "computes Clip_16, unknown more, computes Conv_1"},
    /* separators inside of names */
    {"/a/Conv", "plain", "computes /a/Conv"},
    {"/a/Conv + /b/Relu", "plain", "computes /a/Conv + /b/Relu"},
    {"/a/Conv + /b/Relu + Conv_1", "plain",
     "computes /a/Conv + /b/Relu, computes Conv_1"},
    {"/a/Conv + Conv_1", "plain", "computes /a/Conv, computes Conv_1"},
    {"reshape_before_/a/Conv + /b/Relu", "wraps", "wraps /a/Conv + /b/Relu"},
    {"p || q || Conv_1", "plain", "computes p || q, computes Conv_1"},
    {"a constant + it + Conv_1", "plain", "constant a constant + it, computes Conv_1"},
    {"f(a + b) + Conv_1", "plain", "unknown f(a + b), computes Conv_1"},
    {"f(a + Conv_1", "plain", "unknown f(a, computes Conv_1"},
    /* regions */
    {"{ForeignNode[fc.weight...Softmax_9]}", "region",
     "constant fc.weight, last Softmax_9"},
    {"{ForeignNode[Gemm_48...Softmax_9]}", "region", "first Gemm_48, last Softmax_9"},
    {"{ForeignNode[Softmax_9]}", "region", "computes Softmax_9"},
    {"{ForeignNode[dots...more...Softmax_9]}", "region",
     "first dots...more, last Softmax_9"},
    {"{ForeignNode[dots...Softmax_9]}", "region", "unknown dots, last Softmax_9"},
    {"{ForeignNode[br]}acket...br]}acket]}", "region",
     "first br]}acket, last br]}acket"},
    {"{ForeignNode[fc.weight...(Unnamed Layer* 58) [ElementWise]]}", "region",
     "constant fc.weight, helper (Unnamed Layer* 58) [ElementWise]"},
    {"{ForeignNode[fc.bias + (Unnamed Layer* 9) [Shuffle]...Conv_1 + Relu_43]}",
     "region",
     "constant fc.bias, helper (Unnamed Layer* 9) [Shuffle], last Conv_1, last "
     "Relu_43"},
    {"{ForeignNode[[CONVOLUTION]-[aten_ops.convolution.default]-[/f/0/convolution]]}",
     "region",
     "computes [CONVOLUTION]-[aten_ops.convolution.default]-[/f/0/convolution]"},
    {"{ForeignNode[[ADD]-[aten_ops.add.Tensor]-[/f/5/add_1]]}", "region",
     "unknown [ADD]-[aten_ops.add.Tensor]-[/f/5/add_1]"},
    {"{ForeignNode[a...b]}", "region", "unknown a, unknown b"},
    {"{ForeignNode[Conv_1", "region", "computes Conv_1"},
    /* DLA */
    {"{Conv_1,Relu_43,x, y,br]}acket}", "device",
     "computes Conv_1, computes Relu_43, computes x, y, computes br]}acket"},
    {"Conv_1 to nvm", "device", "copies Conv_1"},
    {"t2 from nvm", "device", "copies t2"},
    {"Conv_1 copy finish", "device", "copies Conv_1"},
    /* reformats */
    {"Reformatting CopyNode for Input Tensor 0 to Conv_34 + Add_42", "serves",
     "serves Conv_34, serves Add_42"},
    {"Reformatting CopyNode for Output Tensor 3 to {ForeignNode[fc.weight...Conv_1]}",
     "serves", "serves fc.weight, serves Conv_1"},
    {"Reformatting CopyNode for Input Tensor 1 to reshape_before_MatMul-9", "serves",
     "serves MatMul-9"},
    {"Reformatting CopyNode for Input Tensor 0 to nobody", "serves", "unknown nobody"},
    {"Reformatting CopyNode for Network Input t3", "serves", "serves t3"},
    {"Reformatting CopyNode for Input Tensor x to y", "plain",
     "unknown Reformatting CopyNode for Input Tensor x to y"},
    {"Conv_34 + Add_42 input reformatter 0", "serves", "serves Conv_34, serves Add_42"},
    {"Conv_34 output reformatter 2", "serves", "serves Conv_34"},
    {"Reformatting CopyNode for Input Tensor 0 to a_b [profile 1]_myl1_2", "serves",
     "serves a_b"},
    /* wrappers and copies */
    {"reshape_before_MatMul-9", "wraps", "wraps MatMul-9"},
    {"reshape_before_MatMul-9x", "plain", "computes reshape_before_MatMul-9x"},
    {"reshape_after_Gemm_48", "wraps", "wraps Gemm_48"},
    {"squeeze_after_Gemm_48", "wraps", "wraps Gemm_48"},
    {"transpose_before_Gemm_48", "wraps", "wraps Gemm_48"},
    {"Clip_16 + Relu_43 + reshape_before_MatMul-9", "plain",
     "computes Clip_16, computes Relu_43, wraps MatMul-9"},
    {"copied_squeeze_after_(Unnamed Layer* 361) [ElementWise]", "wraps",
     "helper (Unnamed Layer* 361) [ElementWise]"},
    {"fc.bias + (Unnamed Layer* 36) [Shuffle] + unsqueeze_node_after_fc.bias + "
     "(Unnamed Layer* 36) [Shuffle]_(Unnamed Layer* 36) [Shuffle]_output + Gemm_48",
     "plain",
     "constant fc.bias, helper (Unnamed Layer* 36) [Shuffle], wraps fc.bias, helper "
     "(Unnamed Layer* 36) [Shuffle]_(Unnamed Layer* 36) [Shuffle]_output, computes "
     "Gemm_48"},
    {"unsqueeze_node_after_fc.bias_(Unnamed Layer* 36) [Shuffle]_output + Gemm_48",
     "plain", "wraps fc.bias, computes Gemm_48"},
    {"reshape_before_nobody", "wraps", "unknown nobody"},
    {"reshape_before_", "wraps", ""},
    {"639 copy", "copies", "copies 639"},
    {"t3 copy", "copies", "copies t3"},
    {"nobody copy", "copies", "unknown nobody"},
    {"(Unnamed Layer* 5) [Slice]_output copy", "copies",
     "helper (Unnamed Layer* 5) [Slice]_output"},
    {"Gemm_48_copy_input", "copies", "copies Gemm_48"},
    {"Gemm_48_copy_output", "copies", "copies Gemm_48"},
    {"Gemm_48_clone_2", "plain", "computes Gemm_48"},
    {"Gemm_48_clone_2_copy_input", "copies", "copies Gemm_48"},
    {"fc.bias_clone_1 + Gemm_48_clone_0", "plain",
     "constant fc.bias, computes Gemm_48"},
    /* helpers */
    {"(Unnamed Layer* 36) [Shuffle]", "plain", "helper (Unnamed Layer* 36) [Shuffle]"},
    {"(Unnamed Layer* 3) [Matrix Multiply] + Relu_43", "plain",
     "helper (Unnamed Layer* 3) [Matrix Multiply], computes Relu_43"},
    {"(Unnamed Layer* 7) [PluginV3_V3ONE]", "plain",
     "helper (Unnamed Layer* 7) [PluginV3_V3ONE]"},
    {"ONNXTRT_Broadcast_4 + Relu_43", "plain",
     "helper ONNXTRT_Broadcast_4, computes Relu_43"},
    {"ONNXTRT_castHelper_9", "plain", "helper ONNXTRT_castHelper_9"},
    {"(Unnamed Layer* x) [Shuffle]", "plain", "unknown (Unnamed Layer* x) [Shuffle]"},
    /* counters */
    {"node_linear_1_2", "plain", "computes node_linear_1"},
    {"node_linear_1_5 + Relu_43", "plain", "computes node_linear_1, computes Relu_43"},
    {"counter_5", "plain", "computes counter_5"},
    {"counter_6", "plain", "computes counter"},
    {"counter_5_6", "plain", "computes counter_5"},
    {"counter_6_7", "plain", "unknown counter_6_7"},
    {"twice", "plain", "computes twice/2, computes twice/2"},
    {"twice_1", "plain", "computes twice/2, computes twice/2"},
    {"node_of_t20", "plain", "computes node_of_t20="},
    {"QuantLinearNode__838", "plain", "computes QuantLinearNode__838"},
    /* Myelin */
    {"/classifier/classifier_4/Gemm_myl9_3", "compiled",
     "computes /classifier/classifier_4/Gemm=/classifier/classifier.4/Gemm~"},
    {"/classifier/classifier.4/Gemm_myl9_3", "compiled",
     "computes /classifier/classifier.4/Gemm"},
    {"/classifier/classifier_4/Gemm_2_myl9_3", "compiled",
     "computes /classifier/classifier_4/Gemm=/classifier/classifier.4/Gemm~"},
    {"node_linear_1_2_myl5_3", "compiled", "computes node_linear_1"},
    {"a_b_myl0_0", "compiled", "computes a_b"},
    {"a-b_myl0_0", "compiled", "computes a-b=a.b~/2, computes a-b=a_b~/2"},
    {"[CONVOLUTION]_[aten_ops_convolution_default]_[/f/0/convolution]_myl2_0",
     "compiled",
     "computes [CONVOLUTION]_[aten_ops_convolution_default]_[/f/0/convolution]="
     "[CONVOLUTION]-[aten_ops.convolution.default]-[/f/0/convolution]~"},
    {"__myl_MulSum_myl4_1", "compiled", "helper __myl_MulSum"},
    {"__mye260_0_myl5_0", "compiled", "helper __mye260_0"},
    {"dummy_shape_call__mye622_0_myl9_0", "compiled",
     "helper dummy_shape_call__mye622_0"},
    {"_gemm_mha_v2_myl3_6", "compiled", "helper _gemm_mha_v2"},
    {"_gemv_mha_v1_myl0_356", "compiled", "helper _gemv_mha_v1"},
    {"nobody_myl3_6", "compiled", "unknown nobody"},
    {"Conv_1+Relu_43_myl0_1", "compiled", "computes Conv_1, computes Relu_43"},
    {"Conv_1+nobody_myl0_1", "compiled", "unknown Conv_1+nobody"},
    {"__mye4+Conv_1+__mye7_myl0_1", "compiled",
     "helper __mye4, computes Conv_1, helper __mye7"},
    {"__mye4+__mye7_myl0_1", "compiled", "helper __mye4+__mye7"},
    {"Conv_1+_myl0_1", "compiled", "unknown Conv_1+"},
    {"cbr___mye218_myl0_16", "compiled", "helper cbr___mye218"},
    {"init_hvar^7389i64_myl1_28", "compiled", "helper init_hvar^7389i64"},
    {"$$myelin$$(Unnamed Loop* 0)^a_b_myl0_9", "compiled", "computes a_b"},
    {"$$myelin$$(Unnamed Loop* 0)^(Unnamed Loop* 1)^a_b_myl0_9", "compiled",
     "computes a_b"},
    {"$$myelin$$(Unnamed IfConditional* 0)^$$myelin$$then^Conv_1_myl0_8", "compiled",
     "computes Conv_1"},
    {"$$myelin$$(Unnamed Loop* 0)^nobody_myl0_9", "compiled",
     "helper $$myelin$$(Unnamed Loop* 0)^nobody"},
    {"$$myelin$$(Unnamed Loop* 0)_myl0_9", "compiled",
     "helper $$myelin$$(Unnamed Loop* 0)"},
    {"x__mye218", "plain", "unknown x__mye218"},
    {"[ShapeHostToDeviceCopy 0]", "plain", "helper [ShapeHostToDeviceCopy 0]"},
    {"[DeviceToShapeHostCopy] 42[fromNZ]", "plain",
     "helper [DeviceToShapeHostCopy] 42[fromNZ]"},
    {"[trainStation1]", "plain", "helper [trainStation1]"},
    {"Conv_1 + Relu_43_myl3_6", "compiled", "computes Conv_1, computes Relu_43"},
    {"Conv_1_myl3", "plain", "unknown Conv_1_myl3"},
    /* profiles */
    {"Conv_1 [profile 1]", "plain", "computes Conv_1"},
    {"a_b [profile 2]_myl11_2", "compiled", "computes a_b"},
    /* nothing */
    {"", "plain", ""},
    {" + ", "plain", ""},
    {"Conv_1 + ", "plain", "computes Conv_1"},
};

static struct names_model model;

static struct fsd_layer read_into(struct fsd_graph *g, const struct fsd_vocab *vocab,
                                  const char *name, size_t n)
{
    struct fsd_name_reader reader = {
        .g = g, .vocab = vocab, .brackets.arena = g->arena};
    struct fsd_layer layer = {.mentions.at = g->mentions.n};

    fsd_name_read(&reader, fsd_intern_add(g->names, name, n), &layer);
    layer.mentions.n = g->mentions.n - layer.mentions.at;
    return layer;
}

static void name__grammar(void **state)
{
    struct fsd_graph *g = fsd_graph_new(model.arena, model.names);

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(cases); i++) {
        char found[512];
        struct fsd_layer layer =
            read_into(g, model.vocab, cases[i].name, strlen(cases[i].name));

        mentions_text(g, model.model, layer.mentions, found, sizeof found);
        if (strcmp(found, cases[i].mentions))
            fail_msg("%s\nexpected: %s\nfound:    %s", cases[i].name, cases[i].mentions,
                     found);
        if (strcmp(form_text(&layer), cases[i].form))
            fail_msg("%s\nexpected: %s\nfound:    %s", cases[i].name, cases[i].form,
                     form_text(&layer));
    }
}

static void name__ports_and_profiles(void **state)
{
    struct fsd_graph *g = fsd_graph_new(model.arena, model.names);
    const char *name =
        "Reformatting CopyNode for Output Tensor 3 to Conv_1 [profile 2]";
    struct fsd_layer layer = read_into(g, model.vocab, name, strlen(name));

    (void)state;
    assert_true(layer.output);
    assert_int_equal(layer.port, 3);
    assert_int_equal(layer.profile, 2);
    assert_string_equal(fsd_text(g->names, layer.base_name),
                        "Reformatting CopyNode for Output Tensor 3 to Conv_1");
    name = "Conv_1 input reformatter 7";
    layer = read_into(g, model.vocab, name, strlen(name));
    assert_false(layer.output);
    assert_int_equal(layer.port, 7);
    assert_int_equal(layer.profile, -1);
    layer = read_into(g, model.vocab, "a_b [profile 4]_myl11_2", 23);
    assert_string_equal(fsd_text(g->names, layer.base_name), "a_b_myl11_2");
    assert_int_equal(layer.profile, 4);
}

static void name__nothing_is_lost_without_a_model(void **state)
{
    struct fsd_graph *g = fsd_graph_new(model.arena, model.names);
    const char *name = "{ForeignNode[a + (Unnamed Layer* 1) [X]...PWN(b, c_clone_1)]}";
    struct fsd_layer layer = read_into(g, NULL, name, strlen(name));
    char found[256];

    (void)state;
    mentions_text(g, g, layer.mentions, found, sizeof found);
    assert_string_equal(found, "unknown a, helper (Unnamed Layer* 1) [X], unknown b, "
                               "unknown c_clone_1");
    assert_int_equal(layer.form, FSD_NAME_REGION);
}

static void name__joined_without_a_model(void **state)
{
    static const struct {
        const char *name, *mentions;
    } joined[] = {
        {"/q/MatMul+/k/MatMul+__mye35_myl0_9",
         "unknown /q/MatMul, unknown /k/MatMul, helper __mye35"},
        {"/q/MatMul+/k/MatMul", "unknown /q/MatMul+/k/MatMul"},
        {"c+++Conv_myl0_1", "unknown c+++Conv"},
        {"a+_myl0_1", "unknown a+"},
        {"+a_myl0_1", "unknown +a"},
        {"a + b+c_myl0_1", "unknown a, unknown b+c"},
    };
    struct fsd_graph *g = fsd_graph_new(model.arena, model.names);

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(joined); i++) {
        struct fsd_layer layer =
            read_into(g, NULL, joined[i].name, strlen(joined[i].name));
        char found[256];

        mentions_text(g, g, layer.mentions, found, sizeof found);
        assert_string_equal(found, joined[i].mentions);
    }
}

/* ------------------------------------------------------------------- Metadata */

static const struct {
    const char *metadata, *mentions;
} items[] = {
    {"", ""},
    {"[ONNX Layer: Conv_1]", "computes Conv_1"},
    {"[ONNX Layer: Conv_1]\x1e[ONNX Layer: Relu_43]",
     "computes Conv_1, computes Relu_43"},
    {"[ONNX Layer: Conv_1]\x1f[ONNX Layer: Relu_43]\x1e[ONNX Layer: Add_42]",
     "computes Conv_1, computes Relu_43, computes Add_42"},
    {"[ONNX Layer: Conv_1][ONNX Layer: Relu_43]", "computes Conv_1, computes Relu_43"},
    {"[ONNX Layer: Conv_1 | File \"a.py\" | line 3]", "computes Conv_1"},
    {"[ONNX Layer: Conv_1 | Local Function: f]\x1f[ONNX Layer: p || q]",
     "computes Conv_1, computes p || q"},
    {"[ONNX Layer: p || q | doc]", "computes p || q"},
    {"[ONNX Layer: br]}acket]", "computes br]}acket"},
    {"[ONNX Layer: br]}acket]__gemm_from_conv1x1\x1f[ONNX Layer: Conv_1]",
     "computes br]}acket, computes Conv_1"},
    {"[ONNX Layer: twice]", "computes twice/2, computes twice/2"},
    {"[ONNX Layer: nobody | doc]", "unknown nobody"},
    {"[ONNX Layer: t3]", "unknown t3"},
    {"[ONNX Layer: ]\x1e[ONNX Layer: Conv_1]", "computes Conv_1"},
    {"[ONNX Layer: Conv_1]\xef\xbf\xbd[ONNX Layer: Relu_43]",
     "computes Conv_1, computes Relu_43"},
    {"[ONNX Layer: Conv_1]?[ONNX Layer: Relu_43] [ONNX Layer: Add_42]",
     "computes Conv_1, computes Relu_43, computes Add_42"},
    {"[ONNX Layer: Conv_1]\\u001e[ONNX Layer: br]}acket]__gemm_from_x^^[ONNX Layer: "
     "Add_42 | doc]\xe2\x90\x9e[ONNX Layer: Relu_43]__y",
     "computes Conv_1, computes br]}acket, computes Add_42, computes Relu_43"},
    {"[ONNX Layer: Conv_1 | see [ONNX Layer: Add_42 in the doc]", "computes Conv_1"},
    {"[ONNX Layer: nobody] is far from [ONNX Layer: Conv_1]",
     "unknown nobody] is far from [ONNX Layer: Conv_1"},
    {"something else", "unknown something else"},
    {"[ONNX Layer: Conv_1", "computes Conv_1"},
    {"\x1e\x1e", ""},
};

static void metadata__items(void **state)
{
    struct fsd_graph *g = fsd_graph_new(model.arena, model.names);

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(items); i++) {
        struct fsd_span span = {g->mentions.n, 0};
        char found[256];

        fsd_metadata_read(g, model.vocab, fsd_intern_str(g->names, items[i].metadata));
        span.n = g->mentions.n - span.at;
        mentions_text(g, model.model, span, found, sizeof found);
        if (strcmp(found, items[i].mentions))
            fail_msg("%s\nexpected: %s\nfound:    %s", items[i].metadata,
                     items[i].mentions, found);
        for (uint32_t k = 0; k < span.n; k++)
            assert_int_equal(g->mentions.at[span.at + k].by, FSD_BY_METADATA);
    }
    assert_int_equal(g->remarks.n, 0);
}

static void metadata__truncated(void **state)
{
    struct fsd_graph *g = fsd_graph_new(model.arena, model.names);
    const char *text = "[ONNX Layer: Conv_1]\x1e[ONNX Layer: Re ... yer: Add]\x1e"
                       "[ONNX Layer: Add_42]";
    char found[256];

    (void)state;
    fsd_metadata_read(g, model.vocab, fsd_intern_str(g->names, text));
    mentions_text(g, model.model, (struct fsd_span){0, g->mentions.n}, found,
                  sizeof found);
    assert_string_equal(found,
                        "computes Conv_1, unknown Re ... yer: Add, computes Add_42");
    assert_int_equal(g->remarks.n, 1);
    assert_string_equal(g->remarks.at[0].rule, "input/truncated-metadata");
}

/* -------------------------------------------------------------------- hostile */

static char *repeat(const char *piece, size_t total)
{
    size_t len = strlen(piece);
    char *out = test_malloc(total + len);

    for (size_t i = 0; i < total; i += len)
        memcpy(out + i, piece, len);
    return out;
}

/* Fails by time: each of these took 7 s and more when a step was quadratic. */
static void name__many_bytes(void **state)
{
    static const char *const pieces[] = {"Conv_1 + ",
                                         "a",
                                         "PWN(",
                                         "{ForeignNode[",
                                         "_clone_1",
                                         "_1",
                                         "1",
                                         "[",
                                         "(((]]]",
                                         "...",
                                         "] [profile",
                                         " copy",
                                         "{",
                                         " [profile 1]",
                                         "_myl1_1",
                                         "reshape_before_",
                                         "x_(Unnamed Layer* 1) [",
                                         "Conv_1_clone_",
                                         "Conv_1_1111111111111",
                                         "/a/Conv + /b/Relu",
                                         "(Unnamed Layer* "};
    const size_t total = 1 << 18;
    clock_t start = clock();

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(pieces); i++) {
        struct names_model big;
        struct fsd_graph *g;
        char *name = repeat(pieces[i], total);

        names_model_open(&big, nodes, FSD_COUNT_OF(nodes), constants,
                         FSD_COUNT_OF(constants));
        g = fsd_graph_new(big.arena, big.names);
        read_into(g, big.vocab, name, total);
        fsd_metadata_read(g, big.vocab, fsd_intern_add(g->names, name, total));
        names_model_close(&big);
        test_free(name);
    }
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 5);
}

/* Names of 5,000 different lengths, all of them prefixes of the text. */
static void name__a_hostile_model(void **state)
{
    enum { NAMES = 5000, TEXT = 1 << 20 };
    char *text = repeat("a + ", TEXT);
    const char *known[NAMES];
    struct names_model big;
    struct fsd_graph *g;
    clock_t start = clock();

    (void)state;
    for (size_t i = 0; i < NAMES; i++) {
        char *name = test_calloc(1, 4 * i + 3);

        memcpy(name, text, 4 * i + 1);
        name[4 * i] = 'b';
        known[i] = name;
    }
    names_model_open(&big, known, NAMES, NULL, 0);
    g = fsd_graph_new(big.arena, big.names);
    read_into(g, big.vocab, text, TEXT);
    assert_true(g->mentions.n >= TEXT / 4 - 1);
    assert_int_equal(g->remarks.n, 1);
    assert_string_equal(g->remarks.at[0].rule, "input/long-name");
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 30);
    names_model_close(&big);
    for (size_t i = 0; i < NAMES; i++)
        test_free((void *)(uintptr_t)known[i]);
    test_free(text);
}

static void name__deep(void **state)
{
    enum { DEPTH = 100000 };
    struct fsd_graph *g = fsd_graph_new(model.arena, model.names);
    char *name = repeat("PWN(", 4 * DEPTH);
    struct fsd_layer layer = read_into(g, model.vocab, name, 4 * DEPTH);

    (void)state;
    assert_int_equal(layer.mentions.n, 1);
    assert_string_equal(g->remarks.at[0].rule, "input/deep-name");
    test_free(name);
}

static int setup(void **state)
{
    (void)state;
    names_model_open(&model, nodes, FSD_COUNT_OF(nodes), constants,
                     FSD_COUNT_OF(constants));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    names_model_close(&model);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(name__grammar),
        cmocka_unit_test(name__ports_and_profiles),
        cmocka_unit_test(name__nothing_is_lost_without_a_model),
        cmocka_unit_test(name__joined_without_a_model),
        cmocka_unit_test(metadata__items),
        cmocka_unit_test(metadata__truncated),
        cmocka_unit_test(name__many_bytes),
        cmocka_unit_test(name__a_hostile_model),
        cmocka_unit_test(name__deep),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
