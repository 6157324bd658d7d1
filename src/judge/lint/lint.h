/*
 * What the model alone shows of its quantization, and of how a builder would handle it:
 * read once, queried by the rules in findings/lint_*.c.
 *
 *     x --Q--> --DQ--> MaxPool --> Conv       the pool's output "holds" that DQ: a
 *                                             quantizer may be moved over the pool
 *
 * A quantizer is a Q or DQ node with its scales by value.  Unknown scales (in a file
 * that is absent, or computed at run time) are marked as unknown, and equal nothing.
 */
#ifndef FSD_LINT_LINT_H
#define FSD_LINT_LINT_H

#include "match/facts.h"
#include "model/ops/sizes.h"

/* ------------------------------------------------------------------------ builders */

/** Families of builders, bits of a mask: rules differ between them. */
enum fsd_family {
    FSD_TRT8 = 1 << 0,  /**< weakly typed, kernels chosen by measuring */
    FSD_TRT10 = 1 << 1, /**< both ways of typing, compiled regions */
    FSD_TRT11 = 1 << 2, /**< strongly typed only */
    FSD_RTX = 1 << 3, /**< TensorRT for RTX: strongly typed, all compiled, no plugins */
    FSD_STRONG = FSD_TRT11 | FSD_RTX,
    FSD_ANY_BUILDER = (1 << 4) - 1
};

/** The builder whose rules apply to the model. */
struct fsd_target {
    enum fsd_family family;
    unsigned version; /**< 107 is 1.7, which only matters for RTX; 0: any */
    unsigned sm;      /**< compute capability, 89; 0: unknown */
    const char *name; /**< "rtx-1.7:sm89" */
};

/** Reads "trt8", "trt10", "trt11", "rtx", with "-1.7" and ":sm89" behind them.
 *  @param word  NULL: rtx-1.7:sm89, the default. */
bool fsd_target_read(struct fsd_target *out, const char *word, struct fsd_arena *arena);

/** What is said of a word that names none: a format. */
#define FSD_TARGET_EXPECTED                                                            \
    "expected trt8, trt10, trt11 or rtx, with a version and a compute capability as "  \
    "rtx-1.7:sm89, found '%s'"

/** The word for a builder as logs and dumps state it, "TensorRT 10.13.0": "trt10";
 *  NULL: unknown. */
const char *fsd_target_named(const char *version);

/** That for the builder that made the engine; NULL: unknown. */
const char *fsd_target_of(const struct fsd_graph *engine);

/** "trt8, trt10" */
const char *fsd_families_text(struct fsd_arena *arena, unsigned mask);

/* ---------------------------------------------------------------------- quantizers */

enum fsd_zero { FSD_ZERO_NONE, FSD_ZERO_OTHER, FSD_ZERO_UNKNOWN };

/** A QuantizeLinear or DequantizeLinear. */
struct fsd_quantizer {
    fsd_id node;
    bool quantizes;       /**< false: a DQ */
    enum fsd_dtype type;  /**< of the quantized side; unknown if nothing shows it */
    fsd_id data;          /**< what it reads */
    fsd_id scale;         /**< the tensor at its second input */
    uint32_t n;           /**< scales; 0: not known */
    const double *scales; /**< by value; NULL: not known */
    int64_t axis;         /**< of several scales, from the start; -1: not known */
    int64_t block;        /**< elements that share a scale along the axis; 0: all */
    enum fsd_zero zero;   /**< is any zero point other than 0? */
    int zero_point;       /**< a single one of 8 bits; 0: not known */
};

/** A quantizer that reads a tensor, or what an operator makes of it that quantizers
 *  may be moved over. */
struct fsd_reach {
    uint32_t quantizer;
    fsd_id via; /**< the first operator on the way; FSD_NONE: it reads the tensor */
};
typedef FSD_VEC(struct fsd_reach) fsd_reaches;

/* ---------------------------------------------------------------------------- lint */

/** The exporter that placed the quantizers, if the model shows it. */
struct fsd_style_seen {
    const char *name;     /**< "ONNX Runtime static quantization"; NULL: none */
    const char *sign;     /**< the name or place that shows it */
    bool after_operators; /**< that exporter quantizes outputs of operators, not only
                               inputs of those that run in low precision */
    enum fsd_dtype type;  /**< of the first Q of activations in 8 bits; unknown: none */
    uint32_t quantizers, after, before; /**< Qs of activations; of these behind an
                                             operator that quantizes, and before one */
};

