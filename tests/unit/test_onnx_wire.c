/*
 * The filter before protobuf-c, on messages written byte by byte: which fields it
 * keeps, what it records of those it drops, that equal messages give equal bytes
 * however they are encoded, and that each limit holds.
 */
#include "model/graph/graph.h"
#include "model/onnx/wire.h"
#include "onnx_bytes.h"

#include <onnx.pb-c.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* Numbers of fields. */
enum { MODEL_PRODUCER = 2, MODEL_GRAPH = 7, GRAPH_NODE = 1, GRAPH_INITIALIZER = 5 };
enum { NODE_NAME = 3, NODE_ATTRIBUTE = 5 };
enum { ATTR_T = 5, ATTR_G = 6, ATTR_FLOATS = 7, ATTR_STRINGS = 9 };
enum {
    TENSOR_DIMS = 1,
    TENSOR_TYPE = 2,
    TENSOR_FLOATS = 4,
    TENSOR_INT32S = 5,
    TENSOR_NAME = 8,
    TENSOR_RAW = 9
};

struct run {
    struct fsd_arena *arena;
    struct fsd_wire wire;
    struct fsd_error err;
    enum fsd_status status;
};

static struct bytes new_bytes(struct run *run)
{
    return (struct bytes){.arena = run->arena};
}

static int begin(void **state)
{
    struct run *run = calloc(1, sizeof *run);

    if (!run)
        return -1;
    run->arena = fsd_arena_new();
    *state = run;
    return 0;
}

static int end(void **state)
{
    struct run *run = *state;

    fsd_arena_free(run->arena);
    free(run);
    return 0;
}

static enum fsd_status filter(struct run *run, const struct bytes *b,
                              const ProtobufCMessageDescriptor *desc)
{
    struct fsd_file file = file_of(b);

    run->status = fsd_wire_filter(&run->wire, run->arena, &file, desc, &run->err);
    return run->status;
}

static Onnx__TensorProto *tensor_of(struct run *run, const struct bytes *b)
{
    Onnx__TensorProto *t;

    assert_int_equal(filter(run, b, &onnx__tensor_proto__descriptor), FSD_OK);
    t = onnx__tensor_proto__unpack(NULL, run->wire.size, run->wire.bytes);
    assert_non_null(t);
    return t;
}

static void drop_tensor(Onnx__TensorProto *t)
{
    onnx__tensor_proto__free_unpacked(t, NULL);
}

static void assert_refused(struct run *run, const struct bytes *b, uint64_t at)
{
    assert_int_equal(filter(run, b, &onnx__tensor_proto__descriptor), FSD_E_FORMAT);
    assert_int_equal(run->err.unit, FSD_POS_BYTE);
    assert_int_equal(run->err.pos, at);
    assert_non_null(strstr(run->err.message, "expected"));
    assert_string_equal(run->err.file, "test.onnx");
}

/* ------------------------------------------------------------------- meaning */

static void unknown_fields_go(void **state)
{
    struct run *run = *state;
    struct bytes b = new_bytes(run);
    Onnx__TensorProto *t;

    put_text(&b, 12, "a doc string");
    put_number(&b, 999, 7);
    put(&b,
        "\x99\x06"
        "12345678",
        10); /* field 99, 8 bytes */
    put(&b,
        "\x9d\x06"
        "1234",
        6);                                          /* field 99, 4 bytes */
    put_number(&b, FSD_WIRE_RECORD + TENSOR_RAW, 5); /* as if dropped */
    put_text(&b, TENSOR_NAME, "w");
    t = tensor_of(run, &b);
    assert_string_equal(t->name, "w");
    assert_int_equal(t->base.n_unknown_fields, 0);
    assert_int_equal(run->wire.size, 3);
    drop_tensor(t);
}

