/*
 * Reports inserted layers, single or in chains of data-movement layers. All chains that
 * begin with the same layer are one finding. The finding is a round trip if a layer
 * restores a form that an earlier layer of the chain changed.
 */
#include "judge/findings/finder.h"
#include "model/graph/graph.h"

enum { STEPS = 64, LISTED = 8 };

/* ------------------------------------------------------------------------- chains */

static bool same_form(const struct fsd_form *a, const struct fsd_form *b)
{
    return a && b && a->type == b->type && fsd_layout_same(a->layout, b->layout);
}

/* Whether the layer outputs the form that an earlier layer of its chain reads. Unknown
 * forms are never equal. */
static bool returns(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_form *made = fsd_layer_form_out(d->engine, layer);
    fsd_id at = d->flows->of[layer].before;

    if (!made || made->type == FSD_DTYPE_UNKNOWN ||
        made->layout.order == FSD_ORDER_UNKNOWN ||
        same_form(made, fsd_layer_form_in(d->engine, layer)))
        return false;
    for (int steps = 0; at != FSD_NONE && steps < STEPS; steps++) {
        if (same_form(made, fsd_layer_form_in(d->engine, at)))
            return true;
        at = d->flows->of[at].before;
    }
    return false;
}

struct chain {
    uint32_t costly;        /* number of layers that are not free */
    bool returns, inserted; /* `returns`: a layer returns to an earlier form.
                               `inserted`: the builder inserted a layer */
    fsd_id first;           /* the chain's layer with the lowest number; FSD_NONE: no
                               chain begins here */
};

/* Prints "layers 3, 4: fp32 chw -> fp16 chw32 -> int8 chw32, MaxPool_12 -> ...". */
static void put_chain(struct fsd_finder *f)
{
    const struct fsd_about *layers = f->found->subjects.at + f->now.layers.at;
    const struct fsd_form *form = fsd_layer_form_in(f->d->engine, layers[0].id);
    uint32_t n = f->now.layers.n;
    double ms = 0;

    fputs("layers", f->out);
    for (uint32_t i = 0; i < n && i < LISTED; i++)
        fprintf(f->out, "%s %u", i ? "," : "", layers[i].id);
    if (n > LISTED)
        fprintf(f->out, " and %u more", n - LISTED);
    fputs(": ", f->out);
    if (form)
        fsd_put_form(form, f->out);
    for (uint32_t i = 0; i < n; i++) {
        double took = fsd_layer_ms(f->d, layers[i].id);

        form = fsd_layer_form_out(f->d->engine, layers[i].id);

        ms += took > 0 ? took : 0;
        if (i < LISTED) {
            fputs(" -> ", f->out);
            if (form)
                fsd_put_form(form, f->out);
        }
    }
    fputs(", ", f->out);
    fsd_quote_edge(f->d, layers[0].id, f->out);
    fsd_put_took(f, f->d->times->profiles ? ms : -1);
}

/* Reports round trips, or all other chains, as f->rule->which selects. */
void fsd_find_chains(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;
    uint32_t n = d->engine->nodes.n;
    struct chain *chains = FSD_NEW(f->scratch, struct chain, n); /* indexed by the first
                                                                    layer of a chain */
    fsd_id *next = FSD_NEW(f->scratch, fsd_id, n);               /* indexed by layer:
                                                                    the next layer of
                                                                    the same finding */

    for (fsd_id i = 0; i < n; i++)
        chains[i].first = FSD_NONE;
    for (fsd_id i = n; i-- > 0;) {
        struct chain *chain;

        if (!d->flows->of[i].there)
            continue;
        chain = &chains[d->flows->of[i].head];
        next[i] = chain->first;
        chain->first = i;
        if (fsd_layer_is_free(d, i))
            continue;
        chain->costly++;
        chain->returns = chain->returns || returns(d, i);
        chain->inserted |= d->layers[i].inserted;
    }
    for (fsd_id i = 0; i < n; i++) {
        if (chains[i].costly < 2 || chains[i].returns != (bool)f->rule->which ||
            !(chains[i].returns || chains[i].inserted)) /* a round trip counts even
                                                           if no layer is inserted */
            continue;
        fsd_finding_open(f);
        for (fsd_id at = chains[i].first; at != FSD_NONE; at = next[at])
            fsd_about_layer(f, at);
        put_chain(f);
        fsd_finding_close(f);
    }
}

/* --------------------------------------------------------------------- one by one */

/* Reports single inserted layers of the kind that f->rule->which selects. */
void fsd_find_inserted(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;

    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        const struct fsd_node *n = &d->engine->nodes.at[i];
        const char *cause = fsd_cause_name(d->reasons[i].cause);
        const struct fsd_event *e = fsd_diff_event(d, d->reasons[i].event);
        char change[FSD_FORMS_ROOM];

        if (!d->layers[i].inserted || (int)d->layers[i].kind != f->rule->which ||
            d->reasons[i].cause == FSD_CAUSE_FREE)
            continue;
        fsd_finding_open(f);
        fsd_about_layer(f, i);
        fsd_fact_text(f, "cause", cause);
        fprintf(f->out, "layer %u, cause %s: ", i, cause);
        if (n->in.n && n->out.n)
            fprintf(f->out, "%s, ", fsd_layer_forms(d, i, change));
        fsd_quote_edge(d, i, f->out);
        fsd_put_took(f, fsd_layer_ms(d, i));
        /* The log states why the builder copies the tensor. */
        if (e && e->kind == FSD_EVENT_COPY && e->text)
            fprintf(f->out, ", because %s", fsd_text(d->names, e->text));
        fsd_finding_close(f);
    }
}
