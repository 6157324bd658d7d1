/*
 * Forms: parts of a model as expressions, read from a node towards its inputs:
 *
 *     Add?(c, Mul?(c, Div(Sub(x, ReduceMean(x)), ...)))
 *     n=Conv|ConvTranspose(q=%pair(Pad)) > Relu
 *
 * A capital begins an operator, `|` an alternative, `@` all operators with that
 * `known_as` in model/ops/table.inc, `%` a word of the table that the form is in; an
 * operator with `?` may be missing, and then its last operand takes its place.  `c` is
 * a constant, any other small letter a tensor that is none, the same one wherever the
 * letter occurs; `b=` names what follows.  `*` passes element-wise operators (scales,
 * masks) to the only such operator behind them; `>` continues with the only consumer of
 * the first output.  Operands that are not listed may be anything.  Symmetric operators
 * match in either order.
 */
#ifndef FSD_PATTERN_FORM_H
#define FSD_PATTERN_FORM_H

#include "match/facts.h"

enum { FSD_FIT_NODES = 64, FSD_FIT_CHOICES = 12, FSD_FIT_LETTERS = 26 };

/** Steps that one walk may take: a block is a neighbourhood. */
enum { FSD_FIT_WALK = 64 };

/** A form on a model, while it is tried and when it fits. */
struct fsd_attempt {
    const struct fsd_facts *facts;
    const struct fsd_graph *g;
    const bool *passing; /**< by node: may stand anywhere between, and is kept in
                              `passed`; NULL: none may, and a constant is a tensor as
                              any other */
    /** Whether the tensor is what "%word" asks for, and the node that it leads to,
     *  FSD_NONE where that is the tensor itself; NULL: there are no such words. */
    bool (*word)(const struct fsd_attempt *a, const char *word, size_t length,
                 fsd_id tensor, fsd_id *node);
    void *of;                       /**< of who gave `word` */
    fsd_id letter[FSD_FIT_LETTERS]; /**< tensors; FSD_NONE */
    fsd_id nodes[FSD_FIT_NODES], passed[FSD_FIT_NODES];
    uint32_t n, n_passed;
    fsd_id end, either, joint; /**< of a residual */
    /* Which order of operands is tried, by symmetric operator met: all of them in turn,
     * since which letter is which may show much later. */
    bool flipped[FSD_FIT_CHOICES];
    uint32_t met, chosen;
};

/** Tries the form at the node, in all orders until one fits and `holds`, which may be
 *  NULL, agrees. */
bool fsd_form_fits(struct fsd_attempt *a, const char *form, fsd_id node,
                   bool (*holds)(struct fsd_attempt *a));

/** True when a node of that operator may be the one that the form is tried at. */
bool fsd_form_may_end(const char *form, const char *op);

/** The node is of a known domain, and one of "Div|Mul": who defines a "Gelu" of his own
 *  may mean anything.  False for FSD_NONE. */
bool fsd_form_is(const struct fsd_facts *facts, fsd_id node, const char *names);

/** The producer of the tensor, seen through what is passed, whose first input `tensor`
 *  becomes; FSD_NONE. */
fsd_id fsd_form_producer(const struct fsd_attempt *a, fsd_id *tensor);

/** No tensor, or a constant. */
static inline bool fsd_form_is_constant(const struct fsd_attempt *a, fsd_id tensor)
{
    return !fsd_is_data(a->facts, tensor);
}

/** Adds the node to a list of FSD_FIT_NODES, unless it is there. */
void fsd_form_add(fsd_id *list, uint32_t *n, fsd_id node);

#endif
