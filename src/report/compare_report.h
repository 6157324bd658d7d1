/* Reports of a comparison. */
#ifndef FSD_REPORT_COMPARE_REPORT_H
#define FSD_REPORT_COMPARE_REPORT_H

#include "compare/compare.h"

#include <stdio.h>

void fsd_compare_write_text(const struct fsd_compare *c, const struct fsd_style *style,
                            FILE *out);
/** What the text begins with: what was compared, and all counts. */
void fsd_compare_put_head(const struct fsd_compare *c, FILE *out);
void fsd_compare_write_json(const struct fsd_compare *c, FILE *out);

/* Phrases that every report of a comparison shares; names are escaped. */

/** "Conv_34 + Add_42 + Relu_43", without what an exporter may fold unless there is
 *  nothing else. */
void fsd_put_group(const struct fsd_state *s, const struct fsd_group *g, FILE *out);
/** "Relu_37 -> Conv_47", the first of several and how many more. */
void fsd_put_move_ends(const struct fsd_state *s, const struct fsd_move *m, FILE *out);
/** "quantize QuantizeLinear_40", "reformat (dtype+layout)" */
void fsd_put_move(const struct fsd_state *s, const struct fsd_move *m, FILE *out);
/** "fp16 chw32"; "?" when nothing is known. */
void fsd_put_form(const struct fsd_state *s, struct fsd_state_form form, FILE *out);
/** "data [1,3,224,224] fp32 chw" of an input or output; "none" of FSD_NONE. */
void fsd_put_port(const struct fsd_state *s, bool output, fsd_id port, FILE *out);
/** "+0.0123 ms" */
void fsd_put_delta(double before, double after, FILE *out);

#endif
