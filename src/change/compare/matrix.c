/*
 * Finds the rows of a matrix of builds by union-find over the nodes, and decides which
 * builds agree in a row. Every build is compared with the first one. Two builds that
 * both differ from the first are compared with each other only on demand: builds mostly
 * agree, and n builds have about n * n / 2 pairs.
 *
 * Cells of a row that agree share a variant. If only one of two builds states a fact,
 * their cells do not count as agreeing.
 */
#include "change/compare/matrix.h"

#include "base/base.h"

struct matrix_draft {
    struct fsd_matrix *m;
    struct fsd_arena *scratch;
    fsd_id *first_of; /* indexed by build: where its nodes begin in the union-find; see
                         node_element() */
    fsd_id *head;     /* indexed by element: the parent in the union-find */
    fsd_id *of_head;  /* indexed by the element that represents a set: the set's row;
                         FSD_NONE: none yet */
    struct fsd_compare **pairs; /* n * n entries: comparisons of builds that both differ
                                   from the first one */
};

/* ------------------------------------------------------------------------- rows */

/* The element of a node. The nodes of the first build are the first elements. Then
 * follow, build by build, the nodes that the first build lacks. */
static fsd_id node_element(const struct matrix_draft *k, uint32_t build, fsd_id node)
{
    const struct fsd_compare *c = k->m->with[build];
    fsd_id old = c ? c->align->to_old[node] : node;

    return fsd_id_or(old, k->first_of[build] + node);
}

static fsd_id group_element(const struct matrix_draft *k, uint32_t build, fsd_id group)
{
    const struct fsd_state *s = k->m->builds[build];

    return node_element(k, build, s->refs.at[s->groups.at[group].nodes.at]);
}

static void join_build_groups(struct matrix_draft *k, uint32_t build)
{
    const struct fsd_state *s = k->m->builds[build];

    for (fsd_id g = 0; g < s->groups.n; g++) {
        struct fsd_span nodes = s->groups.at[g].nodes;

        for (uint32_t i = 1; i < nodes.n; i++)
            fsd_sets_join(k->head, group_element(k, build, g),
                          node_element(k, build, s->refs.at[nodes.at + i]));
    }
}

static fsd_id add_row(struct fsd_matrix *m, enum fsd_matrix_row_of of, fsd_id port)
{
    fsd_vec_push(
        m->arena, &m->rows,
        ((struct fsd_matrix_row){.of = (uint8_t)of, .variants = 1, .port = port}));
    return m->rows.n - 1;
}

static fsd_id row_of_move(const struct matrix_draft *k, uint32_t build, fsd_id move)
{
    const struct fsd_state *s = k->m->builds[build];
    fsd_id owner = fsd_state_owner_of_move(s, &s->moves.at[move]);
    fsd_id row =
        owner == FSD_NONE
            ? FSD_NONE
            : k->of_head[fsd_sets_find(k->head, node_element(k, build, owner))];

    return fsd_id_or(row, k->m->moves_row); /* no build computes the node */
}

static void make_rows(struct matrix_draft *k)
{
    struct fsd_matrix *m = k->m;
    const struct fsd_state *first = m->builds[0];
    uint32_t elements = first->nodes.n;

    k->first_of = FSD_NEW(k->scratch, fsd_id, m->n);
    m->row_of = FSD_NEW(m->arena, fsd_id *, m->n);
    for (uint32_t b = 1; b < m->n; b++) {
        k->first_of[b] = elements;
        elements += m->builds[b]->nodes.n;
    }
    k->head = fsd_sets_new(k->scratch, elements);
    k->of_head = fsd_ids_new(k->scratch, elements);
    for (uint32_t b = 0; b < m->n; b++)
        join_build_groups(k, b);
    for (uint32_t b = 0; b < m->n; b++) {
        const struct fsd_state *s = m->builds[b];

        m->row_of[b] = FSD_NEW(m->arena, fsd_id, s->groups.n);
        for (fsd_id g = 0; g < s->groups.n; g++) {
            fsd_id h = fsd_sets_find(k->head, group_element(k, b, g));

            if (k->of_head[h] == FSD_NONE)
                k->of_head[h] = add_row(m, FSD_ROW_GROUPS, FSD_NONE);
            m->row_of[b][g] = k->of_head[h];
        }
    }
    m->moves_row = add_row(m, FSD_ROW_MOVES, FSD_NONE);
    for (fsd_id i = 0; i < first->inputs.n; i++)
        add_row(m, FSD_ROW_INPUT, i);
    for (fsd_id i = 0; i < first->outputs.n; i++)
        add_row(m, FSD_ROW_OUTPUT, i);
}

