/*
 * Words that reveal nothing about a model: words of ONNX, of its exporters and of the
 * builder.
 *
 *     sm80_xmma_fprop_implicit_gemm_f16    all words are the builder's
 *     sm80_acme_fprop                      "acme" may reveal the builder's user
 *
 * A word that is not listed does not count as public, so it is hidden.
 */
#pragma once

#include "base/base.h"

struct fsd_public_words;

/** Creates a list with the words of ONNX and its exporters, in the arena. */
struct fsd_public_words *fsd_public_new(struct fsd_arena *arena);

/** Adds words in lower case, separated by blanks.
 *  @param words NULL: none */
void fsd_public_add(struct fsd_public_words *p, const char *words);

/** Whether all words of the text are public. True for a text without words. */
bool fsd_public_has(const struct fsd_public_words *p, struct fsd_slice text);
