/*
 * A model with some of its tensors marked as outputs, and others passed through an If:
 *
 *     Sigmoid -> t -> Mul        Sigmoid -> t -> If -> t_passed -> Mul
 *
 * Both branches hand the tensor on as it is, so that the values stay the same; which
 * branch runs depends on the network's first input, so that no builder can leave the If
 * out.
 */
#ifndef FSD_OUT_MARKED_H
#define FSD_OUT_MARKED_H

#include "edit/mark/mark.h"
#include "edit/run.h"

struct fsd_marking {
    fsd_id_vec outputs; /**< tensors to be marked */
    fsd_id_vec passed;  /**< tensors that an If passes on */
};

/** What splits a group is added to it. */
void fsd_marking_add(struct fsd_arena *arena, struct fsd_marking *all,
                     const struct fsd_marks *m, fsd_id group);

/** Writes the model of the run with the tensors marked and passed on.
 *  @return as fsd_diff_mark(). */
enum fsd_status fsd_marking_write(const struct fsd_diff *d, struct fsd_arena *arena,
                                  const struct fsd_marking *what,
                                  enum fsd_onnx_weights weights, FILE *out,
                                  struct fsd_error *err);

#endif
