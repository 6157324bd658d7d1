/*
 * The file becomes a list of pieces, each a range of its mapping or some new bytes; the
 * list is written when all of it is known.  A message that holds an edit is made of the
 * pieces of what it held, under a new tag and length; all around it is one range.  So
 * the work and the memory are those of the edits and of the nodes' headers, whatever
 * the weights are, and nothing is encoded anew that was not asked for.
 *
 * Nodes are found as the loader numbers them: by their place in the list of their
 * graph, and a node's bodies in the order of its attributes.  Each edit has to be met
 * once, or nothing is written.
 */
#include "onnx/write.h"
#include "base/hash.h"
#include "base/print.h"
#include "base/status.h"
#include "onnx/parts.h"
#include "onnx/wire.h"

#include <string.h>

/* Numbers of proto/onnx.proto. */
enum { MODEL_GRAPH = 7, MODEL_FUNCTION = 25, FUNCTION_NODE = 7 };
enum { GRAPH_NODE = 1, GRAPH_INITIALIZER = 5, GRAPH_SPARSE = 15 };
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_ATTRIBUTE = 5 };
enum { ATTRIBUTE_TENSOR = 5, ATTRIBUTE_TENSORS = 10, ATTRIBUTE_SPARSE = 22 };
enum { ATTRIBUTE_GRAPH = 6, ATTRIBUTE_GRAPHS = 11, ATTRIBUTE_SPARSES = 23 };
enum { SPARSE_VALUES = 1, SPARSE_INDICES = 2, TENSOR_EXTERNAL = 13, BLOCK = 2 };

typedef FSD_VEC(struct fsd_slice) slices;

struct pieces {
    slices list;
    uint64_t size;
};

/* New names of a node's inputs or outputs, by their places; {NULL, 0}: as it is. */
struct renamed {
    slices names;
    uint32_t n_set;
};

/* Of one node; the lists are empty for most. */
struct change {
    slices before, behind; /* NodeProtos to put there */
    struct renamed inputs, outputs;
    bool drop;
    uint32_t met; /* places in the file at which it was made */
};

struct fsd_onnx_edits {
    struct fsd_arena *arena;
    const struct fsd_graph *g;
    struct fsd_wire_walk walk; /* while it is written */
    uint32_t *change_of;       /* by node: in `changes`; FSD_NONE */
    bool *holds;               /* by scope: it, or a body in it, has an edit */
    fsd_id *first;             /* by scope: its first node */
    struct fsd_bodies bodies;
    FSD_VEC(struct change) changes;
    slices tensors; /* TensorProtos */
    FSD_VEC(const char *) names;
    uint32_t missing; /* inputs and outputs to be set that nodes do not have */
};

/* ------------------------------------------------------------------------- asking */

struct fsd_onnx_edits *fsd_onnx_edits_new(struct fsd_arena *arena,
                                          const struct fsd_graph *g)
{
    struct fsd_onnx_edits *e = FSD_NEW(arena, struct fsd_onnx_edits, 1);

    e->arena = arena;
    e->g = g;
    e->change_of = FSD_NEW(arena, uint32_t, g->nodes.n + 1);
    e->holds = FSD_NEW(arena, bool, g->scopes.n + 1);
    e->first = FSD_NEW(arena, fsd_id, g->scopes.n + 1);
    e->bodies = fsd_graph_bodies(arena, g);
    memset(e->first, 0xff, g->scopes.n * sizeof *e->first);
    for (fsd_id i = g->nodes.n; i-- > 0;) {
        e->change_of[i] = FSD_NONE;
        e->first[g->nodes.at[i].scope] = i;
    }
    return e;
}

bool fsd_onnx_can_edit(const struct fsd_graph *g, fsd_id node)
{
    fsd_id scope = g->nodes.at[node].scope;

    while (scope != FSD_NONE && g->scopes.at[scope].kind != FSD_SCOPE_FUNCTION)
        scope = g->scopes.at[scope].parent;
    return scope == FSD_NONE;
}

