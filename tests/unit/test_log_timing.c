/* What a log states of kernels that were timed, and of reformats. */
#include "base/base.h"
#include "log_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT = 4096 };

/* "layer | runner | tactic | formats | ms" of each that was timed, one a line. */
static void expect_timed(const char *text, const char *want)
{
    struct log l = read_log(text);
    char got[TEXT] = "";

    for (uint32_t i = 0; i < l.h->rivals.n; i++) {
        const struct fsd_rival *r = &l.h->rivals.at[i];

        snprintf(got + strlen(got), sizeof got - strlen(got),
                 "%s | %s | %s | %s | %g\n", fsd_text(l.names, r->layer),
                 fsd_text(l.names, r->runner), fsd_text(l.names, r->tactic),
                 fsd_text(l.names, r->formats), r->ms);
        assert_int_equal(r->build, 0);
    }
    assert_string_equal(got, want);
    assert_int_equal(l.h->unknown.n, 0);
    fsd_arena_free(l.arena);
}

static void runners(void **state)
{
    (void)state;
    expect_timed("[V] [TRT] --------------- Timing Runner: a (Cask[0x80])\n"
                 "[V] [TRT] Tactic: 0x1 Time: 3\n"
                 "[V] [TRT] Fastest Tactic: 0x1 Time: 3\n",
                 "a | Cask | 0x1 |  | 3\n");
    /* The line that names the layer itself counts, also for what follows it. */
    expect_timed(
        "[V] [TRT] --------------- Timing Runner: a (Cask[0x80])\n"
        "[V] [TRT] b (Cudnn[0x81]) profiling completed in 0.1 seconds. Fastest "
        "Tactic: 0x2 Time: 2\n"
        "[V] [TRT] Fastest Tactic: 0x3 Time: 1\n",
        "b | Cudnn | 0x3 |  | 1\n");
    expect_timed("[V] [TRT] --------------- Timing Runner: a b (c) (Cask)\n"
                 "[V] [TRT] Fastest Tactic: 0x1 Time: 3\n",
                 "a b (c) | Cask | 0x1 |  | 3\n");
    /* Of one runner the best tactic is kept, whichever comes first. */
    expect_timed("[V] [TRT] --------------- Timing Runner: a (Cask[0x80])\n"
                 "[V] [TRT] Fastest Tactic: 0x1 Time: 1\n"
                 "[V] [TRT] Fastest Tactic: 0x2 Time: 2\n",
                 "a | Cask | 0x1 |  | 1\n");
    /* A line without a runner changes nothing; nothing is timed before one. */
    expect_timed("[V] [TRT] Fastest Tactic: 0x1 Time: 3\n"
                 "[V] [TRT] --------------- Timing Runner: a\n"
                 "[V] [TRT] Fastest Tactic: 0x1 Time: 3\n"
                 "[V] [TRT] --------------- Timing Runner: a (Cask[0x80])\n"
                 "[V] [TRT] Fastest Tactic: 0x1\n",
                 "");
    expect_timed("[V] [TRT] *************** Autotuning format combination: Float(1) -> "
                 "Half(1) ***************\n"
                 "[V] [TRT] --------------- Timing Runner: a (Cask[0x80])\n"
                 "[V] [TRT] Fastest Tactic: 0x1 Time: 3\n"
                 "[V] [TRT] *************** Anything else ***************\n",
                 "a | Cask | 0x1 | Float(1) -> Half(1) | 3\n");
    expect_timed("[V] [TRT] a Set Tactic Name: k Tactic: 0x1\n"
                 "[V] [TRT] a Set Tactic Name: kk Tactic: 0x2\n"
                 "[V] [TRT] longer a Set Tactic Name: kk Tactic: 0x2\n",
                 "");
}

/* The time as it is written, "" when it is none. */
static void expect_time(const char *written, double ms)
{
    char text[TEXT];
    struct log l;

    snprintf(text, sizeof text,
             "[V] [TRT] --------------- Timing Runner: a (Cask[0x80])\n"
             "[V] [TRT] Fastest Tactic: 0x1 Time: %s\n",
             written);
    l = read_log(text);
    assert_int_equal(l.h->rivals.n, ms >= 0);
    if (ms >= 0)
        assert_true(l.h->rivals.at[0].ms == ms);
    fsd_arena_free(l.arena);
}

