/* Hashes.  Those of 64 bits never leave the process. */
#ifndef FSD_BASE_HASH_H
#define FSD_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/** Both numbers; the order counts. */
uint64_t fsd_hash_mix(uint64_t a, uint64_t b);
uint64_t fsd_hash_text(const char *text);
uint64_t fsd_hash_bytes(const void *bytes, size_t n);

/** A hash whose collisions nobody can prepare who does not know the seed, and a seed
 *  that is another one each time.  No output may depend on it. */
uint64_t fsd_hash_seeded(const void *bytes, size_t n, uint64_t seed);
uint64_t fsd_hash_seed(void);

/** XXH3's 128 bits, the low half first: the same on every machine. */
void fsd_hash_128(const void *bytes, size_t n, uint64_t out[2]);

#endif
