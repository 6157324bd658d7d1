/* What the edits of lint make of a model, between the files of this folder. */
#ifndef FSD_FIX_APPLY_H
#define FSD_FIX_APPLY_H

#include "edit/fix/fix.h"

/* A Cast that was inserted, of a tensor. */
struct fsd_fix_cast {
    const char *name; /* of what it makes; NULL: there is none */
    fsd_id scope;     /* its graph */
    uint8_t to;       /* enum fsd_dtype */
};

struct fsd_apply {
    const struct fsd_fixes *f;
    const struct fsd_graph *g;
    struct fsd_onnx_edits *edits;
    fsd_id *instead;           /* by tensor: what is read in its place; itself */
    bool *dropped;             /* by node */
    bool *rewired;             /* by port: it reads another tensor */
    bool *kept;                /* by tensor: what is new reads it */
    uint8_t *cast_to;          /* by node: the enum fsd_dtype that it is to compute
                                     in, between Casts; unknown: as it is */
    const char **typed;        /* by tensor: its name in that type of its producer */
    struct fsd_fix_cast *cast; /* by tensor: the last one of it */
    const char **reads;        /* by port: what a node that was inserted there makes;
                                     NULL: none was */
    bool *sliced;              /* by tensor: it is cut out of what its producer makes */
};

/** The DQ at place i of those that read the Q's output; FSD_NONE for another reader. */
fsd_id fsd_fix_dq_at(const struct fsd_lint *l, fsd_id tensor, uint32_t i);
/** True for types that a scale may have. */
bool fsd_fix_is_scale(enum fsd_dtype type);

void fsd_fix_drop_node(struct fsd_apply *a, fsd_id node);
void fsd_fix_set_input(struct fsd_apply *a, fsd_id node, uint32_t input,
                       const char *name);
/** The tensor that is read in its place; itself. */
fsd_id fsd_fix_held(const struct fsd_apply *a, fsd_id tensor);
/** The name under which what the tensor held is read. */
const char *fsd_fix_name_of(struct fsd_apply *a, fsd_id tensor);
/** What the node reads there by now, and the name for something else in its place. */
const char *fsd_fix_read_at(struct fsd_apply *a, fsd_id node, uint32_t input);
const char *fsd_fix_new_read(struct fsd_apply *a, const struct fsd_edit *e,
                             uint32_t input, const char *word);
/** Inserts the node before that one, which reads its output there. */
void fsd_fix_insert_at(struct fsd_apply *a, fsd_id node, uint32_t input,
                       const struct fsd_onnx_new_node *made);
/** The name of a tensor in the type that its producer is to compute in; NULL: that is
 *  another one, or a Cast has to make it. */
const char *fsd_fix_typed_name(struct fsd_apply *a, fsd_id tensor, enum fsd_dtype to);
/** An output of a graph. */
bool fsd_fix_is_output(const struct fsd_apply *a, fsd_id tensor);
/** Adds numbers as an initializer of that name.
 *  @param type  of it: FP16, BF16, or else FP32 */
void fsd_fix_add_floats(struct fsd_apply *a, const char *name, enum fsd_dtype type,
                        const int64_t *dims, uint32_t rank, const float *floats,
                        uint32_t n);
/** Adds a scale.  @param type  of it; unknown: FP32 */
const char *fsd_fix_add_scale(struct fsd_apply *a, const char *base, double scale,
                              enum fsd_dtype type);

/** Why an edit cannot be made, NULL: it can; and its making. */
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

#endif
