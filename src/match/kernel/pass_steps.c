/*
 * Links generated kernels to nodes.  The name of a generated kernel lists its
 * operations, which are called "steps" here.  A beam search replays the steps of each
 * kernel over the model, kernel by kernel in the order of the engine:
 *
 *     kernel 5  MatMul Add Tanh       reads a tensor that holds x, writes t
 *     model     x -> MatMul -> Add -> Tanh -> y,   x -> MatMul_2 -> Add_2 -> z
 *
 * A candidate is one interpretation of the steps so far, with a cost.  A candidate
 * "takes" a node if the kernel computes the node in this interpretation.  A node with
 * several steps, such as a Softmax, is unfinished until its last step.  Each candidate
 * has its own list of available tensors.  At first, only x is available.  Each step
 * continues all candidates:
 *
 *     MatMul   {MatMul} 0     {MatMul_2} 0     {} 5: a step of the builder's own
 *     Add      {MatMul Add} 0     {MatMul_2 Add_2} 0     {MatMul} 5 ...
 *     Tanh     {MatMul Add Tanh} 0     {MatMul_2 Add_2} 5 ...
 *
 * A candidate can take a node when all inputs of the node are available: an input of
 * the kernel holds them, or nodes taken earlier compute them.  Nodes that need no step
 * may be in between, such as views, quantizers, and scalings that the builder folds
 * into weights (passing.c).  After each step, the CANDIDATES candidates with the lowest
 * cost are kept.  After the last step, unused inputs of the kernel, names that disagree
 * and sizes that differ add to the cost (fit.c).
 *
 * Here {MatMul Add Tanh} costs nothing.  This candidate is committed (commit.c): the
 * kernel is linked to its nodes, and t holds y.  So y is available to the kernels that
 * read t.  fsd_candidate_order() compares candidates of equal cost.  If several
 * candidates remain equal, only the nodes that all of them took are committed.
 *
 * For a kernel with n steps, the best candidate may cost at most 3 + n / 3.  If it
 * costs more, nothing is committed.  The replay then guesses which tensor the kernel
 * wrote (lost.c), or continues behind the next tensor or kernel that a name identifies.
 *
 * Layers with links by Metadata are anchors: their links are certain, and their outputs
 * hold the results of the linked nodes.  Anchors without steps are handled first, so
 * that their position in the engine does not matter.  Kernels with steps are handled in
 * the order in which the engine runs them.
 */
#include "match/kernel/replay.h"

#include <stdlib.h>

/* Records that the engine tensor `e` may hold `item`, in addition to earlier items. */
static void hold(struct replay *r, fsd_id e, struct held item)
{
    struct fsd_span *span = &r->values[e].held, old = *span;

    for (uint32_t i = 0; i < old.n && r->held.n; i++) {
        struct held h = r->held.at[old.at + i];

        if (h.tensor == item.tensor && h.node == item.node)
            return;
    }
    if (old.at + old.n != r->held.n) {
        span->at = r->held.n;
        for (uint32_t i = 0; i < old.n; i++)
            fsd_vec_push(r->scratch, &r->held, r->held.at[old.at + i]);
    }
    fsd_vec_push(r->scratch, &r->held, item);
    span->n++;
}

/* If the port has one of several equal parts of its tensor, raises r->now.part to the
 * number of parts.  This happens behind joined products, which write one tensor.  Other
 * kernels then compute the same nodes for the other parts. */
static void note_part(struct replay *r, const struct fsd_port *port)
{
    const struct fsd_graph *e = r->m->engine;
    int64_t size = fsd_form_count(e, fsd_port_form(e, port)), least = 0;

    for (uint32_t k = 0; k < r->values[port->tensor].held.n; k++) {
        struct held h = r->held.at[r->values[port->tensor].held.at + k];
        int64_t count = fsd_count_of(r, h.tensor);

        least = least && least < count ? least : count; /* negative if a size is
                                                           unknown */
    }
    if (size > 0 && least % size == 0 && least / size > r->now.part)
        r->now.part = least / size;
}

static fsd_id producer_of(const struct replay *r, struct held h)
{
    return h.tensor == FSD_NONE ? h.node : fsd_tensor_producer(r->g, h.tensor);
}

