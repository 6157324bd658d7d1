/* The public API of snapshots and of the merge gate. */
#include "judge/gate/gate.h"
#include "api/command.h"
#include "base/base.h"
#include "api/inputs.h"
#include "judge/lint/lint.h"
#include "report/subject/subject.h"
#include "change/snapshot/snapshot.h"
#include "change/snapshot/variants.h"
#include "api/states.h"

#include <inttypes.h>
#include <stdlib.h>

/* --------------------------------------------------------------------- snapshots */

static void report_untimed(const struct fsd_options *opt, const struct fsd_state *s)
{
    char text[128];

    if (!s->untimed)
        return;
    snprintf(text, sizeof text,
             "%" PRIu32 " of %" PRIu32 " layers have no measured time, so checks will "
             "ignore the times of this snapshot",
             s->untimed, s->layers);
    fsd_note(opt, text);
}

/* Reports two kinds of differences between the first build and each later build:
 * differences that are not recorded as variants, and variants that state fewer facts
 * than the first build. A check accepts such a variant only if the variant's build and
 * the checked build have the same builder version. */
static void report_learnt(const struct fsd_options *opt, const struct fsd_matrix *m,
                          const struct fsd_learnt *learnt)
{
    for (uint32_t b = 1; b < m->n; b++) {
        const struct {
            uint32_t n;
            const char *which, *outcome;
        } left[] = {{learnt[b].ports,
                     "inputs and outputs that the first build has and this build lacks",
                     "are not recorded as variants; a check of this build will fail"},
                    {learnt[b].strange,
                     "groups with nodes that the model of the first build "
                     "lacks",
                     "are not recorded as variants; a check of this build will fail"},
                    {learnt[b].more,
                     "groups of nodes for which this build states more facts than the "
                     "first build",
                     "are not recorded as variants; to record the additional "
                     "facts, pass this build as the first build"},
                    {learnt[b].less, "variants that state less than the first build",
                     "are accepted by a check only if the checked build has the same "
                     "builder version as this build"}};

        for (size_t i = 0; i < FSD_COUNT_OF(left); i++) {
            struct fsd_print print;

            if (!left[i].n)
                continue;
            fsd_print_open(&print);
            fsd_put_safe(print.out, m->builds[b]->engine_path);
            fprintf(print.out, ": %s (%u) %s", left[i].which, left[i].n,
                    left[i].outcome);
            fsd_print_close(&print);
            fsd_note(opt, print.text);
            free(print.text);
        }
    }
}

/* Reads the snapshot in `print` into a state, and writes this state as a snapshot. The
 * text in `print` may depend on facts of the builds that no snapshot stores. The
 * written text does not. */
static enum fsd_status write_again(const struct fsd_print *print, FILE *out,
                                   struct fsd_error *err)
{
    const struct fsd_file file = {
        .name = "", .bytes = (const uint8_t *)print->text, .size = print->size};
    struct fsd_state *s;
    enum fsd_status status = fsd_snapshot_load(&s, &file, err);

    if (status == FSD_OK)
        fsd_snapshot_write(s, out);
    fsd_state_free(s);
    return status;
}

static enum fsd_status write_learnt(const struct fsd_options *opt,
                                    const struct fsd_states *l, FILE *out,
                                    struct fsd_error *err)
{
    struct fsd_learnt learnt[FSD_MOST_BUILDS];
    struct fsd_matrix *m = fsd_matrix_new(l->builds, l->n);
    enum fsd_status status = FSD_OK;
    struct fsd_print print;

    for (uint32_t b = 1; b < l->n && status == FSD_OK && !opt->force; b++)
        status = fsd_check_network(m->with[b], err);
    if (status == FSD_OK) {
        fsd_snapshot_write_builds(m, false, fsd_print_open(&print), learnt);
        fsd_print_close(&print);
        report_learnt(opt, m, learnt);
        status = write_again(&print, out, err);
        free(print.text);
    }
    fsd_matrix_free(m);
    return status;
}

/* Refuses a profile in place of an engine. A profile has only names and times of
 * layers, so a check would not see most changes, and would pass. */
static enum fsd_status refuse_profile(const struct fsd_state *s, struct fsd_error *err)
{
    if (!s->only_timed)
        return FSD_OK;
    return fsd_fail(err, FSD_E_UNSUPPORTED, s->engine_path, FSD_POS_NONE, 0,
                    "expected an engine, found a profile of layers, which shows no "
                    "types or tensors to compare: pass the engine's layer dump, and "
                    "pass this file with --profile");
}

