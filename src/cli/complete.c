/*
 * Lists completions, for `fusiondiff help --complete WORD...`. The user is typing the
 * last word, which may be empty. The completion scripts of the shells only call this
 * command, so that they always agree with the tables of options.
 *
 * Each printed line is a candidate, a tab and its meaning. A line "files" without a tab
 * means that names of files are candidates, too.
 */
#include "cli/cli.h"
#include "host/files.h"

#include <ctype.h>

/* The word that the user is typing, in two parts. `head` is its beginning "--option=",
 * which each candidate repeats; without such a beginning, n_head is 0. `word` is the
 * rest. */
struct typed {
    const char *head;
    int n_head;
    const char *word;
};

static void offer(const struct typed *t, const char *candidate, const char *meaning)
{
    size_t n = strcspn(meaning, ".:;\n\v");

    if (strncmp(candidate, t->word, strlen(t->word)) != 0)
        return;
    fprintf(stdout, "%.*s%s\t%.*s\n", t->n_head, t->head, candidate, (int)n, meaning);
}

static void offer_options(const struct typed *t, const struct verb *verb)
{
    char name[64];

    for (unsigned i = 0; i < OPTION_TABLES; i++)
        for (const struct option_row *o = option_rows(verb, i); is_row(o); o++) {
            if (o->hidden)
                continue;
            snprintf(name, sizeof name, "--%s", o->name);
            offer(t, name, o[o->alias ? -1 : 0].doc);
        }
    offer(t, "--help", "Show options, formats and examples");
}

/* Offers a name from a file. A shell inserts a single candidate before the user has
 * read it, so names that a terminal would interpret, or that look like an option, are
 * not offered. */
static void offer_name(const struct typed *t, const char *name, const char *meaning)
{
    char safe[sizeof(struct fsd_error)];

    if (*name && *name != '-' && !strcmp(quoted(name, safe), name))
        offer(t, name, quoted(meaning, safe));
}

/* Offers the names of nodes or layers in the files that the command line already has.
 * If a file cannot be read, offers none. */
static void offer_names(const struct typed *t, struct fsd_options *run, bool nodes,
                        bool layers)
{
    struct fsd_directory *directory = NULL;
    struct fsd_diff *diff = NULL;
    struct fsd_node_data node;
    struct fsd_layer_data layer;

    if (!run->engine) {
        run->engine = run->model;
        run->model = NULL;
    }
    run->force = run->uncited = true;
    /* Drops notes and warnings, because they are no candidates. */
    if (!freopen("/dev/null", "w", stderr) || !run->engine ||
        open_directory(&directory, run, NULL) != FSD_OK ||
        fsd_diff_open(&diff, run, NULL) != FSD_OK)
        return;
    for (uint32_t i = 0; nodes && fsd_diff_node(diff, i, &node, sizeof node); i++)
        offer_name(t, node.name, node.op);
    for (uint32_t i = 0; layers && fsd_diff_layer(diff, i, &layer, sizeof layer); i++)
        offer_name(t, layer.name, layer.type);
    fsd_diff_free(diff);
    fsd_directory_free(directory);
}

static void offer_values(const struct typed *t, const struct verb *verb,
                         const struct option_row *option, struct fsd_options *run)
{
    const char *name;
    char word[64];

    if (islower((unsigned char)*option->arg)) { /* an `arg` in lower case is
                                                   no placeholder: it is the
                                                   option's only possible value */
        offer(t, option->arg, "");
        return;
    }
    if (!strcmp(option->arg, "FORMAT"))
        for (unsigned i = 0; verb->subject >= 0 &&
                             (name = fsd_format_of((enum fsd_subject)verb->subject, i));
             i++)
            offer(t, name, "");
    else if (!strcmp(option->arg, "FILE") || !strcmp(option->name, "check"))
        fputs("files\n", stdout);
    else if (!strcmp(option->arg, "NODE") || !strcmp(option->arg, "NAME") ||
             !strcmp(option->arg, "LAYER"))
        offer_names(t, run, *option->arg == 'N', strcmp(option->arg, "NODE") != 0);
    for (const char *at = option->words; at && *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " ");

        snprintf(word, sizeof word, "%.*s", (int)n, at);
        offer(t, word, "");
        at += n;
    }
}

static void offer_argument(const struct typed *t, const struct verb *verb,
                           struct fsd_options *run)
{
    bool names = strstr(verb->arguments, "NODE") || strstr(verb->arguments, "LAYER");

    if (!names || !run->engine)
        fputs("files\n", stdout);
    if (names)
        offer_names(t, run, strstr(verb->arguments, "NODE"),
                    strstr(verb->arguments, "LAYER"));
}

/* Sets model, engine and log of `run` from the typed words, as the parser would. */
static void take_files(struct fsd_options *run, const struct verb *verb, unsigned n,
                       char **words)
{
    for (unsigned i = 0; i < n; i++) {
        const struct option_row *option = find_option(verb, words[i]);
        char *equals = strchr(words[i], '=');
        char *value = option && option->arg ? equals      ? equals + 1
                                              : i + 1 < n ? words[++i]
                                                          : NULL
                                            : NULL;

        if (option && value && !strcmp(option->name, "log"))
            run->log = value;
        else if (!option && !access(words[i], R_OK) &&
                 fsd_file_kind(words[i]) != FSD_FILE_SNAPSHOT)
            *(run->model ? &run->engine : &run->model) = words[i];
    }
}

void print_completions(unsigned n, char **words)
{
    unsigned place = verb_place(n, words);
    const struct verb *verb = place + 1 < n ? find_verb(words[place]) : NULL, *each;
    bool help = n == 2 && !strcmp(words[0], "help");
    bool first = help || (!verb && first_argument(verb_at(0), n, words) + 1 >= n);
    char *last = n ? words[n - 1] : NULL, *equals = last ? strchr(last, '=') : NULL;
    const struct option_row *before = NULL, *option;
    struct fsd_options run = {0};
    struct typed t = {"", 0, last};

    if (!last)
        return;
    verb = verb ? verb : verb_at(0);
    if (n > 1)
        before = find_option(verb, words[n - 2]);
    option = equals ? find_option(verb, last) : NULL;
    take_files(&run, verb, n - 1, words);
    if (option && option->arg) {
        t = (struct typed){last, (int)(equals + 1 - last), equals + 1};
        offer_values(&t, verb, option, &run);
    } else if (before && before->arg && !strchr(words[n - 2], '=')) {
        offer_values(&t, verb, before, &run);
    } else if (*last == '-') {
        offer_options(&t, verb);
    } else {
        for (unsigned i = 0; first && (each = verb_at(i)); i++)
            offer(&t, each->name, each->brief);
        if (!help)
            offer_argument(&t, verb, &run);
    }
}
