/* Lack of memory at any point of what the public functions do: each returns
 * FSD_E_MEMORY, and what it made is freed (the sanitizer of leaks looks).  malloc() and
 * its like are wrapped by the linker, so that from some call on each of them fails. */
#include "fusiondiff/edit.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MODEL  FSD_FIXTURES "/qat_block/model.onnx"
#define ENGINE FSD_FIXTURES "/qat_block/engine.graph.json"
#define SPLIT  FSD_FIXTURES "/compare/split.json"
#define LOG    FSD_FIXTURES "/build_log/build.log"

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *at, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *at, size_t n);

static unsigned long left; /* calls that succeed, and one; 0: all */

static int has_run_out(void)
{
    left -= left > 1;
    return left == 1;
}

void *__wrap_malloc(size_t n)
{
    return has_run_out() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return has_run_out() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *at, size_t n)
{
    return has_run_out() ? NULL : __real_realloc(at, n);
}

static const struct fsd_options build = {.model = MODEL, .engine = ENGINE};
static struct fsd_diff *run;

static enum fsd_status open_run(FILE *out, struct fsd_error *err)
{
    struct fsd_diff *made;
    enum fsd_status status = fsd_diff_open(&made, &build, err);

    (void)out;
    assert_true(status == FSD_OK || !made);
    fsd_diff_free(made);
    return status;
}

static enum fsd_status open_log(FILE *out, struct fsd_error *err)
{
    const struct fsd_options opt = {
        .model = MODEL, .engine = ENGINE, .log = LOG, .force = true};
    struct fsd_diff *made;
    enum fsd_status status = fsd_diff_open(&made, &opt, err);

    (void)out;
    fsd_diff_free(made);
    return status == FSD_E_FORMAT ? FSD_OK : status;
}

static enum fsd_status write_json(FILE *out, struct fsd_error *err)
{
    return fsd_diff_write(run, "json", NULL, out, err);
}

static enum fsd_status write_text(FILE *out, struct fsd_error *err)
{
    return fsd_diff_write(run, "text", NULL, out, err);
}

static enum fsd_status compare(FILE *out, struct fsd_error *err)
{
    const struct fsd_options other = {.model = MODEL, .engine = SPLIT};
    struct fsd_comparison *made;
    enum fsd_status status = fsd_comparison_open(&made, &build, &other, err);

    if (status == FSD_OK)
        status = fsd_comparison_write(made, "json", NULL, out, err);
    fsd_comparison_free(made);
    return status;
}

static enum fsd_status lint(FILE *out, struct fsd_error *err)
{
    const struct fsd_options opt = {.model = MODEL};
    const struct fsd_lint_options how = {.builder = "trt8"};
    const char *const scales[] = {"skip=0.05"};
    const struct fsd_fix_options fix = {.scales = scales, .n_scales = 1};
    struct fsd_linting *made;
    enum fsd_status status = fsd_linting_open(&made, &opt, &how, err);

    if (status == FSD_OK)
        status = fsd_linting_write(made, "json", NULL, out, err);
    if (status == FSD_OK)
        status = fsd_linting_fix(made, &fix, out, err);
    fsd_linting_free(made);
    return status;
}

static enum fsd_status snapshot(FILE *out, struct fsd_error *err)
{
    return fsd_snapshot_make(&build, out, err);
}

static enum fsd_status cut(FILE *out, struct fsd_error *err)
{
    static const char *const layers[] = {"1"};
    const struct fsd_cut_options part = {.layers = layers, .n_layers = 1};
    struct fsd_cutting *made;
    enum fsd_status status = fsd_cutting_open(&made, &build, &part, err);

    if (status == FSD_OK)
        status = fsd_cutting_write(made, out, err);
    if (status == FSD_OK)
        status = fsd_cutting_write_inputs(made, out, err);
    if (status == FSD_OK)
        status = fsd_cutting_report(made, "part.onnx", NULL, out, err);
    fsd_cutting_free(made);
    return status;
}

static enum fsd_status bisect(FILE *out, struct fsd_error *err)
{
    struct fsd_bisection *made;
    enum fsd_status status = fsd_bisection_open(&made, &build, err);

    if (status == FSD_OK)
        status = fsd_bisection_model(made, true, out, err);
    if (status == FSD_OK)
        status = fsd_bisection_take(made, FSD_BISECT_SKIP, NULL, out, err);
    if (status == FSD_OK)
        status = fsd_bisection_log(made, out, err);
    fsd_bisection_free(made);
    return status;
}

