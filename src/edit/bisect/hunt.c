/*
 * Processes the results of builds, and leads a search from phase to phase. The next
 * build should change half of the suspects. If a build removed no suspect, or could not
 * be made, half of its request is tried next.
 */
#include "edit/bisect/hunt.h"
#include "edit/bisect/choose.h"
#include "edit/bisect/set.h"

static void end(struct fsd_hunt *h, enum fsd_hunt_end how)
{
    h->phase = FSD_HUNT_OVER;
    h->end = how;
    h->chosen = h->tensors = (struct fsd_span){h->pool.n, 0};
}

/* --------------------------------------------------------------------- clearing */

/* Whether a build shows that a group is not the cause. A good build clears each group
 * that stayed the same. A bad build clears each group that changed. */
static bool is_cleared(enum fsd_bisect_result result, uint8_t seen)
{
    return seen == (result == FSD_BISECT_GOOD ? FSD_SEEN_SAME : FSD_SEEN_CHANGED);
}

/* @return the number of suspects that the result clears. If it would clear every
 *         suspect, all stay suspects, because no single fusion explains the results */
static uint32_t clear(struct fsd_hunt *h, enum fsd_bisect_result result,
                      const uint8_t *seen)
{
    uint32_t cleared = 0;

    for (fsd_id i = 0; seen && i < h->m->state->groups.n; i++)
        cleared += h->suspect[i] && is_cleared(result, seen[i]);
    if (!cleared || cleared == h->n)
        return cleared;
    for (fsd_id i = 0; i < h->m->state->groups.n; i++)
        h->suspect[i] &= !is_cleared(result, seen[i]);
    h->n -= cleared;
    return cleared;
}

/* ------------------------------------------------------------------------- proof */

/* Whether the build showed `what` for each suspect. */
static bool all_seen(const struct fsd_hunt *h, const uint8_t *seen, enum fsd_seen what)
{
    bool all = true;

    for (fsd_id i = 0; i < h->m->state->groups.n && all; i++)
        all = !h->suspect[i] || seen[i] == what;
    return all;
}

bool fsd_hunt_is_cleared(const struct fsd_hunt *h, fsd_id group)
{
    FSD_EACH (const struct fsd_hunt_step, step, h->steps)
        if (step->seen && step->result == FSD_BISECT_BAD &&
            step->seen[group] == FSD_SEEN_CHANGED)
            return true;
    return false;
}

/* Makes the fusions in h->along suspects, because they changed in the same build as the
 * suspects. Leaves out fusions that are cleared. */
static void suspect_along(struct fsd_hunt *h)
{
    fsd_id_vec more = {0};

    for (fsd_id i = 0; i < h->m->state->groups.n; i++)
        if (h->along[i] && !fsd_hunt_is_cleared(h, i))
            fsd_vec_push(h->arena, &more, i);
    for (uint32_t i = 0; i < more.n; i++) {
        h->suspect[more.at[i]] = true;
        h->along[more.at[i]] = false;
    }
    h->n += more.n;
}

/* Ends the proof. The suspects are proved if at least one other fusion was split in a
 * build that was still wrong, or if there is no other fusion. */
static void end_proof(struct fsd_hunt *h)
{
    uint32_t others = 0, cleared = 0;

    suspect_along(h);
    for (fsd_id i = 0; i < h->m->state->groups.n; i++)
        if (h->fusion[i] && !h->suspect[i]) {
            others++;
            cleared += fsd_hunt_is_cleared(h, i);
        }
    end(h, others && !cleared ? FSD_HUNT_END_UNPROVED : FSD_HUNT_END_PROVED);
}

/* Chooses the next build of the proof. It splits the fusions of the last part of
 * h->parts, except suspects, and except fusions that cannot be split without changing a
 * suspect. Cleared fusions are split only if the part has all groups. If there is
 * nothing to split, drops the part and continues with the part before it. If no part is
 * left, or if h->tries is 0, ends the proof. */
static void choose_others(struct fsd_hunt *h)
{
    while (h->parts.n && h->tries) {
        bool *others = fsd_hunt_none(h);
        struct fsd_span part = h->parts.at[h->parts.n - 1];
        bool whole = part.n == h->m->state->groups.n;

        for (fsd_id i = part.at; i < part.at + part.n; i++)
            others[i] =
                h->fusion[i] && !h->suspect[i] && (whole || !fsd_hunt_is_cleared(h, i));
        fsd_choose(h, others, h->suspect);
        if (h->chosen.n)
            return;
        h->parts.n--;
    }
    end_proof(h);
}

