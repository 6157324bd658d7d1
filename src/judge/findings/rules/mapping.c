/* Rules on how well model, engine and log fit each other. */
#include "judge/findings/finder.h"
#include "model/graph/graph.h"

/* Reports an engine that has the model's names, but was built from a version of the
 * model with different types or without dynamic sizes. */
static void report_unlike(struct fsd_finder *f, const struct fsd_fit *fit)
{
    const struct {
        const struct fsd_graph *g;
        const struct fsd_form *form;
        const char *before;
    } sides[] = {
        {f->d->engine, fsd_match_binding_form(f->d->match, fit->unlike), " is "},
        {f->d->model,
         fsd_tensor_form(f->d->model, f->d->match->counterpart[fit->unlike]),
         ", but in the model it is "}};

    fsd_about_tensor(f, fit->unlike);
    fprintf(f->out,
            "%u of the engine's %u inputs and outputs %s a size or type that is "
            "impossible for this model: ",
            fit->tensors_unlike, fit->tensors,
            fit->tensors_unlike == 1 ? "has" : "have");
    fsd_put_subjects(f, f->now.tensors);
    for (size_t i = 0; i < FSD_COUNT_OF(sides); i++) {
        const struct fsd_form *form = sides[i].form;

        fprintf(f->out, "%s%s", sides[i].before, fsd_dtype_name(form->type));
        fputs(form->dims.n ? " [" : "", f->out);
        fsd_put_sizes(sides[i].g, form, ",", f->out);
        fputs(form->dims.n ? "]" : "", f->out);
    }
    fputs(": was the engine built from this model?", f->out);
}

/* Reports an engine that was built before quantizers were added to the model. Its
 * inputs and outputs may still agree with the model in names, sizes and types. */
static void find_unquantized(struct fsd_finder *f, uint32_t quantizers)
{
    if (!quantizers)
        return;
    fsd_finding_open(f);
    fsd_fact_number(f, "quantizers", quantizers);
    fprintf(f->out,
            "no tensor of the engine is quantized and no layer quantizes, but the "
            "model has %u quantizer%s: was the engine built from this model?",
            quantizers, fsd_plural(quantizers));
    fsd_finding_close(f);
}

static void find_other_quantized(struct fsd_finder *f, const struct fsd_fit *fit)
{
    if (fit->narrow == FSD_DTYPE_UNKNOWN)
        return;
    fsd_finding_open(f);
    fprintf(f->out,
            "the model quantizes to %s, and the engine's quantized tensors are %s: was "
            "the engine built from this model?",
            fsd_dtype_name(fit->narrow), fsd_dtype_name(fit->narrow_as));
    fsd_finding_close(f);
}

static void find_unpacked(struct fsd_finder *f, const struct fsd_fit *fit)
{
    if (!fit->packed)
        return;
    fsd_finding_open(f);
    fsd_about_layer(f, fit->packed_layer);
    fsd_about_node(f, fit->packed_node);
    fsd_fact_number(f, "packed", fit->packed);
    fsd_put_noun(f->out, fit->packed, "weight");
    fprintf(f->out,
            " that the model stores in 4 bits %s in this strongly typed engine; for "
            "example, ",
            fit->packed == 1 ? "is a float" : "are floats");
    fsd_put_subjects(f, f->now.nodes);
    fprintf(f->out,
            " reads such a weight in %s in layer %u: was the engine built from this "
            "model?",
            fsd_dtype_name(fit->packed_as), fit->packed_layer);
    fsd_finding_close(f);
}

/* Reports an engine whose weights differ in size from the model's. Exports of related
 * networks share most names and the sizes of inputs and outputs, but not the sizes of
 * weights. */
