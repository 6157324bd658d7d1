/*
 * Groups the findings of a check by root cause. One change of the model, such as the
 * removal of the Q/DQ pairs from all residual branches, causes dozens of findings.
 * Causes are nodes that only one model has, changed nodes, and a different builder.
 * Findings at or next to the nodes of a cause belong to it.
 *
 *     old   Conv_34 -> Add_42 <- DQ_41 <- Q_38 <- Relu_24
 *     new   Conv_34 -> Add_36 <----------------- Relu_24
 *     gone Q_38, DQ_41;  seeds Add_36 (consumer), Relu_24 (producer)
 *     near the seeds, their groups, the groups before and after these groups
 *
 * A finding near a change may have another reason, so reports say "at or next to". The
 * milliseconds of a cause are the milliseconds of the regions of its nodes. Each region
 * counts for one cause, so that the causes add up to no more than the whole. Findings
 * near no change are attributed to the builder if it differs, else to no known cause.
 */
#include "base/base.h"
#include "judge/gate/gate.h"
#include "judge/lint/lint.h"
#include "model/graph/graph.h"

enum kind { PAIRS_GONE, PAIRS_NEW, NODES_GONE, NODES_NEW, NODES_OTHER, BUILDER, KINDS };
enum { NAMED = 3 }; /* maximum number of nodes that a sentence names */

struct finder {
    struct fsd_verdict *v;
    const struct fsd_case *gate;
    const struct fsd_compare *c;
    struct fsd_arena *scratch;
    uint32_t count[KINDS]; /* indexed by kind: number of changed nodes; a Q/DQ pair
                              counts once */
    uint8_t *seed, *near;  /* indexed by node of the new build: a bit for each kind.
                              `seed`: the node's group has a seed of this kind. `near`:
                              the node's group or a neighboring group has a seed of this
                              kind */
    FSD_VEC(fsd_id)
    seeds[KINDS];        /* indexed by kind: nodes of the new build that sentences may
                            name: changed nodes, and consumers of nodes that only one
                            model has */
    fsd_id first[KINDS]; /* indexed by kind: the first changed node; FSD_NONE:
                                     none */
    bool elided[2];      /* elided[0]: the old build has a region that does not list its
                       nodes, so a node that seems new may be in this region.
                       elided[1]: the new build has such a region, so a node that seems
                       gone may be in it */
    bool linted;
    const struct fsd_findings *lint; /* lint's findings in the new model, made on
                                        demand; NULL: none */
};

static bool is_only(const struct finder *f, bool old, fsd_id node)
{
    return (old ? f->c->align->to_new : f->c->align->to_old)[node] == FSD_NONE;
}

/* The kind of change of a node that only one model has; KINDS: none. A weight or a view
 * has no kind, because it costs nothing. If f->elided[old] is set, no node has a kind,
 * because the other build may have the node, too. */
static enum kind kind_of(const struct finder *f, const struct fsd_state_node *n,
                         bool old)
{
    if (f->elided[old])
        return KINDS;
    if (n->role == FSD_ROLE_SIDE || n->role == FSD_ROLE_VIEW)
        return KINDS;
    if (n->role == FSD_ROLE_QUANTIZER)
        return old ? PAIRS_GONE : PAIRS_NEW;
    return old ? NODES_GONE : NODES_NEW;
}

static void add_seed(struct finder *f, enum kind kind, bool old, fsd_id node,
                     bool reads)
{
    fsd_id now = old ? f->c->align->to_new[node] : node;

    if (reads && !(f->seed[now] >> kind & 1))
        fsd_vec_push(f->scratch, &f->seeds[kind], now);
    f->seed[now] |= (uint8_t)(1u << kind);
}

/* Marks the neighbors of nodes that only one model has: their producers and consumers.
 * The consumer of a chain of such nodes is the first node after the chain. Nodes are in
 * topological order. */
