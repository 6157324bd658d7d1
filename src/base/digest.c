#include "base/digest.h"

#include <xxhash.h>

/* Bytes that were just hashed are still in the processor's cache when their lines are
 * read. */
enum { STEP = 1 << 17 };

bool fsd_digest_begin(struct fsd_digest *d, const struct fsd_file *file)
{
    *d = (struct fsd_digest){.file = file, .state = XXH3_createState()};
    return d->state && XXH3_128bits_reset(d->state) == XXH_OK;
}

void fsd_digest_step(struct fsd_digest *d, size_t at)
{
    while (d->at < at && d->at < d->file->size) {
        size_t left = d->file->size - d->at, n = left < STEP ? left : STEP;

        XXH3_128bits_update(d->state, d->file->bytes + d->at, n);
        d->at += n;
    }
}

void fsd_digest_end(struct fsd_digest *d, uint64_t hash[2])
{
    XXH128_hash_t all;

    fsd_digest_step(d, d->file->size);
    all = XXH3_128bits_digest(d->state);
    XXH3_freeState(d->state);
    hash[0] = all.low64;
    hash[1] = all.high64;
}
