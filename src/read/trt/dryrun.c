/*
 * Reads the text that Torch-TensorRT prints in a dry run (dryrun=True), which only
 * partitions a graph:
 *
 *     The graph consists of 12 Total Operators, of which 10 operators are supported,
 *     83.33% coverage
 *
 *     The following nodes are currently set to run in Torch:
 *     Node: torch.ops.torchvision.nms.default, with layer location: __/nms
 *
 *       Graph Structure:
 *         TRT Engine #1 - Submodule name: _run_on_acc_0
 *          Number of Operators in Engine: 9
 *
 * Each engine becomes a layer, and so does each node that PyTorch runs.  The nodes in
 * an engine are not printed.  The numbers become facts about the build, like those in a
 * log.
 *
 * Source: the documentation and the public code of Torch-TensorRT 2.2 to 2.14.  No
 * output of a real run was available.
 */
#include "base/base.h"
#include "read/log/log.h"
#include "read/trt/build.h"
#include "read/trt/trt.h"

enum { DRY_LAYERS_MAX = 1 << 20 };

static void add(struct fsd_build *b, struct fsd_slice name, struct fsd_slice type,
                const char *ran_by)
{
    fsd_build_layer(b, fsd_intern_slice(b->g->names, fsd_slice_trim(name)),
                    fsd_intern_slice(b->g->names, type));
    b->layer.ran_by = fsd_intern_str(b->g->names, ran_by);
    fsd_build_layer_end(b);
}

static bool read_dry_line(struct fsd_build *b, struct fsd_slice t)
{
    struct fsd_slice name;
    uint64_t number;

    t = fsd_slice_trim(t);
    if (fsd_slice_take(&t, "Node: ")) {
        if (!fsd_slice_split_at(&t, ", with layer location: ", &name))
            return false;
        add(b, name, t, "PyTorch");
        return true;
    }
    if (!fsd_slice_take(&t, "TRT Engine #") ||
        !fsd_slice_take_number(&t, UINT32_MAX, &number) ||
        !fsd_slice_take(&t, " - Submodule name: "))
        return false;
    add(b, t, fsd_slice_of(FSD_TRT_DRY_RUN), "TensorRT");
    return true;
}

enum fsd_status fsd_dryrun_read(struct fsd_build *b, const struct fsd_file *file,
                                struct fsd_error *err)
{
    struct fsd_log_lines lines = fsd_log_lines(file);
    struct fsd_log_line line;
    uint32_t layers = 0;

    while (fsd_log_next(&lines, &line)) {
        layers += read_dry_line(b, line.text);
        if (layers > DRY_LAYERS_MAX)
            return fsd_fail(err, FSD_E_LIMIT, file->name, FSD_POS_LINE, line.number,
                            "expected at most %d layers, found more", DRY_LAYERS_MAX);
    }
    b->version = fsd_intern_str(b->g->names, "Torch-TensorRT");
    b->g->kind = "trt-names";
    return layers ? FSD_OK : FSD_E_FORMAT;
}