static enum fsd_status collect(FILE *out, struct fsd_error *err)
{
    static const char *const command[] = {"trtexec", "--onnx=model.onnx"};
    const struct fsd_collected what = {
        .command = command, .n_command = 2, .given = command, .n_given = 2};

    return fsd_collected_write(&what, out, err);
}

static enum fsd_status code(FILE *out, struct fsd_error *err)
{
    const struct fsd_code_options how = {0};
    struct fsd_coding *made;
    enum fsd_status status = fsd_coding_open(&made, &build, err);

    if (status == FSD_OK)
        status = fsd_coding_write(made, &how, out, err);
    fsd_coding_free(made);
    return status;
}

static enum fsd_status annotate(FILE *out, struct fsd_error *err)
{
    return fsd_diff_annotate(run, FSD_ANNOTATE_MODEL, out, err);
}

static enum fsd_status retype(FILE *out, struct fsd_error *err)
{
    return fsd_diff_retype(run, out, err);
}

/* With less and less of the work done; near its beginning each call. */
static void try_all(enum fsd_status work(FILE *out, struct fsd_error *err))
{
    FILE *out = fopen("/dev/null", "w");
    unsigned long n = 1, failed = 0;

    for (;; n += 1 + n / 6) {
        struct fsd_error err = {0};
        enum fsd_status status;

        left = n;
        status = work(out, &err);
        left = 0;
        if (status == FSD_OK)
            break;
        assert_int_equal(status, FSD_E_MEMORY);
        assert_int_equal(err.status, FSD_E_MEMORY);
        assert_string_equal(err.message, "out of memory");
        failed++;
    }
    assert_true(failed > 10);
    fclose(out);
}

#define LACKS(work)                                                                    \
    static void work##__without_memory(void **state)                                   \
    {                                                                                  \
        (void)state;                                                                   \
        try_all(work);                                                                 \
    }
LACKS(open_run)
LACKS(open_log)
LACKS(write_json)
LACKS(write_text)
LACKS(compare)
LACKS(lint)
LACKS(snapshot)
LACKS(bisect)
LACKS(collect)
LACKS(cut)
LACKS(code)
LACKS(annotate)
LACKS(retype)

static void a_stream_into_memory_fails_to_close(void **state)
{
    char *text = NULL;
    size_t size = 1;
    FILE *out;
    (void)state;

    left = 1;
    assert_null(fsd_memory_open(&text, &size));
    left = 0;
    out = fsd_memory_open(&text, &size);
    left = 1;
    for (int i = 0; i < 10000; i++)
        fputs("more than is there", out);
    assert_int_equal(fclose(out), EOF);
    left = 0;
    assert_null(text);
    assert_int_equal(size, 0);
}

static char *report(void)
{
    struct fsd_diff *made;
    char *text;
    size_t size;
    FILE *out = fsd_memory_open(&text, &size);

    assert_int_equal(fsd_diff_open(&made, &build, NULL), FSD_OK);
    assert_int_equal(fsd_diff_write(made, "json", NULL, out, NULL), FSD_OK);
    fsd_diff_free(made);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void (*bus_handler(void))(int, siginfo_t *, void *)
{
    struct sigaction action;

    assert_int_equal(sigaction(SIGBUS, NULL, &action), 0);
    return action.sa_sigaction;
}

/* Last, as the handler stays. */
static void files_are_mapped_on_demand_only(void **state)
{
    void (*before)(int, siginfo_t *, void *) = bus_handler(); /* the test's own */
    char *read = report(), *mapped;
    (void)state;

    assert_true(bus_handler() == before);
    fsd_map_files(true);
    mapped = report();
    fsd_map_files(false);
    assert_true(bus_handler() != before);
    assert_string_equal(read, mapped);
    free(read);
    free(mapped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_run__without_memory),
        cmocka_unit_test(open_log__without_memory),
        cmocka_unit_test(write_json__without_memory),
        cmocka_unit_test(write_text__without_memory),
        cmocka_unit_test(compare__without_memory),
        cmocka_unit_test(lint__without_memory),
        cmocka_unit_test(snapshot__without_memory),
        cmocka_unit_test(bisect__without_memory),
        cmocka_unit_test(collect__without_memory),
        cmocka_unit_test(cut__without_memory),
        cmocka_unit_test(code__without_memory),
        cmocka_unit_test(annotate__without_memory),
        cmocka_unit_test(retype__without_memory),
        cmocka_unit_test(a_stream_into_memory_fails_to_close),
        cmocka_unit_test(files_are_mapped_on_demand_only),
    };
    int failed;

    if (fsd_diff_open(&run, &build, NULL) != FSD_OK)
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    fsd_diff_free(run);
    return failed;
}
