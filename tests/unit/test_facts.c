/* What the model alone proves: which nodes compute the same, what is constant, what is
 * a size, what is live, what a tensor was before its quantizers. */
#include "build_graph.h"
#include "model/graph/graph.h"
#include "model/ops/ids.h"
#include "match/facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct drawn {
    struct fsd_arena *arena;
    const struct fsd_graph *g;
    const struct fsd_facts *f;
};

static struct drawn draw(const char *text)
{
    struct drawn m = {.arena = fsd_arena_new()};

    m.g = build_model(m.arena, fsd_op_names_new(m.arena), text);
    m.f = fsd_facts_new(m.arena, m.g);
    return m;
}

static fsd_id tensor(const struct drawn *m, const char *name)
{
    fsd_id t = fsd_graph_only(m->g, fsd_intern_str(m->g->names, name));

    assert_true(t != FSD_NONE);
    return t;
}

static fsd_id node(const struct drawn *m, const char *name)
{
    fsd_sym sym = fsd_intern_str(m->g->names, name);

    for (fsd_id i = 0; i < m->g->nodes.n; i++)
        if (m->g->nodes.at[i].name == sym)
            return i;
    fail_msg("no node %s", name);
    return FSD_NONE;
}

/* --------------------------------------------------------- computes the very same */

static char *text_of(const char *format, ...)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    va_list list;

    va_start(list, format);
    vfprintf(out, format, list);
    va_end(list);
    fclose(out);
    return text;
}

/* Of the two last nodes, "one" and "two"; what is known of one is known of its outputs.
 */
static void expect_same(const char *head, const char *one, const char *two, bool same)
{
    char *text = text_of("%s%s\n%s\n", head, one, two);
    struct drawn m = draw(text);
    fsd_id a = m.g->nodes.n - 2, b = m.g->nodes.n - 1;
    fsd_id x = fsd_node_out_tensor(m.g, a, 0), y = fsd_node_out_tensor(m.g, b, 0);

    if ((m.f->first_duplicate[b] == a) != same || m.f->first_duplicate[a] != a ||
        m.f->first_duplicate[b] != (same ? a : b) || m.f->value[x] != x ||
        m.f->value[y] != (same ? x : y))
        fail_msg("%s\n%s\n%s", one, two, same ? "are the same" : "are not the same");
    fsd_arena_free(m.arena);
    free(text);
}

/* An attribute of one kind, alike and not. */
static void same__attributes_of_each_kind(void **state)
{
    static const struct {
        const char *a, *b;
        bool same;
    } rows[] = {
        {"", "", true},
        {"k=1", "k=1", true},
        {"k=1", "k=2", false},
        {"k=1", "", false},
        {"", "k=1", false},
        {"k=1", "l=1", false},
        {"k=1 l=2", "l=2 k=1", true}, /* in any order */
        {"k=1 l=2", "k=2 l=1", false},
        {"k=1 l=2", "k=1 l=3", false},
        {"alpha=0.1", "alpha=0.1", true},
        {"alpha=0.1", "alpha=0.2", false},
        {"alpha=0.1", "alpha=-0.1", false},
        {"alpha=1.0", "alpha=1", false}, /* of another kind */
        {"k=1,2", "k=1,2", true},
        {"k=1,2", "k=2,1", false},
        {"k=1,2", "k=1,3", false},
        {"k=1,2", "k=1,2,3", false},
        {"k=[1]", "k=1", false},
        {"k=[]", "k=[]", true},
        {"k=[] l=[1]", "k=[1] l=[]", false},
        {"k=1.5,2.5", "k=1.5,2.5", true},
        {"k=1.5,2.5", "k=1.5,2.25", false},
        {"k=1.5,2.5", "k=1.5", false},
        {"k=1.0,2.0", "k=1,2", false},
        {"k=\"a\"", "k=\"a\"", true},
        {"k=\"a\"", "k=\"b\"", false},
        {"k=\"a\",\"b\"", "k=\"a\",\"b\"", true},
        {"k=\"a\",\"b\"", "k=\"b\",\"a\"", false},
        {"k=\"a\",\"b\"", "k=\"a\",\"c\"", false},
        {"k=\"a\",\"b\"", "k=\"a\",\"b\",\"b\"", false},
        {"k=fp32:1:0000803f", "k=fp32:1:0000803f", true},
        {"k=fp32:1:0000803f", "k=fp32:1:00000040", false},
        {"k=fp32:1:0000803f", "k=int32:1:0000803f", false},
        {"k=uint8:2,1:0102", "k=uint8:1,2:0102", false},
        {"k=uint8:2:0102", "k=uint8:2,1:0102", false},
        {"k=fp32:1", "k=fp32:1", false},   /* its bytes were not read */
        {"k=fp32:0:", "k=fp32:0:", false}, /* it has none */
        {"k=?", "k=?", false},
        {"k={}", "k={}", false},
        {"k=1 l=?", "k=1 l=?", false},
        {"k=? l=1", "k=? l=1", false},
    };

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(rows); i++) {
        char *one = text_of("LeakyRelu one: x -> a | %s", rows[i].a);
        char *two = text_of("LeakyRelu two: x -> b | %s", rows[i].b);

        expect_same("in x\n", one, two, rows[i].same);
        free(one);
        free(two);
    }
}

