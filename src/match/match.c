/*
 * Runs the matching passes in the order of their table, from explicit evidence
 * (metadata) to inference (structure).  A pass adds links (links.c), which are sorted
 * and indexed after each pass. fsd_match_fit() counts evidence that model and engine do
 * not belong together: differences in fixed sizes, types and quantizers, and names that
 * the model does not have.
 */
#include "match/match.h"
#include "base/base.h"
#include "match/pass.h"
#include "model/graph/graph.h"

struct pass {
    const char *name;
    unsigned evidence; /* the pass runs only if some of this evidence may be used */
    void (*run)(struct fsd_match *m);
};

/* The passes run in this order, because later passes use the links of earlier ones. */
static const struct pass passes[] = {
    {"metadata", FSD_BY_METADATA, fsd_pass_metadata},
    {"name", FSD_BY_NAME, fsd_pass_name},
    {"log", FSD_BY_LOG, fsd_pass_log},
    {"steps", FSD_BY_STRUCTURE, fsd_pass_steps},
    {"tensor", FSD_BY_TENSOR, fsd_pass_tensor},
    {"chains", FSD_BY_TENSOR, fsd_pass_chain},
    {"repeated names", FSD_BY_METADATA | FSD_BY_NAME, fsd_pass_repeated},
    {"spans", FSD_BY_PATH, fsd_pass_span},
    {"bodies", FSD_BY_ALL, fsd_pass_body},
    {"loops", FSD_BY_STRUCTURE, fsd_pass_loop},
    {"regions", FSD_BY_TENSOR, fsd_pass_region},
    {"conflicts", FSD_BY_TENSOR, fsd_pass_conflict},
    {"choices", FSD_BY_STRUCTURE, fsd_pass_choice},
};

/* Replaces tensor evidence by structural evidence in all links and regions.  Call it if
 * infer.c inferred the counterparts of tensors, because inferred counterparts are
 * weaker evidence than names. */
static void state_inferred(struct fsd_match *m)
{
    for (uint32_t i = 0; i < m->links.n; i++)
        if (m->links.at[i].by & FSD_BY_TENSOR)
            m->links.at[i].by =
                (m->links.at[i].by & ~(unsigned)FSD_BY_TENSOR) | FSD_BY_STRUCTURE;
    for (uint32_t i = 0; i < m->regions.n; i++)
        m->regions.at[i].by = FSD_BY_STRUCTURE;
}

struct fsd_match *fsd_match_new(struct fsd_arena *arena, const struct fsd_facts *facts,
                                const struct fsd_graph *engine, unsigned evidence,
                                struct fsd_story *story)
{
    struct fsd_match *m = FSD_NEW(arena, struct fsd_match, 1);

    m->arena = arena;
    m->model = facts->g;
    m->engine = engine;
    m->facts = facts;
    m->evidence = evidence;
    m->story = story;
    m->counterpart = fsd_ids_new(arena, engine->tensors.n);
    m->moved_q = fsd_ids_new(arena, engine->tensors.n);
    m->unit = fsd_ids_new(arena, engine->nodes.n);
    m->of_layer = FSD_NEW(arena, struct fsd_span, engine->nodes.n);
    m->layer_sourced = FSD_NEW(arena, bool, engine->nodes.n);
    m->node_sourced = FSD_NEW(arena, bool, m->model->nodes.n);
    m->of_node = FSD_NEW(arena, struct fsd_span, m->model->nodes.n);
    m->region_of_layer = fsd_ids_new(arena, engine->nodes.n);
    m->region_of_node = fsd_ids_new(arena, m->model->nodes.n);
    m->dissolved_in = fsd_ids_new(arena, m->model->nodes.n);
    m->in_weights = FSD_NEW(arena, bool, m->model->nodes.n);
    m->replaced = FSD_NEW(arena, bool, m->model->tensors.n);
    m->gone = FSD_NEW(arena, bool, m->model->nodes.n);
    for (fsd_id i = 0; i < m->model->nodes.n; i++)
        m->gone[i] = facts->same[i] != FSD_SAME_NOT || fsd_match_left(m, i);
    fsd_match_counterparts(m);
    fsd_match_infer(m);
    fsd_match_units(m);
    for (size_t i = 0; i < FSD_COUNT_OF(passes); i++)
        if (passes[i].evidence & evidence) {
            passes[i].run(m);
            fsd_match_index(m);
        }
    if (m->inferred)
        state_inferred(m);
    fsd_match_place_views(m);
    fsd_match_find_runs(m);
    return m;
}

