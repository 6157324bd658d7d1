/*
 * Shapes at the inputs and outputs of bodies. If, Loop, Scan and calls of model-local
 * functions pass inputs to their bodies, and the outputs of a body become the outputs
 * of the node.
 *
 * A state tensor of a Loop may change its shape from step to step. In the body, its
 * shape is therefore unknown. The output of the Loop has the common shape of the
 * initial value and the body's output.
 */
#include "model/ops/rule.h"

/* A node with bodies, and the positions of its inputs and outputs. */
struct owner {
    struct fsd_sizes *s;
    fsd_id node, body; /* the node, and its first body */
    uint32_t carried;  /* the number of values that each step passes to the next step */
    uint32_t in;       /* the index of the first such value in the node's inputs */
    uint32_t out;      /* the index of the first such value in the body's outputs */
    uint32_t batch;    /* the number of leading dimensions that the body does not see: 1
                          for a Scan of opset 8, else 0 */
};

static const struct fsd_shape *shape_at(const struct fsd_sizes *s, struct fsd_span list,
                                        uint32_t i)
{
    return fsd_shape_of(s, i < list.n ? s->g->links.at[list.at + i] : FSD_NONE);
}

static const char *op_of(const struct fsd_sizes *s, fsd_id node)
{
    return fsd_text(s->g->names, s->g->nodes.at[node].op);
}

static int64_t axis_of(const struct owner *o, const char *name, uint32_t i)
{
    const struct fsd_attr *attr =
        fsd_node_attr(o->s->g, &o->s->g->nodes.at[o->node], name);

    return attr && attr->kind == FSD_ATTR_INTS && i < attr->list.n
               ? o->s->g->ints.at[attr->list.at + i]
               : 0;
}

/* Returns the shape without its first `n` dimensions. */
static struct fsd_shape behind(const struct fsd_shape *x, uint32_t n)
{
    struct fsd_shape out = {.ranked = x->ranked && x->rank >= n};

    if (!out.ranked)
        return out;
    out.rank = (uint8_t)(x->rank - n);
    memcpy(out.dims, x->dims + n, out.rank * sizeof *out.dims);
    return out;
}

/* Returns the shape with one more dimension at `axis`; an unranked shape if `axis` is
 * out of range. */
static struct fsd_shape with(const struct fsd_shape *x, int64_t axis, int64_t size)
{
    struct fsd_shape out = *x;

    axis = fsd_axis(axis, x->rank + 1u);
    if (!x->ranked || axis < 0 || x->rank == FSD_SHAPE_RANK)
        return (struct fsd_shape){0};
    memmove(out.dims + axis + 1, out.dims + axis,
            (size_t)(out.rank++ - axis) * sizeof *out.dims);
    out.dims[axis] = size;
    return out;
}

/* ------------------------------------------------------------------------- Scan */

static bool read_scan(struct fsd_sizes *s, fsd_id node, struct owner *o)
{
    const struct fsd_node *n = &s->g->nodes.at[node];
    int64_t scanned = fsd_node_int(s->g, node, "num_scan_inputs", 0);
    uint32_t formals;

    *o = (struct owner){.s = s, .node = node, .body = fsd_list_at(&s->bodies, node, 0)};
    formals = s->g->scopes.at[o->body].inputs.n;
    o->batch = o->in = n->in.n == formals + 1;
    if (n->in.n != formals + o->batch || scanned < 0 || scanned > formals)
        return false;
    o->carried = formals - (uint32_t)scanned;
    return true;
}

/* In each step, a Scan reads one slice of each scanned input.  Returns the shape of a
 * slice of the i-th scanned input.  `*steps` receives the number of steps. */
static struct fsd_shape scan_step(const struct owner *o, uint32_t i, int64_t *steps)
{
    fsd_id from = fsd_node_in_tensor(o->s->g, o->node, o->in + o->carried + i);
    struct fsd_shape x = behind(fsd_shape_of(o->s, from), o->batch);
    int64_t axis = fsd_axis(axis_of(o, "scan_input_axes", i), x.rank);

    *steps = -1;
    if (!x.ranked || axis < 0)
        return (struct fsd_shape){0};
    *steps = x.dims[axis];
    x.rank--;
    memmove(x.dims + axis, x.dims + axis + 1, (size_t)(x.rank - axis) * sizeof *x.dims);
    return x;
}

static void enter_scan(struct fsd_sizes *s, fsd_id node)
{
    struct fsd_span formals;
    struct owner o;
    int64_t steps;

    if (!read_scan(s, node, &o))
        return;
    formals = s->g->scopes.at[o.body].inputs;
    for (uint32_t i = 0; i < formals.n; i++) {
        fsd_id given = fsd_node_in_tensor(s->g, node, o.in + i);
        struct fsd_shape x = i < o.carried ? behind(fsd_shape_of(s, given), o.batch)
                                           : scan_step(&o, i - o.carried, &steps);

        fsd_shape_learn(s, s->g->links.at[formals.at + i], &x);
    }
}

