/* What an engine shows that the model's rules did not, or did, foresee. */
#include "findings/lint.h"

#include <string.h>

/* ------------------------------------------------------------------- missed fusions */

/* The one layer that computes the node; FSD_NONE where there are several, or a region
 * whose parts are not told. */
static fsd_id layer_of(const struct fsd_diff *d, fsd_id node)
{
    fsd_id layer;

    if (d->match->of_node[node].n != 1)
        return FSD_NONE;
    layer = fsd_match_of_node(d->match, node, 0)->layer;
    return d->layers[layer].kind == FSD_KIND_COMPUTE ? layer : FSD_NONE;
}

/* Convolution and ReLU need no more than each other: any kind of convolution, no other
 * reader in between.  An addition needs the same shape on both sides. */
void fsd_lint_missed_fusion(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;

    for (fsd_id i = 0; i < l->g->nodes.n; i++) {
        fsd_id next = fsd_lint_only_reader(l, fsd_node_out_tensor(l->g, i, 0));
        fsd_id a, b;

        if (next == FSD_NONE || !fsd_lint_is_any(l, i, " Conv BatchNormalization ") ||
            !fsd_lint_is_any(l, next, " BatchNormalization Relu "))
            continue;
        a = layer_of(f->d, i);
        b = layer_of(f->d, next);
        if (a == FSD_NONE || b == FSD_NONE || a == b)
            continue;
        fsd_finding_open(f);
        fsd_about_layer(f, a);
        fsd_about_layer(f, b);
        fsd_about_node(f, i);
        fsd_about_node(f, next);
        fprintf(f->out,
                "%s and %s are layers %u and %u, and nothing in the model parts "
                "them",
                fsd_lint_node(f, i), fsd_lint_node(f, next), a, b);
        fsd_finding_close(f);
    }
}

/* ------------------------------------------------------------------------- symptoms */

/* Of the findings on the run those that a model's mistake makes. */
static bool is_symptom(const char *rule)
{
    static const char *const of_model[] = {
        "log/missing-scale", "quantize/standing",         "precision/wider",
        "precision/island",  "precision/no-tensor-cores", "inserted/round-trip"};

    for (size_t i = 0; i < FSD_COUNT_OF(of_model); i++)
        if (!strcmp(of_model[i], rule))
            return true;
    return false;
}

/* A node, who else reads what it reads, and what leads there: a Q that was left
 * standing stands there for the sake of an addition before or beside it. */
static void mark(const struct fsd_graph *g, fsd_id node, int steps, bool *near)
{
    const struct fsd_node *n = &g->nodes.at[node];

    near[node] = true;
    for (uint32_t p = 0; p < n->in.n + n->out.n && p < 64; p++) {
        bool in = p < n->in.n;
        uint32_t port = in ? n->in.at + p : n->out.at + p - n->in.n;
        struct fsd_span makers = fsd_port_peers(g, port, true);
        struct fsd_span readers = fsd_port_peers(g, port, false);

        for (uint32_t i = 0; i < readers.n && i < 64; i++)
            near[g->links.at[readers.at + i]] = true;
        for (uint32_t i = 0; in && i < makers.n && i < 64; i++)
            if (steps && !near[g->links.at[makers.at + i]])
                mark(g, g->links.at[makers.at + i], steps - 1, near);
    }
}

/* The first finding on the model that touches what the symptom is about. */
static const struct fsd_finding *explains(struct fsd_finder *f, const bool *near,
                                          uint32_t until)
{
    for (uint32_t i = 0; i < until; i++) {
        const struct fsd_finding *item = &f->found->list.at[i];
        bool on_model = f->found->rules.at[item->rule].rule->needs & FSD_NEEDS_LINT;

        for (uint32_t k = 0; k < item->nodes.n && on_model && item->severity > FSD_INFO;
             k++)
            if (near[f->found->subjects.at[item->nodes.at + k].id])
                return item;
    }
    return NULL;
}

void fsd_lint_symptoms(struct fsd_finder *f)
{
    const struct fsd_findings *run = f->d->findings;
    uint32_t until = f->found->list.n;

    for (uint32_t i = 0; i < run->list.n; i++) {
        const struct fsd_finding *item = &run->list.at[i];
        const char *rule = run->rules.at[item->rule].rule->id;
        const struct fsd_finding *by;
        bool *near;

        if (!is_symptom(rule))
            continue;
        near = FSD_NEW(f->scratch, bool, f->d->model->nodes.n);
        for (uint32_t k = 0; k < item->nodes.n; k++)
            mark(f->d->model, run->subjects.at[item->nodes.at + k].id, 2, near);
        by = explains(f, near, until);
        fsd_finding_open(f);
        for (uint32_t k = 0; k < item->layers.n; k++)
            fsd_about_layer(f, run->subjects.at[item->layers.at + k].id);
        for (uint32_t k = 0; k < item->nodes.n; k++)
            fsd_about_node(f, run->subjects.at[item->nodes.at + k].id);
        fprintf(f->out, "%s: %s; ", rule, item->message);
        if (by)
            fprintf(f->out, "explained by %s at %s",
                    f->found->rules.at[by->rule].rule->id,
                    f->found->subjects.at[by->nodes.at].name);
        else
            fputs("no rule explains it", f->out);
        fsd_fact_text(f, "explained_by",
                      by ? f->found->rules.at[by->rule].rule->id : "nothing");
        fsd_finding_close(f);
    }
}
