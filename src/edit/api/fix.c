/* The public API of fixes: a model with the edits that lint proposes, and a list. */
#include "edit/run.h"
#include "edit/fix/fix.h"
#include "edit/onnx/write.h"
#include "base/base.h"

#include <string.h>

static enum fsd_status choose_fixes(struct fsd_fixes *fixes,
                                    const struct fsd_linting *l,
                                    const struct fsd_fix_options *fix,
                                    struct fsd_error *err)
{
    static const struct fsd_fix_options none = {0};
    const struct fsd_fix_options *wanted = fix ? fix : &none;
    enum fsd_status status =
        fsd_expect_words("what", wanted->what, wanted->n_what, err);

    if (status == FSD_OK)
        status = fsd_expect_words("scales", wanted->scales, wanted->n_scales, err);
    *fixes = (struct fsd_fixes){.arena = fsd_arena_new(), .lint = l->lint};
    return status == FSD_OK ? fsd_fixes_choose(fixes, l->verdict->findings, wanted, err)
                            : status;
}

enum fsd_status fsd_linting_list_fixes(const struct fsd_linting *l,
                                       const struct fsd_fix_options *fix,
                                       const char *format, FILE *out,
                                       struct fsd_error *err)
{
    struct fsd_lines lines = {.to = out, .escape = "\\u%04x"};
    bool line = format && !strcmp(format, "line");
    struct fsd_fixes fixes;
    enum fsd_status status;

    if (format && !line && strcmp(format, "text") != 0)
        return fsd_fail(
            err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
            "expected the format text or line for a list of edits, found '%s'", format);
    FSD_GUARD(err);
    status = choose_fixes(&fixes, l, fix, err);
    if (status == FSD_OK) {
        fsd_fixes_print(&fixes, !line, fsd_lines_open(&lines));
        fsd_lines_close(&lines);
        status = fsd_flush(out, err);
    }
    fsd_arena_free(fixes.arena);
    return status;
}

bool fsd_linting_has_external(const struct fsd_linting *l)
{
    return fsd_file_has_external(l->run->model->file);
}

enum fsd_status fsd_linting_fix(const struct fsd_linting *l,
                                const struct fsd_fix_options *fix, FILE *out,
                                struct fsd_error *err)
{
    struct fsd_fixes fixes;
    enum fsd_status status;

    FSD_GUARD(err);
    status = choose_fixes(&fixes, l, fix, err);
    if (status == FSD_OK)
        status = fsd_onnx_write_again(fsd_fixes_edits(&fixes), "fixing", out, err);
    fsd_arena_free(fixes.arena);
    return status;
}
