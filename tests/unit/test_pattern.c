/* Patterns of a model and what engines made of them: what is expected follows from the
 * drawing beside each case. */
#include "build_graph.h"
#include "explain/pattern/pattern.h"
#include "model/graph/graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void put_list(const struct fsd_blocks *b, const struct fsd_diff *d,
                     struct fsd_span span, FILE *out)
{
    for (uint32_t i = 0; i < span.n; i++)
        fprintf(out, " %s",
                fsd_text(d->names, d->model->nodes.at[b->pool.at[span.at + i]].name));
}

/* A line a block: "gelu whole fp16: div erf add mul mul2; 0 between 3" */
static void expect(const char *model, const char *engine, const char *expected)
{
    struct fsd_diff *d = build_diff(model, engine, FSD_BY_ALL);
    struct fsd_arena *arena = fsd_arena_new();
    const struct fsd_blocks *b = fsd_blocks_of(arena, d);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    for (uint32_t i = 0; i < b->list.n; i++) {
        const struct fsd_block *k = &b->list.at[i];

        fprintf(out, "%s %s %s:", fsd_pattern_name((enum fsd_pattern)k->pattern),
                fsd_fused_name((enum fsd_fused)k->fused), fsd_dtype_name(k->type));
        put_list(b, d, k->nodes, out);
        if (k->passed.n)
            fputs(" ~", out);
        put_list(b, d, k->passed, out);
        putc(';', out);
        for (uint32_t l = 0; l < k->layers.n; l++)
            fprintf(out, " %u", b->pool.at[k->layers.at + l]);
        if (k->between.n)
            fputs(" between", out);
        for (uint32_t l = 0; l < k->between.n; l++)
            fprintf(out, " %u", b->pool.at[k->between.at + l]);
        putc('\n', out);
    }
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
    fsd_arena_free(arena);
    fsd_diff_free(d);
}

#define CONST "const w\nconst w2\nconst w3\nconst c\n"

/* Scaled scores, a mask that is computed elsewhere, and its own projections; the
 * builder made one kernel of all but a product. */
#define HEAD                                                                           \
    "in x\nin m\nout y\n" CONST "MatMul q: x w -> qa\nMatMul k: x w2 -> ka\n"          \
    "MatMul v: x w3 -> va\nTranspose t: ka -> kt | perm=0,2,1\n"                       \
    "Sub mask: c m -> mk\nMatMul qk: qa kt -> s\nDiv scale: s c -> s2\n"               \
    "Add masked: mk s2 -> s3\nSoftmax soft: s3 -> p\nMatMul pv: p va -> y\n"

static void attention__is_told_by_edges(void **state)
{
    (void)state;
    expect(HEAD,
           "in x\nin m\nout y\n"
           "gemm qkv | n:q n:k n:v | x:fp16 -> qa:fp16 ka:fp16 va:fp16\n"
           "pw mask | n:mask | m:fp16 -> mk:fp16\n"
           "mha mha | n:t n:qk n:scale n:masked n:soft n:pv | qa:fp16 ka:fp16 mk:fp16 "
           "va:fp16 -> y:fp16\n",
           "attention whole fp16: qk scale masked soft pv; 2\n"
           "qkv whole fp16: q k v; 0\n");
}

static void attention__is_split_where_two_layers_compute_it(void **state)
{
    (void)state;
    expect(HEAD,
           "in x\nin m\nout y\n"
           "gemm q | n:q | x:fp16 -> qa:fp16\n"
           "gemm kv | n:k n:v | x:fp16 -> ka:fp16 va:fp16\n"
           "pw mask | n:mask | m:fp16 -> mk:fp16\n"
           "mm qk | n:t n:qk n:scale n:masked | qa:fp16 ka:fp16 mk:fp16 -> s3:fp16\n"
           "Reformat Reformatting | s:soft | s3:fp16 -> s3r:fp32\n"
           "sm soft | n:soft | s3r:fp32 -> p:fp16\n"
           "mm pv | n:pv | p:fp16 va:fp16 -> y:fp16\n",
           "attention split fp16: qk scale masked soft pv; 3 5 6 between 4\n"
           "qkv split fp16: q k v; 0 1\n");
}

/* Of three products, only the first is INT8: they have no type in common, whatever the
 * last two have. */
static void products_of_two_types_have_no_type(void **state)
{
    (void)state;
    expect(HEAD,
           "in x\nin m\nout y\n"
           "gemm q | n:q | x:int8 -> qa:int8\n"
           "gemm k | n:k | x:fp16 -> ka:fp16\n"
           "gemm v | n:v | x:fp16 -> va:fp16\n"
           "pw mask | n:mask | m:fp16 -> mk:fp16\n"
           "mha mha | n:t n:qk n:scale n:masked n:soft n:pv | qa:fp16 ka:fp16 mk:fp16 "
           "va:fp16 -> y:fp16\n",
           "attention whole fp16: qk scale masked soft pv; 4\n"
           "qkv split unknown: q k v; 0 1 2\n");
}

