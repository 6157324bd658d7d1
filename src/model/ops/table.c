/*
 * The table of ONNX operators, made of the rows in table.inc.  A row states the types
 * of the outputs, the rule for shapes, the traits that matter for fusion, the rule for
 * multiply-adds, the lowerings, and the condition under which the operator changes
 * nothing.  A new operator needs a row and no other change. tests/ops compares the rows
 * with onnx's own schemas.  An operator without a row is no error; it has no traits.
 */
#include "model/ops/rule.h"

#include <stdlib.h>

/* The rules for the type of an output. */
enum type {
    NOTHING, /* unknown, or not a tensor */
    IN0,     /* IN0 to IN7: the type of input 0 to 7 */
    IN1,
    IN2,
    IN3,
    IN4,
    IN5,
    IN6,
    IN7,
    ANY_IN, /* the type of the first input whose type is known; all inputs have the
               same type */
    TO_BOOL,
    TO_FP32,
    TO_FP4,
    TO_FP8,
    TO_INT4,
    TO_INT64,
    TO_INT32,
    TO_STRING,
    TO_UINT8,
    BY_TO,          /* the attribute `to` */
    BY_DTYPE,       /* the attribute `dtype`, or FP32 if it is absent */
    BY_DTYPE_IN,    /* the attribute `dtype`, or the type of input 0 if it is absent */
    BY_DTYPE_INT32, /* the attribute `dtype`, or INT32 if it is absent */
    BY_OUTPUT,      /* the attribute `output_datatype`, or FP32 if it is absent */
    BY_ZERO,        /* QuantizeLinear */
    BY_ZERO_8,      /* the type of input 8, which is a zero point; FP32 if it is
                       omitted */
    BY_SCALE,       /* DequantizeLinear */
    BY_VALUE,       /* ConstantOfShape */
    BY_VALUES,      /* LabelEncoder: the type of the attribute that lists its outputs */
    BY_ITEM,        /* if input 0 is a sequence or an optional: the type of its
                       elements; if input 0 is a tensor: its type */
    BY_LABELS,      /* the first output of a classifier: the type of the attribute that
                       lists the classes */
    SCALE_ZERO,     /* DynamicQuantizeLinear's other outputs: a scale and its zero
                       point */
    BY_STASH        /* LayerNormalization's statistics: the attribute `stash_type` */
};

/* The operations with which a kernel may compute a matrix product that sums over two,
 * three or four elements. */
#define PRODUCTS                                                                       \
    "Mul Mul Add|Slice Slice Mul Mul Add|Mul Mul Mul Add Add|"                         \
    "Slice Slice Slice Mul Mul Mul Add Add|Mul Mul Mul Mul Add Add Add|"               \
    "Slice Slice Slice Slice Mul Mul Mul Mul Add Add Add"

/* The operations with which a kernel may compute a reduction of up to four elements,
 * slice by slice.  SUM_OF_5 and SUM_OF_6 are the operations for sums of five and six
 * elements. */
#define UP_TO_4(op)                                                                    \
    "Slice Slice " op "|Slice Slice " op " Slice " op "|"                              \
    "Slice Slice " op " Slice " op " Slice " op
#define SUM_OF_5 "Slice Slice Add Slice Add Slice Add Slice Add"
#define SUM_OF_6 SUM_OF_5 " Slice Add"

#define OP(name, ...)   {#name, __VA_ARGS__},
#define ALSO(name, ...) OP(name, __VA_ARGS__)
static const struct fsd_op ops[] = {
#include "model/ops/table.inc"
};
#undef OP
#undef ALSO

enum row {
#define OP(name, ...)   ROW_OF_##name,
#define ALSO(name, ...) OTHER_ROW_OF_##name,
#include "model/ops/table.inc"
#undef OP
#undef ALSO
    ROWS
};

/* The name and the first row of each enum fsd_op_id; the index is the id minus 1.  The
 * operations in FSD_OP_STEPS are no ONNX operators and have no row: `row` is ROWS. */
static const struct {
    const char *name;
    enum row row;
} ids[] = {
#define OP(name, ...) {#name, ROW_OF_##name},
#define ALSO(name, ...)
#define STEP(name, ...) {#name, ROWS},
#include "model/ops/table.inc"
    FSD_OP_STEPS(STEP)
#undef OP
#undef ALSO
#undef STEP
};

struct fsd_intern *fsd_op_names_new(struct fsd_arena *arena)
{
    struct fsd_intern *names = fsd_intern_new(arena);

    for (size_t i = 0; i < FSD_COUNT_OF(ids); i++)
        fsd_intern_bytes(names, ids[i].name, strlen(ids[i].name));
    return names;
}

const struct fsd_op *fsd_ops(uint32_t *n)
{
    *n = FSD_COUNT_OF(ops);
    return ops;
}

/* Returns the first row with this name; NULL if there is none.  The other rows with the
 * name follow it; see next_of(). */
static const struct fsd_op *first_of(const char *name)
{
    const struct fsd_op *op =
        bsearch(name, ops, FSD_COUNT_OF(ops), sizeof *ops, fsd_by_name);

    while (op && op > ops && !strcmp(op[-1].name, name))
        op--;
    return op;
}

