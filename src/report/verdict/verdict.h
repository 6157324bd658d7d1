/* The writers of verdicts, for the formats of merge gates. They print findings and the
 * table above them, and no other part of a run. */
#pragma once

#include "judge/gate/gate.h"
#include "report/subject/subject.h"

/** "2 findings, 0.1100 ms in all, at most 0.0500 ms allowed, 1 ignored" */
void fsd_put_outcome(const struct fsd_outcome *rule, FILE *out);

/** "+0.3600 ms, 20 errors, 3 warnings" */
void fsd_put_cause(const struct fsd_root_cause *cause, FILE *out);
/** "2 findings of lost-fusion by 'the head': on purpose; owner x; until 2026-12-31" */
void fsd_put_ignore(const struct fsd_ignored *ignored, FILE *out);

/** Prints one verdict, or the verdicts of a list. For a list, formats for human readers
 * first print a table of all builds, and then each build that did not pass. */
typedef void fsd_verdict_fn(const struct fsd_verdicts *all,
                            const struct fsd_style *style, FILE *out);

/** "4 builds: 1 passed, 2 failed, 1 could not be checked" */
void fsd_put_builds_tally(const struct fsd_verdicts *all, FILE *out);
/** "+0.0310": the change of the build's time in ms; "-" if a time is unknown. */
const char *fsd_change_text(const struct fsd_judged *j, char room[32]);
/** Print the parts of a text on several builds: the table of all builds, the title of
 * one build, and the last line. fsd_verdicts_put_title() prints nothing if the build
 * passed. It returns whether the caller must print j->v below the title. */
void fsd_verdicts_put_table(const struct fsd_verdicts *all,
                            const struct fsd_style *style, FILE *out);
bool fsd_verdicts_put_title(const struct fsd_judged *j, const struct fsd_style *style,
                            FILE *out);
void fsd_verdicts_put_end(const struct fsd_verdicts *all, const struct fsd_style *style,
                          FILE *out);
/** "check failed: 3 builds: 1 passed, 2 failed (a.onnx, b.onnx)" */
void fsd_verdicts_put_line(const struct fsd_verdicts *all, FILE *out);
/** Prints a build's worst finding for a table, or the error if the build could not be
 * checked. */
void fsd_put_worst(const struct fsd_judged *j, FILE *out);

/** Maximum lengths of a comment, in characters. FSD_MARKDOWN_LIMIT: the limit of
 * GitHub; FSD_MARKDOWN_ROOM: the smaller limit that the program uses. */
enum { FSD_MARKDOWN_LIMIT = 65536, FSD_MARKDOWN_ROOM = 60000 };

fsd_verdict_fn fsd_verdict_put_text, fsd_verdict_put_line, fsd_verdict_put_markdown,
    fsd_verdict_put_junit, fsd_verdict_put_sarif, fsd_verdict_put_github,
    fsd_verdict_put_gitlab;
