/*
 * Functions that the rules of lint share: names, edits, and confirmation by an engine.
 *
 * A rule predicts a cost. rule->proves (enum fsd_proves) states how an engine confirms
 * or refutes this cost. For example, with FSD_PROVES_STANDS, a layer that computes one
 * of the finding's quantizers confirms the cost. If the engine refutes the cost, the
 * finding becomes information.
 */
#include "base/base.h"
#include "judge/findings/lint.h"
#include "model/graph/graph.h"

/* --------------------------------------------------------------------------- names */

const char *fsd_lint_tensor(const struct fsd_finder *f, fsd_id tensor)
{
    return fsd_text(f->d->names, fsd_graph_tensor(f->d->model, tensor)->name);
}

const struct fsd_quantizer *fsd_lint_q_of(const struct fsd_lint *l,
                                          const struct fsd_quantizer *dq)
{
    fsd_id producer =
        dq ? fsd_tensor_producer(l->g, fsd_op_copied(l->g, dq->data)) : FSD_NONE;
    const struct fsd_quantizer *q = fsd_lint_quantizer(l, producer);

    return q && q->quantizes ? q : NULL;
}

/* Steps over an Add or a Mul with a constant, because exporters write a bias or a
 * decomposed normalization in this way. */
fsd_id fsd_lint_conv_behind(const struct fsd_lint *l, fsd_id tensor)
{
    for (int steps = 0; steps < 6; steps++) {
        fsd_id producer = fsd_tensor_producer(l->g, tensor);
        fsd_id first = fsd_node_in_tensor(l->g, producer, 0);
        fsd_id second = fsd_node_in_tensor(l->g, producer, 1);
        bool constant = fsd_is_constant(l->facts, first);

        if (fsd_form_is(l->facts, producer, "Conv|ConvTranspose"))
            return fsd_lint_is_narrow(l, producer) ? producer : FSD_NONE;
        if (!fsd_form_is(l->facts, producer, "BatchNormalization|Identity|Add|Mul") ||
            (l->g->nodes.at[producer].in.n == 2 &&
             constant == fsd_is_constant(l->facts, second)))
            return FSD_NONE;
        tensor = constant ? second : first;
    }
    return FSD_NONE;
}

/* --------------------------------------------------------------------------- edits */

void fsd_edit_add(struct fsd_finder *f, struct fsd_edit edit)
{
    if (!f->now.edits.n)
        f->now.edits.at = f->found->edits.n;
    fsd_vec_push(f->found->arena, &f->found->edits, edit);
    f->now.edits.n++;
}

/* Gives the edit the scale of `like`. A single scale is also stated as a number;
 * several scales are read from the tensor `scale_tensor`. */
static void take_scale(struct fsd_finder *f, struct fsd_edit *edit,
                       const struct fsd_quantizer *like)
{
    if (!like)
        return;
    edit->like = fsd_called(f, like->node);
    edit->scale_tensor = fsd_lint_tensor(f, like->scale);
    /* The new pair has the zero point 0. If `like` has another zero point, the scale of
     * `like` is wrong for the pair. */
    if (like->zero == FSD_ZERO_OTHER)
        return;
    edit->type = fsd_dtype_name(like->type);
    if (like->scales && like->n == 1)
        edit->scale = like->scales[0];
}

/* The 8-bit type for a new pair: the type of the node's other quantizers, else the type
 * of the first quantizer of activations. */
static enum fsd_dtype type_around(const struct fsd_lint *l, fsd_id node)
{
    for (uint32_t i = 0; i < l->g->nodes.at[node].in.n; i++) {
        const struct fsd_quantizer *held = fsd_lint_held(l, node, i);

        if (held && fsd_dtype_bits(held->type) == 8)
            return held->type;
    }
    return l->style.type == FSD_DTYPE_UNKNOWN ? FSD_INT8 : l->style.type;
}