static void same__operators_and_inputs(void **state)
{
    static const struct {
        const char *one, *two;
        bool same;
    } rows[] = {
        {"Relu one: x -> a", "Relu two: x -> b", true},
        {"Relu one: x -> a", "Exp two: x -> b", false},
        {"Relu one: x -> a", "Relu two: y -> b", false},
        {"Relu one: x -> a", "com.microsoft::Relu two: x -> b", false},
        {"com.microsoft::BiasGelu one: x y -> a",
         "com.microsoft::BiasGelu two: x y -> b", true},
        {"Nobody one: x -> a", "Nobody two: x -> b", false}, /* not known to be pure */
        {"RandomNormalLike one: x -> a", "RandomNormalLike two: x -> b", false},
        {"Dropout one: x -> a", "Dropout two: x -> b", true},
        {"Dropout one: x -> a", "Dropout two: x -> b m", false}, /* outputs */
        {"If one: x -> a", "If two: x -> b", false},
        {"Loop one: x -> a", "Loop two: x -> b", false},
        {"Sub one: x y -> a", "Sub two: x y -> b", true},
        {"Sub one: x y -> a", "Sub two: y x -> b", false},
        {"Clip one: x - m -> a", "Clip two: x - m -> b", true},
        {"Clip one: x m -> a", "Clip two: x - m -> b", false},
        {"Clip one: x - m -> a", "Clip two: x m - -> b", false},
        {"Concat one: x y -> a", "Concat two: x y z -> b", false},
    };

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(rows); i++)
        expect_same("in x\nin y\nin z\nconst m\n", rows[i].one, rows[i].two,
                    rows[i].same);
    /* Whose sizes differ may read the same, where attributes are not stated. */
    expect_same("unlisted\nin x\n", "MaxPool one: x -> a", "MaxPool two: x -> b",
                false);
    expect_same("unlisted\nin x\n", "Relu one: x -> a", "Relu two: x -> b", true);
    /* What reads the same of the same is the same. */
    expect_same("in x\nRelu r: x -> u\nRelu s: x -> v\n", "Exp one: u -> a",
                "Exp two: v -> b", true);
    expect_same("in x\nRelu r: x -> u\nExp s: x -> v\n", "Exp one: u -> a",
                "Exp two: v -> b", false);
    expect_same("in x\nSplit r: x -> u v\n", "Exp one: u -> a", "Exp two: v -> b",
                false);
    /* Numbers are given once: of three the third is the first's. */
    expect_same("in x\nRelu one: x -> a0\n", "Exp p: x -> q", "Exp q: x -> p", true);
}

