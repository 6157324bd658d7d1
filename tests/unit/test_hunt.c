/* The search for a wrong fusion, with a builder that is played: which fusions are wrong
 * is known, and the search must name these or none. */
#include "edit/bisect/hunt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 96, DRAWS = 3000, ENDLESS = 200 };

/* What makes the engine wrong. */
enum cause { ONE, EITHER, BOTH, NONE, ALWAYS, CAUSES };

/* A model of n fusions: some cannot be split, and some change others as well. */
struct play {
    struct fsd_marks m;
    struct fsd_state state;
    struct fsd_group groups[MOST];
    uint8_t kinds[MOST];
    struct fsd_break breaks[MOST];
    uint32_t n;
    bool stays[MOST];  /* its break splits nothing */
    bool drags[MOST];  /* its break changes the next fusion, too, which is not stated */
    bool alters[MOST]; /* its break has another kernel compute the fusion before it, as
                          wrong as it was */
    bool is_refused[MOST]; /* no build in which it is split can be tested */
    enum cause cause;
    fsd_id wrong[2];
    unsigned flaky; /* per cent of results that are the other one */
    unsigned builds;
};

static unsigned seed;

static uint32_t draw(uint32_t below)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 8) % below;
}

static void make(struct play *p, uint32_t n, enum cause cause, unsigned odd)
{
    *p = (struct play){.n = n, .cause = cause};
    p->m.arena = fsd_arena_new();
    p->m.state = &p->state;
    p->m.kinds = p->kinds;
    p->m.breaks = p->breaks;
    p->state.groups.at = p->groups;
    p->state.groups.n = n;
    for (fsd_id i = 0; i < n; i++) {
        p->kinds[i] = FSD_FUSION_EPILOGUE;
        p->breaks[i].tensor = draw(100) < odd / 2 ? FSD_NONE : i;
        p->stays[i] = draw(100) < odd;
        p->drags[i] = draw(100) < odd;
        p->alters[i] = draw(100) < odd;
        p->is_refused[i] = draw(100) < odd / 4;
    }
    p->wrong[0] = draw(n);
    do
        p->wrong[1] = draw(n);
    while (n > 1 && p->wrong[1] == p->wrong[0]);
}

static bool is_wrong(const struct play *p, const bool *split)
{
    bool a = !split[p->wrong[0]], b = !split[p->wrong[1]];

    switch (p->cause) {
    case ONE:
        return a;
    case EITHER:
        return a || b;
    case BOTH:
        return a && b;
    case ALWAYS:
        return true;
    case NONE:
    case CAUSES:
    default:
        return false;
    }
}

/* Builds what is asked for and tests it. */
static void build(struct play *p, struct fsd_hunt *h)
{
    bool split[MOST] = {false}, altered[MOST] = {false}, refused = false;
    uint8_t *seen = fsd_hunt_same(h);
    bool bad;

    for (uint32_t i = 0; i < h->chosen.n; i++) {
        fsd_id g = h->pool.at[h->chosen.at + i];

        assert_true(p->breaks[g].tensor != FSD_NONE);
        refused |= p->is_refused[g];
        split[g] |= !p->stays[g];
        if (p->drags[g] && g + 1 < p->n)
            split[g + 1] = true;
        if (p->alters[g] && g)
            altered[g - 1] = true;
    }
    for (fsd_id g = 0; g < p->n; g++)
        seen[g] = split[g]     ? FSD_SEEN_CHANGED
                  : altered[g] ? FSD_SEEN_ALTERED
                               : FSD_SEEN_SAME;
    bad = is_wrong(p, split) != (draw(100) < p->flaky);
    p->builds++;
    fsd_hunt_take(h,
                  refused ? FSD_BISECT_SKIP
                  : bad   ? FSD_BISECT_BAD
                          : FSD_BISECT_GOOD,
                  seen);
}

static struct fsd_hunt *hunt(struct play *p)
{
    struct fsd_hunt *h = fsd_hunt_new(&p->m);

    while (h->phase != FSD_HUNT_OVER) {
        build(p, h);
        assert_true(p->builds < ENDLESS);
    }
    return h;
}

/* Whether the fusion is in the set that was found, or one of those of which one is. */
static bool is_found(const struct fsd_hunt *h, fsd_id g)
{
    bool found = false;

    for (uint32_t i = 0; i < h->found.n; i++)
        found |= fsd_ids_have(&h->pool.at[h->found.at[i].at], h->found.at[i].n, g);
    return found;
}

