/*
 * The costs of layers: bytes and multiply-adds, counted from shapes; their times,
 * shared among nodes; and all sums over nodes, kinds, causes and name scopes.
 *
 * A layer's time is measured once and belongs to all its nodes.  It is divided among
 * them in proportion to their work (multiply-adds, or elements written if an operator
 * has none).  If the work of one of them is unknown, the nodes with multiply-adds share
 * the time equally; if there are none, all nodes do.  The shares of a layer add up to
 * its time.
 */
#pragma once

#include "explain/diff/diff.h"
#include "model/ops/sizes.h"

struct fsd_node_cost {
    int64_t macs;     /**< multiply-adds, an amount (model/ops/amount.h); negative:
                           unknown */
    int64_t work;     /**< `macs` or, if the node has none, the elements that it writes;
                           an amount; negative: unknown */
    double ms;        /**< its share of the times of its layers, in milliseconds;
                           negative: unknown */
    double moved_ms;  /**< the part of `ms` in layers that only move data; 0: none */
    uint32_t workers; /**< number of layers that do its multiply-adds; 0: it is unknown
                           which layers do */
    bool shares;      /**< other nodes share the time of the same layer */
};

/** The bytes of a layer's tensors, weights and biases, if the layer moves each element
 *  once: amounts (model/ops/amount.h), negative if unknown. */
struct fsd_traffic {
    int64_t in, out, weights, bias;
};

/** The class of work on which a layer spends its time and its bytes.  A layer has
 *  exactly one class. */
enum fsd_spent {
    FSD_SPENT_COMPUTE,
    FSD_SPENT_REQUANTIZE, /**< applies scale, bias, activation or residual addition to
                               another kernel's output of higher precision, and writes
                               it quantized */
    FSD_SPENT_MOVEMENT,   /**< moves data because the builder or a quantizer needs it */
    FSD_SPENT_REQUESTED,  /**< moves data because the model requests it, such as a
                               Transpose */
    FSD_SPENT_NOTHING,    /**< NoOp, constants, shapes, synchronization, or measured to
                               take no time */
    FSD__SPENT_COUNT
};

struct fsd_layer_cost {
    int64_t bytes, macs;        /**< bytes read and written, without the bias, and
                                     multiply-adds; amounts, negative if unknown */
    struct fsd_traffic traffic; /**< the parts of `bytes` */
    enum fsd_spent spent;
};

/** Where the time of a run goes: sums of the layers' times, in milliseconds. */
struct fsd_time_sums {
    double by_kind[FSD__KIND_COUNT];
    double by_cause[FSD__CAUSE_COUNT]; /**< FSD_CAUSE_NONE: time of all layers without a
                                            cause */
    double inserted;                   /**< time of inserted layers */
    double nodes;  /**< time of layers that compute nodes: the sum of the nodes'
                        shares */
    double opaque; /**< time of opaque layers, whose nodes have unknown shares of it */
};

/** The layers of one class together. */
struct fsd_spent_sum {
    uint32_t layers;
    uint32_t unknown; /**< number of layers with unknown bytes */
    int64_t bytes;    /**< bytes of the other layers */
    double ms;        /**< milliseconds; negative: not measured */
    double share;     /**< fraction from 0 to 1 of the time of all classes if times were
                       measured, else of all known bytes; negative: unknown, or the
                       bytes of most layers are unknown */
};

/** The nodes of one operator together. */
struct fsd_op_time {
    fsd_sym op;
    uint32_t nodes; /**< number of its nodes that layers compute */
    double ms;      /**< their shares of their layers' times, in milliseconds */
};

typedef FSD_VEC(fsd_id) fsd_tensor_vec;

/** The sizes of the model's tensors, and which inputs got their sizes from the engine
 *  or the log. */
struct fsd_known_sizes {
    const struct fsd_sizes *sizes; /**< sizes of the model's tensors */
    fsd_tensor_vec tuned;    /**< the model's inputs whose dynamic sizes are those for
                                  which the builder optimized the engine */
    fsd_tensor_vec run_with; /**< the model's inputs whose dynamic sizes are those of a
                                  run of the engine in the log */
};

struct fsd_cost {
    struct fsd_amounts *amounts;   /**< bytes and other amounts as terms of dynamic
                                        sizes */
    const struct fsd_sizes *sizes; /**< sizes of the model's tensors */
    fsd_id *like;                  /**< indexed by port of the engine: the model tensor
                                        at the port, or one with the same sizes;
                                        FSD_NONE: unknown */
    struct fsd_node_cost *nodes;   /**< indexed by node */
    struct fsd_layer_cost *layers; /**< indexed by layer */
    int64_t unattributed;          /**< multiply-adds of nodes whose kernels are
                                        unknown; an amount */
    struct fsd_time_sums sums;
    struct fsd_spent_sum spent[FSD__SPENT_COUNT]; /**< all layers together; its share is
                                                       below 1 if profile entries that
                                                       are not layers took time */
    struct fsd_spent_sum all;             /**< all layers together; the rest of the time
                                         belongs to profile entries that are not
                                         layers */
    fsd_tensor_vec tuned, run_with;       /**< as in struct fsd_known_sizes */
    FSD_VEC(struct fsd_op_time) op_times; /**< the longest first; empty without times */
    double peak_gb_s, peak_top_s;         /**< peak of the device in GB/s, and in 10^12
                                               operations per second; 0: unknown */
};

