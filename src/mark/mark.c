/*
 * Puts the parts together, and what they share: which group computes a node, and who
 * uses the values of a tensor.  A tensor's consumers are found through nodes that no
 * layer computes (a Reshape, a folded Cast), since those behind these read the tensor
 * itself; each node is visited once.
 */
#include "mark/mark.h"
#include "base/status.h"

FSD_NAMES(fsd_place_name, unsigned, FSD__PLACE_COUNT, [FSD_PLACE_BETWEEN] = "between",
          [FSD_PLACE_WRITTEN] = "written", [FSD_PLACE_INSIDE] = "inside",
          [FSD_PLACE_GONE] = "gone", [FSD_PLACE_UNKNOWN] = "unknown")

FSD_NAMES(
    fsd_fusion_kind_name, unsigned,
    FSD__FUSION_COUNT, [FSD_FUSION_NONE] = "single", [FSD_FUSION_VERTICAL] = "vertical",
    [FSD_FUSION_HORIZONTAL] = "horizontal", [FSD_FUSION_EPILOGUE] = "epilogue",
    [FSD_FUSION_ATTENTION] = "attention", [FSD_FUSION_GROUP] = "group")

static const struct {
    const char *name, *text;
} whys[] = {
    [FSD_WHY_NONE] = {"", ""},
    [FSD_WHY_INPUT] = {"input", "it is an input of the network"},
    [FSD_WHY_OUTPUT] = {"output", "it is an output of the network already"},
    [FSD_WHY_CONV] =
        {"epilogue", "an output is row-major: to write that layout, the builder splits "
                     "the nodes after the Conv from its kernel"},
    [FSD_WHY_FORM] = {"form", "the generated kernel writes it in another layout or "
                              "shape than an output has, and the conversion may be "
                              "fused with a part of the kernel"},
    [FSD_WHY_READER] = {"reader", "it is not row-major, and the conversion may be "
                                  "fused with a part of the kernel that reads it"},
    [FSD_WHY_JOINED] =
        {"joined", "one kernel computes several products and writes one tensor: if "
                   "marked, another kernel computes this one"},
    [FSD_WHY_IN_PLACE] = {"in-place",
                          "its producer writes it in place in a Concat: if marked, the "
                          "Concat becomes a copy kernel"},
    [FSD_WHY_LOOP] = {"loop",
                      "control flow or a recurrent operator writes or reads it"},
    [FSD_WHY_BODY] =
        {"body", "it is a tensor of a body, and cannot be an output of the network"},
    [FSD_WHY_SPREAD] =
        {"spread", "several kernels compute its fusion, and the builder may divide "
                   "it differently"},
    [FSD_WHY_QUANTIZED] =
        {"quantized", "it is quantized: as an output of that type it may change the "
                      "fusion of its Q"},
    [FSD_WHY_SCALED] = {"scaled",
                        "the layer that reads it applies the scale of its DQ"},
    [FSD_WHY_FOLDED] = {"folded", "it is a build-time constant"},
    [FSD_WHY_SIZE] = {"size", "it is a size, computed before any kernel runs"},
    [FSD_WHY_DEAD] = {"dead", "no output of the network depends on it"},
    [FSD_WHY_MERGED] = {"merged", "a duplicate node has its values"},
    [FSD_WHY_VIEW] = {"view", "it is another view of the same values"},
    [FSD_WHY_PARTS] = {"parts", "layers write its parts in place"},
    [FSD_WHY_NO_LAYER] = {"no-layer", "it is not known which layer computes it"},
    [FSD_WHY_OPAQUE] = {"opaque",
                        "the engine reports the region as one layer, not its kernels"},
};
_Static_assert(FSD_COUNT_OF(whys) == FSD__WHY_COUNT, "a row each");

const char *fsd_place_why_name(unsigned why)
{
    return whys[why].name;
}

const char *fsd_place_why_text(unsigned why)
{
    return whys[why].text;
}

/* ------------------------------------------------------------------ what is asked */

bool fsd_layer_is_generated(const struct fsd_graph *engine, fsd_id layer)
{
    const struct fsd_layer *l = &engine->layers.at[layer];

    return l->provider == FSD_PROVIDER_COMPILER && l->steps.n &&
           l->more_steps != FSD_STEPS_GO_ON;
}

