/*
 * The public API that compares builds of one network by several routes. A route is a
 * set of settings. A setting is the value of one option, which is called a knob.
 *
 * With a tuning cache, the settings and times of a build come from its iteration in the
 * cache. The command in the log, or the build's name ("iter3"), identifies the
 * iteration.
 *
 * Without a tuning cache, times come from the profiles of the builds. The settings of a
 * build come from three sources, the most reliable first: the build options in the log,
 * the label, and words "knob=value" in the name.
 */
#include "api/command.h"
#include "api/inputs.h"
#include "api/states.h"
#include "base/base.h"
#include "change/routes/routes.h"
#include "model/graph/graph.h"
#include "read/engine/reader.h"
#include "explain/pattern/pattern.h"
#include "report/subject/subject.h"

#define CACHE_LIMIT (UINT64_C(1) << 28)
enum { MOST = 128 };

static const char not_set[] = "not set";

struct fsd_routing {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    struct fsd_tuning tuning;
    bool tuned;
    struct fsd_state *states[MOST];
    fsd_route_blocks blocks[MOST];
    unsigned n;               /* number of states */
    fsd_failed_builds failed; /* the failed builds, which have no state */
    struct fsd_route_in *in;
    uint32_t n_in;
    fsd_settings usual;
    struct fsd_routes *routes;
};

/* ------------------------------------------------------------------------- opening */

static enum fsd_status read_cache(struct fsd_routing *r, const char *path,
                                  struct fsd_error *err)
{
    struct fsd_file file;
    enum fsd_status status = fsd_file_open_decompressed(&file, path, CACHE_LIMIT, err);
    const struct fsd_engine_reader *reader =
        status == FSD_OK ? fsd_reader_of(&file, FSD_INPUT_TUNING, FSD_CLAIM_SURE)
                         : NULL;

    if (reader && reader->read_tuning)
        status = reader->read_tuning(r->arena, r->names, &file, &r->tuning, err);
    else if (status == FSD_OK)
        status = fsd_fail(err, FSD_E_FORMAT, path, FSD_POS_NONE, 0,
                          "expected a tuning cache, found another kind of file");
    /* A copy, because the caller may free its path. */
    r->tuning.path = fsd_arena_strndup(r->arena, path, strlen(path));
    r->tuned = true;
    return fsd_file_blame(path, FSD_FILE_TUNING, "a tuning cache",
                          fsd_file_done(&file, status, err), err);
}

/* For each block that users expect as one kernel, records whether the engine computes
 * the block by one kernel. */
static void take_blocks(struct fsd_routing *r, const struct fsd_diff *d)
{
    FSD_SCRATCH(scratch);
    const struct fsd_blocks *all = fsd_blocks_of(scratch, d);

    FSD_EACH (const struct fsd_block, b, all->list) {
        const struct fsd_node *node = &d->model->nodes.at[b->anchor];
        struct fsd_route_block one = {
            .pattern = fsd_pattern_name((enum fsd_pattern)b->pattern),
            .known = b->fused != FSD_FUSED_UNKNOWN,
            .whole = b->fused == FSD_FUSED_WHOLE};
        char number[24];

        snprintf(number, sizeof number, "#%u", b->anchor);
        one.anchor = fsd_intern_str(
            r->names, node->name ? fsd_text(d->names, node->name) : number);
        fsd_vec_push(r->arena, &r->blocks[r->n], one);
    }
}

static enum fsd_status open_build(struct fsd_routing *r, const struct fsd_options *opt,
                                  struct fsd_error *err)
{
    struct fsd_diff *d = NULL;
    enum fsd_status status = fsd_state_open(&r->states[r->n], &d, opt, err);
    struct fsd_compare *c;

    if (status != FSD_OK) {
        fsd_diff_free(d);
        return fsd_failed_take(&r->failed, r->arena, opt) ? FSD_OK : status;
    }
    if (d)
        take_blocks(r, d);
    fsd_diff_free(d);
    r->n++;
    if (r->n == 1 || opt->force)
        return FSD_OK;
    c = fsd_compare_new(r->states[0], r->states[r->n - 1]);
    status = fsd_check_network(c, err);
    fsd_compare_free(c);
    return status;
}