static void find_seeds(struct finder *f, bool old)
{
    const struct fsd_state *s = old ? f->c->old : f->c->new;
    uint8_t *through = FSD_NEW(f->scratch, uint8_t, s->nodes.n);

    for (fsd_id i = 0; i < s->nodes.n; i++) {
        const struct fsd_state_node *n = &s->nodes.at[i];
        enum kind kind = is_only(f, old, i) ? kind_of(f, n, old) : KINDS;
        uint8_t read = 0;

        for (uint32_t k = 0; k < n->in.n; k++) {
            fsd_id at = fsd_origin_node(s->sources.at[n->in.at + k].at);

            if (at == FSD_NONE || at >= s->nodes.n)
                continue;
            read |= through[at];
            if (kind < KINDS && !is_only(f, old, at))
                add_seed(f, kind, old, at, false);
        }
        if (!is_only(f, old, i)) {
            for (int bit = 0; bit < KINDS; bit++)
                if (read >> bit & 1)
                    add_seed(f, (enum kind)bit, old, i, true);
            continue;
        }
        through[i] = read;
        if (kind == KINDS)
            continue;
        through[i] |= (uint8_t)(1u << kind);
        f->first[kind] = fsd_id_or(f->first[kind], i);
        f->count[kind] +=
            (kind != PAIRS_GONE && kind != PAIRS_NEW) || fsd_state_heads_pair(s, i);
    }
}

/* Marks changed nodes that both models have. Such a node counts as its own neighbor. */
static void find_edited(struct finder *f)
{
    fsd_id last = FSD_NONE;

    for (uint32_t i = 0; i < f->c->edits.n; i++) {
        fsd_id node = f->c->edits.at[i].new;

        if (node == last)
            continue;
        add_seed(f, NODES_OTHER, false, node, true);
        f->first[NODES_OTHER] = fsd_id_or(f->first[NODES_OTHER], node);
        f->count[NODES_OTHER]++;
        last = node;
    }
}

static void spread_in_groups(const struct finder *f, uint8_t *bits)
{
    const struct fsd_state *s = f->c->new;
    uint8_t *of = FSD_NEW(f->scratch, uint8_t, s->groups.n);

    for (fsd_id i = 0; i < s->nodes.n; i++)
        if (s->nodes.at[i].group != FSD_NONE)
            of[s->nodes.at[i].group] |= bits[i];
    for (fsd_id i = 0; i < s->nodes.n; i++)
        if (s->nodes.at[i].group != FSD_NONE)
            bits[i] |= of[s->nodes.at[i].group];
}

/* Finds the nodes near the seeds: all nodes of the seeds' groups, and of the groups
 * before and after these groups. */
static void find_near(struct finder *f)
{
    const struct fsd_state *s = f->c->new;

    spread_in_groups(f, f->seed);
    memcpy(f->near, f->seed, s->nodes.n);
    for (fsd_id i = 0; i < s->nodes.n; i++) {
        const struct fsd_state_node *n = &s->nodes.at[i];
        const struct fsd_span in[] = {n->in, n->core_in};

        for (int side = 0; side < 2; side++)
            for (uint32_t k = 0; k < in[side].n; k++) {
                fsd_id at = fsd_origin_node(s->sources.at[in[side].at + k].at);

                if (at == FSD_NONE || at >= s->nodes.n)
                    continue;
                f->near[i] |= f->seed[at];
                f->near[at] |= f->seed[i];
            }
    }
    spread_in_groups(f, f->near);
}

/* ------------------------------------------------------------------- the sentences */

static void put_seeds(const struct finder *f, enum kind kind, FILE *out)
{
    const struct fsd_state *s = f->c->new;
    uint32_t n = f->seeds[kind].n;

    for (uint32_t i = 0; i < n && i < NAMED; i++)
        fprintf(out, "%s`%s`", i ? ", " : "",
                fsd_text(s->names, s->nodes.at[f->seeds[kind].at[i]].key));
    if (n > NAMED)
        fprintf(out, " and %u more", n - NAMED);
}

/* Prints the differences between the builds in the aspects `from` to `end` - 1: the
 * texts of the first NAMED differences, and the number of the remaining ones. */
static void put_account(const struct fsd_compare *c, enum fsd_aspect_id from,
                        enum fsd_aspect_id end, FILE *out)
{
    uint32_t n = 0;

    FSD_EACH (const struct fsd_difference, d, c->account.different)
        if (d->aspect >= from && d->aspect < end && n++ < NAMED)
            fprintf(out, "%s%s", n > 1 ? "; " : "", d->what);
    if (n > NAMED)
        fprintf(out, "; and %u more", n - NAMED);
}

/* Prints the names of the aspects in that state: "nodes, build options". Returns their
 * number. */
static unsigned put_aspects(const struct fsd_compare *c, enum fsd_aspect_state state,
                            enum fsd_aspect_id from, FILE *out)
{
    unsigned n = 0;

