/* Rules about one region, one edge, one node. */
#include "gate/check_build.h"

#include <string.h>

enum { NAMED = 6 }; /* of a long group */

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

static void put_group(const struct fsd_state *s, fsd_id group, FILE *out)
{
    const struct fsd_group *g = &s->groups.at[group];

    putc('`', out);
    put_nodes(s, g, out);
    fprintf(out, "` %s", fsd_dtype_name((enum fsd_dtype)g->precision));
}

static void put_groups(const struct fsd_check_run *run, const struct fsd_state *s,
                       struct fsd_span groups, FILE *out)
{
    for (uint32_t i = 0; i < groups.n && i < NAMED; i++) {
        fputs(!i ? "" : i + 1 == groups.n ? " and " : ", ", out);
        put_group(s, run->c->pool.at[groups.at + i], out);
    }
    if (groups.n > NAMED)
        fprintf(out, " and %u more", groups.n - NAMED);
}

static void put_form(const struct fsd_state *s, struct fsd_state_form form, FILE *out)
{
    fputs(fsd_dtype_name((enum fsd_dtype)form.type), out);
    if (form.layout)
        fprintf(out, "/%s", fsd_text(s->names, form.layout));
}

static void put_refs(const struct fsd_state *s, struct fsd_span refs, bool output,
                     FILE *out)
{
    if (!refs.n)
        putc('?', out);
    for (uint32_t i = 0; i < refs.n && i < NAMED; i++)
        fprintf(out, "%s%s", i ? ", " : "",
                fsd_state_ref_text(s, s->refs.at[refs.at + i], output));
    if (refs.n > NAMED)
        fprintf(out, " and %u more", refs.n - NAMED);
}

/* ---------------------------------------------------------------------- regions */

static void add_group_nodes(struct fsd_check_run *run, struct fsd_draft *draft,
                            const struct fsd_state *s, struct fsd_span groups)
{
    for (uint32_t i = 0; i < groups.n; i++) {
        const struct fsd_group *g = &s->groups.at[run->c->pool.at[groups.at + i]];

        for (uint32_t k = 0; k < g->nodes.n; k++)
            fsd_draft_node(run, draft, s, s->refs.at[g->nodes.at + k]);
    }
}

static void put_was(const struct fsd_check_run *run, const struct fsd_region_diff *r,
                    FILE *out)
{
    const struct fsd_state *old = run->c->old;
    const struct fsd_group *g = &old->groups.at[run->c->pool.at[r->old_groups.at]];

    if (r->old_groups.n > 1) {
        put_groups(run, old, r->old_groups, out);
        return;
    }
    putc('`', out);
    put_nodes(old, g, out);
    fprintf(out, g->layers == 1 ? "` was one %s layer" : "` was one %s group",
            fsd_dtype_name((enum fsd_dtype)g->precision));
}

static void add_region(struct fsd_check_run *run, uint32_t region)
{
    const struct fsd_region_diff *r = &run->c->regions.at[region];
    struct fsd_draft draft;

    if (!fsd_draft_open(&draft))
        return;
    add_group_nodes(run, &draft, run->c->new, r->new_groups);
    put_was(run, r, draft.out);
    fputs("; now ", draft.out);
    put_groups(run, run->c->new, r->new_groups, draft.out);
    for (uint32_t kind = 0; kind < FSD__KIND_COUNT; kind++)
        if (run->added[region * FSD__KIND_COUNT + kind])
            fprintf(draft.out, " + %u %s", run->added[region * FSD__KIND_COUNT + kind],
                    fsd_kind_name((enum fsd_kind)kind));
    draft.untimed = !run->c->timed;
    if (run->c->timed) {
        draft.ms = (r->after > 0 ? r->after : 0) - (r->before > 0 ? r->before : 0);
        fprintf(draft.out, ", %+.4f ms", draft.ms);
    }
    draft.line = run->lines->groups.at[run->c->pool.at[r->old_groups.at]];
    fsd_draft_close(run, &draft);
}

