/*
 * Invariants of a graph that must hold for any engine that a reader accepted, whatever
 * the bytes: every span, form and symbol lies in its array.  An out-of-range number
 * might otherwise be read long after the reader returned, or not at all in this run.
 */
#include "support_graph.h"

#include "support_file.h"

void fuzz_check_engine(const struct fsd_graph *g)
{
    check(g->layers.n == g->nodes.n);
    for (fsd_id i = 0; i < g->nodes.n; i++) {
        const struct fsd_node *n = &g->nodes.at[i];
        const struct fsd_layer *l = &g->layers.at[i];

        check(n->in.n <= g->ports.n && n->out.n <= g->ports.n);
        check(n->in.at + n->in.n <= g->ports.n && n->out.at + n->out.n <= g->ports.n);
        check(n->attrs.at + n->attrs.n <= g->attrs.n);
        check(l->mentions.at + l->mentions.n <= g->mentions.n);
        check(l->base_name < fsd_intern_count(g->names));
    }
    for (uint32_t i = 0; i < g->ports.n; i++) {
        const struct fsd_port *p = &g->ports.at[i];

        check(p->tensor == FSD_NONE || p->tensor < g->tensors.n);
        check(p->form < g->forms.n);
        check(fsd_port_form(g, p)->dims.at + fsd_port_form(g, p)->dims.n <= g->dims.n);
    }
    for (uint32_t i = 0; i < g->remarks.n; i++)
        check(g->remarks.at[i].node == FSD_NONE || g->remarks.at[i].node < g->nodes.n);
}
