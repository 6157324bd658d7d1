/*
 * Times of layers.  Each profile tells one time a layer; of several profiles of one
 * engine a layer has the median, so that a run that was disturbed does not count, and
 * the lowest and the highest beside it.
 */
#include "cost/cost.h"

#include <stdio.h>

static void remark(struct fsd_diff *d, const char *rule, fsd_id layer, fsd_sym text)
{
    struct fsd_remark remark = {rule, layer, FSD_NONE, text};

    fsd_vec_push(d->engine->arena, &d->engine->remarks, remark);
}

static void remark_count(struct fsd_diff *d, const char *rule, uint32_t n,
                         const char *what)
{
    char text[64];

    snprintf(text, sizeof text, "%u %s", n, what);
    if (n)
        remark(d, rule, FSD_NONE, fsd_intern_str(d->names, text));
}

/* What is odd about a profile as a whole. */
static void remark_profile(struct fsd_diff *d, const struct fsd_profile *p,
                           uint32_t joined)
{
    remark_count(d, "input/profile-no-name", p->nameless, "records");
    remark_count(d, "input/profile-missing-layers", d->engine->nodes.n - joined,
                 "layers of the engine have no time in it");
    if (p->odd_runs)
        remark(d, "input/profile-odd-count", FSD_NONE,
               fsd_intern_str(d->names, p->path));
}

/* Sets the profile's times of layers; returns the time of entries that are none. */
static double add_profile(struct fsd_diff *d, const struct fsd_profile *p,
                          struct fsd_arena *scratch)
{
    struct fsd_join join = fsd_cost_join(scratch, d->engine, p);
    double *own = d->profile_ms[d->times.profiles], elsewhere = 0;
    double *middle = d->profile_median[d->times.profiles];

    if (!d->times.profiles++) {
        d->times.entries = p->entries.n;
        d->times.joined = join.joined;
    }
    remark_profile(d, p, join.joined);
    for (uint32_t i = 0; i < p->entries.n; i++) {
        const struct fsd_profile_entry *entry = &p->entries.at[i];
        double ms = fsd_profile_ms(p, entry);
        fsd_id layer = join.layer_of[i];

        if (ms < 0) {
            remark(d, entry->odd ? "input/profile-odd-time" : "input/profile-no-time",
                   layer, entry->name);
        } else if (layer != FSD_NONE) {
            if (d->engine->nodes.at[layer].name != entry->name &&
                d->engine->nodes.at[layer].name != entry->unescaped)
                remark(d, "input/profile-other-name", layer, entry->name);
            own[layer] = (own[layer] > 0 ? own[layer] : 0) + ms;
            middle[layer] = (middle[layer] > 0 ? middle[layer] : 0) +
                            (entry->median_ms >= 0 ? entry->median_ms : ms);
        } else {
            remark(d, "input/profile-unknown-layer", FSD_NONE, entry->name);
            elsewhere += ms;
        }
    }
    return elsewhere;
}

static double *unknown(struct fsd_diff *d)
{
    double *ms = FSD_NEW(d->arena, double, d->engine->nodes.n);

    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        ms[i] = -1;
    return ms;
}

/* A layer's time over the profiles that tell one. */
static void settle(struct fsd_diff *d, fsd_id layer, double *values)
{
    uint32_t n = 0;

    for (uint32_t p = 0; p < d->times.profiles; p++)
        if (d->profile_ms[p][layer] >= 0)
            values[n++] = d->profile_ms[p][layer];
    d->layers[layer].spread = fsd_spread_of(values, n);
    d->layers[layer].ms = d->layers[layer].spread.median;
}

/* Of the sums of each profile. */
static struct fsd_spread sum_up(const struct fsd_diff *d, const double *elsewhere,
                                double *values)
{
    for (uint32_t p = 0; p < d->times.profiles; p++) {
        values[p] = elsewhere[p];
        for (fsd_id i = 0; i < d->engine->nodes.n; i++)
            if (d->profile_ms[p][i] > 0)
                values[p] += d->profile_ms[p][i];
    }
    return fsd_spread_of(values, d->times.profiles);
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

void fsd_cost_times(struct fsd_diff *d, const struct fsd_profile *profiles, uint32_t n)
{
    struct fsd_arena *scratch = fsd_arena_new();
    double *elsewhere = FSD_NEW(scratch, double, n);
    double *values = FSD_NEW(scratch, double, n);

    d->profile_ms = FSD_NEW(d->arena, double *, n);
    d->profile_median = FSD_NEW(d->arena, double *, n);
    for (uint32_t i = 0; i < n; i++) {
        d->profile_ms[i] = unknown(d);
        d->profile_median[i] = unknown(d);
        elsewhere[i] = add_profile(d, &profiles[i], scratch);
    }
    for (fsd_id i = 0; n && i < d->engine->nodes.n; i++)
        settle(d, i, values);
    d->times.totals = sum_up(d, elsewhere, values);
    d->times.elsewhere = n ? fsd_spread_of(elsewhere, n).median : 0;
    d->times.runs = runs_of_all(profiles, n);
    fsd_arena_free(scratch);
}
