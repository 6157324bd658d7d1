/*
 * What layers cost: bytes and multiply-adds, counted from shapes; their times, shared
 * among nodes; and all sums over nodes, kinds, causes and name scopes.
 *
 * A layer's time is measured once and belongs to all its nodes.  Among them it is
 * shared in proportion to their work (multiply-adds, or elements written if an operator
 * has none).  If the work of one of them is unknown, the nodes with multiply-adds share
 * it equally, or all nodes if none has any.  The shares of a layer add up to its time.
 */
#ifndef FSD_COST_COST_H
#define FSD_COST_COST_H

#include "explain/diff/diff.h"
#include "model/ops/sizes.h"

struct fsd_node_cost {
    int64_t macs;     /**< multiply-adds, an amount; negative: unknown */
    int64_t work;     /**< these, or elements written where it has none; likewise */
    double ms;        /**< its part of its layers' times; negative: unknown */
    double moved_ms;  /**< the part of it in layers that only move data; 0: nothing */
    uint32_t workers; /**< layers that do its multiply-adds; 0: unknown which */
    bool shares;      /**< other nodes have a part of the same layer's time */
};

/** Bytes that a layer reads and writes once: amounts (model/ops/amount.h), negative if
 *  unknown. */
struct fsd_traffic {
    int64_t in, out, weights, bias;
};

/** The class of work on which a layer spends its time and its bytes, exactly one. */
enum fsd_spent {
    FSD_SPENT_COMPUTE,
    FSD_SPENT_REQUANTIZE, /**< applies scale, bias, activation or residual addition to
                               another kernel's output of higher precision, and writes
                               it quantized */
    FSD_SPENT_MOVEMENT,   /**< moves data for the builder's or a quantizer's sake */
    FSD_SPENT_REQUESTED,  /**< moves data because the model asks for it: a Transpose */
    FSD_SPENT_NOTHING, /**< NoOp, constants, shapes, synchronization, measured to take
                            no time */
    FSD__SPENT_COUNT
};

struct fsd_layer_cost {
    int64_t bytes, macs;        /**< read and written, without the bias; multiply-adds;
                                     amounts: negative if unknown */
    struct fsd_traffic traffic; /**< what `bytes` is made of */
    enum fsd_spent spent;
};

/** Where the time of a run goes: sums of the layers' times, in milliseconds. */
struct fsd_time_sums {
    double by_kind[FSD__KIND_COUNT];
    double by_cause[FSD__CAUSE_COUNT]; /**< FSD_CAUSE_NONE: all layers without a
                                            cause */
    double inserted;                   /**< of inserted layers */
    double nodes;  /**< of layers that compute nodes: the sum of the nodes' shares */
    double opaque; /**< of opaque layers, whose nodes have unknown shares of it */
};

/** The layers of one class together. */
struct fsd_spent_sum {
    uint32_t layers;
    uint32_t unknown; /**< those with unknown bytes */
    int64_t bytes;    /**< of the others */
    double ms;        /**< negative: not measured */
    double share; /**< from 0 to 1, of all classes' time if measured, else of all known
                       bytes: one denominator for all; negative: there is none, or the
                       bytes of most layers are unknown */
};

/** The nodes of one operator together. */
struct fsd_op_time {
    fsd_sym op;
    uint32_t nodes; /**< that layers compute */
    double ms;      /**< their parts of their layers' times */
};

typedef FSD_VEC(fsd_id) fsd_tensor_vec;

/** The sizes of the model's tensors, and which engine tensors share them. */
struct fsd_known_sizes {
    const struct fsd_sizes *sizes; /**< of the model's tensors */
    fsd_tensor_vec tuned;    /**< the model's inputs whose open sizes are those that the
                                  builder optimized the engine for, */
    fsd_tensor_vec run_with; /**< and those that it was run with, according to the
                                  log */
};

struct fsd_cost {
    struct fsd_amounts *amounts;   /**< bytes and other amounts as terms of open
                                        sizes */
    const struct fsd_sizes *sizes; /**< of the model's tensors */
    fsd_id *like;                /**< by port of the engine: the model's tensor that it
                                      is, or whose sizes it has; FSD_NONE */
    struct fsd_node_cost *nodes; /**< by node */
    struct fsd_layer_cost *layers; /**< by layer */
    int64_t unattributed;          /**< multiply-adds of nodes that kernels compute, but
                                        it is unknown which kernels; an amount */
    struct fsd_time_sums sums;
    struct fsd_spent_sum spent[FSD__SPENT_COUNT]; /**< by enum fsd_spent */
    struct fsd_spent_sum all; /**< of all layers; profile entries that are no layer have
                                   the rest of its share */
    fsd_tensor_vec tuned, run_with;       /**< struct fsd_known_sizes */
    FSD_VEC(struct fsd_op_time) op_times; /**< the longest first; none without times */
    double peak_gb_s, peak_top_s;         /**< of the device; 0: unknown */
};

