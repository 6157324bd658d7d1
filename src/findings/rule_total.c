/* Rules about a whole build, beside the one of its snapshot. */
#include "base/text.h"
#include "findings/finder.h"
#include "model/word.h"

#include <math.h>
#include <string.h>

static double width(struct fsd_spread ms)
{
    return ms.high > ms.low ? ms.high - ms.low : 0;
}

/* Slower is what is more than the spread of either side's profiles, of which one alone
 * has the distance of its means from its medians, and more than the policy's noise.  A
 * rule that could not be applied says so. */
void fsd_find_slower(struct fsd_finder *f)
{
    const struct fsd_compare *c = f->c;
    double slower = c->after - c->before;
    double band = fmax(f->policy->noise * c->before,
                       fmax(width(c->old->total), width(c->new->total)));

    if (!c->timed && (c->old->profiles || c->new->profiles)) {
        fsd_finding_open(f);
        fprintf(f->out, "not checked: %s no times",
                c->old->profiles ? "the build has" : "the snapshot has");
        fsd_finding_close(f);
    }
    if (!c->timed || !(c->before > 0) || slower <= band)
        return;
    f->base = c->before;
    fsd_finding_open(f);
    fprintf(f->out,
            "the layers take %.4f ms, %+.4f ms (%+.2f%%); noise explains %.4f ms",
            c->after, slower, 100 * slower / c->before, band);
    f->ms = slower;
    fsd_finding_close(f);
}

void fsd_find_more_layers(struct fsd_finder *f)
{
    uint32_t before = f->c->old->layers, now = f->c->new->layers;

    if (now <= before)
        return;
    fsd_finding_open(f);
    fsd_put_noun(f->out, now, "layer");
    fprintf(f->out, ", before %u", before);
    f->count = now - before;
    fsd_finding_close(f);
}

static double coverage(const struct fsd_state *s)
{
    return s->computing ? (double)s->mapped / s->computing : 1;
}

void fsd_find_less_coverage(struct fsd_finder *f)
{
    const struct fsd_state *old = f->c->old, *new = f->c->new;
    double drop = coverage(old) - coverage(new);

    if (drop <= 0)
        return;
    f->base = 1;
    fsd_finding_open(f);
    fprintf(f->out, "%u of %u computing layers are mapped to nodes, before %u of %u",
            new->mapped, new->computing, old->mapped, old->computing);
    f->ms = drop;
    fsd_finding_close(f);
}

void fsd_find_inserted_total(struct fsd_finder *f)
{
    const struct fsd_state *s = f->c->new;
    double ms = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->moves.n; i++) {
        const struct fsd_move *m = &s->moves.at[i];

        if (!m->inserted || m->kind == FSD_KIND_NOOP)
            continue;
        n++;
        ms += m->ms.median > 0 ? m->ms.median : 0;
    }
    if (!n)
        return;
    fsd_finding_open(f);
    fprintf(f->out, "%u inserted layers", n);
    if (s->profiles)
        fprintf(f->out, ", %.4f ms of %.4f ms", ms, s->total.median);
    else
        fputs(", times not known", f->out);
    f->count = n;
    f->ms = ms;
    f->untimed = !s->profiles;
    fsd_finding_close(f);
}

/* int8-required: of the operators, nodes that are not excepted. */
void fsd_find_not_int8(struct fsd_finder *f)
{
    const struct fsd_state *s = f->c->new;

    for (fsd_id i = 0; i < s->nodes.n; i++) {
        const struct fsd_state_node *n = &s->nodes.at[i];
        const char *op = fsd_text(s->names, n->op);
        bool wanted = false;

        if (n->fate != FSD_FATE_LAYER || n->precision == FSD_INT8)
            continue;
        for (uint32_t k = 0; k < f->policy->operators.n && !wanted; k++)
            wanted = !strcmp(f->policy->operators.at[k].text, op);
        for (uint32_t k = 0; k < f->policy->except.n && wanted; k++)
            wanted = !fsd_word_fits(f->policy->except.at[k].text,
                                    fsd_text(s->names, n->key));
        if (!wanted)
            continue;
        fsd_finding_open(f);
        fsd_about_state_node(f, s, i);
        fsd_put_subjects(f, f->now.nodes);
        fprintf(f->out, " (%s) runs in %s", op,
                fsd_dtype_name((enum fsd_dtype)n->precision));
        fsd_finding_close(f);
    }
}
