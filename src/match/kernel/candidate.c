/*
 * Performs one step of the beam search that pass_steps.c explains.  Every candidate is
 * continued with each node that fits the step, and the best candidates are kept.
 */
#include "match/kernel/replay.h"

#include <stdlib.h>

/* ----------------------------------------------------------------- one candidate */

/* The index of the first available tensor that the node reads; w->n_available if there
 * is none. */
static uint32_t place_of(const struct replay *r, const struct candidate *w, fsd_id node)
{
    for (uint32_t i = 0; i < w->n_available; i++)
        FSD_EACH_OF (t, r->g->ports, r->g->nodes.at[node].in, tensor)
            if (t == w->available[i].tensor)
                return i;
    return w->n_available;
}

/* Whether the node adds 0 or multiplies by 1.  The builder omits such a node, or merges
 * it with another node. */
static bool is_neutral(const struct replay *r, fsd_id node)
{
    return r->m->facts->same[node] == FSD_SAME_ZERO ||
           r->m->facts->same[node] == FSD_SAME_ONE;
}

/* If the model splits the node's output, allows further steps with the node's operator:
 * one for each part after the first.  The builder may split the input instead, and
 * compute the node once for each part. */
static void note_repeats(const struct replay *r, struct candidate *w, fsd_id node)
{
    uint32_t parts = r->nodes[node].passes
                         ? 1
                         : fsd_count_parts(r, fsd_node_out_tensor(r->g, node, 0));

    if (parts > 1) {
        w->repeated = r->g->nodes.at[node].op;
        w->repeats = parts - 1;
    }
}

void fsd_candidate_take(struct replay *r, struct candidate *w, fsd_id node, bool ended)
{
    const struct fsd_node *n = &r->g->nodes.at[node];

    if (fsd_candidate_took(w, node))
        return;
    if (w->n_taken == TAKEN) {
        w->bound = "nodes";
    } else {
        w->ended[w->n_taken] = ended;
        w->taken[w->n_taken++] = node;
    }
    w->set += fsd_hash_mix(node, 0);
    w->order += place_of(r, w, node);
    note_repeats(r, w, node);
    w->parted |= fsd_comes_in_parts(r, node);
    w->parts += fsd_comes_in_parts(r, node) ? n->out.n - 1 : 0;
    w->casts += (r->m->facts->traits[node] & FSD_OP_QUANTIZE) != 0;
    w->neutral += is_neutral(r, node);
    for (uint32_t i = 0; i < n->out.n && !fsd_is_moved(r, w, node); i++) {
        fsd_id out = fsd_node_out_tensor(r->g, node, i);
        struct available *value;

        if (out == FSD_NONE)
            continue;
        fsd_make_available(r, w, out, 0);
        value = fsd_find_available(w, out);
        if (value) {
            value->made = true;
            value->from = fsd_comes_in_parts(r, node) ? value->from : 0;
        }
    }
}

/* Makes data movement free for an Einsum.  The builder transposes and reshapes both
 * operands and the result of the multiplication, and the kernel lists these steps
 * before or after the multiplication. */
static void fit_operands(const struct replay *r, struct candidate *w, fsd_id node)
{
    enum { MOVES = 8 };
    uint32_t paid = w->moves < MOVES ? w->moves : MOVES;

    if (!fsd_computes_pairs(r, node))
        return;
    w->cost -= paid * COST_MOVE;
    w->moves -= paid;
    w->fits += MOVES - paid;
}

static struct candidate *branch(struct replay *r, const struct candidate *w)
{
    struct candidate *next;

    if (r->beam->n_next == NEXT)
        return NULL;
    next = &r->beam->next[r->beam->n_next++];
    fsd_candidate_copy(next, w);
    return next;
}

/* --------------------------------------------------------------- one step */

/* Whether the candidate, after the first `done` steps of the lowering `begun`, may
 * continue with the lowering `other`.  These steps must be the same in both.  A product
 * must keep its lowering, because begin() makes a separate candidate for each lowering
 * that fits. */
