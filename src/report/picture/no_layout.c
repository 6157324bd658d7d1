/* In place of layout.c and graphviz.c in a build without Graphviz. */
#include "base/base.h"
#include "report/picture/drawing.h"

bool fsd_picture_lays_out(const char *format)
{
    (void)format;
    return false;
}

enum fsd_status fsd_plan_lay_out(struct fsd_plan *plan, const char *format, FILE *out,
                                 struct fsd_error *err)
{
    (void)plan;
    (void)out;
    return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                    "expected a format that needs no layout, found %s: this fusiondiff "
                    "was built without Graphviz (-f dot writes what `dot -T%s` draws)",
                    format, format);
}

void fsd_plan_print(struct fsd_plan *plan, FILE *out)
{
    fsd_dot_print(plan->drawing, true, out);
}

struct fsd_layouts *fsd_layouts_begin(struct fsd_arena *arena, const char *const *dots,
                                      uint32_t n, const char *format)
{
    (void)arena, (void)dots, (void)n, (void)format;
    return NULL;
}

bool fsd_layouts_take(struct fsd_layouts *l, double *seconds, FILE *out)
{
    (void)l, (void)seconds, (void)out;
    return false;
}

void fsd_layouts_end(struct fsd_layouts *l)
{
    (void)l;
}
