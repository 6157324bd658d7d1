/*
 * A row of refusals.c and its conditions. Only files of src/judge/lint include this.
 */
#pragma once

#include "judge/lint/lint.h"
#include "model/ops/ops.h"

struct fsd_refusal_row;
typedef bool fsd_refused_fn(const struct fsd_lint *l, const struct fsd_refusal_row *r,
                            fsd_id node);

/** The head of a condition. A condition may leave parameters unused. */
#define FSD_CONDITION(name)                                                            \
    bool name(const struct fsd_lint *l __attribute__((unused)),                        \
              const struct fsd_refusal_row *r __attribute__((unused)),                 \
              fsd_id node __attribute__((unused)))

struct fsd_refusal_row {
    const char *ops;       /* names of operators, each between blanks; NULL: only the
                              operators in `op`, or any operator if `op` is empty */
    unsigned families;     /* enum fsd_family */
    unsigned until;        /* the last version of RTX that refuses the operator, 107 for
                              1.7; 0: all versions refuse it */
    unsigned below_sm;     /* the row applies to compute capabilities below this one; 0:
                              to all of them */
    enum fsd_op_id op[12]; /* operators by number, in addition to `ops` */
    fsd_refused_fn *holds; /* a condition; NULL: always */
    const char *attr;      /* the attribute that `holds` examines */
    int64_t number;
    const char *words; /* words that `holds` examines, each between blanks */
    uint64_t types;    /* a bit for each enum fsd_dtype */
    struct fsd_refusal is;
};

/* refused.c, which documents each condition */
fsd_refused_fn fsd_refused_reads_list, fsd_refused_has_a_type, fsd_refused_takes_type,
    fsd_refused_reads_type, fsd_refused_reads_plain, fsd_refused_multiplies,
    fsd_refused_weighs, fsd_refused_inside, fsd_refused_runs_narrow, fsd_refused_mixes,
    fsd_refused_is_scalar, fsd_refused_is_not_stored, fsd_refused_is_left_empty,
    fsd_refused_is_spatial, fsd_refused_gives_more, fsd_refused_is_there,
    fsd_refused_lacks_one, fsd_refused_is_computed, fsd_refused_computes_a_bound,
    fsd_refused_is_given, fsd_refused_is_too_many, fsd_refused_is_masked_twice,
    fsd_refused_is_lopsided, fsd_refused_is_inexact, fsd_refused_has_zero_point,
    fsd_refused_has_bad_scale, fsd_refused_is_pre_7, fsd_refused_is_not_weights,
    fsd_refused_lacks_a_bound, fsd_refused_counts_data, fsd_refused_is_asked_for,
    fsd_refused_has_attr, fsd_refused_number_is_not, fsd_refused_word_is,
    fsd_refused_reads_stored, fsd_refused_sizes_in_half, fsd_refused_has_type_at;

/* refused_graph.c */
fsd_refused_fn fsd_refused_is_cyclic, fsd_refused_makes_again,
    fsd_refused_reads_nothing, fsd_refused_mixes_types, fsd_refused_changes_type,
    fsd_refused_mixes_numbers;

/* refused_sizes.c */
fsd_refused_fn fsd_refused_has_open_channels, fsd_refused_is_no_matrix,
    fsd_refused_is_no_kernel, fsd_refused_is_wide, fsd_refused_is_uneven,
    fsd_refused_has_other_mask, fsd_refused_a_rank_is_not, fsd_refused_adds_no_matrix,
    fsd_refused_is_short_mask, fsd_refused_has_other_slope, fsd_refused_is_row_of_many,
    fsd_refused_rank_is_not, fsd_refused_has_unlike_branches,
    fsd_refused_splits_too_much, fsd_refused_averages_padding,
    fsd_refused_has_unlike_sizes, fsd_refused_contradicts, fsd_refused_joins_unlike;

/* refused_axes.c */
fsd_refused_fn fsd_refused_axis_is_outside, fsd_refused_axes_are_outside,
    fsd_refused_squeezes_data, fsd_refused_is_no_order, fsd_refused_changes_volume,
    fsd_refused_adds_unlike, fsd_refused_scales_unlike, fsd_refused_counts_channels,
    fsd_refused_biases_unlike, fsd_refused_repeats_more, fsd_refused_pads_other,
    fsd_refused_parts_exceed, fsd_refused_has_unlike_scales,
    fsd_refused_adds_axis_twice;
