/*
 * Finds the borders of a cut, and the edits that produce it.
 *
 * For the cut, a tensor of the main graph is exactly one of these: the output of a kept
 * node; a required initializer; known numbers that become an initializer; an input; or
 * unused. Some of the tensors that kept nodes produce are outputs of the cut.
 */
#include "edit/cut/cut.h"
#include "base/base.h"
#include "model/graph/graph.h"

static bool is_kept(const struct fsd_cut_plan *plan, fsd_id node)
{
    return node != FSD_NONE && plan->kept[plan->main_of[node]];
}

static enum fsd_status fail(const struct fsd_cut_plan *plan, struct fsd_error *err,
                            enum fsd_status status, const char *expected, fsd_sym name,
                            const char *found)
{
    return fsd_fail(err, status, fsd_cut_model(plan)->path, FSD_POS_NONE, 0,
                    "expected %s, found '%.200s', %s", expected,
                    fsd_text(fsd_cut_model(plan)->names, name), found);
}

/* ---------------------------------------------------------------------- order */

/* The node of the main graph that produces the tensor at a port; FSD_NONE if there is
 * none. */
static fsd_id producer_at(const struct fsd_graph *g, uint32_t port)
{
    fsd_id tensor = g->ports.at[port].tensor;

    return fsd_graph_tensor(g, tensor)->scope ? FSD_NONE
                                              : fsd_tensor_producer(g, tensor);
}

/* Finds the nodes of the main graph that cannot be computed, because they are on a
 * cycle or depend on a cycle. Uses Kahn's algorithm: the loop removes each node whose
 * inputs are all computed.
 * @return indexed by node: FSD_NONE if the node can be computed. Otherwise the port of
 *         an input whose producer cannot be computed: an input of the node, or of a
 *         node in its bodies */
static uint32_t *find_waiting(const struct fsd_cut_plan *plan)
{
    const struct fsd_graph *g = fsd_cut_model(plan);
    uint32_t *waits = FSD_NEW(plan->arena, uint32_t, g->nodes.n + 1);
    uint32_t *at = FSD_NEW(plan->arena, uint32_t, g->nodes.n + 1);
    fsd_id_vec ready = {0};

    for (fsd_id i = 0; i < g->nodes.n; i++)
        for (uint32_t k = 0; k < g->nodes.at[i].in.n; k++)
            waits[plan->main_of[i]] +=
                producer_at(g, g->nodes.at[i].in.at + k) != FSD_NONE;
    for (fsd_id i = 0; i < g->nodes.n && !g->nodes.at[i].scope; i++)
        if (!waits[i])
            fsd_vec_push(plan->arena, &ready, i);
    while (ready.n) {
        struct fsd_span out = g->nodes.at[ready.at[--ready.n]].out;

        FSD_EACH_OF (made, g->ports, out, tensor) {
            struct fsd_span readers = fsd_tensor_consumers(g, made);

            FSD_EACH_ID (read_by, g->links, readers) {
                fsd_id reader = plan->main_of[read_by];

                if (!--waits[reader])
                    fsd_vec_push(plan->arena, &ready, reader);
            }
        }
    }
    memset(at, 0xff, g->nodes.n * sizeof *at);
    for (fsd_id i = 0; i < g->nodes.n; i++)
        for (uint32_t port = g->nodes.at[i].in.at;
             port < g->nodes.at[i].in.at + g->nodes.at[i].in.n; port++)
            if (producer_at(g, port) != FSD_NONE && waits[producer_at(g, port)])
                at[plan->main_of[i]] = port;
    return at;
}

/* A tensor that depends on itself; FSD_NONE if there is none. */
static fsd_id find_cycle(const struct fsd_cut_plan *plan)
{
    const struct fsd_graph *g = fsd_cut_model(plan);
    const uint32_t *at = find_waiting(plan);
    fsd_id node = 0;

    while (node < g->nodes.n && at[node] == FSD_NONE)
        node++;
    /* Each step goes from a node that cannot be computed to a producer that cannot be
     * computed. After as many steps as the model has nodes, `node` is on a cycle. */
    for (fsd_id i = 0; node < g->nodes.n && i < g->nodes.n; i++)
        node = producer_at(g, at[node]);
    return node < g->nodes.n ? g->ports.at[at[node]].tensor : FSD_NONE;
}

