/* Applies the edits that lint proposes: decides which edits can be applied, and writes
 * the model with these edits. */
#pragma once

#include "edit/run.h"

/** An edit that the user requested, and whether it applies. */
struct fsd_fix {
    const struct fsd_edit *edit;
    const char *rule;
    uint32_t finding;  /**< index of the edit's finding in lint's findings */
    double scale;      /**< the scale of the new quantizer; 0: the edit needs none */
    const char *why;   /**< the reason why the edit is not applied; NULL: it is
                            applied */
    bool to_calibrate; /**< the edit needs a scale that neither the model nor the caller
                            has */
    bool given;        /**< the scale comes from the caller, not from the model */
    bool withdrawn;    /**< an engine shows that the edit saves nothing */
};

struct fsd_fixes {
    struct fsd_arena *arena;
    const struct fsd_lint *lint;
    FSD_VEC(struct fsd_fix) list; /**< in the order of the findings */
    const char **barred;          /**< indexed by edit of `list`: the reason why the
                                       edit must not be applied; NULL: the edit may be
                                       applied */
    bool *removed;                /**< indexed by node: an edit removes the node */
    bool *set;                    /**< indexed by port: an edit sets this input of the
                                       node */
};

/** Lists the requested edits. None is barred, and nothing is decided yet. */
void fsd_fixes_list(struct fsd_fixes *fixes, const struct fsd_findings *found,
                    const struct fsd_fix_options *opt);

/** Decides which edits of the list apply. The caller repeats this after each change of
 *  `barred`. */
void fsd_fixes_choose(struct fsd_fixes *fixes, const struct fsd_fix_options *opt);

/** Checks the words of --fix.
 *  @return FSD_E_ARG if a word names neither a finding nor a rule that has findings */
enum fsd_status fsd_fixes_check_words(const struct fsd_findings *found,
                                      const struct fsd_fix_options *opt,
                                      struct fsd_error *err);

/** Checks the given scales.
 *  @return FSD_E_ARG if a given number cannot be a scale, or if no edit needs a scale
 *          for a given tensor */
enum fsd_status fsd_fixes_check_scales(const struct fsd_fixes *fixes,
                                       const struct fsd_fix_options *opt,
                                       struct fsd_error *err);

/** Returns the edits of the file for all edits of the list that apply. */
struct fsd_onnx_edits *fsd_fixes_edits(struct fsd_fixes *fixes);
