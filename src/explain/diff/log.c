/*
 * Adds to each outcome and each cause the event of the build log that explains it.
 */
#include "explain/diff/step.h"
#include "model/graph/graph.h"

/* Skips events that do not explain an outcome, such as tries of passes, registrations
 * by the parser, and events about tensors. */
void fsd_add_log_to_node(const struct fsd_match *m, fsd_id node,
                         struct fsd_node_result *r)
{
    const struct fsd_story *s = m->story;

    r->event = FSD_NONE;
    for (uint32_t i = 0; s && i < s->of_node[node].n; i++) {
        uint32_t event = s->scenes.at[s->of_node[node].at + i].event;
        enum fsd_event_kind kind = s->h->events.at[event].kind;

        if (kind != FSD_EVENT_TRY && kind != FSD_EVENT_REGISTER &&
            kind != FSD_EVENT_MEMBERS && kind != FSD_EVENT_PATTERN &&
            kind != FSD_EVENT_TUNED && kind != FSD_EVENT_RETARGET &&
            kind != FSD_EVENT_COPY && kind != FSD_EVENT_SKIP &&
            kind != FSD_EVENT_FALLBACK && kind != FSD_EVENT_ADD)
            r->event = event;
    }
    if (s && !m->of_node[node].n && s->left[node].how != FSD_LEFT_NOT)
        r->event = s->left[node].event;
}

/* Derives the cause from a change, such as "Float(784,784,28,1) to Half(784,1:8,28,1)".
 * The numbers are strides.  Different strides mean different layouts. */
static enum fsd_cause cause_of(const char *change)
{
    const char *from = change, *to = strstr(change, ") to ");
    size_t n = strcspn(from, "("), m;
    bool type, layout;

    if (!to)
        return FSD_CAUSE_UNKNOWN;
    m = (size_t)(to + 1 - from) - n; /* length of the strides, with parentheses */
    to += strlen(") to ");
    type = strcspn(to, "(") != n || strncmp(from, to, n) != 0;
    to += strcspn(to, "(");
    layout = strlen(to) != m || strncmp(from + n, to, m) != 0;
    if (type)
        return layout ? FSD_CAUSE_DTYPE_LAYOUT : FSD_CAUSE_DTYPE;
    return layout ? FSD_CAUSE_LAYOUT : FSD_CAUSE_UNKNOWN;
}

void fsd_add_log_to_reason(const struct fsd_match *m, fsd_id layer,
                           struct fsd_reason *r)
{
    const struct fsd_event *e;
    fsd_id t;

    r->event = m->story ? fsd_story_added(m->story, m->engine, layer) : FSD_NONE;
    if (r->event == FSD_NONE || r->cause != FSD_CAUSE_UNKNOWN)
        return;
    e = &m->story->h->events.at[r->event];
    if (e->kind != FSD_EVENT_REFORMAT)
        return;
    t = fsd_graph_find(m->model, e->b, 0);
    r->cause = fsd_tensor_is(m->model, t, FSD_TENSOR_INPUT | FSD_TENSOR_OUTPUT)
                   ? FSD_CAUSE_IO
                   : cause_of(fsd_text(m->model->names, e->text));
}
