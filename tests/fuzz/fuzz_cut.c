/* A log or a dump that ends too early, as after a full disk or a killed build: cut
 * behind each of the joints of its grammar, since a reader that searches for the end of
 * something finds none there. */
#include "support_engine.h"

#include <string.h>

enum { MOST_CUTS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_joint(uint8_t c)
{
    return c && strchr(" :,[]{}()\"\n", c);
}

/* Of many joints every k-th, so that the last ones are among them. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t joints = 0, seen = 0, step;

    for (size_t i = 0; i < size; i++)
        joints += is_joint(data[i]);
    step = joints / MOST_CUTS + 1;
    for (size_t i = 0; i < size; i++)
        if (is_joint(data[i]) && ++seen % step == 0)
            fuzz_read_cut(data, i + 1);
    fuzz_read_cut(data, size);
    return 0;
}
