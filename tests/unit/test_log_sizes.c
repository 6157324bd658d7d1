/* Open sizes: what the builder's list of layers says that they follow from. */
#include "log_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT = 4096 };

/* x (-1, 3) -> Conv "c", made of the layers "c" and "c_1" -> y (-1, 3), with what the
 * list says of both. */
static const char head[] =
    "[V] [TRT] Adding network input: x with dtype: float32, dimensions: (-1, 3)\n"
    "[V] [TRT] Parsing node: c [Conv]\n"
    "[V] [TRT] c [Conv] inputs: [x -> (-1, 3)[FLOAT]], \n"
    "[V] [TRT] Registering layer: w for ONNX node: w\n"
    "[V] [TRT] Registering layer: c for ONNX node: c\n"
    "[V] [TRT] Registering layer: c_1 for ONNX node: c\n"
    "[V] [TRT] c [Conv] outputs: [y -> (-1, 3)[FLOAT]], \n"
    "[V] [TRT] Marking y as output: y\n"
    "[V] [TRT] GRAPH NODES\n";

/* Writes a term with its operators between their operands. */
static void spell(const struct log *l, const struct fsd_graph *g, fsd_id term, char *to)
{
    static const char *const words[] = {[FSD_TERM_PLUS] = "+",
                                        [FSD_TERM_TIMES] = "*",
                                        [FSD_TERM_CEIL] = "/^",
                                        [FSD_TERM_MOST] = "max",
                                        [FSD_TERM_LEAST] = "min"};
    const struct fsd_term *t = &g->terms.at[term];
    char *end = to + strlen(to);

    if (t->is == FSD_TERM_NUMBER) {
        sprintf(end, "%d", (int)t->number);
    } else if (t->is == FSD_TERM_NAME) {
        strcat(to, fsd_text(l->names, t->name));
    } else {
        strcat(to, "(");
        spell(l, g, t->a, to);
        sprintf(to + strlen(to), " %s ", words[t->is]);
        spell(l, g, t->b, to);
        strcat(to, ")");
    }
}

/* What is known of the first size of a tensor, as text: "?" when nothing is. */
static void assert_size(struct log *l, const struct fsd_graph *g, const char *tensor,
                        const char *want)
{
    fsd_id t = fsd_graph_find(g, fsd_intern_str(l->names, tensor), 0);
    const struct fsd_form *form = fsd_tensor_form(g, t);
    const struct fsd_dim *dim = &g->dims.at[form->dims.at];
    char got[TEXT] = "";

    assert_int_equal(form->dims.n, 2);
    assert_int_equal(g->dims.at[form->dims.at + 1].size, 3);
    if (dim->term)
        spell(l, g, dim->term - 1, got);
    else
        strcat(got, dim->name ? fsd_text(l->names, dim->name) : "?");
    assert_string_equal(got, want);
    assert_int_equal(dim->size, -1);
}

/* Both tensors' first sizes, when the list says this of the layers. */
static void expect(const char *list, const char *x, const char *y)
{
    char text[2 * TEXT];
    struct log l;
    struct fsd_graph *g;

    snprintf(text, sizeof text, "%s%s[V] [TRT] Graph construction completed\n", head,
             list);
    l = read_log(text);
    g = log_network(&l);
    assert_size(&l, g, "x", x);
    assert_size(&l, g, "y", y);
    fsd_arena_free(l.arena);
}

/* The first size of y, when its formula is this one. */
static void expect_formula(const char *formula, const char *want)
{
    char list[TEXT];

    snprintf(list, sizeof list,
             "[V] [TRT] SHUFFLE c_1\n[V] [TRT]     Output 0\n"
             "[V] [TRT]         [1,8]\t%s\n[V] [TRT]         3\t3\n",
             formula);
    expect(list, "?", want);
}

static void formulas(void **state)
{
    (void)state;
    expect_formula("batch", "batch");
    expect_formula("(+ a b)", "(a + b)");
    expect_formula("(+ a -2)", "(a + -2)");
    expect_formula("(* 2 a b)", "((2 * a) * b)");
    expect_formula("(CEIL_DIV a 2)", "(a /^ 2)");
    expect_formula("(MAX a 1)", "(a max 1)");
    expect_formula("(MIN a 7)", "(a min 7)");
    expect_formula("(MUL_ADD a b c)", "((a * b) + c)");
    expect_formula("(+ (CEIL_DIV (+ h -2) 2) 1)", "(((h + -2) /^ 2) + 1)");
    expect_formula("(+ (* a b) (MIN c (MAX d 2x)))", "((a * b) + (c min (d max 2x)))");
    expect_formula("(+ 1073741824 a)", "(1073741824 + a)");
}

