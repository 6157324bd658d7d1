/*
 * Prints node data for Model Explorer: {"results": {NODE: {"value": ...}}}. Model
 * Explorer finds nodes of the main graph by their names, so nodes without a name have
 * no data. With times, a value is the node's time, and Model Explorer colors the values
 * by a gradient. Without times, a value is the node's precision or fate.
 */
#include "model/graph/graph.h"
#include "edit/annotate/annotate.h"

/* A color for each type: the lower the precision, the darker the color. */
static const char *color_of(enum fsd_dtype type)
{
    switch (fsd_dtype_rank(type)) {
    case 1:
    case 2:
        return "#a6dba0";
    case 3:
        return "#fee08b";
    case 4:
    case 5:
        return "#f4a582";
    default:
        return "#e0e0e0";
    }
}

/* Prints the entry of a node. `ms` is the time of all nodes with the node's name. */
static void put_node(const struct fsd_diff *d, fsd_id node, bool timed, double ms,
                     struct fsd_json *results)
{
    const struct fsd_node_result *result = &d->nodes[node];
    bool runs = result->fate == FSD_FATE_LAYER;
    const char *name = fsd_text(d->names, d->model->nodes.at[node].name);
    struct fsd_json *one;

    if (!*name || (timed && ms < 0))
        return;
    one = fsd_json_object(results, name);
    if (timed) {
        fsd_json_number(one, "value", ms);
        return;
    }
    fsd_json_text(one, "value",
                  runs ? fsd_dtype_name(result->realised)
                       : fsd_fate_name(result->fate));
    fsd_json_text(one, "bgColor",
                  color_of(runs ? result->realised : FSD_DTYPE_UNKNOWN));
}

static void put_gradient(struct fsd_json *root)
{
    static const char *const colors[] = {"#ffffe5", "#fe9929", "#993404"};
    struct fsd_json *list = fsd_json_list(root, "gradient");

    for (int i = 0; i < 3; i++) {
        struct fsd_json *stop = fsd_json_item(list);

        fsd_json_number(stop, "stop", i / 2.0);
        fsd_json_text(stop, "bgColor", colors[i]);
    }
}

/* Prints an entry for each name. If several nodes have the same name, the entry is
 * about the first of them, because JSON readers take one value per key. */
static void put_nodes(const struct fsd_diff *d, bool timed, struct fsd_json *results)
{
    FSD_SCRATCH(scratch);
    fsd_id *first = fsd_ids_new(scratch, fsd_intern_count(d->names));
    double *ms = FSD_NEW(scratch, double, d->model->nodes.n + 1);

    for (fsd_id i = 0; i < d->model->nodes.n && !d->model->nodes.at[i].scope; i++) {
        fsd_id *of = &first[d->model->nodes.at[i].name];
        double own = d->cost->nodes[i].ms;

        if (*of == FSD_NONE) {
            *of = i;
            ms[i] = own;
        } else if (own >= 0) {
            ms[*of] = ms[*of] < 0 ? own : ms[*of] + own;
        }
    }
    for (fsd_id i = 0; i < d->model->nodes.n && !d->model->nodes.at[i].scope; i++)
        if (first[d->model->nodes.at[i].name] == i)
            put_node(d, i, timed, ms[i], results);
}

void fsd_annotate_node_data(const struct fsd_diff *d, FILE *out)
{
    struct fsd_json *root = fsd_json_new(out), *results;
    bool timed = false;

    for (fsd_id i = 0; i < d->model->nodes.n; i++)
        timed |= d->cost->nodes[i].ms >= 0;
    results = fsd_json_object(root, "results");
    put_nodes(d, timed, results);
    if (timed)
        put_gradient(root);
    fsd_json_end(root);
}