/** Finds the shapes of the model's tensors from the model, the engine, the log, the
 *  user, and the operators' shape inference.
 *  @param out set to the result, which lives in the arena of the match
 *  @param h the build log; NULL if there is none
 *  @param opt its `shapes` ("images=1x3x224x224") are bound to the names of the
 *         dimensions of the model's inputs
 *  @return FSD_OK; FSD_E_ARG for an unknown input, a different rank, or a size that
 *         contradicts the model */
enum fsd_status fsd_cost_sizes(const struct fsd_known_sizes **out,
                               const struct fsd_match *m, const struct fsd_history *h,
                               const struct fsd_options *opt, struct fsd_error *err);

/** Counts bytes and multiply-adds, the times of nodes and their sums.
 *  @param opt has the peaks of the device
 *  @return the costs, which live in the arena of the match */
const struct fsd_cost *
fsd_cost_new(const struct fsd_match *m, const struct fsd_known_sizes *known,
             const struct fsd_measured *times, const struct fsd_layer_result *layers,
             const struct fsd_flows *flows, const struct fsd_reason *reasons,
             const struct fsd_node_result *nodes, const struct fsd_options *opt);

/** Whether all operations of a layer are known and could be the epilogue of a product
 *  kernel. */
bool fsd_cost_is_epilogue(const struct fsd_match *m, fsd_id layer);

/** The name in JSON and tables, such as "requested_movement". */
const char *fsd_spent_name(enum fsd_spent value);
/** The name in sentences, such as "data movement that the model requires". */
const char *fsd_spent_words(enum fsd_spent value);

/** A layer's share of the whole engine, as in fsd_spent_sum.share: of its time, or else
 *  of its bytes.  Negative: unknown. */
double fsd_cost_share(const struct fsd_diff *d, fsd_id layer);

/** The fraction of a layer's cost that following its advice saves: less than 1 if a
 *  part of the cost remains. */
double fsd_cost_saved(const struct fsd_diff *d, fsd_id layer);

/** The padding that a layer adds or cuts off, as a fraction of the bytes that it
 *  moves. */
double fsd_cost_padded(const struct fsd_diff *d, fsd_id layer);

/** The i-th size of an engine tensor at a port, an amount; the model's size if the
 *  engine's is dynamic. */
int64_t fsd_port_size(const struct fsd_graph *engine, const struct fsd_cost *c,
                      const struct fsd_port *port, const struct fsd_form *form,
                      uint32_t i);

/** The first tensor of a layer whose unknown shape or type makes the layer's bytes
 *  unknown; FSD_NONE if they are known, or if no tensor is the reason. */
fsd_id fsd_cost_gap(const struct fsd_diff *d, fsd_id layer);

/** A layer's roofline: the least time that its bytes and its multiply-adds can take on
 *  the device. */
struct fsd_roofline {
    bool known;      /**< peaks were given, and bytes and multiply-adds are known */
    bool by_memory;  /**< the bytes take longer than the multiply-adds */
    double ms;       /**< the longer of both times at the peaks, in milliseconds */
    double reached;  /**< `ms` divided by the measured time; negative: not measured */
    double per_byte; /**< multiply-adds per byte; negative if no bytes are moved */
};

/** The roofline of a layer.  The peak in operations counts a multiply-add as two
 *  operations, as vendors do. */
struct fsd_roofline fsd_cost_roofline(const struct fsd_diff *d, fsd_id layer);

/* The tensors in memory, and their lifetimes.  A tensor lives from the layer that first
 * writes it to the layer that last reads it, in the engine's order; a layer without an
 * operation forwards its input's memory.  No other sharing is assumed; the builder may
 * need less memory, because it reuses memory and writes in place. */

struct fsd_life {
    int64_t bytes;      /**< negative: unknown */
    fsd_id first, last; /**< the first and the last layer that use it */
    bool border;        /**< an input or output of the network: the application owns its
                             memory */
    bool there;         /**< false: a weight, or it shares the memory of another
                             tensor */
};

struct fsd_lives {
    struct fsd_life *of; /**< indexed by tensor of the engine */
    int64_t *alive;      /**< indexed by layer: bytes inside the engine while the layer
                              runs; negative: unknown */
    int64_t peak, sum;   /**< bytes of the known tensors inside the engine: the highest
                              sum at a time, and the sum of all */
    int64_t inputs, outputs;  /**< bytes of the network's inputs and outputs; negative:
                                   there are none, or they are unknown */
    int64_t weights;          /**< bytes of weights and biases */
    fsd_id at;                /**< the layer at the peak; FSD_NONE: there is none */
    uint32_t unknown;         /**< number of tensors inside the engine with an unknown
                                   size */
    uint32_t unknown_weights; /**< number of layers with unknown weights */
};

struct fsd_lives fsd_cost_lives(struct fsd_arena *arena, const struct fsd_diff *d);

/* ------------------------------------------------------- inside src/explain/cost */

/** The bytes of a tensor at a port, an amount; negative if unknown. */
int64_t fsd_port_bytes(const struct fsd_graph *engine, const struct fsd_cost *c,
                       const struct fsd_port *port);

/** The i-th size of a form of an engine tensor, derived from `shape`, the shape of its
 *  model tensor.  If the ranks differ, because the engine flattens or unflattens the
 *  tensor, the only dynamic size follows from the number of elements. */
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