static bool may_be(const struct replay *r, fsd_id node,
                   const struct fsd_lowering *begun, const struct fsd_lowering *other,
                   uint32_t done)
{
    return other == begun ||
           (!fsd_is_product(r, node) &&
            !memcmp(begun->steps, other->steps, done * sizeof *begun->steps));
}

static void go_on(struct replay *r, struct candidate *w, fsd_sym step)
{
    for (uint32_t i = 0; i < w->n_open; i++) {
        struct held open = w->open[i];
        const struct fsd_lowering *all = r->lowerings->all.at;
        struct fsd_span lowerings = r->lowerings->of[open.node];
        bool goes_on = false;

        for (uint32_t k = lowerings.at; k < lowerings.at + lowerings.n; k++) {
            bool last = all[k].n == open.done + 1;
            struct candidate *next;
            uint64_t from;

            if ((goes_on && !last) || all[k].steps[open.done] != step ||
                !may_be(r, open.node, &all[open.lowering], &all[k], open.done) ||
                !fsd_can_go_on(r, w, open.node, open.done, &from) ||
                !(next = branch(r, w)))
                continue;
            next->used |= open.from | from;
            fit_operands(r, next, open.node);
            next->cost += open.idle && fsd_has_layer(r, open.node);
            next->open[i].idle = false;
            next->open[i].lowering = k;
            next->open[i].done++;
            goes_on |= !last;
            if (last) {
                next->open[i] = next->open[--next->n_open];
                fsd_candidate_take(r, next, open.node, open.handed);
            }
        }
    }
}

/* Whether the kernel computes the tensor.  Also true if the kernel computes a tensor
 * from which only neutral nodes lead to this tensor. */
static bool is_made(const struct replay *r, struct candidate *w, fsd_id tensor)
{
    for (int far = 0; far < FAR && tensor != FSD_NONE; far++) {
        const struct available *value = fsd_find_available(w, tensor);
        fsd_id by = fsd_tensor_producer(r->g, tensor);

        if (value && (value->made || !value->from))
            return true;
        tensor = by != FSD_NONE && is_neutral(r, by) ? fsd_data_input(r, by) : FSD_NONE;
    }
    return false;
}

static bool reads_made(const struct replay *r, struct candidate *w, fsd_id node)
{
    FSD_EACH_OF (tensor, r->g->ports, r->g->nodes.at[node].in, tensor)
        if (is_made(r, w, tensor))
            return true;
    return false;
}

static fsd_id behind_folded(const void *replay, fsd_id node)
{
    const struct replay *r = replay;

    return r->nodes[node].folds ? fsd_node_out_tensor(r->g, node, 0) : FSD_NONE;
}

/* Adds a candidate that also takes the activation after a Conv.  The builder merges an
 * activation into a Conv if only the activation reads the result, and the kernel then
 * has no step for the activation. */
static void activate(struct replay *r, const struct candidate *w, fsd_id conv)
{
    fsd_id out = fsd_node_out_tensor(r->g, conv, 0);
    fsd_id node =
        fsd_tensor_only_reader(r->g, fsd_walk_on(r->g, out, behind_folded, r));
    struct candidate *next;

    if (fsd_traits_of(r->m->facts, node) & FSD_OP_ACTIVATION && (next = branch(r, w)))
        fsd_candidate_take(r, next, node, false);
}

/* Adds a candidate that also takes an Add after a Conv, because a Conv kernel can add
 * another input to its result without a step for the Add. */
static void add_to_sum(struct replay *r, struct candidate *w, fsd_id conv, fsd_sym step)
{
    fsd_id out = fsd_node_out_tensor(r->g, conv, 0);
    struct fsd_span readers = {0, 0};

    if (step == FSD_ONNX_Conv)
        readers = fsd_tensor_consumers(r->g, out);
    FSD_EACH_ID (node, r->g->links, readers) {
        struct candidate *next;
        uint64_t from;

        if (!fsd_node_is(r->g, node, FSD_ONNX_Add) || fsd_candidate_took(w, node) ||
            !fsd_is_ready(r, w, node, ++r->rounds, &from) || !(from & ~w->used) ||
            !(next = branch(r, w)))
            continue;
        next->cost += COST_MOVE;
        next->used |= from;
        fsd_candidate_take(r, next, node, false);
    }
}

