/*
 * A model with some tensors marked as outputs, and with others that an If forwards:
 *
 *     Sigmoid -> t -> Mul        Sigmoid -> t -> If -> t_passed -> Mul
 *
 * Both branches of the If forward the tensor unchanged, so the values stay the same. An
 * input of the network decides which branch runs, so no builder can remove the If.
 */
#pragma once

#include "edit/mark/mark.h"
#include "model/onnx/edits.h"

struct fsd_marking {
    fsd_id_vec outputs; /**< tensors to mark */
    fsd_id_vec passed;  /**< tensors that an If forwards */
};

/** Adds the tensors of the group's break, which splits the group. */
void fsd_marking_add(struct fsd_arena *arena, struct fsd_marking *all,
                     const struct fsd_marks *m, fsd_id group);

/** Writes the model of the run with these tensors marked and forwarded.
 *  @return like fsd_diff_mark() */
enum fsd_status fsd_marking_write(const struct fsd_diff *d, struct fsd_arena *arena,
                                  const struct fsd_marking *what,
                                  enum fsd_onnx_weights weights, FILE *out,
                                  struct fsd_error *err);
