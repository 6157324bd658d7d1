/*
 * Adds the nodes of a state: their roles, keys and attributes, and the producers of
 * their inputs.
 */
#include "base/base.h"
#include "change/state/parts.h"
#include "model/graph/graph.h"

#include <inttypes.h>

/* ----------------------------------------------------------------------- role */

static enum fsd_role role(const struct fsd_facts *f, fsd_id node)
{
    if (f->folded[node] || !f->live[node])
        return FSD_ROLE_SIDE;
    if (f->traits[node] & FSD_OP_QDQ)
        return FSD_ROLE_QUANTIZER;
    if (f->same[node] != FSD_SAME_NOT || (f->traits[node] & FSD_OP_VIEW))
        return FSD_ROLE_VIEW;
    /* Some exporters fold a BatchNormalization into the weights before it or omit a
     * Cast, but other exporters do not. */
    return fsd_node_is(f->g, node, FSD_ONNX_BatchNormalization) ||
                   (f->traits[node] & FSD_OP_CASTS)
               ? FSD_ROLE_OPTIONAL
               : FSD_ROLE_CORE;
}

/* --------------------------------------------------------------------- traits */

/* The attributes that distinguish nodes of the same operator.  If `has_plain` is true,
 * `plain` is the default: an attribute with this value means the same as no
 * attribute. */
static const struct attribute {
    const char *name, *tag;
    int64_t plain; /* if every element has this value, the attribute is not printed */
    bool has_plain;
} attributes[] = {{"kernel_shape", "k", 0, false},  {"strides", "s", 1, true},
                  {"pads", "p", 0, true},           {"dilations", "d", 1, true},
                  {"group", "g", 1, true},          {"axis", "a", 0, false},
                  {"perm", "perm", 0, false},       {"axes", "axes", 0, false},
                  {"output_padding", "op", 0, true}};

struct ints {
    const int64_t *at;
    uint32_t n;
};

static struct ints ints_of(const struct fsd_graph *g, const struct fsd_attr *a)
{
    if (a && a->kind == FSD_ATTR_INTS && a->list.n)
        return (struct ints){g->ints.at + a->list.at, a->list.n};
    return a && a->kind == FSD_ATTR_INT ? (struct ints){&a->i, 1} : (struct ints){0};
}

static bool is_plain(const struct attribute *row, struct ints x)
{
    uint32_t stated = 0;

    for (uint32_t i = 0; i < x.n; i++)
        stated += !row->has_plain || x.at[i] != row->plain;
    return !stated;
}

bool fsd_state_attr_is_plain(const struct fsd_graph *g, const struct fsd_attr *a)
{
    struct ints x = ints_of(g, a);

    for (size_t i = 0; x.n && i < FSD_COUNT_OF(attributes); i++)
        if (!strcmp(fsd_text(g->names, a->name), attributes[i].name))
            return is_plain(&attributes[i], x);
    return false;
}

static void put_attributes(const struct fsd_graph *g, const struct fsd_node *n,
                           FILE *out)
{
    for (size_t i = 0; i < FSD_COUNT_OF(attributes); i++) {
        struct ints x = ints_of(g, fsd_node_attr(g, n, attributes[i].name));

        if (is_plain(&attributes[i], x))
            continue;
        fprintf(out, ",%s", attributes[i].tag);
        for (uint32_t k = 0; k < x.n; k++) {
            fputs(k ? "x" : "", out);
            fsd_put_whole(out, x.at[k]);
        }
    }
}

/* The constant from which an input comes, looking back through the Q and DQ of weights;
 * FSD_NONE if the input is not constant. */
static fsd_id constant_root(const struct fsd_facts *f, fsd_id tensor)
{
    return fsd_is_constant(f, tensor) ? f->root[tensor] : FSD_NONE;
}

/* Prints the shape of a weight.  The shape of a Gemm's weight is printed as with transB
 * = 0. */
static void put_weight(const struct fsd_facts *f, fsd_id node, fsd_id tensor, FILE *out)
{
    const struct fsd_form *form = fsd_tensor_form(f->g, tensor);
    bool turn = form->dims.n == 2 && fsd_node_int(f->g, node, "transB", 0);

    fputs(",w", out);
    for (uint32_t i = 0; i < form->dims.n; i++) {
        uint32_t k = turn ? form->dims.n - 1 - i : i;

        fputs(i ? "x" : "", out);
        fsd_put_whole(out, f->g->dims.at[form->dims.at + k].size);
    }
}