static struct change *change_of(struct fsd_onnx_edits *e, fsd_id node)
{
    if (e->change_of[node] == FSD_NONE) {
        e->change_of[node] = e->changes.n;
        fsd_vec_push(e->arena, &e->changes, (struct change){.drop = false});
        for (fsd_id s = e->g->nodes.at[node].scope; s != FSD_NONE;
             s = e->g->scopes.at[s].parent)
            e->holds[s] = true;
    }
    return &e->changes.at[e->change_of[node]];
}

static struct fsd_slice copy_name(struct fsd_arena *arena, const char *name)
{
    size_t n = strlen(name);

    return (struct fsd_slice){fsd_arena_strndup(arena, name, n), n};
}

static void set_name(struct fsd_arena *arena, struct renamed *of, uint32_t place,
                     const char *name)
{
    while (of->names.n <= place)
        fsd_vec_push(arena, &of->names, ((struct fsd_slice){NULL, 0}));
    of->n_set += !of->names.at[place].s;
    of->names.at[place] = copy_name(arena, name);
}

void fsd_onnx_set_input(struct fsd_onnx_edits *e, fsd_id node, uint32_t input,
                        const char *name)
{
    set_name(e->arena, &change_of(e, node)->inputs, input, name);
}

void fsd_onnx_set_output(struct fsd_onnx_edits *e, fsd_id node, uint32_t output,
                         const char *name)
{
    set_name(e->arena, &change_of(e, node)->outputs, output, name);
}

void fsd_onnx_drop_node(struct fsd_onnx_edits *e, fsd_id node)
{
    change_of(e, node)->drop = true;
}

/* protobuf-c wants what it packs to be its own. */
static char *own(struct fsd_onnx_edits *e, const char *text)
{
    return fsd_arena_strndup(e->arena, text, strlen(text));
}

static struct fsd_slice pack(struct fsd_arena *arena, const ProtobufCMessage *message)
{
    size_t n = protobuf_c_message_get_packed_size(message);
    unsigned char *bytes = FSD_NEW(arena, unsigned char, n + 1);

    protobuf_c_message_pack(message, bytes);
    return (struct fsd_slice){(const char *)bytes, n};
}

static struct fsd_slice pack_node(struct fsd_onnx_edits *e,
                                  const struct fsd_onnx_new_node *node)
{
    Onnx__NodeProto proto = ONNX__NODE_PROTO__INIT;
    Onnx__AttributeProto to = ONNX__ATTRIBUTE_PROTO__INIT, *attributes = &to;
    char *inputs[4], *output = own(e, node->output);

    for (; proto.n_input < 4 && node->inputs[proto.n_input]; proto.n_input++)
        inputs[proto.n_input] = own(e, node->inputs[proto.n_input]);
    proto.input = inputs;
    proto.output = &output;
    proto.n_output = 1;
    proto.name = own(e, node->name);
    proto.op_type = own(e, node->op);
    to.name = own(e, "to");
    to.has_type = to.has_i = true;
    to.type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
    to.i = node->to;
    proto.attribute = &attributes;
    proto.n_attribute = node->to != 0;
    return pack(e->arena, &proto.base);
}

void fsd_onnx_insert_node(struct fsd_onnx_edits *e, fsd_id before,
                          const struct fsd_onnx_new_node *node)
{
    fsd_vec_push(e->arena, &change_of(e, before)->before, pack_node(e, node));
}

void fsd_onnx_append_node(struct fsd_onnx_edits *e, fsd_id behind,
                          const struct fsd_onnx_new_node *node)
{
    fsd_vec_push(e->arena, &change_of(e, behind)->behind, pack_node(e, node));
}

