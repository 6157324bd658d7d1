/* Writes a model with marks. Outputs are declared at the end of the model's list. An If
 * follows the producer of its tensor, and all consumers read the output of the If. */
#include "edit/mark/marked.h"
#include "base/base.h"
#include "model/graph/graph.h"
#include "edit/onnx/declared.h"
#include "edit/onnx/write.h"

/* Adds a tensor that an If forwards. Adjacent fusions may share a tensor, so it is
 * added once. */
static void add_passed(struct fsd_arena *arena, struct fsd_marking *all, fsd_id tensor)
{
    if (!fsd_ids_have(all->passed.at, all->passed.n, tensor))
        fsd_vec_push(arena, &all->passed, tensor);
}

void fsd_marking_add(struct fsd_arena *arena, struct fsd_marking *all,
                     const struct fsd_marks *m, fsd_id group)
{
    const struct fsd_break *b = &m->breaks[group];

    FSD_EACH_ID (tensor, m->pool, b->passed)
        add_passed(arena, all, tensor);
    if (b->tensor != FSD_NONE && !b->passed.n)
        fsd_vec_push(arena, &all->outputs, b->tensor);
}

struct marker {
    struct fsd_arena *arena;
    const struct fsd_diff *d;
    struct fsd_onnx_edits *edits;
    const char *condition; /* the tensor that all Ifs read as their condition; NULL: not
                              made yet */
};

static const char *name_of(const struct marker *m, fsd_id tensor)
{
    return fsd_text(m->d->model->names, m->d->model->tensors.at[tensor].name);
}

/* The name of an operator. The operator's number is the symbol of this name. */
static const char *op(const struct marker *m, fsd_sym number)
{
    return fsd_text(m->d->model->names, number);
}

static void mark(const struct marker *m, fsd_id tensor)
{
    struct fsd_onnx_info info = fsd_tensor_info(m->arena, m->d, tensor);

    if (!(m->d->model->tensors.at[tensor].flags & FSD_TENSOR_OUTPUT))
        fsd_onnx_declare(m->edits, FSD_ONNX_OUTPUTS, &info);
}

/* Inserts a node before all other nodes. Returns the name of the node's output, which
 * is made from `name`. */
static const char *put_first(const struct marker *m, const char *from,
                             struct fsd_onnx_new_node node, const char *name)
{
    node.name = node.output = fsd_onnx_new_name(m->edits, name);
    node.inputs[0] = from;
    fsd_onnx_insert_node(m->edits, 0, &node);
    return node.output;
}

/* Takes the first number of a tensor by a Gather along each axis. A reduction is not
 * used, because the builder would fuse it with kernels of the network that reduce the
 * same tensor. */
static const char *first_number_of(const struct marker *m, const char *at,
                                   uint32_t rank)
{
    static const int64_t zero = 0;
    const char *index;

    if (!rank)
        return at;
    index = fsd_onnx_new_name(m->edits, "fusiondiff_zero");
    fsd_onnx_add_array(m->edits, index, fsd_dtype_onnx(FSD_INT64), -1, &zero,
                       sizeof zero);
    for (uint32_t i = 0; i < rank; i++)
        at = put_first(m, at,
                       (struct fsd_onnx_new_node){.op = op(m, FSD_ONNX_Gather),
                                                  .inputs = {NULL, index}},
                       "fusiondiff_first");
    return at;
}

/* The condition of the Ifs: whether the first number of the input differs from 0. This
 * number is only known at run time, so no builder can decide the condition. If the rank
 * of the input is unknown, the greatest number is used instead of the first one. */
static const char *condition_of(const struct marker *m)
{
    fsd_id input = fsd_marks_condition(m->d);
    struct fsd_onnx_info info = fsd_tensor_info(m->arena, m->d, input);
    const char *at = name_of(m, input);

    if (info.ranked)
        at = first_number_of(m, at, info.rank);
    if (fsd_tensor_form(m->d->model, input)->type != FSD_FP32)
        at = put_first(m, at,
                       (struct fsd_onnx_new_node){.op = op(m, FSD_ONNX_Cast),
                                                  .to = FSD_ONNX_FLOAT},
                       "fusiondiff_number");
    if (!info.ranked)
        at = put_first(m, at,
                       (struct fsd_onnx_new_node){.op = op(m, FSD_ONNX_ReduceMax),
                                                  .drops_sizes = true},
                       "fusiondiff_greatest");
    return put_first(
        m, at,
        (struct fsd_onnx_new_node){.op = op(m, FSD_ONNX_Cast), .to = FSD_ONNX_BOOL},
        "fusiondiff_condition");
}

static void read_instead(const struct marker *m, fsd_id tensor, const char *name)
{
    const struct fsd_graph *g = m->d->model;
    struct fsd_span readers = g->tensors.at[tensor].consumers;

    FSD_EACH_ID (node, g->links, readers)
        for (uint32_t k = 0; k < g->nodes.at[node].in.n; k++)
            if (fsd_node_in_tensor(g, node, k) == tensor)
                fsd_onnx_set_input(m->edits, node, k, name);
}

static void pass_marked(struct marker *m, fsd_id tensor)
{
    const char *name = name_of(m, tensor);
    struct fsd_onnx_new_node node = {
        .op = op(m, FSD_ONNX_If),
        .name = fsd_onnx_new_name(m->edits, fsd_printed(m->arena, "%s_branch", name)),
        .output = fsd_onnx_new_name(m->edits, fsd_printed(m->arena, "%s_passed", name)),
        .passes = {name, fsd_tensor_info(m->arena, m->d, tensor).type}};

    if (!m->condition)
        m->condition = condition_of(m);
    node.inputs[0] = m->condition;
    fsd_onnx_append_node(m->edits, fsd_tensor_producer(m->d->model, tensor), &node);
    read_instead(m, tensor, node.output);
}

/* The edits that mark and forward the tensors of `what`. */
static struct fsd_onnx_edits *edits_of(struct fsd_arena *arena,
                                       const struct fsd_diff *d,
                                       const struct fsd_marking *what)
{
    struct marker m = {arena, d, fsd_onnx_edits_new(arena, d->model), NULL};

    for (uint32_t i = 0; i < what->outputs.n; i++)
        mark(&m, what->outputs.at[i]);
    for (uint32_t i = 0; i < what->passed.n; i++)
        pass_marked(&m, what->passed.at[i]);
    return m.edits;
}

enum fsd_status fsd_marking_write(const struct fsd_diff *d, struct fsd_arena *arena,
                                  const struct fsd_marking *what,
                                  enum fsd_onnx_weights weights, FILE *out,
                                  struct fsd_error *err)
{
    struct fsd_onnx_edits *edits = edits_of(arena, d, what);

    fsd_onnx_set_weights(edits, weights);
    return fsd_onnx_write_again(edits, "marking", out, err);
}
