#include "diff/explain.h"
#include "base/order.h"

#include "diff/rules.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RIVALS = 8, MOST_IDLE = 12, MOST_NODES = 64 };

/* A sentence under way. */
struct pen {
    struct fsd_tale *tale;
    const char *topic;
    uint64_t line;
    char *text;
    size_t size;
    FILE *out;
};

static bool start(struct pen *p, struct fsd_tale *tale, const char *topic,
                  uint64_t line)
{
    *p = (struct pen){.tale = tale, .topic = topic, .line = line};
    p->out = open_memstream(&p->text, &p->size);
    return p->out != NULL;
}

static void finish(struct pen *p)
{
    if (fclose(p->out) == 0)
        fsd_vec_push(
            p->tale->arena, &p->tale->lines,
            (struct fsd_line){p->topic, p->line,
                              fsd_arena_strndup(p->tale->arena, p->text, p->size)});
    free(p->text);
}

static void say(struct fsd_tale *tale, const char *topic, const char *text)
{
    fsd_vec_push(tale->arena, &tale->lines, (struct fsd_line){topic, 0, text});
}

/* A log that was given and tells nothing is worth a word. */
static void tell_refused(struct fsd_tale *tale, const struct fsd_diff *d)
{
    if (d->history && d->history->refused)
        say(tale, "log",
            "the log is of another build or model, and tells nothing here");
}

static const char *sym(const struct fsd_diff *d, fsd_sym s)
{
    return fsd_text(d->names, s);
}

/* ------------------------------------------------------------------------ parsing */

static void put_dims(const struct fsd_graph *g, const struct fsd_form *form, FILE *out)
{
    putc('[', out);
    for (uint32_t i = 0; i < form->dims.n; i++) {
        struct fsd_dim dim = g->dims.at[form->dims.at + i];

        fputs(i ? "," : "", out);
        if (dim.size < 0 && dim.name)
            fputs(fsd_text(g->names, dim.name), out);
        else
            fprintf(out, "%lld", (long long)dim.size);
    }
    putc(']', out);
}

static void put_ports(const struct fsd_graph *g, struct fsd_span ports, FILE *out)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < ports.n; i++) {
        const struct fsd_port *port = &g->ports.at[ports.at + i];
        const struct fsd_form *form = fsd_port_form(g, port);

        if (port->tensor == FSD_NONE)
            continue;
        fprintf(out, "%s%s", n++ ? ", " : "",
                fsd_text(g->names, g->tensors.at[port->tensor].name));
        if (form->type != FSD_DTYPE_UNKNOWN)
            fprintf(out, " %s", fsd_dtype_name(form->type));
        if (form->ranked)
            put_dims(g, form, out);
    }
    if (!n)
        fputs("nothing", out);
}

static void tell_parsed(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_node *n = &d->model->nodes.at[node];
    struct pen p;

    if (!start(&p, tale, "parsed", 0))
        return;
    fprintf(p.out, "%s from ", sym(d, n->op));
    put_ports(d->model, n->in, p.out);
    fputs(" to ", p.out);
    put_ports(d->model, n->out, p.out);
    finish(&p);
}

/* ------------------------------------------------------------------------- events */

/* A pass looked at a layer and the log tells of nothing that came of it. */
static bool is_idle_try(const struct fsd_history *h, uint32_t event)
{
    const struct fsd_event *e = &h->events.at[event], *next = e + 1;

    if (e->kind != FSD_EVENT_TRY)
        return false;
    if (event + 1 == h->events.n || next->build != e->build)
        return true;
    switch (next->kind) {
    case FSD_EVENT_FUSE:
    case FSD_EVENT_INTO:
        return next->pass != e->pass;
    case FSD_EVENT_REMOVE:
    case FSD_EVENT_SWAP:
    case FSD_EVENT_RETYPE:
    case FSD_EVENT_DUPLICATE:
    case FSD_EVENT_MERGE:
    case FSD_EVENT_CONCAT:
    case FSD_EVENT_SLICE:
        return false;
    case FSD_EVENT_STAGE:
    case FSD_EVENT_TRY:
    case FSD_EVENT_RETARGET:
    case FSD_EVENT_COPY:
    case FSD_EVENT_REFORMAT:
    case FSD_EVENT_REGISTER:
    case FSD_EVENT_MEMBERS:
    case FSD_EVENT_WARNING:
    case FSD__EVENT_COUNT:
        break;
    }
    return true;
}

