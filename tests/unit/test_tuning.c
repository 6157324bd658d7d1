/* What is read of a tuner's cache, of files that are none, and what is kept of it. */
#define _GNU_SOURCE /* open_memstream(), and strdup() */
#include "fusiondiff/fusiondiff.h"
#include "read/engine/reader.h"
#include "base/base.h"
#include "model/ops/ids.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT = 4096 };
#define HEAD "{\"tuner_version\":\"1.0\"}\n"

struct cache {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    struct fsd_tuning tuning;
    struct fsd_error err;
    enum fsd_status status;
};

static struct cache read_cache(const char *text)
{
    struct cache c = {.arena = fsd_arena_new()};
    struct fsd_file file = {.name = "cache.jsonl",
                            .bytes = (const unsigned char *)text,
                            .size = strlen(text)};

    c.names = fsd_op_names_new(c.arena);
    c.status = fsd_reader_trt.read_tuning(c.arena, c.names, &file, &c.tuning, &c.err);
    return c;
}

/* "number route | failed error | loss of | ms", one an iteration, "odd" and "cut" where
 * they are. */
static void expect(const char *text, const char *want)
{
    struct cache c = read_cache(text);
    char got[TEXT] = "";
    size_t n = 0;

    assert_int_equal(c.status, FSD_OK);
    for (uint32_t i = 0; i < c.tuning.steps.n; i++) {
        const struct fsd_tuning_step *s = &c.tuning.steps.at[i];

        n += (size_t)snprintf(
            got + n, sizeof got - n, "%s%d %s | %s%s | %g %s | %g%s\n",
            s->numbered ? "" : "?", (int)s->number, fsd_text(c.names, s->route),
            s->failed ? "failed " : "", fsd_text(c.names, s->error), s->loss,
            fsd_text(c.names, s->loss_of), s->ms, s->odd ? " odd" : "");
    }
    snprintf(got + n, sizeof got - n, "%s", c.tuning.cut ? "cut\n" : "");
    assert_string_equal(got, want);
    fsd_arena_free(c.arena);
}

static void head(void **state)
{
    struct cache c = read_cache(
        "{\"tuner_version\":\"1.0\",\"accuracy_algorithm\":\"l2\",\"accuracy_"
        "parameter\":"
        "{\"epsilon\":0.01,\"other\":[1,{\"epsilon\":9}]},\"searching_algorithm\":"
        "\"fast\","
        "\"command_line\":\"trtexec\",\"default_build_route\":\"-a=on -b=1\","
        "\"tuning_expr\":\"-a=[on|off]\",\"files\":[\"m.onnx\"],\"argv\":[\"x\"]}\n");

    (void)state;
    assert_int_equal(c.status, FSD_OK);
    assert_string_equal(fsd_text(c.names, c.tuning.version), "1.0");
    assert_string_equal(fsd_text(c.names, c.tuning.loss_by), "l2");
    assert_string_equal(fsd_text(c.names, c.tuning.search), "fast");
    assert_string_equal(fsd_text(c.names, c.tuning.default_route), "-a=on -b=1");
    assert_string_equal(fsd_text(c.names, c.tuning.searched), "-a=[on|off]");
    assert_true(c.tuning.most_loss == 0.01);
    assert_int_equal(c.tuning.steps.n, 0);
    fsd_arena_free(c.arena);
}

static void iterations(void **state)
{
    (void)state;
    expect(HEAD
           "{\"iter\":0,\"build_route\":\"-a=on\",\"crash\":false,\"error_message\":"
           "null,\"accuracy_loss\":{\"y\":0.5,\"x\":0.25},\"gpu_time\":1.5}\n",
           "0 -a=on |  | 0.5 y | 1.5\n");
    /* What a failed iteration measured does not count. */
    expect(HEAD
           "{\"iter\":3,\"build_route\":\"-a=\\\"b c\\\"\",\"crash\":true,"
           "\"error_message\":\"out of \\\"memory\\\"\",\"accuracy_loss\":{\"y\":1},"
           "\"gpu_time\":2}\n",
           "3 -a=\"b c\" | failed out of \"memory\" | -1 y | -1\n");
    /* Nothing is stated; unknown members are stepped over. */
    expect(HEAD "{}\n{\"later\":{\"gpu_time\":7,\"iter\":[1]}}\n",
           "?0  |  | -1  | -1\n?0  |  | -1  | -1\n");
    expect(HEAD, "");
}

/* A time of 0 was not measured; other values that none can have are remarked. */
static void odd_numbers(void **state)
{
    (void)state;
    expect(HEAD "{\"gpu_time\":0}\n{\"gpu_time\":-1}\n{\"gpu_time\":1e300}\n"
                "{\"gpu_time\":\"2\"}\n{\"gpu_time\":null}\n",
           "?0  |  | -1  | -1\n?0  |  | -1  | -1 odd\n?0  |  | -1  | -1 odd\n"
           "?0  |  | -1  | -1\n?0  |  | -1  | -1\n");
    expect(HEAD
           "{\"accuracy_loss\":{\"x\":-1}}\n{\"accuracy_loss\":{\"x\":1e999,\"y\":2}}\n"
           "{\"accuracy_loss\":3}\n{\"iter\":-1}\n{\"iter\":\"7\"}\n",
           "?0  |  | -1  | -1 odd\n?0  |  | 2 y | -1 odd\n?0  |  | -1  | -1\n"
           "?0  |  | -1  | -1\n?0  |  | -1  | -1\n");
}

static void cut(void **state)
{
    (void)state;
    expect(HEAD "{\"iter\":0}\n{\"iter\":1,\"gpu_ti", "0  |  | -1  | -1\ncut\n");
    expect(HEAD "{\"iter\":0}\n{", "0  |  | -1  | -1\ncut\n");
}

static void refused(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "expected the first line of a tuning cache"},
        {"{\"iter\":0}\n", "expected the first line of a tuning cache"},
        {"[1]", "expected the first line of a tuning cache"},
        {"{\"tuner_version\":1}\n", "expected the first line of a tuning cache"},
        {HEAD "{\"iter\":0}\n[1]\n", "expected"},
        {HEAD "{\"iter\":0}\nx\n{\"iter\":1}\n", "expected"},
    };

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(cases); i++) {
        struct cache c = read_cache(cases[i].text);

        assert_int_equal(c.status, FSD_E_FORMAT);
        assert_non_null(strstr(c.err.message, cases[i].words));
        fsd_arena_free(c.arena);
    }
}

/* The caller's path may be gone when the report is written. */
static void path_is_kept(void **state)
{
    char *path = strdup(FSD_FIXTURES "/routes/tuning.jsonl"), *text = NULL;
    struct fsd_routing *routing;
    struct fsd_error err = {0};
    size_t size;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    assert_int_equal(fsd_routing_open(&routing, path, NULL, 0, &err), FSD_OK);
    memset(path, 'x', strlen(path));
    free(path);
    assert_int_equal(fsd_routing_write(routing, "text", NULL, out, &err), FSD_OK);
    fclose(out);
    assert_non_null(strstr(text, "/routes/tuning.jsonl, version 1.0"));
    free(text);
    fsd_routing_free(routing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(head),        cmocka_unit_test(iterations),
        cmocka_unit_test(odd_numbers), cmocka_unit_test(cut),
        cmocka_unit_test(refused),     cmocka_unit_test(path_is_kept)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
