/*
 * If several layers of an engine write one tensor, finds which consumer reads the
 * output of which producer.
 *
 *     conv  writes "cat" [1,128,5,5] {12800,1,2560,512}      a part of the buffer
 *     copy  reads  "cat" [1,128,5,5] {12800,1,2560,512}      that part, from conv
 *     pool  writes "cat" [1,128,5,5] {12800,1,2560,512}      another part, later
 *     gemm  reads  "cat" [1,512,5,5] {12800,1,2560,512}      the whole, from both
 *
 *   - Engines list their layers in execution order, so a layer reads data of an earlier
 *     layer.  In a loop, it may also read data of a later layer of the same loop.
 *   - A layer that reads a part reads it from the layers that write a part with the
 *     same sizes and strides.  If there are none, it reads from the layers that write
 *     equally many elements, or else from all.  No engine states the offset of a part,
 *     so parts with equal sizes and strides cannot be distinguished.
 *   - A layer that writes the whole tensor overwrites all earlier data.  This rule is
 *     not used if the reader reads only a part, or if some layers do not run in every
 *     inference (fsd_graph.jumps).  It needs the writer's strides: an engine without
 *     strides states the sizes of the whole tensor even for a layer that writes a part.
 */
#include "model/graph/graph.h"

/* The limit on pairs of producers and consumers in one graph.  Beyond it, all producers
 * of a tensor count as peers of all its consumers. */
enum { PAIRS_MAX = 1 << 22 };

struct end {
    fsd_id node;
    uint32_t port;
    int64_t size; /* the number of elements; dynamic dimensions count as 1; 0: the shape
                     is unknown */
    bool strided; /* the dump states the strides */
};

struct buffers {
    struct fsd_graph *g;
    struct fsd_arena *scratch;
    struct end *ends;      /* for each tensor with several producers: first the
                              producers, then the consumers */
    struct fsd_span *of;   /* indexed by tensor: its span in `ends`, if it has several
                              producers */
    uint32_t *writers;     /* indexed by tensor: the number of producers in its span of
                              `ends` */
    uint32_t *loops_until; /* indexed by node: the latest end (last node) of the loops
                              that begin at or before this node; 0: there is no such
                              loop.  NULL: the engine has no loops */
    uint32_t pairs;
};

static int64_t size_of(const struct fsd_graph *g, uint32_t port)
{
    const struct fsd_form *form = fsd_port_form(g, &g->ports.at[port]);
    int64_t size = form->ranked;

    for (uint32_t i = 0; i < form->dims.n && size; i++) {
        int64_t dim = g->dims.at[form->dims.at + i].size;

        if (dim > 0)
            size = size > INT64_MAX / dim ? 0 : size * dim;
    }
    return size;
}

static bool is_same_form(const struct fsd_graph *g, uint32_t a, uint32_t b)
{
    return fsd_forms_alike(g, fsd_port_form(g, &g->ports.at[a]),
                           fsd_port_form(g, &g->ports.at[b]));
}

/* ------------------------------------------------------------------------ gathering */

static void add_ends(struct buffers *b, fsd_id node, struct fsd_span ports, bool writes)
{
    for (uint32_t p = ports.at; p < ports.at + ports.n; p++) {
        fsd_id t = b->g->ports.at[p].tensor;

        if (t == FSD_NONE || b->g->tensors.at[t].producers.n < 2)
            continue;
        b->ends[b->of[t].at + b->of[t].n++] =
            (struct end){node, p, size_of(b->g, p),
                         fsd_port_form(b->g, &b->g->ports.at[p])->strides.n > 0};
        b->writers[t] += writes;
    }
}

/* Collects the ends of all tensors with several producers.  Returns false if there is
 * none. */
static bool gather(struct buffers *b)
{
    struct fsd_graph *g = b->g;
    uint32_t n = 0;

    b->of = FSD_NEW(b->scratch, struct fsd_span, g->tensors.n);
    b->writers = FSD_NEW(b->scratch, uint32_t, g->tensors.n);
    for (fsd_id t = 0; t < g->tensors.n; t++) {
        const struct fsd_tensor *tensor = &g->tensors.at[t];

        b->of[t].at = n;
        if (tensor->producers.n > 1)
            n += tensor->producers.n + tensor->consumers.n;
    }
    if (!n)
        return false;
    b->ends = FSD_NEW(b->scratch, struct end, n);
    for (fsd_id i = 0; i < g->nodes.n; i++)
        add_ends(b, i, g->nodes.at[i].out, true);
    for (fsd_id i = 0; i < g->nodes.n; i++)
        add_ends(b, i, g->nodes.at[i].in, false);
    return true;
}

