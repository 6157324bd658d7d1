/* A run need not hash the engine's file for a format that does not state the hash. */
#define _GNU_SOURCE /* open_memstream */
#include "fusiondiff/fusiondiff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The report of a run, which the caller frees. NULL if the run has nothing to report in
 * the format, such as a trace without times. */
static char *report(const char *engine, const char *format, bool unhashed)
{
    struct fsd_options opt = {
        .engine = engine, .force = true, .uncited = true, .unhashed = unhashed};
    struct fsd_diff *diff;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    enum fsd_status status;

    assert_non_null(out);
    assert_int_equal(fsd_diff_open(&diff, &opt, NULL), FSD_OK);
    status = fsd_diff_write(diff, format, NULL, out, NULL);
    fclose(out);
    fsd_diff_free(diff);
    if (status == FSD_OK)
        return text;
    free(text);
    return NULL;
}

static void check_formats(const char *engine)
{
    const char *format;

    for (unsigned i = 0; (format = fsd_format_of(FSD_OF_RUN, i)); i++) {
        char *with, *without;

        if (fsd_format_draws(format) && strcmp(format, "dot") != 0)
            continue;
        with = report(engine, format, false);
        without = report(engine, format, true);
        assert_true(!with == !without);
        assert_true(with || !strcmp(format, "trace"));
        if (!strcmp(format, "json") || !strcmp(format, "html"))
            assert_string_not_equal(with, without);
        if (with && strcmp(with, without) != 0)
            assert_true(fsd_format_hashes(format));
        free(with);
        free(without);
    }
}

static void other_formats_do_not_need_the_hash(void **state)
{
    (void)state;
    check_formats(FSD_FIXTURES "/qat_block/engine.graph.json");
    check_formats(FSD_FIXTURES "/kernels/engine.log");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_formats_do_not_need_the_hash),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
