/*
 * Every spelling of a tensor's format that was seen in real dumps, and what it means.
 * Strings are written out rather than generated, since a reader that understood its own
 * generator proves little.
 */
#include "model/graph/graph.h"
#include "read/trt/trt.h"
#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* spelling, "type layout pad/spatial", understood */
static const struct {
    const char *spelling, *expected;
} cases[] = {
    {"Channel major FP16 format where channel % 8 == 0", "fp16 hwc8"},
    {"Row major linear FP16 format", "fp16 chw"},
    {"Row major linear FP32", "fp32 chw"},
    {"Thirty-two wide channel vectorized row major Int8 format", "int8 chw32"},
    {"Channel major FP16 format where channel % 16 == 0", "fp16 hwc16"},
    {"Channel major FP32 format where channel % 4 == 0", "fp32 hwc4"},
    {"Channel major FP32 format", "fp32 hwc"},
    {"Float", "fp32 "},
    {"Channel major FP16 format where channel % 2 == 0", "fp16 hwc2"},
    {"Half", "fp16 "},
    {"Four wide channel vectorized row major FP32 format", "fp32 chw4"},
    {"Thirty-two wide channel vectorized row major FP16 format", "fp16 chw32"},
    {"Channel major FP16 format where channel % 4 == 0", "fp16 hwc4"},
    {"Two wide channel vectorized row major FP16 format", "fp16 chw2"},
    {"Four wide channel vectorized row major Int8 format", "int8 chw4"},
    {"Int32", "int32 "},
    {"Thirty-two wide channel vectorized row major FP32 format", "fp32 chw32"},
    {"Row major linear Int32", "int32 chw"},
    {"Row major Int8 format", "int8 chw"},
    {"Int64", "int64 "},
    {"N/A due to dynamic shapes", "unknown "},
    {"Thirty-two wide channel vectorized row major Int8 format.", "int8 chw32"},
    {"Bool", "bool "},
    {"FP8", "fp8 "},
    {"E4M3", "fp8 "},
    {"FP4", "fp4 "},
    {"BFloat16", "bf16 "},
    {"BF16", "bf16 "},
    {"UInt8", "uint8 "},
    {"Int4", "int4 "},
    {"Row major linear BFloat16 format", "bf16 chw"},
    {"Sixteen wide channel vectorized row major FP16 format", "fp16 chw16"},
    {"Sixty-four wide channel vectorized row major Int8 format", "int8 chw64"},
    {"Eight wide channel vectorized row major FP16 format", "fp16 chw8"},
    {"Channel major Int8 format where channel % 4 == 0", "int8 hwc4"},
    {"Channel major FP16 format where channel % 8 == 0 with 3 spatial dimensions",
     "fp16 dhwc8"},
    {"Thirty-two wide channel vectorized row major Int8 format with 3 spatial "
     "dimensions",
     "int8 cdhw32"},
    {"Thirty-two wide channel vectorized row major Int8 format with three spatial "
     "dimensions",
     "int8 cdhw32"},
    {"Channel-major FP16 format where C is a multiple of 8", "fp16 hwc8"},
    {"Channel major INT8 format where column stride % 32 == 0", "int8 hwc"},
    {"Channel major FP16 format where channel == 4 and column stride % 32 == 0",
     "fp16 hwc4"},
    {"row MAJOR linear fp16", "fp16 chw"},
    {"kLINEAR", "unknown chw"},
    {"CHW32", "unknown chw32"},
    {"kHWC8", "unknown hwc8"},
    {"DHWC8", "unknown dhwc8"},
    {"kCDHW32", "unknown cdhw32"},
    {"DLA_HWC4", "unknown hwc4"},
    {"HWC", "unknown hwc"},
    {"(Linear) Row major linear format", "unknown chw"},
    {"(NHWC) Channel major format", "unknown hwc"},
    {"(NDHWC) Channel major format with 3 spatial dimensions", "unknown dhwc"},
    {"(Transposed) Transposed format", "unknown "},
    {"(Arbitrary) Format with stride order = [1,2,0]", "unknown "},
    {"Format not available due to dynamic shapes", "unknown "},
    {"FP8UE8M0", "fp8e8m0 "},
    {"E8M0", "fp8e8m0 "},
    {"Row major linear FP4 format", "fp4 chw"},
    {"FP4E2M1", "fp4 "},
    {"UInt8", "uint8 "},
};

static const char *const strange[] = {
    "",
    "Unknown format",
    "Row major linear FP7",
    "Diagonal FP16 format",
    "CHWx",
    "................",
    "a word that is much longer than any word of a format should be",
    "averyveryveryveryverylongwordthatisone FP16",
};

static void describe(struct fsd_trt_format format, char *out, size_t size)
{
    char layout[16];

    snprintf(out, size, "%s %s", fsd_dtype_name(format.type),
             fsd_layout_name(format.layout, layout));
}

