/*
 * Converts the text of a dump to valid JSON in one pass.  The converter has two states,
 * inside and outside of a string.  It copies a sequence of bytes as a whole if none of
 * them needs a change.
 */
#include "read/trt/trt.h"
#include "base/plain.h"

struct cleaner {
    const unsigned char *in;
    size_t n, at; /* `at` is the offset of the next byte to read */
    char *out;    /* NULL: the bytes are only counted */
    size_t used, limit;
    bool in_string;
    uint32_t depth; /* the number of open brackets; meaningless if the text is
                       not JSON */
    struct fsd_cleaned about;
};

static void put_bytes(struct cleaner *c, const char *s, size_t len)
{
    if (c->out)
        memcpy(c->out + c->used, s, len);
    c->used += len;
}

static void copy(struct cleaner *c, size_t len)
{
    put_bytes(c, (const char *)c->in + c->at, len);
    c->at += len;
}

static bool is_next(const struct cleaner *c, const char *word, size_t len)
{
    return c->n - c->at >= len && !memcmp(c->in + c->at, word, len);
}

/* The roles of bytes outside of strings.  At most one value follows each byte with the
 * role BEFORE_VALUE.  So there are at most as many values as such bytes, plus 1 for the
 * outermost value. */
enum { BEFORE_VALUE = 1, OPENS = 2, CLOSES = 4, STRING_OR_WORD = 8 };
static const unsigned char means[256] = {[','] = BEFORE_VALUE,
                                         ['['] = BEFORE_VALUE | OPENS,
                                         ['{'] = BEFORE_VALUE | OPENS,
                                         [']'] = CLOSES,
                                         ['}'] = CLOSES,
                                         ['"'] = STRING_OR_WORD,
                                         ['N'] = STRING_OR_WORD,
                                         ['n'] = STRING_OR_WORD,
                                         ['I'] = STRING_OR_WORD,
                                         ['i'] = STRING_OR_WORD,
                                         ['-'] = STRING_OR_WORD};

static size_t plain_in_string(const struct cleaner *c, size_t i)
{
    while (i < c->n && c->in[i] >= 0x20 && c->in[i] != '"' && c->in[i] != '\\')
        i += 1 + fsd_plain_run((const char *)c->in + i + 1, c->n - i - 1);
    return i;
}

static size_t plain_outside(struct cleaner *c, size_t i)
{
    for (; i < c->n; i++) {
        unsigned char is = means[c->in[i]];

        if (!is)
            continue;
        if (is == STRING_OR_WORD)
            break;
        c->about.values += is & BEFORE_VALUE;
        c->depth += !!(is & OPENS) - (uint32_t) !!(is & CLOSES);
        if (is & OPENS && c->depth > c->about.depth)
            c->about.depth = c->depth;
    }
    return i;
}

/* Returns the number of bytes that can be copied unchanged. */
static size_t plain_run(struct cleaner *c)
{
    size_t i = c->at;

    for (;; i++) {
        i = c->in_string ? plain_in_string(c, i) : plain_outside(c, i);
        if (i == c->n || c->in[i] != '"')
            return i - c->at;
        c->in_string = !c->in_string;
    }
}

static void step_in_string(struct cleaner *c)
{
    static const char hex[] = "0123456789abcdef";
    unsigned char byte = c->in[c->at];
    bool zero = byte == '\\' && is_next(c, "\\u0000", 6);

    if (zero || byte < 0x20) {
        char text[] = {'\\', 'u', '0', '0', hex[byte >> 4], hex[byte & 15]};

        if (zero || !byte)
            put_bytes(c, "\\\\x00", 5);
        else
            put_bytes(c, text, sizeof text);
        c->at += zero ? 6 : 1;
        c->about.changed = true;
    } else if (byte == '\\' && c->at + 1 < c->n && c->in[c->at + 1] >= 0x20) {
        copy(c, 2);
    } else {
        copy(c, 1);
    }
}

static void step_outside(struct cleaner *c)
{
    static const char *const words[] = {"NaN",  "nan",  "Infinity", "-Infinity",
                                        "-nan", "-inf", "inf"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t len = strlen(words[i]);

        if (!is_next(c, words[i], len))
            continue;
        put_bytes(c, "1e999", 5);
        c->at += len;
        c->about.changed = true;
        return;
    }
    copy(c, 1);
}

static void run(struct cleaner *c)
{
    while (c->at < c->n && c->used <= c->limit) {
        size_t plain = plain_run(c);

        if (plain > c->limit - c->used)
            plain = c->limit - c->used + 1;
        copy(c, plain);
        if (c->at == c->n || c->used > c->limit)
            return;
        if (c->in_string)
            step_in_string(c);
        else
            step_outside(c);
    }
}

size_t fsd_clean(const unsigned char *bytes, size_t n, char *out,
                 struct fsd_cleaned *about)
{
    struct cleaner c = {.in = bytes, .n = n, .out = out, .limit = SIZE_MAX};

    run(&c);
    *about = c.about;
    about->values++;
    return c.used;
}

size_t fsd_clean_origin(const unsigned char *bytes, size_t n, size_t pos)
{
    struct cleaner c = {.in = bytes, .n = n, .limit = pos};

    run(&c);
    return c.used > pos && c.at ? c.at - 1 : c.at;
}