static void same__each_output_is_its_twins(void **state)
{
    struct drawn m = draw("in x\nSplit one: x -> a b\nSplit two: x -> c d\n"
                          "Split left: x - -> e -\nRelu three: x -> f\n"
                          "Relu four: x -> g\nRelu five: x -> h\n");

    (void)state;
    assert_int_equal(m.f->value[tensor(&m, "c")], tensor(&m, "a"));
    assert_int_equal(m.f->value[tensor(&m, "d")], tensor(&m, "b"));
    assert_int_equal(m.f->value[tensor(&m, "b")], tensor(&m, "b"));
    assert_int_equal(m.f->value[tensor(&m, "e")], tensor(&m, "e"));
    assert_int_equal(m.f->first_duplicate[node(&m, "five")], node(&m, "three"));
    assert_int_equal(m.f->value[tensor(&m, "h")], tensor(&m, "f"));
    fsd_arena_free(m.arena);
}

/* A tensor with several producers has no duplicate. */
static void same__not_of_a_tensor_that_several_make(void **state)
{
    struct drawn m = draw("in x\nRelu one: x -> a\nRelu two: x -> b\nExp e: x -> b\n");

    (void)state;
    assert_int_equal(m.f->first_duplicate[node(&m, "two")], node(&m, "one"));
    assert_int_equal(m.f->value[tensor(&m, "b")], tensor(&m, "b"));
    fsd_arena_free(m.arena);
}

static void same__constants_by_type_sizes_and_bytes(void **state)
{
    static const struct {
        const char *a, *b;
        bool same;
    } rows[] = {
        {"fp32 1 0000803f", "fp32 1 0000803f", true},
        {"fp32 1 0000803f", "fp32 1 00000040", false},
        {"fp32 1 0000803f", "int32 1 0000803f", false},
        {"uint8 2 0101", "uint8 2,1 0101", false},
        {"uint8 2 0101", "uint8 1,2 0101", false},
        {"uint8 1 01", "uint8 2 0101", false},
        {"fp32 1", "fp32 1", false}, /* not read */
        {"fp32 0", "fp32 0", false},
    };

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(rows); i++) {
        char *head = text_of("in x\nconst u %s\nconst v %s\n", rows[i].a, rows[i].b);

        expect_same(head, "Add one: x u -> a", "Add two: x v -> b", rows[i].same);
        free(head);
    }
    /* A tensor with a value that a node makes is the node's. */
    expect_same("in x\nconst u fp32 1 0000803f\nconst v fp32 1 0000803f\n"
                "Custom c: x -> v\n",
                "Add one: x u -> a", "Add two: x v -> b", false);
}

/* Exporters that find two initializers equal keep one, and an Identity of it. */
static void same__identity_hands_on_a_constant(void **state)
{
    static const char head[] = "in x\nconst u fp32 1 0000803f\nIdentity i: %s -> v\n";
    char *constant = text_of(head, "u"), *data = text_of(head, "x");

    (void)state;
    expect_same(constant, "Add one: x u -> a", "Add two: x v -> b", true);
    expect_same(data, "Add one: x x -> a", "Add two: x v -> b", false);
    expect_same("in x\nconst u fp32 1 0000803f\nRelu i: u -> v\n", "Add one: x u -> a",
                "Add two: x v -> b", false);
    free(constant);
    free(data);
}

static void same__only_within_one_scope(void **state)
{
    struct drawn m = draw("in x\nRelu one: x -> a\nLoop loop: x -> y\nout y\n"
                          "body loop\nRelu two: x -> b\nRelu three: x -> c\nout c\n");

    (void)state;
    assert_int_equal(m.f->first_duplicate[node(&m, "two")], node(&m, "two"));
    assert_int_equal(m.f->first_duplicate[node(&m, "three")], node(&m, "two"));
    fsd_arena_free(m.arena);
}

