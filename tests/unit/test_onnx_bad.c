/* What is no model, what is damaged, and what would not end. */
#include "onnx_bytes.h"
#include "model/graph/graph.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void looks_of_other_files(void **state)
{
    static const struct {
        const char *bytes;
        size_t n;
        enum fsd_status status;
        const char *says;
    } rows[] = {
        {"", 0, FSD_E_FORMAT, "an empty file"},
        {" \n{\"Layers\": []}", 16, FSD_E_FORMAT, "JSON"},
        {"[{\"count\": 1}]", 14, FSD_E_FORMAT, "JSON"},
        {"\xef\xbb\xbf{\"a\": 1}", 11, FSD_E_FORMAT, "JSON"},
        {"<!DOCTYPE html><html>", 21, FSD_E_FORMAT, "HTML"},
        {"PK\3\4\x14\0\0\0\0\0", 10, FSD_E_UNSUPPORTED, "ZIP"},
        {"\x1c\0\0\0TFL3\x14\0\x20\0", 12, FSD_E_UNSUPPORTED, "TensorFlow Lite"},
        {"\x1c\0\0\0ORTM\x14\0\x20\0", 12, FSD_E_UNSUPPORTED, ".ort"},
        {"ftrt\0\0\0\0\0\0", 10, FSD_E_UNSUPPORTED, "serialized TensorRT engine"},
        {"ptrt\0\0\0\0\0\0", 10, FSD_E_UNSUPPORTED, "serialized TensorRT engine"},
        {"\x80\x02\x8a\x0al\xfc\x9c", 7, FSD_E_UNSUPPORTED, "pickle"},
        {"\x1f\x8b\x08\0\0\0", 6, FSD_E_UNSUPPORTED, "compressed file"},
        {"\xfd"
         "7zXZ\0\0\4",
         8, FSD_E_UNSUPPORTED, "compressed file"},
        {"\x28\xb5\x2f\xfd\x24\0", 6, FSD_E_UNSUPPORTED, "compressed file"},
        {"\x89HDF\r\n\x1a\n\0\0", 10, FSD_E_UNSUPPORTED, "HDF5"},
        {"version https://git-lfs.github.com/spec/v1\n", 43, FSD_E_FORMAT, "LFS"},
        {"[08/08/2022-12:28:30] [V] [TRT] Parsing", 39, FSD_E_FORMAT, "expected"},
        {"&&&& RUNNING TensorRT.trtexec", 29, FSD_E_FORMAT, "text"},
        {"\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8\xf7\xf6\xf5", 11, FSD_E_FORMAT, "readable"},
        {"\x08\x08", 2, FSD_E_FORMAT, "no graph"},       /* ir_version alone */
        {"\xa0\x06\x01", 3, FSD_E_FORMAT, "no graph"},   /* field 100 */
        {"\x08\x08\x3a\0", 4, FSD_E_FORMAT, "no nodes"}, /* an empty graph */
        {"\x3a\x04\x0a\x02\x1b\x00", 6, FSD_E_FORMAT, "wire type"}, /* a group */
    };

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(rows); i++) {
        struct load load = load_memory(rows[i].bytes, rows[i].n);

        assert_int_equal(load.status, rows[i].status);
        assert_int_equal(load.err.status, rows[i].status);
        assert_string_equal(load.err.file, "test.onnx");
        if (!strstr(load.err.message, rows[i].says))
            fail_msg("row %zu: %s", i, load.err.message);
        assert_null(strchr(load.err.message, '\n'));
        drop_load(&load);
    }
}

static unsigned char *read_fixture(struct fsd_file *file, const char *name)
{
    static char path[512];
    unsigned char *copy;

    snprintf(path, sizeof path, "%s/onnx/%s.onnx", FSD_FIXTURES, name);
    if (fsd_file_open(file, path, 1 << 20, NULL) != FSD_OK)
        fail_msg("cannot open %s", path);
    copy = malloc(file->size);
    assert_non_null(copy);
    memcpy(copy, file->bytes, file->size);
    return copy;
}

/* A copy of exactly n bytes, so that one byte too far is seen. */
static struct load load_exactly(const unsigned char *bytes, size_t n)
{
    unsigned char *copy = malloc(n ? n : 1);
    struct load load;

    assert_non_null(copy);
    memcpy(copy, bytes, n);
    load = load_memory(copy, n);
    free(copy);
    return load;
}

static void cut_at_every_byte(const char *name)
{
    struct fsd_file file;
    unsigned char *bytes = read_fixture(&file, name);

    for (size_t n = 0; n < file.size; n++) {
        struct load load = load_exactly(bytes, n);

        /* A cut between two fields of the model leaves a model. */
        assert_true(load.status == FSD_OK || load.status == FSD_E_FORMAT);
        if (load.status)
            assert_non_null(strstr(load.err.message, "expected"));
        drop_load(&load);
    }
    free(bytes);
    fsd_file_close(&file);
}

static void truncation(void **state)
{
    (void)state;
    cut_at_every_byte("plain");
    cut_at_every_byte("functions");
    cut_at_every_byte("types");
}

static void damage_at_every_byte(void **state)
{
    struct fsd_file file;
    unsigned char *bytes = read_fixture(&file, "control");

    (void)state;
    for (size_t i = 0; i < file.size; i++)
        for (unsigned k = 0; k < 4; k++) {
            static const unsigned char with[] = {0x00, 0x7f, 0x80, 0xff};
            unsigned char was = bytes[i];
            struct load load;

            bytes[i] = with[k];
            load = load_exactly(bytes, file.size);
            assert_true(load.status == FSD_OK || load.status == FSD_E_FORMAT);
            drop_load(&load);
            bytes[i] = was;
        }
    free(bytes);
    fsd_file_close(&file);
}

