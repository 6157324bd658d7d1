/* What a build log states: events by their form, the parser's network, the replay. */
#include "log_text.h"
#include "match/story.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct fsd_event *event(const struct log *l, uint32_t i)
{
    assert_true(i < l->h->events.n);
    return &l->h->events.at[i];
}

static void assert_text(const struct log *l, fsd_sym sym, const char *want)
{
    assert_string_equal(fsd_text(l->names, sym), want);
}

static void assert_event(const char *text, enum fsd_event_kind kind, const char *pass,
                         const char *a, const char *b, const char *rest)
{
    struct log l = read_log(text);
    const struct fsd_event *e = event(&l, 0);

    assert_int_equal(e->kind, kind);
    assert_text(&l, e->pass, pass);
    assert_text(&l, e->a, a);
    assert_text(&l, e->b, b);
    assert_text(&l, e->text, rest);
    assert_int_equal(e->line, 1);
    fsd_arena_free(l.arena);
}

static void forms(void **state)
{
    (void)state;
    assert_event("[V] [TRT] ConvReluFusion: Fusing a with b", FSD_EVENT_FUSE,
                 "ConvReluFusion", "a", "b", "a + b");
    assert_event("NobodyKnowsMe: Fusing a with b\r\n", FSD_EVENT_FUSE, "NobodyKnowsMe",
                 "a", "b", "a + b");
    assert_event("Fusing a with b", FSD_EVENT_FUSE, "", "a", "b", "a + b");
    assert_event("Q2: fusing (d1 and d2) into c", FSD_EVENT_INTO, "Q2", "(d1 and d2)",
                 "c", "");
    assert_event("Removing x", FSD_EVENT_REMOVE, "", "x", "", "");
    assert_event("Swapping a with b", FSD_EVENT_SWAP, "", "a", "b", "");
    assert_event("Swap the layer type of a from X to Y", FSD_EVENT_RETYPE, "", "a", "",
                 "X to Y");
    assert_event("Convert layer type of a from X to Y", FSD_EVENT_RETYPE, "", "a", "",
                 "X to Y");
    assert_event("Merging layers: a || b", FSD_EVENT_MERGE, "", "a || b", "", "");
    assert_event("Eliminating a which duplicates (Q) b", FSD_EVENT_DUPLICATE, "", "a",
                 "b", "Q");
    assert_event("Eliminating concatenation c", FSD_EVENT_CONCAT, "", "c", "", "");
    assert_event("Retargeting a to b", FSD_EVENT_RETARGET, "", "a", "b", "");
    assert_event("Generating copy for a to b because input is not movable.",
                 FSD_EVENT_COPY, "", "a", "b", "input is not movable");
    assert_event("Adding reformat layer: Reformatted Input Tensor 0 to c (v2) (t) from "
                 "Float(4,1) to Half(4,1:8)",
                 FSD_EVENT_REFORMAT, "", "Reformatted Input Tensor 0 to c (v2)", "t",
                 "Float(4,1) to Half(4,1:8)");
    assert_event("After vertical fusions: 10 layers", FSD_EVENT_STAGE, "",
                 "After vertical fusions", "", "10");
    assert_event("ForeignNode {ForeignNode[a...b]} metadata: [ONNX Layer: a]",
                 FSD_EVENT_MEMBERS, "", "{ForeignNode[a...b]}", "", "[ONNX Layer: a]");
    assert_event("[W] [TRT] Missing scale and zero-point for tensor t, expect",
                 FSD_EVENT_WARNING, "", "missing-scale", "",
                 "Missing scale and zero-point for tensor t, expect");
}

/* A name may hold the words between names: a cut where both sides were seen wins. */
static void names_with_separators(void **state)
{
    struct log l = read_log("Running: P on go with me\n"
                            "Running: P on b\n"
                            "P: Fusing go with me with b\n"
                            "P: Fusing f(x with y) with z\n");

    (void)state;
    assert_text(&l, event(&l, 2)->a, "go with me");
    assert_text(&l, event(&l, 2)->b, "b");
    assert_text(&l, event(&l, 3)->a, "f(x with y)");
    assert_text(&l, event(&l, 3)->b, "z");
    fsd_arena_free(l.arena);
}

