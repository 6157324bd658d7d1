#include "base/hash.h"

#include <string.h>
#include <xxhash.h>

uint64_t fsd_hash_mix(uint64_t a, uint64_t b)
{
    uint64_t both[2] = {a, b};

    return XXH3_64bits(both, sizeof both);
}

uint64_t fsd_hash_text(const char *text)
{
    return fsd_hash_bytes(text, strlen(text));
}

uint64_t fsd_hash_bytes(const void *bytes, size_t n)
{
    return XXH3_64bits(bytes, n);
}

void fsd_hash_128(const void *bytes, size_t n, uint64_t out[2])
{
    XXH128_hash_t hash = XXH3_128bits(bytes, n);

    out[0] = hash.low64;
    out[1] = hash.high64;
}
