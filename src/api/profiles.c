/*
 * Opens the files of --profile and --times. A --profile file has the times of layers.
 * Without --force, these must be the engine's layers for the selected optimization
 * profile. Times of other layers would look plausible, but would be wrong. For example,
 * an engine has separate layers for each optimization profile, with nearly the same
 * names.
 *
 * If ENGINE is a log that ends within its engine block, the engine lacks layers. Layers
 * that only the --profile file has are then added to the engine.
 */
#include "api/inputs.h"
#include "base/base.h"
#include "model/graph/graph.h"
#include "read/engine/reader.h"
#include "read/profile/measured.h"
#include "model/graph/vocab.h"

/* Size limit of a --profile or --times file in bytes. It is large, because such a file
 * may be a log, which is read line by line. */
#define PROFILE_LIMIT (UINT64_C(1) << 36)

static const char only_in_profile[] = "input/only-in-profile";

static enum fsd_status no_reader(const struct fsd_file *file, const char *expected,
                                 struct fsd_error *err)
{
    return fsd_fail(err, FSD_E_UNSUPPORTED, file->name, FSD_POS_NONE, 0,
                    "expected %s, found another kind of file", expected);
}

static enum fsd_status read_profile_file(struct fsd_inputs *d, const char *path,
                                         fsd_profile_vec *out, struct fsd_error *err)
{
    struct fsd_file file;
    enum fsd_status status =
        fsd_file_open_decompressed(&file, path, PROFILE_LIMIT, err);
    const struct fsd_engine_reader *reader =
        status == FSD_OK ? fsd_reader_of(&file, FSD_INPUT_PROFILE, FSD_CLAIM_MAYBE)
                         : NULL;

    FSD_THEN(status, reader ? reader->read_profile(d->arena, d->names, &file, out, err)
                            : no_reader(&file, "a profile of layers", err));
    return fsd_file_blame(path, FSD_FILE_PROFILE, "a profile of layers",
                          fsd_file_done(&file, status, err), err);
}

/* Refuses times of another optimization profile. They belong to other layers, although
 * the names differ only in a number. */
static enum fsd_status check_profile(const struct fsd_inputs *d,
                                     const struct fsd_profile *p,
                                     const struct fsd_join *join, struct fsd_error *err)
{
    const struct fsd_graph *g = d->engine;
    bool *elsewhere = FSD_NEW(d->arena, bool, fsd_intern_count(d->names));
    uint32_t n = 0;

    for (uint32_t i = 0; i < g->elsewhere.n; i++)
        elsewhere[g->elsewhere.at[i]] = true;
    for (uint32_t i = 0; i < p->entries.n; i++)
        n += !fsd_join_has(join, i) && elsewhere[p->entries.at[i].unescaped];
    if (!n)
        return FSD_OK;
    return fsd_fail(
        err, FSD_E_MISMATCH, p->path, FSD_POS_NONE, 0,
        "expected times of optimization profile %d, found times of %u layers of a "
        "different optimization profile (--opt-profile selects the optimization "
        "profile that the times belong to)",
        g->profile, n);
}

/* Appends to the engine those layers that only the profile has. */
static void add_missing(struct fsd_inputs *d, const struct fsd_profile *p,
                        const struct fsd_join *join)
{
    struct fsd_graph *g = d->engine;
    uint32_t first = g->nodes.n, n = 0; /* n: number of missing names; later, number of
                                           added layers */
    fsd_sym *names = FSD_NEW(d->arena, fsd_sym, p->entries.n);
    struct fsd_remark remark;
    char text[64];

    for (uint32_t i = 0; i < p->entries.n; i++)
        if (!fsd_join_has(join, i))
            names[n++] = p->entries.at[i].unescaped;
    g->reader->add_names(g, names, n, fsd_vocab_new(d->arena, d->model));
    n = g->nodes.n - first; /* add_names() ignores names of other optimization
                               profiles */
    if (!n)
        return;
    snprintf(text, sizeof text, "the layer dump lacks %u layers of the profile", n);
    remark = (struct fsd_remark){only_in_profile, first, FSD_NONE,
                                 fsd_intern_str(d->names, text)};
    fsd_vec_push(g->arena, &g->remarks, remark);
}

bool fsd_profiles_added(const struct fsd_graph *engine)
{
    for (uint32_t i = 0; i < engine->remarks.n; i++)
        if (!strcmp(engine->remarks.at[i].rule, only_in_profile))
            return true;
    return false;
}

