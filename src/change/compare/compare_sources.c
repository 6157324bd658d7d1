/*
 * Compares how kernels are connected. Several kernels of a region may do the same work,
 * such as the steps of a loop or the heads of an attention. They differ only in their
 * producers and consumers:
 *
 *     old   A -> B -> C          new   A -> B -> C
 *                |                     |
 *                +-> D                 +------> D
 *
 * Two kernels correspond if all kernels before them are equal, or else if all kernels
 * after them are. Here all four kernels correspond, and D reads the output of another
 * kernel than before.
 */
#include "base/base.h"
#include "change/compare/parts.h"

/* An output of a kernel that another kernel reads. */
struct edge {
    fsd_id from, to;
    uint32_t out, in; /* index of the tensor among the outputs of the producer and the
                         inputs of the consumer */
};

struct fsd_kernel_graph {
    const struct fsd_compare *c;
    bool new;
    const struct fsd_state *s;
    uint32_t *first_out; /* indexed by kernel; see fsd_state_number_outputs() */
    FSD_VEC(struct edge) edges;
    struct fsd_lists read; /* indexed by kernel: the edges that begin at the kernel */
    uint32_t *order;       /* all kernels: producers before consumers, except in
                              cycles */
};

/* The kernel that writes the tensor `from`; sets *out to the index of the tensor among
 * the kernel's outputs. */
static fsd_id writer_of(const struct fsd_kernel_graph *g, struct fsd_producer from,
                        uint32_t *out)
{
    return fsd_state_writer(g->s, g->first_out, from, out);
}

static struct fsd_producer kernel_source(const struct fsd_kernel_graph *g,
                                         fsd_id kernel, uint32_t in)
{
    return g->s->tensors.at[g->s->kernels.at[kernel].in.at + in].from;
}

static void find_edges(struct fsd_kernel_graph *g, struct fsd_arena *scratch)
{
    for (fsd_id k = 0; k < g->s->kernels.n; k++)
        for (uint32_t in = 0; in < g->s->kernels.at[k].in.n; in++) {
            uint32_t out = 0;
            fsd_id from = writer_of(g, kernel_source(g, k, in), &out);

            if (from != FSD_NONE)
                fsd_vec_push(scratch, &g->edges, ((struct edge){from, k, out, in}));
        }
    g->read = fsd_lists_new(scratch, g->edges.n ? &g->edges.at[0].from : NULL,
                            sizeof *g->edges.at, g->edges.n, g->s->kernels.n);
}

static void find_order(struct fsd_kernel_graph *g, struct fsd_arena *scratch)
{
    uint32_t n = g->s->kernels.n, sorted = 0;
    uint32_t *waits = FSD_NEW(scratch, uint32_t, n);
    bool *placed = FSD_NEW(scratch, bool, n);

    g->order = FSD_NEW(scratch, uint32_t, n);
    for (uint32_t i = 0; i < g->edges.n; i++)
        waits[g->edges.at[i].to]++;
    for (fsd_id k = 0; k < n; k++)
        if (!waits[k])
            g->order[sorted++] = k;
    for (uint32_t at = 0; at < sorted; at++) {
        placed[g->order[at]] = true;
        for (uint32_t i = 0; i < g->read.of[g->order[at]].n; i++) {
            fsd_id to = g->edges.at[fsd_list_at(&g->read, g->order[at], i)].to;

            if (!--waits[to])
                g->order[sorted++] = to;
        }
    }
    for (fsd_id k = 0; k < n; k++) /* add the kernels of cycles */
        if (!placed[k])
            g->order[sorted++] = k;
}

static bool knows_sources(const struct fsd_state *s)
{
    bool knows = false;

    for (uint32_t i = 0; i < s->tensors.n && !knows; i++)
        knows = fsd_is_origin(s->tensors.at[i].from.at);
    return knows;
}

static void open_graph(struct fsd_kernel_graph *g, const struct fsd_compare *c,
                       bool new, struct fsd_arena *scratch)
{
    g->c = c;
    g->new = new;
    g->s = new ? c->new : c->old;
    g->first_out = fsd_state_number_outputs(g->s, scratch);
    find_edges(g, scratch);
    find_order(g, scratch);
}

/* ------------------------------------------------------------------------ hashes */

/* The hash of a network input. Its counterpart has the same hash. */
static uint64_t hash_port(const struct fsd_kernel_graph *g, struct fsd_producer from)
{
    struct fsd_origin at =
        g->new ? fsd_align_old_origin(g->c->align, from.at) : from.at;

    return fsd_hash_mix(1, fsd_origin_node(at) == FSD_NONE ? at.ref : 0);
}

