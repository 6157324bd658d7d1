/* Whether lint knows what TensorRT for RTX does with each operator of ops/table.inc: an
 * importer is listed, or a row refuses it.  Of what is neither, lint reports that there
 * is no importer, though no one has looked. */
#include "build_graph.h"
#include "model/ops/ids.h"
#include "judge/lint/lint.h"
#include "model/ops/rule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool is_decided(const char *op)
{
    struct fsd_arena *arena = fsd_arena_new();
    struct fsd_target target;
    struct fsd_graph *g;
    const struct fsd_lint *l;
    char text[128];
    bool decided;

    assert_true(fsd_target_read(&target, "rtx", arena));
    snprintf(text, sizeof text, "in x fp32 1,4,8,8\nout y\n%s n: x -> y\n", op);
    g = build_model(arena, fsd_op_names_new(arena), text);
    l = fsd_lint_new(arena, fsd_facts_new(arena, g), fsd_sizes_of_model(arena, g),
                     target);
    decided = fsd_lint_import(l, 0) == FSD_IMPORTED || fsd_lint_refusal(l, 0);
    fsd_arena_free(arena);
    return decided;
}

static void every_operator_is_imported_or_refused(void **state)
{
    uint32_t n;
    const struct fsd_op *ops = fsd_ops(&n);
    bool all = true;

    (void)state;
    for (uint32_t i = 0; i < n; i++) {
        unsigned domains = ops[i].domains ? ops[i].domains : FSD_DOMAIN_ONNX;

        if (!(domains & FSD_DOMAIN_ONNX) || is_decided(ops[i].name))
            continue;
        print_error("%s: add it to `imported` or to a row in lint/refusals.c\n",
                    ops[i].name);
        all = false;
    }
    assert_true(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operator_is_imported_or_refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
