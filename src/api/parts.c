/*
 * Reads several engines of one model. Layer names, and therefore profiles, are valid
 * only within one engine. So each engine is read and joined with its profiles
 * separately. Then all engines are joined into one (model/graph/join.c), which later
 * stages use. The logs of the engines are not used, because each log describes only a
 * part of the model.
 */
#include "api/inputs.h"
#include "base/base.h"
#include "model/graph/graph.h"

/* The engines, and the times of each. */
struct parts {
    struct fsd_inputs *d;
    uint32_t n;
    struct fsd_graph **graphs;
    fsd_profile_vec *profiles; /* one list per engine */
    struct fsd_measured *times;
};

static enum fsd_status check_options(const struct fsd_options *opt,
                                     struct fsd_error *err)
{
    if (!opt->model)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected MODEL and the engines that compute its parts, found "
                        "only engines");
    if (opt->log)
        return fsd_fail(
            err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
            "expected a single engine with --log, found several; to read the layers of "
            "an engine from a log, pass the log in place of this engine");
    if (opt->engine_number)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected a single engine with --engine, found several");
    return FSD_OK;
}

static enum fsd_status load_graphs(struct parts *p, const struct fsd_options *opt,
                                   struct fsd_error *err)
{
    enum fsd_status status = FSD_OK;

    p->graphs[0] = p->d->engine;
    for (uint32_t i = 1; i < p->n && status == FSD_OK; i++)
        status = fsd_inputs_load_part(p->d, opt, opt->parts[i], &p->graphs[i], err);
    return status;
}

/* ------------------------------------------------------------------------ times */

/* Returns the engine that has the profile's layers; FSD_NONE if there is none. If
 * several engines have these layers, returns the engine with the fewest profiles so
 * far. If several of these have equally few profiles, returns the first of them. Equal
 * engines thus get profiles in turn. */
static uint32_t engine_of(const struct parts *p, const struct fsd_profile *profile)
{
    FSD_SCRATCH(scratch);
    uint32_t found = FSD_NONE;

    for (uint32_t i = 0; i < p->n; i++) {
        struct fsd_join join = fsd_profile_join(scratch, p->graphs[i], profile);

        if (join.joined && fsd_join_fits(&join, p->graphs[i], profile) &&
            (found == FSD_NONE || p->profiles[i].n < p->profiles[found].n))
            found = i;
    }
    return found;
}

static enum fsd_status give_profiles(struct parts *p, const struct fsd_options *opt,
                                     struct fsd_error *err)
{
    fsd_profile_vec all = {0};
    enum fsd_status status = fsd_profiles_read(p->d, opt, &all, err);

    for (uint32_t i = 0; i < all.n && status == FSD_OK; i++) {
        uint32_t part = engine_of(p, &all.at[i]);
        struct fsd_inputs one = *p->d;

        if (part == FSD_NONE)
            return fsd_fail(err, FSD_E_MISMATCH, all.at[i].path, FSD_POS_NONE, 0,
                            "expected layer times of one of the %u engines, found "
                            "times of layers that no engine has",
                            p->n);
        one.engine = p->graphs[part];
        status = fsd_profile_fit(&one, &all.at[i], opt->force, err);
        fsd_vec_push(p->d->arena, &p->profiles[part], all.at[i]);
    }
    return status;
}

static void remark_unmeasured(struct fsd_graph *engine)
{
    struct fsd_remark remark = {"input/profile-missing-layers", FSD_NONE, FSD_NONE, 0};
    const char *text =
        fsd_printed(engine->arena, "the profiles have no times of the %u layers of %s",
                    engine->nodes.n, engine->path);

    remark.text = fsd_intern_str(engine->names, text);
    fsd_vec_push(engine->arena, &engine->remarks, remark);
}

/* Adds the times of an engine to the sum. The i-th profile of each engine becomes a
 * part of the sum's i-th profile, as if all these profiles came from the same run. */
static void add_times(struct fsd_measured *sum, struct fsd_spread *of, uint32_t layers,
                      const struct fsd_measured *t, uint32_t at)
{
    for (uint32_t i = 0; i < layers; i++) {
        of[at + i] = t->of[i];
        for (uint32_t k = 0; k < sum->profiles; k++)
            sum->profile_ms[k][at + i] = k < t->profiles ? t->profile_ms[k][i] : -1;
    }
    sum->runs = !at || sum->runs == t->runs ? t->runs : 0;
    sum->total += t->total;
    sum->elsewhere += t->elsewhere;
    sum->entries += t->entries;
    sum->joined += t->joined;
    sum->totals.low += t->totals.low;
    sum->totals.median += t->totals.median;
    sum->totals.high += t->totals.high;
}

static void join_times(struct parts *p)
{
    struct fsd_measured *sum = &p->d->times;
    uint32_t n = p->d->engine->nodes.n, at = 0;
    struct fsd_spread *of = FSD_NEW(p->d->arena, struct fsd_spread, n);

    *sum = (struct fsd_measured){.of = of};
    for (uint32_t i = 0; i < p->n; i++)
        if (p->times[i].profiles > sum->profiles)
            sum->profiles = p->times[i].profiles;
    sum->profile_ms = FSD_NEW(p->d->arena, double *, sum->profiles);
    for (uint32_t k = 0; k < sum->profiles; k++)
        sum->profile_ms[k] = FSD_NEW(p->d->arena, double, n);
    for (uint32_t i = 0; i < p->n; i++) {
        add_times(sum, of, p->graphs[i]->nodes.n, &p->times[i], at);
        at += p->graphs[i]->nodes.n;
    }
}

enum fsd_status fsd_parts_load(struct fsd_inputs *d, const struct fsd_options *opt,
                               struct fsd_error *err)
{
    struct parts p = {.d = d, .n = opt->n_parts};
    enum fsd_status status = check_options(opt, err);

    p.graphs = FSD_NEW(d->arena, struct fsd_graph *, p.n);
    p.profiles = FSD_NEW(d->arena, fsd_profile_vec, p.n);
    p.times = FSD_NEW(d->arena, struct fsd_measured, p.n);
    FSD_THEN(status, load_graphs(&p, opt, err));
    FSD_THEN(status, give_profiles(&p, opt, err));
    if (status != FSD_OK)
        return status;
    for (uint32_t i = 0; i < p.n; i++) {
        if (opt->n_profiles && !p.profiles[i].n)
            remark_unmeasured(p.graphs[i]);
        fsd_measure(&p.times[i], p.graphs[i], p.profiles[i].at, p.profiles[i].n);
    }
    d->engine = fsd_graph_join(p.graphs, p.n, d->model);
    d->history = NULL;
    join_times(&p);
    return FSD_OK;
}
