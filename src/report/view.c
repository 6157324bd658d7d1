#include "report/view.h"

#include <string.h>

static const struct fsd_view views[] = {
    {"reformats", fsd_view_reformats}, {"where", fsd_view_where},
    {"inside", fsd_view_inside},       {"names", fsd_view_names},
    {"scopes", fsd_view_scopes},       {"explain", fsd_view_explain},
};

const struct fsd_view *fsd_view_find(const char *name)
{
    for (size_t i = 0; i < FSD_COUNT_OF(views); i++)
        if (!strcmp(views[i].name, name))
            return &views[i];
    return NULL;
}
