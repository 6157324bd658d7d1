/*
 * If a snapshot has several builds, a check compares the checked build with a mix of
 * them, which this file makes.  For each row in which the builds vary, the mix has the
 * variant that differs least from the checked build, or the first of several.
 *
 * The mix has its own nodes, groups and moves, but their spans are ranges of the
 * snapshot's arrays.
 */
#include "change/snapshot/variants.h"

#include "base/base.h"
#include "change/compare/compare.h"

/* ------------------------------------------------------------------------- a mix */

static void *copy_of(struct fsd_arena *arena, const void *at, size_t n, size_t size)
{
    void *copy = fsd_arena_alloc(arena, n, size, alignof(max_align_t));

    return n ? memcpy(copy, at, n * size) : copy;
}

struct fsd_mix fsd_mix_open(struct fsd_arena *scratch, const struct fsd_state *s,
                            const struct fsd_state *pools, const bool *listed)
{
    struct fsd_state *copy = FSD_NEW(s->arena, struct fsd_state, 1);
    struct fsd_mix x = {.s = copy, .groups = s->groups.n, .moves = s->moves.n};

    *copy = *s;
    copy->refs = pools->refs;
    copy->borders = pools->borders;
    copy->sources = pools->sources;
    copy->kernels = pools->kernels;
    copy->tensors = pools->tensors;
    memset(&copy->also, 0, sizeof copy->also);
    memset(&copy->variants, 0, sizeof copy->variants);
#define COPY(list)                                                                     \
    (copy->list.at = copy_of(s->arena, s->list.at, s->list.n, sizeof *s->list.at),     \
     copy->list.cap = s->list.n)
    COPY(inputs);
    COPY(outputs);
    COPY(bindings);
    COPY(nodes);
    COPY(groups);
    COPY(moves);
#undef COPY
    x.first_move = fsd_ids_new(scratch, s->nodes.n + 1);
    x.next_move = FSD_NEW(scratch, fsd_id, x.moves);
    x.no_group = FSD_NEW(scratch, bool, x.groups);
    x.no_move = FSD_NEW(scratch, bool, x.moves);

    for (fsd_id i = 0; i < x.moves; i++) {
        fsd_id owner = fsd_state_owner_of_move(copy, &copy->moves.at[i]);
        bool none =
            !fsd_true_at(listed, owner) && fsd_state_group_of(copy, owner) == FSD_NONE;
        fsd_id *first = &x.first_move[none ? s->nodes.n : owner];

        x.next_move[i] = *first;
        *first = i;
    }
    return x;
}

void fsd_mix_take_out(struct fsd_mix *x, fsd_id node)
{
    struct fsd_state *s = x->s;
    fsd_id move = x->first_move[fsd_id_or(node, s->nodes.n)], group;

    for (; move != FSD_NONE; move = x->next_move[move])
        x->no_move[move] = true;
    group = fsd_state_group_of(s, node);
    if (group >= x->groups)
        return;
    x->no_group[group] = true;
    for (uint32_t i = 0; i < s->groups.at[group].nodes.n; i++)
        s->nodes.at[s->refs.at[s->groups.at[group].nodes.at + i]].group = FSD_NONE;
}

void fsd_mix_close(struct fsd_mix *x)
{
    struct fsd_state *s = x->s;
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->groups.n; i++)
        if (i >= x->groups || !x->no_group[i])
            s->groups.at[n++] = s->groups.at[i];
    s->groups.n = n;
    n = 0;
    for (uint32_t i = 0; i < s->moves.n; i++)
        if (i >= x->moves || !x->no_move[i])
            s->moves.at[n++] = s->moves.at[i];
    s->moves.n = n;
    fsd_state_set_groups(s);
}

/* -------------------------------------------------------------------------- rows */

/* The rows in which the builds of a snapshot vary.  A row is a set of nodes with their
 * groups and moves, or all moves that belong to no group. */
