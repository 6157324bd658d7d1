/*
 * Reads a log of several engines once, for the runs of all engines. Each run gets a
 * copy of the facts about its engine (model/graph/history_part.c). From the file, the
 * run then reads only the lines of its network and of its layers. If the file is no
 * log, each run reads the whole file, and the run's error message names the kind of the
 * file.
 */
#include "api/inputs.h"
#include "read/engine/reader.h"
#include "read/log/log.h"

/* Counts the engines in a file. Reads a file of any kind line by line, like a log. */
static unsigned count_engines(const struct fsd_engines *engines,
                              const struct fsd_history *history)
{
    struct fsd_log_scan scan = {0};

    if (history && history->scan)
        return history->scan->engines.n;
    fsd_log_find(engines->arena, &engines->file, &scan);
    return scan.engines.n;
}

static enum fsd_status read_engines(struct fsd_engines *engines, struct fsd_error *err)
{
    struct fsd_history *history = NULL;
    const struct fsd_engine_reader *reader;
    enum fsd_status status =
        fsd_file_open_coming(&engines->file, engines->path, FSD_LOG_LIMIT, err);

    if (status != FSD_OK)
        return status;
    reader = fsd_reader_of(&engines->file, FSD_INPUT_LOG, FSD_CLAIM_SURE);
    if (reader) {
        history = fsd_history_new(engines->arena, fsd_op_names_new(engines->arena));
        reader->read_log(history, &engines->file);
    }
    status = fsd_file_complete(&engines->file, err);
    if (status != FSD_OK)
        return status;
    engines->n = count_engines(engines, history);
    if (engines->n > 1 && history && history->builds == engines->n)
        engines->parts = fsd_history_divide(engines->arena, history);
    return fsd_file_there(&engines->file, status, err);
}

enum fsd_status fsd_engines_open(struct fsd_engines **out, const char *path,
                                 struct fsd_error *err)
{
    struct fsd_arena *arena;
    struct fsd_engines *engines;
    enum fsd_status status;

    *out = NULL;
    FSD_GUARD(err);
    arena = fsd_arena_new();
    engines = FSD_NEW(arena, struct fsd_engines, 1);
    engines->arena = arena;
    engines->path = fsd_arena_strndup(arena, path, strlen(path));
    status = read_engines(engines, err);
    if (status == FSD_OK)
        *out = engines;
    else
        fsd_engines_free(engines);
    return status;
}

unsigned fsd_engines_count(const struct fsd_engines *engines)
{
    return engines->n;
}

void fsd_engines_free(struct fsd_engines *engines)
{
    if (!engines)
        return;
    fsd_file_close(&engines->file);
    fsd_arena_free(engines->arena);
}

const struct fsd_engines *fsd_engines_of(const struct fsd_engines *engines,
                                         const struct fsd_options *opt)
{
    bool is =
        engines && engines->parts && !opt->log && !strcmp(opt->engine, engines->path);

    return is && opt->engine_number && opt->engine_number <= engines->n ? engines
                                                                        : NULL;
}

struct fsd_history *fsd_engines_history(const struct fsd_engines *engines,
                                        const struct fsd_inputs *d, unsigned number)
{
    return fsd_history_part(d->arena, d->names, engines->parts, number - 1);
}
