/*
 * Functions that read the state of the replay for the other files of this folder: the
 * nodes of a candidate, and the facts about a node, a layer or a port.  Nothing here
 * changes the state.
 */
#include "match/kernel/replay.h"

fsd_id fsd_last_duplicate(const struct replay *r, fsd_id node)
{
    return node == FSD_NONE
               ? FSD_NONE
               : r->nodes[r->m->facts->first_duplicate[node]].last_duplicate;
}

int64_t fsd_count_of(const struct replay *r, fsd_id tensor)
{
    return fsd_shape_count(r->sizes->amounts, fsd_shape_of(r->sizes, tensor));
}

bool fsd_candidate_took(const struct candidate *w, fsd_id node)
{
    for (uint32_t i = 0; i < w->n_taken; i++)
        if (w->taken[i] == node)
            return true;
    return false;
}

bool fsd_candidate_began(const struct candidate *w, fsd_id node)
{
    for (uint32_t i = 0; i < w->n_open; i++)
        if (w->open[i].node == node)
            return true;
    return false;
}

bool fsd_computes_pairs(const struct replay *r, fsd_id node)
{
    struct fsd_span all = r->lowerings->of[node];

    return all.n && r->lowerings->all.at[all.at].pairs;
}

bool fsd_is_must(const struct replay *r, fsd_id node)
{
    for (uint32_t i = 0; i < r->now.n_must; i++)
        if (r->now.must[i].node == node)
            return true;
    return false;
}

bool fsd_is_epilogue(const struct replay *r, fsd_id node)
{
    fsd_id producer = r->nodes[node].layer;

    return r->nodes[node].epilogue_of != FSD_NONE &&
           (producer == FSD_NONE || producer == r->nodes[node].epilogue_of);
}

bool fsd_joins_products(const struct replay *r, fsd_id layer)
{
    const struct fsd_layer *l = &r->m->engine->layers.at[layer];

    return r->layers[layer].joined ||
           (l->more_steps == FSD_STEPS_GO_ON && l->steps.n > 1);
}

bool fsd_takes_apart(const struct replay *r, fsd_id layer)
{
    const struct fsd_graph *e = r->m->engine;
    struct fsd_span steps = e->layers.at[layer].steps;

    FSD_EACH_ID (step, e->links, steps) {
        if (step == FSD_ONNX_Conv || step == FSD_ONNX_MatMul)
            return false;
    }
    return true;
}

uint64_t fsd_first_port(const struct replay *r, uint32_t i)
{
    fsd_id t = fsd_node_in_tensor(r->m->engine, r->layer, i);
    uint32_t first = 0;

    while (fsd_node_in_tensor(r->m->engine, r->layer, first) != t)
        first++;
    return first < 64 ? UINT64_C(1) << first : 0;
}
