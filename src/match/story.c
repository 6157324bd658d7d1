/*
 * Replays the events of the build log.  Each layer name in the log stands for a set of
 * nodes.  The set begins with the node for which the parser registered the layer, and
 * changes with each fusion, removal or merge.  At the end, the sets show which nodes
 * each layer of the engine computes, and why other nodes have no layer.  All sets are
 * spans of one pool.  The pool only grows, because an event may use older names again.
 * An event of an unknown form changes nothing.
 */
#include "match/story.h"
#include "base/base.h"
#include "model/graph/graph.h"
#include "model/graph/items.h"
#include "match/story_names.h"
#include "model/ops/ids.h"

/* The largest number of scenes of all nodes together.  It bounds the memory for a
 * hostile log; real logs have far fewer. */
enum { MOST_SCENES = 1 << 24 };

/* ---------------------------------------------------------- the log's own network */

static fsd_id first_output(const struct fsd_graph *g, fsd_id node)
{
    FSD_EACH_OF (t, g->ports, g->nodes.at[node].out, tensor)
        if (fsd_graph_tensor(g, t)->name)
            return t;
    return FSD_NONE;
}

static fsd_id only_node(const struct fsd_vocab *vocab, fsd_sym name)
{
    const struct fsd_meaning *what = fsd_vocab_find(vocab, fsd_text(vocab->names, name),
                                                    fsd_text_len(vocab->names, name));

    return what && what->nodes.n == 1 ? vocab->pool.at[what->nodes.at] : FSD_NONE;
}

/* Finds the model's node for a node of the parsed network; FSD_NONE if there is none.
 * Compares outputs before names, because names may be missing or repeated. */
static fsd_id find_node(const struct fsd_graph *parsed, fsd_id node,
                        const struct fsd_graph *model, const struct fsd_vocab *vocab)
{
    fsd_id out = first_output(parsed, node), t, found = FSD_NONE;

    if (parsed == model)
        return node;
    if (out != FSD_NONE) {
        t = fsd_graph_only(model, parsed->tensors.at[out].name);
        found = fsd_tensor_producer(model, t);
    }
    if (found == FSD_NONE)
        found = only_node(vocab, parsed->nodes.at[node].name);
    if (found != FSD_NONE && model->nodes.at[found].op != parsed->nodes.at[node].op)
        return FSD_NONE;
    return found;
}

/* Finds the model's node for a node in a body of `owner`; FSD_NONE if there is none.
 * Searches only the bodies of this owner, because all calls of a function have the same
 * names in their bodies. */
static fsd_id find_within(const struct fsd_graph *parsed, fsd_id node,
                          const struct fsd_graph *model, const struct fsd_lists *bodies,
                          fsd_id owner)
{
    fsd_id out = first_output(parsed, node);

    for (uint32_t i = 0; out != FSD_NONE && i < bodies->of[owner].n; i++) {
        fsd_id found = fsd_tensor_producer(
            model, fsd_graph_find(model, parsed->tensors.at[out].name,
                                  fsd_list_at(bodies, owner, i)));

        if (found != FSD_NONE && model->nodes.at[found].op == parsed->nodes.at[node].op)
            return found;
    }
    return FSD_NONE;
}

/* State of the search for model nodes in the parsed network.  Both arrays are indexed
 * by model node. */
struct unparsed {
    const struct fsd_graph *parsed, *model;
    fsd_id *read;  /* the corresponding node of `parsed`; FSD_NONE if there is none */
    bool *missing; /* whether the log proves that the parser did not read the node */
};

/* Whether the parsed node has inputs and the tensor is not one of them. */
static bool reads_other(const struct unparsed *u, fsd_id parsed, fsd_sym tensor)
{
    const struct fsd_node *n = &u->parsed->nodes.at[parsed];

    FSD_EACH_OF (t, u->parsed->ports, n->in, tensor)
        if (t != FSD_NONE && u->parsed->tensors.at[t].name == tensor)
            return false;
    return n->in.n > 0;
}

/* Returns a consumer which proves that the parser did not read the node; FSD_NONE if
 * there is none.  A consumer proves this in two cases:
 *   - The log proves that the parser did not read the consumer, either (u->missing).
 *   - The parser read the consumer, but with other inputs.
 * A node that is merely absent from the log proves nothing, because the log may be an
 * excerpt. */
