/*
 * What stands before the text of a line, as really seen, "stamp" being a date and time:
 *
 *     [stamp] [V] [TRT] text                    trtexec; the stamp may be doubled
 *     [stamp] [TRT] [V] text                    the Python logger
 *     [TensorRT] VERBOSE: text                  Python up to TensorRT 7
 *     [V] text                                  polygraphy (coloured), RTX
 *     [TRT]    text                             jetson-inference
 *     DEBUG: [Torch-TensorRT - Debug Build] - text    Torch-TensorRT in C++
 *     DEBUG:torch_tensorrt [TensorRT Conversion Context]:text    and in Python
 *     stamp [V:onnxruntime:x, y.h:82 log] [stamp VERBOSE] text   ONNX Runtime
 *     stamp [V] text                            runners that stamp each line
 *     [TensorRT] VERBOSE: ModelImporter.cpp:103: text    the parser up to TensorRT 7
 *
 * They are made of a few pieces, which are taken off as long as one fits; text that
 * begins like a piece but is none ("[1,6] (# 0 ..)") stays.  The first form, nearly all
 * lines of a large log, is told by the places of its brackets.
 */
#include "log/lines.h"

#include <string.h>

enum {
    STAMP = 22,            /* "[MM/DD/YYYY-HH:MM:SS] " */
    RELEASE = 1 << 22,     /* pages are given back in steps of this */
    PIECES = 64,           /* so many of a line are taken off */
    LONGEST_PIECE = 1 << 8 /* a bracket that closes later than this is text */
};

