/*
 * The JSON dumps of TensorRT's inspector through the reader's public entry: each
 * generation's keys, broken and odd values, and what becomes of layers, ports and
 * bindings.
 */
#include "model/ops/ids.h"
#include "read/engine/reader.h"
#include "trt_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* One load from memory or from a fixture. */
struct run {
    struct fsd_arena *arena;
    struct fsd_graph *g;
    struct fsd_error err;
    enum fsd_status status;
};

static struct run load_bytes(const void *bytes, size_t n, const struct names_model *m)
{
    struct run r = {.arena = m ? m->arena : fsd_arena_new()};
    struct fsd_file file = {.name = "dump.json", .bytes = bytes, .size = n};
    struct fsd_source source = {.file = &file, .vocab = m ? m->vocab : NULL};

    r.g = fsd_graph_new(r.arena, m ? m->names : fsd_op_names_new(r.arena));
    r.status = fsd_engine_load(r.g, &source, &r.err);
    return r;
}

static struct run load_text(const char *text)
{
    return load_bytes(text, strlen(text), NULL);
}

static void open_fixture(const char *name, struct fsd_file *file)
{
    static char path[512];
    struct fsd_error err;

    snprintf(path, sizeof path, "%s/engine/%s", FSD_FIXTURES, name);
    if (fsd_file_open(file, path, 1 << 20, &err) != FSD_OK)
        fail_msg("%s: %s", path, err.message);
}

static struct run load_fixture(const char *name)
{
    struct fsd_file file;
    struct run r;

    open_fixture(name, &file);
    r = load_bytes(file.bytes, file.size, NULL);
    fsd_file_close(&file);
    if (r.status != FSD_OK)
        fail_msg("%s: %s", name, r.err.message);
    return r;
}

static void end(struct run *r)
{
    fsd_arena_free(r->arena);
}

static const char *text(const struct run *r, fsd_sym sym)
{
    return fsd_text(r->g->names, sym);
}

static fsd_id tensor(const struct run *r, const char *name)
{
    fsd_id id = fsd_graph_find(r->g, fsd_intern_str(r->g->names, name), 0);

    assert_int_not_equal(id, FSD_NONE);
    return id;
}

static uint8_t flags(const struct run *r, const char *name)
{
    return r->g->tensors.at[tensor(r, name)].flags;
}

static void assert_form(const struct run *r, const struct fsd_form *form,
                        const char *expected)
{
    char found[128], layout[16];
    int used = snprintf(found, sizeof found, "%s %s [", fsd_dtype_name(form->type),
                        fsd_layout_name(form->layout, layout));

    for (uint32_t i = 0; i < form->dims.n; i++)
        used +=
            snprintf(found + used, sizeof found - (size_t)used, "%s%lld", i ? "," : "",
                     (long long)r->g->dims.at[form->dims.at + i].size);
    snprintf(found + used, sizeof found - (size_t)used, "]%s",
             form->ranked ? "" : " unranked");
    assert_string_equal(found, expected);
}

/* ---------------------------------------------------------------- generations */

static void generation__by_keys(void **state)
{
    static const struct {
        const char *file, *producer, *kind;
        uint32_t layers;
    } cases[] = {
        {"trt8.2.json", "TensorRT 8.2", "trt-json", 1},
        {"trt8.4.json", "TensorRT 8.2 to 8.4", "trt-json", 5},
        {"trt8.6.json", "TensorRT 8.6 or later", "trt-json", 2},
        {"trt10.json", "TensorRT 9 or later", "trt-json", 5},
        {"trt11.json", "TensorRT 11 or later", "trt-json", 2},
        {"names-only.json", "TensorRT", "trt-names", 3},
    };

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(cases); i++) {
        struct run r = load_fixture(cases[i].file);

        assert_string_equal(text(&r, r.g->producer), cases[i].producer);
        assert_string_equal(r.g->kind, cases[i].kind);
        assert_int_equal(r.g->nodes.n, cases[i].layers);
        assert_int_equal(r.g->layers.n, cases[i].layers);
        assert_int_equal(r.g->detailed, strcmp(cases[i].kind, "trt-names") != 0);
        assert_int_equal(r.g->remarks.n, 0);
        assert_true(r.g->hash[0] || r.g->hash[1]);
        end(&r);
    }
}

