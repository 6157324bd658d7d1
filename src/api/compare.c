/* The public API that compares two or more builds. */
#include "api/command.h"
#include "api/inputs.h"
#include "base/base.h"
#include "base/lines.h"
#include "change/compare/matrix.h"
#include "judge/findings/findings.h"
#include "model/graph/graph.h"
#include "report/subject/subject.h"
#include "change/snapshot/snapshot.h"
#include "api/states.h"

#include <stdlib.h>

struct fsd_comparison {
    struct fsd_diff *run; /* the run of the new build; NULL: the new build is a
                             snapshot */
    struct fsd_state *old, *new;
    struct fsd_compare *compare;
};

/* Passes the findings about inputs that do not fit each other to `opt->note`, because a
 * comparison does not list them. A check and a report of one build do list them. */
static void report_misfits(const struct fsd_diff *d, const struct fsd_options *opt)
{
    const struct fsd_findings *all = d->findings;

    for (uint32_t i = 0; opt->note && i < all->list.n; i++) {
        const struct fsd_finding *finding = &all->list.at[i];
        struct fsd_print note;
        struct fsd_lines lines = {.escape = "\\u{%x}"};
        FILE *out;

        if (!all->rules.at[finding->rule].rule->about_inputs)
            continue;
        lines.to = fsd_print_open(&note);
        out = fsd_lines_open(&lines);
        fsd_printf_safe(out, "%s: %s", d->engine->path, finding->message);
        fsd_lines_close(&lines);
        fsd_print_close(&note);
        opt->note(opt->payload, note.text);
        free(note.text);
    }
}

const char *fsd_state_label(const struct fsd_state *s)
{
    fsd_sym label = fsd_built_find(&s->built, s->names, FSD_BUILT_LABEL);

    return label ? fsd_text(s->names, label) : NULL;
}

void fsd_state_set_label(struct fsd_state *s, const char *label)
{
    struct fsd_built fact;

    if (!label)
        return;
    fact = (struct fsd_built){fsd_intern_str(s->names, FSD_BUILT_LABEL),
                              fsd_intern_str(s->names, label)};
    for (uint32_t b = 0; b <= s->also.n; b++)
        fsd_built_set(s->arena, s->names, b ? &s->also.at[b - 1]->built : &s->built,
                      fact);
}

/* Opens one build.
 * @param cites true: the findings of the run cite lint's advice, which takes time
 * @param judged true: the run belongs to a check. The check's verdict has the findings
 *         of report_misfits(), so `opt->note` does not receive them */
static enum fsd_status open_state(struct fsd_state **out, struct fsd_diff **run,
                                  bool cites, bool judged,
                                  const struct fsd_options *opt, struct fsd_error *err)
{
    const char *lone = !opt->engine ? opt->model : !opt->model ? opt->engine : NULL;
    struct fsd_options pair = *opt;
    struct fsd_diff *d;
    enum fsd_status status;

    *out = NULL;
    if (run)
        *run = NULL;
    if (lone && fsd_snapshot_sniff(lone)) {
        status = fsd_snapshot_read(out, lone, err);
        if (status == FSD_OK)
            fsd_state_set_label(*out, opt->label);
        return status;
    }
    if (lone) { /* the only file is a build log, which contains both the model and the
                   engine */
        pair.engine = lone;
        pair.model = NULL;
    }
    pair.uncited = !cites;
    status = fsd_diff_open(&d, &pair, err);
    if (status == FSD_OK) {
        if (!judged)
            report_misfits(d, &pair);
        *out = fsd_state_of(d);
        fsd_state_set_label(*out, opt->label);
    }
    if (run)
        *run = d;
    else
        fsd_diff_free(d);
    return status;
}

/* Opens one build. If a snapshot has several builds, takes the first one and reports
 * this. */
static enum fsd_status open_first(struct fsd_state **out, struct fsd_diff **run,
                                  bool cites, bool judged,
                                  const struct fsd_options *opt, struct fsd_error *err)
{
    enum fsd_status status = open_state(out, run, cites, judged, opt, err);
    char text[96];

    if (status == FSD_OK && (*out)->also.n && opt->note) {
        snprintf(text, sizeof text,
                 "the snapshot has %u builds; only the first build is compared",
                 (*out)->also.n + 1);
        opt->note(opt->payload, text);
    }
    return status;
}

enum fsd_status fsd_state_open(struct fsd_state **out, struct fsd_diff **run,
                               const struct fsd_options *opt, struct fsd_error *err)
{
    return open_first(out, run, run != NULL, false, opt, err);
}

enum fsd_status fsd_state_open_judged(struct fsd_state **out, struct fsd_diff **run,
                                      const struct fsd_options *opt,
                                      struct fsd_error *err)
{
    return open_first(out, run, false, true, opt, err); /* `cites` is false, because
                                                           fsd_cite_in_case() cites
                                                           lint later, if necessary */
}

enum fsd_status fsd_states_open(struct fsd_states *out, struct fsd_arena *arena,
                                const struct fsd_options *opt, unsigned n,
                                struct fsd_error *err)
{
    enum fsd_status status = fsd_expect_array("opt", opt, n, err);

    *out = (struct fsd_states){.arena = arena};
    for (unsigned i = 0; i < n && status == FSD_OK; i++) {
        struct fsd_state *s = NULL;

        if (out->n < FSD_MOST_BUILDS)
            status = open_state(&s, NULL, false, false, &opt[i], err);
        /* A failed build has no state to compare, only a reason. */
        if (status != FSD_OK && arena &&
            fsd_failed_take(&out->failed, arena, &opt[i])) {
            status = FSD_OK;
            continue;
        }
        if (status == FSD_OK && (!s || out->n + s->also.n >= FSD_MOST_BUILDS))
            status =
                fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                         "expected at most %d builds, found more", FSD_MOST_BUILDS);
        if (s)
            out->opened[out->n_opened++] = s;
        for (uint32_t b = 0; s && status == FSD_OK && b <= s->also.n; b++)
            out->builds[out->n++] = b ? s->also.at[b - 1] : s;
    }
    return status;
}