enum fsd_status fsd_snapshot_make_of(const struct fsd_options *opt, unsigned n,
                                     FILE *out, struct fsd_error *err)
{
    struct fsd_states l;
    enum fsd_status status;

    FSD_GUARD(err);
    if (!n)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected a build, found none");
    status = fsd_states_open(&l, NULL, opt, n, err);
    for (uint32_t i = 0; status == FSD_OK && i < l.n; i++)
        status = refuse_profile(l.builds[i], err);
    for (uint32_t i = 0; status == FSD_OK && i < l.n; i++)
        report_untimed(opt, l.builds[i]);
    for (uint32_t i = 1; status == FSD_OK && i < l.n_opened; i++)
        fsd_state_set_label(l.opened[i], fsd_state_label(l.opened[0]));
    if (status == FSD_OK && l.n == 1)
        fsd_snapshot_write(l.builds[0], out);
    else if (status == FSD_OK)
        status = write_learnt(opt, &l, out, err);
    FSD_THEN(status, fsd_flush(out, err));
    fsd_states_free(&l);
    return status;
}

static unsigned count_builds(const char *path)
{
    FSD_GUARD_OR(0);
    return fsd_snapshot_count(path);
}

unsigned fsd_snapshot_builds(const char *path)
{
    /* The file does not become an input: the function only counts its builds. */
    struct fsd_opened *recorded = fsd_opened_record(NULL);
    unsigned n = count_builds(path);

    fsd_opened_record(recorded);
    return n;
}

enum fsd_status fsd_snapshot_make(const struct fsd_options *opt, FILE *out,
                                  struct fsd_error *err)
{
    return fsd_snapshot_make_of(opt, 1, out, err);
}

/* ------------------------------------------------------------------------- check */

struct fsd_check {
    struct fsd_arena *arena;
    struct fsd_state *old, *new;
    const struct fsd_state *nearest; /* a mix of the builds in `old`: for each row,
                                        the variant most similar to `new` */
    struct fsd_diff *run;            /* the run of the new build; NULL: the new build is
                                        a snapshot */
    const char *snapshot;            /* path of the old state */
    const char *label;               /* the requested label; NULL: none */
    struct fsd_options opt;          /* the options of the run; `note` receives notes */
    struct fsd_policy *policy;
    struct fsd_compare *compare;
    struct fsd_verdict *verdict;
    const struct fsd_lint *lint; /* NULL: not requested */
    bool shrunk;                 /* only the verdict remains in memory */
};

/* Fails unless two models are exports of one network: at least half of their nodes must
 * be aligned. */
static enum fsd_status check_models(const struct fsd_check *c,
                                    const struct fsd_options *opt,
                                    struct fsd_error *err)
{
    struct fsd_alignment_count n = fsd_alignment_count(c->compare);

    if (opt->force || fsd_alignment_fits(n))
        return FSD_OK;
    return fsd_fail(err, FSD_E_MISMATCH, c->old->model_path, FSD_POS_NONE, 0,
                    "expected a snapshot of a build of %s, but only %u of the %u "
                    "computing nodes in the snapshot match one of the %u computing "
                    "nodes in that model (--force continues)",
                    c->new->model_path, n.aligned, n.old, n.new);
}

/* Refuses a build of a different builder, because most of its layers would differ. */
static enum fsd_status check_builder(const struct fsd_check *c,
                                     const struct fsd_options *opt,
                                     struct fsd_error *err)
{
    const char *old = fsd_text(c->old->names, c->old->engine_kind);
    const char *new = fsd_text(c->new->names, c->new->engine_kind);
    size_t n = strcspn(old, "-");

    if (opt->force || (n == strcspn(new, "-") && !memcmp(old, new, n)))
        return FSD_OK;
    return fsd_fail(err, FSD_E_MISMATCH, c->new->engine_path, FSD_POS_NONE, 0,
                    "expected a build by %s, as in the snapshot, found a build by %s "
                    "(--force continues)",
                    fsd_text(c->old->names, c->old->producer),
                    fsd_text(c->new->names, c->new->producer));
}

/* For a check without a snapshot: refuses a policy that has no requirement on the build
 * itself. With such a policy, every build would pass the check. */
static enum fsd_status check_promises(const struct fsd_policy *policy,
                                      struct fsd_error *err)
{
    for (unsigned i = 0; fsd_rule_at(i); i++)
        if ((fsd_rule_at(i)->needs & FSD_NEEDS_CASE) && policy->rules[i].asked &&
            policy->rules[i].level != FSD_OFF)
            return FSD_OK;
    return fsd_fail(
        err, FSD_E_ARG, *policy->path ? policy->path : NULL, FSD_POS_NONE, 0,
        "expected a snapshot, or a policy with absolute rules (expect, "
        "precision-required, memory, max-reformats, int8-required), found neither");
}

