/*
 * Links layers to nodes by Metadata, by layer names and by the log.  The engine reader
 * has already found the node names in these texts (struct fsd_mention).  Most mentions
 * become links here.  A mention becomes no link if it names
 *
 *   - the node for which a reformat was inserted,
 *   - the node before or behind which a reshape was inserted,
 *   - an initializer,
 *   - a layer that the parser added.
 *
 * If several nodes have the mentioned name, tensors decide which node is meant
 * (fsd_pass_repeated()).
 */
#include "match/pass.h"
#include "model/graph/graph.h"

static bool names_computed(const struct fsd_mention *mention)
{
    return mention->role == FSD_MENTION_COMPUTES ||
           mention->role == FSD_MENTION_FIRST || mention->role == FSD_MENTION_LAST ||
           mention->role == FSD_MENTION_COPIES;
}

/* Indexed by model tensor: the only Concat that consumes the tensor.  The result is
 * kept, because a tensor with many consumers may also have many copy layers. */
struct concats {
    fsd_id *of;
    bool *known;
};

static fsd_id only_concat(const struct fsd_graph *g, fsd_id tensor, struct concats *c)
{
    const struct fsd_tensor *t = &g->tensors.at[tensor];
    fsd_id found = FSD_NONE;

    if (c->known[tensor])
        return c->of[tensor];
    FSD_EACH_ID (node, g->links, t->consumers) {
        if (node == found || !fsd_node_is(g, node, FSD_ONNX_Concat))
            continue;
        if (found != FSD_NONE) {
            found = FSD_NONE;
            break;
        }
        found = node;
    }
    c->known[tensor] = true;
    return c->of[tensor] = found;
}

/* The node that a layer named "T copy" computes in part; `tensor` is T.  If the layer
 * writes `tensor`, this node is the Slice or Split that outputs `tensor`.  Else it is
 * the only Concat that consumes `tensor`.  FSD_NONE if there is no such node. */
static fsd_id copied_for(const struct fsd_match *m, fsd_id layer, fsd_id tensor,
                         struct concats *concats)
{
    fsd_id producer = fsd_tensor_producer(m->model, tensor);
    bool writes = false;

    FSD_EACH_OF (t, m->engine->ports, m->engine->nodes.at[layer].out, tensor) {
        writes |= fsd_match_held(m, t) == tensor;
    }
    if (!writes)
        return only_concat(m->model, tensor, concats);
    return fsd_node_is(m->model, producer, FSD_ONNX_Slice) ||
                   fsd_node_is(m->model, producer, FSD_ONNX_Split)
               ? producer
               : FSD_NONE;
}

/* Whether the layer is a copy to or from another device.  Such a layer computes no
 * node, although its name may contain the name of a node. */
static bool crosses(const struct fsd_layer *layer, const struct fsd_mention *mention)
{
    return mention->role == FSD_MENTION_COPIES &&
           layer->provider == FSD_PROVIDER_DEVICE;
}

static void link_mentions(struct fsd_match *m, unsigned by)
{
    FSD_SCRATCH(scratch);
    struct concats concats = {FSD_NEW(scratch, fsd_id, m->model->tensors.n),
                              FSD_NEW(scratch, bool, m->model->tensors.n)};

    for (fsd_id i = 0; i < m->engine->layers.n; i++) {
        struct fsd_span span = m->engine->layers.at[i].mentions;

        FSD_EACH_IN (const struct fsd_mention, mention, m->engine->mentions, span) {
            fsd_id node = mention->node;

            if (!(mention->by & by) || !names_computed(mention) || mention->among > 1 ||
                crosses(&m->engine->layers.at[i], mention))
                continue;
            if (node == FSD_NONE && mention->role == FSD_MENTION_COPIES &&
                mention->tensor != FSD_NONE)
                node = copied_for(m, i, mention->tensor, &concats);
            fsd_match_link(m, i, node, mention->by);
        }
    }
}

void fsd_pass_metadata(struct fsd_match *m)
{
    link_mentions(m, FSD_BY_METADATA);
}

void fsd_pass_name(struct fsd_match *m)
{
    link_mentions(m, FSD_BY_NAME);
}

/* Handles names that several nodes share.  If tensors link the layer to one of these
 * nodes, the name is evidence for this node. */
void fsd_pass_repeated(struct fsd_match *m)
{
    for (fsd_id i = 0; i < m->engine->layers.n; i++) {
        struct fsd_span span = m->engine->layers.at[i].mentions;

        FSD_EACH_IN (const struct fsd_mention, mention, m->engine->mentions, span)
            if (mention->among > 1 && names_computed(mention) &&
                (mention->by & m->evidence) && fsd_match_has(m, i, mention->node))
                fsd_match_link(m, i, mention->node, mention->by);
    }
}

/* ------------------------------------------------------------------------ the log */

/* Links a layer to the nodes that the log assigns to the layer named `name`.  The log
 * lists these nodes, or shows the fusions that created the layer. */
static void link_name(struct fsd_match *m, fsd_id layer, fsd_sym name)
{
    struct fsd_span nodes = {0};

    if (name)
        nodes = fsd_story_nodes(m->story, name);
    FSD_EACH_ID (node, m->story->pool, nodes)
        fsd_match_link(m, layer, node, FSD_BY_LOG);
}

void fsd_pass_log(struct fsd_match *m)
{
    if (!m->story || m->story->h->no_steps) {
        link_mentions(m, FSD_BY_LOG);
        return;
    }
    for (fsd_id i = 0; i < m->engine->layers.n; i++) {
        const struct fsd_layer *l = &m->engine->layers.at[i];

        if (l->form == FSD_NAME_SERVES || l->form == FSD_NAME_COPIES)
            continue;
        link_name(m, i, l->base_name);
        FSD_EACH_IN (const struct fsd_mention, mention, m->engine->mentions,
                     l->mentions)
            if ((mention->role == FSD_MENTION_COMPUTES ||
                 mention->role == FSD_MENTION_FIRST ||
                 mention->role == FSD_MENTION_LAST) &&
                (mention->by & (FSD_BY_NAME | FSD_BY_LOG)))
                link_name(m, i, fsd_story_name(m->story, mention));
    }
}
