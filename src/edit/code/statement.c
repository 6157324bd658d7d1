/* Writes the right side of a node's statement, using the table of operators. */
#include "base/base.h"
#include "edit/code/code.h"
#include "model/graph/graph.h"

#include <math.h>
#include <stdlib.h>

struct row {
    const char *op;
    const char *stem; /* NULL: the operator's name */
    uint32_t literal;
    const char *tensorrt, *torch;
};

#define ROW(op, stem, literal, tensorrt, torch) {#op, stem, literal, tensorrt, torch},
static const struct row rows[] = {
#include "edit/code/table.inc"
};
#undef ROW

static const struct row *row_of(const struct fsd_code *c, fsd_id node)
{
    const struct fsd_node *it = &c->g->nodes.at[node];
    const char *op = fsd_text(c->g->names, it->op);

    if (it->flags & FSD_NODE_CALL ||
        !fsd_is_onnx_domain(fsd_text(c->g->names, it->domain)))
        return NULL;
    /* In opset 10, a Resize reads and computes what an Upsample does. */
    if (fsd_node_is(c->g, node, FSD_ONNX_Resize) && it->in.n < 3)
        op = "Upsample";
    return bsearch(op, rows, sizeof rows / sizeof *rows, sizeof *rows, fsd_by_name);
}

const char *fsd_code_stem(const struct fsd_code *c, fsd_id node)
{
    const struct row *row = row_of(c, node);

    return row && row->stem ? row->stem
                            : fsd_text(c->g->names, c->g->nodes.at[node].op);
}

bool fsd_code_makes_all(const struct fsd_code *c, fsd_id node)
{
    const struct row *row = row_of(c, node);

    return !row || fsd_node_is(c->g, node, FSD_ONNX_Split) ||
           fsd_node_is(c->g, node, FSD_ONNX_TopK) ||
           fsd_traits_of(c->d->facts, node) & FSD_OP_RECURRENT;
}

uint32_t fsd_code_literal_inputs(const struct fsd_code *c, fsd_id node)
{
    const struct row *row = row_of(c, node);

    return row ? row->literal : 0;
}

const char *fsd_code_node_name(const struct fsd_code *c, fsd_id node)
{
    fsd_sym name = c->g->nodes.at[node].name;
    fsd_id made = fsd_node_out_tensor(c->g, node, 0);

    if (name)
        return fsd_text(c->g->names, name);
    return fsd_printed(c->arena, "node_of_%s",
                       fsd_text(c->g->names, fsd_graph_tensor(c->g, made)->name));
}

/* ------------------------------------------------------------------------ numbers */

bool fsd_code_ints(const struct fsd_code *c, fsd_id tensor, int64_t *out, uint32_t *n)
{
    const struct fsd_ints *ints = fsd_sizes_ints(c->sizes, tensor);

    if (!ints)
        return false;
    for (*n = 0; *n < ints->n; ++*n)
        if (!fsd_amount_number(c->sizes->amounts, ints->at[*n], &out[*n]))
            return false;
    return fsd_shape_of(c->sizes, tensor)->ranked;
}

static bool number_of(const struct fsd_code *c, fsd_id tensor, double *out)
{
    fsd_id weight = fsd_code_weight(c, tensor);
    const struct fsd_form *form;

    if (!fsd_tensor_value(c->g, weight))
        return false;
    form = fsd_tensor_form(c->g, weight);
    return fsd_form_count(c->g, form) == 1 &&
           fsd_element_number(fsd_tensor_value(c->g, weight), form->type, 0, out) &&
           isfinite(*out);
}

void fsd_code_number(double number, struct fsd_code_words *w)
{
    char text[40];

    if (!isfinite(number)) {
        fsd_words_printf(w, "float(\"%g\")", number);
        return;
    }
    snprintf(text, sizeof text, "%.7g", number);
    if (strtof(text, NULL) != (float)number)
        snprintf(text, sizeof text, "%.9g", number);
    fsd_words_put(w, text);
    if (!strpbrk(text, ".en"))
        fsd_words_put(w, ".0");
}

