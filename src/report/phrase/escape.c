/*
 * Each format has one escaping function. Names come from the model and may be hostile,
 * so each function first applies fsd_put_safe(). put_markdown() prints a numeric
 * reference for every character that is not known to be harmless. It has no list of the
 * characters that are markup: dialects differ, and new versions add markup.
 */
#include "report/phrase/escape.h"
#include "base/base.h"
#include "base/plain.h"

#include <ctype.h>
#include <stdlib.h>

/* Prints byte i of `s`, or its replacement. */
typedef void put_fn(FILE *out, const char *s, size_t i);

static void put_all(FILE *out, const char *s, put_fn *put)
{
    struct fsd_print safe = {.text = NULL};
    size_t n = strlen(s);

    if (fsd_plain_run(s, n) < n) {
        fsd_put_safe(fsd_print_open(&safe), s);
        fsd_print_close(&safe);
        s = safe.text;
        n = safe.size;
    }
    for (size_t i = 0; i < n; i++)
        put(out, s, i);
    free(safe.text);
}

static void put_xml(FILE *out, const char *s, size_t i)
{
    static const char specials[] = "&<>\"'";
    static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
    const char *special = strchr(specials, s[i]);

    if (special)
        fputs(names[special - specials], out);
    else
        putc(s[i], out);
}

void fsd_put_xml(FILE *out, const char *s)
{
    put_all(out, s, put_xml);
}

static bool is_between(const char *s, size_t i, int (*is)(int))
{
    return i && is((unsigned char)s[i - 1]) && is((unsigned char)s[i + 1]);
}

/* Markdown renderers show a numeric reference as text, never as markup. An underscore
 * within a word and a point within a number are never markup. They stay unchanged, so
 * that the Markdown source is readable. */
static void put_markdown(FILE *out, const char *s, size_t i)
{
    unsigned char c = (unsigned char)s[i];
    bool plain = isalnum(c) || c >= 0x80 || c == ' ' || c == ',' || c == ';' ||
                 (c == '_' && is_between(s, i, isalnum)) ||
                 (c == '.' && is_between(s, i, isdigit)) || (c == '/' && i) ||
                 ((c == '+' || c == '-') && is_between(s, i, isspace));

    /* Renderers turn an e-mail address into a link, even in <code> and even if it
     * consists of numeric references. They search each run of text for addresses. An
     * HTML comment splits the run in two and so prevents the link. */
    if (c == '@' && i &&
        (isalnum((unsigned char)s[i - 1]) || strchr(".+-_", s[i - 1])) &&
        strchr(s + i, '.'))
        fputs("<!---->", out);
    if (plain)
        putc(c, out);
    else
        fprintf(out, "&#%u;", (unsigned)c);
}

void fsd_put_markdown(FILE *out, const char *s)
{
    put_all(out, s, put_markdown);
}

/* Whether byte `i` can occur in the program's own sentences. Such sentences contain no
 * markup, no address, no mention, and no reference such as GH-12, &12 or %12. */
static bool is_ours(const char *s, size_t i)
{
    const unsigned char *u = (const unsigned char *)s;

    if (isalnum(u[i]))
        return strncmp(s + i, "www.", 4) != 0;
    if (s[i] == ':')
        return !s[i + 1] || s[i + 1] == ' ';
    if (s[i] == '-')
        return !i || !(isalpha(u[i - 1]) && isdigit(u[i + 1]));
    if (s[i] == '>')
        return i && s[i - 1] == '-';
    if (s[i] == '%')
        return !isalnum(u[i + 1]);
    return strchr(" ,.;()'+/=", s[i]) != NULL;
}

/* Whether the text outside of backquotes can be a sentence of the program. If not, an
 * input may have chosen some of it. */
static bool is_own_prose(const char *s)
{
    bool quoted = false;

    for (size_t i = 0; s[i]; i++)
        if (s[i] == '`')
            quoted = !quoted;
        else if (!quoted && !is_ours(s, i))
            return false;
    return !quoted;
}

static void put_part(FILE *out, const char *s, size_t n, bool code)
{
    struct fsd_print part;

    fwrite(s, 1, n, fsd_print_open(&part));
    fsd_print_close(&part);
    fputs(code ? "<code>" : "", out);
    fsd_put_markdown(out, part.text);
    fputs(code ? "</code>" : "", out);
    free(part.text);
}

void fsd_put_markdown_sentence(FILE *out, const char *s)
{
    if (!is_own_prose(s)) {
        put_part(out, s, strlen(s), true);
        return;
    }
    for (bool code = false; *s; code = !code) {
        size_t n = strcspn(s, "`");

        put_part(out, s, n, code);
        s += n + (s[n] == '`');
    }
}

static void put_csv(FILE *out, const char *s, size_t i)
{
    if (s[i] == '"')
        putc('"', out);
    putc(s[i], out);
}

/* Whether a spreadsheet may read the text as a formula. Spreadsheets skip leading
 * blanks, and accept full-width forms of the signs that begin a formula. */
static bool begins_formula(const char *s)
{
    static const char *const blanks[] = {" ", "\xc2\xa0", "\xe3\x80\x80"};
    static const char *const signs[] = {"=",
                                        "+",
                                        "-",
                                        "@",
                                        "\xef\xbc\x9d",  /* full-width = */
                                        "\xef\xbc\x8b",  /* + */
                                        "\xef\xbc\x8d",  /* - */
                                        "\xef\xbc\xa0"}; /* @ */
    size_t i = 0;

    while (i < FSD_COUNT_OF(blanks))
        if (!strncmp(s, blanks[i], strlen(blanks[i]))) {
            s += strlen(blanks[i]);
            i = 0;
        } else {
            i++;
        }
    for (i = 0; i < FSD_COUNT_OF(signs); i++)
        if (!strncmp(s, signs[i], strlen(signs[i])))
            return true;
    return false;
}

void fsd_put_csv(FILE *out, const char *s)
{
    bool quoted = strpbrk(s, "\",\n\r") || *s == ' ' || *s == ':';

    if (quoted)
        putc('"', out);
    if (begins_formula(s))
        putc('\'', out);
    put_all(out, s, put_csv);
    if (quoted)
        putc('"', out);
}

static void put_github(FILE *out, const char *s, size_t i)
{
    if (s[i] == '%')
        fputs("%25", out);
    else
        putc(s[i], out);
}

void fsd_put_github(FILE *out, const char *s)
{
    put_all(out, s, put_github);
}

static void put_github_property(FILE *out, const char *s, size_t i)
{
    if (strchr("%:,", s[i]))
        fprintf(out, "%%%02X", (unsigned)(unsigned char)s[i]);
    else
        putc(s[i], out);
}

void fsd_put_github_property(FILE *out, const char *s)
{
    put_all(out, s, put_github_property);
}

static void put_uri(FILE *out, const char *s, size_t i)
{
    unsigned char c = (unsigned char)s[i];

    if (c < 0x80 && (isalnum(c) || strchr("-._~/", c)))
        putc(c, out);
    else
        fprintf(out, "%%%02X", (unsigned)c);
}

void fsd_put_uri(FILE *out, const char *s)
{
    put_all(out, s, put_uri);
}
