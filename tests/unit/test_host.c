/* Programs that are run: the folders that are searched, what they get and give, and how
 * they end; and what this process asks of the system for itself. */
#define _GNU_SOURCE /* posix_openpt() */
#include "host/host.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
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
    assert_null(fsd_host_variable("PATH"));
    setenv("PATH", "/bin", 1);
    path = fsd_host_variable("PATH");
    assert_string_equal(path, "/bin");
    free(path);
}

/* The first folder counts, but only for a file that can be run. */
static void found_first(void **state)
{
    char folder[] = "/tmp/fusiondiff-xxx-XXXXXX", words[64], file[64], *path;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(words, sizeof words, "%s:/bin", folder);
    snprintf(file, sizeof file, "%s/sh", folder);
    setenv("PATH", words, 1);
    for (int i = 0; i < 2; i++) {
        int fd = open(file, O_WRONLY | O_CREAT, 0644);

        assert_true(fd >= 0 && !fchmod(fd, i ? 0755 : 0644) && !close(fd));
        path = fsd_host_program("sh");
        assert_string_equal(path, i ? file : "/bin/sh");
        free(path);
    }
    unlink(file);
    rmdir(folder);
}

static void slashes(void **state)
{
    static const char path[] = "a/b/c";

    (void)state;
    assert_ptr_equal(fsd_host_slash(path), path + 3);
    assert_null(fsd_host_slash("abc"));
}

/* Runs a program and holds that its processor time is what the system counts. */
static struct fsd_host_outcome run_words(const char *const *words, const char *in,
                                         double seconds, char out[64], char said[64])
{
    struct fsd_host_command command = {.words = words, .seconds = seconds};
    char *const texts[] = {out, said};
    struct rusage before, after;
    struct fsd_host_outcome o;
    double spent;

    for (int i = 0; i < 3; i++)
        assert_non_null(command.streams[i] = fsd_host_temporary());
    fputs(in, command.streams[0]);
    fflush(command.streams[0]);
    getrusage(RUSAGE_CHILDREN, &before);
    o = fsd_host_run(&command);
    getrusage(RUSAGE_CHILDREN, &after);
    spent = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
            (double)(after.ru_stime.tv_sec - before.ru_stime.tv_sec) +
            (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec) * 1e-6 +
            (double)(after.ru_stime.tv_usec - before.ru_stime.tv_usec) * 1e-6;
    assert_true(spent > 0 && o.spent > spent - 1e-4 && o.spent < spent + 1e-4);
    for (int i = 0; i < 2; i++) {
        rewind(command.streams[i + 1]);
        texts[i][fread(texts[i], 1, 63, command.streams[i + 1])] = '\0';
    }
    for (int i = 0; i < 3; i++)
        fclose(command.streams[i]);
    return o;
}

static struct fsd_host_outcome run(const char *script, const char *in, double seconds,
                                   char out[64], char said[64])
{
    const char *const words[] = {"/bin/sh", "-c", script, NULL};

    return run_words(words, in, seconds, out, said);
}

static void runs(void **state)
{
    char out[64], said[64];
    struct fsd_host_outcome o = run("echo half; exit 3", "", 10, out, said);

    (void)state;
    assert_true(!o.good && !o.timed_out);
    o = run("cat; echo to say >&2", "a text", 10, out, said);
    assert_true(o.good && !o.timed_out);
    assert_string_equal(out, "a text");
    assert_string_equal(said, "to say\n");
    o = run("kill -SEGV $$", "", 10, out, said);
    assert_true(!o.good && !o.timed_out);
    o = run_words((const char *const[]){"/no/such/program", NULL}, "", 10, out, said);
    assert_true(!o.good && !o.timed_out);
    assert_string_equal(out, "");
}

/* The program does not ignore a signal that this process ignores, and blocks those that
 * were blocked before the start. */
static void signals_are_reset(void **state)
{
    const int ignored[] = {1, SIGUSR2, SIGPIPE, SIGRTMAX};
    char out[64], said[64];
    sigset_t some, before, after;

    (void)state;
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    sigprocmask(SIG_BLOCK, &some, &before);
    run_words((const char *const[]){"/bin/grep", "-E", "Sig(Blk|Ign)",
                                    "/proc/self/status", NULL},
              "", 10, out, said);
    assert_string_equal(out, "SigBlk:\t0000000000000200\n"
                             "SigIgn:\t0000000000000000\n");
    sigprocmask(SIG_SETMASK, &before, &after);
    assert_int_equal(sigismember(&after, SIGUSR1), 1);
    assert_int_equal(sigismember(&after, SIGTERM), 0);
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_DFL);
}

/* Seconds of processor time are whole ones for the system. A program that survives the
 * first signal is killed a second later. */
