/* Engines in logs: the fixtures of fixtures/log/, whose README says what they hold. */
#include "model/ops/ids.h"
#include "read/engine/reader.h"
#include "read/log/log.h"
#include "model/graph/graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct run {
    struct fsd_arena *arena;
    struct fsd_graph *g;
    struct fsd_error err;
    enum fsd_status status;
};

static struct run load_bytes(const void *bytes, size_t n, unsigned number)
{
    struct run r = {.arena = fsd_arena_new()};
    struct fsd_file file = {.name = "build.log", .bytes = bytes, .size = n};

    r.g = fsd_graph_new(r.arena, fsd_op_names_new(r.arena));
    r.status = fsd_engine_load(
        r.g, &(struct fsd_source){.file = &file, .number = number}, &r.err);
    return r;
}

static struct run load_text(const char *text, unsigned number)
{
    return load_bytes(text, strlen(text), number);
}

static struct run load_fixture(const char *name, unsigned number)
{
    static char path[512];
    struct fsd_error err;
    struct fsd_file file;
    struct run r;

    snprintf(path, sizeof path, "%s/log/%s", FSD_FIXTURES, name);
    if (fsd_file_open(&file, path, 1 << 20, &err) != FSD_OK)
        fail_msg("%s: %s", path, err.message);
    r = load_bytes(file.bytes, file.size, number);
    fsd_file_close(&file);
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

/* "x:fp16[?,64,8]/8": name, type, dimensions, padding of the last padded axis. */
static const char *port_text(const struct run *r, const struct fsd_port *port)
{
    static char out[256];
    const struct fsd_form *form = fsd_port_form(r->g, port);
    size_t n;

    n = (size_t)snprintf(out, sizeof out, "%s:%s[",
                         text(r, r->g->tensors.at[port->tensor].name),
                         fsd_dtype_name(form->type));
    for (uint32_t i = 0; i < form->dims.n; i++) {
        const struct fsd_dim *dim = &r->g->dims.at[form->dims.at + i];
        const char *name = dim->name ? text(r, dim->name) : "?";

        n += (size_t)(dim->size >= 0 ? snprintf(out + n, sizeof out - n, "%s%d",
                                                i ? "," : "", (int)dim->size)
                                     : snprintf(out + n, sizeof out - n, "%s%s",
                                                i ? "," : "", name));
    }
    n += (size_t)snprintf(out + n, sizeof out - n, "]");
    if (form->layout.pad)
        snprintf(out + n, sizeof out - n, "/%u", form->layout.pad);
    return out;
}

static void assert_in(const struct run *r, fsd_id layer, uint32_t i,
                      const char *expected)
{
    const struct fsd_node *node = &r->g->nodes.at[layer];

    assert_true(i < node->in.n);
    assert_string_equal(port_text(r, fsd_node_in(r->g, node, i)), expected);
}

static void assert_out(const struct run *r, fsd_id layer, uint32_t i,
                       const char *expected)
{
    const struct fsd_node *node = &r->g->nodes.at[layer];

    assert_true(i < node->out.n);
    assert_string_equal(port_text(r, fsd_node_out(r->g, node, i)), expected);
}

static void assert_layer(const struct run *r, fsd_id layer, const char *type,
                         const char *name, uint32_t ins, uint32_t outs)
{
    const struct fsd_node *node = &r->g->nodes.at[layer];

    assert_true(layer < r->g->nodes.n);
    assert_string_equal(text(r, node->op), type);
    assert_string_equal(text(r, node->name), name);
    assert_int_equal(node->in.n, ins);
    assert_int_equal(node->out.n, outs);
}

static uint32_t remarks(const struct run *r, const char *rule)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < r->g->remarks.n; i++)
        n += !strcmp(r->g->remarks.at[i].rule, rule);
    return n;
}

/* ----------------------------------------------------------------- blocks */

