/* Rules about what changed since a snapshot: one region, one edge, one node, one port.
 */
#include "findings/finder.h"

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

/* By region and kind: moves added. */
static const uint32_t *count_added(const struct fsd_finder *f)
{
    const struct fsd_compare *c = f->c;
    uint32_t *added =
        FSD_NEW(f->scratch, uint32_t, (size_t)c->regions.n * FSD__KIND_COUNT);

    for (uint32_t i = 0; i < c->moves.n; i++) {
        const struct fsd_move_change *m = &c->moves.at[i];

        if (m->what == FSD_MOVE_ADDED && m->region != FSD_NONE)
            added[m->region * FSD__KIND_COUNT + c->new->moves.at[m->new].kind]++;
    }
    return added;
}

static void tell_region(struct fsd_finder *f, const struct fsd_region_diff *r,
                        const uint32_t *added)
{
    const struct fsd_state *old = f->c->old, *new = f->c->new;
    const struct fsd_group *was = &old->groups.at[f->c->pool.at[r->old_groups.at]];

    fsd_finding_open(f);
    for (uint32_t i = 0; i < r->new_groups.n; i++) {
        struct fsd_span nodes =
            new->groups.at[f->c->pool.at[r->new_groups.at + i]].nodes;

        for (uint32_t k = 0; k < nodes.n; k++)
            fsd_about_state_node(f, new, new->refs.at[nodes.at + k]);
    }
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
    f->untimed = !f->c->timed;
    if (f->c->timed) {
        f->ms = (r->after > 0 ? r->after : 0) - (r->before > 0 ? r->before : 0);
        fprintf(f->out, ", %+.4f ms", f->ms);
    }
    f->now.line = f->lines->groups.at[f->c->pool.at[r->old_groups.at]];
    fsd_finding_close(f);
}