struct rows {
    const struct fsd_state *s;
    uint32_t n, builds;
    fsd_id *of_node;        /* indexed by node: its row; FSD_NONE if it is in no row */
    fsd_id of_rest;         /* row of the moves that belong to no group; FSD_NONE if
                               they do not vary */
    struct fsd_span *nodes; /* indexed by row: the nodes that the first variant lists */
    uint32_t *line;         /* indexed by row, then build: line number of the build's
                               variant; 0 if it has none */
    uint32_t *apart; /* indexed by row, then build: number of differences from the
                        checked build */
    bool *less;      /* indexed by row, then build: whether the variant states less than
                        the first build */
    uint32_t *as;    /* indexed by row: the build whose variant is chosen */
    /* Inputs, outputs, bindings, and nodes without a group are in no row.  The chosen
     * build is in `outer_as` for inputs, outputs and bindings, and in `fate_as` for
     * nodes. */
    uint32_t n_outer;  /* number of inputs, outputs and bindings, which are numbered in
                          this order */
    bool *outer_apart; /* indexed by build, then by input, output or binding: whether it
                          differs from the checked build */
    uint32_t *outer_as;
    uint32_t *fate_as; /* indexed by node: the build from which the outcome (fate) of
                          the node is taken */
};

static const struct fsd_state *build(const struct fsd_state *s, uint32_t i)
{
    return i ? s->also.at[i - 1] : s;
}

/* Joins the nodes of each row in a union-find.  Variants of the same row usually list
 * the same nodes.  If variants overlap only in part, all their nodes become one row. */
static fsd_id *join_nodes(const struct fsd_state *s, struct fsd_arena *scratch)
{
    fsd_id *head = fsd_sets_new(scratch, s->nodes.n);

    for (uint32_t b = 1; b <= s->also.n; b++)
        for (uint32_t v = 0; v < build(s, b)->variants.n; v++) {
            struct fsd_span nodes = build(s, b)->variants.at[v].nodes;

            for (uint32_t i = 1; i < nodes.n; i++)
                fsd_sets_join(head, s->refs.at[nodes.at], s->refs.at[nodes.at + i]);
        }
    return head;
}

static fsd_id *row_of(struct rows *r, fsd_id *head, struct fsd_span nodes)
{
    return nodes.n ? &r->of_node[fsd_sets_find(head, r->s->refs.at[nodes.at])]
                   : &r->of_rest;
}

static struct rows find_rows(const struct fsd_state *s, struct fsd_arena *scratch)
{
    struct rows r = {.s = s, .builds = s->also.n + 1, .of_rest = FSD_NONE};
    fsd_id *head = join_nodes(s, scratch);
    uint32_t most = 0;

    for (uint32_t b = 1; b < r.builds; b++)
        most += build(s, b)->variants.n;
    r.of_node = fsd_ids_new(scratch, s->nodes.n);
    r.nodes = FSD_NEW(scratch, struct fsd_span, most);
    r.line = FSD_NEW(scratch, uint32_t, (size_t)most * r.builds);
    r.apart = FSD_NEW(scratch, uint32_t, (size_t)most * r.builds);
    r.less = FSD_NEW(scratch, bool, (size_t)most *r.builds);
    r.as = FSD_NEW(scratch, uint32_t, most);
    r.n_outer = s->inputs.n + s->outputs.n + s->bindings.n;
    r.outer_apart = FSD_NEW(scratch, bool, (size_t)r.n_outer *r.builds);
    r.outer_as = FSD_NEW(scratch, uint32_t, r.n_outer);
    r.fate_as = FSD_NEW(scratch, uint32_t, s->nodes.n);
    for (uint32_t b = 1; b < r.builds; b++)
        for (uint32_t v = 0; v < build(s, b)->variants.n; v++) {
            struct fsd_span nodes = build(s, b)->variants.at[v].nodes;
            fsd_id *row = row_of(&r, head, nodes);

            if (*row == FSD_NONE) {
                *row = r.n++;
                r.nodes[*row] = nodes;
            }
            r.line[(size_t)*row * r.builds + b] = build(s, b)->variants.at[v].line;
            r.less[(size_t)*row * r.builds + b] = build(s, b)->variants.at[v].less;
        }
    for (uint32_t b = 1; b < r.builds; b++)
        for (uint32_t v = 0; v < build(s, b)->variants.n; v++) {
            struct fsd_span nodes = build(s, b)->variants.at[v].nodes;

            FSD_EACH_ID (node, s->refs, nodes)
                r.of_node[node] = *row_of(&r, head, nodes);
        }
    return r;
}

static fsd_id row_of_group(const struct rows *r, const struct fsd_state *s,
                           fsd_id group)
{
    return r->of_node[s->refs.at[s->groups.at[group].nodes.at]];
}