static void old_syntax(void **state)
{
    struct run r = load_fixture("old-syntax.log", 0);

    (void)state;
    assert_int_equal(r.status, FSD_OK);
    assert_string_equal(r.g->kind, "trt-log");
    assert_string_equal(text(&r, r.g->producer), "TensorRT 8.0.3");
    assert_int_equal(r.g->nodes.n, 5);
    assert_int_equal(r.g->remarks.n, 0);
    assert_layer(&r, 0, "Scale", "quant_0_quantize_scale_node", 1, 1);
    assert_in(&r, 0, 0, "x:0:fp32[?,3,8,?]");
    assert_layer(&r, 1, "CaskConvolution",
                 "w.0 + quant_1_quantize_scale_node + Conv_2 + Relu_3", 1, 1);
    assert_string_equal(text(&r, r.g->layers.at[1].tactic_value),
                        "-7185527339793611699");
    assert_layer(&r, 2, "PointWise", "PWN(PWN(Sigmoid_4), Mul_5)", 1, 1);
    assert_out(&r, 2, 0, "PWN(PWN(Sigmoid_4), Mul_5)_out:fp32[?,64,8,?]/4");
    assert_layer(&r, 3, "Reduce", "mean -> last", 1, 1);
    assert_out(&r, 3, 0, "s:fp32[]");
    assert_layer(&r, 4, "TopK", "y + z", 2, 2);
    assert_in(&r, 4, 1, "c:int8[?,64,8,?]");
    assert_out(&r, 4, 1, "z:int32[?,1]");
    end(&r);
}

static void new_syntax(void **state)
{
    struct run r = load_fixture("new-syntax.log", 0);

    (void)state;
    assert_int_equal(r.status, FSD_OK);
    assert_string_equal(text(&r, r.g->producer), "TensorRT 8.5 or later");
    assert_int_equal(r.g->nodes.n, 5);
    assert_layer(&r, 1, "CaskConvolution", "Conv_0 || Conv_1", 1, 1);
    assert_in(&r, 1, 0,
              "Reformatted Input Tensor 0 to Conv_0 || Conv_1:fp16[?,3,8,8]/4");
    assert_out(&r, 1, 0, "Conv_0 || Conv_1:fp16[?,64,8,8]/8");
    assert_layer(&r, 2, "Constant", "one", 0, 1);
    assert_layer(&r, 3, "Myelin", "{ForeignNode[a...b + (Unnamed Layer* 3) [Shuffle]]}",
                 2, 2);
    assert_out(&r, 3, 0, "y:fp8[?,10]");
    assert_out(&r, 3, 1, "(Unnamed Layer* 3) [Shuffle]_output:int64[?,batch]");
    assert_int_equal(remarks(&r, "input/odd-lines"), 1);
    end(&r);
}

static void cut_in_tensor(void **state)
{
    struct run r = load_fixture("cut.log", 0);

    (void)state;
    assert_int_equal(r.status, FSD_OK);
    assert_int_equal(r.g->nodes.n, 5);
    assert_layer(&r, 4, "CaskPooling", "pool", 1, 0);
    assert_int_equal(remarks(&r, "input/cut-line"), 1);
    end(&r);
}

/* Cut behind each byte: either an engine is there, or the message says what is not. */
static void cut_anywhere(void **state)
{
    static const char *const files[] = {"new-syntax.log", "old-syntax.log",
                                        "inspector.log"};
    char path[512];

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(files); i++) {
        struct fsd_error err;
        struct fsd_file file;

        snprintf(path, sizeof path, "%s/log/%s", FSD_FIXTURES, files[i]);
        assert_int_equal(fsd_file_open(&file, path, 1 << 20, &err), FSD_OK);
        for (size_t n = 1; n < file.size; n++) {
            struct run r = load_bytes(file.bytes, n, 0);

            if (r.status == FSD_OK)
                assert_true(r.g->nodes.n > 0 && r.g->nodes.n <= 5);
            else
                assert_true(r.status == FSD_E_FORMAT && r.err.message[0]);
            end(&r);
        }
        fsd_file_close(&file);
    }
}

static void garbage_between_lines(void **state)
{
    static const char log[] =
        "Layer(NoOp): a, Tactic: 0x00, x (Half[1]) -> t (Half[1])\n"
        "\x01\x02\x00\xff\n"
        "Layer(NoOp): no tactic here\n"
        "Layer(NoOp): b, Tactic: 7, t (Half[1]) -> y (Half[1])\r\n";
    struct run r = load_bytes(log, sizeof log - 1, 0);

    (void)state;
    assert_int_equal(r.status, FSD_OK);
    assert_int_equal(r.g->nodes.n, 2);
    assert_layer(&r, 1, "NoOp", "b", 1, 1);
    assert_int_equal(remarks(&r, "input/odd-lines"), 1);
    assert_non_null(
        strstr(text(&r, r.g->remarks.at[r.g->remarks.n - 1].text), "2 of the lines"));
    end(&r);
}

