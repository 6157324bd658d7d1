/* The nodes and layers that a word of the user names. */
#include "build_graph.h"
#include "match/pick.h"
#include "model/graph/graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Node 2 is called 1, as is layer 2; "both" is a node's and another layer's name. */
static const char model[] = "in x\nout y\nconst w\n"
                            "Conv conv: x w -> a\n"
                            "Relu relu: a -> b\n"
                            "Exp 1: b -> c\n"
                            "Softmax both: c -> d\n"
                            "Mul twice: d d -> e\n"
                            "Erf twice: e -> f\n"
                            "Identity none: f -> g\n"
                            "Neg -: g -> y\n";
static const char engine[] = "in x\nout y\n"
                             "K first | n:conv n:relu | x:fp16 -> b:fp16\n"
                             "K both | n:1 | b:fp16 -> c:fp16\n"
                             "K 1 | | c:fp16 -> t0:fp16\n"
                             "K last | | t0:fp16 -> f:fp16\n"
                             "K end | | f:fp16 -> y:fp16\n"
                             "Reformat bare | | t9:fp16 -> t8:fp32\n";

/* "nodes 0 2 layers 1", or "error: ..." */
static char *picked_by(enum fsd_pick_want want, const char *word)
{
    struct fsd_diff *d = build_diff(model, engine, FSD_BY_ALL);
    struct fsd_picked picked = {FSD_NEW(d->arena, bool, d->model->nodes.n),
                                FSD_NEW(d->arena, bool, d->engine->nodes.n)};
    struct fsd_error err = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (fsd_pick(d->match, want, word, &picked, &err) == FSD_OK) {
        fputs("nodes", out);
        for (fsd_id i = 0; i < d->model->nodes.n; i++)
            if (picked.nodes[i])
                fprintf(out, " %u", i);
        fputs(" layers", out);
        for (fsd_id i = 0; i < d->engine->nodes.n; i++)
            if (picked.layers[i])
                fprintf(out, " %u", i);
    } else {
        fprintf(out, "%s: %s", err.file, err.message);
    }
    fclose(out);
    fsd_diff_free(d);
    return text;
}

static const struct {
    const char *word, *nodes, *layers, *both; /* by what is wanted */
} rows[] = {
    /* names: what is wanted comes before what goes with it */
    {"conv", "nodes 0 layers", "nodes layers 0", "nodes 0 layers"},
    {"first", "nodes 0 1 layers", "nodes layers 0", "nodes layers 0"},
    {"both", "nodes 3 layers", "nodes layers 1", "nodes 3 layers 1"},
    {"1", "nodes 2 layers", "nodes layers 2", "nodes 2 layers 2"},
    {"twice", "nodes 4 5 layers", "nodes layers 3", "nodes 4 5 layers"},
    /* numbers: a bare one is a layer's, where a layer is wanted */
    {"#0", "nodes 0 layers", "nodes layers 0", "nodes 0 layers"},
    {"#3", "nodes 3 layers", "nodes layers 3", "nodes 3 layers"},
    {"#7", "nodes 7 layers",
     "engine: expected the name or number of a layer of the engine, found '#7'",
     "nodes 7 layers"},
    {"node:7", "nodes 7 layers", "nodes layers 4", "nodes 7 layers"},
    {"0",
     "model: expected the name of a node of the model, found '0'; did you mean '#0'?",
     "nodes layers 0",
     "model: expected the name of a node or a layer, found '0'; did you mean '#0'?"},
    {"8", "model: expected the name of a node of the model, found '8'",
     "engine: expected the name or number of a layer of the engine, found '8'",
     "model: expected the name of a node or a layer, found '8'"},
    {"layer:0", "nodes 0 1 layers", "nodes layers 0", "nodes layers 0"},
    {"layer:4", "nodes 7 layers", "nodes layers 4", "nodes layers 4"},
    {"node:0", "nodes 0 layers", "nodes layers 0", "nodes 0 layers"},
    {"#8", "model: expected the name of a node of the model, found '#8'",
     "engine: expected the name or number of a layer of the engine, found '#8'",
     "model: expected the name of a node or a layer, found '#8'"},
    {"layer:6", "model: expected the name of a node of the model, found 'layer:6'",
     "engine: expected the name or number of a layer of the engine, found 'layer:6'",
     "model: expected the name of a node or a layer, found 'layer:6'"},
    /* patterns */
    {"*o*", "nodes 0 3 6 layers", "nodes layers 1", "nodes 0 3 6 layers 1"},
    {"f*", "nodes 0 1 layers", "nodes layers 0", "nodes layers 0"},
    {"z*",
     "model: expected a pattern that fits the name of a node of the model, found 'z*'",
     "engine: expected a pattern that fits the name or number of a layer of the "
     "engine, found 'z*'",
     "model: expected a pattern that fits the name of a node or a layer, found 'z*'"},
    /* tensors: who makes it, else who reads it */
    {"a", "nodes 0 layers", "nodes layers 0", "nodes 0 layers"},
    {"b", "nodes 1 layers", "nodes layers 0", "nodes 1 layers 0"},
    {"x", "nodes 0 layers", "nodes layers 0", "nodes 0 layers 0"},
    {"t0", "nodes 3 4 layers", "nodes layers 2", "nodes layers 2"},
    {"t9",
     "model: expected the name of a node of the model, found 't9', which "
     "computes no node",
     "nodes layers 5", "nodes layers 5"},
    /* what goes with nothing that is wanted */
    {"none", "nodes 6 layers",
     "engine: expected the name or number of a layer of the engine, found 'none', "
     "which no layer computes",
     "nodes 6 layers"},
    {"bare",
     "model: expected the name of a node of the model, found 'bare', which computes no "
     "node",
     "nodes layers 5", "nodes layers 5"},
    /* what comes nearest */
    {"conw",
     "model: expected the name of a node of the model, found 'conw'; did you mean "
     "'conv'?",
     "engine: expected the name or number of a layer of the engine, found 'conw'; did "
     "you mean 'conv'?",
     "model: expected the name of a node or a layer, found 'conw'; did you mean "
     "'conv'?"},
    {"lasd",
     "model: expected the name of a node of the model, found 'lasd'; did you mean "
     "'last'?",
     "engine: expected the name or number of a layer of the engine, found 'lasd'; did "
     "you mean 'last'?",
     "model: expected the name of a node or a layer, found 'lasd'; did you mean "
     "'last'?"},
    {"qqqqqqqq", "model: expected the name of a node of the model, found 'qqqqqqqq'",
     "engine: expected the name or number of a layer of the engine, found 'qqqqqqqq'",
     "model: expected the name of a node or a layer, found 'qqqqqqqq'"},
};

