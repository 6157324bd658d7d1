/*
 * Finds regions by union-find. A new node and its counterpart are one element; each
 * other node is an element of its own. All nodes of a group are joined, in both builds.
 * The groups whose nodes are then in one set form a region.
 *
 * Regions consist of nodes, because only the model's nodes are common to both builds.
 * Another version of the builder gives layers different names, types and borders. Even
 * if the same command runs twice, kernels, their order and the numbers in names differ.
 */
#include "base/base.h"
#include "change/compare/parts.h"

static fsd_id element(const struct fsd_compare *c, bool new, fsd_id node)
{
    if (!new)
        return node;
    return fsd_id_or(c->align->to_old[node], c->old->nodes.n + node);
}

static void join_groups(const struct fsd_compare *c, bool new, fsd_id *head)
{
    const struct fsd_state *s = new ? c->new : c->old;

    for (uint32_t g = 0; g < s->groups.n; g++) {
        struct fsd_span nodes = s->groups.at[g].nodes;
        fsd_id first = element(c, new, s->refs.at[nodes.at]);

        for (uint32_t i = 1; i < nodes.n; i++)
            fsd_sets_join(head, first, element(c, new, s->refs.at[nodes.at + i]));
    }
}

/* ------------------------------------------------------------------ what happened */

/* Both arrays are indexed by side, then group. `partner`: the first group of the other
 * side that shares nodes with the group; FSD_NONE: none. `more`: whether several groups
 * of the other side share nodes with the group. */
struct meeting {
    fsd_id *partner[2];
    bool *more[2];
};

static void meet(struct meeting *m, int side, fsd_id group, fsd_id partner)
{
    if (m->partner[side][group] == FSD_NONE)
        m->partner[side][group] = partner;
    else if (m->partner[side][group] != partner)
        m->more[side][group] = true;
}

static struct meeting meet_groups(const struct fsd_compare *c,
                                  struct fsd_arena *scratch)
{
    const struct fsd_state *s[2] = {c->old, c->new};
    struct meeting m;

    for (int k = 0; k < 2; k++) {
        m.partner[k] = FSD_NEW(scratch, fsd_id, s[k]->groups.n);
        m.more[k] = FSD_NEW(scratch, bool, s[k]->groups.n);
        for (uint32_t g = 0; g < s[k]->groups.n; g++)
            m.partner[k][g] = FSD_NONE;
    }
    for (fsd_id i = 0; i < c->old->nodes.n; i++) {
        fsd_id g = c->old->nodes.at[i].group;
        fsd_id h = fsd_state_group_of(c->new, c->align->to_new[i]);

        if (g == FSD_NONE || h == FSD_NONE)
            continue;
        meet(&m, 0, g, h);
        meet(&m, 1, h, g);
    }
    return m;
}

/* The facts about the groups of one side that decide about a region's fusion. */
struct answer {
    uint32_t layers, kernels;
    bool idle;    /* a group has nodes with weights, but its layers do not compute */
    bool opaque;  /* it is unknown which nodes the layers of a group compute */
    bool guessed; /* a layer is matched by structure alone */
    bool more;    /* a group shares nodes with several groups of the other side */
    bool lone;    /* a group computes a node that the other model lacks */
};

static bool has_lone(const struct fsd_compare *c, bool new, const struct fsd_group *g)
{
    const struct fsd_state *s = new ? c->new : c->old;
    const fsd_id *to = new ? c->align->to_old : c->align->to_new;
    bool has = false;

    FSD_EACH_ID (node, s->refs, g->nodes)
        has |= s->nodes.at[node].role == FSD_ROLE_CORE && to[node] == FSD_NONE;
    return has;
}

static bool has_weights(const struct fsd_state *s, const struct fsd_group *g)
{
    bool yes = false;

    for (uint32_t i = 0; i < g->nodes.n; i++)
        yes |= s->nodes.at[s->refs.at[g->nodes.at + i]].weight != 0;
    return yes;
}