/* A Softmax whose scores come from no single product is no attention. */
static void attention__needs_one_product(void **state)
{
    (void)state;
    expect("in x\nin z\nout y\n" CONST "MatMul a: x z -> s\nMatMul b: z x -> t\n"
           "Add add: s t -> u\nSoftmax soft: u -> p\nMatMul pv: p x -> y\n",
           "in x\nin z\nout y\nall all | n:a n:b n:add n:soft n:pv | x:fp16 z:fp16 -> "
           "y:fp16\n",
           "");
}

static void norms__are_told_by_their_operators(void **state)
{
    (void)state;
    expect("in x\nout y\nout z\n" CONST
           "ReduceMean m: x -> a\nSub sub: x a -> b\nPow sq: b c -> e\n"
           "ReduceMean var: e -> f\nAdd eps: f c -> g\nSqrt root: g -> h\n"
           "Div div: b h -> i\nMul gamma: i w -> j\nAdd beta: w2 j -> y\n"
           "Pow sq2: y c -> k\nReduceMean ms: k -> l\nAdd eps2: c l -> n\n"
           "Sqrt root2: n -> o\nReciprocal rs: o -> p\nMul by: y p -> q\n"
           "Mul weigh: w3 q -> z\n",
           "in x\nout y\nout z\n"
           "k ln | n:m n:sub n:sq n:var n:eps n:root n:div n:gamma n:beta | x:fp16 -> "
           "y:fp16\n"
           "k rms | n:sq2 n:ms n:eps2 n:root2 n:rs | y:fp16 -> p:fp32\n"
           "k by | n:by n:weigh | y:fp16 p:fp32 -> z:fp16\n",
           "layernorm whole fp16: m sub sq var eps root div gamma beta; 0\n"
           "rmsnorm split fp16: sq2 ms eps2 root2 rs by weigh; 1 2\n");
}

/* All three orders in which exporters halve, and the tanh form; of operands either
 * order.
 */
static void gelu__in_any_order(void **state)
{
    (void)state;
    expect(
        "in x\nout y\nout z\nout u\n" CONST
        "Div d: x c -> a\nErf e: a -> b\nAdd p: b c -> f\nMul m: x f -> g\n"
        "Mul h: g c -> y\n"
        "Mul d2: c y -> a2\nErf e2: a2 -> b2\nAdd p2: c b2 -> f2\nMul m2: y c -> g2\n"
        "Mul h2: f2 g2 -> z\n"
        "Pow cube: z c -> k\nMul k2: k c -> l\nAdd s: l z -> n\nMul r: n c -> o\n"
        "Tanh t: o -> q\nAdd one: q c -> v\nMul half: c v -> x2\nMul last: x2 z -> u\n",
        "in x\nout y\nout z\nout u\nk all | n:d n:e n:p n:m n:h n:d2 n:e2 n:p2 n:m2 "
        "n:h2 n:cube n:k2 n:s n:r n:t n:one n:half n:last | x:fp16 -> u:fp16\n",
        "gelu whole fp16: d e p m h; 0\ngelu whole fp16: d2 e2 p2 m2 h2; 0\n"
        "gelu whole fp16: cube k2 s r t one half last; 0\n");
}

/* A gate of two halves of a network's layers; a squeeze is none. */
static void swiglu__needs_two_projections(void **state)
{
    (void)state;
    expect("in x\nout y\n" CONST "MatMul up: x w -> u\nMatMul gate: x w2 -> g\n"
           "Sigmoid sig: g -> s\nMul silu: g s -> t\nMul glu: t u -> v\n"
           "Sigmoid sig2: v -> s2\nMul silu2: v s2 -> t2\nMul scaled: t2 x -> y\n",
           "in x\nout y\nk a | n:up n:gate | x:fp16 -> u:fp16 g:fp16\n"
           "k b | n:sig n:silu n:glu n:sig2 n:silu2 n:scaled | u:fp16 g:fp16 x:fp16 -> "
           "y:fp16\n",
           "swiglu whole fp16: sig silu glu; 1\n");
}

/* The second Conv is read by an Add, too: it has to be written anyhow. */
static void conv__ends_where_others_read(void **state)
{
    (void)state;
    expect("in x\nout y\nout z\n" CONST
           "Conv c1: x w -> a\nBatchNormalization b1: a c c c c -> b\n"
           "QuantizeLinear q: b c c -> bq\nDequantizeLinear dq: bq c c -> bd\n"
           "Relu r1: bd -> e\nConv c2: e w2 -> f\nRelu r2: f -> y\n"
           "Mul other: f f -> z\n",
           "in x\nout y\nout z\n"
           "conv c1 | n:c1 n:r1 | x:int8 -> e:int8\n"
           "conv c2 | n:c2 | e:int8 -> f:fp16\n"
           "pw rest | n:r2 n:other | f:fp16 -> y:fp16 z:fp16\n",
           "conv-bn-act whole int8: c1 b1 r1 ~ q dq; 0\n");
}

