/* The text report, by its sections.  Only src/report includes this. */
#ifndef FSD_REPORT_TEXT_TEXT_H
#define FSD_REPORT_TEXT_TEXT_H

#include "judge/findings/brief.h"
#include "judge/findings/findings.h"
#include "report/phrase/ink.h"
#include "report/subject/subject.h"

/** The sections that have a file of their own. */
void fsd_text_layers(const struct fsd_diff *d, const struct fsd_style *style,
                     FILE *out);
/** The same, short: a line or two a layer, and of equal blocks the first.  folded.c */
void fsd_text_layers_folded(const struct fsd_diff *d, const struct fsd_style *style,
                            FILE *out);
/** "0.0400  Reformat (io)  fp16 chw -> int8 chw": a layer's time, if it was measured,
 *  its type, its cause, and the types that it reads and writes, if these are known. */
void fsd_text_kind(const struct fsd_diff *d, fsd_id layer, FILE *out);
/** Numbers from outside; nothing where there are none. */
void fsd_text_values(const struct fsd_diff *d, const struct fsd_style *style,
                     FILE *out);
void fsd_text_vanished(const struct fsd_diff *d, const struct fsd_style *style,
                       FILE *out);

/** The lines that a report begins with, of a run or of a check. */
void fsd_text_brief(const struct fsd_brief *brief, const struct fsd_style *style,
                    FILE *out);
/** A line of a finding, of a run or of a check. */
void fsd_text_finding(const struct fsd_findings *all, const struct fsd_finding *f,
                      const struct fsd_style *style, FILE *out);

/** What the text of a comparison begins with: what was compared, and all counts. */
void fsd_compare_put_head(const struct fsd_compare *c, bool all, FILE *out);
/** Whether anything differs, and the numbers of layers: what that begins with. */
void fsd_compare_put_conclusion(const struct fsd_compare *c, FILE *out);

/** Of builds by two builders what each does, side by side; else nothing. */
void fsd_put_builders(const struct fsd_compare *c, FILE *out);

#endif
