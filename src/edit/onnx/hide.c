/*
 * One table states what happens to each field of the file that is a string, bytes or a
 * message. If names are replaced, such a field is left out if it has no row in the
 * table, so that fields of future ONNX versions reveal nothing. Numbers stay. Fields
 * that stay are copied byte by byte.
 */
#include "edit/onnx/hide.h"
#include "base/base.h"
#include "model/onnx/collected.h"
#include "edit/onnx/pieces.h"

#include <onnx.pb-c.h>

enum message {
    MODEL,
    OPSET,
    FUNCTION,
    GRAPH,
    ANNOTATION,
    ENTRY, /* an entry of a quantization annotation */
    NODE,
    ATTRIBUTE,
    VALUE,
    TYPE,
    TENSOR_KIND,
    ELEMENT_TYPE,
    MAP_TYPE,
    SHAPE,
    DIM,
    SPARSE,
    TENSOR
};

enum action {
    KEEP = 1,
    RENAME, /* `to` is the kind of the name */
    WORD,   /* like RENAME, but the name stays if all its words are public */
    INTO    /* the field is a message of type `to`; walk this message, too */
};

struct field {
    enum message in;
    uint32_t number;
    enum action action;
    int to;
};

static const struct field FIELDS[] = {
    {MODEL, 2, WORD, FSD_NAMED_WORD}, /* field 2: producer; field 3: its version */
    {MODEL, 3, WORD, FSD_NAMED_WORD},
    {MODEL, MODEL_GRAPH, INTO, GRAPH},
    {MODEL, 8, INTO, OPSET},
    {MODEL, MODEL_FUNCTION, INTO, FUNCTION},
    {OPSET, 1, WORD, FSD_NAMED_DOMAIN},
    {FUNCTION, FUNCTION_NAME, RENAME, FSD_NAMED_FUNCTION},
    {FUNCTION, 4, RENAME, FSD_NAMED_TENSOR},
    {FUNCTION, 5, RENAME, FSD_NAMED_TENSOR},
    {FUNCTION, 6, RENAME, FSD_NAMED_WORD},
    {FUNCTION, FUNCTION_NODE, INTO, NODE},
    {FUNCTION, 9, INTO, OPSET},
    {FUNCTION, FUNCTION_DOMAIN, WORD, FSD_NAMED_DOMAIN},
    {FUNCTION, 11, INTO, ATTRIBUTE},
    {FUNCTION, 12, INTO, VALUE},
    {FUNCTION, 13, RENAME, FSD_NAMED_WORD},
    {GRAPH, GRAPH_NODE, INTO, NODE},
    {GRAPH, GRAPH_NAME, RENAME, FSD_NAMED_WORD},
    {GRAPH, GRAPH_INITIALIZER, INTO, TENSOR},
    {GRAPH, GRAPH_INPUT, INTO, VALUE},
    {GRAPH, GRAPH_OUTPUT, INTO, VALUE},
    {GRAPH, GRAPH_VALUE_INFO, INTO, VALUE},
    {GRAPH, GRAPH_ANNOTATION, INTO, ANNOTATION},
    {GRAPH, GRAPH_SPARSE, INTO, SPARSE},
    {ANNOTATION, 1, RENAME, FSD_NAMED_TENSOR},
    {ANNOTATION, 2, INTO, ENTRY},
    {ENTRY, ENTRY_KEY, WORD, FSD_NAMED_WORD},
    {ENTRY, ENTRY_VALUE, RENAME, FSD_NAMED_TENSOR},
    {NODE, NODE_INPUT, RENAME, FSD_NAMED_TENSOR},
    {NODE, NODE_OUTPUT, RENAME, FSD_NAMED_TENSOR},
    {NODE, 3, RENAME, FSD_NAMED_NODE},
    {NODE, 4, WORD, FSD_NAMED_FUNCTION},
    {NODE, NODE_ATTRIBUTE, INTO, ATTRIBUTE},
    {NODE, 7, WORD, FSD_NAMED_DOMAIN},
    {NODE, 8, RENAME, FSD_NAMED_WORD},
    {ATTRIBUTE, 1, WORD, FSD_NAMED_WORD},
    {ATTRIBUTE, 4, WORD, FSD_NAMED_WORD},
    {ATTRIBUTE, ATTRIBUTE_TENSOR, INTO, TENSOR},
    {ATTRIBUTE, ATTRIBUTE_GRAPH, INTO, GRAPH},
    {ATTRIBUTE, 7, KEEP, 0}, /* field 7: packed floats; field 8: packed ints */
    {ATTRIBUTE, 8, KEEP, 0},
    {ATTRIBUTE, 9, WORD, FSD_NAMED_WORD},
    {ATTRIBUTE, ATTRIBUTE_TENSORS, INTO, TENSOR},
    {ATTRIBUTE, ATTRIBUTE_GRAPHS, INTO, GRAPH},
    {ATTRIBUTE, 14, INTO, TYPE},
    {ATTRIBUTE, 15, INTO, TYPE},
    {ATTRIBUTE, 21, RENAME, FSD_NAMED_WORD},
    {ATTRIBUTE, ATTRIBUTE_SPARSE, INTO, SPARSE},
    {ATTRIBUTE, ATTRIBUTE_SPARSES, INTO, SPARSE},
    {VALUE, 1, RENAME, FSD_NAMED_TENSOR},
    {VALUE, 2, INTO, TYPE},
    {TYPE, 1, INTO, TENSOR_KIND},
    {TYPE, 4, INTO, ELEMENT_TYPE},
    {TYPE, 5, INTO, MAP_TYPE},
    {TYPE, 8, INTO, TENSOR_KIND},
    {TYPE, 9, INTO, ELEMENT_TYPE},
    {TENSOR_KIND, 2, INTO, SHAPE},
    {ELEMENT_TYPE, 1, INTO, TYPE},
    {MAP_TYPE, 2, INTO, TYPE},
    {SHAPE, 1, INTO, DIM},
    {DIM, 2, RENAME, FSD_NAMED_DIM},
    {SPARSE, SPARSE_VALUES, INTO, TENSOR},
    {SPARSE, SPARSE_INDICES, INTO, TENSOR},
    {SPARSE, 3, KEEP, 0},
    {TENSOR, 1, KEEP, 0}, /* field 1: sizes; fields 4, 5, 7, 10 and 11: elements */
    {TENSOR, 4, KEEP, 0},
    {TENSOR, 5, KEEP, 0},
    {TENSOR, 6, RENAME, FSD_NAMED_WORD},
    {TENSOR, 7, KEEP, 0},
    {TENSOR, TENSOR_NAME, RENAME, FSD_NAMED_TENSOR},
    {TENSOR, TENSOR_RAW, KEEP, 0},
    {TENSOR, 10, KEEP, 0},
    {TENSOR, 11, KEEP, 0},
};

