/* Versions of trtexec's first line: 8.x in four digits, 10.x in six. */
#include "read/log/log.h"

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
    expect("[TensorRT v1000]", "TensorRT 1.0.0");
    expect("[TensorRT v9999]", "TensorRT 9.9.99");
    expect("[TensorRT v10000]",
           "TensorRT 1.0.0"); /* five digits: as those from 10 on */
    expect("[TensorRT v100000]", "TensorRT 10.0.0");
    expect("[TensorRT v999999]", "TensorRT 99.99.99");
}

static void test_no_version(void **state)
{
    (void)state;
    expect("", NULL);
    expect("[TensorRT v", NULL);
    expect("[TensorRT v8203", NULL);
    expect("[TensorRT v12]", NULL);
    expect("[TensorRT v999]", NULL);
    expect("[TensorRT v1000000]", NULL);
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
