/* What the models of fixtures/onnx/make_models.py become. */
#include "onnx_bytes.h"
#include "model/graph/graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct load load_fixture(const char *name)
{
    static char path[512];
    struct load load;

    snprintf(path, sizeof path, "%s/onnx/%s.onnx", FSD_FIXTURES, name);
    load = load_path(path);
    if (load.status != FSD_OK)
        fail_msg("%s: %s", path, load.err.message);
    return load;
}

static const char *text(const struct fsd_graph *g, fsd_sym sym)
{
    return fsd_text(g->names, sym);
}

static fsd_id find_in(const struct fsd_graph *g, const char *name, fsd_id scope)
{
    fsd_id id = fsd_graph_find(g, fsd_intern_find(g->names, name, strlen(name)), scope);

    if (id == FSD_NONE)
        fail_msg("no tensor %s in scope %u", name, scope);
    return id;
}

static const struct fsd_tensor *tensor(const struct fsd_graph *g, const char *name)
{
    return &g->tensors.at[find_in(g, name, 0)];
}

static fsd_id node_named(const struct fsd_graph *g, const char *name)
{
    for (fsd_id i = 0; i < g->nodes.n; i++)
        if (!strcmp(text(g, g->nodes.at[i].name), name))
            return i;
    fail_msg("no node %s", name);
    return FSD_NONE;
}

/* "fp32 [2,n,?]", "int64 ?" */
static const char *form_text(const struct fsd_graph *g, fsd_id tensor_id)
{
    static char out[256];
    const struct fsd_form *form = fsd_tensor_form(g, tensor_id);
    int n = snprintf(out, sizeof out, "%s ", fsd_dtype_name(form->type));

    if (!form->ranked) {
        strcat(out, "?");
        return out;
    }
    out[n++] = '[';
    for (uint32_t i = 0; i < form->dims.n; i++) {
        struct fsd_dim dim = g->dims.at[form->dims.at + i];
        char size[32];

        snprintf(size, sizeof size, "%d", (int)dim.size);
        n += snprintf(out + n, sizeof out - (size_t)n, "%s%s", i ? "," : "",
                      dim.size >= 0 ? size
                      : dim.name    ? text(g, dim.name)
                                    : "?");
    }
    strcpy(out + n, "]");
    return out;
}

static void assert_form(const struct fsd_graph *g, const char *name, const char *form)
{
    assert_string_equal(form_text(g, find_in(g, name, 0)), form);
}

static void assert_bytes(const struct fsd_graph *g, const char *name, const void *bytes,
                         size_t n)
{
    const struct fsd_value *value = fsd_tensor_value(g, find_in(g, name, 0));

    if (!value)
        fail_msg("%s has not been read", name);
    assert_int_equal(value->size, n);
    assert_memory_equal(value->bytes, bytes, n);
}

static void assert_unread(const struct fsd_graph *g, const char *name, uint64_t size)
{
    const struct fsd_tensor *t = tensor(g, name);

    assert_int_not_equal(t->value, FSD_NONE);
    assert_null(g->values.at[t->value].bytes);
    assert_int_equal(g->values.at[t->value].size, size);
}

static uint32_t count_remarks(const struct fsd_graph *g, const char *rule,
                              const char *about)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < g->remarks.n; i++)
        if (!strcmp(g->remarks.at[i].rule, rule) &&
            !strcmp(text(g, g->remarks.at[i].text), about))
            n++;
    return n;
}

/* ---------------------------------------------------------------------- plain */

