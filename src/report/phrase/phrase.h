/* Phrases that several reports share: printed, or as texts that cells hold. */
#ifndef FSD_REPORT_PHRASE_PHRASE_H
#define FSD_REPORT_PHRASE_PHRASE_H

#include "change/compare/compare.h"
#include "judge/findings/findings.h"
#include "report/phrase/ink.h"

/** "0.0369 ms", three significant digits; "-" if it is unknown. */
void fsd_put_ms(double ms, FILE *out);
/** The same in a column of `width`. */
void fsd_put_ms_column(double ms, int width, FILE *out);
/** One of several counts, "fused 3", with ", " where there are `any` before it; nothing
 *  of 0. */
void fsd_put_tally(FILE *out, bool *any, uint32_t n, const char *what);
/** "gpu NVIDIA A100-PCIE-40GB; compute capability 8.0" */
void fsd_put_built(const fsd_built_vec *built, const struct fsd_intern *names,
                   FILE *out);
/** "0 errors, 1 warning, 2 notes" */
void fsd_put_severities(const uint32_t by_severity[FSD__SEVERITY_COUNT], FILE *out);

/** The same of all findings, ", 1 ignored", and ", 2 of rules that are off". */
void fsd_put_tally_of(const struct fsd_findings *all, FILE *out);
/** "38.5 MB", decimal units, or in open sizes "1204224*N B"; "-" where it is not known.
 */
void fsd_put_bytes(const struct fsd_diff *d, int64_t bytes, FILE *out);
/** A phrase, with what is hidden in its names shown. */
void fsd_put_safely(const struct fsd_diff *d, fsd_id id, fsd_put_fn *put, FILE *out);
void fsd_put_node(const struct fsd_diff *d, fsd_id node, FILE *out);
/** "compute (Convolution)": a layer's kind, and its type in the dump where it has
 * one. */
void fsd_put_layer_kind(const struct fsd_diff *d, fsd_id layer, FILE *out);

/** True for a node that runs in a higher precision than the model requests. */
bool fsd_runs_wider(const struct fsd_node_result *r);

/* Phrases that every report of a comparison shares; names are escaped. */

/** "Conv_34 + Add_42 + Relu_43", without what an exporter may fold unless there is
 *  nothing else. */
void fsd_put_group(const struct fsd_state *s, const struct fsd_group *g, FILE *out);
/** "Relu_37 -> Conv_47", the first of several and how many more. */
void fsd_put_move_ends(const struct fsd_state *s, const struct fsd_move *m, FILE *out);
/** "quantize QuantizeLinear_40", "reformat (dtype+layout)" */
void fsd_put_move(const struct fsd_state *s, const struct fsd_move *m, FILE *out);
/** "data [1,3,224,224] fp32 chw" of an input or output; "none" of FSD_NONE. */
void fsd_put_port(const struct fsd_state *s, bool output, fsd_id port, FILE *out);
/** "+0.0123 ms" */
void fsd_put_delta(double before, double after, FILE *out);

/* ------------------------------------------------------------ texts that cells hold */

/** A phrase in the arena; NULL when it is empty.  cells.c */
const char *fsd_phrase_of(struct fsd_arena *arena, const struct fsd_diff *d, fsd_id id,
                          fsd_put_fn *put);
/** fsd_layer_forms() in the arena; NULL when it is empty. */
const char *fsd_change_of(struct fsd_arena *arena, const struct fsd_diff *d,
                          fsd_id layer);
/** What fsd_put_node_name() prints. */
const char *fsd_called_node(struct fsd_arena *arena, const struct fsd_diff *d,
                            fsd_id node);
/** What the build log says in an event; NULL, also for FSD_NONE. */
const char *fsd_said_of(struct fsd_arena *arena, const struct fsd_diff *d,
                        uint32_t event);
/** Why a log is no evidence, "it belongs to another build"; NULL: it is evidence. */
const char *fsd_refusal_of(const struct fsd_history *h);
/** The same as a sentence. */
const char *fsd_unused_log(const struct fsd_history *h);
/** The nodes that a layer computes: up to three names and how many more. */
fsd_put_fn fsd_put_nodes_of;
/** NULL when it is empty. */
const char *fsd_layer_name_of(const struct fsd_diff *d, fsd_id layer);

#endif