/* Writes known integers: a scalar as a number, other integers as a tuple. */
static bool put_ints(const struct fsd_code *c, fsd_id tensor, struct fsd_code_words *w)
{
    int64_t ints[FSD_INTS];
    uint32_t n;

    if (!fsd_code_ints(c, tensor, ints, &n))
        return false;
    if (fsd_shape_of(c->sizes, tensor)->rank == 0 && n == 1)
        fsd_words_printf(w, "%lld", (long long)ints[0]);
    else if (fsd_shape_of(c->sizes, tensor)->rank == 1)
        fsd_code_tuple(ints, n, w);
    else
        return false;
    return true;
}

/* ----------------------------------------------------------------------- operands */

fsd_id fsd_code_weight(const struct fsd_code *c, fsd_id tensor)
{
    fsd_id from = fsd_op_copied(c->g, tensor), producer;

    if (from == FSD_NONE || c->g->tensors.at[from].scope)
        return FSD_NONE;
    producer = fsd_tensor_producer(c->g, from);
    if (c->g->tensors.at[from].flags & FSD_TENSOR_CONSTANT)
        return from;
    return fsd_traits_of(c->d->facts, producer) & FSD_OP_CONSTANT ? from : FSD_NONE;
}

void fsd_code_operand(struct fsd_code *c, fsd_id node, uint32_t input,
                      struct fsd_code_words *w)
{
    fsd_id tensor = fsd_node_in_tensor(c->g, node, input);
    fsd_id weight = fsd_code_weight(c, tensor);
    fsd_sym variable;
    double number;

    if (tensor == FSD_NONE) {
        fsd_words_put(w, "None");
        return;
    }
    variable = weight == FSD_NONE ? fsd_code_variable_of(c->names, tensor) : 0;
    if (variable) {
        fsd_words_put(w, fsd_text(c->words, variable));
    } else if (weight == FSD_NONE) {
        fsd_words_put(w, fsd_code_parameter(c, tensor));
    } else if (c->torch && number_of(c, weight, &number)) {
        if (number == floor(number) &&
            fsd_dtype_rank(fsd_tensor_form(c->g, weight)->type) < 3)
            fsd_words_printf(w, "%.0f", number);
        else
            fsd_code_number(number, w);
    } else {
        fsd_words_put(w, c->torch ? "w[" : "weight(");
        fsd_words_slot(w, FSD_SLOT_STRING,
                       fsd_text(c->g->names, c->g->tensors.at[weight].name));
        fsd_words_put(w, c->torch ? "]" : ")");
    }
}

static void put_operands(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    for (uint32_t i = 0; i < c->g->nodes.at[node].in.n; i++) {
        if (i)
            fsd_words_put(w, ", ");
        fsd_code_operand(c, node, i, w);
    }
}

/* Writes all operands, lifted to the highest rank. If a rank is unknown, writes a call
 * of same_rank(), which lifts the operands when the program runs. */
static void put_aligned(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    uint32_t n = c->g->nodes.at[node].in.n, most = 0;
    bool known = true;

    for (uint32_t i = 0; i < n; i++) {
        const struct fsd_shape *shape =
            fsd_shape_of(c->sizes, fsd_node_in_tensor(c->g, node, i));

        known &= shape->ranked;
        most = shape->rank > most ? shape->rank : most;
    }
    if (!known) {
        fsd_words_put(w, "*same_rank(");
        put_operands(c, node, w);
        fsd_words_put(w, ")");
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        bool lower =
            fsd_shape_of(c->sizes, fsd_node_in_tensor(c->g, node, i))->rank < most;

        fsd_words_put(w, i ? ", " : "");
        fsd_words_put(w, lower ? "lift(" : "");
        fsd_code_operand(c, node, i, w);
        if (lower)
            fsd_words_printf(w, ", %u)", most);
    }
}

/* --------------------------------------------------------------------- attributes */

static void put_attr(const struct fsd_code *c, const struct fsd_attr *attr,
                     struct fsd_code_words *w)
{
    switch (attr->kind) {
    case FSD_ATTR_INT:
        fsd_words_printf(w, "%lld", (long long)attr->i);
        break;
    case FSD_ATTR_FLOAT:
        fsd_code_number(attr->f, w);
        break;
    case FSD_ATTR_STRING:
        fsd_words_slot(w, FSD_SLOT_STRING, fsd_text(c->g->names, attr->s));
        break;
    case FSD_ATTR_INTS:
        fsd_code_tuple(&c->g->ints.at[attr->list.at], attr->list.n, w);
        break;
    case FSD_ATTR_FLOATS:
        fsd_words_put(w, "(");
        for (uint32_t i = 0; i < attr->list.n; i++) {
            fsd_words_put(w, i ? ", " : "");
            fsd_code_number(c->g->floats.at[attr->list.at + i], w);
        }
        fsd_words_put(w, attr->list.n == 1 ? ",)" : ")");
        break;
    case FSD_ATTR_UNREAD:
    case FSD_ATTR_STRINGS:
    case FSD_ATTR_TENSOR:
    case FSD_ATTR_GRAPH:
        fsd_words_put(w, "...");
        break;
    }
}

