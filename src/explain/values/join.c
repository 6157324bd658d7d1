/*
 * Assigns each row of numbers to tensors, nodes and layers by the row's name:
 *
 * - A row of a table belongs to the nodes and the layer with this name.  If there are
 *   none, it is treated like a row of a set of tensors.
 * - A row of a set of tensors has the name of a tensor.  If the model has the tensor or
 *   its counterpart, the row belongs to this tensor and its producer.  Else the row
 *   belongs to the layer that produces the engine's tensor.  If the producer or this
 *   layer has a row already, it keeps that row.
 *
 * A layer that is still without a row gets a row of its nodes: the one whose first
 * number, such as the error, has the greatest absolute value.  This need not be the row
 * of the last node, because a later node may reduce the error again.
 */
#include "base/base.h"
#include "explain/values/values.h"
#include "model/graph/graph.h"

struct join {
    const struct fsd_match *m;
    const struct fsd_numbers *n;
    struct fsd_values *v;
    uint32_t *of_tensor;            /* indexed by model tensor: its row; FSD_NONE if it
                                       has none */
    fsd_id *next_node, *first_node; /* chains of nodes with the same name: `first_node`
                                       is indexed by name, `next_node` by node, and
                                       FSD_NONE ends a chain */
    fsd_id *layer;                  /* indexed by name: the layer; FSD_NONE if there is
                                       none */
};

static void index_names(struct join *j, struct fsd_arena *scratch)
{
    const struct fsd_graph *model = j->m->model, *engine = j->m->engine;
    uint32_t names = fsd_intern_count(model->names);

    j->first_node = fsd_ids_new(scratch, names);
    j->layer = fsd_graph_nodes_by_name(scratch, engine);
    j->next_node = fsd_ids_new(scratch, model->nodes.n);
    for (fsd_id i = model->nodes.n; i-- > 0;) {
        fsd_sym name = model->nodes.at[i].name;

        j->next_node[i] = name ? j->first_node[name] : FSD_NONE;
        j->first_node[name] = name ? i : FSD_NONE;
    }
}

/* The tensor of the model's main graph with this name.  If there is none, the model's
 * counterpart of the engine tensor with this name.  FSD_NONE if there is neither. */
static fsd_id model_tensor(const struct join *j, fsd_sym name)
{
    return fsd_id_or(fsd_graph_find(j->m->model, name, 0),
                     fsd_match_held(j->m, fsd_graph_find(j->m->engine, name, 0)));
}

static bool give_layer(struct join *j, fsd_id layer, uint32_t row)
{
    if (layer == FSD_NONE || j->v->of_layer[layer] != FSD_NONE)
        return false;
    j->v->of_layer[layer] = row;
    return true;
}

/* Assigns the row to the layer that produces the engine tensor with the name of the
 * row.  False if there is no such layer, or if the layer has a row already. */
static bool give_engine_tensor(struct join *j, uint32_t row)
{
    const struct fsd_graph *e = j->m->engine;
    fsd_id t = fsd_graph_find(e, j->n->rows.at[row].name, 0);

    return give_layer(j, fsd_tensor_producer(e, t), row);
}

static bool give_tensor(struct join *j, uint32_t row)
{
    fsd_id t = model_tensor(j, j->n->rows.at[row].name), node;

    if (t == FSD_NONE)
        return give_engine_tensor(j, row);
    j->of_tensor[t] = row;
    node = fsd_tensor_producer(j->m->model, t);
    if (node != FSD_NONE)
        j->v->of_node[node] = fsd_id_or(j->v->of_node[node], row);
    return true;
}

static bool give_named(struct join *j, uint32_t row)
{
    fsd_sym name = j->n->rows.at[row].name;
    bool given = false;

    for (fsd_id i = j->first_node[name]; i != FSD_NONE; i = j->next_node[i]) {
        j->v->of_node[i] = row;
        given = true;
    }
    given |= give_layer(j, j->layer[name], row);
    return given || give_tensor(j, row);
}

/* The significance of a row: the absolute value of its first number; infinite for a
 * tensor with new NaN or infinite values; -1 if the number is unknown. */
static double weight_of(const struct fsd_numbers *n, uint32_t row)
{
    double number = fsd_number_of(n, row, 0);

    if (n->rows.at[row].fresh)
        return INFINITY;
    return isnan(number) ? -1 : fabs(number);
}

static void give_layers_of_nodes(struct join *j)
{
    const struct fsd_match *m = j->m;

    for (fsd_id layer = 0; layer < m->engine->nodes.n; layer++) {
        uint32_t best = FSD_NONE;

        if (j->v->of_layer[layer] != FSD_NONE)
            continue;
        FSD_EACH_OF (node, m->links, m->of_layer[layer], node) {
            uint32_t row = j->v->of_node[node];

            if (row != FSD_NONE &&
                (best == FSD_NONE || weight_of(j->n, row) > weight_of(j->n, best)))
                best = row;
        }
        j->v->of_layer[layer] = best;
    }
}

static enum fsd_status check_joined(const struct join *j, struct fsd_error *err)
{
    const struct fsd_numbers *n = j->n;

    if (j->v->joined)
        return FSD_OK;
    return fsd_fail(err, FSD_E_MISMATCH, n->paths[n->paths[1] != NULL], FSD_POS_NONE, 0,
                    "expected names of %s, found only unknown names (%u), such as "
                    "'%.200s'",
                    n->of == FSD_NUMBERS_OF_TABLE
                        ? "nodes, layers or tensors of the model or the engine"
                        : "tensors of the model or the engine",
                    n->rows.n, fsd_text(j->m->model->names, n->rows.at[0].name));
}

enum fsd_status fsd_values_join(const struct fsd_values **out,
                                const struct fsd_numbers *numbers, double limit,
                                const struct fsd_match *m,
                                const struct fsd_flows *flows, struct fsd_error *err)
{
    FSD_SCRATCH(scratch);
    struct fsd_values *v = FSD_NEW(m->arena, struct fsd_values, 1);
    struct join j = {.m = m, .n = numbers, .v = v};
    bool table = numbers->of == FSD_NUMBERS_OF_TABLE;

    v->numbers = numbers;
    v->limit = limit;
    v->of_node = fsd_ids_new(m->arena, m->model->nodes.n);
    v->of_layer = fsd_ids_new(m->arena, m->engine->nodes.n);
    j.of_tensor = fsd_ids_new(scratch, m->model->tensors.n);
    index_names(&j, scratch);
    for (uint32_t i = 0; i < numbers->rows.n; i++)
        if (table ? give_named(&j, i) : give_tensor(&j, i))
            v->joined++;
        else
            fsd_vec_push(m->arena, &v->strangers, i);
    give_layers_of_nodes(&j);
    for (fsd_id i = 0; i < m->engine->nodes.n; i++) {
        double number = fabs(fsd_number_of(numbers, v->of_layer[i], 0));

        if (number > v->greatest && isfinite(number))
            v->greatest = number;
    }
    if (!table)
        fsd_values_enter(v, m, flows, j.of_tensor);
    *out = v;
    return check_joined(&j, err);
}