/* ------------------------------------------------------------------------ settings */

static void set(struct fsd_routing *r, fsd_settings *to, const char *knob,
                const char *value)
{
    struct fsd_setting one = {fsd_intern_str(r->names, knob),
                              fsd_intern_str(r->names, value), true};

    fsd_vec_push(r->arena, to, one);
}

/* The last two components of a path: the build's folder and file, without
 * extensions. */
static const char *name_in(struct fsd_arena *arena, const char *path)
{
    static const char *const endings[] = {".xz",  ".gz",  ".zst", ".json",
                                          ".log", ".txt", ".fsd", ".onnx"};
    const char *at = strrchr(path, '/');
    struct fsd_slice name;

    while (at && at > path && at[-1] != '/')
        at--;
    name = fsd_slice_of(at ? at : path);
    for (size_t i = 0; i < FSD_COUNT_OF(endings); i++)
        fsd_slice_drop(&name, endings[i]);
    return fsd_arena_strndup(arena, name.s, name.n);
}

/* Takes settings from the words "knob=value" in a name. If another build does not state
 * one of these knobs, the knob's value in that build is "not set". */
static void take_name(struct fsd_routing *r, const char *name, fsd_settings *to)
{
    uint32_t first = to->n;
    char *words = fsd_arena_strndup(r->arena, name, strlen(name));

    for (char *at = words; *at; at++)
        if (*at == '/')
            *at = ' ';
    fsd_settings_parse(r->arena, r->names, words, to);
    for (uint32_t i = first; i < to->n; i++)
        set(r, &r->usual, fsd_text(r->names, to->at[i].knob), not_set);
}

static void take_fact(struct fsd_routing *r, const struct fsd_state *s,
                      const struct fsd_built *fact, fsd_settings *to)
{
    const char *key = fsd_text(s->names, fact->key),
               *value = fsd_text(s->names, fact->value);

    if (!strcmp(key, FSD_BUILT_ROUTE))
        fsd_settings_parse(r->arena, r->names, value, to);
    else if (!strcmp(key, FSD_BUILT_LABEL) && strchr(value, '='))
        take_name(r, value, to);
    else if (strcmp(key, FSD_BUILT_MEASURED) != 0)
        set(r, to, key, value);
    if (fsd_built_is_option(key))
        set(r, &r->usual, key, not_set);
}

static void take_settings(struct fsd_routing *r, const struct fsd_state *s,
                          fsd_settings *to)
{
    if (s->producer)
        set(r, to, FSD_BUILT_VERSION, fsd_text(s->names, s->producer));
    for (uint32_t i = 0; i < s->built.n; i++)
        take_fact(r, s, &s->built.at[i], to);
    take_name(r, name_in(r->arena, s->engine_path), to);
}

/* ------------------------------------------------------------ builds without cache */

static const char *measured(const struct fsd_state *s)
{
    fsd_sym how = fsd_built_find(&s->built, s->names, FSD_BUILT_MEASURED);

    return how ? fsd_text(s->names, how)
               : "the log does not state how the time was measured";
}

/* Takes the times of the builds. Times can be compared only if all were measured in the
 * same way. Drops the time of each build that was measured in another way than the
 * first timed build. */
static void take_times(struct fsd_routing *r)
{
    const char *how = NULL;

    for (uint32_t i = 0; i < r->n; i++) {
        const struct fsd_state *s = r->states[i];

        r->in[i].ms = s->profiles ? s->total.median : -1;
        if (r->in[i].ms < 0)
            continue;
        if (!how)
            how = measured(s);
        if (strcmp(how, measured(s)) != 0) {
            r->in[i].ms = -1;
            r->in[i].unlike = measured(s);
        }
    }
}

static const char *route_name(const struct fsd_routing *r, uint32_t i)
{
    return r->n_in <= FSD_MOST_BUILDS ? fsd_printed(r->arena, "%c", 'A' + (int)i)
                                      : fsd_printed(r->arena, "%u", i + 1);
}