static fsd_id unlike_consumer(const struct unparsed *u, fsd_id node)
{
    FSD_EACH_OF (t, u->model->ports, u->model->nodes.at[node].out, tensor) {
        struct fsd_span readers = {0};

        if (t != FSD_NONE && u->model->tensors.at[t].name)
            readers = fsd_tensor_consumers(u->model, t);
        FSD_EACH_ID (reader, u->model->links, readers)
            if (u->missing[reader] ||
                (u->read[reader] != FSD_NONE &&
                 reads_other(u, u->read[reader], u->model->tensors.at[t].name)))
                return reader;
    }
    return FSD_NONE;
}

/* Counts the model nodes that the parser did not read.  The consumers of a node show
 * whether the parser read it, so consumers are checked before their producers.  This is
 * the reverse order of the model.  Nodes in bodies are skipped, because parsers rename
 * tensors in bodies. */
static void find_unparsed(struct fsd_history *h, const struct fsd_graph *parsed,
                          const struct fsd_graph *model, struct fsd_arena *scratch)
{
    struct unparsed u = {parsed, model, fsd_ids_new(scratch, model->nodes.n),
                         FSD_NEW(scratch, bool, model->nodes.n)};

    h->unparsed = h->unparsed_quantizers = 0;
    h->unparsed_node = h->unparsed_by = FSD_NONE;
    for (fsd_id i = 0; i < parsed->nodes.n && parsed != model; i++)
        if (h->node_of[i] != FSD_NONE)
            u.read[h->node_of[i]] = h->parsed_node[i];
    for (fsd_id left = model->nodes.n; left-- > 0 && parsed != model;) {
        fsd_sym op = model->nodes.at[left].op;
        fsd_id by = FSD_NONE;

        if (!model->nodes.at[left].scope && u.read[left] == FSD_NONE)
            by = unlike_consumer(&u, left);
        if (by == FSD_NONE)
            continue;
        u.missing[left] = true;
        h->unparsed++;
        h->unparsed_quantizers +=
            op == FSD_ONNX_QuantizeLinear || op == FSD_ONNX_DequantizeLinear;
        if (!u.missing[by]) {
            h->unparsed_node = left;
            h->unparsed_by = by;
        }
    }
}

void fsd_story_compare(struct fsd_history *h, const struct fsd_graph *parsed,
                       const struct fsd_graph *model, const struct fsd_vocab *vocab)
{
    FSD_SCRATCH(scratch);
    struct fsd_lists bodies = fsd_graph_bodies(scratch, model);
    fsd_id *of = FSD_NEW(scratch, fsd_id, parsed->nodes.n); /* indexed by node of
                                                               `parsed`: the model's
                                                               node */
    fsd_id *node_of = FSD_NEW(h->arena, fsd_id, parsed->nodes.n);

    h->unlike = 0;
    for (fsd_id i = 0; i < parsed->nodes.n; i++) { /* owners come before the nodes of
                                                      their bodies */
        fsd_id node = h->parsed_node[i], scope = parsed->nodes.at[node].scope;
        fsd_id owner = scope ? of[parsed->scopes.at[scope].owner] : FSD_NONE;

        node_of[i] = owner == FSD_NONE || parsed == model
                         ? FSD_NONE
                         : find_within(parsed, node, model, &bodies, owner);
        if (node_of[i] == FSD_NONE)
            node_of[i] = find_node(parsed, node, model, vocab);
        of[node] = node_of[i];
        /* If the model has no nodes, the builder itself added the parsed nodes.  So
         * they do not count as differences between log and model. */
        if (node_of[i] == FSD_NONE && model->nodes.n && !h->unlike++)
            h->unlike_name = parsed->nodes.at[node].name;
    }
    h->node_of = node_of;
    h->n_parsed = parsed->nodes.n;
    find_unparsed(h, parsed, model, scratch);
}

/* ------------------------------------------------------------------------ replay */

