/*
 * Has the words for outcomes, kinds, causes, evidence and severities, and prints the
 * names of nodes and layers.  Scripts depend on the spelling of the words in every
 * format, so each word is defined only here, in the order of its enumeration.
 * fsd_brief() shortens names.  The name of a layer that fuses thousands of nodes
 * contains all their names, and a report that prints the full name for each node would
 * have quadratic size.
 */
#include "base/base.h"
#include "explain/diff/diff.h"
#include "model/graph/graph.h"

FSD_NAMES(fsd_fate_name, enum fsd_fate, FSD__FATE_COUNT, "layer", "folded", "identity",
          "absorbed", "merged", "dead", "outside", "unexplained")

FSD_NAMES(fsd_kind_name, enum fsd_kind, FSD__KIND_COUNT, "compute", "reformat", "copy",
          "quantize", "constant", "noop", "shape", "sync", "foreign")

FSD_NAMES(fsd_cause_name, enum fsd_cause, FSD__CAUSE_COUNT, "", "io", "dtype", "layout",
          "dtype+layout", "scale", "concat", "slice", "padding", "plugin", "foreign",
          "dla", "free", "unknown")

const char *fsd_evidence_name(unsigned bit_index)
{
    static const char *const names[FSD_EVIDENCES] = {"metadata", "name",      "log",
                                                     "tensor",   "structure", "path"};

    return names[bit_index];
}

void fsd_put_evidence(unsigned by, FILE *out)
{
    const char *separator = "";

    for (unsigned bit = 0; 1u << bit <= FSD_BY_ALL; bit++)
        if (by >> bit & 1) {
            fprintf(out, "%s%s", separator, fsd_evidence_name(bit));
            separator = ", ";
        }
}

FSD_NAMES(fsd_severity_name, enum fsd_severity, FSD__SEVERITY_COUNT, "info", "warning",
          "error")

void fsd_put_brief(const struct fsd_diff *d, fsd_sym name, FILE *out)
{
    char room[FSD_BRIEF_ROOM];

    fputs(fsd_brief(fsd_text(d->names, name), room), out);
}

void fsd_put_node_name(const struct fsd_diff *d, fsd_id node, FILE *out)
{
    const struct fsd_node *n = &d->model->nodes.at[node];

    if (n->name)
        fsd_put_brief(d, n->name, out);
    else
        fprintf(out, "#%u (%s)", node, fsd_text(d->names, n->op));
}

void fsd_quote_node(const struct fsd_diff *d, fsd_id node, FILE *out)
{

    putc('`', out);
    fsd_put_node_name(d, node, out);
    putc('`', out);
}

void fsd_put_layer_name(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    fsd_put_brief(d, d->engine->nodes.at[layer].name, out);
}

void fsd_quote_layer(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    putc('`', out);
    fsd_put_layer_name(d, layer, out);
    putc('`', out);
}

void fsd_put_fate(const struct fsd_diff *d, fsd_id node, FILE *out)
{
    const struct fsd_node_result *r = &d->nodes[node];

    fputs(fsd_fate_name(r->fate), out);
    if (*r->why)
        fprintf(out, ": %s", r->why);
    if (r->other != FSD_NONE) {
        fputs(": ", out);
        fsd_quote_node(d, r->other, out);
    }
}

void fsd_put_said(const struct fsd_diff *d, uint32_t event, FILE *out)
{
    const struct fsd_event *e = fsd_diff_event(d, event);

    if (e)
        fsd_put_event(d->history, e, out);
}
