/* Functions for the cells of several views: the contents of a cell are a phrase, the
 * name of a layer, or the nodes that a layer computes. */
#include "base/base.h"
#include "model/graph/graph.h"
#include "report/phrase/phrase.h"

enum { FEW_NODES = 3 };

const char *fsd_phrase_of(struct fsd_arena *arena, const struct fsd_diff *d, fsd_id id,
                          fsd_put_fn *put)
{
    struct fsd_print print;
    const char *text;

    put(d, id, fsd_print_open(&print));
    text = fsd_print_take(&print, arena);
    return *text ? text : NULL;
}

const char *fsd_change_of(struct fsd_arena *arena, const struct fsd_diff *d,
                          fsd_id layer)
{
    char text[FSD_FORMS_ROOM];

    return *fsd_layer_forms(d, layer, text)
               ? fsd_arena_strndup(arena, text, strlen(text))
               : NULL;
}

const char *fsd_called_node(struct fsd_arena *arena, const struct fsd_diff *d,
                            fsd_id node)
{
    const char *name = fsd_text(d->names, d->model->nodes.at[node].name);
    char room[FSD_BRIEF_ROOM];

    /* If the name is short, as most are, fsd_brief() returns it unchanged. The name
     * then needs no copy. */
    return *name && fsd_brief(name, room) == name
               ? name
               : fsd_phrase_of(arena, d, node, fsd_put_node_name);
}

const char *fsd_said_of(struct fsd_arena *arena, const struct fsd_diff *d,
                        uint32_t event)
{
    return event == FSD_NONE ? NULL : fsd_phrase_of(arena, d, event, fsd_put_said);
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

    FSD_EACH_OF (node, m->links, m->of_layer[layer], node) {
        if (d->nodes[node].fate != FSD_FATE_LAYER)
            continue;
        if (n++ < FEW_NODES) {
            fsd_sym module = d->model->nodes.at[node].module;

            if (n == 1 && module) /* a name such as "linear_17", from PyTorch's dynamo
                                     exporter, needs its module */
                fprintf(out, "%s: ", fsd_text(d->names, module));
            fputs(n > 1 ? " + " : "", out);
            fsd_put_node_name(d, node, out);
        }
    }
    if (n > FEW_NODES)
        fprintf(out, " and %u more", n - FEW_NODES);
}

const char *fsd_unused_log(const struct fsd_history *h)
{
    if (!h->refused)
        return NULL;
    return h->foreign ? "the log belongs to another build and is not used"
                      : "the log is not used, because the build in the log parsed a "
                        "different model";
}

/* A log is refused if it belongs to a different build, or to a different export of the
 * model. */
const char *fsd_refusal_of(const struct fsd_history *h)
{
    if (!h->refused)
        return NULL;
    return h->foreign ? "it belongs to another build"
                      : "the build in the log parsed a different model";
}
