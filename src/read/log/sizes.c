/*
 * Reads expressions of dynamic sizes.  The parser prints a dynamic size as -1.  Since
 * TensorRT 10, the builder's list of layers has one line per dimension: the range of
 * the size over all optimization profiles and, after a tab, its expression.
 *
 *     GRAPH NODES
 *     CONVOLUTION /Conv
 *         Input 0
 *             [1,8]<TAB>batch
 *             3<TAB>3
 *             [64,256]<TAB>height
 *             ...
 *         Output 0
 *             [1,8]<TAB>batch
 *             [32,128]<TAB>(+ (CEIL_DIV (+ height -2) 2) 1)
 *             ...
 *
 * The parser may make several layers for a node.  The first of them has the inputs of
 * the node, and the last has the outputs.  If the node is a Softmax, these two layers
 * may be reshapes with other sizes.  Sizes that contradict the parser's sizes are
 * therefore ignored.
 */
#include "model/graph/graph.h"
#include "read/log/log.h"

#include "base/base.h"

/* Limits: the number of dimensions of a tensor (MOST_SIZES), the depth of an expression
 * (DEEPEST), the number of operands of an operation (OPERANDS), and the absolute value
 * of a number (MOST_NUMBER).  An expression becomes deeper with each nested bracket,
 * and with each operand after the second. */
enum { MOST_SIZES = 64, DEEPEST = 16, OPERANDS = 16, MOST_NUMBER = 1 << 30 };

/* ------------------------------------------------------------------------ formulas */

static bool take_integer(struct fsd_slice *t, int64_t *out)
{
    struct fsd_slice rest = *t;
    bool below = fsd_slice_take(&rest, "-");
    uint64_t value;

    if (!fsd_slice_take_number(&rest, MOST_NUMBER, &value) ||
        (rest.n && !strchr(" )", *rest.s)))
        return false;
    *out = below ? -(int64_t)value : (int64_t)value;
    *t = rest;
    return true;
}

static fsd_id add_term(struct fsd_graph *g, struct fsd_term term)
{
    fsd_vec_push(g->arena, &g->terms, term);
    return g->terms.n - 1;
}

static fsd_id read_term(struct fsd_graph *g, struct fsd_slice *t, unsigned depth);

/* Reads an operation such as "(+ a b c)", after its opening bracket.  Returns its term;
 * FSD_NONE if it is not understood. */
static fsd_id read_operation(struct fsd_graph *g, struct fsd_slice *t, unsigned depth)
{
    static const struct {
        const char *word;
        enum fsd_term_is is;
        bool adds; /* the last operand is added: "(MUL_ADD a b c)" means a * b + c */
    } words[] = {
        {"+ ", FSD_TERM_PLUS, false},        {"* ", FSD_TERM_TIMES, false},
        {"CEIL_DIV ", FSD_TERM_CEIL, false}, {"MAX ", FSD_TERM_MOST, false},
        {"MIN ", FSD_TERM_LEAST, false},     {"MUL_ADD ", FSD_TERM_TIMES, true}};
    struct fsd_term term = {.name = 0};
    uint32_t i = 0, n = 1;

    while (i < FSD_COUNT_OF(words) && !fsd_slice_take(t, words[i].word))
        i++;
    if (i == FSD_COUNT_OF(words))
        return FSD_NONE;
    term.a = read_term(g, t, depth);
    while (term.a != FSD_NONE && n < OPERANDS && fsd_slice_take(t, " ")) {
        term.is = words[i].adds && n > 1 ? FSD_TERM_PLUS : words[i].is;
        term.b = read_term(g, t, depth);
        term.a = term.b == FSD_NONE ? FSD_NONE : add_term(g, term);
        n++;
    }
    /* A sum or a product has any number of operands, MUL_ADD has three, each other
     * operation has two.
     */
    if (n < 2 || (words[i].is > FSD_TERM_TIMES && n > 2) || (words[i].adds && n != 3))
        return FSD_NONE;
    return fsd_slice_take(t, ")") ? term.a : FSD_NONE;
}

static fsd_id read_term(struct fsd_graph *g, struct fsd_slice *t, unsigned depth)
{
    struct fsd_term term = {.is = FSD_TERM_NUMBER};
    size_t n = 0;

    if (fsd_slice_take(t, "("))
        return depth < DEEPEST ? read_operation(g, t, depth + 1) : FSD_NONE;
    if (take_integer(t, &term.number))
        return add_term(g, term);
    while (n < t->n && !strchr(" ()", t->s[n]))
        n++;
    if (!n)
        return FSD_NONE;
    term.is = FSD_TERM_NAME;
    term.name = fsd_intern_slice(g->names, (struct fsd_slice){t->s, n});
    *t = fsd_slice_from(*t, n);
    return add_term(g, term);
}

/* Reads the expression of a size: a number, a name, or an operation.  If it is not
 * understood, returns a dynamic size without an expression. */
static struct fsd_dim read_formula(struct fsd_graph *g, struct fsd_slice t)
{
    struct fsd_slice rest = t;
    struct fsd_dim dim = {.size = -1};
    fsd_id term;

    if (take_integer(&rest, &dim.size) && !rest.n)
        return dim;
    dim.size = -1;
    if (!fsd_slice_begins(t, "(")) {
        dim.name = t.n ? fsd_intern_slice(g->names, t) : 0;
        return dim;
    }
    term = read_term(g, &t, 0);
    dim.term = term == FSD_NONE || t.n ? 0 : term + 1;
    return dim;
}