static void add_scenes(struct fsd_story *s, struct fsd_span nodes, uint32_t event)
{
    if (nodes.n > FSD_CROWD && s->h->events.at[event].kind != FSD_EVENT_MEMBERS)
        return;
    if (s->scenes.n > MOST_SCENES - nodes.n) {
        s->cut = true;
        return;
    }
    FSD_EACH_ID (node, s->pool, nodes)
        fsd_vec_push(s->arena, &s->scenes, (struct fsd_scene){node, event});
}

/* Replays the registration of a layer that the parser created for a node.  The log line
 * of a constant has the same form, but names an initializer instead of a node. */
static void replay_register(struct fsd_story *s, const struct fsd_event *e,
                            uint32_t event)
{
    fsd_id node = FSD_NONE;
    struct fsd_span nodes;
    fsd_sym own;

    if (e->node < s->h->n_parsed)
        node = s->h->node_of[e->node];
    own = fsd_graph_node(s->model, node)->name;
    /* The parser gives an unnamed node a name such as "node_of_y". */
    if (node == FSD_NONE ||
        (own ? own != e->b : strncmp(fsd_text(s->h->names, e->b), "node_of_", 8) != 0))
        node = only_node(s->vocab, e->b);
    if (node == FSD_NONE)
        return;
    nodes = fsd_story_single(s, node);
    fsd_story_set(s, e->a, nodes);
    s->layers[node]++;
    add_scenes(s, nodes, event);
}

/* Replays a "Removing" line.  Its meaning depends on the "Running" line before it:
 *   - "Running: QConvScaleFusion on A", "Removing B": the builder fused B into A,
 *   - "Running: PoolingErasure on A", "Removing A": A had no effect,
 *   - any other line: the builder removed the layer, as a duplicate or because it was
 *     unused.
 * In the second case, the node of A is gone only if none of its layers remains. */
static void replay_remove(struct fsd_story *s, const struct fsd_event *e,
                          uint32_t event)
{
    struct fsd_span nodes = fsd_story_nodes(s, e->a);
    struct fsd_slice pass = fsd_slice_of(fsd_text(s->h->names, e->pass));

    add_scenes(s, nodes, event);
    if (e->b && e->b != e->a && fsd_slice_find(pass, "Fusion")) {
        struct fsd_span into = fsd_story_nodes(s, e->b);

        if (!into.n)
            return;
        add_scenes(s, into, event);
        fsd_story_set(s, e->b, fsd_story_join(s, into, nodes));
        return;
    }
    if (e->b != e->a || !fsd_slice_drop(&pass, "Erasure"))
        return;
    FSD_EACH_ID (node, s->pool, nodes) {
        s->layers[node] -= s->layers[node] > 0;
        if (!s->layers[node])
            s->left[node] = (struct fsd_leaving){FSD_LEFT_ERASED, FSD_NONE, event};
    }
}

/* Replays a fusion.  "A with B" creates a layer with a new name, and "(A1 and A2) into
 * B" keeps the name of B. */
static void replay_fuse(struct fsd_story *s, const struct fsd_event *e, uint32_t event)
{
    bool into = e->kind == FSD_EVENT_INTO;
    struct fsd_span a = into ? fsd_story_list(s, e->a) : fsd_story_nodes(s, e->a);
    struct fsd_span b = fsd_story_nodes(s, e->b);

    add_scenes(s, a, event);
    add_scenes(s, b, event);
    if (!into)
        fsd_story_set(s, e->text, fsd_story_join(s, a, b));
    else if (b.n)
        fsd_story_set(s, e->b, fsd_story_join(s, b, a));
}

/* Replays a list of a layer's nodes, such as "[ONNX Layer: a][ONNX Layer: b | doc]". */
static void replay_members(struct fsd_story *s, const struct fsd_event *e,
                           uint32_t event)
{
    const char *text = fsd_text(s->h->names, e->text);
    const char *at = strstr(text, FSD_ITEM_OPENING), *bar;
    struct fsd_slice list = fsd_slice_of(at ? at : ""), item;
    struct fsd_span all = {s->pool.n, 0};

    for (unsigned n = 0; n < FSD_MOST_PARTS && fsd_items_next(&list, &item); n++) {
        const struct fsd_meaning *what = fsd_vocab_find(s->vocab, item.s, item.n);

        for (bar = item.s; !what && bar + 3 < item.s + item.n; bar++)
            if (!memcmp(bar, " | ", 3))
                what = fsd_vocab_find(s->vocab, item.s, (size_t)(bar - item.s));
        if (what && what->nodes.n == 1) {
            fsd_vec_push(s->arena, &s->pool, s->vocab->pool.at[what->nodes.at]);
            all.n++;
        }
    }
    s->cut |= list.n != 0;
    if (!all.n)
        return;
    add_scenes(s, all, event);
    fsd_story_set(s, e->a, all);
}

