/* A picture of a comparison as a graph of cgraph's. */
#ifndef FSD_REPORT_DOT_COMPARE_H
#define FSD_REPORT_DOT_COMPARE_H

#include "report/picture/compare_draw.h"

#include <stdio.h>

/** Writes it as DOT. */
void fsd_compare_dot_write(const struct fsd_compare_drawing *w, FILE *out);

/** Lays it out and writes it; as fsd_dot_layout() of dot.h. */
bool fsd_compare_dot_layout(const struct fsd_compare_drawing *w, const char *format,
                            FILE *out);

#endif
