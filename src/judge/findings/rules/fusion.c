/*
 * Finds kernels whose work could be the epilogue of a product's kernel. For example,
 * they requantize the output of a Conv or MatMul, or add a bias. All kernels that a
 * rule finds are one finding, with their cost.
 *
 * If the kernel of another product has the same operations in its epilogue, the builder
 * supports this epilogue. The finding is then a warning, because the epilogue may be
 * possible here, too. If no product's kernel has these operations, no change of the
 * model is known to help, and the finding only states the cost.
 */
#include "base/base.h"
#include "judge/findings/finder.h"
#include "model/graph/graph.h"
#include "model/graph/walk.h"

enum { CHAIN = 32, MOST_INPUTS = 64 };

/* ------------------------------------------------------------------- requantization */

static void put_whose(struct fsd_finder *f, const struct fsd_products *products)
{
    const char *type =
        products->type ? fsd_dtype_name(products->type) : "quantized types";

    if (!products->narrow) {
        fputs("; no Conv or GEMM kernel of the engine runs in a quantized type",
              f->out);
    } else if (products->direct) {
        fprintf(f->out,
                "; %u of the %u Conv and GEMM kernels in %s %s %s directly (such as "
                "layer %u): compare the quantizers in %s with the quantizers that "
                "run in separate kernels",
                products->direct, products->narrow, type,
                products->direct == 1 ? "writes" : "write", type, products->example,
                products->direct == 1 ? "this kernel" : "these kernels");
    } else if (products->unknown) {
        fprintf(f->out,
                "; for %u of the %u Conv and GEMM kernels in %s, the output type is "
                "unknown",
                products->unknown, products->narrow, type);
    } else {
        fprintf(f->out,
                "; none of the %u Conv and GEMM kernels in %s writes %s: the builder "
                "requantizes their outputs in separate kernels, and no known change of "
                "the model avoids these kernels",
                products->narrow, type, type);
    }
}

void fsd_find_requantizing(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;
    struct fsd_cost_part cost = {0};

    if (!d->cost->spent[FSD_SPENT_REQUANTIZE].layers)
        return;
    fsd_finding_open(f);
    f->note = !d->products->direct;
    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        if (d->cost->layers[i].spent == FSD_SPENT_REQUANTIZE) {
            fsd_about_layer(f, i);
            fsd_add_cost(d, &cost, i);
        }
    for (uint32_t i = 0; i < cost.layers; i++)
        fsd_about_computed(f, f->found->subjects.at[f->now.layers.at + i].id);
    fsd_put_noun(f->out, cost.layers, "kernel");
    fputs(cost.layers == 1 ? " requantizes" : " requantize", f->out);
    fputs(" the output of another kernel", f->out);
    fsd_put_cost(f, &cost);
    fsd_fact_number(f, "products", d->products->narrow);
    fsd_fact_number(f, "products_that_quantize", d->products->direct);
    put_whose(f, d->products);
    fsd_finding_close(f);
}

/* ------------------------------------------------------------------------ epilogues */

/* Kinds of epilogue operations. */
enum finish { BIAS, NORMALIZATION, ACTIVATION, RESIDUAL, FINISHES };

static const char *const finish_names[FINISHES][2] = {
    {"bias", "biases"},
    {"BatchNormalization", "BatchNormalizations"},
    {"activation", "activations"},
    {"residual addition", "residual additions"}};

/* A class of products. If a kernel of the class fuses an epilogue, other kernels of the
 * class may be expected to do so. */
struct sort {
    bool convolves;
    enum fsd_dtype type;
};

/* The epilogue operations of a kernel: the number of nodes by kind, and in `mask` a bit
 * for each pair of kind and operator (struct bits). */
struct finishes {
    uint32_t n[FINISHES];
    uint64_t mask;
    bool lost; /* some operations have no bit, because there are more than 64 pairs */
};

/* The meaning of the bits in finishes.mask: bit i stands for of[i]. */
struct bits {
    struct {
        enum finish kind;
        fsd_sym op;
    } of[64];
    uint32_t n;
};

