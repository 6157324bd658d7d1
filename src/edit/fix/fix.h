/* Applying what lint proposes: which of the edits can be, and the model with these. */
#ifndef FSD_FIX_FIX_H
#define FSD_FIX_FIX_H

#include "edit/run.h"

/** One edit that was asked for. */
struct fsd_fix {
    const struct fsd_edit *edit;
    const char *rule;
    uint32_t finding;  /**< in the list of lint */
    double scale;      /**< that a quantizer gets; 0: the edit needs none */
    const char *why;   /**< why it is not applied; NULL: it is */
    bool to_calibrate; /**< the model has no scale for it, and none was given */
    bool given;        /**< the scale is the caller's, not the model's */
    bool withdrawn;    /**< an engine shows that it saves nothing */
};

struct fsd_fixes {
    struct fsd_arena *arena;
    const struct fsd_lint *lint;
    FSD_VEC(struct fsd_fix) list; /**< in the order of the findings */
    const char **barred;          /**< by edit: why it must not be applied; NULL */
    bool *removed;                /**< by node: a quantizer that is taken away */
    bool *set;                    /**< by port: an edit says what it reads */
};

/** Lists the edits that are asked for, none of them barred or chosen yet. */
void fsd_fixes_list(struct fsd_fixes *fixes, const struct fsd_findings *found,
                    const struct fsd_fix_options *opt);

/** Decides on every edit of the list, as often as `barred` changes. */
void fsd_fixes_choose(struct fsd_fixes *fixes, const struct fsd_fix_options *opt);

/** @return FSD_E_ARG for a word that names no rule with a finding, and no finding. */
enum fsd_status fsd_fixes_check_words(const struct fsd_findings *found,
                                      const struct fsd_fix_options *opt,
                                      struct fsd_error *err);

/** @return FSD_E_ARG for what is no scale, or of a tensor that waits for none. */
enum fsd_status fsd_fixes_check_scales(const struct fsd_fixes *fixes,
                                       const struct fsd_fix_options *opt,
                                       struct fsd_error *err);

/** Turns those that apply into edits of the file. */
struct fsd_onnx_edits *fsd_fixes_edits(struct fsd_fixes *fixes);

#endif
