/*
 * Aligns nodes by names if structure is no help: after all activations of a network
 * were replaced, no subgraph is as before, but most nodes keep their names.
 *
 *     conv1 [Conv] -> act1 [Relu]      -> conv2 [Conv]
 *     conv1 [Conv] -> act1 [LeakyRelu] -> conv2 [Conv]      act1: different operator
 *
 * If a node is added or removed, an exporter's counter renumbers the later nodes, and
 * an old name may then belong to another node. A name alone therefore proves nothing:
 * most producers and consumers of the two nodes must correspond, too.
 */
#include "change/compare/parts.h"

/* The maximum number of a node's inputs that reads_tensor() searches. */
enum { MOST_SCANNED = 64 };

struct keys {
    const struct fsd_align_side *side; /* both sides */
    fsd_id *like[2];    /* indexed by node: its counterpart. If it has none: the
                           unaligned node of the other side that has the same name.
                           FSD_NONE: neither exists */
    uint64_t *twins[2]; /* indexed by node: a hash of the names of its twins and of its
                           own name. Twins are nodes of one model that have the same
                           ancestors and descendants */
};

struct votes {
    uint32_t for_it, against;
};

static fsd_id *like_of(struct fsd_arena *scratch, const struct fsd_align_side side[2],
                       int k)
{
    const struct fsd_state *here = side[k].s, *there = side[!k].s;
    fsd_id *of_key = fsd_ids_new(scratch, fsd_intern_count(there->names));
    fsd_id *like = FSD_NEW(scratch, fsd_id, here->nodes.n);

    for (fsd_id i = 0; i < there->nodes.n; i++)
        if (there->nodes.at[i].named && side[!k].counterpart[i] == FSD_NONE)
            of_key[there->nodes.at[i].key] = i;
    for (fsd_id i = 0; i < here->nodes.n; i++) {
        like[i] = side[k].counterpart[i];
        if (like[i] == FSD_NONE && here->nodes.at[i].named)
            like[i] =
                fsd_id_at(of_key, fsd_intern_other(here->names, here->nodes.at[i].key,
                                                   there->names));
    }
    return like;
}

/* Whether input `slot` of `reader` is the tensor `from`. Any input counts if the order
 * of inputs does not matter in one of the models. */
static bool reads_tensor(const struct fsd_align_side *side, fsd_id reader,
                         uint32_t slot, bool anywhere, struct fsd_producer from)
{
    const struct fsd_state *s = side->s;
    struct fsd_span in = s->nodes.at[reader].core_in;
    bool any = anywhere || side->commutes[reader];
    uint32_t first = any ? 0 : slot, end = any ? MOST_SCANNED : slot + 1;

    for (uint32_t i = first; i < end && i < in.n; i++)
        if (s->sources.at[in.at + i].at.ref == from.at.ref &&
            s->sources.at[in.at + i].out == from.out)
            return true;
    return false;
}

static void vote(struct votes *votes, bool agrees)
{
    votes->for_it += agrees;
    votes->against += !agrees;
}

/* Each neighbor of `node` votes if it has a counterpart on the other side. The neighbor
 * votes for the pair if its counterpart is a neighbor of `other`, else against the
 * pair. */
static void collect_votes(const struct keys *keys, int k, fsd_id node, fsd_id other,
                          struct votes *votes)
{
    const struct fsd_align_side *here = &keys->side[k], *there = &keys->side[!k];
    struct fsd_span in = here->s->nodes.at[node].core_in, uses = here->uses[node];

    for (uint32_t i = 0; i < in.n; i++) {
        struct fsd_producer from = here->s->sources.at[in.at + i];
        fsd_id at = fsd_origin_node(from.at), input = fsd_origin_input(from.at);

        if (at != FSD_NONE)
            from.at = fsd_node_origin(keys->like[k][at]);
        else if (input != FSD_NONE)
            from.at = fsd_input_origin(here->in_counterpart[input]);
        if (fsd_is_origin(from.at))
            vote(votes, reads_tensor(there, other, i, here->commutes[node], from));
    }
    for (uint32_t i = 0; i < uses.n; i++) {
        const struct fsd_use *use = &here->use[uses.at + i];
        fsd_id reader = keys->like[k][use->node];
        struct fsd_producer from = {fsd_node_origin(other), use->out};

        if (reader != FSD_NONE)
            vote(votes, reads_tensor(there, reader, use->slot,
                                     here->commutes[use->node], from));
    }
}

/* Whether the two nodes have different weights: both weights have names, and the names
 * differ. */
static bool has_other_weight(const struct fsd_align_side side[2], fsd_id old,
                             fsd_id new)
{
    const char *a = fsd_text(side[0].s->names, side[0].s->nodes.at[old].weight);
    const char *b = fsd_text(side[1].s->names, side[1].s->nodes.at[new].weight);

    return fsd_align_weight_identifies(a) && fsd_align_weight_identifies(b) &&
           strcmp(a, b) != 0;
}

static bool is_free(const struct fsd_align_side *side, fsd_id node)
{
    return side->counterpart[node] == FSD_NONE && !side->contested[node];
}

static bool is_side(const struct fsd_align_side *side, fsd_id node)
{
    return fsd_state_role_of(side->s, node) == FSD_ROLE_SIDE;
}