    for (unsigned id = from; id < FSD__ASPECT_COUNT; id++)
        if (c->account.state[id] == state)
            fprintf(out, "%s%s", n++ ? ", " : "", fsd_aspect_name(id));
    return n;
}

/* The sentence if no known aspect differs between the builds. The sentence lists the
 * equal aspects and the unknown aspects. */
static const char *unexplained(const struct finder *f)
{
    struct fsd_print text;
    FILE *out = fsd_print_open(&text);

    fputs("No known cause. Same in both builds: ", out);
    fputs(put_aspects(f->c, FSD_ASPECT_EQUAL, FSD_ASPECT_NODES, out) ? "" : "nothing",
          out);
    fputs(". Unknown: ", out);
    fputs(put_aspects(f->c, FSD_ASPECT_UNKNOWN, FSD_ASPECT_NODES, out) ? "."
                                                                       : "nothing.",
          out);
    return fsd_print_take(&text, f->v->arena);
}

static const char *what_of(const struct finder *f, enum kind kind)
{
    static const char *const nouns[KINDS] = {"Q/DQ pair", "Q/DQ pair", "node", "node",
                                             "node"};
    struct fsd_print text;
    FILE *out = fsd_print_open(&text);

    if (kind == BUILDER) {
        fputs("The builds differ: ", out);
        put_account(f->c, FSD_ASPECT_PORTS, FSD__ASPECT_COUNT, out);
    } else if (kind == NODES_OTHER) {
        fputs("The model changed: ", out);
        put_account(f->c, FSD_ASPECT_NODES, FSD_ASPECT_PORTS, out);
    } else {
        bool gone = kind == PAIRS_GONE || kind == NODES_GONE;

        fsd_put_noun(out, f->count[kind], nouns[kind]);
        fprintf(out, " %s %s", f->count[kind] == 1 ? "was" : "were",
                gone ? "removed from the model" : "added to the model");
        if (kind == NODES_GONE || kind == NODES_NEW) {
            const struct fsd_state *s = gone ? f->c->old : f->c->new;

            fprintf(out, " (`%s`", fsd_text(s->names, s->nodes.at[f->first[kind]].key));
            if (f->count[kind] > 1)
                fprintf(out, " and %u more", f->count[kind] - 1);
            putc(')', out);
        }
        if (f->seeds[kind].n) {
            fputs(" before ", out);
            put_seeds(f, kind, out);
        }
    }
    putc('.', out);
    return fsd_print_take(&text, f->v->arena);
}

/* Lint's findings in the new model, for the builder that made the new engine. Returns
 * NULL if there is no model, or if this builder is unknown. Lint runs once, for all
 * causes. */
static const struct fsd_findings *lint_of(struct finder *f)
{
    const struct fsd_diff *d = f->gate->run;
    const struct fsd_lint *lint = f->gate->lint;
    struct fsd_target target;

    if (f->linted)
        return f->lint;
    f->linted = true;
    if (!d || d->model == d->engine)
        return NULL;
    if (!lint && fsd_target_read(&target, fsd_target_of(d->engine), f->scratch))
        lint = fsd_lint_new(f->v->arena, d->facts, d->cost->sizes, target);
    if (lint)
        f->lint = fsd_find_lint(d, lint, NULL, f->gate->today);
    return f->lint;
}

/* The advice of the lint rule that has the most findings at a cause's nodes; NULL if
 * there are no findings. */
static const char *advice_of(struct finder *f, enum kind kind)
{
    const struct fsd_diff *d = f->gate->run;
    const struct fsd_state *s = f->c->new;
    const struct fsd_findings *all;
    uint32_t *hits, best = FSD_NONE;
    const char *fix, *where;
    bool *is_seed;

    if (!s->number_of || !f->seeds[kind].n)
        return NULL;
    all = lint_of(f);
    if (!all)
        return NULL;
    hits = FSD_NEW(f->scratch, uint32_t, all->rules.n);
    is_seed = FSD_NEW(f->scratch, bool, d->model->nodes.n);
    for (uint32_t i = 0; i < f->seeds[kind].n; i++)
        is_seed[s->number_of[f->seeds[kind].at[i]]] = true;
    FSD_EACH (const struct fsd_finding, item, all->list) {
        bool here = false;

        FSD_EACH_OF (node, all->subjects, item->nodes, id)
            here |= node < d->model->nodes.n && is_seed[node];
        hits[item->rule] += here && item->severity >= FSD_WARNING;
        if (hits[item->rule] > (best == FSD_NONE ? 0 : hits[best]))
            best = item->rule;
    }
    if (best == FSD_NONE)
        return NULL;
    fix = all->rules.at[best].rule->fix;
    where = hits[best] == 1 && f->seeds[kind].n == 1
                ? "this node"
                : fsd_printed(f->v->arena, "%u of these nodes", hits[best]);
    return fsd_printed(f->v->arena, "%.*s (lint rule %s reports %s).",
                       (int)strcspn(fix, "."), fix, all->rules.at[best].rule->id,
                       where);
}

