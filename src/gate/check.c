/*
 * The frame of a check: each rule finds, ignores take away, budgets decide.  A rule
 * that is within its budget keeps its findings as notes, so that what is let through is
 * seen.
 */
#include "gate/check_build.h"

#include <stdlib.h>
#include <string.h>

fsd_gate_find_fn *const fsd_gate_find[FSD__GATE_COUNT] = {
    [FSD_GATE_LOST_FUSION] = fsd_gate_lost,
    [FSD_GATE_REGROUPED] = fsd_gate_regrouped,
    [FSD_GATE_OPAQUE] = fsd_gate_opaque,
    [FSD_GATE_WIDENED] = fsd_gate_widened,
    [FSD_GATE_NEW_REFORMAT] = fsd_gate_reformats,
    [FSD_GATE_NEW_QUANTIZE] = fsd_gate_quantizers,
    [FSD_GATE_UNEXPLAINED] = fsd_gate_unexplained,
    [FSD_GATE_IO] = fsd_gate_ports,
    [FSD_GATE_LATENCY] = fsd_gate_latency,
    [FSD_GATE_LAYER_COUNT] = fsd_gate_layers,
    [FSD_GATE_COVERAGE] = fsd_gate_coverage,
    [FSD_GATE_MODEL] = fsd_gate_model,
    [FSD_GATE_MAX_REFORMATS] = fsd_gate_max_reformats,
    [FSD_GATE_INT8] = fsd_gate_int8,
};

/* ---------------------------------------------------------------------- drafts */

bool fsd_draft_open(struct fsd_draft *draft)
{
    *draft = (struct fsd_draft){.count = 1};
    draft->out = open_memstream(&draft->text, &draft->size);
    return draft->out != NULL;
}

void fsd_draft_node(struct fsd_check_run *run, struct fsd_draft *draft,
                    const struct fsd_state *s, fsd_id node)
{
    fsd_sym key = s->nodes.at[node].key;
    const char *name = fsd_arena_strndup(run->list->arena, fsd_text(s->names, key),
                                         fsd_text_len(s->names, key));

    fsd_vec_push(run->list->arena, &draft->nodes, name);
}

static bool concerns(const struct fsd_policy_ignore *ignore,
                     const struct fsd_draft *draft)
{
    if (!strcmp(ignore->node, "*"))
        return true;
    for (uint32_t i = 0; i < draft->nodes.n; i++)
        if (fsd_policy_matches(ignore->node, draft->nodes.at[i]))
            return true;
    return false;
}

static bool is_expired(const struct fsd_check_run *run,
                       const struct fsd_policy_ignore *ignore)
{
    return ignore->expires && run->today > ignore->expires;
}

static bool is_ignored(struct fsd_check_run *run, const struct fsd_draft *draft)
{
    const char *rule = fsd_gate_defaults[run->rule].id;

    for (uint32_t i = 0; i < run->policy->ignores.n; i++) {
        struct fsd_policy_ignore *ignore = &run->policy->ignores.at[i];

        if (strcmp(ignore->rule, rule) != 0 || !concerns(ignore, draft))
            continue;
        ignore->used++;
        if (!is_expired(run, ignore))
            return true;
    }
    return false;
}

static void add_item(struct fsd_check_run *run, const struct fsd_draft *draft,
                     const char *file)
{
    struct fsd_list *list = run->list;

    fsd_vec_push(list->arena, &list->items,
                 (struct fsd_list_item){.rule = run->rule,
                                        .severity = list->rules.at[run->rule].severity,
                                        .message = fsd_arena_strndup(
                                            list->arena, draft->text, draft->size),
                                        .nodes = draft->nodes.at,
                                        .n_nodes = draft->nodes.n,
                                        .file = file,
                                        .line = draft->line});
}

void fsd_draft_close(struct fsd_check_run *run, struct fsd_draft *draft)
{
    if (fclose(draft->out) == 0) {
        if (is_ignored(run, draft)) {
            run->list->rules.at[run->rule].ignored++;
        } else {
            add_item(run, draft, run->list->snapshot);
            run->count += draft->count;
            run->ms += draft->ms > 0 ? draft->ms : 0; /* no credit for what is faster */
            run->untimed |= draft->untimed;
        }
    }
    free(draft->text);
}

/* --------------------------------------------------------------------- budgets */

static double share(const struct fsd_check_run *run)
{
    return run->base > 0 ? run->ms / run->base : 0;
}