void fsd_states_free(struct fsd_states *states)
{
    for (uint32_t i = 0; i < states->n_opened; i++)
        fsd_state_free(states->opened[i]);
}

enum fsd_status fsd_check_network(const struct fsd_compare *c, struct fsd_error *err)
{
    struct fsd_alignment_count n = fsd_alignment_count(c);

    if (fsd_alignment_fits(n))
        return FSD_OK;
    return fsd_fail(err, FSD_E_MISMATCH, c->new->model_path, FSD_POS_NONE, 0,
                    "expected another export of %s, but only %u of its %u computing "
                    "nodes match one of the %u computing nodes in this file (--force "
                    "continues)",
                    c->old->model_path, n.aligned, n.old, n.new);
}

enum fsd_status fsd_comparison_open(struct fsd_comparison **out,
                                    const struct fsd_options *old,
                                    const struct fsd_options *new,
                                    struct fsd_error *err)
{
    struct fsd_state *before = NULL, *after = NULL;
    struct fsd_diff *run = NULL;
    struct fsd_compare *compare;
    struct fsd_comparison *all;
    enum fsd_status status;

    *out = NULL;
    FSD_GUARD(err);
    status = fsd_state_open(&before, NULL, old, err);
    FSD_THEN(status, open_first(&after, &run, false, false, new, err));
    if (status != FSD_OK) {
        fsd_diff_free(run);
        fsd_state_free(before);
        return status;
    }
    compare = fsd_compare_builds(before, after);
    all = FSD_NEW(after->arena, struct fsd_comparison, 1);
    *all = (struct fsd_comparison){run, before, after, compare};
    if (!new->force)
        status = fsd_check_network(compare, err);
    if (status == FSD_OK)
        *out = all;
    else
        fsd_comparison_free(all);
    return status;
}

void fsd_comparison_free(struct fsd_comparison *comparison)
{
    if (!comparison)
        return;
    fsd_compare_free(comparison->compare);
    fsd_diff_free(comparison->run);
    fsd_state_free(comparison->old);
    fsd_state_free(comparison->new); /* its arena also contains the comparison */
}

bool fsd_comparison_differs(const struct fsd_comparison *comparison)
{
    return comparison->compare->differs;
}

enum fsd_status fsd_comparison_write(const struct fsd_comparison *comparison,
                                     const char *format, const struct fsd_style *style,
                                     FILE *out, struct fsd_error *err)
{
    const struct fsd_report report = {.subject = FSD_OF_COMPARISON,
                                      .compare = comparison->compare,
                                      .compared = comparison->run,
                                      .style = style};

    return fsd_report_write(&report, format, out, err);
}

/* ----------------------------------------------------------------- several builds */

struct fsd_builds {
    struct fsd_arena *arena;
    struct fsd_states states;
    struct fsd_matrix *matrix;
};

static enum fsd_status fail_few(const struct fsd_states *states, struct fsd_error *err)
{
    const fsd_failed_builds *failed = &states->failed;

    if (!failed->n)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected from 2 to 26 builds, found %u", states->n);
    return fsd_fail(err, FSD_E_ARG, failed->at[0].path, FSD_POS_NONE, 0,
                    "expected 2 engines or more, found %u; %u build%s failed: %s",
                    states->n, failed->n, fsd_plural(failed->n), failed->at[0].why);
}

enum fsd_status fsd_builds_open(struct fsd_builds **out, const struct fsd_options *opt,
                                unsigned n, struct fsd_error *err)
{
    struct fsd_arena *arena;
    struct fsd_builds *b;
    enum fsd_status status;

    *out = NULL;
    FSD_GUARD(err);
    arena = fsd_arena_new();
    b = FSD_NEW(arena, struct fsd_builds, 1);
    b->arena = arena;
    status = fsd_states_open(&b->states, arena, opt, n, err);
    if (status == FSD_OK && b->states.n < 2)
        status = fail_few(&b->states, err);
    if (status == FSD_OK) {
        b->matrix = fsd_matrix_new(b->states.builds, b->states.n);
        b->matrix->failed = b->states.failed;
    }
    for (uint32_t i = 1; status == FSD_OK && i < b->states.n && !opt->force; i++)
        status = fsd_check_network(b->matrix->with[i], err);
    if (status == FSD_OK)
        *out = b;
    else
        fsd_builds_free(b);
    return status;
}

void fsd_builds_free(struct fsd_builds *builds)
{
    if (!builds)
        return;
    fsd_matrix_free(builds->matrix);
    fsd_states_free(&builds->states);
    fsd_arena_free(builds->arena);
}

bool fsd_builds_differ(const struct fsd_builds *builds)
{
    return builds->matrix->differs || builds->matrix->differing ||
           builds->matrix->failed.n;
}

enum fsd_status fsd_builds_write(const struct fsd_builds *builds,
                                 enum fsd_subject subject, const char *format,
                                 const struct fsd_style *style, FILE *out,
                                 struct fsd_error *err)
{
    const struct fsd_report report = {
        .subject = subject, .matrix = builds->matrix, .style = style};

    if (subject != FSD_OF_MATRIX && subject != FSD_OF_STABILITY)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected FSD_OF_MATRIX or FSD_OF_STABILITY as subject, found "
                        "%u",
                        (unsigned)subject);
    return fsd_report_write(&report, format, out, err);
}
