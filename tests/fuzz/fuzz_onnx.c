/* Any bytes as an ONNX model: load them and print what was understood. */
#include "model/ops/ids.h"
#include "model/graph/graph.h"
#include "model/onnx/onnx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_graph *g = fsd_graph_new(arena, fsd_op_names_new(arena));
    struct fsd_file file = {.name = "fuzz", .bytes = data, .size = size};
    struct fsd_error err;

    if (fsd_onnx_load(g, &file, &err) == FSD_OK && g->nodes.n < 1000) {
        FILE *out = fopen("/dev/null", "w");

        if (out) {
            fsd_graph_dump(g, out);
            fclose(out);
        }
    }
    fsd_arena_free(arena);
    return 0;
}
