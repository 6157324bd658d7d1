/* Rules about changes since a snapshot. Each finding is about one region, edge, node or
 * port. */
#include "judge/findings/finder.h"
#include "model/ops/ops.h"

#include <assert.h>

enum { NAMED = 6 }; /* the maximum number of nodes or groups in a list of names */

/* ---------------------------------------------------------------------- phrases */

static const char *key(const struct fsd_state *s, fsd_id node)
{
    return fsd_text(s->names, s->nodes.at[node].key);
}

static void put_nodes(const struct fsd_state *s, const struct fsd_group *g, FILE *out)
{
    uint32_t left = g->nodes.n;

    for (uint32_t i = 0; i < g->nodes.n && i < NAMED; i++, left--)
        fprintf(out, "%s%s", i ? " + " : "", key(s, s->refs.at[g->nodes.at + i]));
    if (left)
        fprintf(out, " + %u more", left);
}

static void put_groups(const struct fsd_finder *f, const struct fsd_state *s,
                       struct fsd_span groups)
{
    for (uint32_t i = 0; i < groups.n && i < NAMED; i++) {
        const struct fsd_group *g = &s->groups.at[f->c->pool.at[groups.at + i]];

        fputs(!i ? "`" : i + 1 == groups.n ? " and `" : ", `", f->out);
        put_nodes(s, g, f->out);
        fprintf(f->out, "` %s", fsd_dtype_name((enum fsd_dtype)g->precision));
    }
    if (groups.n > NAMED)
        fprintf(f->out, " and %u more", groups.n - NAMED);
}

static void put_ends(struct fsd_ends ends, FILE *out)
{
    if (!ends.n)
        putc('?', out);
    for (uint32_t i = 0; i < ends.n && i < NAMED; i++)
        fprintf(out, "%s`%s`", i ? ", " : "", fsd_end_text(ends, i));
    if (ends.n > NAMED)
        fprintf(out, " and %u more", ends.n - NAMED);
}

/* Prints "`Relu_24` -> `Conv_34`". */
static void put_edge(const struct fsd_state *s, const struct fsd_move *m, FILE *out)
{
    put_ends(fsd_ends_of_origins(s, m->from), out);
    fputs(" -> ", out);
    put_ends(fsd_ends_of_destinations(s, m->to), out);
}

/* Adds as subjects the nodes that read the move's output. */
static void about_readers(struct fsd_finder *f, const struct fsd_state *s,
                          const struct fsd_move *m)
{
    for (uint32_t i = 0; i < m->to.n; i++)
        fsd_about_state_node(
            f, s, fsd_destination_node(fsd_destination_at(s->refs.at, m->to, i)));
}

/* ---------------------------------------------------------------------- regions */

/* The kind of the first group that only moves, stores or waits for data; NULL if all
 * groups compute. */
static const char *idle_kind(const struct fsd_state *s, const struct fsd_compare *c,
                             struct fsd_span groups)
{
    const char *kind = NULL;

    for (uint32_t i = 0; i < groups.n && !kind; i++) {
        const struct fsd_group *g = &s->groups.at[c->pool.at[groups.at + i]];

        if (!fsd_kind_computes(g->kind))
            kind = fsd_kind_name((enum fsd_kind)g->kind);
    }
    return kind;
}

void fsd_about_new_groups(struct fsd_finder *f, const struct fsd_region_diff *r)
{
    const struct fsd_state *new = f->c->new;

    for (uint32_t i = 0; i < r->new_groups.n; i++) {
        struct fsd_span nodes =
            new->groups.at[f->c->pool.at[r->new_groups.at + i]].nodes;

        FSD_EACH_ID (node, new->refs, nodes)
            fsd_about_state_node(f, new, node);
    }
}