void fsd_edit_insert(struct fsd_finder *f, fsd_id node, uint32_t input,
                     const struct fsd_quantizer *like, const char *effect)
{
    struct fsd_edit edit = {
        .action = FSD_INSERT_PAIR,
        .tensor = fsd_lint_tensor(f, fsd_node_in_tensor(f->d->model, node, input)),
        .node = node,
        .name = fsd_called(f, node),
        .input = input,
        .type = fsd_dtype_name(type_around(f->lint, node)),
        .effect = effect};

    take_scale(f, &edit, like);
    fsd_edit_add(f, edit);
}

void fsd_edit_remove(struct fsd_finder *f, const struct fsd_quantizer *q,
                     const char *effect)
{
    fsd_edit_add(f, (struct fsd_edit){.action = FSD_REMOVE_PAIR,
                                      .tensor = fsd_lint_tensor(f, q->data),
                                      .node = q->node,
                                      .name = fsd_called(f, q->node),
                                      .effect = effect});
}

void fsd_edit_scale(struct fsd_finder *f, const struct fsd_quantizer *q,
                    const struct fsd_quantizer *like, const char *effect)
{
    struct fsd_edit edit = {.action = FSD_SET_SCALE,
                            .tensor = fsd_lint_tensor(f, q->data),
                            .node = q->node,
                            .name = fsd_called(f, q->node),
                            .input = 1,
                            .effect = effect};

    take_scale(f, &edit, like);
    fsd_edit_add(f, edit);
}

/* The smallest scale for the zero point 0 with which 8 bits cover the range of the
 * quantizer. The quantizer itself has another zero point. */
static double covering_scale(const struct fsd_quantizer *q)
{
    int low = q->type == FSD_UINT8 ? 0 : -128;
    double below = (q->zero_point - low) * q->scales[0] / 128;
    double above = (low + 255 - q->zero_point) * q->scales[0] / 127;

    return fsd_larger(below, above);
}

void fsd_edit_symmetric(struct fsd_finder *f, const struct fsd_quantizer *q)
{
    if (!q->quantizes || q->zero != FSD_ZERO_OTHER || !q->scales || q->n != 1 ||
        (q->type != FSD_INT8 && q->type != FSD_UINT8) ||
        f->lint->facts->constant[q->data])
        return;
    fsd_edit_add(f, (struct fsd_edit){
                        .action = FSD_MAKE_SYMMETRIC,
                        .tensor = fsd_lint_tensor(f, q->data),
                        .node = q->node,
                        .name = fsd_called(f, q->node),
                        .input = 1,
                        .scale = covering_scale(q),
                        .type = "int8",
                        .effect = "rounds more coarsely, because the symmetric range "
                                  "is larger than the previous range; clips no "
                                  "additional values"});
}

void fsd_edit_spread(struct fsd_finder *f, const struct fsd_quantizer *q)
{
    fsd_edit_add(
        f, (struct fsd_edit){.action = FSD_SPREAD_SCALE,
                             .tensor = fsd_lint_tensor(f, q->data),
                             .node = q->node,
                             .name = fsd_called(f, q->node),
                             .input = 1,
                             .effect = "each channel gets the scale that all channels "
                                       "shared before, so the values do not change"});
}

void fsd_edit_dimension(struct fsd_finder *f, fsd_id dq)
{
    fsd_edit_add(
        f, (struct fsd_edit){
               .action = FSD_ADD_DIMENSION,
               .tensor = fsd_lint_tensor(f, fsd_node_in_tensor(f->lint->g, dq, 0)),
               .node = dq,
               .name = fsd_called(f, dq),
               .effect = "the scalar is broadcast as before, so the values do "
                         "not change"});
}

/* Whether the node's output is used only as the weights of a Conv, MatMul or the
 * like. */
