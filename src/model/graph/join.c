/*
 * Joins several engines of one model into one.  If a runtime partitions a model, the
 * builder builds each part separately.  The inputs and outputs of a part have the names
 * of the model's tensors.  All other names are the builder's: "__mye12" can be
 * different tensors in different parts.  Inputs and outputs therefore go into the main
 * scope, where tensors with equal names become one; all other tensors go into a scope
 * of their part.
 *
 * The arrays of a part are appended to the arrays of the joined graph.  The functions
 * add the offset of the part (struct at) to each member that is an index into such an
 * array.  The members `node` and `tensor` of a mention do not change, because they are
 * indices into the arrays of the model.
 */
#include "model/graph/graph.h"

#include "base/base.h"

/* The offsets at which the arrays of a part begin in the joined graph. */
struct at {
    uint32_t nodes, forms, ports, dims, terms, values, attrs, mentions, ints, floats,
        links;
    fsd_id scope;    /* the scope of the part's own tensors */
    fsd_id *tensors; /* indexed by tensor of the part: the tensor in the joined graph */
};

static struct at begin_part(struct fsd_graph *g, const struct fsd_graph *part)
{
    return (struct at){
        .nodes = g->nodes.n,
        .forms = g->forms.n,
        .ports = g->ports.n,
        .dims = g->dims.n,
        .terms = g->terms.n,
        .values = g->values.n,
        .attrs = g->attrs.n,
        .mentions = g->mentions.n,
        .ints = g->ints.n,
        .floats = g->floats.n,
        .links = g->links.n,
        .scope = fsd_graph_add_scope(g, (struct fsd_scope){.kind = FSD_SCOPE_SUBGRAPH,
                                                           .parent = 0,
                                                           .owner = FSD_NONE}),
        .tensors = FSD_NEW(g->arena, fsd_id, part->tensors.n),
    };
}

static fsd_id moved(fsd_id id, uint32_t by)
{
    return id == FSD_NONE ? FSD_NONE : id + by;
}

static struct fsd_span moved_span(struct fsd_span span, uint32_t by)
{
    span.at += by;
    return span;
}

/* Marks the inputs and outputs of a part whose dump does not list them.  If the part
 * only reads a tensor of the model, the tensor is an input.  If the part only writes
 * it, the tensor is an output. */
static void find_borders(const struct fsd_graph *part, const struct fsd_graph *model)
{
    uint8_t listed = 0;

    for (fsd_id i = 0; i < part->tensors.n; i++)
        listed |= part->tensors.at[i].flags;
    for (fsd_id i = 0; !(listed & FSD_TENSOR_BINDING) && i < part->tensors.n; i++) {
        struct fsd_tensor *t = &part->tensors.at[i];
        fsd_id of_model = fsd_graph_find(model, t->name, 0);

        if (of_model == FSD_NONE ||
            model->tensors.at[of_model].flags & FSD_TENSOR_CONSTANT)
            continue;
        if (!t->producers.n && t->consumers.n)
            t->flags |= FSD_TENSOR_INPUT;
        if (t->producers.n && !t->consumers.n)
            t->flags |= FSD_TENSOR_OUTPUT;
    }
}

static bool is_border(const struct fsd_tensor *t)
{
    return !t->scope && t->flags & (FSD_TENSOR_INPUT | FSD_TENSOR_OUTPUT);
}

/* ------------------------------------------------------------------ the arrays */

static void add_plain(struct fsd_graph *g, const struct fsd_graph *part)
{
    for (uint32_t i = 0; i < part->values.n; i++)
        fsd_vec_push(g->arena, &g->values, part->values.at[i]);
    for (uint32_t i = 0; i < part->ints.n; i++)
        fsd_vec_push(g->arena, &g->ints, part->ints.at[i]);
    for (uint32_t i = 0; i < part->floats.n; i++)
        fsd_vec_push(g->arena, &g->floats, part->floats.at[i]);
    for (uint32_t i = 0; i < part->links.n; i++) /* unchanged: the joined graph uses
                                                    only the symbols in `links`, which
                                                    need no offset */
        fsd_vec_push(g->arena, &g->links, part->links.at[i]);
    for (uint32_t i = 0; i < part->mentions.n; i++)
        fsd_vec_push(g->arena, &g->mentions, part->mentions.at[i]);
    for (uint32_t i = 0; i < part->elsewhere.n; i++)
        fsd_vec_push(g->arena, &g->elsewhere, part->elsewhere.at[i]);
}

static void add_forms(struct fsd_graph *g, const struct fsd_graph *part,
                      const struct at *at)
{
    for (uint32_t i = 0; i < part->terms.n; i++) {
        struct fsd_term term = part->terms.at[i];

        if (term.is != FSD_TERM_NUMBER && term.is != FSD_TERM_NAME) {
            term.a += at->terms;
            term.b += at->terms;
        }
        fsd_vec_push(g->arena, &g->terms, term);
    }
    for (uint32_t i = 0; i < part->dims.n; i++) {
        struct fsd_dim dim = part->dims.at[i];

        dim.term += dim.term ? at->terms : 0;
        fsd_vec_push(g->arena, &g->dims, dim);
    }
    for (uint32_t i = 0; i < part->forms.n; i++) {
        struct fsd_form form = part->forms.at[i];

        form.dims = moved_span(form.dims, at->dims);
        form.strides = moved_span(form.strides, at->ints);
        fsd_vec_push(g->arena, &g->forms, form);
    }
}

