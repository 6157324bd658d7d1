/*
 * The state of the beam search that replays the operations of kernels (pass_steps.c
 * explains it): a candidate, and the state of nodes, tensors and layers.  Only this
 * folder includes this.
 */
#pragma once

#include "match/kernel/lowering.h"
#include "match/pass.h"
#include "model/graph/graph.h"
#include "model/graph/walk.h"

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

/* The cost of each contradiction.  Only the order of these costs counts, and whether
 * their sum exceeds the limit of 3 plus 1 per three steps (pass_steps.c).  A short
 * kernel may therefore have no contradiction beyond a mere move; a long one may have
 * several.  Every cost is needed: without any one of them, links change in engines of
 * ../shared or the conformance suite. */
enum {
    COST_MOVE = 1,   /* a data-movement step that no node needs: builders insert these
                        everywhere */
    COST_STEP = 5,   /* any other step that no node needs; this alone exceeds the limit
                        of a short kernel */
    COST_INPUT = 4,  /* the nodes do not use an input of the kernel */
    COST_NAMED = 6,  /* the candidate lacks a node in the kernel's name: the strongest
                        evidence, so that it outweighs a step */
    COST_HINTED = 3, /* the candidate lacks a node in a tensor's name: names of tensors
                        survive fusion */
    COST_OUTPUT = 4, /* the nodes produce more tensors than the kernel writes */
    COST_SIZE = 8,   /* the kernel writes a different size than the nodes produce, or
                        has no constant as large as a weight: nearly a proof */
    COST_UNFINISHED = 1, /* a node is left unfinished for the next kernel */
    COST_LOOSE = 2,      /* a node that only moves data reads no earlier result of the
                            kernel */
    COST_AGAIN = 2,      /* a node is taken although another kernel computes it */
    COST_RESERVED = 4,   /* a node is taken although a name assigns it to another
                            kernel */
    COST_GAP = 3         /* a node is taken although its input is not available */
};

/* What a tensor of the engine holds: a tensor of the model, or the intermediate result
 * of an unfinished node (then `tensor` is FSD_NONE). */
struct held {
    fsd_id tensor, node;
    uint32_t lowering; /* index in lowerings->all */
    uint8_t done;      /* number of replayed steps */
    bool idle;         /* in a candidate: this kernel has done none of its steps yet */
    bool handed;       /* in a candidate: another kernel began the node */
    uint64_t from;     /* in a candidate: bit mask of the kernel inputs from which the
                          result comes */
};

struct available {
    fsd_id tensor;
    uint64_t from;  /* bit mask of the kernel inputs that the tensor comes from; 0: the
                       kernel computes the tensor */
    bool made;      /* the kernel also computes a part of the tensor: an output of a
                       Split */
    bool either;    /* the tensor comes from any one of the inputs in `from`, each of
                       which may hold it */
    bool duplicate; /* all tensors with the same value were made available with it */
};

struct candidate {
    uint32_t cost;
    uint32_t loose;   /* number of nodes taken that read no earlier result of the
                         kernel */
    uint32_t odd;     /* number of outputs whose shape no computed tensor has */
    uint32_t lost;    /* number of kernels that read the kernel's outputs but could not
                         continue from the tensors that the candidate computes */
    uint32_t neutral; /* number of nodes taken that only forward their input, such as a
                         sum with 0 */
    uint64_t order; /* sum over the nodes taken: the index of the first available tensor
                       that the node reads.  Of equal candidates, the one that reads
                       earlier available tensors wins. */
    uint64_t set;   /* a sum of hashes of the nodes taken and of what the kernel's
                       inputs are assumed to hold */
    uint32_t parts; /* outputs of Splits taken for which a later step may follow */
    uint32_t casts; /* Q nodes taken whose rounding may follow as a later step */
    bool parted;    /* a Split was taken */
    fsd_sym repeated; /* operator of the last node taken whose result is split, ... */
    uint32_t repeats; /* ... and how often its step may be listed again, once per
                         further part */
    uint32_t moves;   /* data-movement steps whose cost was added */
    uint32_t fits;    /* number of further data-movement steps that are free, for
                         multiplications taken */
    bool broken;      /* the candidate ends within a node, at a step after which no
                         kernel could continue */
    bool joined;      /* the kernel computes several products of the same data as one */
    bool pads, cuts;  /* steps that belong to no node made the data larger, or
                         smaller */
    uint64_t used;    /* bit mask of the kernel inputs that the candidate's nodes use */
    fsd_id guess; /* the tensor that the first input of unknown content is assumed to
                     hold; FSD_NONE */
    const char *bound; /* the limit that the search reached, a string literal; NULL:
                          none */
    uint32_t n_available, n_taken, n_open;
    fsd_id taken[TAKEN];
    bool ended[TAKEN]; /* for each node taken: another kernel began it */
    struct held open[OPEN];
    struct available available[AVAILABLE]; /* last member, so that fsd_candidate_copy()
                                              can copy only the used part */
};