/* A budget of time that cannot be measured is not kept. */
static bool is_over(const struct fsd_check_run *run)
{
    const struct fsd_policy_rule *rule = &run->policy->rules[run->rule];

    return (rule->count >= 0 && run->count > rule->count) ||
           (rule->ms >= 0 && (run->untimed || run->ms > rule->ms)) ||
           (rule->share >= 0 && (run->untimed || share(run) > rule->share));
}

/* "3, 0.1100 ms, 5.2%": of what the rule has a budget for. */
static const char *amounts(const struct fsd_check_run *run, double count, double ms,
                           double part)
{
    const struct fsd_policy_rule *rule = &run->policy->rules[run->rule];
    const char *text = "";

    if (rule->count >= 0)
        text = fsd_list_text(run->list, "%.0f", count);
    if (rule->ms >= 0)
        text = fsd_list_text(run->list, "%s%s%.4f ms", text, *text ? ", " : "", ms);
    if (rule->share >= 0)
        text =
            fsd_list_text(run->list, "%s%s%.2f%%", text, *text ? ", " : "", 100 * part);
    return *text ? text : NULL;
}

static void settle(struct fsd_check_run *run, uint32_t first)
{
    const struct fsd_policy_rule *rule = &run->policy->rules[run->rule];
    struct fsd_list_rule *entry = &run->list->rules.at[run->rule];

    entry->measured = run->untimed && (rule->ms >= 0 || rule->share >= 0)
                          ? "times not known"
                          : amounts(run, run->count, run->ms, share(run));
    entry->budget = amounts(run, rule->count, rule->ms, rule->share);
    if (is_over(run))
        return;
    for (uint32_t i = first; i < run->list->items.n; i++)
        run->list->items.at[i].severity = FSD_INFO;
}

static void add_rule(struct fsd_check_run *run)
{
    int level = run->policy->rules[run->rule].level;

    fsd_vec_push(run->list->arena, &run->list->rules,
                 (struct fsd_list_rule){
                     .id = fsd_gate_defaults[run->rule].id,
                     .doc = fsd_gate_defaults[run->rule].doc,
                     .severity = level < 0 ? FSD_INFO : (enum fsd_severity)level,
                     .off = level < 0});
}

static void apply(struct fsd_check_run *run, enum fsd_gate_rule rule)
{
    uint32_t first = run->list->items.n;

    run->rule = rule;
    run->count = run->ms = 0;
    run->untimed = false;
    run->base = run->c->new->total.median > 0 ? run->c->new->total.median : 0;
    add_rule(run);
    if (run->policy->rules[rule].level < 0 || !fsd_gate_find[rule])
        return;
    fsd_gate_find[rule](run);
    settle(run, first);
}

/* --------------------------------------------------------- the policy's own rule */

static void judge_ignore(struct fsd_check_run *run,
                         const struct fsd_policy_ignore *ignore)
{
    struct fsd_draft draft;
    bool expired = is_expired(run, ignore);

    if ((ignore->used && !expired) || !fsd_draft_open(&draft))
        return;
    fprintf(draft.out, "the ignore '%s' of %s (%s) ", ignore->label, ignore->rule,
            ignore->reason);
    if (expired)
        fprintf(draft.out, "expired on %04u-%02u-%02u", ignore->expires / 10000,
                ignore->expires / 100 % 100, ignore->expires % 100);
    else
        fputs("ignores nothing", draft.out);
    draft.line = ignore->line;
    if (fclose(draft.out) == 0)
        add_item(run, &draft, run->policy->path);
    free(draft.text);
}

static bool is_operator(const struct fsd_state *s, const char *word)
{
    for (fsd_id i = 0; i < s->nodes.n; i++)
        if (!strcmp(fsd_text(s->names, s->nodes.at[i].op), word))
            return true;
    return false;
}

static bool names_node(const struct fsd_state *s, const char *glob)
{
    for (fsd_id i = 0; i < s->nodes.n; i++)
        if (fsd_policy_matches(glob, fsd_text(s->names, s->nodes.at[i].key)))
            return true;
    return false;
}

/* A misspelt operator would be a rule that never fires. */
static void judge_word(struct fsd_check_run *run, const struct fsd_policy_word *word,
                       bool (*matches)(const struct fsd_state *, const char *),
                       const char *what)
{
    struct fsd_draft draft;

    if (!word->line || matches(run->c->new, word->text) ||
        matches(run->c->old, word->text) || !fsd_draft_open(&draft))
        return;
    fprintf(draft.out, "int8-required: '%s' is the name of no %s of the model",
            word->text, what);
    draft.line = word->line;
    if (fclose(draft.out) == 0)
        add_item(run, &draft, run->policy->path);
    free(draft.text);
}

