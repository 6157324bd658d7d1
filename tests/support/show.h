/* Results as text, one fact per line: the output of the cases of tests/unit/cases.
 * Facts that are usual (all nodes are aligned, nothing differs) are left out. */
#ifndef FSD_TESTS_SHOW_H
#define FSD_TESTS_SHOW_H

#include "change/compare/exports.h"
#include "change/compare/matrix.h"
#include "judge/gate/gate.h"

/** Reads a state from the text of a snapshot, without its first and its last line.  A
 *  text that cannot be read fails the test. */
struct fsd_state *read_state(const char *text);

/** Prints a state as a snapshot, without the names of files. */
void show_state(const struct fsd_state *s, FILE *out);

void show_compare(const struct fsd_compare *c, FILE *out);
void show_align(const struct fsd_compare *c, FILE *out);
void show_matrix(const struct fsd_matrix *m, FILE *out);
void show_exports(const struct fsd_exports *e, FILE *out);

/** Prints the findings and, for each rule with a budget, how much of it is used.
 *  @param skipped also list the rules that could not be checked */
void show_findings(const struct fsd_findings *found, bool skipped, FILE *out);
void show_verdict(const struct fsd_verdict *v, FILE *out);

/** Prints the quantizers of a model, and the tensors that hold their values. */
struct fsd_lint;
void show_lint(const struct fsd_lint *l, FILE *out);

/** Prints memory, and sums by operator and by name scope.
 *  @param depth the depth of scopes; 0: a useful one */
void show_sums(const struct fsd_diff *d, unsigned depth, FILE *out);

/** Prints the class of work of each layer, then the sums of each class. */
void show_spent(const struct fsd_diff *d, FILE *out);

/** Prints bytes, multiply-adds and times of layers, then of nodes. */
void show_cost(const struct fsd_diff *d, FILE *out);

#endif