/* The number of elements of the held tensor or, for an unfinished node, of its
 * output. */
static int64_t size_of(const struct replay *r, struct held h)
{
    return fsd_count_of(r, fsd_id_or(h.tensor, fsd_node_out_tensor(r->g, h.node, 0)));
}

/* Lists in `choices` what the kernel may read from `port`, and returns the number of
 * choices.  If joined products wrote the port's tensor, the kernel may read the result
 * of a single product: each product whose result has the size of the port is a choice.
 * If there is no such product, if a producer is unknown, or if there are more than
 * CHOICES, the only choice is FSD_NONE: the kernel reads the whole tensor. */
static uint32_t find_choices(const struct replay *r, uint32_t port,
                             fsd_id choices[CHOICES])
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_node *n = &e->nodes.at[r->layer];
    const struct fsd_port *p = fsd_node_in(e, n, port);
    int64_t size = fsd_form_count(e, fsd_port_form(e, p));
    fsd_id by = fsd_tensor_producer(e, p->tensor);
    uint32_t found = 0;

    choices[0] = FSD_NONE;
    if (by == FSD_NONE || !fsd_joins_products(r, by))
        return 1;
    for (uint32_t k = 0; k < r->values[p->tensor].held.n; k++) {
        struct held h = r->held.at[r->values[p->tensor].held.at + k];
        fsd_id node = producer_of(r, h);
        bool seen = false;

        if (size_of(r, h) != size)
            continue;
        if (node == FSD_NONE || found == CHOICES) {
            choices[0] = FSD_NONE;
            return 1;
        }
        for (uint32_t i = 0; i < found && !seen; i++)
            seen = choices[i] == node;
        if (!seen)
            choices[found++] = node;
    }
    return found ? found : 1;
}

/* Adds the model tensors that a port holds to the available tensors.  If `only` is not
 * FSD_NONE, adds only the outputs of the node `only`. */
static void take_port(const struct replay *r, struct candidate *w, uint32_t port,
                      fsd_id only)
{
    fsd_id t = fsd_node_in_tensor(r->m->engine, r->layer, port);
    uint64_t from = fsd_first_port(r, port);

    for (uint32_t k = 0; k < r->values[t].held.n; k++) {
        struct held h = r->held.at[r->values[t].held.at + k];

        if (only != FSD_NONE && producer_of(r, h) != only)
            continue;
        if (h.tensor != FSD_NONE) {
            fsd_candidate_hold(w, h.tensor, from);
        } else if (fsd_candidate_began(w, h.node)) {
            for (uint32_t o = 0; o < w->n_open; o++)
                if (w->open[o].node == h.node)
                    w->open[o].from |= from;
        } else if (w->n_open == OPEN) {
            w->bound = "unfinished nodes";
        } else {
            h.idle = h.handed = true;
            h.from = from;
            w->open[w->n_open++] = h;
        }
    }
}

/* False if a kernel without inputs produces the tensor.  The tensor is then a constant
 * or cleared memory, which no node of the model computes. */
static bool is_made_of_data(const struct fsd_graph *e, fsd_id tensor)
{
    fsd_id by = fsd_tensor_producer(e, tensor);

    return by == FSD_NONE || e->nodes.at[by].in.n;
}

/* Creates a candidate for each tensor that a lost input may hold.  If there is no room
 * for all these candidates, makes all these tensors available in every candidate. */
static void guess_port(struct replay *r, uint32_t port)
{
    fsd_id guesses[GUESSES];
    uint32_t n = fsd_find_guesses(r, port, guesses), candidates = r->beam->n_candidates;
    uint64_t from = fsd_first_port(r, port);
    bool apart = candidates * n <= CANDIDATES;

    for (uint32_t k = 0; k < candidates; k++)
        for (uint32_t c = n; c-- > 0;) {
            struct candidate *w = &r->beam->candidates[apart ? k + c * candidates : k];

            if (c && apart)
                fsd_candidate_copy(w, &r->beam->candidates[k]);
            if (w->guess == FSD_NONE && apart)
                w->guess = guesses[c];
            fsd_candidate_hold(w, guesses[c], from);
            w->set += fsd_hash_mix(guesses[c], 1 + port);
            w->order += c;
        }
    if (n && apart)
        r->beam->n_candidates = candidates * n;
}

