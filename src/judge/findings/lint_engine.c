/* Rules of lint that need an engine: operators that the builder did not fuse, and
 * effects of the model's mistakes. */
#include "judge/findings/lint.h"
#include "model/graph/graph.h"

/* Whether findings of the rule may explain what the engine does. A finding about a pair
 * that no operator reads (qdq/useless) explains nothing. */
static bool may_explain(const struct fsd_rule *rule)
{
    return (rule->needs & FSD_NEEDS_LINT) && strcmp(rule->id, "qdq/useless") != 0;
}

/* Indexed by node: the first finding of lint about the node. */
static uint32_t *findings_of(struct fsd_finder *f)
{
    uint32_t n = f->d->model->nodes.n;
    uint32_t *of = fsd_ids_new(f->scratch, n);

    for (uint32_t i = f->found->list.n; i-- > 0;) {
        const struct fsd_finding *item = &f->found->list.at[i];
        bool on_model = may_explain(f->found->rules.at[item->rule].rule);

        for (uint32_t k = 0; k < item->nodes.n && on_model && item->severity > FSD_INFO;
             k++)
            of[f->found->subjects.at[item->nodes.at + k].id] = i;
    }
    return of;
}

/* ------------------------------------------------------------------- missed fusions */

/* The only layer that computes the node; FSD_NONE if there are several, or if the layer
 * is a region whose contents are unknown. */
static fsd_id layer_of(const struct fsd_diff *d, fsd_id node)
{
    fsd_id layer;

    if (d->match->of_node[node].n != 1)
        return FSD_NONE;
    layer = fsd_match_of_node(d->match, node, 0)->layer;
    return d->layers[layer].kind == FSD_KIND_COMPUTE ? layer : FSD_NONE;
}

static void find_apart(struct fsd_finder *f, const uint32_t *of, fsd_id one,
                       fsd_id other)
{
    fsd_id a = layer_of(f->d, one), b = layer_of(f->d, other);

    if (a == FSD_NONE || b == FSD_NONE || a == b || of[one] != FSD_NONE ||
        of[other] != FSD_NONE)
        return;
    fsd_finding_open(f);
    fsd_about_layer(f, a);
    fsd_about_layer(f, b);
    fsd_about_node(f, one);
    fsd_about_node(f, other);
    fprintf(f->out,
            "`%s` and `%s` run as layers %u and %u, and nothing in the model "
            "prevents their fusion",
            fsd_called(f, one), fsd_called(f, other), a, b);
    fsd_finding_close(f);
}

/* Finds operators that the engine did not fuse with the operator before them: a
 * BatchNormalization or a ReLU that is the only consumer of its input, or an Add of a
 * convolution's output and a quantized tensor. */
void fsd_lint_missed_fusion(struct fsd_finder *f)
{
    const struct fsd_lint *l = f->lint;
    const uint32_t *of = findings_of(f);

    for (fsd_id i = 0; i < l->g->nodes.n; i++) {
        fsd_id next = fsd_tensor_only_reader(l->g, fsd_node_out_tensor(l->g, i, 0));

        if (fsd_form_is(l->facts, i, "Conv|BatchNormalization|Add") &&
            fsd_form_is(l->facts, next, "BatchNormalization|Relu"))
            find_apart(f, of, i, next);
        for (uint32_t k = 0; k < 2 && fsd_form_is(l->facts, i, "Add"); k++) {
            fsd_id conv = fsd_lint_conv_behind(l, fsd_node_in_tensor(l->g, i, k));

            if (conv != FSD_NONE && fsd_lint_held(l, i, !k)) {
                find_apart(f, of, conv, i);
                break;
            }
        }
    }
}

/* ------------------------------------------------------------------------- symptoms */

/* Whether findings of the rule may be effects of a mistake in the model. */
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

/* Searches the neighborhood of a node for lint's findings, and returns the first
 * finding; FSD_NONE if there is none. For example, a Q may be unfused because of an
 * addition before the Q, or because of an addition that reads the same tensor. The
 * neighborhood consists of the node, the nodes up to `steps` before it, and all
 * consumers of their inputs and outputs.
 * @param of indexed by node: the node's first finding; FSD_NONE: none
 * @param left how many more nodes may be visited */
static uint32_t explains(const struct fsd_graph *g, fsd_id node, int steps,
                         const uint32_t *of, uint32_t *left)
{
    const struct fsd_node *n = &g->nodes.at[node];
    uint32_t first = of[node];

    for (uint32_t p = 0; p < n->in.n + n->out.n && *left; p++) {
        bool in = p < n->in.n;
        uint32_t port = fsd_node_port(n, p);
        struct fsd_span producers = fsd_port_peers(g, port, true);
        struct fsd_span readers = fsd_port_peers(g, port, false);

        for (uint32_t i = 0; i < readers.n && *left; i++, --*left)
            if (of[g->links.at[readers.at + i]] < first)
                first = of[g->links.at[readers.at + i]];
        for (uint32_t i = 0; in && steps && i < producers.n && *left; i++) {
            uint32_t other =
                explains(g, g->links.at[producers.at + i], steps - 1, of, left);

            first = other < first ? other : first;
        }
    }
    return first;
}

void fsd_lint_symptoms(struct fsd_finder *f)
{
    const struct fsd_findings *run = f->d->findings;
    const uint32_t *of = findings_of(f);

    FSD_EACH (const struct fsd_finding, item, run->list) {
        const char *rule = run->rules.at[item->rule].rule->id, *by;
        uint32_t first = FSD_NONE, explained = 0;

        if (!is_symptom(rule))
            continue;
        FSD_EACH_OF (subject, run->subjects, item->nodes, id) {
            uint32_t left = 512;
            uint32_t other = explains(f->d->model, subject, 2, of, &left);

            first = other < first ? other : first;
            explained += other != FSD_NONE;
        }
        fsd_finding_open(f);
        FSD_EACH_OF (layer, run->subjects, item->layers, id)
            fsd_about_layer(f, layer);
        FSD_EACH_OF (node, run->subjects, item->nodes, id)
            fsd_about_node(f, node);
        fprintf(f->out, "%s: %s; ", rule, item->message);
        by = "nothing";
        if (first != FSD_NONE) {
            const struct fsd_finding *cause = &f->found->list.at[first];

            by = f->found->rules.at[cause->rule].rule->id;
            fprintf(f->out, "rule %s at node `%s` explains this finding", by,
                    f->found->subjects.at[cause->nodes.at].name);
            if (explained < item->nodes.n)
                fprintf(f->out, ", except for %u of its %u nodes",
                        item->nodes.n - explained, item->nodes.n);
        } else {
            fputs("no rule explains this finding", f->out);
        }
        fsd_fact_text(f, "symptom", rule);
        fsd_fact_text(f, "explained_by", by);
        fsd_finding_close(f);
    }
}