/* A file out of order misses duplicates and invents none. */
static void same__out_of_order(void **state)
{
    (void)state;
    expect_same("in x\nExp e: v -> w\nRelu r: x -> u\nRelu s: x -> v\n",
                "Exp one: u -> a", "Exp two: v -> b", true);
    expect_same("in x\n", "Exp one: v -> a", "Exp two: v -> v", true);
    expect_same("in x\nExp one: u -> a\nExp two: v -> b\n", "Relu r: x -> u",
                "Relu s: x -> v", true);
}

/* ------------------------------------------------------------- constant and sizes */

static const struct {
    const char *model;
    const char *facts; /* of the nodes in their order: Folded, Size, live otherwise '-',
                          Dead in lower case: f, s, d */
} growths[] = {
    {"const w\nout y\nRelu r: w -> y\n", "F"},
    {"sparse w\nout y\nRelu r: w -> y\n", "F"},
    {"in x\nout y\nRelu r: x -> y\n", "-"},
    {"const w\nin x\nout y\nAdd a: w x -> y\n", "-"},
    {"const w\nconst v\nout y\nAdd a: w v -> b\nAdd b: b w -> y\n", "FF"},
    {"const w\nout y\nClip c: w - - -> y\n", "F"},
    {"const w\nin x\nout y\nClip c: w - x -> y\n", "-"},
    {"out y\nConstant c: -> y\n", "F"},
    {"out y\nNobody c: -> y\n", "-"},
    {"out y\nRelu r: -> y\n", "-"}, /* of nothing */
    {"const w\nout y\nNobody c: w -> y\n", "-"},
    {"const w\nout y\nRandomNormalLike c: w -> y\n", "-"},
    {"const w\nout y\nIf c: w -> y\n", "-"},
    /* A tensor with two producers has no duplicate. */
    {"const w\nout y\nRelu r: w -> a\nExp e: w -> a\nExp f: a -> y\n", "FF-"},
    /* An initializer that a node makes, too, is none. */
    {"in x\nconst a\nout y\nRelu r: x -> a\nExp e: a -> y\n", "--"},
    /* One use counts once for each place. */
    {"const w\nin x\nout y\nRelu r: w -> a\nAdd t: a a -> b\nAdd u: b x -> y\n", "FF-"},
    /* Shape of what has fixed sizes. */
    {"in x fp32 2,3\nout y\nShape s: x -> y\n", "F"},
    {"in x fp32 2,N\nout y\nShape s: x -> y\n", "-"},
    {"in x\nout y\nShape s: x -> y\n", "-"},
    {"in x fp32 2,3\nout y\nRelu r: x -> a\nShape s: a -> y\n", "-F"},
    {"in x fp32 2,N\nout y\nRelu r: x -> a\nShape s: a -> y\n", "--"},
    {"in x fp32 2,3\nin z\nout y\nAdd r: x z -> a\nShape s: a -> y\n", "--"},
    {"in x fp32 2,3\nout y\nNobody r: x -> a\nShape s: a -> y\n", "--"},
    {"in x fp32 2,3\nout y\nSize s: x -> y\n", "F"},
    /* A Reshape to a constant fixes sizes, if those of its data are. */
    {"in x fp32 2,3\nconst s\nout y\nReshape r: x s -> a\nShape p: a -> y\n", "-F"},
    {"in x fp32 2,3\nin s int64 2\nout y\nReshape r: x s -> a\nShape p: a -> y\n",
     "--"},
    /* Sizes: asked for by who needs a shape. */
    {"in x fp32 N,3\nin z\nout y\nShape s: x -> h\nReshape r: z h -> y\n", "S-"},
    {"in x fp32 N,3\nin z\nout y\nShape s: x -> h\nAdd r: z h -> y\n", "--"},
    {"in x fp32 N,3\nin z\nconst i\nout y\nShape s: x -> h\nGather g: h i -> j\n"
     "Reshape r: z j -> y\n",
     "SS-"},
    {"in x fp32 N,3\nin z\nin i\nout y\nShape s: x -> h\nGather g: h i -> j\n"
     "Reshape r: z j -> y\n",
     "---"},
    /* What Shape reads is data, however its size is used. */
    {"in x fp32 N,3\nin z\nout y\nRelu q: x -> u\nShape s: u -> h\n"
     "Reshape r: z h -> y\n",
     "-S-"},
    {"in x fp32 N,3\nin z\nout y\nShape s: x -> u\nShape t: u -> h\n"
     "Reshape r: z h -> y\n",
     "-S-"},
    /* Both at once: a size that data needs, too, is still a size. */
    {"in x fp32 N,3\nin z\nout y\nout h\nShape s: x -> h\nReshape r: z h -> y\n", "S-"},
    {"in x fp32 2,3\nin z\nout y\nShape s: x -> h\nReshape r: z h -> y\n", "F-"},
    /* A fixed size among open ones is constant, an open one is not. */
    {"in x fp32 N,16\nin z\nout y\nconst i int64 1 = 1\nShape s: x -> h\n"
     "Gather g: h i -> j\nCast c: j -> k | to=1\nSqrt q: k -> l\nMul m: z l -> y\n",
     "SFFF-"},
    {"in x fp32 N,16\nin z\nout y\nconst i int64 1 = 0\nShape s: x -> h\n"
     "Gather g: h i -> j\nCast c: j -> k | to=1\nSqrt q: k -> l\nMul m: z l -> y\n",
     "-----"},
    /* No size is -1, so that Where gives N, and what is left of the Reshape is 16. */
    {"in x fp32 N,16\nin z\nout y\nconst o int64 1 = 0\nconst i int64 1 = 1\n"
     "const l int64 1 = -1\nShape s: x -> h\nGather g: h o -> n\nEqual e: n l -> q\n"
     "Where w: q i n -> b\nConcat c: b l -> t | axis=0\nReshape r: x t -> v\n"
     "Shape p: v -> u\nGather f: u i -> k\nCast a: k -> d | to=1\nMul m: z d -> y\n",
     "SSSSS-SFF-"},
    /* Dead. */
    {"in x\nout y\nRelu r: x -> a\nRelu s: x -> y\n", "d-"},
    {"in x\nout y\nRelu r: x -> a\nExp s: a -> b\nRelu t: x -> y\n", "dd-"},
    {"const w\nin x\nout y\nRelu r: w -> a\nRelu s: x -> y\n", "f-"},
    {"in x fp32 N,3\nin z\nout y\nShape s: x -> h\nReshape r: z h -> b\nRelu t: z -> "
     "y\n",
     "sd-"},
    {"in x\nout y\nSplit s: x -> a b\nRelu r: b -> y\n", "--"},
    {"in x\nout y\nRelu r: x -> y\nExp s: x -> y\n", "--"}, /* both make it */
    /* A body lives with its node, not by its own output alone. */
    {"in x\nout y\nLoop loop: x -> y\nbody loop\nRelu r: x -> a\nExp e: x -> b\nout "
     "a\n",
     "--d"},
    {"in x\nout y\nLoop loop: x -> u\nRelu s: x -> y\nbody loop\nRelu r: x -> a\nout "
     "a\n",
     "d-d"},
    {"in x\nout y\nIf i: x -> y\nbody i\nRelu r: x -> a\nout a\nbody i\nExp e: x -> "
     "b\nout b\n",
     "---"},
};