static void assert_limit(const char *name, const char *says)
{
    struct fsd_file file;
    unsigned char *bytes = read_fixture(&file, name);
    struct load load = load_exactly(bytes, file.size);

    assert_int_equal(load.status, FSD_E_LIMIT);
    assert_non_null(strstr(load.err.message, says));
    drop_load(&load);
    free(bytes);
    fsd_file_close(&file);
}

static void functions_without_end(void **state)
{
    (void)state;
    assert_limit("recursion", "calls itself");
    assert_limit("doubling", "nodes after all function calls are expanded");
}

static void many_attributes(void **state)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct bytes node = {.arena = arena}, graph = node, model = node;
    struct load load;

    (void)state;
    put_text(&node, 4, "Op");
    for (int i = 0; i < 257; i++)
        put_block(&node, 5, "", 0);
    put_part(&graph, 1, &node);
    put_part(&model, 7, &graph);
    load = load_memory(model.at, model.n);
    assert_int_equal(load.status, FSD_E_LIMIT);
    assert_non_null(strstr(load.err.message, "256 attributes"));
    drop_load(&load);
    fsd_arena_free(arena);
}

/* Branches in branches: each takes three of the wire's 101 levels. */
static struct bytes nested_branches(struct fsd_arena *arena, unsigned depth)
{
    struct bytes graph = {.arena = arena};

    put_block(&graph, 1,
              "\x22\x03"
              "Neg",
              5);
    for (unsigned i = 0; i < depth; i++) {
        struct bytes attr = {.arena = arena}, node = attr, outer = attr;

        put_text(&attr, 1, "then_branch");
        put_part(&attr, 6, &graph);
        put_text(&node, 4, "If");
        put_part(&node, 5, &attr);
        put_part(&outer, 1, &node);
        graph = outer;
    }
    return graph;
}

static void deep_branches(void **state)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct bytes graph = nested_branches(arena, 32), model = {.arena = arena};
    struct load load;

    (void)state;
    put_part(&model, 7, &graph);
    load = load_memory(model.at, model.n);
    assert_int_equal(load.status, FSD_OK);
    assert_int_equal(load.g->scopes.n, 33);
    assert_int_equal(load.g->nodes.n, 33);
    drop_load(&load);
    graph = nested_branches(arena, 2000);
    model.n = 0;
    put_part(&model, 7, &graph);
    load = load_memory(model.at, model.n);
    assert_int_equal(load.status, FSD_E_LIMIT);
    drop_load(&load);
    fsd_arena_free(arena);
}

/* A name in 10,000 bodies, and 10,000 bodies that mean the main graph's: linear. */
static void one_name_in_many_bodies(void **state)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct bytes graph = {.arena = arena}, model = graph;
    struct load load;

    (void)state;
    put_block(&graph, 11, "\x0a\x01x", 3);
    for (int i = 0; i < 20000; i++) {
        struct bytes inner = {.arena = arena}, attr = inner, node = inner;

        if (i < 10000)
            put_block(&inner, 1,
                      "\x12\x01x\x22\x03"
                      "Neg",
                      8); /* makes x */
        else
            put_block(&inner, 1,
                      "\x0a\x01x\x22\x03"
                      "Neg",
                      8); /* reads x */
        put_text(&attr, 1, "body");
        put_part(&attr, 6, &inner);
        put_text(&node, 4, "Loop");
        put_part(&node, 5, &attr);
        put_part(&graph, 1, &node);
    }
    put_part(&model, 7, &graph);
    load = load_memory(model.at, model.n);
    assert_int_equal(load.status, FSD_OK);
    assert_int_equal(load.g->nodes.n, 40000);
    assert_int_equal(load.g->remarks.n, 0);
    assert_int_equal(load.g->tensors.at[0].consumers.n, 10000);
    drop_load(&load);
    fsd_arena_free(arena);
}

static void load_all(const char *pattern)
{
    glob_t found;

    if (glob(pattern, 0, NULL, &found)) {
        print_message("skipped: no %s\n", pattern);
        skip();
    }
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct load load = load_path(found.gl_pathv[i]);

        if (load.status)
            fail_msg("%s: %s", found.gl_pathv[i], load.err.message);
        assert_true(load.g->nodes.n > 0);
        for (uint32_t k = 0; k < load.g->remarks.n; k++)
            fail_msg("%s: %s", found.gl_pathv[i], load.g->remarks.at[k].rule);
        drop_load(&load);
    }
    globfree(&found);
}

static void shared_models(void **state)
{
    (void)state;
    load_all(FSD_SHARED "/models/*.onnx");
}

static void corpus_models(void **state)
{
    (void)state;
    load_all(FSD_SHARED "/corpus/*/model.onnx");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_of_other_files),
        cmocka_unit_test(truncation),
        cmocka_unit_test(damage_at_every_byte),
        cmocka_unit_test(functions_without_end),
        cmocka_unit_test(many_attributes),
        cmocka_unit_test(deep_branches),
        cmocka_unit_test(one_name_in_many_bodies),
        cmocka_unit_test(shared_models),
        cmocka_unit_test(corpus_models),
    };
    return cmocka_run_group_tests_name("onnx_bad", tests, NULL, NULL);
}