/* Whether the node is a Q after a Concat.  The builder moves such a Q before the
 * Concat, and several kernels compute it: each of them for one input of the Concat. */
static bool is_done_by_parts(const struct replay *r, fsd_id node)
{
    fsd_id in = fsd_node_is(r->g, node, FSD_ONNX_QuantizeLinear)
                    ? fsd_data_input(r, node)
                    : FSD_NONE;
    fsd_id by = fsd_tensor_producer(r->g, in);

    return fsd_node_is(r->g, by, FSD_ONNX_Concat);
}

/* Whether the candidate took the node and may not take it again.  A Q after a Concat
 * may be taken once for each input of the Concat. */
static bool is_done(const struct replay *r, const struct candidate *w, fsd_id node)
{
    return fsd_candidate_took(w, node) && !is_done_by_parts(r, node);
}

static bool is_convolved(const struct replay *r, fsd_id tensor)
{
    fsd_id by =
        fsd_tensor_producer(r->g, fsd_walk_back(r->g, tensor, fsd_before_passing, r));

    return fsd_node_is(r->g, by, FSD_ONNX_Conv) ||
           fsd_node_is(r->g, by, FSD_ONNX_ConvTranspose);
}

/* Whether the builder may use this lowering for the node.  Always true, except for a
 * BatchNormalization:
 *   - If it does not fold into weights, or if other nodes read its input, too, a kernel
 *     computes it in full: the lowering must have at least two steps.
 *   - Else, if its input is the result of a Conv, the builder merges it into the Conv's
 *     weights: the lowering must have at most two steps. */
static bool is_left(const struct replay *r, fsd_id node,
                    const struct fsd_lowering *lowering)
{
    fsd_id in = r->nodes[node].folds ? fsd_data_input(r, node) : FSD_NONE;

    if (!fsd_node_is(r->g, node, FSD_ONNX_BatchNormalization))
        return true;
    if (fsd_graph_tensor(r->g, in)->consumers.n != 1)
        return lowering->n > 1;
    return lowering->n < 3 || !is_convolved(r, in);
}

/* Whether the lowering fits the sizes of the product's weight.  Two kinds of lowerings
 * are restricted:
 *   - A lowering with several Mul steps.  It computes the product as a sum, with a Mul
 *     for each element of a short axis.  So this axis must have as many elements as
 *     there are Mul steps.  If the node is a Conv, its window must have size 1.
 *   - A lowering of a Conv that begins with a MatMul.  The window of the Conv must have
 *     size 1. */
static bool fits_weight(const struct replay *r, fsd_id node,
                        const struct fsd_lowering *lowering)
{
    bool conv = fsd_node_is(r->g, node, FSD_ONNX_Conv);
    fsd_id weight = fsd_node_in_tensor(r->g, node, 1);
    fsd_id out = fsd_node_out_tensor(r->g, node, 0);
    fsd_id left = conv ? FSD_NONE : fsd_node_in_tensor(r->g, node, 0);
    const struct fsd_shape *made, *s;
    int64_t parts = 0, columns;

    for (uint8_t i = 0; i < lowering->n; i++)
        parts += lowering->steps[i] == FSD_ONNX_Mul;
    if (!fsd_is_product(r, node) ||
        (parts < 2 && !(conv && lowering->steps[0] == FSD_ONNX_MatMul)))
        return true;
    if (weight == FSD_NONE || out == FSD_NONE)
        return false;
    if (fsd_is_constant(r->m->facts, left)) {
        s = fsd_shape_of(r->sizes, left);
        return parts < 2 || (s->rank && s->dims[s->rank - 1] == parts);
    }
    made = fsd_shape_of(r->sizes, out);
    s = fsd_shape_of(r->sizes, weight);
    for (uint32_t i = 2; i < s->rank && conv; i++)
        if (s->dims[i] != 1)
            return false;
    if (!made->rank || s->rank < 2 || !r->m->facts->constant[weight])
        return false;
    columns = conv ? s->dims[0] : made->dims[made->rank - 1];
    return parts < 2 || (columns > 0 && fsd_count_of(r, weight) == columns * parts);
}

