/*
 * Evaluates each rule of the table, applies ignores and budgets, and gives every
 * finding its fingerprint.
 */
#include "base/base.h"
#include "judge/findings/cite.h"
#include "judge/findings/finder.h"
#include "judge/lint/lint.h"
#include "model/graph/graph.h"

#include <xxhash.h>

/* Prints the members of `n` that `most` limits, such as "3, 0.1100 ms, 5.20%". NULL if
 * `most` limits nothing. */
static const char *amounts(struct fsd_arena *arena, const struct fsd_budget *most,
                           struct fsd_budget n)
{
    const char *text = "";

    if (most->count >= 0)
        text = fsd_printed(arena, "%.0f", n.count);
    if (most->ms >= 0)
        text = fsd_printed(arena, "%s%s%.4f ms", text, *text ? ", " : "", n.ms);
    if (most->share >= 0)
        text = fsd_printed(arena, "%s%s%.2f%%", text, *text ? ", " : "", 100 * n.share);
    return *text ? text : NULL;
}

/* If the rule's findings are within the rule's budget, sets their severity to FSD_INFO.
 * `first` is the index of the first of these findings. If a budget limits time, and the
 * time is unknown, the budget counts as exceeded. */
static void settle(struct fsd_finder *f, const struct fsd_budget *most, uint32_t first)
{
    struct fsd_outcome *outcome = &f->found->rules.at[f->found->rules.n - 1];
    struct fsd_budget took = {f->sum_count, f->sum_ms,
                              f->base > 0 ? f->sum_ms / f->base : 0};
    bool blind = f->any_untimed && (most->ms >= 0 || most->share >= 0);

    outcome->measured = blind ? "unknown times" : amounts(f->found->arena, most, took);
    outcome->budget = amounts(f->found->arena, most, *most);
    if (blind || (most->count >= 0 && took.count > most->count) ||
        (most->ms >= 0 && took.ms > most->ms) ||
        (most->share >= 0 && took.share > most->share))
        return;
    for (uint32_t i = first; i < f->found->list.n; i++)
        f->found->list.at[i].severity = FSD_INFO;
}

/* ------------------------------------------------------------------ fingerprints */

/* A hash for the fingerprint, by which a dashboard recognizes a finding from run to
 * run. The hash must be the same for all builds of a network. It therefore covers the
 * rule and the names of the model's nodes, but no times, layer numbers or layer names.
 * If the finding has no nodes, the hash covers its message without the numbers. Reasons
 * begin at the first ";" and are left out, too. */
static uint64_t hash_finding(const struct fsd_findings *found,
                             const struct fsd_finding *finding)
{
    static const char digits[] = "0123456789";
    const char *rule = found->rules.at[finding->rule].rule->id, *at = finding->message;
    uint64_t hash = XXH64(rule, strlen(rule), 0);

    for (uint32_t i = 0; i < finding->nodes.n; i++) {
        const char *name = found->subjects.at[finding->nodes.at + i].name;

        hash = XXH64(name, strlen(name) + 1, hash);
    }
    while (*at && *at != ';' && !finding->nodes.n) {
        size_t n = strcspn(at, "0123456789;");

        hash = XXH64(at, n, hash);
        at += n + strspn(at + n, digits);
    }
    return hash;
}

struct keyed {
    uint64_t hash;
    uint32_t finding;
};

FSD_ORDERED(by_hash, struct keyed, fsd_order(x->hash, y->hash),
            fsd_order(x->finding, y->finding))

/* Sets all fingerprints. Findings with equal hashes are numbered in the order in which
 * they were found. For this order, by_hash() also compares `finding`, because qsort()
 * is not stable. */
static void set_fingerprints(struct fsd_findings *found, struct fsd_arena *scratch)
{
    uint32_t n = found->list.n;
    struct keyed *keys = FSD_NEW(scratch, struct keyed, n);

    for (uint32_t i = 0; i < n; i++)
        keys[i] = (struct keyed){hash_finding(found, &found->list.at[i]), i};
    fsd_sort(keys, n, sizeof *keys, by_hash);
    for (uint32_t i = 0, same = 0; i < n; i++) {
        same = i && keys[i].hash == keys[i - 1].hash ? same + 1 : 0;
        found->list.at[keys[i].finding].fingerprint =
            same ? XXH64(&same, sizeof same, keys[i].hash) : keys[i].hash;
    }
}

