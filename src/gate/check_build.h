/* What the rules of a check share.  Only check*.c. */
#ifndef FSD_GATE_CHECK_BUILD_H
#define FSD_GATE_CHECK_BUILD_H

#include "gate/check.h"

/** A check on its way. */
struct fsd_check_run {
    const struct fsd_compare *c;
    struct fsd_policy *policy;
    const struct fsd_snapshot_lines *lines;
    unsigned today;
    struct fsd_list *list;
    struct fsd_arena *scratch;
    enum fsd_gate_rule rule; /* that is looked at */
    double count, ms;        /* of its findings that are not ignored */
    bool untimed;            /* the ms of one of them are not known */
    double base;             /* what a share is of; 0: not known */
    uint32_t *added;         /* by region and kind: moves added */
};

/** A finding that is put together: open, name nodes, print to `out`, close. */
struct fsd_draft {
    FILE *out;
    char *text;
    size_t size;
    FSD_VEC(const char *) nodes;
    uint32_t line;    /* of the snapshot; 0 */
    double count, ms; /* what it takes of the budget */
    bool untimed;     /* its ms are not known */
};

bool fsd_draft_open(struct fsd_draft *draft);
void fsd_draft_node(struct fsd_check_run *run, struct fsd_draft *draft,
                    const struct fsd_state *s, fsd_id node);
/** Ignores it or adds it to the list. */
void fsd_draft_close(struct fsd_check_run *run, struct fsd_draft *draft);

/** What each rule finds; by enum fsd_gate_rule, NULL for the policy's own. */
typedef void fsd_gate_find_fn(struct fsd_check_run *run);
extern fsd_gate_find_fn *const fsd_gate_find[FSD__GATE_COUNT];

/* check_builds.c: rules about one region, edge or node. */
fsd_gate_find_fn fsd_gate_lost, fsd_gate_regrouped, fsd_gate_opaque, fsd_gate_widened,
    fsd_gate_reformats, fsd_gate_quantizers, fsd_gate_unexplained, fsd_gate_ports,
    fsd_gate_model;
/* check_totals.c: rules about a whole build. */
fsd_gate_find_fn fsd_gate_latency, fsd_gate_layers, fsd_gate_coverage,
    fsd_gate_max_reformats, fsd_gate_int8;

#endif
