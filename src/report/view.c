#include "report/view.h"

#include <string.h>

static const struct fsd_view views[] = {
    {NULL, NULL},
};

const struct fsd_view *fsd_view_find(const char *name)
{
    for (size_t i = 0; i < FSD_COUNT_OF(views); i++)
        if (views[i].name && !strcmp(views[i].name, name))
            return &views[i];
    return NULL;
}