static void tell_event(struct fsd_tale *tale, const struct fsd_diff *d, uint32_t event,
                       const char *topic)
{
    const struct fsd_event *e = &d->history->events.at[event];
    struct pen p;

    if (!start(&p, tale, topic, e->line))
        return;
    fsd_put_event(d->history, e, p.out);
    if (is_idle_try(d->history, event))
        fputs(" and did nothing that the log shows", p.out);
    finish(&p);
}

static const char *topic_of(enum fsd_event_kind kind)
{
    switch (kind) {
    case FSD_EVENT_REGISTER:
        return "parsed";
    case FSD_EVENT_TRY:
        return "tried";
    case FSD_EVENT_SWAP:
    case FSD_EVENT_RETARGET:
        return "moved";
    case FSD_EVENT_STAGE:
    case FSD_EVENT_FUSE:
    case FSD_EVENT_INTO:
    case FSD_EVENT_REMOVE:
    case FSD_EVENT_RETYPE:
    case FSD_EVENT_MERGE:
    case FSD_EVENT_DUPLICATE:
    case FSD_EVENT_CONCAT:
    case FSD_EVENT_SLICE:
    case FSD_EVENT_COPY:
    case FSD_EVENT_REFORMAT:
    case FSD_EVENT_MEMBERS:
    case FSD_EVENT_WARNING:
    case FSD__EVENT_COUNT:
        break;
    }
    return "event";
}

/* A try that led to something is told by what it led to. */
static void tell_events(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_story *s = d->story;

    for (uint32_t i = 0; s && i < s->of_node[node].n; i++) {
        uint32_t event = s->scenes.at[s->of_node[node].at + i].event;
        enum fsd_event_kind kind = d->history->events.at[event].kind;

        if (kind != FSD_EVENT_TRY || is_idle_try(d->history, event))
            tell_event(tale, d, event, topic_of(kind));
    }
}

/* ------------------------------------------------------------------------- rivals */

static int faster_first(const void *a, const void *b)
{
    const struct fsd_rival *x = *(const struct fsd_rival *const *)a;
    const struct fsd_rival *y = *(const struct fsd_rival *const *)b;

    if (x->ms != y->ms)
        return x->ms < y->ms ? -1 : 1;
    return fsd_order(x->runner, y->runner);
}

/* "-7" in an old log is "0xfffffffffffffff9" in a dump. */
static bool same_tactic(const struct fsd_diff *d, fsd_sym a, fsd_sym b)
{
    const char *x = sym(d, a), *y = sym(d, b);
    char *x_end, *y_end;

    if (!a || !b)
        return false;
    return a == b || (strtoull(x, &x_end, 0) == strtoull(y, &y_end, 0) && x_end != x &&
                      y_end != y && !*x_end && !*y_end);
}

static void tell_rivals(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_layer *l = &d->engine->layers.at[layer];
    FSD_VEC(const struct fsd_rival *) rivals = {0};
    struct pen p;

    if (!d->story)
        return;
    for (uint32_t i = fsd_history_rivals(d->history, l->base_name); i != FSD_NONE;
         i = d->history->rivals.at[i].next)
        if (d->history->rivals.at[i].build == d->history->build)
            fsd_vec_push(tale->arena, &rivals, &d->history->rivals.at[i]);
    if (!rivals.n || !start(&p, tale, "timed", 0))
        return;
    qsort(rivals.at, rivals.n, sizeof(const struct fsd_rival *), faster_first);
    for (uint32_t i = 0; i < rivals.n && i < MOST_RIVALS; i++) {
        const struct fsd_rival *r = rivals.at[i];

        fprintf(p.out, "%s%s %g ms", i ? ", " : "", sym(d, r->runner), r->ms);
        if (same_tactic(d, r->tactic, l->tactic_value))
            fputs(" (its tactic)", p.out);
    }
    if (rivals.n > MOST_RIVALS)
        fprintf(p.out, " and %s%u more", rivals.n < FSD_MOST_RIVALS ? "" : "at least ",
                rivals.n - MOST_RIVALS);
    finish(&p);
}

