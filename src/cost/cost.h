/*
 * What layers cost: bytes and multiply-adds, counted from shapes; their times, shared
 * among nodes; and all sums over nodes, kinds, causes and name scopes.
 *
 * A layer's time is measured once and belongs to all its nodes.  Among them it is
 * shared in the proportion of their work (multiply-adds, or elements written where an
 * operator has none).  Where that is not known of one of them, those that multiply-add
 * share it equally; where there is none of these, all do.  Shares of a layer add up to
 * its time.
 */
#ifndef FSD_COST_COST_H
#define FSD_COST_COST_H

#include "diff/diff.h"
#include "ops/sizes.h"

struct fsd_node_cost {
    int64_t macs;     /**< multiply-adds, an amount; negative: no number is known */
    int64_t work;     /**< these, or elements written where it has none; likewise */
    double ms;        /**< its part of its layers' times; negative: not known */
    double moved_ms;  /**< what of it layers take that only move data; 0: nothing */
    uint32_t workers; /**< layers that do its multiply-adds; 0: not known which */
    bool shares;      /**< other nodes have a part of the same layer's time */
};

/** Bytes that a layer reads and writes once: amounts (ops/amount.h), so negative where
 *  no number is known. */
struct fsd_traffic {
    int64_t in, out, weights, bias;
};

/** What a layer spends its time and its bytes on, exactly one. */
enum fsd_spent {
    FSD_SPENT_COMPUTE,
    FSD_SPENT_REQUANTIZE, /**< computes element by element (scale, bias, activation,
                               residual addition) what another kernel left wide, and
                               writes it quantized */
    FSD_SPENT_MOVEMENT,   /**< moves data for the builder's or a quantizer's sake */
    FSD_SPENT_REQUESTED,  /**< moves data as the model asks: a Transpose */
    FSD_SPENT_NOTHING, /**< NoOp, shapes, synchronization, measured to take no time */
    FSD__SPENT_COUNT
};

struct fsd_layer_cost {
    int64_t bytes, macs;        /**< read and written, without the bias; multiply-adds;
                                     amounts: negative where no number is known */
    struct fsd_traffic traffic; /**< what `bytes` is made of */
    enum fsd_spent spent;
};

/** Where the time of a run goes: sums of the layers' times, in milliseconds. */
struct fsd_time_sums {
    double by_kind[FSD__KIND_COUNT];
    double by_cause[FSD__CAUSE_COUNT]; /**< FSD_CAUSE_NONE: all that has no cause */
    double inserted;                   /**< of inserted layers */
    double nodes; /**< of layers that compute nodes: what the nodes share */
};

/** The layers of one class together. */
struct fsd_spent_sum {
    uint32_t layers;
    uint32_t unknown; /**< of these, whose bytes are no known number */
    int64_t bytes;    /**< of the others */
    double ms;        /**< negative: nothing was measured */
    double share; /**< from 0 to 1, of all classes' time where it was measured, else of
                           all known bytes: one denominator for all; negative: there is
                           none, or the bytes of most layers are unknown */
};

/** The nodes of one operator together. */
struct fsd_op_time {
    fsd_sym op;
    uint32_t nodes; /**< that layers compute */
    double ms;      /**< their parts of their layers' times */
};

typedef FSD_VEC(fsd_id) fsd_tensor_vec;

/** The sizes of the model's tensors, and which of the open ones are whose. */
struct fsd_known_sizes {
    const struct fsd_sizes *sizes; /**< of the model's tensors */
    fsd_tensor_vec tuned;    /**< the model's inputs whose open sizes are the ones that
                                  the builder tuned the engine for, */
    fsd_tensor_vec run_with; /**< and those that it was run with, as its log tells */
};

struct fsd_cost {
    struct fsd_amounts *amounts;   /**< bytes and the like in open sizes */
    const struct fsd_sizes *sizes; /**< of the model's tensors */
    fsd_id *like;                /**< by port of the engine: the model's tensor that it
                                        is, or is as large as; FSD_NONE */
    struct fsd_node_cost *nodes; /**< by node */
    struct fsd_layer_cost *layers; /**< by layer */
    int64_t unattributed;          /**< multiply-adds of nodes that kernels compute, and
                                        nothing tells which of them; an amount */
    struct fsd_time_sums sums;
    struct fsd_spent_sum spent[FSD__SPENT_COUNT]; /**< by enum fsd_spent */
    struct fsd_spent_sum all; /**< of all layers; entries of a profile that are no layer
                                   have the rest of its share */
    fsd_tensor_vec tuned, run_with;       /**< struct fsd_known_sizes */
    FSD_VEC(struct fsd_op_time) op_times; /**< the longest first; none without times */
    double peak_gb_s, peak_top_s;         /**< of the device; 0: not known */
};

/** Finds the shapes of the model's tensors as far as they follow from what is known:
 *  the model's own, the engine's, the log's, the user's, and the operators'.
 *  @param out  set to what is found; it lives in the match's arena.
 *  @param h    the build log; NULL when there is none.
 *  @param opt  its `shapes` ("images=1x3x224x224") are bound to the names that the
 *              model's inputs have for their sizes.
 *  @return FSD_OK; FSD_E_ARG for an unknown input, another rank, or a size that
 *          contradicts the model. */
