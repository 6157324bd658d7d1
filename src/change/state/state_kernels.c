/*
 * Describes each layer as a kernel, without its name, its position and its tactic.  A
 * kernel has the type of the layer, its operations, its constants, and the types,
 * layouts and sizes of its inputs and outputs.  Two kernels with the same properties
 * are equal, and the kernels of a group are sorted by their properties.
 *
 *     kernel gemm int8 < int8/chw:32x64 > fp32/chw:32x192 = fp32:1 fp32:1 int8:64x192
 *
 * This file also adds the engine's inputs and outputs, as an application sees them.
 */
#include "base/base.h"
#include "change/state/parts.h"
#include "model/graph/graph.h"
#include "model/ops/ops.h"

#include <inttypes.h>
#include <stdlib.h>

enum { LONG_LIST = 8, LONG_TEXT = 64 };

/* --------------------------------------------------------------------- tensors */

void fsd_put_state_tensor(const struct fsd_state *s, const struct fsd_state_tensor *t,
                          FILE *out)
{
    fputs(fsd_dtype_name((enum fsd_dtype)t->form.type), out);
    if (t->form.layout) {
        putc('/', out);
        fputs(fsd_text(s->names, t->form.layout), out);
    }
    if (t->sizes) {
        putc(':', out);
        fputs(fsd_text(s->names, t->sizes), out);
    }
}

static struct fsd_state_tensor tensor_of(struct fsd_state_build *b,
                                         const struct fsd_form *form)
{
    fsd_put_sizes(b->d->engine, form, "x", b->text.out);
    return (struct fsd_state_tensor){.form = fsd_state_form(b, form),
                                     .sizes = fsd_state_printed(b)};
}

/* Returns an array indexed by engine tensor: number of values that all layers together
 * write; negative if unknown. */
static int64_t *written_by_tensor(const struct fsd_state_build *b)
{
    const struct fsd_graph *e = b->d->engine;
    int64_t *written = FSD_NEW(b->scratch, int64_t, e->tensors.n);

    FSD_EACH (const struct fsd_node, n, e->nodes)
        for (uint32_t k = 0; k < n->out.n; k++) {
            const struct fsd_port *port = fsd_node_out(e, n, k);
            int64_t *sum = port->tensor == FSD_NONE ? NULL : &written[port->tensor];
            int64_t more = fsd_form_count(e, fsd_port_form(e, port));

            if (sum && *sum >= 0)
                *sum = more < 0 || more > INT64_MAX - *sum ? -1 : *sum + more;
        }
    return written;
}

/* Whether the layers of the dump leave this input, or a part of it, unwritten. */
static bool is_unwritten(const struct fsd_state_build *b, const struct fsd_port *port)
{
    const struct fsd_graph *e = b->d->engine;
    const struct fsd_tensor *t = fsd_graph_tensor(e, port->tensor);

    if (!t->name ||
        (t->flags & (FSD_TENSOR_INPUT | FSD_TENSOR_CONSTANT | FSD_TENSOR_BINDING)))
        return false;
    return !t->producers.n ||
           (b->written[port->tensor] >= 0 &&
            b->written[port->tensor] < fsd_form_count(e, fsd_port_form(e, port)));
}

static struct fsd_span add_ports(struct fsd_state_build *b, struct fsd_span ports,
                                 bool read)
{
    const struct fsd_graph *e = b->d->engine;
    struct fsd_span span = {b->s->tensors.n, ports.n};

    FSD_EACH_IN (const struct fsd_port, port, e->ports, ports) {
        struct fsd_state_tensor t = tensor_of(b, fsd_port_form(e, port));

        t.from.at = FSD_NO_ORIGIN;
        t.unwritten = read && is_unwritten(b, port);
        fsd_vec_push(b->s->arena, &b->s->tensors, t);
    }
    return span;
}

