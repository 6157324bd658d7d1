/*
 * Finds weights that are in other files: walks through the fields of the model that
 * lead to tensors with such weights, and collects the paths of the files.  The files
 * are not opened here.
 */
#include "model/graph/graph.h"
#include "model/onnx/weights.h"
#include "base/base.h"
#include "base/open.h"
#include "host/files.h"
#include "model/onnx/collected.h"

/* The fields that lead from a model to tensors whose data is in another file. */
static const struct {
    enum fsd_onnx_message in;
    uint32_t field;
    enum fsd_onnx_message holds;
} FIELDS[] = {{FSD_MESSAGE_MODEL, MODEL_GRAPH, FSD_MESSAGE_GRAPH},
              {FSD_MESSAGE_MODEL, MODEL_FUNCTION, FSD_MESSAGE_FUNCTION},
              {FSD_MESSAGE_FUNCTION, FUNCTION_NODE, FSD_MESSAGE_NODE},
              {FSD_MESSAGE_GRAPH, GRAPH_NODE, FSD_MESSAGE_NODE},
              {FSD_MESSAGE_GRAPH, GRAPH_INITIALIZER, FSD_MESSAGE_TENSOR},
              {FSD_MESSAGE_GRAPH, GRAPH_SPARSE, FSD_MESSAGE_SPARSE},
              {FSD_MESSAGE_NODE, NODE_ATTRIBUTE, FSD_MESSAGE_ATTRIBUTE},
              {FSD_MESSAGE_ATTRIBUTE, ATTRIBUTE_TENSOR, FSD_MESSAGE_TENSOR},
              {FSD_MESSAGE_ATTRIBUTE, ATTRIBUTE_TENSORS, FSD_MESSAGE_TENSOR},
              {FSD_MESSAGE_ATTRIBUTE, ATTRIBUTE_GRAPH, FSD_MESSAGE_GRAPH},
              {FSD_MESSAGE_ATTRIBUTE, ATTRIBUTE_GRAPHS, FSD_MESSAGE_GRAPH},
              {FSD_MESSAGE_ATTRIBUTE, ATTRIBUTE_SPARSE, FSD_MESSAGE_SPARSE},
              {FSD_MESSAGE_ATTRIBUTE, ATTRIBUTE_SPARSES, FSD_MESSAGE_SPARSE},
              {FSD_MESSAGE_SPARSE, SPARSE_VALUES, FSD_MESSAGE_TENSOR},
              {FSD_MESSAGE_SPARSE, SPARSE_INDICES, FSD_MESSAGE_TENSOR},
              {FSD_MESSAGE_TENSOR, TENSOR_EXTERNAL, FSD_MESSAGE_DATA}};

bool fsd_onnx_leads(enum fsd_onnx_message in, uint32_t field, enum fsd_onnx_message *to)
{
    for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; i++)
        if (FIELDS[i].in == in && FIELDS[i].field == field) {
            *to = FIELDS[i].holds;
            return true;
        }
    return false;
}

static bool has_external(struct fsd_wire_walk *walk, struct fsd_slice bytes,
                         enum fsd_onnx_message is, unsigned depth)
{
    enum fsd_onnx_message holds;
    struct fsd_wire_block block;

    if (is == FSD_MESSAGE_DATA || depth > FSD_WIRE_DEPTH)
        return is == FSD_MESSAGE_DATA;
    while (fsd_wire_walk(walk, &bytes, &block))
        if (fsd_onnx_leads(is, block.number, &holds) &&
            has_external(walk, block.bytes, holds, depth + 1))
            return true;
    return false;
}

bool fsd_weights_in(struct fsd_wire_walk *walk, struct fsd_slice bytes,
                    enum fsd_onnx_message is)
{
    return has_external(walk, bytes, is, 0);
}

bool fsd_onnx_has_external(const struct fsd_file *file)
{
    struct fsd_wire_walk walk = {file, 0};

    return fsd_weights_in(&walk,
                          (struct fsd_slice){(const char *)file->bytes, file->size},
                          FSD_MESSAGE_MODEL);
}

/* ---------------------------------------------------------------------- all files */

