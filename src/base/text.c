/*
 * Functions for UTF-8, and functions that print text of unknown origin.  A name in a
 * model may contain terminal escapes, right-to-left marks or a workflow command
 * ("::error::"), so all text is printed by one of the functions here.  Nearly all text
 * is plain ASCII, which fsd_plain_run() skips quickly.  Widths are numbers of terminal
 * columns, not of bytes, and no name is cut within a character.
 */
#include "base/base.h"
#include "base/lines.h"
#include "base/plain.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <utf8proc.h>

/* utf8proc rejects overlong forms, surrogates, and codes above U+10FFFF. */
size_t fsd_utf8_len(const unsigned char *s, size_t n)
{
    utf8proc_int32_t code;
    utf8proc_ssize_t len;

    if (!n || s[0] < 0x80)
        return n > 0;
    len = utf8proc_iterate(s, n < 4 ? (utf8proc_ssize_t)n : 4, &code);
    return len > 0 ? (size_t)len : 0;
}

uint32_t fsd_utf8_code(const unsigned char *s, size_t len)
{
    utf8proc_int32_t code;

    utf8proc_iterate(s, (utf8proc_ssize_t)len, &code);
    return (uint32_t)code;
}

size_t fsd_utf8_put(uint32_t code, char out[4])
{
    if (code > INT32_MAX || !utf8proc_codepoint_valid((utf8proc_int32_t)code))
        return 0;
    return (size_t)utf8proc_encode_char((utf8proc_int32_t)code,
                                        (utf8proc_uint8_t *)out);
}

bool fsd_code_is_hidden(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) ||
           (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2060 && code <= 0x206f) || code == 0xfeff || code == 0x061c ||
           (code >= 0xfff9 && code <= 0xfffb) || (code >= 0xe0000 && code <= 0xe007f) ||
           (code & 0xfffe) == 0xfffe;
}

/* Does not call strlen(), which would read a long name to its end. */
const char *fsd_brief(const char *name, char room[FSD_BRIEF_ROOM])
{
    size_t n = FSD_BRIEF;

    if (strnlen(name, n + 1) <= n)
        return name;
    while (n && ((unsigned char)name[n] & 0xc0) == 0x80)
        n--; /* does not cut within a character */
    snprintf(room, FSD_BRIEF_ROOM, "%.*s...", (int)n, name);
    return room;
}

/* Removes one character from the front of `*s`, and returns its code point.  `*len`
 * receives its length in bytes.  A byte that is not valid UTF-8 counts as one
 * character. */
static uint32_t take_code(const char **s, size_t *left, size_t *len)
{
    const unsigned char *at = (const unsigned char *)*s;
    uint32_t code;

    *len = fsd_utf8_len(at, *left);
    code = *len ? fsd_utf8_code(at, *len) : *at;
    *len += !*len;
    *s += *len;
    *left -= *len;
    return code;
}

/* Returns the number of columns that a character takes on a terminal: none for a
 * combining mark, two for an East Asian wide character, one for a code that Unicode has
 * not assigned yet. */
static size_t columns_of(uint32_t code)
{
    if (fsd_code_is_hidden(code))
        return (size_t)snprintf(NULL, 0, "\\u{%x}", (unsigned)code);
    if (code < 0x300 ||
        utf8proc_category((utf8proc_int32_t)code) == UTF8PROC_CATEGORY_CN)
        return 1;
    return (size_t)utf8proc_charwidth((utf8proc_int32_t)code);
}

size_t fsd_plain_run(const char *s, size_t n)
{
    size_t i = 0;
    uint64_t x;

    for (; n - i >= sizeof x; i += sizeof x) {
        memcpy(&x, s + i, sizeof x);
        if (fsd_is_any_odd(x))
            break;
    }
    while (i < n && fsd_is_plain(s[i]))
        i++;
    return i;
}

static void put_safe(FILE *out, const char *s, size_t n)
{
    while (n) {
        size_t len = fsd_plain_run(s, n);
        uint32_t code = (uint32_t)*s;

        if (len) {
            s += len;
            n -= len;
        } else {
            code = take_code(&s, &n, &len);
        }
        if (fsd_code_is_hidden(code))
            fprintf(out, "\\u{%x}", (unsigned)code);
        else
            fwrite(s - len, 1, len, out);
    }
}

void fsd_put_safe(FILE *out, const char *s)
{
    put_safe(out, s, strlen(s));
}

