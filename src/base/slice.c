#define _GNU_SOURCE /* memmem, memrchr */
#include "base/slice.h"

const char *fsd_slice_find(struct fsd_slice t, const char *word)
{
    return memmem(t.s, t.n, word, strlen(word));
}

const char *fsd_slice_find_last(struct fsd_slice t, const char *word)
{
    size_t n = strlen(word);

    while (t.n >= n) {
        const char *end = memrchr(t.s, word[n - 1], t.n);

        if (!end || (size_t)(end - t.s) + 1 < n)
            return NULL;
        if (!memcmp(end + 1 - n, word, n))
            return end + 1 - n;
        t.n = (size_t)(end - t.s);
    }
    return NULL;
}

bool fsd_slice_split_at(struct fsd_slice *t, const char *word, struct fsd_slice *right)
{
    const char *at = fsd_slice_find(*t, word);

    if (at)
        *right = fsd_slice_split(t, at, strlen(word));
    return at != NULL;
}