static void begin_kernel(struct replay *r, bool guess)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_node *n = &e->nodes.at[r->layer];

    memset(&r->beam->candidates[0], 0, offsetof(struct candidate, available));
    r->beam->candidates[0].guess = FSD_NONE;
    r->beam->n_candidates = 1;
    r->now.gaps = false;
    r->now.part = 1;
    r->now.padded = false;
    for (uint32_t i = 0; i < n->in.n; i++) {
        fsd_id t = fsd_node_in_tensor(e, r->layer, i), choices[CHOICES];
        uint32_t n_choices, candidates;

        if (t == FSD_NONE)
            continue;
        r->now.gaps |= !r->values[t].held.n && is_made_of_data(e, t);
        if (guess && fsd_is_lost(r, t))
            guess_port(r, i);
        note_part(r, fsd_node_in(e, n, i));
        candidates = r->beam->n_candidates;
        FSD_EACH_ID (writer, e->links, e->tensors.at[t].producers)
            r->now.padded |= r->layers[writer].pads;
        n_choices = find_choices(r, i, choices);
        if (candidates * n_choices > CANDIDATES) { /* not enough room for a candidate
                                                      per choice */
            choices[0] = FSD_NONE;
            n_choices = 1;
        }
        for (uint32_t k = 0; k < candidates; k++)
            for (uint32_t c = n_choices; c-- > 0;) {
                struct candidate *w = &r->beam->candidates[k + c * candidates];

                if (c)
                    fsd_candidate_copy(w, &r->beam->candidates[k]);
                take_port(r, w, i, choices[c]);
                w->set += fsd_hash_mix(choices[c], 1 + i);
                w->order += c; /* of equal candidates, the one with the
                                  earlier product wins */
            }
        r->beam->n_candidates = candidates * n_choices;
    }
    /* Adds the tensors behind nodes without a step only after all ports were read.  So
     * if a port holds such a tensor, the tensor counts as read from this port, and not
     * as computed from another port. */
    for (uint32_t k = 0; k < r->beam->n_candidates; k++)
        fsd_candidate_follow(r, &r->beam->candidates[k], 0);
}

/* Records which tensors each output of the kernel may hold: the computed tensors whose
 * size is unknown or equals the size of the output.  If no computed tensor has the size
 * of the output, records all computed tensors for this output. */
static void hold_made(struct replay *r, const struct candidate *w)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_node *n = &e->nodes.at[r->layer];
    fsd_id made[AVAILABLE];
    uint32_t escaping = fsd_candidate_makes(r, w, made);

    for (uint32_t i = 0; i < n->out.n; i++) {
        const struct fsd_port *port = fsd_node_out(e, n, i);
        int64_t size = fsd_form_count(e, fsd_port_form(e, port));
        bool fits = false;

        if (port->tensor == FSD_NONE)
            continue;
        for (uint32_t k = 0; k < escaping; k++)
            fits |= size >= 0 && fsd_count_of(r, made[k]) == size;
        for (uint32_t k = 0; k < escaping; k++)
            if (!fits || fsd_count_of(r, made[k]) == size ||
                fsd_count_of(r, made[k]) < 0)
                hold(r, port->tensor,
                     (struct held){.tensor = made[k], .node = FSD_NONE});
        for (uint32_t k = 0; k < w->n_open; k++)
            hold(r, port->tensor, w->open[k]);
        /* A kernel with more outputs than computed tensors forwards some of its inputs,
         * so this output may hold an input.  If a computed tensor has the size of this
         * output, only an input of this size is possible, and only if the kernel has
         * a Move step.  If no computed tensor has it, every input is possible. */
        if (escaping < n->out.n &&
            (!fits || fsd_layer_count(e, r->layer, FSD_ONNX_Move)))
            FSD_EACH_OF (in, e->ports, n->in, tensor)
                for (uint32_t k = 0; k < fsd_held_by(r, in).n; k++) {
                    struct held h = r->held.at[r->values[in].held.at + k];

                    if (!fits || size_of(r, h) == size)
                        hold(r, port->tensor, h);
                }
    }
}

