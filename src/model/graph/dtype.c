/*
 * Element types: one table of their names, sizes, ranks and ONNX numbers, a table of
 * the spellings in dumps, logs and parsers, and the decoding of single elements.  Also
 * memory layouts.  The rank of a type is its precision: it decides what is "promoted"
 * or "reduced".  Integers that are only used as indices (INT32, INT64) have rank 0 and
 * are never compared, because their size is not a precision.
 */
#include "model/graph/dtype.h"
#include "base/base.h"
#include "host/files.h"

#include <math.h>

static const struct {
    const char *name;
    uint8_t bits;
    uint8_t rank;   /* see fsd_dtype_rank() */
    uint8_t number; /* the type's number in ONNX's TensorProto.DataType; 0: ONNX has no
                       such type */
} types[] = {
    [FSD_DTYPE_UNKNOWN] = {"unknown", 0, 0, 0},
    [FSD_FP64] = {"fp64", 64, 5, 11},
    [FSD_FP32] = {"fp32", 32, 4, 1},
    [FSD_TF32] = {"tf32", 32, 4, 0},
    [FSD_BF16] = {"bf16", 16, 3, 16},
    [FSD_FP16] = {"fp16", 16, 3, 10},
    [FSD_FP8] = {"fp8", 8, 2, 17},
    [FSD_FP8E4M3FNUZ] = {"fp8e4m3fnuz", 8, 2, 18},
    [FSD_FP8E5M2] = {"fp8e5m2", 8, 2, 19},
    [FSD_FP8E5M2FNUZ] = {"fp8e5m2fnuz", 8, 2, 20},
    [FSD_FP8E8M0] = {"fp8e8m0", 8, 2, 24},
    [FSD_FP6E2M3] = {"fp6e2m3", 6, 2, 27},
    [FSD_FP6E3M2] = {"fp6e3m2", 6, 2, 28},
    [FSD_FP4] = {"fp4", 4, 1, 23},
    [FSD_INT64] = {"int64", 64, 0, 7},
    [FSD_UINT64] = {"uint64", 64, 0, 13},
    [FSD_INT32] = {"int32", 32, 0, 6},
    [FSD_UINT32] = {"uint32", 32, 0, 12},
    [FSD_INT16] = {"int16", 16, 3, 5},
    [FSD_UINT16] = {"uint16", 16, 3, 4},
    [FSD_INT8] = {"int8", 8, 2, 3},
    [FSD_UINT8] = {"uint8", 8, 2, 2},
    [FSD_INT4] = {"int4", 4, 1, 22},
    [FSD_UINT4] = {"uint4", 4, 1, 21},
    [FSD_INT2] = {"int2", 2, 1, 26},
    [FSD_UINT2] = {"uint2", 2, 1, 25},
    [FSD_BOOL] = {"bool", 8, 0, 9},
    [FSD_STRING] = {"string", 0, 0, 8},
    [FSD_COMPLEX64] = {"complex64", 64, 0, 14},
    [FSD_COMPLEX128] = {"complex128", 128, 0, 15},
};
_Static_assert(FSD_COUNT_OF(types) == FSD__DTYPE_COUNT, "a row a type");

const char *fsd_dtype_name(enum fsd_dtype type)
{
    return types[type].name;
}

enum fsd_dtype fsd_dtype_numbered(int64_t number)
{
    for (unsigned i = 1; number && i < FSD__DTYPE_COUNT; i++)
        if (types[i].number == number)
            return (enum fsd_dtype)i;
    return FSD_DTYPE_UNKNOWN;
}

int fsd_dtype_onnx(enum fsd_dtype type)
{
    return types[type].number;
}