/* "Float(1,2) to Half(1,2)" is timed as "Float(1,2) -> Half(1,2)". */
static const struct fsd_rival *reformat_rival(struct fsd_tale *tale,
                                              const struct fsd_diff *d,
                                              const struct fsd_event *e, bool output)
{
    const char *change = sym(d, e->text), *to = strstr(change, ") to ");
    const char *tensor = sym(d, e->b);
    size_t room = strlen(change) + strlen(tensor) + 64;
    char *text = FSD_NEW(tale->arena, char, room);
    fsd_sym layer, runner;

    if (!to)
        return NULL;
    snprintf(text, room, "%.*s) -> %s", (int)(to - change), change, to + 5);
    runner = fsd_intern_find(d->names, text, strlen(text));
    snprintf(text, room,
             output ? "Optimizer Reformat(<in> -> %s)"
                    : "Optimizer Reformat(%s -> <out>)",
             tensor);
    layer = fsd_intern_find(d->names, text, strlen(text));
    if (layer == FSD_NONE)
        return NULL;
    for (uint32_t i = fsd_history_rivals(d->history, layer); i != FSD_NONE;
         i = d->history->rivals.at[i].next)
        if (d->history->rivals.at[i].runner == runner)
            return &d->history->rivals.at[i];
    return NULL;
}

static void tell_cost(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id layer)
{
    uint32_t event = d->layers[layer].event;
    bool output = d->engine->layers.at[layer].names_output;
    const struct fsd_rival *r;
    struct pen p;

    if (!d->story || event == FSD_NONE)
        return;
    tell_event(tale, d, event, "event");
    if (d->history->events.at[event].kind != FSD_EVENT_REFORMAT)
        return;
    r = reformat_rival(tale, d, &d->history->events.at[event], output);
    if (!r || !start(&p, tale, "timed", 0))
        return;
    fprintf(p.out, "the builder measured %g ms for it", r->ms);
    finish(&p);
}

/* ------------------------------------------------------------------------- layers */

static void put_by(unsigned by, FILE *out)
{
    if (by)
        fputs(" by ", out);
    fsd_put_evidence(by, out);
}

static void tell_layer(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id layer,
                       unsigned by)
{
    const struct fsd_layer *l = &d->engine->layers.at[layer];
    const struct fsd_layer_result *r = &d->layers[layer];
    struct pen p;

    if (!start(&p, tale, "layer", 0))
        return;
    fprintf(p.out, "%u ", layer);
    fsd_put_layer_name(d, layer, p.out);
    fprintf(p.out, " (%s%s%s)", fsd_kind_name(r->kind), r->inserted ? ", cause " : "",
            r->inserted ? fsd_cause_name(r->cause) : "");
    put_by(by, p.out);
    if (r->precision != FSD_DTYPE_UNKNOWN)
        fprintf(p.out, "; runs in %s", fsd_dtype_name(r->precision));
    if (l->tactic || l->tactic_value)
        fprintf(p.out, ", tactic %s", sym(d, l->tactic ? l->tactic : l->tactic_value));
    if (r->ms >= 0)
        fprintf(p.out, ", %.4f ms", r->ms);
    finish(&p);
    tell_rivals(tale, d, layer);
    tell_cost(tale, d, layer);
}

static void tell_around(struct fsd_tale *tale, const struct fsd_diff *d,
                        struct fsd_span ports, bool before)
{
    const struct fsd_graph *e = d->engine;
    uint32_t told = 0;

    for (uint32_t i = 0; i < ports.n; i++) {
        struct fsd_span who = fsd_port_peers(e, ports.at + i, before);

        for (uint32_t k = 0; k < who.n && told < MOST_NODES; k++) {
            fsd_id layer = e->links.at[who.at + k];
            struct pen p;

            if (!d->layers[layer].inserted ||
                !start(&p, tale, before ? "before" : "behind", 0))
                continue;
            told++;
            fprintf(p.out, "layer %u ", layer);
            fsd_put_layer_name(d, layer, p.out);
            fprintf(p.out, " was inserted, cause %s",
                    fsd_cause_name(d->layers[layer].cause));
            finish(&p);
            tell_cost(tale, d, layer);
        }
    }
}

static void put_fate(const struct fsd_diff *d, fsd_id node, FILE *out)
{
    const struct fsd_node_result *r = &d->nodes[node];

    fputs(fsd_fate_name(r->fate), out);
    if (*r->why)
        fprintf(out, ": %s", r->why);
    if (r->other != FSD_NONE) {
        fputs(": ", out);
        fsd_put_node_name(d, r->other, out);
    }
}