static const char *usual_todo(enum kind kind)
{
    static const char *const usual[KINDS] = {
        [PAIRS_GONE] = "Export the model with these Q/DQ pairs, or accept the build.",
        [PAIRS_NEW] = "Remove the new Q/DQ pairs, or accept the build.",
        [NODES_GONE] = "If you meant to change the model, accept the build.",
        [NODES_NEW] = "If you meant to change the model, accept the build.",
        [NODES_OTHER] = "If you meant to change the model, accept the build."};

    return usual[kind];
}

/* The advice if the builder differs: "Build with the same build options, GPU as before,
 * or accept the build." */
static const char *todo_of_builder(const struct finder *f)
{
    struct fsd_print text;
    FILE *out = fsd_print_open(&text);

    fputs("Build with the same ", out);
    put_aspects(f->c, FSD_ASPECT_DIFFERENT, FSD_ASPECT_PORTS, out);
    fputs(" as before, or accept the build.", out);
    return fsd_print_take(&text, f->v->arena);
}

/* The advice on Q/DQ pairs that were removed or added. If the layers near the pairs
 * became faster, the advice is to accept the build. If the times are unknown and pairs
 * were added, the advice is to measure both builds. */
static const char *todo_of_pairs(const struct finder *f, enum kind kind,
                                 const struct fsd_root_cause *cause)
{
    if (cause->timed && cause->ms < 0)
        return fsd_printed(f->v->arena,
                           "Accept the build if its outputs are accurate enough: the "
                           "layers at or next to this change are %.4f ms faster.",
                           -cause->ms);
    if (!cause->timed && kind == PAIRS_NEW)
        return "Measure both builds (--profile); remove the new Q/DQ pairs if they "
               "make the build slower, otherwise accept the build.";
    return usual_todo(kind);
}

/* The rule "engine-stale" if it has a finding, else NULL. Such a finding states that
 * the engine was built from a different model. The engine then shows nothing about this
 * model. */
static const struct fsd_rule *find_stale(const struct fsd_findings *all)
{
    for (uint32_t i = 0; i < all->list.n; i++)
        if (!strcmp(all->rules.at[all->list.at[i].rule].rule->id, "engine-stale"))
            return all->rules.at[all->list.at[i].rule].rule;
    return NULL;
}

static const char *todo_of(struct finder *f, enum kind kind,
                           const struct fsd_root_cause *cause)
{
    const struct fsd_rule *stale = find_stale(f->v->findings);
    const char *advice = NULL;

    if (stale)
        return stale->fix;
    if (kind == BUILDER)
        return todo_of_builder(f);
    if (kind != PAIRS_GONE) /* restoring lost pairs is better than any edit that lint
                               proposes */
        advice = advice_of(f, kind);
    if (!advice && (kind == PAIRS_GONE || kind == PAIRS_NEW))
        advice = todo_of_pairs(f, kind, cause);
    return advice ? advice : usual_todo(kind);
}

/* ------------------------------------------------------------------ what they cost */

/* The kind of model change near the region's new groups (f->near of their nodes). If
 * there are several kinds, the first one of enum kind; if there is none, BUILDER. */
static enum kind kind_of_region(const struct finder *f, const struct fsd_region_diff *r)
{
    const struct fsd_state *s = f->c->new;
    uint8_t bits = 0;
    int kind = 0;

    for (uint32_t i = 0; i < r->new_groups.n; i++) {
        struct fsd_span nodes = s->groups.at[f->c->pool.at[r->new_groups.at + i]].nodes;

        for (uint32_t k = 0; k < nodes.n; k++)
            bits |= f->near[s->refs.at[nodes.at + k]];
    }
    while (kind < BUILDER && !(bits >> kind & 1))
        kind++;
    return (enum kind)kind;
}