/** Finds the shapes of the model's tensors from the model, the engine, the log, the
 *  user and the operators' shape inference.
 *  @param out set to the result, which lives in the match's arena.
 *  @param h    the build log; NULL when there is none.
 *  @param opt  its `shapes` ("images=1x3x224x224") are bound to the names that the
 *              model's inputs have for their sizes.
 *  @return FSD_OK; FSD_E_ARG for an unknown input, another rank, or a size that
 *          contradicts the model. */
enum fsd_status fsd_cost_sizes(const struct fsd_known_sizes **out,
                               const struct fsd_match *m, const struct fsd_history *h,
                               const struct fsd_options *opt, struct fsd_error *err);

/** Counts bytes and multiply-adds, the times of nodes and their sums.
 *  @param opt has the peaks of the device.
 *  @return the costs; they live in the match's arena. */
const struct fsd_cost *
fsd_cost_new(const struct fsd_match *m, const struct fsd_known_sizes *known,
             const struct fsd_measured *times, const struct fsd_layer_result *layers,
             const struct fsd_flows *flows, const struct fsd_reason *reasons,
             const struct fsd_node_result *nodes, const struct fsd_options *opt);

/** True when all operations of a layer are known, and could be the epilogue of a
 *  product's kernel. */
bool fsd_cost_is_epilogue(const struct fsd_match *m, fsd_id layer);

/** "requested_movement" */
const char *fsd_spent_name(enum fsd_spent value);
/** "data movement as the model asks" */
const char *fsd_spent_words(enum fsd_spent value);

/** A layer's share of the whole engine, as in fsd_spent_sum.share: of its time, else of
 *  its bytes.  Negative: unknown. */
double fsd_cost_share(const struct fsd_diff *d, fsd_id layer);

/** What following the layer's advice saves, as a part of what the layer costs: less
 *  than 1 where a part of it stays. */
double fsd_cost_saved(const struct fsd_diff *d, fsd_id layer);

/** The padding that a layer adds or cuts off, as a part of the bytes that it moves. */
double fsd_cost_padded(const struct fsd_diff *d, fsd_id layer);

/** The i-th size of a use of an engine's tensor, an amount; the model's where the
 *  engine leaves it open. */
int64_t fsd_port_size(const struct fsd_graph *engine, const struct fsd_cost *c,
                      const struct fsd_port *port, const struct fsd_form *form,
                      uint32_t i);

/** The first tensor of a layer whose shape or type is unknown, so that the layer's
 *  bytes are; FSD_NONE if they are known, or no tensor is the reason. */
fsd_id fsd_cost_gap(const struct fsd_diff *d, fsd_id layer);

/** A layer's roofline: the least time that its bytes and its multiply-adds can take on
 *  the device. */
struct fsd_roofline {
    bool known;      /**< peaks were given, and bytes and multiply-adds are known */
    bool by_memory;  /**< the bytes take longer than the multiply-adds */
    double ms;       /**< the longer of both at the peaks */
    double reached;  /**< ms over the measured time; negative: not measured */
    double per_byte; /**< multiply-adds per byte; negative if no bytes are moved */
};

/** The peak in operations counts a multiply-add as two, as vendors do. */
struct fsd_roofline fsd_cost_roofline(const struct fsd_diff *d, fsd_id layer);

/* The tensors in memory, and when.  A tensor lives from the layer that writes it first
 * to the one that reads it last, in the engine's order; a layer without an operation
 * forwards its input's memory.  No other sharing is assumed, so that the builder may
 * need less: it reuses memory, and writes in place. */

struct fsd_life {
    int64_t bytes;      /**< negative: not known */
    fsd_id first, last; /**< layers */
    bool border;        /**< of the network: memory of the application */
    bool there;         /**< false: a weight, or the same memory as another one */
};

struct fsd_lives {
    struct fsd_life *of; /**< by tensor of the engine */
    int64_t *alive;      /**< by layer: bytes inside the engine while it runs; negative:
                              unknown */
    int64_t peak, sum;   /**< of the known tensors inside: the highest sum at a time,
                              and the sum of all */
    int64_t inputs, outputs;  /**< of the network; negative: there are none, or they are
                           unknown */
    int64_t weights;          /**< and biases */
    fsd_id at;                /**< the layer at the peak; FSD_NONE: none */
    uint32_t unknown;         /**< tensors inside with an unknown size */
    uint32_t unknown_weights; /**< layers with unknown weights */
};

struct fsd_lives fsd_cost_lives(struct fsd_arena *arena, const struct fsd_diff *d);

/* ------------------------------------------------------- inside src/explain/cost */

/** The bytes of a use of a tensor. */
int64_t fsd_port_bytes(const struct fsd_graph *engine, const struct fsd_cost *c,
                       const struct fsd_port *port);

/** The i-th size of an engine's form whose model tensor has `shape`, in the same or
 *  another rank: if it is flattened or unflattened, the one open size follows from the
 *  number of elements. */
int64_t fsd_cost_open_size(const struct fsd_graph *engine, const struct fsd_cost *c,
                           const struct fsd_form *form, uint32_t i,
                           const struct fsd_shape *shape);

/* The steps of fsd_cost_new(), in order; each adds to `c`. */
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
