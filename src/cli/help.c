/* What --help says below the options of a verb: its formats, examples and more; and the
 * verbs in a line each, which `fusiondiff help` prints. */
#include "cli/cli.h"

#include <string.h>

void print_verbs(FILE *out)
{
    const struct verb *verb;

    fputs("Verbs ('fusiondiff help VERB' explains one):\n", out);
    for (unsigned i = 0; (verb = verb_at(i)); i++)
        fprintf(out, "  %-10s %s\n", verb->name, verb->brief);
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
