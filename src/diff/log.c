/*
 * What the build log adds to fates and causes: a reason where one is known, a fate
 * where nothing else could prove one.  What tensors and the model prove stands.
 */
#include "diff/step.h"

#include <string.h>

/* The last event that did something to the node: tries, the parser's lines and what
 * becomes of tensors are no reason for a fate. */
static uint32_t last_event(const struct fsd_story *s, fsd_id node)
{
    uint32_t found = FSD_NONE;

    for (uint32_t i = 0; i < s->of_node[node].n; i++) {
        uint32_t event = s->scenes.at[s->of_node[node].at + i].event;
        enum fsd_event_kind kind = s->h->events.at[event].kind;

        if (kind != FSD_EVENT_TRY && kind != FSD_EVENT_REGISTER &&
            kind != FSD_EVENT_RETARGET && kind != FSD_EVENT_COPY)
            found = event;
    }
    return found;
}

static bool is_view(const struct fsd_diff *d, fsd_id node)
{
    return (d->facts->traits[node] & FSD_OP_VIEW) ||
           fsd_node_is(d->model, node, "Transpose") ||
           fsd_node_is(d->model, node, "Identity") ||
           fsd_node_is(d->model, node, "Cast");
}

/* "Running: ShuffleErasure on X", "Removing X".  A bare "Removing X" tells less: X may
 * be gone as a duplicate of another. */
static bool is_erased(const struct fsd_diff *d, uint32_t event)
{
    static const char word[] = "Erasure";
    const struct fsd_event *e;
    const char *pass;
    size_t n;

    if (event == FSD_NONE)
        return false;
    e = &d->history->events.at[event];
    pass = fsd_text(d->names, e->pass);
    n = strlen(pass);
    return n >= sizeof word - 1 && !strcmp(pass + n - (sizeof word - 1), word);
}

/* A pass that erased the layer of an operation that only moves or views data found
 * nothing to do in it; of any other operation the log would have to say where it went.
 */
void fsd_add_log_to_node(const struct fsd_diff *d, fsd_id node,
                         struct fsd_node_result *r)
{
    fsd_id other;

    r->event = d->story ? last_event(d->story, node) : FSD_NONE;
    if (!d->story || r->fate != FSD_FATE_UNEXPLAINED)
        return;
    other = d->story->duplicate_of[node];
    if (other != FSD_NONE) {
        r->fate = FSD_FATE_MERGED;
        r->why = "the log: removed as a duplicate";
        r->other = other;
    } else if (is_erased(d, d->story->removed[node]) && is_view(d, node)) {
        r->fate = FSD_FATE_IDENTITY;
        r->why = "the log: its layer was erased";
        r->event = d->story->removed[node];
    }
}

/* "Float(784,784,28,1) to Half(784,1:8,28,1)": strides tell the layout. */
static enum fsd_cause cause_of(const char *change)
{
    const char *to = strstr(change, ") to "), *a, *b;
    size_t n, m;

    if (!to)
        return FSD_CAUSE_UNKNOWN;
    n = strcspn(change, "(");
    m = strcspn(to + 5, "(");
    a = change + n;
    b = to + 5 + m;
    if (n == m && !strncmp(change, to + 5, n))
        return (size_t)(to - a) + 1 == strlen(b) && !strncmp(a, b, strlen(b))
                   ? FSD_CAUSE_UNKNOWN
                   : FSD_CAUSE_LAYOUT;
    return (size_t)(to - a) + 1 == strlen(b) && !strncmp(a, b, strlen(b))
               ? FSD_CAUSE_DTYPE
               : FSD_CAUSE_DTYPE_LAYOUT;
}

/* An in- or output of the network. */
static bool at_border(const struct fsd_diff *d, fsd_sym tensor)
{
    fsd_id t = fsd_graph_find(d->model, tensor, 0);

    return t != FSD_NONE &&
           (d->model->tensors.at[t].flags & (FSD_TENSOR_INPUT | FSD_TENSOR_OUTPUT));
}

void fsd_add_log_to_reason(const struct fsd_diff *d, fsd_id layer, struct fsd_reason *r)
{
    const struct fsd_event *e;

    r->event = d->story ? fsd_story_added(d->story, d->engine, layer) : FSD_NONE;
    if (r->event == FSD_NONE || r->cause != FSD_CAUSE_UNKNOWN)
        return;
    e = &d->history->events.at[r->event];
    if (e->kind == FSD_EVENT_REFORMAT)
        r->cause =
            at_border(d, e->b) ? FSD_CAUSE_IO : cause_of(fsd_text(d->names, e->text));
}