/* Refuses a model that has a cycle, even if the cycle is outside of the cut. Refuses a
 * cut in which a node precedes a producer of its inputs, because ONNX forbids this. */
static enum fsd_status check_order(const struct fsd_cut_plan *plan,
                                   struct fsd_error *err)
{
    const struct fsd_graph *g = fsd_cut_model(plan);
    fsd_id early = FSD_NONE, cycle;
    bool sorted = true;

    for (fsd_id i = 0; i < g->nodes.n; i++)
        for (uint32_t port = g->nodes.at[i].in.at;
             port < g->nodes.at[i].in.at + g->nodes.at[i].in.n; port++) {
            fsd_id producer = producer_at(g, port);

            if (producer == FSD_NONE || producer < plan->main_of[i])
                continue;
            sorted = false;
            if (is_kept(plan, i) && is_kept(plan, producer))
                early = g->ports.at[port].tensor;
        }
    cycle = sorted ? FSD_NONE : find_cycle(plan);
    if (cycle != FSD_NONE)
        return fail(plan, err, FSD_E_FORMAT, "a graph without cycles",
                    g->tensors.at[cycle].name, "which depends on its own output");
    if (early != FSD_NONE)
        return fail(plan, err, FSD_E_FORMAT, "nodes in topological order",
                    g->tensors.at[early].name,
                    "which a node reads before another node writes it");
    return FSD_OK;
}

/* -------------------------------------------------------------------- borders */

/* The integers of a tensor that exists before any kernel runs, such as the new shape of
 * a Reshape. NULL if they are unknown, or if the tensor is an input of the model. */
static const struct fsd_ints *known_numbers(const struct fsd_cut_plan *plan,
                                            fsd_id tensor)
{
    const struct fsd_sizes *s = plan->d->cost->sizes;
    const struct fsd_shape *shape = fsd_shape_of(s, tensor);
    enum fsd_dtype type = fsd_tensor_form(fsd_cut_model(plan), tensor)->type;
    const struct fsd_ints *ints = fsd_sizes_ints(s, tensor);
    int64_t number;

    if (!ints || !shape->ranked || shape->rank > 1 ||
        (type != FSD_INT64 && type != FSD_INT32) ||
        !fsd_is_build_constant(plan->d->facts, tensor) ||
        fsd_cut_model(plan)->tensors.at[tensor].flags & FSD_TENSOR_INPUT)
        return NULL;
    for (uint8_t i = 0; i < ints->n; i++)
        if (!fsd_amount_number(s->amounts, ints->at[i], &number))
            return NULL;
    return ints;
}

static bool is_asked_input(const struct fsd_cut_plan *plan, fsd_id tensor)
{
    const struct fsd_graph *g = fsd_cut_model(plan);

    for (unsigned i = 0; i < plan->opt->n_from; i++)
        if (!strcmp(fsd_text(g->names, g->tensors.at[tensor].name), plan->opt->from[i]))
            return true;
    return false;
}

/* Marks a tensor that a kept node, or a body in it, reads. */
static enum fsd_status need(struct fsd_cut_plan *plan, fsd_id tensor, bool *needed,
                            struct fsd_error *err)
{
    const struct fsd_graph *g = fsd_cut_model(plan);
    const struct fsd_tensor *t = &g->tensors.at[tensor];
    const struct fsd_value *value = fsd_graph_value(g, t->value);
    fsd_id producer = fsd_tensor_producer(g, tensor);

