/* Rules about builds that became slower: as a whole, and in a group of layers. */
#include "base/base.h"
#include "judge/findings/finder.h"

enum { REGIONS_NAMED = 3 };

/* Limits for the growth of a group's time. The finding on the total time names groups
 * whose growth is at least NAMED_FROM of the total time. A group has its own finding if
 * its growth is at least LITTLE of the total time, and at least MUCH of the group's own
 * time. MUCH is large, because the time of a group varies more than the total time. */
static const double NAMED_FROM = 0.005, LITTLE = 0.01, MUCH = 0.5;
/* Used instead of MUCH if the noise is not measured. */
static const double VERY_MUCH = 0.9;

static void report_untimed(struct fsd_finder *f, const struct fsd_state *s,
                           const char *whose)
{
    if (!s->profiles || !s->untimed)
        return;
    fsd_finding_open(f);
    fprintf(f->out, "incomplete: %u of %u layers have no time in the profiles of %s",
            s->untimed, s->layers, whose);
    f->untimed = true;
    fsd_finding_close(f);
}

/* The reason why the times of two builds cannot be compared; NULL if they can. */
static const char *lack_of(const struct fsd_compare *c, const struct fsd_timing *t)
{
    if (t->known && t->before > 0 && t->after > 0)
        return NULL;
    if (t->known)
        return t->after > 0 ? "all times of the snapshot are 0"
                            : "all times of the build are 0";
    return c->unlike ? "the inputs have different sizes"
           : !c->old->profiles && !c->new->profiles
               ? "neither the snapshot nor the build has times"
           : !c->old->profiles ? "the snapshot has no times"
                               : "the build has no times";
}

/* Whether both builds have times. If not, the rule is skipped. A finding reports this
 * if the policy requires the rule or the snapshot has times. */
static bool can_measure(struct fsd_finder *f, const struct fsd_timing *t)
{
    const struct fsd_compare *c = f->c;

    if (!t->runs) {
        report_untimed(f, c->old, "the snapshot");
        report_untimed(f, c->new, "the build");
    }
    f->skipped = lack_of(c, t);
    if (f->skipped && (f->asked || c->old->profiles)) {
        fsd_finding_open(f);
        fprintf(f->out, "not measured: %s", f->skipped);
        f->untimed = true;
        fsd_finding_close(f);
    }
    return !f->skipped;
}

/* Prints the regions that became slower, the worst first, as the comparison sorts
 * them. */
static void put_grown(const struct fsd_finder *f)
{
    const struct fsd_compare *c = f->c;
    uint32_t n = 0;

    for (uint32_t i = 0; c->timed && i < c->regions.n && n < REGIONS_NAMED; i++) {
        const struct fsd_region_diff *r = &c->regions.at[c->order[i]];
        bool known = r->before > 0 && r->after > 0 && r->new_groups.n;

        if (!known || r->after - r->before < NAMED_FROM * c->before)
            continue;
        fputs(n++ ? ", " : "; slower: ", f->out);
        fsd_put_region(f, r);
        fprintf(f->out, " %+.4f ms", r->after - r->before);
    }
}

void fsd_find_slower(struct fsd_finder *f)
{
    struct fsd_timing t = fsd_timing_of(f->c);
    double slower = t.after - t.before;
    struct fsd_noise noise = fsd_noise_of(&t, f->policy);

    if (!can_measure(f, &t) || slower <= noise.band)
        return;
    f->base = t.before;
    fsd_finding_open(f);
    fprintf(f->out, "%s %.4f ms, %+.4f ms (%+.2f%%); noise may be up to ",
            t.runs ? "an inference takes" : "the layers take", t.after, slower,
            100 * slower / t.before);
    fsd_put_noise(&t, noise, f->out);
    put_grown(f);
    f->ms = slower;
    fsd_finding_close(f);
}

/* ------------------------------------------------------------ one group of layers */

/* How much the times of a region's groups vary between the profiles of a build: the sum
 * of twice the standard deviation of each group, in milliseconds. */
static double spread_of(const struct fsd_compare *c, struct fsd_span groups, bool new)
{
    const struct fsd_state *s = new ? c->new : c->old;
    double sum = 0;

    for (uint32_t i = 0; i < groups.n; i++) {
        struct fsd_spread ms = s->groups.at[c->pool.at[groups.at + i]].ms;

        sum += ms.high - ms.low;
    }
    return sum;
}

/* The milliseconds by which a region became slower; 0 if the growth is within the
 * region's noise, or too little to matter. */
static double grown_by(const struct fsd_finder *f, const struct fsd_region_diff *r,
                       bool measured)
{
    const struct fsd_compare *c = f->c;
    double grown = r->after - r->before;
    double noise =
        spread_of(c, r->old_groups, false) + spread_of(c, r->new_groups, true);
    double least = fsd_larger((measured ? MUCH : VERY_MUCH) * r->before,
                              (measured ? LITTLE : f->policy->noise) * c->before);

    if (r->before <= 0 || r->after <= 0 || !r->old_groups.n || !r->new_groups.n)
        return 0;
    return grown > noise && grown >= least ? grown : 0;
}

/* Whether the rule on the total time fails. The finding of that rule already names the
 * groups that became slower. */
static bool is_latency_failed(const struct fsd_finder *f)
{
    const struct fsd_findings *found = f->found;
    bool failed = false;

    for (uint32_t i = 0; i < found->list.n && !failed; i++)
        failed =
            found->rules.at[found->list.at[i].rule].rule->find == fsd_find_slower &&
            found->list.at[i].severity == FSD_ERROR;
    return failed;
}

/* Reports layers that became slower, even if the total hardly grew because other layers
 * became faster. */
void fsd_find_slower_groups(struct fsd_finder *f)
{
    const struct fsd_compare *c = f->c;
    struct fsd_timing t = fsd_timing_of_layers(c);
    bool measured = fsd_noise_of(&t, f->policy).by != FSD_NOISE_UNMEASURED;

    f->skipped = lack_of(c, &t);
    if (f->skipped || is_latency_failed(f))
        return;
    f->base = c->before;
    for (uint32_t i = 0; i < c->regions.n; i++) {
        const struct fsd_region_diff *r = &c->regions.at[c->order[i]];
        double grown = grown_by(f, r, measured);

        if (!(grown > 0))
            continue;
        fsd_finding_open(f);
        fsd_about_new_groups(f, r);
        fputs("the layers of ", f->out);
        fsd_put_region(f, r);
        fprintf(f->out, " take %.4f ms, %+.4f ms (%+.0f%%)", r->after, grown,
                100 * grown / r->before);
        fputs(measured ? ", which noise does not explain"
                       : "; there are too few profiles to measure noise",
              f->out);
        f->now.line = c->old->groups.at[c->pool.at[r->old_groups.at]].line;
        f->ms = grown;
        fsd_finding_close(f);
    }
}
