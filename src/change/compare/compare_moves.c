/*
 * Finds moves that were added, removed or changed. A move is identified by the nodes
 * before and after it. Two moves that agree in everything are the same. All other moves
 * are paired if they are between the same nodes, moves of the same kind first.
 */
#include "base/base.h"
#include "change/compare/parts.h"

/* A number that identifies an end of a move on both sides: the number of the end in the
 * old state. */
static uint64_t common(const struct fsd_compare *c, struct fsd_ends ends, uint32_t i)
{
    uint32_t ref = ends.refs[i];
    uint32_t old = ends.s == c->old ? ref : fsd_align_old_end(c->align, ends, i);

    return old == FSD_NONE ? (UINT64_C(1) << 32) | ref /* only the new side has the
                                                          end; bit 32 distinguishes
                                                          it from all old ends */
                           : old;
}

/* Whether only the model of `ends` has the end. */
static bool is_lone(const struct fsd_compare *c, struct fsd_ends ends, uint32_t i)
{
    return ends.s == c->old ? fsd_align_lacks_end(c->align, ends, i)
                            : fsd_align_old_end(c->align, ends, i) == FSD_NONE;
}

/* The hash of a set of ends. It does not depend on the order of the ends, which differs
 * between the sides. */
static uint64_t hash_set(const struct fsd_compare *c, struct fsd_ends ends)
{
    uint64_t sum = ends.n;

    for (uint32_t i = 0; i < ends.n; i++)
        sum += fsd_hash_mix(1, common(c, ends, i));
    return sum;
}

static uint64_t hash_form(const struct fsd_compare *c, const struct fsd_state *s,
                          struct fsd_state_form f)
{
    if (c->across)
        return f.type;
    return fsd_hash_mix(f.type, fsd_state_hash(s, f.layout));
}

enum {
    BY_ALL_FACTS,
    BY_KERNEL,
    BY_KIND,
    BY_ENDS,
    BY_REGIONS,
    BY_MOVED_NODES,
    BY_NEIGHBOR,
    MOVE_PASSES
};

/* The hash of the regions to which the ends belong. If the tensors of a move are
 * unknown, an end is merely the first node of a group, and depends on the order of
 * nodes in the file. The region of the end does not depend on this order. */
static uint64_t hash_regions(const struct fsd_compare *c, struct fsd_ends ends)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < ends.n; i++) {
        fsd_id region =
            fsd_compare_region_of_node(c, ends.s != c->old, fsd_end_node(ends, i));

        sum += region == FSD_NONE ? fsd_hash_mix(1, common(c, ends, i))
                                  : fsd_hash_mix(2, region);
    }
    return fsd_hash_mix(sum, ends.n);
}

/* The hash of a layer's kernel if the layer computes, but its nodes are unknown. The
 * ends of such a layer are only guessed, so its kernel must identify it. Returns 0 for
 * any other move, and if kernels cannot be compared. */
static uint64_t hash_computing(const struct fsd_compare *c, const struct fsd_state *s,
                               const struct fsd_move *m)
{
    if (m->kind != FSD_KIND_COMPUTE || m->inserted || !m->kernels.n ||
        !fsd_compare_has_kernels(c))
        return 0;
    return fsd_hash_kernel_text(s, m->kernels.at);
}

/* A hash of the work of a move, without its ends. If a move realises nodes, these nodes
 * identify the move even if an end differs. An end may differ because an optimizer made
 * a Gemm from a MatMul. */
static uint64_t hash_what(const struct fsd_compare *c, const struct fsd_state *s,
                          const struct fsd_move *m)
{
    uint64_t hash = fsd_hash_mix(m->cause, m->kind * 2u + m->inserted);

    hash = fsd_hash_mix(hash, hash_set(c, fsd_ends_of_nodes(s, m->nodes)));
    return fsd_hash_mix(fsd_hash_mix(hash, hash_form(c, s, m->before)),
                        hash_form(c, s, m->after));
}

/* Like hash_set(), but ends that the other model lacks all count as the same end. Adds
 * the number of the remaining ends to *shared. */
static uint64_t hash_shared(const struct fsd_compare *c, struct fsd_ends ends,
                            uint32_t *shared)
{
    uint64_t sum = ends.n;

    for (uint32_t i = 0; i < ends.n; i++) {
        uint64_t end = common(c, ends, i);
        bool lone = is_lone(c, ends, i);

        *shared += !lone;
        sum += lone ? 2 : fsd_hash_mix(1, end);
    }
    return sum;
}

/* The hash of a move if both models have some of its ends, but not all; else 0. For
 * example, an optimizer turns a Squeeze before a MatMul into a Reshape before a Gemm,
 * but the copy between the layers stays the same. */
