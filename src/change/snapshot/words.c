/*
 * Splits the lines of a snapshot into words, and writes names so that they can be split
 * again.  People merge and review snapshots.  So names are quoted only where needed,
 * and CRLF is accepted.  An error states the line, the expected text and the text
 * found.  Control characters in names are escaped.  A raw one is refused, because an
 * invisible character would make two names look equal in a review.
 */
#include "change/snapshot/words.h"
#include "base/base.h"
#include "base/lines.h"
#include "base/plain.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

static const char hash_prefix[] = "xxh128:";

bool fsd_words_complain(struct words *w, const char *expected)
{
    bool nothing = w->word.kind == WORD_END || !w->word.text;
    const char *quote = nothing ? "" : "'";

    if (w->status == FSD_OK)
        w->status = fsd_fail(w->err, FSD_E_FORMAT, w->name, FSD_POS_LINE, w->line,
                             "expected %s, found %s%.80s%s", expected, quote,
                             nothing ? "the end of the line" : w->word.text, quote);
    return false;
}

/* ------------------------------------------------------------------------ words */

/* Decodes "u{hex}", the text after a backslash, and writes the character to `out` in
 * UTF-8.  Returns the number of bytes read; 0 if the text has another form. */
static size_t take_code(const char *at, const char *end, char *out, size_t *len)
{
    char digits[9] = "";
    size_t n = 0;
    unsigned long code;

    if (end - at < 4 || at[0] != 'u' || at[1] != '{')
        return 0;
    while (n < 8 && at + 2 + n < end && strchr("0123456789abcdef", at[2 + n]) &&
           at[2 + n])
        n++;
    if (!n || at + 2 + n >= end || at[2 + n] != '}')
        return 0;
    memcpy(digits, at + 2, n);
    code = strtoul(digits, NULL, 16);
    *len = code && code <= UINT32_MAX ? fsd_utf8_put((uint32_t)code, out) : 0;
    return *len ? n + 3 : 0;
}

static bool take_quoted(struct words *w, char *to)
{
    w->word.kind = WORD_QUOTED;
    for (w->at++; w->at < w->line_end && *w->at != '"'; w->at++) {
        size_t taken, len = 1;

        if (*w->at != '\\') {
            *to++ = *w->at;
            continue;
        }
        if (++w->at == w->line_end)
            break;
        if ((taken = take_code(w->at, w->line_end, to, &len)))
            w->at += taken - 1;
        else if (*w->at == '"' || *w->at == '\\')
            *to = *w->at;
        else {
            *to = '\0'; /* ends the text that the message prints: the buffer may still
                           have bytes of an earlier line */
            return fsd_words_complain(w, "\\\", \\\\ or \\u{...} in a name");
        }
        to += len;
    }
    *to++ = '\0';
    w->decoded_used = (size_t)(to - w->decoded);
    if (w->at == w->line_end)
        return fsd_words_complain(w, "a closing '\"'");
    w->at++;
    return true;
}

static bool take_number_behind(struct words *w)
{
    uint64_t n = 0;
    const char *from;

    if (w->at == w->line_end || *w->at != '#')
        return true;
    from = ++w->at;
    while (w->at < w->line_end && *w->at >= '0' && *w->at <= '9' && n < UINT32_MAX)
        n = n * 10 + (uint64_t)(*w->at++ - '0');
    if (w->at == from || n > UINT32_MAX)
        return fsd_words_complain(w, "the number of an output after '#'");
    w->word.out = (uint32_t)n;
    return true;
}

bool fsd_words_next(struct words *w)
{
    char *to = w->decoded + w->decoded_used;

    w->word = (struct word){0};
    while (w->at < w->line_end && *w->at == ' ')
        w->at++;
    if (w->at < w->line_end && *w->at == '@') {
        w->word.port = true;
        w->at++;
    }
    if (w->at == w->line_end)
        return !w->word.port || fsd_words_complain(w, "a name after '@'");
    w->word.text = to;
    if (*w->at == '"') {
        if (!take_quoted(w, to))
            return false;
    } else {
        w->word.kind = strchr("<>:;=~-", *w->at) ? WORD_MARK : WORD_BARE;
        while (w->at < w->line_end && *w->at != ' ' && *w->at != '#')
            *to++ = *w->at++;
        *to++ = '\0';
        w->decoded_used = (size_t)(to - w->decoded);
    }
    if (!take_number_behind(w))
        return false;
    if (w->at < w->line_end && *w->at != ' ')
        return fsd_words_complain(w, "a space after a word");
    return true;
}

bool fsd_words_at_mark(const struct words *w, const char *mark)
{
    return w->word.kind == WORD_MARK && !strcmp(w->word.text, mark);
}

bool fsd_words_at_own(const struct words *w, const char *own)
{
    return w->word.kind == WORD_BARE && !strcmp(w->word.text, own);
}

bool fsd_words_at_name(const struct words *w)
{
    return w->word.kind == WORD_BARE || w->word.kind == WORD_QUOTED;
}

/* ------------------------------------------------------------------------ lines */

void fsd_words_rewind(struct words *w)
{
    w->next_line = w->begin;
    w->line = 0;
}

static bool next_line(struct words *w)
{
    const char *end;

    if (w->next_line == w->end)
        return false;
    w->at = w->line_begin = w->next_line;
    end = memchr(w->at, '\n', (size_t)(w->end - w->at));
    w->line_end = end ? end : w->end;
    w->next_line = end ? end + 1 : w->end;
    if (w->line_end > w->at && w->line_end[-1] == '\r')
        w->line_end--;
    w->line++;
    return true;
}