/* -------------------------------------------------------------------- all rules */

static struct fsd_findings *new_findings(struct fsd_arena *arena)
{
    struct fsd_findings *found = FSD_NEW(arena, struct fsd_findings, 1);

    found->arena = arena;
    return found;
}

/* Removes the findings with the index `first` and above, and adds their number to
 * f->reread. */
static void take_back(struct fsd_finder *f, uint32_t first)
{
    f->reread += f->found->list.n - first;
    f->found->list.n = first;
    f->found->rules.at[f->found->rules.n - 1].off = 0;
    f->found->rules.at[f->found->rules.n - 1].ignored = 0;
    f->sum_count = f->sum_ms = 0;
    f->any_untimed = false;
}

/* Whether to evaluate the rule on the subject. Rules with `about_inputs` are also
 * evaluated in lint and in checks, if there is a run. They may show that the engine was
 * not built from the model, so that all other findings are wrong. */
static bool is_asked(const struct fsd_rule *rule, unsigned subject, unsigned there)
{
    return rule->needs & subject || (subject & (FSD_NEEDS_LINT | FSD_NEEDS_CASE) &&
                                     there & FSD_NEEDS_RUN && rule->about_inputs);
}

/* Whether an engine may confirm a warning of the rule. An engine cannot confirm that a
 * builder refuses the model, because the existence of the engine proves the
 * contrary. */
static bool is_confirmable(const struct fsd_rule *rule)
{
    return rule->level >= FSD_WARNING && rule->proves != FSD_PROVES_NOTHING &&
           rule->proves != FSD_PROVES_BUILT;
}

/* Evaluates the rules on a subject. Leaves out rules that need anything that is not in
 * `there`.
 * @param subject bits FSD_NEEDS_*: what the findings are about
 * @param there bits FSD_NEEDS_*: everything that the caller has */
static const struct fsd_findings *ask_all(struct fsd_finder *f, unsigned subject,
                                          unsigned there)
{
    struct fsd_findings *found = f->found;
    struct fsd_arena *arena = found->arena;

    f->scratch = fsd_arena_new();
    f->used = FSD_NEW(f->scratch, uint32_t, f->policy ? f->policy->ignores.n : 0);
    f->took = FSD_NEW(f->scratch, uint32_t, f->policy ? f->policy->ignores.n : 0);
    for (uint32_t i = 0; (f->rule = fsd_rule_at(i)); i++) {
        struct fsd_policy_rule set = {f->rule->level, f->rule->budget, false, false};
        uint32_t first = found->list.n;

        if (!is_asked(f->rule, subject, there) ||
            (f->confirmable && !is_confirmable(f->rule)))
            continue;
        if (f->policy)
            set = f->policy->rules[i];
        fsd_vec_push(arena, &found->rules,
                     ((struct fsd_outcome){.rule = f->rule, .level = set.level}));
        /* If the policy turns a rule off, the rule's findings are only counted. A rule
         * that is off by default is not evaluated unless the policy turns it on. */
        f->off = set.level == FSD_OFF;
        if ((f->off && f->rule->level == FSD_OFF) || (f->rule->needs & ~there))
            continue;
        if (f->lint && f->rule->builders &&
            !(f->rule->builders & f->lint->target.family)) {
            found->rules.at[found->rules.n - 1].skipped = fsd_printed(
                arena, "holds for %s", fsd_families_text(arena, f->rule->builders));
            continue;
        }
        f->sum_count = f->sum_ms = 0;
        f->any_untimed = false;
        f->asked = set.asked;
        f->skipped = NULL;
        f->base = f->build && f->build->total.median > 0 ? f->build->total.median : 0;
        f->rule->find(f);
        if ((f->rule->needs & FSD_NEEDS_CHANGE) && !f->rule->of_same && f->c &&
            f->c->reread)
            take_back(f, first);
        if (f->off)
            continue;
        found->rules.at[found->rules.n - 1].skipped = f->skipped;
        if (f->rule->settable)
            settle(f, &set.budget, first);
    }
    for (uint32_t i = 0; i < found->list.n; i++) {
        found->rules.at[found->list.at[i].rule].found++;
        found->by_severity[found->list.at[i].severity]++;
    }
    for (uint32_t i = 0; i < found->rules.n; i++) {
        found->ignored += found->rules.at[i].ignored;
        found->off += found->rules.at[i].off;
    }
    for (uint32_t i = 0; f->policy && i < f->policy->ignores.n; i++)
        if (f->took[i])
            fsd_vec_push(arena, &found->ignores,
                         ((struct fsd_ignored){&f->policy->ignores.at[i], f->took[i]}));
    set_fingerprints(found, f->scratch);
    fsd_arena_free(f->scratch);
    return found;
}

