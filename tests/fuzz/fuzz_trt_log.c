/* Any bytes as a build log, a console log or the inspector's text, without a model:
 * each line, the engine (the first of several), and the layer times. */
#include "support_file.h"
#include "support_graph.h"
#include "trt/log_lines.h"
#include "trt/trt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each line lies in the file, behind the line before it. */
static void check_lines(const struct fsd_file *file)
{
    struct fsd_log_lines lines = fsd_log_lines(file);
    struct fsd_log_line line;
    size_t behind = 0;

    while (fsd_log_next(&lines, &line)) {
        check(line.at >= behind && line.n <= file->size - line.at);
        check(line.text == (const char *)file->bytes + line.at);
        behind = line.at + line.n;
    }
}

static void check_engine(const struct fsd_file *file, unsigned number)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_graph *g = fsd_graph_new(arena, fsd_intern_new(arena));
    struct fsd_error err = {0};
    enum fsd_status status = fsd_trt_load_engine(g, file, number, NULL, &err);

    if (status == FSD_OK)
        fuzz_check_engine(g);
    else
        check(err.status == status && err.message[0]);
    fsd_arena_free(arena);
    if (status == FSD_E_ARG && !number)
        check_engine(file, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fsd_file file = {.name = "fuzz", .bytes = data, .size = size};

    check_lines(&file);
    check_engine(&file, 0);
    return 0;
}
