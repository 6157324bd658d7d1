/* The table of writers.  A writer prints and computes nothing: counts come from the
 * summary, phrases from the rules.  To add one: a file, a row in report.c, a golden
 * case. */
#ifndef FSD_REPORT_REPORT_H
#define FSD_REPORT_REPORT_H

#include "findings/findings.h"

#include <stdio.h>

struct fsd_writer {
    const char *name;
    const char *extensions; /**< of the files it writes, each followed by a space */
    /* NULL: a picture, written by fsd_picture_write(), which can fail. */
    void (*write)(const struct fsd_diff *d, const struct fsd_style *style, FILE *out);
};

/** By name, or by the ending of a path; NULL when there is none. */
const struct fsd_writer *fsd_writer_find(const char *name);
const struct fsd_writer *fsd_writer_at(unsigned i);

/** "0 errors, 1 warning, 2 notes" */
void fsd_put_severities(const uint32_t by_severity[FSD__SEVERITY_COUNT], FILE *out);

void fsd_write_text(const struct fsd_diff *d, const struct fsd_style *style, FILE *out);
void fsd_write_json(const struct fsd_diff *d, const struct fsd_style *style, FILE *out);

/* A run's findings in the formats of merge gates.  list.c */
void fsd_write_markdown(const struct fsd_diff *d, const struct fsd_style *style,
                        FILE *out);
void fsd_write_junit(const struct fsd_diff *d, const struct fsd_style *style,
                     FILE *out);
void fsd_write_sarif(const struct fsd_diff *d, const struct fsd_style *style,
                     FILE *out);
void fsd_write_github(const struct fsd_diff *d, const struct fsd_style *style,
                      FILE *out);
void fsd_write_gitlab(const struct fsd_diff *d, const struct fsd_style *style,
                      FILE *out);

#endif
