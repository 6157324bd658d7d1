#include "findings/rule_list.h"

enum { LISTED = 5 };

/* ------------------------------------------------------------- without tensor cores */

void fsd_find_no_tensor_cores(const struct fsd_diff *d, struct fsd_findings *out,
                              const struct fsd_rule *rule)
{
    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        if (d->layers[i].kind != FSD_KIND_COMPUTE || d->cost->layers[i].macs == 0 ||
            !d->engine->layers.at[i].scalar)
            continue;
        fsd_finding_new(out, rule);
        fsd_finding_layer(out, i);
        for (uint32_t k = 0; k < d->match->of_layer[i].n; k++) {
            fsd_id node = fsd_match_of_layer(d->match, i, k)->node;

            if (d->nodes[node].fate == FSD_FATE_LAYER)
                fsd_finding_node(out, node);
        }
        fsd_finding_text(out, "tactic", d->engine->layers.at[i].tactic);
    }
}

void fsd_phrase_no_tensor_cores(const struct fsd_diff *d, const struct fsd_finding *f,
                                FILE *out)
{
    fsd_id layer = d->findings->subjects.at[f->layers.at];

    fprintf(out, "layer %u runs %s without tensor cores", layer,
            fsd_dtype_name(d->layers[layer].precision));
    if (f->nodes.n) {
        fputs(": ", out);
        fsd_put_node_list(d, f->nodes, out);
    }
    if (fsd_layer_ms(d, layer) >= 0)
        fprintf(out, ", %.4f ms", fsd_layer_ms(d, layer));
    fprintf(out, " (%s)", fsd_text(d->names, d->engine->layers.at[layer].tactic));
}

/* ------------------------------------------------------------------- types outside */

static fsd_id model_tensor(const struct fsd_diff *d, fsd_id tensor)
{
    fsd_id same = fsd_graph_find(d->model, d->engine->tensors.at[tensor].name, 0);

    return same != FSD_NONE ? same : d->match->twin[tensor];
}

/* How a network input or output changed its type. */
struct io_change {
    enum fsd_dtype asked, built;
    bool input;
};

/* False when its type is the model's, or one of the two is not known. */
static bool io_changed(const struct fsd_diff *d, fsd_id tensor,
                       struct io_change *change)
{
    const struct fsd_tensor *t = &d->engine->tensors.at[tensor];
    fsd_id model = model_tensor(d, tensor);

    if (!(t->flags & (FSD_TENSOR_INPUT | FSD_TENSOR_OUTPUT)) || model == FSD_NONE)
        return false;
    change->input = t->flags & FSD_TENSOR_INPUT;
    change->asked = fsd_tensor_form(d->model, model)->type;
    change->built = fsd_tensor_form(d->engine, tensor)->type;
    return change->asked && change->built && change->asked != change->built;
}

/* All that changed as the first one did. */
static void add_io_tensors(const struct fsd_diff *d, struct fsd_findings *out,
                           fsd_id first, const struct io_change *as)
{
    for (fsd_id i = first; i < d->engine->tensors.n; i++) {
        struct io_change change;

        if (io_changed(d, i, &change) && change.asked == as->asked &&
            change.built == as->built && change.input == as->input)
            fsd_finding_tensor(out, i);
    }
}

/* One finding a change: where one output has another type, often all have. */
void fsd_find_io_types(const struct fsd_diff *d, struct fsd_findings *out,
                       const struct fsd_rule *rule)
{
    bool done[FSD__DTYPE_COUNT][FSD__DTYPE_COUNT][2] = {{{false}}};

    for (fsd_id i = 0; i < d->engine->tensors.n; i++) {
        struct io_change change;

        if (!io_changed(d, i, &change) ||
            done[change.asked][change.built][change.input])
            continue;
        done[change.asked][change.built][change.input] = true;
        fsd_finding_new(out, rule);
        add_io_tensors(d, out, i, &change);
        fsd_finding_text(out, "model",
                         fsd_intern_str(d->names, fsd_dtype_name(change.asked)));
        fsd_finding_text(out, "engine",
                         fsd_intern_str(d->names, fsd_dtype_name(change.built)));
    }
}

static const char *tensor_name(const struct fsd_diff *d, struct fsd_span tensors,
                               uint32_t i)
{
    fsd_id tensor = d->findings->subjects.at[tensors.at + i];

    return fsd_text(d->names, d->engine->tensors.at[tensor].name);
}

void fsd_phrase_io_type(const struct fsd_diff *d, const struct fsd_finding *f,
                        FILE *out)
{
    const struct fsd_tensor *t =
        &d->engine->tensors.at[d->findings->subjects.at[f->tensors.at]];
    const struct fsd_fact *facts = d->findings->facts.at + f->facts.at;
    uint32_t n = f->tensors.n;

    if (n > 1)
        fprintf(out, "%u ", n);
    fprintf(out, "network %s%s ", t->flags & FSD_TENSOR_INPUT ? "input" : "output",
            n > 1 ? "s are" : "");
    if (n == 1)
        fprintf(out, "%s is ", tensor_name(d, f->tensors, 0));
    fprintf(out, "%s in the model and %s in the engine",
            fsd_text(d->names, facts[0].text), fsd_text(d->names, facts[1].text));
    for (uint32_t i = 0; n > 1 && i < n && i < LISTED; i++)
        fprintf(out, "%s%s", i ? ", " : ": ", tensor_name(d, f->tensors, i));
    if (n > LISTED)
        fprintf(out, " and %u more", n - LISTED);
}
