/* Models with tensors marked, for views and for searches. */
#ifndef FSD_EDIT_MARKED_H
#define FSD_EDIT_MARKED_H

#include "edit/mark/marked.h"

/** Writes the model of the run with the tensors marked and passed on.
 *  @return as fsd_diff_mark(). */
enum fsd_status fsd_marking_write(const struct fsd_diff *d, struct fsd_arena *arena,
                                  const struct fsd_marking *what,
                                  enum fsd_onnx_weights weights, FILE *out,
                                  struct fsd_error *err);

#endif