static void any_order_and_width(void **state)
{
    struct run *run = *state;
    struct bytes b = new_bytes(run);
    Onnx__TensorProto *t;

    put_text(&b, TENSOR_NAME, "w");
    put_wide(&b, TENSOR_TYPE << 3, 4); /* padded tag */
    put_wide(&b, 11, 10);              /* padded value */
    put_number(&b, TENSOR_DIMS, 2);    /* unpacked, then packed */
    put_block(&b, TENSOR_DIMS, "\x03\x84\x80\x00", 4);
    put_number(&b, TENSOR_DIMS, UINT64_MAX);
    put_wide(&b, TENSOR_RAW << 3 | 2, 1);
    put_wide(&b, 2, 9); /* padded length */
    put(&b, "xy", 2);
    t = tensor_of(run, &b);
    assert_int_equal(t->data_type, 11);
    assert_int_equal(t->n_dims, 4);
    assert_int_equal(t->dims[1], 3);
    assert_int_equal(t->dims[2], 4);
    assert_int_equal(t->dims[3], -1);
    assert_memory_equal(t->raw_data.data, "xy", 2);
    drop_tensor(t);
}

static void equal_meaning_equal_bytes(void **state)
{
    struct run *run = *state;
    struct bytes a = new_bytes(run), b = new_bytes(run);
    struct fsd_wire first;

    put_number(&a, TENSOR_TYPE, 300);
    put_block(&a, TENSOR_INT32S, "\x01\x02", 2);
    put_wide(&b, TENSOR_TYPE << 3, 3);
    put_wide(&b, 300, 6);
    put_text(&b, 12, "doc");
    put_block(&b, TENSOR_INT32S, "\x81\x00\x82\x80\x00", 5);
    assert_int_equal(filter(run, &a, &onnx__tensor_proto__descriptor), FSD_OK);
    first = run->wire;
    assert_int_equal(filter(run, &b, &onnx__tensor_proto__descriptor), FSD_OK);
    assert_int_equal(first.size, run->wire.size);
    assert_memory_equal(first.bytes, run->wire.bytes, first.size);
}

static void parts_are_put_together(void **state)
{
    struct run *run = *state;
    struct bytes attr = new_bytes(run), one = new_bytes(run), two = new_bytes(run);
    Onnx__AttributeProto *a;

    put_number(&one, TENSOR_DIMS, 2);
    put_text(&one, TENSOR_NAME, "first");
    put_number(&two, TENSOR_DIMS, 3);
    put_text(&two, TENSOR_NAME, "last");
    put_part(&attr, ATTR_T, &one);
    put_text(&attr, 1, "value");
    put_part(&attr, ATTR_T, &two);
    assert_int_equal(filter(run, &attr, &onnx__attribute_proto__descriptor), FSD_OK);
    a = onnx__attribute_proto__unpack(NULL, run->wire.size, run->wire.bytes);
    assert_non_null(a);
    assert_int_equal(a->t->n_dims, 2);
    assert_int_equal(a->t->dims[1], 3);
    assert_string_equal(a->t->name, "last");
    onnx__attribute_proto__free_unpacked(a, NULL);
}

/* tensor [elem 1], sparse [elem 11], tensor [shape]: the last member, from then on. */
static void last_of_a_oneof(void **state)
{
    struct run *run = *state;
    struct bytes type = new_bytes(run), tensor = new_bytes(run), shape = new_bytes(run);
    Onnx__TypeProto *t;

    put_number(&tensor, 1, 1);
    put_part(&type, 1, &tensor);
    put_part(&type, 8, &tensor);
    put_block(&shape, 2, "", 0);
    put_part(&type, 1, &shape);
    assert_int_equal(filter(run, &type, &onnx__type_proto__descriptor), FSD_OK);
    t = onnx__type_proto__unpack(NULL, run->wire.size, run->wire.bytes);
    assert_non_null(t);
    assert_int_equal(t->value_case, ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE);
    assert_false(t->tensor_type->has_elem_type);
    assert_non_null(t->tensor_type->shape);
    onnx__type_proto__free_unpacked(t, NULL);
}

static void zero_bytes_in_names(void **state)
{
    struct run *run = *state;
    struct bytes b = new_bytes(run);
    Onnx__TensorProto *t;

    put_block(&b, TENSOR_NAME, "a\0b\0", 4);
    t = tensor_of(run, &b);
    assert_string_equal(t->name, "a\\x00b\\x00");
    drop_tensor(t);
}