/* Whether there was a good build that changed all suspects and no other fusion. */
static bool were_alone(const struct fsd_hunt *h)
{
    bool were = false;

    for (uint32_t i = 0; i < h->steps.n && !were; i++) {
        const struct fsd_hunt_step *step = &h->steps.at[i];

        were = step->seen && step->result == FSD_BISECT_GOOD;
        for (fsd_id k = 0; k < h->m->state->groups.n && were; k++)
            were = !h->fusion[k] ||
                   step->seen[k] == (h->suspect[k] ? FSD_SEEN_CHANGED : FSD_SEEN_SAME);
    }
    return were;
}

static void take_alone(struct fsd_hunt *h, enum fsd_bisect_result result,
                       const uint8_t *seen);
static void give_up(struct fsd_hunt *h);

/* Starts a phase of the proof, and chooses its first build. FSD_HUNT_ALONE splits only
 * the suspects. If an earlier build did this, its result is used instead of a new
 * build. FSD_HUNT_OTHERS splits all other fusions: h->parts begins with one part that
 * has all groups. */
static void prove(struct fsd_hunt *h, enum fsd_hunt_phase phase)
{
    const struct fsd_hunt_step *made;

    if (phase == FSD_HUNT_ALONE && were_alone(h)) {
        memset(h->along, 0, h->m->state->groups.n * sizeof *h->along);
        phase = FSD_HUNT_OTHERS;
    }
    h->phase = phase;
    if (phase == FSD_HUNT_OTHERS) {
        h->parts.n = 0;
        fsd_vec_push(h->arena, &h->parts,
                     ((struct fsd_span){0, h->m->state->groups.n}));
        h->tries = fsd_choice_halvings(h->m->state->groups.n) + 3;
        choose_others(h);
        return;
    }
    fsd_choose(h, h->suspect, NULL);
    made = fsd_choice_made(h);
    if (!h->chosen.n || (made && !made->seen))
        give_up(h);
    else if (made)
        take_alone(h, made->result, made->seen);
}

/* ---------------------------------------------------------------- a set of fusions */

static void seek(struct fsd_hunt *h, enum fsd_hunt_phase phase);

/* Ends the search for a set. If the set has one entry, starts the proof that this entry
 * is the cause. */
static void end_set(struct fsd_hunt *h)
{
    struct fsd_span only = h->found.at[0];

    if (h->found.n > 1) {
        end(h,
            h->phase == FSD_HUNT_SPLIT ? FSD_HUNT_END_TOGETHER : FSD_HUNT_END_NEEDED);
        return;
    }
    for (fsd_id i = 0; i < h->m->state->groups.n; i++)
        h->suspect[i] = fsd_ids_have(&h->pool.at[only.at], only.n, i);
    h->n = only.n;
    prove(h, FSD_HUNT_ALONE);
}

static void go_on(struct fsd_hunt *h)
{
    switch (fsd_set_next(h)) {
    case FSD_SET_ASKS:
        break;
    case FSD_SET_IS_FOUND:
        end_set(h);
        break;
    case FSD_SET_CONTRADICTS:
    default:
        seek(h, h->phase == FSD_HUNT_SPLIT ? FSD_HUNT_KEPT : FSD_HUNT_SPLIT);
        break;
    }
}

static bool has_good(const struct fsd_hunt *h)
{
    bool has = false;

    for (uint32_t i = 0; i < h->steps.n && !has; i++)
        has = h->steps.at[i].result == FSD_BISECT_GOOD;
    return has;
}

/* Starts a search for a set. If a search of the same kind was made before, ends because
 * the results contradict each other: a second search would find nothing new. */
static void seek(struct fsd_hunt *h, enum fsd_hunt_phase phase)
{
    if (!has_good(h)) {
        end(h, FSD_HUNT_END_NO_FUSION);
        return;
    }
    if (h->sought & 1u << phase) {
        end(h, FSD_HUNT_END_CONTRADICTS);
        return;
    }
    h->sought |= 1u << phase;
    h->phase = phase;
    h->halved = h->joined = 0;
    memset(h->spent, 0, h->m->state->groups.n * sizeof *h->spent);
    go_on(h);
}

/* Ends the search for one fusion, because no build divides the last suspects. Starts a
 * search for a set: several fusions that were each cleared alone may together cause the
 * failure. If there can be no such search, ends the whole search. */
static void give_up(struct fsd_hunt *h)
{
    if (has_good(h) && !(h->sought & 1u << FSD_HUNT_SPLIT))
        seek(h, FSD_HUNT_SPLIT);
    else
        end(h, FSD_HUNT_END_UNPROVED);
}

/* ----------------------------------------------------------- results of the proof */

