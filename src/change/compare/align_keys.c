/*
 * Nodes that keep their names where structure shows nothing: when all activations of a
 * network are replaced, no subgraph is as before.
 *
 *     conv1 [Conv] -> act1 [Relu]      -> conv2 [Conv]
 *     conv1 [Conv] -> act1 [LeakyRelu] -> conv2 [Conv]      act1 is another operator
 *
 * An exporter's counter gives a name to another node as soon as a node before it comes
 * or goes, so a name alone proves nothing: most of what the nodes read, and of what
 * reads them, must belong together, too.
 */
#include "change/compare/parts.h"

#include <string.h>

enum { MOST_SCANNED = 64 }; /* of many inputs whose order does not count */

struct keys {
    const struct fsd_align_side *side; /* both */
    fsd_id *like[2]; /* by node: its counterpart; else, where neither is aligned, the
                        node of its name; FSD_NONE */
    bool *twin[2];   /* by node: another one of its model has the same ancestors and
                        descendants, so that their neighbors agree with either */
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

/* Whether `reader` reads what `from` names, at the slot or, where the order does not
 * count, anywhere. */
static bool reads(const struct fsd_align_side *side, fsd_id reader, uint32_t slot,
                  struct fsd_producer from)
{
    const struct fsd_state *s = side->s;
    struct fsd_span in = s->nodes.at[reader].core_in;
    uint32_t first = side->commutes[reader] ? 0 : slot;
    uint32_t end = side->commutes[reader] ? MOST_SCANNED : slot + 1;

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

/* Asks each neighbor of a node that has an equal on the other side, whether the node
 * that is proposed has that one as its neighbor. */
static void ask(const struct keys *keys, int k, fsd_id node, fsd_id other,
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
            vote(votes, reads(there, other, i, from));
    }
    for (uint32_t i = 0; i < uses.n; i++) {
        const struct fsd_use *use = &here->use[uses.at + i];
        fsd_id reader = keys->like[k][use->node];
        struct fsd_producer from = {fsd_node_origin(other), use->out};

        if (reader != FSD_NONE)
            vote(votes, reads(there, reader, use->slot, from));
    }
}

/* Weights that both models name, and name otherwise, are others. */
static bool has_other_weight(const struct fsd_align_side side[2], fsd_id old,
                             fsd_id new)
{
    const char *a = fsd_text(side[0].s->names, side[0].s->nodes.at[old].weight);
    const char *b = fsd_text(side[1].s->names, side[1].s->nodes.at[new].weight);

    return fsd_align_weight_identifies(a) && fsd_align_weight_identifies(b) &&
           strcmp(a, b) != 0;
}

static bool is_free(const struct fsd_align_side *side, fsd_id node, bool core)
{
    return side->counterpart[node] == FSD_NONE && !side->contested[node] &&
           fsd_align_is_core(side, node) == core &&
           fsd_state_role_of(side->s, node) != FSD_ROLE_SIDE;
}

static bool has_one_operator(const struct fsd_align_side side[2], fsd_id old,
                             fsd_id new)
{
    return !strcmp(fsd_text(side[0].s->names, side[0].s->nodes.at[old].op),
                   fsd_text(side[1].s->names, side[1].s->nodes.at[new].op));
}

static bool *find_twins(struct fsd_arena *scratch, const struct fsd_align_side *side)
{
    uint32_t n = side->s->nodes.n;
    struct fsd_hash_row *rows = FSD_NEW(scratch, struct fsd_hash_row, n);
    bool *twin = FSD_NEW(scratch, bool, n);

    for (fsd_id i = 0; i < n; i++)
        rows[i] =
            (struct fsd_hash_row){fsd_hash_mix(side->from[i], side->to[i]), i, false};
    fsd_hash_rows_sort(rows, n);
    for (uint32_t i = 0, end; i < n; i = end) {
        end = fsd_hash_rows_end(rows, n, i);
        for (uint32_t k = i; k < end; k++)
            twin[rows[k].id] = end - i > 1;
    }
    return twin;
}

static uint32_t align(struct fsd_align_side side[2], struct fsd_arena *scratch,
                      bool core, uint8_t *by)
{
    struct keys keys = {side,
                        {like_of(scratch, side, 0), like_of(scratch, side, 1)},
                        {find_twins(scratch, &side[0]), find_twins(scratch, &side[1])}};
    uint32_t n = side[0].s->nodes.n, made = 0;
    fsd_id *chosen = fsd_ids_new(scratch, n);

    for (fsd_id i = 0; i < n; i++) {
        fsd_id other = keys.like[0][i];
        struct votes votes = {0, 0};

        if (!is_free(&side[0], i, core) || other == FSD_NONE ||
            !is_free(&side[1], other, core) || keys.twin[0][i] || keys.twin[1][other] ||
            has_other_weight(side, i, other) ||
            (!core && !has_one_operator(side, i, other)))
            continue;
        ask(&keys, 0, i, other, &votes);
        ask(&keys, 1, other, i, &votes);
        if (votes.for_it > votes.against)
            chosen[i] = other;
    }
    for (fsd_id i = 0; i < n; i++)
        if (chosen[i] != FSD_NONE) {
            side[0].counterpart[i] = chosen[i];
            side[1].counterpart[chosen[i]] = i;
            by[i] = FSD_ALIGN_NAME;
            made++;
        }
    return made;
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
