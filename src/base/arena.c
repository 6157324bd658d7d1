/*
 * Blocks of growing size in a list, each filled from the front:
 *
 *     newest -> [header|used....|free......] -> [header|used......] -> ...
 *
 * If a request does not fit into the newest block, the arena allocates another block.
 * Blocks double in size, from 4 KiB to a megabyte.  A request that is larger than the
 * next block gets a block of its own, which can grow; the system supplies such blocks
 * already zeroed.  In all other blocks, the arena zeroes only the requested
 * bytes.
 */
#include "base/base.h"

#include <stdlib.h>

enum { FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20 };

struct block {
    struct block *next, *newer;
    size_t used, size; /* the numbers of used bytes and of all bytes in `data` */
    alignas(max_align_t) unsigned char data[];
};

struct fsd_arena {
    struct fsd_cleanup cleanup; /* must be the first member */
    struct block *newest;
    size_t next_size;
};

static struct block *add_block(struct fsd_arena *arena, size_t size, bool zero)
{
    struct block *block =
        zero ? calloc(1, sizeof *block + size) : malloc(sizeof *block + size);

    if (!block)
        fsd_out_of_memory();
    *block = (struct block){.size = size, .next = arena->newest};
    if (block->next)
        block->next->newer = block;
    arena->newest = block;
    return block;
}

static void drop(struct fsd_cleanup *cleanup)
{
    fsd_arena_free((struct fsd_arena *)cleanup);
}

struct fsd_arena *fsd_arena_new(void)
{
    struct fsd_arena *arena = calloc(1, sizeof *arena);

    if (!arena)
        fsd_out_of_memory();
    arena->next_size = FIRST_BLOCK;
    fsd_cleanup_add(&arena->cleanup, drop);
    return arena;
}

void fsd_arena_free(struct fsd_arena *arena)
{
    if (!arena)
        return;
    fsd_cleanup_drop(&arena->cleanup);
    for (struct block *block = arena->newest; block;) {
        struct block *next = block->next;

        free(block);
        block = next;
    }
    free(arena);
}

void fsd_scratch_end(struct fsd_arena **scratch)
{
    fsd_arena_free(*scratch);
}

static void *take(struct fsd_arena *arena, size_t bytes, size_t align, bool zero)
{
    struct block *block;
    size_t at;

#ifdef FSD_ARENA_DEBUG
    (void)align;
    (void)at;
    block = add_block(arena, bytes, zero);
    return block->data;
#else
    block = arena->newest;
    at = block ? (block->used + align - 1) & ~(align - 1) : 0;
    if (!block || at > block->size || bytes > block->size - at) {
        bool alone = bytes > arena->next_size;

        block = add_block(arena, alone ? bytes : arena->next_size, zero && alone);
        if (arena->next_size < LARGEST_BLOCK)
            arena->next_size *= 2;
        at = 0;
        zero &= !alone;
    }
    block->used = at + bytes;
    return zero ? memset(block->data + at, 0, bytes) : block->data + at;
#endif
}

void *fsd_arena_alloc(struct fsd_arena *arena, size_t n, size_t size, size_t align)
{
    if (size && n > (SIZE_MAX / 2) / size)
        fsd_out_of_memory();
    return take(arena, n * size, align, true);
}

/* Enlarges the block of a large allocation by realloc(), which can move its pages.  A
 * copy would need memory for the old and the new array at the same time. */
static void *grow_block(struct fsd_arena *arena, void *at, size_t bytes)
{
    struct block *block =
        (struct block *)((unsigned char *)at - offsetof(struct block, data));

    block = realloc(block, sizeof *block + bytes);
    if (!block)
        fsd_out_of_memory();
    block->size = block->used = bytes;
    *(block->newer ? &block->newer->next : &arena->newest) = block;
    if (block->next)
        block->next->newer = block;
    return block->data;
}

void *fsd_arena_grow(struct fsd_arena *arena, void *at, size_t bytes, size_t larger)
{
#ifdef FSD_ARENA_DEBUG
    bool alone = at != NULL;
#else
    bool alone = bytes > LARGEST_BLOCK;
#endif
    void *copy;

    if (alone)
        return grow_block(arena, at, larger);
    copy = take(arena, larger, alignof(max_align_t), false);
    if (at)
        memcpy(copy, at, bytes);
    return copy;
}

char *fsd_arena_strndup(struct fsd_arena *arena, const char *s, size_t n)
{
    char *copy = take(arena, n + 1, 1, false);

    if (n)
        memcpy(copy, s, n);
    copy[n] = '\0';
    return copy;
}
