/*
 * Converts the plan to edits. A tensor keeps its name, and gets the type in which its
 * node now produces it. If nodes read the tensor in another type, a Cast produces a
 * second tensor, such as "x_fp16", for all of these nodes. The Cast follows the
 * producer of the tensor. If the tensor is an input of a graph, the Cast precedes the
 * first consumer. Outputs of graphs keep both name and type. Constants are written in
 * their new type if their numbers are available.
 */
#include "edit/retype/retype.h"
#include "model/graph/graph.h"
#include "model/graph/half.h"
#include "edit/onnx/write.h"
#include "base/base.h"

enum { TYPES = 3 };

struct editor {
    const struct fsd_retype *plan;
    const struct fsd_graph *g;
    struct fsd_onnx_edits *edits;
    const char *(*names)[TYPES]; /* indexed by tensor, then by place_of(type): the
                                    tensor's name in this type; NULL: own_name() */
    bool *inside; /* indexed by tensor: the tensor is an initializer that can be
                     converted in place */
};

static unsigned place_of(enum fsd_dtype type)
{
    return type == FSD_FP32 ? 0 : type == FSD_FP16 ? 1 : 2;
}

static int number_of(enum fsd_dtype type)
{
    static const int numbers[TYPES] = {FSD_ONNX_FLOAT, FSD_ONNX_FLOAT16,
                                       FSD_ONNX_BFLOAT16};

    return numbers[place_of(type)];
}

static const char *own_name(const struct editor *e, fsd_id tensor)
{
    return fsd_text(e->g->names, e->g->tensors.at[tensor].name);
}

static const char *name_of(const struct editor *e, fsd_id tensor, enum fsd_dtype type)
{
    const char *name = e->names[tensor][place_of(type)];

    return name ? name : own_name(e, tensor);
}

static const char *new_name(struct editor *e, fsd_id tensor, enum fsd_dtype type)
{
    const char *name = fsd_onnx_new_name(e->edits, fsd_printed(e->plan->arena, "%s_%s",
                                                               own_name(e, tensor),
                                                               fsd_dtype_name(type)));

    return e->names[tensor][place_of(type)] = name;
}

/* ------------------------------------------------------------------------ constants */

/* Whether all consumers of the tensor read it in this type, so that no other type is
 * needed. */
static bool is_read_only_as(const struct editor *e, fsd_id tensor, enum fsd_dtype type)
{
    struct fsd_span readers = e->g->tensors.at[tensor].consumers;

    FSD_EACH_ID (node, e->g->links, readers) {
        struct fsd_span in = e->g->nodes.at[node].in;

        if (!fsd_onnx_can_edit(e->g, node))
            return false;
        for (uint32_t k = 0; k < in.n; k++)
            if (e->g->ports.at[in.at + k].tensor == tensor &&
                e->plan->read[in.at + k] != type)
                return false;
    }
    return !e->plan->kept[tensor];
}

static void put_number(unsigned char *to, enum fsd_dtype type, double number)
{
    float value = (float)number;
    uint16_t narrow = type == FSD_FP16 ? fsd_half_of(value) : fsd_brain_of(value);
    uint32_t bits = narrow;

    if (type == FSD_FP32)
        memcpy(&bits, &value, sizeof bits);
    for (unsigned i = 0; i < fsd_dtype_bits(type) / 8; i++)
        to[i] = (unsigned char)(bits >> 8 * i);
}

/* Adds an initializer of the type `type` with the numbers of a small constant; false if
 * the numbers of the constant were not read. */
static bool add_copy(struct editor *e, fsd_id tensor, enum fsd_dtype type)
{
    const struct fsd_form *form = fsd_tensor_form(e->g, tensor);
    const struct fsd_value *value = fsd_tensor_value(e->g, tensor);
    int64_t count = fsd_form_count(e->g, form), *dims;
    unsigned width = fsd_dtype_bits(type) / 8;
    unsigned char *bytes;

    if (!value || !value->bytes || count < 0 ||
        e->g->tensors.at[tensor].flags & FSD_TENSOR_SPARSE)
        return false;
    bytes = FSD_NEW(e->plan->arena, unsigned char, (size_t)count *width + 1);
    for (int64_t i = 0; i < count; i++) {
        double number;

        if (!fsd_element_number(value, form->type, (uint64_t)i, &number))
            return false;
        put_number(bytes + (size_t)i * width, type, number);
    }
    dims = FSD_NEW(e->plan->arena, int64_t, form->dims.n + 1);
    for (uint32_t i = 0; i < form->dims.n; i++)
        dims[i] = e->g->dims.at[form->dims.at + i].size;
    fsd_onnx_add_shaped(e->edits, new_name(e, tensor, type), number_of(type), dims,
                        form->dims.n, bytes, (size_t)count * width);
    return true;
}

/* Drops a constant that is no longer read. */
static void drop_constant(struct editor *e, fsd_id tensor)
{
    fsd_id producer = fsd_tensor_producer(e->g, tensor);

    if (producer != FSD_NONE)
        fsd_onnx_drop_node(e->edits, producer);
    else if (!e->g->tensors.at[tensor].scope)
        fsd_onnx_drop_listed(e->edits, FSD_ONNX_INITIALIZERS | FSD_ONNX_INPUTS,
                             e->g->tensors.at[tensor].name);
}

/* Changes the type of a constant; false if it needs a Cast. */
static bool retype_constant(struct editor *e, fsd_id tensor, enum fsd_dtype type)
{
    bool alone = is_read_only_as(e, tensor, type);

    if (alone && e->inside[tensor] && type != FSD_FP32) {
        fsd_onnx_set_type(e->edits, tensor, number_of(type));
        return true;
    }
    if (!add_copy(e, tensor, type))
        return false;
    if (alone)
        drop_constant(e, tensor);
    return true;
}