/* Whether a node of the model has an attribute for which the builder's sizes may
 * deviate from the sizes that ONNX defines.  The sizes of the network's outputs are
 * then no evidence.  There are two such attributes:
 *   - `ceil_mode`: the last window of a pooling may begin in the padding,
 *   - `layout`: a recurrent operator has the batch as its first dimension, but builders
 *     read the batch from the second dimension. */
static bool departs_from_onnx(const struct fsd_graph *model)
{
    static const char *const attrs[] = {"ceil_mode", "layout"};

    for (fsd_id i = 0; i < model->nodes.n; i++)
        for (size_t k = 0; k < FSD_COUNT_OF(attrs); k++) {
            const struct fsd_attr *attr =
                fsd_node_attr(model, &model->nodes.at[i], attrs[k]);

            if (attr && attr->kind == FSD_ATTR_INT && attr->i)
                return true;
        }
    return false;
}

/* Whether the types of a binding in the engine and in the model contradict each other.
 * In a weakly typed build, the user may set a lower precision than the model has
 * (--inputIOFormats), but no higher precision. */
static bool types_differ(const struct fsd_match *m, enum fsd_dtype engine,
                         enum fsd_dtype model)
{
    if (engine == FSD_DTYPE_UNKNOWN || model == FSD_DTYPE_UNKNOWN)
        return false;
    if (model == FSD_FP64) /* the parser converts it to FP32 */
        model = FSD_FP32;
    if (m->engine->strongly_typed)
        return engine != model;
    return fsd_dtype_rank(model) > 0 && fsd_dtype_rank(engine) > fsd_dtype_rank(model);
}

/* The number of the model's Q nodes that are neither folded nor eliminated, if the
 * engine quantizes nothing; else 0.  A number above 0 is a contradiction, because no
 * builder omits the rounding of a Q.  The result is 0 in these cases:
 *   - the file states only the names of layers,
 *   - the type of a port is quantized or unknown,
 *   - evidence other than tensors links a layer to a Q or DQ,
 *   - a Q or DQ is linked to a region of another compiler, which hides its contents. */
static uint32_t quantizers_lost(const struct fsd_match *m)
{
    uint32_t lost = 0;

    for (uint32_t i = 0; i < m->engine->ports.n; i++) {
        enum fsd_dtype type = fsd_port_form(m->engine, &m->engine->ports.at[i])->type;

        if (type == FSD_DTYPE_UNKNOWN || fsd_dtype_is_quantized(type))
            return 0;
    }
    for (fsd_id node = 0; node < m->model->nodes.n && m->engine->detailed; node++) {
        if (!(m->facts->traits[node] & FSD_OP_QDQ) || m->facts->folded[node])
            continue;
        for (uint32_t i = 0; i < m->of_node[node].n; i++) {
            const struct fsd_link *link = fsd_match_of_node(m, node, i);

            if (link->by & ~(unsigned)FSD_BY_TENSOR ||
                m->engine->layers.at[link->layer].kind == FSD_KIND_FOREIGN)
                return 0;
        }
        lost += (m->facts->traits[node] & FSD_OP_QUANTIZE) && !m->gone[node];
    }
    return lost;
}

/* The only node with weights that Metadata or a name assigns to the layer; FSD_NONE if
 * there is none or more than one. */
static fsd_id named_weighted(const struct fsd_match *m, fsd_id layer)
{
    fsd_id found = FSD_NONE;

    for (uint32_t i = 0; i < m->of_layer[layer].n; i++) {
        const struct fsd_link *link = fsd_match_of_layer(m, layer, i);

        if (!(link->by & (FSD_BY_METADATA | FSD_BY_NAME)) ||
            !(m->facts->traits[link->node] & FSD_OP_WEIGHTED))
            continue;
        found = fsd_id_both(found, link->node);
    }
    return fsd_id_only(found);
}

