/*
 * The state of the beam search that replays the steps of kernels; pass_steps.c explains
 * the search and its words.  A step is an operation in a kernel's name.  A candidate
 * "takes" the nodes that the kernel computes.  Only this folder includes this file.
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

/* The costs of the contradictions between a candidate and its kernel.  The numbers
 * themselves have no meaning.  Only two things matter: the order of the numbers, and
 * which of their sums exceed the limit.  The limit is 3 + n / 3 for a kernel with n
 * steps (pass_steps.c).  In a short kernel, one step that belongs to no node exceeds
 * the limit, unless it moves data.  A long kernel may have several contradictions.
 * Every cost is needed: if one is removed, links change in real engines. */
enum {
    COST_MOVE = 1,   /* a data-movement step belongs to no node; builders insert such
                        steps everywhere */
    COST_STEP = 5,   /* any other step belongs to no node; this alone exceeds the limit
                        of a short kernel */
    COST_INPUT = 4,  /* no taken node uses an input of the kernel; added for each such
                        input */
    COST_NAMED = 6,  /* the candidate lacks a node that the kernel's name contains; the
                        name is stronger evidence than a step */
    COST_HINTED = 3, /* the candidate lacks a node that the name of a tensor suggests; a
                        fusion leaves names of tensors unchanged */
    COST_OUTPUT = 4, /* the nodes produce more tensors than the kernel writes; added
                        for each additional tensor */
    COST_SIZE = 8,   /* no result of the nodes has the size of the kernel's output, or
                        no constant of the kernel has the size of a weight; this
                        nearly proves that the candidate is wrong */
    COST_UNFINISHED = 1, /* the next kernel must finish a node */
    COST_LOOSE = 2,      /* a node that only moves data reads no earlier result of the
                            kernel */
    COST_AGAIN = 2,      /* another kernel already computes a taken node */
    COST_RESERVED = 4,   /* names assign a taken node to another kernel */
    COST_GAP = 3         /* an input of a taken node is not available */
};

/* What an engine tensor may hold.  This is the model tensor `tensor` or, if `tensor` is
 * FSD_NONE, the intermediate result of the unfinished node `node`. */
struct held {
    fsd_id tensor, node;
    uint32_t lowering; /* index in lowerings->all */
    uint8_t done;      /* number of replayed steps of the node */
    bool idle;         /* in a candidate: whether this kernel has not yet done a step of
                          the node */
    bool handed;       /* in a candidate: whether another kernel began the node */
    uint64_t from;     /* in a candidate: bit mask of the kernel inputs that hold the
                          intermediate result */
};

struct available {
    fsd_id tensor;
    uint64_t from;  /* bit mask of the kernel inputs that the tensor comes from; 0 if
                       the kernel computes the tensor */
    bool made;      /* whether a taken node outputs the tensor */
    bool either;    /* true: the tensor comes from a single input in `from`, and it is
                       unknown from which one. false: it comes from all inputs in
                       `from` */
    bool duplicate; /* whether the tensor was added as a duplicate of another available
                       tensor */
};

struct candidate {
    uint32_t cost;
    uint32_t loose;   /* number of taken nodes that read no earlier result of the
                         kernel */
    uint32_t odd;     /* number of outputs whose shape no computed tensor has */
    uint32_t lost;    /* number of kernels that read the kernel's outputs but could not
                         continue from the tensors that the candidate computes */
    uint32_t neutral; /* number of taken nodes that only forward their input, such as a
                         sum with 0 */
    uint64_t order;   /* of otherwise equal candidates, the one with the lower `order`
                       wins.  Each taken node adds the index in `available` of the first
                       tensor that the node reads.  Each choice of a tensor for a kernel
                       input (guess_port(), find_choices()) adds its index */
    uint64_t set;     /* hash of the taken nodes and of the tensors that the kernel's
                       inputs are assumed to hold */
    uint32_t parts;   /* number of Slice steps that may follow for taken Splits: one for
                       each output of a Split after the first one */
    uint32_t casts; /* number of Cast steps that may follow for taken Q nodes: a kernel
                       may round in a Cast step */
    bool parted;    /* whether a Split was taken */
    fsd_sym repeated; /* operator of the last taken node whose result the model
                         splits */
    uint32_t repeats; /* number of steps with the operator `repeated` that may follow:
                         one for each part of the result after the first part */
    uint32_t moves;   /* number of data-movement steps whose cost was added */
    uint32_t fits;    /* number of further data-movement steps that cost nothing,
                         because the kernel computes an Einsum */
    bool broken;      /* true: the last step leaves a node unfinished, although kernels
                         do not end after such a step */
    bool joined;      /* whether the kernel computes several products of the same data
                         as one */
    bool pads, cuts;  /* whether steps that belong to no node made the data larger
                         (`pads`) or smaller (`cuts`) */
    uint64_t used;    /* bit mask of the kernel inputs that the taken nodes use */
    fsd_id guess; /* the tensor that the first lost input is assumed to hold; FSD_NONE
                     if there is no guess */
    const char *bound; /* the limit that the search reached, a string literal; NULL if
                          none */
    uint32_t n_available, n_taken, n_open;
    fsd_id taken[TAKEN];
    bool ended[TAKEN]; /* for each node in `taken`: true if another kernel began the
                          node, and this kernel ends it */
    struct held open[OPEN];
    struct available available[AVAILABLE]; /* the last member, so that
                                              fsd_candidate_copy() copies only its used
                                              part */
};