/* Whether the lowering fits the node; only a Sub has a restriction.  The builder turns
 * a Sub into an Add only if the second operand of the Sub is constant. */
static bool fits_operand(const struct replay *r, fsd_id node,
                         const struct fsd_lowering *lowering)
{
    fsd_id taken = fsd_node_in_tensor(r->g, node, 1);

    return !fsd_node_is(r->g, node, FSD_ONNX_Sub) ||
           lowering->steps[0] == FSD_ONNX_Sub ||
           (taken != FSD_NONE && fsd_stays_constant(r, taken));
}

static void begin(struct replay *r, struct candidate *w, fsd_id node, fsd_sym step,
                  uint64_t from, uint32_t cost)
{
    struct fsd_span lowerings = r->lowerings->of[node];
    bool begun = false;

    for (uint32_t i = 0; i < lowerings.n; i++) {
        const struct fsd_lowering *lowering = &r->lowerings->all.at[lowerings.at + i];
        struct candidate *next;

        if (lowering->n > 1 && w->n_open == OPEN)
            w->bound = "unfinished nodes";
        if (lowering->steps[0] != step || (lowering->n > 1 && begun) ||
            !is_left(r, node, lowering) || !fits_weight(r, node, lowering) ||
            !fits_operand(r, node, lowering) ||
            (lowering->n > 1 && w->n_open == OPEN) || !(next = branch(r, w)))
            continue;
        next->used |= from;
        next->cost += cost;
        fit_operands(r, next, node);
        if (w->n_taken && !reads_made(r, w, node) &&
            !(fsd_is_product(r, node) && fsd_is_must(r, node))) {
            next->loose++;
            next->cost += r->nodes[node].passes ? COST_LOOSE : 0;
        }
        if (lowering->n == 1 && r->nodes[node].reserved != FSD_NONE &&
            !fsd_is_must(r, node))
            next->cost += COST_RESERVED;
        if (fsd_has_layer(r, node) && !fsd_comes_in_parts(r, node) &&
            !is_done_by_parts(r, node) && (r->now.part == 1 || w->n_taken))
            next->cost += COST_AGAIN;
        begun |= lowering->n > 1 && !fsd_is_product(r, node);
        if (lowering->n == 1) {
            fsd_candidate_take(r, next, node, false);
            add_to_sum(r, next, node, step);
            if (step == FSD_ONNX_Conv &&
                r->m->engine->layers.at[r->layer].more_steps == FSD_STEPS_ARE_ALL)
                activate(r, next, node);
        } else
            next->open[next->n_open++] = (struct held){.tensor = FSD_NONE,
                                                       .node = node,
                                                       .lowering = lowerings.at + i,
                                                       .done = 1};
    }
}

/* Used if the kernel's name lacks steps.  Assumes that the step of `node` is missing:
 * takes `node` without a step, and begins the consumers of `node` with `step`. */
static void begin_behind(struct replay *r, struct candidate *w, fsd_id node,
                         fsd_sym step)
{
    struct candidate *try = &r->beam->candidates[CANDIDATES];
    fsd_id out = fsd_node_out_tensor(r->g, node, 0);
    const struct fsd_tensor *t;
    uint64_t from;

    if (out == FSD_NONE || r->nodes[node].passes || fsd_is_product(r, node))
        return;
    fsd_find_missing(r, w, node, true, &from);
    fsd_candidate_copy(try, w);
    try->cost += COST_MOVE;
    try->used |= from;
    fsd_candidate_take(r, try, node, false);
    t = &r->g->tensors.at[out];
    FSD_EACH_ID (next, r->g->links, t->consumers)
        if (fsd_is_ready(r, try, next, ++r->rounds, &from) &&
            !fsd_candidate_took(try, next))
            begin(r, try, next, step, from, 0);
}