/* The row of the moves that belong to `owner`, a node of the snapshot's model. */
static fsd_id row_of_owner(const struct rows *r, fsd_id owner)
{
    bool none = fsd_id_at(r->of_node, owner) == FSD_NONE &&
                fsd_state_group_of(r->s, owner) == FSD_NONE;

    return none ? r->of_rest : r->of_node[owner];
}

/* ----------------------------------------------------------------------- nearest */

static void add(const struct rows *r, uint32_t b, fsd_id row)
{
    if (row != FSD_NONE)
        r->apart[(size_t)row * r->builds + b]++;
}

static void add_node(const struct rows *r, uint32_t b, fsd_id node)
{
    add(r, b, fsd_id_at(r->of_node, node));
}

/* The node of the old model to which a move belongs.  The move is move `old` of the old
 * build or, if `old` is FSD_NONE, move `new` of the new build. */
static fsd_id old_owner(const struct fsd_compare *c, fsd_id old, fsd_id new)
{
    if (old != FSD_NONE)
        return fsd_state_owner_of_move(c->old, &c->old->moves.at[old]);
    return fsd_id_at(c->align->to_old,
                     fsd_state_owner_of_move(c->new, &c->new->moves.at[new]));
}

/* Counts the differences between build `b` and the checked build in each row; `c` is
 * the comparison of both builds. */
static void measure(const struct rows *r, uint32_t b, const struct fsd_compare *c)
{
    const struct fsd_state *s = c->old;

    FSD_EACH (const struct fsd_region_diff, d, c->regions) {
        if (d->happened == FSD_HAPPENED_SAME && !d->layers && !d->kernels &&
            !d->unasked.n)
            continue;
        FSD_EACH_ID (group, c->pool, d->old_groups)
            add(r, b, row_of_group(r, s, group));
        FSD_EACH_ID (group, c->pool, d->new_groups) {
            const struct fsd_group *g = &c->new->groups.at[group];

            add_node(r, b, c->align->to_old[c->new->refs.at[g->nodes.at]]);
        }
    }
    for (uint32_t i = 0; i < c->precisions.n; i++)
        add_node(r, b, c->precisions.at[i].old);
    for (uint32_t i = 0; i < c->edges.n; i++)
        add_node(
            r, b,
            fsd_id_or(c->edges.at[i].old_to, fsd_origin_node(c->edges.at[i].old_from)));
    FSD_EACH (const struct fsd_move_change, m, c->moves)
        add(r, b, row_of_owner(r, old_owner(c, m->old, m->new)));
    FSD_EACH (const struct fsd_kernel_change, k, c->kernels) {
        bool gone = k->old != FSD_NONE;
        uint32_t of = gone ? k->old_of : k->new_of;

        if (k->region != FSD_NONE || !(of & FSD_LAYER_MOVES))
            continue;
        of &= ~FSD_LAYER_MOVES;
        add(r, b, row_of_owner(r, old_owner(c, gone ? of : FSD_NONE, of)));
    }
    FSD_EACH (const struct fsd_fact_lost, lost, c->lost)
        if (lost->of < FSD_OF_MOVE)
            add_node(r, b, lost->old);
        else if (lost->of == FSD_OF_MOVE)
            add(r, b,
                row_of_owner(r, fsd_state_owner_of_move(s, &s->moves.at[lost->old])));
}

/* ------------------------------------------------------------- inputs and outputs */

static fsd_id outer_of(const struct fsd_state *s, bool output, fsd_id port)
{
    return output ? s->inputs.n + port : port;
}

bool fsd_variants_state_alike(const struct fsd_state *s, const struct fsd_state *t)
{
    return !strcmp(fsd_text(s->names, s->engine_kind),
                   fsd_text(t->names, t->engine_kind)) &&
           !strcmp(fsd_text(s->names, s->producer), fsd_text(t->names, t->producer)) &&
           !strcmp(fsd_text(s->names, s->stated), fsd_text(t->names, t->stated));
}

static bool form_is_less(struct fsd_state_form form, struct fsd_state_form than)
{
    return (than.layout && !form.layout) ||
           (than.type != FSD_DTYPE_UNKNOWN && form.type == FSD_DTYPE_UNKNOWN);
}

static bool is_text_apart(const struct fsd_compare *c, fsd_sym is, fsd_sym to)
{
    return (is && !to) || fsd_texts_differ(c, is, to);
}

/* Whether the checked build lacks binding `b`, or has it with other properties.  A
 * property that only `b` states is a difference, too, so that a variant without it is
 * nearer to the checked build. */
