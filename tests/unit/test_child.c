/* Commands that the program runs: their output, also of processes that outlive them,
 * their end, and what is left behind. */
#include "commands.h"

#include <sys/ioctl.h>

/* Number of open descriptors. */
static int descriptors(void)
{
    int n = 0;

    for (int fd = 0; fd < 200; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* --------------------------------------------------------------------- its output */

static void answer_two(const struct seen *s)
{
    if (!strcmp(s->text[0], "one\n") && !s->n[1])
        assert_int_equal(write(answer, "x\n", 2), 2);
}

/* A piece arrives while the command waits for the answer to it. */
static void pieces(void **state)
{
    struct seen s = {.then = answer_two};

    (void)state;
    open_input();
    assert_int_equal(run("echo one; read x; echo two >&2; echo three; exit 3", &s),
                     FSD_OK);
    close_input();
    assert_string_equal(s.text[0], "one\nthree\n");
    assert_string_equal(s.text[1], "two\n");
    assert_true(s.pieces[0] == 2 && s.pieces[1] == 1);
    assert_true(s.ends[0] == 1 && s.ends[1] == 1);
    holds_end(3, 0, 0);
}

/* A command's write is one piece, unless it is longer than a pipe. */
static void whole_writes(void **state)
{
    struct seen s = {0};

    (void)state;
    assert_int_equal(run("dd if=/dev/zero bs=4096 count=1 2>/dev/null", &s), FSD_OK);
    assert_int_equal(s.longest, 4096);
    assert_int_equal(s.pieces[0], 1);
    memset(&s, 0, sizeof s);
    assert_int_equal(run("printf x; printf y >&2", &s), FSD_OK);
    assert_string_equal(s.text[0], "x");
    assert_string_equal(s.text[1], "y");
}

/* The command runs to its end, and all its output is passed, though some of it could
 * not be stored. */
static void pieces_are_lost(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct seen s = {0};

        (i < 2 ? s.refuses : s.refuses_end)[i % 2] = true;
        assert_int_equal(run("echo out; echo err >&2; exit 4", &s), FSD_E_WRITE);
        assert_string_equal(s.text[0], "out\n");
        assert_string_equal(s.text[1], "err\n");
        assert_string_equal(why.message, "");
        holds_end(4, 0, 0);
    }
}

static FILE *file_with(const char *text)
{
    FILE *file = fsd_host_temporary();

    fputs(text, file);
    rewind(file);
    return file;
}

static void holds_text(FILE *file, const char *expected)
{
    char text[256];

    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    assert_string_equal(text, expected);
}

static void files(void **state)
{
    const char *const words[] = {"sh", "-c", "cat; echo \"$FSD_TEST\"", NULL};
    FILE *in = file_with("text "), *out = file_with("");
    struct child c = {.words = words,
                      .variable = "FSD_TEST",
                      .value = "new",
                      .in = fileno(in),
                      .out = fileno(out)};

    (void)state;
    setenv("FSD_TEST", "old", 1);
    assert_int_equal(run_child(&c, &end, NULL), FSD_OK);
    holds_text(out, "text new\n");
    c.value = NULL;
    rewind(in);
    assert_int_equal(run_child(&c, &end, NULL), FSD_OK);
    holds_text(out, "text new\ntext old\n");
    assert_string_equal(getenv("FSD_TEST"), "old");
    fclose(in);
    fclose(out);
}

/* The standard streams of this process become files, of which the second one is open
 * for reading, too. */
static void open_streams(FILE *files[3], int flags)
{
    for (int i = 0; i < 3; i++) {
        NEED((files[i] = file_with(i ? "" : "in\n")));
        NEED(!fcntl(fileno(files[i]), F_SETFD, FD_CLOEXEC));
        NEED(dup3(fileno(files[i]), i, flags) == i);
    }
}

/* The command's standard streams are those of the program, even those that an exec
 * would close, or other files, or one in the place of another one. */
static void run_with_own_streams(void)
{
    const struct {
        int in, out, flags;
        const char *texts[3];
    } cases[] = {
        {-1, -1, 0, {"in\n", "in\n0\n1\n2\n3\n", "err\n"}},
        {0, 1, O_CLOEXEC, {"in\n", "in\n0\n1\n2\n3\n", "err\n"}},
        {-1, 8, 0, {"in\n", "", "in\nerr\n0\n1\n2\n3\n"}},
        {-1, 0, 0, {"out\n", "", "err\n"}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const words[] = {"sh", "-c",
                                     cases[i].out
                                         ? "cat; echo err >&2; ls /proc/self/fd"
                                         : "echo out; echo err >&2",
                                     NULL};
        struct child c = {.words = words, .in = cases[i].in, .out = cases[i].out};
        FILE *files[3];

        open_streams(files, cases[i].flags);
        NEED(!fcntl(2, F_SETFD, 0));
        NEED(dup3(2, 8, O_CLOEXEC) == 8);
        NEED(run_child(&c, &end, NULL) == FSD_OK);
        holds_end(0, 0, 0);
        for (int k = 0; k < 3; k++) {
            char text[64];

            rewind(files[k]);
            text[fread(text, 1, sizeof text - 1, files[k])] = '\0';
            fclose(files[k]);
            if (strcmp(text, cases[i].texts[k]))
                fprintf(said, "case %zu, file %d: '%s'\n", i, k, text);
            NEED(!strcmp(text, cases[i].texts[k]));
        }
    }
}

static void own_streams(void **state)
{
    (void)state;
    in_child(run_with_own_streams);
}

/* ------------------------------------------------------------------------ its end */

static void ends(void **state)
{
    const struct {
        const char *script;
        int status, by;
    } cases[] = {
        {"exit 0", 0, 0},
        {"exit 1", 1, 0},
        {"exit 255", 255, 0},
        {"kill -KILL $$", 137, SIGKILL},
        {"kill -TERM $$", 143, SIGTERM},
        {"kill -INT $$", 130, SIGINT},
    };
    int before = descriptors();

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct seen s = {0};

        assert_int_equal(run(cases[i].script, i % 2 ? &s : NULL), FSD_OK);
        holds_end(cases[i].status, cases[i].by, 0);
    }
    assert_int_equal(descriptors(), before);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* none is left */
}

static void holds_not_started(const struct child *c, int number)
{
    const struct child_end none = {0};
    char expected[256];

    memset(&end, 0xff, sizeof end);
    memset(&why, 0, sizeof why);
    NEED(run_child(c, &end, &why) == FSD_E_IO);
    snprintf(expected, sizeof expected, "cannot be started: %s", strerror(number));
    if (strcmp(why.message, expected) || strcmp(why.file, c->words[0])) {
        fprintf(said, "found '%s' of '%s', expected '%s'\n", why.message, why.file,
                expected);
        NEED(false);
    }
    NEED(end.status == none.status && end.by == none.by && !end.stopped_by &&
         !end.whole_job);
    NEED(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

static void start_nothing(void)
{
    const char *const none[] = {"no-such-program", "word", NULL},
                      *const folder[] = {"/", NULL}, *const fine[] = {"true", NULL};
    struct seen s = {0};
    const struct {
        struct child c;
        int why;
    } cases[] = {
        {{none, .in = -1, .out = -1}, ENOENT},
        {{none, .in = -1, .out = -1, .take = take, .payload = &s}, ENOENT},
        {{folder, .in = -1, .out = -1}, EACCES},
        {{fine, .in = 199, .out = -1}, EBADF},
        {{fine, .in = -1, .out = 199}, EBADF},
        {{fine, "a=b", "value", -1, -1, NULL, NULL}, EINVAL},
    };
    int before = descriptors();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        holds_not_started(&cases[i].c, cases[i].why);
    sys.forks_fail = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        holds_not_started(&cases[i].c, EAGAIN);
    NEED(descriptors() == before);
    NEED(!s.pieces[0] && !s.pieces[1] && !s.ends[0] && !s.ends[1]);
}

/* With too few descriptors, none is lost. */
static void start_without_room(void)
{
    const char *const words[] = {"true", NULL};
    int tty = open("/dev/tty", O_RDWR | O_CLOEXEC);
    int failed = 0, before = descriptors() - (tty >= 0);
    struct rlimit limit;

    if (tty >= 0) /* give it up: run_child() would open it */
        NEED(!ioctl(tty, TIOCNOTTY) && !close(tty));

    NEED(!getrlimit(RLIMIT_NOFILE, &limit));
    for (int i = 0; i < 2; i++) {
        struct seen s = {0};
        struct child c = {.words = words,
                          .in = -1,
                          .out = -1,
                          .take = i ? take : NULL,
                          .payload = &s};
        int free = 0;

        for (int fd = 0; free < 7; fd++) {
            free += fcntl(fd, F_GETFD) < 0;
            limit.rlim_cur = (rlim_t)fd + 1;
            NEED(!setrlimit(RLIMIT_NOFILE, &limit));
            if (free >= (i ? 6 : 2)) {
                NEED(run_child(&c, &end, &why) == FSD_OK);
            } else {
                holds_not_started(&c, EMFILE);
                failed++;
            }
            NEED(descriptors() == before);
            memset(&s, 0, sizeof s);
        }
    }
    NEED(failed >= 8);
}

static void not_started(void **state)
{
    (void)state;
    in_child(start_nothing);
    in_child(start_without_room);
}

/* ---------------------------------------------------------------- output after it */

static void answer_once(void)
{
    assert_int_equal(write(answer, "x\n", 2), 2);
}

/* The command has ended, and another process writes. An alarm of the progress bar
 * interrupts the waiting. */
static void late(void **state)
{
    static const char *const scripts[] = {
        "exec 3<&0; (read x <&3; echo late) 2>&- & exit 5",
        "exec 3<&0; (read x <&3; echo late >&2) >&- & exit 5"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct seen s = {0};

        open_input();
        sys.on_poll = answer_once;
        sys.interrupted = 1;
        sys.waits = true;
        sys.limit = 0;
        assert_int_equal(run(scripts[i], &s), FSD_OK);
        sys.waits = false;
        close_input();
        holds_end(5, 0, 0);
        assert_string_equal(s.text[i], "late\n");
        assert_string_equal(s.text[!i], "");
        assert_true(s.ends[0] == 1 && s.ends[1] == 1);
        assert_int_equal(sys.limit, 200);
    }
}

/* A process that lives on is not awaited, and not ended. */
static void lives_on(void **state)
{
    int before = descriptors();

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct seen s = {.refuses_end = {i == 1, i == 2}};
        int pid;

        memset(&sys, 0, sizeof sys);
        sys.stands = true;
        assert_int_equal(run("sleep 600 & echo $!", &s), i ? FSD_E_WRITE : FSD_OK);
        holds_log("");
        memset(&sys, 0, sizeof sys);
        holds_end(0, 0, 0);
        assert_true(s.ends[0] == 1 && s.ends[1] == 1);
        pid = (int)strtol(s.text[0], NULL, 10);
        assert_true(pid > 1);
        assert_int_equal(kill(pid, SIGKILL), 0);
        memset(&sys, 0, sizeof sys);
    }
    assert_int_equal(descriptors(), before);
}

/* Nor is one that writes without an end, for more than 2 s. */
static void writes_on(void **state)
{
    const struct {
        int64_t ns;
        int polls;
    } cases[] = {{1999000000, 2}, {2000000000, 1}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct seen s = {0};

        sys.stands = sys.waits = true;
        sys.polls = 0;
        sys.poll_ns = cases[i].ns;
        assert_int_equal(run("yes & exit 6", &s), FSD_OK);
        holds_end(6, 0, 0);
        assert_true(s.ends[0] == 1 && s.ends[1] == 1);
        assert_int_equal(sys.polls, cases[i].polls);
        memset(&sys, 0, sizeof sys);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces),          cmocka_unit_test(whole_writes),
        cmocka_unit_test(pieces_are_lost), cmocka_unit_test(files),
        cmocka_unit_test(own_streams),     cmocka_unit_test(ends),
        cmocka_unit_test(not_started),     cmocka_unit_test(late),
        cmocka_unit_test(lives_on),        cmocka_unit_test(writes_on),
    };

    prepare();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
