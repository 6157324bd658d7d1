/*
 * Recognizes the type of a file from its first bytes.  A wrong guess only makes a
 * message less helpful, so few bytes are examined.
 * Layers and profiles both have the type FSD_FILETYPE_JSON; the JSON reader
 * distinguishes them.
 */
#pragma once

#include "base/base.h"

enum fsd_file_type {
    FSD_FILETYPE_EMPTY, /**< no bytes, or only white space */
    FSD_FILETYPE_JSON,
    FSD_FILETYPE_LIST, /**< '[' and a number: a JSON list, or text that begins with a
                            shape */
    FSD_FILETYPE_ONNX,
    FSD_FILETYPE_ORT,  /**< a model in ONNX Runtime's own format */
    FSD_FILETYPE_PLAN, /**< a serialized engine */
    FSD_FILETYPE_TFLITE,
    FSD_FILETYPE_SAFETENSORS,
    FSD_FILETYPE_HDF5,
    FSD_FILETYPE_PICKLE,
    FSD_FILETYPE_ZIP,
    FSD_FILETYPE_COMPRESSED, /**< compressed with gzip, xz or zstd */
    FSD_FILETYPE_TAR,
    FSD_FILETYPE_LFS, /**< the small text file that Git LFS stores in place of a large
                           file */
    FSD_FILETYPE_XML,
    FSD_FILETYPE_UTF16,
    FSD_FILETYPE_PICTURE,
    FSD_FILETYPE_PDF,
    FSD_FILETYPE_PROGRAM,
    FSD_FILETYPE_DATABASE,
    FSD_FILETYPE_NUMPY,
    FSD_FILETYPE_GGUF,
    FSD_FILETYPE_BINARY, /**< binary, of unknown type */
    FSD_FILETYPE_TEXT,   /**< text, of unknown type */
    FSD_N_FILE_TYPES
};

enum fsd_file_type fsd_file_type_of(const struct fsd_file *file);

/** Returns a noun with its article, such as "a ZIP archive".  Messages print it after
 * "found". */
const char *fsd_file_type_noun(enum fsd_file_type type);