/** Copies a candidate without the unused part of `available`, which is most of it. */
static inline void fsd_candidate_copy(struct candidate *to,
                                      const struct candidate *from)
{
    memcpy(to, from,
           offsetof(struct candidate, available) +
               from->n_available * sizeof *from->available);
}

/* The tensor that a node lacked when it last could not be taken, and the round of that
 * search (available.c). */
struct asked {
    uint32_t round;
    fsd_id missing;
};

struct must {
    fsd_id node;
    uint32_t cost;
};

/* State of the kernel that is being replayed. */
struct kernel {
    bool anchored; /* other evidence shows the kernel's nodes */
    bool gaps;     /* the content of an input that another kernel computed is unknown */
    int64_t part;  /* the kernel reads one of this many equal parts of a tensor; 1: the
                      whole tensor */
    bool padded;   /* another kernel padded the input, so that this kernel writes more
                      than its nodes produce */
    struct must must[MUST];
    uint32_t n_must;
};

/* The current candidates, with room for one more after them that is used for trials,
 * and the candidates for the next step. */
struct beam {
    struct candidate candidates[CANDIDATES + 1], next[NEXT];
    uint32_t n_candidates, n_next;
};

/* State of a node of the model. */
struct node_state {
    bool passes;           /* the node needs no step of its own */
    bool folds;            /* the node needs no step because its factor is folded into a
                              product's weights */
    bool generates;        /* the node produces data from sizes and constants alone (a
                              Range) */
    fsd_id layer;          /* the layer that computes the node */
    fsd_id reserved;       /* the layer to which a name assigns the node */
    fsd_id named;          /* the layer that is named after this node alone */
    fsd_id epilogue_of;    /* the layer of the product before the node; this layer may
                              compute the node without listing it */
    fsd_id next_duplicate; /* the next node that computes the same value; FSD_NONE */
    fsd_id last_duplicate; /* set at the first duplicate: the last node that computes
                              the same value */
    uint32_t visited;      /* number of the last search that visited the node
                              (lost.c) */
    struct asked asked;
};

/* State of a tensor of the model. */
struct tensor_state {
    bool at_run;  /* the model proves the tensor constant, but a kernel computes it */
    bool spread;  /* nodes that need no step compute the tensor from constants, and its
                     reader only needs its size (a learned token for each image of a
                     batch) */
    bool goes_on; /* a node that needs no step, or that is an epilogue, reads the
                     tensor */
    struct fsd_span readers; /* span in `reader` */
    fsd_id handed_out; /* for a branch's output or a loop's state: the output of the If
                          or Loop that it becomes; FSD_NONE */
};

/* State of a tensor of the engine. */
struct value_state {
    struct fsd_span held; /* span in `held` */
    fsd_id joined; /* the model's tensor that the engine's tensor holds, as its position
                      in a Concat shows; FSD_NONE: unknown (joined.c) */
    struct fsd_span border; /* if `held` is empty: span in `borders`, the last known
                               model tensors before it (lost.c) */
};