/** Copies a candidate without the unused part of `available`, which is the largest
 *  member. */
static inline void fsd_candidate_copy(struct candidate *to,
                                      const struct candidate *from)
{
    memcpy(to, from,
           offsetof(struct candidate, available) +
               from->n_available * sizeof *from->available);
}

/* Remembers the last call of fsd_is_ready() for a node.  If `round` is not 0, the input
 * `missing` was not available in the search `round`.  If `round` is 0, no input is
 * known to be missing. */
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
    bool anchored; /* whether Metadata shows the kernel's nodes */
    bool gaps;     /* whether another kernel computes one of the inputs, and it is
                      unknown which tensor this input holds */
    int64_t part;  /* number of equal parts of an input tensor, if the kernel reads only
                      one of these parts; else 1 */
    bool padded;   /* whether another kernel padded an input, so that this kernel writes
                      more elements than its nodes produce */
    struct must must[MUST];
    uint32_t n_must;
};

/* The current candidates, and the candidates for the next step.  The last element of
 * `candidates` is only used for trials. */
struct beam {
    struct candidate candidates[CANDIDATES + 1], next[NEXT];
    uint32_t n_candidates, n_next;
};

/* State of a node of the model.  A member for a layer or a node is FSD_NONE if there is
 * no such layer or node. */
struct node_state {
    bool passes;        /* whether the node needs no step */
    bool folds;         /* whether the node needs no step because the builder may
                              fold it into a product's weights */
    bool generates;     /* whether the node produces data from sizes and constants
                              alone, as a Range does */
    fsd_id layer;       /* the layer that computes the node */
    fsd_id reserved;    /* the layer that must compute the node, according to names */
    fsd_id named;       /* the layer that is named after this node alone */
    fsd_id epilogue_of; /* a layer that computes a product before the node.  It may
                           compute the node in its epilogue, without a step in its
                           name */
    fsd_id next_duplicate; /* the next node that computes the same value */
    fsd_id last_duplicate; /* the last node that computes the same value; valid only at
                              the first node that computes this value */
    uint32_t visited;      /* `n_visits` of the last search that visited the node */
    struct asked asked;
};

/* State of a tensor of the model. */
struct tensor_state {
    bool at_run;  /* whether a kernel computes the tensor although the model proves it
                     constant */
    bool spread;  /* whether nodes that need no step compute the tensor from constants
                     and sizes.  An example is a learned token that nodes repeat for
                     each image of a batch */
    bool goes_on; /* whether a reader of the tensor needs no step or may be in an
                     epilogue */
    struct fsd_span readers; /* its readers, a span of `reader` */
    fsd_id handed_out; /* if the tensor is an output of a branch of an If or of the body
                          of a Loop: the output of the If or Loop that receives the
                          value; else FSD_NONE */
};

/* State of a tensor of the engine. */
struct value_state {
    struct fsd_span held; /* the tensors that it may hold, a span of `held` */
    fsd_id joined; /* if a kernel concatenates the engine tensor (joined.c): the model
                      tensor at the same input of the Concat; FSD_NONE if unknown */
    struct fsd_span border; /* for a lost tensor (lost.c): the last known model tensors
                               before it; a span of `borders` */
};

