#include "trt/tensor_name.h"

#include <stdbool.h>
#include <string.h>

/* The length without trailing digits; n itself when there are none. */
static size_t without_digits(const char *s, size_t n)
{
    while (n && s[n - 1] >= '0' && s[n - 1] <= '9')
        n--;
    return n;
}

/* The length without `prefix` and the digits behind it ("_myl" and "4"). */
static size_t without(const char *s, size_t n, const char *prefix)
{
    size_t bare = without_digits(s, n), len = strlen(prefix);

    if (bare == n || bare < len || memcmp(s + bare - len, prefix, len) != 0)
        return n;
    return bare - len;
}

static size_t without_profile(const char *s, size_t n)
{
    return n && s[n - 1] == ']' ? without(s, n - 1, " [profile ") : n;
}

struct reading {
    const struct fsd_vocab *vocab;
    const struct fsd_meaning *found;
    size_t length;
    bool several;
};

static void try_reading(struct reading *r, const char *s, size_t n)
{
    const struct fsd_meaning *meaning = n ? fsd_vocab_find(r->vocab, s, n) : NULL;

    if (!meaning || meaning->tensor == FSD_NONE || meaning == r->found)
        return;
    r->several = r->found;
    r->found = meaning;
    r->length = n;
}

/* "_myl4" or ".1_74" at the end: Myelin made this name.  Without that sign a number at
 * the end of a name is the engine's own counter and no reading. */
static bool is_myelin(const char *s, size_t n)
{
    size_t shorter = without(s, n, "_");

    return without(s, n, "_myl") < n ||
           (shorter < n && without(s, shorter, ".") < shorter);
}

/* Takes one ending after the other off and tries what is left each time. */
static void read_name(struct reading *r, const char *s, size_t n)
{
    static const char *const endings[] = {"_myl", "_", "."};

    if (!is_myelin(s, n))
        return;
    for (size_t i = 0; i < FSD_COUNT_OF(endings); i++) {
        size_t shorter = without(s, n, endings[i]);

        if (shorter == n)
            continue;
        n = without_profile(s, shorter);
        try_reading(r, s, n);
    }
    while (n && s[n - 1] == '\'')
        try_reading(r, s, --n);
}

void fsd_trt_tensor_aliases(struct fsd_graph *g, const struct fsd_vocab *vocab)
{
    for (fsd_id i = 0; i < g->tensors.n; i++) {
        struct fsd_tensor *t = &g->tensors.at[i];
        const char *name = fsd_text(g->names, t->name);
        size_t n = fsd_text_len(g->names, t->name);
        const struct fsd_meaning *exact = fsd_vocab_find(vocab, name, n);
        struct reading r = {.vocab = vocab};

        if (exact && exact->tensor != FSD_NONE)
            continue;
        n = without_profile(name, n);
        try_reading(&r, name, n);
        read_name(&r, name, n);
        if (r.found && !r.several)
            t->alias = fsd_intern_add(g->names, name, r.length);
    }
}
