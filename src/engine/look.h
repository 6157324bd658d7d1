/* What a file looks like, from its first bytes, whoever wrote it. */
#ifndef FSD_ENGINE_LOOK_H
#define FSD_ENGINE_LOOK_H

#include "base/file.h"

#include <stdbool.h>

enum fsd_look {
    FSD_LOOK_EMPTY, /**< no bytes, or only white space */
    FSD_LOOK_JSON,
    FSD_LOOK_LIST, /**< '[' and a number: a JSON list, or text that opens with a size */
    FSD_LOOK_ONNX,
    FSD_LOOK_TFLITE,
    FSD_LOOK_ZIP,
    FSD_LOOK_GZIP,
    FSD_LOOK_UTF16,
    FSD_LOOK_BINARY, /**< binary, and nothing that is known */
    FSD_LOOK_TEXT    /**< text, and nothing that is known */
};

enum fsd_look fsd_look(const struct fsd_file *file);

/** Where the text begins, behind a byte order mark and white space. */
size_t fsd_look_start(const struct fsd_file *file);

/** True when these bytes stand at `at`. */
bool fsd_looks_like(const struct fsd_file *file, size_t at, const char *bytes,
                    size_t n);

/** True when the word stands in the first `within` bytes of the file. */
bool fsd_look_for(const struct fsd_file *file, size_t within, const char *word);

#endif
