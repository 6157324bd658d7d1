/*
 * Finds equal nodes by value numbering.  Each node gets a "spelling": a list of numbers
 * for its operator, its attributes and the values of its inputs.  Nodes with the same
 * spelling are equal; interning finds them.
 *
 *     Conv(x, w), strides [2, 2]  ->  0 "" Conv 1 | 2 x w | strides INTS 2 2 2
 *
 * Here 0 is the scope, "" is the domain, and 1 is the number of outputs.  The length of
 * each inner list comes first, so that different nodes have different spellings.
 *
 * Nodes are numbered in file order, which ONNX requires to be topological.  If a file
 * violates this rule, an input without a number counts as a separate value.  Duplicates
 * may then be missed, but different nodes never count as equal.
 */
#include "match/value_number.h"
#include "base/base.h"
#include "model/graph/graph.h"

#include <stdlib.h>

struct numbering {
    const struct fsd_facts *f;
    const struct fsd_graph *g;
    struct fsd_intern *spellings;
    fsd_id *of_tensor; /* indexed by tensor: the number of the tensor's value */
    FSD_VEC(fsd_id)
    first;                  /* indexed by symbol of a spelling: the first node or
                               tensor that has this spelling */
    FSD_VEC(int64_t) words; /* the spelling of the current node or tensor */
    struct fsd_arena *scratch;
};

static void spell(struct numbering *v, int64_t word)
{
    fsd_vec_push(v->scratch, &v->words, word);
}

static void spell_real(struct numbering *v, double real)
{
    int64_t bits;

    memcpy(&bits, &real, sizeof bits);
    spell(v, bits);
}

static void spell_form(struct numbering *v, const struct fsd_form *form)
{
    spell(v, form->type);
    spell(v, form->dims.n);
    for (uint32_t i = 0; i < form->dims.n; i++)
        spell(v, v->g->dims.at[form->dims.at + i].size);
}

/* Appends a constant to the spelling.  Its bytes are interned, so that the spelling
 * contains one word instead of all bytes. */
static void spell_constant(struct numbering *v, const struct fsd_form *form,
                           const struct fsd_value *value)
{
    spell_form(v, form);
    spell(v, fsd_intern_bytes(v->spellings, value->bytes, (size_t)value->size));
}

/* Appends an attribute to the spelling; false if its value was not read, so that the
 * node cannot be compared. */
static bool spell_attr(struct numbering *v, const struct fsd_attr *a)
{
    const struct fsd_graph *g = v->g;
    const struct fsd_value *value;

    spell(v, a->name);
    spell(v, a->kind);
    switch (a->kind) {
    case FSD_ATTR_UNREAD:
    case FSD_ATTR_GRAPH:
        return false;
    case FSD_ATTR_INT:
        spell(v, a->i);
        return true;
    case FSD_ATTR_FLOAT:
        spell_real(v, a->f);
        return true;
    case FSD_ATTR_STRING:
        spell(v, a->s);
        return true;
    case FSD_ATTR_TENSOR:
        value = fsd_graph_value(g, a->value);
        if (!value || !value->bytes || a->form == FSD_NONE || !value->size)
            return false;
        spell_constant(v, &g->forms.at[a->form], value);
        return true;
    case FSD_ATTR_INTS:
    case FSD_ATTR_FLOATS:
    case FSD_ATTR_STRINGS:
        break;
    }
    spell(v, a->list.n);
    for (uint32_t i = a->list.at; i < a->list.at + a->list.n; i++)
        if (a->kind == FSD_ATTR_FLOATS)
            spell_real(v, g->floats.at[i]);
        else
            spell(v, a->kind == FSD_ATTR_INTS ? g->ints.at[i] : g->links.at[i]);
    return true;
}

FSD_ORDERED(by_symbol, struct fsd_attr *const, fsd_order((*x)->name, (*y)->name))

static bool spell_attrs(struct numbering *v, const struct fsd_node *n)
{
    const struct fsd_attr **sorted =
        FSD_NEW(v->scratch, const struct fsd_attr *, n->attrs.n);
    bool known = true;

    for (uint32_t i = 0; i < n->attrs.n; i++)
        sorted[i] = &v->g->attrs.at[n->attrs.at + i];
    qsort(sorted, n->attrs.n, sizeof(*sorted), by_symbol);
    for (uint32_t i = 0; known && i < n->attrs.n; i++)
        known = spell_attr(v, sorted[i]);
    return known;
}

