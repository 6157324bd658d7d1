#include "findings/rule_list.h"

#include <string.h>

/* An engine of another export of the same network has many of its names by chance, so
 * that it is not refused; what is missing tells. */
void fsd_find_misfit(const struct fsd_diff *d, struct fsd_findings *out,
                     const struct fsd_rule *rule)
{
    struct fsd_fit fit = fsd_match_fit(d->match);

    if (fit.names_found == fit.names && fit.tensors_found == fit.tensors)
        return;
    fsd_finding_new(out, rule);
    fsd_finding_number(out, "names", fit.names);
    fsd_finding_number(out, "names_found", fit.names_found);
    fsd_finding_number(out, "bindings", fit.tensors);
    fsd_finding_number(out, "bindings_found", fit.tensors_found);
}

/* The facts stand in the order in which they were added above. */
void fsd_phrase_misfit(const struct fsd_diff *d, const struct fsd_finding *f, FILE *out)
{
    const struct fsd_fact *facts = d->findings->facts.at + f->facts.at;
    unsigned names = (unsigned)facts[0].number, bindings = (unsigned)facts[2].number;
    unsigned no_name = names - (unsigned)facts[1].number;
    unsigned no_binding = bindings - (unsigned)facts[3].number;
    bool from_log = !strcmp(d->model->kind, "trt-log");

    fputs(from_log ? "the parser's lines of the log do not have "
                   : "the model does not have ",
          out);
    if (no_name)
        fprintf(out, "%u of the %u names in the engine's layers", no_name, names);
    if (no_name && no_binding)
        fputs(", and ", out);
    if (no_binding)
        fprintf(out, "%u of the engine's %u inputs and outputs", no_binding, bindings);
    fputs(from_log ? ": the log lacks some, give the ONNX model, too"
                   : ": was the engine built from it?",
          out);
}

void fsd_find_conflicts(const struct fsd_diff *d, struct fsd_findings *out,
                        const struct fsd_rule *rule)
{
    for (uint32_t i = 0; i < d->match->conflicts.n; i++) {
        const struct fsd_conflict *c = &d->match->conflicts.at[i];

        fsd_finding_new(out, rule);
        fsd_finding_layer(out, c->layer);
        fsd_finding_layer(out, c->other);
        fsd_finding_node(out, c->node);
        fsd_finding_number(out, "evidence", c->by);
    }
}

void fsd_phrase_conflict(const struct fsd_diff *d, const struct fsd_finding *f,
                         FILE *out)
{
    const fsd_id *layers = d->findings->subjects.at + f->layers.at;
    bool metadata = d->findings->facts.at[f->facts.at].number & FSD_BY_METADATA;

    fprintf(out, "%s puts ", metadata ? "Metadata" : "the layer's name");
    fsd_put_node_name(d, d->findings->subjects.at[f->nodes.at], out);
    fprintf(out, " into layer %u, its tensors put it into layer %u", layers[0],
            layers[1]);
}

/* One finding an operator type: a hundred nodes of one kind have one cause. */
void fsd_find_unexplained(const struct fsd_diff *d, struct fsd_findings *out,
                          const struct fsd_rule *rule)
{
    struct fsd_arena *scratch = fsd_arena_new();
    bool *done = FSD_NEW(scratch, bool, fsd_intern_count(d->names));

    for (fsd_id i = 0; i < d->model->nodes.n; i++) {
        fsd_sym op = d->model->nodes.at[i].op;

        if (d->nodes[i].fate != FSD_FATE_UNEXPLAINED || done[op])
            continue;
        done[op] = true;
        fsd_finding_new(out, rule);
        for (fsd_id k = i; k < d->model->nodes.n; k++)
            if (d->nodes[k].fate == FSD_FATE_UNEXPLAINED &&
                d->model->nodes.at[k].op == op)
                fsd_finding_node(out, k);
        fsd_finding_text(out, "op", op);
    }
    fsd_arena_free(scratch);
}

void fsd_phrase_unexplained(const struct fsd_diff *d, const struct fsd_finding *f,
                            FILE *out)
{
    fsd_sym op = d->findings->facts.at[f->facts.at].text;

    fprintf(out, "%u %s node%s in no layer, and nothing proves why: ", f->nodes.n,
            fsd_text(d->names, op), f->nodes.n == 1 ? " is" : "s are");
    fsd_put_node_list(d, f->nodes, out);
}

void fsd_find_unmapped(const struct fsd_diff *d, struct fsd_findings *out,
                       const struct fsd_rule *rule)
{
    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        enum fsd_kind kind = d->layers[i].kind;

        if (kind != FSD_KIND_COMPUTE && kind != FSD_KIND_FOREIGN &&
            kind != FSD_KIND_QUANTIZE)
            continue;
        if (d->match->of_layer[i].n || d->match->region_of_layer[i] != FSD_NONE)
            continue;
        fsd_finding_new(out, rule);
        fsd_finding_layer(out, i);
    }
}

void fsd_phrase_unmapped(const struct fsd_diff *d, const struct fsd_finding *f,
                         FILE *out)
{
    fsd_id layer = d->findings->subjects.at[f->layers.at];

    fprintf(out, "layer %u computes no node that could be found: ", layer);
    fsd_put_layer_name(d, layer, out);
}

void fsd_find_names_only(const struct fsd_diff *d, struct fsd_findings *out,
                         const struct fsd_rule *rule)
{
    if (!d->engine->detailed)
        fsd_finding_new(out, rule);
}

void fsd_phrase_names_only(const struct fsd_diff *d, const struct fsd_finding *f,
                           FILE *out)
{
    (void)d;
    (void)f;
    fputs("the engine dump holds layer names only: build with "
          "profilingVerbosity=detailed "
          "to see tensors, precisions and Metadata",
          out);
}
