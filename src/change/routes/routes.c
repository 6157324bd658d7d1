/*
 * Finds the effect of each knob.  A step is two routes that are known to differ in
 * exactly one knob.  In the first of them, this knob has the base's value.  The
 * differences between the two builds are then an effect of this knob alone.  Routes
 * that differ in several knobs show no effect, because knobs may interact.
 *
 * An effect lists all steps with the same change of a knob, so that a reader sees
 * whether the effect depends on the other knobs.
 *
 * To find the steps of a knob, routes are sorted by a hash of the values of all other
 * knobs.  Comparing all pairs of thousands of routes would take too long.
 */
#include "change/routes/parts.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------------ settings */

static bool ends_setting(char c)
{
    return fsd_is_space(c) || c == ',' || c == ';';
}

void fsd_settings_parse(struct fsd_arena *arena, struct fsd_intern *names,
                        const char *text, fsd_settings *out)
{
    struct fsd_slice left = fsd_slice_of(text);

    while (left.n) {
        struct fsd_slice word = {left.s, 0}, value;

        while (word.n < left.n && !ends_setting(left.s[word.n]))
            word.n++;
        left = fsd_slice_from(left, word.n + 1);
        fsd_slice_skip(&word, "-");
        if (fsd_slice_split_at(&word, "=", &value) && word.n && value.n &&
            out->n < FSD_MOST_KNOBS)
            fsd_vec_push(arena, out,
                         ((struct fsd_setting){fsd_intern_slice(names, word),
                                               fsd_intern_slice(names, value), false}));
    }
}

/* --------------------------------------------------------------------------- knobs */

/* Fills `knobs`, and returns an array indexed by symbol: the index of the knob with
 * this name, plus 1; 0 if there is none. */
static uint32_t *index_knobs(struct fsd_routes *r)
{
    uint32_t *number = FSD_NEW(r->arena, uint32_t, fsd_intern_count(r->names));

    for (uint32_t i = 0; i < r->n; i++) {
        const fsd_settings *settings = &r->routes[i].in->settings;

        for (uint32_t k = 0; k < settings->n; k++) {
            fsd_sym name = settings->at[k].knob;

            if (!number[name] && r->knobs.n < FSD_MOST_KNOBS) {
                fsd_vec_push(r->arena, &r->knobs,
                             ((struct fsd_knob){.name = name, .found = true}));
                number[name] = r->knobs.n;
            }
            if (number[name])
                r->knobs.at[number[name] - 1].found &= settings->at[k].found;
        }
    }
    return number;
}

/* Sets the values that the settings state, and leaves the others unchanged. */
static void set_values(const uint32_t *number, const fsd_settings *settings,
                       fsd_sym *values)
{
    for (uint32_t i = 0; i < settings->n; i++) {
        uint32_t k = number[settings->at[i].knob];

        if (k)
            values[k - 1] = settings->at[i].value;
    }
}

static void find_knobs(struct fsd_routes *r, const fsd_settings *usual)
{
    uint32_t *number = index_knobs(r);
    fsd_sym *values = FSD_NEW(r->arena, fsd_sym, r->knobs.n);

    set_values(number, usual, values);
    for (uint32_t i = 0; i < r->n; i++) {
        r->routes[i].values = FSD_NEW(r->arena, fsd_sym, r->knobs.n);
        r->routes[i].stated = FSD_NEW(r->arena, fsd_sym, r->knobs.n);
        if (r->knobs.n)
            memcpy(r->routes[i].values, values, r->knobs.n * sizeof *values);
        set_values(number, &r->routes[i].in->settings, r->routes[i].values);
    }
    for (uint32_t k = 0; k < r->knobs.n; k++) {
        fsd_sym first = 0;

        r->knobs.at[k].usual = values[k];
        for (uint32_t i = 0; i < r->n; i++) {
            fsd_sym value = r->routes[i].values[k];

            first = first ? first : value;
            r->knobs.at[k].varies |= value && value != first;
        }
    }
}

/* Whether the value of knob `of` follows from the value of knob `by`: each value of
 * `by` occurs with only one value of `of`. */
static bool determines(const struct fsd_routes *r, uint32_t by, uint32_t of)
{
    fsd_sym *seen = FSD_NEW(r->arena, fsd_sym, fsd_intern_count(r->names));

    for (uint32_t i = 0; i < r->n; i++) {
        fsd_sym key = r->routes[i].values[by], value = r->routes[i].values[of];

        if (!value)
            continue;
        if (!key || (seen[key] && seen[key] != value))
            return false;
        seen[key] = value;
    }
    return true;
}

/* Drops knobs that were read from the builds and whose values follow from a knob that
 * the user set.  For example, the version in a log and "v=1.4" in the name of the build
 * are the same knob. */