void fsd_put_region(const struct fsd_finder *f, const struct fsd_region_diff *r)
{
    const struct fsd_group *g = &f->c->new->groups.at[f->c->pool.at[r->new_groups.at]];

    putc('`', f->out);
    put_nodes(f->c->new, g, f->out);
    fputs(r->new_groups.n > 1 ? "` and more" : "`", f->out);
}

/* Reports a region. The line of the finding is the line of the old group in the
 * snapshot. */
static void report_region(struct fsd_finder *f, const struct fsd_region_diff *r,
                          const uint32_t *added)
{
    const struct fsd_state *old = f->c->old, *new = f->c->new;
    const struct fsd_group *was = &old->groups.at[f->c->pool.at[r->old_groups.at]];

    fsd_finding_open(f);
    fsd_about_new_groups(f, r);
    if (r->old_groups.n > 1) {
        put_groups(f, old, r->old_groups);
    } else {
        putc('`', f->out);
        put_nodes(old, was, f->out);
        fprintf(f->out, was->layers == 1 ? "` was one %s layer" : "` was one %s group",
                fsd_dtype_name((enum fsd_dtype)was->precision));
    }
    fputs("; now ", f->out);
    put_groups(f, new, r->new_groups);
    for (uint32_t kind = 0; kind < FSD__KIND_COUNT; kind++)
        if (added[kind])
            fprintf(f->out, " + %u %s", added[kind],
                    fsd_kind_name((enum fsd_kind)kind));
    if (r->happened == FSD_HAPPENED_OPAQUE) {
        bool before = fsd_region_is_weak(f->c, r, false);
        bool now = fsd_region_is_weak(f->c, r, true);
        const char *idle = idle_kind(new, f->c, r->new_groups);
        const char *was_idle = idle_kind(old, f->c, r->old_groups);

        if (idle || was_idle)
            fprintf(
                f->out,
                "; but in %s, a %s layer holds these nodes, and such a layer computes "
                "nothing",
                idle ? "the new build" : "the snapshot's build",
                idle ? idle : was_idle);
        else
            fprintf(
                f->out,
                "; for %s, fusiondiff does not know the layers of these nodes, or "
                "infers the layers only from the graph's structure: pass a detailed "
                "dump or the build log",
                before && now ? "either build"
                : before      ? "the snapshot's build"
                              : "the build");
    }
    f->untimed = !f->c->timed;
    if (f->c->timed) {
        struct fsd_timing t = fsd_timing_of_layers(f->c);

        f->ms = (r->after > 0 ? r->after : 0) - (r->before > 0 ? r->before : 0);
        fprintf(f->out, ", %+.4f ms", f->ms);
        /* A regrouped region counts only if its time grew by more than the noise. */
        if (r->happened == FSD_HAPPENED_REGROUPED &&
            f->ms <= fsd_noise_of(&t, f->policy).band)
            f->count = 0;
    }
    f->now.line = was->line;
    fsd_finding_close(f);
}

/* Reports the regions of one kind. f->rule->which is the enum fsd_happened that these
 * regions have. */
void fsd_find_regrouped(struct fsd_finder *f)
{
    const struct fsd_compare *c = f->c;
    typedef uint32_t by_kind[FSD__KIND_COUNT];
    by_kind *added = FSD_NEW(f->scratch, by_kind, c->regions.n); /* indexed by region:
                                                                    number of added
                                                                    moves */

    FSD_EACH (const struct fsd_move_change, m, c->moves) {
        const struct fsd_move *move;

        if (m->what != FSD_MOVE_ADDED || m->region == FSD_NONE)
            continue;
        move = &c->new->moves.at[m->new];
        if (move->cause != FSD_CAUSE_FREE)
            added[m->region][move->kind]++;
    }
    for (uint32_t i = 0; i < c->regions.n; i++)
        if (c->regions.at[c->order[i]].happened == f->rule->which)
            report_region(f, &c->regions.at[c->order[i]], added[c->order[i]]);
}

