/* Reads a comparison that Polygraphy saved: it shows whether the outputs of a network
 * are correct. */
#pragma once

#include "base/base.h"

/** The largest file of a comparison that is read, in bytes. */
enum { FSD_ACCURACY_MOST = 1 << 28 };

/** An output of the network, and its results in a comparison. */
struct fsd_compared {
    fsd_sym name;
    uint32_t passed, failed; /**< number of iterations in which the output passed, and
                                  in which it failed, over all pairs of runners */
    uint32_t latest;         /**< number of the last iteration that states the output,
                                  from 1; 0: none */
};

/** Fills the results of `n` outputs; ignores other tensors.
 *  @return FSD_OK if an output failed, or if all outputs passed each iteration;
 *          FSD_E_FORMAT if the file is no such comparison, or has only averages;
 *          FSD_E_MISMATCH if no output failed, but an iteration lacks an output */
enum fsd_status fsd_accuracy_read(struct fsd_intern *names, const struct fsd_file *file,
                                  struct fsd_compared *outputs, uint32_t n,
                                  struct fsd_error *err);

/** Whether an output failed. */
bool fsd_accuracy_fails(const struct fsd_compared *outputs, uint32_t n);
