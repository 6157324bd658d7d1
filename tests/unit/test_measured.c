/* Which layer each entry of a profile is, and what several profiles say of a layer. */
#include "build_graph.h"
#include "model/graph/graph.h"
#include "read/profile/measured.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 4 };

#define ENGINE                                                                         \
    "in x\nout y\n"                                                                    \
    "K a | | x:fp32 -> t:fp32\n"                                                       \
    "K b | | t:fp32 -> u:fp32\n"                                                       \
    "K c | | u:fp32 -> y:fp32\n"

struct measuring {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    struct fsd_graph *engine;
    struct fsd_profile at[MOST];
    uint32_t n;
    struct fsd_measured m;
};

static struct measuring new_measuring(const char *engine)
{
    struct measuring t = {.arena = fsd_arena_new()};
    struct fsd_graph *model;

    t.names = fsd_intern_new(t.arena);
    model = build_model(t.arena, t.names, "in x\nout y\nRelu r: x -> y\n");
    t.engine = build_engine(t.arena, model, engine);
    return t;
}

static void drop(struct measuring *t)
{
    fsd_arena_free(t->arena);
}

static struct fsd_profile *add_profile(struct measuring *t, uint64_t runs)
{
    t->at[t->n] = (struct fsd_profile){.path = "profile", .number = 1, .runs = runs};
    return &t->at[t->n++];
}

static struct fsd_profile_entry *add_entry(struct measuring *t, const char *name,
                                           double total_ms, double mean_ms)
{
    struct fsd_profile *p = &t->at[t->n - 1];
    fsd_sym sym = fsd_intern_str(t->names, name);

    fsd_vec_push(
        t->arena, &p->entries,
        ((struct fsd_profile_entry){
            .name = sym, .unescaped = sym, .total_ms = total_ms, .mean_ms = mean_ms}));
    return &p->entries.at[p->entries.n - 1];
}

static const struct fsd_measured *measure(struct measuring *t)
{
    fsd_measure(&t->m, t->engine, t->at, t->n);
    return &t->m;
}

/* How often a rule was remarked on. */
static uint32_t remarks(const struct measuring *t, const char *rule)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->engine->remarks.n; i++)
        n += !strcmp(t->engine->remarks.at[i].rule, rule);
    return n;
}

static void a_layer_has_the_median_of_its_profiles(void **state)
{
    struct measuring t = new_measuring(ENGINE);
    static const double times[] = {3, 9, 4};
    const struct fsd_measured *m;

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(times); i++) {
        add_profile(&t, 0);
        add_entry(&t, "a", -1, times[i]);
        add_entry(&t, "b", -1, 1);
        add_entry(&t, "c", -1, 2);
    }
    m = measure(&t);
    assert_int_equal(m->profiles, 3);
    assert_true(m->of[0].median == 4 && m->of[0].low == 3 && m->of[0].high == 9);
    assert_true(m->total == 7);
    assert_true(m->totals.low == 6 && m->totals.median == 7 && m->totals.high == 12);
    assert_int_equal(t.engine->remarks.n, 0);
    drop(&t);
}

/* Not -1 either: neither in the layer's own sum, nor in that of all. */
static void a_layer_without_a_time_adds_nothing(void **state)
{
    struct measuring t = new_measuring(ENGINE);
    const struct fsd_measured *m;

    (void)state;
    add_profile(&t, 0);
    add_entry(&t, "a", -1, 3);
    add_entry(&t, "c", -1, -1);
    m = measure(&t);
    assert_true(m->of[0].median == 3);
    assert_true(m->of[1].median < 0 && m->of[2].median < 0);
    assert_true(m->total == 3);
    assert_true(m->totals.median == 3);
    assert_int_equal(remarks(&t, "input/profile-missing-layers"), 1);
    assert_int_equal(remarks(&t, "input/profile-no-time"), 1);
    drop(&t);
}

