/* A rule that reads every part of a run that is documented in diff/diff.h. */
#include "explain/cost/cost.h"
#include "judge/findings/finder.h"
#include "model/graph/graph.h"

void fsd_find_seam(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;

    fsd_finding_open(f);
    fprintf(f->out,
            "%u nodes and %u layers: summary %u and %u, kind %u, reason %u, fate %u, "
            "flows %d, islands %u, costs %u, times %u, findings %u, facts %d, "
            "command%s, log %d and %d",
            d->model->nodes.n, d->engine->nodes.n, d->summary->nodes,
            d->summary->layers, (unsigned)d->layers[0].kind,
            (unsigned)d->reasons[0].cause, (unsigned)d->nodes[0].fate,
            d->flows->of[0].there, d->islands->list.n, d->cost->op_times.n,
            d->times->profiles, d->findings->list.n, d->facts == d->match->facts,
            *d->command->run ? " told" : "", d->history != NULL, d->story != NULL);
    fsd_finding_close(f);
}