static void facts__grow_and_end(void **state)
{
    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(growths); i++) {
        struct drawn m = draw(growths[i].model);
        char found[16] = {0};

        for (fsd_id k = 0; k < m.g->nodes.n; k++) {
            char c = m.f->folded[k] ? 'f' : m.f->size[k] ? 's' : 'd';

            assert_false(m.f->folded[k] && m.f->size[k]);
            found[k] = (char)(!m.f->live[k] ? c : c == 'd' ? '-' : c - 'a' + 'A');
        }
        if (strcmp(found, growths[i].facts) != 0)
            fail_msg("%s\nfound %s, expected %s", growths[i].model, found,
                     growths[i].facts);
        fsd_arena_free(m.arena);
    }
}

static void constant__by_tensor(void **state)
{
    struct drawn m = draw("in x\nconst w\nsparse s\nout y\nRelu r: w -> a\n"
                          "Split p: a -> b c\nAdd t: x b -> y\n");
    static const char *const constants[] = {"w", "s", "a", "b", "c"};

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(constants); i++) {
        assert_true(m.f->constant[tensor(&m, constants[i])]);
        assert_true(fsd_is_build_constant(m.f, tensor(&m, constants[i])));
    }
    assert_false(m.f->constant[tensor(&m, "x")]);
    assert_false(m.f->constant[tensor(&m, "y")]);
    assert_false(fsd_is_build_constant(m.f, tensor(&m, "x")));
    assert_false(fsd_is_build_constant(m.f, tensor(&m, "y")));
    fsd_arena_free(m.arena);
}

