/* Compares the times of two builds, and finds how much of the difference noise may
 * explain. */
#include "base/base.h"
#include "judge/findings/finder.h"

/* Minimum number of profiles or runs of each build. With fewer, the noise is not
 * measured. */
enum { ENOUGH = 3 };

static double wider(struct fsd_spread a, struct fsd_spread b)
{
    double x = a.high - a.low, y = b.high - b.low;

    return x > y ? x : y;
}

struct fsd_timing fsd_timing_of_layers(const struct fsd_compare *c)
{
    return (struct fsd_timing){.known = c->timed,
                               .before = c->before,
                               .after = c->after,
                               .spread = wider(c->old->total, c->new->total),
                               .n_old = c->old->profiles,
                               .n_new = c->new->profiles};
}

struct fsd_timing fsd_timing_of(const struct fsd_compare *c)
{
    if (!c->old->timed_runs || !c->new->timed_runs)
        return fsd_timing_of_layers(c);
    return (struct fsd_timing){.known = !c->unlike,
                               .runs = true,
                               .before = c->old->run.median,
                               .after = c->new->run.median,
                               .spread = wider(c->old->run, c->new->run),
                               .n_old = c->old->timed_runs,
                               .n_new = c->new->timed_runs};
}

struct fsd_noise fsd_noise_of(const struct fsd_timing *t,
                              const struct fsd_policy *policy)
{
    struct fsd_noise noise = {policy->noise * t->before, FSD_NOISE_POLICY};
    double cap = policy->noise_cap * t->before;

    if (t->n_old < ENOUGH || t->n_new < ENOUGH)
        noise.by = FSD_NOISE_UNMEASURED;
    else if (t->spread > noise.band && cap > noise.band)
        noise = t->spread > cap ? (struct fsd_noise){cap, FSD_NOISE_CAPPED}
                                : (struct fsd_noise){t->spread, FSD_NOISE_MEASURED};
    return noise;
}

void fsd_put_noise(const struct fsd_timing *t, struct fsd_noise noise, FILE *out)
{
    static const struct {
        const char *is, *why;
    } by[] = {
        [FSD_NOISE_POLICY] = {"assumed by the policy", "vary less than this value"},
        [FSD_NOISE_UNMEASURED] = {"assumed by the policy",
                                  "are too few to measure noise"},
        [FSD_NOISE_MEASURED] = {"two standard deviations", "suffice to measure noise"},
        [FSD_NOISE_CAPPED] = {"the policy's limit", "vary more than this limit"}};

    fprintf(out, "%.4f ms (%s, because %u %s%s before and %u now %s)", noise.band,
            by[noise.by].is, t->n_old, t->runs ? "run" : "profile",
            fsd_plural(t->n_old), t->n_new, by[noise.by].why);
}
