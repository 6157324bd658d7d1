/* Any model, edited: without edits it is the same bytes, with edits either refused
 * before anything is written, or a model that has what was asked for. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "model/graph/graph.h"
#include "model/onnx/onnx.h"
#include "edit/onnx/write.h"
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

static enum fsd_status write_model(struct fsd_onnx_edits *edits, const uint8_t *data,
                                   size_t size, char **bytes, size_t *n)
{
    struct fsd_file file = {.name = "fuzz", .bytes = data, .size = size};
    struct fsd_error err = {0};
    FILE *out = open_memstream(bytes, n);
    enum fsd_status status;

    check(out);
    status = fsd_onnx_write(edits, &file, out, &err);
    check(!fclose(out));
    check(status == FSD_OK ? *n > 0 || !size : err.message[0] && !*n);
    return status;
}

static void check_copy(struct fsd_arena *arena, const struct fsd_graph *g,
                       const uint8_t *data, size_t size)
{
    char *bytes = NULL;
    size_t n = 0;

    check(write_model(fsd_onnx_edits_new(arena, g), data, size, &bytes, &n) == FSD_OK);
    check(n == size && !memcmp(bytes, data, n));
    free(bytes);
}

static fsd_id main_nodes(const struct fsd_graph *g)
{
    fsd_id n = 0;

    while (n < g->nodes.n && !g->nodes.at[n].scope)
        n++;
    return n;
}

/* Of the main graph's nodes each third is led by a new one, each fifth reads another
 * tensor, each seventh goes. */
static fsd_id edit(struct fsd_onnx_edits *edits, const struct fsd_graph *g)
{
    fsd_id left = main_nodes(g);

    for (fsd_id i = main_nodes(g); i-- > 0;) {
        if (i % 3 == 0) {
            fsd_onnx_insert_node(
                edits, i, &(struct fsd_onnx_new_node){"Relu", "new", {"x"}, "new"});
            left++;
        }
        if (i % 7 == 6) {
            fsd_onnx_drop_node(edits, i);
            left--;
        } else if (i % 5 == 0 && g->nodes.at[i].in.n) {
            fsd_onnx_set_input(edits, i, 0, "another");
        }
    }
    return left;
}

/* Bodies that an edit of their node leaves as they are are found, too. */
static void edit_bodies(struct fsd_onnx_edits *edits, const struct fsd_graph *g)
{
    for (fsd_id i = main_nodes(g); i < g->nodes.n; i += 2) {
        fsd_id owner = g->scopes.at[g->nodes.at[i].scope].owner;

        if (fsd_onnx_can_edit(g, i) && owner % 7 != 6 && g->nodes.at[i].in.n)
            fsd_onnx_set_input(edits, i, 0, "another");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fsd_arena *arena = fsd_arena_new();
    const struct fsd_graph *g = load(arena, data, size), *made;
    struct fsd_onnx_edits *edits;
    char *bytes = NULL;
    fsd_id left;
    size_t n = 0;

    if (g && g->nodes.n < 1000) {
        check_copy(arena, g, data, size);
        edits = fsd_onnx_edits_new(arena, g);
        left = edit(edits, g);
        edit_bodies(edits, g);
        if (write_model(edits, data, size, &bytes, &n) == FSD_OK) {
            made = load(arena, bytes, n);
            check(!made || main_nodes(made) == left);
        }
        free(bytes);
    }
    fsd_arena_free(arena);
    return 0;
}
