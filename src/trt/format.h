/* The inspector's words for a tensor's type and layout:
 * "Thirty-two wide channel vectorized row major Int8 format". */
#ifndef FSD_TRT_FORMAT_H
#define FSD_TRT_FORMAT_H

#include "model/dtype.h"

#include <stdbool.h>
#include <stddef.h>

struct fsd_trt_format {
    enum fsd_dtype type;
    struct fsd_layout layout;
    bool understood; /**< false: some word of it is not known */
};

/** Reads n bytes.  What no word says stays unknown. */
struct fsd_trt_format fsd_trt_format(const char *s, size_t n);

#endif