/* If the kernel ends with the first step of a product, records that the outputs hold
 * the incomplete product: the next kernel adds the bias or converts integers to
 * floats. */
static void hold_sum(struct replay *r, fsd_id node)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_node *n = &e->nodes.at[r->layer];
    struct fsd_span lowerings = r->lowerings->of[node],
                    steps = e->layers.at[r->layer].steps;
    fsd_sym last = e->links.at[steps.at + steps.n - 1];
    bool narrow = false;

    if ((last != FSD_ONNX_Conv && last != FSD_ONNX_MatMul &&
         last != FSD_ONNX_ReduceSum) ||
        !fsd_is_product(r, node))
        return;
    for (uint32_t i = 0; i < n->in.n; i++)
        narrow |= fsd_dtype_is_quantized(fsd_port_form(e, fsd_node_in(e, n, i))->type);
    for (uint32_t i = 0; i < lowerings.n; i++) {
        const struct fsd_lowering *lowering = &r->lowerings->all.at[lowerings.at + i];

        if (lowering->n == 1 || (lowering->steps[1] == FSD_ONNX_Mul) != narrow ||
            (lowering->n > 2 || !narrow) != (r->g->nodes.at[node].in.n > 2))
            continue;
        for (uint32_t k = 0; k < n->out.n; k++)
            if (fsd_node_out(e, n, k)->tensor != FSD_NONE)
                hold(r, fsd_node_out(e, n, k)->tensor,
                     (struct held){.tensor = FSD_NONE,
                                   .node = node,
                                   .lowering = lowerings.at + i,
                                   .done = 1});
    }
}

/* Sorts the taken nodes as the kernel's name lists them, because joined products write
 * their parts in this order. */
static void sort_by_name(const struct replay *r, struct candidate *w)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < r->now.n_must; i++)
        for (uint32_t k = at; k < w->n_taken; k++)
            if (w->taken[k] == r->now.must[i].node) {
                fsd_id node = w->taken[k];
                bool ended = w->ended[k];

                w->taken[k] = w->taken[at];
                w->ended[k] = w->ended[at];
                w->taken[at] = node;
                w->ended[at++] = ended;
            }
}

/* Takes the nodes of the current kernel without replaying its steps, and records which
 * tensors the kernel's outputs hold.  An anchored kernel computes its linked nodes.
 * Any other kernel computes the nodes in its name.  The nodes in a name are taken in
 * the order of the name, because the readers of joined products rely on it. */
static void follow_links(struct replay *r, bool anchored)
{
    struct candidate *w = &r->beam->candidates[0];

    memset(w, 0, offsetof(struct candidate, available));
    if (anchored)
        for (uint32_t i = 0; i < r->m->of_layer[r->layer].n && w->n_taken < TAKEN; i++)
            w->taken[w->n_taken++] = fsd_match_of_layer(r->m, r->layer, i)->node;
    else
        for (uint32_t i = 0; i < r->now.n_must; i++)
            if (r->now.must[i].cost == COST_NAMED)
                w->taken[w->n_taken++] = r->now.must[i].node;
    for (uint32_t i = 0; i < w->n_taken; i++)
        r->nodes[w->taken[i]].layer = fsd_id_or(r->nodes[w->taken[i]].layer, r->layer);
    if (anchored) {
        fsd_commit_behind(r, w);
        fsd_commit_between(r, w);
    }
    if (w->n_taken)
        hold_made(r, w);
}

static bool is_anchor(const struct fsd_match *m, fsd_id layer)
{
    for (uint32_t i = 0; i < m->of_layer[layer].n; i++)
        if (fsd_match_of_layer(m, layer, i)->by & FSD_BY_METADATA)
            return true;
    return false;
}

/* The number of candidates that are as good as the best one.  They are interpretations
 * that nothing distinguishes, for example equal branches. */