static void hash_above(const struct fsd_kernel_graph *g, const uint64_t *text,
                       uint64_t *above)
{
    for (uint32_t i = 0; i < g->s->kernels.n; i++) {
        fsd_id k = g->order[i];
        uint64_t hash = text[k];

        for (uint32_t in = 0; in < g->s->kernels.at[k].in.n; in++) {
            struct fsd_producer from = kernel_source(g, k, in);
            uint32_t out = 0;
            fsd_id writer = writer_of(g, from, &out);

            hash = fsd_hash_mix(hash, writer == FSD_NONE
                                          ? hash_port(g, from)
                                          : fsd_hash_mix(above[writer], out));
        }
        above[k] = hash;
    }
}

/* Hashes each kernel with the kernels that its outputs reach; the order of consumers
 * does not matter. */
static void hash_below(const struct fsd_kernel_graph *g, const uint64_t *text,
                       uint64_t *below)
{
    for (uint32_t i = g->s->kernels.n; i-- > 0;) {
        fsd_id k = g->order[i];
        uint64_t sum = 0;

        for (uint32_t at = 0; at < g->read.of[k].n; at++) {
            const struct edge *e = &g->edges.at[fsd_list_at(&g->read, k, at)];

            sum += fsd_hash_mix(fsd_hash_mix(below[e->to], e->in), e->out);
        }
        below[k] = fsd_hash_mix(text[k], sum);
    }
}

struct fsd_places *fsd_compare_places(const struct fsd_compare *c,
                                      struct fsd_arena *scratch,
                                      uint64_t *const text[2])
{
    struct fsd_places *p;

    if (!knows_sources(c->old) || !knows_sources(c->new))
        return NULL;
    p = FSD_NEW(scratch, struct fsd_places, 1);
    p->graph = FSD_NEW(scratch, struct fsd_kernel_graph, 2);
    for (int at = 0; at < 2; at++) {
        struct fsd_kernel_graph *g = &p->graph[at];

        open_graph(g, c, at, scratch);
        p->above[at] = FSD_NEW(scratch, uint64_t, g->s->kernels.n);
        p->below[at] = FSD_NEW(scratch, uint64_t, g->s->kernels.n);
        hash_above(g, text[at], p->above[at]);
        hash_below(g, text[at], p->below[at]);
    }
    return p;
}

/* ------------------------------------------------------------------ what differs */

struct rewiring {
    struct fsd_compare *c;
    const struct fsd_places *places;
    const struct fsd_kernel_graph *old, *new;
    const fsd_id *to_new, *to_old; /* indexed by kernel: its counterpart; FSD_NONE:
                                      none */
    uint32_t *change;              /* indexed by old kernel: its entry in c->kernels */
};

/* The region of the kernel's group; FSD_NONE unless the region's fusion is
 * unchanged. */
static fsd_id same_region(const struct fsd_compare *c, bool new, fsd_id kernel)
{
    uint32_t of = c->kernel_of[new][kernel];
    fsd_id r = of & FSD_LAYER_MOVES ? FSD_NONE : fsd_compare_region_of(c, new, of);

    return r != FSD_NONE && c->regions.at[r].happened == FSD_HAPPENED_SAME ? r
                                                                           : FSD_NONE;
}

static uint32_t count_reading_kernels(const struct fsd_kernel_graph *g, fsd_id kernel,
                                      uint32_t out)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < g->read.of[kernel].n; i++)
        n += g->edges.at[fsd_list_at(&g->read, kernel, i)].out == out;
    return n;
}

/* Whether two outputs belong to the same kernel or to interchangeable kernels. Kernels
 * are interchangeable if they are equal, have the same inputs and have equally many
 * consumers. For example, the steps of a loop multiply slices of one tensor, and a dump
 * does not state which step reads which slice. */
static bool are_one(const struct rewiring *w, fsd_id p, uint32_t p_out, fsd_id q,
                    uint32_t q_out)
{
    fsd_id was = w->to_old[q];

    return p_out == q_out && was != FSD_NONE &&
           (was == p || (w->places->above[0][was] == w->places->above[0][p] &&
                         count_reading_kernels(w->old, p, p_out) ==
                             count_reading_kernels(w->new, q, q_out)));
}

/* Whether the kernel has a counterpart, and is in a region with unchanged fusion. If
 * not, another change is reported for the kernel, its region or its move. Different
 * inputs of its consumers may merely follow from that change. */
