/*
 * What stands in a picture of a comparison, and its colours: what happened to the
 * fusion of a region colours its groups, a change of precision their border.
 * Only src/report includes this.
 */
#ifndef FSD_REPORT_COMPARE_LABEL_H
#define FSD_REPORT_COMPARE_LABEL_H

#include "report/picture/compare_draw.h"
#include "report/picture/label.h"

struct fsd_look fsd_mark_look(const struct fsd_compare_drawing *w,
                              const struct fsd_mark *mark);
struct fsd_look fsd_region_look(const struct fsd_region_diff *r);
/** @param change enum fsd_move_what, or FSD_MOVE_UNCHANGED */
struct fsd_look fsd_move_look(uint8_t change);

/** The HTML-like label of a mark.
 *  @param first it is the region's first one on a side: it says what happened. */
void fsd_put_mark_label(const struct fsd_compare_drawing *w,
                        const struct fsd_mark *mark, bool first, FILE *out);
/** All its names, a line each. */
void fsd_put_mark_tip(const struct fsd_compare_drawing *w, const struct fsd_mark *mark,
                      FILE *out);
void fsd_put_mark_wire_label(const struct fsd_compare_drawing *w,
                             const struct fsd_mark_wire *wire, FILE *out);

/** The caption and the legend: an HTML-like label. */
void fsd_put_compare_legend(const struct fsd_compare_drawing *w, FILE *out);

#endif