    if (t->scope || needed[tensor] || is_kept(plan, producer))
        return FSD_OK;
    needed[tensor] = true;
    if (t->flags & FSD_TENSOR_CONSTANT) {
        plan->weight[tensor] = true;
        plan->n_weights++;
        plan->weight_bytes += value ? value->size : 0;
        return FSD_OK;
    }
    if (producer == FSD_NONE && !(t->flags & FSD_TENSOR_INPUT))
        return fail(plan, err, FSD_E_FORMAT, "tensors that a node produces", t->name,
                    "which no node produces");
    if (known_numbers(plan, tensor) && !is_asked_input(plan, tensor))
        fsd_vec_push(plan->arena, &plan->sizes, tensor);
    else
        fsd_vec_push(plan->arena, &plan->inputs, tensor);
    return FSD_OK;
}

static enum fsd_status find_inputs(struct fsd_cut_plan *plan, struct fsd_error *err)
{
    const struct fsd_graph *g = fsd_cut_model(plan);
    bool *needed = FSD_NEW(plan->arena, bool, g->tensors.n + 1);
    enum fsd_status status = FSD_OK;

    for (fsd_id i = 0; i < g->nodes.n; i++)
        for (uint32_t k = 0;
             is_kept(plan, i) && k < g->nodes.at[i].in.n && status == FSD_OK; k++)
            if (fsd_node_has_in(g, i, k))
                status = need(plan, fsd_node_in_tensor(g, i, k), needed, err);
    /* A body may have a tensor of the enclosing graph as its output. */
    for (fsd_id s = 1; s < g->scopes.n; s++)
        for (uint32_t k = 0; is_kept(plan, g->scopes.at[s].owner) &&
                             k < g->scopes.at[s].outputs.n && status == FSD_OK;
             k++)
            status =
                need(plan, g->links.at[g->scopes.at[s].outputs.at + k], needed, err);
    return status;
}

/* Indexed by tensor: whether the tensor is needed outside of the part. This is so if a
 * node outside of the part reads the tensor, if the tensor is an output of the model,
 * or if the user names the tensor in opt->to. */
static bool *read_outside(const struct fsd_cut_plan *plan)
{
    const struct fsd_graph *g = fsd_cut_model(plan);
    bool *read = FSD_NEW(plan->arena, bool, g->tensors.n + 1);

    for (fsd_id t = 0; t < g->tensors.n; t++) {
        struct fsd_span readers = g->tensors.at[t].consumers;

        read[t] = g->tensors.at[t].flags & FSD_TENSOR_OUTPUT;
        FSD_EACH_ID (reader, g->links, readers)
            read[t] |= !is_kept(plan, reader);
    }
    for (fsd_id s = 1; s < g->scopes.n; s++)
        for (uint32_t k = 0;
             !is_kept(plan, g->scopes.at[s].owner) && k < g->scopes.at[s].outputs.n;
             k++)
            read[g->links.at[g->scopes.at[s].outputs.at + k]] = true;
    for (unsigned i = 0; i < plan->opt->n_to; i++)
        read[fsd_graph_find(
            g, fsd_intern_find(g->names, plan->opt->to[i], strlen(plan->opt->to[i])),
            0)] = true;
    return read;
}

/* Finds a tensor that has several producers. A kept node must produce or read the
 * tensor. Returns the name of the tensor; 0 if there is no such tensor. */
static fsd_sym find_collision(const struct fsd_cut_plan *plan)
{
    const struct fsd_graph *g = fsd_cut_model(plan);

    for (uint32_t i = 0; i < g->remarks.n; i++) {
        fsd_sym name = g->remarks.at[i].text;
        fsd_id tensor = !strcmp(g->remarks.at[i].rule, "input/duplicate-output")
                            ? fsd_graph_find(g, name, 0)
                            : FSD_NONE;
        struct fsd_span uses[2] = {fsd_graph_tensor(g, tensor)->producers,
                                   fsd_graph_tensor(g, tensor)->consumers};
        for (int u = 0; u < 2; u++)
            for (uint32_t k = 0; k < uses[u].n; k++)
                if (is_kept(plan, g->links.at[uses[u].at + k]))
                    return name;
    }
    return 0;
}

