/*
 * The state of the beam search that replays the operations of kernels (pass_steps.c has
 * the idea): a candidate, and what is known of nodes, tensors and layers.  Only this
 * folder includes this.
 */
#ifndef FSD_MATCH_REPLAY_H
#define FSD_MATCH_REPLAY_H

#include "match/kernel/lowering.h"
#include "match/pass.h"
#include "model/walk.h"

#include <stddef.h>
#include <string.h>

enum {
    CANDIDATES = 24,
    CHOICES = CANDIDATES,
    AVAILABLE = 192,
    TAKEN = 64,
    OPEN = 8,
    MUST = 24,
    NEXT = 96,
    FAR = 12,
    GUESSES = 6
};

/* What contradictions cost.  Only their order counts, and their sums against the limit
 * of 3 and one for each three steps (pass_steps.c): one contradiction beyond a mere
 * move is too much for a short kernel, and a long one may have several.  Each was
 * switched off over all engines in ../shared and the conformance suite; without any of
 * them links change there. */
enum {
    COST_MOVE = 1,   /* a step that moves data, and no node asks for it: builders insert
                        these everywhere */
    COST_STEP = 5,   /* any other: more than the limit of a short kernel */
    COST_INPUT = 4,  /* an input of the kernel is not used */
    COST_NAMED = 6,  /* a node that the kernel's name has is not taken: the strongest
                        evidence, so that it outweighs a step */
    COST_HINTED = 3, /* one that a tensor's name has: names of tensors outlive fusion */
    COST_OUTPUT = 4, /* more is made than the kernel writes */
    COST_SIZE = 8,   /* it writes another size than is made: next to a proof */
    COST_UNFINISHED = 1, /* a node is handed to the next kernel half done */
    COST_LOOSE = 2,      /* a node that moves data is taken, and not of what was made */
    COST_AGAIN = 2,      /* a node is taken that another kernel computes */
    COST_RESERVED = 4,   /* a node is taken that a name gives to another kernel */
    COST_GAP = 3         /* a node is taken whose input is not available */
};

/* A tensor of the model, or a node half done (then `tensor` is FSD_NONE). */
struct held {
    fsd_id tensor, node;
    uint32_t lowering;
    uint8_t done;
    bool idle;     /* of a candidate: this kernel has done nothing of it yet */
    bool handed;   /* of a candidate: another kernel began it */
    uint64_t from; /* of a candidate: inputs of the kernel that it comes from */
};

struct available {
    fsd_id tensor;
    uint64_t from; /* inputs of the kernel that it comes from; 0: made by it */
    bool made;     /* some of it is made by the kernel, too: a part of a Split */
    bool either;   /* it comes from any one of these inputs: each may hold it */
};

struct candidate {
    uint32_t cost;
    uint32_t loose; /* nodes taken that read nothing that was made before */
    uint32_t odd;   /* outputs of another shape than all that is made */
    uint32_t lost;  /* readers of its outputs that could not go on with what is made */
    uint32_t neutral; /* nodes taken that forward what they read: a sum with 0 */
    uint64_t order; /* sum of the places available of what is read: of equals those are
                        taken that read what was there first */
    uint32_t parts; /* of Splits that were taken, made by steps of their own */
    uint32_t casts; /* likewise, to the integers of Qs */
    bool parted;    /* a Split was */
    fsd_sym repeated; /* what was done of a tensor that a Split takes apart, ... */
    uint32_t repeats; /* ... and may be done once more for each other part */
    bool broken;      /* it ends within a node, and not where one is passed on */
    bool joined;      /* products of the same data are one */
    bool pads, cuts;  /* steps that are no node's made the data larger or smaller */
    uint64_t used;    /* inputs of the kernel */
    fsd_id guess; /* what it takes the first input to hold of which nobody knows it */
    const char *bound; /* which of the bounds it met; NULL: none */
    uint32_t n_available, n_taken, n_open;
    fsd_id taken[TAKEN];
    bool ended[TAKEN]; /* of what is taken: another kernel began it */
    struct held open[OPEN];
    struct available available[AVAILABLE]; /* last: fsd_candidate_copy() */
};

/** Copies a candidate, without the room that is left for available tensors: that is
 *  most of it. */
static inline void fsd_candidate_copy(struct candidate *to,
                                      const struct candidate *from)
{
    memcpy(to, from,
           offsetof(struct candidate, available) +
               from->n_available * sizeof *from->available);
}