static bool is_binding_apart(const struct fsd_compare *c, const struct fsd_binding *b)
{
    FSD_EACH (const struct fsd_binding, to, c->new->bindings)
        if (to->output == b->output && !strcmp(fsd_text(c->old->names, b->name),
                                               fsd_text(c->new->names, to->name)))
            return fsd_forms_differ(c, b->form, to->form) ||
                   form_is_less(to->form, b->form) ||
                   is_text_apart(c, b->shape, to->shape) ||
                   is_text_apart(c, b->ranges, to->ranges) ||
                   is_text_apart(c, b->outside, to->outside);
    return true;
}

static void measure_outer(const struct rows *r, uint32_t b, const struct fsd_compare *c)
{
    const struct fsd_state *s = c->old;
    bool *apart = r->outer_apart + (size_t)b * r->n_outer;

    for (uint32_t i = 0; i < c->ports.n; i++)
        if (c->ports.at[i].old != FSD_NONE)
            apart[outer_of(s, c->ports.at[i].output, c->ports.at[i].old)] = true;
    for (uint32_t i = 0; i < c->lost.n; i++)
        if (c->lost.at[i].of == FSD_OF_INPUT || c->lost.at[i].of == FSD_OF_OUTPUT)
            apart[outer_of(s, c->lost.at[i].of == FSD_OF_OUTPUT, c->lost.at[i].old)] =
                true;
    for (uint32_t i = 0; i < s->bindings.n; i++)
        apart[s->inputs.n + s->outputs.n + i] = is_binding_apart(c, &s->bindings.at[i]);
}

/* The line number of input, output or binding i of build `s`; 0 if build `s` has no own
 * line for this item, because the item is as in the first build.  Sets *less to whether
 * build `s` states less about the item than the first build. */
static uint32_t outer_line(const struct fsd_state *s, const struct fsd_state *first,
                           uint32_t i, bool *less)
{
    const uint32_t ports = s->inputs.n + s->outputs.n;
    uint32_t line, of_first;

    if (i < ports) {
        bool output = i >= s->inputs.n;
        fsd_id at = output ? i - s->inputs.n : i;
        const struct fsd_state_port *q = &(output ? s->outputs.at : s->inputs.at)[at];
        const struct fsd_state_port *p =
            &(output ? first->outputs.at : first->inputs.at)[at];

        *less = (p->shape && !q->shape) || form_is_less(q->form, p->form);
        line = q->line;
        of_first = p->line;
    } else {
        const struct fsd_binding *q = &s->bindings.at[i - ports];
        const struct fsd_binding *p = &first->bindings.at[i - ports];

        *less = (p->shape && !q->shape) || (p->ranges && !q->ranges) ||
                (p->outside && !q->outside) || form_is_less(q->form, p->form);
        line = q->line;
        of_first = p->line;
    }
    return line == of_first ? 0 : line;
}

/* Sets `as` and `outer_as` to the builds with the fewest differences from `to`, the
 * checked build.  If several builds have equally few, the first of them is chosen. */
static void choose(struct rows *r, const struct fsd_state *to)
{
    for (uint32_t row = 0; row < r->n; row++) {
        const uint32_t *apart = r->apart + (size_t)row * r->builds;

        for (uint32_t b = 1; b < r->builds; b++) {
            size_t at = (size_t)row * r->builds + b;

            if (r->line[at] && apart[b] < apart[r->as[row]] &&
                (!r->less[at] || fsd_variants_state_alike(build(r->s, b), to)))
                r->as[row] = b;
        }
    }
    for (uint32_t i = 0; i < r->n_outer; i++)
        for (uint32_t b = r->builds; r->outer_apart[i] && --b;) {
            bool less, varies = outer_line(build(r->s, b), r->s, i, &less);

            if (varies && !r->outer_apart[(size_t)b * r->n_outer + i] &&
                (!less || fsd_variants_state_alike(build(r->s, b), to)))
                r->outer_as[i] = b;
        }
}

static bool is_fate_of(const struct fsd_state_node *n, const struct fsd_state_node *to)
{
    return n->fate == to->fate && n->precision == to->precision;
}

/* Sets `fate_as` to `b` for nodes whose outcome in the checked build is that of build
 * `b`, and not that of the first build.  Skips nodes in rows, and nodes whose `fate_as`
 * is set.  If the outcome is unexplained, build `b` must also state the same kinds of
 * facts as the checked build. */
