/* Texts in each number of columns, as fit.found has them: below each text, what is
 * shown of it from a width on. FSD_UPDATE=1 writes fit.found: read it before you keep
 * it. */
#include "base/base.h"
#include "cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const texts[] = {
    "/model/layers.0/self_attn/q_proj/MatMul_output_0",
    "model.layers.0/self attention (requested int8)/Add",
    "/a/b/c/d/e/f/g/h",
    "Conv_1 + Relu_2 + Conv_3 + Relu_4 + Conv_5 + Relu_6 + Conv_7 + Relu_8 + Conv_9 + "
    "Relu_10 + Conv_11 + Relu_12",
    "/m/x/Conv + /m/x/Relu + /m/x/Add (a + b) + /m/x/Mul",
    "/m/layers.0/conv/Conv + /n/layers.0/conv/Relu + /m/layers.1/conv/Transpose",
    "{ForeignNode[/m/a/Add + /m/a/Mul.../m/b/MatMul]} + Reshape",
    "/m/attention/q_proj/Add + /m/attention/Reshape and 12 more",
    "/m/\u5377\u79ef/Add + /m/\u5377\u79ef/cafe\u0301 + /m/\u5377\u79ef/Mul",
};

static void put_shown(const char *text, bool names, FILE *out)
{
    FSD_SCRATCH(arena);
    const char *before = NULL;

    fprintf(out, "%s of %s\n", names ? "names" : "fitted", text);
    for (size_t width = 8; width < 120; width++) {
        struct fsd_print print;
        FILE *to = fsd_print_open(&print);
        size_t used = names ? fsd_put_names(to, text, " + ", width)
                            : fsd_put_fitted(to, text, width);
        const char *shown = fsd_print_take(&print, arena);

        assert_int_equal(used, fsd_safe_width(shown));
        if (!before || strcmp(before, shown) != 0)
            fprintf(out, "%zu %s%s\n", width, shown,
                    used > width ? "  (too long)" : "");
        before = shown;
    }
}

static void texts_are_fitted(void **state)
{
    char *found;
    size_t size;
    FILE *out = fsd_memory_open(&found, &size);

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int names = 0; names < 2; names++)
            put_shown(texts[i], names, out);
    fclose(out);
    need_found(FSD_CASES "/../fit.found", found);
    free(found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts_are_fitted)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
