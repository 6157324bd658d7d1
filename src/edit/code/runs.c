/*
 * Selects the nodes that have a statement, orders them, and divides them into runs of
 * one module.
 *
 * A node has a statement if another statement reads its output as a variable, or if the
 * program returns the output. Weights are read by name, and known numbers are written
 * where they are used.
 *
 * A node joins the last run of its module. It starts a new run of the module only if a
 * later run computes one of its inputs. A module is therefore one run if possible. The
 * time is proportional to the number of edges.
 */
#include "base/base.h"
#include "edit/code/code.h"
#include "model/graph/graph.h"

enum { LEAST_FUNCTION = 4 };

/* The node whose statement computes an input; FSD_NONE: the input is a weight, known
 * numbers, or an input of the program. */
static fsd_id source_of(const struct fsd_code *c, fsd_id node, uint32_t input)
{
    fsd_id tensor = fsd_node_in_tensor(c->g, node, input), producer;
    int64_t ints[FSD_INTS];
    uint32_t n;

    if (fsd_code_is_weight(c, tensor))
        return FSD_NONE;
    if (input < 32 && fsd_code_literal_inputs(c, node) >> input & 1 &&
        fsd_code_ints(c, tensor, ints, &n))
        return FSD_NONE;
    producer = fsd_tensor_producer(c->g, tensor);
    return fsd_true_at(c->taken, producer) ? producer : FSD_NONE;
}

static void state_outputs(struct fsd_code *c)
{
    for (uint32_t i = 0; i < c->outputs.n; i++) {
        fsd_id producer = fsd_tensor_producer(c->g, c->outputs.at[i]);

        if (fsd_true_at(c->taken, producer) && !fsd_code_is_weight(c, c->outputs.at[i]))
            c->stated[producer] = true;
    }
}

/* Whether an operand cannot be written: it is neither an input nor a weight, and its
 * numbers are unknown. */
static bool is_lost(const struct fsd_code *c, fsd_id tensor, const bool *is_input)
{
    int64_t ints[FSD_INTS];
    uint32_t n;

    return tensor != FSD_NONE && !is_input[tensor] && !fsd_code_is_weight(c, tensor) &&
           !fsd_code_ints(c, tensor, ints, &n);
}

static enum fsd_status check_behind(const struct fsd_code *c, fsd_id node,
                                    const bool *done, const bool *is_input,
                                    struct fsd_error *err)
{
    for (uint32_t i = 0; i < c->g->nodes.at[node].in.n; i++) {
        fsd_id source = source_of(c, node, i);
        fsd_id tensor = fsd_node_in_tensor(c->g, node, i);

        if (source == FSD_NONE && is_lost(c, tensor, is_input))
            return fsd_fail(err, FSD_E_FORMAT, c->g->path, FSD_POS_NONE, 0,
                            "expected tensors that a node produces, found '%.200s', "
                            "which no node produces",
                            fsd_text(c->g->names, c->g->tensors.at[tensor].name));

        if (source != FSD_NONE && !done[source])
            return fsd_fail(err, FSD_E_FORMAT, c->g->path, FSD_POS_NONE, 0,
                            "expected a model without cycles, found '%.200s' on a "
                            "cycle",
                            fsd_code_node_name(c, node));
    }
    return FSD_OK;
}

/* All nodes in an order in which each follows the producers of its inputs. In a valid
 * ONNX file, this is the order of the file. */
static fsd_id *all_nodes(const struct fsd_code *c)
{
    fsd_id *order = FSD_NEW(c->arena, fsd_id, c->g->nodes.n + 1);
    bool sorted = true;

    for (fsd_id i = 0; i < c->g->nodes.n; i++) {
        order[i] = i;
        for (uint32_t k = 0; k < c->g->nodes.at[i].in.n; k++) {
            fsd_id source = source_of(c, i, k);

            sorted &= source == FSD_NONE || source < i;
        }
    }
    return sorted ? order : fsd_graph_order(c->arena, c->g);
}

enum fsd_status fsd_code_order(struct fsd_code *c, struct fsd_error *err)
{
    uint32_t n = c->g->nodes.n;
    fsd_id *order = all_nodes(c);
    bool *done = FSD_NEW(c->arena, bool, n + 1);
    bool *is_input = FSD_NEW(c->arena, bool, c->g->tensors.n + 1);
    enum fsd_status status = FSD_OK;

    c->stated = FSD_NEW(c->arena, bool, n + 1);
    state_outputs(c);
    for (uint32_t i = 0; i < c->inputs.n; i++)
        is_input[c->inputs.at[i]] = true;
    for (uint32_t i = n; i-- > 0;)
        for (uint32_t k = 0; c->stated[order[i]] && k < c->g->nodes.at[order[i]].in.n;
             k++) {
            fsd_id source = source_of(c, order[i], k);

            fsd_set_at(c->stated, source);
        }
    for (uint32_t i = 0; i < n && status == FSD_OK; i++) {
        if (!c->stated[order[i]])
            continue;
        status = check_behind(c, order[i], done, is_input, err);
        done[order[i]] = true;
        fsd_vec_push(c->arena, &c->order, order[i]);
    }
    return status;
}

/* The index of the last block that computes an input of the node. */
static uint32_t needs(const struct fsd_code *c, fsd_id node)
{
    uint32_t last = 0;

    for (uint32_t i = 0; i < c->g->nodes.at[node].in.n; i++) {
        fsd_id source = source_of(c, node, i);

        if (source != FSD_NONE && c->block_of[source] > last)
            last = c->block_of[source];
    }
    return last;
}

void fsd_code_runs(struct fsd_code *c, const struct fsd_scopes *scopes)
{
    uint32_t *last = FSD_NEW(c->arena, uint32_t, fsd_intern_count(scopes->names) + 1);

    c->modules = scopes->names;
    c->block_of = FSD_NEW(c->arena, uint32_t, c->g->nodes.n + 1);
    for (uint32_t i = 0; i < c->order.n; i++) {
        fsd_id node = c->order.at[i];
        uint32_t *block = &last[scopes->of[node]];

        if (!*block || *block - 1 < needs(c, node)) {
            fsd_vec_push(c->arena, &c->blocks,
                         ((struct fsd_code_block){.module = scopes->of[node]}));
            *block = c->blocks.n;
        }
        c->block_of[node] = *block - 1;
        fsd_vec_push(c->arena, &c->blocks.at[*block - 1].nodes, node);
    }
    for (uint32_t i = 0; i < c->blocks.n; i++)
        c->blocks.at[i].function =
            c->blocks.at[i].module && c->blocks.at[i].nodes.n >= LEAST_FUNCTION;
}