static void find_other_weights(struct fsd_finder *f, const struct fsd_fit *fit)
{
    if (!fit->weights_unlike)
        return;
    fsd_finding_open(f);
    fsd_about_layer(f, fit->heavy.layer);
    fsd_about_node(f, fit->heavy.node);
    fsd_fact_number(f, "weighted_layers", fit->weighted);
    fsd_fact_number(f, "weights_unlike", fit->weights_unlike);
    fprintf(f->out, "layer %u has %llu weights, but its node ", fit->heavy.layer,
            (unsigned long long)f->d->engine->layers.at[fit->heavy.layer].weights);
    fsd_put_subjects(f, f->now.nodes);
    fprintf(f->out, " has %lld in the model", (long long)fit->heavy.count);
    if (fit->weighted > 1)
        fprintf(f->out, " (%u of %u layers differ like this)", fit->weights_unlike,
                fit->weighted);
    fputs(": was the engine built from this model?", f->out);
    fsd_finding_close(f);
}

/* Reports a log that is only an excerpt: the parser's lines list some nodes, and all
 * other nodes are known from the engine's names alone. */
static void report_excerpt(struct fsd_finder *f, uint32_t listed)
{
    uint32_t nodes = f->d->model->nodes.n;

    fsd_finding_open(f);
    fsd_fact_number(f, "parsed", listed);
    fsd_fact_number(f, "nodes", nodes);
    fprintf(f->out,
            "the log contains the parser's lines for only %u of %u nodes; the other%s "
            "known only from names in the engine: pass the complete log, or the ONNX "
            "model",
            listed, nodes, nodes - listed == 1 ? " is" : "s are");
    fsd_finding_close(f);
}

/* Reports names, inputs and outputs of the engine that the model lacks. An engine from
 * a different export of the same network shares many names with the model by chance, so
 * the program does not refuse such an engine. */
void fsd_find_misfit(struct fsd_finder *f)
{
    struct fsd_fit fit = fsd_match_fit(f->d->match);
    uint32_t no_name = fit.names - fit.names_found;
    uint32_t no_binding = fit.tensors - fit.tensors_found;
    bool from_log = strcmp(f->d->model->kind, "onnx") != 0;

    if (f->d->model->named_only)
        return;
    find_unquantized(f, fit.quantizers);
    find_other_weights(f, &fit);
    find_unpacked(f, &fit);
    find_other_quantized(f, &fit);
    if (from_log && f->d->history && f->d->history->n_parsed < f->d->model->nodes.n) {
        report_excerpt(f, f->d->history->n_parsed);
        return;
    }
    if (!no_name && !no_binding && !fit.tensors_unlike)
        return;
    fsd_finding_open(f);
    fsd_fact_number(f, "names", fit.names);
    fsd_fact_number(f, "names_found", fit.names_found);
    fsd_fact_number(f, "bindings", fit.tensors);
    fsd_fact_number(f, "bindings_found", fit.tensors_found);
    fsd_fact_number(f, "bindings_unlike", fit.tensors_unlike);
    if (!no_name && !no_binding) {
        report_unlike(f, &fit);
        fsd_finding_close(f);
        return;
    }
    if (f->d->match->inferred) {
        fputs("the engine's layers name no node of the model, so fusiondiff maps "
              "layers to nodes by weights, sizes and the paths between layers",
              f->out);
        fsd_finding_close(f);
        return;
    }
    fputs(from_log ? "the parser's lines in the log lack " : "the model lacks ",
          f->out);
    if (no_name)
        fprintf(f->out, "%u of the %u names in the engine's layers", no_name,
                fit.names);
    if (no_name && no_binding)
        fputs(", and ", f->out);
    if (no_binding)
        fprintf(f->out, "%u of the engine's %u inputs and outputs", no_binding,
                fit.tensors);
    fputs(from_log ? ": the log is incomplete; pass the ONNX model as well"
                   : ": was the engine built from this model?",
          f->out);
    fsd_finding_close(f);
}

void fsd_find_no_model(struct fsd_finder *f)
{
    const struct fsd_graph *m = f->d->model;

    if (!m->named_only)
        return;
    fsd_finding_open(f);
    fsd_fact_number(f, "nodes", m->nodes.n);
    fprintf(f->out,
            "no MODEL was given: %u nodes are known from the engine's names; with the "
            "ONNX model, fusiondiff also reports all other nodes, and the outcome, "
            "edges, sizes and requested type of each node",
            m->nodes.n);
    fsd_finding_close(f);
}

