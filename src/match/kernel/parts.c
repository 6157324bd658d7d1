/*
 * Products that are not done one by one.  Several of the same data are joined to one,
 * whose output has the columns of all, and each reader takes its own:
 *
 *     x -> Gemm a, Gemm b          kernel 3: x -> [1, 32 + 64]
 *
 * and one whose output is taken apart is done in parts, each with what is done of that
 * part alone:
 *
 *     x -> MatMul -> Add -> Split -> u, v      kernel 4: u and its activation
 *                                              kernel 5: v
 */
#include "match/kernel/replay.h"

#include <string.h>

/* Views between the tensor and the Split or the Slices count as none; a reader besides
 * these keeps the tensor whole. */
uint32_t fsd_count_parts(const struct replay *r, fsd_id tensor)
{
    for (int far = 0; far < FAR && tensor != FSD_NONE; far++) {
        const struct fsd_tensor *t = &r->g->tensors.at[tensor];
        fsd_id next = FSD_NONE;
        uint32_t slices = 0, others = 0;

        for (uint32_t i = 0; i < t->consumers.n; i++) {
            fsd_id node = r->g->links.at[t->consumers.at + i];

            if (r->g->nodes.at[node].op == FSD_ONNX_Slice) {
                slices++;
            } else if (!(r->m->facts->traits[node] & FSD_OP_SHAPE)) {
                others++;
                next = node;
            }
        }
        if (slices > 1 && !others)
            return slices;
        if (slices || others != 1 || !r->nodes[next].passes)
            return 1;
        if (fsd_comes_in_parts(r, next))
            return r->g->nodes.at[next].out.n;
        tensor = fsd_node_out_tensor(r->g, next, 0);
    }
    return 1;
}

uint32_t fsd_count_parts_behind(const struct replay *r, fsd_id tensor)
{
    for (int far = 0; far < 3 && tensor != FSD_NONE; far++) {
        const struct fsd_tensor *t = &r->g->tensors.at[tensor];
        uint32_t parts = fsd_count_parts(r, tensor);

        if (parts > 1 || t->consumers.n != 1)
            return parts;
        tensor = fsd_node_out_tensor(r->g, r->g->links.at[t->consumers.at], 0);
    }
    return 1;
}

/* Products of the tensor that nobody made yet; their outputs' elements together. */
static int64_t take_products(struct replay *r, struct candidate *w, fsd_id tensor)
{
    const struct fsd_tensor *t = &r->g->tensors.at[tensor];
    int64_t sum = 0;

    for (uint32_t i = 0; i < t->consumers.n; i++) {
        fsd_id node = r->g->links.at[t->consumers.at + i];
        int64_t count = fsd_count_of(r, fsd_node_out_tensor(r->g, node, 0));

        if (!fsd_is_product(r, node) || fsd_has_layer(r, node) || count < 0 ||
            fsd_data_input(r, node) != tensor)
            continue;
        fsd_candidate_take(r, w, node, false);
        sum += count;
    }
    return sum;
}

/* Likewise, of all nodes that compute that tensor. */
static int64_t take_siblings(struct replay *r, struct candidate *w, fsd_id tensor)
{
    fsd_id by = fsd_tensor_producer(r->g, tensor);
    int64_t sum = 0;

    if (by == FSD_NONE)
        return take_products(r, w, tensor);
    for (by = r->m->facts->first_duplicate[by]; by != FSD_NONE;
         by = r->nodes[by].next_duplicate)
        sum += take_products(r, w, fsd_node_out_tensor(r->g, by, 0));
    return sum;
}

void fsd_candidate_join(struct replay *r, struct candidate *w)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_node *n = &e->nodes.at[r->layer];
    fsd_id last = w->n_taken ? w->taken[w->n_taken - 1] : FSD_NONE, in;
    struct candidate *try = &r->beam->next[0];
    int64_t size;

    if (last == FSD_NONE || n->out.n != 1 || !fsd_is_product(r, last))
        return;
    in = fsd_data_input(r, last);
    size = fsd_form_count(e, fsd_port_form(e, fsd_node_out(e, n, 0)));
    if (in == FSD_NONE || size <= fsd_count_of(r, fsd_node_out_tensor(r->g, last, 0)))
        return;
    fsd_candidate_copy(try, w);
    if (take_siblings(r, try, in) != size)
        return;
    /* Readers take them in the order of the model. */
    for (uint32_t i = w->n_taken; i < try->n_taken; i++)
        for (uint32_t k = i; k >= w->n_taken && try->taken[k] < try->taken[k - 1];
             k--) {
            fsd_id node = try->taken[k];

            try->taken[k] = try->taken[k - 1];
            try->taken[k - 1] = node;
        }
    fsd_candidate_copy(w, try);
    w->joined = true;
}
