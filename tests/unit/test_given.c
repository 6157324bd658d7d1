/* Files that the caller reads, and pictures that the caller lays out, as a page does,
 * which has neither files nor processes. */
#include "fusiondiff/fusiondiff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MODEL  FSD_FIXTURES "/qat_block/model.onnx"
#define ENGINE FSD_FIXTURES "/qat_block/engine.graph.json"

static bool read_from(void *payload, uint64_t offset, void *to, size_t n)
{
    FILE *file = payload;

    return fseek(file, (long)offset, SEEK_SET) == 0 && fread(to, 1, n, file) == n;
}

static bool read_nothing(void *payload, uint64_t offset, void *to, size_t n)
{
    (void)payload, (void)offset, (void)to, (void)n;
    return false;
}

static struct fsd_file_reader reader_of(const char *path, FILE *file)
{
    struct fsd_file_reader reader = {.path = path, .read = read_from, .payload = file};

    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    reader.size = (uint64_t)ftell(file);
    return reader;
}

static char *report_of(const char *model, const char *engine, const char *format)
{
    struct fsd_options opt = {.model = model, .engine = engine};
    struct fsd_diff *d;
    struct fsd_error err;
    char *text;
    size_t size;
    FILE *out = fsd_memory_open(&text, &size);

    assert_non_null(out);
    assert_int_equal(fsd_diff_open(&d, &opt, &err), FSD_OK);
    assert_int_equal(fsd_diff_write(d, format, NULL, out, &err), FSD_OK);
    assert_int_equal(fclose(out), 0);
    fsd_diff_free(d);
    return text;
}

/* Under their own paths, so that the reports are equal to the byte. */
static void readers(void **state)
{
    FILE *files[] = {fopen(MODEL, "rb"), fopen(ENGINE, "rb")};
    struct fsd_file_reader given[] = {reader_of(MODEL, files[0]),
                                      reader_of(ENGINE, files[1])};
    struct fsd_options opt = {.model = MODEL, .engine = ENGINE};
    char *wanted = report_of(MODEL, ENGINE, "json"), *found;
    struct fsd_diff *d;
    struct fsd_error err;

    (void)state;
    fsd_use_readers(given, 2);
    found = report_of(MODEL, ENGINE, "json");
    assert_string_equal(found, wanted);
    given[0].read = read_nothing;
    assert_int_equal(fsd_diff_open(&d, &opt, &err), FSD_E_IO);
    assert_string_equal(err.file, MODEL);
    fsd_use_readers(NULL, 2);
    free(found);
    free(wanted);
    fclose(files[0]);
    fclose(files[1]);
}

static bool lay_out(void *payload, const char *dot, const char *format, FILE *out)
{
    ++*(unsigned *)payload;
    assert_int_equal(strncmp(dot, "digraph", 7), 0);
    assert_string_equal(format, "svg");
    return fputs("<svg/>", out) >= 0;
}

static void layouts(void **state)
{
    unsigned n = 0;
    char *text;

    (void)state;
    fsd_use_layout(lay_out, &n);
    text = report_of(MODEL, ENGINE, "svg");
    fsd_use_layout(NULL, NULL);
    assert_string_equal(text, "<svg/>");
    assert_int_equal(n, 1);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers),
        cmocka_unit_test(layouts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