/* State of a layer. */
struct layer_state {
    fsd_id in_place;  /* the node of a ScatterND chain that the layer computes in place;
                         FSD_NONE */
    fsd_id product;   /* the product that the layer computes; FSD_NONE */
    fsd_id joins;     /* the Concat that the layer's first steps compute, according to
                         sizes; FSD_NONE */
    fsd_id attention; /* the Attention node that the layer computes; FSD_NONE */
    fsd_id norm;      /* the normalization of which the layer computes a part;
                         FSD_NONE */
    bool joined;      /* the layer computes several products as one */
    bool moves_on;    /* the layer only moves data, and computes no node */
    bool pads, cuts;  /* the members of the same names of the committed candidate */
    uint32_t unsaid;  /* number of nodes that the layer is known to compute, but that no
                         evidence identifies */
};

/* The tensors from which few nodes lead to one node (fit.c). */
struct ancestry {
    fsd_id node;     /* FSD_NONE: no node was searched yet */
    uint32_t *stamp; /* indexed by tensor: `now` if it leads to the node */
    uint32_t now;
    bool absent;           /* one of these nodes lacks an optional input */
    FSD_VEC(fsd_id) nodes; /* the node, and the producers of these tensors */
};

struct replay {
    struct fsd_match *m;
    const struct fsd_graph *g;
    struct fsd_arena *scratch;
    struct fsd_lowerings *lowerings;
    struct fsd_sizes *sizes; /* sizes of the model as this engine was built */
    struct node_state *nodes;
    struct tensor_state *tensors;
    struct value_state *values;
    struct layer_state *layers;
    FSD_VEC(fsd_id) generators;
    FSD_VEC(struct held) held;
    FSD_VEC(fsd_id) borders;
    FSD_VEC(struct fsd_link) begun; /* nodes that kernels began and did not finish */
    FSD_VEC(struct fsd_link) tied;  /* nodes that one of several kernels computes */
    FSD_VEC(fsd_id) reader;         /* consumers; of duplicate nodes only the last */
    uint32_t *unmade; /* indexed by place in `reader`: all readers from this place up to
                         the stored one have a layer */
    uint32_t *unvisited; /* the same for consumers, indexed by place in the model's
                            `links` */
    struct ancestry *ancestry;
    uint32_t n_visits, rounds;
    struct kernel now;
    fsd_id layer; /* the current kernel */
    struct beam *beam;
};

/* Evidence from names (named.c). */

/** Fills `must` of the current kernel: the nodes that names assign to it. */
void fsd_find_must(struct replay *r);
/** The only node that the layer computes according to its name; FSD_NONE if there is
 *  none or more than one. */
fsd_id fsd_only_named(const struct replay *r, fsd_id layer);
/** Fills `named` of all nodes. */
void fsd_find_named(struct replay *r);
/** Fills `in_place` of all layers. */
void fsd_find_in_place(struct replay *r);
/** Fills `reserved` of all nodes. */
void fsd_reserve(struct replay *r);
/** Whether the kernel can finish the node: it has a step that could be the node's last
 *  one, or may have unlisted steps. */
bool fsd_could_end(const struct replay *r, fsd_id node);

/* Links (commit.c). */

/** Links the kernel to the nodes that the candidate took, and to the nodes on the paths
 *  to them that need no step. */
void fsd_commit(struct replay *r, const struct candidate *w);
/** Links the scalings before the products of an anchored kernel, since no other layer
 *  computes them. */
void fsd_commit_between(struct replay *r, const struct candidate *w);
/** Links and takes those nodes of an anchored kernel that only its steps show. */
void fsd_commit_behind(struct replay *r, struct candidate *w);
/** Links a kernel that makes data larger or smaller to the adjacent product: the kernel
 *  computes a part of that node. */
void fsd_commit_fitting(struct replay *r);
/** Creates regions of kernels that could compute the same nodes. */
void fsd_commit_regions(struct replay *r);

/** Sets `at_run` of all tensors (at_run.c); call it after `held` and `named` are
 *  set. */
void fsd_find_at_run(struct replay *r);

/* Kernels that concatenate the outputs of others (joined.c). */

