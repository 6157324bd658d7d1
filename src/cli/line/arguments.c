/*
 * Splits the words of a command line into options and arguments. The rules are those of
 * GNU's getopt_long(), which not every C library has. Several letters may share a word
 * (-qf json). The value of an option is the rest of the option's word, or the next
 * word. A long name may be abbreviated if this is unambiguous. Options may follow
 * arguments; `--` ends the options.
 *
 * All options are handled before the first argument, because arguments may depend on
 * options.
 */
#include "cli/line/line.h"

#include <string.h>

static const struct listed *rows;
static unsigned n_rows;

static struct words {
    int n, next; /* next: index of the next word to read */
    char **at;
} words;

/* Returns the row of option i. If this row is an alias, returns the row of the option
 * itself, which is before its aliases. */
static const struct option_row *owner(unsigned i)
{
    while (rows[i].row->alias)
        i--;
    return rows[i].row;
}

/* ------------------------------------------------------------------- long options */

static bool begins(unsigned i, const char *name, size_t n)
{
    return rows[i].row && rows[i].row->name && !strncmp(rows[i].row->name, name, n);
}

/* Reports that an abbreviated name is ambiguous, and exits.
 * @param word the text after "--"; the name is its first `n` bytes */
static _Noreturn void refuse_ambiguous(const char *word, size_t n)
{
    fprintf(stderr, "%s: option '--%s' is ambiguous; possibilities:", program_name(),
            word);
    for (unsigned i = 0; i < n_rows; i++)
        if (begins(i, word, n))
            fprintf(stderr, " '--%s'", rows[i].row->name);
    fputs("\n", stderr);
    end_usage_error();
}

static unsigned find_long(const char *word, size_t n)
{
    unsigned found = n_rows, others = 0;

    for (unsigned i = 0; i < n_rows; i++) {
        if (!begins(i, word, n))
            continue;
        if (!rows[i].row->name[n])
            return i;
        others += found != n_rows;
        found = found == n_rows ? i : found;
    }
    if (others)
        refuse_ambiguous(word, n);
    if (found == n_rows)
        usage_error("unrecognized option '--%s'", word);
    return found;
}

static void take_long(struct command_line *line, char *word)
{
    size_t n = strcspn(word, "=");
    unsigned i = find_long(word, n);
    const struct option_row *row = rows[i].row, *own = owner(i);
    char *value = word[n] ? word + n + 1 : NULL;

    if (value && !own->arg)
        usage_error("option '--%s' doesn't allow an argument", row->name);
    if (!value && own->arg && !own->optional) {
        if (words.next == words.n)
            usage_error("option '--%s' requires an argument", row->name);
        value = words.at[words.next++];
    }
    take_value(row, line, value);
}

/* ------------------------------------------------------------------------ letters */

static const struct option_row *find_letter(char letter)
{
    for (unsigned i = 0; i < n_rows; i++)
        if (rows[i].row && rows[i].row->letter == letter)
            return rows[i].row;
    usage_error("invalid option -- '%c'", letter);
}

static void take_letters(struct command_line *line, char *word)
{
    while (*word) {
        const struct option_row *row = find_letter(*word++);
        char *value = NULL;

        if (row->arg) {
            if (*word)
                value = word;
            else if (!row->optional && words.next == words.n)
                usage_error("option requires an argument -- '%c'", row->letter);
            else if (!row->optional)
                value = words.at[words.next++];
            word += strlen(word);
        }
        take_value(row, line, value);
    }
}

/* ----------------------------------------------------------------------- the line */

bool is_on_line(const char *word)
{
    for (int i = 1; i < words.n; i++)
        if (!strcmp(words.at[i], word))
            return true;
    return false;
}

unsigned take_options(struct command_line *line, const struct listed *of, unsigned n,
                      int argc, char **argv)
{
    unsigned arguments = 0;
    bool ended = false;

    words = (struct words){argc, 1, argv};
    rows = of;
    n_rows = n;
    while (words.next < argc) {
        char *word = argv[words.next++];

        if (ended || *word != '-' || !word[1])
            argv[arguments++] = word; /* reuses the place of a word that was already
                                         read */
        else if (!strcmp(word, "--"))
            ended = true;
        else if (word[1] == '-')
            take_long(line, word + 2);
        else
            take_letters(line, word + 1);
    }
    return arguments;
}
