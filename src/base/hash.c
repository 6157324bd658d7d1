/*
 * The hash functions, all of them xxHash's XXH3.  Names are hashed with a random seed,
 * since a file could otherwise hold names prepared to collide; 128 bits identify whole
 * files in snapshots and reports, and have no seed.  A digest is computed in steps
 * alongside the reader of the same bytes, so that a large file goes through the
 * processor's cache once instead of twice.
 */
#include "base/base.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <xxhash.h>

uint64_t fsd_hash_bytes(const void *bytes, size_t n)
{
    return XXH3_64bits(bytes, n);
}

uint64_t fsd_hash_seeded(const void *bytes, size_t n, uint64_t seed)
{
    return XXH3_64bits_withSeed(bytes, n, seed);
}

uint64_t fsd_hash_seed(void)
{
    uint64_t seed;
    struct timespec now;

    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == sizeof seed)
        return seed;
    clock_gettime(CLOCK_REALTIME,
                  &now); /* early in a boot, or forbidden by a sandbox */
    return fsd_hash_mix((uint64_t)now.tv_nsec, (uintptr_t)&now);
}

void fsd_hash_128(const void *bytes, size_t n, uint64_t out[2])
{
    XXH128_hash_t hash = XXH3_128bits(bytes, n);

    out[0] = hash.low64;
    out[1] = hash.high64;
}

/* ------------------------------------------------------------------- of a file */

/* Bytes that were just hashed are still in the processor's cache when their lines are
 * read. */
enum { STEP = 1 << 17 };

static void drop(struct fsd_cleanup *cleanup)
{
    struct fsd_digest *d =
        (struct fsd_digest *)((char *)cleanup - offsetof(struct fsd_digest, cleanup));

    XXH3_freeState(d->state);
}

bool fsd_digest_begin(struct fsd_digest *d, const struct fsd_file *file)
{
    *d = (struct fsd_digest){.file = file, .state = XXH3_createState()};
    fsd_cleanup_add(&d->cleanup, drop);
    return d->state && XXH3_128bits_reset(d->state) == XXH_OK;
}

void fsd_digest_step(struct fsd_digest *d, size_t at)
{
    size_t there = fsd_file_reach(d->file, 0);

    while (d->at < at && d->at < there) {
        size_t left = there - d->at, n = left < STEP ? left : STEP;

        XXH3_128bits_update(d->state, d->file->bytes + d->at, n);
        d->at += n;
    }
}

void fsd_digest_end(struct fsd_digest *d, uint64_t hash[2])
{
    XXH128_hash_t all;

    fsd_digest_step(d, fsd_file_reach(d->file, SIZE_MAX));
    all = XXH3_128bits_digest(d->state);
    fsd_cleanup_drop(&d->cleanup);
    XXH3_freeState(d->state);
    hash[0] = all.low64;
    hash[1] = all.high64;
}
