/*
 * Every spelling of a tensor's format that was seen in real dumps, and what it means.
 * Strings are written out rather than generated, since a reader that understood its own
 * generator proves little.
 */
#include "trt/trt.h"
#include "base/id.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(format__every_spelling),
        cmocka_unit_test(format__axis_of_the_channel),
        cmocka_unit_test(format__strange_words_keep_the_rest),
        cmocka_unit_test(format__numbers_that_overflow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
