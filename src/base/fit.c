/*
 * Shortens texts to a number of columns.  The name of a node is a path, and the name of
 * a layer is a list of paths.  A shortened text lacks whole parts of paths ("...") or
 * whole names ("4 more").  Words stay whole:
 *
 *     /m/layers.0/self_attn: q_proj/Add + Reshape       the shared path, printed once
 *     /m/.../self_attn: q_proj/Add + Reshape
 *     /m/layers.0/conv/Conv + 4 more + /m/.../Transpose
 *
 * The last part of a name, where exporters write the operator, is always kept.  A text
 * with long words may therefore exceed its columns.
 */
#include "base/base.h"

enum {
    LEAST_WIDTH = 8,   /* columns; if fewer are available, texts are not shortened */
    DOTS = 3,          /* "..." */
    SCOPE_SHARE = 3,   /* a path that all names of a list share gets at least
                          1 / SCOPE_SHARE of the columns */
    LONGEST_WORD = 160 /* columns; only a longer word can lose its middle. It counts as
                          data, not as a part of a name */
};

typedef FSD_VEC(struct fsd_slice) slice_vec;

static size_t put_slice(FILE *out, struct fsd_slice t)
{
    fsd_put_safe_slice(out, t);
    return fsd_slice_width(t);
}

static struct fsd_slice between(const char *from, const char *to)
{
    return (struct fsd_slice){from, (size_t)(to - from)};
}

/* ------------------------------------------------------------------------- a path */

/* A path. The parts from `head` to `tail` - 1 are not printed. */
struct path {
    struct fsd_slice text;
    slice_vec parts;
    uint32_t head, tail;
};

/* Splits a path at slashes and blanks.  A note in parentheses belongs to the part
 * before it: "Add (requested int8)". */
static void split_path(struct fsd_arena *scratch, struct path *path)
{
    struct fsd_slice t = path->text;
    size_t begin = 0;
    int depth = 0;

    for (size_t i = 0; i <= t.n; i++) {
        bool ends = i == t.n || t.s[i] == '/' ||
                    (t.s[i] == ' ' && !depth && (i + 1 == t.n || t.s[i + 1] != '('));

        if (!ends) {
            depth += (t.s[i] == '(') - (t.s[i] == ')' && depth);
            continue;
        }
        if (i > begin)
            fsd_vec_push(scratch, &path->parts, between(t.s + begin, t.s + i));
        begin = i + 1;
    }
}

/* Returns the text that is printed in front: the path before part `head`. end_of()
 * returns the text that is printed at the end: the path from part `tail` on, with the
 * separator before this part. */
static struct fsd_slice front_of(const struct path *path, uint32_t head)
{
    return between(path->text.s, head ? path->parts.at[head].s : path->text.s);
}

static struct fsd_slice end_of(const struct path *path, uint32_t tail)
{
    struct fsd_slice before = path->parts.at[tail - 1];

    return between(before.s + before.n, path->text.s + path->text.n);
}

static size_t columns_of(const struct path *path, uint32_t head, uint32_t tail)
{
    return fsd_slice_width(front_of(path, head)) + DOTS +
           fsd_slice_width(end_of(path, tail));
}

/* Chooses the parts to print.  Parts are added as long as they fit, in this order: the
 * last two parts, the first part, more parts at the end, more parts at the front. */
static void choose_parts(struct path *path, size_t width)
{
    const uint32_t n = path->parts.n, ends[] = {n - 2, 1}, fronts[] = {1, n};

    path->tail = n - 1;
    for (int step = 0; step < 2; step++) {
        while (path->tail > path->head + 1 && path->tail > ends[step] &&
               columns_of(path, path->head, path->tail - 1) <= width)
            path->tail--;
        while (path->head + 1 < path->tail && path->head < fronts[step] &&
               columns_of(path, path->head + 1, path->tail) <= width)
            path->head++;
    }
}

/* Prints a word.  If it has more columns than `width` and than LONGEST_WORD, "..."
 * replaces its middle. */
static size_t put_word(FILE *out, struct fsd_slice t, size_t width)
{
    size_t most = width > LONGEST_WORD ? width : LONGEST_WORD, all = fsd_slice_width(t);
    size_t used, gone = 0, n = 0;

    if (all <= most)
        return put_slice(out, t);
    used = put_slice(
        out, (struct fsd_slice){t.s, fsd_slice_front(t, (most - DOTS) / 2, &used)});
    used += (size_t)fprintf(out, "...");
    for (size_t skip = all - (most - used); gone < all - (most - used); skip++)
        n = fsd_slice_front(t, skip, &gone);
    return used + put_slice(out, fsd_slice_from(t, n));
}

static size_t put_path(FILE *out, struct fsd_slice t, size_t width)
{
    struct path path = {.text = t};
    struct fsd_arena *scratch;
    struct fsd_slice end, last;
    size_t all = fsd_slice_width(t), used;

    if (all <= width)
        return put_slice(out, t);
    scratch = fsd_arena_new();
    split_path(scratch, &path);
    if (path.parts.n > 1)
        choose_parts(&path, width);
    if (path.parts.n < 2 || columns_of(&path, path.head, path.tail) >= all) {
        fsd_arena_free(scratch);
        return put_word(out, t, width);
    }
    used = put_slice(out, front_of(&path, path.head));
    used += (size_t)fprintf(out, "...");
    end = end_of(&path, path.tail);
    last = path.parts.at[path.parts.n - 1];
    used += put_slice(out, between(end.s, last.s));
    used += put_word(out, between(last.s, end.s + end.n), width);
    fsd_arena_free(scratch);
    return used;
}

