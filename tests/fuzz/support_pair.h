/* An input that consists of a model and an engine, with or without the build's log and
 * profile:
 *
 *     size of the model (4 bytes, little endian), model, engine
 *     [0x1d log [0x1d profile]] */
#ifndef FSD_TESTS_SUPPORT_PAIR_H
#define FSD_TESTS_SUPPORT_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fuzz_part {
    const uint8_t *at; /**< NULL: the input has no such part */
    size_t n;
};

struct fuzz_pair {
    struct fuzz_part model, engine, log, profile;
};

/** Splits the input into its parts; false if it has no engine. */
bool fuzz_pair_split(struct fuzz_pair *out, const uint8_t *data, size_t size);

/** Changes the model by its fields, or the engine by its names.
 *  @return the new size, at most `most`, which is the room at `data`. */
size_t fuzz_pair_mutate(uint8_t *data, size_t size, size_t most, unsigned seed);

#endif
