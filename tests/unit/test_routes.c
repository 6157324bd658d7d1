/* Settings, and the engines of routes. What is concluded from knobs and times is drawn
 * in tests/unit/cases/routes.txt. */
#include "build_state.h"
#include "change/routes/parts.h"
#include "change/routes/routes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 6 };

/* Routes in the making. */
struct drawing {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    struct fsd_route_in at[MOST];
    uint32_t n;
    fsd_settings usual;
    struct fsd_routes *r;
};

static struct drawing new_drawing(void)
{
    struct fsd_arena *arena = fsd_arena_new();

    return (struct drawing){.arena = arena, .names = fsd_intern_new(arena)};
}

/* A route that sets `set`, of whose build `found` was read besides. */
static void add_route(struct drawing *d, const char *set, const char *found,
                      const struct fsd_state *state, double ms)
{
    struct fsd_route_in *in = &d->at[d->n++];
    uint32_t n;

    *in = (struct fsd_route_in){.name = "route", .state = state, .ms = ms, .loss = -1};
    fsd_settings_parse(d->arena, d->names, set, &in->settings);
    n = in->settings.n;
    fsd_settings_parse(d->arena, d->names, found, &in->settings);
    for (; n < in->settings.n; n++)
        in->settings.at[n].found = true;
}

static const struct fsd_routes *conclude(struct drawing *d)
{
    return d->r = fsd_routes_new(d->names, d->at, d->n, &d->usual, NULL);
}

static void drop(struct drawing *d)
{
    fsd_routes_free(d->r);
    fsd_arena_free(d->arena);
}

/* A build of two nodes, in one layer or in two. */
static struct fsd_state *build(bool fused)
{
    struct fsd_state *s = new_state();
    fsd_id a = add_node(s, "a", "Conv", NULL, 1, FSD_REF_PORT);
    fsd_id b = add_node(s, "b", "Relu", NULL, 1, a);

    s->model_hash[0] = 1;
    add_output(s, "out", b);
    if (fused) {
        add_group(s, FSD_FP16, 2, a, b);
    } else {
        add_group(s, FSD_FP16, 1, a);
        add_group(s, FSD_FP16, 1, b);
    }
    s->layers = fused ? 1 : 2;
    return finished(s);
}

/* The same with a Reformat, in front of its first node. */
static struct fsd_state *build_moved(bool inserted, enum fsd_cause cause)
{
    struct fsd_state *s = build(true);
    struct fsd_move move = {.kind = FSD_KIND_REFORMAT,
                            .cause = (uint8_t)cause,
                            .inserted = inserted,
                            .ms = {-1, -1, -1}};

    fsd_vec_push(s->arena, &s->moves, move);
    s->layers++;
    return finished(s);
}

/* ------------------------------------------------------------------------ settings */

static void a_setting_has_a_name_and_a_value(void **state)
{
    static const char *const cases[][2] = {
        {"a=1 b=two", "a=1 b=two "},   {"--a=1,-b=2;c=3", "a=1 b=2 c=3 "},
        {"  a=1 ,, b=2;", "a=1 b=2 "}, {"a=b=c", "a=b=c "},
        {"=1 a= b c=3", "c=3 "},       {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct drawing d = new_drawing();
        fsd_settings found = {0};
        char text[64] = "";

        fsd_settings_parse(d.arena, d.names, cases[i][0], &found);
        for (uint32_t k = 0; k < found.n; k++) {
            strcat(strcat(text, fsd_text(d.names, found.at[k].knob)), "=");
            strcat(strcat(text, fsd_text(d.names, found.at[k].value)), " ");
            assert_false(found.at[k].found);
        }
        assert_string_equal(text, cases[i][1]);
        fsd_arena_free(d.arena);
    }
}

/* -------------------------------------------------------------------------- knobs */

static void no_more_knobs_than_the_limit_are_kept(void **state)
{
    struct drawing d = new_drawing();
    static char text[16 * (FSD_MOST_KNOBS + 1)];
    size_t at = 0;
    const struct fsd_routes *r;

    (void)state;
    for (unsigned i = 0; i < FSD_MOST_KNOBS; i++)
        at += (size_t)sprintf(text + at, "k%u=1 ", i);
    add_route(&d, text, "", NULL, -1);
    add_route(&d, "last=1", "", NULL, -1);
    r = conclude(&d);
    assert_int_equal(r->knobs.n, FSD_MOST_KNOBS);
    drop(&d);
}

/* ------------------------------------------------------------------------ engines */

static int32_t inserted_between(struct fsd_state *from, struct fsd_state *to)
{
    struct drawing d = new_drawing();
    const struct fsd_routes *r;
    int32_t inserted;

    add_route(&d, "a=on", "", from, -1);
    add_route(&d, "a=off", "", to, -1);
    r = conclude(&d);
    assert_int_equal(r->engines.n, 2);
    assert_int_equal(r->steps.n, 1);
    assert_int_equal(r->steps.at[0].change->layers, 1);
    inserted = r->steps.at[0].change->inserted;
    drop(&d);
    fsd_state_free(to);
    fsd_state_free(from);
    return inserted;
}

static void only_what_the_builder_inserts_for_a_price_is_inserted(void **state)
{
    (void)state;
    assert_int_equal(inserted_between(build(true), build_moved(true, FSD_CAUSE_DTYPE)),
                     1);
    assert_int_equal(inserted_between(build(true), build_moved(false, FSD_CAUSE_NONE)),
                     0);
    assert_int_equal(inserted_between(build(true), build_moved(true, FSD_CAUSE_FREE)),
                     0);
}

/* One build alone states a type that its Reformat reads. */
static void builds_that_leave_a_fact_open_are_not_one_engine(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        struct drawing d = new_drawing();
        struct fsd_state *both[] = {build_moved(true, FSD_CAUSE_DTYPE),
                                    build_moved(true, FSD_CAUSE_DTYPE)};
        const struct fsd_routes *r;

        both[first]->moves.at[0].before.type = FSD_FP16;
        add_route(&d, "a=1", "", both[0], -1);
        add_route(&d, "a=2", "", both[1], -1);
        add_route(&d, "a=3", "", both[0], -1);
        r = conclude(&d);
        assert_int_equal(r->engines.n, 2);
        assert_int_equal(r->routes[2].engine, 0);
        drop(&d);
        fsd_state_free(both[1]);
        fsd_state_free(both[0]);
    }
}

