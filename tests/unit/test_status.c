/* Every status is what the public calls return for inputs that a user may have, with a
 * message that names the file; the last test names a status without a row here. */
#include "fusiondiff/fusiondiff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define MODEL  FSD_FIXTURES "/qat_block/model.onnx"
#define ENGINE FSD_FIXTURES "/qat_block/engine.graph.json"

static const char *const shapes[] = {"input=1xtwo"};

static const struct row {
    struct fsd_options run;
    const char *snapshot; /* checked against where it is not NULL */
    const char *names;    /* what the message has to name */
} rows[FSD__STATUS_COUNT] = {
    [FSD_OK] = {{.model = MODEL, .engine = ENGINE}, NULL, ""},
    [FSD_E_IO] = {{.model = FSD_FIXTURES "/none.onnx", .engine = ENGINE},
                  NULL,
                  "none.onnx"},
    [FSD_E_FORMAT] = {{.model = MODEL, .engine = FSD_FIXTURES "/qat_block/make.py"},
                      NULL,
                      "make.py"},
    [FSD_E_LIMIT] = {{.model = FSD_FIXTURES "/onnx/doubling.onnx", .engine = ENGINE},
                     NULL,
                     "nodes after all function calls are expanded"},
    [FSD_E_UNSUPPORTED] = {{.model = MODEL, .engine = ENGINE},
                           FSD_FIXTURES "/gate/newer.fsd",
                           "newer.fsd"},
    [FSD_E_MISMATCH] = {{.model = MODEL,
                         .engine = FSD_FIXTURES "/synthetic/concat-8.6/engine.json"},
                        NULL,
                        "model.onnx"},
    [FSD_E_WRITE] = {{.model = MODEL, .engine = ENGINE}, NULL, ""},
    [FSD_E_ARG] = {{.model = MODEL, .engine = ENGINE, .shapes = shapes, .n_shapes = 1},
                   NULL,
                   "'input=1xtwo'"},
};

/* Opens as the row says and writes; /dev/full takes no byte. */
static enum fsd_status try(const struct row *row, const char *path,
                           struct fsd_error *err)
{
    struct fsd_check_options against = {.snapshot = row->snapshot};
    struct fsd_check *check = NULL;
    struct fsd_diff *diff = NULL;
    enum fsd_status status = row->snapshot
                                 ? fsd_check_open(&check, &row->run, &against, err)
                                 : fsd_diff_open(&diff, &row->run, err);
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    assert_true(status == FSD_OK || (!check && !diff));
    if (diff)
        status = fsd_diff_write(diff, "json", NULL, out, err);
    fclose(out);
    fsd_check_free(check);
    fsd_diff_free(diff);
    return status;
}

static void each_status_is_returned(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FSD__STATUS_COUNT; i++) {
        struct fsd_error err = {0};
        char text[1024];

        if (i == FSD_E_MEMORY)
            continue; /* test_memory.c */
        if (!rows[i].names)
            fail_msg("no row for the status %s", fsd_status_name((enum fsd_status)i));
        assert_string_equal(
            fsd_status_name(
                try(&rows[i], i == FSD_E_WRITE ? "/dev/full" : "/dev/null", &err)),
            fsd_status_name((enum fsd_status)i));
        if (i == FSD_OK)
            continue;
        assert_int_equal(err.status, i);
        assert_non_null(strstr(fsd_error_text(&err, text, sizeof text), rows[i].names));
        assert_true(*err.message != '\0');
    }
}

static void names_of_statuses_differ(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FSD__STATUS_COUNT; i++)
        for (unsigned k = 0; k < i; k++)
            assert_string_not_equal(fsd_status_name((enum fsd_status)i),
                                    fsd_status_name((enum fsd_status)k));
    assert_string_equal(fsd_status_name(FSD__STATUS_COUNT), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_status_is_returned),
        cmocka_unit_test(names_of_statuses_differ),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