static void fit_weights(const struct fsd_match *m, struct fsd_fit *fit)
{
    for (fsd_id i = 0; i < m->engine->layers.n; i++) {
        uint64_t weights = m->engine->layers.at[i].weights;
        fsd_id node = weights ? named_weighted(m, i) : FSD_NONE;
        int64_t count = node == FSD_NONE ? -1 : fsd_match_weight_count(m, node);

        if (count < 0)
            continue;
        fit->weighted++;
        if (weights == (uint64_t)count || fit->weights_unlike++)
            continue;
        fit->heavy.layer = i;
        fit->heavy.node = node;
        fit->heavy.count = count;
    }
}

/* ------------------------------------------------------------- weights of 4 bits */

static bool is_of_4_bits(enum fsd_dtype type)
{
    return fsd_dtype_bits(type) == 4;
}

/* The number of elements of the 4-bit constant that the node reads as its weight,
 * directly or through a DQ, a Cast or a Transpose; -1 if the node reads no such
 * constant, or if the number is unknown. */
static int64_t packed_count(const struct fsd_match *m, fsd_id node)
{
    fsd_id tensor = fsd_node_in_tensor(m->model, node, 1);

    if (!(m->facts->traits[node] & FSD_OP_WEIGHTED) ||
        !fsd_is_constant(m->facts, tensor))
        return -1;
    while (!is_of_4_bits(fsd_tensor_form(m->model, tensor)->type)) {
        fsd_id by = fsd_tensor_producer(m->model, tensor);

        if (by == FSD_NONE ||
            (!(m->facts->traits[by] & (FSD_OP_QDQ | FSD_OP_VIEW | FSD_OP_CASTS)) &&
             !fsd_node_is(m->model, by, FSD_ONNX_Transpose)))
            return -1;
        tensor = fsd_node_in_tensor(m->model, by, 0);
    }
    return fsd_form_count(m->model, fsd_tensor_form(m->model, tensor));
}

/* The floating-point type of the layer's only constant with `count` elements;
 * FSD_DTYPE_UNKNOWN if there is no such constant or more than one. */
static enum fsd_dtype float_constant(const struct fsd_match *m, fsd_id layer,
                                     int64_t count)
{
    struct fsd_span all = m->engine->layers.at[layer].constants;
    enum fsd_dtype type = FSD_DTYPE_UNKNOWN;
    uint32_t found = 0;

    for (uint32_t i = 0; i < all.n; i++) {
        const struct fsd_form *form =
            fsd_port_form(m->engine, &m->engine->ports.at[all.at + i]);

        if (fsd_form_count(m->engine, form) != count)
            continue;
        type = form->type;
        found++;
    }
    return found == 1 && fsd_dtype_rank(type) >= fsd_dtype_rank(FSD_FP16)
               ? type
               : FSD_DTYPE_UNKNOWN;
}

/* Whether nothing in the engine has 4 bits.  False if the type of a port is unknown, or
 * if a kernel does not list its constants. */
static bool has_no_4_bits(const struct fsd_match *m)
{
    for (uint32_t i = 0; i < m->engine->ports.n; i++) {
        enum fsd_dtype type = fsd_port_form(m->engine, &m->engine->ports.at[i])->type;

        if (type == FSD_DTYPE_UNKNOWN || is_of_4_bits(type))
            return false;
    }
    for (fsd_id i = 0; i < m->engine->layers.n; i++)
        if (fsd_kind_computes(m->engine->layers.at[i].kind) &&
            !m->engine->layers.at[i].lists_constants)
            return false;
    return true;
}

/* Counts the 4-bit weights that the engine stores as floats.  A strongly typed builder
 * keeps weights in the model's types.  A weakly typed builder may dequantize weights,
 * so engines of such a builder are not checked. */
static void fit_packed(const struct fsd_match *m, struct fsd_fit *fit)
{
    if (!m->engine->strongly_typed || !m->engine->detailed || !has_no_4_bits(m))
        return;
    FSD_EACH (const struct fsd_link, link, m->links) {
        int64_t count = packed_count(m, link->node);
        enum fsd_dtype type =
            count > 1 ? float_constant(m, link->layer, count) : FSD_DTYPE_UNKNOWN;

        if (type == FSD_DTYPE_UNKNOWN || fit->packed++)
            continue;
        fit->packed_layer = link->layer;
        fit->packed_node = link->node;
        fit->packed_as = type;
    }
}

