#include "match/story.h"
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

/* Real logs stay far below all of these; a hostile one ends here and not the memory. */
enum {
    MOST_PARTS = 4096,     /* of one name */
    MOST_WITHIN = 8,       /* separators that one node's name may hold, and one */
    MOST_DEPTH = 16,       /* names within names */
    MOST_POOL = 1 << 24,   /* nodes in all sets together */
    MOST_SCENES = 1 << 24, /* scenes of all nodes together */
    LARGE = 256            /* a set of more is a crowd: what joins it is told, not it */
};

/* ---------------------------------------------------------- the log's own network */

static fsd_id first_output(const struct fsd_graph *g, fsd_id node)
{
    for (uint32_t i = 0; i < g->nodes.at[node].out.n; i++) {
        fsd_id t = fsd_node_out_tensor(g, node, i);

        if (t != FSD_NONE && g->tensors.at[t].name)
            return t;
    }
    return FSD_NONE;
}

static fsd_id only_node(const struct fsd_vocab *vocab, fsd_sym name)
{
    const struct fsd_meaning *what = fsd_vocab_find(vocab, fsd_text(vocab->names, name),
                                                    fsd_text_len(vocab->names, name));

    return what && what->nodes.n == 1 ? vocab->pool.at[what->nodes.at] : FSD_NONE;
}

/* The tensor of that name: of the main graph, or the only one of all the bodies. */
static fsd_id only_tensor(const struct fsd_graph *g, fsd_sym name)
{
    fsd_id t = fsd_graph_find(g, name, 0), any;

    if (t != FSD_NONE)
        return t;
    any = name < g->by_name.n ? g->by_name.at[name] : FSD_NONE;
    return any != FSD_NONE && g->tensors.at[any].next_same_name == FSD_NONE ? any
                                                                            : FSD_NONE;
}

/* A node is found by what it makes, since names may be missing or repeated. */
static fsd_id find_node(const struct fsd_graph *parsed, fsd_id node,
                        const struct fsd_graph *model, const struct fsd_vocab *vocab)
{
    fsd_id out = first_output(parsed, node), t, found = FSD_NONE;

    if (parsed == model)
        return node;
    if (out != FSD_NONE) {
        t = only_tensor(model, parsed->tensors.at[out].name);
        found = t == FSD_NONE ? FSD_NONE : fsd_tensor_producer(model, t);
    }
    if (found == FSD_NONE)
        found = only_node(vocab, parsed->nodes.at[node].name);
    if (found != FSD_NONE && model->nodes.at[found].op != parsed->nodes.at[node].op)
        return FSD_NONE;
    return found;
}

void fsd_story_compare(struct fsd_history *h, const struct fsd_graph *parsed,
                       const struct fsd_graph *model, const struct fsd_vocab *vocab)
{
    fsd_id *node_of = FSD_NEW(h->arena, fsd_id, parsed->nodes.n);

    h->unlike = 0;
    for (fsd_id i = 0; i < parsed->nodes.n; i++) {
        fsd_id node = h->parsed_node[i];

        node_of[i] = find_node(parsed, node, model, vocab);
        if (node_of[i] == FSD_NONE && !h->unlike++)
            h->unlike_name = parsed->nodes.at[node].name;
    }
    h->node_of = node_of;
    h->n_parsed = parsed->nodes.n;
}

/* --------------------------------------------------------------------- name sets */

static void make_room(struct fsd_story *s, fsd_sym name)
{
    while (s->known.n <= name) {
        fsd_vec_push(s->arena, &s->of_name, (struct fsd_span){0, 0});
        fsd_vec_push(s->arena, &s->known, 0);
    }
}

static void set_nodes(struct fsd_story *s, fsd_sym name, struct fsd_span nodes)
{
    make_room(s, name);
    s->of_name.at[name] = nodes;
    s->known.at[name] = 1;
}

static void add_nodes(struct fsd_story *s, struct fsd_span nodes, struct fsd_span *to)
{
    for (uint32_t i = 0; i < nodes.n; i++) {
        fsd_id node = s->pool.at[nodes.at + i];

        if (s->mark[node] == s->stamp)
            continue;
        s->mark[node] = s->stamp;
        fsd_vec_push(s->arena, &s->pool, node);
        to->n++;
    }
}

static struct fsd_span join(struct fsd_story *s, struct fsd_span a, struct fsd_span b)
{
    struct fsd_span both = {s->pool.n, 0};