/* State of a layer. */
struct layer_state {
    fsd_id in_place;  /* if the layer computes a node of a ScatterND chain in place:
                         this node; else FSD_NONE */
    fsd_id product;   /* the product that the layer computes; FSD_NONE if there is
                         none */
    fsd_id joins;     /* the Concat that the layer's first steps compute; FSD_NONE if it
                         is unknown.  The number and the sizes of the layer's inputs
                         show this Concat (joined.c) */
    fsd_id attention; /* the Attention node that the layer computes; FSD_NONE if there
                         is none */
    fsd_id norm;      /* the normalization node that the layer computes in part;
                         FSD_NONE if there is none */
    bool joined;      /* whether the layer computes several products as one */
    bool moves_on;    /* whether the layer only moves data, and computes no node */
    bool pads, cuts;  /* `pads` and `cuts` of the committed candidate */
    uint32_t unsaid;  /* number of nodes that the layer computes, although it is unknown
                         which nodes they are */
};

/* The tensors that lead to one node through few other nodes (fit.c). */
struct ancestry {
    fsd_id node;     /* the node; FSD_NONE before the first search */
    uint32_t *stamp; /* indexed by tensor: equal to `now` if the tensor leads to the
                        node */
    uint32_t now;
    bool absent;           /* whether one of `nodes` lacks an optional input */
    FSD_VEC(fsd_id) nodes; /* the node, and the producers of the tensors */
};

struct replay {
    struct fsd_match *m;
    const struct fsd_graph *g;
    struct fsd_arena *scratch;
    struct fsd_lowerings *lowerings;
    struct fsd_sizes *sizes; /* sizes of the model's tensors; the named dimensions have
                                the sizes of the engine's inputs */
    struct node_state *nodes;
    struct tensor_state *tensors;
    struct value_state *values;
    struct layer_state *layers;
    FSD_VEC(fsd_id) generators;
    FSD_VEC(struct held) held;
    FSD_VEC(fsd_id) borders;
    FSD_VEC(struct fsd_link) begun; /* nodes that kernels began and did not finish */
    FSD_VEC(struct fsd_link)
    tied; /* possible links: one of several kernels computes
                                       the node */
    FSD_VEC(fsd_id)
    reader;              /* for each tensor, the consumers that a kernel may
                                       compute; of duplicate nodes, only the last one */
    uint32_t *unmade;    /* for fsd_next_unmade(), indexed like `reader`: if unmade[i] >
                            i, the nodes from reader[i] to reader[unmade[i] - 1] are
                            known to have a layer */
    uint32_t *unvisited; /* like `unmade`, but indexed like `g->links` */
    struct ancestry *ancestry;
    uint32_t n_visits, rounds;
    struct kernel now;
    fsd_id layer; /* the current kernel */
    struct beam *beam;
};

/* Evidence from names (named.c). */

/** Fills r->now.must: the nodes that names assign to the current kernel. */
void fsd_find_must(struct replay *r);
/** The only node that the layer computes according to its name; FSD_NONE if there is
 *  none or more than one. */
fsd_id fsd_only_named(const struct replay *r, fsd_id layer);
/** Sets the member `named` of all nodes. */
void fsd_find_named(struct replay *r);
/** Sets the member `in_place` of all layers. */
void fsd_find_in_place(struct replay *r);
/** Sets the member `reserved` of all nodes. */
void fsd_reserve(struct replay *r);
/** Whether the current kernel has a step that could be the last step of the node.  Also
 *  true if the name of the kernel may lack steps. */
bool fsd_could_end(const struct replay *r, fsd_id node);

/* Links (commit.c). */

/** Links the current kernel to the nodes that the candidate took, and to the nodes
 *  before them that need no step. */
void fsd_commit(struct replay *r, const struct candidate *w);
/** Links each scaling before a product of an anchored kernel to the layer that absorbed
 *  it, unless the scaling already has a layer. */
void fsd_commit_between(struct replay *r, const struct candidate *w);
/** Takes and links nodes that the Metadata of an anchored kernel does not list, but
 *  that the steps of the kernel show. */
void fsd_commit_behind(struct replay *r, struct candidate *w);
/** If a kernel pads or cuts data for an adjacent product, links the kernel to this
 *  product, because the kernel computes a part of the product. */
