/*
 * This file declares what lint knows from the model alone: the model's quantization,
 * and the nodes that a builder refuses. These facts are collected once, and the rules
 * in findings/lint_*.c read them.
 *
 *     x --Q--> --DQ--> MaxPool --> Conv     the pool's output "holds" the DQ, because a
 *                                           quantizer may be moved over the pool
 *
 * A quantizer is a Q or DQ node with the values of its scales. Scales in a missing file
 * and scales that are computed at run time are unknown. An unknown scale equals no
 * other scale.
 */
#pragma once

#include "match/facts.h"
#include "model/graph/dtype.h"
#include "model/ops/sizes.h"

/* ------------------------------------------------------------------------ builders */

/** Families of builders, as bits of a mask. Each family has rules of its own. */
enum fsd_family {
    FSD_TRT8 = 1 << 0,  /**< weakly typed; the builder measures kernels and chooses the
                             fastest */
    FSD_TRT10 = 1 << 1, /**< weakly or strongly typed, with compiled regions */
    FSD_TRT11 = 1 << 2, /**< strongly typed only */
    FSD_RTX = 1 << 3,   /**< TensorRT for RTX: strongly typed, compiles all kernels,
                             has no plugins */
    FSD_STRONG = FSD_TRT11 | FSD_RTX,
    FSD_ANY_BUILDER = (1 << 4) - 1
};

/** The builder whose rules apply to the model. */
struct fsd_target {
    enum fsd_family family;
    unsigned version; /**< 107 means 1.7; used for RTX only; 0: any */
    unsigned sm;      /**< compute capability, such as 89; 0: unknown */
    const char *name; /**< "rtx-1.7:sm89" */
};

/** Parses "trt8", "trt10", "trt11" or "rtx", optionally followed by "-1.7" and ":sm89".
 *  @param word  NULL: rtx-1.7:sm89, the default.
 *  @return false if the word names no target. */
bool fsd_target_read(struct fsd_target *out, const char *word, struct fsd_arena *arena);

/** The format of the message for a word that names no target. */
#define FSD_TARGET_EXPECTED                                                            \
    "expected trt8, trt10, trt11 or rtx, with a version and a compute capability as "  \
    "rtx-1.7:sm89, found '%s'"

/** The word for a builder: "trt10" for "TensorRT 10.13.0"; NULL if unknown.
 *  @param version the builder's name and version, as a log or dump states them */
const char *fsd_target_named(const char *version);

/** The word for the builder that made the engine; NULL if unknown. */
const char *fsd_target_of(const struct fsd_graph *engine);

/** The words for all builders in `mask`: "trt8, trt10". */
const char *fsd_families_text(struct fsd_arena *arena, unsigned mask);

/* ---------------------------------------------------------------------- quantizers */

enum fsd_zero { FSD_ZERO_NONE, FSD_ZERO_OTHER, FSD_ZERO_UNKNOWN };

/** A QuantizeLinear or DequantizeLinear. */
struct fsd_quantizer {
    fsd_id node;
    bool quantizes;       /**< false for a DQ */
    enum fsd_dtype type;  /**< type of the quantized tensor; unknown if nothing shows
                               it */
    fsd_id data;          /**< the tensor that the quantizer reads */
    fsd_id scale;         /**< the tensor with its scales */
    uint32_t n;           /**< number of scales; 0: unknown */
    const double *scales; /**< the scales; NULL: unknown */
    int64_t axis;         /**< if there are several scales: the axis along which they
                               differ, counted from the first axis; -1: unknown */
    int64_t block;        /**< number of adjacent elements along the axis that share a
                               scale; 0: the scales are not for blocks */
    enum fsd_zero zero;   /**< FSD_ZERO_OTHER: a zero point is not 0 */
    int zero_point;       /**< a single 8-bit zero point; 0: unknown */
};

/** A Q that reads a tensor, directly or behind other operators. The builder may move
 *  the Q over these operators. */
struct fsd_reach {
    uint32_t quantizer;
    fsd_id via; /**< the first operator in between; FSD_NONE: the quantizer reads the
                     tensor directly */
};
typedef FSD_VEC(struct fsd_reach) fsd_reaches;

/* ---------------------------------------------------------------------------- lint */

/** The exporter that placed the quantizers, if the model shows which exporter did. */
struct fsd_style_seen {
    const char *name;     /**< "ONNX Runtime static quantization"; NULL: none */
    const char *sign;     /**< what shows the exporter: a producer, a domain or a part
                               of a name */
    bool after_operators; /**< the exporter quantizes outputs of operators, not only
                               inputs of low-precision operators */
    enum fsd_dtype type;  /**< type of the first 8-bit Q of activations; unknown if
                               there is none */
    uint32_t quantizers, after, before; /**< numbers of Qs of activations. `quantizers`:
                                             all Qs. `after`: Qs that read the result of
                                             an operator. `before`: Qs whose Q/DQ pair
                                             is read only by a Conv, Gemm, MatMul or the
                                             like */
};

