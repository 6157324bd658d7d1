/*
 * The state of the beam search that replays the operations of kernels (pass_steps.c has
 * the idea): a candidate, and what is known of nodes, tensors and layers.  Only this
 * folder includes this.
 */
#ifndef FSD_MATCH_REPLAY_H
#define FSD_MATCH_REPLAY_H

#include "match/kernel/lowering.h"
#include "match/pass.h"
#include "model/graph/walk.h"

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
    COST_MOVE = 1,   /* a step that moves data, and that no node asks for: builders
                        insert these everywhere */
    COST_STEP = 5,   /* any other step that no node asks for: more than the limit of a
                        short kernel */
    COST_INPUT = 4,  /* the nodes do not use an input of the kernel */
    COST_NAMED = 6,  /* a node in the kernel's name is left out: the strongest
                        evidence, so that it outweighs a step */
    COST_HINTED = 3, /* a node in a tensor's name is left out: names of tensors outlive
                        fusion */
    COST_OUTPUT = 4, /* the nodes make more tensors than the kernel writes */
    COST_SIZE = 8,   /* the kernel writes another size than the nodes make, or has no
                        constant as large as a weight: nearly a proof */
    COST_UNFINISHED = 1, /* a node is left half done for the next kernel */
    COST_LOOSE = 2,      /* a node that only moves data reads nothing that the kernel
                            made before */
    COST_AGAIN = 2,      /* a node is taken that another kernel computes */
    COST_RESERVED = 4,   /* a node is taken that a name gives to another kernel */
    COST_GAP = 3         /* a node is taken whose input is not available */
};

/* What a tensor of the engine holds: a tensor of the model, or a node half done (then
 * `tensor` is FSD_NONE). */
struct held {
    fsd_id tensor, node;
    uint32_t lowering; /* in lowerings->all */
    uint8_t done;      /* so many of its steps */
    bool idle;         /* in a candidate: this kernel has done none of its steps yet */
    bool handed;       /* in a candidate: another kernel began the node */
    uint64_t from;     /* in a candidate: the inputs of the kernel that it comes from */
};

struct available {
    fsd_id tensor;
    uint64_t from; /* the inputs of the kernel that it comes from; 0: the kernel makes
                      it */
    bool made;     /* the kernel makes some of it, too: a part of a Split */
    bool either;   /* each of these inputs may hold it: it comes from one of them */
};

struct candidate {
    uint32_t cost;
    uint32_t loose; /* nodes taken that read nothing that the kernel made before */
    uint32_t odd;   /* outputs whose shape none of the tensors made has */
    uint32_t lost;  /* readers of its outputs that could not go on with what it makes */
    uint32_t neutral; /* nodes taken that forward what they read: a sum with 0 */
    uint64_t order; /* sum over the nodes taken: the place of the first tensor that the
                       node reads among those available.  Of equal candidates the one
                       wins that reads what was available first. */
    uint64_t set;   /* a sum of hashes: of the nodes taken, and of what inputs of the
                       kernel are taken for */
    uint32_t parts; /* outputs of Splits taken that later steps of their own may make */
    uint32_t casts; /* Qs taken whose rounding a later step of its own may be */
    bool parted;    /* a Split was taken */
    fsd_sym repeated; /* operator of the last node whose result is split, ... */
    uint32_t repeats; /* ... and how often it may be listed again, for other parts */
    uint32_t moves;   /* steps that move data, and that it paid for */
    uint32_t fits;    /* further steps may move data for multiplications taken */
    bool broken;      /* it ends within a node, and no kernel could go on with that */
    bool joined;      /* it computes products of the same data as one */
    bool pads, cuts;  /* steps of no node made the data larger or smaller */
    uint64_t used;    /* the inputs of the kernel that its nodes use */
    fsd_id guess; /* the tensor that the first input of unknown content is taken for */
    const char *bound; /* the limit that it reached, a literal; NULL: none */
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

/* Of a node that could not be taken: the tensor that it lacked, and when
 * (available.c). */
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
    bool anchored; /* other evidence shows its nodes */
    bool gaps;     /* the content of one of its inputs is unknown */
    int64_t part;  /* it reads one of so many equal parts of a tensor; 1: all of it */
    bool padded;   /* its input was made larger for it, so that it writes more */
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
    fsd_id epilogue_of; /* the layer whose product it follows, and which may compute it
                           though it does not list it */
    fsd_id next_duplicate; /* the next node that computes the same; FSD_NONE */
    fsd_id last_duplicate; /* of the first duplicate */
    uint32_t visited;      /* the last search that came by (lost.c) */
    struct asked asked;
};