/* The command that repeats this check. */
static const char *command_of(const struct fsd_check *c, const struct fsd_options *opt,
                              const struct fsd_check_options *check)
{
    struct fsd_intern *names = c->new->names;
    struct fsd_print command;
    FILE *out = fsd_print_open(&command);

    fputs("fusiondiff check", out);
    fsd_put_option(names, "", c->snapshot, out);
    fputs(fsd_command_new(c->arena, names, opt)->run, out);
    fsd_put_option(names, "--label", opt->label, out);
    fsd_put_option(names, "--policy", check->policy, out);
    fsd_put_option(names, "--for", check->builder, out);
    if (check->lint)
        fputs(" --lint", out);
    return fsd_print_take(&command, c->arena);
}

/* Lints the model, if the check requests it. */
static enum fsd_status open_lint(struct fsd_check *c, const struct fsd_options *opt,
                                 const struct fsd_check_options *check,
                                 struct fsd_error *err)
{
    struct fsd_target target;
    const char *word = check->builder;

    if (!check->lint)
        return FSD_OK;
    if (!c->run || !opt->model)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "expected a model and its engine for --lint");
    if (!fsd_target_read(&target, word ? word : fsd_target_of(c->run->engine),
                         c->arena))
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0, FSD_TARGET_EXPECTED,
                        word);
    c->lint = fsd_lint_new(c->arena, c->run->facts, c->run->cost->sizes, target);
    return FSD_OK;
}

/* --------------------------------------------------------- one of several snapshots */

/* The search for the snapshot that fits the build best. */
struct choice {
    const char *path;       /* path of the best snapshot so far; NULL: none fits */
    uint32_t alike, equals; /* alike: number of facts in which `path` agrees with the
                               build.  equals: number of other snapshots that have
                               the same `alike` */
    struct fsd_print why;   /* why the other snapshots do not fit */
};

static enum fsd_status look_at(struct choice *best, const struct fsd_check *c,
                               const char *path, struct fsd_error *err)
{
    struct fsd_state *s;
    struct fsd_built_fit fit;
    enum fsd_status status = fsd_snapshot_read(&s, path, err);

    if (status != FSD_OK)
        return status;
    fit = fsd_compare_built_fit(c->arena, s, c->new);
    if (c->label && !fsd_state_label(s)) {
        fprintf(best->why.out, "; %s has no label", path);
        fsd_state_free(s);
        return FSD_OK;
    }
    for (uint32_t b = 0; b < s->also.n; b++) {
        struct fsd_built_fit other =
            fsd_compare_built_fit(c->arena, s->also.at[b], c->new);

        if (!other.other.key && (fit.other.key || other.alike > fit.alike))
            fit = other;
    }
    if (fit.other.key) {
        fprintf(best->why.out, "; %s is for ", path);
        fsd_put_safe(best->why.out, fit.other.before);
    } else if (best->path && fit.alike == best->alike) {
        best->equals++;
        fprintf(best->why.out, "; %s matches, too", path);
    } else if (!best->path || fit.alike > best->alike) {
        best->path = path;
        best->alike = fit.alike;
        best->equals = 0;
    }
    fsd_state_free(s);
    return FSD_OK;
}

/* Chooses the snapshot whose label, version and GPU match the build. Without a log, the
 * GPU of the build is unknown. Snapshots for several GPUs may then match, and the user
 * must give a label. */
static enum fsd_status choose_snapshot(struct fsd_check *c,
                                       const struct fsd_check_options *check,
                                       struct fsd_error *err)
{
    struct choice best = {0};
    enum fsd_status status = FSD_OK;
    const char *why;

    fsd_print_open(&best.why);
    for (unsigned i = 0; i < check->n_snapshots && status == FSD_OK; i++)
        status = look_at(&best, c, check->snapshots[i], err);
    why = fsd_print_take(&best.why, c->arena);
    if (status != FSD_OK)
        return status;
    if (!best.path || best.equals)
        return fsd_fail(err, FSD_E_ARG, check->snapshot, FSD_POS_NONE, 0,
                        "expected one snapshot %s%s%s, found %s%s%s",
                        c->label ? "labeled '"
                                 : "for the builder version and GPU of this build (",
                        c->label ? c->label : fsd_text(c->new->names, c->new->producer),
                        c->label ? "'" : ")", best.path ? best.path : "none", why,
                        !best.path || c->label
                            ? ""
                            : "; pass the build log with --log (the log states the "
                              "GPU), or select a snapshot by --label");
    c->snapshot = best.path;
    return fsd_snapshot_read(&c->old, best.path, err);
}

