/* Pictures of one build and of two, for the rest of report/. */
#ifndef FSD_REPORT_PICTURE_PICTURE_H
#define FSD_REPORT_PICTURE_PICTURE_H

#include "change/compare/compare.h"
#include "change/compare/compare.h"
#include "explain/diff/diff.h"

#include <stdio.h>

/** A box that stands for several nodes or layers. */
struct fsd_picture_box {
    const char *name; /**< its id in an SVG: "l12" */
    bool layers;      /**< else nodes */
    const fsd_id *items;
    uint32_t n;
    fsd_id owner; /**< of nodes: the first of the layers that compute them; FSD_NONE */
    const char *title; /**< what the items have in common; NULL: nothing */
};

/** A part of a run as a picture of its own, and what it became. */
struct fsd_excerpt {
    const fsd_id *layers; /**< these and their nodes; NULL: what the style asks for */
    uint32_t n;
    unsigned depth; /**< so many scopes are common to all; set to those of its boxes */
    double spent;   /**< set to the processor time of its layouts, in seconds */
    void (*box)(void *payload, const struct fsd_picture_box *box);
    void *payload; /**< passed to `box` */
};

/** Like fsd_picture_write(), for a part; calls `box` for its boxes.
 *  @param format NULL: the DOT of the first attempt, for fsd_layouts_begin(). */
enum fsd_status fsd_picture_write_part(const struct fsd_diff *d,
                                       struct fsd_excerpt *part, const char *format,
                                       const struct fsd_style *style, FILE *out,
                                       struct fsd_error *err);

/** Writes a picture: DOT as it is, the other formats laid out by Graphviz in a child
 *  process, which is killed when it takes too long.  Of what is too large for it less
 *  is drawn, and said so.
 *  @param format "dot", "svg", "png" or "pdf".
 *  @return FSD_OK; FSD_E_ARG for words of the style's picture that mean nothing, and
 *          for a layout in a build without Graphviz; FSD_E_LIMIT when no layout came to
 *          an end in its processor time. */
enum fsd_status fsd_picture_write(const struct fsd_diff *d, const char *format,
                                  const struct fsd_style *style, FILE *out,
                                  struct fsd_error *err);

/** The same of a comparison: both builds, or both exports, side by side; of large ones
 *  what changed, and of very many changes the worst. */
enum fsd_status fsd_compare_write_picture(const struct fsd_compare *c,
                                          const char *format,
                                          const struct fsd_style *style, FILE *out,
                                          struct fsd_error *err);

/** How much processor time a layout may take: what was asked for, or the usual. */
enum { FSD_LAYOUT_SECONDS = 30 };
static inline double fsd_picture_seconds(const struct fsd_picture *want)
{
    return want->layout_seconds > 0 ? want->layout_seconds : FSD_LAYOUT_SECONDS;
}

/** Has a child process lay out pictures, one after the other, while other work
 *  continues.
 *  @param dots must stay unchanged until fsd_layouts_end(). */
struct fsd_layouts *fsd_layouts_begin(struct fsd_arena *arena, const char *const *dots,
                                      uint32_t n, const char *format);
/** Waits for the next of them, and writes it.
 *  @param seconds of processor time that it may take; what it took is taken off.
 *  @return false, and nothing is written, for one that was not done in its time, or of
 *          which Graphviz complains: fsd_picture_write_part() tries less of it. */
bool fsd_layouts_take(struct fsd_layouts *layouts, double *seconds, FILE *out);
void fsd_layouts_end(struct fsd_layouts *layouts);

/** True when Graphviz is there and draws in that format, which is tried. */
bool fsd_picture_lays_out(const char *format);

#endif
