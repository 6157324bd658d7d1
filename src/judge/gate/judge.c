/* Turns the findings of a gate into a verdict, and fills the table that is printed
 * above the findings. */
#include "judge/gate/gate.h"
#include "base/base.h"
#include "judge/lint/lint.h"
#include "model/graph/graph.h"

#include <math.h>

static struct fsd_verdict *new_verdict(const char *title, enum fsd_severity fails_at)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_verdict *v = FSD_NEW(arena, struct fsd_verdict, 1);

    v->arena = arena;
    v->title = title;
    v->ms[0] = v->ms[1] = -1;
    v->fails_at = fails_at;
    return v;
}

void fsd_verdict_free(struct fsd_verdict *v)
{
    if (!v)
        return;
    fsd_policy_free(v->policy);
    fsd_arena_free(v->arena);
}

/* Whether an error is a change since the snapshot. Rewriting the snapshot accepts such
 * an error, but not an error about a requirement. */
static bool fails_by_change(const struct fsd_findings *all)
{
    for (uint32_t i = 0; i < all->list.n; i++)
        if (all->list.at[i].severity == FSD_ERROR &&
            (all->rules.at[all->list.at[i].rule].rule->needs & FSD_NEEDS_CHANGE))
            return true;
    return false;
}

/* Sets the verdict from the findings: the worst finding decides. If the snapshot is
 * rewritten, all findings are accepted. */
static void judge(struct fsd_verdict *v, const struct fsd_findings *findings)
{
    v->findings = findings;
    for (unsigned s = v->fails_at; s < FSD__SEVERITY_COUNT; s++)
        v->failed |= findings->by_severity[s] && !v->accepts;
}

static void add_row(struct fsd_verdict *v, const char *what, const char *before,
                    const char *now)
{
    fsd_vec_push(v->arena, &v->rows, ((struct fsd_verdict_row){what, before, now}));
}

/* Adds an input such as "resnet18.onnx (pytorch 2.1, 42 nodes)". */
static void add_about(struct fsd_verdict *v, const char *what, const char *path,
                      const char *of)
{
    const char *text = *of ? fsd_printed(v->arena, "%s (%s)", path, of) : path;

    fsd_vec_push(v->arena, &v->about, ((struct fsd_verdict_row){what, NULL, text}));
}

struct counted {
    const char *what;
    uint32_t now, before; /* `before` is used in a comparison only */
};

static void add_counts(struct fsd_verdict *v, const struct counted *counts, size_t n,
                       bool compared)
{
    for (size_t i = 0; i < n; i++)
        add_row(v, counts[i].what,
                compared ? fsd_printed(v->arena, "%u", counts[i].before) : NULL,
                fsd_printed(v->arena, "%u", counts[i].now));
}

static void add_inputs(struct fsd_verdict *v, const struct fsd_diff *d)
{
    if (d->model->path && *d->model->path && d->model->path != d->engine->path)
        add_about(v, "model", d->model->path, fsd_text(d->names, d->model->producer));
    add_about(v, "engine", d->engine->path,
              fsd_printed(v->arena, "%s%s%s", d->engine->kind,
                          d->engine->producer ? ", " : "",
                          fsd_text(d->names, d->engine->producer)));
}

struct fsd_verdict *fsd_verdict_of_run(const struct fsd_diff *d)
{
    struct fsd_verdict *v = new_verdict("diff", FSD_WARNING);
    const struct fsd_summary *s = d->summary;
    const struct counted counts[] = {
        {"nodes", s->nodes},
        {"layers", s->layers},
        {"computing layers", s->computing},
        {"computing layers mapped to nodes", s->mapped},
        {"inserted layers", s->inserted},
        {"reformats", s->by_kind[FSD_KIND_REFORMAT]},
        {"unexplained nodes", s->by_fate[FSD_FATE_UNEXPLAINED]},
    };

    v->engine = d->engine->path;
    v->model = d->model->path && *d->model->path ? d->model->path : v->engine;
    add_inputs(v, d);
    v->brief = fsd_brief_of(v->arena, d);
    add_counts(v, counts, FSD_COUNT_OF(counts), false);
    if (d->times->run.median >= 0)
        add_row(v, "inference time", NULL,
                fsd_printed(v->arena, "%.3f ms", d->times->run.median));
    if (d->times->total > 0)
        add_row(v, "sum of layer times", NULL,
                fsd_printed(v->arena, "%.3f ms", d->times->total));
    judge(v, d->findings);
    return v;
}