static void find_regions(struct fsd_check_run *run, enum fsd_happened happened)
{
    for (uint32_t i = 0; i < run->c->regions.n; i++) {
        uint32_t region = run->c->order[i];

        if (run->c->regions.at[region].happened == happened)
            add_region(run, region);
    }
}

void fsd_gate_lost(struct fsd_check_run *run)
{
    find_regions(run, FSD_HAPPENED_LOST);
}

void fsd_gate_regrouped(struct fsd_check_run *run)
{
    find_regions(run, FSD_HAPPENED_REGROUPED);
}

void fsd_gate_opaque(struct fsd_check_run *run)
{
    find_regions(run, FSD_HAPPENED_OPAQUE);
}

/* ---------------------------------------------------------------------- widening */

/* Nodes of one group that went from one type to another are one finding. */
struct bucket {
    fsd_id first, last; /* in c->precisions */
    uint32_t next;      /* bucket of the same group */
};

struct buckets {
    FSD_VEC(struct bucket) at;
    uint32_t *of_group; /* by new group; FSD_NONE */
    fsd_id *next;       /* by precision: the next in its bucket */
};

static bool is_same_change(const struct fsd_node_change *a,
                           const struct fsd_node_change *b)
{
    return a->before == b->before && a->after == b->after;
}

static void put_into(struct fsd_check_run *run, struct buckets *b, fsd_id change)
{
    const struct fsd_node_change *all = run->c->precisions.at;
    fsd_id group = run->c->new->nodes.at[all[change].new].group;
    uint32_t *head = group == FSD_NONE ? NULL : &b->of_group[group];
    uint32_t i = head ? *head : FSD_NONE;

    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a number is a bucket's */
    while (i != FSD_NONE && !is_same_change(&all[b->at.at[i].first], &all[change]))
        i = b->at.at[i].next;
    if (i == FSD_NONE) {
        fsd_vec_push(run->scratch, &b->at,
                     (struct bucket){change, change, head ? *head : FSD_NONE});
        if (head)
            *head = b->at.n - 1;
        return;
    }
    b->next[b->at.at[i].last] = change;
    b->at.at[i].last = change;
}

static void add_widened(struct fsd_check_run *run, const struct buckets *b,
                        const struct bucket *bucket)
{
    const struct fsd_node_change *all = run->c->precisions.at;
    const struct fsd_node_change *first = &all[bucket->first];
    struct fsd_draft draft;

    if (!fsd_draft_open(&draft))
        return;
    for (fsd_id i = bucket->first; i != FSD_NONE; i = b->next[i]) {
        fsd_draft_node(run, &draft, run->c->new, all[i].new);
        fprintf(draft.out, "%s%s", i == bucket->first ? "" : ", ",
                key(run->c->new, all[i].new));
    }
    fprintf(draft.out, " run%s in %s; before in %s", draft.nodes.n == 1 ? "s" : "",
            fsd_dtype_name((enum fsd_dtype)first->after),
            fsd_dtype_name((enum fsd_dtype)first->before));
    draft.count = draft.nodes.n;
    draft.line = run->lines->nodes.at[first->old];
    fsd_draft_close(run, &draft);
}

static void add_edge(struct fsd_check_run *run, const struct fsd_edge_change *e)
{
    struct fsd_draft draft;

    if (!fsd_draft_open(&draft))
        return;
    if (!(e->new_from & FSD_REF_PORT))
        fsd_draft_node(run, &draft, run->c->new, e->new_from);
    fsd_draft_node(run, &draft, run->c->new, e->new_to);
    fprintf(draft.out, "the edge %s -> %s carries ",
            fsd_state_ref_text(run->c->new, e->new_from, false),
            key(run->c->new, e->new_to));
    put_form(run->c->new, e->after, draft.out);
    fputs("; before ", draft.out);
    put_form(run->c->old, e->before, draft.out);
    draft.line = run->lines->nodes.at[e->old_to];
    fsd_draft_close(run, &draft);
}