/* ------------------------------------------------------------------------- a list */

/* Splits a list of names at the joiner, but not within brackets. */
static void split_list(struct fsd_arena *scratch, struct fsd_slice t,
                       struct fsd_slice joiner, slice_vec *names)
{
    size_t begin = 0;
    int depth = 0;

    for (size_t i = 0; i < t.n; i++) {
        depth += t.s[i] == '(' || t.s[i] == '[' || t.s[i] == '{';
        depth -= depth && (t.s[i] == ')' || t.s[i] == ']' || t.s[i] == '}');
        if (!depth && t.n - i > joiner.n && !memcmp(t.s + i, joiner.s, joiner.n)) {
            fsd_vec_push(scratch, names, between(t.s + begin, t.s + i));
            begin = i + joiner.n;
        }
    }
    fsd_vec_push(scratch, names, between(t.s + begin, t.s + t.n));
}

/* Removes the end " and 12 more" of an incomplete list, and returns it. */
static struct fsd_slice take_rest(struct fsd_slice *t)
{
    struct fsd_slice all = *t;

    if (!fsd_slice_drop(t, " more"))
        return fsd_slice_from(all, all.n);
    while (t->n && fsd_is_digit(t->s[t->n - 1]))
        t->n--;
    if (!fsd_slice_drop(t, " and "))
        *t = all;
    return fsd_slice_from(all, t->n);
}

static bool is_below(struct fsd_slice name, struct fsd_slice path)
{
    return name.n > path.n && name.s[path.n] == '/' && !memcmp(name.s, path.s, path.n);
}

/* Returns the path that all names have in common, without the last part of any name.
 * The result is empty if the names share no path, or if there is only one name. */
static struct fsd_slice shared_path(const slice_vec *names)
{
    struct fsd_slice first = names->at[0], path = first;

    for (uint32_t i = 0; i < names->n && path.n; i++)
        while (path.n && !(is_below(first, path) && is_below(names->at[i], path)))
            path.n--;
    return names->n > 1 ? path : (struct fsd_slice){path.s, 0};
}

static size_t columns_of_names(const slice_vec *names, struct fsd_slice joiner)
{
    size_t used = (names->n - 1) * joiner.n;

    for (uint32_t i = 0; i < names->n; i++)
        used += fsd_slice_width(names->at[i]);
    return used;
}

static size_t minus(size_t width, size_t used)
{
    return width > used ? width - used : 0;
}

/* Prints the first names, the number of names left out, and the last name. */
static size_t put_names(FILE *out, const slice_vec *names, struct fsd_slice joiner,
                        size_t width)
{
    struct fsd_slice last = names->at[names->n - 1];
    size_t room = minus(width, names->n > 1 ? joiner.n : 0), used = 0, end;
    bool all = columns_of_names(names, joiner) <= width;
    uint32_t shown = 0;

    if (!all && names->n > 2)
        room = minus(room, (size_t)snprintf(NULL, 0, " + %u more", names->n - 2));
    for (; shown + 1 < names->n; shown++) {
        struct fsd_slice name = names->at[shown];

        end = used + (shown ? joiner.n : 0) + fsd_slice_width(name);
        if (shown && !all && end + fsd_slice_width(last) > room)
            break;
        used += shown ? put_slice(out, joiner) : 0;
        used +=
            put_path(out, name, end + fsd_slice_width(last) > room ? room / 2 : room);
    }
    if (shown + 1 < names->n)
        used += (size_t)fprintf(out, " + %u more", names->n - 1 - shown);
    used += names->n > 1 ? put_slice(out, joiner) : 0;
    return used + put_path(out, last, minus(width, used));
}

static size_t put_list(FILE *out, struct fsd_slice t, struct fsd_slice joiner,
                       size_t width)
{
    FSD_SCRATCH(scratch);
    slice_vec names = {0};
    struct fsd_slice path, rest = take_rest(&t);
    size_t used = 0, room;

    width = minus(width, fsd_slice_width(rest));
    split_list(scratch, t, joiner, &names);
    path = shared_path(&names);
    if (path.n) {
        for (uint32_t i = 0; i < names.n; i++)
            names.at[i] = fsd_slice_from(names.at[i], path.n + 1);
        room = minus(width, columns_of_names(&names, joiner) + 2);
        used = put_path(out, path,
                        room > width / SCOPE_SHARE ? room : width / SCOPE_SHARE);
        used += (size_t)fprintf(out, ": ");
    }
    used += put_names(out, &names, joiner, minus(width, used));
    used += put_slice(out, rest);
    return used;
}

/* -------------------------------------------------------------------- the interface */

size_t fsd_put_names(FILE *out, const char *names, const char *joiner, size_t width)
{
    return put_list(out, fsd_slice_of(names), fsd_slice_of(joiner),
                    width < LEAST_WIDTH ? SIZE_MAX : width);
}

size_t fsd_put_fitted(FILE *out, const char *s, size_t width)
{
    struct fsd_slice t = fsd_slice_of(s);

    if (width < LEAST_WIDTH || fsd_slice_width(t) <= width)
        return put_slice(out, t);
    return put_list(out, t, fsd_slice_of(" + "), width);
}
