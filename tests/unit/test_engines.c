/* A log of several engines that is read once: each run reports what a run of its own
 * that reads the whole log reports, to the byte. */
#define _GNU_SOURCE /* mkstemp */
#include "fusiondiff/fusiondiff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST = 6 };

/* Writes the logs below each other into one; @return its path, as long as the next. */
static const char *joined(const char *const names[MOST])
{
    static char path[64];
    FILE *out;
    int fd;

    strcpy(path, "/tmp/fusiondiff-engines-XXXXXX");
    fd = mkstemp(path);
    assert_true(fd >= 0);
    out = fdopen(fd, "wb");
    assert_non_null(out);
    for (unsigned i = 0; i < MOST && names[i]; i++) {
        char from[4096];
        FILE *file;
        int c;

        snprintf(from, sizeof from, "%s/%s", FSD_FIXTURES, names[i]);
        file = fopen(from, "rb");
        assert_non_null(file);
        while ((c = getc(file)) != EOF)
            putc(c, out);
        fclose(file);
        putc('\n', out);
    }
    assert_int_equal(fclose(out), 0);
    return path;
}

/* The report of one engine; NULL if the run failed: then `err` has the reason. */
static char *report(const struct fsd_engines *engines, const char *path,
                    unsigned number, const char *format, struct fsd_error *err)
{
    struct fsd_options opt = {.engine = path, .engine_number = number, .force = true};
    struct fsd_diff *diff;
    char *text = NULL;
    size_t size = 0;
    FILE *out;

    if (fsd_engines_diff(&diff, engines, &opt, err) != FSD_OK)
        return NULL;
    out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(fsd_diff_write(diff, format, NULL, out, err), FSD_OK);
    fclose(out);
    fsd_diff_free(diff);
    return text;
}

static void same(const char *const names[MOST], unsigned count)
{
    static const char *const formats[] = {"json", "text", "sarif"};
    const char *path = joined(names);
    struct fsd_engines *engines;
    struct fsd_error err = {0};

    assert_int_equal(fsd_engines_open(&engines, path, &err), FSD_OK);
    assert_int_equal(fsd_engines_count(engines), count);
    for (unsigned number = 1; number <= count; number++)
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
            struct fsd_error alone = {0}, shared = {0};
            char *one = report(NULL, path, number, formats[f], &alone);
            char *of_all = report(engines, path, number, formats[f], &shared);

            assert_int_equal(one == NULL, of_all == NULL);
            if (one)
                assert_string_equal(of_all, one);
            assert_string_equal(shared.message, alone.message);
            free(one);
            free(of_all);
        }
    fsd_engines_free(engines);
    unlink(path);
}

/* Networks, engines without a network, measured kernels, and failures between them. */
static void each_is_as_alone(void **state)
{
    (void)state;
    same((const char *const[MOST]){"log/three-runs.log"}, 3);
    same((const char *const[MOST]){"log/old-syntax.log", "log/new-syntax.log",
                                   "log/three-runs.log"},
         5);
    same((const char *const[MOST]){"log/measured-10.log", "log/measured-11.log",
                                   "log/old-syntax.log"},
         1);
    same((const char *const[MOST]){"log/failed-parser.log", "log/no-network.log",
                                   "log/numbered.log", "log/measured-10.log"},
         2);
    same((const char *const[MOST]){"log/failed-parser.log", "log/inspector.log",
                                   "log/new-syntax.log", "log/failed-then-built.log"},
         3);
}

static void what_is_no_log_has_no_engines(void **state)
{
    struct fsd_engines *engines;
    struct fsd_error err = {0};

    (void)state;
    assert_int_equal(
        fsd_engines_open(&engines, FSD_FIXTURES "/qat_block/model.onnx", &err), FSD_OK);
    assert_int_equal(fsd_engines_count(engines), 0);
    fsd_engines_free(engines);
    assert_int_equal(fsd_engines_open(&engines, FSD_FIXTURES "/nowhere", &err),
                     FSD_E_IO);
    assert_null(engines);
    fsd_engines_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_as_alone),
        cmocka_unit_test(what_is_no_log_has_no_engines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
