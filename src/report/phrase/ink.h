/* Shared by all text reports: the colors and columns of the terminal, and the wrapping
 * of long lines. */
#pragma once

#include "base/base.h"

/** The role of a piece of text, which determines its color. */
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

/** Switches the color on or off; does nothing if the style has no colors. */
void fsd_ink(const struct fsd_style *style, enum fsd_ink ink, FILE *out);

/** The number of columns of the report. */
unsigned fsd_text_width(const struct fsd_style *style);

/** Prints the lines of a text and wraps those longer than `width`.  Modifies `lines`
 *  temporarily. wrap.c */
void fsd_put_wrapped(FILE *out, char *lines, size_t width);

/** Prints the title of a line, in its column. */
void fsd_ink_title(const struct fsd_style *style, const char *title, FILE *out);
