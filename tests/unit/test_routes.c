/*
 * What is concluded from routes: which knobs there are, which steps lie between routes,
 * how far times of one engine differ, and which route keeps the gain of the best.
 */
#include "build_state.h"
#include "change/routes/parts.h"
#include "change/routes/routes.h"

#include <math.h>
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

static bool varies(const struct fsd_routes *r, const char *knob)
{
    for (uint32_t k = 0; k < r->knobs.n; k++)
        if (!strcmp(fsd_text(r->names, r->knobs.at[k].name), knob))
            return r->knobs.at[k].varies;
    fail_msg("no knob %s", knob);
    return false;
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

static void a_knob_without_a_value_does_not_vary(void **state)
{
    struct drawing d = new_drawing();
    const struct fsd_routes *r;

    (void)state;
    add_route(&d, "a=1 b=1", "", NULL, -1);
    add_route(&d, "b=2", "", NULL, -1);
    r = conclude(&d);
    assert_false(varies(r, "a"));
    assert_true(varies(r, "b"));
    drop(&d);
}

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

static void what_a_knob_determines_is_no_second_knob(void **state)
{
    struct drawing d = new_drawing();
    const struct fsd_routes *r;

    (void)state;
    add_route(&d, "v=1", "version=10.1", NULL, -1);
    add_route(&d, "v=2", "version=10.2", NULL, -1);
    add_route(&d, "v=1", "version=10.1", NULL, -1);
    r = conclude(&d);
    assert_true(varies(r, "v"));
    assert_false(varies(r, "version"));
    assert_true(r->knobs.at[1].follows);
    assert_false(r->knobs.at[0].follows);
    assert_int_not_equal(r->routes[0].stated[1], r->routes[1].stated[1]);
    drop(&d);
}

static void two_values_beside_one_are_not_determined(void **state)
{
    struct drawing d = new_drawing();
    const struct fsd_routes *r;

    (void)state;
    add_route(&d, "v=1", "version=10.1", NULL, -1);
    add_route(&d, "v=2", "version=10.2", NULL, -1);
    add_route(&d, "v=1", "version=10.3", NULL, -1);
    r = conclude(&d);
    assert_true(varies(r, "version"));
    drop(&d);
}

/* The route does not state its v: what its version is a sign of is open. */
static void an_unknown_value_determines_nothing(void **state)
{
    struct drawing d = new_drawing();
    const struct fsd_routes *r;

    (void)state;
    add_route(&d, "v=1", "version=10.1", NULL, -1);
    add_route(&d, "v=2", "version=10.2", NULL, -1);
    add_route(&d, "w=1", "version=10.3", NULL, -1);
    r = conclude(&d);
    assert_true(varies(r, "v"));
    assert_true(varies(r, "version"));
    drop(&d);
}

/* Nothing is known of the second route's version, which contradicts nothing. */
static void an_unknown_value_is_determined(void **state)
{
    struct drawing d = new_drawing();
    const struct fsd_routes *r;

    (void)state;
    add_route(&d, "v=1", "version=10.1", NULL, -1);
    add_route(&d, "v=1", "", NULL, -1);
    add_route(&d, "v=2", "version=10.2", NULL, -1);
    r = conclude(&d);
    assert_false(varies(r, "version"));
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

/* -------------------------------------------------------------------------- times */

static void a_time_that_is_not_known_is_no_step(void **state)
{
    struct drawing d = new_drawing();
    const struct fsd_routes *r;

    (void)state;
    fsd_settings_parse(d.arena, d.names, "a=on", &d.usual);
    add_route(&d, "a=on", "", NULL, 2);
    add_route(&d, "a=off", "", NULL, -1);
    add_route(&d, "a=low", "", NULL, 5);
    r = conclude(&d);
    assert_int_equal(r->steps.n, 2);
    assert_true(isnan(r->steps.at[0].ms));
    assert_true(r->steps.at[1].ms == 3);
    assert_int_equal(r->effects.n, 2);
    assert_true(r->effects.at[0].timed == 1 && r->effects.at[0].least == 3);
    assert_int_equal(r->effects.at[1].timed, 0);
    drop(&d);
}

/* The slower of both is not measured as the faster; nor is it, unmeasured, the best. */
static void a_time_that_is_not_known_wins_nothing(void **state)
{
    struct drawing d = new_drawing();
    const struct fsd_routes *r;

    (void)state;
    add_route(&d, "a=on", "", NULL, 2);
    add_route(&d, "a=off", "", NULL, -1);
    add_route(&d, "a=low", "", NULL, 1);
    r = conclude(&d);
    assert_int_equal(r->best, 2);
    assert_true(r->noise < 0);
    drop(&d);
}

static void one_time_beside_an_unknown_one_leaves_no_choice(void **state)
{
    struct drawing d = new_drawing();

    (void)state;
    add_route(&d, "a=on", "", NULL, 2);
    add_route(&d, "a=off", "", NULL, -1);
    assert_int_equal(conclude(&d)->best, FSD_NONE);
    drop(&d);
}

/* -------------------------------------------------------------------------- noise */

static void times_of_one_engine_state_the_noise(void **state)
{
    struct drawing d = new_drawing();
    struct fsd_state *one = build(true), *two = build(false);
    const struct fsd_routes *r;

    (void)state;
    add_route(&d, "a=on", "", one, 2);
    add_route(&d, "a=off", "", one, 2.5);
    add_route(&d, "a=low", "", two, 7);
    add_route(&d, "a=high", "", one, -1);
    r = conclude(&d);
    assert_int_equal(r->engines.n, 2);
    assert_true(r->noise == 0.5);
    drop(&d);
    fsd_state_free(two);
    fsd_state_free(one);
}

/* From 3 ms to 1 ms; with fewer knobs 1.05 ms, a fortieth of the gain more.  `again`
 * is a second time of the first route's engine. */
static void draw_gain(struct drawing *d, const struct fsd_state *one,
                      const struct fsd_state *two, const struct fsd_state *three,
                      double again)
{
    fsd_settings_parse(d->arena, d->names, "a=on b=on c=on", &d->usual);
    add_route(d, "", "", one, 3);
    add_route(d, "a=off b=off", "", two, 1);
    add_route(d, "a=off", "", three, 1.05);
    add_route(d, "c=off", "", one, again);
}

static void a_noise_of_nothing_is_known(void **state)
{
    struct drawing d = new_drawing();
    struct fsd_state *one = build(true), *two = build(false);
    const struct fsd_routes *r;

    (void)state;
    draw_gain(&d, one, two, NULL, 3);
    r = conclude(&d);
    assert_true(r->noise == 0);
    assert_int_equal(r->best, 1);
    assert_int_equal(r->kept, 1);
    assert_int_equal(r->kept_by, FSD_KEPT_NONE);
    drop(&d);
    fsd_state_free(two);
    fsd_state_free(one);
}

static void without_a_noise_a_twentieth_of_the_gain_may_be_lost(void **state)
{
    struct drawing d = new_drawing();
    struct fsd_state *one = build(true), *two = build(false);
    const struct fsd_routes *r;

    (void)state;
    draw_gain(&d, one, two, NULL, -1);
    r = conclude(&d);
    assert_true(r->noise < 0);
    assert_int_equal(r->kept, 2);
    assert_int_equal(r->kept_by, FSD_KEPT_TIME);
    drop(&d);
    fsd_state_free(two);
    fsd_state_free(one);
}

static void a_route_above_the_loss_limit_keeps_no_gain(void **state)
{
    const struct fsd_tuning tuning = {.most_loss = 0.1};
    struct drawing d = new_drawing();
    struct fsd_state *one = build(true), *two = build(false);

    (void)state;
    draw_gain(&d, one, two, NULL, -1);
    d.at[2].loss = 0.2;
    d.r = fsd_routes_new(d.names, d.at, d.n, &d.usual, &tuning);
    assert_int_equal(d.r->aside, 1);
    assert_int_equal(d.r->best, 1);
    assert_int_equal(d.r->kept, 1);
    assert_int_equal(d.r->kept_by, FSD_KEPT_NONE);
    drop(&d);
    fsd_state_free(two);
    fsd_state_free(one);
}

/* A failed build has no time of use, and is none of those above the limit. */
static void a_failed_route_is_not_set_aside(void **state)
{
    const struct fsd_tuning tuning = {.most_loss = 0.1};
    struct drawing d = new_drawing();
    struct fsd_state *one = build(true), *two = build(false);

    (void)state;
    draw_gain(&d, one, two, NULL, -1);
    d.at[1].failed = true;
    d.at[1].loss = 0.2;
    d.r = fsd_routes_new(d.names, d.at, d.n, &d.usual, &tuning);
    assert_int_equal(d.r->aside, 0);
    assert_int_equal(d.r->best, 2);
    drop(&d);
    fsd_state_free(two);
    fsd_state_free(one);
}

/* Neither the first route nor the third one states its v. */
static void an_unknown_value_is_apart(void **state)
{
    struct drawing d = new_drawing();
    const struct fsd_routes *r;

    (void)state;
    add_route(&d, "w=1", "", NULL, -1);
    add_route(&d, "v=1 w=1", "", NULL, -1);
    add_route(&d, "w=2", "", NULL, -1);
    add_route(&d, "v=2 w=1", "", NULL, -1);
    r = conclude(&d);
    assert_int_equal(r->base, 0);
    assert_int_equal(r->routes[0].apart, 1);
    assert_int_equal(r->routes[1].apart, 1);
    assert_int_equal(r->routes[2].apart, 2);
    drop(&d);
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

/* "b" may change something, which is not known, as "c" does; "d" changes nothing. */
static void what_is_not_compared_is_not_idle(void **state)
{
    struct drawing d = new_drawing();
    struct fsd_state *one = build(true), *two = build(false);
    static const char *const order[] = {"b", "c", "d"};
    const struct fsd_routes *r;

    (void)state;
    add_route(&d, "b=1 d=1 c=1", "", one, -1);
    add_route(&d, "b=2 d=1 c=1", "", NULL, -1);
    add_route(&d, "b=1 d=2 c=1", "", one, -1);
    add_route(&d, "b=1 d=1 c=2", "", two, -1);
    r = conclude(&d);
    assert_int_equal(r->effects.n, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_string_equal(fsd_text(r->names, r->knobs.at[r->effects.at[i].knob].name),
                            order[i]);
    drop(&d);
    fsd_state_free(two);
    fsd_state_free(one);
}

/* ---------------------------------------------------------------- the step to show */

/* "a" is turned off beside two values of "b", never alone. */
static const struct fsd_routes *draw_steps(struct drawing *d,
                                           const struct fsd_state *before,
                                           const struct fsd_state *after)
{
    fsd_settings_parse(d->arena, d->names, "a=on b=on", &d->usual);
    add_route(d, "", "", NULL, -1);
    add_route(d, "b=off", "", NULL, -1);
    add_route(d, "b=off a=off", "", NULL, -1);
    add_route(d, "b=low", "", before, -1);
    add_route(d, "b=low a=off", "", after, -1);
    return conclude(d);
}

/* The route from which the step leads that is shown for turning "a" off. */
static uint32_t shown_from(const struct fsd_routes *r)
{
    for (uint32_t i = 0; i < r->effects.n; i++)
        if (r->knobs.at[r->effects.at[i].knob].name ==
            fsd_intern_find(r->names, "a", 1))
            return r->steps.at[r->effects.at[i].shown].from;
    return FSD_NONE;
}

static void of_steps_without_builds_the_first_is_shown(void **state)
{
    struct drawing d = new_drawing();

    (void)state;
    assert_int_equal(shown_from(draw_steps(&d, NULL, NULL)), 1);
    drop(&d);
}

static void a_step_between_two_builds_is_shown_before_others(void **state)
{
    struct drawing d = new_drawing();
    struct fsd_state *one = build(true), *two = build(false);

    (void)state;
    assert_int_equal(shown_from(draw_steps(&d, one, two)), 3);
    drop(&d);
    fsd_state_free(two);
    fsd_state_free(one);
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
        cmocka_unit_test(a_knob_without_a_value_does_not_vary),
        cmocka_unit_test(no_more_knobs_than_the_limit_are_kept),
        cmocka_unit_test(a_change_counts_regions_and_layers),
        cmocka_unit_test(blocks_are_counted_by_pattern),
        cmocka_unit_test(what_a_knob_determines_is_no_second_knob),
        cmocka_unit_test(two_values_beside_one_are_not_determined),
        cmocka_unit_test(an_unknown_value_determines_nothing),
        cmocka_unit_test(an_unknown_value_is_determined),
        cmocka_unit_test(only_what_the_builder_inserts_for_a_price_is_inserted),
        cmocka_unit_test(a_time_that_is_not_known_is_no_step),
        cmocka_unit_test(a_time_that_is_not_known_wins_nothing),
        cmocka_unit_test(one_time_beside_an_unknown_one_leaves_no_choice),
        cmocka_unit_test(times_of_one_engine_state_the_noise),
        cmocka_unit_test(a_noise_of_nothing_is_known),
        cmocka_unit_test(without_a_noise_a_twentieth_of_the_gain_may_be_lost),
        cmocka_unit_test(a_route_above_the_loss_limit_keeps_no_gain),
        cmocka_unit_test(a_failed_route_is_not_set_aside),
        cmocka_unit_test(an_unknown_value_is_apart),
        cmocka_unit_test(builds_that_leave_a_fact_open_are_not_one_engine),
        cmocka_unit_test(groups_of_unknown_precision_may_be_of_two_engines),
        cmocka_unit_test(what_is_not_compared_is_not_idle),
        cmocka_unit_test(of_steps_without_builds_the_first_is_shown),
        cmocka_unit_test(a_step_between_two_builds_is_shown_before_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
