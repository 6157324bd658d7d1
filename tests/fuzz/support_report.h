/* The checks of every report, whatever its subject. */
#ifndef FSD_TESTS_SUPPORT_REPORT_H
#define FSD_TESTS_SUPPORT_REPORT_H

#include "change/compare/compare.h"
#include "change/snapshot/snapshot.h"
#include "judge/gate/gate.h"

#include <stdio.h>

/** A stream to memory. */
struct fuzz_report {
    FILE *out;
    char *bytes;
    size_t size;
};

void fuzz_report_open(struct fuzz_report *report);

/** Closes the stream.  Checks that a terminal would obey nothing in the report and,
 *  with `json`, that the report is valid JSON. */
void fuzz_report_close(struct fuzz_report *report, bool json);

/** Whether the format is JSON. */
bool fuzz_is_json(const char *format);

/** Reads a snapshot from bytes; NULL if it is damaged. */
struct fsd_state *fuzz_snapshot_load(const void *bytes, size_t size);

/** The snapshot of a state.  The caller frees it. */
char *fuzz_snapshot_text(const struct fsd_state *state, size_t *size);

/** Checks the comparison with the policy, and writes the result in every format for
 *  checks; returns whether the check failed. */
bool fuzz_check_gate(const struct fsd_compare *c, struct fsd_policy *policy);

/** Writes all reports of a comparison, pictures as DOT, and checks them. */
void fuzz_check_compare(const struct fsd_compare *c);

#endif
