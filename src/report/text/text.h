/* The text report, by its sections.  Only src/report includes this. */
#ifndef FSD_REPORT_TEXT_TEXT_H
#define FSD_REPORT_TEXT_TEXT_H

#include "findings/brief.h"
#include "findings/findings.h"
#include "report/report.h"

/** What a piece of text is, which decides its color. */
enum fsd_ink {
    FSD_INK_PLAIN,
    FSD_INK_TITLE,
    FSD_INK_INSERTED, /**< "+" */
    FSD_INK_VANISHED, /**< "-" */
    FSD_INK_CHANGED,  /**< a type or layout that changes */
    FSD_INK_FAINT,
    FSD_INK_ALARM,
    FSD__INK_COUNT
};

/** Switches the color on and off; nothing if the style has no color. */
void fsd_ink(const struct fsd_style *style, enum fsd_ink ink, FILE *out);

/** Columns of the report. */
unsigned fsd_text_width(const struct fsd_style *style);

/** Prints lines of a text, those that are longer than `width` in several.  Works in
 *  `lines`, and leaves them as they were.  wrap.c */
void fsd_put_wrapped(FILE *out, char *lines, size_t width);

/** The sections that have a file of their own. */
void fsd_text_layers(const struct fsd_diff *d, const struct fsd_style *style,
                     FILE *out);
/** "  fp16 chw -> int8 chw", what a layer makes of its data; nothing where no tensor is
 *  known. */
void fsd_text_change(const struct fsd_diff *d, fsd_id layer, FILE *out);
/** The same, short: a line or two a layer, and of equal blocks the first.  folded.c */
void fsd_text_layers_folded(const struct fsd_diff *d, const struct fsd_style *style,
                            FILE *out);
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

#endif
