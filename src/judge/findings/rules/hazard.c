/*
 * Finds places where 16-bit floats may be inaccurate. Results may exceed the range of
 * FP16, or lose small terms. Integers may be rounded, because a 16-bit float represents
 * only small integers exactly. Whether values become inaccurate depends on the data, so
 * these findings are notes.
 */
#include "base/base.h"
#include "explain/values/values.h"
#include "judge/findings/finder.h"
#include "model/graph/graph.h"
#include "model/graph/half.h"

enum { FP16_EXACT = 2048, BF16_EXACT = 256 };

static fsd_sym op_of(const struct fsd_diff *d, fsd_id node)
{
    return d->model->nodes.at[node].op;
}

/* ----------------------------------------------------------------- range of FP16 */

/* How many elements the node reduces to one; -1: unknown. */
static int64_t reduced_by(const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_graph *g = d->model;
    fsd_id in = fsd_node_in_tensor(g, node, 0), out = fsd_node_out_tensor(g, node, 0);
    int64_t before, after;

    if (in == FSD_NONE || out == FSD_NONE)
        return -1;
    before = fsd_form_count(g, fsd_tensor_form(g, in));
    after = fsd_form_count(g, fsd_tensor_form(g, out));
    return before > 0 && after > 0 ? before / after : -1;
}

static bool is_sensitive(const struct fsd_diff *d, fsd_id node)
{
    unsigned traits = d->facts->traits[node];

    return (traits & FSD_OP_SENSITIVE) ||
           ((traits & FSD_OP_REDUCES) && reduced_by(d, node) >= FSD_LONG_REDUCTION);
}

/* Whether the kernel seems to compute the node without a Cast before it: in the list
 * `steps`, a sensitive operation comes before any Cast. False for a fused attention,
 * because all fused attentions have the same list. If there is no list, only compiled
 * kernels and plugins are assumed to have a Cast. */
static bool shows_no_cast(const struct fsd_diff *d, fsd_id layer, fsd_id node)
{
    const struct fsd_layer *l = &d->engine->layers.at[layer];

    if (!l->steps.n) /* compiled kernels and plugins may contain a Cast */
        return l->provider != FSD_PROVIDER_COMPILER &&
               l->provider != FSD_PROVIDER_PLUGIN;
    if (l->more_steps == FSD_STEPS_LACK_SOME &&
        fsd_layer_count(d->engine, layer, FSD_ONNX_MatMul))
        return false;
    for (uint32_t i = 0; i < l->steps.n; i++) {
        fsd_sym step = d->engine->links.at[l->steps.at + i];

        if (step == FSD_ONNX_Cast)
            return false;
        if ((fsd_step_traits(step) & (FSD_OP_SENSITIVE | FSD_OP_REDUCES)) ||
            (step == FSD_ONNX_Mul && op_of(d, node) == FSD_ONNX_Pow))
            return true;
    }
    return false;
}

/* Whether measured values show that the node stays within the range: the values use at
 * most half of the range. False for a softmax, a normalization or a sum, because such a
 * node also computes values that were not measured. */
static bool is_within(const double *measured, const struct fsd_diff *d, fsd_id node)
{
    fsd_id out = fsd_node_out_tensor(d->model, node, 0);

    return measured && (d->facts->traits[node] & FSD_OP_BARE) && out != FSD_NONE &&
           measured[out] <= FSD_HALF_MOST / 2;
}

static bool leaves_range(const struct fsd_diff *d, const double *measured,
                         uint32_t link)
{
    const struct fsd_link *l = &d->match->links.at[link];

    return d->layers[l->layer].kind == FSD_KIND_COMPUTE &&
           d->computed[link] == FSD_FP16 && d->nodes[l->node].fate == FSD_FATE_LAYER &&
           is_sensitive(d, l->node) && shows_no_cast(d, l->layer, l->node) &&
           !is_within(measured, d, l->node);
}

/* --------------------------------------------------------------------- integers */

static bool is_integer(enum fsd_dtype type)
{
    return type == FSD_INT32 || type == FSD_INT64 || type == FSD_UINT32 ||
           type == FSD_UINT64;
}

static enum fsd_dtype type_of(const struct fsd_diff *d, fsd_id tensor)
{
    return fsd_tensor_form(d->model, tensor)->type;
}

/* Whether the node's operator can compute integers from integers. An example is an Add
 * of two positions. */
static bool passes_integers(const struct fsd_diff *d, fsd_id node)
{
    unsigned traits = d->facts->traits[node];

    return (traits & (FSD_OP_ELEMENTWISE | FSD_OP_MOVES | FSD_OP_REDUCES)) &&
           !(traits & FSD_OP_QDQ);
}

/* Indexed by node: whether the node's inputs are computed from integers (`from`), and
 * whether integers are computed from the node's outputs (`to`). */
struct integers {
    bool *from, *to;
};

/* Fills `from` in one walk forwards, and `to` in one walk backwards. One walk each is
 * enough, because the nodes of a model are in execution order. */
