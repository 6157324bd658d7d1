/* The public API of annotations: writes a run as files that model viewers open. */
#include "base/base.h"
#include "edit/annotate/annotate.h"
#include "edit/onnx/write.h"

static enum fsd_status write_as(const struct fsd_diff *d, struct fsd_arena *arena,
                                enum fsd_annotation as, FILE *out,
                                struct fsd_error *err)
{
    struct fsd_onnx_edits *edits;
    struct fsd_file file;

    switch (as) {
    case FSD_ANNOTATE_MODEL:
        return fsd_onnx_write_again(fsd_annotate_model(arena, d), "annotating", out,
                                    err);
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