static void add_costs(const struct finder *f, struct fsd_root_cause causes[KINDS])
{
    const struct fsd_compare *c = f->c;
    const struct fsd_diff *d = f->gate->run;
    enum kind *of = FSD_NEW(f->scratch, enum kind, c->regions.n);
    bool *added = FSD_NEW(f->scratch, bool, c->new->moves.n);

    for (uint32_t i = 0; i < c->regions.n; i++) {
        const struct fsd_region_diff *r = &c->regions.at[i];

        of[i] = kind_of_region(f, r);
        causes[of[i]].timed = c->timed;
        if (c->timed)
            causes[of[i]].ms +=
                (r->after > 0 ? r->after : 0) - (r->before > 0 ? r->before : 0);
    }
    for (uint32_t i = 0; i < c->moves.n; i++)
        if (c->moves.at[i].what == FSD_MOVE_ADDED)
            added[c->moves.at[i].new] = true;
    if (!d || !c->new->of_layer)
        return;
    for (fsd_id i = 0; i < d->engine->nodes.n; i++) {
        uint32_t move = c->new->of_layer[i];
        fsd_id region;

        if (move == FSD_NONE || !(move & FSD_LAYER_MOVES) ||
            !added[move &= ~FSD_LAYER_MOVES] || d->cost->layers[i].bytes < 0)
            continue;
        region = fsd_compare_region_of_move(c, true, move);
        causes[region == FSD_NONE ? BUILDER : of[region]].bytes +=
            (uint64_t)d->cost->layers[i].bytes;
    }
}

static bool is_latency(const struct fsd_findings *all, const struct fsd_finding *item)
{
    return all->rules.at[item->rule].rule->settable & FSD_SETS_NOISE;
}

/* Whether the finding only states that times are missing, which is not a change. */
static bool is_unmeasured(const struct fsd_findings *all,
                          const struct fsd_finding *item)
{
    return is_latency(all, item) && !(item->ms > 0);
}

/* Whether anything in the model changed. If not, the builder caused all changes of the
 * engine. */
static bool any_in_model(const struct finder *f)
{
    bool any = false;

    for (int k = 0; k < BUILDER; k++)
        any |= f->first[k] != FSD_NONE;
    return any;
}

/* The kind of change to which a finding belongs; KINDS if it belongs to no change.
 *
 * If a rule on changes reports nodes, the nodes show the kind. A node of only one model
 * has the kind that kind_of() returns, and a node of both models has the kinds in
 * f->near. If there are several kinds, returns the first one of enum kind; if there is
 * none, BUILDER. */
static enum kind kind_of_finding(const struct finder *f, const struct fsd_finding *item)
{
    const struct fsd_findings *all = f->v->findings;
    const struct fsd_state *const sides[] = {f->c->new, f->c->old};
    uint8_t bits = 0;
    int kind = 0;

    if (item->of_dump)
        return BUILDER;
    if (!(all->rules.at[item->rule].rule->needs & FSD_NEEDS_CHANGE))
        return KINDS;
    if (!item->nodes.n)
        return item->severity == FSD_INFO || is_unmeasured(all, item) || any_in_model(f)
                   ? KINDS
                   : BUILDER;
    FSD_EACH_IN (const struct fsd_about, about, all->subjects, item->nodes)
        for (int side = 0; side < 2; side++) {
            const struct fsd_state *s = sides[side];

            if (about->id >= s->nodes.n ||
                strcmp(fsd_text(s->names, s->nodes.at[about->id].key), about->name) !=
                    0)
                continue;
            if (is_only(f, side, about->id)) {
                enum kind own = kind_of(f, &s->nodes.at[about->id], side);

                if (own < KINDS)
                    bits |= (uint8_t)(1u << own);
            } else if (!side) {
                bits |= f->near[about->id];
            }
            break;
        }
    while (kind < BUILDER && !(bits >> kind & 1))
        kind++;
    return kind < BUILDER ? (enum kind)kind : BUILDER;
}

/* ------------------------------------------------------------------------ together */

FSD_ORDERED(by_cost, struct fsd_root_cause, fsd_falling(x->ms, y->ms),
            fsd_order(y->bytes, x->bytes), fsd_order(y->errors, x->errors),
            strcmp(x->what, y->what))