/* ------------------------------------------------------------------------ the list */

/* The sizes that the list states for one tensor. */
struct listed {
    struct fsd_dim dims[MOST_SIZES];
    uint32_t n;
};

/* Stores the listed sizes of a tensor, unless they contradict its known sizes.
 * @param reads  true: the tensor is an input of the layer.  Its sizes are then stored
 *         only if it is also an input of the network, and if no size is an operation,
 *         such as "(+ height -2)".  false: the tensor is an output of the layer. */
static void take_sizes(struct fsd_graph *g, fsd_id tensor, const struct listed *listed,
                       bool reads)
{
    const struct fsd_form *form = fsd_tensor_form(g, tensor);
    uint32_t n = listed->n;

    if (!form->ranked || n > MOST_SIZES ||
        (reads && !(g->tensors.at[tensor].flags & FSD_TENSOR_INPUT)))
        return;
    while (n > form->dims.n && listed->dims[n - 1].size == 1)
        n--; /* TensorRT lists a one-dimensional convolution or pooling as
                two-dimensional */
    for (uint32_t i = 0; i < n && n == form->dims.n; i++) {
        const struct fsd_dim *dim = &listed->dims[i];
        int64_t size = g->dims.at[form->dims.at + i].size;

        if ((size >= 0 && size != dim->size) || (reads && dim->term))
            return;
    }
    for (uint32_t i = 0; i < n && n == form->dims.n; i++) {
        struct fsd_dim *dim = &g->dims.at[form->dims.at + i];

        if (dim->size < 0 && !dim->name && !dim->term)
            *dim = listed->dims[i];
    }
}

/* Facts about a layer: the node for which the parser made it, and whether it is the
 * first or the last layer of this node. */
struct made {
    fsd_id node; /* the number of the node, plus 1; 0: none */
    bool first, last;
};

/* Returns the tensor for a line such as "    Input 0" or "    Output 0"; FSD_NONE if
 * there is none.  The next lines state the sizes of this tensor.
 * @param reads  set to true for an input, to false for an output */
static fsd_id tensor_of(const struct fsd_graph *g, const struct made *made,
                        struct fsd_slice t, bool *reads)
{
    uint64_t i;

    *reads = fsd_slice_take(&t, "Input ");
    if ((!*reads && !fsd_slice_take(&t, "Output ")) ||
        !fsd_slice_take_number(&t, UINT32_MAX, &i) || !made->node ||
        !(*reads ? made->first : made->last))
        return FSD_NONE;
    return *reads ? fsd_node_in_tensor(g, made->node - 1, (uint32_t)i)
                  : fsd_node_out_tensor(g, made->node - 1, (uint32_t)i);
}

/* Reads the sizes of the tensors of a layer.
 * @param lines  begin at the line of the layer itself */
static void read_sizes_of(struct fsd_graph *g, struct fsd_log_lines lines,
                          const struct made *made)
{
    struct fsd_log_line line;
    struct listed listed = {.n = 0};
    fsd_id tensor = FSD_NONE;
    bool reads = false, more = fsd_log_next(&lines, &line);

    while (more) {
        struct fsd_slice formula, t;

        more = fsd_log_next(&lines, &line) && fsd_slice_begins(line.text, " ");
        t = more ? fsd_slice_trim(line.text) : (struct fsd_slice){"", 0};
        if (more && fsd_slice_split_at(&t, "\t", &formula)) {
            if (listed.n < MOST_SIZES)
                listed.dims[listed.n] = read_formula(g, formula);
            listed.n++;
            continue;
        }
        take_sizes(g, tensor, &listed, reads);
        listed.n = 0;
        tensor = tensor_of(g, made, t, &reads);
    }
}

void fsd_log_sizes(struct fsd_graph *g, const struct fsd_history *h,
                   const struct fsd_file *file)
{
    FSD_SCRATCH(scratch);
    struct made *of = FSD_NEW(scratch, struct made, fsd_intern_count(g->names));
    fsd_sym *last = FSD_NEW(scratch, fsd_sym, g->nodes.n);

    FSD_EACH (const struct fsd_event, e, h->events) {
        /* Skips layers of constants: their `e->b` is not the name of the node that the
         * parser was reading. */
        if (e->kind != FSD_EVENT_REGISTER || e->build != h->parsed_build ||
            e->node >= g->nodes.n || e->b != g->nodes.at[e->node].name)
            continue;
        of[e->a] = (struct made){e->node + 1, !last[e->node], true};
        if (last[e->node] && last[e->node] != e->a)
            of[last[e->node]].last = false;
        last[e->node] = e->a;
    }
    FSD_EACH (const struct fsd_parser_line, l, h->parser) {
        struct fsd_slice name = {(const char *)file->bytes + l->at, l->n};
        struct fsd_log_lines lines = fsd_log_lines(file);
        fsd_sym layer;

        if (l->says != FSD_SAYS_LAYER || l->build != h->parsed_build)
            continue;
        fsd_slice_take_word(&name);
        fsd_slice_take(&name, " ");
        layer = fsd_intern_find(g->names, name.s, name.n);
        lines.at = (size_t)l->at;
        if (layer < fsd_intern_count(g->names) && of[layer].node)
            read_sizes_of(g, lines, &of[layer]);
    }
}
