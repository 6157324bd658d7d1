/* The public API of annotations: a run in files that model viewers open. */
#include "api/command.h"
#include "api/inputs.h"
#include "base/base.h"
#include "edit/annotate/annotate.h"

static enum fsd_status write_model(const struct fsd_diff *d, struct fsd_arena *arena,
                                   FILE *out, struct fsd_error *err)
{
    struct fsd_file file;
    enum fsd_status status = fsd_inputs_reopen(&file, d->model, "annotating", err);

    if (status == FSD_OK)
        status = fsd_onnx_write(fsd_annotate_model(arena, d), &file, out, err);
    return fsd_file_done(&file, status, err);
}

static enum fsd_status write_as(const struct fsd_diff *d, struct fsd_arena *arena,
                                enum fsd_annotation as, FILE *out,
                                struct fsd_error *err)
{
    struct fsd_onnx_edits *edits;
    struct fsd_file file;

    switch (as) {
    case FSD_ANNOTATE_MODEL:
        return write_model(d, arena, out, err);
    case FSD_ANNOTATE_LAYERS:
        edits = fsd_annotate_layers(arena, d, &file);
        return fsd_onnx_write(edits, &file, out, err);
    case FSD_ANNOTATE_NODE_DATA:
        fsd_annotate_node_data(d, out);
        return fsd_flush(out, err);
    }
    return fsd_expect_choice("as", as, FSD_ANNOTATE_NODE_DATA + 1, err);
}

enum fsd_status fsd_diff_annotate(const struct fsd_diff *d, enum fsd_annotation as,
                                  FILE *out, struct fsd_error *err)
{
    struct fsd_arena *arena;
    enum fsd_status status;

    FSD_GUARD(err);
    arena = fsd_arena_new();
    status = write_as(d, arena, as, out, err);
    fsd_arena_free(arena);
    return status;
}