/* Both builds have a group whose precision is unknown, so it may differ. */
static void groups_of_unknown_precision_may_be_of_two_engines(void **state)
{
    (void)state;
    for (int unknown = 0; unknown < 2; unknown++) {
        struct drawing d = new_drawing();
        struct fsd_state *both[] = {build_moved(true, FSD_CAUSE_DTYPE),
                                    build_moved(true, FSD_CAUSE_DTYPE)};

        for (int i = 0; i < 2; i++) {
            if (unknown)
                both[i]->groups.at[0].precision = FSD_DTYPE_UNKNOWN;
            add_route(&d, i ? "a=2" : "a=1", "", both[i], -1);
        }
        assert_int_equal(conclude(&d)->engines.n, unknown ? 2 : 1);
        drop(&d);
        fsd_state_free(both[1]);
        fsd_state_free(both[0]);
    }
}

/* ------------------------------------------------------------------------- changes */

/* A build with layers for a and b or, later, for b, c and d. */
static struct fsd_state *build_part(bool later, bool wide)
{
    struct fsd_state *s = new_state();
    fsd_id a = add_node(s, "a", "Conv", NULL, 1, FSD_REF_PORT);
    fsd_id b = add_node(s, "b", "Relu", NULL, 1, a);
    fsd_id c = add_node(s, "c", "Sigmoid", NULL, 1, b);
    fsd_id d = add_node(s, "d", "Tanh", NULL, 1, c);

    s->model_hash[0] = 1;
    add_output(s, "out", d);
    add_group(s, wide ? FSD_FP32 : FSD_FP16, 1, b);
    add_group(s, FSD_FP16, 1, later ? c : a);
    if (later)
        add_group(s, FSD_FP16, 1, d);
    s->layers = later ? 5 : 2;
    return finished(s);
}

static void a_change_counts_regions_and_layers(void **state)
{
    struct drawing d = new_drawing();
    struct fsd_state *one = build_part(false, false), *two = build_part(true, true);
    const struct fsd_engine_change *change;

    (void)state;
    add_route(&d, "a=1", "", one, -1);
    add_route(&d, "a=2", "", two, -1);
    conclude(&d);
    change = fsd_route_change(d.r, 0, 1);
    assert_false(change->same);
    assert_int_equal(change->added, 2);
    assert_int_equal(change->gone, 1);
    assert_int_equal(change->wider, 1);
    assert_int_equal(change->narrower, 0);
    assert_int_equal(change->layers, 3);
    change = fsd_route_change(d.r, 1, 0);
    assert_int_equal(change->added, 1);
    assert_int_equal(change->gone, 2);
    assert_int_equal(change->wider, 0);
    assert_int_equal(change->narrower, 1);
    assert_int_equal(change->layers, -3);
    assert_true(fsd_route_change(d.r, 1, 1)->same);
    assert_null(fsd_route_change(d.r, FSD_NONE, 0));
    drop(&d);
    fsd_state_free(two);
    fsd_state_free(one);
}

/* Of each pattern: the blocks that both builds know, those that were one kernel before,
 * and those that are one now. */
static void blocks_are_counted_by_pattern(void **state)
{
    struct drawing d = new_drawing();
    fsd_sym name[5];
    fsd_block_changes found;

    (void)state;
    for (int i = 0; i < 5; i++)
        name[i] = fsd_intern_str(d.names, (const char[]){(char)('a' + i), '\0'});
    add_route(&d, "a=1", "", NULL, -1);
    add_route(&d, "a=2", "", NULL, -1);
    for (int i = 0; i < 2; i++) {
        const struct fsd_route_block blocks[] = {
            {.pattern = "epilogue", .anchor = name[0], .known = i, .whole = true},
            {.pattern = "epilogue", .anchor = name[1], .known = true, .whole = !i},
            {.pattern = "epilogue", .anchor = name[2], .known = true, .whole = i},
            {.pattern = "epilogue", .anchor = name[3], .known = true, .whole = !i},
            {.pattern = "residual", .anchor = name[4], .known = !i, .whole = true},
        };

        for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
            fsd_vec_push(d.arena, &d.at[i].blocks, blocks[k]);
    }
    conclude(&d);
    found = fsd_route_block_changes(d.arena, d.r, 0, 1);
    assert_int_equal(found.n, 1);
    assert_string_equal(found.at[0].pattern, "epilogue");
    assert_int_equal(found.at[0].blocks, 3);
    assert_int_equal(found.at[0].lost, 2);
    assert_int_equal(found.at[0].gained, 1);
    drop(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_setting_has_a_name_and_a_value),
        cmocka_unit_test(no_more_knobs_than_the_limit_are_kept),
        cmocka_unit_test(a_change_counts_regions_and_layers),
        cmocka_unit_test(blocks_are_counted_by_pattern),
        cmocka_unit_test(only_what_the_builder_inserts_for_a_price_is_inserted),
        cmocka_unit_test(builds_that_leave_a_fact_open_are_not_one_engine),
        cmocka_unit_test(groups_of_unknown_precision_may_be_of_two_engines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
