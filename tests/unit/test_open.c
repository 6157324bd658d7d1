/* Functions of the API that fail: the status, the file and the position that they
 * report, as open.found has them, and the NULL that they return. FSD_UPDATE=1 writes
 * open.found: read it before you keep it. And what callers may change or free, because
 * the library keeps its own. */
#include "fusiondiff/fusiondiff.h"
#include "cases.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define MODEL  "qat_block/model.onnx"
#define ENGINE "qat_block/engine.graph.json"
#define OTHER  "kernels/model.onnx"
#define NONE   "no/such-file"

/* What a failing call left. */
struct failed {
    enum fsd_status status;
    void *out; /* not NULL before */
    struct fsd_error err;
};

static char anything;

/* Calls a function whose first argument is the object and whose last one the error. */
#define OPEN(type, function, ...)                                                      \
    do {                                                                               \
        struct type *object = (void *)&anything;                                       \
                                                                                       \
        f->status = function(&object, __VA_ARGS__, &f->err);                           \
        f->out = object;                                                               \
    } while (0)

static void diff(const struct fsd_options *opt, struct failed *f)
{
    OPEN(fsd_diff, fsd_diff_open, opt);
}

static void engines(const struct fsd_options *opt, struct failed *f)
{
    OPEN(fsd_engines, fsd_engines_open, opt->engine);
}

static void engines_diff(const struct fsd_options *opt, struct failed *f)
{
    OPEN(fsd_diff, fsd_engines_diff, NULL, opt);
}

static void comparison(const struct fsd_options *opt, struct failed *f)
{
    OPEN(fsd_comparison, fsd_comparison_open, opt,
         (&(struct fsd_options){.model = MODEL, .engine = ENGINE}));
}

static void comparison_back(const struct fsd_options *opt, struct failed *f)
{
    OPEN(fsd_comparison, fsd_comparison_open,
         (&(struct fsd_options){.model = MODEL, .engine = ENGINE}), opt);
}

static void models(const struct fsd_options *opt, struct failed *f)
{
    OPEN(fsd_models, fsd_models_open, opt->model, MODEL, false);
}

static void models_back(const struct fsd_options *opt, struct failed *f)
{
    OPEN(fsd_models, fsd_models_open, MODEL, opt->model, false);
}

static void builds(const struct fsd_options *opt, struct failed *f)
{
    const struct fsd_options both[] = {*opt, {.model = MODEL, .engine = ENGINE}};

    OPEN(fsd_builds, fsd_builds_open, both, 2);
}

static void one_build(const struct fsd_options *opt, struct failed *f)
{
    OPEN(fsd_builds, fsd_builds_open, opt, 1);
}

static void routing(const struct fsd_options *opt, struct failed *f)
{
    OPEN(fsd_routing, fsd_routing_open, opt->label, opt, 1);
}

static void many_routes(const struct fsd_options *opt, struct failed *f)
{
    static struct fsd_options all[129];

    for (size_t i = 0; i < 129; i++)
        all[i] = *opt;
    OPEN(fsd_routing, fsd_routing_open, NULL, all, 129);
}

/* The label stands for the snapshot here, and the log for the policy. */
static void check_of(const struct fsd_options *opt, struct fsd_check_options check,
                     struct failed *f)
{
    struct fsd_options only = *opt;

    check.snapshot = opt->label;
    check.policy = opt->log;
    only.label = only.log = NULL;
    OPEN(fsd_check, fsd_check_open, &only, &check);
}

static void check(const struct fsd_options *opt, struct failed *f)
{
    check_of(opt, (struct fsd_check_options){.accept = false}, f);
}

static void check_lint(const struct fsd_options *opt, struct failed *f)
{
    check_of(opt, (struct fsd_check_options){.lint = true}, f);
}

static void check_builder(const struct fsd_options *opt, struct failed *f)
{
    check_of(opt, (struct fsd_check_options){.lint = true, .builder = "trt99"}, f);
}

static void linting(const struct fsd_options *opt, struct failed *f)
{
    OPEN(fsd_linting, fsd_linting_open, opt,
         (&(struct fsd_lint_options){.policy = opt->label}));
}

static void linting_builder(const struct fsd_options *opt, struct failed *f)
{
    OPEN(fsd_linting, fsd_linting_open, opt,
         (&(struct fsd_lint_options){.builder = "trt99"}));
}

static void failure(const struct fsd_options *opt, struct failed *f)
{
    OPEN(fsd_failure, fsd_failure_open, opt);
}

/* Those that open nothing. */
static void snapshot(const struct fsd_options *opt, struct failed *f)
{
    f->status = fsd_snapshot_make(opt, stderr, &f->err);
}

static void no_snapshot(const struct fsd_options *opt, struct failed *f)
{
    f->status = fsd_snapshot_make_of(opt, 0, stderr, &f->err);
}

static void dump_engine(const struct fsd_options *opt, struct failed *f)
{
    f->status = fsd_dump("engine", opt, stderr, &f->err);
}