void fsd_onnx_add_tensor(struct fsd_onnx_edits *e, const char *name, int type,
                         const void *bytes, size_t n)
{
    Onnx__TensorProto proto = ONNX__TENSOR_PROTO__INIT;
    uint8_t *copy = FSD_NEW(e->arena, uint8_t, n + 1);

    proto.name = own(e, name);
    proto.has_data_type = true;
    proto.data_type = type;
    proto.has_raw_data = true;
    memcpy(copy, bytes, n);
    proto.raw_data = (ProtobufCBinaryData){n, copy};
    fsd_vec_push(e->arena, &e->tensors, pack(e->arena, &proto.base));
}

static bool is_named(const struct fsd_onnx_edits *e, const char *name)
{
    for (uint32_t i = 0; i < e->names.n; i++)
        if (!strcmp(e->names.at[i], name))
            return true;
    return fsd_intern_find(e->g->names, name, strlen(name)) != FSD_NONE;
}

const char *fsd_onnx_new_name(struct fsd_onnx_edits *e, const char *base)
{
    const char *name = fsd_arena_strndup(e->arena, base, strlen(base));

    for (unsigned i = 2; is_named(e, name); i++)
        name = fsd_printed(e->arena, "%s_%u", base, i);
    fsd_vec_push(e->arena, &e->names, name);
    return name;
}

/* ------------------------------------------------------------------------- pieces */

static void keep(struct fsd_arena *arena, struct pieces *to, struct fsd_slice bytes)
{
    struct fsd_slice *last = to->list.n ? &to->list.at[to->list.n - 1] : NULL;

    to->size += bytes.n;
    if (last && last->s + last->n == bytes.s)
        last->n += bytes.n;
    else if (bytes.n)
        fsd_vec_push(arena, &to->list, bytes);
}

static size_t put_varint(char *out, uint64_t value)
{
    size_t n = 0;

    for (; value >= 0x80; value >>= 7)
        out[n++] = (char)(value | 0x80);
    out[n++] = (char)value;
    return n;
}

static void put_header(struct fsd_arena *arena, struct pieces *to, uint32_t number,
                       uint64_t size)
{
    char *bytes = FSD_NEW(arena, char, 20);
    size_t n = put_varint(bytes, (uint64_t)number << 3 | BLOCK);

    keep(arena, to, (struct fsd_slice){bytes, n + put_varint(bytes + n, size)});
}

static void put_block(struct fsd_arena *arena, struct pieces *to, uint32_t number,
                      struct fsd_slice bytes)
{
    put_header(arena, to, number, bytes.n);
    keep(arena, to, bytes);
}

static void put_pieces(struct fsd_arena *arena, struct pieces *to, uint32_t number,
                       const struct pieces *inner)
{
    put_header(arena, to, number, inner->size);
    for (uint32_t i = 0; i < inner->list.n; i++)
        keep(arena, to, inner->list.at[i]);
}

/* What stands before the block and was not copied yet; `from` goes behind the block. */
static void keep_until(struct fsd_arena *arena, struct pieces *to, const char **from,
                       const struct fsd_wire_block *block)
{
    keep(arena, to, (struct fsd_slice){*from, (size_t)(block->start - *from)});
    *from = block->bytes.s + block->bytes.n;
}

static void keep_rest(struct fsd_arena *arena, struct pieces *to, const char *from,
                      struct fsd_slice message)
{
    keep(arena, to, (struct fsd_slice){from, (size_t)(message.s + message.n - from)});
}

/* -------------------------------------------------------------------------- a walk */

/* `place`: of the first node of these bytes in the scope's list; goes on behind them.
 */
static void edit_graph(struct fsd_onnx_edits *e, struct fsd_slice graph, fsd_id scope,
                       uint32_t *place, struct pieces *to);

/* The graph as a field of what is around it, edited where it holds an edit. */
static void put_body(struct fsd_onnx_edits *e, const struct fsd_wire_block *block,
                     fsd_id scope, uint32_t *place, const char **from,
                     struct pieces *to)
{
    struct pieces inner = {.size = 0};

