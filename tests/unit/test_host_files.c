/* Files that another file names and where they may be, bytes that the system copies,
 * and streams whose bytes go to a function. */
#define _GNU_SOURCE /* mkdtemp() */
#include "host/files.h"

#include "fusiondiff/fusiondiff.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* -------------------------------------------------------------------- beside files */

static char folder[64];

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* The folder, as beside.c describes it:
 *
 *     blobs/model, blobs/data, blobs/pipe
 *     one/model -> ../blobs/model     one/own
 *     one/data  -> ../blobs/data      one/pipe (a FIFO)
 *     one/key   -> ../secret/key      one/round -> own
 *     one/lost  -> gone               one/self -> .
 *     one/xxx
 *     one-more/key                    secret/key */
static void make_files(void)
{
    static const char *const folders[] = {"blobs", "one", "one-more", "secret"};
    static const char *const files[] = {"blobs/model",  "blobs/data", "one/own",
                                        "one-more/key", "secret/key", "one/xxx"};
    static const char *const links[][2] = {{"../blobs/model", "one/model"},
                                           {"../blobs/data", "one/data"},
                                           {"../secret/key", "one/key"},
                                           {"own", "one/round"},
                                           {"gone", "one/lost"},
                                           {".", "one/self"}};

    strcpy(folder, "/tmp/fusiondiff-beside-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        assert_int_equal(mkdir(folders[i], 0777), 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        put(files[i], files[i]);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        assert_int_equal(symlink(links[i][0], links[i][1]), 0);
    assert_int_equal(mkfifo("one/pipe", 0666), 0);
}

static void remove_files(void)
{
    char command[128];

    assert_int_equal(chdir("/"), 0);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

/* Returns the next descriptor, by which one that was not closed shows. */
static int next_descriptor(void)
{
    int fd = open("/dev/null", O_RDONLY);

    close(fd);
    return fd;
}

/* Whether a file may be opened, and what is opened then. */
static void beside(void **state)
{
    static char far[PATH_MAX + 100], longest[4 + NAME_MAX + 1] = "one/";
    static const struct {
        const char *path, *of;
        int why;
        const char *text;
    } cases[] = {
        {"one/own", "one/model", 0, "one/own"},
        {"one/data", "one/model", 0, "blobs/data"}, /* beside what `of` leads to */
        {"one/data", "one/own", EXDEV, NULL},
        {"one/key", "one/model", EXDEV, NULL},
        {"one/key", "one/key", 0, "secret/key"},
        {"one/round", "one/own", 0, "one/own"},
        {"one-more/key", "one/own", EXDEV, NULL}, /* "one" is the begin of its name */
        {"one/own", "one-more/key", EXDEV, NULL},
        {"one/own", "model", 0, "one/own"}, /* in a folder below that of `of` */
        {"one/own", "one/no-such-model", 0, "one/own"},
        {"one/own", "none/model", EXDEV, NULL},
        {"one/own", "/model", 0, "one/own"}, /* everything is below the root */
        {"one/own", far, EXDEV, NULL},
        {"one/lost", "one/own", ENOENT, NULL},
        {"one/xxx", "one/own", 0, "one/xxx"},
        {longest, "one/own", 0, "the longest name"},
    };
    int first;

    (void)state;
    make_files();
    first = next_descriptor();
    memset(longest + 4, 'x', NAME_MAX);
    put(longest, "the longest name");
    memset(far, 'x', sizeof far - 1);
    far[PATH_MAX - 1] = '/'; /* its folder is too long by one byte */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int fd = fsd_open_beside(cases[i].path, cases[i].of), why = errno;
        char text[64] = "";

        if (!cases[i].why != (fd >= 0) || (fd < 0 && why != cases[i].why))
            fail_msg("%.40s of %.40s: %d, %s", cases[i].path, cases[i].of, fd,
                     strerror(why));
        assert_true(fd >= 0 || fd == -1);
        if (fd < 0)
            continue;
        assert_true(read(fd, text, sizeof text - 1) >= 0);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
        close(fd);
    }
    /* No process writes to the FIFO, and the call does not wait for one. */
    {
        int fd = fsd_open_beside("one/pipe", "one/own");

        assert_true(fd >= 0);
        close(fd);
    }
    assert_int_equal(next_descriptor(), first);
    remove_files();
}

static void links_that_lead_out(void **state)
{
    static const struct {
        const char *path, *to;
    } cases[] = {{"one/own", NULL},          {"one/round", NULL},
                 {"one/..", NULL},           {"one/self", NULL},
                 {"one/none", NULL},         {"one/lost", NULL},
                 {"one/key", "/secret/key"}, {"one/data", "/blobs/data"}};
    char real[PATH_MAX], expected[PATH_MAX + 64];

    (void)state;
    make_files();
    assert_non_null(realpath(".", real));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char to[PATH_MAX] = "";

        snprintf(expected, sizeof expected, "%s%s", cases[i].to ? real : "",
                 cases[i].to ? cases[i].to : "");
        assert_int_equal(fsd_link_leads_out(cases[i].path, to, sizeof to),
                         cases[i].to != NULL);
        assert_string_equal(to, expected);
    }
    remove_files();
}

