/*
 * Completes the command of a collect: finds the model among its words, and adds options
 * for trtexec. Only options that its --help lists are added, because releases differ.
 * If the user set such an option, it stays as it is. If it names an output file,
 * collect copies this file after the build.
 */
#include "cli/cli.h"

enum { HELP_SIZE = 1 << 18 };

static const struct {
    const char *option, *name;
    bool of_run; /* the option requires that trtexec runs inference */
} exports[MOST_EXPORTS] = {{"--exportLayerInfo=", "layers.json", false},
                           {"--exportProfile=", "profile.json", true},
                           {"--exportTimes=", "times.json", true}};

/* Further options for trtexec. Without them, the dump has only names of layers, the log
 * has no build steps, and the profiler disturbs the times. */
static const struct {
    const char *word;
    bool of_run;
} switches[] = {{"--profilingVerbosity=detailed", false},
                {"--verbose", false},
                {"--separateProfileRun", true}};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static bool begins(const char *word, const char *with)
{
    return !strncmp(word, with, strlen(with));
}

/* The user's word for an option; NULL if the user did not set the option. */
static const char *given_option(const struct collect_command *c, const char *option)
{
    size_t n = strcspn(option, "=");

    for (unsigned i = 0; i < c->n; i++)
        if (!strncmp(c->words[i], option, n) &&
            (!c->words[i][n] || c->words[i][n] == '='))
            return c->words[i];
    return NULL;
}

/* The index of the word "trtexec", which may include a path. A command such as `env` or
 * `nice` may precede it. */
static unsigned place_of_trtexec(const struct collect_command *c)
{
    for (unsigned i = 0; i < c->n && c->words[i][0] != '-'; i++)
        if (!strcmp(base_name(c->words[i]), "trtexec"))
            return i;
    return c->n;
}

/* Finds a model among the words. Returns its path: a whole word, or the text after the
 * '=' of an option such as "--onnx=". NULL if there is no model. */
static const char *find_model(const struct collect_command *c)
{
    for (unsigned i = 0; i < c->n; i++) {
        const char *word = c->words[i], *value = strchr(word, '=');

        if (word[0] == '-')
            word = value ? value + 1 : "";
        if (*word && strcmp(word, "-") != 0 && fsd_file_is_model(word))
            return word;
    }
    return NULL;
}

/* Whether trtexec's help lists the option as a separate word. */
static bool lists(const char *help, const char *option)
{
    size_t n = strcspn(option, "=");
    const char *at = help;
    char name[64];

    snprintf(name, sizeof name, "%.*s", (int)n, option);
    while ((at = strstr(at, name))) {
        at += n;
        if (!*at || strchr(" =,\t\n[", *at))
            return true;
    }
    return false;
}

static void add(struct collect_command *c, const char *word)
{
    if (c->n < MOST_COMMAND)
        c->words[c->n++] = word;
}

static void add_options(struct collect_command *c, unsigned trtexec, const char *folder)
{
    static char help[HELP_SIZE];
    const char *ask[] = {c->words[trtexec], "--help", NULL};
    bool runs = !given_option(c, "--skipInference") && !given_option(c, "--buildOnly");

    read_command(ask, help, sizeof help);
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (lists(help, switches[i].word) && !given_option(c, switches[i].word) &&
            (runs || !switches[i].of_run))
            add(c, switches[i].word);
    for (size_t i = 0; i < MOST_EXPORTS; i++) {
        struct exported *e = &c->exports[i];
        const char *set = given_option(c, e->option);

        if (set && begins(set, e->option))
            e->asked = set + strlen(e->option);
        if (set || !lists(help, e->option) || (exports[i].of_run && !runs))
            continue;
        snprintf(e->word, sizeof e->word, "%s%s/%s", e->option, folder, e->name);
        add(c, e->word);
    }
}

enum fsd_status complete_command(struct collect_command *out, const char *const *given,
                                 unsigned n, const char *folder, struct fsd_error *err)
{
    unsigned trtexec;

    memset(out, 0, sizeof *out);
    if (n > MOST_COMMAND - 16)
        return fail_file(err, FSD_E_ARG, given[0],
                         "expected at most %d words, found %u", MOST_COMMAND - 16, n);
    for (unsigned i = 0; i < n; i++)
        out->words[out->n++] = given[i];
    for (size_t i = 0; i < MOST_EXPORTS; i++) {
        out->exports[i].option = exports[i].option;
        out->exports[i].name = exports[i].name;
    }
    out->model = find_model(out);
    trtexec = place_of_trtexec(out);
    out->trtexec = trtexec < out->n;
    if (out->trtexec)
        add_options(out, trtexec, folder);
    return FSD_OK;
}