struct noting {
    struct fsd_graph *g;
    struct fsd_wire_walk walk;
    struct fsd_arena *arena;
    struct fsd_slice tensor; /* the name of the current tensor */
    struct fsd_slice last;   /* the location of the previous tensor; most tensors of a
                              model have the same location */
    uint64_t size;           /* the size of the file at `last` */
    bool absent;             /* the file at `last` is missing */
    bool noted;
    /* These members describe the current tensor. */
    bool is_outside;
    uint64_t offset, length;
};

/* Whether files with weights may be in the folder of the model `path`.  Standard input
 * and descriptors have no folder. */
static bool has_folder(const char *path)
{
    return strcmp(path, "-") != 0 && strncmp(path, "/proc/self/fd/", 14) != 0;
}

static void open_file(struct noting *n, struct fsd_slice location)
{
    struct stat there = {0};
    const char *path;

    n->is_outside = true;
    if (fsd_slice_equal(location, n->last))
        return;
    n->last.s = fsd_arena_strndup(n->g->arena, location.s, location.n);
    n->last.n = location.n;
    path = fsd_path_beside(n->arena, n->walk.file->name, n->last.s);
    n->noted &= fsd_opened_note_path(path);
    n->size = UINT64_MAX;
    n->absent = has_folder(n->walk.file->name) && stat(path, &there) != 0;
    if (has_folder(n->walk.file->name) && !n->absent && S_ISREG(there.st_mode))
        n->size = (uint64_t)there.st_size;
    else if (has_folder(n->walk.file->name) && !n->absent && S_ISDIR(there.st_mode))
        n->size = 0; /* the path is a folder, so it has no bytes of weights */
}

static void note_entry(struct noting *n, struct fsd_slice entry)
{
    struct fsd_slice key, value;
    uint64_t number;

    fsd_wire_read(n->walk.file, entry);
    key = fsd_onnx_block(entry, ENTRY_KEY);
    value = fsd_onnx_block(entry, ENTRY_VALUE);
    if (fsd_slice_is(key, "location") && value.n)
        open_file(n, value);
    else if (!fsd_slice_take_number(&value, UINT64_MAX, &number) || value.n)
        return;
    else if (fsd_slice_is(key, "offset"))
        n->offset = number;
    else if (fsd_slice_is(key, "length"))
        n->length = number;
}

/* Records the current tensor.  This function is called after all fields of the tensor
 * were read, because they may be in any order. */
static void note_tensor(struct noting *n)
{
    struct fsd_graph *g = n->g;
    fsd_sym name =
        fsd_intern_add(g->names, n->tensor.s ? n->tensor.s : "", n->tensor.n);
    uint64_t rest = n->size > n->offset ? n->size - n->offset : 0;

    if (n->absent && !g->absent_tensors++) {
        g->absent = n->last.s;
        g->absent_tensor = name;
    } else if (!n->absent && n->size != UINT64_MAX) {
        fsd_vec_push(g->arena, &g->outside,
                     (struct fsd_weights_file){name, n->last.s,
                                               n->length < rest ? n->length : rest});
    }
}

static void note(struct noting *n, struct fsd_slice message, enum fsd_onnx_message is,
                 unsigned depth)
{
    enum fsd_onnx_message holds;
    struct fsd_wire_block block;

    if (is == FSD_MESSAGE_DATA)
        note_entry(n, message);
    if (is == FSD_MESSAGE_TENSOR) {
        n->tensor = fsd_onnx_block(message, TENSOR_NAME);
        n->is_outside = false;
        n->offset = 0;
        n->length = UINT64_MAX;
    }
    while (is != FSD_MESSAGE_DATA && depth <= FSD_WIRE_DEPTH &&
           fsd_wire_walk(&n->walk, &message, &block))
        if (fsd_onnx_leads(is, block.number, &holds))
            note(n, block.bytes, holds, depth + 1);
    if (is == FSD_MESSAGE_TENSOR && n->is_outside)
        note_tensor(n);
}

bool fsd_weights_note(struct fsd_graph *g, struct fsd_arena *scratch,
                      const struct fsd_file *model, const struct fsd_wire *filtered)
{
    struct noting n = {.g = g, .walk = {model, 0}, .arena = scratch, .noted = true};

    /* The model is walked a second time only if a tensor has the field for external
     * data. */
    if (filtered->of_tensors >> TENSOR_EXTERNAL & 1)
        note(&n, (struct fsd_slice){(const char *)model->bytes, model->size},
             FSD_MESSAGE_MODEL, 0);
    return n.noted;
}
