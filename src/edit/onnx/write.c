/*
 * The new file is a list of pieces. A piece is a range of the old file, or new bytes.
 * The list is written when it is complete. A message with an edit gets a new tag and
 * length, followed by pieces of its old content. All bytes between two edited messages
 * are one piece. Work and memory therefore depend on the edits and the headers of
 * nodes, not on the weights. Only edited messages are encoded again.
 *
 * Nodes are numbered as in the loader, by their positions in the list of their graph.
 * The bodies of a node are numbered in the order of its attributes. Each edit must be
 * applied exactly once, or nothing is written.
 */
#include "edit/onnx/write.h"
#include "base/base.h"
#include "model/graph/graph.h"
#include "model/onnx/collected.h"
#include "edit/onnx/external.h"
#include "edit/onnx/types.h"

struct writer {
    const struct fsd_onnx_edits *e;
    struct fsd_arena *arena; /* the arena of the edits */
    struct fsd_wire_walk walk;
    struct fsd_outside outside;
    uint32_t missing; /* number of inputs and outputs whose new name is not written
                         yet. If it is not 0 at the end, a node in the file lacks an
                         input or output that an edit renames */
    uint32_t *met;    /* indexed by change of a node: how often the change was
                         applied */
    bool *met_listed; /* indexed like e->listed: the change was applied */
};

/* -------------------------------------------------------------------------- a walk */

/* Writes a graph, or a part of one, with its edits.
 * @param place in: the position of the first node of `graph` in the scope's list of
 *         nodes; out: the position after the last node of `graph` */
static void edit_graph(struct writer *w, struct fsd_slice graph, fsd_id scope,
                       uint32_t *place, struct fsd_pieces *to);

/* Handles the external weights in a message without edits. w->e->weights determines
 * what happens: the message is written with the weights inside, or the weights are only
 * checked to exist, or they are ignored. A message that is not written here is copied
 * later, with the bytes around it. */
static void put_outside(struct writer *w, const struct fsd_wire_block *block,
                        enum fsd_onnx_message is, const char **from,
                        struct fsd_pieces *to)
{
    struct fsd_pieces inner = {.size = 0};

    if (w->e->weights == FSD_ONNX_WEIGHTS_STAY ||
        !fsd_weights_in(&w->walk, block->bytes, is))
        return;
    if (w->e->weights == FSD_ONNX_WEIGHTS_CHECKED) {
        fsd_external_check(&w->outside, block->bytes, is);
        return;
    }
    fsd_external_inline(&w->outside, block->bytes, is, &inner);
    fsd_pieces_until(w->arena, to, from, block);
    fsd_pieces_message(w->arena, to, block->number, &inner);
}

/* Writes a graph that is a field of another message. A graph without edits is
 * copied. */
static void put_body(struct writer *w, const struct fsd_wire_block *block, fsd_id scope,
                     uint32_t *place, const char **from, struct fsd_pieces *to)
{
    struct fsd_pieces inner = {.size = 0};

    if (scope == FSD_NONE || !w->e->holds[scope]) {
        put_outside(w, block, FSD_MESSAGE_GRAPH, from, to);
        return;
    }
    edit_graph(w, block->bytes, scope, place, &inner);
    fsd_pieces_until(w->arena, to, from, block);
    fsd_pieces_message(w->arena, to, block->number, &inner);
}

static const struct fsd_node_rewrite *change_of(const struct writer *w, fsd_id node)
{
    return w->e->change_of[node] == FSD_NONE ? NULL
                                             : &w->e->changes.at[w->e->change_of[node]];
}

static bool has_field(struct fsd_slice message, uint32_t number)
{
    struct fsd_wire_block block;

    while (fsd_wire_take(&message, &block))
        if (block.number == number)
            return true;
    return false;
}

/* Writes an attribute with the edits in its bodies. *body is the number of the node's
 * next body. Bodies are numbered as in the loader: first the field `g`, then each graph
 * in `graphs`. The file may contain `g` in several parts. If the node calls a function,
 * the body of the function has the last number, and is in no attribute. */
static void edit_attribute(struct writer *w, struct fsd_slice attribute, fsd_id node,
                           uint32_t *body, struct fsd_pieces *to)
{
    fsd_id graph = has_field(attribute, ATTRIBUTE_GRAPH)
                       ? fsd_list_at(&w->e->bodies, node, (*body)++)
                       : FSD_NONE;
    struct fsd_slice rest = attribute;
    const char *from = attribute.s;
    struct fsd_wire_block block;
    uint32_t place = 0;

    while (fsd_wire_take(&rest, &block)) {
        if (block.number == ATTRIBUTE_GRAPH)
            put_body(w, &block, graph, &place, &from, to);
        if (block.number == ATTRIBUTE_GRAPHS)
            put_body(w, &block, fsd_list_at(&w->e->bodies, node, (*body)++),
                     &(uint32_t){0}, &from, to);
    }
    fsd_pieces_rest(w->arena, to, from, attribute);
}