static void layer__keys_of_its_own(void **state)
{
    struct run r = load_fixture("trt8.4.json");
    const struct fsd_layer *l = r.g->layers.at;
    const struct fsd_attr *attr;

    (void)state;
    assert_string_equal(text(&r, l[0].origin), "QDQ");
    assert_int_equal(l[0].kind, FSD_KIND_QUANTIZE);
    assert_int_equal(l[1].origin, 0);
    assert_string_equal(text(&r, r.g->nodes.at[1].op), "CaskConvolution");
    assert_int_equal(l[1].maps, 32);
    assert_string_equal(text(&r, l[1].tactic_value), "0x0123456789abcdef");
    assert_int_equal(l[1].weights, 864);
    assert_int_equal(l[1].weights_type, FSD_INT8);
    assert_int_equal(l[1].bias, 32);
    assert_int_equal(l[1].bias_type, FSD_FP32);
    assert_int_equal(l[1].metadata, 0);
    assert_int_equal(l[3].weights, 1);
    attr = fsd_node_attr(r.g, &r.g->nodes.at[1], "Kernel");
    assert_int_equal(attr->kind, FSD_ATTR_INTS);
    assert_int_equal(attr->list.n, 2);
    assert_int_equal(r.g->ints.at[attr->list.at + 1], 3);
    attr = fsd_node_attr(r.g, &r.g->nodes.at[1], "OutMaps");
    assert_int_equal(attr->kind, FSD_ATTR_INT);
    assert_int_equal(attr->i, 32);
    attr = fsd_node_attr(r.g, &r.g->nodes.at[1], "Activation");
    assert_string_equal(text(&r, attr->s), "NONE");
    attr = fsd_node_attr(r.g, &r.g->nodes.at[4], "Operations");
    assert_int_equal(attr->kind, FSD_ATTR_STRINGS);
    assert_string_equal(text(&r, r.g->links.at[attr->list.at]),
                        "const auto var0 = pwgen::iMul(arg0, arg1);");
    assert_null(fsd_node_attr(r.g, &r.g->nodes.at[1], "Name"));
    assert_null(fsd_node_attr(r.g, &r.g->nodes.at[1], "Weights"));
    end(&r);
}

static void layer__plugin_and_metadata(void **state)
{
    struct run r = load_fixture("trt8.6.json");
    const struct fsd_layer *l = r.g->layers.at;
    char found[256];

    (void)state;
    assert_int_equal(l[1].provider, FSD_PROVIDER_PLUGIN);
    assert_string_equal(text(&r, l[0].metadata),
                        "[ONNX Layer: /conv/Conv]\x1e[ONNX Layer: /relu/Relu]");
    assert_string_equal(
        mentions_text(r.g, r.g, l[0].mentions, found, sizeof found),
        "unknown /conv/Conv, unknown /relu/Relu, unknown /conv/Conv, unknown "
        "/relu/Relu");
    assert_string_equal(
        mentions_text(r.g, r.g, l[1].mentions, found, sizeof found),
        "unknown /norm/InstanceNormalization, unknown /norm/InstanceNormalization");
    end(&r);
}

static void tensor__ports_have_their_own_form(void **state)
{
    struct run r = load_fixture("trt8.6.json");
    const struct fsd_graph *g = r.g;

    (void)state;
    assert_form(&r, fsd_tensor_form(g, tensor(&r, "/relu/Relu_output_0")),
                "fp16 hwc8 [1,32,8,8]");
    assert_form(&r, fsd_port_form(g, fsd_node_in(g, &g->nodes.at[1], 0)),
                "fp16 chw [1,32,8,8]");
    assert_string_equal(text(&r, fsd_tensor_form(g, tensor(&r, "y"))->raw),
                        "Row major linear FP16 format");
    end(&r);
}

static void tensor__several_producers_and_loops(void **state)
{
    struct run r = load_fixture("trt10.json");
    const struct fsd_graph *g = r.g;

    (void)state;
    assert_int_equal(g->tensors.at[tensor(&r, "y")].producers.n, 2);
    assert_int_equal(g->tensors.at[tensor(&r, "loop")].producers.n, 1);
    assert_int_equal(g->tensors.at[tensor(&r, "loop")].consumers.n, 1);
    assert_int_equal(g->tensors.n, 6);
    assert_form(&r, fsd_tensor_form(g, tensor(&r, "c")), "fp32 chw [1,4,8,8]");
    assert_form(&r, fsd_port_form(g, fsd_node_in(g, &g->nodes.at[1], 0)),
                "fp32  [1,256]");
    assert_form(&r, fsd_tensor_form(g, tensor(&r, "loop")), "int64  []");
    assert_int_equal(g->nodes.at[2].name, g->nodes.at[3].name);
    assert_int_equal(g->nodes.at[4].in.n + g->nodes.at[4].out.n, 0);
    assert_int_equal(g->nodes.at[3].where, 3);
    end(&r);
}