    if (s->pool.n > MOST_POOL - a.n || s->pool.n + a.n > MOST_POOL - b.n) {
        s->cut = true;
        return a;
    }
    if (a.n > LARGE && a.at + a.n == s->pool.n) { /* grows in place: other names that
                                                      have it keep their length */
        both = a;
        s->stamp++;
        add_nodes(s, b, &both);
        return both;
    }
    s->stamp++;
    add_nodes(s, a, &both);
    add_nodes(s, b, &both);
    return both;
}

static struct fsd_span single(struct fsd_story *s, fsd_id node)
{
    struct fsd_span one = {s->pool.n, 0};

    if (node == FSD_NONE)
        return one;
    fsd_vec_push(s->arena, &s->pool, node);
    one.n = 1;
    return one;
}

static struct fsd_span nodes_of_text(struct fsd_story *s, const char *text, size_t n);

/* What a name means before the builder has done anything: its node, where the log does
 * not say which layers the parser made. */
static fsd_id begin(const struct fsd_story *s, const char *text, size_t n)
{
    const struct fsd_meaning *what = fsd_vocab_find(s->vocab, text, n);

    return !s->registered && what && what->nodes.n == 1
               ? s->vocab->pool.at[what->nodes.at]
               : FSD_NONE;
}

/* What stands between the names of a layer, and between those of a list; each begins
 * with a blank. */
static const char *const joined[] = {" + ", " || ", NULL};
static const char *const listed[] = {" and ", NULL};

/* Bytes of the separator that begins there, where n is not 0; 0: none does. */
static size_t separator(const char *const *words, const char *text, size_t n)
{
    for (; *text == ' ' && *words; words++)
        if (strlen(*words) <= n && !memcmp(text, *words, strlen(*words)))
            return strlen(*words);
    return 0;
}

/* The length of what stands before the tail; 0: it does not end so. */
static size_t before(const char *text, size_t n, const char *tail)
{
    size_t k = strlen(tail);

    return n > k && !memcmp(text + n - k, tail, k) ? n - k : 0;
}

/* The length of X in what the builder calls after X: "X_clone_2", a quantizer that was
 * moved before a Concat, once for each input; "X_quantize_scale_node", what
 * TensorRT 8.0 makes of one.  0: it is none of these. */
static size_t base(const char *text, size_t n)
{
    size_t stem = n, k;

    while (stem && text[stem - 1] >= '0' && text[stem - 1] <= '9')
        stem--;
    k = stem < n ? before(text, stem, "_clone_") : 0;
    k = k ? k : before(text, n, "_quantize_scale_node");
    return k ? k : before(text, n, "_dequantize_scale_node");
}

static bool has_meaning(const struct fsd_story *s, const char *text, size_t n)
{
    fsd_sym name = fsd_intern_find(s->h->names, text, n);

    return (name != FSD_NONE && name < s->known.n && s->known.at[name]) ||
           begin(s, text, n) != FSD_NONE;
}

static bool is_meant(const struct fsd_story *s, const char *text, size_t n)
{
    return has_meaning(s, text, n) || has_meaning(s, text, base(text, n));
}

/* Bytes of the first name of a text.  Names may hold the words that stand between
 * names: the longest that means something is taken. */
static size_t first_name(const struct fsd_story *s, const char *const *words,
                         const char *text, size_t n)
{
    size_t ends[MOST_WITHIN], found = 0, k;

    for (size_t i = 0; i < n && found < MOST_WITHIN; i += k ? k : 1)
        if ((k = separator(words, text + i, n - i)))
            ends[found++] = i;
    if (found < MOST_WITHIN)
        ends[found++] = n;
    while (found > 1 && !is_meant(s, text, ends[found - 1]))
        found--;
    return ends[found - 1];
}

static struct fsd_span nodes_of_parts(struct fsd_story *s, const char *const *words,
                                      const char *text, size_t n)
{
    struct fsd_span all = {s->pool.n, 0};
    size_t at = 0;

    for (unsigned parts = 0; at < n && parts < MOST_PARTS; parts++) {
        size_t end = at + first_name(s, words, text + at, n - at);
        struct fsd_span one = nodes_of_text(s, text + at, end - at);

        all = all.n ? join(s, all, one) : one;
        at = end < n ? end + separator(words, text + end, n - end) : n;
    }
    s->cut |= at < n;
    return all;
}

static bool has_parts(const char *const *words, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (separator(words, text + i, n - i))
            return true;
    return false;
}

