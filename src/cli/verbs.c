#include "cli/verb.h"

#include <string.h>

static const struct verb *const verbs[] = {
    &verb_diff,
};

const struct verb *find_verb(const char *word)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (!strcmp(verbs[i]->name, word))
            return verbs[i];
    return NULL;
}