/* Writes the new name of an input or output of a node, if an edit sets one. *place is
 * the position of the input or output, and is incremented. */
static void put_name(struct writer *w, const struct fsd_renamed *of, uint32_t *place,
                     const struct fsd_wire_block *block, const char **from,
                     struct fsd_pieces *to)
{
    uint32_t at = (*place)++;

    if (at >= of->names.n || !of->names.at[at].s)
        return;
    fsd_pieces_until(w->arena, to, from, block);
    fsd_pieces_block(w->arena, to, block->number, of->names.at[at]);
    w->missing--;
}

/* Drops an entry of metadata if an edit sets its key. */
static void drop_property(struct writer *w, const fsd_properties *of,
                          const struct fsd_wire_block *block, const char **from,
                          struct fsd_pieces *to)
{
    struct fsd_slice key = fsd_onnx_block(block->bytes, ENTRY_KEY);

    for (uint32_t i = 0; i < of->n; i++)
        if (fsd_slice_is(key, of->at[i].key)) {
            fsd_pieces_until(w->arena, to, from, block);
            return;
        }
}

static void edit_node(struct writer *w, struct fsd_slice node, fsd_id id,
                      struct fsd_pieces *to)
{
    const struct fsd_node_rewrite *c = change_of(w, id);
    struct fsd_slice rest = node;
    const char *from = node.s;
    struct fsd_wire_block block;
    uint32_t input = 0, output = 0, body = 0;

    w->missing += c ? c->inputs.n_set + c->outputs.n_set : 0;

    while (fsd_wire_take(&rest, &block)) {
        struct fsd_pieces inner = {.size = 0};

        if (c && block.number == NODE_INPUT)
            put_name(w, &c->inputs, &input, &block, &from, to);
        if (c && block.number == NODE_OUTPUT)
            put_name(w, &c->outputs, &output, &block, &from, to);
        if (c && block.number == NODE_METADATA)
            drop_property(w, &c->metadata, &block, &from, to);
        if (block.number != NODE_ATTRIBUTE)
            continue;
        if (!has_field(block.bytes, ATTRIBUTE_GRAPH) &&
            !has_field(block.bytes, ATTRIBUTE_GRAPHS)) {
            put_outside(w, &block, FSD_MESSAGE_ATTRIBUTE, &from, to);
            continue;
        }
        edit_attribute(w, block.bytes, id, &body, &inner);
        fsd_pieces_until(w->arena, to, &from, &block);
        fsd_pieces_message(w->arena, to, NODE_ATTRIBUTE, &inner);
    }
    fsd_pieces_rest(w->arena, to, from, node);
    for (uint32_t i = 0; c && i < c->metadata.n; i++)
        fsd_pieces_block(w->arena, to, NODE_METADATA, c->metadata.at[i].packed);
}

static bool is_empty(const struct writer *w)
{
    return !w->e->changes.n && !w->e->listed.n && !w->e->at_end.n &&
           !w->e->metadata.n && !w->e->type_of && !w->e->functions &&
           !w->e->drops_training && w->e->weights == FSD_ONNX_WEIGHTS_STAY;
}

/* Whether the node or a node in its bodies is edited. */
static bool is_edited(const struct writer *w, fsd_id node)
{
    if (change_of(w, node))
        return true;
    for (uint32_t i = 0; i < w->e->bodies.of[node].n; i++)
        if (w->e->holds[fsd_list_at(&w->e->bodies, node, i)])
            return true;
    return false;
}

/* If the message is an entry in a list of the graph, returns the name of the entry, and
 * sets *list. Else returns {NULL, 0}. */
static struct fsd_slice listed_name(const struct fsd_wire_block *block,
                                    enum fsd_onnx_list *list)
{
    static const struct {
        uint32_t field, name;
        enum fsd_onnx_list list;
    } lists[] = {{GRAPH_INITIALIZER, TENSOR_NAME, FSD_ONNX_INITIALIZERS},
                 {GRAPH_SPARSE, TENSOR_NAME, FSD_ONNX_SPARSE},
                 {GRAPH_INPUT, 1, FSD_ONNX_INPUTS},
                 {GRAPH_OUTPUT, 1, FSD_ONNX_OUTPUTS},
                 {GRAPH_VALUE_INFO, 1, FSD_ONNX_VALUES},
                 {GRAPH_ANNOTATION, 1, FSD_ONNX_ANNOTATIONS}};
    struct fsd_slice in = block->bytes;

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (lists[i].field == block->number) {
            *list = lists[i].list;
            if (block->number == GRAPH_SPARSE)
                in = fsd_onnx_block(in, SPARSE_VALUES);
            return fsd_onnx_block(in, lists[i].name);
        }
    return (struct fsd_slice){NULL, 0};
}