static void dump_model(const struct fsd_options *opt, struct failed *f)
{
    f->status = fsd_dump("model", opt, stderr, &f->err);
}

static void dump_side(const struct fsd_options *opt, struct failed *f)
{
    f->status = fsd_dump("side", opt, stderr, &f->err);
}

static const char *const files[] = {NONE, NONE, NONE};
static const char *const parts[] = {ENGINE, ENGINE};

static const struct {
    const char *name;
    void (*call)(const struct fsd_options *opt, struct failed *f);
    struct fsd_options opt;
} calls[] = {
    {"diff", diff, {.model = MODEL}},
    {"diff", diff, {.model = MODEL, .engine = NONE}},
    {"diff", diff, {.model = NONE, .engine = ENGINE}},
    {"diff", diff, {.model = ENGINE, .engine = ENGINE}},
    {"diff", diff, {.model = MODEL, .engine = MODEL}},
    {"diff", diff, {.model = OTHER, .engine = ENGINE}},
    {"diff", diff, {.model = MODEL, .engine = ENGINE, .engine_number = 3}},
    {"diff", diff, {.model = MODEL, .engine = ENGINE, .opt_profile = 9}},
    {"diff", diff, {.model = MODEL, .engine = ENGINE, .log = NONE}},
    {"diff", diff, {.model = MODEL, .engine = ENGINE, .log = ENGINE}},
    {"diff", diff, {.model = MODEL, .engine = ENGINE, .times = NONE}},
    {"diff", diff, {.model = MODEL, .engine = ENGINE, .times = MODEL}},
    {"diff", diff, {MODEL, ENGINE, .profiles = files, .n_profiles = 1}},
    {"diff", diff, {MODEL, ENGINE, .shapes = files, .n_shapes = 1}},
    {"diff", diff, {MODEL, ENGINE, .values = files, .n_values = 1}},
    {"diff", diff, {MODEL, ENGINE, .values = files, .n_values = 3}},
    {"diff", diff, {.engine = ENGINE, .parts = parts, .n_parts = 2}},
    {"diff",
     diff,
     {.model = MODEL, .engine = ENGINE, .parts = parts, .n_parts = 2, .log = NONE}},
    {"diff",
     diff,
     {.model = MODEL,
      .engine = NONE,
      .parts = files,
      .n_parts = 2,
      .engine_number = 1}},
    {"engines", engines, {.engine = NONE}},
    {"engines_diff", engines_diff, {.model = MODEL}},
    {"comparison", comparison, {.model = MODEL}},
    {"comparison", comparison, {.model = MODEL, .engine = NONE}},
    {"comparison", comparison_back, {.model = NONE, .engine = ENGINE}},
    {"comparison",
     comparison,
     {.model = OTHER, .engine = "kernels/engine.log", .force = true}},
    {"models", models, {.model = NONE}},
    {"models", models_back, {.model = NONE}},
    {"models", models, {.model = OTHER}},
    {"models", models, {.model = ENGINE}},
    {"builds", builds, {.model = MODEL, .engine = NONE}},
    {"builds", one_build, {.model = MODEL, .engine = ENGINE}},
    {"routing", routing, {.model = MODEL, .engine = ENGINE}},
    {"routing", routing, {.model = MODEL, .engine = ENGINE, .label = NONE}},
    {"routing", routing, {.model = MODEL, .engine = ENGINE, .label = ENGINE}},
    {"routing", many_routes, {.model = MODEL, .engine = ENGINE}},
    {"check", check, {.model = MODEL, .engine = ENGINE}},
    {"check", check, {.model = MODEL, .engine = ENGINE, .label = NONE}},
    {"check", check, {.model = MODEL, .engine = ENGINE, .label = MODEL}},
    {"check", check, {.model = MODEL, .engine = ENGINE, .log = NONE}},
    {"check", check, {.model = MODEL, .engine = ENGINE, .log = ENGINE}},
    {"check", check, {.model = MODEL, .engine = ENGINE, .log = "gate/bad-count.ini"}},
    {"check", check, {.model = MODEL, .engine = NONE, .label = "parts/whole.fsd"}},
    {"check", check, {.model = MODEL, .engine = ENGINE, .label = "parts/whole.fsd"}},
    {"check", check_lint, {.model = MODEL}},
    {"check", check_lint, {.engine = ENGINE}},
    {"check", check_builder, {.model = MODEL, .engine = ENGINE}},
    {"linting", linting, {.engine = ENGINE}},
    {"linting", linting, {.model = NONE}},
    {"linting", linting, {.model = MODEL, .engine = NONE}},
    {"linting", linting, {.model = MODEL, .label = NONE}},
    {"linting", linting_builder, {.model = MODEL}},
    {"failure", failure, {.model = MODEL}},
    {"failure", failure, {.model = MODEL, .engine = NONE}},
    {"failure", failure, {.model = MODEL, .engine = ENGINE}},
    {"failure", failure, {.model = MODEL, .engine = "build_log/build.log"}},
    {"snapshot", snapshot, {.model = MODEL}},
    {"snapshot", snapshot, {.model = MODEL, .engine = "qat_block/profile.json"}},
    {"snapshot", no_snapshot, {.model = MODEL, .engine = ENGINE}},
    {"dump", dump_engine, {.model = MODEL}},
    {"dump", dump_model, {.engine = ENGINE}},
    {"dump", dump_model, {.model = NONE}},
    {"dump", dump_side, {.model = MODEL, .engine = ENGINE}},
};

