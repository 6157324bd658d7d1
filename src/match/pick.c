/*
 * Resolves a word of the user to nodes and layers by five methods, from strict to
 * loose: exact name, number, provider, pattern, tensor.  The first method with a result
 * ends the search, so that a name with '*' or digits is still found as a name.  If no
 * method has a result, the error suggests the nearest names ("did you mean").
 */
#include "match/pick.h"
#include "base/base.h"
#include "model/graph/graph.h"
#include "model/graph/word.h"

struct search {
    const struct fsd_match *m;
    enum fsd_pick_want want;
    struct fsd_word word;
    struct fsd_picked *picked;
    bool found;
    bool alone; /* valid if nothing was found: whether the word names a node that no
                   layer computes (if layers are wanted), or a layer without nodes (if
                   nodes are wanted) */
};

/* ------------------------------------------------------------------- what is found */

static void mark(struct search *s, bool *in, fsd_id id)
{
    s->found = in[id] = true;
}

static void mark_node(struct search *s, fsd_id node)
{
    if (s->want != FSD_PICK_LAYERS) {
        mark(s, s->picked->nodes, node);
        return;
    }
    for (uint32_t i = 0; i < s->m->of_node[node].n; i++)
        mark(s, s->picked->layers, fsd_match_of_node(s->m, node, i)->layer);
    s->alone = !s->found;
}

/* Marks the layer.  If the caller wants only nodes, marks instead the nodes of the
 * layer and, if the layer is in a region, all nodes of the region. */
static void mark_layer(struct search *s, fsd_id layer)
{
    struct fsd_span nodes = fsd_match_region_nodes(s->m, s->m->region_of_layer[layer]);

    if (s->want != FSD_PICK_NODES) {
        mark(s, s->picked->layers, layer);
        return;
    }
    FSD_EACH_OF (node, s->m->links, s->m->of_layer[layer], node)
        mark(s, s->picked->nodes, node);
    FSD_EACH_ID (node, s->m->pool, nodes)
        mark(s, s->picked->nodes, node);
    s->alone = !s->found;
}

/* ----------------------------------------------------------------------- the ways */

typedef void mark_fn(struct search *s, fsd_id id);
typedef void search_fn(struct search *s, const struct fsd_graph *g, mark_fn *take);

static void by_name(struct search *s, const struct fsd_graph *g, mark_fn *take)
{
    fsd_sym name = fsd_intern_find(g->names, s->word.text, strlen(s->word.text));

    for (fsd_id i = 0; name && name != FSD_NONE && i < g->nodes.n; i++)
        if (g->nodes.at[i].name == name)
            take(s, i);
}

static void by_provider(struct search *s, const struct fsd_graph *g, mark_fn *take)
{
    if (s->word.kind != FSD_WORD_PROVIDER || g != s->m->engine)
        return;
    for (fsd_id i = 0; i < g->layers.n; i++)
        if (g->layers.at[i].ran_by &&
            fsd_word_fits_provider(&s->word,
                                   fsd_text(g->names, g->layers.at[i].ran_by)))
            take(s, i);
}

static void by_pattern(struct search *s, const struct fsd_graph *g, mark_fn *take)
{
    for (fsd_id i = 0; s->word.kind == FSD_WORD_PATTERN && i < g->nodes.n; i++)
        if (g->nodes.at[i].name &&
            fsd_word_fits(s->word.text, fsd_text(g->names, g->nodes.at[i].name)))
            take(s, i);
}

static void by_tensor(struct search *s, const struct fsd_graph *g, mark_fn *take)
{
    fsd_sym name = fsd_intern_find(g->names, s->word.text, strlen(s->word.text));

    for (fsd_id t = 0; name && name != FSD_NONE && t < g->tensors.n; t++) {
        const struct fsd_tensor *tensor = &g->tensors.at[t];
        struct fsd_span who =
            tensor->producers.n ? tensor->producers : tensor->consumers;

        for (uint32_t i = 0; tensor->name == name && i < who.n; i++)
            take(s, g->links.at[who.at + i]);
    }
}

static void by_number(struct search *s, const struct fsd_graph *g, mark_fn *take)
{
    bool layers = s->want == FSD_PICK_LAYERS;
    enum fsd_word_kind kind = s->word.kind;
    bool of_node = kind == FSD_WORD_NODE || (kind == FSD_WORD_NUMBER && !layers);
    bool of_layer = kind == FSD_WORD_LAYER ||
                    (layers && (kind == FSD_WORD_NUMBER || kind == FSD_WORD_BARE));

    if ((g == s->m->model ? of_node : of_layer) && s->word.number < g->nodes.n)
        take(s, s->word.number);
}