/* Reports one edit of the model. */
static void report_edit(struct fsd_finder *f, const struct fsd_node_edit *edit)
{
    fsd_finding_open(f);
    fsd_about_state_node(f, f->c->new, edit->new);
    f->now.line = fsd_state_line(f->c->old, edit->old);
    fprintf(f->out, "`%s`", key(f->c->new, edit->new));
    fsd_put_node_edit(edit, false, f->out);
    if (edit->what == FSD_EDIT_SOURCE)
        fputs("; this connection was changed in the model", f->out);
    fsd_finding_close(f);
}

static void report_edits(struct fsd_finder *f, enum fsd_edit_what what)
{
    for (uint32_t i = 0; i < f->c->edits.n; i++)
        if (f->c->edits.at[i].what == what)
            report_edit(f, &f->c->edits.at[i]);
}

void fsd_find_edits(struct fsd_finder *f)
{
    report_edits(f, (enum fsd_edit_what)f->rule->which);
    if (f->rule->which == FSD_EDIT_OPERATOR)
        fsd_report_activations(f);
}

/* Reports kernels with changed inputs, if no finding about nodes or groups shows the
 * change. */
static void report_sources(struct fsd_finder *f, const bool *reported)
{
    const struct fsd_compare *c = f->c;

    FSD_EACH (const struct fsd_kernel_change, k, c->kernels) {
        if (!k->source || reported[k->region])
            continue;
        fsd_finding_open(f);
        fputs("the ", f->out);
        fsd_put_kernel(f, k, true);
        putc(' ', f->out);
        fsd_put_kernel_source(c, k, f->out);
        fsd_finding_close(f);
    }
}

void fsd_find_unasked(struct fsd_finder *f)
{
    const struct fsd_compare *c = f->c;
    bool *reported = FSD_NEW(f->scratch, bool, c->regions.n);

    report_edits(f, FSD_EDIT_SOURCE);
    for (uint32_t i = 0; i < c->edits.n; i++)
        if (c->edits.at[i].what == FSD_EDIT_SOURCE)
            fsd_set_at(reported,
                       fsd_compare_region_of_node(c, true, c->edits.at[i].new));
    for (uint32_t i = 0; i < c->regions.n; i++) {
        const struct fsd_region_diff *r = &c->regions.at[i];

        if (!r->unasked.n)
            continue;
        reported[i] = true;
        fsd_finding_open(f);
        fsd_about_new_groups(f, r);
        f->now.line = c->old->groups.at[c->pool.at[r->old_groups.at]].line;
        put_groups(f, c->new, r->new_groups);
        fputs(r->new_groups.n > 1 ? " read " : " reads ", f->out);
        for (uint32_t k = 0; k < r->unasked.n && k < NAMED; k++) {
            struct fsd_origin from = fsd_origin_at(c->pool.at, r->unasked, k);

            fprintf(f->out,
                    fsd_origin_node(from) == FSD_NONE ? "%sthe input `%s`"
                                                      : "%sthe output of `%s`",
                    k ? ", " : "", fsd_origin_text(c->new, from));
        }
        fputs("; neither the snapshot nor the model has such a connection", f->out);
        fsd_finding_close(f);
    }
    report_sources(f, reported);
}

/* ------------------------------------------------------------------------- types */

/* Reports an edge whose type changed. The tensor is written and read in the new type,
 * even if no node runs in that type. */
static void report_edge(struct fsd_finder *f, const struct fsd_edge_change *e)
{
    fsd_finding_open(f);
    f->now.widens = e->width == FSD_WIDTH_WIDENED;
    fsd_about_state_node(f, f->c->new, fsd_origin_node(e->new_from));
    if (e->new_to == FSD_NONE) {
        fprintf(f->out, "`%s` writes ", fsd_origin_text(f->c->new, e->new_from));
    } else {
        fsd_about_state_node(f, f->c->new, e->new_to);
        fprintf(f->out, "the tensor `%s` -> `%s` is ",
                fsd_origin_text(f->c->new, e->new_from), key(f->c->new, e->new_to));
    }
    fsd_put_state_form(f->c->new, e->after, '/', f->out);
    fputs("; before: ", f->out);
    fsd_put_state_form(f->c->old, e->before, '/', f->out);
    f->now.line =
        fsd_state_line(f->c->old, fsd_id_or(e->old_to, fsd_origin_node(e->old_from)));
    fsd_finding_close(f);
}

