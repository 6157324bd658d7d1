/*
 * Functions that collect edits of a model: of its nodes, and of the lists of its main
 * graph. edit/onnx/write.c later writes the file with all collected edits.
 *
 *     struct fsd_onnx_edits *edits = fsd_onnx_edits_new(arena, g);
 *     fsd_onnx_add_tensor(edits, "s", FSD_ONNX_FLOAT, &scale, sizeof scale);
 *     fsd_onnx_insert_node(edits, before, &(struct fsd_onnx_new_node){...});
 *     fsd_onnx_set_input(edits, before, 0, "q");
 */
#pragma once

#include "base/base.h"

struct fsd_graph;

/** The numbers of element types in ONNX. */
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

/** A new node.  Its operator is in ONNX's own domain.  Its attributes follow from `to`,
 *  `drops_sizes`, `along_first` and `passes`; it has no other attributes. */
struct fsd_onnx_new_node {
    const char *op, *name;
    const char *inputs[4]; /**< the names of the inputs, and NULL after the last one */
    const char *output;
    int to;                 /**< for a Cast: the number of the target type in ONNX; 0:
                                 the node is not a Cast */
    bool drops_sizes;       /**< for a reduction: it outputs a scalar (keepdims 0) */
    bool along_first;       /**< for a quantizer: the scales are along axis 0 */
    struct {                /**< for an If: the tensor that both branches forward */
        const char *tensor; /**< the name; NULL: the node is not an If */
        int type;           /**< the number of its type in ONNX */
    } passes;
};

/** The lists of the main graph whose entries have names, as bits of a mask. */
enum fsd_onnx_list {
    FSD_ONNX_INITIALIZERS = 1 << 0,
    FSD_ONNX_SPARSE = 1 << 1, /**< sparse initializers */
    FSD_ONNX_INPUTS = 1 << 2,
    FSD_ONNX_OUTPUTS = 1 << 3,
    FSD_ONNX_VALUES = 1 << 4,      /**< declarations of tensors that are neither inputs
                                        nor outputs (value_info) */
    FSD_ONNX_ANNOTATIONS = 1 << 5, /**< quantization annotations */
    FSD_ONNX_LISTS = (1 << 6) - 1
};

/** The declaration of a tensor in the inputs, outputs or value_info of a graph. */
struct fsd_onnx_info {
    const char *name;
    int type;    /**< the number of its type in ONNX */
    bool ranked; /**< false: its sizes are unknown */
    uint32_t rank;
    const int64_t *sizes;     /**< the size of each axis; negative: dynamic */
    const char *const *names; /**< the name of each axis with a dynamic size; NULL: no
                                   axis has a name */
    const char *doc;          /**< the description of the tensor (doc_string); NULL:
                                   none */
};

/** An attribute: a text, an integer or a float. */
struct fsd_onnx_new_attribute {
    const char *name, *text;
    bool is_float;
    int64_t number;
    double real;
};

/** An entry of the metadata of a node or a model. */
struct fsd_onnx_property {
    const char *key, *value;
};

/** A node with any number of inputs, outputs and attributes.  An empty list may be
 * NULL. */
struct fsd_onnx_whole_node {
    const char *op, *name, *domain;
    const char *const *inputs, *const *outputs;
    uint32_t n_inputs, n_outputs;
    const struct fsd_onnx_new_attribute *attributes;
    uint32_t n_attributes;
    const struct fsd_onnx_property *metadata;
    uint32_t n_metadata;
};

/** Identifies a model-local function, which nodes call like an operator. */
struct fsd_onnx_called {
    const char *domain, *name;
};

/** The way in which the writer handles weights in other files. */
enum fsd_onnx_weights {
    FSD_ONNX_WEIGHTS_STAY,    /**< the weights stay in their files, which are not
                                   opened */
    FSD_ONNX_WEIGHTS_CHECKED, /**< the weights stay in their files, which must exist */
    FSD_ONNX_WEIGHTS_INLINED  /**< the writer copies the weights into the model file */
};

/** Creates an empty list of edits.
 *  @param g  a graph from fsd_onnx_load(), which must outlive the edits */
struct fsd_onnx_edits *fsd_onnx_edits_new(struct fsd_arena *arena,
                                          const struct fsd_graph *g);

/** Creates a model without nodes, and an empty list of edits.  The caller adds nodes.
 *  @param file  receives the model file, to which the writer applies the edits; its
 *               bytes live in the arena
 *  @param domain  the domain of all operators; the model imports no other domain */
struct fsd_onnx_edits *fsd_onnx_edits_of_nothing(struct fsd_arena *arena,
                                                 struct fsd_intern *names,
                                                 const char *domain,
                                                 struct fsd_file *file);

/** Appends a node to the main graph. */
void fsd_onnx_add_node(struct fsd_onnx_edits *edits,
                       const struct fsd_onnx_whole_node *node);

