/* The public API of annotations: a run in files that model viewers open. */
#include "api/inputs.h"
#include "base/status.h"
#include "out/annotate.h"

#include <string.h>

static enum fsd_status write_model(const struct fsd_diff *d, struct fsd_arena *arena,
                                   FILE *out, struct fsd_error *err)
{
    const char *path = d->model->path;
    struct fsd_file file;
    enum fsd_status status;

    if (strcmp(d->model->kind, "onnx") != 0 || !strcmp(path, "-"))
        return fsd_fail(
            err, FSD_E_ARG, path, FSD_POS_NONE, 0,
            "expected an ONNX file because annotating reads it twice, found %s",
            strcmp(d->model->kind, "onnx") ? "the nodes of a log or an engine"
                                           : "standard input");
    status = fsd_file_open_unpacked(&file, path, UINT64_MAX, err);
    if (status == FSD_OK)
        status = fsd_onnx_write(fsd_annotate_model(arena, d), &file, out, err);
    return fsd_file_done(&file, status, err);
}

enum fsd_status fsd_diff_annotate(const struct fsd_diff *d, enum fsd_annotation as,
                                  FILE *out, struct fsd_error *err)
{
    struct fsd_arena *arena = fsd_arena_new();
    enum fsd_status status = FSD_E_ARG;
    struct fsd_onnx_edits *edits;
    struct fsd_file file;

    switch (as) {
    case FSD_ANNOTATE_MODEL:
        status = write_model(d, arena, out, err);
        break;
    case FSD_ANNOTATE_LAYERS:
        edits = fsd_annotate_layers(arena, d, &file);
        status = fsd_onnx_write(edits, &file, out, err);
        break;
    case FSD_ANNOTATE_NODE_DATA:
        fsd_annotate_node_data(d, out);
        status = fsd_flush(out, err);
        break;
    }
    fsd_arena_free(arena);
    return status;
}