/* With `standing`: whether the move is an unfused quantizer. Without: whether the move
 * is an inserted layer that takes time. */
static bool is_move(const struct fsd_move *m, bool standing)
{
    return standing ? m->kind == FSD_KIND_QUANTIZE && !m->inserted
                    : m->inserted && m->kind != FSD_KIND_NOOP;
}

/* Whether the move is new. In the new build, is_move() must be true for it. In the old
 * build, the move must be missing, or is_move() must be false for it. */
static bool is_new_move(const struct fsd_compare *c, const struct fsd_move_change *m,
                        bool standing)
{
    return m->what != FSD_MOVE_REMOVED &&
           is_move(&c->new->moves.at[m->new], standing) &&
           (m->what == FSD_MOVE_ADDED || !is_move(&c->old->moves.at[m->old], standing));
}

/* The policy's level for the rule on new moves. FSD_OFF if the policy sets a budget for
 * this rule, because the rule may then tolerate new moves. */
static int level_of_moves(const struct fsd_finder *f, bool standing)
{
    const struct fsd_rule *rule;
    int level = FSD_OFF;

    for (unsigned i = 0; f->policy && (rule = fsd_rule_at(i)); i++)
        if (rule->find == fsd_find_new_moves && rule->which == (int)standing &&
            !f->policy->rules[i].own_budget)
            level = f->policy->rules[i].level;
    return level;
}

/* Whether a move of the new build writes the edge's tensor. */
static bool writes_edge(const struct fsd_state *s, const struct fsd_move *move,
                        const struct fsd_edge_change *e)
{
    bool reads = false;

    if (e->new_to == FSD_NONE || move->after.type != e->after.type)
        return false;
    for (uint32_t i = 0; i < move->to.n && !reads; i++)
        reads = fsd_destination_node(fsd_destination_at(s->refs.at, move->to, i)) ==
                e->new_to;
    return reads;
}

/* Whether `m` is a new move that writes the edge's tensor. The rule on new moves then
 * reports `m`, so the current rule need not report the edge. Exception: false if the
 * rule on new moves has a lower level than the current rule (level_of_moves()). */
static bool is_written_by(const struct fsd_finder *f, const struct fsd_move_change *m,
                          const struct fsd_edge_change *e)
{
    const struct fsd_move *move;
    bool standing;

    if (m->what == FSD_MOVE_REMOVED)
        return false;
    move = &f->c->new->moves.at[m->new];
    standing = is_move(move, true);
    return writes_edge(f->c->new, move, e) && is_new_move(f->c, m, standing) &&
           level_of_moves(f, standing) >=
               f->found->rules.at[f->found->rules.n - 1].level;
}

static bool is_of_new_move(const struct fsd_finder *f, const struct fsd_edge_change *e)
{
    bool is = false;

    for (uint32_t i = 0; i < f->c->moves.n && !is; i++)
        is = is_written_by(f, &f->c->moves.at[i], e);
    return is;
}

/* An old and a new type as one number.  TF32 counts as FP32, because a kernel that runs
 * in TF32 reads and writes FP32. */
static uint16_t change_of(uint8_t before, uint8_t after)
{
    before = before == FSD_TF32 ? FSD_FP32 : before;
    after = after == FSD_TF32 ? FSD_FP32 : after;
    return (uint16_t)(before << 8 | after);
}

/* Type changes, as change_of() returns them. The arrays are indexed by node of the new
 * build. */
