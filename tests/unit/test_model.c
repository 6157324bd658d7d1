/* Types, layouts, graphs, the operator table and the vocabulary. */
#include "build_graph.h"
#include "model/ops/ids.h"
#include "model/graph/graph.h"
#include "model/graph/vocab.h"
#include "model/ops/rule.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void dtype__names_are_distinct(void **state)
{
    (void)state;
    for (int i = 0; i < FSD__DTYPE_COUNT; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(fsd_dtype_name((enum fsd_dtype)i),
                                    fsd_dtype_name((enum fsd_dtype)k));
    assert_int_equal(fsd_dtype_bits(FSD_FP4), 4);
    assert_true(fsd_dtype_rank(FSD_FP32) > fsd_dtype_rank(FSD_FP16));
    assert_true(fsd_dtype_rank(FSD_FP16) > fsd_dtype_rank(FSD_INT8));
    assert_true(fsd_dtype_rank(FSD_FP8) > fsd_dtype_rank(FSD_INT4));
    assert_false(fsd_dtype_is_quantized(FSD_BOOL));
    assert_false(fsd_dtype_is_quantized(FSD_INT32));
    assert_true(fsd_dtype_is_quantized(FSD_FP8) && fsd_dtype_is_quantized(FSD_UINT4));
}

static void dtype__reads_numbers(void **state)
{
    static const struct {
        enum fsd_dtype type;
        uint64_t bits;
        double number;
    } cases[] = {
        {FSD_FP64, UINT64_C(0xbff8000000000000), -1.5},
        {FSD_FP32, 0x3f800001, 1.00000011920928955},
        {FSD_FP32, 0x00000001, 1.40129846432481707e-45},
        {FSD_FP32, 0xff800000, -INFINITY},
        {FSD_FP16, 0x3c00, 1},
        {FSD_FP16, 0x8001, -5.9604644775390625e-08},
        {FSD_FP16, 0x7bff, 65504},
        {FSD_BF16, 0x4049, 3.140625},
        {FSD_FP8, 0x7e, 448},
        {FSD_FP8, 0xf8, -256},
        {FSD_FP8, 0x01, 0.001953125},
        {FSD_FP8E5M2, 0x7b, 57344},
        {FSD_FP8E8M0, 127, 1},
        {FSD_FP8E8M0, 0, 5.87747175411143754e-39},
        {FSD_INT8, 0x80, -128},
        {FSD_INT64, UINT64_MAX, -1},
        {FSD_UINT8, 0x80, 128},
    };
    double number;

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(cases); i++) {
        assert_true(fsd_dtype_number(cases[i].type, cases[i].bits, &number));
        assert_memory_equal(&number, &cases[i].number, sizeof number);
    }
    assert_true(fsd_dtype_number(FSD_FP8, 0xff, &number) && isnan(number));
    assert_true(fsd_dtype_number(FSD_BF16, 0x7fc0, &number) && isnan(number));
    assert_false(fsd_dtype_number(FSD_FP4, 1, &number));
    assert_false(fsd_dtype_number(FSD_STRING, 1, &number));
}

static void layout__has_the_name_of_tensorrt(void **state)
{
    static const struct {
        struct fsd_layout layout;
        const char *name;
    } cases[] = {
        {{.order = FSD_ORDER_LINEAR}, "chw"},
        {{.order = FSD_ORDER_VECTORIZED, .width = 32}, "chw32"},
        {{.order = FSD_ORDER_CHANNELS_LAST}, "hwc"},
        {{.order = FSD_ORDER_CHANNELS_LAST, .pad = 8}, "hwc8"},
        {{.order = FSD_ORDER_VECTORIZED, .width = 32, .spatial = 3}, "cdhw32"},
        {{.order = FSD_ORDER_CHANNELS_LAST, .pad = 8, .spatial = 3}, "dhwc8"},
        {{.order = FSD_ORDER_PERMUTED, .rank = 3, .axes = {0, 2, 1}}, "axes021"},
        {{.order = FSD_ORDER_UNKNOWN}, ""}};
    char out[16];
    (void)state;

    for (size_t i = 0; i < FSD_COUNT_OF(cases); i++)
        assert_string_equal(fsd_layout_name(cases[i].layout, out), cases[i].name);
    assert_false(fsd_layout_same(cases[1].layout, cases[0].layout));
    assert_false(fsd_layout_same(cases[2].layout, cases[3].layout));
}