/* What a pass looked at shows into what a layer was fused that then disappears. */
static void removal_remembers_its_pass(void **state)
{
    struct log l = read_log("Running: QConvScaleFusion on c\nRemoving b + r\n"
                            "After scale fusion: 3 layers\nRemoving x\n");

    (void)state;
    assert_text(&l, event(&l, 1)->pass, "QConvScaleFusion");
    assert_text(&l, event(&l, 1)->b, "c");
    assert_int_equal(event(&l, 3)->pass, 0);
    fsd_arena_free(l.arena);
}

static void timings(void **state)
{
    struct log l = read_log(
        "--------------- Timing Runner: a + b (Cask[0x80])\n"
        "Tactic: 7 Time: 0.2\n"
        "Fastest Tactic: 7 Time: 0.2\n"
        "a + b (Cask[0x80]) profiling completed in 0.1 seconds. Fastest Tactic: 0x9 "
        "Time: 0.1\n"
        "a + b (Cudnn[0x81]) profiling completed in 0.1 seconds. Fastest Tactic: "
        "0xd15ea "
        "Time: inf\n"
        "*************** Autotuning Reformat: Float(1) -> Half(1) ***************\n"
        "--------------- Timing Runner: Optimizer Reformat(x -> <out>) "
        "(Reformat[0x6])\n"
        "Optimizer Reformat(x -> <out>) (Reformat[0x6]) profiling completed in 0.1 "
        "seconds. Fastest Tactic: 0x0 Time: 0.03\n"
        "Optimizer Reformat(y -> <out>) [Float(2) -> Half(2)] got cached result: "
        "Reformat, tactic 0x1, 0.04 ms\n");
    uint32_t i = fsd_history_rivals(l.h, fsd_intern_str(l.names, "a + b"));

    (void)state;
    assert_int_equal(l.h->rivals.n, 3);
    assert_true(i != FSD_NONE && l.h->rivals.at[i].next == FSD_NONE);
    assert_true(l.h->rivals.at[i].ms == 0.1);
    assert_text(&l, l.h->rivals.at[i].tactic, "0x9");
    assert_text(&l, l.h->rivals.at[1].runner, "Float(1) -> Half(1)");
    assert_text(&l, l.h->rivals.at[2].runner, "Float(2) -> Half(2)");
    fsd_arena_free(l.arena);
}

/* ---------------------------------------------------------------------- network */

static const char network[] =
    "[V] [TRT] Opset version:    11\n"
    "[V] [TRT] Adding network input: x with dtype: float32, dimensions: (-1, 3)\n"
    "[V] [TRT] Importing initializer: w -> ([\n"
    "[V] [TRT] Parsing node: c [v1] [Conv]\n"
    "[V] [TRT] c [v1] [Conv] inputs: [x -> (-1, 3)[FLOAT]], [w -> ([ -> (3, "
    "3)[FLOAT]], "
    "[optional input, not set], \n"
    "[V] [TRT] Registering layer: c [v1] for ONNX node: c [v1]\n"
    "[V] [TRT] c [v1] [Conv] outputs: [y -> (-1, 3)[FLOAT]], \n"
    "[V] [TRT] Parsing node: c [v1]_1 [Add]\n"
    "[V] [TRT] c [v1]_1 [Add] inputs: [y -> (-1, 3)[FLOAT]], [y -> (-1, 3)[FLOAT]], \n"
    "[V] [TRT] Registering layer: bias for ONNX node: bias\n"
    "[V] [TRT] Registering layer: c [v1]_1_2 for ONNX node: c [v1]_1\n"
    "[V] [TRT] c [v1]_1 [Add] outputs: [z -> (-1, 3)[HALF]], \n"
    "[V] [TRT] Marking z_3 as output: z\n";

