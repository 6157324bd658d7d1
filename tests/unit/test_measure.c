/* What is measured of one tensor against another, where numbers are not finite, too. */
#include "explain/values/values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 4 };

/* The floats as the bytes of a file, in whose order the machine holds them. */
struct tensor {
    float numbers[MOST];
    struct fsd_file file;
    struct fsd_array array;
};

static const struct fsd_array *array_of(struct tensor *t, const float *numbers,
                                        uint32_t n)
{
    const uint16_t one = 1;
    unsigned char first;

    memcpy(&first, &one, 1);
    memcpy(t->numbers, numbers, n * sizeof *numbers);
    t->file = (struct fsd_file){.name = "test",
                                .bytes = (const unsigned char *)t->numbers,
                                .size = n * sizeof *numbers};
    t->array = (struct fsd_array){
        .type = FSD_FP32,
        .big_endian = !first,
        .rank = 1,
        .dims = {n},
        .count = n,
        .stored = {.file = &t->file, .n = t->file.size, .size = t->file.size}};
    return &t->array;
}

static struct fsd_error_measure measure(const float *a, const float *b, uint32_t n)
{
    struct tensor first, second;
    const struct fsd_array *broken;
    struct fsd_error_measure m;

    assert_null(fsd_measure_error(a ? array_of(&first, a, n) : NULL,
                                  array_of(&second, b, n), &m, &broken));
    assert_null(broken);
    return m;
}

static void an_infinity_is_fresh_unless_the_reference_has_the_same(void **state)
{
    const float up[] = {INFINITY}, down[] = {-INFINITY}, nan[] = {NAN}, one[] = {1};

    (void)state;
    assert_int_equal(measure(up, up, 1).fresh, 0);
    assert_int_equal(measure(down, down, 1).fresh, 0);
    assert_int_equal(measure(up, down, 1).fresh, 1);
    assert_int_equal(measure(down, up, 1).fresh, 1);
    assert_int_equal(measure(one, up, 1).fresh, 1);
    assert_int_equal(measure(nan, up, 1).fresh, 1);
    assert_int_equal(measure(up, one, 1).fresh, 0);
    assert_int_equal(measure(up, down, 1).inf, 1);
    assert_int_equal(measure(up, one, 1).inf, 0);
}

static void a_nan_is_fresh_unless_the_reference_has_one(void **state)
{
    const float up[] = {INFINITY}, nan[] = {NAN}, one[] = {1};

    (void)state;
    assert_int_equal(measure(nan, nan, 1).fresh, 0);
    assert_int_equal(measure(one, nan, 1).fresh, 1);
    assert_int_equal(measure(up, nan, 1).fresh, 1);
    assert_int_equal(measure(nan, one, 1).fresh, 0);
    assert_int_equal(measure(one, nan, 1).nan, 1);
    assert_int_equal(measure(nan, one, 1).nan, 0);
}

/* 3, 4 against 3, 5 is off by one; what is not finite on either side adds nothing. */
static void only_finite_pairs_count(void **state)
{
    const float a[] = {3, 4, INFINITY, 7}, b[] = {3, 5, 9, NAN};
    struct fsd_error_measure m = measure(a, b, 4);

    (void)state;
    assert_true(m.l2 == 1);
    assert_true(m.l2_rel == 1.0 / 5);
    assert_true(m.max_abs == 1);
    assert_true(m.max_rel == 1.0 / 4);
    assert_true(fabs(m.cosine - 29 / (5 * sqrt(34))) < 1e-15);
    assert_int_equal(m.nan, 1);
    assert_int_equal(m.inf, 0);
    assert_int_equal(m.fresh, 1);
}

static void a_reference_of_zeros(void **state)
{
    const float zero[] = {0, 0}, two[] = {0, 2};
    struct fsd_error_measure m = measure(zero, two, 2);

    (void)state;
    assert_true(isinf(m.l2_rel) && m.l2_rel > 0);
    assert_true(m.max_rel == 0);
    assert_true(isnan(m.cosine));
    m = measure(zero, zero, 2);
    assert_true(m.l2_rel == 0);
    assert_true(isnan(m.cosine));
}

static void without_a_reference_only_counts_are_known(void **state)
{
    const float b[] = {1, -INFINITY, NAN, NAN};
    struct fsd_error_measure m = measure(NULL, b, 4);

    (void)state;
    assert_int_equal(m.inf, 1);
    assert_int_equal(m.nan, 2);
    assert_true(isnan(m.l2) && isnan(m.l2_rel) && isnan(m.max_abs) &&
                isnan(m.max_rel) && isnan(m.cosine));
}

static void arrays_of_other_shapes_are_not_measured(void **state)
{
    const float numbers[] = {1, 2};
    struct tensor first, second;
    const struct fsd_array *a = array_of(&first, numbers, 2), *broken;
    const struct fsd_array *b = array_of(&second, numbers, 2);
    struct fsd_error_measure m;

    (void)state;
    second.array.dims[0] = 1;
    assert_string_equal(fsd_measure_error(a, b, &m, &broken), "its shapes differ");
    second.array.dims[0] = 2;
    second.array.fortran = true;
    assert_non_null(fsd_measure_error(a, b, &m, &broken));
    second.array.fortran = false;
    second.array.stored.n--;
    assert_string_equal(fsd_measure_error(a, b, &m, &broken),
                        "it is damaged or truncated");
    assert_ptr_equal(broken, b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_infinity_is_fresh_unless_the_reference_has_the_same),
        cmocka_unit_test(a_nan_is_fresh_unless_the_reference_has_one),
        cmocka_unit_test(only_finite_pairs_count),
        cmocka_unit_test(a_reference_of_zeros),
        cmocka_unit_test(without_a_reference_only_counts_are_known),
        cmocka_unit_test(arrays_of_other_shapes_are_not_measured),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
