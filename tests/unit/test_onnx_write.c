/*
 * The writer of ONNX, on models written byte by byte: what is not edited is the same
 * bytes, unknown fields and odd encodings included; edits are found wherever a graph
 * may be; what cannot be edited is refused before anything is written.
 */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "edit/onnx/write.h"
#include "model/graph/graph.h"
#include "onnx_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MODEL_IR = 1, MODEL_GRAPH = 7, MODEL_OPSET = 8, MODEL_FUNCTION = 25 };
enum { GRAPH_NODE = 1, GRAPH_NAME = 2, GRAPH_INITIALIZER = 5, UNKNOWN = 500 };
enum {
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_NAME = 3,
    NODE_OP = 4,
    NODE_ATTRIBUTE = 5
};
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_T = 5, ATTRIBUTE_G = 6, ATTRIBUTE_GRAPHS = 11 };
enum { TENSOR_DIMS = 1, TENSOR_TYPE = 2, TENSOR_NAME = 8, TENSOR_RAW = 9 };
enum { TENSOR_EXTERNAL = 13, TENSOR_LOCATION = 14 };
enum { GRAPH_INPUT = 11, GRAPH_OUTPUT = 12, GRAPH_VALUE = 13, GRAPH_ANNOTATION = 14 };
enum { NODE_METADATA = 9, MODEL_METADATA = 14, MODEL_TRAINING = 20 };

struct run {
    struct fsd_arena *arena;
    struct fsd_graph *g;
    struct bytes model;
    struct fsd_onnx_edits *edits;
    struct fsd_error err;
    char *text;
    size_t size;
};

static int begin(void **state)
{
    struct run *run = calloc(1, sizeof *run);

    if (!run)
        return -1;
    run->arena = fsd_arena_new();
    *state = run;
    return 0;
}

static int end(void **state)
{
    struct run *run = *state;

    fsd_arena_free(run->arena);
    free(run->text);
    free(run);
    return 0;
}

/* ------------------------------------------------------------------------- drawing */

static struct bytes none(struct run *run)
{
    return (struct bytes){.arena = run->arena};
}

/* "Relu a x y > z": the operator, the name, what it reads and what it makes; in the
 * order of the fields' numbers, as protobuf writes them. */
static struct bytes node(struct run *run, const char *text)
{
    static const struct {
        unsigned field;
        unsigned from, to;
    } order[] = {
        {NODE_INPUT, 2, 9}, {NODE_OUTPUT, 10, 10}, {NODE_NAME, 1, 1}, {NODE_OP, 0, 0}};
    struct bytes b = none(run);
    char copy[100], *rest = copy, *word;
    const char *words[11] = {NULL};
    unsigned n = 0;

    snprintf(copy, sizeof copy, "%s", text);
    while ((word = strtok_r(NULL, " ", &rest)))
        if (!strcmp(word, ">"))
            n = 10;
        else
            words[n++] = word;
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++)
        for (unsigned k = order[i].from; k <= order[i].to; k++)
            if (words[k])
                put_text(&b, order[i].field, words[k]);
    return b;
}

/* Nodes between semicolons, as a GraphProto's fields. */
static struct bytes graph(struct run *run, const char *text)
{
    struct bytes b = none(run);
    char copy[300], *rest = copy, *one;

    snprintf(copy, sizeof copy, "%s", text);
    while ((one = strtok_r(NULL, ";", &rest))) {
        struct bytes made = node(run, one);

        put_part(&b, GRAPH_NODE, &made);
    }
    return b;
}

static struct bytes attribute(struct run *run, const char *name, unsigned field,
                              const struct bytes *value)
{
    struct bytes b = none(run);

    put_text(&b, ATTRIBUTE_NAME, name);
    put_part(&b, field, value);
    return b;
}

/* A ModelProto around the graph. */
static struct bytes model(struct run *run, const struct bytes *main_graph)
{
    struct bytes b = none(run), opset = none(run);

    put_number(&opset, 2, 21);
    put_number(&b, MODEL_IR, 10);
    put_part(&b, MODEL_GRAPH, main_graph);
    put_part(&b, MODEL_OPSET, &opset);
    return b;
}

