/* The rows of lint rules. Each row describes places in a model by a form
 * (explain/pattern/form.h), and has a sentence and the edits that fix such a place.
 * Only findings/lint_*.c include this. */
#pragma once

#include "judge/findings/lint.h"
#include "model/graph/graph.h"

/** A match of a form. A letter of the form stands for a tensor, and for the node that
 *  outputs the tensor. */
struct fsd_place {
    struct fsd_finder *f;
    const struct fsd_lint *l;
    const struct fsd_place_row *row;
    struct fsd_attempt fit;
    /* fsd_place_row.holds may set the following members. */
    int64_t number[3];                /**< "{0}" to "{2}" in the sentence */
    const char *text[2];              /**< "{A}" and "{B}" in the sentence */
    uint32_t input;                   /**< number of the input that the edit concerns;
                                           used if row->input is FSD_INPUT_SET */
    const struct fsd_quantizer *like; /**< used if row->like is 0 */
    const char *inserted;             /**< used if row->inserted is NULL */
};

enum { FSD_INPUT_SET = 8 };

/** A row of a lint rule. If several rows of a rule match a node, only the first of
 *  these rows counts.
 *
 *  Words of forms:
 *
 *      %q, %dq       a Q; a DQ
 *      %quantizer    a Q or a DQ
 *      %held         the DQ that the tensor holds (fsd_lint.holds)
 *      %pair         the Q before this DQ
 *      %own          like %pair; Q and DQ have no other consumers
 *      %bare         a tensor that holds no DQ
 *      %conv         the quantized convolution that outputs the tensor, also after a
 *                    bias or a normalization
 *      %weighted     a Conv, Gemm or MatMul
 *      %sum          an Add of two tensors that are not constants
 *
 *  Words of sentences:
 *
 *      {n}           the node of the letter n
 *      {'n}          the tensor of the letter n
 *      {0} {1} {2}   the numbers that `holds` sets
 *      {A} {B}       the texts that `holds` sets
 *      {#}           the number of the finding's nodes
 *      {?y|ies}      "y" if the finding has one node, else "ies" */
struct fsd_place_row {
    const char *rule, *form;
    bool (*holds)(struct fsd_place *p); /**< a condition that the form cannot express;
                                             NULL: none */
    const char *about; /**< letters of the nodes that become subjects; a letter without
                            a node is left out */
    const char *says;
    bool listed; /**< one finding lists all matches */
    bool note;   /**< the finding is information, although the rule warns */
    /* The edits of the row: */
    void (*propose)(struct fsd_place *p); /**< proposes edits that letters cannot
                                               express; NULL: none */
    const char *remove, *removed; /**< `remove`: letters of the Qs to remove; NULL:
                                       none. `removed`: the effect on the values */
    char insert;                  /**< letter of the node before which a pair is
                                       inserted or moved; 0: none */
    char move;            /**< letter of the Q whose pair is moved; 0: a new pair is
                               inserted */
    uint8_t input;        /**< number of the input of the node `insert`, or
                               FSD_INPUT_SET */
    char like;            /**< letter of the quantizer whose scale is used; 0: none */
    const char *inserted; /**< the effect on the values */
};

/** The lists of rows, one per file. An empty row ends a list. */
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

/** The quantizer that outputs the tensor of a letter; NULL if no quantizer does. */
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
