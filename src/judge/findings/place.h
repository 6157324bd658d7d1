/* The places in a model that a rule of lint is about, as rows: a form
 * (explain/pattern/form.h), a sentence, and the edits that fix it. For
 * findings/lint_*.c only. */
#pragma once

#include "judge/findings/lint.h"
#include "model/graph/graph.h"

/** A match of a form. A letter stands for a tensor, and also for the node that outputs
 *  it. */
struct fsd_place {
    struct fsd_finder *f;
    const struct fsd_lint *l;
    const struct fsd_place_row *row;
    struct fsd_attempt fit;
    /* Members that `holds` may set. */
    int64_t number[3];                /**< "{0}" in the sentence */
    const char *text[2];              /**< "{A}" in the sentence */
    uint32_t input;                   /**< the input for FSD_INPUT_SET */
    const struct fsd_quantizer *like; /**< used if the row has none */
    const char *inserted;             /**< used if the row has none */
};

enum { FSD_INPUT_SET = 8 };

/** For each node, the first matching row of a rule is reported.
 *
 *  The words of forms: %q, %dq, %quantizer; %pair: the Q whose DQ outputs the tensor;
 *  %own: the same if neither has another consumer; %held: that DQ; %bare: there is no
 *  such DQ; %conv: the quantized convolution that outputs the tensor, with its bias or
 *  normalization; %weighted: a Conv, Gemm or MatMul; %sum: an Add of two tensors that
 *  are not constants.
 *
 *  The words of sentences: {n} the node of a letter, {'n} its tensor, {0} {A} texts set
 *  by `holds`; for a list, {#} its length, and {?s|} a plural ending by its length. */
struct fsd_place_row {
    const char *rule, *form;
    bool (*holds)(struct fsd_place *p); /**< a condition that the form cannot express;
                                             NULL: none */
    const char *about; /**< letters of the finding's nodes; letters without a node are
                            left out */
    const char *says;
    bool listed; /**< one finding for all matches, which lists them */
    bool note;   /**< the finding is information, though the rule warns */
    /* The edits of the row: */
    void (*propose)(struct fsd_place *p); /**< edits that no letter can express; NULL:
                                               none */
    const char *remove, *removed; /**< letters of the Qs to remove, and the effect;
                                       NULL: none */
    char insert;                  /**< letter of the node that a pair is inserted or
                                       moved before; 0: none */
    char move;            /**< letter of the Q whose pair is moved there; 0: insert a
                               new pair */
    uint8_t input;        /**< the input of that node, or FSD_INPUT_SET */
    char like;            /**< letter of the quantizer whose scale is used; 0: none */
    const char *inserted; /**< the effect on the values */
};

/** The rows, one list per file; an empty row ends each list. */
extern const struct fsd_place_row fsd_rows_of_place[], fsd_rows_of_scale[],
    fsd_rows_of_products[], fsd_rows_of_build[];

/** The tensor of a letter; FSD_NONE if it is not set. */
static inline fsd_id fsd_place_tensor(const struct fsd_place *p, char letter)
{
    return p->fit.letter[letter - 'a'];
}

/** The node that outputs the tensor of a letter; FSD_NONE if there is none. */
static inline fsd_id fsd_place_node(const struct fsd_place *p, char letter)
{
    return fsd_tensor_producer(p->l->g, fsd_place_tensor(p, letter));
}

/** The quantizer of a letter; NULL if it is not a quantizer. */
static inline const struct fsd_quantizer *fsd_place_q(const struct fsd_place *p,
                                                      char letter)
{
    return fsd_lint_quantizer(p->l, fsd_place_node(p, letter));
}

/** Sets the letter to the node, or to FSD_NONE. */
static inline void fsd_place_set(struct fsd_place *p, char letter, fsd_id node)
{
    p->fit.letter[letter - 'a'] = fsd_node_out_tensor(p->l->g, node, 0);
}