static const char *cost_of(const struct finder *f, const struct fsd_root_cause *first)
{
    const struct fsd_compare *c = f->c;
    const uint32_t errors = f->v->findings->by_severity[FSD_ERROR];
    const uint32_t warnings = f->v->findings->by_severity[FSD_WARNING];
    struct fsd_print text;
    FILE *out = fsd_print_open(&text);

    fputs(first->kind == BUILDER ? "The difference may explain "
                                 : "This change is at or next to the place of ",
          out);
    if (errors)
        fprintf(out, "%u of ", first->errors);
    if (errors)
        fsd_put_noun(out, errors, "error");
    if (warnings)
        fprintf(out, "%s%u of ", errors ? " and " : "", first->warnings);
    if (warnings)
        fsd_put_noun(out, warnings, "warning");
    if (c->timed && c->before > 0)
        fprintf(out,
                ". It accounts for %+.4f ms; the time of all layers changed by %+.4f "
                "ms (%+.1f %%)",
                first->ms, c->after - c->before,
                100 * (c->after - c->before) / c->before);
    else {
        fputs("; ", out);
        if (!fsd_put_bytes_of_change(c, first->bytes, out))
            fputs("the cost is unknown", out);
    }
    putc('.', out);
    return fsd_print_take(&text, f->v->arena);
}

/* The advice of todo_of_all() if none of its special cases holds. If the model or the
 * build differs, the advice is about this difference. If it is unknown whether they
 * differ, the advice is how to find out. Otherwise the advice is to rebuild, which
 * shows whether the builder's decisions vary. */
static const char *todo_in_all(const struct finder *f)
{
    const struct fsd_compare *c = f->c;

    if (fsd_aspect_differs(c, FSD_ASPECT_NODES))
        return usual_todo(NODES_OTHER);
    if (fsd_is_built_otherwise(c))
        return todo_of_builder(f);
    if (c->account.state[FSD_ASPECT_NODES] == FSD_ASPECT_UNKNOWN)
        return "Pass the model to both `check` and `snapshot`: `check` then reports "
               "whether the model changed.";
    if (c->account.state[FSD_ASPECT_OPTIONS] == FSD_ASPECT_UNKNOWN)
        return "Compare the options and the GPU of both builds. If they are equal, "
               "build again. If rebuilds differ from each other, record them as "
               "variants (snapshot --also).";
    return "Build again. If rebuilds differ from each other, record them as variants "
           "(snapshot --also). Otherwise, accept the build.";
}

/* The advice if no single change explains the findings. There are three special cases:
 * only the times differ, the worst finding states that something is unknown or
 * undecided, or the snapshot has more details than this build. In all other cases,
 * todo_in_all() returns the advice. */
static const char *todo_of_all(const struct finder *f, const struct fsd_finding *worst)
{
    const struct fsd_findings *all = f->v->findings;
    const struct fsd_rule *rule = all->rules.at[worst->rule].rule;
    bool slower = true; /* the build is slower and nothing else changed */

    for (uint32_t i = 0; i < all->list.n && slower; i++)
        slower =
            all->list.at[i].severity == FSD_INFO || is_latency(all, &all->list.at[i]);
    if (slower && !fsd_is_built_otherwise(f->c))
        return "Only the times differ. Measure both builds again on the same idle GPU.";
    if (strstr(rule->id, "unknown") || strstr(rule->id, "undecided"))
        return rule->fix;
    return worst->of_dump ? "The snapshot has more details than this build. Pass a "
                            "more detailed dump or log."
                          : todo_in_all(f);
}

static const char *cost_text(const struct finder *f, uint64_t bytes)
{
    struct fsd_print text;
    FILE *out = fsd_print_open(&text);
    bool known;

    fputs("The times are unknown; ", out);
    known = fsd_put_bytes_of_change(f->c, bytes, out);
    fputs(known ? "." : "the bytes that the layers read and write are unknown, too.",
          out);
    return fsd_print_take(&text, f->v->arena);
}

/* Writes the sentences for findings that no single change explains. The first sentence
 * is one of these:
 *   - "The model changed: ...", if the model differs.
 *   - "The builds differ: ...", else if fsd_is_built_otherwise() is true.
 *   - "No known cause. ...", else (unexplained()). */
