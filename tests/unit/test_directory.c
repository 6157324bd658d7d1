/* The files of a build in a directory: what is taken for what, and which links are. */
#define _GNU_SOURCE /* mkdtemp, asprintf */
#include "fusiondiff/fusiondiff.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/fusiondiff-directory-XXXXXX";
static char told[4096];

static const char *in(const char *name)
{
    static char paths[8][4096];
    static unsigned n;
    char *path = paths[n++ % 8];

    snprintf(path, sizeof *paths, "%s/%s", folder, name);
    return path;
}

static void copy(const char *fixture, const char *name)
{
    char from[4096];
    FILE *file, *to;
    int c;

    snprintf(from, sizeof from, "%s/%s%s", FSD_FIXTURES,
             strchr(fixture, '/') ? "" : "qat_block/", fixture);
    file = fopen(from, "rb");
    to = fopen(in(name), "wb");
    assert_non_null(file);
    assert_non_null(to);
    while ((c = getc(file)) != EOF)
        putc(c, to);
    fclose(file);
    assert_int_equal(fclose(to), 0);
}

static int make(void **state)
{
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    return !mkdtemp(folder);
}

static int clear(void **state)
{
    DIR *all = opendir(folder);

    (void)state;
    assert_non_null(all);
    for (const struct dirent *e = readdir(all); e; e = readdir(all))
        unlink(in(e->d_name)); /* not "." and "..", which are directories */
    closedir(all);
    return rmdir(folder);
}

static void hear(void *payload, const char *message)
{
    (void)payload;
    snprintf(told, sizeof told, "%s", message);
}

static void refused(struct fsd_options opt, const char *why)
{
    struct fsd_directory *directory;
    struct fsd_error err = {0};

    assert_int_equal(fsd_directory_open(&directory, &opt, false, &err), FSD_E_ARG);
    assert_null(directory);
    if (!strstr(err.message, why))
        fail_msg("expected '%s', found '%s'", why, err.message);
}

static void files_are_known_by_content(void **state)
{
    struct fsd_options opt = {.engine = folder, .note = hear};
    struct fsd_directory *directory;

    (void)state;
    copy("model.onnx", "m.onnx");
    copy("engine.graph.json", "e.json");
    copy("profile.json", "p.json");
    assert_int_equal(fsd_directory_open(&directory, &opt, false, NULL), FSD_OK);
    assert_string_equal(opt.model, in("m.onnx"));
    assert_string_equal(opt.engine, in("e.json"));
    assert_int_equal(opt.n_profiles, 1);
    assert_string_equal(opt.profiles[0], in("p.json"));
    assert_string_equal(strchr(told, ':'),
                        ": took m.onnx as MODEL, e.json as ENGINE, p.json as "
                        "--profile");
    fsd_directory_free(directory);
}

static void what_the_caller_names_stays(void **state)
{
    const char *const times[] = {"times"};
    struct fsd_options opt = {.model = "own.onnx",
                              .engine = folder,
                              .profiles = times,
                              .n_profiles = 1,
                              .note = hear};
    struct fsd_directory *directory;

    (void)state;
    copy("model.onnx", "m.onnx");
    copy("engine.graph.json", "e.json");
    copy("profile.json", "p.json");
    assert_int_equal(fsd_directory_open(&directory, &opt, false, NULL), FSD_OK);
    assert_string_equal(opt.model, "own.onnx");
    assert_string_equal(opt.profiles[0], "times");
    assert_string_equal(strchr(told, ':'), ": took e.json as ENGINE");
    fsd_directory_free(directory);
}

static void a_model_may_be_alone(void **state)
{
    struct fsd_options opt = {.model = folder};
    struct fsd_directory *directory;

    (void)state;
    copy("model.onnx", "m.onnx");
    refused((struct fsd_options){.engine = folder}, "found a model only");
    assert_int_equal(fsd_directory_open(&directory, &opt, false, NULL), FSD_OK);
    assert_string_equal(opt.model, in("m.onnx"));
    assert_null(opt.engine);
    fsd_directory_free(directory);
}

static void one_build_is_expected(void **state)
{
    (void)state;
    refused((struct fsd_options){.engine = folder}, "found none");
    copy("engine.graph.json", "e.json");
    copy("engine.graph.json", "f.json");
    refused((struct fsd_options){.engine = folder}, "both e.json and f.json");
    unlink(in("f.json"));
    refused((struct fsd_options){.model = folder, .engine = "e.json"},
            "found a directory and e.json");
    copy("model.onnx", FSD_UNFINISHED);
    refused((struct fsd_options){.engine = folder}, "complete build");
}

