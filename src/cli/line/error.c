/*
 * Prints usage errors, which end the program, and breaks lines at blanks in the way of
 * GNU's argp, because the texts of --help were written for argp.
 */
#include "cli/line/line.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void put_blanks(FILE *out, size_t n)
{
    while (n--)
        putc(' ', out);
}

/* Returns the length of the first line of a text. The line ends before the last blank
 * that leaves it at most `room` characters. If there is no such blank, the first word
 * is too long: the line then is this word.
 * @param[out] next the beginning of the next line */
static size_t find_break(const char *text, size_t n, size_t room, size_t *next)
{
    size_t end = room;

    while (end && !isblank((unsigned char)text[end]))
        end--;
    if (isblank((unsigned char)text[end])) {
        *next = end + 1;
        while (end && isblank((unsigned char)text[end - 1]))
            end--;
        return end;
    }
    end = room;
    while (end < n && !isblank((unsigned char)text[end]))
        end++;
    *next = end + strspn(text + end, " \t");
    return end;
}

void put_wrapped(FILE *out, size_t column, size_t indent, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n"), next = n + (text[n] == '\n'), end = n;
        bool ends = text[n] == '\n';

        if (n && !column) {
            put_blanks(out, indent);
            column = indent;
        }
        if (column + n >= LINE_COLUMNS) {
            end = find_break(text, n, LINE_COLUMNS - column, &next);
            ends = end < n || ends;
            next += end == n && text[next] == '\n';
        }
        fwrite(text, 1, end, out);
        column = 0;
        if (ends)
            putc('\n', out);
        text += next;
    }
}

static const char *program = "fusiondiff";

void name_program(const char *name)
{
    program = name;
}

const char *program_name(void)
{
    return program;
}

void end_usage_error(void)
{
    char text[512];

    snprintf(text, sizeof text,
             "Try `%s --help' or `%s --usage' for more information.\n", program,
             program);
    put_wrapped(stderr, 0, 0, text);
    exit(TROUBLE);
}

void usage_error(const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s: ", program);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs("\n", stderr);
    end_usage_error();
}