void fsd_printf_safe(FILE *out, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    for (const char *at; (at = strchr(format, '%')); format = at + 2) {
        fwrite(format, 1, (size_t)(at - format), out);
        /* NOLINTBEGIN(clang-analyzer-valist.Uninitialized): started above */
        if (at[1] == 's') {
            fsd_put_safe(out, va_arg(args, const char *));
        } else {
            assert(at[1] == 'u');
            fprintf(out, "%u", va_arg(args, unsigned));
        }
        /* NOLINTEND(clang-analyzer-valist.Uninitialized) */
    }
    va_end(args);
    fputs(format, out);
}

void fsd_put_safe_slice(FILE *out, struct fsd_slice t)
{
    put_safe(out, t.s, t.n);
}

size_t fsd_slice_width(struct fsd_slice t)
{
    size_t width = 0;

    for (size_t len; t.n;) {
        size_t run = fsd_plain_run(t.s, t.n);

        t = fsd_slice_from(t, run);
        width += run;
        if (t.n)
            width += columns_of(take_code(&t.s, &t.n, &len));
    }
    return width;
}

size_t fsd_safe_width(const char *s)
{
    return fsd_slice_width(fsd_slice_of(s));
}

size_t fsd_slice_front(struct fsd_slice t, size_t columns, size_t *used)
{
    const char *begin = t.s;
    size_t n = 0;

    *used = 0;
    for (size_t len; t.n; n = (size_t)(t.s - begin)) {
        const size_t room = columns - *used;
        size_t run = fsd_plain_run(t.s, t.n < room ? t.n : room), wide;

        t = fsd_slice_from(t, run);
        *used += run;
        if (run)
            continue;
        wide = columns_of(take_code(&t.s, &t.n, &len));
        if (*used + wide > columns)
            break;
        *used += wide;
    }
    return n;
}

/* Returns the short JSON escape of a byte, such as "\n"; NULL if the byte has none. */
static const char *json_escape(unsigned char byte)
{
    static const char bytes[] = "\"\\\b\f\n\r\t";
    static const char *const escapes[] = {"\\\"", "\\\\", "\\b", "\\f",
                                          "\\n",  "\\r",  "\\t"};
    const char *at = byte ? strchr(bytes, byte) : NULL;

    return at ? escapes[at - bytes] : NULL;
}

/* Some characters control a terminal (U+009B) or reverse the reading direction.  JSON
 * allows them in strings, but the function escapes them, too. */
size_t fsd_escape_json(struct fsd_slice *text, char *ready, size_t room)
{
    size_t n = 0, len;

    while (text->n && room - n >= FSD_JSON_ROOM) {
        const char *at = text->s, *escape;
        uint32_t code;

        len = fsd_plain_run(at, text->n < room - n ? text->n : room - n);
        memcpy(ready + n, at, len);
        n += len;
        *text = fsd_slice_from(*text, len);
        if (len)
            continue;
        escape = json_escape((unsigned char)*at);
        code = take_code(&text->s, &text->n, &len);
        if (escape) {
            n += (size_t)snprintf(ready + n, room - n, "%s", escape);
        } else if (!fsd_code_is_hidden(code)) {
            memcpy(ready + n, at, len);
            n += len;
        } else if (code < 0x10000) {
            n += (size_t)snprintf(ready + n, room - n, "\\u%04x", (unsigned)code);
        } else {
            n += (size_t)snprintf(ready + n, room - n, "\\u%04x\\u%04x",
                                  0xd7c0u + (unsigned)(code >> 10),
                                  0xdc00u + (unsigned)(code & 0x3ff));
        }
    }
    return n;
}

void fsd_put_scaled(int64_t n, const char *term, const char *unit, FILE *out)
{
    static const char prefixes[] = "kMGT";
    const char *prefix = prefixes;
    double value = (double)n / 1000;

    if (term) {
        fsd_put_safe(out, term);
        fputs(unit, out);
    } else if (n < 0) {
        fputs("-", out);
    } else if (n < 1000) {
        fprintf(out, "%" PRId64 "%s", n, unit);
    } else {
        for (; value >= 999.95 && prefix[1]; prefix++)
            value /= 1000;
        fprintf(out, "%.*f %c%s", value < 10 ? 2 : 1, value, *prefix,
                *unit ? unit + 1 : "");
    }
}

