#include "base/text.h"
#include "findings/rule_list.h"

/* ----------------------------------------------------------------------- islands */

static void add_ms(const struct fsd_diff *d, struct fsd_findings *out, double ms)
{
    char text[32];

    if (ms < 0)
        return;
    snprintf(text, sizeof text, "%.4f", ms);
    fsd_finding_text(out, "ms", fsd_intern_str(d->names, text));
}

static void put_ms_fact(const struct fsd_diff *d, const struct fsd_finding *f,
                        FILE *out)
{
    for (uint32_t i = 0; i < f->facts.n; i++) {
        const struct fsd_fact *fact = &d->findings->facts.at[f->facts.at + i];

        if (fact->text && fact->key[0] == 'm' && fact->key[1] == 's')
            fprintf(out, ", %s ms", fsd_text(d->names, fact->text));
    }
}

static fsd_sym border_text(const struct fsd_diff *d, fsd_id layer)
{
    if (d->match->of_layer[layer].n)
        return d->model->nodes.at[fsd_match_of_layer(d->match, layer, 0)->node].name;
    return d->engine->nodes.at[layer].name;
}

void fsd_find_islands(const struct fsd_diff *d, struct fsd_findings *out,
                      const struct fsd_rule *rule)
{
    for (uint32_t i = 0; i < d->islands->list.n; i++) {
        const struct fsd_island *island = &d->islands->list.at[i];

        if (!island->nodes.n) /* only movers: told as standing quantizers and chains */
            continue;
        fsd_finding_new(out, rule);
        for (uint32_t k = 0; k < island->layers.n; k++)
            fsd_finding_layer(out, d->islands->pool.at[island->layers.at + k]);
        for (uint32_t k = 0; k < island->nodes.n; k++)
            fsd_finding_node(out, d->islands->pool.at[island->nodes.at + k]);
        fsd_finding_text(out, "type",
                         fsd_intern_str(d->names, fsd_dtype_name(island->type)));
        fsd_finding_number(out, "entry_layer", island->entry);
        fsd_finding_number(out, "exit_layer", island->exit);
        fsd_finding_number(out, "entries", island->entries);
        fsd_finding_number(out, "exits", island->exits);
        fsd_finding_text(out, "entry", border_text(d, island->entry));
        fsd_finding_text(out, "exit", border_text(d, island->exit));
        add_ms(d, out, island->ms);
    }
}

/* The facts stand in the order in which they were added above. */
void fsd_phrase_island(const struct fsd_diff *d, const struct fsd_finding *f, FILE *out)
{
    const struct fsd_fact *facts = d->findings->facts.at + f->facts.at;

    fprintf(out,
            "data up to %s wide between narrower data, from layer %u to layer %u, "
            "in ",
            fsd_text(d->names, facts[0].text), (unsigned)facts[1].number,
            (unsigned)facts[2].number);
    fsd_put_noun(out, f->layers.n, "layer");
    if (f->nodes.n) {
        fputs(": ", out);
        fsd_put_node_list(d, f->nodes, out);
    }
    put_ms_fact(d, f, out);
}

/* -------------------------------------------------------------------- left in FP32 */

static bool computes(const struct fsd_diff *d, fsd_id layer)
{
    return d->layers[layer].kind == FSD_KIND_COMPUTE ||
           d->layers[layer].kind == FSD_KIND_FOREIGN;
}

static bool *in_islands(const struct fsd_diff *d, struct fsd_arena *scratch)
{
    bool *in = FSD_NEW(scratch, bool, d->engine->nodes.n);

    for (uint32_t i = 0; i < d->islands->list.n; i++) {
        struct fsd_span span = d->islands->list.at[i].layers;

        for (uint32_t k = 0; k < span.n; k++)
            in[d->islands->pool.at[span.at + k]] = true;
    }
    return in;
}

static bool any_narrow(const struct fsd_diff *d)
{
    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        int rank = fsd_dtype_rank(d->layers[i].precision);

        if (computes(d, i) && rank && rank < 4)
            return true;
    }
    return false;
}

static void add_linked_nodes(const struct fsd_diff *d, struct fsd_findings *out,
                             struct fsd_span layers)
{
    for (uint32_t i = 0; i < layers.n; i++) {
        fsd_id layer = out->subjects.at[layers.at + i];

        for (uint32_t k = 0; k < d->match->of_layer[layer].n; k++) {
            fsd_id node = fsd_match_of_layer(d->match, layer, k)->node;

            if (d->nodes[node].fate == FSD_FATE_LAYER)
                fsd_finding_node(out, node);
        }
    }
}

/* One finding for all; those of islands have been told. */
void fsd_find_fp32_left(const struct fsd_diff *d, struct fsd_findings *out,
                        const struct fsd_rule *rule)
{
    struct fsd_arena *scratch = fsd_arena_new();
    const bool *told = in_islands(d, scratch);
    double ms = d->times->profiles ? 0 : -1;
    bool open = false, narrow = any_narrow(d);

    for (fsd_id i = 0; narrow && i < d->engine->nodes.n; i++) {
        if (!computes(d, i) || told[i] || fsd_dtype_rank(d->layers[i].precision) < 4)
            continue;
        if (!open)
            fsd_finding_new(out, rule);
        open = true;
        fsd_finding_layer(out, i);
        ms += fsd_layer_ms(d, i) > 0 ? fsd_layer_ms(d, i) : 0;
    }
    if (open) {
        add_linked_nodes(d, out, out->list.at[out->list.n - 1].layers);
        add_ms(d, out, ms);
    }
    fsd_arena_free(scratch);
}

void fsd_phrase_fp32_left(const struct fsd_diff *d, const struct fsd_finding *f,
                          FILE *out)
{
    fprintf(out, "%u layer%s in fp32", f->layers.n,
            f->layers.n == 1 ? " still runs" : "s still run");
    if (f->nodes.n) {
        fputs(": ", out);
        fsd_put_node_list(d, f->nodes, out);
    }
    put_ms_fact(d, f, out);
}
