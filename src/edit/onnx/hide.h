/*
 * Writes a model that may be published: the same graph with other names, or with other
 * numbers as weights.
 *
 *     file     [node "stem/conv" <- "images" "stem.w"] [weights "stem.w": 9408 floats]
 *     hidden   [node "n1" <- "t1" "t2"] [weights "t2": 9408 times 2^-6]
 *
 * Text that ONNX or the builder defines stays: names of operators and attributes, and
 * the values that attributes may have. All other text is replaced or left out. Unknown
 * fields are left out.
 */
#pragma once

#include "base/base.h"

/** The kind of a name. */
enum fsd_named {
    FSD_NAMED_NODE,
    FSD_NAMED_TENSOR,
    FSD_NAMED_FUNCTION, /**< a function, or an operator that ONNX does not define */
    FSD_NAMED_DOMAIN,   /**< the domain of a function, or of an operator that ONNX does
                             not define */
    FSD_NAMED_DIM,      /**< a dynamic dimension */
    FSD_NAMED_WORD,     /**< any other text */
    FSD__NAMED_COUNT
};

/** Returns the new name of a text: equal texts get the same name. The name must live
 *  until the file is written. Never called for an empty text. */
typedef const char *fsd_rename_fn(void *payload, enum fsd_named of,
                                  struct fsd_slice name);

/** Whether a text stays unchanged, because all its words are ONNX's or the
 *  builder's. */
typedef bool fsd_public_fn(void *payload, struct fsd_slice text);

struct fsd_onnx_hiding {
    fsd_rename_fn *rename; /**< NULL: names stay */
    fsd_public_fn
        *is_public; /**< called for operators, domains, attributes and exporters; must
                         be set if `rename` is set */
    void *payload;
    bool weights; /**< whether to replace the numbers of weights:
                       - Floats become 2^-6.
                       - Integers of up to 16 bits become 1. In a tensor of at most one
                         axis, such as zero points, they become 0.
                       - Integers of 32 and 64 bits are sizes and indices. They stay if
                         they are in the model's file, and become 0 in another file.
                       - A single number stays if it is in the model's file */
};

/** Writes the model with these changes.
 *  @param file a model that fsd_onnx_load() accepts
 *  @return FSD_OK; FSD_E_LIMIT if the result is larger than 2 GiB; FSD_E_WRITE */
enum fsd_status fsd_onnx_hide(const struct fsd_file *file,
                              const struct fsd_onnx_hiding *how, FILE *out,
                              struct fsd_error *err);
