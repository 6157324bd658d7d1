#include "onnx/parts.h"
#include "onnx/wire.h"

#include <string.h>

enum { MOST_DIMS = 256 };

/* The fields that hold elements, by their numbers in TensorProto. */
enum holder {
    FLOATS = 4,
    INT32S = 5,
    STRINGS = 6,
    INT64S = 7,
    RAW = 9,
    DOUBLES = 10,
    UINT64S = 11
};

/* Where the elements of a type are unless they are in raw_data. */
static enum holder holder_of_type(enum fsd_dtype type)
{
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

void fsd_onnx_remark(struct fsd_graph *g, const char *rule, fsd_id node, fsd_sym name)
{
    fsd_vec_push(g->arena, &g->remarks,
                 (struct fsd_remark){
                     .rule = rule, .node = node, .tensor = FSD_NONE, .text = name});
}

/* The type of that number, 0 meaning that it is not told. */
static enum fsd_dtype known_type(struct fsd_graph *g, int32_t number, fsd_sym name)
{
    enum fsd_dtype type = fsd_dtype_numbered(number);

    if (type == FSD_DTYPE_UNKNOWN && number)
        fsd_onnx_remark(g, "input/unknown-type", FSD_NONE, name);
    return type;
}

/* ------------------------------------------------------------------- constants */

/* Shapes of constants have sizes only. */
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

/* Bytes that the elements take; -1 when the form does not tell. */
static int64_t size_of_form(const struct fsd_graph *g, fsd_id id)
{
    const struct fsd_form *form = &g->forms.at[id];
    int64_t count = fsd_form_count(g, form);
    int64_t bits = fsd_dtype_bits(form->type);

    if (count < 0 || !bits || count > (INT64_MAX - 7) / bits)
        return -1;
    return (count * bits + 7) / 8;
}

static size_t elements_in(const Onnx__TensorProto *t, enum holder holder)
{
    switch (holder) {
    case FLOATS:
        return t->n_float_data;
    case INT32S:
        return t->n_int32_data;
    case STRINGS:
        return t->n_string_data;
    case INT64S:
        return t->n_int64_data;
    case RAW:
        return t->raw_data.len;
    case DOUBLES:
        return t->n_double_data;
    case UINT64S:
        return t->n_uint64_data;
    }
    return 0;
}

static uint64_t element_bits(const Onnx__TensorProto *t, enum holder holder, size_t i)
{
    uint32_t single;
    uint64_t bits = 0;

    switch (holder) {
    case FLOATS:
        memcpy(&single, &t->float_data[i], sizeof single);
        return single;
    case INT32S:
        return (uint32_t)t->int32_data[i];
    case INT64S:
        return (uint64_t)t->int64_data[i];
    case RAW:
        return t->raw_data.data[i];
    case DOUBLES:
        memcpy(&bits, &t->double_data[i], sizeof bits);
        return bits;
    case UINT64S:
        return t->uint64_data[i];
    case STRINGS:
        break;
    }
    return 0;
}

/* Bytes that one element of a holder becomes.  Complex numbers are two floats; types
 * below 8 bits stand in int32_data as whole packed bytes. */
static unsigned element_size(enum holder holder, enum fsd_dtype type)
{
    unsigned bits = fsd_dtype_bits(type);

    switch (holder) {
    case FLOATS:
        return 4;
    case INT32S:
    case UINT64S:
        return bits < 8 ? 1 : bits / 8;
    case INT64S:
    case DOUBLES:
        return 8;
    case RAW:
    case STRINGS:
        break;
    }
    return 1;
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

static uint64_t string_bytes(const Onnx__TensorProto *t)
{
    uint64_t dropped = fsd_wire_dropped(&t->base, STRINGS), bytes = 0;

    for (size_t i = 0; i < t->n_string_data; i++)
        bytes += t->string_data[i].len;
    return dropped ? dropped : bytes;
}

static enum holder holder_of(const Onnx__TensorProto *t)
{
    if (t->raw_data.len || fsd_wire_dropped(&t->base, RAW))
        return RAW;
    return holder_of_type(fsd_dtype_numbered(t->data_type));
}

/* The type is known. */
static fsd_id read_elements(struct fsd_graph *g, const Onnx__TensorProto *t,
                            fsd_id form, fsd_sym name)
{
    enum holder holder = holder_of(t);
    uint64_t dropped = fsd_wire_dropped(&t->base, holder);
    int64_t expected = size_of_form(g, form);
    unsigned each = element_size(holder, g->forms.at[form].type);
    size_t n = elements_in(t, holder);
    unsigned char *bytes;

    if (expected < 0)
        return unread(g, dropped ? dropped : n * each);
    if (t->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL || dropped ||
        (!n && expected))
        return unread(g, (uint64_t)expected);
    if ((uint64_t)expected != n * each) {
        fsd_onnx_remark(g, "input/bad-value", FSD_NONE, name);
        return unread(g, (uint64_t)expected);
    }
    bytes = fsd_arena_alloc(g->arena, n * each + 1, 1, 1);
    for (size_t i = 0; i < n; i++)
        put_little_endian(bytes + i * each, element_bits(t, holder, i), each);
    return fsd_graph_add_value(g, (struct fsd_value){.bytes = bytes, .size = n * each});
}

struct fsd_onnx_const fsd_onnx_tensor(struct fsd_graph *g, const Onnx__TensorProto *t,
                                      fsd_sym name)
{
    struct fsd_onnx_const out;
    enum fsd_dtype type;

    out.form = form_of_sizes(g, t->data_type, t->dims, t->n_dims,
                             !fsd_wire_dropped(&t->base, 1), name);
    type = g->forms.at[out.form].type;
    if (type == FSD_STRING)
        out.value = unread(g, string_bytes(t));
    else if (type == FSD_DTYPE_UNKNOWN)
        out.value = unread(g, t->raw_data.len + fsd_wire_dropped(&t->base, RAW));
    else
        out.value = read_elements(g, t, out.form, name);
    return out;
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

static struct fsd_dim dim_of(struct fsd_graph *g,
                             const Onnx__TensorShapeProto__Dimension *d, bool *bad)
{
    struct fsd_dim dim = {.size = -1};

    if (d->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM)
        dim.name = fsd_intern_str(g->names, d->dim_param);
    if (d->value_case != ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE)
        return dim;
    if (d->dim_value < 0 || d->dim_value > FSD_DIM_MAX)
        *bad = true;
    else
        dim.size = d->dim_value;
    return dim;
}

static fsd_id form_of_shape(struct fsd_graph *g, int32_t type,
                            const Onnx__TensorShapeProto *shape, fsd_sym name)
{
    struct fsd_form form = {.type = known_type(g, type, name)};
    struct fsd_dim dims[MOST_DIMS];
    bool bad = shape && shape->n_dim > MOST_DIMS;
    uint32_t n = 0;

    form.ranked = shape && !bad;
    if (form.ranked)
        for (; n < shape->n_dim; n++)
            dims[n] = dim_of(g, shape->dim[n], &bad);
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
