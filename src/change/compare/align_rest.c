/*
 * Aligns Q/DQ, views and optional nodes after the core nodes, using the core nodes
 * before and after them.
 */
#include "change/compare/parts.h"

static bool is_rest(const struct fsd_align_side *side, fsd_id node)
{
    uint8_t role = side->s->nodes.at[node].role;

    return role != FSD_ROLE_CORE && role != FSD_ROLE_SIDE;
}

static void color_from(struct fsd_align_side *side)
{
    const struct fsd_state *s = side->s;

    for (fsd_id i = 0; i < s->nodes.n; i++) {
        struct fsd_producer from = {FSD_NO_ORIGIN, 0};
        uint64_t hash = 0;
        fsd_id at;

        if (s->nodes.at[i].in.n)
            from = s->sources.at[s->nodes.at[i].in.at];
        at = fsd_origin_node(from.at);
        if (at != FSD_NONE)
            hash = fsd_hash_mix(is_rest(side, at)
                                    ? side->from[at]
                                    : fsd_align_color_of(side, FSD_COLOR_NODE, at),
                                from.out);
        else if (fsd_is_origin(from.at))
            hash = fsd_align_color_of(side, FSD_COLOR_INPUT, fsd_origin_input(from.at));
        side->from[i] = fsd_hash_mix(side->label[i], hash);
    }
}

/* Sets side->to: for each node, the color of the subgraph from the node to the outputs.
 * Goes through the nodes backwards, so that a node's consumers are done before it. */
static void color_to(struct fsd_align_side *side)
{
    const struct fsd_state *s = side->s;

    memset(side->to, 0, s->nodes.n * sizeof *side->to);
    for (uint32_t i = 0; i < s->outputs.n; i++) {
        fsd_id at = fsd_origin_node(s->outputs.at[i].from.at);

        if (at != FSD_NONE)
            side->to[at] += fsd_align_color_of(side, FSD_COLOR_OUTPUT, i);
    }
    for (fsd_id i = s->nodes.n; i-- > 0;) {
        const struct fsd_state_node *n = &s->nodes.at[i];
        uint64_t hash;

        side->to[i] = fsd_hash_mix(side->label[i], side->to[i]);
        if (n->role == FSD_ROLE_SIDE)
            continue;
        hash = is_rest(side, i) ? side->to[i]
                                : fsd_align_color_of(side, FSD_COLOR_NODE, i);
        for (uint32_t k = 0; k < n->in.n; k++) {
            fsd_id at = fsd_origin_node(s->sources.at[n->in.at + k].at);

            if (at != FSD_NONE)
                side->to[at] += fsd_hash_mix(hash, side->commutes[i] ? 0 : k);
        }
    }
}

/* The passes. Each pass pairs the nodes whose hash occurs once in each build:
 *
 *     BY_BOTH_ENDS   hash of the subgraphs in both directions
 *     BY_OUTPUTS     hash of the subgraph down to the outputs
 *     BY_INPUTS      hash of the subgraph up to the inputs
 *
 * BY_INPUTS takes only optional nodes, because these belong to the node before them. */
enum { BY_BOTH_ENDS, BY_OUTPUTS, BY_INPUTS, PASSES };

void fsd_align_rest(struct fsd_align_side side[2], struct fsd_arena *scratch,
                    uint8_t *by)
{
    static const uint8_t why[PASSES] = {FSD_ALIGN_BOTH, FSD_ALIGN_OUTPUTS,
                                        FSD_ALIGN_INPUTS};
    struct fsd_hash_row *rows = FSD_NEW(
        scratch, struct fsd_hash_row, (size_t)side[0].s->nodes.n + side[1].s->nodes.n);

    for (int k = 0; k < 2; k++) {
        color_from(&side[k]);
        color_to(&side[k]);
    }
    for (int pass = 0; pass < PASSES; pass++) {
        uint32_t n = 0;

        for (int k = 0; k < 2; k++)
            for (fsd_id i = 0; i < side[k].s->nodes.n; i++) {
                uint64_t from = side[k].from[i], to = side[k].to[i];

                if (is_rest(&side[k], i) && side[k].counterpart[i] == FSD_NONE &&
                    (pass != BY_INPUTS ||
                     side[k].s->nodes.at[i].role == FSD_ROLE_OPTIONAL))
                    rows[n++] = (struct fsd_hash_row){pass == BY_BOTH_ENDS
                                                          ? fsd_hash_mix(to, from)
                                                      : pass == BY_OUTPUTS ? to
                                                                           : from,
                                                      i, k};
            }
        n = fsd_hash_rows_pairs(rows, n);
        for (uint32_t i = 0; i < n; i += 2) {
            side[0].counterpart[rows[i].id] = rows[i + 1].id;
            side[1].counterpart[rows[i + 1].id] = rows[i].id;
            by[rows[i].id] = why[pass];
        }
    }
}