static void times(void **state)
{
    (void)state;
    expect_time("3", 3);
    expect_time("0", 0);
    expect_time("0.00324571", 0.00324571);
    expect_time("12.5", 12.5);
    expect_time("5.", 5);
    expect_time(".5", .5);
    expect_time("1e-3", 1e-3);
    expect_time("123456.789012345", 123456.789012345);
    expect_time("1234567.8901234567", 1234567.8901234567);
    expect_time("0.1234567890123456789", 0.1234567890123456789);
    expect_time("0.10000000000000000000000000000001", 0.1);
    expect_time("1.2.3", 1.2);
    expect_time("1000000000", 1000000000);
    expect_time("1000000001", -1);
    expect_time("-1", -1);
    expect_time("nan", -1);
    expect_time("inf", -1);
    expect_time("soon", -1);
    expect_time("", -1);
}

/* Reformats are timed by what they change, and are found again by their tensor. */
static void reformats(void **state)
{
    static const char timed[] =
        "[V] [TRT] *************** Autotuning Reformat: Float(1) -> Half(1) "
        "***************\n"
        "[V] [TRT] --------------- Timing Runner: Optimizer Reformat(x -> <out>) "
        "(Reformat[0x6])\n"
        "[V] [TRT] Fastest Tactic: 0x1 Time: 3\n"
        "[V] [TRT] Optimizer Reformat(<in> -> y) [Half(2) -> Float(2)] got cached "
        "result: Reformat, tactic 0x2, 0.5 ms\n";
    static const struct {
        const char *added;
        uint32_t timed;
    } cases[] = {
        {"Reformatted Input Tensor 0 to a (x) from Float(1) to Half(1)", 1},
        {"Reformatted Output Tensor 0 to a (y) from Half(2) to Float(2)", 2},
        {"Reformatted Network Output Tensor 0 to a (y) from Half(2) to Float(2)", 2},
        {"Reformatted Output Tensor 0 to a (x) from Float(1) to Half(1)", 0},
        {"Reformatted Input Tensor 0 to a (y) from Half(2) to Float(2)", 0},
        {"Reformatted Input Tensor 0 to a (x) from Float(1) to Half(2)", 0},
        {"Reformatted Input Tensor 0 to a (z) from Float(1) to Half(1)", 0},
        {"Reformatted Input Tensor 0 to a (x) from Float to Half", 0},
    };

    (void)state;
    expect_timed(timed,
                 "Optimizer Reformat(x -> <out>) | Float(1) -> Half(1) | 0x1 |  | "
                 "3\nOptimizer Reformat(<in> -> y) | Half(2) -> Float(2) | 0x2 |  "
                 "| 0.5\n");
    for (size_t i = 0; i < FSD_COUNT_OF(cases); i++) {
        char text[TEXT];
        struct log l;

        snprintf(text, sizeof text, "%s[V] [TRT] Adding reformat layer: %s\n", timed,
                 cases[i].added);
        l = read_log(text);
        assert_int_equal(l.h->events.n, 1);
        assert_int_equal(l.h->events.at[0].kind, FSD_EVENT_REFORMAT);
        assert_int_equal(l.h->events.at[0].timed, cases[i].timed);
        fsd_arena_free(l.arena);
    }
}

/* A result from the cache that is not of a reformat, or not whole, says nothing. */
static void cached(void **state)
{
    static const char *const odd[] = {
        "Other Reformat(<in> -> y) [A -> B] got cached result: R, tactic 0x2, 0.5 ms",
        "Optimizer Reformat(<in> -> y) got cached result: R, tactic 0x2, 0.5 ms",
        "Optimizer Reformat(<in> -> y) A -> B] got cached result: R, tactic 0x2, 0.5 "
        "ms",
        "Optimizer Reformat(<in> -> y) [A -> B got cached result: R, tactic 0x2, 0.5 "
        "ms",
        "Optimizer Reformat(<in> -> y) [A -> B] got result: R, tactic 0x2, 0.5 ms",
        "Optimizer Reformat(<in> -> y) [A -> B] got cached result: R, 0x2, 0.5 ms",
        "Optimizer Reformat(<in> -> y) [A -> B] got cached result: R, tactic 0x2",
        "Optimizer Reformat(<in> -> y) [A -> B] got cached result: R, tactic 0x2, ms"};

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(odd); i++) {
        char text[TEXT];
        struct log l;

        snprintf(text, sizeof text, "[V] [TRT] %s\n", odd[i]);
        l = read_log(text);
        assert_int_equal(l.h->rivals.n, 0);
        fsd_arena_free(l.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runners),
        cmocka_unit_test(times),
        cmocka_unit_test(reformats),
        cmocka_unit_test(cached),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
