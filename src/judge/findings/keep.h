/* Copies what a run owns into another arena, independent of the run: a structure as
 * bytes, then each of its texts and lists. */
#pragma once

#include "base/base.h"

/** @param text  may point to NULL. */
static inline void fsd_keep_text(struct fsd_arena *arena, const char **text)
{
    if (*text)
        *text = fsd_arena_strndup(arena, *text, strlen(*text));
}

/** @param from  may be NULL if `size` is 0. */
static inline void *fsd_keep_bytes(struct fsd_arena *arena, const void *from,
                                   size_t size)
{
    char *to = FSD_NEW(arena, char, size + 1);

    return size ? memcpy(to, from, size) : to;
}

/** Copies a growable array; its items are copied as bytes. */
#define FSD_KEEP_LIST(arena, vec)                                                      \
    ((vec)->at = fsd_keep_bytes((arena), (vec)->at, (vec)->n * sizeof *(vec)->at),     \
     (vec)->cap = (vec)->n)
