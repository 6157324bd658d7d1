/*
 * Union-find over ids with path halving.  The root of a joined set is its smallest id,
 * not the root of the larger set as usual.  The result then does not depend on the
 * order of the joins, so that reports have the same bytes everywhere.  Path halving
 * alone keeps the trees flat enough.
 */
#include "base/base.h"

fsd_id *fsd_sets_new(struct fsd_arena *arena, uint32_t n)
{
    fsd_id *sets = FSD_NEW(arena, fsd_id, n);

    for (fsd_id i = 0; i < n; i++)
        sets[i] = i;
    return sets;
}

fsd_id fsd_sets_find(fsd_id *sets, fsd_id i)
{
    while (sets[i] != i) {
        sets[i] = sets[sets[i]]; /* path halving, for the next search */
        i = sets[i];
    }
    return i;
}

/* The smaller id becomes the root, so that the result does not depend on the order of
 * joins. */
void fsd_sets_join(fsd_id *sets, fsd_id a, fsd_id b)
{
    a = fsd_sets_find(sets, a);
    b = fsd_sets_find(sets, b);
    if (a < b)
        sets[b] = a;
    else
        sets[a] = b;
}
