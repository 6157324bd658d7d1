/* Strings as dense numbers.  Model and engine share one table, so equal names are
 * equal numbers and most maps are arrays.
 *
 * Strings are made valid UTF-8 on the way in: a byte that is not part of a valid
 * sequence, and a zero byte, becomes the four characters "\xNN".  Writers may rely
 * on it.  Symbol 0 is the empty string. */
#ifndef FSD_BASE_INTERN_H
#define FSD_BASE_INTERN_H

#include "base/arena.h"
#include "base/id.h"
#include "base/slice.h"

typedef fsd_id fsd_sym;

struct fsd_intern;

/** Allocated in the arena, and freed with it. */
struct fsd_intern *fsd_intern_new(struct fsd_arena *arena);

/** The symbol of n bytes, new or known. */
fsd_sym fsd_intern_add(struct fsd_intern *names, const char *s, size_t n);
static inline fsd_sym fsd_intern_slice(struct fsd_intern *names, struct fsd_slice t)
{
    return fsd_intern_add(names, t.s, t.n);
}
/** The same for a zero-terminated string; NULL is the empty string. */
fsd_sym fsd_intern_str(struct fsd_intern *names, const char *s);
/** The symbol of binary bytes, in a table of their own: they are neither changed nor
 *  copied. */
fsd_sym fsd_intern_bytes(struct fsd_intern *names, const void *bytes, size_t n);

/** The symbol of n bytes, FSD_NONE when it was never added. */
fsd_sym fsd_intern_find(const struct fsd_intern *names, const char *s, size_t n);

/** The text of a symbol, zero-terminated, never NULL. */
const char *fsd_text(const struct fsd_intern *names, fsd_sym sym);
size_t fsd_text_len(const struct fsd_intern *names, fsd_sym sym);

/** Gives symbols another text; who has a symbol has that then.
 *  @param texts  by symbol, which outlive the table; NULL: it keeps its own. */
void fsd_intern_replace(struct fsd_intern *names, const char *const *texts);

/** How many symbols there are; they are 0 .. count-1. */
uint32_t fsd_intern_count(const struct fsd_intern *names);

#endif