/* Adds the facts of one engine about an input or output.  If several engines state a
 * fact, such as the form, the fact of the first engine counts.  Each port keeps the
 * form that its engine states. */
static void fill_tensor(struct fsd_tensor *to, const struct fsd_tensor *t,
                        const struct at *at)
{
    to->form = fsd_id_or(to->form, moved(t->form, at->forms));
    to->item = fsd_id_or(to->item, moved(t->item, at->forms));
    to->value = fsd_id_or(to->value, moved(t->value, at->values));
    to->bound = fsd_id_or(to->bound, moved(t->bound, at->forms));
    to->optimum = fsd_id_or(to->optimum, moved(t->optimum, at->forms));
    to->argument = to->argument ? to->argument : t->argument;
    to->alias = to->alias ? to->alias : t->alias;
    to->loop = to->loop ? to->loop : t->loop;
    to->ranges = to->ranges ? to->ranges : t->ranges;
    to->outside = to->outside ? to->outside : t->outside;
    to->flags |= t->flags;
}

static void add_tensors(struct fsd_graph *g, const struct fsd_graph *part,
                        struct at *at)
{
    for (fsd_id i = 0; i < part->tensors.n; i++) {
        const struct fsd_tensor *t = &part->tensors.at[i];
        fsd_id scope = is_border(t) ? 0 : at->scope;
        fsd_id to = scope ? FSD_NONE : fsd_graph_find(g, t->name, 0);

        at->tensors[i] = to == FSD_NONE ? fsd_graph_add_tensor(g, t->name, scope) : to;
        fill_tensor(&g->tensors.at[at->tensors[i]], t, at);
    }
}

static fsd_id tensor_of(const struct at *at, fsd_id tensor)
{
    return fsd_id_at(at->tensors, tensor);
}

/* Adds the ports of a part.  A port keeps the form that its engine gives the tensor,
 * because another engine may give the same tensor a different form. */
static void add_ports(struct fsd_graph *g, const struct fsd_graph *part,
                      const struct at *at)
{
    for (uint32_t i = 0; i < part->ports.n; i++) {
        struct fsd_port port = part->ports.at[i];

        port.form = fsd_id_or(port.form, fsd_graph_tensor(part, port.tensor)->form);
        port.form = moved(port.form, at->forms);
        port.tensor = tensor_of(at, port.tensor);
        fsd_vec_push(g->arena, &g->ports, port);
    }
}

static void add_attrs(struct fsd_graph *g, const struct fsd_graph *part,
                      const struct at *at)
{
    for (uint32_t i = 0; i < part->attrs.n; i++) {
        struct fsd_attr attr = part->attrs.at[i];

        attr.list = moved_span(attr.list, attr.kind == FSD_ATTR_FLOATS    ? at->floats
                                          : attr.kind == FSD_ATTR_STRINGS ? at->links
                                                                          : at->ints);
        if (attr.kind == FSD_ATTR_TENSOR) {
            attr.value = moved(attr.value, at->values);
            attr.form = moved(attr.form, at->forms);
        }
        fsd_vec_push(g->arena, &g->attrs, attr);
    }
}

static void add_layers(struct fsd_graph *g, const struct fsd_graph *part,
                       const struct at *at)
{
    for (fsd_id i = 0; i < part->nodes.n; i++) {
        struct fsd_node node = part->nodes.at[i];
        struct fsd_layer layer = part->layers.at[i];

        node.scope = 0;
        node.in = moved_span(node.in, at->ports);
        node.out = moved_span(node.out, at->ports);
        node.attrs = moved_span(node.attrs, at->attrs);
        layer.mentions = moved_span(layer.mentions, at->mentions);
        layer.constants = moved_span(layer.constants, at->ports);
        layer.steps = moved_span(layer.steps, at->links);
        fsd_graph_add_node(g, node);
        fsd_vec_push(g->arena, &g->layers, layer);
    }
    for (uint32_t i = 0; i < part->loops.n; i++)
        fsd_vec_push(g->arena, &g->loops, moved_span(part->loops.at[i], at->nodes));
    for (uint32_t i = 0; i < part->remarks.n; i++) {
        struct fsd_remark remark = part->remarks.at[i];

        remark.node = moved(remark.node, at->nodes);
        remark.tensor = tensor_of(at, remark.tensor);
        fsd_vec_push(g->arena, &g->remarks, remark);
    }
}

