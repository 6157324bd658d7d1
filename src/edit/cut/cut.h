/*
 * Cuts a part out of a model, as a model of its own.
 *
 *     whole   x -> Conv -> Relu -> MaxPool -> Conv ...
 *     cut            [x'-> MaxPool -> Conv -> y']
 *
 * First, a plan selects the nodes of the main graph to keep: the requested nodes, their
 * neighbors, the quantizers at the edges, and the producers of constants that kept
 * nodes read. Tensors that kept nodes read from other nodes become inputs. Tensors that
 * other nodes read from kept nodes become outputs. Then the plan becomes edits of the
 * file.
 */
#pragma once

#include "edit/run.h"
#include "edit/onnx/declared.h"

/** Why a node is kept. */
enum fsd_kept {
    FSD_KEPT_NOT,
    FSD_KEPT_ASKED,
    FSD_KEPT_CONTEXT,   /**< a neighbor of a requested node */
    FSD_KEPT_QUANTIZER, /**< a quantizer at an edge of the part */
    FSD_KEPT_CONSTANT,  /**< the producer of a constant that a kept node reads */
    FSD__KEPT_COUNT
};

struct fsd_cut_plan {
    struct fsd_arena *arena;
    const struct fsd_diff *d;
    const struct fsd_cut_options *opt;
    fsd_id *main_of; /**< indexed by node: the node itself if it is in the main graph,
                          else the node of the main graph that contains it */
    uint8_t *kept;   /**< indexed by node: enum fsd_kept; set only for nodes of the main
                          graph */
    uint32_t count[FSD__KEPT_COUNT];
    fsd_id_vec order;        /**< the kept nodes, in the order in which they were added
                              */
    struct fsd_lists within; /**< indexed by node of the main graph: the node and all
                                  nodes in its bodies */
    fsd_id_vec layers;       /**< requested layers */
    fsd_id_vec inputs, outputs; /**< tensors, in the order of nodes */
    fsd_id_vec sizes;           /**< tensors that become initializers, such as the new
                                     shape of a Reshape: their integers are known
                                     before any kernel runs */
    bool *weight;               /**< indexed by tensor: the tensor is an initializer
                                     that kept nodes need */
    uint32_t n_weights;
    uint64_t weight_bytes;
};

static inline const struct fsd_graph *fsd_cut_model(const struct fsd_cut_plan *plan)
{
    return plan->d->model;
}

/** Checks the options.
 *  @return FSD_OK; FSD_E_ARG for a list that is NULL or contains a NULL text */
enum fsd_status fsd_expect_cut(const struct fsd_cut_options *cut,
                               struct fsd_error *err);

/** Decides which nodes are kept. Sets `kept`, `count`, `order`, `layers` and `main_of`
 *  of the plan. cut_pick.c
 *  @return FSD_E_ARG if a word names nothing, a layer computes no node, there is no
 *          path between the tensors, or a body of control flow would be divided */
enum fsd_status fsd_cut_pick(struct fsd_cut_plan *plan, struct fsd_error *err);

/** Makes the whole plan, in `arena`. `d` and `opt` must outlive the plan.
 *  @return like fsd_cut_pick(); also FSD_E_FORMAT if the model has a cycle, a node
 *          precedes a producer of its inputs, or a tensor has no producer, two
 *          producers or an unknown type */
enum fsd_status fsd_cut_new(struct fsd_cut_plan **out, struct fsd_arena *arena,
                            const struct fsd_diff *d, const struct fsd_cut_options *opt,
                            struct fsd_error *err);

/** Whether the rank of the output is unknown. If so, the cut has a Flatten that makes
 *  the output a single row, because onnx.checker refuses outputs without a shape. */
bool fsd_cut_is_flat(const struct fsd_cut_plan *plan, fsd_id output);

/** The edits that leave only the cut in the file. */
struct fsd_onnx_edits *fsd_cut_edits(const struct fsd_cut_plan *plan);

/** Prints the contents of the cut, and the commands that build the cut alone.
 *  @param path where the model of the cut is written; NULL: nowhere yet
 *  @param alone the run that compares the whole model with the engine that was built
 *          from the cut alone; NULL: there is no such engine */
void fsd_cut_print(const struct fsd_cut_plan *plan, const char *path,
                   const struct fsd_diff *alone, FILE *out);

/** The command-line program of the engine's builder. commands.c */
const char *fsd_cut_builder(const struct fsd_diff *d);

/** Prints the commands that build the part alone from the model at `path`.
 *  commands.c */
void fsd_cut_put_commands(const struct fsd_cut_plan *plan, const char *path, FILE *out);

/** Writes an array for each input, as numpy's savez() does. npz.c
 *  @param given values of the inputs, by name. NULL: random numbers from -1 to 1 or,
 *          for integer types, 0 or 1. These numbers are the same in each call, and each
 *          dynamic size is 1
 *  @return FSD_E_WRITE if writing fails. Before anything is written: the errors of
 *          fsd_cut_find_given(); FSD_E_FORMAT for damaged values; FSD_E_UNSUPPORTED for
 *          a type that numpy does not have, or for inputs of more than 2 GiB */
enum fsd_status fsd_cut_write_inputs(const struct fsd_cut_plan *plan,
                                     const struct fsd_array_set *given, FILE *out,
                                     struct fsd_error *err);

/** Finds the user's values for an input. given.c
 *  @return FSD_E_MISMATCH if there are no values of that name, or if the values have
 *          another type or other sizes; FSD_E_UNSUPPORTED if the values cannot be
 *          read */
enum fsd_status fsd_cut_find_given(const struct fsd_cut_plan *plan, fsd_id tensor,
                                   const struct fsd_array_set *given,
                                   const struct fsd_array **out, struct fsd_error *err);
