/*
 * What ONNX 1.23 has that older files have not, and fields that the format describes
 * and no reader needs: written by hand, since no exporter writes most of them yet.
 */
#include "onnx_bytes.h"
#include "model/graph/graph.h"
#include "model/ops/sizes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* Numbers of fields, as in proto/onnx.proto. */
enum {
    MODEL_IR = 1,
    MODEL_DOC = 6,
    MODEL_GRAPH = 7,
    MODEL_OPSET = 8,
    MODEL_DEVICES = 26
};
enum {
    GRAPH_NODE = 1,
    GRAPH_NAME = 2,
    GRAPH_TENSOR = 5,
    GRAPH_INPUT = 11,
    GRAPH_OUTPUT = 12
};
enum {
    NODE_IN = 1,
    NODE_OUT = 2,
    NODE_NAME = 3,
    NODE_OP = 4,
    NODE_ATTR = 5,
    NODE_DOC = 6,
    NODE_PROPS = 9,
    NODE_DEVICES = 10
};
enum {
    TENSOR_DIMS = 1,
    TENSOR_TYPE = 2,
    TENSOR_INT32 = 5,
    TENSOR_NAME = 8,
    TENSOR_RAW = 9,
    TENSOR_DOC = 12
};

/* What is put into the model besides one Relu. */
struct more {
    bool unread;  /* fields that are not kept */
    bool devices; /* configurations, and a node that has a place in one */
    int64_t opset;
    const char *domain; /* of a second operator set; NULL: none */
};

static struct bytes empty(struct fsd_arena *arena)
{
    return (struct bytes){.arena = arena};
}

static struct bytes value_info(struct fsd_arena *arena, const char *name, bool unread)
{
    struct bytes info = empty(arena), type = empty(arena), tensor = empty(arena),
                 shape = empty(arena), dim = empty(arena);

    put_number(&dim, 1, 4);
    if (unread)
        put_text(&dim, 3, "DATA_BATCH");
    put_part(&shape, 1, &dim);
    put_number(&tensor, 1, 1);
    put_part(&tensor, 2, &shape);
    if (unread)
        put_text(&type, 6, "IMAGE");
    put_part(&type, 1, &tensor);
    put_text(&info, 1, name);
    put_part(&info, 2, &type);
    if (unread)
        put_text(&info, 3, "what it is");
    return info;
}

static struct bytes relu(struct fsd_arena *arena, const struct more *more)
{
    struct bytes node = empty(arena), entry = empty(arena), place = empty(arena),
                 attr = empty(arena), tensor = empty(arena);

    put_text(&node, NODE_IN, "x");
    put_text(&node, NODE_OUT, "y");
    put_text(&node, NODE_NAME, "relu");
    put_text(&node, NODE_OP, "Relu");
    put_text(&attr, 1, "list");
    if (more->unread) {
        put_text(&tensor, TENSOR_DOC, "not read");
        put_part(&attr, 10, &tensor); /* tensors */
        put_text(&attr, 13, "not read");
    }
    put_part(&node, NODE_ATTR, &attr);
    if (more->unread) {
        put_text(&node, NODE_DOC, "not read");
        put_text(&entry, 1, "key");
        put_text(&entry, 2, "value");
        put_part(&node, NODE_PROPS, &entry);
    }
    if (more->devices) {
        put_text(&place, 1, "tp2");
        put_part(&node, NODE_DEVICES, &place);
    }
    return node;
}

static struct bytes model_of(struct fsd_arena *arena, const struct more *more)
{
    struct bytes model = empty(arena), graph = empty(arena), set = empty(arena),
                 devices = empty(arena), in = value_info(arena, "x", more->unread),
                 out = value_info(arena, "y", more->unread), node = relu(arena, more);

    put_part(&graph, GRAPH_NODE, &node);
    if (more->unread)
        put_text(&graph, GRAPH_NAME, "main");
    put_part(&graph, GRAPH_INPUT, &in);
    put_part(&graph, GRAPH_OUTPUT, &out);
    put_number(&model, MODEL_IR, 14);
    if (more->unread)
        put_text(&model, MODEL_DOC, "not read");
    put_part(&model, MODEL_GRAPH, &graph);
    put_number(&set, 2, (uint64_t)more->opset);
    put_part(&model, MODEL_OPSET, &set);
    if (more->domain) {
        set = empty(arena);
        put_number(&set, 2, 1);
        put_text(&set, 1, more->domain); /* behind the version, as it may be */
        put_part(&model, MODEL_OPSET, &set);
    }
    if (more->devices) {
        put_text(&devices, 1, "tp2");
        put_number(&devices, 2, 2);
        put_text(&devices, 3, "cuda:0");
        put_part(&model, MODEL_DEVICES, &devices);
    }
    return model;
}

