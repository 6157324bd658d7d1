/* A matching pass: a layer whose name is "seam:" and an operator computes each node of
 * that operator. */
#include "match/pass.h"
#include "model/graph/graph.h"

#include <string.h>

void fsd_pass_seam(struct fsd_match *m)
{
    for (fsd_id i = 0; i < m->engine->nodes.n; i++) {
        const char *name = fsd_text(m->engine->names, m->engine->nodes.at[i].name);

        for (fsd_id k = 0; !strncmp(name, "seam:", 5) && k < m->model->nodes.n; k++)
            if (!strcmp(fsd_text(m->model->names, m->model->nodes.at[k].op), name + 5))
                fsd_match_link(m, i, k, FSD_BY_STRUCTURE);
    }
}
