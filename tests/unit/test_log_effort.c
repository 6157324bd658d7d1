/* What a log states of the cost of a build: seconds; timed, cached, skipped tactics. */
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

enum { TEXT = 1 << 16 };

/* "layer | source | seconds of stated | stamped | begun timed kernels cached | skips",
 * one a line; a skip is "times why (wanted room)". */
static void put_efforts(const struct log *l, char got[TEXT])
{
    const struct fsd_efforts *all = &l->h->efforts;
    size_t n = 0;

    for (uint32_t i = 0; i < all->list.n; i++) {
        const struct fsd_effort *e = &all->list.at[i];

        n += (size_t)snprintf(
            got + n, TEXT - n, "%s | %s | %g of %u | %u | %u %u %u %u |",
            fsd_text(l->names, e->layer), fsd_text(l->names, e->source), e->seconds,
            e->stamped ? 0 : e->stated, e->stamped, e->begun, e->timed,
            (unsigned)e->tactics, e->cached);
        for (uint32_t k = e->skips ? e->skips - 1 : FSD_NONE; k != FSD_NONE;
             k = all->skips.at[k].next) {
            const struct fsd_effort_skip *s = &all->skips.at[k];

            n += (size_t)snprintf(got + n, TEXT - n, " %u %s", s->times,
                                  fsd_text(l->names, s->why));
            if (s->wanted)
                n += (size_t)snprintf(got + n, TEXT - n, " (%u %u)",
                                      (unsigned)s->wanted, (unsigned)s->room);
        }
        n += (size_t)snprintf(got + n, TEXT - n, "\n");
        assert_int_equal(e->build, 0);
    }
}

static void expect(const char *text, const char *want)
{
    static char got[TEXT];
    struct log l = read_log(text);

    got[0] = '\0';
    put_efforts(&l, got);
    assert_string_equal(got, want);
    fsd_arena_free(l.arena);
}

#define TIMING "[V] [TRT] --------------- Timing Runner: a (Cask[0x80])\n"

static void seconds(void **state)
{
    (void)state;
    expect(TIMING
           "[V] [TRT] Tactic Name: k Tactic: 0x1 Time: 3\n"
           "[V] [TRT] Tactic: 0x2 Time: 4\n"
           "[V] [TRT] a (Cask[0x80]) profiling completed in 0.5 seconds. Fastest "
           "Tactic: 0x1 Time: 3\n" TIMING
           "[V] [TRT] a (Cask[0x80]) profiling completed in 0.25 seconds. Fastest "
           "Tactic: 0x1 Time: inf\n",
           "a | Cask | 0.75 of 2 | 0 | 2 1 2 0 |\n");
    /* A name may hold the words of the line. */
    expect(
        "[V] [TRT] a profiling completed in x (Cask[0x80]) profiling completed in 0.5 "
        "seconds. Fastest Tactic: 0x1 Time: 3\n",
        "a profiling completed in x | Cask | 0.5 of 1 | 0 | 0 1 0 0 |\n");
    expect(
        "[V] [TRT] a (Cask[0x80]) profiling completed in -1 seconds. Fastest Tactic: "
        "0x1 Time: 3\n",
        "a | Cask | 0 of 0 | 0 | 0 1 0 0 |\n");
    /* Kernels before any runner, and behind the last, are of none. */
    expect("[V] [TRT] Tactic: 0x2 Time: 4\n" TIMING
           "[V] [TRT] Fastest Tactic: 0x1 Time: 3\n[V] [TRT] Tactic: 0x2 Time: 4\n",
           "a | Cask | 0 of 0 | 0 | 1 1 0 0 |\n");
    /* Those of a region's compiler count. */
    expect("[V] [TRT] --------------- Timing Runner: r (Myelin[0x80000023])\n"
           "[V] [TRT]  (foreignNode) Autotuning op n: [ONNX Layer: n]\n"
           "[V] [TRT]  (foreignNode) tactic_id, cost(in ms), x, y, kernel_name\n"
           "[V] [TRT]  (foreignNode)    0, 0.018, 1.0, 0.9, k0, 0x1\n"
           "[V] [TRT]  (foreignNode)    1, 0.020, 1.1, 0.9, k1, 0x2\n"
           "[V] [TRT]  (foreignNode)    2, 0.022, 1.2, 0.9, k2, 0x3\n",
           "r | Myelin | 0 of 0 | 0 | 1 0 3 0 |\n");
}

