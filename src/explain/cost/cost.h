/*
 * The costs of layers: bytes and multiply-adds, which are counted from shapes, and
 * times, which are divided among nodes.  Also the sums over nodes, kinds, causes and
 * name scopes.
 *
 * A profile has one time for each layer.  This time is divided among all nodes of the
 * layer in proportion to their work.  The work of a node is its number of multiply-adds
 * or, if it has none, the number of elements that it writes.  If the work of one of the
 * nodes is unknown, the nodes with multiply-adds share the time equally.  If no node
 * has multiply-adds, all nodes share the time equally.  The shares add up to the time
 * of the layer.
 */
#pragma once

#include "explain/diff/diff.h"
#include "model/ops/sizes.h"

struct fsd_node_cost {
    int64_t macs;     /**< number of multiply-adds; -1 if unknown. An amount
                           (model/ops/amount.h): it may depend on dynamic sizes */
    int64_t work;     /**< an amount (amount.h), too: `macs` or, if `macs` is 0, the
                           number of elements that the node writes; -1 if unknown */
    double ms;        /**< the node's share of the times of its layers, in milliseconds;
                           negative if unknown */
    double moved_ms;  /**< the node's share of the times of layers that only move
                           data, in milliseconds; `ms` includes this share */
    uint32_t workers; /**< number of layers that do the node's multiply-adds; 0 if these
                           layers are unknown */
    bool shares;      /**< whether one of its layers has other nodes, which get a share
                           of the layer's time */
};

/** The bytes of a layer's inputs, outputs, weights and biases.  Each element counts
 *  once.  The members are amounts (model/ops/amount.h); -1 if unknown. */
struct fsd_traffic {
    int64_t in, out, weights, bias;
};

/** The class of a layer's work.  Each layer has exactly one class, and its time and
 *  bytes count for this class. */
enum fsd_spent {
    FSD_SPENT_COMPUTE,
    FSD_SPENT_REQUANTIZE, /**< reads another kernel's output in higher precision,
                               applies scale, bias, activation or residual addition, and
                               writes the result quantized */
    FSD_SPENT_MOVEMENT,   /**< moves data because the builder or a quantizer needs it */
    FSD_SPENT_REQUESTED,  /**< moves data because the model requests it, such as a
                               Transpose */
    FSD_SPENT_NOTHING,    /**< NoOp, constants, shapes, synchronization, and data
                               movement with a measured time of 0 */
    FSD__SPENT_COUNT
};

struct fsd_layer_cost {
    int64_t bytes, macs;        /**< `bytes`: bytes read and written, without the bias;
                                     `macs`: multiply-adds; both are amounts, -1 if
                                     unknown */
    struct fsd_traffic traffic; /**< the parts of `bytes`, and the bytes of the bias */
    enum fsd_spent spent;
};

/** Where the time of a run goes: sums of the layers' times, in milliseconds. */
struct fsd_time_sums {
    double by_kind[FSD__KIND_COUNT];
    double by_cause[FSD__CAUSE_COUNT]; /**< indexed by cause; FSD_CAUSE_NONE: layers
                                            without a cause */
    double inserted;                   /**< time of inserted layers */
    double nodes;  /**< time of layers with known nodes: the sum of the nodes' shares */
    double opaque; /**< time of opaque layers; the shares of their nodes are unknown */
};

/** The sums over a set of layers, such as the layers of one class. */
struct fsd_spent_sum {
    uint32_t layers;
    uint32_t unknown; /**< number of layers with unknown bytes */
    int64_t bytes;    /**< bytes of the layers with known bytes */
    double ms;        /**< time in milliseconds; negative if not measured */
    double share;     /**< fraction of the total time, from 0 to 1. If times were not
                           measured: fraction of the known bytes of all layers.
                           Negative if unknown */
};

/** The sums over the nodes of one operator. */
struct fsd_op_time {
    fsd_sym op;
    uint32_t nodes; /**< number of its nodes with a share of a layer's time */
    double ms;      /**< sum of these shares, in milliseconds */
};

typedef FSD_VEC(fsd_id) fsd_tensor_vec;

