/* The hash of a file's bytes, taken while somebody goes through them. */
#ifndef FSD_BASE_DIGEST_H
#define FSD_BASE_DIGEST_H

#include "base/file.h"

#include <stdbool.h>
#include <stdint.h>

struct XXH3_state_s; /* of xxhash.h */

struct fsd_digest {
    const struct fsd_file *file;
    struct XXH3_state_s *state;
    size_t at; /**< so many bytes are in it */
};

/** False when there is no memory; no other call is allowed then. */
bool fsd_digest_begin(struct fsd_digest *d, const struct fsd_file *file);

/** Takes in the bytes before `at` and some behind them. */
void fsd_digest_step(struct fsd_digest *d, size_t at);

/** Takes in the rest.
 *  @param hash XXH3's 128 bits, the low half first. */
void fsd_digest_end(struct fsd_digest *d, uint64_t hash[2]);

#endif