static void a_time_of_zero_is_known(void **state)
{
    struct measuring t = new_measuring(ENGINE);
    const struct fsd_measured *m;

    (void)state;
    add_profile(&t, 0);
    add_entry(&t, "a", -1, 0);
    m = measure(&t);
    assert_true(m->of[0].median == 0);
    assert_int_equal(remarks(&t, "input/profile-no-time"), 0);
    drop(&t);
}

static void a_layer_that_one_profile_times_has_that_time(void **state)
{
    struct measuring t = new_measuring(ENGINE);
    const struct fsd_measured *m;

    (void)state;
    add_profile(&t, 0);
    add_entry(&t, "a", -1, 3);
    add_profile(&t, 0);
    add_entry(&t, "b", -1, 5);
    m = measure(&t);
    assert_true(m->of[0].median == 3 && m->of[0].low == 3);
    assert_true(m->of[1].median == 5);
    assert_true(m->profile_ms[0][1] < 0 && m->profile_ms[1][0] < 0);
    drop(&t);
}

static void the_time_of_all_runs_is_divided_where_their_number_is_known(void **state)
{
    struct measuring t = new_measuring(ENGINE);
    const struct fsd_measured *m;

    (void)state;
    add_profile(&t, 4);
    add_entry(&t, "a", 8, 7);
    add_entry(&t, "b", -1, 5);
    m = measure(&t);
    assert_true(m->of[0].median == 2);
    assert_true(m->of[1].median == 5);
    assert_int_equal(m->runs, 4);
    drop(&t);
}

static void runs_are_unknown_where_one_profile_does_not_state_them(void **state)
{
    static const uint64_t rows[][2] = {{4, 0}, {0, 4}};

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(rows); i++) {
        struct measuring t = new_measuring(ENGINE);

        for (size_t k = 0; k < 2; k++) {
            add_profile(&t, rows[i][k]);
            add_entry(&t, "a", rows[i][k] ? 8 : -1, 2);
        }
        assert_int_equal(measure(&t)->runs, 0);
        drop(&t);
    }
}

static void an_impossible_time_is_no_time(void **state)
{
    struct measuring t = new_measuring(ENGINE);
    const struct fsd_measured *m;

    (void)state;
    add_profile(&t, 0);
    add_entry(&t, "a", -1, 3)->odd = true;
    m = measure(&t);
    assert_true(m->of[0].median < 0);
    assert_int_equal(remarks(&t, "input/profile-odd-time"), 1);
    drop(&t);
}

static void what_is_no_layer_is_kept_elsewhere(void **state)
{
    struct measuring t = new_measuring(ENGINE);
    const struct fsd_measured *m;

    (void)state;
    add_profile(&t, 0);
    add_entry(&t, "a", -1, 3);
    add_entry(&t, "b", -1, 1);
    add_entry(&t, "c", -1, 1);
    add_entry(&t, "copies", -1, 2);
    m = measure(&t);
    assert_true(m->elsewhere == 2);
    assert_true(m->total == 7);
    assert_true(m->totals.median == 7);
    assert_int_equal(m->entries, 4);
    assert_int_equal(m->joined, 3);
    assert_int_equal(remarks(&t, "input/profile-unknown-layer"), 1);
    drop(&t);
}

/* The time of a Loop's layer includes what runs in its body. */
static void what_runs_within_a_layer_is_not_added_to_it(void **state)
{
    struct measuring t = new_measuring(ENGINE);
    const struct fsd_measured *m;

    (void)state;
    add_profile(&t, 0);
    add_entry(&t, "a", -1, 3);
    add_entry(&t, "b", -1, 2)->within = 1;
    m = measure(&t);
    assert_true(m->of[0].median == 3);
    assert_true(m->total == 3);
    drop(&t);
}

/* ------------------------------------------------------------------------- joining */