static void a_link_stays_in_the_directory(void **state)
{
    struct fsd_options opt = {.engine = folder};
    struct fsd_directory *directory;
    char to[8];

    (void)state;
    copy("model.onnx", "m.onnx");
    assert_int_equal(symlink(FSD_FIXTURES "/qat_block/engine.graph.json", in("e.json")),
                     0);
    refused(opt, "found a link to /");
    assert_true(fsd_link_leads_out(in("e.json"), to, sizeof to));
    assert_int_equal(strlen(to), sizeof to - 1);
    assert_false(fsd_link_leads_out(in("m.onnx"), to, sizeof to));
    assert_int_equal(fsd_directory_open(&directory, &opt, true, NULL), FSD_OK);
    assert_string_equal(opt.engine, in("e.json"));
    fsd_directory_free(directory);
}

static void builds_are_a_model_and_its_engines(void **state)
{
    struct fsd_directory *directory;
    const char *model, *engine;

    (void)state;
    copy("model.onnx", "m.onnx");
    copy("engine.graph.json", "e.json");
    copy("engine.graph.json", "f.json");
    assert_int_equal(fsd_directory_builds(&directory, folder, false, NULL), FSD_OK);
    assert_true(fsd_directory_build(directory, 1, &model, &engine));
    assert_string_equal(model, in("m.onnx"));
    assert_string_equal(engine, in("f.json"));
    assert_false(fsd_directory_build(directory, 2, &model, &engine));
    fsd_directory_free(directory);
}

/* The builds of the directory, as text: "m.onnx e.json; m.onnx f.json"; or why there
 * are none. */
static void has_builds(const char *expected)
{
    struct fsd_directory *directory;
    const char *model, *engine;
    struct fsd_error err = {0};
    char found[1024] = "";
    enum fsd_status status = fsd_directory_builds(&directory, folder, false, &err);

    for (uint32_t i = 0;
         status == FSD_OK && fsd_directory_build(directory, i, &model, &engine); i++) {
        const char *slash = strrchr(engine, '/');

        assert_memory_equal(model, folder, *model ? strlen(folder) : 0);
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s%s%s",
                 i ? "; " : "", *model ? strrchr(model, '/') + 1 : "-",
                 slash ? " " : "", slash ? slash + 1 : "");
    }
    assert_string_equal(status == FSD_OK ? found : err.message, expected);
    assert_int_equal(err.unit, FSD_POS_NONE);
    fsd_directory_free(directory);
}

static void builds_are_found(void **state)
{
    (void)state;
    has_builds("");
    copy("engine.graph.json", "e.json");
    has_builds("- e.json");
    copy("profile.json", "p.json"); /* which is no engine */
    copy("engine.graph.json", ".e.json");
    has_builds("- e.json");
    copy("ort/optimized.onnx", "o.onnx"); /* the model of another engine */
    copy("ort/optimized.onnx", "p.onnx");
    has_builds("o.onnx e.json; o.onnx p.onnx");
    unlink(in("e.json"));
    has_builds("- o.onnx; - p.onnx");
    copy("forms/dla.log", "l.log");
    has_builds("o.onnx l.log; o.onnx p.onnx");
    copy("model.onnx", "m.onnx");
    has_builds("m.onnx l.log; m.onnx o.onnx; m.onnx p.onnx");
    copy("model.onnx", "n.onnx");
    has_builds("expected one model and its engines, or a directory for each build, "
               "found two models: m.onnx and n.onnx");
    copy("parts/whole.fsd", "s.fsd"); /* snapshots are builds of their own */
    has_builds("s.fsd");
    copy("parts/whole.fsd", "r.fsd");
    has_builds("r.fsd; s.fsd");
    unlink(in("s.fsd"));
    unlink(in("r.fsd"));
    unlink(in("n.onnx"));
    unlink(in("l.log"));
    unlink(in("p.onnx"));
    assert_int_equal(symlink(FSD_FIXTURES "/qat_block/engine.graph.json", in("z.json")),
                     0);
    has_builds("expected a file, or a link that stays in its folder, found a link "
               "to " FSD_FIXTURES "/qat_block/engine.graph.json (--follow reads it)");
}

