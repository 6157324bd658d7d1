/* What reads a file that may be a build log, a console log, the inspector's text or a
 * dump, without a model. */
#ifndef FSD_TESTS_SUPPORT_ENGINE_H
#define FSD_TESTS_SUPPORT_ENGINE_H

#include "base/base.h"

/** Reads the lines, the engine (the first of several), and the layer times; aborts when
 *  a result contradicts itself. */
void fuzz_read_engine(const struct fsd_file *file);

/** Reads what a build log states, and the network in it. */
void fuzz_read_log(const struct fsd_file *file);

/** Both of the first n bytes alone, in a block of just their size, so that a read
 *  behind them is seen. */
void fuzz_read_cut(const uint8_t *data, size_t n);

#endif
