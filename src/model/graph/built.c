/*
 * A short list of facts that states how an engine was built.  fsd_built_add() keeps the
 * first value of a key, so callers add the facts of the most reliable source first.
 * fsd_built_sort() removes the versions, because another part of the report has them.
 * The other keys of the table below come first, in the order of the table.  The
 * builder's own options follow, sorted by name.
 */
#include "model/graph/built.h"

static const char *const keys[] = {
    FSD_BUILT_VERSION,    FSD_BUILT_LIBRARY, FSD_BUILT_LABEL,     FSD_BUILT_GPU,
    FSD_BUILT_CAPABILITY, FSD_BUILT_KERNELS, FSD_BUILT_PRECISION, FSD_BUILT_CALIBRATION,
    FSD_BUILT_FLAGS,      FSD_BUILT_ROUTE,   FSD_BUILT_MEASURED};

enum { VERSIONS = 2 }; /* the number of keys at the front of `keys` that are versions */

static size_t rank(const char *key)
{
    size_t i = 0;

    while (i < FSD_COUNT_OF(keys) && strcmp(key, keys[i]) != 0)
        i++;
    return i;
}

bool fsd_built_is_option(const char *key)
{
    return rank(key) == FSD_COUNT_OF(keys);
}

/* Compares two keys.  The builder's own options are sorted by name, because their order
 * on the command line has no meaning. */
static int by_rank(const struct fsd_intern *names, fsd_sym a, fsd_sym b)
{
    const char *s = fsd_text(names, a), *t = fsd_text(names, b);
    int order = (int)rank(s) - (int)rank(t);

    return order ? order : strcmp(s, t);
}

void fsd_built_sort(fsd_built_vec *built, const struct fsd_intern *names)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < built->n; i++) { /* a short list */
        struct fsd_built fact = built->at[i];
        uint32_t at = n;

        if (rank(fsd_text(names, fact.key)) < VERSIONS)
            continue;
        for (; at > 0 && by_rank(names, built->at[at - 1].key, fact.key) > 0; at--)
            built->at[at] = built->at[at - 1];
        built->at[at] = fact;
        n++;
    }
    built->n = n;
}

fsd_sym fsd_built_find(const fsd_built_vec *built, const struct fsd_intern *names,
                       const char *key)
{
    for (uint32_t i = 0; i < built->n; i++)
        if (!strcmp(fsd_text(names, built->at[i].key), key))
            return built->at[i].value;
    return 0;
}

void fsd_built_set(struct fsd_arena *arena, const struct fsd_intern *names,
                   fsd_built_vec *built, struct fsd_built fact)
{
    uint32_t at = 0;

    while (at < built->n &&
           strcmp(fsd_text(names, built->at[at].key), fsd_text(names, fact.key)) != 0)
        at++;
    if (at == built->n) {
        fsd_vec_push(arena, built, fact);
        for (; at > 0; at--)
            built->at[at] = built->at[at - 1];
    }
    built->at[at] = fact;
}

void fsd_built_add(struct fsd_arena *arena, const struct fsd_intern *names,
                   fsd_built_vec *built, struct fsd_built fact)
{
    if (!fsd_built_find(built, names, fsd_text(names, fact.key)))
        fsd_vec_push(arena, built, fact);
}