    if (scope == FSD_NONE || !e->holds[scope])
        return;
    edit_graph(e, block->bytes, scope, place, &inner);
    keep_until(e->arena, to, from, block);
    put_pieces(e->arena, to, block->number, &inner);
}

static bool has_field(struct fsd_slice message, uint32_t number)
{
    struct fsd_wire_block block;

    while (fsd_wire_take(&message, &block))
        if (block.number == number)
            return true;
    return false;
}

/* The next body of a node; a call's comes last, and is no graph. */
static fsd_id take_body(const struct fsd_onnx_edits *e, fsd_id *body)
{
    fsd_id taken = *body;

    if (taken != FSD_NONE)
        *body = e->bodies.next[taken];
    return taken;
}

/* `body`: the next one of the node, as the loader has them: of an attribute `g` first,
 * which the file may hold in parts, then each of `graphs`. */
static void edit_attribute(struct fsd_onnx_edits *e, struct fsd_slice attribute,
                           fsd_id *body, struct pieces *to)
{
    fsd_id graph =
        has_field(attribute, ATTRIBUTE_GRAPH) ? take_body(e, body) : FSD_NONE;
    struct fsd_slice rest = attribute;
    const char *from = attribute.s;
    struct fsd_wire_block block;
    uint32_t place = 0;

    while (fsd_wire_take(&rest, &block)) {
        if (block.number == ATTRIBUTE_GRAPH)
            put_body(e, &block, graph, &place, &from, to);
        if (block.number == ATTRIBUTE_GRAPHS)
            put_body(e, &block, take_body(e, body), &(uint32_t){0}, &from, to);
    }
    keep_rest(e->arena, to, from, attribute);
}

/* A name in a node's list; `place` counts them. */
static void put_name(struct fsd_onnx_edits *e, const struct renamed *of,
                     uint32_t *place, const struct fsd_wire_block *block,
                     const char **from, struct pieces *to)
{
    uint32_t at = (*place)++;

    if (at >= of->names.n || !of->names.at[at].s)
        return;
    keep_until(e->arena, to, from, block);
    put_block(e->arena, to, block->number, of->names.at[at]);
    e->missing--;
}

static void edit_node(struct fsd_onnx_edits *e, struct fsd_slice node, fsd_id id,
                      struct pieces *to)
{
    const struct change *c =
        e->change_of[id] == FSD_NONE ? NULL : &e->changes.at[e->change_of[id]];
    struct fsd_slice rest = node;
    const char *from = node.s;
    struct fsd_wire_block block;
    uint32_t input = 0, output = 0;
    fsd_id body = e->bodies.first[id];

    e->missing += c ? c->inputs.n_set + c->outputs.n_set : 0;

    while (fsd_wire_take(&rest, &block)) {
        struct pieces inner = {.size = 0};

        if (c && block.number == NODE_INPUT)
            put_name(e, &c->inputs, &input, &block, &from, to);
        if (c && block.number == NODE_OUTPUT)
            put_name(e, &c->outputs, &output, &block, &from, to);
        if (block.number != NODE_ATTRIBUTE || body == FSD_NONE)
            continue;
        edit_attribute(e, block.bytes, &body, &inner);
        keep_until(e->arena, to, &from, &block);
        put_pieces(e->arena, to, NODE_ATTRIBUTE, &inner);
    }
    keep_rest(e->arena, to, from, node);
}

/* Whether anything of the node, or in it, is to be edited. */
static bool is_edited(const struct fsd_onnx_edits *e, fsd_id node)
{
    if (e->change_of[node] != FSD_NONE)
        return true;
    for (fsd_id s = e->bodies.first[node]; s != FSD_NONE; s = e->bodies.next[s])
        if (e->holds[s])
            return true;
    return false;
}