static bool makes_weights(const struct fsd_lint *l, fsd_id node)
{
    fsd_id out = fsd_node_out_tensor(l->g, node, 0);
    struct fsd_span readers = l->g->tensors.at[out].consumers;
    bool found = false;

    FSD_EACH_ID (reader, l->g->links, readers)
        found |= (fsd_traits_of(l->facts, reader) & FSD_OP_WEIGHTED) &&
                 fsd_node_in_tensor(l->g, reader, 1) == out;
    return found;
}

void fsd_edit_store(struct fsd_finder *f, fsd_id dq)
{
    const struct fsd_lint *l = f->lint;
    const struct fsd_quantizer *q = fsd_lint_quantizer(l, dq);
    bool narrow = makes_weights(l, dq);

    if (!q)
        return;
    fsd_edit_add(
        f, (struct fsd_edit){
               .action = FSD_STORE_CONSTANT,
               .tensor = fsd_lint_tensor(f, q->data),
               .node = dq,
               .name = fsd_called(f, dq),
               .type = fsd_dtype_name(narrow ? FSD_INT8
                                             : fsd_tensor_form(l->g, q->scale)->type),
               .effect =
                   narrow ? "subtracts the zero point from the stored integers; the "
                            "dequantized values do not change"
                          : "stores the floating-point values that the node computes"});
}

void fsd_edit_move(struct fsd_finder *f, const struct fsd_quantizer *q, fsd_id to,
                   uint32_t input, const char *effect)
{
    struct fsd_edit edit = {
        .action = FSD_MOVE_PAIR,
        .tensor = fsd_lint_tensor(f, fsd_node_in_tensor(f->d->model, to, input)),
        .node = q->node,
        .name = fsd_called(f, q->node),
        .to = to,
        .to_name = fsd_called(f, to),
        .input = input,
        .effect = effect};

    take_scale(f, &edit, q);
    fsd_edit_add(f, edit);
}

void fsd_edit_of_block(struct fsd_finder *f, struct fsd_edit edit)
{
    const struct fsd_graph *g = f->lint->g;

    edit.name = fsd_called(f, edit.node);
    edit.tensor = fsd_lint_tensor(
        f, edit.action == FSD_SLICE_OUTPUT || edit.action == FSD_UNMARK_OUTPUT
               ? fsd_node_out_tensor(g, edit.node, 0)
               : fsd_node_in_tensor(g, edit.node, edit.input));
    edit.on_request = edit.together = true;
    fsd_edit_add(f, edit);
}

void fsd_edits_drop(struct fsd_finder *f)
{
    f->found->edits.n -= f->now.edits.n;
    f->now.edits.n = 0;
}

/* -------------------------------------------------------------- what an engine says */

/* What the engine shows about the layers that compute a node. */
struct seen {
    uint32_t layers, wide, unknown, inserted; /* wide: number of ports with
                                                 higher precision; unknown: number of
                                                 ports with unknown type; inserted:
                                                 number of data-movement layers next to
                                                 `layer` */
    fsd_id layer;           /* the first layer that reads or writes higher precision; if
                               there is none, the first layer */
    enum fsd_dtype in, out; /* the highest precision that `layer` reads, and the
                               precision that it writes */
    double ms;
};

static enum fsd_dtype look_at_ports(const struct fsd_graph *e, fsd_id layer,
                                    bool outputs, struct seen *seen)
{
    struct fsd_widths widths = fsd_layer_widths(e, layer, outputs);

    seen->unknown += widths.unknown;
    seen->wide += widths.wide;
    return widths.widest;
}

/* The number of data-movement layers next to a layer. */
static uint32_t count_movers(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_node *n = &d->engine->nodes.at[layer];
    uint32_t movers = 0;

    for (uint32_t p = 0; p < n->in.n + n->out.n; p++) {
        struct fsd_span peers =
            fsd_port_peers(d->engine, fsd_node_port(n, p), p < n->in.n);

        for (uint32_t i = 0; i < peers.n; i++)
            movers += d->flows->of[d->engine->links.at[peers.at + i]].there;
    }
    return movers;
}

