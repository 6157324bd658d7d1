#define _GNU_SOURCE /* memmem */
#include "log/layer.h"

#include <string.h>

static const char arrow[] = " -> ", comma[] = ", ";

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static bool stands(struct fsd_slice t, size_t at, const char *what)
{
    size_t n = strlen(what);

    return at + n <= t.n && !memcmp(t.s + at, what, n);
}

/* --------------------------------------------------------------------- the line */

/* "0x00000000000003e8", "6488063", "-3": its length. */
static size_t tactic_length(const char *s, size_t n)
{
    size_t i = n && *s == '-', digits = i;

    if (n > 2 && s[0] == '0' && s[1] == 'x')
        i = digits = 2;
    while (i < n && (is_digit(s[i]) || (digits == 2 && s[i] >= 'a' && s[i] <= 'f')))
        i++;
    return i > digits ? i : 0;
}

static bool split_tactic(struct fsd_slice all, struct fsd_log_layer *out)
{
    static const char word[] = ", Tactic: ";
    const size_t len = sizeof word - 1;
    const char *at = all.s, *end = all.s + all.n;
    bool found = false;

    while ((at = memmem(at, (size_t)(end - at), word, len))) {
        const char *number = at + len;
        size_t n = tactic_length(number, (size_t)(end - number));
        const char *behind = number + n;

        if (n && (behind == end || *behind == ',')) {
            out->name = (struct fsd_slice){all.s, (size_t)(at - all.s)};
            out->tactic = (struct fsd_slice){number, n};
            behind += behind < end;
            behind += behind < end && *behind == ' ';
            out->tensors = (struct fsd_slice){behind, (size_t)(end - behind)};
            found = true;
        }
        at = number;
    }
    return found;
}

bool fsd_log_layer_split(const char *s, size_t n, struct fsd_log_layer *out)
{
    struct fsd_slice line = {s, n}, rest;
    size_t i = 6;

    if (!stands(line, 0, "Layer("))
        return false;
    while (i < n && is_word(s[i]))
        i++;
    out->type = (struct fsd_slice){s + 6, i - 6};
    if (!stands(line, i, "): "))
        return false;
    rest = (struct fsd_slice){s + i + 3, n - i - 3};
    return split_tactic(rest, out);
}

/* -------------------------------------------------------------------- tensors */

static size_t read_number(const char *s, size_t n, int64_t *out)
{
    size_t i = n && *s == '-', first = i;
    int64_t value = 0;

    for (; i < n && is_digit(s[i]); i++)
        value = value > INT64_MAX / 10 - 1 ? INT64_MAX / 10 : value * 10 + (s[i] - '0');
    /* Up to TensorRT 8.4 each dynamic dimension has a negative number of its own. */
    *out = *s == '-' || value >= INT64_MAX / 10 ? -1 : value;
    return i > first ? i : 0;
}

/* "8", "-1", "32:8", "batch" */
static void read_dim(struct fsd_slice text, struct fsd_log_dim *out)
{
    size_t i = text.n ? read_number(text.s, text.n, &out->size) : 0, k = 0;

    out->vector = 0;
    out->word = (struct fsd_slice){NULL, 0};
    if (i && i + 1 < text.n && text.s[i] == ':') {
        k = read_number(text.s + i + 1, text.n - i - 1, &out->vector);
        i += 1 + k;
    }
    if (i && i == text.n)
        return;
    *out = (struct fsd_log_dim){.size = -1, .word = text};
}

static bool is_bracket(char c)
{
    return c == '(' || c == ')' || c == '[' || c == ']' || c == '{' || c == '}';
}

/* The dimensions up to the bracket that closes them; returns where that is, 0 when
 * there is none. */
static size_t read_dims(struct fsd_slice t, size_t at, struct fsd_log_tensor *out)
{
    size_t from = at;

    out->rank = 0;
    for (; at < t.n; at++) {
        bool end = is_bracket(t.s[at]);

        if (!end && t.s[at] != ',')
            continue;
        if (end && at == from && !out->rank)
            return at; /* a scalar */
        if (at == from || out->rank == FSD_LOG_RANK_MAX)
            return 0;
        read_dim((struct fsd_slice){t.s + from, at - from}, &out->dims[out->rank++]);
        if (end)
            return at;
        from = at + 1;
    }
    return 0;
}

/* A line without outputs that has lost its last blank. */
static bool is_last_arrow(struct fsd_slice t, size_t at)
{
    return t.n - at == 3 && stands(t, at, " ->");
}

/* "[Float(-2,1,28,28)]" or " (Float[-1,1,28,28])" at `at`: its length, else 0. */
static size_t read_form(struct fsd_slice t, size_t at, struct fsd_log_tensor *out)
{
    bool old = t.s[at] == '[';
    size_t first = at + (old ? 1 : 2), i = first;

    if (!old && !stands(t, at, " ("))
        return 0;
    while (i < t.n && is_word(t.s[i]))
        i++;
    if (i == first || i == t.n || t.s[i] != (old ? '(' : '['))
        return 0;
    out->type = (struct fsd_slice){t.s + first, i - first};
    i = read_dims(t, i + 1, out);
    if (!i || !stands(t, i, old ? ")]" : "])"))
        return 0;
    out->old = old;
    i += 2;
    return i == t.n || stands(t, i, comma) || stands(t, i, arrow) || is_last_arrow(t, i)
               ? i - at
               : 0;
}

static void take(struct fsd_slice *t, size_t n)
{
    n = n < t->n ? n : t->n;
    t->s += n;
    t->n -= n;
}

/* The arrow stands behind a tensor, or, where there are no inputs, behind a comma. */
static void take_arrow(struct fsd_slice *t, struct fsd_log_tensor *out)
{
    if (out->output)
        return;
    out->output = true;
    if (is_last_arrow(*t, 0))
        take(t, 3);
    else if (stands(*t, 0, arrow))
        take(t, 4);
    else if (stands(*t, 0, arrow + 1))
        take(t, 3);
    else
        out->output = false;
}

enum fsd_log_step fsd_log_tensor_next(struct fsd_slice *rest,
                                      struct fsd_log_tensor *out)
{
    struct fsd_slice t;

    take_arrow(rest, out);
    if (!rest->n)
        return FSD_LOG_END;
    t = *rest;
    for (size_t i = 0; i < t.n; i++) {
        size_t n = t.s[i] == '[' || t.s[i] == ' ' ? read_form(t, i, out) : 0;

        if (!n)
            continue;
        out->name = (struct fsd_slice){t.s, i};
        take(rest, i + n);
        if (stands(*rest, 0, comma))
            take(rest, 2);
        return FSD_LOG_TENSOR;
    }
    return FSD_LOG_BROKEN;
}