static void leave_scan(struct fsd_sizes *s, fsd_id node)
{
    struct fsd_span results;
    struct owner o;
    int64_t steps = -1, batch = -1, found;

    if (!read_scan(s, node, &o))
        return;
    results = s->g->scopes.at[o.body].outputs;
    for (uint32_t i = 0; o.in + o.carried + i < s->g->nodes.at[node].in.n; i++) {
        fsd_id from = fsd_node_in_tensor(s->g, node, o.in + o.carried + i);

        if (o.batch && fsd_shape_of(s, from)->rank)
            batch = fsd_shape_of(s, from)->dims[0];
        scan_step(&o, i, &found);
        steps = steps == -1 ? found : steps;
    }
    for (uint32_t i = 0; i < s->g->nodes.at[node].out.n; i++) {
        struct fsd_shape x = *shape_at(s, results, i);

        if (i >= o.carried)
            x = with(&x, axis_of(&o, "scan_output_axes", i - o.carried), steps);
        else if (!x.ranked) /* a state has the same shape in all steps */
            x = behind(fsd_shape_of(s, fsd_node_in_tensor(s->g, node, o.in + i)),
                       o.batch);
        if (o.batch)
            x = with(&x, 0, batch);
        fsd_shape_learn(s, fsd_node_out_tensor(s->g, node, i), &x);
    }
}

/* ---------------------------------------------------------------- Loop, If, calls */

/* The first output of a Loop's body is the condition. The carried values follow. Each
 * further output yields one part per step, and the Loop stacks these parts. */
static void leave_loop(struct fsd_sizes *s, fsd_id node)
{
    struct fsd_span results = s->g->scopes.at[fsd_list_at(&s->bodies, node, 0)].outputs;
    uint32_t in = s->g->nodes.at[node].in.n, carried = in < 2 ? 0 : in - 2;

    for (uint32_t i = 0; i < s->g->nodes.at[node].out.n; i++) {
        struct fsd_shape x = *shape_at(s, results, i + 1);

        if (i < carried)
            x = fsd_shape_common(
                &x, fsd_shape_of(s, fsd_node_in_tensor(s->g, node, i + 2)));
        else
            x = with(&x, 0, -1);
        fsd_shape_learn(s, fsd_node_out_tensor(s->g, node, i), &x);
    }
}

static void leave_if(struct fsd_sizes *s, fsd_id node)
{
    fsd_id one = fsd_list_at(&s->bodies, node, 0);
    fsd_id other = fsd_list_at(&s->bodies, node, 1);

    for (uint32_t i = 0; other != FSD_NONE && i < s->g->nodes.at[node].out.n; i++) {
        struct fsd_shape x =
            fsd_shape_common(shape_at(s, s->g->scopes.at[one].outputs, i),
                             shape_at(s, s->g->scopes.at[other].outputs, i));

        fsd_shape_learn(s, fsd_node_out_tensor(s->g, node, i), &x);
    }
}

static void enter_call(struct fsd_sizes *s, fsd_id node, fsd_id body)
{
    struct fsd_span formals = s->g->scopes.at[body].inputs;

    for (uint32_t i = 0; i < formals.n; i++) {
        fsd_id formal = s->g->links.at[formals.at + i];
        fsd_id given = fsd_node_in_tensor(s->g, node, i);

        fsd_shape_learn(s, formal, fsd_shape_of(s, given));
        s->ints_of[formal] =
            fsd_id_or(s->ints_of[formal], fsd_id_at(s->ints_of, given));
    }
}

static void leave_call(struct fsd_sizes *s, fsd_id node)
{
    struct fsd_span results = s->g->scopes.at[fsd_list_at(&s->bodies, node, 0)].outputs;

    for (uint32_t i = 0; i < s->g->nodes.at[node].out.n; i++)
        fsd_shape_learn(s, fsd_node_out_tensor(s->g, node, i), shape_at(s, results, i));
}

void fsd_body_enter(struct fsd_sizes *s, fsd_id owner, fsd_id body)
{
    if (s->g->nodes.at[owner].flags & FSD_NODE_CALL)
        enter_call(s, owner, body);
    else if (!strcmp(op_of(s, owner), "Scan"))
        enter_scan(s, owner);
}

void fsd_body_leave(struct fsd_sizes *s, fsd_id owner)
{
    static const struct {
        const char *op;
        void (*leave)(struct fsd_sizes *, fsd_id);
    } all[] = {{"If", leave_if}, {"Loop", leave_loop}, {"Scan", leave_scan}};

    if (s->g->nodes.at[owner].flags & FSD_NODE_CALL)
        leave_call(s, owner);
    for (size_t i = 0; i < FSD_COUNT_OF(all); i++)
        if (!strcmp(op_of(s, owner), all[i].op))
            all[i].leave(s, owner);
}