static uint32_t count_tied(const struct replay *r)
{
    uint32_t n = 1;

    while (n < r->beam->n_candidates &&
           !fsd_candidate_order(&r->beam->candidates[0], &r->beam->candidates[n]))
        n++;
    return n;
}

static bool all_take(const struct replay *r, uint32_t n, fsd_id node)
{
    for (uint32_t k = 0; k < n; k++)
        if (!fsd_candidate_took(&r->beam->candidates[k], node))
            return false;
    return true;
}

/* Returns one candidate with the nodes that all of the first `n` candidates take. */
static struct candidate *share_tied(struct replay *r, uint32_t n)
{
    struct candidate *shared = &r->beam->next[0];
    uint32_t kept = 0;

    fsd_candidate_copy(shared, &r->beam->candidates[0]);
    for (uint32_t i = 0; i < shared->n_taken; i++)
        if (all_take(r, n, shared->taken[i])) {
            shared->ended[kept] = shared->ended[i];
            shared->taken[kept++] = shared->taken[i];
        }
    shared->n_taken = kept;
    return shared;
}

/* Commits the nodes that all of the first `n` candidates take.  The kernel's outputs
 * may hold the result of any of these candidates. */
static void accept_tied(struct replay *r, uint32_t n)
{
    struct candidate *shared = share_tied(r, n);

    r->layers[r->layer].unsaid = r->beam->candidates[0].n_taken - shared->n_taken;
    sort_by_name(r, shared);
    for (uint32_t i = 0; i < shared->n_taken; i++)
        hold_sum(r, shared->taken[i]);
    fsd_commit(r, shared);
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t i = 0; i < r->beam->candidates[k].n_taken; i++)
            if (!fsd_candidate_took(shared, r->beam->candidates[k].taken[i]))
                fsd_vec_push(
                    r->scratch, &r->tied,
                    (struct fsd_link){r->layer, r->beam->candidates[k].taken[i], 0});
        hold_made(r, &r->beam->candidates[k]);
    }
}

/* The highest cost of a candidate that may be committed. */
static uint32_t highest_cost(const struct replay *r)
{
    return 3 + r->m->engine->layers.at[r->layer].steps.n / 3;
}

/* Follows the kernel's steps; true if the likeliest candidate costs little enough to be
 * committed. */
static bool follow_steps(struct replay *r, bool guess)
{
    const struct fsd_layer *l = &r->m->engine->layers.at[r->layer];

    begin_kernel(r, guess);
    FSD_EACH_ID (step, r->m->engine->links, l->steps)
        fsd_candidates_step(r, step);
    for (uint32_t i = 0; i < r->beam->n_candidates; i++) {
        fsd_candidate_take_more(r, &r->beam->candidates[i]);
        fsd_candidate_finish(r, &r->beam->candidates[i]);
    }
    qsort(r->beam->candidates, r->beam->n_candidates, sizeof *r->beam->candidates,
          fsd_candidate_order);
    return r->beam->candidates[0].cost <= highest_cost(r);
}

/* The name of the limit that a candidate reached; NULL if none reached a limit.  After
 * a limit, the search may have missed the kernel's nodes. */
static const char *find_bound(const struct replay *r)
{
    for (uint32_t i = 0; i < r->beam->n_candidates; i++)
        if (r->beam->candidates[i].bound)
            return r->beam->candidates[i].bound;
    return NULL;
}

/* Calls follow_steps(), and records the first limit that the search reaches for the
 * kernel. */
static bool try_kernel(struct replay *r, bool guess)
{
    bool known = follow_steps(r, guess);
    const char *bound;

    if (r->m->bounds.n && r->m->bounds.at[r->m->bounds.n - 1].layer == r->layer)
        return known;
    bound = find_bound(r);
    if (bound)
        fsd_vec_push(r->m->arena, &r->m->bounds, (struct fsd_bound){r->layer, bound});
    return known;
}

/* The index of the first kernel input that is lost; in.n if there is none. */
static uint32_t lost_port(const struct replay *r)
{
    const struct fsd_graph *e = r->m->engine;
    uint32_t i = 0, n = e->nodes.at[r->layer].in.n;

    while (i < n && !fsd_is_lost(r, fsd_node_in_tensor(e, r->layer, i)))
        i++;
    return i;
}

