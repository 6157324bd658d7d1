/* Any bytes as an engine dump, without a model.  What is read must be whole: every
 * number in range, so that whoever walks the graph needs no checks. */
#include "support_file.h"
#include "trt/trt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_graph(const struct fsd_graph *g)
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_graph *g = fsd_graph_new(arena, fsd_intern_new(arena));
    struct fsd_file file = {.name = "fuzz", .bytes = data, .size = size};
    struct fsd_error err = {0};
    enum fsd_status status = fsd_trt_load(g, &file, NULL, &err);

    if (status == FSD_OK)
        check_graph(g);
    else
        check(err.status == status && err.message[0] &&
              (err.unit != FSD_POS_BYTE || err.pos <= size));
    fsd_arena_free(arena);
    return 0;
}