void fsd_commit_fitting(struct replay *r);
/** Creates regions of kernels that could compute the same nodes. */
void fsd_commit_regions(struct replay *r);

/** Sets the member `at_run` of all tensors (at_run.c).  `held` and `named` must be
 *  set. */
void fsd_find_at_run(struct replay *r);

/* Kernels that concatenate the outputs of other kernels (joined.c). */

/** Sets the member `joins` of all layers, and `joined` of all engine tensors. */
void fsd_find_joined(struct replay *r);

/* Kernels whose steps fit no nodes (lost.c). */

/** Sets the member `border` of outputs that hold an unknown tensor. */
void fsd_note_lost(struct replay *r);
/** Whether the engine tensor is lost (lost.c): it is unknown which model tensor it
 *  holds, but its border is known.  False for FSD_NONE. */
bool fsd_is_lost(const struct replay *r, fsd_id tensor);
/** Lists the model tensors that the lost input `port` of the kernel may hold, the
 *  likeliest first; returns their number. */
uint32_t fsd_find_guesses(struct replay *r, uint32_t port, fsd_id out[GUESSES]);
/** Whether the kernel has so many steps that they fit only few places of the model. */
bool fsd_does_enough(const struct replay *r);
/** Links the kernel that produced the lost engine tensor `lost`, now that `lost` is
 *  known to hold `tensor`. */
void fsd_fill_lost(struct replay *r, fsd_id lost, fsd_id tensor);
/** Whether the tensor has as many elements as the port or, if the port has a dynamic
 *  size, the same shape. */
bool fsd_port_fits(const struct replay *r, const struct fsd_port *port, fsd_id tensor);
/** Links the kernels that produce the inputs of the current kernel, if the nodes of
 *  these kernels are unknown.  The current kernel must concatenate its inputs. */
void fsd_fill_joined(struct replay *r);
/** Links the producer of a lost tensor, if the tensor is the only input of a kernel
 *  that computes a known product.  The tensor then holds the data input of this
 *  product.  Runs at the end of the replay. */
void fsd_fill_rest(struct replay *r);

/** Whether the tensor exists before any kernel runs: no kernel computes it. */
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

/** The layer that computes a node; FSD_NONE if it is not yet known or `node` is
 *  FSD_NONE.  fsd_has_layer() does not accept FSD_NONE. */
static inline fsd_id fsd_layer_of(const struct replay *r, fsd_id node)
{
    return node == FSD_NONE ? FSD_NONE : r->nodes[node].layer;
}
static inline bool fsd_has_layer(const struct replay *r, fsd_id node)
{
    return r->nodes[node].layer != FSD_NONE;
}

/** Whether the layer is a generated kernel without Metadata.  Other layers name all
 *  their nodes, so that no nodes are added to them. */
static inline bool fsd_is_generated(const struct replay *r, fsd_id layer)
{
    return r->m->engine->layers.at[layer].provider == FSD_PROVIDER_COMPILER &&
           !r->m->layer_sourced[layer];
}

/** Whether the mention may be used as evidence and states that the layer computes
 *  exactly one node, m->node. */
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

/** The tensors that the engine tensor may hold, a span of `held`; empty for
 *  FSD_NONE. */
static inline struct fsd_span fsd_held_by(const struct replay *r, fsd_id tensor)
{
    return tensor == FSD_NONE ? (struct fsd_span){0} : r->values[tensor].held;
}

/** The tensor at the node's i-th input, if kernels compute it at run time.  FSD_NONE in
 *  three cases: the node has no i-th input, the tensor exists before any kernel runs,
 *  or the node uses only the type of the tensor. */
static inline fsd_id fsd_data_in(const struct replay *r, fsd_id node, uint32_t i)
{
    fsd_id t = fsd_node_in_tensor(r->g, node, i);

    return t == FSD_NONE || (i && r->m->facts->traits[node] & FSD_OP_CASTS) ||
                   fsd_stays_constant(r, t)
               ? FSD_NONE
               : t;
}

/* Nodes that need no step (passing.c). */

/** Whether a kernel computes the node at run time, although the model proves the node
 *  constant.  False for FSD_NONE.  Also false if a producer of the node has the same
 *  operator: in a chain of such nodes, only the first one certainly runs. */
