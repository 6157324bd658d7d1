/* Results as text, a fact a line: what the cases of tests/unit/cases print.  What a
 * reader expects anyway (all is aligned, nothing differs) is left out. */
#ifndef FSD_TESTS_SHOW_H
#define FSD_TESTS_SHOW_H

#include "change/compare/exports.h"
#include "change/compare/matrix.h"
#include "judge/gate/gate.h"

/** A state of a snapshot's text, without its first and its last line; one that cannot
 *  be read fails the test. */
struct fsd_state *read_state(const char *text);

/** The same as it is written, without what names files. */
void show_state(const struct fsd_state *s, FILE *out);

void show_compare(const struct fsd_compare *c, FILE *out);
void show_align(const struct fsd_compare *c, FILE *out);
void show_matrix(const struct fsd_matrix *m, FILE *out);
void show_exports(const struct fsd_exports *e, FILE *out);

/** What was found, and of each rule that has a budget how much of it was taken.
 *  @param skipped  lists the rules that could not be checked, too. */
void show_findings(const struct fsd_findings *found, bool skipped, FILE *out);
void show_verdict(const struct fsd_verdict *v, FILE *out);

/** The quantizers of a model, and where their scales are held. */
struct fsd_lint;
void show_lint(const struct fsd_lint *l, FILE *out);

/** Memory, and sums by operator and by name scope.
 *  @param depth  of scopes; 0: a useful one. */
void show_sums(const struct fsd_diff *d, unsigned depth, FILE *out);

/** What each layer spends its time and bytes on, then the sums of that. */
void show_spent(const struct fsd_diff *d, FILE *out);

/** Bytes, multiply-adds and times of layers, then of nodes. */
void show_cost(const struct fsd_diff *d, FILE *out);

#endif