static struct seen look(const struct fsd_diff *d, fsd_id node)
{
    struct seen seen = {.layer = FSD_NONE, .ms = 0};

    for (uint32_t i = 0; i < d->match->of_node[node].n; i++) {
        fsd_id layer = fsd_match_of_node(d->match, node, i)->layer;
        struct seen one = {0};

        if (!fsd_kind_computes(d->layers[layer].kind))
            continue;
        one.in = look_at_ports(d->engine, layer, false, &one);
        one.out = look_at_ports(d->engine, layer, true, &one);
        if (!seen.layers++ || (one.wide && !seen.wide)) {
            seen.layer = layer;
            seen.in = one.in;
            seen.out = one.out;
        }
        seen.wide += one.wide;
        seen.unknown += one.unknown;
        seen.ms += fsd_layer_ms(d, layer);
    }
    if (seen.layer != FSD_NONE)
        seen.inserted = count_movers(d, seen.layer);
    return seen;
}

static void put_seen(struct fsd_finder *f, const struct seen *s)
{
    fprintf(f->out, "layer %u ", s->layer);
    fsd_quote_layer(f->d, s->layer, f->out);
    fprintf(f->out, " reads %s, writes %s", fsd_dtype_name(s->in),
            fsd_dtype_name(s->out));
    if (s->inserted)
        fprintf(f->out, ", and is next to %u data-movement layer%s", s->inserted,
                fsd_plural(s->inserted));
    if (s->ms > 0)
        fsd_put_took(f, s->ms);
}

/* The engine's verdict for FSD_PROVES_WIDE: whether layers that compute the first node
 * read or write higher precision, or have data-movement layers next to them. */
static const char *ask_width(struct fsd_finder *f)
{
    struct seen seen = look(f->d, f->found->subjects.at[f->now.nodes.at].id);

    if (!seen.layers || (seen.unknown && !seen.wide))
        return "undecided";
    put_seen(f, &seen);
    return seen.wide || seen.inserted ? "confirmed" : "withdrawn";
}

/* Prints the layer that computes a node. If the node has no link to a layer, a layer of
 * a region computes the node, and it is unknown which one. */
static void put_computing(struct fsd_finder *f, fsd_id node)
{
    const struct fsd_match *m = f->d->match;

    if (m->of_node[node].n)
        fprintf(f->out, "layer %u computes `%s`", fsd_match_of_node(m, node, 0)->layer,
                fsd_called(f, node));
    else
        fprintf(f->out,
                "one of several layers computes `%s`, and it is unknown which one",
                fsd_called(f, node));
}

/* The engine's verdict for FSD_PROVES_STANDS: whether a layer computes one of the
 * finding's quantizers. */
static const char *ask_quantizers(struct fsd_finder *f)
{
    uint32_t known = 0, all = 0;

    FSD_EACH_OF (node, f->found->subjects, f->now.nodes, id) {
        enum fsd_fate fate = f->d->nodes[node].fate;

        if (!fsd_lint_quantizer(f->lint, node))
            continue;
        if (fate == FSD_FATE_LAYER) {
            put_computing(f, node);
            return "confirmed";
        }
        all++;
        known += fate != FSD_FATE_UNEXPLAINED && fate != FSD_FATE_OUTSIDE;
    }
    if (!all || known < all)
        return "undecided";
    fputs("no layer computes the quantizers of this finding", f->out);
    return "withdrawn";
}

/* The engine's verdict for FSD_PROVES_TWICE: whether the layers before the first
 * quantizer write several low-precision tensors. If the builder merged the quantizers,
 * these layers write only one such tensor. */