/* The change of an entry in a list of the main graph; NULL: none. */
static const struct fsd_listed_change *listed_change(struct writer *w,
                                                     const struct fsd_wire_block *block)
{
    enum fsd_onnx_list list = FSD_ONNX_INITIALIZERS;
    struct fsd_slice name =
        w->e->listed.n ? listed_name(block, &list) : (struct fsd_slice){NULL, 0};
    fsd_sym sym = name.n ? fsd_intern_find(w->e->g->names, name.s, name.n) : FSD_NONE;
    uint32_t i = sym < w->e->n_listed_of ? w->e->listed_of[sym] : FSD_NONE;

    while (i != FSD_NONE && !(w->e->listed.at[i].lists & list))
        i = w->e->listed.at[i].next;
    return i == FSD_NONE ? NULL : &w->e->listed.at[i];
}

/* The new type of the tensor with this name in this scope; 0: its type stays. */
static int new_type(const struct writer *w, struct fsd_slice name, fsd_id scope)
{
    fsd_sym sym = name.n ? fsd_intern_find(w->e->g->names, name.s, name.n) : FSD_NONE;
    fsd_id tensor = w->e->type_of ? fsd_graph_find(w->e->g, sym, scope) : FSD_NONE;

    return tensor == FSD_NONE ? 0 : w->e->type_of[tensor];
}

/* Writes the declaration of a tensor, or an initializer, with its new type; false if
 * its type stays. The list of inputs may contain declarations of initializers, because
 * ONNX allows this. */
static bool put_retyped(struct writer *w, const struct fsd_wire_block *block,
                        fsd_id scope, const char **from, struct fsd_pieces *to)
{
    bool declares = block->number == GRAPH_VALUE_INFO || block->number == GRAPH_INPUT;
    struct fsd_pieces inner = {.size = 0};
    int type = 0;

    if (declares || block->number == GRAPH_INITIALIZER)
        type = new_type(w, fsd_onnx_block(block->bytes, declares ? 1 : TENSOR_NAME),
                        scope);
    if (!type)
        return false;
    (declares ? fsd_types_declare : fsd_types_narrow)(w->arena, block->bytes, type,
                                                      &inner);
    fsd_pieces_until(w->arena, to, from, block);
    fsd_pieces_message(w->arena, to, block->number, &inner);
    return true;
}

/* Applies edits to a message of the main graph other than a node. */
static void edit_listed(struct writer *w, const struct fsd_wire_block *block,
                        const char **from, struct fsd_pieces *to)
{
    const struct fsd_listed_change *c = listed_change(w, block);
    bool *met = c ? &w->met_listed[c - w->e->listed.at] : NULL;

    if (!c && put_retyped(w, block, 0, from, to))
        return;
    if (!c) {
        if (block->number == GRAPH_INITIALIZER)
            put_outside(w, block, FSD_MESSAGE_TENSOR, from, to);
        if (block->number == GRAPH_SPARSE)
            put_outside(w, block, FSD_MESSAGE_SPARSE, from, to);
        return;
    }
    fsd_pieces_until(w->arena, to, from, block);
    if (c->bytes.n && !*met)
        fsd_pieces_block(w->arena, to, block->number, c->bytes);
    *met = true;
}

/* Writes a node with the nodes inserted before and after it. */
static void put_node(struct writer *w, const struct fsd_wire_block *block, fsd_id id,
                     const char **from, struct fsd_pieces *to)
{
    const struct fsd_node_rewrite *c = change_of(w, id);
    struct fsd_pieces inner = {.size = 0};

    fsd_pieces_until(w->arena, to, from, block);
    for (uint32_t i = 0; c && i < c->before.n; i++)
        fsd_pieces_block(w->arena, to, GRAPH_NODE, c->before.at[i]);
    if (c)
        w->met[w->e->change_of[id]]++;
    if (c && c->drop)
        return;
    edit_node(w, block->bytes, id, &inner);
    fsd_pieces_message(w->arena, to, GRAPH_NODE, &inner);
    for (uint32_t i = 0; c && i < c->behind.n; i++)
        fsd_pieces_block(w->arena, to, GRAPH_NODE, c->behind.at[i]);
}