static bool is_kernel_as_before(const struct rewiring *w, bool new, fsd_id kernel)
{
    return (new ? w->to_old : w->to_new)[kernel] != FSD_NONE &&
           same_region(w->c, new, kernel) != FSD_NONE;
}

static bool is_other_port(const struct rewiring *w, struct fsd_producer was,
                          struct fsd_producer is)
{
    struct fsd_origin old = fsd_align_old_origin(w->c->align, is.at);

    return fsd_origin_input(was.at) != FSD_NONE &&
           fsd_origin_input(is.at) != FSD_NONE && fsd_is_origin(old) &&
           !fsd_same_origin(old, was.at);
}

static bool is_other(const struct rewiring *w, struct fsd_producer was,
                     struct fsd_producer is)
{
    uint32_t p_out = 0, q_out = 0;
    fsd_id p = writer_of(w->old, was, &p_out), q = writer_of(w->new, is, &q_out);

    if (!fsd_is_origin(was.at) || (p == FSD_NONE && q == FSD_NONE))
        return is_other_port(w, was, is);
    if ((p != FSD_NONE && !is_kernel_as_before(w, false, p)) ||
        (q != FSD_NONE && !is_kernel_as_before(w, true, q)))
        return false;
    return p == FSD_NONE || q == FSD_NONE || !are_one(w, p, p_out, q, q_out);
}

/* The index of the first input of a kernel whose origin differs; FSD_NONE if none
 * does. */
static uint32_t find_other(const struct rewiring *w, fsd_id old, fsd_id new)
{
    const struct fsd_kernel *p = &w->old->s->kernels.at[old],
                            *q = &w->new->s->kernels.at[new];

    for (uint32_t i = 0; i < p->in.n && i < q->in.n; i++)
        if (is_other(w, kernel_source(w->old, old, i), kernel_source(w->new, new, i)))
            return i;
    return FSD_NONE;
}

/* The entry of a changed pair of kernels; adds one if the pair had no change so far. */
static struct fsd_kernel_change *change_of(const struct rewiring *w, fsd_id old,
                                           fsd_id new, fsd_id region)
{
    struct fsd_compare *c = w->c;

    if (w->change[old] == FSD_NONE) {
        w->change[old] = c->kernels.n;
        fsd_vec_push(c->arena, &c->kernels,
                     ((struct fsd_kernel_change){.what = FSD_KERNEL_CHANGED,
                                                 .old = old,
                                                 .new = new,
                                                 .old_of = c->kernel_of[0][old],
                                                 .new_of = c->kernel_of[1][new],
                                                 .region = region}));
    }
    return &c->kernels.at[w->change[old]];
}

static struct rewiring rewiring_of(struct fsd_compare *c, struct fsd_arena *scratch,
                                   const struct fsd_places *places,
                                   const fsd_id *to_new)
{
    fsd_id *to_old = fsd_ids_new(scratch, c->new->kernels.n);
    struct rewiring w = {c,
                         places,
                         &places->graph[0],
                         &places->graph[1],
                         to_new,
                         to_old,
                         fsd_ids_new(scratch, c->old->kernels.n)};

    for (fsd_id k = 0; k < c->old->kernels.n; k++)
        if (to_new[k] != FSD_NONE)
            to_old[to_new[k]] = k;
    for (uint32_t i = 0; i < c->kernels.n; i++)
        if (c->kernels.at[i].old != FSD_NONE)
            w.change[c->kernels.at[i].old] = i;
    return w;
}

void fsd_compare_sources(struct fsd_compare *c, struct fsd_arena *scratch,
                         const struct fsd_places *places, const fsd_id *to_new)
{
    struct rewiring w = rewiring_of(c, scratch, places, to_new);

    for (fsd_id k = 0; k < c->old->kernels.n; k++) {
        fsd_id region =
            to_new[k] == FSD_NONE ? FSD_NONE : same_region(c, true, to_new[k]);
        uint32_t input = region == FSD_NONE ? FSD_NONE : find_other(&w, k, to_new[k]);
        struct fsd_kernel_change *change;
        uint32_t out;

        if (input == FSD_NONE)
            continue;
        c->regions.at[region].kernels = true;
        change = change_of(&w, k, to_new[k], region);
        change->source = true;
        change->input = input;
        change->old_writer = writer_of(w.old, kernel_source(w.old, k, input), &out);
        change->new_writer =
            writer_of(w.new, kernel_source(w.new, to_new[k], input), &out);
    }
}