/* ------------------------------------------------------------------- payloads */

static const char zeros[3 * FSD_WIRE_PAYLOAD];

static void large_payloads_go(void **state)
{
    struct run *run = *state;
    struct bytes b = new_bytes(run);
    Onnx__TensorProto *t;

    put_block(&b, TENSOR_RAW, zeros, FSD_WIRE_PAYLOAD + 1);
    put_block(&b, TENSOR_FLOATS, zeros, FSD_WIRE_PAYLOAD);
    put_text(&b, TENSOR_NAME, "after");
    t = tensor_of(run, &b);
    assert_string_equal(t->name, "after");
    assert_int_equal(t->raw_data.len, 0);
    assert_int_equal(fsd_wire_dropped(&t->base, TENSOR_RAW), FSD_WIRE_PAYLOAD + 1);
    assert_int_equal(t->n_float_data, FSD_WIRE_PAYLOAD / 4);
    assert_int_equal(fsd_wire_dropped(&t->base, TENSOR_FLOATS), 0);
    drop_tensor(t);
}

static void many_small_parts_are_large(void **state)
{
    struct run *run = *state;
    struct bytes b = new_bytes(run);
    Onnx__TensorProto *t;

    for (int i = 0; i < 5; i++) {
        put_block(&b, TENSOR_FLOATS, zeros, 1000);
        put_number(&b, TENSOR_DIMS, 1);
    }
    t = tensor_of(run, &b);
    assert_int_equal(fsd_wire_dropped(&t->base, TENSOR_FLOATS), 5000);
    assert_int_equal(t->n_dims, 5);
    drop_tensor(t);
}

static void unpacked_payloads_go(void **state)
{
    struct run *run = *state;
    struct bytes b = new_bytes(run);
    Onnx__TensorProto *t;

    for (int i = 0; i < 100000; i++)
        put(&b, "\x25\0\0\x80\x3f", 5); /* float_data: 1.0 */
    t = tensor_of(run, &b);
    assert_int_equal(fsd_wire_dropped(&t->base, TENSOR_FLOATS), 400000);
    assert_true(run->wire.size < 2 * FSD_WIRE_PAYLOAD);
    drop_tensor(t);
    b.n = 50; /* ten of them are kept */
    t = tensor_of(run, &b);
    assert_int_equal(t->n_float_data, 10);
    assert_true(t->float_data[9] > 0.5F);
    drop_tensor(t);
}

/* Of a field that is not repeated only the last one counts. */
static void last_payload_counts(void **state)
{
    struct run *run = *state;
    struct bytes b = new_bytes(run);
    Onnx__TensorProto *t;

    put_block(&b, TENSOR_RAW, zeros, 3 * FSD_WIRE_PAYLOAD);
    put_block(&b, TENSOR_RAW, "abc", 3);
    t = tensor_of(run, &b);
    assert_int_equal(fsd_wire_dropped(&t->base, TENSOR_RAW), 0);
    assert_memory_equal(t->raw_data.data, "abc", 3);
    drop_tensor(t);
    put_block(&b, TENSOR_RAW, zeros, 5000);
    t = tensor_of(run, &b);
    assert_int_equal(fsd_wire_dropped(&t->base, TENSOR_RAW), 5000);
    drop_tensor(t);
}

static void lists_of_attributes_go(void **state)
{
    struct run *run = *state;
    struct bytes b = new_bytes(run);
    Onnx__AttributeProto *a;

    for (int i = 0; i < 3000; i++)
        put_block(&b, ATTR_STRINGS, "", 0);
    put_block(&b, ATTR_FLOATS, zeros, 4 * FSD_WIRE_PAYLOAD / 2);
    assert_int_equal(filter(run, &b, &onnx__attribute_proto__descriptor), FSD_OK);
    a = onnx__attribute_proto__unpack(NULL, run->wire.size, run->wire.bytes);
    assert_non_null(a);
    assert_int_equal(fsd_wire_dropped(&a->base, ATTR_STRINGS), 6000);
    assert_int_equal(fsd_wire_dropped(&a->base, ATTR_FLOATS), 8192);
    assert_int_equal(a->n_floats, 0);
    onnx__attribute_proto__free_unpacked(a, NULL);
}