static void format__every_spelling(void **state)
{
    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(cases); i++) {
        struct fsd_trt_format format =
            fsd_trt_format(cases[i].spelling, strlen(cases[i].spelling));
        char found[64];

        describe(format, found, sizeof found);
        assert_string_equal(found, cases[i].expected);
        if (!format.understood)
            fail_msg("not understood: %s", cases[i].spelling);
    }
}

static void format__axis_of_the_channel(void **state)
{
    const char *vectors = "Four wide channel vectorized row major Int8 format";
    struct fsd_trt_format format = fsd_trt_format(vectors, strlen(vectors));

    (void)state;
    assert_int_equal(format.layout.axis, 1);
    assert_int_equal(format.layout.width, 4);
    assert_int_equal(fsd_trt_format("kLINEAR", 7).layout.axis, 0);
}

static void format__strange_words_keep_the_rest(void **state)
{
    const char *half = "Diagonal FP16 format";

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(strange); i++)
        if (fsd_trt_format(strange[i], strlen(strange[i])).understood)
            fail_msg("understood: %s", strange[i]);
    assert_int_equal(fsd_trt_format(half, strlen(half)).type, FSD_FP16);
}

static void format__numbers_that_overflow(void **state)
{
    const char *text = "channel % 99999999999999999999 == 0 4294967296 wide spatial";
    struct fsd_trt_format format = fsd_trt_format(text, strlen(text));

    (void)state;
    assert_false(format.understood);
}

/* ----------------------------------------------------------------- kernels' names */

/* kernel, types of weights and bias, the type that it computes in */
static const struct {
    const char *tactic;
    enum fsd_dtype weights, bias, expected;
} kernels[] = {
    {"sm80_xmma_fprop_implicit_gemm_interleaved_i8i8_i8i32_f32_nchw", 0, 0, FSD_INT8},
    {"sm80_xmma_fprop_implicit_gemm_interleaved_i8f16_i8i32_f32_nchw", FSD_INT8,
     FSD_FP32, FSD_INT8},
    {"sm80_xmma_fprop_implicit_gemm_f16f16_f16f16_f16_nhwckrsc_nhwc", 0, 0, FSD_FP16},
    {"sm80_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc", FSD_FP32, 0,
     FSD_TF32},
    {"sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nchwkcrs_nchw", 0, 0, FSD_FP32},
    {"sm80_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize32x32x64", 0, 0, FSD_BF16},
    {"sm89_xmma_fprop_implicit_gemm_e4m3f16_e4m3f32_f32_nhwckrsc", 0, 0, FSD_FP8},
    {"sm50_xmma_cublas_gemvx_f16f16_f32_f32_tn_n_int32_unit_n", 0, 0, FSD_FP16},
    {"sm70_xmma_gemm_as_conv1x1_f16f16_f16_f16_tn_n_simt_small_batch", 0, 0, FSD_FP16},
    {"sm50_xmma_pooling_fw_4d_FP16FP32NHWC_Average_FastDiv", 0, 0, FSD_FP16},
    {"sm50_xmma_pooling_max_nhwc_FP32FP32_WINDOWSIZE_0", 0, 0, FSD_FP32},
    {"sm50_xmma_pooling_coalescedC_NHWC_kMAX_3_False", 0, 0, FSD_DTYPE_UNKNOWN},
    {"ampere_h16816cudnn_128x64_sliced1x2_ldg8_relu", 0, 0, FSD_FP16},
    {"ampere_h16816gemm_64x64_ldg8_relu_stages_64x5_tn_v1", 0, 0, FSD_FP16},
    {"turing_hcudnn_256x64_relu", 0, 0, FSD_FP16},
    {"ampere_fp32_icudnn_int8x4_128x64_relu_medium_nn_v1", 0, 0, FSD_INT8},
    {"turing_i8816cudnn_int8_256x64_ldg16_relu_small_t1", 0, 0, FSD_INT8},
    {"ampere_scudnn_128x64_relu_xregs_large_nn_v1", 0, 0, FSD_FP32},
    {"ampere_s1688cudnn_128x128_stages_32x1_ldg4_relu", 0, 0, FSD_DTYPE_UNKNOWN},
    {"ampere_s1688cudnn_128x128_stages_32x1_ldg4_relu", FSD_FP32, 0, FSD_FP32},
    {"", 0, 0, FSD_DTYPE_UNKNOWN},
    {"", FSD_FP16, FSD_FP16, FSD_FP16},
    {"", 0, FSD_FP16, FSD_FP16},
    {"", 0, FSD_FP32, FSD_DTYPE_UNKNOWN}, /* an INT8 kernel has an FP32 bias, too */
    {"sm80_xmma_fprop_implicit_gemm_interleaved_i8i8_i8i32_f32_nchw", FSD_FP16, 0,
     FSD_DTYPE_UNKNOWN},
    {"____", 0, 0, FSD_DTYPE_UNKNOWN},
    {"h_f16f_f16f16", 0, 0, FSD_FP16},
};

