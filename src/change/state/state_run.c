/* Makes the state of a run or of a model alone.  This file adds the facts about the
 * whole build, and the inputs and outputs; the other files state_*.c add nodes, layers,
 * edges and times. */
#include "change/state/parts.h"
#include "base/base.h"
#include "explain/cost/cost.h"
#include "model/graph/graph.h"
#include "model/graph/walk.h"

#include <inttypes.h>

/* The form of a network input or output, as an application sees it: the form of the
 * engine's binding with the same name.  For a model alone: the type in the model.
 * @param tensor the input or output in the model */
static struct fsd_state_form binding_form(struct fsd_state_build *b, fsd_id tensor)
{
    fsd_id t = b->d ? fsd_graph_find(b->d->engine, b->model->tensors.at[tensor].name, 0)
                    : FSD_NONE;

    if (!b->d)
        return (struct fsd_state_form){
            .type = (uint8_t)fsd_tensor_form(b->model, tensor)->type};
    return t == FSD_NONE ? (struct fsd_state_form){0} : fsd_state_binding_form(b, t);
}

static struct fsd_state_port port(struct fsd_state_build *b, fsd_id tensor, bool output)
{
    const struct fsd_graph *g = b->model;

    fsd_put_sizes(g, fsd_tensor_form(g, tensor), "x", b->text.out);
    return (struct fsd_state_port){
        .name =
            fsd_intern_str(b->s->names, fsd_state_key(b, g->tensors.at[tensor].name)),
        .shape = fsd_state_printed(b),
        .form = binding_form(b, tensor),
        .from = output ? fsd_state_direct(b, tensor)
                       : (struct fsd_producer){FSD_NO_ORIGIN, 0}};
}

static void add_outer_ports(struct fsd_state_build *b)
{
    const struct fsd_graph *g = b->model;
    const struct fsd_scope *main = &g->scopes.at[0];
    bool *in = FSD_NEW(b->scratch, bool, g->tensors.n);
    bool *out = FSD_NEW(b->scratch, bool, g->tensors.n);

    FSD_EACH_ID (t, g->links, main->inputs)
        if (fsd_state_is_input(g, in, t))
            fsd_vec_push(b->s->arena, &b->s->inputs, port(b, t, false));
    FSD_EACH_ID (t, g->links, main->outputs) {
        if (!out[t])
            fsd_vec_push(b->s->arena, &b->s->outputs, port(b, t, true));
        out[t] = true;
    }
}

static fsd_sym layer_details(const struct fsd_diff *d, struct fsd_intern *names)
{
    bool metadata = false;

    for (fsd_id i = 0; i < d->engine->nodes.n && !metadata; i++)
        metadata = d->engine->layers.at[i].metadata != 0;
    return fsd_intern_str(names, metadata && d->engine->detailed ? "tensors,metadata"
                                 : metadata                      ? "metadata"
                                 : d->engine->detailed           ? "tensors"
                                                                 : "names");
}

static void add_bytes(struct fsd_state_build *b)
{
    const struct fsd_diff *d = b->d;

    for (fsd_id i = 0; d->cost && i < d->engine->nodes.n; i++)
        if (d->cost->layers[i].bytes >= 0)
            b->s->bytes += d->cost->layers[i].bytes;
        else
            b->s->bytes_unknown++;
}

static void add_head(struct fsd_state_build *b)
{
    const struct fsd_diff *d = b->d;
    struct fsd_state *s = b->s;

    s->model_path = fsd_text(s->names, fsd_intern_str(s->names, d->model->path));
    s->engine_path = fsd_text(s->names, fsd_intern_str(s->names, d->engine->path));
    if (d->command) {
        const struct fsd_command *c = d->command;

        s->command.build = fsd_text(s->names, fsd_intern_str(s->names, c->build));
        s->command.common = fsd_text(s->names, fsd_intern_str(s->names, c->common));
    }
    memcpy(s->model_hash, d->model->hash, sizeof s->model_hash);
    memcpy(s->engine_hash, d->engine->hash, sizeof s->engine_hash);
    s->engine_kind = fsd_intern_str(s->names, d->engine->kind);
    s->only_timed = d->engine->only_timed;
    s->producer = fsd_state_copy(b, d->engine->producer);
    for (uint32_t i = 0; i < d->engine->built.n; i++)
        fsd_vec_push(
            s->arena, &s->built,
            ((struct fsd_built){fsd_state_copy(b, d->engine->built.at[i].key),
                                fsd_state_copy(b, d->engine->built.at[i].value)}));
    s->stated = layer_details(d, s->names);
    s->whole = true;
    s->reading = FSD_READING;
    s->layers = d->summary->layers;
    s->computing = d->summary->computing;
    s->mapped = d->summary->mapped;
    add_bytes(b);
}

static void open_prints(struct fsd_state_build *b)
{
    fsd_print_open(&b->text);
    fsd_print_open(&b->words);
    fsd_print_open(&b->list);
}

static void drop_prints(struct fsd_state_build *b)
{
    fsd_print_drop(&b->list);
    fsd_print_drop(&b->words);
    fsd_print_drop(&b->text);
}

struct fsd_state *fsd_state_of(const struct fsd_diff *d)
{
    FSD_SCRATCH(scratch);
    struct fsd_state_build b = {.model = d->model,
                                .facts = d->facts,
                                .d = d,
                                .s = fsd_state_new(),
                                .scratch = scratch};

