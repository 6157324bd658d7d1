/* What the edits of lint make of a model, between the files of this folder. */
#ifndef FSD_FIX_APPLY_H
#define FSD_FIX_APPLY_H

#include "edit/fix/fix.h"

struct fsd_apply {
    const struct fsd_fixes *f;
    const struct fsd_graph *g;
    struct fsd_onnx_edits *edits;
    fsd_id *instead;              /* by tensor: what is read in its place; itself */
    bool *dropped;                /* by node */
    bool *rewired;                /* by port: it reads another tensor */
    bool *kept;                   /* by tensor: what is new reads it */
    bool *widened;                /* by node: it is to compute in FP32 */
    const char **wide, **cast_as; /* by tensor: its name in FP32, by itself and of a
                                     Cast in the graph `cast_in` - 1 */
    fsd_id *cast_in;
};

/** The DQ at place i of those that read the Q's output; FSD_NONE for another reader. */
fsd_id fsd_fix_dq_at(const struct fsd_lint *l, fsd_id tensor, uint32_t i);
/** True for types that a scale may have. */
bool fsd_fix_is_scale(enum fsd_dtype type);

void fsd_fix_drop_node(struct fsd_apply *a, fsd_id node);
void fsd_fix_set_input(struct fsd_apply *a, fsd_id node, uint32_t input,
                       const char *name);
/** The name under which what the tensor held is read. */
const char *fsd_fix_name_of(struct fsd_apply *a, fsd_id tensor);
/** Adds a scale.  @param type  of it; unknown: FP32 */
const char *fsd_fix_add_scale(struct fsd_apply *a, const char *base, double scale,
                              enum fsd_dtype type);

/** Why an edit cannot be made, NULL: it can; and its making. */
typedef const char *fsd_fix_refuse_fn(struct fsd_fixes *f, const struct fsd_edit *e);
typedef void fsd_fix_make_fn(struct fsd_apply *a, const struct fsd_fix *fix);

fsd_fix_refuse_fn fsd_fix_refuse_scale, fsd_fix_refuse_symmetric, fsd_fix_refuse_spread,
    fsd_fix_refuse_dimension;
fsd_fix_make_fn fsd_fix_set_scale, fsd_fix_make_symmetric, fsd_fix_spread_scale,
    fsd_fix_add_dimension;

#endif
