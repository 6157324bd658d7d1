/* Every status is what some call of the public API returns, with a reason. */
#include "fusiondiff/fusiondiff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MODEL  FSD_FIXTURES "/qat_block/model.onnx"
#define ENGINE FSD_FIXTURES "/qat_block/engine.graph.json"

static enum fsd_status open_pair(const char *model, const char *engine,
                                 struct fsd_error *err)
{
    struct fsd_options options = {.model = model, .engine = engine};
    struct fsd_diff *d;
    enum fsd_status status = fsd_diff_open(&d, &options, err);

    assert_true((d != NULL) == (status == FSD_OK));
    fsd_diff_free(d);
    return status;
}

static enum fsd_status write_pair(const char *format, const char *path,
                                  struct fsd_error *err)
{
    struct fsd_options options = {.model = MODEL, .engine = ENGINE};
    struct fsd_diff *d;
    FILE *out = fopen(path, "w");
    enum fsd_status status;

    assert_non_null(out);
    assert_int_equal(fsd_diff_open(&d, &options, err), FSD_OK);
    status = fsd_diff_write(d, format, NULL, out, err);
    fsd_diff_free(d);
    fclose(out);
    return status;
}

static enum fsd_status check_against(const char *snapshot, struct fsd_error *err)
{
    struct fsd_options options = {.model = MODEL, .engine = ENGINE};
    struct fsd_check_options check = {.snapshot = snapshot};
    struct fsd_check *c;
    enum fsd_status status = fsd_check_open(&c, &options, &check, err);

    fsd_check_free(c);
    return status;
}

static enum fsd_status provoke(enum fsd_status status, struct fsd_error *err)
{
    switch (status) {
    case FSD_OK:
        return open_pair(MODEL, ENGINE, err);
    case FSD_E_IO:
        return open_pair(FSD_FIXTURES "/missing.onnx", ENGINE, err);
    case FSD_E_FORMAT:
        return check_against(FSD_FIXTURES "/gate/damaged.fsd", err);
    case FSD_E_LIMIT: /* functions that double, thirty deep */
        return open_pair(FSD_FIXTURES "/onnx/doubling.onnx", ENGINE, err);
    case FSD_E_UNSUPPORTED:
        return check_against(FSD_FIXTURES "/gate/newer.fsd", err);
    case FSD_E_MISMATCH:
        return open_pair(FSD_FIXTURES "/synthetic/attention-10/model.onnx", ENGINE,
                         err);
    case FSD_E_WRITE:
        return write_pair("json", "/dev/full", err);
    case FSD_E_ARG:
        return write_pair("xls", "/dev/null", err);
    case FSD__STATUS_COUNT:
        break;
    }
    return FSD__STATUS_COUNT;
}

static void test_each(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FSD__STATUS_COUNT; i++) {
        struct fsd_error err = {.status = FSD_OK};

        assert_int_equal(provoke((enum fsd_status)i, &err), i);
        assert_int_equal(err.status, i);
        assert_true(i == FSD_OK || err.message[0]);
        assert_true(fsd_status_name((enum fsd_status)i)[0]);
        for (unsigned k = 0; k < i; k++)
            assert_string_not_equal(fsd_status_name((enum fsd_status)i),
                                    fsd_status_name((enum fsd_status)k));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
