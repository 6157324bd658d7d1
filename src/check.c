/* Snapshots and the merge gate: the public API of them. */
#include "gate/gate.h"
#include "base/print.h"
#include "lint/lint.h"
#include "report/report.h"
#include "snapshot/snapshot.h"
#include "states.h"

#include <inttypes.h>
#include <stdio.h>

enum fsd_status fsd_snapshot_make(const struct fsd_options *opt, FILE *out,
                                  struct fsd_error *err)
{
    struct fsd_state *state;
    enum fsd_status status = fsd_state_open(&state, NULL, opt, err);
    char text[128];

    if (status != FSD_OK)
        return status;
    if (state->untimed && opt->note) {
        snprintf(
            text, sizeof text,
            "%" PRIu32 " of %" PRIu32
            " layers have no time in some profile: check will not take these times",
            state->untimed, state->layers);
        opt->note(opt->payload, text);
    }
    fsd_snapshot_write(state, out);
    fsd_state_free(state);
    return fsd_flush(out, err);
}

struct fsd_check {
    struct fsd_arena *arena;
    struct fsd_state *old, *new;
    struct fsd_diff *run;            /* that `new` is of; NULL: of a snapshot */
    const char *snapshot;            /* path of the old state */
    struct fsd_policy *policy;
    struct fsd_compare *compare;
    struct fsd_verdict *verdict;
    const struct fsd_lint *lint; /* NULL: not asked for */
};

/* Two models of which less than half can be aligned are not two exports of one network.
 */
static enum fsd_status check_models(const struct fsd_check *c,
                                    const struct fsd_options *opt,
                                    struct fsd_error *err)
{
    struct fsd_alignment_count n = fsd_alignment_count(c->compare);

    if (opt->force || fsd_alignment_fits(n))
        return FSD_OK;
    return fsd_fail(
        err, FSD_E_MISMATCH, c->old->model_path, FSD_POS_NONE, 0,
        "expected a snapshot of a build of %s, but of its %u computing nodes "
        "only %u are among the %u of that model (--force goes on all the "
        "same)",
        c->new->model_path, n.old, n.aligned, n.new);
}

/* Where there is nothing to compare with, a policy that asks nothing of the build alone
 * would pass whatever was built. */
static enum fsd_status check_promises(const struct fsd_policy *policy,
                                      struct fsd_error *err)
{
    for (unsigned i = 0; fsd_rule_at(i); i++)
        if ((fsd_rule_at(i)->needs & FSD_NEEDS_CASE) && policy->rules[i].asked &&
            policy->rules[i].level != FSD_OFF)
            return FSD_OK;
    return fsd_fail(err, FSD_E_ARG, *policy->path ? policy->path : NULL, FSD_POS_NONE,
                    0,
                    "expected a snapshot, or a policy that asks something of the build "
                    "alone (expect, precision-required, memory, max-reformats, int8-required), "
                    "found neither");
}

/* A path as a shell takes it, and as text. */
static void put_word(const struct fsd_check *c, const char *path, FILE *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_./=:,@%+-";
    const char *text = fsd_text(c->new->names, fsd_intern_str(c->new->names, path));

    putc(' ', out);
    if (*text && !text[strspn(text, plain)]) {
        fputs(text, out);
        return;
    }
    putc('\'', out);
    for (; *text; text++)
        fputs(*text == '\'' ? "'\\''" : (char[]){*text, '\0'}, out);
    putc('\'', out);
}

/* The command that makes of this build what later ones are checked against. */
static const char *accept_command(const struct fsd_check *c,
                                  const struct fsd_options *opt,
                                  const struct fsd_check_options *check)
{
    const struct {
        const char *option, *value;
    } words[] = {{"", c->snapshot},
                 {"", opt->model},
                 {"", opt->engine},
                 {" --log", opt->log},
                 {" --policy", check->policy}};
    struct fsd_print command;
    FILE *out = fsd_print_open(&command);

    fputs("fusiondiff check", out);
    for (size_t i = 0; i < FSD_COUNT_OF(words); i++)
        if (words[i].value) {
            fputs(words[i].option, out);
            put_word(c, words[i].value, out);
        }
    for (unsigned i = 0; i < opt->n_profiles; i++) {
        fputs(" --profile", out);
        put_word(c, opt->profiles[i], out);
    }
    fputs(" --update", out);
    return fsd_print_take(&command, c->arena);
}

