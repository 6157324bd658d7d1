/* The verbs in a line each, and examples: what --help says of them beside their
 * options, and what `fusiondiff help` says of all. */
#define _GNU_SOURCE /* argp */
#include "cli/verb.h"

#include <string.h>

void print_verbs(FILE *out)
{
    const struct verb *verb;

    fputs("Verbs ('fusiondiff help VERB' explains one):\n", out);
    for (unsigned i = 0; (verb = verb_at(i)); i++)
        fprintf(out, "  %-10s %s\n", verb->name, verb->brief);
}

void print_examples(const struct verb *verb, FILE *out)
{
    bool named = strcmp(verb->name, "diff") != 0;
    const char *example;

    fputs("Examples:\n", out);
    for (unsigned i = 0; (example = verb->examples[i]); i++)
        fprintf(out, "  fusiondiff %s%s%s\n", named ? verb->name : "",
                named && *example ? " " : "", example);
}