/* ------------------------------------------------------------------------ cells */

static struct fsd_matrix_cell *cell(const struct fsd_matrix *m, fsd_id row, uint32_t b)
{
    return &m->cells[(size_t)row * m->n + b];
}

/* Counts the groups and moves of each cell of build `b` or, with `put`, stores their
 * ids in ascending order. */
static void fill_cells(struct matrix_draft *k, uint32_t b, bool put)
{
    struct fsd_matrix *m = k->m;
    const struct fsd_state *s = m->builds[b];

    for (fsd_id i = 0; i < s->groups.n + s->moves.n; i++) {
        bool group = i < s->groups.n;
        fsd_id id = group ? i : i - s->groups.n;
        fsd_id row = group ? k->m->row_of[b][id] : row_of_move(k, b, id);
        struct fsd_matrix_cell *at = cell(m, row, b);
        struct fsd_span *span = group ? &at->groups : &at->moves;
        double ms = group ? s->groups.at[id].ms.median : s->moves.at[id].ms.median;

        if (put) {
            m->pool.at[span->at + span->n] = id;
            if (ms >= 0)
                at->ms = (at->ms < 0 ? 0 : at->ms) + ms;
        }
        span->n++;
    }
}

static void make_cells(struct matrix_draft *k)
{
    struct fsd_matrix *m = k->m;

    m->cells = FSD_NEW(m->arena, struct fsd_matrix_cell, (size_t)m->rows.n * m->n);
    for (uint32_t b = 0; b < m->n; b++)
        fill_cells(k, b, false);
    for (size_t i = 0; i < (size_t)m->rows.n * m->n; i++) {
        struct fsd_span *spans[] = {&m->cells[i].groups, &m->cells[i].moves};

        m->cells[i].ms = -1;
        for (int s = 0; s < 2; s++) {
            uint32_t n = spans[s]->n;

            *spans[s] = (struct fsd_span){m->pool.n, 0};
            while (n--)
                fsd_vec_push(m->arena, &m->pool, 0);
        }
    }
    for (uint32_t b = 0; b < m->n; b++)
        fill_cells(k, b, true);
}

/* -------------------------------------------------------------------- what differs */

static void worsen(uint8_t *is, enum fsd_cell_is found)
{
    if (*is < found)
        *is = (uint8_t)found;
}

static fsd_id row_of_port(const struct fsd_matrix *m, bool output, fsd_id port)
{
    const struct fsd_state *first = m->builds[0];

    if (port == FSD_NONE)
        return m->moves_row;
    return m->rows.n - first->outputs.n + (output ? port : port - first->inputs.n);
}

static fsd_id row_of_node(const struct matrix_draft *k, uint32_t b, fsd_id node)
{
    fsd_id group = k->m->builds[b]->nodes.at[node].group;

    return fsd_id_or(fsd_id_at(k->m->row_of[b], group), k->m->moves_row);
}

static fsd_id row_of_loss(const struct matrix_draft *k, uint32_t b,
                          const struct fsd_fact_lost *lost, fsd_id port)
{
    switch ((enum fsd_fact_of)lost->of) {
    case FSD_OF_NODE:
    case FSD_OF_EDGE:
    case FSD_OF_WRITTEN:
        return row_of_node(k, b, lost->new);
    case FSD_OF_MOVE:
        return row_of_move(k, b, lost->new);
    case FSD_OF_INPUT:
    case FSD_OF_OUTPUT:
        break;
    }
    return row_of_port(k->m, lost->of == FSD_OF_OUTPUT, port);
}

