/* Sets the times of groups and moves, sorts the moves, and sets the time of the
 * build. */
#include "change/state/parts.h"
#include "model/graph/graph.h"

/* ------------------------------------------------------------------- sorting */

struct keyed_time {
    const struct fsd_state *s;
    uint32_t number; /* number of the move before sorting */
};

static int by_list(struct fsd_ends a, struct fsd_ends b)
{
    for (uint32_t i = 0; i < a.n && i < b.n; i++) {
        uint32_t x = a.refs[i], y = b.refs[i];

        if (x != y)
            return x < y ? -1 : 1;
    }
    return a.n < b.n ? -1 : a.n > b.n;
}

static int by_form(const struct fsd_state *s, struct fsd_state_form a,
                   struct fsd_state_form b)
{
    if (a.type != b.type)
        return a.type - b.type;
    return strcmp(fsd_text(s->names, a.layout), fsd_text(s->names, b.layout));
}

static int by_ends(const void *a, const void *b)
{
    const struct keyed_time *x = a, *y = b;
    const struct fsd_state *s = x->s;
    const struct fsd_move *p = &s->moves.at[x->number], *q = &s->moves.at[y->number];
    int order =
        by_list(fsd_ends_of_destinations(s, p->to), fsd_ends_of_destinations(s, q->to));

    if (!order)
        order =
            by_list(fsd_ends_of_origins(s, p->from), fsd_ends_of_origins(s, q->from));
    if (!order)
        order = p->kind - q->kind;
    if (!order)
        order = p->cause - q->cause;
    if (!order)
        order = by_form(s, p->before, q->before);
    if (!order)
        order = by_form(s, p->after, q->after);
    if (!order)
        order = by_list(fsd_ends_of_nodes(s, p->nodes), fsd_ends_of_nodes(s, q->nodes));
    return order ? order : (x->number < y->number ? -1 : 1);
}

static void sort_moves(struct fsd_state_build *b)
{
    struct fsd_state *s = b->s;
    uint32_t n = s->moves.n;
    struct keyed_time *keys = FSD_NEW(b->scratch, struct keyed_time, n);
    struct fsd_move *moves = FSD_NEW(b->scratch, struct fsd_move, n);
    uint32_t *place = FSD_NEW(b->scratch, uint32_t, n);

    for (uint32_t i = 0; i < n; i++)
        keys[i] = (struct keyed_time){s, i};
    fsd_sort(keys, n, sizeof *keys, by_ends);
    for (uint32_t i = 0; i < n; i++) {
        moves[i] = s->moves.at[keys[i].number];
        place[keys[i].number] = i;
    }
    if (n)
        memcpy(s->moves.at, moves, n * sizeof *moves);
    for (fsd_id i = 0; i < b->d->engine->nodes.n; i++)
        if (b->s->of_layer[i] & FSD_LAYER_MOVES)
            b->s->of_layer[i] =
                FSD_LAYER_MOVES | place[b->s->of_layer[i] & ~FSD_LAYER_MOVES];
}

/* --------------------------------------------------------------------- times */

/* Adds the times of a layer, one per profile, to `sums`.  A profile that does not have
 * the layer adds nothing.  Sets *known if a profile has it.  Returns whether all
 * profiles have it. */
static bool add_up(const struct fsd_diff *d, uint32_t layer, double *sums, bool *known)
{
    bool all = true;

    for (uint32_t p = 0; p < d->times->profiles; p++) {
        double ms = d->times->profile_ms[p][layer];

        sums[p] += ms >= 0 ? ms : 0;
        *known |= ms >= 0;
        all &= ms >= 0;
    }
    return all;
}

void fsd_state_add_times(struct fsd_state_build *b)
{
    struct fsd_state *s = b->s;
    uint32_t n = s->groups.n + s->moves.n, width = b->d->times->profiles;
    double *sums = FSD_NEW(b->scratch, double, (size_t)(n + 1) * width);
    bool *known = FSD_NEW(b->scratch, bool, n + 1);

    sort_moves(b);
    s->run = b->d->times->run;
    s->timed_runs = b->d->times->timed_runs;
    s->profiles = b->d->times->profiles;
    if (!s->profiles)
        return;
    for (fsd_id i = 0; i < b->d->engine->nodes.n; i++) {
        uint32_t k = b->s->of_layer[i] & ~FSD_LAYER_MOVES;

        k += b->s->of_layer[i] & FSD_LAYER_MOVES ? s->groups.n : 0;
        add_up(b->d, i, sums + (size_t)k * width, &known[k]);
        if (!add_up(b->d, i, sums + (size_t)n * width, &known[n]))
            s->untimed += k < s->groups.n;
    }
    for (uint32_t k = 0; k < n; k++)
        if (known[k])
            *(k < s->groups.n ? &s->groups.at[k].ms
                              : &s->moves.at[k - s->groups.n].ms) =
                fsd_spread_robust(sums + (size_t)k * width, s->profiles);
    if (known[n])
        s->total = fsd_spread_robust(sums + (size_t)n * width, s->profiles);
}

/* ------------------------------------------------------------- time of the build */

/* Sets `build_seconds` and `efforts`.  The log may state several efforts of a layer,
 * one for each source of tactics; they are added up. */
void fsd_state_add_efforts(struct fsd_state_build *b)
{
    const struct fsd_history *h = b->d->history;
    struct fsd_state *s = b->s;
    uint32_t *at; /* indexed by name: index of its element in s->efforts, plus 1 */
    fsd_id *layer_of;
    const struct fsd_effort_step *longest;
    bool stated;

    s->build_seconds = -1;
    if (!h || h->refused)
        return;
    longest = fsd_efforts_longest(&h->efforts, h->build);
    if (longest)
        s->build_seconds = longest->seconds;
    if (!h->efforts.list.n)
        return;
    at = FSD_NEW(b->scratch, uint32_t, fsd_intern_count(b->d->names));
    layer_of = fsd_graph_nodes_by_name(b->scratch, b->d->engine);
    stated = fsd_efforts_are_stated(&h->efforts, h->build);
    s->efforts_stamped = !stated;
    FSD_EACH (const struct fsd_effort, e, h->efforts.list) {
        if (e->build != h->build || fsd_effort_seconds(e, stated) <= 0)
            continue;
        if (!at[e->layer]) {
            fsd_vec_push(s->arena, &s->efforts,
                         ((struct fsd_state_effort){.name = fsd_state_copy(b, e->layer),
                                                    .layer = layer_of[e->layer]}));
            at[e->layer] = s->efforts.n;
        }
        s->efforts.at[at[e->layer] - 1].seconds += fsd_effort_seconds(e, stated);
    }
}
