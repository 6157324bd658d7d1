/*
 * Two arrays over the shared symbols: what the exact text means, and what it means
 * once every character that is not a letter or a digit has become '_'.  The pool of
 * nodes is laid out by counting, so a name that stands on every node is no worse than
 * names that differ.
 */
#include "model/vocab.h"

#include <stdlib.h>
#include <string.h>

/* Names up to this length are rewritten on the stack. */
enum { SHORT_NAME = 256 };

static bool is_plain(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void rewrite(char *out, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = is_plain(s[i]) ? s[i] : '_';
}

static fsd_sym loose_symbol(struct fsd_vocab *v, struct fsd_intern *names, fsd_sym name)
{
    size_t n = fsd_text_len(names, name);
    char *out = FSD_NEW(v->model->arena, char, n + 1);

    rewrite(out, fsd_text(names, name), n);
    return fsd_intern_add(names, out, n);
}

static fsd_sym node_symbol(const struct fsd_graph *g, fsd_id node)
{
    fsd_id tensor = fsd_node_out_tensor(g, node, 0);
    struct fsd_arena *arena = g->arena;
    const char *name;
    char *text;
    size_t n;

    if (g->nodes.at[node].name)
        return g->nodes.at[node].name;
    if (tensor == FSD_NONE)
        return 0;
    name = fsd_text(g->names, g->tensors.at[tensor].name);
    n = strlen(name);
    text = FSD_NEW(arena, char, n + sizeof "node_of_");
    memcpy(text, "node_of_", 8);
    memcpy(text + 8, name, n);
    return fsd_intern_add(g->names, text, n + 8);
}

static struct fsd_meaning *meaning_at(struct fsd_vocab *v, bool loose, fsd_sym sym)
{
    return loose ? &v->loose.at[sym] : &v->meaning.at[sym];
}

static void clear_meanings(struct fsd_vocab *v, uint32_t symbols)
{
    const struct fsd_meaning nothing = {.tensor = FSD_NONE};

    for (uint32_t i = 0; i < symbols; i++) {
        fsd_vec_push(v->model->arena, &v->meaning, nothing);
        fsd_vec_push(v->model->arena, &v->loose, nothing);
    }
}

/* Lays the nodes out by symbol: count, place, fill. */
static void place_nodes(struct fsd_vocab *v, const fsd_sym *symbol, bool loose)
{
    uint32_t nodes = v->model->nodes.n, symbols = v->meaning.n;

    for (fsd_id i = 0; i < nodes; i++)
        if (symbol[i])
            meaning_at(v, loose, symbol[i])->nodes.n++;
    for (fsd_sym s = 0; s < symbols; s++) {
        struct fsd_span *span = &meaning_at(v, loose, s)->nodes;

        span->at = v->pool.n;
        for (; span->n; span->n--)
            fsd_vec_push(v->model->arena, &v->pool, FSD_NONE);
    }
    for (fsd_id i = 0; i < nodes; i++)
        if (symbol[i]) {
            struct fsd_span *span = &meaning_at(v, loose, symbol[i])->nodes;

            v->pool.at[span->at + span->n++] = i;
        }
}

static void place_tensors(struct fsd_vocab *v, const fsd_sym *loose)
{
    const struct fsd_graph *g = v->model;

    for (fsd_id i = 0; i < g->tensors.n; i++) {
        fsd_sym name = g->tensors.at[i].name;

        if (name && v->meaning.at[name].tensor == FSD_NONE)
            v->meaning.at[name].tensor = i;
        if (name && v->loose.at[loose[i]].tensor == FSD_NONE)
            v->loose.at[loose[i]].tensor = i;
    }
}

static int longer_first(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? 1 : x > y ? -1 : 0;
}

static void collect_lengths(struct fsd_vocab *v)
{
    uint32_t kept = 0;

    for (fsd_sym s = 0; s < v->meaning.n; s++)
        if (v->meaning.at[s].nodes.n || v->meaning.at[s].tensor != FSD_NONE)
            fsd_vec_push(v->model->arena, &v->lengths,
                         (uint32_t)fsd_text_len(v->names, s));
    if (!v->lengths.n)
        return;
    qsort(v->lengths.at, v->lengths.n, sizeof *v->lengths.at, longer_first);
    for (uint32_t i = 0; i < v->lengths.n; i++)
        if (!kept || v->lengths.at[kept - 1] != v->lengths.at[i])
            v->lengths.at[kept++] = v->lengths.at[i];
    v->lengths.n = kept;
}

struct fsd_vocab *fsd_vocab_new(struct fsd_arena *arena, const struct fsd_graph *model)
{
    struct fsd_vocab *v = FSD_NEW(arena, struct fsd_vocab, 1);
    fsd_sym *node = FSD_NEW(arena, fsd_sym, model->nodes.n);
    fsd_sym *node_loose = FSD_NEW(arena, fsd_sym, model->nodes.n);
    fsd_sym *tensor_loose = FSD_NEW(arena, fsd_sym, model->tensors.n);

    v->model = model;
    v->names = model->names;
    for (fsd_id i = 0; i < model->nodes.n; i++) {
        node[i] = node_symbol(model, i);
        node_loose[i] = node[i] ? loose_symbol(v, model->names, node[i]) : 0;
    }
    for (fsd_id i = 0; i < model->tensors.n; i++)
        tensor_loose[i] = loose_symbol(v, model->names, model->tensors.at[i].name);
    clear_meanings(v, fsd_intern_count(model->names));
    place_nodes(v, node, false);
    place_nodes(v, node_loose, true);
    place_tensors(v, tensor_loose);
    collect_lengths(v);
    return v;
}

static bool says_something(const struct fsd_meaning *m)
{
    return m->nodes.n || m->tensor != FSD_NONE;
}

const struct fsd_meaning *fsd_vocab_find(const struct fsd_vocab *v, const char *s,
                                         size_t n)
{
    fsd_sym sym = fsd_intern_find(v->names, s, n);

    if (sym == FSD_NONE || sym >= v->meaning.n || !says_something(&v->meaning.at[sym]))
        return NULL;
    return &v->meaning.at[sym];
}

const struct fsd_meaning *fsd_vocab_find_loose(const struct fsd_vocab *v, const char *s,
                                               size_t n)
{
    char stack[SHORT_NAME] = "", *out = n <= sizeof stack ? stack : malloc(n);
    fsd_sym sym;

    if (!out)
        return NULL;
    rewrite(out, s, n);
    sym = fsd_intern_find(v->names, out, n);
    if (out != stack)
        free(out);
    if (sym == FSD_NONE || sym >= v->loose.n || !says_something(&v->loose.at[sym]))
        return NULL;
    return &v->loose.at[sym];
}