void fsd_gate_widened(struct fsd_check_run *run)
{
    const struct fsd_compare *c = run->c;
    struct buckets b = {.of_group = FSD_NEW(run->scratch, uint32_t, c->new->groups.n),
                        .next = FSD_NEW(run->scratch, fsd_id, c->precisions.n)};

    for (uint32_t i = 0; i < c->new->groups.n; i++)
        b.of_group[i] = FSD_NONE;
    for (fsd_id i = 0; i < c->precisions.n; i++) {
        b.next[i] = FSD_NONE;
        if (c->precisions.at[i].width == FSD_WIDTH_WIDENED)
            put_into(run, &b, i);
    }
    for (uint32_t i = 0; i < b.at.n; i++)
        add_widened(run, &b, &b.at.at[i]);
    for (uint32_t i = 0; i < c->edges.n; i++)
        if (c->edges.at[i].width == FSD_WIDTH_WIDENED)
            add_edge(run, &c->edges.at[i]);
}

/* ------------------------------------------------------------------------- moves */

static void add_move(struct fsd_check_run *run, const struct fsd_move_change *change)
{
    const struct fsd_state *s = run->c->new;
    const struct fsd_move *m = &s->moves.at[change->new];
    struct fsd_draft draft;

    if (!fsd_draft_open(&draft))
        return;
    for (uint32_t i = 0; i < m->nodes.n; i++)
        fsd_draft_node(run, &draft, s, s->refs.at[m->nodes.at + i]);
    for (uint32_t i = 0; i < m->to.n; i++)
        if (!(s->refs.at[m->to.at + i] & FSD_REF_PORT))
            fsd_draft_node(run, &draft, s, s->refs.at[m->to.at + i]);
    fprintf(draft.out, "new %s ", fsd_kind_name((enum fsd_kind)m->kind));
    if (m->nodes.n) {
        put_refs(s, m->nodes, false, draft.out);
        putc(' ', draft.out);
    }
    if (m->cause != FSD_CAUSE_NONE)
        fprintf(draft.out, "(%s) ", fsd_cause_name((enum fsd_cause)m->cause));
    fputs("on the edge ", draft.out);
    put_refs(s, m->from, false, draft.out);
    fputs(" -> ", draft.out);
    put_refs(s, m->to, true, draft.out);
    fputs(": ", draft.out);
    put_form(s, m->before, draft.out);
    fputs(" -> ", draft.out);
    put_form(s, m->after, draft.out);
    draft.untimed = m->ms.median < 0;
    if (m->ms.median >= 0) {
        draft.ms = m->ms.median;
        fprintf(draft.out, ", %.4f ms", draft.ms);
    }
    fsd_draft_close(run, &draft);
}

static bool is_standing(const struct fsd_move *m)
{
    return m->kind == FSD_KIND_QUANTIZE && !m->inserted;
}

/* What the builder does for nothing costs nothing. */
static bool is_costly(const struct fsd_move *m)
{
    return m->inserted && m->kind != FSD_KIND_NOOP;
}

/* One that was something else before is new too. */
static bool is_new(const struct fsd_check_run *run, const struct fsd_move_change *m,
                   bool standing)
{
    const struct fsd_move *now, *before;

    if (m->what == FSD_MOVE_REMOVED)
        return false;
    now = &run->c->new->moves.at[m->new];
    if (standing ? !is_standing(now) : !is_costly(now))
        return false;
    if (m->what == FSD_MOVE_ADDED)
        return true;
    before = &run->c->old->moves.at[m->old];
    return standing ? !is_standing(before) : !is_costly(before);
}

static void find_moves(struct fsd_check_run *run, bool standing)
{
    for (uint32_t i = 0; i < run->c->moves.n; i++)
        if (is_new(run, &run->c->moves.at[i], standing))
            add_move(run, &run->c->moves.at[i]);
}

void fsd_gate_reformats(struct fsd_check_run *run)
{
    find_moves(run, false);
}