/* The spellings of types that dumps, logs, the inspector and parsers use. */
static const struct {
    const char *word;
    enum fsd_dtype type;
} words[] = {
    {"float", FSD_FP32},
    {"fp32", FSD_FP32},
    {"float32", FSD_FP32},
    {"half", FSD_FP16},
    {"fp16", FSD_FP16},
    {"float16", FSD_FP16},
    {"bfloat16", FSD_BF16},
    {"bf16", FSD_BF16},
    {"int8", FSD_INT8},
    {"int32", FSD_INT32},
    {"int64", FSD_INT64},
    {"bool", FSD_BOOL},
    {"fp8", FSD_FP8},
    {"e4m3", FSD_FP8},
    {"float8", FSD_FP8},
    {"fp8e4m3", FSD_FP8},
    {"e4m3fn", FSD_FP8},
    {"fp4", FSD_FP4},
    {"e2m1", FSD_FP4},
    {"nvfp4", FSD_FP4},
    {"fp4e2m1", FSD_FP4},
    {"uint8", FSD_UINT8},
    {"int4", FSD_INT4},
    {"uint4", FSD_UINT4},
    {"int16", FSD_INT16},
    {"uint16", FSD_UINT16},
    {"uint32", FSD_UINT32},
    {"uint64", FSD_UINT64},
    {"fp64", FSD_FP64},
    {"double", FSD_FP64},
    {"float64", FSD_FP64},
    {"e8m0", FSD_FP8E8M0},
    {"e5m2", FSD_FP8E5M2},
    {"tf32", FSD_TF32},
    {"fp8ue8m0", FSD_FP8E8M0},
    {"ue8m0", FSD_FP8E8M0},
    {"fp8e8m0", FSD_FP8E8M0},
    {"float8e8m0", FSD_FP8E8M0},
    {"float4e2m1", FSD_FP4},
    {"fp6e2m3", FSD_FP6E2M3},
    {"float6e2m3", FSD_FP6E2M3},
    {"fp6e3m2", FSD_FP6E3M2},
    {"float6e3m2", FSD_FP6E3M2},
};

enum fsd_dtype fsd_dtype_read(const char *word, size_t n)
{
    for (size_t i = 0; i < FSD_COUNT_OF(words); i++)
        if (strlen(words[i].word) == n && !strncasecmp(word, words[i].word, n))
            return words[i].type;
    return FSD_DTYPE_UNKNOWN;
}

unsigned fsd_dtype_bits(enum fsd_dtype type)
{
    return types[type].bits;
}

/* Reads a floating-point number with an exponent of `exponent` bits and a mantissa of
 * `mantissa` bits.  If the type has no infinities (E4M3), values with the largest
 * exponent are numbers, too; only the one with all mantissa bits set is NaN. */
static double read_float(uint64_t bits, int exponent, int mantissa, bool infinities)
{
    uint64_t top = (UINT64_C(1) << exponent) - 1, rest = (UINT64_C(1) << mantissa) - 1;
    uint64_t e = bits >> mantissa & top, m = bits & rest;
    int bias = (int)(top / 2);
    double sign = bits >> (exponent + mantissa) & 1 ? -1 : 1;

    if (e == top && (infinities || m == rest))
        return m ? NAN : sign * INFINITY;
    return sign * (e ? ldexp((double)(m | (rest + 1)), (int)e - bias - mantissa)
                     : ldexp((double)m, 1 - bias - mantissa));
}

static double read_single(uint32_t bits)
{
    float single;

    memcpy(&single, &bits, sizeof single);
    return isnan(single) ? NAN : (double)single;
}

/* Reads an integer of `width` bits in two's complement. */
static double read_signed(uint64_t bits, unsigned width)
{
    return (double)((int64_t)(bits << (64 - width)) >> (64 - width));
}

bool fsd_dtype_number(enum fsd_dtype type, uint64_t bits, double *out)
{
    switch ((int)type) {
    case FSD_FP64:
        *out = read_float(bits, 11, 52, true);
        return true;
    case FSD_FP32: /* first, because it is the most frequent type */
        *out = read_single((uint32_t)bits);
        return true;
    case FSD_FP16:
        *out = read_float(bits, 5, 10, true);
        return true;
    case FSD_BF16:
        *out = read_float(bits, 8, 7, true);
        return true;
    case FSD_FP8:
        *out = read_float(bits, 4, 3, false);
        return true;
    case FSD_FP8E5M2:
        *out = read_float(bits, 5, 2, true);
        return true;
    case FSD_FP8E8M0: /* a power of two without a sign */
        *out = bits == 255 ? NAN : ldexp(1, (int)bits - 127);
        return true;
    case FSD_INT64:
    case FSD_INT32:
    case FSD_INT16:
    case FSD_INT8:
        *out = read_signed(bits, fsd_dtype_bits(type));
        return true;
    case FSD_UINT64:
    case FSD_UINT32:
    case FSD_UINT16:
    case FSD_UINT8:
    case FSD_BOOL:
        *out = (double)bits;
        return true;
    default:
        return false;
    }
}

