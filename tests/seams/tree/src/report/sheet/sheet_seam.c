/* A format of sheets: the sheet's name. */
#include "report/sheet/sheet.h"

void fsd_sheet_put_seam(const struct fsd_sheet *sheet, FILE *out)
{
    fprintf(out, "seams of %s\n", sheet->name);
}
