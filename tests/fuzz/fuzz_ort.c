/* Any bytes as ONNX Runtime's optimized model, of a model of the same bytes, so that
 * names and tensors of the engine are the model's. */
#include "model/ops/ids.h"
#include "read/engine/reader.h"
#include "model/onnx/onnx.h"
#include "support_file.h"
#include "support_graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_intern *names = fsd_op_names_new(arena);
    struct fsd_graph *model = fsd_graph_new(arena, names);
    struct fsd_graph *engine = fsd_graph_new(arena, names);
    struct fsd_file file = {.name = "fuzz", .bytes = data, .size = size};
    struct fsd_source source = {.file = &file};
    struct fsd_error err = {0};

    fsd_reader_ort.sniff(&file, FSD_INPUT_ENGINE);
    if (fsd_onnx_load(model, &file, &err) == FSD_OK) {
        source.vocab = fsd_vocab_new(arena, model);
        check(fsd_reader_ort.load(engine, &source, &err) == FSD_OK);
        fuzz_check_engine(engine);
    }
    fsd_arena_free(arena);
    return 0;
}
