/*
 * Edits of a model: to the nodes of the graph that was read from its file, and to what
 * the main graph lists.  They are only collected here; edit/onnx/write.c writes the
 * file with them.
 *
 *     struct fsd_onnx_edits *edits = fsd_onnx_edits_new(arena, g);
 *     fsd_onnx_add_tensor(edits, "s", FSD_ONNX_FLOAT, &scale, sizeof scale);
 *     fsd_onnx_insert_node(edits, before, &(struct fsd_onnx_new_node){...});
 *     fsd_onnx_set_input(edits, before, 0, "q");
 */
#ifndef FSD_ONNX_EDITS_H
#define FSD_ONNX_EDITS_H

#include "base/base.h"
#include "model/graph/graph.h"

#include <stdio.h>

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

/** A node of ONNX's own domain, with few attributes. */
struct fsd_onnx_new_node {
    const char *op, *name;
    const char *inputs[4]; /**< as many as there are; NULL behind the last */
    const char *output;
    int to;                 /**< of a Cast: the element type; 0: it is none */
    bool drops_sizes;       /**< of a Reduce: it makes a scalar (keepdims 0) */
    bool along_first;       /**< of a quantizer: its scales are along axis 0 */
    struct {                /**< of an If: both of its branches hand this tensor on */
        const char *tensor; /**< NULL: it is none */
        int type;           /**< by ONNX's number */
    } passes;
};

/** What the main graph lists by name, as bits of a mask. */
enum fsd_onnx_list {
    FSD_ONNX_INITIALIZERS = 1 << 0,
    FSD_ONNX_SPARSE = 1 << 1, /**< sparse initializers */
    FSD_ONNX_INPUTS = 1 << 2,
    FSD_ONNX_OUTPUTS = 1 << 3,
    FSD_ONNX_VALUES = 1 << 4,      /**< types and sizes of tensors between these */
    FSD_ONNX_ANNOTATIONS = 1 << 5, /**< of quantization */
    FSD_ONNX_LISTS = (1 << 6) - 1
};

/** A tensor in a list of inputs, outputs or values. */
struct fsd_onnx_info {
    const char *name;
    int type;    /**< by ONNX's number */
    bool ranked; /**< false: its sizes are unknown */
    uint32_t rank;
    const int64_t *sizes;     /**< by axis; negative: open */
    const char *const *names; /**< by axis, of open sizes; NULL: they have none */
    const char *doc;          /**< what is said of it besides; NULL: nothing */
};

/** An attribute: a text where there is one, else an integer or a float. */
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

/** A node with all that a node may have; lists may be NULL where they are empty. */
struct fsd_onnx_whole_node {
    const char *op, *name, *domain;
    const char *const *inputs, *const *outputs;
    uint32_t n_inputs, n_outputs;
    const struct fsd_onnx_new_attribute *attributes;
    uint32_t n_attributes;
    const struct fsd_onnx_property *metadata;
    uint32_t n_metadata;
};

/** An operator that nodes call: a function of the model. */
struct fsd_onnx_called {
    const char *domain, *name;
};

/** What becomes of weights that a model has in other files. */
enum fsd_onnx_weights {
    FSD_ONNX_WEIGHTS_STAY,    /**< they stay in place, and are not opened */
    FSD_ONNX_WEIGHTS_CHECKED, /**< they stay there, and have to be there */
    FSD_ONNX_WEIGHTS_INLINED  /**< they are copied into the file that is written */
};

/** No edits yet.  @param g  as fsd_onnx_load() read it; it outlives the edits.  */
struct fsd_onnx_edits *fsd_onnx_edits_new(struct fsd_arena *arena,
                                          const struct fsd_graph *g);

/** A model without nodes, to which some are to be added.
 *  @param file    set to the file that is to be written; it lives in the arena.
 *  @param domain  of its operators: all that it imports.  */
struct fsd_onnx_edits *fsd_onnx_edits_of_nothing(struct fsd_arena *arena,
                                                 struct fsd_intern *names,
                                                 const char *domain,
                                                 struct fsd_file *file);

