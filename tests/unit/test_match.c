/* The relation, on graphs small enough to be checked by hand.  What is expected follows
 * from the drawing beside each case, not from what the program printed. */
#include "build_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *model, const char *engine, unsigned evidence,
                   const char *expected)
{
    struct fsd_diff *d = build_diff(model, engine, evidence);
    char *shown = show_diff(d);

    assert_string_equal(shown, expected);
    free(shown);
    fsd_diff_free(d);
}

static void cut__finds_what_names_leave_out(void **state)
{
    (void)state;
    expect("in x\nout y\nconst w\n"
           "Conv conv: x w -> a\n"
           "BatchNormalization bn: a w w w w -> b\n"
           "Relu relu: b -> y\n",
           "in x\nout y\n"
           "CaskConvolution conv | n:conv | x:fp16 -> y:fp16\n",
           FSD_BY_ALL, "conv layer 0:nt\nbn layer 0:t\nrelu layer 0:t\n");
}

static void cut__stops_at_tensors_in_memory(void **state)
{
    (void)state;
    expect("in x\nout y\nconst w\n"
           "Conv c1: x w -> a\nRelu r1: a -> b\nConv c2: b w -> c\nAdd add: c b -> y\n",
           "in x\nout y\n"
           "Conv L0 | | x:fp16 -> b:fp16\n"
           "Conv L1 | | b:fp16 -> y:fp16\n",
           FSD_BY_TENSOR, "c1 layer 0:t\nr1 layer 0:t\nc2 layer 1:t\nadd layer 1:t\n");
}

/* A conv that ends in a Q, the residual's own Q on the same tensor, weights with Q and
 * DQ: everything between the int8 tensors belongs to the layer. */
static void cut__takes_quantizers_along(void **state)
{
    (void)state;
    expect("in x\nout y\nconst w\nconst s\nconst z\n"
           "QuantizeLinear q0: x s z -> qx\n"
           "DequantizeLinear d0: qx s z -> dx\n"
           "QuantizeLinear qw: w s z -> qw_out\n"
           "DequantizeLinear dw: qw_out s z -> dw_out\n"
           "Conv conv: dx dw_out -> a\n"
           "QuantizeLinear q1: x z s -> q1x\n"
           "DequantizeLinear d1: q1x z s -> d1x\n"
           "Add add: a d1x -> b\n"
           "QuantizeLinear q2: b s z -> y\n",
           "in x\nout y\n"
           "Reformat q0 | n:q0 | x:fp32 -> qx:int8\n"
           "Conv w+qw+conv+add | n:qw n:conv n:add | qx:int8 -> y:int8\n",
           FSD_BY_ALL,
           "q0 layer 0:nt\nd0 absorbed 1:t\nqw folded 1:nt\ndw absorbed 1:t\n"
           "conv layer 1:nt\nq1 absorbed 1:t\nd1 absorbed 1:t\nadd layer 1:nt\n"
           "q2 absorbed 1:t\n");
}

/* TensorRT 8.0: the Q moved before the MaxPool and the tensors kept their names.  It is
 * the convolution that quantizes now. */
static void twin__follows_a_swapped_quantizer(void **state)
{
    (void)state;
    expect("in x\nout y\nconst w\nconst s\n"
           "Conv conv: x w -> a\nMaxPool pool: a -> b\n"
           "QuantizeLinear q: b s s -> y\n",
           "in x\nout y\n"
           "Conv conv | n:conv | x:int8 -> b:int8\n"
           "Pool pool | n:pool | b:int8 -> y:int8\n",
           FSD_BY_ALL, "conv layer 0:nt\npool layer 1:nt\nq absorbed 0:t\n");
}

/* The tensors put b between t and y, Metadata into the layer before: the builder knows
 * better.  A layer without Metadata has only its tensors. */
static void metadata__is_not_overruled_by_tensors(void **state)
{
    static const char model[] =
        "in x\nout y\nRelu a: x -> t\nMul b: t t -> u\nTanh c: u -> y\n";
    struct fsd_diff *d = build_diff(model,
                                    "in x\nout y\n"
                                    "K L0 | m:a m:b | x:fp32 -> t:fp32\n"
                                    "K L1 | m:c | t:fp32 -> y:fp32\n",
                                    FSD_BY_ALL);
    char *shown = show_diff(d);

    (void)state;
    assert_string_equal(shown, "a layer 0:mt\nb layer 0:m\nc layer 1:mt\n");
    assert_int_equal(d->match->conflicts.n, 0);
    free(shown);
    fsd_diff_free(d);
    expect(model,
           "in x\nout y\n"
           "K L0 | m:a m:b | x:fp32 -> t:fp32\n"
           "K L1 | n:c | t:fp32 -> y:fp32\n",
           FSD_BY_ALL, "a layer 0:mt\nb layer 0:m 1:t\nc layer 1:nt\n");
}

/* A layer's name may bear the quantizer of its weights and nothing else that is known:
 * that one was folded nevertheless.  A MatMul of constants is the layer's work. */
