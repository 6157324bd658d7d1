/* The table of verbs: diff, then the views, then all others in the order of FSD_VERBS.
 * Verbs do not use this table, so that no verb depends on another. */
#include "cli/cli.h"

const struct verb *verb_at(unsigned i)
{
#define LISTED(name) &verb_##name,
    static const struct verb *const verbs[] = {FSD_VERBS(LISTED)};
    const size_t n = sizeof verbs / sizeof *verbs;

    if (!i)
        return &verb_diff;
    if (i <= n_view_verbs)
        return &view_verbs[i - 1];
    return i - n_view_verbs <= n ? verbs[i - n_view_verbs - 1] : NULL;
}

const struct verb *find_verb(const char *word)
{
    const struct verb *verb;

    for (unsigned i = 0; (verb = verb_at(i)); i++)
        if (!strcmp(verb->name, word))
            break;
    return verb;
}

/* A word that is no verb names a model or an engine. If no such file exists, the word
 * may be a misspelt verb. */
const char *near_verb(const char *word)
{
    const char *names[64];
    const struct verb *verb;
    unsigned n = 0;

    while (n < sizeof names / sizeof *names && (verb = verb_at(n)))
        names[n++] = verb->name;
    return fsd_nearest_name(word, names, n);
}