/** The sizes of the model's tensors, and the inputs whose sizes the engine or the log
 *  states. */
struct fsd_known_sizes {
    const struct fsd_sizes *sizes; /**< sizes of the model's tensors */
    fsd_tensor_vec tuned;    /**< inputs of the model whose dynamic sizes are set to the
                                  sizes for which the builder optimized the engine */
    fsd_tensor_vec run_with; /**< inputs of the model whose dynamic sizes are set to the
                                  sizes of the run that the log describes */
};

struct fsd_cost {
    struct fsd_amounts *amounts;   /**< table of polynomials in dynamic sizes.  An
                                        amount below -1 refers to an entry of this
                                        table */
    const struct fsd_sizes *sizes; /**< sizes of the model's tensors */
    fsd_id *like;                  /**< indexed by port of the engine: the model tensor
                                        at the port, or another model tensor with the
                                        same sizes; FSD_NONE if unknown */
    struct fsd_node_cost *nodes;   /**< indexed by node */
    struct fsd_layer_cost *layers; /**< indexed by layer */
    int64_t unattributed;          /**< an amount (amount.h): the sum of the
                                        multiply-adds of nodes whose layers are
                                        unknown */
    struct fsd_time_sums sums;
    struct fsd_spent_sum spent[FSD__SPENT_COUNT]; /**< indexed by class: the layers of
                                                       the class */
    struct fsd_spent_sum all;             /**< all layers together; `share` is below 1
                                               if a part of the time belongs to profile
                                               entries that are not layers */
    fsd_tensor_vec tuned, run_with;       /**< as in struct fsd_known_sizes */
    FSD_VEC(struct fsd_op_time) op_times; /**< longest first; empty without times */
    double peak_gb_s, peak_top_s;         /**< peaks of the device: memory in GB/s, and
                                               compute in 10^12 operations per second; 0
                                               if unknown */
};

/** Finds the sizes of the model's tensors from the model, the engine, the log, the
 *  user, and the shape inference of operators.
 *  @param out set to the result, which is in the arena of the match
 *  @param h the build log; NULL if there is none
 *  @param opt has `shapes` of the user, such as "images=1x3x224x224", which set the
 *         dynamic sizes of the model's inputs
 *  @return FSD_OK; FSD_E_ARG for an unknown input, a different rank, or a size that
 *         contradicts the model */
enum fsd_status fsd_cost_sizes(const struct fsd_known_sizes **out,
                               const struct fsd_match *m, const struct fsd_history *h,
                               const struct fsd_options *opt, struct fsd_error *err);

/** Counts bytes and multiply-adds, divides times among nodes, and computes all sums.
 *  @param opt has the peaks of the device
 *  @return the costs, which are in the arena of the match */
const struct fsd_cost *
fsd_cost_new(const struct fsd_match *m, const struct fsd_known_sizes *known,
             const struct fsd_measured *times, const struct fsd_layer_result *layers,
             const struct fsd_flows *flows, const struct fsd_reason *reasons,
             const struct fsd_node_result *nodes, const struct fsd_options *opt);

/** Whether all operations of a layer are known, and the epilogue of a product kernel
 *  could perform them. */
bool fsd_cost_is_epilogue(const struct fsd_match *m, fsd_id layer);

/** The name in JSON and tables, such as "requested_movement". */
const char *fsd_spent_name(enum fsd_spent value);
/** The name in sentences, such as "data movement that the model requires". */
const char *fsd_spent_words(enum fsd_spent value);

/** The share of a layer: its time divided by the total time.  Without measured times,
 *  its bytes divided by the known bytes of all layers.  Negative if unknown. */
double fsd_cost_share(const struct fsd_diff *d, fsd_id layer);

/** The fraction of a layer's cost that the user saves by following the advice on the
 *  layer: less than 1 if a part of the cost remains. */
double fsd_cost_saved(const struct fsd_diff *d, fsd_id layer);

/** The bytes of the padding that a layer adds or cuts off, as a fraction of the bytes
 *  that the layer reads and writes. */
double fsd_cost_padded(const struct fsd_diff *d, fsd_id layer);