static void runs__are_no_quantizers_of_weights(void **state)
{
    static const char model[] = "in x\nout y\nconst w\nconst s\nconst v\n"
                                "QuantizeLinear qw: w s s -> q\n"
                                "DequantizeLinear dw: q s s -> d\n"
                                "MatMul m: v v -> p\n"
                                "Conv conv: x d -> c\nAdd add: c p -> y\n";

    (void)state;
    expect(model,
           "in x\nout y\n"
           "Conv qw | n:qw | x:fp32 -> c:fp32\nGemm m | n:m | c:fp32 -> y:fp32\n",
           FSD_BY_NAME,
           "qw folded 0:n\ndw folded\nm layer 1:n\nconv unexplained\n"
           "add unexplained\n");
}

static void reformat__is_seen_through(void **state)
{
    (void)state;
    struct fsd_diff *d =
        build_diff("in x\nout y\nRelu r: x -> y\n",
                   "in x\nout y\n"
                   "Reformat Reformatting0 | s:r | x:fp32 -> t0:fp16\n"
                   "Pointwise r | n:r | t0:fp16 -> t1:fp16\n"
                   "Reformat Reformatting1 | s:r | t1:fp16 -> y:fp32\n",
                   FSD_BY_ALL);
    char *shown = show_diff(d);

    assert_string_equal(shown, "r layer 1:nt\n");
    assert_true(d->layers[0].inserted && d->layers[2].inserted &&
                !d->layers[1].inserted);
    assert_int_equal(d->reasons[0].cause, FSD_CAUSE_IO);
    free(shown);
    fsd_diff_free(d);
}

static void view__dissolves_unless_it_is_all_there_is(void **state)
{
    (void)state;
    expect("in x\nout y\nconst s\nRelu r: x -> a\nReshape v: a s -> b\nMatMul m: b b "
           "-> y\n",
           "in x\nout y\nA r | | x:fp16 -> a:fp16\nB m | | a:fp16 -> y:fp16\n",
           FSD_BY_ALL, "r layer 0:t\nv identity\nm layer 1:t\n");
    expect("in x\nout y\nconst s\nReshape v: x s -> y\n",
           "in x\nout y\nShuffle v | | x:fp16 -> y:fp16\n", FSD_BY_ALL,
           "v layer 0:t\n");
}

static void region__when_tensors_cannot_tell(void **state)
{
    (void)state;
    /* Softmax, Mul and Add in three kernels whose tensors are the engine's own: the
     * ends are certain, the middle is not. */
    expect("in x\nout y\nSoftmax s: x -> a\nMul m: a a -> b\nErf e: b -> c\nAdd p: c c "
           "-> y\n",
           "in x\nout y\n"
           "kgen k0 | | x:fp16 -> t0:fp16\n"
           "kgen k1 | | t0:fp16 -> t1:fp16\n"
           "kgen k2 | | t1:fp16 -> y:fp16\n",
           FSD_BY_ALL,
           "s layer 0:t region 0\nm layer region 0\ne layer region 0\np layer 2:t "
           "region 0\n");
    /* One node over several kernels: all of them compute it. */
    expect(
        "in x\nout y\nSoftmax s: x -> y\n",
        "in x\nout y\nkgen k0 | | x:fp16 -> t0:fp16\nkgen k1 | | t0:fp16 -> y:fp16\n",
        FSD_BY_ALL, "s layer 0:t 1:t\n");
}

static void conflict__is_kept_and_reported(void **state)
{
    (void)state;
    struct fsd_diff *d = build_diff("in x\nout y\nRelu r: x -> a\nExp e: a -> y\n",
                                    "in x\nout y\n"
                                    "A e | m:e | x:fp16 -> a:fp16\n"
                                    "B r | m:r | a:fp16 -> y:fp16\n",
                                    FSD_BY_ALL);
    char *shown = show_diff(d);

    assert_string_equal(shown, "r layer 1:m\ne layer 0:m\n");
    assert_int_equal(d->match->conflicts.n, 2);
    free(shown);
    fsd_diff_free(d);
}

static void copy__belongs_to_its_concat(void **state)
{
    (void)state;
    struct fsd_diff *d = build_diff(
        "in x\nout y\nRelu a: x -> ta\nExp b: x -> tb\nConcat c: ta tb -> y\n",
        "in x\nout y\n"
        "P a | n:a | x:fp16 -> ta:fp16\n"
        "P b | n:b | x:fp16 -> y:fp16\n"
        "Reformat ta_copy | c:ta | ta:fp16 -> y:fp16\n",
        FSD_BY_ALL);

    assert_int_equal(d->reasons[2].cause, FSD_CAUSE_CONCAT);
    assert_int_equal(d->layers[2].kind, FSD_KIND_COPY);
    assert_int_equal(d->nodes[2].fate, FSD_FATE_LAYER);
    assert_int_equal(d->nodes[1].fate, FSD_FATE_LAYER);
    fsd_diff_free(d);
}

/* ----------------------------------------------------------------------- facts */

