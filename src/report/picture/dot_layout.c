/* Graphviz's layout, for a child process: it may take long or crash, and it complains
 * on standard error. */
#include "report/picture/dot.h"
#include "report/picture/dot_graph.h"

#include <graphviz/gvc.h>

enum { MANY_WIRES = 160 };

bool fsd_dot_render(struct Agraph_s *g, const char *format, FILE *out)
{
    GVC_t *gvc = gvContext();
    char *data = NULL;
    unsigned size = 0;

    if (!g || !gvc || gvLayout(gvc, g, "dot") != 0)
        return false;
    return gvRenderData(gvc, g, format, &data, &size) == 0 && size &&
           fwrite(data, 1, size, out) == size;
}

bool fsd_dot_layout(const struct fsd_drawing *w, const char *format, FILE *out)
{
    struct fsd_dot_style style = {.wire_labels = w->wires.n <= MANY_WIRES};

    return fsd_dot_render(fsd_dot_graph(w, style), format, out);
}
