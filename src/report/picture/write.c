/* Where DOT and the formats that need a layout part. */
#include "report/picture/drawing.h"

#include <string.h>

enum fsd_status fsd_plan_write(struct fsd_plan *plan, const char *format, FILE *out,
                               struct fsd_error *err)
{
    if (strcmp(format, "dot") != 0)
        return fsd_plan_lay_out(plan, format, out, err);
    fsd_dot_print(plan->drawing, true, out);
    return FSD_OK;
}
