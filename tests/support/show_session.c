/* Writes a drawn model as the ONNX file that a session of ONNX Runtime writes, reads
 * this file as an engine, and prints the engine as text. */
#include "build_graph.h"
#include "onnx_bytes.h"
#include "show.h"
#include "model/graph/graph.h"
#include "model/ops/ids.h"
#include "read/ort/ort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* --------------------------------------------------------------------------- write */

/* Field numbers of onnx.proto. */
enum {
    MODEL_IR = 1,
    MODEL_GRAPH = 7,
    MODEL_OPSET = 8,
    OPSET_DOMAIN = 1,
    OPSET_VERSION = 2,
    GRAPH_NODE = 1,
    GRAPH_NAME = 2,
    GRAPH_CONSTANT = 5,
    GRAPH_INPUT = 11,
    GRAPH_OUTPUT = 12,
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_NAME = 3,
    NODE_OP = 4,
    NODE_ATTRIBUTE = 5,
    NODE_DOMAIN = 7,
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_INT = 3,
    ATTRIBUTE_TEXT = 4,
    ATTRIBUTE_GRAPH = 6,
    ATTRIBUTE_INTS = 8,
    ATTRIBUTE_TYPE = 20,
    TENSOR_DIM = 1,
    TENSOR_TYPE = 2,
    TENSOR_NAME = 8,
    TENSOR_BYTES = 9
};

static const char *name_of(const struct fsd_graph *g, fsd_id tensor)
{
    return tensor == FSD_NONE ? "" : fsd_text(g->names, g->tensors.at[tensor].name);
}

/* A ValueInfoProto: its type is TypeProto.Tensor.elem_type. */
static void put_value(const struct fsd_graph *g, fsd_id tensor, unsigned field,
                      struct bytes *to)
{
    const struct fsd_form *form = fsd_tensor_form(g, tensor);
    struct bytes value = {.arena = to->arena}, type = value, of = value;

    put_text(&value, 1, name_of(g, tensor));
    put_number(&of, 1, (uint64_t)fsd_dtype_onnx(form->type));
    put_part(&type, 1, &of);
    put_part(&value, 2, &type);
    put_part(to, field, &value);
}

static void put_constant(const struct fsd_graph *g, fsd_id tensor, struct bytes *to)
{
    const struct fsd_form *form = fsd_tensor_form(g, tensor);
    uint64_t n = 1;
    struct bytes m = {.arena = to->arena};
    void *ones;

    for (uint32_t i = 0; i < form->dims.n; i++) {
        uint64_t size = (uint64_t)g->dims.at[form->dims.at + i].size;

        put_number(&m, TENSOR_DIM, size);
        n *= size;
    }
    put_number(&m, TENSOR_TYPE, (uint64_t)fsd_dtype_onnx(form->type));
    put_text(&m, TENSOR_NAME, name_of(g, tensor));
    n *= fsd_dtype_bits(form->type) / 8;
    ones = memset(FSD_NEW(to->arena, char, n), 1, n);
    put_block(&m, TENSOR_BYTES, ones, n);
    put_part(to, GRAPH_CONSTANT, &m);
}

static void put_graph(const struct fsd_graph *g, fsd_id scope, struct bytes *to,
                      unsigned field);

static void put_attributes(const struct fsd_graph *g, const struct fsd_node *n,
                           struct bytes *to)
{
    enum { INT = 2, TEXT = 3, GRAPH = 5, INTS = 7 }; /* AttributeProto.AttributeType */