static struct bytes model_of(struct run *run, const char *text)
{
    struct bytes main_graph = graph(run, text);

    return model(run, &main_graph);
}

/* ------------------------------------------------------------------------- running */

static void load(struct run *run, struct bytes b)
{
    struct fsd_file file = file_of(&b);

    run->model = b;
    run->g = fsd_graph_new(run->arena, fsd_intern_new(run->arena));
    if (fsd_onnx_load(run->g, &file, &run->err) != FSD_OK)
        fail_msg("%s", run->err.message);
    run->edits = fsd_onnx_edits_new(run->arena, run->g);
}

static fsd_id named(const struct run *run, const char *name)
{
    for (fsd_id i = 0; i < run->g->nodes.n; i++)
        if (!strcmp(fsd_text(run->g->names, run->g->nodes.at[i].name), name))
            return i;
    fail_msg("no node %s", name);
    return FSD_NONE;
}

static enum fsd_status write_file(struct run *run, const struct bytes *source)
{
    struct fsd_file file = file_of(source);
    enum fsd_status status;
    FILE *out;

    free(run->text);
    run->text = NULL;
    out = open_memstream(&run->text, &run->size);
    assert_non_null(out);
    status = fsd_onnx_write(run->edits, &file, out, &run->err);
    fclose(out);
    return status;
}

static void assert_written(struct run *run, const struct bytes *expected)
{
    if (write_file(run, &run->model) != FSD_OK)
        fail_msg("%s", run->err.message);
    assert_int_equal(run->size, expected->n);
    assert_memory_equal(run->text, expected->at, expected->n);
}

static void assert_refused(struct run *run, const struct bytes *source,
                           enum fsd_status status)
{
    assert_int_equal(write_file(run, source), status);
    assert_int_equal(run->size, 0);
    assert_non_null(strstr(run->err.message, "expected"));
}

static void insert(struct run *run, fsd_id before, const char *op, const char *name,
                   const char *in, const char *out)
{
    fsd_onnx_insert_node(run->edits, before,
                         &(struct fsd_onnx_new_node){op, name, {in}, out});
}

/* --------------------------------------------------------------------------- cases */

static void edits_of_nodes(void **state)
{
    struct run *run = *state;
    struct bytes expected = model_of(
        run, "Abs n x > n;Neg m n > m;Relu a m > y;Relu b y k > z;Exp l z > l");

    load(run, model_of(run, "Relu a x > y;Relu b y z > z;Relu c z > u;"));
    insert(run, named(run, "a"), "Abs", "n", "x", "n");
    insert(run, named(run, "a"), "Neg", "m", "n", "m");
    fsd_onnx_set_input(run->edits, named(run, "a"), 0, "q");
    fsd_onnx_set_input(run->edits, named(run, "a"), 0, "m"); /* the last one counts */
    fsd_onnx_set_input(run->edits, named(run, "b"), 1, "k");
    fsd_onnx_drop_node(run->edits, named(run, "c"));
    insert(run, named(run, "c"), "Exp", "l", "z", "l");
    assert_written(run, &expected);
    assert_written(run, &expected); /* edits may be written more than once */
}

/* Fields that are unknown, numbers and lengths in more bytes than they need, dims one
 * by one and in a block: everywhere but in the one length that an edit changes. */
static struct bytes odd_model(struct run *run, const char *input)
{
    struct bytes first = node(run, "Relu a x > y"), second = none(run);
    struct bytes tensor = none(run), g = none(run), b = none(run), opset = none(run);