/* Replays the timing of an operation `e->a`.  If the compiler of a region `e->b` timed
 * it, the operation belongs to the region. */
static void replay_tuned(struct fsd_story *s, const struct fsd_event *e, uint32_t event)
{
    struct fsd_span nodes = fsd_story_nodes(s, e->a);

    add_scenes(s, nodes, event);
    if (e->b && nodes.n)
        fsd_story_set(s, e->b, fsd_story_join(s, fsd_story_nodes(s, e->b), nodes));
}

/* Replays an event about one or two layers.  If layer `e->a` duplicates layer `e->b`,
 * the builder merged `e->a` into `e->b`.  If layer `e->a` is a slice, the builder
 * removed it only if the line has "retargeting"; otherwise a copy performs the
 * slice. */
static void replay_pair(struct fsd_story *s, const struct fsd_event *e, uint32_t event)
{
    struct fsd_span a = fsd_story_nodes(s, e->a), b = {0, 0};
    struct fsd_leaving *left = a.n == 1 ? &s->left[s->pool.at[a.at]] : NULL;

    add_scenes(s, a, event);
    if (e->b)
        b = fsd_story_nodes(s, e->b);
    add_scenes(s, b, event);
    if (e->kind == FSD_EVENT_DUPLICATE && left && b.n == 1 &&
        s->pool.at[a.at] != s->pool.at[b.at])
        *left = (struct fsd_leaving){FSD_LEFT_MERGED, s->pool.at[b.at], event};
    else if (e->kind == FSD_EVENT_SLICE && left &&
             strstr(fsd_text(s->h->names, e->text), "retargeting "))
        *left = (struct fsd_leaving){FSD_LEFT_IN_PLACE, FSD_NONE, event};
}

/* Assigns an event about a tensor to the producer of the tensor. */
static void replay_tensor(struct fsd_story *s, fsd_sym name, uint32_t event)
{
    fsd_id node = fsd_tensor_producer(s->model, fsd_graph_find(s->model, name, 0));

    add_scenes(s, fsd_story_single(s, node), event);
}

static void replay_added(struct fsd_story *s, const struct fsd_event *e, uint32_t event)
{
    while (s->made.n <= e->a)
        fsd_vec_push(s->arena, &s->made, 0);
    s->made.at[e->a] = event + 1;
}

static void replay_event(struct fsd_story *s, const struct fsd_event *e, uint32_t event)
{
    switch (e->kind) {
    case FSD_EVENT_REGISTER:
        replay_register(s, e, event);
        break;
    case FSD_EVENT_FUSE:
    case FSD_EVENT_INTO:
        replay_fuse(s, e, event);
        break;
    case FSD_EVENT_REMOVE:
        replay_remove(s, e, event);
        break;
    case FSD_EVENT_MEMBERS:
        replay_members(s, e, event);
        break;
    case FSD_EVENT_TUNED:
        replay_tuned(s, e, event);
        break;
    case FSD_EVENT_TRY:
    case FSD_EVENT_PATTERN:
    case FSD_EVENT_SWAP:
    case FSD_EVENT_RETYPE:
    case FSD_EVENT_CONCAT:
    case FSD_EVENT_MERGE:
    case FSD_EVENT_DUPLICATE:
    case FSD_EVENT_SLICE:
        replay_pair(s, e, event);
        break;
    case FSD_EVENT_COPY:
        replay_added(s, e, event);
        replay_tensor(s, e->b, event);
        break;
    case FSD_EVENT_REFORMAT:
        replay_added(s, e, event);
        break;
    case FSD_EVENT_RETARGET:
        replay_tensor(s, e->a, event);
        replay_tensor(s, e->b, event);
        break;
    case FSD_EVENT_ADD:
        replay_tensor(s, e->a, event);
        break;
    case FSD_EVENT_SKIP: /* SKIP and FALLBACK: the layer keeps its nodes */
    case FSD_EVENT_FALLBACK:
        add_scenes(s, fsd_story_nodes(s, e->a), event);
        break;
    case FSD_EVENT_STAGE:
    case FSD_EVENT_WARNING:
    case FSD__EVENT_COUNT:
        break;
    }
}

