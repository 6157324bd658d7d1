/*
 * Kernels that join what others make.  Where that is the first that such a kernel does,
 * it reads its inputs in the order of the Concat that it computes:
 *
 *     kernel 10  Mul Mean  u, s1 -> w1          r0, r1, r2 -> Concat c
 *     kernel 11  Mul Mean  u, s2 -> w2
 *     kernel 12  Mul Mean  u, s0 -> w0
 *     kernel 13  Concat    w0, w1, w2 -> x      w0 holds r0, w1 holds r1, w2 holds r2
 *
 * Which Concat that is shows in the number and sizes of the inputs, where these fit one
 * node of the model alone, before any kernel is replayed.  So equal branches that are
 * joined in the end are distinguished, and the replay goes on behind the Concat
 * whatever was understood of the kernels before it.
 */
#include "match/kernel/replay.h"

enum { FEW = 3, MANY = AVAILABLE, MOST = 64 };

/* The kernel joins what it reads before anything else: no step before the first Concat
 * computes. */
static bool joins_first(const struct replay *r, fsd_id layer)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_layer *l = &e->layers.at[layer];
    const struct fsd_node *n = &e->nodes.at[layer];
    uint32_t i = 0;

    while (i < l->steps.n && e->links.at[l->steps.at + i] != FSD_ONNX_Concat &&
           fsd_step_moves(e->links.at[l->steps.at + i]))
        i++;
    return l->more_steps == FSD_STEPS_ARE_ALL && n->in.n >= FEW && n->in.n <= MANY &&
           n->out.n == 1 && i < l->steps.n &&
           e->links.at[l->steps.at + i] == FSD_ONNX_Concat;
}

/* It has no step beside those that join and move data. */
static bool only_joins(const struct replay *r, fsd_id layer)
{
    const struct fsd_graph *e = r->m->engine;
    struct fsd_span steps = e->layers.at[layer].steps;

    for (uint32_t i = 0; i < steps.n; i++)
        if (!fsd_step_moves(e->links.at[steps.at + i]))
            return false;
    return true;
}

/* The Concat has as many inputs as the layer, as large one by one, and makes as much as
 * the layer writes, if that does nothing else. */
static bool fits(const struct replay *r, fsd_id layer, fsd_id concat)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_node *n = &e->nodes.at[layer];

    if (r->g->nodes.at[concat].in.n != n->in.n)
        return false;
    if (only_joins(r, layer) &&
        !fsd_port_fits(r, fsd_node_out(e, n, 0), fsd_node_out_tensor(r->g, concat, 0)))
        return false;
    for (uint32_t i = 0; i < n->in.n; i++) {
        fsd_id t = fsd_data_in(r, concat, i);

        if (t == FSD_NONE || !fsd_port_fits(r, fsd_node_in(e, n, i), t))
            return false;
    }
    return true;
}

static void note_joined(struct replay *r, fsd_id layer, fsd_id concat)
{
    r->layers[layer].joins = concat;
    for (uint32_t i = 0; i < r->m->engine->nodes.at[layer].in.n; i++) {
        fsd_id in = fsd_node_in_tensor(r->m->engine, layer, i);

        if (in != FSD_NONE)
            r->values[in].joined = fsd_node_in_tensor(r->g, concat, i);
    }
}

void fsd_find_joined(struct replay *r)
{
    fsd_id concats[MOST];
    uint32_t n = 0;

    for (fsd_id i = 0; i < r->g->nodes.n; i++)
        if (fsd_node_is(r->g, i, FSD_ONNX_Concat) && r->m->facts->live[i] &&
            !r->m->facts->size[i] && !r->m->facts->folded[i] &&
            r->g->nodes.at[i].in.n >= FEW && fsd_last_duplicate(r, i) == i) {
            if (n == MOST)
                return; /* which one a kernel computes would take too long to find */
            concats[n++] = i;
        }
    for (fsd_id layer = 0; layer < r->m->engine->layers.n && n; layer++) {
        fsd_id found = FSD_NONE;

        for (uint32_t i = 0; i < n && joins_first(r, layer); i++)
            if (fits(r, layer, concats[i]))
                found = fsd_id_both(found, concats[i]);
        if (fsd_id_only(found) != FSD_NONE)
            note_joined(r, layer, found);
    }
}
