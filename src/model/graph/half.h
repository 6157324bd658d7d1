/* Converts floats to FP16 and BF16: rounds to nearest, ties to even.  A value beyond
 * the range of the type becomes the type's greatest number; builders convert weights in
 * the same way.  Infinities and NaN stay. */
#pragma once

#include <stdint.h>
#include <string.h>

/** The greatest finite number of binary16. */
#define FSD_HALF_MOST 65504.0

/** Converts to IEEE 754 binary16. */
static inline uint16_t fsd_half_of(float value)
{
    enum {
        MOST = 0x7bff,
        LEAST_NORMAL = 113
    }; /* LEAST_NORMAL: the biased exponent of 2^-14 in binary32 */
    uint32_t bits, sign, exponent, fraction, shift, half, rest;

    memcpy(&bits, &value, sizeof bits);
    sign = bits >> 16 & 0x8000;
    exponent = bits >> 23 & 0xff;
    fraction = bits & 0x7fffff;
    if (exponent == 0xff)
        return (uint16_t)(sign | 0x7c00 | (fraction ? 0x200 | fraction >> 13 : 0));
    if (exponent < LEAST_NORMAL - 11)
        return (uint16_t)sign;
    shift = exponent < LEAST_NORMAL ? 13 + LEAST_NORMAL - exponent : 13;
    fraction |= 0x800000;
    half = fraction >> shift;
    rest = fraction & ((UINT32_C(1) << shift) - 1);
    /* Bit 10 is the lowest bit of the exponent of `half`.  If the number is normal, its
     * implicit leading bit is now in bit 10, so the exponent is already 1.  That is
     * correct for LEAST_NORMAL.  For a larger exponent, the next line adds the
     * difference. */
    half += exponent < LEAST_NORMAL ? 0 : (exponent - LEAST_NORMAL) << 10;
    half += rest > UINT32_C(1) << (shift - 1) ||
            (rest == UINT32_C(1) << (shift - 1) && half & 1);
    return (uint16_t)(sign | (half > MOST ? MOST : half));
}

/** Converts to bfloat16. */
static inline uint16_t fsd_brain_of(float value)
{
    enum { MOST = 0x7f7f };
    uint32_t bits, brain;

    memcpy(&bits, &value, sizeof bits);
    brain = bits >> 16;
    if ((brain & 0x7f80) == 0x7f80) /* a NaN must stay a NaN */
        return (uint16_t)(brain | (bits & 0x7fffff ? 0x40 : 0));
    brain += (bits & 0xffff) > 0x8000 || ((bits & 0xffff) == 0x8000 && brain & 1);
    return (uint16_t)((brain & 0x7fff) > MOST ? (brain & 0x8000) | MOST : brain);
}