/* Fails if the labels of the build and of its snapshot differ. A build without a label
 * gets the snapshot's label. */
static enum fsd_status check_label(struct fsd_check *c, bool force,
                                   struct fsd_error *err)
{
    const char *label = fsd_state_label(c->old);

    if (!c->label)
        fsd_state_set_label(c->new, label);
    if (!c->label || !label || !strcmp(c->label, label) || force)
        return FSD_OK;
    return fsd_fail(
        err, FSD_E_MISMATCH, c->snapshot, FSD_POS_NONE, 0,
        "expected a snapshot labeled '%s', found one labeled '%s' (--force continues)",
        c->label, label);
}

static enum fsd_status open_check(struct fsd_check *c, const struct fsd_options *opt,
                                  const struct fsd_check_options *check,
                                  struct fsd_error *err)
{
    enum fsd_status status =
        fsd_expect_words("snapshots", check->snapshots, check->n_snapshots, err);

    if (status == FSD_OK && check->snapshot && !check->n_snapshots)
        status = fsd_file_blame(check->snapshot, FSD_FILE_SNAPSHOT, "a snapshot",
                                fsd_snapshot_read(&c->old, check->snapshot, err), err);
    FSD_THEN(status,
             fsd_file_blame(check->policy, FSD_FILE_POLICY, "a policy",
                            fsd_policy_read(&c->policy, check->policy, err), err));
    if (status == FSD_OK && !check->snapshot && !check->lint)
        status = check_promises(c->policy, err);
    FSD_THEN(status, fsd_state_open_judged(&c->new, &c->run, opt, err));
    FSD_THEN(status, refuse_profile(c->new, err));
    FSD_THEN(status, open_lint(c, opt, check, err));
    if (status == FSD_OK && check->n_snapshots)
        status = choose_snapshot(c, check, err);
    if (status == FSD_OK && c->old)
        status = check_label(c, opt->force, err);
    if (status != FSD_OK)
        return status;
    if (c->old) {
        status = check_builder(c, opt, err);
    }
    if (status == FSD_OK && c->old) {
        c->nearest = fsd_variants_nearest(c->old, c->new);
        c->compare = fsd_compare_new(c->nearest, c->new);
        status = check_models(c, opt, err);
    }
    if (status == FSD_OK && c->old && check->accept && c->old->profiles &&
        !c->new->profiles)
        fsd_note(opt, "the updated snapshot has no times, because this build has none");
    if (status == FSD_OK)
        c->verdict = fsd_verdict_of_case(&(struct fsd_case){.build = c->new,
                                                            .run = c->run,
                                                            .lint = c->lint,
                                                            .c = c->compare,
                                                            .policy = c->policy,
                                                            .today = check->today},
                                         check->accept, command_of(c, opt, check));
    return status;
}

enum fsd_status fsd_check_open(struct fsd_check **out, const struct fsd_options *opt,
                               const struct fsd_check_options *check,
                               struct fsd_error *err)
{
    struct fsd_arena *arena;
    struct fsd_check *c;
    enum fsd_status status;

    *out = NULL;
    FSD_GUARD(err);
    arena = fsd_arena_new();
    c = FSD_NEW(arena, struct fsd_check, 1);
    c->arena = arena;
    c->snapshot = check->snapshot;
    c->label = opt->label;
    c->opt = (struct fsd_options){.note = opt->note, .payload = opt->payload};
    status = open_check(c, opt, check, err);
    if (status == FSD_OK)
        *out = c;
    else
        fsd_check_free(c);
    return status;
}

/* Keeps a copy of the verdict, and frees the comparison, both builds and the run. */
enum fsd_status fsd_check_shrink(struct fsd_check *c, struct fsd_error *err)
{
    struct fsd_verdict *all = c->verdict;

    if (c->shrunk)
        return FSD_OK;
    FSD_GUARD(err);
    c->verdict = fsd_verdict_keep(all);
    c->shrunk = true;
    fsd_verdict_free(all);
    fsd_compare_free(c->compare);
    fsd_state_free(c->old);
    fsd_state_free(c->new);
    fsd_diff_free(c->run);
    c->compare = NULL;
    c->old = c->new = NULL;
    c->nearest = NULL;
    c->run = NULL;
    c->lint = NULL;
    return FSD_OK;
}

