/* Conditions of rows of refusals.c, on the graph: nodes on a cycle, tensors with two
 * producers or none, operands of different types. */
#include "judge/lint/row.h"

#include "base/base.h"
#include "model/graph/graph.h"

/* --------------------------------------------------------------------------- cycles */

/* Finds cycles by removing nodes. First removes nodes without remaining producers,
 * until there are no such nodes. Then (`back`) removes nodes without remaining
 * consumers in the same way. The nodes that remain are on cycles or between cycles. */
struct peel {
    const struct fsd_graph *g;
    uint32_t *waits; /* indexed by node: number of links to remaining producers or, with
                        `back`, to remaining consumers */
    bool *left;      /* indexed by node: the node is not removed */
    bool back;       /* false: removes nodes without remaining producers. true: without
                        remaining consumers */
};

static struct fsd_span ports_of(const struct peel *p, fsd_id node, bool ahead)
{
    const struct fsd_node *n = &p->g->nodes.at[node];

    return ahead != p->back ? n->out : n->in;
}

/* The consumers of the tensor if `ahead` is true, else its producers. With p->back,
 * consumers and producers are exchanged. */
static struct fsd_span nodes_at(const struct peel *p, fsd_id tensor, bool ahead)
{
    return ahead != p->back ? fsd_tensor_consumers(p->g, tensor)
                            : fsd_graph_tensor(p->g, tensor)->producers;
}

static uint32_t count_waits(const struct peel *p, fsd_id node)
{
    struct fsd_span ports = ports_of(p, node, false);
    uint32_t n = 0;

    FSD_EACH_OF (tensor, p->g->ports, ports, tensor) {
        struct fsd_span at = nodes_at(p, tensor, false);

        FSD_EACH_ID (other, p->g->links, at)
            n += p->left[other];
    }
    return n;
}

static void peel(struct fsd_arena *scratch, const struct peel *p)
{
    const struct fsd_graph *g = p->g;
    FSD_VEC(fsd_id) todo = {0};

    for (fsd_id i = 0; i < g->nodes.n; i++) {
        p->waits[i] = p->left[i] ? count_waits(p, i) : 0;
        if (p->left[i] && !p->waits[i])
            fsd_vec_push(scratch, &todo, i);
    }
    while (todo.n) {
        fsd_id node = todo.at[--todo.n];
        struct fsd_span ports = ports_of(p, node, true);

        p->left[node] = false;
        FSD_EACH_OF (tensor, g->ports, ports, tensor) {
            struct fsd_span at = nodes_at(p, tensor, true);

            FSD_EACH_ID (next, g->links, at)
                if (p->left[next] && p->waits[next] && !--p->waits[next])
                    fsd_vec_push(scratch, &todo, next);
        }
    }
}

void fsd_lint_find_cycles(struct fsd_lint *l)
{
    uint32_t n = l->g->nodes.n;
    FSD_SCRATCH(scratch);
    struct peel p = {.g = l->g,
                     .waits = FSD_NEW(scratch, uint32_t, n + 1),
                     .left = FSD_NEW(l->arena, bool, n + 1)};
    bool any = false;

    for (fsd_id i = 0; i < n; i++)
        p.left[i] = true;
    peel(scratch, &p);
    p.back = true;
    peel(scratch, &p);
    for (fsd_id i = 0; i < n; i++)
        any |= p.left[i];
    l->cyclic = any ? p.left : NULL;
}

void fsd_lint_find_repeats(struct fsd_lint *l)
{
    for (uint32_t i = 0; i < l->g->remarks.n; i++)
        l->repeats |= !strcmp(l->g->remarks.at[i].rule, "input/duplicate-output");
}

FSD_CONDITION(fsd_refused_is_cyclic)
{
    return l->cyclic && l->cyclic[node];
}

/* -------------------------------------------------------------------------- tensors */

/* An earlier node outputs a tensor of the same name as an output of this node. The
 * reader of models drops the name of the second tensor. */
FSD_CONDITION(fsd_refused_makes_again)
{
    const struct fsd_node *n = &l->g->nodes.at[node];

    for (uint32_t i = 0; l->repeats && i < n->out.n; i++) {
        fsd_id tensor = fsd_node_out(l->g, n, i)->tensor;

        if (tensor != FSD_NONE && !l->g->tensors.at[tensor].name)
            return true;
    }
    return false;
}