bool fsd_words_next_line(struct words *w)
{
    while (w->status == FSD_OK && next_line(w)) {
        /* One byte more than the line is enough.  A word does not grow when it is
         * decoded, and its terminating zero takes the place of the blank after it.
         * Only the last word may have no blank after it. */
        size_t need = (size_t)(w->line_end - w->at) + 1;

        w->decoded_used = 0;
        if (need > w->decoded_size) {
            w->decoded_size = need < w->decoded_size * 2 ? w->decoded_size * 2 : need;
            w->decoded = FSD_NEW(w->scratch, char, w->decoded_size);
        }
        /* Refuses control characters, which names have only in escaped form.  A zero
         * byte would cut off a name. */
        for (const char *at = w->at;
             (at += fsd_plain_run(at, (size_t)(w->line_end - at))) < w->line_end; at++)
            if ((unsigned char)*at < ' ' || *at == 0x7f) {
                w->word =
                    (struct word){.kind = WORD_BARE, .text = "a control character"};
                return fsd_words_complain(w, "text");
            }
        if (!fsd_words_next(w))
            return false;
        if (w->word.kind != WORD_END)
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------ numbers, hashes */

static bool take_number(struct words *w, uint64_t most, const char *expected,
                        uint64_t *out)
{
    const char *text = w->word.text;
    char *end = NULL;

    *out = 0;
    if (w->word.kind == WORD_BARE && *text >= '0' && *text <= '9')
        *out = strtoull(text, &end, 10);
    if (!end || *end || *out > most)
        return fsd_words_complain(w, expected);
    return fsd_words_next(w);
}

bool fsd_words_take_count(struct words *w, uint32_t *out)
{
    uint64_t n;
    bool taken = take_number(w, UINT32_MAX, "a count", &n);

    *out = (uint32_t)n;
    return taken;
}

bool fsd_words_take_amount(struct words *w, int64_t *out)
{
    uint64_t n;
    bool taken = take_number(w, INT64_MAX, "an amount", &n);

    *out = (int64_t)n;
    return taken;
}

bool fsd_words_take_spread(struct words *w, struct fsd_spread *out)
{
    double *const part[] = {&out->median, &out->low, &out->high};

    *out = FSD_SPREAD_NONE;
    if (!fsd_words_at_mark(w, "~"))
        return true;
    for (int i = 0; i < 3; i++) {
        char *end = NULL;

        if (!fsd_words_next(w))
            return false;
        if (w->word.kind == WORD_BARE)
            *part[i] = strtod(w->word.text, &end);
        if (!end || *end || !(*part[i] >= 0 && *part[i] < 1e12))
            return fsd_words_complain(w, "milliseconds");
    }
    return fsd_words_next(w);
}

/* The high half of the hash comes first, as in the output of xxhsum. */
bool fsd_words_take_hash(struct words *w, uint64_t out[2])
{
    static const char digits[] = "0123456789abcdef";
    const char *at = w->word.text;
    size_t prefix = strlen(hash_prefix);
    bool good = w->word.kind == WORD_BARE && strlen(at) == prefix + 32 &&
                !memcmp(at, hash_prefix, prefix) && strspn(at + prefix, digits) == 32;

    if (!good)
        return fsd_words_complain(w, "'xxh128:' and 32 hexadecimal digits");
    for (size_t i = 0; i < 32; i++)
        out[i < 16] =
            out[i < 16] << 4 | (uint64_t)(strchr(digits, at[prefix + i]) - digits);
    return fsd_words_next(w);
}

void fsd_words_hash_above(const struct words *w, uint64_t out[2])
{
    size_t size = (size_t)(w->line_begin - w->begin), n = 0;
    char *text = FSD_NEW(w->scratch, char, size);

    for (size_t i = 0; i < size; i++)
        if (w->begin[i] != '\r' || w->begin[i + 1] != '\n')
            text[n++] = w->begin[i];
    fsd_hash_128(text, n, out);
}

void fsd_put_hash(const uint64_t hash[2], FILE *out)
{
    fprintf(out, "%s%016" PRIx64 "%016" PRIx64, hash_prefix, hash[1], hash[0]);
}

/* ------------------------------------------------------------------------ names */

/* Whether a name can be written without quotes, because it cannot be confused with "-",
 * "@" or another mark. */
static bool is_bare(const char *s)
{
    if (!isalnum((unsigned char)*s) && (!*s || !strchr("_/", *s)))
        return false;
    while (isalnum((unsigned char)*s) || (*s && strchr("_/.,:+-", *s)))
        s++;
    return !*s;
}

/* The number of bytes at the beginning of the name that are printed without escapes.  A
 * "#" is escaped, so that no name is a workflow command of a CI system. */
static size_t verbatim(const char *name, size_t left)
{
    size_t n = fsd_plain_run(name, left);
    const char *hash = memchr(name, '#', n);

    return hash ? (size_t)(hash - name) : n;
}

void fsd_put_name(const char *name, FILE *out)
{
    if (is_bare(name)) {
        fputs(name, out);
        return;
    }
    putc('"', out);
    for (size_t left = strlen(name), len; left; name += len, left -= len) {
        const unsigned char *u = (const unsigned char *)name;
        uint32_t code;

        len = verbatim(name, left);
        if (len) {
            fwrite(name, 1, len, out);
            continue;
        }
        len = fsd_utf8_len(u, left);
        code = len ? fsd_utf8_code(u, len) : *u;
        len += !len;
        if (fsd_code_is_hidden(code) || (code == '#' && fsd_is_command(name))) {
            fprintf(out, "\\u{%x}", (unsigned)code);
            continue;
        }
        if (*name == '"' || *name == '\\')
            putc('\\', out);
        fwrite(name, 1, len, out);
    }
    putc('"', out);
}