/* What is known of a tensor of the model. */
struct tensor_state {
    bool at_run;  /* the model proves it constant, but a kernel computes it */
    bool spread;  /* nodes that pass make it of constants: its reader needs no more
                     than its size (a learned token for each image of a batch) */
    bool goes_on; /* a node reads it that passes, or is an epilogue */
    struct fsd_span readers; /* in `reader` */
    fsd_id handed_out; /* of a branch's output, or a loop's state: the output of the
                          If, or Loop, that it becomes; FSD_NONE */
};

/* What a tensor of the engine holds. */
struct value_state {
    struct fsd_span held; /* in `held` */
    fsd_id joined; /* the tensor of the model that it holds, by its place in a Concat;
                      FSD_NONE: unknown (joined.c) */
    struct fsd_span border; /* if that is empty: in `borders`, the last known tensors of
                               the model before it (lost.c) */
};

/* What is known of a layer. */
struct layer_state {
    fsd_id in_place;  /* the node of a chain that it does in place */
    fsd_id product;   /* the product it computes; FSD_NONE */
    fsd_id joins;     /* the Concat that it computes first, by sizes; FSD_NONE */
    fsd_id attention; /* the Attention it computes; FSD_NONE */
    fsd_id norm;      /* the normalization of which it does a part; FSD_NONE */
    bool joined;      /* it computes several products as one */
    bool moves_on;    /* it only moves data, and for no node */
    bool pads, cuts;  /* those of the candidate that was kept */
    uint32_t unsaid;  /* nodes that it computes, without evidence which */
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
    FSD_VEC(fsd_id) reader;         /* of nodes that compute the same, the last */
    uint32_t *unmade; /* by place in `reader`: all from here to that place have a
                         layer */
    uint32_t n_visits, rounds;
    struct kernel now;
    fsd_id layer; /* the present kernel's */
    struct beam *beam;
};

/* What names show (named.c). */

/** Fills `must` of the present kernel: the nodes that names assign to it. */
void fsd_find_must(struct replay *r);
/** The only node that a layer's name says it computes; FSD_NONE. */
fsd_id fsd_only_named(const struct replay *r, fsd_id layer);
/** Fills `named` of all nodes. */
void fsd_find_named(struct replay *r);
/** Fills `in_place` of all layers. */
void fsd_find_in_place(struct replay *r);
/** Fills `reserved` of all nodes. */
void fsd_reserve(struct replay *r);
/** The last step of the node could be one of the kernel's, or some of these may not be
 *  listed: what the node makes is whole then. */
bool fsd_could_end(const struct replay *r, fsd_id node);

/* Links (commit.c). */

/** Links the kernel to the nodes that the candidate took, and to those that passed on
 *  the paths to them. */
void fsd_commit(struct replay *r, const struct candidate *w);
/** Links the scalings before the products of an anchored kernel: no other layer
 *  computes them. */
void fsd_commit_between(struct replay *r, const struct candidate *w);
/** Links, and takes, the nodes of an anchored kernel that only its steps show. */
void fsd_commit_behind(struct replay *r, struct candidate *w);
/** Links a kernel that makes data larger or smaller to the product beside it: the
 *  kernel does a part of that node's work. */
void fsd_commit_fitting(struct replay *r);
/** Makes regions of kernels that could compute the same nodes. */
void fsd_commit_regions(struct replay *r);

/** Fills `at_run` of all tensors (at_run.c); after `held` and `named`. */
void fsd_find_at_run(struct replay *r);

/* Kernels that join what others make (joined.c). */

/** Fills `joins` of all layers, and `joined` of all tensors of the engine. */
void fsd_find_joined(struct replay *r);

/* Kernels that are not understood (lost.c). */

/** Notes, of outputs of the kernel whose content is unknown, what the kernel read. */
void fsd_note_lost(struct replay *r);
/** The content of the engine's tensor is unknown, but not what lies before it; false
 *  for FSD_NONE. */
bool fsd_is_lost(const struct replay *r, fsd_id tensor);
/** The tensors that a lost input of the kernel may hold, the likeliest first; returns
 *  how many. */