/* Each part of the set has one that is to blame. */
static bool is_right(const struct play *p, const struct fsd_hunt *h)
{
    bool right = true;

    for (uint32_t i = 0; i < h->found.n; i++) {
        struct fsd_span part = h->found.at[i];

        right &= fsd_ids_have(&h->pool.at[part.at], part.n, p->wrong[0]) ||
                 fsd_ids_have(&h->pool.at[part.at], part.n, p->wrong[1]);
    }
    return right;
}

/* What the search says holds, whatever the builder did. */
static void expect_true(const struct play *p, const struct fsd_hunt *h)
{
    if (h->end == FSD_HUNT_END_PROVED) /* never an innocent one */
        assert_true(
            (p->cause != NONE && h->suspect[p->wrong[0]]) ||
            ((p->cause == EITHER || p->cause == BOTH) && h->suspect[p->wrong[1]]));
    if (h->end == FSD_HUNT_END_ABSENT)
        assert_true(p->cause == NONE);
    if (p->cause == NONE)
        assert_true(h->end == FSD_HUNT_END_ABSENT);
    if (p->cause == ALWAYS)
        assert_true(h->end == FSD_HUNT_END_NO_FUSION ||
                    h->end == FSD_HUNT_END_UNPROVED ||
                    h->end == FSD_HUNT_END_CONTRADICTS);
    if (h->end == FSD_HUNT_END_TOGETHER)
        assert_true(p->cause == EITHER && is_right(p, h));
    if (h->end == FSD_HUNT_END_NEEDED)
        assert_true(p->cause == BOTH && is_right(p, h));
}

static uint32_t log2_of(uint32_t n)
{
    uint32_t bits = 0;

    while ((1u << bits) < n)
        bits++;
    return bits;
}

/* Of a builder that splits what is asked for, the right fusions are found, and soon. */
static void hunt__exact_builder(void **state)
{
    (void)state;
    for (seed = 1; seed < DRAWS; seed += 7) {
        struct play p;
        unsigned first = seed;
        struct fsd_hunt *h;

        make(&p, 1 + draw(MOST - 1), (enum cause)draw(CAUSES), 0);
        if (p.n == 1 && (p.cause == EITHER || p.cause == BOTH))
            p.cause = ONE;
        h = hunt(&p);
        expect_true(&p, h);
        if (p.cause == ONE) {
            assert_int_equal(h->end, FSD_HUNT_END_PROVED);
            assert_int_equal(h->n, 1);
            assert_true(p.builds <= 2 * log2_of(p.n) + 6);
        }
        if (p.cause == EITHER) {
            assert_int_equal(h->end, FSD_HUNT_END_TOGETHER);
            assert_int_equal(h->found.n, 2);
            assert_true(is_found(h, p.wrong[0]));
            assert_true(is_found(h, p.wrong[1]));
        }
        if (p.cause == BOTH) {
            assert_int_equal(h->end, FSD_HUNT_END_NEEDED);
            assert_int_equal(h->found.n, 2);
        }
        assert_true(p.builds <= 4 * log2_of(p.n) + 10);
        fsd_arena_free(p.m.arena);
        seed = first;
    }
}

/* Of one that splits less, or more, a name is right or none is given. */
static void hunt__odd_builder(void **state)
{
    uint32_t named = 0, ones = 0, sets = 0, found = 0;

    (void)state;
    for (seed = 1; seed < DRAWS; seed += 7) {
        struct play p;
        unsigned first = seed;
        struct fsd_hunt *h;

        make(&p, 2 + draw(MOST - 2), (enum cause)draw(CAUSES), draw(40));
        h = hunt(&p);
        expect_true(&p, h);
        ones += p.cause == ONE;
        named += p.cause == ONE && h->end == FSD_HUNT_END_PROVED;
        sets += p.cause == EITHER || p.cause == BOTH;
        found += h->end == FSD_HUNT_END_TOGETHER || h->end == FSD_HUNT_END_NEEDED;
        fsd_arena_free(p.m.arena);
        seed = first;
    }
    assert_true(2 * named > ones);
    assert_true(4 * found > sets);
}

/* Whatever a test says, the search ends. */
static void hunt__flaky_test(void **state)
{
    (void)state;
    for (seed = 1; seed < DRAWS; seed += 7) {
        struct play p;
        unsigned first = seed;

        make(&p, 2 + draw(MOST - 2), (enum cause)draw(CAUSES), draw(40));
        p.flaky = 20;
        hunt(&p);
        fsd_arena_free(p.m.arena);
        seed = first;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hunt__exact_builder),
        cmocka_unit_test(hunt__odd_builder),
        cmocka_unit_test(hunt__flaky_test),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
