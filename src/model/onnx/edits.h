/*
 * Edits of a model: to the nodes of the graph that was read from its file, and to the
 * lists of the main graph.  The edits are only collected here; edit/onnx/write.c writes
 * the file with them.
 *
 *     struct fsd_onnx_edits *edits = fsd_onnx_edits_new(arena, g);
 *     fsd_onnx_add_tensor(edits, "s", FSD_ONNX_FLOAT, &scale, sizeof scale);
 *     fsd_onnx_insert_node(edits, before, &(struct fsd_onnx_new_node){...});
 *     fsd_onnx_set_input(edits, before, 0, "q");
 */
#pragma once

#include "base/base.h"

struct fsd_graph;

/** Element types by ONNX's numbers. */
enum {
    FSD_ONNX_FLOAT = 1,
    FSD_ONNX_UINT8 = 2,
    FSD_ONNX_INT8 = 3,
    FSD_ONNX_INT64 = 7,
    FSD_ONNX_BOOL = 9,
    FSD_ONNX_FLOAT16 = 10,
    FSD_ONNX_BFLOAT16 = 16,
    FSD_ONNX_FLOAT8E4M3FN = 17
};

struct fsd_onnx_edits;

/** A node of ONNX's own domain with few attributes. */
struct fsd_onnx_new_node {
    const char *op, *name;
    const char *inputs[4]; /**< NULL after the last one */
    const char *output;
    int to;                 /**< of a Cast: the element type; 0: it is not a Cast */
    bool drops_sizes;       /**< of a Reduce: outputs a scalar (keepdims 0) */
    bool along_first;       /**< of a quantizer: its scales are along axis 0 */
    struct {                /**< of an If: the tensor that both branches forward */
        const char *tensor; /**< NULL: it is not an If */
        int type;           /**< by ONNX's number */
    } passes;
};

/** The lists of the main graph that have names, as bits of a mask. */
enum fsd_onnx_list {
    FSD_ONNX_INITIALIZERS = 1 << 0,
    FSD_ONNX_SPARSE = 1 << 1, /**< sparse initializers */
    FSD_ONNX_INPUTS = 1 << 2,
    FSD_ONNX_OUTPUTS = 1 << 3,
    FSD_ONNX_VALUES = 1 << 4,      /**< types and sizes of tensors that are neither
                                        inputs nor outputs */
    FSD_ONNX_ANNOTATIONS = 1 << 5, /**< annotations of quantization */
    FSD_ONNX_LISTS = (1 << 6) - 1
};

/** A tensor in a list of inputs, outputs or values. */
struct fsd_onnx_info {
    const char *name;
    int type;    /**< by ONNX's number */
    bool ranked; /**< false: its sizes are unknown */
    uint32_t rank;
    const int64_t *sizes;     /**< indexed by axis; negative: open */
    const char *const *names; /**< indexed by axis, names of open sizes; NULL: they have
                                   no names */
    const char *doc;          /**< its description; NULL: none */
};

/** An attribute: a text if `s` is set, else an integer or a float. */
struct fsd_onnx_new_attribute {
    const char *name, *text;
    bool is_float;
    int64_t number;
    double real;
};

/** An entry of metadata. */
struct fsd_onnx_property {
    const char *key, *value;
};

/** A node with any inputs, outputs and attributes; empty lists may be NULL. */
struct fsd_onnx_whole_node {
    const char *op, *name, *domain;
    const char *const *inputs, *const *outputs;
    uint32_t n_inputs, n_outputs;
    const struct fsd_onnx_new_attribute *attributes;
    uint32_t n_attributes;
    const struct fsd_onnx_property *metadata;
    uint32_t n_metadata;
};

/** An operator that nodes call: a model-local function. */
struct fsd_onnx_called {
    const char *domain, *name;
};

/** What happens to weights that a model has in other files. */
enum fsd_onnx_weights {
    FSD_ONNX_WEIGHTS_STAY,    /**< they stay in their files, which are not opened */
    FSD_ONNX_WEIGHTS_CHECKED, /**< they stay in their files, which must exist */
    FSD_ONNX_WEIGHTS_INLINED  /**< they are copied into the written file */
};

/** Creates an empty list of edits.  @param g a graph from fsd_onnx_load() that outlives
 *  the edits */
struct fsd_onnx_edits *fsd_onnx_edits_new(struct fsd_arena *arena,
                                          const struct fsd_graph *g);

/** A model without nodes, to which the caller adds nodes.
 *  @param file    set to the file to write; it lives in the arena
 *  @param domain  the domain of its operators, the only import  */
