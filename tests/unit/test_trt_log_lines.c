/* What stands before the text of a line. */
#include "base/base.h"
#include "read/log/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct fsd_file file_of(const char *text, size_t n)
{
    return (struct fsd_file){
        .name = "log", .bytes = (const unsigned char *)text, .size = n};
}

static void prefixes(void **state)
{
    static const struct {
        const char *line, *text;
        char severity;
        bool trt;
    } cases[] = {
        {"[03/19/2022-12:28:30] [V] [TRT] Running: F on A", "Running: F on A", 'V',
         true},
        {"[03/19/2022-12:28:30] [TRT] [V] Running: F", "Running: F", 'V', true},
        {"[03/19/2022-12:28:30] [03/19/2022-12:28:30] [W] [TRT] t", "t", 'W', true},
        {"[03/19/2022-12:28:30] [I] t", "t", 'I', false},
        {"[03/19/2022-12:28:30] [V] [TRT]     Input 0", "    Input 0", 'V', true},
        {"[V]     Input 0", "    Input 0", 'V', false},
        {"[TensorRT] VERBOSE: t", "t", 'V', true},
        {"[TensorRT] DEBUG: t", "t", 'V', true},
        {"[TensorRT] TRACE: t", "t", 'V', true},
        {"[TensorRT] INFO: t", "t", 'I', true},
        {"[TensorRT] WARNING: t", "t", 'W', true},
        {"[TensorRT] WARN: t", "t", 'W', true},
        {"[TensorRT] ERROR: t", "t", 'E', true},
        {"[TensorRT] FATAL: t", "t", 'F', true},
        {"[TensorRT] CRITICAL: t", "t", 'F', true},
        {"[TensorRT] NOTICE: t", "NOTICE: t", 0, true},
        {"[X] t", "t", 'V', false},
        {"[D] t", "t", 'V', false},
        {"[C] t", "t", 'F', false},
        {"[F] t", "t", 'F', false},
        {"[E] t", "t", 'E', false},
        {"[Y] t", "[Y] t", 0, false},
        {"[V] [TRT] a.hpp:1: t", "t", 'V', true},
        {"[V] [TRT] a.h:1: t", "t", 'V', true},
        {"[V] [TRT] a.cu:1: t", "t", 'V', true},
        {"[V] [TRT] a.py:1: t", "a.py:1: t", 'V', true},
        {"[TensorRT] INTERNAL_ERROR: t", "t", 'F', true},
        {"[TRT]    t", "t", 0, true},
        {"[V] [TRT] ModelImporter.cpp:103: Parsing node: a [Conv]",
         "Parsing node: a [Conv]", 'V', true},
        {"[TensorRT] VERBOSE: ImporterContext.hpp:120: t", "t", 'V', true},
        {"[02/22/2021-17:44:29] [V] [TRT] builtin_op_importers.cpp:9:  t", " t", 'V',
         true},
        {"[V] [TRT] ModelImporter.cpp:x: t", "ModelImporter.cpp:x: t", 'V', true},
        {"ModelImporter.cpp:103: t", "ModelImporter.cpp:103: t", 0, false},
        {"[TRT] Layer(A): n", "Layer(A): n", 0, true},
        {"\x1b[0;36m[V] t\x1b[0m", "t", 'V', false},
        {"DEBUG: [Torch-TensorRT - Debug Build] - t", "t", 'V', true},
        {"INFO: [Torch-TensorRT TorchScript Conversion Context] - t", "t", 'I', true},
        {"DEBUG:torch_tensorrt [TensorRT Conversion Context]:t", "t", 'V', true},
        {"2023-05-01 12:00:00.123456 [V:onnxruntime:, a.h:82 log] "
         "[2023-05-01 12:00:00 VERBOSE] t",
         "t", 'V', false},
        {"2023-05-01T12:00:00.1234567Z [V] t", "t", 'V', false},
        {"[I] t\r", "t", 'I', false},
        {"[V] [1,6]\t(# 0 (SHAPE x))", "[1,6]\t(# 0 (SHAPE x))", 'V', false},
        {"[V] [GpuLayer] CONVOLUTION: c", "[GpuLayer] CONVOLUTION: c", 'V', false},
        {"[TensorRT-Cookbook] Version", "[TensorRT-Cookbook] Version", 0, false},
        {"[MemUsage] x", "[MemUsage] x", 0, false},
        {"Layer(A): n, Tactic: 0, ", "Layer(A): n, Tactic: 0, ", 0, false},
        {"12 layers", "12 layers", 0, false},
        {"[", "[", 0, false},
        {"[]", "[]", 0, false},
        {"[V", "[V", 0, false},
        {"[V]", "", 'V', false},
        {"", "", 0, false},
    };

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(cases); i++) {
        char text[256];
        struct fsd_file file;
        struct fsd_log_lines lines;
        struct fsd_log_line line;

        snprintf(text, sizeof text, "%s\n", cases[i].line);
        file = file_of(text, strlen(text));
        lines = fsd_log_lines(&file);
        assert_true(fsd_log_next(&lines, &line));
        if (!fsd_slice_is(line.text, cases[i].text) ||
            line.severity != cases[i].severity || line.trt != cases[i].trt)
            fail_msg("%s: '%.*s' %c %d", cases[i].line, (int)line.text.n, line.text.s,
                     line.severity ? line.severity : '-', line.trt);
        assert_int_equal(line.prefixed, line.text.s != text);
        assert_false(fsd_log_next(&lines, &line));
    }
}

