/*
 * Sets the member of struct command_line that belongs to an option, from the option's
 * argument. Each kind of value is checked here, so that the library only receives valid
 * options. A wrong value is a usage error, which ends the program.
 */
#include "cli/line/line.h"

#include <stdlib.h>
#include <string.h>

/* The index of `arg` in a list of words with blanks between them; -1 if the list lacks
 * it. */
static int find_word(const char *words, const char *arg)
{
    size_t n = strlen(arg), word;

    for (int i = 0; *words; i++, words += word + (words[word] == ' ')) {
        word = strcspn(words, " ");
        if (word == n && !strncmp(words, arg, n))
            return i;
    }
    return -1;
}

/* Writes a list of words as prose: "auto always never" becomes "auto, always or
 * never". */
static void spell(const char *words, char *out, size_t size)
{
    size_t n = 0;

    for (; *words && n < size; words++) {
        const char *word = *words != ' '            ? NULL
                           : strchr(words + 1, ' ') ? ", "
                                                    : " or ";

        n += (size_t)snprintf(out + n, size - n, "%.*s", word ? (int)strlen(word) : 1,
                              word ? word : words);
    }
}

static int choose(const struct option_row *row, const char *arg)
{
    int choice = find_word(row->words, arg);
    char words[128];

    if (choice < 0) {
        spell(row->words, words, sizeof words);
        usage_error("--%s: expected %s, found '%s'", row->name, words, arg);
    }
    return choice;
}

static double number_of(const char *name, const char *arg, double number,
                        const char *end, double least, double most,
                        const char *expected)
{
    if (*end || end == arg || !(number >= least && number <= most))
        usage_error("--%s takes %s, not '%s'", name, expected, arg);
    return number;
}

unsigned parse_number(const char *name, const char *arg, double least, double most,
                      const char *expected)
{
    char *end;
    double number = (double)strtoul(arg, &end, 10);

    return (unsigned)number_of(name, arg, *arg == '-' ? -1 : number, end, least, most,
                               expected);
}

static double parse_amount(const struct option_row *row, const char *arg)
{
    char *end;
    double amount = strtod(arg, &end);

    return number_of(row->name, arg, amount, end, row->least, row->most, row->expected);
}

static void add_word(const struct option_row *row, const char **list, unsigned *n,
                     const char *arg)
{
    if (*n == row->room)
        usage_error("expected --%s at most %u times, found it again: '%s'", row->name,
                    *n, arg);
    list[(*n)++] = arg;
}

static unsigned parse_day(const struct option_row *row, const char *arg)
{
    unsigned day = fsd_day_parse(arg);

    if (!day)
        usage_error("--%s: expected a date as YYYY-MM-DD, found '%s'", row->name, arg);
    return day;
}

static void fill(const struct option_row *row, struct command_line *line, char *arg)
{
    void *at = (char *)line + row->at, *n = (char *)line + row->n_at;

    switch (row->takes) {
    case TAKES_FLAG:
        *(bool *)at = true;
        break;
    case TAKES_WORD:
        *(const char **)at = arg;
        break;
    case TAKES_WORDS:
        add_word(row, at, n, arg);
        break;
    case TAKES_CHOICE:
        *(int *)at = choose(row, arg);
        break;
    case TAKES_ONE_OF:
        choose(row, arg);
        *(const char **)at = arg;
        break;
    case TAKES_NUMBER:
        *(unsigned *)at =
            parse_number(row->name, arg, row->least, row->most, row->expected);
        break;
    case TAKES_AMOUNT:
        *(double *)at = parse_amount(row, arg);
        break;
    case TAKES_DAY:
        *(unsigned *)at = parse_day(row, arg);
        break;
    }
}

void take_value(const struct option_row *row, struct command_line *line, char *arg)
{
    if (row->take)
        row->take(line, arg);
    else
        fill(row, line, arg);
}
