/* Rules about a whole build compared with its snapshot. */
#include "base/base.h"
#include "judge/findings/finder.h"
#include "model/graph/word.h"

/* Counts layers. Layers that only synchronize are left out, because their number
 * depends on the number of streams. */
static uint32_t count_layers(const struct fsd_state *s)
{
    uint32_t n = s->layers;

    for (uint32_t i = 0; i < s->kernels.n; i++)
        n -= n && s->kernels.at[i].kind == FSD_KIND_SYNC;
    return n;
}

void fsd_find_more_layers(struct fsd_finder *f)
{
    uint32_t before = count_layers(f->c->old), now = count_layers(f->c->new);

    if (now <= before)
        return;
    fsd_finding_open(f);
    fprintf(f->out, "%u layer%s, before %u", now, fsd_plural(now), before);
    f->count = now - before;
    fsd_finding_close(f);
}

/* Counts unfused quantizers, and inserted layers that take time. */
static uint32_t moves_of(const struct fsd_state *s)
{
    uint32_t n = 0;

    FSD_EACH (const struct fsd_move, m, s->moves)
        n += m->inserted ? m->kind != FSD_KIND_NOOP : m->kind == FSD_KIND_QUANTIZE;
    return n;
}

/* Whether rules before this one found errors. */
static bool has_errors(const struct fsd_findings *found)
{
    bool any = false;

    for (uint32_t i = 0; i < found->list.n && !any; i++)
        any = found->list.at[i].severity == FSD_ERROR;
    return any;
}

/* Whether the new build states less: a fact is missing, or it is not known which layer
 * computes which node. */
static bool is_known_less(const struct fsd_compare *c)
{
    bool less = c->lost.n || c->unstated || fsd_lacks_writers(c);

    for (uint32_t i = 0; i < c->kernels.n && !less; i++)
        less = c->kernels.at[i].type_lost || c->kernels.at[i].layout_lost ||
               c->kernels.at[i].consts_lost;
    for (uint32_t i = 0; i < c->regions.n && !less; i++)
        less = fsd_region_is_weak(c, &c->regions.at[i], true) &&
               !fsd_region_is_weak(c, &c->regions.at[i], false);
    return less;
}

/* Reports a better build, so that the user takes a snapshot of this build. Without the
 * new snapshot, a later loss of the gain goes unnoticed. */
void fsd_find_better(struct fsd_finder *f)
{
    const struct fsd_compare *c = f->c;
    uint32_t before = moves_of(c->old), now = moves_of(c->new);
    uint32_t narrowed = c->by_width[FSD_WIDTH_NARROWED] - fsd_count_narrowed_range(c);
    uint32_t gained = c->by_happened[FSD_HAPPENED_GAINED];
    uint32_t saved = fsd_count_saved_kernels(c);
    struct fsd_timing t = fsd_timing_of(c);
    double band = fsd_noise_of(&t, f->policy).band;
    bool whole = t.runs || (!c->old->untimed && !c->new->untimed);
    double faster = t.known && t.after > 0 && whole ? t.before - t.after - band : 0;
    const char *comma = "";

    for (uint32_t i = 0; i < c->moves.n; i++)
        now += c->moves.at[i].missed; /* a removed layer that is still needed is no
                                         improvement */
    /* A slower build is not better, whatever else improved. A build that states less
     * may be worse in the facts that it does not state. */
    if ((t.known && t.after > t.before + band) || is_known_less(c))
        return;
    if (now >= before && !narrowed && !gained && !saved && !(faster > 0))
        return;
    fsd_finding_open(f);
    if (now < before) {
        fsd_put_noun(f->out, before - now, "layer");
        fputs(" of data movement removed", f->out);
        comma = ", ";
    }
    if (narrowed) {
        fputs(comma, f->out);
        fprintf(f->out, "%u node%s in lower precision", narrowed, fsd_plural(narrowed));
        comma = ", ";
    }
    if (gained) {
        fputs(comma, f->out);
        fprintf(f->out, "%u fusion%s gained", gained, fsd_plural(gained));
        comma = ", ";
    }
    if (saved) {
        fputs(comma, f->out);
        fprintf(f->out, "%u kernel%s removed", saved, fsd_plural(saved));
        comma = ", ";
    }
    if (faster > 0)
        fprintf(f->out,
                "%s%.4f ms%s instead of %.4f ms (noise does not explain the "
                "difference)",
                comma, t.after, t.runs ? " a run" : "", t.before);
    if (!has_errors(f->found))
        fputs(": --update records this build as the reference for later builds",
              f->out);
    fsd_finding_close(f);
}

static double coverage(const struct fsd_state *s)
{
    return s->computing ? (double)s->mapped / s->computing : 1;
}

/* Reports that the share of mapped layers dropped. f->ms is no time here: it is the
 * drop, and f->base is 1. A budget's `share` limits f->ms / f->base, and thus the
 * drop. */
void fsd_find_less_coverage(struct fsd_finder *f)
{
    const struct fsd_state *old = f->c->old, *new = f->c->new;
    double drop = coverage(old) - coverage(new);

    if (drop <= 0)
        return;
    f->base = 1;
    fsd_finding_open(f);
    fprintf(f->out, "%u of %u computing layers are mapped to nodes; before: %u of %u",
            new->mapped, new->computing, old->mapped, old->computing);
    f->ms = drop;
    fsd_finding_close(f);
}

/* Reports all inserted layers of the new build in one finding. Layers that do nothing
 * at run time do not count. */
void fsd_find_inserted_total(struct fsd_finder *f)
{
    const struct fsd_state *s = f->build;
    double ms = 0;
    uint32_t n = 0;

    FSD_EACH (const struct fsd_move, m, s->moves) {
        if (!m->inserted || m->kind == FSD_KIND_NOOP)
            continue;
        n++;
        ms += m->ms.median > 0 ? m->ms.median : 0;
    }
    if (!n)
        return;
    fsd_finding_open(f);
    fsd_put_noun(f->out, n, "inserted layer");
    if (s->profiles)
        fprintf(f->out, ", %.4f ms of %.4f ms", ms, s->total.median);
    else
        fputs(" of unknown time", f->out);
    f->count = n;
    f->ms = ms;
    f->untimed = !s->profiles;
    fsd_finding_close(f);
}

/* The rule int8-required: reports nodes that do not run in INT8, although the policy
 * lists their operators. Nodes that the policy exempts are left out. */
void fsd_find_not_int8(struct fsd_finder *f)
{
    const struct fsd_state *s = f->build;

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
        if (n->precision == FSD_DTYPE_UNKNOWN)
            fprintf(f->out, " (%s) runs in an unknown type", op);
        else
            fprintf(f->out, " (%s) runs in %s", op,
                    fsd_dtype_name((enum fsd_dtype)n->precision));
        fsd_finding_close(f);
    }
}
