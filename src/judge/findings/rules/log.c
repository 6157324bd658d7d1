/* Rules about warnings in a build log, and about logs that do not belong to the
 * engine. */
#include "judge/findings/finder.h"
#include "model/graph/graph.h"

/* Reports a log of another build. Logs and dumps are stored together and easily mixed
 * up, and no other finding shows that the evidence comes from a wrong log. */
void fsd_find_other_build(struct fsd_finder *f)
{
    const struct fsd_history *h = f->d->history;
    const char *first = fsd_text(f->d->names, h->foreign_name);

    if (!h->foreign)
        return;
    fsd_finding_open(f);
    fsd_fact_number(f, "differ", h->foreign);
    if (!h->foreign_name) {
        fprintf(f->out,
                "the log belongs to another session and is not used as evidence: "
                "that session assigned %u nodes to providers, but this optimized "
                "model has %u nodes",
                h->placed.at[h->build],
                f->d->engine->nodes.n + f->d->engine->in_bodies);
        fsd_finding_close(f);
        return;
    }
    fsd_fact_text(f, "first", first);
    if (h->assigned) {
        fprintf(f->out,
                "the list of nodes and their providers belongs to another model and is "
                "not used as evidence: %u of its nodes are not in this model, such as "
                "`%s`",
                h->foreign, first);
        fsd_finding_close(f);
        return;
    }
    fprintf(
        f->out,
        "the log belongs to another build and is not used as evidence: for %u layer%s "
        "of the log, such as `%s`, the dump has no layer with the same name and type",
        h->foreign, fsd_plural(h->foreign), first);
    fsd_finding_close(f);
}

/* Reports nodes that, according to the log, the parser did not read. The builder cannot
 * have used such nodes, for example quantizers that were added to the model after the
 * build. */
static void find_unparsed(struct fsd_finder *f)
{
    const struct fsd_history *h = f->d->history;

    if (!h->unparsed)
        return;
    fsd_finding_open(f);
    fsd_about_node(f, h->unparsed_node);
    fsd_fact_number(f, "unparsed", h->unparsed);
    fsd_fact_number(f, "unparsed_quantizers", h->unparsed_quantizers);
    fputs("according to the log, the parser did not read ", f->out);
    fsd_put_noun(f->out, h->unparsed, "node");
    fputs(" of the model, such as ", f->out);
    fsd_put_subjects(f, f->now.nodes);
    fprintf(
        f->out,
        " (%s): `%s` reads the output of this node in the model, but not in the log",
        fsd_text(f->d->names, f->d->model->nodes.at[h->unparsed_node].op),
        fsd_called(f, h->unparsed_by));
    if (h->unparsed_quantizers)
        fprintf(f->out, "; %u of these nodes quantize or dequantize",
                h->unparsed_quantizers);
    fputs(": was the engine built from this model?", f->out);
    fsd_finding_close(f);
}

void fsd_find_other_model(struct fsd_finder *f)
{
    const struct fsd_history *h = f->d->history;
    const char *first = fsd_text(f->d->names, h->unlike_name);

    find_unparsed(f);
    if (!h->unlike)
        return;
    fsd_finding_open(f);
    fsd_fact_number(f, "unlike", h->unlike);
    fsd_fact_number(f, "parsed", h->n_parsed);
    fsd_fact_text(f, "first", first);
    fprintf(f->out,
            "according to the log, the parser read %u nodes, of which %u are not in "
            "the model, such as `%s`%s",
            h->n_parsed, h->unlike, first,
            h->refused ? "; the log is not used as evidence" : "");
    fsd_finding_close(f);
}

void fsd_find_log_cut(struct fsd_finder *f)
{
    if (!f->d->story || !f->d->story->cut)
        return;
    fsd_finding_open(f);
    fputs("fusiondiff ignores some steps of the log: the log has too many steps, or "
          "some names in the log combine too many nodes or are nested too deeply",
          f->out);
    fsd_finding_close(f);
}

/* Reports the warnings of a topic (read/log/event.c) for the rule "log/<topic>". All
 * are one finding, because a hundred tensors without a scale have one cause. */