/* Prints the number of values of each constant input.  The shape of a constant that is
 * no weight does not count: some exporters write [64], and others write [1,64,1,1]. */
static void put_constants(const struct fsd_facts *f, const struct fsd_node *n,
                          FILE *out)
{
    FSD_EACH_OF (tensor, f->g->ports, n->in, tensor) {
        fsd_id t = constant_root(f, tensor);
        if (t != FSD_NONE)
            fprintf(out, ",c%" PRId64, fsd_form_count(f->g, fsd_tensor_form(f->g, t)));
    }
}

static fsd_sym traits(struct fsd_state_build *b, fsd_id node, fsd_id weight)
{
    const struct fsd_node *n = &b->model->nodes.at[node];
    FILE *out = b->text.out;
    const char *text;
    size_t size;

    put_attributes(b->model, n, out);
    if ((b->facts->traits[node] & FSD_OP_WEIGHTED) && weight != FSD_NONE)
        put_weight(b->facts, node, weight, out);
    else if (!(b->facts->traits[node] & (FSD_OP_QDQ | FSD_OP_VIEW)))
        put_constants(b->facts, n, out);
    text = fsd_print_next(&b->text, &size);
    /* skip the first comma: each part begins with one */
    return size ? fsd_intern_add(b->s->names, text + 1, size - 1) : 0;
}

/* ------------------------------------------------------------------------ key */

const char *fsd_state_key(struct fsd_state_build *b, fsd_sym sym)
{
    const char *name = fsd_text(b->model->names, sym);
    size_t n = fsd_text_len(b->model->names, sym);
    char room[FSD_BRIEF_ROOM];
    uint64_t hash[2];

    if (n <= FSD_BRIEF)
        return name;
    fsd_hash_128(name, n, hash);
    return fsd_printed(b->scratch, "%s %016" PRIx64 "%016" PRIx64,
                       fsd_brief(name, room), hash[1], hash[0]);
}

/* The key of a node: its name or, if that is empty or not unique, "NAME#NUMBER" with
 * the node's number.  If the model contains such a name already, "#" is appended until
 * the name is new. */
static fsd_sym key(struct fsd_state_build *b, fsd_id node, const uint32_t *count)
{
    fsd_sym name = b->model->nodes.at[node].name;
    const char *text = fsd_state_key(b, name);
    size_t size = strlen(text) + 48, n;
    char *out;

    if (name && count[name] == 1)
        return fsd_intern_str(b->s->names, text);
    out = FSD_NEW(b->scratch, char, size);
    n = (size_t)snprintf(out, size, "%s#%u", text, (unsigned)node);
    while (n + 1 < size && fsd_intern_has(b->model->names, out, n))
        out[n++] = '#';
    return fsd_intern_add(b->s->names, out, n);
}

static fsd_sym op(struct fsd_state_build *b, const struct fsd_node *n)
{
    const char *domain = fsd_text(b->model->names, n->domain);
    char text[256];

    if (fsd_is_onnx_domain(domain))
        return fsd_state_copy(b, n->op);
    snprintf(text, sizeof text, "%s::%s", domain, fsd_text(b->model->names, n->op));
    return fsd_intern_str(b->s->names, text);
}

/* -------------------------------------------------------------------- sources */

struct fsd_producer fsd_state_direct(const struct fsd_state_build *b, fsd_id tensor)
{
    static const struct fsd_producer nothing = {{FSD_NONE}, 0};
    const struct fsd_tensor *t;
    struct fsd_producer source = nothing;

    if (tensor == FSD_NONE)
        return nothing;
    t = &b->model->tensors.at[tensor];
    if (t->producers.n) {
        source.at = fsd_node_origin(b->of_node[b->model->links.at[t->producers.at]]);
        source.out = fsd_is_origin(source.at) ? b->out_number[tensor] : 0;
    } else if ((t->flags & FSD_TENSOR_INPUT) && !t->scope &&
               !(t->flags & FSD_TENSOR_CONSTANT)) {
        source.at = fsd_input_origin(b->out_number[tensor]);
    }
    return source;
}

struct fsd_producer fsd_state_core(const struct fsd_state_build *b, fsd_id tensor)
{
    struct fsd_producer source = fsd_state_direct(b, tensor);
    fsd_id node = fsd_origin_node(source.at);
    const struct fsd_state_node *n;

    if (node == FSD_NONE)
        return source;
    n = &b->s->nodes.at[node];
    return n->role == FSD_ROLE_CORE ? source : n->core;
}

