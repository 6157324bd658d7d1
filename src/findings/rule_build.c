/* How both builds were made.  No change of the engine, and what most changes come from:
 * another version, another GPU, another option. */
#include "findings/finder.h"

/* Which: what the new build does not tell. */
void fsd_find_built(struct fsd_finder *f)
{
    const struct fsd_compare *c = f->c;

    for (uint32_t i = 0; i < c->built.n; i++) {
        const struct fsd_built_change *change = &c->built.at[i];

        /* A snapshot that tells nothing asks for nothing. */
        if (!change->before || (change->after ? 0 : 1) != f->rule->which)
            continue;
        fsd_finding_open(f);
        fsd_fact_text(f, "what", change->key);
        fsd_fact_text(f, "before", change->before);
        fsd_fact_text(f, "now", change->after ? change->after : "");
        fprintf(f->out, "%s is %s; before %s", change->key,
                change->after ? change->after : "not told", change->before);
        fsd_finding_close(f);
    }
}