/* Begins the nodes that produce data from constants alone, such as a Range.  They need
 * no available tensor. */
static void begin_generators(struct replay *r, struct candidate *w, fsd_sym step)
{
    for (uint32_t i = 0; i < r->generators.n; i++) {
        fsd_id node = r->generators.at[i];

        if (!fsd_is_must(r, node) && !fsd_candidate_took(w, node) &&
            !fsd_candidate_began(w, node))
            begin(r, w, node, step, 0, 0);
    }
}

static void begin_moved(struct replay *r, struct candidate *w, fsd_id node,
                        fsd_sym step, uint64_t from)
{
    struct fsd_span readers = {0, 0};

    if (r->m->facts->traits[node] & FSD_OP_COMMUTES)
        readers = fsd_tensor_consumers(r->g, fsd_node_out_tensor(r->g, node, 0));
    FSD_EACH_ID (q, r->g->links, readers)
        if (fsd_last_duplicate(r, q) == q && fsd_is_moved(r, w, q) &&
            !is_done(r, w, q) && !fsd_candidate_began(w, q))
            begin(r, w, q, step, from, 0);
}

/* Begins the nodes that names assign to the kernel, even if one of their inputs is not
 * available. */
static void begin_musts(struct replay *r, struct candidate *w, fsd_sym step)
{
    for (uint32_t i = 0; i < r->now.n_must; i++) {
        fsd_id node = r->now.must[i].node;
        uint64_t from;
        bool ready = fsd_find_missing(r, w, node, true, &from) == FSD_NONE &&
                     fsd_reads_data(r, node);

        if (!fsd_candidate_took(w, node) && !fsd_candidate_began(w, node))
            begin(r, w, node, step, from, ready || r->now.gaps ? 0 : COST_GAP);
    }
}

uint32_t fsd_next_unmade(const struct replay *r, const fsd_id *nodes, uint32_t *skip,
                         uint32_t at, uint32_t end)
{
    uint32_t next = at;

    while (next < end && fsd_has_layer(r, nodes[next]))
        next = skip[next] > next ? skip[next] : next + 1;
    if (at < end)
        skip[at] = next;
    return next;
}

static uint32_t next_unmade(struct replay *r, uint32_t at, struct fsd_span readers)
{
    return fsd_next_unmade(r, r->reader.at, r->unmade, at, readers.at + readers.n);
}

/* Begins the nodes that read an available tensor, are ready (fsd_is_ready()), and can
 * begin with `step`.  Begins each node once.  Leaves out the nodes that names assign to
 * the kernel, because begin_musts() begins them.  Also begins Qs that the builder may
 * have moved before an operator (begin_moved()).
 * @param made false: begins only nodes without a layer; true: only nodes that have a
 *        layer, except products */
static void begin_nodes(struct replay *r, struct candidate *w, fsd_sym step, bool made)
{
    fsd_id seen[NEXT];
    const uint32_t round = ++r->rounds;
    uint32_t n = 0;
    uint64_t from;

    for (uint32_t i = 0; i < w->n_available; i++) {
        struct fsd_span readers = r->tensors[w->available[i].tensor].readers;
        uint32_t k = made ? readers.at : next_unmade(r, readers.at, readers);

        for (; k < readers.at + readers.n && n < NEXT;
             k = made ? k + 1 : next_unmade(r, k + 1, readers)) {
            fsd_id node = r->reader.at[k];
            bool known = fsd_has_layer(r, node) != made ||
                         (made && fsd_is_product(r, node)) || fsd_is_must(r, node);

            for (uint32_t s = 0; s < n && !known; s++)
                known = seen[s] == node;
            if (known || fsd_candidate_began(w, node) || is_done(r, w, node))
                continue;
            if (!fsd_is_ready(r, w, node, round, &from)) {
                begin_moved(r, w, node, step, w->available[i].from);
                continue;
            }
            seen[n++] = node;
            begin(r, w, node, step, from, 0);
            begin_moved(r, w, node, step, from);
            if (r->m->engine->layers.at[r->layer].more_steps == FSD_STEPS_LACK_SOME)
                begin_behind(r, w, node, step);
        }
    }
}