struct fsd_onnx_edits *fsd_onnx_edits_of_nothing(struct fsd_arena *arena,
                                                 struct fsd_intern *names,
                                                 const char *domain,
                                                 struct fsd_file *file);

/** Appends a node to the main graph. */
void fsd_onnx_add_node(struct fsd_onnx_edits *edits,
                       const struct fsd_onnx_whole_node *node);

/** Whether the node can be edited.  Nodes in the body of a model-local function cannot:
 *  the body occurs once in the file but once for each call in the graph. */
bool fsd_onnx_can_edit(const struct fsd_graph *g, fsd_id node);

/* All following functions take nodes that can be edited; names are copied. */

/** Makes the node read this tensor at an existing input; the last edit of an input
 *  counts. */
void fsd_onnx_set_input(struct fsd_onnx_edits *edits, fsd_id node, uint32_t input,
                        const char *name);

/** Makes the node write this tensor at an existing output; the last edit of an output
 *  counts. */
void fsd_onnx_set_output(struct fsd_onnx_edits *edits, fsd_id node, uint32_t output,
                         const char *name);

/** Removes the node. */
void fsd_onnx_drop_node(struct fsd_onnx_edits *edits, fsd_id node);

/** Inserts a node before the node `before`, after nodes that were inserted there
 *  earlier. */
void fsd_onnx_insert_node(struct fsd_onnx_edits *edits, fsd_id before,
                          const struct fsd_onnx_new_node *node);

/** Inserts a node after the node `behind`, and after nodes that were inserted there
 *  earlier. */
void fsd_onnx_append_node(struct fsd_onnx_edits *edits, fsd_id behind,
                          const struct fsd_onnx_new_node *node);

/** Adds a number as an initializer of the main graph, replacing one with the same name.
 *  @param bytes  its `n` bytes, little endian. */
void fsd_onnx_add_tensor(struct fsd_onnx_edits *edits, const char *name, int type,
                         const void *bytes, size_t n);

/** Likewise for a list of `count` numbers; negative: one number, without an axis. */
void fsd_onnx_add_array(struct fsd_onnx_edits *edits, const char *name, int type,
                        int64_t count, const void *bytes, size_t n);

/** Likewise for any shape. */
void fsd_onnx_add_shaped(struct fsd_onnx_edits *edits, const char *name, int type,
                         const int64_t *dims, uint32_t rank, const void *bytes,
                         size_t n);

/** Changes the type of a tensor where its graph declares it.  If the tensor is an
 *  initializer that fsd_onnx_find_floats() knows, its numbers are also written as
 *  FSD_ONNX_FLOAT16 or _BFLOAT16; a number beyond the range becomes the greatest number
 *  of the type. */
void fsd_onnx_set_type(struct fsd_onnx_edits *edits, fsd_id tensor, int type);

/** Removes the entries with this name from these lists of the main graph.
 *  @param lists mask of enum fsd_onnx_list */
void fsd_onnx_drop_listed(struct fsd_onnx_edits *edits, unsigned lists, fsd_sym name);

/** Declares a tensor in a list of the main graph: replaces the list's entry with the
 *  same name, or appends a new one.
 *  @param list  FSD_ONNX_INPUTS, _OUTPUTS or _VALUES. */
void fsd_onnx_declare(struct fsd_onnx_edits *edits, enum fsd_onnx_list list,
                      const struct fsd_onnx_info *info);

/** Sets a metadata entry of a node that can be edited, or of the model (FSD_NONE),
 *  replacing one with the same key. */
void fsd_onnx_set_property(struct fsd_onnx_edits *edits, fsd_id node, const char *key,
                           const char *value);

/** Removes all functions but these, which are borrowed. */
void fsd_onnx_keep_functions(struct fsd_onnx_edits *edits,
                             const struct fsd_onnx_called *functions, uint32_t n);

/** Removes the training information, which describes the whole model. */
void fsd_onnx_drop_training(struct fsd_onnx_edits *edits);

/** Decides what happens to weights in other files; without this call, they stay there.
 */
void fsd_onnx_set_weights(struct fsd_onnx_edits *edits, enum fsd_onnx_weights weights);

/** Returns `base`, with a number appended if necessary, as a name that no tensor of the
 *  model has and that was not returned before.  It lives in the edits' arena. */
const char *fsd_onnx_new_name(struct fsd_onnx_edits *edits, const char *base);

/** Whether some of the model's weights are in other files, and its folder is known. */
bool fsd_onnx_has_external(const struct fsd_file *file);