/* A function of the model or, if `name` is empty, a domain that has functions. */
struct called {
    struct fsd_slice domain, name;
};

struct hider {
    struct fsd_arena *arena;
    const struct fsd_onnx_hiding *how;
    FSD_VEC(struct called) functions;
    const struct fsd_file *file;
    size_t released; /* the offset up to which pages of the file were released */
};

/* Facts about the node whose attributes are being written. */
struct context {
    bool call;     /* the node calls a function */
    bool foreign;  /* the operator is not ONNX's, so its words may be the user's */
    bool constant; /* the attribute is a constant's value */
};

static const struct field *find_field(enum message in, uint32_t number)
{
    for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; i++)
        if (FIELDS[i].in == in && FIELDS[i].number == number)
            return &FIELDS[i];
    return NULL;
}

static bool is_call(const struct hider *h, struct fsd_slice domain,
                    struct fsd_slice name)
{
    for (uint32_t i = 0; i < h->functions.n; i++)
        if (fsd_onnx_is_same_domain(domain, h->functions.at[i].domain) &&
            fsd_slice_equal(name, h->functions.at[i].name))
            return true;
    return false;
}

static struct context context_of(const struct hider *h, struct fsd_slice node)
{
    struct fsd_slice domain = fsd_onnx_block(node, 7), op = fsd_onnx_block(node, 4);
    bool call = is_call(h, domain, op);
    bool microsoft =
        fsd_slice_is(domain, "com.microsoft") && !fsd_slice_is(op, "EPContext");

