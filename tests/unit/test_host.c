/* Programs that are run: where they are looked for, what they get and give, and how
 * they end. */
#include "host/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void found(void **state)
{
    char *path;

    (void)state;
    setenv("PATH", ".::bin:/:/nowhere:/bin:/usr/bin", 1);
    path = fsd_host_program("sh");
    assert_string_equal(path, "/bin/sh");
    free(path);
    assert_null(fsd_host_program("no-such-program"));
    assert_null(fsd_host_program("etc")); /* a folder of "/" */
    setenv("PATH", "bin:.:", 1);
    assert_null(fsd_host_program("sh"));
    unsetenv("PATH");
    assert_null(fsd_host_program("sh"));
}

static struct fsd_host_outcome run(const char *script, const char *in, double seconds,
                                   char out[64], char said[64])
{
    const char *const words[] = {"/bin/sh", "-c", script, NULL};
    struct fsd_host_command command = {.words = words, .seconds = seconds};
    char *const texts[] = {out, said};
    struct fsd_host_outcome o;

    for (int i = 0; i < 3; i++)
        assert_non_null(command.streams[i] = fsd_host_temporary());
    fputs(in, command.streams[0]);
    fflush(command.streams[0]);
    o = fsd_host_run(&command);
    for (int i = 0; i < 2; i++) {
        rewind(command.streams[i + 1]);
        texts[i][fread(texts[i], 1, 63, command.streams[i + 1])] = '\0';
    }
    for (int i = 0; i < 3; i++)
        fclose(command.streams[i]);
    return o;
}

static void runs(void **state)
{
    char out[64], said[64];
    struct fsd_host_outcome o = run("cat; echo to say >&2", "a text", 10, out, said);

    (void)state;
    assert_true(o.good && !o.timed_out);
    assert_string_equal(out, "a text");
    assert_string_equal(said, "to say\n");
    o = run("echo half; exit 3", "", 10, out, said);
    assert_true(!o.good && !o.timed_out);
    o = run("kill -SEGV $$", "", 10, out, said);
    assert_true(!o.good && !o.timed_out);
}

/* By processor time, which no busy machine changes. */
static void ends(void **state)
{
    char out[64], said[64];
    struct fsd_host_outcome o = run("while :; do :; done", "", 0.5, out, said);

    (void)state;
    assert_true(!o.good && o.timed_out);
    assert_true(o.spent >= 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found),
        cmocka_unit_test(runs),
        cmocka_unit_test(ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