/* The shortcut has a layer of its own, and the builder fused the Add with that. */
static void residual__is_fused_with_either_way(void **state)
{
    (void)state;
    expect("in x\nout y\n" CONST "Conv c1: x w -> a\nRelu r1: a -> b\n"
           "Conv c2: b w2 -> e\nConv down: x w3 -> f\nAdd add: e f -> g\n"
           "Relu r2: g -> y\n",
           "in x\nout y\n"
           "conv c1 | n:c1 n:r1 | x:fp16 -> b:fp16\n"
           "conv c2 | n:c2 | b:fp16 -> e:fp16\n"
           "conv down | n:down n:add n:r2 | x:fp16 e:fp16 -> y:fp16\n",
           "conv-bn-act whole fp16: c1 r1; 0\n"
           "residual whole fp16: c2 add r2; 2\n");
}

/* The Add has no kernel of its own where a normalization behind it has one, and
 * needs one where only its transposition is with it. */
static void residual__is_fused_elsewhere(void **state)
{
    (void)state;
    expect("in x\nout y\nout z\nout u\n" CONST
           "MatMul m1: x w -> a\nAdd add: a x -> b\n"
           "LayerNormalization ln: b c -> y\n"
           "MatMul m2: b w2 -> e\nAdd add2: e b -> f\nTranspose t: f -> z\n"
           "MatMul m3: f w3 -> g\nAdd add3: f g -> h\nQuantizeLinear q: h c c -> u\n",
           "in x\nout y\nout z\nout u\n"
           "gemm m1 | n:m1 | x:fp16 -> a:fp16\n"
           "k ln | n:add n:ln | a:fp16 x:fp16 -> y:fp16 b:fp16\n"
           "gemm m2 | n:m2 | b:fp16 -> e:fp16\n"
           "k add | n:add2 n:t | e:fp16 b:fp16 -> f:fp16 z:fp16\n"
           "gemm m3 | n:m3 | f:fp16 -> g:fp16\n"
           "k q | n:add3 n:q | f:fp16 g:fp16 -> u:int8\n",
           "layernorm whole fp16: ln; 1\n"
           "residual elsewhere fp16: m1 add; 0 1\n"
           "residual split fp16: m2 add2; 2 3\n"
           "residual elsewhere fp16: m3 add3; 4 5\n");
}

/* Two branches that are joined are no residual: neither began with the other. */
static void residual__needs_a_way_around(void **state)
{
    (void)state;
    expect("in x\nin z\nout y\n" CONST "Conv c1: x w -> a\nConv c2: z w2 -> b\n"
           "Add add: a b -> y\n",
           "in x\nin z\nout y\n"
           "conv c1 | n:c1 | x:fp16 -> a:fp16\n"
           "conv c2 | n:c2 n:add | z:fp16 a:fp16 -> y:fp16\n",
           "");
}

/* No layer names the addition of zeros between the product and the Softmax of one
 * kernel: it can be nowhere else.  Behind the block it can. */
static void attention__is_whole_around_what_is_gone(void **state)
{
    (void)state;
    expect("in q\nin k\nin v\nout y\n" CONST
           "MatMul qk: q k -> a\nAdd zeros: a c -> b\nSoftmax soft: b -> p\n"
           "MatMul pv: p v -> o\nAdd bias: o c -> r\nErf e: r -> y\n",
           "in q\nin k\nin v\nout y\n"
           "mha mha | n:qk n:soft n:pv | q:fp16 k:fp16 v:fp16 -> t:fp16\n"
           "k one | | t:fp16 -> u:fp16\nk two | | u:fp16 -> w:fp16\n"
           "k three | | w:fp16 -> y:fp16\n",
           "attention whole fp16: qk zeros soft pv; 0\n");
}

/* Three layers and four nodes, and nothing shows what the one in the middle
   computes. */
static void block__is_unknown_where_no_layer_is_known(void **state)
{
    (void)state;
    expect("in x\nout y\n" CONST "Abs s: x -> a\nConv c1: a w -> b\n"
           "Relu r1: b -> e\nErf p: e -> y\n",
           "in x\nout y\nk one | | x:fp16 -> t:fp16\nk two | | t:fp16 -> u:fp16\n"
           "k three | | u:fp16 -> y:fp16\n",
           "conv-bn-act unknown unknown: c1 r1;\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attention__is_told_by_edges),
        cmocka_unit_test(attention__is_split_where_two_layers_compute_it),
        cmocka_unit_test(products_of_two_types_have_no_type),
        cmocka_unit_test(attention__needs_one_product),
        cmocka_unit_test(norms__are_told_by_their_operators),
        cmocka_unit_test(gelu__in_any_order),
        cmocka_unit_test(swiglu__needs_two_projections),
        cmocka_unit_test(conv__ends_where_others_read),
        cmocka_unit_test(residual__is_fused_with_either_way),
        cmocka_unit_test(residual__is_fused_elsewhere),
        cmocka_unit_test(residual__needs_a_way_around),
        cmocka_unit_test(attention__is_whole_around_what_is_gone),
        cmocka_unit_test(block__is_unknown_where_no_layer_is_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