static void tell_end(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_node_result *r = &d->nodes[node];
    struct pen p;

    if (!start(&p, tale, "fate", 0))
        return;
    put_fate(d, node, p.out);
    if (r->near_layer != FSD_NONE)
        fprintf(p.out, " (at layer %u)", r->near_layer);
    if (d->match->region_of_node[node] != FSD_NONE)
        fprintf(p.out, "; in region %u", d->match->region_of_node[node]);
    if (r->requested != FSD_DTYPE_UNKNOWN)
        fprintf(p.out, "; asked for %s", fsd_dtype_name(r->requested));
    if (r->realised != FSD_DTYPE_UNKNOWN)
        fprintf(p.out, "%s runs in %s", r->requested != FSD_DTYPE_UNKNOWN ? "," : ";",
                fsd_dtype_name(r->realised));
    finish(&p);
}

void fsd_explain_node(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id node)
{
    tell_parsed(tale, d, node);
    tell_events(tale, d, node);
    for (uint32_t i = 0; i < d->match->of_node[node].n && i < MOST_NODES; i++) {
        const struct fsd_link *link = fsd_match_of_node(d->match, node, i);
        const struct fsd_node *n = &d->engine->nodes.at[link->layer];

        tell_layer(tale, d, link->layer, link->by);
        tell_around(tale, d, n->in, true);
        tell_around(tale, d, n->out, false);
    }
    tell_end(tale, d, node);
    tell_refused(tale, d);
}

/* The events of all the layer's nodes, each once. */
static void tell_layer_events(struct fsd_tale *tale, const struct fsd_diff *d,
                              fsd_id layer)
{
    const struct fsd_story *s = d->story;
    FSD_VEC(uint32_t) events = {0};

    for (uint32_t i = 0; s && i < d->match->of_layer[layer].n; i++) {
        struct fsd_span scenes =
            s->of_node[fsd_match_of_layer(d->match, layer, i)->node];

        for (uint32_t k = 0; k < scenes.n; k++)
            fsd_vec_push(tale->arena, &events, s->scenes.at[scenes.at + k].event);
    }
    if (events.n)
        qsort(events.at, events.n, sizeof *events.at, fsd_by_id);
    for (uint32_t i = 0; i < events.n; i++) {
        enum fsd_event_kind kind = d->history->events.at[events.at[i]].kind;

        if ((i && events.at[i] == events.at[i - 1]) || kind == FSD_EVENT_TRY ||
            kind == FSD_EVENT_REGISTER)
            continue;
        tell_event(tale, d, events.at[i], topic_of(kind));
    }
}

static void tell_nodes(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id layer)
{
    for (uint32_t i = 0; i < d->match->of_layer[layer].n; i++) {
        const struct fsd_link *link = fsd_match_of_layer(d->match, layer, i);
        struct pen p;

        if (!start(&p, tale, "node", 0))
            return;
        fprintf(p.out, "%u ", link->node);
        fsd_put_node_name(d, link->node, p.out);
        fprintf(p.out, " (%s)", sym(d, d->model->nodes.at[link->node].op));
        put_by(link->by, p.out);
        finish(&p);
    }
}

void fsd_explain_layer(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_node *n = &d->engine->nodes.at[layer];

    tell_nodes(tale, d, layer);
    tell_layer_events(tale, d, layer);
    tell_layer(tale, d, layer, 0);
    tell_around(tale, d, n->in, true);
    tell_around(tale, d, n->out, false);
    tell_refused(tale, d);
}

/* -------------------------------------------------------------------------- pairs */

static bool joins(enum fsd_event_kind kind)
{
    return kind == FSD_EVENT_FUSE || kind == FSD_EVENT_INTO ||
           kind == FSD_EVENT_MERGE || kind == FSD_EVENT_MEMBERS ||
           kind == FSD_EVENT_REMOVE;
}

/* The first event that put two nodes together; FSD_NONE when there is none. */
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

/* The tensor that b reads of a; FSD_NONE when it reads none. */
static fsd_id tensor_between(const struct fsd_diff *d, fsd_id a, fsd_id b)
{
    for (uint32_t i = 0; i < d->model->nodes.at[b].in.n; i++) {
        fsd_id t = fsd_node_in_tensor(d->model, b, i);

        if (t != FSD_NONE && fsd_tensor_producer(d->model, t) == a)
            return t;
    }
    return FSD_NONE;
}

