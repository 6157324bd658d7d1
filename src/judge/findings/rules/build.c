/* Reports differences in how both builds were made: version, GPU, options. Such
 * differences are no changes of the engine, but they are the reason for most of its
 * changes. */
#include "judge/findings/finder.h"

/* Reports facts that differ or, if f->rule->which is 1, facts that only the snapshot
 * states. */
void fsd_find_built(struct fsd_finder *f)
{
    const struct fsd_compare *c = f->c;

    FSD_EACH (const struct fsd_built_change, change, c->built) {
        /* A fact that the snapshot does not state is not reported. */
        if (!change->before || (change->after ? 0 : 1) != f->rule->which)
            continue;
        fsd_finding_open(f);
        fsd_fact_text(f, "what", change->key);
        fsd_fact_text(f, "before", change->before);
        fsd_fact_text(f, "now", change->after ? change->after : "");
        fprintf(f->out, "%s is %s; before %s", change->key,
                change->after ? change->after : "not stated", change->before);
        fsd_finding_close(f);
    }
}

/* The evidence that both builds are the same, although this version of the program
 * reads some of their facts differently. */
static const char *same_build(const struct fsd_compare *c)
{
    if (!memcmp(c->old->engine_hash, c->new->engine_hash, sizeof c->old->engine_hash))
        return "the model and the engine are byte-identical to those of the snapshot";
    return c->old->whole
               ? "the model is byte-identical to the model of the snapshot, and the "
                 "engine has the same kernels, version and options"
               : "the model is byte-identical to the model of the snapshot, and the "
                 "engine has the same number of layers, mostly the same fusions, and "
                 "the same version and options";
}

void fsd_find_older(struct fsd_finder *f)
{
    if (f->rule->which ? !f->reread : f->c->old->whole || !f->c->new->whole)
        return;
    fsd_finding_open(f);
    if (f->rule->which)
        fprintf(f->out,
                "%s; this fusiondiff version interprets %u facts differently than the "
                "version that took the snapshot",
                same_build(f->c), f->reread);
    else
        fputs("the snapshot was written by an older fusiondiff and lacks kernels, "
              "sizes of the engine's inputs and outputs, and most node attributes, so "
              "the check does not compare these facts",
              f->out);
    fputs(": --update rewrites the snapshot", f->out);
    f->count = f->rule->which ? f->reread : 1;
    fsd_finding_close(f);
}

/* A snapshot may contain several builds: A, B, and so on. Reports the nodes, data
 * movement, inputs and outputs of the new build that are most similar to those of a
 * build other than A, and names this build. If they differ even from this build, the
 * finding says that no build of the snapshot is the same here. Other rules then report
 * the differences from the named build. */
void fsd_find_variants(struct fsd_finder *f)
{
    const struct fsd_state *old = f->c->old;

    FSD_EACH (const struct fsd_variant, v, old->variants) {
        const struct fsd_state *of;

        if (!v->build)
            continue;
        of = old->also.at[v->build - 1];
        fsd_finding_open(f);
        FSD_EACH_ID (node, old->refs, v->nodes)
            fsd_about_state_node(f, old, node);
        if (v->nodes.n)
            fsd_put_subjects(f, f->now.nodes);
        else if (v->port)
            fprintf(f->out, "the input or output `%s`", fsd_text(old->names, v->port));
        else
            fputs("data movement outside all groups", f->out);
        fprintf(f->out, ": %s build %c of the snapshot (%s)",
                v->apart ? "no recorded build is the same here; the most similar "
                           "is"
                         : "computed as in",
                (char)('A' + v->build), fsd_text(of->names, of->producer));
        f->now.line = v->line;
        fsd_finding_close(f);
    }
}