/** Fills `joins` of all layers, and `joined` of all engine tensors. */
void fsd_find_joined(struct replay *r);

/* Kernels whose steps fit no nodes (lost.c). */

/** Records, for outputs of the kernel whose content is unknown, the tensors that the
 *  kernel read. */
void fsd_note_lost(struct replay *r);
/** Whether the content of the engine's tensor is unknown but the tensors before it are
 *  known; false for FSD_NONE. */
bool fsd_is_lost(const struct replay *r, fsd_id tensor);
/** Lists the tensors that a lost input of the kernel may hold, the likeliest first;
 *  returns their number. */
uint32_t fsd_find_guesses(struct replay *r, uint32_t port, fsd_id out[GUESSES]);
/** Whether the kernel has enough steps that few places of the model fit them. */
bool fsd_does_enough(const struct replay *r);
/** Links the kernel that produced a lost tensor, now that its content is known. */
void fsd_fill_lost(struct replay *r, fsd_id lost, fsd_id tensor);
/** Whether the tensor has the size of the port or, if that is dynamic, its shape. */
bool fsd_port_fits(const struct replay *r, const struct fsd_port *port, fsd_id tensor);
/** Links the kernels without known nodes whose outputs the current kernel
 *  concatenates. */
void fsd_fill_joined(struct replay *r);
/** At the end of the replay: links kernels without known nodes if the next kernel is
 *  known to compute the product that reads their output. */
void fsd_fill_rest(struct replay *r);

/** Whether the tensor exists before any kernel runs. */
static inline bool fsd_stays_constant(const struct replay *r, fsd_id tensor)
{
    return fsd_is_build_constant(r->m->facts, tensor) && !r->tensors[tensor].at_run;
}

/** Whether a kernel computes the tensor although the model proves it constant; false
 *  for FSD_NONE. */
static inline bool fsd_is_at_run(const struct replay *r, fsd_id tensor)
{
    return tensor != FSD_NONE && r->tensors[tensor].at_run;
}

/** The layer that computes a node; FSD_NONE if there is none yet, or for FSD_NONE.
 *  `node` of fsd_has_layer() must not be FSD_NONE. */
static inline fsd_id fsd_layer_of(const struct replay *r, fsd_id node)
{
    return node == FSD_NONE ? FSD_NONE : r->nodes[node].layer;
}
static inline bool fsd_has_layer(const struct replay *r, fsd_id node)
{
    return r->nodes[node].layer != FSD_NONE;
}

/** Whether the layer is a generated kernel without Metadata.  Layers that the builder
 *  fuses itself name all their nodes, so no others are added to them. */
static inline bool fsd_is_generated(const struct replay *r, fsd_id layer)
{
    return r->m->engine->layers.at[layer].provider == FSD_PROVIDER_COMPILER &&
           !r->m->layer_sourced[layer];
}

/** Whether a name among the allowed evidence states that the layer computes exactly
 *  this node. */
static inline bool fsd_names_node(const struct replay *r, const struct fsd_mention *m)
{
    return (m->by & r->m->evidence) && m->role == FSD_MENTION_COMPUTES && m->among == 1;
}

/** Whether a layer is named after this node alone. */
static inline bool fsd_is_named(const struct replay *r, fsd_id node)
{
    return r->nodes[node].named != FSD_NONE;
}

/** Whether the layer is known to compute a product. */
static inline bool fsd_has_product(const struct replay *r, fsd_id layer)
{
    return r->layers[layer].product != FSD_NONE;
}

/** What a tensor of the engine holds, as a span of `held`; empty for FSD_NONE. */
static inline struct fsd_span fsd_held_by(const struct replay *r, fsd_id tensor)
{
    return tensor == FSD_NONE ? (struct fsd_span){0} : r->values[tensor].held;
}

/** The tensor computed at run time that a node reads from its i-th input; FSD_NONE if
 *  there is none, if it exists before any kernel runs, or if only its type matters. */
