/* The functions of the rule table, by the file that holds them.  Only src/findings. */
#ifndef FSD_FINDINGS_RULE_LIST_H
#define FSD_FINDINGS_RULE_LIST_H

#include "findings/findings.h"

typedef void fsd_find_fn(const struct fsd_diff *d, struct fsd_findings *out,
                         const struct fsd_rule *rule);
typedef void fsd_phrase_fn(const struct fsd_diff *d, const struct fsd_finding *f,
                           FILE *out);

/* rule_mapping.c */
fsd_find_fn fsd_find_misfit, fsd_find_conflicts, fsd_find_unexplained,
    fsd_find_unmapped, fsd_find_names_only;
fsd_phrase_fn fsd_phrase_misfit, fsd_phrase_conflict, fsd_phrase_unexplained,
    fsd_phrase_unmapped, fsd_phrase_names_only;

/* rule_precision.c */
fsd_find_fn fsd_find_standing, fsd_find_standing_at_input, fsd_find_wider;
fsd_phrase_fn fsd_phrase_standing, fsd_phrase_wider;

/* rule_inserted.c */
fsd_find_fn fsd_find_reformats, fsd_find_copies;
fsd_phrase_fn fsd_phrase_inserted;

/* rule_log.c */
fsd_find_fn fsd_find_other_build, fsd_find_other_model, fsd_find_log_warnings,
    fsd_find_log_cut;
fsd_phrase_fn fsd_phrase_other_build, fsd_phrase_other_model, fsd_phrase_log_warning,
    fsd_phrase_log_cut;

/* rule_island.c */
fsd_find_fn fsd_find_islands, fsd_find_fp32_left;
fsd_phrase_fn fsd_phrase_island, fsd_phrase_fp32_left;

/* rule_chain.c */
fsd_find_fn fsd_find_chains, fsd_find_round_trips;
fsd_phrase_fn fsd_phrase_chain;

/* rule_kernel.c */
fsd_find_fn fsd_find_no_tensor_cores, fsd_find_io_types;
fsd_phrase_fn fsd_phrase_no_tensor_cores, fsd_phrase_io_type;

/* rule_input.c */
fsd_find_fn fsd_find_remarks;
fsd_phrase_fn fsd_phrase_remark;

#endif
