/*
 * Prints usage and help from the rows of a verb's options, in the layout of GNU's argp,
 * because users, scripts and the manual rely on this layout.
 *
 *     Usage: fusiondiff [OPTION...] [MODEL] ENGINE
 *       -f, --format=FORMAT        Format of the report ...
 *     |2    |6                     |29                                       79|
 */
#include "cli/line/line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    RIGHT = LINE_COLUMNS,
    HEADING_AT = 1,
    LETTER_AT = 2,
    NAME_AT = 6,
    TEXT_AT = 29,
    USAGE_AT = 12, /* column at which further lines of the usage begin */
    MOST_HEAD = 256
};

/* -------------------------------------------------------------------------- order */

/* The long name of an option; "" for a heading. */
static const char *name_of(const struct listed *l)
{
    return l->row && l->row->name ? l->row->name : "";
}

static int first_letter(const struct listed *l)
{
    return l->row && l->row->letter ? l->row->letter : *name_of(l);
}

static int compare_names(const char *a, const char *b)
{
    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) {
        a++;
        b++;
    }
    return tolower((unsigned char)*a) - tolower((unsigned char)*b);
}

/* Compares two rows by group, and within a group alphabetically. Headings come
 * first. */
static int by_place(const void *x, const void *y)
{
    const struct listed *a = x, *b = y;
    int one = tolower(first_letter(a)), two = tolower(first_letter(b));

    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return one != two ? one - two : compare_names(name_of(a), name_of(b));
}

static bool is_shown(const struct listed *l)
{
    return !l->row || (!l->row->hidden && !l->row->alias);
}

/* Returns the visible rows in the order of --help; the caller frees the array.
 * @param[out] shown their number */
static struct listed *sort(const struct listed *rows, unsigned n, unsigned *shown)
{
    struct listed *sorted = must(calloc(n + 1, sizeof *sorted));

    *shown = 0;
    for (unsigned i = 0; i < n; i++)
        if (is_shown(&rows[i]))
            sorted[(*shown)++] = rows[i];
    qsort(sorted, *shown, sizeof *sorted, by_place);
    return sorted;
}

/* -------------------------------------------------------------------------- usage */

struct usage {
    FILE *out;
    size_t column;
};

/* Prints an item of the usage, on a new line if necessary. If the item is longer than a
 * whole line, breaks it at blanks.
 * @param room the last column that the item may use */
static void put_item(struct usage *u, const char *item, size_t room)
{
    size_t n = strlen(item);
    bool fits = u->column + 1 + n <= room;

    fputs(fits ? " " : "\n", u->out);
    if (!fits)
        put_blanks(u->out, USAGE_AT);
    put_wrapped(u->out, fits ? u->column + 1 : USAGE_AT, USAGE_AT, item);
    u->column = n + (fits ? u->column + 1 : USAGE_AT);
}

static void begin_usage(struct usage *u, FILE *out)
{
    *u = (struct usage){out, (size_t)fprintf(out, "Usage: %s", program_name())};
}

/* Prints the verb's arguments as the last item, and ends the usage. */
static void end_usage(struct usage *u, const struct verb *verb)
{
    if (*verb->arguments)
        put_item(u, verb->arguments, RIGHT - 1);
    putc('\n', u->out);
}

static void put_flags(struct usage *u, const struct listed *l, unsigned n)
{
    char flags[64] = "[-";
    size_t used = strlen(flags);

    for (unsigned i = 0; i < n && used < sizeof flags - 2; i++)
        if (l[i].row && l[i].row->letter && !l[i].row->arg)
            flags[used++] = l[i].row->letter;
    flags[used] = ']';
    put_item(u, flags, RIGHT);
}

static void put_long(struct usage *u, const struct option_row *row,
                     const struct option_row *own)
{
    char item[MOST_HEAD];

    if (!own->arg)
        snprintf(item, sizeof item, "[--%s]", row->name);
    else
        snprintf(item, sizeof item, own->optional ? "[--%s[=%s]]" : "[--%s=%s]",
                 row->name, own->arg);
    put_item(u, item, RIGHT);
}

