/*
 * The table of views, and what their files share to fill cells.  A view only fills a
 * sheet from the finished run; it neither prints nor computes anything that another
 * view would compute differently.
 */
#include "report/view/view.h"
#include "base/print.h"
#include "model/word.h"

#include <string.h>

enum { FEW_NODES = 3 };

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

void fsd_put_nodes_of(const struct fsd_diff *d, fsd_id layer, FILE *out)
{
    const struct fsd_match *m = d->match;
    uint32_t n = 0;

    for (uint32_t i = 0; i < m->of_layer[layer].n; i++) {
        fsd_id node = fsd_match_of_layer(m, layer, i)->node;

        if (d->nodes[node].fate != FSD_FATE_LAYER)
            continue;
        if (n++ < FEW_NODES) {
            fsd_sym module = d->model->nodes.at[node].module;

            if (n == 1 && module) /* dynamo's "linear_17" alone says nothing */
                fprintf(out, "%s: ", fsd_text(d->names, module));
            fputs(n > 1 ? " + " : "", out);
            fsd_put_node_name(d, node, out);
        }
    }
    if (n > FEW_NODES)
        fprintf(out, " and %u more", n - FEW_NODES);
}