static void tactic__types_in_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(kernels); i++) {
        const struct fsd_layer layer = {.weights_type = kernels[i].weights,
                                        .bias_type = kernels[i].bias};
        enum fsd_dtype found = fsd_trt_computes_in(&layer, kernels[i].tactic);

        if (found != kernels[i].expected)
            fail_msg("%s: %s", kernels[i].tactic, fsd_dtype_name(found));
    }
}

/* The formats that a builder accepts for inputs and outputs of the network: "bf16 hwc8
 * 4/345" is accepted for inputs of rank 4, and for outputs of the ranks 3 to 5.
 * TensorRT accepts "chw" for all types and ranks, so it is left out there. */
static void put_formats(const struct fsd_graph *engine, char *to)
{
    static const char *const layouts[] = {"chw",   "chw2",  "chw4",  "chw8",
                                          "chw16", "chw32", "hwc",   "hwc8",
                                          "hwc16", "dhwc",  "dhwc8", "cdhw32"};

    *to = '\0';
    for (unsigned type = 1; type < FSD__DTYPE_COUNT; type++)
        for (size_t i = fsd_graph_is_rtx(engine) ? 0 : 1; i < FSD_COUNT_OF(layouts);
             i++) {
            char ranks[2][12] = {"", ""};

            for (uint32_t k = 0; k < 20; k++) {
                uint32_t rank = k % 10;

                if (fsd_trt_accepts_format(engine, (enum fsd_dtype)type, layouts[i],
                                           rank, k < 10))
                    sprintf(ranks[k / 10] + strlen(ranks[k / 10]), "%u", rank);
            }
            if (*ranks[0] || *ranks[1])
                sprintf(to + strlen(to), "%s %s %s/%s\n",
                        fsd_dtype_name((enum fsd_dtype)type), layouts[i], ranks[0],
                        ranks[1]);
        }
}

static void formats_of_inputs_and_outputs(void **state)
{
    static const char by_rtx[] = "fp32 chw 12345/12345\n"
                                 "fp32 chw32 4/345\n"
                                 "fp32 hwc 345/345\n"
                                 "fp32 dhwc 45/45\n"
                                 "bf16 chw 12345/12345\n"
                                 "bf16 chw2 4/345\n"
                                 "bf16 chw4 4/345\n"
                                 "bf16 hwc8 4/345\n"
                                 "bf16 dhwc8 5/45\n"
                                 "fp16 chw 12345/12345\n"
                                 "fp16 chw2 4/345\n"
                                 "fp16 chw4 4/345\n"
                                 "fp16 chw32 4/345\n"
                                 "fp16 hwc 345/345\n"
                                 "fp16 hwc8 4/345\n"
                                 "fp16 hwc16 4/345\n"
                                 "fp16 dhwc8 5/45\n"
                                 "fp16 cdhw32 45/45\n"
                                 "fp8 chw 12345/12345\n"
                                 "fp8 hwc16 4/345\n"
                                 "int64 chw 12345/12345\n"
                                 "int32 chw 12345/12345\n"
                                 "int8 chw 12345/12345\n"
                                 "int8 chw4 4/345\n"
                                 "int8 chw32 4/345\n"
                                 "int8 hwc16 4/345\n"
                                 "int8 cdhw32 45/45\n"
                                 "uint8 chw 12345/12345\n"
                                 "uint8 hwc 345/345\n"
                                 "bool chw 12345/12345\n";
    static const char documented[] = "fp32 chw32 34567/34567\n"
                                     "fp32 hwc 34567/34567\n"
                                     "fp32 dhwc 4567/4567\n"
                                     "fp16 chw2 34567/34567\n"
                                     "fp16 chw4 34567/34567\n"
                                     "fp16 chw32 34567/34567\n"
                                     "fp16 hwc8 34567/34567\n"
                                     "fp16 hwc16 34567/34567\n"
                                     "fp16 dhwc8 4567/4567\n"
                                     "fp16 cdhw32 4567/4567\n"
                                     "int8 chw4 34567/34567\n"
                                     "int8 chw32 34567/34567\n"
                                     "int8 cdhw32 4567/4567\n";
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_graph *engine = fsd_graph_new(arena, fsd_intern_new(arena));
    char found[4096];

    (void)state;
    engine->producer = fsd_intern_str(engine->names, "TensorRT 10.16");
    put_formats(engine, found);
    assert_string_equal(found, documented);
    engine->producer = fsd_intern_str(engine->names, "TensorRT for RTX 1.7");
    put_formats(engine, found);
    assert_string_equal(found, by_rtx);
    fsd_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_of_inputs_and_outputs),
        cmocka_unit_test(format__every_spelling),
        cmocka_unit_test(format__axis_of_the_channel),
        cmocka_unit_test(format__strange_words_keep_the_rest),
        cmocka_unit_test(format__numbers_that_overflow),
        cmocka_unit_test(tactic__types_in_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