    put_number(&second, UNKNOWN, 7);
    put_text(&second, NODE_INPUT, input);
    put_text(&second, UNKNOWN, "inside the node");
    put_text(&second, NODE_OUTPUT, "z");
    put_text(&second, NODE_NAME, "b");
    put_text(&second, NODE_OP, "Relu");
    put_number(&tensor, TENSOR_DIMS, 1);
    put_block(&tensor, TENSOR_DIMS, "\1\2", 2);
    put_wide(&tensor, TENSOR_TYPE << 3, 3);
    put_wide(&tensor, FSD_ONNX_INT8, 4);
    put_text(&tensor, TENSOR_NAME, "w");
    put_block(&tensor, TENSOR_RAW, "\0\1", 2);
    put_text(&g, UNKNOWN, "in front of the nodes");
    put_wide(&g, GRAPH_NODE << 3 | 2, 2);
    put_wide(&g, first.n, 5);
    put(&g, first.at, first.n);
    put_part(&g, GRAPH_INITIALIZER, &tensor);
    put_part(&g, GRAPH_NODE, &second);
    put_text(&g, GRAPH_NAME, "the graph");
    put_number(&g, UNKNOWN, 1);
    put_number(&opset, 2, 21);
    put_part(&b, MODEL_OPSET, &opset);
    put_text(&b, UNKNOWN, "in front of the graph");
    put_part(&b, MODEL_GRAPH, &g);
    put(&b,
        "\x99\x06"
        "12345678",
        10);
    put_wide(&b, MODEL_IR << 3, 2);
    put_wide(&b, 10, 3);
    return b;
}

static void other_bytes_stay(void **state)
{
    struct run *run = *state;
    struct bytes expected = odd_model(run, "y"),
                 changed = odd_model(run, "a name that is longer than what was there");

    load(run, odd_model(run, "y"));
    assert_written(run, &expected);
    fsd_onnx_set_input(run->edits, named(run, "b"), 0,
                       "a name that is longer than what was there");
    assert_written(run, &changed);
}

static void tensors_are_added(void **state)
{
    struct run *run = *state;
    struct bytes expected, g = graph(run, "Relu a x > y"), tensor = none(run);

    put_number(&tensor, TENSOR_TYPE, FSD_ONNX_INT8);
    put_text(&tensor, TENSOR_NAME, "y_2");
    put_block(&tensor, TENSOR_RAW, "\5", 1);
    put_part(&g, GRAPH_INITIALIZER, &tensor);
    expected = model(run, &g);
    load(run, model_of(run, "Relu a x > y"));
    assert_string_equal(fsd_onnx_new_name(run->edits, "y"), "y_2");
    assert_string_equal(fsd_onnx_new_name(run->edits, "y"), "y_3");
    assert_string_equal(fsd_onnx_new_name(run->edits, "free"), "free");
    fsd_onnx_add_tensor(run->edits, "y_2", FSD_ONNX_INT8, "\5", 1);
    assert_written(run, &expected);
}

/* An If whose branches hold a node each, one of them a Loop's body in it; and an
 * operator with a list of graphs, behind a graph of its own, or in front. */
static struct bytes nested_model(struct run *run, const char *then_node,
                                 const char *loop_node, const char *listed)
{
    struct bytes g = graph(run, "Relu a x > y"), loop = node(run, "Loop l > v");
    struct bytes branch = node(run, "If i c > w"), lists = node(run, "Lists j > u");
    struct bytes then_body = graph(run, then_node), loop_body = graph(run, loop_node);
    struct bytes else_body = none(run), many = none(run), part;

    part = attribute(run, "body", ATTRIBUTE_G, &loop_body);
    put_part(&loop, NODE_ATTRIBUTE, &part);
    put_part(&else_body, GRAPH_NODE, &loop);
    part = attribute(run, "else_branch", ATTRIBUTE_G, &else_body);
    put_part(&branch, NODE_ATTRIBUTE, &part);
    part = attribute(run, "then_branch", ATTRIBUTE_G, &then_body);
    put_part(&branch, NODE_ATTRIBUTE, &part);
    part = graph(run, "Relu g0 x > g0");
    put_part(&many, ATTRIBUTE_GRAPHS, &part);
    part = graph(run, "Relu g1 x > g1");
    put_part(&many, ATTRIBUTE_G, &part);
    part = graph(run, listed);
    put_part(&many, ATTRIBUTE_GRAPHS, &part);
    put_text(&many, ATTRIBUTE_NAME, "bodies");
    put_part(&lists, NODE_ATTRIBUTE, &many);
    put_part(&g, GRAPH_NODE, &branch);
    put_part(&g, GRAPH_NODE, &lists);
    return model(run, &g);
}