/* If the model lists a tensor twice, only the first counts. */
bool fsd_state_is_input(const struct fsd_graph *g, bool *seen, fsd_id tensor)
{
    bool again = seen[tensor];

    seen[tensor] = true;
    return !again && !(g->tensors.at[tensor].flags & FSD_TENSOR_CONSTANT);
}

/* Sets `out_number`. */
static void number_outputs(struct fsd_state_build *b)
{
    const struct fsd_graph *g = b->model;
    const struct fsd_span inputs = g->scopes.at[0].inputs;
    bool *seen = FSD_NEW(b->scratch, bool, g->tensors.n);

    b->out_number = FSD_NEW(b->scratch, uint32_t, g->tensors.n);
    for (fsd_id i = 0; i < g->nodes.n; i++)
        for (uint32_t k = 0; k < g->nodes.at[i].out.n; k++)
            if (fsd_node_has_out(g, i, k))
                b->out_number[fsd_node_out_tensor(g, i, k)] = k;
    for (uint32_t i = 0, number = 0; i < inputs.n; i++) {
        fsd_id t = g->links.at[inputs.at + i];

        if (!fsd_state_is_input(g, seen, t))
            continue;
        if (!g->tensors.at[t].producers.n)
            b->out_number[t] = number;
        number++;
    }
}

static void add_inputs(struct fsd_state_build *b, fsd_id node)
{
    const struct fsd_graph *g = b->model;
    const struct fsd_node *n = &g->nodes.at[node];
    struct fsd_span *span = &b->s->nodes.at[b->of_node[node]].in;
    uint32_t last = 0;

    span->at = b->s->sources.n;
    for (uint32_t i = 0; i < n->in.n; i++) {
        struct fsd_producer source = fsd_state_direct(b, fsd_node_in(g, n, i)->tensor);

        fsd_vec_push(b->s->arena, &b->s->sources, source);
        if (fsd_is_origin(source.at))
            last = i + 1;
    }
    b->s->sources.n = span->at + last;
    span->n = last;
}

void fsd_state_add_nodes(struct fsd_state_build *b)
{
    const struct fsd_graph *g = b->model;
    const struct fsd_facts *f = b->facts;
    const struct fsd_node_result *nodes = b->d ? b->d->nodes : NULL;
    uint32_t *count = FSD_NEW(b->scratch, uint32_t, fsd_intern_count(g->names));

    for (fsd_id i = 0; i < g->nodes.n; i++)
        count[g->nodes.at[i].name]++;
    b->of_node = FSD_NEW(b->scratch, fsd_id, g->nodes.n);
    b->s->number_of = FSD_NEW(b->s->arena, uint32_t, g->nodes.n);
    for (fsd_id i = 0; i < g->nodes.n; i++) {
        const struct fsd_node *n = &g->nodes.at[i];
        fsd_id weight = constant_root(f, fsd_node_in_tensor(g, i, 1));
        fsd_id makes = fsd_node_out_tensor(g, i, 0);
        bool weighted = f->traits[i] & FSD_OP_WEIGHTED;

        b->of_node[i] = FSD_NONE;
        if (f->traits[i] & FSD_OP_CONSTANT)
            continue;
        b->of_node[i] = b->s->nodes.n;
        b->s->number_of[b->s->nodes.n] = i;
        fsd_vec_push(
            b->s->arena, &b->s->nodes,
            (struct fsd_state_node){
                .key = key(b, i, count),
                .op = op(b, n),
                .traits = traits(b, i, weight),
                .attrs = fsd_state_attrs(b, i),
                .values = fsd_state_values(b, i),
                .makes = fsd_state_copy(b, fsd_graph_tensor(g, makes)->name),
                .weight = fsd_state_copy(
                    b, fsd_graph_tensor(g, weighted ? weight : FSD_NONE)->name),
                .module = n->module ? fsd_state_copy(b, n->module) : 0,
                .known = n->name && count[n->name] == 1
                             ? 0
                             : fsd_state_copy(b, fsd_graph_tensor(g, makes)->name),
                .named = n->name && count[n->name] == 1,
                .role = (uint8_t)role(f, i),
                .fate = nodes ? (uint8_t)nodes[i].fate : 0,
                .precision = nodes ? (uint8_t)nodes[i].realised : 0,
                .group = FSD_NONE});
    }
    number_outputs(b);
    for (fsd_id i = 0; i < g->nodes.n; i++)
        if (b->of_node[i] != FSD_NONE)
            add_inputs(b, i);
}
