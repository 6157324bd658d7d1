/* Applies the edits that lint proposes: decides which edits can be applied, and
 * writes the model with them. */
#pragma once

#include "edit/run.h"

/** A requested edit. */
struct fsd_fix {
    const struct fsd_edit *edit;
    const char *rule;
    uint32_t finding;  /**< its index in the findings of lint */
    double scale;      /**< scale of the quantizer; 0: the edit needs none */
    const char *why;   /**< the reason why it is not applied; NULL: it is */
    bool to_calibrate; /**< the model has no scale for it, and the caller gave none */
    bool given;        /**< the scale comes from the caller, not from the model */
    bool withdrawn;    /**< an engine shows that the edit saves nothing */
};

struct fsd_fixes {
    struct fsd_arena *arena;
    const struct fsd_lint *lint;
    FSD_VEC(struct fsd_fix) list; /**< in the order of the findings */
    const char **barred;          /**< by edit: the reason why it must not be applied;
                                       NULL */
    bool *removed;                /**< by node: a quantizer that is removed */
    bool *set;                    /**< by port: an edit determines what it reads */
};

/** Lists the requested edits, none of them barred or chosen yet. */
void fsd_fixes_list(struct fsd_fixes *fixes, const struct fsd_findings *found,
                    const struct fsd_fix_options *opt);

/** Decides which edits of the list apply; called again after each change of
 * `barred`. */
void fsd_fixes_choose(struct fsd_fixes *fixes, const struct fsd_fix_options *opt);

/** @return FSD_E_ARG if a word names neither a finding nor a rule that has findings. */
enum fsd_status fsd_fixes_check_words(const struct fsd_findings *found,
                                      const struct fsd_fix_options *opt,
                                      struct fsd_error *err);

/** @return FSD_E_ARG if a given number is not a scale, or if no edit needs a scale for
 *        its tensor. */
enum fsd_status fsd_fixes_check_scales(const struct fsd_fixes *fixes,
                                       const struct fsd_fix_options *opt,
                                       struct fsd_error *err);

/** Turns the edits that apply into edits of the file. */
struct fsd_onnx_edits *fsd_fixes_edits(struct fsd_fixes *fixes);