/* Reports nodes that Metadata or a layer's name assigns to one layer, and the tensors
 * assign to another layer. The user may know which assignment is right. */
void fsd_find_conflicts(struct fsd_finder *f)
{
    FSD_EACH (const struct fsd_conflict, c, f->d->match->conflicts) {
        fsd_finding_open(f);
        fsd_about_layer(f, c->layer);
        fsd_about_layer(f, c->other);
        fsd_about_node(f, c->node);
        fsd_fact_number(f, "evidence", c->by);
        fprintf(f->out, "%s places ",
                c->by & FSD_BY_METADATA ? "Metadata" : "a layer's name");
        fsd_put_subjects(f, f->now.nodes);
        fprintf(
            f->out,
            " in layer %u, but the tensors of the layers place the node in layer %u",
            c->layer, c->other);
        fsd_finding_close(f);
    }
}

/* Reports unexplained nodes. The nodes of one operator are one finding, because they
 * have one cause. */
void fsd_find_unexplained(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;
    bool *done = FSD_NEW(f->scratch, bool, fsd_intern_count(d->names));

    for (fsd_id i = 0; i < d->model->nodes.n; i++) {
        fsd_sym op = d->model->nodes.at[i].op;

        if (d->nodes[i].fate != FSD_FATE_UNEXPLAINED || done[op])
            continue;
        done[op] = true;
        fsd_finding_open(f);
        for (fsd_id k = i; k < d->model->nodes.n; k++)
            if (d->nodes[k].fate == FSD_FATE_UNEXPLAINED &&
                d->model->nodes.at[k].op == op)
                fsd_about_node(f, k);
        fsd_fact_text(f, "op", fsd_text(d->names, op));
        fprintf(f->out,
                "%u %s node%s in no layer, for an unknown reason: ", f->now.nodes.n,
                fsd_text(d->names, op), f->now.nodes.n == 1 ? " is" : "s are");
        fsd_put_subjects(f, f->now.nodes);
        fsd_finding_close(f);
    }
}

/* Reports nodes that two engines compute, in one finding per pair of engines, because
 * most of these nodes are neighbors. */
void fsd_find_two_engines(struct fsd_finder *f)
{
    const struct fsd_parts *parts = f->d->parts;
    uint32_t n = parts ? parts->n : 0;
    bool *done = FSD_NEW(f->scratch, bool, (size_t)n *n);

    for (fsd_id i = 0; parts && i < f->d->model->nodes.n; i++) {
        fsd_id one = parts->of_node[i], other = parts->again[i];

        if (other == FSD_NONE || done[one * n + other])
            continue;
        done[one * n + other] = true;
        fsd_finding_open(f);
        for (fsd_id k = i; k < f->d->model->nodes.n; k++)
            if (parts->of_node[k] == one && parts->again[k] == other)
                fsd_about_node(f, k);
        fprintf(f->out, "%u node%s computed by both %s and %s: ", f->now.nodes.n,
                f->now.nodes.n == 1 ? " is" : "s are", f->d->engine->parts.at[one].path,
                f->d->engine->parts.at[other].path);
        fsd_put_subjects(f, f->now.nodes);
        fsd_finding_close(f);
    }
}

/* Reports layers without nodes. Two kinds of layers are left out. Data-movement layers
 * have no nodes. For layers of a region, the nodes of the whole region are known. */
void fsd_find_unmapped(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;

    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        enum fsd_kind kind = d->layers[i].kind;

        if ((!fsd_kind_computes(kind) && kind != FSD_KIND_QUANTIZE) ||
            fsd_match_maps_layer(d->match, i))
            continue;
        fsd_finding_open(f);
        fsd_about_layer(f, i);
        fprintf(f->out, "layer %u is linked to no node: ", i);
        fsd_put_subjects(f, f->now.layers);
        fsd_finding_close(f);
    }
}

/* Reports outputs of the model that no layer of the engine computes. They may show that
 * the dump is incomplete: if the log was truncated between two lines, the dump looks
 * like that of a smaller engine. If the builder only renamed an output, the output is
 * not reported, because a layer computes the output's node. */