/* Finds the outputs: the tensors that kept nodes produce, and that are read outside. If
 * none is read outside, all tensors that kept nodes produce are outputs. The constants
 * of FSD_KEPT_CONSTANT nodes are never outputs: another part that reads such a constant
 * has its own copy of the node. */
static enum fsd_status find_outputs(struct fsd_cut_plan *plan, struct fsd_error *err)
{
    const struct fsd_graph *g = fsd_cut_model(plan);
    const bool *read = read_outside(plan);
    fsd_sym twice = find_collision(plan);

    if (twice)
        return fail(plan, err, FSD_E_FORMAT, "one producer of each tensor", twice,
                    "to which several nodes write");
    for (int unread = 0; unread < 2 && !plan->outputs.n; unread++)
        for (fsd_id i = 0; i < g->nodes.n && !g->nodes.at[i].scope; i++)
            for (uint32_t k = 0; plan->kept[i] && k < g->nodes.at[i].out.n; k++) {
                fsd_id made = fsd_node_out_tensor(g, i, k);

                if (made == FSD_NONE)
                    continue;
                if (!g->tensors.at[made].name)
                    return fail(plan, err, FSD_E_FORMAT, "one producer of each tensor",
                                g->nodes.at[i].name,
                                "which writes the same tensor as another node");
                if (plan->kept[i] != FSD_KEPT_CONSTANT && (read[made] || unread))
                    fsd_vec_push(plan->arena, &plan->outputs, made);
            }
    return FSD_OK;
}

/* ------------------------------------------------------------------- declaring */

/* Checks that each input and output of the cut can be declared. This is impossible for
 * a sequence or an optional, and for a tensor whose type no rule infers. */
static enum fsd_status check_types(const struct fsd_cut_plan *plan,
                                   struct fsd_error *err)
{
    const struct fsd_graph *g = fsd_cut_model(plan);
    const fsd_id_vec *lists[] = {&plan->inputs, &plan->outputs};

    for (int l = 0; l < 2; l++)
        for (uint32_t i = 0; i < lists[l]->n; i++) {
            const struct fsd_tensor *t = &g->tensors.at[lists[l]->at[i]];

            if (t->flags & (l ? FSD_TENSOR_OUTPUT : FSD_TENSOR_INPUT))
                continue; /* the model declares the tensor */
            if (t->item != FSD_NONE)
                return fail(
                    plan, err, FSD_E_UNSUPPORTED,
                    "only values of tensor type at the edge of the cut", t->name,
                    "which is a sequence or an optional: cut at a different tensor");
            if (!plan->opt->fails &&
                !fsd_tensor_info(plan->arena, plan->d, lists[l]->at[i]).type)
                return fail(plan, err, FSD_E_UNSUPPORTED,
                            "known types at the edge of the cut", t->name,
                            "whose type is unknown: cut at a different tensor");
        }
    return FSD_OK;
}

enum fsd_status fsd_cut_new(struct fsd_cut_plan **out, struct fsd_arena *arena,
                            const struct fsd_diff *d, const struct fsd_cut_options *opt,
                            struct fsd_error *err)
{
    struct fsd_cut_plan *plan = FSD_NEW(arena, struct fsd_cut_plan, 1);
    enum fsd_status status;

    *out = plan;
    plan->arena = arena;
    plan->d = d;
    plan->opt = opt;
    plan->weight = FSD_NEW(arena, bool, d->model->tensors.n + 1);
    if (strcmp(d->model->kind, "onnx") != 0)
        return fsd_fail(
            err, FSD_E_ARG, d->model->path, FSD_POS_NONE, 0,
            "expected an ONNX file to cut, found the nodes of a log or an engine");
    status = fsd_cut_pick(plan, err);
    FSD_THEN(status, check_order(plan, err));
    FSD_THEN(status, find_inputs(plan, err));
    FSD_THEN(status, find_outputs(plan, err));
    return status == FSD_OK ? check_types(plan, err) : status;
}

/* ---------------------------------------------------------------------- edits */

/* Drops the tensor from each list of the main graph in which it must not stay.
 * @param in  whether the tensor is an input of the cut
 * @param out whether the tensor is an output of the cut */
