/*
 * Recognizes the type of a file from its first bytes.  A wrong guess costs only a less
 * helpful message, so the tests are short; what is JSON is decided by the JSON reader,
 * which then distinguishes layers from profiles.
 */
#ifndef FSD_BASE_LOOK_H
#define FSD_BASE_LOOK_H

#include "base/file.h"

#include <stdbool.h>

enum fsd_look {
    FSD_LOOK_EMPTY, /**< no bytes, or only white space */
    FSD_LOOK_JSON,
    FSD_LOOK_LIST, /**< '[' and a number: a JSON list, or text that begins with a
                        size */
    FSD_LOOK_ONNX,
    FSD_LOOK_ORT,  /**< ONNX Runtime's own form of a model */
    FSD_LOOK_PLAN, /**< a serialized engine */
    FSD_LOOK_TFLITE,
    FSD_LOOK_SAFETENSORS,
    FSD_LOOK_HDF5,
    FSD_LOOK_PICKLE,
    FSD_LOOK_ZIP,
    FSD_LOOK_PACKED, /**< by gzip, xz or zstd (fsd_is_packed) */
    FSD_LOOK_TAR,
    FSD_LOOK_LFS, /**< the pointer file of Git LFS, in place of a file */
    FSD_LOOK_XML,
    FSD_LOOK_UTF16,
    FSD_LOOK_BINARY, /**< binary, of unknown type */
    FSD_LOOK_TEXT,   /**< text, of unknown type */
    FSD_N_LOOKS
};

enum fsd_look fsd_look(const struct fsd_file *file);

/** "a ZIP archive"; a noun to follow "found". */
const char *fsd_look_noun(enum fsd_look look);

/** Where the text begins, behind a byte order mark and white space. */
size_t fsd_look_start(const struct fsd_file *file);

/** True when these bytes are at `at`. */
bool fsd_looks_like(const struct fsd_file *file, size_t at, const char *bytes,
                    size_t n);

/** True when the word is in the first `within` bytes of the file. */
bool fsd_look_for(const struct fsd_file *file, size_t within, const char *word);

#endif
