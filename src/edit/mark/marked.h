/*
 * A model with some of its tensors marked as outputs, and others passed through an If:
 *
 *     Sigmoid -> t -> Mul        Sigmoid -> t -> If -> t_passed -> Mul
 *
 * Both branches forward the tensor unchanged, so the values stay the same; the
 * network's first input decides which branch runs, so no builder can remove the If.
 */
#pragma once

#include "edit/mark/mark.h"
#include "edit/run.h"

struct fsd_marking {
    fsd_id_vec outputs; /**< tensors to mark */
    fsd_id_vec passed;  /**< tensors that an If forwards */
};

/** Adds the tensors that split a group. */
void fsd_marking_add(struct fsd_arena *arena, struct fsd_marking *all,
                     const struct fsd_marks *m, fsd_id group);

/** Writes the model of the run with these tensors marked and forwarded.
 *  @return as fsd_diff_mark(). */
enum fsd_status fsd_marking_write(const struct fsd_diff *d, struct fsd_arena *arena,
                                  const struct fsd_marking *what,
                                  enum fsd_onnx_weights weights, FILE *out,
                                  struct fsd_error *err);