    return (struct context){call, call || (!fsd_onnx_is_standard(domain) && !microsoft),
                            fsd_onnx_is_standard(domain) &&
                                fsd_slice_is(op, "Constant")};
}

/* ----------------------------------------------------------------------- weights */

enum { FILL = 1 << 16 };

/* The bytes that are repeated to fill a tensor: one element, or several elements if the
 * type is smaller than a byte. */
struct fill {
    unsigned char bytes[8];
    unsigned bits; /* 0: tensors of this type are not filled */
};

static struct fill fill_of(int type, bool row)
{
    static const struct {
        int type;
        unsigned bits;
        unsigned char bytes[8];
    } floats[] = {
        {ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 32, {0, 0, 0x80, 0x3c}},
        {ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE, 64, {0, 0, 0, 0, 0, 0, 0x90, 0x3f}},
        {ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16, 16, {0, 0x24}},
        {ONNX__TENSOR_PROTO__DATA_TYPE__BFLOAT16, 16, {0x80, 0x3c}},
        {ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT8E4M3FN, 8, {0x08}},
        {ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT8E4M3FNUZ, 8, {0x10}},
        {ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT8E5M2, 8, {0x24}},
        {ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT8E5M2FNUZ, 8, {0x28}},
        {ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT8E8M0, 8, {0x79}},
        {ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT4E2M1, 4, {0x11}},
    };
    bool small = true, packed = false;
    struct fill fill = {{0}, 0};

    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        if (floats[i].type == type) {
            memcpy(fill.bytes, floats[i].bytes, sizeof fill.bytes);
            fill.bits = floats[i].bits;
            return fill;
        }
    switch (type) {
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT8:
    case ONNX__TENSOR_PROTO__DATA_TYPE__UINT8:
        fill.bits = 8;
        break;
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT16:
    case ONNX__TENSOR_PROTO__DATA_TYPE__UINT16:
        fill.bits = 16;
        break;
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT4:
    case ONNX__TENSOR_PROTO__DATA_TYPE__UINT4:
        fill.bits = 4;
        packed = true;
        break;
    default:
        small = false;
    }
    if (small && !row)
        fill.bytes[0] = packed ? 0x11 : 1;
    return fill;
}

/* The number of bits of an element if the type is BOOL or an integer of 32 or 64 bits;
 * else 0. Numbers of such a type stay if they are in the model's file, and become 0 if
 * they are in another file. */
static unsigned bits_of_kept(int type)
{
    switch (type) {
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT32:
    case ONNX__TENSOR_PROTO__DATA_TYPE__UINT32:
        return 32;
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT64:
    case ONNX__TENSOR_PROTO__DATA_TYPE__UINT64:
        return 64;
    case ONNX__TENSOR_PROTO__DATA_TYPE__BOOL:
        return 8;
    default:
        return 0;
    }
}

static struct fsd_slice chunk_of(struct hider *h, const struct fill *fill)
{
    unsigned width = fill->bits < 8 ? 1 : fill->bits / 8;
    char *chunk = FSD_NEW(h->arena, char, FILL);

    for (size_t i = 0; i < FILL; i++)
        chunk[i] = (char)fill->bytes[i % width];
    return (struct fsd_slice){chunk, FILL};
}

/* The number of elements of a tensor; false if its sizes are invalid. */
static bool count_of(const Onnx__TensorProto *t, uint64_t *count)
{
    *count = 1;
    for (size_t i = 0; i < t->n_dims; i++) {
        if (t->dims[i] < 0 || (t->dims[i] && *count > INT32_MAX / (uint64_t)t->dims[i]))
            return false;
        *count *= (uint64_t)t->dims[i];
    }
    return true;
}

