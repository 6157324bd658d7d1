/* Policies as large as they may be, and what may be freed though it is not there. */
#include "change/compare/exports.h"
#include "judge/gate/gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A policy that says the same `n` times. */
static enum fsd_status read_many(const char *section, unsigned n, struct fsd_error *err)
{
    size_t size = strlen(section);
    char *text = calloc(n, size + 1);
    struct fsd_memory file = {.path = "policy.ini", .bytes = text, .size = n * size};
    struct fsd_policy *policy;
    enum fsd_status status;

    assert_non_null(text);
    for (unsigned i = 0; i < n; i++)
        memcpy(text + i * size, section, size);
    fsd_use_memory(&file, 1);
    status = fsd_policy_read(&policy, "policy.ini", err);
    fsd_use_memory(NULL, 0);
    fsd_policy_free(policy);
    free(text);
    return status;
}

static void policy__most_sections(void **state)
{
    static const struct {
        const char *section, *complaint;
        unsigned lines;
    } rows[] = {{"[ignore a]\nrule = latency\nreason = known\n",
                 "expected at most 1000 ignores, found 'a'", 3},
                {"[precision-required all]\ntype = fp16\n",
                 "expected at most 1000 requirements, found 'all'", 2}};

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(rows); i++) {
        struct fsd_error err;

        assert_int_equal(read_many(rows[i].section, 1000, &err), FSD_OK);
        assert_int_equal(read_many(rows[i].section, 1001, &err), FSD_E_FORMAT);
        assert_string_equal(err.message, rows[i].complaint);
        assert_int_equal(err.pos, 1000 * rows[i].lines + 1);
    }
}

/* Names and reasons are printed in reports: no byte of a policy may be other text. */
static void policy__utf8_only(void **state)
{
    static const char text[] = "[ignore a]\nrule = latency\nreason = known\n; \xc3\xa9";

    (void)state;
    for (size_t i = 0; i < sizeof text - 1; i++) {
        struct fsd_error err;
        char changed[sizeof text];

        memcpy(changed, text, sizeof text);
        assert_int_equal(read_many(changed, 1, &err), FSD_OK);
        changed[i] = (char)0xff;
        assert_int_equal(read_many(changed, 1, &err), FSD_E_FORMAT);
        assert_string_equal(err.message, "expected UTF-8 text, found 'bytes that are "
                                         "not UTF-8'");
    }
}

static void nothing_to_free(void **state)
{
    (void)state;
    fsd_policy_free(NULL);
    fsd_verdict_free(NULL);
    fsd_compare_free(NULL);
    fsd_exports_free(NULL);
    fsd_state_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(policy__most_sections),
                                       cmocka_unit_test(policy__utf8_only),
                                       cmocka_unit_test(nothing_to_free)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
