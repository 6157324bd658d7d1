/* Where a function of the library goes on when memory runs out.  What takes memory need
 * not check for it: fsd_out_of_memory() frees what was made since the public function
 * was called, and that function returns FSD_E_MEMORY. */
#ifndef FSD_BASE_GUARD_H
#define FSD_BASE_GUARD_H

#include "base/status.h"

#include <setjmp.h>

struct fsd_guard {
    jmp_buf at;
    struct fsd_guard *outer;
    unsigned depth; /* guards around it, and itself */
};

/** First in what is to be freed, or anywhere in it where `run` finds that. */
struct fsd_cleanup {
    void (*run)(struct fsd_cleanup *self);
    struct fsd_cleanup *older, *newer;
    unsigned depth; /* of the guard that it was made under; 0: of none */
};

/** First in each public function that takes memory, with *out already cleared: it
 *  returns `otherwise` from there when memory runs out. */
#define FSD_GUARD_OR(otherwise)                                                        \
    struct fsd_guard guard __attribute__((cleanup(fsd_guard_leave)));                  \
                                                                                       \
    fsd_guard_enter(&guard);                                                           \
    if (setjmp(guard.at))                                                              \
    return otherwise
#define FSD_GUARD(err) FSD_GUARD_OR(fsd_fail_memory(err, NULL))

void fsd_guard_enter(struct fsd_guard *guard);
void fsd_guard_leave(struct fsd_guard *guard);

/** What `run` frees is of the guard that this thread is in, if any, from now on. */
void fsd_cleanup_add(struct fsd_cleanup *c, void (*run)(struct fsd_cleanup *self));
/** It is freed, or somebody else's. */
void fsd_cleanup_drop(struct fsd_cleanup *c);

/** Does not return: the machine's condition, not the input's, of which every size is
 *  checked first.  Ends the process outside of guards, and as fsd_on_out_of_memory()
 *  says. */
_Noreturn void fsd_out_of_memory(void);

#endif
