/* What tests of run_child() share: functions of the system that record their calls, a
 * clock that only the test moves instead of waiting, and what a command wrote. */
#pragma once

#include "cli/cli.h"
#include "host/files.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <cmocka.h>

/* Asserts in a process of its own, where a failed cmocka assertion would go on with the
 * tests of the parent. */
#define NEED(holds) need(holds, #holds, __LINE__)

static FILE *said; /* standard error, also where a test replaces it */

static void need(bool holds, const char *what, int line)
{
    if (holds)
        return;
    fprintf(said, "line %d: %s\n", line, what);
    fflush(said);
    _exit(1);
}

/* Forks a process that ends with its parent, also if a failed test hangs. */
static pid_t fork_test(void)
{
    const pid_t child = fork();

    if (!child)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    return child;
}

/* Runs a test in a process of its own, for what cannot be undone. */
static inline void in_child(void (*test)(void))
{
    pid_t child = fork_test();
    int status;

    if (!child) {
        setpgid(0, 0);
        test();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* ---------------------------------------------------------------------- the system */

struct step {
    int64_t ns; /* by which the clock moves in a call that waits; 0: to its end */
    int signal; /* that arrives then; 0: none */
};

/* What the functions below do, and what they recorded. */
static struct {
    bool forks_fail;
    int before_exec;          /* a signal that the child gets then; 0: none */
    bool stands;              /* the clock moves only in calls that wait */
    int64_t ns;               /* its time */
    int64_t start;            /* in ms, from which the record counts */
    const struct step *steps; /* of ppoll() with a limit; NULL: it waits for events */
    int terminal;             /* a descriptor of the terminal; 0: none */
    bool killed;              /* SIGKILL was sent: ppoll() waits for the end */
    int64_t poll_ns;          /* by which poll() moves the clock */
    bool waits;               /* poll() waits for an event, however long */
    void (*on_poll)(void);    /* is called once */
    int interrupted;          /* number of calls of poll() that fail with EINTR */
    int polls, limit, naps;
    sigset_t waiting; /* the signal mask of ppoll() */
    char log[512];
} sys;

static void put_log(const char *form, ...)
{
    size_t n = strlen(sys.log);
    va_list args;

    va_start(args, form);
    vsnprintf(sys.log + n, sizeof sys.log - n, form, args);
    va_end(args);
}

int __real_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
    if (!sys.stands)
        return __real_clock_gettime(clock, t);
    *t = (struct timespec){sys.ns / 1000000000, sys.ns % 1000000000};
    return 0;
}

int __real_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *limit,
                 const sigset_t *mask);
int __wrap_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *limit,
                 const sigset_t *mask);
int __wrap_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *limit,
                 const sigset_t *mask)
{
    struct step step = {0};

    sys.waiting = *mask;
    if (!sys.stands || !sys.steps || sys.killed || !limit)
        return __real_ppoll(fds, n, sys.stands ? NULL : limit, mask);
    put_log("wait %d.%09ld, ", (int)limit->tv_sec, limit->tv_nsec);
    if (sys.steps->ns || sys.steps->signal)
        step = *sys.steps++;
    sys.ns += step.ns ? step.ns : limit->tv_sec * 1000000000 + limit->tv_nsec;
    if (step.signal)
        kill(getpid(), step.signal);
    return __real_ppoll(NULL, 0, &(struct timespec){0}, mask);
}

int __real_poll(struct pollfd *fds, nfds_t n, int limit);
int __wrap_poll(struct pollfd *fds, nfds_t n, int limit);
int __wrap_poll(struct pollfd *fds, nfds_t n, int limit)
{
    void (*call)(void) = sys.on_poll;

    sys.on_poll = NULL;
    if (call)
        call();
    if (sys.interrupted) {
        sys.interrupted--;
        errno = EINTR;
        return -1;
    }
    sys.polls++;
    sys.limit = limit;
    sys.ns += sys.poll_ns;
    return __real_poll(fds, n, sys.waits ? -1 : sys.stands ? 0 : limit);
}

int __real_nanosleep(const struct timespec *t, struct timespec *rest);
int __wrap_nanosleep(const struct timespec *t, struct timespec *rest);
int __wrap_nanosleep(const struct timespec *t, struct timespec *rest)
{
    sys.naps++;
    if (!sys.stands)
        return __real_nanosleep(t, rest);
    sys.ns += t->tv_sec * 1000000000 + t->tv_nsec;
    return 0;
}

