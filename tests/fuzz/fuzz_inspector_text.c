/* Any bytes as lines of the inspector's one-line form, without the search for lists
 * that goes before it in a log. */
#include "model/ops/ids.h"
#include "read/log/log.h"
#include "support_file.h"
#include "support_graph.h"
#include "read/trt/build.h"
#include "read/trt/trt.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* True when the reader takes it; false when it is no layer. */
static bool read_line(struct fsd_build *b, const struct fsd_file *file, uint32_t number,
                      const char *s, size_t n)
{
    struct fsd_error err = {0};
    struct fsd_log_layer layer;
    bool whole;
    enum fsd_status status;

    if (!fsd_log_text_layer((struct fsd_slice){s, n}, &layer))
        return false;
    status = fsd_inspector_layer(b, file, number, s, n, &whole, &err);
    check(status == FSD_OK || (status == FSD_E_LIMIT && err.message[0]));
    return status == FSD_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_graph *g = fsd_graph_new(arena, fsd_op_names_new(arena));
    struct fsd_file file = {.name = "fuzz", .bytes = data, .size = size};
    const char *at = (const char *)data, *end = at + size;
    struct fsd_build b;
    uint32_t layers = 0;

    fsd_build_init(&b, g, NULL);
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t n = (size_t)((stop ? stop : end) - at);

        layers += read_line(&b, &file, layers, at, n);
        at += n + (stop != NULL);
    }
    fsd_build_finish(&b);
    check(g->layers.n + g->elsewhere.n == layers);
    fuzz_check_engine(g);
    fsd_arena_free(arena);
    return 0;
}