/* Decodes a whole array at once, because a quantized model has many arrays of scales:
 * one FP32 number per channel. */
void fsd_dtype_singles(const unsigned char *bytes, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++, bytes += 4)
        out[i] = read_single(bytes[0] | (uint32_t)bytes[1] << 8 |
                             (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24);
}

bool fsd_dtype_is_quantized(enum fsd_dtype type)
{
    return types[type].rank == 1 || types[type].rank == 2;
}

int fsd_dtype_rank(enum fsd_dtype type)
{
    return types[type].rank;
}

enum fsd_dtype fsd_dtype_wider(enum fsd_dtype a, enum fsd_dtype b)
{
    if (a == FSD_DTYPE_UNKNOWN || b == FSD_DTYPE_UNKNOWN)
        return a == FSD_DTYPE_UNKNOWN ? b : a;
    if (types[a].rank != types[b].rank)
        return types[a].rank > types[b].rank ? a : b;
    return a < b ? a : b;
}

bool fsd_layout_same(struct fsd_layout a, struct fsd_layout b)
{
    return a.order == b.order && a.axis == b.axis && a.width == b.width &&
           a.pad == b.pad && a.rank == b.rank && !memcmp(a.axes, b.axes, sizeof a.axes);
}

struct fsd_layout fsd_layout_by_strides(const int64_t *ranks, const int64_t *sizes,
                                        uint32_t n)
{
    struct fsd_layout layout = {.order = FSD_ORDER_PERMUTED, .rank = (uint8_t)n};
    uint32_t used = 0, units, falls = 0, last = 0;

    for (uint32_t i = 0; i < n; i++)
        if (sizes[i] == 1)
            layout.axes[used++] = (uint8_t)i;
    units = used;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = used;

        if (sizes[i] == 1)
            continue;
        for (; at > units && ranks[layout.axes[at - 1]] < ranks[i]; at--)
            layout.axes[at] = layout.axes[at - 1];
        layout.axes[at] = (uint8_t)i;
        used++;
    }
    for (uint32_t i = units + 1; i < n; i++)
        if (layout.axes[i] < layout.axes[i - 1]) {
            falls++;
            last = i;
        }
    if (!falls)
        return (struct fsd_layout){.order = FSD_ORDER_LINEAR};
    if (falls == 1 && last == n - 1 && layout.axes[last] == 1 && n > 2)
        return (struct fsd_layout){
            .order = FSD_ORDER_CHANNELS_LAST, .axis = 1, .spatial = n == 5 ? 3 : 0};
    return layout;
}

/* Returns the word for the order of a layout.  `*number` receives the number that
 * follows the word, such as 32 in "chw32"; 0 if none follows. */
static const char *layout_word(struct fsd_layout layout, unsigned *number)
{
    bool deep = layout.spatial == 3;

    *number = layout.order == FSD_ORDER_VECTORIZED ? layout.width
              : layout.order == FSD_ORDER_LINEAR   ? 0
              : layout.pad > 1                     ? layout.pad
                                                   : 0;
    switch ((enum fsd_order)layout.order) {
    case FSD_ORDER_LINEAR:
        return deep ? "cdhw" : "chw";
    case FSD_ORDER_CHANNELS_LAST:
        return deep ? "dhwc" : "hwc";
    case FSD_ORDER_VECTORIZED:
        if (layout.width)
            return deep ? "cdhw" : "chw";
        return deep ? "cdhwc" : "chwc"; /* vectors of an unknown number of channels */
    case FSD_ORDER_UNKNOWN:
    case FSD_ORDER_PERMUTED:
        break;
    }
    return *number ? "c" : "";
}

/* Copies the parts of the name, because reports print the layout of every port, and
 * snprintf() would take ten times as long. */
const char *fsd_layout_name(struct fsd_layout layout, char out[16])
{
    char room[FSD_DIGITS];
    const char *word, *digits;
    unsigned number;

    if (layout.order == FSD_ORDER_PERMUTED) {
        memcpy(out, "axes", 5);
        for (uint32_t i = 0; i < layout.rank; i++)
            out[4 + i] = (char)('0' + layout.axes[i]);
        out[4 + layout.rank] = '\0';
        return out;
    }
    word = layout_word(layout, &number);
    digits = number ? fsd_digits(number, room) : "";
    memcpy(out, word, strlen(word));
    memcpy(out + strlen(word), digits, strlen(digits) + 1);
    return out;
}
