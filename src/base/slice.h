/* A stretch of a text that somebody else holds, and what readers of lines ask of it. */
#ifndef FSD_TRT_SLICE_H
#define FSD_TRT_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct fsd_slice {
    const char *s;
    size_t n;
};

static inline bool fsd_slice_begins(struct fsd_slice t, const char *word)
{
    size_t n = strlen(word);

    return t.n >= n && !memcmp(t.s, word, n);
}

/** Takes the word off the front; false, and nothing taken, when it is not there. */
static inline bool fsd_slice_take(struct fsd_slice *t, const char *word)
{
    size_t n = strlen(word);

    if (!fsd_slice_begins(*t, word))
        return false;
    t->s += n;
    t->n -= n;
    return true;
}

/** The same of the end. */
static inline bool fsd_slice_drop(struct fsd_slice *t, const char *word)
{
    size_t n = strlen(word);

    if (t->n < n || memcmp(t->s + t->n - n, word, n) != 0)
        return false;
    t->n -= n;
    return true;
}

/** Where the word stands first, or last; NULL. */
const char *fsd_slice_find(struct fsd_slice t, const char *word);
const char *fsd_slice_find_last(struct fsd_slice t, const char *word);

/** Splits `t` at a word of n bytes that stands at `at`: it keeps the left side.
 *  @return the right side. */
static inline struct fsd_slice fsd_slice_split(struct fsd_slice *t, const char *at,
                                               size_t n)
{
    struct fsd_slice right = {at + n, (size_t)(t->s + t->n - at) - n};

    t->n = (size_t)(at - t->s);
    return right;
}

/** Splits `t` at the first such word; false when there is none. */
bool fsd_slice_split_at(struct fsd_slice *t, const char *word, struct fsd_slice *right);

#endif