static void layers_of_one_name_are_taken_in_order(void **state)
{
    struct measuring t = new_measuring("in x\nout y\n"
                                       "K a | | x:fp32 -> t:fp32\n"
                                       "K a | | t:fp32 -> y:fp32\n");
    const struct fsd_measured *m;

    (void)state;
    add_profile(&t, 0);
    add_entry(&t, "a", -1, 3);
    add_entry(&t, "a", -1, 4);
    m = measure(&t);
    assert_true(m->of[0].median == 3);
    assert_true(m->of[1].median == 4);
    drop(&t);
}

static void a_name_with_escapes_is_the_decoded_one(void **state)
{
    struct measuring t = new_measuring(ENGINE);

    (void)state;
    add_profile(&t, 0);
    add_entry(&t, "\\u0061", -1, 3)->unescaped = fsd_intern_str(t.names, "a");
    assert_true(measure(&t)->of[0].median == 3);
    assert_int_equal(remarks(&t, "input/profile-other-name"), 0);
    drop(&t);
}

/* Between two that are joined, one name contains the other; "q" says nothing. */
static void another_name_is_joined_by_its_place(void **state)
{
    struct measuring t = new_measuring(ENGINE);
    const struct fsd_measured *m;

    (void)state;
    add_profile(&t, 0);
    add_entry(&t, "a", -1, 1);
    add_entry(&t, "b + more", -1, 2);
    add_entry(&t, "c", -1, 3);
    m = measure(&t);
    assert_true(m->of[1].median == 2);
    assert_int_equal(remarks(&t, "input/profile-other-name"), 1);
    drop(&t);

    t = new_measuring(ENGINE);
    add_profile(&t, 0);
    add_entry(&t, "a", -1, 1);
    add_entry(&t, "q", -1, 2);
    add_entry(&t, "c", -1, 3);
    m = measure(&t);
    assert_true(m->of[1].median < 0);
    assert_true(m->elsewhere == 2);
    drop(&t);
}

enum { ROOM = 16 };

/* Calls `one` for each word of the text; "#3" is f0, f1 and f2. */
static void each_word(const char *text, void (*one)(void *, const char *), void *to)
{
    char word[ROOM];
    int read = 0;

    for (; sscanf(text, "%15s%n", word, &read) == 1; text += read) {
        char filler[ROOM];

        if (*word != '#')
            one(to, word);
        for (int i = 0; *word == '#' && i < atoi(word + 1); i++) {
            snprintf(filler, sizeof filler, "f%d", i);
            one(to, filler);
        }
    }
}

struct layers {
    FILE *out;
    uint32_t n;
};

/* Appends "K NAME | | t4:fp32 -> t5:fp32" for layer 4. */
static void one_layer(void *to, const char *word)
{
    struct layers *l = to;

    fprintf(l->out, "K %s | | t%u:fp32 -> t%u:fp32\n", word, l->n, l->n + 1);
    l->n++;
}

/* Adds an entry: NAME, NAME~ (cut off), NAME=DECODED or NAME^2 (within entry 2). */
static void one_entry(void *to, const char *word)
{
    struct measuring *t = to;
    char name[ROOM], sign = '\0', rest[ROOM] = "";
    struct fsd_profile_entry *e;

    assert_true(sscanf(word, "%15[^~=^]%c%15s", name, &sign, rest) >= 1);
    e = add_entry(t, name, -1, 1);
    e->cut = sign == '~';
    if (sign == '=')
        e->unescaped = fsd_intern_str(t->names, rest);
    if (sign == '^')
        e->within = (uint32_t)atoi(rest);
}

