/* What a file looks like, from its first bytes. */
#ifndef FSD_TRT_SNIFF_H
#define FSD_TRT_SNIFF_H

#include "base/file.h"

#include <stdbool.h>
#include <stddef.h>

enum fsd_look {
    FSD_LOOK_EMPTY, /**< no bytes, or only white space */
    FSD_LOOK_JSON,
    FSD_LOOK_LOG,       /**< a builder's log */
    FSD_LOOK_INSPECTOR, /**< the inspector's one-line-a-layer text */
    FSD_LOOK_ENGINE,    /**< a serialized engine */
    FSD_LOOK_ONNX,
    FSD_LOOK_TFLITE,
    FSD_LOOK_ZIP,
    FSD_LOOK_GZIP,
    FSD_LOOK_UTF16,
    FSD_LOOK_BINARY, /**< binary, and nothing that is known */
    FSD_LOOK_TEXT    /**< text, and nothing that is known */
};

enum fsd_look fsd_sniff(const unsigned char *bytes, size_t n);

/** True when the file is a build log, by its content. */
bool fsd_is_log(const struct fsd_file *file);

/** False when the file is certainly something else: a model, a dump, an archive.  For a
 *  file that the user calls a log, which may begin with anything. */
bool fsd_may_be_log(const struct fsd_file *file);

#endif
