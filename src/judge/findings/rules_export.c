/* Rules about changes between two exports. Each rule covers some kinds of changes, and
 * each change is a finding. A policy cannot set these rules, because they judge
 * nothing. */
#include "judge/findings/finder.h"

/* The value in a text such as "= 0.5"; "not there" for an empty text. */
static const char *value_of(const char *text)
{
    return !*text ? "not there" : !strncmp(text, "= ", 2) ? text + 2 : text;
}

/* Prints "input 1 of Add_36 (Add) is int8 scale 0.05, was plain". */
static void put_change(const struct fsd_exports *e, const struct fsd_export_change *c,
                       FILE *out)
{
    const struct fsd_state *s = c->new != FSD_NONE ? e->after : e->before;
    fsd_id node = fsd_id_or(c->new, c->old);

    fputs(c->of, out);
    if (node != FSD_NONE)
        fprintf(out, "%s`%s` (%s)", *c->of ? " of " : "", fsd_state_node_key(s, node),
                fsd_text(s->names, s->nodes.at[node].op));
    if (c->what == FSD_EXPORT_ADDED || c->what == FSD_EXPORT_REMOVED) {
        fprintf(out, " is only in the %s export",
                c->what == FSD_EXPORT_ADDED ? "new" : "old");
        return;
    }
    fprintf(out, " is %s, was %s", value_of(c->now), value_of(c->was));
}

/* Reports changes of certain kinds. f->rule->which has a bit for each of these kinds
 * (enum fsd_export_what). */
static void find_exported(struct fsd_finder *f)
{
    const struct fsd_exports *e = f->c->exports;

    FSD_EACH (const struct fsd_export_change, c, e->changes) {
        if (!((unsigned)f->rule->which & 1u << c->what))
            continue;
        fsd_finding_open(f);
        if (c->new != FSD_NONE)
            fsd_about_state_node(f, e->after, c->new);
        else
            fsd_about_state_node(f, e->before, c->old);
        put_change(e, c, f->out);
        fsd_finding_close(f);
    }
}

/* ------------------------------------------------------------------------ the rules */

#define BIT(what) (1u << (what))

static const struct fsd_rule export_rules[] = {
    {"export/quantization", FSD_WARNING,
     "The two exports quantize an input of a node differently.", FSD_NEEDS_EXPORTS,
     .find = find_exported, .which = (int)BIT(FSD_EXPORT_QUANTIZED),
     .why = "Q/DQ pairs decide which layers TensorRT runs in INT8 or FP8, and which "
            "layers TensorRT fuses.",
     .fix = "Compare the calibration and the Q/DQ placement of both exports; "
            "`fusiondiff lint` names missing pairs.",
     .source = "TensorRT fusion catalog"},
    {"export/cast", FSD_WARNING, "The two exports cast an input of a node differently.",
     FSD_NEEDS_EXPORTS, .find = find_exported, .which = (int)BIT(FSD_EXPORT_CAST),
     .why = "A strongly typed build takes its precisions from the Casts in the model.",
     .fix = "Compare the autocast options of both exports.",
     .source = "TensorRT documentation, strongly typed networks"},
    {"export/graph", FSD_WARNING,
     "A computing node is in only one of the exports, is a different operator, or "
     "reads the output of a different node.",
     FSD_NEEDS_EXPORTS, .find = find_exported,
     .which = (int)(BIT(FSD_EXPORT_REMOVED) | BIT(FSD_EXPORT_ADDED) |
                    BIT(FSD_EXPORT_READS) | BIT(FSD_EXPORT_OPERATOR)),
     .why = "TensorRT may build different fusions from different nodes.",
     .fix = "Compare the version, opset and decompositions of both exporters.",
     .source = "fusiondiff"},
    {"export/value", FSD_WARNING,
     "An attribute or a constant input of a node has a different value.",
     FSD_NEEDS_EXPORTS, .find = find_exported,
     .which = (int)(BIT(FSD_EXPORT_ATTRIBUTE) | BIT(FSD_EXPORT_CONSTANT)),
     .why = "The node computes different results or different sizes.",
     .fix = "Compare the model's code and the exporter's options.",
     .source = "fusiondiff"},
    {"export/tensor", FSD_WARNING,
     "An input or output of the network or of a node has a different name, type or "
     "shape.",
     FSD_NEEDS_EXPORTS, .find = find_exported,
     .which =
         (int)(BIT(FSD_EXPORT_PORT) | BIT(FSD_EXPORT_TYPE) | BIT(FSD_EXPORT_SHAPE)),
     .why = "An application binds inputs and outputs by name, type and shape.",
     .fix = "Compare the example inputs and the dynamic axes of both exports.",
     .source = "fusiondiff"},
    {"export/model", FSD_INFO,
     "The opset, the exporter or the version of the file format differs.",
     FSD_NEEDS_EXPORTS, .find = find_exported, .which = (int)BIT(FSD_EXPORT_MODEL),
     .why = "Exporters decompose and name nodes differently.",
     .fix = "Use one exporter version and one opset for models that you compare.",
     .source = "fusiondiff"},
};

const struct fsd_rule *fsd_export_rule_at(unsigned i)
{
    return i < FSD_COUNT_OF(export_rules) ? &export_rules[i] : NULL;
}
