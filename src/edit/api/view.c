/* The views of the edit library. They report on the models that the edit library would
 * write. The tables of the main library do not list them, because the main library does
 * not know the edit library. */
#include "edit/mark/mark.h"
#include "edit/retype/retype.h"

static const struct fsd_view views[] = {{"tensors", fsd_view_tensors, false},
                                        {"retype", fsd_view_retype, false}};

enum fsd_status fsd_edit_view(const struct fsd_diff *diff, const char *view,
                              const struct fsd_query *query, const char *format,
                              const struct fsd_style *style, FILE *out,
                              struct fsd_error *err)
{
    struct fsd_report report = {.subject = FSD_OF_VIEW,
                                .run = diff,
                                .view = view,
                                .query = query,
                                .style = style};
    enum fsd_status status = fsd_expect_query(query, err);
    char others[512];

    if (status != FSD_OK)
        return status;
    for (size_t i = 0; i < FSD_COUNT_OF(views); i++)
        if (!strcmp(views[i].name, view))
            report.own_view = &views[i];
    if (!report.own_view && !fsd_view_find(view))
        return fsd_fail(err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
                        "unknown view '%.99s'%s, tensors, retype", view,
                        fsd_view_list(view, others));
    return report.own_view ? fsd_report_write(&report, format, out, err)
                           : fsd_diff_view(diff, view, query, format, style, out, err);
}
