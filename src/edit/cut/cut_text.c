/* Prints the contents of a cut on a terminal. */
#include "base/base.h"
#include "edit/cut/cut.h"
#include "model/graph/graph.h"

static void put_name(const struct fsd_cut_plan *plan, fsd_sym name, FILE *out)
{
    char room[FSD_BRIEF_ROOM];

    fsd_put_safe(out, fsd_brief(fsd_text(plan->d->names, name), room));
}

/* Prints the type and sizes of a tensor, such as "fp32 1x3x?". Dynamic sizes are
 * printed by name. */
static void put_info(const struct fsd_cut_plan *plan, fsd_id tensor, FILE *out)
{
    struct fsd_onnx_info info = fsd_tensor_info(plan->arena, plan->d, tensor);

    fputs(fsd_dtype_name(fsd_tensor_form(plan->d->model, tensor)->type), out);
    if (!info.ranked)
        fputs(" of an unknown rank", out);
    else if (!info.rank)
        fputs(" scalar", out);
    for (uint32_t i = 0; i < info.rank; i++) {
        fputs(i ? "x" : " ", out);
        if (info.sizes[i] >= 0)
            fprintf(out, "%lld", (long long)info.sizes[i]);
        else
            fsd_put_safe(out, info.names[i] && *info.names[i] ? info.names[i] : "?");
    }
}

static void put_tensors(const struct fsd_cut_plan *plan, const char *title,
                        const fsd_id_vec *list, FILE *out)
{
    enum { MOST = 12 };

    for (uint32_t i = 0; i < list->n && i < MOST; i++) {
        fprintf(out, "  %-9s", i ? "" : title);
        put_name(plan, plan->d->model->tensors.at[list->at[i]].name, out);
        fputs("  ", out);
        put_info(plan, list->at[i], out);
        if (list == &plan->outputs && fsd_cut_is_flat(plan, list->at[i]))
            fputs(", which an added Flatten turns into a single row", out);
        fputs("\n", out);
    }
    if (list->n > MOST)
        fprintf(out, "           and %u more\n", list->n - MOST);
}

/* Prints " nodes 7 of 120: 3 selected, 4 Q/DQ at the edges". */
static void put_nodes(const struct fsd_cut_plan *plan, FILE *out)
{
    static const char *const words[FSD__KEPT_COUNT] = {
        [FSD_KEPT_ASKED] = "selected",
        [FSD_KEPT_CONTEXT] = "next to the selected nodes",
        [FSD_KEPT_QUANTIZER] = "Q/DQ at the edges",
        [FSD_KEPT_CONSTANT] = "producing constants"};
    const struct fsd_graph *g = plan->d->model;
    uint32_t kept = 0, all = 0;
    const char *before = ": ";

    for (unsigned k = FSD_KEPT_ASKED; k < FSD__KEPT_COUNT; k++)
        kept += plan->count[k];
    while (all < g->nodes.n && !g->nodes.at[all].scope)
        all++;
    fprintf(out, "  nodes    %u of %u", kept, all);
    for (unsigned k = FSD_KEPT_ASKED; k < FSD__KEPT_COUNT; k++)
        if (plan->count[k]) {
            fprintf(out, "%s%u %s", before, plan->count[k], words[k]);
            before = ", ";
        }
    fputs("\n", out);
}

static void put_layers(const struct fsd_cut_plan *plan, FILE *out)
{
    enum { MOST = 4 };

    for (uint32_t i = 0; i < plan->layers.n && i < MOST; i++) {
        fprintf(out, "  %-9s%u ", i ? "" : "layer", plan->layers.at[i]);
        put_name(plan, plan->d->engine->nodes.at[plan->layers.at[i]].name, out);
        fputs("\n", out);
    }
    if (plan->layers.n > MOST)
        fprintf(out, "           and %u more\n", plan->layers.n - MOST);
}

static void put_weights(const struct fsd_cut_plan *plan, FILE *out)
{
    if (!plan->n_weights) {
        fputs("  weights  none\n", out);
        return;
    }
    fprintf(out, "  weights  %u initializer%s, ", plan->n_weights,
            fsd_plural(plan->n_weights));
    fsd_put_scaled((int64_t)plan->weight_bytes, NULL, " B", out);
    fputs("\n", out);
}

/* ---------------------------------------------------------------------- alone */

static bool is_core(const struct fsd_cut_plan *plan, fsd_id node)
{
    return plan->kept[plan->main_of[node]] == FSD_KEPT_ASKED &&
           plan->d->nodes[node].fate == FSD_FATE_LAYER &&
           !(fsd_traits_of(plan->d->facts, node) & FSD_OP_QDQ);
}

static bool is_in_one_layer(const struct fsd_match *m, fsd_id a, fsd_id b)
{
    for (uint32_t i = 0; i < m->of_node[a].n; i++)
        if (fsd_match_has(m, fsd_match_of_node(m, a, i)->layer, b))
            return true;
    return m->region_of_node[a] != FSD_NONE &&
           m->region_of_node[a] == m->region_of_node[b];
}

/* The core: the requested nodes that layers compute. Quantizers are left out. */
static fsd_id_vec core_of(const struct fsd_cut_plan *plan)
{
    fsd_id_vec core = {0};

    for (fsd_id i = 0; i < plan->d->model->nodes.n; i++)
        if (is_core(plan, i))
            fsd_vec_push(plan->arena, &core, i);
    return core;
}