struct fsd_verdict *fsd_verdict_of_lint(const struct fsd_diff *d,
                                        const struct fsd_lint *lint,
                                        const struct fsd_findings *findings,
                                        const char *command)
{
    struct fsd_verdict *v = new_verdict("lint", FSD_ERROR);
    const struct counted counts[] = {
        {"nodes", d->model->nodes.n},
        {"quantizers", lint->quantizers.n},
    };

    v->model = d->model->path;
    v->engine = d->engine->nodes.n ? d->engine->path : v->model;
    add_row(v, "for", NULL, lint->target.name);
    add_counts(v, counts, FSD_COUNT_OF(counts), false);
    if (lint->style.name)
        add_row(v, "style", NULL, lint->style.name);
    judge(v, findings);
    v->command = command;
    v->verdict = v->failed ? "failed" : "passed";
    return v;
}

/* ----------------------------------------------------------------------- a check */

static const char *name_of(struct fsd_arena *arena, const char *model,
                           const char *label)
{
    return *label ? fsd_printed(arena, "%s %s", model, label) : model;
}

struct amounts {
    uint32_t inserted, reformats, quantizers, unexplained;
    const char *mapped, *run, *ms;
};

/* Computes the members of struct amounts for one state. struct fsd_compare does not
 * contain these values. */
static struct amounts measure(const struct fsd_state *s, struct fsd_arena *arena)
{
    struct amounts n = {.mapped =
                            fsd_printed(arena, "%u of %u", s->mapped, s->computing),
                        .run = "not known",
                        .ms = "not known"};

    FSD_EACH (const struct fsd_move, m, s->moves) {
        n.inserted += m->inserted;
        n.reformats += m->inserted && m->kind == FSD_KIND_REFORMAT;
        n.quantizers += !m->inserted && m->kind == FSD_KIND_QUANTIZE;
    }
    for (uint32_t i = 0; i < s->nodes.n; i++)
        n.unexplained += s->nodes.at[i].fate == FSD_FATE_UNEXPLAINED;
    if (s->total.median >= 0)
        n.ms = fsd_printed(arena, "%.4f ms", s->total.median);
    if (s->timed_runs)
        n.run = fsd_printed(arena, "%.4f ms", s->run.median);
    return n;
}

static const char *engine_of(const struct fsd_verdict *v, const struct fsd_state *s)
{
    const char *kind = fsd_text(s->names, s->engine_kind);
    const char *producer = fsd_text(s->names, s->producer);
    const char *of =
        s->also.n ? fsd_printed(v->arena, "%u builds", s->also.n + 1) : "a build";

    return fsd_printed(v->arena, "of %s: %s%s%s", of, kind, *producer ? ", " : "",
                       producer);
}

/* Says which of the snapshot's builds the checked build resembles, as numbers of rows:
 * "1 as in build A, 2 as in build C, 1 as in none of the builds". Each row in which the
 * snapshot's builds differ (s->variants) counts once. "" if there are no such rows. */
static const char *variants_of(const struct fsd_verdict *v, const struct fsd_state *s)
{
    uint32_t fit[FSD_MOST_BUILDS] = {0}, far = 0;
    const char *text = "";

    for (uint32_t i = 0; i < s->variants.n; i++) {
        far += s->variants.at[i].apart > 0;
        fit[s->variants.at[i].build] += !s->variants.at[i].apart;
    }
    for (uint32_t b = 0; b <= s->also.n; b++)
        if (fit[b])
            text = fsd_printed(v->arena, "%s%s%u as in build %c", text,
                               *text ? ", " : "", fit[b], (char)('A' + b));
    return far ? fsd_printed(v->arena, "%s%s%u as in none of the builds", text,
                             *text ? ", " : "", far)
               : text;
}