static void header_and_nodes(void **state)
{
    struct load load = load_fixture("plain");
    const struct fsd_graph *g = load.g;
    const struct fsd_node *gemm = &g->nodes.at[1];

    (void)state;
    assert_string_equal(g->kind, "onnx");
    assert_string_equal(text(g, g->producer), "make_models 1");
    assert_int_equal(g->ir_version, 8);
    assert_int_equal(g->opsets.n, 2);
    assert_int_equal(g->opsets.at[0].version, 17);
    assert_true(g->hash[0] && g->hash[1]);
    assert_int_equal(g->nodes.n, 6);
    assert_string_equal(text(g, gemm->name), "gemm");
    assert_int_equal(gemm->where, 1);
    assert_int_equal(gemm->in.n, 3);
    assert_int_equal(fsd_node_in_tensor(g, 1, 2), FSD_NONE);
    assert_int_equal(fsd_node_attr(g, gemm, "transB")->i, 1);
    assert_true(fsd_node_attr(g, gemm, "alpha")->f == 0.5);
    assert_int_equal(g->nodes.at[2].name, 0);
    assert_int_equal(fsd_node_out_tensor(g, 5, 0), FSD_NONE);
    assert_int_equal(fsd_tensor_producer(g, find_in(g, "g", 0)), 1);
    assert_int_equal(tensor(g, "g")->consumers.n, 3);
    drop_load(&load);
}

static void facts_without_value_infos(void **state)
{
    struct load load = load_fixture("plain");
    const struct fsd_graph *g = load.g;

    (void)state;
    assert_form(g, "x", "fp32 [batch,4]");
    assert_form(g, "r", "fp32 [batch,4]"); /* Relu */
    assert_form(g, "g", "fp32 ?");         /* Gemm */
    assert_form(g, "c", "fp16 ?");         /* Cast */
    assert_form(g, "s", "int64 [2]");
    assert_form(g, "b", "bool ?");
    assert_form(g, "i", "int64 [batch,1]");
    assert_int_equal(tensor(g, "x")->flags, FSD_TENSOR_INPUT);
    assert_int_equal(tensor(g, "s")->flags, FSD_TENSOR_OUTPUT);
    assert_int_equal(tensor(g, "w")->flags, FSD_TENSOR_CONSTANT);
    assert_int_equal(g->scopes.at[0].inputs.n, 1);
    assert_int_equal(g->scopes.at[0].outputs.n, 3);
    assert_int_equal(g->remarks.n, 0);
    drop_load(&load);
}

/* ------------------------------------------------------------------- constants */

static void every_element_type(void **state)
{
    static const struct {
        const char *name;
        enum fsd_dtype type;
        const char *bytes;
        size_t n;
    } rows[] = {
        {"FLOAT", FSD_FP32, "\0\0\x80\x3f\0\0\0\xc0", 8},
        {"UINT8", FSD_UINT8, "\x38\xc0", 2},
        {"INT8", FSD_INT8, "\x01\xfe", 2},
        {"UINT16", FSD_UINT16, "\x00\x3c\x00\xc0", 4},
        {"INT16", FSD_INT16, "\x01\x00\xfe\xff", 4},
        {"INT32", FSD_INT32, "\x01\0\0\0\xfe\xff\xff\xff", 8},
        {"INT64", FSD_INT64, "\x01\0\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff", 16},
        {"BOOL", FSD_BOOL, "\x01\x00", 2},
        {"FLOAT16", FSD_FP16, "\x00\x3c\x00\xc0", 4},
        {"DOUBLE", FSD_FP64, "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\x00\xc0", 16},
        {"UINT32", FSD_UINT32, "\x01\0\0\0\x00\x28\x6b\xee", 8},
        {"UINT64", FSD_UINT64, "\x01\0\0\0\0\0\0\0\x00\x28\x6b\xee\0\0\0\0", 16},
        {"COMPLEX64", FSD_COMPLEX64, "\0\0\x80\x3f\0\0\0\xc0\0\0\x80\x3f\0\0\0\xc0",
         16},
        {"COMPLEX128", FSD_COMPLEX128,
         "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\x00\xc0\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0"
         "\x00\xc0",
         32},
        {"BFLOAT16", FSD_BF16, "\x00\x3c\x00\xc0", 4},
        {"FLOAT8E4M3FN", FSD_FP8, "\x38\xc0", 2},
        {"FLOAT8E4M3FNUZ", FSD_FP8E4M3FNUZ, "\x38\xc0", 2},
        {"FLOAT8E5M2", FSD_FP8E5M2, "\x38\xc0", 2},
        {"FLOAT8E5M2FNUZ", FSD_FP8E5M2FNUZ, "\x38\xc0", 2},
        {"FLOAT8E8M0", FSD_FP8E8M0, "\x38\xc0", 2},
        {"UINT4", FSD_UINT4, "\x21", 1},
        {"INT4", FSD_INT4, "\x21", 1},
        {"FLOAT4E2M1", FSD_FP4, "\x21", 1},
        {"UINT2", FSD_UINT2, "\x21", 1},
        {"INT2", FSD_INT2, "\x21", 1},
    };
    struct load load = load_fixture("types");
    const struct fsd_graph *g = load.g;

    (void)state;
    for (size_t i = 0; i < FSD_COUNT_OF(rows); i++) {
        fsd_id id = find_in(g, rows[i].name, 0);

        assert_int_equal(fsd_tensor_form(g, id)->type, rows[i].type);
        assert_bytes(g, rows[i].name, rows[i].bytes, rows[i].n);
    }
    assert_form(g, "STRING", "string [2]");
    assert_unread(g, "STRING", 6);
    assert_form(g, "LATER", "unknown [2]");
    assert_int_equal(count_remarks(g, "input/unknown-type", "LATER"), 1);
    assert_int_equal(g->remarks.n, 1);
    drop_load(&load);
}