/* The nodes of what a name is made of.  X may hold separators itself. */
static struct fsd_span nodes_within(struct fsd_story *s, const char *text, size_t n)
{
    size_t k = base(text, n);

    if (n > 5 && !memcmp(text, "PWN(", 4) && text[n - 1] == ')')
        return nodes_of_text(s, text + 4, n - 5);
    if (k && (has_meaning(s, text, k) || !has_parts(joined, text, n)))
        return nodes_of_text(s, text, k);
    if (has_parts(joined, text, n))
        return nodes_of_parts(s, joined, text, n);
    return (struct fsd_span){0, 0};
}

/* Names nest: "PWN(PWN(a), b)", "a + PWN(b)".  Each step leaves a shorter text. */
static struct fsd_span nodes_of_text(struct fsd_story *s, const char *text, size_t n)
{
    struct fsd_span nodes = {0, 0};
    fsd_sym name = fsd_intern_find(s->h->names, text, n);
    fsd_id node = begin(s, text, n);

    if (name != FSD_NONE && name < s->known.n && s->known.at[name])
        return s->of_name.at[name];
    if (node != FSD_NONE)
        return single(s, node);
    if (s->depth == MOST_DEPTH) {
        s->cut = true;
        return nodes;
    }
    s->depth++;
    nodes = nodes_within(s, text, n);
    s->depth--;
    return nodes;
}

struct fsd_span fsd_story_nodes(struct fsd_story *s, fsd_sym name)
{
    struct fsd_span nodes =
        nodes_of_text(s, fsd_text(s->h->names, name), fsd_text_len(s->h->names, name));

    set_nodes(s, name, nodes);
    return nodes;
}

/* ------------------------------------------------------------------------ replay */

static void add_scenes(struct fsd_story *s, struct fsd_span nodes, uint32_t event)
{
    if (nodes.n > LARGE && s->h->events.at[event].kind != FSD_EVENT_MEMBERS)
        return;
    if (s->scenes.n > MOST_SCENES - nodes.n) {
        s->cut = true;
        return;
    }
    for (uint32_t i = 0; i < nodes.n; i++)
        fsd_vec_push(s->arena, &s->scenes,
                     (struct fsd_scene){s->pool.at[nodes.at + i], event});
}

/* "node_of_y" and the like: the parser's name for an unnamed node. */
static bool is_named(const struct fsd_story *s, fsd_id node, fsd_sym name)
{
    fsd_sym own = s->model->nodes.at[node].name;

    return own == name ||
           (!own && !strncmp(fsd_text(s->h->names, name), "node_of_", 8));
}

/* A layer that the parser made of a node.  Constants are registered in the same words,
 * under the name of their initializer. */
static void replay_register(struct fsd_story *s, const struct fsd_event *e,
                            uint32_t event)
{
    fsd_id node = FSD_NONE;
    struct fsd_span nodes;

    if (e->node != FSD_NONE && e->node < s->h->n_parsed)
        node = s->h->node_of[e->node];
    if (node == FSD_NONE || !is_named(s, node, e->b))
        node = only_node(s->vocab, e->b);
    if (node == FSD_NONE)
        return;
    nodes = single(s, node);
    set_nodes(s, e->a, nodes);
    add_scenes(s, nodes, event);
}

static bool is_fusion(const struct fsd_story *s, fsd_sym pass)
{
    return pass && strstr(fsd_text(s->h->names, pass), "Fusion") != NULL;
}

/* "Running: QConvScaleFusion on A", "Removing B": A holds what B did.  A pass that
 * removes the layer it looks at erases it; of any other layer the line says only that
 * it went, be it as a duplicate or because nobody needs it. */
static void replay_remove(struct fsd_story *s, const struct fsd_event *e,
                          uint32_t event)
{
    struct fsd_span nodes = fsd_story_nodes(s, e->a);

    add_scenes(s, nodes, event);
    if (e->b && e->b != e->a && is_fusion(s, e->pass)) {
        struct fsd_span into = fsd_story_nodes(s, e->b);

        if (!into.n)
            return;
        add_scenes(s, into, event);
        set_nodes(s, e->b, join(s, into, nodes));
        return;
    }
    for (uint32_t i = 0; e->b == e->a && i < nodes.n; i++)
        s->removed[s->pool.at[nodes.at + i]] = event;
}

