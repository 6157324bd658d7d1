/*
 * The growth of FSD_VEC arrays.  The capacity doubles, so that n appends copy at most
 * 2n elements.  The old copies of a small array stay in the arena until the arena is
 * freed; together they need at most as much memory as the array.  An array that is
 * larger than a block of the arena has a block of its own, which realloc() enlarges.
 */
#include "base/base.h"

void *fsd_vec_room(struct fsd_arena *arena, void *at, uint32_t n, uint32_t *cap,
                   size_t size)
{
    size_t bytes = n * size;

    if (n < *cap)
        return at;
    *cap = n ? n + (n < UINT32_MAX / 2 ? n : UINT32_MAX - n) : 8;
    return fsd_arena_grow(arena, at, bytes, *cap * size);
}
