/*
 * Words that reveal nothing about a model: those of ONNX, of its exporters and of the
 * builder.
 *
 *     sm80_xmma_fprop_implicit_gemm_f16    all words are the builder's
 *     sm80_acme_fprop                      "acme" may be anybody's
 *
 * A word that is not listed is hidden rather than revealed.
 */
#pragma once

#include "base/base.h"

struct fsd_public_words;

/** Creates the list of words of ONNX and its exporters, in the arena. */
struct fsd_public_words *fsd_public_new(struct fsd_arena *arena);

/** Adds words in lower case, separated by blanks.
 *  @param words NULL: none */
void fsd_public_add(struct fsd_public_words *p, const char *words);

/** Whether all words of the text are public; also true if it has none. */
bool fsd_public_has(const struct fsd_public_words *p, struct fsd_slice text);