static bool is_alias(const struct option_row *row)
{
    return is_row(row) && row->alias;
}

void print_usage(const struct verb *verb, const struct listed *rows, unsigned n)
{
    unsigned shown;
    struct listed *l = sort(rows, n, &shown);
    struct usage u;
    char item[MOST_HEAD];

    begin_usage(&u, stdout);
    put_flags(&u, l, shown);
    for (unsigned i = 0; i < shown; i++)
        if (l[i].row && l[i].row->letter && l[i].row->arg) {
            snprintf(item, sizeof item, "[-%c %s]", l[i].row->letter, l[i].row->arg);
            put_item(&u, item, RIGHT - 1);
        }
    for (unsigned i = 0; i < shown; i++) {
        const struct option_row *row = l[i].row;

        if (!row || !row->name)
            continue;
        put_long(&u, row, row);
        while (is_alias(++row))
            put_long(&u, row, l[i].row);
    }
    end_usage(&u, verb);
    free(l);
}

/* --------------------------------------------------------------------------- help */

/* Writes the names of an option, " -f, --format=FORMAT", with its aliases. */
static size_t write_head(const struct option_row *own, char head[static MOST_HEAD])
{
    size_t n = 0;

    if (own->letter)
        n = (size_t)snprintf(head, MOST_HEAD, "%*s-%c", LETTER_AT, "", own->letter);
    for (const struct option_row *row = own; row == own || is_alias(row); row++)
        n += (size_t)snprintf(head + n, MOST_HEAD - n, "%s%*s--%s%s%s%s", n ? ", " : "",
                              n ? 0 : NAME_AT, "", row->name,
                              own->arg ? own->optional ? "[=" : "=" : "",
                              own->arg ? own->arg : "", own->optional ? "]" : "");
    return n;
}

static void print_option(const struct option_row *row, FILE *out)
{
    char head[MOST_HEAD];
    size_t n = write_head(row, head);

    fputs(head, out);
    if (n > TEXT_AT + 3) {
        putc('\n', out);
        n = 0;
    } else {
        size_t blanks = n < TEXT_AT ? TEXT_AT - n : 3;

        put_blanks(out, blanks);
        n += blanks;
    }
    if (row->doc)
        put_wrapped(out, n, TEXT_AT, row->doc);
    putc('\n', out);
}

static void print_options(const struct listed *rows, unsigned n, FILE *out)
{
    unsigned shown;
    struct listed *l = sort(rows, n, &shown);
    bool headed = false; /* whether a heading was printed: after the first heading,
                            empty lines separate groups */

    for (unsigned i = 0; i < shown; i++) {
        bool apart = i && (!l[i].row || (headed && l[i].group != l[i - 1].group));

        if (apart)
            putc('\n', out);
        if (l[i].row)
            print_option(l[i].row, out);
        else
            fprintf(out, "%*s%s\n", HEADING_AT, "", l[i].heading);
        headed |= !l[i].row;
    }
    free(l);
}

void print_help(const struct verb *verb, const struct listed *rows, unsigned n)
{
    size_t lead = strcspn(verb->doc, "\v");
    struct usage u;
    char *text = NULL;
    size_t size;
    FILE *out;

    begin_usage(&u, stdout);
    put_item(&u, "[OPTION...]", RIGHT);
    end_usage(&u, verb);
    out = must(fsd_memory_open(&text, &size));
    fprintf(out, "%.*s\n\n", (int)lead, verb->doc);
    must(fclose(out) ? NULL : text);
    put_wrapped(stdout, 0, 0, text);
    free(text);
    print_options(rows, n, stdout);
    out = must(fsd_memory_open(&text, &size));
    fputs("\nMandatory or optional arguments to long options are also mandatory or "
          "optional for any corresponding short options.\n\n",
          out);
    print_below_options(verb, verb->doc[lead] ? verb->doc + lead + 1 : NULL, out);
    must(fclose(out) ? NULL : text);
    put_wrapped(stdout, 0, 0, text);
    free(text);
}
