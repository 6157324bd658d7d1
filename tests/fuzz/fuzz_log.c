/* Any bytes as a build log: what it states, its network, and a run on nothing else. */
#include "ops/ids.h"
#include "engine/reader.h"
#include "log/log.h"
#include "model/history.h"
#include "support_file.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(const uint8_t *data, size_t size)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_op_names_new(arena);
    struct fsd_history *history = fsd_history_new(arena, names);
    struct fsd_graph *g = fsd_graph_new(arena, names);
    struct fsd_file file = {.name = "fuzz", .bytes = data, .size = size};

    fsd_reader_of(&file, FSD_INPUT_LOG, FSD_CLAIM_SURE);
    fsd_log_read(history, &file);
    fsd_log_network(g, history, &file);
    for (uint32_t i = 0; i < g->ports.n; i++)
        check(g->ports.at[i].tensor == FSD_NONE ||
              g->ports.at[i].tensor < g->tensors.n);
    fsd_arena_free(arena);
}

static void run_on(const char *path)
{
    struct fsd_options options = {.engine = path, .force = true};
    struct fsd_error err = {0};
    struct fsd_diff *d = NULL;
    char *bytes = NULL;
    size_t n = 0;
    FILE *out;

    if (fsd_diff_open(&d, &options, &err) != FSD_OK) {
        check(err.message[0] && !d);
        return;
    }
    out = open_memstream(&bytes, &n);
    check(fsd_diff_write(d, "json", NULL, out, &err) == FSD_OK);
    fclose(out);
    free(bytes);
    fsd_diff_free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fuzz_file file;

    read_all(data, size);
    run_on(fuzz_file_put(&file, data, size));
    return 0;
}
