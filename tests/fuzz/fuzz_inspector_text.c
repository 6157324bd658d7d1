/* Any line as a layer in the inspector's text, without the log around it: not even the
 * checks that a log's lines go through, but the one that a layer begins there. */
#include "support_file.h"
#include "support_graph.h"
#include "trt/build.h"
#include "trt/inspector_text.h"
#include "trt/log_find.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every line that begins a layer makes one, understood whole or not. */
static void read_line(struct fsd_build *b, const struct fsd_file *file, const char *s,
                      size_t n)
{
    struct fsd_error err = {0};
    uint32_t before = b->g->layers.n;
    bool whole;
    enum fsd_status status;

    if (!fsd_log_is_text_layer(s, n, &(size_t){0}))
        return;
    status = fsd_inspector_layer(b, file, before, s, n, &whole, &err);
    check(status == FSD_OK ? b->g->layers.n == before + 1 && !b->in_layer
                           : err.status == status && err.message[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_graph *g = fsd_graph_new(arena, fsd_intern_new(arena));
    struct fsd_file file = {.name = "fuzz", .bytes = data, .size = size};
    struct fsd_build b;

    fsd_build_init(&b, g, NULL);
    for (size_t at = 0, n; at < size; at += n + 1) {
        const uint8_t *end = memchr(data + at, '\n', size - at);

        n = end ? (size_t)(end - data) - at : size - at;
        read_line(&b, &file, (const char *)data + at, n);
    }
    fsd_build_finish(&b);
    fuzz_check_engine(g);
    fsd_arena_free(arena);
    return 0;
}
