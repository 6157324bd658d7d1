/*
 * Forms describe parts of a model as expressions.  An expression begins with the last
 * node, and its arguments are the inputs of this node:
 *
 *     Add?(c, Mul?(c, Div(Sub(x, ReduceMean(x)), ...)))
 *     n=Conv|ConvTranspose(q=%pair(Pad)) > Relu
 *
 *     Div|Mul        an operator; `|` separates alternatives
 *     @gelu          all operators with this `known_as` in model/ops/table.inc
 *     %pair          a word that the caller defines
 *     Mul?(c, x)     a Mul that may be missing; its last operand then takes its place
 *     c              a constant
 *     x              a tensor that is not constant; the same letter is always the same
 *                    tensor
 *     b=Conv         a Conv whose output gets the letter b
 *     *MatMul        looks back through elementwise operators, such as scales and
 *                    masks; matches if this leads to exactly one MatMul
 *     Conv > Relu    a Conv whose first output has a Relu as its only consumer
 *
 * Operands that are not listed may be anything.  The operands of symmetric operators
 * match in either order.
 */
#pragma once

#include "match/facts.h"

enum { FSD_FIT_NODES = 64, FSD_FIT_CHOICES = 12, FSD_FIT_LETTERS = 26 };

/** The maximum number of steps of a walk.  The nodes of a block are close together. */
enum { FSD_FIT_WALK = 64 };

/** The state of an attempt to match a form to a model, and the result if the form
 *  fits. */
struct fsd_attempt {
    const struct fsd_facts *facts;
    const struct fsd_graph *g;
    const bool *passing; /**< indexed by node: whether a match may skip the node
                              between two operators of the form.  `passed` lists the
                              skipped nodes.  NULL: no node may be skipped, and
                              constants are treated like other tensors */
    /** Whether the tensor matches "%word".  Sets *node to the matching node, or to
     *  FSD_NONE if the tensor itself matches.  NULL if forms have no such words. */
    bool (*word)(const struct fsd_attempt *a, const char *word, size_t length,
                 fsd_id tensor, fsd_id *node);
    void *of;                       /**< data of the caller, for `word` */
    fsd_id letter[FSD_FIT_LETTERS]; /**< indexed by letter, from 'a': the tensor;
                                         FSD_NONE if not yet found */
    fsd_id nodes[FSD_FIT_NODES], passed[FSD_FIT_NODES];
    uint32_t n, n_passed;
    fsd_id end, either, joint; /**< nodes of a residual, as in struct fsd_block */
    /* For each symmetric operator, in the order in which the attempt meets them:
     * whether its operands are swapped.  All combinations are tried, because a later
     * operand may decide which tensor a letter is. */
    bool flipped[FSD_FIT_CHOICES];
    uint32_t met, chosen;
};

/** Tries to match the form with `node` as its last node.  Tries all orders of operands
 *  until the form fits and `holds` returns true.  `holds` may be NULL. */
bool fsd_form_fits(struct fsd_attempt *a, const char *form, fsd_id node,
                   bool (*holds)(struct fsd_attempt *a));

/** Whether a node with the operator `op` may be the last node of the form. */
bool fsd_form_may_end(const char *form, const char *op);

/** Whether the operator of the node is standard and is one of `names`, such as
 *  "Div|Mul".  A user-defined operator "Gelu" may have another meaning.  False for
 *  FSD_NONE. */
bool fsd_form_is(const struct fsd_facts *facts, fsd_id node, const char *names);

/** The producer of the tensor, looking back through nodes in `passing`.  Sets *tensor
 *  to the output of this producer.  FSD_NONE if there is none. */
fsd_id fsd_form_producer(const struct fsd_attempt *a, fsd_id *tensor);

/** Whether the tensor is a constant or FSD_NONE. */
static inline bool fsd_form_is_constant(const struct fsd_attempt *a, fsd_id tensor)
{
    return !fsd_is_data(a->facts, tensor);
}

/** Adds the node to a list with room for FSD_FIT_NODES nodes, unless the list is full
 *  or has the node. */
void fsd_form_add(fsd_id *list, uint32_t *n, fsd_id node);