static void say_in_all(struct finder *f, const struct fsd_root_cause causes[KINDS])
{
    const struct fsd_compare *c = f->c;
    const struct fsd_finding *worst = fsd_verdict_worst(f->v);
    struct fsd_timing t = fsd_timing_of(c);
    uint64_t bytes = 0;

    if (find_stale(f->v->findings))
        return;
    /* causes[BUILDER] counts findings that no change of the model explains. */
    if (!worst || !(causes[BUILDER].errors + causes[BUILDER].warnings))
        return;
    for (int k = 0; k < KINDS; k++)
        bytes += causes[k].bytes;
    f->v->says[0] = fsd_aspect_differs(c, FSD_ASPECT_NODES) ? what_of(f, NODES_OTHER)
                    : fsd_is_built_otherwise(c)             ? what_of(f, BUILDER)
                                                            : unexplained(f);
    f->v->saves = t.known && t.after < t.before;
    if (t.known && t.before > 0)
        f->v->says[1] =
            fsd_printed(f->v->arena, "%s %.4f ms, previously %.4f ms (%+.1f %%).",
                        t.runs ? "A run takes" : "The build takes", t.after, t.before,
                        100 * (t.after - t.before) / t.before);
    else
        f->v->says[1] = cost_text(f, bytes);
    f->v->says[2] = todo_of_all(f, worst);
}

void fsd_verdict_find_causes(struct fsd_verdict *v, const struct fsd_case *before_gate)
{
    const struct fsd_compare *c = before_gate->c;
    struct fsd_root_cause causes[KINDS] = {{0}};
    uint32_t place[KINDS], n = v->findings->list.n;
    struct finder f = {.v = v, .gate = before_gate, .c = c};
    enum kind *of;

    if (!c ||
        !(v->findings->by_severity[FSD_ERROR] + v->findings->by_severity[FSD_WARNING]))
        return;
    f.scratch = fsd_arena_new();
    f.elided[false] = fsd_state_elides(c->old);
    f.elided[true] = fsd_state_elides(c->new);
    f.seed = FSD_NEW(f.scratch, uint8_t, c->new->nodes.n);
    f.near = FSD_NEW(f.scratch, uint8_t, c->new->nodes.n);
    for (int k = 0; k < KINDS; k++)
        f.first[k] = FSD_NONE;
    find_seeds(&f, true);
    find_seeds(&f, false);
    find_edited(&f);
    find_near(&f);
    add_costs(&f, causes);
    of = FSD_NEW(f.scratch, enum kind, n);
    for (uint32_t i = 0; i < n; i++) {
        of[i] = kind_of_finding(&f, &v->findings->list.at[i]);
        if (of[i] == KINDS)
            continue;
        causes[of[i]].findings++;
        causes[of[i]].errors += v->findings->list.at[i].severity == FSD_ERROR;
        causes[of[i]].warnings += v->findings->list.at[i].severity == FSD_WARNING;
    }
    for (int k = 0; k < KINDS; k++) {
        bool known = k == BUILDER ? fsd_is_built_otherwise(c) : f.first[k] != FSD_NONE;

        if (!known || !(causes[k].errors + causes[k].warnings))
            continue;
        causes[k].what = what_of(&f, (enum kind)k);
        causes[k].todo = todo_of(&f, (enum kind)k, &causes[k]);
        causes[k].kind = (unsigned)k;
        fsd_vec_push(v->arena, &v->causes, causes[k]);
    }
    if (v->causes.n) {
        fsd_vec_sort(&v->causes, by_cost);
        v->cause_of = FSD_NEW(v->arena, uint32_t, n);
        for (int k = 0; k < KINDS; k++) {
            place[k] = FSD_NONE;
            for (uint32_t i = 0; i < v->causes.n; i++)
                if (causes[k].what && v->causes.at[i].what == causes[k].what)
                    place[k] = i;
        }
        for (uint32_t i = 0; i < n; i++)
            v->cause_of[i] = of[i] == KINDS ? FSD_NONE : place[of[i]];
        v->saves = c->timed && c->after < c->before && v->causes.at[0].ms < 0;
        v->says[0] = v->causes.at[0].what;
        v->says[1] = cost_of(&f, &v->causes.at[0]);
        v->says[2] = v->causes.at[0].todo;
    }
    if (!v->causes.n)
        say_in_all(&f, causes);
    fsd_arena_free(f.scratch);
}

const struct fsd_finding *fsd_verdict_worst(const struct fsd_verdict *v)
{
    const struct fsd_finding *worst = NULL;

    FSD_EACH (const struct fsd_finding, item, v->findings->list)
        if (item->severity > (worst ? worst->severity : FSD_INFO))
            worst = item;
    return worst;
}