static void binding__flags(void **state)
{
    const uint8_t in = FSD_TENSOR_BINDING | FSD_TENSOR_INPUT;
    const uint8_t out = FSD_TENSOR_BINDING | FSD_TENSOR_OUTPUT;
    struct run r = load_fixture("trt10.json");

    (void)state;
    assert_int_equal(flags(&r, "x"), in);
    assert_int_equal(flags(&r, "y"), out);
    assert_int_equal(flags(&r, "__mye519_dconst"), 0);
    assert_int_equal(r.g->scopes.at[0].inputs.n, 1);
    assert_int_equal(r.g->links.at[r.g->scopes.at[0].outputs.at], tensor(&r, "y"));
    end(&r);
    r = load_fixture("names-only.json");
    assert_int_equal(flags(&r, "x"), FSD_TENSOR_BINDING);
    end(&r);
}

static void binding__tensorrt_11(void **state)
{
    struct run r = load_fixture("trt11.json");

    (void)state;
    assert_int_equal(flags(&r, "x"), FSD_TENSOR_BINDING | FSD_TENSOR_INPUT);
    assert_int_equal(flags(&r, "y"), FSD_TENSOR_BINDING | FSD_TENSOR_OUTPUT);
    assert_int_equal(flags(&r, "unused"), FSD_TENSOR_BINDING | FSD_TENSOR_INPUT);
    assert_form(&r, fsd_tensor_form(r.g, tensor(&r, "x")), "fp16 chw [1,3,8,8]");
    assert_form(&r, fsd_tensor_form(r.g, tensor(&r, "y")), "fp8 hwc16 [1,16,8,8]");
    assert_form(&r, fsd_tensor_form(r.g, tensor(&r, "unused")), "int32  [2]");
    end(&r);
}

static void binding__none_and_no_model(void **state)
{
    struct run r = load_fixture("bare-list.json");

    (void)state;
    assert_int_equal(flags(&r, "x"), FSD_TENSOR_INPUT);
    assert_int_equal(flags(&r, "y"), FSD_TENSOR_OUTPUT);
    assert_int_equal(flags(&r, "h"), 0);
    assert_int_equal(flags(&r, "__mye519_dconst"), 0);
    assert_true(r.g->detailed);
    end(&r);
}

static void binding__none_but_a_model(void **state)
{
    static const char dump[] =
        "[{\"Name\":\"A\",\"LayerType\":\"T\",\"Inputs\":[\"x\",\"c\"],"
        "\"Outputs\":[\"t0\",\"t1\"]}]";
    static const char *const nodes[] = {"A", "B"}, *const constants[] = {"c", "x"};
    struct names_model m;
    struct run r;

    (void)state;
    names_model_open(&m, nodes, 2, constants, 2);
    for (fsd_id i = 0; i < m.model->tensors.n; i++) {
        const char *name = fsd_text(m.names, m.model->tensors.at[i].name);

        if (!strcmp(name, "x"))
            m.model->tensors.at[i].flags = FSD_TENSOR_INPUT;
        if (!strcmp(name, "t1"))
            m.model->tensors.at[i].flags = FSD_TENSOR_OUTPUT;
    }
    r = load_bytes(dump, sizeof dump - 1, &m);
    assert_int_equal(r.status, FSD_OK);
    assert_int_equal(flags(&r, "x"), FSD_TENSOR_INPUT);
    assert_int_equal(flags(&r, "c"), 0);
    assert_int_equal(flags(&r, "t0"), 0);
    assert_int_equal(flags(&r, "t1"), FSD_TENSOR_OUTPUT);
    names_model_close(&m);
}

/* ------------------------------------------------------ odd, but readable */