void fsd_gate_quantizers(struct fsd_check_run *run)
{
    find_moves(run, true);
}

/* ------------------------------------------------------------------------- nodes */

static void add_presence(struct fsd_check_run *run, const struct fsd_node_presence *p,
                         const char *what)
{
    const struct fsd_state *s = p->new != FSD_NONE ? run->c->new : run->c->old;
    fsd_id node = p->new != FSD_NONE ? p->new : p->old;
    struct fsd_draft draft;

    if (!fsd_draft_open(&draft))
        return;
    fsd_draft_node(run, &draft, s, node);
    fprintf(draft.out, "%s (%s) %s", key(s, node),
            fsd_text(s->names, s->nodes.at[node].op), what);
    draft.line = p->old != FSD_NONE ? run->lines->nodes.at[p->old] : 0;
    fsd_draft_close(run, &draft);
}

void fsd_gate_unexplained(struct fsd_check_run *run)
{
    for (uint32_t i = 0; i < run->c->presences.n; i++) {
        const struct fsd_node_presence *p = &run->c->presences.at[i];

        if (p->what == FSD_LOST_TRACK)
            add_presence(run, p, "is now unexplained");
        else if (p->what == FSD_ONLY_NEW &&
                 run->c->new->nodes.at[p->new].fate == FSD_FATE_UNEXPLAINED)
            add_presence(run, p, "is new, and unexplained");
    }
}

void fsd_gate_model(struct fsd_check_run *run)
{
    for (uint32_t i = 0; i < run->c->presences.n; i++) {
        const struct fsd_node_presence *p = &run->c->presences.at[i];

        if (p->what == FSD_ONLY_OLD)
            add_presence(run, p, "is only in the snapshot's model");
        else if (p->what == FSD_ONLY_NEW)
            add_presence(run, p, "is not in the snapshot's model");
    }
}

/* ------------------------------------------------------------------------- ports */

static const struct fsd_state_port *port(const struct fsd_state *s, bool output,
                                         fsd_id i)
{
    return output ? &s->outputs.at[i] : &s->inputs.at[i];
}

static void put_change(const struct fsd_check_run *run, const struct fsd_port_change *p,
                       FILE *out)
{
    const struct fsd_state *old = run->c->old, *new = run->c->new;
    const struct fsd_state_port *before = port(old, p->output, p->old);
    const struct fsd_state_port *now = port(new, p->output, p->new);

    fputs(fsd_text(new->names, now->name), out);
    if (p->name)
        fprintf(out, ", was called %s", fsd_text(old->names, before->name));
    if (p->shape)
        fprintf(out, ", %s -> %s", fsd_text(old->names, before->shape),
                fsd_text(new->names, now->shape));
    if (!p->form)
        return;
    fputs(", ", out);
    put_form(old, before->form, out);
    fputs(" -> ", out);
    put_form(new, now->form, out);
}

static void add_port(struct fsd_check_run *run, const struct fsd_port_change *p)
{
    struct fsd_draft draft;

    if (!fsd_draft_open(&draft))
        return;
    fputs(p->output ? "output " : "input ", draft.out);
    if (p->old == FSD_NONE)
        fprintf(
            draft.out, "%s is new",
            fsd_text(run->c->new->names, port(run->c->new, p->output, p->new)->name));
    else if (p->new == FSD_NONE)
        fprintf(
            draft.out, "%s is gone",
            fsd_text(run->c->old->names, port(run->c->old, p->output, p->old)->name));
    else
        put_change(run, p, draft.out);
    if (p->old != FSD_NONE)
        draft.line =
            p->output ? run->lines->outputs.at[p->old] : run->lines->inputs.at[p->old];
    fsd_draft_close(run, &draft);
}

void fsd_gate_ports(struct fsd_check_run *run)
{
    for (uint32_t i = 0; i < run->c->ports.n; i++)
        add_port(run, &run->c->ports.at[i]);
}
