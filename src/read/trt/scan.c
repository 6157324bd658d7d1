/*
 * The scanner of layer names, which does not know the names of the model.
 */
#include "read/trt/grammar.h"

/* Limits on the lengths of a number and of a layer type in a name.  TensorRT's names do
 * not exceed them.  Without limits, a hostile name could take quadratic time. */
enum { DIGITS_MAX = 10, TYPE_MAX = 64 };

bool fsd_scan_at(const struct fsd_scan *t, size_t at, const char *word)
{
    size_t len = strlen(word);

    return at <= t->n && t->n - at >= len && !memcmp(t->s + at, word, len);
}

bool fsd_scan_skip(const struct fsd_scan *t, size_t *at, const char *word)
{
    if (!fsd_scan_at(t, *at, word))
        return false;
    *at += strlen(word);
    return true;
}

bool fsd_scan_skip_number(const struct fsd_scan *t, size_t *at)
{
    size_t start = *at;

    while (*at < t->n && t->s[*at] >= '0' && t->s[*at] <= '9')
        if (++*at - start > DIGITS_MAX)
            return false;
    return *at > start;
}

uint32_t fsd_scan_number(const struct fsd_scan *t, size_t at)
{
    uint64_t value = 0;

    for (; at < t->n && t->s[at] >= '0' && t->s[at] <= '9'; at++)
        if (value <= UINT32_MAX)
            value = 10 * value + (uint64_t)(t->s[at] - '0');
    return value > INT32_MAX ? INT32_MAX : (uint32_t)value;
}

const char *fsd_scan_separator(const struct fsd_scan *t, size_t at, enum fsd_place in)
{
    static const char *const own[] = {
        [FSD_IN_CALL] = ", ", [FSD_IN_FOREIGN] = "...", [FSD_IN_LIST] = ","};

    if (fsd_scan_at(t, at, " + "))
        return " + ";
    if (fsd_scan_at(t, at, " || "))
        return " || ";
    return in != FSD_IN_NAME && fsd_scan_at(t, at, own[in]) ? own[in] : NULL;
}

const char *fsd_scan_closer(const struct fsd_scan *t, size_t at, enum fsd_place in)
{
    static const char *const closers[] = {
        [FSD_IN_CALL] = ")", [FSD_IN_FOREIGN] = "]}", [FSD_IN_LIST] = "}"};

    return in != FSD_IN_NAME && fsd_scan_at(t, at, closers[in]) ? closers[in] : NULL;
}

bool fsd_scan_is_boundary(const struct fsd_scan *t, size_t at, enum fsd_place in)
{
    return at >= t->n || fsd_scan_separator(t, at, in) || fsd_scan_closer(t, at, in);
}

/* Finds the closing bracket of each opening bracket: `closing` is indexed by the
 * position of the opening bracket.  Round, square and curly brackets are paired
 * independently.  While a bracket is open, its entry holds the position of the previous
 * open bracket of the same kind. */
static void pair_brackets(struct fsd_scan *t)
{
    static const char open[] = "([{", close[] = ")]}";
    struct fsd_brackets *r = t->brackets;
    uint32_t last[3] = {FSD_NONE, FSD_NONE, FSD_NONE};

    t->paired = true;
    for (r->closing.n = 0; r->closing.n < t->n;) {
        uint32_t i = r->closing.n;
        const char *at = t->s[i] ? strchr(open, t->s[i]) : NULL;
        uint32_t before = at ? last[at - open] : FSD_NONE;

        if (at)
            last[at - open] = i;
        fsd_vec_push(r->arena, &r->closing, before);
        at = t->s[i] ? strchr(close, t->s[i]) : NULL;
        if (at && last[at - close] != FSD_NONE) {
            uint32_t opening = last[at - close];

            last[at - close] = r->closing.at[opening];
            r->closing.at[opening] = i;
        }
    }
    for (size_t k = 0; k < FSD_COUNT_OF(last); k++)
        while (last[k] != FSD_NONE) {
            uint32_t before = r->closing.at[last[k]];

            r->closing.at[last[k]] = FSD_NONE;
            last[k] = before;
        }
}

size_t fsd_scan_part_end(struct fsd_scan *t, size_t at, enum fsd_place in)
{
    while (!fsd_scan_is_boundary(t, at, in)) {
        if (t->s[at] == '(' || t->s[at] == '[' || t->s[at] == '{') {
            if (!t->paired)
                pair_brackets(t);
            if (t->brackets->closing.at[at] != FSD_NONE)
                at = t->brackets->closing.at[at];
        }
        at++;
    }
    return at;
}

bool fsd_scan_skip_unnamed(const struct fsd_scan *t, size_t *at)
{
    size_t i = *at;
    const char *end;

    if (!fsd_scan_skip(t, &i, "(Unnamed Layer* ") || !fsd_scan_skip_number(t, &i) ||
        !fsd_scan_skip(t, &i, ") ["))
        return false;
    end = memchr(t->s + i, ']', t->n - i < TYPE_MAX ? t->n - i : TYPE_MAX);
    if (!end)
        return false;
    *at = (size_t)(end - t->s) + 1;
    return true;
}
