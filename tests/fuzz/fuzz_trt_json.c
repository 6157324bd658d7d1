/* Any bytes as an engine dump, without a model.  What is read must be whole: every
 * number in range, so that whoever walks the graph needs no checks. */
#include "model/ops/ids.h"
#include "read/engine/reader.h"
#include "support_file.h"
#include "support_graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_graph *g = fsd_graph_new(arena, fsd_op_names_new(arena));
    struct fsd_file file = {.name = "fuzz", .bytes = data, .size = size};
    struct fsd_error err = {0};
    enum fsd_status status =
        fsd_engine_load(g, &(struct fsd_source){.file = &file}, &err);

    if (status == FSD_OK)
        fuzz_check_engine(g);
    else
        check(err.status == status && err.message[0] &&
              (err.unit != FSD_POS_BYTE || err.pos <= size));
    fsd_arena_free(arena);
    return 0;
}