struct fsd_refusal_row;

/** The rows of refusals.c that may refuse an operator for the target. */
struct fsd_refusal_rows {
    fsd_sym op;
    bool imported; /**< TensorRT for RTX has an importer for the operator */
    FSD_VEC(const struct fsd_refusal_row *) rows;
};

struct fsd_lint {
    struct fsd_arena *arena;
    const struct fsd_graph *g;
    const struct fsd_facts *facts;
    const struct fsd_sizes *sizes;
    struct fsd_target target;
    FSD_VEC(struct fsd_quantizer) quantizers;
    uint32_t *quantizer_of; /**< indexed by node; FSD_NONE: not a quantizer */
    uint32_t *holds;        /**< indexed by tensor: the DQ before the tensor, an index
                                 into `quantizers`; FSD_NONE: none. Operators may be
                                 between the DQ and the tensor, if the builder may move
                                 the DQ over them */
    struct fsd_style_seen style;
    bool repeats;       /**< two tensors have the same name */
    const bool *cyclic; /**< indexed by node: whether the node is on a cycle or between
                             two cycles; NULL: there are no cycles */
    FSD_VEC(struct fsd_refusal_rows) refusals; /**< one per operator */
    uint32_t *refusals_of;                     /**< indexed by node: its operator's
                                                    entry in `refusals` */
};

/** Collects the facts that the rules need, in the arena. */
const struct fsd_lint *fsd_lint_new(struct fsd_arena *arena,
                                    const struct fsd_facts *facts,
                                    const struct fsd_sizes *sizes,
                                    struct fsd_target target);

/** The quantizer that the node is; NULL if the node is no quantizer. */
const struct fsd_quantizer *fsd_lint_quantizer(const struct fsd_lint *l, fsd_id node);

/** The DQ that the tensor holds (fsd_lint.holds); NULL if there is none, or if `tensor`
 *  is FSD_NONE. */
const struct fsd_quantizer *fsd_lint_holder(const struct fsd_lint *l, fsd_id tensor);

/** fsd_lint_holder() of the tensor at the node's input `input`. */
const struct fsd_quantizer *fsd_lint_held(const struct fsd_lint *l, fsd_id node,
                                          uint32_t input);

/** Whether the node is a Conv, Gemm, MatMul or the like with quantized data and
 *  weights. */
bool fsd_lint_is_narrow(const struct fsd_lint *l, fsd_id node);

/** Appends the Qs that read the tensor to `out` (struct fsd_reach). Visits some dozens
 *  of consumers at most. */
void fsd_lint_reach(const struct fsd_lint *l, fsd_id tensor, struct fsd_arena *arena,
                    fsd_reaches *out);

/** Whether two quantizers have equal scales; unknown if the scales of either are
 *  unknown. */
enum fsd_likeness { FSD_ALIKE, FSD_UNLIKE, FSD_ALIKE_UNKNOWN };
enum fsd_likeness fsd_lint_scales(const struct fsd_lint *l,
                                  const struct fsd_quantizer *a,
                                  const struct fsd_quantizer *b);

/* ------------------------------------------------------------------------ refusals */

/** Why a builder refuses a node: a row of refusals.c. */
struct fsd_refusal {
    const char *why;    /**< the builder's reason, in our words */
    const char *source; /**< who observed the refusal, and with which version */
    /** The edit that removes the reason. DIMENSION: give the constant one dimension of
     *  size 1. TYPE: give the constant a different type. FLOATS: do not quantize the
     *  data. OTHER: none of these edits. */
    enum fsd_refused_wants {
        FSD_WANTS_OTHER,
        FSD_WANTS_DIMENSION,
        FSD_WANTS_TYPE,
        FSD_WANTS_FLOATS
    } wants;
};

/** The row that refuses the node for the target; NULL if none does. */
const struct fsd_refusal *fsd_lint_refusal(const struct fsd_lint *l, fsd_id node);

/** The reason why a builder without plugins refuses an operator without an importer. */
extern const struct fsd_refusal fsd_lint_no_importer;

/** Whether the builder has an importer for an operator. The rows of refusals.c do not
 *  state this. */
enum fsd_import {
    FSD_IMPORTED,      /**< the builder has an importer for the operator */
    FSD_IMPORT_NONE,   /**< the builder has no importer, and no plugins */
    FSD_IMPORT_UNKNOWN /**< not known */
};
enum fsd_import fsd_lint_import(const struct fsd_lint *l, fsd_id node);

/* For src/judge/lint only. */
void fsd_lint_add_quantizer(struct fsd_lint *l, fsd_id node);
void fsd_lint_see_style(struct fsd_lint *l);
void fsd_lint_find_cycles(struct fsd_lint *l);
void fsd_lint_find_repeats(struct fsd_lint *l);
void fsd_lint_find_refusals(struct fsd_lint *l);