static int by_tensor(const struct fsd_state *s, const struct fsd_state_tensor *x,
                     const struct fsd_state_tensor *y)
{
    int order = x->form.type - y->form.type;

    if (!order)
        order = strcmp(fsd_text(s->names, x->form.layout),
                       fsd_text(s->names, y->form.layout));
    return order ? order
                 : strcmp(fsd_text(s->names, x->sizes), fsd_text(s->names, y->sizes));
}

static void add_weights(struct fsd_state_build *b, enum fsd_dtype type, uint64_t count)
{
    char room[FSD_DIGITS];
    const char *text = fsd_digits(count, room);

    if (!count)
        return;
    fsd_vec_push(b->s->arena, &b->s->tensors,
                 (struct fsd_state_tensor){.form.type = (uint8_t)type,
                                           .from.at = FSD_NO_ORIGIN,
                                           .sizes = fsd_intern_str(b->s->names, text)});
}

/* An insertion sort, because the lists are short and mostly sorted. */
static void sort_tensors(struct fsd_state *s, struct fsd_span span)
{
    struct fsd_state_tensor *at = s->tensors.at + span.at;

    for (uint32_t i = 1; i < span.n; i++)
        for (uint32_t k = i; k && by_tensor(s, &at[k], &at[k - 1]) < 0; k--) {
            struct fsd_state_tensor t = at[k];

            at[k] = at[k - 1];
            at[k - 1] = t;
        }
}

static struct fsd_span consts_of(struct fsd_state_build *b, fsd_id layer)
{
    const struct fsd_layer *l = &b->d->engine->layers.at[layer];
    struct fsd_span span = add_ports(b, l->constants, false);

    add_weights(b, l->weights_type, l->weights);
    add_weights(b, l->bias_type, l->bias);
    span.n = b->s->tensors.n - span.at;
    sort_tensors(b->s, span);
    return span;
}

/* ------------------------------------------------------------------ attributes */

/* Whether the attribute concerns scheduling, which does not describe the kernel. */
static bool is_noise(const char *name)
{
    return !strcmp(name, "StreamId");
}

static void put_short(FILE *out, const char *text, size_t n)
{
    uint64_t hash[2];

    if (n <= LONG_TEXT) {
        fwrite(text, 1, n, out);
        return;
    }
    fsd_hash_128(text, n, hash);
    fprintf(out, "%zu:%016" PRIx64, n, hash[0]);
}

void fsd_put_attr_item(FILE *out, const struct fsd_graph *g, const struct fsd_attr *a,
                       uint32_t i)
{
    if (a->kind == FSD_ATTR_INTS)
        fsd_put_whole(out, g->ints.at[a->list.at + i]);
    else if (a->kind == FSD_ATTR_FLOATS)
        fprintf(out, "%.7g", g->floats.at[a->list.at + i]);
    else
        fputs(fsd_text(g->names, g->links.at[a->list.at + i]), out);
}

/* Prints "name=value" for a list: a short list in full, a long list as its size and
 * hash. */
static void put_list(struct fsd_state_build *b, FILE *out, const struct fsd_graph *g,
                     const struct fsd_attr *a)
{
    const char *text;
    size_t size;

    for (uint32_t i = 0; i < a->list.n; i++) {
        fputs(i ? "x" : "", b->list.out);
        fsd_put_attr_item(b->list.out, g, a, i);
    }
    text = fsd_print_next(&b->list, &size);
    if (a->list.n > LONG_LIST) {
        uint64_t hash[2];

        fsd_hash_128(text, size, hash);
        fprintf(out, "%" PRIu32 ":%016" PRIx64, a->list.n, hash[0]);
    } else {
        put_short(out, text, size);
    }
}

static void put_bytes(FILE *out, const struct fsd_value *v)
{
    uint64_t hash[2];

    if (!v->bytes) {
        fprintf(out, ":%" PRIu64, v->size);
        return;
    }
    fsd_hash_128(v->bytes, (size_t)v->size, hash);
    fprintf(out, ":%016" PRIx64, hash[0]);
}