static void add_finish(struct finishes *all, struct bits *bits, enum finish kind,
                       fsd_sym op)
{
    uint32_t i = 0;

    all->n[kind]++;
    while (i < bits->n && (bits->of[i].kind != kind || bits->of[i].op != op))
        i++;
    if (i == FSD_COUNT_OF(bits->of)) {
        all->lost = true;
        return;
    }
    bits->of[i].kind = kind;
    bits->of[i].op = op;
    bits->n = i == bits->n ? i + 1 : bits->n;
    all->mask |= UINT64_C(1) << i;
}

/* The kind of epilogue operation that the node is; FINISHES if it is none. */
static enum finish finish_of(const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_graph *g = d->model;

    if (fsd_node_is(g, node, FSD_ONNX_BatchNormalization))
        return NORMALIZATION;
    if (d->facts->traits[node] & FSD_OP_ACTIVATION ||
        fsd_node_is(g, node, FSD_ONNX_Clip))
        return ACTIVATION;
    if (fsd_node_is(g, node, FSD_ONNX_Add) && g->nodes.at[node].in.n == 2) {
        fsd_id a = fsd_node_in_tensor(g, node, 0), b = fsd_node_in_tensor(g, node, 1);

        if (a == FSD_NONE || b == FSD_NONE)
            return FINISHES;
        return d->facts->constant[a] || d->facts->constant[b] ? BIAS : RESIDUAL;
    }
    return FINISHES;
}

/* Whether a node between a product and its epilogue is skipped: a multiplication by a
 * constant, a quantizer, a Cast, a view, or a node that was removed. */
static bool is_passed(const struct fsd_diff *d, fsd_id node)
{
    const struct fsd_graph *g = d->model;
    bool scales =
        (fsd_node_is(g, node, FSD_ONNX_Mul) || fsd_node_is(g, node, FSD_ONNX_Div)) &&
        g->nodes.at[node].in.n == 2;

    for (uint32_t i = 0; i < 2 && scales; i++) {
        fsd_id tensor = fsd_node_in_tensor(g, node, i);

        if (fsd_is_constant(d->facts, tensor))
            return true;
    }
    return d->match->gone[node] ||
           d->facts->traits[node] & (FSD_OP_QDQ | FSD_OP_VIEW | FSD_OP_CASTS);
}

static fsd_id behind_quantizer(const void *of, fsd_id node)
{
    const struct fsd_diff *d = of;

    return d->facts->traits[node] & FSD_OP_QDQ ? fsd_node_out_tensor(d->model, node, 0)
                                               : FSD_NONE;
}

/* The only consumer of a node's result, directly or after quantizers; FSD_NONE if there
 * is none, or several. */
static fsd_id behind(const struct fsd_diff *d, fsd_id node)
{
    fsd_id out = fsd_node_out_tensor(d->model, node, 0);

    return fsd_tensor_only_reader(d->model,
                                  fsd_walk_on(d->model, out, behind_quantizer, d));
}

/* The only consumer of a tensor; FSD_NONE if there is none, or several. In x *
 * sigmoid(x), x has two consumers: the multiplication is returned, and *gate is set to
 * the sigmoid. */
static fsd_id only_reader(const struct fsd_diff *d, fsd_id tensor, fsd_id *gate)
{
    const struct fsd_graph *g = d->model;
    struct fsd_span uses = fsd_tensor_consumers(g, tensor);

    *gate = FSD_NONE;
    if (fsd_tensor_is(g, tensor, FSD_TENSOR_OUTPUT) || !uses.n || uses.n > 2)
        return FSD_NONE;
    if (uses.n == 1)
        return g->links.at[uses.at];
    for (uint32_t i = 0; i < 2; i++) {
        fsd_id a = g->links.at[uses.at + i], b = g->links.at[uses.at + 1 - i];

        if (d->facts->traits[a] & FSD_OP_ACTIVATION &&
            fsd_node_is(g, b, FSD_ONNX_Mul) && behind(d, a) == b) {
            *gate = a;
            return b;
        }
    }
    return FSD_NONE;
}

/* Indexed by node: whether the node may be an epilogue of a product. The tensors
 * between the product and such a node have no other consumers. */
