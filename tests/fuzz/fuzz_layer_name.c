/* A layer's name, and the same bytes as Metadata, against a vocabulary that the input
 * brings itself: its lines but the last are names of nodes (in turn of constants), the
 * last is what is read. */
#include "model/graph/graph.h"
#include "model/ops/ids.h"
#include "read/engine/reader.h"
#include "read/trt/name.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add_name(struct fsd_graph *model, const char *s, size_t n, bool constant)
{
    fsd_sym name = fsd_intern_add(model->names, s, n);
    fsd_id tensor;

    if (!constant) {
        fsd_graph_add_node(model, (struct fsd_node){.name = name});
    } else if (name && fsd_graph_find(model, name, 0) == FSD_NONE) {
        tensor = fsd_graph_add_tensor(model, name, 0);
        model->tensors.at[tensor].flags = FSD_TENSOR_CONSTANT;
    }
}

static void check_mentions(const struct fsd_graph *g, const struct fsd_graph *model)
{
    for (uint32_t i = 0; i < g->mentions.n; i++) {
        const struct fsd_mention *m = &g->mentions.at[i];

        if (m->node != FSD_NONE && (m->node >= model->nodes.n || !m->among))
            abort();
        if (m->tensor != FSD_NONE && m->tensor >= model->tensors.n)
            abort();
        if (m->role == FSD_MENTION_UNKNOWN && m->node != FSD_NONE)
            abort();
        if (m->role == FSD_MENTION_COMPUTES && m->node == FSD_NONE)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_op_names_new(arena);
    struct fsd_graph *model = fsd_graph_new(arena, names);
    struct fsd_graph *g = fsd_graph_new(arena, names);
    struct fsd_name_reader reader = {.g = g, .brackets.arena = arena};
    struct fsd_layer layer = {0};
    const char *s = (const char *)data, *end;
    size_t left = size;
    fsd_sym name;

    for (unsigned i = 0; left && (end = memchr(s, '\n', left)); i++) {
        add_name(model, s, (size_t)(end - s), i % 3 == 2);
        left -= (size_t)(end - s) + 1;
        s = end + 1;
    }
    fsd_graph_finish(model);
    name = fsd_intern_add(names, left ? s : "", left);
    fsd_name_read(&reader, name, &layer);
    reader.vocab = fsd_vocab_new(arena, model);
    fsd_metadata_read(g, NULL, name);
    check_mentions(g, model);
    fsd_name_read(&reader, name, &layer);
    fsd_metadata_read(g, reader.vocab, name);
    check_mentions(g, model);
    if (layer.base_name >= fsd_intern_count(names))
        abort();
    fsd_arena_free(arena);
    return 0;
}
