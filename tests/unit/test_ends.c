/* Early ends of the program: by a signal, or because memory is exhausted; its message
 * and status, and its temporary files, of which none may stay. */
#include "base/base.h"
#include "cli/cli.h"
#include "host/files.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <cmocka.h>

static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { N_ENDS = sizeof ends / sizeof *ends };

static char folder[64];

/* What processes of a test share. */
static struct {
    int member; /* another process of the job */
} * shared;

/* -------------------------------------------------------------- the system's calls */

/* A signal that arrives right after a file was created or removed; 0: none. */
static int sudden;

/* The signals that were blocked before; NULL: not to be compared. */
static const sigset_t *held;

/* All signals that end the program are blocked, and those that were before. */
static void arrive(void)
{
    sigset_t mask;

    sigprocmask(SIG_BLOCK, NULL, &mask);
    for (int i = 1; held && i < 32; i++) {
        bool blocked = sigismember(held, i);

        for (int k = 0; k < N_ENDS; k++)
            blocked |= ends[k] == i;
        if (sigismember(&mask, i) != blocked)
            _exit(96);
    }
    if (sudden)
        kill(getpid(), sudden);
    sudden = 0;
}

int __real_mkostemps(char *path, int suffix, int flags);
int __wrap_mkostemps(char *path, int suffix, int flags);
int __wrap_mkostemps(char *path, int suffix, int flags)
{
    int fd = __real_mkostemps(path, suffix, flags);

    arrive();
    return fd;
}

char *__real_mkdtemp(char *path);
char *__wrap_mkdtemp(char *path);
char *__wrap_mkdtemp(char *path)
{
    char *made = __real_mkdtemp(path);

    arrive();
    return made;
}

/* Another program creates a file of the same name at once. */
int __real_unlink(const char *path);
int __wrap_unlink(const char *path);
int __wrap_unlink(const char *path)
{
    int result = __real_unlink(path);

    if (sudden)
        close(open(path, O_WRONLY | O_CREAT | O_EXCL, 0600));
    arrive();
    return result;
}

/* ------------------------------------------------------------------------- helpers */