/* Fills `loops_until`.  A loop contains a node if it begins at or before the node, and
 * ends at or after the node.  Among the loops that begin at or before a node, it is
 * enough to test the loop that ends last. */
static void find_loops(struct buffers *b)
{
    const struct fsd_graph *g = b->g;
    uint32_t until = 0;

    if (!g->loops.n)
        return;
    b->loops_until = FSD_NEW(b->scratch, uint32_t, g->nodes.n);
    for (uint32_t i = 0; i < g->loops.n; i++) {
        struct fsd_span loop = g->loops.at[i];
        uint32_t last = loop.at + loop.n - 1;

        if (last > b->loops_until[loop.at])
            b->loops_until[loop.at] = last;
    }
    for (fsd_id i = 0; i < g->nodes.n; i++) {
        if (b->loops_until[i] > until)
            until = b->loops_until[i];
        b->loops_until[i] = until;
    }
}

/* ------------------------------------------------------------------------- choosing */

/* Sets reads[i] if `reader` reads the output of writers[i].  `whole` is the number of
 * elements of the whole tensor; 0: unknown. */
static void choose(const struct buffers *b, const struct end *writers, uint32_t n,
                   const struct end *reader, int64_t whole, bool *reads)
{
    bool part = reader->size && reader->size < whole, any = false, same_form = false,
         same_size = false;

    for (uint32_t i = 0; i < n; i++) {
        fsd_id until = b->loops_until ? b->loops_until[reader->node] : 0;

        reads[i] = writers[i].node < reader->node ||
                   (until >= reader->node && writers[i].node <= until);
        any |= reads[i];
        same_form |= reads[i] && is_same_form(b->g, writers[i].port, reader->port);
        same_size |= reads[i] && writers[i].size == reader->size;
    }
    for (uint32_t i = 0; i < n && !any; i++)
        reads[i] = true; /* No producer is before the reader or in a loop with it, so
                            the engine does not list its layers in execution order.
                            All producers therefore count */
    for (uint32_t i = 0; i < n && part && (same_form || same_size); i++)
        reads[i] &= same_form ? is_same_form(b->g, writers[i].port, reader->port)
                              : writers[i].size == reader->size;
    if (part || !any || !whole || b->g->jumps)
        return;
    for (uint32_t i = n, covered = 0; i-- > 0;) {
        reads[i] &= !covered;
        covered |= reads[i] && writers[i].size == whole && writers[i].strided;
    }
}

/* -------------------------------------------------------------------------- writing */

static void list_peers(struct buffers *b, const struct end *ends, uint32_t n_writers,
                       uint32_t n_readers)
{
    struct fsd_graph *g = b->g;
    const struct end *readers = ends + n_writers;
    bool *reads = FSD_NEW(b->scratch, bool, (size_t)n_writers *n_readers);
    int64_t whole = 0;

    for (uint32_t i = 0; i < n_writers + n_readers; i++)
        whole = ends[i].size > whole ? ends[i].size : whole;
    for (uint32_t i = 0; i < n_writers + n_readers; i++)
        g->peers[ends[i].port] = (struct fsd_peers){
            .known = true, .part = ends[i].size && ends[i].size < whole};
    for (uint32_t r = 0; r < n_readers; r++) {
        struct fsd_span *span = &g->peers[readers[r].port].nodes;

        choose(b, ends, n_writers, &readers[r], whole, reads + (size_t)r * n_writers);
        span->at = g->links.n;
        for (uint32_t w = 0; w < n_writers; w++)
            if (reads[(size_t)r * n_writers + w]) {
                fsd_vec_push(g->arena, &g->links, ends[w].node);
                span->n++;
            }
    }
    for (uint32_t w = 0; w < n_writers; w++) {
        struct fsd_span *span = &g->peers[ends[w].port].nodes;

        span->at = g->links.n;
        for (uint32_t r = 0; r < n_readers; r++)
            if (reads[(size_t)r * n_writers + w]) {
                fsd_vec_push(g->arena, &g->links, readers[r].node);
                span->n++;
            }
    }
}

void fsd_graph_find_peers(struct fsd_graph *g)
{
    FSD_SCRATCH(scratch);
    struct buffers b = {.g = g, .scratch = scratch};

    if (gather(&b)) {
        find_loops(&b);
        g->peers = FSD_NEW(g->arena, struct fsd_peers, g->ports.n);
        for (fsd_id t = 0; t < g->tensors.n; t++) {
            uint64_t pairs = (uint64_t)b.writers[t] * (b.of[t].n - b.writers[t]);

            if (!b.of[t].n || pairs > PAIRS_MAX - b.pairs)
                continue;
            b.pairs += (uint32_t)pairs;
            list_peers(&b, b.ends + b.of[t].at, b.writers[t], b.of[t].n - b.writers[t]);
        }
    }
}
