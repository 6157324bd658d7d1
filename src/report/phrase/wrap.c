/*
 * Breaks long lines of a text to a width:
 *
 *     info    precision/wider  Conv_13 was requested in int8 and runs in fp16: no ...
 *     info    precision/wider  Conv_13 was requested in
 *         int8 and runs in fp16: no ...
 *
 * Lines break between words. If a line begins with a topic, it continues below the text
 * after the topic; otherwise it continues with a larger indentation. A word that is
 * longer than a line is a name; some parts of its path are left out.
 */
#include "base/base.h"
#include "report/phrase/ink.h"

enum { LINE_HANG = 4, TOPIC = 12, LEAST_WORD = 8 };

/* The number of columns of a text, without color codes. */
static size_t columns_of(char *s)
{
    size_t n = 0;
    char *code;

    while ((code = strstr(s, "\033["))) {
        *code = '\0';
        n += fsd_safe_width(s);
        *code = '\033';
        s = code + strcspn(code, "m");
        s += *s == 'm';
    }
    return n + fsd_safe_width(s);
}

/* The length of the unit of measurement at the front of the text; 0 if the text begins
 * with no unit. */
static size_t unit_length(const char *s)
{
    static const char *const units[] = {"%",  "ms", "B", "kB",   "MB",    "GB",
                                        "TB", "M",  "G", "GB/s", "GOP/s", "TOP/s"};
    size_t n = strcspn(s, " ,;:.)");

    for (size_t i = 0; i < FSD_COUNT_OF(units); i++)
        if (strlen(units[i]) == n && !strncmp(s, units[i], n))
            return strcspn(s, " ");
    return 0;
}

/* The end of a word. A number and its unit count as one word, so that no line break
 * separates them. */
static char *word_end(char *word)
{
    char *end = word + strcspn(word, " ");

    if (end > word && *end && strchr("0123456789", end[-1]))
        end += unit_length(end + 1) ? 1 + unit_length(end + 1) : 0;
    return end;
}

/* The column at which a broken line continues. If the line begins with a topic such as
 * "to do    ", this is the column of the text after the topic. */
static size_t hang_of(const char *line)
{
    for (size_t i = 2; *line != ' ' && i <= TOPIC && line[i - 1] && line[i]; i++)
        if (line[i - 2] == ' ' && line[i - 1] == ' ' && line[i] != ' ')
            return i;
    return strspn(line, " ") + LINE_HANG;
}

static void put_line(FILE *out, char *line, size_t width)
{
    size_t hang = hang_of(line), used = 0;
    bool fresh = true;

    if (strlen(line) <= width || columns_of(line) <= width) {
        fputs(line, out);
        return;
    }
    hang = hang < width / 2 ? hang : width / 2;
    for (size_t gap = strspn(line, " "); line[gap]; gap = strspn(line, " ")) {
        char *word = line + gap, *end = word_end(word), kept = *end;
        size_t wide;

        *end = '\0';
        wide = columns_of(word);
        if (!fresh && used + gap + wide > width) {
            putc('\n', out);
            used = 0;
            gap = hang;
        }
        fprintf(out, "%*s", (int)gap, "");
        used += gap;
        if (used + wide <= width || used + LEAST_WORD > width || strchr(word, '\033')) {
            fputs(word, out);
            used += wide;
        } else {
            used += fsd_put_fitted(out, word, width - used);
        }
        fresh = false;
        *end = kept;
        line = end;
    }
}

void fsd_put_wrapped(FILE *out, char *lines, size_t width)
{
    while (*lines) {
        char *end = lines + strcspn(lines, "\n"), kept = *end;

        *end = '\0';
        put_line(out, lines, width);
        *end = kept;
        lines = end;
        if (kept)
            putc(*lines++, out);
    }
}