static void drop_determined(struct fsd_routes *r)
{
    for (uint32_t i = 0; i < r->n; i++)
        for (uint32_t k = 0; k < r->knobs.n; k++)
            r->routes[i].stated[k] = r->routes[i].values[k];
    for (uint32_t k = 0; k < r->knobs.n; k++)
        for (uint32_t by = 0; by < r->knobs.n && r->knobs.at[k].varies; by++) {
            if (!r->knobs.at[k].found || r->knobs.at[by].found ||
                !r->knobs.at[by].varies || !determines(r, by, k))
                continue;
            r->knobs.at[k].varies = false;
            r->knobs.at[k].follows = true;
            for (uint32_t i = 0; i < r->n; i++)
                r->routes[i].values[k] = 0;
        }
}

static uint32_t count_unusual(const struct fsd_routes *r, uint32_t route)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < r->knobs.n; k++)
        n += r->knobs.at[k].varies && r->knobs.at[k].usual &&
             r->routes[route].values[k] != r->knobs.at[k].usual;
    return n;
}

/* Chooses `base` among the routes that did not fail: the route with the fewest values
 * that differ from fsd_knob.usual, or the first of several such routes.  Then sets
 * `apart` of each route. */
static void find_base(struct fsd_routes *r)
{
    uint32_t least = UINT32_MAX;

    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t n = r->routes[i].in->failed ? UINT32_MAX : count_unusual(r, i);

        if (n < least) {
            least = n;
            r->base = i;
        }
    }
    for (uint32_t i = 0; i < r->n; i++)
        for (uint32_t k = 0; k < r->knobs.n; k++)
            r->routes[i].apart +=
                r->knobs.at[k].varies &&
                (!r->routes[i].values[k] ||
                 r->routes[i].values[k] != r->routes[r->base].values[k]);
}

/* --------------------------------------------------------------------------- steps */

/* The only knob in which two routes differ; FSD_NONE if they differ in no knob, in
 * several knobs, or in a knob whose value is unknown in one of them. */
static uint32_t knob_between(const struct fsd_routes *r, uint32_t a, uint32_t b)
{
    const fsd_sym *x = r->routes[a].values, *y = r->routes[b].values;
    uint32_t found = FSD_NONE;

    for (uint32_t k = 0; k < r->knobs.n; k++) {
        if (x[k] == y[k])
            continue;
        if (found != FSD_NONE || !x[k] || !y[k])
            return FSD_NONE;
        found = k;
    }
    return found;
}

static void add_step(struct fsd_routes *r, uint32_t knob, uint32_t from, uint32_t to)
{
    const struct fsd_route_in *a = r->routes[from].in, *b = r->routes[to].in;
    struct fsd_route_step step = {knob, from, to, NULL, NAN};

    if (a->ms >= 0 && b->ms >= 0)
        step.ms = fsd_route_ms_between(a->ms, b->ms);
    step.change = fsd_route_change(r, r->routes[from].engine, r->routes[to].engine);
    fsd_vec_push(r->arena, &r->steps, step);
}

struct route_key {
    uint64_t rest; /* hash of the values of all knobs but one */
    uint32_t route;
};

FSD_ORDERED(by_rest, struct route_key, fsd_order(x->rest, y->rest),
            fsd_order(x->route, y->route))

/* Adds the steps of a knob between routes with the same values of all other knobs.
 * Each step is from the first route with the base's value to a route with another
 * value. */
static void add_steps(struct fsd_routes *r, uint32_t knob, const struct route_key *keys,
                      uint32_t n)
{
    fsd_sym base = r->routes[r->base].values[knob];
    uint32_t from = 0;

    while (from < n && r->routes[keys[from].route].values[knob] != base)
        from++;
    for (uint32_t i = 0; from < n && i < n; i++)
        if (knob_between(r, keys[from].route, keys[i].route) == knob)
            add_step(r, knob, keys[from].route, keys[i].route);
}

static uint64_t part_of(uint32_t knob, fsd_sym value)
{
    return fsd_hash_mix(knob, value);
}

static void find_steps(struct fsd_routes *r)
{
    uint64_t *all = FSD_NEW(r->arena, uint64_t, r->n);
    struct route_key *keys = FSD_NEW(r->arena, struct route_key, r->n);

    for (uint32_t i = 0; i < r->n; i++)
        for (uint32_t k = 0; k < r->knobs.n; k++)
            all[i] += part_of(k, r->routes[i].values[k]);
    for (uint32_t k = 0; k < r->knobs.n; k++) {
        uint32_t n = 0;

        if (!r->knobs.at[k].varies)
            continue;
        for (uint32_t i = 0; i < r->n; i++)
            if (!r->routes[i].in->failed)
                keys[n++] =
                    (struct route_key){all[i] - part_of(k, r->routes[i].values[k]), i};
        qsort(keys, n, sizeof *keys, by_rest);
        for (uint32_t i = 0, end; i < n; i = end) {
            for (end = i + 1; end < n && keys[end].rest == keys[i].rest;)
                end++;
            add_steps(r, k, keys + i, end - i);
        }
    }
}

