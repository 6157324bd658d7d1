/* Element types and memory layouts, as both sides know them. */
#ifndef FSD_MODEL_DTYPE_H
#define FSD_MODEL_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Element types.  fp8 is E4M3FN, the one that builders call FP8. */
enum fsd_dtype {
    FSD_DTYPE_UNKNOWN,
    FSD_FP64,
    FSD_FP32,
    FSD_TF32, /**< never a tensor's type: what a tactic computes in */
    FSD_BF16,
    FSD_FP16,
    FSD_FP8,
    FSD_FP8E4M3FNUZ,
    FSD_FP8E5M2,
    FSD_FP8E5M2FNUZ,
    FSD_FP8E8M0,
    FSD_FP6E2M3,
    FSD_FP6E3M2,
    FSD_FP4,
    FSD_INT64,
    FSD_UINT64,
    FSD_INT32,
    FSD_UINT32,
    FSD_INT16,
    FSD_UINT16,
    FSD_INT8,
    FSD_UINT8,
    FSD_INT4,
    FSD_UINT4,
    FSD_INT2,
    FSD_UINT2,
    FSD_BOOL,
    FSD_STRING,
    FSD_COMPLEX64,
    FSD_COMPLEX128,
    FSD__DTYPE_COUNT
};

/** The lower-case name used in every report ("fp16", "int8", "unknown"). */
const char *fsd_dtype_name(enum fsd_dtype type);

/** The type that ONNX gives that number; unknown for one that it does not. */
enum fsd_dtype fsd_dtype_numbered(int64_t number);

/** The type that a builder's or a parser's word names ("Half", "FP16", "float16"), in
 *  any case; FSD_DTYPE_UNKNOWN when it names none. */
enum fsd_dtype fsd_dtype_read(const char *word, size_t n);

/** Bits an element occupies in a packed buffer; 0 for strings and unknown. */
unsigned fsd_dtype_bits(enum fsd_dtype type);

/** The number that the bits of one element are; NAN where they are none.  False for
 *  types that share a byte with others, and for those no model was seen to count in. */
bool fsd_dtype_number(enum fsd_dtype type, uint64_t bits, double *out);

/** True for the types a QuantizeLinear can produce: 8 bits and fewer, not bool. */
bool fsd_dtype_is_quantized(enum fsd_dtype type);

/** How wide a computing type is, for "runs wider than asked": fp64 5, fp32 and tf32
 *  4, 16-bit floats 3, 8-bit 2, 4-bit and fewer 1; 0 for types that say nothing about
 *  precision (int32, int64, bool, string). */
int fsd_dtype_rank(enum fsd_dtype type);

/** The one of higher rank; a known one before an unknown one.  The order of the two
 *  makes no difference. */
enum fsd_dtype fsd_dtype_wider(enum fsd_dtype a, enum fsd_dtype b);

/** How the elements of a tensor lie in memory. */
enum fsd_order {
    FSD_ORDER_UNKNOWN,       /**< not said */
    FSD_ORDER_LINEAR,        /**< row major */
    FSD_ORDER_CHANNELS_LAST, /**< "channel major", kHWC and its padded kin */
    FSD_ORDER_VECTORIZED,    /**< the channel in vectors: chw4, chw32, ... */
    FSD_ORDER_PERMUTED       /**< any other order of the axes: `axes` */
};

enum { FSD_LAYOUT_AXES = 8 };

struct fsd_layout {
    uint8_t order;   /**< enum fsd_order */
    uint8_t axis;    /**< the vectorised or last-laid dimension; 1 is the channel */
    uint16_t width;  /**< elements a vector, for FSD_ORDER_VECTORIZED; else 0 */
    uint16_t pad;    /**< the axis is padded to a multiple of this; 0 and 1: not */
    uint8_t spatial; /**< spatial dimensions, where the format says it; else 0 */
    uint8_t rank;    /**< FSD_ORDER_PERMUTED: how many of `axes` there are */
    uint8_t axes[FSD_LAYOUT_AXES]; /**< the outermost first */
};

bool fsd_layout_same(struct fsd_layout a, struct fsd_layout b);

/** The order in which strides lay the axes: ranks[i] is that of axis i's stride, 0 the
 *  innermost.  An axis of one element lies anywhere, so that plain rows, channels last
 *  and any other order are told by the other axes alone.
 *  @param n up to FSD_LAYOUT_AXES.
 *  @param sizes of each axis; negative: not known. */
struct fsd_layout fsd_layout_by_strides(const int64_t *ranks, const int64_t *sizes,
                                        uint32_t n);

/** "chw", "hwc", "hwc8", "chw32", "cdhw32"; "axes021" for axis 0, then 2, then 1, which
 *  is the innermost; "c8" when only the padding is known, ""
 *  when nothing is.  Writes at most 16 bytes
 *  into `out` and returns it. */
const char *fsd_layout_name(struct fsd_layout layout, char out[16]);

#endif
