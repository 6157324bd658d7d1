/*
 * Changes the type of a tensor. The new type is appended to the message, and the old
 * type stays in it: if a field occurs twice, the last one counts. Only the numbers of
 * an initializer are replaced. They are converted while they are written, so weights of
 * any size need only a page of memory.
 */
#include "edit/onnx/types.h"
#include "model/graph/graph.h"
#include "edit/onnx/write.h"
#include "model/onnx/collected.h"

/* Writes a field with the number `field`. Its content is `message` and, behind it, a
 * field with the number `number` and the value `value`. */
static void put_with_number(struct fsd_arena *arena, uint32_t field,
                            struct fsd_slice message, uint32_t number, int value,
                            struct fsd_pieces *to)
{
    struct fsd_pieces inner = {.size = 0};

    fsd_pieces_rest(arena, &inner, message.s, message);
    fsd_pieces_number(arena, &inner, number, (uint64_t)value);
    fsd_pieces_message(arena, to, field, &inner);
}

/* Writes a TypeProto with another element type. */
static void put_type(struct fsd_arena *arena, struct fsd_slice message, int type,
                     struct fsd_pieces *to)
{
    struct fsd_slice rest = message;
    const char *from = message.s;
    struct fsd_wire_block block;

    while (fsd_wire_take(&rest, &block))
        if (block.number == TYPE_TENSOR) {
            fsd_pieces_until(arena, to, &from, &block);
            put_with_number(arena, TYPE_TENSOR, block.bytes, TENSOR_TYPE_ELEMENT, type,
                            to);
        }
    fsd_pieces_rest(arena, to, from, message);
}

void fsd_types_declare(struct fsd_arena *arena, struct fsd_slice info, int type,
                       struct fsd_pieces *to)
{
    struct fsd_slice rest = info;
    const char *from = info.s;
    struct fsd_wire_block block;

    while (fsd_wire_take(&rest, &block)) {
        struct fsd_pieces typed = {.size = 0};

        if (block.number != VALUE_INFO_TYPE)
            continue;
        put_type(arena, block.bytes, type, &typed);
        fsd_pieces_until(arena, to, &from, &block);
        fsd_pieces_message(arena, to, VALUE_INFO_TYPE, &typed);
    }
    fsd_pieces_rest(arena, to, from, info);
}

static bool holds_floats(const struct fsd_wire_block *field)
{
    return field->number == TENSOR_RAW || field->number == TENSOR_FLOATS;
}

void fsd_types_narrow(struct fsd_arena *arena, struct fsd_slice tensor, int type,
                      struct fsd_pieces *to)
{
    struct fsd_slice rest = tensor, numbers = {NULL, 0};
    const char *from = tensor.s;
    struct fsd_wire_block field;

    while (fsd_wire_take(&rest, &field))
        if (holds_floats(&field)) {
            numbers = field.bytes.n ? field.bytes : numbers;
            fsd_pieces_until(arena, to, &from, &field);
        }
    fsd_pieces_rest(arena, to, from, tensor);
    fsd_pieces_number(arena, to, TENSOR_TYPE, (uint64_t)type);
    fsd_pieces_narrowed(arena, to, TENSOR_RAW, numbers,
                        type == FSD_ONNX_FLOAT16 ? FSD_NARROW_FP16 : FSD_NARROW_BF16);
}

/* ----------------------------------------------------- initializers to be converted */

/* The size in bytes of the tensor's numbers, if one field of the message contains all
 * of them; else 0. */
static uint64_t bytes_inside(struct fsd_slice tensor, struct fsd_slice *name)
{
    struct fsd_wire_block field;
    uint64_t bytes = 0;
    bool one = true;

    while (fsd_wire_take(&tensor, &field)) {
        if (field.number == TENSOR_NAME)
            *name = field.bytes;
        if (!holds_floats(&field) && field.number != TENSOR_EXTERNAL)
            continue;
        one = !bytes && field.number != TENSOR_EXTERNAL;
        bytes = field.bytes.n;
    }
    return one ? bytes : 0;
}

static void find_in(const struct fsd_graph *g, struct fsd_wire_walk *walk,
                    struct fsd_slice graph, bool *found)
{
    struct fsd_wire_block block;

    while (fsd_wire_walk(walk, &graph, &block)) {
        struct fsd_slice name = {NULL, 0};
        uint64_t bytes;
        fsd_id t;

        if (block.number != GRAPH_INITIALIZER)
            continue;
        bytes = bytes_inside(block.bytes, &name);
        t = name.n ? fsd_graph_find(g, fsd_intern_find(g->names, name.s, name.n), 0)
                   : FSD_NONE;
        if (t != FSD_NONE && fsd_tensor_form(g, t)->type == FSD_FP32 && bytes)
            found[t] = bytes % sizeof(float) == 0 &&
                       (int64_t)(bytes / sizeof(float)) ==
                           fsd_form_count(g, fsd_tensor_form(g, t));
    }
}

void fsd_onnx_find_floats(const struct fsd_graph *g, const struct fsd_file *file,
                          bool *found)
{
    struct fsd_wire_walk walk = {file, 0};
    struct fsd_slice model = {(const char *)file->bytes, file->size};
    struct fsd_wire_block graph;

    while (fsd_wire_take_of(file, &model, &graph))
        if (graph.number == MODEL_GRAPH)
            find_in(g, &walk, graph.bytes, found);
}