static struct load load_of(struct fsd_arena *arena, struct more more)
{
    struct bytes model = model_of(arena, &more);
    struct load load = load_memory(model.at, model.n);

    if (load.status != FSD_OK)
        fail_msg("%s", load.err.message);
    assert_int_equal(load.g->nodes.n, 1);
    return load;
}

static const char *remark_text(const struct load *load, const char *rule)
{
    assert_int_equal(load->g->remarks.n, 1);
    assert_string_equal(load->g->remarks.at[0].rule, rule);
    return fsd_text(load->g->names, load->g->remarks.at[0].text);
}

static void newest__what_is_not_read_changes_nothing(void **state)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct load plain = load_of(arena, (struct more){.opset = 17});
    struct load full = load_of(arena, (struct more){.opset = 17, .unread = true});

    (void)state;
    assert_memory_equal(plain.g->hash, full.g->hash, sizeof plain.g->hash);
    assert_int_equal(full.g->remarks.n, 0);
    assert_int_equal(fsd_form_count(full.g, fsd_tensor_form(full.g, 0)), 4);
    drop_load(&plain);
    drop_load(&full);
    fsd_arena_free(arena);
}

static void newest__opset(void **state)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct load known =
        load_of(arena, (struct more){.opset = 28, .domain = "ai.onnx.ml"});
    struct load newer = load_of(arena, (struct more){.opset = 29});

    (void)state;
    assert_int_equal(known.g->remarks.n, 0);
    assert_string_equal(
        remark_text(&newer, "input/newer-opset"),
        "the model uses operator set 29; the newest that fusiondiff knows is 28");
    drop_load(&known);
    drop_load(&newer);
    fsd_arena_free(arena);
}

static void newest__several_devices(void **state)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct load load = load_of(arena, (struct more){.opset = 24, .devices = true});

    (void)state;
    assert_string_equal(remark_text(&load, "input/multi-device"),
                        "the model has 1 configuration for several devices: tp2 "
                        "(devices: 2); the model assigns 1 node to these devices, but "
                        "the report describes a single device");
    drop_load(&load);
    fsd_arena_free(arena);
}

/* Numbers of six bits: in int32_data one each, in raw_data four in three bytes. */
static void newest__six_bits(void **state)
{
    static const unsigned char numbers[] = {0x01, 0x02, 0x3f, 0x20, 0x00, 0x15};
    static const unsigned char packed[] = {0x81, 0xf0, 0x83, 0x40, 0x05};
    struct fsd_arena *arena = fsd_arena_new();

    (void)state;
    for (int type = 27; type <= 28; type++)
        for (int raw = 0; raw < 2; raw++) {
            struct bytes model = empty(arena), graph = empty(arena),
                         tensor = empty(arena), set = empty(arena);
            struct bytes node = relu(arena, &(struct more){.opset = 28});
            struct bytes out = value_info(arena, "y", false);
            struct load load;
            const struct fsd_tensor *t;

            put_number(&tensor, TENSOR_DIMS, sizeof numbers);
            put_number(&tensor, TENSOR_TYPE, (uint64_t)type);
            put_text(&tensor, TENSOR_NAME, "x");
            if (raw)
                put_block(&tensor, TENSOR_RAW, packed, sizeof packed);
            else
                put_block(&tensor, TENSOR_INT32, numbers, sizeof numbers);
            put_part(&graph, GRAPH_NODE, &node);
            put_part(&graph, GRAPH_TENSOR, &tensor);
            put_part(&graph, GRAPH_OUTPUT, &out);
            put_number(&model, MODEL_IR, 14);
            put_part(&model, MODEL_GRAPH, &graph);
            put_number(&set, 2, 28);
            put_part(&model, MODEL_OPSET, &set);
            load = load_memory(model.at, model.n);
            assert_int_equal(load.status, FSD_OK);
            assert_int_equal(load.g->remarks.n, 0);
            t = &load.g->tensors
                     .at[fsd_graph_find(load.g, fsd_intern_str(load.g->names, "x"), 0)];
            assert_int_equal(load.g->forms.at[t->form].type,
                             type == 27 ? FSD_FP6E2M3 : FSD_FP6E3M2);
            assert_int_equal(load.g->values.at[t->value].size, sizeof packed);
            assert_memory_equal(load.g->values.at[t->value].bytes, packed,
                                sizeof packed);
            drop_load(&load);
        }
    fsd_arena_free(arena);
}

/* Numbers of TypeProto's fields. */
enum { TYPE_TENSOR = 1, TYPE_SEQUENCE = 4, TYPE_OPTIONAL = 9 };

/* A list of tensors with one dimension of that size: the kinds of list, the outermost
 * first. */
