/* A view: how many layers there are. */
#include "report/view/view.h"

static const struct fsd_column columns[] = {
    [0] = {"layers", "layers", FSD_CELL_COUNT},
};

enum fsd_status fsd_view_seam(struct fsd_sheet *sheet, const struct fsd_asked *asked,
                              struct fsd_error *err)
{
    (void)err;
    sheet->schema = "fusiondiff-seam/1";
    sheet->root = FSD_ROWS(columns, "a seam of {layers} layers\n");
    fsd_rows_add(sheet->arena, &sheet->root)[0] =
        fsd_cell_count(asked->d->summary->layers);
    return FSD_OK;
}
