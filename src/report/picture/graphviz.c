#include "report/picture/drawing.h"

#include <graphviz/gvc.h>

bool fsd_graphviz_draw(const char *dot, const char *format, FILE *out)
{
    GVC_t *gvc = gvContext();
    Agraph_t *g = gvc ? agmemread(dot) : NULL;
    char *picture = NULL;
    unsigned size = 0;

    if (!g || gvLayout(gvc, g, "dot") != 0 ||
        gvRenderData(gvc, g, format, &picture, &size) != 0)
        return false;
    /* A label that it cannot read is drawn as the box's name, and is no failure to it.
     */
    return agerrors() < AGERR && size && fwrite(picture, 1, size, out) == size;
}