void fsd_check_free(struct fsd_check *c)
{
    if (!c)
        return;
    fsd_verdict_free(c->verdict);
    fsd_compare_free(c->compare);
    fsd_policy_free(c->policy);
    fsd_state_free(c->old);
    fsd_state_free(c->new);
    fsd_diff_free(c->run);
    fsd_arena_free(c->arena);
}

const char *fsd_check_snapshot(const struct fsd_check *check)
{
    return check->snapshot;
}

bool fsd_check_failed(const struct fsd_check *check)
{
    return check->verdict->failed;
}

static enum fsd_status refuse_shrunk(struct fsd_error *err)
{
    return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                    "expected a check that still has its build, found a check that "
                    "fsd_check_shrink() reduced to its verdict");
}

enum fsd_status fsd_check_write(const struct fsd_check *check, const char *format,
                                const struct fsd_style *style, FILE *out,
                                struct fsd_error *err)
{
    const struct fsd_report report = {.subject = FSD_OF_CHECK,
                                      .run = check->run,
                                      .compare = check->compare,
                                      .compared = check->run,
                                      .verdict = check->verdict,
                                      .style = style};

    if (check->shrunk)
        return refuse_shrunk(err);
    return fsd_report_write(&report, format, out, err);
}

enum fsd_status fsd_checks_write(const struct fsd_checked *builds, unsigned n,
                                 const char *format, const struct fsd_style *style,
                                 FILE *out, struct fsd_error *err)
{
    struct fsd_report report = {.subject = FSD_OF_CHECKS, .style = style};
    struct fsd_arena *arena;
    struct fsd_intern *names; /* the intern table converts any bytes to valid UTF-8 */
    struct fsd_judged *judged;
    struct fsd_verdicts all;
    enum fsd_status status = fsd_expect_array("builds", builds, n, err);

    if (status != FSD_OK)
        return status;
    FSD_GUARD(err);
    arena = fsd_arena_new();
    names = fsd_intern_new(arena);
    judged = FSD_NEW(arena, struct fsd_judged, n);
    for (unsigned i = 0; i < n; i++) {
        judged[i].v = builds[i].check ? builds[i].check->verdict : NULL;
        judged[i].error = builds[i].error;
        judged[i].label = fsd_text(names, fsd_intern_str(names, builds[i].label));
        judged[i].model = fsd_text(names, fsd_intern_str(names, builds[i].model));
        judged[i].engine = fsd_text(names, fsd_intern_str(names, builds[i].engine));
    }
    all = fsd_verdicts_of(arena, judged, n);
    report.verdicts = &all;
    status = fsd_report_write(&report, format, out, err);
    fsd_arena_free(arena);
    return status;
}

/* Writes the snapshot again, with the checked build as its first build. A row keeps its
 * variants if the checked build equals a recorded build there. Otherwise, the row has
 * only the checked build. */
static void update_variants(const struct fsd_check *check, FILE *out)
{
    const struct fsd_state *builds[1 + FSD_MOST_BUILDS] = {check->new, check->old};
    struct fsd_learnt learnt[1 + FSD_MOST_BUILDS] = {0};
    uint32_t n = 2, kept = 0, dropped = 0;
    struct fsd_matrix *m;
    char text[160];

    for (uint32_t b = 0; b < check->old->also.n; b++)
        builds[n++] = check->old->also.at[b];
    m = fsd_matrix_new(builds, n);
    fsd_snapshot_write_builds(m, true, out, learnt);
    fsd_matrix_free(m);
    for (uint32_t i = 0; i < check->nearest->variants.n; i++)
        *(check->nearest->variants.at[i].apart ? &dropped : &kept) += 1;
    for (uint32_t b = 1; b < n; b++)
        dropped += learnt[b].strange;
    snprintf(text, sizeof text,
             "the snapshot keeps %" PRIu32 " of its variants and drops %" PRIu32 "%s",
             kept, dropped,
             dropped ? ", because this build matches no recorded build in the "
                       "nodes of the dropped variants"
                     : "");
    fsd_note(&check->opt, text);
}

enum fsd_status fsd_check_update(const struct fsd_check *check, FILE *out,
                                 struct fsd_error *err)
{
    if (check->shrunk)
        return refuse_shrunk(err);
    FSD_GUARD(err);
    if (check->old && check->old->also.n)
        update_variants(check, out);
    else
        fsd_snapshot_write(check->new, out);
    return fsd_flush(out, err);
}
