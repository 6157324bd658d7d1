/* Phrases that several views share.  Only src/report includes this. */
#ifndef FSD_REPORT_TEXT_PHRASE_H
#define FSD_REPORT_TEXT_PHRASE_H

#include "diff/diff.h"
#include "findings/findings.h"
#include "report/text/text.h"

/** "0.0369 ms", three digits that tell something; "-" where it is not known. */
void fsd_put_ms(double ms, FILE *out);
/** The same in a column of `width`. */
void fsd_put_ms_column(double ms, int width, FILE *out);
/** "38.5 MB", decimal units, or in open sizes "1204224*N B"; "-" where it is not known.
 */
void fsd_put_bytes(const struct fsd_diff *d, int64_t bytes, FILE *out);
/** The same of any unit, with a prefix: "38.5 MB" of 38500000 and " B"; `term` is
 * printed instead where it is not NULL. */
void fsd_put_scaled(int64_t n, const char *term, const char *unit, FILE *out);
/** "3.70 G", for multiply-adds, or in open sizes. */
void fsd_put_count(const struct fsd_diff *d, int64_t count, FILE *out);
/** A phrase, with what is hidden in its names shown. */
void fsd_put_safely(const struct fsd_diff *d, fsd_id id, fsd_put_fn *put, FILE *out);
void fsd_put_node(const struct fsd_diff *d, fsd_id node, FILE *out);
void fsd_put_layer(const struct fsd_diff *d, fsd_id layer, FILE *out);
/** "int8 chw32 -> fp16 chw32" of a layer's first in- and output. */
void fsd_put_layer_change(const struct fsd_diff *d, fsd_id layer, FILE *out);
/** "compute (Convolution)": a layer's kind, and its type in the dump where it has
 * one. */
void fsd_put_layer_kind(const struct fsd_diff *d, fsd_id layer, FILE *out);

#endif