static void limits(void **state)
{
    const struct {
        double seconds;
        const char *out;
    } cases[] = {{0.5, "1 2\n"}, {1, "1 2\n"}, {1.5, "2 3\n"}, {20, "20 21\n"}};
    char out[64], said[64];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fsd_host_outcome o =
            run("echo `ulimit -S -t` `ulimit -H -t`", "", cases[i].seconds, out, said);

        assert_true(o.good);
        assert_string_equal(out, cases[i].out);
    }
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

/* A program that only waits is killed after 60 times (the limit + 1) seconds. This
 * limit makes that a quarter of a second, and exactly 121 checks of 2 ms. */
static void waits(void **state)
{
    char out[64], said[64];
    struct timespec before, after;
    struct fsd_host_outcome o;
    sigset_t own, mask;

    (void)state;
    sigemptyset(&own);
    sigaddset(&own, SIGXCPU); /* the limit of processor time is 0 here */
    sigprocmask(SIG_BLOCK, &own, &mask);
    clock_gettime(CLOCK_MONOTONIC, &before);
    o = run("exec sleep 600", "", 121 / 30000. - 1, out, said);
    clock_gettime(CLOCK_MONOTONIC, &after);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    assert_true(!o.good && o.timed_out);
    assert_true((double)(after.tv_sec - before.tv_sec) +
                    (double)(after.tv_nsec - before.tv_nsec) * 1e-9 >=
                121 * 2e-3);
}

/* ------------------------------------------------------------------------- process */

/* Runs a test in a process of its own, for what cannot be taken back. */
static void in_child(bool (*holds)(void))
{
    pid_t child = fork();
    int status;

    if (!child)
        _exit(holds() ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static bool limits_memory(void)
{
    const uint64_t most = UINT64_C(1) << 40;
    struct rlimit before, after;

    if (getrlimit(RLIMIT_DATA, &before) || !fsd_host_limit_memory(most) ||
        getrlimit(RLIMIT_DATA, &after) || after.rlim_cur != most ||
        after.rlim_max != before.rlim_max)
        return false;
    /* A limit is never raised. */
    return fsd_host_limit_memory(most + 1) && !getrlimit(RLIMIT_DATA, &after) &&
           after.rlim_cur == most && fsd_host_limit_memory(most - 4096) &&
           !getrlimit(RLIMIT_DATA, &after) && after.rlim_cur == most - 4096;
}

static bool has_columns(void)
{
    const struct winsize size = {.ws_row = 13, .ws_col = 57};
    int terminal = posix_openpt(O_RDWR | O_NOCTTY), file = open("/dev/null", O_WRONLY);
    int end;

    if (terminal < 0 || file < 0 || grantpt(terminal) || unlockpt(terminal))
        return false;
    end = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    if (end < 0 || ioctl(end, TIOCSWINSZ, &size) || dup2(end, STDOUT_FILENO) < 0 ||
        fsd_host_columns() != 57)
        return false;
    return dup2(file, STDOUT_FILENO) >= 0 && fsd_host_columns() == 0;
}

/* Streams that are closed stay without use, and the others as they are. */
static bool opens_streams(void)
{
    for (int closed = 0; closed < 8; closed++) {
        const int zero = open("/dev/zero", O_RDWR);

        for (int fd = 0; fd < 3; fd++)
            dup2(zero, fd);
        for (int fd = 0; fd < 16; fd++)
            if (fd > 2 || closed & 1 << fd)
                close(fd);
        fsd_host_begin(NULL, NULL);
        for (int fd = 0; fd < 3; fd++) {
            char byte = 0;
            const bool works = (fd ? write(fd, &byte, 1) : read(fd, &byte, 1)) == 1;

            if (fcntl(fd, F_GETFD) < 0 || works == !!(closed & 1 << fd))
                return false;
        }
        if (fcntl(3, F_GETFD) >= 0)
            return false;
    }
    return true;
}

static void asks_the_system(void **state)
{
    unsigned char bytes[2][34] = {{0}};

    (void)state;
    in_child(limits_memory);
    in_child(has_columns);
    in_child(opens_streams);
    assert_int_equal(fsd_processors(), sysconf(_SC_NPROCESSORS_ONLN));
    for (int i = 0; i < 2; i++) {
        assert_true(fsd_host_random(bytes[i] + 1, 32));
        assert_int_equal(bytes[i][0] + bytes[i][33], 0);
    }
    assert_memory_not_equal(bytes[0], bytes[1], sizeof *bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found),
        cmocka_unit_test(found_first),
        cmocka_unit_test(slashes),
        cmocka_unit_test(runs),
        cmocka_unit_test(signals_are_reset),
        cmocka_unit_test(limits),
        cmocka_unit_test(ends),
        cmocka_unit_test(waits),
        cmocka_unit_test(asks_the_system),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
