/*
 * Cases as text: what goes in and what is expected stand below each other in a file of
 * tests/unit/cases, so that a case reads as a specification and costs no process.
 *
 *     kind compare                        how the cases of this file are run
 *
 *     text pair                           a text that several cases build upon
 *         node conv Conv core layer int8 < @x
 *         node relu Relu core layer int8 < conv
 *
 *     case a node that runs wider         the name, in words
 *     before pair                         an input: that text as it is,
 *     after pair                          or changed by the lines below it:
 *         ~ int8 => fp16                  each "int8" becomes "fp16"; "~ int8 =>": goes
 *         - node relu                     the only line that begins so is taken out
 *         + node relu Clip core ...       and this one stands there instead
 *         = node conv                     what follows stands behind that line
 *     expect
 *         region conv relu: widened
 *
 * Lines of texts are indented by four blanks.  "#" at the beginning of any other line
 * is a comment.  With FSD_UPDATE set in the environment what the cases print becomes
 * what is expected: read the difference before you keep it.
 */
#ifndef FSD_TESTS_CASES_H
#define FSD_TESTS_CASES_H

#include <stdio.h>

struct test_case;

/** The text of the case's i-th section of that name; NULL: there are not so many. */
const char *case_text(const struct test_case *c, const char *section, unsigned i);

/** The same of one that has to be there. */
const char *case_need(const struct test_case *c, const char *section);

/** Runs a case: what it prints is compared with what is expected. */
typedef void case_fn(const struct test_case *c, FILE *out);

struct case_kind {
    const char *name;
    case_fn *run;
};

/** Runs all cases of the files in a folder, each a test of its own.
 *  @param kinds  ended by a row without a name.
 *  @return as main() does. */
int run_cases(const char *folder, const struct case_kind *kinds);

#endif