/** The i-th size of the tensor at a port of the engine; -1 if unknown.  The size is an
 *  amount (model/ops/amount.h).  A dynamic size is derived from the model tensor in
 *  `c->like`. */
int64_t fsd_port_size(const struct fsd_graph *engine, const struct fsd_cost *c,
                      const struct fsd_port *port, const struct fsd_form *form,
                      uint32_t i);

/** For a layer with unknown bytes: its first input or output whose bytes are unknown,
 *  because the shape or the type is unknown.  FSD_NONE if there is no such tensor, or
 *  if the layer's bytes are known. */
fsd_id fsd_cost_gap(const struct fsd_diff *d, fsd_id layer);

/** The roofline of a layer: the shortest time that its bytes and its multiply-adds can
 *  take on the device. */
struct fsd_roofline {
    bool known;      /**< whether the peaks, the bytes and the multiply-adds are
                          known */
    bool by_memory;  /**< whether the bytes take longer than the multiply-adds */
    double ms;       /**< the time of the bytes or of the multiply-adds at the peaks of
                          the device, whichever is longer, in milliseconds */
    double reached;  /**< `ms` divided by the measured time; negative if not measured */
    double per_byte; /**< multiply-adds per byte; negative if the layer moves no
                          bytes */
};

/** Computes the roofline of a layer.  A multiply-add counts as two operations, as in
 *  the peaks of vendors' data sheets. */
struct fsd_roofline fsd_cost_roofline(const struct fsd_diff *d, fsd_id layer);

/* The tensors in memory, and their lifetimes.  A tensor lives from the first layer that
 * uses it to the last layer that uses it, in the engine's order.  The output of a NoOp
 * shares the memory of its input.  No other sharing is assumed; the engine may need
 * less memory, because the builder reuses memory and lets kernels write in place. */

struct fsd_life {
    int64_t bytes;      /**< size in memory; negative if unknown */
    fsd_id first, last; /**< the first and the last layer that use the tensor */
    bool border;        /**< whether it is an input or output of the network, whose
                             memory the application owns */
    bool there;         /**< whether it has its own memory; false for a weight, for an
                             unused tensor, and for a tensor that shares the memory of
                             another tensor */
};

struct fsd_lives {
    struct fsd_life *of; /**< indexed by tensor of the engine */
    int64_t *alive;      /**< indexed by layer: bytes of all tensors inside the engine
                              while the layer runs; negative if unknown */
    int64_t peak, sum;   /**< `sum`: bytes of all tensors inside the engine. `peak`:
                              the maximum number of these bytes that are in memory at
                              the same time. Tensors of unknown size do not count */
    int64_t inputs, outputs;  /**< bytes of the network's inputs and outputs; negative
                                   if there are none or a size is unknown */
    int64_t weights;          /**< bytes of weights and biases */
    fsd_id at;                /**< the layer that runs at the peak; FSD_NONE if there is
                                   none */
    uint32_t unknown;         /**< number of tensors inside the engine with an unknown
                                   size */
    uint32_t unknown_weights; /**< number of layers with unknown weights */
};

struct fsd_lives fsd_cost_lives(struct fsd_arena *arena, const struct fsd_diff *d);

/* ------------------------------------------------------- inside src/explain/cost */

/** The bytes of the tensor at a port, with padding; -1 if unknown.  The number is an
 *  amount (model/ops/amount.h). */
int64_t fsd_port_bytes(const struct fsd_graph *engine, const struct fsd_cost *c,
                       const struct fsd_port *port);

/** The i-th size of `form`, derived from `shape`.  `form` belongs to an engine tensor,
 *  and `shape` to a model tensor.  The ranks may differ, because the engine may flatten
 *  or unflatten the tensor; the size then follows from the number of elements. */
int64_t fsd_cost_open_size(const struct fsd_graph *engine, const struct fsd_cost *c,
                           const struct fsd_form *form, uint32_t i,
                           const struct fsd_shape *shape);

/* The steps of fsd_cost_new(), in the order in which they run; each sets members of
 * `c`. */
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
