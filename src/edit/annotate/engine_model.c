/*
 * Writes an engine as an ONNX graph, for viewers of ONNX files.
 *
 * In ONNX each tensor has one producer, and each node follows the producers of its
 * inputs. If several layers write parts of a tensor, each part becomes a tensor, "x
 * (layer 12)", and a consumer reads all parts that it needs. A tensor that a loop reads
 * from its previous iteration becomes an input, "x (from the previous iteration)". A
 * node must have an output, so a layer without known outputs gets "(layer 12)".
 */
#include "edit/annotate/annotate.h"
#include "base/base.h"
#include "model/graph/graph.h"
#include "edit/onnx/declared.h"

typedef FSD_VEC(const char *) texts;

struct graph {
    const struct fsd_diff *d;
    const struct fsd_graph *engine;
    struct fsd_arena *arena;
    struct fsd_onnx_edits *edits;
    uint32_t *place; /* indexed by layer: its position in the graph */
    bool *read;      /* indexed by tensor: the tensor is an input of the graph */
    bool *again;     /* indexed by tensor: the tensor's value from the previous
                        iteration is an input of the graph */
};

/* ------------------------------------------------------------------------- tensors */

static const char *name_of(const struct graph *g, fsd_id tensor, fsd_id writer)
{
    const struct fsd_tensor *t = &g->engine->tensors.at[tensor];
    const char *name = fsd_text(g->engine->names, t->name);

    if (!*name)
        name = fsd_printed(g->arena, "tensor %u", tensor);
    return writer != FSD_NONE && t->producers.n > 1
               ? fsd_printed(g->arena, "%s (layer %u)", name, writer)
               : name;
}

static const char *form_text(const struct graph *g, const struct fsd_form *form)
{
    char text[FSD_FORM_ROOM];

    fsd_form_text(form, text);
    return fsd_arena_strndup(g->arena, text, strlen(text));
}

static void declare(const struct graph *g, enum fsd_onnx_list list, const char *name,
                    const struct fsd_form *form)
{
    int64_t *sizes = FSD_NEW(g->arena, int64_t, form->dims.n + 1);
    struct fsd_onnx_info info = {.name = name,
                                 .type = fsd_dtype_onnx(form->type),
                                 .ranked = true, /* an input or output must have a
                                                    shape */
                                 .rank = form->dims.n,
                                 .sizes = sizes,
                                 .doc = form_text(g, form)};

    for (uint32_t i = 0; i < form->dims.n; i++)
        sizes[i] = g->engine->dims.at[form->dims.at + i].size;
    fsd_onnx_declare(g->edits, list, &info);
}

static bool has(const texts *list, const char *name)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (!strcmp(list->at[i], name))
            return true;
    return false;
}

/* The name under which `layer` reads a tensor. If `writer` is FSD_NONE or does not
 * precede `layer`, also declares an input of the graph with this name.
 * @param writer a layer that produces the tensor; FSD_NONE: no layer does */
static const char *read_name(struct graph *g, fsd_id layer, const struct fsd_port *port,
                             fsd_id writer)
{
    bool later = writer != FSD_NONE && g->place[writer] >= g->place[layer];
    bool *known = later ? &g->again[port->tensor] : &g->read[port->tensor];
    const char *name = name_of(g, port->tensor, later ? FSD_NONE : writer);

    if (later)
        name = fsd_printed(g->arena, "%s (from the previous iteration)", name);
    if ((later || writer == FSD_NONE) && !*known) {
        declare(g, FSD_ONNX_INPUTS, name, fsd_port_form(g->engine, port));
        *known = true;
    }
    return name;
}

static texts find_inputs(struct graph *g, fsd_id layer)
{
    struct fsd_span in = g->engine->nodes.at[layer].in;
    texts all = {0};

    for (uint32_t p = in.at; p < in.at + in.n; p++) {
        const struct fsd_port *port = &g->engine->ports.at[p];
        struct fsd_span writers;

        if (port->tensor == FSD_NONE)
            continue;
        writers = fsd_port_peers(g->engine, p, true);
        FSD_EACH_ID (writer, g->engine->links, writers)
            fsd_vec_push(g->arena, &all, read_name(g, layer, port, writer));
        if (!writers.n)
            fsd_vec_push(g->arena, &all, read_name(g, layer, port, FSD_NONE));
    }
    return all;
}

static texts find_outputs(struct graph *g, fsd_id layer)
{
    struct fsd_span out = g->engine->nodes.at[layer].out;
    texts all = {0};

    for (uint32_t p = out.at; p < out.at + out.n; p++) {
        const struct fsd_port *port = &g->engine->ports.at[p];
        const char *name =
            port->tensor == FSD_NONE ? NULL : name_of(g, port->tensor, layer);

        if (!name || has(&all, name))
            continue;
        declare(g,
                g->engine->tensors.at[port->tensor].flags & FSD_TENSOR_OUTPUT
                    ? FSD_ONNX_OUTPUTS
                    : FSD_ONNX_VALUES,
                name, fsd_port_form(g->engine, port));
        fsd_vec_push(g->arena, &all, name);
    }
    if (!all.n)
        fsd_vec_push(g->arena, &all, fsd_printed(g->arena, "(layer %u)", layer));
    return all;
}

/* -------------------------------------------------------------------------- layers */

typedef FSD_VEC(struct fsd_onnx_new_attribute) attributes;
typedef FSD_VEC(struct fsd_onnx_property) properties;

static void add_text(const struct graph *g, attributes *to, const char *name,
                     const char *text)
{
    if (text && *text)
        fsd_vec_push(g->arena, to,
                     ((struct fsd_onnx_new_attribute){.name = name, .text = text}));
}