static void put_value(struct fsd_state_build *b, FILE *out, const struct fsd_graph *g,
                      const struct fsd_attr *a)
{
    switch (a->kind) {
    case FSD_ATTR_INT:
        fsd_put_whole(out, a->i);
        break;
    case FSD_ATTR_FLOAT:
        fprintf(out, "%.7g", a->f);
        break;
    case FSD_ATTR_STRING:
        put_short(out, fsd_text(g->names, a->s), fsd_text_len(g->names, a->s));
        break;
    case FSD_ATTR_INTS:
    case FSD_ATTR_FLOATS:
    case FSD_ATTR_STRINGS:
        put_list(b, out, g, a);
        break;
    case FSD_ATTR_TENSOR:
        if (a->form != FSD_NONE) {
            fputs(fsd_dtype_name(g->forms.at[a->form].type), out);
            putc(':', out);
            fsd_put_sizes(g, &g->forms.at[a->form], "x", out);
        }
        if (a->value != FSD_NONE)
            put_bytes(out, &g->values.at[a->value]);
        break;
    case FSD_ATTR_GRAPH: /* prints no details: the subgraph's nodes are in the state */
    case FSD_ATTR_UNREAD:
        fputs("...", out);
        break;
    }
}

/* Prints "name=value". */
static void put_attr(struct fsd_state_build *b, FILE *out, const struct fsd_graph *g,
                     const struct fsd_attr *a)
{
    fputs(fsd_text(g->names, a->name), out);
    putc('=', out);
    put_value(b, out, g, a);
}

/* Ends a word in b->words, and counts it in *n. */
static void end_word(struct fsd_state_build *b, uint32_t *n)
{
    putc('\0', b->words.out);
    ++*n;
}

/* Sorts the n words in b->words, and joins them with one blank between two words. */
static fsd_sym join_words(struct fsd_state_build *b, uint32_t n)
{
    const char **at, *word;
    size_t size;

    if (!n)
        return 0;
    at = FSD_NEW(b->scratch, const char *, n);
    word = fsd_print_next(&b->words, &size);
    for (uint32_t i = 0; i < n; i++, word += strlen(word) + 1)
        at[i] = word;
    qsort(at, n, sizeof *at, fsd_by_text);
    for (uint32_t i = 0; i < n; i++) {
        fputs(i ? " " : "", b->text.out);
        fputs(at[i], b->text.out);
    }
    return fsd_state_printed(b);
}

/* Returns an array indexed by symbol: whether a layer has this name.  Names of layers
 * may differ from build to build, so attributes must not contain them. */
static bool *find_called(struct fsd_state_build *b)
{
    const struct fsd_graph *e = b->d->engine;
    bool *called = FSD_NEW(b->scratch, bool, fsd_intern_count(e->names));

    for (fsd_id i = 0; i < e->nodes.n; i++)
        called[e->nodes.at[i].name] = true;
    return called;
}

static fsd_sym layer_attrs(struct fsd_state_build *b, fsd_id layer, const bool *called)
{
    const struct fsd_graph *e = b->d->engine;
    struct fsd_span attrs = e->nodes.at[layer].attrs;
    uint32_t n = 0;

    FSD_EACH_IN (const struct fsd_attr, a, e->attrs, attrs) {
        if (is_noise(fsd_text(e->names, a->name)) ||
            (a->kind == FSD_ATTR_STRING && called[a->s]))
            continue;
        put_attr(b, b->words.out, e, a);
        end_word(b, &n);
    }
    /* The subtype of a plugin is the plugin's type.  For a layer that the builder
     * inserted, fsd_kernel.type already states the subtype. */
    if (e->layers.at[layer].subtype &&
        e->layers.at[layer].provider == FSD_PROVIDER_PLUGIN) {
        fprintf(b->words.out, "type=%s",
                fsd_text(e->names, e->layers.at[layer].subtype));
        end_word(b, &n);
    }
    return join_words(b, n);
}