static void take_alone(struct fsd_hunt *h, enum fsd_bisect_result result,
                       const uint8_t *seen)
{
    bool changed = all_seen(h, seen, FSD_SEEN_CHANGED);
    uint32_t n = h->n;

    for (fsd_id i = 0; i < h->m->state->groups.n; i++)
        h->along[i] = h->fusion[i] && !h->suspect[i] && seen[i] != FSD_SEEN_SAME;
    if (result == FSD_BISECT_GOOD && clear(h, result, seen) < n)
        prove(h, FSD_HUNT_OTHERS);
    else if (result == FSD_BISECT_BAD && changed)
        seek(h, FSD_HUNT_SPLIT);
    else
        give_up(h);
}

/* Replaces the last part by its halves, or drops it if it has only one group. Called if
 * the build of this part proved nothing: it was skipped, or it was good but may have
 * changed a suspect. */
static void halve_part(struct fsd_hunt *h)
{
    struct fsd_span part = h->parts.at[--h->parts.n];
    uint32_t half = part.n / 2;

    if (!half)
        return;
    fsd_vec_push(h->arena, &h->parts,
                 ((struct fsd_span){part.at + half, part.n - half}));
    fsd_vec_push(h->arena, &h->parts, ((struct fsd_span){part.at, half}));
}

static void take_others(struct fsd_hunt *h, enum fsd_bisect_result result,
                        const uint8_t *seen)
{
    if (result == FSD_BISECT_GOOD && all_seen(h, seen, FSD_SEEN_SAME)) {
        seek(h, FSD_HUNT_KEPT);
        return;
    }
    if (result == FSD_BISECT_BAD && all_seen(h, seen, FSD_SEEN_CHANGED)) {
        seek(h, FSD_HUNT_SPLIT);
        return;
    }
    h->tries--;
    if (result == FSD_BISECT_BAD)
        h->parts.n--;
    else
        halve_part(h);
    choose_others(h);
}

/* ------------------------------------------------------------------------ suspects */

static void spend(struct fsd_hunt *h, const uint8_t *seen)
{
    FSD_EACH_ID (group, h->pool, h->chosen)
        h->spent[group] |= !seen || seen[group] != FSD_SEEN_CHANGED;
}

/* Makes the next request smaller: at most half as many fusions. Called if a build
 * cleared no suspect, or if an earlier step made the same request. If the request had
 * only one fusion, this fusion is not chosen again, and the next request has no limit.
 * @param seen what the build showed. Chosen fusions that it does not show as changed
 *        are not chosen again. NULL: there was no build, or it was skipped */
static void narrow(struct fsd_hunt *h, const uint8_t *seen)
{
    if (seen)
        spend(h, seen);
    h->limit = h->chosen.n / 2;
    if (!h->limit) { /* the request had a single fusion */
        spend(h, NULL);
        h->limit = UINT32_MAX;
    }
}

static void choose_half(struct fsd_hunt *h)
{
    h->phase = FSD_HUNT_HALVES;
    for (;;) {
        struct fsd_choice c = fsd_choice_begin(h);

        if (h->n > 1)
            fsd_choice_halve(&c, h->suspect, NULL);
        fsd_choice_end(&c);
        if (!h->chosen.n || !fsd_choice_made(h))
            break;
        narrow(h, NULL);
    }
    if (!h->chosen.n)
        prove(h, FSD_HUNT_ALONE);
}

static void take_whole(struct fsd_hunt *h, enum fsd_bisect_result result,
                       const uint8_t *seen)
{
    if (result == FSD_BISECT_GOOD) {
        end(h, FSD_HUNT_END_ABSENT);
        return;
    }
    if (clear(h, result, seen) == h->n) {
        end(h, FSD_HUNT_END_NO_FUSION); /* all suspects are split, and the build is
                                           still wrong */
        return;
    }
    h->phase = FSD_HUNT_ALL;
    fsd_choose(h, h->suspect, NULL);
    if (!h->chosen.n)
        end(h, FSD_HUNT_END_UNPROVED);
}

static bool can_go_on(const struct fsd_hunt *h)
{
    bool can = false;

    for (fsd_id i = 0; i < h->m->state->groups.n && !can; i++)
        can = h->suspect[i] && !h->spent[i] && fsd_choice_can(h->m, i);
    return can;
}

static void take_all(struct fsd_hunt *h, enum fsd_bisect_result result,
                     const uint8_t *seen)
{
    uint32_t n = h->n, cleared = clear(h, result, seen);

    if (cleared == n && result == FSD_BISECT_GOOD) {
        end(h, FSD_HUNT_END_CONTRADICTS); /* no fusion changed, but the build is good */
        return;
    }
    if (result == FSD_BISECT_BAD)
        spend(h, seen);
    if (result == FSD_BISECT_BAD && (cleared == n || !can_go_on(h)))
        end(h, FSD_HUNT_END_NO_FUSION);
    else
        choose_half(h);
}