static void odd__raw_bytes(void **state)
{
    struct run r = load_fixture("raw-control.json");
    static const char zero[] = "{\"Layers\": [\"a\0b\", \"c\\u0000d\"]}";

    (void)state;
    assert_string_equal(text(&r, r.g->nodes.at[0].name), "Conv_0\\xff");
    assert_string_equal(text(&r, r.g->layers.at[0].metadata),
                        "[ONNX Layer: Conv_0]\x1f[ONNX Layer: Relu_1]");
    end(&r);
    r = load_bytes(zero, sizeof zero - 1, NULL);
    assert_int_equal(r.status, FSD_OK);
    assert_string_equal(text(&r, r.g->nodes.at[0].name), "a\\x00b");
    assert_string_equal(text(&r, r.g->nodes.at[1].name), "c\\x00d");
    end(&r);
}

static void odd__values_become_remarks(void **state)
{
    static const struct {
        const char *dump, *rule, *text;
    } cases[] = {
        {"[{\"Name\":\"A\",\"Outputs\":[{\"Name\":\"y\",\"Format/Datatype\":\"Odd\"},"
         "{\"Name\":\"z\",\"Format/Datatype\":\"Odd\"}]}]",
         "input/unknown-format", "Odd"},
        {"[{\"Name\":\"A\",\"Outputs\":[{\"Name\":\"y\",\"Dimensions\":[1,\"n\"]}]}]",
         "input/odd-dimensions", "y"},
        {"[{\"Name\":\"A\",\"Outputs\":[{\"Name\":\"y\",\"Dimensions\":7}]}]",
         "input/odd-dimensions", "y"},
        {"[{\"Name\":\"A\",\"Outputs\":[{\"Dimensions\":[7]}]}]",
         "input/unnamed-tensor", "A"},
        {"[{\"Name\":\"A\",\"Metadata\":7}]", "input/odd-value", "Metadata"},
        {"[{\"Name\":\"A\",\"Origin\":[]}]", "input/odd-value", "Origin"},
        {"[{\"Name\":\"A\",\"Inputs\":[{\"Name\":\"x\",\"Dimensions\":[1,-5]}]}]",
         "input/odd-dimensions", "x"},
        {"[{\"Name\":\"A\",\"Inputs\":[{\"Name\":\"x\",\"Dimensions\":[1,2.5]}]}]",
         "input/odd-dimensions", "x"},
        {"[{\"Name\":\"A\",\"Inputs\":[{\"Name\":\"x\",\"Dimensions\":[1,NaN]}]}]",
         "input/odd-dimensions", "x"},
        {"[{\"Name\":\"A\",\"Inputs\":[{\"Name\":\"x\",\"Dimensions\":[1e999]}]}]",
         "input/odd-dimensions", "x"},
        {"[{\"Name\":\"A\",\"Inputs\":[{\"Name\":\"x\",\"Dimensions\":[1],\"Strides\":"
         "[nan]}]}]",
         "input/odd-value", "Strides"},
        {"[{\"Name\":\"A\",\"Weights\":{\"Count\":-1}}]", "input/odd-value", "Weights"},
        {"[{\"Name\":\"A\",\"Bias\":{\"Count\":1.5}}]", "input/odd-value", "Bias"},
        {"[{\"Name\":\"A\",\"Kernel\":[3,NaN]}]", "input/odd-value", "Kernel"},
        {"[{\"Name\":\"A\",\"Groups\":1e999}]", "input/odd-value", "Groups"},
        {"[{\"Name\":\"A\",\"Groups\":-Infinity}]", "input/odd-value", "Groups"},
        {"[{\"Name\":\"A\",\"Metadata\":\"\",\"Metadata\":\"\"}]",
         "input/duplicate-key", "Metadata"},
        {"[{\"Name\":\"A\",\"Inputs\":[],\"Inputs\":[]}]", "input/duplicate-key",
         "Inputs"},
    };

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(cases); i++) {
        struct run r = load_text(cases[i].dump);

        assert_int_equal(r.status, FSD_OK);
        assert_int_equal(r.g->remarks.n, 1);
        assert_string_equal(r.g->remarks.at[0].rule, cases[i].rule);
        assert_string_equal(text(&r, r.g->remarks.at[0].text), cases[i].text);
        assert_int_equal(r.g->remarks.at[0].node, 0);
        end(&r);
    }
}

