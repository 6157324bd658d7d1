/* The public API of fixes: writes a model with the edits that lint proposes, and lists
 * the edits. */
#include "model/graph/graph.h"
#include "edit/fix/fixing.h"
#include "edit/onnx/write.h"
#include "base/base.h"
#include "base/lines.h"

static enum fsd_status find_fixes(struct fsd_fixing *fixing,
                                  const struct fsd_linting *l,
                                  const struct fsd_fix_options *fix,
                                  struct fsd_error *err)
{
    static const struct fsd_fix_options none = {0};
    const struct fsd_fix_options *wanted = fix ? fix : &none;
    enum fsd_status status =
        fsd_expect_words("what", wanted->what, wanted->n_what, err);

    FSD_THEN(status, fsd_expect_words("scales", wanted->scales, wanted->n_scales, err));
    *fixing = (struct fsd_fixing){.arena = fsd_arena_new()};
    return status == FSD_OK ? fsd_fixing_find(fixing, l, wanted, err) : status;
}

static void end_fixes(struct fsd_fixing *fixing)
{
    fsd_fixing_close(fixing);
    fsd_arena_free(fixing->arena);
}

enum fsd_status fsd_linting_list_fixes(const struct fsd_linting *l,
                                       const struct fsd_fix_options *fix,
                                       const char *format, FILE *out,
                                       struct fsd_error *err)
{
    struct fsd_lines lines = {.to = out, .escape = "\\u%04x"};
    bool line = format && !strcmp(format, "line");
    struct fsd_fixing fixing;
    enum fsd_status status;

    if (format && !line && strcmp(format, "text") != 0)
        return fsd_fail(
            err, FSD_E_ARG, NULL, FSD_POS_NONE, 0,
            "expected format 'text' or 'line' for a list of edits, found '%s'", format);
    FSD_GUARD(err);
    status = find_fixes(&fixing, l, fix, err);
    if (status == FSD_OK) {
        fsd_fixing_print(&fixing, !line, fsd_lines_open(&lines));
        fsd_lines_close(&lines);
        status = fsd_flush(out, err);
    }
    end_fixes(&fixing);
    return status;
}

bool fsd_linting_has_external(const struct fsd_linting *l)
{
    return fsd_file_has_external(l->run->model->file);
}

/* Copies the model of the last round to `out` unchanged. */
static enum fsd_status copy_model(FILE *from, FILE *out, struct fsd_error *err)
{
    char bytes[1 << 16];
    size_t n;

    rewind(from);
    while ((n = fread(bytes, 1, sizeof bytes, from)) > 0)
        if (fwrite(bytes, 1, n, out) != n)
            break;
    if (ferror(from))
        return fsd_fail(err, FSD_E_IO, NULL, FSD_POS_NONE, 0,
                        "cannot read a temporary file");
    return fsd_flush(out, err);
}

enum fsd_status fsd_linting_fix(const struct fsd_linting *l,
                                const struct fsd_fix_options *fix, FILE *out,
                                struct fsd_error *err)
{
    struct fsd_fixing fixing;
    struct fsd_file file;
    enum fsd_status status;

    FSD_GUARD(err);
    status = fsd_onnx_reopen(&file, l->run->model, "fixing", err);
    status = fsd_file_done(&file, status, err);
    if (status != FSD_OK)
        return status;
    status = find_fixes(&fixing, l, fix, err);
    if (status == FSD_OK && !fixing.rounds.n)
        status = fsd_fail(err, FSD_E_UNSUPPORTED, l->run->model->path, FSD_POS_NONE, 0,
                          "expected an edit that applies, found %s",
                          fixing.list.n ? "only edits that do not apply"
                                        : "no proposed edit");
    else if (status == FSD_OK)
        status = copy_model(fixing.rounds.at[fixing.rounds.n - 1]->file, out, err);
    end_fixes(&fixing);
    return status;
}
