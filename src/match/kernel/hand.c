/*
 * What is at hand on a way: tensors that the kernel reads, or that nodes taken before
 * make, with all that is made of these without a step of the kernel.
 */
#include "match/kernel/way.h"

static const struct at_hand *place_in(const struct way *w, fsd_id tensor)
{
    for (uint32_t i = 0; i < w->n_hand; i++)
        if (w->hand[i].tensor == tensor)
            return &w->hand[i];
    return NULL;
}

bool fsd_is_at_hand(const struct way *w, fsd_id tensor)
{
    return place_in(w, tensor) != NULL;
}

struct at_hand *fsd_find_hand(struct way *w, fsd_id tensor)
{
    const struct at_hand *hand = place_in(w, tensor);

    return hand ? &w->hand[hand - w->hand] : NULL;
}

/* The inputs that a tensor at hand comes from; of those that may each hold it, one that
 * is not used yet. */
static uint64_t inputs_of(const struct at_hand *hand, uint64_t used)
{
    uint64_t left = hand->from & ~used;

    if (!hand->either)
        return hand->from;
    left = left ? left : hand->from;
    return left & (~left + 1);
}

fsd_id fsd_find_missing(const struct replay *r, struct way *w, fsd_id node, bool all,
                        uint64_t *from)
{
    const struct fsd_node *n = &r->g->nodes.at[node];
    fsd_id missing = FSD_NONE;

    *from = 0;
    for (uint32_t i = 0; i < n->in.n && (all || missing == FSD_NONE); i++) {
        fsd_id t = fsd_data_in(r, node, i);
        struct at_hand *hand;

        if (t == FSD_NONE)
            continue;
        hand = fsd_find_hand(w, t);
        if (hand)
            *from |= inputs_of(hand, w->used | *from);
        else if (missing == FSD_NONE)
            missing = t;
    }
    return missing;
}

bool fsd_reads_data(const struct replay *r, fsd_id node)
{
    const struct fsd_node *n = &r->g->nodes.at[node];
    bool reads = r->generates[node];

    for (uint32_t i = 0; i < n->in.n && !reads; i++)
        reads = fsd_data_in(r, node, i) != FSD_NONE;
    return reads;
}

bool fsd_is_ready(struct replay *r, struct way *w, fsd_id node, uint32_t round,
                  uint64_t *from)
{
    struct asked *asked = &r->asked[node];

    if (asked->round == round && !fsd_is_at_hand(w, asked->missing))
        return false;
    *asked = (struct asked){round, fsd_find_missing(r, w, node, false, from)};
    if (asked->missing != FSD_NONE)
        return false;
    asked->round = 0;
    return fsd_reads_data(r, node);
}

static void add_hand(struct way *w, fsd_id tensor, uint64_t from, bool either)
{
    if (tensor != FSD_NONE && w->n_hand < AT_HAND && !fsd_is_at_hand(w, tensor))
        w->hand[w->n_hand++] = (struct at_hand){tensor, from, false, either};
}

/* What one makes, all make. */
static void hand_twins(const struct replay *r, struct way *w, struct at_hand hand)
{
    fsd_id node = fsd_tensor_producer(r->g, hand.tensor), twin = FSD_NONE;
    uint32_t out = 0;

    if (node != FSD_NONE)
        twin = r->m->facts->first_twin[node];
    while (twin != FSD_NONE && fsd_node_out_tensor(r->g, node, out) != hand.tensor)
        out++;
    for (; twin != FSD_NONE && w->n_hand < AT_HAND; twin = r->next_twin[twin])
        add_hand(w, fsd_node_out_tensor(r->g, twin, out), hand.from, hand.either);
}

void fsd_way_hold(struct way *w, fsd_id tensor, uint64_t from)
{
    struct at_hand *hand = fsd_find_hand(w, tensor);

    if (hand) {
        hand->either |= hand->from && from & ~hand->from;
        hand->from |= from;
    } else {
        add_hand(w, tensor, from, false);
    }
}

void fsd_way_follow(struct replay *r, struct way *w, uint32_t first)
{
    const uint32_t round = ++r->rounds;

    for (uint32_t at = first; at < w->n_hand; at++) {
        const struct fsd_tensor *t = &r->g->tensors.at[w->hand[at].tensor];

        hand_twins(r, w, w->hand[at]);
        for (uint32_t i = 0; r->goes_on[w->hand[at].tensor] && i < t->consumers.n;
             i++) {
            fsd_id node = r->g->links.at[t->consumers.at + i];
            uint64_t used;
            bool either;
            fsd_id in;

            if (!(r->passes[node] || fsd_is_late(r, node)) || fsd_way_took(w, node) ||
                !fsd_is_ready(r, w, node, round, &used))
                continue;
            in = fsd_data_input(r, node);
            either = in != FSD_NONE && fsd_find_hand(w, in)->either;
            if (either)
                used = fsd_find_hand(w, in)->from;
            for (uint32_t k = 0; k < r->g->nodes.at[node].out.n; k++)
                add_hand(w, fsd_node_out_tensor(r->g, node, k), used, either);
        }
    }
}

void fsd_put_at_hand(struct replay *r, struct way *w, fsd_id tensor, uint64_t from)
{
    uint32_t first = w->n_hand;

    fsd_way_hold(w, tensor, from);
    fsd_way_follow(r, w, first);
}
