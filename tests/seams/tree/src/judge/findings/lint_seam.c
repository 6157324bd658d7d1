/* A rule of lint about the operator SeamGelu. */
#include "judge/findings/lint.h"
#include "judge/lint/lint.h"
#include "model/graph/graph.h"

void fsd_lint_seam(struct fsd_finder *f)
{
    for (fsd_id i = 0; i < f->lint->g->nodes.n; i++)
        if (fsd_node_is(f->lint->g, i, FSD_ONNX_SeamGelu)) {
            fsd_lint_open(f, i);
            fputs("a seam", f->out);
            fsd_lint_close(f);
        }
}