/** Puts a node behind all others of the main graph. */
void fsd_onnx_add_node(struct fsd_onnx_edits *edits,
                       const struct fsd_onnx_whole_node *node);

/** True where the node can be edited: the body of a model-local function is there once
 *  in the file and once for each call in the graph, so that its nodes cannot. */
bool fsd_onnx_can_edit(const struct fsd_graph *g, fsd_id node);

/* All that follow are of nodes that can be edited; names are copied. */

/** The node reads that tensor at an input that it has; the last edit of one counts. */
void fsd_onnx_set_input(struct fsd_onnx_edits *edits, fsd_id node, uint32_t input,
                        const char *name);

/** The node writes that tensor at an output that it has; the last edit of one holds. */
void fsd_onnx_set_output(struct fsd_onnx_edits *edits, fsd_id node, uint32_t output,
                         const char *name);

/** Leaves the node out. */
void fsd_onnx_drop_node(struct fsd_onnx_edits *edits, fsd_id node);

/** Inserts a node before that one, behind those inserted there already. */
void fsd_onnx_insert_node(struct fsd_onnx_edits *edits, fsd_id before,
                          const struct fsd_onnx_new_node *node);

/** Inserts a node behind that one, behind those inserted there already. */
void fsd_onnx_append_node(struct fsd_onnx_edits *edits, fsd_id behind,
                          const struct fsd_onnx_new_node *node);

/** Adds a number as an initializer of the main graph, in the place of one that it has
 *  under that name.
 *  @param bytes  its `n` bytes, little endian. */
void fsd_onnx_add_tensor(struct fsd_onnx_edits *edits, const char *name, int type,
                         const void *bytes, size_t n);

/** The same of a row of `count` numbers; negative: one number, without an axis. */
void fsd_onnx_add_array(struct fsd_onnx_edits *edits, const char *name, int type,
                        int64_t count, const void *bytes, size_t n);

/** The same of any shape. */
void fsd_onnx_add_shaped(struct fsd_onnx_edits *edits, const char *name, int type,
                         const int64_t *dims, uint32_t rank, const void *bytes,
                         size_t n);

/** States another type of a tensor: where its graph declares it, and of an initializer
 *  that fsd_onnx_find_floats() knows, whose numbers become FSD_ONNX_FLOAT16 or
 *  _BFLOAT16 as they are written; what is beyond its range becomes its greatest
 *  number. */
void fsd_onnx_set_type(struct fsd_onnx_edits *edits, fsd_id tensor, int type);

/** Leaves out what those lists of the main graph have under that name.
 *  @param lists  mask of enum fsd_onnx_list. */
void fsd_onnx_drop_listed(struct fsd_onnx_edits *edits, unsigned lists, fsd_sym name);

/** Declares a tensor in a list of the main graph: in the place of what the list has
 *  under that name, else at its end.
 *  @param list  FSD_ONNX_INPUTS, _OUTPUTS or _VALUES. */
void fsd_onnx_declare(struct fsd_onnx_edits *edits, enum fsd_onnx_list list,
                      const struct fsd_onnx_info *info);

/** Sets an entry of the metadata of a node that can be edited, or of the model
 *  (FSD_NONE), in place of one of the same key. */
void fsd_onnx_set_property(struct fsd_onnx_edits *edits, fsd_id node, const char *key,
                           const char *value);

/** Leaves out all functions but these, which are borrowed. */
void fsd_onnx_keep_functions(struct fsd_onnx_edits *edits,
                             const struct fsd_onnx_called *functions, uint32_t n);

/** Leaves out how the model is trained, which speaks of the whole of it. */
void fsd_onnx_drop_training(struct fsd_onnx_edits *edits);

/** Of weights in other files; without it they stay. */
void fsd_onnx_set_weights(struct fsd_onnx_edits *edits, enum fsd_onnx_weights weights);

/** `base`, or with a number behind it, so that no tensor of the model, and none that
 *  was named so before, has that name.  Of the edits' arena. */
const char *fsd_onnx_new_name(struct fsd_onnx_edits *edits, const char *base);

/** True when weights of the file are in other files, which its folder has. */
bool fsd_onnx_has_external(const struct fsd_file *file);

#endif
