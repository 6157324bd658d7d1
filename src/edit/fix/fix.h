/* Applying what lint proposes: which of the edits can be, and the model with these. */
#ifndef FSD_FIX_FIX_H
#define FSD_FIX_FIX_H

#include "edit/run.h"

/** One edit that was asked for. */
struct fsd_fix {
    const struct fsd_edit *edit;
    const char *rule;
    double scale;      /**< that a quantizer gets; 0: the edit needs none */
    const char *why;   /**< why it is not applied; NULL: it is */
    bool to_calibrate; /**< the model has no scale for it, and none was given */
    bool given;        /**< the scale is the caller's, not the model's */
};

struct fsd_fixes {
    struct fsd_arena *arena;
    const struct fsd_lint *lint;
    FSD_VEC(struct fsd_fix) list; /**< in the order of the findings */
    bool *removed;                /**< by node: a quantizer that is taken away */
    bool *set;                    /**< by port: an edit says what it reads */
};

/** Decides on every edit of the findings.
 *  @return FSD_E_ARG for a word of `opt` that names no rule with a finding, no finding,
 *          no tensor whose scale is wanted, or is no scale. */
enum fsd_status fsd_fixes_choose(struct fsd_fixes *fixes,
                                 const struct fsd_findings *found,
                                 const struct fsd_fix_options *opt,
                                 struct fsd_error *err);

/** Turns those that apply into edits of the file. */
struct fsd_onnx_edits *fsd_fixes_edits(struct fsd_fixes *fixes);

/** Prints one line: how many of them apply.
 *  @param all  also each of them, and why some are not applied. */
void fsd_fixes_print(const struct fsd_fixes *fixes, bool all, FILE *out);

#endif
