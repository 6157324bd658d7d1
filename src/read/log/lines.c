/*
 * Removes the prefixes of lines.  Logs have these prefixes; "stamp" is a date and time:
 *
 *     [stamp] [V] [TRT] text                    trtexec; the stamp may be doubled
 *     [stamp] [TRT] [V] text                    the Python logger
 *     [TensorRT] VERBOSE: text                  Python up to TensorRT 7
 *     [V] text                                  polygraphy (colored), RTX
 *     [TRT]    text                             jetson-inference
 *     DEBUG: [Torch-TensorRT - Debug Build] - text    Torch-TensorRT in C++
 *     DEBUG:torch_tensorrt [TensorRT Conversion Context]:text  Torch-TensorRT in Python
 *     stamp [V:onnxruntime:x, y.h:82 log] [stamp VERBOSE] text   ONNX Runtime
 *     stamp [V] text                            runners that stamp each line
 *     [TensorRT] VERBOSE: ModelImporter.cpp:103: text    the parser up to TensorRT 7
 *
 * A prefix consists of pieces, such as a stamp, a severity or the name of the writer.
 * Pieces are removed from the front of the line until the next text is no piece.  A
 * text such as "[1,6] (# 0 ..)" only begins like a piece and stays.
 *
 * Nearly all lines of a large log have the first form.  The positions of the brackets
 * show this form, so its prefix is removed in one step.  If another program wrote a
 * text of its own before the prefix, wrapper.c removes this text.
 */
#include "read/log/log.h"

#include "base/base.h"

enum {
    STAMP = 22,             /* the length of "[MM/DD/YYYY-HH:MM:SS] " */
    FULL = STAMP + 10,      /* the length of "[MM/DD/YYYY-HH:MM:SS] [V] [TRT] " */
    PIECES = 64,            /* the maximum number of pieces that are removed from a
                               line */
    LONGEST_PIECE = 1 << 8, /* bytes; a longer text in brackets is no piece */
    AHEAD = 1 << 16         /* the size of the part of the file that
                               look_ahead() searches, in bytes */
};

struct prefix {
    struct fsd_slice t; /* the line without the pieces that are already removed */
    char severity;
    unsigned pieces; /* the number of removed pieces; the prefix of another program
                        is not counted */
    bool trt, session;
    bool own; /* one of the removed pieces can only come from TensorRT or ONNX
                 Runtime */
};

/* Removes a piece of n bytes from the front, and one blank after it.  Further blanks
 * belong to the text, because they indent the lines of lists. */
static bool take(struct prefix *p, size_t n)
{
    p->t = fsd_slice_from(p->t, n);
    fsd_slice_take(&p->t, " ");
    p->pieces++;
    return true;
}

/* --------------------------------------------------------------------- pieces */

/* Returns the length of a severity at the front, such as "VERBOSE" or "DEBUG"; 0 if
 * there is none. */