/* ONNX Runtime writes lines of its own, and passes on those of the builder that it
 * runs.
 */
static void lines_of_a_session(void **state)
{
    static const struct {
        const char *line;
        bool session;
    } cases[] = {
        {"2026-11-21 20:40:26.55 [I:onnxruntime:, graph.cc:58 Clean] Removing NodeArg "
         "'a'",
         true},
        {"\x1b[0;93m2026-11-21 20:40:26.55 [W:onnxruntime:x, a.cc:3 f] t\x1b[m", true},
        {"2023-05-01 12:00:00.12 [V:onnxruntime:, a.h:82 log] [2023-05-01 12:00:00 "
         "VERBOSE] t",
         false},
        {"2023-05-01 12:00:00.12 [V:onnxruntime:, a.h:82 log] [TRT] [V] t", false},
        {"[V] [TRT] t", false},
        {"t :onnxruntime: t", false},
    };

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(cases); i++) {
        struct fsd_file file = file_of(cases[i].line, strlen(cases[i].line));
        struct fsd_log_lines lines = fsd_log_lines(&file);
        struct fsd_log_line line;

        assert_true(fsd_log_next(&lines, &line));
        if (line.session != cases[i].session)
            fail_msg("%s", cases[i].line);
    }
}

static void numbers_and_ends(void **state)
{
    static const char text[] = "a\n\n\0b\nc";
    struct fsd_file file = file_of(text, sizeof text - 1);
    struct fsd_log_lines lines = fsd_log_lines(&file);
    struct fsd_log_line line;
    static const size_t lengths[] = {1, 0, 2, 1}, places[] = {0, 2, 3, 6};

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(lengths); i++) {
        assert_true(fsd_log_next(&lines, &line));
        assert_int_equal(line.number, i + 1);
        assert_int_equal(line.text.n, lengths[i]);
        assert_int_equal(line.at, places[i]);
    }
    assert_false(fsd_log_next(&lines, &line));
}

/* Every prefix of a prefix is text or a prefix; none reads past its end. */
static void cut_prefixes(void **state)
{
    static const char whole[] =
        "2023-05-01 12:00:00.123456 [V:onnxruntime:, a.h:82 log] [03/19/2022-12:28:30] "
        "[V] [TRT] \x1b[0;36mDEBUG:torch_tensorrt [TensorRT Conversion Context]:t";

    (void)state;
    for (size_t n = 1; n < sizeof whole; n++) {
        char *copy = malloc(n);
        struct fsd_file file = file_of(copy, n);
        struct fsd_log_lines lines = fsd_log_lines(&file);
        struct fsd_log_line line;

        assert_non_null(copy);
        memcpy(copy, whole, n);
        assert_true(fsd_log_next(&lines, &line));
        assert_true(line.at + line.text.n <= n);
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefixes),
        cmocka_unit_test(lines_of_a_session),
        cmocka_unit_test(numbers_and_ends),
        cmocka_unit_test(cut_prefixes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