static bool is_of(const struct fsd_align_side *side, fsd_id node, bool core)
{
    return is_free(side, node) && !is_side(side, node) &&
           fsd_align_is_core(side, node) == core;
}

static bool has_one_operator(const struct fsd_align_side side[2], fsd_id old,
                             fsd_id new)
{
    return !strcmp(fsd_text(side[0].s->names, side[0].s->nodes.at[old].op),
                   fsd_text(side[1].s->names, side[1].s->nodes.at[new].op));
}

static uint64_t *find_twins(struct fsd_arena *scratch,
                            const struct fsd_align_side *side)
{
    uint32_t n = side->s->nodes.n;
    struct fsd_hash_row *rows = FSD_NEW(scratch, struct fsd_hash_row, n);
    uint64_t *twins = FSD_NEW(scratch, uint64_t, n);

    for (fsd_id i = 0; i < n; i++)
        rows[i] =
            (struct fsd_hash_row){fsd_hash_mix(side->from[i], side->to[i]), i, false};
    fsd_hash_rows_sort(rows, n);
    for (uint32_t i = 0, end; i < n; i = end) {
        uint64_t names = 0;

        end = fsd_hash_rows_end(rows, n, i);
        for (uint32_t k = i; k < end; k++)
            names +=
                fsd_hash_mix(fsd_state_hash(side->s, side->s->nodes.at[rows[k].id].key),
                             side->s->nodes.at[rows[k].id].named);
        for (uint32_t k = i; k < end; k++)
            twins[rows[k].id] = names;
    }
    return twins;
}

static void pair_by_key(struct fsd_align_side side[2], fsd_id old, fsd_id new,
                        uint8_t *by)
{
    side[0].counterpart[old] = new;
    side[1].counterpart[new] = old;
    by[old] = FSD_ALIGN_NAME;
}

/* Whether two nodes can be a pair: more of their neighbors speak for it than against
 * it, and their weights do not have different names. If `core` is true, their `twins`
 * must also be equal. For other nodes, `twins` would prove nothing. For example, all
 * quantizers in a row are twins. */
static bool agree(const struct keys *keys, bool core, fsd_id old, fsd_id new)
{
    struct votes votes = {0, 0};

    if ((core && keys->twins[0][old] != keys->twins[1][new]) ||
        has_other_weight(keys->side, old, new))
        return false;
    collect_votes(keys, 0, old, new, &votes);
    collect_votes(keys, 1, new, old, &votes);
    return votes.for_it > votes.against;
}

static struct keys keys_of(const struct fsd_align_side side[2],
                           struct fsd_arena *scratch)
{
    return (struct keys){
        side,
        {like_of(scratch, side, 0), like_of(scratch, side, 1)},
        {find_twins(scratch, &side[0]), find_twins(scratch, &side[1])}};
}

/* Chooses all pairs before it makes the first one, so that the order of nodes does not
 * matter. */
static uint32_t align(struct fsd_align_side side[2], struct fsd_arena *scratch,
                      bool core, uint8_t *by)
{
    struct keys keys = keys_of(side, scratch);
    uint32_t n = side[0].s->nodes.n, made = 0;
    bool *chosen = FSD_NEW(scratch, bool, n);

    for (fsd_id i = 0; i < n; i++) {
        fsd_id other = keys.like[0][i];

        chosen[i] = is_of(&side[0], i, core) && other != FSD_NONE &&
                    is_of(&side[1], other, core) &&
                    (core || has_one_operator(side, i, other)) &&
                    agree(&keys, core, i, other);
    }
    for (fsd_id i = 0; i < n; i++)
        if (chosen[i]) {
            pair_by_key(side, i, keys.like[0][i], by);
            made++;
        }
    return made;
}

/* Whether most aligned nodes kept their names. */
static bool share_names(const struct fsd_align_side side[2])
{
    uint32_t aligned = 0, same = 0;

    for (fsd_id i = 0; i < side[0].s->nodes.n; i++) {
        fsd_id new = side[0].counterpart[i];

        if (new == FSD_NONE)
            continue;
        aligned++;
        same += !strcmp(fsd_state_node_key(side[0].s, i),
                        fsd_state_node_key(side[1].s, new));
    }
    return 4 * (uint64_t)same >= 3 * (uint64_t)aligned;
}

/* Aligns nodes that one model folds and the other computes: such nodes are neither new
 * nor removed. A folded node has no neighbors that could confirm a pair. Only its name
 * can, so pairs are made only if most aligned nodes have kept their names. */
void fsd_align_folded(struct fsd_align_side side[2], struct fsd_arena *scratch,
                      uint8_t *by)
{
    fsd_id *like = like_of(scratch, side, 0);

    if (!share_names(side))
        return;
    for (fsd_id i = 0; i < side[0].s->nodes.n; i++)
        if (like[i] != FSD_NONE && is_free(&side[0], i) && is_free(&side[1], like[i]) &&
            is_side(&side[0], i) != is_side(&side[1], like[i]))
            pair_by_key(side, i, like[i], by);
}

uint32_t fsd_align_by_keys(struct fsd_align_side side[2], struct fsd_arena *scratch,
                           uint8_t *by)
{
    return align(side, scratch, true, by);
}

void fsd_align_rest_by_keys(struct fsd_align_side side[2], struct fsd_arena *scratch,
                            uint8_t *by)
{
    align(side, scratch, false, by);
}
