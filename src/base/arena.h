/* One arena holds everything that lives as long as a run; passes use a second one for
 * scratch.  Memory comes zeroed and is freed all at once.
 *
 * With FSD_ARENA_DEBUG each block is a malloc of its own, so that the address
 * sanitizer and valgrind see an overrun; sanitizer builds turn it on. */
#ifndef FSD_BASE_ARENA_H
#define FSD_BASE_ARENA_H

#include <stdalign.h>
#include <stddef.h>

struct fsd_arena;

struct fsd_arena *fsd_arena_new(void);
void fsd_arena_free(struct fsd_arena *arena); /* may be NULL */

/** Zeroed memory for n objects; never NULL (fsd_out_of_memory() when it runs out or
 *  n * size overflows).  n may be 0. */
void *fsd_arena_alloc(struct fsd_arena *arena, size_t n, size_t size, size_t align);

/** What lies at `at`, all of an allocation of `bytes` bytes in this arena, as the first
 *  of `larger` bytes, of which the others may hold anything; it may have moved.  NULL
 *  is an allocation of 0 bytes. */
void *fsd_arena_grow(struct fsd_arena *arena, void *at, size_t bytes, size_t larger);

/** A zero-terminated copy of n bytes. */
char *fsd_arena_strndup(struct fsd_arena *arena, const char *s, size_t n);

#define FSD_NEW(arena, type, n)                                                        \
    ((type *)fsd_arena_alloc((arena), (n), sizeof(type), alignof(type)))

#endif