static uint64_t hash_neighbor(const struct fsd_compare *c, const struct fsd_state *s,
                              const struct fsd_move *m)
{
    struct fsd_ends from = fsd_ends_of_origins(s, m->from);
    struct fsd_ends to = fsd_ends_of_destinations(s, m->to);
    uint32_t shared = 0;
    uint64_t hash = fsd_hash_mix(hash_shared(c, from, &shared), m->cause);

    hash = fsd_hash_mix(hash, hash_shared(c, to, &shared));
    if (!shared || shared == from.n + to.n)
        return 0;
    hash = fsd_hash_mix(hash, m->kind * 2u + m->inserted);
    return fsd_hash_mix(fsd_hash_mix(hash, hash_form(c, s, m->before)),
                        hash_form(c, s, m->after));
}

static uint64_t hash_move(const struct fsd_compare *c, bool new, fsd_id i, int pass)
{
    const struct fsd_state *s = new ? c->new : c->old;
    const struct fsd_move *m = &s->moves.at[i];
    struct fsd_ends from = fsd_ends_of_origins(s, m->from);
    struct fsd_ends to = fsd_ends_of_destinations(s, m->to);
    uint64_t hash;

    if (pass == BY_KERNEL) {
        hash = hash_computing(c, s, m);
        return hash ? hash : fsd_hash_mix(i, new); /* a hash that no other
                                                    move has */
    }
    if (pass == BY_MOVED_NODES)
        return m->nodes.n ? hash_what(c, s, m) : fsd_hash_mix(i, new);
    if (pass == BY_NEIGHBOR) {
        hash = hash_neighbor(c, s, m);
        return hash ? hash : fsd_hash_mix(i, new);
    }
    if (pass == BY_REGIONS)
        return fsd_hash_mix(fsd_hash_mix(hash_regions(c, to), hash_regions(c, from)),
                            m->kind * 2u + m->inserted);
    hash = fsd_hash_mix(hash_set(c, to), hash_set(c, from));
    if (pass <= BY_KIND)
        hash = fsd_hash_mix(hash, m->kind * 2u + m->inserted);
    if (pass == BY_ALL_FACTS)
        hash = fsd_hash_mix(fsd_hash_mix(hash, hash_computing(c, s, m)),
                            hash_what(c, s, m));
    return hash;
}

/* Whether a move is compared: the builder inserted it, it computes Q, DQ or views, or
 * it is a computing layer whose nodes are unknown. Shape arithmetic, constants and
 * synchronization are not compared. */
static bool is_move_compared(const struct fsd_move *m)
{
    return m->kind != FSD_KIND_SYNC &&
           (m->inserted || m->nodes.n || m->kind == FSD_KIND_QUANTIZE ||
            fsd_kind_computes(m->kind));
}

static bool does_same_nodes(const struct fsd_compare *c, fsd_id old, fsd_id new)
{
    return hash_set(c, fsd_ends_of_nodes(c->old, c->old->moves.at[old].nodes)) ==
           hash_set(c, fsd_ends_of_nodes(c->new, c->new->moves.at[new].nodes));
}

static void add_change(struct fsd_compare *c, enum fsd_move_what what, fsd_id old,
                       fsd_id new)
{
    fsd_id region = what != FSD_MOVE_REMOVED
                        ? fsd_compare_region_of_move(c, true, new)
                        : fsd_compare_region_of_move(c, false, old);

    if (region != FSD_NONE)
        c->regions.at[region].moves = true;
    fsd_vec_push(c->arena, &c->moves,
                 (struct fsd_move_change){.what = (uint8_t)what,
                                          .nodes = what == FSD_MOVE_CHANGED &&
                                                   !does_same_nodes(c, old, new),
                                          .old = old,
                                          .new = new,
                                          .region = region});
}

static bool only_moves(const struct fsd_move *m)
{
    return m->kind == FSD_KIND_REFORMAT || m->kind == FSD_KIND_COPY;
}

/* Whether two moves agree in all facts that both builds state. Without layouts, a
 * reformat looks like a copy. If only one move states a layout, copies and reformats
 * therefore count as equal, whatever their `cause` is. */
static bool may_be_same(const struct fsd_compare *c, fsd_id old, fsd_id new)
{
    const struct fsd_move *p = &c->old->moves.at[old], *q = &c->new->moves.at[new];
    bool unknown =
        !p->before.layout != !q->before.layout || !p->after.layout != !q->after.layout;

    return !fsd_forms_differ(c, p->before, q->before) &&
           !fsd_forms_differ(c, p->after, q->after) && p->inserted == q->inserted &&
           does_same_nodes(c, old, new) &&
           ((p->kind == q->kind && p->cause == q->cause) ||
            (unknown && only_moves(p) && only_moves(q)));
}

