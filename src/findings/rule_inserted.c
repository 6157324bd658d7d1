#include "diff/advice.h"
#include "findings/rule_list.h"

static void find_inserted(const struct fsd_diff *d, struct fsd_findings *out,
                          const struct fsd_rule *rule, enum fsd_kind kind)
{
    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        if (!d->layers[i].inserted || d->layers[i].kind != kind ||
            d->reasons[i].cause == FSD_CAUSE_FREE)
            continue;
        fsd_finding_new(out, rule);
        fsd_finding_layer(out, i);
        fsd_finding_text(out, "cause",
                         fsd_intern_str(d->names, fsd_cause_name(d->reasons[i].cause)));
    }
}

void fsd_find_reformats(const struct fsd_diff *d, struct fsd_findings *out,
                        const struct fsd_rule *rule)
{
    find_inserted(d, out, rule, FSD_KIND_REFORMAT);
}

void fsd_find_copies(const struct fsd_diff *d, struct fsd_findings *out,
                     const struct fsd_rule *rule)
{
    find_inserted(d, out, rule, FSD_KIND_COPY);
}

/* Why the builder copied a tensor, in its own words. */
static void put_reason(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    uint32_t event = d->reasons[layer].event;

    if (d->history && event != FSD_NONE &&
        d->history->events.at[event].kind == FSD_EVENT_COPY &&
        d->history->events.at[event].text)
        fprintf(out, ", because %s",
                fsd_text(d->names, d->history->events.at[event].text));
}

void fsd_phrase_inserted(const struct fsd_diff *d, const struct fsd_finding *f,
                         FILE *out)
{
    fsd_id layer = d->findings->subjects.at[f->layers.at];
    const struct fsd_node *n = &d->engine->nodes.at[layer];

    fprintf(out, "layer %u, cause %s: ", layer,
            fsd_cause_name(d->reasons[layer].cause));
    if (n->in.n && n->out.n) {
        fsd_put_change(d, layer, out);
        fputs(", ", out);
    }
    fsd_put_edge(d, layer, out);
    if (fsd_layer_ms(d, layer) >= 0)
        fprintf(out, ", %.4f ms", fsd_layer_ms(d, layer));
    put_reason(d, layer, out);
}
