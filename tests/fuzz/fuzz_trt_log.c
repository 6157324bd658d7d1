/* Any bytes as a build log, a console log or the inspector's text, without a model:
 * each line, the engine (the first of several), and the layer times. */
#include "support_engine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fsd_file file = {.name = "fuzz", .bytes = data, .size = size};

    fuzz_read_engine(&file);
    return 0;
}