struct reported {
    uint16_t *runs; /* change of the type in which the node runs */
    uint16_t *written, *read;
};

static struct reported find_reported(const struct fsd_finder *f)
{
    const struct fsd_compare *c = f->c;
    uint32_t n = c->new->nodes.n;
    struct reported reported = {FSD_NEW(f->scratch, uint16_t, n),
                                FSD_NEW(f->scratch, uint16_t, n),
                                FSD_NEW(f->scratch, uint16_t, n)};

    FSD_EACH (const struct fsd_node_change, p, c->precisions)
        reported.runs[p->new] = reported.written[p->new] =
            change_of(p->before, p->after);
    FSD_EACH (const struct fsd_edge_change, e, c->edges) {
        uint16_t change = change_of(e->before.type, e->after.type);

        if (e->new_to != FSD_NONE)
            reported.read[e->new_to] = change;
        if (fsd_origin_node(e->new_from) != FSD_NONE)
            reported.written[fsd_origin_node(e->new_from)] = change;
    }
    return reported;
}

/* Whether the precision of the node that reads the edge changed in the same way as the
 * type of the edge. */
static bool is_of_node(const struct reported *reported, const struct fsd_edge_change *e)
{
    return e->new_to != FSD_NONE &&
           reported->runs[e->new_to] == change_of(e->before.type, e->after.type);
}

/* Reports a changed type of the move's output if `after` is true, else of its input.
 * f->rule->which (enum fsd_width) selects which changes are reported. Reports nothing
 * if the finding at an adjacent node states the same change. Reports nothing next to an
 * input or output of the network: the rule io-changed reports such changes. */
static void report_retyped_side(struct fsd_finder *f,
                                const struct fsd_move_change *change,
                                const struct reported *reported, bool after)
{
    const struct fsd_state *s = f->c->new;
    const struct fsd_move *p = &f->c->old->moves.at[change->old],
                          *q = &s->moves.at[change->new];
    struct fsd_state_form was = after ? p->after : p->before,
                          is = after ? q->after : q->before;
    struct fsd_ends ends =
        after ? fsd_ends_of_destinations(s, q->to) : fsd_ends_of_origins(s, q->from);

    if (fsd_width_of(was.type, is.type) != f->rule->which)
        return;
    for (uint32_t i = 0; i < ends.n; i++) {
        fsd_id at = fsd_end_node(ends, i);

        if (at == FSD_NONE || (after ? reported->read : reported->written)[at] ==
                                  change_of(was.type, is.type))
            return;
    }
    fsd_finding_open(f);
    about_readers(f, s, q);
    fprintf(f->out, "the %s on the edge ", fsd_kind_name((enum fsd_kind)q->kind));
    put_edge(s, q, f->out);
    fputs(after ? " writes " : " reads ", f->out);
    fsd_put_state_form(s, is, '/', f->out);
    fputs("; before: ", f->out);
    fsd_put_state_form(f->c->old, was, '/', f->out);
    f->now.line = p->line;
    fsd_finding_close(f);
}

static void find_retyped_moves(struct fsd_finder *f, const struct reported *reported)
{
    for (uint32_t i = 0; i < f->c->moves.n; i++)
        for (int after = 0; after < 2; after++)
            if (f->c->moves.at[i].what == FSD_MOVE_CHANGED)
                report_retyped_side(f, &f->c->moves.at[i], reported, after);
}

/* Reports changes of precision (f->rule->which is the enum fsd_width). Nodes of one
 * group with the same change are one finding. */