/* A name of ten million bytes, with every separator in it. */
static void long_line(void **state)
{
    enum { LEN = 10000000 };
    static const char head[] = "Layer(NoOp): ",
                      mid[] = ", Tactic: 0x01, x (Half[2]) -> ";
    static const char unit[] = ", -> [( + || {a...b} [Float(1, ";
    char *log = malloc(2 * LEN + 200), *at = log;
    struct run r;

    (void)state;
    assert_non_null(log);
    memcpy(at, head, sizeof head - 1);
    at += sizeof head - 1;
    for (size_t i = 0; i < LEN; i++)
        *at++ = unit[i % (sizeof unit - 1)];
    memcpy(at, mid, sizeof mid - 1);
    at += sizeof mid - 1;
    for (size_t i = 0; i < LEN; i++)
        *at++ = unit[i % (sizeof unit - 1)];
    memcpy(at, " (Half[2])", 10);
    at += 10;
    r = load_bytes(log, (size_t)(at - log), 0);
    assert_int_equal(r.status, FSD_OK);
    assert_int_equal(r.g->nodes.n, 1);
    assert_int_equal(r.g->nodes.at[0].out.n, 1);
    assert_int_equal(fsd_text_len(r.g->names, r.g->nodes.at[0].name), LEN);
    end(&r);
    free(log);
}

/* ---------------------------------------------------------------- which engine */

static void several_engines(void **state)
{
    struct run r = load_fixture("two-engines.log", 0);

    (void)state;
    assert_int_equal(r.status, FSD_E_ARG);
    assert_non_null(strstr(r.err.message, "1 (line 3, 1 layer);"));
    assert_non_null(strstr(r.err.message, "2 (line 6, 2 layers)"));
    end(&r);
    r = load_fixture("two-engines.log", 2);
    assert_int_equal(r.status, FSD_OK);
    assert_int_equal(r.g->nodes.n, 2);
    end(&r);
    r = load_fixture("two-engines.log", 3);
    assert_int_equal(r.status, FSD_E_ARG);
    end(&r);
}

static void no_engine(void **state)
{
    struct run r = load_text("[V] [TRT] Parsing node: a [Relu]\n[V] nothing else\n", 0);

    (void)state;
    assert_int_equal(r.status, FSD_E_FORMAT);
    assert_non_null(strstr(r.err.message, "neither in 2 lines"));
    end(&r);
    r = load_text("[V] Engine Layer Information:\n", 0);
    assert_int_equal(r.status, FSD_E_FORMAT);
    end(&r);
}

/* The builder's block and the inspector's text of one engine are one engine; the text
 * says more. */
static void block_and_text(void **state)
{
    static const char log[] =
        "[V] Engine Layer Information:\n"
        "Layer(Conv): c, Tactic: 0x1, x (Half[1,8]) -> t (Half[1,8])\n"
        "Layer(Myelin): {ForeignNode[a...b]}, Tactic: 0x0, t (Half[1,8]) -> y "
        "(Half[1])\n"
        "[I] Loaded engine size: 1 MiB\n"
        "[I] Layers:\n"
        "Name: c, LayerType: Conv, Inputs: [ { Name: x, Dimensions: [1,8], "
        "Format/Datatype: Half }], Outputs: [ { Name: t, Dimensions: [1,8], "
        "Format/Datatype: Half }], TacticName: k, Metadata: [ONNX Layer: c]\n"
        "Name: a_myl0_0, LayerType: kgen, Inputs: [ { Name: t, Dimensions: [1,8], "
        "Format/Datatype: Half }], Outputs: [ { Name: y, Dimensions: [1], "
        "Format/Datatype: Half }], TacticName: k, Metadata: \n"
        "\nBindings:\nx\ny\n\n";
    static const char other[] =
        "[V] Original: 3 layers\n"
        "Layer(Conv): d, Tactic: 0x1, x (Half[1,8]) -> y (Half[1,8])\n";
    char both[2048];
    struct run r = load_text(log, 0);

    (void)state;
    assert_int_equal(r.status, FSD_OK);
    assert_string_equal(r.g->kind, "trt-text");
    assert_layer(&r, 1, "kgen", "a_myl0_0", 1, 1);
    assert_int_equal(r.g->scopes.at[0].inputs.n, 1);
    assert_int_equal(r.g->scopes.at[0].outputs.n, 1);
    end(&r);
    snprintf(both, sizeof both, "%s%s", log, other);
    r = load_text(both, 2);
    assert_int_equal(r.status, FSD_OK);
    assert_layer(&r, 0, "Conv", "d", 1, 1);
    end(&r);
}

