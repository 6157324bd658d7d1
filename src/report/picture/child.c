/*
 * Runs Graphviz's layout in a child process, since it may take very long and may crash:
 * a child can be killed, and its crash does not end this process. Limits are in
 * processor time, which other programs hardly influence.
 */
#define _GNU_SOURCE /* memfd_create, pipe2, syscall */
#include "base/base.h"
#include "host/host.h"
#include "report/picture/drawing.h"

#include <errno.h>
#include <fcntl.h>
#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

bool fsd_child_draws(void)
{
    return true;
}

/* Sizes of the child's files at the end of a picture. */
struct done {
    off_t picture, said;
    double spent; /* seconds of processor time since the child began */
    bool good;
};

/* One child lays out one picture after the other, since loading fonts and plug-ins
 * takes longest.  It writes to files that have no name, since the parent may be busy
 * with other work, and a pipe would get full:
 *
 *     pictures  <svg ...><svg ...>
 *     said      Warning: ...
 *     done      {end, end, spent, good} ...    this is a pipe */
struct fsd_layout_child {
    const char *const *dots;
    uint32_t n, next;
    const char *format;
    pid_t child; /* 0: no child was started, or it ended */
    int pictures, said, done;
    struct done last;
};

/* Forbids file writes and new programs in the child. Libraries for fonts would
 * otherwise write caches into the user's folders or, as root, into the system's.
 * Returns false if the kernel, or its headers at build time, lack such rules (before
 * 5.13). */
static bool forbid_writing(void)
{
#ifdef LANDLOCK_ACCESS_FS_EXECUTE
    const struct landlock_ruleset_attr rules = {
        .handled_access_fs =
            LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
            LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
            LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_DIR |
            LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_MAKE_SOCK |
            LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_CHAR |
            LANDLOCK_ACCESS_FS_MAKE_BLOCK};
    long fd = syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);

    return fd >= 0 && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
           !syscall(SYS_landlock_restrict_self, fd, 0);
#else
    return false;
#endif
}

/* Keeps libraries from writing into the user's folders: if the kernel cannot forbid it,
 * the environment hides these folders. */
static void write_nowhere(void)
{
    if (forbid_writing())
        return;
    setenv("HOME", "/dev/null", 1);
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
}

static void run_child(const struct fsd_layout_child *l, int to)
{
    int nowhere = open("/dev/null", O_RDWR);
    FILE *out = fdopen(l->pictures, "w");

    write_nowhere();
    if (nowhere >= 0)
        dup2(nowhere, STDOUT_FILENO);
    dup2(l->said, STDERR_FILENO);
    for (uint32_t i = l->next; out && i < l->n; i++) {
        struct done done = {0};

        done.good = fsd_graphviz_draw(l->dots[i], l->format, out) && fflush(out) == 0;
        done.picture = lseek(l->pictures, 0, SEEK_CUR);
        done.said = lseek(l->said, 0, SEEK_CUR);
        done.spent = fsd_clock(CLOCK_PROCESS_CPUTIME_ID);
        if (write(to, &done, sizeof done) != sizeof done)
            break;
    }
    _exit(0);
}

/* Starts the child. The parent closes its write end of the pipe at once; with it open,
 * reading would never end. */
static void start(struct fsd_layout_child *l)
{
    int done[2] = {-1, -1};

    l->last = (struct done){0};
    l->pictures = memfd_create("pictures", MFD_CLOEXEC);
    l->said = memfd_create("said", MFD_CLOEXEC);
    l->child =
        l->pictures >= 0 && l->said >= 0 && pipe2(done, O_CLOEXEC) == 0 ? fork() : -1;
    if (l->child == 0)
        run_child(l, done[1]);
    close(done[1]);
    l->done = done[0];
}

static void stop(struct fsd_layout_child *l)
{
    if (l->child > 0) {
        kill(l->child, SIGKILL);
        while (waitpid(l->child, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    close(l->pictures);
    close(l->said);
    close(l->done);
    l->child = 0;
}

/* Processor time that the child has spent on the current picture. The caller has read
 * the reports on all earlier pictures. */
static double spent_by(const struct fsd_layout_child *l)
{
    clockid_t clock;

    return clock_getcpuclockid(l->child, &clock) == 0 ? fsd_clock(clock) - l->last.spent
                                                      : 0;
}

/* Returns false if the child ended or has used its processor time. A child that waits
 * forever uses no processor time, so there is also a limit in real time. */
static bool wait_for(const struct fsd_layout_child *l, struct done *done,
                     double seconds, bool *timed_out)
{
    double until = fsd_now() + FSD_HOST_IDLE_TIMES * fsd_larger(seconds, 1), left;
    struct pollfd ready = {.fd = l->done, .events = POLLIN};

    while (seconds > 0) {
        left = seconds - spent_by(l);
        if (poll(&ready, 1, left > 0 ? (int)(left * 1000) + 1 : 0) > 0) {
            ssize_t n = read(l->done, done, sizeof *done);

            if (n >= 0 || errno != EINTR)
                return n == sizeof *done;
        } else if (left <= 0 || fsd_now() > until) {
            break;
        }
    }
    *timed_out = true;
    return false;
}

static void copy(int from, off_t at, off_t end, FILE *out)
{
    char buffer[65536];

    while (at < end) {
        size_t most =
            end - at < (off_t)sizeof buffer ? (size_t)(end - at) : sizeof buffer;
        ssize_t n = pread(from, buffer, most, at);

        if (n <= 0)
            return;
        fwrite(buffer, 1, (size_t)n, out);
        at += n;
    }
}

struct fsd_layout_child *fsd_child_begin(struct fsd_arena *arena,
                                         const char *const *dots, uint32_t n,
                                         const char *format)
{
    struct fsd_layout_child *l = FSD_NEW(arena, struct fsd_layout_child, 1);

    *l = (struct fsd_layout_child){.dots = dots, .n = n, .format = format};
    start(l);
    return l;
}

void fsd_child_end(struct fsd_layout_child *l)
{
    if (l->child)
        stop(l);
}

/* Writes the next picture to `out`; nothing if it cannot be laid out. If a picture
 * crashes the child, or the child must be killed, another child lays out the rest. */
struct fsd_layout_outcome fsd_child_take(struct fsd_layout_child *l, double seconds,
                                         FILE *out)
{
    struct fsd_layout_outcome o = {0};
    char text[4096];
    struct done done = {0};
    bool alive;
    ssize_t n;

    if (!l->child)
        start(l);
    alive = l->child > 0 && wait_for(l, &done, seconds, &o.timed_out);
    o.spent = alive ? done.spent - l->last.spent : l->child > 0 ? spent_by(l) : 0;
    l->next++;
    n = pread(l->said, text, sizeof text - 1, l->last.said);
    if (n > 0 && alive && n > done.said - l->last.said)
        n = done.said - l->last.said; /* the remaining messages are on the next
                                         picture */
    text[n > 0 ? n : 0] = '\0';
    fsd_graphviz_say(text, &o);
    o.good = done.good;
    if (done.good)
        copy(l->pictures, l->last.picture, done.picture, out);
    l->last = done;
    if (!alive)
        stop(l);
    return o;
}