struct prefix {
    const char *s;
    size_t n;
    char severity;
    bool trt;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* One blank belongs to a piece; more of them are the text's own, as in lists. */
static bool take(struct prefix *p, size_t n)
{
    n += n < p->n && p->s[n] == ' ';
    p->s += n;
    p->n -= n;
    return true;
}

static bool begins(const struct prefix *p, const char *word, size_t n)
{
    return p->n >= n && !memcmp(p->s, word, n);
}

/* --------------------------------------------------------------------- pieces */

/* "VERBOSE", "DEBUG", ...: its length, 0 when none stands there. */
static size_t severity_word(const char *s, size_t n, char *severity)
{
    static const struct {
        const char *word;
        char severity;
    } words[] = {{"VERBOSE", 'V'},        {"DEBUG", 'V'},   {"TRACE", 'V'},
                 {"INFO", 'I'},           {"WARNING", 'W'}, {"WARN", 'W'},
                 {"INTERNAL_ERROR", 'F'}, {"ERROR", 'E'},   {"FATAL", 'F'},
                 {"CRITICAL", 'F'}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t len = strlen(words[i].word);

        if (n >= len && !memcmp(s, words[i].word, len)) {
            *severity = words[i].severity;
            return len;
        }
    }
    return 0;
}

static char severity_letter(char c)
{
    switch (c) {
    case 'V':
    case 'I':
    case 'W':
    case 'E':
    case 'F':
        return c;
    case 'D': /* debug, extra verbose */
    case 'X':
        return 'V';
    case 'C': /* critical */
        return 'F';
    default:
        return 0;
    }
}

/* A date with a time, or a time: digits in groups, '/', '-', ':', '.', ',', 'T', 'Z'.
 */
static size_t stamp(const char *s, size_t n)
{
    size_t i = 0, colons = 0;

    while (i < n && i < 40 &&
           (is_digit(s[i]) || strchr("/-:.,+TZ ", s[i] ? s[i] : '!'))) {
        if (s[i] == ' ' && (i + 1 == n || !is_digit(s[i + 1])))
            break;
        colons += s[i++] == ':';
    }
    return i >= 8 && is_digit(s[0]) && is_digit(s[1]) && colons >= 2 ? i : 0;
}

static size_t bracket_end(const struct prefix *p)
{
    size_t most = p->n < LONGEST_PIECE ? p->n : LONGEST_PIECE;
    const char *close = memchr(p->s, ']', most);

    return close ? (size_t)(close - p->s) : 0;
}

/* What a bracket holds: a stamp, one with a severity (ONNX Runtime), or neither. */
static bool take_stamp(struct prefix *p, size_t end)
{
    size_t n = stamp(p->s + 1, end - 1);
    char severity = 0;

    if (!n)
        return false;
    while (n < end - 1 && p->s[1 + n] == ' ')
        n++;
    if (n < end - 1 && !severity_word(p->s + 1 + n, end - 1 - n, &severity))
        return false;
    if (severity)
        p->severity = severity;
    return take(p, end + 1);
}

/* "[TRT]", "[TensorRT]", "[Torch-TensorRT TorchScript Conversion Context] -"; but
 * "[TensorRT-Cookbook] Version" is a user's own line. */
static bool take_writer(struct prefix *p, size_t end, bool first)
{
    static const char *const writers[] = {"[TRT]", "[TensorRT]", "[TensorRT ",
                                          "[Torch-TensorRT"};
    size_t i = 0;

    while (i < sizeof writers / sizeof *writers &&
           !begins(p, writers[i], strlen(writers[i])))
        i++;
    if (i == sizeof writers / sizeof *writers)
        return false;
    p->trt = true;
    take(p, end + 1);
    if (begins(p, "- ", 2) || begins(p, ":", 1))
        take(p, 1);
    while (first && p->n && *p->s == ' ') /* jetson-inference */
        take(p, 0);
    return true;
}

/* "[V]", "[INFO]", "[V:onnxruntime:...]" */
static bool take_severity(struct prefix *p, size_t end)
{
    char severity = severity_letter(p->s[1]);

    if (end != 2 &&
        !(end > 13 && p->s[2] == ':' && !memcmp(p->s + 3, "onnxruntime", 11)) &&
        severity_word(p->s + 1, end - 1, &severity) != end - 1)
        return false;
    if (!severity)
        return false;
    p->severity = severity;
    return take(p, end + 1);
}

/* "VERBOSE: ", "DEBUG:torch_tensorrt [TensorRT Conversion Context]:" */
static bool take_word(struct prefix *p)
{
    static const char torch[] = "torch_tensorrt";
    char severity = 0;
    size_t n = severity_word(p->s, p->n, &severity);

    if (!n || n >= p->n || p->s[n] != ':')
        return false;
    p->severity = severity;
    take(p, n + 1);
    if (begins(p, torch, sizeof torch - 1)) {
        n = sizeof torch - 1;
        while (n < p->n && n < LONGEST_PIECE && p->s[n] != ' ' && p->s[n] != ':')
            n++;
        p->trt = true;
        take(p, n + (n < p->n && p->s[n] == ':'));
    }
    return true;
}

/* "\x1b[0;36m" */
static bool take_color(struct prefix *p)
{
    size_t i = 2;

    if (p->n < 3 || p->s[1] != '[')
        return false;
    while (i < p->n && (is_digit(p->s[i]) || p->s[i] == ';'))
        i++;
    if (i == p->n || p->s[i] != 'm')
        return false;
    p->s += i + 1;
    p->n -= i + 1;
    return true;
}

static bool take_piece(struct prefix *p, bool first)
{
    size_t end;

    if (!p->n)
        return false;
    if (*p->s == '[') {
        end = bracket_end(p);
        return end && (take_severity(p, end) || take_stamp(p, end) ||
                       take_writer(p, end, first));
    }
    if (*p->s == '\x1b')
        return take_color(p);
    if (is_digit(*p->s)) {
        end = stamp(p->s, p->n);
        return end && end < p->n && p->s[end] == ' ' && take(p, end + 1);
    }
    return *p->s >= 'A' && *p->s <= 'W' && take_word(p);
}

/* ----------------------------------------------------------------- the line */

/* "[MM/DD/YYYY-HH:MM:SS] [V] [TRT] " and "[..] [V] " */
static bool take_usual(struct prefix *p)
{
    const char *s = p->s;
    char severity;

    if (p->n < STAMP + 4 || s[0] != '[' || s[3] != '/' || s[20] != ']' ||
        s[STAMP] != '[' || s[STAMP + 2] != ']' || s[STAMP + 3] != ' ')
        return false;
    severity = severity_letter(s[STAMP + 1]);
    if (!severity)
        return false;
    p->severity = severity;
    p->s += STAMP + 4;
    p->n -= STAMP + 4;
    if (p->n >= 6 && !memcmp(p->s, "[TRT] ", 6)) {
        p->trt = true;
        p->s += 6;
        p->n -= 6;
    }
    return p->n && *p->s != '[';
}

/* Could a piece begin with this byte? */
static bool may_open(char c)
{
    return c == '[' || c == '\x1b' || is_digit(c) || (c >= 'A' && c <= 'W');
}

static bool is_word_char(char c)
{
    return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* "ModelImporter.cpp:103: ", "ImporterContext.hpp:141: ": where the writer stands in
 * its own source. */
static void take_source(struct prefix *p)
{
    static const char *const kinds[] = {".cpp:", ".hpp:", ".h:", ".cu:"};
    size_t at = 0, i = 0, digits;

    while (at < p->n && at < LONGEST_PIECE && is_word_char(p->s[at]))
        at++;
    if (!at || at == p->n || p->s[at] != '.')
        return;
    while (i < sizeof kinds / sizeof *kinds &&
           (p->n - at < strlen(kinds[i]) ||
            memcmp(p->s + at, kinds[i], strlen(kinds[i])) != 0))
        i++;
    if (i == sizeof kinds / sizeof *kinds)
        return;
    at += strlen(kinds[i]);
    for (digits = at; digits < p->n && is_digit(p->s[digits]);)
        digits++;
    if (digits > at && digits < p->n && p->s[digits] == ':')
        take(p, digits + 1);
}

static void strip(struct prefix *p)
{
    unsigned left = PIECES;
    bool usual = take_usual(p);

    while (!usual && left && p->n && may_open(*p->s) && take_piece(p, left == PIECES))
        left--;
    if (p->trt || p->severity)
        take_source(p);
}

static size_t trimmed(const char *s, size_t n)
{
    static const char reset[] = "\x1b[0m";

    while (n && s[n - 1] == '\r')
        n--;
    if (n >= sizeof reset - 1 &&
        !memcmp(s + n - (sizeof reset - 1), reset, sizeof reset - 1))
        n -= sizeof reset - 1;
    return n;
}

struct fsd_log_lines fsd_log_lines(const struct fsd_file *file)
{
    return (struct fsd_log_lines){.file = file, .end = file->size};
}

bool fsd_log_next(struct fsd_log_lines *lines, struct fsd_log_line *out)
{
    const char *s = (const char *)lines->file->bytes + lines->at, *stop;
    struct prefix p;
    size_t n;

    if (lines->at >= lines->end)
        return false;
    if (lines->at - lines->released > RELEASE) {
        fsd_file_release(lines->file, lines->at);
        lines->released = lines->at;
    }
    stop = memchr(s, '\n', lines->end - lines->at);
    n = stop ? (size_t)(stop - s) : lines->end - lines->at;
    lines->at += n + 1;
    p = (struct prefix){.s = s, .n = trimmed(s, n)};
    strip(&p);
    *out = (struct fsd_log_line){.text = p.s,
                                 .n = p.n,
                                 .number = ++lines->number,
                                 .at = (size_t)(p.s - (const char *)lines->file->bytes),
                                 .severity = p.severity,
                                 .prefixed = p.s != s,
                                 .trt = p.trt};
    return true;
}

bool fsd_log_starts(const struct fsd_log_line *line, const char *words)
{
    size_t n = strlen(words);

    return line->n >= n && !memcmp(line->text, words, n);
}
