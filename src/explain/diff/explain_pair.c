/* Writes the sentences about two nodes: which event fused them, or why they are not
 * fused. */
#include "explain/diff/diff.h"
#include "explain/diff/tale.h"
#include "model/graph/graph.h"

enum { MOST_IDLE = 12 };

static bool joins(enum fsd_event_kind kind)
{
    return kind == FSD_EVENT_FUSE || kind == FSD_EVENT_INTO ||
           kind == FSD_EVENT_MERGE || kind == FSD_EVENT_MEMBERS ||
           kind == FSD_EVENT_REMOVE;
}

/* The first event that fused the two nodes; FSD_NONE if there is none. */
static uint32_t joined_by(const struct fsd_story *s, fsd_id a, fsd_id b)
{
    struct fsd_span x = s->of_node[a], y = s->of_node[b];

    for (uint32_t i = 0, k = 0; i < x.n && k < y.n;) {
        uint32_t e = s->scenes.at[x.at + i].event, f = s->scenes.at[y.at + k].event;

        if (e == f && joins(s->h->events.at[e].kind))
            return e;
        i += e <= f;
        k += f <= e;
    }
    return FSD_NONE;
}

static fsd_id common_layer(const struct fsd_diff *d, fsd_id a, fsd_id b)
{
    const struct fsd_match *m = d->match;

    for (uint32_t i = 0, k = 0; i < m->of_node[a].n && k < m->of_node[b].n;) {
        fsd_id x = fsd_match_of_node(m, a, i)->layer;
        fsd_id y = fsd_match_of_node(m, b, k)->layer;

        if (x == y)
            return x;
        i += x < y;
        k += y < x;
    }
    return FSD_NONE;
}

/* The tensor that node `a` outputs and node `b` reads; FSD_NONE if there is none. */
static fsd_id tensor_between(const struct fsd_diff *d, fsd_id a, fsd_id b)
{
    FSD_EACH_OF (t, d->model->ports, d->model->nodes.at[b].in, tensor)
        if (fsd_tensor_producer(d->model, t) == a)
            return t;
    return FSD_NONE;
}

/* Adds the fusions of the node with other nodes, and the passes that tried the node
 * without effect. */
static void describe_apart(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_story *s = d->story;
    uint32_t idle = 0;

    for (uint32_t i = 0; i < s->of_node[node].n; i++) {
        uint32_t event = s->scenes.at[s->of_node[node].at + i].event;

        if (joins(d->history->events.at[event].kind))
            fsd_tale_event(tale, d, event, "event");
        else if (fsd_is_idle_try(d->history, event) && idle++ < MOST_IDLE)
            fsd_tale_event(tale, d, event, "tried");
    }
}

/* Adds the outcome of a node that no layer computes, because the reason for this
 * outcome also explains why the pair is not fused. */
static void describe_reason(struct fsd_tale *tale, const struct fsd_diff *d,
                            fsd_id node)
{
    FILE *out;

    if (!*d->nodes[node].why)
        return;
    out = fsd_tale_start(tale, "outcome", 0);
    fsd_quote_node(d, node, out);
    fputs(" is ", out);
    fsd_put_fate(d, node, out);
    fsd_tale_finish(tale);
}

/* Adds the tensor between both nodes, the precisions and outcomes of both nodes, and
 * the facts from the log. */
static void describe_why_apart(struct fsd_tale *tale, const struct fsd_diff *d,
                               fsd_id a, fsd_id b)
{
    enum fsd_dtype x = d->nodes[a].realised, y = d->nodes[b].realised;
    fsd_id tensor = tensor_between(d, a, b);
    FILE *out;

    fsd_tale_say(tale, "fusion", "no layer computes both nodes");
    tensor = fsd_id_or(tensor, tensor_between(d, b, a));
    if (tensor == FSD_NONE) {
        fsd_tale_say(tale, "between", "neither node reads an output of the other");
    } else {
        const struct fsd_tensor *t = &d->model->tensors.at[tensor];

        out = fsd_tale_start(tale, "between", 0);
        fprintf(out, "tensor `%s` lies between the nodes", fsd_text(d->names, t->name));
        if (t->flags & FSD_TENSOR_OUTPUT)
            fputs("; this tensor is an output of the network, so the engine must write "
                  "it",
                  out);
        if (t->consumers.n > 1)
            fprintf(out,
                    "; %u nodes read this tensor, so a fusion can avoid writing it "
                    "only if the "
                    "fusion contains all of these nodes",
                    t->consumers.n);
        fsd_tale_finish(tale);
    }
    if (x != y && x != FSD_DTYPE_UNKNOWN && y != FSD_DTYPE_UNKNOWN) {
        out = fsd_tale_start(tale, "between", 0);
        fprintf(out, "the nodes run in different types, %s and %s", fsd_dtype_name(x),
                fsd_dtype_name(y));
        fsd_tale_finish(tale);
    }
    describe_reason(tale, d, a);
    describe_reason(tale, d, b);
    if (!d->story) {
        fsd_tale_say(tale, "log",
                     "a build log of this engine would show the builder's steps");
        return;
    }
    describe_apart(tale, d, a);
    describe_apart(tale, d, b);
    fsd_tale_say(tale, "log", "no step in the log combines the nodes");
}

/* Adds the events that removed or replaced the layer of `node` without fusing both
 * nodes; returns false if there are none. */
static bool describe_move(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_story *s = d->story;
    bool any = false;

    for (uint32_t i = 0; s && i < s->of_node[node].n; i++) {
        uint32_t event = s->scenes.at[s->of_node[node].at + i].event;
        enum fsd_event_kind kind = d->history->events.at[event].kind;

        if (kind != FSD_EVENT_CONCAT && kind != FSD_EVENT_SLICE &&
            kind != FSD_EVENT_RETYPE && kind != FSD_EVENT_DUPLICATE)
            continue;
        fsd_tale_event(tale, d, event, fsd_topic_of(kind));
        any = true;
    }
    return any;
}

void fsd_explain_pair(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id a,
                      fsd_id b)
{
    fsd_id layer = common_layer(d, a, b);
    uint32_t event = d->story ? joined_by(d->story, a, b) : FSD_NONE;
    bool moved;

    if (event != FSD_NONE)
        fsd_tale_event(tale, d, event, "event");
    if (layer == FSD_NONE) {
        describe_why_apart(tale, d, a, b);
        return;
    }
    if (d->layers[layer].opaque)
        fsd_tale_say(tale, "fusion",
                     "not known: one region computes both nodes, and the engine does "
                     "not state the kernels of the region");
    else
        fsd_tale_say(tale, "together", "one layer computes both nodes");
    fsd_tale_layer(tale, d, layer, 0);
    if (event != FSD_NONE || d->layers[layer].opaque)
        return;
    describe_reason(tale, d, a);
    describe_reason(tale, d, b);
    moved = describe_move(tale, d, a);
    moved = describe_move(tale, d, b) || moved;
    if (!moved)
        fsd_tale_say(tale, "log",
                     d->story
                         ? "no step in the log shows how the builder fused the nodes"
                         : "only a build log of this engine would show how the builder "
                           "fused the nodes");
}