static struct answer answer_of(const struct fsd_compare *c,
                               const struct fsd_region_diff *r, bool new,
                               const struct meeting *m)
{
    struct fsd_span groups = new ? r->new_groups : r->old_groups;
    struct answer answer = {0};

    FSD_EACH_ID (id, c->pool, groups) {
        const struct fsd_group *g = &(new ? c->new : c->old)->groups.at[id];

        answer.layers += g->layers;
        answer.kernels += g->kernels.n;
        answer.idle |=
            has_weights(new ? c->new : c->old, g) && !fsd_kind_computes(g->kind);
        answer.opaque |= g->loose || g->kind == FSD_KIND_FOREIGN;
        answer.guessed |= g->guessed;
        answer.lone |= has_lone(c, new, g);
        answer.more |= m->more[new][id];
    }
    return answer;
}

bool fsd_region_is_weak(const struct fsd_compare *c, const struct fsd_region_diff *r,
                        bool new)
{
    const struct fsd_state *s = new ? c->new : c->old;
    struct fsd_span groups = new ? r->new_groups : r->old_groups;
    bool weak = false;

    FSD_EACH_ID (group, c->pool, groups) {
        const struct fsd_group *g = &s->groups.at[group];

        weak |= g->loose || g->guessed || g->kind == FSD_KIND_FOREIGN;
    }
    return weak;
}

/* Judges a region whose groups have the same nodes but different numbers of layers. The
 * fusion has changed if the build with fewer kernels has a kernel whose work only this
 * build does. Otherwise, the fusion is the same: a kernel merely occurs twice or is
 * missing.
 *
 * If a group computes a node that the other model lacks, such as a Gemm instead of a
 * MatMul and an Add, the work of kernels cannot be compared. Then only the numbers of
 * kernels count: if they are equal, the fusion is the same. */
static enum fsd_happened recounted(const struct fsd_region_diff *r,
                                   struct answer before, struct answer after)
{
    if (before.lone || after.lone)
        return before.kernels == after.kernels ? FSD_HAPPENED_SAME
                                               : FSD_HAPPENED_REGROUPED;
    if (after.kernels > before.kernels && before.kernels > r->as_before)
        return FSD_HAPPENED_LOST;
    if (after.kernels < before.kernels && after.kernels > r->as_before)
        return FSD_HAPPENED_GAINED;
    return FSD_HAPPENED_SAME;
}

static enum fsd_happened happened(const struct fsd_compare *c,
                                  const struct fsd_region_diff *r,
                                  const struct meeting *m)
{
    struct answer before = answer_of(c, r, false, m), after = answer_of(c, r, true, m);

    if (!r->new_groups.n)
        return FSD_HAPPENED_OLD_ONLY;
    if (!r->old_groups.n)
        return FSD_HAPPENED_NEW_ONLY;
    if (!before.more && !after.more && before.layers == after.layers &&
        before.idle == after.idle)
        return FSD_HAPPENED_SAME;
    if (!before.more && !after.more && before.idle == after.idle &&
        fsd_compare_has_kernels(c))
        return recounted(r, before, after);
    /* A difference proves nothing if it is unknown which nodes a layer computes, or if
     * only one side has weak evidence. */
    if (before.opaque || after.opaque || before.guessed != after.guessed ||
        before.idle != after.idle)
        return FSD_HAPPENED_OPAQUE;
    if (before.more && after.more)
        return FSD_HAPPENED_REGROUPED;
    /* If each new kernel does the same work as an old kernel, no kernels were fused. */
    if (after.more && fsd_compare_has_kernels(c) && r->as_before == after.kernels)
        return FSD_HAPPENED_OPAQUE;
    return before.more  ? FSD_HAPPENED_LOST
           : after.more ? FSD_HAPPENED_GAINED
                        : FSD_HAPPENED_SAME;
}