/* Adds the failed builds. Only their names and reasons are known. */
static void take_failed(struct fsd_routing *r)
{
    for (uint32_t i = 0; i < r->failed.n; i++) {
        struct fsd_route_in *in = &r->in[r->n + i];

        *in = (struct fsd_route_in){.name = route_name(r, r->n + i),
                                    .path = r->failed.at[i].path,
                                    .ms = -1,
                                    .loss = -1,
                                    .failed = true,
                                    .error = r->failed.at[i].why};
        take_name(r, name_in(r->arena, in->path), &in->settings);
    }
}

static void take_builds(struct fsd_routing *r)
{
    r->n_in = r->n + r->failed.n;
    r->in = FSD_NEW(r->arena, struct fsd_route_in, r->n_in);
    for (uint32_t i = 0; i < r->n; i++) {
        r->in[i] = (struct fsd_route_in){.name = route_name(r, i),
                                         .path = r->states[i]->engine_path,
                                         .state = r->states[i],
                                         .blocks = r->blocks[i],
                                         .loss = -1};
        take_settings(r, r->states[i], &r->in[i].settings);
    }
    take_failed(r);
    take_times(r);
}

/* ------------------------------------------------------------------------ a search */

static void take_step(struct fsd_routing *r, uint32_t i)
{
    const struct fsd_tuning_step *step = &r->tuning.steps.at[i];
    struct fsd_route_in *in = &r->in[i];

    *in = (struct fsd_route_in){
        .name = fsd_printed(r->arena, "%llu",
                            (unsigned long long)(step->numbered ? step->number : i)),
        .ms = step->ms,
        .loss = step->loss,
        .failed = step->failed,
        .error = step->error ? fsd_text(r->names, step->error) : NULL};
    fsd_settings_parse(r->arena, r->names, fsd_text(r->names, step->route),
                       &in->settings);
}

/* The last number after "iter" or "iteration" in a name, such as "iter3" or
 * "iteration-3"; UINT64_MAX: there is none. */
static uint64_t iteration_in(const char *name)
{
    uint64_t found = UINT64_MAX, number;

    for (const char *at = name; (at = strstr(at, "iter"));) {
        struct fsd_slice rest = fsd_slice_of(at += 4);

        fsd_slice_take(&rest, "ation");
        if (rest.n && strchr("-_.= ", *rest.s))
            rest = fsd_slice_from(rest, 1);
        if (fsd_slice_take_number(&rest, UINT32_MAX, &number))
            found = number;
    }
    return found;
}

static bool have_one_route(struct fsd_routing *r, const char *route,
                           const fsd_settings *of)
{
    fsd_settings own = {0};

    fsd_settings_parse(r->arena, r->names, route, &own);
    if (own.n != of->n)
        return false;
    for (uint32_t i = 0; i < own.n; i++) {
        bool found = false;

        for (uint32_t k = 0; k < of->n; k++)
            found |=
                own.at[i].knob == of->at[k].knob && own.at[i].value == of->at[k].value;
        if (!found)
            return false;
    }
    return true;
}

/* The iteration of the tuning cache to which a build belongs. FSD_NONE if no iteration
 * fits, or if the log and the name of the build fit different iterations. */
static uint32_t iteration_of(struct fsd_routing *r, const struct fsd_state *s)
{
    fsd_sym route = fsd_built_find(&s->built, s->names, FSD_BUILT_ROUTE);
    uint64_t number = iteration_in(name_in(r->arena, s->engine_path));
    uint32_t found = FSD_NONE;

    for (uint32_t i = 0; i < r->n_in; i++) {
        const struct fsd_tuning_step *step = &r->tuning.steps.at[i];
        bool named = (step->numbered ? step->number : i) == number;

        if (number != UINT64_MAX && !named)
            continue;
        if (route ? have_one_route(r, fsd_text(s->names, route), &r->in[i].settings)
                  : named)
            found = i;
    }
    return found;
}

/* Finds the iteration of a failed build by the number in the build's file name. If the
 * tuning cache states no error for this iteration, marks the iteration as failed, and
 * takes the path of the build and the reason of its failure. */
static void take_failed_step(struct fsd_routing *r, const struct fsd_failed_build *one)
{
    uint64_t number = iteration_in(name_in(r->arena, one->path));

    for (uint32_t i = 0; i < r->n_in; i++) {
        const struct fsd_tuning_step *step = &r->tuning.steps.at[i];

        if ((step->numbered ? step->number : i) != number || r->in[i].error)
            continue;
        r->in[i].path = one->path;
        r->in[i].failed = true;
        r->in[i].error = one->why;
    }
}