static void the_network_comes_back(void **state)
{
    struct log l = read_log(network);
    struct fsd_graph *g = log_network(&l);
    fsd_id z;

    (void)state;
    assert_int_equal(g->nodes.n, 2);
    assert_text(&l, g->nodes.at[0].name, "c [v1]");
    assert_text(&l, g->nodes.at[0].op, "Conv");
    assert_int_equal(g->nodes.at[0].in.n, 3);
    assert_int_equal(fsd_node_in_tensor(g, 0, 2), FSD_NONE);
    assert_true(g->tensors.at[fsd_node_in_tensor(g, 0, 1)].flags & FSD_TENSOR_CONSTANT);
    assert_text(&l, g->tensors.at[fsd_node_in_tensor(g, 0, 1)].name, "w -> ([");
    assert_int_equal(fsd_node_in_tensor(g, 1, 0), fsd_node_out_tensor(g, 0, 0));
    z = fsd_node_out_tensor(g, 1, 0);
    assert_int_equal(g->tensors.at[z].flags, FSD_TENSOR_OUTPUT);
    assert_int_equal(fsd_tensor_form(g, z)->type, FSD_FP16);
    assert_int_equal(fsd_tensor_form(g, z)->dims.n, 2);
    assert_int_equal(g->opsets.at[0].version, 11);
    fsd_arena_free(l.arena);
}

/* Nothing may look dead because the log ends early. */
static void a_cut_network_has_outputs(void **state)
{
    char text[sizeof network];

    (void)state;
    for (size_t n = 0; n < sizeof network; n++) {
        struct log l;
        struct fsd_graph *g;
        bool any = false;

        memcpy(text, network, n);
        text[n] = '\0';
        l = read_log(text);
        g = log_network(&l);
        for (fsd_id t = 0; t < g->tensors.n; t++)
            any |= (g->tensors.at[t].flags & FSD_TENSOR_OUTPUT) != 0;
        assert_true(any || !g->nodes.n);
        fsd_arena_free(l.arena);
    }
}

static void a_list_of_layers_is_a_network(void **state)
{
    struct log l =
        read_log("[V] GRAPH NODES\n[V] IDENTITY (Unnamed Layer* 0) [Identity]\n"
                 "[V]     Input 0\n[V]         [1,6]\t(# 0 (SHAPE i))\n"
                 "[V] Graph construction completed in 0.1 seconds.\n");
    struct fsd_graph *g = log_network(&l);

    (void)state;
    assert_int_equal(g->nodes.n, 1);
    assert_text(&l, g->nodes.at[0].name, "(Unnamed Layer* 0) [Identity]");
    assert_text(&l, g->tensors.at[fsd_node_out_tensor(g, 0, 0)].name,
                "(Unnamed Layer* 0) [Identity]_output");
    fsd_arena_free(l.arena);
}

static const struct fsd_form *form_of(struct log *l, const struct fsd_graph *g,
                                      const char *name)
{
    fsd_id t = fsd_graph_find(g, fsd_intern_str(l->names, name), 0);

    assert_int_not_equal(t, FSD_NONE);
    return fsd_tensor_form(g, t);
}

