#include "diff/advice.h"
#include "findings/rule_list.h"

static bool reads_network_input(const struct fsd_diff *d, fsd_id layer)
{
    fsd_id in = fsd_node_in_tensor(d->engine, layer, 0);

    return in != FSD_NONE && (d->engine->tensors.at[in].flags & FSD_TENSOR_INPUT);
}

static void find_standing(const struct fsd_diff *d, struct fsd_findings *out,
                          const struct fsd_rule *rule, bool at_input)
{
    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        if (d->layers[i].kind != FSD_KIND_QUANTIZE ||
            reads_network_input(d, i) != at_input)
            continue;
        fsd_finding_new(out, rule);
        fsd_finding_layer(out, i);
        for (uint32_t k = 0; k < d->match->of_layer[i].n; k++)
            fsd_finding_node(out, fsd_match_of_layer(d->match, i, k)->node);
    }
}

void fsd_find_standing(const struct fsd_diff *d, struct fsd_findings *out,
                       const struct fsd_rule *rule)
{
    find_standing(d, out, rule, false);
}

void fsd_find_standing_at_input(const struct fsd_diff *d, struct fsd_findings *out,
                                const struct fsd_rule *rule)
{
    find_standing(d, out, rule, true);
}

static void put_change(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    const struct fsd_node *n = &d->engine->nodes.at[layer];

    if (!n->in.n || !n->out.n)
        return;
    fprintf(
        out, " (%s -> %s)",
        fsd_dtype_name(fsd_port_form(d->engine, fsd_node_in(d->engine, n, 0))->type),
        fsd_dtype_name(fsd_port_form(d->engine, fsd_node_out(d->engine, n, 0))->type));
}

void fsd_phrase_standing(const struct fsd_diff *d, const struct fsd_finding *f,
                         FILE *out)
{
    fsd_id layer = d->findings->subjects.at[f->layers.at];

    if (f->nodes.n)
        fsd_put_node_name(d, d->findings->subjects.at[f->nodes.at], out);
    else
        fsd_put_layer_name(d, layer, out);
    fprintf(out, " stands alone as layer %u", layer);
    put_change(d, layer, out);
    fputs(", ", out);
    fsd_put_edge(d, layer, out);
    if (fsd_layer_ms(d, layer) >= 0)
        fprintf(out, ", %.4f ms", fsd_layer_ms(d, layer));
}

/* ---------------------------------------------------------------------- wider */

static bool runs_wider(const struct fsd_diff *d, fsd_id node)
{
    int asked = fsd_dtype_rank(d->nodes[node].requested);
    int runs = fsd_dtype_rank(d->nodes[node].realised);

    return asked && runs > asked && !(d->facts->traits[node] & FSD_OP_QDQ);
}

/* One finding a layer, with all its nodes that were asked to be narrower. */
void fsd_find_wider(const struct fsd_diff *d, struct fsd_findings *out,
                    const struct fsd_rule *rule)
{
    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        bool open = false;

        for (uint32_t k = 0; k < d->match->of_layer[i].n; k++) {
            fsd_id node = fsd_match_of_layer(d->match, i, k)->node;

            if (d->layers[i].kind != FSD_KIND_COMPUTE || !runs_wider(d, node))
                continue;
            if (!open) {
                fsd_finding_new(out, rule);
                fsd_finding_layer(out, i);
                open = true;
            }
            fsd_finding_node(out, node);
        }
    }
}

void fsd_phrase_wider(const struct fsd_diff *d, const struct fsd_finding *f, FILE *out)
{
    fsd_id layer = d->findings->subjects.at[f->layers.at],
           node = d->findings->subjects.at[f->nodes.at];

    fsd_put_node_list(d, f->nodes, out);
    fprintf(out, " asked for %s, layer %u runs %s",
            fsd_dtype_name(d->nodes[node].requested), layer,
            fsd_dtype_name(d->layers[layer].precision));
}