void fsd_find_log_warnings(struct fsd_finder *f)
{
    const struct fsd_history *h = f->d->history;
    const struct fsd_event *first = NULL;
    const char *text;
    uint32_t times = 0;
    size_t n;

    for (uint32_t i = 0; !h->refused && i < h->events.n; i++) {
        const struct fsd_event *e = &h->events.at[i];

        if (e->kind == FSD_EVENT_WARNING && e->build == h->build &&
            !strcmp(fsd_text(f->d->names, e->a), f->rule->id + strlen("log/")) &&
            !times++)
            first = e;
    }
    if (!first)
        return;
    text = fsd_text(f->d->names, first->text);
    n = fsd_text_len(f->d->names, first->text);
    fsd_finding_open(f);
    fsd_fact_number(f, "times", times);
    fsd_fact_number(f, "line", first->line);
    fsd_fact_text(f, "text", text);
    n -= n && text[n - 1] == '.';
    fprintf(f->out, "%.*s", (int)n, text);
    if (times > 1)
        fprintf(f->out, " (and %u more of this kind)", times - 1);
    fprintf(f->out, ", line %llu of the log", (unsigned long long)first->line);
    fsd_finding_close(f);
}

/* ------------------------------------------------------------------------- the DLA */

enum { SHOWN_REASONS = 3, SHOWN_LAYERS = 3 };

/* Layers that fell back from the DLA for one reason. */
struct fallen {
    fsd_sym reason;
    fsd_sym layers[SHOWN_LAYERS];
    uint32_t n;
};

typedef FSD_VEC(struct fallen) fallen_vec;

FSD_ORDERED(more_layers_first, struct fallen, fsd_order(y->n, x->n),
            fsd_order(x->reason, y->reason))

static void add_fallen(struct fsd_finder *f, fallen_vec *all, uint32_t *of_reason,
                       const struct fsd_event *e)
{
    struct fallen *to;

    if (!of_reason[e->text]) {
        fsd_vec_push(f->scratch, all, (struct fallen){.reason = e->text});
        of_reason[e->text] = all->n;
    }
    to = &all->at[of_reason[e->text] - 1];
    if (to->n < SHOWN_LAYERS)
        to->layers[to->n] = e->a;
    to->n++;
}

static void put_fallen(const struct fsd_finder *f, const struct fallen *g)
{
    fprintf(f->out, "%s (", fsd_text(f->d->names, g->reason));
    for (uint32_t i = 0; i < g->n && i < SHOWN_LAYERS; i++)
        fprintf(f->out, "%s`%s`", i ? ", " : "", fsd_text(f->d->names, g->layers[i]));
    if (g->n > SHOWN_LAYERS)
        fprintf(f->out, " and %u more", g->n - SHOWN_LAYERS);
    fputs(")", f->out);
}

/* Finds the event to report for each layer that fell back: the layer's last event that
 * states a reason or, if no event states one, the layer's first event. The builder
 * checks a layer several times, but states the reason once. */
static const struct fsd_event **last_of_each(struct fsd_finder *f, uint32_t *n)
{
    const struct fsd_history *h = f->d->history;
    uint32_t *of = FSD_NEW(f->scratch, uint32_t, fsd_intern_count(f->d->names));
    const struct fsd_event **events =
        FSD_NEW(f->scratch, const struct fsd_event *, h->events.n);

    for (uint32_t i = 0; !h->refused && i < h->events.n; i++) {
        const struct fsd_event *e = &h->events.at[i];

        if (e->kind != FSD_EVENT_FALLBACK || e->build != h->build)
            continue;
        if (!of[e->a])
            of[e->a] = ++*n;
        else if (e->unstated)
            continue;
        events[of[e->a] - 1] = e;
    }
    return events;
}

void fsd_find_log_fallbacks(struct fsd_finder *f)
{
    uint32_t *of_reason, n = 0;
    const struct fsd_event **events = last_of_each(f, &n);
    fallen_vec all = {0};

    of_reason = FSD_NEW(f->scratch, uint32_t, fsd_intern_count(f->d->names));
    for (uint32_t i = 0; i < n; i++)
        add_fallen(f, &all, of_reason, events[i]);
    if (!all.n)
        return;
    fsd_vec_sort(&all, more_layers_first);
    fsd_finding_open(f);
    fsd_fact_number(f, "layers", n);
    fsd_fact_number(f, "line", events[0]->line);
    fsd_fact_text(f, "reason", fsd_text(f->d->names, all.at[0].reason));
    fsd_put_noun(f->out, n, "layer");
    fprintf(f->out,
            " %s on the GPU instead of the requested DLA: "
            "",
            n == 1 ? "runs" : "run");
    for (uint32_t i = 0; i < all.n && i < SHOWN_REASONS; i++) {
        fputs(i ? "; " : "", f->out);
        put_fallen(f, &all.at[i]);
    }
    if (all.n > SHOWN_REASONS)
        fprintf(f->out, "; and %u more reason%s", all.n - SHOWN_REASONS,
                fsd_plural(all.n - SHOWN_REASONS));
    fprintf(f->out, ", line %llu of the log", (unsigned long long)events[0]->line);
    fsd_finding_close(f);
}