/* Judges each row from `c`, the comparison of the builds `a` and `b`. Writes an enum
 * fsd_cell_is per row to `is`. If build `b` lacks a fact that build `a` states, the row
 * is FSD_CELL_UNKNOWN or worse. For the opposite case, see judged(). */
static void judge(const struct matrix_draft *k, const struct fsd_compare *c, uint32_t a,
                  uint32_t b, uint8_t *is)
{
    const struct fsd_align *to_first = a ? k->m->with[a]->align : NULL;

    FSD_EACH (const struct fsd_region_diff, r, c->regions) {
        fsd_id row = r->new_groups.n ? k->m->row_of[b][c->pool.at[r->new_groups.at]]
                                     : k->m->row_of[a][c->pool.at[r->old_groups.at]];

        worsen(&is[row], r->happened == FSD_HAPPENED_OPAQUE ? FSD_CELL_UNKNOWN
                         : r->differs                       ? FSD_CELL_DIFFERS
                         : r->hidden                        ? FSD_CELL_UNKNOWN
                         : r->tactic                        ? FSD_CELL_TACTIC
                                                            : FSD_CELL_SAME);
    }
    for (uint32_t i = 0; i < c->moves.n; i++)
        if (c->moves.at[i].new != FSD_NONE)
            worsen(&is[row_of_move(k, b, c->moves.at[i].new)], FSD_CELL_DIFFERS);
        else
            worsen(&is[row_of_move(k, a, c->moves.at[i].old)], FSD_CELL_DIFFERS);
    FSD_EACH (const struct fsd_kernel_change, p, c->kernels)
        if (p->new != FSD_NONE && (p->new_of & FSD_LAYER_MOVES))
            worsen(&is[row_of_move(k, b, p->new_of & ~FSD_LAYER_MOVES)],
                   FSD_CELL_DIFFERS);
        else if (p->new == FSD_NONE && (p->old_of & FSD_LAYER_MOVES))
            worsen(&is[row_of_move(k, a, p->old_of & ~FSD_LAYER_MOVES)],
                   FSD_CELL_DIFFERS);
    FSD_EACH (const struct fsd_port_change, p, c->ports) {
        fsd_id port = !to_first || p->old == FSD_NONE ? p->old
                      : p->output                     ? to_first->old_output[p->old]
                                                      : to_first->old_input[p->old];

        worsen(&is[row_of_port(k->m, p->output, port)], FSD_CELL_DIFFERS);
    }
    FSD_EACH (const struct fsd_fact_lost, lost, c->lost) {
        fsd_id port = !to_first                   ? lost->old
                      : lost->of == FSD_OF_OUTPUT ? to_first->old_output[lost->old]
                      : lost->of == FSD_OF_INPUT  ? to_first->old_input[lost->old]
                                                  : FSD_NONE;

        worsen(&is[row_of_loss(k, b, lost, port)], FSD_CELL_UNKNOWN);
    }
}

/* Returns how the builds `a` and `b` compare, as an enum fsd_cell_is per row. `a` must
 * be less than `b`. Later calls return the same array, which is kept in `of`. If `a` is
 * 0, the first call also sets `more` of the cells of build `b`. */
static const uint8_t *judged(struct matrix_draft *k, uint8_t **of, uint32_t a,
                             uint32_t b)
{
    struct fsd_matrix *m = k->m;
    struct fsd_compare *own;

    if (of[a * m->n + b])
        return of[a * m->n + b];
    of[a * m->n + b] = FSD_NEW(k->scratch, uint8_t, m->rows.n);
    own = a ? fsd_compare_new(m->builds[a], m->builds[b]) : NULL;
    judge(k, own ? own : m->with[b], a, b, of[a * m->n + b]);
    fsd_compare_free(own);
    for (fsd_id row = 0; !a && row < m->rows.n; row++)
        cell(m, row, b)->more = of[b][row] < FSD_CELL_UNKNOWN;
    /* A comparison in the other direction finds the facts that only build `b`, the
     * later build, states. */
    own = fsd_compare_new(m->builds[b], m->builds[a]);
    for (uint32_t i = 0; i < own->lost.n; i++)
        if (own->lost.at[i].of <= FSD_OF_MOVE)
            worsen(&of[a * m->n + b][row_of_loss(k, a, &own->lost.at[i], FSD_NONE)],
                   FSD_CELL_UNKNOWN);
    fsd_compare_free(own);
    return of[a * m->n + b];
}

