/* The writers of verdicts: the formats of merge gates.  They print findings and the
 * table on top of them, and nothing else of a run. */
#ifndef FSD_REPORT_VERDICT_VERDICT_H
#define FSD_REPORT_VERDICT_VERDICT_H

#include "gate/gate.h"
#include "report/report.h"

/** "2 findings, 0.1100 ms in all, at most 0.0500 ms allowed, 1 ignored" */
void fsd_put_outcome(const struct fsd_outcome *rule, FILE *out);

typedef void fsd_verdict_fn(const struct fsd_verdict *v, const struct fsd_style *style,
                            FILE *out);

/** Most characters that a comment of GitHub takes, and what a report keeps to. */
enum { FSD_MARKDOWN_LIMIT = 65536, FSD_MARKDOWN_ROOM = 60000 };

fsd_verdict_fn fsd_verdict_put_text, fsd_verdict_put_line, fsd_verdict_put_json,
    fsd_verdict_put_markdown, fsd_verdict_put_junit, fsd_verdict_put_sarif,
    fsd_verdict_put_github, fsd_verdict_put_gitlab;

#endif
