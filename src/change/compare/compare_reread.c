/*
 * Finds whether two states differ only because an older version of this program read
 * the old build. Then no difference counts as a change: a newer version may state more
 * facts, or other facts, and such differences must not fail a gate.
 */
#include "change/compare/parts.h"

/* Indexed by kernel: a hash of its work, without the nodes that it computes. */
static uint64_t *texts_of(const struct fsd_state *s, struct fsd_arena *scratch)
{
    uint64_t *text = FSD_NEW(scratch, uint64_t, s->kernels.n);

    for (fsd_id i = 0; i < s->kernels.n; i++)
        text[i] = fsd_hash_kernel_text(s, i);
    return text;
}

static uint64_t sum_of(const uint64_t *hashes, uint32_t n)
{
    uint64_t sum = n;

    for (uint32_t i = 0; i < n; i++)
        sum += fsd_hash_mix(1, hashes[i]);
    return sum;
}

/* Whether both engines have the same kernels and, with `wired`, each kernel reads the
 * same tensors. The nodes of the kernels do not matter, because two versions of this
 * program may match the same kernel to different nodes. */
static bool is_same_engine(const struct fsd_compare *c, struct fsd_arena *scratch,
                           bool wired)
{
    uint32_t n = c->old->kernels.n, m = c->new->kernels.n;
    uint64_t *text[2] = {texts_of(c->old, scratch), texts_of(c->new, scratch)};
    const struct fsd_places *places;

    if (!wired)
        return sum_of(text[0], n) == sum_of(text[1], m);
    places = fsd_compare_places(c, scratch, text);
    return places && sum_of(places->above[0], n) == sum_of(places->above[1], m) &&
           sum_of(places->below[0], n) == sum_of(places->below[1], m);
}

/* Whether both states have equally many layers, and most regions are the same. If more
 * differs, the reason is not merely an older version of this program. In a snapshot
 * without kernels, the number of layers is the only fact that comes unchanged from the
 * dump. */
static bool is_mostly_same(const struct fsd_compare *c)
{
    uint32_t same = 0;

    for (uint32_t i = 0; i < c->regions.n; i++)
        same += c->regions.at[i].happened == FSD_HAPPENED_SAME &&
                c->regions.at[i].width < FSD_WIDTH_RETYPED;
    return c->old->layers == c->new->layers && 2 * same > c->regions.n;
}

bool fsd_compare_reread(const struct fsd_compare *c, struct fsd_arena *scratch)
{
    const struct fsd_state *old = c->old, *new = c->new;

    if (old->reading >= new->reading || !new->whole ||
        memcmp(old->model_hash, new->model_hash, sizeof old->model_hash) != 0)
        return false;
    /* One dump can give different kernels, because the new run may also have read a log
     * or a profile. Kernels are therefore compared if the old state has any. */
    if (!memcmp(old->engine_hash, new->engine_hash, sizeof old->engine_hash))
        return !old->whole || is_same_engine(c, scratch, false);
    return !fsd_is_built_otherwise(c) &&
           (old->whole ? is_same_engine(c, scratch, true) : is_mostly_same(c));
}
