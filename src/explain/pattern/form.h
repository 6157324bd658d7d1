/*
 * Forms: parts of a model as expressions, read from a node towards its inputs:
 *
 *     Add?(c, Mul?(c, Div(Sub(x, ReduceMean(x)), ...)))
 *     n=Conv|ConvTranspose(q=%pair(Pad)) > Relu
 *
 * A capital begins an operator, `|` separates alternatives, `@` means all operators
 * with that `known_as` in model/ops/table.inc, `%` a word that the caller defines; an
 * operator with `?` may be missing, and then its last operand takes its place.  `c` is
 * a constant, any other small letter a non-constant tensor, the same one wherever the
 * letter occurs; `b=` names what follows.  `*` skips elementwise operators (scales,
 * masks) to the only operator of the given name before them; `>` continues with the
 * only consumer of the first output.  Operands that are not listed may be anything.
 * Symmetric operators match in either order.
 */
#pragma once

#include "match/facts.h"

enum { FSD_FIT_NODES = 64, FSD_FIT_CHOICES = 12, FSD_FIT_LETTERS = 26 };

/** Limit of steps of one walk, because a block is local. */
enum { FSD_FIT_WALK = 64 };

/** The state of matching a form to a model, and the result if it fits. */
struct fsd_attempt {
    const struct fsd_facts *facts;
    const struct fsd_graph *g;
    const bool *passing; /**< indexed by node: may occur anywhere between operators of
                              the form, and is then listed in `passed`; NULL: no node
                              may, and constants are treated like any other tensor */
    /** Whether the tensor is what "%word" means; sets *node to the node to which it
     *  leads, or to FSD_NONE if the tensor itself is meant.  NULL: there are no such
     *  words. */
    bool (*word)(const struct fsd_attempt *a, const char *word, size_t length,
                 fsd_id tensor, fsd_id *node);
    void *of;                       /**< data of the caller that set `word` */
    fsd_id letter[FSD_FIT_LETTERS]; /**< tensors by letter; FSD_NONE: not found yet */
    fsd_id nodes[FSD_FIT_NODES], passed[FSD_FIT_NODES];
    uint32_t n, n_passed;
    fsd_id end, either, joint; /**< nodes of a residual; struct fsd_block explains
                                    them */
    /* For each symmetric operator, in the order in which they are met: whether its
     * operands are swapped in this attempt.  All orders are tried in turn, because a
     * later operand may decide what a letter is. */
    bool flipped[FSD_FIT_CHOICES];
    uint32_t met, chosen;
};

/** Tries to match the form with its last node at `node`, in all orders of operands,
 *  until one fits and `holds` returns true.  `holds` may be NULL. */
bool fsd_form_fits(struct fsd_attempt *a, const char *form, fsd_id node,
                   bool (*holds)(struct fsd_attempt *a));

/** Whether a node with that operator may be the last node of the form. */
bool fsd_form_may_end(const char *form, const char *op);

/** Whether the operator of the node has one of the names "Div|Mul" and is standard: a
 *  user-defined "Gelu" may mean anything.  False for FSD_NONE. */
bool fsd_form_is(const struct fsd_facts *facts, fsd_id node, const char *names);

/** The producer of the tensor, looking through nodes of `passing`; sets `tensor` to the
 *  output of that producer.  FSD_NONE if there is none. */
fsd_id fsd_form_producer(const struct fsd_attempt *a, fsd_id *tensor);

/** Whether the tensor is a constant or FSD_NONE. */
static inline bool fsd_form_is_constant(const struct fsd_attempt *a, fsd_id tensor)
{
    return !fsd_is_data(a->facts, tensor);
}

/** Adds the node to a list with room for FSD_FIT_NODES, unless it is listed already. */
void fsd_form_add(fsd_id *list, uint32_t *n, fsd_id node);
