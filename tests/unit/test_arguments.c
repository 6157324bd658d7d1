/* What no caller may pass: lists that are NULL though they have a count, and values
 * that enums do not have, are refused by each public function that takes some. */
#include "fusiondiff/edit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MODEL  FSD_FIXTURES "/qat_block/model.onnx"
#define ENGINE FSD_FIXTURES "/qat_block/engine.graph.json"

static const char *const no_text[] = {"one", NULL};

static struct fsd_options pair(void)
{
    return (struct fsd_options){.model = MODEL, .engine = ENGINE};
}

static void refused(enum fsd_status status, const struct fsd_error *err,
                    const char *what)
{
    if (status != FSD_E_ARG || !strstr(err->message, what))
        fail_msg("%s: status %d, '%s'", what, status, err->message);
}

static struct fsd_diff *open_pair(void)
{
    struct fsd_options opt = pair();
    struct fsd_diff *d;

    assert_int_equal(fsd_diff_open(&d, &opt, NULL), FSD_OK);
    return d;
}

static void options_are_refused(void **state)
{
    const struct {
        struct fsd_options opt;
        const char *what;
    } rows[] = {{{.n_profiles = 1}, "profiles"},
                {{.n_shapes = 2}, "shapes"},
                {{.n_values = 1}, "values"},
                {{.n_parts = 1}, "parts"},
                {{.profiles = no_text, .n_profiles = 2}, "profiles"},
                {{.shapes = no_text, .n_shapes = 2}, "shapes"},
                {{.values = no_text, .n_values = 3}, "n_values"},
                {{.parts = no_text, .n_parts = 2}, "parts"},
                {{.evidence = FSD_BY_ALL + 1}, "evidence"}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fsd_options opt = rows[i].opt;
        struct fsd_error err = {0};
        struct fsd_comparison *c;
        struct fsd_linting *l;
        struct fsd_diff *d;
        FILE *out = tmpfile();

        opt.model = MODEL;
        opt.engine = ENGINE;
        refused(fsd_diff_open(&d, &opt, &err), &err, rows[i].what);
        assert_null(d);
        refused(fsd_comparison_open(&c, &opt, &opt, &err), &err, rows[i].what);
        refused(fsd_snapshot_make(&opt, out, &err), &err, rows[i].what);
        refused(fsd_dump("engine", &opt, out, &err), &err, rows[i].what);
        refused(
            fsd_linting_open(&l, &opt, &(struct fsd_lint_options){.today = 0}, &err),
            &err, rows[i].what);
        fclose(out);
    }
}

static void builds_are_refused(void **state)
{
    struct fsd_check_options check = {.snapshot = "x", .n_snapshots = 1};
    struct fsd_error err = {0};
    struct fsd_options opt = pair();
    struct fsd_builds *b;
    struct fsd_routing *r;
    struct fsd_check *c;
    FILE *out = tmpfile();

    (void)state;
    refused(fsd_builds_open(&b, NULL, 2, &err), &err, "opt");
    refused(fsd_builds_open(&b, NULL, 0, &err), &err, "builds");
    refused(fsd_routing_open(&r, NULL, NULL, 2, &err), &err, "opt");
    refused(fsd_snapshot_make_of(NULL, 2, out, &err), &err, "opt");
    refused(fsd_snapshot_make_of(NULL, 0, out, &err), &err, "build");
    refused(fsd_checks_write(NULL, 1, "text", NULL, out, &err), &err, "builds");
    refused(fsd_check_open(&c, &opt, &check, &err), &err, "snapshots");
    fclose(out);
}

static void parts_are_refused(void **state)
{
    const struct {
        struct fsd_cut_options cut;
        const char *what;
    } rows[] = {{{.n_layers = 1}, "layers"},
                {{.n_groups = 1}, "groups"},
                {{.n_nodes = 1}, "nodes"},
                {{.n_from = 1}, "from"},
                {{.n_to = 1}, "to"},
                {{.n_values = 1}, "values"},
                {{.nodes = no_text, .n_nodes = 2}, "nodes"}};
    struct fsd_options opt = pair();
    struct fsd_coding *coding;
    FILE *out = tmpfile();

    (void)state;
    assert_int_equal(fsd_coding_open(&coding, &opt, NULL), FSD_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fsd_issue_options issue = {.part = rows[i].cut};
        struct fsd_code_options code = {.part = &rows[i].cut};
        struct fsd_error err = {0};
        struct fsd_cutting *cutting;
        struct fsd_issue *report;

        refused(fsd_cutting_open(&cutting, &opt, &rows[i].cut, &err), &err,
                rows[i].what);
        refused(fsd_issue_open(&report, NULL, &opt, &issue, &err), &err, rows[i].what);
        refused(fsd_coding_write(coding, &code, out, &err), &err, rows[i].what);
    }
    fsd_coding_free(coding);
    fclose(out);
}

