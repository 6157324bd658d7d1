/* Runs the readers on a file that may be a build log, a console log, the inspector's
 * text or a dump, without a model. */
#ifndef FSD_TESTS_SUPPORT_ENGINE_H
#define FSD_TESTS_SUPPORT_ENGINE_H

#include "base/base.h"

/** Reads the lines, the engine (the first of several) and the times of layers; aborts
 *  if a result contradicts itself. */
void fuzz_read_engine(const struct fsd_file *file);

/** Reads the facts of a build log, and the network in it. */
void fuzz_read_log(const struct fsd_file *file);

/** Runs both functions above on the first n bytes, in a block of exactly that size, so
 *  that the sanitizer detects a read beyond the end. */
void fuzz_read_cut(const uint8_t *data, size_t n);

#endif