static const struct fsd_op *next_of(const struct fsd_op *op)
{
    bool more = op + 1 < ops + FSD_COUNT_OF(ops) && !strcmp(op[1].name, op->name);

    return more ? op + 1 : NULL;
}

/* Returns the first row of an id; NULL if there is none. */
static const struct fsd_op *row_of(fsd_sym id)
{
    return id && id < FSD_ONNX__COUNT && ids[id - 1].row < ROWS ? &ops[ids[id - 1].row]
                                                                : NULL;
}

/* Returns the row for a domain, beginning the search at the row `op`; NULL if there is
 * none. */
static const struct fsd_op *row_in(const struct fsd_op *op, unsigned domain)
{
    while (op && !(domain & (op->domains ? op->domains : FSD_DOMAIN_ONNX)))
        op = next_of(op);
    return op;
}

const struct fsd_op *fsd_op_of(const struct fsd_graph *g, fsd_id node)
{
    static const struct {
        const char *name;
        enum fsd_domain domain;
    } domains[] = {{"com.microsoft", FSD_DOMAIN_MICROSOFT},
                   {"trt", FSD_DOMAIN_TRT},
                   {"ai.onnx.ml", FSD_DOMAIN_ML},
                   {"ai.onnx.preview.training", FSD_DOMAIN_TRAINING},
                   {"ai.onnx.preview", FSD_DOMAIN_PREVIEW}};
    const struct fsd_node *n = &g->nodes.at[node];
    const char *domain = fsd_text(g->names, n->domain);
    unsigned in = fsd_is_onnx_domain(domain) ? FSD_DOMAIN_ONNX : 0;

    for (size_t i = 0; i < FSD_COUNT_OF(domains) && !in; i++)
        in = strcmp(domain, domains[i].name) ? 0 : domains[i].domain;
    return n->flags & FSD_NODE_CALL ? NULL : row_in(row_of(n->op), in);
}

static bool is_elementwise(const struct fsd_op *op)
{
    return op->shape == fsd_shape_elementwise ||
           (op->shape == fsd_shape_same &&
            (op->traits & (FSD_OP_BARE | FSD_OP_ACTIVATION)) &&
            !(op->traits & FSD_OP_COPIES));
}

unsigned fsd_op_traits(const struct fsd_graph *g, fsd_id node)
{
    const struct fsd_op *op = fsd_op_of(g, node);

    if (!op)
        return 0;
    return op->traits | FSD_OP_STANDARD |
           (is_elementwise(op) ? FSD_OP_ELEMENTWISE : 0) |
           (op->traits & (FSD_OP_CONTROL | FSD_OP_LISTS) ? 0 : FSD_OP_SHAPED);
}

bool fsd_step_is_epilogue(fsd_sym step)
{
    const struct fsd_op *op = row_of(step);

    return step == FSD_ONNX_NotEqual || step == FSD_ONNX_BatchNormalization ||
           step == FSD_ONNX_Resize || fsd_step_moves(step) ||
           (op && is_elementwise(op));
}

unsigned fsd_step_traits(fsd_sym step)
{
    const struct fsd_op *op = row_of(step);

    return op ? op->traits : 0;
}

bool fsd_step_moves(fsd_sym step)
{
    const struct fsd_op *op = row_of(step);

    return step == FSD_ONNX_Move ||
           (op && op->traits & (FSD_OP_VIEW | FSD_OP_CASTS | FSD_OP_COPIES));
}

const char *fsd_op_lowerings(const char *name)
{
    for (const struct fsd_op *op = first_of(name); op; op = next_of(op))
        if (op->lowerings)
            return op->lowerings;
    return "";
}

const char *fsd_op_known_as(const char *name)
{
    for (const struct fsd_op *op = first_of(name); op; op = next_of(op))
        if (op->known_as)
            return op->known_as;
    return NULL;
}

static bool has_trait(const char *name, unsigned trait)
{
    const struct fsd_op *op = row_in(first_of(name), FSD_DOMAIN_ONNX);

    return op && op->traits & trait;
}

bool fsd_op_is_qdq(const char *name)
{
    return has_trait(name, FSD_OP_QDQ);
}

bool fsd_op_is_symmetric(const char *name)
{
    return has_trait(name, FSD_OP_SYMMETRIC);
}

bool fsd_op_is_sensitive(const char *name)
{
    return has_trait(name, FSD_OP_SENSITIVE);
}

bool fsd_ops_cast(const char *operations)
{
    bool casts = false;

    for (size_t n; *operations && !casts; operations += n + (operations[n] == '+')) {
        char name[64]; /* longer than the name of any operator */

        n = strcspn(operations, "+");
        snprintf(name, sizeof name, "%.*s", (int)n, operations);
        casts = has_trait(name, FSD_OP_CASTS);
    }
    return casts;
}

uint32_t fsd_op_shape_inputs(const struct fsd_graph *g, fsd_id node)
{
    const struct fsd_op *op = fsd_op_of(g, node);

    return op ? op->shape_operands : 0;
}