/* Of a node that could not be taken: which tensor it lacked, and when (candidate.c). */
struct asked {
    uint32_t round;
    fsd_id missing;
};

struct must {
    fsd_id node;
    uint32_t cost;
};

/* The kernel that is replayed. */
struct kernel {
    bool anchored; /* it is known by other evidence */
    bool gaps;     /* it reads what holds nobody knows what */
    int64_t part;  /* it reads one of so many equal parts of something; 1: all of it */
    bool padded;   /* it reads what was made larger for it, and writes more for that */
    struct must must[MUST];
    uint32_t n_must;
};

/* The candidates that are followed, behind them room for one more to try, and the
 * candidates of the next step. */
struct beam {
    struct candidate candidates[CANDIDATES + 1], next[NEXT];
    uint32_t n_candidates, n_next;
};

/* What is known of a node of the model. */
struct node_state {
    bool passes;        /* needs no step of its own */
    bool folds;         /* passes as a part of a product's weights */
    bool generates;     /* makes data of sizes and constants alone (a Range) */
    fsd_id layer;       /* the one that computes it */
    fsd_id reserved;    /* the layer that a name says computes it */
    fsd_id named;       /* the layer that bears its name alone */
    fsd_id epilogue_of; /* the layer behind whose product it lies, and which may compute
                           it though it is not listed */
    fsd_id next_duplicate; /* the next node that computes the very same; FSD_NONE */
    fsd_id last_duplicate; /* of the first duplicate */
    uint32_t visited;      /* the last visit */
    struct asked asked;
};

/* What is known of a tensor of the model. */
struct tensor_state {
    bool at_run;             /* constant, and made by a kernel none the less */
    bool goes_on;            /* something reads it that passes, or is an epilogue */
    struct fsd_span readers; /* in `reader` */
};

/* What a tensor of the engine holds. */
struct value_state {
    struct fsd_span held;   /* in `held` */
    struct fsd_span border; /* where nobody knows: in `borders`, tensors of the model
                               before it (lost.c) */
};

/* What is known of a layer. */
struct layer_state {
    fsd_id in_place;  /* the node of a chain that it does in place */
    fsd_id product;   /* the product it computes; FSD_NONE */
    fsd_id attention; /* the Attention it computes; FSD_NONE */
    fsd_id norm;      /* the normalization it does a part of */
    bool joined;      /* it computes several products as one */
    bool moves_on;    /* it only moves data, and for no node */
    bool pads, cuts;  /* likewise, of the candidate that was kept */
    uint32_t unsaid;  /* nodes that it computes, and nothing shows which */
};

struct replay {
    struct fsd_match *m;
    const struct fsd_graph *g;
    struct fsd_arena *scratch;
    struct fsd_lowerings *lowerings;
    struct fsd_sizes *sizes; /* of the model as this engine was built */
    struct node_state *nodes;
    struct tensor_state *tensors;
    struct value_state *values;
    struct layer_state *layers;
    FSD_VEC(fsd_id) generators;
    FSD_VEC(struct held) held;
    FSD_VEC(fsd_id) borders;
    FSD_VEC(struct fsd_link) begun; /* nodes that kernels began and did not end */
    FSD_VEC(struct fsd_link) tied;  /* nodes that one of several kernels computes */
    FSD_VEC(fsd_id) reader;         /* of twins the last */
    uint32_t *unmade; /* by place in `reader`: how far those behind it are made */
    uint32_t n_visits, rounds;
    struct kernel now;
    fsd_id layer; /* the present kernel's */
    struct beam *beam;
};

/** Fills `must` of the present kernel (named.c). */
void fsd_find_must(struct replay *r);
/** The only node that a layer's name says it computes; FSD_NONE. */
fsd_id fsd_only_named(const struct replay *r, fsd_id layer);
/** Which layers bear the names of nodes; which ones names give nodes to. */
void fsd_find_named(struct replay *r);
void fsd_find_in_place(struct replay *r);
void fsd_reserve(struct replay *r);
/** Links the kernel to what the candidate took, and to what passed (commit.c). */
void fsd_commit(struct replay *r, const struct candidate *w);
/** Links scalings before the products of a kernel that is known: no other layer has
 *  them. */
void fsd_commit_between(struct replay *r, const struct candidate *w);
/** Links, and adds to what is taken, what a known kernel's name has besides. */
void fsd_commit_behind(struct replay *r, struct candidate *w);
/** Links what makes data larger or smaller to the product beside: the kernel does a
 * part of that node's work. */
