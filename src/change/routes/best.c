/*
 * Finds the fastest route.  Of the routes that keep its gain over the base, also finds
 * the one with the fewest changed knobs (build options): no other change is needed.
 *
 * The times of routes with the same engine differ only by chance.  The largest such
 * difference is the noise.  The gain counts only if it is larger than the noise.
 *
 * A route keeps the gain if it has the engine of the fastest route, or if it is slower
 * by at most the noise.  If the noise is unknown, it may be slower by 5 % of the gain.
 * Each of its knobs must have the value of the base or of the fastest route.  Only
 * routes that were built are compared; no times are predicted.
 */
#include "change/routes/parts.h"

#include "base/base.h"

static const double kept_share = 0.05; /* the share of the gain that a route may lose if
                                          the noise is unknown */

double fsd_route_ms_between(double from, double to)
{
    double n = (to - from) * 1e9;

    return (double)(int64_t)(n < 0 ? n - 0.5 : n + 0.5) / 1e9;
}

static void find_noise(struct fsd_routes *r)
{
    r->noise = -1;
    for (uint32_t e = 0; e < r->engines.n; e++) {
        double least = -1, most = -1;
        uint32_t n = 0;

        for (uint32_t i = 0; i < r->n; i++) {
            double ms = r->routes[i].in->ms;

            if (r->routes[i].engine != e || ms < 0)
                continue;
            least = n && least < ms ? least : ms;
            most = fsd_larger(most, ms);
            n++;
        }
        if (n > 1)
            r->noise = fsd_larger(r->noise, fsd_route_ms_between(least, most));
    }
}

static bool may_win(const struct fsd_route_in *in, double most_loss)
{
    return !in->failed && in->ms >= 0 && !(most_loss >= 0 && in->loss > most_loss);
}

/* Whether the value of each knob in `route` is equal to the knob's value in the base or
 * in the best route. */
static bool is_within_best(const struct fsd_routes *r, uint32_t route)
{
    const fsd_sym *base = r->routes[r->base].values, *best = r->routes[r->best].values,
                  *own = r->routes[route].values;

    for (uint32_t k = 0; k < r->knobs.n; k++)
        if (own[k] != base[k] && own[k] != best[k])
            return false;
    return true;
}

static enum fsd_kept_by keeps(const struct fsd_routes *r, uint32_t route)
{
    const struct fsd_route *best = &r->routes[r->best], *own = &r->routes[route];
    double gain = r->routes[r->base].in->ms - best->in->ms;
    double slack = r->noise >= 0 ? r->noise : kept_share * gain;

    if (own->apart >= best->apart || own->in->failed || !is_within_best(r, route))
        return FSD_KEPT_NONE;
    if (own->engine != FSD_NONE && own->engine == best->engine)
        return FSD_KEPT_ENGINE;
    return own->in->ms >= 0 && own->in->ms <= best->in->ms + slack ? FSD_KEPT_TIME
                                                                   : FSD_KEPT_NONE;
}

static void find_kept(struct fsd_routes *r, double most_loss)
{
    r->kept = r->best;
    for (uint32_t i = 0; i < r->n; i++) {
        enum fsd_kept_by by = keeps(r, i);

        if (by == FSD_KEPT_NONE || r->routes[i].apart >= r->routes[r->kept].apart ||
            (by == FSD_KEPT_TIME && !may_win(r->routes[i].in, most_loss)))
            continue;
        r->kept = i;
        r->kept_by = (uint8_t)by;
    }
}

void fsd_route_best_find(struct fsd_routes *r, double most_loss)
{
    const struct fsd_route_in *base = r->routes[r->base].in;
    uint32_t timed = 0;

    find_noise(r);
    r->best = r->kept = FSD_NONE;
    for (uint32_t i = 0; i < r->n; i++) {
        const struct fsd_route_in *in = r->routes[i].in;

        r->aside += !in->failed && in->ms >= 0 && !may_win(in, most_loss);
        if (!may_win(in, most_loss))
            continue;
        timed++;
        if (r->best == FSD_NONE || in->ms < r->routes[r->best].in->ms)
            r->best = i;
    }
    if (timed < 2 || base->ms < 0)
        r->best = FSD_NONE;
    if (r->best != FSD_NONE &&
        base->ms - r->routes[r->best].in->ms > fsd_larger(r->noise, 0))
        find_kept(r, most_loss);
}

const char *fsd_kept_by_name(unsigned value)
{
    static const char *const names[FSD__KEPT_BY_COUNT] = {
        [FSD_KEPT_NONE] = "", [FSD_KEPT_ENGINE] = "engine", [FSD_KEPT_TIME] = "time"};

    return value < FSD__KEPT_BY_COUNT ? names[value] : "";
}