void fsd_find_retyped(struct fsd_finder *f)
{
    const struct fsd_state *new = f->c->new;
    const struct fsd_node_change *all = f->c->precisions.at;
    uint32_t n = f->c->precisions.n;
    struct reported reported = find_reported(f);
    bool *done = FSD_NEW(f->scratch, bool, n);
    fsd_id *next = FSD_NEW(f->scratch, fsd_id, n); /* indexed like `all`: the next
                                                      change in the same group */
    fsd_id *first = fsd_ids_new(f->scratch, new->groups.n);

    for (fsd_id i = n; i-- > 0;) {
        next[i] = first[new->nodes.at[all[i].new].group];
        first[new->nodes.at[all[i].new].group] = i;
    }
    for (fsd_id i = 0; i < n; i++) {
        if (all[i].width != f->rule->which || done[i])
            continue;
        fsd_finding_open(f);
        f->now.widens = all[i].width == FSD_WIDTH_WIDENED;
        for (fsd_id k = i; k != FSD_NONE; k = next[k]) {
            if (all[k].before != all[i].before || all[k].after != all[i].after)
                continue;
            done[k] = true;
            fsd_about_state_node(f, new, all[k].new);
            fprintf(f->out, "%s`%s`", k == i ? "" : ", ", key(new, all[k].new));
        }
        fprintf(f->out, " run%s in %s; before: %s", f->now.nodes.n == 1 ? "s" : "",
                fsd_dtype_name((enum fsd_dtype)all[i].after),
                fsd_dtype_name((enum fsd_dtype)all[i].before));
        f->count = f->now.nodes.n;
        f->now.line = f->c->old->nodes.at[all[i].old].line;
        fsd_finding_close(f);
    }
    for (uint32_t i = 0; i < f->c->edges.n; i++)
        if (f->c->edges.at[i].width == f->rule->which &&
            !is_of_node(&reported, &f->c->edges.at[i]) &&
            !is_of_new_move(f, &f->c->edges.at[i]))
            report_edge(f, &f->c->edges.at[i]);
    find_retyped_moves(f, &reported);
    fsd_find_retyped_kernels(f);
}

/* Whether the operations of a kernel of the node's group include a cast. The kernel may
 * then compute in FP32 between two casts. */
static bool shows_cast(const struct fsd_state *s, fsd_id node)
{
    uint32_t group = fsd_state_group_of(s, node);
    bool shows = false;

    if (group == FSD_NONE)
        return false;
    for (uint32_t i = 0; i < s->groups.at[group].kernels.n && !shows; i++) {
        fsd_sym does = s->kernels.at[s->groups.at[group].kernels.at + i].does;

        shows = fsd_ops_cast(fsd_text(s->names, does));
    }
    return shows;
}

static bool now_leaves_range(const struct fsd_compare *c,
                             const struct fsd_node_change *n)
{
    const struct fsd_state *s = c->new;

    return n->width == FSD_WIDTH_NARROWED && n->after == FSD_FP16 &&
           fsd_op_is_sensitive(fsd_text(s->names, s->nodes.at[n->new].op)) &&
           !shows_cast(s, n->new);
}

uint32_t fsd_count_narrowed_range(const struct fsd_compare *c)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->precisions.n; i++)
        n += now_leaves_range(c, &c->precisions.at[i]);
    return n;
}

/* Reports all nodes in one finding, because they have one cause, mostly a flag of the
 * build. */
void fsd_find_narrowed_range(struct fsd_finder *f)
{
    const struct fsd_compare *c = f->c;

    if (!fsd_count_narrowed_range(c))
        return;
    fsd_finding_open(f);
    for (uint32_t i = 0; i < c->precisions.n; i++)
        if (now_leaves_range(c, &c->precisions.at[i]))
            fsd_about_state_node(f, c->new, c->precisions.at[i].new);
    fsd_put_subjects(f, f->now.nodes);
    fprintf(
        f->out,
        " run%s in fp16, whose range is smaller than the range of the previous type",
        f->now.nodes.n == 1 ? "s" : "");
    f->count = f->now.nodes.n;
    fsd_finding_close(f);
}

/* ------------------------------------------------------------------------- moves */

/* Prints "; before: fp16/chw32" for the first edge whose type changed because of the
 * move. */