static void judge_policy(struct fsd_check_run *run)
{
    const struct fsd_policy *p = run->policy;

    if (run->policy->rules[FSD_GATE_POLICY].level < 0)
        return;
    run->rule = FSD_GATE_POLICY;
    for (uint32_t i = 0; i < p->operators.n; i++)
        judge_word(run, &p->operators.at[i], is_operator, "operator");
    for (uint32_t i = 0; i < p->except.n; i++)
        judge_word(run, &p->except.at[i], names_node, "node");
    for (uint32_t i = 0; i < run->policy->ignores.n; i++)
        judge_ignore(run, &run->policy->ignores.at[i]);
}

/* ------------------------------------------------------------------------- rows */

static void add_row(struct fsd_list *list, const char *what, const char *before,
                    const char *now)
{
    fsd_vec_push(list->arena, &list->rows, (struct fsd_list_row){what, before, now});
}

static void add_counts(struct fsd_list *list, const char *what, uint32_t before,
                       uint32_t now)
{
    add_row(list, what, fsd_list_text(list, "%u", before),
            fsd_list_text(list, "%u", now));
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

static const char *ms_text(struct fsd_list *list, double ms)
{
    return ms >= 0 ? fsd_list_text(list, "%.4f ms", ms) : "not known";
}

static void add_rows(struct fsd_check_run *run)
{
    const struct fsd_state *old = run->c->old, *new = run->c->new;
    struct counted before = count(old), now = count(new);
    const uint32_t *happened = run->c->by_happened;
    struct fsd_list *list = run->list;

    add_counts(list, "layers", old->layers, new->layers);
    add_counts(list, "fusion groups", old->groups.n, new->groups.n);
    add_counts(list, "inserted layers", before.inserted, now.inserted);
    add_counts(list, "of these reformats", before.reformats, now.reformats);
    add_counts(list, "standing Q and DQ", before.quantizers, now.quantizers);
    add_counts(list, "unexplained nodes", before.unexplained, now.unexplained);
    add_row(list, "mapped layers",
            fsd_list_text(list, "%u of %u", old->mapped, old->computing),
            fsd_list_text(list, "%u of %u", new->mapped, new->computing));
    add_row(list, "fusions lost, gained", "",
            fsd_list_text(list, "%u, %u", happened[FSD_HAPPENED_LOST],
                          happened[FSD_HAPPENED_GAINED]));
    add_row(list, "nodes widened, narrowed", "",
            fsd_list_text(list, "%u, %u", run->c->by_width[FSD_WIDTH_WIDENED],
                          run->c->by_width[FSD_WIDTH_NARROWED]));
    add_row(list, "time", ms_text(list, old->total.median),
            ms_text(list, new->total.median));
}

/* ------------------------------------------------------------------------ check */

static void count_added(struct fsd_check_run *run)
{
    run->added =
        FSD_NEW(run->scratch, uint32_t, (size_t)run->c->regions.n * FSD__KIND_COUNT);
    for (uint32_t i = 0; i < run->c->moves.n; i++) {
        const struct fsd_move_change *m = &run->c->moves.at[i];

        if (m->what == FSD_MOVE_ADDED && m->region != FSD_NONE)
            run->added[m->region * FSD__KIND_COUNT +
                       run->c->new->moves.at[m->new].kind]++;
    }
}

struct fsd_list *fsd_check_list(const struct fsd_compare *c, struct fsd_policy *policy,
                                const struct fsd_snapshot_lines *lines,
                                const struct fsd_check_options *options)
{
    struct fsd_check_run run = {.c = c,
                                .policy = policy,
                                .lines = lines,
                                .today = options->today,
                                .list = fsd_list_new(),
                                .scratch = fsd_arena_new()};

    run.list->title = "check";
    run.list->judges = true;
    run.list->accepts = options->accept;
    run.list->fails_at = FSD_ERROR;
    run.list->model = c->new->model_path;
    run.list->engine = c->new->engine_path;
    run.list->snapshot = c->old->model_path;
    count_added(&run);
    add_rows(&run);
    for (int rule = 0; rule < FSD__GATE_COUNT; rule++)
        apply(&run, (enum fsd_gate_rule)rule);
    judge_policy(&run);
    fsd_list_finish(run.list);
    fsd_arena_free(run.scratch);
    return run.list;
}
