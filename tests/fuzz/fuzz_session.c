/* Any bytes as the log of an ONNX Runtime session: places and events stay within what
 * was counted, and the dump of it can be written. */
#include "read/engine/reader.h"
#include "model/ops/ids.h"
#include "support_file.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_op_names_new(arena);
    struct fsd_history *h = fsd_history_new(arena, names);
    struct fsd_file file = {.name = "fuzz", .bytes = data, .size = size};
    char *bytes = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&bytes, &n);

    fsd_reader_ort.sniff(&file, FSD_INPUT_LOG);
    fsd_reader_ort.read_log(h, &file);
    check(h->placed.n == h->builds);
    for (uint32_t i = 0; i < h->passes.n; i++)
        check(h->passes.at[i].build < h->builds &&
              h->passes.at[i].changed <= h->passes.at[i].runs);
    for (uint32_t i = 0; i < h->events.n; i++)
        check(h->events.at[i].build < h->builds && h->events.at[i].line <= h->lines);
    for (uint32_t i = 0; i < h->places.n; i++)
        check(h->places.at[i].provider && h->places.at[i].build < h->builds);
    fsd_history_dump(h, out);
    fclose(out);
    free(bytes);
    fsd_arena_free(arena);
    return 0;
}