static void constant_nodes(void **state)
{
    struct load load = load_fixture("constants");
    const struct fsd_graph *g = load.g;

    (void)state;
    assert_form(g, "of_value", "int32 [2]");
    assert_bytes(g, "of_value", "\x07\0\0\0\x08\0\0\0", 8);
    assert_form(g, "of_value_float", "fp32 []");
    assert_bytes(g, "of_value_float", "\0\0\xc0\x3f", 4);
    assert_form(g, "of_value_floats", "fp32 [3]");
    assert_bytes(g, "of_value_floats", "\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40", 12);
    assert_form(g, "of_value_int", "int64 []");
    assert_bytes(g, "of_value_int", "\x05\0\0\0\0\0\0\0", 8);
    assert_form(g, "of_value_ints", "int64 [2]");
    assert_bytes(g, "of_value_ints", "\x06\0\0\0\0\0\0\0\x07\0\0\0\0\0\0\0", 16);
    assert_form(g, "of_value_string", "string []");
    assert_unread(g, "of_value_string", 3);
    assert_form(g, "of_value_strings", "string [2]");
    assert_unread(g, "of_value_strings", 3);
    assert_form(g, "of_sparse_value", "fp32 [3,3]");
    assert_unread(g, "of_sparse_value", 8);
    assert_int_equal(tensor(g, "of_value")->flags, 0);
    drop_load(&load);
}

static void initializers(void **state)
{
    struct load load = load_fixture("constants");
    const struct fsd_graph *g = load.g;

    (void)state;
    assert_int_equal(tensor(g, "default")->flags, FSD_TENSOR_CONSTANT);
    assert_int_equal(g->scopes.at[0].inputs.n, 1); /* x, not default */
    assert_form(g, "external", "fp32 [1000,1000]");
    assert_unread(g, "external", 4000000);
    assert_unread(g, "large", 4100); /* raw_data */
    assert_unread(g, "typed", 4100); /* float_data */
    assert_int_equal(tensor(g, "sp")->flags, FSD_TENSOR_CONSTANT | FSD_TENSOR_SPARSE);
    assert_form(g, "sp", "fp32 [3,3]");
    assert_unread(g, "sp", 8);
    assert_form(g, "wrong", "fp32 [3]");
    assert_unread(g, "wrong", 12);
    assert_int_equal(count_remarks(g, "input/bad-value", "wrong"), 1);
    assert_form(g, "negative", "fp32 [?,2]");
    assert_int_equal(count_remarks(g, "input/bad-dim", "negative"), 1);
    assert_bytes(g, "empty", "", 0);
    assert_int_equal(g->remarks.n, 2);
    drop_load(&load);
}

/* ---------------------------------------------------------------------- bodies */

