/*
 * Finds the origin of each kernel input.  So a comparison notices a kernel that reads
 * another tensor than before, even if both tensors have the same form:
 *
 *     kernel A -> t -> reformat -> u -> kernel B        B reads output 0 of A's group
 *
 * Kernels have no names, and the names of their layers change from build to build.  So
 * an origin is the last node of the group that writes the tensor, with the index of the
 * tensor among the group's outputs.  If another build splits the group, the last node
 * mostly still writes the same tensor.
 */
#include "base/base.h"
#include "change/state/parts.h"
#include "model/graph/graph.h"

/* The maximum number of consecutive data-movement layers. */
enum { MOST_MOVES = 64 };

struct finder {
    struct fsd_state_build *b;
    uint32_t *first_out; /* the result of fsd_state_number_outputs() */
    uint32_t *input;     /* indexed by engine tensor: its number among the network's
                            inputs; FSD_NONE if it is no input */
};

uint32_t *fsd_state_number_outputs(const struct fsd_state *s, struct fsd_arena *arena)
{
    uint32_t *first = FSD_NEW(arena, uint32_t, s->kernels.n);

    for (fsd_id g = 0; g < s->groups.n; g++) {
        struct fsd_span kernels = s->groups.at[g].kernels;
        uint32_t n = 0;

        for (uint32_t i = kernels.at; i < kernels.at + kernels.n; i++) {
            first[i] = n;
            n += s->kernels.at[i].out.n;
        }
    }
    return first;
}

fsd_id fsd_state_writer(const struct fsd_state *s, const uint32_t *first,
                        struct fsd_producer from, uint32_t *out)
{
    fsd_id group = fsd_state_group_of(s, fsd_origin_node(from.at));
    struct fsd_span kernels =
        group == FSD_NONE ? (struct fsd_span){0, 0} : s->groups.at[group].kernels;
    uint32_t at = kernels.at, end = kernels.at + kernels.n;

    if (!kernels.n)
        return FSD_NONE;
    while (end - at > 1) { /* finds the last kernel with
                              first[kernel] <= from.out */
        uint32_t middle = at + (end - at) / 2;

        if (first[middle] <= from.out)
            at = middle;
        else
            end = middle;
    }
    *out = from.out - first[at];
    return *out < s->kernels.at[at].out.n ? at : FSD_NONE;
}

static void find_inputs(struct finder *f)
{
    const struct fsd_state *s = f->b->s;

    f->input = fsd_ids_new(f->b->scratch, f->b->d->engine->tensors.n);
    for (uint32_t i = 0; i < s->inputs.n; i++) {
        fsd_id t = fsd_state_port_tensor(f->b, &s->inputs.at[i]);

        if (t != FSD_NONE)
            f->input[t] = i;
    }
}

/* The least node key in the layer's group; NULL for a data-movement layer.  is_rather()
 * compares layers by this key: the key does not depend on the order of nodes. */
static const char *key_of(const struct finder *f, fsd_id layer)
{
    const struct fsd_state *s = f->b->s;
    struct fsd_span nodes;
    const char *least;

    if (s->of_layer[layer] & FSD_LAYER_MOVES)
        return NULL;
    nodes = s->groups.at[s->of_layer[layer]].nodes;
    least = fsd_state_node_key(s, s->refs.at[nodes.at]);
    for (uint32_t i = 1; i < nodes.n; i++) {
        const char *key = fsd_state_node_key(s, s->refs.at[nodes.at + i]);

        least = strcmp(key, least) < 0 ? key : least;
    }
    return least;
}

/* Whether writer_of() prefers `layer` to `other`.  Both write the same tensor, and
 * `other` writes it first. */
static bool is_rather(const struct finder *f, fsd_id layer, fsd_id other)
{
    const char *a = key_of(f, layer), *b = key_of(f, other);

    return a && (!b || strcmp(a, b) < 0);
}

/* The layer that writes the tensor.  Several layers write it if each writes a part, or
 * if a loop writes it in each iteration.  Then the layer with the least key_of() is
 * chosen, or the first of several such layers: the key does not depend on the order of
 * nodes.  Data-movement layers have no key: the first of them is chosen only if no
 * other layer writes the tensor.
 * @return FSD_NONE if no layer writes the tensor */
static fsd_id writer_of(const struct finder *f, fsd_id tensor)
{
    const struct fsd_graph *e = f->b->d->engine;
    struct fsd_span writers = e->tensors.at[tensor].producers;
    fsd_id first = writers.n ? e->links.at[writers.at] : FSD_NONE;

    for (uint32_t i = 1; i < writers.n; i++)
        if (is_rather(f, e->links.at[writers.at + i], first))
            first = e->links.at[writers.at + i];
    return first;
}

/* The only tensor that a data-movement layer reads, apart from constants; FSD_NONE if
 * there is none or more than one. */
static fsd_id moved_by(const struct fsd_graph *e, fsd_id layer)
{
    const struct fsd_node *n = &e->nodes.at[layer];
    fsd_id only = FSD_NONE;

    FSD_EACH_OF (t, e->ports, n->in, tensor) {
        if (t == FSD_NONE || t == only ||
            (e->tensors.at[t].flags & FSD_TENSOR_CONSTANT))
            continue;
        if (only != FSD_NONE)
            return FSD_NONE;
        only = t;
    }
    return only;
}

static struct fsd_producer output_of(const struct finder *f, fsd_id layer,
                                     fsd_id tensor)
{
    const struct fsd_graph *e = f->b->d->engine;
    const struct fsd_state *s = f->b->s;
    const struct fsd_group *g = &s->groups.at[s->of_layer[layer]];
    uint32_t out = f->first_out[f->b->kernel_of[layer]];

    for (uint32_t i = 0; i < e->nodes.at[layer].out.n; i++)
        if (fsd_node_out_tensor(e, layer, i) == tensor)
            return (struct fsd_producer){
                fsd_node_origin(s->refs.at[g->nodes.at + g->nodes.n - 1]), out + i};
    return (struct fsd_producer){FSD_NO_ORIGIN, 0};
}

static struct fsd_producer source_of(const struct finder *f, fsd_id tensor)
{
    for (int far = 0; far < MOST_MOVES && tensor != FSD_NONE; far++) {
        fsd_id layer;

        if (f->input[tensor] != FSD_NONE)
            return (struct fsd_producer){fsd_input_origin(f->input[tensor]), 0};
        layer = writer_of(f, tensor);
        if (layer == FSD_NONE)
            break;
        if (!(f->b->s->of_layer[layer] & FSD_LAYER_MOVES))
            return output_of(f, layer, tensor);
        tensor = moved_by(f->b->d->engine, layer);
    }
    return (struct fsd_producer){FSD_NO_ORIGIN, 0};
}

void fsd_state_add_sources(struct fsd_state_build *b)
{
    const struct fsd_graph *e = b->d->engine;
    struct finder f = {.b = b};

    if (!b->kernel_of)
        return;
    f.first_out = fsd_state_number_outputs(b->s, b->scratch);
    find_inputs(&f);
    for (fsd_id layer = 0; layer < e->nodes.n; layer++) {
        struct fsd_span in = b->s->kernels.at[b->kernel_of[layer]].in;

        for (uint32_t i = 0; i < in.n; i++)
            b->s->tensors.at[in.at + i].from =
                source_of(&f, fsd_node_in_tensor(e, layer, i));
    }
}
