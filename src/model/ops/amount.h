/*
 * An amount is a count of elements, bytes or multiply-adds that may depend on dynamic
 * sizes.
 *
 * Its type is int64_t.  A value of 0 or more is the count itself. -1 means that the
 * count is unknown.  A value below -1 refers to a polynomial in named sizes, "1204224*N
 * + 64*N^2".  Equal polynomials have equal values, so `==` compares amounts.  Code that
 * needs only numbers may treat all negative values as unknown.
 */
#pragma once

#include "base/base.h"

struct fsd_amounts;

/** Creates a table of polynomials in the arena.  `names` has the names of the sizes,
 *  and receives the names of quotients. */
struct fsd_amounts *fsd_amounts_new(struct fsd_arena *arena, struct fsd_intern *names);

/** Returns the size with this name as an amount. */
int64_t fsd_amount_named(struct fsd_amounts *t, fsd_sym name);
/** Returns `number`, which a file states as a size; -1 if `number` is negative or too
 *  large for a size. */
int64_t fsd_size(int64_t number);
/** Returns the amount that is this number, which may be negative. */
int64_t fsd_amount_of(struct fsd_amounts *t, int64_t number);

/** Arithmetic of two amounts.  Each function returns -1 (unknown) if an operand is
 *  unknown, if a number needs more than 62 bits, or if a polynomial becomes too
 *  large. */
int64_t fsd_plus(struct fsd_amounts *t, int64_t a, int64_t b);
int64_t fsd_minus(struct fsd_amounts *t, int64_t a, int64_t b);
int64_t fsd_times(struct fsd_amounts *t, int64_t a, int64_t b);
/** Returns the quotient `a` / `by`, rounded down; -1 if `by` is not positive.  If the
 *  quotient is not a polynomial, it becomes a new size with a name like "floor((H -
 *  1)/2)". */
int64_t fsd_over(struct fsd_amounts *t, int64_t a, int64_t by);

/** Whether the amount depends on a named size. */
bool fsd_amount_is_open(const struct fsd_amounts *t, int64_t a);
/** Whether the amount is a number, which may be negative.  If so, `number` receives
 * it. */
bool fsd_amount_number(const struct fsd_amounts *t, int64_t a, int64_t *number);

/** Whether the amount is known, and not negative for any value of the dynamic sizes.
 */
bool fsd_amount_is_count(const struct fsd_amounts *t, int64_t a);

/** Returns the text of an amount that depends on a dynamic size, such as "64*N + 3";
 *  NULL for any other amount.  The text lives as long as the table. */
const char *fsd_amount_text(const struct fsd_amounts *t, int64_t a);
