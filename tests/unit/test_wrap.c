/* Lines brought within a width: between words, never between a number and its unit. */
#include "report/phrase/ink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *text, size_t width, const char *want)
{
    char *copy = strdup(text), *got = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&got, &size);

    assert_non_null(copy);
    assert_non_null(out);
    fsd_put_wrapped(out, copy, width);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(got, want);
    free(got);
    free(copy);
}

static void words(void **state)
{
    (void)state;
    expect("a line that fits\n", 20, "a line that fits\n");
    expect("it may save much time\n", 16, "it may save much\n    time\n");
    expect("it had 12 layers, 3 % more", 9,
           "it had 12\n    layers,\n    3 %\n    more");
}

static void topics(void **state)
{
    (void)state;
    expect("time     12 ms in layers", 18, "time     12 ms in\n         layers");
    expect("  5 | gemm  and more", 16, "  5 | gemm  and\n      more");
    expect("blanks at the end  ", 12, "blanks at\n    the end");
}

static void names(void **state)
{
    (void)state;
    expect("see /m/layers.0/q_proj/Add", 20, "see\n    .../q_proj/Add");
    expect("see /m/layers.0/q_proj/Add", 21, "see\n    /m/.../q_proj/Add");
}

static void units(void **state)
{
    (void)state;
    expect("it may save 0.2007 ms, 18.3 %; next", 18,
           "it may save\n    0.2007 ms,\n    18.3 %; next");
    expect("it writes 57.4 MB, that is all", 15,
           "it writes\n    57.4 MB,\n    that is all");
    expect("at most 30.5 GB/s of it", 13, "at most\n    30.5 GB/s\n    of it");
    expect("by layers 5 Mul and 6 x", 12, "by layers 5\n    Mul and\n    6 x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words), cmocka_unit_test(topics), cmocka_unit_test(names),
        cmocka_unit_test(units)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