/* A formula that is not understood whole says nothing. */
static void formulas_that_are_not_understood(void **state)
{
    static const char *const odd[] = {"",
                                      "(",
                                      "()",
                                      "(+",
                                      "(+ ",
                                      "(+ a",
                                      "(+ a)",
                                      "(+ a b",
                                      "(+ a b) c",
                                      "(+ a  b)",
                                      "(+a b)",
                                      "(MAX a)",
                                      "(MAX a b c)",
                                      "(MIN a b c)",
                                      "(CEIL_DIV a b c)",
                                      "(MUL_ADD a b)",
                                      "(MUL_ADD a b c d)",
                                      "(% a b)",
                                      "(MOD a b)",
                                      "(+ a (% b c))",
                                      "(+ (% b c) a)"};

    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        expect_formula(odd[i], "?");
}

/* "(+ a (+ a (+ ... a)))", `n` deep; "(+ a a ... a)" of `n`. */
static void bounds_of_formulas(void **state)
{
    char text[TEXT], want[TEXT];

    (void)state;
    for (unsigned n = 16; n <= 17; n++) {
        *text = *want = '\0';
        for (unsigned i = 0; i < n; i++)
            strcat(text, "(+ a ");
        strcat(text, "a");
        for (unsigned i = 0; i < n; i++)
            strcat(text, ")");
        for (unsigned i = 0; i < n; i++)
            strcat(want, "(a + ");
        strcat(want, "a");
        for (unsigned i = 0; i < n; i++)
            strcat(want, ")");
        expect_formula(text, n <= 16 ? want : "?");
        strcpy(text, "(+");
        *want = '\0';
        for (unsigned i = 0; i < n; i++)
            strcat(text, " a");
        strcat(text, ")");
        for (unsigned i = 1; i < n; i++)
            strcat(want, "(");
        strcat(want, "a");
        for (unsigned i = 1; i < n; i++)
            strcat(want, " + a)");
        expect_formula(text, n <= 16 ? want : "?");
    }
}

/* The first layer of a node reads what the node reads, the last writes what it writes;
 * what the parser's own sizes contradict does not count. */
static void which_layer_tells(void **state)
{
    (void)state;
    expect("[V] CONVOLUTION c\n[V]     Input 0\n[V]         [1,8]\tbatch\n"
           "[V]         3\t3\n[V]     Output 0\n[V]         [1,8]\tinner\n"
           "[V]         3\t3\n[V] SHUFFLE c_1\n[V]     Input 0\n"
           "[V]         [1,8]\tinner\n[V]         3\t3\n[V]     Output 0\n"
           "[V]         [1,8]\t(* 2 batch)\n[V]         3\t3\n",
           "batch", "(2 * batch)");
    expect("[V] CONVOLUTION w\n[V]     Input 0\n[V]         [1,8]\tbatch\n"
           "[V]         3\t3\n",
           "?", "?");
    /* Of inputs names only: what all else follows from. */
    expect("[V] CONVOLUTION c\n[V]     Input 0\n[V]         [1,8]\t(+ a 1)\n"
           "[V]         3\t3\n",
           "?", "?");
    /* Other sizes; fewer, and more than there are, unless those are 1. */
    expect("[V] SHUFFLE c_1\n[V]     Output 0\n[V]         [1,8]\tbatch\n"
           "[V]         4\t4\n",
           "?", "?");
    expect("[V] SHUFFLE c_1\n[V]     Output 0\n[V]         [1,8]\tbatch\n", "?", "?");
    expect("[V] SHUFFLE c_1\n[V]     Output 0\n[V]         [1,8]\tbatch\n"
           "[V]         3\t3\n[V]         2\t2\n",
           "?", "?");
    expect("[V] SHUFFLE c_1\n[V]     Output 0\n[V]         [1,8]\tbatch\n"
           "[V]         3\t3\n[V]         1\t1\n[V]         1\t1\n",
           "?", "batch");
    /* Another tensor than the node has. */
    expect("[V] SHUFFLE c_1\n[V]     Output 1\n[V]         [1,8]\tbatch\n"
           "[V]         3\t3\n[V]     Inside 0\n[V]         [1,8]\tbatch\n"
           "[V]         3\t3\n",
           "?", "?");
    /* What was stated first stays. */
    expect("[V] SHUFFLE c_1\n[V]     Output 0\n[V]         [1,8]\tbatch\n"
           "[V]         3\t3\n[V]     Output 0\n[V]         [1,8]\tother\n"
           "[V]         3\t3\n",
           "?", "batch");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas),
        cmocka_unit_test(formulas_that_are_not_understood),
        cmocka_unit_test(bounds_of_formulas),
        cmocka_unit_test(which_layer_tells),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