static struct bytes listed(struct fsd_arena *arena, const char *name, uint64_t size,
                           const unsigned *kinds, size_t n)
{
    struct bytes info = empty(arena), tensor = empty(arena), shape = empty(arena),
                 dim = empty(arena), type = empty(arena);

    put_number(&dim, 1, size);
    put_part(&shape, 1, &dim);
    put_number(&tensor, 1, 1);
    put_part(&tensor, 2, &shape);
    put_part(&type, TYPE_TENSOR, &tensor);
    while (n--) {
        struct bytes list = empty(arena), outer = empty(arena);

        put_part(&list, 1, &type);
        put_part(&outer, kinds[n], &list);
        type = outer;
    }
    put_text(&info, 1, name);
    put_part(&info, 2, &type);
    return info;
}

static void put_op(struct bytes *graph, const char *op, const char *in, const char *out)
{
    struct bytes node = empty(graph->arena);

    put_text(&node, NODE_IN, in);
    put_text(&node, NODE_OUT, out);
    put_text(&node, NODE_OP, op);
    put_part(graph, GRAPH_NODE, &node);
}

/* What the model states of a tensor: "fp32 4", "fp32 ?". */
static void assert_told(struct fsd_arena *arena, const struct fsd_graph *g,
                        const char *name, const char *want)
{
    fsd_id id = fsd_graph_find(g, fsd_intern_str(g->names, name), 0);
    const struct fsd_shape *shape = fsd_shape_of(fsd_sizes_of_model(arena, g), id);
    char got[32];

    snprintf(got, sizeof got, shape->ranked ? "%s %d" : "%s ?",
             fsd_dtype_name(fsd_tensor_form(g, id)->type), (int)shape->dims[0]);
    assert_string_equal(got, want);
}

/* What an input of the network that is a sequence or an optional holds. */
static void newest__lists_of_the_network(void **state)
{
    static const unsigned both[] = {TYPE_OPTIONAL, TYPE_SEQUENCE};
    struct fsd_arena *arena = fsd_arena_new();
    struct bytes model = empty(arena), graph = empty(arena), set = empty(arena),
                 in = listed(arena, "o", 4, both, 1);
    struct load load;

    (void)state;
    put_part(&graph, GRAPH_INPUT, &in);
    in = listed(arena, "s", 5, both + 1, 1);
    put_part(&graph, GRAPH_INPUT, &in);
    in = listed(arena, "os", 6, both, 2);
    put_part(&graph, GRAPH_INPUT, &in);
    in = listed(arena, "t", 7, both, 0);
    put_part(&graph, GRAPH_INPUT, &in);
    put_op(&graph, "OptionalGetElement", "o", "of_optional");
    put_op(&graph, "SequenceAt", "s", "of_sequence");
    put_op(&graph, "Identity", "s", "same");
    put_op(&graph, "SequenceAt", "same", "of_same");
    put_op(&graph, "OptionalGetElement", "os", "sequence");
    put_op(&graph, "OptionalGetElement", "t", "tensor");
    put_number(&model, MODEL_IR, 14);
    put_part(&model, MODEL_GRAPH, &graph);
    put_number(&set, 2, 28);
    put_part(&model, MODEL_OPSET, &set);
    load = load_memory(model.at, model.n);
    assert_int_equal(load.status, FSD_OK);
    assert_told(arena, load.g, "of_optional", "fp32 4");
    assert_told(arena, load.g, "of_sequence", "fp32 5");
    assert_told(arena, load.g, "of_same", "fp32 5");
    assert_told(arena, load.g, "sequence", "unknown ?");
    assert_told(arena, load.g, "tensor", "fp32 7");
    drop_load(&load);
    fsd_arena_free(arena);
}

/* Any bytes may be asked which operator sets they name. */
static void newest__imports(void **state)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct bytes model =
        model_of(arena, &(struct more){.opset = 17, .domain = "com.microsoft.nchwc"});
    struct fsd_file file = file_of(&model);

    (void)state;
    assert_true(fsd_onnx_imports(&file, "com.microsoft.nchwc"));
    assert_false(fsd_onnx_imports(&file, "com.microsoft"));
    for (size_t n = 0; n < model.n; n++) {
        unsigned char *copy = malloc(n + !n);

        assert_non_null(copy);
        if (n)
            memcpy(copy, model.at, n);
        file = (struct fsd_file){.name = "cut", .bytes = copy, .size = n};
        assert_false(fsd_onnx_imports(&file, "com.microsoft.nchwc"));
        free(copy);
    }
    fsd_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newest__what_is_not_read_changes_nothing),
        cmocka_unit_test(newest__opset),
        cmocka_unit_test(newest__several_devices),
        cmocka_unit_test(newest__six_bits),
        cmocka_unit_test(newest__lists_of_the_network),
        cmocka_unit_test(newest__imports),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
