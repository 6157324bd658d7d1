/*
 * A count that may depend on dynamic sizes: of elements, bytes, multiply-adds.
 *
 * An amount is an int64_t.  From 0 it is the number itself; -1 means unknown; below
 * that it refers to a polynomial in named sizes, "1204224*N + 64*N^2".  Equal
 * polynomials are equal numbers, so `==` compares amounts.  Code that only needs
 * numbers may treat negative ones as unknown.
 */
#ifndef FSD_OPS_AMOUNT_H
#define FSD_OPS_AMOUNT_H

#include "base/base.h"

#include <stdbool.h>

struct fsd_amounts;

/** A table of polynomials; lives in the arena. `names` are those of the sizes; those of
 *  quotients are added. */
struct fsd_amounts *fsd_amounts_new(struct fsd_arena *arena, struct fsd_intern *names);

/** The size of that name. */
int64_t fsd_amount_named(struct fsd_amounts *t, fsd_sym name);
/** A number that a file gives as a size; -1 where it is none. */
int64_t fsd_size(int64_t number);
/** A number, which may be below 0. */
int64_t fsd_amount_of(struct fsd_amounts *t, int64_t number);

/** Each is -1 where an operand is not known, where a number leaves 62 bits, or where a
 *  polynomial grows out of measure. */
int64_t fsd_plus(struct fsd_amounts *t, int64_t a, int64_t b);
int64_t fsd_minus(struct fsd_amounts *t, int64_t a, int64_t b);
int64_t fsd_times(struct fsd_amounts *t, int64_t a, int64_t b);
/** The quotient, rounded down: where that is no polynomial, a size of its own, named
 *  "floor((H - 1)/2)".  -1 where `by` is not positive. */
int64_t fsd_over(struct fsd_amounts *t, int64_t a, int64_t by);

/** True when the amount depends on a named size. */
bool fsd_amount_is_open(const struct fsd_amounts *t, int64_t a);
/** True, and the number, which may be below 0, when it is one. */
bool fsd_amount_number(const struct fsd_amounts *t, int64_t a, int64_t *number);

/** True when the amount is known, and not below 0 whatever the open sizes are. */
bool fsd_amount_is_count(const struct fsd_amounts *t, int64_t a);

/** "64*N + 3" of one that is open; NULL otherwise.  Lives as long as the table. */
const char *fsd_amount_text(const struct fsd_amounts *t, int64_t a);

#endif
