/* Versions of trtexec's first line: 8.x in four digits, 10.x in six. */
#include "log/version.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *text, const char *version)
{
    char out[32] = "";

    assert_int_equal(fsd_log_version(fsd_slice_of(text), out), version != NULL);
    if (version)
        assert_string_equal(out, version);
}

static void test_versions(void **state)
{
    (void)state;
    expect("&&&& RUNNING TensorRT.trtexec [TensorRT v8003] # trtexec",
           "TensorRT 8.0.3");
    expect("&&&& RUNNING TensorRT.trtexec [TensorRT v8203] # trtexec",
           "TensorRT 8.2.3");
    expect("&&&& RUNNING TensorRT.trtexec [TensorRT v101601] [b11] #",
           "TensorRT 10.16.1");
}

static void test_no_version(void **state)
{
    (void)state;
    expect("", NULL);
    expect("[TensorRT v", NULL);
    expect("[TensorRT v8203", NULL);
    expect("[TensorRT v12]", NULL);
    expect("[TensorRT v99999999999999999999]", NULL);
    expect("TensorRT version: 8.2.3", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_no_version),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
