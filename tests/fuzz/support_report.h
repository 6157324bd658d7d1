/* What holds of every report, whatever its subject. */
#ifndef FSD_TESTS_SUPPORT_REPORT_H
#define FSD_TESTS_SUPPORT_REPORT_H

#include "change/compare/compare.h"
#include "change/snapshot/snapshot.h"
#include "judge/gate/gate.h"

#include <stdio.h>

/** A stream into memory. */
struct fuzz_report {
    FILE *out;
    char *bytes;
    size_t size;
};

void fuzz_report_open(struct fuzz_report *report);

/** Nothing in it would be obeyed by a terminal; JSON is JSON. */
void fuzz_report_close(struct fuzz_report *report, bool json);

/** True for the formats that are JSON. */
bool fuzz_is_json(const char *format);

/** A snapshot's bytes, read; NULL when it is damaged. */
struct fsd_state *fuzz_snapshot_load(const void *bytes, size_t size);

/** The snapshot of a state, to be freed. */
char *fuzz_snapshot_text(const struct fsd_state *state, size_t *size);

/** Checks the comparison by the policy, in every format that checks are written in;
 *  returns whether it failed. */
bool fuzz_check_gate(const struct fsd_compare *c, struct fsd_policy *policy);

/** All reports of a comparison, pictures as DOT. */
void fuzz_check_compare(const struct fsd_compare *c);

#endif
