/* Prints the part of a verb's --help below the options (formats, examples and more),
 * and the list of verbs for `fusiondiff help`. */
#include "cli/cli.h"

/* The verbs, grouped by the questions that they answer. tests/shell checks that each
 * verb is in this table exactly once. */
static const struct {
    const char *question;
    const char *verbs[9];
} questions[] = {
    {"How did the builder transform my model?",
     {"diff", "where", "inside", "explain", "patterns", "skipped", "parts"}},
    {"Where do time and memory go, and what helps?",
     {"top", "scopes", "reformats", "memory", "buildtime"}},
    {"What changed, and can I merge it?",
     {"compare", "routes", "stability", "snapshot", "check"}},
    {"What is wrong with my model, or with the outputs of the engine?",
     {"lint", "tensors", "bisect"}},
    {"How do I pass results to other tools and people?",
     {"cut", "code", "issue", "annotate", "retype", "names"}},
    {"How do I make builds, and analyze many builds?", {"collect", "batch", "doctor"}}};

static void print_verb(const struct verb *verb, FILE *out)
{
    fprintf(out, "  %-10s %s\n", verb->name, verb->brief);
}

static bool answers_question(const struct verb *verb)
{
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        /* A program without the edit library lacks some of these verbs. */
        for (unsigned k = 0; questions[i].verbs[k]; k++)
            if (!strcmp(questions[i].verbs[k], verb->name))
                return true;
    return false;
}
void print_verbs(FILE *out)
{
    const struct verb *verb;
    bool others = false;

    fputs("Verbs ('fusiondiff help VERB' explains a verb):\n", out);
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        fprintf(out, "\n%s\n", questions[i].question);
        for (unsigned k = 0; questions[i].verbs[k]; k++)
            if ((verb = find_verb(questions[i].verbs[k]))) /* a program without the edit
                                                              library lacks some
                                                              verbs */
                print_verb(verb, out);
    }
    for (unsigned i = 0; (verb = verb_at(i)); i++) {
        if (answers_question(verb))
            continue;
        fputs(others ? "" : "\nOthers\n", out);
        others = true;
        print_verb(verb, out);
    }
}

static void print_examples(const struct verb *verb, FILE *out)
{
    bool named = strcmp(verb->name, "diff") != 0;
    const char *example;

    fputs("Examples:\n", out);
    for (unsigned i = 0; (example = verb->examples[i]); i++)
        fprintf(out, "  fusiondiff %s%s%s\n", named ? verb->name : "",
                named && *example ? " " : "", example);
}

void print_below_options(const struct verb *verb, const char *text, FILE *out)
{
    char list[256];

    if (verb->subject >= 0) {
        list_formats(verb->subject, list, sizeof list);
        fprintf(out, "Formats: %s.\n\n", list);
    }
    if (text)
        fprintf(out, "%s\n\n", text);
    if (!strcmp(verb->name, "diff")) {
        print_verbs(out);
        putc('\n', out);
    }
    print_examples(verb, out);
}