static void tell_between(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id tensor)
{
    const struct fsd_tensor *t = &d->model->tensors.at[tensor];
    struct pen p;

    if (!start(&p, tale, "between", 0))
        return;
    fprintf(p.out, "tensor %s lies between them", sym(d, t->name));
    if (t->flags & FSD_TENSOR_OUTPUT)
        fputs("; it is an output of the network, so it must be written", p.out);
    if (t->consumers.n > 1)
        fprintf(p.out, "; %u nodes read it, so one fusion cannot swallow it",
                t->consumers.n);
    finish(&p);
}

/* What each was put together with, and which passes looked and left. */
static void tell_apart(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_story *s = d->story;
    uint32_t idle = 0;

    for (uint32_t i = 0; i < s->of_node[node].n; i++) {
        uint32_t event = s->scenes.at[s->of_node[node].at + i].event;

        if (joins(d->history->events.at[event].kind))
            tell_event(tale, d, event, "event");
        else if (is_idle_try(d->history, event) && idle++ < MOST_IDLE)
            tell_event(tale, d, event, "tried");
    }
}

static void tell_precisions(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id a,
                            fsd_id b)
{
    enum fsd_dtype x = d->nodes[a].realised, y = d->nodes[b].realised;
    struct pen p;

    if (x == y || x == FSD_DTYPE_UNKNOWN || y == FSD_DTYPE_UNKNOWN ||
        !start(&p, tale, "between", 0))
        return;
    fprintf(p.out, "they run in different types, %s and %s", fsd_dtype_name(x),
            fsd_dtype_name(y));
    finish(&p);
}

/* A node that is in no layer of its own has a reason, which explains the pair, too. */
static void tell_reason(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id node)
{
    struct pen p;

    if (!*d->nodes[node].why || !start(&p, tale, "fate", 0))
        return;
    fsd_put_node_name(d, node, p.out);
    fputs(" is ", p.out);
    put_fate(d, node, p.out);
    finish(&p);
}

static void tell_why_apart(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id a,
                           fsd_id b)
{
    fsd_id tensor = tensor_between(d, a, b);

    say(tale, "apart", "no layer computes both");
    if (tensor == FSD_NONE)
        tensor = tensor_between(d, b, a);
    if (tensor == FSD_NONE)
        say(tale, "between", "neither reads what the other makes");
    else
        tell_between(tale, d, tensor);
    tell_precisions(tale, d, a, b);
    tell_reason(tale, d, a);
    tell_reason(tale, d, b);
    if (!d->story) {
        say(tale, "log", "there is no build log of this engine that could tell more");
        return;
    }
    tell_apart(tale, d, a);
    tell_apart(tale, d, b);
    say(tale, "log", "no step in the log puts them together; it tells no more");
}

/* Steps that did not join the two, but took one of them out of the way. */
static bool tell_out_of_way(struct fsd_tale *tale, const struct fsd_diff *d,
                            fsd_id node)
{
    const struct fsd_story *s = d->story;
    bool told = false;

    for (uint32_t i = 0; s && i < s->of_node[node].n; i++) {
        uint32_t event = s->scenes.at[s->of_node[node].at + i].event;
        enum fsd_event_kind kind = d->history->events.at[event].kind;

        if (kind != FSD_EVENT_CONCAT && kind != FSD_EVENT_SLICE &&
            kind != FSD_EVENT_RETYPE && kind != FSD_EVENT_DUPLICATE)
            continue;
        tell_event(tale, d, event, topic_of(kind));
        told = true;
    }
    return told;
}

void fsd_explain_pair(struct fsd_tale *tale, const struct fsd_diff *d, fsd_id a,
                      fsd_id b)
{
    fsd_id layer = common_layer(d, a, b);
    uint32_t event = d->story ? joined_by(d->story, a, b) : FSD_NONE;
    bool moved;

    if (event != FSD_NONE)
        tell_event(tale, d, event, "event");
    if (layer == FSD_NONE) {
        tell_why_apart(tale, d, a, b);
        return;
    }
    say(tale, "together", "one layer computes both");
    tell_layer(tale, d, layer, 0);
    if (event != FSD_NONE)
        return;
    tell_reason(tale, d, a);
    tell_reason(tale, d, b);
    moved = tell_out_of_way(tale, d, a);
    moved = tell_out_of_way(tale, d, b) || moved;
    if (!moved)
        say(tale, "log",
            d->story ? "no step in the log tells how"
                     : "there is no build log of this engine that could tell how");
}