static void snapshots_are_listed(void **state)
{
    struct fsd_check_options check = {.snapshot = folder};
    struct fsd_directory *directory;
    struct fsd_error err = {0};
    char name[16];

    (void)state;
    copy("engine.graph.json", "e.json");
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%d.fsd", i);
        copy("parts/whole.fsd", name);
    }
    assert_int_equal(fsd_directory_snapshots(&directory, &check, false, &err), FSD_OK);
    assert_int_equal(check.n_snapshots, 3);
    for (unsigned i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%u.fsd", i);
        assert_string_equal(check.snapshots[i], in(name));
    }
    fsd_directory_free(directory);
    check = (struct fsd_check_options){.snapshot = in("1.fsd")};
    assert_int_equal(fsd_directory_snapshots(&directory, &check, false, &err), FSD_OK);
    assert_null(directory);
    assert_int_equal(check.n_snapshots, 0);
    unlink(in("1.fsd"));
    assert_int_equal(symlink(FSD_FIXTURES "/parts/whole.fsd", in("1.fsd")), 0);
    check = (struct fsd_check_options){.snapshot = folder};
    assert_int_equal(fsd_directory_snapshots(&directory, &check, false, &err),
                     FSD_E_ARG);
    fsd_directory_free(directory);
    assert_int_equal(fsd_directory_snapshots(&directory, &check, true, &err), FSD_OK);
    fsd_directory_free(directory);
}

/* What a directory is taken for: "m.onnx as MODEL, e.json as ENGINE". */
static void taken(const char *as)
{
    struct fsd_options opt = {.engine = folder, .note = hear};
    struct fsd_directory *directory;
    struct fsd_error err = {0};

    if (fsd_directory_open(&directory, &opt, false, &err) != FSD_OK)
        fail_msg("%s", err.message);
    assert_string_equal(strchr(told, ':') + strlen(": took "), as);
    fsd_directory_free(directory);
}

static void a_log_is_the_engine_without_one(void **state)
{
    (void)state;
    copy("model.onnx", "m.onnx");
    copy("forms/dla.log", "l.log");
    taken("m.onnx as MODEL, l.log as ENGINE");
    copy("forms/metadata.json", "d.json");
    taken("m.onnx as MODEL, l.log as ENGINE");
    copy("engine.graph.json", "e.json");
    taken("m.onnx as MODEL, e.json as ENGINE, l.log as --log");
    unlink(in("l.log"));
    taken("m.onnx as MODEL, e.json as ENGINE, d.json as --log");
}

/* ONNX Runtime's optimized models are models, too. */
static void a_model_that_may_be_an_engine(void **state)
{
    (void)state;
    copy("ort/optimized.onnx", "o.onnx");
    taken("o.onnx as ENGINE");
    copy("ort/model.onnx", "m.onnx");
    taken("m.onnx as MODEL, o.onnx as ENGINE");
    copy("engine.graph.json", "e.json");
    refused((struct fsd_options){.engine = folder}, "both e.json and o.onnx");
    unlink(in("m.onnx"));
    taken("o.onnx as MODEL, e.json as ENGINE");
    unlink(in("e.json"));
    copy("forms/dla.log", "l.log");
    taken("o.onnx as MODEL, l.log as ENGINE");
}

static void hidden_files_are_passed_over(void **state)
{
    (void)state;
    copy("model.onnx", "m.onnx");
    copy("engine.graph.json", "e.json");
    copy("engine.graph.json", ".e.json");
    taken("m.onnx as MODEL, e.json as ENGINE");
}

static void sixteen_profiles_are_taken(void **state)
{
    struct fsd_options opt = {.engine = folder};
    struct fsd_directory *directory;
    char name[] = "p00.json";

    (void)state;
    copy("engine.graph.json", "e.json");
    for (int i = 0; i < 16; i++) {
        name[1] = (char)('0' + i / 10);
        name[2] = (char)('0' + i % 10);
        copy("profile.json", name);
    }
    assert_int_equal(fsd_directory_open(&directory, &opt, false, NULL), FSD_OK);
    assert_int_equal(opt.n_profiles, 16);
    assert_string_equal(opt.profiles[15], in("p15.json"));
    fsd_directory_free(directory);
    copy("profile.json", "p.json");
    refused((struct fsd_options){.engine = folder}, "at most 16 profiles");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_are_known_by_content, make, clear),
        cmocka_unit_test_setup_teardown(what_the_caller_names_stays, make, clear),
        cmocka_unit_test_setup_teardown(a_model_may_be_alone, make, clear),
        cmocka_unit_test_setup_teardown(one_build_is_expected, make, clear),
        cmocka_unit_test_setup_teardown(a_link_stays_in_the_directory, make, clear),
        cmocka_unit_test_setup_teardown(builds_are_a_model_and_its_engines, make,
                                        clear),
        cmocka_unit_test_setup_teardown(builds_are_found, make, clear),
        cmocka_unit_test_setup_teardown(snapshots_are_listed, make, clear),
        cmocka_unit_test_setup_teardown(a_log_is_the_engine_without_one, make, clear),
        cmocka_unit_test_setup_teardown(a_model_that_may_be_an_engine, make, clear),
        cmocka_unit_test_setup_teardown(hidden_files_are_passed_over, make, clear),
        cmocka_unit_test_setup_teardown(sixteen_profiles_are_taken, make, clear),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