static void edit_graph(struct writer *w, struct fsd_slice graph, fsd_id scope,
                       uint32_t *place, struct fsd_pieces *to)
{
    struct fsd_slice rest = graph;
    const char *from = graph.s;
    struct fsd_wire_block block;

    while (fsd_wire_walk(&w->walk, &rest, &block)) {
        fsd_id id;

        if (block.number != GRAPH_NODE) {
            if (!scope)
                edit_listed(w, &block, &from, to);
            else if (put_retyped(w, &block, scope, &from, to))
                continue;
            else if (block.number == GRAPH_INITIALIZER)
                put_outside(w, &block, FSD_MESSAGE_TENSOR, &from, to);
            continue;
        }
        if (w->e->first[scope] == FSD_NONE)
            continue;
        id = w->e->first[scope] + (*place)++;
        if (id >= w->e->g->nodes.n || w->e->g->nodes.at[id].scope != scope)
            continue;
        if (is_edited(w, id))
            put_node(w, &block, id, &from, to);
        else
            put_outside(w, &block, FSD_MESSAGE_NODE, &from, to);
    }
    fsd_pieces_rest(w->arena, to, from, graph);
}

/* ---------------------------------------------------------------------- the model */

/* The number of the GraphProto field in which the entries of the list are. */
static uint32_t field_of(unsigned list)
{
    switch (list) {
    case FSD_ONNX_INPUTS:
        return GRAPH_INPUT;
    case FSD_ONNX_OUTPUTS:
        return GRAPH_OUTPUT;
    case FSD_ONNX_VALUES:
        return GRAPH_VALUE_INFO;
    default:
        return GRAPH_INITIALIZER;
    }
}

/* Writes new nodes and new entries of lists at the end of the main graph. */
static void put_new(struct writer *w, struct fsd_pieces *to)
{
    for (uint32_t i = 0; i < w->e->at_end.n; i++)
        fsd_pieces_block(w->arena, to, GRAPH_NODE, w->e->at_end.at[i]);
    for (uint32_t i = 0; i < w->e->listed.n; i++)
        if (w->e->listed.at[i].bytes.n && !w->met_listed[i])
            fsd_pieces_block(w->arena, to, field_of(w->e->listed.at[i].lists),
                             w->e->listed.at[i].bytes);
}

/* Whether a function is dropped, because all of its calls are dropped. */
static bool is_gone(const struct writer *w, struct fsd_slice function)
{
    struct fsd_slice name = fsd_onnx_block(function, FUNCTION_NAME),
                     domain = fsd_onnx_block(function, FUNCTION_DOMAIN);

    for (uint32_t i = 0; i < w->e->n_functions; i++)
        if (fsd_slice_is(name, w->e->functions[i].name) &&
            fsd_onnx_is_same_domain(domain, fsd_slice_of(w->e->functions[i].domain)))
            return false;
    return w->e->functions != NULL;
}

static void edit_main(struct writer *w, const struct fsd_wire_block *block, bool last,
                      uint32_t *place, const char **from, struct fsd_pieces *to)
{
    struct fsd_pieces inner = {.size = 0};

    edit_graph(w, block->bytes, 0, place, &inner);
    if (last)
        put_new(w, &inner);
    fsd_pieces_until(w->arena, to, from, block);
    fsd_pieces_message(w->arena, to, MODEL_GRAPH, &inner);
}

static void edit_model(struct writer *w, struct fsd_slice model, struct fsd_pieces *to)
{
    const char *last = fsd_onnx_block(model, MODEL_GRAPH).s, *from = model.s;
    struct fsd_slice rest = model;
    struct fsd_wire_block block;
    uint32_t place = 0;

    while (!is_empty(w) && fsd_wire_take(&rest, &block)) {
        if (block.number == MODEL_GRAPH)
            edit_main(w, &block, block.bytes.s == last, &place, &from, to);
        if (block.number == MODEL_METADATA)
            drop_property(w, &w->e->metadata, &block, &from, to);
        if ((block.number == MODEL_FUNCTION && is_gone(w, block.bytes)) ||
            (block.number == MODEL_TRAINING && w->e->drops_training))
            fsd_pieces_until(w->arena, to, &from, &block);
        else if (block.number == MODEL_FUNCTION)
            put_outside(w, &block, FSD_MESSAGE_FUNCTION, &from, to);
    }
    fsd_pieces_rest(w->arena, to, from, model);
    for (uint32_t i = 0; i < w->e->metadata.n; i++)
        fsd_pieces_block(w->arena, to, MODEL_METADATA, w->e->metadata.at[i].packed);
}