static inline fsd_id fsd_data_in(const struct replay *r, fsd_id node, uint32_t i)
{
    fsd_id t = fsd_node_in_tensor(r->g, node, i);

    return t == FSD_NONE || (i && r->m->facts->traits[node] & FSD_OP_CASTS) ||
                   fsd_stays_constant(r, t)
               ? FSD_NONE
               : t;
}

/* Nodes that need no step (passing.c). */

/** Whether the builder left the node to run time although the model proves it constant.
 *  In a chain of equal operators only the first counts, because it is unknown how many
 *  of the others are in its kernel.  False for FSD_NONE. */
bool fsd_is_left_to_run(const struct replay *r, fsd_id node);
/** Records that the node forwards its inputs without a step. */
void fsd_goes_on_by(struct replay *r, fsd_id node);
/** For fsd_walk_back(): the only non-constant input of a node that needs no step; else
 *  FSD_NONE. */
fsd_id fsd_before_passing(const void *replay, fsd_id node);
/** Finds the nodes that need no step, among them those whose factors fold into
 * weights. */
void fsd_replay_passing(struct replay *r);
/** Whether the node computes nothing: it only changes order, shape or type. */
bool fsd_only_moves(const struct replay *r, fsd_id node);
/** Whether the node is a product of the model: a Conv, a Gemm or a MatMul. */
bool fsd_is_product(const struct replay *r, fsd_id node);
/** Whether the node reads the result of a product, possibly scaled and moved in
 *  between. */
bool fsd_behind_product(const struct replay *r, fsd_id node);
/** The only input of the node that is not constant; FSD_NONE if there are several, or
 *  if `node` is FSD_NONE. */
fsd_id fsd_data_input(const struct replay *r, fsd_id node);
static inline bool fsd_has_data(const struct replay *r, fsd_id node)
{
    return fsd_data_input(r, node) != FSD_NONE;
}
/** Whether the node is a Split: different kernels may compute its parts. */
static inline bool fsd_comes_in_parts(const struct replay *r, fsd_id node)
{
    return r->nodes[node].passes && r->g->nodes.at[node].out.n > 1;
}

/* Questions about the state that all other files ask (state.c). */

/** Of the nodes that compute the same value, the one that the builder keeps: the last;
 *  FSD_NONE for FSD_NONE. */
fsd_id fsd_last_duplicate(const struct replay *r, fsd_id node);
/** The number of elements of a model tensor; negative if it is unknown. */
int64_t fsd_count_of(const struct replay *r, fsd_id tensor);
/** Whether the candidate took the node; or whether it began or received the node and
 *  did not finish it. */
bool fsd_candidate_took(const struct candidate *w, fsd_id node);
bool fsd_candidate_began(const struct candidate *w, fsd_id node);
/** Whether the node is an Einsum that is computed operand by operand. */
bool fsd_computes_pairs(const struct replay *r, fsd_id node);
/** Whether a name assigns the node to the current kernel. */
bool fsd_is_must(const struct replay *r, fsd_id node);
/** Whether a library kernel may have applied the node, and no other layer is known to
 *  compute it. */
bool fsd_is_epilogue(const struct replay *r, fsd_id node);
/** Whether the layer computes several products as one, and writes them as parts of one
 *  tensor. */
bool fsd_joins_products(const struct replay *r, fsd_id layer);
/** Whether the layer has no step for a whole product, and therefore computes a product
 *  in parts. */
bool fsd_takes_apart(const struct replay *r, fsd_id layer);
/** The bit for the tensor that port `i` of the kernel reads: bit k if port k is the
 *  first one that reads this tensor; 0 if k is above 63. */
uint64_t fsd_first_port(const struct replay *r, uint32_t i);

/* Available tensors (available.c). */

/** The tensor's entry; NULL if it is not available. */
struct available *fsd_find_available(struct candidate *w, fsd_id tensor);
/** Makes a tensor available, or records further inputs that it may come from. */
void fsd_candidate_hold(struct candidate *w, fsd_id tensor, uint64_t from);
/** Like fsd_candidate_hold(); also makes the tensors available that nodes compute from
 *  this one without a step. */
void fsd_make_available(struct replay *r, struct candidate *w, fsd_id tensor,
                        uint64_t from);