/* A size that is not what the line says would be worse than none. */
static void sizes_beyond_bounds_are_not_known(void **state)
{
    struct log l = read_log(
        "Adding network input: many with dtype: float32, dimensions: (1, 1, 1, 1, 1, "
        "1, 1, "
        "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
        "1, "
        "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
        "1, "
        "1, 1, 1, 1)\n"
        "Adding network input: huge with dtype: float32, dimensions: "
        "(99999999999999999999, 3)\n"
        "Adding network input: beyond with dtype: float32, dimensions: "
        "(1099511627777)\n"
        "Adding network input: good with dtype: float32, dimensions: (1099511627776)\n"
        "Parsing node: n [Op]\nn [Op] inputs: [many -> (1)[FLOAT]], [cut -> (1, 8\n");
    struct fsd_graph *g = log_network(&l);
    const struct fsd_form *form = form_of(&l, g, "many");

    (void)state;
    assert_false(form->ranked);
    assert_int_equal(form->type, FSD_FP32);
    form = form_of(&l, g, "huge");
    assert_int_equal(form->dims.n, 2);
    assert_int_equal(g->dims.at[form->dims.at].size, -1);
    assert_int_equal(g->dims.at[form->dims.at + 1].size, 3);
    assert_int_equal(g->dims.at[form_of(&l, g, "beyond")->dims.at].size, -1);
    assert_int_equal(g->dims.at[form_of(&l, g, "good")->dims.at].size, INT64_C(1)
                                                                           << 40);
    assert_false(form_of(&l, g, "cut")->ranked);
    assert_int_equal(g->remarks.n, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_string_equal(g->remarks.at[i].rule, "input/bad-dim");
    fsd_arena_free(l.arena);
}

/* ------------------------------------------------------------------------ replay */

static struct fsd_story *replay(struct log *l)
{
    struct fsd_graph *g = log_network(l);
    struct fsd_vocab *vocab = fsd_vocab_new(l->arena, g);

    fsd_story_compare(l->h, g, g, vocab);
    return fsd_story_new(l->arena, l->h, g, vocab);
}

static void assert_nodes(struct log *l, struct fsd_story *s, const char *name,
                         uint32_t mask)
{
    struct fsd_span nodes = fsd_story_nodes(s, fsd_intern_str(l->names, name));
    uint32_t found = 0;

    for (uint32_t i = 0; i < nodes.n; i++)
        found |= 1u << s->pool.at[nodes.at + i];
    assert_int_equal(found, mask);
}

#define NODE(name, in, out)                                                            \
    "Parsing node: " name " [Op]\n" name " [Op] inputs: [" in " -> (1)[FLOAT]], \n"    \
    "Registering layer: " name " for ONNX node: " name "\n" name                       \
    " [Op] outputs: [" out " -> (1)[FLOAT]], \n"
#define CHAIN                                                                          \
    NODE("a", "t", "u") NODE("b", "u", "v") NODE("c", "v", "w") NODE("d", "w", "x")

static void fusions_carry_nodes(void **state)
{
    struct log l =
        read_log(CHAIN "P: Fusing a with helper\n"
                       "P: Fusing a + helper with PWN(b)\n"
                       "Running: SFusion on a + helper + PWN(b)\nRemoving c\n"
                       "Running: Erasure on d\nRemoving d\nRemoving a\n");
    struct fsd_story *s = replay(&l);

    (void)state;
    assert_nodes(&l, s, "a + helper", 1);
    assert_nodes(&l, s, "a + helper + PWN(b)", 7);
    assert_nodes(&l, s, "helper", 0);
    assert_int_equal(s->left[2].how, FSD_LEFT_NOT);
    assert_int_equal(s->left[3].how, FSD_LEFT_ERASED);
    assert_int_equal(s->left[0].how, FSD_LEFT_NOT); /* why it went is not said */
    fsd_arena_free(l.arena);
}

/* A name that holds the words between names is one nevertheless. */
static void names_may_hold_separators(void **state)
{
    struct log l = read_log(NODE("a", "t", "u") NODE("x + a", "u", "v")
                                NODE("b || x", "v", "w") NODE("x", "w", "y"));
    struct fsd_story *s = replay(&l);

    (void)state;
    assert_nodes(&l, s, "weight + x + a", 2);
    assert_nodes(&l, s, "a + x + a", 3);
    assert_nodes(&l, s, "x + a || a", 3);
    assert_nodes(&l, s, "a || b || x + weight", 5);
    assert_nodes(&l, s, "b || x + a", 5); /* or b || (x + a), but there is no b */
    assert_nodes(&l, s, "x || a", 9);
    assert_nodes(&l, s, "",
                 0); /* an event without a name: it is none from here on, too */
    assert_nodes(&l, s, "x || weight + a", 9);
    assert_false(s->cut);
    assert_nodes(&l, s, "weight + x + a_quantize_scale_node", 2);
    assert_nodes(&l, s, "x + a_clone_3 || x_dequantize_scale_node", 10);
    fsd_arena_free(l.arena);
}

/* What is too long or too deep to be followed is said to be so. */
static void long_and_deep_names_cut_the_story(void **state)
{
    struct log l = read_log(CHAIN);
    struct fsd_story *s = replay(&l);
    char text[4 * 5000 + 2] = "";

    (void)state;
    for (unsigned i = 0; i < 4096; i++)
        strcpy(text + 4 * i, i < 4095 ? "a + " : "b");
    assert_nodes(&l, s, text, 3);
    assert_false(s->cut);
    for (unsigned i = 0; i < 4097; i++)
        strcpy(text + 4 * i, i < 4096 ? "a + " : "b");
    assert_nodes(&l, s, text, 1);
    assert_true(s->cut);
    s->cut = false;
    for (unsigned i = 0; i < 17; i++)
        strcpy(text + 4 * i, "PWN(");
    strcpy(text + 4 * 17, "a)))))))))))))))))");
    assert_nodes(&l, s, text, 0);
    assert_true(s->cut);
    s->cut = false;
    assert_nodes(&l, s, "nothing known", 0);
    assert_false(s->cut);
    fsd_arena_free(l.arena);
}

static void merges_members_and_duplicates(void **state)
{
    struct log l = read_log(
        CHAIN "P: Fusing a with b\nMerging layers: a + b || c\n"
              "Eliminating d which duplicates (Q) c\n"
              "ForeignNode {ForeignNode[a...c]} metadata: [ONNX Layer: a]\xef\xbf\xbd"
              "[ONNX Layer: c | doc]\n");
    struct fsd_story *s = replay(&l);

    (void)state;
    assert_nodes(&l, s, "a + b || c", 7);
    assert_nodes(&l, s, "{ForeignNode[a...c]}", 5);
    assert_int_equal(s->left[3].how, FSD_LEFT_MERGED);
    assert_int_equal(s->left[3].other, 2);
    fsd_arena_free(l.arena);
}

static uint32_t count_scenes(const struct fsd_story *s, fsd_id node,
                             enum fsd_event_kind kind)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->of_node[node].n; i++)
        n += s->h->events.at[s->scenes.at[s->of_node[node].at + i].event].kind == kind;
    return n;
}