static bool *find_ends(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;
    bool *ends = FSD_NEW(f->scratch, bool, d->model->nodes.n);

    for (fsd_id i = 0; i < d->model->nodes.n; i++) {
        fsd_id at = i;

        if (!(d->facts->traits[i] & FSD_OP_WEIGHTED))
            continue;
        for (int steps = 0; steps < CHAIN; steps++) {
            fsd_id out = fsd_node_out_tensor(d->model, at, 0), gate;

            at = only_reader(d, out, &gate);
            if (at == FSD_NONE)
                break;
            if (gate != FSD_NONE)
                ends[gate] = true;
            else if (finish_of(d, at) != FINISHES)
                ends[at] = true;
            else if (!is_passed(d, at))
                break;
        }
    }
    return ends;
}

/* Working data of the rule. */
struct view {
    const struct fsd_diff *d;
    const bool *ends; /* indexed by node; see find_ends() */
    struct bits bits;
};

static struct finishes finishes_of(struct view *v, fsd_id layer)
{
    const struct fsd_diff *d = v->d;
    const struct fsd_match *m = d->match;
    struct finishes all = {{0}, 0, false};

    FSD_EACH_OF (node, m->links, m->of_layer[layer], node) {
        enum finish kind = finish_of(d, node);

        if (d->nodes[node].fate == FSD_FATE_LAYER && v->ends[node] && kind != FINISHES)
            add_finish(&all, &v->bits, kind, d->model->nodes.at[node].op);
    }
    return all;
}

static struct sort sort_of(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_match *m = d->match;
    struct sort sort = {false, d->layers[layer].precision};

    FSD_EACH_OF (node, m->links, m->of_layer[layer], node)
        sort.convolves |= fsd_node_is(d->model, node, FSD_ONNX_Conv) ||
                          fsd_node_is(d->model, node, FSD_ONNX_ConvTranspose);
    return sort;
}

/* The layer that computes the product whose epilogue is `layer`. The product's layer
 * writes a tensor that only `layer` reads. FSD_NONE if there is no such layer. */
static fsd_id finished_by(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_graph *e = d->engine;
    struct fsd_span in = e->nodes.at[layer].in;

    for (uint32_t i = 0; i < in.n; i++) {
        fsd_id tensor = e->ports.at[in.at + i].tensor;
        fsd_id producer = fsd_port_producer(e, in.at + i);

        if (producer != FSD_NONE && e->tensors.at[tensor].consumers.n == 1 &&
            !(e->tensors.at[tensor].flags & FSD_TENSOR_OUTPUT) &&
            d->products->of[producer])
            return producer;
    }
    return FSD_NONE;
}

/* Kernels with products of one class (struct sort) and with equal epilogues. `first` is
 * the first of these kernels. */
struct fused {
    struct sort sort;
    uint64_t mask;
    fsd_id first;
};

typedef FSD_VEC(struct fused) fused_vec;

static bool is_sort(struct sort a, struct sort b)
{
    return a.convolves == b.convolves && a.type == b.type;
}

static fused_vec find_fused(struct fsd_arena *arena, struct view *v)
{
    const struct fsd_diff *d = v->d;
    fused_vec all = {0};

    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        struct fused fused = {.first = i};
        uint32_t k = 0;

        if (!d->products->of[i])
            continue;
        fused.sort = sort_of(d, i);
        fused.mask = finishes_of(v, i).mask;
        while (k < all.n &&
               (all.at[k].mask != fused.mask || !is_sort(all.at[k].sort, fused.sort)))
            k++;
        if (k == all.n && fused.mask)
            fsd_vec_push(arena, &all, fused);
    }
    return all;
}

/* A kernel of the same class as the kernel `product`. Its epilogue has all operations
 * of the epilogue of `product`, and all operations in `does`. FSD_NONE if there is no
 * such kernel. */
static fsd_id is_done_by(const fused_vec *all, struct view *v, fsd_id product,
                         const struct finishes *does)
{
    struct finishes own = finishes_of(v, product);
    struct sort sort = sort_of(v->d, product);
    uint64_t mask = own.mask | does->mask;

    for (uint32_t i = 0; i < all->n && !own.lost && !does->lost; i++)
        if (is_sort(all->at[i].sort, sort) && (all->at[i].mask & mask) == mask)
            return all->at[i].first;
    return FSD_NONE;
}