/* ----------------------------------------------------------- the inspector's text */

static void inspector(void **state)
{
    struct run r = load_fixture("inspector.log", 0);
    const struct fsd_attr *attr;

    (void)state;
    assert_int_equal(r.status, FSD_OK);
    assert_string_equal(r.g->kind, "trt-text");
    assert_int_equal(r.g->nodes.n, 4);
    assert_int_equal(r.g->remarks.n, 0);
    assert_layer(
        &r, 0, "Reformat",
        "Reformatting CopyNode for Input Tensor 0 to Conv_0 + PWN(Clip_1, Relu_2)", 1,
        1);
    assert_string_equal(text(&r, r.g->layers.at[0].origin), "REFORMAT");
    assert_true(r.g->layers.at[0].forwards);
    assert_out(&r, 1, 0, "t, u }:unknown[?,16,8,8]");
    assert_string_equal(text(&r, r.g->layers.at[1].tactic), "sm80_a, b");
    assert_int_equal(r.g->layers.at[1].weights, 1200);
    assert_string_equal(text(&r, r.g->layers.at[1].metadata),
                        "[ONNX Layer: Conv_0]\x1e[ONNX Layer: Clip_1], Metadata: x");
    attr = fsd_node_attr(r.g, &r.g->nodes.at[1], "Kernel");
    assert_non_null(attr);
    assert_int_equal(attr->kind, FSD_ATTR_INTS);
    assert_int_equal(attr->list.n, 2);
    attr = fsd_node_attr(r.g, &r.g->nodes.at[1], "Operations");
    assert_non_null(attr);
    assert_int_equal(attr->list.n, 2);
    assert_layer(&r, 2, "shape_call", "__mye222_0_myl6_0", 0, 0);
    assert_in(&r, 3, 1, "one:int32[]");
    assert_int_equal(r.g->scopes.at[0].inputs.n, 1);
    assert_int_equal(r.g->scopes.at[0].outputs.n, 1);
    end(&r);
}

/* Today's tensors: strides decide, words are a gloss; constants stand apart. */
static void strides(void **state)
{
    static const char line[] =
        "Name: a_myl0_0, LayerType: gemm, Inputs: [ { Name: x }, y, Location: Device, "
        "Dimensions: [8,4,16], Strides: [64,1,4], StrideOrder: [2,0,1], Datatype: "
        "Half, Format: (Arbitrary) Format with stride order = [2,0,1] }], Constants: [ "
        "{ Name: w, Dimensions: [], Datatype: FP8UE8M0, Format: (Linear) Row major "
        "linear format }], Outputs: [ { Name: z, Dimensions: [-1,4], Strides: [-1,1], "
        "StrideOrder: [1,0], Datatype: BFloat16, Format: Format not available due to "
        "dynamic shapes }], TacticName: , StreamId: 3, EventId: 1, Metadata: [ONNX "
        "Layer: a]\n";
    struct run r = load_text(line, 0);
    const struct fsd_layer *layer;
    const struct fsd_form *form;

    (void)state;
    assert_int_equal(r.status, FSD_OK);
    assert_int_equal(r.g->remarks.n, 0);
    assert_layer(&r, 0, "gemm", "a_myl0_0", 1, 1);
    assert_in(&r, 0, 0, "x }, y:fp16[8,4,16]");
    assert_out(&r, 0, 0, "z:bf16[?,4]");
    form = fsd_port_form(r.g, fsd_node_in(r.g, &r.g->nodes.at[0], 0));
    assert_int_equal(form->layout.order, FSD_ORDER_CHANNELS_LAST);
    assert_int_equal(form->strides.n, 3);
    assert_int_equal(r.g->ints.at[form->strides.at], 64);
    layer = &r.g->layers.at[0];
    assert_true(layer->lists_constants);
    assert_int_equal(layer->constants.n, 1);
    assert_int_equal(fsd_port_form(r.g, &r.g->ports.at[layer->constants.at])->type,
                     FSD_FP8E8M0);
    assert_non_null(fsd_node_attr(r.g, &r.g->nodes.at[0], "StreamId"));
    assert_string_equal(text(&r, layer->tactic), "");
    end(&r);
}

