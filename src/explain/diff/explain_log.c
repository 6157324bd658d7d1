/* Writes the sentences about a node or a layer that come from the log: how the parser
 * read the node, what each pass of the builder changed, and which times the builder
 * measured. */
#include "base/base.h"
#include "explain/diff/diff.h"
#include "explain/diff/tale.h"
#include "model/graph/graph.h"

#include <stdlib.h>

enum { MOST_RIVALS = 8 };

static const char *sym(const struct fsd_diff *d, fsd_sym s)
{
    return fsd_text(d->names, s);
}

/* Adds a sentence if the user gave a log that belongs to a different build. */
void fsd_tale_refused(struct fsd_tale *tale, const struct fsd_diff *d)
{
    if (d->history && d->history->refused)
        fsd_tale_say(tale, "log",
                     "the log belongs to another build or model and is not used here");
}

/* ------------------------------------------------------------------------ parsing */

static void put_ports(const struct fsd_graph *g, struct fsd_span ports, FILE *out)
{
    uint32_t n = 0;

    FSD_EACH_IN (const struct fsd_port, port, g->ports, ports) {
        const struct fsd_form *form = fsd_port_form(g, port);

        if (port->tensor == FSD_NONE)
            continue;
        fprintf(out, "%s`%s`", n++ ? ", " : "",
                fsd_text(g->names, g->tensors.at[port->tensor].name));
        if (form->type != FSD_DTYPE_UNKNOWN)
            fprintf(out, " %s", fsd_dtype_name(form->type));
        if (form->ranked) {
            putc('[', out);
            fsd_put_sizes(g, form, ",", out);
            putc(']', out);
        }
    }
    if (!n)
        fputs("nothing", out);
}

void fsd_tale_parsed(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_node *n = &d->model->nodes.at[node];
    FILE *out;

    if (d->model->named_only) {
        fsd_tale_say(tale, "parsed",
                     "no MODEL was given: the node's inputs and outputs are unknown");
        return;
    }
    out = fsd_tale_start(tale, "parsed", 0);
    fprintf(out, "%s from ", sym(d, n->op));
    put_ports(d->model, n->in, out);
    fputs(" to ", out);
    put_ports(d->model, n->out, out);
    if (n->module)
        fprintf(out, ", in module `%s`", sym(d, n->module));
    if (n->module_class)
        fprintf(out, " (%s)", sym(d, n->module_class));
    fsd_tale_finish(tale);
    if (n->written)
        fsd_tale_say(tale, "source", sym(d, n->written));
}

/* ------------------------------------------------------------------------- events */

/* Whether `event` states that a pass tried a layer, and the log shows no effect of this
 * try.  Only the next event in the log can be the effect.  If the next event is a
 * fusion, it is the effect only if the same pass made it. */
bool fsd_is_idle_try(const struct fsd_history *h, uint32_t event)
{
    static const unsigned outcomes = 1U << FSD_EVENT_REMOVE | 1U << FSD_EVENT_SWAP |
                                     1U << FSD_EVENT_RETYPE |
                                     1U << FSD_EVENT_DUPLICATE | 1U << FSD_EVENT_MERGE |
                                     1U << FSD_EVENT_CONCAT | 1U << FSD_EVENT_SLICE;
    const struct fsd_event *e = &h->events.at[event], *next = e + 1;

    if (e->kind != FSD_EVENT_TRY)
        return false;
    if (event + 1 == h->events.n || next->build != e->build)
        return true;
    if (next->kind == FSD_EVENT_FUSE || next->kind == FSD_EVENT_INTO)
        return next->pass != e->pass;
    return !(outcomes >> next->kind & 1);
}

void fsd_tale_event(struct fsd_tale *tale, const struct fsd_diff *d, uint32_t event,
                    const char *topic)
{
    const struct fsd_event *e = &d->history->events.at[event];
    FILE *out;

    out = fsd_tale_start(tale, topic, e->line);
    fsd_put_event(d->history, e, out);
    if (fsd_is_idle_try(d->history, event))
        fputs(", but the log shows no effect", out);
    fsd_tale_finish(tale);
}

