/* A growable array in an arena: `FSD_VEC(int) v = {0}; fsd_vec_push(arena, &v, 3);`.
 * Growing may move it: keep no pointers into an array that still grows. */
#ifndef FSD_BASE_VEC_H
#define FSD_BASE_VEC_H

#include "base/arena.h"
#include <stdint.h>

#define FSD_VEC(type)                                                                  \
    struct {                                                                           \
        type *at;                                                                      \
        uint32_t n, cap;                                                               \
    }

/** Appends a copy of the value.  The array has n < 2^32 - 1. */
#define fsd_vec_push(arena, vec, ...)                                                  \
    ((vec)->at =                                                                       \
         fsd_vec_room((arena), (vec)->at, (vec)->n, &(vec)->cap, sizeof *(vec)->at),   \
     (vec)->at[(vec)->n++] = (__VA_ARGS__))

/** Makes room for one more and returns the array's address; called by the macro. */
void *fsd_vec_room(struct fsd_arena *arena, void *at, uint32_t n, uint32_t *cap,
                   size_t size);

#endif
