/* Edges and chains of layers that only move data, and islands. */
#include "build_graph.h"
#include "judge/findings/findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char model[] = "in x fp16 1,8,4,4\n"
                            "out z\n"
                            "Relu a: x -> p\n"
                            "Sigmoid b: p -> q\n"
                            "Tanh c: q -> z\n";

static uint32_t count(const struct fsd_diff *d, const char *rule)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < d->findings->list.n; i++)
        n +=
            !strcmp(d->findings->rules.at[d->findings->list.at[i].rule].rule->id, rule);
    return n;
}

static void flow__edge_through_a_chain(void **state)
{
    struct fsd_diff *d =
        build_diff(model,
                   "in x\n"
                   "out z\n"
                   "PointWise a | n:a | x:fp16 -> p:fp16\n"
                   "Reformat Reformatting1 | s:b | p:fp16 -> p1:fp32\n"
                   "Reformat Reformatting2 | s:b | p1:fp32 -> p2:int8\n"
                   "PointWise b | n:b | p2:int8 -> q:fp16\n"
                   "PointWise c | n:c | q:fp16 -> z:fp16\n",
                   FSD_BY_ALL);

    (void)state;
    assert_false(d->flows->of[0].there);
    for (fsd_id i = 1; i <= 2; i++) {
        const struct fsd_flow *flow = &d->flows->of[i];
        const struct fsd_reader *reader = &d->flows->readers.at[flow->readers.at];

        assert_true(flow->there);
        assert_int_equal(flow->source, 0);
        assert_int_equal(flow->producer, 0);
        assert_int_equal(flow->head, 1);
        assert_int_equal(flow->readers.n, 1);
        assert_int_equal(reader->layer, 3);
        assert_int_equal(reader->node, 1);
        assert_int_equal(reader->input, 0);
    }
    assert_int_equal(d->flows->of[1].before, FSD_NONE);
    assert_int_equal(d->flows->of[2].before, 1);
    assert_int_equal(count(d, "inserted/chain"), 1);
    assert_int_equal(count(d, "inserted/round-trip"), 0);
    fsd_diff_free(d);
}

static void flow__output_of_the_network(void **state)
{
    struct fsd_diff *d =
        build_diff(model,
                   "in x\n"
                   "out z\n"
                   "PointWise abc | n:a n:b n:c | x:fp16 -> z1:fp16\n"
                   "Reformat Reformatting1 | s:c | z1:fp16 -> z:fp32\n",
                   FSD_BY_ALL);
    const struct fsd_flow *flow = &d->flows->of[1];

    (void)state;
    assert_int_equal(flow->readers.n, 1);
    assert_int_equal(d->flows->readers.at[flow->readers.at].layer, FSD_NONE);
    assert_int_equal(d->reasons[1].cause, FSD_CAUSE_IO);
    fsd_diff_free(d);
}

/* A loop of layers must not hold a walk up. */
static void flow__loop_ends(void **state)
{
    struct fsd_diff *d =
        build_diff(model,
                   "in x\n"
                   "out z\n"
                   "PointWise a | n:a | x:fp16 -> p:fp16\n"
                   "Reformat Reformatting1 | s:b | l2:fp16 -> l1:fp32\n"
                   "Reformat Reformatting2 | s:b | l1:fp32 -> l2:fp16\n"
                   "PointWise bc | n:b n:c | p:fp16 -> z:fp16\n",
                   FSD_BY_ALL);

    (void)state;
    assert_int_equal(d->flows->of[1].source, FSD_NONE);
    assert_int_equal(d->flows->of[2].readers.n, 0);
    fsd_diff_free(d);
}

static const char narrow_wide_narrow[] = "in x\n"
                                         "out z\n"
                                         "PointWise a | n:a | x:int8 -> p:fp16\n"
                                         "PointWise b | n:b | p:fp16 -> q:fp16\n"
                                         "PointWise c | n:c | q:fp16 -> z:int8\n";

static void island__between_narrow_ones(void **state)
{
    struct fsd_diff *d = build_diff(model, narrow_wide_narrow, FSD_BY_ALL);
    const struct fsd_island *island = d->islands->list.at;

    (void)state;
    assert_int_equal(d->islands->list.n, 1);
    assert_int_equal(island->entry, 0);
    assert_int_equal(island->exit, 2);
    assert_int_equal(island->layers.n, 1);
    assert_int_equal(d->islands->pool.at[island->layers.at], 1);
    assert_int_equal(island->nodes.n, 1);
    assert_int_equal(d->islands->pool.at[island->nodes.at], 1);
    assert_true(island->ms < 0);
    assert_int_equal(count(d, "precision/island"), 1);
    fsd_diff_free(d);
}

/* An island that begins at an unnamed node says which one. */
static void island__begins_unnamed(void **state)
{
    static const char unnamed[] =
        "in x\nout z\nRelu -: x -> p\nRelu b: p -> q\nRelu c: q -> z\n";
    struct fsd_diff *d = build_diff(unnamed,
                                    "in x\nout z\n"
                                    "PointWise first | | x:int8 -> p:fp16\n"
                                    "PointWise b | n:b | p:fp16 -> q:fp16\n"
                                    "PointWise c | n:c | q:fp16 -> z:int8\n",
                                    FSD_BY_ALL);
    const struct fsd_findings *all = d->findings;
    const char *entry = NULL;

    (void)state;
    for (uint32_t i = 0; i < all->facts.n; i++)
        if (!strcmp(all->facts.at[i].key, "entry"))
            entry = all->facts.at[i].text;
    assert_non_null(entry);
    assert_string_equal(entry, "#0 (Relu)");
    fsd_diff_free(d);
}

/* Wide to the end is no island, and FP32 to its end among FP16 neither. */
static void island__needs_both_shores(void **state)
{
    static const char *const engines[] = {
        "in x\nout z\n"
        "PointWise a | n:a | x:int8 -> p:fp16\n"
        "PointWise bc | n:b n:c | p:fp16 -> z:fp16\n",
        "in x\nout z\n"
        "PointWise ab | n:a n:b | x:fp16 -> q:fp16\n"
        "PointWise c | n:c | q:fp16 -> z:int8\n",
        "in x\nout z\n"
        "PointWise a | n:a | x:fp16 -> p:fp32\n"
        "PointWise bc | n:b n:c | p:fp32 -> z:fp32\n"};

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(engines); i++) {
        struct fsd_diff *d = build_diff(model, engines[i], FSD_BY_ALL);

        assert_int_equal(d->islands->list.n, 0);
        fsd_diff_free(d);
    }
}

static void island__fp32_among_fp16(void **state)
{
    struct fsd_diff *d = build_diff(model,
                                    "in x\n"
                                    "out z\n"
                                    "PointWise a | n:a | x:fp16 -> p:fp32\n"
                                    "PointWise b | n:b | p:fp32 -> q:fp32\n"
                                    "PointWise c | n:c | q:fp32 -> z:fp16\n",
                                    FSD_BY_ALL);

    (void)state;
    assert_int_equal(d->islands->list.n, 1);
    assert_int_equal(d->islands->list.at[0].type, FSD_FP32);
    fsd_diff_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flow__edge_through_a_chain),
        cmocka_unit_test(flow__output_of_the_network),
        cmocka_unit_test(flow__loop_ends),
        cmocka_unit_test(island__between_narrow_ones),
        cmocka_unit_test(island__begins_unnamed),
        cmocka_unit_test(island__needs_both_shores),
        cmocka_unit_test(island__fp32_among_fp16),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