static void edit_graph(struct fsd_onnx_edits *e, struct fsd_slice graph, fsd_id scope,
                       uint32_t *place, struct pieces *to)
{
    struct fsd_slice rest = graph;
    const char *from = graph.s;
    struct fsd_wire_block block;

    while (fsd_wire_walk(&e->walk, &rest, &block)) {
        struct pieces inner = {.size = 0};
        struct change *c;
        fsd_id id;

        if (block.number != GRAPH_NODE || e->first[scope] == FSD_NONE)
            continue;
        id = e->first[scope] + (*place)++;
        if (id >= e->g->nodes.n || e->g->nodes.at[id].scope != scope ||
            !is_edited(e, id))
            continue;
        keep_until(e->arena, to, &from, &block);
        c = e->change_of[id] == FSD_NONE ? NULL : &e->changes.at[e->change_of[id]];
        for (uint32_t i = 0; c && i < c->before.n; i++)
            put_block(e->arena, to, GRAPH_NODE, c->before.at[i]);
        if (c)
            c->met++;
        if (c && c->drop)
            continue;
        edit_node(e, block.bytes, id, &inner);
        put_pieces(e->arena, to, GRAPH_NODE, &inner);
        for (uint32_t i = 0; c && i < c->behind.n; i++)
            put_block(e->arena, to, GRAPH_NODE, c->behind.at[i]);
    }
    keep_rest(e->arena, to, from, graph);
}

static void edit_model(struct fsd_onnx_edits *e, struct fsd_slice model,
                       struct pieces *to)
{
    struct fsd_slice rest = model;
    const char *from = model.s;
    struct fsd_wire_block block;
    uint32_t place = 0;
    bool seen = false;

    while ((e->changes.n || e->tensors.n) && fsd_wire_take(&rest, &block)) {
        struct pieces inner = {.size = 0};

        if (block.number != MODEL_GRAPH)
            continue;
        edit_graph(e, block.bytes, 0, &place, &inner);
        for (uint32_t i = 0; !seen && i < e->tensors.n; i++)
            put_block(e->arena, &inner, GRAPH_INITIALIZER, e->tensors.at[i]);
        seen = true;
        keep_until(e->arena, to, &from, &block);
        put_pieces(e->arena, to, MODEL_GRAPH, &inner);
    }
    keep_rest(e->arena, to, from, model);
}

/* ------------------------------------------------------------------------ writing */

/* In parts, and each given back: the mapping of 2 GB shall not stay in memory. */
static bool write_piece(struct fsd_onnx_edits *e, struct fsd_slice piece, FILE *out)
{
    enum { PART = 1 << 20 };
    const char *begin = (const char *)e->walk.file->bytes;
    bool mapped = piece.s >= begin && piece.s < begin + e->walk.file->size;

    while (piece.n) {
        size_t n = piece.n < PART ? piece.n : PART;

        if (fwrite(piece.s, 1, n, out) != n)
            return false;
        piece = fsd_slice_from(piece, n);
        if (mapped)
            fsd_file_release_behind(e->walk.file, (size_t)(piece.s - begin),
                                    &e->walk.released);
    }
    return true;
}

/* The file is opened once more to be written: it has to be what was read. */
static enum fsd_status check_same(const struct fsd_onnx_edits *e,
                                  const struct fsd_file *file, struct fsd_error *err)
{
    struct fsd_arena *scratch = fsd_arena_new();
    uint64_t hash[2] = {0, 0};
    struct fsd_wire wire;
    enum fsd_status status =
        fsd_wire_filter(&wire, scratch, file, &onnx__model_proto__descriptor, err);

    if (status == FSD_OK)
        fsd_hash_128(wire.bytes, wire.size, hash);
    fsd_arena_free(scratch);
    if (status == FSD_OK && memcmp(hash, e->g->hash, sizeof hash) != 0)
        status = fsd_fail(err, FSD_E_MISMATCH, file->name, FSD_POS_NONE, 0,
                          "expected the model that was read, found that it has "
                          "changed since");
    return status;
}

