/* The parts of a layer's name: "conv1.weight + Conv_9 + PWN(Clip_16)". */
#ifndef FSD_TRT_EXPR_H
#define FSD_TRT_EXPR_H

#include "model/graph.h"
#include "model/vocab.h"
#include "trt/scan.h"

struct fsd_expr {
    struct fsd_scan text;
    struct fsd_graph *g;
    const struct fsd_vocab *vocab; /**< NULL: nothing is known */
    uint64_t steps;                /**< of looking up names: so many are left */
    bool serving;                  /**< all of it is what a reformat was made for */
    bool copying;                  /**< all of it is what a copy to the DLA moves */
    bool dots;                     /**< the "..." of a region was met */
    int part;                      /**< what the part just read is: expr.c */
};

/** A name of the model at the start of some text, and what follows it there. */
struct fsd_known {
    const struct fsd_meaning *what;
    size_t len;
    struct fsd_tail {
        size_t end;   /**< behind "_clone_2", "_17", " copy" and the like */
        bool copies;  /**< one of them says that this is a copy */
        bool counted; /**< one of them is a bare number */
    } tail;
};

/** The longest name at `at` that ends at a boundary and means something.  Names of
 *  ordinary tensors are taken only when nothing else is found. */
bool fsd_expr_known(struct fsd_expr *p, size_t at, enum fsd_place in,
                    struct fsd_known *out);

/** Writes the text from `at` to `end` down as a mention; nothing when it is empty. */
void fsd_expr_mention(struct fsd_expr *p, enum fsd_mention_role role, size_t at,
                      size_t end, const struct fsd_meaning *what, bool loose);

/** The same of a name that was found at `at`. */
void fsd_expr_mention_known(struct fsd_expr *p, enum fsd_mention_role role, size_t at,
                            const struct fsd_known *known);

void fsd_expr_remark(const struct fsd_expr *p, const char *rule);

/** Reads all parts.  A form that `layer` already has is left as it is. */
void fsd_expr_read(struct fsd_expr *p, struct fsd_layer *layer);

#endif