static struct fsd_verdict *verdict_of(const char *title,
                                      const struct fsd_case *before_gate, bool accepts,
                                      const char *command)
{
    struct fsd_verdict *v = new_verdict(title, FSD_ERROR);
    const struct fsd_compare *c = before_gate->c;
    const struct fsd_state *new = before_gate->build, *old = c ? c->old : new;
    const struct fsd_diff *run = before_gate->compared ? NULL : before_gate->run;
    struct fsd_timing t = c ? fsd_timing_of(c) : (struct fsd_timing){.known = false};
    fsd_sym label = fsd_built_find(&new->built, new->names, FSD_BUILT_LABEL);
    struct amounts before = measure(old, v->arena), now = measure(new, v->arena);
    const struct counted counts[] = {
        {"layers", new->layers, old->layers},
        {"fusion groups", new->groups.n, old->groups.n},
        {"inserted layers", now.inserted, before.inserted},
        {"inserted reformats", now.reformats, before.reformats},
        {"unfused Q/DQ nodes", now.quantizers, before.quantizers},
        {"unexplained nodes", now.unexplained, before.unexplained},
    };

    v->accepts = accepts;
    v->label = label ? fsd_text(new->names, label) : "";
    v->ms[0] = c ? (t.runs ? old->run : old->total).median : -1;
    v->ms[1] = (t.runs ? new->run : new->total).median;
    v->model = new->model_path;
    v->engine = new->engine_path;
    if (run && !*v->model)
        v->model = v->engine;
    v->name = name_of(v->arena, v->model, v->label);
    if (run)
        add_inputs(v, run);
    else
        add_about(v, "build", v->engine, engine_of(v, new));
    if (c) {
        v->snapshot = old->model_path;
        add_about(v, "snapshot", v->snapshot, engine_of(v, old));
    }
    if (*before_gate->policy->path)
        add_about(v, "policy", before_gate->policy->path, "");
    add_counts(v, counts, FSD_COUNT_OF(counts), c);
    add_row(v, "mapped layers", c ? before.mapped : NULL, now.mapped);
    if (c) {
        add_row(v, "fusions", "",
                fsd_printed(v->arena,
                            c->hidden ? "%u lost, %u gained, %u unknown"
                                      : "%u lost, %u gained",
                            c->by_happened[FSD_HAPPENED_LOST],
                            c->by_happened[FSD_HAPPENED_GAINED], c->hidden));
        add_row(v, "precision of nodes", "",
                fsd_printed(v->arena, "%u higher, %u lower",
                            c->by_width[FSD_WIDTH_WIDENED],
                            c->by_width[FSD_WIDTH_NARROWED]));
    }
    if (c && old->variants.n)
        add_row(v, "parts with recorded variants", "", variants_of(v, old));
    if (new->timed_runs || old->timed_runs)
        add_row(v, "inference time", c ? before.run : NULL, now.run);
    add_row(v, "sum of layer times", c ? before.ms : NULL, now.ms);
    if (t.known) {
        struct fsd_print noise;

        fsd_put_noise(&t, fsd_noise_of(&t, before_gate->policy),
                      fsd_print_open(&noise));
        add_row(v, "maximum noise", "", fsd_print_take(&noise, v->arena));
    }
    judge(v, fsd_find_case(v->arena, before_gate));
    if (c)
        v->account = c->account;
    fsd_verdict_find_causes(v, before_gate);
    v->brief = fsd_brief_of_check(v->arena, v->says, v->saves, run);
    v->command = command;
    if (c && command && fails_by_change(v->findings))
        v->accept = fsd_printed(v->arena, "%s --update", command);
    v->verdict = v->accepts ? "accepted" : v->failed ? "failed" : "passed";
    return v;
}

struct fsd_verdict *fsd_verdict_of_case(const struct fsd_case *before_gate,
                                        bool accepts, const char *command)
{
    return verdict_of("check", before_gate, accepts, command);
}

/* ------------------------------------------------------------------- a comparison */

struct fsd_verdict *fsd_verdict_of_comparison(const struct fsd_compare *c,
                                              const struct fsd_diff *run)
{
    struct fsd_policy *policy = fsd_policy_new();
    const struct fsd_case compared = {
        .build = c->new, .c = c, .run = run, .policy = policy, .compared = true};
    struct fsd_verdict *v = verdict_of("compare", &compared, false, NULL);

    v->policy = policy;
    return v;
}