static void index_scenes(struct fsd_story *s)
{
    s->scenes.n =
        fsd_sort_once(s->scenes.at, s->scenes.n, sizeof *s->scenes.at, fsd_by_pair);
    for (uint32_t i = 0; i < s->scenes.n; i++) {
        struct fsd_span *span = &s->of_node[s->scenes.at[i].node];

        if (!span->n++)
            span->at = i;
    }
}

struct fsd_story *fsd_story_new(struct fsd_arena *arena, const struct fsd_history *h,
                                const struct fsd_graph *model,
                                const struct fsd_vocab *vocab)
{
    struct fsd_story *s = FSD_NEW(arena, struct fsd_story, 1);

    s->h = h;
    s->model = model;
    s->vocab = vocab;
    s->arena = arena;
    s->of_node = FSD_NEW(arena, struct fsd_span, model->nodes.n);
    s->left = FSD_NEW(arena, struct fsd_leaving, model->nodes.n);
    s->layers = FSD_NEW(arena, uint32_t, model->nodes.n);
    s->mark = FSD_NEW(arena, uint32_t, model->nodes.n);
    s->registered = h->registers;
    for (uint32_t i = 0; i < h->events.n && !s->registered; i++)
        s->registered = h->events.at[i].kind == FSD_EVENT_REGISTER;
    for (uint32_t i = 0; i < h->events.n; i++) {
        const struct fsd_event *e = &h->events.at[i];
        bool parsed = e->kind == FSD_EVENT_REGISTER;

        /* A builder may parse a network once and build it several times.  So the
         * registrations come from the build h->parsed_build, and all other events come
         * from the build h->build. */
        if (e->build == (parsed ? h->parsed_build : h->build) ||
            (parsed && h->parsed_build == FSD_NONE))
            replay_event(s, e, i);
    }
    index_scenes(s);
    return s;
}

/* ------------------------------------------------------------------ engine layers */

uint32_t fsd_story_added(const struct fsd_story *s, const struct fsd_graph *engine,
                         fsd_id layer)
{
    fsd_sym name = engine->layers.at[layer].made_as;

    return name && name < s->made.n && s->made.at[name] ? s->made.at[name] - 1
                                                        : FSD_NONE;
}

static bool is_known(const struct fsd_story *s, fsd_sym name)
{
    return name && name < s->known.n && s->known.at[name];
}

fsd_sym fsd_story_name(const struct fsd_story *s, const struct fsd_mention *m)
{
    const char *end =
        fsd_text(s->h->names, m->layer) + fsd_text_len(s->h->names, m->text);
    bool counted = *end == '_' && strspn(end + 1, "0123456789") == strlen(end + 1);

    if (is_known(s, m->layer))
        return m->layer;
    /* The log does not contain m->layer, so it may call the layer m->text instead.  But
     * if m->layer is "X_2" and m->text is "X", the layer "X" of the log may belong to
     * another node. */
    return counted && s->registered ? 0 : m->text;
}

void fsd_story_correct(struct fsd_story *s, struct fsd_graph *engine)
{
    for (uint32_t i = 0; s->registered && i < engine->mentions.n; i++) {
        struct fsd_mention *m = &engine->mentions.at[i];
        fsd_sym name = fsd_story_name(s, m);
        struct fsd_span nodes;

        if (m->by != FSD_BY_NAME || !is_known(s, name) ||
            m->role == FSD_MENTION_CONSTANT)
            continue;
        nodes = s->of_name.at[name];
        if (nodes.n != 1 || s->pool.at[nodes.at] == m->node)
            continue;
        if (m->role == FSD_MENTION_UNKNOWN || m->role == FSD_MENTION_HELPER)
            m->role = FSD_MENTION_COMPUTES;
        m->node = s->pool.at[nodes.at];
        m->tensor = FSD_NONE;
        m->among = 1;
        m->by = FSD_BY_LOG;
    }
}
