/*
 * Finds the lowerings of a model's nodes.  A lowering is a sequence of operations that
 * generated kernels perform for an operator.  The operator table has the lowerings that
 * kernel names in real engines show (fsd_op_lowerings()).  An operator may have several
 * lowerings, because the builder chooses by shape and type.  If the builder may fold
 * the last operations of a lowering into constants, the operations before them are
 * another lowering.  The names of the operations are converted to symbols once for each
 * model, so that the replay compares numbers, not strings.
 */
#include "match/kernel/lowering.h"
#include "model/graph/graph.h"

/* Adds a lowering of `op`.
 * @param steps the steps of the lowering, separated by blanks ("A B C"); they end at
 *        the first bar or at the end of the string */
static void add(struct fsd_lowerings *r, const struct fsd_graph *g,
                struct fsd_arena *arena, fsd_sym op, const char *steps)
{
    struct fsd_lowering lowering = {.n = 0};

    while (*steps && *steps != '|' && lowering.n < FSD_LOWERING_STEPS) {
        size_t n = strcspn(steps, " |");

        lowering.steps[lowering.n++] = fsd_intern_add(g->names, steps, n);
        steps += n + (steps[n] == ' ');
    }
    if (!r->of_op[op].n)
        r->of_op[op].at = r->all.n;
    r->of_op[op].n++;
    fsd_vec_push(arena, &r->all, lowering);
}

static void add_op(struct fsd_lowerings *r, const struct fsd_graph *g,
                   struct fsd_arena *arena, fsd_sym op, bool view)
{
    const char *name = fsd_text(g->names, op);

    if (view)
        add(r, g, arena, op, "Reshape");
    add(r, g, arena, op, name);
    for (const char *at = fsd_op_lowerings(name); *at; at += *at == '|') {
        add(r, g, arena, op, at);
        at += strcspn(at, "|");
    }
}

/* Adds the lowering of an Einsum that multiplies its operands one by one.  For example,
 * the builder computes "bij,bjk,bk->bi" as a product of matrices and an elementwise
 * product, possibly in separate kernels.  False if the node is not such an Einsum. */
static bool add_pairs(struct fsd_lowerings *r, const struct fsd_graph *g,
                      struct fsd_arena *arena, fsd_id node)
{
    struct fsd_lowering lowering = {.n = 0, .pairs = true};
    uint32_t sums, n = fsd_op_multiplies(g, node, &sums);

    if (!n || n > FSD_LOWERING_STEPS)
        return false;
    for (; lowering.n < n; lowering.n++)
        lowering.steps[lowering.n] =
            sums & UINT32_C(1) << lowering.n ? FSD_ONNX_MatMul : FSD_ONNX_Mul;
    r->of[node] = (struct fsd_span){r->all.n, 1};
    fsd_vec_push(arena, &r->all, lowering);
    return true;
}

struct fsd_lowerings *fsd_lowerings_new(struct fsd_arena *arena,
                                        const struct fsd_facts *facts)
{
    const struct fsd_graph *g = facts->g;
    struct fsd_lowerings *r = FSD_NEW(arena, struct fsd_lowerings, 1);
    fsd_sym most = 0;

    for (fsd_id i = 0; i < g->nodes.n; i++)
        most = g->nodes.at[i].op > most ? g->nodes.at[i].op : most;
    r->of_op = FSD_NEW(arena, struct fsd_span, most + 1);
    r->of = FSD_NEW(arena, struct fsd_span, g->nodes.n);
    for (fsd_id i = 0; i < g->nodes.n; i++) {
        fsd_sym op = g->nodes.at[i].op;

        if (add_pairs(r, g, arena, i))
            continue;
        if (!r->of_op[op].n)
            add_op(r, g, arena, op, facts->traits[i] & FSD_OP_VIEW);
        r->of[i] = r->of_op[op];
    }
    return r;
}
