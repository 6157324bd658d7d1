/*
 * Prints each JSON member at once when the caller adds it, so that a report needs
 * little memory.
 *
 *     levels   [0] the root   [1] an open member of [0]   [2] an open member of [1] ...
 *
 * When the caller adds a member to a level, all levels within this level are closed.
 * Nothing can be added to a closed level. The caller therefore adds members in the
 * order of the output.
 */
#include "report/json/json.h"

#include "base/base.h"
#include "base/plain.h"

#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum { LEVELS_MAX = 32 }; /* reports have about ten levels */

static const double integer_max = 9007199254740992.0; /* 2^53: a double cannot represent
                                                         all larger integers */

/* A report consists of millions of short words, so they are collected and written in
 * large pieces. */
struct piece {
    struct fsd_arena *arena; /* contains this struct, too */
    FILE *out;
    size_t n;
    char bytes[1 << 13];
};

struct fsd_json {
    struct piece *piece;
    unsigned depth;
    bool list, any, opened; /* `any`: the object or list has a member; `opened`: an
                               object or list inside it is still open */
};

static void flush(struct piece *piece)
{
    fwrite(piece->bytes, 1, piece->n, piece->out);
    piece->n = 0;
}

/* Returns room for n bytes, which the caller fills. n must not exceed the size of a
 * piece. */
static char *take(const struct fsd_json *level, size_t n)
{
    struct piece *piece = level->piece;

    if (n > sizeof piece->bytes - piece->n)
        flush(piece);
    piece->n += n;
    return piece->bytes + piece->n - n;
}

static void put_bytes(const struct fsd_json *level, const char *bytes, size_t n)
{
    memcpy(take(level, n), bytes, n);
}

static void put_word(const struct fsd_json *level, const char *word)
{
    put_bytes(level, word, strlen(word));
}

#define PUT(level, literal) put_bytes(level, literal, sizeof(literal) - 1)

static void put_escaped(const struct fsd_json *level, const char *text)
{
    struct fsd_slice left = fsd_slice_of(text);
    struct piece *piece = level->piece;

    PUT(level, "\"");
    while (left.n) {
        if (sizeof piece->bytes - piece->n < FSD_JSON_ROOM)
            flush(piece);
        piece->n += fsd_escape_json(&left, piece->bytes + piece->n,
                                    sizeof piece->bytes - piece->n);
    }
    PUT(level, "\"");
}

/* Prints a text in quotes. Nearly all texts are short and need no escape, so this case
 * is tried first. */
static void put_string(const struct fsd_json *level, const char *text)
{
    size_t n = strlen(text);
    char *at;

    if (n + 2 <= sizeof level->piece->bytes) {
        at = take(level, n + 2);
        if (fsd_copy_plain(at + 1, text, n)) {
            at[0] = at[n + 1] = '"';
            return;
        }
        level->piece->n -= n + 2;
    }
    put_escaped(level, text);
}

/* Prints the last `n` bytes of ",\n", and then `depth` tabs. Always copies LEVELS_MAX
 * tabs, because a copy of constant size is fast. Later text overwrites the tabs after
 * the first `depth`. */
static void put_indent(const struct fsd_json *level, size_t n, unsigned depth)
{
    static const char block[] =
        ",\n\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t";
    const size_t room = 2 + LEVELS_MAX;
    char *at = take(level, room);

    _Static_assert(sizeof block == 2 + 2 + LEVELS_MAX + 1, "a tab for each level");
    memcpy(at, block + 2 - n, room);
    level->piece->n -= room - n - depth;
}

static void close_inner(struct fsd_json *level)
{
    struct fsd_json *inner = level + 1;

    if (!level->opened)
        return;
    close_inner(inner);
    level->opened = false;
    if (inner->list) {
        PUT(inner, "]");
    } else {
        put_indent(inner, inner->any, inner->depth);
        PUT(inner, "}");
    }
}

/* Prints the separator before a member, and its key; items of lists have no key. */
static void add(struct fsd_json *level, const char *key)
{
    bool first = !level->any;

    if (level->opened)
        close_inner(level);
    level->any = true;
    if (level->list || !key) {
        if (!first)
            PUT(level, ", ");
        return;
    }
    put_indent(level, first ? 0 : 2, level->depth + 1);
    put_string(level, key);
    PUT(level, ":\t");
}

static struct fsd_json *open_inner(struct fsd_json *level, bool list)
{
    if (level->depth + 1 == LEVELS_MAX)
        fsd_out_of_memory(); /* never happens: no schema has so many levels */
    level->opened = true;
    level[1] = (struct fsd_json){
        .piece = level->piece, .depth = level->depth + 1, .list = list};
    if (list)
        PUT(level, "[");
    else
        PUT(level, "{\n");
    return level + 1;
}

/* Level 0 is a list with one item, the root. The brackets of this list are not
 * printed. */
static struct fsd_json *new_root(FILE *out, bool list)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_json *levels = FSD_NEW(arena, struct fsd_json, LEVELS_MAX + 1);
    struct piece *piece = FSD_NEW(arena, struct piece, 1);

    piece->arena = arena;
    piece->out = out;
    *levels = (struct fsd_json){.piece = piece, .list = true, .depth = UINT_MAX};
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
    PUT(root, "\n");
    flush(root->piece);
    fsd_arena_free(root->piece->arena);
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
    add(object, key);
    put_string(object, text);
}

static void put_whole(const struct fsd_json *level, uint64_t number)
{
    char room[FSD_DIGITS];
    const char *at = fsd_digits(number, room);

    put_bytes(level, at, (size_t)(room + sizeof room - 1 - at));
}

/* Prints an integer up to `integer_max` exactly, and another number with up to 15
 * digits: more digits would show the rounding error of a sum. If 15 digits are too
 * imprecise (a relative error above DBL_EPSILON), prints up to 17 digits. */
void fsd_json_number(struct fsd_json *object, const char *key, double number)
{
    char text[32];

    add(object, key);
    if (!isfinite(number)) {
        PUT(object, "null");
    } else if (fabs(number) <= integer_max && number == (double)(int64_t)number) {
        if (number < 0)
            PUT(object, "-");
        put_whole(object, (uint64_t)fabs(number));
    } else {
        snprintf(text, sizeof text, "%.15g", number);
        if (fabs(strtod(text, NULL) - number) > fabs(number) * DBL_EPSILON)
            snprintf(text, sizeof text, "%.17g", number);
        put_word(object, text);
    }
}

void fsd_json_bool(struct fsd_json *object, const char *key, bool is)
{
    add(object, key);
    put_word(object, is ? "true" : "false");
}

void fsd_json_count(struct fsd_json *object, const char *key, uint64_t count)
{
    bool exact = count <= (uint64_t)integer_max;

    add(object, key);
    put_word(object, exact ? "" : "\"");
    put_whole(object, count);
    put_word(object, exact ? "" : "\"");
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