enum fsd_status fsd_profile_fit(struct fsd_inputs *d, const struct fsd_profile *p,
                                bool force, struct fsd_error *err)
{
    FSD_SCRATCH(scratch);
    const struct fsd_graph *e = d->engine;
    struct fsd_join join = fsd_profile_join(scratch, e, p);
    /* The log may end within its engine block. Only the profile has the layers after
     * that end. */
    bool cut_off = d->own_log && !d->history->foreign &&
                   10 * (uint64_t)join.joined >= 9 * (uint64_t)e->nodes.n;
    enum fsd_status status = FSD_OK;

    if (!force)
        status = check_profile(d, p, &join, err);
    if (status != FSD_OK)
        return status;
    if (fsd_join_fits(&join, e, p) || cut_off) {
        if (join.joined < p->entries.n && e->reader->add_names)
            add_missing(d, p, &join);
    } else if (!force) {
        status = fsd_fail(err, FSD_E_MISMATCH, p->path, FSD_POS_NONE, 0,
                          "expected times of the %u layers of %s, found times of %u "
                          "layers, of which the engine has only %u (--force uses these "
                          "times anyway)",
                          e->nodes.n, e->path, p->entries.n, join.joined);
    }
    return status;
}

enum fsd_status fsd_profiles_read(struct fsd_inputs *d, const struct fsd_options *opt,
                                  fsd_profile_vec *out, struct fsd_error *err)
{
    enum fsd_status status = FSD_OK;

    for (unsigned i = 0; i < opt->n_profiles && status == FSD_OK; i++)
        status = read_profile_file(d, opt->profiles[i], out, err);
    return status;
}

/* Loads times from the engine file, which may be a profile, or a log with tables of
 * times. A log may also contain tables of other engines, so tables that do not fit are
 * ignored. */
static void load_own(struct fsd_inputs *d, fsd_profile_vec *out)
{
    for (uint32_t i = 0; i < d->own_profiles.n; i++)
        if (fsd_profile_fit(d, &d->own_profiles.at[i], false, NULL) == FSD_OK)
            fsd_vec_push(d->arena, out, d->own_profiles.at[i]);
}

enum fsd_status fsd_profiles_load(struct fsd_inputs *d, const struct fsd_options *opt,
                                  fsd_profile_vec *out, struct fsd_error *err)
{
    enum fsd_status status = fsd_profiles_read(d, opt, out, err);

    if (!opt->n_profiles) {
        load_own(d, out);
        return status;
    }
    for (uint32_t i = 0; i < out->n && status == FSD_OK; i++)
        status = fsd_profile_fit(d, &out->at[i], opt->force, err);
    return status;
}

/* ------------------------------------------------------------------ run times */

enum fsd_status fsd_run_times_load(struct fsd_inputs *d, const struct fsd_options *opt,
                                   struct fsd_error *err)
{
    struct fsd_file file;
    struct fsd_run_times times = {0};
    const struct fsd_engine_reader *reader;
    enum fsd_status status;

    d->times.run = FSD_SPREAD_NONE;
    if (!opt->times)
        return FSD_OK;
    status = fsd_file_open_decompressed(&file, opt->times, PROFILE_LIMIT, err);
    if (status == FSD_OK) {
        reader = fsd_reader_of(&file, FSD_INPUT_TIMES, FSD_CLAIM_MAYBE);
        status = reader ? reader->read_times(d->arena, &file, &times, err)
                        : no_reader(&file, "times of whole runs", err);
    }
    if (status == FSD_OK && !times.ms.n)
        status = fsd_fail(err, FSD_E_FORMAT, opt->times, FSD_POS_NONE, 0,
                          "expected times of whole runs, found none");
    status = fsd_file_blame(opt->times, FSD_FILE_TIMES, "times of whole runs",
                            fsd_file_done(&file, status, err), err);
    if (status != FSD_OK)
        return status;
    d->times.run = fsd_spread_robust(times.ms.at, times.ms.n);
    d->times.timed_runs = times.ms.n;
    if (times.odd) {
        struct fsd_remark remark = {"input/odd-run-times", FSD_NONE, FSD_NONE,
                                    fsd_intern_str(d->names, opt->times)};

        fsd_vec_push(d->engine->arena, &d->engine->remarks, remark);
    }
    return FSD_OK;
}