/* A list that is too long to be parsed stays text, and none of it is lost. */
static void long_lists(void **state)
{
    static const char head[] = "Name: c, LayerType: X, Inputs: [], Outputs: [], Big: [";
    enum { LIST = 1 << 16, ROOM = 2 * LIST + 200 };
    char *line = calloc(1, ROOM);

    (void)state;
    for (uint32_t n = LIST; n <= LIST + 1; n++) {
        const struct fsd_attr *attr;
        size_t at = sizeof head - 1;
        struct run r;

        memcpy(line, head, at);
        for (uint32_t i = 0; i < n; i++, at += 2)
            memcpy(line + at, "1,", 2);
        strcpy(line + at - 1, "], TacticName: t\n");
        r = load_text(line, 0);
        assert_int_equal(r.status, FSD_OK);
        attr = fsd_node_attr(r.g, &r.g->nodes.at[0], "Big");
        assert_non_null(attr);
        assert_int_equal(attr->kind, n == LIST ? FSD_ATTR_INTS : FSD_ATTR_STRING);
        if (n == LIST)
            assert_int_equal(attr->list.n, n);
        else
            assert_int_equal(strlen(text(&r, attr->s)), 2 * n + 1);
        end(&r);
    }
    free(line);
}

static void inspector_names(void **state)
{
    struct run r = load_fixture("inspector-names.txt", 0);

    (void)state;
    assert_int_equal(r.status, FSD_OK);
    assert_string_equal(r.g->kind, "trt-names");
    assert_false(r.g->detailed);
    assert_layer(&r, 0, "", "Conv_0 + PWN(Clip_1, Relu_2)", 0, 0);
    assert_layer(&r, 1, "", "gemm", 0, 0);
    end(&r);
}

/* --------------------------------------------------------------- layer times */

static void read_profiles(const char *log, struct fsd_arena *arena,
                          struct fsd_intern *names, fsd_profile_vec *out)
{
    struct fsd_file file = {
        .name = "log", .bytes = (const unsigned char *)log, .size = strlen(log)};
    struct fsd_error err;

    assert_int_equal(fsd_reader_trt.read_profile(arena, names, &file, out, &err),
                     FSD_OK);
}

/* The same times, with the name in the first and in the last column. */
static void profile_tables(void **state)
{
    static const char *const files[] = {"profile-first.log", "profile-last.log"};

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(files); i++) {
        struct fsd_arena *arena = fsd_arena_new();
        struct fsd_intern *names = fsd_op_names_new(arena);
        fsd_profile_vec out = {0};
        struct fsd_file file;
        struct fsd_error err;
        char path[512];
        const struct fsd_profile *p;

        snprintf(path, sizeof path, "%s/log/%s", FSD_FIXTURES, files[i]);
        assert_int_equal(fsd_file_open(&file, path, 1 << 20, &err), FSD_OK);
        assert_int_equal(fsd_reader_trt.read_profile(arena, names, &file, &out, &err),
                         FSD_OK);
        assert_int_equal(out.n, 1);
        p = &out.at[0];
        assert_int_equal(p->runs, 782);
        assert_int_equal(p->entries.n, 2);
        assert_string_equal(fsd_text(names, p->entries.at[0].name), "Conv_0 || Conv_1");
        assert_string_equal(fsd_text(names, p->entries.at[1].name), "100 classes");
        for (uint32_t k = 0; k < p->entries.n; k++)
            assert_int_equal(p->entries.at[k].unescaped, p->entries.at[k].name);
        assert_true(p->entries.at[1].total_ms == 20.38);
        assert_true(p->entries.at[1].mean_ms == 0.0261);
        fsd_file_close(&file);
        fsd_arena_free(arena);
    }
}

static void odd_tables(void **state)
{
    static const char log[] = "[I] === Profile (x) ===\n"
                              "[I]   Layer   Time (ms)   Avg. Time (ms)   Time %\n"
                              "[I]   Total        1.00             0.50     50.0\n"
                              "[I]       b         nan             -nan      nan\n"
                              "[I]   Total        1.00             0.50    100.0\n"
                              "[I] \n"
                              "[I]       c        1.00             0.50     50.0\n"
                              "[I]   Layer   Time (ms)   Avg. Time (ms)   Time %\n"
                              "[I] nothing\n"
                              "[I]   Layer   Time (ms)   Avg. Time (ms)   Time %\n"
                              "[I]       d        4.00             2.00     50.0\n"
                              "[I]       e        4.";
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_op_names_new(arena);
    fsd_profile_vec out = {0};

    (void)state;
    read_profiles(log, arena, names, &out);
    assert_int_equal(out.n, 2);
    assert_int_equal(out.at[0].runs, 0);
    assert_int_equal(out.at[0].entries.n, 2);
    assert_string_equal(fsd_text(names, out.at[0].entries.at[0].name), "Total");
    assert_true(out.at[0].entries.at[1].odd);
    assert_int_equal(out.at[1].entries.n, 1);
    assert_int_equal(out.at[1].number, 2);
    fsd_arena_free(arena);
}

