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

/** A number below `end`; 0 if `end` is 0. */
size_t fuzz_below(struct fuzz_random *random, size_t end);

/** Changes a whole field of a ModelProto: removes, doubles or moves it, gives it the
 *  contents of another field, gives a name the bytes of another name, or a number an
 *  extreme value.  Corrects the lengths of the messages around the field.  Bytes that
 *  are no ModelProto are mutated as bytes.
 *  @return the new size, at most `most`, which is the room at `data` */
size_t fuzz_mutate_model(struct fuzz_random *random, uint8_t *data, size_t size,
                         size_t most);

/** Changes a whole string of a JSON text: replaces it by another string of the text, or
 *  by one of the model's names.  `model` may be empty. */
size_t fuzz_mutate_json(struct fuzz_random *random, uint8_t *data, size_t size,
                        size_t most, const uint8_t *model, size_t model_size);

#endif
