/*
 * The table of views. A view only fills a sheet from the finished run: it does not
 * print. report/phrase/cells.c has the functions with which several views fill cells.
 */
#include "report/view/view.h"
#include "model/graph/word.h"

#define LISTED(name, pasted) {#name, fsd_view_##name, pasted},
static const struct fsd_view views[] = {FSD_VIEWS(LISTED)};

const struct fsd_view *fsd_view_find(const char *name)
{
    for (size_t i = 0; i < FSD_COUNT_OF(views); i++)
        if (!strcmp(views[i].name, name))
            return &views[i];
    return NULL;
}

const char *fsd_view_list(const char *name, char out[512])
{
    struct fsd_nearest nearest = fsd_nearest_to(name);
    char near[512];
    size_t n;

    for (size_t i = 0; i < FSD_COUNT_OF(views); i++)
        fsd_nearest_try(&nearest, views[i].name);
    fsd_nearest_text(&nearest, near);
    n = (size_t)snprintf(out, 512, "%s There are ", *near ? near : ".");
    for (size_t i = 0; i < FSD_COUNT_OF(views) && n < 512; i++)
        n += (size_t)snprintf(out + n, 512 - n, "%s%s", i ? ", " : "", views[i].name);
    return out;
}