bool fsd_node_is_conv(const struct fsd_diff *d, fsd_id node)
{
    return fsd_node_is(d->model, node, FSD_ONNX_Conv) ||
           fsd_node_is(d->model, node, FSD_ONNX_ConvTranspose);
}

bool fsd_node_is_product(const struct fsd_diff *d, fsd_id node)
{
    return fsd_node_is_conv(d, node) || fsd_node_is(d->model, node, FSD_ONNX_MatMul) ||
           fsd_node_is(d->model, node, FSD_ONNX_Gemm);
}

/* ------------------------------------------------------------------------- users */

/* Tensors still to be visited; each has the number of its walk. */
struct walk {
    const struct fsd_marks *m;
    struct fsd_arena *scratch;
    fsd_id_vec todo;
};

/* With all tensors of the same value: duplicates are computed once. */
static void visit(struct walk *w, fsd_id tensor)
{
    if (tensor != FSD_NONE)
        tensor = w->m->d->facts->value[tensor];
    if (tensor == FSD_NONE || w->m->stamps[tensor] == *w->m->walks)
        return;
    w->m->stamps[tensor] = *w->m->walks;
    for (; tensor != FSD_NONE; tensor = w->m->next_same[tensor])
        fsd_vec_push(w->scratch, &w->todo, tensor);
}

static void add_group(const struct fsd_marks *m, struct fsd_users *users, fsd_id group)
{
    for (uint32_t i = 0; i < users->groups.n; i++)
        if (users->groups.at[i] == group)
            return;
    fsd_vec_push(m->arena, &users->groups, group);
}

/* A Q or DQ may be in a layer that computes a core node, too, or have one of its own.
 */
static bool add_layers(const struct fsd_marks *m, struct fsd_users *users, fsd_id node)
{
    const struct fsd_match *match = m->d->match;

    for (uint32_t i = 0; i < match->of_node[node].n; i++) {
        fsd_id of = m->state->of_layer[fsd_match_of_node(match, node, i)->layer];

        if (of & FSD_LAYER_MOVES)
            users->outside = true;
        else
            add_group(m, users, of);
    }
    return match->of_node[node].n;
}

static void use(const struct fsd_marks *m, struct walk *w, struct fsd_users *users,
                fsd_id node)
{
    const struct fsd_diff *d = m->d;
    const struct fsd_node *n = &d->model->nodes.at[node];

    if (d->nodes[node].fate == FSD_FATE_MERGED || !d->facts->live[node] ||
        d->facts->folded[node] || d->facts->size[node])
        return;
    users->loops |= d->facts->traits[node] & (FSD_OP_CONTROL | FSD_OP_RECURRENT);
    if (m->group_of[node] != FSD_NONE) {
        add_group(m, users, m->group_of[node]);
        return;
    }
    if (add_layers(m, users, node))
        return;
    users->in_place |= fsd_node_is(d->model, node, FSD_ONNX_Concat);
    for (uint32_t i = 0; i < n->out.n; i++)
        visit(w, fsd_node_out(d->model, n, i)->tensor);
}

fsd_id fsd_marks_owner(const struct fsd_marks *m, fsd_id node)
{
    const struct fsd_match *match = m->d->match;

    for (uint32_t i = 0; m->group_of[node] == FSD_NONE && i < match->of_node[node].n;
         i++) {
        fsd_id of = m->state->of_layer[fsd_match_of_node(match, node, i)->layer];

        if (!(of & FSD_LAYER_MOVES))
            return of;
    }
    return m->group_of[node];
}

struct fsd_users fsd_marks_users(const struct fsd_marks *m, fsd_id tensor)
{
    const struct fsd_graph *g = m->d->model;
    struct fsd_users users = {0};
    struct walk w = {m, fsd_arena_new(), {0}};

    ++*m->walks;
    visit(&w, tensor);
    for (uint32_t i = 0; i < w.todo.n; i++) {
        const struct fsd_tensor *t = &g->tensors.at[w.todo.at[i]];

        users.outside |= t->scope == 0 && (t->flags & FSD_TENSOR_OUTPUT);
        for (uint32_t k = 0; k < t->consumers.n; k++)
            use(m, &w, &users, g->links.at[t->consumers.at + k]);
    }
    fsd_arena_free(w.scratch);
    return users;
}

