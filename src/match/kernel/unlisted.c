/*
 * Takes nodes for which a kernel's name lists no step.  The builder may join products
 * of the same data into one product.  The output of the joined product has the columns
 * of all these products, and each reader reads its own columns:
 *
 *     x -> Gemm a, Gemm b          kernel 3: x -> [1, 32 + 64]
 *
 * If a kernel's name lacks steps, two more kinds of nodes are taken: nodes that names
 * assign to the kernel, and nodes that read both an unused input and a result of the
 * kernel.
 */
#include "match/kernel/replay.h"

/* Takes the products that read the tensor and that no layer computes; returns the
 * number of elements of all their results together. */
static int64_t take_products(struct replay *r, struct candidate *w, fsd_id tensor)
{
    const struct fsd_tensor *t = &r->g->tensors.at[tensor];
    int64_t sum = 0;

    FSD_EACH_ID (node, r->g->links, t->consumers) {
        int64_t count = fsd_count_of(r, fsd_node_out_tensor(r->g, node, 0));

        if (!fsd_is_product(r, node) || fsd_has_layer(r, node) || count < 0 ||
            fsd_data_input(r, node) != tensor)
            continue;
        fsd_candidate_take(r, w, node, false);
        sum += count;
    }
    return sum;
}

/* Calls take_products() for the tensor and all tensors with the same value. */
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

/* The last taken product may be joined with other products of the same data.  Takes
 * them if the kernel's output has as many elements as the results of all these products
 * together. */
static void join_products(struct replay *r, struct candidate *w)
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
    /* Sorts the new products in the model's order.  The kernels that read the results
     * of these products read them in this order. */
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

/* If inputs of the node are not available, takes their producers.  Then takes the node.
 * False if this is impossible. */
static bool take_path(struct replay *r, struct candidate *w, fsd_id node, int far)
{
    const struct fsd_node *n = &r->g->nodes.at[node];
    uint64_t from;

    if (fsd_is_named(r, node) && r->nodes[node].named != r->layer)
        return false;
    for (uint32_t i = 0; i < n->in.n; i++) {
        fsd_id t = fsd_data_in(r, node, i), by;

        if (t == FSD_NONE || fsd_find_available(w, t))
            continue;
        by = fsd_tensor_producer(r->g, t);
        if (by == FSD_NONE || !far || fsd_has_layer(r, by) ||
            fsd_candidate_began(w, by) || !take_path(r, w, by, far - 1))
            return false;
    }
    if (fsd_candidate_took(w, node) || !fsd_is_ready(r, w, node, ++r->rounds, &from))
        return false;
    w->used |= from;
    fsd_candidate_take(r, w, node, false);
    return true;
}

/* Takes a node, such as the Add of a residual, that reads a result of the kernel and an
 * input that the kernel has not used yet.  False if there is no such node. */
static bool take_unused(struct replay *r, struct candidate *w)
{
    for (uint32_t i = 0; i < w->n_available; i++) {
        const struct fsd_tensor *t = &r->g->tensors.at[w->available[i].tensor];

        for (uint32_t k = 0; k < t->consumers.n && !w->available[i].from; k++) {
            fsd_id node = r->g->links.at[t->consumers.at + k];
            uint64_t from;

            if (r->nodes[node].passes || fsd_candidate_took(w, node) ||
                fsd_is_product(r, node) || fsd_has_layer(r, node) ||
                !fsd_is_ready(r, w, node, ++r->rounds, &from) || !(from & ~w->used))
                continue;
            w->used |= from;
            fsd_candidate_take(r, w, node, false);
            return true;
        }
    }
    return false;
}

void fsd_candidate_take_more(struct replay *r, struct candidate *w)
{
    const struct fsd_layer *l = &r->m->engine->layers.at[r->layer];
    struct candidate *try = &r->beam->next[0];

    join_products(r, w);
    if (!l->more_steps)
        return;
    for (uint32_t i = 0; i < r->now.n_must; i++) {
        fsd_id node = r->now.must[i].node;

        if (fsd_candidate_took(w, node) ||
            (l->more_steps == FSD_STEPS_GO_ON && fsd_is_product(r, node)))
            continue;
        fsd_candidate_copy(try, w);
        if (take_path(r, try, node, 4))
            fsd_candidate_copy(w, try);
    }
    while (take_unused(r, w))
        ;
}