static size_t severity_word(struct fsd_slice t, char *severity)
{
    static const struct {
        const char *word;
        char severity;
    } words[] = {{"VERBOSE", 'V'},        {"DEBUG", 'V'},   {"TRACE", 'V'},
                 {"INFO", 'I'},           {"WARNING", 'W'}, {"WARN", 'W'},
                 {"INTERNAL_ERROR", 'F'}, {"ERROR", 'E'},   {"FATAL", 'F'},
                 {"CRITICAL", 'F'}};

    for (size_t i = 0; i < FSD_COUNT_OF(words); i++)
        if (fsd_slice_begins(t, words[i].word)) {
            *severity = words[i].severity;
            return strlen(words[i].word);
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

/* Returns the length of a date and time, or of a time alone: groups of digits with '/',
 * '-', ':', '.', ',', 'T' and 'Z'. */
static size_t stamp(struct fsd_slice t)
{
    size_t i = 0, colons = 0;

    while (i < t.n && i < 40 &&
           (fsd_is_digit(t.s[i]) || strchr("/-:.,+TZ ", t.s[i] ? t.s[i] : '!'))) {
        if (t.s[i] == ' ' && (i + 1 == t.n || !fsd_is_digit(t.s[i + 1])))
            break;
        colons += t.s[i++] == ':';
    }
    return i >= 8 && fsd_is_digit(t.s[0]) && fsd_is_digit(t.s[1]) && colons >= 2 ? i
                                                                                 : 0;
}

/* Removes a text in brackets if it is a stamp; in ONNX Runtime's logs, a severity may
 * follow the stamp. */
static bool take_stamp(struct prefix *p, struct fsd_slice inside)
{
    size_t n = stamp(inside);
    struct fsd_slice rest = fsd_slice_trim(fsd_slice_from(inside, n));
    char severity = p->severity;

    if (!n || (rest.n && !severity_word(rest, &severity)))
        return false;
    p->severity = severity;
    p->session &= !rest.n; /* if a severity follows the stamp, the builder wrote
                              the message, not the ONNX Runtime session */
    return take(p, inside.n + 2);
}

/* Removes the name of the writer: "[TRT]", "[TensorRT]", "[Torch-TensorRT TorchScript
 * Conversion Context] -".  A line like "[TensorRT-Cookbook] Version" is a user's own
 * line, whose text stays. */
static bool take_writer(struct prefix *p, struct fsd_slice inside, bool first)
{
    if (!fsd_slice_is(inside, "TRT") && !fsd_slice_is(inside, "TensorRT") &&
        !fsd_slice_begins(inside, "TensorRT ") &&
        !fsd_slice_begins(inside, "Torch-TensorRT") &&
        !fsd_slice_begins(inside, "TRTorch "))
        return false;
    p->trt = p->own = true;
    p->session = false;
    take(p, inside.n + 2);
    if (fsd_slice_begins(p->t, "- ") || fsd_slice_begins(p->t, ":"))
        take(p, 1);
    if (first)
        fsd_slice_skip(&p->t, " "); /* jetson-inference aligns the text */
    return true;
}

/* Removes a severity in brackets: "[V]", "[INFO]", "[INFO ]", "[V:onnxruntime:...]". */
static bool take_severity(struct prefix *p, struct fsd_slice inside)
{
    char severity = inside.n ? severity_letter(*inside.s) : 0;
    bool session = fsd_slice_begins(fsd_slice_from(inside, 1), ":onnxruntime");
    struct fsd_slice word = inside;

    while (fsd_slice_drop(&word, " "))
        ;
    if (inside.n != 1 && !session &&
        (!word.n || severity_word(word, &severity) != word.n))
        return false;
    if (!severity)
        return false;
    p->severity = severity;
    p->session |= session;
    p->own |= session || inside.n == 1;
    return take(p, inside.n + 2);
}

/* Removes a severity without brackets: "VERBOSE: ", "DEBUG:torch_tensorrt [TensorRT
 * Conversion Context]:". */
static bool take_word(struct prefix *p)
{
    char severity = 0;
    size_t n = severity_word(p->t, &severity);

    if (!n || n >= p->t.n || p->t.s[n] != ':')
        return false;
    p->severity = severity;
    take(p, n + 1);
    if (fsd_slice_begins(p->t, "torch_tensorrt")) {
        for (n = 0; n < p->t.n && n < LONGEST_PIECE && !strchr(" :", p->t.s[n]);)
            n++;
        p->trt = true;
        take(p, n + (n < p->t.n && p->t.s[n] == ':'));
    }
    return true;
}

/* Removes a color: "\x1b[0;36m". */
static bool take_color(struct prefix *p)
{
    size_t i = 2;

    if (p->t.n < 3 || p->t.s[1] != '[')
        return false;
    while (i < p->t.n && (fsd_is_digit(p->t.s[i]) || p->t.s[i] == ';'))
        i++;
    if (i == p->t.n || p->t.s[i] != 'm')
        return false;
    p->t = fsd_slice_from(p->t, i + 1);
    return true;
}

static bool take_piece(struct prefix *p, bool first)
{
    struct fsd_slice inside;
    const char *close;
    size_t end;

    switch (*p->t.s) {
    case '[':
        end = p->t.n < LONGEST_PIECE ? p->t.n : LONGEST_PIECE;
        close = memchr(p->t.s, ']', end);
        if (!close)
            return false;
        inside = (struct fsd_slice){p->t.s + 1, (size_t)(close - p->t.s) - 1};
        return take_severity(p, inside) || take_stamp(p, inside) ||
               take_writer(p, inside, first);
    case '\x1b':
        return take_color(p);
    default:
        if (!fsd_is_digit(*p->t.s))
            return *p->t.s >= 'A' && *p->t.s <= 'W' && take_word(p);
        end = stamp(p->t);
        return end && end < p->t.n && p->t.s[end] == ' ' && take(p, end + 1);
    }
}

/* ----------------------------------------------------------------- the line */

/* Removes a frequent prefix in one step.  trtexec writes the prefixes
 * "[MM/DD/YYYY-HH:MM:SS] [V] [TRT] " and "[..] [V] ".  TensorRT's Python module writes
 * "[..] [TRT] [V] ". */
static bool take_usual(struct prefix *p)
{
    enum { WRITER = 6 };
    const char *s = p->t.s;
    size_t at = STAMP; /* the offset of the severity */

    if (p->t.n < STAMP + WRITER + 4 || s[0] != '[' || s[3] != '/' || s[20] != ']')
        return false;
    p->trt = !memcmp(s + at, "[TRT] ", WRITER);
    at += p->trt ? WRITER : 0;
    p->severity = s[at] == '[' && s[at + 2] == ']' && s[at + 3] == ' '
                      ? severity_letter(s[at + 1])
                      : 0;
    if (!p->severity) {
        p->trt = false;
        return false;
    }
    at += 4;
    if (!p->trt && p->t.n - at >= WRITER && !memcmp(s + at, "[TRT] ", WRITER)) {
        p->trt = true;
        at += WRITER;
    }
    p->t = fsd_slice_from(p->t, at);
    p->pieces = 2 + p->trt;
    return p->t.n && *p->t.s != '[';
}

/* Removes the prefix if it is equal to the last full prefix.  This is frequent: many
 * lines of one second differ only in their texts. */
static bool take_repeated(const struct fsd_log_lines *lines, struct prefix *p)
{
    const char *s = p->t.s;

    if (!lines->full || p->t.n <= FULL || s[FULL] == '[' ||
        memcmp(s, lines->full, FULL) != 0)
        return false;
    p->t = fsd_slice_from(p->t, FULL);
    p->severity = lines->severity;
    p->trt = true;
    p->pieces = 3;
    return true;
}

/* Removes the prefix if it has the form that nearly all lines of a large log have. */
static bool take_whole(struct fsd_log_lines *lines, struct prefix *p)
{
    const char *s = p->t.s;

    if (take_repeated(lines, p))
        return true;
    if (!take_usual(p))
        return false;
    if (p->trt && p->t.s == s + FULL) {
        lines->full = s;
        lines->severity = p->severity;
    }
    return true;
}

/* Removes the source file and the line of the parser's code that wrote the message:
 * "ModelImporter.cpp:103: ", "ImporterContext.hpp:141: ". */
static void take_source(struct prefix *p)
{
    static const char *const kinds[] = {".cpp:", ".hpp:", ".h:", ".cu:"};
    struct fsd_slice t = p->t;
    uint64_t line;

    /* A quick test: nine of ten lines in a verbose log have no source file, because
     * they begin with "Tactic", or do not begin with a word. */
    if (fsd_slice_begins(t, "Tactic") || !fsd_slice_take_word(&t).n)
        return;
    for (size_t i = 0; i < FSD_COUNT_OF(kinds); i++)
        if (fsd_slice_take(&t, kinds[i])) {
            if (fsd_slice_take_number(&t, UINT64_MAX, &line) && fsd_slice_take(&t, ":"))
                take(p, p->t.n - t.n);
            return;
        }
}

struct fsd_log_lines fsd_log_lines(const struct fsd_file *file)
{
    return (struct fsd_log_lines){.file = file, .end = file->size, .grows = true};
}

/* Waits for more bytes of a file that a thread is still decompressing.  Returns false
 * if the file is complete. */
static bool reach_on(struct fsd_log_lines *lines)
{
    size_t end = lines->end;

    if (lines->grows)
        lines->end = fsd_file_reach(lines->file, end);
    return lines->end > end;
}

/* Returns the end of the line; NULL if the file ends without a newline. */
static const char *find_stop(struct fsd_log_lines *lines)
{
    const char *bytes = (const char *)lines->file->bytes, *stop;
    size_t at = lines->at;

    while (!(stop = memchr(bytes + at, '\n', lines->end - at))) {
        at = lines->end;
        if (!reach_on(lines))
            return NULL;
    }
    return stop;
}

/* Returns the time stamp at the beginning of a line whose text begins at `text`; NULL
 * if there is none. */
static const char *stamp_at(const char *line, const char *text)
{
    return text - line >= STAMP && line[0] == '[' && line[3] == '/' &&
                   line[20] == ']' && line[14] == ':' && line[17] == ':'
               ? line
               : NULL;
}

static void take_pieces(struct prefix *p)
{
    for (unsigned taken = 0; taken < PIECES && p->t.n; taken++)
        if (!take_piece(p, !taken))
            break;
}

/* Searches the first lines of the log for a prefix of another program.  If TensorRT's
 * own words stand within a line, the text before them is such a prefix.  The first line
 * may be a title without these words, so further lines are searched, too. */
static void look_ahead(struct fsd_log_lines *lines)
{
    struct fsd_log_lines ahead = *lines;
    struct fsd_log_line line;

    ahead.wrapper.looked = true;
    while (ahead.at < AHEAD && !ahead.wrapper.n && fsd_log_next(&ahead, &line) &&
           !line.severity && !line.trt)
        ;
    lines->wrapper = ahead.wrapper;
}

bool fsd_log_next(struct fsd_log_lines *lines, struct fsd_log_line *out)
{
    const char *s = (const char *)lines->file->bytes + lines->at, *stop;
    struct prefix p = {.severity = 0};
    const char *begin; /* the beginning of the line; if another program added a
                          prefix, the position after that prefix */
    size_t wrapped = 0;

    if (lines->at >= lines->end && !reach_on(lines))
        return false;
    if (!lines->wrapper.looked)
        look_ahead(lines);
    fsd_file_release_behind(lines->file, lines->at, &lines->released);
    stop = find_stop(lines);
    p.t = (struct fsd_slice){s, stop ? (size_t)(stop - s) : lines->end - lines->at};
    lines->at += p.t.n + 1;
    while (fsd_slice_drop(&p.t, "\r"))
        ;
    fsd_slice_drop(&p.t, "\x1b[0m");
    if (!take_whole(lines, &p)) {
        take_pieces(&p);
        wrapped = p.own ? 0 : fsd_log_unwrap(&lines->wrapper, p.t, &p.severity);
        p.t = fsd_slice_from(p.t, wrapped);
    }
    begin = wrapped ? p.t.s : s;
    if (wrapped) {
        p.pieces = 0;
        take_pieces(&p);
    }
    if (p.trt || p.severity)
        take_source(&p);
    *out =
        (struct fsd_log_line){.text = p.t,
                              .number = ++lines->number,
                              .at = (size_t)(p.t.s - (const char *)lines->file->bytes),
                              .stamp = stamp_at(s, p.t.s),
                              .severity = p.severity,
                              .pieces = p.pieces,
                              .prefixed = p.t.s != begin,
                              .trt = p.trt,
                              .session = p.session};
    return true;
}
