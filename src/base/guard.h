/* Where a function of the library continues when memory runs out.  Code that allocates
 * need not check for it: fsd_out_of_memory() frees what was allocated since the public
 * function was called, and that function returns FSD_E_MEMORY. */
#ifndef FSD_BASE_GUARD_H
#define FSD_BASE_GUARD_H

#include "base/status.h"

#include <setjmp.h>

struct fsd_guard {
    jmp_buf at;
    struct fsd_guard *outer;
    unsigned depth; /* how many guards are nested, this one included */
};

/** The first member of what is to be freed, or anywhere in it where `run` finds that.
 */
struct fsd_cleanup {
    void (*run)(struct fsd_cleanup *self);
    struct fsd_cleanup *older, *newer;
    unsigned depth; /* of the guard that was current when it was added; 0: none */
};

/** The first statement of each public function that allocates, after clearing *out:
 *  when memory runs out, that function returns `otherwise` from here. */
#define FSD_GUARD_OR(otherwise)                                                        \
    struct fsd_guard guard __attribute__((cleanup(fsd_guard_leave)));                  \
                                                                                       \
    fsd_guard_enter(&guard);                                                           \
    if (setjmp(guard.at))                                                              \
    return otherwise
#define FSD_GUARD(err) FSD_GUARD_OR(fsd_fail_memory(err, NULL))

void fsd_guard_enter(struct fsd_guard *guard);
void fsd_guard_leave(struct fsd_guard *guard);

/** Adds `run` to the current guard of this thread, if there is one. */
void fsd_cleanup_add(struct fsd_cleanup *c, void (*run)(struct fsd_cleanup *self));
/** Removes it: what it would free was freed, or has another owner. */
void fsd_cleanup_drop(struct fsd_cleanup *c);

/** Does not return.  Memory runs out because of the machine, not the input, all sizes
 *  of which are checked first.  Outside of guards it ends the process, as set by
 *  fsd_on_out_of_memory(). */
_Noreturn void fsd_out_of_memory(void);

#endif
