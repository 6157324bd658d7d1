/* Declarations that the files of this folder share. They apply edits of lint to a
 * model. */
#pragma once

#include "edit/fix/fix.h"

/* A Cast that was inserted for a tensor. */
struct fsd_fix_cast {
    const char *name; /* output of the Cast; NULL: there is no Cast */
    fsd_id scope;     /* graph of the Cast */
    uint8_t to;       /* enum fsd_dtype */
};

struct fsd_apply {
    const struct fsd_fixes *f;
    const struct fsd_graph *g;
    struct fsd_onnx_edits *edits;
    fsd_id *instead;           /* by tensor: the tensor that its consumers read instead;
                                  the tensor itself if nothing replaces it */
    bool *dropped;             /* by node: it is removed */
    bool *rewired;             /* by port: the node reads another tensor there */
    bool *kept;                /* by tensor: an inserted node reads it */
    uint8_t *cast_to;          /* by node: the enum fsd_dtype in which it will compute,
                                  between Casts; unknown: unchanged */
    const char **typed;        /* by tensor: its name in the type in which its producer
                                  will compute */
    struct fsd_fix_cast *cast; /* by tensor: the last Cast that was inserted for it */
    const char **reads;        /* by port: the output of a node that was inserted there;
                                  NULL: none */
    bool *sliced;              /* by tensor: it is a slice of the output of its
                                  producer */
};

/** The i-th consumer of the Q's output, if that is a DQ; FSD_NONE for another
 * consumer. */
fsd_id fsd_fix_dq_at(const struct fsd_lint *l, fsd_id tensor, uint32_t i);
/** True for types that a scale may have. */
bool fsd_fix_is_scale(enum fsd_dtype type);

void fsd_fix_drop_node(struct fsd_apply *a, fsd_id node);
void fsd_fix_set_input(struct fsd_apply *a, fsd_id node, uint32_t input,
                       const char *name);
/** The tensor that consumers read instead of this one; the tensor itself if nothing
 * replaces it. */
fsd_id fsd_fix_held(const struct fsd_apply *a, fsd_id tensor);
/** The name under which consumers read the values of the tensor. */
const char *fsd_fix_name_of(struct fsd_apply *a, fsd_id tensor);
/** The name that the node reads at an input after the edits so far; and a new name that
 * it reads there from now on, derived from `word`. */
const char *fsd_fix_read_at(struct fsd_apply *a, fsd_id node, uint32_t input);
const char *fsd_fix_new_read(struct fsd_apply *a, const struct fsd_edit *e,
                             uint32_t input, const char *word);
/** Inserts the node `made` before `node`, which then reads the output of `made` at that
 * input. */
void fsd_fix_insert_at(struct fsd_apply *a, fsd_id node, uint32_t input,
                       const struct fsd_onnx_new_node *made);
/** The name of a tensor in the type in which its producer will compute; NULL: the
 * tensor has a different type, or needs a Cast. */
const char *fsd_fix_typed_name(struct fsd_apply *a, fsd_id tensor, enum fsd_dtype to);
/** True for an output of a graph. */
bool fsd_fix_is_output(const struct fsd_apply *a, fsd_id tensor);
/** Adds numbers as an initializer of that name.
 * @param type the type of the numbers: FP16 or BF16; any other value means FP32 */
void fsd_fix_add_floats(struct fsd_apply *a, const char *name, enum fsd_dtype type,
                        const int64_t *dims, uint32_t rank, const float *floats,
                        uint32_t n);
/** Adds a scale. @param type the type of the scale; unknown: FP32 */
const char *fsd_fix_add_scale(struct fsd_apply *a, const char *base, double scale,
                              enum fsd_dtype type);

/** For each action: the reason why an edit cannot be applied (NULL: it can), and its
 * application. */
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