/* Compares the layers of a region that has one group on each side. */
static void compare_layers(const struct fsd_compare *c, struct fsd_region_diff *r)
{
    const struct fsd_group *g, *h;

    if (r->happened != FSD_HAPPENED_SAME || r->old_groups.n != 1 ||
        r->new_groups.n != 1)
        return;
    g = &c->old->groups.at[c->pool.at[r->old_groups.at]];
    h = &c->new->groups.at[c->pool.at[r->new_groups.at]];
    r->layers = g->layers != h->layers && !g->loose && !h->loose;
    r->tactic = !c->across && g->tactic && h->tactic &&
                strcmp(fsd_text(c->old->names, g->tactic),
                       fsd_text(c->new->names, h->tactic)) != 0;
}

/* -------------------------------------------------------------------------- spans */

static void number_regions(struct fsd_compare *c, bool new, fsd_id *head,
                           fsd_id *of_head)
{
    const struct fsd_state *s = new ? c->new : c->old;
    fsd_id *of_group = new ? c->new_region : c->old_region;

    for (uint32_t g = 0; g < s->groups.n; g++) {
        fsd_id h =
            fsd_sets_find(head, element(c, new, s->refs.at[s->groups.at[g].nodes.at]));

        if (of_head[h] == FSD_NONE) {
            of_head[h] = c->regions.n;
            fsd_vec_push(c->arena, &c->regions,
                         (struct fsd_region_diff){.before = -1, .after = -1});
        }
        of_group[g] = of_head[h];
    }
}

/* Reserves span->n entries in the pool. Then sets span->n to 0, because fill_side()
 * counts the entries again while it stores them. */
static void open_span(struct fsd_compare *c, struct fsd_span *span)
{
    span->at = c->pool.n;
    for (uint32_t i = 0; i < span->n; i++)
        fsd_vec_push(c->arena, &c->pool, 0);
    span->n = 0;
}

static void add_to_span(struct fsd_compare *c, struct fsd_span *span, fsd_id id,
                        bool put)
{
    if (put)
        c->pool.at[span->at + span->n] = id;
    span->n++;
}

/* Counts the entries of each span or, with `put`, stores them. */
static void fill_side(struct fsd_compare *c, bool new, bool put)
{
    const struct fsd_state *s = new ? c->new : c->old;

    for (fsd_id i = 0; i < s->groups.n; i++) {
        struct fsd_region_diff *r =
            &c->regions.at[(new ? c->new_region : c->old_region)[i]];

        add_to_span(c, new ? &r->new_groups : &r->old_groups, i, put);
    }
    for (fsd_id i = 0; i < s->moves.n; i++) {
        struct fsd_region_diff *r =
            fsd_compare_region(c, fsd_compare_region_of_move(c, new, i));

        if (r)
            add_to_span(c, new ? &r->new_moves : &r->old_moves, i, put);
    }
}

static void fill_spans(struct fsd_compare *c)
{
    fill_side(c, false, false);
    fill_side(c, true, false);
    for (uint32_t i = 0; i < c->regions.n; i++) {
        open_span(c, &c->regions.at[i].old_groups);
        open_span(c, &c->regions.at[i].new_groups);
        open_span(c, &c->regions.at[i].old_moves);
        open_span(c, &c->regions.at[i].new_moves);
    }
    fill_side(c, false, true);
    fill_side(c, true, true);
}

static bool is_untyped(const struct fsd_compare *c, const struct fsd_region_diff *r)
{
    bool untyped = false;

    for (uint32_t i = 0; i < r->old_groups.n + r->new_groups.n; i++) {
        bool new = i >= r->old_groups.n;
        fsd_id group = new ? c->pool.at[r->new_groups.at + i - r->old_groups.n]
                           : c->pool.at[r->old_groups.at + i];
        const struct fsd_state *s = new ? c->new : c->old;

        untyped |= s->groups.at[group].precision == FSD_DTYPE_UNKNOWN;
    }
    return untyped;
}

/* Whether the groups are the same, but a foreign region among them hides its kernels. A
 * foreign region of one node hides nothing: it counts as one kernel. */