void fsd_find_unmade(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;
    const struct fsd_graph *m = d->model;
    struct fsd_span outputs = m->scopes.at[0].outputs;
    bool *made = FSD_NEW(f->scratch, bool, m->tensors.n);
    bool *reported = FSD_NEW(f->scratch, bool, m->nodes.n);
    uint32_t unmade = 0;

    if (!d->engine->detailed)
        return;
    for (fsd_id t = 0; t < d->engine->tensors.n; t++)
        if (fsd_match_holds(d->match, t))
            made[d->match->counterpart[t]] = true;
    for (uint32_t i = 0; i < outputs.n; i++) {
        fsd_id t = m->links.at[outputs.at + i], producer = fsd_tensor_producer(m, t);

        if (producer == FSD_NONE || made[t] ||
            d->nodes[producer].fate != FSD_FATE_UNEXPLAINED)
            continue;
        if (!unmade++)
            fsd_finding_open(f);
        if (!reported[producer])
            fsd_about_node(f, producer);
        reported[producer] = true;
    }
    if (!unmade)
        return;
    fsd_fact_number(f, "outputs", outputs.n);
    fsd_fact_number(f, "unmade", unmade);
    fprintf(f->out, "no layer produces %u of %u outputs of the model (the output of ",
            unmade, outputs.n);
    fsd_put_subjects(f, f->now.nodes);
    fputs("): is the dump incomplete?", f->out);
    fsd_finding_close(f);
}

void fsd_find_names_only(struct fsd_finder *f)
{
    if (f->d->engine->detailed)
        return;
    fsd_finding_open(f);
    fputs("the engine dump holds layer names only: build with "
          "profilingVerbosity=detailed to see tensors, precisions and Metadata",
          f->out);
    fsd_finding_close(f);
}

/* Reports kernels for which the replay of operations reached a limit. Kernels with the
 * same limit are one finding, because a quantized network may have dozens of them. */
static void report_bounds(struct fsd_finder *f)
{
    const struct fsd_match *m = f->d->match;

    for (uint32_t i = 0; i < m->bounds.n; i++) {
        const struct fsd_bound *first = &m->bounds.at[i];
        uint32_t n = 0, before = 0;

        while (strcmp(m->bounds.at[before].what, first->what) != 0)
            before++;
        if (before < i)
            continue;
        fsd_finding_open(f);
        fsd_fact_text(f, "remark", "input/large-kernel");
        fsd_fact_text(f, "text", first->what);
        for (uint32_t k = i; k < m->bounds.n; k++)
            if (!strcmp(m->bounds.at[k].what, first->what)) {
                fsd_about_layer(f, m->bounds.at[k].layer);
                n++;
            }
        fputs("input/large-kernel: ", f->out);
        if (n == 1)
            fprintf(f->out, "the kernel of layer %u has", first->layer);
        else
            fprintf(f->out, "%u kernels, the first in layer %u, have", n, first->layer);
        fprintf(f->out,
                " more %s than fusiondiff allows; fusiondiff may have missed nodes "
                "of %s",
                first->what, n == 1 ? "this layer" : "these layers");
        fsd_finding_close(f);
    }
}

/* Reports the remarks that the readers of model and engine made. */
void fsd_find_remarks(struct fsd_finder *f)
{
    const struct fsd_graph *graphs[] = {f->d->model, f->d->engine};

    for (size_t side = 0; side < FSD_COUNT_OF(graphs); side++)
        FSD_EACH (const struct fsd_remark, r, graphs[side]->remarks) {
            const char *text = fsd_text(f->d->names, r->text);

            fsd_finding_open(f);
            fsd_fact_text(f, "remark", r->rule);
            fsd_fact_text(f, "text", text);
            fprintf(f->out, "%s: %s", r->rule, text);
            if (r->node != FSD_NONE && graphs[side] == f->d->model) {
                fsd_about_node(f, r->node);
                fputs(", node ", f->out);
                fsd_put_subjects(f, f->now.nodes);
            } else if (r->node != FSD_NONE) {
                fsd_about_layer(f, r->node);
                fprintf(f->out, ", layer %u", r->node);
            }
            fsd_finding_close(f);
        }
    report_bounds(f);
}
