/* Any model, as a stranger may see it: what is written is a model again wherever the
 * file was one, with the same nodes, and none of its names is left. */
#define _GNU_SOURCE /* fopencookie */
#include "edit/onnx/hide.h"
#include "model/graph/graph.h"
#include "model/onnx/onnx.h"
#include "support_file.h"
#include "support_mutate.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    struct fuzz_random random = {seed * UINT64_C(0x9e3779b97f4a7c15) + 1};

    return fuzz_mutate_model(&random, data, size, most);
}

static struct fsd_graph *load(struct fsd_arena *arena, const void *bytes, size_t size)
{
    struct fsd_graph *g = fsd_graph_new(arena, fsd_intern_new(arena));
    struct fsd_file file = {.name = "fuzz", .bytes = bytes, .size = size};

    return fsd_onnx_load(g, &file, NULL) == FSD_OK ? g : NULL;
}

/* A letter for what it is of, and a number for each text. */
struct names {
    struct fsd_intern *known;
    char made[16];
};

static const char *rename_any(void *payload, enum fsd_named of, struct fsd_slice name)
{
    struct names *names = payload;

    check(name.n);
    snprintf(names->made, sizeof names->made, "%c%u", 'A' + (int)of,
             fsd_intern_slice(names->known, name));
    return fsd_text(names->known, fsd_intern_str(names->known, names->made));
}

/* Every text that may be hidden is. */
static bool no_word(void *payload, struct fsd_slice text)
{
    (void)payload;
    return !text.n;
}

/* What is written, as far as it fits: weights that an external file holds are written
 * with as many bytes as the model states, which may be 2 GB. */
struct sink {
    char bytes[1 << 24];
    size_t n;
};

static ssize_t sink_write(void *cookie, const char *bytes, size_t n)
{
    struct sink *sink = cookie;

    if (n > sizeof sink->bytes - sink->n)
        return 0;
    memcpy(sink->bytes + sink->n, bytes, n);
    sink->n += n;
    return (ssize_t)n;
}

static void hide(const struct fsd_onnx_hiding *how, const uint8_t *data, size_t size,
                 const struct fsd_graph *g)
{
    struct fsd_file file = {.name = "fuzz", .bytes = data, .size = size};
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_error err = {0};
    const struct fsd_graph *made;
    static struct sink sink;
    FILE *out = fopencookie(&sink, "w", (cookie_io_functions_t){.write = sink_write});
    enum fsd_status status;

    check(out);
    sink.n = 0;
    status = fsd_onnx_hide(&file, how, out, &err);
    fclose(out);
    /* More than the sink takes, or than a model may hold. */
    if (status == FSD_E_WRITE || status == FSD_E_LIMIT) {
        fsd_arena_free(arena);
        return;
    }
    check(status == FSD_OK);
    made = load(arena, sink.bytes, sink.n);
    check(made && made->nodes.n == g->nodes.n && made->scopes.n == g->scopes.n);
    for (fsd_id i = 0; how->rename && i < made->nodes.n; i++) {
        const char *name = fsd_text(made->names, made->nodes.at[i].name);

        check(!*name || *name == 'A' + FSD_NAMED_NODE);
    }
    fsd_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fsd_arena *arena = fsd_arena_new();
    const struct fsd_graph *g = load(arena, data, size);
    struct names names = {fsd_intern_new(arena), ""};
    const struct fsd_onnx_hiding names_only = {rename_any, no_word, &names, false};
    const struct fsd_onnx_hiding weights_only = {.weights = true};
    const struct fsd_onnx_hiding both = {rename_any, no_word, &names, true};

    if (g && g->nodes.n < 1000) {
        hide(&names_only, data, size, g);
        hide(&weights_only, data, size, g);
        hide(&both, data, size, g);
    }
    fsd_arena_free(arena);
    return 0;
}