static void odd__keys_that_stand_twice_in_a_dump(void **state)
{
    static const struct {
        const char *dump, *key;
    } cases[] = {
        {"{\"Layers\":[\"A\"],\"Layers\":[]}", "Layers"},
        {"{\"Layers\":7,\"Bindings\":[\"x\"],\"Layers\":[\"A\"]}", NULL},
        {"{\"Layers\":[\"A\"],\"Bindings\":[],\"Bindings\":[\"x\"]}", "Bindings"},
        {"{\"Layers\":[\"A\"],\"I/O Tensors\":[],\"I/O Tensors\":[]}", "I/O Tensors"},
    };

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(cases); i++) {
        struct run r = load_text(cases[i].dump);

        if (cases[i].key) {
            assert_int_equal(r.status, FSD_OK);
            assert_int_equal(r.g->nodes.n, 1);
            assert_int_equal(r.g->remarks.n, 1);
            assert_string_equal(r.g->remarks.at[0].rule, "input/duplicate-key");
            assert_string_equal(text(&r, r.g->remarks.at[0].text), cases[i].key);
        } else {
            assert_int_equal(r.status, FSD_E_FORMAT);
        }
        end(&r);
    }
}

static void odd__several_devices(void **state)
{
    struct run r =
        load_text("{\"Layers\":[\"A\"],\"Engine Metadata\":{\"Multi-Device\":"
                  "\"Disabled\"}}");

    (void)state;
    assert_int_equal(r.g->remarks.n, 0);
    end(&r);
    r = load_text("{\"Layers\":[\"A\"],\"Engine Metadata\":{\"Multi-Device\":\"2\"}}");
    assert_int_equal(r.g->remarks.n, 1);
    assert_string_equal(r.g->remarks.at[0].rule, "input/multi-device");
    assert_string_equal(text(&r, r.g->remarks.at[0].text), "2");
    end(&r);
}

/* What a loop over get_layer_information() prints, and what is damaged. */
static void objects__between_other_lines(void **state)
{
#define LAYER(name) "{\"Name\": \"" name "\",\n \"LayerType\": \"kgen\"}\n"
    static const struct {
        const char *text;
        uint32_t layers;
        const char *words; /* of the failure, or the remark; NULL: neither */
    } cases[] = {
        {"--- Layer 0 ---\n" LAYER("a") "--- Layer 1 ---\n" LAYER("b{"), 2, NULL},
        {"some {text}\n--- Layer 0 ---\r\n" LAYER("a") "\r\nend\n", 1, NULL},
        {LAYER("a") LAYER("b") "\n" LAYER("c"), 3, NULL},
        {LAYER("a"), 1, NULL},
        {"--- Layer 0 ---\n" LAYER("a") "--- Layer 2 ---\n" LAYER("c"), 2,
         "layers by the file's numbering: 3; layers read: 2"},
        {"--- Layer 0 ---\n" LAYER("a") "--- Layer 1 ---\n{\"Name\": 5}\n", 1,
         "layers by the file's numbering: 2; layers read: 1"},
        {"--- Layer 0 ---\n" LAYER("a") "--- Layer 1 ---\n{\"Name\": \"b", 0,
         "layer 1: expected its closing bracket"},
        {"--- Layer 0 ---\n{\"Name\": \"a", 0, "expected the layers of an engine"},
        {"[\n" LAYER("a") ",\n{\"Name\"", 0, "found the end of the file"},
        {"{\"x\": 1}\n{\"y\": 2}\n", 0, "\"Layers\""},
    };

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(cases); i++) {
        struct run r = load_text(cases[i].text);

        if (!cases[i].layers) {
            if (r.status != FSD_E_FORMAT)
                fail_msg("%zu: status %d, %s", i, r.status, r.err.message);
            if (!strstr(r.err.message, cases[i].words))
                fail_msg("%zu: %s", i, r.err.message);
        } else {
            if (r.status != FSD_OK)
                fail_msg("%zu: %s", i, r.err.message);
            assert_int_equal(r.g->nodes.n, cases[i].layers);
            assert_int_equal(r.g->remarks.n, cases[i].words != NULL);
            if (cases[i].words)
                assert_string_equal(text(&r, r.g->remarks.at[0].text), cases[i].words);
        }
        end(&r);
    }
#undef LAYER
}

