/*
 * A way to understand a kernel: which nodes it takes, step by step (pass_steps.c has
 * the idea).  Only this folder includes this.
 */
#ifndef FSD_MATCH_WAY_H
#define FSD_MATCH_WAY_H

#include "match/pass.h"
#include "match/kernel/recipe.h"

enum {
    WAYS = 24,
    CHOICES = WAYS,
    AT_HAND = 192,
    TAKEN = 64,
    OPEN = 8,
    MUST = 24,
    NEXT = 96,
    FAR = 12,
    GUESSES = 6
};

/* What contradictions cost; a way that costs more than the limit is none. */
enum {
    COST_MOVE = 1,   /* a step that moves data, and no node asks for it */
    COST_STEP = 5,   /* any other */
    COST_INPUT = 4,  /* of the kernel, unused */
    COST_NAMED = 6,  /* a node that the kernel's name tells, not taken */
    COST_HINTED = 3, /* one that a tensor's name tells */
    COST_OUTPUT = 4, /* more is made than the kernel writes */
    COST_SIZE = 8,   /* it writes another size than is made */
    COST_UNFINISHED = 1,
    COST_LOOSE = 2,    /* a node that moves data is taken, and not of what was made */
    COST_AGAIN = 2,    /* a node is taken that another kernel computes */
    COST_RESERVED = 4, /* a node is taken that a name gives to another kernel */
    COST_GAP = 3       /* a node is taken whose input is not at hand */
};

/* A tensor of the model, or a node half done (then `tensor` is FSD_NONE). */
struct held {
    fsd_id tensor, node;
    uint32_t recipe;
    uint8_t done;
    bool idle;     /* of a way: this kernel has done nothing of it yet */
    bool handed;   /* of a way: another kernel began it */
    uint64_t from; /* of a way: inputs of the kernel that it comes from */
};

struct at_hand {
    fsd_id tensor;
    uint64_t from; /* inputs of the kernel that it comes from; 0: made by it */
    bool made;     /* some of it is made by the kernel, too: a part of a Split */
    bool either;   /* it comes from any one of these inputs: each may hold it */
};

struct way {
    uint32_t cost;
    uint32_t loose; /* nodes taken that read nothing that was made before */
    uint32_t odd;   /* outputs of another shape than all that is made */
    uint32_t lost;  /* readers of its outputs that could not go on with what is made */
    uint32_t neutral; /* nodes taken that hand on what they read: a sum with 0 */
    uint64_t order;   /* sum of the places at hand of what is read: of equals those are
                        taken that read what was there first */
    uint32_t parts;   /* of Splits that were taken, made by steps of their own */
    uint32_t casts;   /* likewise, to the integers of Qs */
    bool parted;      /* a Split was */
    fsd_sym repeated; /* what was done of a tensor that a Split takes apart, ... */
    uint32_t repeats; /* ... and may be done once more for each other part */
    bool broken;      /* it ends within a node, and not where one is handed over */
    bool joined;      /* products of the same data are one */
    bool pads, cuts;  /* steps that are no node's made the data larger or smaller */
    uint64_t used;    /* inputs of the kernel */
    fsd_id guess; /* what it takes the first input to hold of which nobody knows it */
    uint32_t n_hand, n_taken, n_open;
    struct at_hand hand[AT_HAND];
    fsd_id taken[TAKEN];
    bool ended[TAKEN]; /* of what is taken: another kernel began it */
    struct held open[OPEN];
};

/* Of a node that could not be taken: which tensor it lacked, and when (way.c). */
struct asked {
    uint32_t round;
    fsd_id missing;
};

struct must {
    fsd_id node;
    uint32_t cost;
};