static void edit_tensor(const struct fsd_cut_plan *plan, struct fsd_onnx_edits *edits,
                        fsd_id tensor, bool in, bool out)
{
    const struct fsd_graph *g = fsd_cut_model(plan);
    const struct fsd_tensor *t = &g->tensors.at[tensor];
    fsd_id producer = fsd_tensor_producer(g, tensor);
    bool inside = is_kept(plan, producer);
    unsigned gone = 0;

    if (!plan->weight[tensor])
        gone |= FSD_ONNX_INITIALIZERS | FSD_ONNX_SPARSE;
    if (!in && !plan->weight[tensor])
        gone |= FSD_ONNX_INPUTS;
    if (!out)
        gone |= FSD_ONNX_OUTPUTS;
    if (in || out || !inside)
        gone |= FSD_ONNX_VALUES;
    if (!in && !out && !inside && !plan->weight[tensor])
        gone |= FSD_ONNX_ANNOTATIONS;
    fsd_onnx_drop_listed(edits, gone, t->name);
}

static bool is_open(const struct fsd_graph *g, fsd_id tensor)
{
    const struct fsd_form *form = fsd_tensor_form(g, tensor);
    bool open = !form->ranked;

    for (uint32_t i = 0; i < form->dims.n; i++)
        open |= g->dims.at[form->dims.at + i].size < 0;
    return open;
}

/* Declares a tensor in a list. The model's declaration stays if it states all sizes, or
 * if it declares a sequence or an optional. */
static void declare(const struct fsd_cut_plan *plan, struct fsd_onnx_edits *edits,
                    enum fsd_onnx_list list, fsd_id tensor)
{
    const struct fsd_graph *g = fsd_cut_model(plan);
    unsigned listed = list == FSD_ONNX_INPUTS ? FSD_TENSOR_INPUT : FSD_TENSOR_OUTPUT;
    bool there = g->tensors.at[tensor].flags & listed;
    struct fsd_onnx_info info = fsd_tensor_info(plan->arena, plan->d, tensor);

    if (!info.type && plan->opt->fails)
        info.type = fsd_dtype_onnx(FSD_FP32);
    if (!there ||
        (is_open(g, tensor) && info.type && g->tensors.at[tensor].item == FSD_NONE))
        fsd_onnx_declare(edits, list, &info);
}

bool fsd_cut_is_flat(const struct fsd_cut_plan *plan, fsd_id output)
{
    struct fsd_onnx_info info = fsd_tensor_info(plan->arena, plan->d, output);

    return !info.ranked && info.type &&
           fsd_cut_model(plan)->tensors.at[output].item == FSD_NONE;
}

static void flatten(const struct fsd_cut_plan *plan, struct fsd_onnx_edits *edits,
                    fsd_id output)
{
    static const int64_t sizes[] = {1, -1};
    static const char *const open[] = {NULL, NULL};
    struct fsd_onnx_info info = fsd_tensor_info(plan->arena, plan->d, output);
    const char *inputs[] = {info.name}, *outputs[1];
    struct fsd_onnx_new_attribute axis = {.name = "axis", .number = 0};

    info.name = outputs[0] =
        fsd_onnx_new_name(edits, fsd_printed(plan->arena, "%s_flat", info.name));
    info.ranked = true;
    info.rank = 2;
    info.sizes = sizes;
    info.names = open;
    fsd_onnx_add_node(edits, &(struct fsd_onnx_whole_node){.op = "Flatten",
                                                           .name = info.name,
                                                           .domain = "",
                                                           .inputs = inputs,
                                                           .outputs = outputs,
                                                           .n_inputs = 1,
                                                           .n_outputs = 1,
                                                           .attributes = &axis,
                                                           .n_attributes = 1});
    fsd_onnx_declare(edits, FSD_ONNX_OUTPUTS, &info);
}