static void take_search(struct fsd_routing *r, const struct fsd_options *opt)
{
    r->n_in = r->tuning.steps.n < FSD_MOST_ROUTES ? r->tuning.steps.n : FSD_MOST_ROUTES;
    r->in = FSD_NEW(r->arena, struct fsd_route_in, r->n_in);
    if (r->n_in < r->tuning.steps.n && opt)
        fsd_note(opt,
                 "the tuning cache has more than 4096 iterations: the first 4096 are "
                 "compared");
    for (uint32_t i = 0; i < r->n_in; i++)
        take_step(r, i);
    fsd_settings_parse(r->arena, r->names, fsd_text(r->names, r->tuning.default_route),
                       &r->usual);
    for (uint32_t b = 0; b < r->n; b++) {
        uint32_t i = iteration_of(r, r->states[b]);

        if (i == FSD_NONE) {
            fsd_note(opt, fsd_printed(
                              r->arena,
                              "%s is left out: the tuning cache has no iteration that "
                              "fits both the file name (iter3 means iteration 3) "
                              "and the --setBuildRoute in the build log",
                              r->states[b]->engine_path));
            continue;
        }
        r->in[i].path = r->states[b]->engine_path;
        r->in[i].state = r->states[b];
        r->in[i].blocks = r->blocks[b];
    }
    for (uint32_t b = 0; b < r->failed.n; b++)
        take_failed_step(r, &r->failed.at[b]);
}

/* ----------------------------------------------------------------------------- all */

static enum fsd_status open_routing(struct fsd_routing *r, const char *cache,
                                    const struct fsd_options *opt, unsigned n,
                                    struct fsd_error *err)
{
    enum fsd_status status = cache ? read_cache(r, cache, err) : FSD_OK;

    for (unsigned i = 0; i < n && status == FSD_OK; i++)
        status = open_build(r, &opt[i], err);
    if (status != FSD_OK)
        return status;
    if (!r->n && r->failed.n && !r->tuned)
        return fsd_fail(err, FSD_E_ARG, r->failed.at[0].path, FSD_POS_NONE, 0,
                        "expected at least one engine, found only failed builds: %s",
                        r->failed.at[0].why);
    if (r->tuned)
        take_search(r, n ? opt : NULL);
    else
        take_builds(r);
    if (r->n_in < 2)
        return fsd_fail(err, FSD_E_ARG, cache, FSD_POS_NONE, 0,
                        "expected two routes or more, found %u", r->n_in);
    r->routes = fsd_routes_new(r->names, r->in, r->n_in, &r->usual,
                               r->tuned ? &r->tuning : NULL);
    return FSD_OK;
}

enum fsd_status fsd_routing_open(struct fsd_routing **out, const char *cache,
                                 const struct fsd_options *opt, unsigned n,
                                 struct fsd_error *err)
{
    struct fsd_arena *arena;
    struct fsd_routing *r;
    enum fsd_status status = fsd_expect_array("opt", opt, n, err);

    *out = NULL;
    if (status != FSD_OK)
        return status;
    FSD_GUARD(err);
    if (n > MOST)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected at most %d builds, found %u", MOST, n);
    arena = fsd_arena_new();
    r = FSD_NEW(arena, struct fsd_routing, 1);
    r->arena = arena;
    r->names = fsd_intern_new(arena);
    status = open_routing(r, cache, opt, n, err);
    if (status == FSD_OK)
        *out = r;
    else
        fsd_routing_free(r);
    return status;
}

void fsd_routing_free(struct fsd_routing *r)
{
    if (!r)
        return;
    fsd_routes_free(r->routes);
    for (unsigned i = 0; i < r->n; i++)
        fsd_state_free(r->states[i]);
    fsd_arena_free(r->arena);
}

enum fsd_status fsd_routing_write(const struct fsd_routing *routing, const char *format,
                                  const struct fsd_style *style, FILE *out,
                                  struct fsd_error *err)
{
    const struct fsd_report report = {
        .subject = FSD_OF_ROUTES, .routes = routing->routes, .style = style};

    return fsd_report_write(&report, format, out, err);
}