static void put_edge_before(const struct fsd_finder *f, const struct fsd_move *m)
{
    const struct fsd_compare *c = f->c;

    FSD_EACH (const struct fsd_edge_change, e, c->edges) {
        if (e->before.type == e->after.type || !writes_edge(c->new, m, e))
            continue;
        fputs("; before: ", f->out);
        fsd_put_state_form(c->old, e->before, '/', f->out);
        return;
    }
}

/* Reports a new move. The finding's subjects are the nodes that the move realises and
 * the nodes that read its output. An ignore can match either, because a Reformat, for
 * example, realises no node. The finding has no line, because the snapshot lacks the
 * move. */
static void report_move(struct fsd_finder *f, const struct fsd_move_change *change)
{
    const struct fsd_state *s = f->c->new;
    const struct fsd_move *m = &s->moves.at[change->new];

    fsd_finding_open(f);
    f->now.move = change->new + 1;
    FSD_EACH_ID (node, s->refs, m->nodes)
        fsd_about_state_node(f, s, node);
    about_readers(f, s, m);
    fprintf(f->out, "new %s ", fsd_kind_name((enum fsd_kind)m->kind));
    if (m->nodes.n) {
        put_ends(fsd_ends_of_nodes(s, m->nodes), f->out);
        putc(' ', f->out);
    }
    if (m->cause != FSD_CAUSE_NONE)
        fprintf(f->out, "(%s) ", fsd_cause_name((enum fsd_cause)m->cause));
    fputs("on the edge ", f->out);
    put_edge(s, m, f->out);
    fputs(": ", f->out);
    fsd_put_move_forms(s, m, '/', f->out);
    put_edge_before(f, m);
    f->untimed = m->ms.median < 0;
    if (m->ms.median >= 0) {
        f->ms = m->ms.median;
        fprintf(f->out, ", %.4f ms", f->ms);
    }
    fsd_finding_close(f);
}

static void put_work(const struct fsd_state *s, struct fsd_span nodes, FILE *out)
{
    if (nodes.n)
        put_ends(fsd_ends_of_nodes(s, nodes), out);
    else
        fputs("no node", out);
}

void fsd_report_other_nodes(struct fsd_finder *f)
{
    FSD_EACH (const struct fsd_move_change, change, f->c->moves) {
        const struct fsd_move *p, *q;

        if (!change->nodes)
            continue;
        p = &f->c->old->moves.at[change->old];
        q = &f->c->new->moves.at[change->new];
        if (p->kind != q->kind || p->inserted != q->inserted)
            continue;
        fsd_finding_open(f);
        FSD_EACH_ID (node, f->c->new->refs, q->nodes)
            fsd_about_state_node(f, f->c->new, node);
        fprintf(f->out, "the %s on the edge ", fsd_kind_name((enum fsd_kind)q->kind));
        put_edge(f->c->new, q, f->out);
        fputs(" computes ", f->out);
        put_work(f->c->new, q->nodes, f->out);
        fputs("; before: ", f->out);
        put_work(f->c->old, p->nodes, f->out);
        f->now.line = p->line;
        fsd_finding_close(f);
    }
}

/* Reports new moves: unfused quantizers if f->rule->which is not 0, else inserted
 * layers. */
void fsd_find_new_moves(struct fsd_finder *f)
{
    for (uint32_t i = 0; i < f->c->moves.n; i++)
        if (is_new_move(f->c, &f->c->moves.at[i], f->rule->which))
            report_move(f, &f->c->moves.at[i]);
}

/* ------------------------------------------------------------------------- nodes */

/* Whether a layer computes the node, and no layer computed it before. Another rule
 * reports quantizers that were fused before. */