static const struct fsd_scope *scope_of(const struct fsd_graph *g, fsd_id owner,
                                        const char *label)
{
    for (fsd_id i = 1; i < g->scopes.n; i++)
        if (g->scopes.at[i].owner == owner &&
            !strcmp(text(g, g->scopes.at[i].label), label))
            return &g->scopes.at[i];
    fail_msg("node %u has no body %s", owner, label);
    return NULL;
}

static void control_flow(void **state)
{
    struct load load = load_fixture("control");
    const struct fsd_graph *g = load.g;
    fsd_id loop = node_named(g, "loop"), inner = node_named(g, "inner_if");
    const struct fsd_scope *body = scope_of(g, loop, "body");
    const struct fsd_scope *then = scope_of(g, inner, "then_branch");
    const struct fsd_scope *handed = scope_of(g, node_named(g, "if"), "then_branch");
    fsd_id body_id = (fsd_id)(body - g->scopes.at);
    fsd_id v = find_in(g, "v", body_id);

    (void)state;
    assert_int_equal(loop, 0);
    assert_int_equal(g->nodes.at[inner].scope, body_id);
    assert_int_equal(body->parent, 0);
    assert_int_equal(body->inputs.n, 3);
    assert_int_equal(body->outputs.n, 2);
    assert_int_equal(then->parent, body_id);
    /* Add(v, w) and Mul(v, x) read tensors of the graphs around them. */
    assert_int_equal(g->tensors.at[v].consumers.n, 2);
    assert_int_equal(g->tensors.at[find_in(g, "w", body_id)].flags,
                     FSD_TENSOR_CONSTANT);
    assert_int_equal(tensor(g, "x")->consumers.n, 2); /* Loop and Mul */
    assert_int_equal(handed->outputs.n, 1);
    assert_int_equal(g->links.at[handed->outputs.at], find_in(g, "x", 0));
    assert_int_equal(tensor(g, "x")->flags, FSD_TENSOR_INPUT);
    assert_int_equal(g->remarks.n, 0);
    drop_load(&load);
}

static float alpha_of(const struct fsd_graph *g, fsd_id owner)
{
    const struct fsd_scope *scope = scope_of(g, owner, "Scale");
    fsd_id id = find_in(g, "factor", (fsd_id)(scope - g->scopes.at));
    const struct fsd_value *value = fsd_tensor_value(g, id);
    float alpha;

    assert_non_null(value);
    memcpy(&alpha, value->bytes, sizeof alpha);
    return alpha;
}

static fsd_id call_in(const struct fsd_graph *g, const char *name,
                      const struct fsd_scope *scope)
{
    for (fsd_id i = 0; i < g->nodes.n; i++)
        if (g->nodes.at[i].scope == (fsd_id)(scope - g->scopes.at) &&
            !strcmp(text(g, g->nodes.at[i].name), name))
            return i;
    fail_msg("no call %s in that body", name);
    return FSD_NONE;
}

static void functions(void **state)
{
    struct load load = load_fixture("functions");
    const struct fsd_graph *g = load.g;
    fsd_id first = node_named(g, "first"), in_then = node_named(g, "in_then");
    const struct fsd_scope *one = scope_of(g, first, "Twice");
    const struct fsd_scope *two = scope_of(g, in_then, "Twice");
    fsd_id u = find_in(g, "u", (fsd_id)(one - g->scopes.at));

    (void)state;
    assert_int_equal(first, 0);
    assert_true(g->nodes.at[first].flags & FSD_NODE_CALL);
    assert_false(g->nodes.at[node_named(g, "add")].flags & FSD_NODE_CALL);
    assert_int_equal(one->kind, FSD_SCOPE_FUNCTION);
    assert_int_equal(one->inputs.n, 1);
    assert_int_equal(one->outputs.n, 1);
    assert_int_equal(g->tensors.at[u].flags, FSD_TENSOR_INPUT);
    assert_string_equal(form_text(g, u), "fp32 [1,4]");
    /* alpha is passed as beta; the second call leaves it to its default. */
    assert_true(alpha_of(g, call_in(g, "inner", one)) == 3.0F);
    assert_true(alpha_of(g, call_in(g, "again", one)) == 0.25F);
    assert_true(alpha_of(g, call_in(g, "inner", two)) == 4.0F);
    /* Scale with the overload "minus" is another function. */
    assert_int_equal(
        g->nodes.at[node_named(g, "neg")].scope,
        (fsd_id)(scope_of(g, node_named(g, "overloaded"), "Scale") - g->scopes.at));
    assert_int_equal(g->remarks.n, 0);
    drop_load(&load);
}

