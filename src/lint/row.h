/*
 * A row of the table of refusals, and those of its conditions that ask sizes.  Only
 * src/lint includes this.
 */
#ifndef FSD_LINT_ROW_H
#define FSD_LINT_ROW_H

#include "lint/lint.h"

struct fsd_refusal_row;
typedef bool fsd_refused_fn(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                            fsd_id node);

struct fsd_refusal_row {
    const char *ops;       /* each between blanks; NULL: any operator */
    unsigned families;     /* enum fsd_family */
    unsigned until;        /* the last version of RTX that refuses; 0: all do */
    unsigned below_sm;     /* compute capability from which it is taken; 0: none */
    fsd_refused_fn *holds; /* NULL: always */
    const char *attr;      /* and what `holds` looks for */
    int64_t number;
    const char *words; /* each between blanks */
    uint64_t types;    /* bits by enum fsd_dtype */
    struct fsd_refusal is;
};

/** Is the first input of the types, be it constant or not? */
fsd_refused_fn fsd_refused_takes_type;
/** Is the model's opset known, and older than 7, which operators broadcast by since? */
bool fsd_refused_before_7(const struct fsd_lint *l);

/* refused_sizes.c */
fsd_refused_fn fsd_refused_has_open_channels, fsd_refused_is_no_matrix,
    fsd_refused_is_no_kernel, fsd_refused_is_wide, fsd_refused_is_uneven,
    fsd_refused_has_other_mask, fsd_refused_a_rank_is_not, fsd_refused_adds_no_matrix,
    fsd_refused_is_short_mask, fsd_refused_has_other_slope, fsd_refused_is_row_of_many,
    fsd_refused_rank_is_not, fsd_refused_has_unlike_branches,
    fsd_refused_splits_too_much, fsd_refused_averages_padding;

#endif