/* A bias may be the third input of a convolution. If another kernel computes the
 * convolution's products, and `layer` only adds the bias, the function counts this bias
 * in *does. */
static void add_own_biases(struct view *v, fsd_id layer, struct finishes *does)
{
    const struct fsd_diff *d = v->d;
    const struct fsd_match *m = d->match;
    struct fsd_span in = d->engine->nodes.at[layer].in;

    if (d->engine->layers.at[layer].steps.n &&
        !fsd_layer_count(d->engine, layer, FSD_ONNX_Add))
        return;
    FSD_EACH_OF (node, m->links, m->of_layer[layer], node) {
        bool multiplied = false;

        if (!(d->facts->traits[node] & FSD_OP_WEIGHTED) ||
            d->model->nodes.at[node].in.n < 3 || !fsd_node_has_in(d->model, node, 2))
            continue;
        for (uint32_t k = 0; k < in.n && k < MOST_INPUTS; k++) {
            fsd_id producer = fsd_port_producer(d->engine, in.at + k);

            multiplied |= producer != FSD_NONE && fsd_match_has(m, producer, node);
        }
        if (multiplied)
            add_finish(does, &v->bits, BIAS, FSD_ONNX_Add);
    }
}

/* Whether the layer is only an epilogue of another kernel's product. Sets *product to
 * that kernel, and *does to the operations of the epilogue. */
static bool is_unfused(struct view *v, fsd_id layer, struct finishes *does,
                       fsd_id *product)
{
    const struct fsd_diff *d = v->d;

    if (d->layers[layer].kind != FSD_KIND_COMPUTE ||
        d->engine->layers.at[layer].multiplies ||
        !fsd_cost_is_epilogue(d->match, layer))
        return false;
    *product = finished_by(d, layer);
    if (*product == FSD_NONE)
        return false;
    *does = finishes_of(v, layer);
    add_own_biases(v, layer, does);
    return does->n[BIAS] || does->n[NORMALIZATION] || does->n[ACTIVATION] ||
           does->n[RESIDUAL];
}

/* Prints "20 BatchNormalizations, 17 activations". */
static void put_finishes(struct fsd_finder *f, const struct finishes *does)
{
    const char *comma = "";

    for (int k = 0; k < FINISHES; k++) {
        if (!does->n[k])
            continue;
        fprintf(f->out, "%s%u %s", comma, does->n[k], finish_names[k][does->n[k] != 1]);
        comma = ", ";
    }
}

/* Whether the layer also rearranges elements. Such a layer needs a kernel of its
 * own. */
static bool rearranges(const struct fsd_diff *d, fsd_id layer)
{
    const struct fsd_match *m = d->match;
    struct fsd_span steps = d->engine->layers.at[layer].steps;

    for (uint32_t i = 0; i < steps.n; i++) {
        fsd_sym step = d->engine->links.at[steps.at + i];

        if (step == FSD_ONNX_Resize || (fsd_step_moves(step) && step != FSD_ONNX_Cast))
            return true;
    }
    FSD_EACH_OF (node, m->links, m->of_layer[layer], node)
        if (d->nodes[node].fate == FSD_FATE_LAYER &&
            (d->facts->traits[node] & FSD_OP_COPIES ||
             fsd_node_is(d->model, node, FSD_ONNX_Resize)))
            return true;
    return false;
}

/* All kernels that are only epilogues. */
struct unfused {
    struct finishes does;
    struct fsd_cost_part cost;
    uint32_t elsewhere, requantizing;
    fsd_id layer, like; /* `layer`: the first kernel that can be avoided. `like`: a
                           kernel that fuses the same operations */
};

/* Adds the cost that fusion would save. In bytes, this is the tensor between the
 * product's kernel and `layer`, once written and once read. A fused kernel would still
 * read and write the other tensors of `layer`. In milliseconds, it is the time of
 * `layer`. */
