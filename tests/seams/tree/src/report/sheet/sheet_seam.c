/* A format of sheets: the sheet's name. */
#include "report/sheet/sheet.h"

void fsd_sheet_put_seam(const struct fsd_sheet *sheet, const struct fsd_style *style,
                        FILE *out)
{
    (void)style;
    fprintf(out, "seams of %s\n", sheet->name);
}