const char *fsd_digits(uint64_t number, char room[FSD_DIGITS])
{
    char *at = &room[FSD_DIGITS - 1];

    *at = '\0';
    do
        *--at = (char)('0' + number % 10);
    while (number /= 10);
    return at;
}

const char *fsd_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

void fsd_put_whole(FILE *out, int64_t number)
{
    char room[FSD_DIGITS];

    if (number < 0)
        putc('-', out);
    fputs(fsd_digits(number < 0 ? -(uint64_t)number : (uint64_t)number, room), out);
}

void fsd_put_noun(FILE *out, uint64_t n, const char *noun)
{
    fprintf(out, "%" PRIu64 " %s%s", n, noun, fsd_plural(n));
}

/* ------------------------------------------------------------ commands to runners */

/* Skips all characters outside ASCII.  A runner on .NET searches for commands by the
 * rules of a natural language (a .NET culture), and these rules ignore invisible
 * characters. */
static const char *skip_foreign(const char *s)
{
    while ((unsigned char)*s >= 0x80)
        s++;
    return s;
}

/* Whether a command such as "##[error]", "##vso[x]" or "##teamcity[x]" begins at
 * `s`. */
static bool is_bracket_command(const char *s)
{
    if (*s != '#' || *(s = skip_foreign(s + 1)) != '#')
        return false;
    do
        s = skip_foreign(s + 1);
    while (isalpha((unsigned char)*s));
    return *s == '[';
}

/* Skips blanks and the escape sequences of colors. */
static const char *skip_blanks(const char *s)
{
    const char *end;

    for (;;)
        if (*s == ' ' || (*s >= '\t' && *s <= '\r' && *s != '\n'))
            s++;
        else if ((unsigned char)*s >= 0x80)
            s = skip_foreign(s);
        else if (s[0] == '\033' && s[1] == '[' &&
                 *(end = s + 2 + strspn(s + 2, "0123456789;")) == 'm')
            s = end + 1;
        else
            return s;
}

static bool is_colon_command(const char *s)
{
    return *s == ':' && *skip_foreign(s + 1) == ':';
}

bool fsd_is_command(const char *line)
{
    if (is_colon_command(skip_blanks(line)))
        return true;
    while ((line = strchr(line, '#')))
        if (is_bracket_command(line++))
            return true;
    return false;
}

static const char *put_until(FILE *out, const char *from, const char *at,
                             const char *escape)
{
    fwrite(from, 1, (size_t)(at - from), out);
    fprintf(out, escape, (unsigned)(unsigned char)*at);
    return at + 1;
}

/* Returns the first ':' at or after `at` that begins a command; NULL if there is none.
 * Before the ':', its line may contain only blanks and color sequences. */
static const char *next_colon(const char *lines, const char *at)
{
    while (at && (at = strchr(at, ':'))) {
        const char *line = at;

        if (!is_colon_command(at)) {
            at++;
            continue;
        }
        while (line > lines && line[-1] != '\n')
            line--;
        if (skip_blanks(line) == at)
            return at;
        at = strchr(at, '\n'); /* other text is before the ':', so no command begins */
    }
    return NULL;
}

static const char *next_bracket(const char *at)
{
    while ((at = strchr(at, '#')) && !is_bracket_command(at))
        at++;
    return at;
}

void fsd_put_escaped(FILE *out, const char *lines, const char *escape, bool json)
{
    const char *from = lines, /* the text that is not printed yet */
        *colon = json ? NULL : next_colon(lines, lines), *bracket = next_bracket(lines);

    while (colon || bracket)
        if (colon && (!bracket || colon < bracket)) {
            from = put_until(out, from, colon, escape);
            colon = next_colon(lines, from);
        } else {
            from = put_until(out, from, bracket, escape);
            bracket = next_bracket(from);
        }
    fputs(from, out);
}

const char *fsd_base_name(const char *path)
{
    const char *slash = fsd_host_slash(path);

    return slash ? slash + 1 : path;
}

void fsd_put_shell_word(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_./=:,@%+-";

    if (*word && !word[strspn(word, plain)]) {
        fputs(word, out);
        return;
    }
    putc('\'', out);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, out);
    putc('\'', out);
}

bool fsd_list_has(const char *list, const char *word)
{
    size_t n = strchr(word, ' ') ? 0 : strlen(word);

    for (const char *at = n ? strstr(list, word) : NULL; at; at = strstr(at + n, word))
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return true;
    return false;
}