/* ---------------------------------------------------------------------- picked */

enum fsd_status fsd_marks_pick(const struct fsd_marks *m, struct fsd_arena *arena,
                               const char *word, fsd_id_vec *groups,
                               struct fsd_error *err)
{
    fsd_id_vec layers = {0};
    bool *taken = FSD_NEW(arena, bool, m->state->groups.n);
    enum fsd_status status =
        fsd_pick_all(arena, m->d->match, FSD_PICK_LAYERS, &word, 1, &layers, err);

    for (uint32_t i = 0; status == FSD_OK && i < layers.n; i++) {
        fsd_id of = m->state->of_layer[layers.at[i]];

        if ((of & FSD_LAYER_MOVES) || taken[of])
            continue;
        taken[of] = true;
        fsd_vec_push(arena, groups, of);
    }
    if (status == FSD_OK && !groups->n)
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "--break: '%s' is not a fusion: it only moves data, or no "
                        "layer computes it",
                        word);
    return status;
}

/* That a Cast to FP32 takes in each builder. */
static bool is_number(enum fsd_dtype type)
{
    return type == FSD_FP32 || type == FSD_FP16 || type == FSD_BF16 ||
           type == FSD_INT32 || type == FSD_INT64;
}

fsd_id fsd_marks_condition(const struct fsd_diff *d)
{
    const struct fsd_graph *g = d->model;

    for (uint32_t i = 0; i < g->scopes.at[0].inputs.n; i++) {
        fsd_id t = g->links.at[g->scopes.at[0].inputs.at + i];
        enum fsd_dtype type = fsd_tensor_form(g, t)->type;

        if (!(g->tensors.at[t].flags & FSD_TENSOR_CONSTANT) && is_number(type))
            return t;
    }
    return FSD_NONE;
}

/* ------------------------------------------------------------------------- whole */

static void add_values(struct fsd_marks *m)
{
    uint32_t n = m->d->model->tensors.n;

    m->next_same = FSD_NEW(m->arena, fsd_id, n);
    for (fsd_id i = 0; i < n; i++)
        m->next_same[i] = FSD_NONE;
    for (fsd_id i = 0; i < n; i++) {
        fsd_id first = m->d->facts->value[i];

        if (first == i)
            continue;
        m->next_same[i] = m->next_same[first];
        m->next_same[first] = i;
    }
}

static void add_groups(struct fsd_marks *m)
{
    const struct fsd_state *s = m->state;

    m->group_of = FSD_NEW(m->arena, fsd_id, m->d->model->nodes.n);
    m->layer_of = FSD_NEW(m->arena, fsd_id, s->groups.n);
    for (fsd_id i = 0; i < m->d->model->nodes.n; i++)
        m->group_of[i] = FSD_NONE;
    for (fsd_id i = 0; i < s->nodes.n; i++)
        m->group_of[s->number_of[i]] = s->nodes.at[i].group;
    for (fsd_id i = 0; i < s->groups.n; i++)
        m->layer_of[i] = FSD_NONE;
    for (fsd_id i = m->d->engine->nodes.n; i-- > 0;)
        if (!(s->of_layer[i] & FSD_LAYER_MOVES))
            m->layer_of[s->of_layer[i]] = i;
}

struct fsd_marks *fsd_marks_new(const struct fsd_diff *d)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_marks *m = FSD_NEW(arena, struct fsd_marks, 1);

    m->arena = arena;
    m->d = d;
    m->state = fsd_state_of(d);
    m->stamps = FSD_NEW(arena, uint32_t, d->model->tensors.n);
    m->walks = FSD_NEW(arena, uint32_t, 1);
    add_values(m);
    add_groups(m);
    fsd_marks_add_kinds(m);
    fsd_marks_add_places(m);
    fsd_marks_add_breaks(m);
    return m;
}

void fsd_marks_free(struct fsd_marks *m)
{
    if (!m)
        return;
    fsd_state_free(m->state);
    fsd_arena_free(m->arena);
}