/* Which: what happened to the fusion. */
void fsd_find_regrouped(struct fsd_finder *f)
{
    const uint32_t *added = count_added(f);

    for (uint32_t i = 0; i < f->c->regions.n; i++) {
        uint32_t region = f->c->order[i];
        const struct fsd_region_diff *r = &f->c->regions.at[region];

        if (r->happened == f->rule->which)
            tell_region(f, r, added + (size_t)region * FSD__KIND_COUNT);
    }
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

static void put_into(struct fsd_finder *f, struct buckets *b, fsd_id change)
{
    const struct fsd_node_change *all = f->c->precisions.at;
    fsd_id group = f->c->new->nodes.at[all[change].new].group;
    uint32_t *head = group == FSD_NONE ? NULL : &b->of_group[group];
    uint32_t i = head ? *head : FSD_NONE;

    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a number is a bucket's */
    while (i != FSD_NONE && (all[b->at.at[i].first].before != all[change].before ||
                             all[b->at.at[i].first].after != all[change].after))
        i = b->at.at[i].next;
    if (i == FSD_NONE) {
        fsd_vec_push(f->scratch, &b->at,
                     (struct bucket){change, change, head ? *head : FSD_NONE});
        if (head)
            *head = b->at.n - 1;
        return;
    }
    b->next[b->at.at[i].last] = change;
    b->at.at[i].last = change;
}

static void tell_widened(struct fsd_finder *f, const struct buckets *b,
                         const struct bucket *bucket)
{
    const struct fsd_node_change *all = f->c->precisions.at;
    const struct fsd_node_change *first = &all[bucket->first];

    fsd_finding_open(f);
    for (fsd_id i = bucket->first; i != FSD_NONE; i = b->next[i]) {
        fsd_about_state_node(f, f->c->new, all[i].new);
        fprintf(f->out, "%s%s", i == bucket->first ? "" : ", ",
                key(f->c->new, all[i].new));
    }
    fprintf(f->out, " run%s in %s; before in %s", f->now.nodes.n == 1 ? "s" : "",
            fsd_dtype_name((enum fsd_dtype)first->after),
            fsd_dtype_name((enum fsd_dtype)first->before));
    f->count = f->now.nodes.n;
    f->now.line = f->lines->nodes.at[first->old];
    fsd_finding_close(f);
}

static void tell_edge(struct fsd_finder *f, const struct fsd_edge_change *e)
{

    fsd_finding_open(f);
    if (!(e->new_from & FSD_REF_PORT))
        fsd_about_state_node(f, f->c->new, e->new_from);
    fsd_about_state_node(f, f->c->new, e->new_to);
    fprintf(f->out, "the edge %s -> %s carries ",
            fsd_state_ref_text(f->c->new, e->new_from, false),
            key(f->c->new, e->new_to));
    put_form(f->c->new, e->after, f->out);
    fputs("; before ", f->out);
    put_form(f->c->old, e->before, f->out);
    f->now.line = f->lines->nodes.at[e->old_to];
    fsd_finding_close(f);
}

void fsd_find_widened(struct fsd_finder *f)
{
    const struct fsd_compare *c = f->c;
    struct buckets b = {.of_group = FSD_NEW(f->scratch, uint32_t, c->new->groups.n),
                        .next = FSD_NEW(f->scratch, fsd_id, c->precisions.n)};

    for (uint32_t i = 0; i < c->new->groups.n; i++)
        b.of_group[i] = FSD_NONE;
    for (fsd_id i = 0; i < c->precisions.n; i++) {
        b.next[i] = FSD_NONE;
        if (c->precisions.at[i].width == FSD_WIDTH_WIDENED)
            put_into(f, &b, i);
    }
    for (uint32_t i = 0; i < b.at.n; i++)
        tell_widened(f, &b, &b.at.at[i]);
    for (uint32_t i = 0; i < c->edges.n; i++)
        if (c->edges.at[i].width == FSD_WIDTH_WIDENED)
            tell_edge(f, &c->edges.at[i]);
}

/* ------------------------------------------------------------------------- moves */

static void tell_move(struct fsd_finder *f, const struct fsd_move_change *change)
{
    const struct fsd_state *s = f->c->new;
    const struct fsd_move *m = &s->moves.at[change->new];

    fsd_finding_open(f);
    for (uint32_t i = 0; i < m->nodes.n; i++)
        fsd_about_state_node(f, s, s->refs.at[m->nodes.at + i]);
    for (uint32_t i = 0; i < m->to.n; i++)
        if (!(s->refs.at[m->to.at + i] & FSD_REF_PORT))
            fsd_about_state_node(f, s, s->refs.at[m->to.at + i]);
    fprintf(f->out, "new %s ", fsd_kind_name((enum fsd_kind)m->kind));
    if (m->nodes.n) {
        put_refs(s, m->nodes, false, f->out);
        putc(' ', f->out);
    }
    if (m->cause != FSD_CAUSE_NONE)
        fprintf(f->out, "(%s) ", fsd_cause_name((enum fsd_cause)m->cause));
    fputs("on the edge ", f->out);
    put_refs(s, m->from, false, f->out);
    fputs(" -> ", f->out);
    put_refs(s, m->to, true, f->out);
    fputs(": ", f->out);
    put_form(s, m->before, f->out);
    fputs(" -> ", f->out);
    put_form(s, m->after, f->out);
    f->untimed = m->ms.median < 0;
    if (m->ms.median >= 0) {
        f->ms = m->ms.median;
        fprintf(f->out, ", %.4f ms", f->ms);
    }
    fsd_finding_close(f);
}

/* A quantizer that stands, or a layer inserted at a cost: what the builder does for
 * nothing costs nothing. */
static bool is_move(const struct fsd_move *m, bool standing)
{
    return standing ? m->kind == FSD_KIND_QUANTIZE && !m->inserted
                    : m->inserted && m->kind != FSD_KIND_NOOP;
}

/* Which: standing quantizers, or inserted layers.  One that was something else before
 * is new too. */
void fsd_find_new_moves(struct fsd_finder *f)
{
    const struct fsd_compare *c = f->c;
    bool standing = f->rule->which;

    for (uint32_t i = 0; i < c->moves.n; i++) {
        const struct fsd_move_change *m = &c->moves.at[i];

        if (m->what != FSD_MOVE_REMOVED &&
            is_move(&c->new->moves.at[m->new], standing) &&
            (m->what == FSD_MOVE_ADDED ||
             !is_move(&c->old->moves.at[m->old], standing)))
            tell_move(f, m);
    }
}

/* ------------------------------------------------------------------------- nodes */

static void tell_presence(struct fsd_finder *f, const struct fsd_node_presence *p,
                          const char *what)
{
    const struct fsd_state *s = p->new != FSD_NONE ? f->c->new : f->c->old;
    fsd_id node = p->new != FSD_NONE ? p->new : p->old;

    fsd_finding_open(f);
    fsd_about_state_node(f, s, node);
    fprintf(f->out, "%s (%s) %s", key(s, node),
            fsd_text(s->names, s->nodes.at[node].op), what);
    f->now.line = p->old != FSD_NONE ? f->lines->nodes.at[p->old] : 0;
    fsd_finding_close(f);
}

void fsd_find_untracked(struct fsd_finder *f)
{
    for (uint32_t i = 0; i < f->c->presences.n; i++) {
        const struct fsd_node_presence *p = &f->c->presences.at[i];

        if (p->what == FSD_LOST_TRACK)
            tell_presence(f, p, "is now unexplained");
        else if (p->what == FSD_ONLY_NEW &&
                 f->c->new->nodes.at[p->new].fate == FSD_FATE_UNEXPLAINED)
            tell_presence(f, p, "is new, and unexplained");
    }
}

void fsd_find_model_changes(struct fsd_finder *f)
{
    for (uint32_t i = 0; i < f->c->presences.n; i++) {
        const struct fsd_node_presence *p = &f->c->presences.at[i];

        if (p->what == FSD_ONLY_OLD)
            tell_presence(f, p, "is only in the snapshot's model");
        else if (p->what == FSD_ONLY_NEW)
            tell_presence(f, p, "is not in the snapshot's model");
    }
}

/* ------------------------------------------------------------------------- ports */

static void tell_port(struct fsd_finder *f, const struct fsd_port_change *p)
{
    const struct fsd_state *old = f->c->old, *new = f->c->new;
    const struct fsd_state_port *was = p->output ? old->outputs.at : old->inputs.at;
    const struct fsd_state_port *now = p->output ? new->outputs.at : new->inputs.at;

    was = p->old == FSD_NONE ? NULL : was + p->old;
    now = p->new == FSD_NONE ? NULL : now + p->new;
    fsd_finding_open(f);
    fprintf(f->out, "%s %s", p->output ? "output" : "input",
            now ? fsd_text(new->names, now->name) : fsd_text(old->names, was->name));
    if (!was)
        fputs(" is new", f->out);
    else if (!now)
        fputs(" is gone", f->out);
    else {
        if (p->name)
            fprintf(f->out, ", was called %s", fsd_text(old->names, was->name));
        if (p->shape)
            fprintf(f->out, ", %s -> %s", fsd_text(old->names, was->shape),
                    fsd_text(new->names, now->shape));
        if (p->form) {
            fputs(", ", f->out);
            put_form(old, was->form, f->out);
            fputs(" -> ", f->out);
            put_form(new, now->form, f->out);
        }
    }
    if (was)
        f->now.line =
            p->output ? f->lines->outputs.at[p->old] : f->lines->inputs.at[p->old];
    fsd_finding_close(f);
}

void fsd_find_ports(struct fsd_finder *f)
{
    for (uint32_t i = 0; i < f->c->ports.n; i++)
        tell_port(f, &f->c->ports.at[i]);
}