static void bodies_are_edited(void **state)
{
    struct run *run = *state;
    struct bytes same = nested_model(run, "Relu t y > t", "Neg n y > n", "Abs p x > p");
    struct bytes expected =
        nested_model(run, "Relu t x > t", "Exp e y > e;Neg n e > n", "Abs p k > p");

    load(run, same);
    assert_written(run, &same);
    fsd_onnx_set_input(run->edits, named(run, "t"), 0, "x");
    insert(run, named(run, "n"), "Exp", "e", "y", "e");
    fsd_onnx_set_input(run->edits, named(run, "n"), 0, "e");
    fsd_onnx_set_input(run->edits, named(run, "p"), 0, "k");
    assert_written(run, &expected);
}

/* Two attributes of one name are two bodies nevertheless. */
static void equal_names_of_bodies(void **state)
{
    struct run *run = *state;
    struct bytes models[2];

    for (int changed = 0; changed < 2; changed++) {
        struct bytes op = node(run, "Two o > u"), g = none(run), one, other;

        one = graph(run, "Relu r x > r");
        one = attribute(run, "body", ATTRIBUTE_G, &one);
        other = graph(run, changed ? "Relu s k > s" : "Relu s x > s");
        other = attribute(run, "body", ATTRIBUTE_G, &other);
        put_part(&op, NODE_ATTRIBUTE, &one);
        put_part(&op, NODE_ATTRIBUTE, &other);
        put_part(&g, GRAPH_NODE, &op);
        models[changed] = model(run, &g);
    }
    load(run, models[0]);
    fsd_onnx_set_input(run->edits, named(run, "s"), 0, "k");
    assert_written(run, &models[1]);
}

/* Protobuf joins the parts of a message; new tensors go into the last, when it is known
 * what the others have under their names. */
static void graphs_in_parts(void **state)
{
    struct run *run = *state;
    struct bytes models[2];

    for (int changed = 0; changed < 2; changed++) {
        struct bytes one = graph(run, "Relu a x > y"), tensor = none(run);
        struct bytes two = graph(run, changed ? "Relu b k > z" : "Relu b y > z");

        put_number(&tensor, TENSOR_TYPE, FSD_ONNX_INT8);
        put_text(&tensor, TENSOR_NAME, "k");
        put_block(&tensor, TENSOR_RAW, "\1", 1);
        if (changed)
            put_part(&two, GRAPH_INITIALIZER, &tensor);
        models[changed] = model(run, &one);
        put_part(&models[changed], MODEL_GRAPH, &two);
    }
    load(run, models[0]);
    fsd_onnx_add_tensor(run->edits, "k", FSD_ONNX_INT8, "\1", 1);
    fsd_onnx_set_input(run->edits, named(run, "b"), 0, "k");
    assert_written(run, &models[1]);
}

static void functions_are_not_edited(void **state)
{
    struct run *run = *state;
    struct bytes b = none(run), body = node(run, "Relu inner x > y"), f = none(run);
    struct bytes call = node(run, "Twice call x > y"), g = none(run), other;

    put_text(&f, 1, "Twice");
    put_text(&f, 10, "own");
    put_part(&f, 7, &body);
    put_text(&call, 7, "own");
    put_part(&g, GRAPH_NODE, &call);
    b = model(run, &g);
    put_part(&b, MODEL_FUNCTION, &f);
    load(run, b);
    assert_false(fsd_onnx_can_edit(run->g, named(run, "inner")));
    assert_true(fsd_onnx_can_edit(run->g, named(run, "call")));
    fsd_onnx_drop_node(run->edits, named(run, "call"));
    other = none(run);
    other = model(run, &other);
    put_part(&other, MODEL_FUNCTION, &f);
    assert_written(run, &other);
}

static void what_cannot_be_is_refused(void **state)
{
    struct run *run = *state;

    load(run, nested_model(run, "Relu t y > t", "Neg n y > n", "Abs p x > p"));
    fsd_onnx_set_input(run->edits, named(run, "t"), 1, "k"); /* has one input */
    assert_refused(run, &run->model, FSD_E_MISMATCH);
    run->edits = fsd_onnx_edits_new(run->arena, run->g);
    fsd_onnx_set_input(run->edits, named(run, "t"), 0, "k"); /* in what goes */
    fsd_onnx_drop_node(run->edits, named(run, "i"));
    assert_refused(run, &run->model, FSD_E_MISMATCH);
}

