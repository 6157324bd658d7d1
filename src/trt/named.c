#include "trt/build.h"
#include "trt/kind.h"
#include "trt/trt.h"

/* Without ports they change no tensor, so that the finished graph stays finished. */
void fsd_trt_add_names(struct fsd_graph *g, const fsd_sym *names, uint32_t n,
                       const struct fsd_vocab *vocab)
{
    struct fsd_build b;

    fsd_build_init(&b, g, vocab);
    for (uint32_t i = 0; i < n; i++) {
        fsd_build_layer(&b, names[i], 0);
        fsd_build_layer_end(&b);
    }
    fsd_trt_kinds(g);
}
