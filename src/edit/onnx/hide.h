/*
 * A model as a stranger may see it: the same graph, with other names, or with other
 * numbers in its weights.
 *
 *     file     [node "stem/conv" <- "images" "stem.w"] [weights "stem.w": 9408 floats]
 *     hidden   [node "n1" <- "t1" "t2"] [weights "t2": 9408 times 2^-6]
 *
 * Everything in the file that is text is renamed or left out, unless ONNX itself or the
 * builder gives it its meaning: names of operators, of their attributes, and the words
 * that these may have.  What is not known here is left out.
 */
#ifndef FSD_ONNX_HIDE_H
#define FSD_ONNX_HIDE_H

#include "base/base.h"

/** What a name is of. */
enum fsd_named {
    FSD_NAMED_NODE,
    FSD_NAMED_TENSOR,
    FSD_NAMED_FUNCTION, /**< or an operator that ONNX does not have */
    FSD_NAMED_DOMAIN,   /**< of these */
    FSD_NAMED_DIM,      /**< an open size */
    FSD_NAMED_WORD,     /**< anything else */
    FSD__NAMED_COUNT
};

/** The new name, which lives as long as the file is written; the same for the same
 *  text.  Of a text without bytes it is not asked. */
typedef const char *fsd_rename_fn(void *payload, enum fsd_named of,
                                  struct fsd_slice name);

/** True for a text that stays as it is: all its words are ONNX's or the builder's. */
typedef bool fsd_public_fn(void *payload, struct fsd_slice text);

struct fsd_onnx_hiding {
    fsd_rename_fn *rename; /**< NULL: names stay */
    fsd_public_fn
        *is_public; /**< asked of operators, domains, attributes and exporters;
                                   not NULL if rename is not */
    void *payload;
    bool weights; /**< put others in their place: floats become 2^-6, integers of up to
                       16 bits 1, or 0 in a row (as zero points are); those of 32 and
                       64 bits, which are sizes and indices, and single numbers stay,
                       unless they are in another file, of which they become 0 */
};

/** Writes the model so.
 *  @param file  a model that fsd_onnx_load() takes.
 *  @return FSD_OK; FSD_E_LIMIT for a result of more than 2 GiB; FSD_E_WRITE. */
enum fsd_status fsd_onnx_hide(const struct fsd_file *file,
                              const struct fsd_onnx_hiding *how, FILE *out,
                              struct fsd_error *err);

#endif