/* ------------------------------------------------------------------- one line */

static void tactics(void **state)
{
    static const struct {
        const char *line, *name, *tactic; /* NULL: no such line */
    } cases[] = {
        {"Layer(A): n, Tactic: -3, ", "n", "-3"},
        {"Layer(A): n, Tactic: 5, m, Tactic: 0x0f, x", "n, Tactic: 5, m", "0x0f"},
        {"Layer(A): n, Tactic: 5", "n", "5"},
        {"Layer(A): , Tactic: 5, ", "", "5"},
        {"Layer(A): n, Tactic: none, x", NULL, NULL},
        {"Layer(A) n, Tactic: 5, x", NULL, NULL},
        {"Layer(A): n", NULL, NULL},
        {"Layer(", NULL, NULL},
        {"Layer: {a} Host Persistent: 80 bytes", NULL, NULL},
    };

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(cases); i++) {
        struct fsd_log_layer layer;
        bool is = fsd_log_layer_split(fsd_slice_of(cases[i].line), &layer);

        assert_int_equal(is, cases[i].name != NULL);
        if (!is)
            continue;
        assert_int_equal(layer.name.n, strlen(cases[i].name));
        assert_memory_equal(layer.name.s, cases[i].name, layer.name.n);
        assert_int_equal(layer.tactic.n, strlen(cases[i].tactic));
        assert_memory_equal(layer.tactic.s, cases[i].tactic, layer.tactic.n);
    }
}

static void tensors(void **state)
{
    static const struct {
        const char *text;
        uint32_t in, out;
        enum fsd_log_step last;
    } cases[] = {
        {"x (Half[1,3:4]) -> y (Half[])", 1, 1, FSD_LOG_END},
        {" -> y (Half[1])", 0, 1, FSD_LOG_END},
        {"x (Half[1]) -> ", 1, 0, FSD_LOG_END},
        {"x (Half[1]) ->", 1, 0, FSD_LOG_END},
        {"a, b -> c (d) (Half[1]), e[Float(2)] (Half[1]) -> y (Half[1])", 2, 1,
         FSD_LOG_END},
        {"x[Float(1)], y[Int8(-2,3)] -> z[Bool(1)]", 2, 1, FSD_LOG_END},
        {"x (Half[1,", 0, 0, FSD_LOG_BROKEN},
        {"x (Half[1]) -> y", 1, 0, FSD_LOG_BROKEN},
        {"x (Half[,])", 0, 0, FSD_LOG_BROKEN},
        {"x ([1])", 0, 0, FSD_LOG_BROKEN},
        {"", 0, 0, FSD_LOG_END},
    };

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(cases); i++) {
        struct fsd_slice rest = {cases[i].text, strlen(cases[i].text)};
        struct fsd_log_tensor tensor = {.output = false};
        uint32_t in = 0, out = 0;
        enum fsd_log_step step;

        while ((step = fsd_log_tensor_next(&rest, &tensor)) == FSD_LOG_TENSOR)
            *(tensor.output ? &out : &in) += 1;
        if (in != cases[i].in || out != cases[i].out || step != cases[i].last)
            fail_msg("%s: %u in, %u out, step %d", cases[i].text, in, out, step);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_syntax),      cmocka_unit_test(new_syntax),
        cmocka_unit_test(cut_in_tensor),   cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(several_engines), cmocka_unit_test(no_engine),
        cmocka_unit_test(block_and_text),  cmocka_unit_test(inspector),
        cmocka_unit_test(strides),         cmocka_unit_test(long_lists),
        cmocka_unit_test(inspector_names), cmocka_unit_test(garbage_between_lines),
        cmocka_unit_test(long_line),       cmocka_unit_test(tactics),
        cmocka_unit_test(tensors),         cmocka_unit_test(profile_tables),
        cmocka_unit_test(odd_tables),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