/* Prints a constant input that is a parameter, such as axes or a shape.  Other
 * constants, such as weights and scales, are left out, because engines do not show
 * them. */
static void put_parameter(struct fsd_state_build *b, fsd_id node, uint32_t i,
                          uint32_t *n)
{
    const struct fsd_graph *g = b->model;
    fsd_id t = fsd_node_in_tensor(g, node, i);
    fsd_id root = fsd_is_constant(b->facts, t) ? b->facts->root[t] : FSD_NONE;
    const struct fsd_form *form = fsd_tensor_form(g, root);

    if (fsd_graph_tensor(g, root)->value == FSD_NONE ||
        (form->type != FSD_INT64 && form->type != FSD_INT32))
        return;
    fprintf(b->words.out, "#%u=", (unsigned)i);
    put_bytes(b->words.out, &g->values.at[g->tensors.at[root].value]);
    end_word(b, n);
}

/* Whether fsd_state_node.traits has the attribute in full (state_nodes.c). */
static bool is_in_traits(const char *name)
{
    static const char *const in_traits[] = {
        "kernel_shape", "strides", "pads", "dilations", "group", "output_padding"};
    bool is = false;

    for (size_t i = 0; i < FSD_COUNT_OF(in_traits); i++)
        is |= !strcmp(name, in_traits[i]);
    return is;
}

/* Whether the attribute has the default value of the operator. */
static bool is_default(struct fsd_state_build *b, const struct fsd_node *n,
                       const struct fsd_attr *a)
{
    const struct fsd_graph *g = b->model;
    size_t size;

    if (!fsd_is_onnx_domain(fsd_text(g->names, n->domain)))
        return false;
    put_attr(b, b->text.out, g, a);
    return fsd_op_is_default(fsd_text(g->names, n->op), fsd_graph_opset(g),
                             fsd_print_next(&b->text, &size));
}

fsd_sym fsd_state_attrs(struct fsd_state_build *b, fsd_id node)
{
    const struct fsd_graph *g = b->model;
    const struct fsd_node *n = &g->nodes.at[node];
    uint32_t words = 0;

    FSD_EACH_IN (const struct fsd_attr, a, g->attrs, n->attrs) {
        if (is_in_traits(fsd_text(g->names, a->name)) || is_default(b, n, a))
            continue;
        put_attr(b, b->words.out, g, a);
        end_word(b, &words);
    }
    for (uint32_t i = 1; i < n->in.n && !(b->facts->traits[node] & FSD_OP_QDQ); i++)
        put_parameter(b, node, i, &words);
    return join_words(b, words);
}

uint64_t fsd_state_count(const struct fsd_state *s, fsd_sym sizes)
{
    uint64_t n = sizes != 0;

    for (const char *at = fsd_text(s->names, sizes); *at && n; at += *at == 'x') {
        char *end;
        uint64_t size = strtoull(at, &end, 10);

        n = end == at || (size && n > UINT64_MAX / size) ? 0 : n * size;
        at = end;
    }
    return n;
}

/* --------------------------------------------------------------------- kernels */

static fsd_sym steps_of(struct fsd_state_build *b, fsd_id layer)
{
    const struct fsd_graph *e = b->d->engine;
    struct fsd_span steps = e->layers.at[layer].steps;

    for (uint32_t i = 0; i < steps.n; i++) {
        fputs(i ? "+" : "", b->text.out);
        fputs(fsd_text(e->names, e->links.at[steps.at + i]), b->text.out);
    }
    return fsd_state_printed(b);
}

/* Whether the evidence `by` links a node to exactly one kernel.  Evidence from tensors
 * or structure does not: it cannot distinguish kernels that do the same work. */
