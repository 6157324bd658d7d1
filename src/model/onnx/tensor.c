/*
 * Reads constants and declared types.  A TensorProto has its elements in one of seven
 * fields.  The elements in some of these fields have unused bits; the functions here
 * copy the elements to packed little-endian bytes.  Weights that the filter dropped, or
 * that are in external files, become unread values with a type, a shape and a size.
 * The file may be hostile, so if sizes contradict each other, the value stays unread,
 * and a remark states this.
 */
#include "model/graph/graph.h"
#include "model/onnx/parts.h"
#include "model/onnx/wire.h"

enum { MOST_DIMS = 256 };

/* The fields of TensorProto that contain elements, by number. */
enum holder {
    FLOATS = 4,
    INT32S = 5,
    STRINGS = 6,
    INT64S = 7,
    RAW = 9,
    DOUBLES = 10,
    UINT64S = 11
};

void fsd_onnx_remark(struct fsd_graph *g, const char *rule, fsd_id node, fsd_sym name)
{
    fsd_vec_push(g->arena, &g->remarks,
                 (struct fsd_remark){
                     .rule = rule, .node = node, .tensor = FSD_NONE, .text = name});
}

/* Returns the type with this number; the number 0 means that the file states no
 * type. */
static enum fsd_dtype known_type(struct fsd_graph *g, int32_t number, fsd_sym name)
{
    enum fsd_dtype type = fsd_dtype_numbered(number);

    if (type == FSD_DTYPE_UNKNOWN && number)
        fsd_onnx_remark(g, "input/unknown-type", FSD_NONE, name);
    return type;
}

/* ------------------------------------------------------------------- constants */

/* Returns the form of a constant, whose dimensions are all numbers. */
static fsd_id form_of_sizes(struct fsd_graph *g, int32_t type, const int64_t *sizes,
                            size_t n, bool read, fsd_sym name)
{
    struct fsd_form form = {.type = known_type(g, type, name)};
    struct fsd_dim dims[MOST_DIMS];
    bool bad = !read || n > MOST_DIMS;

    form.ranked = !bad;
    for (size_t i = 0; form.ranked && i < n; i++) {
        bool wrong = sizes[i] < 0 || sizes[i] > FSD_DIM_MAX;

        dims[i] = (struct fsd_dim){.size = wrong ? -1 : sizes[i]};
        bad = bad || wrong;
    }
    if (bad)
        fsd_onnx_remark(g, "input/bad-dim", FSD_NONE, name);
    return fsd_graph_add_form(g, form, dims, form.ranked ? (uint32_t)n : 0);
}

/* The elements in one field of a TensorProto, as `n` units.  A unit takes `width` bytes
 * in the field and `each` bytes in the value.  In raw_data, a unit is a byte.  In the
 * other fields, a unit is an element, except:
 *   - A complex number is two units.
 *   - If elements share a byte, such as two INT4, this byte is a unit.  In int32_data,
 *     each number has one such byte.  Elements of 6 bits do not share bytes there;
 *     read_sixes() reads them. */
struct held {
    const void *at;
    size_t n;
    unsigned width, each;
};

static struct held held_in(const Onnx__TensorProto *t, enum holder holder,
                           enum fsd_dtype type)
{
    unsigned bits = fsd_dtype_bits(type), own = bits < 8 ? 1 : bits / 8;

    switch (holder) {
    case FLOATS:
        return (struct held){t->float_data, t->n_float_data, 4, 4};
    case INT32S:
        return (struct held){t->int32_data, t->n_int32_data, 4, own};
    case INT64S:
        return (struct held){t->int64_data, t->n_int64_data, 8, 8};
    case DOUBLES:
        return (struct held){t->double_data, t->n_double_data, 8, 8};
    case UINT64S:
        return (struct held){t->uint64_data, t->n_uint64_data, 8, own};
    case RAW:
        return (struct held){t->raw_data.data, t->raw_data.len, 1, 1};
    case STRINGS: /* the program does not need the bytes of strings */
        break;
    }
    return (struct held){.each = 1};
}

/* Returns the field that has the elements: raw_data if it is present, else the field
 * for the type. */