struct replay {
    struct fsd_match *m;
    const struct fsd_graph *g;
    struct fsd_arena *scratch;
    struct fsd_recipes *recipes;
    struct fsd_sizes *sizes; /* of the model as this engine was built */
    bool *passes;            /* by node: needs no step of its own */
    bool *folds;             /* by node: it passes as a part of a product's weights */
    bool *at_run;    /* by tensor: constant, and made by a kernel none the less */
    bool *generates; /* by node: makes data of sizes and constants alone (a Range) */
    FSD_VEC(fsd_id) generators; /* these */
    fsd_id *next_twin; /* by node: the next that computes the very same; FSD_NONE */
    fsd_id *last_twin; /* by first twin */
    fsd_id *maker;     /* by node: the layer that computes it */
    fsd_id *late;      /* by node: the layer behind whose product it lies, and which may
                          compute it though it is not listed */
    fsd_id *reserved;  /* by node: the layer that a name says computes it */
    fsd_id *named;     /* by node: the layer that bears its name alone */
    fsd_id *in_place;  /* by layer: the node of a chain that it does in place */
    struct fsd_span *of; /* by engine tensor: in `held` */
    FSD_VEC(struct held) held;
    bool *joined;                   /* by layer: it computes several products as one */
    bool *ended;                    /* by node: a kernel ended what another one began */
    fsd_id *product;                /* by layer: the product it computes; FSD_NONE */
    fsd_id *attention;              /* by layer: the Attention it computes; FSD_NONE */
    fsd_id *norm;                   /* by layer: the normalization it does a part of */
    bool *moves_on;                 /* by layer: it only moves data, and for no node */
    bool *pads, *cuts;              /* by layer: likewise of the way that was kept */
    FSD_VEC(struct fsd_link) begun; /* nodes that kernels began and did not end */
    FSD_VEC(struct fsd_link) tied;  /* nodes that one of several kernels computes */
    uint32_t *unsaid; /* by layer: nodes that it computes, and nothing tells which */
    struct fsd_span *border; /* by engine tensor of which nobody knows what it holds: in
                                `borders`, tensors of the model before it (lost.c) */
    FSD_VEC(fsd_id) borders;
    uint32_t *visited; /* by node: the last visit */
    uint32_t n_visits;
    struct asked *asked;    /* by node */
    bool *goes_on;          /* by tensor: something reads it that passes, or is late */
    FSD_VEC(fsd_id) reader; /* of twins the last, and all that are folded */
    struct fsd_span *readers; /* by tensor: in `reader` */
    uint32_t *unmade;         /* by place there: how far those behind it are made */
    uint32_t rounds;
    /* Of the present kernel: */
    fsd_id layer;
    bool anchored; /* it is known by other evidence */
    bool gaps;     /* it reads what holds nobody knows what */
    int64_t part;  /* it reads one of so many equal parts of something; 1: all of it */
    bool padded;   /* it reads what was made larger for it, and writes more for that */
    struct must must[MUST];
    uint32_t n_must;
    struct way *ways, *next; /* WAYS and NEXT of them */
    uint32_t n_ways, n_next;
};

/** Fills `must` of the present kernel (named.c). */
void fsd_find_must(struct replay *r);
/** The only node that a layer's name says it computes; FSD_NONE. */
fsd_id fsd_only_named(const struct replay *r, fsd_id layer);
/** Which layers bear the names of nodes; which ones names give nodes to. */
void fsd_find_named(struct replay *r);
void fsd_find_in_place(struct replay *r);
void fsd_reserve(struct replay *r);
/** Links the kernel to what the way took, and to what passed (claim.c). */
void fsd_claim(struct replay *r, const struct way *w);
/** Links scalings before the products of a kernel that is known: no other layer has
 *  them. */
void fsd_claim_between(struct replay *r, const struct way *w);
/** Links, and adds to what is taken, what a known kernel's name has besides. */
void fsd_claim_behind(struct replay *r, struct way *w);
/** Links what makes data larger or smaller to the product beside: the kernel does a
 * part of that node's work. */
void fsd_claim_fitting(struct replay *r);
/** Kernels that could compute the same nodes. */
void fsd_claim_regions(struct replay *r);

/** What the kernel writes and nobody knows lies behind what it read (lost.c). */
void fsd_note_lost(struct replay *r);
bool fsd_is_lost(const struct replay *r, fsd_id tensor);
/** What an input of the kernel may hold that was lost, the likeliest first. */
uint32_t fsd_find_guesses(struct replay *r, uint32_t port, fsd_id out[GUESSES]);
/** The kernel does as much as is done in few places. */
bool fsd_tells_enough(const struct replay *r);
/** The form's sizes, but for axes of one, are those of the tensor. */
bool fsd_form_is_alike(const struct replay *r, const struct fsd_form *form,
                       fsd_id tensor);

/** It is there before any kernel runs. */
static inline bool fsd_rests(const struct replay *r, fsd_id tensor)
{
    return fsd_is_at_rest(r->m->facts, tensor) && !r->at_run[tensor];
}

/** The tensor whose values a node takes from a run by its i-th input; FSD_NONE where
 *  there is none, or it is there before, or only its type matters. */
static inline fsd_id fsd_data_in(const struct replay *r, fsd_id node, uint32_t i)
{
    fsd_id t = fsd_node_in_tensor(r->g, node, i);

    return t == FSD_NONE || (i && r->m->facts->traits[node] & FSD_OP_CASTS) ||
                   fsd_rests(r, t)
               ? FSD_NONE
               : t;
}

/** What the model proves constant a builder may leave to a run, all the same.  Of a
 * chain of the same operator nobody knows how far a kernel goes. */
