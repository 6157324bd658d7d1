#include "trt/tensor_name.h"

#include <string.h>

/* The length without " [profile N]" at the end; n when there is none. */
static size_t without_profile(const char *s, size_t n)
{
    static const char words[] = " [profile ";
    size_t len = sizeof words - 1, at = n;

    if (!n || s[n - 1] != ']')
        return n;
    for (at = n - 1; at && s[at - 1] >= '0' && s[at - 1] <= '9';)
        at--;
    if (at == n - 1 || at < len || memcmp(s + at - len, words, len) != 0)
        return n;
    return at - len;
}

void fsd_trt_tensor_aliases(struct fsd_graph *g, const struct fsd_vocab *vocab)
{
    for (fsd_id i = 0; i < g->tensors.n; i++) {
        struct fsd_tensor *t = &g->tensors.at[i];
        const char *name = fsd_text(g->names, t->name);
        size_t n = fsd_text_len(g->names, t->name), bare = without_profile(name, n);
        const struct fsd_meaning *whole = fsd_vocab_find(vocab, name, n);
        const struct fsd_meaning *what =
            bare < n ? fsd_vocab_find(vocab, name, bare) : NULL;

        if ((whole && whole->tensor != FSD_NONE) || !what || what->tensor == FSD_NONE)
            continue;
        t->alias = fsd_intern_add(g->names, name, bare);
    }
}
