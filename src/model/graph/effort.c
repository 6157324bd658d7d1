/*
 * Adds up the cost of a build.  A large log has millions of lines, one for each kernel
 * in each combination of formats.  Only one entry per layer and tactic source is
 * stored, so the memory grows with the network and not with the log.  If a layer
 * reaches the limit of entries, further costs are added to an entry without a name, so
 * that sums stay correct.
 */
#include "model/graph/effort.h"
#include "base/base.h"

uint32_t fsd_effort_on(struct fsd_arena *arena, struct fsd_efforts *all, fsd_sym layer,
                       fsd_sym source, uint32_t build)
{
    uint32_t first, n = 0;

    while (all->of.n <= layer)
        fsd_vec_push(arena, &all->of, 0);
    first = all->of.at[layer] ? all->of.at[layer] - 1 : FSD_NONE;
    for (uint32_t i = first; i != FSD_NONE; i = all->list.at[i].next, n++) {
        const struct fsd_effort *e = &all->list.at[i];

        if (e->build != build)
            break; /* the entries of one build are consecutive */
        if (e->source == source)
            return i;
    }
    if (n >= FSD_MOST_SOURCES && source)
        return fsd_effort_on(arena, all, layer, 0, build);
    fsd_vec_push(arena, &all->list,
                 ((struct fsd_effort){
                     .layer = layer, .source = source, .build = build, .next = first}));
    all->of.at[layer] = all->list.n;
    return all->list.n - 1;
}

void fsd_effort_add_skip(struct fsd_effort_skip *to, const struct fsd_effort_skip *one)
{
    to->times += one->times;
    if (one->wanted > to->wanted) {
        to->wanted = one->wanted;
        to->room = one->room;
    }
}

void fsd_effort_skip(struct fsd_arena *arena, struct fsd_efforts *all, uint32_t effort,
                     struct fsd_effort_skip skip)
{
    struct fsd_effort *e = &all->list.at[effort];
    uint32_t n = 0;

    skip.next = e->skips ? e->skips - 1 : FSD_NONE;
    for (uint32_t i = skip.next; i != FSD_NONE; i = all->skips.at[i].next, n++) {
        struct fsd_effort_skip *s = &all->skips.at[i];

        if (s->why != skip.why)
            continue;
        fsd_effort_add_skip(s, &skip);
        return;
    }
    if (n >= FSD_MOST_REASONS && skip.why) {
        skip.why = 0;
        fsd_effort_skip(arena, all, effort, skip);
        return;
    }
    fsd_vec_push(arena, &all->skips, skip);
    e->skips = all->skips.n;
}

void fsd_effort_step(struct fsd_arena *arena, struct fsd_efforts *all,
                     struct fsd_effort_step step)
{
    uint32_t n = 0;

    for (uint32_t i = all->steps.n; i-- > 0 && all->steps.at[i].build == step.build;
         n++) {
        struct fsd_effort_step *s = &all->steps.at[i];

        if (s->name == step.name) {
            s->seconds += step.seconds;
            s->times++;
            return;
        }
    }
    if (n >= FSD_MOST_STEPS)
        return;
    step.times = 1;
    fsd_vec_push(arena, &all->steps, step);
}

bool fsd_efforts_are_stated(const struct fsd_efforts *all, uint32_t build)
{
    for (uint32_t i = 0; i < all->list.n; i++)
        if (all->list.at[i].build == build && all->list.at[i].stated)
            return true;
    return false;
}

const struct fsd_effort_step *fsd_efforts_longest(const struct fsd_efforts *all,
                                                  uint32_t build)
{
    const struct fsd_effort_step *longest = NULL;

    for (uint32_t i = 0; i < all->steps.n; i++)
        if (all->steps.at[i].build == build &&
            (!longest || all->steps.at[i].seconds >= longest->seconds))
            longest = &all->steps.at[i];
    return longest;
}

struct fsd_effort_sums *fsd_effort_sums(struct fsd_arena *arena,
                                        struct fsd_efforts *all, uint32_t build)
{
    const struct fsd_effort_sums none = {
        .entries = -1, .hits = -1, .plan_mib = -1, .build = build};

    if (!all->sums.n || all->sums.at[all->sums.n - 1].build != build)
        fsd_vec_push(arena, &all->sums, none);
    return &all->sums.at[all->sums.n - 1];
}

void fsd_efforts_number(struct fsd_efforts *all, const uint32_t *build_of)
{
    for (uint32_t i = 0; i < all->list.n; i++)
        all->list.at[i].build = build_of[all->list.at[i].build];
    for (uint32_t i = 0; i < all->steps.n; i++)
        all->steps.at[i].build = build_of[all->steps.at[i].build];
    for (uint32_t i = 0; i < all->sums.n; i++)
        all->sums.at[i].build = build_of[all->sums.at[i].build];
}