/* Tries the kernel with each tensor that its lost input `port` may hold.  Returns
 * whether the best candidate is good enough:
 *   - its cost is low enough for a commit, and it is not `broken`,
 *   - it uses the lost input,
 *   - it takes a node that no other kernel computes,
 *   - it costs no more than the best candidate without a guess,
 *   - if `known`, it has no more outputs of an unfitting shape than the best candidate
 *     without a guess.
 * @param known whether the best candidate without a guess could be committed */
static bool try_guesses(struct replay *r, uint32_t port, bool known)
{
    const struct candidate *w = r->beam->candidates;
    uint32_t again = 0, most = w->cost, odd = known ? w->odd : UINT32_MAX;

    if (!try_kernel(r, true))
        return false;
    w = r->beam->candidates;
    for (uint32_t i = 0; i < w->n_taken; i++)
        again += fsd_has_layer(r, w->taken[i]);
    return w->n_taken > again && w->guess != FSD_NONE && w->cost <= most &&
           w->odd <= odd && w->used & fsd_first_port(r, port) && !w->broken;
}

static bool reads_narrow(const struct replay *r, struct fsd_span ports)
{
    const struct fsd_graph *e = r->m->engine;

    for (uint32_t i = 0; i < ports.n; i++)
        if (fsd_dtype_is_quantized(fsd_port_form(e, &e->ports.at[ports.at + i])->type))
            return true;
    return false;
}

/* Returns the layer that writes the kernel's only input, under two conditions: this
 * layer computes joined quantized products, and the kernel only scales the whole result
 * of this layer.  Otherwise, returns FSD_NONE. */
static fsd_id joined_before(const struct replay *r)
{
    const struct fsd_graph *e = r->m->engine;
    const struct fsd_node *n = &e->nodes.at[r->layer];
    struct fsd_span steps = e->layers.at[r->layer].steps;
    fsd_id by = fsd_node_in_producer(e, r->layer, 0);
    bool scales = fsd_layer_count(e, r->layer, FSD_ONNX_Mul) > 0;

    for (uint32_t i = 0; i < steps.n; i++) {
        fsd_sym step = e->links.at[steps.at + i];

        scales &= step == FSD_ONNX_Cast || step == FSD_ONNX_Mul || step == FSD_ONNX_Add;
    }
    if (!scales || n->in.n != 1 || n->out.n != 1 || by == FSD_NONE ||
        !fsd_joins_products(r, by) ||
        fsd_form_count(e, fsd_port_form(e, fsd_node_in(e, n, 0))) !=
            fsd_form_count(e, fsd_port_form(e, fsd_node_out(e, n, 0))))
        return FSD_NONE;
    return reads_narrow(r, e->nodes.at[by].in) ||
                   reads_narrow(r, e->layers.at[by].constants)
               ? by
               : FSD_NONE;
}

/* If the kernel converts the results of joined quantized products to floats, it
 * computes a part of each product.  Links the kernel to these products, and records
 * that its output holds all their results.  Returns false for any other kernel. */
static bool end_joined(struct replay *r)
{
    const struct fsd_graph *e = r->m->engine;
    fsd_id by = joined_before(r), out = fsd_node_out_tensor(e, r->layer, 0);
    uint32_t n = r->m->links.n;
    bool any = false;

    for (uint32_t i = 0; i < n && by != FSD_NONE; i++) {
        struct fsd_link link = r->m->links.at[i];
        fsd_id made = fsd_node_out_tensor(r->g, link.node, 0);

        if (link.layer != by || !fsd_is_product(r, link.node) || made == FSD_NONE)
            continue;
        fsd_match_link(r->m, r->layer, link.node, FSD_BY_STRUCTURE);
        hold(r, out, (struct held){.tensor = made, .node = FSD_NONE});
        any = true;
    }
    r->layers[r->layer].joined = any;
    return any;
}

/* Records which model tensors the inputs of a concatenating kernel hold.  The position
 * of an input in the Concat shows which tensor the input holds, even if the steps of
 * the kernel that produced the input fit no nodes. */