uint32_t fsd_find_guesses(struct replay *r, uint32_t port, fsd_id out[GUESSES]);
/** The kernel has so many steps that few places of the model fit them. */
bool fsd_does_enough(const struct replay *r);
/** Links the kernel that made a lost tensor, now that its content is known. */
void fsd_fill_lost(struct replay *r, fsd_id lost, fsd_id tensor);
/** The tensor has the size, or, where that is open, the shape of the port. */
bool fsd_port_fits(const struct replay *r, const struct fsd_port *port, fsd_id tensor);
/** Links the kernels of unknown nodes that made what the present one joins. */
void fsd_fill_joined(struct replay *r);
/** At the end: links kernels that were not understood where the one behind them is
 *  known to compute the product that reads what they made. */
void fsd_fill_rest(struct replay *r);

/** The tensor is there before any kernel runs. */
static inline bool fsd_stays_constant(const struct replay *r, fsd_id tensor)
{
    return fsd_is_build_constant(r->m->facts, tensor) && !r->tensors[tensor].at_run;
}

/** A kernel makes the tensor, though the model proves it constant; false for
 *  FSD_NONE. */
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

/** A generated kernel without Metadata.  Layers that the builder fuses by itself name
 *  all their nodes, and get no more. */
static inline bool fsd_is_generated(const struct replay *r, fsd_id layer)
{
    return r->m->engine->layers.at[layer].provider == FSD_PROVIDER_COMPILER &&
           !r->m->layer_sourced[layer];
}

/** A name of the evidence that counts says that the layer computes this one node. */
static inline bool fsd_names_node(const struct replay *r, const struct fsd_mention *m)
{
    return (m->by & r->m->evidence) && m->role == FSD_MENTION_COMPUTES && m->among == 1;
}

/** A layer's name means this node alone. */
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
 *  there is none, where it is there before any kernel runs, and where only its type
 *  matters. */
static inline fsd_id fsd_data_in(const struct replay *r, fsd_id node, uint32_t i)
{
    fsd_id t = fsd_node_in_tensor(r->g, node, i);

    return t == FSD_NONE || (i && r->m->facts->traits[node] & FSD_OP_CASTS) ||
                   fsd_stays_constant(r, t)
               ? FSD_NONE
               : t;
}

/* Nodes that need no step (passing.c). */

/** The builder left the node to a run, though the model proves it constant.  In a chain
 *  of equal operators only the first counts: how many of the others are in its kernel
 *  is unknown.  False for FSD_NONE. */
bool fsd_is_left_to_run(const struct replay *r, fsd_id node);
/** Notes that the node forwards what it reads without a step. */
void fsd_goes_on_by(struct replay *r, fsd_id node);
/** For fsd_walk_back(): of a node that passes the only input that is no constant. */
fsd_id fsd_before_passing(const void *replay, fsd_id node);
/** Finds the nodes that pass, and which of them fold. */
void fsd_replay_passing(struct replay *r);
/** The node computes nothing: it changes place, shape or type alone. */
bool fsd_only_moves(const struct replay *r, fsd_id node);
/** A product of the model: a Conv, a Gemm, a MatMul. */
bool fsd_is_product(const struct replay *r, fsd_id node);
/** The node reads the result of a product, perhaps scaled and moved before. */
bool fsd_behind_product(const struct replay *r, fsd_id node);
/** The one input that is no constant; FSD_NONE when there are several, and for
 *  FSD_NONE. */
fsd_id fsd_data_input(const struct replay *r, fsd_id node);
static inline bool fsd_has_data(const struct replay *r, fsd_id node)
{
    return fsd_data_input(r, node) != FSD_NONE;
}
/** A Split: one kernel makes one part, another one the next. */
static inline bool fsd_comes_in_parts(const struct replay *r, fsd_id node)
{
    return r->nodes[node].passes && r->g->nodes.at[node].out.n > 1;
}

/* Questions about the state, which every other file asks (state.c). */

/** Of nodes that compute the same, the one that the builder keeps: the last; FSD_NONE
 *  for FSD_NONE. */
fsd_id fsd_last_duplicate(const struct replay *r, fsd_id node);
/** Elements of a tensor of the model; negative where that is open. */
int64_t fsd_count_of(const struct replay *r, fsd_id tensor);
/** The candidate took the node; or began it, or received it, and did not finish
 *  it. */