/* Sets `less` of each cell of build `b` that states less than the first build's cell in
 * the same row. */
static void find_less(struct matrix_draft *k, uint32_t b)
{
    const struct fsd_compare *c = k->m->with[b];

    for (uint32_t i = 0; i < c->lost.n; i++)
        cell(k->m, row_of_loss(k, b, &c->lost.at[i], c->lost.at[i].old), b)->less =
            true;
    FSD_EACH (const struct fsd_region_diff, r, c->regions)
        if (r->new_groups.n && fsd_region_is_weak(c, r, true) &&
            !fsd_region_is_weak(c, r, false))
            cell(k->m, k->m->row_of[b][c->pool.at[r->new_groups.at]], b)->less = true;
    for (uint32_t i = 0; i < c->presences.n; i++)
        if (c->presences.at[i].what == FSD_LOST_TRACK)
            cell(k->m, row_of_node(k, 0, c->presences.at[i].old), b)->less = true;
}

/* Sets the variant of each cell.  The cell gets the variant of the earliest build whose
 * cell in the row does not differ from this cell.  If there is no such build, the cell
 * gets a new variant. */
static void find_variants(struct matrix_draft *k)
{
    struct fsd_matrix *m = k->m;
    uint8_t **of = FSD_NEW(k->scratch, uint8_t *, (size_t)m->n * m->n);

    for (uint32_t b = 1; b < m->n; b++) {
        find_less(k, b);
        for (fsd_id row = 0; row < m->rows.n; row++) {
            struct fsd_matrix_cell *at = cell(m, row, b);

            at->is = judged(k, of, 0, b)[row];
            at->more &= at->is == FSD_CELL_UNKNOWN;
            if (at->is < FSD_CELL_UNKNOWN)
                continue;
            at->variant = m->rows.at[row].variants;
            for (uint32_t a = 1; a < b; a++)
                if (cell(m, row, a)->variant &&
                    judged(k, of, a, b)[row] < FSD_CELL_UNKNOWN) {
                    at->variant = cell(m, row, a)->variant;
                    break;
                }
            if (at->variant == m->rows.at[row].variants)
                m->rows.at[row].variants++;
            m->differing += !m->rows.at[row].differs;
            m->rows.at[row].differs = true;
        }
    }
}

struct fsd_matrix *fsd_matrix_new(const struct fsd_state *const *builds, uint32_t n)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_matrix *m = FSD_NEW(arena, struct fsd_matrix, 1);
    FSD_SCRATCH(scratch);
    struct matrix_draft k = {.m = m, .scratch = scratch};

    m->arena = arena;
    m->n = n;
    m->builds = builds;
    m->with = FSD_NEW(arena, struct fsd_compare *, n);
    for (uint32_t b = 1; b < n; b++) {
        m->with[b] = fsd_compare_new(builds[0], builds[b]);
        m->differs |= m->with[b]->differs;
    }
    make_rows(&k);
    make_cells(&k);
    find_variants(&k);
    return m;
}

void fsd_matrix_free(struct fsd_matrix *m)
{
    if (!m)
        return;
    for (uint32_t b = 1; b < m->n; b++)
        fsd_compare_free(m->with[b]);
    fsd_arena_free(m->arena);
}

const struct fsd_matrix_cell *fsd_matrix_cell(const struct fsd_matrix *m, uint32_t row,
                                              uint32_t build)
{
    return cell(m, row, build);
}

const char *fsd_cell_is_name(unsigned is)
{
    static const char *const names[FSD__CELL_IS_COUNT] = {
        [FSD_CELL_SAME] = "same",
        [FSD_CELL_TACTIC] = "tactic",
        [FSD_CELL_UNKNOWN] = "unknown",
        [FSD_CELL_DIFFERS] = "differs"};

    return is < FSD__CELL_IS_COUNT ? names[is] : "";
}