/* Writes type, sizes and name of the tensor, and the fill instead of its numbers. */
static void put_filled(struct hider *h, const Onnx__TensorProto *t,
                       const struct fill *fill, uint64_t count, struct fsd_slice name,
                       struct fsd_pieces *to)
{
    struct fsd_pieces raw = {.size = 0};
    struct fsd_slice chunk = chunk_of(h, fill);
    uint64_t left = (count * fill->bits + 7) / 8;

    for (size_t i = 0; i < t->n_dims; i++)
        fsd_pieces_number(h->arena, to, 1, (uint64_t)t->dims[i]);
    fsd_pieces_number(h->arena, to, 2, (uint64_t)t->data_type);
    if (name.n)
        fsd_pieces_block(h->arena, to, TENSOR_NAME, name);
    while (left) {
        struct fsd_slice part = {chunk.s, left < FILL ? (size_t)left : FILL};

        raw.size += part.n;
        fsd_vec_push(h->arena, &raw.list, (struct fsd_piece){part, FSD_NARROW_NOT});
        left -= part.n;
    }
    fsd_pieces_message(h->arena, to, TENSOR_RAW, &raw);
}

static struct fsd_slice renamed(struct hider *h, enum fsd_named of,
                                struct fsd_slice name)
{
    return h->how->rename && name.n
               ? fsd_slice_of(h->how->rename(h->how->payload, of, name))
               : name;
}

/* Writes the tensor with other numbers. If the numbers stay, writes nothing and returns
 * false. */
static bool put_weight(struct hider *h, struct fsd_slice bytes, struct fsd_pieces *to)
{
    const struct fsd_file file = {
        .name = "", .bytes = (const unsigned char *)bytes.s, .size = bytes.n};
    struct fsd_slice name =
        renamed(h, FSD_NAMED_TENSOR, fsd_onnx_block(bytes, TENSOR_NAME));
    bool outside = fsd_onnx_block(bytes, TENSOR_EXTERNAL).s != NULL;
    Onnx__TensorProto *t = NULL;
    struct fsd_wire wire;
    struct fill fill = {{0}, 0};
    uint64_t count = 0;

    if (fsd_wire_filter(&wire, h->arena, &file, &onnx__tensor_proto__descriptor,
                        NULL) == FSD_OK)
        t = onnx__tensor_proto__unpack(NULL, wire.size, wire.bytes);
    if (t && count_of(t, &count) && (count > 1 || outside)) {
        fill = fill_of(t->data_type, t->n_dims < 2);
        if (!fill.bits && outside)
            fill.bits = bits_of_kept(t->data_type);
    }
    if (fill.bits)
        put_filled(h, t, &fill, count, name, to);
    if (t)
        onnx__tensor_proto__free_unpacked(t, NULL);
    return fill.bits != 0;
}

/* -------------------------------------------------------------------------- names */

/* Returns a packed list that is as long as `list`, and in which each float is the
 * fill. */
static struct fsd_slice filled_floats(struct hider *h, struct fsd_slice list)
{
    struct fill fill = fill_of(ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, false);
    char *copy = FSD_NEW(h->arena, char, list.n + 1);

    for (size_t i = 0; i < list.n; i++)
        copy[i] = (char)fill.bytes[i % 4];
    return (struct fsd_slice){copy, list.n};
}

/* Whether the operator defines this text of an attribute, such as "SAME_UPPER" or
 * "nearest". The subscripts of an Einsum, in the attribute `equation`, also count. */
static bool is_known_word(const struct hider *h, const struct context *in,
                          struct fsd_slice attribute, bool list, struct fsd_slice text)
{
    struct fsd_slice name = fsd_onnx_block(attribute, 1);

    return !in->foreign && !in->constant &&
           (!list || fsd_slice_is(name, "activations")) &&
           (fsd_slice_is(name, "equation") || h->how->is_public(h->how->payload, text));
}

static bool is_hidden(const struct hider *h, const struct field *f,
                      const struct context *in, struct fsd_slice message,
                      struct fsd_slice text)
{
    bool name = f->number == 1, domain = f->to == FSD_NAMED_DOMAIN;