static void another_file_is_refused(void **state)
{
    struct run *run = *state;
    struct bytes other = model_of(run, "Relu a x > y;Relu b x > z"), cut;

    load(run, model_of(run, "Relu a x > y;Relu b y > z"));
    fsd_onnx_set_input(run->edits, named(run, "b"), 0, "k");
    assert_refused(run, &other, FSD_E_MISMATCH);
    for (cut = run->model; cut.n-- > 1;) {
        enum fsd_status status = write_file(run, &cut);

        assert_true(status == FSD_E_FORMAT || status == FSD_E_MISMATCH);
        assert_int_equal(run->size, 0);
    }
}

/* A disk that is full; /dev/full is one. */
static void a_full_disk(void **state)
{
    struct run *run = *state;
    FILE *out = fopen("/dev/full", "w");
    struct fsd_file file;

    if (!out)
        skip();
    load(run, model_of(run, "Relu a x > y"));
    file = file_of(&run->model);
    assert_int_equal(fsd_onnx_write(run->edits, &file, out, &run->err), FSD_E_WRITE);
    fclose(out);
}

/* A tensor in each place that may hold one, with its weights elsewhere or here. */
static struct bytes tensor_at(struct run *run, int place, bool external)
{
    struct bytes tensor = none(run), g = none(run), op = none(run), b, made;

    put_text(&tensor, TENSOR_NAME, "w");
    put_text(&tensor, external ? TENSOR_EXTERNAL : TENSOR_RAW, "");
    if (place == 0) {
        put_part(&g, GRAPH_INITIALIZER, &tensor);
        return model(run, &g);
    }
    made = attribute(run, "value", ATTRIBUTE_T, &tensor);
    op = node(run, "Constant c > c");
    put_part(&op, NODE_ATTRIBUTE, &made);
    put_part(&g, place == 3 ? 7 : GRAPH_NODE, &op);
    if (place == 2) {
        made = attribute(run, "body", ATTRIBUTE_G, &g);
        op = node(run, "Loop l > l");
        put_part(&op, NODE_ATTRIBUTE, &made);
        g = none(run);
        put_part(&g, GRAPH_NODE, &op);
    }
    made = none(run);
    b = model(run, place == 3 ? &made : &g);
    if (place == 3)
        put_part(&b, MODEL_FUNCTION, &g);
    return b;
}

static void external_weights_are_seen(void **state)
{
    struct run *run = *state;

    for (int place = 0; place < 4; place++)
        for (int external = 0; external < 2; external++) {
            struct bytes b = tensor_at(run, place, external);
            struct fsd_file file = file_of(&b);

            assert_int_equal(fsd_onnx_has_external(&file), external);
        }
}

/* A ValueInfoProto of floats; sizes below 0 are open, the one of "N" has that name. */
static struct bytes info(struct run *run, const char *name, const int64_t *sizes, int n)
{
    struct bytes b = none(run), shape = none(run), tensor = none(run), type = none(run);

    for (int i = 0; i < n; i++) {
        struct bytes dim = none(run);

        if (sizes[i] >= 0)
            put_number(&dim, 1, (uint64_t)sizes[i]);
        else
            put_text(&dim, 2, "N");
        put_part(&shape, 1, &dim);
    }
    put_number(&tensor, 1, FSD_ONNX_FLOAT);
    put_part(&tensor, 2, &shape);
    put_part(&type, 1, &tensor);
    put_text(&b, 1, name);
    put_part(&b, 2, &type);
    return b;
}

static struct bytes weight(struct run *run, const char *name, const char *raw)
{
    struct bytes b = none(run);

    put_number(&b, TENSOR_TYPE, FSD_ONNX_INT8);
    put_text(&b, TENSOR_NAME, name);
    put_block(&b, TENSOR_RAW, raw, 1);
    return b;
}