/* -------------------------------------------------------------------------- copies */

/* The system copies what there is, to the position of the other file. A system that
 * cannot copy copies nothing. */
static void copies(void **state)
{
    FILE *from = fsd_host_temporary(), *to = fsd_host_temporary();
    char text[32];
    uint64_t n;
    bool can;

    (void)state;
    fputs("0123456789", from);
    fflush(from);
    can = copy_file_range(fileno(from), &(off_t){0}, fileno(to), &(off_t){0}, 1, 0) > 0;
    n = fsd_host_copy(fileno(from), 3, fileno(to), 4);
    assert_int_equal(n, can ? 4 : 0);
    if (can) {
        assert_int_equal(fsd_host_copy(fileno(from), 8, fileno(to), 100), 2);
        assert_int_equal(fsd_host_copy(fileno(from), 0, fileno(to), 0), 0);
        rewind(to);
        text[fread(text, 1, sizeof text - 1, to)] = '\0';
        assert_string_equal(text, "345689");
    }
    assert_int_equal(fsd_host_copy(-1, 0, fileno(to), 4), 0);
    fclose(from);
    fclose(to);
}

/* ------------------------------------------------------------------------- streams */

struct sink {
    char text[64];
    size_t n;
    bool refuses;
    int closed;
};

static bool take(void *cookie, const char *bytes, size_t n)
{
    struct sink *s = cookie;

    if (s->refuses || s->n + n > sizeof s->text)
        return false;
    memcpy(s->text + s->n, bytes, n);
    s->n += n;
    return true;
}

static int close_sink(void *cookie)
{
    struct sink *s = cookie;

    s->closed++;
    return s->refuses ? EOF : 0;
}

static void streams(void **state)
{
    for (int i = 0; i < 8; i++) {
        const bool refuses = i & 1, closes = i & 2, purged = i & 4;
        struct sink sink = {.refuses = false};
        struct fsd_host_stream as = {&sink, take, closes ? close_sink : NULL};
        FILE *out = fsd_host_stream_open(&as);

        (void)state;
        assert_non_null(out);
        fputs("first ", out);
        assert_int_equal(fflush(out), 0);
        assert_int_equal(sink.n, 6);
        putc('l', out);
        sink.refuses = refuses;
        if (purged)
            fsd_host_stream_purge(out);
        else
            assert_int_equal(fflush(out), refuses ? EOF : 0);
        assert_int_equal(!ferror(out), purged || !refuses);
        if (refuses)
            fsd_host_stream_purge(out);
        assert_int_equal(fclose(out), refuses && closes ? EOF : 0);
        assert_int_equal(sink.closed, closes);
        assert_int_equal(sink.n, purged || refuses ? 6 : 7);
        assert_memory_equal(sink.text, "first l", sink.n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beside),
        cmocka_unit_test(links_that_lead_out),
        cmocka_unit_test(copies),
        cmocka_unit_test(streams),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
