/*
 * Times of layers.  Several profiles of one engine are one longer measurement: a
 * layer's time is the mean over all runs where every profile tells how many it had,
 * else the mean of the profiles.
 */
#include "cost/cost.h"

struct pool {
    double *ms;     /* by layer: weighted sum */
    double *weight; /* by layer */
    bool by_runs;
};

static double weight_of(const struct pool *pool, const struct fsd_profile *p)
{
    return pool->by_runs ? (double)p->runs : 1;
}

static void remark(struct fsd_diff *d, const char *rule, fsd_id layer, fsd_sym text)
{
    struct fsd_remark remark = {rule, layer, FSD_NONE, text};

    fsd_vec_push(d->engine->arena, &d->engine->remarks, remark);
}

static void add_profile(struct fsd_diff *d, struct pool *pool,
                        const struct fsd_profile *p, struct fsd_arena *scratch)
{
    struct fsd_join join = fsd_cost_join(scratch, d->engine, p);
    double weight = weight_of(pool, p);
    double *own = d->profile_ms[d->times.profiles];
    double *middle = d->profile_median[d->times.profiles];

    if (!d->times.profiles++) {
        d->times.entries = p->entries.n;
        d->times.joined = join.joined;
    }
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
            pool->ms[layer] += ms * weight;
            pool->weight[layer] += weight;
            own[layer] = (own[layer] > 0 ? own[layer] : 0) + ms;
            middle[layer] = (middle[layer] > 0 ? middle[layer] : 0) +
                            (entry->median_ms >= 0 ? entry->median_ms : ms);
        } else {
            remark(d, "input/profile-unknown-layer", FSD_NONE, entry->name);
            d->times.elsewhere += ms * weight;
        }
    }
}

static bool all_have_runs(const struct fsd_profile *profiles, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!profiles[i].runs)
            return false;
    return true;
}

static double *unknown(struct fsd_diff *d)
{
    double *ms = FSD_NEW(d->arena, double, d->engine->nodes.n);

    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        ms[i] = -1;
    return ms;
}

void fsd_cost_times(struct fsd_diff *d, const struct fsd_profile *profiles, uint32_t n)
{
    struct fsd_arena *scratch = fsd_arena_new();
    struct pool pool = {FSD_NEW(scratch, double, d->engine->nodes.n),
                        FSD_NEW(scratch, double, d->engine->nodes.n),
                        all_have_runs(profiles, n)};
    double weight = 0;

    d->profile_ms = FSD_NEW(d->arena, double *, n);
    d->profile_median = FSD_NEW(d->arena, double *, n);
    for (uint32_t i = 0; i < n; i++) {
        d->profile_ms[i] = unknown(d);
        d->profile_median[i] = unknown(d);
        add_profile(d, &pool, &profiles[i], scratch);
        d->times.runs += pool.by_runs ? profiles[i].runs : 0;
        weight += weight_of(&pool, &profiles[i]);
    }
    if (n)
        d->times.elsewhere /= weight;
    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        if (pool.weight[i] > 0)
            d->layers[i].ms = pool.ms[i] / pool.weight[i];
    fsd_arena_free(scratch);
}
