/* Whether the outputs of a network are right, by a comparison that Polygraphy saved. */
#ifndef FSD_BISECT_ACCURACY_H
#define FSD_BISECT_ACCURACY_H

#include "base/base.h"

#include <stdbool.h>
#include <stdint.h>

/** The largest file of a comparison. */
enum { FSD_ACCURACY_MOST = 1 << 28 };

/** An output of the network, and what a comparison states of it. */
struct fsd_compared {
    fsd_sym name;
    uint32_t passed, failed; /**< iterations, of all pairs of runners */
    uint32_t latest;         /**< iteration that states it, from 1 */
};

/** Fills what the comparison states of `n` outputs; other tensors do not count.
 *  @return FSD_OK: an output failed, or all have passed each iteration; FSD_E_FORMAT
 *          for what is no such comparison, or one of averages alone; FSD_E_MISMATCH
 *          where an iteration states nothing of an output, and none failed. */
enum fsd_status fsd_accuracy_read(struct fsd_intern *names, const struct fsd_file *file,
                                  struct fsd_compared *outputs, uint32_t n,
                                  struct fsd_error *err);

/** True if an output failed. */
bool fsd_accuracy_fails(const struct fsd_compared *outputs, uint32_t n);

#endif
