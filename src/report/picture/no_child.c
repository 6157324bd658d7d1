/* In place of child.c and graphviz.c in a build without Graphviz. */
#include "report/picture/drawing.h"

const bool fsd_child_draws = false;

struct fsd_layout_child *fsd_child_begin(struct fsd_arena *arena,
                                         const char *const *dots, uint32_t n,
                                         const char *format)
{
    (void)arena, (void)dots, (void)n, (void)format;
    return NULL;
}

struct fsd_layout_outcome fsd_child_take(struct fsd_layout_child *l, double seconds,
                                         FILE *out)
{
    (void)l, (void)seconds, (void)out;
    return (struct fsd_layout_outcome){0};
}

void fsd_child_end(struct fsd_layout_child *l)
{
    (void)l;
}
