/* The public API of retype: writes the model with the types that an engine chose. */
#include "edit/retype/retype.h"
#include "edit/onnx/write.h"
#include "base/base.h"

static enum fsd_status write_typed(const struct fsd_diff *d, struct fsd_arena *arena,
                                   FILE *out, struct fsd_error *err)
{
    struct fsd_file file;
    enum fsd_status status = fsd_onnx_reopen(&file, d->model, "retype", err);

    FSD_THEN(status, fsd_onnx_write(fsd_retype_edits(fsd_retype_new(arena, d), &file),
                                    &file, out, err));
    return fsd_file_done(&file, status, err);
}

bool fsd_file_has_external(const char *path)
{
    struct fsd_file file;
    bool external;

    FSD_GUARD_OR(false);
    external = strcmp(path, "-") != 0 &&
               fsd_file_open_sparse(&file, path, UINT64_MAX, NULL) == FSD_OK;
    if (!external)
        return false;
    external = fsd_onnx_has_external(&file);
    fsd_file_close(&file);
    return external;
}

enum fsd_status fsd_diff_retype(const struct fsd_diff *d, FILE *out,
                                struct fsd_error *err)
{
    struct fsd_arena *arena;
    enum fsd_status status;

    FSD_GUARD(err);
    arena = fsd_arena_new();
    status = write_typed(d, arena, out, err);
    fsd_arena_free(arena);
    return status;
}