static void choose_fates(struct rows *r, uint32_t b, const struct fsd_compare *c)
{
    for (fsd_id i = 0; i < r->s->nodes.n; i++) {
        fsd_id to = c->align->to_new[i];
        const struct fsd_state_node *n = &build(r->s, b)->nodes.at[i];

        if (to == FSD_NONE || r->of_node[i] != FSD_NONE || r->fate_as[i] ||
            is_fate_of(&r->s->nodes.at[i], &c->new->nodes.at[to]))
            continue;
        if (is_fate_of(n, &c->new->nodes.at[to]) &&
            (n->fate != FSD_FATE_UNEXPLAINED ||
             fsd_variants_state_alike(build(r->s, b), c->new)))
            r->fate_as[i] = b;
    }
}

static bool is_same_engine(const struct fsd_state *s, const struct fsd_state *t)
{
    return s->engine_hash[0] == t->engine_hash[0] &&
           s->engine_hash[1] == t->engine_hash[1];
}

/* Sets the facts about the whole engine, which reports compare, too.  Takes them from
 * the snapshot's build with the `engine_hash` of `to`, the checked build.  If there is
 * none: from the build that was made most like `to` (fsd_compare_built()). */
static void take_head(struct fsd_state *out, const struct fsd_state *s,
                      const struct fsd_state *to)
{
    FSD_SCRATCH(scratch);
    const struct fsd_state *best = s;
    uint32_t least = UINT32_MAX;

    for (uint32_t b = 0; b <= s->also.n && !is_same_engine(best, to); b++) {
        fsd_built_changes changes = {0};

        fsd_compare_built(scratch, build(s, b), to, &changes);
        if (changes.n < least || is_same_engine(build(s, b), to)) {
            best = build(s, b);
            least = changes.n;
        }
    }
    memcpy(out->engine_hash, best->engine_hash, sizeof out->engine_hash);
    out->engine_kind = best->engine_kind;
    out->producer = best->producer;
    out->stated = best->stated;
    out->built = best->built;
}

/* No engine has exactly the variants of the mix.  So the counts of layers and bytes are
 * set to the worst values of the builds in the mix: the most layers, the most bytes,
 * and the smallest share of mapped layers. */
static void take_counts(struct fsd_state *out, const struct rows *r)
{
    bool none = true;

    for (uint32_t b = 0; b < r->builds; b++) {
        const struct fsd_state *s = build(r->s, b);
        bool used = !r->n && !b;

        for (uint32_t row = 0; row < r->n; row++)
            used |= r->as[row] == b;
        if (!used)
            continue;
        if (none || s->layers > out->layers)
            out->layers = s->layers;
        if (none || s->bytes > out->bytes) {
            out->bytes = s->bytes;
            out->bytes_unknown = s->bytes_unknown;
        }
        if (none || (uint64_t)s->mapped * out->computing <
                        (uint64_t)out->mapped * s->computing) {
            out->mapped = s->mapped;
            out->computing = s->computing;
        }
        none = false;
    }
}

static void mix_groups(struct fsd_mix *x, const struct rows *r, uint32_t b)
{
    const struct fsd_state *s = build(r->s, b);

    for (fsd_id g = 0; g < s->groups.n; g++) {
        fsd_id row = row_of_group(r, s, g);

        if (fsd_id_at(r->as, row) == b)
            fsd_vec_push(x->s->arena, &x->s->groups, s->groups.at[g]);
    }
    for (fsd_id m = 0; m < s->moves.n; m++) {
        fsd_id row = row_of_owner(r, fsd_state_owner_of_move(s, &s->moves.at[m]));

        if (fsd_id_at(r->as, row) == b)
            fsd_vec_push(x->s->arena, &x->s->moves, s->moves.at[m]);
    }
}

static void mix_nodes(struct fsd_state *out, const struct rows *r)
{
    for (fsd_id i = 0; i < out->nodes.n; i++) {
        fsd_id row = r->of_node[i];
        const struct fsd_state *s =
            build(r->s, row == FSD_NONE ? r->fate_as[i] : r->as[row]);

        out->nodes.at[i].fate = s->nodes.at[i].fate;
        out->nodes.at[i].precision = s->nodes.at[i].precision;
    }
}

