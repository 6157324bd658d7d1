/*
 * What stands in a picture: the text of boxes, wires and clusters, and their colours.
 * Labels are Graphviz's HTML-like strings, tooltips its plain ones; all names pass
 * through the escapes here.  Only src/report includes this.
 */
#ifndef FSD_REPORT_PICTURE_LABEL_H
#define FSD_REPORT_PICTURE_LABEL_H

#include "report/picture/drawing.h"

/** Shortens to `most` characters by taking out of the middle (0: as it is), makes
 * hidden characters visible, and escapes for Graphviz: `&` and `<` as entities, a
 * backslash doubled, since both kinds of string know "\N". */
void fsd_put_dot_text(FILE *out, const char *s, size_t most);

/** The HTML-like label of a box. */
void fsd_put_box_label(const struct fsd_drawing *w, const struct fsd_box *box,
                       FILE *out);
/** Full names, fate or kind, types: one line each. */
void fsd_put_box_tip(const struct fsd_drawing *w, const struct fsd_box *box, FILE *out);

/** "int8 chw32 1x64x56x56" in two lines; nothing when nothing is known. */
void fsd_put_wire_label(const struct fsd_drawing *w, const struct fsd_wire *wire,
                        FILE *out);
void fsd_put_wire_tip(const struct fsd_drawing *w, const struct fsd_wire *wire,
                      FILE *out);

/** The caption and the legend: an HTML-like label. */
void fsd_put_legend(const struct fsd_drawing *w, FILE *out);

/** The words for the colours of types, which is part of every legend. */
void fsd_put_type_keys(FILE *out);

/** The colours of a layer and its cluster. */
const char *fsd_cluster_fill(unsigned tint);
const char *fsd_cluster_line(unsigned tint);

/** How a box looks; strings are literals of Graphviz's words. */
struct fsd_look {
    const char *shape, *style, *fill, *line, *width;
};
struct fsd_look fsd_box_look(const struct fsd_drawing *w, const struct fsd_box *box);

/** The colour of a type, and of a wire: two where its ends see different types. */
const char *fsd_type_color(enum fsd_dtype type);
/** The width, wider types in thicker lines. */
const char *fsd_type_width(enum fsd_dtype type);

/** The types at the two ends of a wire; unknown where nothing is known. */
void fsd_wire_types(const struct fsd_drawing *w, const struct fsd_wire *wire,
                    enum fsd_dtype *from, enum fsd_dtype *to);

#endif
