/*
 * Names that can be taken for the thing itself: those that no counter made.
 *
 *     /layer1/relu/Relu      not if there is a /layer1/relu_1: the first call has no
 *     /layer1/relu_1/Relu    number, and one call more before it moves them all on
 */
#include "compare/parts.h"

#include <string.h>

/* The length without "_12" behind; n when a counter made it not. */
static size_t without_counter(const char *name, size_t n)
{
    size_t i = n;

    while (i && name[i - 1] >= '0' && name[i - 1] <= '9')
        i--;
    return i < n && i > 1 && name[i - 1] == '_' ? i - 1 : n;
}

bool fsd_align_weight_identifies(const char *name)
{
    size_t n = strlen(name);

    return strncmp(name, "onnx::", 6) != 0 && strchr(name, '.') &&
           without_counter(name, n) == n;
}

/* The length of the name's next step from `at`, as "/layer1" is one. */
static size_t step(const char *name, size_t at)
{
    return name[at] ? 1 + strcspn(name + at + 1, "/.:") : 0;
}

struct fsd_intern *fsd_align_counted(struct fsd_arena *scratch,
                                     const struct fsd_state *s)
{
    struct fsd_intern *stems = fsd_intern_new(scratch);

    for (fsd_id i = 0; i < s->nodes.n; i++) {
        const char *name = fsd_text(s->names, s->nodes.at[i].key);

        for (size_t at = 0, n = step(name, 0); n; at += n, n = step(name, at)) {
            size_t stem = without_counter(name, at + n);

            if (stem < at + n)
                fsd_intern_add(stems, name, stem);
        }
    }
    return stems;
}

bool fsd_align_node_identifies(const struct fsd_intern *counted, const char *name)
{
    if (!strchr(name, '/'))
        return false;
    for (size_t at = 0, n = step(name, 0); n; at += n, n = step(name, at))
        if (without_counter(name, at + n) < at + n ||
            fsd_intern_find(counted, name, at + n) != FSD_NONE)
            return false;
    return true;
}
