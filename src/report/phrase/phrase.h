/* Phrases that several reports share, printed or returned as texts for cells. */
#pragma once

#include "change/compare/compare.h"
#include "judge/findings/findings.h"
#include "report/phrase/ink.h"

/** "0.0369 ms"; "-" if the time is unknown. */
void fsd_put_ms(double ms, FILE *out);
/** Prints a time right-aligned in a column of `width` characters; "-" if it is
 * unknown. */
void fsd_put_ms_column(double ms, int width, FILE *out);
/** Prints one of several counts, "fused 3"; nothing if n is 0. If `any` is true, prints
 * ", " first. Then sets `any`. */
void fsd_put_tally(FILE *out, bool *any, uint32_t n, const char *what);
/** "0 errors, 1 warning, 2 notes" */
void fsd_put_severities(const uint32_t by_severity[FSD__SEVERITY_COUNT], FILE *out);

/** "0 errors, 1 warning, 2 notes, 1 ignored, 2 by rules that are off": the counts of
 * all findings. */
void fsd_put_tally_of(const struct fsd_findings *all, FILE *out);
/** "38.5 MB" (10^6 bytes), or with dynamic sizes "1204224*N B"; "-" if unknown. */
void fsd_put_bytes(const struct fsd_diff *d, int64_t bytes, FILE *out);
/** Prints the phrase that `put` writes; fsd_put_safe() escapes it. */
void fsd_put_safely(const struct fsd_diff *d, fsd_id id, fsd_put_fn *put, FILE *out);
void fsd_put_node(const struct fsd_diff *d, fsd_id node, FILE *out);
/** "compute (Convolution)": a layer's kind, and its type if the engine dump states
 * one. */
void fsd_put_layer_kind(const struct fsd_diff *d, fsd_id layer, FILE *out);

/** Whether the node runs in a higher precision than the model requests. */
bool fsd_runs_wider(const struct fsd_node_result *r);

/* Phrases that every report of a comparison shares; names are escaped. */

/** "Conv_34 + Add_42 + Relu_43". Leaves out nodes that an exporter may fold, unless the
 * group has no other nodes. */
void fsd_put_group(const struct fsd_state *s, const struct fsd_group *g, FILE *out);
/** "Relu_37 -> Conv_47": the first node on each side, and the number of the other
 * nodes. */
void fsd_put_move_ends(const struct fsd_state *s, const struct fsd_move *m, FILE *out);
/** "quantize QuantizeLinear_40", "reformat (dtype+layout)" */
void fsd_put_move(const struct fsd_state *s, const struct fsd_move *m, FILE *out);
/** "data [1,3,224,224] fp32 chw" for an input or output; "none" for FSD_NONE. */
void fsd_put_port(const struct fsd_state *s, bool output, fsd_id port, FILE *out);
/** "+0.0123 ms" */
void fsd_put_delta(double before, double after, FILE *out);

/* ------------------------------------------------------------ texts that cells hold */

/** The phrase that `put` writes, as a text in the arena; NULL if the phrase is empty.
 * cells.c */
const char *fsd_phrase_of(struct fsd_arena *arena, const struct fsd_diff *d, fsd_id id,
                          fsd_put_fn *put);
/** The text of fsd_layer_forms(), in the arena; NULL if the text is empty. */
const char *fsd_change_of(struct fsd_arena *arena, const struct fsd_diff *d,
                          fsd_id layer);
/** The text that fsd_put_node_name() prints. */
const char *fsd_called_node(struct fsd_arena *arena, const struct fsd_diff *d,
                            fsd_id node);
/** The sentence on an event of the build log; NULL if the event has no sentence, or is
 * FSD_NONE. */
const char *fsd_said_of(struct fsd_arena *arena, const struct fsd_diff *d,
                        uint32_t event);
/** The reason why the build log is not used as evidence, "it belongs to another build";
 * NULL: the log is used. */
const char *fsd_refusal_of(const struct fsd_history *h);
/** The reason of fsd_refusal_of() as a sentence, "the log is not used: ..."; NULL: the
 * log is used. */
const char *fsd_unused_log(const struct fsd_history *h);
/** Prints the nodes that a layer computes: up to three names, and the number of others.
 */
fsd_put_fn fsd_put_nodes_of;
/** The name of a layer; NULL if the name is empty. */
const char *fsd_layer_name_of(const struct fsd_diff *d, fsd_id layer);
