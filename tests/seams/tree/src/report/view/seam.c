/* A view: how many layers there are. */
#include "report/view/view.h"

#define SEAM(has, t) has(t, COUNT, layers, "layers")
FSD_RECORD(seam, SEAM)

enum fsd_status fsd_view_seam(struct fsd_sheet *sheet, const struct fsd_asked *asked,
                              struct fsd_error *err)
{
    struct seam *seam;

    (void)err;
    sheet->schema = "fusiondiff-seam/1";
    sheet->root = FSD_ROWS(seam_record, "a seam of {layers} layers\n");
    seam = fsd_rows_add(sheet->arena, &sheet->root);
    seam->layers = fsd_count(asked->d->summary->layers);
    return FSD_OK;
}