static struct integers find_integers(const struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;
    const struct fsd_graph *g = d->model;
    uint32_t n = g->nodes.n;
    struct integers x = {FSD_NEW(f->scratch, bool, n), FSD_NEW(f->scratch, bool, n)};

    for (fsd_id i = 0; i < n; i++)
        for (uint32_t k = 0; k < g->nodes.at[i].in.n && passes_integers(d, i); k++) {
            fsd_id t = fsd_node_in_tensor(g, i, k);
            fsd_id producer = fsd_tensor_producer(g, t);

            x.from[i] |= fsd_is_data(d->facts, t) &&
                         (is_integer(type_of(d, t)) || fsd_true_at(x.from, producer));
        }
    for (fsd_id i = n; i-- > 0;) {
        bool to = passes_integers(d, i) &&
                  (x.to[i] || is_integer(type_of(d, fsd_node_out_tensor(g, i, 0))));

        for (uint32_t k = 0; k < g->nodes.at[i].in.n && to; k++) {
            fsd_id producer = fsd_node_in_producer(g, i, k);

            fsd_set_at(x.to, producer);
        }
        x.to[i] = to;
    }
    return x;
}

static bool rounds_integers(const struct fsd_diff *d, const struct integers *x,
                            uint32_t link)
{
    const struct fsd_link *l = &d->match->links.at[link];
    enum fsd_dtype runs = d->computed[link];

    return d->layers[l->layer].kind == FSD_KIND_COMPUTE &&
           (runs == FSD_FP16 || runs == FSD_BF16) &&
           d->nodes[l->node].fate == FSD_FATE_LAYER && x->from[l->node] &&
           x->to[l->node] && !(d->facts->traits[l->node] & FSD_OP_MOVES);
}

/* ---------------------------------------------------------------------- findings */

/* Opens a finding about the marked links. Its subjects are the links' layers, then
 * their nodes. */
static void open_about(struct fsd_finder *f, const bool *marked)
{
    const struct fsd_match *m = f->d->match;
    bool *layers = FSD_NEW(f->scratch, bool, f->d->engine->nodes.n);
    bool *nodes = FSD_NEW(f->scratch, bool, f->d->model->nodes.n);

    fsd_finding_open(f);
    for (uint32_t i = 0; i < m->links.n; i++)
        if (marked[i] && !layers[m->links.at[i].layer]) {
            layers[m->links.at[i].layer] = true;
            fsd_about_layer(f, m->links.at[i].layer);
        }
    for (uint32_t i = 0; i < m->links.n; i++)
        if (marked[i] && !nodes[m->links.at[i].node]) {
            nodes[m->links.at[i].node] = true;
            fsd_about_node(f, m->links.at[i].node);
        }
}

/* Reports the nodes of each operator in one finding. */
void fsd_find_fp16_range(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;
    const struct fsd_match *m = d->match;
    bool *reported = FSD_NEW(f->scratch, bool, fsd_intern_count(d->names));
    const double *measured = fsd_largest_values(f->scratch, d->model, d->numbers);

    for (uint32_t i = 0; i < m->links.n; i++) {
        fsd_sym op = op_of(d, m->links.at[i].node);
        bool *marked;

        if (reported[op] || !leaves_range(d, measured, i))
            continue;
        reported[op] = true;
        marked = FSD_NEW(f->scratch, bool, m->links.n);
        for (uint32_t k = i; k < m->links.n; k++)
            marked[k] =
                op_of(d, m->links.at[k].node) == op && leaves_range(d, measured, k);
        open_about(f, marked);
        fsd_fact_text(f, "op", fsd_text(d->names, op));
        fsd_put_noun(f->out, f->now.nodes.n,
                     fsd_printed(f->scratch, "%s node", fsd_text(d->names, op)));
        fprintf(f->out, " run%s in FP16, and the kernels show no Cast to FP32: ",
                f->now.nodes.n == 1 ? "s" : "");
        fsd_put_subjects(f, f->now.nodes);
        fsd_finding_close(f);
    }
}

void fsd_find_rounded_integers(struct fsd_finder *f)
{
    const enum fsd_dtype types[] = {FSD_FP16, FSD_BF16};
    const struct fsd_diff *d = f->d;
    const struct fsd_match *m = d->match;
    struct integers x = find_integers(f);

    for (size_t t = 0; t < FSD_COUNT_OF(types); t++) {
        bool *marked = FSD_NEW(f->scratch, bool, m->links.n), any = false;

        for (uint32_t i = 0; i < m->links.n; i++) {
            marked[i] = d->computed[i] == types[t] && rounds_integers(d, &x, i);
            any |= marked[i];
        }
        if (!any)
            continue;
        open_about(f, marked);
        fsd_fact_text(f, "runs", fsd_dtype_name(types[t]));
        fprintf(f->out,
                "%u node%s that compute%s integers run%s in %s, which holds integers "
                "exactly up to %u: ",
                f->now.nodes.n, fsd_plural(f->now.nodes.n),
                f->now.nodes.n == 1 ? "s" : "", f->now.nodes.n == 1 ? "s" : "",
                fsd_dtype_name(types[t]),
                types[t] == FSD_FP16 ? FP16_EXACT : BF16_EXACT);
        fsd_put_subjects(f, f->now.nodes);
        fsd_finding_close(f);
    }
}