bool fsd_comparison_says(const struct fsd_compare *c, const struct fsd_diff *run,
                         struct fsd_arena *arena, const char *says[3])
{
    struct fsd_verdict *v = fsd_verdict_of_comparison(c, run);
    bool any = v->says[0] != NULL;

    for (int i = 0; i < 3 && any; i++)
        says[i] = fsd_printed(arena, "%s", v->says[i]);
    fsd_verdict_free(v);
    return any;
}

struct fsd_verdict *fsd_verdict_of_exports(const struct fsd_compare *c)
{
    const struct fsd_exports *e = c->exports;
    struct fsd_verdict *v = new_verdict("compare", FSD_WARNING);
    const struct counted counts[] = {
        {"nodes", e->new.model->nodes.n, e->old.model->nodes.n},
        {"computing nodes", e->new_nodes, e->old_nodes},
    };

    v->label = "";
    v->model = v->engine = c->new->model_path;
    add_about(v, "old", c->old->model_path, "");
    add_about(v, "new", c->new->model_path, "");
    add_counts(v, counts, FSD_COUNT_OF(counts), true);
    judge(v, fsd_find_exports(v->arena, c));
    return v;
}

/* ------------------------------------------------------------------------ a list */

const char *fsd_verdict_sentences(const struct fsd_verdict *v)
{
    return fsd_printed(v->arena, "%s %s %s", v->says[0], v->says[1], v->says[2]);
}

const struct fsd_root_cause *fsd_verdict_cause_of(const struct fsd_verdict *v,
                                                  uint32_t i)
{
    return v->cause_of && v->cause_of[i] != FSD_NONE ? &v->causes.at[v->cause_of[i]]
                                                     : NULL;
}

/* Names the builds by model and label. If an earlier build has the same name, appends
 * the engine's path to `model`. If the name is still not unique, appends the build's
 * position in the list. */
static void name_builds(struct fsd_arena *arena, struct fsd_judged *at, uint32_t n)
{
    struct fsd_intern *seen = fsd_intern_new(arena);

    for (uint32_t i = 0; i < n; i++) {
        struct fsd_judged *j = &at[i];

        for (int attempt = 0;; attempt++) {
            uint32_t before = fsd_intern_count(seen);

            j->name = name_of(arena, j->model, j->label);
            if (fsd_intern_str(seen, j->name) >= before)
                break;
            j->model = attempt || !*j->engine
                           ? fsd_printed(arena, "%s #%u", j->model, i + 1)
                           : fsd_printed(arena, "%s %s", j->model, j->engine);
        }
    }
}

bool fsd_judged_change(const struct fsd_judged *j, double *ms)
{
    if (!j->v || j->v->ms[0] < 0 || j->v->ms[1] < 0)
        return false;
    *ms = round((j->v->ms[1] - j->v->ms[0]) * 1e6) / 1e6;
    return true;
}

struct fsd_verdicts fsd_verdicts_of_one(struct fsd_judged *room,
                                        const struct fsd_verdict *v)
{
    *room = (struct fsd_judged){.name = v->name,
                                .label = v->label,
                                .model = v->model,
                                .verdict = v->verdict,
                                .v = v};
    return (struct fsd_verdicts){.at = room, .n = 1, .verdict = v->verdict};
}

struct fsd_verdicts fsd_verdicts_of(struct fsd_arena *arena, struct fsd_judged *at,
                                    uint32_t n)
{
    struct fsd_verdicts all = {.at = at, .n = n, .list = true};

    for (uint32_t i = 0; i < n; i++) {
        struct fsd_judged *j = &at[i];

        if (j->v) {
            j->label = j->v->label;
            j->model = j->v->model;
            j->engine = j->v->engine;
        }
        j->verdict = j->v ? j->v->verdict : "error";
        all.errors += !j->v;
        all.failed += j->v && j->v->failed;
        all.passed += j->v && !j->v->failed;
        all.accepts |= j->v && j->v->accepts;
    }
    all.verdict = all.errors    ? "error"
                  : all.failed  ? "failed"
                  : all.accepts ? "accepted"
                                : "passed";
    name_builds(arena, at, n);
    return all;
}
