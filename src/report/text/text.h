/* The sections of text reports. Only files of src/report include this header. */
#pragma once

#include "judge/findings/brief.h"
#include "judge/findings/findings.h"
#include "report/phrase/ink.h"
#include "report/subject/subject.h"

/** Prints the layers of the engine in order, beside the nodes of the model. layers.c */
void fsd_text_layers(const struct fsd_diff *d, const struct fsd_style *style,
                     FILE *out);
/** The layers of the engine in order, abbreviated: one or two lines per layer, and only
 * the first of equal blocks. folded.c */
void fsd_text_layers_folded(const struct fsd_diff *d, const struct fsd_style *style,
                            FILE *out);
/** "0.0400  Reformat (io)  fp16 chw -> int8 chw": a layer's time if it was measured,
 * its type and cause, and the forms of its input and output if they are known. */
void fsd_text_kind(const struct fsd_diff *d, fsd_id layer, FILE *out);
/** '+': an inserted layer; '?': a computing layer whose nodes are unknown; '|': any
 * other layer. layers.c */
char fsd_text_mark(const struct fsd_diff *d, fsd_id layer);
/** The color of a mark.
 *  @param ink the color of '|' */
enum fsd_ink fsd_text_mark_ink(char mark, enum fsd_ink ink);
/** Prints the external numbers (--values) of a run, if there are any. */
void fsd_text_values(const struct fsd_diff *d, const struct fsd_style *style,
                     FILE *out);
void fsd_text_vanished(const struct fsd_diff *d, const struct fsd_style *style,
                       FILE *out);

/** Prints the first lines of a report on a run or a check. */
void fsd_text_brief(const struct fsd_brief *brief, const struct fsd_style *style,
                    FILE *out);
/** Prints a finding of a run or a check as one line. */
void fsd_text_finding(const struct fsd_findings *all, const struct fsd_finding *f,
                      const struct fsd_style *style, FILE *out);

/** Prints the head of a comparison: the two builds, and all counts. */
void fsd_compare_put_head(const struct fsd_compare *c, bool all, FILE *out);
/** Prints the first lines of a comparison's head: whether anything differs, and the
 * numbers of layers. */
void fsd_compare_put_conclusion(const struct fsd_compare *c, FILE *out);

/** Prints how two builders treat the network, side by side; nothing if both builds have
 * the same builder. */
void fsd_put_builders(const struct fsd_compare *c, FILE *out);
