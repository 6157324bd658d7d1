/* What a user may call a node, and what comes nearest when it names none. */
#include "model/graph/word.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

static void word__forms(void **state)
{
    static const struct {
        const char *text;
        enum fsd_word_kind kind;
        uint32_t number;
    } cases[] = {{"Conv_4", FSD_WORD_NAME, 0},
                 {"#4", FSD_WORD_NUMBER, 4},
                 {"4", FSD_WORD_BARE, 4},
                 {"node:12", FSD_WORD_NODE, 12},
                 {"layer:0", FSD_WORD_LAYER, 0},
                 {"layer:x", FSD_WORD_NAME, 0},
                 {"layer:", FSD_WORD_NAME, 0},
                 {"#4x", FSD_WORD_NAME, 0},
                 {"#-4", FSD_WORD_NAME, 0},
                 {"", FSD_WORD_NAME, 0},
                 {"/stem/conv?", FSD_WORD_PATTERN, 0},
                 {"a[0]", FSD_WORD_PATTERN, 0},
                 {"#99999999999999999999", FSD_WORD_NAME, 0},
                 {"4294967295", FSD_WORD_NAME, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fsd_word word = fsd_word_read(cases[i].text);

        assert_int_equal(word.kind, cases[i].kind);
        if (word.kind != FSD_WORD_NAME)
            assert_int_equal(word.number, cases[i].number);
    }
}

static void word__fits(void **state)
{
    (void)state;
    assert_true(fsd_word_fits("conv", "conv"));
    assert_false(fsd_word_fits("conv", "Conv"));
    assert_true(fsd_word_fits("a[0]", "a[0]")); /* itself, though a pattern */
    assert_true(fsd_word_fits("a[0]", "a0"));
    assert_true(fsd_word_fits("*", ""));
    assert_true(fsd_word_fits("x\\*", "x\\y")); /* a backslash is a letter */
    assert_false(fsd_word_fits("x\\*", "x*"));
}

static const char *nearest(const char *word, const char *const *names, size_t n,
                           char out[512])
{
    struct fsd_nearest near = fsd_nearest_to(word);

    for (size_t i = 0; i < n; i++)
        fsd_nearest_try(&near, names[i]);
    return fsd_nearest_text(&near, out);
}

static void word__nearest(void **state)
{
    static const char *const names[] = {"Conv_28", "Conv_29", "Conv_29",
                                        "Relu_28", "",        "/layer1/layer1.0/Add"};
    char out[512];

    (void)state;
    assert_string_equal(nearest("conv_28", names, 6, out), "; did you mean 'Conv_28'?");
    assert_string_equal(nearest("Conv_27", names, 6, out),
                        "; did you mean 'Conv_28' or 'Conv_29'?");
    assert_string_equal(nearest("/layer1/layer1.0/Ad", names, 6, out),
                        "; did you mean '/layer1/layer1.0/Add'?");
    assert_string_equal(nearest("MatMul", names, 6, out), "");
    assert_string_equal(nearest("", names, 6, out), "");
    assert_string_equal(nearest("x", names, 6, out), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(word__forms),
                                       cmocka_unit_test(word__fits),
                                       cmocka_unit_test(word__nearest)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
