#include "base/vec.h"

void *fsd_vec_room(struct fsd_arena *arena, void *at, uint32_t n, uint32_t *cap,
                   size_t size)
{
    size_t bytes = n * size;

    if (n < *cap)
        return at;
    *cap = n ? n + (n < UINT32_MAX / 2 ? n : UINT32_MAX - n) : 8;
    return fsd_arena_grow(arena, at, bytes, *cap * size);
}