/* Two nodes, of which the second and all that it alone needs are left out. */
static struct bytes listing_model(struct run *run, bool whole, bool declared)
{
    static const int64_t sizes[] = {-1, 3};
    struct bytes g =
        graph(run, whole ? "Add a x w > y;Add b y v > z" : "Add a x w > y");
    struct bytes part, b, training = none(run);

    part = weight(run, "w", declared ? "\7" : "\1");
    put_part(&g, GRAPH_INITIALIZER, &part);
    part = weight(run, "v", "\2");
    if (whole)
        put_part(&g, GRAPH_INITIALIZER, &part);
    part = info(run, "x", sizes, declared ? 2 : 1);
    put_part(&g, GRAPH_INPUT, &part);
    part = info(run, "z", sizes, 2);
    if (whole)
        put_part(&g, GRAPH_OUTPUT, &part);
    part = info(run, "y", sizes, 2);
    if (whole)
        put_part(&g, GRAPH_VALUE, &part);
    if (!whole)
        put_part(&g, GRAPH_OUTPUT, &part);
    b = model(run, &g);
    if (whole)
        put_part(&b, MODEL_TRAINING, &training);
    return b;
}

static void lists_of_the_graph(void **state)
{
    static const int64_t sizes[] = {-1, 3};
    static const char *const names[] = {"N", NULL};
    struct run *run = *state;
    struct bytes expected = listing_model(run, false, true);
    fsd_id b;

    load(run, listing_model(run, true, false));
    b = named(run, "b");
    fsd_onnx_drop_node(run->edits, b);
    fsd_onnx_drop_listed(run->edits, FSD_ONNX_INITIALIZERS,
                         fsd_intern_str(run->g->names, "v"));
    fsd_onnx_drop_listed(run->edits, FSD_ONNX_OUTPUTS,
                         fsd_intern_str(run->g->names, "z"));
    fsd_onnx_drop_listed(run->edits, FSD_ONNX_VALUES,
                         fsd_intern_str(run->g->names, "y"));
    fsd_onnx_declare(
        run->edits, FSD_ONNX_INPUTS,
        &(struct fsd_onnx_info){"x", FSD_ONNX_FLOAT, true, 2, sizes, names});
    fsd_onnx_declare(
        run->edits, FSD_ONNX_OUTPUTS,
        &(struct fsd_onnx_info){"y", FSD_ONNX_FLOAT, true, 2, sizes, names});
    fsd_onnx_add_tensor(run->edits, "w", FSD_ONNX_INT8, "\7", 1); /* in its place */
    fsd_onnx_drop_training(run->edits);
    assert_written(run, &expected);
    assert_written(run, &expected);
}

static struct bytes entry(struct run *run, const char *key, const char *value)
{
    struct bytes b = none(run);

    put_text(&b, 1, key);
    put_text(&b, 2, value);
    return b;
}

static struct bytes annotated_model(struct run *run, bool changed)
{
    struct bytes op = node(run, "Relu a x > y"), g = none(run), b, part;

    part = entry(run, "other", "stays");
    put_part(&op, NODE_METADATA, &part);
    part = entry(run, "layer", changed ? "12" : "7");
    put_part(&op, NODE_METADATA, &part);
    put_part(&g, GRAPH_NODE, &op);
    b = model(run, &g);
    part = entry(run, "layer", changed ? "all" : "none");
    put_part(&b, MODEL_METADATA, &part);
    return b;
}

static void metadata_is_set(void **state)
{
    struct run *run = *state;
    struct bytes expected = annotated_model(run, true);

    load(run, annotated_model(run, false));
    fsd_onnx_set_property(run->edits, named(run, "a"), "layer", "12");
    fsd_onnx_set_property(run->edits, FSD_NONE, "layer", "all");
    assert_written(run, &expected);
}

static void functions_are_left_out(void **state)
{
    static const struct fsd_onnx_called called = {"own", "Twice"};
    struct run *run = *state;
    struct bytes models[3];

    for (int kept = 0; kept < 3; kept++) {
        struct bytes g = graph(run, "Relu a x > y");

        models[kept] = model(run, &g);
        for (int i = 0; i < kept; i++) {
            struct bytes f = none(run);

            put_text(&f, 1, i ? "Thrice" : "Twice");
            put_text(&f, 10, "own");
            put_part(&models[kept], MODEL_FUNCTION, &f);
        }
    }
    load(run, models[2]);
    assert_written(run, &models[2]);
    fsd_onnx_keep_functions(run->edits, &called, 1);
    assert_written(run, &models[1]);
    fsd_onnx_keep_functions(run->edits, NULL, 0);
    assert_written(run, &models[0]);
}