static bool is_hidden(const struct fsd_compare *c, const struct fsd_region_diff *r)
{
    bool hidden = false;

    for (uint32_t i = 0; i < r->old_groups.n + r->new_groups.n; i++) {
        bool new = i >= r->old_groups.n;
        fsd_id group = c->pool.at[new ? r->new_groups.at + i - r->old_groups.n
                                      : r->old_groups.at + i];
        const struct fsd_group *g = &(new ? c->new : c->old)->groups.at[group];

        hidden |= g->kind == FSD_KIND_FOREIGN && g->nodes.n > 1;
    }
    return hidden && r->happened == FSD_HAPPENED_SAME;
}

void fsd_compare_regions(struct fsd_compare *c, struct fsd_arena *scratch)
{
    uint32_t n = c->old->nodes.n + c->new->nodes.n;
    fsd_id *head = fsd_sets_new(scratch, n);
    fsd_id *of_head = fsd_ids_new(scratch, n);
    struct meeting m;

    join_groups(c, false, head);
    join_groups(c, true, head);
    c->old_region = FSD_NEW(c->arena, fsd_id, c->old->groups.n);
    c->new_region = FSD_NEW(c->arena, fsd_id, c->new->groups.n);
    number_regions(c, true, head, of_head);
    number_regions(c, false, head, of_head);
    fill_spans(c);
    fsd_compare_group_kernels(c, scratch);
    m = meet_groups(c, scratch);
    FSD_EACH (struct fsd_region_diff, r, c->regions) {
        r->happened = (uint8_t)happened(c, r, &m);
        r->untyped = is_untyped(c, r);
        c->untyped += r->untyped;
        r->hidden = is_hidden(c, r);
        c->hidden += r->hidden;
        compare_layers(c, r);
    }
}

/* ------------------------------------------------------------------------ words */

const char *fsd_edge_reader(const struct fsd_compare *c,
                            const struct fsd_edge_change *e)
{
    return e->new_to == FSD_NONE ? "(its consumers)"
                                 : fsd_state_node_key(c->new, e->new_to);
}

FSD_NAMES(fsd_happened_name, unsigned,
          FSD__HAPPENED_COUNT, [FSD_HAPPENED_SAME] = "same",
          [FSD_HAPPENED_LOST] = "fusion-lost", [FSD_HAPPENED_GAINED] = "fusion-gained",
          [FSD_HAPPENED_REGROUPED] = "regrouped", [FSD_HAPPENED_OPAQUE] = "opaque",
          [FSD_HAPPENED_OLD_ONLY] = "only-old", [FSD_HAPPENED_NEW_ONLY] = "only-new")

FSD_NAMES(fsd_width_name, unsigned, FSD__WIDTH_COUNT, [FSD_WIDTH_SAME] = "same",
          [FSD_WIDTH_NARROWED] = "narrowed", [FSD_WIDTH_WIDENED] = "widened",
          [FSD_WIDTH_OTHER] = "changed", [FSD_WIDTH_RETYPED] = "retyped")

FSD_NAMES(fsd_blame_name, unsigned, FSD__BLAME_COUNT, [FSD_BLAME_FUSION] = "fusion",
          [FSD_BLAME_PRECISION] = "precision", [FSD_BLAME_KERNEL] = "kernel",
          [FSD_BLAME_MOVES] = "inserted")

FSD_NAMES(fsd_presence_name, unsigned,
          FSD__PRESENCE_COUNT, [FSD_ONLY_OLD] = "only-old", [FSD_ONLY_NEW] = "only-new",
          [FSD_ELIMINATED] = "eliminated", [FSD_KEPT] = "kept",
          [FSD_LOST_TRACK] = "unexplained", [FSD_FOUND] = "explained",
          [FSD_LEFT] = "outside", [FSD_UNLISTED] = "unlisted")

const char *fsd_move_what_name(unsigned what)
{
    static const char *const names[] = {[FSD_MOVE_ADDED] = "added",
                                        [FSD_MOVE_REMOVED] = "removed",
                                        [FSD_MOVE_CHANGED] = "changed"};

    return names[what];
}

const char *fsd_region_precision(const struct fsd_region_diff *r)
{
    return r->untyped && r->width == FSD_WIDTH_SAME ? "unknown"
                                                    : fsd_width_name(r->width);
}
