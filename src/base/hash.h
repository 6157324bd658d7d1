/* Hashes.  Those of 64 bits never leave the process. */
#ifndef FSD_BASE_HASH_H
#define FSD_BASE_HASH_H

#include "base/file.h"
#include "base/guard.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

uint64_t fsd_hash_bytes(const void *bytes, size_t n);
static inline uint64_t fsd_hash_text(const char *text)
{
    return fsd_hash_bytes(text, strlen(text));
}
/** Combines two numbers; their order counts. */
static inline uint64_t fsd_hash_mix(uint64_t a, uint64_t b)
{
    const uint64_t both[] = {a, b};

    return fsd_hash_bytes(both, sizeof both);
}

/** A hash whose collisions cannot be prepared without knowing the seed, and a seed that
 *  differs in each process.  No output may depend on it. */
uint64_t fsd_hash_seeded(const void *bytes, size_t n, uint64_t seed);
uint64_t fsd_hash_seed(void);

/** XXH3's 128 bits, the low half first: the same on every machine. */
void fsd_hash_128(const void *bytes, size_t n, uint64_t out[2]);

/* ------------------------------------------- of a file, while somebody goes through it
 */

struct XXH3_state_s; /* of xxhash.h */

struct fsd_digest {
    const struct fsd_file *file;
    struct XXH3_state_s *state;
    struct fsd_cleanup cleanup;
    size_t at; /**< so many bytes are in it */
};

/** False if there is no memory; no other call is allowed then. */
bool fsd_digest_begin(struct fsd_digest *d, const struct fsd_file *file);

/** Hashes the bytes before `at` and some behind them. */
void fsd_digest_step(struct fsd_digest *d, size_t at);

/** Hashes the rest.
 *  @param hash XXH3's 128 bits, the low half first. */
void fsd_digest_end(struct fsd_digest *d, uint64_t hash[2]);

#endif