bool fsd_op_keeps_shape(const struct fsd_graph *g, fsd_id node)
{
    const struct fsd_op *op = fsd_op_of(g, node);

    return op &&
           (op->shape == fsd_shape_same || op->shape == fsd_shape_quantized ||
            op->shape == fsd_shape_normalized || op->shape == fsd_shape_statistics);
}

bool fsd_op_keeps_items(const struct fsd_graph *g, fsd_id node)
{
    const struct fsd_op *op = fsd_op_of(g, node);

    return op && op->items == fsd_items_same;
}

/* ------------------------------------------------------------------------ types */

static enum fsd_dtype input_type(const struct fsd_graph *g, fsd_id node, uint32_t i)
{
    return fsd_tensor_form(g, fsd_node_in_tensor(g, node, i))->type;
}

static enum fsd_dtype type_attr(const struct fsd_graph *g, fsd_id node,
                                const char *name, enum fsd_dtype otherwise)
{
    const struct fsd_attr *attr = fsd_node_attr(g, &g->nodes.at[node], name);

    return attr && attr->kind == FSD_ATTR_INT && attr->i ? fsd_dtype_numbered(attr->i)
                                                         : otherwise;
}

/* Returns the type of a zero point (input i); `otherwise` if the input is omitted;
 * FSD_DTYPE_UNKNOWN if its type is unknown. */
static enum fsd_dtype zero_type(const struct fsd_graph *g, fsd_id node, uint32_t i,
                                enum fsd_dtype otherwise)
{
    return !fsd_node_has_in(g, node, i) ? otherwise : input_type(g, node, i);
}

/* Returns the type of a LabelEncoder's output: the type of the list of outputs; FP32 if
 * the node has no list. */
static enum fsd_dtype values_type(const struct fsd_graph *g,
                                  const struct fsd_node *node)
{
    const struct fsd_attr *tensor = fsd_node_attr(g, node, "values_tensor");

    if (tensor && tensor->form != FSD_NONE)
        return g->forms.at[tensor->form].type;
    if (fsd_node_attr(g, node, "values_int64s"))
        return FSD_INT64;
    return fsd_node_attr(g, node, "values_strings") ? FSD_STRING : FSD_FP32;
}

static enum fsd_dtype item_type(const struct fsd_graph *g, fsd_id tensor)
{
    const struct fsd_tensor *t = fsd_graph_tensor(g, tensor);

    return fsd_graph_form(g, fsd_id_or(t->item, t->form))->type;
}

enum fsd_dtype fsd_op_type(const struct fsd_graph *g, fsd_id node, uint32_t i)
{
    static const enum fsd_dtype fixed[] = {FSD_BOOL,  FSD_FP32,   FSD_FP4,
                                           FSD_FP8,   FSD_INT4,   FSD_INT64,
                                           FSD_INT32, FSD_STRING, FSD_UINT8};
    const struct fsd_op *op = fsd_op_of(g, node);
    unsigned type = !op ? NOTHING : i ? op->types : op->type;
    enum fsd_dtype found = FSD_DTYPE_UNKNOWN;
    const struct fsd_attr *value;

    if (type >= IN0 && type <= IN7)
        return input_type(g, node, type - IN0);
    if (type >= TO_BOOL && type <= TO_UINT8)
        return fixed[type - TO_BOOL];
    switch (type) {
    case ANY_IN:
        for (uint32_t k = 0; !found && k < g->nodes.at[node].in.n; k++)
            found = input_type(g, node, k);
        return found;
    case BY_TO:
        return type_attr(g, node, "to", FSD_DTYPE_UNKNOWN);
    case BY_DTYPE:
        return type_attr(g, node, "dtype", FSD_FP32);
    case BY_DTYPE_IN:
        return type_attr(g, node, "dtype", input_type(g, node, 0));
    case BY_DTYPE_INT32:
        return type_attr(g, node, "dtype", FSD_INT32);
    case BY_OUTPUT:
        return type_attr(g, node, "output_datatype", FSD_FP32);
    case BY_ZERO:
        return zero_type(g, node, 2, type_attr(g, node, "output_dtype", FSD_UINT8));
    case BY_ZERO_8:
        return zero_type(g, node, 8, FSD_FP32);
    case BY_SCALE:
        return type_attr(g, node, "output_dtype", input_type(g, node, 1));
    case BY_VALUES:
        return values_type(g, &g->nodes.at[node]);
    case BY_ITEM:
        return item_type(g, fsd_node_in_tensor(g, node, 0));
    case BY_LABELS:
        return fsd_node_attr(g, &g->nodes.at[node], "classlabels_strings") ? FSD_STRING
                                                                           : FSD_INT64;
    case SCALE_ZERO:
        return i == 1 ? FSD_FP32 : FSD_UINT8;
    case BY_STASH:
        return type_attr(g, node, "stash_type", FSD_FP32);
    case BY_VALUE:
        value = fsd_node_attr(g, &g->nodes.at[node], "value");
        if (!value)
            return FSD_FP32;
        return value->form == FSD_NONE ? found : g->forms.at[value->form].type;
    default:
        return found;
    }
}