static void hold_joined(struct replay *r)
{
    const struct fsd_graph *e = r->m->engine;

    if (r->layers[r->layer].joins == FSD_NONE)
        return;
    FSD_EACH_OF (in, e->ports, e->nodes.at[r->layer].in, tensor)
        if (in != FSD_NONE && !r->values[in].held.n)
            hold(r, in,
                 (struct held){.tensor = r->values[in].joined, .node = FSD_NONE});
}

static void replay_kernel(struct replay *r)
{
    uint32_t port = lost_port(r);
    bool known, guess;

    if (end_joined(r))
        return;
    fsd_find_must(r);
    hold_joined(r);
    known = try_kernel(r, false);
    guess = r->beam->candidates[0].cost && fsd_does_enough(r) &&
            port < r->m->engine->nodes.at[r->layer].in.n;
    if (guess && try_guesses(r, port, known)) {
        fsd_id lost = fsd_node_in_tensor(r->m->engine, r->layer, port);
        fsd_id tensor = r->beam->candidates[0].guess;

        accept_tied(r, 1);
        fsd_fill_lost(r, lost, tensor);
    } else if (known) {
        if (guess) /* searches again without a guess */
            try_kernel(r, false);
        accept_tied(r, count_tied(r));
        if (fsd_candidate_took(&r->beam->candidates[0], r->layers[r->layer].joins))
            fsd_fill_joined(r);
    } else {
        follow_links(r, false);
    }
    fsd_note_lost(r);
}

/* Records that each engine tensor with a counterpart holds this counterpart.  Sets
 * `at_run` of the counterpart if a kernel computes the engine tensor although the model
 * proves the counterpart constant. */
static void hold_named(struct replay *r)
{
    for (fsd_id e = 0; e < r->m->engine->tensors.n; e++) {
        fsd_id counterpart = r->m->counterpart[e];

        if (counterpart == FSD_NONE)
            continue;
        hold(r, e, (struct held){.tensor = counterpart, .node = FSD_NONE});
        r->tensors[counterpart].at_run =
            r->m->facts->constant[counterpart] &&
            r->m->engine->tensors.at[e].producers.n &&
            fsd_tensor_producer(r->g, counterpart) != FSD_NONE;
    }
}

static void list_duplicates(struct replay *r)
{
    for (fsd_id i = 0; i < r->g->nodes.n; i++) {
        fsd_id *last = &r->nodes[r->m->facts->first_duplicate[i]].last_duplicate;

        r->nodes[i].next_duplicate = FSD_NONE;
        if (r->m->facts->first_duplicate[i] != i)
            r->nodes[*last].next_duplicate = i;
        *last = i;
    }
}

/* Lists, for each tensor, the readers that a kernel may compute.  Of duplicate nodes,
 * only the last is listed.  Nodes on which no output depends are not listed. */
static void list_readers(struct replay *r)
{
    for (fsd_id t = 0; t < r->g->tensors.n; t++) {
        struct fsd_span all = r->g->tensors.at[t].consumers;

        r->tensors[t].readers.at = r->reader.n;
        FSD_EACH_ID (node, r->g->links, all)
            if (fsd_last_duplicate(r, node) == node && r->m->facts->live[node])
                fsd_vec_push(r->scratch, &r->reader, node);
        r->tensors[t].readers.n = r->reader.n - r->tensors[t].readers.at;
    }
    r->unmade = FSD_NEW(r->scratch, uint32_t, r->reader.n);
    r->unvisited = FSD_NEW(r->scratch, uint32_t, r->g->links.n);
}

/* Fills `handed_out`.  Output k of a branch becomes output k of the If.  If output k of
 * a Loop is a loop state, output k + 1 of the body becomes output k of the Loop.
 * Output 0 of the body is the condition. */
