/*
 * Test cases as text, in files of tests/unit/cases. A case has its inputs and its
 * expected output one below the other, so that it reads like a specification. All cases
 * run in one process.
 *
 *     kind compare                        how the cases of this file are run
 *
 *     text pair                           a text for several cases
 *         node conv Conv core layer int8 < @x
 *         node relu Relu core layer int8 < conv
 *
 *     case a node that runs wider         the name, in words
 *     before pair                         an input: that text unchanged,
 *     after pair                          or changed by the lines below:
 *         ~ int8 => fp16                  replaces each "int8"; "~ int8 =>" removes it
 *         - node relu                     removes the only line that begins so
 *         + node relu Clip core ...       inserts this line in its place
 *         = node conv                     the next lines are inserted after that line
 *     expect
 *         region conv relu: widened
 *
 * Lines of texts are indented by four blanks. A line that begins with "#" is a comment.
 * If FSD_UPDATE is set in the environment, the output of the cases becomes their
 * expectation: review the difference before you commit it.
 */
#ifndef FSD_TESTS_CASES_H
#define FSD_TESTS_CASES_H

#include <stdio.h>

struct test_case;

/** The text of the i-th section with this name in the case; NULL if the case has
 * fewer. */
const char *case_text(const struct test_case *c, const char *section, unsigned i);

/** The text of the first section with this name in the case. Fails the test if there is
 * none. */
const char *case_need(const struct test_case *c, const char *section);

/** Runs a case, and prints its output, which must be equal to the expectation. */
typedef void case_fn(const struct test_case *c, FILE *out);

struct case_kind {
    const char *name;
    case_fn *run;
};

/** Runs all cases of the files in a folder. Each case is a separate test.
 * @param kinds the list ends with a row without a name
 * @return the exit status for main() */
int run_cases(const char *folder, const struct case_kind *kinds);

/** Fails the test unless the file at `path` contains the text `found`.  If FSD_UPDATE
 *  is set, first writes `found` to the file: read it before you keep it. */
void need_found(const char *path, const char *found);

#endif