void fsd_find(const struct fsd_findings **out, const struct fsd_diff *d, bool cites)
{
    struct fsd_finder f = {.d = d, .found = new_findings(d->arena)};
    /* Without an engine, rules on a run are not evaluated. */
    bool built = *d->engine->path != '\0';

    *out = f.found;
    ask_all(&f, FSD_NEEDS_RUN,
            (built ? FSD_NEEDS_RUN : 0) | (d->history ? FSD_NEEDS_LOG : 0));
    if (cites)
        fsd_cite_in_run(f.found, d);
}

static const struct fsd_findings *ask_lint_rules(struct fsd_finder *f)
{
    const struct fsd_diff *d = f->d;

    return ask_all(f, FSD_NEEDS_LINT,
                   FSD_NEEDS_LINT |
                       (d->engine->nodes.n ? FSD_NEEDS_ENGINE | FSD_NEEDS_RUN : 0) |
                       (d->history ? FSD_NEEDS_LOG : 0));
}

const struct fsd_findings *fsd_find_lint(const struct fsd_diff *d,
                                         const struct fsd_lint *lint,
                                         const struct fsd_policy *policy,
                                         unsigned today)
{
    struct fsd_finder f = {.d = d,
                           .found = new_findings(d->arena),
                           .lint = lint,
                           .policy = policy,
                           .today = today};

    return ask_lint_rules(&f);
}

const struct fsd_findings *fsd_find_lint_confirmable(const struct fsd_diff *d,
                                                     const struct fsd_lint *lint)
{
    struct fsd_finder f = {
        .d = d, .found = new_findings(d->arena), .lint = lint, .confirmable = true};

    return ask_lint_rules(&f);
}

/* Sorts findings by severity, then by milliseconds, then by the order in which rules
 * found them. */
FSD_ORDERED(worst_first, struct fsd_finding, fsd_order(y->severity, x->severity),
            fsd_falling(x->ms, y->ms), fsd_order(x->rule, y->rule),
            fsd_order(x->nth, y->nth))

static void sort_findings(struct fsd_findings *found)
{
    for (uint32_t i = 0; i < found->list.n; i++)
        found->list.at[i].nth = i;
    fsd_vec_sort(&found->list, worst_first);
}

const struct fsd_findings *fsd_find_case(struct fsd_arena *arena,
                                         const struct fsd_case *before_gate)
{
    struct fsd_finder f = {.d = before_gate->run,
                           .found = new_findings(arena),
                           .lint = before_gate->lint,
                           .build = before_gate->build,
                           .c = before_gate->c,
                           .policy = before_gate->policy,
                           .today = before_gate->today};
    unsigned subject =
        FSD_NEEDS_CASE | (f.c ? FSD_NEEDS_CHANGE : 0) | (f.lint ? FSD_NEEDS_LINT : 0);
    unsigned there = subject | FSD_NEEDS_ENGINE;

    if (f.d && !before_gate->compared)
        there |= FSD_NEEDS_RUN | (f.d->history ? FSD_NEEDS_LOG : 0);
    ask_all(&f, subject, there);
    sort_findings(f.found);
    fsd_cite_in_case(f.found, before_gate);
    return f.found;
}

const struct fsd_findings *fsd_find_exports(struct fsd_arena *arena,
                                            const struct fsd_compare *c)
{
    struct fsd_finder f = {.found = new_findings(arena), .c = c};

    return ask_all(&f, FSD_NEEDS_EXPORTS, FSD_NEEDS_EXPORTS);
}