    open_prints(&b);
    add_head(&b);
    fsd_state_add_nodes(&b);
    add_outer_ports(&b);
    fsd_state_see_through(b.s);
    fsd_state_add_layers(&b);
    fsd_state_add_kernels(&b);
    fsd_state_add_sources(&b);
    fsd_state_add_bindings(&b);
    fsd_state_add_edges(&b);
    fsd_state_add_times(&b);
    fsd_state_add_wires(&b);
    fsd_state_add_efforts(&b);
    fsd_state_hash_names(b.s);
    drop_prints(&b);
    return b.s;
}

/* ---------------------------------------------------------------- of a model alone */

/* A model without an engine becomes a state in which each core node is a group, so that
 * two exports can be compared and drawn like two builds:
 *
 *     model   Relu_24 --- Q --- DQ --- Conv_34        Conv_34 reads Relu_24 as int8
 *
 * If the path to an input of a node quantizes the data, the node reads the quantized
 * type, as in an engine that fuses the quantizers. */

/* Adds a fact about the build, unless `value` is empty. */
static void add_fact(struct fsd_state_build *b, const char *key, const char *value)
{
    struct fsd_state *s = b->s;

    if (*value)
        fsd_built_add(s->arena, s->names, &s->built,
                      (struct fsd_built){fsd_intern_str(s->names, key),
                                         fsd_intern_str(s->names, value)});
}

/* Whether the model uses `domain`.  The domain of ONNX always counts as used.  Another
 * domain counts only if a node has an operator of it, because some exporters list every
 * domain that they know. */
static bool is_used(const struct fsd_graph *g, fsd_sym domain)
{
    bool used = !*fsd_text(g->names, domain);

    for (fsd_id i = 0; i < g->nodes.n && !used; i++)
        used = g->nodes.at[i].domain == domain;
    return used;
}

/* Adds facts about how the model was exported: exporter, format and opsets. */
static void add_export(struct fsd_state_build *b)
{
    const struct fsd_graph *g = b->model;

    add_fact(b, "exporter", fsd_text(g->names, g->producer));
    add_fact(b, "format", fsd_printed(b->scratch, "%" PRId64, g->ir_version));
    for (uint32_t i = 0; i < g->opsets.n; i++) {
        const char *domain = fsd_text(g->names, g->opsets.at[i].domain);

        if (is_used(g, g->opsets.at[i].domain))
            add_fact(b,
                     fsd_printed(b->scratch, "opset %s", *domain ? domain : "of ONNX"),
                     fsd_printed(b->scratch, "%" PRId64, g->opsets.at[i].version));
    }
}

static uint8_t type_of(const struct fsd_graph *g, fsd_id tensor)
{
    return (uint8_t)fsd_tensor_form(g, tensor)->type;
}

static uint8_t type_on_way(const struct fsd_state_build *b, fsd_id tensor)
{
    const struct fsd_graph *g = b->model;
    const struct fsd_facts *f = b->facts;
    fsd_id node = fsd_tensor_producer(
        g, fsd_walk_back_over(g, tensor, f->traits, FSD_OP_QUANTIZE | FSD_OP_VIEW));

    return type_of(g, fsd_traits_of(f, node) & FSD_OP_DEQUANTIZE
                          ? fsd_node_in_tensor(g, node, 0)
                          : tensor);
}

static struct fsd_span add_input_borders(struct fsd_state_build *b, fsd_id node)
{
    struct fsd_state *s = b->s;
    struct fsd_span in = s->nodes.at[node].core_in;
    struct fsd_span borders = {s->borders.n, 0};

    for (uint32_t i = 0; i < in.n; i++) {
        struct fsd_origin from = s->sources.at[in.at + i].at;
        fsd_id tensor = fsd_node_in_tensor(b->model, s->number_of[node], i);

        if (fsd_is_origin(from))
            fsd_vec_push(s->arena, &s->borders,
                         ((struct fsd_border){.at = from,
                                              .node = node,
                                              .form.type = type_on_way(b, tensor)}));
    }
    borders.n = s->borders.n - borders.at;
    return borders;
}

static void add_lone_nodes(struct fsd_state_build *b)
{
    struct fsd_state *s = b->s;

    for (fsd_id i = 0; i < s->nodes.n; i++) {
        struct fsd_state_node *n = &s->nodes.at[i];

        if (n->role != FSD_ROLE_CORE)
            continue;
        n->precision =
            type_of(b->model, fsd_node_out_tensor(b->model, s->number_of[i], 0));
        fsd_vec_push(s->arena, &s->refs, i);
        fsd_vec_push(s->arena, &s->groups,
                     ((struct fsd_group){.kind = FSD_KIND_COMPUTE,
                                         .precision = n->precision,
                                         .nodes = {s->refs.n - 1, 1},
                                         .in = add_input_borders(b, i),
                                         .ms = FSD_SPREAD_NONE}));
    }
}

struct fsd_state *fsd_state_of_model(const struct fsd_graph *model,
                                     const struct fsd_facts *facts,
                                     struct fsd_arena *scratch)
{
    struct fsd_state_build b = {
        .model = model, .facts = facts, .s = fsd_state_new(), .scratch = scratch};

    b.s->model_path = b.s->engine_path =
        fsd_text(b.s->names, fsd_intern_str(b.s->names, model->path));
    memcpy(b.s->model_hash, model->hash, sizeof b.s->model_hash);
    b.s->whole = true;
    open_prints(&b);
    add_export(&b);
    fsd_state_add_nodes(&b);
    add_outer_ports(&b);
    drop_prints(&b);
    fsd_state_see_through(b.s);
    add_lone_nodes(&b);
    fsd_state_set_groups(b.s);
    b.s->wires = fsd_state_wires_of(b.s, b.s->arena);
    b.s->wired = true; /* the derived wires are certain, because a model alone has
                          neither moves nor kernels */
    fsd_state_hash_names(b.s);
    return b.s;
}