static void replay_fuse(struct fsd_story *s, const struct fsd_event *e, uint32_t event)
{
    struct fsd_span a = fsd_story_nodes(s, e->a), b = fsd_story_nodes(s, e->b), both;

    both = join(s, a, b);
    add_scenes(s, a, event);
    add_scenes(s, b, event);
    set_nodes(s, e->text, both);
}

/* "(a and b)" */
static struct fsd_span nodes_of_list(struct fsd_story *s, fsd_sym list)
{
    const char *text = fsd_text(s->h->names, list);
    size_t n = fsd_text_len(s->h->names, list);

    if (n > 2 && *text == '(' && text[n - 1] == ')' && has_parts(listed, text, n))
        return nodes_of_parts(s, listed, text + 1, n - 2);
    return fsd_story_nodes(s, list);
}

static void replay_into(struct fsd_story *s, const struct fsd_event *e, uint32_t event)
{
    struct fsd_span a = nodes_of_list(s, e->a), b = fsd_story_nodes(s, e->b), both;

    both = join(s, b, a);
    add_scenes(s, a, event);
    add_scenes(s, b, event);
    if (b.n)
        set_nodes(s, e->b, both);
}

static void replay_duplicate(struct fsd_story *s, const struct fsd_event *e,
                             uint32_t event)
{
    struct fsd_span a = fsd_story_nodes(s, e->a), b = fsd_story_nodes(s, e->b);

    add_scenes(s, a, event);
    add_scenes(s, b, event);
    if (a.n == 1 && b.n == 1 && s->pool.at[a.at] != s->pool.at[b.at])
        s->duplicate_of[s->pool.at[a.at]] = s->pool.at[b.at];
}

/* "[ONNX Layer: a][ONNX Layer: b | doc]" */
static void replay_members(struct fsd_story *s, const struct fsd_event *e,
                           uint32_t event)
{
    static const char word[] = "[ONNX Layer: ";
    const char *at = strstr(fsd_text(s->h->names, e->text), word);
    struct fsd_span all = {s->pool.n, 0};

    for (unsigned n = 0; at && n < MOST_PARTS; n++) {
        const char *name = at + sizeof word - 1, *next = strstr(name, word), *bar;
        size_t k = next ? (size_t)(next - name) : strlen(name);
        const struct fsd_meaning *what;

        while (k && (name[k - 1] == ']' || (unsigned char)name[k - 1] < ' ') &&
               !fsd_vocab_find(s->vocab, name, k))
            k--;
        what = fsd_vocab_find(s->vocab, name, k);
        for (bar = name; !what && bar + 3 < name + k; bar++)
            if (!memcmp(bar, " | ", 3))
                what = fsd_vocab_find(s->vocab, name, (size_t)(bar - name));
        if (what && what->nodes.n == 1) {
            fsd_vec_push(s->arena, &s->pool, s->vocab->pool.at[what->nodes.at]);
            all.n++;
        }
        at = next;
    }
    s->cut |= at != NULL;
    if (!all.n)
        return;
    add_scenes(s, all, event);
    set_nodes(s, e->a, all);
}

static void replay_merge(struct fsd_story *s, const struct fsd_event *e, uint32_t event)
{
    add_scenes(s, fsd_story_nodes(s, e->a), event);
}

static void replay_pair(struct fsd_story *s, const struct fsd_event *e, uint32_t event)
{
    struct fsd_span a = fsd_story_nodes(s, e->a);

    add_scenes(s, a, event);
    if (e->b)
        add_scenes(s, fsd_story_nodes(s, e->b), event);
}

/* Steps on tensors are told of the nodes that make them. */
static void replay_tensor(struct fsd_story *s, fsd_sym name, uint32_t event)
{
    fsd_id node = fsd_tensor_producer(s->model, fsd_graph_find(s->model, name, 0));

    if (node != FSD_NONE)
        add_scenes(s, single(s, node), event);
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
        replay_fuse(s, e, event);
        break;
    case FSD_EVENT_INTO:
        replay_into(s, e, event);
        break;
    case FSD_EVENT_REMOVE:
        replay_remove(s, e, event);
        break;
    case FSD_EVENT_DUPLICATE:
        replay_duplicate(s, e, event);
        break;
    case FSD_EVENT_MEMBERS:
        replay_members(s, e, event);
        break;
    case FSD_EVENT_MERGE:
        replay_merge(s, e, event);
        break;
    case FSD_EVENT_TRY:
    case FSD_EVENT_SWAP:
    case FSD_EVENT_RETYPE:
    case FSD_EVENT_CONCAT:
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
    case FSD_EVENT_STAGE:
    case FSD_EVENT_WARNING:
    case FSD__EVENT_COUNT:
        break;
    }
}

