/* The engine reader on the real dumps of FSD_SHARED, without and with their models. */
#include "model/graph/graph.h"
#include "model/ops/ids.h"
#include "model/onnx/onnx.h"
#include "read/engine/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* What is in each dump, counted independently with a few lines of Python; `unknown`
 * is how many mentions name nothing of the model. */
static const struct {
    const char *folder, *file;
    const char *producer;
    uint32_t layers, tensors;
    bool has_model;
    uint32_t unknown;
} cases[] = {
    {"mnist-trt10.16", "engine.graph.json", "TensorRT 9 or later", 9, 13, true, 0},
    {"mnist-trt8.6", "engine.names-only.json", "TensorRT", 15, 2, true, 0},
    {"mobilenetv2-fp32-trt10", "engine.graph.json", "TensorRT 8.6 or later", 59, 60,
     true, 0},
    {"resnet18-fp16-trt10", "engine.graph.json", "TensorRT 9 or later", 26, 28, true,
     0},
    {"resnet18-fp16-trt8.4", "engine.graph.json", "TensorRT 8.2 to 8.4", 36, 37, true,
     0},
    {"resnet18-fp32-trt8.4", "engine.graph.json", "TensorRT 8.2 to 8.4", 32, 33, true,
     0},
    {"resnet18-qat-residual-qgap-trt8.4", "engine.graph.json", "TensorRT 8.2 to 8.4",
     24, 25, true, 0},
    {"resnet18-qat-residual-trt8.4", "engine.graph.json", "TensorRT 8.2 to 8.4", 26, 27,
     true, 0},
    {"resnet18-qat-trt8.4", "engine.graph.json", "TensorRT 8.2 to 8.4", 37, 38, true,
     0},
    {"torch-tensorrt-mobilenetv2", "engine.graph.json", "TensorRT 9 or later", 123, 128,
     false, 0},
    {"torch-tensorrt-resnet18", "engine.graph.json", "TensorRT 8.6 or later", 26, 27,
     false, 0},
};

struct run {
    struct fsd_arena *arena;
    struct fsd_graph *engine;
    struct fsd_vocab *vocab;
    struct fsd_file model_file, engine_file;
};

static void open_file(struct fsd_file *file, const char *folder, const char *name)
{
    static char path[2][512];
    static int next;
    struct fsd_error err;

    next = !next;
    snprintf(path[next], sizeof path[next], "%s/corpus/%s/%s", FSD_SHARED, folder,
             name);
    if (fsd_file_open(file, path[next], UINT64_C(1) << 32, &err) != FSD_OK)
        fail_msg("%s: %s", path[next], err.message);
}

static struct run load(size_t i, bool with_model)
{
    struct run r = {.arena = fsd_arena_new()};
    struct fsd_intern *names = fsd_op_names_new(r.arena);
    struct fsd_source source;
    struct fsd_error err;

    if (with_model) {
        struct fsd_graph *model = fsd_graph_new(r.arena, names);

        open_file(&r.model_file, cases[i].folder, "model.onnx");
        if (fsd_onnx_load(model, &r.model_file, &err) != FSD_OK)
            fail_msg("%s: %s", cases[i].folder, err.message);
        r.vocab = fsd_vocab_new(r.arena, model);
    }
    open_file(&r.engine_file, cases[i].folder, cases[i].file);
    r.engine = fsd_graph_new(r.arena, names);
    source = (struct fsd_source){.file = &r.engine_file, .vocab = r.vocab};
    if (fsd_engine_load(r.engine, &source, &err) != FSD_OK)
        fail_msg("%s: %s", cases[i].folder, err.message);
    return r;
}

static void end(struct run *r)
{
    fsd_file_close(&r->engine_file);
    if (r->vocab)
        fsd_file_close(&r->model_file);
    fsd_arena_free(r->arena);
}

static uint32_t count_role(const struct fsd_graph *g, enum fsd_mention_role role)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < g->mentions.n; i++)
        n += g->mentions.at[i].role == role;
    return n;
}

static uint32_t count_flag(const struct fsd_graph *g, unsigned flag)
{
    uint32_t n = 0;

    for (fsd_id i = 0; i < g->tensors.n; i++)
        n += (g->tensors.at[i].flags & flag) != 0;
    return n;
}

static void corpus__each_dump(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run r = load(i, false);

        assert_int_equal(r.engine->nodes.n, cases[i].layers);
        assert_int_equal(r.engine->tensors.n, cases[i].tensors);
        assert_string_equal(fsd_text(r.engine->names, r.engine->producer),
                            cases[i].producer);
        assert_int_equal(r.engine->remarks.n, 0);
        assert_int_equal(count_role(r.engine, FSD_MENTION_COMPUTES), 0);
        if (r.engine->detailed) {
            assert_true(count_flag(r.engine, FSD_TENSOR_INPUT) > 0);
            assert_true(count_flag(r.engine, FSD_TENSOR_OUTPUT) > 0);
        }
        end(&r);
    }
}

static void corpus__names_resolve(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run r;
        uint32_t unknown;

        if (!cases[i].has_model)
            continue;
        r = load(i, true);
        unknown = count_role(r.engine, FSD_MENTION_UNKNOWN);
        if (unknown != cases[i].unknown) {
            for (uint32_t k = 0; k < r.engine->mentions.n; k++)
                if (r.engine->mentions.at[k].role == FSD_MENTION_UNKNOWN)
                    print_message(
                        "unknown: %s\n",
                        fsd_text(r.engine->names, r.engine->mentions.at[k].text));
            fail_msg("%s: %u unknown mentions", cases[i].folder, unknown);
        }
        assert_int_equal(r.engine->remarks.n, 0);
        for (uint32_t k = 0; k < r.engine->mentions.n; k++)
            assert_true(r.engine->mentions.at[k].among <= 1);
        end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corpus__each_dump),
        cmocka_unit_test(corpus__names_resolve),
    };

    if (access(FSD_SHARED "/corpus", R_OK)) {
        printf("skipped: no corpus at %s\n", FSD_SHARED);
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
