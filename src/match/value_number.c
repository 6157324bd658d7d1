/*
 * Hash-consing: a node is spelled as text from its operator, its attributes and the
 * numbers of its inputs; equal spellings, found by interning, are equal nodes.  The
 * spelling is printable, so that the intern table keeps it as it is.
 *
 * Nodes are numbered in file order, which ONNX demands to be topological.  Where a file
 * breaks that, an input that is not numbered yet counts as its own tensor: a duplicate
 * may be missed, none is invented.
 */
#include "match/value_number.h"
#include "base/id.h"
#include "base/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct numbering {
    const struct fsd_facts *f;
    const struct fsd_graph *g;
    struct fsd_intern *spellings;
    fsd_id *of_tensor;     /* the number of its value */
    FSD_VEC(fsd_id) first; /* by spelling: the first node */
    struct fsd_arena *scratch;
};

static void spell_bytes(FILE *out, const unsigned char *bytes, uint64_t n)
{
    static const char digits[] = "0123456789abcdef";

    for (uint64_t i = 0; i < n; i++) { /* fprintf took most of a small pair's time */
        putc(digits[bytes[i] >> 4], out);
        putc(digits[bytes[i] & 15], out);
    }
}

static void spell_form(const struct fsd_graph *g, const struct fsd_form *form,
                       FILE *out)
{
    fprintf(out, "t%d", (int)form->type);
    for (uint32_t i = 0; i < form->dims.n; i++)
        fprintf(out, ",%" PRId64, g->dims.at[form->dims.at + i].size);
}

/* False when the attribute was not read, so that nothing can be said of the node. */
static bool spell_attr(const struct fsd_graph *g, const struct fsd_attr *a, FILE *out)
{
    fprintf(out, ";%u=", a->name);
    switch (a->kind) {
    case FSD_ATTR_UNREAD:
    case FSD_ATTR_GRAPH:
        return false;
    case FSD_ATTR_INT:
        fprintf(out, "i%" PRId64, a->i);
        break;
    case FSD_ATTR_FLOAT:
        fprintf(out, "f%a", a->f);
        break;
    case FSD_ATTR_STRING:
        fprintf(out, "s%u", a->s);
        break;
    case FSD_ATTR_INTS:
        for (uint32_t i = 0; i < a->list.n; i++)
            fprintf(out, "i%" PRId64, g->ints.at[a->list.at + i]);
        break;
    case FSD_ATTR_FLOATS:
        for (uint32_t i = 0; i < a->list.n; i++)
            fprintf(out, "f%a", g->floats.at[a->list.at + i]);
        break;
    case FSD_ATTR_STRINGS:
        for (uint32_t i = 0; i < a->list.n; i++)
            fprintf(out, "s%u", g->links.at[a->list.at + i]);
        break;
    case FSD_ATTR_TENSOR:
        if (a->value == FSD_NONE || !g->values.at[a->value].bytes ||
            a->form == FSD_NONE || !g->values.at[a->value].size)
            return false;
        spell_form(g, &g->forms.at[a->form], out);
        putc(':', out);
        spell_bytes(out, g->values.at[a->value].bytes, g->values.at[a->value].size);
        break;
    }
    return true;
}

static int by_symbol(const void *a, const void *b)
{
    fsd_sym x = (*(const struct fsd_attr *const *)a)->name;
    fsd_sym y = (*(const struct fsd_attr *const *)b)->name;

    return fsd_order(x, y);
}

static bool spell_attrs(const struct numbering *v, const struct fsd_node *n, FILE *out)
{
    const struct fsd_attr **sorted =
        FSD_NEW(v->scratch, const struct fsd_attr *, n->attrs.n);
    bool known = true;

    for (uint32_t i = 0; i < n->attrs.n; i++)
        sorted[i] = &v->g->attrs.at[n->attrs.at + i];
    qsort(sorted, n->attrs.n, sizeof(*sorted), by_symbol);
    for (uint32_t i = 0; known && i < n->attrs.n; i++)
        known = spell_attr(v->g, sorted[i], out);
    return known;
}

static bool spell_node(const struct numbering *v, fsd_id node, FILE *out)
{
    const struct fsd_node *n = &v->g->nodes.at[node];

    unsigned traits = v->f->traits[node];

    if (!(traits & FSD_OP_STANDARD) || (traits & (FSD_OP_RANDOM | FSD_OP_CONTROL)))
        return false;
    fprintf(out, "%u.%u.%u/%u(", n->scope, n->domain, n->op, n->out.n);
    for (uint32_t i = 0; i < n->in.n; i++) {
        fsd_id tensor = fsd_node_in(v->g, n, i)->tensor;

        fprintf(out, "%" PRIu32 ",",
                tensor == FSD_NONE ? FSD_NONE : v->of_tensor[tensor]);
    }
    return spell_attrs(v, n, out);
}

/* The first node with this spelling; the node itself when it is the first. */
static fsd_id first_with(struct numbering *v, const char *text, size_t n, fsd_id node)
{
    fsd_sym sym = fsd_intern_add(v->spellings, text, n);

    while (v->first.n <= sym)
        fsd_vec_push(v->scratch, &v->first, FSD_NONE);
    if (v->first.at[sym] == FSD_NONE)
        v->first.at[sym] = node;
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

/* Two initializers of equal content are one value.  `first` maps a spelling to a tensor
 * here; nodes and tensors spell differently ("#" is no node's). */
static void number_constants(struct numbering *v)
{
    for (fsd_id t = 0; t < v->g->tensors.n; t++) {
        const struct fsd_tensor *tensor = &v->g->tensors.at[t];
        const struct fsd_value *value = fsd_tensor_value(v->g, t);
        struct fsd_print print;
        FILE *out;

        v->of_tensor[t] = t;
        if (!value || tensor->producers.n || !value->size)
            continue;
        out = fsd_print_open(&print);
        putc('#', out);
        spell_form(v->g, fsd_tensor_form(v->g, t), out);
        putc(':', out);
        spell_bytes(out, value->bytes, value->size);
        fsd_print_close(&print);
        v->of_tensor[t] = first_with(v, print.text, print.size, t);
        free(print.text);
    }
}

void fsd_value_number(struct fsd_arena *arena, struct fsd_facts *f)
{
    struct fsd_arena *scratch = fsd_arena_new();
    struct numbering v = {.f = f, .g = f->g, .scratch = scratch};

    v.spellings = fsd_intern_new(scratch);
    v.of_tensor = FSD_NEW(arena, fsd_id, f->g->tensors.n);
    number_constants(&v);
    f->first_twin = FSD_NEW(arena, fsd_id, f->g->nodes.n);
    f->value = v.of_tensor;
    for (fsd_id i = 0; i < f->g->nodes.n; i++) {
        struct fsd_print print;
        bool known = spell_node(&v, i, fsd_print_open(&print));

        fsd_print_close(&print);
        f->first_twin[i] = known ? first_with(&v, print.text, print.size, i) : i;
        free(print.text);
        if (f->first_twin[i] != i)
            share_numbers(&v, i, f->first_twin[i]);
    }
    fsd_arena_free(scratch);
}