static enum holder holder_of(const Onnx__TensorProto *t, enum fsd_dtype type)
{
    if (t->raw_data.len || fsd_wire_dropped(&t->base, RAW))
        return RAW;
    switch ((int)type) {
    case FSD_FP32:
    case FSD_COMPLEX64:
        return FLOATS;
    case FSD_FP64:
    case FSD_COMPLEX128:
        return DOUBLES;
    case FSD_INT64:
        return INT64S;
    case FSD_UINT32:
    case FSD_UINT64:
        return UINT64S;
    case FSD_STRING:
        return STRINGS;
    default:
        return INT32S;
    }
}

static void put_little_endian(unsigned char *out, uint64_t bits, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        out[i] = (unsigned char)(bits >> 8 * i);
}

fsd_id fsd_onnx_value(struct fsd_graph *g, const uint64_t *bits, uint32_t n,
                      unsigned size)
{
    unsigned char *bytes = fsd_arena_alloc(g->arena, (size_t)n + 1, size, 1);

    for (uint32_t i = 0; i < n; i++)
        put_little_endian(bytes + (size_t)i * size, bits[i], size);
    return fsd_graph_add_value(
        g, (struct fsd_value){.bytes = bytes, .size = (uint64_t)n * size});
}

static fsd_id unread(struct fsd_graph *g, uint64_t size)
{
    return fsd_graph_add_value(g, (struct fsd_value){.size = size});
}

/* Packs elements of 6 bits: four elements into three bytes, the lowest bits first.  In
 * int32_data, each number has one element. */
static fsd_id read_sixes(struct fsd_graph *g, const Onnx__TensorProto *t, uint64_t size)
{
    unsigned char *bytes = fsd_arena_alloc(g->arena, (size_t)size + 1, 1, 1);

    memset(bytes, 0, (size_t)size + 1);
    for (size_t i = 0; i < t->n_int32_data; i++) {
        unsigned bits = (unsigned)(t->int32_data[i] & 0x3f) << 6 * i % 8;

        bytes[6 * i / 8] |= (unsigned char)bits;
        bytes[6 * i / 8 + 1] |= (unsigned char)(bits >> 8);
    }
    return fsd_graph_add_value(g, (struct fsd_value){.bytes = bytes, .size = size});
}

/* Reads the elements of a constant.  Its type must be known, and must not be a
 * string. */
static fsd_id read_elements(struct fsd_graph *g, const Onnx__TensorProto *t,
                            fsd_id form, fsd_sym name)
{
    enum fsd_dtype type = g->forms.at[form].type;
    enum holder holder = holder_of(t, type);
    struct held held = held_in(t, holder, type);
    uint64_t dropped = fsd_wire_dropped(&t->base, holder), size = held.n * held.each;
    int64_t count = fsd_form_count(g, &g->forms.at[form]), bits = fsd_dtype_bits(type);
    uint64_t expected = 0;
    unsigned char *bytes;

    if (count < 0 || !bits || count > (INT64_MAX - 7) / bits)
        return unread(g, dropped ? dropped : size); /* the number of elements is
                                                       unknown */
    expected = (uint64_t)(count * bits + 7) / 8;
    if (t->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL || dropped ||
        (!held.n && expected))
        return unread(g, expected);
    if (bits == 6 && holder == INT32S && held.n == (uint64_t)count)
        return read_sixes(g, t, expected);
    if (expected != size) {
        fsd_onnx_remark(g, "input/bad-value", FSD_NONE, name);
        return unread(g, expected);
    }
    bytes = fsd_arena_alloc(g->arena, (size_t)size + 1, 1, 1);
    if (holder == RAW && size)
        memcpy(bytes, held.at, (size_t)size);
    for (size_t i = 0; holder != RAW && i < held.n; i++) {
        const unsigned char *at = (const unsigned char *)held.at + i * held.width;
        uint64_t whole = *at;
        uint32_t half;

        if (held.width == sizeof half) {
            memcpy(&half, at, sizeof half);
            whole = half;
        } else if (held.width == sizeof whole) {
            memcpy(&whole, at, sizeof whole);
        }
        put_little_endian(bytes + i * held.each, whole, held.each);
    }
    return fsd_graph_add_value(g, (struct fsd_value){.bytes = bytes, .size = size});
}