/* A step on a tensor is attributed to its producers, one on a clone of its node. */
static void moves_are_told_of_their_nodes(void **state)
{
    struct log l = read_log(CHAIN "Swapping a with b_clone_1\nRetargeting u to w\n"
                                  "Generating copy for v to w because of a.\n");
    struct fsd_story *s = replay(&l);

    (void)state;
    assert_nodes(&l, s, "b_clone_1", 2);
    assert_nodes(&l, s, "b_clone_", 0);
    assert_int_equal(count_scenes(s, 0, FSD_EVENT_SWAP), 1);
    assert_int_equal(count_scenes(s, 1, FSD_EVENT_SWAP), 1);
    assert_int_equal(count_scenes(s, 0, FSD_EVENT_RETARGET), 1);
    assert_int_equal(count_scenes(s, 2, FSD_EVENT_RETARGET), 1);
    assert_int_equal(count_scenes(s, 2, FSD_EVENT_COPY), 1);
    assert_int_equal(count_scenes(s, 3, FSD_EVENT_RETARGET), 0);
    fsd_arena_free(l.arena);
}

/* What stands between an owner's inputs and outputs is its body, how deep it may be;
 * an owner whose outputs are missing has none. */
static void bodies_have_scopes(void **state)
{
#define HEAD(name, in)                                                                 \
    "Parsing node: " name " [Op]\n" name " [Op] inputs: [" in " -> (1)], \n"
#define TAIL(name, out) name " [Op] outputs: [" out " -> (1)], \n"
    struct log l = read_log(
        HEAD("a", "t") TAIL("a", "u") HEAD("if", "u") HEAD("b", "u") TAIL("b", "v")
            HEAD("loop", "v") HEAD("c", "state") TAIL("c", "w") TAIL("loop", "x")
                TAIL("if", "y") HEAD("lost", "y") HEAD("d", "y") TAIL("d", "z"));
    struct fsd_graph *g = log_network(&l);
    static const char *const names[] = {"a", "if", "lost", "d", "b", "loop", "c"};
    static const fsd_id scopes[] = {0, 0, 0, 0, 1, 1, 2};

    (void)state;
    assert_int_equal(g->nodes.n, 7);
    for (fsd_id i = 0; i < 7; i++) {
        assert_text(&l, g->nodes.at[i].name, names[i]);
        assert_int_equal(g->nodes.at[i].scope, scopes[i]);
    }
    assert_int_equal(g->scopes.at[1].owner, 1);
    assert_int_equal(g->scopes.at[2].owner, 5);
    assert_int_equal(g->scopes.at[2].parent, 1);
    assert_int_equal(g->scopes.at[2].inputs.n, 1);
    assert_int_equal(l.h->parsed_node[2], 4); /* b was parsed third */
    assert_int_equal(fsd_node_in_tensor(g, 4, 0), fsd_node_out_tensor(g, 0, 0));
    assert_int_equal(fsd_node_out_tensor(g, 1, 0), fsd_node_in_tensor(g, 3, 0));
    fsd_arena_free(l.arena);
}