static void ops__table_is_sorted(void **state)
{
    uint32_t n;
    const struct fsd_op *ops = fsd_ops(&n);
    (void)state;

    for (uint32_t i = 1; i < n; i++) {
        int order = strcmp(ops[i - 1].name, ops[i].name);

        assert_true(order <= 0);
        if (!order) /* one name, other domains */
            assert_false((ops[i - 1].domains ? ops[i - 1].domains : FSD_DOMAIN_ONNX) &
                         (ops[i].domains ? ops[i].domains : FSD_DOMAIN_ONNX));
    }
}

static void ops__know_their_domain(void **state)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_op_names_new(arena);
    struct fsd_graph *g =
        build_model(arena, names,
                    "in x\nout y\nReshape a: x s -> b\n"
                    "Reshape c: b s -> d\nQuantizeLinear q: d s -> y\n");
    (void)state;

    g->nodes.at[1].domain = fsd_intern_str(names, "my.ops");
    g->nodes.at[2].domain = fsd_intern_str(names, "com.microsoft");
    assert_true(fsd_op_traits(g, 0) & FSD_OP_VIEW);
    assert_int_equal(fsd_op_traits(g, 1), 0);
    assert_true(fsd_op_traits(g, 2) & FSD_OP_QUANTIZE);
    assert_int_equal(fsd_op_shape_inputs(g, 0), 1 << 1);
    fsd_arena_free(arena);
}

static void graph__knows_producers_and_consumers(void **state)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_op_names_new(arena);
    struct fsd_graph *g =
        build_model(arena, names,
                    "in x fp32 2,3\nout y\n"
                    "Add a: x x -> b\nRelu r: b -> y\nExp e: b - -> c\n");
    fsd_id x = fsd_graph_find(g, fsd_intern_str(names, "x"), 0);
    fsd_id b = fsd_graph_find(g, fsd_intern_str(names, "b"), 0);
    (void)state;

    assert_int_equal(fsd_tensor_producer(g, b), 0);
    assert_int_equal(fsd_tensor_producer(g, x), FSD_NONE);
    assert_int_equal(g->tensors.at[x].consumers.n, 2);
    assert_int_equal(g->tensors.at[b].consumers.n, 2);
    assert_int_equal(fsd_form_count(g, fsd_tensor_form(g, x)), 6);
    assert_int_equal(fsd_form_count(g, fsd_tensor_form(g, b)), -1);
    assert_int_equal(fsd_node_in_tensor(g, 2, 1), FSD_NONE);
    assert_int_equal(fsd_node_in_tensor(g, 2, 9), FSD_NONE);
    assert_int_equal(fsd_graph_find(g, fsd_intern_str(names, "nothing"), 0), FSD_NONE);
    fsd_arena_free(arena);
}

/* A digit a node. */
static void assert_order(const char *text, const char *expected)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_graph *g = build_model(arena, fsd_op_names_new(arena), text);
    const fsd_id *order = fsd_graph_order(arena, g);
    char found[32] = "";

    for (uint32_t i = 0; i < g->nodes.n; i++)
        found[i] = (char)('0' + order[i]);
    assert_string_equal(found, expected);
    fsd_arena_free(arena);
}

static void graph__order_is_that_of_the_data(void **state)
{
    (void)state;
    assert_order("in x\nRelu -: b -> y\nRelu -: a -> b\nRelu -: x -> a\n", "210");
    assert_order("in x\nAdd -: a a -> y\nRelu -: x -> a\n", "10");
    /* in place: what reads it waits for it */
    assert_order("in a\nRelu -: b -> y\nRelu -: a -> b\nRelu -: a -> a\n", "210");
    /* of several producers each reader has the one before it */
    assert_order(
        "in x\nRelu -: x -> a\nRelu -: a -> b\nRelu -: b -> a\nRelu -: a -> y\n",
        "0123");
    /* a ring stands last */
    assert_order("in x\nRelu -: b -> a\nRelu -: a -> b\nRelu -: x -> y\n", "201");
}

static void graph__names_belong_to_scopes(void **state)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_graph *g = fsd_graph_new(arena, fsd_op_names_new(arena));
    fsd_sym x = fsd_intern_str(g->names, "x"), y = fsd_intern_str(g->names, "y");
    fsd_id branch = fsd_graph_add_scope(
        g, (struct fsd_scope){.kind = FSD_SCOPE_SUBGRAPH, .parent = 0, .owner = 0});
    fsd_id body = fsd_graph_add_scope(
        g, (struct fsd_scope){.kind = FSD_SCOPE_FUNCTION, .parent = 0, .owner = 0});
    fsd_id outer = fsd_graph_add_tensor(g, x, 0),
           inner = fsd_graph_add_tensor(g, y, branch);
    (void)state;

    assert_int_equal(fsd_graph_resolve(g, x, branch), outer);
    assert_int_equal(fsd_graph_resolve(g, y, branch), inner);
    assert_int_equal(fsd_graph_resolve(g, y, 0), FSD_NONE);
    assert_int_equal(fsd_graph_resolve(g, x, body),
                     FSD_NONE); /* a function sees nothing outside */
    fsd_arena_free(arena);
}