    for (uint32_t i = 0; i < n->attrs.n; i++) {
        const struct fsd_attr *attr = &g->attrs.at[n->attrs.at + i];
        struct bytes m = {.arena = to->arena};

        put_text(&m, ATTRIBUTE_NAME, fsd_text(g->names, attr->name));
        if (attr->kind == FSD_ATTR_INT) {
            put_number(&m, ATTRIBUTE_INT, (uint64_t)attr->i);
            put_number(&m, ATTRIBUTE_TYPE, INT);
        } else if (attr->kind == FSD_ATTR_STRING) {
            put_text(&m, ATTRIBUTE_TEXT, fsd_text(g->names, attr->s));
            put_number(&m, ATTRIBUTE_TYPE, TEXT);
        } else if (attr->kind == FSD_ATTR_INTS) {
            for (uint32_t k = 0; k < attr->list.n; k++)
                put_number(&m, ATTRIBUTE_INTS, (uint64_t)g->ints.at[attr->list.at + k]);
            put_number(&m, ATTRIBUTE_TYPE, INTS);
        } else {
            fail_msg("no attribute %s", fsd_text(g->names, attr->name));
        }
        put_part(to, NODE_ATTRIBUTE, &m);
    }
    for (fsd_id s = 1; s < g->scopes.n; s++) {
        struct bytes m = {.arena = to->arena};

        if (&g->nodes.at[g->scopes.at[s].owner] != n)
            continue;
        put_text(&m, ATTRIBUTE_NAME, "body");
        put_graph(g, s, &m, ATTRIBUTE_GRAPH);
        put_number(&m, ATTRIBUTE_TYPE, GRAPH);
        put_part(to, NODE_ATTRIBUTE, &m);
    }
}

static void put_node(const struct fsd_graph *g, const struct fsd_node *n,
                     struct bytes *to)
{
    struct bytes m = {.arena = to->arena};

    for (uint32_t i = 0; i < n->in.n; i++)
        put_text(&m, NODE_INPUT, name_of(g, fsd_node_in(g, n, i)->tensor));
    for (uint32_t i = 0; i < n->out.n; i++)
        put_text(&m, NODE_OUTPUT, name_of(g, fsd_node_out(g, n, i)->tensor));
    put_text(&m, NODE_NAME, fsd_text(g->names, n->name));
    put_text(&m, NODE_OP, fsd_text(g->names, n->op));
    put_text(&m, NODE_DOMAIN, fsd_text(g->names, n->domain));
    put_attributes(g, n, &m);
    put_part(to, GRAPH_NODE, &m);
}

static void put_graph(const struct fsd_graph *g, fsd_id scope, struct bytes *to,
                      unsigned field)
{
    struct bytes m = {.arena = to->arena};

    for (fsd_id i = 0; i < g->nodes.n; i++)
        if (g->nodes.at[i].scope == scope)
            put_node(g, &g->nodes.at[i], &m);
    put_text(&m, GRAPH_NAME, "g");
    for (fsd_id i = 0; i < g->tensors.n; i++) {
        uint8_t flags = g->tensors.at[i].flags;

        if (g->tensors.at[i].scope != scope)
            continue;
        if (flags & FSD_TENSOR_CONSTANT)
            put_constant(g, i, &m);
        if (flags & FSD_TENSOR_INPUT)
            put_value(g, i, GRAPH_INPUT, &m);
        if (flags & FSD_TENSOR_OUTPUT)
            put_value(g, i, GRAPH_OUTPUT, &m);
    }
    put_part(to, field, &m);
}

static struct bytes write_model(const struct fsd_graph *g)
{
    struct bytes m = {.arena = g->arena};

    put_number(&m, MODEL_IR, 8);
    for (uint32_t i = 0; i < g->opsets.n; i++) {
        struct bytes opset = {.arena = g->arena};

        put_text(&opset, OPSET_DOMAIN, fsd_text(g->names, g->opsets.at[i].domain));
        put_number(&opset, OPSET_VERSION, (uint64_t)g->opsets.at[i].version);
        put_part(&m, MODEL_OPSET, &opset);
    }
    put_graph(g, 0, &m, MODEL_GRAPH);
    return m;
}

/* ---------------------------------------------------------------------------- show */

/* "conv", "helper:Gelu_token_1", "log:conv>3": the text, and the number of the node if
 * the node has another name. */
static void show_mention(const struct fsd_graph *g, const struct fsd_mention *m,
                         const struct fsd_graph *model, FILE *out)
{
    static const char *const roles[] = {[FSD_MENTION_COMPUTES] = "",
                                        [FSD_MENTION_HELPER] = "helper:",
                                        [FSD_MENTION_UNKNOWN] = "unknown:"};

    assert_true(m->role < FSD_COUNT_OF(roles) && roles[m->role]);
    fprintf(out, " %s%s%s", m->by == FSD_BY_LOG ? "log:" : "", roles[m->role],
            fsd_text(g->names, m->text));
    if (m->node != FSD_NONE && (!m->text || model->nodes.at[m->node].name != m->text))
        fprintf(out, ">%u", m->node);
    if (m->among > 1)
        fprintf(out, "/%u", m->among);
}