/* The parser calls a node's second layer after a counter, which another node's name may
 * end in, too. */
static void registered_names_mean_what_the_log_says(void **state)
{
    struct log l =
        read_log("Parsing node: n [Gemm]\nRegistering layer: n for ONNX node: n\n"
                 "Registering layer: n_1 for ONNX node: n\nn [Gemm] outputs: [u -> "
                 "(1)[FLOAT]], \n"
                 "Parsing node: n_1 [Relu]\nn_1 [Relu] inputs: [u -> (1)[FLOAT]], \n"
                 "Registering layer: n_1_2 for ONNX node: n_1\n"
                 "n_1 [Relu] outputs: [v -> (1)[FLOAT]], \n");
    struct fsd_story *s = replay(&l);

    (void)state;
    assert_nodes(&l, s, "n", 1);
    assert_nodes(&l, s, "n_1", 1);
    assert_nodes(&l, s, "n_1_2", 2);
    fsd_arena_free(l.arena);
}

/* Each engine block ends a build; what follows leads to the next. */
static void engines_are_told_apart(void **state)
{
    struct log l =
        read_log("Original: 1 layers\nP: Fusing a with b\n"
                 "Engine Layer Information:\n"
                 "Layer(X): a + b, Tactic: 0x0, i (Float[1]) -> o (Half[1])\n"
                 "noise within the block\n"
                 "Layer(X): c, Tactic: 7, i[Float(1)] -> p[Int8(1)]\n"
                 "Original: 1 layers\nP: Fusing a with c\n"
                 "Layer(X): a + c, Tactic: 7, i[Float(1)] -> p[Int8(1)]\n");

    (void)state;
    assert_int_equal(l.h->builds, 2);
    assert_int_equal(event(&l, 1)->build, 0);
    assert_int_equal(event(&l, 3)->build, 1);
    assert_int_equal(l.h->finals.n, 3);
    assert_text(&l, l.h->finals.at[0].name, "a + b");
    assert_text(&l, l.h->finals.at[0].tensor, "o");
    assert_int_equal(l.h->finals.at[0].out, FSD_FP16);
    assert_text(&l, l.h->finals.at[1].tensor, "p");
    assert_int_equal(l.h->finals.at[1].out, FSD_INT8);
    assert_int_equal(l.h->finals.at[1].build, 0);
    assert_int_equal(l.h->finals.at[2].build, 1);
    fsd_arena_free(l.arena);
}

static void unknown_forms_are_counted(void **state)
{
    struct log l = read_log("[V] [TRT] Frobnicating 17 layers of a\n"
                            "[V] [TRT] Frobnicating 23 layers of b\n"
                            "a user's own line\n");

    (void)state;
    assert_int_equal(l.h->unknown_lines, 2);
    assert_int_equal(l.h->unknown.n, 1);
    assert_int_equal(l.h->unknown.at[0].n, 2);
    fsd_arena_free(l.arena);
}

