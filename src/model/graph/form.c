/* A form is the type, layout and sizes of a tensor, or of a tensor at one port. The
 * functions here find, compare and print forms. */
#include "model/graph/graph.h"

const struct fsd_form *fsd_tensor_form(const struct fsd_graph *g, fsd_id tensor)
{
    return fsd_graph_form(g, fsd_graph_tensor(g, tensor)->form);
}

const struct fsd_form *fsd_port_form(const struct fsd_graph *g,
                                     const struct fsd_port *port)
{
    return port->form == FSD_NONE ? fsd_tensor_form(g, port->tensor)
                                  : &g->forms.at[port->form];
}

enum fsd_kind fsd_kind_of_move(const struct fsd_graph *g, const struct fsd_node *n)
{
    const struct fsd_form *in, *out;

    if (n->in.n != 1 || n->out.n != 1)
        return FSD_KIND_COPY;
    in = fsd_port_form(g, fsd_node_in(g, n, 0));
    out = fsd_port_form(g, fsd_node_out(g, n, 0));
    return in->type == out->type && fsd_layout_same(in->layout, out->layout)
               ? FSD_KIND_COPY
               : FSD_KIND_REFORMAT;
}

int64_t fsd_form_count(const struct fsd_graph *g, const struct fsd_form *form)
{
    int64_t count = 1;

    if (!form->ranked)
        return -1;
    for (uint32_t i = 0; i < form->dims.n; i++) {
        int64_t size = g->dims.at[form->dims.at + i].size;

        if (size < 0 || (size > 0 && count > INT64_MAX / size))
            return -1;
        count *= size;
    }
    return count;
}

bool fsd_sizes_alike(const struct fsd_graph *g, const struct fsd_form *a,
                     const struct fsd_graph *h, const struct fsd_form *b, bool proved)
{
    uint32_t i = 0, k = 0;

    if (!a->ranked || !b->ranked)
        return false;
    for (;; i++, k++) {
        while (i < a->dims.n && g->dims.at[a->dims.at + i].size == 1)
            i++;
        while (k < b->dims.n && h->dims.at[b->dims.at + k].size == 1)
            k++;
        if (i == a->dims.n || k == b->dims.n)
            return i == a->dims.n && k == b->dims.n;
        if (g->dims.at[a->dims.at + i].size != h->dims.at[b->dims.at + k].size ||
            (proved && h->dims.at[b->dims.at + k].size < 0))
            return false;
    }
}

bool fsd_forms_alike(const struct fsd_graph *g, const struct fsd_form *a,
                     const struct fsd_form *b)
{
    if (a->dims.n != b->dims.n || a->strides.n != b->strides.n)
        return false;
    for (uint32_t i = 0; i < a->dims.n; i++)
        if (g->dims.at[a->dims.at + i].size != g->dims.at[b->dims.at + i].size)
            return false;
    for (uint32_t i = 0; i < a->strides.n; i++)
        if (g->ints.at[a->strides.at + i] != g->ints.at[b->strides.at + i])
            return false;
    return true;
}
