/* Regions: what happened to the fusion of a few nodes. */
#include "change/compare/compare.h"
#include "build_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* in -> Conv -> Add -> Relu -> out, not yet grouped */
static struct fsd_state *chain(void)
{
    struct fsd_state *s = new_state();
    fsd_id at = add_node(s, "conv", "Conv", NULL, 1, FSD_REF_PORT);

    at = add_node(s, "add", "Add", NULL, 1, at);
    at = add_node(s, "relu", "Relu", NULL, 1, at);
    add_output(s, "out", at);
    return s;
}

/* Nodes 0, 1, 2 in groups as the letters say: "aab". */
static struct fsd_state *grouped(const char *letters, enum fsd_dtype type)
{
    struct fsd_state *s = chain();

    for (fsd_id i = 0; i < 3; i++) {
        if (letters[i] == '-' || (i && letters[i] == letters[i - 1]))
            continue;
        if (i < 2 && letters[i + 1] == letters[i])
            (i < 1 && letters[2] == letters[0]) ? add_group(s, type, 3, 0, 1, 2)
                                                : add_group(s, type, 2, i, i + 1);
        else
            add_group(s, type, 1, i);
    }
    return finished(s);
}

static void expect(const char *old, const char *new, enum fsd_happened happened)
{
    struct fsd_state *a = grouped(old, FSD_FP16), *b = grouped(new, FSD_FP16);
    struct fsd_compare *c = fsd_compare_new(a, b);

    assert_int_equal(c->regions.at[0].happened, happened);
    assert_int_equal(c->differs, happened != FSD_HAPPENED_SAME);
    fsd_compare_free(c);
    fsd_state_free(a);
    fsd_state_free(b);
}

static void fusion(void **state)
{
    (void)state;
    expect("aab", "aab", FSD_HAPPENED_SAME);
    expect("aaa", "aab", FSD_HAPPENED_LOST);
    expect("aaa", "abc", FSD_HAPPENED_LOST);
    expect("abc", "aab", FSD_HAPPENED_GAINED);
    expect("aab", "abb", FSD_HAPPENED_REGROUPED);
}

/* A region that cannot be seen into loses nothing when it can. */
static void opaque(void **state)
{
    struct fsd_state *a = grouped("aaa", FSD_FP16), *b = grouped("abc", FSD_FP16);
    struct fsd_compare *c;

    (void)state;
    a->groups.at[0].kind = FSD_KIND_FOREIGN;
    c = fsd_compare_new(a, b);
    assert_int_equal(c->regions.n, 1);
    assert_int_equal(c->regions.at[0].happened, FSD_HAPPENED_OPAQUE);
    fsd_compare_free(c);
    a->groups.at[0].kind = FSD_KIND_COMPUTE;
    a->groups.at[0].loose = true;
    c = fsd_compare_new(b, a);
    assert_int_equal(c->regions.at[0].happened, FSD_HAPPENED_OPAQUE);
    fsd_compare_free(c);
    fsd_state_free(a);
    fsd_state_free(b);
}

static void width(void **state)
{
    struct fsd_state *a = grouped("aab", FSD_INT8), *b = grouped("aab", FSD_FP16);
    struct fsd_compare *c = fsd_compare_new(a, b);

    (void)state;
    assert_int_equal(c->by_width[FSD_WIDTH_WIDENED], 3);
    assert_int_equal(c->regions.at[0].width, FSD_WIDTH_WIDENED);
    fsd_compare_free(c);
    c = fsd_compare_new(b, a);
    assert_int_equal(c->by_width[FSD_WIDTH_NARROWED], 3);
    fsd_compare_free(c);
    fsd_state_free(a);
    fsd_state_free(b);
}

/* A node that no layer computes any more. */
static void eliminated(void **state)
{
    struct fsd_state *a = grouped("aab", FSD_FP16), *b = grouped("aa-", FSD_FP16);
    struct fsd_compare *c;

    (void)state;
    b->nodes.at[2].fate = FSD_FATE_IDENTITY;
    c = fsd_compare_new(a, b);
    assert_int_equal(c->by_presence[FSD_ELIMINATED], 1);
    assert_int_equal(c->by_happened[FSD_HAPPENED_OLD_ONLY], 1);
    assert_true(c->differs);
    fsd_compare_free(c);
    fsd_state_free(a);
    fsd_state_free(b);
}

/* Times, and nothing else, are no difference; they add up nevertheless. */
static void times(void **state)
{
    struct fsd_state *a = grouped("aab", FSD_FP16), *b = grouped("aab", FSD_FP16);
    struct fsd_compare *c;

    (void)state;
    a->profiles = b->profiles = 1;
    a->groups.at[0].ms = (struct fsd_spread){1, 1, 1};
    a->groups.at[1].ms = (struct fsd_spread){2, 2, 2};
    b->groups.at[0].ms = (struct fsd_spread){1.5, 1.5, 1.5};
    b->groups.at[1].ms = (struct fsd_spread){1.75, 1.75, 1.75};
    c = fsd_compare_new(a, b);
    assert_false(c->differs);
    assert_true(c->timed);
    assert_int_equal(c->order[0], 0); /* the one that became slower */
    assert_true(c->by_blame[FSD_BLAME_KERNEL] == 0.25);
    assert_true(c->after - c->before == 0.25);
    fsd_compare_free(c);
    fsd_state_free(a);
    fsd_state_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fusion), cmocka_unit_test(opaque), cmocka_unit_test(width),
        cmocka_unit_test(eliminated), cmocka_unit_test(times)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