static void add_lost(const struct fsd_diff *d, struct fsd_cost_part *cost, fsd_id layer)
{
    const struct fsd_graph *e = d->engine;
    struct fsd_span in = e->nodes.at[layer].in;
    double ms = fsd_layer_ms(d, layer);
    int64_t bytes = -1;

    for (uint32_t i = 0; i < in.n && bytes < 0; i++) {
        fsd_id producer = fsd_port_producer(e, in.at + i);

        if (producer != FSD_NONE && d->products->of[producer])
            bytes = fsd_port_bytes(e, d->cost, &e->ports.at[in.at + i]);
    }
    cost->layers++;
    cost->unknown += bytes < 0;
    cost->bytes += bytes > 0 ? 2 * bytes : 0;
    cost->ms += ms > 0 ? ms : 0;
    if (d->times->profiles)
        cost->share += fsd_larger(0, fsd_cost_share(d, layer));
    else if (bytes > 0 && d->cost->all.share >= 0 && d->cost->all.bytes > 0)
        cost->share += 2 * (double)bytes / (double)d->cost->all.bytes;
}

static void add_unfused(struct fsd_finder *f, struct unfused *all,
                        const struct finishes *does, fsd_id layer, fsd_id by)
{
    if (!all->cost.layers)
        fsd_finding_open(f);
    fsd_about_layer(f, layer);
    add_lost(f->d, &all->cost, layer);
    for (int k = 0; k < FINISHES; k++)
        all->does.n[k] += does->n[k];
    all->requantizing += f->d->cost->layers[layer].spent == FSD_SPENT_REQUANTIZE;
    if (by == FSD_NONE)
        return;
    if (!all->elsewhere++) {
        all->layer = layer;
        all->like = by;
    }
}

static const char *some_of(const struct fsd_finder *f, uint32_t n, uint32_t of)
{
    return of == 1   ? "this kernel"
           : n == of ? "all of these kernels"
                     : fsd_printed(f->scratch, "%u of these kernels", n);
}

static void report_unfused(struct fsd_finder *f, const struct unfused *all)
{
    f->note = !all->elsewhere;
    for (uint32_t i = 0; i < all->cost.layers; i++)
        fsd_about_computed(f, f->found->subjects.at[f->now.layers.at + i].id);
    fsd_put_noun(f->out, all->cost.layers, "kernel");
    fputs(all->cost.layers == 1 ? " computes " : " compute ", f->out);
    put_finishes(f, &all->does);
    fprintf(f->out, " outside the kernel of %s Conv or GEMM",
            all->cost.layers == 1 ? "its" : "their");
    fsd_put_cost(f, &all->cost);
    fsd_fact_number(f, "requantizing", all->requantizing);
    fsd_fact_number(f, "fused_elsewhere", all->elsewhere);
    if (all->requantizing)
        fprintf(f->out, "; %s also requantize%s data (quantize/separate-kernel)",
                some_of(f, all->requantizing, all->cost.layers),
                all->requantizing == 1 ? "s" : "");
    if (all->elsewhere)
        fprintf(f->out,
                "; for %s, other Conv or GEMM kernels of this engine include the same "
                "kinds of operations: compare layer %u (separate) with layer %u "
                "(fused)",
                some_of(f, all->elsewhere, all->cost.layers), all->layer, all->like);
    else
        fputs(
            all->cost.layers == 1
                ? "; no Conv or GEMM kernel of this engine includes the same operation"
                : "; no Conv or GEMM kernel of this engine includes any of these "
                  "operations",
            f->out);
    fsd_finding_close(f);
}

void fsd_find_unfused(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;
    struct view v = {.d = d, .ends = find_ends(f)};
    fused_vec fused = find_fused(f->scratch, &v);
    struct unfused all = {.layer = FSD_NONE};
    struct finishes does;
    fsd_id product;

    for (fsd_id i = 0; i < d->engine->nodes.n; i++)
        if (!rearranges(d, i) && is_unfused(&v, i, &does, &product))
            add_unfused(f, &all, &does, i, is_done_by(&fused, &v, product, &does));
    if (all.cost.layers)
        report_unfused(f, &all);
}
