/* Places of a model that a rule of lint is about, as rows: a form
 * (explain/pattern/form.h), a sentence and the edits that fix it.  Only
 * findings/lint_*.c. */
#ifndef FSD_FINDINGS_PLACE_H
#define FSD_FINDINGS_PLACE_H

#include "judge/findings/lint.h"

/** A match of a form.  A letter stands for a tensor, and for the node that outputs it.
 */
struct fsd_place {
    struct fsd_finder *f;
    const struct fsd_lint *l;
    const struct fsd_place_row *row;
    struct fsd_attempt fit;
    /* What `holds` may set. */
    int64_t number[3];                /**< "{0}" of the sentence */
    const char *text[2];              /**< "{A}" */
    uint32_t input;                   /**< of FSD_INPUT_SET */
    const struct fsd_quantizer *like; /**< where the row has none */
    const char *inserted;             /**< where the row has none */
};

enum { FSD_INPUT_SET = 8 };

/** Of a rule's rows, the first one that matches a node is reported.
 *
 *  The words of forms: %q, %dq, %quantizer; %pair, the Q whose DQ outputs the tensor,
 * and %own if neither has another consumer; %held, that DQ, and %bare if there is none;
 *  %conv, the quantized convolution that outputs the tensor, with its bias or
 *  normalization; %weighted, a Conv, Gemm or MatMul; %sum, an Add of two tensors that
 *  are no constants.
 *
 *  The words of sentences: {n} the node of a letter, {'n} its tensor, {0} {A} texts set
 *  by `holds`; of a list {#} its length, {?s|} by its length. */
struct fsd_place_row {
    const char *rule, *form;
    bool (*holds)(struct fsd_place *p); /**< what no form can express; NULL: nothing */
    const char *about; /**< letters of the finding's nodes; unset ones are left out */
    const char *says;
    bool listed; /**< one finding for all matches, which are listed behind it */
    bool note;   /**< information, though the rule warns */
    /* Its edits. */
    void (*propose)(struct fsd_place *p); /**< these, which no letter expresses; NULL */
    const char *remove, *removed; /**< letters of the Qs to remove, and the effect;
                                       NULL */
    char insert;                  /**< letter of the node that shall consume a pair;
                                       0 */
    char move;            /**< letter of the Q whose pair is moved there; 0: a new
                               one */
    uint8_t input;        /**< of that node, or FSD_INPUT_SET */
    char like;            /**< letter of the quantizer with its scale; 0 */
    const char *inserted; /**< the effect */
};

/** The rows by file; an empty row ends each list. */
extern const struct fsd_place_row fsd_rows_of_place[], fsd_rows_of_scale[],
    fsd_rows_of_products[], fsd_rows_of_build[];

/** The tensor of a letter; FSD_NONE if it is not set. */
static inline fsd_id fsd_place_tensor(const struct fsd_place *p, char letter)
{
    return p->fit.letter[letter - 'a'];
}

/** Its producer; FSD_NONE. */
static inline fsd_id fsd_place_node(const struct fsd_place *p, char letter)
{
    return fsd_tensor_producer(p->l->g, fsd_place_tensor(p, letter));
}

/** The quantizer of a letter; NULL. */
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

#endif