static void calls_fail(void **state)
{
    char *found, text[2048];
    size_t size;
    FILE *out = fsd_memory_open(&found, &size);

    (void)state;
    assert_int_equal(chdir(FSD_FIXTURES), 0);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct failed f = {.err = {.pos = 77}};

        calls[i].call(&calls[i].opt, &f);
        assert_null(f.out);
        assert_int_equal(f.status, f.err.status);
        fprintf(out, "%s: %s, unit %d: %s\n", calls[i].name, fsd_status_name(f.status),
                (int)f.err.unit, fsd_error_text(&f.err, text, sizeof text));
    }
    fclose(out);
    need_found(FSD_CASES "/../open.found", found);
    free(found);
}

/* The err of a function may be NULL. */
static void errors_may_be_null(void **state)
{
    struct fsd_options opt = {.model = MODEL};
    struct fsd_check *c;
    struct fsd_linting *l;
    struct fsd_diff *d;

    (void)state;
    assert_int_equal(fsd_diff_open(&d, &opt, NULL), FSD_E_ARG);
    assert_int_equal(
        fsd_check_open(&c, &opt, &(struct fsd_check_options){.lint = false}, NULL),
        FSD_E_ARG);
    assert_int_equal(
        fsd_linting_open(&l, &opt, &(struct fsd_lint_options){.builder = "?"}, NULL),
        FSD_E_ARG);
}

/* ------------------------------------------------------------------- directories */

/* Without descriptors, no directory can be read. */
static void directories_are_not_read(void **state)
{
    struct fsd_options opt = {.engine = "qat_block"};
    struct fsd_check_options snapshots = {.snapshot = "qat_block"};
    struct fsd_directory *d;
    struct fsd_error err[3] = {{0}};
    enum fsd_status status[3];
    struct rlimit before, none;
    int first = open("/dev/null", O_RDONLY);

    (void)state;
    close(first);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = (rlim_t)first;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    status[0] = fsd_directory_open(&d, &opt, false, &err[0]);
    fsd_directory_free(d);
    status[1] = fsd_directory_snapshots(&d, &snapshots, false, &err[1]);
    fsd_directory_free(d);
    status[2] = fsd_directory_builds(&d, "qat_block", false, &err[2]);
    fsd_directory_free(d);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(status[i], FSD_E_IO);
        assert_int_equal(err[i].unit, FSD_POS_NONE);
        assert_string_equal(err[i].file, "qat_block");
        assert_string_equal(err[i].message, "cannot open: Too many open files");
    }
}

/* ------------------------------------------------------------------------- checks */

static char *report_of(const struct fsd_check *c)
{
    const struct fsd_checked all[] = {{.check = c}};
    char *text;
    size_t size;
    FILE *out = fsd_memory_open(&text, &size);

    assert_int_equal(fsd_checks_write(all, 1, "text", NULL, out, NULL), FSD_OK);
    fclose(out);
    return text;
}

/* A check that was shrunk keeps its verdict, and no more. */
static void checks_shrink(void **state)
{
    char path[] = "/tmp/fusiondiff-open-XXXXXX", *whole, *shrunk;
    struct fsd_options opt = {.model = MODEL, .engine = ENGINE},
                       other = {.model = MODEL, .engine = "compare/split.json"};
    struct fsd_check_options with = {.snapshot = path};
    struct fsd_error err = {0};
    struct fsd_check *c;
    FILE *out = fdopen(mkstemp(path), "w");

    (void)state;
    assert_int_equal(fsd_snapshot_make(&opt, out, NULL), FSD_OK);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(fsd_check_open(&c, &other, &with, NULL), FSD_OK);
    assert_true(fsd_check_failed(c));
    whole = report_of(c);
    out = tmpfile();
    for (int i = 0; i < 2; i++) {
        assert_int_equal(fsd_check_shrink(c, NULL), FSD_OK);
        assert_true(fsd_check_failed(c));
        assert_string_equal(fsd_check_snapshot(c), path);
        shrunk = report_of(c);
        assert_string_equal(shrunk, whole);
        free(shrunk);
        assert_int_equal(fsd_check_write(c, "text", NULL, out, &err), FSD_E_ARG);
        assert_non_null(strstr(err.message, "fsd_check_shrink()"));
        assert_int_equal(fsd_check_update(c, out, &err), FSD_E_ARG);
        assert_int_equal(err.unit, FSD_POS_NONE);
    }
    assert_int_equal(ftell(out), 0);
    fclose(out);
    free(whole);
    fsd_check_free(c);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_fail),
        cmocka_unit_test(errors_may_be_null),
        cmocka_unit_test(directories_are_not_read),
        cmocka_unit_test(checks_shrink),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