void fsd_commit_fitting(struct replay *r);
/** Kernels that could compute the same nodes. */
void fsd_commit_regions(struct replay *r);

/** What the kernel writes and nobody knows lies behind what it read (lost.c). */
void fsd_note_lost(struct replay *r);
bool fsd_is_lost(const struct replay *r, fsd_id tensor);
/** What an input of the kernel may hold that was lost, the likeliest first. */
uint32_t fsd_find_guesses(struct replay *r, uint32_t port, fsd_id out[GUESSES]);
/** The kernel does as much as is done in few places. */
bool fsd_does_enough(const struct replay *r);
/** The form's sizes, but for axes of one, are those of the tensor. */
bool fsd_form_is_alike(const struct replay *r, const struct fsd_form *form,
                       fsd_id tensor);

/** It is there before any kernel runs. */
static inline bool fsd_stays_constant(const struct replay *r, fsd_id tensor)
{
    return fsd_is_build_constant(r->m->facts, tensor) && !r->tensors[tensor].at_run;
}

/** A run computes it though the model proves it constant; false for FSD_NONE. */
static inline bool fsd_is_at_run(const struct replay *r, fsd_id tensor)
{
    return tensor != FSD_NONE && r->tensors[tensor].at_run;
}

/** The layer that computes a node; FSD_NONE: none yet, and for FSD_NONE.  The second
 *  function takes a node only. */
static inline fsd_id fsd_layer_of(const struct replay *r, fsd_id node)
{
    return node == FSD_NONE ? FSD_NONE : r->nodes[node].layer;
}
static inline bool fsd_has_layer(const struct replay *r, fsd_id node)
{
    return r->nodes[node].layer != FSD_NONE;
}

/** A layer's name means the node. */
static inline bool fsd_is_named(const struct replay *r, fsd_id node)
{
    return r->nodes[node].named != FSD_NONE;
}

/** The layer computes a product. */
static inline bool fsd_has_product(const struct replay *r, fsd_id layer)
{
    return r->layers[layer].product != FSD_NONE;
}

/** What a tensor of the engine holds, in `held`; nothing for FSD_NONE. */
static inline struct fsd_span fsd_held_by(const struct replay *r, fsd_id tensor)
{
    return tensor == FSD_NONE ? (struct fsd_span){0} : r->values[tensor].held;
}

/** The tensor whose values a node takes from a run by its i-th input; FSD_NONE where
 *  there is none, or it is there before, or only its type matters. */
static inline fsd_id fsd_data_in(const struct replay *r, fsd_id node, uint32_t i)
{
    fsd_id t = fsd_node_in_tensor(r->g, node, i);

    return t == FSD_NONE || (i && r->m->facts->traits[node] & FSD_OP_CASTS) ||
                   fsd_stays_constant(r, t)
               ? FSD_NONE
               : t;
}

/** What the model proves constant a builder may leave to a run, all the same.  Of a
  * chain of the same operator nobody knows how far a kernel goes.  False for
 * FSD_NONE. */
bool fsd_is_left_to_run(const struct replay *r, fsd_id node);
/** What the node reads goes on without a step, by the node. */
void fsd_goes_on_by(struct replay *r, fsd_id node);
/** For fsd_walk_back(): over what passes, by its only input that is no constant. */
fsd_id fsd_before_passing(const void *replay, fsd_id node);
/** Which nodes pass, and which of them fold. */
void fsd_replay_passing(struct replay *r);

/** A product of the model: a Conv, a Gemm, a MatMul. */
bool fsd_is_product(const struct replay *r, fsd_id node);
/** What it reads, scaled and moved, is a product's. */
bool fsd_behind_product(const struct replay *r, fsd_id node);
/** The one input that is no constant; FSD_NONE when there are several, and for
 *  FSD_NONE. */
fsd_id fsd_data_input(const struct replay *r, fsd_id node);
static inline bool fsd_has_data(const struct replay *r, fsd_id node)
{
    return fsd_data_input(r, node) != FSD_NONE;
}

/** Of nodes that compute the very same the builder keeps the last; FSD_NONE for
 *  FSD_NONE. */
fsd_id fsd_last_duplicate(const struct replay *r, fsd_id node);

bool fsd_candidate_took(const struct candidate *w, fsd_id node);
/** Begun, and not finished. */
bool fsd_candidate_began(const struct candidate *w, fsd_id node);

