/* Element types and memory layouts, of models and of engines. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Element types.  FSD_FP8 is E4M3FN, which builders call FP8. */
enum fsd_dtype {
    FSD_DTYPE_UNKNOWN,
    FSD_FP64,
    FSD_FP32,
    FSD_TF32, /**< a type in which a tactic computes; no tensor has it */
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

/** Returns the type with this number in ONNX; FSD_DTYPE_UNKNOWN if there is none. */
enum fsd_dtype fsd_dtype_numbered(int64_t number);
/** Returns the number of the type in ONNX; 0 if it has none. */
int fsd_dtype_onnx(enum fsd_dtype type);

/** Returns the type that a builder or parser calls by this word ("Half", "FP16",
 *  "float16"), in upper or lower case; FSD_DTYPE_UNKNOWN if there is none. */
enum fsd_dtype fsd_dtype_read(const char *word, size_t n);

/** Returns the number of bits of an element in a packed buffer; 0 for strings and
 * unknown types. */
unsigned fsd_dtype_bits(enum fsd_dtype type);

/** Decodes the bits of an element, and writes the number to `out`; NAN if the bits
 *  represent no number.  Returns false for types that this function does not decode:
 *  types whose elements share a byte, and types in which models store no numbers. */
bool fsd_dtype_number(enum fsd_dtype type, uint64_t bits, double *out);
/** Decodes `n` FP32 numbers, which are stored in little endian without gaps, and writes
 * them to `out`. */
void fsd_dtype_singles(const unsigned char *bytes, size_t n, double *out);

/** Whether a QuantizeLinear can output this type: a type of 8 bits or fewer, but not
 * bool. */
bool fsd_dtype_is_quantized(enum fsd_dtype type);

/** Returns the rank of a type by precision, which decides what is "higher precision
 *  than requested": 5 for fp64; 4 for fp32 and tf32; 3 for types of 16 bits; 2 for 8
 *  and 6 bits; 1 for 4 bits and fewer; 0 for types without a precision (int32, int64,
 *  bool, string). */
int fsd_dtype_rank(enum fsd_dtype type);

/** Returns the type of higher rank.  If one type is unknown, returns the other one.
 *  The order of the arguments makes no difference. */
enum fsd_dtype fsd_dtype_wider(enum fsd_dtype a, enum fsd_dtype b);

/** The order of a tensor's elements in memory. */
enum fsd_order {
    FSD_ORDER_UNKNOWN,       /**< not stated */
    FSD_ORDER_LINEAR,        /**< row major */
    FSD_ORDER_CHANNELS_LAST, /**< "channel major", kHWC and its padded variants */
    FSD_ORDER_VECTORIZED,    /**< channels in vectors: chw4, chw32, ... */
    FSD_ORDER_PERMUTED       /**< any other order of the axes, stated by `axes` */
};

enum { FSD_LAYOUT_AXES = 8 };

struct fsd_layout {
    uint8_t order;   /**< enum fsd_order */
    uint8_t axis;    /**< the axis that `width` and `pad` describe, as an index into
                          the shape; 1 stands for the channels.  In
                          FSD_ORDER_CHANNELS_LAST, this axis is the innermost in
                          memory */
    uint16_t width;  /**< FSD_ORDER_VECTORIZED: the number of elements per vector; else
                          0 */
    uint16_t pad;    /**< the axis is padded to a multiple of this number of elements; 0
                          and 1: no padding */
    uint8_t spatial; /**< the number of spatial dimensions, if the format states it;
                          else 0 */
    uint8_t rank;    /**< FSD_ORDER_PERMUTED: the number of `axes` */
    uint8_t axes[FSD_LAYOUT_AXES]; /**< FSD_ORDER_PERMUTED: the axes, the outermost
                                        first */
};

bool fsd_layout_same(struct fsd_layout a, struct fsd_layout b);

/** Derives the order of the axes from their strides.  The stride of an axis with one
 *  element has no meaning, so only the other axes decide between row-major, channels
 *  last and any other order.
 *  @param ranks  for each axis, the rank of its stride among all strides: 0 for the
 *         smallest stride, which is the stride of the innermost axis
 *  @param n  the number of axes, at most FSD_LAYOUT_AXES
 *  @param sizes  the size of each axis in elements; negative: unknown */
struct fsd_layout fsd_layout_by_strides(const int64_t *ranks, const int64_t *sizes,
                                        uint32_t n);

/** Writes the name of a layout into `out`, at most 16 bytes, and returns `out`: "chw",
 *  "hwc", "hwc8", "chw32", "cdhw32"; "axes021" if the axes have the order 0, 2, 1, from
 *  the outermost to the innermost; "c8" if only the padding is known; "" if nothing is
 *  known. */
const char *fsd_layout_name(struct fsd_layout layout, char out[16]);