/* Tries the methods in order, until one has a result.  If only nodes are wanted, a
 * method that finds no node looks for layers, and marks their nodes.  If only layers
 * are wanted, a method that finds no layer looks for nodes, and marks their layers.
 * For FSD_PICK_BOTH, each method looks for both. */
static void run_searches(struct search *s)
{
    static search_fn *const searches[] = {by_name, by_number, by_provider, by_pattern,
                                          by_tensor};
    bool layers = s->want == FSD_PICK_LAYERS;

    for (size_t i = 0; i < FSD_COUNT_OF(searches) && !s->found; i++) {
        searches[i](s, layers ? s->m->engine : s->m->model,
                    layers ? mark_layer : mark_node);
        if (!s->found || s->want == FSD_PICK_BOTH)
            searches[i](s, layers ? s->m->model : s->m->engine,
                        layers ? mark_node : mark_layer);
    }
}

/* ------------------------------------------------------------------------- failing */

static void try_names(struct fsd_nearest *nearest, const struct fsd_graph *g)
{
    for (fsd_id i = 0; i < g->nodes.n; i++)
        fsd_nearest_try(nearest, fsd_text(g->names, g->nodes.at[i].name));
}

/* Writes "; did you mean 'Conv_28'?" with the nearest name to `out`, preferring a name
 * of the wanted kind; writes "" if no name is near. */
static const char *suggest(const struct search *s, char out[512])
{
    const struct fsd_graph *model = s->m->model, *engine = s->m->engine;
    struct fsd_nearest nearest = fsd_nearest_to(s->word.text);
    bool layers = s->want == FSD_PICK_LAYERS;

    *out = '\0';
    if (s->word.kind == FSD_WORD_BARE && s->word.number < model->nodes.n)
        snprintf(out, 512, "; did you mean '#%u'?", s->word.number);
    if (s->word.kind != FSD_WORD_NAME)
        return out;
    try_names(&nearest, layers ? engine : model);
    if (s->want == FSD_PICK_BOTH || !nearest.n)
        try_names(&nearest, layers ? model : engine);
    for (fsd_id i = 0; !nearest.n && i < model->tensors.n; i++)
        fsd_nearest_try(&nearest, fsd_text(model->names, model->tensors.at[i].name));
    return fsd_nearest_text(&nearest, out);
}

static enum fsd_status fail(const struct search *s, struct fsd_error *err)
{
    static const char *const wanted[] = {"name of a node of the model",
                                         "name or number of a layer of the engine",
                                         "name of a node or a layer"};
    bool layers = s->want == FSD_PICK_LAYERS;
    const char *path = layers ? s->m->engine->path : s->m->model->path;
    char text[512];

    if (s->alone)
        return fsd_fail(err, FSD_E_ARG, path, FSD_POS_NONE, 0,
                        "expected the %s, found '%.200s', which %s", wanted[s->want],
                        s->word.text,
                        layers ? "no layer computes" : "computes no node");
    return fsd_fail(
        err, FSD_E_ARG, path, FSD_POS_NONE, 0, "expected %s %s, found '%.200s'%s",
        s->word.kind == FSD_WORD_PATTERN ? "a pattern that fits the" : "the",
        wanted[s->want], s->word.text, suggest(s, text));
}

enum fsd_status fsd_pick(const struct fsd_match *m, enum fsd_pick_want want,
                         const char *word, struct fsd_picked *picked,
                         struct fsd_error *err)
{
    struct search s = {
        .m = m, .want = want, .word = fsd_word_read(word), .picked = picked};

    run_searches(&s);
    return s.found ? FSD_OK : fail(&s, err);
}

enum fsd_status fsd_pick_all(struct fsd_arena *arena, const struct fsd_match *m,
                             enum fsd_pick_want want, const char *const *words,
                             unsigned n_words, fsd_id_vec *out, struct fsd_error *err)
{
    struct fsd_picked picked = {FSD_NEW(arena, bool, m->model->nodes.n),
                                FSD_NEW(arena, bool, m->engine->nodes.n)};
    bool layers = want == FSD_PICK_LAYERS;
    const bool *in = layers ? picked.layers : picked.nodes;
    uint32_t n = layers ? m->engine->nodes.n : m->model->nodes.n;
    enum fsd_status status = FSD_OK;

    for (unsigned i = 0; i < n_words && status == FSD_OK; i++)
        status = fsd_pick(m, want, words[i], &picked, err);
    for (fsd_id i = 0; i < n && status == FSD_OK; i++)
        if (in[i])
            fsd_vec_push(arena, out, i);
    return status;
}