static void odd__absent_keys_are_ordinary(void **state)
{
    struct run r =
        load_text("{\"Layers\": [{\"LayerType\": \"T\"}, {}, \"a\", {\"Name\""
                  ": \"b\", \"Inputs\": null, \"Origin\": \"NEW\"}]}");

    (void)state;
    assert_int_equal(r.status, FSD_OK);
    assert_int_equal(r.g->nodes.n, 4);
    assert_int_equal(r.g->nodes.at[0].name, 0);
    assert_string_equal(text(&r, r.g->layers.at[3].origin), "NEW");
    assert_int_equal(r.g->remarks.n, 0);
    end(&r);
}

static void odd__numbers(void **state)
{
    struct run r = load_text(
        "[{\"Name\":\"A\",\"a\":1e300,\"b\":2.5,\"c\":[1,2.5],\"d\":[1,2],\"e\":true,"
        "\"f\":[[1]],\"g\":null,\"h\":9007199254740993,\"Weights\":{\"Count\":-1},"
        "\"i\":-inf,\"j\":[NaN],\"Outputs\":[{\"Name\":\"y\",\"Dimensions\":[-1,-5,0,"
        "1e18]}]}]");
    const struct fsd_node *n;

    (void)state;
    assert_int_equal(r.status, FSD_OK);
    n = &r.g->nodes.at[0];
    assert_int_equal(fsd_node_attr(r.g, n, "a")->kind, FSD_ATTR_FLOAT);
    assert_int_equal(fsd_node_attr(r.g, n, "b")->kind, FSD_ATTR_FLOAT);
    assert_int_equal(fsd_node_attr(r.g, n, "c")->kind, FSD_ATTR_FLOATS);
    assert_int_equal(fsd_node_attr(r.g, n, "d")->kind, FSD_ATTR_INTS);
    assert_int_equal(fsd_node_attr(r.g, n, "e")->i, 1);
    assert_null(fsd_node_attr(r.g, n, "f"));
    assert_null(fsd_node_attr(r.g, n, "g"));
    assert_null(fsd_node_attr(r.g, n, "i"));
    assert_null(fsd_node_attr(r.g, n, "j"));
    assert_int_equal(r.g->layers.at[0].weights, 0);
    assert_string_equal(r.g->remarks.at[0].rule, "input/odd-dimensions");
    end(&r);
}

/* ---------------------------------------------------------------- refusals */

static const struct {
    const char *bytes;
    size_t n;
    enum fsd_status status;
    const char *words; /* of the message */
} refused[] = {
#define BYTES(s) s, sizeof s - 1
    {BYTES(""), FSD_E_FORMAT, "end of the file"},
    {BYTES(" \n "), FSD_E_FORMAT, "end of the file"},
    {BYTES("{}"), FSD_E_FORMAT, "\"Layers\""},
    {BYTES("[]"), FSD_E_FORMAT, "an empty list"},
    {BYTES("[1]"), FSD_E_FORMAT, "a number"},
    {BYTES("{\"Layers\": 5}"), FSD_E_FORMAT, "found a number"},
    {BYTES("{\"a\": 5}"), FSD_E_FORMAT, "1 other key"},
    {BYTES("{\"Layers\": [5]}"), FSD_E_FORMAT, "layer 0: "},
    {BYTES("[\"a\", {\"Name\": 5}]"), FSD_E_FORMAT, "layer 1: expected a string"},
    {BYTES("[{\"Name\": \"a\", \"Inputs\": {}}]"), FSD_E_FORMAT, "found an object"},
    {BYTES("[{\"Name\": \"a\", \"Outputs\": [5]}]"), FSD_E_FORMAT,
     "tensors in Outputs"},
    {BYTES("[{\"Name\": \"a\", \"LayerType\": []}]"), FSD_E_FORMAT, "LayerType"},
    {BYTES("[\"a\"] x"), FSD_E_FORMAT, "nothing after the JSON value, found 'x'"},
    {BYTES("[\"a\"] \x01 "), FSD_E_FORMAT, "0x01"},
    {BYTES("hello, world"), FSD_E_FORMAT, "text without"},
    {BYTES("ftrt\0\0\0\1"), FSD_E_UNSUPPORTED,
     "trtexec --loadEngine=dump.json --profilingVerbosity=detailed "
     "--exportLayerInfo=dump.json.json"},
    {BYTES("ptrt\0\0\0\1"), FSD_E_UNSUPPORTED, "trtexec --loadEngine"},
    {BYTES("\2\0\0\0{}ftrt\0"), FSD_E_UNSUPPORTED, "trtexec --loadEngine"},
    {BYTES("\x08\x07\x12\x07pytorch"), FSD_E_UNSUPPORTED, "an ONNX model"},
    {BYTES("PK\3\4"), FSD_E_UNSUPPORTED, "ZIP"},
    {BYTES("\x1f\x8b\x08"), FSD_E_UNSUPPORTED, "gzip"},
    {BYTES("\x1c\0\0\0TFL3"), FSD_E_UNSUPPORTED, "TensorFlow Lite"},
    {BYTES("\xff\xfe{\0"), FSD_E_UNSUPPORTED, "iconv"},
    {BYTES("\x7f"
           "ELF\0\0"),
     FSD_E_UNSUPPORTED, "a program"},
    {BYTES("{\"model_options\": {}}"), FSD_E_UNSUPPORTED, "metadata of a build"},
    {BYTES("[{\"count\": 3}]"), FSD_E_UNSUPPORTED, "a profile"},
    {BYTES("[{\"startEnqMs\": 3, \"latencyMs\": 1}]"), FSD_E_UNSUPPORTED,
     "exportTimes"},
    {BYTES("[{\"name\": \"a\", \"ph\": \"X\"}]"), FSD_E_UNSUPPORTED, "a trace"},
    {BYTES("[03/19/2022-12:28:30] [V] [TRT] Conv_1"), FSD_E_FORMAT, "log"},
    {BYTES("[TensorRT] VERBOSE: Conv_1"), FSD_E_FORMAT, "log"},
    {BYTES("[V] Conv_1"), FSD_E_FORMAT, "log"},
    {BYTES("&&&& RUNNING TensorRT.trtexec"), FSD_E_FORMAT, "log"},
};

