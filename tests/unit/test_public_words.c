/* Which texts an anonymized report may show as they are: of ONNX's own words alone. */
#include "base/base.h"
#include "edit/issue/public_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct row {
    const char *text;
    bool is_public;
};

static void check_rows(const struct row *rows, size_t n, const char *more)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_public_words *p = fsd_public_new(arena);

    fsd_public_add(p, more);
    for (size_t i = 0; i < n; i++)
        if (fsd_public_has(p, fsd_slice_of(rows[i].text)) != rows[i].is_public)
            fail_msg("'%s' is %spublic", rows[i].text, rows[i].is_public ? "not " : "");
    fsd_arena_free(arena);
}

static void words_of_onnx_are_public(void **state)
{
    static const struct row rows[] = {
        {"", true},
        {"Conv", true},
        {"conv", true},
        {"CONV", true},
        {"ConvTranspose", true},
        {"MulAdd", true},
        {"NMSPlugin", false},
        {"LSTMRelu", true},
        {"axis=1, keepdims", true},
        {"coordinate_transformation_mode", true},
        {"Acme", false},
        {"ConvAcme", false},
        {"AcmeConv", false},
        {"convacme", false},
        {"Conv Acme Conv", false},
        {"a b c 1.5 (x)", true},
        {"ab", false},
        {"caf\303\251", false},
        {"supercalifragilisticexpialidociousconvolution", false},
    };

    (void)state;
    check_rows(rows, FSD_COUNT_OF(rows), NULL);
}

/* Only as far as it is a number. */
static void a_number_in_hexadecimal_is_public(void **state)
{
    static const struct row rows[] = {
        {"0x6b24169dfd4ad585", true},
        {"0xdeadbeef", true},
        {"0xDEADBEEF", true},
        {"0x", true},
        {"0xsecret", false},
        {"0xdeadSECRET", false},
        {"1xdead", false},
        {"deadbeef", false},
        {"Conv_0xbeef_Relu", true},
        {"0xbeefzoo", false},
    };

    (void)state;
    check_rows(rows, FSD_COUNT_OF(rows), NULL);
}

static void words_may_be_added(void **state)
{
    static const struct row rows[] = {
        {"Acme", true}, {"acme corp", true}, {"AcmeCorp", true}, {"corps", false}};

    (void)state;
    check_rows(rows, FSD_COUNT_OF(rows), " acme  corp ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_onnx_are_public),
        cmocka_unit_test(a_number_in_hexadecimal_is_public),
        cmocka_unit_test(words_may_be_added),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