/* ----------------------------------------------------------------- quantized types */

static void note_narrow(const struct fsd_form *form, bool has[FSD__DTYPE_COUNT])
{
    has[form->type] |= fsd_dtype_is_quantized(form->type);
}

static enum fsd_dtype first_of(const bool has[FSD__DTYPE_COUNT])
{
    unsigned i = 0;

    while (i < FSD__DTYPE_COUNT && !has[i])
        i++;
    return i < FSD__DTYPE_COUNT ? (enum fsd_dtype)i : FSD_DTYPE_UNKNOWN;
}

/* If the model and the engine have quantized types, but none in common, records one
 * quantized type of each.  No builder quantizes to a type that the model's quantizers
 * do not state. */
static void fit_narrow(const struct fsd_match *m, struct fsd_fit *fit)
{
    bool model[FSD__DTYPE_COUNT] = {false}, engine[FSD__DTYPE_COUNT] = {false};

    for (fsd_id node = 0; node < m->model->nodes.n; node++) {
        fsd_id t = fsd_node_in_tensor(m->model, node, 0);

        if (!(m->facts->traits[node] & FSD_OP_QDQ))
            continue;
        if (m->facts->traits[node] & FSD_OP_QUANTIZE) {
            t = fsd_id_or(fsd_node_in_tensor(m->model, node, 2),
                          fsd_node_out_tensor(m->model, node, 0));
            if (!fsd_dtype_is_quantized(fsd_tensor_form(m->model, t)->type))
                return; /* the model does not state the quantized type */
        }
        note_narrow(fsd_tensor_form(m->model, t), model);
    }
    for (uint32_t i = 0; i < m->engine->ports.n; i++)
        note_narrow(fsd_port_form(m->engine, &m->engine->ports.at[i]), engine);
    for (unsigned i = 0; i < FSD__DTYPE_COUNT; i++)
        if (model[i] && engine[i])
            return;
    if (first_of(model) && first_of(engine)) {
        fit->narrow = first_of(model);
        fit->narrow_as = first_of(engine);
    }
}

struct fsd_fit fsd_match_fit(const struct fsd_match *m)
{
    struct fsd_fit fit = {.unlike = FSD_NONE,
                          .heavy = {FSD_NONE, FSD_NONE, 0},
                          .packed_layer = FSD_NONE,
                          .packed_node = FSD_NONE,
                          .quantizers = quantizers_lost(m)};
    bool departs = departs_from_onnx(m->model);

    FSD_EACH (const struct fsd_layer, layer, m->engine->layers) {
        /* The builder invents the names of these layers, such as "wait_0". */
        if (layer->kind == FSD_KIND_SHAPE || layer->kind == FSD_KIND_SYNC)
            continue;
        FSD_EACH_IN (const struct fsd_mention, mention, m->engine->mentions,
                     layer->mentions)
            if (mention->role != FSD_MENTION_HELPER) {
                fit.names++;
                fit.names_found +=
                    mention->node != FSD_NONE || mention->tensor != FSD_NONE;
            }
    }
    for (fsd_id t = 0; t < m->engine->tensors.n; t++) {
        const struct fsd_form *engine = fsd_match_binding_form(m, t), *model;
        bool output = m->engine->tensors.at[t].flags & FSD_TENSOR_OUTPUT;

        if (!(m->engine->tensors.at[t].flags & FSD_TENSOR_BINDING))
            continue;
        fit.tensors++;
        if (!fsd_match_holds(m, t))
            continue;
        fit.tensors_found++;
        model = fsd_tensor_form(m->model, m->counterpart[t]);
        if (((!(output && departs) &&
              fsd_match_sizes_differ(m, engine, model, output)) ||
             types_differ(m, engine->type, model->type)) &&
            !fit.tensors_unlike++)
            fit.unlike = t;
    }
    fit_weights(m, &fit);
    fit_packed(m, &fit);
    fit_narrow(m, &fit);
    return fit;
}
