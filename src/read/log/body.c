/*
 * Finds the node whose body contains a parsed node.  The parser prints the outputs of a
 * node after the nodes of its body.  So when it prints the outputs of a node, all nodes
 * that were parsed after this node and have no owner yet are its body.
 *
 * A stack has the nodes whose outputs are not printed yet.  It gets full only if a
 * damaged log lacks outputs; it then drops its oldest entry.
 *
 * The log prints a body between the lines of its owner, but a graph requires nodes to
 * be sorted by scope.  fsd_log_order_nodes() sorts the nodes after all lines are read.
 */
#include "model/graph/graph.h"
#include "read/log/log.h"

#include "base/base.h"

void fsd_log_open(struct fsd_log_stack *stack, struct fsd_slice head, fsd_id node)
{
    if (stack->n == FSD_LOG_MOST_OPEN) {
        memmove(stack->at, stack->at + 1, (FSD_LOG_MOST_OPEN - 1) * sizeof *stack->at);
        stack->n--;
    }
    stack->at[stack->n++] = (struct fsd_log_open){head, node};
}

const struct fsd_log_open *fsd_log_opened(const struct fsd_log_stack *stack,
                                          struct fsd_slice line)
{
    for (unsigned i = stack->n; i-- > 0;) {
        const struct fsd_log_open *o = &stack->at[i];

        if (line.n > o->head.n + 8 && line.s[o->head.n] == ' ' &&
            !memcmp(line.s, o->head.s, o->head.n))
            return o;
    }
    return NULL;
}

bool fsd_log_close(struct fsd_log_stack *stack, const struct fsd_log_open *open,
                   struct fsd_slice line)
{
    if (!fsd_slice_begins(fsd_slice_from(line, open->head.n), " outputs:"))
        return false;
    stack->n = (unsigned)(open - stack->at);
    return true;
}

struct fsd_log_bodies fsd_log_bodies(struct fsd_arena *arena,
                                     const struct fsd_history *h, uint32_t build,
                                     const struct fsd_file *file)
{
    struct fsd_log_bodies b = {.n = 0};
    struct fsd_log_stack stack = {.n = 0};
    uint32_t parsed = 0;

    for (uint32_t i = 0; i < h->parser.n; i++)
        b.n += h->parser.at[i].build == build && h->parser.at[i].says == FSD_SAYS_NODE;
    b.owner = fsd_ids_new(arena, b.n);
    b.scope = FSD_NEW(arena, fsd_id, b.n);
    FSD_EACH (const struct fsd_parser_line, l, h->parser) {
        struct fsd_slice t = {(const char *)file->bytes + l->at, l->n};
        const struct fsd_log_open *open;
        bool any = false;

        if (l->build != build || l->says == FSD_SAYS_LAYER)
            continue;
        if (l->says == FSD_SAYS_NODE) {
            fsd_slice_take(&t, "Parsing node: ");
            fsd_log_open(&stack, t, parsed++);
            continue;
        }
        open = fsd_log_opened(&stack, t);
        if (!open || !fsd_log_close(&stack, open, t))
            continue;
        /* The body consists of the nodes that were parsed after the owner and have no
         * owner yet. */
        for (fsd_id k = open->node + 1; k < parsed; k++)
            if (b.owner[k] == FSD_NONE) {
                b.owner[k] = open->node;
                any = true;
            }
        b.n_owners += any;
    }
    return b;
}

fsd_id *fsd_log_order_nodes(struct fsd_graph *g)
{
    fsd_id *now = FSD_NEW(g->arena, fsd_id, g->nodes.n);
    struct fsd_node *nodes = FSD_NEW(g->arena, struct fsd_node, g->nodes.n);
    uint32_t *at = FSD_NEW(g->arena, uint32_t, g->scopes.n + 1);

    for (fsd_id i = 0; i < g->nodes.n; i++)
        at[g->nodes.at[i].scope + 1]++;
    for (fsd_id s = 0; s < g->scopes.n; s++)
        at[s + 1] += at[s];
    for (fsd_id i = 0; i < g->nodes.n; i++) {
        now[i] = at[g->nodes.at[i].scope]++;
        nodes[now[i]] = g->nodes.at[i];
    }
    for (fsd_id i = 0; i < g->nodes.n; i++)
        g->nodes.at[i] = nodes[i];
    for (fsd_id s = 1; s < g->scopes.n; s++)
        g->scopes.at[s].owner = now[g->scopes.at[s].owner];
    return now;
}