bool fsd_is_left_to_run(const struct replay *r, fsd_id node);
/** Records that the node needs no step: sets `goes_on` of its inputs. */
void fsd_goes_on_by(struct replay *r, fsd_id node);
/** A callback for fsd_walk_back(): the only non-constant input of a node that needs no
 *  step; FSD_NONE for other nodes. */
fsd_id fsd_before_passing(const void *replay, fsd_id node);
/** Sets the members `passes`, `folds` and `generates` of all nodes. */
void fsd_replay_passing(struct replay *r);
/** Whether the node only moves data, only changes the shape or type of data, or needs
 *  no layer. */
bool fsd_only_moves(const struct replay *r, fsd_id node);
/** Whether the node is a product of the model: a Conv, a Gemm or a MatMul. */
bool fsd_is_product(const struct replay *r, fsd_id node);
/** Whether the node reads the result of a product, directly or through scalings and
 *  data movement. */
bool fsd_behind_product(const struct replay *r, fsd_id node);
/** The only tensor computed at run time that the node reads; FSD_NONE if there is none
 *  or more than one, or if `node` is FSD_NONE. */
fsd_id fsd_data_input(const struct replay *r, fsd_id node);
static inline bool fsd_has_data(const struct replay *r, fsd_id node)
{
    return fsd_data_input(r, node) != FSD_NONE;
}
/** Whether the node has several outputs and needs no step, such as a Split.  Different
 *  kernels may compute the outputs of such a node. */
static inline bool fsd_comes_in_parts(const struct replay *r, fsd_id node)
{
    return r->nodes[node].passes && r->g->nodes.at[node].out.n > 1;
}

/* Functions that read the state of the replay (state.c). */

/** The last node that computes the same value as `node`; FSD_NONE for FSD_NONE.  Of
 *  nodes with the same value, the builder keeps the last one. */
fsd_id fsd_last_duplicate(const struct replay *r, fsd_id node);
/** The number of elements of a model tensor; negative if the number is unknown. */
int64_t fsd_count_of(const struct replay *r, fsd_id tensor);
/** fsd_candidate_took(): whether the candidate took the node.  fsd_candidate_began():
 *  whether this kernel or an earlier one began the node, and the node is not
 *  finished. */
bool fsd_candidate_took(const struct candidate *w, fsd_id node);
bool fsd_candidate_began(const struct candidate *w, fsd_id node);
/** Whether the node is an Einsum whose operands a kernel multiplies one by one. */
bool fsd_computes_pairs(const struct replay *r, fsd_id node);
/** Whether a name assigns the node to the current kernel. */
bool fsd_is_must(const struct replay *r, fsd_id node);
/** Whether a library kernel may compute the node in its epilogue, and no layer is known
 *  to compute the node. */
bool fsd_is_epilogue(const struct replay *r, fsd_id node);
/** Whether the layer computes several products as one, and writes their results as
 *  parts of one tensor. */
bool fsd_joins_products(const struct replay *r, fsd_id layer);
/** Whether the layer has neither a Conv step nor a MatMul step.  If it computes a
 *  product nevertheless, it does so in parts. */
bool fsd_takes_apart(const struct replay *r, fsd_id layer);
/** Finds the first input of the current kernel that has the same tensor as input `i`.
 *  Returns a mask in which only the bit of this first input is set; 0 if the index of
 *  this first input is above 63. */
uint64_t fsd_first_port(const struct replay *r, uint32_t i);

/* Available tensors (available.c). */

/** The element of w->available for the tensor; NULL if the tensor is not available. */
struct available *fsd_find_available(struct candidate *w, fsd_id tensor);
/** Makes a tensor available that comes from kernel inputs.  If the tensor is available
 *  already, records that it may also come from these inputs.
 *  @param from bit mask of the kernel inputs */
void fsd_candidate_hold(struct candidate *w, fsd_id tensor, uint64_t from);
/** Like fsd_candidate_hold().  If nodes without a step compute tensors from this
 *  tensor, also makes those tensors available. */
void fsd_make_available(struct replay *r, struct candidate *w, fsd_id tensor,
                        uint64_t from);
/** Visits the available tensors from index `first` on.  If nodes without a step compute
 *  tensors from a visited tensor, makes those tensors available, too. */