static const char *path_of(const char *name)
{
    static char paths[8][128];
    static int i;
    char *path = paths[i++ % 8];

    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

/* Runs a function in a process of its own, whose standard output and error are files.
 * @return what waitpid() returns of the process */
static int end_of(void (*test)(void))
{
    pid_t child = fork();
    int status;

    if (!child) {
        int out = open(path_of("out"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        int err = open(path_of("err"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        struct rlimit none = {0};

        setpgid(0, 0);
        setrlimit(RLIMIT_CORE, &none);
        dup2(out, STDOUT_FILENO);
        dup2(err, STDERR_FILENO);
        test();
        _exit(99);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void holds_file(const char *name, const char *expected)
{
    FILE *file = fopen(path_of(name), "r");
    char text[256];
    size_t n;

    assert_non_null(file);
    n = fread(text, 1, sizeof text, file);
    fclose(file);
    assert_int_equal(n, strlen(expected));
    assert_memory_equal(text, expected, n);
    assert_int_equal(unlink(path_of(name)), 0);
}

/* The names of the files that stay, but for those of the standard streams; removes
 * them. */
static const char *left(void)
{
    static char names[256];
    char command[128];
    struct dirent **all;
    int n = scandir(folder, &all, NULL, alphasort);

    *names = '\0';
    for (int i = 0; i < n; i++) {
        const char *name = all[i]->d_name;

        if (*name != '.' && strcmp(name, "out") && strcmp(name, "err")) {
            snprintf(names + strlen(names), sizeof names - strlen(names), "%.*s ",
                     (int)strcspn(name, "-"), name);
        }
        free(all[i]);
    }
    free(all);
    snprintf(command, sizeof command, "rm -rf %s/*-*", folder);
    if (*names)
        assert_int_equal(system(command), 0);
    return names;
}

static struct temporary temporaries[4];

static void make(int i, const char *name, int suffix)
{
    snprintf(temporaries[i].path, sizeof temporaries[i].path, "%s/%s", folder, name);
    if (make_temporary(&temporaries[i], suffix) < 0)
        _exit(98);
}

/* A file, a directory with a file in it, and one that is announced only. */
static void make_all(void)
{
    struct temporary *t = temporaries;

    make(0, "one-XXXXXX", 0);
    snprintf(t[1].path, sizeof t[1].path, "%s/two-XXXXXX", folder);
    if (!make_temporary_folder(&t[1]))
        _exit(98);
    snprintf(t[2].path, sizeof t[2].path, "%.80s/in-XXXXXX.onnx", t[1].path);
    if (make_temporary(&t[2], 5) < 0)
        _exit(98);
    snprintf(t[3].path, sizeof t[3].path, "%.80s/later", t[1].path);
    add_temporary(&t[3]);
    if (close(open(t[3].path, O_WRONLY | O_CREAT | O_EXCL, 0600)))
        _exit(98);
}

/* ------------------------------------------------------------------------- memory */

static void without_memory(void)
{
    make_all();
    end_without_memory();
}

static void must_have(void)
{
    make_all();
    if (must(folder) != folder || write(STDERR_FILENO, "enough, then ", 13) != 13)
        _exit(97);
    must(NULL);
}

/* The library has too little memory. */
static void library_must_have(void)
{
    prepare_ends();
    make_all();
    fsd_out_of_memory();
}

static void memory(void **state)
{
    void (*const tests[])(void) = {without_memory, must_have, library_must_have};

    (void)state;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        assert_int_equal(end_of(tests[i]), TROUBLE << 8);
        holds_file("err", tests[i] == must_have
                              ? "enough, then fusiondiff: out of memory\n"
                              : "fusiondiff: out of memory\n");
        assert_string_equal(left(), "");
    }
}

/* ------------------------------------------------------------------------- signals */

static int number;

static void get_signal(void)
{
    prepare_ends();
    make_all();
    raise(number);
}

static void get_ignored_signal(void)
{
    signal(number, SIG_IGN);
    get_signal();
}

static void signals(void **state)
{
    (void)state;
    for (int i = 0; i < N_ENDS; i++) {
        number = ends[i];
        assert_int_equal(end_of(get_signal), ends[i]);
        assert_string_equal(left(), "");
        /* What nohup ignores stays ignored. */
        assert_int_equal(end_of(get_ignored_signal), 99 << 8);
        assert_string_equal(left(), "one two ");
    }
}

/* Errors of writing are ordinary ones. */
static void write_too_much(void)
{
    const struct rlimit little = {4, 4};
    int ways[2];

    prepare_ends();
    if (pipe(ways) || close(ways[0]) || write(ways[1], "x", 1) != -1 || errno != EPIPE)
        _exit(1);
    if (setrlimit(RLIMIT_FSIZE, &little) || write(STDOUT_FILENO, "12345678", 8) != 4 ||
        write(STDOUT_FILENO, "5", 1) != -1 || errno != EFBIG)
        _exit(2);
}

static void writing(void **state)
{
    (void)state;
    assert_int_equal(end_of(write_too_much), 99 << 8);
}

/* ------------------------------------------------------------------------ end_by() */

static bool whole_job, blocks;

/* Another process of the job waits for the signal. */
static void end_job(void)
{
    const pid_t member = fork();
    sigset_t mask;

    while (!member)
        pause();
    shared->member = member;
    make_all();
    fputs("written", stdout);
    signal(number, SIG_IGN);
    sigemptyset(&mask);
    sigaddset(&mask, number);
    if (blocks)
        sigprocmask(SIG_BLOCK, &mask, NULL);
    end_by(number, whole_job);
}

static void end_by_signal(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        int member, status;

        shared->member = 0;
        whole_job = i & 1;
        blocks = i & 2;
        number = i & 4 ? SIGINT : SIGTERM;
        assert_int_equal(end_of(end_job), number);
        holds_file("out", "written");
        assert_string_equal(left(), "");
        member = shared->member;
        assert_true(member > 1);
        if (!whole_job)
            assert_int_equal(kill(member, SIGKILL), 0);
        assert_int_equal(waitpid(member, &status, 0), member); /* an orphan */
        assert_int_equal(status, whole_job ? number : SIGKILL);
    }
}

/* A signal that ends no process, as is each for process 1 of a container. */
static void end_by_nothing(void)
{
    make_all();
    end_by(SIGURG, false);
}

static void end_by_status(void **state)
{
    (void)state;
    assert_int_equal(end_of(end_by_nothing), (128 + SIGURG) << 8);
    assert_string_equal(left(), "");
}

/* ----------------------------------------------------------------- temporary files */

/* A signal while a file is created, or a directory, or while one is dropped. */
static void create_file(void)
{
    prepare_ends();
    sudden = number;
    make(0, "one-XXXXXX", 0);
}

static void create_folder(void)
{
    prepare_ends();
    sudden = number;
    snprintf(temporaries[0].path, sizeof temporaries[0].path, "%s/one-XXXXXX", folder);
    if (make_temporary_folder(&temporaries[0]))
        _exit(97);
}

static void drop_file(void)
{
    prepare_ends();
    make(0, "one-XXXXXX", 0);
    sudden = number;
    drop_temporary(&temporaries[0], false);
}

static void sudden_signals(void **state)
{
    (void)state;
    for (int i = 0; i < N_ENDS; i++) {
        number = ends[i];
        assert_int_equal(end_of(create_file), number);
        assert_string_equal(left(), "");
        assert_int_equal(end_of(create_folder), number);
        assert_string_equal(left(), "");
        assert_int_equal(end_of(drop_file), number);
        assert_string_equal(left(), "one "); /* the other program's */
    }
}

/* The signals that were blocked before are blocked afterwards, and no others. */
static void keep_mask(void)
{
    struct temporary *t = temporaries;
    sigset_t mask, before, after;

    sigemptyset(&mask);
    sigaddset(&mask, SIGHUP);
    sigaddset(&mask, SIGUSR1);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    sigprocmask(SIG_SETMASK, NULL, &before);
    held = &before;
    make(0, "one-XXXXXX", 0);
    snprintf(t[1].path, sizeof t[1].path, "%s/two-XXXXXX", folder);
    if (!make_temporary_folder(&t[1]))
        _exit(1);
    drop_temporary(&t[0], false);
    drop_temporary(&t[1], false);
    sigprocmask(SIG_SETMASK, NULL, &after);
    for (int i = 1; i < 32; i++)
        if (sigismember(&before, i) != sigismember(&after, i))
            _exit(2);
}

/* A file gets the name, the ending and the descriptor that it should; without one, all
 * is as it was. */
static void make_files(void)
{
    struct temporary *t = temporaries;
    int fd;

    for (int i = 0; i < 2; i++) {
        snprintf(t->path, sizeof t->path, "%s/none/one-XXXXXX", folder);
        errno = 0;
        if (i ? make_temporary_folder(t) : make_temporary(t, 0) != -1)
            _exit(1);
        if (errno != ENOENT)
            _exit(2);
    }
    close(STDIN_FILENO);
    snprintf(t->path, sizeof t->path, "%s/one-XXXXXX.onnx", folder);
    fd = make_temporary(t, 5);
    if (fd || fcntl(fd, F_GETFD) != FD_CLOEXEC)
        _exit(3);
    if (!ends_with(t->path, ".onnx") || strstr(t->path, "XXXXXX") ||
        access(t->path, F_OK))
        _exit(4);
    end_without_memory();
}

static void made(void **state)
{
    (void)state;
    assert_int_equal(end_of(keep_mask), 99 << 8);
    assert_string_equal(left(), "");
    assert_int_equal(end_of(make_files), TROUBLE << 8);
    assert_string_equal(left(), "");
}

static int dropped, then_dropped;
static bool gone;

/* Files are dropped in any order. The others are removed at the end. */
static void drop(void)
{
    make(0, "one-XXXXXX", 0);
    make(1, "two-XXXXXX", 0);
    make(2, "three-XXXXXX", 0);
    drop_temporary(&temporaries[dropped], gone);
    if (!access(temporaries[dropped].path, F_OK) != gone)
        _exit(1);
    if (then_dropped != dropped)
        drop_temporary(&temporaries[then_dropped], true);
    end_without_memory();
}

static void dropped_files(void **state)
{
    static const char *const names[] = {"one ", "two ", "three "};

    (void)state;
    for (int i = 0; i < 18; i++) {
        char expected[32] = "";

        dropped = i % 3;
        then_dropped = i / 3 % 3;
        gone = i / 9;
        assert_int_equal(end_of(drop), TROUBLE << 8);
        for (int k = 0; k < 3; k++) { /* in alphabetical order */
            const int one = k ? 3 - k : 0;

            if ((one == dropped && gone) ||
                (one == then_dropped && then_dropped != dropped))
                strcat(expected, names[one]);
        }
        assert_string_equal(left(), expected);
    }
}

static void drop_folder(void)
{
    snprintf(temporaries[0].path, sizeof temporaries[0].path, "%s/one-XXXXXX", folder);
    if (!make_temporary_folder(&temporaries[0]))
        _exit(1);
    drop_temporary(&temporaries[0], gone);
}

static void dropped_folders(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        gone = i;
        assert_int_equal(end_of(drop_folder), 99 << 8);
        assert_string_equal(left(), i ? "one " : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory),
        cmocka_unit_test(signals),
        cmocka_unit_test(writing),
        cmocka_unit_test(end_by_signal),
        cmocka_unit_test(end_by_status),
        cmocka_unit_test(sudden_signals),
        cmocka_unit_test(made),
        cmocka_unit_test(dropped_files),
        cmocka_unit_test(dropped_folders),
    };
    char command[128];
    int failed;

    for (int i = 0; i < N_ENDS; i++)
        signal(ends[i], SIG_DFL);
    strcpy(folder, "/tmp/fusiondiff-ends-XXXXXX");
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!mkdtemp(folder) || shared == MAP_FAILED ||
        prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) ? 1 : failed;
}
