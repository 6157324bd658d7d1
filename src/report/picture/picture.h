/* Pictures of one build and of two, for the rest of report/. */
#pragma once

#include "change/compare/compare.h"
#include "change/compare/compare.h"
#include "explain/diff/diff.h"

/** A box that contains several nodes or layers. */
struct fsd_picture_box {
    const char *name; /**< id of the box in an SVG: "l12" */
    bool layers;      /**< else nodes */
    const fsd_id *items;
    uint32_t n;
    fsd_id owner;      /**< of nodes: the first layer that computes them; FSD_NONE */
    const char *title; /**< what the items have in common; NULL: nothing */
};

/** A part of a run that has its own picture, and the result. */
struct fsd_excerpt {
    const fsd_id *layers; /**< these layers and their nodes; NULL: those that the style
                               requests */
    uint32_t n;
    unsigned depth; /**< in: number of scopes that all items share; out: number of
                         scopes that the items of each box share */
    double spent;   /**< set to the processor time of its layouts, in seconds */
    void (*box)(void *payload, const struct fsd_picture_box *box);
    void *payload; /**< passed to `box` */
};

/** Writes a part of a run like fsd_picture_write(), and calls `box` for each of its
 * boxes.
 * @param format NULL: the DOT of the first attempt, for fsd_layouts_begin(). */
enum fsd_status fsd_picture_write_part(const struct fsd_diff *d,
                                       struct fsd_excerpt *part, const char *format,
                                       const struct fsd_style *style, FILE *out,
                                       struct fsd_error *err);

/** Writes a picture: DOT as it is; other formats after a layout by Graphviz in a
 * child process, which is killed if it takes too long. If a picture is too large for
 * the layout, it is simplified, and a note says so.
 * @param format "dot", "svg", "png" or "pdf".
 *  @return FSD_OK; FSD_E_ARG if `style->picture` has an unknown word, and
 *          for a layout in a build without Graphviz; FSD_E_LIMIT when no layout came to
 *          an end in its processor time. */
enum fsd_status fsd_picture_write(const struct fsd_diff *d, const char *format,
                                  const struct fsd_style *style, FILE *out,
                                  struct fsd_error *err);

/** Writes a picture of a comparison: both builds, or both exports, side by side. A
 * large picture shows only the changes; with very many changes, only the worst. */
enum fsd_status fsd_compare_write_picture(const struct fsd_compare *c,
                                          const char *format,
                                          const struct fsd_style *style, FILE *out,
                                          struct fsd_error *err);

/** Returns the processor time that a layout may take: the requested one, or the
 * default. */
enum { FSD_LAYOUT_SECONDS = 30 };
static inline double fsd_picture_seconds(const struct fsd_picture *want)
{
    return want->layout_seconds > 0 ? want->layout_seconds : FSD_LAYOUT_SECONDS;
}

/** Begins to lay out pictures in a child process, one after the other, while other
 * work continues.
 * @param dots must stay unchanged until fsd_layouts_end(). */
struct fsd_layouts *fsd_layouts_begin(struct fsd_arena *arena, const char *const *dots,
                                      uint32_t n, const char *format);
/** Waits for the next picture, and writes it.
 * @param seconds in: the processor time that the layout may take; out: the time that is
 *        left
 * @return false if the layout was not done in time, or if Graphviz reports an error.
 *        Nothing is written then, and fsd_picture_write_part() can draw a simpler
 *        picture. */
bool fsd_layouts_take(struct fsd_layouts *layouts, double *seconds, FILE *out);
void fsd_layouts_end(struct fsd_layouts *layouts);

/** True if Graphviz is installed and writes that format, which is tested. */
bool fsd_picture_lays_out(const char *format);