static bool is_said(unsigned by)
{
    return by & (FSD_BY_METADATA | FSD_BY_NAME | FSD_BY_LOG);
}

static struct fsd_span computed_by(struct fsd_state_build *b, fsd_id layer)
{
    const struct fsd_match *m = b->d->match;
    struct fsd_state *s = b->s;
    struct fsd_span span = {s->refs.n, 0};

    FSD_EACH_IN (const struct fsd_link, link, m->links, m->of_layer[layer]) {
        fsd_id k = b->of_node[link->node];

        if (is_said(link->by) && fsd_role_computes(fsd_state_role_of(s, k)))
            fsd_vec_push(s->arena, &s->refs, k);
    }
    span.n = fsd_sort_once(s->refs.at + span.at, s->refs.n - span.at,
                           sizeof *s->refs.at, fsd_by_id);
    s->refs.n = span.at + span.n;
    return span;
}

static struct fsd_kernel kernel_of(struct fsd_state_build *b, fsd_id layer, bool shares,
                                   const bool *called)
{
    const struct fsd_graph *e = b->d->engine;
    const struct fsd_node *n = &e->nodes.at[layer];
    struct fsd_kernel k = {.kind = (uint8_t)b->d->layers[layer].kind,
                           .precision = (uint8_t)b->d->layers[layer].precision,
                           .type =
                               fsd_intern_str(b->s->names, fsd_text(e->names, n->op)),
                           .does = steps_of(b, layer),
                           .attrs = layer_attrs(b, layer, called),
                           .provider = fsd_state_copy(b, e->layers.at[layer].ran_by)};

    k.in = add_ports(b, n->in, true);
    k.out = add_ports(b, n->out, false);
    k.consts = consts_of(b, layer);
    if (shares)
        k.computes = computed_by(b, layer);
    return k;
}

struct keyed {
    const struct fsd_state *s;
    struct fsd_kernel kernel;
    fsd_id layer;
    uint32_t owner; /* number of the group, or number of the move plus the number of
                       groups */
};

static int by_tensors(const struct fsd_state *s, struct fsd_span x, struct fsd_span y)
{
    int order = (int)x.n - (int)y.n;

    for (uint32_t i = 0; !order && i < x.n; i++)
        order = by_tensor(s, &s->tensors.at[x.at + i], &s->tensors.at[y.at + i]);
    return order;
}

static int by_all(const void *a, const void *b)
{
    const struct keyed *p = a, *q = b;
    const struct fsd_state *s = p->s;
    const struct fsd_kernel *x = &p->kernel, *y = &q->kernel;
    int order = fsd_order(p->owner, q->owner);

    for (uint32_t i = 0; !order && i < x->computes.n && i < y->computes.n; i++)
        order =
            fsd_order(s->refs.at[x->computes.at + i], s->refs.at[y->computes.at + i]);
    if (!order)
        order = (int)x->computes.n - (int)y->computes.n;
    if (!order)
        order = strcmp(fsd_text(s->names, x->type), fsd_text(s->names, y->type));
    if (!order)
        order = strcmp(fsd_text(s->names, x->does), fsd_text(s->names, y->does));
    if (!order)
        order = strcmp(fsd_text(s->names, x->attrs), fsd_text(s->names, y->attrs));
    if (!order)
        order = by_tensors(s, x->out, y->out);
    if (!order)
        order = by_tensors(s, x->in, y->in);
    if (!order)
        order = by_tensors(s, x->consts, y->consts);
    if (!order)
        order = x->kind != y->kind ? x->kind - y->kind : x->precision - y->precision;
    if (!order)
        order =
            strcmp(fsd_text(s->names, x->provider), fsd_text(s->names, y->provider));
    /* Equal kernels of a group, such as the steps of a loop, keep the order of their
     * layers, because fsd_state_tensor.from refers to outputs of kernels by number. */
    return order ? order : fsd_order(p->layer, q->layer);
}

