/*
 * Reads the Metadata of a layer, which TensorRT writes since 8.6:
 *
 *     [ONNX Layer: /classifier/classifier.4/Gemm]<1F>[ONNX Layer: /classifier/Relu]
 *
 * The byte between two items is 1E if the optimizer fused the nodes, and 1F if Myelin
 * fused them.  A tool may have replaced this byte by a text (model/graph/items.h).
 *
 * An item begins with the name of a node.  " | " and a doc string, or " | Local
 * Function: f", may follow.  The name may itself contain " | ".  Therefore, the whole
 * item is looked up first, and then the text before a " | ".  Myelin may append how it
 * lowered the node: "[ONNX Layer: /conv/Conv]__gemm_from_conv1x1".
 *
 * TensorRT shortens Metadata to 4000 characters, with " ... " in the middle.  An item
 * that is cut there matches no node.
 */
#include "base/base.h"
#include "model/graph/graph.h"
#include "model/graph/items.h"
#include "read/engine/reader.h"
#include "read/trt/name.h"

#define TRAILER " | "
#define ELISION " ... "

enum {
    TRAILER_LEN = sizeof TRAILER - 1,
    TRAILERS = 64,     /* the maximum number of lookups for an item.  The whole item is
                          looked up first, then the text before the last " | ", and so
                          on */
    OWNED_MAX = 1024,  /* if more nodes than this have the same name, their owners are
                          not compared */
    TEXT_MAX = 1 << 20 /* the maximum number of bytes of a Metadata text; the longest
                          known has 16 K */
};

struct naming {
    struct fsd_graph *g;
    const struct fsd_vocab *vocab;
    fsd_sym metadata;
    bool truncated;
};

/* Looks for the name of a node at the front of an item: the whole item, or the text
 * before a " | ".  Returns the length of the longest such name; 0 if there is none. */
static size_t known_name(const struct naming *r, const char *s, size_t n,
                         const struct fsd_meaning **what)
{
    size_t left = TRAILERS;

    for (size_t len = n; r->vocab && len && left; len--) {
        if (len < n &&
            (n - len < TRAILER_LEN || memcmp(s + len, TRAILER, TRAILER_LEN) != 0))
            continue;
        left--;
        *what = fsd_vocab_find(r->vocab, s, len);
        if (*what && (*what)->nodes.n)
            return len;
    }
    return 0;
}

/* Several nodes, what->nodes, have the same name.  Returns the node whose owners are
 * the owners in the text `s`; FSD_NONE if no node or several nodes have these owners.
 * An owner is an If, a Loop, a Scan or a call of a function whose body contains the
 * node.  `s` lists the innermost owner first: "lin_act (Act) | /Lin (Lin)". */
static fsd_id owned_by(const struct naming *r, const struct fsd_meaning *what,
                       const char *s, size_t n)
{
    const struct fsd_graph *g = r->vocab->model;
    fsd_id found = FSD_NONE;

    FSD_EACH_ID (node, r->vocab->pool, what->nodes) {
        fsd_id owner = g->scopes.at[g->nodes.at[node].scope].owner;
        const char *at = s;
        bool fits = true;

        for (; fits && owner != FSD_NONE && at;
             owner = g->scopes.at[g->nodes.at[owner].scope].owner) {
            fsd_sym name = g->nodes.at[owner].name;
            size_t len = fsd_text_len(g->names, name), left = n - (size_t)(at - s);

            fits = len && left > len + 1 &&
                   !memcmp(at, fsd_text(g->names, name), len) && at[len] == ' ' &&
                   at[len + 1] == '(';
            at = fsd_slice_find((struct fsd_slice){at, left}, TRAILER);
            at = at ? at + TRAILER_LEN : NULL;
        }
        if (!fits || owner != FSD_NONE || at)
            continue;
        if (found != FSD_NONE)
            return FSD_NONE;
        found = node;
    }
    return found;
}

static void read_name(struct naming *r, const char *s, size_t n)
{
    struct fsd_mention mention = {.by = FSD_BY_METADATA, .role = FSD_MENTION_COMPUTES};
    const struct fsd_meaning *what = NULL;
    const char *trailer = fsd_slice_find((struct fsd_slice){s, n}, TRAILER);
    size_t known = known_name(r, s, n, &what);

    if (!n)
        return;
    if (!known) {
        what = NULL;
        known = trailer && trailer > s ? (size_t)(trailer - s) : n;
        r->truncated |= fsd_slice_find((struct fsd_slice){s, known}, ELISION) != NULL;
    }
    if (what && what->nodes.n > 1 && what->nodes.n <= OWNED_MAX &&
        trailer == s + known) {
        fsd_id node =
            owned_by(r, what, s + known + TRAILER_LEN, n - known - TRAILER_LEN);

        if (node != FSD_NONE) {
            mention.node = node;
            mention.tensor = FSD_NONE;
            mention.among = 1;
            mention.text = mention.layer = fsd_intern_add(r->g->names, s, known);
            fsd_vec_push(r->g->arena, &r->g->mentions, mention);
            return;
        }
    }
    fsd_mention_add(r->g, r->vocab, mention, s, known, what);
}

void fsd_metadata_read(struct fsd_graph *g, const struct fsd_vocab *vocab,
                       fsd_sym metadata)
{
    struct naming r = {.g = g, .vocab = vocab, .metadata = metadata};
    struct fsd_slice list = {fsd_text(g->names, metadata),
                             fsd_text_len(g->names, metadata)};
    struct fsd_slice item;

    if (list.n > TEXT_MAX) {
        r.truncated = true;
        list.n = 0;
    }
    while (fsd_items_next(&list, &item))
        read_name(&r, item.s, item.n);
    if (r.truncated)
        fsd_vec_push(g->arena, &g->remarks,
                     (struct fsd_remark){.rule = "input/truncated-metadata",
                                         .node = g->nodes.n,
                                         .tensor = FSD_NONE,
                                         .text = metadata});
}