static void check(enum fsd_pick_want want, const char *word, const char *expected)
{
    char *found = picked_by(want, word);

    if (strcmp(found, expected) != 0)
        print_error("%s: expected %s\nfound %s\n", word, expected, found);
    assert_string_equal(found, expected);
    free(found);
}

static void word__names_nodes(void **state)
{
    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(rows); i++)
        check(FSD_PICK_NODES, rows[i].word, rows[i].nodes);
}

static void word__names_layers(void **state)
{
    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(rows); i++)
        check(FSD_PICK_LAYERS, rows[i].word, rows[i].layers);
}

static void word__names_whatever(void **state)
{
    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(rows); i++)
        check(FSD_PICK_BOTH, rows[i].word, rows[i].both);
}

static void words__in_the_order_of_what_is_picked(void **state)
{
    static const char *const words[] = {"relu", "conv", "conv"};
    static const char *const wrong[] = {"relu", "nobody", "conv"};
    struct fsd_diff *d = build_diff(model, engine, FSD_BY_ALL);
    struct fsd_error err = {0};
    fsd_id_vec nodes = {0}, layers = {0}, none = {0};

    (void)state;
    assert_int_equal(
        fsd_pick_all(d->arena, d->match, FSD_PICK_NODES, words, 3, &nodes, &err),
        FSD_OK);
    assert_int_equal(nodes.n, 2);
    assert_int_equal(nodes.at[0], 0);
    assert_int_equal(nodes.at[1], 1);
    assert_int_equal(
        fsd_pick_all(d->arena, d->match, FSD_PICK_LAYERS, words, 3, &layers, &err),
        FSD_OK);
    assert_int_equal(layers.n, 1);
    assert_int_equal(layers.at[0], 0);
    assert_int_equal(
        fsd_pick_all(d->arena, d->match, FSD_PICK_NODES, wrong, 3, &none, &err),
        FSD_E_ARG);
    assert_int_equal(none.n, 0);
    fsd_diff_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(word__names_nodes),
        cmocka_unit_test(word__names_layers),
        cmocka_unit_test(word__names_whatever),
        cmocka_unit_test(words__in_the_order_of_what_is_picked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
