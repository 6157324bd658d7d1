/* Verdicts: the findings, judged, and the table on top of them. */
#include "gate/gate.h"
#include "base/print.h"

static struct fsd_verdict *new_verdict(const char *title, enum fsd_severity fails_at)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_verdict *v = FSD_NEW(arena, struct fsd_verdict, 1);

    v->arena = arena;
    v->title = title;
    v->fails_at = fails_at;
    return v;
}

void fsd_verdict_free(struct fsd_verdict *v)
{
    if (v)
        fsd_arena_free(v->arena);
}

static void judge(struct fsd_verdict *v)
{
    for (unsigned s = v->fails_at; s < FSD__SEVERITY_COUNT; s++)
        v->failed |= v->findings->by_severity[s] && !v->accepts;
}

static void add_row(struct fsd_verdict *v, const char *what, const char *before,
                    const char *now)
{
    fsd_vec_push(v->arena, &v->rows, ((struct fsd_verdict_row){what, before, now}));
}

/* ------------------------------------------------------------------------- a run */

static void add_count(struct fsd_verdict *v, const char *what, uint32_t n)
{
    add_row(v, what, NULL, fsd_printed(v->arena, "%u", n));
}

struct fsd_verdict *fsd_verdict_of_run(const struct fsd_diff *d)
{
    struct fsd_verdict *v = new_verdict("diff", FSD_WARNING);
    const struct fsd_summary *s = d->summary;

    v->engine = d->engine->path;
    v->model = d->model->path && *d->model->path ? d->model->path : v->engine;
    add_count(v, "nodes", s->nodes);
    add_count(v, "layers", s->layers);
    add_count(v, "computing layers", s->computing);
    add_count(v, "of these mapped to nodes", s->mapped);
    add_count(v, "inserted layers", s->inserted);
    add_count(v, "reformats", s->by_kind[FSD_KIND_REFORMAT]);
    add_count(v, "nodes unexplained", s->by_fate[FSD_FATE_UNEXPLAINED]);
    if (d->times->total > 0)
        add_row(v, "time", NULL, fsd_printed(v->arena, "%.3f ms", d->times->total));
    v->findings = d->findings;
    judge(v);
    return v;
}

/* ----------------------------------------------------------------------- a check */

static void add_counts(struct fsd_verdict *v, const char *what, uint32_t before,
                       uint32_t now)
{
    add_row(v, what, fsd_printed(v->arena, "%u", before),
            fsd_printed(v->arena, "%u", now));
}

struct counted {
    uint32_t inserted, reformats, quantizers, unexplained;
};

static struct counted count(const struct fsd_state *s)
{
    struct counted n = {0};

    for (uint32_t i = 0; i < s->moves.n; i++) {
        const struct fsd_move *m = &s->moves.at[i];

        n.inserted += m->inserted;
        n.reformats += m->inserted && m->kind == FSD_KIND_REFORMAT;
        n.quantizers += !m->inserted && m->kind == FSD_KIND_QUANTIZE;
    }
    for (uint32_t i = 0; i < s->nodes.n; i++)
        n.unexplained += s->nodes.at[i].fate == FSD_FATE_UNEXPLAINED;
    return n;
}

static const char *ms_text(struct fsd_verdict *v, double ms)
{
    return ms >= 0 ? fsd_printed(v->arena, "%.4f ms", ms) : "not known";
}

static void add_changes(struct fsd_verdict *v, const struct fsd_compare *c)
{
    const struct fsd_state *old = c->old, *new = c->new;
    struct counted before = count(old), now = count(new);

    add_counts(v, "layers", old->layers, new->layers);
    add_counts(v, "fusion groups", old->groups.n, new->groups.n);
    add_counts(v, "inserted layers", before.inserted, now.inserted);
    add_counts(v, "of these reformats", before.reformats, now.reformats);
    add_counts(v, "standing Q and DQ", before.quantizers, now.quantizers);
    add_counts(v, "unexplained nodes", before.unexplained, now.unexplained);
    add_row(v, "mapped layers",
            fsd_printed(v->arena, "%u of %u", old->mapped, old->computing),
            fsd_printed(v->arena, "%u of %u", new->mapped, new->computing));
    add_row(v, "fusions lost, gained", "",
            fsd_printed(v->arena, "%u, %u", c->by_happened[FSD_HAPPENED_LOST],
                        c->by_happened[FSD_HAPPENED_GAINED]));
    add_row(v, "nodes widened, narrowed", "",
            fsd_printed(v->arena, "%u, %u", c->by_width[FSD_WIDTH_WIDENED],
                        c->by_width[FSD_WIDTH_NARROWED]));
    add_row(v, "time", ms_text(v, old->total.median), ms_text(v, new->total.median));
}

struct fsd_verdict *fsd_verdict_of_check(const struct fsd_compare *c,
                                         const struct fsd_policy *policy,
                                         const struct fsd_snapshot_lines *lines,
                                         const struct fsd_check_options *options)
{
    struct fsd_verdict *v = new_verdict("check", FSD_ERROR);

    v->accepts = options->accept;
    v->model = c->new->model_path;
    v->engine = c->new->engine_path;
    v->snapshot = c->old->model_path;
    add_changes(v, c);
    v->findings = fsd_find_changes(v->arena, c, lines, policy, options->today);
    judge(v);
    v->verdict = v->accepts ? "accepted" : v->failed ? "failed" : "passed";
    return v;
}