/* Writes an attribute such as "axis=1". If the node does not have the attribute, writes
 * the value after '=' in `word`. */
static void put_named_attr(const struct fsd_code *c, fsd_id node, const char *word,
                           struct fsd_code_words *w)
{
    const char *sign = strchr(word, '=');
    const char *name =
        fsd_arena_strndup(c->arena, word, sign ? (size_t)(sign - word) : strlen(word));
    const struct fsd_attr *attr = fsd_node_attr(c->g, &c->g->nodes.at[node], name);

    if (attr)
        put_attr(c, attr, w);
    else
        fsd_words_put(w, sign ? sign + 1 : "None");
}

/* Evaluates a condition of a template. "2": the node has input 2; "axis": the node has
 * the attribute; "axis#1": the node has the attribute with a value other than 1. */
static bool holds(const struct fsd_code *c, fsd_id node, const char *word)
{
    const char *sign = strchr(word, '#');
    const struct fsd_attr *attr;

    if (fsd_is_digit(*word))
        return fsd_node_has_in(c->g, node, (uint32_t)(*word - '0'));
    attr = fsd_node_attr(
        c->g, &c->g->nodes.at[node],
        fsd_arena_strndup(c->arena, word, sign ? (size_t)(sign - word) : strlen(word)));
    return attr &&
           !(sign && (attr->kind == FSD_ATTR_FLOAT ? attr->f : (double)attr->i) ==
                         strtod(sign + 1, NULL));
}

/* ---------------------------------------------------------------------- templates */

/* Returns the text before the next `end`, and moves *at behind this `end`. */
static const char *word_before(struct fsd_arena *arena, const char **at, char end)
{
    const char *stop = strchr(*at, end);
    const char *word = fsd_arena_strndup(arena, *at, (size_t)(stop - *at));

    *at = stop + 1;
    return word;
}

static void put_type(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    fsd_id made = fsd_node_out_tensor(c->g, node, 0);
    enum fsd_dtype type = fsd_tensor_form(c->g, made)->type;

    if (c->torch)
        fsd_words_printf(w, "torch.%s", fsd_dtype_name(type));
    else if (fsd_code_type(type))
        fsd_words_put(w, fsd_code_type(type));
    else
        c->why = fsd_printed(c->arena, "TensorRT has no type %s", fsd_dtype_name(type));
}

/* Writes the numbers of a vector that the model stores as a tuple. Writes nothing and
 * returns false for other tensors. */
static bool put_vector(const struct fsd_code *c, fsd_id tensor,
                       struct fsd_code_words *w)
{
    fsd_id weight = fsd_code_weight(c, tensor);
    const struct fsd_value *value = fsd_tensor_value(c->g, weight);
    const struct fsd_form *form = fsd_tensor_form(c->g, weight);
    double number;
    uint64_t n;

    if (!value || !value->bytes || form->dims.n != 1 ||
        !fsd_element_number(value, form->type, 0, &number))
        return false;
    fsd_words_put(w, "(");
    for (n = 0; fsd_element_number(value, form->type, n, &number); n++) {
        fsd_words_put(w, n ? ", " : "");
        fsd_code_number(number, w);
    }
    fsd_words_put(w, n == 1 ? ",)" : ")");
    return true;
}

static void put_operand(struct fsd_code *c, fsd_id node, char how, char which,
                        struct fsd_code_words *w)
{
    fsd_id tensor;
    double number;

    if (which == '*') {
        how == '^' ? put_aligned(c, node, w) : put_operands(c, node, w);
        return;
    }
    tensor = fsd_node_in_tensor(c->g, node, (uint32_t)(which - '0'));
    if (how == '~' && number_of(c, tensor, &number))
        fsd_code_number(number, w);
    else if (!(how == '%' && put_ints(c, tensor, w)) &&
             !(how == '#' && put_vector(c, tensor, w)))
        fsd_code_operand(c, node, (uint32_t)(which - '0'), w);
}

