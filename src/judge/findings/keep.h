/* Copies data of a run into another arena, so that the run can be freed. A structure is
 * copied as bytes, and then its texts and lists are copied. */
#pragma once

#include "base/base.h"

/** Copies a text.
 *  @param text may point to NULL */
static inline void fsd_keep_text(struct fsd_arena *arena, const char **text)
{
    if (*text)
        *text = fsd_arena_strndup(arena, *text, strlen(*text));
}

/** Copies bytes, and adds a 0.
 *  @param from may be NULL if `size` is 0 */
static inline void *fsd_keep_bytes(struct fsd_arena *arena, const void *from,
                                   size_t size)
{
    char *to = FSD_NEW(arena, char, size + 1);

    return size ? memcpy(to, from, size) : to;
}

/** Copies a growable array. The items are copied as bytes. */
#define FSD_KEEP_LIST(arena, vec)                                                      \
    ((vec)->at = fsd_keep_bytes((arena), (vec)->at, (vec)->n * sizeof *(vec)->at),     \
     (vec)->cap = (vec)->n)
