/*
 * The table of views, and what their files share to fill cells.  A view only fills a
 * sheet from the finished run; it neither prints nor computes anything that another
 * view would compute differently.
 */
#include "report/view/view.h"
#include "base/print.h"

#include <string.h>

#define LISTED(name, pasted) {#name, fsd_view_##name, pasted},
static const struct fsd_view views[] = {FSD_VIEWS(LISTED)};

const struct fsd_view *fsd_view_find(const char *name)
{
    for (size_t i = 0; i < FSD_COUNT_OF(views); i++)
        if (!strcmp(views[i].name, name))
            return &views[i];
    return NULL;
}

const char *fsd_phrase_of(struct fsd_arena *arena, const struct fsd_diff *d, fsd_id id,
                          fsd_put_fn *put)
{
    struct fsd_print print;
    const char *text;

    put(d, id, fsd_print_open(&print));
    text = fsd_print_take(&print, arena);
    return *text ? text : NULL;
}

const char *fsd_layer_name_of(const struct fsd_diff *d, fsd_id layer)
{
    const char *name = fsd_text(d->names, d->engine->nodes.at[layer].name);

    return *name ? name : NULL;
}
