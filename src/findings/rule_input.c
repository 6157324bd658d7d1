#include "findings/rule_list.h"

static void take_remarks(const struct fsd_diff *d, struct fsd_findings *out,
                         const struct fsd_rule *rule, const struct fsd_graph *g)
{
    for (uint32_t i = 0; i < g->remarks.n; i++) {
        const struct fsd_remark *r = &g->remarks.at[i];

        fsd_finding_new(out, rule);
        if (r->node != FSD_NONE && g == d->engine)
            fsd_finding_layer(out, r->node);
        if (r->node != FSD_NONE && g == d->model)
            fsd_finding_node(out, r->node);
        fsd_finding_text(out, "remark", fsd_intern_str(d->names, r->rule));
        fsd_finding_text(out, "text", r->text);
    }
}

void fsd_find_remarks(const struct fsd_diff *d, struct fsd_findings *out,
                      const struct fsd_rule *rule)
{
    take_remarks(d, out, rule, d->model);
    take_remarks(d, out, rule, d->engine);
}

void fsd_phrase_remark(const struct fsd_diff *d, const struct fsd_finding *f, FILE *out)
{
    const struct fsd_fact *facts = d->findings->facts.at + f->facts.at;

    fprintf(out, "%s: %s", fsd_text(d->names, facts[0].text),
            fsd_text(d->names, facts[1].text));
    if (f->nodes.n) {
        fputs(", node ", out);
        fsd_put_node_name(d, d->findings->subjects.at[f->nodes.at], out);
    }
    if (f->layers.n)
        fprintf(out, ", layer %u", d->findings->subjects.at[f->layers.at]);
}