int __real_kill(pid_t pid, int number);
int __wrap_kill(pid_t pid, int number);
int __wrap_kill(pid_t pid, int number)
{
    if (number && pid != getpid()) {
        put_log("%s%s",
                pid < 0 ? ""
                : pid   ? "one process "
                        : "job ",
                sigabbrev_np(number));
        if (sys.terminal && number == SIGCONT && tcgetpgrp(sys.terminal) == -pid)
            put_log(" at the terminal");
        if (sys.stands)
            put_log(" at %d", (int)(sys.ns / 1000000 - sys.start));
        put_log(", ");
        sys.killed |= number == SIGKILL;
    }
    return __real_kill(pid, number);
}

/* The signal arrives at the last moment before the command starts. */
int __real_execvp(const char *file, char *const words[]);
int __wrap_execvp(const char *file, char *const words[]);
int __wrap_execvp(const char *file, char *const words[])
{
    if (sys.before_exec)
        raise(sys.before_exec);
    return __real_execvp(file, words);
}

pid_t __real_fork(void);
pid_t __wrap_fork(void);
pid_t __wrap_fork(void)
{
    errno = EAGAIN;
    return sys.forks_fail ? -1 : __real_fork();
}

/* ---------------------------------------------------------------------- a command */

/* What a command wrote. */
struct seen {
    char text[2][256];
    size_t n[2];
    int pieces[2], ends[2];
    size_t longest;
    bool refuses[2], refuses_end[2];    /* take() returns false for the stream */
    void (*then)(const struct seen *s); /* is called after each piece */
};

static bool take(void *payload, int stream, const char *bytes, size_t n)
{
    struct seen *s = payload;
    size_t room = sizeof s->text[0] - 1 - s->n[stream];
    size_t kept = n < room ? n : room;

    if (s->ends[stream] || stream < 0 || stream > 1)
        abort();
    memcpy(s->text[stream] + s->n[stream], bytes, kept);
    s->n[stream] += kept;
    s->text[stream][s->n[stream]] = '\0';
    s->pieces[stream] += n > 0;
    s->ends[stream] += !n;
    s->longest = n > s->longest ? n : s->longest;
    if (n && s->then)
        s->then(s);
    return n ? !s->refuses[stream] : !s->refuses_end[stream];
}

static const int caught[] = {SIGINT,  SIGTERM, SIGHUP, SIGQUIT,
                             SIGTSTP, SIGCONT, SIGCHLD};

static struct child_end end;
static struct fsd_error why;

static int input = -1;  /* the command's standard input; -1: that of this process */
static int answer = -1; /* the other end of it, if it is a pipe */

static inline void open_input(void)
{
    int to[2];

    if (pipe2(to, O_CLOEXEC))
        abort();
    input = to[0];
    answer = to[1];
}

static inline void close_input(void)
{
    close(input);
    close(answer);
    input = answer = -1;
}

static enum fsd_status run_words(const char *const *words, struct seen *s)
{
    const struct child c = {
        .words = words, .in = input, .out = -1, .take = s ? take : NULL, .payload = s};

    memset(&end, 0xff, sizeof end);
    memset(&why, 0, sizeof why);
    return run_child(&c, &end, &why);
}

static enum fsd_status run(const char *script, struct seen *s)
{
    return run_words((const char *const[]){"sh", "-c", script, NULL}, s);
}

static inline void holds_end(int status, int by, int stopped_by)
{
    if (end.status != status || end.by != by || end.stopped_by != stopped_by ||
        end.whole_job) {
        fprintf(said, "status %d by %d, stopped by %d, whole job: %d\n", end.status,
                end.by, end.stopped_by, end.whole_job);
        NEED(false);
    }
}

static inline void holds_log(const char *expected)
{
    if (strcmp(sys.log, expected)) {
        fprintf(said, "found    %s\nexpected %s\n", sys.log, expected);
        NEED(false);
    }
    *sys.log = '\0';
}

static void prepare(void)
{
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
        signal(caught[i], SIG_DFL); /* a job in the background ignores some */
    said = fdopen(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0), "w");
    for (int fd = 3; fd < 256; fd++) /* what this process got from its own parent */
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    alarm(120); /* for what would wait forever */
}
