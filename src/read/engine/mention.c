/*
 * Records that a layer's name contains a name of the model, and what this name means.
 * Every reader finds names in its own way and adds them here, so that all readers treat
 * an ambiguous name alike.  A name of several nodes is recorded with some candidates
 * and their total number; the passes of match/ decide.  Depending on the role of the
 * mention, a name may be that of a node, of a constant or of any tensor.  Any other
 * name is recorded as unknown, so that reports can show it.
 */
#include "model/graph/graph.h"
#include "read/engine/reader.h"
#include "model/ops/ids.h"

/* If several nodes have the name, at most this many of them get a mention; each mention
 * states how many nodes there are. */
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
        /* A layer that copies or serves a tensor may name any tensor, other layers only
         * a constant. */
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
