/* Rules about a whole build. */
#include "base/text.h"
#include "gate/check_build.h"

#include <string.h>

static double width(struct fsd_spread ms)
{
    return ms.high > ms.low ? ms.high - ms.low : 0;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* A rule that could not be applied says so. */
static void add_untimed(struct fsd_check_run *run)
{
    struct fsd_draft draft;

    if (!fsd_draft_open(&draft))
        return;
    fprintf(draft.out, "not checked: %s no times",
            run->c->old->profiles ? "the build has" : "the snapshot has");
    fsd_draft_close(run, &draft);
}

/* Slower is what is more than the spread of either side's profiles, of which one alone
 * has the distance of its means from its medians, and more than the policy's noise. */
void fsd_gate_latency(struct fsd_check_run *run)
{
    const struct fsd_compare *c = run->c;
    double slower = c->after - c->before;
    double band = larger(run->policy->noise * c->before,
                         larger(width(c->old->total), width(c->new->total)));
    struct fsd_draft draft;

    if (!c->timed && (c->old->profiles || c->new->profiles))
        add_untimed(run);
    if (!c->timed || !(c->before > 0) || slower <= band || !fsd_draft_open(&draft))
        return;
    run->base = c->before;
    fprintf(draft.out,
            "the layers take %.4f ms, %+.4f ms (%+.2f%%); noise explains %.4f ms",
            c->after, slower, 100 * slower / c->before, band);
    draft.ms = slower;
    fsd_draft_close(run, &draft);
}

void fsd_gate_layers(struct fsd_check_run *run)
{
    uint32_t before = run->c->old->layers, now = run->c->new->layers;
    struct fsd_draft draft;

    if (now <= before || !fsd_draft_open(&draft))
        return;
    fsd_put_noun(draft.out, now, "layer");
    fprintf(draft.out, ", before %u", before);
    draft.count = now - before;
    fsd_draft_close(run, &draft);
}

static double coverage(const struct fsd_state *s)
{
    return s->computing ? (double)s->mapped / s->computing : 1;
}

void fsd_gate_coverage(struct fsd_check_run *run)
{
    const struct fsd_state *old = run->c->old, *new = run->c->new;
    double drop = coverage(old) - coverage(new);
    struct fsd_draft draft;

    if (drop <= 0 || !fsd_draft_open(&draft))
        return;
    run->base = 1;
    fprintf(draft.out, "%u of %u computing layers are mapped to nodes, before %u of %u",
            new->mapped, new->computing, old->mapped, old->computing);
    draft.ms = drop;
    fsd_draft_close(run, &draft);
}

void fsd_gate_max_reformats(struct fsd_check_run *run)
{
    const struct fsd_state *s = run->c->new;
    struct fsd_draft draft;
    double ms = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->moves.n; i++) {
        const struct fsd_move *m = &s->moves.at[i];

        if (!m->inserted || m->kind == FSD_KIND_NOOP)
            continue;
        n++;
        ms += m->ms.median > 0 ? m->ms.median : 0;
    }
    if (!n || !fsd_draft_open(&draft))
        return;
    fprintf(draft.out, "%u inserted layers", n);
    if (s->profiles)
        fprintf(draft.out, ", %.4f ms of %.4f ms", ms, s->total.median);
    else
        fputs(", times not known", draft.out);
    draft.count = n;
    draft.ms = ms;
    draft.untimed = !s->profiles;
    fsd_draft_close(run, &draft);
}

static bool is_wanted(const struct fsd_check_run *run, fsd_id node)
{
    const struct fsd_state *s = run->c->new;
    const struct fsd_state_node *n = &s->nodes.at[node];
    bool wanted = false;

    for (uint32_t i = 0; i < run->policy->operators.n; i++)
        wanted |= !strcmp(run->policy->operators.at[i].text, fsd_text(s->names, n->op));
    for (uint32_t i = 0; wanted && i < run->policy->except.n; i++)
        wanted = !fsd_policy_matches(run->policy->except.at[i].text,
                                     fsd_text(s->names, n->key));
    return wanted && n->fate == FSD_FATE_LAYER && n->precision != FSD_INT8;
}

void fsd_gate_int8(struct fsd_check_run *run)
{
    const struct fsd_state *s = run->c->new;
    struct fsd_draft draft;

    for (fsd_id i = 0; i < s->nodes.n; i++) {
        if (!is_wanted(run, i) || !fsd_draft_open(&draft))
            continue;
        fsd_draft_node(run, &draft, s, i);
        fprintf(draft.out, "%s (%s) runs in %s", draft.nodes.at[0],
                fsd_text(s->names, s->nodes.at[i].op),
                fsd_dtype_name((enum fsd_dtype)s->nodes.at[i].precision));
        fsd_draft_close(run, &draft);
    }
}
