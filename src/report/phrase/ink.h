/* What every text report knows of the terminal: its colors, its columns, and lines that
 * are longer than it is wide. */
#ifndef FSD_REPORT_PHRASE_INK_H
#define FSD_REPORT_PHRASE_INK_H

#include "base/base.h"

#include <stdio.h>

/** What a piece of text is, which decides its color. */
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

/** Switches the color on and off; nothing if the style has no color. */
void fsd_ink(const struct fsd_style *style, enum fsd_ink ink, FILE *out);

/** Columns of the report. */
unsigned fsd_text_width(const struct fsd_style *style);

/** Prints lines of a text, those that are longer than `width` in several.  Works in
 *  `lines`, and leaves them as they were.  wrap.c */
void fsd_put_wrapped(FILE *out, char *lines, size_t width);

#endif