static void add_sizes(const struct fsd_cut_plan *plan, struct fsd_onnx_edits *edits,
                      fsd_id tensor)
{
    const struct fsd_graph *g = fsd_cut_model(plan);
    const struct fsd_sizes *s = plan->d->cost->sizes;
    const struct fsd_ints *ints = known_numbers(plan, tensor);
    unsigned char bytes[8 * FSD_INTS];
    enum fsd_dtype type = fsd_tensor_form(g, tensor)->type;
    unsigned width = type == FSD_INT64 ? 8 : 4;
    int64_t number = 0;

    for (unsigned i = 0; ints && i < ints->n; i++) {
        fsd_amount_number(s->amounts, ints->at[i], &number);
        for (unsigned k = 0; k < width; k++)
            bytes[i * width + k] = (unsigned char)((uint64_t)number >> 8 * k);
    }
    if (ints)
        fsd_onnx_add_array(edits, fsd_text(g->names, g->tensors.at[tensor].name),
                           fsd_dtype_onnx(type),
                           fsd_shape_of(s, tensor)->rank ? (int64_t)ints->n : -1, bytes,
                           (size_t)ints->n * width);
}

static void keep_functions(const struct fsd_cut_plan *plan,
                           struct fsd_onnx_edits *edits)
{
    const struct fsd_graph *g = fsd_cut_model(plan);
    FSD_VEC(struct fsd_onnx_called) called = {0};

    for (fsd_id i = 0; i < g->nodes.n; i++) {
        const struct fsd_node *n = &g->nodes.at[i];
        struct fsd_onnx_called one = {fsd_text(g->names, n->domain),
                                      fsd_text(g->names, n->op)};
        bool known = false;

        if (!(n->flags & FSD_NODE_CALL) || !is_kept(plan, i))
            continue;
        for (uint32_t k = 0; k < called.n && !known; k++)
            known = called.at[k].name == one.name && called.at[k].domain == one.domain;
        if (!known)
            fsd_vec_push(plan->arena, &called, one);
    }
    fsd_onnx_keep_functions(edits, called.at, called.n);
}

struct fsd_onnx_edits *fsd_cut_edits(const struct fsd_cut_plan *plan)
{
    const struct fsd_graph *g = fsd_cut_model(plan);
    struct fsd_onnx_edits *edits = fsd_onnx_edits_new(plan->arena, g);
    bool *in = FSD_NEW(plan->arena, bool, g->tensors.n + 1);
    bool *out = FSD_NEW(plan->arena, bool, g->tensors.n + 1);

    for (fsd_id i = 0; i < g->nodes.n && !g->nodes.at[i].scope; i++)
        if (!plan->kept[i])
            fsd_onnx_drop_node(edits, i);
    for (uint32_t i = 0; i < plan->inputs.n; i++)
        in[plan->inputs.at[i]] = true;
    for (uint32_t i = 0; i < plan->outputs.n; i++)
        out[plan->outputs.at[i]] = !fsd_cut_is_flat(plan, plan->outputs.at[i]);
    for (fsd_id t = 0; t < g->tensors.n; t++)
        if (!g->tensors.at[t].scope && g->tensors.at[t].name)
            edit_tensor(plan, edits, t, in[t], out[t]);
    for (uint32_t i = 0; i < plan->inputs.n; i++)
        declare(plan, edits, FSD_ONNX_INPUTS, plan->inputs.at[i]);
    for (uint32_t i = 0; i < plan->outputs.n; i++)
        if (fsd_cut_is_flat(plan, plan->outputs.at[i]))
            flatten(plan, edits, plan->outputs.at[i]);
        else
            declare(plan, edits, FSD_ONNX_OUTPUTS, plan->outputs.at[i]);
    for (uint32_t i = 0; i < plan->sizes.n; i++)
        add_sizes(plan, edits, plan->sizes.at[i]);
    keep_functions(plan, edits);
    fsd_onnx_drop_training(edits);
    fsd_onnx_set_weights(edits, plan->opt->inline_weights ? FSD_ONNX_WEIGHTS_INLINED
                                                          : FSD_ONNX_WEIGHTS_CHECKED);
    return edits;
}