/* The node reads a tensor that no node outputs, and that is neither an input nor a
 * constant of its graph. */
FSD_CONDITION(fsd_refused_reads_nothing)
{
    const struct fsd_node *n = &l->g->nodes.at[node];
    unsigned given = FSD_TENSOR_INPUT | FSD_TENSOR_CONSTANT | FSD_TENSOR_SPARSE;

    FSD_EACH_OF (tensor, l->g->ports, n->in, tensor)
        if (tensor != FSD_NONE && !fsd_graph_tensor(l->g, tensor)->producers.n &&
            !fsd_tensor_is(l->g, tensor, given))
            return true;
    return false;
}

/* ---------------------------------------------------------------------------- types */

/* Whether all floating-point inputs of the operator must have the same type. This holds
 * for elementwise operators, products and Concat. It also holds for normalizations that
 * do not read their statistics as inputs. It does not hold for operators such as Pow
 * and Clip, because the parser casts their second input. */
static bool needs_one_type(const struct fsd_lint *l, fsd_id node)
{
    unsigned traits = l->facts->traits[node];
    bool sensitive = traits & FSD_OP_SENSITIVE, bare = traits & FSD_OP_BARE;

    if (!fsd_is_onnx_domain(fsd_text(l->g->names, l->g->nodes.at[node].domain)) ||
        (traits & (FSD_OP_QDQ | FSD_OP_CASTS | FSD_OP_RECURRENT)))
        return false;
    return (traits & (FSD_OP_WEIGHTED | FSD_OP_PARTS)) || (bare && !sensitive) ||
           (sensitive && !bare && l->g->nodes.at[node].in.n <= 3);
}

/* At least two of the row's types occur among the types of the inputs. A row with this
 * condition is for operators whose inputs are all data. */
FSD_CONDITION(fsd_refused_mixes_numbers)
{
    uint64_t types = 0;

    FSD_EACH_OF (tensor, l->g->ports, l->g->nodes.at[node].in, tensor)
        if (tensor != FSD_NONE)
            types |= UINT64_C(1) << fsd_tensor_form(l->g, tensor)->type & r->types;
    return (types & (types - 1)) != 0;
}

FSD_CONDITION(fsd_refused_mixes_types)
{
    return fsd_refused_mixes_numbers(l, r, node) && needs_one_type(l, node);
}

static bool are_unlike(const struct fsd_lint *l, fsd_id a, fsd_id b)
{
    enum fsd_dtype x, y;

    if (a == FSD_NONE || b == FSD_NONE)
        return false;
    x = fsd_tensor_form(l->g, a)->type;
    y = fsd_tensor_form(l->g, b)->type;
    return x != y && x != FSD_DTYPE_UNKNOWN && y != FSD_DTYPE_UNKNOWN;
}

/* The two branches of an If output different types, or a step of a Loop changes the
 * type of a state. States are the inputs of a Loop from the third on, and the outputs
 * of its body from the second on. */
FSD_CONDITION(fsd_refused_changes_type)
{
    const struct fsd_graph *g = l->g;
    fsd_id one = fsd_list_at(&l->sizes->bodies, node, 0);
    fsd_id other = fsd_list_at(&l->sizes->bodies, node, 1);
    bool loops = fsd_node_is(g, node, FSD_ONNX_Loop);
    struct fsd_span a, b;

    if (one == FSD_NONE || (!loops && other == FSD_NONE))
        return false;
    a = g->scopes.at[one].outputs;
    b = loops ? (struct fsd_span){0} : g->scopes.at[other].outputs;
    for (uint32_t i = 0; loops && i + 2 < g->nodes.at[node].in.n && i + 1 < a.n; i++)
        if (are_unlike(l, fsd_node_in_tensor(g, node, i + 2),
                       g->links.at[a.at + i + 1]))
            return true;
    for (uint32_t i = 0; i < a.n && i < b.n; i++)
        if (are_unlike(l, g->links.at[a.at + i], g->links.at[b.at + i]))
            return true;
    return false;
}