static void graph__counts_without_overflow(void **state)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_graph *g = fsd_graph_new(arena, fsd_op_names_new(arena));
    struct fsd_dim huge[] = {{INT64_MAX, 0}, {2, 0}}, none[] = {{INT64_MAX, 0}, {0, 0}};
    struct fsd_form form = {.type = FSD_FP32, .ranked = true};
    fsd_id too_many = fsd_graph_add_form(g, form, huge, 2);
    fsd_id empty = fsd_graph_add_form(g, form, none, 2);
    fsd_id scalar = fsd_graph_add_form(g, form, NULL, 0);
    (void)state;

    assert_int_equal(fsd_form_count(g, &g->forms.at[too_many]), -1);
    assert_int_equal(fsd_form_count(g, &g->forms.at[empty]), 0);
    assert_int_equal(fsd_form_count(g, &g->forms.at[scalar]), 1);
    fsd_arena_free(arena);
}

static void vocab__tells_names_apart(void **state)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_op_names_new(arena);
    struct fsd_graph *g =
        build_model(arena, names,
                    "in x\nout y\nConv Conv_1: x -> a.b\nConv Conv_12: a.b -> c\n"
                    "Relu -: c -> y\nRelu Conv_1: c -> d\n");
    struct fsd_vocab *v = fsd_vocab_new(arena, g);
    (void)state;

    assert_int_equal(fsd_vocab_find(v, "Conv_12", 7)->nodes.n, 1);
    assert_int_equal(fsd_vocab_find(v, "Conv_1", 6)->nodes.n,
                     2); /* two nodes bear it */
    assert_null(fsd_vocab_find(v, "Conv_", 5));
    assert_int_equal(v->pool.at[fsd_vocab_find(v, "node_of_y", 9)->nodes.at], 2);
    assert_null(fsd_vocab_find(v, "a_b", 3));
    assert_non_null(fsd_vocab_find_loose(v, "a_b", 3));
    for (uint32_t i = 1; i < v->lengths.n; i++)
        assert_true(v->lengths.at[i - 1] > v->lengths.at[i]);
    fsd_arena_free(arena);
}

/* Ranks of strides and sizes as TensorRT 11 writes them, and the layout they are. */
static void layout__by_strides(void **state)
{
    static const struct {
        uint32_t n;
        int64_t ranks[FSD_LAYOUT_AXES], sizes[FSD_LAYOUT_AXES];
        const char *expected;
    } cases[] = {
        {4, {3, 2, 1, 0}, {1, 3, 8, 8}, "chw"},
        {4, {3, 0, 2, 1}, {1, 3, 8, 8}, "hwc"},
        {4, {3, 0, 2, 1}, {1, 64, 1, 1}, "chw"}, /* one axis: any order is rows */
        {4, {3, 0, 2, 1}, {-1, 3, -1, -1}, "hwc"},
        {5, {4, 0, 3, 2, 1}, {1, 3, 4, 8, 8}, "dhwc"},
        {3, {2, 0, 1}, {8, 4, 4}, "hwc"},
        {2, {0, 1}, {8, 4}, "axes10"},
        {3, {1, 2, 0}, {8, 4, 4}, "axes102"},
        {3, {1, 2, 0}, {8, 1, 4}, "chw"},
        {0, {0}, {0}, "chw"},
    };
    char name[16];

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(cases); i++)
        assert_string_equal(
            fsd_layout_name(
                fsd_layout_by_strides(cases[i].ranks, cases[i].sizes, cases[i].n),
                name),
            cases[i].expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dtype__names_are_distinct),
        cmocka_unit_test(dtype__reads_numbers),
        cmocka_unit_test(layout__has_the_name_of_tensorrt),
        cmocka_unit_test(layout__by_strides),
        cmocka_unit_test(ops__table_is_sorted),
        cmocka_unit_test(ops__know_their_domain),
        cmocka_unit_test(graph__knows_producers_and_consumers),
        cmocka_unit_test(graph__order_is_that_of_the_data),
        cmocka_unit_test(graph__names_belong_to_scopes),
        cmocka_unit_test(graph__counts_without_overflow),
        cmocka_unit_test(vocab__tells_names_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
