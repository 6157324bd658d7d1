/*
 * Aligns a matrix product that is one node in one model and two nodes in the other,
 * because a model optimizer rewrote it:
 *
 *     x -> MatMul -> Add(bias) -> Relu          x -> Gemm -> Relu
 *
 * The alignment treats the MatMul and its Add as one node with the color of the Gemm.
 * Otherwise no node after the product would have equal ancestors in both models.
 * Nothing is done if both models write their products alike.
 */
#include "change/compare/parts.h"

#include <stdlib.h>

struct spelled {
    uint32_t whole, parts; /* number of Gemms with a bias, and of MatMuls with an Add */
};

static bool is_op(const struct fsd_state *s, fsd_id node, const char *op)
{
    return !strcmp(fsd_text(s->names, s->nodes.at[node].op), op);
}

/* Whether the weight is the only trait of a node. */
static bool has_only_weight(const struct fsd_state *s, fsd_id node)
{
    const char *traits = fsd_text(s->names, s->nodes.at[node].traits);

    return *traits == 'w' && !strchr(traits, ',');
}

/* Whether a node is a Gemm with a bias. The attribute transB may be set: it only
 * affects how the weight is stored. */
static bool is_whole(const struct fsd_state *s, fsd_id node)
{
    const struct fsd_state_node *n = &s->nodes.at[node];
    const char *attrs = fsd_text(s->names, n->attrs);

    return is_op(s, node, "Gemm") && n->core_in.n == 1 && has_only_weight(s, node) &&
           (!*attrs || !strcmp(attrs, "transB=1"));
}

/* If the node is the Add of a product, returns the product's MatMul; else FSD_NONE.
 * Such an Add adds a constant to the MatMul's result, which nothing else reads. */
static fsd_id product_of(const struct fsd_state *s, const uint32_t *readers,
                         fsd_id node)
{
    const struct fsd_state_node *n = &s->nodes.at[node];
    fsd_id from;

    if (!is_op(s, node, "Add") || n->core_in.n != 1 ||
        *fsd_text(s->names, n->traits) != 'c')
        return FSD_NONE;
    from = fsd_origin_node(s->sources.at[n->core_in.at].at);
    return from != FSD_NONE && readers[from] == 1 && is_op(s, from, "MatMul") &&
                   s->nodes.at[from].core_in.n == 1 && has_only_weight(s, from)
               ? from
               : FSD_NONE;
}

static void count_reader(uint32_t *readers, struct fsd_origin at)
{
    fsd_id from = fsd_origin_node(at);

    if (from != FSD_NONE)
        readers[from]++;
}

/* Indexed by node: the number of core nodes and network outputs that read the node's
 * output. */
static uint32_t *count_readers(const struct fsd_state *s, struct fsd_arena *scratch)
{
    uint32_t *readers = FSD_NEW(scratch, uint32_t, s->nodes.n);

    for (fsd_id i = 0; i < s->nodes.n; i++)
        for (uint32_t k = 0;
             s->nodes.at[i].role == FSD_ROLE_CORE && k < s->nodes.at[i].core_in.n; k++)
            count_reader(readers, s->sources.at[s->nodes.at[i].core_in.at + k].at);
    for (uint32_t i = 0; i < s->outputs.n; i++)
        count_reader(readers, s->outputs.at[i].core_from.at);
    return readers;
}

/* Fills `product`, and counts the products. If node i is the Add of a product,
 * product[i] is the product's MatMul. Else product[i] is i. */
static struct spelled find(const struct fsd_state *s, struct fsd_arena *scratch,
                           fsd_id *product)
{
    const uint32_t *readers = count_readers(s, scratch);
    struct spelled found = {0, 0};

    for (fsd_id i = 0; i < s->nodes.n; i++) {
        fsd_id from =
            s->nodes.at[i].role == FSD_ROLE_CORE ? product_of(s, readers, i) : FSD_NONE;

        product[i] = from == FSD_NONE ? i : from;
        found.parts += from != FSD_NONE;
        found.whole += is_whole(s, i);
    }
    return found;
}

void fsd_align_find_products(const struct fsd_state *old, const struct fsd_state *new,
                             struct fsd_arena *scratch, fsd_id *product[2])
{
    struct spelled was, is;

    product[0] = FSD_NEW(scratch, fsd_id, old->nodes.n);
    product[1] = FSD_NEW(scratch, fsd_id, new->nodes.n);
    was = find(old, scratch, product[0]);
    is = find(new, scratch, product[1]);
    if ((was.whole < is.whole && was.parts > is.parts) ||
        (was.whole > is.whole && was.parts < is.parts))
        return;
    for (int k = 0; k < 2; k++)
        product[k] = NULL;
}

bool fsd_align_is_product(const struct fsd_align_side *side, fsd_id node)
{
    return side->product && (side->bias[node] != FSD_NONE || is_whole(side->s, node));
}

/* The number of values of a weight. Its shape is not compared, because a Gemm may store
 * the weight transposed, and a log does not state whether it does. */
static uint64_t count_weight(const char *traits)
{
    uint64_t count = 1;

    while (*traits++) {
        char *end;

        count *= strtoull(traits, &end, 10);
        traits = end;
    }
    return count;
}

uint64_t fsd_align_product_label(const struct fsd_align_side *side, fsd_id node)
{
    const struct fsd_state *s = side->s;

    return fsd_hash_mix(fsd_hash_text("Gemm"),
                        count_weight(fsd_text(s->names, s->nodes.at[node].traits)));
}

static void pair_products(struct fsd_align_side side[2], fsd_id old, fsd_id new)
{
    side[0].counterpart[old] = new;
    side[1].counterpart[new] = old;
}

uint32_t fsd_align_biases(struct fsd_align_side side[2], uint8_t *by)
{
    uint32_t rewritten = 0;

    for (fsd_id i = 0; side[0].product && i < side[0].s->nodes.n; i++) {
        fsd_id new = side[0].counterpart[i], was = side[0].bias[i], is;

        if (side[0].product[i] != i || new == FSD_NONE)
            continue;
        is = side[1].bias[new];
        if (was != FSD_NONE && is != FSD_NONE) {
            pair_products(side, was, is);
            by[was] = by[i];
        } else if (was != is) {
            side[0].counterpart[i] = side[1].counterpart[new] = FSD_NONE;
            by[i] = FSD_ALIGN_NOT;
            rewritten += was == FSD_NONE ? 1 : 2;
        }
    }
    return rewritten;
}