static enum fsd_status check_met(const struct fsd_onnx_edits *e,
                                 const struct fsd_file *file, struct fsd_error *err)
{
    bool met = !e->missing;

    for (uint32_t i = 0; i < e->changes.n; i++)
        met &= e->changes.at[i].met == 1;
    if (met)
        return FSD_OK;
    return fsd_fail(err, FSD_E_MISMATCH, file->name, FSD_POS_NONE, 0,
                    "expected each edit to have one place in the file, found one that "
                    "has none");
}

enum fsd_status fsd_onnx_write(struct fsd_onnx_edits *e, const struct fsd_file *file,
                               FILE *out, struct fsd_error *err)
{
    struct pieces all = {.size = 0};
    enum fsd_status status = check_same(e, file, err);

    e->walk = (struct fsd_wire_walk){file, 0};
    e->missing = 0;
    for (uint32_t i = 0; i < e->changes.n; i++)
        e->changes.at[i].met = 0;
    if (status == FSD_OK) {
        edit_model(e, (struct fsd_slice){(const char *)file->bytes, file->size}, &all);
        status = check_met(e, file, err);
    }
    if (status == FSD_OK && all.size > INT32_MAX && file->size <= INT32_MAX)
        status = fsd_fail(err, FSD_E_LIMIT, file->name, FSD_POS_NONE, 0,
                          "expected an edited model of at most 2147483647 bytes, "
                          "which protobuf takes, found a larger one");
    for (uint32_t i = 0; status == FSD_OK && i < all.list.n; i++)
        if (!write_piece(e, all.list.at[i], out))
            return FSD_E_WRITE;
    return status == FSD_OK ? fsd_flush(out, err) : status;
}

/* --------------------------------------------------------------- external weights */

enum message { MODEL, FUNCTION, GRAPH, NODE, ATTRIBUTE, SPARSE, TENSOR, DATA };

/* Which fields lead from a model to the mark of external data. */
static const struct {
    enum message in;
    uint32_t field;
    enum message holds;
} FIELDS[] = {{MODEL, MODEL_GRAPH, GRAPH},
              {MODEL, MODEL_FUNCTION, FUNCTION},
              {FUNCTION, FUNCTION_NODE, NODE},
              {GRAPH, GRAPH_NODE, NODE},
              {GRAPH, GRAPH_INITIALIZER, TENSOR},
              {GRAPH, GRAPH_SPARSE, SPARSE},
              {NODE, NODE_ATTRIBUTE, ATTRIBUTE},
              {ATTRIBUTE, ATTRIBUTE_TENSOR, TENSOR},
              {ATTRIBUTE, ATTRIBUTE_TENSORS, TENSOR},
              {ATTRIBUTE, ATTRIBUTE_GRAPH, GRAPH},
              {ATTRIBUTE, ATTRIBUTE_GRAPHS, GRAPH},
              {ATTRIBUTE, ATTRIBUTE_SPARSE, SPARSE},
              {ATTRIBUTE, ATTRIBUTE_SPARSES, SPARSE},
              {SPARSE, SPARSE_VALUES, TENSOR},
              {SPARSE, SPARSE_INDICES, TENSOR},
              {TENSOR, TENSOR_EXTERNAL, DATA}};

static bool has_external(struct fsd_wire_walk *walk, struct fsd_slice bytes,
                         enum message is, unsigned depth)
{
    struct fsd_wire_block block;

    if (is == DATA || depth > FSD_WIRE_DEPTH)
        return is == DATA;
    while (fsd_wire_walk(walk, &bytes, &block)) {
        for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; i++)
            if (FIELDS[i].in == is && FIELDS[i].field == block.number &&
                has_external(walk, block.bytes, FIELDS[i].holds, depth + 1))
                return true;
    }
    return false;
}

bool fsd_onnx_has_external(const struct fsd_file *file)
{
    struct fsd_wire_walk walk = {file, 0};

    return has_external(
        &walk, (struct fsd_slice){(const char *)file->bytes, file->size}, MODEL, 0);
}
