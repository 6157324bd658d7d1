/* Pictures of one build and of two builds, for the other folders of report/. */
#pragma once

#include "change/compare/compare.h"
#include "explain/diff/diff.h"

/** A box that contains several nodes or layers. */
struct fsd_picture_box {
    const char *name; /**< the id of the box in an SVG: "l12" */
    bool layers;      /**< true: the items are layers; false: nodes */
    const fsd_id *items;
    uint32_t n;
    fsd_id owner;      /**< if the items are nodes: the layer whose cluster contains
                            them; FSD_NONE: no layer */
    const char *title; /**< what the items have in common; NULL: nothing */
};

/** A part of a run with its own picture, and results of writing the picture. */
struct fsd_excerpt {
    const fsd_id *layers; /**< show these layers and their nodes; NULL: show what the
                               style requests */
    uint32_t n;
    unsigned depth; /**< in: number of name scopes that all items share; out: number of
                         name scopes that the items of one box share */
    double spent;   /**< out: processor time of the layouts, in seconds */
    void (*box)(void *payload, const struct fsd_picture_box *box);
    void *payload; /**< the first argument of `box` */
};

/** Writes a part of a run like fsd_picture_write(), and calls part->box for each box
 * that stands for several items.
 * @param format NULL: writes the DOT that the first attempt of a layout uses, so that
 *         the caller can pass this DOT to fsd_layouts_begin() */
enum fsd_status fsd_picture_write_part(const struct fsd_diff *d,
                                       struct fsd_excerpt *part, const char *format,
                                       const struct fsd_style *style, FILE *out,
                                       struct fsd_error *err);

/** Writes a picture of a run. DOT needs no layout. For other formats, Graphviz makes a
 * layout in a child process, which is killed if it takes too long. If a picture is too
 * large, it is simplified, and a note reports this.
 * @param format "dot", "svg", "png" or "pdf".
 *  @return FSD_OK; FSD_E_ARG if `style->picture` has an unknown word, or if nothing can
 *          make a layout; FSD_E_LIMIT if no layout succeeds within the processor
 *          time */
enum fsd_status fsd_picture_write(const struct fsd_diff *d, const char *format,
                                  const struct fsd_style *style, FILE *out,
                                  struct fsd_error *err);

/** Writes a picture of a comparison: both builds, or both exports, side by side. A
 * large picture shows only the changes. If it is still too large, it shows only the
 * worst changes. */
enum fsd_status fsd_compare_write_picture(const struct fsd_compare *c,
                                          const char *format,
                                          const struct fsd_style *style, FILE *out,
                                          struct fsd_error *err);

/** The processor time in seconds that the layouts of a picture may take: the requested
 * time, or the default. */
enum { FSD_LAYOUT_SECONDS = 30 };
static inline double fsd_picture_seconds(const struct fsd_picture *want)
{
    return want->layout_seconds > 0 ? want->layout_seconds : FSD_LAYOUT_SECONDS;
}

/** Begins to lay out pictures in a child process, one after the other, while the caller
 * continues.
 * @param dots must stay unchanged until fsd_layouts_end() */
struct fsd_layouts *fsd_layouts_begin(struct fsd_arena *arena, const char *const *dots,
                                      uint32_t n, const char *format);
/** Waits for the next picture, and writes it.
 * @param[in,out] seconds the processor time that the layout may take; the function
 *         subtracts the time that the layout took
 * @return false if the layout takes too long, or if Graphviz reports an error; the
 *         caller can then draw a simpler picture with fsd_picture_write_part() */
bool fsd_layouts_take(struct fsd_layouts *layouts, double *seconds, FILE *out);
void fsd_layouts_end(struct fsd_layouts *layouts);

/** Whether pictures of this format can be laid out. Lays out a small picture to test
 * this. */
bool fsd_picture_lays_out(const char *format);