static bool is_new_layer(const struct fsd_finder *f, const struct fsd_node_presence *p)
{
    const struct fsd_state_node *was;

    if (p->what != FSD_KEPT)
        return false;
    was = &f->c->old->nodes.at[p->old];
    return was->role != FSD_ROLE_QUANTIZER && was->fate != FSD_FATE_OUTSIDE;
}

/* Reports nodes. f->rule->which selects them:
 *
 *     0    new nodes of unknown fate, and nodes whose known fate became unknown
 *     1    only one of the two models has them
 *     2    a layer computes them now, but no layer computed them before
 *     3    they are now outside of all engines */
void fsd_find_presences(struct fsd_finder *f)
{
    FSD_EACH (const struct fsd_node_presence, p, f->c->presences) {
        bool is_new = p->new != FSD_NONE, only_new = p->what == FSD_ONLY_NEW;
        const struct fsd_state *s = is_new ? f->c->new : f->c->old;
        fsd_id node = is_new ? p->new : p->old;
        const char *what = NULL;

        if (f->rule->which == 3)
            what = p->what == FSD_LEFT ? "is no longer in any of the engines" : NULL;
        else if (f->rule->which == 2)
            what = is_new_layer(f, p) ? "is now computed by a layer; before:" : NULL;
        else if (f->rule->which)
            what = p->what == FSD_ONLY_OLD ? "is only in the snapshot's model"
                   : only_new              ? "is not in the snapshot's model"
                                           : NULL;
        else if (p->what == FSD_LOST_TRACK)
            what = "no longer has a known outcome";
        else if (only_new && s->nodes.at[node].fate == FSD_FATE_UNEXPLAINED)
            what = "is new, and its outcome is unknown";
        if (!what)
            continue;
        fsd_finding_open(f);
        fsd_about_state_node(f, s, node);
        fprintf(f->out, "`%s` (%s) %s", key(s, node),
                fsd_text(s->names, s->nodes.at[node].op), what);
        if (f->rule->which == 2)
            fprintf(f->out, " %s",
                    fsd_fate_name((enum fsd_fate)f->c->old->nodes.at[p->old].fate));
        f->now.line = fsd_state_line(f->c->old, p->old);
        fsd_finding_close(f);
    }
}

/* ------------------------------------------------------------------------- ports */

/* Reports a changed port.  Applications fail if the name, shape or type of a binding
 * differs. */
static void report_port(struct fsd_finder *f, const struct fsd_port_change *p)
{
    const struct fsd_state *old = f->c->old, *new = f->c->new;
    const struct fsd_state_port *was = p->output ? old->outputs.at : old->inputs.at;
    const struct fsd_state_port *now = p->output ? new->outputs.at : new->inputs.at;
    const struct fsd_state_port *shown;

    was = p->old == FSD_NONE ? NULL : was + p->old;
    now = p->new == FSD_NONE ? NULL : now + p->new;
    fsd_finding_open(f);
    shown = now ? now : was; /* at least one build has the port */
    assert(shown);
    fprintf(f->out, "%s `%s`%s", p->output ? "output" : "input",
            fsd_text(now ? new->names : old->names, shown->name),
            !was   ? " is new"
            : !now ? " is gone"
                   : "");
    if (was && now && p->name)
        fprintf(f->out, ", before: `%s`", fsd_text(old->names, was->name));
    if (was && now && p->shape)
        fprintf(f->out, ", %s -> %s", fsd_text(old->names, was->shape),
                fsd_text(new->names, now->shape));
    if (was && now && p->form) {
        fputs(", ", f->out);
        fsd_put_state_form(old, was->form, '/', f->out);
        fputs(" -> ", f->out);
        fsd_put_state_form(new, now->form, '/', f->out);
    }
    if (was)
        f->now.line = was->line;
    fsd_finding_close(f);
}

void fsd_find_ports(struct fsd_finder *f)
{
    for (uint32_t i = 0; i < f->c->ports.n; i++)
        report_port(f, &f->c->ports.at[i]);
    fsd_find_bindings(f);
}
