/*
 * Joins profiles to the layers of an engine, and computes the median, minimum and
 * maximum time of each layer over several profiles.  The sum of the layers may differ
 * from the measured total.  To explain the difference, the time of entries without a
 * layer is stored (`elsewhere`), and each problem of a profile becomes a remark.
 */
#include "model/graph/graph.h"
#include "read/profile/measured.h"

static void remark(struct fsd_graph *engine, const char *rule, fsd_id layer,
                   fsd_sym text)
{
    struct fsd_remark remark = {rule, layer, FSD_NONE, text};

    fsd_vec_push(engine->arena, &engine->remarks, remark);
}

/* Adds remarks about a profile as a whole. */
static void remark_profile(struct fsd_graph *engine, const struct fsd_profile *p,
                           uint32_t joined)
{
    uint32_t missing = engine->nodes.n - joined;
    char text[64];

    snprintf(text, sizeof text, "records without a name in the profile: %u",
             p->nameless);
    if (p->nameless)
        remark(engine, "input/profile-no-name", FSD_NONE,
               fsd_intern_str(engine->names, text));
    snprintf(text, sizeof text,
             "the profile has no times for %u of the engine's layers", missing);
    if (missing)
        remark(engine, "input/profile-missing-layers", FSD_NONE,
               fsd_intern_str(engine->names, text));
    if (p->runs_unknown)
        remark(engine, "input/profile-unlisted-runs", FSD_NONE,
               fsd_intern_str(
                   engine->names,
                   "the times in the profile are sums over an unknown number of runs"));
    if (p->single_run)
        remark(engine, "input/profile-single-run", FSD_NONE,
               fsd_intern_str(
                   engine->names,
                   "the times of the profile come from a single run, which includes "
                   "the warm-up"));
    if (p->odd_runs)
        remark(engine, "input/profile-odd-count", FSD_NONE,
               fsd_intern_str(engine->names, p->path));
}

/* Stores the facts of an entry about its layer, apart from the time. */
static void describe(struct fsd_layer *layer, const struct fsd_profile_entry *entry)
{
    if (entry->provider)
        layer->ran_by = entry->provider;
    if (entry->sizes)
        layer->ran_with = entry->sizes;
}

static const double OUTLYING = 1.1; /* a remark is added if the sum of the means,
                                       divided by the sum of the medians, exceeds this;
                                       lower ratios are usual, because some runs are
                                       always slower */

/* Stores the layer times of a profile.  Returns the time of all entries without a
 * layer, in milliseconds. */
static double add_profile(struct fsd_measured *t, struct fsd_graph *engine,
                          const struct fsd_profile *p, struct fsd_arena *scratch)
{
    struct fsd_join join = fsd_profile_join(scratch, engine, p);
    double *own = t->profile_ms[t->profiles], elsewhere = 0;

    if (!t->profiles++) {
        t->entries = p->entries.n;
        t->joined = join.joined + join.inside;
    }
    remark_profile(engine, p, join.joined);
    for (uint32_t i = 0; i < p->entries.n; i++) {
        const struct fsd_profile_entry *entry = &p->entries.at[i];
        bool by_runs = p->runs && entry->total_ms >= 0; /* true: one run takes total_ms
                                                           / runs; false: it takes
                                                           mean_ms */
        double ms = by_runs ? entry->total_ms / (double)p->runs : entry->mean_ms;
        fsd_id layer = join.layer_of[i];

        if (layer != FSD_NONE && entry->within) /* the entry ran in a body; the
                                                   time of the body's owner
                                                   includes `ms` */
            continue;
        if (layer != FSD_NONE)
            describe(&engine->layers.at[layer], entry);
        if (ms < 0 || entry->odd) {
            remark(engine,
                   entry->odd ? "input/profile-odd-time" : "input/profile-no-time",
                   layer, entry->name);
        } else if (layer != FSD_NONE) {
            if (engine->nodes.at[layer].name &&
                engine->nodes.at[layer].name != entry->name &&
                engine->nodes.at[layer].name != entry->unescaped)
                remark(engine, "input/profile-other-name", layer, entry->name);
            own[layer] = (own[layer] > 0 ? own[layer] : 0) + ms;
        } else {
            remark(engine, "input/profile-unknown-layer", FSD_NONE, entry->name);
            elsewhere += ms;
        }
    }
    return elsewhere;
}

/* Detects that another process disturbed some runs of a profile: the means are then far
 * above the medians.  Detects nothing if an entry has no mean or no median. */
static void find_outliers(struct fsd_measured *t, struct fsd_graph *engine,
                          const struct fsd_profile *p, struct fsd_arena *scratch)
{
    struct fsd_join join = fsd_profile_join(scratch, engine, p);
    double means = 0, medians = 0, worst = 0;

    for (uint32_t i = 0; i < p->entries.n; i++) {
        const struct fsd_profile_entry *entry = &p->entries.at[i];

        if (entry->mean_ms < 0 || entry->median_ms < 0)
            return;
        means += entry->mean_ms;
        medians += entry->median_ms;
        if (join.layer_of[i] == FSD_NONE || entry->median_ms <= 0 ||
            entry->mean_ms - entry->median_ms <= worst)
            continue;
        worst = entry->mean_ms - entry->median_ms;
        t->outlier = join.layer_of[i];
        t->outlying = entry->mean_ms / entry->median_ms;
    }
    if (worst > 0 && means > OUTLYING * medians)
        t->medians = medians;
}

static double *unknown(const struct fsd_graph *engine)
{
    double *ms = FSD_NEW(engine->arena, double, engine->nodes.n);

    for (fsd_id i = 0; i < engine->nodes.n; i++)
        ms[i] = -1;
    return ms;
}

void fsd_measure(struct fsd_measured *out, struct fsd_graph *engine,
                 const struct fsd_profile *profiles, uint32_t n)
{
    FSD_SCRATCH(scratch);
    struct fsd_spread *of = FSD_NEW(engine->arena, struct fsd_spread, engine->nodes.n);
    double *elsewhere = FSD_NEW(scratch, double, n),
           *sums = FSD_NEW(scratch, double, n);
    double *values = FSD_NEW(scratch, double, n);
    bool runs_known = true;

    out->profile_ms = FSD_NEW(engine->arena, double *, n);
    for (uint32_t p = 0; p < n; p++) {
        out->profile_ms[p] = unknown(engine);
        sums[p] = elsewhere[p] = add_profile(out, engine, &profiles[p], scratch);
        runs_known = runs_known && profiles[p].runs;
        out->runs += profiles[p].runs;
    }
    for (fsd_id i = 0; i < engine->nodes.n; i++) {
        uint32_t n_known = 0;

        for (uint32_t p = 0; p < n; p++) {
            double ms = out->profile_ms[p][i];

            if (ms >= 0)
                values[n_known++] = ms;
            sums[p] += ms > 0 ? ms : 0;
        }
        of[i] = fsd_spread_of(values, n_known);
        out->total += of[i].median > 0 ? of[i].median : 0;
    }
    if (n == 1)
        find_outliers(out, engine, profiles, scratch);
    out->of = of;
    out->totals = fsd_spread_of(sums, n);
    out->elsewhere = n ? fsd_spread_of(elsewhere, n).median : 0;
    out->total += out->elsewhere;
    out->runs = runs_known ? out->runs : 0;
}
