/*
 * The frame of finding: each rule of the table is asked, ignores take away, budgets
 * decide, and every finding gets its fingerprint.
 */
#include "base/id.h"
#include "findings/finder.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { LISTED = 5 };

/* ------------------------------------------------------------------- one finding */

void fsd_finding_open(struct fsd_finder *f)
{
    f->now = (struct fsd_finding){.rule = f->found->rules.n - 1};
    if (f->c)
        f->now.file = f->c->old->model_path;
    else
        f->now.file = f->d->model->path && *f->d->model->path ? f->d->model->path
                                                              : f->d->engine->path;
    f->now.facts.at = f->found->facts.n;
    f->count = 1;
    f->ms = 0;
    f->untimed = false;
    f->out = fsd_print_open(&f->print);
}

static void add_subject(struct fsd_finder *f, struct fsd_span *span, fsd_id id,
                        const char *name)
{
    if (!span->n)
        span->at = f->found->subjects.n;
    fsd_vec_push(f->found->arena, &f->found->subjects, ((struct fsd_about){id, name}));
    span->n++;
}

void fsd_about_layer(struct fsd_finder *f, fsd_id layer)
{
    add_subject(f, &f->now.layers, layer,
                fsd_text(f->d->names, f->d->engine->nodes.at[layer].name));
}

const char *fsd_called(const struct fsd_finder *f, fsd_id node)
{
    const struct fsd_node *n = &f->d->model->nodes.at[node];

    return n->name ? fsd_text(f->d->names, n->name)
                   : fsd_printed(f->found->arena, "#%u (%s)", node,
                                 fsd_text(f->d->names, n->op));
}

void fsd_about_node(struct fsd_finder *f, fsd_id node)
{
    add_subject(f, &f->now.nodes, node, fsd_called(f, node));
}

void fsd_about_tensor(struct fsd_finder *f, fsd_id tensor)
{
    add_subject(f, &f->now.tensors, tensor,
                fsd_text(f->d->names, f->d->engine->tensors.at[tensor].name));
}

void fsd_about_state_node(struct fsd_finder *f, const struct fsd_state *s, fsd_id node)
{
    add_subject(f, &f->now.nodes, node, fsd_text(s->names, s->nodes.at[node].key));
}

void fsd_about_computed(struct fsd_finder *f, fsd_id layer)
{
    const struct fsd_match *m = f->d->match;

    for (uint32_t i = 0; i < m->of_layer[layer].n; i++) {
        fsd_id node = fsd_match_of_layer(m, layer, i)->node;

        if (f->d->nodes[node].fate == FSD_FATE_LAYER)
            fsd_about_node(f, node);
    }
}

void fsd_fact_number(struct fsd_finder *f, const char *key, uint64_t number)
{
    fsd_vec_push(f->found->arena, &f->found->facts,
                 ((struct fsd_fact){key, number, NULL}));
    f->now.facts.n++;
}

void fsd_fact_text(struct fsd_finder *f, const char *key, const char *text)
{
    fsd_vec_push(f->found->arena, &f->found->facts, ((struct fsd_fact){key, 0, text}));
    f->now.facts.n++;
}

void fsd_put_subjects(struct fsd_finder *f, struct fsd_span subjects)
{
    for (uint32_t i = 0; i < subjects.n && i < LISTED; i++)
        fprintf(f->out, "%s%s", i ? ", " : "",
                f->found->subjects.at[subjects.at + i].name);
    if (subjects.n > LISTED)
        fprintf(f->out, " and %u more", subjects.n - LISTED);
}

void fsd_put_took(struct fsd_finder *f, double ms)
{
    if (ms >= 0)
        fprintf(f->out, ", %.4f ms", ms);
}

/* ----------------------------------------------------------------------- ignores */

static bool concerns(const struct fsd_finder *f, const struct fsd_policy_ignore *ignore)
{
    if (!strcmp(ignore->node, "*"))
        return true;
    for (uint32_t i = 0; i < f->now.nodes.n; i++)
        if (fsd_policy_matches(ignore->node,
                               f->found->subjects.at[f->now.nodes.at + i].name))
            return true;
    return false;
}

/* What is wrong with the policy is not for the policy to ignore. */
static bool is_ignored(struct fsd_finder *f)
{
    const struct fsd_policy *p = f->policy;

    for (uint32_t i = 0; p && f->now.file != p->path && i < p->ignores.n; i++) {
        const struct fsd_policy_ignore *ignore = &p->ignores.at[i];

        if (strcmp(ignore->rule, f->rule->id) != 0 || !concerns(f, ignore))
            continue;
        f->used[i]++;
        if (!ignore->expires || f->today <= ignore->expires)
            return true;
    }
    return false;
}

void fsd_finding_close(struct fsd_finder *f)
{
    struct fsd_findings *found = f->found;

    f->now.message = fsd_print_take(&f->print, found->arena);
    if (is_ignored(f)) {
        found->rules.at[f->now.rule].ignored++;
        return;
    }
    f->now.severity = (enum fsd_severity)found->rules.at[f->now.rule].level;
    fsd_vec_push(found->arena, &found->list, f->now);
    f->sum_count += f->count;
    f->sum_ms += f->ms > 0 ? f->ms : 0; /* no credit for what is faster */
    f->any_untimed |= f->untimed;
}

/* ----------------------------------------------------------------------- budgets */

static double share(const struct fsd_finder *f)
{
    return f->base > 0 ? f->sum_ms / f->base : 0;
}