static void refuse__says_what_it_is(void **state)
{
    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(refused); i++) {
        struct run r = load_bytes(refused[i].bytes, refused[i].n, NULL);

        if (r.status != refused[i].status || !strstr(r.err.message, refused[i].words))
            fail_msg("%s: status %d, %s", refused[i].bytes, r.status, r.err.message);
        assert_string_equal(r.err.file, "dump.json");
        end(&r);
    }
}

static void refuse__position(void **state)
{
    struct run r = load_text("{\"Layers\": [\"a\x1f\" ? ]}");

    (void)state;
    assert_int_equal(r.status, FSD_E_FORMAT);
    assert_int_equal(r.err.unit, FSD_POS_BYTE);
    assert_int_equal(r.err.pos, 17); /* in the file, not in what was made of it */
    assert_non_null(strstr(r.err.message, "'?'"));
    end(&r);
}

static void refuse__too_deep(void **state)
{
    enum { DEPTH = 100000 };
    char *deep = test_malloc(DEPTH);
    struct run r;

    (void)state;
    memset(deep, '[', DEPTH);
    r = load_bytes(deep, DEPTH, NULL);
    assert_int_equal(r.status, FSD_E_FORMAT);
    end(&r);
    test_free(deep);
}

/* Refused before anything is allocated for them. */
static void refuse__too_many_values(void **state)
{
    enum { SIZE = 40 << 20 };
    char *bytes = test_malloc(SIZE);
    struct run r;

    (void)state;
    for (size_t i = 0; i < SIZE; i += 2)
        memcpy(bytes + i, "1,", 2);
    memcpy(bytes, "[ ", 2);
    r = load_bytes(bytes, SIZE, NULL);
    assert_int_equal(r.status, FSD_E_LIMIT);
    assert_non_null(strstr(r.err.message, "JSON values"));
    end(&r);
    test_free(bytes);
}

static void odd__a_name_too_long(void **state)
{
    enum { SIZE = (1 << 20) + 100 };
    char *bytes = test_malloc(SIZE);
    struct run r;

    (void)state;
    memset(bytes, '+', SIZE);
    memcpy(bytes, "{\"Layers\": [\"", 13);
    memcpy(bytes + SIZE - 3, "\"]}", 3);
    r = load_bytes(bytes, SIZE, NULL);
    assert_int_equal(r.status, FSD_OK);
    assert_int_equal(r.g->mentions.n, 1);
    assert_string_equal(r.g->remarks.at[0].rule, "input/long-name");
    end(&r);
    test_free(bytes);
}