/* " x:fp32/blocks=y": the tensor, its type, its memory order and its alias. */
static void show_ports(const struct fsd_graph *g, struct fsd_span ports, FILE *out)
{
    static const char *const orders[] = {"/unknown", "", "/last", "/blocks"};

    FSD_EACH_OF (id, g->ports, ports, tensor) {
        const struct fsd_form *form = fsd_tensor_form(g, id);

        fprintf(out, " %s:%s%s", name_of(g, id), fsd_dtype_name(form->type),
                orders[form->layout.order]);
        if (g->tensors.at[id].alias)
            fprintf(out, "=%s", fsd_text(g->names, g->tensors.at[id].alias));
    }
}

/* "compute Conv conv multiplies | conv relu | x:fp32 w:fp32 -> y:fp32": the kind, the
 * operator, the facts, the mentions, the inputs, the constants and the outputs. */
static void show_layer(const struct fsd_graph *g, fsd_id id,
                       const struct fsd_graph *model, FILE *out)
{
    const struct fsd_layer *l = &g->layers.at[id];
    const struct fsd_node *n = &g->nodes.at[id];
    const struct {
        const char *word;
        bool is;
    } flags[] = {{"forwards", l->forwards},
                 {"multiplies", l->multiplies},
                 {"alone", l->alone},
                 {"sealed", l->sealed},
                 {"compiled", l->provider == FSD_PROVIDER_COMPILER},
                 {"of a profile", l->profile >= 0}};

    fprintf(out, "%s %s", fsd_kind_name(l->kind), fsd_text(g->names, n->op));
    for (size_t i = 0; i < FSD_COUNT_OF(flags); i++)
        if (flags[i].is)
            fprintf(out, " %s", flags[i].word);
    if (l->ran_by)
        fprintf(out, " by %s", fsd_text(g->names, l->ran_by));
    if (l->weights_type)
        fprintf(out, " weights %s", fsd_dtype_name(l->weights_type));
    fputs(" |", out);
    for (uint32_t i = 0; i < l->mentions.n; i++)
        show_mention(g, &g->mentions.at[l->mentions.at + i], model, out);
    fputs(" |", out);
    show_ports(g, n->in, out);
    if (l->constants.n)
        fputs(" +", out);
    show_ports(g, l->constants, out);
    fputs(" ->", out);
    show_ports(g, n->out, out);
    putc('\n', out);
}

void show_session(const char *model, const char *session, const char *list, FILE *out)
{
    struct fsd_arena *arena = fsd_arena_new(), *drawn = fsd_arena_new();
    struct fsd_intern *names = fsd_op_names_new(arena);
    struct bytes bytes =
        write_model(build_model(drawn, fsd_op_names_new(drawn), session));
    const struct fsd_graph *m = model ? build_model(arena, names, model) : NULL;
    struct fsd_history *h = fsd_history_new(arena, names);
    struct fsd_graph *g = fsd_graph_new(arena, names);
    struct fsd_file file = file_of(&bytes);
    struct fsd_source source = {.file = &file,
                                .vocab = m ? fsd_vocab_new(arena, m) : NULL,
                                .beside = list ? h : NULL};
    struct fsd_error err = {0};

    if (list) {
        struct fsd_file text = {.name = "list.json",
                                .bytes = (const unsigned char *)list,
                                .size = strlen(list)};

        fsd_ort_assignment_read(h, &text);
    }
    if (fsd_reader_ort.sniff(&file, FSD_INPUT_ENGINE) == FSD_CLAIM_NONE)
        fputs("not recognized\n", out);
    if (fsd_reader_ort.load(g, &source, &err) != FSD_OK)
        fail_msg("%s", err.message);
    fprintf(out, "%s", fsd_text(names, g->producer));
    if (g->in_bodies)
        fprintf(out, ", %u nodes in bodies", g->in_bodies);
    putc('\n', out);
    for (fsd_id i = 0; i < g->nodes.n; i++)
        show_layer(g, i, m, out);
    fsd_arena_free(drawn);
    fsd_arena_free(arena);
}