struct fsd_refusal_row;

/** The rows of refusals.c that may refuse an operator of the target. */
struct fsd_refusal_rows {
    fsd_sym op;
    bool imported; /**< TensorRT for RTX has an importer for it */
    FSD_VEC(const struct fsd_refusal_row *) rows;
};

struct fsd_lint {
    struct fsd_arena *arena;
    const struct fsd_graph *g;
    const struct fsd_facts *facts;
    const struct fsd_sizes *sizes;
    struct fsd_target target;
    FSD_VEC(struct fsd_quantizer) quantizers;
    uint32_t *quantizer_of; /**< by node; FSD_NONE */
    uint32_t *holds;        /**< by tensor: the DQ whose value it is, moved at most by
                               operators that quantizers may be moved over; FSD_NONE */
    struct fsd_style_seen style;
    bool repeats;       /**< a tensor has a name that another one has, too */
    const bool *cyclic; /**< by node: it is on a cycle, or between two; NULL: none is */
    FSD_VEC(struct fsd_refusal_rows) refusals; /**< one of each operator of the model */
    uint32_t *refusals_of;                     /**< by node */
};

/** Collects the facts that the rules need, in the arena. */
const struct fsd_lint *fsd_lint_new(struct fsd_arena *arena,
                                    const struct fsd_facts *facts,
                                    const struct fsd_sizes *sizes,
                                    struct fsd_target target);

/** The quantizer that the node is; NULL. */
const struct fsd_quantizer *fsd_lint_quantizer(const struct fsd_lint *l, fsd_id node);

/** The DQ whose value the tensor holds; NULL, also for FSD_NONE. */
const struct fsd_quantizer *fsd_lint_holder(const struct fsd_lint *l, fsd_id tensor);

/** The DQ whose value the node reads there; NULL. */
const struct fsd_quantizer *fsd_lint_held(const struct fsd_lint *l, fsd_id node,
                                          uint32_t input);

/** True where a Conv, Gemm, MatMul or the like reads quantized data and quantized
 *  weights. */
bool fsd_lint_is_narrow(const struct fsd_lint *l, fsd_id node);

/** The Qs that the tensor reaches, itself or moved; at most some dozens. */
void fsd_lint_reach(const struct fsd_lint *l, fsd_id tensor, struct fsd_arena *arena,
                    fsd_reaches *out);

/** Whether two quantizers have the same scales; not known where one is not. */
enum fsd_alike { FSD_ALIKE, FSD_UNLIKE, FSD_ALIKE_UNKNOWN };
enum fsd_alike fsd_lint_scales(const struct fsd_lint *l, const struct fsd_quantizer *a,
                               const struct fsd_quantizer *b);

/* ------------------------------------------------------------------------ refusals */

/** What a builder does not take: a row of refusals.c. */
struct fsd_refusal {
    const char *why;    /**< what the builder says, in our words */
    const char *source; /**< who saw it, and in which version */
    /** All that is needed: one dimension of size 1 or another type for a constant, or
     *  data that is not quantized. */
    enum fsd_refused_wants {
        FSD_WANTS_OTHER,
        FSD_WANTS_DIMENSION,
        FSD_WANTS_TYPE,
        FSD_WANTS_FLOATS
    } wants;
};

/** The row that refuses the node for the target; NULL: none does. */
const struct fsd_refusal *fsd_lint_refusal(const struct fsd_lint *l, fsd_id node);

/** The reason of an operator that has no importer, where there are no plugins. */
extern const struct fsd_refusal fsd_lint_no_importer;

/** What is known of an operator beside the rows. */
enum fsd_import {
    FSD_IMPORTED,      /**< the builder has an importer for it */
    FSD_IMPORT_NONE,   /**< it has none, and no plugins to look for one */
    FSD_IMPORT_UNKNOWN /**< unknown */
};
enum fsd_import fsd_lint_import(const struct fsd_lint *l, fsd_id node);

/* Inside src/judge/lint. */
void fsd_lint_add_quantizer(struct fsd_lint *l, fsd_id node);
void fsd_lint_see_style(struct fsd_lint *l);
void fsd_lint_find_cycles(struct fsd_lint *l);
void fsd_lint_find_repeats(struct fsd_lint *l);
void fsd_lint_find_refusals(struct fsd_lint *l);

#endif
