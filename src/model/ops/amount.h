/*
 * A count that may depend on dynamic sizes: of elements, bytes, multiply-adds.
 *
 * An amount is an int64_t.  From 0 it is the number itself; -1 means unknown; below
 * that it refers to a polynomial in named sizes, "1204224*N + 64*N^2".  Equal
 * polynomials are equal numbers, so `==` compares amounts.  Code that only needs
 * numbers may treat negative amounts as unknown.
 */
#pragma once

#include "base/base.h"

struct fsd_amounts;

/** A table of polynomials, allocated in the arena.  `names` contains the names of the
 *  sizes; names of quotients are added to it. */
struct fsd_amounts *fsd_amounts_new(struct fsd_arena *arena, struct fsd_intern *names);

/** The size with this name. */
int64_t fsd_amount_named(struct fsd_amounts *t, fsd_sym name);
/** A number that a file states as a size; -1 if it cannot be one. */
int64_t fsd_size(int64_t number);
/** The amount of a number, which may be negative. */
int64_t fsd_amount_of(struct fsd_amounts *t, int64_t number);

/** Each function returns -1 if an operand is unknown, if a number needs more than 62
 *  bits, or if a polynomial becomes too large. */
int64_t fsd_plus(struct fsd_amounts *t, int64_t a, int64_t b);
int64_t fsd_minus(struct fsd_amounts *t, int64_t a, int64_t b);
int64_t fsd_times(struct fsd_amounts *t, int64_t a, int64_t b);
/** The quotient, rounded down; if it is not a polynomial, a new size named "floor((H -
 *  1)/2)". -1 if `by` is not positive. */
int64_t fsd_over(struct fsd_amounts *t, int64_t a, int64_t by);

/** Whether the amount depends on a named size. */
bool fsd_amount_is_open(const struct fsd_amounts *t, int64_t a);
/** Whether the amount is a number; if so, `number` is set to it and may be negative. */
bool fsd_amount_number(const struct fsd_amounts *t, int64_t a, int64_t *number);

/** Whether the amount is known and is not negative for any values of the dynamic sizes.
 */
bool fsd_amount_is_count(const struct fsd_amounts *t, int64_t a);

/** "64*N + 3" for an amount that depends on a size; else NULL.  Lives as long as the
 *  table. */
const char *fsd_amount_text(const struct fsd_amounts *t, int64_t a);