/** Whether the node can be edited.  A node in the body of a model-local function
 *  cannot: the file has one copy of the body, but the graph has one for each call. */
bool fsd_onnx_can_edit(const struct fsd_graph *g, fsd_id node);

/* In all functions below, fsd_onnx_can_edit() must be true for the node.  The functions
 * copy names. */

/** Makes the node read this tensor at an existing input.  The last call for an input
 *  counts. */
void fsd_onnx_set_input(struct fsd_onnx_edits *edits, fsd_id node, uint32_t input,
                        const char *name);

/** Makes the node write this tensor at an existing output.  The last call for an output
 *  counts. */
void fsd_onnx_set_output(struct fsd_onnx_edits *edits, fsd_id node, uint32_t output,
                         const char *name);

/** Removes the node. */
void fsd_onnx_drop_node(struct fsd_onnx_edits *edits, fsd_id node);

/** Inserts a node before the node `before`.  If nodes were inserted there earlier, the
 *  new one follows them. */
void fsd_onnx_insert_node(struct fsd_onnx_edits *edits, fsd_id before,
                          const struct fsd_onnx_new_node *node);

/** Inserts a node after the node `behind`.  If nodes were inserted there earlier, the
 *  new one follows them. */
void fsd_onnx_append_node(struct fsd_onnx_edits *edits, fsd_id behind,
                          const struct fsd_onnx_new_node *node);

/** Adds an initializer without axes, which is one number, to the main graph.  It
 *  replaces an initializer with the same name.
 *  @param type  the number of the element type in ONNX
 *  @param bytes  the number in little endian, `n` bytes */
void fsd_onnx_add_tensor(struct fsd_onnx_edits *edits, const char *name, int type,
                         const void *bytes, size_t n);

/** Adds an initializer with one axis of `count` numbers to the main graph.  If `count`
 *  is negative, the initializer is one number without an axis.  It replaces an
 *  initializer with the same name. */
void fsd_onnx_add_array(struct fsd_onnx_edits *edits, const char *name, int type,
                        int64_t count, const void *bytes, size_t n);

/** Adds an initializer of any shape to the main graph.  It replaces an initializer with
 * the same name. */
void fsd_onnx_add_shaped(struct fsd_onnx_edits *edits, const char *name, int type,
                         const int64_t *dims, uint32_t rank, const void *bytes,
                         size_t n);

/** Changes the type of a tensor in the inputs and the value_info of its graph, but not
 *  in the outputs.  If the tensor is an initializer, fsd_onnx_find_floats() must have
 *  found it, and `type` must be FSD_ONNX_FLOAT16 or FSD_ONNX_BFLOAT16.  The writer then
 *  converts the numbers.  A number beyond the range of `type` becomes the greatest
 *  number of `type`. */
void fsd_onnx_set_type(struct fsd_onnx_edits *edits, fsd_id tensor, int type);

/** Removes the entries with this name from these lists of the main graph.
 *  @param lists  a mask of enum fsd_onnx_list */
void fsd_onnx_drop_listed(struct fsd_onnx_edits *edits, unsigned lists, fsd_sym name);

/** Declares a tensor in a list of the main graph.  The declaration replaces the list's
 *  entry with the same name, or is appended.
 *  @param list  FSD_ONNX_INPUTS, FSD_ONNX_OUTPUTS or FSD_ONNX_VALUES */
void fsd_onnx_declare(struct fsd_onnx_edits *edits, enum fsd_onnx_list list,
                      const struct fsd_onnx_info *info);

/** Sets a metadata entry of a node; of the model if `node` is FSD_NONE.  The entry
 *  replaces an entry with the same key. */
void fsd_onnx_set_property(struct fsd_onnx_edits *edits, fsd_id node, const char *key,
                           const char *value);

/** Removes all model-local functions except these.  The array `functions` must outlive
 * the edits. */
void fsd_onnx_keep_functions(struct fsd_onnx_edits *edits,
                             const struct fsd_onnx_called *functions, uint32_t n);

/** Removes the training information, because it describes the whole model and would not
 * fit an edited one. */
void fsd_onnx_drop_training(struct fsd_onnx_edits *edits);

/** Sets how the writer handles weights in other files.  Without this call, they stay in
 * their files.
 */
void fsd_onnx_set_weights(struct fsd_onnx_edits *edits, enum fsd_onnx_weights weights);

/** Returns a new name for a tensor, in the arena of the edits.  The name is `base`.  If
 *  the model has this name, or an earlier call returned it, a number is appended to
 *  it. */
const char *fsd_onnx_new_name(struct fsd_onnx_edits *edits, const char *base);

/** Whether the model has weights in other files. */
bool fsd_onnx_has_external(const struct fsd_file *file);