static int by_node_then_event(const void *a, const void *b)
{
    const struct fsd_scene *x = a, *y = b;

    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return fsd_order(x->event, y->event);
}

static void index_scenes(struct fsd_story *s)
{
    uint32_t kept = 0;

    if (s->scenes.n)
        qsort(s->scenes.at, s->scenes.n, sizeof *s->scenes.at, by_node_then_event);
    for (uint32_t i = 0; i < s->scenes.n; i++) {
        struct fsd_scene scene = s->scenes.at[i];
        struct fsd_span *span = &s->of_node[scene.node];

        if (kept && !by_node_then_event(&s->scenes.at[kept - 1], &scene))
            continue;
        if (!span->n++)
            span->at = kept;
        s->scenes.at[kept++] = scene;
    }
    s->scenes.n = kept;
}

static bool is_ours(const struct fsd_history *h, const struct fsd_event *e)
{
    return e->kind == FSD_EVENT_REGISTER
               ? e->build == h->parsed_build || h->parsed_build == FSD_NONE
               : e->build == h->build;
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
    s->duplicate_of = FSD_NEW(arena, fsd_id, model->nodes.n);
    s->removed = FSD_NEW(arena, uint32_t, model->nodes.n);
    s->mark = FSD_NEW(arena, uint32_t, model->nodes.n);
    for (fsd_id i = 0; i < model->nodes.n; i++)
        s->duplicate_of[i] = s->removed[i] = FSD_NONE;
    for (uint32_t i = 0; i < h->events.n && !s->registered; i++)
        s->registered = h->events.at[i].kind == FSD_EVENT_REGISTER;
    for (uint32_t i = 0; i < h->events.n; i++)
        if (is_ours(h, &h->events.at[i]))
            replay_event(s, &h->events.at[i], i);
    index_scenes(s);
    return s;
}

/* ------------------------------------------------------------------ engine layers */

/* The event that made something of that name. */
static uint32_t made_of(const struct fsd_story *s, enum fsd_event_kind kind,
                        fsd_sym name)
{
    uint32_t at = name < s->made.n ? s->made.at[name] : 0;

    return at && s->h->events.at[at - 1].kind == kind ? at - 1 : FSD_NONE;
}

uint32_t fsd_story_added(const struct fsd_story *s, const struct fsd_graph *engine,
                         fsd_id layer)
{
    static const char word[] = "Reformatting CopyNode for ";
    const struct fsd_layer *l = &engine->layers.at[layer];
    const char *name = fsd_text(s->h->names, l->base_name);
    size_t n = fsd_text_len(s->h->names, l->base_name);
    char *text;
    fsd_sym sym;

    if (l->form == FSD_NAME_COPY && n > 5 && !strcmp(name + n - 5, " copy"))
        return made_of(s, FSD_EVENT_COPY, fsd_intern_find(s->h->names, name, n - 5));
    if (l->form != FSD_NAME_REFORMAT || strncmp(name, word, sizeof word - 1) != 0)
        return FSD_NONE;
    text = FSD_NEW(s->arena, char, n + 1);
    memcpy(text, "Reformatted ", 12);
    memcpy(text + 12, name + sizeof word - 1, n - (sizeof word - 1));
    sym = fsd_intern_find(s->h->names, text, 12 + n - (sizeof word - 1));
    return made_of(s, FSD_EVENT_REFORMAT, sym);
}

static void correct(struct fsd_story *s, struct fsd_mention *m)
{
    struct fsd_span nodes;

    if (m->by != FSD_BY_NAME || m->text >= s->known.n || !s->known.at[m->text] ||
        m->role == FSD_MENTION_CONSTANT)
        return;
    nodes = s->of_name.at[m->text];
    if (nodes.n != 1 || s->pool.at[nodes.at] == m->node)
        return;
    if (m->role == FSD_MENTION_UNKNOWN || m->role == FSD_MENTION_HELPER)
        m->role = FSD_MENTION_COMPUTES;
    m->node = s->pool.at[nodes.at];
    m->tensor = FSD_NONE;
    m->among = 1;
    m->by = FSD_BY_LOG;
}

void fsd_story_correct(struct fsd_story *s, struct fsd_graph *engine)
{
    for (uint32_t i = 0; s->registered && i < engine->mentions.n; i++)
        correct(s, &engine->mentions.at[i]);
}