/* What is available (available.c). */
bool fsd_is_available(const struct candidate *w, fsd_id tensor);
/** NULL: it is not available. */
struct available *fsd_find_available(struct candidate *w, fsd_id tensor);
/** Puts a tensor available. */
void fsd_candidate_hold(struct candidate *w, fsd_id tensor, uint64_t from);
/** Likewise, with what is made of it without a step. */
void fsd_make_available(struct replay *r, struct candidate *w, fsd_id tensor,
                        uint64_t from);
/** Puts available what is made without a step of what is available from `first` on. */
void fsd_candidate_follow(struct replay *r, struct candidate *w, uint32_t first);
/** The first input that is not at value; FSD_NONE: all are.
 *  @param from the inputs of the kernel that the node uses, as far as that input
 *  @param all and behind it */
fsd_id fsd_find_missing(const struct replay *r, struct candidate *w, fsd_id node,
                        bool all, uint64_t *from);
/** True when all that the node reads is available.  Once a node lacked a tensor, it is
 *  not asked again in the same round before that tensor is there: a node may read any
 *  number of tensors, and each of them leads to it.
 *  @param round in one, tensors only come to hand
 *  @param from the inputs of the kernel that it uses */
bool fsd_is_ready(struct replay *r, struct candidate *w, fsd_id node, uint32_t round,
                  uint64_t *from);
/** It reads more than constants, or makes data of none. */
bool fsd_reads_data(const struct replay *r, fsd_id node);

/** Follows all candidates one step further, and keeps the best. */
void fsd_candidates_step(struct replay *r, fsd_sym step);
/** What a candidate takes where steps are known not to be listed. */
void fsd_candidate_take_more(struct replay *r, struct candidate *w);
/** What it contradicts at its end (fit.c). */
void fsd_candidate_finish(const struct replay *r, struct candidate *w);
/** The builder moves a Q back across an operator that does not mind (a MaxPool), and
 *  before a Concat, once for each part: then it quantizes what that one reads, and what
 *  it makes is not there yet. */
bool fsd_is_moved(const struct replay *r, const struct candidate *w, fsd_id node);
/** Products out of a library that are joined write parts of one tensor. */
bool fsd_joins_products(const struct replay *r, fsd_id layer);
/** A product that the layer computes is taken apart. */
bool fsd_takes_apart(const struct replay *r, fsd_id layer);
/** The likeliest first. */
int fsd_candidate_order(const void *a, const void *b);

/** Tensors made by a candidate that others read; returns how many. */
uint32_t fsd_candidate_makes(const struct replay *r, const struct candidate *w,
                             fsd_id out[AVAILABLE]);
/** A Split: one kernel makes one part, another one the next. */
static inline bool fsd_comes_in_parts(const struct replay *r, fsd_id node)
{
    return r->nodes[node].passes && r->g->nodes.at[node].out.n > 1;
}

/** Takes the node: what it makes is available.
 *  @param ended another kernel began it. */
void fsd_candidate_take(struct replay *r, struct candidate *w, fsd_id node, bool ended);
/** Where the kernel writes what products of the same data make together, takes all of
 *  them (parts.c). */
void fsd_candidate_join(struct replay *r, struct candidate *w);
/** Into how many parts a tensor is taken (parts.c); 1: it is not. */
uint32_t fsd_count_parts(const struct replay *r, fsd_id tensor);
/** Likewise, or what a few nodes make of it. */
uint32_t fsd_count_parts_behind(const struct replay *r, fsd_id tensor);
/** Some steps of the kernel could be the node's; some may not be listed. */
bool fsd_could_compute(const struct replay *r, fsd_id node);
/** Links the kernel that made a lost tensor, now that this is known. */
void fsd_fill_lost(struct replay *r, fsd_id lost, fsd_id tensor);
/** Computes nothing: another place, shape or type is all. */
bool fsd_only_moves(const struct replay *r, fsd_id node);
/** At the end: links kernels that nobody understood where one behind them is known to
 *  compute the product that reads what they made. */
void fsd_fill_rest(struct replay *r);
/** Elements of a tensor of the model; negative where that is open. */
int64_t fsd_count_of(const struct replay *r, fsd_id tensor);
bool fsd_is_must(const struct replay *r, fsd_id node);
/** True when a library's kernel may have applied it, and no other is known to. */
bool fsd_is_epilogue(const struct replay *r, fsd_id node);
/** A bit for the tensor that a port of the kernel reads: that of its first port. */
uint64_t fsd_first_port(const struct replay *r, uint32_t i);

#endif