void fsd_state_add_kernels(struct fsd_state_build *b)
{
    struct fsd_state *s = b->s;
    uint32_t n = b->d->engine->nodes.n, groups = s->groups.n;
    struct keyed *all = FSD_NEW(b->scratch, struct keyed, n);
    uint32_t *layers = FSD_NEW(b->scratch, uint32_t, groups);
    const bool *called = find_called(b);

    if (!b->d->engine->detailed)
        return;
    b->written = written_by_tensor(b);
    b->kernel_of = FSD_NEW(b->scratch, uint32_t, n);
    for (fsd_id i = 0; i < n; i++)
        if (!(s->of_layer[i] & FSD_LAYER_MOVES))
            layers[s->of_layer[i]]++;
    for (fsd_id i = 0; i < n; i++) {
        uint32_t of = s->of_layer[i] & ~FSD_LAYER_MOVES;
        bool moves = s->of_layer[i] & FSD_LAYER_MOVES;

        all[i] = (struct keyed){s, kernel_of(b, i, !moves && layers[of] > 1, called), i,
                                of + (moves ? groups : 0)};
    }
    fsd_sort(all, n, sizeof *all, by_all);
    for (uint32_t i = 0; i < n; i++) {
        struct fsd_span *span = all[i].owner < groups
                                    ? &s->groups.at[all[i].owner].kernels
                                    : &s->moves.at[all[i].owner - groups].kernels;

        if (!span->n++)
            span->at = s->kernels.n;
        b->kernel_of[all[i].layer] = s->kernels.n;
        fsd_vec_push(s->arena, &s->kernels, all[i].kernel);
    }
}

/* -------------------------------------------------------------------- bindings */

/* The binding of an engine tensor.  Its form comes from the engine's list of bindings
 * or, if the list has no forms, from the first layer that uses the tensor. */
static struct fsd_binding binding_of(struct fsd_state_build *b, fsd_id tensor)
{
    const struct fsd_graph *e = b->d->engine;
    const struct fsd_tensor *t = &e->tensors.at[tensor];
    struct fsd_state_form seen = fsd_state_binding_form(b, tensor);
    struct fsd_binding out = {
        .output = (t->flags & FSD_TENSOR_OUTPUT) != 0,
        .name = fsd_intern_str(b->s->names, fsd_text(e->names, t->name)),
        .form = seen,
        .ranges = fsd_intern_str(b->s->names, fsd_text(e->names, t->ranges))};
    const struct fsd_form *bound = fsd_graph_form(e, t->bound);

    if (bound->type != FSD_DTYPE_UNKNOWN)
        out.form.type = (uint8_t)bound->type;
    out.outside = fsd_intern_str(b->s->names, fsd_text(e->names, t->outside));
    fsd_put_sizes(e, bound->ranked ? bound : fsd_state_binding_sizes(b, tensor), "x",
                  b->text.out);
    out.shape = fsd_state_printed(b);
    return out;
}

struct named {
    const char *name;
    struct fsd_binding binding;
};

FSD_ORDERED(by_name, struct named, fsd_order(x->binding.output, y->binding.output),
            strcmp(x->name, y->name))

void fsd_state_add_bindings(struct fsd_state_build *b)
{
    const struct fsd_graph *e = b->d->engine;
    FSD_VEC(struct named) all = {0};

    for (fsd_id i = 0; i < e->tensors.n; i++)
        if (e->tensors.at[i].flags & (FSD_TENSOR_INPUT | FSD_TENSOR_OUTPUT))
            fsd_vec_push(b->scratch, &all,
                         ((struct named){fsd_text(e->names, e->tensors.at[i].name),
                                         binding_of(b, i)}));
    fsd_vec_sort(&all, by_name);
    for (uint32_t i = 0; i < all.n; i++)
        fsd_vec_push(b->s->arena, &b->s->bindings, all.at[i].binding);
}
