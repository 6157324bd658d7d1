#include "cli/verb.h"

#include <string.h>

static const struct verb *const verbs[] = {
    &verb_diff,
    &verb_snapshot,
    &verb_check,
    &verb_compare,
};

const struct verb *find_verb(const char *word)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (!strcmp(verbs[i]->name, word))
            return verbs[i];
    for (size_t i = 0; i < n_view_verbs; i++)
        if (!strcmp(view_verbs[i].name, word))
            return &view_verbs[i];
    return NULL;
}