static void put_pair(const struct fsd_cut_plan *plan, fsd_id a, fsd_id b,
                     const char *is, FILE *out)
{
    fputs("  alone    different fusions: ", out);
    fsd_put_node_name(plan->d, a, out);
    fputs(" and ", out);
    fsd_put_node_name(plan->d, b, out);
    fprintf(out, " %s\n", is);
}

/* Whether one of the engines states only the names of its layers. If so, prints that
 * nothing can be compared, because types are unknown and links are missing. */
static bool names_only(const struct fsd_cut_plan *plan, const struct fsd_diff *alone,
                       FILE *out)
{
    bool own = !plan->d->engine->detailed, other = !alone->engine->detailed;

    if (own || other)
        fprintf(out,
                "  alone    unknown fusions: %s states only the names of its layers; "
                "build it with --profilingVerbosity=detailed\n",
                other ? "the engine of the part" : "the engine of the model");
    return own || other;
}

/* Whether exactly one layer computes the node, and the node is in no region. */
static bool has_one_layer(const struct fsd_match *m, fsd_id node)
{
    return m->of_node[node].n == 1 && m->region_of_node[node] == FSD_NONE;
}

/* Returns an array of hashes, indexed by node. The hash of a core node is a hash of the
 * nodes that follow it in `core` and are in the same layer. If the node has several
 * layers, the hash has no meaning. */
static uint64_t *hash_later(const struct fsd_cut_plan *plan, const struct fsd_match *m,
                            const fsd_id_vec *core)
{
    uint64_t *hash = FSD_NEW(plan->arena, uint64_t, m->model->nodes.n + 1);
    uint64_t *sum = FSD_NEW(plan->arena, uint64_t, m->engine->nodes.n + 1);

    for (uint32_t i = core->n; i-- > 0;) {
        fsd_id node = core->at[i];

        for (uint32_t k = 0; k < m->of_node[node].n; k++) {
            uint64_t *of = &sum[fsd_match_of_node(m, node, k)->layer];

            hash[node] = *of;
            *of += fsd_hash_mix(node, 0);
        }
    }
    return hash;
}

/* Finds a node that shares a layer with `a` in one of the two builds, but not in the
 * other build. Returns the first such node of the core, from index `k` on; FSD_NONE if
 * there is none. */
static fsd_id first_apart(const struct fsd_cut_plan *plan, const struct fsd_diff *alone,
                          const fsd_id_vec *core, fsd_id a, uint32_t k)
{
    for (; k < core->n; k++)
        if (is_in_one_layer(plan->d->match, a, core->at[k]) !=
            is_in_one_layer(alone->match, a, core->at[k]))
            return core->at[k];
    return FSD_NONE;
}

/* Compares which nodes of the core are computed together. Prints that both builds
 * agree, or the first difference. */
static void put_alone(const struct fsd_cut_plan *plan, const struct fsd_diff *alone,
                      FILE *out)
{
    fsd_id_vec core = core_of(plan);
    const uint64_t *own = hash_later(plan, plan->d->match, &core);
    const uint64_t *its = hash_later(plan, alone->match, &core);
    fsd_id other = FSD_NONE; /* the first node whose precision differs between builds */

    if (names_only(plan, alone, out))
        return;
    for (uint32_t i = 0; i < core.n; i++) {
        fsd_id a = core.at[i], apart;

        if (alone->nodes[a].fate != FSD_FATE_LAYER) {
            fputs("  alone    unknown fusions: no layer of the part's engine computes ",
                  out);
            fsd_put_node_name(plan->d, a, out);
            fputs("\n", out);
            return;
        }
        if (fsd_opaque_layer_of(alone->match, alone->layers, a) != FSD_NONE ||
            fsd_opaque_layer_of(plan->d->match, plan->d->layers, a) != FSD_NONE) {
            fputs("  alone    unknown fusions: one of the engines does not list the "
                  "kernels of the region that contains ",
                  out);
            fsd_put_node_name(plan->d, a, out);
            fputs("\n", out);
            return;
        }
        if (other == FSD_NONE && alone->nodes[a].realised != plan->d->nodes[a].realised)
            other = a;
        apart = has_one_layer(plan->d->match, a) && has_one_layer(alone->match, a) &&
                        own[a] == its[a]
                    ? FSD_NONE
                    : first_apart(plan, alone, &core, a, i + 1);
        if (apart != FSD_NONE) {
            put_pair(plan, a, apart,
                     is_in_one_layer(plan->d->match, a, apart)
                         ? "are not fused when the part is built alone"
                         : "are fused only when the part is built alone",
                     out);
            return;
        }
    }
    fprintf(out, "  alone    the same fusions for the %u node%s that layers compute",
            core.n, fsd_plural(core.n));
    if (other == FSD_NONE) {
        fputs(", in the same precision\n", out);
        return;
    }
    fputs("; ", out);
    fsd_put_node_name(plan->d, other, out);
    fprintf(out, " runs in %s instead of %s\n",
            fsd_dtype_name(alone->nodes[other].realised),
            fsd_dtype_name(plan->d->nodes[other].realised));
}

void fsd_cut_print(const struct fsd_cut_plan *plan, const char *path,
                   const struct fsd_diff *alone, FILE *out)
{
    fputs("cut of ", out);
    fputs(plan->d->model->path, out);
    fputs("\n", out);
    put_layers(plan, out);
    put_nodes(plan, out);
    put_tensors(plan, "inputs", &plan->inputs, out);
    put_tensors(plan, "outputs", &plan->outputs, out);
    put_tensors(plan, "fixed", &plan->sizes, out);
    put_weights(plan, out);
    if (alone)
        put_alone(plan, alone, out);
    if (path)
        fsd_cut_put_commands(plan, path, out);
}