/** Makes the tensors available that nodes compute without a step from the available
 *  tensors; begins with the available tensor at index `first`. */
void fsd_candidate_follow(struct replay *r, struct candidate *w, uint32_t first);
/** The first tensor that a node reads and that is not available; FSD_NONE if all are.
 *  @param all also visit the inputs after that one
 *  @param from set to the kernel inputs that the node uses, among the inputs visited */
fsd_id fsd_find_missing(const struct replay *r, struct candidate *w, fsd_id node,
                        bool all, uint64_t *from);
/** Whether all that the node reads is available.  A node may read any number of
 *  tensors, and is visited from each of them.  If an input was missing, the node is
 *  therefore not checked again in the same round before that input is available.
 *  @param round number of the search, in which tensors only become available
 *  @param from set to the kernel inputs that the node uses */
bool fsd_is_ready(struct replay *r, struct candidate *w, fsd_id node, uint32_t round,
                  uint64_t *from);
/** Whether the node, of which `done` steps are done, can continue: the operand that its
 *  next step multiplies by is available.
 *  @param from set to the kernel inputs that the step uses */
bool fsd_can_go_on(const struct replay *r, struct candidate *w, fsd_id node,
                   uint32_t done, uint64_t *from);
/** Whether the node reads more than constants, or produces data from constants
 *  alone. */
bool fsd_reads_data(const struct replay *r, fsd_id node);
/** Whether the builder may have moved the node, a Q, back across an operator that
 *  commutes with it (a MaxPool), or before a Concat, once for each part.  Such a Q
 *  reads the input of that operator, and its own output is not available yet. */
bool fsd_is_moved(const struct replay *r, const struct candidate *w, fsd_id node);

/* Candidates. */

/** Continues all candidates by one step, and keeps the best (candidate.c). */
void fsd_candidates_step(struct replay *r, fsd_sym step);
/** The index of the first node, from `at` on, that no layer computes yet.  Once a node
 *  has a layer, it always has one, so later searches skip such nodes at once
 *  (candidate.c).
 *  @param skip indexed like `nodes`: all nodes from an index up to the stored one have
 *              a layer */
uint32_t fsd_next_unmade(const struct replay *r, const fsd_id *nodes, uint32_t *skip,
                         uint32_t at, uint32_t end);
/** Takes the node, so that its outputs become available (candidate.c).
 *  @param ended another kernel began the node */
void fsd_candidate_take(struct replay *r, struct candidate *w, fsd_id node, bool ended);
/** Compares candidates for qsort(), the likeliest first (candidate.c). */
int fsd_candidate_order(const void *a, const void *b);
/** Takes nodes for which the kernel's name lists no step (unlisted.c). */
void fsd_candidate_take_more(struct replay *r, struct candidate *w);
/** Adds the cost of the facts that the finished candidate contradicts (fit.c). */
void fsd_candidate_finish(const struct replay *r, struct candidate *w);
/** Lists the tensors that a candidate computes and that other nodes read; returns their
 *  number (fit.c). */
uint32_t fsd_candidate_makes(const struct replay *r, const struct candidate *w,
                             fsd_id out[AVAILABLE]);
/** Whether the form has the sizes of the tensor, ignoring axes of size 1 (fit.c). */
bool fsd_form_is_alike(const struct replay *r, const struct fsd_form *form,
                       fsd_id tensor);
/** Whether the attention kernel `layer` may read the tensor in place of the engine's
 *  tensor `held`; true if the layer is not an attention kernel (attention.c). */
bool fsd_fits_attention(const struct replay *r, fsd_id layer, fsd_id held,
                        fsd_id tensor);
/** The number of parts into which Slices or a Split divide the tensor; 1: they do not
 *  (parts.c). */
uint32_t fsd_count_parts(const struct replay *r, fsd_id tensor);
/** Like fsd_count_parts(), but also after a few nodes that read the tensor
 *  (parts.c). */
uint32_t fsd_count_parts_behind(const struct replay *r, fsd_id tensor);