bool fsd_candidate_took(const struct candidate *w, fsd_id node);
bool fsd_candidate_began(const struct candidate *w, fsd_id node);
/** The node is an Einsum, which is computed operand by operand. */
bool fsd_computes_pairs(const struct replay *r, fsd_id node);
/** A name assigns the node to the present kernel. */
bool fsd_is_must(const struct replay *r, fsd_id node);
/** True when a library's kernel may have applied the node, and no other is known to. */
bool fsd_is_epilogue(const struct replay *r, fsd_id node);
/** The layer computes several products as one, and writes them as parts of a tensor. */
bool fsd_joins_products(const struct replay *r, fsd_id layer);
/** The layer has no step for a whole product: it computes one in parts. */
bool fsd_takes_apart(const struct replay *r, fsd_id layer);
/** A bit for the tensor that a port of the kernel reads: that of its first port. */
uint64_t fsd_first_port(const struct replay *r, uint32_t i);

/* What is available (available.c). */

/** NULL: it is not available. */
struct available *fsd_find_available(struct candidate *w, fsd_id tensor);
/** Makes a tensor available, or notes another input that it may come from. */
void fsd_candidate_hold(struct candidate *w, fsd_id tensor, uint64_t from);
/** Likewise, with the tensors that nodes make of it without a step. */
void fsd_make_available(struct replay *r, struct candidate *w, fsd_id tensor,
                        uint64_t from);
/** Makes available what nodes make, without a step, of the tensors that are available
 *  from `first` on. */
void fsd_candidate_follow(struct replay *r, struct candidate *w, uint32_t first);
/** The first tensor that a node reads and that is not available; FSD_NONE: all are.
 *  @param all   look at the inputs behind that one, too
 *  @param from  gets the inputs of the kernel that the node uses, as far as it looks */
fsd_id fsd_find_missing(const struct replay *r, struct candidate *w, fsd_id node,
                        bool all, uint64_t *from);
/** True when all that the node reads is available.  A node may read any number of
 *  tensors, and each of them leads to it: once it lacked one, it is not asked again in
 *  the same round before that one is available.
 *  @param round  tensors only become available in it
 *  @param from   gets the inputs of the kernel that the node uses */
bool fsd_is_ready(struct replay *r, struct candidate *w, fsd_id node, uint32_t round,
                  uint64_t *from);
/** The node, of which `done` steps are done, can go on: what its next step multiplies
 *  by is available.
 *  @param from  gets the inputs of the kernel that the step uses */
bool fsd_can_go_on(const struct replay *r, struct candidate *w, fsd_id node,
                   uint32_t done, uint64_t *from);
/** The node reads more than constants, or makes data of constants alone. */
bool fsd_reads_data(const struct replay *r, fsd_id node);
/** The builder moves a Q back across an operator that commutes with it (a MaxPool), and
 *  before a Concat, once for each part.  Such a Q reads what that operator reads, and
 *  its output is not available yet. */
bool fsd_is_moved(const struct replay *r, const struct candidate *w, fsd_id node);

/* Candidates. */

/** Continues all candidates by one step, and keeps the best (candidate.c). */
void fsd_candidates_step(struct replay *r, fsd_sym step);
/** Takes the node, so that what it makes is available (candidate.c).
 *  @param ended  another kernel began it */
void fsd_candidate_take(struct replay *r, struct candidate *w, fsd_id node, bool ended);
/** The likeliest first, for qsort() (candidate.c). */
int fsd_candidate_order(const void *a, const void *b);
/** Takes nodes for which the kernel's name lists no step (unlisted.c). */
void fsd_candidate_take_more(struct replay *r, struct candidate *w);
/** Adds to the cost what the finished candidate contradicts (fit.c). */
void fsd_candidate_finish(const struct replay *r, struct candidate *w);
/** The tensors that a candidate makes and that others read; returns how many
 *  (fit.c). */
uint32_t fsd_candidate_makes(const struct replay *r, const struct candidate *w,
                             fsd_id out[AVAILABLE]);
/** The form's sizes, but for axes of one, are those of the tensor (fit.c). */
bool fsd_form_is_alike(const struct replay *r, const struct fsd_form *form,
                       fsd_id tensor);
/** The tensor is what the layer, if it is an attention's kernel, reads in the place of
 *  the engine's tensor `held`; true for other layers (attention.c). */
bool fsd_fits_attention(const struct replay *r, fsd_id layer, fsd_id held,
                        fsd_id tensor);
/** Into how many parts Slices or a Split take the tensor; 1: none does (parts.c). */
uint32_t fsd_count_parts(const struct replay *r, fsd_id tensor);
/** Likewise, or what a few nodes make of the tensor (parts.c). */
uint32_t fsd_count_parts_behind(const struct replay *r, fsd_id tensor);

#endif