static const char *ports_text(const struct graph *g, struct fsd_span ports)
{
    struct fsd_print print;
    FILE *out = fsd_print_open(&print);

    for (uint32_t i = 0; i < ports.n; i++) {
        fputs(i ? "; " : "", out);
        fsd_put_form(fsd_port_form(g->engine, &g->engine->ports.at[ports.at + i]), out);
    }
    return fsd_print_take(&print, g->arena);
}

static attributes find_attributes(const struct graph *g, fsd_id layer)
{
    const struct fsd_graph *engine = g->engine;
    const struct fsd_node *node = &engine->nodes.at[layer];
    const struct fsd_layer_result *result = &g->d->layers[layer];
    const struct fsd_layer_cost *cost = &g->d->cost->layers[layer];
    double ms = fsd_layer_ms(g->d, layer);
    attributes all = {0};

    fsd_vec_push(g->arena, &all,
                 ((struct fsd_onnx_new_attribute){.name = "layer", .number = layer}));
    add_text(g, &all, "kind", fsd_kind_name(result->kind));
    if (result->precision != FSD_DTYPE_UNKNOWN)
        add_text(g, &all, "precision", fsd_dtype_name(result->precision));
    if (result->inserted)
        add_text(g, &all, "cause", fsd_cause_name(g->d->reasons[layer].cause));
    add_text(g, &all, "input_formats", ports_text(g, node->in));
    add_text(g, &all, "output_formats", ports_text(g, node->out));
    add_text(g, &all, "tactic",
             fsd_text(engine->names, engine->layers.at[layer].tactic));
    if (cost->bytes >= 0)
        fsd_vec_push(
            g->arena, &all,
            ((struct fsd_onnx_new_attribute){.name = "bytes", .number = cost->bytes}));
    if (ms >= 0)
        fsd_vec_push(g->arena, &all,
                     ((struct fsd_onnx_new_attribute){
                         .name = "ms", .is_float = true, .real = ms}));
    return all;
}

/* The metadata of a layer: the nodes that it computes, the evidence that it computes
 * them, and the advice on how to avoid the layer. */
static properties find_metadata(const struct graph *g, fsd_id layer)
{
    const struct fsd_match *m = g->d->match;
    struct fsd_print nodes, evidence, advice;
    FILE *out = fsd_print_open(&nodes);
    properties all = {0};
    unsigned by = 0;

    for (uint32_t i = 0; i < m->of_layer[layer].n; i++) {
        fputs(i ? ", " : "", out);
        fsd_put_node_name(g->d, fsd_match_of_layer(m, layer, i)->node, out);
        by |= fsd_match_of_layer(m, layer, i)->by;
    }
    fsd_put_evidence(by, fsd_print_open(&evidence));
    fsd_put_advice(g->d, layer, fsd_print_open(&advice));
    struct fsd_onnx_property found[] = {
        {"fusiondiff.nodes", fsd_print_take(&nodes, g->arena)},
        {"fusiondiff.evidence", fsd_print_take(&evidence, g->arena)},
        {"fusiondiff.advice", fsd_print_take(&advice, g->arena)}};
    for (size_t i = 0; i < FSD_COUNT_OF(found); i++)
        if (*found[i].value)
            fsd_vec_push(g->arena, &all, found[i]);
    return all;
}

static void add_engine_layer(struct graph *g, fsd_id layer, const char *domain)
{
    const struct fsd_node *node = &g->engine->nodes.at[layer];
    const char *op = fsd_text(g->engine->names, node->op);
    texts in = find_inputs(g, layer), out = find_outputs(g, layer);
    attributes attrs = find_attributes(g, layer);
    properties metadata = find_metadata(g, layer);

    fsd_onnx_add_node(g->edits, &(struct fsd_onnx_whole_node){
                                    .op = *op ? op : "Layer",
                                    .name = fsd_text(g->engine->names, node->name),
                                    .domain = domain,
                                    .inputs = in.at,
                                    .n_inputs = in.n,
                                    .outputs = out.at,
                                    .n_outputs = out.n,
                                    .attributes = attrs.at,
                                    .n_attributes = attrs.n,
                                    .metadata = metadata.at,
                                    .n_metadata = metadata.n});
}

struct fsd_onnx_edits *fsd_annotate_layers(struct fsd_arena *arena,
                                           const struct fsd_diff *d,
                                           struct fsd_file *file)
{
    /* The domain is the name of the builder: the engine's file format up to the first
     * '-', such as "trt". */
    const char *domain =
        fsd_arena_strndup(arena, d->engine->kind, strcspn(d->engine->kind, "-"));
    struct graph g = {.d = d,
                      .engine = d->engine,
                      .arena = arena,
                      .edits = fsd_onnx_edits_of_nothing(arena, d->names, domain, file),
                      .place = FSD_NEW(arena, uint32_t, d->engine->nodes.n + 1),
                      .read = FSD_NEW(arena, bool, d->engine->tensors.n + 1),
                      .again = FSD_NEW(arena, bool, d->engine->tensors.n + 1)};
    const fsd_id *order = fsd_graph_order(arena, d->engine);

    for (uint32_t i = 0; i < d->engine->nodes.n; i++)
        g.place[order[i]] = i;
    for (uint32_t i = 0; i < d->engine->nodes.n; i++)
        add_engine_layer(&g, order[i], domain);
    fsd_onnx_set_property(g.edits, FSD_NONE, "fusiondiff.builder",
                          fsd_text(d->names, d->engine->producer));
    return g.edits;
}