struct step_key {
    uint32_t knob, from, to;
    fsd_sym after;
    struct fsd_route_step step;
};

FSD_ORDERED(by_effect, struct step_key, fsd_order(x->knob, y->knob),
            fsd_order(x->after, y->after), fsd_order(x->from, y->from),
            fsd_order(x->to, y->to))

static void sort_steps(struct fsd_routes *r)
{
    struct step_key *keys = FSD_NEW(r->arena, struct step_key, r->steps.n);

    for (uint32_t i = 0; i < r->steps.n; i++) {
        const struct fsd_route_step *s = &r->steps.at[i];

        keys[i] = (struct step_key){s->knob, s->from, s->to,
                                    r->routes[s->to].values[s->knob], *s};
    }
    fsd_sort(keys, r->steps.n, sizeof *keys, by_effect);
    for (uint32_t i = 0; i < r->steps.n; i++)
        r->steps.at[i] = keys[i].step;
}

/* ------------------------------------------------------------------------- effects */

static void add_to_effect(const struct fsd_routes *r, struct fsd_route_effect *e,
                          uint32_t step)
{
    const struct fsd_route_step *s = &r->steps.at[step],
                                *shown = &r->steps.at[e->shown];

    e->steps.n++;
    e->compared += s->change != NULL;
    e->same += s->change && s->change->same;
    if (!isnan(s->ms)) {
        e->least = e->timed ? (s->ms < e->least ? s->ms : e->least) : s->ms;
        e->most = e->timed ? fsd_larger(e->most, s->ms) : s->ms;
        e->timed++;
    }
    if (shown->from != r->base && (s->from == r->base || (s->change && !shown->change)))
        e->shown = step;
}

static void find_effects(struct fsd_routes *r)
{
    for (uint32_t i = 0; i < r->steps.n; i++) {
        const struct fsd_route_step *s = &r->steps.at[i];
        fsd_sym after = r->routes[s->to].values[s->knob];
        struct fsd_route_effect *last =
            r->effects.n ? &r->effects.at[r->effects.n - 1] : NULL;

        if (!last || last->knob != s->knob || last->after != after) {
            struct fsd_route_effect e = {.knob = s->knob,
                                         .before = r->routes[s->from].values[s->knob],
                                         .after = after,
                                         .steps = {i, 0},
                                         .shown = i};

            fsd_vec_push(r->arena, &r->effects, e);
            last = &r->effects.at[r->effects.n - 1];
        }
        add_to_effect(r, last, i);
    }
}

/* Effects with times come first, the largest gain at the top.  If two effects have the
 * same gain, or both have no time, an effect that is known to change nothing comes
 * after the other. */
static int by_gain(const void *a, const void *b)
{
    const struct fsd_route_effect *x = a, *y = b;
    bool idle[2] = {x->compared && x->same == x->compared,
                    y->compared && y->same == y->compared};
    int order = (int)!x->timed - (int)!y->timed;

    if (!order && x->timed)
        order = fsd_falling(y->least + y->most, x->least + x->most);
    order = order ? order : (int)idle[0] - (int)idle[1];
    order = order ? order : fsd_order(x->knob, y->knob);
    return order ? order : fsd_order(x->after, y->after);
}

/* ----------------------------------------------------------------------------- all */

struct fsd_routes *fsd_routes_new(struct fsd_intern *names,
                                  const struct fsd_route_in *in, uint32_t n,
                                  const fsd_settings *usual,
                                  const struct fsd_tuning *tuning)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_routes *r = FSD_NEW(arena, struct fsd_routes, 1);

    r->arena = arena;
    r->names = names;
    r->tuning = tuning;
    r->n = n;
    r->routes = FSD_NEW(arena, struct fsd_route, n);
    for (uint32_t i = 0; i < n; i++)
        r->routes[i].in = &in[i];
    find_knobs(r, usual);
    drop_determined(r);
    find_base(r);
    fsd_route_engines_find(r);
    for (uint32_t e = 0; e < r->engines.n; e++)
        fsd_route_change(r, r->routes[r->base].engine, e);
    find_steps(r);
    sort_steps(r);
    find_effects(r);
    fsd_vec_sort(&r->effects, by_gain);
    fsd_route_best_find(r, tuning ? tuning->most_loss : -1);
    return r;
}

void fsd_routes_free(struct fsd_routes *r)
{
    if (!r)
        return;
    fsd_route_changes_free(r);
    fsd_arena_free(r->arena);
}