bool fsd_is_left_to_run(const struct replay *r, fsd_id node);
/** What the node reads goes on without a step, by the node. */
void fsd_goes_on_by(struct replay *r, fsd_id node);
/** Which nodes pass, and which of them fold. */
void fsd_replay_passing(struct replay *r);

/** A product of the model: a Conv, a Gemm, a MatMul. */
bool fsd_is_product(const struct replay *r, fsd_id node);
/** What it reads, scaled and moved, is a product's. */
bool fsd_behind_product(const struct replay *r, fsd_id node);
/** The one input that is no constant; FSD_NONE when there are several. */
fsd_id fsd_data_input(const struct replay *r, fsd_id node);

/** Of nodes that compute the very same the builder keeps the last. */
fsd_id fsd_last_twin(const struct replay *r, fsd_id node);

bool fsd_way_took(const struct way *w, fsd_id node);
/** Begun, and not finished. */
bool fsd_way_began(const struct way *w, fsd_id node);

/* What is at hand (hand.c). */
bool fsd_is_at_hand(const struct way *w, fsd_id tensor);
/** NULL: it is not at hand. */
struct at_hand *fsd_find_hand(struct way *w, fsd_id tensor);
/** Puts a tensor at hand. */
void fsd_way_hold(struct way *w, fsd_id tensor, uint64_t from);
/** Likewise, with what is made of it without a step. */
void fsd_put_at_hand(struct replay *r, struct way *w, fsd_id tensor, uint64_t from);
/** Puts at hand what is made without a step of what is at hand from `first` on. */
void fsd_way_follow(struct replay *r, struct way *w, uint32_t first);
/** The first input that is not at hand; FSD_NONE: all are.
 *  @param from the inputs of the kernel that the node uses, as far as that input
 *  @param all and behind it */
fsd_id fsd_find_missing(const struct replay *r, struct way *w, fsd_id node, bool all,
                        uint64_t *from);
/** True when all that the node reads is at hand.  Once a node lacked a tensor, it is
 *  not asked again in the same round before that tensor is there: a node may read any
 *  number of tensors, and each of them leads to it.
 *  @param round in one, tensors only come to hand
 *  @param from the inputs of the kernel that it uses */
bool fsd_is_ready(struct replay *r, struct way *w, fsd_id node, uint32_t round,
                  uint64_t *from);
/** It reads more than constants, or makes data of none. */
bool fsd_reads_data(const struct replay *r, fsd_id node);

/** Follows all ways one step further, and keeps the best. */
void fsd_ways_step(struct replay *r, fsd_sym step);
/** What a way takes where steps are known not to be listed. */
void fsd_way_take_more(struct replay *r, struct way *w);
/** What it contradicts at its end (fit.c). */
void fsd_way_finish(const struct replay *r, struct way *w);
/** The builder moves a Q back across an operator that does not mind (a MaxPool), and
 *  before a Concat, once for each part: then it quantizes what that one reads, and what
 *  it makes is not there yet. */
bool fsd_is_moved(const struct replay *r, const struct way *w, fsd_id node);
/** Products out of a library that are joined write parts of one tensor. */
bool fsd_joins_products(const struct replay *r, fsd_id layer);
/** A product that the layer computes is taken apart. */
bool fsd_takes_apart(const struct replay *r, fsd_id layer);
/** The likeliest first. */
int fsd_way_order(const void *a, const void *b);

/** Tensors made by a way that others read; returns how many. */
uint32_t fsd_way_makes(const struct replay *r, const struct way *w,
                       fsd_id out[AT_HAND]);
/** A Split: one kernel makes one part, another one the next. */
static inline bool fsd_comes_in_parts(const struct replay *r, fsd_id node)
{
    return r->passes[node] && r->g->nodes.at[node].out.n > 1;
}

/** Takes the node: what it makes is at hand.
 *  @param ended another kernel began it. */
void fsd_way_take(struct replay *r, struct way *w, fsd_id node, bool ended);
/** Where the kernel writes what products of the same data make together, takes all of
 *  them (parts.c). */
void fsd_way_join(struct replay *r, struct way *w);
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
/** At the end: links kernels that nobody understood where one behind them is named
 *  after the product that reads what they made. */
void fsd_fill_rest(struct replay *r);
/** Elements of a tensor of the model; negative where that is open. */
int64_t fsd_count_of(const struct replay *r, fsd_id tensor);
bool fsd_is_must(const struct replay *r, fsd_id node);
/** True when a library's kernel may have applied it, and no other is known to. */
bool fsd_is_late(const struct replay *r, fsd_id node);
/** A bit for the tensor that a port of the kernel reads: that of its first port. */
uint64_t fsd_first_port(const struct replay *r, uint32_t i);

#endif
