/* Mutators that know where the names, numbers and messages of an input are. */
#ifndef FSD_TESTS_SUPPORT_MUTATE_H
#define FSD_TESTS_SUPPORT_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer's own mutator; without libFuzzer, a stand-in (standalone.c). */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

struct fuzz_random {
    uint64_t state; /* never 0 */
};

/** A number below `end`, 0 when that is 0. */
size_t fuzz_below(struct fuzz_random *random, size_t end);

/** Changes a ModelProto by whole fields: one is left out, doubled, moved, given
 *  another's contents, a name gets another's bytes, a number an extreme value.  The
 *  lengths around it are put right.  What is no ModelProto is mutated as bytes.
 *  @return the new size, at most `most`, which is the room at `data`. */
size_t fuzz_mutate_model(struct fuzz_random *random, uint8_t *data, size_t size,
                         size_t most);

/** Changes a JSON text by whole strings: one takes the place of another, or one of the
 *  model's names does.  `model` may be empty. */
size_t fuzz_mutate_json(struct fuzz_random *random, uint8_t *data, size_t size,
                        size_t most, const uint8_t *model, size_t model_size);

#endif