/* --------------------------------------------------------------------- damage */

static void lying_lengths(void **state)
{
    struct run *run = *state;
    struct bytes b = new_bytes(run);

    put_text(&b, TENSOR_NAME, "w");
    put(&b,
        "\x4a\x05"
        "1234",
        6); /* raw_data: 5 bytes, 4 are there */
    assert_refused(run, &b, 5);
    b.n = 3;
    put_wide(&b, TENSOR_RAW << 3 | 2, 1);
    put_wide(&b, UINT64_MAX, 1);
    assert_refused(run, &b, 14);
    b.n = 0;
    put(&b,
        "\x22\x05"
        "12345",
        7); /* float_data: one float and a quarter */
    assert_refused(run, &b, 2);
}

static void broken_numbers(void **state)
{
    struct run *run = *state;
    struct bytes b = new_bytes(run);

    put(&b, "\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12);
    assert_refused(run, &b, 1);
    b.n = 0;
    put(&b, "\x10\xff", 2);
    assert_refused(run, &b, 1);
    b.n = 0;
    put(&b, "\x2a\x02\x01\x80", 4); /* int32_data: the second continues */
    assert_refused(run, &b, 3);
}

static void broken_tags(void **state)
{
    static const char *const tags[] = {"\x02",         /* field 0 */
                                       "\x1b",         /* field 3, a group */
                                       "\x1c",         /* its end */
                                       "\x4e", "\x4f", /* wire types 6 and 7 */
                                       "\x48"};        /* raw_data as a number */
    struct run *run = *state;

    for (size_t i = 0; i < FSD_COUNT_OF(tags); i++) {
        struct bytes b = new_bytes(run);

        put(&b, tags[i], 1);
        put(&b, "\0\0\0\0\0\0\0\0", 8);
        assert_int_equal(filter(run, &b, &onnx__tensor_proto__descriptor),
                         FSD_E_FORMAT);
        assert_int_equal(run->err.pos, 0);
    }
}

static void long_names(void **state)
{
    struct run *run = *state;
    struct bytes b = new_bytes(run);
    char *name = calloc(1, FSD_WIRE_NAME + 1);

    assert_non_null(name);
    memset(name, 'x', FSD_WIRE_NAME);
    put_block(&b, TENSOR_NAME, name, FSD_WIRE_NAME);
    assert_int_equal(filter(run, &b, &onnx__tensor_proto__descriptor), FSD_OK);
    put_block(&b, TENSOR_NAME, name, FSD_WIRE_NAME + 1);
    assert_int_equal(filter(run, &b, &onnx__tensor_proto__descriptor), FSD_E_LIMIT);
    free(name);
}

static void too_many_parts(void **state)
{
    struct run *run = *state;
    struct bytes b = new_bytes(run);

    for (int i = 0; i < 64; i++)
        put_block(&b, ATTR_T, "", 0);
    assert_int_equal(filter(run, &b, &onnx__attribute_proto__descriptor), FSD_OK);
    put_block(&b, ATTR_T, "", 0);
    assert_int_equal(filter(run, &b, &onnx__attribute_proto__descriptor), FSD_E_LIMIT);
}

/* graph > node > attribute > graph > ..., written from the inside; lengths first. */
static struct bytes nested(struct run *run, unsigned levels)
{
    static const unsigned fields[] = {GRAPH_NODE, NODE_ATTRIBUTE, ATTR_G};
    struct bytes b = new_bytes(run);
    size_t *length = FSD_NEW(run->arena, size_t, levels + 1);

    for (unsigned i = 0; i < levels; i++) {
        size_t n = length[i], header = 2;

        for (; n >= 0x80; n >>= 7)
            header++;
        length[i + 1] = length[i] + header;
    }
    put_wide(&b, MODEL_GRAPH << 3 | 2, 1);
    put_wide(&b, length[levels], 1);
    for (unsigned i = 0; i < levels; i++) {
        put_wide(&b, fields[i % 3] << 3 | 2, 1);
        put_wide(&b, length[levels - 1 - i], 1);
    }
    return b;
}

static void depth_is_bounded(void **state)
{
    struct run *run = *state;
    struct bytes fits = nested(run, FSD_WIRE_DEPTH - 2);
    struct bytes deep = nested(run, FSD_WIRE_DEPTH - 1);
    struct bytes bomb = nested(run, 100000);
    Onnx__ModelProto *model;

    assert_int_equal(filter(run, &fits, &onnx__model_proto__descriptor), FSD_OK);
    model = onnx__model_proto__unpack(NULL, run->wire.size, run->wire.bytes);
    assert_non_null(model);
    onnx__model_proto__free_unpacked(model, NULL);
    assert_int_equal(filter(run, &deep, &onnx__model_proto__descriptor), FSD_E_LIMIT);
    assert_int_equal(filter(run, &bomb, &onnx__model_proto__descriptor), FSD_E_LIMIT);
    assert_non_null(strstr(run->err.message, "101 levels"));
}

static void too_many_messages(void **state)
{
    enum { NODE = 20 };
    struct run *run = *state;
    struct bytes b = new_bytes(run);
    size_t n = FSD_WIRE_MESSAGES + 1;
    static const unsigned char node[] = {GRAPH_NODE << 3 | 2, 18, 3 << 3 | 2, 16, 'n'};
    unsigned char *nodes = calloc(n, NODE);

    assert_non_null(nodes);
    for (size_t i = 0; i < n; i++) {
        memcpy(nodes + i * NODE, node, sizeof node);
        memset(nodes + i * NODE + sizeof node, 'n', NODE - sizeof node);
    }
    put(&b, nodes, n * NODE);
    free(nodes);
    assert_int_equal(filter(run, &b, &onnx__graph_proto__descriptor), FSD_E_LIMIT);
    assert_non_null(strstr(run->err.message, "4194304 messages"));
}

/* A message of two bytes is unpacked to 200 and more. */
static void too_many_empty_messages(void **state)
{
    enum { FEW = 1 << 10, MANY = 1 << 20 };
    struct run *run = *state;
    struct bytes few = new_bytes(run), many = new_bytes(run);
    static const unsigned char node[] = {GRAPH_NODE << 3 | 2, 0};

    for (unsigned i = 0; i < MANY; i++)
        put(i < FEW ? &few : &many, node, sizeof node);
    assert_int_equal(filter(run, &few, &onnx__graph_proto__descriptor), FSD_OK);
    assert_int_equal(filter(run, &many, &onnx__graph_proto__descriptor), FSD_E_LIMIT);
    assert_non_null(strstr(run->err.message, "empty messages"));
}

static void nothing_at_all(void **state)
{
    struct run *run = *state;
    struct bytes b = new_bytes(run);

    assert_int_equal(filter(run, &b, &onnx__model_proto__descriptor), FSD_OK);
    assert_int_equal(run->wire.size, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(unknown_fields_go),
        TEST(any_order_and_width),
        TEST(equal_meaning_equal_bytes),
        TEST(parts_are_put_together),
        TEST(last_of_a_oneof),
        TEST(zero_bytes_in_names),
        TEST(large_payloads_go),
        TEST(many_small_parts_are_large),
        TEST(unpacked_payloads_go),
        TEST(last_payload_counts),
        TEST(lists_of_attributes_go),
        TEST(lying_lengths),
        TEST(broken_numbers),
        TEST(broken_tags),
        TEST(long_names),
        TEST(too_many_parts),
        TEST(depth_is_bounded),
        TEST(too_many_messages),
        TEST(too_many_empty_messages),
        TEST(nothing_at_all),
    };
    return cmocka_run_group_tests_name("onnx_wire", tests, NULL, NULL);
}