static void size__is_at_rest(void **state)
{
    struct drawn m = draw("in x fp32 N,3\nin z\nout y\nShape s: x -> h\n"
                          "Reshape r: z h -> y\n");

    (void)state;
    assert_false(m.f->constant[tensor(&m, "h")]);
    assert_true(fsd_is_build_constant(m.f, tensor(&m, "h")));
    assert_false(fsd_is_build_constant(m.f, tensor(&m, "y")));
    fsd_arena_free(m.arena);
}

/* ------------------------------------------------------------------------- roots */

static void expect_root(const struct drawn *m, const char *name, const char *root)
{
    assert_int_equal(m->f->root[tensor(m, name)], tensor(m, root));
}

static void root__is_before_q_and_dq(void **state)
{
    struct drawn m = draw("in x\nconst s\nout y\nRelu r: x -> a\n"
                          "QuantizeLinear q: a s -> b\nDequantizeLinear d: b s -> c\n"
                          "QuantizeLinear p: c s -> e\nMaxPool m: b -> f\n"
                          "DequantizeLinear g: f s -> y\n");

    (void)state;
    expect_root(&m, "x", "x");
    expect_root(&m, "a", "a"); /* a Relu changes values */
    expect_root(&m, "b", "a");
    expect_root(&m, "c", "a");
    expect_root(&m, "e", "a");
    expect_root(&m, "f", "f");
    expect_root(&m, "y", "f");
    expect_root(&m, "s", "s");
    fsd_arena_free(m.arena);
}

/* Looked at from its far end first, and round in a ring. */
static void root__of_any_order(void **state)
{
    struct drawn m = draw("in c\nconst s\nDequantizeLinear d: b s -> c0\n"
                          "QuantizeLinear q: a s -> b\nRelu r: c -> a\n"
                          "QuantizeLinear k: u s -> v\nDequantizeLinear l: v s -> u\n"
                          "DequantizeLinear m: u s -> w\nQuantizeLinear o: - s -> z\n");

    (void)state;
    expect_root(&m, "c0", "a");
    expect_root(&m, "b", "a");
    assert_int_equal(m.f->root[tensor(&m, "u")], m.f->root[tensor(&m, "v")]);
    assert_int_equal(m.f->root[tensor(&m, "w")], m.f->root[tensor(&m, "u")]);
    expect_root(&m, "z", "z");
    fsd_arena_free(m.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same__attributes_of_each_kind),
        cmocka_unit_test(same__operators_and_inputs),
        cmocka_unit_test(same__each_output_is_its_twins),
        cmocka_unit_test(same__not_of_a_tensor_that_several_make),
        cmocka_unit_test(same__constants_by_type_sizes_and_bytes),
        cmocka_unit_test(same__identity_hands_on_a_constant),
        cmocka_unit_test(same__only_within_one_scope),
        cmocka_unit_test(same__out_of_order),
        cmocka_unit_test(facts__grow_and_end),
        cmocka_unit_test(constant__by_tensor),
        cmocka_unit_test(size__is_at_rest),
        cmocka_unit_test(root__is_before_q_and_dq),
        cmocka_unit_test(root__of_any_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