/* What the model says of itself, beside what was built of it. */
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
                        "expected a model and its engine for --lint, found less");
    if (!fsd_target_read(&target, word ? word : fsd_target_of(c->run->engine),
                         c->arena))
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0, FSD_TARGET_EXPECTED,
                        word);
    c->lint = fsd_lint_new(c->arena, c->run->facts, c->run->cost->sizes, target);
    return FSD_OK;
}

/* ------------------------------------------------------------ one of several snapshots
 */

/* How far the snapshots that were looked at fit. */
struct choice {
    const char *path;       /* of the best; NULL: none fits */
    uint32_t alike, equals; /* of it, and how many others fit as well */
    struct fsd_print why;   /* the others do not fit */
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
    if (fit.other.key) {
        fprintf(best->why.out, "; %s is for %s", path, fit.other.before);
    } else if (best->path && fit.alike == best->alike) {
        best->equals++;
        fprintf(best->why.out, "; %s fits as well", path);
    } else if (!best->path || fit.alike > best->alike) {
        best->path = path;
        best->alike = fit.alike;
        best->equals = 0;
    }
    fsd_state_free(s);
    return FSD_OK;
}

/* The one that is for what the build is: its version and GPU. */
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
                        "expected one snapshot for this build's version and GPU (%s), "
                        "found %s%s%s",
                        fsd_text(c->new->names, c->new->producer),
                        best.path ? best.path : "none", why,
                        best.path ? "; the build's log tells more (--log)" : "");
    c->snapshot = best.path;
    return fsd_snapshot_read(&c->old, best.path, err);
}

static enum fsd_status open_check(struct fsd_check *c, const struct fsd_options *opt,
                                  const struct fsd_check_options *check,
                                  struct fsd_error *err)
{
    enum fsd_status status = FSD_OK;

    if (check->snapshot && !check->n_snapshots)
        status = fsd_snapshot_read(&c->old, check->snapshot, err);
    if (status == FSD_OK)
        status = fsd_policy_read(&c->policy, check->policy, err);
    if (status == FSD_OK && !check->snapshot && !check->lint)
        status = check_promises(c->policy, err);
    if (status == FSD_OK)
        status = fsd_state_open(&c->new, &c->run, opt, err);
    if (status == FSD_OK)
        status = open_lint(c, opt, check, err);
    if (status == FSD_OK && check->n_snapshots)
        status = choose_snapshot(c, check, err);
    if (status != FSD_OK)
        return status;
    if (c->old) {
        c->compare = fsd_compare_new(c->old, c->new);
        status = check_models(c, opt, err);
    }
    if (status == FSD_OK && c->old && check->accept && c->old->profiles &&
        !c->new->profiles && opt->note)
        opt->note(opt->payload,
                  "the snapshot's times are not kept: this build has none");
    if (status == FSD_OK)
        c->verdict = fsd_verdict_of_case(&(struct fsd_case){.build = c->new,
                                                            .run = c->run,
                                                            .lint = c->lint,
                                                            .c = c->compare,
                                                            .policy = c->policy,
                                                            .today = check->today},
                                         check->accept,
                                         c->old ? accept_command(c, opt, check) : NULL);
    return status;
}

enum fsd_status fsd_check_open(struct fsd_check **out, const struct fsd_options *opt,
                               const struct fsd_check_options *check,
                               struct fsd_error *err)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_check *c = FSD_NEW(arena, struct fsd_check, 1);
    enum fsd_status status;

    *out = NULL;
    c->arena = arena;
    c->snapshot = check->snapshot;
    status = open_check(c, opt, check, err);
    if (status == FSD_OK)
        *out = c;
    else
        fsd_check_free(c);
    return status;
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

enum fsd_status fsd_check_write(const struct fsd_check *check, const char *format,
                                const struct fsd_style *style, FILE *out,
                                struct fsd_error *err)
{
    const struct fsd_report report = {.subject = FSD_OF_CHECK,
                                      .run = check->run,
                                      .compare = check->compare,
                                      .verdict = check->verdict,
                                      .style = style};

    return fsd_report_write(&report, format, out, err);
}

enum fsd_status fsd_check_update(const struct fsd_check *check, FILE *out,
                                 struct fsd_error *err)
{
    fsd_snapshot_write(check->new, out);
    return fsd_flush(out, err);
}
