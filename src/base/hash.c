/*
 * The hash functions, all of them xxHash's XXH3.  Names are hashed with a random seed,
 * because a file could otherwise contain many names with the same hash.  Hashes of 128
 * bits identify whole files in snapshots and reports, and have no seed.
 *
 * Most hashed values are two numbers or a short name.  A call into the library takes
 * longer than hashing them, so this file compiles the hash functions inline.
 */
#include "base/base.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t fsd_hash_bytes(const void *bytes, size_t n)
{
    return XXH3_64bits(bytes, n);
}

uint64_t fsd_hash_mix(uint64_t a, uint64_t b)
{
    const uint64_t both[] = {a, b};

    return XXH3_64bits(both, sizeof both);
}

uint64_t fsd_hash_seeded(const void *bytes, size_t n, uint64_t seed)
{
    return XXH3_64bits_withSeed(bytes, n, seed);
}

uint64_t fsd_hash_seed(void)
{
    uint64_t seed;
    struct timespec now;

    if (fsd_host_random(&seed, sizeof seed))
        return seed;
    clock_gettime(CLOCK_REALTIME, &now);
    return fsd_hash_mix((uint64_t)now.tv_nsec, (uintptr_t)&now);
}

void fsd_hash_128(const void *bytes, size_t n, uint64_t out[2])
{
    XXH128_hash_t hash = XXH3_128bits(bytes, n);

    out[0] = hash.low64;
    out[1] = hash.high64;
}
