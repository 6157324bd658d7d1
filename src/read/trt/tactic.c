/*
 * Derives the type in which a kernel computes from its name.  If an engine with dynamic
 * shapes is inspected without an execution context, TensorRT prints no tensor types
 * ("N/A due to dynamic shapes", 8.2 to 8.6), but the names of kernels show them:
 *
 *     sm80_xmma_fprop_implicit_gemm_interleaved_i8f16_i8i32_f32_nchw...
 *                                               |     | `---- accumulates in INT32
 *                                               |     `------ multiplies INT8
 *                                               `------------ reads INT8, writes FP16
 *     sm50_xmma_cublas_gemvx_f16f16_f32_f32_tn_n       reads FP16, accumulates in FP32
 *     sm50_xmma_pooling_fw_4d_FP16FP32NHWC_Average     likewise
 *     ampere_h16816cudnn_128x64_...                    FP16 by the instruction
 *     ampere_fp32_icudnn_int8x4_128x64_...             INT8; writes FP32
 *     ampere_scudnn_128x64_...                         FP32
 */
#include "model/graph/layer.h"
#include "read/trt/trt.h"
#include "base/base.h"
#include "host/files.h"

/* Removes a type such as "i8", "f16", "tf32" or "FP16" from the front and returns it;
 * FSD_DTYPE_UNKNOWN if there is none. */
static enum fsd_dtype take_type(struct fsd_slice *t)
{
    static const struct {
        const char *word;
        enum fsd_dtype type;
    } types[] = {{"fp32", FSD_FP32}, {"fp16", FSD_FP16}, {"tf32", FSD_TF32},
                 {"bf16", FSD_BF16}, {"e4m3", FSD_FP8},  {"f32", FSD_FP32},
                 {"f16", FSD_FP16},  {"i32", FSD_INT32}, {"i8", FSD_INT8}};

    for (size_t i = 0; i < FSD_COUNT_OF(types); i++) {
        size_t n = strlen(types[i].word);

        if (t->n >= n && !strncasecmp(t->s, types[i].word, n)) {
            *t = fsd_slice_from(*t, n);
            return types[i].type;
        }
    }
    return FSD_DTYPE_UNKNOWN;
}

/* Reads a word that begins with two types: "i8f16", "FP16FP32NHWC". */
static bool take_pair(struct fsd_slice word, enum fsd_dtype *first, bool *whole)
{
    *first = take_type(&word);
    if (!*first || !take_type(&word))
        return false;
    *whole = !word.n;
    return true;
}

static struct fsd_slice take_word(struct fsd_slice *name)
{
    struct fsd_slice word = *name, rest = {"", 0};

    fsd_slice_split_at(&word, "_", &rest);
    *name = rest;
    return word;
}

/* Returns the type in which the kernel multiplies, if the name states this type.
 * Otherwise, returns the type of the kernel's inputs. */
static enum fsd_dtype by_pairs(struct fsd_slice name)
{
    while (name.n) {
        enum fsd_dtype reads, multiplies;
        bool whole;

        if (!take_pair(take_word(&name), &reads, &whole))
            continue;
        return whole && take_pair(take_word(&name), &multiplies, &whole) && whole
                   ? multiplies
                   : reads;
    }
    return FSD_DTYPE_UNKNOWN;
}

/* Finds the type in a word like "hgemm", "scudnn", "icudnn" or "h16816cudnn". The first
 * letter stands for the type. Digits after it are the shape of a tensor core
 * instruction. */
static enum fsd_dtype by_library(struct fsd_slice name)
{
    static const struct {
        char letter;
        enum fsd_dtype type, with_shape;
    } letters[] = {{'h', FSD_FP16, FSD_FP16},
                   {'i', FSD_INT8, FSD_INT8},
                   {'s', FSD_FP32, FSD_DTYPE_UNKNOWN}}; /* with the shape of an
                                                           instruction, 's' is
                                                           ambiguous: "s1688" is TF32 or
                                                           FP16 */

    while (name.n) {
        struct fsd_slice word = take_word(&name);
        char letter = word.n ? *word.s : '\0';
        size_t digits = 0;

        word = fsd_slice_from(word, word.n > 0);
        while (digits < word.n && fsd_is_digit(word.s[digits]))
            digits++;
        word = fsd_slice_from(word, digits);
        if (!fsd_slice_is(word, "cudnn") && !fsd_slice_is(word, "gemm"))
            continue;
        for (size_t i = 0; i < FSD_COUNT_OF(letters); i++)
            if (letters[i].letter == letter)
                return digits ? letters[i].with_shape : letters[i].type;
    }
    return FSD_DTYPE_UNKNOWN;
}

/* Returns the type of the weights or, if this is unknown, the type of the bias.  An
 * FP32 bias is ignored, because an INT8 kernel may have one. */
static enum fsd_dtype by_weights(const struct fsd_layer *layer)
{
    if (layer->weights_type != FSD_DTYPE_UNKNOWN)
        return layer->weights_type;
    return layer->bias_type == FSD_FP32 ? FSD_DTYPE_UNKNOWN : layer->bias_type;
}

enum fsd_dtype fsd_trt_computes_in(const struct fsd_layer *layer, const char *tactic)
{
    struct fsd_slice name = fsd_slice_of(tactic);
    enum fsd_dtype by_name = by_pairs(name), weights = by_weights(layer);

    if (by_name == FSD_DTYPE_UNKNOWN)
        by_name = by_library(name);
    if (by_name == FSD_DTYPE_UNKNOWN || weights == FSD_DTYPE_UNKNOWN)
        return by_name == FSD_DTYPE_UNKNOWN ? weights : by_name;
    return by_name == weights || (by_name == FSD_TF32 && weights == FSD_FP32)
               ? by_name
               : FSD_DTYPE_UNKNOWN;
}

enum fsd_dtype fsd_trt_kernel_reads(const char *tactic)
{
    struct fsd_slice name = fsd_slice_of(tactic);
    enum fsd_dtype reads;
    bool whole;

    while (name.n)
        if (take_pair(take_word(&name), &reads, &whole) && whole)
            return reads == FSD_TF32 ? FSD_FP32 : reads;
    return FSD_DTYPE_UNKNOWN;
}
