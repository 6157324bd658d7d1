#include "base/vec.h"

#include <string.h>

void *fsd_vec_room(struct fsd_arena *arena, void *at, uint32_t n, uint32_t *cap,
                   size_t size)
{
    uint32_t larger;
    void *copy;

    if (n < *cap)
        return at;
    larger = *cap ? *cap + (*cap < UINT32_MAX / 2 ? *cap : UINT32_MAX - *cap) : 8;
    copy = fsd_arena_alloc(arena, larger, size, alignof(max_align_t));
    if (n)
        memcpy(copy, at, (size_t)n * size);
    *cap = larger;
    return copy;
}
