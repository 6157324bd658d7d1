/*
 * Replaces the names of a model, its engine and its files in all texts of a report.
 *
 *     stem/conv             n1
 *     stem.w + stem/conv    t2 + n1
 *     stem/conv copy        n1 copy
 *
 * Names that a builder composed are parsed. Known names are replaced, the builder's own
 * words and numbers stay, and any other word is replaced, too: a word that is not
 * listed is hidden.
 */
#pragma once

#include "edit/run.h"
#include "edit/onnx/hide.h"

struct fsd_renamer;

/** Creates a renamer in the arena. */
struct fsd_renamer *fsd_renamer_new(struct fsd_arena *arena);

/** Records the words of the run that are not replaced, and the names to replace, in
 *  the order of the model. Call it before any name is replaced. */
void fsd_renamer_learn(struct fsd_renamer *r, const struct fsd_diff *d);

/** The new name of `name`; a fsd_rename_fn.
 *  @param payload the renamer */
const char *fsd_renamer_name(void *payload, enum fsd_named of, struct fsd_slice name);

/** Whether the text consists of words of ONNX, its exporters or the builders; a
 *  fsd_public_fn.
 *  @param payload the renamer */
bool fsd_renamer_is_public(void *payload, struct fsd_slice text);

/** The text with its names replaced.
 *  @param text may be NULL; then the result is NULL, too */
const char *fsd_renamer_text(struct fsd_renamer *r, const char *text);

/** Replaces the texts of all symbols of the run, except words that stay. Texts that
 *  were printed before still have the old names, so the caller must make the findings
 *  again. */
void fsd_renamer_apply(struct fsd_renamer *r, const struct fsd_diff *d);

/** Writes the new names, with the old names that they replace, as JSON. */
void fsd_renamer_write(const struct fsd_renamer *r, FILE *out);
