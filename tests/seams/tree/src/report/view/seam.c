/* A view: how many layers there are. */
#include "report/view/view.h"

#define SEAM(has, set, when, t) has(t, COUNT, layers, "layers")
FSD_RECORD(seam, SEAM)

enum fsd_status fsd_view_seam(struct fsd_sheet *sheet,
                              const struct fsd_request *request)
{
    struct seam *seam = fsd_sheet_begin(sheet, "fusiondiff-seam/1", &seam_record, NULL,
                                        "a seam of {layers} layers\n");

    seam->layers = fsd_count(request->d->summary->layers);
    return FSD_OK;
}
