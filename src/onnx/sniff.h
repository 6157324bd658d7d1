/* What a file is that is not an ONNX model. */
#ifndef FSD_ONNX_SNIFF_H
#define FSD_ONNX_SNIFF_H

#include "base/file.h"

/** Looks at the first bytes of a file that could not be read as a model.
 *  @return FSD_OK when they are like nothing known, else the status that `err` now
 *          describes: what it looks like, and what to give instead. */
enum fsd_status fsd_onnx_sniff(const struct fsd_file *file, struct fsd_error *err);

#endif
