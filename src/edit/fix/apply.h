/* Declarations that the files of this folder share. These files apply lint's edits to a
 * model. */
#pragma once

#include "edit/fix/fix.h"
#include "model/onnx/edits.h"

/* The last Cast that was inserted for a tensor. */
struct fsd_fix_cast {
    const char *name; /* name of the Cast's output; NULL: there is no Cast */
    fsd_id scope;     /* the graph that has the Cast */
    uint8_t to;       /* enum fsd_dtype */
};

struct fsd_apply {
    const struct fsd_fixes *f;
    const struct fsd_graph *g;
    struct fsd_onnx_edits *edits;
    fsd_id *instead;           /* indexed by tensor: the tensor that its consumers read
                                  instead; the tensor itself if nothing replaces it */
    bool *dropped;             /* indexed by node: the node is removed */
    bool *rewired;             /* indexed by port: an edit has replaced the tensor
                                  that the node reads */
    bool *kept;                /* indexed by tensor: an inserted node reads the
                                  tensor */
    uint8_t *cast_to;          /* indexed by node: enum fsd_dtype, the type in which the
                                  node will compute, between inserted Casts;
                                  FSD_DTYPE_UNKNOWN: its type does not change */
    const char **typed;        /* indexed by tensor: if its producer will compute in a
                                  new type (cast_to), the name of the tensor in this
                                  type; NULL: no new type, or no name was made yet */
    struct fsd_fix_cast *cast; /* indexed by tensor */
    const char **reads;        /* indexed by port: the output of the node that was
                                  inserted there; NULL: none */
    bool *sliced;              /* indexed by tensor: the tensor is a slice of its
                                  producer's output */
};

/** The i-th consumer of `tensor` if this consumer is a DQ; else FSD_NONE.
 *  @param tensor the output of a Q */
fsd_id fsd_fix_dq_at(const struct fsd_lint *l, fsd_id tensor, uint32_t i);
/** Whether a scale may have the type. */
bool fsd_fix_is_scale(enum fsd_dtype type);

void fsd_fix_drop_node(struct fsd_apply *a, fsd_id node);
void fsd_fix_set_input(struct fsd_apply *a, fsd_id node, uint32_t input,
                       const char *name);
/** The tensor that consumers read instead of `tensor`; `tensor` itself if nothing
 *  replaces it. */
fsd_id fsd_fix_held(const struct fsd_apply *a, fsd_id tensor);
/** The name under which consumers read the values of the tensor after the edits so
 *  far. */
const char *fsd_fix_name_of(struct fsd_apply *a, fsd_id tensor);
/** fsd_fix_read_at() returns the name that the node reads at an input after the edits
 *  so far. fsd_fix_new_read() makes a new name with `word` in it, for the output of a
 *  node that fsd_fix_insert_at() will insert before the input. */
const char *fsd_fix_read_at(struct fsd_apply *a, fsd_id node, uint32_t input);
const char *fsd_fix_new_read(struct fsd_apply *a, const struct fsd_edit *e,
                             uint32_t input, const char *word);
/** Inserts the node `made` before `node`. The input of `node` then reads the output of
 *  `made`. */
void fsd_fix_insert_at(struct fsd_apply *a, fsd_id node, uint32_t input,
                       const struct fsd_onnx_new_node *made);
/** The name of a tensor that has the values of `tensor` in the type `to`. There is such
 *  a tensor in two cases:
 *  - the producer of `tensor` will compute in the type `to`;
 *  - the producer of `tensor` is a Cast of the model, and its input has the type `to`.
 *  In all other cases, returns NULL: a new Cast is needed. */
const char *fsd_fix_typed_name(struct fsd_apply *a, fsd_id tensor, enum fsd_dtype to);
/** Whether the tensor is an output of a graph. */
bool fsd_fix_is_output(const struct fsd_apply *a, fsd_id tensor);
/** Adds numbers as an initializer of that name.
 *  @param type FP16 or BF16: the type in which the numbers are stored; any other value:
 *          FP32 */
void fsd_fix_add_floats(struct fsd_apply *a, const char *name, enum fsd_dtype type,
                        const int64_t *dims, uint32_t rank, const float *floats,
                        uint32_t n);
/** Adds a scale as an initializer, and returns its name.
 *  @param type the type of the scale; unknown: FP32 */
const char *fsd_fix_add_scale(struct fsd_apply *a, const char *base, double scale,
                              enum fsd_dtype type);

/** For each kind of edit, one function returns the reason why an edit cannot be applied
 *  (NULL: it can), and another function applies the edit. */
typedef const char *fsd_fix_refuse_fn(struct fsd_fixes *f, const struct fsd_edit *e);
typedef void fsd_fix_make_fn(struct fsd_apply *a, const struct fsd_fix *fix);

/* quantizer.c */
fsd_fix_refuse_fn fsd_fix_refuse_scale, fsd_fix_refuse_symmetric, fsd_fix_refuse_spread,
    fsd_fix_refuse_dimension;
fsd_fix_make_fn fsd_fix_set_scale, fsd_fix_make_symmetric, fsd_fix_spread_scale,
    fsd_fix_add_dimension;
/* stored.c */
fsd_fix_refuse_fn fsd_fix_refuse_store;
fsd_fix_make_fn fsd_fix_store;
/* casts.c */
fsd_fix_refuse_fn fsd_fix_refuse_cast;
fsd_fix_make_fn fsd_fix_set_type, fsd_fix_insert_casts;
/* attention.c */
fsd_fix_refuse_fn fsd_fix_refuse_first, fsd_fix_refuse_repeat, fsd_fix_refuse_pad,
    fsd_fix_refuse_slice, fsd_fix_refuse_unmark;
fsd_fix_make_fn fsd_fix_drop_scale, fsd_fix_scale_first, fsd_fix_repeat_heads,
    fsd_fix_pad_input, fsd_fix_slice_output, fsd_fix_unmark_output;