/* ---------------------------------------------------------------------------- casts */

/* The first node of the tensor's own graph that needs the tensor in this type: the node
 * reads the tensor in this type, or a node in its bodies does. FSD_NONE: none. */
static fsd_id first_reader(const struct editor *e, fsd_id tensor, enum fsd_dtype type)
{
    const struct fsd_graph *g = e->g;
    struct fsd_span readers = g->tensors.at[tensor].consumers;
    fsd_id first = FSD_NONE;

    FSD_EACH_ID (node, g->links, readers) {
        struct fsd_span in = g->nodes.at[node].in;
        bool reads = false;

        for (uint32_t k = 0; k < in.n; k++)
            reads |= g->ports.at[in.at + k].tensor == tensor &&
                     e->plan->read[in.at + k] == type;
        while (reads && g->nodes.at[node].scope != g->tensors.at[tensor].scope &&
               g->nodes.at[node].scope)
            node = g->scopes.at[g->nodes.at[node].scope].owner;
        if (reads && node < first) /* `first` begins as FSD_NONE, the greatest fsd_id */
            first = node;
    }
    return first;
}

/* Adds a Cast that produces the tensor in the type `cast->to`. The output of the Cast
 * gets a new name. If the tensor is an output of a graph and has this type in the
 * model, the output of the Cast gets the tensor's name instead. */
static void put_cast(struct editor *e, const struct fsd_retyped_cast *cast)
{
    fsd_id producer = fsd_tensor_producer(e->g, cast->tensor);
    bool output =
        e->plan->kept[cast->tensor] && cast->to == fsd_own_type(e->g, cast->tensor);
    const char *name =
        output ? own_name(e, cast->tensor) : new_name(e, cast->tensor, cast->to);
    struct fsd_onnx_new_node node = {
        .op = "Cast",
        .name =
            fsd_onnx_new_name(e->edits, fsd_printed(e->plan->arena, "%s_cast", name)),
        .inputs = {name_of(e, cast->tensor, e->plan->made[cast->tensor])},
        .output = name,
        .to = number_of(cast->to)};

    if (producer != FSD_NONE)
        fsd_onnx_append_node(e->edits, producer, &node);
    else
        fsd_onnx_insert_node(e->edits, first_reader(e, cast->tensor, cast->to), &node);
}

/* Applies a planned change of the type in which the tensor is produced. The tensor
 * keeps its name and gets the new type. If the tensor is an output of a graph, it keeps
 * its type, too: its producer writes a tensor with a new name instead. */
static void retype_made(struct editor *e, fsd_id tensor)
{
    const struct fsd_graph *g = e->g;
    enum fsd_dtype made = e->plan->made[tensor];
    fsd_id producer = fsd_tensor_producer(g, tensor);

    if (!fsd_is_float(made) || made == fsd_own_type(g, tensor))
        return;
    if (!e->plan->kept[tensor]) {
        fsd_onnx_set_type(e->edits, tensor, number_of(made));
        return;
    }
    for (uint32_t i = 0; i < g->nodes.at[producer].out.n; i++)
        if (fsd_node_out_tensor(g, producer, i) == tensor)
            fsd_onnx_set_output(e->edits, producer, i, new_name(e, tensor, made));
}

/* The tensor from which nodes get the values of `tensor` in this type. If a Cast of the
 * model produces `tensor` from this type, the result is the input of the Cast.
 * Otherwise the result is `tensor` itself. */
static fsd_id source_of(const struct editor *e, fsd_id tensor, enum fsd_dtype type)
{
    fsd_id same = e->plan->same[tensor];

    return same != FSD_NONE && type != e->plan->made[tensor] &&
                   type == e->plan->made[same]
               ? same
               : tensor;
}

static void rename_reads(struct editor *e)
{
    const struct fsd_graph *g = e->g;

    for (fsd_id i = 0; i < g->nodes.n; i++) {
        struct fsd_span in = g->nodes.at[i].in;

        for (uint32_t k = 0; k < in.n && fsd_onnx_can_edit(g, i); k++) {
            fsd_id tensor = g->ports.at[in.at + k].tensor;
            enum fsd_dtype type = e->plan->read[in.at + k];
            const char *name =
                type ? name_of(e, source_of(e, tensor, type), type) : NULL;

            if (name && strcmp(name, own_name(e, tensor)) != 0)
                fsd_onnx_set_input(e->edits, i, k, name);
        }
    }
}

struct fsd_onnx_edits *fsd_retype_edits(const struct fsd_retype *plan,
                                        const struct fsd_file *file)
{
    const struct fsd_graph *g = plan->d->model;
    struct editor e = {.plan = plan,
                       .g = g,
                       .edits = fsd_onnx_edits_new(plan->arena, g),
                       .inside = FSD_NEW(plan->arena, bool, g->tensors.n + 1)};

    e.names =
        fsd_arena_alloc(plan->arena, g->tensors.n + 1, sizeof *e.names, sizeof(void *));
    memset(e.names, 0, (g->tensors.n + 1) * sizeof *e.names);
    fsd_onnx_find_floats(g, file, e.inside);
    for (fsd_id t = 0; t < g->tensors.n; t++)
        retype_made(&e, t);
    FSD_EACH (const struct fsd_retyped_cast, cast, plan->casts)
        if (!cast->constant || !retype_constant(&e, cast->tensor, cast->to))
            put_cast(&e, cast);
    rename_reads(&e);
    return e.edits;
}
