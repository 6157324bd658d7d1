/* The public API of lint, which checks a model before a build. */
#include "api/linting.h"
#include "api/inputs.h"
#include "api/command.h"
#include "base/base.h"
#include "report/subject/subject.h"
#include "api/states.h"

/* Stores the paths of the --values files, so that lint can check the fixed model with
 * the same values. */
static void keep_values(struct fsd_linting *l, const struct fsd_options *opt)
{
    const char **values = FSD_NEW(l->arena, const char *, opt->n_values + 1);

    for (unsigned i = 0; i < opt->n_values; i++)
        values[i] = fsd_arena_strndup(l->arena, opt->values[i], strlen(opt->values[i]));
    l->values = values;
    l->n_values = opt->n_values;
}

static enum fsd_status open_linting(struct fsd_linting *l,
                                    const struct fsd_options *opt,
                                    const struct fsd_lint_options *lint,
                                    struct fsd_error *err)
{
    enum fsd_status status =
        fsd_file_blame(lint->policy, FSD_FILE_POLICY, "a policy",
                       fsd_policy_read(&l->policy, lint->policy, err), err);
    struct fsd_target target;
    const char *word = lint->builder;
    struct fsd_print command;
    FILE *out;

    if (status != FSD_OK)
        return status;
    if (!opt->model)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0, "expected MODEL");
    status = fsd_run_open(&l->run, opt, err);
    if (status != FSD_OK)
        return status;
    /* The default target is the builder of the engine. */
    if (!fsd_target_read(&target, word ? word : fsd_target_of(l->run->engine),
                         l->arena))
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0, FSD_TARGET_EXPECTED,
                        word);
    l->lint = fsd_lint_new(l->arena, l->run->facts, l->run->cost->sizes, target);
    l->today = lint->today;
    keep_values(l, opt);
    l->alone = !opt->engine && !opt->n_shapes;
    out = fsd_print_open(&command);
    fprintf(out, "fusiondiff lint%s --for %s", l->run->command->run,
            l->lint->target.name);
    fsd_put_option(l->run->names, "--policy", lint->policy, out);
    l->verdict = fsd_verdict_of_lint(
        l->run, l->lint, fsd_find_lint(l->run, l->lint, l->policy, lint->today),
        fsd_print_take(&command, l->arena));
    return FSD_OK;
}

enum fsd_status fsd_linting_open(struct fsd_linting **out,
                                 const struct fsd_options *opt,
                                 const struct fsd_lint_options *lint,
                                 struct fsd_error *err)
{
    struct fsd_arena *arena;
    struct fsd_linting *l;
    enum fsd_status status;

    *out = NULL;
    FSD_GUARD(err);
    arena = fsd_arena_new();
    l = FSD_NEW(arena, struct fsd_linting, 1);
    l->arena = arena;
    status = open_linting(l, opt, lint, err);
    if (status == FSD_OK)
        *out = l;
    else
        fsd_linting_free(l);
    return status;
}

enum fsd_status fsd_linting_again(struct fsd_linting **out,
                                  const struct fsd_linting *like, const char *path,
                                  struct fsd_error *err)
{
    const struct fsd_options opt = {
        .model = path, .values = like->values, .n_values = like->n_values};
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_linting *l = FSD_NEW(arena, struct fsd_linting, 1);
    enum fsd_status status;

    *l = (struct fsd_linting){.arena = arena,
                              .policy = like->policy,
                              .today = like->today,
                              .values = like->values,
                              .n_values = like->n_values,
                              .alone = true,
                              .again = true};
    *out = l;
    status = fsd_run_open(&l->run, &opt, err);
    if (status == FSD_OK) {
        l->lint =
            fsd_lint_new(arena, l->run->facts, l->run->cost->sizes, like->lint->target);
        l->verdict = fsd_verdict_of_lint(
            l->run, l->lint, fsd_find_lint(l->run, l->lint, l->policy, l->today), "");
        return FSD_OK;
    }
    fsd_linting_free(l);
    *out = NULL;
    return status;
}

const struct fsd_diff *fsd_linting_run(const struct fsd_linting *l)
{
    return l->run;
}

void fsd_linting_free(struct fsd_linting *l)
{
    if (!l)
        return;
    fsd_verdict_free(l->verdict);
    if (!l->again)
        fsd_policy_free(l->policy);
    fsd_diff_free(l->run);
    fsd_arena_free(l->arena);
}

uint32_t fsd_linting_findings(const struct fsd_linting *l, enum fsd_severity least)
{
    uint32_t n = 0;

    for (unsigned s = least; s < FSD__SEVERITY_COUNT; s++)
        n += l->verdict->findings->by_severity[s];
    return n;
}

enum fsd_status fsd_linting_write(const struct fsd_linting *l, const char *format,
                                  const struct fsd_style *style, FILE *out,
                                  struct fsd_error *err)
{
    const struct fsd_report report = {.subject = FSD_OF_LINT,
                                      .run = l->run,
                                      .lint = l->lint,
                                      .verdict = l->verdict,
                                      .style = style};

    return fsd_report_write(&report, format, out, err);
}

static enum fsd_status write_view(const char *view, const struct fsd_query *query,
                                  const char *format, const struct fsd_style *style,
                                  FILE *out, struct fsd_error *err)
{
    const struct fsd_report report = {
        .subject = FSD_OF_VIEW, .view = view, .query = query, .style = style};

    return fsd_report_write(&report, format, out, err);
}

enum fsd_status fsd_linting_list(const char *format, const struct fsd_style *style,
                                 FILE *out, struct fsd_error *err)
{
    return write_view("rules", NULL, format, style, out, err);
}

enum fsd_status fsd_explain(const char *word, const char *format,
                            const struct fsd_style *style, FILE *out,
                            struct fsd_error *err)
{
    const struct fsd_query query = {.words = &word, .n_words = 1};

    return write_view("words", &query, format, style, out, err);
}

enum fsd_status fsd_explain_all(enum fsd_vocabulary of, const char *format,
                                const struct fsd_style *style, FILE *out,
                                struct fsd_error *err)
{
    const struct fsd_query query = {.by = of == FSD_WORDS_OF_ENGINES ? "words" : NULL};

    return write_view("words", &query, format, style, out, err);
}

enum fsd_status fsd_rule_explain(const char *rule, FILE *out, struct fsd_error *err)
{
    return rule ? fsd_explain(rule, "text", NULL, out, err)
                : fsd_explain_all(FSD_WORDS_OF_RULES, "text", NULL, out, err);
}
