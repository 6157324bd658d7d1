/*
 * Keeps the list of the model tensors that are available to a candidate.  A tensor is
 * available if the kernel reads it, if a taken node outputs it, or if nodes that need
 * no step compute it from available tensors.
 */
#include "match/kernel/replay.h"

static const struct available *place_in(const struct candidate *w, fsd_id tensor)
{
    for (uint32_t i = 0; i < w->n_available; i++)
        if (w->available[i].tensor == tensor)
            return &w->available[i];
    return NULL;
}

static bool is_available(const struct candidate *w, fsd_id tensor)
{
    return place_in(w, tensor) != NULL;
}

struct available *fsd_find_available(struct candidate *w, fsd_id tensor)
{
    const struct available *value = place_in(w, tensor);

    return value ? &w->available[value - w->available] : NULL;
}

/* Bit mask of the kernel inputs that an available tensor comes from.  If value->either
 * is true, the tensor comes from one of several inputs, and it is unknown from which
 * one.  The mask then has one of these inputs: the first one that is not in `used`.  If
 * all of them are in `used`, the mask has the first one. */
static uint64_t inputs_of(const struct available *value, uint64_t used)
{
    uint64_t left = value->from & ~used;

    if (!value->either)
        return value->from;
    left = left ? left : value->from;
    return left & (~left + 1);
}

/* The number of inputs that the first step of a node needs.  An Einsum may multiply its
 * operands one by one: its first step needs two, and each later step needs one more. */
static uint32_t count_first(const struct replay *r, fsd_id node)
{
    uint32_t n = r->g->nodes.at[node].in.n;

    return n > 2 && fsd_computes_pairs(r, node) ? 2 : n;
}

bool fsd_can_go_on(const struct replay *r, struct candidate *w, fsd_id node,
                   uint32_t done, uint64_t *from)
{
    fsd_id t = fsd_data_in(r, node, done + 1);
    const struct available *value;

    *from = 0;
    if (!fsd_computes_pairs(r, node) || t == FSD_NONE)
        return true;
    value = fsd_find_available(w, t);
    if (value)
        *from = inputs_of(value, w->used);
    return value != NULL;
}

fsd_id fsd_find_missing(const struct replay *r, struct candidate *w, fsd_id node,
                        bool all, uint64_t *from)
{
    uint32_t n = count_first(r, node);
    fsd_id missing = FSD_NONE;

    *from = 0;
    for (uint32_t i = 0; i < n && (all || missing == FSD_NONE); i++) {
        fsd_id t = fsd_data_in(r, node, i);
        struct available *value;

        if (t == FSD_NONE)
            continue;
        value = fsd_find_available(w, t);
        if (value)
            *from |= inputs_of(value, w->used | *from);
        else if (missing == FSD_NONE && !r->tensors[t].spread)
            missing = t;
    }
    return missing;
}

bool fsd_reads_data(const struct replay *r, fsd_id node)
{
    const struct fsd_node *n = &r->g->nodes.at[node];
    bool reads = r->nodes[node].generates;

    for (uint32_t i = 0; i < n->in.n && !reads; i++)
        reads = fsd_data_in(r, node, i) != FSD_NONE;
    return reads;
}

bool fsd_is_ready(struct replay *r, struct candidate *w, fsd_id node, uint32_t round,
                  uint64_t *from)
{
    struct asked *asked = &r->nodes[node].asked;

    if (asked->round == round && !is_available(w, asked->missing))
        return false;
    *asked = (struct asked){round, fsd_find_missing(r, w, node, false, from)};
    if (asked->missing != FSD_NONE)
        return false;
    asked->round = 0;
    return fsd_reads_data(r, node);
}

static void add_available(struct candidate *w, fsd_id tensor, uint64_t from,
                          bool either)
{
    if (tensor == FSD_NONE || is_available(w, tensor))
        return;
    if (w->n_available == AVAILABLE)
        w->bound = "available tensors";
    else
        w->available[w->n_available++] =
            (struct available){tensor, from, false, either, false};
}

/* The engine computes duplicate nodes only once.  So when the output of a node becomes
 * available, this function makes the outputs of its duplicates available too. */
static void add_duplicates(const struct replay *r, struct candidate *w,
                           struct available value)
{
    uint32_t n = w->n_available;
    fsd_id node = fsd_tensor_producer(r->g, value.tensor);
    fsd_id duplicate = fsd_id_at(r->m->facts->first_duplicate, node);
    uint32_t out = 0;

    while (duplicate != FSD_NONE &&
           fsd_node_out_tensor(r->g, node, out) != value.tensor)
        out++;
    for (; duplicate != FSD_NONE && !w->bound && !value.duplicate;
         duplicate = r->nodes[duplicate].next_duplicate)
        add_available(w, fsd_node_out_tensor(r->g, duplicate, out), value.from,
                      value.either);
    for (; n < w->n_available; n++)
        w->available[n].duplicate = true;
}

void fsd_candidate_hold(struct candidate *w, fsd_id tensor, uint64_t from)
{
    struct available *value = fsd_find_available(w, tensor);

    if (value) {
        value->either |= (from & ~value->from) != 0;
        value->from |= from;
    } else {
        add_available(w, tensor, from, false);
    }
}

void fsd_candidate_follow(struct replay *r, struct candidate *w, uint32_t first)
{
    const uint32_t round = ++r->rounds;

    for (uint32_t at = first; at < w->n_available; at++) {
        const struct fsd_tensor *t = &r->g->tensors.at[w->available[at].tensor];

        add_duplicates(r, w, w->available[at]);
        add_available(w, r->tensors[w->available[at].tensor].handed_out,
                      w->available[at].from, w->available[at].either);
        for (uint32_t i = 0;
             r->tensors[w->available[at].tensor].goes_on && i < t->consumers.n; i++) {
            fsd_id node = r->g->links.at[t->consumers.at + i];
            uint64_t used;
            bool either;
            fsd_id in;

            if (!(r->nodes[node].passes || fsd_is_epilogue(r, node)) ||
                fsd_candidate_took(w, node) || !fsd_is_ready(r, w, node, round, &used))
                continue;
            in = fsd_data_input(r, node);
            either = in != FSD_NONE && fsd_find_available(w, in)->either;
            if (either)
                used = fsd_find_available(w, in)->from;
            FSD_EACH_OF (tensor, r->g->ports, r->g->nodes.at[node].out, tensor)
                add_available(w, tensor, used, either);
        }
    }
}

void fsd_make_available(struct replay *r, struct candidate *w, fsd_id tensor,
                        uint64_t from)
{
    uint32_t first = w->n_available;

    fsd_candidate_hold(w, tensor, from);
    fsd_candidate_follow(r, w, first);
}

bool fsd_is_moved(const struct replay *r, const struct candidate *w, fsd_id node)
{
    fsd_id in = FSD_NONE, by = FSD_NONE;

    if (r->m->facts->traits[node] & FSD_OP_QUANTIZE)
        in = fsd_data_input(r, node);
    if (!is_available(w, in))
        by = fsd_tensor_producer(r->g, in);
    for (uint32_t i = 0;
         fsd_node_is(r->g, by, FSD_ONNX_Concat) && i < r->g->nodes.at[by].in.n; i++)
        if (is_available(w, fsd_node_in_tensor(r->g, by, i)))
            return true;
    return fsd_traits_of(r->m->facts, by) & FSD_OP_COMMUTES &&
           is_available(w, fsd_data_input(r, by));
}
