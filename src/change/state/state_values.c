/*
 * Prints the short constants that a node reads, such as scales, zero points, limits,
 * exponents and factors.  Long constants are weights, whose values are not compared.
 *
 *     scale=0.02 zero_point=int8:0          for a QuantizeLinear
 *     #1=0.5 #2=6                           for a Clip
 *     bias=64                               for a Conv whose bias has 64 values
 */
#include "base/base.h"
#include "change/state/parts.h"
#include "model/graph/graph.h"
#include "model/ops/ops.h"

#include <inttypes.h>
#include <math.h>

enum { SHORT = 4 }; /* maximum number of values in a short constant */

/* Prints the name of input `i`: "scale" or "zero_point" for a quantizer, else "#1". */
static void put_input(const struct fsd_state_build *b, fsd_id node, uint32_t i,
                      FILE *out)
{
    if (!(b->facts->traits[node] & FSD_OP_QDQ))
        fprintf(out, "#%" PRIu32, i);
    else
        fputs(i == 1 ? "scale" : "zero_point", out);
}

/* Whether the input is the bias of a product.  Only the number of its values is
 * printed, because exporters fold other nodes into the values. */
static bool is_bias(const struct fsd_state_build *b, fsd_id node, uint32_t i)
{
    return i == 2 && (b->facts->traits[node] & FSD_OP_WEIGHTED);
}

static void put_bias(const struct fsd_state_build *b, fsd_id node, FILE *out)
{
    fsd_id t = fsd_node_in_tensor(b->model, node, 2);

    if (fsd_is_constant(b->facts, t))
        fprintf(out, " bias=%" PRId64,
                fsd_form_count(b->model, fsd_tensor_form(b->model, t)));
}

/* Whether to print a constant of this type.  For a quantizer, constants of all types
 * are printed.  For other nodes, int32 and int64 constants are not printed, because
 * they are sizes and axes, which fsd_state_attrs() prints. */
static bool is_kept(const struct fsd_state_build *b, fsd_id node, enum fsd_dtype type)
{
    return (b->facts->traits[node] & FSD_OP_QDQ) || fsd_dtype_rank(type);
}

/* Prints input `i` as " #1=0.5"; prints nothing if it is not a short constant. */
static void put_constant(const struct fsd_state_build *b, fsd_id node, uint32_t i,
                         FILE *out)
{
    const struct fsd_graph *g = b->model;
    fsd_id t = fsd_node_in_tensor(g, node, i);
    fsd_id root = fsd_is_constant(b->facts, t) ? b->facts->root[t] : FSD_NONE;
    const struct fsd_value *v = fsd_tensor_value(g, root);
    const struct fsd_form *form = fsd_tensor_form(g, root);
    int64_t n = fsd_form_count(g, form);
    double values[SHORT];

    if (!v || !v->bytes || n < 1 || n > SHORT || !is_kept(b, node, form->type))
        return;
    for (int64_t k = 0; k < n; k++)
        if (!fsd_element_number(v, form->type, (uint64_t)k, &values[k]) ||
            isnan(values[k]))
            return;
    putc(' ', out);
    put_input(b, node, i, out);
    putc('=', out);
    if (form->type != FSD_FP32)
        fprintf(out, "%s:", fsd_dtype_name(form->type));
    for (int64_t k = 0; k < n; k++)
        fprintf(out, "%s%.7g", k ? "x" : "", values[k]);
}

fsd_sym fsd_state_values(struct fsd_state_build *b, fsd_id node)
{
    const struct fsd_node *n = &b->model->nodes.at[node];
    const char *text;
    size_t size;

    for (uint32_t i = 0; i < n->in.n; i++)
        if (is_bias(b, node, i))
            put_bias(b, node, b->text.out);
        else if (!(b->facts->traits[node] & FSD_OP_QDQ) || (i && i < 3))
            put_constant(b, node, i, b->text.out);
    text = fsd_print_next(&b->text, &size);
    /* skip the first blank: each word begins with one */
    return size ? fsd_intern_add(b->s->names, text + 1, size - 1) : 0;
}

bool fsd_state_next_word(const char **at, struct fsd_state_word *word)
{
    size_t n = strcspn(*at, " "), name = strcspn(*at, "= ");

    if (!n)
        return false;
    word->name = (struct fsd_slice){*at, name};
    word->value = fsd_slice_from((struct fsd_slice){*at, n}, name + 1);
    *at += n + ((*at)[n] == ' ');
    return true;
}

bool fsd_state_find_word(const char *list, struct fsd_slice name,
                         struct fsd_state_word *found)
{
    while (fsd_state_next_word(&list, found))
        if (fsd_slice_equal(found->name, name))
            return true;
    return false;
}
