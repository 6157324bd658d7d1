/*
 * A part of a model as a model of its own.
 *
 *     whole   x -> Conv -> Relu -> MaxPool -> Conv ...
 *     cut            [x'-> MaxPool -> Conv -> y']
 *
 * First a plan states which nodes of the main graph are kept: those that were asked
 * for, those around them, the quantizers at their edges, and the constants that they
 * read.  Tensors that these nodes read of others become inputs, and those that others
 * read of them outputs.  Then the plan becomes edits of the file.
 */
#ifndef FSD_OUT_CUT_H
#define FSD_OUT_CUT_H

#include "edit/run.h"
#include "edit/onnx/declared.h"

/** Why a node is kept: exactly one. */
enum fsd_kept {
    FSD_KEPT_NOT,
    FSD_KEPT_ASKED,
    FSD_KEPT_CONTEXT,   /**< next to what was asked for */
    FSD_KEPT_QUANTIZER, /**< at its edge */
    FSD_KEPT_CONSTANT,  /**< makes a constant that a kept node reads */
    FSD__KEPT_COUNT
};

struct fsd_cut_plan {
    struct fsd_arena *arena;
    const struct fsd_diff *d;
    const struct fsd_cut_options *opt;
    fsd_id *main_of; /**< by node: the node of the main graph that it is, or is in */
    uint8_t *kept;   /**< by node: enum fsd_kept; of nodes of the main graph */
    uint32_t count[FSD__KEPT_COUNT];
    fsd_id_vec layers;          /**< that were asked for */
    fsd_id_vec inputs, outputs; /**< tensors, in the order of nodes */
    fsd_id_vec sizes;           /**< tensors whose known numbers become initializers */
    bool *weight;               /**< by tensor: an initializer that is needed */
    uint32_t n_weights;
    uint64_t weight_bytes;
};

/** @return FSD_OK; FSD_E_ARG for a list that is NULL, or has a NULL among its texts. */
enum fsd_status fsd_expect_cut(const struct fsd_cut_options *cut,
                               struct fsd_error *err);

/** Decides which nodes are kept: kept, count, layers, main_of.  cut_pick.c
 *  @return FSD_E_ARG for words that name nothing, layers that compute nothing, no path
 *          between tensors, and where a body of control flow would be cut through. */
enum fsd_status fsd_cut_pick(struct fsd_cut_plan *plan, struct fsd_error *err);

/** All of the plan; what it holds lives in `arena`, and `d` and `opt` outlive it.
 *  @return as fsd_cut_pick(), and FSD_E_FORMAT where the model has a cycle, where nodes
 *          stand before what they read, where nothing makes a tensor, two nodes make
 *          one of the same name, or its type is not known. */
enum fsd_status fsd_cut_new(struct fsd_cut_plan **out, struct fsd_arena *arena,
                            const struct fsd_diff *d, const struct fsd_cut_options *opt,
                            struct fsd_error *err);

/** True for an output that the part writes as a row, by a Flatten, since its rank is
 *  unknown: onnx.checker refuses outputs without a shape. */
bool fsd_cut_is_flat(const struct fsd_cut_plan *plan, fsd_id output);

/** The edits that leave nothing else of the file. */
struct fsd_onnx_edits *fsd_cut_edits(const struct fsd_cut_plan *plan);

/** Prints what is cut, and the commands that build it alone.
 *  @param path   where the model is written to; NULL: nowhere yet.
 *  @param alone  the run of the model with an engine that was built of the cut alone;
 *                NULL: there is none. */
void fsd_cut_print(const struct fsd_cut_plan *plan, const char *path,
                   const struct fsd_diff *alone, FILE *out);

/** The program of the builder that the engine is of.  commands.c */
const char *fsd_cut_builder(const struct fsd_diff *d);

/** Prints the commands that build it alone where it is written to.  commands.c */
void fsd_cut_put_commands(const struct fsd_cut_plan *plan, const char *path, FILE *out);

/** Writes an array for each input, as numpy's savez() does.
 *  @param given  its values, by name; NULL: random ones, the same each time: numbers
 *                from -1 to 1, of whole types 0 or 1; open sizes are 1.
 *  @return before anything is written as fsd_cut_find_given(), FSD_E_FORMAT for values
 *          that are damaged, FSD_E_UNSUPPORTED for a type that numpy has not, or more
 *          than 2 GiB; FSD_E_WRITE.  npz.c */
enum fsd_status fsd_cut_write_inputs(const struct fsd_cut_plan *plan,
                                     const struct fsd_array_set *given, FILE *out,
                                     struct fsd_error *err);

/** The values that are given for an input.  given.c
 *  @return FSD_E_MISMATCH where there are none of its name, or of another type or other
 *          sizes; FSD_E_UNSUPPORTED where they cannot be read. */
enum fsd_status fsd_cut_find_given(const struct fsd_cut_plan *plan, fsd_id tensor,
                                   const struct fsd_array_set *given,
                                   const struct fsd_array **out, struct fsd_error *err);

#endif