static void take_half(struct fsd_hunt *h, enum fsd_bisect_result result,
                      const uint8_t *seen)
{
    uint32_t n = h->n, cleared = clear(h, result, seen);

    if (cleared == n) {
        seek(h, FSD_HUNT_SPLIT);
        return;
    }
    if (cleared) {
        spend(h, seen);
        h->limit = UINT32_MAX;
    } else {
        narrow(h, seen);
    }
    choose_half(h);
}

static void take(struct fsd_hunt *h, enum fsd_bisect_result result, const uint8_t *seen)
{
    switch (h->phase) {
    case FSD_HUNT_WHOLE:
        take_whole(h, result, seen);
        break;
    case FSD_HUNT_ALL:
        take_all(h, result, seen);
        break;
    case FSD_HUNT_HALVES:
        take_half(h, result, seen);
        break;
    case FSD_HUNT_ALONE:
        take_alone(h, result, seen);
        break;
    case FSD_HUNT_OTHERS:
        take_others(h, result, seen);
        break;
    case FSD_HUNT_SPLIT:
    case FSD_HUNT_KEPT:
        go_on(h);
        break;
    case FSD_HUNT_OVER:
    default:
        break;
    }
}

/* Continues after a skipped build. If it was the build that changes nothing
 * (FSD_HUNT_WHOLE), or the build that splits only the suspects (FSD_HUNT_ALONE), ends
 * the search, because it cannot continue without this build. */
static void skip(struct fsd_hunt *h)
{
    if (h->phase == FSD_HUNT_WHOLE)
        end(h, FSD_HUNT_END_UNTESTED);
    else if (h->phase == FSD_HUNT_ALL)
        choose_half(h);
    else if (h->phase == FSD_HUNT_HALVES)
        take_half(h, FSD_BISECT_SKIP, NULL);
    else if (h->phase == FSD_HUNT_OTHERS)
        take_others(h, FSD_BISECT_SKIP, NULL);
    else if (h->phase == FSD_HUNT_SPLIT || h->phase == FSD_HUNT_KEPT)
        go_on(h);
    else
        end(h, FSD_HUNT_END_UNPROVED);
}

struct fsd_hunt *fsd_hunt_new(const struct fsd_marks *m)
{
    struct fsd_hunt *h = FSD_NEW(m->arena, struct fsd_hunt, 1);
    uint32_t n = m->state->groups.n;

    h->arena = m->arena;
    h->m = m;
    h->fusion = FSD_NEW(h->arena, bool, n);
    h->suspect = FSD_NEW(h->arena, bool, n);
    h->spent = FSD_NEW(h->arena, bool, n);
    h->along = FSD_NEW(h->arena, bool, n);
    h->limit = UINT32_MAX;
    for (fsd_id i = 0; i < n; i++) {
        h->fusion[i] = h->suspect[i] = m->kinds[i] != FSD_FUSION_NONE;
        h->n += h->suspect[i];
    }
    return h;
}

bool *fsd_hunt_expected(const struct fsd_hunt *h, struct fsd_span chosen,
                        struct fsd_arena *arena)
{
    bool *expected = FSD_NEW(arena, bool, h->m->state->groups.n);

    FSD_EACH_ID (of, h->pool, chosen) {
        expected[of] = true;
        FSD_EACH_ID (other, h->m->pool, h->m->breaks[of].groups)
            expected[other] = true;
    }
    return expected;
}

void fsd_hunt_take(struct fsd_hunt *h, enum fsd_bisect_result result,
                   const uint8_t *seen)
{
    uint32_t i = h->steps.n;

    fsd_vec_push(h->arena, &h->steps,
                 ((struct fsd_hunt_step){(uint8_t)result, (uint8_t)h->phase, h->chosen,
                                         h->tensors,
                                         result == FSD_BISECT_SKIP ? NULL : seen, 0}));
    if (result == FSD_BISECT_SKIP)
        skip(h);
    else
        take(h, result, seen);
    h->steps.at[i].left = h->n;
}

uint8_t *fsd_hunt_same(const struct fsd_hunt *h)
{
    uint32_t n = h->m->state->groups.n;
    uint8_t *seen = FSD_NEW(h->m->arena, uint8_t, n);

    memset(seen, FSD_SEEN_SAME, n);
    return seen;
}

uint32_t fsd_hunt_builds_left(const struct fsd_hunt *h)
{
    switch (h->phase) {
    case FSD_HUNT_WHOLE:
        return fsd_choice_halvings(h->n) + 4;
    case FSD_HUNT_ALL:
        return fsd_choice_halvings(h->n) + 3;
    case FSD_HUNT_HALVES:
        return fsd_choice_halvings(h->n) + 2;
    case FSD_HUNT_ALONE:
        return 2;
    case FSD_HUNT_OTHERS:
        return 1;
    case FSD_HUNT_SPLIT:
    case FSD_HUNT_KEPT:
        return h->left;
    case FSD_HUNT_OVER:
    default:
        return 0;
    }
}
