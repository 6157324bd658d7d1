/* Amounts: numbers, and polynomials in sizes that only a run knows. */
#include "model/ops/ids.h"
#include "model/ops/amount.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct table {
    struct fsd_arena *arena;
    struct fsd_amounts *t;
    int64_t n, h;
};

static struct table new_table(void)
{
    struct table s = {.arena = fsd_arena_new()};
    struct fsd_intern *names = fsd_op_names_new(s.arena);

    s.t = fsd_amounts_new(s.arena, names);
    s.n = fsd_amount_named(s.t, fsd_intern_str(names, "N"));
    s.h = fsd_amount_named(s.t, fsd_intern_str(names, "2*s0"));
    return s;
}

static void amount__numbers_are_numbers(void **state)
{
    struct table s = new_table();
    int64_t number;

    (void)state;
    assert_int_equal(fsd_times(s.t, 6, 7), 42);
    assert_int_equal(fsd_plus(s.t, 6, 0), 6);
    assert_int_equal(fsd_minus(s.t, 6, 6), 0);
    assert_int_equal(fsd_over(s.t, 7, 2), 3);
    assert_true(fsd_amount_number(s.t, fsd_minus(s.t, 3, 5), &number));
    assert_int_equal(number, -2);
    assert_int_equal(fsd_plus(s.t, fsd_amount_of(s.t, -2), 5), 3);
    assert_int_equal(fsd_over(s.t, 7, 0), -1);
    fsd_arena_free(s.arena);
}

static void amount__equal_ones_are_equal(void **state)
{
    struct table s = new_table();
    int64_t a = fsd_times(s.t, fsd_plus(s.t, s.n, 2), fsd_minus(s.t, s.n, 2));
    int64_t b = fsd_minus(s.t, fsd_times(s.t, s.n, s.n), 4);

    (void)state;
    assert_int_equal(a, b);
    assert_string_equal(fsd_amount_text(s.t, a), "N^2 - 4");
    assert_int_equal(fsd_minus(s.t, a, b), 0);
    assert_int_equal(fsd_times(s.t, a, 0), 0);
    assert_int_equal(fsd_times(s.t, s.n, s.h), fsd_times(s.t, s.h, s.n));
    fsd_arena_free(s.arena);
}

static void amount__spelling(void **state)
{
    struct table s = new_table();

    (void)state;
    assert_string_equal(fsd_amount_text(s.t, fsd_times(s.t, 1204224, s.n)),
                        "1204224*N");
    assert_string_equal(
        fsd_amount_text(s.t, fsd_plus(s.t, 3, fsd_times(s.t, s.n, s.h))),
        "N*(2*s0) + 3");
    assert_string_equal(fsd_amount_text(s.t, fsd_minus(s.t, 0, s.n)), "-N");
    assert_null(fsd_amount_text(s.t, 5));
    assert_null(fsd_amount_text(s.t, -1));
    assert_null(fsd_amount_text(s.t, fsd_amount_of(s.t, -5)));
    fsd_arena_free(s.arena);
}

static void amount__division_comes_out_even(void **state)
{
    struct table s = new_table();
    int64_t eight = fsd_times(s.t, 8, s.n);

    (void)state;
    assert_int_equal(fsd_over(s.t, eight, 8), s.n);
    assert_int_equal(fsd_over(s.t, fsd_plus(s.t, eight, 7), 8), s.n);
    assert_int_equal(fsd_over(s.t, fsd_minus(s.t, eight, 1), 8),
                     fsd_minus(s.t, s.n, 1));
    fsd_arena_free(s.arena);
}

/* Of four halvings of N by windows that keep the border: floor((N - 1)/16) + 1. */
static void amount__division_that_rounds_has_a_name(void **state)
{
    struct table s = new_table();
    int64_t size = s.n;

    (void)state;
    assert_string_equal(fsd_amount_text(s.t, fsd_over(s.t, s.n, 2)), "floor(N/2)");
    assert_int_equal(fsd_over(s.t, s.n, 2), fsd_over(s.t, s.n, 2));
    assert_int_equal(fsd_over(s.t, fsd_over(s.t, s.n, 2), 3), fsd_over(s.t, s.n, 6));
    for (int i = 0; i < 4; i++)
        size = fsd_plus(s.t, fsd_over(s.t, fsd_minus(s.t, size, 1), 2), 1);
    assert_string_equal(fsd_amount_text(s.t, size), "floor((N - 1)/16) + 1");
    for (int i = 0; i < 40; i++)
        size = fsd_over(s.t, fsd_plus(s.t, fsd_times(s.t, size, 3), 1), 2);
    assert_int_equal(size, -1); /* beyond measure */
    fsd_arena_free(s.arena);
}

static void amount__beyond_measure_is_unknown(void **state)
{
    struct table s = new_table();
    int64_t a = INT64_C(1) << 61, many = s.n;

    (void)state;
    assert_int_equal(fsd_times(s.t, a, 4), -1);
    assert_int_equal(fsd_plus(s.t, fsd_plus(s.t, a, a), a), -1);
    assert_int_equal(fsd_times(s.t, fsd_times(s.t, a, s.n), 4), -1);
    for (int i = 0; i < 8; i++)
        many = fsd_times(s.t, many, s.n);
    assert_int_equal(many, -1);
    many = fsd_plus(s.t, s.n, s.h);
    for (int i = 0; i < 4; i++)
        many = fsd_times(s.t, many, many);
    assert_int_equal(many, -1);
    assert_int_equal(fsd_times(s.t, -1, 0), -1);
    fsd_arena_free(s.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amount__numbers_are_numbers),
        cmocka_unit_test(amount__equal_ones_are_equal),
        cmocka_unit_test(amount__spelling),
        cmocka_unit_test(amount__division_comes_out_even),
        cmocka_unit_test(amount__division_that_rounds_has_a_name),
        cmocka_unit_test(amount__beyond_measure_is_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
