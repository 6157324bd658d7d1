/* An ONNX model that is mutated by its fields, so that most inputs are models; then all
 * that is proved on a model alone. */
#include "model/ops/ids.h"
#include "match/facts.h"
#include "model/graph/graph.h"
#include "model/onnx/onnx.h"
#include "support_file.h"
#include "support_mutate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    struct fuzz_random random = {seed * UINT64_C(0x9e3779b97f4a7c15) + 1};

    return fuzz_mutate_model(&random, data, size, most);
}

static void check_ids(const struct fsd_graph *g, struct fsd_span span, uint32_t end)
{
    for (uint32_t i = 0; i < span.n; i++)
        check(g->links.at[span.at + i] < end);
}

static void check_graph(const struct fsd_graph *g)
{
    for (fsd_id i = 0; i < g->nodes.n; i++) {
        const struct fsd_node *n = &g->nodes.at[i];

        check(n->in.at + n->in.n <= g->ports.n && n->out.at + n->out.n <= g->ports.n);
        check(n->attrs.at + n->attrs.n <= g->attrs.n);
        check(n->scope < g->scopes.n);
    }
    for (uint32_t i = 0; i < g->ports.n; i++)
        check(g->ports.at[i].tensor == FSD_NONE ||
              g->ports.at[i].tensor < g->tensors.n);
    for (uint32_t i = 0; i < g->remarks.n; i++)
        check(g->remarks.at[i].node == FSD_NONE || g->remarks.at[i].node < g->nodes.n);
    for (fsd_id i = 0; i < g->tensors.n; i++) {
        const struct fsd_tensor *t = &g->tensors.at[i];

        check_ids(g, t->producers, g->nodes.n);
        check_ids(g, t->consumers, g->nodes.n);
    }
    for (fsd_id i = 0; i < g->scopes.n; i++) {
        check_ids(g, g->scopes.at[i].inputs, g->tensors.n);
        check_ids(g, g->scopes.at[i].outputs, g->tensors.n);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_graph *g = fsd_graph_new(arena, fsd_op_names_new(arena));
    struct fsd_file file = {.name = "fuzz", .bytes = data, .size = size};
    struct fsd_error err = {0};
    enum fsd_status status = fsd_onnx_load(g, &file, &err);

    if (status == FSD_OK) {
        check_graph(g);
        fsd_facts_new(arena, g);
    } else {
        check(err.status == status && err.message[0]);
    }
    fsd_arena_free(arena);
    return 0;
}
