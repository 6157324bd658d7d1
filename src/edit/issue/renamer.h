/*
 * Names of a model, its engine and its files, replaced wherever a report has them.
 *
 *     stem/conv             n1
 *     stem.w + stem/conv    t2 + n1
 *     stem/conv copy            n1 copy
 *
 * What a builder puts names together of is parsed: known names are replaced, the
 * builder's own words and numbers stay, and any other word is replaced, too.  So a word
 * that the list lacks is hidden rather than revealed.
 */
#ifndef FSD_OUT_RENAMER_H
#define FSD_OUT_RENAMER_H

#include "edit/run.h"
#include "edit/onnx/hide.h"

struct fsd_renamer;

/** Lives in the arena. */
struct fsd_renamer *fsd_renamer_new(struct fsd_arena *arena);

/** Takes note of what the run calls things, before any is renamed: of the words that
 *  stay, and of the names, in the order of the model.
 *  @param phrases,words  of the builder, as in fsd_engine_reader; NULL: none. */
void fsd_renamer_learn(struct fsd_renamer *r, const struct fsd_diff *d,
                       const char *const *phrases, const char *words);

/** The new name; a fsd_rename_fn.
 *  @param payload  the renamer. */
const char *fsd_renamer_name(void *payload, enum fsd_named of, struct fsd_slice name);

/** True for a text of ONNX's, its exporters' or the builders' words; a fsd_public_fn.
 *  @param payload  the renamer. */
bool fsd_renamer_is_public(void *payload, struct fsd_slice text);

/** The text with its names replaced.
 *  @param text  NULL: NULL. */
const char *fsd_renamer_text(struct fsd_renamer *r, const char *text);

/** Replaces the text of all symbols of the run but the words that stay.  What was
 *  printed before holds the old names: the findings are to be made anew. */
void fsd_renamer_apply(struct fsd_renamer *r, const struct fsd_diff *d);

/** Writes the new names with what they stand for, as JSON. */
void fsd_renamer_write(const struct fsd_renamer *r, FILE *out);

#endif
