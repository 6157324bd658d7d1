/*
 * Prints layers as the builder wrote them, for people who know the builder's dumps
 * better than this program's reports. A layer is a JSON object, or a line in the
 * inspector's text.
 *
 * Layers are found by searching the text for their names, so that the reader of engines
 * need not store positions in the file. A name that the dump spells differently is not
 * found. Of two layers with the same name, the first is printed.
 */
#include "base/base.h"
#include "edit/issue/issue.h"

enum { MOST_EXCERPT = 1600 };

static bool is_before(struct fsd_slice text, const char *at, const char *word)
{
    size_t n = strlen(word);

    return (size_t)(at - text.s) >= n && !memcmp(at - n, word, n);
}

/* Takes the JSON object { "Name": "conv", ... } around the name at `at`. The name is
 * the first key of a layer. */
static bool take_object(struct fsd_slice text, const char *at, size_t n,
                        struct fsd_slice *out)
{
    static const char key[] = "\"Name\"";
    const char *begin = at;
    struct fsd_slice left;
    size_t closed;

    if (!is_before(text, at, "\"") || at[n] != '"')
        return false;
    for (begin--; begin > text.s && strchr(" :\t", begin[-1]);)
        begin--;
    if (!is_before(text, begin, key))
        return false;
    begin -= sizeof key - 1;
    while (begin > text.s && *begin != '{')
        begin--;
    out->s = begin;
    left = fsd_slice_from(text, (size_t)(begin - text.s));
    closed = fsd_slice_brackets(left);
    out->n = closed ? closed : left.n; /* truncated dump: takes the rest */
    return fsd_slice_find(*out, "\"LayerType\"") != NULL;
}

/* Takes the line "Name: conv, LayerType: ..." around the name at `at`. */
static bool take_line(struct fsd_slice text, const char *at, size_t n,
                      struct fsd_slice *out)
{
    static const char key[] = "Name: ", next[] = ", LayerType: ";
    size_t left = text.n - (size_t)(at - text.s) - n;
    const char *end;

    if (!is_before(text, at, key) || left < sizeof next - 1 ||
        memcmp(at + n, next, sizeof next - 1) != 0)
        return false;
    end = memchr(at, '\n', left + n);
    out->s = at - (sizeof key - 1);
    out->n = (size_t)((end ? end : text.s + text.n) - out->s);
    return true;
}

static bool find_layer(struct fsd_slice text, const char *name, struct fsd_slice *out)
{
    size_t n = strlen(name);
    struct fsd_slice left = text;
    const char *at;

    while (n && (at = fsd_slice_find(left, name)) && at + n < text.s + text.n) {
        if (take_object(text, at, n, out) || take_line(text, at, n, out))
            return true;
        left = fsd_slice_from(text, (size_t)(at - text.s) + 1);
    }
    return false;
}

/* Prints the text line by line. Characters that would control a terminal are
 * escaped. */
static void put_lines(struct fsd_slice text, struct fsd_intern *texts, FILE *out)
{
    while (text.n) {
        const char *end = memchr(text.s, '\n', text.n);
        size_t n = end ? (size_t)(end - text.s) : text.n;

        fsd_put_safe(out, fsd_text(texts, fsd_intern_add(texts, text.s, n)));
        text = fsd_slice_from(text, end ? n + 1 : n);
        fputs("\n", out);
    }
}

bool fsd_issue_put_dump(const struct fsd_file *file, struct fsd_intern *texts,
                        const char *name, FILE *out)
{
    struct fsd_slice text = {(const char *)file->bytes, file->size}, found;
    size_t left;

    if (!find_layer(text, name, &found))
        return false;
    left = found.n > MOST_EXCERPT ? found.n - MOST_EXCERPT : 0;
    found.n -= left;
    put_lines(found, texts, out);
    if (left)
        fprintf(out, "... and %zu more bytes\n", left);
    return true;
}
