/* Any bytes as the metadata of trt-engine-explorer: its facts have keys. */
#include "model/graph/history.h"
#include "model/ops/ids.h"
#include "read/engine/reader.h"
#include "support_file.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_op_names_new(arena);
    struct fsd_history *history = fsd_history_new(arena, names);
    struct fsd_file file = {.name = "fuzz", .bytes = data, .size = size};

    fsd_reader_trt.sniff(&file, FSD_INPUT_LOG);
    fsd_reader_trt.read_log(history, &file);
    check(history->path && history->builds);
    for (uint32_t i = 0; i < history->built.n; i++) {
        struct fsd_built fact = history->built.at[i].fact;

        check(fact.key && fact.key < fsd_intern_count(names));
        check(fact.value < fsd_intern_count(names));
    }
    fsd_arena_free(arena);
    return 0;
}
