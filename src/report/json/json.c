/*
 * JSON as it comes: what is added is printed, so that a report takes no memory.
 *
 *     levels   [0] the root   [1] what is open in it   [2] what is open in that ...
 *
 * Adding to a level first closes all within it; the caller adds in the order in which
 * it should stand, and nothing to what stands before it.
 */
#include "report/json/json.h"

#include "base/print.h"
#include "base/text.h"
#include "ops/amount.h"

#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum { LEVELS_MAX = 32 }; /* reports are nested some ten deep */

static const double integer_max = 9007199254740992.0; /* beyond, a double skips some */

struct fsd_json {
    FILE *out;
    unsigned depth;
    bool list, any, opened; /* opened: the next level is */
};

/* At most LEVELS_MAX. */
static void put_tabs(const struct fsd_json *level, unsigned n)
{
    static const char tabs[] = "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t"
                               "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t";

    fwrite(tabs, 1, n, level->out);
}

static void close_inner(struct fsd_json *level)
{
    struct fsd_json *inner = level + 1;

    if (!level->opened)
        return;
    close_inner(inner);
    level->opened = false;
    if (!inner->list) {
        if (inner->any)
            putc('\n', inner->out);
        put_tabs(inner, inner->depth);
    }
    putc(inner->list ? ']' : '}', inner->out);
}

/* A key, and what stands between it and the one before; items of lists have none. */
static FILE *add(struct fsd_json *level, const char *key)
{
    close_inner(level);
    if (level->any)
        fputs(level->list ? ", " : ",\n", level->out);
    level->any = true;
    if (level->list)
        return level->out;
    put_tabs(level, level->depth + 1);
    fsd_put_json(level->out, key);
    fputs(":\t", level->out);
    return level->out;
}

static struct fsd_json *open_inner(struct fsd_json *level, bool list)
{
    if (level->depth + 1 == LEVELS_MAX)
        fsd_out_of_memory(); /* of levels, which no schema of ours takes */
    level->opened = true;
    level[1] =
        (struct fsd_json){.out = level->out, .depth = level->depth + 1, .list = list};
    fputs(list ? "[" : "{\n", level->out);
    return level + 1;
}

/* The outermost level is a list of one that prints no brackets. */
static struct fsd_json *new_root(FILE *out, bool list)
{
    struct fsd_json *levels = calloc(LEVELS_MAX + 1, sizeof *levels);

    if (!levels)
        fsd_out_of_memory();
    *levels = (struct fsd_json){.out = out, .list = true, .depth = UINT_MAX};
    return open_inner(levels, list);
}

struct fsd_json *fsd_json_new_list(FILE *out)
{
    return new_root(out, true);
}

struct fsd_json *fsd_json_new(FILE *out)
{
    return new_root(out, false);
}

void fsd_json_end(struct fsd_json *root)
{
    close_inner(root - 1);
    putc('\n', root->out);
    free(root - 1);
}

struct fsd_json *fsd_json_object(struct fsd_json *object, const char *key)
{
    add(object, key);
    return open_inner(object, false);
}

struct fsd_json *fsd_json_list(struct fsd_json *object, const char *key)
{
    add(object, key);
    return open_inner(object, true);
}

void fsd_json_text(struct fsd_json *object, const char *key, const char *text)
{
    fsd_put_json(add(object, key), text);
}

void fsd_json_id(struct fsd_json *object, const char *key, fsd_id id)
{
    if (id != FSD_NONE)
        fsd_json_number(object, key, id);
}

void fsd_json_hash(struct fsd_json *object, const char *key, const uint64_t hash[2])
{
    char text[48];

    snprintf(text, sizeof text, "xxh128:%016" PRIx64 "%016" PRIx64, hash[1], hash[0]);
    fsd_json_text(object, key, text);
}

void fsd_json_phrase(const struct fsd_diff *d, struct fsd_json *object, const char *key,
                     fsd_id id, fsd_put_fn *put)
{
    struct fsd_print phrase;

    put(d, id, fsd_print_open(&phrase));
    fsd_print_close(&phrase);
    if (phrase.size)
        fsd_json_text(object, key, phrase.text);
    free(phrase.text);
}

void fsd_json_built(struct fsd_json *object, const fsd_built_vec *built,
                    const struct fsd_intern *names)
{
    struct fsd_json *told = built->n ? fsd_json_object(object, "built") : NULL;

    for (uint32_t i = 0; i < built->n; i++)
        fsd_json_sym(told, fsd_text(names, built->at[i].key), names,
                     built->at[i].value);
}

/* Most numbers of a report are small and whole: digit by digit they take a tenth of
 * what a format takes. */
static void put_whole(FILE *out, uint64_t number)
{
    char digits[20], *at = digits + sizeof digits;

    do
        *--at = (char)('0' + number % 10);
    while (number /= 10);
    fwrite(at, 1, (size_t)(digits + sizeof digits - at), out);
}

/* With 15 digits a sum of decimal fractions is printed without the rounding of its last
 * bit; where they are not enough, with all. */
void fsd_json_number(struct fsd_json *object, const char *key, double number)
{
    FILE *out = add(object, key);
    char text[32];

    if (!isfinite(number)) {
        fputs("null", out);
    } else if (number == floor(number) && fabs(number) <= integer_max) {
        if (number < 0)
            putc('-', out);
        put_whole(out, (uint64_t)fabs(number));
    } else {
        snprintf(text, sizeof text, "%.15g", number);
        if (fabs(strtod(text, NULL) - number) > fabs(number) * DBL_EPSILON)
            snprintf(text, sizeof text, "%.17g", number);
        fputs(text, out);
    }
}

void fsd_json_bool(struct fsd_json *object, const char *key, bool is)
{
    fputs(is ? "true" : "false", add(object, key));
}

void fsd_json_count(struct fsd_json *object, const char *key, uint64_t count)
{
    bool exact = count <= (uint64_t)integer_max;
    FILE *out = add(object, key);

    fputs(exact ? "" : "\"", out);
    put_whole(out, count);
    fputs(exact ? "" : "\"", out);
}

void fsd_json_ms(struct fsd_json *object, const char *key, double ms)
{
    if (ms >= 0)
        fsd_json_number(object, key, ms);
}

void fsd_json_number_or_term(struct fsd_json *object, const char *key, int64_t number,
                             const char *term)
{
    char symbolic[32];

    if (number >= 0)
        fsd_json_count(object, key, (uint64_t)number);
    if (!term)
        return;
    snprintf(symbolic, sizeof symbolic, "%s_symbolic", key);
    fsd_json_text(object, symbolic, term);
}

void fsd_json_amount(const struct fsd_diff *d, struct fsd_json *object, const char *key,
                     int64_t amount)
{
    fsd_json_number_or_term(object, key, amount,
                            fsd_amount_text(d->cost->amounts, amount));
}