/* ------------------------------------------------------------------------ writing */

/* A fsd_mapping_fn: the mapping of the model, or of one of its files of weights. */
static const struct fsd_file *mapping_of(void *payload, const char *at,
                                         size_t **released)
{
    struct writer *w = payload;

    for (uint32_t i = 0; i <= w->outside.files.n; i++) {
        const struct fsd_file *file = i ? &w->outside.files.at[i - 1] : w->walk.file;
        const char *begin = (const char *)file->bytes;

        *released = i ? &w->outside.released.at[i - 1] : &w->walk.released;
        if (at >= begin && at < begin + file->size)
            return file;
    }
    return NULL;
}

/* Checks that the file, which was opened again to be copied, is still the file from
 * which the graph was read. */
static enum fsd_status check_same(const struct fsd_onnx_edits *e,
                                  const struct fsd_file *file, struct fsd_error *err)
{
    uint64_t hash[2] = {0, 0};
    enum fsd_status status = fsd_onnx_identify(file, hash, err);

    if (status == FSD_OK && memcmp(hash, e->g->hash, sizeof hash) != 0)
        status = fsd_fail(err, FSD_E_MISMATCH, file->name, FSD_POS_NONE, 0,
                          "expected an unchanged model file, found a file that changed "
                          "after fusiondiff read it");
    return status;
}

static enum fsd_status check_met(const struct writer *w, const struct fsd_file *file,
                                 struct fsd_error *err)
{
    bool met = !w->missing;

    for (uint32_t i = 0; i < w->e->changes.n; i++)
        met &= w->met[i] == 1;
    if (met)
        return FSD_OK;
    return fsd_fail(
        err, FSD_E_MISMATCH, file->name, FSD_POS_NONE, 0,
        "expected exactly one place in the file for each edit, found an edit "
        "without a place or with several places");
}

/* Collects all pieces, and then writes them, so that nothing is written after an
 * error. */
static enum fsd_status put_all(struct writer *w, const struct fsd_file *file, FILE *out,
                               struct fsd_error *err)
{
    struct fsd_pieces all = {.size = 0};
    enum fsd_status status = FSD_OK;

    edit_model(w, (struct fsd_slice){(const char *)file->bytes, file->size}, &all);
    status = check_met(w, file, err);
    FSD_THEN(status, w->outside.status);
    return status == FSD_OK ? fsd_pieces_write(&all, file, mapping_of, w, out, err)
                            : status;
}

enum fsd_status fsd_onnx_write(const struct fsd_onnx_edits *edits,
                               const struct fsd_file *file, FILE *out,
                               struct fsd_error *err)
{
    struct fsd_arena *arena = edits->arena;
    enum fsd_status status = check_same(edits, file, err);
    struct writer w = {.e = edits,
                       .arena = arena,
                       .walk = {file, 0},
                       .outside = {.arena = arena, .model = file->name, .err = err},
                       .met = FSD_NEW(arena, uint32_t, edits->changes.n + 1),
                       .met_listed = FSD_NEW(arena, bool, edits->listed.n + 1)};

    FSD_THEN(status, put_all(&w, file, out, err));
    return fsd_outside_close(&w.outside, status, err);
}

bool fsd_onnx_can_reopen(const struct fsd_graph *model)
{
    return !strcmp(model->kind, "onnx") && strcmp(model->file, "-") != 0;
}

enum fsd_status fsd_onnx_reopen(struct fsd_file *out, const struct fsd_graph *model,
                                const char *who, struct fsd_error *err)
{
    bool onnx = !strcmp(model->kind, "onnx");

    if (fsd_onnx_can_reopen(model))
        return fsd_file_open_decompressed(out, model->file, UINT64_MAX, err);
    *out = (struct fsd_file){.name = model->path};
    return fsd_fail(
        err, FSD_E_ARG, model->path, FSD_POS_NONE, 0,
        "expected the file of an ONNX model, which '%s' can read again, found %s", who,
        onnx ? "standard input" : "the nodes of a log or an engine");
}

enum fsd_status fsd_onnx_write_again(const struct fsd_onnx_edits *edits,
                                     const char *who, FILE *out, struct fsd_error *err)
{
    struct fsd_file file;
    enum fsd_status status = fsd_onnx_reopen(&file, edits->g, who, err);

    FSD_THEN(status, fsd_onnx_write(edits, &file, out, err));
    return fsd_file_done(&file, status, err);
}