static const char *ask_copies(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;
    const struct fsd_quantizer *q = NULL;
    uint32_t narrow = 0;
    fsd_id producer, layer = FSD_NONE;

    for (uint32_t i = 0; i < f->now.nodes.n && !q; i++)
        q = fsd_lint_quantizer(f->lint, f->found->subjects.at[f->now.nodes.at + i].id);
    producer = q ? fsd_tensor_producer(d->model, q->data) : FSD_NONE;
    for (uint32_t i = 0; i < fsd_match_links_of(d->match, producer).n; i++) {
        const struct fsd_node *n;

        layer = fsd_match_of_node(d->match, producer, i)->layer;
        n = &d->engine->nodes.at[layer];
        for (uint32_t k = 0; k < n->out.n; k++)
            narrow += fsd_dtype_is_quantized(
                fsd_port_form(d->engine, fsd_node_out(d->engine, n, k))->type);
    }
    if (!narrow)
        return ask_quantizers(f);
    fprintf(f->out, "layer %u writes %u quantized tensor%s", layer, narrow,
            fsd_plural(narrow));
    return narrow > 1 ? "confirmed" : "withdrawn";
}

/* A layer that copies an output of `layer`; FSD_NONE if there is none. */
static fsd_id copy_behind(const struct fsd_diff *d, fsd_id layer)
{
    struct fsd_span out = d->engine->nodes.at[layer].out;

    for (uint32_t p = 0; p < out.n; p++) {
        struct fsd_span peers = fsd_port_peers(d->engine, out.at + p, false);

        FSD_EACH_ID (peer, d->engine->links, peers)
            if (d->layers[peer].kind == FSD_KIND_COPY)
                return peer;
    }
    return FSD_NONE;
}

/* The engine's verdict for FSD_PROVES_APART: whether several layers compute the
 * finding's nodes. If one layer computes all nodes and a copy follows, the verdict is
 * "undecided", because the copy may only remove padding for the next node. */
static const char *ask_apart(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;
    fsd_id first = FSD_NONE, other = FSD_NONE, copy;

    FSD_EACH_OF (node, f->found->subjects, f->now.nodes, id)
        for (uint32_t k = 0; k < d->match->of_node[node].n; k++) {
            fsd_id layer = fsd_match_of_node(d->match, node, k)->layer;

            if (first == FSD_NONE)
                first = layer;
            else if (layer != first && other == FSD_NONE)
                other = layer;
        }
    if (first == FSD_NONE)
        return "undecided";
    if (other == FSD_NONE && (copy = copy_behind(d, first)) != FSD_NONE) {
        fprintf(f->out, "layer %u copies the output of layer %u; ", copy, first);
        return "undecided";
    }
    if (other == FSD_NONE) {
        fprintf(f->out, "layer %u computes all nodes of this finding", first);
        return "withdrawn";
    }
    fprintf(f->out, "layers %u and %u compute the nodes of this finding", first, other);
    return "confirmed";
}

static const char *ask_build(struct fsd_finder *f)
{
    fputs("the builder built this engine, so it supports the model", f->out);
    return "withdrawn";
}

static void ask_engine(struct fsd_finder *f)
{
    static const char *(*const ask[])(struct fsd_finder *
                                      f) = {[FSD_PROVES_WIDE] = ask_width,
                                            [FSD_PROVES_STANDS] = ask_quantizers,
                                            [FSD_PROVES_TWICE] = ask_copies,
                                            [FSD_PROVES_APART] = ask_apart,
                                            [FSD_PROVES_BUILT] = ask_build};
    const char *proof;

    if (!f->d->engine->nodes.n || !f->now.nodes.n || !f->rule->proves)
        return;
    fputs("; the engine: ", f->out);
    proof = ask[f->rule->proves](f);
    fprintf(f->out, "%s%s", strcmp(proof, "undecided") ? ": " : "unknown: ", proof);
    fsd_fact_text(f, "engine", proof);
    f->now.proof = proof;
}

void fsd_lint_open(struct fsd_finder *f, fsd_id node)
{
    fsd_finding_open(f);
    fsd_about_node(f, node);
}

void fsd_lint_close(struct fsd_finder *f)
{
    ask_engine(f);
    fsd_finding_close(f);
}
