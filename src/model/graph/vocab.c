/*
 * The vocabulary has two arrays, both indexed by symbol.  `meaning` has the meanings of
 * exact names.  `loose` has the meanings of rewritten names, in which '_' replaces each
 * character other than a letter or a digit.
 *
 * A counting sort groups the nodes by name, so its time does not grow if many nodes
 * share a name.
 */
#include "model/graph/graph.h"
#include "model/graph/vocab.h"
#include "base/base.h"

#include <stdlib.h>

/* The maximum length in bytes of a name that is rewritten on the stack. */
enum { SHORT_NAME = 256 };

static void rewrite(char *out, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = fsd_is_word(s[i]) ? s[i] : '_';
}

static fsd_sym loose_symbol(struct fsd_vocab *v, struct fsd_intern *names, fsd_sym name)
{
    const char *text = fsd_text(names, name);
    size_t n = fsd_text_len(names, name), same = 0;
    char *out;

    while (same < n && fsd_is_word(text[same]))
        same++;
    if (same == n)
        return name;
    out = FSD_NEW(v->model->arena, char, n + 1);
    rewrite(out, text, n);
    return fsd_intern_add(names, out, n);
}

/* Returns the name of a node. For an unnamed node, this is the name that parsers give
 * it: "node_of_" followed by the name of its first output, or by nothing if that output
 * is omitted. */
static fsd_sym node_symbol(const struct fsd_graph *g, fsd_id node)
{
    fsd_id out = fsd_node_out_tensor(g, node, 0);
    fsd_sym name = fsd_graph_tensor(g, out)->name;
    size_t n = fsd_text_len(g->names, name) + sizeof "node_of_";
    char *text;

    if (g->nodes.at[node].name || !g->nodes.at[node].out.n)
        return g->nodes.at[node].name;
    text = FSD_NEW(g->arena, char, n);
    snprintf(text, n, "node_of_%s", fsd_text(g->names, name));
    return fsd_intern_add(g->names, text, n - 1);
}

/* Groups the nodes by symbol, by a counting sort: counts them, allocates the spans, and
 * fills the spans. */
static void place_nodes(struct fsd_vocab *v, const fsd_sym *symbol,
                        struct fsd_meaning *meaning)
{
    for (fsd_id i = 0; i < v->model->nodes.n; i++)
        if (symbol[i])
            meaning[symbol[i]].nodes.n++;
    for (fsd_sym s = 0; s < v->symbols; s++) {
        struct fsd_span *span = &meaning[s].nodes;

        span->at = v->pool.n;
        v->pool.n += span->n;
        span->n = 0;
    }
    for (fsd_id i = 0; i < v->model->nodes.n; i++)
        if (symbol[i]) {
            struct fsd_span *span = &meaning[symbol[i]].nodes;

            v->pool.at[span->at + span->n++] = i;
        }
}

static bool is_known(const struct fsd_meaning *meaning)
{
    return meaning->nodes.n || meaning->tensor != FSD_NONE;
}

/* Collects the distinct lengths of known names.  `has` has one byte for each length up
 * to the length of the longest name.  The file of the model contains that name, so
 * `has` needs no more memory than the file. */
static void collect_lengths(struct fsd_vocab *v)
{
    FSD_SCRATCH(scratch);
    size_t most = 0;
    bool *has;

    for (fsd_sym s = 0; s < v->symbols; s++)
        if (is_known(&v->meaning[s]) && fsd_text_len(v->names, s) > most)
            most = fsd_text_len(v->names, s);
    has = FSD_NEW(scratch, bool, most + 1);
    for (fsd_sym s = 0; s < v->symbols; s++)
        if (is_known(&v->meaning[s]))
            has[fsd_text_len(v->names, s)] = true;
    for (size_t n = most + 1; n-- > 0;)
        if (has[n])
            fsd_vec_push(v->model->arena, &v->lengths, (uint32_t)n);
}

static struct fsd_meaning *meanings_of_none(struct fsd_arena *arena, uint32_t n)
{
    struct fsd_meaning *meaning = FSD_NEW(arena, struct fsd_meaning, n);

    for (fsd_sym s = 0; s < n; s++)
        meaning[s].tensor = FSD_NONE;
    return meaning;
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
    v->symbols = fsd_intern_count(model->names);
    v->meaning = meanings_of_none(model->arena, v->symbols);
    v->loose = meanings_of_none(model->arena, v->symbols);
    v->pool.at = FSD_NEW(model->arena, fsd_id, 2 * (size_t)model->nodes.n);
    place_nodes(v, node, v->meaning);
    place_nodes(v, node_loose, v->loose);
    for (fsd_id i = 0; i < model->tensors.n; i++) {
        fsd_sym name = model->tensors.at[i].name;

        if (!name)
            continue;
        v->meaning[name].tensor = fsd_id_or(v->meaning[name].tensor, i);
        v->loose[tensor_loose[i]].tensor =
            fsd_id_or(v->loose[tensor_loose[i]].tensor, i);
    }
    collect_lengths(v);
    return v;
}

/* Returns the meaning of a symbol; NULL if the symbol has none. */
static const struct fsd_meaning *meaning_of(const struct fsd_vocab *v, fsd_sym sym,
                                            const struct fsd_meaning *meaning)
{
    return sym < v->symbols && is_known(&meaning[sym]) ? &meaning[sym] : NULL;
}

const struct fsd_meaning *fsd_vocab_find(const struct fsd_vocab *v, const char *s,
                                         size_t n)
{
    return meaning_of(v, fsd_intern_find(v->names, s, n), v->meaning);
}

const struct fsd_meaning *fsd_vocab_find_loose(const struct fsd_vocab *v, const char *s,
                                               size_t n)
{
    char stack[SHORT_NAME] = "", *out = n <= sizeof stack ? stack : malloc(n);
    fsd_sym sym;

    if (!out)
        fsd_out_of_memory();
    rewrite(out, s, n);
    sym = fsd_intern_find(v->names, out, n);
    if (out != stack)
        free(out);
    return meaning_of(v, sym, v->loose);
}

const struct fsd_tensor *fsd_meaning_tensor(const struct fsd_vocab *v,
                                            const struct fsd_meaning *m)
{
    return m ? fsd_graph_tensor(v->model, m->tensor) : &fsd_no_tensor;
}