static void change_move(struct fsd_compare *c, fsd_id old, fsd_id new)
{
    const struct fsd_move *p = &c->old->moves.at[old], *q = &c->new->moves.at[new];

    if (!may_be_same(c, old, new))
        add_change(c, FSD_MOVE_CHANGED, old, new);
    for (int after = 0; after < 2; after++)
        fsd_compare_lost(c,
                         (struct fsd_fact_lost){.of = FSD_OF_MOVE,
                                                .old = old,
                                                .new = new,
                                                .before = after ? p->after : p->before,
                                                .after = after ? q->after : q->before});
}

static uint32_t collect_moves(const struct fsd_compare *c, bool *const done[2],
                              struct fsd_hash_row *rows, int pass)
{
    uint32_t n = 0;

    for (int k = 0; k < 2; k++) {
        const struct fsd_state *s = k ? c->new : c->old;

        for (fsd_id i = 0; i < s->moves.n; i++)
            if (!done[k][i] && is_move_compared(&s->moves.at[i]))
                rows[n++] = (struct fsd_hash_row){hash_move(c, k, i, pass), i, k};
    }
    fsd_hash_rows_sort(rows, n);
    return n;
}

/* Pairs moves with equal hashes in any order, because nothing distinguishes them. */
static void pair_moves(bool *const done[2], const struct fsd_hash_row *rows, uint32_t n,
                       fsd_id *partner, uint32_t *alike)
{
    uint32_t news = 0;

    while (news < n && !rows[news].new)
        news++;
    for (uint32_t i = 0; i < news && news + i < n; i++) {
        done[0][rows[i].id] = done[1][rows[news + i].id] = true;
        partner[rows[news + i].id] = rows[i].id;
        alike[rows[news + i].id] = rows[news].id;
    }
}

/* Compares the kernels of moves. Paired moves with the same hash share a bucket. All
 * moves that are not compared (constants, shape arithmetic) share another bucket. */
static void compare_kernels(struct fsd_compare *c, struct fsd_arena *scratch,
                            const fsd_id *partner, const uint32_t *alike,
                            const bool *done_new)
{
    uint32_t *bucket[2], *of_move[2], most = c->new->moves.n;

    for (int k = 0; k < 2; k++) {
        const struct fsd_state *s = k ? c->new : c->old;

        of_move[k] = FSD_NEW(scratch, uint32_t, s->moves.n);
        for (fsd_id i = 0; i < s->moves.n; i++)
            of_move[k][i] = is_move_compared(&s->moves.at[i]) ? FSD_NONE : most;
    }
    for (fsd_id i = 0; i < c->new->moves.n; i++)
        if (done_new[i])
            of_move[0][partner[i]] = of_move[1][i] = alike[i];
    for (int k = 0; k < 2; k++) {
        const struct fsd_state *s = k ? c->new : c->old;

        bucket[k] = FSD_NEW(scratch, uint32_t, s->kernels.n);
        for (fsd_id i = 0; i < s->kernels.n; i++) {
            uint32_t of = c->kernel_of[k][i];

            bucket[k][i] = of != FSD_NONE && (of & FSD_LAYER_MOVES)
                               ? of_move[k][of & ~FSD_LAYER_MOVES]
                               : FSD_NONE;
        }
    }
    fsd_compare_kernels(c, scratch, bucket[0], bucket[1]);
}

void fsd_compare_moves(struct fsd_compare *c, struct fsd_arena *scratch)
{
    uint32_t n = c->old->moves.n, m = c->new->moves.n;
    struct fsd_hash_row *rows = FSD_NEW(scratch, struct fsd_hash_row, (size_t)n + m);
    bool *done[2] = {FSD_NEW(scratch, bool, n), FSD_NEW(scratch, bool, m)};
    bool *same = FSD_NEW(scratch, bool, m);
    fsd_id *partner = FSD_NEW(scratch, fsd_id, m);
    uint32_t *alike = FSD_NEW(scratch, uint32_t, m); /* indexed by new move: the first
                                                        new move with the same hash */

    for (int pass = 0; pass < MOVE_PASSES; pass++) {
        uint32_t count = collect_moves(c, done, rows, pass);

        for (uint32_t i = 0, k; i < count; i = k) {
            k = fsd_hash_rows_end(rows, count, i);
            pair_moves(done, rows + i, k - i, partner, alike);
        }
        for (fsd_id i = 0; pass == BY_ALL_FACTS && i < m; i++)
            same[i] = done[1][i];
    }
    for (fsd_id i = 0; i < m; i++)
        if (!done[1][i] && is_move_compared(&c->new->moves.at[i]))
            add_change(c, FSD_MOVE_ADDED, FSD_NONE, i);
        else if (done[1][i] && !same[i])
            change_move(c, partner[i], i);
    for (fsd_id i = 0; i < n; i++)
        if (!done[0][i] && is_move_compared(&c->old->moves.at[i]))
            add_change(c, FSD_MOVE_REMOVED, i, FSD_NONE);
    compare_kernels(c, scratch, partner, alike, done[1]);
}
