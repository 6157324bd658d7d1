#include "compare/snapshot_words.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* The first complaint stays. */
bool fsd_snapshot_complain(struct fsd_snapshot_reader *r, const char *expected)
{
    static const char *const nothing = "the end of the line";

    if (r->status == FSD_OK)
        r->status = fsd_fail(r->err, FSD_E_FORMAT, r->name, FSD_POS_LINE, r->line,
                             "expected %s, found '%.80s'", expected,
                             r->word.kind == WORD_END || !r->word.text ? nothing
                                                                       : r->word.text);
    return false;
}

/* ----------------------------------------------------------------------- words */

/* "\u{hex}" behind the backslash; 0 when it is not one. */
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
    if (!code || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return 0;
    *len = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = *len; i-- > 1; code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(*len == 1 ? code : (0xf00ul >> *len & 0xff) | code);
    return n + 3;
}

static bool take_quoted(struct fsd_snapshot_reader *r)
{
    char *to = r->word.text = FSD_NEW(r->scratch, char, (size_t)(r->line_end - r->at));

    r->word.kind = WORD_QUOTED;
    for (r->at++; r->at < r->line_end && *r->at != '"'; r->at++) {
        size_t taken, len = 1;

        if (*r->at != '\\') {
            *to++ = *r->at;
            continue;
        }
        if (++r->at == r->line_end)
            break;
        if ((taken = take_code(r->at, r->line_end, to, &len)))
            r->at += taken - 1;
        else if (*r->at == '"' || *r->at == '\\')
            *to = *r->at;
        else
            return fsd_snapshot_complain(r, "\\\", \\\\ or \\u{...} in a name");
        to += len;
    }
    if (r->at == r->line_end)
        return fsd_snapshot_complain(r, "a closing '\"'");
    r->at++;
    return true;
}

static bool is_end_of_word(char c)
{
    return c == ' ' || c == '#';
}

static void take_bare(struct fsd_snapshot_reader *r)
{
    const char *from = r->at;

    r->word.kind = strchr("<>:;=~-", *from) ? WORD_MARK : WORD_BARE;
    while (r->at < r->line_end && !is_end_of_word(*r->at))
        r->at++;
    r->word.text = fsd_arena_strndup(r->scratch, from, (size_t)(r->at - from));
}

static bool take_number_behind(struct fsd_snapshot_reader *r)
{
    uint64_t n = 0;
    const char *from;

    if (r->at == r->line_end || *r->at != '#')
        return true;
    from = ++r->at;
    while (r->at < r->line_end && *r->at >= '0' && *r->at <= '9' && n < UINT32_MAX)
        n = n * 10 + (uint64_t)(*r->at++ - '0');
    if (r->at == from || n > UINT32_MAX)
        return fsd_snapshot_complain(r, "the number of an output behind '#'");
    r->word.out = (uint32_t)n;
    return true;
}

/* Goes on to the next word; false after a complaint. */
bool fsd_snapshot_next(struct fsd_snapshot_reader *r)
{
    r->word = (struct word){0};
    while (r->at < r->line_end && *r->at == ' ')
        r->at++;
    if (r->at < r->line_end && *r->at == '@') {
        r->word.port = true;
        r->at++;
    }
    if (r->at == r->line_end)
        return !r->word.port || fsd_snapshot_complain(r, "a name behind '@'");
    if (*r->at == '"') {
        if (!take_quoted(r))
            return false;
    } else {
        take_bare(r);
    }
    if (!take_number_behind(r))
        return false;
    if (r->at < r->line_end && *r->at != ' ')
        return fsd_snapshot_complain(r, "a space behind a word");
    return true;
}

bool fsd_snapshot_is_mark(const struct fsd_snapshot_reader *r, const char *mark)
{
    return r->word.kind == WORD_MARK && !strcmp(r->word.text, mark);
}

bool fsd_snapshot_skip_mark(struct fsd_snapshot_reader *r, const char *mark)
{
    return fsd_snapshot_is_mark(r, mark) ? fsd_snapshot_next(r)
                                         : fsd_snapshot_complain(r, mark);
}

bool fsd_snapshot_is_name(const struct fsd_snapshot_reader *r)
{
    return r->word.kind == WORD_BARE || r->word.kind == WORD_QUOTED;
}

static bool next_line(struct fsd_snapshot_reader *r)
{
    const char *end;

    if (r->next_line == r->end)
        return false;
    r->at = r->line_begin = r->next_line;
    end = memchr(r->at, '\n', (size_t)(r->end - r->at));
    r->line_end = end ? end : r->end;
    r->next_line = end ? end + 1 : r->end;
    if (r->line_end > r->at && r->line_end[-1] == '\r')
        r->line_end--;
    r->line++;
    return true;
}

/* They are spelt out in names.  Raw, a zero byte would make two names one, and what
 * looks like a line's end would be lost. */
static bool holds_control(struct fsd_snapshot_reader *r)
{
    static char found[] = "a control character";

    for (const char *at = r->at; at < r->line_end; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f) {
            r->word = (struct word){.kind = WORD_BARE, .text = found};
            fsd_snapshot_complain(r, "text");
            return true;
        }
    return false;
}

/* A line with words in it, and the first of them; false at the end, or after a
 * complaint. */
bool fsd_snapshot_next_line(struct fsd_snapshot_reader *r)
{
    while (r->status == FSD_OK && next_line(r)) {
        if (holds_control(r) || !fsd_snapshot_next(r))
            return false;
        if (r->word.kind != WORD_END)
            return true;
    }
    return false;
}

/* ---------------------------------------------------------------------- hashes */

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool fsd_snapshot_take_hash(struct fsd_snapshot_reader *r, uint64_t out[2])
{
    static const char prefix[] = "xxh128:";
    const char *at = r->word.text;

    if (r->word.kind != WORD_BARE || strlen(at) != strlen(prefix) + 32 ||
        memcmp(at, prefix, strlen(prefix)) != 0)
        return fsd_snapshot_complain(r, "xxh128: and 32 digits");
    at += strlen(prefix);
    for (int i = 0; i < 32; i++) {
        if (digit(at[i]) < 0)
            return fsd_snapshot_complain(r, "xxh128: and 32 digits");
        out[i < 16] = out[i < 16] << 4 | (uint64_t)digit(at[i]);
    }
    return fsd_snapshot_next(r);
}

void fsd_snapshot_hash_above(const struct fsd_snapshot_reader *r, uint64_t out[2])
{
    size_t size = (size_t)(r->line_begin - r->begin), n = 0;
    char *text = FSD_NEW(r->scratch, char, size);

    for (size_t i = 0; i < size; i++)
        if (r->begin[i] != '\r' || r->begin[i + 1] != '\n')
            text[n++] = r->begin[i];
    fsd_hash_128(text, n, out);
}
