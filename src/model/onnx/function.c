/*
 * Finds the model-local function that a node calls.  A model may have thousands of
 * functions, so they are sorted by name, domain and overload for a binary search.  If
 * several functions have the same key, the first one in the file counts.  Functions
 * with equal keys are therefore sorted by their place in the file.
 */
#include "model/graph/graph.h"
#include "model/onnx/parts.h"
#include "base/base.h"

static const char *plain_domain(const char *domain)
{
    return !domain || fsd_is_onnx_domain(domain) ? "" : domain;
}

static int by_key(const struct fsd_onnx_function *a, const struct fsd_onnx_function *b)
{
    int order = fsd_order(a->name, b->name);

    if (!order)
        order = fsd_order(a->domain, b->domain);
    return order ? order : fsd_order(a->overload, b->overload);
}

FSD_ORDERED(by_key_and_place, struct fsd_onnx_function, by_key(x, y),
            fsd_order(x->place, y->place))

struct fsd_onnx_functions fsd_onnx_functions_new(struct fsd_graph *g,
                                                 const Onnx__ModelProto *model)
{
    struct fsd_onnx_functions all = {.n = (uint32_t)model->n_functions};

    all.at = FSD_NEW(g->arena, struct fsd_onnx_function, all.n);
    for (uint32_t i = 0; i < all.n; i++) {
        const Onnx__FunctionProto *proto = model->functions[i];

        all.at[i] = (struct fsd_onnx_function){
            .domain = fsd_intern_str(g->names, plain_domain(proto->domain)),
            .name = fsd_intern_str(g->names, proto->name),
            .overload = fsd_intern_str(g->names, proto->overload),
            .place = i,
            .proto = proto,
            .defaults = {g->attrs.n, (uint32_t)proto->n_attribute_proto}};
        for (size_t k = 0; k < proto->n_attribute_proto; k++)
            fsd_vec_push(g->arena, &g->attrs,
                         fsd_onnx_attr(g, proto->attribute_proto[k]));
    }
    fsd_vec_sort(&all, by_key_and_place);
    return all;
}

struct fsd_onnx_function *fsd_onnx_function_find(const struct fsd_onnx_functions *all,
                                                 const struct fsd_graph *g,
                                                 const Onnx__NodeProto *node)
{
    struct fsd_onnx_function key = {.name = 0};
    uint32_t low = 0, high = all->n;

    if (!high)
        return NULL;
    key.domain = fsd_intern_str(g->names, plain_domain(node->domain));
    key.name = fsd_intern_str(g->names, node->op_type);
    key.overload = fsd_intern_str(g->names, node->overload);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (by_key(&all->at[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < all->n && !by_key(&all->at[low], &key) ? &all->at[low] : NULL;
}