int fsd_candidate_order(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    if (x->loose != y->loose)
        return x->loose < y->loose ? -1 : 1;
    if (x->odd != y->odd)
        return x->odd < y->odd ? -1 : 1;
    if (x->lost != y->lost)
        return x->lost < y->lost ? -1 : 1;
    if (x->n_taken != y->n_taken)
        return x->n_taken > y->n_taken ? -1 : 1;
    if (x->neutral != y->neutral)
        return x->neutral < y->neutral ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Whether both candidates took the same nodes, possibly in a different order, and began
 * the same nodes. */
static bool is_same_candidate(const struct candidate *a, const struct candidate *b)
{
    if (a->set != b->set || a->cost != b->cost || a->loose != b->loose ||
        a->n_taken != b->n_taken || a->n_open != b->n_open)
        return false;
    for (uint32_t i = 0; i < a->n_open; i++)
        if (a->open[i].node != b->open[i].node ||
            a->open[i].lowering != b->open[i].lowering ||
            a->open[i].done != b->open[i].done)
            return false;
    return true;
}

static bool is_kept(const struct beam *beam, uint32_t kept, const struct candidate *w)
{
    for (uint32_t i = 0; i < kept; i++)
        if (is_same_candidate(&beam->candidates[i], w))
            return true;
    return false;
}

/* Orders candidates for qsort(): the likeliest first, and of equal candidates the one
 * that was found first. */
static int by_order(const void *a, const void *b)
{
    const struct candidate *const *x = a, *const *y = b;
    int order = fsd_candidate_order(*x, *y);

    return order ? order : (*x > *y) - (*x < *y);
}

static void keep_best(struct replay *r)
{
    const struct candidate *sorted[NEXT];
    struct beam *beam = r->beam;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < beam->n_next; i++)
        sorted[i] = &beam->next[i];
    qsort(sorted, beam->n_next, sizeof(*sorted), by_order);
    for (uint32_t i = 0; i < beam->n_next && kept < CANDIDATES; i++)
        if (!is_kept(beam, kept, sorted[i]))
            fsd_candidate_copy(&beam->candidates[kept++], sorted[i]);
    beam->n_candidates = kept;
}

/* Adds the cost of a step that no node needs. */
static void pay(struct candidate *w, fsd_sym step)
{
    bool moves = fsd_step_moves(step);

    if (moves && w->fits) {
        w->fits--;
    } else {
        w->cost += moves ? COST_MOVE : COST_STEP;
        w->moves += moves;
    }
}

void fsd_candidates_step(struct replay *r, fsd_sym step)
{
    r->beam->n_next = 0;
    for (uint32_t i = 0; i < r->beam->n_candidates; i++) {
        struct candidate *w = &r->beam->candidates[i], *next;

        go_on(r, w, step);
        begin_musts(r, w, step);
        begin_nodes(r, w, step, false);
        begin_generators(r, w, step);
        next = branch(r, w);
        if (!next)
            continue;
        if (step == FSD_ONNX_Slice && next->parts)
            next->parts--;
        else if (step == FSD_ONNX_Cast && next->casts)
            next->casts--;
        else if (step == next->repeated && next->repeats)
            next->repeats--;
        else
            pay(next, step);
        next->pads |= step == FSD_ONNX_Concat;
        next->cuts |= step == FSD_ONNX_Slice && !w->parted;
    }
    /* Last, tries the nodes that another kernel already computes.  These nodes are
     * unlikely, and there may be more of them than `next` can hold. */
    for (uint32_t i = 0; i < r->beam->n_candidates; i++)
        begin_nodes(r, &r->beam->candidates[i], step, true);
    keep_best(r);
}