/* Whatever is cut off, it is an error, and one that says where. */
static void refuse__truncated_anywhere(void **state)
{
    static const char *const files[] = {"trt8.4.json", "trt10.json", "trt11.json",
                                        "names-only.json", "raw-control.json"};

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(files); i++) {
        struct fsd_file file;
        size_t n;

        open_fixture(files[i], &file);
        n = file.size;
        while (file.bytes[n - 1] == '\n')
            n--;
        for (size_t cut = 0; cut < n; cut++) {
            char *copy = test_malloc(cut + 1); /* so that an overrun is seen */
            struct run r;

            memcpy(copy, file.bytes, cut);
            r = load_bytes(copy, cut, NULL);
            if (r.status != FSD_E_FORMAT || r.err.unit != FSD_POS_BYTE ||
                r.err.pos > cut)
                fail_msg("%s cut at %zu: status %d at %llu: %s", files[i], cut,
                         r.status, (unsigned long long)r.err.pos, r.err.message);
            end(&r);
            test_free(copy);
        }
        fsd_file_close(&file);
    }
}

/* Layers are read one by one, wherever they stand among the root's members. */
static void members__in_any_order(void **state)
{
#define LAYER                                                                          \
    "{\"Name\": \"a\", \"LayerType\": \"Relu\", \"Outputs\": [{\"Name\": \"y\"}]}"
    static const char *const same[] = {
        "{\"Layers\": [" LAYER ", \"b\"], \"Bindings\": [\"y\"]}",
        "{\"Bindings\": [\"y\"], \"Layers\": [" LAYER ", \"b\"]}",
        "\xef\xbb\xbf\r\n{\"Layers\"\t:[" LAYER
        ",\"b\"\n], \"Odd\": {\"Layers\": [1]}, "
        "\"Bindings\" : [ \"y\" ] } \n",
        "{\"Layers\": [" LAYER ", \"b\"], \"Bindings\": [\"y\"], \"Layers\": [\"c\"], "
        "\"Bindings\": []}"};
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"{\"Layers\": [" LAYER ", 3, \"b\" \"c\"]}", "expected JSON, found '\"'"},
        {"{\"Layers\": [" LAYER ", 3]}",
         "layer 1: expected an object or a name, found a number"},
        {"{\"Layers\": [" LAYER "]} {}",
         "expected nothing after the JSON value, found '{'"},
        {"{\"Layers\": [" LAYER "]}\x01",
         "expected nothing after the JSON value, found the byte 0x01"},
        {"{\"Layers\": 3, \"Layers\": [" LAYER "]}",
         "expected a list as \"Layers\", found a number"},
        {"{\"Layers\": [\xef\xbb\xbf" LAYER "]}", "expected JSON, found the byte 0xef"},
    };
#undef LAYER

    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        struct run r = load_text(same[i]);

        if (r.status != FSD_OK)
            fail_msg("%zu: %s", i, r.err.message);
        assert_int_equal(r.g->nodes.n, 2);
        assert_true(flags(&r, "y") & FSD_TENSOR_OUTPUT);
        end(&r);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct run r = load_text(wrong[i].text);

        assert_int_equal(r.status, FSD_E_FORMAT);
        assert_string_equal(r.err.message, wrong[i].message);
        end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generation__by_keys),
        cmocka_unit_test(layer__keys_of_its_own),
        cmocka_unit_test(layer__plugin_and_metadata),
        cmocka_unit_test(tensor__ports_have_their_own_form),
        cmocka_unit_test(tensor__several_producers_and_loops),
        cmocka_unit_test(binding__flags),
        cmocka_unit_test(binding__tensorrt_11),
        cmocka_unit_test(binding__none_and_no_model),
        cmocka_unit_test(binding__none_but_a_model),
        cmocka_unit_test(odd__raw_bytes),
        cmocka_unit_test(odd__values_become_remarks),
        cmocka_unit_test(odd__keys_that_stand_twice_in_a_dump),
        cmocka_unit_test(odd__several_devices),
        cmocka_unit_test(objects__between_other_lines),
        cmocka_unit_test(odd__absent_keys_are_ordinary),
        cmocka_unit_test(odd__numbers),
        cmocka_unit_test(refuse__says_what_it_is),
        cmocka_unit_test(refuse__position),
        cmocka_unit_test(refuse__too_deep),
        cmocka_unit_test(refuse__too_many_values),
        cmocka_unit_test(odd__a_name_too_long),
        cmocka_unit_test(refuse__truncated_anywhere),
        cmocka_unit_test(members__in_any_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