static void cached(void **state)
{
    (void)state;
    expect(
        "[V] [TRT] a [Half(8,1) -> Half(8,1)] got cached result: Cask, tactic 0x9, 0.1 "
        "ms\n"
        "[V] [TRT] Optimizer Reformat(x -> <out>) [A -> B] got cached result: "
        "Reformat, tactic 0x3e8, 0.003 ms\n",
        "a | Cask | 0 of 0 | 0 | 0 0 0 1 |\n"
        "Optimizer Reformat(x -> <out>) | Reformat | 0 of 0 | 0 | 0 0 0 1 |\n");
}

static void skips(void **state)
{
    (void)state;
    expect(TIMING
           "[V] [TRT] Tactic: 4 skipped. Scratch requested: 900, available: 100\n"
           "[V] [TRT] Tactic: 5 skipped. Scratch requested: 700, available: 100\n"
           "[V] [TRT] Tactic: 0 is the only option, timing skipped\n"
           "[V] [TRT] Cudnn has no valid tactics for this config, skipping\n"
           "[V] [TRT] Skipping Flat: No valid tactics for b\n"
           "[V] [TRT] Fast skip Tactic:0x58 which exceed time limit during pre-run\n",
           "a | Cask | 0 of 0 | 0 | 1 0 0 0 | 1 the tactic's first run exceeds a "
           "time limit 1 only one tactic 2 too little workspace (900 100)\n"
           "a | Cudnn | 0 of 0 | 0 | 0 0 0 0 | 1 no valid tactic for a format "
           "combination\n"
           "b | Flat | 0 of 0 | 0 | 0 0 0 0 | 1 no valid tactic for a format "
           "combination\n");
    expect(
        TIMING
        "[W] [TRT] Skipping tactic 3 due to insufficient memory on requested size of "
        "900 detected for tactic 0x3.\n"
        "[W] [TRT] Skipping tactic 0x1 due to exception x\n"
        "[W] [TRT] Skipping tactic 0x1 due to \n[V] [TRT] Skipping it\n",
        "a | Cask | 0 of 0 | 0 | 1 0 0 0 | 1 exception x 1 too little workspace (900 "
        "0)\n");
    /* Nothing is being timed. */
    expect("[V] [TRT] Cudnn has no valid tactics for this config, skipping\n"
           "[V] [TRT] Tactic: 4 skipped. Scratch requested: 900, available: 100\n",
           "");
}

static void stamps(void **state)
{
    (void)state;
#define AT(time) "[03/14/2022-" time "] [V] [TRT] "
#define RUNNER   "--------------- Timing Runner: a (Cask)\n"
    expect(AT("23:59:58") RUNNER AT("00:00:01") "Tactic: 1 Time: 3\n" AT(
               "00:00:02") "Fastest Tactic: 1 Time: 3\n" AT("00:00:09") "x\n",
           "a | Cask | 0 of 0 | 4 | 1 1 1 0 |\n");
    /* A clock that is put back, and what is no time. */
    expect(AT("10:00:05")
               RUNNER AT("10:00:01") "x\n" AT("10:0x:09") "x\n" AT("10:00:03") "x\n",
           "a | Cask | 0 of 0 | 2 | 1 0 0 0 |\n");
    expect(AT("10:00:05")
               RUNNER AT("10:00:07") "=============== Computing costs for b\n" AT(
                   "10:00:09") "x\n",
           "a | Cask | 0 of 0 | 2 | 1 0 0 0 |\n");
}