const char *fsd_topic_of(enum fsd_event_kind kind)
{
    return kind == FSD_EVENT_REGISTER                             ? "parsed"
           : kind == FSD_EVENT_TRY                                ? "tried"
           : kind == FSD_EVENT_TUNED                              ? "timed"
           : kind == FSD_EVENT_SKIP                               ? "skipped"
           : kind == FSD_EVENT_FALLBACK                           ? "device"
           : kind == FSD_EVENT_SWAP || kind == FSD_EVENT_RETARGET ? "moved"
                                                                  : "event";
}

/* Adds the events of a node.  Leaves out a FSD_EVENT_TRY that had an effect, because
 * the effect is an event too. */
void fsd_tale_events(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_story *s = d->story;

    for (uint32_t i = 0; s && i < s->of_node[node].n; i++) {
        uint32_t event = s->scenes.at[s->of_node[node].at + i].event;
        enum fsd_event_kind kind = d->history->events.at[event].kind;

        if (kind != FSD_EVENT_TRY || fsd_is_idle_try(d->history, event))
            fsd_tale_event(tale, d, event, fsd_topic_of(kind));
    }
}

/* ------------------------------------------------------------------------- rivals */

FSD_ORDERED(faster_first, struct fsd_rival *const, fsd_falling((*y)->ms, (*x)->ms),
            fsd_order((*x)->runner, (*y)->runner))

/* Whether `a` and `b` name the same tactic: "-7" in an old log is "0xfffffffffffffff9"
 * in a dump. */
static bool same_tactic(const struct fsd_diff *d, fsd_sym a, fsd_sym b)
{
    const char *x = sym(d, a), *y = sym(d, b);
    char *x_end, *y_end;

    if (!a || !b)
        return false;
    return a == b || (strtoull(x, &x_end, 0) == strtoull(y, &y_end, 0) && x_end != x &&
                      y_end != y && !*x_end && !*y_end);
}

void fsd_tale_rivals(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_layer *l = &d->engine->layers.at[layer];
    FSD_VEC(const struct fsd_rival *) rivals = {0};
    FILE *out;

    if (!d->story)
        return;
    for (uint32_t i = fsd_history_rivals(d->history, l->base_name); i != FSD_NONE;
         i = d->history->rivals.at[i].next)
        if (d->history->rivals.at[i].build == d->history->build)
            fsd_vec_push(tale->arena, &rivals, &d->history->rivals.at[i]);
    if (!rivals.n)
        return;
    out = fsd_tale_start(tale, "timed", 0);
    qsort(rivals.at, rivals.n, sizeof(const struct fsd_rival *), faster_first);
    for (uint32_t i = 0; i < rivals.n && i < MOST_RIVALS; i++) {
        const struct fsd_rival *r = rivals.at[i];

        fprintf(out, "%s%s %g ms", i ? ", " : "", sym(d, r->runner), r->ms);
        if (same_tactic(d, r->tactic, l->tactic_value))
            fputs(" (its tactic)", out);
        if (r->formats)
            fprintf(out, " with %s", sym(d, r->formats));
    }
    if (rivals.n > MOST_RIVALS)
        fprintf(out, " and %s%u more", rivals.n < FSD_MOST_RIVALS ? "" : "at least ",
                rivals.n - MOST_RIVALS);
    fsd_tale_finish(tale);
}

void fsd_tale_cost(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id layer)
{
    uint32_t event = d->reasons[layer].event;
    const struct fsd_event *e = fsd_diff_event(d, event);
    FILE *out;

    if (!e)
        return;
    fsd_tale_event(tale, d, event, "event");
    if (!e->timed)
        return;
    out = fsd_tale_start(tale, "timed", 0);
    fprintf(out, "the builder measured %g ms for this layer",
            d->history->rivals.at[e->timed - 1].ms);
    fsd_tale_finish(tale);
}
