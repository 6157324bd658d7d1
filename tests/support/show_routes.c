/* Draws routes, and prints what is concluded from them. */
#include "show.h"
#include "change/routes/routes.h"

#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_ROUTES = 8 };

struct drawing {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    struct fsd_route_in at[MOST_ROUTES];
    uint32_t n;
};

/* ---------------------------------------------------------------------------- draw */

/* Splits off the text before the next bar, without blanks around it. */
static char *next_part(char **rest)
{
    char *part = *rest, *bar = strchr(part, '|'),
         *end = bar ? bar : part + strlen(part);

    *rest = bar ? bar + 1 : end;
    while (isspace((unsigned char)*part))
        part++;
    while (end > part && isspace((unsigned char)end[-1]))
        end--;
    *end = '\0';
    return strcmp(part, "-") ? part : end;
}

/* Parses "a=1 b=1 | version=10.1 | 2 | 0.5 loss=0.2 failed". */
static void add_route(struct drawing *d, char *line, struct fsd_state *const *builds)
{
    struct fsd_route_in *in = &d->at[d->n++];
    const char *facts;
    uint32_t n;
    int build;

    assert_true(d->n <= MOST_ROUTES);
    *in = (struct fsd_route_in){.name = "route", .ms = -1, .loss = -1};
    fsd_settings_parse(d->arena, d->names, next_part(&line), &in->settings);
    n = in->settings.n;
    fsd_settings_parse(d->arena, d->names, next_part(&line), &in->settings);
    for (; n < in->settings.n; n++)
        in->settings.at[n].found = true;
    build = atoi(next_part(&line));
    in->state = build ? builds[build - 1] : NULL;
    facts = next_part(&line);
    if (isdigit((unsigned char)*facts))
        in->ms = strtod(facts, NULL);
    if (strstr(facts, "loss="))
        in->loss = strtod(strstr(facts, "loss=") + 5, NULL);
    in->failed = strstr(facts, "failed") != NULL;
}

/* ---------------------------------------------------------------------------- show */

static const char *name_of(const struct fsd_routes *r, fsd_sym name)
{
    return name ? fsd_text(r->names, name) : "?";
}

static void show_knobs(const struct fsd_routes *r, FILE *out)
{
    for (uint32_t i = 0; i < r->knobs.n; i++) {
        const struct fsd_knob *k = &r->knobs.at[i];

        fprintf(out, "knob %s%s%s%s", name_of(r, k->name), k->found ? " found" : "",
                k->varies ? " varies" : "", k->follows ? " follows" : "");
        if (k->usual)
            fprintf(out, " usual %s", name_of(r, k->usual));
        putc('\n', out);
    }
}

static void show_each(const struct fsd_routes *r, FILE *out)
{
    for (uint32_t i = 0; i < r->n; i++) {
        const struct fsd_route *route = &r->routes[i];

        fprintf(out, "route %u:", i);
        for (uint32_t k = 0; k < r->knobs.n; k++)
            fprintf(out, " %s", name_of(r, route->stated[k]));
        if (route->apart)
            fprintf(out, ", %u apart", route->apart);
        if (route->engine != FSD_NONE)
            fprintf(out, ", engine %u", route->engine);
        putc('\n', out);
    }
}

static void put_count(const char *word, long n, FILE *out)
{
    if (n)
        fprintf(out, " %s %ld", word, n);
}

static void show_change(const struct fsd_engine_change *c, FILE *out)
{
    fprintf(out, ",%s%s%s", c->same ? " same" : "", c->tactics ? " tactics" : "",
            c->open ? " open" : "");
    put_count("split", c->split, out);
    put_count("joined", c->joined, out);
    put_count("regrouped", c->regrouped, out);
    put_count("unclear", c->unclear, out);
    put_count("added", c->added, out);
    put_count("gone", c->gone, out);
    put_count("kernels", c->kernels, out);
    put_count("wider", c->wider, out);
    put_count("narrower", c->narrower, out);
    put_count("layers", c->layers, out);
    put_count("inserted", c->inserted, out);
}

static void show_steps(const struct fsd_routes *r, FILE *out)
{
    for (uint32_t i = 0; i < r->steps.n; i++) {
        const struct fsd_route_step *s = &r->steps.at[i];

        fprintf(out, "step %u: %s from route %u to %u", i,
                name_of(r, r->knobs.at[s->knob].name), s->from, s->to);
        if (!isnan(s->ms))
            fprintf(out, ", %g ms", s->ms);
        if (s->change)
            show_change(s->change, out);
        putc('\n', out);
    }
}

static void show_effects(const struct fsd_routes *r, FILE *out)
{
    for (uint32_t i = 0; i < r->effects.n; i++) {
        const struct fsd_route_effect *e = &r->effects.at[i];

        fprintf(out, "%s %s to %s: step %u shown of %u",
                name_of(r, r->knobs.at[e->knob].name), name_of(r, e->before),
                name_of(r, e->after), e->shown, e->steps.n);
        if (e->compared)
            fprintf(out, ", %u of %u same", e->same, e->compared);
        if (e->timed)
            fprintf(out, ", %g to %g ms of %u", e->least, e->most, e->timed);
        putc('\n', out);
    }
}

static void put_route(const char *word, uint32_t route, FILE *out)
{
    if (route != FSD_NONE)
        fprintf(out, ", %s %u", word, route);
}

static void show_all(const struct fsd_routes *r, FILE *out)
{
    show_knobs(r, out);
    show_each(r, out);
    show_steps(r, out);
    show_effects(r, out);
    fprintf(out, "base %u", r->base);
    put_route("best", r->best, out);
    put_route("kept", r->kept, out);
    if (r->kept_by != FSD_KEPT_NONE)
        fprintf(out, " by %s", fsd_kept_by_name(r->kept_by));
    if (r->aside)
        fprintf(out, ", %u aside", r->aside);
    if (r->noise >= 0)
        fprintf(out, ", noise %g ms", r->noise);
    putc('\n', out);
}

void show_routes(const char *routes, const char *usual, const char *most_loss,
                 struct fsd_state *const *builds, FILE *out)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct drawing d = {.arena = arena, .names = fsd_intern_new(arena)};
    const struct fsd_tuning tuning = {.most_loss =
                                          most_loss ? strtod(most_loss, NULL) : -1};
    char *text = strdup(routes), *at = text;
    fsd_settings usually = {0};
    struct fsd_routes *r;

    if (usual)
        fsd_settings_parse(arena, d.names, usual, &usually);
    for (char *line; (line = strsep(&at, "\n"));)
        if (*line)
            add_route(&d, line, builds);
    r = fsd_routes_new(d.names, d.at, d.n, &usually, most_loss ? &tuning : NULL);
    show_all(r, out);
    fsd_routes_free(r);
    free(text);
    fsd_arena_free(arena);
}