/* A budget of time that cannot be measured is not kept. */
static bool is_over(const struct fsd_finder *f, const struct fsd_budget *most)
{
    return (most->count >= 0 && f->sum_count > most->count) ||
           (most->ms >= 0 && (f->any_untimed || f->sum_ms > most->ms)) ||
           (most->share >= 0 && (f->any_untimed || share(f) > most->share));
}

/* "3, 0.1100 ms, 5.20%": of what there is a budget for. */
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

static void settle(struct fsd_finder *f, const struct fsd_budget *most, uint32_t first)
{
    struct fsd_outcome *outcome = &f->found->rules.at[f->found->rules.n - 1];
    struct fsd_budget took = {f->sum_count, f->sum_ms, share(f)};

    outcome->measured = f->any_untimed && (most->ms >= 0 || most->share >= 0)
                            ? "times not known"
                            : amounts(f->found->arena, most, took);
    outcome->budget = amounts(f->found->arena, most, *most);
    if (is_over(f, most))
        return;
    for (uint32_t i = first; i < f->found->list.n; i++)
        f->found->list.at[i].severity = FSD_INFO;
}

/* ------------------------------------------------------------------ fingerprints */

/* A message without its numbers, which change from run to run. */
static uint64_t hash_words(const char *message, uint64_t hash)
{
    while (*message) {
        size_t n = strcspn(message, "0123456789");

        hash = XXH64(message, n, hash);
        message += n;
        message += strspn(message, "0123456789");
    }
    return hash;
}

/* What a finding is about stays when its numbers and layer names change. */
static uint64_t hash_finding(const struct fsd_findings *found,
                             const struct fsd_finding *finding)
{
    const char *rule = found->rules.at[finding->rule].rule->id;
    uint64_t hash = XXH64(rule, strlen(rule), 0);

    for (uint32_t i = 0; i < finding->nodes.n; i++) {
        const char *name = found->subjects.at[finding->nodes.at + i].name;

        hash = XXH64(name, strlen(name) + 1, hash);
    }
    return finding->nodes.n ? hash : hash_words(finding->message, hash);
}

struct keyed {
    uint64_t hash;
    uint32_t finding;
};

static int by_hash(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;

    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return fsd_order(x->finding, y->finding);
}

/* Findings about the same get numbers. */
static void set_fingerprints(struct fsd_findings *found, struct fsd_arena *scratch)
{
    uint32_t n = found->list.n;
    struct keyed *keys = FSD_NEW(scratch, struct keyed, n);

    for (uint32_t i = 0; i < n; i++)
        keys[i] = (struct keyed){hash_finding(found, &found->list.at[i]), i};
    if (n)
        qsort(keys, n, sizeof *keys, by_hash);
    for (uint32_t i = 0, same = 0; i < n; i++) {
        same = i && keys[i].hash == keys[i - 1].hash ? same + 1 : 0;
        found->list.at[keys[i].finding].fingerprint =
            same ? XXH64(&same, sizeof same, keys[i].hash) : keys[i].hash;
    }
}

/* -------------------------------------------------------------------- all rules */

static void ask(struct fsd_finder *f, uint32_t number, unsigned there)
{
    struct fsd_policy_rule set = {f->rule->level, f->rule->budget, false};
    uint32_t first = f->found->list.n;

    if (f->policy)
        set = f->policy->rules[number];
    fsd_vec_push(f->found->arena, &f->found->rules,
                 ((struct fsd_outcome){.rule = f->rule, .level = set.level}));
    if (set.level == FSD_OFF || (f->rule->needs & ~there))
        return;
    f->sum_count = f->sum_ms = 0;
    f->any_untimed = false;
    f->base = f->c && f->c->new->total.median > 0 ? f->c->new->total.median : 0;
    f->rule->find(f);
    if (f->rule->settable)
        settle(f, &set.budget, first);
}

/* Asks all rules of the subject: what is found depends on what is there, which rules
 * are told of does not. */
static void ask_all(struct fsd_finder *f, unsigned subject, unsigned there)
{
    struct fsd_findings *found = f->found;

    f->scratch = fsd_arena_new();
    f->used = FSD_NEW(f->scratch, uint32_t, f->policy ? f->policy->ignores.n : 0);
    for (uint32_t i = 0; (f->rule = fsd_rule_at(i)); i++)
        if (f->rule->needs & subject)
            ask(f, i, there);
    for (uint32_t i = 0; i < found->list.n; i++) {
        found->rules.at[found->list.at[i].rule].found++;
        found->by_severity[found->list.at[i].severity]++;
    }
    for (uint32_t i = 0; i < found->rules.n; i++)
        found->ignored += found->rules.at[i].ignored;
    set_fingerprints(found, f->scratch);
    fsd_arena_free(f->scratch);
}

const struct fsd_findings *fsd_find(const struct fsd_diff *d)
{
    struct fsd_finder f = {.d = d, .found = FSD_NEW(d->arena, struct fsd_findings, 1)};

    f.found->arena = d->arena;
    ask_all(&f, FSD_NEEDS_RUN, FSD_NEEDS_RUN | (d->history ? FSD_NEEDS_LOG : 0));
    return f.found;
}

const struct fsd_findings *fsd_find_changes(struct fsd_arena *arena,
                                            const struct fsd_compare *c,
                                            const struct fsd_snapshot_lines *lines,
                                            const struct fsd_policy *policy,
                                            unsigned today)
{
    struct fsd_finder f = {.c = c,
                           .lines = lines,
                           .policy = policy,
                           .today = today,
                           .found = FSD_NEW(arena, struct fsd_findings, 1)};

    f.found->arena = arena;
    ask_all(&f, FSD_NEEDS_CHANGE, FSD_NEEDS_CHANGE);
    return f.found;
}