enum fsd_status fsd_cost_sizes(const struct fsd_known_sizes **out,
                               const struct fsd_match *m, const struct fsd_history *h,
                               const struct fsd_options *opt, struct fsd_error *err);

/** Counts bytes and multiply-adds, the times of nodes and their sums.
 *  @param opt  its peaks are the device's.
 *  @return the costs; they live in the match's arena. */
const struct fsd_cost *
fsd_cost_new(const struct fsd_match *m, const struct fsd_known_sizes *known,
             const struct fsd_measured *times, const struct fsd_layer_result *layers,
             const struct fsd_flows *flows, const struct fsd_reason *reasons,
             const struct fsd_node_result *nodes, const struct fsd_options *opt);

/** True when all operations of a layer are known, and the kernel of a product may apply
 *  them to its result. */
bool fsd_cost_is_epilogue(const struct fsd_match *m, fsd_id layer);

/** "requested_movement" */
const char *fsd_spent_name(enum fsd_spent value);
/** "data movement as the model asks" */
const char *fsd_spent_words(enum fsd_spent value);

/** What a layer is part of, of its class: its time, else its bytes, over those of the
 *  whole engine, as in fsd_spent_sum.share.  Negative: not known. */
double fsd_cost_share(const struct fsd_diff *d, fsd_id layer);

/** The i-th size of a use of an engine's tensor, an amount; what the engine leaves open
 *  is the model's. */
int64_t fsd_port_size(const struct fsd_graph *engine, const struct fsd_cost *c,
                      const struct fsd_port *port, const struct fsd_form *form,
                      uint32_t i);

/** The engine's tensor for whose sake the bytes of a layer are not known: the first one
 *  whose shape or type is not; FSD_NONE where they are known, or there is none such. */
fsd_id fsd_cost_gap(const struct fsd_diff *d, fsd_id layer);

/** Where a layer stands under the roofline of a device: the least time that its bytes
 *  and its multiply-adds can take. */
struct fsd_roofline {
    bool known;      /**< peaks were given, and bytes and multiply-adds are known */
    bool by_memory;  /**< the bytes take longer than the multiply-adds */
    double ms;       /**< the longer of both at the peaks */
    double reached;  /**< ms over the measured time; negative: not measured */
    double per_byte; /**< multiply-adds a byte; negative where nothing is moved */
};

/** An operation of the peak is half a multiply-add, as vendors count. */
struct fsd_roofline fsd_cost_roofline(const struct fsd_diff *d, fsd_id layer);

/* What lies in memory, and when.  A tensor lives from the layer that writes it first to
 * the one that reads it last, in the engine's order; what a layer without an operation
 * hands on is the same memory.  Two layers are never taken to share more than that,
 * so that the builder may need less: it overlays, and writes in place. */

struct fsd_life {
    int64_t bytes;      /**< negative: not known */
    fsd_id first, last; /**< layers */
    bool border;        /**< of the network: its caller's memory */
    bool there;         /**< false: a weight, or the same memory as another one */
};

struct fsd_lives {
    struct fsd_life *of; /**< by tensor of the engine */
    int64_t *alive;      /**< by layer: bytes inside the engine while it runs;
                              negative: not known */
    int64_t peak, sum;   /**< of what is inside and known: most at once, and all */
    int64_t inputs,
        outputs;      /**< of the network; negative: none is seen, or not known */
    int64_t weights;  /**< and biases */
    fsd_id at;        /**< where the peak is; FSD_NONE: no layer */
    uint32_t unknown; /**< tensors inside whose size is not known */
    uint32_t unknown_weights; /**< layers whose weights are not known */
};

struct fsd_lives fsd_cost_lives(struct fsd_arena *arena, const struct fsd_diff *d);

/* ---------------------------------------------------------------- inside src/cost */

/** The bytes of a use of a tensor. */
int64_t fsd_port_bytes(const struct fsd_graph *engine, const struct fsd_cost *c,
                       const struct fsd_port *port);

/** The i-th size of a form of the engine that is the shape, or another form of it:
 *  where it is flattened or unflattened, the one open size is what its elements
 *  leave. */
int64_t fsd_cost_open_size(const struct fsd_graph *engine, const struct fsd_cost *c,
                           const struct fsd_form *form, uint32_t i,
                           const struct fsd_shape *shape);

/* What fsd_cost_new() is made of, in this order; each adds to `c`. */
void fsd_cost_like(const struct fsd_match *m, const struct fsd_layer_result *layers,
                   struct fsd_cost *c);
void fsd_cost_traffic(const struct fsd_match *m, const struct fsd_layer_result *layers,
                      struct fsd_cost *c);
void fsd_cost_macs(const struct fsd_match *m, const struct fsd_layer_result *layers,
                   const struct fsd_node_result *nodes, struct fsd_cost *c);
void fsd_cost_sums(const struct fsd_match *m, const struct fsd_measured *times,
                   const struct fsd_layer_result *layers, const struct fsd_flows *flows,
                   const struct fsd_reason *reasons,
                   const struct fsd_node_result *nodes, struct fsd_cost *c);
void fsd_cost_spent(const struct fsd_match *m, const struct fsd_measured *times,
                    const struct fsd_layer_result *layers,
                    const struct fsd_flows *flows, const struct fsd_reason *reasons,
                    struct fsd_cost *c);

#endif