/* Which layer (its name and number) each entry gets that is no filler. */
static void an_entry_gets_its_layer(void **state)
{
    static const struct {
        const char *layers, *entries, *joined;
    } cases[] = {
        {"a b c", "c a b", "2 0 1"},
        /* layers of one name, in order */
        {"a b a", "a a b", "0 2 1"},
        {"a b", "a a b", "0 - 1"},
        {"a b", "b x=a", "1 0"},
        {"a b", "a i^1 b", "0 0 1"},
        /* by the place between two entries: the only free layer, if a name contains the
         * other */
        {"a b pwn-c d", "b a c d", "1 0 2 3"},
        {"a q b pwn-c d", "a z b c d", "0 - 2 3 4"},
        {"a pwn-c c-pwn d", "a c d", "0 - 3"},
        {"#40 a pwn-c d", "#40 a c d", "40 41 42"},
        {"a #66 pwn-c d", "d c a", "68 - 0"},
        {"a pwn-c d", "pwn~ a c d", "- 0 1 2"},
        /* names that are cut off: the next free layer whose name begins so */
        {"alpha beta", "be~", "1"},
        {"alpha alps", "al~ al~", "0 1"},
        {"alpha alps", "alps al~", "1 -"},
        {"beta alpha beta", "alpha be~", "1 2"},
        {"alpha", "al", "-"},
        {"#70 zeta", "ze~", "-"},
        {"#70 zeta", "#70 ze~", "70"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = NULL, found[64] = "";
        size_t size = 0;
        struct layers l = {open_memstream(&text, &size), 0};
        struct measuring t;
        struct fsd_join join;

        fputs("in t0\n", l.out);
        each_word(cases[i].layers, one_layer, &l);
        fprintf(l.out, "out t%u\n", l.n);
        fclose(l.out);
        t = new_measuring(text);
        add_profile(&t, 0);
        each_word(cases[i].entries, one_entry, &t);
        join = fsd_profile_join(t.arena, t.engine, &t.at[0]);
        for (uint32_t k = 0; k < t.at[0].entries.n; k++) {
            size_t at = strlen(found);

            if (*fsd_text(t.names, t.at[0].entries.at[k].name) == 'f')
                continue;
            if (join.layer_of[k] == FSD_NONE)
                snprintf(found + at, sizeof found - at, "%s-", at ? " " : "");
            else
                snprintf(found + at, sizeof found - at, "%s%u", at ? " " : "",
                         join.layer_of[k]);
        }
        assert_string_equal(found, cases[i].joined);
        drop(&t);
        free(text);
    }
}

/* All entries are layers, or all layers are entries; else it is another engine. */
static void a_profile_fits_where_one_side_is_whole(void **state)
{
    struct measuring t = new_measuring(ENGINE);
    struct fsd_join join;

    (void)state;
    add_profile(&t, 0);
    add_entry(&t, "a", -1, 1);
    join = fsd_profile_join(t.arena, t.engine, &t.at[0]);
    assert_true(fsd_join_fits(&join, t.engine, &t.at[0]));
    add_entry(&t, "strange", -1, 1);
    join = fsd_profile_join(t.arena, t.engine, &t.at[0]);
    assert_false(fsd_join_fits(&join, t.engine, &t.at[0]));
    add_entry(&t, "b", -1, 1);
    add_entry(&t, "c", -1, 1);
    join = fsd_profile_join(t.arena, t.engine, &t.at[0]);
    assert_true(fsd_join_fits(&join, t.engine, &t.at[0]));
    drop(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_layer_has_the_median_of_its_profiles),
        cmocka_unit_test(a_layer_without_a_time_adds_nothing),
        cmocka_unit_test(a_time_of_zero_is_known),
        cmocka_unit_test(a_layer_that_one_profile_times_has_that_time),
        cmocka_unit_test(the_time_of_all_runs_is_divided_where_their_number_is_known),
        cmocka_unit_test(runs_are_unknown_where_one_profile_does_not_state_them),
        cmocka_unit_test(an_impossible_time_is_no_time),
        cmocka_unit_test(what_is_no_layer_is_kept_elsewhere),
        cmocka_unit_test(what_runs_within_a_layer_is_not_added_to_it),
        cmocka_unit_test(layers_of_one_name_are_taken_in_order),
        cmocka_unit_test(a_name_with_escapes_is_the_decoded_one),
        cmocka_unit_test(another_name_is_joined_by_its_place),
        cmocka_unit_test(an_entry_gets_its_layer),
        cmocka_unit_test(a_profile_fits_where_one_side_is_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