/* A weight of one byte in another file, or the same byte here. */
static struct bytes outside_model(struct run *run, const char *location,
                                  const char *offset, const char *here)
{
    struct bytes tensor = none(run), g, part;

    put_number(&tensor, TENSOR_TYPE, FSD_ONNX_INT8);
    if (!here) {
        part = entry(run, "location", location);
        put_part(&tensor, TENSOR_EXTERNAL, &part);
        part = entry(run, "offset", offset);
        put_part(&tensor, TENSOR_EXTERNAL, &part);
        part = entry(run, "length", "1");
        put_part(&tensor, TENSOR_EXTERNAL, &part);
    }
    put_text(&tensor, TENSOR_NAME, "w");
    put_number(&tensor, TENSOR_LOCATION, 1);
    if (here) {
        put_number(&tensor, TENSOR_LOCATION, 0);
        put_text(&tensor, TENSOR_RAW, here);
    }
    g = graph(run, "Add a x w > y");
    put_part(&g, GRAPH_INITIALIZER, &tensor);
    part = attribute(run, "value", ATTRIBUTE_T, &tensor);
    tensor = node(run, "Constant c > c");
    put_part(&tensor, NODE_ATTRIBUTE, &part);
    put_part(&g, GRAPH_NODE, &tensor);
    return model(run, &g);
}

static void assert_outside(struct run *run, const char *location, const char *offset,
                           enum fsd_onnx_weights weights, const char *refused)
{
    struct bytes as_is = outside_model(run, location, offset, NULL);
    struct bytes here = outside_model(run, location, offset, "b");

    load(run, as_is);
    fsd_onnx_set_weights(run->edits, weights);
    if (!refused) {
        assert_written(run, weights == FSD_ONNX_WEIGHTS_INLINED ? &here : &as_is);
        return;
    }
    assert_int_not_equal(write_file(run, &run->model), FSD_OK);
    assert_int_equal(run->size, 0);
    if (!strstr(run->err.message, refused))
        fail_msg("%s", run->err.message);
}

static void weights_of_other_files(void **state)
{
    static const enum fsd_onnx_weights looks[] = {FSD_ONNX_WEIGHTS_CHECKED,
                                                  FSD_ONNX_WEIGHTS_INLINED};
    struct run *run = *state;
    struct fsd_memory file = {"w.data", "abc", 3};

    fsd_use_memory(&file, 1);
    for (int i = 0; i < 2; i++) {
        assert_outside(run, "w.data", "1", looks[i], NULL);
        assert_outside(run, "w.data", "3", looks[i], "fewer bytes");
        assert_outside(run, "w.data", "-1", looks[i], "fewer bytes");
        assert_outside(run, "../w.data", "1", looks[i], "outside this folder");
        assert_outside(run, "a/../../w.data", "1", looks[i], "outside this folder");
        assert_outside(run, "/w.data", "1", looks[i], "outside this folder");
        assert_outside(run, "absent.data", "1", looks[i], "weights of 'w'");
    }
    fsd_use_memory(NULL, 0);
    assert_outside(run, "absent.data", "1", FSD_ONNX_WEIGHTS_STAY, NULL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(edits_of_nodes),
        TEST(other_bytes_stay),
        TEST(tensors_are_added),
        TEST(bodies_are_edited),
        TEST(equal_names_of_bodies),
        TEST(graphs_in_parts),
        TEST(functions_are_not_edited),
        TEST(what_cannot_be_is_refused),
        TEST(another_file_is_refused),
        TEST(a_full_disk),
        TEST(external_weights_are_seen),
        TEST(lists_of_the_graph),
        TEST(metadata_is_set),
        TEST(functions_are_left_out),
        TEST(weights_of_other_files),
    };
    return cmocka_run_group_tests_name("onnx_write", tests, NULL, NULL);
}
