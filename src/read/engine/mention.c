/*
 * Adds mentions.  A mention states that the name of a layer contains a name of the
 * model, and what this name means.  All readers add mentions through this file, so they
 * all treat an ambiguous name in the same way.  If several nodes have the name, up to
 * CANDIDATES of these nodes get a mention each, and the passes of match/ choose among
 * them.
 *
 * The name of a node or a constant is accepted in every layer.  The name of any other
 * tensor is accepted only in a layer that moves data.  A name that is not accepted
 * becomes an unknown mention, so that reports can show it.
 */
#include "model/graph/graph.h"
#include "read/engine/reader.h"
#include "model/ops/ids.h"

/* If several nodes have one name, at most this many of them get a mention.  The member
 * `among` of each mention is the number of all nodes with the name. */
enum { CANDIDATES = 8 };

static bool is_constant(const struct fsd_vocab *vocab, fsd_id tensor)
{
    const struct fsd_graph *model = vocab->model;
    fsd_id producer = fsd_tensor_producer(model, tensor);

    if (tensor == FSD_NONE)
        return false;
    return model->tensors.at[tensor].flags & FSD_TENSOR_CONSTANT ||
           fsd_node_is(model, producer, FSD_ONNX_Constant);
}

bool fsd_meaning_fits(const struct fsd_vocab *vocab, const struct fsd_meaning *what)
{
    return what->nodes.n || is_constant(vocab, what->tensor);
}

void fsd_mention_add(struct fsd_graph *g, const struct fsd_vocab *vocab,
                     struct fsd_mention mention, const char *s, size_t n,
                     const struct fsd_meaning *what)
{
    struct fsd_span nodes = what ? what->nodes : (struct fsd_span){0};

    mention.text = fsd_intern_add(g->names, s, n);
    mention.layer = mention.layer ? mention.layer : mention.text;
    mention.node = FSD_NONE;
    mention.tensor = what ? what->tensor : FSD_NONE;
    mention.among = nodes.n;
    if (!nodes.n) {
        /* No node has this name.  If the layer moves data, the name may be the name of
         * any tensor; otherwise, it must be the name of a constant. */
        bool any = mention.role == FSD_MENTION_COPIES ||
                   mention.role == FSD_MENTION_WRAPS ||
                   mention.role == FSD_MENTION_SERVES;

        if (mention.role != FSD_MENTION_HELPER && !(what && any))
            mention.role = what && is_constant(vocab, mention.tensor)
                               ? FSD_MENTION_CONSTANT
                               : FSD_MENTION_UNKNOWN;
        fsd_vec_push(g->arena, &g->mentions, mention);
        return;
    }
    if (mention.role != FSD_MENTION_COPIES)
        mention.tensor = FSD_NONE;
    for (uint32_t i = 0; i < nodes.n && i < CANDIDATES; i++) {
        mention.node = vocab->pool.at[nodes.at + i];
        fsd_vec_push(g->arena, &g->mentions, mention);
    }
}

bool fsd_is_weight_name(struct fsd_slice name)
{
    static const char *const ends[] = {".weight", ".bias", ".running_mean",
                                       ".running_var"};

    for (size_t i = 0; i < FSD_COUNT_OF(ends); i++) {
        size_t n = strlen(ends[i]);

        if (name.n > n && !memcmp(name.s + name.n - n, ends[i], n))
            return true;
    }
    return fsd_slice_begins(name, "onnx::");
}