void fsd_code_template(struct fsd_code *c, fsd_id node, const char *text,
                       struct fsd_code_words *w)
{
    const char *at = text;
    bool inside = false; /* the text is within braces */

    while (*at) {
        char sign = *at++;

        if (sign == '{') {
            inside = true;
            if (!holds(c, node, word_before(c->arena, &at, ':'))) {
                at += strcspn(at, "|}") + 1;
                inside = at[-1] == '|';
            }
        } else if (inside && strchr("|}", sign)) {
            at = sign == '|' ? strchr(at, '}') + 1 : at;
            inside = false;
        } else if (sign == '!') {
            put_named_attr(c, node, word_before(c->arena, &at, '!'), w);
        } else if (sign == '@') {
            fsd_words_slot(w, FSD_SLOT_STRING, fsd_code_node_name(c, node));
        } else if (sign == '&') {
            put_type(c, node, w);
        } else if (strchr("$%~#^", sign)) {
            put_operand(c, node, sign, *at++, w);
        } else {
            fsd_words_put(w, (const char[]){sign == '`' ? *at++ : sign, '\0'});
        }
    }
}

/* ---------------------------------------------------------------------- statements */

/* The name as an identifier; unchanged if the name is an identifier already. */
static const char *word_of(const struct fsd_code *c, fsd_sym name)
{
    const char *text = fsd_text(c->g->names, name), *at = text;
    const char *word = fsd_code_identifier(c->arena, text);

    while (fsd_is_word(*at))
        at++;
    return *at || !*text || fsd_is_digit(*text) || word[strlen(word) - 1] == '_' ? word
                                                                                 : text;
}

/* Writes an operator that has no row in table.inc: as a call with all its operands and
 * attributes. */
static void put_unknown(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    const struct fsd_node *it = &c->g->nodes.at[node];

    fsd_words_printf(w, "onnx.%s(", word_of(c, it->op));
    put_operands(c, node, w);
    for (uint32_t i = 0; i < it->attrs.n; i++) {
        const struct fsd_attr *attr = &c->g->attrs.at[it->attrs.at + i];

        fsd_words_printf(
            w, "%s%s=", i || it->in.n ? ", " : "",
            fsd_code_identifier(c->arena, fsd_text(c->g->names, attr->name)));
        put_attr(c, attr, w);
    }
    fsd_words_put(w, ")");
}

/* Whether another statement reads, or the program returns, an output of the node that
 * the right side of its statement does not return. */
static bool is_more_needed(const struct fsd_code *c, fsd_id node)
{
    struct fsd_span out = c->g->nodes.at[node].out;

    if (fsd_code_makes_all(c, node))
        return false;
    for (uint32_t i = 1; i < out.n; i++) {
        fsd_id tensor = fsd_node_out_tensor(c->g, node, i);
        struct fsd_span readers = fsd_tensor_consumers(c->g, tensor);

        if (tensor != FSD_NONE && fsd_ids_have(c->outputs.at, c->outputs.n, tensor))
            return true;
        FSD_EACH_ID (reader, c->g->links, readers)
            if (c->stated[reader])
                return true;
    }
    return false;
}

void fsd_code_statement(struct fsd_code *c, fsd_id node, struct fsd_code_words *w)
{
    const struct row *row = row_of(c, node);
    const struct fsd_node *it = &c->g->nodes.at[node];

    c->why = NULL;
    if (c->torch) {
        row ? fsd_code_template(c, node, row->torch, w) : put_unknown(c, node, w);
        return;
    }
    if (!row)
        c->why = it->flags & FSD_NODE_CALL ? "the node calls a function of the model"
                 : fsd_traits_of(c->d->facts, node) & FSD_OP_CONTROL
                     ? "control flow is not supported"
                     : "fusiondiff knows no TensorRT layer for this operator";
    else if (*row->tensorrt == '=')
        fsd_code_by_name(row->tensorrt + 1)(c, node, w);
    else
        fsd_code_template(c, node, row->tensorrt, w);
    if (!c->why && is_more_needed(c, node))
        c->why = "the program computes only the first output of this operator";
}