static void mix_outer(struct fsd_state *out, const struct rows *r)
{
    const uint32_t inputs = out->inputs.n, ports = inputs + out->outputs.n;

    for (uint32_t i = 0; i < r->n_outer; i++) {
        const struct fsd_state *s = build(r->s, r->outer_as[i]);
        struct fsd_variant v = {.build = r->outer_as[i]};
        bool less;

        if (!v.build)
            continue;
        v.line = outer_line(s, r->s, i, &less);
        if (i < inputs) {
            out->inputs.at[i] = s->inputs.at[i];
            v.port = out->inputs.at[i].name;
        } else if (i < ports) {
            out->outputs.at[i - inputs] = s->outputs.at[i - inputs];
            v.port = out->outputs.at[i - inputs].name;
        } else {
            out->bindings.at[i - ports] = s->bindings.at[i - ports];
            v.port = out->bindings.at[i - ports].name;
        }
        fsd_vec_push(out->arena, &out->variants, v);
    }
}

static double sum_of(const struct fsd_state *s)
{
    double ms = 0;

    for (uint32_t i = 0; i < s->groups.n; i++)
        ms += s->groups.at[i].ms.median > 0 ? s->groups.at[i].ms.median : 0;
    for (uint32_t i = 0; i < s->moves.n; i++)
        ms += s->moves.at[i].ms.median > 0 ? s->moves.at[i].ms.median : 0;
    return ms;
}

/* Sets the times of the mix.  A sum adds up the times of all groups and moves:
 *
 *     total of the mix = total of the first build + sum of the mix
 *                                                 - sum of the first build
 *
 * The number of profiles is the lowest number that a build in the mix has. */
static void take_times(struct fsd_state *out, const struct rows *r)
{
    double more = sum_of(out) - sum_of(r->s);

    if (!out->profiles)
        return;
    for (uint32_t row = 0; row < r->n; row++) {
        uint32_t profiles = build(r->s, r->as[row])->profiles;

        if (profiles && profiles < out->profiles)
            out->profiles = profiles;
    }
    out->total.median += more;
    out->total.low += more;
    out->total.high += more;
    fsd_state_set_untimed(out);
}

static const struct fsd_state *mix(const struct rows *r, const struct fsd_state *to,
                                   struct fsd_arena *scratch)
{
    const struct fsd_state *s = r->s;
    bool *listed = FSD_NEW(scratch, bool, s->nodes.n);
    struct fsd_mix x;

    for (fsd_id i = 0; i < s->nodes.n; i++)
        listed[i] = r->of_node[i] != FSD_NONE;
    x = fsd_mix_open(scratch, s, s, listed);
    for (fsd_id i = 0; i < s->nodes.n; i++)
        if (listed[i] && r->as[r->of_node[i]])
            fsd_mix_take_out(&x, i);
    if (r->of_rest != FSD_NONE && r->as[r->of_rest])
        fsd_mix_take_out(&x, FSD_NONE);
    for (uint32_t b = 1; b < r->builds; b++)
        mix_groups(&x, r, b);
    mix_nodes(x.s, r);
    fsd_mix_close(&x);
    take_head(x.s, s, to);
    take_counts(x.s, r);
    take_times(x.s, r);
    x.s->also = s->also;
    for (uint32_t row = 0; row < r->n; row++)
        fsd_vec_push(s->arena, &x.s->variants,
                     ((struct fsd_variant){
                         .nodes = r->nodes[row],
                         .build = r->as[row],
                         .apart = r->apart[(size_t)row * r->builds + r->as[row]],
                         .line = r->line[(size_t)row * r->builds + r->as[row]]}));
    mix_outer(x.s, r);
    return x.s;
}

const struct fsd_state *fsd_variants_nearest(const struct fsd_state *s,
                                             const struct fsd_state *to)
{
    struct fsd_arena *scratch;
    const struct fsd_state *nearest;
    struct rows r;

    if (!s->also.n)
        return s;
    scratch = fsd_arena_new();
    r = find_rows(s, scratch);
    for (uint32_t b = 0; b < r.builds; b++) {
        struct fsd_compare *c = fsd_compare_new(build(s, b), to);

        measure(&r, b, c);
        measure_outer(&r, b, c);
        choose_fates(&r, b, c);
        fsd_compare_free(c);
    }
    choose(&r, to);
    nearest = mix(&r, to, scratch);
    fsd_arena_free(scratch);
    return nearest;
}
