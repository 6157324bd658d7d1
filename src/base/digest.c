/*
 * The digest of a file. While a reader reads the file, the digest hashes the same bytes
 * in steps, so that a large file passes through the processor's cache once instead of
 * twice.
 */
#include "base/base.h"

#include <xxhash.h>

/* The number of bytes that one step hashes before the reader reads them.  The bytes are
 * so few that they are still in the processor's cache when the reader reads them. */
enum { STEP = 1 << 17 };

static void drop(struct fsd_cleanup *cleanup)
{
    struct fsd_digest *d =
        (struct fsd_digest *)((char *)cleanup - offsetof(struct fsd_digest, cleanup));

    XXH3_freeState(d->state);
}

bool fsd_digest_begin(struct fsd_digest *d, const struct fsd_file *file)
{
    *d = (struct fsd_digest){.file = file};
    if (file->unhashed)
        return false;
    d->state = XXH3_createState();
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