static void lists_of_a_run_are_refused(void **state)
{
    struct fsd_query query = {.n_words = 1};
    struct fsd_collected all[] = {
        {.n_command = 1}, {.n_given = 1}, {.n_environment = 1}};
    struct fsd_fix_options fixes[] = {{.n_what = 1}, {.n_scales = 1}};
    struct fsd_lint_options lint = {.today = 0};
    struct fsd_options opt = {.model = MODEL};
    struct fsd_diff *d = open_pair();
    struct fsd_error err = {0};
    struct fsd_linting *l;
    FILE *out = tmpfile();

    (void)state;
    refused(fsd_diff_view(d, "where", &query, "text", NULL, out, &err), &err, "words");
    refused(fsd_diff_mark(d, &query, out, &err), &err, "words");
    for (size_t i = 0; i < 3; i++)
        refused(fsd_collected_write(&all[i], out, &err), &err, "NULL");
    assert_int_equal(fsd_linting_open(&l, &opt, &lint, NULL), FSD_OK);
    for (size_t i = 0; i < 2; i++) {
        refused(fsd_linting_fix(l, &fixes[i], out, &err), &err, "NULL");
        refused(fsd_linting_list_fixes(l, &fixes[i], NULL, out, &err), &err, "NULL");
    }
    assert_null(fsd_nearest_name("word", NULL, 3));
    fsd_use_memory(NULL, 3);
    fsd_diff_free(open_pair());
    fsd_linting_free(l);
    fsd_diff_free(d);
    fclose(out);
}

/* 99 is in none. */
static void unknown_values_are_refused(void **state)
{
    struct fsd_options opt[] = {pair(), pair()};
    struct fsd_code_options code = {.api = (enum fsd_code_api)99};
    struct fsd_diff *d = open_pair();
    struct fsd_error err = {0};
    struct fsd_bisection *search;
    struct fsd_coding *coding;
    struct fsd_builds *b;
    FILE *out = tmpfile();

    (void)state;
    refused(fsd_diff_annotate(d, (enum fsd_annotation)99, out, &err), &err, "as");
    assert_int_equal(fsd_coding_open(&coding, opt, NULL), FSD_OK);
    refused(fsd_coding_write(coding, &code, out, &err), &err, "api");
    fsd_coding_free(coding);
    assert_int_equal(fsd_builds_open(&b, opt, 2, NULL), FSD_OK);
    refused(fsd_builds_write(b, (enum fsd_subject)99, "text", NULL, out, &err), &err,
            "subject");
    refused(fsd_builds_write(b, FSD_OF_RUN, "text", NULL, out, &err), &err, "subject");
    fsd_builds_free(b);
    assert_int_equal(fsd_bisection_open(&search, opt, &err), FSD_OK);
    refused(fsd_bisection_take(search, (enum fsd_bisect_result)99, NULL, out, &err),
            &err, "result");
    fsd_bisection_free(search);
    assert_int_equal(fsd_diff_findings(d, (enum fsd_severity)99), 0);
    assert_int_equal(fsd_diff_count(d, (enum fsd_part)99), 0);
    assert_int_equal(fsd_finding_subject(d, 0, (enum fsd_part)99, 0), UINT32_MAX);
    assert_null(fsd_format_of((enum fsd_subject)99, 0));
    assert_string_equal(fsd_file_kind_noun((enum fsd_file_kind)99),
                        fsd_file_kind_noun(FSD_FILE_OTHER));
    assert_string_equal(fsd_status_name((enum fsd_status)99), "unknown");
    fsd_diff_free(d);
    fclose(out);
}

/* Each function that opens something sets its result to NULL if it fails. */
static void results_of_failures_are_null(void **state)
{
    const struct fsd_options none = {0};
    struct fsd_bisection *search = (void *)1;
    struct fsd_coding *coding = (void *)1;
    struct fsd_error err = {0};

    (void)state;
    refused(fsd_coding_open(&coding, &none, &err), &err, "expected MODEL");
    assert_null(coding);
    refused(fsd_bisection_open(&search, &none, &err), &err,
            "expected MODEL and ENGINE");
    assert_null(search);
    search = (void *)1;
    assert_int_equal(fsd_bisection_read(&search, FSD_FIXTURES "/none", &none, &err),
                     FSD_E_IO);
    assert_null(search);
}

/* A model is fixed only if an edit applies. */
static void models_without_edits_are_not_fixed(void **state)
{
    static const struct {
        const char *model, *message;
        enum fsd_pos_unit unit;
    } rows[] = {{"/lint/cast_round-trip.silent.onnx",
                 "expected an edit that applies, found no proposed edit", FSD_POS_NONE},
                {"/lint/cast_fp16-range.fires.onnx",
                 "expected an edit that applies, found only edits that do not apply",
                 FSD_POS_NONE}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[512];
        struct fsd_options opt = {.model = path};
        struct fsd_error err = {0};
        struct fsd_linting *l;
        FILE *out = tmpfile();

        snprintf(path, sizeof path, "%s%s", FSD_FIXTURES, rows[i].model);
        assert_int_equal(
            fsd_linting_open(&l, &opt, &(struct fsd_lint_options){0}, &err), FSD_OK);
        assert_int_equal(fsd_linting_fix(l, NULL, out, &err), FSD_E_UNSUPPORTED);
        assert_string_equal(err.message, rows[i].message);
        assert_int_equal(err.unit, rows[i].unit);
        assert_int_equal(ftell(out), 0);
        fsd_linting_free(l);
        fclose(out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_of_failures_are_null),
        cmocka_unit_test(models_without_edits_are_not_fixed),
        cmocka_unit_test(options_are_refused),
        cmocka_unit_test(builds_are_refused),
        cmocka_unit_test(parts_are_refused),
        cmocka_unit_test(lists_of_a_run_are_refused),
        cmocka_unit_test(unknown_values_are_refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
