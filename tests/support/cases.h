/*
 * Cases as text: inputs and expected output are below each other in a file of
 * tests/unit/cases, so that a case reads like a specification and needs no process.
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
 * Lines of texts are indented by four blanks.  "#" at the beginning of any other line
 * begins a comment.  If FSD_UPDATE is set in the environment, the output of the cases
 * becomes their expectation: read the difference before you keep it.
 */
#ifndef FSD_TESTS_CASES_H
#define FSD_TESTS_CASES_H

#include <stdio.h>

struct test_case;

/** The text of the case's i-th section of that name; NULL: there are fewer sections. */
const char *case_text(const struct test_case *c, const char *section, unsigned i);

/** The text of the case's first section of that name; fails if there is none. */
const char *case_need(const struct test_case *c, const char *section);

/** Runs a case; its output is compared with the expectation. */
typedef void case_fn(const struct test_case *c, FILE *out);

struct case_kind {
    const char *name;
    case_fn *run;
};

/** Runs all cases of the files in a folder, each a test of its own.
 *  @param kinds the list ends with a row without a name.
 *  @return the exit status for main() */
int run_cases(const char *folder, const struct case_kind *kinds);

#endif