/* ------------------------------------------------------------------------- odd */

static void invalid_but_readable(void **state)
{
    struct load load = load_fixture("invalid");
    const struct fsd_graph *g = load.g;
    fsd_id second = node_named(g, "second"), out = fsd_node_out_tensor(g, second, 0);

    (void)state;
    assert_int_equal(g->nodes.n, 7);
    assert_int_equal(count_remarks(g, "input/duplicate-output", "a"), 1);
    assert_int_equal(fsd_tensor_producer(g, find_in(g, "a", 0)), 0);
    assert_int_equal(g->tensors.at[out].name, 0);
    assert_int_equal(g->tensors.at[out].producers.n, 1);
    assert_int_equal(count_remarks(g, "input/undefined-tensor", "nobody"), 1);
    assert_int_equal(count_remarks(g, "input/undefined-tensor", "never"), 1);
    assert_int_equal(tensor(g, "nobody")->consumers.n, 1);
    assert_int_equal(count_remarks(g, "input/bad-dim", "x"), 1);
    assert_form(g, "x", "fp32 [?,4]");
    assert_int_equal(g->remarks.n, 4);
    drop_load(&load);
}

static void forms_of_every_kind(void **state)
{
    struct load load = load_fixture("containers");
    const struct fsd_graph *g = load.g;

    (void)state;
    assert_form(g, "dims", "fp32 [2,n,?]");
    assert_form(g, "scalar", "fp32 []");
    assert_form(g, "sparse", "fp64 [3]");
    assert_form(g, "later", "unknown ?");
    assert_form(g, "sequence", "unknown ?");
    assert_form(g, "optional", "unknown ?");
    assert_form(g, "map", "unknown ?");
    assert_form(g, "untyped", "unknown ?");
    assert_int_equal(g->scopes.at[0].inputs.n, 8);
    assert_int_equal(g->remarks.n, 1);
    drop_load(&load);
}

/* A doc string and a wider number change nothing; a scale does. */
static void hash_of_what_was_read(void **state)
{
    static const char a[] = "\x08\x08\x3a\x0a\x0a\x08\x12\x01y\x1a\x03nam";
    static const char b[] = "\x08\x88\x00\x32\x03"
                            "doc"
                            "\x3a\x0a\x0a\x08\x12\x01y\x1a\x03nam";
    static const char c[] = "\x08\x08\x3a\x0a\x0a\x08\x12\x01y\x1a\x03nax";
    struct load x = load_memory(a, sizeof a - 1), y = load_memory(b, sizeof b - 1),
                z = load_memory(c, sizeof c - 1);

    (void)state;
    assert_int_equal(x.status, FSD_OK);
    assert_int_equal(y.status, FSD_OK);
    assert_int_equal(z.status, FSD_OK);
    assert_memory_equal(x.g->hash, y.g->hash, sizeof x.g->hash);
    assert_memory_not_equal(x.g->hash, z.g->hash, sizeof x.g->hash);
    drop_load(&x);
    drop_load(&y);
    drop_load(&z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_and_nodes),
        cmocka_unit_test(facts_without_value_infos),
        cmocka_unit_test(every_element_type),
        cmocka_unit_test(constant_nodes),
        cmocka_unit_test(initializers),
        cmocka_unit_test(control_flow),
        cmocka_unit_test(functions),
        cmocka_unit_test(invalid_but_readable),
        cmocka_unit_test(forms_of_every_kind),
        cmocka_unit_test(hash_of_what_was_read),
    };
    return cmocka_run_group_tests_name("onnx_load", tests, NULL, NULL);
}