static void add_borders(struct fsd_graph *g, const struct fsd_graph *part,
                        const struct at *at)
{
    static const uint8_t sides[] = {FSD_TENSOR_INPUT, FSD_TENSOR_OUTPUT};
    struct fsd_engine_part p = {.path = part->path,
                                .layers = {at->nodes, part->nodes.n},
                                .borders = {g->borders.n, 0}};

    for (size_t side = 0; side < FSD_COUNT_OF(sides); side++)
        for (fsd_id i = 0; i < part->tensors.n; i++) {
            const struct fsd_tensor *t = &part->tensors.at[i];
            fsd_id form = fsd_id_or(t->bound, t->form);
            struct fsd_part_port border = {at->tensors[i], moved(form, at->forms),
                                           sides[side] == FSD_TENSOR_OUTPUT};

            if (is_border(t) && t->flags & sides[side])
                fsd_vec_push(g->arena, &g->borders, border);
        }
    p.borders.n = g->borders.n - p.borders.at;
    fsd_vec_push(g->arena, &g->parts, p);
}

/* ---------------------------------------------------------------- the joined engine */

/* If one engine writes a tensor and another engine reads it, the tensor is no input of
 * the joined engine.  It is an output only if it is an output of the model. */
static void join_borders(struct fsd_graph *g, const struct fsd_graph *model)
{
    const uint8_t both = FSD_TENSOR_INPUT | FSD_TENSOR_OUTPUT;

    FSD_EACH (struct fsd_tensor, t, g->tensors) {
        fsd_id of_model = fsd_graph_find(model, t->name, 0);

        if ((t->flags & both) != both)
            continue;
        t->flags |= FSD_TENSOR_CROSSES;
        t->flags &= (uint8_t)~FSD_TENSOR_INPUT;
        if (!fsd_tensor_is(model, of_model, FSD_TENSOR_OUTPUT))
            t->flags &= (uint8_t) ~(FSD_TENSOR_OUTPUT | FSD_TENSOR_BINDING);
    }
    fsd_graph_list_borders(g);
}

/* Keeps a fact about the build only if all parts state the same fact. */
static void join_built(struct fsd_graph *g, struct fsd_graph *const *parts, uint32_t n)
{
    const fsd_built_vec *first = &parts[0]->built;

    for (uint32_t i = 0; i < first->n; i++) {
        const char *key = fsd_text(g->names, first->at[i].key);
        bool all = true;

        for (uint32_t p = 1; p < n && all; p++)
            all = fsd_built_find(&parts[p]->built, g->names, key) == first->at[i].value;
        if (all)
            fsd_vec_push(g->arena, &g->built, first->at[i]);
    }
}

static const char *joined_path(struct fsd_graph *g, struct fsd_graph *const *parts,
                               uint32_t n)
{
    size_t size = 1, used = 0;
    char *path;

    for (uint32_t p = 0; p < n; p++)
        size += strlen(parts[p]->path) + 1;
    path = FSD_NEW(g->arena, char, size);
    for (uint32_t p = 0; p < n; p++) {
        size_t len = strlen(parts[p]->path);

        if (p)
            path[used++] = '+';
        memcpy(path + used, parts[p]->path, len);
        used += len;
    }
    return path;
}

static void join_heads(struct fsd_graph *g, struct fsd_graph *const *parts, uint32_t n)
{
    const struct fsd_graph *first = parts[0];

    g->path = joined_path(g, parts, n);
    g->reader = first->reader;
    g->kind = first->kind;
    g->producer = first->producer;
    g->profile = first->profile;
    g->strongly_typed = g->detailed = true;
    for (uint32_t p = 0; p < n; p++) {
        const struct fsd_graph *part = parts[p];

        g->kind = strcmp(g->kind, part->kind) != 0 ? "several" : g->kind;
        g->producer = g->producer == part->producer ? g->producer : 0;
        g->strongly_typed = g->strongly_typed && part->strongly_typed;
        g->detailed = g->detailed && part->detailed;
        g->jumps = g->jumps || part->jumps;
        g->in_bodies += part->in_bodies;
        g->profiles = part->profiles > g->profiles ? part->profiles : g->profiles;
        for (int k = 0; k < 2; k++)
            g->hash[k] = fsd_hash_mix(g->hash[k], part->hash[k]);
    }
    join_built(g, parts, n);
}

struct fsd_graph *fsd_graph_join(struct fsd_graph *const *parts, uint32_t n,
                                 const struct fsd_graph *model)
{
    struct fsd_graph *g = fsd_graph_new(parts[0]->arena, parts[0]->names);

    for (uint32_t p = 0; p < n; p++) {
        const struct fsd_graph *part = parts[p];
        struct at at = begin_part(g, part);

        find_borders(part, model);
        add_plain(g, part);
        add_forms(g, part, &at);
        add_tensors(g, part, &at);
        add_ports(g, part, &at);
        add_attrs(g, part, &at);
        add_layers(g, part, &at);
        add_borders(g, part, &at);
    }
    join_heads(g, parts, n);
    join_borders(g, model);
    fsd_graph_finish(g);
    return g;
}

fsd_id fsd_graph_part_of(const struct fsd_graph *g, fsd_id layer)
{
    for (fsd_id p = 0; p < g->parts.n; p++)
        if (layer - g->parts.at[p].layers.at < g->parts.at[p].layers.n)
            return p;
    return FSD_NONE;
}
