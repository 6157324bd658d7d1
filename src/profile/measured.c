#include "profile/measured.h"

#include <stdio.h>

static void remark(struct fsd_graph *engine, const char *rule, fsd_id layer,
                   fsd_sym text)
{
    struct fsd_remark remark = {rule, layer, FSD_NONE, text};

    fsd_vec_push(engine->arena, &engine->remarks, remark);
}

static void remark_count(struct fsd_graph *engine, const char *rule, uint32_t n,
                         const char *what)
{
    char text[64];

    snprintf(text, sizeof text, "%u %s", n, what);
    if (n)
        remark(engine, rule, FSD_NONE, fsd_intern_str(engine->names, text));
}

/* What is odd about a profile as a whole. */
static void remark_profile(struct fsd_graph *engine, const struct fsd_profile *p,
                           uint32_t joined)
{
    remark_count(engine, "input/profile-no-name", p->nameless, "records");
    remark_count(engine, "input/profile-missing-layers", engine->nodes.n - joined,
                 "layers of the engine have no time in it");
    if (p->odd_runs)
        remark(engine, "input/profile-odd-count", FSD_NONE,
               fsd_intern_str(engine->names, p->path));
}

/* Sets the profile's times of layers; returns the time of entries that are none. */
static double add_profile(struct fsd_measured *t, struct fsd_graph *engine,
                          const struct fsd_profile *p, struct fsd_arena *scratch)
{
    struct fsd_join join = fsd_profile_join(scratch, engine, p);
    double *own = t->profile_ms[t->profiles], elsewhere = 0;
    double *middle = t->profile_median[t->profiles];

    if (!t->profiles++) {
        t->entries = p->entries.n;
        t->joined = join.joined;
    }
    remark_profile(engine, p, join.joined);
    for (uint32_t i = 0; i < p->entries.n; i++) {
        const struct fsd_profile_entry *entry = &p->entries.at[i];
        double ms = fsd_profile_ms(p, entry);
        fsd_id layer = join.layer_of[i];

        if (ms < 0) {
            remark(engine,
                   entry->odd ? "input/profile-odd-time" : "input/profile-no-time",
                   layer, entry->name);
        } else if (layer != FSD_NONE) {
            if (engine->nodes.at[layer].name != entry->name &&
                engine->nodes.at[layer].name != entry->unescaped)
                remark(engine, "input/profile-other-name", layer, entry->name);
            own[layer] = (own[layer] > 0 ? own[layer] : 0) + ms;
            middle[layer] = (middle[layer] > 0 ? middle[layer] : 0) +
                            (entry->median_ms >= 0 ? entry->median_ms : ms);
        } else {
            remark(engine, "input/profile-unknown-layer", FSD_NONE, entry->name);
            elsewhere += ms;
        }
    }
    return elsewhere;
}

static double *unknown(const struct fsd_graph *engine)
{
    double *ms = FSD_NEW(engine->arena, double, engine->nodes.n);

    for (fsd_id i = 0; i < engine->nodes.n; i++)
        ms[i] = -1;
    return ms;
}

/* A layer's time over the profiles that tell one. */
static struct fsd_spread settle(const struct fsd_measured *t, fsd_id layer,
                                double *values)
{
    uint32_t n = 0;

    for (uint32_t p = 0; p < t->profiles; p++)
        if (t->profile_ms[p][layer] >= 0)
            values[n++] = t->profile_ms[p][layer];
    return fsd_spread_of(values, n);
}

/* Of the sums of each profile. */
static struct fsd_spread sum_up(const struct fsd_measured *t, uint32_t layers,
                                const double *elsewhere, double *values)
{
    for (uint32_t p = 0; p < t->profiles; p++) {
        values[p] = elsewhere[p];
        for (fsd_id i = 0; i < layers; i++)
            if (t->profile_ms[p][i] > 0)
                values[p] += t->profile_ms[p][i];
    }
    return fsd_spread_of(values, t->profiles);
}

static uint64_t runs_of_all(const struct fsd_profile *profiles, uint32_t n)
{
    uint64_t runs = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (!profiles[i].runs)
            return 0;
        runs += profiles[i].runs;
    }
    return runs;
}

void fsd_measure(struct fsd_measured *out, struct fsd_graph *engine,
                 const struct fsd_profile *profiles, uint32_t n)
{
    struct fsd_arena *scratch = fsd_arena_new();
    struct fsd_spread *of = FSD_NEW(engine->arena, struct fsd_spread, engine->nodes.n);
    double *elsewhere = FSD_NEW(scratch, double, n);
    double *values = FSD_NEW(scratch, double, n);

    out->profile_ms = FSD_NEW(engine->arena, double *, n);
    out->profile_median = FSD_NEW(engine->arena, double *, n);
    for (uint32_t i = 0; i < n; i++) {
        out->profile_ms[i] = unknown(engine);
        out->profile_median[i] = unknown(engine);
        elsewhere[i] = add_profile(out, engine, &profiles[i], scratch);
    }
    for (fsd_id i = 0; i < engine->nodes.n; i++) {
        of[i] = settle(out, i, values);
        out->total += of[i].median > 0 ? of[i].median : 0;
    }
    out->of = of;
    out->totals = sum_up(out, engine->nodes.n, elsewhere, values);
    out->elsewhere = n ? fsd_spread_of(elsewhere, n).median : 0;
    out->total += out->elsewhere;
    out->runs = runs_of_all(profiles, n);
    fsd_arena_free(scratch);
}