static void find_handed_out(struct replay *r)
{
    const struct fsd_graph *g = r->g;

    for (fsd_id t = 0; t < g->tensors.n; t++)
        r->tensors[t].handed_out = FSD_NONE;
    FSD_EACH (const struct fsd_scope, s, g->scopes) {
        uint32_t first, n;

        if (fsd_node_is(g, s->owner, FSD_ONNX_If)) {
            first = 0;
            n = s->outputs.n;
        } else if (fsd_node_is(g, s->owner, FSD_ONNX_Loop)) {
            first = 1;
            n = g->nodes.at[s->owner].in.n > 2 ? g->nodes.at[s->owner].in.n - 2 : 0;
        } else {
            continue;
        }
        for (uint32_t k = 0; k < n && k + first < s->outputs.n; k++) {
            fsd_id t = g->links.at[s->outputs.at + first + k];

            if (t != FSD_NONE && k < g->nodes.at[s->owner].out.n)
                r->tensors[t].handed_out = fsd_node_out_tensor(g, s->owner, k);
        }
    }
}

/* Sets `layer` of each node that has a link with evidence of the kind `by`.  Names of
 * kernels with steps do not count here: the replay uses them later, together with the
 * steps. */
static void take_linked(struct replay *r, enum fsd_evidence by)
{
    FSD_EACH (const struct fsd_link, link, r->m->links) {
        bool has_steps = r->m->engine->layers.at[link->layer].steps.n > 0;

        if (link->by & by && !(by == FSD_BY_NAME && has_steps) &&
            r->nodes[link->node].layer == FSD_NONE)
            r->nodes[link->node].layer = link->layer;
    }
}

void fsd_pass_steps(struct fsd_match *m)
{
    struct fsd_arena *scratch;
    struct replay r = {.m = m, .g = m->model};
    bool any = false;

    for (fsd_id i = 0; i < m->engine->layers.n; i++)
        any |= m->engine->layers.at[i].steps.n > 0;
    if (!any)
        return;
    r.scratch = scratch = fsd_arena_new();
    r.lowerings = fsd_lowerings_new(scratch, m->facts);
    r.nodes = FSD_NEW(scratch, struct node_state, m->model->nodes.n);
    r.tensors = FSD_NEW(scratch, struct tensor_state, m->model->tensors.n);
    r.values = FSD_NEW(scratch, struct value_state, m->engine->tensors.n);
    r.layers = FSD_NEW(scratch, struct layer_state, m->engine->layers.n);
    r.beam = FSD_NEW(scratch, struct beam, 1);
    r.ancestry = FSD_NEW(scratch, struct ancestry, 1);
    r.ancestry->node = FSD_NONE;
    for (fsd_id i = 0; i < m->engine->layers.n; i++)
        r.layers[i] = (struct layer_state){.in_place = FSD_NONE,
                                           .product = FSD_NONE,
                                           .joins = FSD_NONE,
                                           .attention = FSD_NONE,
                                           .norm = FSD_NONE};
    for (fsd_id i = 0; i < m->engine->tensors.n; i++)
        r.values[i].joined = FSD_NONE;
    for (fsd_id i = 0; i < m->model->nodes.n; i++)
        r.nodes[i] = (struct node_state){.layer = FSD_NONE,
                                         .reserved = FSD_NONE,
                                         .named = FSD_NONE,
                                         .epilogue_of = FSD_NONE};
    r.sizes = fsd_sizes_new(scratch, m->model);
    fsd_match_bind_sizes(m, r.sizes);
    fsd_sizes_take_model(r.sizes);
    list_duplicates(&r);
    list_readers(&r);
    find_handed_out(&r);
    hold_named(&r);
    fsd_find_named(&r);
    fsd_find_in_place(&r);
    fsd_find_at_run(&r);
    fsd_replay_passing(&r);
    fsd_find_joined(&r);
    fsd_reserve(&r);
    take_linked(&r, FSD_BY_METADATA);
    take_linked(&r, FSD_BY_NAME);
    for (int kernels = 0; kernels < 2; kernels++)
        for (r.layer = 0; r.layer < m->engine->layers.n; r.layer++) {
            if ((m->engine->layers.at[r.layer].steps.n > 0) != kernels)
                continue;
            if (is_anchor(m, r.layer))
                follow_links(&r, true);
            else if (kernels)
                replay_kernel(&r);
        }
    fsd_commit_fitting(&r);
    fsd_commit_regions(&r);
    fsd_fill_rest(&r);
    fsd_arena_free(scratch);
}
