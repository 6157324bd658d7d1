#include "support_graph.h"

#include <stdlib.h>

void fuzz_check(bool holds)
{
    if (!holds)
        abort();
}

void fuzz_check_engine(const struct fsd_graph *g)
{
    fuzz_check(g->layers.n == g->nodes.n);
    for (fsd_id i = 0; i < g->nodes.n; i++) {
        const struct fsd_node *n = &g->nodes.at[i];
        const struct fsd_layer *l = &g->layers.at[i];

        fuzz_check(n->in.n <= g->ports.n && n->out.n <= g->ports.n);
        fuzz_check(n->in.at + n->in.n <= g->ports.n &&
                   n->out.at + n->out.n <= g->ports.n);
        fuzz_check(n->attrs.at + n->attrs.n <= g->attrs.n);
        fuzz_check(l->mentions.at + l->mentions.n <= g->mentions.n);
        fuzz_check(l->base_name < fsd_intern_count(g->names));
    }
    for (uint32_t i = 0; i < g->ports.n; i++) {
        const struct fsd_port *p = &g->ports.at[i];

        fuzz_check(p->tensor == FSD_NONE || p->tensor < g->tensors.n);
        fuzz_check(p->form < g->forms.n);
        fuzz_check(fsd_port_form(g, p)->dims.at + fsd_port_form(g, p)->dims.n <=
                   g->dims.n);
    }
    for (uint32_t i = 0; i < g->remarks.n; i++)
        fuzz_check(g->remarks.at[i].node == FSD_NONE ||
                   g->remarks.at[i].node < g->nodes.n);
}