static char *dump_of(const struct log *l)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    fsd_history_dump(l->h, out);
    fclose(out);
    return text;
}

/* What is measured or said beyond what is kept is counted. */
static void what_is_not_kept_is_counted(void **state)
{
    enum { RUNNERS = 258, FORMS = 4099, LINE = 200 };
    char *text = calloc(RUNNERS + FORMS, LINE), *end = text;
    struct log l;
    char *dump;

    (void)state;
    for (unsigned i = 0; i < RUNNERS; i++)
        end +=
            sprintf(end,
                    "a (C%c%c[0x80000000]) profiling completed in 1 seconds. Fastest "
                    "Tactic: 0x1 Time: 2\n",
                    'a' + i % 26, 'a' + i / 26);
    for (unsigned i = 0; i < FORMS; i++)
        end += sprintf(end, "[V] [TRT] Odd%c%c%c words\n", 'a' + i % 26,
                       'a' + i / 26 % 26, 'a' + i / 676);
    l = read_log(text);
    assert_int_equal(l.h->rivals.n, 256);
    dump = dump_of(&l);
    assert_non_null(strstr(dump, "\nmeasured 256, not kept 2\n"));
    assert_non_null(strstr(dump, "\nlines of unknown form 4099\n"));
    assert_non_null(
        strstr(dump, "\n  3  other lines that fusiondiff does not recognize\n"));
    free(dump);
    free(text);
    fsd_arena_free(l.arena);
}

/* Lines cut at every place, in each form: nothing reads beyond. */
static void cut_lines(void **state)
{
    static const char *const lines[] = {
        "P: Fusing a with b",
        "P: fusing (a and b) into c",
        "Eliminating a which duplicates (Q) b",
        "Eliminating slice a by retargeting b from c to d",
        "Replacing slice a with copy from b to c",
        "Generating copy for a to b because c",
        "Adding reformat layer: a (b) from F(1) to H(1)",
        "ForeignNode a metadata: [ONNX Layer: b]",
        "a (C[0x1]) profiling completed in 1 seconds. Fastest Tactic: 1 Time: 2",
        "Optimizer Reformat(a -> <out>) [F -> G] got cached result: R, tactic 1, 2 ms",
        "Layer(X): a, Tactic: 7, i[Float(1)] -> p[Int8(1)], q (Int8[1])",
        "Registering layer: a for ONNX node: b",
        "Running: P on a",
    };

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(lines); i++)
        for (size_t n = 0; n <= strlen(lines[i]); n++) {
            char *text = test_malloc(n + 1); /* so that a checker sees an overrun */
            struct log l;

            memcpy(text, lines[i], n);
            text[n] = '\0';
            l = read_log(text);
            replay(&l);
            fsd_arena_free(l.arena);
            test_free(text);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms),
        cmocka_unit_test(names_with_separators),
        cmocka_unit_test(removal_remembers_its_pass),
        cmocka_unit_test(timings),
        cmocka_unit_test(the_network_comes_back),
        cmocka_unit_test(a_cut_network_has_outputs),
        cmocka_unit_test(a_list_of_layers_is_a_network),
        cmocka_unit_test(sizes_beyond_bounds_are_not_known),
        cmocka_unit_test(names_may_hold_separators),
        cmocka_unit_test(long_and_deep_names_cut_the_story),
        cmocka_unit_test(fusions_carry_nodes),
        cmocka_unit_test(merges_members_and_duplicates),
        cmocka_unit_test(moves_are_told_of_their_nodes),
        cmocka_unit_test(bodies_have_scopes),
        cmocka_unit_test(registered_names_mean_what_the_log_says),
        cmocka_unit_test(engines_are_told_apart),
        cmocka_unit_test(unknown_forms_are_counted),
        cmocka_unit_test(what_is_not_kept_is_counted),
        cmocka_unit_test(cut_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