struct fsd_onnx_const fsd_onnx_tensor(struct fsd_graph *g, const Onnx__TensorProto *t,
                                      fsd_sym name)
{
    fsd_id form = form_of_sizes(g, t->data_type, t->dims, t->n_dims,
                                !fsd_wire_dropped(&t->base, 1), name);
    enum fsd_dtype type = g->forms.at[form].type;
    uint64_t size = fsd_wire_dropped(&t->base, type == FSD_STRING ? STRINGS : RAW);

    if (type != FSD_STRING && type != FSD_DTYPE_UNKNOWN)
        return (struct fsd_onnx_const){form, read_elements(g, t, form, name)};
    if (type == FSD_DTYPE_UNKNOWN)
        size += t->raw_data.len;
    else if (!size)
        for (size_t i = 0; i < t->n_string_data; i++)
            size += t->string_data[i].len;
    return (struct fsd_onnx_const){form, unread(g, size)};
}

struct fsd_onnx_const fsd_onnx_sparse(struct fsd_graph *g,
                                      const Onnx__SparseTensorProto *t, fsd_sym name)
{
    struct fsd_onnx_const values = {FSD_NONE, FSD_NONE};
    uint64_t size = 0;

    if (t->values) {
        values = fsd_onnx_tensor(g, t->values, name);
        size = g->values.at[values.value].size;
    }
    return (struct fsd_onnx_const){
        .form = form_of_sizes(g, t->values ? t->values->data_type : 0, t->dims,
                              t->n_dims, !fsd_wire_dropped(&t->base, 3), name),
        .value = unread(g, size)};
}

/* ------------------------------------------------------------------ value infos */

static fsd_id form_of_shape(struct fsd_graph *g, int32_t type,
                            const Onnx__TensorShapeProto *shape, fsd_sym name)
{
    struct fsd_form form = {.type = known_type(g, type, name)};
    struct fsd_dim dims[MOST_DIMS];
    bool bad = shape && shape->n_dim > MOST_DIMS;
    uint32_t n = 0;

    form.ranked = shape && !bad;
    for (; form.ranked && n < shape->n_dim; n++) {
        const Onnx__TensorShapeProto__Dimension *d = shape->dim[n];

        dims[n] = (struct fsd_dim){.size = -1};
        if (d->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM)
            dims[n].name = fsd_intern_str(g->names, d->dim_param);
        if (d->value_case != ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE)
            continue;
        if (d->dim_value < 0 || d->dim_value > FSD_DIM_MAX)
            bad = true;
        else
            dims[n].size = d->dim_value;
    }
    if (bad)
        fsd_onnx_remark(g, "input/bad-dim", FSD_NONE, name);
    if (form.type == FSD_DTYPE_UNKNOWN && !form.ranked)
        return FSD_NONE;
    return fsd_graph_add_form(g, form, dims, n);
}

fsd_id fsd_onnx_form(struct fsd_graph *g, const Onnx__TypeProto *type, fsd_sym name)
{
    if (!type)
        return FSD_NONE;
    if (type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
        return form_of_shape(g, type->tensor_type->elem_type, type->tensor_type->shape,
                             name);
    if (type->value_case == ONNX__TYPE_PROTO__VALUE_SPARSE_TENSOR_TYPE)
        return form_of_shape(g, type->sparse_tensor_type->elem_type,
                             type->sparse_tensor_type->shape, name);
    return FSD_NONE;
}

fsd_id fsd_onnx_item(struct fsd_graph *g, const Onnx__TypeProto *type, fsd_sym name)
{
    const Onnx__TypeProto *of = NULL;
    fsd_id form;

    if (!type)
        return FSD_NONE;
    if (type->value_case == ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE)
        of = type->sequence_type->elem_type;
    else if (type->value_case == ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE)
        of = type->optional_type->elem_type;
    else
        return FSD_NONE;
    form = fsd_onnx_form(g, of, name);
    return form != FSD_NONE ? form
                            : fsd_graph_add_form(g, (struct fsd_form){0}, NULL, 0);
}