    if (!h->how->rename || !text.n || f->action == KEEP)
        return false;
    if (f->action == RENAME)
        return true;
    if (f->in == ATTRIBUTE && !name)
        return !is_known_word(h, in, message, f->number == 9, text);
    return ((f->in == NODE || f->in == ATTRIBUTE) && !domain && in->call) ||
           !h->how->is_public(h->how->payload, text);
}

static void hide(struct hider *h, struct fsd_slice message, enum message is,
                 struct context in, struct fsd_pieces *to);

static void put_inner(struct hider *h, const struct fsd_wire_block *block,
                      const struct field *f, struct context in, struct fsd_pieces *to)
{
    struct fsd_pieces inner = {.size = 0};

    if (f->to == NODE)
        in = context_of(h, block->bytes);
    else if (f->to == GRAPH)
        in = (struct context){.call = false};
    if (f->in == FUNCTION && f->to == ATTRIBUTE) /* a default value that the function
                                                    declares for an attribute */
        in = (struct context){.call = true, .foreign = true};
    if (f->to != TENSOR || !h->how->weights || !put_weight(h, block->bytes, &inner))
        hide(h, block->bytes, (enum message)f->to, in, &inner);
    fsd_pieces_message(h->arena, to, block->number, &inner);
}

static void hide(struct hider *h, struct fsd_slice message, enum message is,
                 struct context in, struct fsd_pieces *to)
{
    struct fsd_slice rest = message;
    const char *from = message.s;
    struct fsd_wire_block block;

    while (fsd_wire_take(&rest, &block)) {
        const struct field *f = find_field(is, block.number);
        bool floats = is == ATTRIBUTE && block.number == 7 && in.constant;
        bool outside = is == TENSOR && block.number == TENSOR_EXTERNAL;

        if (f && f->action == INTO) {
            fsd_pieces_until(h->arena, to, &from, &block);
            put_inner(h, &block, f, in, to);
        } else if (f && is_hidden(h, f, &in, message, block.bytes)) {
            fsd_pieces_until(h->arena, to, &from, &block);
            fsd_pieces_block(h->arena, to, block.number,
                             renamed(h, (enum fsd_named)f->to, block.bytes));
        } else if (h->how->weights && floats) {
            fsd_pieces_until(h->arena, to, &from, &block);
            fsd_pieces_block(h->arena, to, block.number, filled_floats(h, block.bytes));
        } else if (!f && h->how->rename && !outside) {
            fsd_pieces_until(h->arena, to, &from, &block);
        }
    }
    fsd_pieces_rest(h->arena, to, from, message);
}

static void find_functions(struct hider *h, struct fsd_slice model)
{
    struct fsd_wire_block block;

    while (fsd_wire_take(&model, &block))
        if (block.number == MODEL_FUNCTION)
            fsd_vec_push(h->arena, &h->functions,
                         ((struct called){fsd_onnx_block(block.bytes, FUNCTION_DOMAIN),
                                          fsd_onnx_block(block.bytes, FUNCTION_NAME)}));
}

static const struct fsd_file *model_mapping(void *payload, const char *at,
                                            size_t **released)
{
    struct hider *h = payload;
    const char *begin = (const char *)h->file->bytes;

    *released = &h->released;
    return at >= begin && at < begin + h->file->size ? h->file : NULL;
}

enum fsd_status fsd_onnx_hide(const struct fsd_file *file,
                              const struct fsd_onnx_hiding *how, FILE *out,
                              struct fsd_error *err)
{
    struct fsd_slice model = {(const char *)file->bytes, file->size};
    struct hider h = {.arena = fsd_arena_new(), .how = how, .file = file};
    struct fsd_pieces all = {.size = 0};
    enum fsd_status status;

    find_functions(&h, model);
    hide(&h, model, MODEL, (struct context){.call = false}, &all);
    status = fsd_pieces_write(&all, file, model_mapping, &h, out, err);
    fsd_arena_free(h.arena);
    return status;
}