static void fates__are_proved_on_the_model(void **state)
{
    (void)state;
    expect("in x fp32 2,3\nout y\nconst w\nconst k 01000000\n"
           "Identity i: x -> a\n"
           "Cast same: a -> a2\n"
           "Shape shape: x -> sh\n"
           "Transpose fold: w -> wt\n"
           "Relu dead: a -> nowhere\n"
           "MatMul mm: a wt -> b\n"
           "Custom odd: b -> b3\n"
           "Add add: b b3 -> y\n",
           "in x\nout y\n"
           "Gemm mm | n:mm | x:fp32 -> b:fp32\n"
           "Plus add | n:add | b:fp32 -> y:fp32\n",
           FSD_BY_NAME,
           "i identity\nsame dead\nshape dead\nfold folded\ndead dead\nmm layer 0:n\n"
           "odd unexplained\nadd layer 1:n\n");
}

/* r1 and r2 are equal.  That N reads r1's tensor where the model has r2's proves that
 * the builder merged them; names alone prove nothing. */
static void merged__is_proved_by_a_reader(void **state)
{
    static const char model[] = "in x\nout y\n"
                                "Relu r1: x -> a\nRelu r2: x -> b\n"
                                "Exp e: a -> c\nNeg n: b -> d\nAdd p: c d -> y\n";
    static const char engine[] = "in x\nout y\n"
                                 "P r1 | n:r1 | x:fp32 -> a:fp32\n"
                                 "P e | n:e | a:fp32 -> c:fp32\n"
                                 "P n | n:n | a:fp32 -> d:fp32\n"
                                 "P p | n:p | c:fp32 d:fp32 -> y:fp32\n";
    (void)state;

    expect(model, engine, FSD_BY_ALL,
           "r1 layer 0:nt\nr2 merged\ne layer 1:nt\nn layer 2:nt\np layer 3:nt\n");
    expect(model, engine, FSD_BY_NAME,
           "r1 layer 0:n\nr2 unexplained\ne layer 1:n\nn layer 2:n\np layer 3:n\n");
}

/* q2 has a scale tensor of its own with q1's value, q3 another value: TensorRT merges
 * the first two. */
static void constants__of_equal_bytes_are_one(void **state)
{
    (void)state;
    expect("in x\nout y\nconst s1 0000803f\nconst s2 0000803f\nconst s3 "
           "00000040\nconst z 00\n"
           "QuantizeLinear q1: x s1 z -> a\n"
           "QuantizeLinear q2: x s2 z -> b\n"
           "QuantizeLinear q3: x s3 z -> c\n"
           "Custom op: a b c -> y\n",
           "in x\nout y\n"
           "Reformat q1 | n:q1 | x:fp32 -> a:int8\n"
           "K op | n:op | a:int8 x:fp32 -> y:fp32\n",
           FSD_BY_ALL, "q1 layer 0:nt\nq2 merged\nq3 absorbed 1:t\nop layer 1:nt\n");
}

/* A name that three nodes bear belongs to none until the tensors decide. */
static void repeated_names__wait_for_tensors(void **state)
{
    (void)state;
    struct fsd_diff *d =
        build_diff("in x\nout y\nRelu r: x -> a\nRelu r: a -> b\nRelu r: b -> y\n",
                   "in x\nout y\n"
                   "P r | r:r | x:fp32 -> a:fp32\n"
                   "P r_1 | r:r | a:fp32 -> b:fp32\n"
                   "P r_2 | r:r | b:fp32 -> y:fp32\n",
                   FSD_BY_ALL);
    char *shown = show_diff(d);

    assert_string_equal(shown, "r layer 0:nt\nr layer 1:nt\nr layer 2:nt\n");
    free(shown);
    fsd_diff_free(d);
}

static void facts__survive_cycles(void **state)
{
    (void)state;
    expect("in x\nout y\nAdd a: x c -> b\nRelu r: b -> c\nDequantizeLinear d: e -> f\n"
           "QuantizeLinear q: f -> e\nIdentity o: c -> y\n",
           "in x\nout y\nA a | | x:fp32 -> y:fp32\n", FSD_BY_ALL,
           "a layer 0:t\nr layer 0:t\nd dead\nq dead\no identity\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut__finds_what_names_leave_out),
        cmocka_unit_test(cut__stops_at_tensors_in_memory),
        cmocka_unit_test(cut__takes_quantizers_along),
        cmocka_unit_test(twin__follows_a_swapped_quantizer),
        cmocka_unit_test(metadata__is_not_overruled_by_tensors),
        cmocka_unit_test(runs__are_no_quantizers_of_weights),
        cmocka_unit_test(reformat__is_seen_through),
        cmocka_unit_test(view__dissolves_unless_it_is_all_there_is),
        cmocka_unit_test(region__when_tensors_cannot_tell),
        cmocka_unit_test(conflict__is_kept_and_reported),
        cmocka_unit_test(copy__belongs_to_its_concat),
        cmocka_unit_test(fates__are_proved_on_the_model),
        cmocka_unit_test(merged__is_proved_by_a_reader),
        cmocka_unit_test(constants__of_equal_bytes_are_one),
        cmocka_unit_test(repeated_names__wait_for_tensors),
        cmocka_unit_test(facts__survive_cycles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
