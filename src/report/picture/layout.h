/* Graphviz's layout may take very long, and may crash: it runs in a child process. */
#ifndef FSD_REPORT_LAYOUT_H
#define FSD_REPORT_LAYOUT_H

#include <stdbool.h>
#include <stdio.h>

/** Lays `what` out and writes it as "svg", "png" or "pdf"; false when it cannot. */
typedef bool fsd_draw_fn(const void *what, const char *format, FILE *out);

/** Runs `draw` in a child, for so many seconds at most.
 *  @return true when it came to an end and all of it was written to `to`; nothing was
 *          written otherwise. */
bool fsd_lay_out(fsd_draw_fn *draw, const void *what, const char *format,
                 double seconds, FILE *to);

/** Seconds of a clock that only goes forward. */
double fsd_layout_now(void);

#endif
