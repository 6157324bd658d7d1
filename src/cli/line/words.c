/* Finds the words of a command line that are options of a verb, and their values,
 * before the line is parsed. The program uses this to find a verb after its options,
 * and to complete the word that the user is typing. */
#include "cli/cli.h"

const struct option_row *find_option(const struct verb *verb, const char *word)
{
    size_t n = strcspn(word, "=");

    if (word[0] != '-' || !word[1])
        return NULL;
    for (unsigned i = 0; i < OPTION_TABLES; i++) {
        const struct option_row *own = NULL;

        for (const struct option_row *o = option_rows(verb, i); is_row(o); o++) {
            own = o->alias ? own : o;
            if (o->name && word[1] == '-' ? n > 2 && strlen(o->name) == n - 2 &&
                                                !strncmp(o->name, word + 2, n - 2)
                                          : o->letter && word[1] == o->letter)
                return own;
        }
    }
    return NULL;
}

/* The number of words that the option in `word` has: 2 if the next word is the option's
 * value, otherwise 1. Returns 0 if `word` is no option of the verb. */
static unsigned option_words(const struct verb *verb, const char *word)
{
    const struct option_row *option = find_option(verb, word);
    char letter[] = "-?";

    if (!option)
        return 0;
    if (word[1] == '-')
        return option->arg && !option->optional && !strchr(word, '=') ? 2 : 1;
    for (word++; *word; word++) { /* several letters may share a word, as in -qn3 */
        letter[1] = *word;
        option = find_option(verb, letter);
        if (!option || option->arg)
            return !option ? 0 : word[1] ? 1 : 2;
    }
    return 1;
}

unsigned first_argument(const struct verb *verb, unsigned n, char **words)
{
    unsigned at = 0, taken;

    while (at < n && (taken = option_words(verb, words[at])))
        at += taken;
    return at;
}

unsigned verb_place(unsigned n, char **words)
{
    const struct verb *verb;
    unsigned i = 0;

    while (i < n &&
           (!(verb = find_verb(words[i])) || first_argument(verb, n, words) != i))
        i++;
    return i;
}