/* Beyond the bounds all is added to one entry without a name. */
static void bounds(void **state)
{
    static char text[TEXT * 4], got[TEXT];
    struct log l;
    size_t n = 0;
    uint32_t tactics = 0, times = 0;

    (void)state;
    for (unsigned i = 0; i < 3 * FSD_MOST_SOURCES; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "[V] [TRT] --------------- Timing Runner: a (S%u)\n"
                              "[V] [TRT] Tactic: 0x1 Time: 3\n"
                              "[W] [TRT] Skipping tactic 1 due to r\n",
                              i);
    for (unsigned i = 0; i < 3 * FSD_MOST_REASONS; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "[W] [TRT] Skipping tactic 1 due to r%u\n", i);
    l = read_log(text);
    assert_int_equal(l.h->efforts.list.n, FSD_MOST_SOURCES + 1);
    for (uint32_t i = 0; i < l.h->efforts.list.n; i++)
        tactics += (uint32_t)l.h->efforts.list.at[i].tactics;
    assert_int_equal(tactics, 3 * FSD_MOST_SOURCES);
    assert_int_equal(l.h->efforts.skips.n, FSD_MOST_SOURCES + 1 + FSD_MOST_REASONS);
    for (uint32_t i = 0; i < l.h->efforts.skips.n; i++)
        times += l.h->efforts.skips.at[i].times;
    assert_int_equal(times, 3 * FSD_MOST_SOURCES + 3 * FSD_MOST_REASONS);
    put_efforts(&l, got);
    assert_non_null(strstr(got, "a |  | 0 of 0 | 0 | 128 0 128 0 |"));
    fsd_arena_free(l.arena);
}

static void whole(void **state)
{
    struct log l =
        read_log("[V] [TRT] Graph construction completed in 0.125 seconds.\n"
                 "[V] [TRT] Subgraph compilation completed in 0.5 seconds.\n"
                 "[V] [TRT] Subgraph compilation completed in 0.25 seconds.\n"
                 "[V] [TRT] [MS] Multi stream splitting completed in 1e-2 "
                 "seconds.\n"
                 "[I] Finished parsing network model. Parse time: 0.75\n"
                 "[I] Finished engine building in 3.5 seconds\n"
                 "[V] [TRT] Graph optimization time: nan seconds.\n"
                 "[V] [TRT] Deleting timing cache: 7 entries, 8 hits\n"
                 "[V] [TRT] Deleting timing cache: x entries, 8 hits\n"
                 "[I] [TRT] Local timing cache in use. Nothing is stored.\n"
                 "[I] [TRT] Loaded engine size: 4 MiB\n"
                 "[I] Created engine with size: 4.5 MiB\n"
                 "[I] [TRT] Loaded engine size: 4 MiB\n");
    const struct fsd_efforts *all = &l.h->efforts;
    static const struct {
        const char *name;
        double seconds;
        uint32_t times;
    } want[] = {{"Graph construction", 0.125, 1},
                {"Subgraph compilation", 0.75, 2},
                {"Multi stream splitting", 0.01, 1},
                {"Parsing", 0.75, 1},
                {"Engine building", 3.5, 1}};

    (void)state;
    assert_int_equal(all->steps.n, FSD_COUNT_OF(want));
    for (uint32_t i = 0; i < all->steps.n; i++) {
        assert_string_equal(fsd_text(l.names, all->steps.at[i].name), want[i].name);
        assert_true(all->steps.at[i].seconds == want[i].seconds);
        assert_int_equal(all->steps.at[i].times, want[i].times);
    }
    assert_int_equal(all->sums.n, 1);
    assert_int_equal(all->sums.at[0].entries, 7);
    assert_int_equal(all->sums.at[0].hits, 8);
    assert_string_equal(fsd_text(l.names, all->sums.at[0].cache), "local");
    assert_string_equal(fsd_text(l.names, all->sums.at[0].plan), "4.5 MiB");
    assert_false(all->sums.at[0].plan_whole);
    fsd_arena_free(l.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seconds), cmocka_unit_test(cached), cmocka_unit_test(skips),
        cmocka_unit_test(stamps),  cmocka_unit_test(bounds), cmocka_unit_test(whole)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
