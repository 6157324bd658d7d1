/* Makes the command that repeats a report. Reports quote this command when they suggest
 * how to see more. It has all files and options of the original command, because each
 * of them may change the result. This file also checks the arguments of the public
 * API. */
#include "api/command.h"

#include "base/base.h"

#include <stdlib.h>

struct words {
    struct fsd_arena *arena;
    struct fsd_intern *names;
    FILE *out;
};

/* Converts a path to valid UTF-8, because a path may contain any bytes. */
static const char *valid(struct fsd_intern *names, const char *path)
{
    return fsd_text(names, fsd_intern_str(names, path));
}

void fsd_put_option(struct fsd_intern *names, const char *option, const char *word,
                    FILE *out)
{
    if (!word)
        return;
    fprintf(out, " %s%s", option, *option ? " " : "");
    fsd_put_shell_word(out, valid(names, word));
}

static void put_word(const struct words *w, const char *option, const char *word)
{
    fsd_put_option(w->names, option, word, w->out);
}

static void put_files(const struct words *w, const struct fsd_options *opt)
{
    put_word(w, "", opt->model);
    put_word(w, opt->n_parts ? "--part" : "", opt->engine);
    for (unsigned i = 1; i < opt->n_parts; i++)
        put_word(w, "--part", opt->parts[i]);
    put_word(w, "--log", opt->log);
    for (unsigned i = 0; i < opt->n_profiles; i++)
        put_word(w, "--profile", opt->profiles[i]);
    put_word(w, "--times", opt->times);
}

/* Prints the options that all verbs have. */
static void put_common(const struct words *w, const struct fsd_options *opt)
{
    const char *before = " --evidence ";

    for (unsigned bit = 0; opt->evidence && 1u << bit <= FSD_BY_ALL; bit++)
        if (opt->evidence >> bit & 1) {
            fprintf(w->out, "%s%s", before, fsd_evidence_name(bit));
            before = ",";
        }
    if (opt->engine_number)
        fprintf(w->out, " --engine %u", opt->engine_number);
    if (opt->force)
        fputs(" --force", w->out);
}

/* Prints a number with six significant digits, or with more digits if six digits do not
 * identify the number. */
static void put_number(const struct words *w, const char *before, double number)
{
    char text[32];
    int digits = 6;

    do
        snprintf(text, sizeof text, "%.*g", digits, number);
    while (strtod(text, NULL) != number && ++digits <= 17);
    fprintf(w->out, "%s%s", before, text);
}

static void put_more(const struct words *w, const struct fsd_options *opt)
{
    /* The builder numbers profiles from 0. */
    if (opt->opt_profile)
        fprintf(w->out, " --opt-profile %u", opt->opt_profile - 1);
    for (unsigned i = 0; i < opt->n_shapes; i++)
        put_word(w, "--shape", opt->shapes[i]);
    for (unsigned i = 0; i < opt->n_values; i++)
        put_word(w, "--values", opt->values[i]);
    if (opt->values_rows)
        fputs(" --rows", w->out);
    if (opt->values_limit > 0)
        put_number(w, " --values-limit ", opt->values_limit);
    if (opt->peak_gb_s > 0) {
        put_number(w, " --peak ", opt->peak_gb_s);
        put_number(w, ",", opt->peak_top_s);
    }
}

/* Prints a build as MODEL,ENGINE[+PART...][,[PROFILE[+PROFILE...]][,LOG]], quoted as
 * one word for a shell. */
static void put_build(const struct words *w, const struct fsd_options *opt)
{
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);
    char *word;

    fputs(valid(w->names, opt->model ? opt->model : opt->engine), out);
    if (opt->model && opt->engine)
        fprintf(out, ",%s", valid(w->names, opt->engine));
    for (unsigned i = 1; i < opt->n_parts; i++)
        fprintf(out, "+%s", valid(w->names, opt->parts[i]));
    for (unsigned i = 0; i < opt->n_profiles; i++)
        fprintf(out, "%c%s", i ? '+' : ',', valid(w->names, opt->profiles[i]));
    if (opt->log)
        fprintf(out, "%s,%s", opt->n_profiles ? "" : ",", valid(w->names, opt->log));
    word = fsd_print_take(&print, w->arena);
    put_word(w, "", word);
}

const struct fsd_command *fsd_command_new(struct fsd_arena *arena,
                                          struct fsd_intern *names,
                                          const struct fsd_options *opt)
{
    struct fsd_command *command = FSD_NEW(arena, struct fsd_command, 1);
    struct words w = {.arena = arena, .names = names};
    struct fsd_print print;

    w.out = fsd_print_open(&print);
    put_files(&w, opt);
    put_common(&w, opt);
    put_more(&w, opt);
    command->run = fsd_print_take(&print, arena);
    w.out = fsd_print_open(&print);
    put_build(&w, opt);
    command->build = fsd_print_take(&print, arena);
    w.out = fsd_print_open(&print);
    put_common(&w, opt);
    command->common = fsd_print_take(&print, arena);
    return command;
}

/* ------------------------------------------------------------- what is refused */

enum fsd_status fsd_expect_array(const char *name, const void *list, size_t n,
                                 struct fsd_error *err)
{
    return list || !n ? FSD_OK
                      : fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                                 "expected an array as %s, found NULL, although its "
                                 "length is %zu",
                                 name, n);
}

enum fsd_status fsd_expect_words(const char *name, const char *const *list, unsigned n,
                                 struct fsd_error *err)
{
    enum fsd_status status = fsd_expect_array(name, list, n, err);

    for (unsigned i = 0; status == FSD_OK && i < n; i++)
        if (!list[i])
            status = fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                              "expected %u strings in %s, found NULL at index %u", n,
                              name, i);
    return status;
}

enum fsd_status fsd_expect_choice(const char *name, unsigned is, unsigned n,
                                  struct fsd_error *err)
{
    return is < n ? FSD_OK
                  : fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                             "expected %s from 0 to %u, found %u", name, n - 1, is);
}

enum fsd_status fsd_expect_lists(const struct fsd_given *all, size_t n,
                                 struct fsd_error *err)
{
    enum fsd_status status = FSD_OK;

    for (size_t i = 0; status == FSD_OK && i < n; i++)
        status = fsd_expect_words(all[i].name, all[i].list, all[i].n, err);
    return status;
}

enum fsd_status fsd_expect_options(const struct fsd_options *opt, struct fsd_error *err)
{
    const struct fsd_given all[] = {{"profiles", opt->profiles, opt->n_profiles},
                                    {"shapes", opt->shapes, opt->n_shapes},
                                    {"values", opt->values, opt->n_values},
                                    {"parts", opt->parts, opt->n_parts}};
    enum fsd_status status =
        fsd_expect_choice("evidence", opt->evidence, FSD_BY_ALL + 1, err);

    FSD_THEN(status, fsd_expect_choice("n_values", opt->n_values, 3, err));
    return status == FSD_OK ? fsd_expect_lists(all, FSD_COUNT_OF(all), err) : status;
}

enum fsd_status fsd_expect_query(const struct fsd_query *q, struct fsd_error *err)
{
    return q ? fsd_expect_words("words", q->words, q->n_words, err) : FSD_OK;
}
