/* The colors and columns of the terminal, and the wrapping of long lines, for all text
 * reports. */
#pragma once

#include "base/base.h"

/** The colors of text. Each color has the name of the text's role. */
enum fsd_ink {
    FSD_INK_PLAIN,
    FSD_INK_TITLE,
    FSD_INK_INSERTED, /**< "+" */
    FSD_INK_VANISHED, /**< "-" */
    FSD_INK_CHANGED,  /**< an element type or layout that a layer changes */
    FSD_INK_FAINT,
    FSD_INK_ALARM,
    FSD__INK_COUNT
};

/** Switches to a color; FSD_INK_PLAIN switches colors off. Does nothing if the style
 * has no colors. */
void fsd_ink(const struct fsd_style *style, enum fsd_ink ink, FILE *out);

/** The number of columns of the report. */
unsigned fsd_text_width(const struct fsd_style *style);

/** Prints the lines of a text and wraps those longer than `width`.  Modifies `lines`
 *  temporarily. wrap.c */
void fsd_put_wrapped(FILE *out, char *lines, size_t width);

/** Prints the title at the front of a line, padded to the width of its column. */
void fsd_ink_title(const struct fsd_style *style, const char *title, FILE *out);
