/* Whether the outputs of a network are correct, according to a comparison that
 * Polygraphy saved. */
#pragma once

#include "base/base.h"

/** The size limit of a comparison's file, in bytes. */
enum { FSD_ACCURACY_MOST = 1 << 28 };

/** An output of the network, and the results that a comparison states for it. */
struct fsd_compared {
    fsd_sym name;
    uint32_t passed, failed; /**< number of iterations, over all pairs of runners */
    uint32_t latest;         /**< number of the last iteration that states it, from 1 */
};

/** Fills the results of `n` outputs; ignores other tensors.
 *  @return FSD_OK if an output failed, or all passed each iteration; FSD_E_FORMAT if
 *          the file is not such a comparison, or has only averages; FSD_E_MISMATCH if
 *          no output failed and an iteration lacks one. */
enum fsd_status fsd_accuracy_read(struct fsd_intern *names, const struct fsd_file *file,
                                  struct fsd_compared *outputs, uint32_t n,
                                  struct fsd_error *err);

/** True if an output failed. */
bool fsd_accuracy_fails(const struct fsd_compared *outputs, uint32_t n);