static bool spell_node(struct numbering *v, fsd_id node)
{
    const struct fsd_node *n = &v->g->nodes.at[node];
    unsigned traits = v->f->traits[node];

    if (!(traits & FSD_OP_STANDARD) || (traits & (FSD_OP_RANDOM | FSD_OP_CONTROL)) ||
        (v->g->lacks_attributes && !(traits & FSD_OP_BARE)))
        return false; /* such nodes may differ even if their spellings are equal: for
                         example, two MaxPools of one tensor with unknown windows */
    spell(v, n->scope);
    spell(v, n->domain);
    spell(v, n->op);
    spell(v, n->out.n);
    spell(v, n->in.n);
    FSD_EACH_OF (tensor, v->g->ports, n->in, tensor)
        spell(v, fsd_id_at(v->of_tensor, tensor));
    return spell_attrs(v, n);
}

/* Returns the first node or tensor that has the spelling v->words.  If there is none
 * yet, stores and returns `node`. */
static fsd_id first_with(struct numbering *v, fsd_id node)
{
    size_t n = v->words.n * sizeof *v->words.at;
    const char *words = (const char *)v->words.at;
    fsd_sym sym = fsd_intern_find(v->spellings, words, n);

    if (sym == FSD_NONE)
        sym =
            fsd_intern_bytes(v->spellings, fsd_arena_strndup(v->scratch, words, n), n);
    while (v->first.n <= sym)
        fsd_vec_push(v->scratch, &v->first, FSD_NONE);
    v->first.at[sym] = fsd_id_or(v->first.at[sym], node);
    return v->first.at[sym];
}

static void share_numbers(struct numbering *v, fsd_id node, fsd_id first)
{
    const struct fsd_node *n = &v->g->nodes.at[node], *m = &v->g->nodes.at[first];

    for (uint32_t i = 0; i < n->out.n && i < m->out.n; i++) {
        fsd_id mine = fsd_node_out(v->g, n, i)->tensor;
        fsd_id theirs = fsd_node_out(v->g, m, i)->tensor;

        if (mine != FSD_NONE && theirs != FSD_NONE &&
            fsd_tensor_producer(v->g, mine) == node)
            v->of_tensor[mine] = v->of_tensor[theirs];
    }
}

/* Handles an Identity: if its input is a constant, its output gets the number of this
 * constant.  An exporter that finds two equal initializers may replace the second one
 * by an Identity of the first. */
static void forward_constant(struct numbering *v, fsd_id node)
{
    fsd_id in = fsd_node_in_tensor(v->g, node, 0);
    fsd_id out = fsd_node_out_tensor(v->g, node, 0);

    if (in != FSD_NONE && out != FSD_NONE &&
        v->g->tensors.at[v->of_tensor[in]].flags & FSD_TENSOR_CONSTANT)
        v->of_tensor[out] = v->of_tensor[in];
}

/* Gives initializers with equal contents the same number.  The spelling of a tensor
 * begins with -1, the spelling of a node with its scope.  So in `first`, no tensor has
 * the spelling of a node. */
static void number_constants(struct numbering *v)
{
    for (fsd_id t = 0; t < v->g->tensors.n; t++) {
        const struct fsd_value *value = fsd_tensor_value(v->g, t);

        v->of_tensor[t] = t;
        if (!value || v->g->tensors.at[t].producers.n || !value->size)
            continue;
        v->words.n = 0;
        spell(v, -1);
        spell_constant(v, fsd_tensor_form(v->g, t), value);
        v->of_tensor[t] = first_with(v, t);
    }
}

void fsd_value_number(struct fsd_arena *arena, struct fsd_facts *f)
{
    FSD_SCRATCH(scratch);
    struct numbering v = {.f = f, .g = f->g, .scratch = scratch};

    v.spellings = fsd_intern_new(scratch);
    v.of_tensor = FSD_NEW(arena, fsd_id, f->g->tensors.n);
    number_constants(&v);
    f->first_duplicate = FSD_NEW(arena, fsd_id, f->g->nodes.n);
    f->value = v.of_tensor;
    for (fsd_id i = 0; i < f->g->nodes.n; i++) {
        v.words.n = 0;
        f->first_duplicate[i] = spell_node(&v, i) ? first_with(&v, i) : i;
        if (fsd_node_is(f->g, i, FSD_ONNX_Identity))
            forward_constant(&v, i);
        if (f->first_duplicate[i] != i)
            share_numbers(&v, i, f->first_duplicate[i]);
    }
}
