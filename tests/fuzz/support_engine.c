/* Reads a file as an engine and as a build log, and holds what must be true of both. */
#include "support_engine.h"

#include "read/engine/reader.h"
#include "read/log/log.h"
#include "model/graph/history.h"
#include "model/ops/ids.h"
#include "support_file.h"
#include "support_graph.h"

#include <stdlib.h>
#include <string.h>

/* Each line lies in the file, behind the line before it. */
static void check_lines(const struct fsd_file *file)
{
    struct fsd_log_lines lines = fsd_log_lines(file);
    struct fsd_log_line line;
    size_t behind = 0;

    while (fsd_log_next(&lines, &line)) {
        check(line.at >= behind && line.text.n <= file->size - line.at);
        check(line.text.s == (const char *)file->bytes + line.at);
        behind = line.at + line.text.n;
    }
}

static void check_engine(const struct fsd_file *file, unsigned number)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_graph *g = fsd_graph_new(arena, fsd_op_names_new(arena));
    struct fsd_error err = {0};
    enum fsd_status status =
        fsd_engine_load(g, &(struct fsd_source){.file = file, .number = number}, &err);

    if (status == FSD_OK)
        fuzz_check_engine(g);
    else
        check(err.status == status && err.message[0]);
    fsd_arena_free(arena);
    if (status == FSD_E_ARG && !number)
        check_engine(file, 1);
}

static void check_profiles(const struct fsd_file *file)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_op_names_new(arena);
    fsd_profile_vec profiles = {0};
    struct fsd_error err = {0};

    if (fsd_log_profile_read(arena, names, file, &profiles, &err) != FSD_OK)
        check(err.status == FSD_E_LIMIT);
    for (uint32_t i = 0; i < profiles.n; i++)
        check(profiles.at[i].entries.n > 0);
    fsd_arena_free(arena);
}

void fuzz_read_engine(const struct fsd_file *file)
{
    check_lines(file);
    check_engine(file, 0);
    check_profiles(file);
}

void fuzz_read_log(const struct fsd_file *file)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_op_names_new(arena);
    struct fsd_history *history = fsd_history_new(arena, names);
    struct fsd_graph *g = fsd_graph_new(arena, names);

    fsd_reader_of(file, FSD_INPUT_LOG, FSD_CLAIM_SURE);
    fsd_log_read(history, file);
    fsd_log_network(g, history, file);
    for (uint32_t i = 0; i < g->ports.n; i++)
        check(g->ports.at[i].tensor == FSD_NONE ||
              g->ports.at[i].tensor < g->tensors.n);
    fsd_arena_free(arena);
}

void fuzz_read_cut(const uint8_t *data, size_t n)
{
    uint8_t *block = malloc(n ? n : 1);
    struct fsd_file file = {.name = "cut", .bytes = block, .size = n};

    check(block != NULL);
    memcpy(block, data, n);
    fuzz_read_engine(&file);
    fuzz_read_log(&file);
    free(block);
}
