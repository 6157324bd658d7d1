/* Applies lint's edits in rounds: edits are applied to the model, and lint judges the
 * result, until no edit applies any more. */
#pragma once

#include "edit/fix/fix.h"

/** An edited model in a file without a name. */
struct fsd_trial {
    struct fsd_cleanup cleanup; /**< closes the file */
    FILE *file;
    struct fsd_linting *linting; /**< lint of the model in the file */
};

struct fsd_fixing {
    struct fsd_arena *arena;
    FSD_VEC(struct fsd_fix)
    list; /**< the edits that the options select: all edits that lint proposes for the
               model, and, of those that it proposes for a trial, the ones that apply */
    FSD_VEC(struct fsd_trial *) rounds; /**< the model after each round */
};

/** Decides on every edit that lint proposes for the model. An edit that would add a
 *  finding is not applied.
 *  @param fixing the caller sets fixing->arena before the call, and calls
 *          fsd_fixing_close() after it, even if this function fails
 *  @return the errors of fsd_fixes_check_words() and fsd_fixes_check_scales();
 *          FSD_E_WRITE if no file for the result can be made; or an error of reading or
 *          writing a model */
enum fsd_status fsd_fixing_find(struct fsd_fixing *fixing, const struct fsd_linting *l,
                                const struct fsd_fix_options *opt,
                                struct fsd_error *err);

/** Prints how many edits apply, and which tensors lack a scale.
 *  @param all whether to print each edit, too, and why some are not applied */
void fsd_fixing_print(const struct fsd_fixing *fixing, bool all, FILE *out);

/** Closes the files of all rounds. */
void fsd_fixing_close(struct fsd_fixing *fixing);
