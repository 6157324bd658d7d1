/* Pictures of one build and of two, for the rest of report/. */
#ifndef FSD_REPORT_PICTURE_PICTURE_H
#define FSD_REPORT_PICTURE_PICTURE_H

#include "compare/compare.h"
#include "diff/diff.h"

#include <stdio.h>

/** Writes a picture: DOT as it is, the other formats laid out by Graphviz in a child
 *  process, which is killed when it takes too long; then less is drawn, and said so.
 *  @param format "dot", "svg", "png" or "pdf".
 *  @return FSD_OK; FSD_E_ARG for words of the style's picture that mean nothing, and
 *          for a layout in a build without Graphviz; FSD_E_LIMIT when no layout came to
 *          an end in its time. */
enum fsd_status fsd_picture_write(const struct fsd_diff *d, const char *format,
                                  const struct fsd_style *style, FILE *out,
                                  struct fsd_error *err);

/** The same of a comparison: both builds side by side; of large ones what changed, and
 *  of very many changes the worst. */
enum fsd_status fsd_compare_write_picture(const struct fsd_compare *c,
                                          const char *format,
                                          const struct fsd_style *style, FILE *out,
                                          struct fsd_error *err);

#endif