void fsd_candidate_follow(struct replay *r, struct candidate *w, uint32_t first);
/** The first tensor that the node's first step reads (fsd_data_in()) and that is not
 *  available; FSD_NONE if there is none.  A tensor with `spread` (tensor_state) never
 *  counts as missing.
 *  @param all true: visits all these tensors; false: stops at the first missing one
 *  @param from set to the bit mask of the kernel inputs that the visited tensors come
 *         from */
fsd_id fsd_find_missing(const struct replay *r, struct candidate *w, fsd_id node,
                        bool all, uint64_t *from);
/** Whether all data that the first step of the node reads are available.  False if
 *  fsd_reads_data() is false.  If an earlier call of the same search found a missing
 *  input, checks only this input until it is available, which is fast for a node with
 *  many inputs.
 *  @param round number of the search; in one search, available tensors stay available
 *  @param from if the result is true, set to the bit mask of the kernel inputs that the
 *         step uses */
bool fsd_is_ready(struct replay *r, struct candidate *w, fsd_id node, uint32_t round,
                  uint64_t *from);
/** Whether the node can continue after `done` steps.  An Einsum can continue only if
 *  the operand of its next multiplication is available.
 *  @param from set to the bit mask of the kernel inputs that the next step uses */
bool fsd_can_go_on(const struct replay *r, struct candidate *w, fsd_id node,
                   uint32_t done, uint64_t *from);
/** Whether the node reads data computed at run time, or produces data from constants
 *  alone. */
bool fsd_reads_data(const struct replay *r, fsd_id node);
/** Whether the kernel may compute the Q `node` before the Q's predecessor.  The builder
 *  moves a Q in this way in two cases:
 *    - the predecessor commutes with a Q (a MaxPool),
 *    - the predecessor is a Concat; each of its inputs then gets a copy of the Q.
 *  In both cases, the input of the Q must not be available, and an input of the
 *  predecessor must be available. */
bool fsd_is_moved(const struct replay *r, const struct candidate *w, fsd_id node);

/* Candidates. */

/** Continues all candidates by one step, and keeps the best candidates
 *  (candidate.c). */
void fsd_candidates_step(struct replay *r, fsd_sym step);
/** The index of the first node without a layer in nodes[at..end); `end` if there is
 *  none.  A node never loses its layer, so the results of earlier searches are kept in
 *  `skip` (candidate.c).
 *  @param skip indexed like `nodes`: if skip[i] > i, the nodes from nodes[i] to
 *         nodes[skip[i] - 1] are known to have a layer */
uint32_t fsd_next_unmade(const struct replay *r, const fsd_id *nodes, uint32_t *skip,
                         uint32_t at, uint32_t end);
/** Takes the node, and makes its outputs available (candidate.c).
 *  @param ended whether another kernel began the node */
void fsd_candidate_take(struct replay *r, struct candidate *w, fsd_id node, bool ended);
/** Compares two candidates for qsort(): the likeliest comes first (candidate.c). */
int fsd_candidate_order(const void *a, const void *b);
/** Takes nodes for which the kernel's name lists no step (unlisted.c). */
void fsd_candidate_take_more(struct replay *r, struct candidate *w);
/** Adds the cost of contradictions to a finished candidate (fit.c). */
void fsd_candidate_finish(const struct replay *r, struct candidate *w);
/** Lists the tensors that the candidate computes and that other nodes or the network's
 *  outputs need; returns their number (fit.c). */
uint32_t fsd_candidate_makes(const struct replay *r, const struct candidate *w,
                             fsd_id out[AVAILABLE]);
/** Whether the form has the sizes of the tensor, ignoring axes of size 1 (fit.c). */
bool fsd_form_is_alike(const struct replay *r, const struct fsd_form *form,
                       fsd_id tensor);
/** Whether `held`, an input of the attention kernel `layer`, may hold the model tensor
 *  `tensor`; true if the layer is no attention kernel (attention.c). */
bool fsd_fits_attention(const struct replay *r, fsd_id layer, fsd_id held,
                        fsd_id tensor);
/** The number of parts into which Slices or a Split divide the tensor; 1 if it is not
 *  divided (parts.c). */
uint32_t fsd_count_parts(const struct replay *r, fsd_id tensor);
/** Like fsd_count_parts(), but the division may also be a few nodes behind the tensor
 *  (parts.c). */
uint32_t fsd_count_parts_behind(const struct replay *r, fsd_id tensor);
